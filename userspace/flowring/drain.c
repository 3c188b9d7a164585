// SPDX-License-Identifier: GPL-2.0
/* The command backend drain: taking a backend out, and waiting until it is. */

#include <inttypes.h>
#include <string.h>

#include <jansson.h>

#include <linux/flowring.h>

#include "output.h"
#include "parse.h"

/* Milliseconds between two looks: the first time, and at most */
#define FR_DRAIN_POLL		500
#define FR_DRAIN_POLL_MAX	2000

/* Milliseconds between two lines that are not on a terminal */
#define FR_DRAIN_LINE		1000

/**
 * struct left - What a backend still has.
 * @slots: Slots that it owns.
 * @remembered: Slots that remember it.
 * @pins: Flows that are pinned to it.
 * @flows: Flows that conntrack knows to it.
 * @has_done_in: @done_in is known.
 * @done_in: Milliseconds until it has none of them at the latest.
 */
struct left {
	uint64_t slots;
	uint64_t remembered;
	uint64_t pins;
	uint64_t flows;
	bool has_done_in;
	uint64_t done_in;
};

/* A command that is being run */
struct drain {
	struct fr_ctx *ctx;
	const char *ring;
	const char *name;
	bool wait;
	bool has_timeout;
	uint32_t timeout;
	uint64_t begun;
	/* What was said last, and when */
	bool said;
	uint64_t said_at;
	struct left last;
};

static bool is_done(const struct left *left)
{
	return !left->slots && !left->remembered && !left->pins && !left->flows;
}

static size_t add_count(char *text, size_t size, size_t len, uint64_t n,
			const char *what, const char *behind)
{
	if (!n || len >= size)
		return len;
	return len + snprintf(text + len, size - len, "%s%" PRIu64 " %s%s%s",
			      len ? ", " : "", n, what, n == 1 ? "" : "s",
			      behind);
}

static void left_text(const struct left *left, char *text, size_t size)
{
	size_t len = 0;

	len = add_count(text, size, len, left->slots, "slot", "");
	len = add_count(text, size, len, left->remembered, "slot",
			" remembered");
	len = add_count(text, size, len, left->pins, "pin", "");
	add_count(text, size, len, left->flows, "flow", "");
}

/* Rounded up, so that it is true */
static void time_text(uint64_t ms, char *text, size_t size)
{
	uint64_t s = ms / 1000 + !!(ms % 1000);

	if (s >= 3600)
		snprintf(text, size, "%" PRIu64 "h%02um%02us", s / 3600,
			 (unsigned int)(s / 60 % 60), (unsigned int)(s % 60));
	else if (s >= 60)
		snprintf(text, size, "%um%02us", (unsigned int)(s / 60),
			 (unsigned int)(s % 60));
	else
		snprintf(text, size, "%us", (unsigned int)s);
}

static bool same_counts(const struct left *a, const struct left *b)
{
	return a->slots == b->slots && a->remembered == b->remembered &&
	       a->pins == b->pins && a->flows == b->flows;
}

/* One line that changes on a terminal; else a line for each change, not too
 * often
 */
static void say_left(struct drain *d, const struct left *left)
{
	uint64_t now = d->ctx->clock->now(d->ctx);
	char text[160], at_most[48];

	if (!d->ctx->tty && d->said &&
	    (same_counts(left, &d->last) || now - d->said_at < FR_DRAIN_LINE))
		return;
	left_text(left, text, sizeof(text));
	fprintf(d->ctx->err, "%s%s %s: %s", d->ctx->tty ? "\r" : "", d->ring,
		d->name, text);
	if (left->has_done_in) {
		time_text(left->done_in, at_most, sizeof(at_most));
		fprintf(d->ctx->err, ", done in at most %s", at_most);
	}
	fputs(d->ctx->tty ? "\033[K" : "\n", d->ctx->err);
	fflush(d->ctx->err);
	d->said = true;
	d->said_at = now;
	d->last = *left;
}

