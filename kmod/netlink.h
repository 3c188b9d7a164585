/* SPDX-License-Identifier: GPL-2.0 */
/* What the netlink files share: attributes, replies, notifications, dumps. */
#ifndef _FLOWRING_NETLINK_H
#define _FLOWRING_NETLINK_H

#include <net/genetlink.h>

#include "flowring.h"
#include "netlink_gen.h"

/**
 * struct flr_dump - where a dump goes on
 * @outer: id of a ring or a service
 * @inner: id of a backend
 */
struct flr_dump {
	unsigned long outer;
	unsigned long inner;
};

/**
 * struct flr_req - a request while it is handled
 * @fn: namespace, its lock held
 * @msg: reply, or what announces a deletion
 */
struct flr_req {
	struct flr_net *fn;
	struct sk_buff *msg;
};

/* Fills one object into a message */
typedef int flr_fill_t(struct sk_buff *msg, const struct genl_info *info,
		       struct netlink_callback *cb, struct flr_net *fn,
		       void *obj);

int flr_nl_name(const struct nlattr *attr, struct netlink_ext_ack *ack);
int flr_nl_addr(const struct nlattr *attr, u8 *family,
		union nf_inet_addr *addr, struct netlink_ext_ack *ack);
int flr_nl_put_addr(struct sk_buff *msg, int attr, u8 family,
		    const union nf_inet_addr *addr);
int flr_nl_proto(const struct nlattr *attr, struct netlink_ext_ack *ack);
struct flr_ring *flr_nl_ring(struct flr_net *fn, const struct genl_info *info,
			     int attr);
int flr_nl_open(struct sk_buff *skb, struct genl_info *info,
		struct flr_req *req);
int flr_nl_abort(struct flr_req *req, int err);
int flr_nl_reply(struct flr_req *req, struct genl_info *info,
		 flr_fill_t *fill, void *obj);
int flr_nl_done(struct flr_req *req, struct genl_info *info, u8 cmd,
		flr_fill_t *fill, void *obj);
int flr_nl_prepare(struct flr_req *req, u8 cmd, flr_fill_t *fill, void *obj);
int flr_nl_deleted(struct flr_req *req, struct genl_info *info);
bool flr_nl_is_admin(const struct genl_info *info, struct netlink_callback *cb);
void *flr_nl_begin(struct sk_buff *msg, const struct genl_info *info,
		   struct netlink_callback *cb);

/**
 * flr_nl_dump() - where a dump goes on
 * @cb: the dump
 *
 * Return: its context, zero at the start.
 */
static inline struct flr_dump *flr_nl_dump(struct netlink_callback *cb)
{
	NL_ASSERT_DUMP_CTX_FITS(struct flr_dump);
	return (struct flr_dump *)cb->ctx;
}

#endif /* _FLOWRING_NETLINK_H */
