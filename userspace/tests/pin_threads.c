// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that set, find, delete and sweep pins at the same time, for
 * ThreadSanitizer to watch: a flow never goes to a target that it was not
 * pinned to, and after each of many short turns it has one pin. Prints KTAP.
 */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../kmod/pin.h"
#include "../../kmod/tests/ring_build.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define THREADS		4
#define TURNS		3000
#define STEPS		64
#define SHIFT		4	/* a flow has 2^SHIFT targets of its own */
#define BUCKETS		8

/* Tables with room, and one without */
static const struct round {
	const char *name;
	u32 flows;
} rounds[] = {
	{ "one_flow", 1 },
	{ "few_flows", 8 },
	{ "more_flows_than_pins", 200 },
};

static const struct round *round;
static struct flr_pins *pins;
static u64 hashes[200];
static pthread_barrier_t barrier;
static u32 faults[THREADS];

static bool keep_some(void *data, const struct flr_pin *pin)
{
	u64 *rnd = data;

	(void)pin;
	return ring_random(rnd) % 4;
}

static void step(u64 *rnd, u32 *bad)
{
	u32 flow = ring_random(rnd) % round->flows, target;
	u32 own = flow << SHIFT | ring_random(rnd) % (1U << SHIFT);
	enum flr_segment seg = FLR_SEG_ACK + ring_random(rnd) % 4;
	u8 tick = ring_random(rnd) % 4;

	switch (ring_random(rnd) % 64) {
	case 0:
		flr_pins_sweep(pins, keep_some, rnd);
		break;
	case 1:
		flr_pin_del(pins, hashes[flow]);
		break;
	case 2 ... 15:
		flr_pin_set(pins, hashes[flow], own, FLR_PIN_SYN, tick);
		break;
	case 16 ... 31:
		flr_pin_set(pins, hashes[flow], own, FLR_PIN_SEEN, tick);
		break;
	default:
		target = flr_pin_get(pins, hashes[flow], tick, seg);
		*bad += target != FLR_NO_TARGET && target >> SHIFT != flow;
	}
}

static bool count_pin(void *data, const struct flr_pin *pin)
{
	u32 *counts = data, i;

	for (i = 0; i < round->flows; i++)
		counts[i] += !((hashes[i] ^ pin->pos) >> 27);
	return true;
}

/* Return: how many flows have more than one pin */
static u32 twice(void)
{
	u32 counts[ARRAY_SIZE(hashes)] = {}, i, n = 0;

	flr_pins_sweep(pins, count_pin, counts);
	for (i = 0; i < round->flows; i++)
		n += counts[i] > 1;
	return n;
}

static void begin(u64 *rnd)
{
	u32 i;

	memset(pins->buckets, 0, BUCKETS * sizeof(pins->buckets[0]));
	for (i = 0; i < round->flows; i++)
		hashes[i] = ring_random(rnd);
}

static void *work(void *arg)
{
	u32 *bad = arg, i, j;
	u64 rnd = 0x9e3779b97f4a7c15ULL * (1 + (bad - faults));

	for (i = 0; i < TURNS; i++) {
		if (bad == faults)
			begin(&rnd);
		pthread_barrier_wait(&barrier);
		for (j = 0; j < STEPS; j++)
			step(&rnd, bad);
		pthread_barrier_wait(&barrier);
		if (bad == faults)
			*bad += twice();
	}
	return NULL;
}

/* Return: how much was wrong */
static u32 run(void)
{
	pthread_t threads[THREADS];
	u32 i, bad = 0;

	for (i = 0; i < THREADS; i++) {
		faults[i] = 0;
		if (pthread_create(&threads[i], NULL, work, &faults[i]))
			exit(1);
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		bad += faults[i];
	}
	return bad;
}

int main(void)
{
	u32 i, bad, all = 0;

	pins = aligned_alloc(64, sizeof(*pins) +
			     BUCKETS * sizeof(pins->buckets[0]));
	if (!pins || pthread_barrier_init(&barrier, NULL, THREADS))
		return 1;
	pins->mask = BUCKETS - 1;
	printf("KTAP version 1\n1..%zu\n", ARRAY_SIZE(rounds));
	for (i = 0; i < ARRAY_SIZE(rounds); i++) {
		round = &rounds[i];
		bad = run();
		all += bad;
		if (bad)
			printf("# wrong targets, or more pins than one: %u\n",
			       bad);
		printf("%sok %u threads_%s\n", bad ? "not " : "", i + 1,
		       round->name);
	}
	pthread_barrier_destroy(&barrier);
	free(pins);
	return all != 0;
}
