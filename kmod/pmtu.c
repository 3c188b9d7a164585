// SPDX-License-Identifier: GPL-2.0
/*
 * What routers on the way of a tunnel say of its MTU. The kernel's tunnel
 * devices hear that by the protocol of the outer packet; flowring has no device
 * and hears it at its hook. The route then knows, and senders of what does not
 * fit any more are told when they send it.
 */

#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/rculist.h>
#include <net/ip.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/route.h>

#include "flowring.h"

/* What an error quotes: the outer header of a packet in a tunnel, perhaps */
struct flr_quote {
	union nf_inet_addr daddr;
	int off;
	u32 mtu;
	u8 proto;
	u8 family;
};

static bool flr_quote4(const struct sk_buff *skb, struct flr_quote *q)
{
	int off = skb_network_offset(skb);
	const struct icmphdr *icmp;
	const struct iphdr *iph;
	struct icmphdr icmp_buf;
	struct iphdr buf;

	iph = skb_header_pointer(skb, off, sizeof(buf), &buf);
	if (!iph || iph->protocol != IPPROTO_ICMP || ip_is_fragment(iph))
		return false;
	off += iph->ihl * 4;
	icmp = skb_header_pointer(skb, off, sizeof(icmp_buf), &icmp_buf);
	if (!icmp || icmp->type != ICMP_DEST_UNREACH ||
	    icmp->code != ICMP_FRAG_NEEDED)
		return false;
	q->mtu = ntohs(icmp->un.frag.mtu);
	q->off = off + sizeof(icmp_buf);
	iph = skb_header_pointer(skb, q->off, sizeof(buf), &buf);
	if (!iph || iph->version != 4 || iph->ihl != 5)
		return false;
	q->proto = iph->protocol;
	q->daddr.ip = iph->daddr;
	return q->mtu;
}

static bool flr_quote6(const struct sk_buff *skb, struct flr_quote *q)
{
	int off = skb_network_offset(skb);
	const struct icmp6hdr *icmp;
	const struct ipv6hdr *ip6h;
	struct icmp6hdr icmp_buf;
	struct ipv6hdr buf;

	ip6h = skb_header_pointer(skb, off, sizeof(buf), &buf);
	if (!ip6h || ip6h->nexthdr != IPPROTO_ICMPV6)
		return false;
	off += sizeof(buf);
	icmp = skb_header_pointer(skb, off, sizeof(icmp_buf), &icmp_buf);
	if (!icmp || icmp->icmp6_type != ICMPV6_PKT_TOOBIG)
		return false;
	q->mtu = ntohl(icmp->icmp6_mtu);
	q->off = off + sizeof(icmp_buf);
	ip6h = skb_header_pointer(skb, q->off, sizeof(buf), &buf);
	if (!ip6h || ip6h->version != 6)
		return false;
	q->proto = ip6h->nexthdr;
	q->daddr.in6 = ip6h->daddr;
	return q->mtu;
}

/* Whether a backend has tunnels of that protocol to that address */
static bool flr_quote_is_ours(struct flr_net *fn, const struct flr_quote *q)
{
	bool udp = q->proto == IPPROTO_UDP;
	struct rhlist_head *list, *pos;
	struct flr_backend *b;

	if (!udp && q->proto != IPPROTO_IPIP && q->proto != IPPROTO_IPV6)
		return false;
	list = rhltable_lookup(&fn->endpoints, &q->daddr, flr_endpoint_params);
	rhl_for_each_entry_rcu(b, pos, list, endpoint) {
		if (b->family == q->family &&
		    b->mode == (udp ? FLOWRING_MODE_GUE : FLOWRING_MODE_IPIP))
			return true;
	}
	return false;
}

/**
 * flr_pmtu() - note the MTU of a tunnel, when a packet tells of one
 * @fn: namespace
 * @skb: packet that is for no service
 * @family: its family
 *
 * Context: under rcu_read_lock(). The packet is as it was on return.
 */
void flr_pmtu(struct flr_net *fn, struct sk_buff *skb, u8 family)
{
	bool is4 = family == NFPROTO_IPV4;
	struct flr_quote q = { .family = family };
	int len = is4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);

	if (!(is4 ? flr_quote4(skb, &q) : flr_quote6(skb, &q)) ||
	    !flr_quote_is_ours(fn, &q) || !pskb_may_pull(skb, q.off + len))
		return;
	/* both read the quoted header where the packet begins */
	__skb_pull(skb, q.off);
	if (is4)
		ipv4_update_pmtu(skb, fn->net, q.mtu, 0, q.proto);
	else
		ip6_update_pmtu(skb, fn->net, htonl(q.mtu), 0, skb->mark,
				INVALID_UID);
	__skb_push(skb, q.off);
}
