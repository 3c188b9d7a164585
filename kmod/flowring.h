/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The objects of the module and what its files offer each other.
 *
 * Locks: all configuration of a network namespace is under flr_net.lock. The
 * packet path takes no lock; it reads under RCU what is marked __rcu, what is
 * set before an object is published, and single words with READ_ONCE().
 * Documentation/locking.rst has the whole story.
 */
#ifndef _FLOWRING_H
#define _FLOWRING_H

#include <linux/mutex.h>
#include <linux/netfilter.h>
#include <linux/rbtree.h>
#include <linux/rhashtable.h>
#include <linux/siphash.h>
#include <linux/skbuff.h>
#include <linux/types.h>
#include <linux/xarray.h>
#include <net/dst_cache.h>
#include <net/netlink.h>
#include <uapi/linux/flowring.h>

#include "key.h"
#include "parse.h"
#include "ring.h"
#include "stats.h"

#define FLR_DEFAULT_BITS	16
#define FLR_DEFAULT_VNODES	512
#define FLR_DEFAULT_WEIGHT	100

struct flr_net;
struct genl_info;

/**
 * struct flr_table - what packets read of a ring
 * @rcu: to free it
 * @key: key of the flow hash
 * @bits: there are 2^bits slots
 * @ntokens: tokens that the table was made from
 * @nids: entries in @backends and @counts
 * @backends: backends by id
 * @counts: slots that each owns, by id
 * @slots: id of the owner of each slot, or FLR_NO_OWNER
 *
 * Never changes once published; replaced as a whole.
 */
struct flr_table {
	struct rcu_head rcu;
	siphash_key_t key;
	u32 bits;
	u32 ntokens;
	u32 nids;
	struct flr_backend **backends;
	u32 *counts;
	u16 slots[];
};

/**
 * struct flr_ring - a named set of backends with its slot table
 * @table: what packets read
 * @no_backend: enum flowring_no_backend, read with READ_ONCE()
 * @masquerade: enum flowring_switch, read with READ_ONCE()
 * @mode: enum flowring_mode of the backends, or FLR_MODE_NONE while there are
 *	none, read with READ_ONCE()
 * @services: the services that point here, changed under the lock, RCU list
 * @name: identity
 * @id: index in flr_net.rings
 * @bits: option
 * @vnodes: option
 * @key: option, in the byte order of struct flr_table
 * @epoch: raised by each change
 * @by_name: backends in the order of their names
 * @backends: backends by id
 * @nbackends: how many, by family (0 is IPv4, 1 is IPv6)
 * @nservices: how many, by family
 * @ntokens: tokens of all backends, whatever their state
 * @nids: all ids of backends are below
 * @node: in flr_net.rings_by_name
 * @rcu: to free it
 */
struct flr_ring {
	struct flr_table __rcu *table;
	u8 no_backend;
	u8 masquerade;
	u8 mode;
	struct list_head services;

	char name[FLOWRING_NAME_MAX_LEN + 1];
	u32 id;
	u32 bits;
	u32 vnodes;
	siphash_key_t key;
	u64 epoch;
	struct rb_root by_name;
	struct xarray backends;
	u32 nbackends[2];
	u32 nservices[2];
	u64 ntokens;
	u32 nids;
	struct rb_node node;
	struct rcu_head rcu;
};

#define FLR_MODE_NONE	0xff

/**
 * struct flr_change - what is new in the next table of a ring
 * @id: id of the backend that changes, or FLR_NO_OWNER
 * @backend: what it is from now on, or NULL when it leaves
 * @ntokens: tokens of all backends from now on
 * @same: no token comes, goes or moves
 */
struct flr_change {
	u16 id;
	struct flr_backend *backend;
	u64 ntokens;
	bool same;
};

/**
 * struct flr_backend - a member of a ring
 * @addr: its address
 * @port: the port that nat translates to, 0 for the service's own
 * @family: NFPROTO_IPV4 or NFPROTO_IPV6
 * @mode: enum flowring_mode
 * @stats: counters
 * @dst_cache: route of a dr backend
 * @ring: the ring it belongs to
 * @endpoint: in flr_net.endpoints
 * @name: identity within the ring
 * @id: what slots hold
 * @state: enum flowring_state, read with READ_ONCE()
 * @weight: option
 * @stats_moved: a successor has taken @stats over
 * @node: in flr_ring.by_name
 * @rcu: to free it
 *
 * What packets read, up to @name, never changes once published: a new address
 * makes a new struct that takes over name, id and counters.
 */
