// SPDX-License-Identifier: GPL-2.0
/* The command ring commit: from its words and lines to its output. */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>
#include <linux/genetlink.h>

#include "commit.h"

/* The words before the changes, as bits of what was given */
enum {
	COND_CREATE,
	COND_DRY_RUN,
	COND_EXPECT,
	COND_EPOCH,
	COND_MAX_MOVE,
	COND_MAX_SHARE,
};

static const char *const conds[] = {
	[COND_CREATE]		= "create",
	[COND_DRY_RUN]		= "dry-run",
	[COND_EXPECT]		= "expect",
	[COND_EPOCH]		= "epoch",
	[COND_MAX_MOVE]		= "max-move",
	[COND_MAX_SHARE]	= "max-share",
};

/* A command that is being read */
struct run {
	struct fr_commit c;
	/* Of all slots, in FLOWRING_SHARE_UNIT, when max-move is in percent */
	bool has_percent;
	uint32_t percent;
};

static int change_op(const char *object, const char *verb)
{
	char name[32];

	if (!verb || (strcmp(object, "backend") && strcmp(object, "ring")))
		return -1;
	snprintf(name, sizeof(name), "%s-%s", object, verb);
	return fr_enum_value(&fr_enum_change_op, name);
}

/**
 * fr_commit_words() - Add the change that words describe.
 * @ctx: The run.
 * @c: The commit.
 * @args: The words: backend add NAME addr ADDR, and so on; ring set bits N.
 * @line: Where they come from, 0 for nowhere.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_commit_words(struct fr_ctx *ctx, struct fr_commit *c,
		    struct fr_args *args, unsigned long line)
{
	const char *object, *verb, *name;
	struct fr_msg msg;
	int op, ret;

	object = fr_arg_next(ctx, args, "change");
	if (!object)
		return FR_EXIT_LOCAL;
	verb = fr_arg_peek(args);
	op = change_op(object, verb);
	if (op < 0)
		return fr_error(ctx, "'%s%s%s' is no change: must be backend add, backend set, backend del or ring set",
				object, verb ? " " : "", verb ? verb : "");
	args->i++;
	snprintf(args->where, sizeof(args->where), "%s %s", object, verb);

	fr_msg_init(&msg, op == FLOWRING_CHANGE_OP_RING_SET ? &fr_set_ring :
		    &fr_set_backend, FLOWRING_CMD_RING_COMMIT);
	if (op != FLOWRING_CHANGE_OP_RING_SET &&
	    fr_arg_name(ctx, args, "backend", &msg, FLOWRING_A_BACKEND_NAME,
			&name))
		return FR_EXIT_LOCAL;
	if (op == FLOWRING_CHANGE_OP_RING_SET)
		ret = fr_arg_peek(args) ? fr_ring_opts(ctx, args, &msg) :
		      fr_usage(ctx, args, "missing what to set");
	else if (op == FLOWRING_CHANGE_OP_BACKEND_DEL)
		ret = fr_arg_end(ctx, args);
	else
		ret = fr_backend_opts(ctx, args,
				      op == FLOWRING_CHANGE_OP_BACKEND_ADD,
				      &msg);
	return ret ? ret : fr_commit_add(ctx, c, op, &msg, line);
}

static int take_max_move(struct fr_ctx *ctx, const char *word, struct run *run)
{
	if (strchr(word, '%')) {
		run->has_percent = true;
		return fr_parse_percent(ctx, "max-move", word, &run->percent);
	}
	run->c.has_max_move = true;
	return fr_parse_u32(ctx, "max-move", word, 0, UINT32_MAX,
			    &run->c.max_move);
}

static int take_cond(struct fr_ctx *ctx, struct fr_args *args, int cond,
		     struct run *run)
{
	struct fr_commit *c = &run->c;
	const char *word;
	char what[64];

	if (cond == COND_CREATE) {
		c->create = true;
		return FR_EXIT_OK;
	}
	if (cond == COND_DRY_RUN) {
		c->dry = true;
		return FR_EXIT_OK;
	}

	snprintf(what, sizeof(what), "the value of %s", conds[cond]);
	word = fr_arg_next(ctx, args, what);
	if (!word)
		return FR_EXIT_LOCAL;
	switch (cond) {
	case COND_EXPECT:
		c->has_expect = true;
		return fr_parse_u64(ctx, conds[cond], word, &c->expect);
	case COND_EPOCH:
		c->has_epoch = true;
		return fr_parse_u64(ctx, conds[cond], word, &c->epoch);
	case COND_MAX_MOVE:
		return take_max_move(ctx, word, run);
	}
	c->has_max_share = true;
	return fr_parse_percent(ctx, conds[cond], word, &c->max_share);
}

/* Take the words up to the end or to the change */
static int take_conds(struct fr_ctx *ctx, struct fr_args *args,
		      struct run *run)
{
	unsigned int seen = 0;
	const char *word;
	size_t i;

