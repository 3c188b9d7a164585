// SPDX-License-Identifier: GPL-2.0
/*
 * The nat mode: a new connection's backend is chosen once, in a NAT hook, and
 * conntrack does the rest.
 */

#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/rculist.h>
#include <net/netfilter/nf_conntrack.h>
#include <net/netfilter/nf_conntrack_core.h>
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

/**
 * flr_nat_key() - flow key of a connection, from its original direction
 * @ct: connection
 * @key: gets it
 *
 */
void flr_nat_key(const struct nf_conn *ct, struct flr_key *key)
{
	const struct nf_conntrack_tuple *t;
	__be16 sport = 0, dport = 0;

	t = &ct->tuplehash[IP_CT_DIR_ORIGINAL].tuple;
	/* others have numbers of their own there */
	if (flr_proto_has_ports(t->dst.protonum)) {
		sport = t->src.u.all;
		dport = t->dst.u.all;
	}
	if (t->src.l3num == NFPROTO_IPV4)
		flr_key_set4(key, t->dst.protonum, t->src.u3.ip, sport,
			     t->dst.u3.ip, dport);
	else
		flr_key_set6(key, t->dst.protonum, &t->src.u3.in6, sport,
			     &t->dst.u3.in6, dport);
}

/**
 * flr_nat_endpoint() - where a connection has been translated to
 * @ct: connection
 * @addr: gets the address
 *
 * Return: the port, 0 for a protocol without ports.
 */
__be16 flr_nat_endpoint(const struct nf_conn *ct, union nf_inet_addr *addr)
{
	const struct nf_conntrack_tuple *t;

	t = &ct->tuplehash[IP_CT_DIR_REPLY].tuple;
	*addr = t->src.u3;
	return flr_proto_has_ports(t->dst.protonum) ? t->src.u.all : 0;
}

/* Marks are not conntrack's, so a service of a mark is none of nat */
static bool flr_nat_find(struct flr_net *fn, const struct flr_key *key,
			 struct flr_choice *c)
{
	return flr_find(fn, key, 0, c) && c->ring &&
	       READ_ONCE(c->ring->kind) == FLR_KIND_NAT;
}

/* First packet of a connection: translate its destination to a backend */
static unsigned int flr_nat_dst_hook(void *priv, struct sk_buff *skb,
				     const struct nf_hook_state *state)
{
	struct nf_nat_range2 range = { .flags = NF_NAT_RANGE_MAP_IPS };
	struct flr_net *fn = flr_net(state->net);
	enum ip_conntrack_info ctinfo;
	struct flr_choice c;
	struct flr_key key;
	unsigned int ret;
	struct nf_conn *ct;

	/* nf_nat also asks for the errors that a reject sends back */
	ct = nf_ct_get(skb, &ctinfo);
	if (!ct || CTINFO2DIR(ctinfo) != IP_CT_DIR_ORIGINAL)
		return NF_ACCEPT;
	flr_nat_key(ct, &key);
	if (!flr_nat_find(fn, &key, &c))
		return NF_ACCEPT;
	if (READ_ONCE(fn->stopping))
		return NF_DROP;
	flr_pick(&c, &key);
	if (!c.backend)
		return flr_no_backend(&c, skb, key.proto, state);
	if (c.backend->mode != FLOWRING_MODE_NAT ||
	    c.backend->family != state->pf)
		return NF_ACCEPT;
	range.min_addr = c.backend->addr;
	range.max_addr = c.backend->addr;
	if (flr_proto_has_ports(key.proto)) {
		range.flags |= NF_NAT_RANGE_PROTO_SPECIFIED;
		range.min_proto.all = flr_backend_port(c.backend, &key);
		range.max_proto.all = range.min_proto.all;
	}
	ret = nf_nat_setup_info(ct, &range, NF_NAT_MANIP_DST);
	if (ret == NF_ACCEPT)
		flr_count(&c, skb, skb->len, true);
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
 * Return: the backend, one whose connections end only when there is no other,
 * or NULL.
 */
struct flr_backend *flr_nat_member(struct flr_net *fn,
				   const struct flr_ring *ring,
				   const union nf_inet_addr *addr, __be16 port,
				   const struct flr_key *key)
{
	struct flr_backend *b, *ending = NULL;
	struct rhlist_head *list, *pos;

	list = rhltable_lookup(&fn->endpoints, addr, flr_endpoint_params);
	rhl_for_each_entry_rcu(b, pos, list, endpoint) {
		if (b->ring != ring || flr_backend_port(b, key) != port)
			continue;
		if (!READ_ONCE(b->ending))
			return b;
		ending = b;
	}
	return ending;
}

/*
 * Since the destination was translated, the backend may have gone: a packet
 * of the gateway's own can wait in between, outside of any RCU section. From
 * here to the confirming of the connection it cannot.
 */
static bool flr_nat_is_stale(struct flr_net *fn, const struct nf_conn *ct,
			     struct flr_choice *c, const struct flr_key *key)
{
	union nf_inet_addr addr;
	struct flr_backend *b;
	__be16 port;

	port = flr_nat_endpoint(ct, &addr);
	b = flr_nat_member(fn, c->ring, &addr, port, key);
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
	if (!ct || !(ct->status & IPS_DST_NAT))
		return NF_ACCEPT;
	flr_nat_key(ct, &key);
	if (!flr_nat_find(fn, &key, &c))
		return NF_ACCEPT;
	if (flr_nat_is_stale(fn, ct, &c, &key)) {
		flr_drop(&c, skb, FLR_DROP_INVALID);
		return NF_DROP;
	}
	if (!READ_ONCE(c.ring->opt.masquerade))
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
		if (svc->key.proto && svc->key.proto != proto)
			continue;
		if (b->port || (ntohs(svc->key.port) <= ntohs(port) &&
				ntohs(port) <= ntohs(svc->key.port_end)))
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
	if (flr_parse(skb, state->pf, &pkt) || pkt.quotes ||
	    pkt.key.proto == IPPROTO_ICMP || pkt.key.proto == IPPROTO_ICMPV6 ||
	    (ct && pkt.seg == FLR_SEG_SYN))
		return NF_ACCEPT;
	c.backend = flr_nat_source(fn, &pkt.key);
	if (c.backend) {
		c.ring = c.backend->ring;
	} else {
		if (ct || !flr_nat_find(fn, &pkt.key, &c))
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
