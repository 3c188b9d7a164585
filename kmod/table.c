// SPDX-License-Identifier: GPL-2.0
/*
 * Rings as objects, and the making and publishing of their slot tables.
 *
 * All of it runs in process context under flr_net.lock. A table is built
 * beside the live one and published with one pointer; whatever fails on the
 * way leaves the live one serving.
 */

#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "flowring.h"

/* There are 2^8 slots at the least, so the pointers behind them are aligned */
static_assert(offsetof(struct flr_table, slots) % sizeof(void *) == 0);

static bool flr_name_less(struct rb_node *a, const struct rb_node *b)
{
	return strcmp(rb_entry(a, struct flr_ring, node)->name,
		      rb_entry(b, struct flr_ring, node)->name) < 0;
}

static int flr_name_cmp(const void *name, const struct rb_node *node)
{
	return strcmp(name, rb_entry(node, struct flr_ring, node)->name);
}

/**
 * flr_ring_find() - find a ring by its name
 * @fn: namespace
 * @name: name
 *
 * Context: under flr_net.lock.
 * Return: the ring, or NULL.
 */
struct flr_ring *flr_ring_find(struct flr_net *fn, const char *name)
{
	struct rb_node *node;

	lockdep_assert_held(&fn->lock);
	node = rb_find(name, &fn->rings_by_name, flr_name_cmp);
	return node ? rb_entry(node, struct flr_ring, node) : NULL;
}

/**
 * flr_ring_table() - live table of a ring, for its configuration
 * @ring: ring
 * @fn: namespace
 *
 * Context: under flr_net.lock.
 * Return: the table.
 */
struct flr_table *flr_ring_table(const struct flr_ring *ring,
				 const struct flr_net *fn)
{
	return rcu_dereference_protected(ring->table,
					 lockdep_is_held(&fn->lock));
}

/**
 * flr_ring_members() - see the backends of a ring as its placement sees them
 * @ring: ring
 * @m: gets them, in the order of their names
 *
 * Context: under flr_net.lock. What @m points to stays the backends'.
 * Return: how many there are.
 */
u32 flr_ring_members(const struct flr_ring *ring, struct flr_member *m)
{
	struct flr_backend *b;
	u32 n = 0;

	for (b = flr_backend_first(ring); b; b = flr_backend_next(b)) {
		m[n] = (struct flr_member){
			.name = b->name,
			.zone = b->zone,
			.tokens = b->tokens,
			.ntokens = b->ntokens,
			.weight = b->weight,
			.id = b->id,
			.up = b->state == FLOWRING_STATE_UP,
			.mode = b->mode,
			.state = b->state,
			.ipv6 = b->family == NFPROTO_IPV6,
			.checksum = b->mode == FLOWRING_MODE_GUE && b->checksum,
			.mark = b->mark,
			.port = ntohs(b->port),
		};
		memcpy(m[n].addr, &b->addr, m[n].ipv6 ? sizeof(b->addr.in6) :
							sizeof(b->addr.ip));
		n++;
	}
	return n;
}

static struct flr_table *flr_table_alloc(const struct flr_options *opt,
					 u32 nids)
{
	size_t nslots = 1UL << opt->bits;
	struct flr_table *table;
	size_t size;

	size = size_add(struct_size(table, slots, nslots),
			array_size(nids, sizeof(*table->backends) +
					 sizeof(*table->counts) +
					 sizeof(*table->caps) +
					 sizeof(*table->targets)));
	table = kvzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!table)
		return NULL;
	table->key = opt->key;
	table->bits = opt->bits;
	table->nids = nids;
	table->backends = (struct flr_backend **)&table->slots[nslots];
	table->counts = (u32 *)&table->backends[nids];
	table->caps = &table->counts[nids];
	table->targets = &table->caps[nids];
	return table;
}

/* Place the slots of @table anew */
static int flr_table_place(struct flr_table *table,
			   const struct flr_options *opt,
			   const struct flr_member *m, u32 n)
{
	struct flr_place p = {
		.slots = table->slots,
		.counts = table->counts,
		.caps = table->caps,
		.nids = table->nids,
	};
	u32 total = flr_ring_total(opt, m, n);

	/* The second half is room for sorting. An empty ring needs none. */
	p.tokens = kvmalloc_array(2 * (total ?: 1), sizeof(*p.tokens),
				  GFP_KERNEL_ACCOUNT);
	if (!p.tokens)
		return -ENOMEM;
	if (opt->imbalance) {
		p.links = kvmalloc_array(2UL << opt->bits, sizeof(*p.links),
					 GFP_KERNEL_ACCOUNT);
		if (!p.links) {
			kvfree(p.tokens);
			return -ENOMEM;
		}
	}
	flr_ring_place(&p, opt, m, n);
	kvfree(p.links);
	kvfree(p.tokens);
	table->ntokens = total;
	return 0;
}

/* Take the slots of another table over */
static void flr_table_copy(struct flr_table *table,
			   const struct flr_table *from)
{
	table->ntokens = from->ntokens;
	memcpy(table->slots, from->slots,
	       array_size(1U << from->bits, sizeof(*table->slots)));
	memcpy(table->counts, from->counts,
	       array_size(from->nids, sizeof(*table->counts)));
	memcpy(table->caps, from->caps,
	       array_size(from->nids, sizeof(*table->caps)));
}

