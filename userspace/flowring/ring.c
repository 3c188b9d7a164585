// SPDX-License-Identifier: GPL-2.0
/* The object ring. */

#include <string.h>

#include <linux/flowring.h>

#include "output.h"
#include "parse.h"

static const char help[] =
"Usage: flowring ring add NAME [OPTION]...\n"
"       flowring ring set NAME OPTION...\n"
"       flowring ring del NAME\n"
"       flowring ring show [NAME]\n"
"\n"
"OPTION  bits N                        slot table of 2^N slots, 8 to 20\n"
"        vnodes N                      tokens of a backend of weight 100,\n"
"                                      1 to 65536\n"
"        key HEX                       hash key, 32 hexadecimal digits\n"
"        key file PATH                 the same, from a file\n"
"        no-backend reject|drop|pass   what happens to a new flow when no\n"
"                                      backend is usable\n"
"        masquerade on|off             also translate the source address\n"
"\n"
"A ring that is added without a key gets a random one.\n"
"Deleting a ring deletes its backends; no service may point to it.\n";

static const struct fr_opt options[] = {
	{ .key = "bits", .attr = FLOWRING_A_RING_BITS, .max = UINT32_MAX },
	{ .key = "vnodes", .attr = FLOWRING_A_RING_VNODES,
	  .max = UINT32_MAX },
	{ .key = "key", .attr = FLOWRING_A_RING_KEY },
	{ .key = "no-backend", .attr = FLOWRING_A_RING_NO_BACKEND },
	{ .key = "masquerade", .attr = FLOWRING_A_RING_MASQUERADE },
};

static const struct fr_field fields[] = {
	{ .attr = FLOWRING_A_RING_NAME, .label = "" },
	{ .attr = FLOWRING_A_RING_BITS, .line = 1 },
	{ .attr = FLOWRING_A_RING_VNODES, .line = 1 },
	{ .attr = FLOWRING_A_RING_NO_BACKEND, .line = 1 },
	{ .attr = FLOWRING_A_RING_MASQUERADE, .line = 1 },
	{ .attr = FLOWRING_A_RING_EPOCH, .line = 2 },
	{ .attr = FLOWRING_A_RING_BACKENDS, .line = 2 },
	{ .attr = FLOWRING_A_RING_USABLE, .line = 2 },
	{ .attr = FLOWRING_A_RING_TOKENS, .line = 2 },
	{ .attr = FLOWRING_A_RING_SERVICES, .line = 2 },
	{ .attr = FLOWRING_A_RING_KEY, .line = 3 },
};

static const struct fr_layout layout = {
	.head	= "ring",
	.fields	= fields,
	.n	= FR_ARRAY_SIZE(fields),
};

static int begin(struct fr_ctx *ctx, struct fr_args *args, struct fr_msg *msg,
		 uint8_t cmd)
{
	const char *name;

	fr_msg_init(msg, &fr_set_ring, cmd);
	if (fr_arg_name(ctx, args, "ring", msg, FLOWRING_A_RING_NAME, &name))
		return FR_EXIT_LOCAL;
	fr_msg_what(msg, "ring %s", name);
	return FR_EXIT_OK;
}

static int add_or_set(struct fr_ctx *ctx, struct fr_args *args, uint8_t cmd)
{
	struct fr_msg msg;

	if (begin(ctx, args, &msg, cmd))
		return FR_EXIT_LOCAL;
	if (cmd == FLOWRING_CMD_RING_SET && !fr_arg_peek(args))
		return fr_usage(ctx, args, "missing what to set");
	if (fr_arg_opts(ctx, args, options, FR_ARRAY_SIZE(options), &msg))
		return FR_EXIT_LOCAL;
	return fr_nl_request(ctx, &msg, NULL);
}

static int add(struct fr_ctx *ctx, struct fr_args *args)
{
	return add_or_set(ctx, args, FLOWRING_CMD_RING_NEW);
}

static int set(struct fr_ctx *ctx, struct fr_args *args)
{
	return add_or_set(ctx, args, FLOWRING_CMD_RING_SET);
}

static int del(struct fr_ctx *ctx, struct fr_args *args)
{
	struct fr_msg msg;

	if (begin(ctx, args, &msg, FLOWRING_CMD_RING_DEL) ||
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
		if (begin(ctx, args, &msg, FLOWRING_CMD_RING_GET) ||
		    fr_arg_end(ctx, args))
			return FR_EXIT_LOCAL;
		ret = fr_nl_request(ctx, &msg, &list);
	} else {
		fr_msg_init(&msg, &fr_set_ring, FLOWRING_CMD_RING_GET);
		fr_msg_what(&msg, "ring show");
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
 * fr_ring() - The object ring.
 * @ctx: The run.
 * @args: The words after it.
 *
 * Return: Exit status.
 */
int fr_ring(struct fr_ctx *ctx, struct fr_args *args)
{
	return fr_dispatch(ctx, args, commands, FR_ARRAY_SIZE(commands), help);
}
