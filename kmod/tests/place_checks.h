/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Properties of placement that hold for any ring, in the kernel and in
 * userspace. Each check names what is wrong, or returns NULL.
 */
#ifndef _FLOWRING_PLACE_CHECKS_H
#define _FLOWRING_PLACE_CHECKS_H

#include "place_build.h"

#define PLACE_MEMBERS	12	/* of a random ring, at most */
#define PLACE_TOKENS	3	/* explicit ones of a member, at most */
#define PLACE_BURST	200	/* backends of the largest ring of that check */

/**
 * struct place_random - a random ring and what its members point to
 * @r: the ring
 * @m: its members
 * @tokens: their explicit tokens
 */
struct place_random {
	struct place_ring r;
	struct flr_member m[PLACE_MEMBERS];
	u64 tokens[PLACE_MEMBERS][PLACE_TOKENS];
};

/* Ascending positions, few and at the ends of slots, to be equal often */
static inline void place_random_tokens(struct place_random *x, u32 i, u64 *rnd)
{
	u64 slot = ring_random(rnd) % 4;
	u32 j;

	for (j = 0; j < PLACE_TOKENS; j++) {
		x->tokens[i][j] = (slot << 60) + ring_random(rnd) % 3 - 1;
		slot += 1 + ring_random(rnd) % 4;
	}
	/* That before position 0 is the last of all */
	if (x->tokens[i][0] == U64_MAX)
		x->tokens[i][0] = 0;
	x->m[i].tokens = x->tokens[i];
	x->m[i].ntokens = 1 + ring_random(rnd) % PLACE_TOKENS;
}

static inline void place_random(struct place_random *x, u32 imbalance, u64 *rnd)
{
	static const char * const names[PLACE_MEMBERS] = {
		"n", "web-1", "web", "a", "b", "Web", "d", "e", "web-10", "g",
		"h", "0123456789abcdef0123456789abcde",
	};
	static const char * const zones[] = { "", "", "east", "west" };
	static const u16 weights[] = { 0, 1, 50, 100, 100, 100, 300, 10000 };
	u32 i, first = ring_random(rnd) % PLACE_MEMBERS;

	memset(x, 0, sizeof(*x));
	x->r.opt.key.key[0] = ring_random(rnd);
	x->r.opt.key.key[1] = ring_random(rnd);
	x->r.opt.bits = FLR_BITS_MIN + ring_random(rnd) % 2;
	x->r.opt.vnodes = 1 + ring_random(rnd) % 16;
	x->r.opt.imbalance = imbalance;
	x->r.m = x->m;
	x->r.n = ring_random(rnd) % (PLACE_MEMBERS + 1);
	for (i = 0; i < x->r.n; i++) {
		struct flr_member *m = &x->m[i];

		m->name = names[(first + i) % PLACE_MEMBERS];
		m->zone = zones[ring_random(rnd) % 4];
		m->weight = weights[ring_random(rnd) % 8];
		if (x->r.opt.vnodes > 4 && m->weight > 300)
			m->weight = 300;
		m->id = i;
		m->state = ring_random(rnd) % 8 ? 0 : 1;
		m->up = !m->state;
		if (!(ring_random(rnd) % 3))
			place_random_tokens(x, i, rnd);
	}
}

/* The same members in another order, under other ids */
static inline void place_shuffle(struct place_random *to,
				 const struct place_random *from, u64 *rnd)
{
	u32 i, j, n = from->r.n;

	to->r.opt = from->r.opt;
	to->r.n = n;
	to->r.m = to->m;
	for (i = 0; i < n; i++) {
		j = ring_random(rnd) % (i + 1);
		to->m[i] = to->m[j];
		to->m[j] = from->m[i];
	}
	for (i = 0; i < n; i++)
		to->m[i].id = 3 * i + 1;
}

