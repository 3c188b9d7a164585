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

/**
 * flr_nl_fill_ring() - fill a message about a ring
 * @msg: buffer
 * @info: request or notification
 * @cb: the dump, or NULL
 * @fn: namespace
 * @obj: the ring
 *
 * Context: under flr_net.lock.
 * Return: 0 or -EMSGSIZE.
 */
int flr_nl_fill_ring(struct sk_buff *msg, const struct genl_info *info,
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
	      nla_put_u32(msg, FLOWRING_A_RING_BITS, ring->opt.bits) ?:
	      nla_put_u32(msg, FLOWRING_A_RING_VNODES, ring->opt.vnodes) ?:
	      nla_put_u32(msg, FLOWRING_A_RING_IMBALANCE,
			  ring->opt.imbalance) ?:
	      nla_put_u32(msg, FLOWRING_A_RING_NO_BACKEND,
			  ring->opt.no_backend) ?:
	      nla_put_u32(msg, FLOWRING_A_RING_MASQUERADE,
			  ring->opt.masquerade) ?:
	      nla_put_uint(msg, FLOWRING_A_RING_EPOCH, ring->epoch) ?:
	      nla_put_u32(msg, FLOWRING_A_RING_BACKENDS,
			  ring->nbackends) ?:
	      nla_put_u32(msg, FLOWRING_A_RING_USABLE, flr_ring_usable(ring)) ?:
	      nla_put_u32(msg, FLOWRING_A_RING_TOKENS,
			  flr_ring_table(ring, fn)->ntokens) ?:
	      nla_put_u32(msg, FLOWRING_A_RING_SERVICES,
			  ring->nservices[0] + ring->nservices[1]) ?:
	      nla_put_uint(msg, FLOWRING_A_RING_FINGERPRINT,
			   flr_ring_table(ring, fn)->fingerprint) ?:
	      nla_put_u32(msg, FLOWRING_A_RING_WINDOW, ring->opt.window) ?:
	      nla_put_u32(msg, FLOWRING_A_RING_PIN_IDLE, ring->opt.pin_idle) ?:
	      nla_put_u32(msg, FLOWRING_A_RING_UDP, ring->opt.udp) ?:
	      nla_put_u32(msg, FLOWRING_A_RING_FROZEN, ring->frozen) ?:
	      flr_nl_fill_window(msg, fn, ring);
	if (!err && ring->drain.stats && !genl_info_is_ntf(info))
		err = flr_window_stats_fill(msg, FLOWRING_A_RING_WINDOW_STATS,
					    ring->drain.stats,
					    ring->drain.idle,
					    ring->drain.forgotten);
	if (!err && *ring->owner)
		err = nla_put_string(msg, FLOWRING_A_RING_OWNER, ring->owner);
	if (!err && flr_nl_is_admin(info, cb))
		err = flr_nl_fill_key(msg, &ring->opt.key);
	if (err) {
		genlmsg_cancel(msg, hdr);
		return err;
	}
	genlmsg_end(msg, hdr);
	return 0;
}

/**
 * flr_nl_ring_options() - read options of a ring
 * @tb: attributes of the ring
 * @opt: gets those that are given
 * @owner: gets the tag if it is given, FLOWRING_NAME_MAX_LEN + 1 bytes
 * @ack: for the reason of a refusal
 *
 * Return: 0 or -EINVAL.
 */
int flr_nl_ring_options(struct nlattr **tb, struct flr_options *opt,
			char *owner, struct netlink_ext_ack *ack)
{
	const u8 *key;
	int err;

	if (tb[FLOWRING_A_RING_OWNER]) {
		err = flr_nl_tag(tb[FLOWRING_A_RING_OWNER], ack);
		if (err)
			return err;
		nla_strscpy(owner, tb[FLOWRING_A_RING_OWNER],
			    FLOWRING_NAME_MAX_LEN + 1);
	}
	if (tb[FLOWRING_A_RING_BITS])
		opt->bits = nla_get_u32(tb[FLOWRING_A_RING_BITS]);
	if (tb[FLOWRING_A_RING_VNODES])
		opt->vnodes = nla_get_u32(tb[FLOWRING_A_RING_VNODES]);
	if (tb[FLOWRING_A_RING_IMBALANCE])
		opt->imbalance = nla_get_u32(tb[FLOWRING_A_RING_IMBALANCE]);
	if (tb[FLOWRING_A_RING_NO_BACKEND])
		opt->no_backend = nla_get_u32(tb[FLOWRING_A_RING_NO_BACKEND]);
	if (tb[FLOWRING_A_RING_MASQUERADE])
		opt->masquerade = nla_get_u32(tb[FLOWRING_A_RING_MASQUERADE]);
	if (tb[FLOWRING_A_RING_WINDOW])
		opt->window = nla_get_u32(tb[FLOWRING_A_RING_WINDOW]);
	if (tb[FLOWRING_A_RING_PIN_IDLE])
		opt->pin_idle = nla_get_u32(tb[FLOWRING_A_RING_PIN_IDLE]);
	if (tb[FLOWRING_A_RING_UDP])
		opt->udp = nla_get_u32(tb[FLOWRING_A_RING_UDP]);
	if (tb[FLOWRING_A_RING_KEY]) {
		key = nla_data(tb[FLOWRING_A_RING_KEY]);
		opt->key.key[0] = get_unaligned_le64(key);
		opt->key.key[1] = get_unaligned_le64(key + 8);
	}
	return 0;
}

