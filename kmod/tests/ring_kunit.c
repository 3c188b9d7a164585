// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the ring's tokens, and of the table that they make when there
 * is no bound. Suite: flowring_ring.
 */

#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "../ring.c"
#include "../place.c"
#include "golden.h"
#include "ring_build.h"

#define MAX_BACKENDS	16
#define TOKEN(p, o)	{ .pos = (p), .owner = (o) }

/* What a test builds: the backends and the table that comes of them */
struct ring_fixture {
	siphash_key_t key;
	u32 bits;
	u32 vnodes;
	struct flr_token *tokens;
	u32 ntokens;
	u16 *slots;
};

static void ring_make(struct kunit *test, struct ring_fixture *r,
		      struct ring_backend *b, u32 n)
{
	struct flr_token *scratch;

	r->ntokens = ring_ntokens(b, n, r->vnodes);
	r->tokens = kunit_kcalloc(test, r->ntokens + 1, sizeof(*r->tokens),
				  GFP_KERNEL);
	scratch = kunit_kcalloc(test, r->ntokens + 1, sizeof(*scratch),
				GFP_KERNEL);
	r->slots = kunit_kcalloc(test, 1U << r->bits, sizeof(*r->slots),
				 GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, r->tokens);
	KUNIT_ASSERT_NOT_NULL(test, scratch);
	KUNIT_ASSERT_NOT_NULL(test, r->slots);

	ring_add_all(r->tokens, &r->key, r->vnodes, b, n);
	flr_ring_sort(r->tokens, scratch, r->ntokens);
	flr_ring_fill(r->slots, r->bits, r->tokens, r->ntokens);
	kunit_kfree(test, scratch);
}

static void ring_free(struct kunit *test, struct ring_fixture *r)
{
	kunit_kfree(test, r->slots);
	kunit_kfree(test, r->tokens);
}

/* As ring_make(), of those backends whose bits are set in @mask */
static void ring_make_some(struct kunit *test, struct ring_fixture *r,
			   const struct ring_backend *b, u32 n,
			   unsigned long mask)
{
	struct ring_backend some[MAX_BACKENDS];
	u32 i, nsome = 0;

	for (i = 0; i < n; i++) {
		if (mask & BIT(i))
			some[nsome++] = b[i];
	}
	ring_make(test, r, some, nsome);
}

/* Slots that have another owner in @b than in @a */
static u32 ring_moved(const struct ring_fixture *a,
		      const struct ring_fixture *b)
{
	u32 slot, moved = 0;

	for (slot = 0; slot < 1U << a->bits; slot++)
		moved += a->slots[slot] != b->slots[slot];
	return moved;
}

/* Of these, the ones that did not belong to @owner in @a */
static u32 ring_moved_not_from(const struct ring_fixture *a,
			       const struct ring_fixture *b, u16 owner)
{
	u32 slot, moved = 0;

	for (slot = 0; slot < 1U << a->bits; slot++)
		moved += a->slots[slot] != b->slots[slot] &&
			 a->slots[slot] != owner;
	return moved;
}

static u32 ring_share(const struct ring_fixture *r, u16 owner)
{
	u32 slot, share = 0;

	for (slot = 0; slot < 1U << r->bits; slot++)
		share += r->slots[slot] == owner;
	return share;
}

/* Slots whose owner is not that of their first position */
static u32 ring_wrong_slots(const struct ring_fixture *r)
{
	u32 slot, wrong = 0;

	for (slot = 0; slot < 1U << r->bits; slot++)
		wrong += r->slots[slot] !=
			 flr_ring_owner(r->tokens, r->ntokens,
					(u64)slot << (64 - r->bits));
	return wrong;
}

static void ring_interval_ends(struct kunit *test)
{
	static const struct flr_token tokens[] = {
		TOKEN(100, 0), TOKEN(200, 1),
	};

	KUNIT_EXPECT_EQ(test, flr_ring_owner(tokens, 2, 0), 0);
	KUNIT_EXPECT_EQ(test, flr_ring_owner(tokens, 2, 100), 0);
	KUNIT_EXPECT_EQ(test, flr_ring_owner(tokens, 2, 101), 1);
	KUNIT_EXPECT_EQ(test, flr_ring_owner(tokens, 2, 200), 1);
	KUNIT_EXPECT_EQ(test, flr_ring_owner(tokens, 2, 201), 0);
	KUNIT_EXPECT_EQ(test, flr_ring_owner(tokens, 2, U32_MAX), 0);
	KUNIT_EXPECT_EQ(test, flr_ring_owner(tokens, 2, U64_MAX), 0);
}

