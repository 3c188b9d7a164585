/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Windows: slots that remember who owned them before a ring was changed, and
 * where the packets of their flows go meanwhile. Pure functions over the
 * caller's memory, shared by the module and the tests.
 * Documentation/windows.rst is the normative text.
 */
#ifndef _FLOWRING_WINDOW_H
#define _FLOWRING_WINDOW_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "pin.h"
#include "ring.h"

/* A slot in a window: 0 when nothing is to be known of it, or */
#define FLR_SLOT_MOVED	0x80000000	/* it remembers an owner */
#define FLR_SLOT_PINS	0x40000000	/* it may have older pins */
#define FLR_SLOT_TARGET	0x000fffff	/* that owner, or FLR_NO_TARGET */

/**
 * struct flr_window - what the slots of a ring remember
 * @pins: the pins of their flows
 * @bits: there are 2^bits slots, as many as in the finest table since
 * @moved: slots that remember an owner
 * @tick: present tick of the ring, for the pins
 * @slots: FLR_SLOT_* of each slot
 *
 * Never changes once published, but for @tick; replaced as a whole.
 */
struct flr_window {
	struct flr_pins *pins;
	u32 bits;
	u32 moved;
	u8 tick;
	u32 slots[];
};

/**
 * struct flr_owners - a slot table, with what its owners are for pins
 * @slots: owners, by slot
 * @targets: targets, by owner
 * @bits: there are 2^bits slots
 */
struct flr_owners {
	const u16 *slots;
	const u32 *targets;
	u32 bits;
};

/**
 * enum flr_why - why a packet goes where it goes
 * @FLR_WHY_STEADY: its slot is in no window
 * @FLR_WHY_PRESENT: it goes to the owner of its slot
 * @FLR_WHY_PIN: its flow is pinned
 * @FLR_WHY_REMEMBERED: its flow is older than the window
 */
enum flr_why {
	FLR_WHY_STEADY,
	FLR_WHY_PRESENT,
	FLR_WHY_PIN,
	FLR_WHY_REMEMBERED,
};

/* What else happened, for the counters */
#define FLR_DID_BEGIN	0x01	/* pinned the beginning of a connection */
#define FLR_DID_ADOPT	0x02	/* pinned an older connection */
#define FLR_DID_REPIN	0x04	/* a beginning was pinned elsewhere before */
#define FLR_DID_EVICT	0x08	/* another flow's pin was evicted */
#define FLR_DID_FULL	0x10	/* there was no room for a pin */
#define FLR_DID_ORPHAN	0x20	/* who had the connection is gone or down */
#define FLR_DID_BITS	6

/**
 * struct flr_ask - a packet that asks for its backend
 * @hash: position of its flow
 * @present: target of its slot's owner, or FLR_NO_TARGET
 * @seg: what it says of its connection
 * @move: flows of FLR_SEG_NONE go to the present owner at once
 * @usable: says whether the backend of a target can serve what it has
 * @data: for @usable
 */
struct flr_ask {
	u64 hash;
	u32 present;
	enum flr_segment seg;
	bool move;
	bool (*usable)(void *data, u32 target);
	void *data;
};

/**
 * struct flr_answer - where it goes
 * @target: target; the present one for the first two reasons
 * @why: enum flr_why
 * @did: FLR_DID_*
 */
struct flr_answer {
	u32 target;
	u8 why;
	u8 did;
};

bool flr_window_next(struct flr_window *w, const struct flr_window *old,
		     const struct flr_owners *from,
		     const struct flr_owners *to,
		     bool (*gone)(void *data, u32 target), void *data);
void flr_window_close(struct flr_window *w, const struct flr_window *old);
void flr_window_mark(struct flr_window *w, const struct flr_pin *pin);
bool flr_window_needs(const struct flr_window *w, const struct flr_owners *now,
		      const struct flr_pin *pin);

