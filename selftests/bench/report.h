/* SPDX-License-Identifier: GPL-2.0 */
/* The goals, and how results are printed. */
#ifndef _FLOWRING_BENCH_REPORT_H
#define _FLOWRING_BENCH_REPORT_H

#include <stdio.h>

#include "bench.h"

#define BENCH_GROUPS	3	/* N=10, N=100, N=1000 */
#define BENCH_SCHEMES	7

/* The rows of the table of goals */
enum bench_goal {
	GOAL_BUSIEST,
	GOAL_MOVED,
	GOAL_WEIGHT,
	GOAL_LEAST,
	GOAL_BUILD,
	GOAL_LOOKUP,
	GOALS
};

/**
 * struct bench_cell - a figure and its goal
 * @measured: the figure
 * @worst: the worst case of the same, 0 for none
 * @goal: at most this, or exactly when @exact; 0 for none
 * @exact: see @goal
 */
struct bench_cell {
	double measured;
	double worst;
	double goal;
	bool exact;
};

/**
 * struct bench_group - results for one number of backends
 * @conf: the ring
 * @cells: the goals
 * @figures: what was measured of each scheme
 */
struct bench_group {
	struct bench_conf conf;
	struct bench_cell cells[GOALS];
	struct bench_figures figures[BENCH_SCHEMES];
};

bool bench_pass(const struct bench_cell *cell);
void bench_print_goals(const struct bench_group *g);
void bench_print_schemes(const struct bench_group *g,
			 const char *const *names);
int bench_write_json(const char *path, const struct bench_group *g,
		     const char *const *names);
void bench_sweep(void);

#endif /* _FLOWRING_BENCH_REPORT_H */
