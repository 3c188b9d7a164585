/* SPDX-License-Identifier: GPL-2.0 */
/* offsetof(), beside what the uAPI header of the same name has */
#ifndef _FLOWRING_LIB_STDDEF_H
#define _FLOWRING_LIB_STDDEF_H

#include <stddef.h>

#include_next <linux/stddef.h>

#endif /* _FLOWRING_LIB_STDDEF_H */
