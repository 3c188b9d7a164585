/* SPDX-License-Identifier: GPL-2.0 */
/* Commits: any number of changes to a ring in one message. */

#ifndef _FLOWRING_COMMIT_H
#define _FLOWRING_COMMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "netlink.h"
#include "parse.h"
#include "plan.h"

/**
 * struct fr_commit - A commit that is being put together.
 * @ring: Name of the ring.
 * @create: Make the ring when there is none.
 * @dry: Ask for the plan only.
 * @has_expect: @expect is given.
 * @expect: Epoch that the ring has to be at.
 * @has_epoch: @epoch is given.
 * @epoch: Epoch after the commit.
 * @has_max_move: @max_move is given.
 * @max_move: Slots that may move at most.
 * @has_max_share: @max_share is given.
 * @max_share: Share of any backend at most, of FLOWRING_SHARE_UNIT.
 * @buf: The attributes of the changes.
 * @len: Their bytes.
 * @cap: Room in @buf.
 * @changes: Number of changes.
 * @lines: Where each change comes from, for errors: a line number, or 0.
 * @file: What @lines are lines of, for errors; NULL for standard input.
 * @stale: Unless NULL, set instead of printing an error when the kernel answers
 *	ESTALE. The commit then still fails.
 */
struct fr_commit {
	const char *ring;
	bool create;
	bool dry;
	bool has_expect;
	uint64_t expect;
	bool has_epoch;
	uint64_t epoch;
	bool has_max_move;
	uint32_t max_move;
	bool has_max_share;
	uint32_t max_share;
	char *buf;
	size_t len;
	size_t cap;
	uint32_t changes;
	unsigned long *lines;
	const char *file;
	bool *stale;
};

/* commit.c: putting together, sending, and what the kernel answers */
int fr_commit_add(struct fr_ctx *ctx, struct fr_commit *c, uint32_t op,
		  const struct fr_msg *msg, unsigned long line);
int fr_commit_send(struct fr_ctx *ctx, const struct fr_commit *c,
		   struct fr_plan *plan);
void fr_commit_clear(struct fr_commit *c);

/* commit_words.c: from the words of the command to its output */
int fr_commit_words(struct fr_ctx *ctx, struct fr_commit *c,
		    struct fr_args *args, unsigned long line);
void fr_commit_print(struct fr_ctx *ctx, const struct fr_plan *plan);
int fr_commit_run(struct fr_ctx *ctx, struct fr_args *args, bool dry);

#endif /* _FLOWRING_COMMIT_H */
