/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's names for attributes and hints */
#ifndef _FLOWRING_LIB_COMPILER_H
#define _FLOWRING_LIB_COMPILER_H

#include <sys/cdefs.h>	/* __always_inline */

#ifndef __aligned
#define __aligned(x)	__attribute__((__aligned__(x)))
#endif
#ifndef __maybe_unused
#define __maybe_unused	__attribute__((__unused__))
#endif
#ifndef fallthrough
#define fallthrough	__attribute__((__fallthrough__))
#endif
#ifndef likely
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#endif

#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, val)	__atomic_store_n(&(x), (val), __ATOMIC_RELAXED)

#endif /* _FLOWRING_LIB_COMPILER_H */