struct flr_backend {
	union nf_inet_addr addr;
	__be16 port;
	u8 family;
	u8 mode;
	struct flr_stats __percpu *stats;
	struct dst_cache dst_cache;
	struct flr_ring *ring;
	struct rhlist_head endpoint;
	char name[FLOWRING_NAME_MAX_LEN + 1];

	u16 id;
	u8 state;
	u32 weight;
	bool stats_moved;
	struct rb_node node;
	struct rcu_head rcu;
};

/**
 * struct flr_service_key - what clients connect to
 * @addr: address, unused bytes are zero
 * @port: port
 * @proto: IP protocol
 * @family: NFPROTO_IPV4 or NFPROTO_IPV6
 */
struct flr_service_key {
	union nf_inet_addr addr;
	__be16 port;
	u8 proto;
	u8 family;
};

/**
 * struct flr_service - what clients connect to, and the ring that serves it
 * @hash: in flr_net.services
 * @key: identity
 * @ring: where its flows go
 * @stats: counters
 * @list: in flr_ring.services
 * @id: index in flr_net.services_by_id
 * @rcu: to free it
 */
struct flr_service {
	struct rhash_head hash;
	struct flr_service_key key;
	struct flr_ring __rcu *ring;
	struct flr_stats __percpu *stats;
	struct list_head list;
	u32 id;
	struct rcu_head rcu;
};

/**
 * struct flr_net - all of a network namespace
 * @services: services by key, for packets
 * @endpoints: backends by address
 * @net: the namespace
 * @stopping: no new nat flows, set with WRITE_ONCE()
 * @uncached: the route caches of dr backends must not be touched, set with
 *	WRITE_ONCE()
 * @lock: protects all that follows, and the objects
 * @rings: rings by id
 * @rings_by_name: rings in the order of their names
 * @services_by_id: services by id
 * @nrings: how many
 * @nservices: how many
 * @nat_services: how many of them point to a ring of nat backends
 * @gen: raised by each change, for consistent dumps
 * @steer_hooks: the stateless hooks are registered
 * @nat_hooks: the nat hooks are registered
 */
struct flr_net {
	struct rhashtable services;
	struct rhltable endpoints;
	struct net *net;
	bool stopping;
	bool uncached;

	struct mutex lock; /* protects the configuration */
	struct xarray rings;
	struct rb_root rings_by_name;
	struct xarray services_by_id;
	u32 nrings;
	u32 nservices;
	u32 nat_services;
	u32 gen;
	bool steer_hooks;
	bool nat_hooks;
};

/**
 * struct flr_choice - where a flow goes, and why
 * @svc: the service, or NULL
 * @ring: its ring
 * @table: the table that was read
 * @backend: the owner of the slot, or NULL
 * @hash: position of the flow key
 * @slot: slot of that position
 */
struct flr_choice {
	struct flr_service *svc;
	struct flr_ring *ring;
	const struct flr_table *table;
	struct flr_backend *backend;
	u64 hash;
	u32 slot;
};

/* main.c */
struct flr_net *flr_net(const struct net *net);
int flr_hooks_start(struct flr_net *fn, bool nat, struct netlink_ext_ack *ack);
void flr_hooks_settle(struct flr_net *fn);
void flr_changed(struct flr_net *fn);

/* table.c */
struct flr_ring *flr_ring_find(struct flr_net *fn, const char *name);
int flr_ring_new(struct flr_net *fn, struct flr_ring *ring,
		 struct netlink_ext_ack *ack);
int flr_ring_set(struct flr_net *fn, struct flr_ring *ring,
		 const struct flr_ring *opt, struct netlink_ext_ack *ack);
int flr_ring_del(struct flr_net *fn, struct flr_ring *ring,
		 struct netlink_ext_ack *ack);
void flr_ring_destroy(struct flr_net *fn, struct flr_ring *ring);
int flr_ring_rebuild(struct flr_ring *ring, const struct flr_change *change,
		     struct netlink_ext_ack *ack);
struct flr_table *flr_ring_table(const struct flr_ring *ring,
				 const struct flr_net *fn);

/* backend.c */
struct flr_backend *flr_backend_find(struct flr_ring *ring, const char *name);
struct flr_backend *flr_backend_alloc(const char *name,
				      struct flr_stats __percpu *stats);
int flr_backend_new(struct flr_net *fn, struct flr_ring *ring,
		    struct flr_backend *b, struct netlink_ext_ack *ack);