/* The table keeps all rules, and does not depend on the order of members */
static inline const char *place_random_fault(u32 imbalance, u64 *rnd,
					     const struct place_mem *mem)
{
	struct place_random *a = mem->alloc(mem->ctx, 2, sizeof(*a));
	struct place_random *b = a + 1;
	const char *fault;
	u32 slot;

	place_random(a, imbalance, rnd);
	place_shuffle(b, a, rnd);
	place_make(&a->r, mem);
	place_make(&b->r, mem);
	fault = place_fault(&a->r, mem);
	for (slot = 0; !fault && slot < 1U << a->r.opt.bits; slot++) {
		if (place_index(&a->r, a->r.p.slots[slot]) !=
		    place_index(&b->r, b->r.p.slots[slot]))
			fault = "another table in another order";
	}
	if (!fault && flr_ring_fingerprint(&a->r.opt, a->m, a->r.n) !=
		      flr_ring_fingerprint(&b->r.opt, b->m, b->r.n))
		fault = "another fingerprint in another order";
	place_free(&a->r, mem);
	place_free(&b->r, mem);
	mem->free(mem->ctx, a);
	return fault;
}

/* Change one member of an unbounded ring: no slot moves that need not */
static inline const char *place_least_fault(u64 *rnd,
					    const struct place_mem *mem)
{
	struct place_random *a = mem->alloc(mem->ctx, 2, sizeof(*a));
	struct place_random *b = a + 1;
	const char *fault = NULL;
	struct flr_member *m;

	do {
		place_random(a, 0, rnd);
	} while (!a->r.n);
	place_shuffle(b, a, rnd);
	place_same_ids(&a->r, &b->r);
	m = &b->m[ring_random(rnd) % b->r.n];
	switch (ring_random(rnd) % 3) {
	case 0:
		*m = b->m[--b->r.n];
		break;
	case 1:
		m->up = !m->up;
		break;
	default:
		m->weight = ring_random(rnd) % 200;
	}
	place_make(&a->r, mem);
	place_make(&b->r, mem);
	if (place_moved(&a->r, &b->r) != place_least(&a->r, &b->r) ||
	    place_moved(&b->r, &a->r) != place_least(&b->r, &a->r))
		fault = "more moved than the least";
	place_free(&a->r, mem);
	place_free(&b->r, mem);
	mem->free(mem->ctx, a);
	return fault;
}

/*
 * As backends join, the others' capacities fall one by one, each at a time of
 * its own: of n, about as many as slots are lost, and never all at once. Allow
 * five standard deviations.
 */
static inline const char *place_burst_fault(const struct flr_options *opt,
					    const struct place_mem *mem)
{
	struct flr_member *m = mem->alloc(mem->ctx, PLACE_BURST, sizeof(*m));
	u32 *caps = mem->alloc(mem->ctx, 2 * PLACE_BURST, sizeof(*caps));
	char (*names)[4] = mem->alloc(mem->ctx, PLACE_BURST, sizeof(*names));
	u32 *was = caps, *now = caps + PLACE_BURST, n, i;
	const char *fault = NULL;

	for (i = 0; i < PLACE_BURST; i++) {
		names[i][0] = 'a' + i / 26;
		names[i][1] = 'a' + i % 26;
		m[i].name = names[i];
		m[i].zone = "";
		m[i].weight = 100;
		m[i].id = i;
		m[i].up = true;
	}
	flr_ring_capacities(was, PLACE_BURST, opt, m, 1);
	for (n = 2; n <= PLACE_BURST; n++) {
		u32 all = (100 + opt->imbalance) * (1U << opt->bits) / 100;
		u32 each = all / n / (n - 1), lost, losers = 0, more;

		flr_ring_capacities(now, PLACE_BURST, opt, m, n);
		for (i = 0; i < n - 1; i++) {
			if (now[i] > was[i])
				fault = "a capacity that grew";
			lost = was[i] - now[i];
			losers += lost > each;
			if (n > 2 && lost > each + 1)
				fault = "more than one slot lost at once";
		}
		/* Losers that are expected, beyond what all of them lose */
		more = all / n - each * (n - 1);
		if (n > 20 && losers > more &&
		    (losers - more) * (losers - more) > 25 * (more + 2))
			fault = "a burst of slots lost";
		memcpy(was, now, PLACE_BURST * sizeof(*was));
	}
	mem->free(mem->ctx, names);
	mem->free(mem->ctx, caps);
	mem->free(mem->ctx, m);
	return fault;
}

