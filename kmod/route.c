// SPDX-License-Identifier: GPL-2.0
/*
 * Routes to the backends that packets are sent to: found, checked when a
 * backend is made, and cached.
 */

#include <net/dst.h>
#include <net/ip6_route.h>
#include <net/route.h>

#include "flowring.h"

/*
 * FLOWI_FLAG_KNOWN_NH: the next hop is the address that is looked up, not the
 * one in the packet. It shows in the route when the address is on-link.
 */
static void flr_route4(struct net *net, const struct flr_backend *b,
		       struct flr_route *r)
{
	bool tunnel = flr_backend_is_tunnel(b);
	struct flowi4 fl4 = {
		.daddr = b->addr.ip,
		.flowi4_flags = tunnel ? 0 : FLOWI_FLAG_KNOWN_NH,
	};
	struct rtable *rt;

	rt = ip_route_output_key(net, &fl4);
	if (IS_ERR(rt)) {
		r->reason = FLR_DROP_NO_ROUTE;
		return;
	}
	if (rt->rt_type == RTN_UNICAST &&
	    (tunnel || (rt->rt_gw_family == AF_INET &&
			rt->rt_gw4 == b->addr.ip))) {
		r->dst = &rt->dst;
		r->saddr.ip = fl4.saddr;
		return;
	}
	r->reason = FLR_DROP_NOT_ON_LINK;
	ip_rt_put(rt);
}

/* The source address of a tunnel */
static bool flr_route6_source(struct net *net, const struct flr_backend *b,
			      struct flr_route *r, struct dst_entry *dst)
{
	return !ipv6_dev_get_saddr(net, dst->dev, &b->addr.in6, 0,
				   &r->saddr.in6);
}

static void flr_route6(struct net *net, const struct flr_backend *b,
		       struct flr_route *r)
{
	bool tunnel = flr_backend_is_tunnel(b);
	struct flowi6 fl6 = {
		.daddr = b->addr.in6,
		.flowi6_flags = tunnel ? 0 : FLOWI_FLAG_KNOWN_NH,
	};
	struct dst_entry *dst;
	u32 bad;

	dst = ip6_route_output(net, NULL, &fl6);
	r->reason = FLR_DROP_NO_ROUTE;
	if (dst->error)
		goto out;
	bad = RTF_LOCAL | RTF_ANYCAST | (tunnel ? 0 : RTF_GATEWAY);
	if (dst_rt6_info(dst)->rt6i_flags & bad) {
		r->reason = FLR_DROP_NOT_ON_LINK;
		goto out;
	}
	if (tunnel && !flr_route6_source(net, b, r, dst))
		goto out;
	r->dst = dst;
	return;
out:
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
 * flr_route_get() - find the way to a backend
 * @net: namespace
 * @b: backend that packets are sent to
 *
 * Context: under rcu_read_lock(), bottom halves off, as the cache is per CPU.
 * Return: the route, whose reference is the caller's, or the reason why there
 * is none.
 */
struct flr_route flr_route_get(struct net *net, struct flr_backend *b)
{
	bool uncached = READ_ONCE(flr_net(net)->uncached);
	bool is4 = b->family == NFPROTO_IPV4;
	struct flr_route r = {};
	struct rtable *rt;

	if (!uncached && is4) {
		rt = dst_cache_get_ip4(&b->dst_cache, &r.saddr.ip);
		r.dst = rt ? &rt->dst : NULL;
	} else if (!uncached) {
		r.dst = dst_cache_get_ip6(&b->dst_cache, &r.saddr.in6);
	}
	if (r.dst)
		return r;
	r = flr_route(net, b);
	if (!r.dst || uncached)
		return r;
	if (is4)
		dst_cache_set_ip4(&b->dst_cache, r.dst, r.saddr.ip);
	else
		dst_cache_set_ip6(&b->dst_cache, r.dst, &r.saddr.in6);
	return r;
}

/**
 * flr_route_check() - see whether a backend can be reached
 * @fn: namespace
 * @b: backend
 * @ack: for the reason of a refusal, or a warning
 *
 * No route at all is only worth a warning: interfaces may come up later.
 *
 * Context: process context.
 * Return: 0, or -EHOSTUNREACH when the route is none that the mode can use.
 */
int flr_route_check(struct flr_net *fn, const struct flr_backend *b,
		    struct netlink_ext_ack *ack)
{
	struct flr_route r;

	if (b->mode == FLOWRING_MODE_NAT || b->mode == FLOWRING_MODE_MARK)
		return 0;
	r = flr_route(fn->net, b);
	if (r.dst) {
		dst_release(r.dst);
		return 0;
	}
	if (r.reason == FLR_DROP_NO_ROUTE) {
		NL_SET_ERR_MSG_FMT(ack, "backend %s has no route at present",
				   b->name);
		return 0;
	}
	if (flr_backend_is_tunnel(b))
		NL_SET_ERR_MSG_FMT(ack, "backend %s: a tunnel cannot lead there",
				   b->name);
	else
		NL_SET_ERR_MSG_FMT(ack,
				   "backend %s is not on-link: dr cannot reach it",
				   b->name);
	return -EHOSTUNREACH;
}

/**
 * flr_routes_forget() - empty the route caches of all backends
 * @fn: namespace
 *
 * A cached route holds its device, an IPv6 one even when the device goes. A
 * cache belongs to its CPU, so packets have to leave them alone meanwhile.
 *
 * Context: process context, may sleep; takes flr_net.lock, under RTNL too.
 */
void flr_routes_forget(struct flr_net *fn)
{
	unsigned long ring_id, id;
	struct flr_backend *b;
	struct flr_ring *ring;

	mutex_lock(&fn->lock);
	xa_for_each(&fn->rings, ring_id, ring) {
		if (ring->kind != FLR_KIND_STATELESS)
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
