// SPDX-License-Identifier: GPL-2.0
/*
 * Commits: any number of changes to a ring, made as one or not at all.
 *
 * Changes are staged in the ring's lists of backends, which only configuration
 * reads; packets read the live table and flr_net.endpoints. So until
 * flr_tx_ready() no packet notices anything, and flr_tx_abort() takes all back.
 * The order is: flr_tx_begin(); flr_tx_add(), flr_tx_set() and flr_tx_del();
 * flr_tx_prepare(), which makes the next table; then, unless it was only to be
 * planned, flr_tx_ready(), which takes what can still fail; flr_tx_commit(),
 * which cannot; and flr_tx_finish(). All of it under flr_net.lock, in process
 * context.
 */

#include <linux/mm.h>
#include <linux/slab.h>

#include "netlink.h"

static struct flr_table *flr_tx_old(const struct flr_tx *tx)
{
	return flr_ring_table(tx->ring, tx->fn);
}

static int flr_tx_nomem(struct flr_tx *tx)
{
	NL_SET_ERR_MSG_FMT(tx->ack, "ring %s: no memory", tx->ring->name);
	return -ENOMEM;
}

/**
 * flr_tx_begin() - begin a commit
 * @tx: the commit
 * @fn: namespace
 * @ring: ring; one from flr_ring_alloc() is to be made
 * @ack: for the reason of a refusal, or a warning
 *
 * The caller may then change @tx->opt, @tx->owner, @tx->epoch and the limits.
 */
void flr_tx_begin(struct flr_tx *tx, struct flr_net *fn, struct flr_ring *ring,
		  struct netlink_ext_ack *ack)
{
	lockdep_assert_held(&fn->lock);
	*tx = (struct flr_tx){
		.fn = fn,
		.ring = ring,
		.ack = ack,
		.is_new = !flr_ring_table(ring, fn),
		.opt = ring->opt,
		.max_move = U32_MAX,
		.max_share = U32_MAX,
		.epoch_before = ring->epoch,
		.epoch = ring->epoch + 1,
		.nids = ring->nids,
		.nbackends = ring->nbackends,
		.nbound = { ring->nbound[0], ring->nbound[1] },
	};
	if (!tx->is_new)
		tx->fingerprint_before = flr_tx_old(tx)->fingerprint;
	strscpy(tx->owner, ring->owner);
	INIT_LIST_HEAD(&tx->edits);
}

static struct flr_edit *flr_tx_edit(struct flr_tx *tx, struct flr_backend *old,
				    struct flr_backend *new)
{
	struct flr_edit *edit = kzalloc(sizeof(*edit), GFP_KERNEL_ACCOUNT);

	if (!edit)
		return NULL;
	edit->old = old;
	edit->new = new;
	edit->attr = tx->attr;
	list_add_tail(&edit->list, &tx->edits);
	if (new)
		new->edit = edit;
	return edit;
}

/* A backend comes (1) or goes (-1) */
static void flr_tx_account(struct flr_tx *tx, const struct flr_backend *b,
			   int by)
{
	tx->nbackends += by;
	if (flr_backend_is_bound(b))
		tx->nbound[flr_family(b->family)] += by;
}

/**
 * flr_tx_add() - stage a new backend
 * @tx: commit
 * @b: backend from flr_backend_alloc() with its options set; the commit owns it
 *	from now on when this succeeds
 *
 * Return: 0; -EEXIST, -E2BIG, -ENOMEM.
 */
int flr_tx_add(struct flr_tx *tx, struct flr_backend *b)
{
	struct flr_ring *ring = tx->ring;
	struct flr_edit *edit;
	u32 id;

	if (flr_backend_find(ring, b->name)) {
		NL_SET_ERR_MSG_FMT(tx->ack, "backend %s exists", b->name);
		return -EEXIST;
	}
	if (tx->nbackends >= FLOWRING_MAX_BACKENDS)
		goto err_full;
	edit = flr_tx_edit(tx, NULL, b);
	if (!edit)
		return flr_tx_nomem(tx);
	/* ids of backends that this commit deletes are still taken */
	if (xa_alloc(&ring->backends, &id, b,
		     XA_LIMIT(0, FLR_NO_OWNER - 1), GFP_KERNEL_ACCOUNT)) {
		list_del(&edit->list);
		kfree(edit);
		return flr_tx_nomem(tx);
	}
	b->id = id;
	b->ring = ring;
	rb_add(&b->node, &ring->by_name, flr_backend_less);
	tx->nids = max_t(u32, tx->nids, id + 1);
	flr_tx_account(tx, b, 1);
	return 0;

err_full:
	NL_SET_ERR_MSG_FMT(tx->ack, "no more than %u backends in a ring",
			   FLOWRING_MAX_BACKENDS);
	return -E2BIG;
}

