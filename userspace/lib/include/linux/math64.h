/* SPDX-License-Identifier: GPL-2.0 */
/* Division of 64-bit numbers, which 32-bit kernels need functions for */
#ifndef _FLOWRING_LIB_MATH64_H
#define _FLOWRING_LIB_MATH64_H

#include <linux/types.h>

static inline u64 div64_u64_rem(u64 dividend, u64 divisor, u64 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

#endif /* _FLOWRING_LIB_MATH64_H */
