// SPDX-License-Identifier: GPL-2.0
/*
 * The nat mode: a new connection's backend is chosen once, in a NAT hook, and
 * conntrack does the rest. And the ending of connections by configuration.
 */

#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/rculist.h>
#include <net/netfilter/nf_conntrack.h>
#include <net/netfilter/nf_conntrack_core.h>
#include <net/netfilter/nf_conntrack_zones.h>
#include <net/netfilter/nf_nat.h>
#include <net/netfilter/nf_nat_masquerade.h>

#include "flowring.h"

/* Before the NAT chains of nftables, as services are the more special */
#define FLR_PRI_DST	(NF_IP_PRI_NAT_DST - 1)
#define FLR_PRI_SRC	(NF_IP_PRI_NAT_SRC - 1)
#define FLR_PRI_GUARD	(NF_IP_PRI_CONNTRACK + 1)

const struct rhashtable_params flr_endpoint_params = {
	.head_offset = offsetof(struct flr_backend, endpoint),
	.key_offset = offsetof(struct flr_backend, addr),
	.key_len = sizeof(union nf_inet_addr),
	.automatic_shrinking = true,
};

/* The key of a connection, from its original direction */
static bool flr_nat_key(const struct nf_conn *ct, struct flr_key *key)
{
	const struct nf_conntrack_tuple *t;

	t = &ct->tuplehash[IP_CT_DIR_ORIGINAL].tuple;
	if (t->dst.protonum != IPPROTO_TCP && t->dst.protonum != IPPROTO_UDP)
		return false;
	if (t->src.l3num == NFPROTO_IPV4)
		flr_key_set4(key, t->dst.protonum, t->src.u3.ip, t->src.u.all,
			     t->dst.u3.ip, t->dst.u.all);
	else
		flr_key_set6(key, t->dst.protonum, &t->src.u3.in6,
			     t->src.u.all, &t->dst.u3.in6, t->dst.u.all);
	return true;
}

static __be16 flr_backend_port(const struct flr_backend *b,
			       const struct flr_key *key)
{
	return b->port ?: key->dport;
}

/* First packet of a connection: translate its destination to a backend */
static unsigned int flr_nat_dst_hook(void *priv, struct sk_buff *skb,
				     const struct nf_hook_state *state)
{
	struct nf_nat_range2 range = {
		.flags = NF_NAT_RANGE_MAP_IPS | NF_NAT_RANGE_PROTO_SPECIFIED,
	};
	struct flr_net *fn = flr_net(state->net);
	enum ip_conntrack_info ctinfo;
	struct flr_choice c;
	struct flr_key key;
	unsigned int ret;
	struct nf_conn *ct;

	/* nf_nat also asks for the errors that a reject sends back */
	ct = nf_ct_get(skb, &ctinfo);
	if (!ct || CTINFO2DIR(ctinfo) != IP_CT_DIR_ORIGINAL ||
	    !flr_nat_key(ct, &key))
		return NF_ACCEPT;
	if (!flr_find(fn, &key, &c) ||
	    READ_ONCE(c.ring->mode) != FLOWRING_MODE_NAT)
		return NF_ACCEPT;
	if (READ_ONCE(fn->stopping))
		return NF_DROP;
	flr_pick(&c, &key);
	if (!c.backend)
		return flr_no_backend(&c, skb, state);
	if (c.backend->mode != FLOWRING_MODE_NAT ||
	    c.backend->family != state->pf)
		return NF_ACCEPT;
	range.min_addr = c.backend->addr;
	range.max_addr = c.backend->addr;
	range.min_proto.all = flr_backend_port(c.backend, &key);
	range.max_proto.all = range.min_proto.all;
	ret = nf_nat_setup_info(ct, &range, NF_NAT_MANIP_DST);
	if (ret == NF_ACCEPT)
		flr_count(&c, skb, true);
	else
		flr_drop(&c, skb, FLR_DROP_NO_MEMORY);
	return ret;
}

/**
 * flr_nat_member() - find the backend of a ring that has an address and port
 * @fn: namespace
 * @ring: ring
 * @addr: address
 * @port: port
 * @key: flow that goes there, as a backend may keep the service's port
 *
 * Context: under rcu_read_lock().
 * Return: the backend, or NULL.
 */
