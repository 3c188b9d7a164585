// SPDX-License-Identifier: GPL-2.0
/*
 * The ring: tokens of backends on a circle of 64 bits, and the slot table that
 * is made from them. No kernel objects, no locks, no allocation: all memory is
 * the caller's. The normative text is Documentation/hash.rst.
 */

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/siphash.h>

#include "ring.h"

#define FLR_NAME_MAX	31
#define FLR_TAG_TOKEN	'T'	/* the first byte of what is hashed */
#define FLR_TAG_ROUND	'C'
#define FLR_TAG_RING	'F'
#define FLR_TAG_MEMBER	'B'
#define FLR_TAG_LIST	'L'
#define FLR_ROUND_BITS	24	/* of the hash that rounds a capacity */
#define FLR_DIGIT_BITS	8
#define FLR_DIGITS	256

/**
 * flr_ring_ntokens() - tokens of a backend
 * @vnodes: tokens of a backend of weight 100, at most 65536
 * @weight: the backend's weight, at most 10000
 *
 * Return: max(1, round(vnodes * weight / 100)), or 0 for weight 0.
 */
u32 flr_ring_ntokens(u32 vnodes, u32 weight)
{
	u32 n = (vnodes * weight + 50) / 100;

	if (!weight)
		return 0;
	return n ? n : 1;
}

/**
 * flr_member_ntokens() - tokens that a backend has on the ring now
 * @opt: options of the ring
 * @m: the backend
 *
 * Return: their number, 0 for one that is not up or has weight 0.
 */
u32 flr_member_ntokens(const struct flr_options *opt,
		       const struct flr_member *m)
{
	if (!m->up || !m->weight)
		return 0;
	return m->tokens ? m->ntokens :
			   flr_ring_ntokens(opt->vnodes, m->weight);
}

/**
 * flr_ring_total() - tokens on a ring
 * @opt: options of the ring
 * @m: its backends
 * @n: how many
 *
 * Return: the number of tokens of all.
 */
u32 flr_ring_total(const struct flr_options *opt, const struct flr_member *m,
		   u32 n)
{
	u32 i, sum = 0;

	for (i = 0; i < n; i++)
		sum += flr_member_ntokens(opt, &m[i]);
	return sum;
}

static void flr_put_le32(u8 *to, u32 value)
{
	u32 i;

	for (i = 0; i < 4; i++)
		to[i] = value >> 8 * i;
}

static void flr_put_le64(u8 *to, u64 value)
{
	flr_put_le32(to, value);
	flr_put_le32(to + 4, value >> 32);
}

/* Hash of a name and a number, for a purpose that the tag says */
static u64 flr_ring_hash(const siphash_key_t *key, u8 tag, const char *name,
			 size_t len, u32 j)
{
	u8 buf[8 + FLR_NAME_MAX + 1] __aligned(8) = { tag, len };

	flr_put_le32(buf + 4, j);
	memcpy(buf + 8, name, len);
	return siphash(buf, 8 + len, key);
}

/**
 * flr_ring_token() - position of a backend's token
 * @key: the ring's key
 * @name: the backend's name
 * @len: bytes in @name, at most 31
 * @j: number of the token, from 0
 *
 * The position is the hash of: the tag 'T', the length of the name, two zero
 * bytes, @j as 32 bits little-endian, the name.
 *
 * Return: the position.
 */
u64 flr_ring_token(const siphash_key_t *key, const char *name, size_t len,
		   u32 j)
{
	return flr_ring_hash(key, FLR_TAG_TOKEN, name, len, j);
}

/**
 * flr_ring_add() - write the tokens of one backend
 * @tokens: where to, room for @n
 * @n: how many
 * @key: the ring's key
 * @name: the backend's name
 * @len: bytes in @name, at most 31
 * @owner: the backend's id
 *
 * Backends have to be added in the order of their names (bytewise, a prefix
 * first): that, and the stable sort, is what orders equal positions by
 * (name, j).
 */
void flr_ring_add(struct flr_token *tokens, u32 n, const siphash_key_t *key,
		  const char *name, size_t len, u16 owner)
{
	u32 j;

	for (j = 0; j < n; j++) {
		tokens[j].pos = flr_ring_token(key, name, len, j);
		tokens[j].owner = owner;
	}
}

/* One pass of the radix sort: stable, by the digit at @shift */
static void flr_ring_sort_pass(const struct flr_token *from,
			       struct flr_token *to, u32 n, u32 shift)
{
	u32 at[FLR_DIGITS] = {};
	u32 i, sum = 0;

	for (i = 0; i < n; i++)
		at[(from[i].pos >> shift) % FLR_DIGITS]++;
	for (i = 0; i < FLR_DIGITS; i++) {
		u32 count = at[i];

		at[i] = sum;
		sum += count;
	}
	for (i = 0; i < n; i++)
		to[at[(from[i].pos >> shift) % FLR_DIGITS]++] = from[i];
}

