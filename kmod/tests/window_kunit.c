// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of windows: what slots remember from one change to the next, and
 * where packets go meanwhile. Suite: flowring_window.
 */

#include <kunit/test.h>
#include <linux/module.h>

#include "../pin.c"
#include "../window.c"

#define BITS	8	/* of a table, where nothing else is said */
#define BUCKETS	2

/* Targets; owners are numbered alike, but for those that are told apart */
enum { A, B, C, NONE = FLR_NO_OWNER };

static const u32 window_targets[] = { 10, 20, 30 };

static bool window_none_gone(void *data, u32 target)
{
	return false;
}

static bool window_a_gone(void *data, u32 target)
{
	return target == window_targets[A];
}

/* A table whose slots have the owners of a pattern, over and over */
static struct flr_owners window_table(struct kunit *test, u32 bits,
				      const u16 *pattern, u32 n)
{
	u16 *slots = kunit_kcalloc(test, 1 << bits, sizeof(*slots), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, slots);
	for (i = 0; i < 1 << bits; i++)
		slots[i] = pattern[i % n];
	return (struct flr_owners){ slots, window_targets, bits };
}

static struct flr_owners window_all(struct kunit *test, u16 owner)
{
	return window_table(test, BITS, &owner, 1);
}

static struct flr_window *window_make(struct kunit *test, u32 bits)
{
	struct flr_window *w;

	w = kunit_kzalloc(test, struct_size(w, slots, 1 << bits), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w);
	w->pins = kunit_kzalloc(test, struct_size(w->pins, buckets, BUCKETS),
				GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w->pins);
	w->pins->mask = BUCKETS - 1;
	w->bits = bits;
	return w;
}

/* What is remembered after a change, of tables that are all of one owner */
static struct flr_window *window_change(struct kunit *test,
					const struct flr_window *old, u16 from,
					u16 to, bool moves)
{
	struct flr_owners a = window_all(test, from), b = window_all(test, to);
	struct flr_window *w = window_make(test, BITS);

	KUNIT_EXPECT_EQ(test, moves,
			flr_window_next(w, old, &a, &b, window_none_gone,
					NULL));
	return w;
}

static void window_expect(struct kunit *test, const struct flr_window *w,
			  u32 word)
{
	u32 i, n = 1 << w->bits;

	for (i = 0; i < n; i++)
		KUNIT_EXPECT_EQ(test, word, w->slots[i]);
	KUNIT_EXPECT_EQ(test, word & FLR_SLOT_MOVED ? n : 0, w->moved);
}

static void window_first_owner(struct kunit *test)
{
	window_expect(test, window_change(test, NULL, NONE, A, true), 0);
	window_expect(test, window_change(test, NULL, A, A, false), 0);
	window_expect(test, window_change(test, NULL, NONE, NONE, false), 0);
}

static void window_remembers_the_first(struct kunit *test)
{
	struct flr_window *w = window_change(test, NULL, A, B, true);

	w->tick = 7;
	window_expect(test, w, FLR_SLOT_MOVED | 10);
	w = window_change(test, w, B, C, true);
	window_expect(test, w, FLR_SLOT_MOVED | 10);
	KUNIT_EXPECT_EQ(test, 7, w->tick);
	w = window_change(test, w, C, NONE, true);
	window_expect(test, w, FLR_SLOT_MOVED | 10);
	/* also when it is given back */
	w = window_change(test, w, NONE, A, true);
	window_expect(test, w, FLR_SLOT_MOVED | 10);
	w = window_change(test, w, A, A, false);
	window_expect(test, w, FLR_SLOT_MOVED | 10);
}

static void window_gone(struct kunit *test)
{
	struct flr_owners a = window_all(test, A), b = window_all(test, B);
	struct flr_window *w = window_make(test, BITS);
	struct flr_window *next = window_make(test, BITS);

	/* with the change that moves its slots, or with a later one */
	flr_window_next(w, NULL, &a, &b, window_a_gone, NULL);
	window_expect(test, w, FLR_SLOT_MOVED | FLR_NO_TARGET);
	w = window_change(test, NULL, A, B, true);
	KUNIT_EXPECT_FALSE(test, flr_window_next(next, w, &b, &b,
						 window_a_gone, NULL));
	window_expect(test, next, FLR_SLOT_MOVED | FLR_NO_TARGET);
	/* one that comes after it is not remembered in its place */
	w = window_change(test, next, B, C, true);
	window_expect(test, w, FLR_SLOT_MOVED | FLR_NO_TARGET);
}

