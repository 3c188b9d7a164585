// SPDX-License-Identifier: GPL-2.0
/* The object backend. */

#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>

#include "output.h"
#include "parse.h"

static const char help[] =
"Usage: flowring backend add RING NAME addr ADDR [OPTION]...\n"
"       flowring backend set RING NAME OPTION...\n"
"       flowring backend del RING NAME\n"
"       flowring backend show [RING [NAME]]\n"
"\n"
"OPTION  addr ADDR             IPv4 or IPv6 address\n"
"        port N                port that nat translates to, 1 to 65535;\n"
"                              the service's own when it is not given\n"
"        weight N              share of the ring, 0 to 10000; 100 is one part\n"
"        mode nat|dr           how packets travel to it; only for add\n"
"        state up|drain|down   up gets new flows; drain keeps those it has;\n"
"                              down loses them too\n"
"\n"
"A backend's place on the ring comes from its name alone.\n"
"With -s: counters.\n";

static const struct fr_opt add_options[] = {
	{ .key = "addr", .attr = FLOWRING_A_BACKEND_ADDR, .must = true },
	{ .key = "port", .attr = FLOWRING_A_BACKEND_PORT,
	  .min = 1, .max = UINT16_MAX },
	{ .key = "weight", .attr = FLOWRING_A_BACKEND_WEIGHT, .max = 10000 },
	{ .key = "state", .attr = FLOWRING_A_BACKEND_STATE },
	{ .key = "mode", .attr = FLOWRING_A_BACKEND_MODE },
};

static const struct fr_opt set_options[] = {
	{ .key = "addr", .attr = FLOWRING_A_BACKEND_ADDR },
	{ .key = "port", .attr = FLOWRING_A_BACKEND_PORT,
	  .min = 1, .max = UINT16_MAX },
	{ .key = "weight", .attr = FLOWRING_A_BACKEND_WEIGHT, .max = 10000 },
	{ .key = "state", .attr = FLOWRING_A_BACKEND_STATE },
};

#define FR_STAT(_sub, _line) {			\
	.attr	= FLOWRING_A_BACKEND_STATS,	\
	.sub	= FLOWRING_A_STATS_##_sub,	\
	.line	= _line,			\
}

static const struct fr_field fields[] = {
	{ .attr = FLOWRING_A_BACKEND_RING, .label = "" },
	{ .attr = FLOWRING_A_BACKEND_NAME, .label = "" },
	{ .attr = FLOWRING_A_BACKEND_ADDR, .line = 1 },
	{ .attr = FLOWRING_A_BACKEND_PORT, .line = 1 },
	{ .attr = FLOWRING_A_BACKEND_WEIGHT, .line = 1 },
	{ .attr = FLOWRING_A_BACKEND_MODE, .line = 1 },
	{ .attr = FLOWRING_A_BACKEND_STATE, .line = 1 },
	{ .attr = FLOWRING_A_BACKEND_TOKENS, .line = 2 },
	{ .attr = FLOWRING_A_BACKEND_SLOTS, .line = 2 },
	FR_STAT(FLOWS, 3),
	FR_STAT(PACKETS, 3),
	FR_STAT(BYTES, 3),
	FR_STAT(NO_BACKEND, 4),
	FR_STAT(NO_MEMORY, 4),
	FR_STAT(INVALID, 4),
	FR_STAT(NO_ROUTE, 5),
	FR_STAT(NOT_ON_LINK, 5),
	FR_STAT(TTL_EXPIRED, 5),
};

static int by_name(const void *name, const void *elem)
{
	struct fr_obj *const *obj = elem;

	return strcmp(name, fr_obj_str(*obj, FLOWRING_A_RING_NAME));
}

