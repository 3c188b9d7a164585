/* SPDX-License-Identifier: GPL-2.0 */
/* What every part of the tool shares: the context and the command tables. */

#ifndef _FLOWRING_CLI_H
#define _FLOWRING_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define FR_ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#ifndef fallthrough
#define fallthrough		__attribute__((__fallthrough__))
#endif

/**
 * enum fr_exit - Exit status of the tool and result of every command.
 * @FR_EXIT_OK: Done.
 * @FR_EXIT_LOCAL: A usage error, or something local went wrong.
 * @FR_EXIT_KERNEL: The kernel refused.
 */
enum fr_exit {
	FR_EXIT_OK,
	FR_EXIT_LOCAL,
	FR_EXIT_KERNEL,
};

struct fr_nl;
struct fr_args;

/**
 * struct fr_ctx - One run of the tool.
 * @out: Where data goes.
 * @err: Where errors and warnings go.
 * @nl: The netlink socket, opened at its first use.
 * @json: Print JSON.
 * @pretty: Indent the JSON.
 * @stats: Show counters.
 * @force: Go on after an error in a batch.
 * @dry: Only check the words of commands.
 * @batch: The command stands in a batch.
 */
struct fr_ctx {
	FILE *out;
	FILE *err;
	struct fr_nl *nl;
	bool json;
	bool pretty;
	bool stats;
	bool force;
	bool dry;
	bool batch;
};

/**
 * struct fr_cmd - One word of the grammar and what it does.
 * @name: The word.
 * @fn: Called with the words that follow.
 */
struct fr_cmd {
	const char *name;
	int (*fn)(struct fr_ctx *ctx, struct fr_args *args);
};

/* cmd.c */
int fr_run(struct fr_ctx *ctx, int argc, char **argv);
int fr_dispatch(struct fr_ctx *ctx, struct fr_args *args,
		const struct fr_cmd *cmds, size_t n, const char *help);
int fr_error(struct fr_ctx *ctx, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int fr_help(struct fr_ctx *ctx);

/* batch.c */
int fr_batch(struct fr_ctx *ctx, const char *path);
int fr_restore(struct fr_ctx *ctx, struct fr_args *args);

/* One object of the grammar each */
int fr_ring(struct fr_ctx *ctx, struct fr_args *args);
int fr_backend(struct fr_ctx *ctx, struct fr_args *args);
int fr_service(struct fr_ctx *ctx, struct fr_args *args);
int fr_lookup(struct fr_ctx *ctx, struct fr_args *args);
int fr_monitor(struct fr_ctx *ctx, struct fr_args *args);
int fr_save(struct fr_ctx *ctx, struct fr_args *args);

#endif /* _FLOWRING_CLI_H */
