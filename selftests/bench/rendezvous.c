// SPDX-License-Identifier: GPL-2.0
/*
 * Rendezvous hashing, from: D. G. Thaler and C. V. Ravishankar, "Using
 * Name-Based Mappings to Increase Hit Rates", IEEE/ACM Transactions on
 * Networking 6(1), 1998: a flow belongs to the backend whose hash with it is the
 * largest. Weights by the logarithmic method of C. Schindelhauer and
 * G. Schomaker, "Weighted Distributed Hash Tables", SPAA 2005.
 *
 * A lookup asks all backends and there is no table, so what would be a build
 * is none.
 */

#include <math.h>
#include <stdlib.h>

#include "bench.h"

/* Of a hash: the two backends of the largest, while all weigh the same */
struct rendezvous_pair {
	u64 best, second;
	u16 first_owner, second_owner;
};

struct rendezvous {
	u32 n;
	u64 seed;
	u64 *seeds;
	struct rendezvous_pair *pairs;
};

static void *rendezvous_make(const struct bench_conf *conf)
{
	struct rendezvous *r = bench_alloc(1, sizeof(*r));
	char name[BENCH_NAME] = {};
	u32 i;

	r->n = conf->n;
	r->seed = bench_mix(conf->key.key[0]);
	r->seeds = bench_alloc(r->n, sizeof(*r->seeds));
	for (i = 0; i < r->n; i++) {
		bench_name(name, i);
		r->seeds[i] = siphash(name, sizeof(name), &conf->key);
	}
	return r;
}

static void rendezvous_free(void *priv)
{
	struct rendezvous *r = priv;

	free(r->pairs);
	free(r->seeds);
	free(r);
}

static inline u32 rendezvous_pick(const struct rendezvous *r, u64 hash)
{
	u64 best = 0;
	u32 i, owner = 0;

	for (i = 0; i < r->n; i++) {
		u64 h = bench_mix(hash ^ r->seeds[i]);

		if (h > best) {
			best = h;
			owner = i;
		}
	}
	return owner;
}

BENCH_LOOKUP(rendezvous_lookup, rendezvous_pick)

static u32 rendezvous_pieces(void *priv)
{
	(void)priv;
	return BENCH_SAMPLE;
}

static void rendezvous_rank(struct rendezvous *r)
{
	struct rendezvous_pair *p;
	u32 i, j;

	r->pairs = bench_alloc(BENCH_SAMPLE, sizeof(*r->pairs));
	for (j = 0; j < BENCH_SAMPLE; j++) {
		u64 hash = bench_mix(r->seed + j);

		p = &r->pairs[j];
		for (i = 0; i < r->n; i++) {
			u64 h = bench_mix(hash ^ r->seeds[i]);

			if (h > p->best) {
				p->second = p->best;
				p->second_owner = p->first_owner;
				p->best = h;
				p->first_owner = i;
			} else if (h > p->second) {
				p->second = h;
				p->second_owner = i;
			}
		}
	}
}

/* Ordered as the weighted draw orders: the larger wins */
static double rendezvous_score(u64 hash, u32 weight)
{
	double unit = ((hash >> 11) + 0.5) / (1ULL << 53);

	return weight ? -(double)weight / log(unit) : -1;
}

/*
 * Only backends of less weight than the others lose hashes, and only one of
 * them at a time is changed here: so the two best say all.
 */
static void rendezvous_owners(void *priv, const u32 *weights, u16 *owners)
{
	struct rendezvous *r = priv;
	struct rendezvous_pair *p;
	u32 j;

	if (!r->pairs)
		rendezvous_rank(r);
	for (j = 0; j < BENCH_SAMPLE; j++) {
		p = &r->pairs[j];
		owners[j] = p->first_owner;
		if (weights[p->first_owner] == BENCH_WEIGHT)
			continue;
		if (rendezvous_score(p->best, weights[p->first_owner]) <
		    rendezvous_score(p->second, weights[p->second_owner]))
			owners[j] = p->second_owner;
	}
}

const struct bench_scheme bench_rendezvous = {
	.name	= "rendezvous",
	.make	= rendezvous_make,
	.free	= rendezvous_free,
	.pieces	= rendezvous_pieces,
	.owners	= rendezvous_owners,
	.lookup	= rendezvous_lookup,
};
