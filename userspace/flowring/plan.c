// SPDX-License-Identifier: GPL-2.0
/* The object plan: what a change would move, before it is made. */

#include <stdlib.h>
#include <string.h>

#include "commit.h"
#include "diff.h"
#include "offline.h"
#include "parse.h"
#include "plan.h"

static const char help[] =
"Usage: flowring plan RING [create] [OPTION]... [CHANGE]\n"
"       flowring plan --offline OLD NEW\n"
"\n"
"Asks the kernel what a change of the ring would move, and changes nothing.\n"
"CHANGE, and OPTION, are those of flowring ring commit; without a CHANGE they\n"
"are read from standard input, one a line.\n"
"\n"
"  --offline   compare two documents of flowring apply, without the kernel;\n"
"              a ring in one of them only is made or deleted. - instead of\n"
"              OLD is nothing, instead of NEW standard input\n";

static int count_changes(struct fr_ctx *ctx, const struct fr_doc_ring *before,
			 const struct fr_doc_ring *after, struct fr_plan *plan)
{
	struct fr_diff diff;
	int ret;

	ret = fr_diff_make(ctx, before, after, &diff);
	plan->changes = diff.n;
	fr_diff_clear(&diff);
	return ret;
}

/* Plan the next ring in the order of names that is in either document */
static int next_ring(struct fr_ctx *ctx, const struct fr_document *old,
		     const struct fr_document *new, size_t *i, size_t *k,
		     struct fr_plan *plan)
{
	const struct fr_doc_ring *before = NULL, *after = NULL;
	int cmp;

	cmp = *i == old->nrings ? 1 : *k == new->nrings ? -1 :
	      strcmp(old->rings[*i].name, new->rings[*k].name);
	if (cmp <= 0)
		before = &old->rings[(*i)++];
	if (cmp >= 0)
		after = &new->rings[(*k)++];
	if (fr_offline_plan(ctx, before, after, plan))
		return FR_EXIT_LOCAL;
	return after ? count_changes(ctx, before, after, plan) : FR_EXIT_OK;
}

static int plan_offline(struct fr_ctx *ctx, const struct fr_document *old,
			const struct fr_document *new)
{
	size_t n = 0, i = 0, k = 0;
	struct fr_plan *plans;
	int ret = FR_EXIT_OK;

	plans = calloc(old->nrings + new->nrings + 1, sizeof(*plans));
	if (!plans)
		return fr_error(ctx, "out of memory");
	while (!ret && (i < old->nrings || k < new->nrings))
		ret = next_ring(ctx, old, new, &i, &k, &plans[n++]);
	if (!ret)
		ret = fr_plan_print(ctx, plans, n);
	while (n)
		fr_plan_clear(&plans[--n]);
	free(plans);
	return ret;
}

static int offline(struct fr_ctx *ctx, struct fr_args *args)
{
	static const struct fr_document nothing = { .name = "-" };
	struct fr_document *old = NULL, *new;
	const char *from, *to;
	int ret = FR_EXIT_LOCAL;

	from = fr_arg_next(ctx, args, "the old document");
	to = from ? fr_arg_next(ctx, args, "the new document") : NULL;
	if (!to || fr_arg_end(ctx, args))
		return FR_EXIT_LOCAL;
	if (ctx->batch && !strcmp(to, "-"))
		return fr_usage(ctx, args, "standard input cannot be read in a batch");
	if (ctx->dry)
		return FR_EXIT_OK;

	if (strcmp(from, "-")) {
		old = fr_document_load(ctx, from);
		if (!old)
			return FR_EXIT_LOCAL;
	}
	new = fr_document_load(ctx, to);
	if (new)
		ret = plan_offline(ctx, old ? old : &nothing, new);
	fr_document_free(new);
	fr_document_free(old);
	return ret;
}

/**
 * fr_plan() - The object plan.
 * @ctx: The run.
 * @args: The words after it.
 *
 * Return: Exit status.
 */
int fr_plan(struct fr_ctx *ctx, struct fr_args *args)
{
	const char *word = fr_arg_next(ctx, args, "ring");

	if (!word)
		return FR_EXIT_LOCAL;
	if (!strcmp(word, "help")) {
		fputs(help, ctx->out);
		return FR_EXIT_OK;
	}
	if (!strcmp(word, "--offline"))
		return offline(ctx, args);
	args->i--;
	return fr_commit_run(ctx, args, true);
}
