/* SPDX-License-Identifier: GPL-2.0 */
/* What the netlink files share: attributes, replies, notifications, dumps. */
#ifndef _FLOWRING_NETLINK_H
#define _FLOWRING_NETLINK_H

#include <net/genetlink.h>

#include "flowring.h"
#include "netlink_gen.h"

/* Room for a backend with as many explicit tokens as it may have */
#define FLR_NL_LARGE	(NLMSG_GOODSIZE + \
			 FLOWRING_MAX_EXPLICIT_TOKENS * sizeof(u64))

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
 * @size: room in it, and in notifications
 */
struct flr_req {
	struct flr_net *fn;
	struct sk_buff *msg;
	size_t size;
};

/* Fills one object into a message */
typedef int flr_fill_t(struct sk_buff *msg, const struct genl_info *info,
		       struct netlink_callback *cb, struct flr_net *fn,
		       void *obj);

/* netlink.c */
int flr_nl_name(const struct nlattr *attr, struct netlink_ext_ack *ack);
int flr_nl_tag(const struct nlattr *attr, struct netlink_ext_ack *ack);
int flr_nl_addr(const struct nlattr *attr, u8 *family,
		union nf_inet_addr *addr, struct netlink_ext_ack *ack);
int flr_nl_put_addr(struct sk_buff *msg, int attr, u8 family,
		    const union nf_inet_addr *addr);
int flr_nl_proto(const struct nlattr *attr, struct netlink_ext_ack *ack);
struct flr_ring *flr_nl_ring(struct flr_net *fn, const struct genl_info *info,
			     int attr);
int flr_nl_open(struct sk_buff *skb, struct genl_info *info,
		struct flr_req *req, size_t size);
int flr_nl_abort(struct flr_req *req, int err);
int flr_nl_reply(struct flr_req *req, struct genl_info *info,
		 flr_fill_t *fill, void *obj);
int flr_nl_done(struct flr_req *req, struct genl_info *info, u8 cmd,
		flr_fill_t *fill, void *obj);
void flr_nl_notify(const struct flr_req *req, struct genl_info *info, u8 cmd,
		   flr_fill_t *fill, void *obj);
int flr_nl_prepare(struct flr_req *req, u8 cmd, flr_fill_t *fill, void *obj);
int flr_nl_deleted(struct flr_req *req, struct genl_info *info);
bool flr_nl_is_admin(const struct genl_info *info, struct netlink_callback *cb);
void *flr_nl_begin(struct sk_buff *msg, const struct genl_info *info,
		   struct netlink_callback *cb);

/* netlink_ring.c */
int flr_nl_ring_open(struct sk_buff *skb, struct genl_info *info,
		     struct flr_req *req, struct flr_ring **ring);
int flr_nl_fill_ring(struct sk_buff *msg, const struct genl_info *info,
		     struct netlink_callback *cb, struct flr_net *fn,
		     void *obj);
int flr_nl_ring_options(struct nlattr **tb, struct flr_options *opt,
			char *owner, struct netlink_ext_ack *ack);

/* netlink_window.c */
int flr_nl_fill_window(struct sk_buff *msg, const struct flr_net *fn,
		       const struct flr_ring *ring);
void flr_nl_window_ntf(struct flr_net *fn, const struct flr_ring *ring);

/* netlink_backend.c */
int flr_nl_fill_backend(struct sk_buff *msg, const struct genl_info *info,
			struct netlink_callback *cb, struct flr_net *fn,
			void *obj);
int flr_nl_backend_add(struct flr_tx *tx, struct nlattr **tb,
		       const struct nlattr *nest);
int flr_nl_backend_set(struct flr_tx *tx, struct nlattr **tb);
struct flr_backend *flr_nl_backend_find(const struct flr_tx *tx,
					struct nlattr **tb);

/* netlink_commit.c */
int flr_nl_commit(const struct flr_req *req, struct genl_info *info,
		  struct flr_tx *tx, int err);

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
