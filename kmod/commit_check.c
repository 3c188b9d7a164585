// SPDX-License-Identifier: GPL-2.0
/*
 * What a commit is refused for: backends that a ring cannot have, limits of the
 * module, and limits that came with the commit. The ring's list of backends is
 * as it shall be, nothing is visible to packets yet, and nothing is changed
 * here.
 */

#include "flowring.h"

/* Point to the change at fault, unless an attribute in it is known */
static int flr_tx_blame(struct flr_tx *tx, const struct flr_edit *edit, int err)
{
	if (err && edit->attr && tx->ack && !tx->ack->bad_attr)
		NL_SET_BAD_ATTR(tx->ack, edit->attr);
	return err;
}

/**
 * flr_tx_check_epoch() - see whether the epoch of a ring would grow
 * @tx: commit
 *
 * Return: 0 or -ERANGE.
 */
int flr_tx_check_epoch(struct flr_tx *tx)
{
	if (tx->epoch > tx->epoch_before)
		return 0;
	NL_SET_ERR_MSG_FMT(tx->ack, "ring %s is at epoch %llu already",
			   tx->ring->name, tx->epoch_before);
	return -ERANGE;
}

/**
 * flr_edit_moves() - see whether a backend comes, goes or changes its endpoint
 * @edit: what a commit does to it
 *
 * Return: whether its address, port or mark is another afterwards.
 */
bool flr_edit_moves(const struct flr_edit *edit)
{
	const struct flr_backend *old = edit->old, *new = edit->new;

	return !old || !new || old->family != new->family ||
	       old->port != new->port || old->mark != new->mark ||
	       !nf_inet_addr_cmp(&old->addr, &new->addr);
}

/* Endpoints that two changes of one commit give out; the later one is wrong */
static int flr_tx_check_twice(struct flr_tx *tx, const struct flr_edit *edit)
{
	const struct flr_backend *b = edit->new, *other;
	const struct flr_edit *pos;
	bool later = false;

	list_for_each_entry(pos, &tx->edits, list) {
		other = pos->new;
		later |= pos == edit;
		if (!other || other == b || !flr_backend_is_at(other, b) ||
		    (later && flr_edit_moves(pos)))
			continue;
		NL_SET_ERR_MSG_FMT(tx->ack,
				   "backend %s has that address and port",
				   other->name);
		return -EEXIST;
	}
	return 0;
}

/* The kind of the backends which this commit leaves alone */
static u8 flr_tx_old_kind(const struct flr_tx *tx)
{
	struct flr_backend *b;

	for (b = flr_backend_first(tx->ring); b; b = flr_backend_next(b)) {
		if (!b->edit || b->edit->old)
			return flr_backend_kind(b);
	}
	return FLR_KIND_NONE;
}

static int flr_tx_check_edit(struct flr_tx *tx, const struct flr_edit *edit)
{
	const struct flr_backend *b = edit->new;

	if (tx->kind == FLR_KIND_NONE)
		tx->kind = flr_backend_kind(b);
	if (tx->kind != flr_backend_kind(b)) {
		NL_SET_ERR_MSG_FMT(tx->ack,
				   "ring %s cannot mix nat with other modes",
				   tx->ring->name);
		return -EINVAL;
	}
	return flr_backend_check(tx->fn, tx->ring, &tx->opt, b, tx->ack) ?:
	       flr_tx_check_twice(tx, edit);
}

/**
 * flr_tx_new_key() - see whether a commit gives a ring another key
 * @tx: commit
 *
 * Return: whether it does, and all flows get other slots.
 */
bool flr_tx_new_key(const struct flr_tx *tx)
{
	return !tx->is_new && memcmp(&tx->ring->opt.key, &tx->opt.key,
				     sizeof(tx->opt.key));
}

/* Conntrack does not know the packets of a mark again */
static int flr_tx_check_marks(struct flr_tx *tx)
{
	if (tx->kind != FLR_KIND_NAT || !tx->ring->nmarks)
		return 0;
	NL_SET_ERR_MSG_FMT(tx->ack, "ring %s has a service of a mark: it cannot have nat",
			   tx->ring->name);
	return -EOPNOTSUPP;
}

/* No window can keep connections whose flows are hashed anew */
static int flr_tx_check_key(struct flr_tx *tx)
{
	const struct flr_ring *ring = tx->ring;

	if (!flr_tx_new_key(tx) || !tx->opt.window ||
	    ring->kind != FLR_KIND_STATELESS ||
	    !(ring->nservices[0] || ring->nservices[1]))
		return 0;
	NL_SET_ERR_MSG_FMT(tx->ack, "a new key ends all connections of %s: set window off",
			   ring->name);
	return -EBUSY;
}

