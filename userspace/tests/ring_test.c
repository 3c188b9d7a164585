// SPDX-License-Identifier: GPL-2.0
/*
 * The ring and the flow key, as built for userspace: golden vectors, and random
 * rings against a slow model. Prints KTAP.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../kmod/key.h"
#include "../../kmod/ring.h"
#include "../../kmod/tests/golden.h"
#include "../../kmod/tests/place_checks.h"
#include "../../kmod/tests/ring_build.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define RANDOM_RINGS	400
#define RANDOM_BACKENDS	12
#define RANDOM_TOKENS	64

static int cases, failed_cases, failures;

static void expect(int good, const char *fmt, ...)
{
	va_list ap;

	if (good || ++failures > 10)
		return;
	va_start(ap, fmt);
	printf("# ");
	vprintf(fmt, ap);
	printf("\n");
	va_end(ap);
}

static void end_case(const char *name)
{
	printf("%sok %d %s\n", failures ? "not " : "", ++cases, name);
	failed_cases += failures != 0;
	failures = 0;
}

/* Exactly as large as asked for, so that ASan sees one element past it */
static void *alloc(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p && n) {
		printf("Bail out! no memory\n");
		exit(1);
	}
	return p;
}

static void test_siphash(void)
{
	static const u8 key[16] = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	};
	siphash_key_t k = ring_key(key);
	size_t n, i, shift;

	for (n = 0; n < ARRAY_SIZE(golden_siphash); n++) {
		for (shift = 0; shift < 8; shift++) {
			u8 *data = alloc(n + shift, 1);

			for (i = 0; i < n; i++)
				data[shift + i] = i;
			expect(siphash(data + shift, n, &k) ==
			       golden_siphash[n], "length %zu, at +%zu", n,
			       shift);
			free(data);
		}
	}
	end_case("siphash_vectors");
}

static void test_golden_tokens(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(golden_tokens); i++) {
		const struct golden_token *g = &golden_tokens[i];
		siphash_key_t key = ring_key(g->key);

		expect(flr_ring_token(&key, g->name, strlen(g->name), g->j) ==
		       g->pos, "token %zu: %s %u", i, g->name, g->j);
	}
	end_case("golden_tokens");
}

static __be16 net16(u16 host)
{
	u8 bytes[2] = { host >> 8, host };
	__be16 net;

	memcpy(&net, bytes, sizeof(net));
	return net;
}

static void test_golden_flows(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(golden_flows); i++) {
		const struct golden_flow *g = &golden_flows[i];
		siphash_key_t secret = ring_key(g->key);
		__be16 sport = net16(g->sport), dport = net16(g->dport);
		struct flr_key key;

		memset(&key, 0xa5, sizeof(key));
		if (g->version == 4) {
			__be32 saddr, daddr;

			memcpy(&saddr, g->saddr, 4);
			memcpy(&daddr, g->daddr, 4);
			flr_key_set4(&key, g->proto, saddr, sport, daddr,
				     dport);
		} else {
			flr_key_set6(&key, g->proto, g->saddr, sport,
				     g->daddr, dport);
		}
		expect(flr_key_hash(&key, &secret) == g->pos, "flow %zu", i);
	}
	end_case("golden_flows");
}

static void *place_get(void *ctx, size_t n, size_t size)
{
	(void)ctx;
	return alloc(n, size);
}

static void place_put(void *ctx, void *p)
{
	(void)ctx;
	free(p);
}

static const struct place_mem mem = { place_get, place_put, NULL };

static void expect_none(const char *fault, size_t at)
{
	expect(!fault, "number %zu: wrong is %s", at, fault ? fault : "");
}

static void test_golden_rings(void)
{
	struct flr_member m[GOLDEN_BACKENDS];
	struct place_ring r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(golden_rings); i++) {
		place_golden(&r, m, &golden_rings[i]);
		place_make(&r, &mem);
		expect_none(place_golden_fault(&r, &golden_rings[i]), i);
		place_free(&r, &mem);
	}
	end_case("golden_rings");
}

static void test_golden_changes(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(golden_changes); i++)
		expect_none(place_change_fault(&golden_changes[i], &mem), i);
	end_case("golden_changes");
}

static void test_random_placement(void)
{
	static const u32 imbalances[] = { 0, 1, 2, 5, 5, 5, 20, 100 };
	u64 rnd = 0x9e3779b97f4a7c15ULL;
	u32 i;

	for (i = 0; i < RANDOM_RINGS; i++)
		expect_none(place_random_fault(imbalances[i % 8], &rnd, &mem),
			    i);
	end_case("random_placement");
}

static void test_unbounded_moves_the_least(void)
{
	u64 rnd = 0x2545f4914f6cdd1dULL;
	u32 i;

	for (i = 0; i < RANDOM_RINGS; i++)
		expect_none(place_least_fault(&rnd, &mem), i);
	end_case("unbounded_moves_the_least");
}

static void test_no_burst(void)
{
	struct flr_options opt = { .bits = 10, .vnodes = 8, .imbalance = 5 };
	u32 i;

	for (i = 0; i < 8; i++) {
		opt.key.key[0] = i;
		expect_none(place_burst_fault(&opt, &mem), i);
	}
	end_case("no_burst");
}

static void test_by_hand(void)
{
	expect_none(place_fingerprint_fault(), 0);
	end_case("fingerprint_covers");
	expect_none(place_zones_fault(), 0);
	end_case("owners_in_zones");
	expect_none(place_moved_fault(), 0);
	end_case("moved_by_hand");
}

