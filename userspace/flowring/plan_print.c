// SPDX-License-Identifier: GPL-2.0
/* Printing of plans: what a commit does to a ring, and what other tables would
 * have done.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "maglev.h"
#include "obj.h"
#include "plan.h"

/* Characters of the longest bar */
#define FR_PLAN_BAR	32

/* A survivor is warned of when it takes that many times its part of what moves,
 * and that much of the ring more than its part
 */
#define FR_PLAN_TIMES	1.5
#define FR_PLAN_MORE	0.005

/* What follows from a plan, all in slots but for the weights */
struct figures {
	double weights_before;
	double weights;
	/* What perfectly even tables would move */
	double ideal;
	double modulo;
	double maglev;
	/* What backends gain in all: really, and with even tables */
	double gains;
	double even_gains;
};

static double even_gain(const struct fr_plan *plan, const struct figures *f,
			const struct fr_share *s)
{
	double before = 0, after = 0;

	if (f->weights_before)
		before = s->weight_before / f->weights_before;
	if (f->weights)
		after = s->weight / f->weights;
	return (after - before) * plan->total;
}

static int get_others(struct fr_ctx *ctx, const struct fr_plan *plan,
		      struct figures *f)
{
	struct fr_weighed *v = calloc(plan->n + 1, sizeof(*v));
	double maglev;
	size_t i;

	if (!v)
		return fr_error(ctx, "out of memory");
	for (i = 0; i < plan->n; i++)
		v[i] = (struct fr_weighed){
			.name = plan->shares[i].name,
			.before = plan->shares[i].weight_before,
			.after = plan->shares[i].weight,
		};
	f->modulo = fr_modulo_moved(v, plan->n) * plan->total;
	maglev = fr_maglev_moved(v, plan->n);
	f->maglev = maglev * plan->total;
	free(v);
	return maglev < 0 ? fr_error(ctx, "out of memory") : FR_EXIT_OK;
}

static int get_figures(struct fr_ctx *ctx, const struct fr_plan *plan,
		       struct figures *f)
{
	const struct fr_share *s;
	double gain;
	size_t i;

	*f = (struct figures){};
	for (i = 0; i < plan->n; i++) {
		f->weights_before += plan->shares[i].weight_before;
		f->weights += plan->shares[i].weight;
	}
	for (i = 0; i < plan->n; i++) {
		s = &plan->shares[i];
		gain = even_gain(plan, f, s);
		if (gain > 0)
			f->even_gains += gain;
		else
			f->ideal -= gain;
		if (s->slots > s->slots_before)
			f->gains += s->slots - s->slots_before;
	}
	return get_others(ctx, plan, f);
}

/* Whether a backend that was there takes more of what moves than its part,
 * which is then given in percent, as what it takes
 */
static bool takes_more(const struct fr_plan *plan, const struct figures *f,
		       const struct fr_share *s, double *takes, double *part)
{
	double gain = (double)s->slots - s->slots_before;
	double even = even_gain(plan, f, s);
	double fair;

	if (!s->weight_before || !s->weight || !f->even_gains || !f->gains)
		return false;
	fair = even > 0 ? even / f->even_gains * f->gains : 0;
	if (gain <= fair * FR_PLAN_TIMES ||
	    gain - fair <= FR_PLAN_MORE * plan->total)
		return false;
	*takes = 100 * gain / f->gains;
	*part = 100 * fair / f->gains;
	return true;
}

static void warning_text(const struct fr_share *s, double takes, double part,
			 char *text, size_t size)
{
	char name[4 * FR_PLAN_NAME];

	fr_safe_str(s->name, name, sizeof(name));
	snprintf(text, size,
		 "%s takes %.0f%% of what moves; its part would be %.0f%%",
		 name, takes, part);
}

static void weight_text(bool there, uint32_t weight, char *text, size_t size)
{
	if (there)
		snprintf(text, size, "%" PRIu32, weight);
	else
		snprintf(text, size, "-");
}

static void weights_text(const struct fr_share *s, char *text, size_t size)
{
	size_t len;

	weight_text(s->there_before, s->weight_before, text, size);
	if (s->there_before == s->there && s->weight_before == s->weight)
		return;
	len = strlen(text);
	snprintf(text + len, size - len, " -> ");
	len = strlen(text);
	weight_text(s->there, s->weight, text + len, size - len);
}

static void print_bar(FILE *out, const struct fr_share *s, double unit)
{
	int before = s->slots_before * unit + 0.5;
	int after = s->slots * unit + 0.5;
	int i;

	if (!before && !after)
		return;
	fputs("  ", out);
	for (i = 0; i < before || i < after; i++)
		fputc(i >= before ? '+' : i >= after ? '-' : '#', out);
}

