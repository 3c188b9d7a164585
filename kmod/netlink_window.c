// SPDX-License-Identifier: GPL-2.0
/* Netlink handlers of windows, of the table of pins, and of freezing rings. */

#include <linux/log2.h>
#include <linux/mm.h>

#include "netlink.h"

static bool flr_ring_has_windows(const struct flr_ring *ring)
{
	return ring->drain.state != FLOWRING_WINDOW_STATE_STEADY ||
	       ring->kind == FLR_KIND_STATELESS;
}

static int flr_nl_put_window(struct sk_buff *msg, const struct flr_net *fn,
			     const struct flr_ring *ring)
{
	const struct flr_window *w = flr_ring_window(ring, fn);
	const struct flr_drain *drain = &ring->drain;
	unsigned long now = jiffies, left;
	int err;

	err = nla_put_u32(msg, FLOWRING_A_WINDOW_STATE, drain->state);
	if (!err && drain->state == FLOWRING_WINDOW_STATE_OPEN) {
		left = time_after(drain->until, now) ? drain->until - now : 0;
		err = nla_put_uint(msg, FLOWRING_A_WINDOW_CLOSES_IN,
				   jiffies_to_msecs(left));
	}
	if (err || !w)
		return err;
	return nla_put_u32(msg, FLOWRING_A_WINDOW_SLOTS, w->moved) ?:
	       nla_put_u32(msg, FLOWRING_A_WINDOW_TOTAL, 1U << w->bits) ?:
	       nla_put_u32(msg, FLOWRING_A_WINDOW_PINS, drain->pins) ?:
	       nla_put_uint(msg, FLOWRING_A_WINDOW_MEMORY,
			    struct_size(w, slots, 1UL << w->bits));
}

/**
 * flr_nl_fill_window() - put the window of a ring into a message
 * @msg: message
 * @fn: namespace
 * @ring: ring
 *
 * Context: under flr_net.lock.
 * Return: 0, or -EMSGSIZE.
 */
int flr_nl_fill_window(struct sk_buff *msg, const struct flr_net *fn,
		       const struct flr_ring *ring)
{
	struct nlattr *nest;

	if (!flr_ring_has_windows(ring))
		return 0;
	nest = nla_nest_start(msg, FLOWRING_A_RING_WINDOW_INFO);
	if (!nest)
		return -EMSGSIZE;
	if (flr_nl_put_window(msg, fn, ring)) {
		nla_nest_cancel(msg, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, nest);
	return 0;
}

static int flr_nl_fill_window_ntf(struct sk_buff *msg, struct flr_net *fn,
				  const struct flr_ring *ring)
{
	struct genl_info info;
	void *hdr;

	genl_info_init_ntf(&info, &flowring_nl_family,
			   FLOWRING_CMD_WINDOW_NTF);
	hdr = flr_nl_begin(msg, &info, NULL);
	if (!hdr || nla_put_string(msg, FLOWRING_A_RING_NAME, ring->name) ||
	    nla_put_uint(msg, FLOWRING_A_RING_EPOCH, ring->epoch) ||
	    flr_nl_fill_window(msg, fn, ring))
		return -EMSGSIZE;
	genlmsg_end(msg, hdr);
	return 0;
}

/**
 * flr_nl_window_ntf() - tell the config group that a window has changed state
 * @fn: namespace
 * @ring: ring
 *
 * A listener that loses one for lack of memory is told so by ENOBUFS.
 *
 * Context: under flr_net.lock, may sleep.
 */
void flr_nl_window_ntf(struct flr_net *fn, const struct flr_ring *ring)
{
	struct sk_buff *msg;

	if (!genl_has_listeners(&flowring_nl_family, fn->net,
				FLOWRING_NLGRP_CONFIG))
		return;
	msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (msg && !flr_nl_fill_window_ntf(msg, fn, ring)) {
		genlmsg_multicast_netns(&flowring_nl_family, fn->net, msg, 0,
					FLOWRING_NLGRP_CONFIG, GFP_KERNEL);
		return;
	}
	nlmsg_free(msg);
	genl_set_err(&flowring_nl_family, fn->net, 0, FLOWRING_NLGRP_CONFIG,
		     -ENOBUFS);
}

int flowring_nl_window_close_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_ring *ring;
	struct flr_req req;
	int err;

	err = flr_nl_ring_open(skb, info, &req, &ring);
	if (err)
		return err;
	if (ring->drain.state != FLOWRING_WINDOW_STATE_OPEN) {
		NL_SET_ERR_MSG_FMT(info->extack, "ring %s has no open window",
				   ring->name);
		return flr_nl_abort(&req, -ENOENT);
	}
	err = flr_window_shut(req.fn, ring);
	if (err) {
		NL_SET_ERR_MSG_FMT(info->extack,
				   "ring %s: no memory for the window",
				   ring->name);
		return flr_nl_abort(&req, err);
	}
	return flr_nl_reply(&req, info, flr_nl_fill_ring, ring);
}

