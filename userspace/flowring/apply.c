// SPDX-License-Identifier: GPL-2.0
/* The object apply: makes the host match a document. */

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>

#include "jobs.h"
#include "offline.h"
#include "parse.h"
#include "plan.h"
#include "state.h"

/* Tries at a configuration that others change at the same time */
#define FR_APPLY_TRIES	5

static const char help[] =
"Usage: flowring apply [OPTION]... FILE\n"
"\n"
"Makes the configuration match the JSON document in FILE, - for standard input,\n"
"in as few steps as it takes. Nothing is sent when nothing differs. When anything\n"
"in the document is wrong, nothing is changed, and its line is said. Rings and\n"
"services of the document's owner that are not in it are deleted; those of other\n"
"owners stay.\n"
"\n"
"OPTION  -n, --dry-run     say what it would do, and do not\n"
"        --owner TAG       owner of what is in the document\n"
"        --all             change and delete objects of all owners\n"
"        --max-move SLOTS|P%\n"
"                          refuse to move more slots of any ring\n"
"        --max-share P%    refuse to raise a backend's share above\n";

/**
 * struct apply - One run of the command.
 * @ctx: The run.
 * @doc: The document.
 * @jobs: What has to be done.
 * @dry: Only say it.
 * @all: Take over the objects of all owners.
 * @has_move: There is a limit of @move.
 * @move_is_share: It is of FLOWRING_SHARE_UNIT, not of slots.
 * @move: Slots that a commit may move at most.
 * @has_share: There is a limit of @share.
 * @share: Share of a backend at most, of FLOWRING_SHARE_UNIT.
 * @stale: A commit met another epoch.
 * @done: Steps that were done.
 * @plans: What was done to rings or would be.
 * @nplans: Number of @plans.
 * @services: The same for services.
 */
struct apply {
	struct fr_ctx *ctx;
	struct fr_document *doc;
	struct fr_jobs jobs;
	bool dry;
	bool all;
	bool has_move;
	bool move_is_share;
	uint32_t move;
	bool has_share;
	uint32_t share;
	bool stale;
	size_t done;
	struct fr_plan *plans;
	size_t nplans;
	json_t *services;
};

/* Keep a plan for the end; it is cleared with the others */
static int keep_plan(struct apply *a, struct fr_plan *plan)
{
	struct fr_plan *plans;

	plans = realloc(a->plans, (a->nplans + 1) * sizeof(*plans));
	if (!plans) {
		fr_plan_clear(plan);
		return fr_error(a->ctx, "apply: out of memory");
	}
	a->plans = plans;
	plans[a->nplans++] = *plan;
	return FR_EXIT_OK;
}

static void drop_plans(struct apply *a)
{
	while (a->nplans)
		fr_plan_clear(&a->plans[--a->nplans]);
	free(a->plans);
	a->plans = NULL;
}

static void set_limits(const struct apply *a, const struct fr_ring_job *job,
		       struct fr_commit *c)
{
	uint32_t bits = job->want->bits;

	if (job->have && job->have->bits > bits)
		bits = job->have->bits;
	c->has_max_move = a->has_move;
	c->max_move = !a->move_is_share ? a->move :
		      ((uint64_t)a->move << bits) / FLOWRING_SHARE_UNIT;
	c->has_max_share = a->has_share;
	c->max_share = a->share;
}

/* Send one commit of the changes of a ring, from the change @first on. The ring
 * is expected at the epoch @at; at 0, it is not there yet.
 */
static int commit(struct apply *a, const struct fr_ring_job *job, size_t first,
		  uint64_t at, bool dry, struct fr_plan *plan)
{
	size_t n = job->diff.n - first;
	struct fr_commit c = {
		.ring = job->want->name,
		.create = !at,
		.dry = dry,
		.has_expect = true,
		.expect = at,
		.file = a->doc->name,
		.stale = &a->stale,
	};
	int ret;

	set_limits(a, job, &c);
	if (n > FLOWRING_MAX_CHANGES) {
		n = FLOWRING_MAX_CHANGES;
	} else if (job->want->has_epoch) {
		c.has_epoch = true;
		c.epoch = job->want->epoch;
	}
	ret = fr_diff_commit(a->ctx, &job->diff, first, n, &c);
	if (!ret)
		ret = fr_commit_send(a->ctx, &c, plan);
	fr_commit_clear(&c);
	return ret;
}

