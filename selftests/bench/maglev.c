// SPDX-License-Identifier: GPL-2.0
/*
 * Maglev hashing, from: D. E. Eisenbud et al., "Maglev: A Fast and Reliable
 * Software Network Load Balancer", NSDI 2016, section 3.4, pseudocode 1. Each
 * backend has a permutation of the entries, given by an offset and a skip; in
 * turns, each takes the first entry of its permutation that is still free.
 *
 * Weights are those of ip_vs_mh.c in Linux: a backend takes as many entries in
 * its turn as its weight divided by the greatest common divisor of all, shifted
 * right until the largest has at most half the bits of the table's size.
 */

#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define MAGLEV_LARGE	65537	/* of the paper */
#define MAGLEV_SMALL	4093	/* IPVS mh as shipped */
#define MAGLEV_FREE	0xffff

struct maglev {
	u32 n;
	u32 size;
	siphash_key_t key;
	u32 *offset;
	u32 *skip;
	u32 *at;
	u32 *turns;
	u16 entry[MAGLEV_LARGE];
};

static struct maglev *maglev_make(const struct bench_conf *conf, u32 size)
{
	struct maglev *m = bench_alloc(1, sizeof(*m));

	m->n = conf->n;
	m->size = size;
	m->key = conf->key;
	m->offset = bench_alloc(m->n, sizeof(u32));
	m->skip = bench_alloc(m->n, sizeof(u32));
	m->at = bench_alloc(m->n, sizeof(u32));
	m->turns = bench_alloc(m->n, sizeof(u32));
	return m;
}

static void *maglev_make_large(const struct bench_conf *conf)
{
	return maglev_make(conf, MAGLEV_LARGE);
}

static void *maglev_make_small(const struct bench_conf *conf)
{
	return maglev_make(conf, MAGLEV_SMALL);
}

static void maglev_free(void *priv)
{
	struct maglev *m = priv;

	free(m->offset);
	free(m->skip);
	free(m->at);
	free(m->turns);
	free(m);
}

static u32 maglev_gcd(u32 a, u32 b)
{
	return b ? maglev_gcd(b, a % b) : a;
}

static u32 maglev_bits(u32 x)
{
	u32 n = 0;

	for (; x; x >>= 1)
		n++;
	return n;
}

/* The permutations, and how many entries each takes in its turn */
static void maglev_permute(struct maglev *m, const u32 *weights)
{
	u32 half = (maglev_bits(m->size) - 1) / 2;
	u32 i, len, bits, gcd = 0, max = 0;

	for (i = 0; i < m->n; i++) {
		gcd = maglev_gcd(gcd, weights[i]);
		if (weights[i] > max)
			max = weights[i];
	}
	bits = maglev_bits(max / gcd);
	for (i = 0; i < m->n; i++) {
		char name[BENCH_NAME] = {};

		bench_name(name, i);
		len = strlen(name) + 1;
		name[len - 1] = 'o';
		m->offset[i] = siphash(name, len, &m->key) % m->size;
		name[len - 1] = 's';
		m->skip[i] = siphash(name, len, &m->key) % (m->size - 1) + 1;
		m->at[i] = m->offset[i];
		m->turns[i] = (weights[i] / gcd) >>
			      (bits > half ? bits - half : 0);
		if (weights[i] && !m->turns[i])
			m->turns[i] = 1;
	}
}

static void maglev_take(struct maglev *m, u32 i)
{
	while (m->entry[m->at[i]] != MAGLEV_FREE) {
		m->at[i] += m->skip[i];
		if (m->at[i] >= m->size)
			m->at[i] -= m->size;
	}
	m->entry[m->at[i]] = i;
}

static void maglev_place(void *priv, const u32 *weights)
{
	struct maglev *m = priv;
	u32 i, turn, taken = 0;

	maglev_permute(m, weights);
	for (i = 0; i < m->size; i++)
		m->entry[i] = MAGLEV_FREE;
	for (;;) {
		for (i = 0; i < m->n; i++) {
			for (turn = 0; turn < m->turns[i]; turn++) {
				maglev_take(m, i);
				if (++taken == m->size)
					return;
			}
		}
	}
}

static u32 maglev_pieces(void *priv)
{
	return ((struct maglev *)priv)->size;
}

static void maglev_owners(void *priv, const u32 *weights, u16 *owners)
{
	struct maglev *m = priv;

	(void)weights;
	memcpy(owners, m->entry, m->size * sizeof(*owners));
}

/* A size that the compiler knows: no division, and 32 bits are enough */
static inline u32 maglev_pick_large(const struct maglev *m, u64 hash)
{
	return m->entry[(u32)hash % MAGLEV_LARGE];
}

static inline u32 maglev_pick_small(const struct maglev *m, u64 hash)
{
	return m->entry[(u32)hash % MAGLEV_SMALL];
}

BENCH_LOOKUP(maglev_lookup_large, maglev_pick_large)
BENCH_LOOKUP(maglev_lookup_small, maglev_pick_small)

const struct bench_scheme bench_maglev_large = {
	.name	= "Maglev 65537",
	.make	= maglev_make_large,
	.free	= maglev_free,
	.place	= maglev_place,
	.pieces	= maglev_pieces,
	.owners	= maglev_owners,
	.lookup	= maglev_lookup_large,
};

const struct bench_scheme bench_maglev_small = {
	.name	= "Maglev 4093",
	.make	= maglev_make_small,
	.free	= maglev_free,
	.place	= maglev_place,
	.pieces	= maglev_pieces,
	.owners	= maglev_owners,
	.lookup	= maglev_lookup_small,
};