static void ring_wraparound(struct kunit *test)
{
	static const struct flr_token tokens[] = {
		TOKEN(0, 0), TOKEN(1ULL << 63, 1), TOKEN(U64_MAX, 2),
	};

	KUNIT_EXPECT_EQ(test, flr_ring_owner(tokens, 3, 0), 0);
	KUNIT_EXPECT_EQ(test, flr_ring_owner(tokens, 3, 1), 1);
	KUNIT_EXPECT_EQ(test, flr_ring_owner(tokens, 3, 1ULL << 63), 1);
	KUNIT_EXPECT_EQ(test, flr_ring_owner(tokens, 3, (1ULL << 63) + 1), 2);
	KUNIT_EXPECT_EQ(test, flr_ring_owner(tokens, 3, U64_MAX), 2);
	/* Without the token at the end, the end belongs to the one at 0 */
	KUNIT_EXPECT_EQ(test, flr_ring_owner(tokens, 2, U64_MAX), 0);
	/* Without the one at 0, that belongs to the next */
	KUNIT_EXPECT_EQ(test, flr_ring_owner(tokens + 1, 2, 0), 1);
}

/* A token on, before and after the first position of a slot */
static void ring_slot_ends(struct kunit *test)
{
	const u64 slot5 = 5ULL << 56;
	struct flr_token tokens[] = { TOKEN(slot5, 0), TOKEN(U64_MAX, 1) };
	u16 *slots = kunit_kcalloc(test, 256, sizeof(*slots), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, slots);
	flr_ring_fill(slots, 8, tokens, 2);
	KUNIT_EXPECT_EQ(test, slots[0], 0);
	KUNIT_EXPECT_EQ(test, slots[5], 0);
	KUNIT_EXPECT_EQ(test, slots[6], 1);
	KUNIT_EXPECT_EQ(test, slots[255], 1);

	tokens[0].pos = slot5 - 1;
	flr_ring_fill(slots, 8, tokens, 2);
	KUNIT_EXPECT_EQ(test, slots[4], 0);
	KUNIT_EXPECT_EQ(test, slots[5], 1);

	tokens[0].pos = slot5 + 1;
	flr_ring_fill(slots, 8, tokens, 2);
	KUNIT_EXPECT_EQ(test, slots[5], 0);
	KUNIT_EXPECT_EQ(test, slots[6], 1);

	/* Past the last token: the first one's */
	flr_ring_fill(slots, 8, tokens, 1);
	KUNIT_EXPECT_EQ(test, slots[255], 0);
}

static void ring_slot_of_position(struct kunit *test)
{
	u32 bits;

	for (bits = FLR_BITS_MIN; bits <= FLR_BITS_MAX; bits++) {
		u32 last = (1U << bits) - 1;
		u64 size = 1ULL << (64 - bits);

		KUNIT_EXPECT_EQ(test, flr_ring_slot(0, bits), 0);
		KUNIT_EXPECT_EQ(test, flr_ring_slot(size - 1, bits), 0);
		KUNIT_EXPECT_EQ(test, flr_ring_slot(size, bits), 1);
		KUNIT_EXPECT_EQ(test, flr_ring_slot(-size, bits), last);
		KUNIT_EXPECT_EQ(test, flr_ring_slot(-size - 1, bits), last - 1);
		KUNIT_EXPECT_EQ(test, flr_ring_slot(U64_MAX, bits), last);
	}
}

static void ring_empty_and_single(struct kunit *test)
{
	struct ring_backend b = { .name = "A", .weight = 100, .owner = 7 };
	struct ring_fixture r = { .bits = 8, .vnodes = 1 };

	KUNIT_EXPECT_EQ(test, flr_ring_owner(NULL, 0, 0), FLR_NO_OWNER);
	KUNIT_EXPECT_EQ(test, flr_ring_owner(NULL, 0, U64_MAX), FLR_NO_OWNER);
	ring_make(test, &r, &b, 0);
	KUNIT_EXPECT_EQ(test, ring_share(&r, FLR_NO_OWNER), 256);
	ring_free(test, &r);

	ring_make(test, &r, &b, 1);
	KUNIT_EXPECT_EQ(test, r.ntokens, 1);
	KUNIT_EXPECT_EQ(test, ring_share(&r, 7), 256);
	ring_free(test, &r);

	b.weight = 0;
	ring_make(test, &r, &b, 1);
	KUNIT_EXPECT_EQ(test, r.ntokens, 0);
	KUNIT_EXPECT_EQ(test, ring_share(&r, FLR_NO_OWNER), 256);
	ring_free(test, &r);
}

