// SPDX-License-Identifier: GPL-2.0
/* The object backend. */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>
#include <linux/genetlink.h>

#include "output.h"
#include "parse.h"

static const char help[] =
"Usage: flowring backend add RING NAME addr ADDR [OPTION]...\n"
"       flowring backend add RING NAME mark MARK mode mark [OPTION]...\n"
"       flowring backend set RING NAME OPTION...\n"
"       flowring backend del RING NAME [force]\n"
"       flowring backend drain RING NAME [wait [timeout SECONDS]]\n"
"       flowring backend show [RING [NAME]]\n"
"\n"
"OPTION  addr ADDR             IPv4 or IPv6 address\n"
"        port N                port that nat translates to, 1 to 65535;\n"
"                              the service's own when it is not given;\n"
"                              UDP port of a gue tunnel, 6080\n"
"        weight N              share of the ring, 0 to 10000; 100 is one part\n"
"        mode nat|dr|ipip|gue|mark\n"
"                              how packets travel to it; only for add\n"
"        checksum on|off       whether a gue tunnel has UDP checksums\n"
"        mark MARK             firewall mark of mode mark: 16 or 0x10\n"
"        state up|drain|down   up gets new flows; drain keeps those it has;\n"
"                              down loses them too\n"
"        zone NAME|none        where it stands, for lookup owners\n"
"        tokens HEX[,HEX]...   its positions on the ring, 1024 at most\n"
"        tokens derived        those that its name and its weight give it\n"
"\n"
"drain gives its slots to others and keeps the flows that it has. With wait (or\n"
"--wait) it ends when none is left, or with status 1 after so many seconds.\n"
"del is refused while a service uses it and it owns slots or has flows, but for\n"
"force.\n"
"\n"
"A backend's place on the ring comes from its name alone, unless it is given\n"
"tokens.\n"
"With -s: what it still has, and counters.\n";

static const struct fr_opt add_options[] = {
	{ .key = "addr", .attr = FLOWRING_A_BACKEND_ADDR },
	{ .key = "port", .attr = FLOWRING_A_BACKEND_PORT,
	  .min = 1, .max = UINT16_MAX },
	{ .key = "weight", .attr = FLOWRING_A_BACKEND_WEIGHT, .max = 10000 },
	{ .key = "state", .attr = FLOWRING_A_BACKEND_STATE },
	{ .key = "zone", .attr = FLOWRING_A_BACKEND_ZONE, .none = true },
	{ .key = "tokens", .attr = FLOWRING_A_BACKEND_EXPLICIT_TOKENS },
	{ .key = "checksum", .attr = FLOWRING_A_BACKEND_CHECKSUM },
	{ .key = "mark", .attr = FLOWRING_A_BACKEND_MARK },
	{ .key = "mode", .attr = FLOWRING_A_BACKEND_MODE },
};

static const struct fr_opt set_options[] = {
	{ .key = "addr", .attr = FLOWRING_A_BACKEND_ADDR },
	{ .key = "port", .attr = FLOWRING_A_BACKEND_PORT,
	  .min = 1, .max = UINT16_MAX },
	{ .key = "weight", .attr = FLOWRING_A_BACKEND_WEIGHT, .max = 10000 },
	{ .key = "state", .attr = FLOWRING_A_BACKEND_STATE },
	{ .key = "zone", .attr = FLOWRING_A_BACKEND_ZONE, .none = true },
	{ .key = "tokens", .attr = FLOWRING_A_BACKEND_EXPLICIT_TOKENS },
	{ .key = "checksum", .attr = FLOWRING_A_BACKEND_CHECKSUM },
	{ .key = "mark", .attr = FLOWRING_A_BACKEND_MARK },
};

#define FR_STAT(_sub, _line) {			\
	.attr	= FLOWRING_A_BACKEND_STATS,	\
	.sub	= FLOWRING_A_STATS_##_sub,	\
	.line	= _line,			\
	.stats	= true,				\
}

