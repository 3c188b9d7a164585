// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of pins. Suite: flowring_pin.
 */

#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/module.h>

#include "../pin.c"

#include "ring_build.h"

#define PINS_LARGE	65536
#define PINS_SMALL	(2 * FLR_PIN_WAYS)	/* any flow may be anywhere */

static void pins_free(void *pins)
{
	kvfree(pins);
}

static struct flr_pins *pins_make(struct kunit *test, u32 n)
{
	u32 nbuckets = n / FLR_PIN_WAYS;
	struct flr_pins *pins;

	pins = kvzalloc(struct_size(pins, buckets, nbuckets), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, pins);
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, pins_free, pins));
	pins->mask = nbuckets - 1;
	return pins;
}

/* Positions of flows, none like another in what a pin holds of them */
static u64 pin_flow(u32 n)
{
	return (n + 1) * 0x9e3779b97f4a7c15ULL;
}

/* A pin of that class, its last packet in that tick */
static void pin_put(struct flr_pins *pins, u64 hash, u32 target, u8 class,
		    u8 tick)
{
	flr_pin_set(pins, hash, target,
		    class == FLR_PIN_SYN ? class : FLR_PIN_SEEN, tick);
	if (class == FLR_PIN_CONFIRMED)
		flr_pin_get(pins, hash, tick, FLR_SEG_DATA);
	else if (class == FLR_PIN_ENDING)
		flr_pin_get(pins, hash, tick, FLR_SEG_END);
}

static u32 pin_peek(struct flr_pins *pins, u64 hash)
{
	return flr_pin_get(pins, hash, 0, FLR_SEG_QUOTE);
}

static bool pin_count_one(void *data, const struct flr_pin *pin)
{
	(*(u32 *)data)++;
	return true;
}

static u32 pin_count(struct flr_pins *pins)
{
	u32 n = 0;

	flr_pins_sweep(pins, pin_count_one, &n);
	return n;
}

static void pin_packs(struct kunit *test)
{
	static const u64 hashes[] = { 0, 0x123456789abcdef0ULL, U64_MAX };
	static const u32 targets[] = { 0, 1, 0x54321, FLR_TARGETS - 1 };
	u32 i;

	KUNIT_EXPECT_EQ(test, 64, sizeof(struct flr_pin_bucket));
	for (i = 0; i < 4 * ARRAY_SIZE(hashes) * ARRAY_SIZE(targets); i++) {
		u32 target = targets[i / 4 % ARRAY_SIZE(targets)];
		u64 hash = hashes[i % ARRAY_SIZE(hashes)];
		u64 word = flr_pin_pack(hash, target, i % 4, 5 * i);
		struct flr_pin pin = flr_pin_unpack(word);

		KUNIT_EXPECT_NE(test, 0, word);
		KUNIT_EXPECT_EQ(test, hash & ~0x7ffffffULL, pin.pos);
		KUNIT_EXPECT_EQ(test, target, pin.target);
		KUNIT_EXPECT_EQ(test, i % 4, pin.class);
		KUNIT_EXPECT_EQ(test, 5 * i % 32, pin.stamp);
	}
}

static void pin_two_buckets(struct kunit *test)
{
	static const u32 sizes[] = { 16, 32, 1024, 65536 };
	struct flr_pin_bucket *b[2];
	struct flr_pins *pins;
	u64 rnd = 1;
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		pins = pins_make(test, sizes[i]);
		for (j = 0; j < 1000; j++) {
			flr_pin_buckets(pins, ring_random(&rnd), b);
			KUNIT_EXPECT_PTR_NE(test, b[0], b[1]);
			KUNIT_EXPECT_GE(test, pins->mask, b[0] - pins->buckets);
			KUNIT_EXPECT_GE(test, pins->mask, b[1] - pins->buckets);
		}
	}
}

/* Three quarters of a table find room, at no more than 11 bytes each */
static void pin_three_quarters(struct kunit *test)
{
	struct flr_pins *pins = pins_make(test, PINS_LARGE);
	u32 n = PINS_LARGE / 4 * 3, i, refused = 0, lost = 0, cost;
	u64 first = 0x2545f4914f6cdd1dULL, rnd = first;

	for (i = 0; i < n; i++)
		refused += flr_pin_set(pins, ring_random(&rnd), i, FLR_PIN_SEEN,
				       i % 32) != FLR_PIN_MADE;
	for (i = 0, rnd = first; i < n; i++)
		lost += pin_peek(pins, ring_random(&rnd)) != i;
	cost = struct_size(pins, buckets, pins->mask + 1) * 100 / n;
	kunit_info(test, "bytes per pinned flow: %u.%02u\n", cost / 100,
		   cost % 100);
	KUNIT_EXPECT_EQ(test, 0, refused);
	KUNIT_EXPECT_EQ(test, 0, lost);
	KUNIT_EXPECT_LE(test, cost, 1100);
}

