// SPDX-License-Identifier: GPL-2.0
/* Netlink handlers of backends. */

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "netlink.h"

static int flr_nl_put_backend(struct sk_buff *msg, const struct flr_backend *b,
			      const struct flr_table *table)
{
	const struct flr_options *opt = &b->ring->opt;
	u32 tokens = 0;
	int err;

	if (b->state == FLOWRING_STATE_UP)
		tokens = flr_backend_ntokens(opt, b);
	err = nla_put_string(msg, FLOWRING_A_BACKEND_RING, b->ring->name) ?:
	      nla_put_string(msg, FLOWRING_A_BACKEND_NAME, b->name) ?:
	      nla_put_u32(msg, FLOWRING_A_BACKEND_WEIGHT, b->weight) ?:
	      nla_put_u32(msg, FLOWRING_A_BACKEND_MODE, b->mode) ?:
	      nla_put_u32(msg, FLOWRING_A_BACKEND_STATE, b->state) ?:
	      nla_put_u32(msg, FLOWRING_A_BACKEND_TOKENS, tokens) ?:
	      nla_put_u32(msg, FLOWRING_A_BACKEND_SLOTS,
			  table->counts[b->id]);
	if (!err && opt->imbalance)
		err = nla_put_u32(msg, FLOWRING_A_BACKEND_CAPACITY,
				  table->caps[b->id]);
	if (!err && b->mode == FLOWRING_MODE_MARK)
		err = nla_put_u32(msg, FLOWRING_A_BACKEND_MARK, b->mark);
	else if (!err)
		err = flr_nl_put_addr(msg, FLOWRING_A_BACKEND_ADDR, b->family,
				      &b->addr);
	if (!err && b->mode == FLOWRING_MODE_GUE)
		err = nla_put_u32(msg, FLOWRING_A_BACKEND_CHECKSUM,
				  b->checksum);
	if (!err && b->port)
		err = nla_put_u32(msg, FLOWRING_A_BACKEND_PORT, ntohs(b->port));
	if (!err && *b->zone)
		err = nla_put_string(msg, FLOWRING_A_BACKEND_ZONE, b->zone);
	if (!err && b->tokens)
		err = nla_put(msg, FLOWRING_A_BACKEND_EXPLICIT_TOKENS,
			      array_size(b->ntokens, sizeof(*b->tokens)),
			      b->tokens);
	return err;
}

/* Count what the backends of a namespace still have, for those who may ask */
static int flr_nl_progress(struct flr_net *fn, const struct sk_buff *skb,
			   const struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[FLOWRING_A_BACKEND_PROGRESS];

	if (!attr)
		return 0;
	if (!netlink_capable(skb, CAP_NET_ADMIN)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "counting flows needs CAP_NET_ADMIN");
		return -EPERM;
	}
	flr_pins_count(fn);
	flr_nat_count(fn);
	return 0;
}

static bool flr_backend_is_new(const struct flr_backend *b)
{
	return b->state == FLOWRING_STATE_UP && b->weight;
}

/* What a backend still has, as it was counted */
static int flr_nl_put_progress(struct sk_buff *msg, const struct flr_net *fn,
			       const struct flr_backend *b)
{
	bool any = b->flows || b->pins || b->remembered;
	unsigned long left = b->flows_left;
	int err;

	if (b->mode == FLOWRING_MODE_NAT) {
		err = nla_put_u32(msg, FLOWRING_A_BACKEND_FLOWS, b->flows);
	} else {
		err = nla_put_u32(msg, FLOWRING_A_BACKEND_REMEMBERED,
				  b->remembered) ?:
		      nla_put_u32(msg, FLOWRING_A_BACKEND_PINS, b->pins);
		left = flr_window_left(b->ring);
	}
	if (err || flr_backend_is_new(b))
		return err;
	return nla_put_uint(msg, FLOWRING_A_BACKEND_DONE_IN,
			    any ? jiffies_to_msecs(left) : 0);
}

/**
 * flr_nl_fill_backend() - fill a message about a backend
 * @msg: buffer
 * @info: request or notification
 * @cb: the dump, or NULL
 * @fn: namespace
 * @obj: the backend, in its ring's live table or just out of it
 *
 * Context: under flr_net.lock.
 * Return: 0 or -EMSGSIZE.
 */