/* Insertion sort, for what is almost in order. Return: whether it was. */
static bool flr_ring_sort_rest(struct flr_token *tokens, u32 n)
{
	u32 i, j, steps = 0;

	for (i = 1; i < n; i++) {
		struct flr_token token = tokens[i];

		for (j = i; j && tokens[j - 1].pos > token.pos; j--)
			tokens[j] = tokens[j - 1];
		tokens[j] = token;
		steps += i - j;
		if (steps > n)
			return false;
	}
	return true;
}

/**
 * flr_ring_sort() - order tokens by position
 * @tokens: the tokens, ordered on return
 * @scratch: room for as many
 * @n: how many
 *
 * Stable: tokens of equal position stay in the order in which they were added.
 * The upper half of their bits tells hashed tokens apart, but for a few; not so
 * explicit ones, which may be any.
 */
void flr_ring_sort(struct flr_token *tokens, struct flr_token *scratch, u32 n)
{
	u32 shift = 32;

	do {
		for (; shift < 64; shift += 2 * FLR_DIGIT_BITS) {
			flr_ring_sort_pass(tokens, scratch, n, shift);
			flr_ring_sort_pass(scratch, tokens, n,
					   shift + FLR_DIGIT_BITS);
		}
		shift = 0;
	} while (!flr_ring_sort_rest(tokens, n));
}

/**
 * flr_ring_owner() - owner of a position
 * @tokens: the ring's tokens, sorted
 * @n: how many
 * @pos: the position
 *
 * A token owns (its predecessor, itself], wrapping round.
 *
 * Return: id of the owner, or FLR_NO_OWNER for a ring without tokens.
 */
u16 flr_ring_owner(const struct flr_token *tokens, u32 n, u64 pos)
{
	u32 lo = 0, hi = n;

	if (!n)
		return FLR_NO_OWNER;
	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (tokens[mid].pos < pos)
			lo = mid + 1;
		else
			hi = mid;
	}
	return tokens[lo == n ? 0 : lo].owner;
}

/**
 * flr_ring_fill() - make the slot table
 * @slots: the table, 2^@bits of them
 * @bits: FLR_BITS_MIN to FLR_BITS_MAX
 * @tokens: the ring's tokens, sorted
 * @n: how many
 *
 * A slot stands for its first position, so its owner is the one that
 * flr_ring_owner() names for that.
 */
void flr_ring_fill(u16 *slots, u32 bits, const struct flr_token *tokens, u32 n)
{
	u32 nslots = 1U << bits;
	u32 slot, t = 0;

	for (slot = 0; slot < nslots; slot++) {
		u64 pos = flr_ring_pos(slot, bits);

		while (t < n && tokens[t].pos < pos)
			t++;
		if (n)
			slots[slot] = tokens[t == n ? 0 : t].owner;
		else
			slots[slot] = FLR_NO_OWNER;
	}
}

/*
 * Slots that a backend may own at most: its exact capacity, rounded down or up
 * by a hash of its name that is as likely to round up as the fraction is large.
 * Each so has a point of its own at which it gains a slot as its share grows,
 * and there is no number of backends at which all of them lose one.
 */
static u32 flr_ring_capacity(const struct flr_options *opt,
			     const struct flr_member *m, u64 weights)
{
	u64 num = ((u64)m->weight * (100 + opt->imbalance)) << opt->bits;
	u64 den = 100 * weights;
	u64 round, rest, cap;

	round = flr_ring_hash(&opt->key, FLR_TAG_ROUND, m->name,
			      strlen(m->name), 0) >> (64 - FLR_ROUND_BITS);
	cap = div64_u64_rem(num, den, &rest);
	if ((rest << FLR_ROUND_BITS) + round * den >= den << FLR_ROUND_BITS)
		cap++;
	return min_t(u64, cap, 1U << opt->bits);
}

/*
 * Too many backends for the slots can have rounded down. Then as many as are
 * missing get one slot more, those first whose hash is the largest.
 */
static void flr_ring_make_up(u32 *caps, const struct flr_options *opt,
			     const struct flr_member *m, u32 n, u32 missing)
{
	u64 last = U64_MAX, best, hash;
	u32 i, at, from = 0;

	while (missing) {
		for (i = 0, at = n, best = 0; i < n; i++) {
			if (!flr_member_ntokens(opt, &m[i]))
				continue;
			hash = flr_ring_hash(&opt->key, FLR_TAG_ROUND,
					     m[i].name, strlen(m[i].name), 0);
			if (hash > last || (hash == last && i < from))
				continue;
			if (at == n || hash > best) {
				best = hash;
				at = i;
			}
		}
		cond_resched();
		if (at == n) {
			/* all have got one: another round */
			last = U64_MAX;
			from = 0;
			continue;
		}
		caps[m[at].id]++;
		missing--;
		last = best;
		from = at + 1;
	}
}