/**
 * flr_tx_set() - stage a change of a backend
 * @tx: commit
 * @cur: the backend, which may be staged itself
 * @b: what it shall be, from flr_backend_clone(); the commit owns it from now
 *	on when this succeeds
 *
 * Return: 0 or -ENOMEM.
 */
int flr_tx_set(struct flr_tx *tx, struct flr_backend *cur,
	       struct flr_backend *b)
{
	struct flr_ring *ring = tx->ring;
	struct flr_edit *edit = cur->edit;

	if (!edit && !flr_tx_edit(tx, cur, b))
		return flr_tx_nomem(tx);
	flr_tx_account(tx, cur, -1);
	flr_tx_account(tx, b, 1);
	b->id = cur->id;
	b->ring = ring;
	rb_replace_node(&cur->node, &b->node, &ring->by_name);
	if (!edit)
		return 0;
	/* @cur is a stage only, and gives way */
	edit->new = b;
	edit->attr = tx->attr;
	b->edit = edit;
	b->stats_moved = cur->stats_moved;
	cur->stats_moved = true;
	if (!edit->old)
		xa_store(&ring->backends, b->id, b, GFP_KERNEL);
	flr_backend_free(cur);
	return 0;
}

/**
 * flr_tx_del() - stage the deletion of a backend
 * @tx: commit
 * @cur: the backend, which may be staged itself
 *
 * Return: 0 or -ENOMEM.
 */
int flr_tx_del(struct flr_tx *tx, struct flr_backend *cur)
{
	struct flr_ring *ring = tx->ring;
	struct flr_edit *edit = cur->edit;

	if (!edit && !flr_tx_edit(tx, cur, NULL))
		return flr_tx_nomem(tx);
	flr_tx_account(tx, cur, -1);
	rb_erase(&cur->node, &ring->by_name);
	if (!edit)
		return 0;
	if (!edit->old)
		xa_erase(&ring->backends, cur->id);
	edit->new = NULL;
	edit->attr = tx->attr;
	flr_backend_free(cur);
	return 0;
}

static void flr_tx_view(struct flr_view *view, const struct flr_table *table)
{
	*view = (struct flr_view){
		.key = table->key,
		.slots = table->slots,
		.counts = table->counts,
		.bits = table->bits,
		.nids = table->nids,
	};
}

static void flr_tx_compare(struct flr_tx *tx)
{
	struct flr_view from, to;

	tx->total = 1U << tx->table->bits;
	if (tx->is_new)
		return;
	flr_tx_view(&from, flr_tx_old(tx));
	flr_tx_view(&to, tx->table);
	tx->total = 1U << max(from.bits, to.bits);
	tx->moved = flr_ring_moved(&from, &to);
	tx->least = flr_ring_least(&from, &to);
}

/**
 * flr_tx_prepare() - check a commit, make its table and see what it does
 * @tx: commit
 *
 * Return: 0; -EINVAL, -EEXIST, -EAFNOSUPPORT, -EHOSTUNREACH, -E2BIG, -ERANGE
 * for the epoch, -EDQUOT for a limit, -ENOMEM.
 */
int flr_tx_prepare(struct flr_tx *tx)
{
	const struct flr_table *same = NULL;
	int err;

	err = flr_tx_check_epoch(tx) ?: flr_tx_check(tx);
	if (err)
		return err;
	if (flr_tx_is_same(tx))
		same = flr_tx_old(tx);
	tx->table = flr_table_build(tx->ring, &tx->opt, tx->nids,
				    tx->nbackends, same);
	if (!tx->table) {
		NL_SET_ERR_MSG_FMT(tx->ack, "ring %s: no memory for the table",
				   tx->ring->name);
		return -ENOMEM;
	}
	flr_tx_compare(tx);
	return flr_tx_check_limits(tx);
}

