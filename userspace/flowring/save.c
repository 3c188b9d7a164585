// SPDX-License-Identifier: GPL-2.0
/* The object save. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>

#include "output.h"
#include "parse.h"
#include "state.h"

static const char help[] =
"Usage: flowring save [> FILE]\n"
"       flowring save commands [> FILE]\n"
"\n"
"Prints the present configuration: rings with their keys, backends, services,\n"
"each sorted, as a JSON document that flowring apply reads.\n"
"\n"
"  commands   print the commands that make it instead; flowring restore FILE\n"
"             and flowring -b FILE run them\n"
"\n"
"Needs CAP_NET_ADMIN, as the keys are part of it.\n";

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

static int check_key(struct fr_ctx *ctx, const struct fr_obj *ring)
{
	int ret = check_names(ctx, ring, FLOWRING_A_RING_NAME);

	if (ret || fr_obj_has(ring, FLOWRING_A_RING_KEY))
		return ret;
	fr_error(ctx, "save: ring %s: the kernel does not show its key: needs CAP_NET_ADMIN in the initial user namespace",
		 fr_obj_str(ring, FLOWRING_A_RING_NAME));
	return FR_EXIT_KERNEL;
}

static int save_obj(struct fr_ctx *ctx, FILE *out, const struct fr_obj *obj)
{
	int ret = FR_EXIT_OK;

	if (obj->set == &fr_set_ring)
		ret = check_key(ctx, obj);
	else if (obj->set == &fr_set_backend)
		ret = check_names(ctx, obj, FLOWRING_A_BACKEND_NAME);
	if (ret)
		return ret;

	fr_print_command(out, obj, "add");
	fputc('\n', out);
	return FR_EXIT_OK;
}

static int save_list(struct fr_ctx *ctx, FILE *out, const struct fr_list *list)
{
	int ret = FR_EXIT_OK;
	size_t i;

	for (i = 0; !ret && i < list->n; i++)
		ret = save_obj(ctx, out, list->v[i]);
	return ret;
}

/* All of it, or nothing when there is something wrong */
static int save_commands(struct fr_ctx *ctx, const struct fr_state *state)
{
	char *text = NULL;
	size_t size;
	FILE *out;
	int ret;

	out = open_memstream(&text, &size);
	if (!out)
		return fr_error(ctx, "save: %s", strerror(errno));
	ret = save_list(ctx, out, &state->rings);
	if (!ret)
		ret = save_list(ctx, out, &state->backends);
	if (!ret)
		ret = save_list(ctx, out, &state->services);
	if (fclose(out) && !ret)
		ret = fr_error(ctx, "save: %s", strerror(errno));
	if (!ret)
		fputs(text, ctx->out);
	free(text);
	return ret;
}

static int save_document(struct fr_ctx *ctx, const struct fr_state *state)
{
	struct fr_document *doc;
	size_t i;
	int ret;

	for (i = 0; i < state->rings.n; i++) {
		ret = check_key(ctx, state->rings.v[i]);
		if (ret)
			return ret;
	}
	doc = fr_state_document(ctx, "save", state);
	if (!doc)
		return FR_EXIT_LOCAL;
	ret = fr_document_write(ctx, doc);
	fr_document_free(doc);
	return ret;
}

/**
 * fr_save() - The object save.
 * @ctx: The run.
 * @args: The words after it.
 *
 * Return: Exit status.
 */
int fr_save(struct fr_ctx *ctx, struct fr_args *args)
{
	const char *word = fr_arg_peek(args);
	struct fr_state state;
	bool commands;
	int ret;

	if (word && !strcmp(word, "help")) {
		fputs(help, ctx->out);
		return FR_EXIT_OK;
	}
	commands = word && !strcmp(word, "commands");
	if (commands)
		args->i++;
	if (fr_arg_end(ctx, args))
		return FR_EXIT_LOCAL;
	if (ctx->dry)
		return FR_EXIT_OK;

	ret = fr_state_read(ctx, "save", &state);
	if (!ret)
		ret = commands ? save_commands(ctx, &state) :
				 save_document(ctx, &state);
	fr_state_clear(&state);
	return ret;
}
