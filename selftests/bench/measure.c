// SPDX-License-Identifier: GPL-2.0
/*
 * Balance and movement, counted piece by piece from the owners before and after
 * a change, in the same way for each scheme; and the time of a build.
 */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

/* Sums over the changes of one kind */
struct tally {
	double sum;
	double max;
	u32 n;
};

/* A scheme at work, with its owners before and after a change */
struct trial {
	const struct bench_scheme *s;
	const struct bench_conf *conf;
	void *priv;
	u32 pieces;
	u32 *weights;
	u16 *before;
	u16 *after;
	u32 *counts;
};

static void tally_add(struct tally *t, double x)
{
	if (!t->n || x > t->max)
		t->max = x;
	t->sum += x;
	t->n++;
}

static double tally_mean(const struct tally *t)
{
	return t->n ? t->sum / t->n : 0;
}

static void trial_owners(struct trial *t, u16 *owners)
{
	if (t->s->place)
		t->s->place(t->priv, t->weights);
	t->s->owners(t->priv, t->weights, owners);
}

static void trial_begin(struct trial *t, const struct bench_scheme *s,
			const struct bench_conf *conf)
{
	u32 i;

	t->s = s;
	t->conf = conf;
	t->priv = s->make(conf);
	t->pieces = s->pieces(t->priv);
	t->weights = bench_alloc(conf->n, sizeof(*t->weights));
	t->counts = bench_alloc(conf->n, sizeof(*t->counts));
	t->before = bench_alloc(t->pieces, sizeof(*t->before));
	t->after = bench_alloc(t->pieces, sizeof(*t->after));
	for (i = 0; i < conf->n; i++)
		t->weights[i] = BENCH_WEIGHT;
	trial_owners(t, t->before);
}

static void trial_end(struct trial *t)
{
	t->s->free(t->priv);
	free(t->weights);
	free(t->counts);
	free(t->before);
	free(t->after);
}

static double trial_busiest(struct trial *t)
{
	u32 i, max = 0;

	memset(t->counts, 0, t->conf->n * sizeof(*t->counts));
	for (i = 0; i < t->pieces; i++)
		t->counts[t->before[i]]++;
	for (i = 0; i < t->conf->n; i++) {
		if (t->counts[i] > max)
			max = t->counts[i];
	}
	return max / ((double)t->pieces / t->conf->n);
}

/* Pieces of another owner, and what any scheme of these shares has to move */
static u32 trial_moved(struct trial *t, u32 *least)
{
	u32 i, moved = 0;

	memset(t->counts, 0, t->conf->n * sizeof(*t->counts));
	for (i = 0; i < t->pieces; i++)
		t->counts[t->before[i]]++;
	*least = t->pieces;
	for (i = 0; i < t->pieces; i++) {
		moved += t->before[i] != t->after[i];
		/* The backend keeps one more of those that it had */
		if (t->counts[t->after[i]]) {
			t->counts[t->after[i]]--;
			--*least;
		}
	}
	return moved;
}

/*
 * Give one backend another weight and note what that moves, as it does when it
 * is taken back: the pieces that differ are the same, the least is too.
 */
static u32 trial_change(struct trial *t, u32 i, u32 weight, struct tally *ratio)
{
	u32 moved, least;

	t->weights[i] = weight;
	trial_owners(t, t->after);
	t->weights[i] = BENCH_WEIGHT;
	moved = trial_moved(t, &least);
	if (least)
		tally_add(ratio, (double)moved / least);
	else if (moved)
		tally_add(ratio, moved + 1);
	return moved;
}

/**
 * bench_balance() - measure balance and movement
 * @s: the scheme
 * @conf: what it is made for, but for the key
 * @effort: how much is measured
 * @f: gets all but times
 */
void bench_balance(const struct bench_scheme *s, const struct bench_conf *conf,
		   const struct bench_effort *effort, struct bench_figures *f)
{
	struct tally moved = {}, ratio = {}, weight = {};
	u32 changes = effort->changes < conf->n ? effort->changes : conf->n;
	struct bench_conf c = *conf;
	u32 k, j;

	f->busiest = 0;
	for (k = 0; k < effort->keys; k++) {
		double share = conf->n;
		struct trial t;
		double busiest;

		c.key = bench_key(k);
		trial_begin(&t, s, &c);
		share = t.pieces / share;
		busiest = trial_busiest(&t);
		if (busiest > f->busiest)
			f->busiest = busiest;
		for (j = 0; j < changes; j++) {
			u32 i = (u64)j * conf->n / changes;

			tally_add(&moved, trial_change(&t, i, 0, &ratio) /
					  share);
			tally_add(&weight, (double)trial_change(&t, i, 99,
								&ratio) /
					   t.pieces);
		}
		trial_end(&t);
	}
	f->moved = tally_mean(&moved);
	f->moved_worst = moved.max;
	f->weight = tally_mean(&weight);
	f->least = tally_mean(&ratio);
	f->least_max = ratio.max;
}

/**
 * bench_build() - time builds
 * @s: the scheme
 * @conf: what it is made for, but for the key
 * @builds: how many
 * @f: gets the median, in ms
 */
void bench_build(const struct bench_scheme *s, const struct bench_conf *conf,
		 u32 builds, struct bench_figures *f)
{
	double *times = bench_alloc(builds, sizeof(*times));
	u32 *weights = bench_alloc(conf->n, sizeof(*weights));
	struct bench_conf c = *conf;
	u32 i, k;

	for (i = 0; i < conf->n; i++)
		weights[i] = BENCH_WEIGHT;
	for (k = 0; s->place && k < builds; k++) {
		void *priv;
		double t;

		c.key = bench_key(k);
		priv = s->make(&c);
		/* Once for the pages that memory has not yet got */
		s->place(priv, weights);
		t = bench_clock();
		s->place(priv, weights);
		times[k] = (bench_clock() - t) / 1e6;
		s->free(priv);
	}
	f->build = bench_median(times, builds);
	free(weights);
	free(times);
}
