// SPDX-License-Identifier: GPL-2.0
/*
 * Backends: members of rings.
 *
 * What packets read of a backend never changes once a table holds it. A new
 * address therefore makes a new struct, which takes the place of the old one
 * with the next table; the old one is freed after a grace period.
 */

#include <linux/slab.h>

#include "flowring.h"

static struct flr_backend *flr_backend_entry(const struct rb_node *node)
{
	return rb_entry(node, struct flr_backend, node);
}

static bool flr_backend_less(struct rb_node *a, const struct rb_node *b)
{
	return strcmp(flr_backend_entry(a)->name,
		      flr_backend_entry(b)->name) < 0;
}

static int flr_backend_cmp(const void *name, const struct rb_node *node)
{
	return strcmp(name, flr_backend_entry(node)->name);
}

/**
 * flr_backend_find() - find a backend by its name
 * @ring: ring
 * @name: name
 *
 * Context: under flr_net.lock.
 * Return: the backend, or NULL.
 */
struct flr_backend *flr_backend_find(struct flr_ring *ring, const char *name)
{
	struct rb_node *node = rb_find(name, &ring->by_name, flr_backend_cmp);

	return node ? flr_backend_entry(node) : NULL;
}

/**
 * flr_backend_alloc() - make a backend that belongs to no ring yet
 * @name: its name
 * @stats: counters to share with a predecessor, or NULL for new ones
 *
 * Context: process context, may sleep.
 * Return: the backend, with default options, or NULL.
 */
struct flr_backend *flr_backend_alloc(const char *name,
				      struct flr_stats __percpu *stats)
{
	struct flr_backend *b = kzalloc(sizeof(*b), GFP_KERNEL_ACCOUNT);

	if (!b)
		return NULL;
	strscpy(b->name, name);
	b->weight = FLR_DEFAULT_WEIGHT;
	b->state = FLOWRING_STATE_UP;
	b->mode = FLOWRING_MODE_NAT;
	if (dst_cache_init(&b->dst_cache, GFP_KERNEL_ACCOUNT))
		goto err_free;
	b->stats = stats ?: flr_stats_alloc();
	if (!b->stats)
		goto err_cache;
	return b;

err_cache:
	dst_cache_destroy(&b->dst_cache);
err_free:
	kfree(b);
	return NULL;
}

/**
 * flr_backend_free() - free a backend that packets cannot see
 * @b: backend
 */
void flr_backend_free(struct flr_backend *b)
{
	if (!b->stats_moved)
		free_percpu(b->stats);
	dst_cache_destroy(&b->dst_cache);
	kfree(b);
}

static void flr_backend_free_rcu(struct rcu_head *rcu)
{
	flr_backend_free(container_of(rcu, struct flr_backend, rcu));
}

/**
 * flr_backend_destroy() - take a backend out of the namespace and free it
 * @fn: namespace
 * @b: backend, in no live table any more, or in one that is going
 *
 * Context: under flr_net.lock, or when nothing else uses the namespace.
 */
void flr_backend_destroy(struct flr_net *fn, struct flr_backend *b)
{
	rhltable_remove(&fn->endpoints, &b->endpoint, flr_endpoint_params);
	call_rcu(&b->rcu, flr_backend_free_rcu);
}

static int flr_backend_check_family(const struct flr_ring *ring,
				    const struct flr_backend *b,
				    struct netlink_ext_ack *ack)
{
	if (!ring->nservices[!flr_family(b->family)])
		return 0;
	NL_SET_ERR_MSG_FMT(ack,
			   "backend %s is %s, a service of the ring is not",
			   b->name, flr_family_name(b->family));
	return -EAFNOSUPPORT;
}

