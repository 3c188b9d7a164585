// SPDX-License-Identifier: GPL-2.0
/*
 * What happens to a packet that a stateless mode steers. In dr it is sent to
 * the backend's link layer address, its destination address stays.
 */

#include <linux/icmpv6.h>
#include <linux/skbuff.h>
#include <net/addrconf.h>
#include <net/dst.h>
#include <net/icmp.h>
#include <net/ip.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/netfilter/nf_conntrack.h>
#include <net/route.h>

#include "flowring.h"

/* A route that is not to be had, with the reason */
struct flr_route {
	struct dst_entry *dst;
	enum flr_drop reason;
};

/*
 * FLOWI_FLAG_KNOWN_NH: the next hop is the address that is looked up, not the
 * one in the packet. It shows in the route when the address is on-link.
 */
static void flr_route4(struct net *net, const struct flr_backend *b,
		       struct flr_route *r)
{
	struct flowi4 fl4 = {
		.daddr = b->addr.ip,
		.flowi4_flags = FLOWI_FLAG_KNOWN_NH,
	};
	struct rtable *rt;

	rt = ip_route_output_key(net, &fl4);
	if (IS_ERR(rt)) {
		r->reason = FLR_DROP_NO_ROUTE;
		return;
	}
	if (rt->rt_type == RTN_UNICAST && rt->rt_gw_family == AF_INET &&
	    rt->rt_gw4 == b->addr.ip) {
		r->dst = &rt->dst;
		return;
	}
	r->reason = FLR_DROP_NOT_ON_LINK;
	ip_rt_put(rt);
}

static void flr_route6(struct net *net, const struct flr_backend *b,
		       struct flr_route *r)
{
	struct flowi6 fl6 = {
		.daddr = b->addr.in6,
		.flowi6_flags = FLOWI_FLAG_KNOWN_NH,
	};
	struct dst_entry *dst;

	dst = ip6_route_output(net, NULL, &fl6);
	if (dst->error) {
		r->reason = FLR_DROP_NO_ROUTE;
		dst_release(dst);
		return;
	}
	if (!(dst_rt6_info(dst)->rt6i_flags & (RTF_GATEWAY | RTF_LOCAL |
					       RTF_ANYCAST))) {
		r->dst = dst;
		return;
	}
	r->reason = FLR_DROP_NOT_ON_LINK;
	dst_release(dst);
}

static struct flr_route flr_route(struct net *net, const struct flr_backend *b)
{
	struct flr_route r = {};

	if (b->family == NFPROTO_IPV4)
		flr_route4(net, b, &r);
	else
		flr_route6(net, b, &r);
	return r;
}

/**
 * flr_dr_check() - see whether a backend can be reached by direct routing
 * @fn: namespace
 * @b: backend
 * @ack: for the reason of a refusal, or a warning
 *
 * No route at all is only worth a warning: interfaces may come up later.
 *
 * Context: process context.
 * Return: 0, or -EHOSTUNREACH when the backend is not on-link.
 */
int flr_dr_check(struct flr_net *fn, const struct flr_backend *b,
		 struct netlink_ext_ack *ack)
{
	struct flr_route r = flr_route(fn->net, b);

	if (r.dst) {
		dst_release(r.dst);
		return 0;
	}
	if (r.reason == FLR_DROP_NO_ROUTE) {
		NL_SET_ERR_MSG_FMT(ack, "backend %s has no route at present",
				   b->name);
		return 0;
	}
	NL_SET_ERR_MSG_FMT(ack, "backend %s is not on-link: dr cannot reach it",
			   b->name);
	return -EHOSTUNREACH;
}

/* Take the route from the cache or make it. Bottom halves are off. */
static struct flr_route flr_dr_route(struct net *net, struct flr_backend *b)
{
	bool uncached = READ_ONCE(flr_net(net)->uncached);
	struct flr_route r = {};

