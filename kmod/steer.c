// SPDX-License-Identifier: GPL-2.0
/*
 * The verdict: from a packet to its service, slot and backend; and the hooks
 * of the stateless modes, after defragmentation and before conntrack.
 */

#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <net/netfilter/ipv4/nf_reject.h>
#include <net/netfilter/ipv6/nf_reject.h>

#include "flowring.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

/* Behind the raw tables, so that their rules come first */
#define FLR_PRI_STEER	(NF_IP_PRI_CONNTRACK - 10)

/**
 * flr_find() - find the service of a flow and its ring
 * @fn: namespace
 * @key: flow key
 * @mark: firewall mark of the packet
 * @c: what was found
 *
 * Context: under rcu_read_lock().
 * Return: whether there is a service; it may have no ring.
 */
bool flr_find(struct flr_net *fn, const struct flr_key *key, u32 mark,
	      struct flr_choice *c)
{
	c->backend = NULL;
	c->svc = flr_service_lookup(fn, key, mark);
	if (!c->svc)
		return false;
	c->ring = rcu_dereference(c->svc->ring);
	return true;
}

/**
 * flr_pick() - pick the backend of a flow from its ring
 * @c: what flr_find() found; gets the slot, and its owner or NULL
 * @key: flow key
 *
 * Context: under rcu_read_lock().
 */
void flr_pick(struct flr_choice *c, const struct flr_key *key)
{
	const struct flr_table *table = rcu_dereference(c->ring->table);
	u16 owner;

	c->table = table;
	c->hash = flr_key_hash(key, &table->key);
	c->slot = flr_ring_slot(c->hash, table->bits);
	c->why = FLR_WHY_STEADY;
	owner = table->slots[c->slot];
	c->backend = owner == FLR_NO_OWNER ? NULL : table->backends[owner];
}

/* What finding the backend of a pin needs, and finds */
struct flr_reach_pin {
	struct flr_net *fn;
	const struct flr_ring *ring;
	struct flr_backend *backend;
};

static bool flr_target_is_usable(void *data, u32 target)
{
	struct flr_reach_pin *r = data;
	struct flr_backend *b = flr_target_backend(r->fn, target);

	if (!b || b->ring != r->ring ||
	    READ_ONCE(b->state) == FLOWRING_STATE_DOWN)
		return false;
	r->backend = b;
	return true;
}

/**
 * flr_pick_flow() - pick the backend of a packet in a stateless mode
 * @fn: namespace
 * @c: what flr_find() found; gets the slot, and the backend or NULL, and why
 * @pkt: packet
 *
 * Context: under rcu_read_lock().
 */
void flr_pick_flow(struct flr_net *fn, struct flr_choice *c,
		   const struct flr_packet *pkt)
{
	struct flr_reach_pin r = { .fn = fn, .ring = c->ring };
	struct flr_answer answer;
	struct flr_window *w;
	struct flr_ask ask;

	flr_pick(c, &pkt->key);
	w = rcu_dereference(c->table->window);
	if (!w)
		return;
	ask = (struct flr_ask){
		.hash = c->hash,
		.present = c->backend ? c->table->targets[c->backend->id] :
					FLR_NO_TARGET,
		.seg = pkt->seg,
		.move = READ_ONCE(c->ring->opt.udp) == FLOWRING_UDP_MOVE,
		.usable = flr_target_is_usable,
		.data = &r,
	};
	answer = flr_window_pick(w, &ask);
	if (answer.why == FLR_WHY_STEADY)
		return;
	c->why = answer.why;
	if (answer.why != FLR_WHY_PRESENT)
		c->backend = r.backend;
	if (!pkt->quotes)
		flr_window_stats_count(c->ring->drain.stats, &answer);
}

/**
 * flr_count() - count and trace a packet that is steered
 * @c: where to
 * @skb: packet
 * @len: its bytes, network header included, without a tunnel's
 * @flow: it begins a flow
 */
void flr_count(const struct flr_choice *c, const struct sk_buff *skb,
	       unsigned int len, bool flow)
{
	flr_stats_count(c->svc->stats, len, flow);
	flr_stats_count(c->backend->stats, len, flow);
	trace_flowring_steer(c, skb, len, flow);
}

/**
 * flr_drop() - count and trace a packet that is not steered
 * @c: what was found for it; the service or the backend may be missing
 * @skb: packet, which stays the caller's
 * @reason: why
 */
void flr_drop(const struct flr_choice *c, const struct sk_buff *skb,
	      enum flr_drop reason)
{
	if (c->svc)
		flr_stats_drop(c->svc->stats, reason);
	if (c->backend)
		flr_stats_drop(c->backend->stats, reason);
	trace_flowring_drop(c, skb, reason);
}

