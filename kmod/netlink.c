// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: what the handlers of all objects share.
 *
 * Handlers run without the genetlink lock (parallel_ops) and take flr_net.lock
 * themselves. A reply is allocated before a change is made, so that a change
 * that has been made is never reported as failed.
 */

#include <linux/ctype.h>
#include <net/ipv6.h>

#include "netlink.h"

/**
 * flr_nl_name() - check a name
 * @attr: attribute, its length checked by the policy
 * @ack: for the reason of a refusal
 *
 * Return: 0, or -EINVAL for a name that is empty or not printable.
 */
int flr_nl_name(const struct nlattr *attr, struct netlink_ext_ack *ack)
{
	const char *name = nla_data(attr), *c;

	for (c = name; *c; c++) {
		if (isascii(*c) && isgraph(*c))
			continue;
		NL_SET_ERR_MSG_ATTR(ack, attr,
				    "name is not plain ASCII without spaces");
		return -EINVAL;
	}
	if (c == name) {
		NL_SET_ERR_MSG_ATTR(ack, attr, "name is empty");
		return -EINVAL;
	}
	return 0;
}

/**
 * flr_nl_tag() - check a word that may be empty
 * @attr: attribute, its length checked by the policy
 * @ack: for the reason of a refusal
 *
 * Return: 0, or -EINVAL for a word that is not printable.
 */
int flr_nl_tag(const struct nlattr *attr, struct netlink_ext_ack *ack)
{
	return *(const char *)nla_data(attr) ? flr_nl_name(attr, ack) : 0;
}

/**
 * flr_nl_addr() - read a unicast address
 * @attr: attribute
 * @family: its family, NFPROTO_IPV4 or NFPROTO_IPV6
 * @addr: the address, its unused bytes zero
 * @ack: for the reason of a refusal
 *
 * Return: 0, or -EINVAL for what no host can have.
 */
int flr_nl_addr(const struct nlattr *attr, u8 *family,
		union nf_inet_addr *addr, struct netlink_ext_ack *ack)
{
	const char *bad = NULL;

	memset(addr, 0, sizeof(*addr));
	switch (nla_len(attr)) {
	case sizeof(addr->ip):
		*family = NFPROTO_IPV4;
		addr->ip = nla_get_in_addr(attr);
		if (ipv4_is_zeronet(addr->ip))
			bad = "address is zero";
		else if (ipv4_is_multicast(addr->ip))
			bad = "address is multicast";
		else if (ipv4_is_lbcast(addr->ip))
			bad = "address is broadcast";
		break;
	case sizeof(addr->in6):
		*family = NFPROTO_IPV6;
		addr->in6 = nla_get_in6_addr(attr);
		if (ipv6_addr_any(&addr->in6))
			bad = "address is zero";
		else if (ipv6_addr_is_multicast(&addr->in6))
			bad = "address is multicast";
		else if (ipv6_addr_v4mapped(&addr->in6))
			bad = "address is IPv4-mapped";
		else if (ipv6_addr_type(&addr->in6) & IPV6_ADDR_LINKLOCAL)
			bad = "address is link-local";
		break;
	default:
		bad = "address has neither 4 nor 16 bytes";
	}
	if (!bad)
		return 0;
	NL_SET_ERR_MSG_FMT(ack, "%s", bad);
	NL_SET_BAD_ATTR(ack, attr);
	return -EINVAL;
}

/**
 * flr_nl_put_addr() - put an address into a message
 * @msg: message
 * @attr: attribute
 * @family: NFPROTO_IPV4 or NFPROTO_IPV6
 * @addr: address
 *
 * Return: 0, or -EMSGSIZE.
 */
int flr_nl_put_addr(struct sk_buff *msg, int attr, u8 family,
		    const union nf_inet_addr *addr)
{
	return nla_put(msg, attr, family == NFPROTO_IPV4 ? sizeof(addr->ip) :
		       sizeof(addr->in6), addr);
}

/**
 * flr_nl_proto() - read a protocol that is served
 * @attr: attribute
 * @ack: for the reason of a refusal
 *
 * Return: the protocol, or -EPROTONOSUPPORT.
 */
int flr_nl_proto(const struct nlattr *attr, struct netlink_ext_ack *ack)
{
	u32 proto = nla_get_u32(attr);

	if (proto == IPPROTO_TCP || proto == IPPROTO_UDP)
		return proto;
	NL_SET_ERR_MSG_ATTR(ack, attr, "protocol is neither TCP nor UDP");
	return -EPROTONOSUPPORT;
}

/**
 * flr_nl_ring() - find the ring that a request names
 * @fn: namespace
 * @info: request, @attr present
 * @attr: attribute with the name
 *
 * Context: under flr_net.lock.
 * Return: the ring, or an error pointer.
 */
struct flr_ring *flr_nl_ring(struct flr_net *fn, const struct genl_info *info,
			     int attr)
{
	const char *name = nla_data(info->attrs[attr]);
	struct flr_ring *ring = flr_ring_find(fn, name);

	if (ring)
		return ring;
	NL_SET_ERR_MSG_FMT(info->extack, "no ring %s", name);
	NL_SET_BAD_ATTR(info->extack, info->attrs[attr]);
	return ERR_PTR(-ENOENT);
}

/**
 * flr_nl_is_admin() - see whether a reader may see keys and flows
 * @info: request, with its skb in user_ptr[0] when it is not a dump
 * @cb: the dump, or NULL
 *
 * Return: whether it may. Nobody may in notifications.
 */
bool flr_nl_is_admin(const struct genl_info *info, struct netlink_callback *cb)
{
	if (cb)
		return netlink_capable(cb->skb, CAP_NET_ADMIN);
	if (genl_info_is_ntf(info))
		return false;
	return netlink_capable(info->user_ptr[0], CAP_NET_ADMIN);
}

