// SPDX-License-Identifier: GPL-2.0
/*
 * The hash modulo the number of backends, the baseline that Karger et al.
 * (STOC 1997) begin with, and what nftables does with "jhash ... mod N". A
 * backend is in the list as often as its weight divided by the greatest common
 * divisor of all weights, as people do it there.
 */

#include <stdlib.h>

#include "bench.h"

struct modulo {
	u32 n;
	u32 len;
	u64 seed;
	u16 *list;
};

static void *modulo_make(const struct bench_conf *conf)
{
	struct modulo *m = bench_alloc(1, sizeof(*m));
	u32 i;

	m->n = conf->n;
	m->seed = bench_mix(conf->key.key[0]);
	m->list = bench_alloc((size_t)m->n * BENCH_WEIGHT, sizeof(*m->list));
	m->len = m->n;
	for (i = 0; i < m->n; i++)
		m->list[i] = i;
	return m;
}

static void modulo_free(void *priv)
{
	struct modulo *m = priv;

	free(m->list);
	free(m);
}

static u32 modulo_gcd(u32 a, u32 b)
{
	return b ? modulo_gcd(b, a % b) : a;
}

static u32 modulo_pieces(void *priv)
{
	(void)priv;
	return BENCH_SAMPLE;
}

static inline u32 modulo_pick(const struct modulo *m, u64 hash)
{
	return m->list[(u32)hash % m->len];
}

BENCH_LOOKUP(modulo_lookup, modulo_pick)

static void modulo_owners(void *priv, const u32 *weights, u16 *owners)
{
	struct modulo *m = priv;
	u32 i, j, gcd = 0;

	for (i = 0; i < m->n; i++)
		gcd = modulo_gcd(gcd, weights[i]);
	m->len = 0;
	for (i = 0; i < m->n; i++) {
		for (j = 0; j < weights[i] / gcd; j++)
			m->list[m->len++] = i;
	}
	for (j = 0; j < BENCH_SAMPLE; j++)
		owners[j] = modulo_pick(m, bench_mix(m->seed + j));
}

const struct bench_scheme bench_modulo = {
	.name	= "modulo",
	.make	= modulo_make,
	.free	= modulo_free,
	.pieces	= modulo_pieces,
	.owners	= modulo_owners,
	.lookup	= modulo_lookup,
};
