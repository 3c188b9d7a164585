// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink handler of commits, and what all changes of rings end with.
 *
 * A reply can be larger than a message: it then goes on in further ones. All of
 * them are filled before the change is made.
 */

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "netlink.h"

static int flr_nl_put_commit(struct sk_buff *msg, const struct flr_tx *tx)
{
	int err;

	err = nla_put_string(msg, FLOWRING_A_COMMIT_RING, tx->ring->name) ?:
	      nla_put_uint(msg, FLOWRING_A_COMMIT_EPOCH_BEFORE,
			   tx->epoch_before) ?:
	      nla_put_uint(msg, FLOWRING_A_COMMIT_EPOCH, tx->epoch) ?:
	      nla_put_uint(msg, FLOWRING_A_COMMIT_FINGERPRINT,
			   tx->table->fingerprint) ?:
	      nla_put_u32(msg, FLOWRING_A_COMMIT_TOTAL, tx->total) ?:
	      nla_put_u32(msg, FLOWRING_A_COMMIT_MOVED, tx->moved) ?:
	      nla_put_u32(msg, FLOWRING_A_COMMIT_LEAST, tx->least) ?:
	      nla_put_u32(msg, FLOWRING_A_COMMIT_CHANGES, tx->changes);
	if (!err && !tx->is_new)
		err = nla_put_uint(msg, FLOWRING_A_COMMIT_FINGERPRINT_BEFORE,
				   tx->fingerprint_before);
	return err;
}

