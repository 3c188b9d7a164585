// SPDX-License-Identifier: GPL-2.0
/* From a packet to its flow key. */

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <net/ip.h>
#include <net/ipv6.h>

#include "parse.h"

/* Read the ports at @off. The whole transport header has to be there. */
static int flr_parse_ports(const struct sk_buff *skb, int off, u8 proto,
			   __be16 *sport, __be16 *dport, bool *syn)
{
	union {
		struct tcphdr tcp;
		struct udphdr udp;
	} buf;
	const struct tcphdr *tcp;
	const struct udphdr *udp;

	switch (proto) {
	case IPPROTO_TCP:
		tcp = skb_header_pointer(skb, off, sizeof(buf.tcp), &buf.tcp);
		if (!tcp)
			return -EINVAL;
		*sport = tcp->source;
		*dport = tcp->dest;
		*syn = tcp->syn && !tcp->ack && !tcp->rst;
		return 0;
	case IPPROTO_UDP:
		udp = skb_header_pointer(skb, off, sizeof(buf.udp), &buf.udp);
		if (!udp)
			return -EINVAL;
		*sport = udp->source;
		*dport = udp->dest;
		*syn = false;
		return 0;
	default:
		return -EPROTONOSUPPORT;
	}
}

static int flr_parse4(const struct sk_buff *skb, struct flr_packet *pkt)
{
	int off = skb_network_offset(skb);
	const struct iphdr *iph;
	__be16 sport, dport;
	struct iphdr buf;
	int err;

	iph = skb_header_pointer(skb, off, sizeof(buf), &buf);
	if (!iph || iph->version != 4 || iph->ihl < 5)
		return -EINVAL;
	if (ip_is_fragment(iph))
		return -EINVAL;
	err = flr_parse_ports(skb, off + iph->ihl * 4, iph->protocol, &sport,
			      &dport, &pkt->syn);
	if (err)
		return err;
	flr_key_set4(&pkt->key, iph->protocol, iph->saddr, sport, iph->daddr,
		     dport);
	return 0;
}

static int flr_parse6(const struct sk_buff *skb, struct flr_packet *pkt)
{
	int off = skb_network_offset(skb);
	const struct ipv6hdr *ip6h;
	__be16 sport, dport, frag;
	struct ipv6hdr buf;
	u8 proto;
	int err;

	ip6h = skb_header_pointer(skb, off, sizeof(buf), &buf);
	if (!ip6h || ip6h->version != 6)
		return -EINVAL;
	proto = ip6h->nexthdr;
	off = ipv6_skip_exthdr(skb, off + sizeof(buf), &proto, &frag);
	if (off < 0 || frag)
		return -EINVAL;
	err = flr_parse_ports(skb, off, proto, &sport, &dport, &pkt->syn);
	if (err)
		return err;
	flr_key_set6(&pkt->key, proto, &ip6h->saddr, sport, &ip6h->daddr,
		     dport);
	return 0;
}

/**
 * flr_parse() - read the flow key of a packet
 * @skb: packet, reassembled, its network header set
 * @family: NFPROTO_IPV4 or NFPROTO_IPV6
 * @pkt: what was read
 *
 * Return: 0; -EPROTONOSUPPORT for a protocol without ports, or one that is not
 * served; -EINVAL for a fragment or a packet whose headers are cut short.
 */
int flr_parse(const struct sk_buff *skb, u8 family, struct flr_packet *pkt)
{
	if (family == NFPROTO_IPV4)
		return flr_parse4(skb, pkt);
	return flr_parse6(skb, pkt);
}