static const struct fr_field fields[] = {
	{ .attr = FLOWRING_A_BACKEND_RING, .label = "" },
	{ .attr = FLOWRING_A_BACKEND_NAME, .label = "" },
	{ .attr = FLOWRING_A_BACKEND_ADDR, .line = 1 },
	{ .attr = FLOWRING_A_BACKEND_PORT, .line = 1 },
	{ .attr = FLOWRING_A_BACKEND_WEIGHT, .line = 1 },
	{ .attr = FLOWRING_A_BACKEND_MODE, .line = 1 },
	{ .attr = FLOWRING_A_BACKEND_STATE, .line = 1 },
	{ .attr = FLOWRING_A_BACKEND_ZONE, .line = 1 },
	{ .attr = FLOWRING_A_BACKEND_CHECKSUM, .line = 1 },
	{ .attr = FLOWRING_A_BACKEND_MARK, .line = 1 },
	{ .attr = FLOWRING_A_BACKEND_TOKENS, .line = 2 },
	{ .attr = FLOWRING_A_BACKEND_SLOTS, .line = 2 },
	{ .attr = FLOWRING_A_BACKEND_EXPLICIT_TOKENS, .line = 3 },
	{ .attr = FLOWRING_A_BACKEND_REMEMBERED, .line = 4 },
	{ .attr = FLOWRING_A_BACKEND_PINS, .line = 4 },
	/* Not the counter of that name, which new flows raise */
	{ .attr = FLOWRING_A_BACKEND_FLOWS, .line = 4,
	  .label = "existing-flows" },
	{ .attr = FLOWRING_A_BACKEND_DONE_IN, .line = 4 },
	FR_STAT(FLOWS, 5),
	FR_STAT(PACKETS, 5),
	FR_STAT(BYTES, 5),
	FR_STAT(NO_BACKEND, 6),
	FR_STAT(NO_MEMORY, 6),
	FR_STAT(INVALID, 6),
	FR_STAT(NO_ROUTE, 7),
	FR_STAT(NOT_ON_LINK, 7),
	FR_STAT(TTL_EXPIRED, 7),
	FR_STAT(TOO_BIG, 7),
};

static int by_name(const void *name, const void *elem)
{
	struct fr_obj *const *obj = elem;

	return strcmp(name, fr_obj_str(*obj, FLOWRING_A_RING_NAME));
}

/* What the texts of values need besides */
struct extra {
	struct fr_list rings;
	bool stats;
};

/* Add the capacity to the number of slots, and the share of all slots */
static void add_share(const struct fr_obj *obj, char *text, size_t size,
		      const struct fr_list *rings)
{
	struct fr_obj *const *ring;
	size_t len = strlen(text);
	uint64_t bits;
	double share;

	if (fr_obj_has(obj, FLOWRING_A_BACKEND_CAPACITY))
		len += snprintf(text + len, size - len, " of %" PRIu64,
				fr_obj_num(obj, FLOWRING_A_BACKEND_CAPACITY));
	if (!rings->n)
		return;
	ring = bsearch(fr_obj_str(obj, FLOWRING_A_BACKEND_RING), rings->v,
		       rings->n, sizeof(*rings->v), by_name);
	if (!ring)
		return;

	bits = fr_obj_num(*ring, FLOWRING_A_RING_BITS);
	if (bits > 32)
		return;
	share = fr_obj_num(obj, FLOWRING_A_BACKEND_SLOTS) * 100.0 /
		(1ULL << bits);
	snprintf(text + len, size - len, " (%.2f%%)", share);
}

/* What a backend still has is of interest when it is drained */
static void say_more(const struct fr_obj *obj, uint16_t attr, char *text,
		     size_t size, void *data)
{
	const struct extra *extra = data;

	if (obj->set != &fr_set_backend)
		return;
	if (attr == FLOWRING_A_BACKEND_SLOTS)
		add_share(obj, text, size, &extra->rings);
	else if (attr >= FLOWRING_A_BACKEND_REMEMBERED &&
		 attr <= FLOWRING_A_BACKEND_DONE_IN && !extra->stats &&
		 fr_obj_num(obj, FLOWRING_A_BACKEND_STATE) !=
		 FLOWRING_STATE_DRAIN)
		text[0] = '\0';
}