static int flr_backend_check_mode(const struct flr_ring *ring,
				  const struct flr_backend *b,
				  struct netlink_ext_ack *ack)
{
	if (ring->mode != FLR_MODE_NONE && ring->mode != b->mode) {
		NL_SET_ERR_MSG_FMT(ack,
				   "ring %s cannot mix nat and dr backends",
				   ring->name);
		return -EINVAL;
	}
	if (b->mode != FLOWRING_MODE_DR)
		return 0;
	if (ring->masquerade) {
		NL_SET_ERR_MSG_FMT(ack,
				   "ring %s has masquerade: that needs nat",
				   ring->name);
		return -EINVAL;
	}
	if (b->port) {
		NL_SET_ERR_MSG_FMT(ack, "backend %s: dr cannot change the port",
				   b->name);
		return -EINVAL;
	}
	return 0;
}

/* Two names for one endpoint would be one backend with a double weight */
static int flr_backend_check_unique(struct flr_net *fn, struct flr_ring *ring,
				    const struct flr_backend *b,
				    struct netlink_ext_ack *ack)
{
	struct rhlist_head *list, *pos;
	struct flr_backend *other;
	int err = 0;

	rcu_read_lock();
	list = rhltable_lookup(&fn->endpoints, &b->addr, flr_endpoint_params);
	rhl_for_each_entry_rcu(other, pos, list, endpoint) {
		if (other->ring != ring || other->port != b->port ||
		    !strcmp(other->name, b->name))
			continue;
		NL_SET_ERR_MSG_FMT(ack, "backend %s has that address and port",
				   other->name);
		err = -EEXIST;
		break;
	}
	rcu_read_unlock();
	return err;
}

static int flr_backend_check(struct flr_net *fn, struct flr_ring *ring,
			     const struct flr_backend *b,
			     struct netlink_ext_ack *ack)
{
	int err;

	err = flr_backend_check_family(ring, b, ack);
	if (err)
		return err;
	err = flr_backend_check_mode(ring, b, ack);
	if (err)
		return err;
	err = flr_backend_check_unique(fn, ring, b, ack);
	if (err)
		return err;
	return b->mode == FLOWRING_MODE_DR ? flr_dr_check(fn, b, ack) : 0;
}

static u32 flr_ring_backends(const struct flr_ring *ring)
{
	return ring->nbackends[0] + ring->nbackends[1];
}

/* The mode of a ring is that of its backends */
static void flr_ring_set_mode(struct flr_net *fn, struct flr_ring *ring,
			      u8 mode)
{
	u32 nservices = ring->nservices[0] + ring->nservices[1];

	if (ring->mode == mode)
		return;
	if (ring->mode == FLOWRING_MODE_NAT)
		fn->nat_services -= nservices;
	WRITE_ONCE(ring->mode, mode);
	if (ring->mode == FLOWRING_MODE_NAT)
		fn->nat_services += nservices;
}

static bool flr_ring_has_services(const struct flr_ring *ring)
{
	return ring->nservices[0] || ring->nservices[1];
}

/**
 * flr_backend_new() - add a backend to a ring
 * @fn: namespace
 * @ring: ring
 * @b: backend from flr_backend_alloc() with its options set; the ring owns it
 *	from now on when this succeeds
 * @ack: for the reason of a refusal, or a warning
 *
 * Context: under flr_net.lock, may sleep.
 * Return: 0; -EEXIST, -EAFNOSUPPORT, -EINVAL, -EHOSTUNREACH, -E2BIG, -ENOMEM,
 * and then nothing has changed.
 */
int flr_backend_new(struct flr_net *fn, struct flr_ring *ring,
		    struct flr_backend *b, struct netlink_ext_ack *ack)
{
	struct flr_change change = { .backend = b };
	u32 ntokens, id;
	int err;