	while ((word = fr_arg_peek(args))) {
		for (i = 0; i < FR_ARRAY_SIZE(conds) && strcmp(word, conds[i]);
		     i++)
			;
		if (i == FR_ARRAY_SIZE(conds)) {
			if (!strcmp(word, "backend") || !strcmp(word, "ring"))
				return FR_EXIT_OK;
			return fr_usage(ctx, args, "unknown word '%s'", word);
		}
		if (seen & 1U << i)
			return fr_usage(ctx, args, "%s given twice", word);
		seen |= 1U << i;
		args->i++;
		if (take_cond(ctx, args, i, run))
			return FR_EXIT_LOCAL;
	}
	return FR_EXIT_OK;
}

/* Read changes from standard input, one a line */
static int read_changes(struct fr_ctx *ctx, struct fr_commit *c)
{
	char *words[FR_BATCH_WORDS];
	struct fr_args args;
	int ret = FR_EXIT_OK;
	char *line = NULL;
	size_t size = 0;
	ssize_t len;

	ctx->file = NULL;
	while (!ret) {
		errno = 0;
		len = getline(&line, &size, ctx->in);
		if (len < 0)
			break;
		ctx->line++;
		args = (struct fr_args){ .v = words };
		args.n = fr_split(ctx, line, len, words);
		if (args.n < 0)
			ret = FR_EXIT_LOCAL;
		else if (args.n)
			ret = fr_commit_words(ctx, c, &args, ctx->line);
	}
	ctx->line = 0;
	if (!ret && (ferror(ctx->in) || errno == ENOMEM))
		ret = fr_error(ctx, "standard input: %s", strerror(errno));
	free(line);
	return ret;
}

/* The bits that the ring will have: those that the last change of them says,
 * 0 when none does
 */
static uint32_t new_bits(const struct fr_commit *c)
{
	const struct nlattr *attr, *part, *opt;
	uint32_t bits = 0;

	mnl_attr_for_each_payload((void *)c->buf, c->len) {
		mnl_attr_for_each_nested(part, attr) {
			if (mnl_attr_get_type(part) != FLOWRING_A_CHANGE_RING)
				continue;
			mnl_attr_for_each_nested(opt, part) {
				if (mnl_attr_get_type(opt) ==
				    FLOWRING_A_RING_BITS)
					bits = mnl_attr_get_u32(opt);
			}
		}
	}
	return bits;
}

/* Turn max-move in percent into slots of the larger of the two tables, which is
 * what the kernel counts in. A ring that is being made cannot move any.
 */
