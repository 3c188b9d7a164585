// SPDX-License-Identifier: GPL-2.0
/*
 * The windows of a namespace: opened by commits, closed by time.
 *
 * window.c has what a window is. Here are its memory, its publishing and the
 * work that closes windows and sweeps pins. A ring with a window is in
 * flr_net.drains. The table of pins is made with the first window and goes with
 * the last.
 */

#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "netlink.h"

static struct flr_window *flr_window_alloc(struct flr_net *fn, u32 bits)
{
	struct flr_window *w;

	w = kvzalloc(struct_size(w, slots, 1UL << bits), GFP_KERNEL_ACCOUNT);
	if (!w)
		return NULL;
	w->bits = bits;
	w->pins = fn->pins;
	return w;
}

static int flr_pins_get(struct flr_net *fn)
{
	u32 nbuckets = fn->pins_size / FLR_PIN_WAYS;

	if (fn->pins)
		return 0;
	fn->pins = kvzalloc(struct_size(fn->pins, buckets, nbuckets),
			    GFP_KERNEL_ACCOUNT);
	if (!fn->pins)
		return -ENOMEM;
	fn->pins->mask = nbuckets - 1;
	return 0;
}

/* Without windows there are no pins */
static void flr_pins_put(struct flr_net *fn)
{
	if (!list_empty(&fn->drains) || !fn->pins)
		return;
	kvfree_rcu_mightsleep(fn->pins);
	fn->pins = NULL;
	flr_targets_reuse(fn);
}

/**
 * flr_ring_window() - window of a ring, for its configuration
 * @ring: ring
 * @fn: namespace
 *
 * Context: under flr_net.lock.
 * Return: the window, or NULL.
 */
struct flr_window *flr_ring_window(const struct flr_ring *ring,
				   const struct flr_net *fn)
{
	return rcu_dereference_protected(flr_ring_table(ring, fn)->window,
					 lockdep_is_held(&fn->lock));
}

static unsigned long flr_window_idle(const struct flr_ring *ring)
{
	return (unsigned long)max(ring->opt.pin_idle, ring->opt.window) * HZ;
}

static unsigned long flr_window_tick(const struct flr_ring *ring)
{
	return max(flr_window_idle(ring) / FLR_PIN_TICKS, 1UL);
}

/*
 * When the next tick of a ring is due. Those of several rings fall together, so
 * that one sweep does for all; none comes early, as pins live by them.
 */
static unsigned long flr_window_next_tick(const struct flr_ring *ring)
{
	unsigned long tick = flr_window_tick(ring), step = tick / 4 + 1;

	return (jiffies + tick + step) / step * step;
}

/**
 * flr_window_left() - how long backends may keep flows that have moved away
 * @ring: ring, with or without a window
 *
 * Context: under flr_net.lock.
 * Return: jiffies until all of its pins have gone, if nothing changes and their
 * flows go quiet now.
 */
unsigned long flr_window_left(const struct flr_ring *ring)
{
	unsigned long now = jiffies, left = flr_window_idle(ring);

	if (ring->drain.state == FLOWRING_WINDOW_STATE_OPEN &&
	    time_after(ring->drain.until, now))
		left += ring->drain.until - now;
	return left;
}

static void flr_window_publish(struct flr_net *fn, struct flr_ring *ring,
			       struct flr_window *w)
{
	struct flr_window *old = flr_ring_window(ring, fn);

	rcu_assign_pointer(flr_ring_table(ring, fn)->window, w);
	if (old)
		kvfree_rcu_mightsleep(old);
}

/* Count the slots that remember each backend and have another owner */
static void flr_window_count(struct flr_net *fn, struct flr_ring *ring)
{
	const struct flr_table *table = flr_ring_table(ring, fn);
	const struct flr_window *w = flr_ring_window(ring, fn);
	struct flr_backend *b;
	u32 i, target;
	u16 owner;

	for (b = flr_backend_first(ring); b; b = flr_backend_next(b))
		b->remembered = 0;
	for (i = 0; w->moved && i < 1U << w->bits; i++) {
		if (!(w->slots[i] & FLR_SLOT_MOVED))
			continue;
		target = w->slots[i] & FLR_SLOT_TARGET;
		owner = table->slots[i >> (w->bits - table->bits)];
		if (target == FLR_NO_TARGET ||
		    (owner != FLR_NO_OWNER && table->targets[owner] == target))
			continue;
		b = flr_target_backend(fn, target);
		if (b)
			b->remembered++;
	}
}

