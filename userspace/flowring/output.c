// SPDX-License-Identifier: GPL-2.0
/* Printing of objects. All forms are made from the attributes by the tables of
 * names.c, so that text, JSON, events and saved commands cannot disagree.
 */

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <linux/flowring.h>

#include "output.h"

static json_t *obj_json(const struct fr_obj *obj, bool stats);

static json_t *attr_json(const struct fr_obj *obj, uint16_t type, bool stats)
{
	const struct fr_attr *a = &obj->set->attrs[type];
	struct fr_obj *nest;
	char text[FR_TEXT_SIZE];
	json_t *j;

	switch (a->kind) {
	case FR_KIND_U32:
	case FR_KIND_UINT:
		return json_integer(fr_obj_num(obj, type));
	case FR_KIND_NEST:
		nest = fr_obj_nest(obj, type);
		if (!nest)
			return NULL;
		j = obj_json(nest, stats);
		free(nest);
		return j;
	case FR_KIND_ENUM:
		if (!fr_enum_name(a->vals, fr_obj_num(obj, type)))
			return json_integer(fr_obj_num(obj, type));
		break;
	case FR_KIND_PROTO:
		if (!fr_proto_name(fr_obj_num(obj, type)))
			return json_integer(fr_obj_num(obj, type));
		break;
	default:
		break;
	}
	fr_obj_text(obj, type, text, sizeof(text));
	return json_string(text);
}

static json_t *obj_json(const struct fr_obj *obj, bool stats)
{
	json_t *j = json_object();
	uint16_t type;

	for (type = 1; j && type <= obj->set->max; type++) {
		if (!fr_obj_has(obj, type))
			continue;
		if (obj->set->attrs[type].kind == FR_KIND_NEST && !stats)
			continue;
		if (json_object_set_new(j, obj->set->attrs[type].name,
					attr_json(obj, type, stats))) {
			json_decref(j);
			return NULL;
		}
	}
	return j;
}

static int dump_json(struct fr_ctx *ctx, json_t *j, bool pretty)
{
	int ret = -1;

	if (j)
		ret = json_dumpf(j, ctx->out,
				 pretty ? JSON_INDENT(2) : JSON_COMPACT);
	json_decref(j);
	if (ret)
		return fr_error(ctx, "cannot write JSON");
	fputc('\n', ctx->out);
	return FR_EXIT_OK;
}

static int print_json(struct fr_ctx *ctx, const struct fr_list *list)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; array && i < list->n; i++) {
		if (json_array_append_new(array, obj_json(list->v[i],
							  ctx->stats))) {
			json_decref(array);
			array = NULL;
		}
	}
	return dump_json(ctx, array, ctx->pretty);
}

static const char *field_label(const struct fr_obj *obj,
			       const struct fr_field *f)
{
	const struct fr_attr *a = &obj->set->attrs[f->attr];

	if (f->label)
		return f->label;
	return f->sub ? a->nested->attrs[f->sub].name : a->name;
}

static void field_text(const struct fr_layout *layout,
		       const struct fr_obj *obj, const struct fr_obj *nest,
		       const struct fr_field *f, char *text, size_t size)
{
	text[0] = '\0';
	if (f->sub) {
		if (nest)
			fr_obj_text(nest, f->sub, text, size);
		return;
	}
	fr_obj_text(obj, f->attr, text, size);
	if (layout->more && text[0])
		layout->more(obj, f->attr, text, size, layout->data);
}

/* The nest that fields with a sub are in; there is at most one in a layout */
static struct fr_obj *layout_nest(const struct fr_layout *layout,
				  const struct fr_obj *obj, bool stats)
{
	size_t i;

	for (i = 0; stats && i < layout->n; i++) {
		if (layout->fields[i].sub)
			return fr_obj_nest(obj, layout->fields[i].attr);
	}
	return NULL;
}

static void print_block(struct fr_ctx *ctx, const struct fr_layout *layout,
			const struct fr_obj *obj, const size_t *width)
{
	struct fr_obj *nest = layout_nest(layout, obj, ctx->stats);
	const struct fr_field *f = layout->fields;
	const struct fr_field *end = f + layout->n;
	char text[FR_TEXT_SIZE];
	const char *label;
	unsigned int line;
	size_t pad = 0;
	bool begun;

	fputs(layout->head, ctx->out);
	for (line = 0, begun = true; f < end; f++, width++) {
		if (f->line != line) {
			if (begun)
				fputc('\n', ctx->out);
			line = f->line;
			begun = false;
			pad = 4;
		}
		if (!*width)
			continue;
		if (pad == 0)
			pad = 1;

		label = field_label(obj, f);
		field_text(layout, obj, nest, f, text, sizeof(text));
		if (!text[0]) {
			/* Keep the columns of the blocks together */
			pad += strlen(label) + !!*label + *width + 1;
			continue;
		}
		fprintf(ctx->out, "%*s%s%s%s", (int)pad, "", label,
			*label ? " " : "", text);
		pad = *width - strlen(text) + 1;
		begun = true;
	}
	if (begun)
		fputc('\n', ctx->out);
	free(nest);
}