/* Make room on the terminal for what is said next */
static void end_left(struct drain *d)
{
	if (d->ctx->tty && d->said)
		fputs("\r\033[K", d->ctx->err);
	d->said = false;
}

/* Return: exit status, after an error was printed when it is not 0 */
static int ask(struct drain *d, bool progress, uint32_t *state,
	       struct left *left)
{
	struct fr_list list = {};
	const struct fr_obj *obj;
	struct fr_extack ext;
	struct fr_msg msg;
	int ret;

	fr_msg_init(&msg, &fr_set_backend, FLOWRING_CMD_BACKEND_GET);
	fr_msg_what(&msg, "backend %s %s", d->ring, d->name);
	mnl_attr_put_strz(fr_msg_hdr(&msg), FLOWRING_A_BACKEND_RING, d->ring);
	mnl_attr_put_strz(fr_msg_hdr(&msg), FLOWRING_A_BACKEND_NAME, d->name);
	if (progress)
		mnl_attr_put(fr_msg_hdr(&msg), FLOWRING_A_BACKEND_PROGRESS, 0,
			     NULL);
	ret = fr_nl_ask(d->ctx, &msg, &list, &ext);
	if (ret || ext.error)
		end_left(d);
	if (!ret)
		ret = fr_nl_verdict(d->ctx, &msg, &ext);
	if (!ret && !list.n)
		ret = fr_error(d->ctx, "%s: no answer", msg.what);
	if (!ret) {
		obj = list.v[0];
		*state = fr_obj_num(obj, FLOWRING_A_BACKEND_STATE);
		*left = (struct left){
			.slots = fr_obj_num(obj, FLOWRING_A_BACKEND_SLOTS),
			.remembered = fr_obj_num(obj,
						 FLOWRING_A_BACKEND_REMEMBERED),
			.pins = fr_obj_num(obj, FLOWRING_A_BACKEND_PINS),
			.flows = fr_obj_num(obj, FLOWRING_A_BACKEND_FLOWS),
			.has_done_in = fr_obj_has(obj,
						  FLOWRING_A_BACKEND_DONE_IN),
			.done_in = fr_obj_num(obj, FLOWRING_A_BACKEND_DONE_IN),
		};
	}
	fr_list_clear(&list);
	return ret;
}

static int begin_drain(struct drain *d)
{
	struct fr_msg msg;

	fr_msg_init(&msg, &fr_set_backend, FLOWRING_CMD_BACKEND_SET);
	fr_msg_what(&msg, "backend %s %s", d->ring, d->name);
	mnl_attr_put_strz(fr_msg_hdr(&msg), FLOWRING_A_BACKEND_RING, d->ring);
	mnl_attr_put_strz(fr_msg_hdr(&msg), FLOWRING_A_BACKEND_NAME, d->name);
	mnl_attr_put_u32(fr_msg_hdr(&msg), FLOWRING_A_BACKEND_STATE,
			 FLOWRING_STATE_DRAIN);
	return fr_nl_request(d->ctx, &msg, NULL);
}

/* Say on standard output how it ended */
static int say_end(struct drain *d, const struct left *left)
{
	json_t *j;
	int ret = -1;

	if (!d->ctx->json) {
		if (is_done(left))
			fprintf(d->ctx->out, "backend %s %s: drained\n",
				d->ring, d->name);
		return FR_EXIT_OK;
	}
	j = json_pack("{s:s,s:s,s:b,s:I,s:I,s:I,s:I}", "ring", d->ring,
		      "name", d->name, "drained", is_done(left),
		      "slots", (json_int_t)left->slots,
		      "remembered", (json_int_t)left->remembered,
		      "pins", (json_int_t)left->pins,
		      "flows", (json_int_t)left->flows);
	if (j)
		ret = json_dumpf(j, d->ctx->out, d->ctx->pretty ?
				 JSON_INDENT(2) : JSON_COMPACT);
	json_decref(j);
	if (ret)
		return fr_error(d->ctx, "cannot write JSON");
	fputc('\n', d->ctx->out);
	return FR_EXIT_OK;
}

