// SPDX-License-Identifier: GPL-2.0
/*
 * SipHash-2-4, byte by byte, so that the byte order and the alignment of the
 * machine have no part in it.
 */

#include <linux/siphash.h>

struct sip {
	u64 v[4];
};

static u64 sip_rotl(u64 x, unsigned int n)
{
	return x << n | x >> (64 - n);
}

static u64 sip_le64(const u8 *p, size_t len)
{
	u64 word = 0;

	while (len--)
		word = word << 8 | p[len];
	return word;
}

static void sip_rounds(struct sip *s, unsigned int n)
{
	u64 *v = s->v;

	while (n--) {
		v[0] += v[1];
		v[1] = sip_rotl(v[1], 13) ^ v[0];
		v[0] = sip_rotl(v[0], 32);
		v[2] += v[3];
		v[3] = sip_rotl(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = sip_rotl(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = sip_rotl(v[1], 17) ^ v[2];
		v[2] = sip_rotl(v[2], 32);
	}
}

static void sip_word(struct sip *s, u64 word)
{
	s->v[3] ^= word;
	sip_rounds(s, 2);
	s->v[0] ^= word;
}

/**
 * siphash() - SipHash-2-4
 * @data: the message
 * @len: bytes in @data
 * @key: the key
 *
 * Return: the hash, the same number as the kernel's function of this name.
 */
u64 siphash(const void *data, size_t len, const siphash_key_t *key)
{
	struct sip s = { {
		key->key[0] ^ 0x736f6d6570736575ULL,
		key->key[1] ^ 0x646f72616e646f6dULL,
		key->key[0] ^ 0x6c7967656e657261ULL,
		key->key[1] ^ 0x7465646279746573ULL,
	} };
	const u8 *p = data;
	size_t left;

	for (left = len; left >= 8; left -= 8, p += 8)
		sip_word(&s, sip_le64(p, 8));
	sip_word(&s, (u64)len << 56 | sip_le64(p, left));

	s.v[2] ^= 0xff;
	sip_rounds(&s, 4);
	return s.v[0] ^ s.v[1] ^ s.v[2] ^ s.v[3];
}