int flowring_nl_ring_freeze_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_ring *ring;
	struct flr_req req;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, FLOWRING_A_RING_FROZEN))
		return -EINVAL;
	err = flr_nl_ring_open(skb, info, &req, &ring);
	if (err)
		return err;
	ring->frozen = nla_get_u32(info->attrs[FLOWRING_A_RING_FROZEN]);
	flr_changed(req.fn);
	return flr_nl_done(&req, info, FLOWRING_CMD_RING_SET_NTF,
			   flr_nl_fill_ring, ring);
}

static int flr_nl_fill_pins(struct sk_buff *msg, const struct genl_info *info,
			    struct netlink_callback *cb, struct flr_net *fn,
			    void *obj)
{
	u32 size = 0, used = 0, windows = 0;
	size_t memory = 0;
	struct flr_ring *ring;
	void *hdr;

	if (fn->pins) {
		size = (fn->pins->mask + 1) * FLR_PIN_WAYS;
		memory = struct_size(fn->pins, buckets, fn->pins->mask + 1);
	}
	list_for_each_entry(ring, &fn->drains, drain.list) {
		used += ring->drain.pins;
		windows++;
	}
	hdr = flr_nl_begin(msg, info, cb);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_u32(msg, FLOWRING_A_PINS_SIZE, fn->pins_size) ||
	    nla_put_u32(msg, FLOWRING_A_PINS_PRESENT_SIZE, size) ||
	    nla_put_u32(msg, FLOWRING_A_PINS_USED, used) ||
	    nla_put_uint(msg, FLOWRING_A_PINS_MEMORY, memory) ||
	    nla_put_u32(msg, FLOWRING_A_PINS_WINDOWS, windows)) {
		genlmsg_cancel(msg, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(msg, hdr);
	return 0;
}

int flowring_nl_pins_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_req req;
	int err;

	err = flr_nl_open(skb, info, &req, NLMSG_GOODSIZE);
	if (err)
		return err;
	if (flr_nl_is_admin(info, NULL))
		flr_pins_count(req.fn);
	return flr_nl_reply(&req, info, flr_nl_fill_pins, NULL);
}

int flowring_nl_pins_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_req req;
	u32 size;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, FLOWRING_A_PINS_SIZE))
		return -EINVAL;
	size = nla_get_u32(info->attrs[FLOWRING_A_PINS_SIZE]);
	if (!is_power_of_2(size)) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[FLOWRING_A_PINS_SIZE],
				    "size is not a power of two");
		return -EINVAL;
	}
	err = flr_nl_open(skb, info, &req, NLMSG_GOODSIZE);
	if (err)
		return err;
	req.fn->pins_size = size;
	flr_pins_count(req.fn);
	return flr_nl_reply(&req, info, flr_nl_fill_pins, NULL);
}
