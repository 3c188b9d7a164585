// SPDX-License-Identifier: GPL-2.0
/*
 * Where packets find their service. One hash table holds all services by their
 * whole identity; single ports of a host, which are the most, take one look.
 * Then come the lengths of prefixes in use, the longest first, and for each of
 * them what kinds of services there are. So the cost depends on how many
 * lengths there are, and not on how many services.
 */

#include <linux/bitmap.h>
#include <linux/inetdevice.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "flowring.h"

const struct rhashtable_params flr_service_params = {
	.head_offset = offsetof(struct flr_service, hash),
	.key_offset = offsetof(struct flr_service, key),
	.key_len = sizeof(struct flr_service_key),
	.automatic_shrinking = true,
};

/**
 * struct flr_range - a range of ports
 * @first: first port
 * @last: last port
 * @svc: service, or NULL once it is deleted
 */
struct flr_range {
	u16 first;
	u16 last;
	struct flr_service __rcu *svc;
};

/**
 * struct flr_ranges - the ranges of a protocol, an address and a prefix
 * @hash: in flr_net.ranges
 * @key: identity of the services, without ports
 * @rcu: to free it
 * @live: how many are not deleted
 * @n: entries in @v
 * @v: the ranges, which do not overlap, ascending
 *
 * Replaced when one is added. Deleting one leaves a hole, as it must not fail.
 */
struct flr_ranges {
	struct rhash_head hash;
	struct flr_service_key key;
	struct rcu_head rcu;
	u32 live;
	u32 n;
	struct flr_range v[] __counted_by(n);
};

const struct rhashtable_params flr_ranges_params = {
	.head_offset = offsetof(struct flr_ranges, hash),
	.key_offset = offsetof(struct flr_ranges, key),
	.key_len = sizeof(struct flr_service_key),
	.automatic_shrinking = true,
};

/* Kinds of services, the most specific first */
enum {
	FLR_SERVICE_ONE,
	FLR_SERVICE_RANGE,
	FLR_SERVICE_ALL,
	FLR_SERVICE_ANY,
};

static int flr_service_kind(const struct flr_service_key *key)
{
	if (!key->proto)
		return FLR_SERVICE_ANY;
	if (key->port == key->port_end)
		return FLR_SERVICE_ONE;
	return key->port ? FLR_SERVICE_RANGE : FLR_SERVICE_ALL;
}

/**
 * flr_service_rank() - how specific a service is
 * @key: its identity
 *
 * Return: a number; of two services that a packet could be for, the one with
 * the larger number gets it.
 */
u32 flr_service_rank(const struct flr_service_key *key)
{
	if (key->mark)
		return 0;
	return (key->prefix + 1) << 2 |
	       (FLR_SERVICE_ANY - flr_service_kind(key));
}

/**
 * flr_service_mask() - clear the bits of an address that do not count
 * @addr: address
 * @family: its family
 * @prefix: bits that do
 */
void flr_service_mask(union nf_inet_addr *addr, u8 family, u8 prefix)
{
	struct in6_addr whole = addr->in6;

	if (family == NFPROTO_IPV4)
		addr->ip &= inet_make_mask(prefix);
	else
		ipv6_addr_prefix(&addr->in6, &whole, prefix);
}

/* Found under the lock, too, as it is only replaced under it */
static struct flr_ranges *flr_ranges_find(struct flr_net *fn,
					  const struct flr_service_key *key)
{
	struct flr_service_key where = *key;

	where.port = 0;
	where.port_end = 0;
	return rhashtable_lookup_fast(&fn->ranges, &where, flr_ranges_params);
}

