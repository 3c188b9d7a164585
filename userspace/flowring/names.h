/* SPDX-License-Identifier: GPL-2.0 */
/* The names that the specification gives to attributes, values and events. */

#ifndef _FLOWRING_NAMES_H
#define _FLOWRING_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* No attribute set has a higher attribute type than this */
#define FR_ATTR_MAX	24

/**
 * enum fr_kind - How the payload of an attribute is read and shown.
 * @FR_KIND_STR: String with an end mark.
 * @FR_KIND_U32: Number of 4 bytes.
 * @FR_KIND_BOUND: The same, where 0 is off.
 * @FR_KIND_PORT: The same, where 0 is all.
 * @FR_KIND_MARK: The same, which text shows in hexadecimal.
 * @FR_KIND_UINT: Number of 4 or 8 bytes.
 * @FR_KIND_HASH: The same, shown in hexadecimal.
 * @FR_KIND_MSEC: The same, milliseconds that text shows as seconds.
 * @FR_KIND_ADDR: IPv4 or IPv6 address, by its length.
 * @FR_KIND_ENUM: Number of 4 bytes that has names.
 * @FR_KIND_PROTO: IP protocol number.
 * @FR_KIND_KEY: Hash key, shown in hexadecimal.
 * @FR_KIND_TOKENS: Positions of 8 bytes each, shown in hexadecimal.
 * @FR_KIND_FLAG: Nothing: that it is there says it all.
 * @FR_KIND_NEST: Attributes of another set.
 * @FR_KIND_NESTS: The same, any number of times.
 */
enum fr_kind {
	FR_KIND_STR,
	FR_KIND_U32,
	FR_KIND_BOUND,
	FR_KIND_PORT,
	FR_KIND_MARK,
	FR_KIND_UINT,
	FR_KIND_HASH,
	FR_KIND_MSEC,
	FR_KIND_ADDR,
	FR_KIND_ENUM,
	FR_KIND_PROTO,
	FR_KIND_KEY,
	FR_KIND_TOKENS,
	FR_KIND_FLAG,
	FR_KIND_NEST,
	FR_KIND_NESTS,
};

/**
 * struct fr_enum - Names of the values of an attribute.
 * @names: Name of each value, from 0.
 * @n: Number of values.
 */
struct fr_enum {
	const char *const *names;
	size_t n;
};

/**
 * struct fr_attr - One attribute.
 * @name: Its name in the specification.
 * @kind: What its payload is.
 * @vals: Names of its values, for FR_KIND_ENUM.
 * @nested: The set inside it, for FR_KIND_NEST and FR_KIND_NESTS.
 */
struct fr_attr {
	const char *name;
	enum fr_kind kind;
	const struct fr_enum *vals;
	const struct fr_set *nested;
};

/**
 * struct fr_set - One attribute set.
 * @name: Its name in the specification.
 * @attrs: Its attributes, by type; the first one is unused.
 * @max: The highest type.
 */
struct fr_set {
	const char *name;
	const struct fr_attr *attrs;
	uint16_t max;
};

/**
 * struct fr_event - One notification.
 * @cmd: Command of the message.
 * @name: Its name in the specification.
 * @set: Attributes that it carries.
 * @verb: The command line verb that causes it.
 */
struct fr_event {
	uint8_t cmd;
	const char *name;
	const struct fr_set *set;
	const char *verb;
};

extern const struct fr_set fr_set_stats;
extern const struct fr_set fr_set_window;
extern const struct fr_set fr_set_window_stats;
extern const struct fr_set fr_set_pins;
extern const struct fr_set fr_set_ring;
extern const struct fr_set fr_set_backend;
extern const struct fr_set fr_set_service;
extern const struct fr_set fr_set_lookup;
extern const struct fr_set fr_set_owner;
extern const struct fr_set fr_set_change;
extern const struct fr_set fr_set_share;
extern const struct fr_set fr_set_commit;

extern const struct fr_enum fr_enum_mode;
extern const struct fr_enum fr_enum_state;
extern const struct fr_enum fr_enum_no_backend;
extern const struct fr_enum fr_enum_switch;
extern const struct fr_enum fr_enum_udp;
extern const struct fr_enum fr_enum_window_state;
extern const struct fr_enum fr_enum_why;
extern const struct fr_enum fr_enum_verdict;
extern const struct fr_enum fr_enum_action;
extern const struct fr_enum fr_enum_change_op;

const struct fr_attr *fr_set_attr(const struct fr_set *set, uint16_t type);
const char *fr_enum_name(const struct fr_enum *e, uint32_t val);
int fr_enum_value(const struct fr_enum *e, const char *word);
const char *fr_proto_name(uint32_t proto);
int fr_proto_value(const char *word);
const struct fr_event *fr_event_find(uint8_t cmd);

#endif /* _FLOWRING_NAMES_H */
