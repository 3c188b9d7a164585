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

/* A table with the backends of the live one, but for the change */
static struct flr_table *flr_table_alloc(const struct flr_ring *ring,
					 const struct flr_change *change)
{
	struct flr_table *old = rcu_dereference_protected(ring->table, true);
	size_t nslots = 1UL << ring->bits;
	struct flr_table *table;
	size_t size;

	size = size_add(struct_size(table, slots, nslots),
			array_size(ring->nids, sizeof(*table->backends) +
					       sizeof(*table->counts)));
	table = kvzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!table)
		return NULL;
	table->key = ring->key;
	table->bits = ring->bits;
	table->nids = ring->nids;
	table->backends = (struct flr_backend **)&table->slots[nslots];
	table->counts = (u32 *)&table->backends[ring->nids];
	if (old)
		memcpy(table->backends, old->backends,
		       array_size(old->nids, sizeof(*table->backends)));
	if (change->id != FLR_NO_OWNER)
		table->backends[change->id] = change->backend;
	return table;
}

/* Tokens that a backend has on the ring now */
static u32 flr_backend_tokens(const struct flr_ring *ring,
			      const struct flr_backend *b)
{
	if (b->state != FLOWRING_STATE_UP)
		return 0;
	return flr_ring_ntokens(ring->vnodes, b->weight);
}

/* Place all tokens and fill the slots of @table from them */
static int flr_table_place(struct flr_table *table, const struct flr_ring *ring,
			   u32 ntokens)
{
	struct flr_token *tokens;
	struct flr_backend *b;
	u32 n = 0, slot;

	/* The second half is room for sorting. An empty ring needs none. */
	tokens = kvmalloc_array(2 * (ntokens ?: 1), sizeof(*tokens),
				GFP_KERNEL_ACCOUNT);
	if (!tokens)
		return -ENOMEM;
	for (b = flr_backend_first(ring); b; b = flr_backend_next(b)) {
		u32 count = flr_backend_tokens(ring, b);

		flr_ring_add(tokens + n, count, &ring->key, b->name,
			     strlen(b->name), b->id);
		n += count;
		cond_resched();
	}
	flr_ring_sort(tokens, tokens + ntokens, n);
	flr_ring_fill(table->slots, table->bits, tokens, n);
	kvfree(tokens);
	table->ntokens = n;
	for (slot = 0; n && slot < 1U << table->bits; slot++)
		table->counts[table->slots[slot]]++;
	return 0;
}

/* Take the slots of the live table over */
static void flr_table_copy(struct flr_table *table, const struct flr_ring *ring)
{
	struct flr_table *old = rcu_dereference_protected(ring->table, true);

	table->ntokens = old->ntokens;
	memcpy(table->slots, old->slots,
	       array_size(1U << old->bits, sizeof(*table->slots)));
	memcpy(table->counts, old->counts,
	       array_size(old->nids, sizeof(*table->counts)));
}

static void flr_table_publish(struct flr_ring *ring, struct flr_table *table)
{
	struct flr_table *old = rcu_dereference_protected(ring->table, true);

	ring->epoch++;
	rcu_assign_pointer(ring->table, table);
	if (old)
		kvfree_rcu(old, rcu);
}

/**
 * flr_ring_rebuild() - make a ring's next table and publish it
 * @ring: ring, its options and backends as they shall be
 * @change: what is new
 * @ack: for the reason of a refusal
 *
 * Context: under flr_net.lock, may sleep.
 * Return: 0; -E2BIG for too many tokens or -ENOMEM, and then the live table
 * goes on serving.
 */
int flr_ring_rebuild(struct flr_ring *ring, const struct flr_change *change,
		     struct netlink_ext_ack *ack)
{
	struct flr_table *table;

	/* All backends count, so that bringing one up never fails for this */
	if (change->ntokens > FLOWRING_MAX_TOKENS) {
		NL_SET_ERR_MSG_FMT(ack, "ring %s would have over %u tokens",
				   ring->name, FLOWRING_MAX_TOKENS);
		return -E2BIG;
	}
	table = flr_table_alloc(ring, change);
	if (!table)
		goto err_nomem;
	if (change->same)
		flr_table_copy(table, ring);
	else if (flr_table_place(table, ring, change->ntokens))
		goto err_free;
	flr_table_publish(ring, table);
	ring->ntokens = change->ntokens;
	return 0;

err_free:
	kvfree(table);
err_nomem:
	NL_SET_ERR_MSG_FMT(ack, "ring %s: no memory for the table",
			   ring->name);
	return -ENOMEM;
}

