// SPDX-License-Identifier: GPL-2.0
/*
 * The oracle of the model check. It knows which backend has the connection of
 * each flow, and states on its own, flow by flow, what the page windows.rst in
 * Documentation promises: a packet goes to the backend that has its connection
 * while that one can serve, but for flows on the list of that page.
 */

#include <stdarg.h>

#include "model.h"

#define IDLE_TICKS	16
#define IDLE_BRIEF	2
#define UNYIELDING	16	/* as many places as a flow may have a pin in */

void model_fault(struct model *m, const char *fmt, ...)
{
	va_list ap;

	if (m->why[0])
		return;
	va_start(ap, fmt);
	vsnprintf(m->why, sizeof(m->why), fmt, ap);
	va_end(ap);
}

static u64 flow_hash(const struct model *m, const struct model_flow *f)
{
	return m->s->hash[f->number];
}

/* What is never to be seen; @to is where a packet went, or 0 before one does */
static void lost(struct model *m, const struct model_flow *f, u32 to)
{
	m->totals->lost += !m->why[0];
	if (to)
		model_fault(m, "flow %u: lost, went to %u, not to %u",
			    f->number, to, f->life);
	else
		model_fault(m, "flow %u: lost, no way leads to %u", f->number,
			    f->life);
}

static bool is_idle(const struct model *m, const struct model_flow *f)
{
	return m->ticks - f->last_tick > (f->brief ? IDLE_BRIEF : IDLE_TICKS);
}

/* A pin made way for that of another flow: see that it was one that may */
static void judge_evicted(struct model *m, const struct model_flow *f)
{
	u32 n = f->number;

	if (!m->nested && !(m->did & FLR_DID_EVICT))
		model_fault(m, "flow %u: its pin was lost", n);
	else if (f->class == FLR_PIN_CONFIRMED)
		model_fault(m, "flow %u: evicted though confirmed", n);
	else if (m->evictor == FLR_PIN_SYN &&
		 (f->class == FLR_PIN_SEEN || m->ticks - f->last_tick < 2))
		model_fault(m, "flow %u: evicted by a SYN", n);
}

/* A flow's pin is no more */
static u8 judge_unpinned(struct model *m, const struct model_flow *f,
			 enum model_kind kind)
{
	bool swept = kind == MODEL_TICK || m->sweeping;

	if (swept && is_idle(m, f))
		return MODEL_IDLE;
	/* it agrees with the table */
	if (swept && !f->moved &&
	    model_life_in(m, m->table, flow_hash(m, f)) == f->life)
		return MODEL_NO_EXCUSE;
	/* what is within a packet may come after that one has evicted it */
	if (kind == MODEL_PACKET || m->nested) {
		judge_evicted(m, f);
		return MODEL_EVICTED;
	}
	model_fault(m, "flow %u: its pin was dropped", f->number);
	return MODEL_NO_EXCUSE;
}

/*
 * Whether a flow would be found now, and if not any more, whether what happened
 * is on the list.
 */
static void judge(struct model *m, struct model_flow *f, enum model_kind kind)
{
	u32 pin = model_pin_life(m, flow_hash(m, f)), at;
	bool had = f->pinned;

	f->pinned = pin;
	if (!model_alive(m, f->life))
		f->life = 0;
	if (!f->life)
		return;
	if (had && !pin)
		f->cause = judge_unpinned(m, f, kind);
	if (pin)
		at = pin;
	else if (f->moved)
		at = f->remembered;
	else
		at = model_life_in(m, m->table, flow_hash(m, f));
	if (at == f->life) {
		f->excuse = MODEL_NO_EXCUSE;
		if (pin || !f->moved)
			f->cause = MODEL_NO_EXCUSE;
		return;
	}
	if (f->excuse)
		return;
	f->excuse = f->cause;
	if (f->excuse)
		return;
	if (kind == MODEL_CLOSE && f->last < f->moved_at)
		f->excuse = MODEL_IDLE;
	else if (kind == MODEL_CHANGE && !m->live.remembers && !pin)
		f->excuse = MODEL_WINDOW_OFF;
	else
		lost(m, f, 0);
}

