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
#include "window.h"

#define FLR_DEFAULT_BITS	16
#define FLR_DEFAULT_VNODES	512
#define FLR_DEFAULT_IMBALANCE	5
#define FLR_DEFAULT_WEIGHT	100
#define FLR_DEFAULT_WINDOW	300
#define FLR_DEFAULT_PIN_IDLE	900

struct flr_edit;
struct flr_net;
struct nf_conn;
struct flr_tx;
struct genl_info;

/**
 * struct flr_table - what packets read of a ring
 * @rcu: to free it
 * @window: what its slots remember, or NULL; changes under the lock
 * @key: key of the flow hash
 * @bits: there are 2^bits slots
 * @ntokens: tokens that the table was made from
 * @nids: entries in @backends, @counts and @caps
 * @fingerprint: digest of all that decides where a packet goes
 * @backends: backends by id
 * @counts: slots that each owns, by id
 * @caps: slots that each may own at most, by id
 * @targets: what each is for pins, by id
 * @slots: id of the owner of each slot, or FLR_NO_OWNER
 *
 * Never changes once published, but for @window; replaced as a whole.
 */
struct flr_table {
	struct rcu_head rcu;
	struct flr_window __rcu *window;
	siphash_key_t key;
	u32 bits;
	u32 ntokens;
	u32 nids;
	u64 fingerprint;
	struct flr_backend **backends;
	u32 *counts;
	u32 *caps;
	u32 *targets;
	u16 slots[];
};

/**
 * struct flr_drain - the window of a ring, as its configuration sees it
 * @list: in flr_net.drains while there is a window
 * @state: enum flowring_window_state
 * @swept: pins that are not needed have been removed since it was closed
 * @until: jiffies at which an open window closes
 * @next_tick: jiffies at which the pins of the ring age
 * @grace: nobody makes pins any more when this grace period is over
 * @next: the window that a sweep makes, or NULL
 * @pins: pins at the last count
 * @idle: pins of flows that went quiet
 * @forgotten: slots that forgot an owner
 * @stats: counters of packets, or NULL before the first window
 */
struct flr_drain {
	struct list_head list;
	u8 state;
	bool swept;
	unsigned long until;
	unsigned long next_tick;
	unsigned long grace;
	struct flr_window *next;
	u32 pins;
	u64 idle;
	u64 forgotten;
	struct flr_window_stats __percpu *stats;
};

/**
 * enum flr_kind - what the modes of the backends of a ring have in common
 * @FLR_KIND_NONE: there are none
 * @FLR_KIND_NAT: nat, and conntrack keeps the flows
 * @FLR_KIND_STATELESS: any of the others, which may be mixed
 */
enum flr_kind {
	FLR_KIND_NONE,
	FLR_KIND_NAT,
	FLR_KIND_STATELESS,
};

/**
 * struct flr_ring - a named set of backends with its slot table
 * @table: what packets read
 * @opt: options; packets read some of them, with READ_ONCE()
 * @kind: enum flr_kind of the backends, read with READ_ONCE()
 * @services: the services that point here, changed under the lock, RCU list
 * @drain: its window
 * @frozen: changes are refused
 * @name: identity
 * @id: index in flr_net.rings
 * @owner: tag of the controller that made it
 * @epoch: raised by each change
 * @by_name: backends in the order of their names
 * @backends: backends by id
 * @nbackends: how many
 * @nbound: how many serve their own family only: IPv4, IPv6
 * @nservices: how many, by family
 * @nmarks: how many of them are of a mark
 * @ntokens: tokens of all backends, whatever their state
 * @nids: all ids of backends are below
 * @node: in flr_net.rings_by_name
 * @rcu: to free it
 */
struct flr_ring {
	struct flr_table __rcu *table;
	struct flr_options opt;
	u8 kind;
	struct list_head services;

