// SPDX-License-Identifier: GPL-2.0
/*
 * What happens to a packet that a stateless mode steers. In dr it is sent to
 * the backend's link layer address, its destination address stays; with a
 * tunnel, in another packet to the backend's address; with mark, it goes on its
 * own way.
 */

#include <linux/icmpv6.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/skbuff.h>
#include <net/dst_metadata.h>
#include <net/icmp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>
#include <net/netfilter/nf_conntrack.h>

#include "flowring.h"

/*
 * ICMP needs a route of the packet's own family, which that of a tunnel may not
 * be, and at pre-routing there is none yet. nf_reject takes the sender's, too.
 */
static bool flr_sender_route(struct net *net, struct sk_buff *skb)
{
	struct flowi fl = { .u.ip4.daddr = ip_hdr(skb)->saddr };
	struct dst_entry *dst;

	if (skb_valid_dst(skb))
		return true;
	if (skb->dev)
		fl.u.ip4.flowi4_l3mdev = l3mdev_master_ifindex(skb->dev);
	if (nf_ip_route(net, &dst, &fl, false))
		return false;
	skb_dst_drop(skb);
	skb_dst_set(skb, dst);
	return true;
}

static void flr_tell4(struct net *net, struct sk_buff *skb, int type, int code,
		      u32 info)
{
	if (flr_sender_route(net, skb))
		icmp_send(skb, type, code, htonl(info));
}

static void flr_tell6(struct net *net, struct sk_buff *skb, int type, int code,
		      u32 info)
{
	/* the gateway's own packets have no device yet */
	if (!skb->dev)
		skb->dev = net->loopback_dev;
	icmpv6_send(skb, type, code, info);
}

static void flr_tell_too_big(struct net *net, struct sk_buff *skb, u8 family,
			     u32 mtu)
{
	if (family == NFPROTO_IPV4)
		flr_tell4(net, skb, ICMP_DEST_UNREACH, ICMP_FRAG_NEEDED, mtu);
	else
		flr_tell6(net, skb, ICMPV6_PKT_TOOBIG, 0, mtu);
}

/* Decrement the TTL as a router does, or tell the sender that it ran out */
static bool flr_forward4(struct net *net, struct sk_buff *skb)
{
	struct iphdr *iph = ip_hdr(skb);

	if (iph->ttl <= 1) {
		flr_tell4(net, skb, ICMP_TIME_EXCEEDED, ICMP_EXC_TTL, 0);
		return false;
	}
	ip_decrease_ttl(iph);
	IPCB(skb)->flags |= IPSKB_FORWARDED;
	return true;
}

static bool flr_forward6(struct net *net, struct sk_buff *skb)
{
	struct ipv6hdr *ip6h = ipv6_hdr(skb);

	if (ip6h->hop_limit <= 1) {
		flr_tell6(net, skb, ICMPV6_TIME_EXCEED, ICMPV6_EXC_HOPLIMIT, 0);
		return false;
	}
	ip6h->hop_limit--;
	IP6CB(skb)->flags |= IP6SKB_FORWARDED;
	return true;
}

static bool flr_forward(struct net *net, struct sk_buff *skb, u8 family)
{
	skb_forward_csum(skb);
	skb_clear_tstamp(skb);
	return family == NFPROTO_IPV4 ? flr_forward4(net, skb) :
					flr_forward6(net, skb);
}

/* Ready a packet to go by a route, which is its own thereafter */
static enum flr_drop flr_prepare(const struct flr_choice *c,
				 struct sk_buff *skb,
				 const struct flr_route *r,
				 const struct nf_hook_state *state)
{
	const struct flr_backend *b = c->backend;
	struct net *net = state->net;
	u32 mtu;

	/* headers go in front, the TTL gets written */
	if (skb_cow(skb, LL_RESERVED_SPACE(r->dst->dev) + r->dst->header_len +
		    flr_tunnel_overhead(b)))
		return FLR_DROP_NO_MEMORY;
	if (flr_backend_is_tunnel(b) &&
	    !flr_tunnel_fits(b, skb, r, state->pf, &mtu)) {
		flr_tell_too_big(net, skb, state->pf, mtu);
		return FLR_DROP_TOO_BIG;
	}
	if (state->hook == NF_INET_PRE_ROUTING) {
		if (!flr_forward(net, skb, state->pf))
			return FLR_DROP_TTL_EXPIRED;
		skb_orphan(skb);
	}
	if (flr_backend_is_tunnel(b) && flr_tunnel_build(c, skb, r, state->pf))
		return FLR_DROP_NO_MEMORY;
	return FLR_DROPS;
}

static enum flr_drop flr_send(const struct flr_choice *c, struct sk_buff *skb,
			      bool flow, const struct nf_hook_state *state)
{
	struct flr_route r = flr_route_get(state->net, c->backend);
	u32 len = skb->len;
	enum flr_drop drop;

	if (!r.dst)
		return r.reason;
	drop = flr_prepare(c, skb, &r, state);
	if (drop != FLR_DROPS) {
		dst_release(r.dst);
		return drop;
	}
	skb_dst_drop(skb);
	skb_dst_set(skb, r.dst);
	/* conntrack never sees it */
	nf_reset_ct(skb);
	nf_ct_set(skb, NULL, IP_CT_UNTRACKED);
	flr_count(c, skb, len, flow);
	dst_output(state->net, state->sk, skb);
	return FLR_DROPS;
}

/**
 * flr_xmit() - send a packet to its backend, by direct routing or in a tunnel
 * @c: backend
 * @skb: packet
 * @flow: it begins a flow
 * @state: hook
 *
 * dst_output() does what remains: fragments or a "too big" for what does not
 * fit, segmentation, the neighbour.
 *
 * Context: under rcu_read_lock().
 * Return: verdict of the hook.
 */
unsigned int flr_xmit(const struct flr_choice *c, struct sk_buff *skb,
		      bool flow, const struct nf_hook_state *state)
{
	enum flr_drop reason;

	/* LOCAL_OUT has them on, and the route cache is per CPU */
	local_bh_disable();
	reason = flr_send(c, skb, flow, state);
	local_bh_enable();
	if (reason == FLR_DROPS)
		return NF_STOLEN;
	flr_drop(c, skb, reason);
	return NF_DROP;
}

/**
 * flr_mark() - give a packet the firewall mark of its backend
 * @c: backend
 * @skb: packet
 * @flow: it begins a flow
 * @state: hook
 *
 * Context: under rcu_read_lock().
 * Return: verdict of the hook: it goes on, conntrack included.
 */
unsigned int flr_mark(const struct flr_choice *c, struct sk_buff *skb,
		      bool flow, const struct nf_hook_state *state)
{
	bool same = skb->mark == c->backend->mark;
	int err;

	skb->mark = c->backend->mark;
	flr_count(c, skb, skb->len, flow);
	/* the gateway's own packets have a route already */
	if (same || state->hook != NF_INET_LOCAL_OUT)
		return NF_ACCEPT;
	err = state->pf == NFPROTO_IPV4 ?
	      ip_route_me_harder(state->net, state->sk, skb, RTN_UNSPEC) :
	      ip6_route_me_harder(state->net, state->sk, skb);
	return err < 0 ? NF_DROP_ERR(err) : NF_ACCEPT;
}
