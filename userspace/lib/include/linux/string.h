/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _FLOWRING_LIB_STRING_H
#define _FLOWRING_LIB_STRING_H

#include <string.h>

#endif /* _FLOWRING_LIB_STRING_H */