	struct flr_drain drain;
	bool frozen;
	char name[FLOWRING_NAME_MAX_LEN + 1];
	char owner[FLOWRING_NAME_MAX_LEN + 1];
	u32 id;
	u64 epoch;
	struct rb_root by_name;
	struct xarray backends;
	u32 nbackends;
	u32 nbound[2];
	u32 nservices[2];
	u32 nmarks;
	u64 ntokens;
	u32 nids;
	struct rb_node node;
	struct rcu_head rcu;
};

/**
 * struct flr_backend - a member of a ring
 * @addr: its address
 * @port: the port that nat translates to, 0 for the service's own; that of a
 *	gue tunnel
 * @family: NFPROTO_IPV4 or NFPROTO_IPV6
 * @mode: enum flowring_mode
 * @stats: counters
 * @dst_cache: route of a backend that packets are sent to
 * @mark: firewall mark of a mark backend
 * @checksum: a gue tunnel has UDP checksums
 * @ring: the ring it belongs to
 * @endpoint: in flr_net.endpoints
 * @name: identity within the ring
 * @id: what slots hold
 * @state: enum flowring_state, read with READ_ONCE()
 * @target: what pins hold, an index in flr_net.targets, or FLR_NO_TARGET
 * @gone: a commit takes @target away
 * @remembered: slots that remember it and have another owner
 * @pins: flows that were pinned to it at the last count
 * @flows: flows that conntrack knew to it at the last count
 * @flows_left: jiffies until the last of these times out
 * @ending: the connections to it are being ended, read with READ_ONCE()
 * @weight: option
 * @zone: option, "" for none
 * @tokens: explicit tokens, ascending, or NULL for derived ones
 * @ntokens: how many are in @tokens
 * @stats_moved: @stats belong to a predecessor or a successor
 * @edit: what a commit that is not done yet does to it, for a new one
 * @node: in flr_ring.by_name
 * @rcu: to free it
 *
 * Never changes once published, but for @state and @ending: every change makes
 * a new struct that takes over name, id and counters.
 */
struct flr_backend {
	union nf_inet_addr addr;
	__be16 port;
	u8 family;
	u8 mode;
	struct flr_stats __percpu *stats;
	struct dst_cache dst_cache;
	u32 mark;
	bool checksum;
	struct flr_ring *ring;
	struct rhlist_head endpoint;
	char name[FLOWRING_NAME_MAX_LEN + 1];

	u16 id;
	u8 state;
	bool gone;
	bool ending;
	bool stats_moved;
	u32 target;
	u32 remembered;
	u32 pins;
	u32 flows;
	u32 flows_left;
	u32 weight;
	char zone[FLOWRING_NAME_MAX_LEN + 1];
	u64 *tokens;
	u32 ntokens;
	struct flr_edit *edit;
	struct rb_node node;
	struct rcu_head rcu;
};

/**
 * struct flr_service_key - what clients connect to
 * @addr: address, unused bytes and the bits behind @prefix are zero
 * @port: first port, 0 for all
 * @port_end: last port, 65535 for all
 * @mark: firewall mark, and then all others but @family are zero
 * @proto: IP protocol, 0 for any
 * @family: NFPROTO_IPV4 or NFPROTO_IPV6
 * @prefix: bits of the address that count
 * @unused: zero
 */
struct flr_service_key {
	union nf_inet_addr addr;
	__be16 port;
	__be16 port_end;
	u32 mark;
	u8 proto;
	u8 family;
	u8 prefix;
	u8 unused;
};

/* Lengths of prefixes: 128 down to 0 */
#define FLR_LENGTHS	129

/**
 * struct flr_service - what clients connect to, and the ring that serves it
 * @hash: in flr_net.services
 * @key: identity
 * @ring: where its flows go, or NULL
 * @action: enum flowring_action when @ring is NULL, read with READ_ONCE()
 * @stats: counters
 * @list: in flr_ring.services
 * @owner: tag of the controller that made it
 * @id: index in flr_net.services_by_id
 * @rcu: to free it
 */