int flr_nl_fill_backend(struct sk_buff *msg, const struct genl_info *info,
			struct netlink_callback *cb, struct flr_net *fn,
			void *obj)
{
	const struct flr_backend *b = obj;
	void *hdr;
	int err;

	hdr = flr_nl_begin(msg, info, cb);
	if (!hdr)
		return -EMSGSIZE;
	err = flr_nl_put_backend(msg, b, flr_ring_table(b->ring, fn));
	if (!err && !genl_info_is_ntf(info))
		err = flr_stats_fill(msg, FLOWRING_A_BACKEND_STATS, b->stats);
	if (!err && !genl_info_is_ntf(info) &&
	    info->attrs[FLOWRING_A_BACKEND_PROGRESS])
		err = flr_nl_put_progress(msg, fn, b);
	if (err) {
		genlmsg_cancel(msg, hdr);
		return err;
	}
	genlmsg_end(msg, hdr);
	return 0;
}

static int flr_u64_cmp(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Explicit tokens: positions that no two of this backend share */
static int flr_nl_tokens(const struct nlattr *attr, struct flr_backend *b,
			 struct netlink_ext_ack *ack)
{
	u32 len = nla_len(attr), n = len / sizeof(u64), i;
	u64 *tokens = NULL;

	if (len % sizeof(u64) || n > FLOWRING_MAX_EXPLICIT_TOKENS) {
		NL_SET_ERR_MSG_FMT(ack, "tokens are not up to %u of 8 bytes",
				   FLOWRING_MAX_EXPLICIT_TOKENS);
		NL_SET_BAD_ATTR(ack, attr);
		return -EINVAL;
	}
	if (n) {
		tokens = kvmalloc_array(n, sizeof(*tokens), GFP_KERNEL_ACCOUNT);
		if (!tokens)
			return -ENOMEM;
		memcpy(tokens, nla_data(attr), len);
		sort(tokens, n, sizeof(*tokens), flr_u64_cmp, NULL);
	}
	for (i = 1; i < n; i++) {
		if (tokens[i] != tokens[i - 1])
			continue;
		NL_SET_ERR_MSG_FMT(ack, "token 0x%016llx is given twice",
				   tokens[i]);
		NL_SET_BAD_ATTR(ack, attr);
		kvfree(tokens);
		return -EINVAL;
	}
	kvfree(b->tokens);
	b->tokens = tokens;
	b->ntokens = n;
	return 0;
}

/* What a request says of a backend, put into @b */
static int flr_nl_backend_options(struct nlattr **tb, struct flr_backend *b,
				  struct netlink_ext_ack *ack)
{
	int err = 0;

	if (tb[FLOWRING_A_BACKEND_ADDR])
		err = flr_nl_addr(tb[FLOWRING_A_BACKEND_ADDR], &b->family,
				  &b->addr, ack);
	if (!err && tb[FLOWRING_A_BACKEND_ZONE]) {
		err = flr_nl_tag(tb[FLOWRING_A_BACKEND_ZONE], ack);
		nla_strscpy(b->zone, tb[FLOWRING_A_BACKEND_ZONE],
			    sizeof(b->zone));
	}
	if (!err && tb[FLOWRING_A_BACKEND_EXPLICIT_TOKENS])
		err = flr_nl_tokens(tb[FLOWRING_A_BACKEND_EXPLICIT_TOKENS], b,
				    ack);
	if (tb[FLOWRING_A_BACKEND_PORT])
		b->port = htons(nla_get_u32(tb[FLOWRING_A_BACKEND_PORT]));
	if (tb[FLOWRING_A_BACKEND_WEIGHT])
		b->weight = nla_get_u32(tb[FLOWRING_A_BACKEND_WEIGHT]);
	if (tb[FLOWRING_A_BACKEND_MODE])
		b->mode = nla_get_u32(tb[FLOWRING_A_BACKEND_MODE]);
	if (tb[FLOWRING_A_BACKEND_STATE])
		b->state = nla_get_u32(tb[FLOWRING_A_BACKEND_STATE]);
	if (tb[FLOWRING_A_BACKEND_CHECKSUM])
		b->checksum = nla_get_u32(tb[FLOWRING_A_BACKEND_CHECKSUM]);
	if (tb[FLOWRING_A_BACKEND_MARK])
		b->mark = nla_get_u32(tb[FLOWRING_A_BACKEND_MARK]);
	if (b->mode == FLOWRING_MODE_GUE && !b->port)
		b->port = htons(FLOWRING_DEFAULT_GUE_PORT);
	return err;
}

static int flr_nl_backend_foreign(const struct nlattr *attr, const char *text,
				  struct netlink_ext_ack *ack)
{
	if (!attr)
		return 0;
	NL_SET_ERR_MSG_FMT(ack, "%s", text);
	NL_SET_BAD_ATTR(ack, attr);
	return -EINVAL;
}

/* Options that only some modes have */
static int flr_nl_backend_mode(struct nlattr **tb, const struct flr_backend *b,
			       struct netlink_ext_ack *ack)
{
	int err = 0;

	if (b->mode == FLOWRING_MODE_MARK)
		err = flr_nl_backend_foreign(tb[FLOWRING_A_BACKEND_ADDR],
					     "a mark backend has no address",
					     ack);
	else
		err = flr_nl_backend_foreign(tb[FLOWRING_A_BACKEND_MARK],
					     "only a mark backend has a mark",
					     ack);
	if (!err && b->mode != FLOWRING_MODE_GUE)
		err = flr_nl_backend_foreign(tb[FLOWRING_A_BACKEND_CHECKSUM],
					     "only gue has checksums", ack);
	return err;
}

/* What a new backend cannot do without */
static int flr_nl_backend_missing(struct nlattr **tb,
				  const struct flr_backend *b,
				  const struct nlattr *nest,
				  struct netlink_ext_ack *ack)
{
	int type = b->mode == FLOWRING_MODE_MARK ? FLOWRING_A_BACKEND_MARK :
						   FLOWRING_A_BACKEND_ADDR;

	if (tb[type])
		return 0;
	NL_SET_ERR_ATTR_MISS(ack, nest, type);
	return -EINVAL;
}

/**
 * flr_nl_backend_add() - stage the backend that a request adds
 * @tx: commit
 * @tb: attributes of the backend, the name checked to be there
 * @nest: the nest that they are in, or NULL
 *
 * Context: under flr_net.lock, may sleep.
 * Return: 0 or an error.
 */
int flr_nl_backend_add(struct flr_tx *tx, struct nlattr **tb,
		       const struct nlattr *nest)
{
	struct flr_backend *b;
	int err;

	b = flr_backend_alloc(nla_data(tb[FLOWRING_A_BACKEND_NAME]), NULL);
	if (!b)
		return -ENOMEM;
	err = flr_nl_backend_options(tb, b, tx->ack) ?:
	      flr_nl_backend_missing(tb, b, nest, tx->ack) ?:
	      flr_nl_backend_mode(tb, b, tx->ack) ?: flr_tx_add(tx, b);
	if (err)
		flr_backend_free(b);
	return err;
}

/**
 * flr_nl_backend_find() - find the backend that a change is about
 * @tx: commit
 * @tb: attributes of the backend, the name checked to be there
 *
 * Context: under flr_net.lock.
 * Return: the backend, or an error pointer.
 */
struct flr_backend *flr_nl_backend_find(const struct flr_tx *tx,
					struct nlattr **tb)
{
	const char *name = nla_data(tb[FLOWRING_A_BACKEND_NAME]);
	struct flr_backend *b = flr_backend_find(tx->ring, name);

	if (b)
		return b;
	NL_SET_ERR_MSG_FMT(tx->ack, "no backend %s in ring %s", name,
			   tx->ring->name);
	NL_SET_BAD_ATTR(tx->ack, tb[FLOWRING_A_BACKEND_NAME]);
	return ERR_PTR(-ENOENT);
}

/**
 * flr_nl_backend_set() - stage what a request changes of a backend
 * @tx: commit
 * @tb: attributes of the backend, the name checked to be there
 *
 * Context: under flr_net.lock, may sleep.
 * Return: 0 or an error.
 */
int flr_nl_backend_set(struct flr_tx *tx, struct nlattr **tb)
{
	struct flr_backend *cur, *b;
	int err;

	cur = flr_nl_backend_find(tx, tb);
	if (IS_ERR(cur))
		return PTR_ERR(cur);
	if (tb[FLOWRING_A_BACKEND_MODE] &&
	    nla_get_u32(tb[FLOWRING_A_BACKEND_MODE]) != cur->mode) {
		NL_SET_ERR_MSG_ATTR(tx->ack, tb[FLOWRING_A_BACKEND_MODE],
				    "the mode of a backend cannot be changed");
		return -EINVAL;
	}
	b = flr_backend_clone(cur);
	if (!b)
		return -ENOMEM;
	err = flr_nl_backend_options(tb, b, tx->ack) ?:
	      flr_nl_backend_mode(tb, b, tx->ack) ?: flr_tx_set(tx, cur, b);
	if (err)
		flr_backend_free(b);
	return err;
}

/*
 * Open a request and find the ring that it names, and its backend unless that
 * is not asked for. Nothing is open when this fails.
 */
static struct flr_ring *flr_nl_backend_open(struct sk_buff *skb,
					    struct genl_info *info,
					    struct flr_req *req,
					    struct flr_backend **bp)
{
	const struct nlattr *name = info->attrs[FLOWRING_A_BACKEND_NAME];
	struct flr_ring *ring;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, FLOWRING_A_BACKEND_RING) ||
	    GENL_REQ_ATTR_CHECK(info, FLOWRING_A_BACKEND_NAME))
		return ERR_PTR(-EINVAL);
	err = flr_nl_name(name, info->extack);
	if (err)
		return ERR_PTR(err);
	err = flr_nl_open(skb, info, req, FLR_NL_LARGE);
	if (err)
		return ERR_PTR(err);
	ring = flr_nl_ring(req->fn, info, FLOWRING_A_BACKEND_RING);
	if (IS_ERR(ring) || !bp)
		goto out;
	*bp = flr_backend_find(ring, nla_data(name));
	if (!*bp) {
		NL_SET_ERR_MSG_FMT(info->extack, "no backend %s in ring %s",
				   (const char *)nla_data(name), ring->name);
		NL_SET_BAD_ATTR(info->extack, name);
		ring = ERR_PTR(-ENOENT);
	}
