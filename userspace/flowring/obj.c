// SPDX-License-Identifier: GPL-2.0
/* Decoding of what the kernel sends. Every payload is checked once, when the
 * object is made, so that all who read it later need not.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>

#include "obj.h"

static bool attr_ok(const struct fr_attr *a, const struct nlattr *attr)
{
	uint16_t len = mnl_attr_get_payload_len(attr);
	const char *p = mnl_attr_get_payload(attr);

	switch (a->kind) {
	case FR_KIND_STR:
		return len && memchr(p, '\0', len);
	case FR_KIND_U32:
	case FR_KIND_BOUND:
	case FR_KIND_PORT:
	case FR_KIND_MARK:
	case FR_KIND_ENUM:
	case FR_KIND_PROTO:
		return len == 4;
	case FR_KIND_UINT:
	case FR_KIND_HASH:
	case FR_KIND_MSEC:
		return len == 4 || len == 8;
	case FR_KIND_ADDR:
		return len == 4 || len == 16;
	case FR_KIND_KEY:
		return len == FLOWRING_KEY_LEN;
	case FR_KIND_TOKENS:
		return len % 8 == 0 && len <= 8 * FLOWRING_MAX_EXPLICIT_TOKENS;
	case FR_KIND_FLAG:
	case FR_KIND_NEST:
	case FR_KIND_NESTS:
		return true;
	}
	return false;
}

/**
 * fr_obj_new() - Copy and check the attributes of an object.
 * @set: The set that they belong to.
 * @attrs: The attributes.
 * @len: Their bytes.
 *
 * Attributes that the tool does not know are skipped: they are from a newer
 * kernel.
 *
 * Return: The object, to be freed with free(); or NULL with errno ENOMEM, or
 * EBADMSG when an attribute is malformed.
 */
struct fr_obj *fr_obj_new(const struct fr_set *set, const void *attrs,
			  size_t len)
{
	const struct fr_attr *a;
	struct nlattr *attr;
	struct fr_obj *obj;
	uint16_t type;

	obj = calloc(1, sizeof(*obj) + len);
	if (!obj)
		return NULL;

	obj->set = set;
	obj->len = len;
	if (len)
		memcpy(obj->data, attrs, len);

	mnl_attr_for_each_payload((void *)obj->data, len) {
		type = mnl_attr_get_type(attr);
		a = fr_set_attr(set, type);
		if (!a)
			continue;
		if (!attr_ok(a, attr)) {
			free(obj);
			errno = EBADMSG;
			return NULL;
		}
		obj->off[type] = (char *)attr - obj->data + 1;
	}
	return obj;
}

/**
 * fr_obj_attr() - Get an attribute.
 * @obj: The object.
 * @type: Attribute type.
 *
 * Return: The attribute, or NULL when it is absent.
 */
const struct nlattr *fr_obj_attr(const struct fr_obj *obj, uint16_t type)
{
	if (type > FR_ATTR_MAX || !obj->off[type])
		return NULL;
	return (const void *)(obj->data + obj->off[type] - 1);
}

/**
 * fr_obj_has() - Tell whether an attribute is present.
 * @obj: The object.
 * @type: Attribute type.
 *
 * Return: True when it is.
 */
bool fr_obj_has(const struct fr_obj *obj, uint16_t type)
{
	return fr_obj_attr(obj, type);
}

/**
 * fr_obj_str() - Get a string.
 * @obj: The object.
 * @type: Attribute type.
 *
 * Return: The string, empty when the attribute is absent.
 */
const char *fr_obj_str(const struct fr_obj *obj, uint16_t type)
{
	const struct nlattr *attr = fr_obj_attr(obj, type);

	return attr ? mnl_attr_get_str(attr) : "";
}

/**
 * fr_attr_num() - Read a number, which the kernel sends in 4 or 8 bytes.
 * @attr: The attribute.
 *
 * Return: The number.
 */
uint64_t fr_attr_num(const struct nlattr *attr)
{
	if (mnl_attr_get_payload_len(attr) == sizeof(uint64_t))
		return mnl_attr_get_u64(attr);
	return mnl_attr_get_u32(attr);
}

/**
 * fr_obj_num() - Get a number.
 * @obj: The object.
 * @type: Attribute type.
 *
 * Return: The number, 0 when the attribute is absent.
 */
uint64_t fr_obj_num(const struct fr_obj *obj, uint16_t type)
{
	const struct nlattr *attr = fr_obj_attr(obj, type);

	return attr ? fr_attr_num(attr) : 0;
}

/**
 * fr_obj_nest() - Get the object inside an attribute.
 * @obj: The object.
 * @type: Attribute type.
 *
 * Return: A new object, to be freed with free(); or NULL when the attribute is
 * absent or malformed.
 */
struct fr_obj *fr_obj_nest(const struct fr_obj *obj, uint16_t type)
{
	const struct nlattr *attr = fr_obj_attr(obj, type);

