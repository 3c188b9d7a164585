// SPDX-License-Identifier: GPL-2.0
/*
 * The ring: tokens of backends on a circle of 64 bits, and the slot table that
 * is made from them. No kernel objects, no locks, no allocation: all memory is
 * the caller's. The normative text is Documentation/hash.rst.
 */

#include <linux/string.h>
#include <linux/types.h>
#include <linux/siphash.h>

#include "ring.h"

#define FLR_NAME_MAX	31
#define FLR_DIGIT_BITS	8
#define FLR_DIGITS	256

/**
 * flr_ring_ntokens() - tokens of a backend
 * @vnodes: tokens of a backend of weight 100, at most 65536
 * @weight: the backend's weight, at most 10000
 *
 * Return: max(1, round(vnodes * weight / 100)), or 0 for weight 0.
 */
u32 flr_ring_ntokens(u32 vnodes, u32 weight)
{
	u32 n = (vnodes * weight + 50) / 100;

	if (!weight)
		return 0;
	return n ? n : 1;
}

/**
 * flr_ring_token() - position of a backend's token
 * @key: the ring's key
 * @name: the backend's name
 * @len: bytes in @name, at most 31
 * @j: number of the token, from 0
 *
 * The position is the hash of: the tag 'T', the length of the name, two zero
 * bytes, @j as 32 bits little-endian, the name.
 *
 * Return: the position.
 */
u64 flr_ring_token(const siphash_key_t *key, const char *name, size_t len,
		   u32 j)
{
	u8 buf[8 + FLR_NAME_MAX + 1] __aligned(8) = {
		FLR_TOKEN_TAG, len, 0, 0, j, j >> 8, j >> 16, j >> 24,
	};

	memcpy(buf + 8, name, len);
	return siphash(buf, 8 + len, key);
}

/**
 * flr_ring_add() - write the tokens of one backend
 * @tokens: where to, room for @n
 * @n: how many
 * @key: the ring's key
 * @name: the backend's name
 * @len: bytes in @name, at most 31
 * @owner: the backend's id
 *
 * Backends have to be added in the order of their names (bytewise, a prefix
 * first): that, and the stable sort, is what orders equal positions by
 * (name, j).
 */
void flr_ring_add(struct flr_token *tokens, u32 n, const siphash_key_t *key,
		  const char *name, size_t len, u16 owner)
{
	u32 j;

	for (j = 0; j < n; j++) {
		tokens[j].pos = flr_ring_token(key, name, len, j);
		tokens[j].owner = owner;
	}
}

/* One pass of the radix sort: stable, by the digit at @shift */
static void flr_ring_sort_pass(const struct flr_token *from,
			       struct flr_token *to, u32 n, u32 shift)
{
	u32 at[FLR_DIGITS] = {};
	u32 i, sum = 0;

	for (i = 0; i < n; i++)
		at[(from[i].pos >> shift) % FLR_DIGITS]++;
	for (i = 0; i < FLR_DIGITS; i++) {
		u32 count = at[i];

		at[i] = sum;
		sum += count;
	}
	for (i = 0; i < n; i++)
		to[at[(from[i].pos >> shift) % FLR_DIGITS]++] = from[i];
}

/**
 * flr_ring_sort() - order tokens by position
 * @tokens: the tokens, ordered on return
 * @scratch: room for as many
 * @n: how many
 *
 * Stable: tokens of equal position stay in the order in which they were added.
 */
void flr_ring_sort(struct flr_token *tokens, struct flr_token *scratch, u32 n)
{
	u32 shift;

	for (shift = 0; shift < 64; shift += 2 * FLR_DIGIT_BITS) {
		flr_ring_sort_pass(tokens, scratch, n, shift);
		flr_ring_sort_pass(scratch, tokens, n, shift + FLR_DIGIT_BITS);
	}
}

/**
 * flr_ring_owner() - owner of a position
 * @tokens: the ring's tokens, sorted
 * @n: how many
 * @pos: the position
 *
 * A token owns (its predecessor, itself], wrapping round.
 *
 * Return: id of the owner, or FLR_NO_OWNER for a ring without tokens.
 */
u16 flr_ring_owner(const struct flr_token *tokens, u32 n, u64 pos)
{
	u32 lo = 0, hi = n;

	if (!n)
		return FLR_NO_OWNER;
	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (tokens[mid].pos < pos)
			lo = mid + 1;
		else
			hi = mid;
	}
	return tokens[lo == n ? 0 : lo].owner;
}

/**
 * flr_ring_fill() - make the slot table
 * @slots: the table, 2^@bits of them
 * @bits: FLR_BITS_MIN to FLR_BITS_MAX
 * @tokens: the ring's tokens, sorted
 * @n: how many
 *
 * A slot stands for its first position, so its owner is the one that
 * flr_ring_owner() names for that.
 */
void flr_ring_fill(u16 *slots, u32 bits, const struct flr_token *tokens, u32 n)
{
	u32 nslots = 1U << bits;
	u32 slot, t = 0;

	for (slot = 0; slot < nslots; slot++) {
		u64 pos = (u64)slot << (64 - bits);

		while (t < n && tokens[t].pos < pos)
			t++;
		if (n)
			slots[slot] = tokens[t == n ? 0 : t].owner;
		else
			slots[slot] = FLR_NO_OWNER;
	}
}
