/* SPDX-License-Identifier: GPL-2.0 */
/* What a commit does or would do to a ring, and how that is printed. */

#ifndef _FLOWRING_PLAN_H
#define _FLOWRING_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "cli.h"

#define FR_PLAN_NAME	32

/**
 * struct fr_share - What happens to one backend.
 * @name: Its name.
 * @there_before: It is there before.
 * @there: It is there after.
 * @weight_before: Weight before, 0 when it is not up or not there.
 * @weight: Weight after, likewise.
 * @slots_before: Slots before, of &fr_plan.total.
 * @slots: Slots after, likewise.
 */
struct fr_share {
	char name[FR_PLAN_NAME];
	bool there_before;
	bool there;
	uint32_t weight_before;
	uint32_t weight;
	uint32_t slots_before;
	uint32_t slots;
};

/**
 * struct fr_plan - What a commit does or would do to a ring.
 * @ring: Name of the ring.
 * @is_new: The commit makes the ring.
 * @is_gone: The ring is deleted.
 * @dry: It was not done.
 * @epoch_before: Epoch before, 0 when it is not known.
 * @epoch: Epoch after, 0 when it is not known.
 * @fingerprint_before: Fingerprint before, when not @is_new.
 * @fingerprint: Fingerprint after, when not @is_gone.
 * @total: Slots of the larger of the two tables; all that follows is of these.
 * @moved: Slots that change their owner.
 * @least: The least that any placement with these shares could have moved.
 * @changes: Number of changes in the commit.
 * @shares: The backends, in the order of their names.
 * @n: Number of @shares.
 */
struct fr_plan {
	char ring[FR_PLAN_NAME];
	bool is_new;
	bool is_gone;
	bool dry;
	uint64_t epoch_before;
	uint64_t epoch;
	uint64_t fingerprint_before;
	uint64_t fingerprint;
	uint32_t total;
	uint32_t moved;
	uint32_t least;
	uint32_t changes;
	struct fr_share *shares;
	size_t n;
};

json_t *fr_plan_json(struct fr_ctx *ctx, const struct fr_plan *plans, size_t n);
int fr_plan_print(struct fr_ctx *ctx, const struct fr_plan *plans, size_t n);
void fr_plan_clear(struct fr_plan *plan);

#endif /* _FLOWRING_PLAN_H */
