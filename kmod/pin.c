// SPDX-License-Identifier: GPL-2.0
/*
 * Pins: flows whose backend is remembered, 8 bytes each.
 *
 * A fixed table of buckets of 64 bytes. A flow's pin is in one of two buckets,
 * which both follow from its position; it is made in the one that has more
 * room. With eight ways and two choices a table that is three quarters full has
 * room for all, see Mitzenmacher, "The Power of Two Choices in Randomized Load
 * Balancing", 2001.
 *
 * Every pin is one word that is read and replaced as a whole, so there are no
 * locks. Two processors that pin the same new flow at once may make two pins of
 * it; all look in the same order, so one of the two is heard, and who sets it
 * next removes the other.
 *
 * From the top, a word holds 37 bits of the position, the tick of the last
 * packet, the class, and the target plus one. Positions are hashes; together
 * with the bits that choose a bucket, 50 bits of it are compared when there are
 * 65536 pins. The ring's slot is among the topmost 20.
 */

#include <linux/sched.h>
#include <linux/string.h>

#include "pin.h"

#define FLR_PIN_TAG_SHIFT	27
#define FLR_PIN_STAMP_SHIFT	22
#define FLR_PIN_STAMP_MASK	0x1f
#define FLR_PIN_CLASS_SHIFT	20
#define FLR_PIN_CLASS_MASK	0x3
#define FLR_PIN_TARGET_MASK	0xfffff

static u64 flr_pin_pack(u64 hash, u32 target, u8 class, u8 tick)
{
	return hash >> FLR_PIN_TAG_SHIFT << FLR_PIN_TAG_SHIFT |
	       (u64)(tick & FLR_PIN_STAMP_MASK) << FLR_PIN_STAMP_SHIFT |
	       (u64)class << FLR_PIN_CLASS_SHIFT | (target + 1);
}

static struct flr_pin flr_pin_unpack(u64 word)
{
	return (struct flr_pin){
		.pos = word >> FLR_PIN_TAG_SHIFT << FLR_PIN_TAG_SHIFT,
		.stamp = word >> FLR_PIN_STAMP_SHIFT & FLR_PIN_STAMP_MASK,
		.class = word >> FLR_PIN_CLASS_SHIFT & FLR_PIN_CLASS_MASK,
		.target = (word & FLR_PIN_TARGET_MASK) - 1,
	};
}

static u8 flr_pin_age(const struct flr_pin *pin, u8 tick)
{
	return (tick - pin->stamp) & FLR_PIN_STAMP_MASK;
}

static bool flr_pin_is_of(u64 word, u64 hash)
{
	return word && !((word ^ hash) >> FLR_PIN_TAG_SHIFT);
}

/* Where the pins of a flow may be: two buckets that are never the same */
static void flr_pin_buckets(struct flr_pins *pins, u64 hash,
			    struct flr_pin_bucket *b[2])
{
	u32 first = (u32)hash & pins->mask, spread;

	spread = (u32)((hash >> FLR_PIN_TAG_SHIFT) * 0x9e3779b97f4a7c15ULL >>
		       32);
	b[0] = &pins->buckets[first];
	b[1] = &pins->buckets[first ^ ((spread & pins->mask) | 1)];
}

/* The pin of a flow, and its word; those after @from, if that is given */
static atomic64_t *flr_pin_find(struct flr_pin_bucket *b[2], u64 hash,
				const atomic64_t *from, u64 *word)
{
	atomic64_t *pin;
	int i;

	for (i = 0; i < 2 * FLR_PIN_WAYS; i++) {
		pin = &b[i / FLR_PIN_WAYS]->pin[i % FLR_PIN_WAYS];
		if (from) {
			from = from == pin ? NULL : from;
			continue;
		}
		*word = atomic64_read(pin);
		if (flr_pin_is_of(*word, hash))
			return pin;
	}
	return NULL;
}

static bool flr_pin_replace(atomic64_t *pin, u64 old, u64 new)
{
	s64 expected = old;

	return atomic64_try_cmpxchg(pin, &expected, new);
}

/* What a packet makes of the class of its flow's pin */
static u8 flr_pin_next_class(u8 class, enum flr_segment seg)
{
	switch (seg) {
	case FLR_SEG_END:
		return FLR_PIN_ENDING;
	case FLR_SEG_ACK:
		/* the last one of an orderly end comes after the FIN */
		return class == FLR_PIN_ENDING ? class : FLR_PIN_CONFIRMED;
	case FLR_SEG_DATA:
		return FLR_PIN_CONFIRMED;
	default:
		return class;
	}
}

