// SPDX-License-Identifier: GPL-2.0
/* Netlink handlers of services. */

#include "netlink.h"

static int flr_nl_fill_service(struct sk_buff *msg,
			       const struct genl_info *info,
			       struct netlink_callback *cb, struct flr_net *fn,
			       void *obj)
{
	const struct flr_service *svc = obj;
	void *hdr;
	int err;

	hdr = flr_nl_begin(msg, info, cb);
	if (!hdr)
		return -EMSGSIZE;
	err = nla_put_u32(msg, FLOWRING_A_SERVICE_PROTO, svc->key.proto) ?:
	      flr_nl_put_addr(msg, FLOWRING_A_SERVICE_ADDR, svc->key.family,
			      &svc->key.addr) ?:
	      nla_put_u32(msg, FLOWRING_A_SERVICE_PORT, ntohs(svc->key.port)) ?:
	      nla_put_string(msg, FLOWRING_A_SERVICE_RING,
			     flr_service_ring(svc, fn)->name);
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

static int flr_nl_service_key(struct genl_info *info,
			      struct flr_service_key *key)
{
	struct nlattr **attrs = info->attrs;
	int proto;

	if (GENL_REQ_ATTR_CHECK(info, FLOWRING_A_SERVICE_PROTO) ||
	    GENL_REQ_ATTR_CHECK(info, FLOWRING_A_SERVICE_ADDR) ||
	    GENL_REQ_ATTR_CHECK(info, FLOWRING_A_SERVICE_PORT))
		return -EINVAL;
	memset(key, 0, sizeof(*key));
	proto = flr_nl_proto(attrs[FLOWRING_A_SERVICE_PROTO], info->extack);
	if (proto < 0)
		return proto;
	key->proto = proto;
	key->port = htons(nla_get_u32(attrs[FLOWRING_A_SERVICE_PORT]));
	return flr_nl_addr(attrs[FLOWRING_A_SERVICE_ADDR], &key->family,
			   &key->addr, info->extack);
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
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[FLOWRING_A_SERVICE_ADDR],
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
	int err;

	if (GENL_REQ_ATTR_CHECK(info, FLOWRING_A_SERVICE_RING))
		return -EINVAL;
	err = flr_nl_service_key(info, &key) ?: flr_nl_service_tag(info);
	if (err)
		return err;
	err = flr_nl_open(skb, info, &req, NLMSG_GOODSIZE);
	if (err)
		return err;
	ring = flr_nl_ring(req.fn, info, FLOWRING_A_SERVICE_RING);
	if (IS_ERR(ring))
		return flr_nl_abort(&req, PTR_ERR(ring));
	svc = flr_service_alloc();
	if (!svc)
		return flr_nl_abort(&req, -ENOMEM);
	svc->key = key;
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
	int err;

	if (GENL_REQ_ATTR_CHECK(info, FLOWRING_A_SERVICE_RING))
		return -EINVAL;
	err = flr_nl_service_tag(info);
	if (err)
		return err;
	svc = flr_nl_service_open(skb, info, &req);
	if (IS_ERR(svc))
		return PTR_ERR(svc);
	ring = flr_nl_ring(req.fn, info, FLOWRING_A_SERVICE_RING);
	if (IS_ERR(ring))
		return flr_nl_abort(&req, PTR_ERR(ring));
	err = flr_service_set(req.fn, svc, ring, info->extack);
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
