// SPDX-License-Identifier: GPL-2.0
/* The ring with other vnodes and imbalances, to choose the defaults from. */

#include "report.h"

static const u32 sweep_vnodes[] = { 64, 128, 256, 512, 1024 };
static const u32 sweep_imbalances[] = { 0, 1, 2, 5, 10 };

static const struct {
	u32 n;
	u32 bits;
	struct bench_effort effort;
} sweep_rings[BENCH_GROUPS] = {
	{ 10, 16, { 8, 10, 9 } },
	{ 100, 16, { 2, 50, 5 } },
	{ 1000, 17, { 2, 24, 3 } },
};

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

struct sweep_row {
	struct bench_figures f[COUNT(sweep_imbalances)];
};

static void sweep_row(struct sweep_row *row, u32 at, u32 vnodes)
{
	struct bench_conf conf = {
		.n = sweep_rings[at].n,
		.bits = sweep_rings[at].bits,
		.vnodes = vnodes,
	};
	u32 i;

	for (i = 0; i < COUNT(sweep_imbalances); i++) {
		bench_progress("N=%u: vnodes %u imbalance %u", conf.n, vnodes,
			       sweep_imbalances[i]);
		conf.imbalance = sweep_imbalances[i];
		bench_balance(&bench_ring, &conf, &sweep_rings[at].effort,
			      &row->f[i]);
		bench_build(&bench_ring, &conf, sweep_rings[at].effort.builds,
			    &row->f[i]);
	}
	bench_progress(NULL);
}

static void sweep_print(const struct sweep_row *row, const char *what,
			size_t field, double unit)
{
	const struct bench_figures *f = row->f;
	u32 i;

	printf("  %-24s", what);
	for (i = 0; i < COUNT(sweep_imbalances); i++)
		printf("%10.3f",
		       unit * *(const double *)((const char *)&f[i] + field));
	printf("\n");
}

static void sweep_ring(u32 at)
{
	struct sweep_row row;
	u32 v, i;

	printf("N=%-5u bits %-12u%s", sweep_rings[at].n, sweep_rings[at].bits,
	       "imbalance");
	for (i = 0; i < COUNT(sweep_imbalances); i++) {
		if (sweep_imbalances[i])
			printf("%9u%%", sweep_imbalances[i]);
		else
			printf("%7s", "off");
	}
	printf("\n");
	for (v = 0; v < COUNT(sweep_vnodes); v++) {
		sweep_row(&row, at, sweep_vnodes[v]);
		printf("vnodes %u\n", sweep_vnodes[v]);
		sweep_print(&row, "busiest / mean",
			    offsetof(struct bench_figures, busiest), 1);
		sweep_print(&row, "moved / ideal",
			    offsetof(struct bench_figures, moved), 1);
		sweep_print(&row, "weight 100 to 99, %",
			    offsetof(struct bench_figures, weight), 100);
		sweep_print(&row, "build, ms",
			    offsetof(struct bench_figures, build), 1);
		fflush(stdout);
	}
}

/* The largest ring in more slots than it has by default */
static void sweep_slots(void)
{
	static const u32 vnodes[] = { 512, 1024 };
	const u32 at = BENCH_GROUPS - 1;
	struct bench_figures f;
	u32 bits, v;

	printf("N=%u, imbalance 5%%%19s%11s%10s%10s\n", sweep_rings[at].n,
	       "busiest", "moved", "moved", "build");
	printf("%40s%11s%10s%10s\n", "/ mean", "/ ideal", "/ least", "ms");
	for (bits = sweep_rings[at].bits; bits <= FLR_BITS_MAX; bits++) {
		for (v = 0; v < COUNT(vnodes); v++) {
			struct bench_conf conf = {
				.n = sweep_rings[at].n,
				.bits = bits,
				.vnodes = vnodes[v],
				.imbalance = 5,
			};

			bench_progress("bits %u vnodes %u", bits, vnodes[v]);
			bench_balance(&bench_ring, &conf,
				      &sweep_rings[at].effort, &f);
			bench_build(&bench_ring, &conf,
				    sweep_rings[at].effort.builds, &f);
			bench_progress(NULL);
			printf("bits %u, vnodes %-16u%12.3f%11.3f%10.3f%10.3f\n",
			       bits, vnodes[v], f.busiest, f.moved, f.least,
			       f.build);
			fflush(stdout);
		}
	}
}

/**
 * bench_sweep() - print tables of the ring with other options
 *
 * Per number of backends and of vnodes: a figure in each line, an imbalance in
 * each column. Then the largest ring again, in more and more slots.
 */
void bench_sweep(void)
{
	u32 at;

	for (at = 0; at < BENCH_GROUPS; at++) {
		if (at)
			printf("\n");
		sweep_ring(at);
	}
	printf("\n");
	sweep_slots();
}
