// SPDX-License-Identifier: GPL-2.0
/*
 * Random sequences of packets and changes over the module's code of windows
 * and pins, each watched by an oracle. One that loses a connection, or breaks
 * another promise, is made as short as it can be and printed. Then faults are
 * built into the world one by one, to see that each is found. Prints KTAP.
 *
 *   model_check [-n SEQUENCES] [-s SEED] [-j JOBS] [-o NUMBER]
 */

#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model.h"

#ifndef MODEL_SEQUENCES
#define MODEL_SEQUENCES	100000
#endif
#define MUTANT_TRIES	30000

static struct model model;

/* What a fork of the program says; shared */
struct job {
	struct model_totals totals;
	u64 failed;		/* number of a sequence plus one */
};

static bool may_race(const struct model_event *e, const struct model_event *in)
{
	if (!in->race)
		return false;
	if (e->kind == MODEL_PACKET || e->kind == MODEL_FLOOD)
		return true;
	/* changes, ticks and closing wait for each other */
	return (e->kind == MODEL_TICK || e->kind == MODEL_GRACE) &&
	       (in->kind == MODEL_PACKET || in->kind == MODEL_FLOOD);
}

u32 model_step(struct model *m, const struct model_event *e, u32 n)
{
	bool race = n > 1 && may_race(e, &e[1]);
	u32 i;

	m->now++;
	m->armed = race ? &e[1] : NULL;
	m->countdown = race ? e[1].race : 0;
	if (!m->nested) {
		m->raced = false;
		m->did = 0;
	}
	switch (e->kind) {
	case MODEL_PACKET:
		model_packet(m, e->a, e->b);
		break;
	case MODEL_FLOOD:
		model_flood(m, e->a, e->b, e->value);
		break;
	case MODEL_CHANGE:
		model_change(m, e);
		break;
	case MODEL_TICK:
		for (i = 0; i < (m->nested ? 1 : e->a); i++)
			model_tick(m);
		break;
	case MODEL_CLOSE:
		model_close(m);
		break;
	case MODEL_GRACE:
		if (m->closing)
			model_sweep(m);
		break;
	}
	race = race && !m->armed;
	m->armed = NULL;
	return 1 + race;
}

/* Return: whether all went well */
static bool run(struct model *m, const struct model_setup *s,
		const struct model_sequence *q)
{
	u32 i = 0;

	model_begin(m, s);
	while (i < q->n && !m->why[0])
		i += model_step(m, &q->events[i], q->n - i);
	m->totals->sequences++;
	m->totals->events += i;
	return !m->why[0];
}

static u32 pick(u64 *rnd, u32 n)
{
	return (model_random(rnd) >> 32) * n >> 32;
}

static void make_flows(struct model_setup *s, u64 *rnd)
{
	u64 places[8];
	u32 n = 1 + pick(rnd, 8), i, j;

	for (i = 0; i < n; i++)
		places[i] = model_random(rnd) >> (64 - MODEL_BITS_MAX);
	s->nflows = s->npins > 64 ? MODEL_FLOWS : 4 + pick(rnd, 28);
	for (i = 0; i < s->nflows; i++) {
		s->tcp[i] = i % 8 != 7;
		do {
			s->hash[i] = places[pick(rnd, n)]
				     << (64 - MODEL_BITS_MAX) |
				     model_random(rnd) >> MODEL_BITS_MAX;
			for (j = 0; j < i; j++) {
				/* one of the other's pins: not to be told */
				if (!((s->hash[i] ^ s->hash[j]) >> 27))
					break;
			}
		} while (j < i);
	}
}

static void make_setup(struct model_setup *s, u64 *rnd)
{
	static const u16 pins[] = { 16, 16, 16, 32, 32, 64, 256, 1024 };
	static const u8 windows[] = { 1, 2, 4, 8, 16 };
	static const u8 imbalances[] = { 0, 5, 20, 100 };
	u32 i, n = 1 + pick(rnd, MODEL_BACKENDS);

	memset(s, 0, sizeof(*s));
	s->key.key[0] = model_random(rnd);
	s->key.key[1] = model_random(rnd);
	s->npins = pins[pick(rnd, 8)];
	s->window = windows[pick(rnd, 5)];
	s->move = pick(rnd, 2);
	s->config.bits = FLR_BITS_MIN + (pick(rnd, 4) ? 0 : pick(rnd, 3));
	s->config.vnodes = 1 + pick(rnd, 8);
	s->config.imbalance = imbalances[pick(rnd, 4)];
	s->config.remembers = pick(rnd, 16);
	for (i = 0; i < n; i++) {
		s->config.b[i].life = 1;
		s->config.b[i].target = FLR_NO_TARGET;
		s->config.b[i].weight = 100;
	}
	make_flows(s, rnd);
}

static enum flr_segment make_segment(u64 *rnd)
{
	static const u8 segments[] = {
		FLR_SEG_SYN, FLR_SEG_SYN, FLR_SEG_SYN, FLR_SEG_ACK,
		FLR_SEG_ACK, FLR_SEG_ACK, FLR_SEG_DATA, FLR_SEG_DATA,
		FLR_SEG_DATA, FLR_SEG_DATA, FLR_SEG_DATA, FLR_SEG_DATA,
		FLR_SEG_DATA, FLR_SEG_END, FLR_SEG_QUOTE, FLR_SEG_QUOTE,
	};

