// SPDX-License-Identifier: GPL-2.0
/* Small things that all parts of the benchmark need. */

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

#define LARGE	(32UL << 10)
#define HUGE_PAGE	(2UL << 20)

u64 bench_sink;

/**
 * bench_alloc() - allocate zeroed memory, or end the program
 * @n: number of elements
 * @size: bytes in one
 *
 * What is large is in huge pages where there are any, as the kernel's memory
 * is: without, a lookup would measure how many pages the processor remembers.
 *
 * Return: the memory.
 */
void *bench_alloc(size_t n, size_t size)
{
	size_t len = n * size;
	void *p;

	if (len < LARGE) {
		p = calloc(len ? len : 1, 1);
	} else {
		len = (len + HUGE_PAGE - 1) / HUGE_PAGE *
		      HUGE_PAGE;
		p = aligned_alloc(HUGE_PAGE, len);
		if (p) {
			madvise(p, len, MADV_HUGEPAGE);
			memset(p, 0, len);
		}
	}
	if (!p) {
		fprintf(stderr, "ring_bench: no memory\n");
		exit(2);
	}
	return p;
}

/**
 * bench_mix() - a bijection of 64 bits that looks random
 * @x: a number
 *
 * The finaliser of splitmix64: G. L. Steele, D. Lea and C. H. Flood, "Fast
 * Splittable Pseudorandom Number Generators", OOPSLA 2014.
 *
 * Return: another number.
 */
u64 bench_mix(u64 x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/**
 * bench_key() - a key
 * @i: its number
 *
 * Return: always the same for the same number, so that a run can be repeated.
 */
siphash_key_t bench_key(u32 i)
{
	return (siphash_key_t){ { bench_mix(2 * i), bench_mix(2 * i + 1) } };
}

/**
 * bench_name() - name of a backend
 * @name: gets it, room for BENCH_NAME bytes
 * @i: its number; names are in the order of numbers
 */
void bench_name(char *name, u32 i)
{
	snprintf(name, BENCH_NAME, "backend-%04u", i % 10000);
}

/**
 * bench_clock() - processor time of this thread
 *
 * What other programs take of the machine is not in it.
 *
 * Return: nanoseconds.
 */
double bench_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/**
 * bench_progress() - say on a terminal what is done at present
 * @fmt: format of the words, NULL when it is done
 */
void bench_progress(const char *fmt, ...)
{
	va_list ap;

	if (!isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r%-48s\r", "");
	if (!fmt)
		return;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
}

static int bench_cmp(const void *a, const void *b)
{
	double p = *(const double *)a, q = *(const double *)b;

	return (p > q) - (p < q);
}

/**
 * bench_median() - median
 * @v: the values, in order on return
 * @n: how many, more than none
 *
 * Return: the value in the middle.
 */
double bench_median(double *v, u32 n)
{
	qsort(v, n, sizeof(*v), bench_cmp);
	return v[n / 2];
}

/**
 * bench_round() - a figure as it is printed
 * @x: the figure
 *
 * Return: @x rounded to three decimals.
 */
double bench_round(double x)
{
	return round(x * 1000) / 1000;
}
