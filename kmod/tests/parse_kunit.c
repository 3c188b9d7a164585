// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the reading of packets, crafted byte by byte from the RFCs.
 * Suite: flowring_parse.
 */

#include <kunit/test.h>
#include <linux/module.h>

#include "../key.c"
#include "../parse.c"

#define LINK_LEN	14

/* RFC 791 header of 24 bytes (one word of options), RFC 9293 SYN */
static const u8 tcp4[] = {
	0x46, 0x00, 0x00, 0x2c, 0x12, 0x34, 0x40, 0x00,
	0x40, 0x06, 0x00, 0x00, 198, 51, 100, 7,
	192, 0, 2, 10, 0x01, 0x01, 0x01, 0x00,
	0x9c, 0x40, 0x00, 0x50, 0, 0, 0, 1,
	0, 0, 0, 0, 0x50, 0x02, 0xff, 0xff, 0, 0, 0, 0,
};

#define TCP4_FLAGS	(24 + 13)

/* RFC 768, no options */
static const u8 udp4[] = {
	0x45, 0x00, 0x00, 0x1c, 0x12, 0x34, 0x00, 0x00,
	0x40, 0x11, 0x00, 0x00, 198, 51, 100, 7,
	192, 0, 2, 10,
	0x9c, 0x40, 0x00, 0x35, 0x00, 0x08, 0x00, 0x00,
};

/*
 * RFC 8200: hop-by-hop options, destination options of 16 bytes, an atomic
 * fragment (RFC 6946), UDP
 */
static const u8 udp6[] = {
	0x60, 0x00, 0x00, 0x00, 0x00, 0x28, 0x00, 0x40,
	0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x07,
	0x20, 0x01, 0x0d, 0xb8, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
	0x3c, 0x00, 0x01, 0x04, 0, 0, 0, 0,
	0x2c, 0x01, 0x01, 0x0c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0x11, 0x00, 0x00, 0x00, 0, 0, 0, 1,
	0x9c, 0x40, 0x00, 0x35, 0x00, 0x08, 0x00, 0x00,
};

#define UDP6_FRAG	(40 + 8 + 16)

/* A packet behind a link layer header; the part from @split on in a page */
static struct sk_buff *parse_skb(struct kunit *test, const void *data,
				 size_t len, size_t split)
{
	struct sk_buff *skb = alloc_skb(LINK_LEN + split, GFP_KERNEL);
	struct page *page;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_reserve(skb, LINK_LEN);
	skb_reset_network_header(skb);
	skb_put_data(skb, data, split);
	if (split == len)
		return skb;
	page = alloc_page(GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, page);
	memcpy(page_address(page), data + split, len - split);
	skb_add_rx_frag(skb, 0, page, 0, len - split, PAGE_SIZE);
	return skb;
}

static int parse(struct kunit *test, u8 family, const void *data, size_t len,
		 size_t split, struct flr_packet *pkt)
{
	struct sk_buff *skb = parse_skb(test, data, len, split);
	int err;

	memset(pkt, 0xa5, sizeof(*pkt));
	err = flr_parse(skb, family, pkt);
	kfree_skb(skb);
	return err;
}

static void parse_expect4(struct kunit *test, const struct flr_packet *pkt,
			  u8 proto, u16 dport)
{
	KUNIT_EXPECT_EQ(test, pkt->key.family, 4);
	KUNIT_EXPECT_EQ(test, pkt->key.proto, proto);
	KUNIT_EXPECT_EQ(test, ntohl(pkt->key.v4.saddr), 0xc6336407);
	KUNIT_EXPECT_EQ(test, ntohl(pkt->key.v4.daddr), 0xc000020a);
	KUNIT_EXPECT_EQ(test, ntohs(pkt->key.sport), 40000);
	KUNIT_EXPECT_EQ(test, ntohs(pkt->key.dport), dport);
}

/*
 * RFC 792: "fragmentation needed" from 203.0.113.9 to the service 192.0.2.10,
 * about a segment from its port 80 to 198.51.100.7 port 40000, of which only 8
 * bytes are quoted.
 */
static const u8 icmp4[] = {
	0x45, 0x00, 0x00, 0x38, 0x00, 0x01, 0x00, 0x00,
	0x40, 0x01, 0x00, 0x00, 203, 0, 113, 9,
	192, 0, 2, 10,
	0x03, 0x04, 0x00, 0x00, 0x00, 0x00, 0x05, 0x00,
	0x45, 0x00, 0x05, 0xdc, 0x12, 0x34, 0x40, 0x00,
	0x40, 0x06, 0x00, 0x00, 192, 0, 2, 10,
	198, 51, 100, 7,
	0x00, 0x50, 0x9c, 0x40, 0, 0, 0, 1,
};