static int flr_nl_fill_commit(struct sk_buff *msg, const struct genl_info *info,
			      struct netlink_callback *cb, struct flr_net *fn,
			      void *obj)
{
	void *hdr = flr_nl_begin(msg, info, cb);

	if (!hdr)
		return -EMSGSIZE;
	if (flr_nl_put_commit(msg, obj)) {
		genlmsg_cancel(msg, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(msg, hdr);
	return 0;
}

/**
 * flr_nl_commit() - make a commit that one change of an object is
 * @req: request
 * @info: request
 * @tx: commit; it is over on return
 * @err: what staging the change has said
 *
 * Context: under flr_net.lock, may sleep.
 * Return: 0 or an error, and then nothing has changed.
 */
int flr_nl_commit(const struct flr_req *req, struct genl_info *info,
		  struct flr_tx *tx, int err)
{
	tx->changes = 1;
	err = err ?: flr_tx_prepare(tx) ?: flr_tx_ready(tx);
	if (err) {
		flr_tx_abort(tx);
		return err;
	}
	flr_tx_commit(tx);
	flr_nl_notify(req, info, FLOWRING_CMD_RING_COMMIT_NTF,
		      flr_nl_fill_commit, tx);
	flr_tx_finish(tx);
	return 0;
}

/* A backend before and after; either may be NULL */
struct flr_share {
	const struct flr_backend *old;
	const struct flr_backend *new;
};

static const char *flr_share_name(const struct flr_share *share)
{
	return share->new ? share->new->name : share->old->name;
}

static int flr_share_cmp(const void *a, const void *b)
{
	return strcmp(flr_share_name(a), flr_share_name(b));
}

/* The backends that are or were in the ring, in the order of their names */
static struct flr_share *flr_nl_shares(const struct flr_tx *tx, u32 *np)
{
	u32 max = tx->nbackends, n = 0, i, kept = 0;
	const struct flr_edit *edit;
	struct flr_share *shares;
	struct flr_backend *b;

	list_for_each_entry(edit, &tx->edits, list)
		max++;
	shares = kvmalloc_array(max ?: 1, sizeof(*shares), GFP_KERNEL_ACCOUNT);
	if (!shares)
		return NULL;
	for (b = flr_backend_first(tx->ring); b; b = flr_backend_next(b))
		shares[n++] = (struct flr_share){
			.old = b->edit ? b->edit->old : b,
			.new = b,
		};
	list_for_each_entry(edit, &tx->edits, list) {
		if (edit->old && !edit->new)
			shares[n++] = (struct flr_share){ .old = edit->old };
	}
	sort(shares, n, sizeof(*shares), flr_share_cmp, NULL);
	/* one that is deleted and another that is added may share a name */
	for (i = 0; i < n; i++) {
		if (!kept || flr_share_cmp(&shares[kept - 1], &shares[i])) {
			shares[kept++] = shares[i];
			continue;
		}
		shares[kept - 1].old = shares[kept - 1].old ?: shares[i].old;
		shares[kept - 1].new = shares[kept - 1].new ?: shares[i].new;
	}
	*np = kept;
	return shares;
}

static u32 flr_backend_weight(const struct flr_backend *b)
{
	return b->state == FLOWRING_STATE_UP ? b->weight : 0;
}

static int flr_nl_put_share(struct sk_buff *msg, const struct flr_tx *tx,
			    const struct flr_share *share)
{
	const struct flr_table *old = flr_ring_table(tx->ring, tx->fn);
	const struct flr_backend *a = share->old, *b = share->new;
	u32 unit = tx->total >> tx->table->bits;
	struct nlattr *nest;
	int err;

	nest = nla_nest_start(msg, FLOWRING_A_COMMIT_SHARE);
	if (!nest)
		return -EMSGSIZE;
	err = nla_put_string(msg, FLOWRING_A_SHARE_NAME,
			     flr_share_name(share)) ?:
	      nla_put_u32(msg, FLOWRING_A_SHARE_SLOTS_BEFORE,
			  a ? old->counts[a->id] * (tx->total >> old->bits) :
			      0) ?:
	      nla_put_u32(msg, FLOWRING_A_SHARE_SLOTS,
			  b ? tx->table->counts[b->id] * unit : 0);
	if (!err && a)
		err = nla_put_u32(msg, FLOWRING_A_SHARE_WEIGHT_BEFORE,
				  flr_backend_weight(a));
	if (!err && b)
		err = nla_put_u32(msg, FLOWRING_A_SHARE_WEIGHT,
				  flr_backend_weight(b));
	if (err) {
		nla_nest_cancel(msg, nest);
		return err;
	}
	nla_nest_end(msg, nest);
	return 0;
}

/* Fill shares from @at on until @msg is full. Return: how far it got. */
static u32 flr_nl_put_shares(struct sk_buff *msg, const struct flr_tx *tx,
			     const struct flr_share *shares, u32 n, u32 at)
{
	while (at < n && !flr_nl_put_share(msg, tx, &shares[at]))
		at++;
	return at;
}

static int flr_nl_fill_plan(struct sk_buff_head *queue, struct sk_buff *msg,
			    struct genl_info *info, const struct flr_tx *tx,
			    const struct flr_share *shares, u32 n)
{
	u32 at = 0;
	void *hdr;

	hdr = flr_nl_begin(msg, info, NULL);
	if (!hdr || flr_nl_put_commit(msg, tx) ||
	    nla_put_u32(msg, FLOWRING_A_COMMIT_SHARES, n))
		return -EMSGSIZE;
	for (;;) {
		at = flr_nl_put_shares(msg, tx, shares, n, at);
		genlmsg_end(msg, hdr);
		if (at == n)
			return 0;
		msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
		if (!msg)
			return -ENOMEM;
		__skb_queue_tail(queue, msg);
		hdr = flr_nl_begin(msg, info, NULL);
		if (!hdr || nla_put_string(msg, FLOWRING_A_COMMIT_RING,
					   tx->ring->name))
			return -EMSGSIZE;
	}
}

/* Fill the reply into @req->msg and @queue */
static int flr_nl_plan(struct flr_req *req, struct sk_buff_head *queue,
		       struct genl_info *info, const struct flr_tx *tx)
{
	struct flr_share *shares;
	struct sk_buff *msg;
	int err;
	u32 n;

	shares = flr_nl_shares(tx, &n);
	if (!shares)
		return -ENOMEM;
	err = flr_nl_fill_plan(queue, req->msg, info, tx, shares, n);
	kvfree(shares);
	if (err || skb_queue_empty(queue))
		return err;
	nlmsg_hdr(req->msg)->nlmsg_flags |= NLM_F_MULTI;
	skb_queue_walk(queue, msg)
		nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_MULTI;
	return 0;
}

/* The tables of attributes of a change, too large for the stack together */
struct flr_nl_change {
	struct nlattr *change[FLOWRING_A_CHANGE_MAX + 1];
	struct nlattr *backend[FLOWRING_A_BACKEND_MARK + 1];
	struct nlattr *ring[FLOWRING_A_RING_UDP + 1];
};

static int flr_nl_missing(struct flr_tx *tx, const struct nlattr *nest,
			  int type)
{
	NL_SET_ERR_ATTR_MISS(tx->ack, nest, type);
	return -EINVAL;
}

static int flr_nl_stage_backend(struct flr_tx *tx, struct flr_nl_change *c,
				u32 op)
{
	struct nlattr *nest = c->change[FLOWRING_A_CHANGE_BACKEND];
	struct flr_backend *b;
	int err;

	if (!nest)
		return flr_nl_missing(tx, tx->attr, FLOWRING_A_CHANGE_BACKEND);
	err = nla_parse_nested(c->backend, ARRAY_SIZE(c->backend) - 1, nest,
			       flowring_change_backend_nl_policy, tx->ack);
	if (err)
		return err;
	if (!c->backend[FLOWRING_A_BACKEND_NAME])
		return flr_nl_missing(tx, nest, FLOWRING_A_BACKEND_NAME);
	err = flr_nl_name(c->backend[FLOWRING_A_BACKEND_NAME], tx->ack);
	if (err)
		return err;
	switch (op) {
	case FLOWRING_CHANGE_OP_BACKEND_ADD:
		return flr_nl_backend_add(tx, c->backend, nest);
	case FLOWRING_CHANGE_OP_BACKEND_SET:
		return flr_nl_backend_set(tx, c->backend);
	default:
		b = flr_nl_backend_find(tx, c->backend);
		return IS_ERR(b) ? PTR_ERR(b) : flr_tx_del(tx, b);
	}
}

static int flr_nl_stage_ring(struct flr_tx *tx, struct flr_nl_change *c)
{
	struct nlattr *nest = c->change[FLOWRING_A_CHANGE_RING];
	int err;

	if (!nest)
		return flr_nl_missing(tx, tx->attr, FLOWRING_A_CHANGE_RING);
	err = nla_parse_nested(c->ring, ARRAY_SIZE(c->ring) - 1, nest,
			       flowring_change_ring_nl_policy, tx->ack);
	if (err)
		return err;
	tx->ring_set = true;
	return flr_nl_ring_options(c->ring, &tx->opt, tx->owner, tx->ack);
}

static int flr_nl_stage(struct flr_tx *tx, struct flr_nl_change *c)
{
	u32 op;
	int err;

	err = nla_parse_nested(c->change, FLOWRING_A_CHANGE_MAX, tx->attr,
			       flowring_change_nl_policy, tx->ack);
	if (err)
		return err;
	if (!c->change[FLOWRING_A_CHANGE_OP])
		return flr_nl_missing(tx, tx->attr, FLOWRING_A_CHANGE_OP);
	op = nla_get_u32(c->change[FLOWRING_A_CHANGE_OP]);
	if (op == FLOWRING_CHANGE_OP_RING_SET)
		return flr_nl_stage_ring(tx, c);
	return flr_nl_stage_backend(tx, c, op);
}

/* Stage all changes of a request, in their order */
static int flr_nl_stage_all(struct flr_tx *tx, struct genl_info *info)
{
	struct flr_nl_change *c;
	struct nlattr *attr;
	int err = 0, rem;

	c = kmalloc(sizeof(*c), GFP_KERNEL);
	if (!c)
		return -ENOMEM;
	nlmsg_for_each_attr_type(attr, FLOWRING_A_COMMIT_CHANGE, info->nlhdr,
				 GENL_HDRLEN, rem) {
		tx->attr = attr;
		if (++tx->changes > FLOWRING_MAX_CHANGES) {
			NL_SET_ERR_MSG_FMT(tx->ack,
					   "no more than %u changes in a commit",
					   FLOWRING_MAX_CHANGES);
			err = -E2BIG;
		} else {
			err = flr_nl_stage(tx, c);
		}
		if (err)
			break;
		cond_resched();
	}
	kfree(c);
	if (err && tx->ack && !tx->ack->bad_attr && !tx->ack->miss_nest)
		NL_SET_BAD_ATTR(tx->ack, tx->attr);
	return err;
}

static int flr_nl_stale(struct flr_tx *tx, const struct nlattr *expect)
{
	u64 epoch = tx->epoch_before;

	NL_SET_ERR_MSG_FMT(tx->ack, "ring %s is at epoch %llu", tx->ring->name,
			   epoch);
	NL_SET_BAD_ATTR(tx->ack, expect);
	BUILD_BUG_ON(sizeof(epoch) > NETLINK_MAX_COOKIE_LEN);
	if (tx->ack) {
		memcpy(tx->ack->cookie, &epoch, sizeof(epoch));
		tx->ack->cookie_len = sizeof(epoch);
	}
	return -ESTALE;
}

/* What a request says of the commit as a whole */
static int flr_nl_commit_options(struct flr_tx *tx, struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;
	int err;

	if (attrs[FLOWRING_A_COMMIT_EXPECT] &&
	    nla_get_uint(attrs[FLOWRING_A_COMMIT_EXPECT]) != tx->epoch_before)
		return flr_nl_stale(tx, attrs[FLOWRING_A_COMMIT_EXPECT]);
	if (attrs[FLOWRING_A_COMMIT_EPOCH]) {
		tx->epoch = nla_get_uint(attrs[FLOWRING_A_COMMIT_EPOCH]);
		err = flr_tx_check_epoch(tx);
		if (err) {
			NL_SET_BAD_ATTR(tx->ack,
					attrs[FLOWRING_A_COMMIT_EPOCH]);
			return err;
		}
	}
	if (attrs[FLOWRING_A_COMMIT_MAX_MOVE])
		tx->max_move = nla_get_u32(attrs[FLOWRING_A_COMMIT_MAX_MOVE]);
	if (attrs[FLOWRING_A_COMMIT_MAX_SHARE])
		tx->max_share = nla_get_u32(attrs[FLOWRING_A_COMMIT_MAX_SHARE]);
	return 0;
}

/* The ring of a commit, made when there is none and it may be */
static struct flr_ring *flr_nl_commit_ring(struct flr_net *fn,
					   struct genl_info *info)
{
	const char *name = nla_data(info->attrs[FLOWRING_A_COMMIT_RING]);
	struct flr_ring *ring;

	if (!info->attrs[FLOWRING_A_COMMIT_CREATE])
		return flr_nl_ring(fn, info, FLOWRING_A_COMMIT_RING);
	ring = flr_ring_find(fn, name);
	return ring ?: flr_ring_alloc(name) ?: ERR_PTR(-ENOMEM);
}

/* Tell of a commit, and then of each object that it has changed */
static void flr_nl_commit_notify(const struct flr_req *req,
				 struct genl_info *info, struct flr_tx *tx)
{
	const struct flr_edit *edit;

	flr_nl_notify(req, info, FLOWRING_CMD_RING_COMMIT_NTF,
		      flr_nl_fill_commit, tx);
	if (tx->is_new)
		flr_nl_notify(req, info, FLOWRING_CMD_RING_NEW_NTF,
			      flr_nl_fill_ring, tx->ring);
	else if (tx->ring_set)
		flr_nl_notify(req, info, FLOWRING_CMD_RING_SET_NTF,
			      flr_nl_fill_ring, tx->ring);
	list_for_each_entry(edit, &tx->edits, list) {
		if (edit->new)
			flr_nl_notify(req, info, edit->old ?
				      FLOWRING_CMD_BACKEND_SET_NTF :
				      FLOWRING_CMD_BACKEND_NEW_NTF,
				      flr_nl_fill_backend, edit->new);
		else if (edit->old)
			flr_nl_notify(req, info, FLOWRING_CMD_BACKEND_DEL_NTF,
				      flr_nl_fill_backend, edit->old);
	}
}

/* Make the commit, or plan it. Return: 0 with the reply filled, or an error. */
static int flr_nl_do_commit(struct flr_req *req, struct sk_buff_head *queue,
			    struct genl_info *info, struct flr_tx *tx)
{
	bool dry = info->attrs[FLOWRING_A_COMMIT_DRY_RUN];
	int err;

	err = flr_nl_commit_options(tx, info) ?: flr_nl_stage_all(tx, info) ?:
	      flr_tx_prepare(tx) ?: flr_nl_plan(req, queue, info, tx);
	if (!err && !dry)
		err = flr_tx_ready(tx);
	if (err || dry) {
		flr_tx_abort(tx);
		return err;
	}
	flr_tx_commit(tx);
	flr_nl_commit_notify(req, info, tx);
	flr_tx_finish(tx);
	return 0;
}

int flowring_nl_ring_commit_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff_head queue;
	struct sk_buff *msg;
	struct flr_ring *ring;
	struct flr_req req;
	struct flr_tx tx;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, FLOWRING_A_COMMIT_RING))
		return -EINVAL;
	err = flr_nl_name(info->attrs[FLOWRING_A_COMMIT_RING], info->extack) ?:
	      flr_nl_open(skb, info, &req, FLR_NL_LARGE);
	if (err)
		return err;
	ring = flr_nl_commit_ring(req.fn, info);
	if (IS_ERR(ring))
		return flr_nl_abort(&req, PTR_ERR(ring));
	__skb_queue_head_init(&queue);
	flr_tx_begin(&tx, req.fn, ring, info->extack);
	err = flr_nl_do_commit(&req, &queue, info, &tx);
	if (tx.is_new && (err || info->attrs[FLOWRING_A_COMMIT_DRY_RUN]))
		flr_ring_free(ring);
	if (err) {
		__skb_queue_purge(&queue);
		return flr_nl_abort(&req, err);
	}
	mutex_unlock(&req.fn->lock);
	err = genlmsg_reply(req.msg, info);
	while (!err && (msg = __skb_dequeue(&queue)))
		err = genlmsg_reply(msg, info);
	__skb_queue_purge(&queue);
	return err;
}
