/* SPDX-License-Identifier: GPL-2.0 */
/* static_assert() that takes no message, as in the kernel */
#ifndef _FLOWRING_LIB_BUILD_BUG_H
#define _FLOWRING_LIB_BUILD_BUG_H

#include <assert.h>

#undef static_assert
#define static_assert(expr)	_Static_assert(expr, #expr)

#endif /* _FLOWRING_LIB_BUILD_BUG_H */