/* What a new backend cannot do without depends on its mode */
static int check_where(struct fr_ctx *ctx, struct fr_args *args,
		       const struct fr_msg *msg)
{
	uint16_t need = FLOWRING_A_BACKEND_ADDR;
	const struct nlattr *attr;
	bool there = false;

	mnl_attr_for_each(attr, (const void *)msg->buf, GENL_HDRLEN) {
		if (mnl_attr_get_type(attr) == FLOWRING_A_BACKEND_MODE &&
		    mnl_attr_get_u32(attr) == FLOWRING_MODE_MARK)
			need = FLOWRING_A_BACKEND_MARK;
	}
	mnl_attr_for_each(attr, (const void *)msg->buf, GENL_HDRLEN)
		there |= mnl_attr_get_type(attr) == need;
	return there ? FR_EXIT_OK :
		       fr_usage(ctx, args, "missing %s",
				fr_set_backend.attrs[need].name);
}

/**
 * fr_backend_opts() - Take the options of a backend for a request.
 * @ctx: The run.
 * @args: The words, up to their end.
 * @is_new: The backend is being added.
 * @msg: The request.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_backend_opts(struct fr_ctx *ctx, struct fr_args *args, bool is_new,
		    struct fr_msg *msg)
{
	if (is_new) {
		if (fr_arg_opts(ctx, args, add_options,
				FR_ARRAY_SIZE(add_options), msg))
			return FR_EXIT_LOCAL;
		return check_where(ctx, args, msg);
	}
	if (!fr_arg_peek(args))
		return fr_usage(ctx, args, "missing what to set");
	return fr_arg_opts(ctx, args, set_options, FR_ARRAY_SIZE(set_options),
			   msg);
}

/**
 * fr_backend_begin() - Begin a request about the backend that words name.
 * @ctx: The run.
 * @args: The words, from the name of the ring on.
 * @msg: The request.
 * @cmd: The command.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_backend_begin(struct fr_ctx *ctx, struct fr_args *args,
		     struct fr_msg *msg, uint8_t cmd)
{
	const char *ring, *name;

	fr_msg_init(msg, &fr_set_backend, cmd);
	if (fr_arg_name(ctx, args, "ring", msg, FLOWRING_A_BACKEND_RING,
			&ring) ||
	    fr_arg_name(ctx, args, "backend", msg, FLOWRING_A_BACKEND_NAME,
			&name))
		return FR_EXIT_LOCAL;
	fr_msg_what(msg, "backend %s %s", ring, name);
	return FR_EXIT_OK;
}

static int add(struct fr_ctx *ctx, struct fr_args *args)
{
	struct fr_msg msg;

	if (fr_backend_begin(ctx, args, &msg, FLOWRING_CMD_BACKEND_NEW) ||
	    fr_backend_opts(ctx, args, true, &msg))
		return FR_EXIT_LOCAL;
	return fr_nl_request(ctx, &msg, NULL);
}

static int set(struct fr_ctx *ctx, struct fr_args *args)
{
	struct fr_msg msg;

	if (fr_backend_begin(ctx, args, &msg, FLOWRING_CMD_BACKEND_SET) ||
	    fr_backend_opts(ctx, args, false, &msg))
		return FR_EXIT_LOCAL;
	return fr_nl_request(ctx, &msg, NULL);
}

static int del(struct fr_ctx *ctx, struct fr_args *args)
{
	const char *word;
	struct fr_msg msg;

	if (fr_backend_begin(ctx, args, &msg, FLOWRING_CMD_BACKEND_DEL))
		return FR_EXIT_LOCAL;
	word = fr_arg_peek(args);
	if (word && !strcmp(word, "force")) {
		mnl_attr_put(fr_msg_hdr(&msg), FLOWRING_A_BACKEND_FORCE, 0,
			     NULL);
		args->i++;
	}
	if (fr_arg_end(ctx, args))
		return FR_EXIT_LOCAL;
	return fr_nl_request(ctx, &msg, NULL);
}

/* Ask for what is shown, and for the progress too */
static int get(struct fr_ctx *ctx, struct fr_args args, struct fr_list *list,
	       bool progress, struct fr_msg *msg, struct fr_extack *ext)
{
	bool one = args.n - args.i >= 2;
	const char *ring;

	if (one) {
		if (fr_backend_begin(ctx, &args, msg, FLOWRING_CMD_BACKEND_GET))
			return FR_EXIT_LOCAL;
	} else {
		fr_msg_init(msg, &fr_set_backend, FLOWRING_CMD_BACKEND_GET);
		fr_msg_what(msg, "backend show");
		if (fr_arg_peek(&args)) {
			if (fr_arg_name(ctx, &args, "ring", msg,
					FLOWRING_A_BACKEND_RING, &ring))
				return FR_EXIT_LOCAL;
			fr_msg_what(msg, "ring %s", ring);
		}
	}
	if (fr_arg_end(ctx, &args))
		return FR_EXIT_LOCAL;
	if (ctx->dry)
		return FR_EXIT_OK;
	if (progress)
		mnl_attr_put(fr_msg_hdr(msg), FLOWRING_A_BACKEND_PROGRESS, 0,
			     NULL);
	return one ? fr_nl_ask(ctx, msg, list, ext) :
		     fr_nl_ask_all(ctx, msg, list, ext);
}