/**
 * flr_pin_get() - find where a flow is pinned to, and note that it is active
 * @pins: pins
 * @hash: position of the flow
 * @tick: present tick of its ring
 * @seg: what its packet says; FLR_SEG_QUOTE notes nothing
 *
 * Writes once a tick, or when the class changes.
 *
 * Context: any; under rcu_read_lock() for the sake of @pins.
 * Return: the target, or FLR_NO_TARGET.
 */
u32 flr_pin_get(struct flr_pins *pins, u64 hash, u8 tick, enum flr_segment seg)
{
	struct flr_pin_bucket *b[2];
	struct flr_pin pin;
	atomic64_t *at;
	u64 word, next;

	flr_pin_buckets(pins, hash, b);
	at = flr_pin_find(b, hash, NULL, &word);
	if (!at)
		return FLR_NO_TARGET;
	pin = flr_pin_unpack(word);
	if (seg == FLR_SEG_QUOTE)
		return pin.target;
	next = flr_pin_pack(hash, pin.target,
			    flr_pin_next_class(pin.class, seg), tick);
	/* when somebody else was faster, that one has noted it */
	if (next != word)
		flr_pin_replace(at, word, next);
	return pin.target;
}

/*
 * How readily a pin gives way to one of @class, or -1 for not at all. One that
 * a connection request makes takes the place of none, so that a flood of them
 * evicts nothing; a flow that is known to live takes the place of what may not.
 */
static int flr_pin_yields(const struct flr_pin *pin, enum flr_pin_class class,
			  u8 tick)
{
	u8 age = flr_pin_age(pin, tick);

	if (class == FLR_PIN_SYN || pin->class == FLR_PIN_CONFIRMED)
		return -1;
	/* one of another ring has another tick, and its age is any */
	return (FLR_PIN_CONFIRMED - pin->class) << 5 | age;
}

/* A place for a new pin, and what is there; NULL when there is none */
static atomic64_t *flr_pin_place(struct flr_pin_bucket *b[2], u64 hash,
				 enum flr_pin_class class, u8 tick, u64 *word)
{
	atomic64_t *free[2] = {}, *victim = NULL, *pin;
	int room[2] = {}, best = -1, yields, i, n;
	struct flr_pin old;
	u64 w;

	for (i = 0; i < 2 * FLR_PIN_WAYS; i++) {
		/* begin anywhere, so that not always the same one goes */
		n = (i + (hash >> 21)) % (2 * FLR_PIN_WAYS);
		pin = &b[n / FLR_PIN_WAYS]->pin[n % FLR_PIN_WAYS];
		w = atomic64_read(pin);
		if (!w) {
			room[n / FLR_PIN_WAYS]++;
			free[n / FLR_PIN_WAYS] = pin;
			continue;
		}
		/* made just now; see flr_pin_settle() */
		if (flr_pin_is_of(w, hash))
			continue;
		old = flr_pin_unpack(w);
		yields = flr_pin_yields(&old, class, tick);
		if (yields > best) {
			best = yields;
			victim = pin;
			*word = w;
		}
	}
	if (!room[0] && !room[1])
		return victim;
	*word = 0;
	return free[room[1] > room[0]];
}

/* Take a pin back, whatever is noted in it meanwhile; false to look again */
static bool flr_pin_give_back(atomic64_t *mine, u64 next)
{
	u64 word = atomic64_read(mine);

	/* it is what a connection request has made of it, or it has gone */
	if (!flr_pin_is_of(word, next) || (word ^ next) & FLR_PIN_TARGET_MASK)
		return true;
	return flr_pin_replace(mine, word, 0);
}

/*
 * Two packets of one flow at the same time may have made two pins. All look for
 * them in one order, so only the first is heard, and it is to stay alone. One
 * that a connection request has set is right; another goes back.
 */
