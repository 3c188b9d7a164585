/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of the ring's benchmark share. */
#ifndef _FLOWRING_BENCH_H
#define _FLOWRING_BENCH_H

#include <stdbool.h>
#include <stddef.h>

#include "../../kmod/ring.h"

#define BENCH_NAME	16	/* of a backend, with its end */
#define BENCH_WEIGHT	100
#define BENCH_SAMPLE	1048576	/* hashes that stand for all flows */

/**
 * struct bench_node - what a lookup ends at
 * @zero: is zero, which the compiler does not know
 *
 * As large as a cache line, like the part of a backend that a packet reads.
 */
struct bench_node {
	u64 zero;
} __aligned(64);

/**
 * struct bench_conf - what a scheme is made for
 * @n: number of backends
 * @key: key of its hashes
 * @bits: of the ring
 * @vnodes: of the ring
 * @imbalance: of the ring
 */
struct bench_conf {
	u32 n;
	siphash_key_t key;
	u32 bits;
	u32 vnodes;
	u32 imbalance;
};

/**
 * struct bench_scheme - a way to spread flows over backends
 * @name: as printed
 * @make: allocate for at most @conf->n backends
 * @free: the reverse
 * @place: build what lookups need, for backends of these weights; NULL for a
 *	scheme that needs nothing
 * @pieces: number of equal pieces of the hash space that @owners tells about
 * @owners: get the owner of each piece
 * @lookup: look @n hashes up, each after the one before it has ended
 */
struct bench_scheme {
	const char *name;
	void *(*make)(const struct bench_conf *conf);
	void (*free)(void *priv);
	void (*place)(void *priv, const u32 *weights);
	u32 (*pieces)(void *priv);
	void (*owners)(void *priv, const u32 *weights, u16 *owners);
	u64 (*lookup)(const void *priv, const u64 *hashes, u32 n,
		      struct bench_node *const *nodes);
};

/*
 * Define the lookup of a scheme, from a function that names a hash's owner.
 * The next hash waits for the backend of the one before: what counts for a
 * packet is how long its lookup takes, not how many could overlap.
 */
#define BENCH_LOOKUP(fn, pick)						\
static u64 fn(const void *priv, const u64 *hashes, u32 n,		\
	      struct bench_node *const *nodes)				\
{									\
	u64 carry = 0;							\
	u32 i;								\
									\
	for (i = 0; i < n; i++)						\
		carry = nodes[pick(priv, hashes[i] + carry)]->zero;	\
	return carry;							\
}

/**
 * struct bench_figures - what was measured of a scheme
 * @busiest: share of the busiest backend, in mean shares; the worst key
 * @moved: pieces that a removal moves, in mean shares; mean
 * @moved_worst: the worst of these
 * @least: pieces moved by a change of the backends, of the least possible;
 *	mean of all changes
 * @least_max: the largest of these
 * @weight: share of all pieces that a weight of 99 instead of 100 moves; mean
 * @build: milliseconds to place all backends; median, 0 for none
 * @lookup: nanoseconds of a lookup; median
 */
struct bench_figures {
	double busiest;
	double moved;
	double moved_worst;
	double least;
	double least_max;
	double weight;
	double build;
	double lookup;
};

/**
 * struct bench_effort - how much is measured
 * @keys: number of keys
 * @changes: backends that are changed, per key
 * @builds: builds that are timed
 */
struct bench_effort {
	u32 keys;
	u32 changes;
	u32 builds;
};

extern const struct bench_scheme bench_ring, bench_maglev_large,
	bench_maglev_small, bench_ketama, bench_rendezvous, bench_modulo;

/* What is read or computed for its time only, so that it is not left out */
extern u64 bench_sink;

void *bench_alloc(size_t n, size_t size);
u64 bench_mix(u64 x);
siphash_key_t bench_key(u32 i);
void bench_name(char *name, u32 i);
double bench_clock(void);
void bench_progress(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));
double bench_median(double *v, u32 n);
double bench_round(double x);

void bench_balance(const struct bench_scheme *s, const struct bench_conf *conf,
		   const struct bench_effort *effort, struct bench_figures *f);
void bench_build(const struct bench_scheme *s, const struct bench_conf *conf,
		 u32 builds, struct bench_figures *f);
void bench_lookups(const struct bench_scheme *const *s,
		   const struct bench_conf *conf, u32 n, u32 rounds,
		   struct bench_figures *f);

#endif /* _FLOWRING_BENCH_H */
