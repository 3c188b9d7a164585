/* SPDX-License-Identifier: GPL-2.0 */
/* What other tables would move by the same change, to compare with. */

#ifndef _FLOWRING_MAGLEV_H
#define _FLOWRING_MAGLEV_H

#include <stddef.h>
#include <stdint.h>

/* The size that the paper, and Katran, use for a small table */
#define FR_MAGLEV_SIZE		65537

/**
 * struct fr_weighed - A backend before and after a change.
 * @name: Its name.
 * @before: Its weight before, 0 when it got no flows.
 * @after: Its weight after, likewise.
 */
struct fr_weighed {
	const char *name;
	uint32_t before;
	uint32_t after;
};

double fr_maglev_moved(const struct fr_weighed *v, size_t n);
double fr_modulo_moved(const struct fr_weighed *v, size_t n);

#endif /* _FLOWRING_MAGLEV_H */
