// SPDX-License-Identifier: GPL-2.0
/* Netlink handler of lookups: where a flow goes, and why. */

#include <linux/mm.h>
#include <linux/slab.h>

#include "netlink.h"

/* The flow that a lookup asks for */
static int flr_nl_flow(struct genl_info *info, struct flr_key *key)
{
	struct nlattr **attrs = info->attrs;
	union nf_inet_addr saddr, daddr;
	__be16 sport, dport;
	u8 family, other;
	u8 proto;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, FLOWRING_A_LOOKUP_PROTO) ||
	    GENL_REQ_ATTR_CHECK(info, FLOWRING_A_LOOKUP_SADDR) ||
	    GENL_REQ_ATTR_CHECK(info, FLOWRING_A_LOOKUP_SPORT) ||
	    GENL_REQ_ATTR_CHECK(info, FLOWRING_A_LOOKUP_DADDR) ||
	    GENL_REQ_ATTR_CHECK(info, FLOWRING_A_LOOKUP_DPORT))
		return -EINVAL;
	proto = nla_get_u32(attrs[FLOWRING_A_LOOKUP_PROTO]);
	err = flr_nl_addr(attrs[FLOWRING_A_LOOKUP_SADDR], &family, &saddr,
			  info->extack);
	if (err)
		return err;
	err = flr_nl_addr(attrs[FLOWRING_A_LOOKUP_DADDR], &other, &daddr,
			  info->extack);
	if (err)
		return err;
	if (family != other) {
		NL_SET_ERR_MSG(info->extack,
			       "source and destination differ in family");
		return -EINVAL;
	}
	sport = htons(nla_get_u32(attrs[FLOWRING_A_LOOKUP_SPORT]));
	dport = htons(nla_get_u32(attrs[FLOWRING_A_LOOKUP_DPORT]));
	if (!flr_proto_has_ports(proto) && (sport || dport)) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    attrs[FLOWRING_A_LOOKUP_PROTO],
				    "the protocol has no ports");
		return -EINVAL;
	}
	if (family == NFPROTO_IPV4)
		flr_key_set4(key, proto, saddr.ip, sport, daddr.ip, dport);
	else
		flr_key_set6(key, proto, &saddr.in6, sport, &daddr.in6, dport);
	return 0;
}

static int flr_nl_fill_flow(struct sk_buff *msg, const struct flr_key *key,
			    u32 mark)
{
	bool is4 = key->family == 4;
	size_t len = is4 ? sizeof(key->v4.saddr) : sizeof(key->v6.saddr);

	return (mark ? nla_put_u32(msg, FLOWRING_A_LOOKUP_MARK, mark) : 0) ?:
	       nla_put_u32(msg, FLOWRING_A_LOOKUP_PROTO, key->proto) ?:
	       nla_put(msg, FLOWRING_A_LOOKUP_SADDR, len,
		       is4 ? (void *)&key->v4.saddr : key->v6.saddr) ?:
	       nla_put_u32(msg, FLOWRING_A_LOOKUP_SPORT, ntohs(key->sport)) ?:
	       nla_put(msg, FLOWRING_A_LOOKUP_DADDR, len,
		       is4 ? (void *)&key->v4.daddr : key->v6.daddr) ?:
	       nla_put_u32(msg, FLOWRING_A_LOOKUP_DPORT, ntohs(key->dport));
}

/* A mark backend has no address */
static int flr_nl_fill_addr(struct sk_buff *msg, int attr,
			    const struct flr_backend *b)
{
	if (b->mode == FLOWRING_MODE_MARK)
		return 0;
	return flr_nl_put_addr(msg, attr, b->family, &b->addr);
}

static int flr_nl_fill_choice(struct sk_buff *msg, const struct flr_choice *c,
			      const struct flr_key *key)
{
	const struct flr_backend *b = c->backend;
	int err;

	err = nla_put_string(msg, FLOWRING_A_LOOKUP_RING, c->ring->name) ?:
	      nla_put_uint(msg, FLOWRING_A_LOOKUP_EPOCH, c->ring->epoch) ?:
	      nla_put_uint(msg, FLOWRING_A_LOOKUP_HASH, c->hash) ?:
	      nla_put_u32(msg, FLOWRING_A_LOOKUP_SLOT, c->slot);
	if (err || !b)
		return err;
	return nla_put_string(msg, FLOWRING_A_LOOKUP_BACKEND, b->name) ?:
	       nla_put_u32(msg, FLOWRING_A_LOOKUP_MODE, b->mode) ?:
	       flr_nl_fill_addr(msg, FLOWRING_A_LOOKUP_ADDR, b) ?:
	       nla_put_u32(msg, FLOWRING_A_LOOKUP_PORT,
			   ntohs(b->port ?: key->dport));
}

/*
 * Where packets of an existing flow go in a ring that has a window, and why. It
 * is asked as an ICMP error would, which changes nothing.
 */
static int flr_nl_fill_window_flow(struct sk_buff *msg, struct flr_net *fn,
				   const struct flr_choice *c,
				   const struct flr_key *key)
{
	struct flr_packet pkt = {
		.key = *key,
		.seg = key->proto == IPPROTO_TCP ? FLR_SEG_QUOTE : FLR_SEG_NONE,
		.quotes = true,
	};
	struct flr_choice flow = *c;
	int err;

	if (!rcu_access_pointer(c->table->window))
		return 0;
	flr_pick_flow(fn, &flow, &pkt);
	err = nla_put_u32(msg, FLOWRING_A_LOOKUP_FLOW_WHY, flow.why);
	if (err || !flow.backend)
		return err;
	return nla_put_string(msg, FLOWRING_A_LOOKUP_FLOW_BACKEND,
			      flow.backend->name) ?:
	       flr_nl_fill_addr(msg, FLOWRING_A_LOOKUP_FLOW_ADDR, flow.backend);
}

