/* SPDX-License-Identifier: GPL-2.0 */
/* From a packet to its flow key. */
#ifndef _FLOWRING_PARSE_H
#define _FLOWRING_PARSE_H

#include <linux/types.h>

#include "key.h"

struct sk_buff;

/**
 * struct flr_packet - what steering reads of a packet
 * @key: flow key
 * @syn: a TCP connection request (SYN without ACK)
 */
struct flr_packet {
	struct flr_key key;
	bool syn;
};

int flr_parse(const struct sk_buff *skb, u8 family, struct flr_packet *pkt);

#endif /* _FLOWRING_PARSE_H */
