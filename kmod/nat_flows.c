// SPDX-License-Identifier: GPL-2.0
/*
 * The flows of nat backends that conntrack has: ended by configuration, counted
 * for those that drain, and looked up.
 */

#include <linux/rculist.h>
#include <net/netfilter/nf_conntrack.h>
#include <net/netfilter/nf_conntrack_core.h>
#include <net/netfilter/nf_conntrack_zones.h>

#include "flowring.h"

/* Which connections to end: those of one of these, or all */
struct flr_nat_end {
	struct flr_net *fn;
	const struct flr_ring *ring;
	const struct flr_service_key *service;
	bool backends;
};

static bool flr_nat_goes_to(const struct nf_conn *ct,
			    const struct flr_backend *b,
			    const struct flr_key *key)
{
	union nf_inet_addr addr;
	__be16 port = flr_nat_endpoint(ct, &addr);

	return nf_ct_l3num(ct) == b->family &&
	       nf_inet_addr_cmp(&addr, &b->addr) &&
	       port == flr_backend_port(b, key);
}

/*
 * Of the connections of a service that was pointed to another ring, those that
 * no backend of that ring can claim are still the old ring's.
 */
static bool flr_nat_is_of(const struct nf_conn *ct, struct flr_net *fn,
			  const struct flr_backend *b,
			  const struct flr_key *key)
{
	struct flr_choice c;

	if (!flr_find(fn, key, 0, &c) || !flr_nat_goes_to(ct, b, key))
		return false;
	return c.ring == b->ring ||
	       !flr_nat_member(fn, c.ring, &b->addr, flr_backend_port(b, key),
			       key);
}

/* Likewise, for a ring that no service points to any more */
static bool flr_nat_is_in(const struct nf_conn *ct, struct flr_net *fn,
			  const struct flr_ring *ring,
			  const struct flr_key *key)
{
	union nf_inet_addr addr;
	struct flr_backend *b;
	__be16 port;

	port = flr_nat_endpoint(ct, &addr);
	b = flr_nat_member(fn, ring, &addr, port, key);
	return b && flr_nat_is_of(ct, fn, b, key);
}

/* Likewise, for the backends that are marked */
static bool flr_nat_is_ending(const struct nf_conn *ct, struct flr_net *fn,
			      const struct flr_key *key)
{
	const union nf_inet_addr *addr;
	struct rhlist_head *list, *pos;
	struct flr_backend *b;

	addr = &ct->tuplehash[IP_CT_DIR_REPLY].tuple.src.u3;
	list = rhltable_lookup(&fn->endpoints, addr, flr_endpoint_params);
	rhl_for_each_entry_rcu(b, pos, list, endpoint) {
		if (b->ending && b->mode == FLOWRING_MODE_NAT &&
		    flr_nat_is_of(ct, fn, b, key))
			return true;
	}
	return false;
}

/* Also of none that is more special */
static bool flr_nat_is_for(const struct nf_conn *ct, struct flr_net *fn,
			   const struct flr_service_key *svc,
			   const struct flr_key *key)
{
	const struct nf_conntrack_tuple *t;
	union nf_inet_addr addr;
	struct flr_choice c;

	t = &ct->tuplehash[IP_CT_DIR_ORIGINAL].tuple;
	addr = t->dst.u3;
	flr_service_mask(&addr, svc->family, svc->prefix);
	if (t->src.l3num != svc->family ||
	    !nf_inet_addr_cmp(&addr, &svc->addr) ||
	    (svc->proto && svc->proto != key->proto) ||
	    ntohs(key->dport) < ntohs(svc->port) ||
	    ntohs(key->dport) > ntohs(svc->port_end))
		return false;
	return !flr_find(fn, key, 0, &c) ||
	       flr_service_rank(svc) >= flr_service_rank(&c.svc->key);
}

static int flr_nat_end_match(struct nf_conn *ct, void *data)
{
	const struct flr_nat_end *end = data;
	struct flr_choice c;
	struct flr_key key;
	bool match;

	if (!(ct->status & IPS_DST_NAT))
		return 0;
	flr_nat_key(ct, &key);
	rcu_read_lock();
	if (end->service)
		match = flr_nat_is_for(ct, end->fn, end->service, &key);
	else if (end->ring)
		match = flr_nat_is_in(ct, end->fn, end->ring, &key);
	else if (end->backends)
		match = flr_nat_is_ending(ct, end->fn, &key);
	else
		match = flr_find(end->fn, &key, 0, &c);
	rcu_read_unlock();
	return match;
}

static void flr_nat_end(struct flr_nat_end *end)
{
	struct nf_ct_iter_data iter = {
		.net = end->fn->net,
		.data = end,
	};

	if (!end->fn->nat_hooks)
		return;
	/* packets that still follow the old configuration have to be through */
	synchronize_net();
	nf_ct_iterate_cleanup_net(flr_nat_end_match, &iter);
}

/**
 * flr_nat_end_backends() - end the connections to the backends that are ending
 * @fn: namespace
 *
 * They are those with flr_backend.ending, in no live table any more.
 *
 * Context: under flr_net.lock, may sleep.
 */
void flr_nat_end_backends(struct flr_net *fn)
{
	struct flr_nat_end end = { .fn = fn, .backends = true };

	flr_nat_end(&end);
}

/**
 * flr_nat_end_service() - end the connections of a service
 * @fn: namespace
 * @key: identity of the service, which packets cannot find any more
 *
 * Context: under flr_net.lock, may sleep.
 */
