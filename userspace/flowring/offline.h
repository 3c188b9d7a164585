/* SPDX-License-Identifier: GPL-2.0 */
/* Slot tables without the kernel, made by the kernel's own ring code. The types
 * of that code stay behind this header.
 */

#ifndef _FLOWRING_OFFLINE_H
#define _FLOWRING_OFFLINE_H

#include "document.h"
#include "plan.h"

#define FR_TABLE_NO_OWNER	0xffff

/**
 * struct fr_table - The slot table of a ring.
 * @bits: It has 2^bits slots.
 * @slots: The owners, indexes of the backends of the ring.
 * @counts: Slots of each backend.
 * @caps: Slots that each backend may own at most, 0 in a ring without a bound.
 * @fingerprint: The fingerprint of the ring.
 */
struct fr_table {
	uint32_t bits;
	uint16_t *slots;
	uint32_t *counts;
	uint32_t *caps;
	uint64_t fingerprint;
};

int fr_table_build(struct fr_ctx *ctx, const struct fr_doc_ring *ring,
		   struct fr_table *table);
void fr_table_clear(struct fr_table *table);
bool fr_offline_anew(const struct fr_doc_backend *before,
		     const struct fr_doc_backend *after);
int fr_offline_plan(struct fr_ctx *ctx, const struct fr_doc_ring *before,
		    const struct fr_doc_ring *after, struct fr_plan *plan);

#endif /* _FLOWRING_OFFLINE_H */