/**
 * flr_ring_capacities() - slots that each backend may own at most
 * @caps: gets them, by id
 * @nids: how many are in @caps
 * @opt: options of the ring, with a bound
 * @m: its backends, in the order of their names
 * @n: how many
 *
 * The capacities of a ring with tokens add up to 2^bits at the least.
 */
void flr_ring_capacities(u32 *caps, u32 nids, const struct flr_options *opt,
			 const struct flr_member *m, u32 n)
{
	u64 weights = 0, sum = 0;
	u32 i;

	memset(caps, 0, nids * sizeof(*caps));
	for (i = 0; i < n; i++) {
		if (flr_member_ntokens(opt, &m[i]))
			weights += m[i].weight;
	}
	for (i = 0; i < n; i++) {
		if (!flr_member_ntokens(opt, &m[i]))
			continue;
		caps[m[i].id] = flr_ring_capacity(opt, &m[i], weights);
		sum += caps[m[i].id];
	}
	if (weights && sum < 1U << opt->bits)
		flr_ring_make_up(caps, opt, m, n, (1U << opt->bits) - sum);
}

static void flr_ring_count(const struct flr_place *p, u32 bits)
{
	u32 slot;

	memset(p->counts, 0, p->nids * sizeof(*p->counts));
	for (slot = 0; slot < 1U << bits; slot++) {
		if (p->slots[slot] != FLR_NO_OWNER)
			p->counts[p->slots[slot]]++;
	}
}

/**
 * flr_ring_place() - make the slot table of a ring
 * @p: the memory, which gets the table
 * @opt: options of the ring
 * @m: its backends, in the order of their names
 * @n: how many
 *
 * Without a bound, the capacities are all 0.
 *
 * Context: process context; may take long, and sleeps where it can.
 */
void flr_ring_place(const struct flr_place *p, const struct flr_options *opt,
		    const struct flr_member *m, u32 n)
{
	u32 i, j, ntokens = 0;

	memset(p->caps, 0, p->nids * sizeof(*p->caps));
	if (opt->imbalance)
		flr_ring_capacities(p->caps, p->nids, opt, m, n);
	for (i = 0; i < n; i++) {
		struct flr_token *to = p->tokens + ntokens;
		u32 count = flr_member_ntokens(opt, &m[i]);

		if (opt->imbalance && !p->caps[m[i].id])
			continue;
		ntokens += count;
		if (!m[i].tokens) {
			flr_ring_add(to, count, &opt->key, m[i].name,
				     strlen(m[i].name), m[i].id);
		} else {
			for (j = 0; j < count; j++) {
				to[j].pos = m[i].tokens[j];
				to[j].owner = m[i].id;
			}
		}
		cond_resched();
	}
	flr_ring_sort(p->tokens, p->tokens + ntokens, ntokens);
	if (opt->imbalance && ntokens) {
		flr_ring_bound(p, opt->bits, ntokens);
		return;
	}
	flr_ring_fill(p->slots, opt->bits, p->tokens, ntokens);
	flr_ring_count(p, opt->bits);
}

static u32 flr_view_total(const struct flr_view *v)
{
	u32 id, sum = 0;

	for (id = 0; id < v->nids; id++)
		sum += v->counts[id];
	return sum;
}

/**
 * flr_ring_moved() - slots that change their owner
 * @from: table before
 * @to: table after; a backend of both has one id in both
 *
 * A slot that had no owner does not move. Under another key every flow gets
 * another slot, so all slots that had an owner move.
 *
 * Return: the number, in slots of the larger table.
 */
u32 flr_ring_moved(const struct flr_view *from, const struct flr_view *to)
{
	u32 bits = max(from->bits, to->bits);
	u32 slot, moved = 0;

	if (memcmp(&from->key, &to->key, sizeof(from->key)))
		return flr_view_total(from) << (bits - from->bits);
	for (slot = 0; slot < 1U << bits; slot++) {
		u16 before = from->slots[slot >> (bits - from->bits)];

		moved += before != FLR_NO_OWNER &&
			 before != to->slots[slot >> (bits - to->bits)];
	}
	return moved;
}

/**
 * flr_ring_least() - slots that have to change their owner
 * @from: table before
 * @to: table after; a backend of both has one id in both
 *
 * Return: what any placement moves that gives the backends the same shares, in
 * slots of the larger table.
 */
u32 flr_ring_least(const struct flr_view *from, const struct flr_view *to)
{
	u32 bits = max(from->bits, to->bits);
	u32 id, sum = 0;

	for (id = 0; id < from->nids; id++) {
		u32 before = from->counts[id] << (bits - from->bits);
		u32 after = id < to->nids ?
			    to->counts[id] << (bits - to->bits) : 0;

		if (before > after)
			sum += before - after;
	}
	return sum;
}