/* The progress is not for everybody; the rest is */
static int get_or_less(struct fr_ctx *ctx, struct fr_args *args,
		       struct fr_list *list)
{
	bool progress = ctx->stats || args->n - args->i >= 2;
	struct fr_extack ext = {};
	struct fr_msg msg;
	int ret;

	ret = get(ctx, *args, list, progress, &msg, &ext);
	if (!ret && progress && ext.error == EPERM) {
		fr_list_clear(list);
		ret = get(ctx, *args, list, false, &msg, &ext);
	}
	if (ret || ctx->dry)
		return ret;
	return fr_nl_verdict(ctx, &msg, &ext);
}

static int show(struct fr_ctx *ctx, struct fr_args *args)
{
	struct extra extra = { .stats = ctx->stats };
	struct fr_list list = {};
	struct fr_layout layout = {
		.head	= "backend",
		.fields	= fields,
		.n	= FR_ARRAY_SIZE(fields),
		.more	= say_more,
		.data	= &extra,
	};
	struct fr_msg msg;
	int ret;

	ret = get_or_less(ctx, args, &list);
	if (ret || ctx->dry)
		goto out;

	/* Only text has the share; a ring deleted meanwhile has none */
	if (!ctx->json && list.n) {
		fr_msg_init(&msg, &fr_set_ring, FLOWRING_CMD_RING_GET);
		fr_msg_what(&msg, "backend show");
		ret = fr_nl_dump(ctx, &msg, &extra.rings);
		if (ret)
			goto out;
		fr_list_sort(&extra.rings);
	}
	fr_list_sort(&list);
	ret = fr_print(ctx, &list, &layout);
out:
	fr_list_clear(&extra.rings);
	fr_list_clear(&list);
	return ret;
}

static const struct fr_cmd commands[] = {
	{ "show",	show },
	{ "add",	add },
	{ "set",	set },
	{ "del",	del },
	{ "drain",	fr_backend_drain },
};

/**
 * fr_backend() - The object backend.
 * @ctx: The run.
 * @args: The words after it.
 *
 * Return: Exit status.
 */
int fr_backend(struct fr_ctx *ctx, struct fr_args *args)
{
	return fr_dispatch(ctx, args, commands, FR_ARRAY_SIZE(commands), help);
}