#define SLOT(n)		((u64)(n) << 56)

/* Those of COLLIDING in golden.py, but A has one of them twice */
static const u64 ring_pos_a[] = { SLOT(100), SLOT(20), SLOT(20), SLOT(150) };
static const u64 ring_pos_b[] = { SLOT(60), SLOT(100), SLOT(200) };
static const u64 ring_pos_c[] = { SLOT(80), SLOT(220), SLOT(200) };
static const u64 ring_pos_d[] = { SLOT(20), SLOT(240), U64_MAX };

static const struct ring_backend ring_colliding[] = {
	{ "A", 100, 0, ring_pos_a, ARRAY_SIZE(ring_pos_a) },
	{ "B", 100, 1, ring_pos_b, ARRAY_SIZE(ring_pos_b) },
	{ "C", 100, 2, ring_pos_c, ARRAY_SIZE(ring_pos_c) },
	{ "D", 100, 3, ring_pos_d, ARRAY_SIZE(ring_pos_d) },
};

static void ring_collisions(struct kunit *test)
{
	/* Sets of A and B, bit by bit: each walks from both to none and back */
	static const u8 walks[][5] = {
		{ 3, 2, 0, 1, 3 }, { 3, 2, 0, 2, 3 },
		{ 3, 1, 0, 1, 3 }, { 3, 1, 0, 2, 3 },
	};
	/* Owner of slots 20, 60, 100, 101, 150, 200, 201 in each set */
	static const u8 at[] = { 20, 60, 100, 101, 150, 200, 201 };
	static const u16 want[4][ARRAY_SIZE(at)] = {
		{ FLR_NO_OWNER, FLR_NO_OWNER, FLR_NO_OWNER, FLR_NO_OWNER,
		  FLR_NO_OWNER, FLR_NO_OWNER, FLR_NO_OWNER },
		{ 0, 0, 0, 0, 0, 0, 0 },
		{ 1, 1, 1, 1, 1, 1, 1 },
		{ 0, 1, 0, 0, 0, 1, 0 },
	};
	static const u32 tokens_of[] = { 0, 4, 3, 7 };
	struct ring_fixture r = { .bits = 8 };
	u32 w, step, i;

	for (w = 0; w < ARRAY_SIZE(walks); w++) {
		for (step = 0; step < ARRAY_SIZE(walks[w]); step++) {
			u8 set = walks[w][step];

			ring_make_some(test, &r, ring_colliding, 2, set);
			KUNIT_EXPECT_EQ(test, r.ntokens, tokens_of[set]);
			for (i = 0; i < ARRAY_SIZE(at); i++)
				KUNIT_EXPECT_EQ_MSG(test, r.slots[at[i]],
						    want[set][i],
						    "set %u, slot %u", set,
						    at[i]);
			ring_free(test, &r);
		}
	}
}

/* With all four there, each one that goes takes none of the others' slots */
static void ring_collisions_among_others(struct kunit *test)
{
	struct ring_fixture all = { .bits = 8 }, less = { .bits = 8 };
	u32 i;

	ring_make_some(test, &all, ring_colliding, 4, 0xf);
	KUNIT_EXPECT_EQ(test, all.slots[100], 0);
	KUNIT_EXPECT_EQ(test, all.slots[200], 1);
	KUNIT_EXPECT_EQ(test, all.slots[20], 0);
	for (i = 0; i < 4; i++) {
		ring_make_some(test, &less, ring_colliding, 4, 0xf ^ BIT(i));
		KUNIT_EXPECT_EQ(test, ring_moved(&all, &less),
				ring_share(&all, i));
		KUNIT_EXPECT_EQ(test, ring_moved_not_from(&all, &less, i), 0);
		ring_free(test, &less);
	}
}

