// SPDX-License-Identifier: GPL-2.0
/* Slot tables and plans without the kernel, from the module's own ring code.
 * This file alone in the tool sees the kernel's types.
 */

#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>

#include "../../kmod/ring.h"
#include "offline.h"

_Static_assert(FR_TABLE_NO_OWNER == FLR_NO_OWNER, "slots without an owner");

/* What slots hold whose owner is not there any more: no index is as large */
#define FR_TABLE_GONE	0xfffe

_Static_assert(FLOWRING_MAX_BACKENDS <= FR_TABLE_GONE, "indexes of backends");

static void get_options(const struct fr_doc_ring *ring,
			struct flr_options *opt)
{
	int i;

	*opt = (struct flr_options){
		.bits = ring->bits,
		.vnodes = ring->vnodes,
		.imbalance = ring->imbalance,
		.no_backend = ring->no_backend,
		.masquerade = ring->masquerade,
	};
	for (i = 0; i < FR_DOC_KEY; i++)
		opt->key.key[i / 8] |= (u64)ring->key[i] << 8 * (i % 8);
}

/* The members, and behind them their tokens in the type that the ring takes */
static struct flr_member *get_members(const struct fr_doc_ring *ring)
{
	size_t i, k, sum = 0;
	struct flr_member *m;
	u64 *tokens;

	for (i = 0; i < ring->n; i++)
		sum += ring->backends[i].ntokens;
	m = calloc(1, (ring->n + 1) * sizeof(*m) + sum * sizeof(*tokens));
	tokens = m ? (u64 *)(m + ring->n + 1) : NULL;
	for (i = 0; m && i < ring->n; i++) {
		const struct fr_doc_backend *b = &ring->backends[i];

		m[i].name = b->name;
		m[i].zone = b->zone;
		m[i].tokens = b->ntokens ? tokens : NULL;
		m[i].ntokens = b->ntokens;
		m[i].weight = b->weight;
		m[i].id = i;
		m[i].up = b->state == FLOWRING_STATE_UP;
		m[i].mode = b->mode;
		m[i].state = b->state;
		m[i].ipv6 = b->addr.len == 16;
		m[i].checksum = b->checksum;
		m[i].mark = b->mark;
		m[i].port = b->port;
		memcpy(m[i].addr, b->addr.b, sizeof(m[i].addr));
		for (k = 0; k < b->ntokens; k++)
			*tokens++ = b->tokens[k];
	}
	return m;
}

/**
 * fr_table_build() - Make the slot table of a ring.
 * @ctx: The run.
 * @ring: The ring, in order, with a key.
 * @table: Gets the table, to be cleared with fr_table_clear().
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_table_build(struct fr_ctx *ctx, const struct fr_doc_ring *ring,
		   struct fr_table *table)
{
	size_t nslots = (size_t)1 << ring->bits, n = ring->n ? ring->n : 1;
	struct flr_member *m = get_members(ring);
	struct flr_place p = { .nids = ring->n };
	struct flr_options opt;
	size_t total;

	*table = (struct fr_table){ .bits = ring->bits };
	get_options(ring, &opt);
	total = m ? flr_ring_total(&opt, m, ring->n) : 0;
	p.slots = calloc(nslots, sizeof(*p.slots));
	p.counts = calloc(n, sizeof(*p.counts));
	p.caps = calloc(n, sizeof(*p.caps));
	p.tokens = calloc(2 * (total + 1), sizeof(*p.tokens));
	p.links = calloc(2 * nslots, sizeof(*p.links));
	table->slots = p.slots;
	table->counts = p.counts;
	table->caps = p.caps;
	if (!m || !p.slots || !p.counts || !p.caps || !p.tokens || !p.links) {
		fr_table_clear(table);
		fr_error(ctx, "ring %s: out of memory", ring->name);
	} else {
		flr_ring_place(&p, &opt, m, ring->n);
		table->fingerprint = flr_ring_fingerprint(&opt, m, ring->n);
	}
	free(p.tokens);
	free(p.links);
	free(m);
	return table->slots ? FR_EXIT_OK : FR_EXIT_LOCAL;
}

/**
 * fr_table_clear() - Free what is in a table.
 * @table: The table.
 */
void fr_table_clear(struct fr_table *table)
{
	free(table->slots);
	free(table->counts);
	free(table->caps);
	*table = (struct fr_table){};
}

/**
 * fr_offline_anew() - Tell whether a change can only be made by deleting a
 *	backend and adding it again.
 * @before: The backend before.
 * @after: The backend of the same name after.
 *
 * The kernel does not change the mode of a backend, nor take its port away.
 *
 * Return: True when it is so.
 */
bool fr_offline_anew(const struct fr_doc_backend *before,
		     const struct fr_doc_backend *after)
{
	return before->mode != after->mode || (before->port && !after->port);
}

static void get_view(const struct fr_table *table,
		     const struct fr_doc_ring *ring, struct flr_view *view)
{
	struct flr_options opt;

	get_options(ring, &opt);
	*view = (struct flr_view){
		.key = opt.key,
		.slots = table->slots,
		.counts = table->counts,
		.bits = table->bits,
		.nids = ring->n,
	};
}

