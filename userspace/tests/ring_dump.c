// SPDX-License-Identifier: GPL-2.0
/*
 * Reads cases, one a line, as selftests/model.py prints them, and prints what
 * the ring code makes of each, in the words of "model.py answer".
 */

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../kmod/ring.h"
#include "../../kmod/tests/place_build.h"

#define MAX_MEMBERS	512
#define MAX_TOKENS	16
#define MAX_OWNERS	64

static u64 tokens[2][MAX_MEMBERS][MAX_TOKENS];
static struct flr_member members[2][MAX_MEMBERS];
static bool born[2][MAX_MEMBERS];

static void fail(const char *what)
{
	fprintf(stderr, "ring_dump: bad %s\n", what);
	exit(1);
}

/* Exactly as large as asked for, so that ASan sees one element past it */
static void *get(void *ctx, size_t n, size_t size)
{
	void *p = calloc(n, size);

	(void)ctx;
	if (!p && n)
		fail("memory");
	return p;
}

static void put(void *ctx, void *p)
{
	(void)ctx;
	free(p);
}

static const struct place_mem mem = { get, put, NULL };

/* The next word of a line, or the next part of a word */
static char *next(char **from, const char *ends)
{
	char *word = strsep(from, ends);

	if (!word)
		fail("line");
	return word;
}

static u32 number(char **from, const char *ends)
{
	return strtoul(next(from, ends), NULL, 10);
}

static void parse_tokens(struct flr_member *m, char *list, u64 *room)
{
	char *word;

	while (*list && (word = strsep(&list, "+"))) {
		if (m->ntokens == MAX_TOKENS)
			fail("number of tokens");
		room[m->ntokens++] = strtoull(word, NULL, 16);
		m->tokens = room;
		if (!list)
			break;
	}
}

static void parse_member(struct flr_member *m, char *word, u64 *room,
			 bool *again)
{
	const char *addr;

	memset(m, 0, sizeof(*m));
	m->name = next(&word, ",");
	m->weight = number(&word, ",");
	m->state = number(&word, ",");
	m->up = !m->state;
	m->mode = number(&word, ",");
	addr = next(&word, ",");
	m->ipv6 = strchr(addr, ':');
	if (*addr &&
	    inet_pton(m->ipv6 ? AF_INET6 : AF_INET, addr, m->addr) != 1)
		fail("address");
	m->port = number(&word, ",");
	m->checksum = number(&word, ",");
	m->mark = number(&word, ",");
	m->zone = next(&word, ",");
	parse_tokens(m, next(&word, ","), room);
	*again = number(&word, ",");
}

static siphash_key_t parse_key(const char *hex)
{
	u8 bytes[16];
	u32 i;

	if (strlen(hex) != 32)
		fail("key");
	for (i = 0; i < 16; i++) {
		char digits[3] = { hex[2 * i], hex[2 * i + 1] };

		bytes[i] = strtoul(digits, NULL, 16);
	}
	return ring_key(bytes);
}

static void parse_ring(struct place_ring *r, u32 which, char **line)
{
	char *word;

	memset(r, 0, sizeof(*r));
	r->m = members[which];
	r->opt.key = parse_key(next(line, " "));
	r->opt.bits = number(line, " ");
	if (r->opt.bits < FLR_BITS_MIN || r->opt.bits > FLR_BITS_MAX)
		fail("bits");
	r->opt.vnodes = number(line, " ");
	r->opt.imbalance = number(line, " ");
	r->opt.no_backend = number(line, " ");
	r->opt.masquerade = number(line, " ");
	while (strcmp(word = next(line, " "), "|")) {
		if (r->n == MAX_MEMBERS)
			fail("number of backends");
		parse_member(&r->m[r->n], word, tokens[which][r->n],
			     &born[which][r->n]);
		r->n++;
	}
}

/* Ids in the order of the line, which has nothing to do with that of names */
static void set_ids(struct place_ring *a, struct place_ring *b)
{
	u32 i, j;

	for (i = 0; i < a->n; i++)
		a->m[i].id = a->n - 1 - i;
	for (i = 0; i < b->n; i++) {
		b->m[i].id = a->n + i;
		for (j = 0; j < a->n && !born[1][i]; j++) {
			if (!strcmp(a->m[j].name, b->m[i].name))
				b->m[i].id = a->m[j].id;
		}
	}
}

static void dump_ring(const struct place_ring *r, const char *space)
{
	u32 i;

	printf("%sslots", space);
	for (i = 0; i < 1U << r->opt.bits; i++)
		printf(" %u", place_index(r, r->p.slots[i]));
	printf(" counts");
	for (i = 0; i < r->n; i++)
		printf(" %u", r->p.counts[r->m[i].id]);
	if (r->opt.imbalance)
		printf(" capacities");
	for (i = 0; i < r->n && r->opt.imbalance; i++)
		printf(" %u", r->p.caps[r->m[i].id]);
	printf(" fingerprint %016llx", (unsigned long long)
	       flr_ring_fingerprint(&r->opt, r->m, r->n));
}

static void dump_owners(const struct place_ring *r, u32 most, u64 pos)
{
	static struct flr_reach reach[MAX_MEMBERS];
	u32 list[MAX_OWNERS], n, i;
	u16 first = r->p.slots[flr_ring_slot(pos, r->opt.bits)];

	if (most > MAX_OWNERS)
		fail("number of owners");
	n = flr_ring_owners(list, most, &r->opt, r->m, r->n, pos, first,
			    reach);
	printf(" owners");
	for (i = 0; i < n; i++)
		printf(" %u", list[i]);
}

static void dump_line(char *line)
{
	struct place_ring a, b;
	u32 most;

	line[strcspn(line, "\n")] = '\0';
	parse_ring(&a, 0, &line);
	parse_ring(&b, 1, &line);
	set_ids(&a, &b);
	place_make(&a, &mem);
	place_make(&b, &mem);
	dump_ring(&a, "");
	dump_ring(&b, " ");
	most = number(&line, " ");
	while (line)
		dump_owners(&a, most, strtoull(next(&line, " "), NULL, 16));
	printf(" moved %u least %u\n", place_moved(&a, &b),
	       place_least(&a, &b));
	place_free(&a, &mem);
	place_free(&b, &mem);
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