/* Slots are split, and one half of each moves */
static void window_finer(struct kunit *test)
{
	static const u16 before[] = { A, B }, after[] = { A, C, B, B };
	struct flr_owners from = window_table(test, BITS, before, 2);
	struct flr_owners to = window_table(test, BITS + 1, after, 4);
	struct flr_window *old = window_make(test, BITS);
	struct flr_window *w = window_make(test, BITS + 1);
	u32 i;

	for (i = 0; i < 1 << BITS; i += 4)
		old->slots[i + 1] = FLR_SLOT_PINS;
	KUNIT_EXPECT_TRUE(test, flr_window_next(w, old, &from, &to,
						window_none_gone, NULL));
	KUNIT_EXPECT_EQ(test, 1 << (BITS - 1), w->moved);
	for (i = 0; i < 2 << BITS; i += 8) {
		KUNIT_EXPECT_EQ(test, 0, w->slots[i]);
		KUNIT_EXPECT_EQ(test, FLR_SLOT_MOVED | 10, w->slots[i + 1]);
		KUNIT_EXPECT_EQ(test, FLR_SLOT_PINS, w->slots[i + 2]);
		KUNIT_EXPECT_EQ(test, FLR_SLOT_PINS, w->slots[i + 3]);
		KUNIT_EXPECT_EQ(test, FLR_SLOT_MOVED | 10, w->slots[i + 5]);
		KUNIT_EXPECT_EQ(test, 0, w->slots[i + 6]);
	}
}

/* A coarser table: the window stays as fine as the finest */
static void window_coarser(struct kunit *test)
{
	static const u16 before[] = { A, A, B, C }, after[] = { A, B };
	struct flr_owners from = window_table(test, BITS + 1, before, 4);
	struct flr_owners to = window_table(test, BITS, after, 2);
	struct flr_window *w = window_make(test, BITS + 1);
	u32 i;

	KUNIT_EXPECT_TRUE(test, flr_window_next(w, NULL, &from, &to,
						window_none_gone, NULL));
	for (i = 0; i < 2 << BITS; i++)
		KUNIT_EXPECT_EQ(test, i % 4 == 3 ? FLR_SLOT_MOVED | 30 : 0,
				w->slots[i]);
	KUNIT_EXPECT_EQ(test, 1 << (BITS - 1), w->moved);
}

static void window_closes(struct kunit *test)
{
	struct flr_window *w = window_change(test, NULL, A, B, true), *closed;

	w->tick = 9;
	w->slots[5] = 0;
	closed = window_make(test, BITS);
	flr_window_close(closed, w);
	KUNIT_EXPECT_EQ(test, 9, closed->tick);
	KUNIT_EXPECT_EQ(test, 0, closed->slots[5]);
	closed->slots[5] = FLR_SLOT_PINS;
	window_expect(test, closed, FLR_SLOT_PINS);
	/* a change meanwhile remembers the owner of that moment */
	w = window_change(test, closed, B, C, true);
	window_expect(test, w, FLR_SLOT_MOVED | FLR_SLOT_PINS | 20);
}

static void window_marks(struct kunit *test)
{
	struct flr_window *w = window_make(test, BITS);
	struct flr_pin pin = { .pos = 3ULL << (64 - BITS) | 1ULL << 30 };
	u32 i;

	flr_window_mark(w, &pin);
	for (i = 0; i < 1 << BITS; i++)
		KUNIT_EXPECT_EQ(test, i == 3 ? FLR_SLOT_PINS : 0, w->slots[i]);
}