/* Number the backends of the table before as those after, as the ring code has
 * it; @counts has room for FR_TABLE_GONE and all below it
 */
static void renumber(struct fr_table *from, const struct fr_doc_ring *before,
		     const struct fr_doc_ring *after, uint32_t *counts)
{
	size_t nslots = (size_t)1 << from->bits;
	const struct fr_doc_backend *b, *now;
	size_t i, id;

	for (i = 0; i < nslots; i++) {
		if (from->slots[i] == FR_TABLE_NO_OWNER)
			continue;
		b = &before->backends[from->slots[i]];
		now = fr_document_backend(after, b->name);
		id = !now || fr_offline_anew(b, now) ? FR_TABLE_GONE :
		     (size_t)(now - after->backends);
		from->slots[i] = id;
		counts[id]++;
	}
}

static void get_share(struct fr_plan *plan, const char *name,
		      const struct fr_doc_backend *b, uint32_t slots,
		      bool before)
{
	uint32_t weight = b->state == FLOWRING_STATE_UP ? b->weight : 0;
	struct fr_share *s = plan->n ? &plan->shares[plan->n - 1] : NULL;

	if (!s || strcmp(s->name, name)) {
		s = &plan->shares[plan->n++];
		strcpy(s->name, name);
	}
	if (before) {
		s->there_before = true;
		s->weight_before = weight;
		s->slots_before = slots;
	} else {
		s->there = true;
		s->weight = weight;
		s->slots = slots;
	}
}

/* Put the backends of both together, in the order of names */
static void get_shares(struct fr_plan *plan, const struct fr_doc_ring *before,
		       const struct fr_table *from,
		       const struct fr_doc_ring *after,
		       const struct fr_table *to)
{
	uint32_t from_unit = plan->total >> from->bits;
	uint32_t to_unit = plan->total >> to->bits;
	size_t i = 0, k = 0;
	int cmp;

	while (i < before->n || k < after->n) {
		cmp = i == before->n ? 1 : k == after->n ? -1 :
		      strcmp(before->backends[i].name,
			     after->backends[k].name);
		if (cmp <= 0) {
			get_share(plan, before->backends[i].name,
				  &before->backends[i],
				  from->counts[i] * from_unit, true);
			i++;
		}
		if (cmp >= 0) {
			get_share(plan, after->backends[k].name,
				  &after->backends[k],
				  to->counts[k] * to_unit, false);
			k++;
		}
	}
}

static int compare(struct fr_ctx *ctx, const struct fr_doc_ring *before,
		   struct fr_table *from, const struct fr_doc_ring *after,
		   const struct fr_table *to, struct fr_plan *plan)
{
	uint32_t bits = from->bits > to->bits ? from->bits : to->bits;
	uint32_t *counts = calloc(FR_TABLE_GONE + 1, sizeof(*counts));
	struct flr_view was, is;

	plan->total = 1U << bits;
	plan->fingerprint_before = from->fingerprint;
	plan->fingerprint = to->fingerprint;
	plan->shares = calloc(before->n + after->n + 1,
			      sizeof(*plan->shares));
	if (!plan->shares || !counts) {
		free(counts);
		return fr_error(ctx, "ring %s: out of memory", plan->ring);
	}
	get_shares(plan, before, from, after, to);
	renumber(from, before, after, counts);
	get_view(from, before, &was);
	get_view(to, after, &is);
	was.counts = counts;
	was.nids = FR_TABLE_GONE + 1;
	plan->moved = flr_ring_moved(&was, &is);
	plan->least = flr_ring_least(&was, &is);
	free(counts);
	return FR_EXIT_OK;
}

/**
 * fr_offline_plan() - Plan a change of a ring without the kernel.
 * @ctx: The run.
 * @before: The ring before, NULL for one that is made.
 * @after: The ring after, NULL for one that is deleted.
 * @plan: Gets the plan, to be cleared with fr_plan_clear() in any case.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_offline_plan(struct fr_ctx *ctx, const struct fr_doc_ring *before,
		    const struct fr_doc_ring *after, struct fr_plan *plan)
{
	const struct fr_doc_ring *some = after ? after : before;
	struct fr_doc_ring was = *(before ? before : after);
	struct fr_doc_ring is = *some;
	struct fr_table from = {}, to = {};
	int ret;

	*plan = (struct fr_plan){ .is_new = !before, .is_gone = !after,
				  .dry = true };
	strcpy(plan->ring, some->name);
	if (!before)
		was.n = 0;
	if (!after)
		is.n = 0;
	/* A file without a key leaves that of the ring as it is */
	if (before && after && !after->has_key) {
		memcpy(is.key, was.key, FR_DOC_KEY);
		is.has_key = was.has_key;
	}
	if (!is.has_key || !was.has_key)
		return fr_error(ctx, "ring %s: has no key, so its slots are not known",
				some->name);
	plan->epoch_before = before && before->has_epoch ? before->epoch : 0;
	plan->epoch = after && after->has_epoch ? after->epoch : 0;

	ret = fr_table_build(ctx, &was, &from);
	if (!ret)
		ret = fr_table_build(ctx, &is, &to);
	if (!ret)
		ret = compare(ctx, &was, &from, &is, &to, plan);
	fr_table_clear(&from);
	fr_table_clear(&to);
	return ret;
}