static void flr_pin_settle(struct flr_pin_bucket *b[2], u64 hash,
			   atomic64_t *mine, u64 next, enum flr_pin_class class)
{
	atomic64_t *first, *other;
	u64 word, extra;
	int tries;

	for (tries = 0; tries < 2 * FLR_PIN_WAYS; tries++) {
		first = flr_pin_find(b, hash, NULL, &word);
		other = first ? flr_pin_find(b, hash, first, &extra) : NULL;
		if (!other)
			return;
		if (class == FLR_PIN_SYN) {
			/* another goes when this one is there for sure */
			if (word == next || flr_pin_replace(first, word, next))
				flr_pin_replace(other, extra, 0);
			continue;
		}
		if (first == mine && !((word ^ extra) & FLR_PIN_TARGET_MASK))
			flr_pin_replace(other, extra, 0);
		else if (flr_pin_give_back(mine, next))
			return;
	}
}

/**
 * flr_pin_set() - pin a flow
 * @pins: pins
 * @hash: position of the flow
 * @target: where it goes
 * @class: FLR_PIN_SYN or FLR_PIN_SEEN
 * @tick: present tick of its ring
 *
 * Only a connection request changes where a flow is pinned to: with
 * FLR_PIN_SEEN a pin that there is stays.
 *
 * Context: any; under rcu_read_lock() for the sake of @pins.
 * Return: what became of it.
 */
enum flr_pin_result flr_pin_set(struct flr_pins *pins, u64 hash, u32 target,
				enum flr_pin_class class, u8 tick)
{
	u64 word, next = flr_pin_pack(hash, target, class, tick);
	enum flr_pin_result result;
	struct flr_pin_bucket *b[2];
	atomic64_t *at;
	int tries;

	flr_pin_buckets(pins, hash, b);
	/* others may change or take a place that was found; not for ever */
	for (tries = 0; tries < 2 * FLR_PIN_WAYS; tries++) {
		at = flr_pin_find(b, hash, NULL, &word);
		if (at) {
			result = flr_pin_unpack(word).target == target ?
				 FLR_PIN_SAME : FLR_PIN_MOVED;
			if (class == FLR_PIN_SEEN)
				return FLR_PIN_SAME;
		} else {
			at = flr_pin_place(b, hash, class, tick, &word);
			if (!at)
				break;
			result = word ? FLR_PIN_EVICTED : FLR_PIN_MADE;
		}
		if (flr_pin_replace(at, word, next)) {
			flr_pin_settle(b, hash, at, next, class);
			return result;
		}
	}
	return FLR_PIN_FULL;
}

/**
 * flr_pin_del() - unpin a flow
 * @pins: pins
 * @hash: position of the flow
 *
 * Context: any; under rcu_read_lock() for the sake of @pins.
 */
void flr_pin_del(struct flr_pins *pins, u64 hash)
{
	struct flr_pin_bucket *b[2];
	atomic64_t *at;
	int tries;
	u64 word;

	flr_pin_buckets(pins, hash, b);
	/* another packet of the flow may note that it is active meanwhile */
	for (tries = 0; tries < 4 * FLR_PIN_WAYS; tries++) {
		at = flr_pin_find(b, hash, NULL, &word);
		if (!at)
			break;
		flr_pin_replace(at, word, 0);
	}
}

/**
 * flr_pin_is_idle() - see whether the flow of a pin has gone quiet
 * @pin: pin
 * @tick: present tick of its ring
 *
 * Return: whether it has sent nothing for so long that the pin may go.
 */
bool flr_pin_is_idle(const struct flr_pin *pin, u8 tick)
{
	u8 age = flr_pin_age(pin, tick);

	if (pin->class == FLR_PIN_ENDING || pin->class == FLR_PIN_SYN)
		return age > FLR_PIN_TICKS_SHORT;
	return age > FLR_PIN_TICKS;
}

/**
 * flr_pins_sweep() - go through all pins
 * @pins: pins
 * @keep: says whether a pin stays
 * @data: for @keep
 *
 * A pin that a packet changes meanwhile is judged again.
 *
 * Context: process context, may sleep; @pins has to stay.
 */
void flr_pins_sweep(struct flr_pins *pins,
		    bool (*keep)(void *data, const struct flr_pin *pin),
		    void *data)
{
	struct flr_pin pin;
	atomic64_t *at;
	u32 i, j;
	u64 word;

	for (i = 0; i <= pins->mask; i++) {
		for (j = 0; j < FLR_PIN_WAYS; j++) {
			at = &pins->buckets[i].pin[j];
			while ((word = atomic64_read(at))) {
				pin = flr_pin_unpack(word);
				if (keep(data, &pin) ||
				    flr_pin_replace(at, word, 0))
					break;
			}
		}
		if (!(i & 0xff))
			cond_resched();
	}
}