/* What a connection that is known to live evicts, in this order */
static void pin_eviction_order(struct kunit *test)
{
	static const struct { u8 class, tick; } order[] = {
		{ FLR_PIN_ENDING, 5 }, { FLR_PIN_ENDING, 9 },
		{ FLR_PIN_SYN, 3 }, { FLR_PIN_SYN, 6 }, { FLR_PIN_SYN, 10 },
		{ FLR_PIN_SEEN, 1 }, { FLR_PIN_SEEN, 2 }, { FLR_PIN_SEEN, 9 },
	};
	struct flr_pins *pins = pins_make(test, PINS_SMALL);
	u32 n = ARRAY_SIZE(order), i, j;

	/* the first of all to be evicted are made last */
	for (i = 0; i < PINS_SMALL; i++) {
		j = PINS_SMALL - 1 - i;
		if (j >= n)
			pin_put(pins, pin_flow(j), j, FLR_PIN_CONFIRMED, 0);
		else
			pin_put(pins, pin_flow(j), j, order[j].class,
				order[j].tick);
	}
	KUNIT_ASSERT_EQ(test, PINS_SMALL, pin_count(pins));
	for (i = 0; i < n; i++) {
		KUNIT_EXPECT_EQ(test, i, pin_peek(pins, pin_flow(i)));
		KUNIT_EXPECT_EQ(test, FLR_PIN_EVICTED,
				flr_pin_set(pins, pin_flow(100 + i), 100,
					    FLR_PIN_SEEN, 10));
		KUNIT_EXPECT_EQ(test, FLR_NO_TARGET,
				pin_peek(pins, pin_flow(i)));
		flr_pin_get(pins, pin_flow(100 + i), 10, FLR_SEG_DATA);
	}
	KUNIT_EXPECT_EQ(test, FLR_PIN_FULL,
			flr_pin_set(pins, pin_flow(200), 1, FLR_PIN_SEEN, 10));
	for (; i < PINS_SMALL; i++)
		KUNIT_EXPECT_EQ(test, i, pin_peek(pins, pin_flow(i)));
}

/* A flood of connection requests evicts nothing, however old that is */
static void pin_flood(struct kunit *test)
{
	static const u8 classes[] = {
		FLR_PIN_ENDING, FLR_PIN_SYN, FLR_PIN_SEEN, FLR_PIN_CONFIRMED,
	};
	struct flr_pins *pins;
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(classes); i++) {
		pins = pins_make(test, PINS_SMALL);
		for (j = 0; j < PINS_SMALL; j++)
			pin_put(pins, pin_flow(j), j, classes[i], 7);
		for (j = 0; j < 32; j++)
			KUNIT_EXPECT_EQ_MSG(test, FLR_PIN_FULL,
					    flr_pin_set(pins, pin_flow(50 + j),
							1, FLR_PIN_SYN, j),
					    "class %u, tick %u", classes[i], j);
		KUNIT_EXPECT_EQ(test, PINS_SMALL, pin_count(pins));
	}
}

static u8 pin_class_of(struct flr_pins *pins, u64 hash)
{
	struct flr_pin_bucket *b[2];
	u64 word = 0;

	flr_pin_buckets(pins, hash, b);
	flr_pin_find(b, hash, NULL, &word);
	return flr_pin_unpack(word).class;
}

static void pin_classes(struct kunit *test)
{
	static const struct { enum flr_segment seg; u8 class; } steps[] = {
		{ FLR_SEG_QUOTE, FLR_PIN_SYN },
		{ FLR_SEG_ACK, FLR_PIN_CONFIRMED },
		{ FLR_SEG_END, FLR_PIN_ENDING },
		{ FLR_SEG_ACK, FLR_PIN_ENDING },
		{ FLR_SEG_QUOTE, FLR_PIN_ENDING },
		{ FLR_SEG_DATA, FLR_PIN_CONFIRMED },
		{ FLR_SEG_ACK, FLR_PIN_CONFIRMED },
		{ FLR_SEG_END, FLR_PIN_ENDING },
	};
	struct flr_pins *pins = pins_make(test, PINS_SMALL);
	u64 flow = pin_flow(1);
	u32 i;

	KUNIT_EXPECT_EQ(test, FLR_NO_TARGET,
			flr_pin_get(pins, flow, 0, FLR_SEG_DATA));
	flr_pin_set(pins, flow, 9, FLR_PIN_SYN, 0);
	KUNIT_EXPECT_EQ(test, FLR_PIN_SYN, pin_class_of(pins, flow));
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		KUNIT_EXPECT_EQ(test, 9,
				flr_pin_get(pins, flow, i, steps[i].seg));
		KUNIT_EXPECT_EQ_MSG(test, steps[i].class,
				    pin_class_of(pins, flow), "step %u", i);
	}
	flr_pin_set(pins, pin_flow(2), 9, FLR_PIN_SEEN, 0);
	KUNIT_EXPECT_EQ(test, FLR_PIN_SEEN, pin_class_of(pins, pin_flow(2)));
}

