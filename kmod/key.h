/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The flow key: what of a packet decides where it goes, in the byte layout that
 * is hashed. Documentation/hash.rst is the normative text.
 */
#ifndef _FLOWRING_KEY_H
#define _FLOWRING_KEY_H

#include <linux/types.h>
#include <linux/siphash.h>

#define FLR_KEY_TAG	'K'	/* first byte of an encoded flow key */

/* Fields of a key that take part, the rest is zero */
#define FLR_KEY_PROTO	0x01
#define FLR_KEY_SADDR	0x02
#define FLR_KEY_DADDR	0x04
#define FLR_KEY_SPORT	0x08
#define FLR_KEY_DPORT	0x10
#define FLR_KEY_ALL	0x1f

#define FLR_KEY_LEN4	16
#define FLR_KEY_LEN6	40

/**
 * struct flr_key - flow key, as it is hashed
 * @tag: FLR_KEY_TAG
 * @family: 4 or 6, the IP version
 * @proto: IP protocol
 * @fields: FLR_KEY_* that take part
 * @sport: source port
 * @dport: destination port
 * @v4: addresses when @family is 4; the key then has FLR_KEY_LEN4 bytes
 * @v6: addresses when @family is 6; the key then has FLR_KEY_LEN6 bytes
 *
 * Ports and addresses are in network byte order. There is no padding.
 */
struct flr_key {
	u8 tag;
	u8 family;
	u8 proto;
	u8 fields;
	__be16 sport;
	__be16 dport;
	union {
		struct {
			__be32 saddr;
			__be32 daddr;
		} v4;
		struct {
			u8 saddr[16];
			u8 daddr[16];
		} v6;
	};
} __aligned(8);

void flr_key_set4(struct flr_key *key, u8 proto, __be32 saddr, __be16 sport,
		  __be32 daddr, __be16 dport);
void flr_key_set6(struct flr_key *key, u8 proto, const void *saddr,
		  __be16 sport, const void *daddr, __be16 dport);
u64 flr_key_hash(const struct flr_key *key, const siphash_key_t *secret);

#endif /* _FLOWRING_KEY_H */