static void judge_all(struct model *m, enum model_kind kind)
{
	u32 i;

	for (i = 0; i < m->s->nflows; i++) {
		if (m->s->tcp[i] && m->busy != &m->flows[i])
			judge(m, &m->flows[i], kind);
	}
}

/* What the flows' slots remember, by the rule in design's own words */
void model_moved(struct model *m, const struct model_table *from,
		 const struct model_table *to)
{
	u32 i, before, after;

	for (i = 0; i < m->s->nflows; i++) {
		struct model_flow *f = &m->flows[i];

		before = model_life_in(m, from, m->s->hash[i]);
		after = model_life_in(m, to, m->s->hash[i]);
		if (!f->moved && m->live.remembers && before &&
		    before != after) {
			f->moved = true;
			f->moved_at = m->now;
			f->remembered = before;
		}
		if (!model_alive(m, f->remembered))
			f->remembered = 0;
	}
	judge_all(m, MODEL_CHANGE);
}

void model_closed(struct model *m)
{
	u32 i;

	for (i = 0; i < m->s->nflows; i++) {
		if (!m->flows[i].moved)
			m->flows[i].moved_at = 0;
		m->flows[i].moved = false;
		m->flows[i].remembered = 0;
	}
	judge_all(m, MODEL_CLOSE);
}

/* After a sweep; @closing is whether the window was closing before */
void model_swept(struct model *m, bool closing)
{
	judge_all(m, MODEL_TICK);
	if (closing && m->window && m->ticks - m->heard > IDLE_TICKS)
		model_fault(m, "a ring does not get to steady state");
}

/* Count pins that make no room for one of a class */
struct unyielding {
	u32 n;
	u8 class;
};

static bool count_unyielding(void *data, const struct flr_pin *pin)
{
	struct unyielding *u = data;

	u->n += u->class == FLR_PIN_SYN || pin->class == FLR_PIN_CONFIRMED;
	return true;
}

/* A flow has no pin that should have got one: see that there was no room */
static void judge_full(struct model *m, struct model_flow *f, u8 class, u8 did)
{
	struct unyielding u = { .class = class };

	if (m->raced && m->raced_did & FLR_DID_EVICT)
		f->cause = MODEL_EVICTED;
	if (f->cause)
		return;
	if (!(did & FLR_DID_FULL)) {
		model_fault(m, "flow %u: not pinned", f->number);
		return;
	}
	f->cause = MODEL_FULL;
	if (m->raced)
		return;
	flr_pins_sweep(model_pins(m), count_unyielding, &u);
	if (u.n < UNYIELDING)
		model_fault(m, "flow %u: not pinned though there was room",
			    f->number);
}

/* What else happened while a packet was on its way may have taken its pin */
static void judge_raced(struct model *m, struct model_flow *f,
			const struct model_flow *was)
{
	u32 pin = model_pin_life(m, flow_hash(m, f));

	if (!m->raced || !was->pinned || pin == was->pinned)
		return;
	f->pinned = pin;
	if (m->raced_kind == MODEL_TICK || m->raced_kind == MODEL_GRACE) {
		if (is_idle(m, was))
			f->cause = MODEL_IDLE;
	} else if (m->raced_kind == MODEL_PACKET ||
		   m->raced_kind == MODEL_FLOOD) {
		if (!was->down)
			judge_evicted(m, was);
		f->cause = MODEL_EVICTED;
	}
	f->excuse = f->cause;
}

/* A backend that gets a packet has to be one that can serve */
static u32 judge_answer(struct model *m, const struct model_asked *q)
{
	u32 target = q->answer.target, life;

	if (target == FLR_NO_TARGET) {
		if (q->present != FLR_NO_TARGET)
			model_fault(m, "a packet goes nowhere");
		return 0;
	}
	life = m->life_of[target];
	if (!m->raced && !model_usable(m, life))
		model_fault(m, "a packet goes to who cannot serve");
	return life;
}

static void datagram(struct model *m, struct model_flow *f)
{
	struct model_asked q = {
		.hash = flow_hash(m, f), .seg = FLR_SEG_NONE,
	};
	u32 want = model_life_in(m, m->table, q.hash), got;

	if (f->moved && !m->s->move && model_usable(m, f->remembered))
		want = f->remembered;
	model_ask(m, &q);
	got = judge_answer(m, &q);
	if (got != want && !m->raced)
		model_fault(m, "flow %u: datagram goes to %u, not %u",
			    f->number, got, want);
}

