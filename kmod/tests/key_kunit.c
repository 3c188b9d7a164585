// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the flow key. Suite: flowring_key.
 */

#include <kunit/test.h>
#include <linux/module.h>

#include "../key.c"

#include "golden.h"
#include "ring_build.h"

static void key_encoding4(struct kunit *test)
{
	static const u8 want[FLR_KEY_LEN4] = {
		0x4b, 0x04, 0x06, 0x1f, 0x01, 0x02, 0x03, 0x04,
		192, 0, 2, 1, 198, 51, 100, 10,
	};
	struct flr_key key;

	memset(&key, 0xa5, sizeof(key));
	flr_key_set4(&key, 6, cpu_to_be32(0xc0000201), cpu_to_be16(0x0102),
		     cpu_to_be32(0xc633640a), cpu_to_be16(0x0304));
	KUNIT_EXPECT_MEMEQ(test, &key, want, sizeof(want));
}

static void key_encoding6(struct kunit *test)
{
	static const u8 want[FLR_KEY_LEN6] = {
		0x4b, 0x06, 0x11, 0x1f, 0x01, 0x02, 0x03, 0x04,
		0x20, 0x01, 0x0d, 0xb8, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
		15, 0x20, 0x01, 0x0d, 0xb9, 20, 21, 22, 23, 24, 25, 26, 27,
		28, 29, 30, 31,
	};
	struct flr_key key;

	memset(&key, 0xa5, sizeof(key));
	flr_key_set6(&key, 17, want + 8, cpu_to_be16(0x0102), want + 24,
		     cpu_to_be16(0x0304));
	KUNIT_EXPECT_MEMEQ(test, &key, want, sizeof(want));
}

static void key_golden(struct kunit *test)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(golden_flows); i++) {
		const struct golden_flow *g = &golden_flows[i];
		siphash_key_t secret = ring_key(g->key);
		__be16 sport = cpu_to_be16(g->sport);
		__be16 dport = cpu_to_be16(g->dport);
		struct flr_key key;

		/* What an IPv4 key leaves unset must not matter */
		memset(&key, 0xa5, sizeof(key));
		if (g->version == 4) {
			__be32 saddr, daddr;

			memcpy(&saddr, g->saddr, sizeof(saddr));
			memcpy(&daddr, g->daddr, sizeof(daddr));
			flr_key_set4(&key, g->proto, saddr, sport, daddr,
				     dport);
		} else {
			flr_key_set6(&key, g->proto, g->saddr, sport,
				     g->daddr, dport);
		}
		KUNIT_EXPECT_EQ_MSG(test, flr_key_hash(&key, &secret), g->pos,
				    "flow %u", i);
	}
}

/* Every bit of the encoded key takes part, and every bit of the secret */
static void key_every_bit_counts(struct kunit *test)
{
	static const u32 len[] = { FLR_KEY_LEN4, FLR_KEY_LEN6 };
	u32 i, bit, same = 0;

	for (i = 0; i < ARRAY_SIZE(len); i++) {
		siphash_key_t secret = {};
		struct flr_key key = {};
		u8 *bytes = (u8 *)&key;
		u64 was;

		key.family = i ? 6 : 4;
		was = flr_key_hash(&key, &secret);
		for (bit = 0; bit < 8 * len[i]; bit++) {
			/* The family decides the length, so leave it alone */
			if (bit / 8 == offsetof(struct flr_key, family))
				continue;
			bytes[bit / 8] ^= BIT(bit % 8);
			same += flr_key_hash(&key, &secret) == was;
			bytes[bit / 8] ^= BIT(bit % 8);
		}
		for (bit = 0; bit < 128; bit++) {
			secret.key[bit / 64] ^= 1ULL << bit % 64;
			same += flr_key_hash(&key, &secret) == was;
			secret.key[bit / 64] ^= 1ULL << bit % 64;
		}
	}
	KUNIT_EXPECT_EQ(test, same, 0);
}

static void key_siphash_vectors(struct kunit *test)
{
	siphash_key_t key = { {
		0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL,
	} };
	u8 data[64] __aligned(8);
	u32 n;

	for (n = 0; n < ARRAY_SIZE(golden_siphash); n++) {
		KUNIT_EXPECT_EQ(test, siphash(data, n, &key),
				golden_siphash[n]);
		data[n] = n;
	}
}

static struct kunit_case key_cases[] = {
	KUNIT_CASE(key_encoding4),
	KUNIT_CASE(key_encoding6),
	KUNIT_CASE(key_golden),
	KUNIT_CASE(key_every_bit_counts),
	KUNIT_CASE(key_siphash_vectors),
	{}
};

static struct kunit_suite key_suite = {
	.name = "flowring_key",
	.test_cases = key_cases,
};

kunit_test_suite(key_suite);

MODULE_DESCRIPTION("KUnit tests of flowring's flow key");
MODULE_LICENSE("GPL");