static bool flr_tx_has_services(const struct flr_tx *tx)
{
	return tx->ring->nservices[0] || tx->ring->nservices[1];
}

/**
 * flr_tx_ready() - take what the commit of a prepared change needs
 * @tx: commit
 *
 * Return: 0; -EBUSY for a frozen ring, -E2BIG for too many rings or backends,
 * -ENOMEM, or what registering the hooks said.
 */
int flr_tx_ready(struct flr_tx *tx)
{
	struct flr_net *fn = tx->fn;
	struct flr_edit *edit;
	int err;

	if (tx->ring->frozen) {
		NL_SET_ERR_MSG_FMT(tx->ack, "ring %s is frozen",
				   tx->ring->name);
		return -EBUSY;
	}
	if (tx->is_new) {
		if (fn->nrings >= FLOWRING_MAX_RINGS) {
			NL_SET_ERR_MSG_FMT(tx->ack, "no more than %u rings",
					   FLOWRING_MAX_RINGS);
			return -E2BIG;
		}
	} else if (flr_tx_has_services(tx) && tx->kind != FLR_KIND_NONE) {
		err = flr_hooks_start(fn, tx->kind == FLR_KIND_NAT,
				      tx->ack);
		if (err)
			return err;
	}
	list_for_each_entry(edit, &tx->edits, list) {
		if (!edit->new)
			continue;
		err = rhltable_insert(&fn->endpoints, &edit->new->endpoint,
				      flr_endpoint_params);
		if (err)
			return flr_tx_nomem(tx);
		edit->inserted = true;
	}
	err = flr_tx_targets(tx) ?: flr_tx_window(tx);
	if (err)
		return err;
	/* last, so that it needs no undoing */
	if (tx->is_new &&
	    xa_alloc(&fn->rings, &tx->ring->id, NULL, xa_limit_31b,
		     GFP_KERNEL_ACCOUNT))
		return flr_tx_nomem(tx);
	return 0;
}

/* The kind of a ring is that of its backends */
static void flr_ring_set_kind(struct flr_net *fn, struct flr_ring *ring,
			      u8 kind)
{
	u32 nservices = ring->nservices[0] + ring->nservices[1];

	if (ring->kind == kind)
		return;
	if (ring->kind == FLR_KIND_NAT)
		fn->nat_services -= nservices;
	WRITE_ONCE(ring->kind, kind);
	if (ring->kind == FLR_KIND_NAT)
		fn->nat_services += nservices;
}

static void flr_tx_set_ring(struct flr_tx *tx)
{
	struct flr_ring *ring = tx->ring;

	ring->opt.key = tx->opt.key;
	ring->opt.bits = tx->opt.bits;
	ring->opt.vnodes = tx->opt.vnodes;
	ring->opt.imbalance = tx->opt.imbalance;
	WRITE_ONCE(ring->opt.no_backend, tx->opt.no_backend);
	WRITE_ONCE(ring->opt.masquerade, tx->opt.masquerade);
	WRITE_ONCE(ring->opt.udp, tx->opt.udp);
	ring->opt.window = tx->opt.window;
	ring->opt.pin_idle = tx->opt.pin_idle;
	strscpy(ring->owner, tx->owner);
	ring->epoch = tx->epoch;
	ring->nids = tx->nids;
	ring->nbackends = tx->nbackends;
	ring->nbound[0] = tx->nbound[0];
	ring->nbound[1] = tx->nbound[1];
	flr_ring_set_kind(tx->fn, ring, tx->kind);
}

/* Whether the connections to the old backend of an edit end */
static bool flr_edit_ends(const struct flr_edit *edit)
{
	if (!edit->old)
		return false;
	return flr_edit_moves(edit) ||
	       (edit->new->state == FLOWRING_STATE_DOWN &&
		edit->old->state != FLOWRING_STATE_DOWN);
}

/**
 * flr_tx_commit() - make a commit
 * @tx: commit, after flr_tx_ready()
 *
 * The old backends stay until flr_tx_finish(), for notifications.
 */
