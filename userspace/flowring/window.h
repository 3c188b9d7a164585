/* SPDX-License-Identifier: GPL-2.0 */
/* Windows of rings, as they are shown. */

#ifndef _FLOWRING_WINDOW_H
#define _FLOWRING_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#include "obj.h"

/* Fields of a layout of rings: a value of the window, and a counter of it */
#define FR_WINDOW_INFO(_sub, _line) {			\
	.attr	= FLOWRING_A_RING_WINDOW_INFO,		\
	.sub	= FLOWRING_A_WINDOW_##_sub,		\
	.line	= _line,				\
}

#define FR_WINDOW_STAT(_sub, _line) {			\
	.attr	= FLOWRING_A_RING_WINDOW_STATS,		\
	.sub	= FLOWRING_A_WINDOW_STATS_##_sub,	\
	.line	= _line,				\
	.stats	= true,					\
}

void fr_window_more(const struct fr_obj *obj, uint16_t attr, char *text,
		    size_t size, void *data);

#endif /* _FLOWRING_WINDOW_H */