static void ring_all_orders(struct kunit *test)
{
	const struct golden_ring *golden = &golden_rings[GOLDEN_COLLIDING];
	struct ring_fixture first = { .bits = 8 }, r = { .bits = 8 };
	siphash_key_t key = ring_key(golden->key);
	struct ring_backend b[4];
	u32 order, i, orders = 0;
	u8 used;

	ring_make_some(test, &first, ring_colliding, 4, 0xf);
	for (order = 0; order < 256; order++) {
		for (used = 0, i = 0; i < 4; i++) {
			u32 which = order >> 2 * i & 3;

			used |= BIT(which);
			b[i] = ring_colliding[which];
		}
		if (used != 0xf)
			continue;
		orders++;
		ring_make(test, &r, b, 4);
		KUNIT_EXPECT_EQ_MSG(test, ring_moved(&first, &r), 0,
				    "order %#x", order);
		KUNIT_EXPECT_EQ(test, ring_digest(r.slots, 256, &key),
				golden->digest);
		ring_free(test, &r);
	}
	KUNIT_EXPECT_EQ(test, orders, 24);
}

static void ring_names_are_prefixes(struct kunit *test)
{
	static const u64 pos[] = { SLOT(9) };
	struct ring_backend b[] = {
		{ "web-1", 1, 2, pos, 1 }, { "web", 1, 1, pos, 1 },
		{ "\xc3\xa9", 1, 3, pos, 1 }, { "Web", 1, 0, pos, 1 },
	};
	struct ring_fixture r = { .bits = 8 };
	u32 i;

	ring_make(test, &r, b, ARRAY_SIZE(b));
	for (i = 0; i < ARRAY_SIZE(b); i++)
		KUNIT_EXPECT_EQ(test, r.tokens[i].owner, i);
	KUNIT_EXPECT_EQ(test, ring_share(&r, 0), 256);
}

static const struct ring_backend ring_five[] = {
	{ "A", 100, 0 }, { "B", 100, 1 }, { "C", 100, 2 }, { "D", 100, 3 },
	{ "E", 100, 4 },
};

static void ring_join_keeps_tokens(struct kunit *test)
{
	struct ring_fixture two = { .bits = 12, .vnodes = 128 };
	struct ring_fixture three = two, again = two;
	u32 i, kept = 0;

	ring_make_some(test, &two, ring_five, 5, 0x3);
	ring_make_some(test, &three, ring_five, 5, 0x7);
	ring_make_some(test, &again, ring_five, 5, 0x3);

	/* Those of A and B in the larger ring are the smaller ring's tokens */
	for (i = 0; i < three.ntokens && kept < two.ntokens; i++) {
		if (three.tokens[i].owner == 2)
			continue;
		KUNIT_EXPECT_EQ(test, three.tokens[i].pos,
				two.tokens[kept].pos);
		KUNIT_EXPECT_EQ(test, three.tokens[i].owner,
				two.tokens[kept].owner);
		kept++;
	}
	KUNIT_EXPECT_EQ(test, kept, 256);
	KUNIT_EXPECT_EQ(test, three.ntokens, 384);
	KUNIT_EXPECT_GT(test, ring_moved(&two, &three), 0);
	KUNIT_EXPECT_EQ(test, ring_moved(&two, &three), ring_share(&three, 2));
	KUNIT_EXPECT_EQ(test, ring_moved(&two, &again), 0);
}

static void ring_placement_by_name(struct kunit *test)
{
	struct ring_backend b[5] = {
		ring_five[0], ring_five[1], ring_five[3], ring_five[4],
		{ "C", 100, 9 },
	};
	struct ring_fixture five = { .bits = 12, .vnodes = 128 };
	struct ring_fixture four = five, again = five, other = five;
	u32 slot, wrong = 0;

	ring_make_some(test, &five, ring_five, 5, 0x1f);
	ring_make(test, &four, b, 4);
	KUNIT_EXPECT_EQ(test, ring_moved_not_from(&five, &four, 2), 0);
	KUNIT_EXPECT_EQ(test, ring_moved(&five, &four), ring_share(&five, 2));

	/* Back at another place and under another id, it has its old slots */
	ring_make(test, &again, b, 5);
	for (slot = 0; slot < 1U << 12; slot++) {
		u16 was = five.slots[slot];

		wrong += again.slots[slot] != (was == 2 ? 9 : was);
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);

	/* Another name in its place is another backend, others keep theirs */
	ring_sort_names(b, 5);
	b[2].name = "F";
	ring_make(test, &other, b, 5);
	KUNIT_EXPECT_NE(test, ring_moved(&again, &other), 0);
	KUNIT_EXPECT_EQ(test, ring_moved(&four, &other), ring_share(&other, 9));
}