static bool may_lose(const struct model *m, const struct model_flow *f)
{
	return f->excuse || !model_usable(m, f->life);
}

/* What an ICMP error quotes: it goes where data goes, and changes nothing */
static void quote(struct model *m, struct model_flow *f)
{
	struct model_asked q = {
		.hash = flow_hash(m, f), .seg = FLR_SEG_QUOTE,
	}, data = { .hash = q.hash, .seg = FLR_SEG_DATA };
	size_t size = 64 + 8 * m->s->npins;
	bool lose = may_lose(m, f);
	u32 syns = f->syns;
	static u8 saved[64 + 8 * MODEL_PINS_MAX];

	if (m->armed || m->nested) {
		model_ask(m, &q);
		lose |= may_lose(m, f) || is_idle(m, f) || m->busy == f;
		if (judge_answer(m, &q) != f->life && f->life && !lose &&
		    f->syns == syns)
			model_fault(m, "flow %u: quote lost", f->number);
		return;
	}
	memcpy(saved, m->pins, size);
	model_ask(m, &q);
	if (memcmp(saved, m->pins, size))
		model_fault(m, "flow %u: a quote changed pins", f->number);
	model_ask(m, &data);
	memcpy(m->pins, saved, size);
	if (judge_answer(m, &q) != f->life && f->life && !lose)
		model_fault(m, "flow %u: quote lost", f->number);
	if (data.answer.target != q.answer.target)
		model_fault(m, "flow %u: a quote does not follow its flow",
			    f->number);
}

static void note_class(struct model_flow *f, enum flr_segment seg, bool had)
{
	if (seg == FLR_SEG_SYN)
		f->class = FLR_PIN_SYN;
	else if (!had)
		f->class = FLR_PIN_SEEN;
	else if (seg == FLR_SEG_END)
		f->class = FLR_PIN_ENDING;
	else if (seg == FLR_SEG_DATA || f->class != FLR_PIN_ENDING)
		f->class = FLR_PIN_CONFIRMED;
}

static void note_sent(struct model_flow *f, enum flr_segment seg, u64 when,
		      u64 tick)
{
	f->last = when;
	f->last_tick = tick;
	f->half = seg == FLR_SEG_SYN;
	if (seg == FLR_SEG_END)
		f->ended = true;
	else if (seg != FLR_SEG_ACK)
		f->ended = false;
	f->brief = f->half || f->ended;
}

/* The end of a connection is noted late, perhaps for that of a new one */
static void note_late_end(struct model_flow *f)
{
	f->class = FLR_PIN_ENDING;
	f->ended = true;
	f->brief = true;
}

static void syn(struct model *m, struct model_flow *f,
		const struct model_asked *q, const struct model_flow *was)
{
	u32 present = q->present == FLR_NO_TARGET ? 0 : m->life_of[q->present];
	bool wants = was->moved && present, full = false;
	u32 got = judge_answer(m, q);

	if (was->half && was->life && got != was->life &&
	    model_usable(m, was->life))
		m->totals->restarted++;
	f->life = got;
	f->excuse = MODEL_NO_EXCUSE;
	f->cause = MODEL_NO_EXCUSE;
	f->pinned = model_pin_life(m, q->hash);
	/* of two SYNs at once, that with a pin is the one that is heard */
	if (f->pinned && f->syns != was->syns + 1)
		f->life = f->pinned;
	if (f->pinned && !wants && !m->raced)
		model_fault(m, "flow %u: pinned where nothing moved",
			    f->number);
	if (wants && !f->pinned) {
		judge_full(m, f, FLR_PIN_SYN, q->answer.did);
		full = f->cause == MODEL_FULL;
	}
	if (full && model_usable(m, was->remembered) && !m->raced)
		present = was->remembered;
	if (got != present && !(m->raced && got == was->remembered))
		model_fault(m, "flow %u: SYN goes to %u, not %u",
			    f->number, got, present);
}

