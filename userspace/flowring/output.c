// SPDX-License-Identifier: GPL-2.0
/* Printing of objects. All forms are made from the attributes by the tables of
 * names.c, so that text, JSON, events and saved commands cannot disagree.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "output.h"
#include "window.h"

static json_t *obj_json(const struct fr_obj *obj, bool stats);

static json_t *tokens_json(const struct fr_obj *obj, uint16_t type)
{
	size_t n = fr_obj_tokens(obj, type);
	json_t *array = json_array();
	char text[24];
	size_t i;

	for (i = 0; array && i < n; i++) {
		snprintf(text, sizeof(text), "0x%016" PRIx64,
			 fr_obj_token(obj, type, i));
		if (json_array_append_new(array, json_string(text))) {
			json_decref(array);
			array = NULL;
		}
	}
	return array;
}

static json_t *nests_json(const struct fr_obj *obj, uint16_t type, bool stats)
{
	json_t *array = json_array();
	struct fr_list list = {};
	size_t i;

	if (!array || fr_obj_nests(obj, type, &list))
		goto err;
	for (i = 0; i < list.n; i++) {
		if (json_array_append_new(array, obj_json(list.v[i], stats)))
			goto err;
	}
	fr_list_clear(&list);
	return array;
err:
	fr_list_clear(&list);
	json_decref(array);
	return NULL;
}

static json_t *attr_json(const struct fr_obj *obj, uint16_t type, bool stats)
{
	const struct fr_attr *a = &obj->set->attrs[type];
	struct fr_obj *nest;
	char text[FR_TEXT_SIZE];
	json_t *j;

	switch (a->kind) {
	case FR_KIND_U32:
	case FR_KIND_BOUND:
	case FR_KIND_MARK:
	case FR_KIND_UINT:
	case FR_KIND_MSEC:
		return json_integer(fr_obj_num(obj, type));
	case FR_KIND_TOKENS:
		return tokens_json(obj, type);
	case FR_KIND_FLAG:
		return json_true();
	case FR_KIND_NESTS:
		return nests_json(obj, type, stats);
	case FR_KIND_NEST:
		nest = fr_obj_nest(obj, type);
		if (!nest)
			return NULL;
		j = obj_json(nest, stats);
		free(nest);
		return j;
	case FR_KIND_PORT:
		if (fr_obj_num(obj, type))
			return json_integer(fr_obj_num(obj, type));
		break;
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

static bool is_stats(const struct fr_attr *a)
{
	return a->nested == &fr_set_stats || a->nested == &fr_set_window_stats;
}

static json_t *obj_json(const struct fr_obj *obj, bool stats)
{
	json_t *j = json_object();
	uint16_t type;

	for (type = 1; j && type <= obj->set->max; type++) {
		if (!fr_obj_has(obj, type))
			continue;
		if (is_stats(&obj->set->attrs[type]) && !stats)
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

/* A block that is being printed: an object, and the nest of it that the last
 * field was in
 */
struct block {
	const struct fr_layout *layout;
	const struct fr_obj *obj;
	bool stats;
	uint16_t attr;
	struct fr_obj *nest;
};

static const struct fr_obj *enter_nest(struct block *b, uint16_t attr)
{
	if (b->attr != attr) {
		free(b->nest);
		b->nest = fr_obj_nest(b->obj, attr);
		b->attr = attr;
	}
	return b->nest;
}

static void field_text(struct block *b, const struct fr_field *f, char *text,
		       size_t size)
{
	const struct fr_obj *obj = b->obj;
	uint16_t attr = f->attr;

	text[0] = '\0';
	if (f->stats && !b->stats)
		return;
	if (f->sub) {
		obj = enter_nest(b, attr);
		attr = f->sub;
	}
	if (!obj)
		return;
	fr_obj_text(obj, attr, text, size);
	if (b->layout->more && text[0])
		b->layout->more(obj, attr, text, size, b->layout->data);
}

