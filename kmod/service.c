// SPDX-License-Identifier: GPL-2.0
/* Services: what clients connect to, and the ring or the action for it. */

#include <linux/rculist.h>
#include <linux/slab.h>

#include "flowring.h"

/**
 * flr_service_find() - find a service by its identity
 * @fn: namespace
 * @key: identity
 *
 * Context: under flr_net.lock.
 * Return: the service, or NULL.
 */
struct flr_service *flr_service_find(struct flr_net *fn,
				     const struct flr_service_key *key)
{
	lockdep_assert_held(&fn->lock);
	return rhashtable_lookup_fast(&fn->services, key, flr_service_params);
}

/**
 * flr_service_ring() - the ring of a service, for its configuration
 * @svc: service
 * @fn: namespace
 *
 * Context: under flr_net.lock.
 * Return: the ring, or NULL when it has an action.
 */
struct flr_ring *flr_service_ring(const struct flr_service *svc,
				  const struct flr_net *fn)
{
	return rcu_dereference_protected(svc->ring,
					 lockdep_is_held(&fn->lock));
}

/**
 * flr_service_alloc() - make a service that is not in a namespace yet
 *
 * Context: process context, may sleep.
 * Return: the service, zeroed but for its counters, or NULL.
 */
struct flr_service *flr_service_alloc(void)
{
	struct flr_service *svc = kzalloc(sizeof(*svc), GFP_KERNEL_ACCOUNT);

	if (!svc)
		return NULL;
	svc->stats = flr_stats_alloc();
	if (!svc->stats) {
		kfree(svc);
		return NULL;
	}
	return svc;
}

/**
 * flr_service_free() - free a service that packets cannot see
 * @svc: service
 */
void flr_service_free(struct flr_service *svc)
{
	free_percpu(svc->stats);
	kfree(svc);
}

static void flr_service_free_rcu(struct rcu_head *rcu)
{
	flr_service_free(container_of(rcu, struct flr_service, rcu));
}

static int flr_service_check(const struct flr_service *svc,
			     const struct flr_ring *ring,
			     struct netlink_ext_ack *ack)
{
	u8 family = svc->key.family;

	if (!ring)
		return 0;
	if (svc->key.mark && ring->kind == FLR_KIND_NAT) {
		NL_SET_ERR_MSG_FMT(ack, "a service of a mark cannot have nat, as ring %s has",
				   ring->name);
		return -EOPNOTSUPP;
	}
	if (!ring->nbound[!flr_family(family)])
		return 0;
	NL_SET_ERR_MSG_FMT(ack, "service is %s, a backend of ring %s is not",
			   flr_family_name(family), ring->name);
	return -EAFNOSUPPORT;
}

static bool flr_ring_is_nat(const struct flr_ring *ring)
{
	return ring && ring->kind == FLR_KIND_NAT;
}

/* Hooks that a service of @ring needs */
static int flr_service_start(struct flr_net *fn, const struct flr_ring *ring,
			     struct netlink_ext_ack *ack)
{
	return flr_hooks_start(fn, flr_ring_is_nat(ring), ack);
}

static void flr_service_attach(struct flr_net *fn, struct flr_service *svc,
			       struct flr_ring *ring)
{
	if (!ring)
		return;
	ring->nservices[flr_family(svc->key.family)]++;
	ring->nmarks += !!svc->key.mark;
	if (ring->kind == FLR_KIND_NAT)
		fn->nat_services++;
	list_add_tail_rcu(&svc->list, &ring->services);
}

static void flr_service_detach(struct flr_net *fn, struct flr_service *svc,
			       struct flr_ring *ring)
{
	if (!ring)
		return;
	ring->nservices[flr_family(svc->key.family)]--;
	ring->nmarks -= !!svc->key.mark;
	if (ring->kind == FLR_KIND_NAT)
		fn->nat_services--;
	list_del_rcu(&svc->list);
}