static void note_commits(struct apply *a, const struct fr_ring_job *job)
{
	if (job->commits > 1 && !a->ctx->json)
		fprintf(a->ctx->out, "ring %s: %zu changes in %zu commits\n",
			job->want->name, job->diff.n, job->commits);
}

/* JSON is printed when all is done */
static int print_plan(struct apply *a, const struct fr_plan *plan)
{
	if (a->ctx->json)
		return FR_EXIT_OK;
	if (a->ctx->stats)
		return fr_plan_print(a->ctx, plan, 1);
	fr_commit_print(a->ctx, plan);
	return FR_EXIT_OK;
}

static int run_ring(struct apply *a, const struct fr_ring_job *job)
{
	uint64_t at = job->have ? job->have->epoch : 0;
	struct fr_plan plan;
	size_t first;
	int ret;

	note_commits(a, job);
	for (first = 0; first < job->diff.n; first += FLOWRING_MAX_CHANGES) {
		ret = commit(a, job, first, at, false, &plan);
		if (ret)
			return ret;
		a->done++;
		at = plan.epoch;
		ret = print_plan(a, &plan);
		if (!ret)
			ret = keep_plan(a, &plan);
		else
			fr_plan_clear(&plan);
		if (ret)
			return ret;
	}
	return FR_EXIT_OK;
}

/* Ask for the plan of a ring. Not all can be asked of the kernel: a change that
 * takes several commits, or needs a change of services before it.
 */
static int plan_ring(struct apply *a, const struct fr_ring_job *job)
{
	struct fr_plan plan = {};
	int ret;

	note_commits(a, job);
	if (job->commits == 1 && job->early) {
		ret = commit(a, job, 0, job->have ? job->have->epoch : 0, true,
			     &plan);
		return ret ? ret : keep_plan(a, &plan);
	}
	/* The kernel would make up the key */
	if (!job->have && !job->want->has_key)
		return FR_EXIT_OK;
	ret = fr_offline_plan(a->ctx, job->have, job->want, &plan);
	if (ret) {
		fr_plan_clear(&plan);
		return ret;
	}
	plan.changes = job->diff.n;
	if (!plan.epoch)
		plan.epoch = plan.epoch_before + job->commits;
	return keep_plan(a, &plan);
}

static const char *const op_words[] = {
	[FR_SERVICE_ADD] = "add",
	[FR_SERVICE_SET] = "set",
	[FR_SERVICE_DEL] = "del",
};

static int keep_service(struct apply *a, const struct fr_service_job *job)
{
	const struct fr_doc_service *s = job->service;
	char text[96];
	json_t *j;

	fr_service_text(s, text, sizeof(text));
	if (!a->ctx->json && job->op == FR_SERVICE_DEL) {
		fprintf(a->ctx->out, "%s: del\n", text);
		return FR_EXIT_OK;
	}
	if (!a->ctx->json) {
		fprintf(a->ctx->out, "%s: %s %s %s\n", text,
			op_words[job->op], s->ring[0] ? "ring" : "action",
			s->ring[0] ? s->ring :
				     fr_enum_name(&fr_enum_action, s->action));
		return FR_EXIT_OK;
	}
	j = json_pack("{s:s}", "op", op_words[job->op]);
	if (!j || json_object_update_new(j, fr_service_json(s, NULL)) ||
	    json_array_append_new(a->services, j))
		return fr_error(a->ctx, "cannot write JSON");
	return FR_EXIT_OK;
}