static u64 flr_ring_count_tokens(const struct flr_ring *ring)
{
	struct flr_backend *b;
	u64 sum = 0;

	for (b = flr_backend_first(ring); b; b = flr_backend_next(b))
		sum += flr_ring_ntokens(ring->vnodes, b->weight);
	return sum;
}

/**
 * flr_ring_new() - add a ring to its namespace
 * @fn: namespace
 * @ring: zeroed, with its name and options; the namespace owns it from now on
 *	when this succeeds
 * @ack: for the reason of a refusal
 *
 * Context: under flr_net.lock, may sleep.
 * Return: 0; -EEXIST, -E2BIG, -ENOMEM.
 */
int flr_ring_new(struct flr_net *fn, struct flr_ring *ring,
		 struct netlink_ext_ack *ack)
{
	const struct flr_change change = { .id = FLR_NO_OWNER };
	int err;

	if (flr_ring_find(fn, ring->name)) {
		NL_SET_ERR_MSG_FMT(ack, "ring %s exists", ring->name);
		return -EEXIST;
	}
	if (fn->nrings >= FLOWRING_MAX_RINGS) {
		NL_SET_ERR_MSG_FMT(ack, "no more than %u rings",
				   FLOWRING_MAX_RINGS);
		return -E2BIG;
	}
	ring->mode = FLR_MODE_NONE;
	ring->by_name = RB_ROOT;
	xa_init_flags(&ring->backends, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
	INIT_LIST_HEAD(&ring->services);
	err = flr_ring_rebuild(ring, &change, ack);
	if (err)
		return err;
	err = xa_alloc(&fn->rings, &ring->id, ring, xa_limit_31b,
		       GFP_KERNEL_ACCOUNT);
	if (err) {
		NL_SET_ERR_MSG_FMT(ack, "ring %s: no memory", ring->name);
		kvfree(flr_ring_table(ring, fn));
		return err;
	}
	rb_add(&ring->node, &fn->rings_by_name, flr_name_less);
	fn->nrings++;
	flr_changed(fn);
	return 0;
}

static int flr_ring_check_masquerade(const struct flr_ring *ring,
				     const struct flr_ring *opt,
				     struct netlink_ext_ack *ack)
{
	if (!opt->masquerade || ring->mode != FLOWRING_MODE_DR)
		return 0;
	NL_SET_ERR_MSG_FMT(ack, "ring %s has dr backends: masquerade needs nat",
			   ring->name);
	return -EINVAL;
}

/**
 * flr_ring_set() - change options of a ring
 * @fn: namespace
 * @ring: ring
 * @opt: the options it shall have
 * @ack: for the reason of a refusal
 *
 * Context: under flr_net.lock, may sleep.
 * Return: 0; -EINVAL, -E2BIG, -ENOMEM, and then nothing has changed.
 */
int flr_ring_set(struct flr_net *fn, struct flr_ring *ring,
		 const struct flr_ring *opt, struct netlink_ext_ack *ack)
{
	struct flr_change change = { .id = FLR_NO_OWNER };
	siphash_key_t key = ring->key;
	u32 vnodes = ring->vnodes;
	u32 bits = ring->bits;
	int err;

	err = flr_ring_check_masquerade(ring, opt, ack);
	if (err)
		return err;
	ring->key = opt->key;
	ring->vnodes = opt->vnodes;
	ring->bits = opt->bits;
	change.ntokens = flr_ring_count_tokens(ring);
	change.same = !memcmp(&key, &opt->key, sizeof(key)) &&
		      vnodes == opt->vnodes && bits == opt->bits;
	err = flr_ring_rebuild(ring, &change, ack);
	if (err) {
		ring->key = key;
		ring->vnodes = vnodes;
		ring->bits = bits;
		return err;
	}
	WRITE_ONCE(ring->no_backend, opt->no_backend);
	WRITE_ONCE(ring->masquerade, opt->masquerade);
	flr_changed(fn);
	return 0;
}

static void flr_ring_free_rcu(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct flr_ring, rcu));
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
	xa_for_each(&ring->backends, id, b)
		flr_backend_destroy(fn, b);
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
 * Return: 0, or -EBUSY when a service points to the ring.
 */
int flr_ring_del(struct flr_net *fn, struct flr_ring *ring,
		 struct netlink_ext_ack *ack)
{
	u32 nservices = ring->nservices[0] + ring->nservices[1];

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
