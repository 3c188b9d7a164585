/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of the ring share, in the kernel and in userspace: building a
 * ring from a set of backends, and a slow model without sort or search.
 */
#ifndef _FLOWRING_RING_BUILD_H
#define _FLOWRING_RING_BUILD_H

#include <linux/string.h>
#include <linux/types.h>

#include "../ring.h"

/**
 * struct ring_backend - a backend of a ring under test
 * @name: its name
 * @weight: its weight
 * @owner: what its slots hold
 * @pos: positions of its tokens, to make equal ones; NULL derives them
 * @npos: how many
 */
struct ring_backend {
	const char *name;
	u32 weight;
	u16 owner;
	const u64 *pos;
	u32 npos;
};

static inline siphash_key_t ring_key(const u8 *bytes)
{
	siphash_key_t key = {};
	int i;

	for (i = 0; i < 16; i++)
		key.key[i / 8] |= (u64)bytes[i] << 8 * (i % 8);
	return key;
}

/* Pseudo-random numbers, the same in each run */
static inline u64 ring_random(u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static inline void ring_sort_names(struct ring_backend *b, u32 n)
{
	u32 i, j;

	for (i = 1; i < n; i++) {
		struct ring_backend x = b[i];

		for (j = i; j && strcmp(b[j - 1].name, x.name) > 0; j--)
			b[j] = b[j - 1];
		b[j] = x;
	}
}

static inline u32 ring_ntokens(const struct ring_backend *b, u32 n, u32 vnodes)
{
	u32 i, sum = 0;

	for (i = 0; i < n; i++)
		sum += b[i].pos ? b[i].npos :
			flr_ring_ntokens(vnodes, b[i].weight);
	return sum;
}

/* Write the tokens of all, unsorted; orders @b by name, as the module does */
static inline void ring_add_all(struct flr_token *tokens,
				const siphash_key_t *key, u32 vnodes,
				struct ring_backend *b, u32 n)
{
	u32 i, j;

	ring_sort_names(b, n);
	for (i = 0; i < n; i++) {
		u32 count = ring_ntokens(&b[i], 1, vnodes);

		flr_ring_add(tokens, count, key, b[i].name, strlen(b[i].name),
			     b[i].owner);
		for (j = 0; b[i].pos && j < count; j++)
			tokens[j].pos = b[i].pos[j];
		tokens += count;
	}
}

/* Owner of @pos, from tokens in the order of (name, j): the nearest above */
static inline u16 ring_model_owner(const struct flr_token *tokens, u32 n,
				   u64 pos)
{
	u32 i, best = 0;

	if (!n)
		return FLR_NO_OWNER;
	for (i = 1; i < n; i++) {
		if (tokens[i].pos - pos < tokens[best].pos - pos)
			best = i;
	}
	return tokens[best].owner;
}

/* Digest of a slot table, which this puts into little-endian byte order */
static inline u64 ring_digest(u16 *slots, u32 nslots, const siphash_key_t *key)
{
	u8 *bytes = (u8 *)slots;
	u32 i;

	for (i = 0; i < nslots; i++) {
		u16 owner = slots[i];

		bytes[2 * i] = owner;
		bytes[2 * i + 1] = owner >> 8;
	}
	return siphash(slots, 2 * (size_t)nslots, key);
}

#endif /* _FLOWRING_RING_BUILD_H */
