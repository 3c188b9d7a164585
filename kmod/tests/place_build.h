/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of placement share, in the kernel and in userspace: making a
 * table from members, and checks of it that know only Documentation/hash.rst.
 * Each check names what is wrong, or returns NULL.
 */
#ifndef _FLOWRING_PLACE_BUILD_H
#define _FLOWRING_PLACE_BUILD_H

#include <linux/string.h>
#include <linux/types.h>

#include "../ring.h"
#include "golden.h"
#include "ring_build.h"

/**
 * struct place_mem - where memory comes from; @alloc does not fail
 * @alloc: zeroed memory for so many of that size
 * @free: give it back
 * @ctx: for both
 */
struct place_mem {
	void *(*alloc)(void *ctx, size_t n, size_t size);
	void (*free)(void *ctx, void *p);
	void *ctx;
};

/**
 * struct place_ring - a ring and its table
 * @opt: its options
 * @m: its members, ordered by name by place_make()
 * @n: how many
 * @p: the table
 * @pos: positions of all tokens, member by member, in no other order
 */
struct place_ring {
	struct flr_options opt;
	struct flr_member *m;
	u32 n;
	struct flr_place p;
	u64 *pos;
};

static inline void place_sort(struct flr_member *m, u32 n)
{
	u32 i, j;

	for (i = 1; i < n; i++) {
		struct flr_member x = m[i];

		for (j = i; j && strcmp(m[j - 1].name, x.name) > 0; j--)
			m[j] = m[j - 1];
		m[j] = x;
	}
}

static inline void place_positions(struct place_ring *r)
{
	u64 *pos = r->pos;
	u32 i, j;

	for (i = 0; i < r->n; i++) {
		const struct flr_member *m = &r->m[i];

		for (j = 0; j < flr_member_ntokens(&r->opt, m); j++)
			*pos++ = m->tokens ? m->tokens[j] :
				 flr_ring_token(&r->opt.key, m->name,
						strlen(m->name), j);
	}
}

/* Order the members and make the table, in memory that place_free() frees */
static inline void place_make(struct place_ring *r, const struct place_mem *mem)
{
	u32 total = flr_ring_total(&r->opt, r->m, r->n);
	u32 nslots = 1U << r->opt.bits, i;

	place_sort(r->m, r->n);
	r->p.nids = 0;
	for (i = 0; i < r->n; i++) {
		if (r->m[i].id >= r->p.nids)
			r->p.nids = r->m[i].id + 1;
	}
	r->p.slots = mem->alloc(mem->ctx, nslots, sizeof(*r->p.slots));
	r->p.counts = mem->alloc(mem->ctx, r->p.nids, sizeof(*r->p.counts));
	r->p.caps = mem->alloc(mem->ctx, r->p.nids, sizeof(*r->p.caps));
	r->p.tokens = mem->alloc(mem->ctx, 2 * total, sizeof(*r->p.tokens));
	r->p.links = NULL;
	if (r->opt.imbalance)
		r->p.links = mem->alloc(mem->ctx, 2 * nslots,
					sizeof(*r->p.links));
	r->pos = mem->alloc(mem->ctx, total, sizeof(*r->pos));
	place_positions(r);
	flr_ring_place(&r->p, &r->opt, r->m, r->n);
}

static inline void place_free(struct place_ring *r, const struct place_mem *mem)
{
	mem->free(mem->ctx, r->pos);
	mem->free(mem->ctx, r->p.links);
	mem->free(mem->ctx, r->p.tokens);
	mem->free(mem->ctx, r->p.caps);
	mem->free(mem->ctx, r->p.counts);
	mem->free(mem->ctx, r->p.slots);
}

/* Place of the member with this id in the order of names */
static inline u32 place_index(const struct place_ring *r, u16 id)
{
	u32 i;

	for (i = 0; i < r->n; i++) {
		if (r->m[i].id == id)
			return i;
	}
	return FLR_NO_OWNER;
}

/* From the slot to the nearest token of each member, one by one */
static inline void place_distances(const struct place_ring *r, u32 slot,
				   u64 *dist)
{
	u64 first = (u64)slot << (64 - r->opt.bits);
	const u64 *pos = r->pos;
	u32 i, j;

	for (i = 0; i < r->n; i++) {
		dist[i] = U64_MAX;
		for (j = flr_member_ntokens(&r->opt, &r->m[i]); j; j--, pos++) {
			if (*pos - first < dist[i])
				dist[i] = *pos - first;
		}
	}
}