int flr_backend_set(struct flr_net *fn, struct flr_backend **bp,
		    const struct flr_backend *opt,
		    struct netlink_ext_ack *ack);
int flr_backend_del(struct flr_net *fn, struct flr_backend *b,
		    struct netlink_ext_ack *ack);
void flr_backend_free(struct flr_backend *b);
void flr_backend_destroy(struct flr_net *fn, struct flr_backend *b);

/* service.c */
extern const struct rhashtable_params flr_service_params;
struct flr_service *flr_service_lookup(struct flr_net *fn,
				       const struct flr_key *key);
struct flr_service *flr_service_find(struct flr_net *fn,
				     const struct flr_service_key *key);
struct flr_service *flr_service_alloc(void);
void flr_service_free(struct flr_service *svc);
int flr_service_new(struct flr_net *fn, struct flr_service *svc,
		    struct flr_ring *ring, struct netlink_ext_ack *ack);
int flr_service_set(struct flr_net *fn, struct flr_service *svc,
		    struct flr_ring *ring, struct netlink_ext_ack *ack);
void flr_service_del(struct flr_net *fn, struct flr_service *svc);
void flr_service_destroy(struct flr_net *fn, struct flr_service *svc);
struct flr_ring *flr_service_ring(const struct flr_service *svc,
				  const struct flr_net *fn);

/* steer.c */
int flr_steer_start(struct net *net);
void flr_steer_stop(struct net *net);
bool flr_find(struct flr_net *fn, const struct flr_key *key,
	      struct flr_choice *c);
void flr_pick(struct flr_choice *c, const struct flr_key *key);
void flr_count(const struct flr_choice *c, const struct sk_buff *skb,
	       bool flow);
void flr_drop(const struct flr_choice *c, const struct sk_buff *skb,
	      enum flr_drop reason);
unsigned int flr_no_backend(const struct flr_choice *c, struct sk_buff *skb,
			    const struct nf_hook_state *state);

/* nat.c */
extern const struct rhashtable_params flr_endpoint_params;
int flr_nat_start(struct net *net);
void flr_nat_stop(struct net *net);
void flr_nat_end_backend(struct flr_net *fn, const struct flr_backend *b);
void flr_nat_end_service(struct flr_net *fn, const struct flr_service_key *key);
void flr_nat_end_ring(struct flr_net *fn, const struct flr_ring *ring);
void flr_nat_end_all(struct flr_net *fn);
struct flr_backend *flr_nat_member(struct flr_net *fn,
				   const struct flr_ring *ring,
				   const union nf_inet_addr *addr, __be16 port,
				   const struct flr_key *key);
bool flr_nat_flow(struct flr_net *fn, const struct flr_key *key,
		  union nf_inet_addr *addr, __be16 *port);

/* xmit.c */
int flr_dr_check(struct flr_net *fn, const struct flr_backend *b,
		 struct netlink_ext_ack *ack);
void flr_dr_forget(struct flr_net *fn);
unsigned int flr_dr_xmit(const struct flr_choice *c, struct sk_buff *skb,
			 bool flow, const struct nf_hook_state *state);

/**
 * flr_backend_first() - first backend of a ring in the order of their names
 * @ring: ring
 *
 * Context: under flr_net.lock.
 * Return: the backend, or NULL.
 */
static inline struct flr_backend *flr_backend_first(const struct flr_ring *ring)
{
	return rb_entry_safe(rb_first(&ring->by_name), struct flr_backend,
			     node);
}

/**
 * flr_backend_next() - next backend of a ring in the order of their names
 * @b: backend
 *
 * Context: under flr_net.lock.
 * Return: the backend, or NULL.
 */
static inline struct flr_backend *flr_backend_next(const struct flr_backend *b)
{
	return rb_entry_safe(rb_next(&b->node), struct flr_backend, node);
}

/**
 * flr_family() - index of a family in the counts of a ring
 * @family: NFPROTO_IPV4 or NFPROTO_IPV6
 *
 * Return: 0 or 1.
 */
static inline int flr_family(u8 family)
{
	return family == NFPROTO_IPV6;
}

/**
 * flr_family_name() - name of a family in messages
 * @family: NFPROTO_IPV4 or NFPROTO_IPV6
 *
 * Return: the name.
 */
static inline const char *flr_family_name(u8 family)
{
	return family == NFPROTO_IPV6 ? "IPv6" : "IPv4";
}

#endif /* _FLOWRING_H */