/* Add the share of all slots to the number of slots */
static void add_share(const struct fr_obj *obj, uint16_t attr, char *text,
		      size_t size, void *data)
{
	const struct fr_list *rings = data;
	struct fr_obj *const *ring;
	size_t len = strlen(text);
	uint64_t bits;
	double share;

	if (attr != FLOWRING_A_BACKEND_SLOTS || !rings->n)
		return;
	ring = bsearch(fr_obj_str(obj, FLOWRING_A_BACKEND_RING), rings->v,
		       rings->n, sizeof(*rings->v), by_name);
	if (!ring)
		return;

	bits = fr_obj_num(*ring, FLOWRING_A_RING_BITS);
	if (bits > 32)
		return;
	share = fr_obj_num(obj, attr) * 100.0 / (1ULL << bits);
	snprintf(text + len, size - len, " (%.2f%%)", share);
}

static int begin(struct fr_ctx *ctx, struct fr_args *args, struct fr_msg *msg,
		 uint8_t cmd)
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

	if (begin(ctx, args, &msg, FLOWRING_CMD_BACKEND_NEW) ||
	    fr_arg_opts(ctx, args, add_options, FR_ARRAY_SIZE(add_options),
			&msg))
		return FR_EXIT_LOCAL;
	return fr_nl_request(ctx, &msg, NULL);
}

static int set(struct fr_ctx *ctx, struct fr_args *args)
{
	struct fr_msg msg;

	if (begin(ctx, args, &msg, FLOWRING_CMD_BACKEND_SET))
		return FR_EXIT_LOCAL;
	if (!fr_arg_peek(args))
		return fr_usage(ctx, args, "missing what to set");
	if (fr_arg_opts(ctx, args, set_options, FR_ARRAY_SIZE(set_options),
			&msg))
		return FR_EXIT_LOCAL;
	return fr_nl_request(ctx, &msg, NULL);
}

static int del(struct fr_ctx *ctx, struct fr_args *args)
{
	struct fr_msg msg;

	if (begin(ctx, args, &msg, FLOWRING_CMD_BACKEND_DEL) ||
	    fr_arg_end(ctx, args))
		return FR_EXIT_LOCAL;
	return fr_nl_request(ctx, &msg, NULL);
}

static int get(struct fr_ctx *ctx, struct fr_args *args, struct fr_list *list)
{
	const char *ring;
	struct fr_msg msg;

	if (args->n - args->i >= 2) {
		if (begin(ctx, args, &msg, FLOWRING_CMD_BACKEND_GET) ||
		    fr_arg_end(ctx, args))
			return FR_EXIT_LOCAL;
		return fr_nl_request(ctx, &msg, list);
	}

	fr_msg_init(&msg, &fr_set_backend, FLOWRING_CMD_BACKEND_GET);
	fr_msg_what(&msg, "backend show");
	if (fr_arg_peek(args)) {
		if (fr_arg_name(ctx, args, "ring", &msg,
				FLOWRING_A_BACKEND_RING, &ring))
			return FR_EXIT_LOCAL;
		fr_msg_what(&msg, "ring %s", ring);
	}
	return fr_nl_dump(ctx, &msg, list);
}

static int show(struct fr_ctx *ctx, struct fr_args *args)
{
	struct fr_list rings = {}, list = {};
	struct fr_layout layout = {
		.head	= "backend",
		.fields	= fields,
		.n	= FR_ARRAY_SIZE(fields),
		.more	= add_share,
		.data	= &rings,
	};
	struct fr_msg msg;
	int ret;

	ret = get(ctx, args, &list);
	if (ret || ctx->dry)
		goto out;

	/* Only text has the share; a ring deleted meanwhile has none */
	if (!ctx->json && list.n) {
		fr_msg_init(&msg, &fr_set_ring, FLOWRING_CMD_RING_GET);
		fr_msg_what(&msg, "backend show");
		ret = fr_nl_dump(ctx, &msg, &rings);
		if (ret)
			goto out;
		fr_list_sort(&rings);
	}
	fr_list_sort(&list);
	ret = fr_print(ctx, &list, &layout);
out:
	fr_list_clear(&rings);
	fr_list_clear(&list);
	return ret;
}

static const struct fr_cmd commands[] = {
	{ "show",	show },
	{ "add",	add },
	{ "set",	set },
	{ "del",	del },
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
