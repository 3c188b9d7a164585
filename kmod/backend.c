// SPDX-License-Identifier: GPL-2.0
/*
 * Backends: members of rings.
 *
 * A backend never changes once a table holds it, but for the word that says
 * that it is down. A change therefore makes a new struct, which takes the place
 * of the old one with the next table; the old one is freed after a grace
 * period. commit.c does that.
 */

#include <linux/slab.h>

#include "flowring.h"

static struct flr_backend *flr_backend_entry(const struct rb_node *node)
{
	return rb_entry(node, struct flr_backend, node);
}

/**
 * flr_backend_less() - order backends by their names
 * @a: one
 * @b: the other
 *
 * Return: whether @a comes before @b.
 */
bool flr_backend_less(struct rb_node *a, const struct rb_node *b)
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
struct flr_backend *flr_backend_find(const struct flr_ring *ring,
				     const char *name)
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
	b->target = FLR_NO_TARGET;
	b->checksum = true;
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
 * flr_backend_clone() - make a backend like another one, to change it
 * @b: the other one
 *
 * Context: process context, may sleep.
 * Return: the backend, which shares the counters of @b, or NULL.
 */
struct flr_backend *flr_backend_clone(const struct flr_backend *b)
{
	struct flr_backend *clone = flr_backend_alloc(b->name, b->stats);

	if (!clone)
		return NULL;
	clone->stats_moved = true;
	if (b->tokens) {
		clone->tokens = kvmalloc_array(b->ntokens, sizeof(*b->tokens),
					       GFP_KERNEL_ACCOUNT);
		if (!clone->tokens) {
			flr_backend_free(clone);
			return NULL;
		}
		memcpy(clone->tokens, b->tokens,
		       array_size(b->ntokens, sizeof(*b->tokens)));
	}
	clone->ntokens = b->ntokens;
	clone->addr = b->addr;
	clone->port = b->port;
	clone->family = b->family;
	clone->mode = b->mode;
	clone->mark = b->mark;
	clone->checksum = b->checksum;
	clone->state = b->state;
	clone->weight = b->weight;
	strscpy(clone->zone, b->zone);
	return clone;
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
	kvfree(b->tokens);
	kfree(b);
}

static void flr_backend_free_rcu(struct rcu_head *rcu)
{
	flr_backend_free(container_of(rcu, struct flr_backend, rcu));
}

/**
 * flr_backend_drop() - take a backend out of the namespace and free it
 * @fn: namespace
 * @b: backend, in no live table any more, or in one that is going
 *
 * Context: under flr_net.lock, or when nothing else uses the namespace.
 */
void flr_backend_drop(struct flr_net *fn, struct flr_backend *b)
{
	rhltable_remove(&fn->endpoints, &b->endpoint, flr_endpoint_params);
	call_rcu(&b->rcu, flr_backend_free_rcu);
}

/**
 * flr_backend_ntokens() - tokens that a backend has while it is up
 * @opt: options of its ring
 * @b: backend
 *
 * Return: their number, whatever its state.
 */
u32 flr_backend_ntokens(const struct flr_options *opt,
			const struct flr_backend *b)
{
	if (!b->weight)
		return 0;
	return b->tokens ? b->ntokens :
			   flr_ring_ntokens(opt->vnodes, b->weight);
}

static int flr_backend_check_family(const struct flr_ring *ring,
				    const struct flr_backend *b,
				    struct netlink_ext_ack *ack)
{
	if (!flr_backend_is_bound(b) ||
	    !ring->nservices[!flr_family(b->family)])
		return 0;
	NL_SET_ERR_MSG_FMT(ack,
			   "backend %s is %s, a service of the ring is not",
			   b->name, flr_family_name(b->family));
	return -EAFNOSUPPORT;
}

static const char *const flr_mode_names[] = {
	[FLOWRING_MODE_NAT] = "nat",
	[FLOWRING_MODE_DR] = "dr",
	[FLOWRING_MODE_IPIP] = "ipip",
	[FLOWRING_MODE_GUE] = "gue",
	[FLOWRING_MODE_MARK] = "mark",
};

static int flr_backend_check_mode(const struct flr_ring *ring,
				  const struct flr_options *opt,
				  const struct flr_backend *b,
				  struct netlink_ext_ack *ack)
{
	if (b->mode == FLOWRING_MODE_NAT)
		return 0;
	if (opt->masquerade) {
		NL_SET_ERR_MSG_FMT(ack,
				   "ring %s has masquerade: that needs nat",
				   ring->name);
		return -EINVAL;
	}
	if (b->port && b->mode != FLOWRING_MODE_GUE) {
		NL_SET_ERR_MSG_FMT(ack, "backend %s: %s cannot change the port",
				   b->name, flr_mode_names[b->mode]);
		return -EINVAL;
	}
	return 0;
}

/* Two names for one endpoint would be one backend with a double weight */
static int flr_backend_check_unique(struct flr_net *fn,
				    const struct flr_ring *ring,
				    const struct flr_backend *b,
				    struct netlink_ext_ack *ack)
{
	struct rhlist_head *list, *pos;
	struct flr_backend *other;
	int err = 0;

	rcu_read_lock();
	list = rhltable_lookup(&fn->endpoints, &b->addr, flr_endpoint_params);
	rhl_for_each_entry_rcu(other, pos, list, endpoint) {
		if (other->ring != ring || !flr_backend_is_at(other, b) ||
		    !strcmp(other->name, b->name))
			continue;
		/* the same commit may delete or move it */
		if (flr_backend_find(ring, other->name) != other)
			continue;
		NL_SET_ERR_MSG_FMT(ack, "backend %s has that address and port",
				   other->name);
		err = -EEXIST;
		break;
	}
	rcu_read_unlock();
	return err;
}

/**
 * flr_backend_check() - see whether a ring can have a backend
 * @fn: namespace
 * @ring: ring, its backends as they shall be
 * @opt: options that it shall have
 * @b: the backend, new or with another address or port
 * @ack: for the reason of a refusal, or a warning
 *
 * Context: under flr_net.lock.
 * Return: 0; -EAFNOSUPPORT, -EINVAL, -EEXIST or -EHOSTUNREACH.
 */
int flr_backend_check(struct flr_net *fn, const struct flr_ring *ring,
		      const struct flr_options *opt,
		      const struct flr_backend *b, struct netlink_ext_ack *ack)
{
	int err;

	err = flr_backend_check_family(ring, b, ack);
	if (err)
		return err;
	err = flr_backend_check_mode(ring, opt, b, ack);
	if (err)
		return err;
	err = flr_backend_check_unique(fn, ring, b, ack);
	if (err)
		return err;
	return flr_route_check(fn, b, ack);
}