	return segments[pick(rnd, 16)];
}

static void make_change(struct model_event *e, u64 *rnd)
{
	static const u8 ops[] = {
		MODEL_SET_STATE, MODEL_SET_STATE, MODEL_SET_STATE,
		MODEL_SET_STATE, MODEL_SET_WEIGHT, MODEL_SET_WEIGHT,
		MODEL_SET_WEIGHT, MODEL_ADD, MODEL_ADD, MODEL_ADD, MODEL_DEL,
		MODEL_DEL, MODEL_READDRESS, MODEL_SET_BITS, MODEL_SET_VNODES,
		MODEL_SET_IMBALANCE, MODEL_SET_WINDOW,
	};

	e->kind = MODEL_CHANGE;
	e->a = ops[pick(rnd, sizeof(ops))];
	e->b = pick(rnd, MODEL_BACKENDS);
	e->value = pick(rnd, 64);
	e->commit = pick(rnd, 4);
}

/* Where another event comes in: mostly early, as most packets touch few pins */
static u8 make_race(u64 *rnd)
{
	if (pick(rnd, 4))
		return 0;
	return 1 + (pick(rnd, 2) ? pick(rnd, 4) : pick(rnd, 60));
}

static void make_events(struct model_sequence *q, u64 *rnd)
{
	u32 churn = 3 + pick(rnd, 14), time = pick(rnd, 12);
	u32 flood = pick(rnd, 3) ? 0 : pick(rnd, 12), i, kind;

	q->n = 20 + pick(rnd, pick(rnd, 3) ? 80 : MODEL_EVENTS - 19);
	for (i = 0; i < q->n; i++) {
		struct model_event *e = &q->events[i];

		memset(e, 0, sizeof(*e));
		kind = pick(rnd, 64);
		e->race = make_race(rnd);
		if (kind < churn) {
			make_change(e, rnd);
		} else if (kind < churn + time) {
			e->kind = MODEL_TICK;
			e->a = pick(rnd, 4) ? 1 : 1 + pick(rnd, 18);
		} else if (kind < churn + time + flood) {
			e->kind = MODEL_FLOOD;
			e->a = 1 + pick(rnd, 24);
			e->b = pick(rnd, 4) ? FLR_SEG_SYN : FLR_SEG_ACK;
			e->value = pick(rnd, 4096);
		} else if (kind == 62) {
			e->kind = MODEL_CLOSE;
		} else if (kind == 63) {
			e->kind = MODEL_GRACE;
		} else {
			e->kind = MODEL_PACKET;
			e->a = pick(rnd, MODEL_FLOWS);
			e->b = make_segment(rnd);
		}
	}
}

static void make(u64 seed, struct model_setup *s, struct model_sequence *q)
{
	u64 rnd = seed;

	q->seed = seed;
	make_setup(s, &rnd);
	make_events(q, &rnd);
}

/* Leave events out as long as something goes wrong */
static void shorten(struct model *m, const struct model_setup *s,
		    struct model_sequence *q)
{
	struct model_sequence shorter;
	u32 chunk, at;
	bool any;

	do {
		any = false;
		for (chunk = q->n / 2 + 1; chunk; chunk /= 2) {
			for (at = 0; at + chunk <= q->n;) {
				shorter = *q;
				shorter.n -= chunk;
				memmove(&shorter.events[at],
					&shorter.events[at + chunk],
					(shorter.n - at) *
					sizeof(shorter.events[0]));
				if (run(m, s, &shorter)) {
					at += chunk;
					continue;
				}
				*q = shorter;
				any = true;
			}
		}
	} while (any);
}

static void print_event(const struct model_event *e)
{
	static const char * const segments[] = {
		"datagram", "SYN", "ACK", "data", "FIN", "quote",
	};
	static const char * const ops[] = {
		"state", "weight", "add", "del", "readdress", "bits",
		"vnodes", "imbalance", "window",
	};

	if (e->race)
		printf("#   within that, at access %u:\n", e->race);
	switch (e->kind) {
	case MODEL_PACKET:
		printf("#   flow %u %s\n", e->a, segments[e->b]);
		break;
	case MODEL_FLOOD:
		printf("#   %u spoofed %s, seed %u\n", e->a, segments[e->b],
		       e->value);
		break;
	case MODEL_CHANGE:
		printf("#   change: %s %c %u%s\n", ops[e->a], 'a' + e->b,
		       e->value, e->commit ? ", commit" : "");
		break;
	case MODEL_TICK:
		printf("#   %u ticks\n", e->a);
		break;
	case MODEL_CLOSE:
		printf("#   close\n");
		break;
	case MODEL_GRACE:
		printf("#   sweep\n");
		break;
	}
}