/* The ticks of quiet after which a pin may go, also when their number wraps */
static void pin_idle_times(struct kunit *test)
{
	static const u8 stays[] = {
		[FLR_PIN_ENDING] = 2, [FLR_PIN_SYN] = 2,
		[FLR_PIN_SEEN] = 16, [FLR_PIN_CONFIRMED] = 16,
	};
	u32 stamp, age;
	u8 class;

	for (class = 0; class < ARRAY_SIZE(stays); class++) {
		for (stamp = 0; stamp < 32; stamp++) {
			struct flr_pin pin = { .class = class, .stamp = stamp };

			for (age = 0; age < 32; age++)
				KUNIT_EXPECT_EQ_MSG(test, age > stays[class],
						    flr_pin_is_idle(&pin, 224 +
								    stamp +
								    age),
						    "class %u, age %u", class,
						    age);
		}
	}
}

/* Only a connection request changes where a flow is pinned to */
static void pin_moves(struct kunit *test)
{
	struct flr_pins *pins = pins_make(test, PINS_SMALL);
	u64 flow = pin_flow(3);

	KUNIT_EXPECT_EQ(test, FLR_PIN_MADE,
			flr_pin_set(pins, flow, 1, FLR_PIN_SEEN, 0));
	KUNIT_EXPECT_EQ(test, FLR_PIN_SAME,
			flr_pin_set(pins, flow, 2, FLR_PIN_SEEN, 0));
	KUNIT_EXPECT_EQ(test, 1, pin_peek(pins, flow));
	KUNIT_EXPECT_EQ(test, FLR_PIN_MOVED,
			flr_pin_set(pins, flow, 2, FLR_PIN_SYN, 0));
	KUNIT_EXPECT_EQ(test, FLR_PIN_SAME,
			flr_pin_set(pins, flow, 2, FLR_PIN_SYN, 0));
	KUNIT_EXPECT_EQ(test, 2, pin_peek(pins, flow));
	KUNIT_EXPECT_EQ(test, 1, pin_count(pins));
	flr_pin_del(pins, flow);
	KUNIT_EXPECT_EQ(test, 0, pin_count(pins));
}

/* Two pins of one flow, as a race may leave them, and one of another */
static struct flr_pins *pins_make_twice(struct kunit *test, u64 flow)
{
	struct flr_pins *pins = pins_make(test, PINS_SMALL);
	struct flr_pin_bucket *b[2];

	flr_pin_buckets(pins, flow, b);
	atomic64_set(&b[0]->pin[5], flr_pin_pack(flow, 5, FLR_PIN_SEEN, 0));
	atomic64_set(&b[1]->pin[2], flr_pin_pack(flow, 6, FLR_PIN_SEEN, 0));
	flr_pin_set(pins, ~flow, 7, FLR_PIN_SEEN, 0);
	return pins;
}

static void pin_one_of_a_flow(struct kunit *test)
{
	u64 flow = pin_flow(4);
	struct flr_pins *pins = pins_make_twice(test, flow);

	KUNIT_EXPECT_EQ(test, 3, pin_count(pins));
	KUNIT_EXPECT_EQ(test, 5, flr_pin_get(pins, flow, 0, FLR_SEG_DATA));
	flr_pin_set(pins, flow, 8, FLR_PIN_SYN, 0);
	KUNIT_EXPECT_EQ(test, 8, pin_peek(pins, flow));
	KUNIT_EXPECT_EQ(test, 2, pin_count(pins));

	pins = pins_make_twice(test, flow);
	flr_pin_del(pins, flow);
	KUNIT_EXPECT_EQ(test, FLR_NO_TARGET, pin_peek(pins, flow));
	KUNIT_EXPECT_EQ(test, 1, pin_count(pins));
	KUNIT_EXPECT_EQ(test, 7, pin_peek(pins, ~flow));
}

static bool pin_keep_even(void *data, const struct flr_pin *pin)
{
	return !(pin->target % 2);
}

static void pin_sweep(struct kunit *test)
{
	struct flr_pins *pins = pins_make(test, 1024);
	u32 i;

	for (i = 0; i < 500; i++)
		flr_pin_set(pins, pin_flow(i), i, FLR_PIN_SYN, 0);
	KUNIT_EXPECT_EQ(test, 500, pin_count(pins));
	flr_pins_sweep(pins, pin_keep_even, NULL);
	KUNIT_EXPECT_EQ(test, 250, pin_count(pins));
	for (i = 0; i < 500; i++)
		KUNIT_EXPECT_EQ(test, i % 2 ? FLR_NO_TARGET : i,
				pin_peek(pins, pin_flow(i)));
}

static struct kunit_case pin_cases[] = {
	KUNIT_CASE(pin_packs),
	KUNIT_CASE(pin_two_buckets),
	KUNIT_CASE(pin_three_quarters),
	KUNIT_CASE(pin_eviction_order),
	KUNIT_CASE(pin_flood),
	KUNIT_CASE(pin_classes),
	KUNIT_CASE(pin_idle_times),
	KUNIT_CASE(pin_moves),
	KUNIT_CASE(pin_one_of_a_flow),
	KUNIT_CASE(pin_sweep),
	{}
};

static struct kunit_suite pin_suite = {
	.name = "flowring_pin",
	.test_cases = pin_cases,
};

kunit_test_suite(pin_suite);

MODULE_DESCRIPTION("KUnit tests of flowring's pins");
MODULE_LICENSE("GPL");
