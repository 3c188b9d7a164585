// SPDX-License-Identifier: GPL-2.0
/*
 * Bounded placement: the one stable matching of slots and backends in which no
 * backend owns more slots than its capacity. Pure, as all of ring.h; the
 * normative text is Documentation/hash.rst.
 *
 * Slot and backend agree on what a pair is worth: the distance from the slot
 * to the backend's nearest token. So the matching is what comes out when all
 * pairs are taken in the order of that distance and each is made if the slot is
 * free and the backend has room. Almost all slots get the owner of their first
 * token, and are done in bulk. The others are taken from a heap that holds, for
 * each token with free slots before it, the nearest of these. A token of a full
 * backend hands its free slots on to the next token.
 */

#include <linux/build_bug.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/types.h>

#include "ring.h"

#define FLR_RESCHED	8192	/* steps between two looks at the scheduler */
#define FLR_BULK_GAPS	4	/* reach of the first bulk, in mean gaps */
#define FLR_BULK_TRIES	12

/**
 * struct flr_head - the nearest free slot before a token
 * @dist: from the slot to the token
 * @slot: the slot
 * @token: the token, or one of a backend that has become full
 */
struct flr_head {
	u64 dist;
	u32 slot;
	u32 token;
};

/* Heads take the place of the tokens that were moved about while sorting */
static_assert(sizeof(struct flr_head) == sizeof(struct flr_token));

/**
 * struct flr_bound - a placement that is being made
 * @p: the caller's memory
 * @heap: heads, the smallest first
 * @first: first token at or after each slot
 * @prev: nearest free slot at or before each slot, as far as known
 * @ntokens: how many tokens there are
 * @nheads: how many are in @heap
 * @bits: there are 2^bits slots
 * @free: slots without an owner
 */
struct flr_bound {
	const struct flr_place *p;
	struct flr_head *heap;
	u32 *first;
	u32 *prev;
	u32 ntokens;
	u32 nheads;
	u32 bits;
	u32 free;
};

static u32 flr_bound_mask(const struct flr_bound *b)
{
	return (1U << b->bits) - 1;
}

static u64 flr_bound_dist(const struct flr_bound *b, u32 slot, u32 token)
{
	return b->p->tokens[token].pos - flr_ring_pos(slot, b->bits);
}

static bool flr_bound_full(const struct flr_bound *b, u32 token)
{
	u16 owner = b->p->tokens[token].owner;

	return b->p->counts[owner] >= b->p->caps[owner];
}

/* The order of pairs: distance, slot, token */
static bool flr_head_less(const struct flr_head *x, const struct flr_head *y)
{
	if (x->dist != y->dist)
		return x->dist < y->dist;
	if (x->slot != y->slot)
		return x->slot < y->slot;
	return x->token < y->token;
}