/* The first range that does not end before a port */
static u32 flr_ranges_at(const struct flr_ranges *ranges, u16 port)
{
	u32 lo = 0, hi = ranges->n;

	while (lo < hi) {
		u32 mid = (lo + hi) / 2;

		if (ranges->v[mid].last < port)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct flr_service *flr_ranges_lookup(struct flr_net *fn,
					     const struct flr_service_key *key,
					     u16 port)
{
	const struct flr_ranges *ranges = flr_ranges_find(fn, key);
	u32 i;

	if (!ranges)
		return NULL;
	i = flr_ranges_at(ranges, port);
	if (i == ranges->n || ranges->v[i].first > port)
		return NULL;
	return rcu_dereference(ranges->v[i].svc);
}

static struct flr_service *flr_service_at(struct flr_net *fn,
					  struct flr_service_key *key,
					  __be16 port, __be16 port_end)
{
	key->port = port;
	key->port_end = port_end;
	return rhashtable_lookup(&fn->services, key, flr_service_params);
}

/* The most specific service of one length of prefixes */
static struct flr_service *flr_service_within(struct flr_net *fn,
					      struct flr_service_key *key,
					      __be16 port, u8 kinds)
{
	struct flr_service *svc = NULL;

	if (kinds & BIT(FLR_SERVICE_ONE) && port)
		svc = flr_service_at(fn, key, port, port);
	if (!svc && kinds & BIT(FLR_SERVICE_RANGE) && port)
		svc = flr_ranges_lookup(fn, key, ntohs(port));
	if (!svc && kinds & BIT(FLR_SERVICE_ALL))
		svc = flr_service_at(fn, key, 0, htons(U16_MAX));
	if (!svc && kinds & BIT(FLR_SERVICE_ANY)) {
		key->proto = 0;
		svc = flr_service_at(fn, key, 0, htons(U16_MAX));
	}
	return svc;
}

static struct flr_service *flr_service_wide(struct flr_net *fn,
					    const struct flr_service_key *dest,
					    u32 mark)
{
	int f = flr_family(dest->family);
	struct flr_service_key key;
	struct flr_service *svc;
	unsigned int i;

	for_each_set_bit(i, fn->lengths[f], FLR_LENGTHS) {
		key = *dest;
		key.prefix = FLR_LENGTHS - 1 - i;
		flr_service_mask(&key.addr, key.family, key.prefix);
		svc = flr_service_within(fn, &key, dest->port,
					 READ_ONCE(fn->kinds[f][i]));
		if (svc)
			return svc;
	}
	if (!mark)
		return NULL;
	key = (struct flr_service_key){ .mark = mark, .family = dest->family };
	return rhashtable_lookup(&fn->services, &key, flr_service_params);
}

/**
 * flr_service_lookup() - find the service of a flow
 * @fn: namespace
 * @key: flow key
 * @mark: firewall mark of the packet
 *
 * Context: under rcu_read_lock().
 * Return: the most specific service, or NULL.
 */
struct flr_service *flr_service_lookup(struct flr_net *fn,
				       const struct flr_key *key, u32 mark)
{
	struct flr_service_key dest = {
		.port = key->dport,
		.port_end = key->dport,
		.proto = key->proto,
	};
	struct flr_service *svc;

	if (key->family == 4) {
		dest.family = NFPROTO_IPV4;
		dest.prefix = 32;
		dest.addr.ip = key->v4.daddr;
	} else {
		dest.family = NFPROTO_IPV6;
		dest.prefix = 128;
		memcpy(&dest.addr.in6, key->v6.daddr, sizeof(dest.addr.in6));
	}
	svc = rhashtable_lookup(&fn->services, &dest, flr_service_params);
	if (svc || !READ_ONCE(fn->nwide))
		return svc;
	return flr_service_wide(fn, &dest, mark);
}

/* Count a service among those that take more than the first look */
static void flr_service_wide_add(struct flr_net *fn,
				 const struct flr_service_key *key, int by)
{
	u32 whole = key->family == NFPROTO_IPV4 ? 32 : 128;
	int kind = flr_service_kind(key), f = flr_family(key->family);
	unsigned int i = FLR_LENGTHS - 1 - key->prefix;
	u8 kinds;

	if (!key->mark && kind == FLR_SERVICE_ONE && key->prefix == whole)
		return;
	WRITE_ONCE(fn->nwide, fn->nwide + by);
	if (key->mark)
		return;
	fn->nkinds[f][i][kind] += by;
	kinds = fn->kinds[f][i] & ~BIT(kind);
	if (fn->nkinds[f][i][kind])
		kinds |= BIT(kind);
	WRITE_ONCE(fn->kinds[f][i], kinds);
	assign_bit(i, fn->lengths[f], kinds);
}

static int flr_ranges_insert(struct flr_net *fn, struct flr_service *svc,
			     struct netlink_ext_ack *ack)
{
	u16 first = ntohs(svc->key.port), last = ntohs(svc->key.port_end);
	struct flr_ranges *old = flr_ranges_find(fn, &svc->key), *new;
	struct flr_range *v;
	u32 i, n = 0;
	int err;

	new = kvmalloc(struct_size(new, v, (old ? old->live : 0) + 1),
		       GFP_KERNEL_ACCOUNT);
	if (!new)
		return -ENOMEM;
	new->key = svc->key;
	new->key.port = 0;
	new->key.port_end = 0;
	new->n = (old ? old->live : 0) + 1;
	new->live = new->n;
	v = new->v;
	for (i = 0; old && i < old->n; i++) {
		if (!rcu_access_pointer(old->v[i].svc))
			continue;
		if (old->v[i].first <= last && old->v[i].last >= first) {
			NL_SET_ERR_MSG_FMT(ack, "ports overlap with those of the service of %u-%u",
					   old->v[i].first, old->v[i].last);
			kvfree(new);
			return -EEXIST;
		}
		v[n++] = old->v[i];
	}
	/* from the end to its place */
	for (i = n; i && v[i - 1].first > first; i--)
		v[i] = v[i - 1];
	v[i].first = first;
	v[i].last = last;
	RCU_INIT_POINTER(v[i].svc, svc);
	if (old)
		err = rhashtable_replace_fast(&fn->ranges, &old->hash,
					      &new->hash, flr_ranges_params);
	else
		err = rhashtable_insert_fast(&fn->ranges, &new->hash,
					     flr_ranges_params);
	if (err) {
		kvfree(new);
		return err;
	}
	if (old)
		kvfree_rcu(old, rcu);
	return 0;
}

static void flr_ranges_remove(struct flr_net *fn, const struct flr_service *svc)
{
	struct flr_ranges *ranges = flr_ranges_find(fn, &svc->key);
	u32 i = flr_ranges_at(ranges, ntohs(svc->key.port));

	RCU_INIT_POINTER(ranges->v[i].svc, NULL);
	if (--ranges->live)
		return;
	rhashtable_remove_fast(&fn->ranges, &ranges->hash, flr_ranges_params);
	kvfree_rcu(ranges, rcu);
}

/**
 * flr_service_insert() - let packets find a service
 * @fn: namespace
 * @svc: service
 * @ack: for the reason of a refusal
 *
 * Context: under flr_net.lock, may sleep.
 * Return: 0; -EEXIST when its ports overlap with those of another range of the
 * same address; -ENOMEM or another error of the hash table.
 */
int flr_service_insert(struct flr_net *fn, struct flr_service *svc,
		       struct netlink_ext_ack *ack)
{
	bool range = !svc->key.mark &&
		     flr_service_kind(&svc->key) == FLR_SERVICE_RANGE;
	int err;

	if (range) {
		err = flr_ranges_insert(fn, svc, ack);
		if (err)
			return err;
	}
	err = rhashtable_insert_fast(&fn->services, &svc->hash,
				     flr_service_params);
	if (err) {
		if (range)
			flr_ranges_remove(fn, svc);
		return err;
	}
	flr_service_wide_add(fn, &svc->key, 1);
	return 0;
}

/**
 * flr_service_remove() - keep packets from finding a service
 * @fn: namespace
 * @svc: service
 *
 * Context: under flr_net.lock, or when nothing else uses the namespace.
 */
void flr_service_remove(struct flr_net *fn, struct flr_service *svc)
{
	flr_service_wide_add(fn, &svc->key, -1);
	rhashtable_remove_fast(&fn->services, &svc->hash, flr_service_params);
	if (!svc->key.mark && flr_service_kind(&svc->key) == FLR_SERVICE_RANGE)
		flr_ranges_remove(fn, svc);
}
