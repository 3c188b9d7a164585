// SPDX-License-Identifier: GPL-2.0
/*
 * What a window costs the choice of a backend alone, from a packet's key to the
 * backend: the module's own code, natively. "plain" is the hash of the key and
 * the slot's owner, as without any windows; the others ask for a window first,
 * as packets do. Flows come in random order, as many as fill three quarters of
 * the pins, and each waits for the one before it.
 *
 *   window_bench
 */

#include <stdio.h>
#include <stdlib.h>

#include "../../kmod/key.h"
#include "../../kmod/window.h"
#include "bench.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define BITS		16
#define BACKENDS	10
#define PINS		65536
#define FLOWS		(PINS / 4 * 3)
#define ROUNDS		31

/* As the module's table of a ring, what packets read of it */
struct table {
	siphash_key_t key;
	struct flr_window *window;
	struct bench_node *nodes[BACKENDS];
	u32 targets[BACKENDS];
	u32 bits;
	u16 slots[1 << BITS];
};

struct flow {
	struct flr_key key;
};

struct turn {
	const char *name;
	u64 (*run)(const struct table *t, const struct flow *flows, u32 n);
	struct flr_window *window;
	double times[ROUNDS];
};

static bool usable(void *data, u32 target)
{
	const struct table *t = data;

	return !t->nodes[target]->zero;
}

static u64 plain(const struct table *t, const struct flow *flows, u32 n)
{
	u64 carry = 0, hash;
	u32 i;

	for (i = 0; i < n; i++) {
		hash = flr_key_hash(&flows[i].key, &t->key) + carry;
		carry = t->nodes[t->slots[flr_ring_slot(hash, t->bits)]]->zero;
	}
	return carry;
}

static u64 windowed(const struct table *t, const struct flow *flows, u32 n)
{
	const struct flr_window *w;
	u64 carry = 0, hash;
	u32 i, owner;

	for (i = 0; i < n; i++) {
		hash = flr_key_hash(&flows[i].key, &t->key) + carry;
		owner = t->slots[flr_ring_slot(hash, t->bits)];
		w = READ_ONCE(t->window);
		if (w) {
			struct flr_ask ask = {
				.hash = hash,
				.present = t->targets[owner],
				.seg = FLR_SEG_DATA,
				.usable = usable,
				.data = (void *)t,
			};
			/* a target is the number of its backend here */
			owner = flr_window_pick(w, &ask).target;
		}
		carry = t->nodes[owner]->zero;
	}
	return carry;
}

static void make_flows(struct flow *flows)
{
	u32 i;

	for (i = 0; i < FLOWS; i++) {
		u64 x = bench_mix(i);

		flr_key_set4(&flows[i].key, 6, x, x >> 32, x >> 24, 20480);
	}
}

static void make_table(struct table *t)
{
	u32 i;

	t->key = bench_key(0);
	t->bits = BITS;
	for (i = 0; i < BACKENDS; i++) {
		t->nodes[i] = aligned_alloc(64, sizeof(*t->nodes[i]));
		if (!t->nodes[i])
			abort();
		t->nodes[i]->zero = 0;
		t->targets[i] = i;
	}
	for (i = 0; i < 1U << BITS; i++)
		t->slots[i] = bench_mix(~(u64)i) % BACKENDS;
}

/* A window whose slots all hold that */
static struct flr_window *make_window(u32 word)
{
	u32 nbuckets = PINS / FLR_PIN_WAYS, i;
	struct flr_window *w;

	w = bench_alloc(1, sizeof(*w) + (sizeof(u32) << BITS));
	w->bits = BITS;
	for (i = 0; i < 1U << BITS; i++)
		w->slots[i] = word;
	/* aligned, as all that is large */
	w->pins = bench_alloc(1, sizeof(*w->pins) +
				 nbuckets * sizeof(w->pins->buckets[0]));
	w->pins->mask = nbuckets - 1;
	return w;
}

static void measure(struct table *t, const struct flow *flows,
		    struct turn *turns, u32 n)
{
	double begin;
	u32 r, i;

	/* all are pinned, and confirmed, before the first round */
	for (r = 0; r < ROUNDS + 2; r++) {
		for (i = 0; i < n; i++) {
			/* who begins changes from round to round */
			struct turn *x = &turns[(i + r) % n];

			t->window = x->window;
			begin = bench_clock();
			bench_sink += x->run(t, flows, FLOWS);
			if (r >= 2)
				x->times[r - 2] = (bench_clock() - begin) /
						  FLOWS;
		}
	}
}

int main(void)
{
	struct turn turns[] = {
		{ .name = "plain", .run = plain },
		{ .name = "steady", .run = windowed },
		{ .name = "open, slot not moved", .run = windowed,
		  .window = make_window(0) },
		{ .name = "open, slot moved, flow pinned", .run = windowed,
		  .window = make_window(FLR_SLOT_MOVED) },
	};
	struct flow *flows = bench_alloc(FLOWS, sizeof(*flows));
	struct table *t = bench_alloc(1, sizeof(*t));
	u32 n = ARRAY_SIZE(turns), i;
	double first, time;

	make_flows(flows);
	make_table(t);
	measure(t, flows, turns, n);
	printf("%-38s%12s%12s\n", "choice of a backend", "ns", "/ plain");
	first = bench_median(turns[0].times, ROUNDS);
	for (i = 0; i < n; i++) {
		time = bench_median(turns[i].times, ROUNDS);
		printf("%-38s%12.1f%12.2f\n", turns[i].name, time,
		       time / first);
	}
	return 0;
}
