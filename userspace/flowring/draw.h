/* SPDX-License-Identifier: GPL-2.0 */
/* A picture of a ring. */

#ifndef _FLOWRING_DRAW_H
#define _FLOWRING_DRAW_H

#include "cli.h"

int fr_ring_draw(struct fr_ctx *ctx, struct fr_args *args);

#endif /* _FLOWRING_DRAW_H */
