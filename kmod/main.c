// SPDX-License-Identifier: GPL-2.0
/*
 * flowring: consistent hashing of flows to backends in the netfilter path.
 *
 * This file has only the order of things: what a network namespace starts and
 * stops with, and the module itself.
 */

#include <linux/module.h>
#include <linux/netdevice.h>
#include <net/net_namespace.h>
#include <net/netfilter/ipv4/nf_defrag_ipv4.h>
#include <net/netfilter/ipv6/nf_defrag_ipv6.h>
#include <net/netfilter/nf_nat_masquerade.h>
#include <net/netns/generic.h>

#include "flowring.h"
#include "netlink_gen.h"

static unsigned int flr_net_id __read_mostly;

/**
 * flr_net() - what the module keeps of a namespace
 * @net: namespace
 *
 * Return: the state, never NULL.
 */
struct flr_net *flr_net(const struct net *net)
{
	return net_generic(net, flr_net_id);
}

/**
 * flr_changed() - note that the configuration has changed
 * @fn: namespace
 *
 * Context: under flr_net.lock.
 */
void flr_changed(struct flr_net *fn)
{
	lockdep_assert_held(&fn->lock);
	/* zero would mean that the dump does not care */
	if (!++fn->gen)
		fn->gen = 1;
}

static void flr_hooks_stop_steer(struct flr_net *fn)
{
	flr_steer_stop(fn->net);
	nf_defrag_ipv6_disable(fn->net);
	nf_defrag_ipv4_disable(fn->net);
	fn->steer_hooks = false;
}

static int flr_hooks_start_steer(struct flr_net *fn)
{
	int err;

	err = nf_defrag_ipv4_enable(fn->net);
	if (err)
		return err;
	err = nf_defrag_ipv6_enable(fn->net);
	if (err)
		goto err_defrag4;
	err = flr_steer_start(fn->net);
	if (err)
		goto err_defrag6;
	fn->steer_hooks = true;
	return 0;

err_defrag6:
	nf_defrag_ipv6_disable(fn->net);
err_defrag4:
	nf_defrag_ipv4_disable(fn->net);
	return err;
}

/**
 * flr_hooks_settle() - unregister the hooks that are not needed any more
 * @fn: namespace
 *
 * Context: under flr_net.lock, may sleep.
 */
void flr_hooks_settle(struct flr_net *fn)
{
	if (fn->nat_hooks && !fn->nat_services) {
		flr_nat_stop(fn->net);
		fn->nat_hooks = false;
	}
	if (fn->steer_hooks && !fn->nservices)
		flr_hooks_stop_steer(fn);
}

/**
 * flr_hooks_start() - register the hooks that a change will need
 * @fn: namespace
 * @nat: those of nat too
 * @ack: for the reason of a refusal
 *
 * Context: under flr_net.lock, may sleep. When the change fails after all,
 * flr_hooks_settle() takes back what it does not need.
 * Return: 0, or the error of what could not be registered.
 */
int flr_hooks_start(struct flr_net *fn, bool nat, struct netlink_ext_ack *ack)
{
	int err;

	if (!fn->steer_hooks) {
		err = flr_hooks_start_steer(fn);
		if (err) {
			NL_SET_ERR_MSG(ack,
				       "cannot register the steering hooks");
			return err;
		}
	}
	if (nat && !fn->nat_hooks) {
		err = flr_nat_start(fn->net);
		if (err) {
			NL_SET_ERR_MSG(ack,
				       "cannot start conntrack and its NAT hooks");
			flr_hooks_settle(fn);
			return err;
		}
		fn->nat_hooks = true;
	}
	return 0;
}