out:
	if (IS_ERR(ring))
		flr_nl_abort(req, 0);
	return ring;
}

/* End a request that has made or changed the backend that it names */
static int flr_nl_backend_done(struct flr_req *req, struct genl_info *info,
			       const struct flr_ring *ring, u8 cmd)
{
	const char *name = nla_data(info->attrs[FLOWRING_A_BACKEND_NAME]);

	return flr_nl_done(req, info, cmd, flr_nl_fill_backend,
			   flr_backend_find(ring, name));
}

int flowring_nl_backend_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_backend *b;
	struct flr_ring *ring;
	struct flr_req req;

	int err;

	ring = flr_nl_backend_open(skb, info, &req, &b);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	err = flr_nl_progress(req.fn, skb, info);
	if (err)
		return flr_nl_abort(&req, err);
	return flr_nl_reply(&req, info, flr_nl_fill_backend, b);
}

static int flr_nl_dump_backends(struct sk_buff *skb,
				struct netlink_callback *cb,
				struct flr_net *fn, struct flr_ring *ring)
{
	const struct genl_info *info = genl_info_dump(cb);
	struct flr_dump *dump = flr_nl_dump(cb);
	struct flr_backend *b;
	int err;

	xa_for_each_start(&ring->backends, dump->inner, b, dump->inner) {
		err = flr_nl_fill_backend(skb, info, cb, fn, b);
		if (err)
			return err;
	}
	return 0;
}

