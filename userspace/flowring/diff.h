/* SPDX-License-Identifier: GPL-2.0 */
/* The changes that turn one ring into another. */

#ifndef _FLOWRING_DIFF_H
#define _FLOWRING_DIFF_H

#include "commit.h"
#include "document.h"

/**
 * struct fr_change - One change of a ring.
 * @op: enum flowring_change_op.
 * @before: The backend before; NULL when it is added, or for the ring itself.
 * @after: The backend after; NULL when it is deleted, or for the ring itself.
 * @rank: Place among the changes of several commits.
 */
struct fr_change {
	uint32_t op;
	const struct fr_doc_backend *before;
	const struct fr_doc_backend *after;
	int rank;
};

/**
 * struct fr_diff - All changes of a ring, in an order that works.
 * @before: The ring before, NULL when it is made.
 * @after: The ring after.
 * @v: The changes.
 * @n: Number of changes.
 */
struct fr_diff {
	const struct fr_doc_ring *before;
	const struct fr_doc_ring *after;
	struct fr_change *v;
	size_t n;
};

int fr_diff_make(struct fr_ctx *ctx, const struct fr_doc_ring *before,
		 const struct fr_doc_ring *after, struct fr_diff *diff);
void fr_diff_touch(struct fr_diff *diff);
int fr_diff_commit(struct fr_ctx *ctx, const struct fr_diff *diff,
		   size_t first, size_t n, struct fr_commit *c);
void fr_diff_clear(struct fr_diff *diff);

#endif /* _FLOWRING_DIFF_H */