struct flr_backend *flr_nat_member(struct flr_net *fn,
				   const struct flr_ring *ring,
				   const union nf_inet_addr *addr, __be16 port,
				   const struct flr_key *key)
{
	struct rhlist_head *list, *pos;
	struct flr_backend *b;

	list = rhltable_lookup(&fn->endpoints, addr, flr_endpoint_params);
	rhl_for_each_entry_rcu(b, pos, list, endpoint) {
		if (b->ring == ring && flr_backend_port(b, key) == port)
			return b;
	}
	return NULL;
}

/*
 * Since the destination was translated, the backend may have gone: a packet
 * of the gateway's own can wait in between, outside of any RCU section. From
 * here to the confirming of the connection it cannot.
 */
static bool flr_nat_is_stale(struct flr_net *fn, const struct nf_conn *ct,
			     struct flr_choice *c, const struct flr_key *key)
{
	const struct nf_conntrack_tuple *reply;
	struct flr_backend *b;

	reply = &ct->tuplehash[IP_CT_DIR_REPLY].tuple;
	b = flr_nat_member(fn, c->ring, &reply->src.u3, reply->src.u.all, key);
	if (b)
		return READ_ONCE(b->state) == FLOWRING_STATE_DOWN;
	/* with an owner, only the ring can have translated it */
	flr_pick(c, key);
	return c->backend;
}

/* Once more before the connection counts; and masquerade */
static unsigned int flr_nat_src_hook(void *priv, struct sk_buff *skb,
				     const struct nf_hook_state *state)
{
	struct flr_net *fn = flr_net(state->net);
	struct nf_nat_range2 range = {};
	enum ip_conntrack_info ctinfo;
	struct flr_choice c;
	struct flr_key key;
	struct nf_conn *ct;

	ct = nf_ct_get(skb, &ctinfo);
	if (!ct || !(ct->status & IPS_DST_NAT) || !flr_nat_key(ct, &key))
		return NF_ACCEPT;
	if (!flr_find(fn, &key, &c) ||
	    READ_ONCE(c.ring->mode) != FLOWRING_MODE_NAT)
		return NF_ACCEPT;
	if (flr_nat_is_stale(fn, ct, &c, &key)) {
		flr_drop(&c, skb, FLR_DROP_INVALID);
		return NF_DROP;
	}
	if (!READ_ONCE(c.ring->masquerade))
		return NF_ACCEPT;
	if (state->pf == NFPROTO_IPV4)
		return nf_nat_masquerade_ipv4(skb, state->hook, &range,
					      state->out);
	return nf_nat_masquerade_ipv6(skb, &range, state->out);
}

/* The service port @port is one of those that the ring of @b serves */
static bool flr_ring_serves(const struct flr_backend *b, u8 proto, __be16 port)
{
	const struct flr_service *svc;

	if (b->port && b->port != port)
		return false;
	list_for_each_entry_rcu(svc, &b->ring->services, list) {
		if (svc->key.proto == proto &&
		    (b->port || svc->key.port == port))
			return true;
	}
	return false;
}

/* The nat backend that a packet comes from, by its source, or NULL */
static struct flr_backend *flr_nat_source(struct flr_net *fn,
					  const struct flr_key *key)
{
	struct rhlist_head *list, *pos;
	union nf_inet_addr addr = {};
	struct flr_backend *b;

	if (key->family == 4)
		addr.ip = key->v4.saddr;
	else
		memcpy(&addr.in6, key->v6.saddr, sizeof(addr.in6));
	list = rhltable_lookup(&fn->endpoints, &addr, flr_endpoint_params);
	rhl_for_each_entry_rcu(b, pos, list, endpoint) {
		if (b->mode == FLOWRING_MODE_NAT &&
		    flr_ring_serves(b, key->proto, key->sport))
			return b;
	}
	return NULL;
}