#define ICMP4_TYPE	20
#define ICMP4_FRAG	(28 + 7)
#define ICMP4_PROTO	(28 + 9)

/* RFC 4443: "packet too big", likewise, with a UDP datagram */
static const u8 icmp6[] = {
	0x60, 0x00, 0x00, 0x00, 0x00, 0x38, 0x3a, 0x40,
	0x20, 0x01, 0x0d, 0xb8, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x09,
	0x20, 0x01, 0x0d, 0xb8, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
	0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x00,
	0x60, 0x00, 0x00, 0x00, 0x05, 0xb4, 0x11, 0x40,
	0x20, 0x01, 0x0d, 0xb8, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
	0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x07,
	0x00, 0x35, 0x9c, 0x40, 0x05, 0xb4, 0x00, 0x00,
};

#define ICMP6_TYPE	40

/* All ways to split the packet between the linear part and a page */
static void parse_tcp4_split(struct kunit *test)
{
	struct flr_packet pkt;
	size_t split;

	for (split = 0; split <= sizeof(tcp4); split++) {
		KUNIT_ASSERT_EQ(test, 0, parse(test, NFPROTO_IPV4, tcp4,
					       sizeof(tcp4), split, &pkt));
		parse_expect4(test, &pkt, 6, 80);
		KUNIT_EXPECT_EQ(test, pkt.seg, FLR_SEG_SYN);
		KUNIT_EXPECT_FALSE(test, pkt.quotes);
	}
}

static void parse_tcp4_flags(struct kunit *test)
{
	u8 data[sizeof(tcp4)];
	struct flr_packet pkt;
	int flags;

	memcpy(data, tcp4, sizeof(data));
	for (flags = 0; flags < 0x40; flags++) {
		/* FIN 1, SYN 2, RST 4, PSH 8, ACK 16, URG 32 */
		u8 seg = flags & 0x05 ? FLR_SEG_END :
			 (flags & 0x12) == 0x02 ? FLR_SEG_SYN : FLR_SEG_ACK;

		data[TCP4_FLAGS] = flags;
		KUNIT_ASSERT_EQ(test, 0, parse(test, NFPROTO_IPV4, data,
					       sizeof(data), 20, &pkt));
		KUNIT_EXPECT_EQ(test, pkt.seg, seg);
	}
}

/* Data make a bare ACK more than that, and nothing else */
static void parse_tcp4_data(struct kunit *test)
{
	u8 data[sizeof(tcp4) + 1] = {};
	struct flr_packet pkt;
	int flags;

	memcpy(data, tcp4, sizeof(tcp4));
	data[3] = sizeof(data);
	for (flags = 0; flags < 0x40; flags++) {
		u8 seg = flags & 0x05 ? FLR_SEG_END :
			 (flags & 0x12) == 0x02 ? FLR_SEG_SYN : FLR_SEG_DATA;

		data[TCP4_FLAGS] = flags;
		KUNIT_ASSERT_EQ(test, 0, parse(test, NFPROTO_IPV4, data,
					       sizeof(data), 20, &pkt));
		KUNIT_EXPECT_EQ(test, pkt.seg, seg);
	}
}

static void parse_udp4(struct kunit *test)
{
	struct flr_packet pkt;

	KUNIT_ASSERT_EQ(test, 0, parse(test, NFPROTO_IPV4, udp4, sizeof(udp4),
				       sizeof(udp4), &pkt));
	parse_expect4(test, &pkt, 17, 53);
	KUNIT_EXPECT_EQ(test, pkt.seg, FLR_SEG_NONE);
}

static void parse_udp6_extensions(struct kunit *test)
{
	struct flr_packet pkt;
	size_t split;

	for (split = 0; split <= sizeof(udp6); split++) {
		KUNIT_ASSERT_EQ(test, 0, parse(test, NFPROTO_IPV6, udp6,
					       sizeof(udp6), split, &pkt));
		KUNIT_EXPECT_EQ(test, pkt.key.family, 6);
		KUNIT_EXPECT_EQ(test, pkt.key.proto, 17);
		KUNIT_EXPECT_MEMEQ(test, pkt.key.v6.saddr, udp6 + 8, 16);
		KUNIT_EXPECT_MEMEQ(test, pkt.key.v6.daddr, udp6 + 24, 16);
		KUNIT_EXPECT_EQ(test, ntohs(pkt.key.sport), 40000);
		KUNIT_EXPECT_EQ(test, ntohs(pkt.key.dport), 53);
	}
}

