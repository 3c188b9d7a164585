// SPDX-License-Identifier: GPL-2.0
/* From a packet to its flow key. */

#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <net/ip.h>
#include <net/ipv6.h>

#include "parse.h"

/* Ports of a transport header, and what it says of its connection */
struct flr_ports {
	__be16 src;
	__be16 dst;
	u8 seg;
};

static u8 flr_parse_segment(const struct sk_buff *skb, int off,
			    const struct tcphdr *tcp)
{
	if (tcp->fin || tcp->rst)
		return FLR_SEG_END;
	if (tcp->syn && !tcp->ack)
		return FLR_SEG_SYN;
	return skb->len > off + tcp->doff * 4 ? FLR_SEG_DATA : FLR_SEG_ACK;
}

/* Read the ports at @off. The whole transport header has to be there. */
static int flr_parse_ports(const struct sk_buff *skb, int off, u8 proto,
			   struct flr_ports *ports)
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
		ports->src = tcp->source;
		ports->dst = tcp->dest;
		ports->seg = flr_parse_segment(skb, off, tcp);
		return 0;
	case IPPROTO_UDP:
		udp = skb_header_pointer(skb, off, sizeof(buf.udp), &buf.udp);
		if (!udp)
			return -EINVAL;
		ports->src = udp->source;
		ports->dst = udp->dest;
		ports->seg = FLR_SEG_NONE;
		return 0;
	default:
		*ports = (struct flr_ports){ .seg = FLR_SEG_NONE };
		return 0;
	}
}

/* Read the ports of a packet that is quoted, of which 8 bytes are sure */
static int flr_parse_quoted_ports(const struct sk_buff *skb, int off, u8 proto,
				  struct flr_ports *ports)
{
	__be16 buf[2];
	const __be16 *p;

	*ports = (struct flr_ports){ .seg = FLR_SEG_NONE };
	if (!flr_proto_has_ports(proto))
		return 0;
	p = skb_header_pointer(skb, off, sizeof(buf), buf);
	if (!p)
		return -EINVAL;
	/* it went the other way */
	ports->src = p[1];
	ports->dst = p[0];
	if (proto == IPPROTO_TCP)
		ports->seg = FLR_SEG_QUOTE;
	return 0;
}

/* The only query that every host answers, and it has no ports */
static bool flr_is_echo(const struct sk_buff *skb, int off, u8 request,
			u8 reply)
{
	const u8 *type;
	u8 buf;

	type = skb_header_pointer(skb, off, sizeof(buf), &buf);
	return type && (*type == request || *type == reply);
}

/* RFC 792: an error quotes the header of the packet, and what follows */
static int flr_parse_icmp4(const struct sk_buff *skb, int off,
			   struct flr_packet *pkt)
{
	const struct icmphdr *icmp;
	struct flr_ports ports;
	const struct iphdr *iph;
	struct icmphdr icmp_buf;
	struct iphdr buf;
	int err;

	icmp = skb_header_pointer(skb, off, sizeof(icmp_buf), &icmp_buf);
	if (!icmp)
		return -EINVAL;
	if (!icmp_is_err(icmp->type) || icmp->type == ICMP_REDIRECT)
		return -EPROTONOSUPPORT;
	off += sizeof(icmp_buf);
	iph = skb_header_pointer(skb, off, sizeof(buf), &buf);
	if (!iph || iph->version != 4 || iph->ihl < 5 ||
	    iph->frag_off & htons(IP_OFFSET))
		return -EINVAL;
	err = flr_parse_quoted_ports(skb, off + iph->ihl * 4, iph->protocol,
				     &ports);
	if (err)
		return err;
	pkt->seg = ports.seg;
	pkt->quotes = true;
	flr_key_set4(&pkt->key, iph->protocol, iph->daddr, ports.src,
		     iph->saddr, ports.dst);
	return 0;
}

