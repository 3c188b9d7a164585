// SPDX-License-Identifier: GPL-2.0
/*
 * Operations on pins at the same time, interleaved at random at each access to
 * a pin: each runs on a stack of its own, and who comes next is drawn. What
 * pins promise has to hold whatever the order. Prints KTAP.
 *
 *   pin_race [RUNS [SEED]]
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "../../kmod/pin.h"
#include "../../kmod/tests/ring_build.h"

#define RUNS		60000
#define TASKS		4
#define STACK		32768
#define BUCKETS		2
#define PLACES		(BUCKETS * FLR_PIN_WAYS)
#define OLD		100	/* target of the flow before */
#define OTHER		1000	/* that of other flows */

enum op { OP_SYN, OP_SEEN, OP_DATA, OP_END, OP_DEL, OP_SWEEP, OP_OTHER, OPS };

struct task {
	ucontext_t context;
	enum op op;
	u32 target;
	u32 got;
	enum flr_pin_result result;
	bool done;
	char stack[STACK] __aligned(16);
};

static struct flr_pins *pins;
static struct task tasks[TASKS];
static ucontext_t scheduler;
static struct task *running;
static u32 ntasks;
static u64 flow;
bool flr_atomic_hooked;

void flr_atomic_hook(void)
{
	swapcontext(&running->context, &scheduler);
}

static bool keep_fresh(void *data, const struct flr_pin *pin)
{
	(void)data;
	return !flr_pin_is_idle(pin, 4);
}

static void task_main(void)
{
	struct task *t = running;

	switch (t->op) {
	case OP_SYN:
		t->result = flr_pin_set(pins, flow, t->target, FLR_PIN_SYN, 4);
		break;
	case OP_SEEN:
		t->result = flr_pin_set(pins, flow, t->target, FLR_PIN_SEEN, 4);
		break;
	case OP_DATA:
		t->got = flr_pin_get(pins, flow, 4, FLR_SEG_DATA);
		break;
	case OP_END:
		t->got = flr_pin_get(pins, flow, 4, FLR_SEG_END);
		break;
	case OP_DEL:
		flr_pin_del(pins, flow);
		break;
	case OP_SWEEP:
		flr_pins_sweep(pins, keep_fresh, NULL);
		break;
	default:
		t->result = flr_pin_set(pins, ~flow, OTHER, FLR_PIN_SEEN, 4);
	}
	t->done = true;
	flr_atomic_hook();
}

struct census {
	u32 pins;		/* of the flow */
	u32 target;
	u32 others;
};

static bool count_pin(void *data, const struct flr_pin *pin)
{
	struct census *c = data;

	if ((pin->pos ^ flow) >> 27) {
		c->others++;
		return true;
	}
	c->pins++;
	c->target = pin->target;
	return true;
}

static struct census count(void)
{
	struct census c = {};

	flr_pins_sweep(pins, count_pin, &c);
	return c;
}

/* A table with some pins, one of them perhaps the flow's, some of them stale */
static void prepare(u64 *rnd)
{
	u32 n = ring_random(rnd) % 3 ? ring_random(rnd) % PLACES :
				       PLACES - 1 - ring_random(rnd) % 2, i;

	memset(pins->buckets, 0, BUCKETS * sizeof(pins->buckets[0]));
	flow = ring_random(rnd);
	if (ring_random(rnd) % 2)
		flr_pin_set(pins, flow, OLD, FLR_PIN_SEEN,
			    ring_random(rnd) % 5);
	for (i = 0; i < n; i++)
		flr_pin_set(pins, ring_random(rnd), OTHER, FLR_PIN_SYN,
			    ring_random(rnd) % 5);
	ntasks = 2 + ring_random(rnd) % (TASKS - 1);
	for (i = 0; i < ntasks; i++) {
		struct task *t = &tasks[i];

		t->op = ring_random(rnd) % OPS;
		t->target = t->op == OP_SYN ? i : OLD;
		t->done = false;
		t->got = FLR_NO_TARGET;
		t->result = FLR_PIN_FULL;
		getcontext(&t->context);
		t->context.uc_stack.ss_sp = t->stack;
		t->context.uc_stack.ss_size = STACK;
		t->context.uc_link = NULL;
		makecontext(&t->context, task_main, 0);
	}
}

static void interleave(u64 *rnd)
{
	u32 left = ntasks, sticky = 1 + ring_random(rnd) % 16;

	running = &tasks[0];
	flr_atomic_hooked = true;
	while (left) {
		if (running->done || !(ring_random(rnd) % sticky))
			running = &tasks[ring_random(rnd) % ntasks];
		if (running->done)
			continue;
		swapcontext(&scheduler, &running->context);
		left -= running->done;
	}
	flr_atomic_hooked = false;
}

static u32 ops(enum op op)
{
	u32 i, n = 0;

	for (i = 0; i < ntasks; i++)
		n += tasks[i].op == op;
	return n;
}

static bool has_syn_to(u32 target)
{
	u32 i;

	for (i = 0; i < ntasks; i++) {
		if (tasks[i].op == OP_SYN && tasks[i].target == target &&
		    tasks[i].result != FLR_PIN_FULL)
			return true;
	}
	return false;
}

static bool was_set(u32 target)
{
	return target == OLD ||
	       (target < ntasks && tasks[target].op == OP_SYN);
}

/* Return: what is wrong, or NULL */
static const char *fault(void)
{
	struct census c = count();
	u32 i, syns = 0;

	for (i = 0; i < ntasks; i++) {
		syns += tasks[i].op == OP_SYN &&
			tasks[i].result != FLR_PIN_FULL;
		if (tasks[i].got != FLR_NO_TARGET && !was_set(tasks[i].got))
			return "a target that was never set";
	}
	if (c.pins > 1)
		return "two pins of one flow";
	if (c.pins && !was_set(c.target))
		return "a pin that was never set";
	/* another flow may evict what a SYN has pinned */
	if (!syns || ops(OP_DEL) || ops(OP_OTHER))
		return NULL;
	if (!c.pins)
		return "a connection request unpinned";
	if (!has_syn_to(c.target))
		return "a connection request overruled";
	return NULL;
}

static void explain(u64 seed, const char *what)
{
	static const char * const names[OPS] = {
		"SYN", "SEEN", "data", "FIN", "del", "sweep", "other",
	};
	u32 i;

	printf("# seed %llu: %s:", (unsigned long long)seed, what);
	for (i = 0; i < ntasks; i++)
		printf(" %s(%u)", names[tasks[i].op], tasks[i].target);
	printf("\n");
}

int main(int argc, char **argv)
{
	u64 runs = argc > 1 ? strtoull(argv[1], NULL, 0) : RUNS;
	u64 first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1, seed, rnd;
	const char *what;
	u32 bad = 0;

	pins = aligned_alloc(64, sizeof(*pins) +
			     BUCKETS * sizeof(pins->buckets[0]));
	if (!pins)
		return 1;
	pins->mask = BUCKETS - 1;
	printf("KTAP version 1\n1..1\n");
	for (seed = first; seed < first + runs && bad < 5; seed++) {
		rnd = seed * 0x9e3779b97f4a7c15ULL | 1;
		prepare(&rnd);
		interleave(&rnd);
		what = fault();
		if (what) {
			explain(seed, what);
			bad++;
		}
	}
	printf("%sok 1 pins_hold_in_any_order\n", bad ? "not " : "");
	free(pins);
	return bad != 0;
}
