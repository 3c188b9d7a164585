/* SPDX-License-Identifier: GPL-2.0 */
/* What every part of the tool shares: the context and the command tables. */

#ifndef _FLOWRING_CLI_H
#define _FLOWRING_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

/* More words than any command can have */
#define FR_BATCH_WORDS		64

struct fr_nl;
struct fr_msg;
struct fr_args;
struct fr_ctx;

/**
 * struct fr_clock - The time that passes; the tests have their own.
 * @now: Milliseconds since some moment.
 * @sleep: Wait for that many of them.
 */
struct fr_clock {
	uint64_t (*now)(struct fr_ctx *ctx);
	void (*sleep)(struct fr_ctx *ctx, uint64_t ms);
};

extern const struct fr_clock fr_clock_real;

/**
 * struct fr_ctx - One run of the tool.
 * @in: Where the changes of a commit are read from.
 * @out: Where data goes.
 * @err: Where errors and warnings go.
 * @nl: The netlink socket, opened at its first use.
 * @clock: What commands that wait go by.
 * @tty: @err is a terminal.
 * @json: Print JSON.
 * @pretty: Indent the JSON.
 * @stats: Show counters.
 * @force: Go on after an error in a batch.
 * @dry: Only check the words of commands.
 * @batch: The command stands in a batch.
 * @file: File of @line, NULL for standard input.
 * @line: The line that errors are about, 0 for none.
 */
struct fr_ctx {
	FILE *in;
	FILE *out;
	FILE *err;
	struct fr_nl *nl;
	const struct fr_clock *clock;
	bool tty;
	bool json;
	bool pretty;
	bool stats;
	bool force;
	bool dry;
	bool batch;
	const char *file;
	unsigned long line;
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
int fr_split(struct fr_ctx *ctx, char *line, size_t len, char **words);
int fr_restore(struct fr_ctx *ctx, struct fr_args *args);

/* One object of the grammar each */
int fr_ring(struct fr_ctx *ctx, struct fr_args *args);
int fr_backend(struct fr_ctx *ctx, struct fr_args *args);
int fr_service(struct fr_ctx *ctx, struct fr_args *args);
int fr_window(struct fr_ctx *ctx, struct fr_args *args);
int fr_pins(struct fr_ctx *ctx, struct fr_args *args);
int fr_lookup(struct fr_ctx *ctx, struct fr_args *args);
int fr_monitor(struct fr_ctx *ctx, struct fr_args *args);
int fr_plan(struct fr_ctx *ctx, struct fr_args *args);
int fr_apply(struct fr_ctx *ctx, struct fr_args *args);
int fr_save(struct fr_ctx *ctx, struct fr_args *args);

/* Their options, and commands with a file of their own */
int fr_ring_opts(struct fr_ctx *ctx, struct fr_args *args, struct fr_msg *msg);
int fr_backend_opts(struct fr_ctx *ctx, struct fr_args *args, bool is_new,
		    struct fr_msg *msg);
int fr_backend_begin(struct fr_ctx *ctx, struct fr_args *args,
		     struct fr_msg *msg, uint8_t cmd);
int fr_backend_drain(struct fr_ctx *ctx, struct fr_args *args);

#endif /* _FLOWRING_CLI_H */
