/* SPDX-License-Identifier: GPL-2.0 */
/* A kernel side that keeps rings, backends and services, without steering. */

#ifndef _FLOWRING_TESTS_FAKE_H
#define _FLOWRING_TESTS_FAKE_H

#include "mock.h"

#define FAKE_VAL_MAX	256

struct fake_val {
	bool set;
	uint16_t len;
	char buf[FAKE_VAL_MAX];
};

struct fake_obj {
	const struct fr_set *set;
	struct fake_val val[FR_ATTR_MAX + 1];
};

struct fake {
	struct mock m;
	struct fake_obj *objs;
	size_t n;
	size_t cap;
	/* Do not show keys, as to those without CAP_NET_ADMIN */
	bool hide_keys;
	/* Change something after each dump */
	bool restless;
};

void fake_init(struct fake *f);
void fake_fini(struct fake *f);
struct fake_obj *fake_find(struct fake *f, const struct fr_set *set,
			   const char *name);
void fake_u32(struct fake_obj *obj, uint16_t type, uint32_t val);
void fake_u64(struct fake_obj *obj, uint16_t type, uint64_t val);
void fake_stats(struct fake_obj *obj, uint16_t type, uint64_t first);
int fake_text(struct fake *f, const char *lines);

#endif /* _FLOWRING_TESTS_FAKE_H */