/*
 * Packets of nat flows that conntrack knows nothing of, or finds invalid, would
 * pass untranslated: a client would see the address of a backend, and reset the
 * connection. So drop them: what comes from a backend's service port and is
 * invalid, or a TCP segment from the middle of a connection; and what goes to
 * a nat service and is invalid, which the gateway itself would reset.
 */
static unsigned int flr_nat_guard_hook(void *priv, struct sk_buff *skb,
				       const struct nf_hook_state *state)
{
	struct flr_net *fn = flr_net(state->net);
	enum ip_conntrack_info ctinfo;
	struct flr_choice c = {};
	struct flr_packet pkt;
	struct nf_conn *ct;

	ct = nf_ct_get(skb, &ctinfo);
	if (ctinfo == IP_CT_UNTRACKED || (ct && ctinfo != IP_CT_NEW))
		return NF_ACCEPT;
	if (ct && nf_ct_protonum(ct) != IPPROTO_TCP)
		return NF_ACCEPT;
	if (flr_parse(skb, state->pf, &pkt) || (ct && pkt.syn))
		return NF_ACCEPT;
	c.backend = flr_nat_source(fn, &pkt.key);
	if (c.backend) {
		c.ring = c.backend->ring;
	} else {
		if (ct || !flr_find(fn, &pkt.key, &c) ||
		    READ_ONCE(c.ring->mode) != FLOWRING_MODE_NAT)
			return NF_ACCEPT;
	}
	flr_drop(&c, skb, FLR_DROP_INVALID);
	return NF_DROP;
}

/* Hooks within the NAT hooks, where nf_nat calls them for new connections */
static const struct nf_hook_ops flr_nat_ops[] = {
	{
		.hook		= flr_nat_dst_hook,
		.pf		= NFPROTO_IPV4,
		.hooknum	= NF_INET_PRE_ROUTING,
		.priority	= FLR_PRI_DST,
	},
	{
		.hook		= flr_nat_dst_hook,
		.pf		= NFPROTO_IPV4,
		.hooknum	= NF_INET_LOCAL_OUT,
		.priority	= FLR_PRI_DST,
	},
	{
		.hook		= flr_nat_src_hook,
		.pf		= NFPROTO_IPV4,
		.hooknum	= NF_INET_POST_ROUTING,
		.priority	= FLR_PRI_SRC,
	},
	{
		.hook		= flr_nat_dst_hook,
		.pf		= NFPROTO_IPV6,
		.hooknum	= NF_INET_PRE_ROUTING,
		.priority	= FLR_PRI_DST,
	},
	{
		.hook		= flr_nat_dst_hook,
		.pf		= NFPROTO_IPV6,
		.hooknum	= NF_INET_LOCAL_OUT,
		.priority	= FLR_PRI_DST,
	},
	{
		.hook		= flr_nat_src_hook,
		.pf		= NFPROTO_IPV6,
		.hooknum	= NF_INET_POST_ROUTING,
		.priority	= FLR_PRI_SRC,
	},
};

static const struct nf_hook_ops flr_guard_ops[] = {
	{
		.hook		= flr_nat_guard_hook,
		.pf		= NFPROTO_IPV4,
		.hooknum	= NF_INET_PRE_ROUTING,
		.priority	= FLR_PRI_GUARD,
	},
	{
		.hook		= flr_nat_guard_hook,
		.pf		= NFPROTO_IPV6,
		.hooknum	= NF_INET_PRE_ROUTING,
		.priority	= FLR_PRI_GUARD,
	},
};

static void flr_nat_unregister(struct net *net, int n)
{
	while (n--) {
		if (flr_nat_ops[n].pf == NFPROTO_IPV4)
			nf_nat_ipv4_unregister_fn(net, &flr_nat_ops[n]);
		else
			nf_nat_ipv6_unregister_fn(net, &flr_nat_ops[n]);
	}
}

static int flr_nat_register(struct net *net)
{
	int err, i;

	for (i = 0; i < ARRAY_SIZE(flr_nat_ops); i++) {
		if (flr_nat_ops[i].pf == NFPROTO_IPV4)
			err = nf_nat_ipv4_register_fn(net, &flr_nat_ops[i]);
		else
			err = nf_nat_ipv6_register_fn(net, &flr_nat_ops[i]);
		if (err) {
			flr_nat_unregister(net, i);
			return err;
		}
	}
	return 0;
}

