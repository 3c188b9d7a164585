/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel says about an error. */

#ifndef _FLOWRING_EXTACK_H
#define _FLOWRING_EXTACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libmnl/libmnl.h>
#include <linux/netlink.h>

#include "names.h"

/**
 * struct fr_extack - An acknowledgment, taken apart.
 * @error: The errno value, 0 for success.
 * @msg: The kernel's words, empty when there are none.
 * @has_cookie: @cookie is valid.
 * @cookie: A number that the kernel gives besides.
 * @offs: Offset of the attribute at fault in the request, 0 when not given.
 * @miss: Type of the attribute that is missing, 0 when not given.
 * @miss_nest: Offset of the nest where it is missing, 0 for the top level.
 * @policy: The kernel gave the policy that the attribute breaks.
 * @has_min: @min is valid.
 * @has_max: @max is valid.
 * @is_len: @min and @max are bytes.
 * @min: Least value or length.
 * @max: Greatest value or length.
 */
struct fr_extack {
	int error;
	char msg[256];
	bool has_cookie;
	uint64_t cookie;
	uint32_t offs;
	uint32_t miss;
	uint32_t miss_nest;
	bool policy;
	bool has_min;
	bool has_max;
	bool is_len;
	int64_t min;
	uint64_t max;
};

void fr_extack_parse(struct fr_extack *ext, const struct nlmsghdr *nlh);
void fr_extack_text(const struct fr_extack *ext, const struct fr_set *set,
		    const struct nlmsghdr *sent, const char *what,
		    char *buf, size_t size);
void fr_extack_text_in(const struct fr_extack *ext, const struct fr_set *set,
		       const struct nlmsghdr *sent, const struct nlattr *nest,
		       const char *what, char *buf, size_t size);

#endif /* _FLOWRING_EXTACK_H */