static int percent_to_slots(struct fr_ctx *ctx, struct run *run)
{
	struct fr_commit *c = &run->c;
	struct fr_list list = {};
	struct fr_extack ext;
	struct fr_msg msg;
	uint32_t bits;
	int ret;

	fr_msg_init(&msg, &fr_set_ring, FLOWRING_CMD_RING_GET);
	fr_msg_what(&msg, "ring %s", c->ring);
	mnl_attr_put_strz(fr_msg_hdr(&msg), FLOWRING_A_RING_NAME, c->ring);
	ret = fr_nl_ask(ctx, &msg, &list, &ext);
	if (!ret && ext.error == ENOENT && c->create) {
		/* One that is not there is at epoch 0; it has to stay so */
		if (!c->has_expect)
			c->expect = 0;
		c->has_expect = true;
		fr_list_clear(&list);
		return FR_EXIT_OK;
	}
	if (!ret)
		ret = fr_nl_verdict(ctx, &msg, &ext);
	if (!ret && !list.n)
		ret = fr_error(ctx, "ring %s: no answer", c->ring);
	if (ret) {
		fr_list_clear(&list);
		return ret;
	}

	bits = fr_obj_num(list.v[0], FLOWRING_A_RING_BITS);
	if (bits < new_bits(c))
		bits = new_bits(c);
	c->has_max_move = true;
	/* Bits that are too many are for the kernel to refuse */
	c->max_move = bits < 32 ? (uint64_t)run->percent * (1ULL << bits) /
				  FLOWRING_SHARE_UNIT : UINT32_MAX;
	fr_list_clear(&list);
	return FR_EXIT_OK;
}

/**
 * fr_commit_print() - Print what a commit did on one line.
 * @ctx: The run.
 * @plan: What it did or would do.
 */
void fr_commit_print(struct fr_ctx *ctx, const struct fr_plan *plan)
{
	fprintf(ctx->out, "ring %s: epoch %" PRIu64 " -> %" PRIu64 ", %s ",
		plan->ring, plan->epoch_before, plan->epoch,
		plan->dry ? "would move" : "moved");
	fprintf(ctx->out, "%" PRIu32 " of %" PRIu32 " slots (%.2f%%), ",
		plan->moved, plan->total,
		plan->total ? plan->moved * 100.0 / plan->total : 0.0);
	fprintf(ctx->out, "at least %" PRIu32 "\n", plan->least);
}

static int take_changes(struct fr_ctx *ctx, struct fr_args *args,
			struct fr_commit *c)
{
	struct fr_args change = { .v = args->v + args->i,
				  .n = args->n - args->i };
	int ret;

	if (change.n)
		return fr_commit_words(ctx, c, &change, 0);
	if (ctx->batch)
		return fr_usage(ctx, args, "changes cannot be read from standard input in a batch");
	ret = read_changes(ctx, c);
	if (!ret && !c->changes && !c->create && !c->has_epoch)
		ret = fr_error(ctx, "ring %s: there is no change on standard input",
			       c->ring);
	return ret;
}

/**
 * fr_commit_run() - All of ring commit, and of plan.
 * @ctx: The run.
 * @args: The words from the name of the ring on.
 * @dry: Change nothing, and print the whole plan.
 *
 * Return: Exit status.
 */
int fr_commit_run(struct fr_ctx *ctx, struct fr_args *args, bool dry)
{
	struct run run = { .c.dry = dry };
	struct fr_plan plan;
	int ret;

	run.c.ring = fr_arg_next(ctx, args, "ring");
	if (!run.c.ring || fr_parse_name(ctx, "ring", run.c.ring) ||
	    take_conds(ctx, args, &run))
		return FR_EXIT_LOCAL;

	ret = take_changes(ctx, args, &run.c);
	if (ret || ctx->dry)
		goto out;
	if (run.has_percent)
		ret = percent_to_slots(ctx, &run);
	if (!ret)
		ret = fr_commit_send(ctx, &run.c, &plan);
	if (ret)
		goto out;
	if (dry || ctx->json || ctx->stats)
		ret = fr_plan_print(ctx, &plan, 1);
	else
		fr_commit_print(ctx, &plan);
	fr_plan_clear(&plan);
out:
	fr_commit_clear(&run.c);
	return ret;
}
