// SPDX-License-Identifier: GPL-2.0
/*
 * Reads rings, one a line, as selftests/model.py prints them, and prints the
 * slot table of each, one a line.
 */

#include <stdio.h>
#include <stdlib.h>

#include "../../kmod/ring.h"
#include "../../kmod/tests/ring_build.h"

#define MAX_BACKENDS	64
#define MAX_POSITIONS	64

static void fail(const char *what)
{
	fprintf(stderr, "ring_dump: bad %s\n", what);
	exit(1);
}

static void *alloc(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p && n)
		fail("memory");
	return p;
}

static void parse_backend(struct ring_backend *b, char *word, u64 *positions)
{
	char *value = strpbrk(word, "=@");
	char *pos;

	if (!value)
		fail("backend");
	b->name = word;
	if (*value == '=') {
		*value++ = '\0';
		b->weight = strtoul(value, NULL, 10);
		return;
	}
	*value++ = '\0';
	b->pos = positions;
	for (pos = strtok(value, ","); pos; pos = strtok(NULL, ",")) {
		if (b->npos == MAX_POSITIONS)
			fail("positions");
		positions[b->npos++] = strtoull(pos, NULL, 16);
	}
}

static void dump(const siphash_key_t *key, u32 bits, u32 vnodes,
		 struct ring_backend *b, u32 nbackends)
{
	u32 nslots = 1U << bits;
	u32 n = ring_ntokens(b, nbackends, vnodes);
	struct flr_token *tokens = alloc(n, sizeof(*tokens));
	struct flr_token *scratch = alloc(n, sizeof(*scratch));
	u16 *slots = alloc(nslots, sizeof(*slots));
	u32 i;

	ring_sort_names(b, nbackends);
	for (i = 0; i < nbackends; i++)
		b[i].owner = i;
	ring_add_all(tokens, key, vnodes, b, nbackends);
	flr_ring_sort(tokens, scratch, n);
	flr_ring_fill(slots, bits, tokens, n);
	for (i = 0; i < nslots; i++)
		printf("%u%c", slots[i], i + 1 < nslots ? ' ' : '\n');

	free(slots);
	free(scratch);
	free(tokens);
}

static void dump_line(char *line)
{
	static u64 positions[MAX_BACKENDS][MAX_POSITIONS];
	struct ring_backend b[MAX_BACKENDS] = {};
	char *words[MAX_BACKENDS];
	u32 bits, vnodes, i, n = 0;
	siphash_key_t key;
	char *hex, *word;
	u8 bytes[16];

	hex = strtok(line, "\n ");
	if (!hex || strlen(hex) != 32)
		fail("key");
	for (i = 0; i < 16; i++) {
		char digits[3] = { hex[2 * i], hex[2 * i + 1] };

		bytes[i] = strtoul(digits, NULL, 16);
	}
	key = ring_key(bytes);
	word = strtok(NULL, "\n ");
	bits = word ? strtoul(word, NULL, 10) : 0;
	if (bits < FLR_BITS_MIN || bits > FLR_BITS_MAX)
		fail("bits");
	word = strtok(NULL, "\n ");
	vnodes = word ? strtoul(word, NULL, 10) : 0;
	while ((word = strtok(NULL, "\n "))) {
		if (n == MAX_BACKENDS)
			fail("number of backends");
		words[n++] = word;
	}
	for (i = 0; i < n; i++)
		parse_backend(&b[i], words[i], positions[i]);
	dump(&key, bits, vnodes, b, n);
}

int main(void)
{
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) > 0)
		dump_line(line);
	free(line);
	return 0;
}
