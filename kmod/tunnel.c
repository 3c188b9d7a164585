// SPDX-License-Identifier: GPL-2.0
/*
 * Tunnels to backends: IP in IP (RFC 2003, RFC 2473, RFC 4213), and the same in
 * UDP by generic UDP encapsulation (draft-ietf-intarea-gue, variant 0), which
 * the kernel's own ipip, sit, ip6tnl and fou devices decapsulate.
 *
 * The outer header is built here, and not by iptunnel_xmit(), so that conntrack
 * never sees the outer packet either.
 */

#include <net/gue.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ip_tunnels.h>
#include <net/ipv6.h>
#include <net/udp.h>

#include "flowring.h"

/* Source ports of gue, the dynamic ones of RFC 6335 */
#define FLR_GUE_SPORT_MIN	0xc000
#define FLR_GUE_SPORT_MASK	0x3fff

/**
 * flr_tunnel_overhead() - bytes that the tunnel to a backend adds to a packet
 * @b: backend
 *
 * Return: the bytes, 0 for a mode without a tunnel.
 */
u32 flr_tunnel_overhead(const struct flr_backend *b)
{
	u32 len;

	if (!flr_backend_is_tunnel(b))
		return 0;
	len = b->family == NFPROTO_IPV4 ? sizeof(struct iphdr) :
					  sizeof(struct ipv6hdr);
	if (b->mode == FLOWRING_MODE_GUE)
		len += sizeof(struct udphdr) + sizeof(struct guehdr);
	return len;
}

static bool flr_skb_fits(const struct sk_buff *skb, u32 mtu)
{
	return skb_is_gso(skb) ? skb_gso_validate_network_len(skb, mtu) :
				 skb->len <= mtu;
}

/**
 * flr_tunnel_fits() - see whether a packet fits its route with a tunnel
 * @b: backend
 * @skb: packet
 * @r: route
 * @family: family of the packet
 * @mtu: what would fit, when it does not
 *
 * A packet that may be fragmented fits; so does one of IPv6 up to its least
 * MTU, below which the tunnel has to fragment (RFC 2473, section 7.1).
 *
 * Return: whether it fits.
 */
bool flr_tunnel_fits(const struct flr_backend *b, const struct sk_buff *skb,
		     const struct flr_route *r, u8 family, u32 *mtu)
{
	*mtu = dst_mtu(r->dst) - flr_tunnel_overhead(b);
	if (family == NFPROTO_IPV4)
		return !(ip_hdr(skb)->frag_off & htons(IP_DF)) ||
		       flr_skb_fits(skb, *mtu);
	*mtu = max_t(u32, *mtu, IPV6_MIN_MTU);
	return flr_skb_fits(skb, *mtu);
}

static void flr_gue_push(const struct flr_choice *c, struct sk_buff *skb,
			 const struct flr_route *r, u8 proto)
{
	const struct flr_backend *b = c->backend;
	struct guehdr *gue;
	struct udphdr *uh;

	gue = skb_push(skb, sizeof(*gue));
	*gue = (struct guehdr){ .proto_ctype = proto };
	uh = skb_push(skb, sizeof(*uh));
	skb_reset_transport_header(skb);
	/* one path for a flow, and many for many (RFC 7510, section 4) */
	uh->source = htons(FLR_GUE_SPORT_MIN | (c->hash & FLR_GUE_SPORT_MASK));
	uh->dest = b->port;
	uh->len = htons(skb->len);
	if (b->family == NFPROTO_IPV4)
		udp_set_csum(!b->checksum, skb, r->saddr.ip, b->addr.ip,
			     skb->len);
	else
		udp6_set_csum(!b->checksum, skb, &r->saddr.in6, &b->addr.in6,
			      skb->len);
}

