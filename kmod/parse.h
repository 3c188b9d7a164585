/* SPDX-License-Identifier: GPL-2.0 */
/* From a packet to its flow key. */
#ifndef _FLOWRING_PARSE_H
#define _FLOWRING_PARSE_H

#include <linux/in.h>
#include <linux/types.h>

#include "key.h"
#include "pin.h"

struct sk_buff;

/**
 * struct flr_packet - what steering reads of a packet
 * @key: flow key; that of the quoted packet, turned round, in an ICMP error
 * @seg: what it says of its connection, enum flr_segment
 * @quotes: it is an ICMP error
 */
struct flr_packet {
	struct flr_key key;
	u8 seg;
	bool quotes;
};

/**
 * flr_proto_has_ports() - see whether a protocol has ports in a flow key
 * @proto: IP protocol
 *
 * Return: whether it does; the ports of others are zero.
 */
static inline bool flr_proto_has_ports(u8 proto)
{
	return proto == IPPROTO_TCP || proto == IPPROTO_UDP;
}

int flr_parse(const struct sk_buff *skb, u8 family, struct flr_packet *pkt);

#endif /* _FLOWRING_PARSE_H */
