// SPDX-License-Identifier: GPL-2.0
/* The object ring. */

#include <string.h>

#include <linux/flowring.h>

#include "commit.h"
#include "draw.h"
#include "output.h"
#include "parse.h"
#include "window.h"

static const char help[] =
"Usage: flowring ring add NAME [OPTION]...\n"
"       flowring ring set NAME OPTION...\n"
"       flowring ring del NAME\n"
"       flowring ring show [NAME]\n"
"       flowring ring commit NAME [create] [COND]... [CHANGE]\n"
"       flowring ring draw NAME [--offline FILE]\n"
"       flowring ring freeze NAME\n"
"       flowring ring unfreeze NAME\n"
"\n"
"OPTION  bits N                        slot table of 2^N slots, 8 to 20\n"
"        vnodes N                      tokens of a backend of weight 100,\n"
"                                      1 to 65536\n"
"        key HEX                       hash key, 32 hexadecimal digits\n"
"        key file PATH                 the same, from a file\n"
"        imbalance N|off               percent of slots that a backend may have\n"
"                                      above its weighted share, 1 to 100\n"
"        owner TAG|none                whose the ring is, for apply\n"
"        no-backend reject|drop|pass   what happens to a new flow when no\n"
"                                      backend is usable\n"
"        masquerade on|off             also translate the source address\n"
"        window SECONDS|off            how long after a change slots remember\n"
"                                      their owners, up to 86400\n"
"        pin-idle SECONDS              when a remembered flow that is quiet is\n"
"                                      forgotten, 1 to 86400\n"
"        udp stick|move                where flows without a beginning go in a\n"
"                                      window: where they went, or to the new\n"
"                                      owner\n"
"\n"
"COND    expect EPOCH                  only when the ring is at that epoch\n"
"        epoch EPOCH                   the epoch that it then gets\n"
"        max-move SLOTS|P%             refuse to move more slots\n"
"        max-share P%                  refuse to raise a backend's share above\n"
"        dry-run                       say what it would do, and do not\n"
"CHANGE  backend add BACKEND addr ADDR [OPTION]...\n"
"        backend set BACKEND OPTION...\n"
"        backend del BACKEND\n"
"        ring set OPTION...\n"
"\n"
"commit makes all changes at once or none of them. Without a CHANGE they are\n"
"read from standard input, one a line. With create, it makes the ring when there\n"
"is none. With -s or -j it prints what each backend gains and loses.\n"
"draw prints a picture of the ring as SVG; with --offline, of one in a document of\n"
"flowring apply.\n"
"freeze refuses changes of the ring and its backends until unfreeze.\n"
"\n"
"A ring that is added without a key gets a random one.\n"
"Deleting a ring deletes its backends; no service may point to it.\n"
"With -s: counters of its window.\n";

static const struct fr_opt options[] = {
	{ .key = "bits", .attr = FLOWRING_A_RING_BITS, .max = UINT32_MAX },
	{ .key = "vnodes", .attr = FLOWRING_A_RING_VNODES,
	  .max = UINT32_MAX },
	{ .key = "key", .attr = FLOWRING_A_RING_KEY },
	{ .key = "imbalance", .attr = FLOWRING_A_RING_IMBALANCE,
	  .min = 1, .max = FLOWRING_MAX_IMBALANCE },
	{ .key = "owner", .attr = FLOWRING_A_RING_OWNER, .none = true },
	{ .key = "no-backend", .attr = FLOWRING_A_RING_NO_BACKEND },
	{ .key = "masquerade", .attr = FLOWRING_A_RING_MASQUERADE },
	{ .key = "window", .attr = FLOWRING_A_RING_WINDOW,
	  .min = 1, .max = FLOWRING_MAX_SECONDS },
	{ .key = "pin-idle", .attr = FLOWRING_A_RING_PIN_IDLE,
	  .min = 1, .max = FLOWRING_MAX_SECONDS },
	{ .key = "udp", .attr = FLOWRING_A_RING_UDP },
};