static void flr_tunnel_push4(const struct flr_choice *c, struct sk_buff *skb,
			     const struct flr_route *r, u8 proto, u8 ds,
			     __be16 df)
{
	struct iphdr *iph = skb_push(skb, sizeof(*iph));

	skb_reset_network_header(skb);
	memset(IPCB(skb), 0, sizeof(*IPCB(skb)));
	*iph = (struct iphdr){
		.version = 4,
		.ihl = sizeof(*iph) / 4,
		.tos = ds,
		.frag_off = df,
		.ttl = ip4_dst_hoplimit(r->dst),
		.protocol = proto,
		.saddr = r->saddr.ip,
		.daddr = c->backend->addr.ip,
	};
	__ip_select_ident(dev_net(r->dst->dev), iph,
			  skb_shinfo(skb)->gso_segs ?: 1);
	iph_set_totlen(iph, skb->len);
	ip_send_check(iph);
	skb->protocol = htons(ETH_P_IP);
}

static void flr_tunnel_push6(const struct flr_choice *c, struct sk_buff *skb,
			     const struct flr_route *r, u8 proto, u8 ds)
{
	u32 len = skb->len;
	struct ipv6hdr *ip6h = skb_push(skb, sizeof(*ip6h));

	skb_reset_network_header(skb);
	memset(IP6CB(skb), 0, sizeof(*IP6CB(skb)));
	/* RFC 6438: the flow shows in the label */
	ip6_flow_hdr(ip6h, ds, htonl(c->hash) & IPV6_FLOWLABEL_MASK);
	ip6h->payload_len = len <= IPV6_MAXPLEN ? htons(len) : 0;
	ip6h->nexthdr = proto;
	ip6h->hop_limit = ip6_dst_hoplimit(r->dst);
	ip6h->saddr = r->saddr.in6;
	ip6h->daddr = c->backend->addr.in6;
	skb->protocol = htons(ETH_P_IPV6);
}

/**
 * flr_tunnel_build() - put a packet into the tunnel to its backend
 * @c: backend
 * @skb: packet that fits, with room for the headers
 * @r: route
 * @family: family of the packet
 *
 * DSCP is copied; so is ECN, but for CE, as all tunnels of the kernel do it
 * (RFC 3168, section 9.1). DF is copied. Of IPv6 it is set unless the packet
 * has to be fragmented. The hop limit is that of a packet which begins here.
 *
 * Return: 0 or -ENOMEM.
 */
int flr_tunnel_build(const struct flr_choice *c, struct sk_buff *skb,
		     const struct flr_route *r, u8 family)
{
	const struct flr_backend *b = c->backend;
	u8 proto, ds, outer = b->family == NFPROTO_IPV4;
	u32 mtu = dst_mtu(r->dst) - flr_tunnel_overhead(b);
	bool fits = flr_skb_fits(skb, mtu);
	__be16 df = htons(IP_DF);
	int gso;

	if (family == NFPROTO_IPV4) {
		df &= ip_hdr(skb)->frag_off;
		ds = ip_hdr(skb)->tos;
		proto = IPPROTO_IPIP;
	} else {
		df = fits ? df : 0;
		ds = ipv6_get_dsfield(ipv6_hdr(skb));
		proto = IPPROTO_IPV6;
	}
	ds = INET_ECN_encapsulate(ds, ds);
	gso = outer ? SKB_GSO_IPXIP4 : SKB_GSO_IPXIP6;
	if (b->mode == FLOWRING_MODE_GUE)
		gso |= b->checksum ? SKB_GSO_UDP_TUNNEL_CSUM :
				     SKB_GSO_UDP_TUNNEL;
	if (iptunnel_handle_offloads(skb, gso))
		return -ENOMEM;
	skb_set_inner_ipproto(skb, proto);
	skb_set_inner_mac_header(skb, skb_inner_network_offset(skb));
	skb->transport_header = skb->network_header;
	skb->ignore_df = !fits;
	if (b->mode == FLOWRING_MODE_GUE) {
		flr_gue_push(c, skb, r, proto);
		proto = IPPROTO_UDP;
	}
	if (outer)
		flr_tunnel_push4(c, skb, r, proto, ds, df);
	else
		flr_tunnel_push6(c, skb, r, proto, ds);
	return 0;
}