static void print_share(FILE *out, bool there, double share)
{
	if (there)
		fprintf(out, "  %6.2f%%", share);
	else
		fprintf(out, "  %7s", "-");
}

static void print_shares(struct fr_ctx *ctx, const struct fr_plan *plan)
{
	double percent = 100.0 / plan->total;
	int name_width = 7, weight_width = 6;
	char name[4 * FR_PLAN_NAME], text[64];
	uint32_t most = 1;
	size_t i;

	for (i = 0; i < plan->n; i++) {
		const struct fr_share *s = &plan->shares[i];

		fr_safe_str(s->name, name, sizeof(name));
		weights_text(s, text, sizeof(text));
		if ((int)strlen(name) > name_width)
			name_width = strlen(name);
		if ((int)strlen(text) > weight_width)
			weight_width = strlen(text);
		if (s->slots > most)
			most = s->slots;
		if (s->slots_before > most)
			most = s->slots_before;
	}
	if (!plan->n)
		return;
	fprintf(ctx->out, "    %-*s  %*s  %7s  %7s  %7s\n", name_width,
		"backend", weight_width, "weight", "before", "after", "gain");
	for (i = 0; i < plan->n; i++) {
		const struct fr_share *s = &plan->shares[i];
		double gain = (double)s->slots - s->slots_before;

		fr_safe_str(s->name, name, sizeof(name));
		weights_text(s, text, sizeof(text));
		fprintf(ctx->out, "    %-*s  %*s", name_width, name,
			weight_width, text);
		print_share(ctx->out, s->there_before,
			    s->slots_before * percent);
		print_share(ctx->out, s->there, s->slots * percent);
		fprintf(ctx->out, "  %+6.2f%%", gain * percent);
		print_bar(ctx->out, s, (double)FR_PLAN_BAR / most);
		fputc('\n', ctx->out);
	}
}

static void print_moved(struct fr_ctx *ctx, const struct fr_plan *plan,
			const char *what, double slots)
{
	fprintf(ctx->out, "    %-14s  %8.0f  %6.2f%%\n", what, slots,
		100 * slots / plan->total);
}

static void print_head(struct fr_ctx *ctx, const struct fr_plan *plan)
{
	char name[4 * FR_PLAN_NAME];

	fr_safe_str(plan->ring, name, sizeof(name));
	fprintf(ctx->out, "ring %s%s%s\n", name,
		plan->is_new ? " is made" : plan->is_gone ? " is deleted" : "",
		plan->dry ? " (a plan, nothing is changed)" : "");
	if (plan->epoch && plan->epoch_before)
		fprintf(ctx->out, "    epoch %" PRIu64 " -> %" PRIu64,
			plan->epoch_before, plan->epoch);
	else if (plan->epoch || plan->epoch_before)
		fprintf(ctx->out, "    epoch %" PRIu64,
			plan->epoch ? plan->epoch : plan->epoch_before);
	else
		fputs("   ", ctx->out);
	fputs(" fingerprint", ctx->out);
	if (!plan->is_new)
		fprintf(ctx->out, " 0x%016" PRIx64, plan->fingerprint_before);
	if (!plan->is_new && !plan->is_gone)
		fputs(" ->", ctx->out);
	if (!plan->is_gone)
		fprintf(ctx->out, " 0x%016" PRIx64, plan->fingerprint);
	fputc('\n', ctx->out);
}

static int print_text(struct fr_ctx *ctx, const struct fr_plan *plan)
{
	double takes, part;
	struct figures f;
	char text[192];
	size_t i;

	if (get_figures(ctx, plan, &f))
		return FR_EXIT_LOCAL;
	print_head(ctx, plan);
	print_shares(ctx, plan);
	if (plan->changes)
		fprintf(ctx->out, "    %" PRIu32 " change%s, ", plan->changes,
			plan->changes == 1 ? "" : "s");
	else
		fputs("    ", ctx->out);
	fprintf(ctx->out, "of %" PRIu32 " slots:\n", plan->total);
	print_moved(ctx, plan, "moved", plan->moved);
	print_moved(ctx, plan, "least possible", plan->least);
	print_moved(ctx, plan, "even shares", f.ideal);
	print_moved(ctx, plan, "Maglev 65537", f.maglev);
	print_moved(ctx, plan, "hash modulo n", f.modulo);
	for (i = 0; i < plan->n; i++) {
		if (!takes_more(plan, &f, &plan->shares[i], &takes, &part))
			continue;
		warning_text(&plan->shares[i], takes, part, text,
			     sizeof(text));
		fprintf(ctx->out, "    warning: %s\n", text);
	}
	return FR_EXIT_OK;
}

static json_t *hash_json(bool there, uint64_t hash)
{
	char text[32];

	if (!there)
		return NULL;
	snprintf(text, sizeof(text), "0x%016" PRIx64, hash);
	return json_string(text);
}