/**
 * flr_service_new() - add a service to its namespace
 * @fn: namespace
 * @svc: service from flr_service_alloc() with its key and action set; the
 *	namespace owns it from now on when this succeeds
 * @ring: ring that serves it, or NULL
 * @ack: for the reason of a refusal
 *
 * Context: under flr_net.lock, may sleep.
 * Return: 0; -EEXIST, -EAFNOSUPPORT, -EOPNOTSUPP, -E2BIG, -ENOMEM or what
 * registering the hooks said, and then nothing has changed.
 */
int flr_service_new(struct flr_net *fn, struct flr_service *svc,
		    struct flr_ring *ring, struct netlink_ext_ack *ack)
{
	int err;

	if (flr_service_find(fn, &svc->key)) {
		NL_SET_ERR_MSG(ack, "service exists");
		return -EEXIST;
	}
	if (fn->nservices >= FLOWRING_MAX_SERVICES) {
		NL_SET_ERR_MSG_FMT(ack, "no more than %u services",
				   FLOWRING_MAX_SERVICES);
		return -E2BIG;
	}
	err = flr_service_check(svc, ring, ack);
	if (err)
		return err;
	err = flr_service_start(fn, ring, ack);
	if (err)
		return err;
	RCU_INIT_POINTER(svc->ring, ring);
	err = xa_alloc(&fn->services_by_id, &svc->id, svc, xa_limit_31b,
		       GFP_KERNEL_ACCOUNT);
	if (err)
		goto err_settle;
	flr_service_attach(fn, svc, ring);
	err = flr_service_insert(fn, svc, ack);
	if (err)
		goto err_detach;
	fn->nservices++;
	flr_changed(fn);
	return 0;

err_detach:
	flr_service_detach(fn, svc, ring);
	xa_erase(&fn->services_by_id, svc->id);
	/* packets may have met it in the list of the ring */
	synchronize_net();
err_settle:
	flr_hooks_settle(fn);
	if (err != -EEXIST)
		NL_SET_ERR_MSG(ack, "no memory for the service");
	return err;
}

/**
 * flr_service_set() - point a service to another ring, or give it an action
 * @fn: namespace
 * @svc: service
 * @ring: ring, or NULL
 * @action: what is done with its packets without a ring
 * @ack: for the reason of a refusal
 *
 * Context: under flr_net.lock, may sleep.
 * Return: as flr_service_new(), and on error nothing has changed.
 */
int flr_service_set(struct flr_net *fn, struct flr_service *svc,
		    struct flr_ring *ring, u8 action,
		    struct netlink_ext_ack *ack)
{
	struct flr_ring *old = flr_service_ring(svc, fn);
	int err;

	err = flr_service_check(svc, ring, ack);
	if (err)
		return err;
	err = flr_service_start(fn, ring, ack);
	if (err)
		return err;
	WRITE_ONCE(svc->action, action);
	if (old != ring) {
		flr_service_detach(fn, svc, old);
		/* readers of the old list must not wander into the new one */
		synchronize_net();
		flr_service_attach(fn, svc, ring);
		rcu_assign_pointer(svc->ring, ring);
		/* a ring without nat cannot keep them */
		if (flr_ring_is_nat(old) && !flr_ring_is_nat(ring))
			flr_nat_end_service(fn, &svc->key);
	}
	flr_hooks_settle(fn);
	flr_changed(fn);
	return 0;
}

/**
 * flr_service_destroy() - take a service out of its namespace and free it
 * @fn: namespace
 * @svc: service
 *
 * Context: under flr_net.lock, or when nothing else uses the namespace.
 */
void flr_service_destroy(struct flr_net *fn, struct flr_service *svc)
{
	flr_service_remove(fn, svc);
	flr_service_detach(fn, svc, rcu_dereference_protected(svc->ring, true));
	xa_erase(&fn->services_by_id, svc->id);
	fn->nservices--;
	call_rcu(&svc->rcu, flr_service_free_rcu);
}

/**
 * flr_service_del() - delete a service, and end the conntrack flows of it
 * @fn: namespace
 * @svc: service
 *
 * Context: under flr_net.lock, may sleep.
 */
void flr_service_del(struct flr_net *fn, struct flr_service *svc)
{
	struct flr_service_key key = svc->key;

	flr_service_destroy(fn, svc);
	flr_nat_end_service(fn, &key);
	flr_hooks_settle(fn);
	flr_changed(fn);
}
