// SPDX-License-Identifier: GPL-2.0
/* The object pins. */

#include <string.h>

#include <linux/flowring.h>

#include "output.h"
#include "parse.h"

static const char help[] =
"Usage: flowring pins show\n"
"       flowring pins set size N\n"
"\n"
"Pins are flows of stateless rings whose backend is remembered. They are only\n"
"made in windows, in one table for all rings of the network namespace.\n"
"\n"
"size    room for so many pins, a power of two from 1024 to 16777216; counts\n"
"        when the table is made next, as the first window opens\n";

static const struct fr_opt options[] = {
	{ .key = "size", .attr = FLOWRING_A_PINS_SIZE, .must = true,
	  .min = FLOWRING_MIN_PINS, .max = FLOWRING_MAX_PINS },
};

static const struct fr_field fields[] = {
	{ .attr = FLOWRING_A_PINS_SIZE },
	{ .attr = FLOWRING_A_PINS_PRESENT_SIZE },
	{ .attr = FLOWRING_A_PINS_USED },
	{ .attr = FLOWRING_A_PINS_MEMORY },
	{ .attr = FLOWRING_A_PINS_WINDOWS },
};

/* Add how full the table is */
static void add_fill(const struct fr_obj *obj, uint16_t attr, char *text,
		     size_t size, void *data)
{
	uint64_t room = fr_obj_num(obj, FLOWRING_A_PINS_PRESENT_SIZE);
	size_t len = strlen(text);

	(void)data;
	if (attr == FLOWRING_A_PINS_USED && room)
		snprintf(text + len, size - len, " (%.2f%%)",
			 fr_obj_num(obj, attr) * 100.0 / room);
}

static const struct fr_layout layout = {
	.head	= "pins",
	.fields	= fields,
	.n	= FR_ARRAY_SIZE(fields),
	.more	= add_fill,
};

static int show(struct fr_ctx *ctx, struct fr_args *args)
{
	struct fr_list list = {};
	struct fr_msg msg;
	int ret;

	if (fr_arg_end(ctx, args))
		return FR_EXIT_LOCAL;
	fr_msg_init(&msg, &fr_set_pins, FLOWRING_CMD_PINS_GET);
	fr_msg_what(&msg, "pins");
	ret = fr_nl_request(ctx, &msg, &list);
	if (!ret && !ctx->dry)
		ret = fr_print(ctx, &list, &layout);
	fr_list_clear(&list);
	return ret;
}

static int set(struct fr_ctx *ctx, struct fr_args *args)
{
	struct fr_msg msg;

	fr_msg_init(&msg, &fr_set_pins, FLOWRING_CMD_PINS_SET);
	fr_msg_what(&msg, "pins");
	if (fr_arg_opts(ctx, args, options, FR_ARRAY_SIZE(options), &msg))
		return FR_EXIT_LOCAL;
	return fr_nl_request(ctx, &msg, NULL);
}

static const struct fr_cmd commands[] = {
	{ "show",	show },
	{ "set",	set },
};

/**
 * fr_pins() - The object pins.
 * @ctx: The run.
 * @args: The words after it.
 *
 * Return: Exit status.
 */
int fr_pins(struct fr_ctx *ctx, struct fr_args *args)
{
	return fr_dispatch(ctx, args, commands, FR_ARRAY_SIZE(commands), help);
}