static void window_needs(struct kunit *test)
{
	struct flr_window *w = window_make(test, BITS);
	struct flr_owners now = window_all(test, A);
	struct flr_pin same = {
		.pos = 3ULL << (64 - BITS), .target = 10,
		.class = FLR_PIN_SEEN,
	}, other = same;

	other.target = 20;
	/* where nothing is looked up, no pin is */
	KUNIT_EXPECT_FALSE(test, flr_window_needs(w, &now, &same));
	KUNIT_EXPECT_FALSE(test, flr_window_needs(w, &now, &other));
	w->slots[3] = FLR_SLOT_MOVED | 20;
	KUNIT_EXPECT_TRUE(test, flr_window_needs(w, &now, &same));
	KUNIT_EXPECT_TRUE(test, flr_window_needs(w, &now, &other));
	w->slots[3] = FLR_SLOT_PINS;
	KUNIT_EXPECT_FALSE(test, flr_window_needs(w, &now, &same));
	KUNIT_EXPECT_TRUE(test, flr_window_needs(w, &now, &other));
	w->tick = FLR_PIN_TICKS;
	KUNIT_EXPECT_TRUE(test, flr_window_needs(w, &now, &other));
	w->tick++;
	KUNIT_EXPECT_FALSE(test, flr_window_needs(w, &now, &other));
}

/* One packet of the one flow there is; B is the present owner, C may be down */
struct window_packet {
	enum flr_segment seg;
	u32 slot;
	u32 target;
	u8 why;
	u8 did;
};

static bool window_but_c(void *data, u32 target)
{
	return target != window_targets[C];
}

static void window_packets(struct kunit *test, const struct window_packet *p,
			   u32 n)
{
	struct flr_window *w = window_make(test, BITS);
	struct flr_ask ask = {
		.hash = 0x123456789abcdef0, .present = 20,
		.usable = window_but_c,
	};
	struct flr_answer a;
	u32 i;

	for (i = 0; i < n; i++) {
		ask.seg = p[i].seg;
		w->slots[0x12] = p[i].slot;
		a = flr_window_pick(w, &ask);
		KUNIT_EXPECT_EQ_MSG(test, p[i].target, a.target, "packet %u",
				    i);
		KUNIT_EXPECT_EQ_MSG(test, p[i].why, a.why, "packet %u", i);
		KUNIT_EXPECT_EQ_MSG(test, p[i].did, a.did, "packet %u", i);
	}
}

#define MOVED(target)	(FLR_SLOT_MOVED | (target))

static void window_old_connection(struct kunit *test)
{
	static const struct window_packet packets[] = {
		{ FLR_SEG_DATA, 0, 20, FLR_WHY_STEADY },
		{ FLR_SEG_QUOTE, MOVED(10), 10, FLR_WHY_REMEMBERED },
		{ FLR_SEG_DATA, MOVED(10), 10, FLR_WHY_REMEMBERED,
		  FLR_DID_ADOPT },
		{ FLR_SEG_ACK, MOVED(10), 10, FLR_WHY_PIN },
		{ FLR_SEG_QUOTE, FLR_SLOT_PINS, 10, FLR_WHY_PIN },
		{ FLR_SEG_END, FLR_SLOT_PINS, 10, FLR_WHY_PIN },
		{ FLR_SEG_SYN, FLR_SLOT_PINS, 20, FLR_WHY_PRESENT },
		{ FLR_SEG_DATA, FLR_SLOT_PINS, 20, FLR_WHY_PRESENT },
		{ FLR_SEG_DATA, 0, 20, FLR_WHY_STEADY },
	};

	window_packets(test, packets, ARRAY_SIZE(packets));
}

static void window_new_connection(struct kunit *test)
{
	static const struct window_packet packets[] = {
		{ FLR_SEG_SYN, 0, 20, FLR_WHY_STEADY },
		{ FLR_SEG_SYN, MOVED(10), 20, FLR_WHY_PRESENT, FLR_DID_BEGIN },
		{ FLR_SEG_SYN, MOVED(10), 20, FLR_WHY_PRESENT },
		{ FLR_SEG_ACK, MOVED(10), 20, FLR_WHY_PIN },
		{ FLR_SEG_DATA, MOVED(FLR_NO_TARGET), 20, FLR_WHY_PIN },
	};

	window_packets(test, packets, ARRAY_SIZE(packets));
}