/* What identifies a service */
static void put_service(struct nlmsghdr *nlh, const struct fr_doc_service *s)
{
	if (s->mark) {
		mnl_attr_put_u32(nlh, FLOWRING_A_SERVICE_MARK, s->mark);
		mnl_attr_put_u32(nlh, FLOWRING_A_SERVICE_IP_VERSION,
				 s->addr.len == 4 ? 4 : 6);
		return;
	}
	mnl_attr_put_u32(nlh, FLOWRING_A_SERVICE_PROTO, s->proto);
	mnl_attr_put(nlh, FLOWRING_A_SERVICE_ADDR, s->addr.len, s->addr.b);
	if (s->prefix < 8 * s->addr.len)
		mnl_attr_put_u32(nlh, FLOWRING_A_SERVICE_PREFIX, s->prefix);
	if (!s->proto)
		return;
	mnl_attr_put_u32(nlh, FLOWRING_A_SERVICE_PORT, s->port);
	if (s->port_end)
		mnl_attr_put_u32(nlh, FLOWRING_A_SERVICE_PORT_END,
				 s->port_end);
}

static int run_service(struct apply *a, const struct fr_service_job *job)
{
	static const uint8_t cmds[] = {
		[FR_SERVICE_ADD] = FLOWRING_CMD_SERVICE_NEW,
		[FR_SERVICE_SET] = FLOWRING_CMD_SERVICE_SET,
		[FR_SERVICE_DEL] = FLOWRING_CMD_SERVICE_DEL,
	};
	const struct fr_doc_service *s = job->service;
	struct nlmsghdr *nlh;
	struct fr_msg msg;
	char text[96];
	int ret;

	fr_service_text(s, text, sizeof(text));
	fr_msg_init(&msg, &fr_set_service, cmds[job->op]);
	fr_msg_what(&msg, "%s", text);
	nlh = fr_msg_hdr(&msg);
	put_service(nlh, s);
	if (job->op != FR_SERVICE_DEL) {
		if (s->ring[0])
			mnl_attr_put_strz(nlh, FLOWRING_A_SERVICE_RING,
					  s->ring);
		else
			mnl_attr_put_u32(nlh, FLOWRING_A_SERVICE_ACTION,
					 s->action);
		if (job->op == FR_SERVICE_SET || s->owner[0])
			mnl_attr_put_strz(nlh, FLOWRING_A_SERVICE_OWNER,
					  s->owner);
	}
	ret = fr_nl_request(a->ctx, &msg, NULL);
	if (ret)
		return ret;
	a->done++;
	return keep_service(a, job);
}

static int plan_delete(struct apply *a, const struct fr_doc_ring *ring)
{
	struct fr_plan plan;

	if (fr_offline_plan(a->ctx, ring, NULL, &plan)) {
		fr_plan_clear(&plan);
		return FR_EXIT_LOCAL;
	}
	plan.dry = a->dry;
	return keep_plan(a, &plan);
}

static int run_delete(struct apply *a, const struct fr_doc_ring *ring)
{
	struct fr_msg msg;
	int ret;

	fr_msg_init(&msg, &fr_set_ring, FLOWRING_CMD_RING_DEL);
	fr_msg_what(&msg, "ring %s", ring->name);
	mnl_attr_put_strz(fr_msg_hdr(&msg), FLOWRING_A_RING_NAME, ring->name);
	ret = fr_nl_request(a->ctx, &msg, NULL);
	if (ret)
		return ret;
	a->done++;
	if (a->ctx->json)
		return plan_delete(a, ring);
	fprintf(a->ctx->out, "ring %s: del\n", ring->name);
	return FR_EXIT_OK;
}

/* Have the kernel check all that it can check before anything is changed */
static int plan_all(struct apply *a)
{
	size_t i;
	int ret = FR_EXIT_OK;

	for (i = 0; !ret && i < a->jobs.nsteps; i++) {
		if (a->jobs.steps[i].ring)
			ret = plan_ring(a, a->jobs.steps[i].ring);
	}
	return ret;
}

