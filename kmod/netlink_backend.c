// SPDX-License-Identifier: GPL-2.0
/* Netlink handlers of backends. */

#include "netlink.h"

static int flr_nl_fill_backend(struct sk_buff *msg,
			       const struct genl_info *info,
			       struct netlink_callback *cb, struct flr_net *fn,
			       void *obj)
{
	const struct flr_backend *b = obj;
	const struct flr_table *table;
	u32 tokens = 0;
	void *hdr;
	int err;

	hdr = flr_nl_begin(msg, info, cb);
	if (!hdr)
		return -EMSGSIZE;
	if (b->state == FLOWRING_STATE_UP)
		tokens = flr_ring_ntokens(b->ring->vnodes, b->weight);
	table = flr_ring_table(b->ring, fn);
	err = nla_put_string(msg, FLOWRING_A_BACKEND_RING, b->ring->name) ?:
	      nla_put_string(msg, FLOWRING_A_BACKEND_NAME, b->name) ?:
	      flr_nl_put_addr(msg, FLOWRING_A_BACKEND_ADDR, b->family,
			      &b->addr) ?:
	      nla_put_u32(msg, FLOWRING_A_BACKEND_WEIGHT, b->weight) ?:
	      nla_put_u32(msg, FLOWRING_A_BACKEND_MODE, b->mode) ?:
	      nla_put_u32(msg, FLOWRING_A_BACKEND_STATE, b->state) ?:
	      nla_put_u32(msg, FLOWRING_A_BACKEND_TOKENS, tokens) ?:
	      nla_put_u32(msg, FLOWRING_A_BACKEND_SLOTS,
			  table->counts[b->id]);
	if (!err && b->port)
		err = nla_put_u32(msg, FLOWRING_A_BACKEND_PORT, ntohs(b->port));
	if (!err && !genl_info_is_ntf(info))
		err = flr_stats_fill(msg, FLOWRING_A_BACKEND_STATS, b->stats);
	if (err) {
		genlmsg_cancel(msg, hdr);
		return err;
	}
	genlmsg_end(msg, hdr);
	return 0;
}

/* What a request says of a backend, put into @b */
static int flr_nl_backend_options(const struct genl_info *info,
				  struct flr_backend *b)
{
	struct nlattr **attrs = info->attrs;
	int err;

	if (attrs[FLOWRING_A_BACKEND_ADDR]) {
		err = flr_nl_addr(attrs[FLOWRING_A_BACKEND_ADDR], &b->family,
				  &b->addr, info->extack);
		if (err)
			return err;
	}
	if (attrs[FLOWRING_A_BACKEND_PORT])
		b->port = htons(nla_get_u32(attrs[FLOWRING_A_BACKEND_PORT]));
	if (attrs[FLOWRING_A_BACKEND_WEIGHT])
		b->weight = nla_get_u32(attrs[FLOWRING_A_BACKEND_WEIGHT]);
	if (attrs[FLOWRING_A_BACKEND_MODE])
		b->mode = nla_get_u32(attrs[FLOWRING_A_BACKEND_MODE]);
	if (attrs[FLOWRING_A_BACKEND_STATE])
		b->state = nla_get_u32(attrs[FLOWRING_A_BACKEND_STATE]);
	return 0;
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
	err = flr_nl_open(skb, info, req);
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

int flowring_nl_backend_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_backend *b;
	struct flr_ring *ring;
	struct flr_req req;

	ring = flr_nl_backend_open(skb, info, &req, &b);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
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
	if (info->attrs[FLOWRING_A_BACKEND_RING]) {
		ring = flr_nl_ring(fn, info, FLOWRING_A_BACKEND_RING);
		err = PTR_ERR_OR_ZERO(ring);
		if (!err)
			err = flr_nl_dump_backends(skb, cb, fn, ring);
		mutex_unlock(&fn->lock);
		return err;
	}
	xa_for_each_start(&fn->rings, dump->outer, ring, dump->outer) {
		err = flr_nl_dump_backends(skb, cb, fn, ring);
		if (err)
			break;
		dump->inner = 0;
	}
	mutex_unlock(&fn->lock);
	return err;
}

int flowring_nl_backend_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_backend *b;
	struct flr_ring *ring;
	struct flr_req req;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, FLOWRING_A_BACKEND_ADDR))
		return -EINVAL;
	ring = flr_nl_backend_open(skb, info, &req, NULL);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	b = flr_backend_alloc(nla_data(info->attrs[FLOWRING_A_BACKEND_NAME]),
			      NULL);
	if (!b)
		return flr_nl_abort(&req, -ENOMEM);
	err = flr_nl_backend_options(info, b);
	if (err)
		goto err_free;
	err = flr_backend_new(req.fn, ring, b, info->extack);
	if (err)
		goto err_free;
	return flr_nl_done(&req, info, FLOWRING_CMD_BACKEND_NEW_NTF,
			   flr_nl_fill_backend, b);

err_free:
	flr_backend_free(b);
	return flr_nl_abort(&req, err);
}

int flowring_nl_backend_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_backend *b, opt;
	struct flr_ring *ring;
	struct flr_req req;
	int err;

	ring = flr_nl_backend_open(skb, info, &req, &b);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	opt = *b;
	err = flr_nl_backend_options(info, &opt);
	if (!err)
		err = flr_backend_set(req.fn, &b, &opt, info->extack);
	if (err)
		return flr_nl_abort(&req, err);
	return flr_nl_done(&req, info, FLOWRING_CMD_BACKEND_SET_NTF,
			   flr_nl_fill_backend, b);
}

int flowring_nl_backend_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_backend *b;
	struct flr_ring *ring;
	struct flr_req req;
	int err;

	ring = flr_nl_backend_open(skb, info, &req, &b);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	err = flr_nl_prepare(&req, FLOWRING_CMD_BACKEND_DEL_NTF,
			     flr_nl_fill_backend, b);
	if (!err)
		err = flr_backend_del(req.fn, b, info->extack);
	if (err)
		return flr_nl_abort(&req, err);
	return flr_nl_deleted(&req, info);
}