static void middle(struct model *m, struct model_flow *f,
		   const struct model_asked *q, const struct model_flow *was)
{
	bool pinned = model_pin_life(m, q->hash);
	u32 got = judge_answer(m, q);

	judge_raced(m, f, was);
	if (!was->life)
		return;
	if (got != was->life) {
		if (!model_usable(m, was->life) || was->down) {
			m->totals->operator++;
		} else if (was->excuse || f->excuse) {
			m->totals->listed[was->excuse ? was->excuse :
					  f->excuse]++;
		} else {
			lost(m, was, got);
		}
		f->life = 0;
		return;
	}
	/* it went down or came up meanwhile: luck, if it was reached */
	if (was->down || !model_usable(m, got))
		f->life = 0;
	else if (was->moved && !pinned && was->remembered == got)
		judge_full(m, f, FLR_PIN_SEEN, q->answer.did);
	else if (!was->moved && !was->pinned && pinned && !m->raced)
		model_fault(m, "flow %u: pinned where nothing moved",
			    f->number);
}

static void segment(struct model *m, struct model_flow *f, enum flr_segment seg)
{
	struct model_asked q = { .hash = flow_hash(m, f), .seg = seg };
	struct model_flow *busy = m->busy, was;
	u64 when = m->now, tick = m->ticks;
	bool together;

	was = *f;
	was.down = !model_usable(m, f->life);
	f->syns += seg == FLR_SEG_SYN;
	f->late_end = busy == f && seg == FLR_SEG_END;
	/* of two packets of one flow at once, a SYN is who is right */
	if (busy == f && m->busy_seg == FLR_SEG_SYN) {
		model_ask(m, &q);
		judge_answer(m, &q);
		return;
	}
	m->busy = f;
	m->busy_seg = seg;
	model_ask(m, &q);
	m->busy = busy;
	if (seg != FLR_SEG_SYN && f->syns != was.syns) {
		if (seg == FLR_SEG_END)
			note_late_end(f);
		return;
	}
	together = f->last != was.last;
	if (seg == FLR_SEG_SYN)
		syn(m, f, &q, &was);
	else
		middle(m, f, &q, &was);
	note_sent(f, seg, when, tick);
	note_class(f, seg, was.pinned);
	if (m->raced && f->class > was.class)
		f->class = was.class;
	/* of two at once, an end may be what is noted last */
	if (f->late_end || (together && (was.ended || seg == FLR_SEG_END)))
		note_late_end(f);
	if (busy != f)
		judge(m, f, m->raced ? m->raced_kind : MODEL_PACKET);
}

/* What a pin had to make way for; with two packets at once, not known */
static enum flr_pin_class evictor(const struct model *m, enum flr_segment seg)
{
	return seg == FLR_SEG_SYN && !m->nested && !m->raced ? FLR_PIN_SYN :
							       FLR_PIN_SEEN;
}

void model_packet(struct model *m, u32 flow, enum flr_segment seg)
{
	struct model_flow *f = &m->flows[flow % m->s->nflows];

	m->evictor = evictor(m, seg);
	if (m->nested)
		judge_all(m, MODEL_PACKET);
	if (!m->s->tcp[f->number])
		return datagram(m, f);
	if (seg == FLR_SEG_QUOTE)
		return quote(m, f);
	segment(m, f, seg);
	m->evictor = evictor(m, seg);
	judge_all(m, MODEL_PACKET);
}

/* Whether a pin could not tell it from a flow: it happens, and is on the list */
static bool is_a_flow(const struct model *m, u64 hash)
{
	u32 i;

	for (i = 0; i < m->s->nflows; i++) {
		if (!((m->s->hash[i] ^ hash) >> 27))
			return true;
	}
	return false;
}

/* Packets of others: spoofed SYNs, or flows that are here once or twice */
void model_flood(struct model *m, u32 n, enum flr_segment seg, u64 seed)
{
	struct model_asked q = { .seg = seg };
	u32 i;

	m->evictor = evictor(m, seg);
	if (m->nested)
		judge_all(m, MODEL_PACKET);
	for (i = 0; i < n; i++) {
		/* in slots of the flows */
		q.hash = m->s->hash[model_random(&seed) % m->s->nflows];
		q.hash ^= model_random(&seed) >> MODEL_BITS_MAX;
		if (is_a_flow(m, q.hash))
			continue;
		model_ask(m, &q);
		judge_answer(m, &q);
	}
	m->evictor = evictor(m, seg);
	judge_all(m, MODEL_PACKET);
}