	if (!attr)
		return NULL;
	return fr_obj_new(obj->set->attrs[type].nested,
			  mnl_attr_get_payload(attr),
			  mnl_attr_get_payload_len(attr));
}

/**
 * fr_obj_nests() - Get the objects inside an attribute that is there any number
 * of times.
 * @obj: The object.
 * @type: Attribute type.
 * @list: Where the objects go, in order.
 *
 * Return: 0, or -1 with errno ENOMEM, or EBADMSG when one is malformed.
 */
int fr_obj_nests(const struct fr_obj *obj, uint16_t type, struct fr_list *list)
{
	const struct fr_set *nested = obj->set->attrs[type].nested;
	const struct nlattr *attr;
	struct fr_obj *nest;

	mnl_attr_for_each_payload((void *)obj->data, obj->len) {
		if (mnl_attr_get_type(attr) != type)
			continue;
		nest = fr_obj_new(nested, mnl_attr_get_payload(attr),
				  mnl_attr_get_payload_len(attr));
		if (!nest)
			return -1;
		if (fr_list_add(list, nest)) {
			free(nest);
			return -1;
		}
	}
	return 0;
}

/**
 * fr_obj_tokens() - Count explicit tokens.
 * @obj: The object.
 * @type: Attribute type.
 *
 * Return: Their number, 0 when the attribute is absent.
 */
size_t fr_obj_tokens(const struct fr_obj *obj, uint16_t type)
{
	const struct nlattr *attr = fr_obj_attr(obj, type);

	return attr ? mnl_attr_get_payload_len(attr) / sizeof(uint64_t) : 0;
}

/**
 * fr_obj_token() - Get an explicit token.
 * @obj: The object.
 * @type: Attribute type.
 * @i: Which one, less than fr_obj_tokens().
 *
 * Return: Its position.
 */
uint64_t fr_obj_token(const struct fr_obj *obj, uint16_t type, size_t i)
{
	const char *p = mnl_attr_get_payload(fr_obj_attr(obj, type));
	uint64_t token;

	/* Attributes are aligned to 4 bytes only */
	memcpy(&token, p + i * sizeof(token), sizeof(token));
	return token;
}

/**
 * fr_safe_str() - Make a string safe for a terminal and for JSON.
 * @str: The string.
 * @buf: Where the safe one goes, cut when it does not fit.
 * @size: Room in @buf.
 *
 * Anything but visible ASCII becomes \xNN. The tool gives no such names, but
 * another program may.
 */
void fr_safe_str(const char *str, char *buf, size_t size)
{
	const unsigned char *p = (const void *)str;
	size_t n = 0;

	for (; *p; p++) {
		if (*p > 0x20 && *p < 0x7f) {
			if (n + 2 > size)
				break;
			buf[n++] = *p;
		} else {
			if (n + 5 > size)
				break;
			n += snprintf(buf + n, size - n, "\\x%02x", *p);
		}
	}
	buf[n] = '\0';
}

static void hex_text(const unsigned char *p, size_t len, char *buf,
		     size_t size)
{
	size_t i;

	buf[0] = '\0';
	for (i = 0; i < len && 2 * i + 3 <= size; i++)
		sprintf(buf + 2 * i, "%02x", p[i]);
}

static void tokens_text(const struct fr_obj *obj, uint16_t type, char *buf,
			size_t size)
{
	size_t n = fr_obj_tokens(obj, type);
	size_t len = 0;
	size_t i;

	for (i = 0; i < n && len + 20 <= size; i++)
		len += snprintf(buf + len, size - len, "%s0x%016" PRIx64,
				i ? "," : "", fr_obj_token(obj, type, i));
}

/**
 * fr_obj_text() - Write an attribute as text.
 * @obj: The object.
 * @type: Attribute type.
 * @buf: Where the text goes; empty when the attribute is absent.
 * @size: Room in @buf. 160 bytes are always enough, but for tokens: of those
 *   that do not fit, none are written.
 */
void fr_obj_text(const struct fr_obj *obj, uint16_t type, char *buf,
		 size_t size)
{
	const struct nlattr *attr = fr_obj_attr(obj, type);
	const struct fr_attr *a;
	const char *name = NULL;
	uint16_t len;

	buf[0] = '\0';
	if (!attr)
		return;

	a = &obj->set->attrs[type];
	len = mnl_attr_get_payload_len(attr);
	switch (a->kind) {
	case FR_KIND_STR:
		fr_safe_str(mnl_attr_get_str(attr), buf, size);
		return;
	case FR_KIND_ADDR:
		inet_ntop(len == 4 ? AF_INET : AF_INET6,
			  mnl_attr_get_payload(attr), buf, size);
		return;
	case FR_KIND_KEY:
		hex_text(mnl_attr_get_payload(attr), len, buf, size);
		return;
	case FR_KIND_HASH:
		snprintf(buf, size, "0x%016" PRIx64, fr_attr_num(attr));
		return;
	case FR_KIND_MARK:
		snprintf(buf, size, "0x%" PRIx32, mnl_attr_get_u32(attr));
		return;
	case FR_KIND_MSEC:
		snprintf(buf, size, "%" PRIu64 ".%03us",
			 fr_attr_num(attr) / 1000,
			 (unsigned int)(fr_attr_num(attr) % 1000));
		return;
	case FR_KIND_ENUM:
		name = fr_enum_name(a->vals, mnl_attr_get_u32(attr));
		break;
	case FR_KIND_PROTO:
		name = fr_proto_name(mnl_attr_get_u32(attr));
		break;
	case FR_KIND_TOKENS:
		tokens_text(obj, type, buf, size);
		return;
	case FR_KIND_BOUND:
		if (!mnl_attr_get_u32(attr))
			name = "off";
		break;
	case FR_KIND_FLAG:
	case FR_KIND_NEST:
	case FR_KIND_NESTS:
		return;
	case FR_KIND_PORT:
		name = mnl_attr_get_u32(attr) ? NULL : "all";
		break;
	case FR_KIND_U32:
	case FR_KIND_UINT:
		break;
	}
	if (name)
		snprintf(buf, size, "%s", name);
	else
		snprintf(buf, size, "%" PRIu64, fr_attr_num(attr));
}

