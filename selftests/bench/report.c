// SPDX-License-Identifier: GPL-2.0
/* Results as text, at most 80 columns wide, and as JSON. */

#include <errno.h>
#include <string.h>

#include "report.h"

struct row {
	const char *name;
	const char *json;
};

static const struct row rows[GOALS] = {
	[GOAL_BUSIEST]	= { "busiest / mean", "busiest" },
	[GOAL_MOVED]	= { "moved on removing one / ideal", "moved" },
	[GOAL_WEIGHT]	= { "weight 100 to 99 of one, moved %", "weight" },
	[GOAL_LEAST]	= { "unbounded: moved / the least", "least" },
	[GOAL_BUILD]	= { "build, ms", "build" },
	[GOAL_LOOKUP]	= { "lookup / Maglev 65537 lookup", "lookup" },
};

/**
 * bench_pass() - whether a goal is reached
 * @cell: the figure
 *
 * Figures are compared as they are printed, except those that are to be exact.
 *
 * Return: it is, or there is no goal.
 */
bool bench_pass(const struct bench_cell *cell)
{
	if (!cell->goal)
		return true;
	if (cell->exact)
		return cell->measured == cell->goal &&
		       cell->worst == cell->goal;
	return bench_round(cell->measured) <= cell->goal;
}

static void print_head(const struct bench_group *g, const char *what)
{
	char name[BENCH_NAME];
	u32 i;

	printf("%-38s", what);
	for (i = 0; i < BENCH_GROUPS; i++) {
		snprintf(name, sizeof(name), "N=%u", g[i].conf.n);
		printf("%12s", name);
	}
	printf("\n");
}

static void print_row(const struct bench_group *g, const char *what, u32 r,
		      size_t field)
{
	u32 i;

	printf("%-38s", what);
	for (i = 0; i < BENCH_GROUPS; i++) {
		const char *cell = (const char *)&g[i].cells[r];
		double x = *(const double *)(cell + field);

		if (x)
			printf("%12.3f", x);
		else
			printf("%12s", "-");
	}
	printf("\n");
}

static void print_verdict(const struct bench_group *g, u32 r)
{
	const char *verdict;
	u32 i;

	printf("%-38s", "");
	for (i = 0; i < BENCH_GROUPS; i++) {
		verdict = bench_pass(&g[i].cells[r]) ? "pass" : "MISS";
		printf("%12s", g[i].cells[r].goal ? verdict : "-");
	}
	printf("\n");
}

/**
 * bench_print_goals() - print the table of goals
 * @g: the results
 */
void bench_print_goals(const struct bench_group *g)
{
	const char *goal;
	u32 r, i;

	print_head(g, "flowring");
	printf("%-38s", "bits, vnodes");
	for (i = 0; i < BENCH_GROUPS; i++)
		printf("%7u,%4u", g[i].conf.bits, g[i].conf.vnodes);
	printf("\n");
	for (r = 0; r < GOALS; r++) {
		goal = g[0].cells[r].exact ? "    goal, exactly" :
					     "    goal, at most";
		print_row(g, rows[r].name, r,
			  offsetof(struct bench_cell, measured));
		if (g[0].cells[r].worst)
			print_row(g, "    the worst", r,
				  offsetof(struct bench_cell, worst));
		print_row(g, goal, r, offsetof(struct bench_cell, goal));
		print_verdict(g, r);
	}
}

static void print_scheme(const char *name, const struct bench_figures *f)
{
	printf("%-20s%8.3f%8.3f%8.3f%9.3f%9.3f", name, f->busiest, f->moved,
	       f->moved_worst, f->least, 100 * f->weight);
	if (f->build)
		printf("%9.3f", f->build);
	else
		printf("%9s", "-");
	printf("%9.1f\n", f->lookup);
}

/**
 * bench_print_schemes() - print all schemes beside each other
 * @g: the results
 * @names: names of the schemes
 */
void bench_print_schemes(const struct bench_group *g, const char *const *names)
{
	char head[BENCH_NAME];
	u32 i, s;

	for (i = 0; i < BENCH_GROUPS; i++) {
		snprintf(head, sizeof(head), "N=%u", g[i].conf.n);
		printf("\n%-20s%8s%8s%8s%9s%9s%9s%9s\n", head, "busiest",
		       "moved", "moved", "moved", "weight", "build",
		       "lookup");
		printf("%-20s%8s%8s%8s%9s%9s%9s%9s\n", "", "/ mean", "/ ideal",
		       "worst", "/ least", "moved %", "ms", "ns");
		for (s = 0; s < BENCH_SCHEMES; s++)
			print_scheme(names[s], &g[i].figures[s]);
	}
}

static void json_cell(FILE *f, const struct bench_cell *cell, const char *name)
{
	fprintf(f, "\"%s\": { \"measured\": %.6f", name, cell->measured);
	if (cell->worst)
		fprintf(f, ", \"worst\": %.6f", cell->worst);
	if (cell->goal)
		fprintf(f, ", \"goal\": %.3f, \"exactly\": %s, \"pass\": %s",
			cell->goal, cell->exact ? "true" : "false",
			bench_pass(cell) ? "true" : "false");
	fprintf(f, " }");
}

static void json_scheme(FILE *f, const struct bench_figures *x,
			const char *name)
{
	fprintf(f, "      { \"name\": \"%s\", \"busiest\": %.6f, \"moved\": %.6f,\n",
		name, x->busiest, x->moved);
	fprintf(f, "        \"moved-worst\": %.6f, \"moved-least\": %.6f,\n",
		x->moved_worst, x->least);
	fprintf(f, "        \"weight\": %.6f, \"build-ms\": %.6f, \"lookup-ns\": %.3f }",
		100 * x->weight, x->build, x->lookup);
}

static void json_group(FILE *f, const struct bench_group *g,
		       const char *const *names)
{
	u32 i;

	fprintf(f, "  { \"backends\": %u, \"bits\": %u, \"vnodes\": %u, \"imbalance\": %u,\n",
		g->conf.n, g->conf.bits, g->conf.vnodes, g->conf.imbalance);
	fprintf(f, "    \"goals\": {\n");
	for (i = 0; i < GOALS; i++) {
		fprintf(f, "      ");
		json_cell(f, &g->cells[i], rows[i].json);
		fprintf(f, "%s\n", i + 1 < GOALS ? "," : " },");
	}
	fprintf(f, "    \"schemes\": [\n");
	for (i = 0; i < BENCH_SCHEMES; i++) {
		json_scheme(f, &g->figures[i], names[i]);
		fprintf(f, "%s\n", i + 1 < BENCH_SCHEMES ? "," : " ]");
	}
	fprintf(f, "  }");
}

/**
 * bench_write_json() - write all results to a file
 * @path: the file
 * @g: the results
 * @names: names of the schemes
 *
 * Return: 0, or -1 with a message printed.
 */
int bench_write_json(const char *path, const struct bench_group *g,
		     const char *const *names)
{
	FILE *f = fopen(path, "w");
	u32 i;

	if (f) {
		fprintf(f, "[\n");
		for (i = 0; i < BENCH_GROUPS; i++) {
			json_group(f, &g[i], names);
			fprintf(f, "%s\n", i + 1 < BENCH_GROUPS ? "," : "");
		}
		fprintf(f, "]\n");
		if (!fclose(f))
			return 0;
	}
	fprintf(stderr, "ring_bench: %s: %s\n", path, strerror(errno));
	return -1;
}