struct flr_service {
	struct rhash_head hash;
	struct flr_service_key key;
	struct flr_ring __rcu *ring;
	u8 action;
	struct flr_stats __percpu *stats;
	struct list_head list;
	char owner[FLOWRING_NAME_MAX_LEN + 1];
	u32 id;
	struct rcu_head rcu;
};

/**
 * struct flr_net - all of a network namespace
 * @services: services by key, for packets
 * @ranges: ranges of ports by address, for packets
 * @lengths: lengths of prefixes in use by family, longest first; bit 0 is 128
 * @kinds: kinds of services by family and length, read with READ_ONCE()
 * @nwide: services that are not of one host and port, read with READ_ONCE()
 * @endpoints: backends by address
 * @targets: backends by target, for pins; a value where one is gone whose pins
 *	may still be there, changed under the lock
 * @net: the namespace
 * @stopping: no new nat flows, set with WRITE_ONCE()
 * @uncached: the route caches of backends must not be touched, set with
 *	WRITE_ONCE()
 * @lock: protects all that follows, and the objects
 * @rings: rings by id
 * @rings_by_name: rings in the order of their names
 * @services_by_id: services by id
 * @nrings: how many
 * @nservices: how many
 * @nat_services: how many of them point to a ring of nat backends
 * @nkinds: services by family, length and kind
 * @gen: raised by each change, for consistent dumps
 * @steer_hooks: the stateless hooks are registered
 * @nat_hooks: the nat hooks are registered
 * @drains: rings that have a window
 * @pins: pins of all rings, or NULL while no ring has a window
 * @pins_size: pins that the next table has room for
 * @counted: jiffies of the last count of pins
 * @flows_counted: jiffies of the last count of nat flows
 * @gone: there are values in @targets
 * @gone_grace: nobody pins to them any more when this grace period is over
 * @work: closes windows and sweeps pins
 */
struct flr_net {
	struct rhashtable services;
	struct rhashtable ranges;
	DECLARE_BITMAP(lengths[2], FLR_LENGTHS);
	u8 kinds[2][FLR_LENGTHS];
	u32 nwide;
	struct rhltable endpoints;
	struct xarray targets;
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
	u32 nkinds[2][FLR_LENGTHS][4];
	u32 gen;
	bool steer_hooks;
	bool nat_hooks;

	struct list_head drains;
	struct flr_pins *pins;
	u32 pins_size;
	unsigned long counted;
	unsigned long flows_counted;
	bool gone;
	unsigned long gone_grace;
	struct delayed_work work;
};

/**
 * struct flr_route - the way to a backend
 * @dst: route, or NULL
 * @saddr: source address of a tunnel
 * @reason: why there is no route
 */
struct flr_route {
	struct dst_entry *dst;
	union nf_inet_addr saddr;
	enum flr_drop reason;
};

/**
 * struct flr_choice - where a flow goes, and why
 * @svc: the service, or NULL
 * @ring: its ring, or NULL when it has an action
 * @table: the table that was read
 * @backend: where it goes, or NULL
 * @hash: position of the flow key
 * @slot: slot of that position
 * @why: enum flr_why
 */
struct flr_choice {
	struct flr_service *svc;
	struct flr_ring *ring;
	const struct flr_table *table;
	struct flr_backend *backend;
	u64 hash;
	u32 slot;
	u8 why;
};

/**
 * struct flr_edit - what a commit does to one backend
 * @list: in flr_tx.edits, in the order of the changes
 * @old: the backend that goes, or NULL
 * @new: the one that comes or takes its place, or NULL
 * @attr: the change in the request, or NULL
 * @inserted: @new is in flr_net.endpoints
 * @allocated: the target of @new is its own, not that of @old
 */
struct flr_edit {
	struct list_head list;
	struct flr_backend *old;
	struct flr_backend *new;
	const struct nlattr *attr;
	bool inserted;
	bool allocated;
};

