// SPDX-License-Identifier: GPL-2.0
/* The time that passes, for commands that wait. */

#include <errno.h>
#include <time.h>

#include "cli.h"

static uint64_t now(struct fr_ctx *ctx)
{
	struct timespec ts;

	(void)ctx;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void nap(struct fr_ctx *ctx, uint64_t ms)
{
	struct timespec ts = {
		.tv_sec = ms / 1000,
		.tv_nsec = ms % 1000 * 1000000,
	};

	(void)ctx;
	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

const struct fr_clock fr_clock_real = { .now = now, .sleep = nap };