/* Each field of a member but the zone has a part in the fingerprint */
static inline const char *place_fingerprint_fault(void)
{
	static const u64 tokens[] = { 1, 2 };
	struct flr_options opt = { .bits = 8, .vnodes = 8, .imbalance = 5 };
	struct flr_member m[2] = {
		{ .name = "a", .zone = "", .weight = 100, .up = true },
		{ .name = "b", .zone = "", .weight = 100, .up = true },
	};
	struct flr_options other;
	struct flr_member was = m[0];
	u64 f = flr_ring_fingerprint(&opt, m, 2);
	u32 i, same = 0;

	for (i = 0; i < 11; i++) {
		m[0] = was;
		m[0].name = i == 0 ? "A" : was.name;
		m[0].weight += i == 1;
		m[0].state += i == 2;
		m[0].mode += i == 3;
		m[0].ipv6 = i == 4;
		m[0].port += i == 5;
		m[0].addr[15] += i == 6;
		m[0].tokens = i == 7 || i == 8 ? tokens : NULL;
		m[0].ntokens = m[0].tokens ? i - 6 : 0;
		m[0].checksum = i == 9;
		m[0].mark += i == 10;
		same += flr_ring_fingerprint(&opt, m, 2) == f;
	}
	m[0] = was;
	for (i = 0; i < 6; i++) {
		other = opt;
		other.key.key[1] += i == 0;
		other.bits += i == 1;
		other.vnodes += i == 2;
		other.imbalance += i == 3;
		other.no_backend += i == 4;
		other.masquerade += i == 5;
		same += flr_ring_fingerprint(&other, m, 2) == f;
	}
	if (same)
		return "the fingerprint leaves something out";
	m[0].zone = "east";
	m[0].id = 9;
	return flr_ring_fingerprint(&opt, m, 2) == f ? NULL :
	       "the fingerprint covers zones or ids";
}

/*
 * Owners of a position in slot 0, in distinct zones first: from the slot's
 * first position, the distances are 1, 2 and so on.
 */
static inline const char *place_zones_fault(void)
{
	static const u64 pos[] = { 1, 2, 3, 4, 5, 6 };
	static const char * const zones[] = { "x", "x", "y", "", "", "x" };
	static const char * const names[] = { "a", "b", "c", "d", "e", "f" };
	static const u32 want[] = { 5, 2, 3, 0, 1 };
	struct flr_options opt = { .bits = 8, .vnodes = 8, .imbalance = 5 };
	struct flr_member m[6] = {};
	struct flr_reach reach[6];
	u32 list[6], n, i, most;

	for (i = 0; i < 6; i++) {
		m[i].name = names[i];
		m[i].zone = zones[i];
		m[i].tokens = &pos[i];
		m[i].ntokens = 1;
		m[i].weight = 100;
		m[i].id = 10 + i;
		m[i].up = i != 4;
	}
	for (most = 0; most <= 6; most++) {
		n = flr_ring_owners(list, most, &opt, m, 6, 3, 15, reach);
		if (n != (most < 5 ? most : 5))
			return "the number of owners";
		for (i = 0; i < n; i++) {
			if (list[i] != want[i])
				return "the order of owners";
		}
	}
	if (flr_ring_owners(list, 6, &opt, m, 6, 0, FLR_NO_OWNER, reach))
		return "owners of a slot that has none";
	return NULL;
}

/* Tables of different sizes, counted by hand: id 1, in the larger one 2 too */
static inline const char *place_moved_fault(void)
{
	static u16 a[256], b[512];
	static const u32 counts_a[] = { 0, 252 }, counts_b[] = { 0, 510, 1 };
	struct flr_view from = { { { 1, 2 } }, a, counts_a, 8, 2 };
	struct flr_view to = { { { 1, 2 } }, b, counts_b, 9, 3 };
	u32 i;

	for (i = 0; i < 256; i++)
		a[i] = i < 4 ? FLR_NO_OWNER : 1;
	for (i = 0; i < 512; i++)
		b[i] = i < 511 ? 1 : FLR_NO_OWNER;
	b[100] = 2;
	if (flr_ring_moved(&from, &from) || flr_ring_least(&from, &from))
		return "slots moved by no change";
	if (flr_ring_moved(&from, &to) != 2 || flr_ring_least(&from, &to))
		return "slots moved to a larger table";
	if (flr_ring_moved(&to, &from) != 8 + 1 ||
	    flr_ring_least(&to, &from) != 510 - 504 + 1)
		return "slots moved to a smaller table";
	to.key.key[1]++;
	if (flr_ring_moved(&from, &to) != 2 * 252 ||
	    flr_ring_moved(&to, &from) != 511)
		return "slots moved by another key";
	return NULL;
}

#endif /* _FLOWRING_PLACE_CHECKS_H */