static void print_block(struct fr_ctx *ctx, const struct fr_layout *layout,
			const struct fr_obj *obj, const size_t *width)
{
	struct block b = { .layout = layout, .obj = obj, .stats = ctx->stats };
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
		field_text(&b, f, text, sizeof(text));
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
	free(b.nest);
}

static int print_text(struct fr_ctx *ctx, const struct fr_list *list,
		      const struct fr_layout *layout)
{
	char text[FR_TEXT_SIZE];
	size_t *width;
	size_t i, k;

	width = calloc(layout->n, sizeof(*width));
	if (!width)
		return fr_error(ctx, "out of memory");

	for (i = 0; i < list->n; i++) {
		struct block b = { .layout = layout, .obj = list->v[i],
				   .stats = ctx->stats };

		for (k = 0; k < layout->n; k++) {
			field_text(&b, &layout->fields[k], text, sizeof(text));
			if (strlen(text) > width[k])
				width[k] = strlen(text);
		}
		free(b.nest);
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

static void print_option(FILE *out, const struct fr_obj *obj, uint16_t type,
			 const char *key)
{
	char text[FR_TEXT_SIZE];

	if (!fr_obj_has(obj, type))
		return;
	fr_obj_text(obj, type, text, sizeof(text));
	if (!text[0])
		return;
	if (key)
		fprintf(out, " %s", key);
	fprintf(out, " %s", text);
}

static void print_word(FILE *out, const struct fr_obj *obj, uint16_t type,
		       bool key)
{
	print_option(out, obj, type, key ? obj->set->attrs[type].name : NULL);
}

/**
 * fr_service_more() - Complete the text of an attribute of a service.
 * @obj: The service.
 * @attr: The attribute.
 * @text: Its text, to which more is added.
 * @size: Room in @text.
 *
 * What belongs together in words has attributes of its own: the prefix of an
 * address, the end of a range of ports, what the version is of.
 */
void fr_service_more(const struct fr_obj *obj, uint16_t attr, char *text,
		     size_t size)
{
	size_t len = strlen(text);

	if (attr == FLOWRING_A_SERVICE_ADDR &&
	    fr_obj_has(obj, FLOWRING_A_SERVICE_PREFIX))
		snprintf(text + len, size - len, "/%" PRIu64,
			 fr_obj_num(obj, FLOWRING_A_SERVICE_PREFIX));
	else if (attr == FLOWRING_A_SERVICE_PORT &&
		 fr_obj_has(obj, FLOWRING_A_SERVICE_PORT_END))
		snprintf(text + len, size - len, "-%" PRIu64,
			 fr_obj_num(obj, FLOWRING_A_SERVICE_PORT_END));
	else if (attr == FLOWRING_A_SERVICE_IP_VERSION)
		snprintf(text, size, "ipv%" PRIu64, fr_obj_num(obj, attr));
}

static void print_service_word(FILE *out, const struct fr_obj *obj,
			       uint16_t type, bool key)
{
	char text[FR_TEXT_SIZE];

	if (!fr_obj_has(obj, type))
		return;
	fr_obj_text(obj, type, text, sizeof(text));
	fr_service_more(obj, type, text, sizeof(text));
	fprintf(out, " %s%s%s", key ? obj->set->attrs[type].name : "",
		key ? " " : "", text);
}

static void print_service(FILE *out, const struct fr_obj *obj, bool goal,
			  bool owner)
{
	print_service_word(out, obj, FLOWRING_A_SERVICE_PROTO, false);
	print_service_word(out, obj, FLOWRING_A_SERVICE_ADDR, false);
	print_service_word(out, obj, FLOWRING_A_SERVICE_PORT, true);
	print_service_word(out, obj, FLOWRING_A_SERVICE_MARK, true);
	print_service_word(out, obj, FLOWRING_A_SERVICE_IP_VERSION, false);
	if (goal) {
		print_word(out, obj, FLOWRING_A_SERVICE_RING, true);
		print_word(out, obj, FLOWRING_A_SERVICE_ACTION, true);
	}
	if (owner)
		print_word(out, obj, FLOWRING_A_SERVICE_OWNER, true);
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
		if (del)
			return;
		print_words(out, obj, FLOWRING_A_RING_BITS,
			    FLOWRING_A_RING_MASQUERADE);
		print_words(out, obj, FLOWRING_A_RING_WINDOW,
			    FLOWRING_A_RING_UDP);
	} else if (obj->set == &fr_set_backend) {
		print_word(out, obj, FLOWRING_A_BACKEND_RING, false);
		print_word(out, obj, FLOWRING_A_BACKEND_NAME, false);
		if (del)
			return;
		print_words(out, obj, FLOWRING_A_BACKEND_ADDR,
			    FLOWRING_A_BACKEND_WEIGHT);
		if (!set)
			print_word(out, obj, FLOWRING_A_BACKEND_MODE, true);
		print_words(out, obj, FLOWRING_A_BACKEND_CHECKSUM,
			    FLOWRING_A_BACKEND_MARK);
		print_word(out, obj, FLOWRING_A_BACKEND_STATE, true);
		print_word(out, obj, FLOWRING_A_BACKEND_ZONE, true);
		print_option(out, obj, FLOWRING_A_BACKEND_EXPLICIT_TOKENS,
			     "tokens");
	} else {
		print_service(out, obj, !del, !del && !set);
	}
}

static void print_commit(FILE *out, const struct fr_obj *obj)
{
	uint64_t moved = fr_obj_num(obj, FLOWRING_A_COMMIT_MOVED);
	uint64_t total = fr_obj_num(obj, FLOWRING_A_COMMIT_TOTAL);

	fputs("ring commit", out);
	print_word(out, obj, FLOWRING_A_COMMIT_RING, false);
	fprintf(out, " epoch %" PRIu64 " -> %" PRIu64,
		fr_obj_num(obj, FLOWRING_A_COMMIT_EPOCH_BEFORE),
		fr_obj_num(obj, FLOWRING_A_COMMIT_EPOCH));
	print_word(out, obj, FLOWRING_A_COMMIT_FINGERPRINT, true);
	fprintf(out, " moved %" PRIu64 " of %" PRIu64 " slots (%.2f%%)", moved,
		total, total ? moved * 100.0 / total : 0.0);
	print_word(out, obj, FLOWRING_A_COMMIT_CHANGES, true);
}

static void print_window(FILE *out, const struct fr_obj *obj)
{
	struct fr_obj *info = fr_obj_nest(obj, FLOWRING_A_RING_WINDOW_INFO);
	char text[FR_TEXT_SIZE];
	uint16_t type;

	fputs("window", out);
	print_word(out, obj, FLOWRING_A_RING_NAME, false);
	for (type = FLOWRING_A_WINDOW_STATE; info &&
	     type <= FLOWRING_A_WINDOW_MEMORY; type++) {
		if (type == FLOWRING_A_WINDOW_TOTAL || !fr_obj_has(info, type))
			continue;
		fr_obj_text(info, type, text, sizeof(text));
		fr_window_more(info, type, text, sizeof(text), NULL);
		if (type != FLOWRING_A_WINDOW_STATE)
			fprintf(out, " %s", info->set->attrs[type].name);
		fprintf(out, " %s", text);
	}
	free(info);
	print_word(out, obj, FLOWRING_A_RING_EPOCH, true);
}

/* A change of an object in the words of the command that makes it; a freeze has
 * no event of its own
 */
static void print_change(FILE *out, const struct fr_obj *obj, const char *verb)
{
	fr_print_command(out, obj, verb);
	if (obj->set == &fr_set_ring && strcmp(verb, "del") &&
	    fr_obj_num(obj, FLOWRING_A_RING_FROZEN))
		fputs(" frozen", out);
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
		if (obj->set == &fr_set_commit)
			print_commit(ctx->out, obj);
		else if (event->cmd == FLOWRING_CMD_WINDOW_NTF)
			print_window(ctx->out, obj);
		else
			print_change(ctx->out, obj, event->verb);
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