/* The key is that of the packets which the error is about, turned round */
static void parse_icmp4(struct kunit *test)
{
	u8 data[sizeof(icmp4)];
	struct flr_packet pkt;
	size_t split;

	for (split = 0; split <= sizeof(icmp4); split++) {
		KUNIT_ASSERT_EQ(test, 0, parse(test, NFPROTO_IPV4, icmp4,
					       sizeof(icmp4), split, &pkt));
		parse_expect4(test, &pkt, 6, 80);
		KUNIT_EXPECT_EQ(test, pkt.seg, FLR_SEG_QUOTE);
		KUNIT_EXPECT_TRUE(test, pkt.quotes);
	}
	memcpy(data, icmp4, sizeof(data));
	data[ICMP4_PROTO] = 17;
	KUNIT_ASSERT_EQ(test, 0, parse(test, NFPROTO_IPV4, data, sizeof(data),
				       20, &pkt));
	KUNIT_EXPECT_EQ(test, pkt.seg, FLR_SEG_NONE);
	KUNIT_EXPECT_TRUE(test, pkt.quotes);
	/* a later fragment has no ports */
	data[ICMP4_FRAG] = 1;
	KUNIT_EXPECT_EQ(test, -EINVAL, parse(test, NFPROTO_IPV4, data,
					     sizeof(data), 20, &pkt));
}

static void parse_icmp6(struct kunit *test)
{
	struct flr_packet pkt;
	size_t split;

	for (split = 0; split <= sizeof(icmp6); split++) {
		KUNIT_ASSERT_EQ(test, 0, parse(test, NFPROTO_IPV6, icmp6,
					       sizeof(icmp6), split, &pkt));
		KUNIT_EXPECT_EQ(test, pkt.key.proto, 17);
		KUNIT_EXPECT_MEMEQ(test, pkt.key.v6.saddr, icmp6 + 72, 16);
		KUNIT_EXPECT_MEMEQ(test, pkt.key.v6.daddr, icmp6 + 56, 16);
		KUNIT_EXPECT_EQ(test, ntohs(pkt.key.sport), 40000);
		KUNIT_EXPECT_EQ(test, ntohs(pkt.key.dport), 53);
		KUNIT_EXPECT_EQ(test, pkt.seg, FLR_SEG_NONE);
		KUNIT_EXPECT_TRUE(test, pkt.quotes);
	}
}

/*
 * Errors are 3, 4, 11 and 12, by RFC 792, and 1 to 4, by RFC 4443; echos are 0
 * and 8, and 128 and 129.
 */
static void parse_icmp_types(struct kunit *test)
{
	struct flr_packet pkt;
	u8 data[sizeof(icmp6)];
	int type, want;

	memcpy(data, icmp4, sizeof(icmp4));
	for (type = 0; type < 256; type++) {
		want = type == 3 || type == 4 || type == 11 || type == 12 ||
		       type == 0 || type == 8 ? 0 : -EPROTONOSUPPORT;
		data[ICMP4_TYPE] = type;
		KUNIT_EXPECT_EQ(test, want, parse(test, NFPROTO_IPV4, data,
						  sizeof(icmp4), 20, &pkt));
	}
	memcpy(data, icmp6, sizeof(icmp6));
	for (type = 0; type < 256; type++) {
		data[ICMP6_TYPE] = type;
		want = (type >= 1 && type <= 4) || type == 128 ||
		       type == 129 ? 0 : -EPROTONOSUPPORT;
		KUNIT_EXPECT_EQ(test, want, parse(test, NFPROTO_IPV6, data,
						  sizeof(icmp6), 40, &pkt));
	}
}

/* Cut short anywhere, nothing is read beyond the end and nothing is served */
static void parse_truncated(struct kunit *test)
{
	struct flr_packet pkt;
	size_t len;

	for (len = 0; len < sizeof(tcp4); len++)
		KUNIT_EXPECT_EQ(test, -EINVAL, parse(test, NFPROTO_IPV4, tcp4,
						     len, len, &pkt));
	for (len = 0; len < sizeof(udp4); len++)
		KUNIT_EXPECT_EQ(test, -EINVAL, parse(test, NFPROTO_IPV4, udp4,
						     len, len, &pkt));
	for (len = 0; len < sizeof(udp6); len++)
		KUNIT_EXPECT_EQ(test, -EINVAL, parse(test, NFPROTO_IPV6, udp6,
						     len, len, &pkt));
	/* of what is quoted, the ports suffice */
	for (len = 0; len < sizeof(icmp4) - 4; len++)
		KUNIT_EXPECT_EQ(test, -EINVAL, parse(test, NFPROTO_IPV4, icmp4,
						     len, len, &pkt));
	for (len = 0; len < sizeof(icmp6) - 4; len++)
		KUNIT_EXPECT_EQ(test, -EINVAL, parse(test, NFPROTO_IPV6, icmp6,
						     len, len, &pkt));
}

