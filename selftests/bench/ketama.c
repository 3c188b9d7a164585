// SPDX-License-Identifier: GPL-2.0
/*
 * Consistent hashing with virtual nodes and a binary search per lookup, from:
 * D. Karger et al., "Consistent Hashing and Random Trees", STOC 1997; in the
 * form of R. Jones, "libketama", 2007: a backend of a mean weight has 160 points
 * on a circle of 32 bits, and a weight changes its points four at a time.
 */

#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define KETAMA_GROUPS	40	/* of points, per backend of a mean weight */
#define KETAMA_POINTS	4	/* in a group: the hash gave four at once */

struct ketama_point {
	u32 pos;
	u16 owner;
};

struct ketama {
	u32 n;
	u32 npoints;
	siphash_key_t key;
	struct ketama_point *points;
};

static void *ketama_make(const struct bench_conf *conf)
{
	struct ketama *k = bench_alloc(1, sizeof(*k));

	k->n = conf->n;
	k->key = conf->key;
	k->points = bench_alloc((size_t)conf->n * KETAMA_GROUPS * KETAMA_POINTS,
				sizeof(*k->points));
	return k;
}

static void ketama_free(void *priv)
{
	struct ketama *k = priv;

	free(k->points);
	free(k);
}

static int ketama_cmp(const void *a, const void *b)
{
	const struct ketama_point *p = a, *q = b;

	if (p->pos != q->pos)
		return p->pos < q->pos ? -1 : 1;
	return (int)p->owner - (int)q->owner;
}

static void ketama_place(void *priv, const u32 *weights)
{
	struct ketama *k = priv;
	u64 sum = 0, groups;
	u32 i, j, alive = 0;

	for (i = 0; i < k->n; i++) {
		sum += weights[i];
		alive += weights[i] != 0;
	}
	k->npoints = 0;
	for (i = 0; i < k->n; i++) {
		char buf[BENCH_NAME + sizeof(j)] = {};

		bench_name(buf, i);
		groups = (u64)weights[i] * KETAMA_GROUPS * alive / sum;
		for (j = 0; j < groups * KETAMA_POINTS; j++) {
			struct ketama_point *p = &k->points[k->npoints++];

			memcpy(buf + BENCH_NAME, &j, sizeof(j));
			p->pos = siphash(buf, sizeof(buf), &k->key);
			p->owner = i;
		}
	}
	qsort(k->points, k->npoints, sizeof(*k->points), ketama_cmp);
}

static inline u32 ketama_pick(const struct ketama *k, u64 hash)
{
	u32 lo = 0, hi = k->npoints, pos = hash;

	while (lo < hi) {
		u32 mid = (lo + hi) / 2;

		if (k->points[mid].pos < pos)
			lo = mid + 1;
		else
			hi = mid;
	}
	return k->points[lo == k->npoints ? 0 : lo].owner;
}

BENCH_LOOKUP(ketama_lookup, ketama_pick)

static u32 ketama_pieces(void *priv)
{
	(void)priv;
	return BENCH_SAMPLE;
}

/* Evenly spaced positions stand for the arcs */
static void ketama_owners(void *priv, const u32 *weights, u16 *owners)
{
	struct ketama *k = priv;
	u32 i, p = 0;

	(void)weights;
	for (i = 0; i < BENCH_SAMPLE; i++) {
		u32 pos = i * (u32)((1ULL << 32) / BENCH_SAMPLE);

		while (p < k->npoints && k->points[p].pos < pos)
			p++;
		owners[i] = k->points[p == k->npoints ? 0 : p].owner;
	}
}

const struct bench_scheme bench_ketama = {
	.name	= "ketama",
	.make	= ketama_make,
	.free	= ketama_free,
	.place	= ketama_place,
	.pieces	= ketama_pieces,
	.owners	= ketama_owners,
	.lookup	= ketama_lookup,
};
