/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/flowring.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_FLOWRING_GEN_H
#define _LINUX_FLOWRING_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/flowring.h>

/* Common nested types */
extern const struct nla_policy flowring_change_nl_policy[FLOWRING_A_CHANGE_RING + 1];
extern const struct nla_policy flowring_change_backend_nl_policy[FLOWRING_A_BACKEND_MARK + 1];
extern const struct nla_policy flowring_change_ring_nl_policy[FLOWRING_A_RING_UDP + 1];

int flr_nl_dump_start(struct netlink_callback *cb);

int flowring_nl_ring_get_doit(struct sk_buff *skb, struct genl_info *info);
int flowring_nl_ring_get_dumpit(struct sk_buff *skb,
				struct netlink_callback *cb);
int flowring_nl_ring_new_doit(struct sk_buff *skb, struct genl_info *info);
int flowring_nl_ring_set_doit(struct sk_buff *skb, struct genl_info *info);
int flowring_nl_ring_del_doit(struct sk_buff *skb, struct genl_info *info);
int flowring_nl_backend_get_doit(struct sk_buff *skb, struct genl_info *info);
int flowring_nl_backend_get_dumpit(struct sk_buff *skb,
				   struct netlink_callback *cb);
int flowring_nl_backend_new_doit(struct sk_buff *skb, struct genl_info *info);
int flowring_nl_backend_set_doit(struct sk_buff *skb, struct genl_info *info);
int flowring_nl_backend_del_doit(struct sk_buff *skb, struct genl_info *info);
int flowring_nl_service_get_doit(struct sk_buff *skb, struct genl_info *info);
int flowring_nl_service_get_dumpit(struct sk_buff *skb,
				   struct netlink_callback *cb);
int flowring_nl_service_new_doit(struct sk_buff *skb, struct genl_info *info);
int flowring_nl_service_set_doit(struct sk_buff *skb, struct genl_info *info);
int flowring_nl_service_del_doit(struct sk_buff *skb, struct genl_info *info);
int flowring_nl_lookup_doit(struct sk_buff *skb, struct genl_info *info);
int flowring_nl_ring_commit_doit(struct sk_buff *skb, struct genl_info *info);
int flowring_nl_ring_freeze_doit(struct sk_buff *skb, struct genl_info *info);
int flowring_nl_window_close_doit(struct sk_buff *skb, struct genl_info *info);
int flowring_nl_pins_get_doit(struct sk_buff *skb, struct genl_info *info);
int flowring_nl_pins_set_doit(struct sk_buff *skb, struct genl_info *info);

enum {
	FLOWRING_NLGRP_CONFIG,
};

extern struct genl_family flowring_nl_family;

#endif /* _LINUX_FLOWRING_GEN_H */