/**
 * struct flr_tx - a commit: changes to a ring that are made as one
 * @fn: namespace
 * @ring: ring, not in its namespace yet when @is_new
 * @ack: for the reason of a refusal
 * @is_new: the commit makes the ring
 * @opt: options that the ring shall have
 * @owner: tag that it shall have
 * @ring_set: options of the ring are among the changes
 * @changes: number of changes
 * @attr: the change that is being staged, to blame it later
 * @edits: what happens to backends
 * @max_move: slots that may move, or U32_MAX
 * @max_share: share that no backend may be raised above, or U32_MAX
 * @epoch_before: epoch before it
 * @fingerprint_before: fingerprint before it, unless @is_new
 * @epoch: epoch after it, the next one by default
 * @nids: all ids are below
 * @nbackends: how many backends there will be
 * @nbound: how many of them serve their own family only, by family
 * @ntokens: tokens of all backends, whatever their state
 * @kind: kind of the ring
 * @table: the next table
 * @window: its window, or NULL
 * @moves: a slot has another owner than before
 * @opens: the window is in another state than before
 * @total: slots of the larger of both tables
 * @moved: slots that move, of @total
 * @least: slots that have to move, of @total
 */
struct flr_tx {
	struct flr_net *fn;
	struct flr_ring *ring;
	struct netlink_ext_ack *ack;
	bool is_new;
	struct flr_options opt;
	char owner[FLOWRING_NAME_MAX_LEN + 1];
	bool ring_set;
	u32 changes;
	const struct nlattr *attr;
	struct list_head edits;
	u32 max_move;
	u32 max_share;
	u64 epoch_before;
	u64 fingerprint_before;
	u64 epoch;
	u32 nids;
	u32 nbackends;
	u32 nbound[2];
	u64 ntokens;
	u8 kind;
	struct flr_table *table;
	struct flr_window *window;
	bool moves;
	bool opens;
	u32 total;
	u32 moved;
	u32 least;
};

/* main.c */
struct flr_net *flr_net(const struct net *net);
int flr_hooks_start(struct flr_net *fn, bool nat, struct netlink_ext_ack *ack);
void flr_hooks_settle(struct flr_net *fn);
void flr_changed(struct flr_net *fn);

/* table.c */
struct flr_ring *flr_ring_find(struct flr_net *fn, const char *name);
struct flr_ring *flr_ring_alloc(const char *name);
void flr_ring_free(struct flr_ring *ring);
void flr_ring_insert(struct flr_net *fn, struct flr_ring *ring);
int flr_ring_del(struct flr_net *fn, struct flr_ring *ring,
		 struct netlink_ext_ack *ack);
void flr_ring_destroy(struct flr_net *fn, struct flr_ring *ring);
struct flr_table *flr_ring_table(const struct flr_ring *ring,
				 const struct flr_net *fn);
struct flr_table *flr_table_build(const struct flr_ring *ring,
				  const struct flr_options *opt, u32 nids,
				  u32 nbackends, const struct flr_table *same);
u32 flr_ring_members(const struct flr_ring *ring, struct flr_member *m);

/* backend.c */
struct flr_backend *flr_backend_find(const struct flr_ring *ring,
				     const char *name);
struct flr_backend *flr_backend_alloc(const char *name,
				      struct flr_stats __percpu *stats);
struct flr_backend *flr_backend_clone(const struct flr_backend *b);
bool flr_backend_less(struct rb_node *a, const struct rb_node *b);
u32 flr_backend_ntokens(const struct flr_options *opt,
			const struct flr_backend *b);
int flr_backend_check(struct flr_net *fn, const struct flr_ring *ring,
		      const struct flr_options *opt,
		      const struct flr_backend *b, struct netlink_ext_ack *ack);
void flr_backend_free(struct flr_backend *b);
void flr_backend_drop(struct flr_net *fn, struct flr_backend *b);

/* commit.c */
void flr_tx_begin(struct flr_tx *tx, struct flr_net *fn, struct flr_ring *ring,
		  struct netlink_ext_ack *ack);
int flr_tx_add(struct flr_tx *tx, struct flr_backend *b);
int flr_tx_set(struct flr_tx *tx, struct flr_backend *cur,
	       struct flr_backend *b);