static json_t *share_json(const struct fr_plan *plan, const struct fr_share *s)
{
	double total = plan->total;
	char name[4 * FR_PLAN_NAME];

	fr_safe_str(s->name, name, sizeof(name));
	return json_pack("{s:s,s:o*,s:o*,s:I,s:I,s:f,s:f,s:f}",
			 "name", name,
			 "weight-before", s->there_before ?
			 json_integer(s->weight_before) : NULL,
			 "weight", s->there ? json_integer(s->weight) : NULL,
			 "slots-before", (json_int_t)s->slots_before,
			 "slots", (json_int_t)s->slots,
			 "share-before", s->slots_before / total,
			 "share", s->slots / total,
			 "gain", ((double)s->slots - s->slots_before) / total);
}

/* Append, or turn the array into NULL */
static void append(json_t **array, json_t *element)
{
	if (*array && json_array_append_new(*array, element)) {
		json_decref(*array);
		*array = NULL;
	} else if (!*array) {
		json_decref(element);
	}
}

static json_t *plan_json(const struct fr_plan *plan, const struct figures *f)
{
	json_t *backends = json_array(), *warnings = json_array();
	double takes, part;
	char name[4 * FR_PLAN_NAME], text[192];
	size_t i;

	for (i = 0; i < plan->n; i++) {
		append(&backends, share_json(plan, &plan->shares[i]));
		if (!takes_more(plan, f, &plan->shares[i], &takes, &part))
			continue;
		warning_text(&plan->shares[i], takes, part, text,
			     sizeof(text));
		append(&warnings, json_string(text));
	}
	fr_safe_str(plan->ring, name, sizeof(name));
	return json_pack("{s:s,s:b,s:b,s:b,s:o*,s:o*,s:o*,s:o*,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:o,s:o}",
			 "ring", name,
			 "new", plan->is_new,
			 "deleted", plan->is_gone,
			 "dry-run", plan->dry,
			 "epoch-before", plan->epoch_before ?
			 json_integer(plan->epoch_before) : NULL,
			 "epoch", plan->epoch ?
			 json_integer(plan->epoch) : NULL,
			 "fingerprint-before",
			 hash_json(!plan->is_new, plan->fingerprint_before),
			 "fingerprint",
			 hash_json(!plan->is_gone, plan->fingerprint),
			 "changes", (json_int_t)plan->changes,
			 "total", (json_int_t)plan->total,
			 "moved", (json_int_t)plan->moved,
			 "least", (json_int_t)plan->least,
			 "ideal", (json_int_t)(f->ideal + 0.5),
			 "maglev", (json_int_t)(f->maglev + 0.5),
			 "modulo", (json_int_t)(f->modulo + 0.5),
			 "backends", backends,
			 "warnings", warnings);
}

/**
 * fr_plan_json() - Make JSON of plans.
 * @ctx: The run.
 * @plans: The plans.
 * @n: How many.
 *
 * Return: A new array, or NULL after an error was printed.
 */
json_t *fr_plan_json(struct fr_ctx *ctx, const struct fr_plan *plans, size_t n)
{
	json_t *array = json_array();
	struct figures f;
	size_t i;

	for (i = 0; i < n; i++) {
		if (get_figures(ctx, &plans[i], &f)) {
			json_decref(array);
			return NULL;
		}
		append(&array, plan_json(&plans[i], &f));
	}
	if (!array)
		fr_error(ctx, "cannot write JSON");
	return array;
}

/**
 * fr_plan_print() - Print plans, or what commits did.
 * @ctx: The run.
 * @plans: The plans.
 * @n: How many.
 *
 * Return: Exit status.
 */
int fr_plan_print(struct fr_ctx *ctx, const struct fr_plan *plans, size_t n)
{
	json_t *array;
	size_t i;
	int ret;

	for (i = 0; !ctx->json && i < n; i++) {
		if (print_text(ctx, &plans[i]))
			return FR_EXIT_LOCAL;
	}
	if (!ctx->json)
		return FR_EXIT_OK;
	array = fr_plan_json(ctx, plans, n);
	if (!array)
		return FR_EXIT_LOCAL;
	ret = json_dumpf(array, ctx->out, JSON_REAL_PRECISION(6) |
			 (ctx->pretty ? JSON_INDENT(2) : JSON_COMPACT));
	json_decref(array);
	if (ret)
		return fr_error(ctx, "cannot write JSON");
	fputc('\n', ctx->out);
	return FR_EXIT_OK;
}

/**
 * fr_plan_clear() - Free what is in a plan.
 * @plan: The plan.
 */
void fr_plan_clear(struct fr_plan *plan)
{
	free(plan->shares);
	*plan = (struct fr_plan){};
}
