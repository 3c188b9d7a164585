// SPDX-License-Identifier: GPL-2.0
/*
 * Targets: what pins hold in place of a backend, a number in its namespace.
 *
 * A backend keeps its target through all changes but one of its address, which
 * makes it another one for its connections; so does being deleted and added
 * again. The target of a backend that is gone is not given to another one while
 * there may be pins that hold it: a grace period, in which late packets may
 * still make some, and a sweep have to be over.
 */

#include "flowring.h"

#define FLR_TARGET_GONE	XA_MARK_1

/**
 * flr_target_backend() - find the backend of a target
 * @fn: namespace
 * @target: target
 *
 * Context: under flr_net.lock, or rcu_read_lock().
 * Return: the backend, or NULL when it is gone.
 */
struct flr_backend *flr_target_backend(struct flr_net *fn, u32 target)
{
	void *entry = xa_load(&fn->targets, target);

	return xa_is_value(entry) ? NULL : entry;
}

/**
 * flr_targets_reuse() - let the targets of backends that are gone be used again
 * @fn: namespace, without pins that hold them
 *
 * Context: under flr_net.lock.
 */
void flr_targets_reuse(struct flr_net *fn)
{
	unsigned long target;
	void *entry;

	if (!fn->gone)
		return;
	xa_for_each_marked(&fn->targets, target, entry, FLR_TARGET_GONE)
		xa_erase(&fn->targets, target);
	fn->gone = false;
}

/**
 * flr_target_drop() - take the target of a backend that leaves
 * @fn: namespace
 * @b: backend
 *
 * Context: under flr_net.lock.
 */
void flr_target_drop(struct flr_net *fn, const struct flr_backend *b)
{
	if (!fn->pins) {
		xa_erase(&fn->targets, b->target);
		return;
	}
	/* replaces what holds the place, so it needs no memory */
	xa_store(&fn->targets, b->target, xa_mk_value(0), GFP_KERNEL);
	xa_set_mark(&fn->targets, b->target, FLR_TARGET_GONE);
	fn->gone = true;
	fn->gone_grace = start_poll_synchronize_rcu();
}

static int flr_target_alloc(struct flr_tx *tx, struct flr_backend *b)
{
	struct flr_net *fn = tx->fn;
	int err;

	err = xa_alloc(&fn->targets, &b->target, b,
		       XA_LIMIT(0, FLR_TARGETS - 1), GFP_KERNEL_ACCOUNT);
	if (err == -EBUSY && fn->gone) {
		synchronize_rcu();
		flr_windows_sweep(fn);
		err = xa_alloc(&fn->targets, &b->target, b,
			       XA_LIMIT(0, FLR_TARGETS - 1),
			       GFP_KERNEL_ACCOUNT);
	}
	if (!err)
		return 0;
	b->target = FLR_NO_TARGET;
	if (err != -EBUSY) {
		NL_SET_ERR_MSG_FMT(tx->ack, "backend %s: no memory", b->name);
		return err;
	}
	NL_SET_ERR_MSG_FMT(tx->ack, "no more than %u backends in all rings",
			   FLOWRING_MAX_ALL_BACKENDS);
	return -E2BIG;
}

/**
 * flr_tx_targets() - give targets to the backends of a commit
 * @tx: commit, its table made
 *
 * Context: under flr_net.lock, may sleep.
 * Return: 0; -E2BIG or -ENOMEM.
 */
int flr_tx_targets(struct flr_tx *tx)
{
	struct flr_backend *b, *old;
	struct flr_edit *edit;
	int err;

	BUILD_BUG_ON(FLR_TARGETS != FLOWRING_MAX_ALL_BACKENDS);
	list_for_each_entry(edit, &tx->edits, list) {
		old = edit->old;
		if (old)
			old->gone = flr_edit_moves(edit);
		if (!edit->new)
			continue;
		if (old && !old->gone) {
			edit->new->target = old->target;
			continue;
		}
		err = flr_target_alloc(tx, edit->new);
		if (err)
			return err;
		edit->allocated = true;
	}
	for (b = flr_backend_first(tx->ring); b; b = flr_backend_next(b))
		tx->table->targets[b->id] = b->target;
	return 0;
}

/**
 * flr_tx_targets_commit() - have targets stand for the backends after a commit
 * @tx: commit
 *
 * Context: under flr_net.lock.
 */
void flr_tx_targets_commit(struct flr_tx *tx)
{
	struct flr_edit *edit;

	list_for_each_entry(edit, &tx->edits, list) {
		if (edit->old && edit->old->gone)
			flr_target_drop(tx->fn, edit->old);
		else if (edit->old)
			xa_store(&tx->fn->targets, edit->new->target,
				 edit->new, GFP_KERNEL);
	}
}

/**
 * flr_tx_targets_abort() - undo flr_tx_targets(), whether or not it was called
 * @tx: commit
 *
 * Context: under flr_net.lock.
 */
void flr_tx_targets_abort(struct flr_tx *tx)
{
	struct flr_edit *edit;

	list_for_each_entry(edit, &tx->edits, list) {
		if (edit->old)
			edit->old->gone = false;
		if (edit->allocated)
			xa_erase(&tx->fn->targets, edit->new->target);
	}
}
