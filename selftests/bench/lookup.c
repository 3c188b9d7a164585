// SPDX-License-Identifier: GPL-2.0
/*
 * Lookups, timed in rounds in which each scheme has its turn, so that what else
 * the machine does falls on all. Hashes are random. Before each batch other
 * memory is read, as much as the first cache holds and more, since packets are
 * not steered one after the other with nothing between them: so the tables are
 * where they would be, in the second level.
 */

#include <stdlib.h>

#include "bench.h"

#define BATCH		256	/* lookups that are timed at once */
#define BATCHES		200	/* in a turn */
#define OTHER		(96 * 1024)	/* bytes read between batches */
#define LINE		64
#define SCHEMES		8

struct lookup {
	u64 *hashes;
	u8 *other;
	struct bench_node *pool;
	struct bench_node **nodes;
};

static void lookup_init(struct lookup *l, u32 n)
{
	u32 i;

	l->hashes = bench_alloc(BATCH * BATCHES, sizeof(*l->hashes));
	l->other = bench_alloc(OTHER, 1);
	l->pool = aligned_alloc(LINE, n * sizeof(*l->pool));
	l->nodes = bench_alloc(n, sizeof(*l->nodes));
	if (!l->pool)
		abort();
	for (i = 0; i < n; i++) {
		l->pool[i].zero = 0;
		l->nodes[i] = &l->pool[i];
	}
}

static void lookup_free(struct lookup *l)
{
	free(l->hashes);
	free(l->other);
	free(l->pool);
	free(l->nodes);
}

/* One turn: nanoseconds of a lookup */
static double lookup_turn(struct lookup *l, const struct bench_scheme *s,
			  const void *priv, u32 batches)
{
	double t, sum = 0;
	u32 b, i;

	/* The turn of another scheme put its own table into the cache */
	bench_sink += s->lookup(priv, l->hashes, batches * BATCH, l->nodes);
	for (b = 0; b < batches; b++) {
		const u64 *hashes = l->hashes + b * BATCH;

		for (i = 0; i < OTHER; i += LINE)
			bench_sink += l->other[i];
		/* They are at hand, as the packet's own hash is */
		for (i = 0; i < BATCH; i++)
			bench_sink += hashes[i];
		t = bench_clock();
		bench_sink += s->lookup(priv, hashes, BATCH, l->nodes);
		sum += bench_clock() - t;
	}
	return sum / ((double)batches * BATCH);
}

/**
 * bench_lookups() - time the lookups of schemes
 * @s: the schemes, at most 8
 * @conf: what they are made for
 * @n: how many
 * @rounds: turns of each
 * @f: get the medians, one for each scheme
 */
void bench_lookups(const struct bench_scheme *const *s,
		   const struct bench_conf *conf, u32 n, u32 rounds,
		   struct bench_figures *f)
{
	double *times = bench_alloc((size_t)n * rounds, sizeof(*times));
	u32 *weights = bench_alloc(conf->n, sizeof(*weights));
	struct lookup l = {};
	void *priv[SCHEMES];
	u32 i, r;

	lookup_init(&l, conf->n);
	for (i = 0; i < conf->n; i++)
		weights[i] = BENCH_WEIGHT;
	for (i = 0; i < n; i++) {
		priv[i] = s[i]->make(conf);
		if (s[i]->place)
			s[i]->place(priv[i], weights);
	}
	for (r = 0; r < rounds; r++) {
		for (i = 0; i < BATCH * BATCHES; i++)
			l.hashes[i] = bench_mix((u64)r << 32 | i);
		for (i = 0; i < n; i++) {
			/* Who begins changes from round to round */
			u32 at = (i + r) % n;
			/* Asking all backends takes its time */
			u32 few = s[at]->place ? BATCHES : 4;

			times[at * rounds + r] = lookup_turn(&l, s[at],
							     priv[at], few);
		}
	}
	for (i = 0; i < n; i++) {
		f[i].lookup = bench_median(times + (size_t)i * rounds, rounds);
		s[i]->free(priv[i]);
	}
	lookup_free(&l);
	free(weights);
	free(times);
}
