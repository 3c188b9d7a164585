// SPDX-License-Identifier: GPL-2.0
/* The object window. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>

#include "output.h"
#include "parse.h"
#include "window.h"

static const char help[] =
"Usage: flowring window show [RING]\n"
"       flowring window close RING\n"
"\n"
"A change of a ring whose backends are stateless (dr) opens its window: slots that\n"
"get another owner remember the one that they had, and the connections that it\n"
"has stay with it.\n"
"\n"
"show    states: open, while owners are remembered; closing, while there are\n"
"        pinned flows only; steady. closes-in is the time until an open window\n"
"        closes when nothing changes; slots are those that remember an owner\n"
"close   forget the owners now, as if the time were over; pinned flows stay\n"
"\n"
"With -s: why packets went where they did, and what became of connections.\n";

static const struct fr_field fields[] = {
	{ .attr = FLOWRING_A_RING_NAME, .label = "" },
	{ .attr = FLOWRING_A_RING_WINDOW_INFO, .sub = FLOWRING_A_WINDOW_STATE,
	  .label = "" },
	FR_WINDOW_INFO(CLOSES_IN, 0),
	FR_WINDOW_INFO(SLOTS, 0),
	FR_WINDOW_INFO(PINS, 0),
	FR_WINDOW_INFO(MEMORY, 0),
	FR_WINDOW_STAT(PRESENT, 1),
	FR_WINDOW_STAT(PIN, 1),
	FR_WINDOW_STAT(REMEMBERED, 1),
	FR_WINDOW_STAT(BEGUN, 2),
	FR_WINDOW_STAT(ADOPTED, 2),
	FR_WINDOW_STAT(RESTARTED, 2),
	FR_WINDOW_STAT(EVICTED, 2),
	FR_WINDOW_STAT(FULL, 3),
	FR_WINDOW_STAT(ORPHAN, 3),
	FR_WINDOW_STAT(IDLE, 3),
	FR_WINDOW_STAT(FORGOTTEN, 3),
};

static const struct fr_layout layout = {
	.head	= "window",
	.fields	= fields,
	.n	= FR_ARRAY_SIZE(fields),
	.more	= fr_window_more,
};

/**
 * fr_window_more() - Add the number of all slots to that of those which
 *	remember an owner.
 * @obj: What the attribute is in.
 * @attr: The attribute.
 * @text: Its text.
 * @size: Room in @text.
 * @data: Not used.
 */
void fr_window_more(const struct fr_obj *obj, uint16_t attr, char *text,
		    size_t size, void *data)
{
	size_t len = strlen(text);

	(void)data;
	if (obj->set == &fr_set_window && attr == FLOWRING_A_WINDOW_SLOTS)
		snprintf(text + len, size - len, "/%" PRIu64,
			 fr_obj_num(obj, FLOWRING_A_WINDOW_TOTAL));
}

static int begin(struct fr_ctx *ctx, struct fr_args *args, struct fr_msg *msg,
		 uint8_t cmd)
{
	const char *name;

	fr_msg_init(msg, &fr_set_ring, cmd);
	if (fr_arg_name(ctx, args, "ring", msg, FLOWRING_A_RING_NAME, &name) ||
	    fr_arg_end(ctx, args))
		return FR_EXIT_LOCAL;
	fr_msg_what(msg, "ring %s", name);
	return FR_EXIT_OK;
}

/* Leave rings out that have no window, and all that is not of it */
static void narrow(struct fr_list *list)
{
	struct fr_obj *obj;
	size_t i, n = 0;
	uint16_t type;

	for (i = 0; i < list->n; i++) {
		obj = list->v[i];
		if (!fr_obj_has(obj, FLOWRING_A_RING_WINDOW_INFO)) {
			free(obj);
			continue;
		}
		for (type = 1; type <= FLOWRING_A_RING_MAX; type++) {
			if (type != FLOWRING_A_RING_NAME &&
			    type != FLOWRING_A_RING_EPOCH &&
			    type != FLOWRING_A_RING_WINDOW_INFO &&
			    type != FLOWRING_A_RING_WINDOW_STATS)
				obj->off[type] = 0;
		}
		list->v[n++] = obj;
	}
	list->n = n;
}

static int show(struct fr_ctx *ctx, struct fr_args *args)
{
	bool one = fr_arg_peek(args);
	struct fr_list list = {};
	struct fr_msg msg;
	int ret;

	if (one) {
		if (begin(ctx, args, &msg, FLOWRING_CMD_RING_GET))
			return FR_EXIT_LOCAL;
		ret = fr_nl_request(ctx, &msg, &list);
	} else {
		fr_msg_init(&msg, &fr_set_ring, FLOWRING_CMD_RING_GET);
		fr_msg_what(&msg, "window show");
		ret = fr_nl_dump(ctx, &msg, &list);
	}
	if (!ret && !ctx->dry) {
		narrow(&list);
		fr_list_sort(&list);
		if (one && !list.n)
			ret = fr_error(ctx, "%s: has no window: its backends are not of a stateless mode",
				       msg.what);
		else
			ret = fr_print(ctx, &list, &layout);
	}
	fr_list_clear(&list);
	return ret;
}

static int do_close(struct fr_ctx *ctx, struct fr_args *args)
{
	struct fr_msg msg;

	if (begin(ctx, args, &msg, FLOWRING_CMD_WINDOW_CLOSE))
		return FR_EXIT_LOCAL;
	return fr_nl_request(ctx, &msg, NULL);
}

static const struct fr_cmd commands[] = {
	{ "show",	show },
	{ "close",	do_close },
};

/**
 * fr_window() - The object window.
 * @ctx: The run.
 * @args: The words after it.
 *
 * Return: Exit status.
 */
int fr_window(struct fr_ctx *ctx, struct fr_args *args)
{
	return fr_dispatch(ctx, args, commands, FR_ARRAY_SIZE(commands), help);
}
