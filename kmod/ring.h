/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring: tokens of backends on a circle of 64 bits, and the slot table that
 * is made from them. Pure functions over the caller's memory, shared by the
 * module, the tool and the tests. Documentation/hash.rst is the normative text.
 */
#ifndef _FLOWRING_RING_H
#define _FLOWRING_RING_H

#include <linux/types.h>
#include <linux/siphash.h>

#define FLR_BITS_MIN	8
#define FLR_BITS_MAX	20
#define FLR_NO_OWNER	0xffff	/* a slot without an owner */
#define FLR_TOKEN_TAG	'T'	/* first byte of an encoded token */

/**
 * struct flr_token - a position on the ring that belongs to a backend
 * @pos: the position
 * @owner: the backend's id, what its slots hold
 */
struct flr_token {
	u64 pos;
	u16 owner;
};

u32 flr_ring_ntokens(u32 vnodes, u32 weight);
u64 flr_ring_token(const siphash_key_t *key, const char *name, size_t len,
		   u32 j);
void flr_ring_add(struct flr_token *tokens, u32 n, const siphash_key_t *key,
		  const char *name, size_t len, u16 owner);
void flr_ring_sort(struct flr_token *tokens, struct flr_token *scratch, u32 n);
u16 flr_ring_owner(const struct flr_token *tokens, u32 n, u64 pos);
void flr_ring_fill(u16 *slots, u32 bits, const struct flr_token *tokens, u32 n);

/**
 * flr_ring_slot() - slot of a position
 * @pos: position on the ring
 * @bits: the table has 2^bits slots
 *
 * Return: the slot's number, the top @bits bits of @pos.
 */
static inline u32 flr_ring_slot(u64 pos, u32 bits)
{
	return pos >> (64 - bits);
}

#endif /* _FLOWRING_RING_H */