static int run_all(struct apply *a)
{
	const struct fr_step *step = a->jobs.steps;
	size_t i;
	int ret = FR_EXIT_OK;

	for (i = 0; !ret && i < a->jobs.nsteps; i++, step++)
		ret = step->ring ? run_ring(a, step->ring) :
				   run_service(a, step->service);
	for (i = 0; !ret && i < a->jobs.ndels; i++)
		ret = run_delete(a, a->jobs.dels[i]);
	if (ret && a->done && !a->stale)
		fr_error(a->ctx, "apply: %zu of %zu steps were done before that; another run does the rest",
			 a->done, a->jobs.nsteps + a->jobs.ndels);
	return ret;
}

/* With --dry-run: the plans that there are already, services, deletions */
static int say_all(struct apply *a)
{
	const struct fr_step *step = a->jobs.steps;
	size_t i;
	int ret = FR_EXIT_OK;

	for (i = 0; !ret && i < a->jobs.ndels; i++)
		ret = plan_delete(a, a->jobs.dels[i]);
	if (!ret && !a->ctx->json)
		ret = fr_plan_print(a->ctx, a->plans, a->nplans);
	for (i = 0; !ret && i < a->jobs.nsteps; i++, step++) {
		if (step->service)
			ret = keep_service(a, step->service);
	}
	return ret;
}

static int print_json(struct apply *a)
{
	json_t *rings = fr_plan_json(a->ctx, a->plans, a->nplans);
	json_t *j;
	int ret = -1;

	if (!rings)
		return FR_EXIT_LOCAL;
	j = json_pack("{s:b,s:o,s:O}", "dry-run", a->dry, "rings", rings,
		      "services", a->services);
	if (j)
		ret = json_dumpf(j, a->ctx->out, JSON_REAL_PRECISION(6) |
				 (a->ctx->pretty ? JSON_INDENT(2) :
						   JSON_COMPACT));
	json_decref(j);
	if (ret)
		return fr_error(a->ctx, "cannot write JSON");
	fputc('\n', a->ctx->out);
	return FR_EXIT_OK;
}

/* Keys are needed to tell whether they are the document's */
static int check_keys(struct apply *a, const struct fr_document *have)
{
	size_t i;

	for (i = 0; i < have->nrings; i++) {
		if (have->rings[i].has_key)
			continue;
		fr_error(a->ctx, "apply: ring %s: the kernel does not show its key: needs CAP_NET_ADMIN in the initial user namespace",
			 have->rings[i].name);
		return FR_EXIT_KERNEL;
	}
	return FR_EXIT_OK;
}

static int check_frozen(struct apply *a, const struct fr_doc_ring *have)
{
	if (!have || !have->frozen)
		return FR_EXIT_OK;
	fr_error(a->ctx, "ring %s is frozen", have->name);
	return FR_EXIT_KERNEL;
}

/* The kernel plans changes of a frozen ring, but does not make them */
static int check_all_frozen(struct apply *a)
{
	size_t i;
	int ret = FR_EXIT_OK;

	for (i = 0; !ret && i < a->jobs.nsteps; i++) {
		if (a->jobs.steps[i].ring)
			ret = check_frozen(a, a->jobs.steps[i].ring->have);
	}
	for (i = 0; !ret && i < a->jobs.ndels; i++)
		ret = check_frozen(a, a->jobs.dels[i]);
	return ret;
}

/* From what the kernel has to what the document says */
static int apply_to(struct apply *a, const struct fr_document *have)
{
	size_t steps;
	int ret;

	a->jobs = (struct fr_jobs){ .ctx = a->ctx, .want = a->doc,
				    .have = have, .all = a->all };
	ret = fr_jobs_make(&a->jobs);
	if (!ret && !a->dry)
		ret = check_all_frozen(a);
	if (ret)
		return ret;
	steps = a->jobs.nsteps + a->jobs.ndels;
	if (!steps && !a->done && !a->ctx->json)
		fputs("nothing to do\n", a->ctx->out);

	/* One commit alone is either made or not, as it is */
	if (a->dry || steps > 1) {
		ret = plan_all(a);
		if (!a->dry)
			drop_plans(a);
	}
	if (!ret)
		ret = a->dry ? say_all(a) : run_all(a);
	return ret;
}