static int flr_tx_check_ring(struct flr_tx *tx)
{
	struct flr_backend *b;

	tx->ntokens = 0;
	for (b = flr_backend_first(tx->ring); b; b = flr_backend_next(b))
		tx->ntokens += flr_backend_ntokens(&tx->opt, b);
	/* All backends count, so that bringing one up never fails for this */
	if (tx->ntokens > FLOWRING_MAX_TOKENS) {
		NL_SET_ERR_MSG_FMT(tx->ack, "ring %s would have over %u tokens",
				   tx->ring->name, FLOWRING_MAX_TOKENS);
		return -E2BIG;
	}
	if (tx->opt.masquerade && tx->kind == FLR_KIND_STATELESS) {
		NL_SET_ERR_MSG_FMT(tx->ack,
				   "ring %s has dr backends: masquerade needs nat",
				   tx->ring->name);
		return -EINVAL;
	}
	return 0;
}

/**
 * flr_tx_check() - see whether a ring can be what a commit makes of it
 * @tx: commit, all changes staged; gets the mode and the tokens
 *
 * Context: under flr_net.lock, may sleep.
 * Return: 0; -EINVAL, -EEXIST, -EAFNOSUPPORT, -EOPNOTSUPP, -EHOSTUNREACH,
 * -E2BIG, -EBUSY.
 */
int flr_tx_check(struct flr_tx *tx)
{
	struct flr_edit *edit;
	int err;

	tx->kind = flr_tx_old_kind(tx);
	list_for_each_entry(edit, &tx->edits, list) {
		if (!edit->new || !flr_edit_moves(edit))
			continue;
		err = flr_tx_check_edit(tx, edit);
		if (err)
			return flr_tx_blame(tx, edit, err);
		cond_resched();
	}
	return flr_tx_check_key(tx) ?: flr_tx_check_marks(tx) ?:
	       flr_tx_check_ring(tx);
}

static bool flr_backend_idle(const struct flr_backend *b)
{
	return !b || b->state != FLOWRING_STATE_UP || !b->weight;
}

/**
 * flr_tx_is_same() - see whether no slot can change its owner
 * @tx: commit
 *
 * Return: whether nothing changes that placement depends on.
 */
bool flr_tx_is_same(const struct flr_tx *tx)
{
	const struct flr_options *old = &tx->ring->opt, *new = &tx->opt;
	const struct flr_edit *edit;

	if (tx->is_new || old->bits != new->bits ||
	    old->vnodes != new->vnodes || old->imbalance != new->imbalance ||
	    flr_tx_new_key(tx))
		return false;
	list_for_each_entry(edit, &tx->edits, list) {
		const struct flr_backend *a = edit->old, *b = edit->new;

		if (flr_backend_idle(a) && flr_backend_idle(b))
			continue;
		if (!a || !b || a->state != b->state ||
		    a->weight != b->weight || !a->tokens != !b->tokens)
			return false;
		if (a->tokens && (a->ntokens != b->ntokens ||
				  memcmp(a->tokens, b->tokens,
					 array_size(a->ntokens,
						    sizeof(*a->tokens)))))
			return false;
	}
	return true;
}

/* Slots that a backend had, in units of &flr_tx.total */
static u32 flr_tx_slots_before(const struct flr_tx *tx,
			       const struct flr_backend *b)
{
	const struct flr_table *old = flr_ring_table(tx->ring, tx->fn);

	if (!old || (b->edit && !b->edit->old))
		return 0;
	return old->counts[b->id] * (tx->total >> old->bits);
}

/**
 * flr_tx_check_limits() - see whether a commit keeps to the limits it came with
 * @tx: commit, its table made and compared
 *
 * Context: under flr_net.lock.
 * Return: 0 or -EDQUOT.
 */
int flr_tx_check_limits(struct flr_tx *tx)
{
	u32 unit = tx->total >> tx->table->bits;
	struct flr_backend *b;

	if (tx->moved > tx->max_move) {
		NL_SET_ERR_MSG_FMT(tx->ack,
				   "would move %u of %u slots, more than %u",
				   tx->moved, tx->total, tx->max_move);
		return -EDQUOT;
	}
	if (tx->max_share >= FLOWRING_SHARE_UNIT)
		return 0;
	for (b = flr_backend_first(tx->ring); b; b = flr_backend_next(b)) {
		u64 slots = (u64)tx->table->counts[b->id] * unit;

		if (slots <= flr_tx_slots_before(tx, b) ||
		    slots * FLOWRING_SHARE_UNIT <=
		    (u64)tx->max_share * tx->total)
			continue;
		NL_SET_ERR_MSG_FMT(tx->ack, "%s would get %u of %u slots",
				   b->name, (u32)slots, tx->total);
		return -EDQUOT;
	}
	return 0;
}
