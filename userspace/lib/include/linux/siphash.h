/* SPDX-License-Identifier: GPL-2.0 */
/* SipHash-2-4 with the kernel's interface */
#ifndef _FLOWRING_LIB_SIPHASH_H
#define _FLOWRING_LIB_SIPHASH_H

#include <stddef.h>

#include <linux/types.h>

typedef struct {
	u64 key[2];
} siphash_key_t;

u64 siphash(const void *data, size_t len, const siphash_key_t *key);

#endif /* _FLOWRING_LIB_SIPHASH_H */