static const struct fr_field fields[] = {
	{ .attr = FLOWRING_A_RING_NAME, .label = "" },
	{ .attr = FLOWRING_A_RING_FROZEN, .label = "" },
	{ .attr = FLOWRING_A_RING_BITS, .line = 1 },
	{ .attr = FLOWRING_A_RING_VNODES, .line = 1 },
	{ .attr = FLOWRING_A_RING_IMBALANCE, .line = 1 },
	{ .attr = FLOWRING_A_RING_NO_BACKEND, .line = 1 },
	{ .attr = FLOWRING_A_RING_MASQUERADE, .line = 1 },
	{ .attr = FLOWRING_A_RING_OWNER, .line = 1 },
	{ .attr = FLOWRING_A_RING_WINDOW, .line = 2 },
	{ .attr = FLOWRING_A_RING_PIN_IDLE, .line = 2 },
	{ .attr = FLOWRING_A_RING_UDP, .line = 2 },
	{ .attr = FLOWRING_A_RING_EPOCH, .line = 3 },
	{ .attr = FLOWRING_A_RING_BACKENDS, .line = 3 },
	{ .attr = FLOWRING_A_RING_USABLE, .line = 3 },
	{ .attr = FLOWRING_A_RING_TOKENS, .line = 3 },
	{ .attr = FLOWRING_A_RING_SERVICES, .line = 3 },
	{ .attr = FLOWRING_A_RING_WINDOW_INFO, .sub = FLOWRING_A_WINDOW_STATE,
	  .line = 4, .label = "window" },
	FR_WINDOW_INFO(CLOSES_IN, 4),
	FR_WINDOW_INFO(SLOTS, 4),
	FR_WINDOW_INFO(PINS, 4),
	{ .attr = FLOWRING_A_RING_FINGERPRINT, .line = 5 },
	{ .attr = FLOWRING_A_RING_KEY, .line = 6 },
	FR_WINDOW_STAT(PRESENT, 7),
	FR_WINDOW_STAT(PIN, 7),
	FR_WINDOW_STAT(REMEMBERED, 7),
	FR_WINDOW_STAT(BEGUN, 8),
	FR_WINDOW_STAT(ADOPTED, 8),
	FR_WINDOW_STAT(RESTARTED, 8),
	FR_WINDOW_STAT(EVICTED, 8),
	FR_WINDOW_STAT(FULL, 9),
	FR_WINDOW_STAT(ORPHAN, 9),
	FR_WINDOW_STAT(IDLE, 9),
	FR_WINDOW_STAT(FORGOTTEN, 9),
};

/* A ring that is not frozen, and a window that is steady, are not worth a word
 */
static void hide_usual(const struct fr_obj *obj, uint16_t attr, char *text,
		       size_t size, void *data)
{
	if (obj->set == &fr_set_ring && attr == FLOWRING_A_RING_FROZEN)
		snprintf(text, size, "%s",
			 fr_obj_num(obj, attr) ? "frozen" : "");
	else if (obj->set == &fr_set_window &&
		 fr_obj_num(obj, FLOWRING_A_WINDOW_STATE) ==
		 FLOWRING_WINDOW_STATE_STEADY)
		text[0] = '\0';
	else
		fr_window_more(obj, attr, text, size, data);
}

static const struct fr_layout layout = {
	.head	= "ring",
	.fields	= fields,
	.n	= FR_ARRAY_SIZE(fields),
	.more	= hide_usual,
};

/**
 * fr_ring_opts() - Take the options of a ring for a request.
 * @ctx: The run.
 * @args: The words, up to their end.
 * @msg: The request.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_ring_opts(struct fr_ctx *ctx, struct fr_args *args, struct fr_msg *msg)
{
	return fr_arg_opts(ctx, args, options, FR_ARRAY_SIZE(options), msg);
}

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
	if (fr_ring_opts(ctx, args, &msg))
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

static int set_frozen(struct fr_ctx *ctx, struct fr_args *args, uint32_t frozen)
{
	struct fr_msg msg;

	if (begin(ctx, args, &msg, FLOWRING_CMD_RING_FREEZE) ||
	    fr_arg_end(ctx, args))
		return FR_EXIT_LOCAL;
	mnl_attr_put_u32(fr_msg_hdr(&msg), FLOWRING_A_RING_FROZEN, frozen);
	return fr_nl_request(ctx, &msg, NULL);
}

static int freeze(struct fr_ctx *ctx, struct fr_args *args)
{
	return set_frozen(ctx, args, FLOWRING_SWITCH_ON);
}

static int unfreeze(struct fr_ctx *ctx, struct fr_args *args)
{
	return set_frozen(ctx, args, FLOWRING_SWITCH_OFF);
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

static int commit(struct fr_ctx *ctx, struct fr_args *args)
{
	return fr_commit_run(ctx, args, false);
}

static const struct fr_cmd commands[] = {
	{ "show",	show },
	{ "add",	add },
	{ "set",	set },
	{ "del",	del },
	{ "commit",	commit },
	{ "draw",	fr_ring_draw },
	{ "freeze",	freeze },
	{ "unfreeze",	unfreeze },
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
