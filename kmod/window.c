// SPDX-License-Identifier: GPL-2.0
/*
 * Windows: how what slots remember follows from one change of a ring to the
 * next, and when it is forgotten. Documentation/windows.rst has the rules, and
 * why they lose no connection.
 */

#include "window.h"

static u32 flr_owners_target(const struct flr_owners *o, u32 slot, u32 bits)
{
	u16 owner = o->slots[slot >> (bits - o->bits)];

	return owner == FLR_NO_OWNER ? FLR_NO_TARGET : o->targets[owner];
}

/**
 * flr_window_next() - see what slots remember after a change
 * @w: gets it; @w->bits is set, at least the bits of all others here
 * @old: what they remembered before, or NULL
 * @from: the table before
 * @to: the table after
 * @gone: says whether the backend of a target leaves with the change
 * @data: for @gone
 *
 * A slot that gets its first owner has no connections, and remembers nothing.
 *
 * Return: whether a slot has another owner than before.
 */
bool flr_window_next(struct flr_window *w, const struct flr_window *old,
		     const struct flr_owners *from,
		     const struct flr_owners *to,
		     bool (*gone)(void *data, u32 target), void *data)
{
	u32 i, slot, a, b;
	bool moves = false;

	w->moved = 0;
	w->tick = old ? old->tick : 0;
	for (i = 0; i < 1U << w->bits; i++) {
		slot = old ? old->slots[i >> (w->bits - old->bits)] : 0;
		a = flr_owners_target(from, i, w->bits);
		b = flr_owners_target(to, i, w->bits);
		moves |= a != b;
		if (slot & FLR_SLOT_MOVED)
			a = slot & FLR_SLOT_TARGET;
		else if (a == FLR_NO_TARGET || a == b)
			a = b;
		else
			slot |= FLR_SLOT_MOVED;
		if (slot & FLR_SLOT_MOVED) {
			if (a != FLR_NO_TARGET && gone(data, a))
				a = FLR_NO_TARGET;
			slot = (slot & ~FLR_SLOT_TARGET) | a;
			w->moved++;
		}
		w->slots[i] = slot;
	}
	return moves;
}

/**
 * flr_window_close() - forget what slots remember
 * @w: gets what is left; it is all zero but for its bits, those of @old
 * @old: what they remembered
 *
 * No pins are made from then on, but those that exist are looked at.
 */
void flr_window_close(struct flr_window *w, const struct flr_window *old)
{
	u32 i;

	w->moved = 0;
	w->tick = old->tick;
	for (i = 0; i < 1U << w->bits; i++)
		w->slots[i] = old->slots[i] ? FLR_SLOT_PINS : 0;
}

/**
 * flr_window_mark() - have the pin of a flow looked at
 * @w: a window that remembers nothing
 * @pin: pin
 */
void flr_window_mark(struct flr_window *w, const struct flr_pin *pin)
{
	w->slots[flr_ring_slot(pin->pos, w->bits)] = FLR_SLOT_PINS;
}

/**
 * flr_window_needs() - see whether a pin is needed
 * @w: the window of its ring
 * @now: the table of its ring
 * @pin: pin of a backend that is still there
 *
 * In a slot that remembers an owner also those are that agree with the table,
 * as what is not pinned there is an older connection.
 *
 * Return: whether its flow is active and would go elsewhere without it.
 */
bool flr_window_needs(const struct flr_window *w, const struct flr_owners *now,
		      const struct flr_pin *pin)
{
	u32 slot = w->slots[flr_ring_slot(pin->pos, w->bits)];

	if (!slot || flr_pin_is_idle(pin, w->tick))
		return false;
	return slot & FLR_SLOT_MOVED ||
	       flr_owners_target(now, flr_ring_slot(pin->pos, now->bits),
				 now->bits) != pin->target;
}
