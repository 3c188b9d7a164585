// SPDX-License-Identifier: GPL-2.0
/* The ring of this project, from the files that the module is built from. */

#include <stdlib.h>
#include <string.h>

#include "bench.h"

struct ring {
	struct flr_options opt;
	struct flr_place place;
	struct flr_member *members;
	char (*names)[BENCH_NAME];
	u32 n;
};

static void *ring_make(const struct bench_conf *conf)
{
	struct ring *r = bench_alloc(1, sizeof(*r));
	u32 nslots = 1U << conf->bits;
	u32 i, total;

	r->opt = (struct flr_options){
		.key = conf->key,
		.bits = conf->bits,
		.vnodes = conf->vnodes,
		.imbalance = conf->imbalance,
	};
	r->n = conf->n;
	r->members = bench_alloc(r->n, sizeof(*r->members));
	r->names = bench_alloc(r->n, sizeof(*r->names));
	for (i = 0; i < r->n; i++) {
		bench_name(r->names[i], i);
		r->members[i] = (struct flr_member){
			.name = r->names[i],
			.zone = "",
			.weight = BENCH_WEIGHT,
			.id = i,
			.up = true,
		};
	}
	total = flr_ring_total(&r->opt, r->members, r->n);
	r->place = (struct flr_place){
		.slots = bench_alloc(nslots, sizeof(*r->place.slots)),
		.counts = bench_alloc(r->n, sizeof(*r->place.counts)),
		.caps = bench_alloc(r->n, sizeof(*r->place.caps)),
		.nids = r->n,
		.tokens = bench_alloc(2 * total, sizeof(*r->place.tokens)),
		.links = bench_alloc(2 * nslots, sizeof(*r->place.links)),
	};
	return r;
}

static void ring_free(void *priv)
{
	struct ring *r = priv;

	free(r->place.slots);
	free(r->place.counts);
	free(r->place.caps);
	free(r->place.tokens);
	free(r->place.links);
	free(r->members);
	free(r->names);
	free(r);
}

static void ring_place(void *priv, const u32 *weights)
{
	struct ring *r = priv;
	u32 i;

	for (i = 0; i < r->n; i++)
		r->members[i].weight = weights[i];
	flr_ring_place(&r->place, &r->opt, r->members, r->n);
}

static u32 ring_pieces(void *priv)
{
	struct ring *r = priv;

	return 1U << r->opt.bits;
}

static void ring_owners(void *priv, const u32 *weights, u16 *owners)
{
	struct ring *r = priv;

	(void)weights;
	memcpy(owners, r->place.slots, sizeof(*owners) << r->opt.bits);
}

/* As kmod/steer.c: the table and its bits, from memory */
static inline u32 ring_pick(const struct ring *r, u64 hash)
{
	return r->place.slots[flr_ring_slot(hash, r->opt.bits)];
}

BENCH_LOOKUP(ring_lookup, ring_pick)

const struct bench_scheme bench_ring = {
	.name	= "flowring",
	.make	= ring_make,
	.free	= ring_free,
	.place	= ring_place,
	.pieces	= ring_pieces,
	.owners	= ring_owners,
	.lookup	= ring_lookup,
};