/* Positions near the ends of slots and of the space, and anywhere */
static u64 random_pos(u64 *rnd, u32 bits)
{
	u64 edge = ring_random(rnd) >> (64 - bits) << (64 - bits);

	switch (ring_random(rnd) % 4) {
	case 0:
		return edge + ring_random(rnd) % 3 - 1;
	case 1:
		return ring_random(rnd) % 3 - 1;
	default:
		return ring_random(rnd);
	}
}

static void check_random_ring(u64 *rnd, u32 round)
{
	u32 bits = FLR_BITS_MIN + ring_random(rnd) % 5;
	u32 n = ring_random(rnd) % (RANDOM_TOKENS + 1);
	u32 few = 1 + ring_random(rnd) % RANDOM_TOKENS;
	struct flr_token *model, *tokens, *scratch;
	u64 pool[RANDOM_TOKENS], pos;
	u32 nslots = 1U << bits, i;
	u16 *slots;

	model = alloc(n, sizeof(*model));
	tokens = alloc(n, sizeof(*tokens));
	scratch = alloc(n, sizeof(*scratch));
	slots = alloc(nslots, sizeof(*slots));

	for (i = 0; i < few; i++)
		pool[i] = random_pos(rnd, bits);
	for (i = 0; i < n; i++) {
		model[i].pos = pool[ring_random(rnd) % few];
		model[i].owner = i * RANDOM_BACKENDS / RANDOM_TOKENS;
	}
	if (n)
		memcpy(tokens, model, n * sizeof(*tokens));
	flr_ring_sort(tokens, scratch, n);
	flr_ring_fill(slots, bits, tokens, n);

	for (i = 1; i < n; i++)
		expect(tokens[i - 1].pos < tokens[i].pos ||
		       (tokens[i - 1].pos == tokens[i].pos &&
			tokens[i - 1].owner <= tokens[i].owner),
		       "round %u: token %u out of order", round, i);
	for (i = 0; i < nslots; i++) {
		pos = (u64)i << (64 - bits);
		expect(flr_ring_slot(pos, bits) == i &&
		       flr_ring_slot(pos - 1, bits) == (i - 1) % nslots,
		       "round %u: ends of slot %u", round, i);
		expect(slots[i] == ring_model_owner(model, n, pos),
		       "round %u: slot %u", round, i);
	}
	for (i = 0; i < 3 * n; i++) {
		pos = model[i / 3].pos + i % 3 - 1;
		expect(flr_ring_owner(tokens, n, pos) ==
		       ring_model_owner(model, n, pos),
		       "round %u: owner at token %u %+d", round, i / 3,
		       (int)(i % 3) - 1);
	}
	for (i = 0; i < 64; i++) {
		pos = random_pos(rnd, bits);
		expect(flr_ring_owner(tokens, n, pos) ==
		       ring_model_owner(model, n, pos),
		       "round %u: owner of %#llx", round,
		       (unsigned long long)pos);
	}

	free(slots);
	free(scratch);
	free(tokens);
	free(model);
}

static void test_random_rings(void)
{
	u64 rnd = 0x9e3779b97f4a7c15ULL;
	u32 round;

	for (round = 0; round < RANDOM_RINGS; round++)
		check_random_ring(&rnd, round);
	end_case("random_rings");
}

static void test_largest(void)
{
	siphash_key_t key = {};
	u32 n = 1U << 20, i;
	struct flr_token *tokens = alloc(n, sizeof(*tokens));
	struct flr_token *scratch = alloc(n, sizeof(*scratch));
	u16 *slots = alloc(1U << FLR_BITS_MAX, sizeof(*slots));
	static const char name[] = "0123456789abcdef0123456789abcde";

	flr_ring_add(tokens, n, &key, name, strlen(name), 65533);
	flr_ring_sort(tokens, scratch, n);
	flr_ring_fill(slots, FLR_BITS_MAX, tokens, n);
	for (i = 1; i < n; i++)
		expect(tokens[i - 1].pos <= tokens[i].pos, "token %u", i);
	for (i = 0; i < 1U << FLR_BITS_MAX; i++)
		expect(slots[i] == 65533, "slot %u", i);
	expect(flr_ring_ntokens(65536, 10000) == 6553600, "most tokens");
	end_case("largest");

	free(slots);
	free(scratch);
	free(tokens);
}

/* As many tokens and slots as there can be; memory is exactly what ring.h says */
static void test_largest_bounded(void)
{
	struct flr_member m[] = {
		{ .name = "a", .zone = "", .weight = 800, .id = 1, .up = true },
		{ .name = "b", .zone = "", .weight = 400, .id = 0, .up = true },
		{ .name = "c", .zone = "", .weight = 400, .id = 2, .up = true },
	};
	struct place_ring r = {
		.opt = { .bits = FLR_BITS_MAX, .vnodes = 65536, .imbalance = 1 },
		.m = m,
		.n = ARRAY_SIZE(m),
	};

	place_make(&r, &mem);
	expect(flr_ring_total(&r.opt, m, r.n) == 1U << 20, "tokens");
	expect_none(place_counts_fault(&r), 0);
	expect(r.p.counts[1] > 500000, "shares");
	end_case("largest_bounded");
	place_free(&r, &mem);
}

int main(void)
{
	printf("KTAP version 1\n1..14\n");
	test_siphash();
	test_golden_tokens();
	test_golden_flows();
	test_golden_rings();
	test_golden_changes();
	test_random_placement();
	test_unbounded_moves_the_least();
	test_no_burst();
	test_by_hand();
	test_random_rings();
	test_largest();
	test_largest_bounded();
	return failed_cases ? 1 : 0;
}
