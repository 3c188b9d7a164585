// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of placement: capacities, bounded and unbounded tables, moved
 * slots, owners and the fingerprint. Suite: flowring_place.
 */

#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/module.h>

#include "../ring.c"
#include "../place.c"

#include "golden.h"
#include "place_checks.h"

#define RANDOM_RINGS	200

/* The checks have no way out, so this does not fail */
static void *place_get(void *ctx, size_t n, size_t size)
{
	return kvcalloc(n, size, GFP_KERNEL | __GFP_NOFAIL);
}

static void place_put(void *ctx, void *p)
{
	kvfree(p);
}

static const struct place_mem place_mem = { place_get, place_put, NULL };

static void place_good(struct kunit *test, const char *fault, u32 at)
{
	if (fault)
		KUNIT_FAIL(test, "number %u: wrong is %s\n", at, fault);
}

static void place_golden_rings(struct kunit *test)
{
	struct flr_member *m = kunit_kcalloc(test, GOLDEN_BACKENDS, sizeof(*m),
					     GFP_KERNEL);
	struct place_ring r;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	for (i = 0; i < ARRAY_SIZE(golden_rings); i++) {
		place_golden(&r, m, &golden_rings[i]);
		place_make(&r, &place_mem);
		place_good(test, place_golden_fault(&r, &golden_rings[i]), i);
		place_free(&r, &place_mem);
	}
}

static void place_golden_changes(struct kunit *test)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(golden_changes); i++)
		place_good(test, place_change_fault(&golden_changes[i],
						    &place_mem), i);
}

static void place_random_rings(struct kunit *test)
{
	static const u32 imbalances[] = { 0, 1, 2, 5, 5, 5, 20, 100 };
	u64 rnd = 0x9e3779b97f4a7c15ULL;
	u32 i;

	for (i = 0; i < RANDOM_RINGS; i++)
		place_good(test, place_random_fault(imbalances[i % 8], &rnd,
						    &place_mem), i);
}

static void place_unbounded_moves_the_least(struct kunit *test)
{
	u64 rnd = 0x2545f4914f6cdd1dULL;
	u32 i;

	for (i = 0; i < RANDOM_RINGS; i++)
		place_good(test, place_least_fault(&rnd, &place_mem), i);
}

static void place_no_burst(struct kunit *test)
{
	struct flr_options opt = { .bits = 10, .vnodes = 8, .imbalance = 5 };
	u32 i;

	for (i = 0; i < 8; i++) {
		opt.key.key[0] = i;
		place_good(test, place_burst_fault(&opt, &place_mem), i);
	}
}

static void place_fingerprint(struct kunit *test)
{
	place_good(test, place_fingerprint_fault(), 0);
}

static void place_owners_in_zones(struct kunit *test)
{
	place_good(test, place_zones_fault(), 0);
}

static void place_moved_by_hand(struct kunit *test)
{
	place_good(test, place_moved_fault(), 0);
}

static struct kunit_case place_cases[] = {
	KUNIT_CASE(place_golden_rings),
	KUNIT_CASE(place_golden_changes),
	KUNIT_CASE_SLOW(place_random_rings),
	KUNIT_CASE(place_unbounded_moves_the_least),
	KUNIT_CASE(place_no_burst),
	KUNIT_CASE(place_fingerprint),
	KUNIT_CASE(place_owners_in_zones),
	KUNIT_CASE(place_moved_by_hand),
	{}
};

static struct kunit_suite place_suite = {
	.name = "flowring_place",
	.test_cases = place_cases,
};

kunit_test_suite(place_suite);

MODULE_DESCRIPTION("KUnit tests of flowring's placement");
MODULE_LICENSE("GPL");