	if (flr_backend_find(ring, b->name)) {
		NL_SET_ERR_MSG_FMT(ack, "backend %s exists", b->name);
		return -EEXIST;
	}
	if (flr_ring_backends(ring) >= FLOWRING_MAX_BACKENDS) {
		NL_SET_ERR_MSG_FMT(ack, "no more than %u backends in a ring",
				   FLOWRING_MAX_BACKENDS);
		return -E2BIG;
	}
	err = flr_backend_check(fn, ring, b, ack);
	if (err)
		return err;
	if (flr_ring_has_services(ring)) {
		err = flr_hooks_start(fn, b->mode == FLOWRING_MODE_NAT, ack);
		if (err)
			return err;
	}
	b->ring = ring;
	err = rhltable_insert(&fn->endpoints, &b->endpoint,
			      flr_endpoint_params);
	if (err) {
		NL_SET_ERR_MSG_FMT(ack, "backend %s: no memory", b->name);
		goto err_settle;
	}
	err = xa_alloc(&ring->backends, &id, b,
		       XA_LIMIT(0, FLOWRING_MAX_BACKENDS - 1),
		       GFP_KERNEL_ACCOUNT);
	if (err) {
		NL_SET_ERR_MSG_FMT(ack, "backend %s: no memory", b->name);
		goto err_endpoint;
	}
	b->id = id;
	ring->nids = max_t(u32, ring->nids, id + 1);
	rb_add(&b->node, &ring->by_name, flr_backend_less);
	ntokens = flr_ring_ntokens(ring->vnodes, b->weight);
	change.id = id;
	change.ntokens = ring->ntokens + ntokens;
	change.same = !ntokens || b->state != FLOWRING_STATE_UP;
	err = flr_ring_rebuild(ring, &change, ack);
	if (err)
		goto err_erase;
	ring->nbackends[flr_family(b->family)]++;
	flr_ring_set_mode(fn, ring, b->mode);
	flr_changed(fn);
	return 0;

err_erase:
	rb_erase(&b->node, &ring->by_name);
	xa_erase(&ring->backends, b->id);
err_endpoint:
	rhltable_remove(&fn->endpoints, &b->endpoint, flr_endpoint_params);
	/* packets may have seen it there */
	synchronize_net();
err_settle:
	flr_hooks_settle(fn);
	return err;
}

/* Tokens of all backends, were the weight of @b another */
static u64 flr_ring_reweigh(const struct flr_backend *b, u32 weight)
{
	const struct flr_ring *ring = b->ring;

	return ring->ntokens - flr_ring_ntokens(ring->vnodes, b->weight) +
	       flr_ring_ntokens(ring->vnodes, weight);
}

/* Whether the ring has no tokens of @b, now and with those options */
static bool flr_backend_idle(const struct flr_backend *b,
			     const struct flr_backend *opt)
{
	return (b->state != FLOWRING_STATE_UP || !b->weight) &&
	       (opt->state != FLOWRING_STATE_UP || !opt->weight);
}

/* Put @b in the place of @old, which has the same name */
static void flr_backend_replace(struct flr_ring *ring, struct flr_backend *old,
				struct flr_backend *b)
{
	/* replaces an entry, so it needs no memory */
	xa_store(&ring->backends, old->id, b, GFP_KERNEL);
	rb_replace_node(&old->node, &b->node, &ring->by_name);
}

/* A new address needs a new struct: make it, with the counters of @old */
static int flr_backend_move(struct flr_net *fn, struct flr_backend **bp,
			    const struct flr_backend *opt,
			    struct netlink_ext_ack *ack)
{
	struct flr_backend *old = *bp, *b;
	struct flr_ring *ring = old->ring;
	struct flr_change change = {
		.id = old->id,
		.ntokens = flr_ring_reweigh(old, opt->weight),
		.same = flr_backend_idle(old, opt) ||
			(old->state == opt->state &&
			 old->weight == opt->weight),
	};
	int err;

	err = flr_backend_check(fn, ring, opt, ack);
	if (err)
		return err;
	b = flr_backend_alloc(old->name, old->stats);
	if (!b)
		goto err_nomem;
	b->addr = opt->addr;
	b->port = opt->port;
	b->family = opt->family;
	b->mode = old->mode;
	b->weight = opt->weight;
	b->state = opt->state;
	b->ring = ring;
	b->id = old->id;
	if (rhltable_insert(&fn->endpoints, &b->endpoint, flr_endpoint_params))
		goto err_free;
	flr_backend_replace(ring, old, b);
	change.backend = b;
	err = flr_ring_rebuild(ring, &change, ack);
	if (err)
		goto err_replace;
	ring->nbackends[flr_family(old->family)]--;
	ring->nbackends[flr_family(b->family)]++;
	old->stats_moved = true;
	*bp = b;
	return 0;

err_replace:
	flr_backend_replace(ring, b, old);
	b->stats_moved = true;
	flr_backend_destroy(fn, b);
	return err;
err_free:
	b->stats_moved = true;
	flr_backend_free(b);
err_nomem:
	NL_SET_ERR_MSG_FMT(ack, "backend %s: no memory", old->name);
	return -ENOMEM;
}