static int apply_once(struct apply *a)
{
	struct fr_document *have = NULL;
	struct fr_state state;
	int ret;

	ret = fr_state_read(a->ctx, "apply", &state);
	if (!ret) {
		have = fr_state_document(a->ctx, "apply", &state);
		ret = have ? check_keys(a, have) : FR_EXIT_LOCAL;
	}
	if (!ret)
		ret = apply_to(a, have);
	fr_jobs_clear(&a->jobs);
	fr_document_free(have);
	fr_state_clear(&state);
	return ret;
}

static int apply(struct apply *a)
{
	int ret = FR_EXIT_KERNEL;
	int i;

	a->services = json_array();
	if (!a->services)
		return fr_error(a->ctx, "apply: out of memory");
	for (i = 0; i < FR_APPLY_TRIES; i++) {
		a->stale = false;
		ret = apply_once(a);
		if (!a->stale)
			break;
	}
	if (a->stale)
		fr_error(a->ctx, "apply: changes interrupted it %d times: try again",
			 FR_APPLY_TRIES);
	else if (!ret && a->ctx->json)
		ret = print_json(a);
	json_decref(a->services);
	drop_plans(a);
	return ret;
}

static int read_move(struct apply *a, const char *word)
{
	a->has_move = true;
	a->move_is_share = strchr(word, '%');
	if (a->move_is_share)
		return fr_parse_percent(a->ctx, "--max-move", word, &a->move);
	return fr_parse_u32(a->ctx, "--max-move", word, 0, UINT32_MAX,
			    &a->move);
}

static int read_share(struct apply *a, const char *word)
{
	a->has_share = true;
	return fr_parse_percent(a->ctx, "--max-share", word, &a->share);
}

/* The options, and the file behind them */
static int read_args(struct apply *a, struct fr_args *args, const char **path,
		     const char **owner)
{
	const char *word, *val;

	while ((word = fr_arg_next(a->ctx, args, "FILE"))) {
		if (!strcmp(word, "-n") || !strcmp(word, "--dry-run")) {
			a->dry = true;
			continue;
		}
		if (!strcmp(word, "--all")) {
			a->all = true;
			continue;
		}
		if (*word != '-' || !word[1]) {
			*path = word;
			return fr_arg_end(a->ctx, args);
		}
		if (strcmp(word, "--owner") && strcmp(word, "--max-move") &&
		    strcmp(word, "--max-share"))
			break;
		val = fr_arg_next(a->ctx, args, "the value of an option");
		if (!val)
			return FR_EXIT_LOCAL;
		if (!strcmp(word, "--owner"))
			*owner = val;
		if ((!strcmp(word, "--owner") &&
		     fr_parse_name(a->ctx, "--owner", val)) ||
		    (!strcmp(word, "--max-move") && read_move(a, val)) ||
		    (!strcmp(word, "--max-share") && read_share(a, val)))
			return FR_EXIT_LOCAL;
	}
	if (word)
		fr_usage(a->ctx, args, "unknown option '%s'", word);
	return FR_EXIT_LOCAL;
}

/**
 * fr_apply() - The object apply.
 * @ctx: The run.
 * @args: The words after it.
 *
 * Return: Exit status.
 */
int fr_apply(struct fr_ctx *ctx, struct fr_args *args)
{
	const char *word = fr_arg_peek(args);
	const char *path = NULL, *owner = NULL;
	struct apply a = { .ctx = ctx };
	int ret;

	if (word && !strcmp(word, "help")) {
		fputs(help, ctx->out);
		return FR_EXIT_OK;
	}
	if (read_args(&a, args, &path, &owner))
		return FR_EXIT_LOCAL;
	if (ctx->batch && !strcmp(path, "-"))
		return fr_usage(ctx, args, "standard input cannot be read in a batch");
	if (ctx->dry)
		return FR_EXIT_OK;
	a.doc = fr_document_load(ctx, path);
	if (!a.doc)
		return FR_EXIT_LOCAL;
	if (owner)
		fr_document_own(a.doc, owner);
	ret = apply(&a);
	fr_document_free(a.doc);
	return ret;
}