/**
 * flr_window_drop() - have a ring in steady state
 * @fn: namespace
 * @ring: ring, with or without a window
 *
 * Context: under flr_net.lock, may sleep.
 */
void flr_window_drop(struct flr_net *fn, struct flr_ring *ring)
{
	if (ring->drain.state == FLOWRING_WINDOW_STATE_STEADY)
		return;
	flr_window_publish(fn, ring, NULL);
	ring->drain.state = FLOWRING_WINDOW_STATE_STEADY;
	ring->drain.pins = 0;
	list_del(&ring->drain.list);
	flr_pins_put(fn);
}

static unsigned long flr_window_due(const struct flr_drain *drain)
{
	unsigned long due = drain->next_tick;

	if (drain->state == FLOWRING_WINDOW_STATE_OPEN) {
		if (time_before(drain->until, due))
			due = drain->until;
	} else if (!drain->swept) {
		due = jiffies + max(HZ / 50, 1);
	}
	return due;
}

static void flr_windows_schedule(struct flr_net *fn)
{
	unsigned long now = jiffies, delay = MAX_JIFFY_OFFSET, due;
	struct flr_ring *ring;

	if (list_empty(&fn->drains))
		return;
	list_for_each_entry(ring, &fn->drains, drain.list) {
		due = flr_window_due(&ring->drain);
		due = time_after(due, now) ? due - now : 1;
		delay = min(delay, due);
	}
	mod_delayed_work(system_unbound_wq, &fn->work, delay);
}

/**
 * flr_window_shut() - have the slots of a ring forget their owners
 * @fn: namespace
 * @ring: ring with an open window
 *
 * Context: under flr_net.lock, may sleep.
 * Return: 0 or -ENOMEM.
 */
int flr_window_shut(struct flr_net *fn, struct flr_ring *ring)
{
	struct flr_window *old = flr_ring_window(ring, fn), *w;
	struct flr_drain *drain = &ring->drain;

	w = flr_window_alloc(fn, old->bits);
	if (!w)
		return -ENOMEM;
	flr_window_close(w, old);
	drain->forgotten += old->moved;
	flr_window_publish(fn, ring, w);
	flr_window_count(fn, ring);
	drain->state = FLOWRING_WINDOW_STATE_CLOSING;
	drain->swept = false;
	drain->grace = start_poll_synchronize_rcu();
	flr_windows_schedule(fn);
	flr_nl_window_ntf(fn, ring);
	return 0;
}

/* Whether no packet can make a pin any more, in a window that closes */
static bool flr_drain_is_quiet(const struct flr_drain *drain)
{
	return drain->state == FLOWRING_WINDOW_STATE_CLOSING &&
	       poll_state_synchronize_rcu(drain->grace);
}

static bool flr_windows_keep(void *data, const struct flr_pin *pin)
{
	struct flr_backend *b = flr_target_backend(data, pin->target);
	const struct flr_table *table;
	const struct flr_window *w;
	struct flr_owners now;
	struct flr_ring *ring;

	if (!b)
		return false;
	ring = b->ring;
	w = flr_ring_window(ring, data);
	if (!w)
		return false;
	table = flr_ring_table(ring, data);
	now = (struct flr_owners){ table->slots, table->targets, table->bits };
	if (!flr_window_needs(w, &now, pin)) {
		ring->drain.idle += flr_pin_is_idle(pin, w->tick);
		return false;
	}
	b->pins++;
	ring->drain.pins++;
	if (ring->drain.next)
		flr_window_mark(ring->drain.next, pin);
	return true;
}

