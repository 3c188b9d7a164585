// SPDX-License-Identifier: GPL-2.0
/*
 * The flow key and its hash. No kernel objects. The normative text is
 * Documentation/hash.rst.
 */

#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/siphash.h>

#include "key.h"

static_assert(offsetof(struct flr_key, v4) == 8);
static_assert(sizeof(struct flr_key) == FLR_KEY_LEN6);

static void flr_key_set(struct flr_key *key, u8 family, u8 proto, __be16 sport,
			__be16 dport)
{
	key->tag = FLR_KEY_TAG;
	key->family = family;
	key->proto = proto;
	key->fields = FLR_KEY_ALL;
	key->sport = sport;
	key->dport = dport;
}

/**
 * flr_key_set4() - make the key of an IPv4 flow
 * @key: the key
 * @proto: IP protocol
 * @saddr: source address
 * @sport: source port
 * @daddr: destination address
 * @dport: destination port
 */
void flr_key_set4(struct flr_key *key, u8 proto, __be32 saddr, __be16 sport,
		  __be32 daddr, __be16 dport)
{
	flr_key_set(key, 4, proto, sport, dport);
	key->v4.saddr = saddr;
	key->v4.daddr = daddr;
}

/**
 * flr_key_set6() - make the key of an IPv6 flow
 * @key: the key
 * @proto: upper layer protocol
 * @saddr: source address, 16 bytes
 * @sport: source port
 * @daddr: destination address, 16 bytes
 * @dport: destination port
 */
void flr_key_set6(struct flr_key *key, u8 proto, const void *saddr,
		  __be16 sport, const void *daddr, __be16 dport)
{
	flr_key_set(key, 6, proto, sport, dport);
	memcpy(key->v6.saddr, saddr, sizeof(key->v6.saddr));
	memcpy(key->v6.daddr, daddr, sizeof(key->v6.daddr));
}

/**
 * flr_key_hash() - hash a flow key to a position on the ring
 * @key: the key
 * @secret: the ring's key
 *
 * Return: the position.
 */
u64 flr_key_hash(const struct flr_key *key, const siphash_key_t *secret)
{
	if (key->family == 4)
		return siphash(key, FLR_KEY_LEN4, secret);
	return siphash(key, FLR_KEY_LEN6, secret);
}