void flr_nat_end_service(struct flr_net *fn, const struct flr_service_key *key)
{
	struct flr_nat_end end = { .fn = fn, .service = key };

	flr_nat_end(&end);
}

/**
 * flr_nat_end_ring() - end the connections to the backends of a ring
 * @fn: namespace
 * @ring: a ring that no service points to
 *
 * Context: under flr_net.lock, may sleep.
 */
void flr_nat_end_ring(struct flr_net *fn, const struct flr_ring *ring)
{
	struct flr_nat_end end = { .fn = fn, .ring = ring };

	if (ring->kind == FLR_KIND_NAT)
		flr_nat_end(&end);
}

/**
 * flr_nat_end_all() - end the connections of all services, and let none begin
 * @fn: namespace, which stops
 *
 * Context: under flr_net.lock, may sleep.
 */
void flr_nat_end_all(struct flr_net *fn)
{
	struct flr_nat_end end = { .fn = fn };

	WRITE_ONCE(fn->stopping, true);
	flr_nat_end(&end);
}

/**
 * flr_nat_flow() - find where an existing nat flow goes
 * @fn: namespace
 * @key: flow key
 * @addr: address it was translated to
 * @port: port it was translated to
 *
 * Context: under flr_net.lock.
 * Return: whether conntrack knows such a flow.
 */
bool flr_nat_flow(struct flr_net *fn, const struct flr_key *key,
		  union nf_inet_addr *addr, __be16 *port)
{
	struct nf_conntrack_tuple t = {};
	struct nf_conntrack_tuple_hash *h;
	struct nf_conn *ct;
	bool found;

	/* conntrack tells flows of other protocols apart by more */
	if (!fn->nat_hooks || !flr_proto_has_ports(key->proto))
		return false;
	t.dst.protonum = key->proto;
	t.dst.dir = IP_CT_DIR_ORIGINAL;
	t.src.u.all = key->sport;
	t.dst.u.all = key->dport;
	if (key->family == 4) {
		t.src.l3num = NFPROTO_IPV4;
		t.src.u3.ip = key->v4.saddr;
		t.dst.u3.ip = key->v4.daddr;
	} else {
		t.src.l3num = NFPROTO_IPV6;
		memcpy(&t.src.u3.in6, key->v6.saddr, sizeof(t.src.u3.in6));
		memcpy(&t.dst.u3.in6, key->v6.daddr, sizeof(t.dst.u3.in6));
	}
	h = nf_conntrack_find_get(fn->net, &nf_ct_zone_dflt, &t);
	if (!h)
		return false;
	ct = nf_ct_tuplehash_to_ctrack(h);
	found = NF_CT_DIRECTION(h) == IP_CT_DIR_ORIGINAL &&
		(ct->status & IPS_DST_NAT);
	if (found) {
		*addr = ct->tuplehash[IP_CT_DIR_REPLY].tuple.src.u3;
		*port = ct->tuplehash[IP_CT_DIR_REPLY].tuple.src.u.all;
	}
	nf_ct_put(ct);
	return found;
}

/* Count a connection for the backend that it goes to */
static int flr_nat_count_one(struct nf_conn *ct, void *data)
{
	const union nf_inet_addr *addr;
	struct rhlist_head *list, *pos;
	struct flr_net *fn = data;
	struct flr_backend *b;
	struct flr_key key;

	if (!(ct->status & IPS_DST_NAT))
		return 0;
	flr_nat_key(ct, &key);
	if (nf_ct_protonum(ct) == IPPROTO_TCP &&
	    (ct->proto.tcp.state == TCP_CONNTRACK_TIME_WAIT ||
	     ct->proto.tcp.state == TCP_CONNTRACK_CLOSE))
		return 0;
	addr = &ct->tuplehash[IP_CT_DIR_REPLY].tuple.src.u3;
	rcu_read_lock();
	list = rhltable_lookup(&fn->endpoints, addr, flr_endpoint_params);
	rhl_for_each_entry_rcu(b, pos, list, endpoint) {
		if (b->mode != FLOWRING_MODE_NAT ||
		    !flr_nat_is_of(ct, fn, b, &key))
			continue;
		b->flows++;
		b->flows_left = max_t(u32, b->flows_left, nf_ct_expires(ct));
	}
	rcu_read_unlock();
	return 0;
}

/**
 * flr_nat_count() - count the flows of nat backends, unless that was done just
 * now
 * @fn: namespace
 *
 * Connections that have ended and that conntrack still keeps are not counted.
 *
 * Context: under flr_net.lock, may sleep.
 */
void flr_nat_count(struct flr_net *fn)
{
	struct nf_ct_iter_data iter = { .net = fn->net, .data = fn };
	struct flr_backend *b;
	struct flr_ring *ring;
	unsigned long id;

	if (!fn->nat_hooks || time_before(jiffies, fn->flows_counted + HZ / 2))
		return;
	xa_for_each(&fn->rings, id, ring) {
		if (ring->kind != FLR_KIND_NAT)
			continue;
		for (b = flr_backend_first(ring); b; b = flr_backend_next(b)) {
			b->flows = 0;
			b->flows_left = 0;
		}
	}
	/* it ends none */
	nf_ct_iterate_cleanup_net(flr_nat_count_one, &iter);
	fn->flows_counted = jiffies;
}