static void flr_sweep_begin(struct flr_net *fn, struct flr_ring *ring)
{
	const struct flr_window *w = flr_ring_window(ring, fn);
	struct flr_backend *b;

	ring->drain.pins = 0;
	for (b = flr_backend_first(ring); b; b = flr_backend_next(b))
		b->pins = 0;
	if (!flr_drain_is_quiet(&ring->drain))
		return;
	ring->drain.swept = true;
	/* without it, more slots are looked at than need be */
	ring->drain.next = flr_window_alloc(fn, w->bits);
	if (ring->drain.next)
		ring->drain.next->tick = w->tick;
}

static void flr_sweep_end(struct flr_net *fn, struct flr_ring *ring)
{
	struct flr_drain *drain = &ring->drain;

	if (drain->state == FLOWRING_WINDOW_STATE_CLOSING && drain->swept &&
	    !drain->pins) {
		kvfree(drain->next);
		drain->next = NULL;
		flr_window_drop(fn, ring);
		flr_nl_window_ntf(fn, ring);
	} else if (drain->next) {
		flr_window_publish(fn, ring, drain->next);
		drain->next = NULL;
	}
}

/**
 * flr_windows_sweep() - remove the pins that are not needed, and count others
 * @fn: namespace
 *
 * Brings rings whose last pin has gone into steady state.
 *
 * Context: under flr_net.lock, may sleep.
 */
void flr_windows_sweep(struct flr_net *fn)
{
	bool reuse = fn->gone && poll_state_synchronize_rcu(fn->gone_grace);
	struct flr_ring *ring, *next;

	if (!fn->pins)
		return;
	list_for_each_entry(ring, &fn->drains, drain.list)
		flr_sweep_begin(fn, ring);
	flr_pins_sweep(fn->pins, flr_windows_keep, fn);
	fn->counted = jiffies;
	if (reuse)
		flr_targets_reuse(fn);
	list_for_each_entry_safe(ring, next, &fn->drains, drain.list)
		flr_sweep_end(fn, ring);
}

/**
 * flr_pins_count() - count pins, unless they were counted just now
 * @fn: namespace
 *
 * Context: under flr_net.lock, may sleep.
 */
void flr_pins_count(struct flr_net *fn)
{
	if (time_after(jiffies, fn->counted + HZ / 2))
		flr_windows_sweep(fn);
}

/* What the time has come for in a ring. Return: whether to sweep. */
static bool flr_window_run(struct flr_net *fn, struct flr_ring *ring)
{
	struct flr_window *w = flr_ring_window(ring, fn);
	struct flr_drain *drain = &ring->drain;
	bool sweep = flr_drain_is_quiet(drain) && !drain->swept;

	if (time_after_eq(jiffies, drain->next_tick)) {
		WRITE_ONCE(w->tick, w->tick + 1);
		drain->next_tick = flr_window_next_tick(ring);
		sweep = true;
	}
	if (drain->state == FLOWRING_WINDOW_STATE_OPEN &&
	    time_after_eq(jiffies, drain->until) && flr_window_shut(fn, ring))
		drain->until = jiffies + HZ;
	return sweep;
}

static void flr_windows_work(struct work_struct *work)
{
	struct flr_net *fn = container_of(to_delayed_work(work),
					  struct flr_net, work);
	struct flr_ring *ring;
	bool sweep = false;

	mutex_lock(&fn->lock);
	list_for_each_entry(ring, &fn->drains, drain.list)
		sweep |= flr_window_run(fn, ring);
	if (sweep)
		flr_windows_sweep(fn);
	flr_windows_schedule(fn);
	mutex_unlock(&fn->lock);
}

static bool flr_windows_gone(void *data, u32 target)
{
	const struct flr_backend *b = flr_target_backend(data, target);

	return !b || b->gone;
}

static bool flr_tx_has_window(const struct flr_tx *tx)
{
	const struct flr_ring *ring = tx->ring;

	if (tx->is_new)
		return false;
	if (ring->drain.state != FLOWRING_WINDOW_STATE_STEADY)
		return true;
	return tx->opt.window && ring->kind == FLR_KIND_STATELESS &&
	       (ring->nservices[0] || ring->nservices[1]);
}

