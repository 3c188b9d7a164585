// SPDX-License-Identifier: GPL-2.0
/* The object service. */

#include <string.h>

#include <linux/flowring.h>

#include "output.h"
#include "parse.h"

static const char help[] =
"Usage: flowring service add PROTO ADDR port N ring RING [owner TAG]\n"
"       flowring service set PROTO ADDR port N ring RING [owner TAG]\n"
"       flowring service del PROTO ADDR port N\n"
"       flowring service show [PROTO ADDR port N]\n"
"\n"
"PROTO   tcp | udp\n"
"ADDR    IPv4 or IPv6 address that clients connect to\n"
"port    the port that clients connect to, 1 to 65535\n"
"ring    the ring that serves it\n"
"owner   whose the service is, for apply; none is nobody\n"
"\n"
"set points a service to another ring: flows that conntrack knows stay where\n"
"they are.\n"
"With -s: counters.\n";

static const struct fr_opt options[] = {
	{ .key = "owner", .attr = FLOWRING_A_SERVICE_OWNER, .none = true },
};

#define FR_STAT(_sub, _line) {			\
	.attr	= FLOWRING_A_SERVICE_STATS,	\
	.sub	= FLOWRING_A_STATS_##_sub,	\
	.line	= _line,			\
	.stats	= true,				\
}

static const struct fr_field fields[] = {
	{ .attr = FLOWRING_A_SERVICE_PROTO, .label = "" },
	{ .attr = FLOWRING_A_SERVICE_ADDR, .label = "" },
	{ .attr = FLOWRING_A_SERVICE_PORT },
	{ .attr = FLOWRING_A_SERVICE_RING },
	{ .attr = FLOWRING_A_SERVICE_OWNER },
	FR_STAT(FLOWS, 1),
	FR_STAT(PACKETS, 1),
	FR_STAT(BYTES, 1),
	FR_STAT(NO_BACKEND, 2),
	FR_STAT(NO_MEMORY, 2),
	FR_STAT(INVALID, 2),
	FR_STAT(NO_ROUTE, 3),
	FR_STAT(NOT_ON_LINK, 3),
	FR_STAT(TTL_EXPIRED, 3),
	FR_STAT(TOO_BIG, 3),
};

static const struct fr_layout layout = {
	.head	= "service",
	.fields	= fields,
	.n	= FR_ARRAY_SIZE(fields),
};

static int keyword(struct fr_ctx *ctx, struct fr_args *args, const char *key)
{
	const char *word = fr_arg_next(ctx, args, key);

	if (!word)
		return FR_EXIT_LOCAL;
	if (strcmp(word, key))
		return fr_usage(ctx, args, "'%s' instead of %s", word, key);
	return FR_EXIT_OK;
}

static int begin(struct fr_ctx *ctx, struct fr_args *args, struct fr_msg *msg,
		 uint8_t cmd)
{
	const char *proto, *addr, *port;

	fr_msg_init(msg, &fr_set_service, cmd);
	if (fr_arg_proto(ctx, args, msg, FLOWRING_A_SERVICE_PROTO, &proto) ||
	    fr_arg_addr(ctx, args, "address", msg, FLOWRING_A_SERVICE_ADDR,
			&addr) ||
	    keyword(ctx, args, "port") ||
	    fr_arg_u32(ctx, args, "port", 1, UINT16_MAX, msg,
		       FLOWRING_A_SERVICE_PORT, &port))
		return FR_EXIT_LOCAL;
	fr_msg_what(msg, "service %s %s port %s", proto, addr, port);
	return FR_EXIT_OK;
}

static int add_or_set(struct fr_ctx *ctx, struct fr_args *args, uint8_t cmd)
{
	const char *ring;
	struct fr_msg msg;

	if (begin(ctx, args, &msg, cmd) ||
	    keyword(ctx, args, "ring") ||
	    fr_arg_name(ctx, args, "ring", &msg, FLOWRING_A_SERVICE_RING,
			&ring) ||
	    fr_arg_opts(ctx, args, options, FR_ARRAY_SIZE(options), &msg) ||
	    fr_arg_end(ctx, args))
		return FR_EXIT_LOCAL;
	return fr_nl_request(ctx, &msg, NULL);
}

static int add(struct fr_ctx *ctx, struct fr_args *args)
{
	return add_or_set(ctx, args, FLOWRING_CMD_SERVICE_NEW);
}

static int set(struct fr_ctx *ctx, struct fr_args *args)
{
	return add_or_set(ctx, args, FLOWRING_CMD_SERVICE_SET);
}

static int del(struct fr_ctx *ctx, struct fr_args *args)
{
	struct fr_msg msg;

	if (begin(ctx, args, &msg, FLOWRING_CMD_SERVICE_DEL) ||
	    fr_arg_end(ctx, args))
		return FR_EXIT_LOCAL;
	return fr_nl_request(ctx, &msg, NULL);
}

static int show(struct fr_ctx *ctx, struct fr_args *args)
{
	struct fr_list list = {};
	struct fr_msg msg;
	int ret;

	if (fr_arg_peek(args)) {
		if (begin(ctx, args, &msg, FLOWRING_CMD_SERVICE_GET) ||
		    fr_arg_end(ctx, args))
			return FR_EXIT_LOCAL;
		ret = fr_nl_request(ctx, &msg, &list);
	} else {
		fr_msg_init(&msg, &fr_set_service, FLOWRING_CMD_SERVICE_GET);
		fr_msg_what(&msg, "service show");
		ret = fr_nl_dump(ctx, &msg, &list);
	}

	if (!ret && !ctx->dry) {
		fr_list_sort(&list);
		ret = fr_print(ctx, &list, &layout);
	}
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
 * fr_service() - The object service.
 * @ctx: The run.
 * @args: The words after it.
 *
 * Return: Exit status.
 */
int fr_service(struct fr_ctx *ctx, struct fr_args *args)
{
	return fr_dispatch(ctx, args, commands, FR_ARRAY_SIZE(commands), help);
}
