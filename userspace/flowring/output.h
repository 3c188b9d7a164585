/* SPDX-License-Identifier: GPL-2.0 */
/* Printing of objects: text, JSON and commands. */

#ifndef _FLOWRING_OUTPUT_H
#define _FLOWRING_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/flowring.h>

#include "cli.h"
#include "obj.h"

/* Room for any value in text: that many explicit tokens are the longest */
#define FR_TEXT_SIZE	(19 * FLOWRING_MAX_EXPLICIT_TOKENS + 32)

/**
 * struct fr_field - One value of an object in text.
 * @attr: The attribute.
 * @sub: Attribute inside @attr, when that is a nest.
 * @line: Line of the block where it stands; the first one is 0.
 * @label: What stands before it; the attribute's name when NULL.
 * @stats: It is a counter, shown with the others only.
 */
struct fr_field {
	uint16_t attr;
	uint16_t sub;
	unsigned int line;
	const char *label;
	bool stats;
};

/**
 * struct fr_layout - How objects of a set look in text.
 * @head: Word at the beginning of the block.
 * @fields: The values, in order.
 * @n: Number of values.
 * @more: Changes the text of a value, which is not empty; may be NULL. The
 *   attribute is one of the object or nest that it gets.
 * @data: For @more.
 */
struct fr_layout {
	const char *head;
	const struct fr_field *fields;
	size_t n;
	void (*more)(const struct fr_obj *obj, uint16_t attr, char *text,
		     size_t size, void *data);
	void *data;
};

int fr_print(struct fr_ctx *ctx, const struct fr_list *list,
	     const struct fr_layout *layout);
int fr_print_event(struct fr_ctx *ctx, const struct fr_event *event,
		   const struct fr_obj *obj);
void fr_service_more(const struct fr_obj *obj, uint16_t attr, char *text,
		     size_t size);
void fr_print_command(FILE *out, const struct fr_obj *obj, const char *verb);

#endif /* _FLOWRING_OUTPUT_H */