int flowring_nl_backend_get_dumpit(struct sk_buff *skb,
				   struct netlink_callback *cb)
{
	const struct genl_info *info = genl_info_dump(cb);
	struct flr_net *fn = flr_net(sock_net(skb->sk));
	struct flr_dump *dump = flr_nl_dump(cb);
	struct flr_ring *ring;
	int err = 0;

	mutex_lock(&fn->lock);
	cb->seq = fn->gen;
	err = flr_nl_progress(fn, cb->skb, info);
	if (err)
		goto out;
	if (info->attrs[FLOWRING_A_BACKEND_RING]) {
		ring = flr_nl_ring(fn, info, FLOWRING_A_BACKEND_RING);
		err = PTR_ERR_OR_ZERO(ring);
		if (!err)
			err = flr_nl_dump_backends(skb, cb, fn, ring);
		goto out;
	}
	xa_for_each_start(&fn->rings, dump->outer, ring, dump->outer) {
		err = flr_nl_dump_backends(skb, cb, fn, ring);
		if (err)
			break;
		dump->inner = 0;
	}
out:
	mutex_unlock(&fn->lock);
	return err;
}

/**
 * flr_nl_dump_start() - see that any backend fits into a message of a dump
 * @cb: the dump
 *
 * Return: 0.
 */
