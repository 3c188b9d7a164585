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

/* A request that names a backend: what each handler begins and ends with */
struct flr_backend_req {
	struct flr_net *fn;
	struct sk_buff *msg;
	struct flr_ring *ring;
	struct flr_backend *backend;
};

/* Ring found, reply allocated, lock taken; the backend is NULL if unknown */
static int flr_nl_backend_begin(struct sk_buff *skb, struct genl_info *info,
				struct flr_backend_req *req)
{
	const struct nlattr *name = info->attrs[FLOWRING_A_BACKEND_NAME];
	int err;

	if (GENL_REQ_ATTR_CHECK(info, FLOWRING_A_BACKEND_RING) ||
	    GENL_REQ_ATTR_CHECK(info, FLOWRING_A_BACKEND_NAME))
		return -EINVAL;
	err = flr_nl_name(name, info->extack);
	if (err)
		return err;
	req->msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!req->msg)
		return -ENOMEM;
	info->user_ptr[0] = skb;
	req->fn = flr_net(genl_info_net(info));
	mutex_lock(&req->fn->lock);
	req->ring = flr_nl_ring(req->fn, info, FLOWRING_A_BACKEND_RING);
	if (IS_ERR(req->ring)) {
		mutex_unlock(&req->fn->lock);
		nlmsg_free(req->msg);
		return PTR_ERR(req->ring);
	}
	req->backend = flr_backend_find(req->ring, nla_data(name));
	return 0;
}

static int flr_nl_backend_abort(struct flr_backend_req *req, int err)
{
	mutex_unlock(&req->fn->lock);
	nlmsg_free(req->msg);
	return err;
}

static int flr_nl_backend_unknown(struct flr_backend_req *req,
				  struct genl_info *info)
{
	const struct nlattr *name = info->attrs[FLOWRING_A_BACKEND_NAME];

	NL_SET_ERR_MSG_FMT(info->extack, "no backend %s in ring %s",
			   (const char *)nla_data(name), req->ring->name);
	NL_SET_BAD_ATTR(info->extack, name);
	return flr_nl_backend_abort(req, -ENOENT);
}

/* Announce a change, reply, unlock */
static int flr_nl_backend_done(struct flr_backend_req *req,
			       struct genl_info *info, u8 cmd)
{
	int err;

	flr_nl_notify(req->fn, info, cmd, flr_nl_fill_backend, req->backend);
	err = flr_nl_send(req->fn, req->msg, info, flr_nl_fill_backend,
			  req->backend);
	mutex_unlock(&req->fn->lock);
	return err;
}

int flowring_nl_backend_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_backend_req req;
	int err;

	err = flr_nl_backend_begin(skb, info, &req);
	if (err)
		return err;
	if (!req.backend)
		return flr_nl_backend_unknown(&req, info);
	err = flr_nl_send(req.fn, req.msg, info, flr_nl_fill_backend,
			  req.backend);
	mutex_unlock(&req.fn->lock);
	return err;
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
	struct flr_backend_req req;
	struct flr_backend *b;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, FLOWRING_A_BACKEND_ADDR))
		return -EINVAL;
	err = flr_nl_backend_begin(skb, info, &req);
	if (err)
		return err;
	b = flr_backend_alloc(nla_data(info->attrs[FLOWRING_A_BACKEND_NAME]),
			      NULL);
	if (!b)
		return flr_nl_backend_abort(&req, -ENOMEM);
	err = flr_nl_backend_options(info, b);
	if (err)
		goto err_free;
	err = flr_backend_new(req.fn, req.ring, b, info->extack);
	if (err)
		goto err_free;
	req.backend = b;
	return flr_nl_backend_done(&req, info, FLOWRING_CMD_BACKEND_NEW_NTF);

err_free:
	flr_backend_free(b);
	return flr_nl_backend_abort(&req, err);
}

int flowring_nl_backend_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_backend_req req;
	struct flr_backend opt;
	int err;

	err = flr_nl_backend_begin(skb, info, &req);
	if (err)
		return err;
	if (!req.backend)
		return flr_nl_backend_unknown(&req, info);
	opt = *req.backend;
	err = flr_nl_backend_options(info, &opt);
	if (err)
		return flr_nl_backend_abort(&req, err);
	err = flr_backend_set(req.fn, &req.backend, &opt, info->extack);
	if (err)
		return flr_nl_backend_abort(&req, err);
	return flr_nl_backend_done(&req, info, FLOWRING_CMD_BACKEND_SET_NTF);
}

int flowring_nl_backend_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_backend_req req;
	int err;

	err = flr_nl_backend_begin(skb, info, &req);
	if (err)
		return err;
	if (!req.backend)
		return flr_nl_backend_unknown(&req, info);
	err = flr_nl_prepare(req.fn, req.msg, FLOWRING_CMD_BACKEND_DEL_NTF,
			     flr_nl_fill_backend, req.backend);
	if (!err)
		err = flr_backend_del(req.fn, req.backend, info->extack);
	if (err)
		return flr_nl_backend_abort(&req, err);
	flr_nl_announce(req.fn, info, req.msg);
	mutex_unlock(&req.fn->lock);
	return 0;
}