static int flr_backend_tune(struct flr_backend *b,
			    const struct flr_backend *opt,
			    struct netlink_ext_ack *ack)
{
	struct flr_change change = {
		.id = b->id,
		.backend = b,
		.ntokens = flr_ring_reweigh(b, opt->weight),
		.same = flr_backend_idle(b, opt),
	};
	u32 weight = b->weight;
	u8 state = b->state;
	int err;

	b->weight = opt->weight;
	WRITE_ONCE(b->state, opt->state);
	err = flr_ring_rebuild(b->ring, &change, ack);
	if (err) {
		b->weight = weight;
		WRITE_ONCE(b->state, state);
	}
	return err;
}

/* End the flows to a backend; no packet on its way can begin one after that */
static void flr_backend_end(struct flr_net *fn, struct flr_backend *b)
{
	WRITE_ONCE(b->state, FLOWRING_STATE_DOWN);
	flr_nat_end_backend(fn, b);
}

/**
 * flr_backend_set() - change a backend
 * @fn: namespace
 * @bp: backend, another struct on return when its address or port changed
 * @opt: name, address, port and options that it shall have
 * @ack: for the reason of a refusal, or a warning
 *
 * Ends the conntrack flows to a backend that goes down, and those to its old
 * address or port.
 *
 * Context: under flr_net.lock, may sleep.
 * Return: as flr_backend_new(), and on error nothing has changed.
 */
int flr_backend_set(struct flr_net *fn, struct flr_backend **bp,
		    const struct flr_backend *opt, struct netlink_ext_ack *ack)
{
	struct flr_backend *old = *bp;
	bool down, moved;
	int err;

	down = opt->state == FLOWRING_STATE_DOWN &&
	       old->state != FLOWRING_STATE_DOWN;
	moved = opt->family != old->family || opt->port != old->port ||
		!nf_inet_addr_cmp(&opt->addr, &old->addr);
	if (moved)
		err = flr_backend_move(fn, bp, opt, ack);
	else
		err = flr_backend_tune(old, opt, ack);
	if (err)
		return err;
	if (down || moved)
		flr_backend_end(fn, old);
	if (moved)
		flr_backend_destroy(fn, old);
	flr_changed(fn);
	return 0;
}

/**
 * flr_backend_del() - delete a backend, and end the conntrack flows to it
 * @fn: namespace
 * @b: backend
 * @ack: for the reason of a refusal
 *
 * Context: under flr_net.lock, may sleep.
 * Return: 0, or -ENOMEM when there was none for the table without it, and then
 * nothing has changed.
 */
int flr_backend_del(struct flr_net *fn, struct flr_backend *b,
		    struct netlink_ext_ack *ack)
{
	struct flr_ring *ring = b->ring;
	const struct flr_change change = {
		.id = b->id,
		.ntokens = flr_ring_reweigh(b, 0),
		.same = !b->weight || b->state != FLOWRING_STATE_UP,
	};
	int err;

	rb_erase(&b->node, &ring->by_name);
	err = flr_ring_rebuild(ring, &change, ack);
	if (err) {
		rb_add(&b->node, &ring->by_name, flr_backend_less);
		return err;
	}
	xa_erase(&ring->backends, b->id);
	ring->nbackends[flr_family(b->family)]--;
	flr_backend_end(fn, b);
	if (!flr_ring_backends(ring))
		flr_ring_set_mode(fn, ring, FLR_MODE_NONE);
	flr_backend_destroy(fn, b);
	flr_hooks_settle(fn);
	flr_changed(fn);
	return 0;
}