static int num_cmp(const struct fr_obj *a, const struct fr_obj *b,
		   uint16_t type)
{
	uint64_t x = fr_obj_num(a, type), y = fr_obj_num(b, type);

	return (x > y) - (x < y);
}

static int addr_cmp(const struct fr_obj *a, const struct fr_obj *b,
		    uint16_t type)
{
	const struct nlattr *x = fr_obj_attr(a, type);
	const struct nlattr *y = fr_obj_attr(b, type);
	uint16_t xlen = x ? mnl_attr_get_payload_len(x) : 0;
	uint16_t ylen = y ? mnl_attr_get_payload_len(y) : 0;

	if (xlen != ylen || !xlen)
		return (int)xlen - (int)ylen;
	return memcmp(mnl_attr_get_payload(x), mnl_attr_get_payload(y), xlen);
}

static int str_cmp(const struct fr_obj *a, const struct fr_obj *b,
		   uint16_t type)
{
	return strcmp(fr_obj_str(a, type), fr_obj_str(b, type));
}

/**
 * fr_obj_cmp() - Order two objects of one set.
 * @a: One.
 * @b: The other.
 *
 * Rings are ordered by name; backends by ring, then name; services by family,
 * address, prefix, ports, protocol, and those of marks by mark and version.
 *
 * Return: Less than, equal to or greater than 0, as for strcmp().
 */
int fr_obj_cmp(const struct fr_obj *a, const struct fr_obj *b)
{
	int ret;

	if (a->set == &fr_set_ring)
		return str_cmp(a, b, FLOWRING_A_RING_NAME);

	if (a->set == &fr_set_backend) {
		ret = str_cmp(a, b, FLOWRING_A_BACKEND_RING);
		if (!ret)
			ret = str_cmp(a, b, FLOWRING_A_BACKEND_NAME);
		return ret;
	}

	if (a->set == &fr_set_service) {
		ret = addr_cmp(a, b, FLOWRING_A_SERVICE_ADDR);
		if (!ret)
			ret = num_cmp(a, b, FLOWRING_A_SERVICE_PREFIX);
		if (!ret)
			ret = num_cmp(a, b, FLOWRING_A_SERVICE_PORT);
		if (!ret)
			ret = num_cmp(a, b, FLOWRING_A_SERVICE_PORT_END);
		if (!ret)
			ret = num_cmp(a, b, FLOWRING_A_SERVICE_PROTO);
		if (!ret)
			ret = num_cmp(a, b, FLOWRING_A_SERVICE_MARK);
		if (!ret)
			ret = num_cmp(a, b, FLOWRING_A_SERVICE_IP_VERSION);
		return ret;
	}
	return 0;
}

static int list_cmp(const void *a, const void *b)
{
	return fr_obj_cmp(*(struct fr_obj *const *)a,
			  *(struct fr_obj *const *)b);
}

/**
 * fr_list_add() - Add an object to a list.
 * @list: The list.
 * @obj: The object, which the list then owns.
 *
 * Return: 0, or -1 with errno ENOMEM.
 */
int fr_list_add(struct fr_list *list, struct fr_obj *obj)
{
	struct fr_obj **v;
	size_t cap;

	if (list->n == list->cap) {
		cap = list->cap ? 2 * list->cap : 16;
		v = realloc(list->v, cap * sizeof(*v));
		if (!v)
			return -1;
		list->v = v;
		list->cap = cap;
	}
	list->v[list->n++] = obj;
	return 0;
}

/**
 * fr_list_sort() - Sort a list.
 * @list: The list.
 */
void fr_list_sort(struct fr_list *list)
{
	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), list_cmp);
}

/**
 * fr_list_clear() - Free all of a list.
 * @list: The list, empty afterwards.
 */
void fr_list_clear(struct fr_list *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		free(list->v[i]);
	free(list->v);
	*list = (struct fr_list){};
}