static int flr_parse4(const struct sk_buff *skb, struct flr_packet *pkt)
{
	int off = skb_network_offset(skb);
	const struct iphdr *iph;
	struct flr_ports ports;
	struct iphdr buf;
	int err;

	iph = skb_header_pointer(skb, off, sizeof(buf), &buf);
	if (!iph || iph->version != 4 || iph->ihl < 5)
		return -EINVAL;
	if (ip_is_fragment(iph))
		return -EINVAL;
	off += iph->ihl * 4;
	if (iph->protocol == IPPROTO_ICMP &&
	    !flr_is_echo(skb, off, ICMP_ECHO, ICMP_ECHOREPLY))
		return flr_parse_icmp4(skb, off, pkt);
	err = flr_parse_ports(skb, off, iph->protocol, &ports);
	if (err)
		return err;
	pkt->seg = ports.seg;
	pkt->quotes = false;
	flr_key_set4(&pkt->key, iph->protocol, iph->saddr, ports.src,
		     iph->daddr, ports.dst);
	return 0;
}

/* RFC 4443: an error quotes as much of the packet as fits */
static int flr_parse_icmp6(const struct sk_buff *skb, int off,
			   struct flr_packet *pkt)
{
	const struct icmp6hdr *icmp;
	const struct ipv6hdr *ip6h;
	struct icmp6hdr icmp_buf;
	struct flr_ports ports;
	struct ipv6hdr buf;
	__be16 frag;
	u8 proto;
	int err;

	icmp = skb_header_pointer(skb, off, sizeof(icmp_buf), &icmp_buf);
	if (!icmp)
		return -EINVAL;
	if (!icmpv6_is_err(icmp->icmp6_type))
		return -EPROTONOSUPPORT;
	off += sizeof(icmp_buf);
	ip6h = skb_header_pointer(skb, off, sizeof(buf), &buf);
	if (!ip6h || ip6h->version != 6)
		return -EINVAL;
	proto = ip6h->nexthdr;
	off = ipv6_skip_exthdr(skb, off + sizeof(buf), &proto, &frag);
	if (off < 0 || frag & htons(IP6_OFFSET))
		return -EINVAL;
	err = flr_parse_quoted_ports(skb, off, proto, &ports);
	if (err)
		return err;
	pkt->seg = ports.seg;
	pkt->quotes = true;
	flr_key_set6(&pkt->key, proto, &ip6h->daddr, ports.src, &ip6h->saddr,
		     ports.dst);
	return 0;
}

static int flr_parse6(const struct sk_buff *skb, struct flr_packet *pkt)
{
	int off = skb_network_offset(skb);
	const struct ipv6hdr *ip6h;
	struct flr_ports ports;
	struct ipv6hdr buf;
	__be16 frag;
	u8 proto;
	int err;

	ip6h = skb_header_pointer(skb, off, sizeof(buf), &buf);
	if (!ip6h || ip6h->version != 6)
		return -EINVAL;
	proto = ip6h->nexthdr;
	off = ipv6_skip_exthdr(skb, off + sizeof(buf), &proto, &frag);
	if (off < 0 || frag)
		return -EINVAL;
	if (proto == IPPROTO_ICMPV6 &&
	    !flr_is_echo(skb, off, ICMPV6_ECHO_REQUEST, ICMPV6_ECHO_REPLY))
		return flr_parse_icmp6(skb, off, pkt);
	err = flr_parse_ports(skb, off, proto, &ports);
	if (err)
		return err;
	pkt->seg = ports.seg;
	pkt->quotes = false;
	flr_key_set6(&pkt->key, proto, &ip6h->saddr, ports.src, &ip6h->daddr,
		     ports.dst);
	return 0;
}

/**
 * flr_parse() - read the flow key of a packet, or of the one that it quotes
 * @skb: packet, reassembled, its network header set
 * @family: NFPROTO_IPV4 or NFPROTO_IPV6
 * @pkt: what was read
 *
 * Return: 0; -EPROTONOSUPPORT for ICMP other than errors and echos, which is
 * between neighbours; -EINVAL for a fragment or a packet whose headers are cut
 * short.
 */
int flr_parse(const struct sk_buff *skb, u8 family, struct flr_packet *pkt)
{
	if (family == NFPROTO_IPV4)
		return flr_parse4(skb, pkt);
	return flr_parse6(skb, pkt);
}