int flr_tx_del(struct flr_tx *tx, struct flr_backend *cur);
int flr_tx_prepare(struct flr_tx *tx);
int flr_tx_ready(struct flr_tx *tx);
void flr_tx_commit(struct flr_tx *tx);
void flr_tx_finish(struct flr_tx *tx);
void flr_tx_abort(struct flr_tx *tx);

/* commit_check.c */
int flr_tx_check_epoch(struct flr_tx *tx);
bool flr_edit_moves(const struct flr_edit *edit);
bool flr_tx_new_key(const struct flr_tx *tx);
int flr_tx_check(struct flr_tx *tx);
bool flr_tx_is_same(const struct flr_tx *tx);
int flr_tx_check_limits(struct flr_tx *tx);

/* windows.c */
void flr_windows_init(struct flr_net *fn);
void flr_windows_stop(struct flr_net *fn);
void flr_windows_sweep(struct flr_net *fn);
void flr_pins_count(struct flr_net *fn);
struct flr_window *flr_ring_window(const struct flr_ring *ring,
				   const struct flr_net *fn);
unsigned long flr_window_left(const struct flr_ring *ring);
int flr_window_shut(struct flr_net *fn, struct flr_ring *ring);
void flr_window_drop(struct flr_net *fn, struct flr_ring *ring);
int flr_tx_window(struct flr_tx *tx);
void flr_tx_window_commit(struct flr_tx *tx, struct flr_window *old);
void flr_tx_window_abort(struct flr_tx *tx);

/* targets.c */
int flr_tx_targets(struct flr_tx *tx);
void flr_tx_targets_commit(struct flr_tx *tx);
void flr_tx_targets_abort(struct flr_tx *tx);
void flr_target_drop(struct flr_net *fn, const struct flr_backend *b);
struct flr_backend *flr_target_backend(struct flr_net *fn, u32 target);
void flr_targets_reuse(struct flr_net *fn);

/* service_table.c */
extern const struct rhashtable_params flr_service_params;
extern const struct rhashtable_params flr_ranges_params;
struct flr_service *flr_service_lookup(struct flr_net *fn,
				       const struct flr_key *key, u32 mark);
u32 flr_service_rank(const struct flr_service_key *key);
void flr_service_mask(union nf_inet_addr *addr, u8 family, u8 prefix);
int flr_service_insert(struct flr_net *fn, struct flr_service *svc,
		       struct netlink_ext_ack *ack);
void flr_service_remove(struct flr_net *fn, struct flr_service *svc);

/* service.c */
struct flr_service *flr_service_find(struct flr_net *fn,
				     const struct flr_service_key *key);
struct flr_service *flr_service_alloc(void);
void flr_service_free(struct flr_service *svc);
int flr_service_new(struct flr_net *fn, struct flr_service *svc,
		    struct flr_ring *ring, struct netlink_ext_ack *ack);
int flr_service_set(struct flr_net *fn, struct flr_service *svc,
		    struct flr_ring *ring, u8 action,
		    struct netlink_ext_ack *ack);
void flr_service_del(struct flr_net *fn, struct flr_service *svc);
void flr_service_destroy(struct flr_net *fn, struct flr_service *svc);
struct flr_ring *flr_service_ring(const struct flr_service *svc,
				  const struct flr_net *fn);

/* steer.c */
int flr_steer_start(struct net *net);
void flr_steer_stop(struct net *net);
bool flr_find(struct flr_net *fn, const struct flr_key *key, u32 mark,
	      struct flr_choice *c);
void flr_pick(struct flr_choice *c, const struct flr_key *key);
void flr_pick_flow(struct flr_net *fn, struct flr_choice *c,
		   const struct flr_packet *pkt);
void flr_count(const struct flr_choice *c, const struct sk_buff *skb,
	       unsigned int len, bool flow);
void flr_drop(const struct flr_choice *c, const struct sk_buff *skb,
	      enum flr_drop reason);