/**
 * flr_table_build() - make the next table of a ring
 * @ring: ring, its backends as they shall be
 * @opt: options that it shall have
 * @nids: all ids of backends are below
 * @nbackends: how many backends there are
 * @same: a table that has the same slots, or NULL
 *
 * Context: under flr_net.lock, may sleep.
 * Return: the table, to be freed with kvfree(), or NULL when there was no
 * memory.
 */
struct flr_table *flr_table_build(const struct flr_ring *ring,
				  const struct flr_options *opt, u32 nids,
				  u32 nbackends, const struct flr_table *same)
{
	struct flr_table *table = NULL;
	struct flr_backend *b;
	struct flr_member *m;
	u32 n;

	m = kvmalloc_array(nbackends ?: 1, sizeof(*m), GFP_KERNEL_ACCOUNT);
	if (!m)
		return NULL;
	n = flr_ring_members(ring, m);
	table = flr_table_alloc(opt, nids);
	if (!table)
		goto out;
	if (same) {
		flr_table_copy(table, same);
	} else if (flr_table_place(table, opt, m, n)) {
		kvfree(table);
		table = NULL;
		goto out;
	}
	for (b = flr_backend_first(ring); b; b = flr_backend_next(b))
		table->backends[b->id] = b;
	table->fingerprint = flr_ring_fingerprint(opt, m, n);
out:
	kvfree(m);
	return table;
}

/**
 * flr_ring_alloc() - make a ring that belongs to no namespace yet
 * @name: its name
 *
 * Context: process context, may sleep.
 * Return: the ring, with default options and a random key and no table, or
 * NULL.
 */
struct flr_ring *flr_ring_alloc(const char *name)
{
	struct flr_ring *ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);

	if (!ring)
		return NULL;
	strscpy(ring->name, name);
	ring->opt.bits = FLR_DEFAULT_BITS;
	ring->opt.vnodes = FLR_DEFAULT_VNODES;
	ring->opt.imbalance = FLR_DEFAULT_IMBALANCE;
	ring->opt.window = FLR_DEFAULT_WINDOW;
	ring->opt.pin_idle = FLR_DEFAULT_PIN_IDLE;
	get_random_bytes(&ring->opt.key, sizeof(ring->opt.key));
	ring->kind = FLR_KIND_NONE;
	ring->by_name = RB_ROOT;
	xa_init_flags(&ring->backends, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
	INIT_LIST_HEAD(&ring->services);
	return ring;
}

/**
 * flr_ring_free() - free a ring that has never been in a namespace
 * @ring: ring without backends
 */
void flr_ring_free(struct flr_ring *ring)
{
	xa_destroy(&ring->backends);
	/* packets may have met its backends among the endpoints */
	kfree_rcu(ring, rcu);
}

/**
 * flr_ring_insert() - put a ring into its namespace
 * @fn: namespace
 * @ring: ring, its table published and its id taken in flr_net.rings
 *
 * Context: under flr_net.lock.
 */
void flr_ring_insert(struct flr_net *fn, struct flr_ring *ring)
{
	/* replaces what holds the place, so it needs no memory */
	xa_store(&fn->rings, ring->id, ring, GFP_KERNEL);
	rb_add(&ring->node, &fn->rings_by_name, flr_name_less);
	fn->nrings++;
}

static void flr_ring_free_rcu(struct rcu_head *rcu)
{
	struct flr_ring *ring = container_of(rcu, struct flr_ring, rcu);

	free_percpu(ring->drain.stats);
	kfree(ring);
}

/**
 * flr_ring_destroy() - free a ring and its backends
 * @fn: namespace
 * @ring: a ring that no service points to
 *
 * Context: under flr_net.lock, or when nothing else uses the namespace.
 */
void flr_ring_destroy(struct flr_net *fn, struct flr_ring *ring)
{
	struct flr_backend *b;
	unsigned long id;

	xa_erase(&fn->rings, ring->id);
	rb_erase(&ring->node, &fn->rings_by_name);
	fn->nrings--;
	xa_for_each(&ring->backends, id, b) {
		flr_target_drop(fn, b);
		flr_backend_drop(fn, b);
	}
	flr_window_drop(fn, ring);
	xa_destroy(&ring->backends);
	kvfree_rcu(flr_ring_table(ring, fn), rcu);
	call_rcu(&ring->rcu, flr_ring_free_rcu);
}

/**
 * flr_ring_del() - delete a ring with its backends
 * @fn: namespace
 * @ring: ring
 * @ack: for the reason of a refusal
 *
 * Context: under flr_net.lock, may sleep.
 * Return: 0, or -EBUSY when the ring is frozen or a service points to it.
 */
int flr_ring_del(struct flr_net *fn, struct flr_ring *ring,
		 struct netlink_ext_ack *ack)
{
	u32 nservices = ring->nservices[0] + ring->nservices[1];

	if (ring->frozen) {
		NL_SET_ERR_MSG_FMT(ack, "ring %s is frozen", ring->name);
		return -EBUSY;
	}
	if (nservices) {
		NL_SET_ERR_MSG_FMT(ack, "ring %s is used by %u service(s)",
				   ring->name, nservices);
		return -EBUSY;
	}
	/* services that point elsewhere by now may have left connections */
	flr_nat_end_ring(fn, ring);
	flr_ring_destroy(fn, ring);
	flr_changed(fn);
	return 0;
}
