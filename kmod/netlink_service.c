// SPDX-License-Identifier: GPL-2.0
/* Netlink handlers of services. */

#include "netlink.h"

/* Attributes that say which service it is. What is usual is left out. */
static int flr_nl_fill_service_key(struct sk_buff *msg,
				   const struct flr_service_key *key)
{
	u32 whole = key->family == NFPROTO_IPV4 ? 32 : 128;
	int err;

	if (key->mark)
		return nla_put_u32(msg, FLOWRING_A_SERVICE_MARK, key->mark) ?:
		       nla_put_u32(msg, FLOWRING_A_SERVICE_IP_VERSION,
				   key->family == NFPROTO_IPV4 ? 4 : 6);
	err = nla_put_u32(msg, FLOWRING_A_SERVICE_PROTO, key->proto) ?:
	      flr_nl_put_addr(msg, FLOWRING_A_SERVICE_ADDR, key->family,
			      &key->addr);
	if (!err && key->prefix != whole)
		err = nla_put_u32(msg, FLOWRING_A_SERVICE_PREFIX, key->prefix);
	if (err || !key->proto)
		return err;
	err = nla_put_u32(msg, FLOWRING_A_SERVICE_PORT, ntohs(key->port));
	if (err || !key->port || key->port == key->port_end)
		return err;
	return nla_put_u32(msg, FLOWRING_A_SERVICE_PORT_END,
			   ntohs(key->port_end));
}

static int flr_nl_fill_service(struct sk_buff *msg,
			       const struct genl_info *info,
			       struct netlink_callback *cb, struct flr_net *fn,
			       void *obj)
{
	const struct flr_service *svc = obj;
	const struct flr_ring *ring = flr_service_ring(svc, fn);
	void *hdr;
	int err;

	hdr = flr_nl_begin(msg, info, cb);
	if (!hdr)
		return -EMSGSIZE;
	err = flr_nl_fill_service_key(msg, &svc->key);
	if (!err && ring)
		err = nla_put_string(msg, FLOWRING_A_SERVICE_RING, ring->name);
	else if (!err)
		err = nla_put_u32(msg, FLOWRING_A_SERVICE_ACTION, svc->action);
	if (!err && *svc->owner)
		err = nla_put_string(msg, FLOWRING_A_SERVICE_OWNER, svc->owner);
	if (!err && !genl_info_is_ntf(info))
		err = flr_stats_fill(msg, FLOWRING_A_SERVICE_STATS, svc->stats);
	if (err) {
		genlmsg_cancel(msg, hdr);
		return err;
	}
	genlmsg_end(msg, hdr);
	return 0;
}

/* Refuse an attribute that does not go with another */
static int flr_nl_without(struct genl_info *info, int attr, const char *with)
{
	if (!info->attrs[attr])
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(info->extack, info->attrs[attr],
				"does not go with %s", with);
	return -EINVAL;
}

static int flr_nl_service_mark(struct genl_info *info,
			       struct flr_service_key *key)
{
	struct nlattr **attrs = info->attrs;
	u32 version;
	int err;

	err = flr_nl_without(info, FLOWRING_A_SERVICE_PROTO, "mark") ?:
	      flr_nl_without(info, FLOWRING_A_SERVICE_ADDR, "mark") ?:
	      flr_nl_without(info, FLOWRING_A_SERVICE_PREFIX, "mark") ?:
	      flr_nl_without(info, FLOWRING_A_SERVICE_PORT, "mark") ?:
	      flr_nl_without(info, FLOWRING_A_SERVICE_PORT_END, "mark");
	if (err)
		return err;
	if (GENL_REQ_ATTR_CHECK(info, FLOWRING_A_SERVICE_IP_VERSION))
		return -EINVAL;
	version = nla_get_u32(attrs[FLOWRING_A_SERVICE_IP_VERSION]);
	if (version == 5) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    attrs[FLOWRING_A_SERVICE_IP_VERSION],
				    "version is 4 or 6");
		return -EINVAL;
	}
	key->mark = nla_get_u32(attrs[FLOWRING_A_SERVICE_MARK]);
	key->family = version == 4 ? NFPROTO_IPV4 : NFPROTO_IPV6;
	return 0;
}

