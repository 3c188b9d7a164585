/* SPDX-License-Identifier: GPL-2.0 */
/* One decoded netlink object, and lists of them. */

#ifndef _FLOWRING_OBJ_H
#define _FLOWRING_OBJ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libmnl/libmnl.h>

#include "names.h"

/**
 * struct fr_obj - Attributes of one object, as the kernel sent them.
 * @set: The set that they belong to.
 * @len: Bytes in @data.
 * @off: Where each attribute begins in @data, plus 1; 0 when it is absent.
 * @data: The attributes.
 */
struct fr_obj {
	const struct fr_set *set;
	size_t len;
	uint32_t off[FR_ATTR_MAX + 1];
	_Alignas(NLMSG_ALIGNTO) char data[];
};

/**
 * struct fr_list - A list of objects.
 * @v: The objects.
 * @n: Number of objects.
 * @cap: Room in @v.
 */
struct fr_list {
	struct fr_obj **v;
	size_t n;
	size_t cap;
};

struct fr_obj *fr_obj_new(const struct fr_set *set, const void *attrs,
			  size_t len);
bool fr_obj_has(const struct fr_obj *obj, uint16_t type);
const struct nlattr *fr_obj_attr(const struct fr_obj *obj, uint16_t type);
const char *fr_obj_str(const struct fr_obj *obj, uint16_t type);
uint64_t fr_obj_num(const struct fr_obj *obj, uint16_t type);
struct fr_obj *fr_obj_nest(const struct fr_obj *obj, uint16_t type);
int fr_obj_nests(const struct fr_obj *obj, uint16_t type,
		 struct fr_list *list);
size_t fr_obj_tokens(const struct fr_obj *obj, uint16_t type);
uint64_t fr_obj_token(const struct fr_obj *obj, uint16_t type, size_t i);
void fr_obj_text(const struct fr_obj *obj, uint16_t type, char *buf,
		 size_t size);
int fr_obj_cmp(const struct fr_obj *a, const struct fr_obj *b);

int fr_list_add(struct fr_list *list, struct fr_obj *obj);
void fr_list_sort(struct fr_list *list);
void fr_list_clear(struct fr_list *list);

uint64_t fr_attr_num(const struct nlattr *attr);
void fr_safe_str(const char *str, char *buf, size_t size);

#endif /* _FLOWRING_OBJ_H */
