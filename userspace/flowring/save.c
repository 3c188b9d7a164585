// SPDX-License-Identifier: GPL-2.0
/* The object save. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>

#include "output.h"
#include "parse.h"

/* Tries at a configuration that changes while it is read */
#define FR_SAVE_TRIES	10

static const char help[] =
"Usage: flowring save [> FILE]\n"
"\n"
"Prints the commands that make the present configuration: rings with their\n"
"keys, backends, services, each sorted. flowring restore FILE and flowring -b\n"
"FILE run them. Needs CAP_NET_ADMIN, as the keys are part of it.\n";

static int check_names(struct fr_ctx *ctx, const struct fr_obj *obj,
		       uint16_t type)
{
	const char *fault = fr_name_fault(fr_obj_str(obj, type));
	char safe[FR_TEXT_SIZE];

	if (!fault)
		return FR_EXIT_OK;
	fr_obj_text(obj, type, safe, sizeof(safe));
	return fr_error(ctx, "save: %s %s: %s", obj->set->name, safe, fault);
}

static int save_obj(struct fr_ctx *ctx, FILE *out, const struct fr_obj *obj)
{
	int ret = FR_EXIT_OK;

	if (obj->set == &fr_set_ring) {
		ret = check_names(ctx, obj, FLOWRING_A_RING_NAME);
		if (!ret && !fr_obj_has(obj, FLOWRING_A_RING_KEY)) {
			fr_error(ctx, "save: ring %s: the kernel does not show its key: needs CAP_NET_ADMIN in the initial user namespace",
				 fr_obj_str(obj, FLOWRING_A_RING_NAME));
			ret = FR_EXIT_KERNEL;
		}
	} else if (obj->set == &fr_set_backend) {
		ret = check_names(ctx, obj, FLOWRING_A_BACKEND_NAME);
	}
	if (ret)
		return ret;

	fr_print_command(out, obj, "add");
	fputc('\n', out);
	return FR_EXIT_OK;
}

static int save_kind(struct fr_ctx *ctx, FILE *out, const struct fr_set *set,
		     uint8_t cmd)
{
	struct fr_list list = {};
	struct fr_msg msg;
	size_t i;
	int ret;

	fr_msg_init(&msg, set, cmd);
	fr_msg_what(&msg, "save");
	ret = fr_nl_dump(ctx, &msg, &list);
	fr_list_sort(&list);
	for (i = 0; !ret && i < list.n; i++)
		ret = save_obj(ctx, out, list.v[i]);
	fr_list_clear(&list);
	return ret;
}

/* Return: exit status; text is to be freed */
static int save_all(struct fr_ctx *ctx, char **text)
{
	size_t size;
	FILE *out;
	int ret;

	*text = NULL;
	out = open_memstream(text, &size);
	if (!out)
		return fr_error(ctx, "save: %s", strerror(errno));

	ret = save_kind(ctx, out, &fr_set_ring, FLOWRING_CMD_RING_GET);
	if (!ret)
		ret = save_kind(ctx, out, &fr_set_backend,
				FLOWRING_CMD_BACKEND_GET);
	if (!ret)
		ret = save_kind(ctx, out, &fr_set_service,
				FLOWRING_CMD_SERVICE_GET);
	if (fclose(out) && !ret)
		ret = fr_error(ctx, "save: %s", strerror(errno));
	return ret;
}

/**
 * fr_save() - The object save.
 * @ctx: The run.
 * @args: The words after it.
 *
 * Each dump is of one moment, but three dumps are not. So all is read until
 * two readings agree: then it was so between them.
 *
 * Return: Exit status.
 */
int fr_save(struct fr_ctx *ctx, struct fr_args *args)
{
	const char *word = fr_arg_peek(args);
	char *last, *text;
	bool same = false;
	int ret, i;

	if (word && !strcmp(word, "help")) {
		fputs(help, ctx->out);
		return FR_EXIT_OK;
	}
	if (fr_arg_end(ctx, args))
		return FR_EXIT_LOCAL;
	if (ctx->dry)
		return FR_EXIT_OK;

	ret = save_all(ctx, &last);
	for (i = 1; !ret && !same && i < FR_SAVE_TRIES; i++) {
		ret = save_all(ctx, &text);
		same = !ret && !strcmp(last, text);
		free(last);
		last = text;
	}
	if (same) {
		fputs(last, ctx->out);
	} else if (!ret) {
		fr_error(ctx, "save: changes interrupted it %d times: try again",
			 FR_SAVE_TRIES);
		ret = FR_EXIT_KERNEL;
	}
	free(last);
	return ret;
}