	if (!uncached)
		r.dst = dst_cache_get(&b->dst_cache);
	if (r.dst)
		return r;
	r = flr_route(net, b);
	if (!r.dst || uncached)
		return r;
	if (b->family == NFPROTO_IPV4)
		dst_cache_set_ip4(&b->dst_cache, r.dst, 0);
	else
		dst_cache_set_ip6(&b->dst_cache, r.dst, &in6addr_any);
	return r;
}

/**
 * flr_dr_forget() - empty the route caches of all dr backends
 * @fn: namespace
 *
 * A cached route holds its device, an IPv6 one even when the device goes. A
 * cache belongs to its CPU, so packets have to leave them alone meanwhile.
 *
 * Context: process context, may sleep; takes flr_net.lock, under RTNL too.
 */
void flr_dr_forget(struct flr_net *fn)
{
	unsigned long ring_id, id;
	struct flr_backend *b;
	struct flr_ring *ring;

	mutex_lock(&fn->lock);
	xa_for_each(&fn->rings, ring_id, ring) {
		if (ring->mode != FLOWRING_MODE_DR)
			continue;
		if (!fn->uncached) {
			WRITE_ONCE(fn->uncached, true);
			synchronize_net();
		}
		xa_for_each(&ring->backends, id, b)
			dst_cache_reset_now(&b->dst_cache);
	}
	WRITE_ONCE(fn->uncached, false);
	mutex_unlock(&fn->lock);
}

/* Decrement the TTL as a router does, or tell the sender that it ran out */
static bool flr_forward4(struct sk_buff *skb)
{
	struct iphdr *iph = ip_hdr(skb);

	if (iph->ttl <= 1) {
		icmp_send(skb, ICMP_TIME_EXCEEDED, ICMP_EXC_TTL, 0);
		return false;
	}
	ip_decrease_ttl(iph);
	IPCB(skb)->flags |= IPSKB_FORWARDED;
	return true;
}

static bool flr_forward6(struct sk_buff *skb)
{
	struct ipv6hdr *ip6h = ipv6_hdr(skb);

	if (ip6h->hop_limit <= 1) {
		icmpv6_send(skb, ICMPV6_TIME_EXCEED, ICMPV6_EXC_HOPLIMIT, 0);
		return false;
	}
	ip6h->hop_limit--;
	IP6CB(skb)->flags |= IP6SKB_FORWARDED;
	return true;
}

static bool flr_forward(struct sk_buff *skb, u8 family)
{
	skb_forward_csum(skb);
	skb_clear_tstamp(skb);
	return family == NFPROTO_IPV4 ? flr_forward4(skb) : flr_forward6(skb);
}

static enum flr_drop flr_dr_send(const struct flr_choice *c,
				 struct sk_buff *skb, bool flow,
				 const struct nf_hook_state *state)
{
	struct flr_route r = flr_dr_route(state->net, c->backend);

	if (!r.dst)
		return r.reason;
	/* the link layer header goes in front, the TTL gets written */
	if (skb_cow(skb, LL_RESERVED_SPACE(r.dst->dev))) {
		dst_release(r.dst);
		return FLR_DROP_NO_MEMORY;
	}
	skb_dst_drop(skb);
	skb_dst_set(skb, r.dst);
	if (state->hook == NF_INET_PRE_ROUTING) {
		if (!flr_forward(skb, state->pf))
			return FLR_DROP_TTL_EXPIRED;
		skb_orphan(skb);
	}
	/* conntrack never sees it */
	nf_reset_ct(skb);
	nf_ct_set(skb, NULL, IP_CT_UNTRACKED);
	flr_count(c, skb, flow);
	dst_output(state->net, state->sk, skb);
	return FLR_DROPS;
}

/**
 * flr_dr_xmit() - send a packet to its backend by direct routing
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
unsigned int flr_dr_xmit(const struct flr_choice *c, struct sk_buff *skb,
			 bool flow, const struct nf_hook_state *state)
{
	enum flr_drop reason;

	/* LOCAL_OUT has them on, and the route cache is per CPU */
	local_bh_disable();
	reason = flr_dr_send(c, skb, flow, state);
	local_bh_enable();
	if (reason == FLR_DROPS)
		return NF_STOLEN;
	flr_drop(c, skb, reason);
	return NF_DROP;
}
