// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzing of the ring: bytes are made into options and backends, and what the
 * code makes of them is held against Documentation/hash.rst, by brute force
 * where that is possible. Memory is as large as the interface says and no
 * larger, so that ASan sees what goes past it.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../kmod/ring.h"
#include "fuzz.h"

#define MEMBERS		40
#define TOKENS		12	/* explicit ones of a backend */
#define NIDS		64	/* ids have gaps */
#define ZONES		4
#define WEIGHTS		6

#define REQUIRE(cond)							\
	do {								\
		if (!(cond)) {						\
			fprintf(stderr, "%s:%d: not true: %s\n",	\
				__FILE__, __LINE__, #cond);		\
			abort();					\
		}							\
	} while (0)

struct input {
	const u8 *p;
	size_t left;
};

/* A ring and its table */
struct ring {
	struct flr_options opt;
	struct flr_member m[MEMBERS];
	char names[MEMBERS][8];
	u64 explicit[MEMBERS][TOKENS];
	u64 *tokens[MEMBERS];	/* of each, as flr_ring_token() has them */
	u32 n;
	struct flr_place p;
};

static void *alloc(size_t n, size_t size)
{
	void *p = malloc(n * size);

	REQUIRE(p || !n || !size);
	/* The code must not count on zeroes */
	memset(p, 0xa5, n * size);
	return p;
}

static u8 take(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->p++;
}

static int cmp_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

static int cmp_name(const void *a, const void *b)
{
	const struct flr_member *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Positions at the ends of slots and beside them, so that ties are many */
static void take_tokens(struct input *in, struct flr_member *m, u64 *to,
			u32 count)
{
	u32 i, n = 0;

	for (i = 0; i < count; i++) {
		u64 pos = (u64)take(in) << 56;

		to[i] = pos + take(in) % 4 - 2;
	}
	qsort(to, count, sizeof(*to), cmp_u64);
	for (i = 0; i < count; i++) {
		if (!n || to[n - 1] != to[i])
			to[n++] = to[i];
	}
	m->tokens = to;
	m->ntokens = n;
}

static u32 take_weight(struct input *in)
{
	static const u32 weights[WEIGHTS] = { 0, 1, 99, 100, 101, 10000 };
	u8 b = take(in);

	if (b < WEIGHTS)
		return weights[b];
	return b & 1 ? 100 : b;
}

static void take_ring(struct input *in, struct ring *r)
{
	static const char *const zones[ZONES] = { "", "a", "b", "c" };
	u8 shift, flags, i;

	memset(r, 0, sizeof(*r));
	r->opt.key.key[0] = take(in) * 0x9e3779b97f4a7c15ULL;
	r->opt.key.key[1] = take(in);
	r->opt.bits = FLR_BITS_MIN + take(in) % 3;
	r->opt.vnodes = take(in) % 24 + 1;
	r->opt.imbalance = take(in) % 101;
	r->opt.no_backend = take(in) % 3;
	r->opt.masquerade = take(in) % 2;
	r->n = take(in) % (MEMBERS + 1);
	shift = take(in);
	for (i = 0; i < r->n; i++) {
		struct flr_member *m = &r->m[i];

		flags = take(in);
		snprintf(r->names[i], sizeof(r->names[i]), "%c%u",
			 'a' + (flags >> 4), i);
		m->name = r->names[i];
		m->zone = zones[(flags >> 2) % ZONES];
		m->up = flags % 4 != 3;
		m->weight = take_weight(in);
		m->id = (i * 7 + shift) % NIDS;
		if (flags & 2)
			take_tokens(in, m, r->explicit[i],
				    take(in) % TOKENS + 1);
	}
	qsort(r->m, r->n, sizeof(*r->m), cmp_name);
}

static void make(struct ring *r)
{
	u32 i, j, ntokens, total = 0, nslots = 1U << r->opt.bits;

	for (i = 0; i < r->n; i++) {
		const struct flr_member *m = &r->m[i];

		ntokens = flr_member_ntokens(&r->opt, m);
		REQUIRE(!ntokens == !(m->up && m->weight));
		total += ntokens;
		r->tokens[i] = alloc(ntokens, sizeof(u64));
		for (j = 0; j < ntokens; j++)
			r->tokens[i][j] = m->tokens ? m->tokens[j] :
				flr_ring_token(&r->opt.key, m->name,
					       strlen(m->name), j);
	}
	REQUIRE(total == flr_ring_total(&r->opt, r->m, r->n));
	r->p = (struct flr_place){
		.slots = alloc(nslots, sizeof(u16)),
		.counts = alloc(NIDS, sizeof(u32)),
		.caps = alloc(NIDS, sizeof(u32)),
		.nids = NIDS,
		.tokens = alloc(2 * total, sizeof(struct flr_token)),
		.links = r->opt.imbalance ? alloc(2 * nslots, sizeof(u32)) :
					    NULL,
	};
	flr_ring_place(&r->p, &r->opt, r->m, r->n);
}

static void unmake(struct ring *r)
{
	u32 i;

	for (i = 0; i < r->n; i++)
		free(r->tokens[i]);
	free(r->p.slots);
	free(r->p.counts);
	free(r->p.caps);
	free(r->p.tokens);
	free(r->p.links);
}

/* From the first position of a slot onwards to the nearest token of a member */
static u64 distance(const struct ring *r, u32 i, u32 slot)
{
	u64 pos = (u64)slot << (64 - r->opt.bits), best = ~0ULL;
	u32 j;

	for (j = 0; j < flr_member_ntokens(&r->opt, &r->m[i]); j++) {
		if (r->tokens[i][j] - pos < best)
			best = r->tokens[i][j] - pos;
	}
	return best;
}

static u32 by_id(const struct ring *r, u16 id)
{
	u32 i;

	for (i = 0; i < r->n; i++) {
		if (r->m[i].id == id)
			return i;
	}
	return MEMBERS;
}

static u64 rounding(const struct ring *r, u32 i)
{
	size_t len = strlen(r->m[i].name);
	u8 buf[16] = { 0x43, len };

	memcpy(buf + 8, r->m[i].name, len);
	return siphash(buf, 8 + len, &r->opt.key);
}

/* Capacities in 128 bits, and the missing slots one by one */
static void capacities(const struct ring *r, u32 *caps)
{
	u32 nslots = 1U << r->opt.bits, i, j, best, sum = 0;
	unsigned __int128 num, den;
	bool given[MEMBERS] = {};
	u64 weights = 0;

	for (i = 0; i < r->n; i++)
		weights += r->m[i].up ? r->m[i].weight : 0;
	for (i = 0; i < r->n; i++) {
		caps[i] = 0;
		if (!flr_member_ntokens(&r->opt, &r->m[i]))
			continue;
		num = (unsigned __int128)nslots * (100 + r->opt.imbalance) *
		      r->m[i].weight << 24;
		den = (unsigned __int128)100 * weights;
		num += den * (rounding(r, i) >> 40);
		den <<= 24;
		caps[i] = num / den < nslots ? num / den : nslots;
		sum += caps[i];
	}
	for (j = 0; weights && sum < nslots; sum++, j++) {
		best = MEMBERS;
		for (i = 0; i < r->n; i++) {
			if (!flr_member_ntokens(&r->opt, &r->m[i]) || given[i])
				continue;
			if (best == MEMBERS || rounding(r, i) >
					       rounding(r, best))
				best = i;
		}
		if (best == MEMBERS) {
			memset(given, 0, sizeof(given));
			sum--;
			continue;
		}
		given[best] = true;
		caps[best]++;
	}
}

static void check_counts(const struct ring *r)
{
	u32 counts[NIDS] = {}, nslots = 1U << r->opt.bits, slot, i;
	bool any = flr_ring_total(&r->opt, r->m, r->n) != 0;

	for (slot = 0; slot < nslots; slot++) {
		u16 id = r->p.slots[slot];

		if (!any) {
			REQUIRE(id == FLR_NO_OWNER);
			continue;
		}
		i = by_id(r, id);
		REQUIRE(i < MEMBERS);
		REQUIRE(flr_member_ntokens(&r->opt, &r->m[i]));
		counts[id]++;
	}
	for (i = 0; i < NIDS; i++)
		REQUIRE(counts[i] == r->p.counts[i]);
}

static void check_unbounded(const struct ring *r)
{
	u32 nslots = 1U << r->opt.bits, slot, i, best;
	u32 total = flr_ring_total(&r->opt, r->m, r->n);
	u64 dist, d;

	if (!total)
		return;
	for (slot = 0; slot < nslots; slot++) {
		best = MEMBERS;
		dist = 0;
		for (i = 0; i < r->n; i++) {
			if (!flr_member_ntokens(&r->opt, &r->m[i]))
				continue;
			d = distance(r, i, slot);
			if (best == MEMBERS || d < dist) {
				best = i;
				dist = d;
			}
		}
		REQUIRE(r->p.slots[slot] == r->m[best].id);
		REQUIRE(flr_ring_owner(r->p.tokens, total,
				       flr_ring_pos(slot, r->opt.bits)) ==
			r->m[best].id);
	}
}

/*
 * No slot and backend that do not have each other would both rather have: with
 * all slots owned and no capacity passed, that is so for one table only.
 */
static void check_stable(const struct ring *r)
{
	u32 nslots = 1U << r->opt.bits, slot, i, own, caps[MEMBERS];
	u64 *dist = alloc((size_t)r->n * nslots, sizeof(*dist));
	u64 worst[MEMBERS] = {};
	u32 last[MEMBERS] = {};

	capacities(r, caps);
	for (i = 0; i < r->n; i++) {
		REQUIRE(caps[i] == r->p.caps[r->m[i].id]);
		REQUIRE(r->p.counts[r->m[i].id] <= caps[i]);
		for (slot = 0; slot < nslots; slot++)
			dist[i * nslots + slot] = distance(r, i, slot);
	}
	/* What each backend would give up first */
	for (slot = 0; slot < nslots; slot++) {
		i = by_id(r, r->p.slots[slot]);
		if (i < MEMBERS && dist[i * nslots + slot] >= worst[i]) {
			worst[i] = dist[i * nslots + slot];
			last[i] = slot;
		}
	}
	for (slot = 0; slot < nslots; slot++) {
		own = by_id(r, r->p.slots[slot]);
		for (i = 0; own < MEMBERS && i < r->n; i++) {
			u64 d = dist[i * nslots + slot];
			u64 has = dist[own * nslots + slot];

			if (i == own || !caps[i] ||
			    !flr_member_ntokens(&r->opt, &r->m[i]) ||
			    d > has || (d == has && i > own))
				continue;
			REQUIRE(r->p.counts[r->m[i].id] == caps[i]);
			REQUIRE(d > worst[i] ||
				(d == worst[i] && slot > last[i]));
		}
	}
	free(dist);
}

/* Other ids, the same table */
static void check_ids(const struct ring *r)
{
	u32 slot, i;
	struct ring *o = alloc(1, sizeof(*o));

	*o = *r;
	for (i = 0; i < o->n; i++)
		o->m[i].id = NIDS - 1 - o->m[i].id;
	make(o);
	for (slot = 0; slot < 1U << r->opt.bits; slot++) {
		if (r->p.slots[slot] == FLR_NO_OWNER)
			REQUIRE(o->p.slots[slot] == FLR_NO_OWNER);
		else
			REQUIRE(o->p.slots[slot] ==
				NIDS - 1 - r->p.slots[slot]);
	}
	REQUIRE(flr_ring_fingerprint(&o->opt, o->m, o->n) ==
		flr_ring_fingerprint(&r->opt, r->m, r->n));
	unmake(o);
	free(o);
}

static struct flr_view view(const struct ring *r)
{
	return (struct flr_view){
		.key = r->opt.key,
		.slots = r->p.slots,
		.counts = r->p.counts,
		.bits = r->opt.bits,
		.nids = NIDS,
	};
}

/* Moved slots and the least, slot by slot, in slots of the larger table */
static void check_moved(const struct ring *r, const struct ring *o)
{
	struct flr_view from = view(r), to = view(o);
	u32 bits = from.bits > to.bits ? from.bits : to.bits;
	u32 slot, id, moved = 0, least = 0;
	int counts[NIDS] = {};

	for (slot = 0; slot < 1U << bits; slot++) {
		u16 before = from.slots[slot >> (bits - from.bits)];
		u16 after = to.slots[slot >> (bits - to.bits)];

		moved += before != FLR_NO_OWNER && before != after;
		if (before != FLR_NO_OWNER)
			counts[before]++;
		if (after != FLR_NO_OWNER)
			counts[after]--;
	}
	for (id = 0; id < NIDS; id++)
		least += counts[id] > 0 ? counts[id] : 0;
	REQUIRE(moved == flr_ring_moved(&from, &to));
	REQUIRE(least == flr_ring_least(&from, &to));
	REQUIRE(least <= moved);
	if (!r->opt.imbalance && from.bits == to.bits)
		REQUIRE(moved == least);
}

/*
 * Change one and look at what moved, at another number of bits if the input
 * wants so; and see that what has no part in the table has none.
 */
static void check_change(const struct ring *r, struct input *in)
{
	struct ring *o = alloc(1, sizeof(*o));
	u32 i = take(in) % r->n;

	*o = *r;
	o->m[i].weight = take(in) & 1 ? 0 : take_weight(in);
	if (take(in) % 4 == 1)
		o->opt.bits = FLR_BITS_MIN + take(in) % 3;
	make(o);
	check_moved(r, o);
	check_moved(o, r);
	if (o->m[i].weight != r->m[i].weight)
		REQUIRE(flr_ring_fingerprint(&o->opt, o->m, o->n) !=
			flr_ring_fingerprint(&o->opt, r->m, r->n));
	unmake(o);
	free(o);
}

/* Owner after owner: another zone first, the nearest of those */
static u32 next_owner(const struct ring *r, const u32 *list, u32 len, u64 pos)
{
	u32 slot = pos >> (64 - r->opt.bits), i, k, best = MEMBERS;
	bool best_near = false;
	u64 dist = 0;

	for (i = 0; i < r->n; i++) {
		bool near = false, taken = false;
		u64 d;

		if (!flr_member_ntokens(&r->opt, &r->m[i]))
			continue;
		for (k = 0; k < len; k++) {
			taken |= list[k] == i;
			near |= !strcmp(r->m[list[k]].zone, r->m[i].zone);
		}
		if (taken)
			continue;
		d = distance(r, i, slot);
		if (best == MEMBERS || (best_near && !near) ||
		    (best_near == near && d < dist)) {
			best = i;
			best_near = near;
			dist = d;
		}
	}
	return best;
}

static void check_owners(const struct ring *r, struct input *in)
{
	struct flr_reach *reach = alloc(r->n, sizeof(*reach));
	u64 pos = (u64)take(in) << 56 | (u64)take(in) << 48;
	u32 max = take(in) % 65, n, k, *list;
	u16 first;

	pos = flr_ring_pos(flr_ring_slot(pos, r->opt.bits), r->opt.bits);
	first = r->p.slots[flr_ring_slot(pos, r->opt.bits)];
	list = alloc(max, sizeof(*list));
	n = flr_ring_owners(list, max, &r->opt, r->m, r->n, pos, first, reach);
	REQUIRE(n <= max);
	REQUIRE(first != FLR_NO_OWNER || !n);
	for (k = 0; k < n; k++)
		REQUIRE(list[k] == (k ? next_owner(r, list, k, pos) :
					by_id(r, first)));
	if (n < max && first != FLR_NO_OWNER)
		REQUIRE(next_owner(r, list, n, pos) == MEMBERS);
	free(list);
	free(reach);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct ring *r = alloc(1, sizeof(*r));

	take_ring(&in, r);
	make(r);
	check_counts(r);
	if (r->opt.imbalance)
		check_stable(r);
	else
		check_unbounded(r);
	check_owners(r, &in);
	if (r->n) {
		check_ids(r);
		check_change(r, &in);
	}
	unmake(r);
	free(r);
	return 0;
}