static __always_inline struct flr_answer
flr_window_syn(const struct flr_window *w, const struct flr_ask *ask, u32 slot)
{
	u8 tick = READ_ONCE(w->tick);
	struct flr_answer a = {
		.target = ask->present,
		.why = FLR_WHY_PRESENT,
	};
	u32 old = slot & FLR_SLOT_TARGET;

	/* without a place to go to, or when no pins are made any more */
	if (!(slot & FLR_SLOT_MOVED) || ask->present == FLR_NO_TARGET) {
		flr_pin_del(w->pins, ask->hash);
		return a;
	}
	switch (flr_pin_set(w->pins, ask->hash, ask->present, FLR_PIN_SYN,
			    tick)) {
	case FLR_PIN_SAME:
		return a;
	case FLR_PIN_MOVED:
		a.did = FLR_DID_BEGIN | FLR_DID_REPIN;
		return a;
	case FLR_PIN_EVICTED:
		a.did = FLR_DID_EVICT;
		fallthrough;
	case FLR_PIN_MADE:
		a.did |= FLR_DID_BEGIN;
		return a;
	case FLR_PIN_FULL:
		break;
	}
	/* what follows would go to the remembered owner: so this, too */
	a.did = FLR_DID_FULL;
	if (old != FLR_NO_TARGET && ask->usable(ask->data, old)) {
		a.target = old;
		a.why = FLR_WHY_REMEMBERED;
	}
	return a;
}

static __always_inline struct flr_answer
flr_window_old(const struct flr_window *w, const struct flr_ask *ask, u32 old)
{
	u8 tick = READ_ONCE(w->tick);
	struct flr_answer a = {
		.target = old,
		.why = FLR_WHY_REMEMBERED,
	};

	if (ask->seg == FLR_SEG_NONE || ask->seg == FLR_SEG_QUOTE)
		return a;
	switch (flr_pin_set(w->pins, ask->hash, old, FLR_PIN_SEEN, tick)) {
	case FLR_PIN_EVICTED:
		a.did = FLR_DID_EVICT;
		fallthrough;
	case FLR_PIN_MADE:
		a.did |= FLR_DID_ADOPT;
		break;
	case FLR_PIN_FULL:
		a.did = FLR_DID_FULL;
		break;
	default:
		/* pinned to a backend that is down or gone, or just now */
		break;
	}
	return a;
}

/**
 * flr_window_pick() - find where a packet goes while its ring has a window
 * @w: the window
 * @ask: the packet
 *
 * Inline, so that @ask->usable is no indirect call.
 *
 * Context: any; under rcu_read_lock() for the sake of @w.
 * Return: where, and why.
 */
static __always_inline struct flr_answer
flr_window_pick(const struct flr_window *w, const struct flr_ask *ask)
{
	u32 slot = w->slots[flr_ring_slot(ask->hash, w->bits)], pin, old;
	struct flr_answer a = {
		.target = ask->present,
		.why = FLR_WHY_STEADY,
	};

	if (!slot)
		return a;
	a.why = FLR_WHY_PRESENT;
	if (ask->seg == FLR_SEG_SYN)
		return flr_window_syn(w, ask, slot);
	if (ask->seg != FLR_SEG_NONE) {
		pin = flr_pin_get(w->pins, ask->hash, READ_ONCE(w->tick),
				  ask->seg);
		if (pin != FLR_NO_TARGET && ask->usable(ask->data, pin)) {
			a.target = pin;
			a.why = FLR_WHY_PIN;
			return a;
		}
	} else if (ask->move) {
		return a;
	}
	if (!(slot & FLR_SLOT_MOVED))
		return a;
	old = slot & FLR_SLOT_TARGET;
	if (old != FLR_NO_TARGET && ask->usable(ask->data, old))
		return flr_window_old(w, ask, old);
	a.did = FLR_DID_ORPHAN;
	return a;
}

#endif /* _FLOWRING_WINDOW_H */