/**
 * flr_nat_start() - have conntrack and the nat hooks in a namespace
 * @net: namespace
 *
 * Context: process context, may sleep.
 * Return: 0 or an error.
 */
int flr_nat_start(struct net *net)
{
	int err;

	err = nf_ct_netns_get(net, NFPROTO_INET);
	if (err)
		return err;
	err = flr_nat_register(net);
	if (err)
		goto err_ct;
	err = nf_register_net_hooks(net, flr_guard_ops,
				    ARRAY_SIZE(flr_guard_ops));
	if (err)
		goto err_nat;
	return 0;

err_nat:
	flr_nat_unregister(net, ARRAY_SIZE(flr_nat_ops));
err_ct:
	nf_ct_netns_put(net, NFPROTO_INET);
	return err;
}

/**
 * flr_nat_stop() - undo flr_nat_start()
 * @net: namespace
 *
 * Context: process context, may sleep.
 */
void flr_nat_stop(struct net *net)
{
	nf_unregister_net_hooks(net, flr_guard_ops, ARRAY_SIZE(flr_guard_ops));
	flr_nat_unregister(net, ARRAY_SIZE(flr_nat_ops));
	nf_ct_netns_put(net, NFPROTO_INET);
}

/* Which connections to end: those of one of these, or all */
struct flr_nat_end {
	struct flr_net *fn;
	const struct flr_ring *ring;
	const struct flr_backend *backend;
	const struct flr_service_key *service;
};

static bool flr_nat_goes_to(const struct nf_conn *ct,
			    const struct flr_backend *b,
			    const struct flr_key *key)
{
	const struct nf_conntrack_tuple *reply;

	reply = &ct->tuplehash[IP_CT_DIR_REPLY].tuple;
	return reply->src.l3num == b->family &&
	       nf_inet_addr_cmp(&reply->src.u3, &b->addr) &&
	       reply->src.u.all == flr_backend_port(b, key);
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

	if (!flr_find(fn, key, &c) || !flr_nat_goes_to(ct, b, key))
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
	const struct nf_conntrack_tuple *reply;
	struct flr_backend *b;

	reply = &ct->tuplehash[IP_CT_DIR_REPLY].tuple;
	b = flr_nat_member(fn, ring, &reply->src.u3, reply->src.u.all, key);
	return b && flr_nat_is_of(ct, fn, b, key);
}

static bool flr_nat_is_for(const struct nf_conn *ct,
			   const struct flr_service_key *key)
{
	const struct nf_conntrack_tuple *t;

	t = &ct->tuplehash[IP_CT_DIR_ORIGINAL].tuple;
	return t->src.l3num == key->family && t->dst.protonum == key->proto &&
	       t->dst.u.all == key->port &&
	       nf_inet_addr_cmp(&t->dst.u3, &key->addr);
}

static int flr_nat_end_match(struct nf_conn *ct, void *data)
{
	const struct flr_nat_end *end = data;
	struct flr_choice c;
	struct flr_key key;
	bool match;

	if (!(ct->status & IPS_DST_NAT) || !flr_nat_key(ct, &key))
		return 0;
	if (end->service)
		return flr_nat_is_for(ct, end->service);
	rcu_read_lock();
	if (end->ring)
		match = flr_nat_is_in(ct, end->fn, end->ring, &key);
	else if (end->backend)
		match = flr_nat_is_of(ct, end->fn, end->backend, &key);
	else
		match = flr_find(end->fn, &key, &c);
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
 * flr_nat_end_backend() - end the connections to a backend
 * @fn: namespace
 * @b: backend, in no live table any more
 *
 * Context: under flr_net.lock, may sleep.
 */
void flr_nat_end_backend(struct flr_net *fn, const struct flr_backend *b)
{
	struct flr_nat_end end = { .fn = fn, .backend = b };

	if (b->mode == FLOWRING_MODE_NAT)
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

	if (ring->mode == FLOWRING_MODE_NAT)
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

	if (!fn->nat_hooks)
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