/* Fold one backend into the fingerprint */
static u64 flr_member_fingerprint(u64 sum, const siphash_key_t *key,
				  const struct flr_member *m)
{
	u8 list[24] __aligned(8) = { FLR_TAG_LIST };
	u8 buf[48 + FLR_NAME_MAX + 1] __aligned(8) = { FLR_TAG_MEMBER };
	size_t len = strlen(m->name);
	u32 i;

	buf[1] = len;
	buf[2] = m->ipv6 ? 6 : 4;
	buf[3] = m->mode;
	buf[4] = m->state;
	buf[5] = m->checksum;
	flr_put_le32(buf + 8, m->port);
	flr_put_le32(buf + 12, m->weight);
	flr_put_le32(buf + 16, m->tokens ? m->ntokens : 0);
	flr_put_le32(buf + 20, m->mark);
	flr_put_le64(buf + 24, sum);
	memcpy(buf + 32, m->addr, sizeof(m->addr));
	memcpy(buf + 48, m->name, len);
	sum = siphash(buf, 48 + len, key);
	for (i = 0; m->tokens && i < m->ntokens; i++) {
		flr_put_le64(list + 8, sum);
		flr_put_le64(list + 16, m->tokens[i]);
		sum = siphash(list, sizeof(list), key);
	}
	return sum;
}

/**
 * flr_ring_fingerprint() - digest of all that decides where a packet goes
 * @opt: options of the ring
 * @m: its backends, in the order of their names
 * @n: how many
 *
 * Return: the fingerprint, the same on every machine.
 */
u64 flr_ring_fingerprint(const struct flr_options *opt,
			 const struct flr_member *m, u32 n)
{
	u8 buf[12] __aligned(8) = { FLR_TAG_RING, opt->bits, opt->no_backend,
				    opt->masquerade };
	u64 sum;
	u32 i;

	flr_put_le32(buf + 4, opt->vnodes);
	flr_put_le32(buf + 8, opt->imbalance);
	sum = siphash(buf, sizeof(buf), &opt->key);
	for (i = 0; i < n; i++)
		sum = flr_member_fingerprint(sum, &opt->key, &m[i]);
	return sum;
}

/* Distance from @pos onwards to the nearest token of a backend that has some */
static u64 flr_member_dist(const struct flr_options *opt,
			   const struct flr_member *m, u64 pos)
{
	u32 count = flr_member_ntokens(opt, m);
	size_t len = strlen(m->name);
	u64 dist = U64_MAX;
	u32 j;

	for (j = 0; j < count; j++) {
		u64 at = m->tokens ? m->tokens[j] :
				     flr_ring_token(&opt->key, m->name, len, j);

		dist = min(dist, at - pos);
	}
	return dist;
}

/* Which of those that are not in the list comes next, or @n */
static u32 flr_reach_next(const struct flr_reach *reach, u32 n)
{
	u32 i, best = n;

	for (i = 0; i < n; i++) {
		if (reach[i].taken)
			continue;
		if (best == n || reach[best].near > reach[i].near ||
		    (reach[best].near == reach[i].near &&
		     reach[best].dist > reach[i].dist))
			best = i;
	}
	return best;
}

/**
 * flr_ring_owners() - backends that would own a position one after the other
 * @list: gets their indexes in @m
 * @max: room in @list
 * @opt: options of the ring
 * @m: its backends, in the order of their names
 * @n: how many
 * @pos: the position
 * @first: id of the owner of its slot, or FLR_NO_OWNER
 * @reach: room for @n
 *
 * The owner is the first. Then come those of zones that are not in the list
 * yet, then the others, each time the one whose token is next.
 *
 * Context: process context; takes a hash per token, and sleeps where it can.
 * Return: how many are in the list.
 */
u32 flr_ring_owners(u32 *list, u32 max, const struct flr_options *opt,
		    const struct flr_member *m, u32 n, u64 pos, u16 first,
		    struct flr_reach *reach)
{
	u32 i, next = n, count = 0;

	pos = flr_ring_pos(flr_ring_slot(pos, opt->bits), opt->bits);
	for (i = 0; i < n; i++) {
		reach[i].taken = !flr_member_ntokens(opt, &m[i]);
		reach[i].near = false;
		reach[i].dist = flr_member_dist(opt, &m[i], pos);
		if (m[i].id == first)
			next = i;
		cond_resched();
	}
	while (next < n && count < max) {
		list[count++] = next;
		reach[next].taken = true;
		for (i = 0; i < n; i++) {
			if (!strcmp(m[i].zone, m[next].zone))
				reach[i].near = true;
		}
		next = flr_reach_next(reach, n);
		cond_resched();
	}
	return count;
}