static int timed_out(struct drain *d, const struct left *left)
{
	char text[160];

	if (say_end(d, left))
		return FR_EXIT_LOCAL;
	left_text(left, text, sizeof(text));
	return fr_error(d->ctx, "backend %s %s: not drained after %" PRIu32 " s: %s left",
			d->ring, d->name, d->timeout, text);
}

static int wait_drained(struct drain *d)
{
	uint64_t limit = (uint64_t)d->timeout * 1000;
	uint64_t pause = FR_DRAIN_POLL;
	uint64_t spent, nap;
	struct left left;
	uint32_t state;
	const char *name;

	for (d->begun = d->ctx->clock->now(d->ctx);;) {
		int ret = ask(d, true, &state, &left);

		if (ret)
			return ret;
		if (state != FLOWRING_STATE_DRAIN) {
			end_left(d);
			name = fr_enum_name(&fr_enum_state, state);
			return fr_error(d->ctx, "backend %s %s: not drained: somebody has set its state to %s",
					d->ring, d->name, name ? name : "?");
		}
		if (is_done(&left)) {
			end_left(d);
			return say_end(d, &left);
		}
		spent = d->ctx->clock->now(d->ctx) - d->begun;
		if (d->has_timeout && spent >= limit) {
			end_left(d);
			return timed_out(d, &left);
		}
		say_left(d, &left);
		nap = d->has_timeout && limit - spent < pause ? limit - spent :
								pause;
		d->ctx->clock->sleep(d->ctx, nap);
		pause += pause / 2;
		if (pause > FR_DRAIN_POLL_MAX)
			pause = FR_DRAIN_POLL_MAX;
	}
}

/* A word, or an option of that name */
static bool is_word(const char *word, const char *name)
{
	return !strcmp(word, name) ||
	       (!strncmp(word, "--", 2) && !strcmp(word + 2, name));
}

static int take_words(struct drain *d, struct fr_args *args)
{
	const char *word;

	d->ring = fr_arg_next(d->ctx, args, "ring");
	if (!d->ring || fr_parse_name(d->ctx, "ring", d->ring))
		return FR_EXIT_LOCAL;
	d->name = fr_arg_next(d->ctx, args, "backend");
	if (!d->name || fr_parse_name(d->ctx, "backend", d->name))
		return FR_EXIT_LOCAL;
	while ((word = fr_arg_peek(args))) {
		if (is_word(word, "wait") && !d->wait) {
			args->i++;
			d->wait = true;
		} else if (is_word(word, "timeout") && !d->has_timeout) {
			args->i++;
			word = fr_arg_next(d->ctx, args, "the value of timeout");
			if (!word || fr_parse_u32(d->ctx, "timeout", word, 0,
						  UINT32_MAX, &d->timeout))
				return FR_EXIT_LOCAL;
			d->has_timeout = true;
		} else {
			return fr_arg_end(d->ctx, args);
		}
	}
	if (d->has_timeout && !d->wait)
		return fr_usage(d->ctx, args, "timeout without wait");
	return FR_EXIT_OK;
}

/**
 * fr_backend_drain() - The command backend drain.
 * @ctx: The run.
 * @args: The words after it.
 *
 * When it is interrupted, the backend stays in drain.
 *
 * Return: Exit status.
 */
int fr_backend_drain(struct fr_ctx *ctx, struct fr_args *args)
{
	struct drain d = { .ctx = ctx };
	struct left left;
	uint32_t state;
	int ret;

	if (take_words(&d, args))
		return FR_EXIT_LOCAL;
	if (ctx->dry)
		return FR_EXIT_OK;
	ret = ask(&d, false, &state, &left);
	if (!ret && state != FLOWRING_STATE_DRAIN)
		ret = begin_drain(&d);
	if (!ret && d.wait)
		ret = wait_drained(&d);
	return ret;
}