static int flr_nl_service_addr(struct genl_info *info,
			       struct flr_service_key *key)
{
	const struct nlattr *prefix = info->attrs[FLOWRING_A_SERVICE_PREFIX];
	union nf_inet_addr addr;
	u32 whole;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, FLOWRING_A_SERVICE_ADDR))
		return -EINVAL;
	err = flr_nl_addr(info->attrs[FLOWRING_A_SERVICE_ADDR], &key->family,
			  &key->addr, info->extack);
	if (err)
		return err;
	whole = key->family == NFPROTO_IPV4 ? 32 : 128;
	key->prefix = prefix ? nla_get_u32(prefix) : whole;
	if (prefix && nla_get_u32(prefix) > whole) {
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, prefix,
					"the address has %u bits", whole);
		return -EINVAL;
	}
	addr = key->addr;
	flr_service_mask(&addr, key->family, key->prefix);
	if (nf_inet_addr_cmp(&addr, &key->addr))
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[FLOWRING_A_SERVICE_ADDR],
			    "address has bits behind the prefix");
	return -EINVAL;
}

static int flr_nl_service_ports(struct genl_info *info,
				struct flr_service_key *key)
{
	const struct nlattr *last = info->attrs[FLOWRING_A_SERVICE_PORT_END];
	u32 port;

	if (!key->proto) {
		key->port_end = htons(U16_MAX);
		return flr_nl_without(info, FLOWRING_A_SERVICE_PORT, "any") ?:
		       flr_nl_without(info, FLOWRING_A_SERVICE_PORT_END, "any");
	}
	if (GENL_REQ_ATTR_CHECK(info, FLOWRING_A_SERVICE_PORT))
		return -EINVAL;
	port = nla_get_u32(info->attrs[FLOWRING_A_SERVICE_PORT]);
	key->port = htons(port);
	key->port_end = port ? key->port : htons(U16_MAX);
	if (!last)
		return 0;
	if (!port || nla_get_u32(last) <= port) {
		NL_SET_ERR_MSG_ATTR(info->extack, last,
				    "a range ends behind its first port");
		return -EINVAL;
	}
	key->port_end = htons(nla_get_u32(last));
	return 0;
}

static int flr_nl_service_key(struct genl_info *info,
			      struct flr_service_key *key)
{
	int proto, err;

	memset(key, 0, sizeof(*key));
	if (info->attrs[FLOWRING_A_SERVICE_MARK])
		return flr_nl_service_mark(info, key);
	err = flr_nl_without(info, FLOWRING_A_SERVICE_IP_VERSION, "addr");
	if (err)
		return err;
	if (GENL_REQ_ATTR_CHECK(info, FLOWRING_A_SERVICE_PROTO))
		return -EINVAL;
	if (nla_get_u32(info->attrs[FLOWRING_A_SERVICE_PROTO])) {
		proto = flr_nl_proto(info->attrs[FLOWRING_A_SERVICE_PROTO],
				     info->extack);
		if (proto < 0)
			return proto;
		key->proto = proto;
	}
	return flr_nl_service_addr(info, key) ?:
	       flr_nl_service_ports(info, key);
}

/* The ring that a request names, or NULL when it names an action */
static struct flr_ring *flr_nl_service_ring(struct flr_net *fn,
					    struct genl_info *info, u8 *action)
{
	const struct nlattr *attr = info->attrs[FLOWRING_A_SERVICE_ACTION];

	*action = attr ? nla_get_u32(attr) : 0;
	return attr ? NULL : flr_nl_ring(fn, info, FLOWRING_A_SERVICE_RING);
}

/* A ring or an action */
static int flr_nl_service_goal(struct genl_info *info)
{
	if (info->attrs[FLOWRING_A_SERVICE_ACTION])
		return flr_nl_without(info, FLOWRING_A_SERVICE_RING, "action");
	return GENL_REQ_ATTR_CHECK(info, FLOWRING_A_SERVICE_RING) ? -EINVAL : 0;
}

/* Open a request and find the service that it names. Not open on failure. */
static struct flr_service *flr_nl_service_open(struct sk_buff *skb,
					       struct genl_info *info,
					       struct flr_req *req)
{
	struct flr_service_key key;
	struct flr_service *svc;
	int err;