void flr_tx_commit(struct flr_tx *tx)
{
	struct flr_table *old = flr_tx_old(tx);
	struct flr_ring *ring = tx->ring;
	struct flr_window *window = NULL;
	struct flr_edit *edit;

	if (old)
		window = flr_ring_window(ring, tx->fn);
	list_for_each_entry(edit, &tx->edits, list) {
		if (!edit->old)
			continue;
		/* the old one may be found by its address for a while */
		if (edit->new && edit->new->state != FLOWRING_STATE_DOWN)
			WRITE_ONCE(edit->old->state, edit->new->state);
		if (edit->new)
			xa_store(&ring->backends, edit->new->id, edit->new,
				 GFP_KERNEL);
		else
			xa_erase(&ring->backends, edit->old->id);
		if (!edit->new)
			continue;
		edit->old->stats_moved = true;
		edit->new->stats_moved = false;
	}
	flr_tx_targets_commit(tx);
	RCU_INIT_POINTER(tx->table->window, tx->window);
	/* a ring with the kind of its new backends comes after these */
	rcu_assign_pointer(ring->table, tx->table);
	flr_tx_set_ring(tx);
	flr_tx_window_commit(tx, window);
	if (old)
		kvfree_rcu(old, rcu);
	if (tx->is_new)
		flr_ring_insert(tx->fn, ring);
	/* what the old backends have was counted, not what the new ones do */
	tx->fn->counted = jiffies - HZ;
	tx->fn->flows_counted = jiffies - HZ;
	flr_changed(tx->fn);
}

/* End the connections of backends that leave, move or go down */
static void flr_tx_end(struct flr_tx *tx)
{
	struct flr_edit *edit;
	bool nat = false;

	list_for_each_entry(edit, &tx->edits, list) {
		if (!edit->old || !edit->old->ending)
			continue;
		WRITE_ONCE(edit->old->state, FLOWRING_STATE_DOWN);
		nat |= edit->old->mode == FLOWRING_MODE_NAT;
	}
	if (nat)
		flr_nat_end_backends(tx->fn);
}

static void flr_tx_free_edits(struct flr_tx *tx)
{
	struct flr_edit *edit, *next;

	list_for_each_entry_safe(edit, next, &tx->edits, list)
		kfree(edit);
	INIT_LIST_HEAD(&tx->edits);
}

/**
 * flr_tx_finish() - end what a commit has left behind
 * @tx: commit, after flr_tx_commit()
 *
 * Ends the conntrack flows to backends that went down or were deleted, and
 * those to old addresses and ports, and frees the old backends.
 */
void flr_tx_finish(struct flr_tx *tx)
{
	struct flr_edit *edit;

	list_for_each_entry(edit, &tx->edits, list) {
		if (edit->old)
			WRITE_ONCE(edit->old->ending, flr_edit_ends(edit));
		if (edit->new)
			edit->new->edit = NULL;
	}
	flr_tx_end(tx);
	list_for_each_entry(edit, &tx->edits, list) {
		if (edit->old)
			flr_backend_drop(tx->fn, edit->old);
	}
	flr_tx_free_edits(tx);
	flr_hooks_settle(tx->fn);
	/* after what announced the commit */
	if (tx->opens)
		flr_nl_window_ntf(tx->fn, tx->ring);
}

static void flr_tx_undo(struct flr_tx *tx, struct flr_edit *edit)
{
	struct flr_backend *old = edit->old, *new = edit->new;
	struct flr_ring *ring = tx->ring;

	if (new && old) {
		rb_replace_node(&new->node, &old->node, &ring->by_name);
	} else if (new) {
		rb_erase(&new->node, &ring->by_name);
		xa_erase(&ring->backends, new->id);
	} else if (old) {
		rb_add(&old->node, &ring->by_name, flr_backend_less);
	}
	if (!new)
		return;
	/* packets may have met it among the endpoints */
	if (edit->inserted)
		flr_backend_drop(tx->fn, new);
	else
		flr_backend_free(new);
}

/**
 * flr_tx_abort() - take a commit back
 * @tx: commit, before flr_tx_commit()
 *
 * A ring that was to be made is the caller's again.
 */
void flr_tx_abort(struct flr_tx *tx)
{
	struct flr_edit *edit;

	flr_tx_window_abort(tx);
	flr_tx_targets_abort(tx);
	list_for_each_entry_reverse(edit, &tx->edits, list)
		flr_tx_undo(tx, edit);
	flr_tx_free_edits(tx);
	kvfree(tx->table);
	flr_hooks_settle(tx->fn);
}
