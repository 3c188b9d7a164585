/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's names for attributes */
#ifndef _FLOWRING_LIB_COMPILER_H
#define _FLOWRING_LIB_COMPILER_H

#ifndef __aligned
#define __aligned(x)	__attribute__((__aligned__(x)))
#endif
#ifndef __maybe_unused
#define __maybe_unused	__attribute__((__unused__))
#endif

#endif /* _FLOWRING_LIB_COMPILER_H */
