// SPDX-License-Identifier: GPL-2.0
/* Netlink handlers of rings. */

#include <linux/random.h>
#include <linux/slab.h>
#include <linux/unaligned.h>

#include "netlink.h"

static int flr_nl_fill_key(struct sk_buff *msg, const siphash_key_t *key)
{
	u8 bytes[FLOWRING_KEY_LEN];

	put_unaligned_le64(key->key[0], bytes);
	put_unaligned_le64(key->key[1], bytes + 8);
	return nla_put(msg, FLOWRING_A_RING_KEY, sizeof(bytes), bytes);
}

static u32 flr_ring_usable(struct flr_ring *ring)
{
	struct flr_backend *b;
	u32 usable = 0;

	for (b = flr_backend_first(ring); b; b = flr_backend_next(b))
		usable += b->state == FLOWRING_STATE_UP && b->weight;
	return usable;
}

static int flr_nl_fill_ring(struct sk_buff *msg, const struct genl_info *info,
			    struct netlink_callback *cb, struct flr_net *fn,
			    void *obj)
{
	struct flr_ring *ring = obj;
	void *hdr;
	int err;

	hdr = flr_nl_begin(msg, info, cb);
	if (!hdr)
		return -EMSGSIZE;
	err = nla_put_string(msg, FLOWRING_A_RING_NAME, ring->name) ?:
	      nla_put_u32(msg, FLOWRING_A_RING_BITS, ring->bits) ?:
	      nla_put_u32(msg, FLOWRING_A_RING_VNODES, ring->vnodes) ?:
	      nla_put_u32(msg, FLOWRING_A_RING_NO_BACKEND, ring->no_backend) ?:
	      nla_put_u32(msg, FLOWRING_A_RING_MASQUERADE, ring->masquerade) ?:
	      nla_put_uint(msg, FLOWRING_A_RING_EPOCH, ring->epoch) ?:
	      nla_put_u32(msg, FLOWRING_A_RING_BACKENDS,
			  ring->nbackends[0] + ring->nbackends[1]) ?:
	      nla_put_u32(msg, FLOWRING_A_RING_USABLE, flr_ring_usable(ring)) ?:
	      nla_put_u32(msg, FLOWRING_A_RING_TOKENS,
			  flr_ring_table(ring, fn)->ntokens) ?:
	      nla_put_u32(msg, FLOWRING_A_RING_SERVICES,
			  ring->nservices[0] + ring->nservices[1]);
	if (!err && flr_nl_is_admin(info, cb))
		err = flr_nl_fill_key(msg, &ring->key);
	if (err) {
		genlmsg_cancel(msg, hdr);
		return err;
	}
	genlmsg_end(msg, hdr);
	return 0;
}

/* Options that a request gives */
static void flr_nl_ring_options(const struct genl_info *info,
				struct flr_ring *opt)
{
	const struct nlattr *attr;
	const u8 *key;

	attr = info->attrs[FLOWRING_A_RING_BITS];
	if (attr)
		opt->bits = nla_get_u32(attr);
	attr = info->attrs[FLOWRING_A_RING_VNODES];
	if (attr)
		opt->vnodes = nla_get_u32(attr);
	attr = info->attrs[FLOWRING_A_RING_NO_BACKEND];
	if (attr)
		opt->no_backend = nla_get_u32(attr);
	attr = info->attrs[FLOWRING_A_RING_MASQUERADE];
	if (attr)
		opt->masquerade = nla_get_u32(attr);
	attr = info->attrs[FLOWRING_A_RING_KEY];
	if (attr) {
		key = nla_data(attr);
		opt->key.key[0] = get_unaligned_le64(key);
		opt->key.key[1] = get_unaligned_le64(key + 8);
	}
}

static int flr_nl_ring_open(struct sk_buff *skb, struct genl_info *info,
			    struct flr_req *req)
{
	int err;

	if (GENL_REQ_ATTR_CHECK(info, FLOWRING_A_RING_NAME))
		return -EINVAL;
	err = flr_nl_name(info->attrs[FLOWRING_A_RING_NAME], info->extack);
	if (err)
		return err;
	return flr_nl_open(skb, info, req);
}

int flowring_nl_ring_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_ring *ring;
	struct flr_req req;
	int err;

	err = flr_nl_ring_open(skb, info, &req);
	if (err)
		return err;
	ring = flr_nl_ring(req.fn, info, FLOWRING_A_RING_NAME);
	if (IS_ERR(ring))
		return flr_nl_abort(&req, PTR_ERR(ring));
	return flr_nl_reply(&req, info, flr_nl_fill_ring, ring);
}

int flowring_nl_ring_get_dumpit(struct sk_buff *skb,
				struct netlink_callback *cb)
{
	const struct genl_info *info = genl_info_dump(cb);
	struct flr_net *fn = flr_net(sock_net(skb->sk));
	struct flr_dump *dump = flr_nl_dump(cb);
	struct flr_ring *ring;
	int err = 0;

	mutex_lock(&fn->lock);
	cb->seq = fn->gen;
	xa_for_each_start(&fn->rings, dump->outer, ring, dump->outer) {
		err = flr_nl_fill_ring(skb, info, cb, fn, ring);
		if (err)
			break;
	}
	mutex_unlock(&fn->lock);
	return err;
}

int flowring_nl_ring_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_ring *ring;
	struct flr_req req;
	int err;

	err = flr_nl_ring_open(skb, info, &req);
	if (err)
		return err;
	ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);
	if (!ring)
		return flr_nl_abort(&req, -ENOMEM);
	nla_strscpy(ring->name, info->attrs[FLOWRING_A_RING_NAME],
		    sizeof(ring->name));
	ring->bits = FLR_DEFAULT_BITS;
	ring->vnodes = FLR_DEFAULT_VNODES;
	get_random_bytes(&ring->key, sizeof(ring->key));
	flr_nl_ring_options(info, ring);
	err = flr_ring_new(req.fn, ring, info->extack);
	if (err) {
		kfree(ring);
		return flr_nl_abort(&req, err);
	}
	return flr_nl_done(&req, info, FLOWRING_CMD_RING_NEW_NTF,
			   flr_nl_fill_ring, ring);
}

int flowring_nl_ring_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_ring *ring, opt;
	struct flr_req req;
	int err;

	err = flr_nl_ring_open(skb, info, &req);
	if (err)
		return err;
	ring = flr_nl_ring(req.fn, info, FLOWRING_A_RING_NAME);
	if (IS_ERR(ring))
		return flr_nl_abort(&req, PTR_ERR(ring));
	opt = *ring;
	flr_nl_ring_options(info, &opt);
	err = flr_ring_set(req.fn, ring, &opt, info->extack);
	if (err)
		return flr_nl_abort(&req, err);
	return flr_nl_done(&req, info, FLOWRING_CMD_RING_SET_NTF,
			   flr_nl_fill_ring, ring);
}

int flowring_nl_ring_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_ring *ring;
	struct flr_req req;
	int err;

	err = flr_nl_ring_open(skb, info, &req);
	if (err)
		return err;
	ring = flr_nl_ring(req.fn, info, FLOWRING_A_RING_NAME);
	if (IS_ERR(ring))
		return flr_nl_abort(&req, PTR_ERR(ring));
	err = flr_nl_prepare(&req, FLOWRING_CMD_RING_DEL_NTF, flr_nl_fill_ring,
			     ring);
	if (!err)
		err = flr_ring_del(req.fn, ring, info->extack);
	if (err)
		return flr_nl_abort(&req, err);
	return flr_nl_deleted(&req, info);
}