int flr_nl_dump_start(struct netlink_callback *cb)
{
	cb->min_dump_alloc = FLR_NL_LARGE;
	return 0;
}

int flowring_nl_backend_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_ring *ring;
	struct flr_req req;
	struct flr_tx tx;
	int err;

	ring = flr_nl_backend_open(skb, info, &req, NULL);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	flr_tx_begin(&tx, req.fn, ring, info->extack);
	err = flr_nl_commit(&req, info, &tx,
			    flr_nl_backend_add(&tx, info->attrs, NULL));
	if (err)
		return flr_nl_abort(&req, err);
	return flr_nl_backend_done(&req, info, ring,
				   FLOWRING_CMD_BACKEND_NEW_NTF);
}

int flowring_nl_backend_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_backend *b;
	struct flr_ring *ring;
	struct flr_req req;
	struct flr_tx tx;
	int err;

	ring = flr_nl_backend_open(skb, info, &req, &b);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	flr_tx_begin(&tx, req.fn, ring, info->extack);
	err = flr_nl_commit(&req, info, &tx,
			    flr_nl_backend_set(&tx, info->attrs));
	if (err)
		return flr_nl_abort(&req, err);
	return flr_nl_backend_done(&req, info, ring,
				   FLOWRING_CMD_BACKEND_SET_NTF);
}

/* A backend that packets may still go to has to be drained first */
static int flr_nl_check_drained(struct flr_net *fn, struct flr_backend *b,
				struct netlink_ext_ack *ack)
{
	const struct flr_table *table = flr_ring_table(b->ring, fn);
	const struct flr_ring *ring = b->ring;

	if (b->state == FLOWRING_STATE_DOWN ||
	    !(ring->nservices[0] || ring->nservices[1]))
		return 0;
	if (table->counts[b->id]) {
		NL_SET_ERR_MSG_FMT(ack, "%s owns %u of %u slots: drain, or force",
				   b->name, table->counts[b->id],
				   1U << table->bits);
		return -EBUSY;
	}
	flr_pins_count(fn);
	flr_nat_count(fn);
	if (!b->flows && !b->pins && !b->remembered)
		return 0;
	NL_SET_ERR_MSG_FMT(ack, "%s: %u flows, %u slots left: wait, or force",
			   b->name, b->flows + b->pins, b->remembered);
	return -EBUSY;
}

int flowring_nl_backend_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_backend *b;
	struct flr_ring *ring;
	struct flr_req req;
	struct flr_tx tx;
	int err;

	ring = flr_nl_backend_open(skb, info, &req, &b);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	if (!info->attrs[FLOWRING_A_BACKEND_FORCE]) {
		err = flr_nl_check_drained(req.fn, b, info->extack);
		if (err)
			return flr_nl_abort(&req, err);
	}
	err = flr_nl_prepare(&req, FLOWRING_CMD_BACKEND_DEL_NTF,
			     flr_nl_fill_backend, b);
	if (err)
		return flr_nl_abort(&req, err);
	flr_tx_begin(&tx, req.fn, ring, info->extack);
	err = flr_nl_commit(&req, info, &tx, flr_tx_del(&tx, b));
	if (err)
		return flr_nl_abort(&req, err);
	return flr_nl_deleted(&req, info);
}