static void flr_heap_down(struct flr_bound *b, struct flr_head head)
{
	struct flr_head *heap = b->heap;
	u32 at = 0, child;

	while ((child = 2 * at + 1) < b->nheads) {
		if (child + 1 < b->nheads &&
		    flr_head_less(&heap[child + 1], &heap[child]))
			child++;
		if (!flr_head_less(&heap[child], &head))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = head;
}

static void flr_heap_add(struct flr_bound *b, struct flr_head head)
{
	struct flr_head *heap = b->heap;
	u32 at = b->nheads++;

	while (at && flr_head_less(&head, &heap[(at - 1) / 2])) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = head;
}

/* Take the top of the heap away */
static void flr_heap_drop(struct flr_bound *b)
{
	struct flr_head last = b->heap[--b->nheads];

	if (b->nheads)
		flr_heap_down(b, last);
}

/* First token at or after @token whose backend has room; there has to be one */
static u32 flr_bound_live(const struct flr_bound *b, u32 token)
{
	struct flr_token *tokens = b->p->tokens;

	for (;;) {
		u32 next = tokens[token].next;

		if (next == token) {
			if (!flr_bound_full(b, token))
				return token;
			next = token + 1 == b->ntokens ? 0 : token + 1;
		}
		/* halve the way for those who come after */
		tokens[token].next = tokens[next].next;
		token = next;
	}
}

/* Nearest free slot at or before @slot; there has to be one */
static u32 flr_bound_free(const struct flr_bound *b, u32 slot)
{
	while (b->prev[slot] != slot) {
		b->prev[slot] = b->prev[b->prev[slot]];
		slot = b->prev[slot];
	}
	return slot;
}

/* The head of a token, unless it has no free slots before it */
static bool flr_bound_head(const struct flr_bound *b, u32 token,
			   struct flr_head *head)
{
	u64 pos = b->p->tokens[token].pos;
	u32 slot = flr_bound_free(b, flr_ring_slot(pos, b->bits));

	if (flr_bound_live(b, b->first[slot]) != token)
		return false;
	*head = (struct flr_head){
		.dist = flr_bound_dist(b, slot, token),
		.slot = slot,
		.token = token,
	};
	return true;
}

static void flr_bound_first(struct flr_bound *b)
{
	const struct flr_token *tokens = b->p->tokens;
	u32 slot, t = 0;

	for (slot = 0; slot <= flr_bound_mask(b); slot++) {
		u64 pos = flr_ring_pos(slot, b->bits);

		while (t < b->ntokens && tokens[t].pos < pos)
			t++;
		b->first[slot] = t == b->ntokens ? 0 : t;
	}
}

/*
 * Give each slot that is no farther than @reach from its first token to that
 * one's backend. That is what the order of pairs leads to as long as no backend
 * gets more than it may own. Return: whether none does.
 */
static bool flr_bound_bulk(struct flr_bound *b, u64 reach)
{
	const struct flr_place *p = b->p;
	u32 slot, id;

	memset(p->counts, 0, p->nids * sizeof(*p->counts));
	b->free = 0;
	for (slot = 0; slot <= flr_bound_mask(b); slot++) {
		u32 token = b->first[slot];

		if (flr_bound_dist(b, slot, token) > reach) {
			p->slots[slot] = FLR_NO_OWNER;
			b->free++;
		} else {
			p->slots[slot] = p->tokens[token].owner;
			p->counts[p->tokens[token].owner]++;
		}
	}
	cond_resched();
	for (id = 0; id < p->nids; id++) {
		if (p->counts[id] > p->caps[id])
			return false;
	}
	return true;
}

/* As large a bulk as can easily be found; none at worst */
static void flr_bound_begin(struct flr_bound *b)
{
	u64 gap = div64_u64(U64_MAX, b->ntokens);
	u64 reach = b->ntokens > FLR_BULK_GAPS ? gap * FLR_BULK_GAPS : U64_MAX;
	const struct flr_place *p = b->p;
	u32 try, slot;

	if (flr_bound_bulk(b, U64_MAX))
		return;
	for (try = 0; try < FLR_BULK_TRIES; try++) {
		if (flr_bound_bulk(b, reach))
			return;
		reach -= reach / 4;
	}
	memset(p->counts, 0, p->nids * sizeof(*p->counts));
	for (slot = 0; slot <= flr_bound_mask(b); slot++)
		p->slots[slot] = FLR_NO_OWNER;
	b->free = flr_bound_mask(b) + 1;
}

/* Link the free slots and find the head of each token */
static void flr_bound_prepare(struct flr_bound *b)
{
	const struct flr_place *p = b->p;
	u32 slot = flr_bound_mask(b), last, i;
	struct flr_head head;

	while (p->slots[slot] != FLR_NO_OWNER)
		slot--;
	last = slot;
	for (slot = 0; slot <= flr_bound_mask(b); slot++) {
		if (p->slots[slot] == FLR_NO_OWNER)
			last = slot;
		b->prev[slot] = last;
	}
	for (i = 0; i < b->ntokens; i++) {
		p->tokens[i].next = i;
		p->tokens[i].queued = 0;
	}
	for (i = 0; i < b->ntokens; i++) {
		if (flr_bound_full(b, i) || !flr_bound_head(b, i, &head))
			continue;
		p->tokens[i].queued = 1;
		flr_heap_add(b, head);
	}
}

/* Hand what is on top of the heap on from a full backend to the next token */
static void flr_bound_hand_on(struct flr_bound *b)
{
	struct flr_head head = b->heap[0];

	u32 token = flr_bound_live(b, head.token);

	/* One in the heap has a nearer slot and comes to this one later */
	if (b->p->tokens[token].queued || !flr_bound_head(b, token, &head)) {
		flr_heap_drop(b);
		return;
	}
	b->p->tokens[token].queued = 1;
	flr_heap_down(b, head);
}

/* Make the pair on top of the heap */
static void flr_bound_pair(struct flr_bound *b)
{
	struct flr_head head = b->heap[0];
	const struct flr_place *p = b->p;
	u16 owner = p->tokens[head.token].owner;

	p->slots[head.slot] = owner;
	p->counts[owner]++;
	b->prev[head.slot] = (head.slot - 1) & flr_bound_mask(b);
	if (!--b->free)
		return;
	if (!flr_bound_full(b, head.token)) {
		if (flr_bound_head(b, head.token, &head)) {
			flr_heap_down(b, head);
			return;
		}
		p->tokens[head.token].queued = 0;
	} else {
		/* its free slots are those of the next token from now on */
		flr_bound_hand_on(b);
		return;
	}
	flr_heap_drop(b);
}

/**
 * flr_ring_bound() - make the slot table of a ring with a bound
 * @p: the memory, with the capacities, which add up to 2^@bits at the least,
 *	and the tokens, sorted, none of a backend of capacity 0
 * @bits: FLR_BITS_MIN to FLR_BITS_MAX
 * @n: how many tokens, at least one
 *
 * Takes O((2^@bits + @n) log @n) steps at worst, and little more than filling
 * an unbounded table when few slots have to move on.
 *
 * Context: process context; may take long, and sleeps where it can.
 */
void flr_ring_bound(const struct flr_place *p, u32 bits, u32 n)
{
	struct flr_bound b = {
		.p = p,
		.heap = (struct flr_head *)(p->tokens + n),
		.first = p->links,
		.prev = p->links + (1UL << bits),
		.ntokens = n,
		.bits = bits,
	};
	u32 step;

	flr_bound_first(&b);
	flr_bound_begin(&b);
	if (!b.free)
		return;
	flr_bound_prepare(&b);
	for (step = 1; b.free; step++) {
		if (flr_bound_full(&b, b.heap[0].token))
			flr_bound_hand_on(&b);
		else
			flr_bound_pair(&b);
		if (!(step % FLR_RESCHED))
			cond_resched();
	}
}