/**
 * flr_nl_begin() - begin a message about an object
 * @msg: buffer
 * @info: request or notification
 * @cb: the dump, or NULL
 *
 * Return: the header for genlmsg_end(), or NULL.
 */
void *flr_nl_begin(struct sk_buff *msg, const struct genl_info *info,
		   struct netlink_callback *cb)
{
	void *hdr;

	if (!cb)
		return genlmsg_iput(msg, info);
	hdr = genlmsg_put(msg, info->snd_portid, info->snd_seq,
			  &flowring_nl_family, NLM_F_MULTI,
			  info->genlhdr->cmd);
	if (hdr)
		genl_dump_check_consistent(cb, hdr);
	return hdr;
}

/**
 * flr_nl_open() - begin to handle a request
 * @skb: request
 * @info: request
 * @req: gets the reply's buffer and the namespace, locked
 * @size: room for the reply
 *
 * Each handler ends with one of flr_nl_abort(), flr_nl_reply(), flr_nl_done()
 * and flr_nl_deleted(), which unlock.
 *
 * Context: process context, may sleep.
 * Return: 0, or -ENOMEM.
 */
int flr_nl_open(struct sk_buff *skb, struct genl_info *info,
		struct flr_req *req, size_t size)
{
	req->size = size;
	req->msg = genlmsg_new(size, GFP_KERNEL);
	if (!req->msg)
		return -ENOMEM;
	info->user_ptr[0] = skb;
	req->fn = flr_net(genl_info_net(info));
	mutex_lock(&req->fn->lock);
	return 0;
}

/**
 * flr_nl_abort() - end a request that is refused
 * @req: request
 * @err: why
 *
 * Return: @err.
 */
int flr_nl_abort(struct flr_req *req, int err)
{
	mutex_unlock(&req->fn->lock);
	nlmsg_free(req->msg);
	return err;
}

/**
 * flr_nl_reply() - end a request with an object
 * @req: request
 * @info: request
 * @fill: fills the reply
 * @obj: object
 *
 * Return: 0 or an error.
 */
int flr_nl_reply(struct flr_req *req, struct genl_info *info,
		 flr_fill_t *fill, void *obj)
{
	int err = fill(req->msg, info, NULL, req->fn, obj);

	if (err)
		return flr_nl_abort(req, err);
	mutex_unlock(&req->fn->lock);
	return genlmsg_reply(req->msg, info);
}

static bool flr_nl_is_heard(struct flr_net *fn, struct genl_info *info)
{
	return nlmsg_report(info->nlhdr) ||
	       genl_has_listeners(&flowring_nl_family, fn->net,
				  FLOWRING_NLGRP_CONFIG);
}

static int flr_nl_fill_ntf(struct flr_net *fn, struct sk_buff *msg, u8 cmd,
			   flr_fill_t *fill, void *obj)
{
	struct genl_info ntf;

	genl_info_init_ntf(&ntf, &flowring_nl_family, cmd);
	return fill(msg, &ntf, NULL, fn, obj);
}

/**
 * flr_nl_notify() - tell the config group of an object
 * @req: request
 * @info: request
 * @cmd: notification
 * @fill: fills it
 * @obj: object
 *
 * A listener that loses one for lack of memory is told so by ENOBUFS.
 */
void flr_nl_notify(const struct flr_req *req, struct genl_info *info, u8 cmd,
		   flr_fill_t *fill, void *obj)
{
	struct flr_net *fn = req->fn;
	struct sk_buff *msg;

	if (!flr_nl_is_heard(fn, info))
		return;
	msg = genlmsg_new(req->size, GFP_KERNEL);
	if (msg && !flr_nl_fill_ntf(fn, msg, cmd, fill, obj)) {
		genl_notify(&flowring_nl_family, msg, info,
			    FLOWRING_NLGRP_CONFIG, GFP_KERNEL);
		return;
	}
	nlmsg_free(msg);
	genl_set_err(&flowring_nl_family, fn->net, 0, FLOWRING_NLGRP_CONFIG,
		     -ENOBUFS);
}

/**
 * flr_nl_done() - end a request that has made or changed an object
 * @req: request
 * @info: request
 * @cmd: notification for the config group
 * @fill: fills it, and the reply
 * @obj: object
 *
 * Notifications go in the order of the changes, as the lock is still held.
 *
 * Return: 0 or an error.
 */
int flr_nl_done(struct flr_req *req, struct genl_info *info, u8 cmd,
		flr_fill_t *fill, void *obj)
{
	flr_nl_notify(req, info, cmd, fill, obj);
	return flr_nl_reply(req, info, fill, obj);
}

/**
 * flr_nl_prepare() - prepare to tell of an object that is to be deleted
 * @req: request
 * @cmd: notification for the config group
 * @fill: fills it
 * @obj: object
 *
 * Return: 0 or an error.
 */
int flr_nl_prepare(struct flr_req *req, u8 cmd, flr_fill_t *fill, void *obj)
{
	return flr_nl_fill_ntf(req->fn, req->msg, cmd, fill, obj);
}

/**
 * flr_nl_deleted() - end a request that has deleted an object
 * @req: request, after flr_nl_prepare()
 * @info: request
 *
 * Return: 0.
 */
int flr_nl_deleted(struct flr_req *req, struct genl_info *info)
{
	if (flr_nl_is_heard(req->fn, info))
		genl_notify(&flowring_nl_family, req->msg, info,
			    FLOWRING_NLGRP_CONFIG, GFP_KERNEL);
	else
		nlmsg_free(req->msg);
	mutex_unlock(&req->fn->lock);
	return 0;
}