	err = flr_nl_service_key(info, &key);
	if (err)
		return ERR_PTR(err);
	err = flr_nl_open(skb, info, req, NLMSG_GOODSIZE);
	if (err)
		return ERR_PTR(err);
	svc = flr_service_find(req->fn, &key);
	if (svc)
		return svc;
	NL_SET_ERR_MSG_ATTR(info->extack,
			    info->attrs[key.mark ? FLOWRING_A_SERVICE_MARK :
						   FLOWRING_A_SERVICE_ADDR],
			    "no such service");
	return ERR_PTR(flr_nl_abort(req, -ENOENT));
}

static int flr_nl_service_tag(const struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[FLOWRING_A_SERVICE_OWNER];

	return attr ? flr_nl_tag(attr, info->extack) : 0;
}

static void flr_nl_service_owner(const struct genl_info *info,
				 struct flr_service *svc)
{
	const struct nlattr *attr = info->attrs[FLOWRING_A_SERVICE_OWNER];

	if (attr)
		nla_strscpy(svc->owner, attr, sizeof(svc->owner));
}

int flowring_nl_service_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_service *svc;
	struct flr_req req;

	svc = flr_nl_service_open(skb, info, &req);
	if (IS_ERR(svc))
		return PTR_ERR(svc);
	return flr_nl_reply(&req, info, flr_nl_fill_service, svc);
}

int flowring_nl_service_get_dumpit(struct sk_buff *skb,
				   struct netlink_callback *cb)
{
	const struct genl_info *info = genl_info_dump(cb);
	struct flr_net *fn = flr_net(sock_net(skb->sk));
	struct flr_dump *dump = flr_nl_dump(cb);
	struct flr_service *svc;
	int err = 0;

	mutex_lock(&fn->lock);
	cb->seq = fn->gen;
	xa_for_each_start(&fn->services_by_id, dump->outer, svc, dump->outer) {
		err = flr_nl_fill_service(skb, info, cb, fn, svc);
		if (err)
			break;
	}
	mutex_unlock(&fn->lock);
	return err;
}

int flowring_nl_service_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_service_key key;
	struct flr_service *svc;
	struct flr_ring *ring;
	struct flr_req req;
	u8 action;
	int err;

	err = flr_nl_service_goal(info) ?: flr_nl_service_key(info, &key) ?:
	      flr_nl_service_tag(info);
	if (err)
		return err;
	err = flr_nl_open(skb, info, &req, NLMSG_GOODSIZE);
	if (err)
		return err;
	ring = flr_nl_service_ring(req.fn, info, &action);
	if (IS_ERR(ring))
		return flr_nl_abort(&req, PTR_ERR(ring));
	svc = flr_service_alloc();
	if (!svc)
		return flr_nl_abort(&req, -ENOMEM);
	svc->key = key;
	svc->action = action;
	flr_nl_service_owner(info, svc);
	err = flr_service_new(req.fn, svc, ring, info->extack);
	if (err) {
		flr_service_free(svc);
		return flr_nl_abort(&req, err);
	}
	return flr_nl_done(&req, info, FLOWRING_CMD_SERVICE_NEW_NTF,
			   flr_nl_fill_service, svc);
}

int flowring_nl_service_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_service *svc;
	struct flr_ring *ring;
	struct flr_req req;
	u8 action;
	int err;

	err = flr_nl_service_goal(info) ?: flr_nl_service_tag(info);
	if (err)
		return err;
	svc = flr_nl_service_open(skb, info, &req);
	if (IS_ERR(svc))
		return PTR_ERR(svc);
	ring = flr_nl_service_ring(req.fn, info, &action);
	if (IS_ERR(ring))
		return flr_nl_abort(&req, PTR_ERR(ring));
	err = flr_service_set(req.fn, svc, ring, action, info->extack);
	if (err)
		return flr_nl_abort(&req, err);
	flr_nl_service_owner(info, svc);
	return flr_nl_done(&req, info, FLOWRING_CMD_SERVICE_SET_NTF,
			   flr_nl_fill_service, svc);
}

int flowring_nl_service_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct flr_service *svc;
	struct flr_req req;
	int err;

	svc = flr_nl_service_open(skb, info, &req);
	if (IS_ERR(svc))
		return PTR_ERR(svc);
	err = flr_nl_prepare(&req, FLOWRING_CMD_SERVICE_DEL_NTF,
			     flr_nl_fill_service, svc);
	if (err)
		return flr_nl_abort(&req, err);
	flr_service_del(req.fn, svc);
	return flr_nl_deleted(&req, info);
}