/* Where conntrack has the flow, which may be older than the slot's owner */
static int flr_nl_fill_existing(struct sk_buff *msg, struct flr_net *fn,
				const struct flr_choice *c,
				const struct flr_key *key)
{
	struct flr_backend *b;
	union nf_inet_addr addr;
	__be16 port;
	int err;

	if (!flr_nat_flow(fn, key, &addr, &port))
		return flr_nl_fill_window_flow(msg, fn, c, key);
	b = flr_nat_member(fn, c->ring, &addr, port, key);
	err = b ? nla_put_string(msg, FLOWRING_A_LOOKUP_FLOW_BACKEND, b->name) :
		  0;
	return err ?:
	       flr_nl_put_addr(msg, FLOWRING_A_LOOKUP_FLOW_ADDR,
			       key->family == 4 ? NFPROTO_IPV4 : NFPROTO_IPV6,
			       &addr) ?:
	       nla_put_u32(msg, FLOWRING_A_LOOKUP_FLOW_PORT, ntohs(port));
}

/**
 * struct flr_lookup - a lookup
 * @key: the flow
 * @mark: firewall mark of the packet
 * @max: owners to list
 */
struct flr_lookup {
	struct flr_key key;
	u32 mark;
	u32 max;
};

static int flr_nl_fill_owner(struct sk_buff *msg, const struct flr_member *m)
{
	struct nlattr *nest = nla_nest_start(msg, FLOWRING_A_LOOKUP_OWNER);

	if (!nest)
		return -EMSGSIZE;
	if (nla_put_string(msg, FLOWRING_A_OWNER_NAME, m->name) ||
	    (*m->zone && nla_put_string(msg, FLOWRING_A_OWNER_ZONE, m->zone)))
		return -EMSGSIZE;
	nla_nest_end(msg, nest);
	return 0;
}

/* Whom the flow would go to, one after the other */
static int flr_nl_fill_owners(struct sk_buff *msg, const struct flr_choice *c,
			      u32 max)
{
	u32 nbackends = c->ring->nbackends;
	u16 first = c->backend ? c->backend->id : FLR_NO_OWNER;
	u32 list[FLOWRING_MAX_OWNERS];
	struct flr_reach *reach;
	struct flr_member *m;
	int err = -ENOMEM;
	u32 n, i;

	m = kvmalloc_array(nbackends ?: 1, sizeof(*m), GFP_KERNEL_ACCOUNT);
	reach = kvmalloc_array(nbackends ?: 1, sizeof(*reach),
			       GFP_KERNEL_ACCOUNT);
	if (!m || !reach)
		goto out;
	n = flr_ring_members(c->ring, m);
	n = flr_ring_owners(list, max, &c->ring->opt, m, n, c->hash, first,
			    reach);
	for (i = 0, err = 0; i < n && !err; i++)
		err = flr_nl_fill_owner(msg, &m[list[i]]);
out:
	kvfree(reach);
	kvfree(m);
	return err;
}

static int flr_nl_fill_lookup(struct sk_buff *msg,
			      const struct genl_info *info,
			      struct netlink_callback *cb, struct flr_net *fn,
			      void *obj)
{
	u32 verdict = FLOWRING_VERDICT_NO_SERVICE;
	const struct flr_lookup *lookup = obj;
	const struct flr_key *key = &lookup->key;
	struct flr_choice c = {};
	void *hdr;
	int err;

	hdr = flr_nl_begin(msg, info, cb);
	if (!hdr)
		return -EMSGSIZE;
	err = flr_nl_fill_flow(msg, key, lookup->mark);
	rcu_read_lock();
	if (!err && flr_find(fn, key, lookup->mark, &c) && !c.ring) {
		verdict = FLOWRING_VERDICT_ACTION;
		err = nla_put_u32(msg, FLOWRING_A_LOOKUP_ACTION,
				  READ_ONCE(c.svc->action));
	} else if (!err && c.svc) {
		flr_pick(&c, key);
		verdict = c.backend ? FLOWRING_VERDICT_STEER :
				      FLOWRING_VERDICT_NO_BACKEND;
		err = flr_nl_fill_choice(msg, &c, key);
		if (!err && flr_nl_is_admin(info, cb))
			err = flr_nl_fill_existing(msg, fn, &c, key);
	}
	rcu_read_unlock();
	err = err ?: nla_put_u32(msg, FLOWRING_A_LOOKUP_VERDICT, verdict);
	/* the lock keeps the ring */
	if (!err && c.backend && lookup->max)
		err = flr_nl_fill_owners(msg, &c, lookup->max);
	if (err) {
		genlmsg_cancel(msg, hdr);
		return err;
	}
	genlmsg_end(msg, hdr);
	return 0;
}

int flowring_nl_lookup_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *owners = info->attrs[FLOWRING_A_LOOKUP_OWNERS];
	struct flr_lookup lookup = {};
	struct flr_req req;
	int err;

	err = flr_nl_flow(info, &lookup.key);
	if (err)
		return err;
	if (info->attrs[FLOWRING_A_LOOKUP_MARK])
		lookup.mark = nla_get_u32(info->attrs[FLOWRING_A_LOOKUP_MARK]);
	if (owners) {
		lookup.max = nla_get_u32(owners);
		if (!netlink_capable(skb, CAP_NET_ADMIN)) {
			NL_SET_ERR_MSG_ATTR(info->extack, owners,
					    "listing owners needs CAP_NET_ADMIN");
			return -EPERM;
		}
	}
	err = flr_nl_open(skb, info, &req, FLR_NL_LARGE);
	if (err)
		return err;
	return flr_nl_reply(&req, info, flr_nl_fill_lookup, &lookup);
}