static void parse_fragment(struct kunit *test)
{
	struct flr_packet pkt;
	u8 data[sizeof(udp6)];

	/* more fragments; then the last one of several */
	memcpy(data, udp4, sizeof(udp4));
	data[6] = 0x20;
	KUNIT_EXPECT_EQ(test, -EINVAL, parse(test, NFPROTO_IPV4, data,
					     sizeof(udp4), 20, &pkt));
	data[6] = 0x00;
	data[7] = 0x01;
	KUNIT_EXPECT_EQ(test, -EINVAL, parse(test, NFPROTO_IPV4, data,
					     sizeof(udp4), 20, &pkt));
	memcpy(data, udp6, sizeof(udp6));
	data[UDP6_FRAG + 3] = 0x01;
	KUNIT_EXPECT_EQ(test, -EINVAL, parse(test, NFPROTO_IPV6, data,
					     sizeof(udp6), 40, &pkt));
	data[UDP6_FRAG + 3] = 0x08;
	KUNIT_EXPECT_EQ(test, -EINVAL, parse(test, NFPROTO_IPV6, data,
					     sizeof(udp6), 40, &pkt));
}

/* They have no ports, and the bytes in their place are not read as such */
static void parse_other_protocols(struct kunit *test)
{
	u8 data[sizeof(udp6)];
	struct flr_packet pkt;
	int proto, want;

	for (proto = 0; proto < 256; proto++) {
		want = proto == 1 ? -EPROTONOSUPPORT : 0;
		memcpy(data, tcp4, sizeof(tcp4));
		data[9] = proto;
		KUNIT_EXPECT_EQ(test, want, parse(test, NFPROTO_IPV4, data,
						  sizeof(tcp4), 24, &pkt));
		if (want || proto == 6 || proto == 17)
			continue;
		KUNIT_EXPECT_EQ(test, proto, pkt.key.proto);
		KUNIT_EXPECT_EQ(test, 0, pkt.key.sport);
		KUNIT_EXPECT_EQ(test, 0, pkt.key.dport);
		KUNIT_EXPECT_EQ(test, FLR_SEG_NONE, pkt.seg);
	}
	memcpy(data, udp6, sizeof(udp6));
	/* 59 is "no next header", 58 ICMPv6 */
	data[UDP6_FRAG] = 59;
	KUNIT_EXPECT_EQ(test, -EINVAL, parse(test, NFPROTO_IPV6, data,
					     sizeof(udp6), 40, &pkt));
	data[UDP6_FRAG] = 58;
	KUNIT_EXPECT_EQ(test, -EPROTONOSUPPORT,
			parse(test, NFPROTO_IPV6, data, sizeof(udp6), 40,
			      &pkt));
}

static void parse_bad_header(struct kunit *test)
{
	u8 data[sizeof(udp6)];
	struct flr_packet pkt;

	memcpy(data, udp4, sizeof(udp4));
	data[0] = 0x44;
	KUNIT_EXPECT_EQ(test, -EINVAL, parse(test, NFPROTO_IPV4, data,
					     sizeof(udp4), 20, &pkt));
	data[0] = 0x65;
	KUNIT_EXPECT_EQ(test, -EINVAL, parse(test, NFPROTO_IPV4, data,
					     sizeof(udp4), 20, &pkt));
	/* a header of 60 bytes in a packet of 28 */
	data[0] = 0x4f;
	KUNIT_EXPECT_EQ(test, -EINVAL, parse(test, NFPROTO_IPV4, data,
					     sizeof(udp4), 20, &pkt));
	memcpy(data, udp6, sizeof(udp6));
	data[0] = 0x40;
	KUNIT_EXPECT_EQ(test, -EINVAL, parse(test, NFPROTO_IPV6, data,
					     sizeof(udp6), 40, &pkt));
}

static struct kunit_case flr_parse_cases[] = {
	KUNIT_CASE(parse_tcp4_split),
	KUNIT_CASE(parse_tcp4_flags),
	KUNIT_CASE(parse_tcp4_data),
	KUNIT_CASE(parse_udp4),
	KUNIT_CASE(parse_udp6_extensions),
	KUNIT_CASE(parse_icmp4),
	KUNIT_CASE(parse_icmp6),
	KUNIT_CASE(parse_icmp_types),
	KUNIT_CASE(parse_truncated),
	KUNIT_CASE(parse_fragment),
	KUNIT_CASE(parse_other_protocols),
	KUNIT_CASE(parse_bad_header),
	{}
};

static struct kunit_suite flr_parse_suite = {
	.name = "flowring_parse",
	.test_cases = flr_parse_cases,
};

kunit_test_suite(flr_parse_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of flowring's reading of packets");
