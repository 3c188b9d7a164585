/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's short type names, over the uAPI header of the same name */
#ifndef _FLOWRING_LIB_TYPES_H
#define _FLOWRING_LIB_TYPES_H

#include <stdbool.h>

#include_next <linux/types.h>

#include <linux/compiler.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;

#define U32_MAX		((u32)~0U)
#define U64_MAX		((u64)~0ULL)

#endif /* _FLOWRING_LIB_TYPES_H */