static void print_sequence(struct model *m, const struct model_setup *s,
			   const struct model_sequence *q)
{
	u32 i;

	run(m, s, q);
	printf("# seed %llu: %s\n", q->seed, m->why);
	printf("# %u pins, %u flows, window of %u ticks, udp %s, bits %u\n",
	       s->npins, s->nflows, s->window, s->move ? "move" : "stick",
	       s->config.bits);
	for (i = 0; i < q->n; i++)
		print_event(&q->events[i]);
}

static void explain(u64 seed)
{
	struct model_totals scratch = {};
	struct model_sequence q;
	struct model_setup s;

	model.totals = &scratch;
	make(seed, &s, &q);
	if (run(&model, &s, &q)) {
		printf("# seed %llu: good\n", seed);
		return;
	}
	shorten(&model, &s, &q);
	print_sequence(&model, &s, &q);
}

/* Every @step-th sequence from @first on, until one is wrong, also elsewhere */
static void work(struct job *job, bool *stop, u64 seed, u64 first, u64 n,
		 u64 step)
{
	static struct model_sequence q;
	static struct model_setup s;
	u64 i;

	model.totals = &job->totals;
	for (i = first; i < n && !*stop; i += step) {
		make(seed + i, &s, &q);
		if (run(&model, &s, &q))
			continue;
		job->failed = seed + i + 1;
		*stop = true;
	}
}

static void add_totals(struct model_totals *sum, const struct model_totals *t)
{
	const u64 *from = (const u64 *)t;
	u64 *to = (u64 *)sum;
	size_t i;

	for (i = 0; i < sizeof(*t) / sizeof(u64); i++)
		to[i] += from[i];
}

/* Return: the seed of a sequence that was wrong plus one, or 0 */
static u64 run_all(struct model_totals *sum, u64 seed, u64 n, u32 jobs)
{
	size_t size = (jobs + 1) * sizeof(struct job);
	struct job *job;
	u64 failed = 0;
	bool *stop;
	int status;
	u32 i;

	job = mmap(NULL, size, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (job == MAP_FAILED)
		exit(1);
	stop = (bool *)&job[jobs];
	fflush(stdout);
	for (i = 0; i < jobs; i++) {
		if (!fork()) {
			work(&job[i], stop, seed, i, n, jobs);
			_exit(0);
		}
	}
	while (wait(&status) > 0) {
		if (status) {
			printf("# a job died: status %#x\n", status);
			failed = seed + 1;
		}
	}
	for (i = 0; i < jobs; i++) {
		add_totals(sum, &job[i].totals);
		if (job[i].failed)
			failed = job[i].failed;
	}
	munmap(job, size);
	return failed;
}

/* Return: after how many sequences a fault of the world was seen, or 0 */
static u32 find_mutation(enum model_mutation mutation, u64 seed)
{
	static struct model_totals scratch;
	struct job job = {};
	bool stop = false;

	model.mutation = mutation;
	work(&job, &stop, seed, 0, MUTANT_TRIES, 1);
	model.mutation = MODEL_NO_MUTATION;
	model.totals = &scratch;
	return job.totals.sequences < MUTANT_TRIES || job.failed ?
	       job.totals.sequences : 0;
}

static void print_totals(const struct model_totals *t, u32 found)
{
	const u64 *l = t->listed;

	printf("model: %llu sequences of up to %u events, up to %u flows, %llu packets (%llu by a pin, %llu to a remembered owner), %llu windows, %llu races; lost: %llu; on the list: idle %llu, evicted %llu, full %llu, window off %llu, restarted %llu; ended by down or del: %llu; mutations found: %u of %u\n",
	       t->sequences, MODEL_EVENTS, MODEL_FLOWS, t->packets,
	       t->why[FLR_WHY_PIN], t->why[FLR_WHY_REMEMBERED], t->windows,
	       t->races, t->lost, l[MODEL_IDLE], l[MODEL_EVICTED],
	       l[MODEL_FULL], l[MODEL_WINDOW_OFF], t->restarted, t->operator,
	       found, MODEL_MUTATIONS - 1);
}

int main(int argc, char **argv)
{
	struct model_totals totals = {};
	u64 n = MODEL_SEQUENCES, seed = 1, failed;
	u32 jobs = sysconf(_SC_NPROCESSORS_ONLN), found = 0, i, after;
	int opt;

	while ((opt = getopt(argc, argv, "n:s:j:o:")) != -1) {
		switch (opt) {
		case 'n':
			n = strtoull(optarg, NULL, 0);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'j':
			jobs = strtoul(optarg, NULL, 0);
			break;
		case 'o':
			explain(strtoull(optarg, NULL, 0));
			return 0;
		default:
			return 2;
		}
	}
	printf("KTAP version 1\n1..%u\n", MODEL_MUTATIONS);
	failed = run_all(&totals, seed, n, jobs);
	if (failed)
		explain(failed - 1);
	printf("%sok 1 no_connection_lost\n", failed ? "not " : "");
	for (i = 1; i < MODEL_MUTATIONS; i++) {
		after = find_mutation(i, seed);
		found += !!after;
		printf("%sok %u finds_%s # after %u sequences\n",
		       after ? "" : "not ", i + 1, model_mutations[i], after);
	}
	print_totals(&totals, found);
	return failed || found < MODEL_MUTATIONS - 1;
}