static int __net_init flr_net_init(struct net *net)
{
	struct flr_net *fn = flr_net(net);
	int err;

	fn->net = net;
	fn->gen = 1;
	mutex_init(&fn->lock);
	xa_init_flags(&fn->rings, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
	xa_init_flags(&fn->services_by_id, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
	fn->rings_by_name = RB_ROOT;
	flr_windows_init(fn);
	err = rhashtable_init(&fn->services, &flr_service_params);
	if (err)
		return err;
	err = rhashtable_init(&fn->ranges, &flr_ranges_params);
	if (err)
		goto err_services;
	err = rhltable_init(&fn->endpoints, &flr_endpoint_params);
	if (err)
		goto err_ranges;
	return 0;

err_ranges:
	rhashtable_destroy(&fn->ranges);
err_services:
	rhashtable_destroy(&fn->services);
	return err;
}

/*
 * The hooks go first; a grace period later, which the caller of these two
 * waits for, no packet can be within them.
 */
static void __net_exit flr_net_pre_exit(struct net *net)
{
	struct flr_net *fn = flr_net(net);

	mutex_lock(&fn->lock);
	/* in a namespace that goes, the connections go with conntrack */
	if (check_net(net))
		flr_nat_end_all(fn);
	if (fn->nat_hooks)
		flr_nat_stop(net);
	fn->nat_hooks = false;
	if (fn->steer_hooks)
		flr_hooks_stop_steer(fn);
	mutex_unlock(&fn->lock);
}

static void __net_exit flr_net_exit(struct net *net)
{
	struct flr_net *fn = flr_net(net);
	struct flr_service *svc;
	struct flr_ring *ring;
	unsigned long id;

	flr_windows_stop(fn);
	mutex_lock(&fn->lock);
	xa_for_each(&fn->services_by_id, id, svc)
		flr_service_destroy(fn, svc);
	xa_for_each(&fn->rings, id, ring)
		flr_ring_destroy(fn, ring);
	mutex_unlock(&fn->lock);
	xa_destroy(&fn->services_by_id);
	xa_destroy(&fn->rings);
	xa_destroy(&fn->targets);
	rhltable_destroy(&fn->endpoints);
	rhashtable_destroy(&fn->ranges);
	rhashtable_destroy(&fn->services);
}

static struct pernet_operations flr_net_ops = {
	.init = flr_net_init,
	.pre_exit = flr_net_pre_exit,
	.exit = flr_net_exit,
	.id = &flr_net_id,
	.size = sizeof(struct flr_net),
};

static int flr_device_event(struct notifier_block *nb, unsigned long event,
			    void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);

	if (event == NETDEV_UNREGISTER)
		flr_routes_forget(flr_net(dev_net(dev)));
	return NOTIFY_DONE;
}

static struct notifier_block flr_device_notifier = {
	.notifier_call = flr_device_event,
};

static int __init flr_init(void)
{
	int err;

	/* device and address changes end masqueraded flows */
	err = nf_nat_masquerade_inet_register_notifiers();
	if (err)
		return err;
	err = register_pernet_subsys(&flr_net_ops);
	if (err)
		goto err_masquerade;
	/* after the namespaces' state, which it uses */
	err = register_netdevice_notifier(&flr_device_notifier);
	if (err)
		goto err_pernet;
	/* last: what comes through it needs all the rest */
	err = genl_register_family(&flowring_nl_family);
	if (err)
		goto err_notifier;
	return 0;

err_notifier:
	unregister_netdevice_notifier(&flr_device_notifier);
err_pernet:
	unregister_pernet_subsys(&flr_net_ops);
err_masquerade:
	nf_nat_masquerade_inet_unregister_notifiers();
	return err;
}

static void __exit flr_exit(void)
{
	genl_unregister_family(&flowring_nl_family);
	unregister_netdevice_notifier(&flr_device_notifier);
	unregister_pernet_subsys(&flr_net_ops);
	nf_nat_masquerade_inet_unregister_notifiers();
	/* services, backends and rings are freed by callbacks in this module */
	rcu_barrier();
}

module_init(flr_init);
module_exit(flr_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("L4 load balancer: consistent hashing in the netfilter path");
MODULE_ALIAS_GENL_FAMILY(FLOWRING_FAMILY_NAME);