/* Who had the connection is down or gone: a new one is pinned all the same */
static void window_unusable(struct kunit *test)
{
	static const struct window_packet packets[] = {
		{ FLR_SEG_DATA, MOVED(30), 20, FLR_WHY_PRESENT,
		  FLR_DID_ORPHAN },
		{ FLR_SEG_DATA, MOVED(FLR_NO_TARGET), 20, FLR_WHY_PRESENT,
		  FLR_DID_ORPHAN },
		{ FLR_SEG_NONE, MOVED(30), 20, FLR_WHY_PRESENT,
		  FLR_DID_ORPHAN },
		{ FLR_SEG_SYN, MOVED(30), 20, FLR_WHY_PRESENT, FLR_DID_BEGIN },
		{ FLR_SEG_DATA, MOVED(10), 20, FLR_WHY_PIN },
	};

	window_packets(test, packets, ARRAY_SIZE(packets));
}

static void window_datagrams(struct kunit *test)
{
	static const struct window_packet packets[] = {
		{ FLR_SEG_NONE, MOVED(10), 10, FLR_WHY_REMEMBERED },
		{ FLR_SEG_DATA, FLR_SLOT_PINS, 20, FLR_WHY_PRESENT },
		{ FLR_SEG_NONE, FLR_SLOT_PINS, 20, FLR_WHY_PRESENT },
	};
	struct flr_window *w = window_make(test, BITS);
	struct flr_ask ask = {
		.present = 20, .seg = FLR_SEG_NONE, .move = true,
		.usable = window_but_c,
	};

	window_packets(test, packets, ARRAY_SIZE(packets));
	w->slots[0] = MOVED(10);
	KUNIT_EXPECT_EQ(test, 20, flr_window_pick(w, &ask).target);
}

/* No room for a pin: to where the next packets will go */
static void window_full(struct kunit *test)
{
	struct flr_window *w = window_make(test, BITS);
	struct flr_ask ask = {
		.present = 20, .seg = FLR_SEG_SYN, .usable = window_but_c,
	};
	struct flr_answer a;
	u32 i;

	for (i = 1; i <= BUCKETS * FLR_PIN_WAYS; i++) {
		u64 flow = i * 0x9e3779b97f4a7c15ULL;

		flr_pin_set(w->pins, flow, 20, FLR_PIN_SYN, 0);
		flr_pin_get(w->pins, flow, 0, FLR_SEG_ACK);
	}
	w->slots[0] = MOVED(10);
	a = flr_window_pick(w, &ask);
	KUNIT_EXPECT_EQ(test, 10, a.target);
	KUNIT_EXPECT_EQ(test, FLR_WHY_REMEMBERED, a.why);
	KUNIT_EXPECT_EQ(test, FLR_DID_FULL, a.did);
	w->slots[0] = MOVED(30);
	a = flr_window_pick(w, &ask);
	KUNIT_EXPECT_EQ(test, 20, a.target);
	KUNIT_EXPECT_EQ(test, FLR_DID_FULL, a.did);
	w->slots[0] = MOVED(10);
	ask.seg = FLR_SEG_DATA;
	a = flr_window_pick(w, &ask);
	KUNIT_EXPECT_EQ(test, 10, a.target);
	KUNIT_EXPECT_EQ(test, FLR_DID_FULL, a.did);
}

static struct kunit_case window_cases[] = {
	KUNIT_CASE(window_first_owner),
	KUNIT_CASE(window_remembers_the_first),
	KUNIT_CASE(window_gone),
	KUNIT_CASE(window_finer),
	KUNIT_CASE(window_coarser),
	KUNIT_CASE(window_closes),
	KUNIT_CASE(window_marks),
	KUNIT_CASE(window_needs),
	KUNIT_CASE(window_old_connection),
	KUNIT_CASE(window_new_connection),
	KUNIT_CASE(window_unusable),
	KUNIT_CASE(window_datagrams),
	KUNIT_CASE(window_full),
	{}
};

static struct kunit_suite window_suite = {
	.name = "flowring_window",
	.test_cases = window_cases,
};

kunit_test_suite(window_suite);

MODULE_DESCRIPTION("KUnit tests of flowring's windows");
MODULE_LICENSE("GPL");
