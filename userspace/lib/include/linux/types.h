/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's short type names, over the uAPI header of the same name */
#ifndef _FLOWRING_LIB_TYPES_H
#define _FLOWRING_LIB_TYPES_H

#include_next <linux/types.h>

#include <linux/compiler.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;

#endif /* _FLOWRING_LIB_TYPES_H */