static int print_text(struct fr_ctx *ctx, const struct fr_list *list,
		      const struct fr_layout *layout)
{
	struct fr_obj *nest;
	char text[FR_TEXT_SIZE];
	size_t *width;
	size_t i, k;

	width = calloc(layout->n, sizeof(*width));
	if (!width)
		return fr_error(ctx, "out of memory");

	for (i = 0; i < list->n; i++) {
		nest = layout_nest(layout, list->v[i], ctx->stats);
		for (k = 0; k < layout->n; k++) {
			field_text(layout, list->v[i], nest,
				   &layout->fields[k], text, sizeof(text));
			if (strlen(text) > width[k])
				width[k] = strlen(text);
		}
		free(nest);
	}

	for (i = 0; i < list->n; i++)
		print_block(ctx, layout, list->v[i], width);
	free(width);
	return FR_EXIT_OK;
}

/**
 * fr_print() - Print objects.
 * @ctx: The run.
 * @list: The objects, in order.
 * @layout: How they look in text.
 *
 * Return: Exit status.
 */
int fr_print(struct fr_ctx *ctx, const struct fr_list *list,
	     const struct fr_layout *layout)
{
	if (ctx->json)
		return print_json(ctx, list);
	return print_text(ctx, list, layout);
}

static void print_word(FILE *out, const struct fr_obj *obj, uint16_t type,
		       bool key)
{
	char text[FR_TEXT_SIZE];

	if (!fr_obj_has(obj, type))
		return;
	fr_obj_text(obj, type, text, sizeof(text));
	if (key)
		fprintf(out, " %s", obj->set->attrs[type].name);
	fprintf(out, " %s", text);
}

static void print_words(FILE *out, const struct fr_obj *obj, uint16_t first,
			uint16_t last)
{
	for (; first <= last; first++)
		print_word(out, obj, first, true);
}

/**
 * fr_print_command() - Print the command that makes an object as it is.
 * @out: Where to.
 * @obj: The object.
 * @verb: Verb of the command: add, set or del.
 *
 * The line is not ended. The order of the words is the canonical one.
 */
void fr_print_command(FILE *out, const struct fr_obj *obj, const char *verb)
{
	bool set = !strcmp(verb, "set");
	bool del = !strcmp(verb, "del");

	fprintf(out, "%s %s", obj->set->name, verb);
	if (obj->set == &fr_set_ring) {
		print_word(out, obj, FLOWRING_A_RING_NAME, false);
		if (!del)
			print_words(out, obj, FLOWRING_A_RING_BITS,
				    FLOWRING_A_RING_MASQUERADE);
	} else if (obj->set == &fr_set_backend) {
		print_word(out, obj, FLOWRING_A_BACKEND_RING, false);
		print_word(out, obj, FLOWRING_A_BACKEND_NAME, false);
		if (del)
			return;
		print_words(out, obj, FLOWRING_A_BACKEND_ADDR,
			    FLOWRING_A_BACKEND_WEIGHT);
		if (!set)
			print_word(out, obj, FLOWRING_A_BACKEND_MODE, true);
		print_word(out, obj, FLOWRING_A_BACKEND_STATE, true);
	} else {
		print_word(out, obj, FLOWRING_A_SERVICE_PROTO, false);
		print_word(out, obj, FLOWRING_A_SERVICE_ADDR, false);
		print_word(out, obj, FLOWRING_A_SERVICE_PORT, true);
		if (!del)
			print_word(out, obj, FLOWRING_A_SERVICE_RING, true);
	}
}

/**
 * fr_print_event() - Print a change of the configuration on one line.
 * @ctx: The run.
 * @event: What happened.
 * @obj: The object it happened to.
 *
 * Return: Exit status.
 */
int fr_print_event(struct fr_ctx *ctx, const struct fr_event *event,
		   const struct fr_obj *obj)
{
	json_t *j, *body;

	if (!ctx->json) {
		fr_print_command(ctx->out, obj, event->verb);
		fputc('\n', ctx->out);
		return FR_EXIT_OK;
	}

	j = json_pack("{s:s}", "event", event->name);
	body = obj_json(obj, ctx->stats);
	if (!j || !body || json_object_update(j, body)) {
		json_decref(j);
		j = NULL;
	}
	json_decref(body);
	return dump_json(ctx, j, false);
}