/* Open a request that names a ring, which need not be there */
static int flr_nl_ring_name(struct sk_buff *skb, struct genl_info *info,
			    struct flr_req *req)
{
	int err;

	if (GENL_REQ_ATTR_CHECK(info, FLOWRING_A_RING_NAME))
		return -EINVAL;
	err = flr_nl_name(info->attrs[FLOWRING_A_RING_NAME], info->extack);
	if (err)
		return err;
	return flr_nl_open(skb, info, req, NLMSG_GOODSIZE);
}

/**
 * flr_nl_ring_open() - begin to handle a request about a ring
 * @skb: request
 * @info: request
 * @req: gets the reply's buffer and the namespace, locked
 * @ring: gets the ring
 *
 * Context: process context, may sleep.
 * Return: 0, or an error and then nothing is open.
 */
int flr_nl_ring_open(struct sk_buff *skb, struct genl_info *info,
		     struct flr_req *req, struct flr_ring **ring)
{
	int err = flr_nl_ring_name(skb, info, req);

	if (err)
		return err;
	*ring = flr_nl_ring(req->fn, info, FLOWRING_A_RING_NAME);
	return IS_ERR(*ring) ? flr_nl_abort(req, PTR_ERR(*ring)) : 0;
}

int flowring_nl_ring_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_ring *ring;
	struct flr_req req;
	int err;

	err = flr_nl_ring_open(skb, info, &req, &ring);
	if (err)
		return err;
	/* it takes time, and others see the last count */
	if (flr_nl_is_admin(info, NULL))
		flr_pins_count(req.fn);
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
	if (flr_nl_is_admin(info, cb))
		flr_pins_count(fn);
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
	const char *name;
	struct flr_ring *ring;
	struct flr_req req;
	struct flr_tx tx;
	int err;

	err = flr_nl_ring_name(skb, info, &req);
	if (err)
		return err;
	name = nla_data(info->attrs[FLOWRING_A_RING_NAME]);
	if (flr_ring_find(req.fn, name)) {
		NL_SET_ERR_MSG_FMT(info->extack, "ring %s exists", name);
		return flr_nl_abort(&req, -EEXIST);
	}
	ring = flr_ring_alloc(name);
	if (!ring)
		return flr_nl_abort(&req, -ENOMEM);
	flr_tx_begin(&tx, req.fn, ring, info->extack);
	err = flr_nl_ring_options(info->attrs, &tx.opt, tx.owner,
				  info->extack);
	err = flr_nl_commit(&req, info, &tx, err);
	if (err) {
		flr_ring_free(ring);
		return flr_nl_abort(&req, err);
	}
	return flr_nl_done(&req, info, FLOWRING_CMD_RING_NEW_NTF,
			   flr_nl_fill_ring, ring);
}

int flowring_nl_ring_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_ring *ring;
	struct flr_req req;
	struct flr_tx tx;
	int err;

	err = flr_nl_ring_open(skb, info, &req, &ring);
	if (err)
		return err;
	flr_tx_begin(&tx, req.fn, ring, info->extack);
	err = flr_nl_ring_options(info->attrs, &tx.opt, tx.owner,
				  info->extack);
	err = flr_nl_commit(&req, info, &tx, err);
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

	err = flr_nl_ring_open(skb, info, &req, &ring);
	if (err)
		return err;
	err = flr_nl_prepare(&req, FLOWRING_CMD_RING_DEL_NTF, flr_nl_fill_ring,
			     ring);
	if (!err)
		err = flr_ring_del(req.fn, ring, info->extack);
	if (err)
		return flr_nl_abort(&req, err);
	return flr_nl_deleted(&req, info);
}