unsigned int flr_no_backend(const struct flr_choice *c, struct sk_buff *skb,
			    u8 proto, const struct nf_hook_state *state);

/* nat.c */
extern const struct rhashtable_params flr_endpoint_params;
int flr_nat_start(struct net *net);
void flr_nat_stop(struct net *net);
void flr_nat_key(const struct nf_conn *ct, struct flr_key *key);
__be16 flr_nat_endpoint(const struct nf_conn *ct, union nf_inet_addr *addr);
struct flr_backend *flr_nat_member(struct flr_net *fn,
				   const struct flr_ring *ring,
				   const union nf_inet_addr *addr, __be16 port,
				   const struct flr_key *key);

/* nat_flows.c */
void flr_nat_end_backends(struct flr_net *fn);
void flr_nat_end_service(struct flr_net *fn, const struct flr_service_key *key);
void flr_nat_end_ring(struct flr_net *fn, const struct flr_ring *ring);
void flr_nat_end_all(struct flr_net *fn);
void flr_nat_count(struct flr_net *fn);
bool flr_nat_flow(struct flr_net *fn, const struct flr_key *key,
		  union nf_inet_addr *addr, __be16 *port);

/* route.c */
struct flr_route flr_route_get(struct net *net, struct flr_backend *b);
int flr_route_check(struct flr_net *fn, const struct flr_backend *b,
		    struct netlink_ext_ack *ack);
void flr_routes_forget(struct flr_net *fn);

/* tunnel.c */
u32 flr_tunnel_overhead(const struct flr_backend *b);
bool flr_tunnel_fits(const struct flr_backend *b, const struct sk_buff *skb,
		     const struct flr_route *r, u8 family, u32 *mtu);
int flr_tunnel_build(const struct flr_choice *c, struct sk_buff *skb,
		     const struct flr_route *r, u8 family);

/* pmtu.c */
void flr_pmtu(struct flr_net *fn, struct sk_buff *skb, u8 family);

/* xmit.c */
unsigned int flr_xmit(const struct flr_choice *c, struct sk_buff *skb,
		      bool flow, const struct nf_hook_state *state);
unsigned int flr_mark(const struct flr_choice *c, struct sk_buff *skb,
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
 * flr_backend_kind() - kind of a ring that a backend can be in
 * @b: backend
 *
 * Return: the kind.
 */
static inline enum flr_kind flr_backend_kind(const struct flr_backend *b)
{
	return b->mode == FLOWRING_MODE_NAT ? FLR_KIND_NAT :
					      FLR_KIND_STATELESS;
}

/**
 * flr_backend_is_bound() - see whether a backend serves its own family only
 * @b: backend
 *
 * Return: whether it cannot get packets of the other one.
 */
static inline bool flr_backend_is_bound(const struct flr_backend *b)
{
	return b->mode == FLOWRING_MODE_NAT || b->mode == FLOWRING_MODE_DR;
}

/**
 * flr_backend_is_tunnel() - see whether packets travel to a backend in others
 * @b: backend
 *
 * Return: whether they do.
 */
static inline bool flr_backend_is_tunnel(const struct flr_backend *b)
{
	return b->mode == FLOWRING_MODE_IPIP || b->mode == FLOWRING_MODE_GUE;
}

/**
 * flr_backend_is_at() - see whether two backends are one endpoint
 * @a: one
 * @b: the other
 *
 * Return: whether packets to both go to the same place.
 */
static inline bool flr_backend_is_at(const struct flr_backend *a,
				     const struct flr_backend *b)
{
	return a->port == b->port && a->mark == b->mark &&
	       nf_inet_addr_cmp(&a->addr, &b->addr);
}

/**
 * flr_backend_port() - port that a backend gets a flow on
 * @b: backend
 * @key: flow key
 *
 * Return: the port, 0 for a protocol without ports.
 */
static inline __be16 flr_backend_port(const struct flr_backend *b,
				      const struct flr_key *key)
{
	if (!flr_proto_has_ports(key->proto))
		return 0;
	return b->port ?: key->dport;
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