static void flr_reject(struct sk_buff *skb, u8 proto,
		       const struct nf_hook_state *state)
{
	struct net *net = state->net;

	/*
	 * The answer would confirm the connection as one without translation,
	 * and a steady sender would be held to that when backends are back.
	 */
	nf_reset_ct(skb);
	if (state->pf == NFPROTO_IPV4) {
		if (proto == IPPROTO_TCP)
			nf_send_reset(net, state->sk, skb, state->hook);
		else
			nf_send_unreach(skb, ICMP_PORT_UNREACH, state->hook);
		return;
	}
	if (proto == IPPROTO_TCP)
		nf_send_reset6(net, state->sk, skb, state->hook);
	else
		nf_send_unreach6(net, skb, ICMPV6_PORT_UNREACH, state->hook);
}

/**
 * flr_no_backend() - do with a packet what its ring says when none is usable
 * @c: service and ring
 * @skb: packet
 * @proto: its protocol
 * @state: hook
 *
 * Context: under rcu_read_lock().
 * Return: verdict of the hook.
 */
unsigned int flr_no_backend(const struct flr_choice *c, struct sk_buff *skb,
			    u8 proto, const struct nf_hook_state *state)
{
	flr_drop(c, skb, FLR_DROP_NO_BACKEND);
	switch (READ_ONCE(c->ring->opt.no_backend)) {
	case FLOWRING_NO_BACKEND_PASS:
		return NF_ACCEPT;
	case FLOWRING_NO_BACKEND_REJECT:
		flr_reject(skb, proto, state);
		fallthrough;
	default:
		return NF_DROP;
	}
}

/* What a service without a ring does */
static unsigned int flr_act(const struct flr_choice *c, struct sk_buff *skb,
			    const struct flr_packet *pkt,
			    const struct nf_hook_state *state)
{
	u8 action = READ_ONCE(c->svc->action);

	/* an error is for who has sent the packet that it quotes */
	if (pkt->quotes)
		return NF_ACCEPT;
	if (action == FLOWRING_ACTION_PASS) {
		flr_stats_count(c->svc->stats, skb->len,
				pkt->seg == FLR_SEG_SYN);
		return NF_ACCEPT;
	}
	flr_drop(c, skb, FLR_DROP_DENIED);
	if (action == FLOWRING_ACTION_REJECT)
		flr_reject(skb, pkt->key.proto, state);
	return NF_DROP;
}

static unsigned int flr_steer_hook(void *priv, struct sk_buff *skb,
				   const struct nf_hook_state *state)
{
	struct flr_net *fn = flr_net(state->net);
	struct flr_choice c;
	struct flr_packet pkt;

	/* a copy that a tap or a bridge made, or not for a host at all */
	if (skb->pkt_type != PACKET_HOST)
		return NF_ACCEPT;
	if (flr_parse(skb, state->pf, &pkt))
		return NF_ACCEPT;
	if (!flr_find(fn, &pkt.key, skb->mark, &c)) {
		if (pkt.quotes)
			flr_pmtu(fn, skb, state->pf);
		return NF_ACCEPT;
	}
	if (!c.ring)
		return flr_act(&c, skb, &pkt, state);
	if (READ_ONCE(c.ring->kind) == FLR_KIND_NAT)
		return NF_ACCEPT;
	flr_pick_flow(fn, &c, &pkt);
	if (!c.backend)
		return flr_no_backend(&c, skb, pkt.key.proto, state);
	switch (c.backend->mode) {
	case FLOWRING_MODE_NAT:
		/* the ring may be changing its kind */
		return NF_ACCEPT;
	case FLOWRING_MODE_MARK:
		return flr_mark(&c, skb, pkt.seg == FLR_SEG_SYN, state);
	default:
		return flr_xmit(&c, skb, pkt.seg == FLR_SEG_SYN, state);
	}
}

static const struct nf_hook_ops flr_steer_ops[] = {
	{
		.hook		= flr_steer_hook,
		.pf		= NFPROTO_IPV4,
		.hooknum	= NF_INET_PRE_ROUTING,
		.priority	= FLR_PRI_STEER,
	},
	{
		.hook		= flr_steer_hook,
		.pf		= NFPROTO_IPV4,
		.hooknum	= NF_INET_LOCAL_OUT,
		.priority	= FLR_PRI_STEER,
	},
	{
		.hook		= flr_steer_hook,
		.pf		= NFPROTO_IPV6,
		.hooknum	= NF_INET_PRE_ROUTING,
		.priority	= FLR_PRI_STEER,
	},
	{
		.hook		= flr_steer_hook,
		.pf		= NFPROTO_IPV6,
		.hooknum	= NF_INET_LOCAL_OUT,
		.priority	= FLR_PRI_STEER,
	},
};

/**
 * flr_steer_start() - register the stateless hooks of a namespace
 * @net: namespace
 *
 * Context: process context, may sleep.
 * Return: 0 or an error.
 */
int flr_steer_start(struct net *net)
{
	return nf_register_net_hooks(net, flr_steer_ops,
				     ARRAY_SIZE(flr_steer_ops));
}

/**
 * flr_steer_stop() - unregister the stateless hooks of a namespace
 * @net: namespace
 *
 * Context: process context, may sleep.
 */
void flr_steer_stop(struct net *net)
{
	nf_unregister_net_hooks(net, flr_steer_ops, ARRAY_SIZE(flr_steer_ops));
}