static void ring_token_numbers(struct kunit *test)
{
	static const struct {
		u32 vnodes, weight, want;
	} rows[] = {
		{ 1, 0, 0 }, { 65536, 0, 0 }, { 1, 1, 1 }, { 1, 100, 1 },
		{ 1, 149, 1 }, { 1, 150, 2 }, { 1, 249, 2 }, { 1, 250, 3 },
		{ 128, 1, 1 }, { 128, 2, 3 }, { 128, 99, 127 },
		{ 128, 100, 128 }, { 128, 101, 129 }, { 100, 33, 33 },
		{ 50, 1, 1 }, { 49, 1, 1 }, { 149, 1, 1 }, { 150, 1, 2 },
		{ 512, 100, 512 }, { 512, 10000, 51200 },
		{ 65536, 1, 655 }, { 65536, 100, 65536 },
		{ 65536, 10000, 6553600 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ_MSG(test, flr_ring_ntokens(rows[i].vnodes,
							   rows[i].weight),
				    rows[i].want, "vnodes %u, weight %u",
				    rows[i].vnodes, rows[i].weight);
}

static void ring_weight_change(struct kunit *test)
{
	struct ring_fixture less = { .bits = 12, .vnodes = 64 }, more = less;
	struct ring_backend b[5];
	u32 i, kept = 0;

	memcpy(b, ring_five, sizeof(b));
	b[2].weight = 50;
	ring_make(test, &less, b, 5);
	ring_make_some(test, &more, ring_five, 5, 0x1f);
	KUNIT_EXPECT_EQ(test, less.ntokens, 4 * 64 + 32);
	KUNIT_EXPECT_EQ(test, more.ntokens, 5 * 64);

	/* The tokens of the lighter are among those of the heavier */
	for (i = 0; i < more.ntokens && kept < less.ntokens; i++)
		kept += more.tokens[i].pos == less.tokens[kept].pos &&
			more.tokens[i].owner == less.tokens[kept].owner;
	KUNIT_EXPECT_EQ(test, kept, less.ntokens);

	/* Going down takes from it only, so going up gives to it only */
	KUNIT_EXPECT_GT(test, ring_moved(&more, &less), 0);
	KUNIT_EXPECT_EQ(test, ring_moved_not_from(&more, &less, 2), 0);
}

/*
 * A backend with t of T tokens gets about t / T of the slots, with a standard
 * deviation of some 1 / sqrt(t) of that. Allow five.
 */
static void ring_shares_follow_weights(struct kunit *test)
{
	struct ring_backend b[] = {
		{ "A", 25, 0 }, { "B", 50, 1 }, { "C", 100, 2 },
		{ "D", 200, 3 }, { "E", 400, 4 },
	};
	struct ring_fixture r = { .bits = 16, .vnodes = 400 };
	u32 i;

	for (r.key.key[0] = 0; r.key.key[0] < 8; r.key.key[0]++) {
		ring_make(test, &r, b, ARRAY_SIZE(b));
		KUNIT_EXPECT_EQ(test, r.ntokens, 3100);
		for (i = 0; i < ARRAY_SIZE(b); i++) {
			u32 t = 4 * b[i].weight;
			u32 want = (1U << r.bits) * t / r.ntokens;
			u32 off = 5 * want / int_sqrt(t);
			u32 got = ring_share(&r, i);

			KUNIT_EXPECT_GT_MSG(test, got + off, want, "%s",
					    b[i].name);
			KUNIT_EXPECT_LT_MSG(test, got, want + off, "%s",
					    b[i].name);
		}
		ring_free(test, &r);
	}
}

/* For every slot, bits 8 to 16: nothing moves but to or from who changes */
static void ring_minimal_movement(struct kunit *test)
{
	static const u8 sizes[] = { 1, 2, 3, 5, 8, MAX_BACKENDS };
	static const char * const names[MAX_BACKENDS] = {
		"n", "o", "p", "a", "b", "c", "d", "e", "f", "g", "h", "i",
		"j", "k", "l", "m",
	};
	struct ring_fixture all = { .vnodes = 40 }, less;
	struct ring_backend b[MAX_BACKENDS] = {};
	unsigned long mask;
	u32 i, gone;

	for (i = 0; i < MAX_BACKENDS; i++) {
		b[i].name = names[i];
		b[i].weight = 50 + 25 * (i % 4);
		b[i].owner = i;
	}
	all.key.key[0] = 1;
	for (all.bits = 8; all.bits <= 16; all.bits++) {
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			mask = GENMASK(sizes[i] - 1, 0);
			gone = (all.bits + i) % sizes[i];
			less = all;
			ring_make_some(test, &all, b, MAX_BACKENDS, mask);
			ring_make_some(test, &less, b, MAX_BACKENDS,
				       mask & ~BIT(gone));

			KUNIT_EXPECT_EQ(test, ring_wrong_slots(&all), 0);
			KUNIT_EXPECT_EQ(test, ring_wrong_slots(&less), 0);
			KUNIT_EXPECT_EQ(test, ring_share(&less, gone), 0);
			/* All of its slots move when it goes, and only they */
			KUNIT_EXPECT_EQ(test, ring_moved(&all, &less),
					ring_share(&all, gone));
			KUNIT_EXPECT_EQ(test, ring_moved_not_from(&all, &less,
								  gone), 0);
			ring_free(test, &less);
			ring_free(test, &all);
		}
	}
}

static void ring_sort_is_stable(struct kunit *test)
{
	static const u32 sizes[] = { 0, 1, 2, 3, 255, 256, 257, 1500 };
	struct flr_token *tokens, *model, *scratch;
	u64 rnd = 0x9e3779b97f4a7c15ULL;
	u32 s, i, j, round;

	tokens = kunit_kcalloc(test, 1500, sizeof(*tokens), GFP_KERNEL);
	model = kunit_kcalloc(test, 1500, sizeof(*model), GFP_KERNEL);
	scratch = kunit_kcalloc(test, 1500, sizeof(*scratch), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, tokens);
	KUNIT_ASSERT_NOT_NULL(test, model);
	KUNIT_ASSERT_NOT_NULL(test, scratch);

	for (s = 0; s < ARRAY_SIZE(sizes) * 4; s++) {
		u32 n = sizes[s / 4], bad = 0;

		round = s % 4;
		for (i = 0; i < n; i++) {
			struct flr_token x = TOKEN(ring_random(&rnd), i);

			/* All bits, 64 values low, high or in the middle */
			if (round)
				x.pos = x.pos % 64 << (round - 1) * 29;
			tokens[i] = x;
			for (j = i; j && model[j - 1].pos > x.pos; j--)
				model[j] = model[j - 1];
			model[j] = x;
		}
		flr_ring_sort(tokens, scratch, n);
		for (i = 0; i < n; i++)
			bad += tokens[i].pos != model[i].pos ||
			       tokens[i].owner != model[i].owner;
		KUNIT_EXPECT_EQ_MSG(test, bad, 0, "%u tokens, round %u", n,
				    round);
	}
}

static void ring_golden_tokens(struct kunit *test)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(golden_tokens); i++) {
		const struct golden_token *g = &golden_tokens[i];
		siphash_key_t key = ring_key(g->key);

		KUNIT_EXPECT_EQ_MSG(test, flr_ring_token(&key, g->name,
							 strlen(g->name),
							 g->j),
				    g->pos, "%s %u", g->name, g->j);
	}
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(ring_interval_ends),
	KUNIT_CASE(ring_wraparound),
	KUNIT_CASE(ring_slot_ends),
	KUNIT_CASE(ring_slot_of_position),
	KUNIT_CASE(ring_empty_and_single),
	KUNIT_CASE(ring_collisions),
	KUNIT_CASE(ring_collisions_among_others),
	KUNIT_CASE(ring_all_orders),
	KUNIT_CASE(ring_names_are_prefixes),
	KUNIT_CASE(ring_join_keeps_tokens),
	KUNIT_CASE(ring_placement_by_name),
	KUNIT_CASE(ring_token_numbers),
	KUNIT_CASE(ring_weight_change),
	KUNIT_CASE(ring_shares_follow_weights),
	KUNIT_CASE_SLOW(ring_minimal_movement),
	KUNIT_CASE(ring_sort_is_stable),
	KUNIT_CASE(ring_golden_tokens),
	{}
};

static struct kunit_suite ring_suite = {
	.name = "flowring_ring",
	.test_cases = ring_cases,
};

kunit_test_suite(ring_suite);

MODULE_DESCRIPTION("KUnit tests of flowring's ring");
MODULE_LICENSE("GPL");