/* Whether the member can own a slot of a bounded ring */
static inline bool place_partner(const struct place_ring *r, u32 i)
{
	return flr_member_ntokens(&r->opt, &r->m[i]) &&
	       r->p.caps[r->m[i].id];
}

/* Counts are those of the slots, and within the capacities; all slots owned */
static inline const char *place_counts_fault(const struct place_ring *r)
{
	u32 i, slot, count, sum = 0, caps = 0;
	bool any = false;

	for (i = 0; i < r->n; i++) {
		u16 id = r->m[i].id;

		for (count = 0, slot = 0; slot < 1U << r->opt.bits; slot++)
			count += r->p.slots[slot] == id;
		if (count != r->p.counts[id])
			return "a count";
		if (r->opt.imbalance && count > r->p.caps[id])
			return "more slots than the capacity";
		if (r->p.caps[id] > 1U << r->opt.bits)
			return "a capacity beyond the slots";
		if (flr_member_ntokens(&r->opt, &r->m[i]))
			any = true;
		else if (count || (r->opt.imbalance && r->p.caps[id]))
			return "slots or capacity without tokens";
		sum += count;
		caps += r->p.caps[id];
	}
	if (sum != (any ? 1U << r->opt.bits : 0))
		return "slots without an owner";
	if (r->opt.imbalance && any && caps < sum)
		return "capacities that are short of the slots";
	return NULL;
}

/* No slot and member would both rather have each other */
static inline const char *place_stability_fault(const struct place_ring *r,
						const struct place_mem *mem)
{
	u64 *dist = mem->alloc(mem->ctx, r->n, sizeof(*dist));
	u64 *far = mem->alloc(mem->ctx, r->n, sizeof(*far));
	u32 *last = mem->alloc(mem->ctx, r->n, sizeof(*last));
	const char *fault = NULL;
	u32 i, own, slot;

	/* The slot that each would give up first: the one it likes least */
	for (slot = 0; slot < 1U << r->opt.bits; slot++) {
		own = place_index(r, r->p.slots[slot]);
		if (own == FLR_NO_OWNER)
			continue;
		place_distances(r, slot, dist);
		if (dist[own] >= far[own]) {
			far[own] = dist[own];
			last[own] = slot;
		}
	}
	for (slot = 0; slot < 1U << r->opt.bits; slot++) {
		own = place_index(r, r->p.slots[slot]);
		place_distances(r, slot, dist);
		for (i = 0; i < r->n && own != FLR_NO_OWNER; i++) {
			if (!place_partner(r, i) || dist[i] > dist[own] ||
			    (dist[i] == dist[own] && i >= own))
				continue;
			if (r->p.counts[r->m[i].id] < r->p.caps[r->m[i].id] ||
			    dist[i] < far[i] ||
			    (dist[i] == far[i] && slot < last[i]))
				fault = "a blocking pair";
		}
	}
	mem->free(mem->ctx, last);
	mem->free(mem->ctx, far);
	mem->free(mem->ctx, dist);
	return fault;
}

/* Without a bound, each slot belongs to the nearest */
static inline const char *place_nearest_fault(const struct place_ring *r,
					      const struct place_mem *mem)
{
	u64 *dist = mem->alloc(mem->ctx, r->n, sizeof(*dist));
	const char *fault = NULL;
	u32 i, own, slot;

	for (slot = 0; slot < 1U << r->opt.bits; slot++) {
		own = place_index(r, r->p.slots[slot]);
		place_distances(r, slot, dist);
		for (i = 0; i < r->n && own != FLR_NO_OWNER; i++) {
			if (flr_member_ntokens(&r->opt, &r->m[i]) &&
			    (dist[i] < dist[own] ||
			     (dist[i] == dist[own] && i < own)))
				fault = "a nearer backend";
		}
	}
	mem->free(mem->ctx, dist);
	return fault;
}

static inline const char *place_fault(const struct place_ring *r,
				      const struct place_mem *mem)
{
	const char *fault = place_counts_fault(r);

	if (fault)
		return fault;
	return r->opt.imbalance ? place_stability_fault(r, mem) :
				  place_nearest_fault(r, mem);
}

static inline struct flr_view place_view(const struct place_ring *r)
{
	struct flr_view view = {
		.key = r->opt.key,
		.slots = r->p.slots,
		.counts = r->p.counts,
		.bits = r->opt.bits,
		.nids = r->p.nids,
	};

	return view;
}

static inline u32 place_moved(const struct place_ring *a,
			      const struct place_ring *b)
{
	struct flr_view from = place_view(a), to = place_view(b);

	return flr_ring_moved(&from, &to);
}

