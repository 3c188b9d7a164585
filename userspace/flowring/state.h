/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel has, as of one moment. */

#ifndef _FLOWRING_STATE_H
#define _FLOWRING_STATE_H

#include "document.h"
#include "obj.h"

/**
 * struct fr_state - All that the kernel has.
 * @rings: The rings.
 * @backends: The backends of all of them.
 * @services: The services.
 *
 * Each list is sorted.
 */
struct fr_state {
	struct fr_list rings;
	struct fr_list backends;
	struct fr_list services;
};

int fr_state_read(struct fr_ctx *ctx, const char *what,
		  struct fr_state *state);
void fr_state_clear(struct fr_state *state);
struct fr_document *fr_state_document(struct fr_ctx *ctx, const char *what,
				      const struct fr_state *state);

#endif /* _FLOWRING_STATE_H */