static int flr_tx_window_alloc(struct flr_tx *tx, u32 bits)
{
	struct flr_drain *drain = &tx->ring->drain;

	if (!drain->stats)
		drain->stats = flr_window_stats_alloc();
	if (!drain->stats || flr_pins_get(tx->fn))
		return -ENOMEM;
	tx->window = flr_window_alloc(tx->fn, bits);
	return tx->window ? 0 : -ENOMEM;
}

/**
 * flr_tx_window() - see what slots will remember after a commit
 * @tx: commit, its targets given
 *
 * Context: under flr_net.lock, may sleep.
 * Return: 0 or -ENOMEM.
 */
int flr_tx_window(struct flr_tx *tx)
{
	const struct flr_table *a, *b = tx->table;
	const struct flr_window *old;
	struct flr_owners from, to;
	u32 bits;

	if (!flr_tx_has_window(tx) || flr_tx_new_key(tx))
		return 0;
	a = flr_ring_table(tx->ring, tx->fn);
	old = flr_ring_window(tx->ring, tx->fn);
	bits = max3(a->bits, b->bits, old ? old->bits : 0);
	if (flr_tx_window_alloc(tx, bits)) {
		NL_SET_ERR_MSG_FMT(tx->ack, "ring %s: no memory for the window",
				   tx->ring->name);
		return -ENOMEM;
	}
	to = (struct flr_owners){ b->slots, b->targets, b->bits };
	/* with windows off, nothing more is remembered */
	from = tx->opt.window ?
	       (struct flr_owners){ a->slots, a->targets, a->bits } : to;
	tx->moves = flr_window_next(tx->window, old, &from, &to,
				    flr_windows_gone, tx->fn);
	if (!old && !tx->window->moved)
		flr_tx_window_abort(tx);
	return 0;
}

/**
 * flr_tx_window_abort() - undo flr_tx_window(), whether or not it was called
 * @tx: commit
 *
 * Context: under flr_net.lock, may sleep.
 */
void flr_tx_window_abort(struct flr_tx *tx)
{
	kvfree(tx->window);
	tx->window = NULL;
	flr_pins_put(tx->fn);
}

/**
 * flr_tx_window_commit() - note that a commit has published a window, or none
 * @tx: commit
 * @old: the window before, or NULL; is freed
 *
 * Context: under flr_net.lock, may sleep.
 */
void flr_tx_window_commit(struct flr_tx *tx, struct flr_window *old)
{
	unsigned long until = jiffies + tx->opt.window * HZ;
	struct flr_drain *drain = &tx->ring->drain;
	u8 before = drain->state;

	if (old)
		kvfree_rcu_mightsleep(old);
	if (!tx->window) {
		/* with another key, flows are in other slots */
		tx->opens = old;
		flr_window_drop(tx->fn, tx->ring);
		return;
	}
	if (before == FLOWRING_WINDOW_STATE_STEADY) {
		list_add_tail(&drain->list, &tx->fn->drains);
		drain->next_tick = flr_window_next_tick(tx->ring);
	}
	if (tx->window->moved) {
		drain->state = FLOWRING_WINDOW_STATE_OPEN;
		drain->swept = false;
		/* a shorter window counts at once */
		if (tx->moves || before != FLOWRING_WINDOW_STATE_OPEN ||
		    time_before(until, drain->until))
			drain->until = until;
	}
	flr_window_count(tx->fn, tx->ring);
	flr_windows_schedule(tx->fn);
	tx->opens = drain->state != before;
}

/**
 * flr_windows_init() - begin to have windows in a namespace
 * @fn: namespace
 */
void flr_windows_init(struct flr_net *fn)
{
	INIT_LIST_HEAD(&fn->drains);
	INIT_DELAYED_WORK(&fn->work, flr_windows_work);
	xa_init_flags(&fn->targets, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
	fn->pins_size = FLOWRING_DEFAULT_PINS;
	fn->counted = jiffies - HZ;
	fn->flows_counted = jiffies - HZ;
}

/**
 * flr_windows_stop() - have nothing done by time any more
 * @fn: namespace that is not configured any more
 *
 * Context: process context, may sleep; not under flr_net.lock.
 */
void flr_windows_stop(struct flr_net *fn)
{
	cancel_delayed_work_sync(&fn->work);
}