static inline u32 place_least(const struct place_ring *a,
			      const struct place_ring *b)
{
	struct flr_view from = place_view(a), to = place_view(b);

	return flr_ring_least(&from, &to);
}

/* The golden ring's options and members; @m has room for GOLDEN_BACKENDS */
static inline void place_golden(struct place_ring *r, struct flr_member *m,
				const struct golden_ring *g)
{
	u32 i;

	memset(r, 0, sizeof(*r));
	memset(m, 0, GOLDEN_BACKENDS * sizeof(*m));
	r->opt.key = ring_key(g->key);
	r->opt.bits = g->bits;
	r->opt.vnodes = g->vnodes;
	r->opt.imbalance = g->imbalance;
	r->opt.no_backend = g->no_backend;
	r->opt.masquerade = g->masquerade;
	r->m = m;
	r->n = g->nbackends;
	for (i = 0; i < g->nbackends; i++) {
		const struct golden_backend *b = &g->backends[i];

		m[i].name = b->name;
		m[i].zone = b->zone;
		m[i].tokens = b->ntokens ? b->tokens : NULL;
		m[i].ntokens = b->ntokens;
		m[i].weight = b->weight;
		m[i].id = i;
		m[i].up = !b->state;
		m[i].mode = b->mode;
		m[i].checksum = b->checksum;
		m[i].mark = b->mark;
		m[i].state = b->state;
		m[i].ipv6 = b->version == 6;
		m[i].port = b->port;
		memcpy(m[i].addr, b->addr, sizeof(b->addr));
	}
}

static inline const char *place_owners_fault(const struct place_ring *r,
					     const struct golden_ring *g)
{
	struct flr_reach reach[GOLDEN_BACKENDS];
	u32 list[GOLDEN_OWNERS], n, i;
	u16 first = r->p.slots[flr_ring_slot(g->pos, r->opt.bits)];

	n = flr_ring_owners(list, GOLDEN_OWNERS, &r->opt, r->m, r->n, g->pos,
			    first, reach);
	if (n != g->nowners)
		return "the number of owners";
	for (i = 0; i < n; i++) {
		if (list[i] != g->owners[i])
			return "owners";
	}
	return NULL;
}

/* All that a golden ring has to say; @r was made of it, with its ids */
static inline const char *place_golden_fault(const struct place_ring *r,
					     const struct golden_ring *g)
{
	u32 nslots = 1U << g->bits, i;

	for (i = 0; i < GOLDEN_SAMPLES; i++) {
		u32 at = i * (nslots / GOLDEN_SAMPLES) + i;

		if (r->p.slots[at] != g->samples[i])
			return "a sample";
	}
	for (i = 0; i < g->nbackends; i++) {
		if (r->p.counts[i] != g->counts[i])
			return "a count";
		if (g->imbalance && r->p.caps[i] != g->capacities[i])
			return "a capacity";
	}
	if (flr_ring_fingerprint(&r->opt, r->m, r->n) != g->fingerprint)
		return "the fingerprint";
	if (place_owners_fault(r, g))
		return place_owners_fault(r, g);
	/* Last, since it reorders bytes */
	if (ring_digest(r->p.slots, nslots, &r->opt.key) != g->digest)
		return "the digest of the slots";
	return NULL;
}

/* Give members of @b the ids that their names have in @a, others new ones */
static inline void place_same_ids(const struct place_ring *a,
				  struct place_ring *b)
{
	u32 i, j;

	for (i = 0; i < b->n; i++) {
		b->m[i].id = a->n + i;
		for (j = 0; j < a->n; j++) {
			if (!strcmp(a->m[j].name, b->m[i].name))
				b->m[i].id = a->m[j].id;
		}
	}
}

static inline const char *place_change_fault(const struct golden_change *c,
					     const struct place_mem *mem)
{
	struct flr_member *m = mem->alloc(mem->ctx, 2 * GOLDEN_BACKENDS,
					  sizeof(*m));
	struct place_ring a, b;
	const char *fault = NULL;

	place_golden(&a, m, &golden_rings[c->from]);
	place_golden(&b, m + GOLDEN_BACKENDS, &golden_rings[c->to]);
	place_same_ids(&a, &b);
	place_make(&a, mem);
	place_make(&b, mem);
	if (place_moved(&a, &b) != c->moved)
		fault = "slots moved";
	else if (place_least(&a, &b) != c->least)
		fault = "the least";
	place_free(&a, mem);
	place_free(&b, mem);
	mem->free(mem->ctx, m);
	return fault;
}

#endif /* _FLOWRING_PLACE_BUILD_H */
