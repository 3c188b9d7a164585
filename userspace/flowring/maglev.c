// SPDX-License-Identifier: GPL-2.0
/* What other tables would move by the same change, to compare with: Maglev's
 * (Eisenbud et al., NSDI 2016, section 3.4) and a plain hash modulo the number
 * of backends.
 */

#include <stdlib.h>
#include <string.h>

#include <linux/siphash.h>

#include "maglev.h"

#define FR_MAGLEV_EMPTY		UINT32_MAX

/**
 * struct turn - A backend while a table is filled.
 * @at: Index in the caller's list.
 * @weight: Its weight.
 * @credit: What it has saved up for its next turn.
 * @next: The next slot that it prefers.
 * @skip: From that to the one after it.
 */
struct turn {
	uint32_t at;
	uint32_t weight;
	uint32_t credit;
	uint32_t next;
	uint32_t skip;
};

static void turn_init(struct turn *t, uint32_t at, const char *name,
		      uint32_t weight)
{
	/* Any two hashes of the name do; these are under two fixed keys */
	static const siphash_key_t offset_key = { { 1, 0 } };
	static const siphash_key_t skip_key = { { 2, 0 } };
	size_t len = strlen(name);

	*t = (struct turn){ .at = at, .weight = weight };
	t->next = siphash(name, len, &offset_key) % FR_MAGLEV_SIZE;
	t->skip = siphash(name, len, &skip_key) % (FR_MAGLEV_SIZE - 1) + 1;
}

/* Each in its turn takes the next free slot that it prefers. The heaviest one
 * has a turn in every round, the others in as many of them as their weight
 * says.
 */
static void fill(uint32_t *table, struct turn *turns, size_t n)
{
	uint32_t left = FR_MAGLEV_SIZE, heaviest = 0;
	struct turn *t;
	size_t i;

	for (i = 0; i < FR_MAGLEV_SIZE; i++)
		table[i] = FR_MAGLEV_EMPTY;
	for (i = 0; i < n; i++) {
		if (turns[i].weight > heaviest)
			heaviest = turns[i].weight;
	}
	for (i = 0; n && left; i = (i + 1) % n) {
		t = &turns[i];
		t->credit += t->weight;
		if (t->credit < heaviest)
			continue;
		t->credit -= heaviest;
		while (table[t->next] != FR_MAGLEV_EMPTY)
			t->next = (t->next + t->skip) % FR_MAGLEV_SIZE;
		table[t->next] = t->at;
		left--;
	}
}

/**
 * fr_maglev_moved() - Share of the flows that a Maglev table would move.
 * @v: The backends, in the order of their names.
 * @n: Number of backends.
 *
 * Return: The share, 0 to 1; or a negative number when memory ran out.
 */
double fr_maglev_moved(const struct fr_weighed *v, size_t n)
{
	uint32_t *tables = calloc(2 * FR_MAGLEV_SIZE, sizeof(*tables));
	struct turn *turns = calloc(n + 1, sizeof(*turns));
	uint32_t *before = tables, *after = tables + FR_MAGLEV_SIZE;
	size_t i, count, moved = 0;

	if (!tables || !turns) {
		free(tables);
		free(turns);
		return -1;
	}
	for (i = 0, count = 0; i < n; i++) {
		if (v[i].before)
			turn_init(&turns[count++], i, v[i].name, v[i].before);
	}
	fill(before, turns, count);
	for (i = 0, count = 0; i < n; i++) {
		if (v[i].after)
			turn_init(&turns[count++], i, v[i].name, v[i].after);
	}
	fill(after, turns, count);
	for (i = 0; i < FR_MAGLEV_SIZE; i++)
		moved += before[i] != FR_MAGLEV_EMPTY && before[i] != after[i];
	free(tables);
	free(turns);
	return (double)moved / FR_MAGLEV_SIZE;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
	uint64_t rest;

	while (b) {
		rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* Length of what two ranges of a circle of @size have in common, none of them
 * longer than the circle
 */
static uint64_t common(uint64_t size, uint64_t a, uint64_t alen, uint64_t b,
		       uint64_t blen)
{
	uint64_t from, to, sum = 0;
	int turn;

	/* From the start of one, the other begins in this turn or the last */
	b = (b + size - a) % size;
	for (turn = 0; turn < 2; turn++) {
		from = turn ? 0 : b;
		to = turn ? (b + blen > size ? b + blen - size : 0) : b + blen;
		if (to > alen)
			to = alen;
		if (to > from)
			sum += to - from;
	}
	return sum;
}

/**
 * fr_modulo_moved() - Share of the flows that a table of all backends would
 *	move, read at the hash modulo its length.
 * @v: The backends, in the order of their names.
 * @n: Number of backends.
 *
 * Each backend stands in the table as often as its weight says, divided by what
 * all weights have in common. For tables of lengths p and q, and g their
 * greatest common divisor, the pairs of indexes that a hash can have are those
 * that are equal modulo g, all of them equally likely. The entries of a backend
 * are neighbours, so that the pairs in which the owner stays can be counted
 * without making the tables.
 *
 * Return: The share, 0 to 1, exactly.
 */
double fr_modulo_moved(const struct fr_weighed *v, size_t n)
{
	uint64_t wp = 0, wq = 0, p = 0, q = 0, g, a = 0, b = 0;
	double same = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		wp = gcd(wp, v[i].before);
		wq = gcd(wq, v[i].after);
		p += v[i].before;
		q += v[i].after;
	}
	if (!p || !q)
		return p ? 1 : 0;
	p /= wp;
	q /= wq;
	g = gcd(p, q);
	for (i = 0; i < n; i++) {
		uint64_t x = v[i].before / wp, y = v[i].after / wq;

		/* Whole turns round the circle of g, and what is left over */
		same += (double)(x / g) * (y / g) * g + (x / g) * (y % g) +
			(y / g) * (x % g) +
			common(g, a % g, x % g, b % g, y % g);
		a += x;
		b += y;
	}
	return 1 - same / ((double)p * q / g);
}
