// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the ring beside other ways to spread flows, and compares with the
 * goals of the project.
 *
 *   ring_bench [--json FILE]     the goals and the other schemes
 *   ring_bench --sweep           the ring with other vnodes and imbalances
 *
 * The exit status is 1 when a goal is missed, 2 for other errors.
 */

#include <stdlib.h>
#include <string.h>

#include "report.h"

#define VNODES		512	/* the defaults of a ring */
#define IMBALANCE	5
#define ROUNDS		31	/* of lookups */

/* Measured with keys enough that the means stand still */
static const struct {
	u32 n;
	u32 bits;
	struct bench_effort effort;
	double goals[GOALS];
} groups[BENCH_GROUPS] = {
	{ 10, 16, { 16, 10, 31 }, { 1.05, 1.05, 0.3, 1, 5, 1 } },
	{ 100, 16, { 4, 100, 15 }, { 1.051, 1.1, 0.05, 1, 12, 1 } },
	{ 1000, 17, { 2, 64, 5 }, { 1.055, 1.45, 0, 1, 120, 1 } },
};

static const struct {
	const char *name;
	const struct bench_scheme *scheme;
	bool unbounded;
} schemes[BENCH_SCHEMES] = {
	{ "flowring", &bench_ring, false },
	{ "flowring, unbounded", &bench_ring, true },
	{ "Maglev 65537", &bench_maglev_large, false },
	{ "Maglev 4093 (mh)", &bench_maglev_small, false },
	{ "ketama", &bench_ketama, false },
	{ "rendezvous", &bench_rendezvous, false },
	{ "modulo", &bench_modulo, false },
};

enum {
	BOUNDED,
	UNBOUNDED,
	MAGLEV,
};

static void measure(struct bench_group *g, u32 at)
{
	const struct bench_effort *effort = &groups[at].effort;
	const struct bench_scheme *list[BENCH_SCHEMES];
	u32 i;

	g->conf = (struct bench_conf){
		.n = groups[at].n,
		.key = bench_key(0),
		.bits = groups[at].bits,
		.vnodes = VNODES,
		.imbalance = IMBALANCE,
	};
	for (i = 0; i < BENCH_SCHEMES; i++) {
		struct bench_conf conf = g->conf;

		if (schemes[i].unbounded)
			conf.imbalance = 0;
		bench_progress("N=%u: %s", conf.n, schemes[i].name);
		bench_balance(schemes[i].scheme, &conf, effort,
			      &g->figures[i]);
		bench_build(schemes[i].scheme, &conf, effort->builds,
			    &g->figures[i]);
		list[i] = schemes[i].scheme;
	}
	bench_progress("N=%u: lookups", g->conf.n);
	bench_lookups(list, &g->conf, BENCH_SCHEMES, ROUNDS, g->figures);
	bench_progress(NULL);
}

static void compare(struct bench_group *g, u32 at)
{
	const struct bench_figures *f = &g->figures[BOUNDED];
	const struct bench_figures *pure = &g->figures[UNBOUNDED];
	u32 i;

	g->cells[GOAL_BUSIEST].measured = f->busiest;
	g->cells[GOAL_MOVED].measured = f->moved;
	g->cells[GOAL_MOVED].worst = f->moved_worst;
	g->cells[GOAL_WEIGHT].measured = 100 * f->weight;
	g->cells[GOAL_LEAST].measured = pure->least;
	g->cells[GOAL_LEAST].worst = pure->least_max;
	g->cells[GOAL_LEAST].exact = true;
	g->cells[GOAL_BUILD].measured = f->build;
	g->cells[GOAL_LOOKUP].measured = f->lookup /
					 g->figures[MAGLEV].lookup;
	for (i = 0; i < GOALS; i++)
		g->cells[i].goal = groups[at].goals[i];
}

static int run(const char *json)
{
	static struct bench_group g[BENCH_GROUPS];
	const char *names[BENCH_SCHEMES];
	u32 i, r, missed = 0;

	for (i = 0; i < BENCH_SCHEMES; i++)
		names[i] = schemes[i].name;
	for (i = 0; i < BENCH_GROUPS; i++) {
		measure(&g[i], i);
		compare(&g[i], i);
		for (r = 0; r < GOALS; r++)
			missed += !bench_pass(&g[i].cells[r]);
	}
	bench_print_goals(g);
	bench_print_schemes(g, names);
	printf("\n%u missed\n", missed);
	if (json && bench_write_json(json, g, names))
		return 2;
	return missed ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--sweep")) {
		bench_sweep();
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "--json"))
		return run(argv[2]);
	if (argc == 1)
		return run(NULL);
	fprintf(stderr, "usage: ring_bench [--json FILE | --sweep]\n");
	return 2;
}
