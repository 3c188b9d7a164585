// SPDX-License-Identifier: GPL-2.0
/*
 * The world of the model check: one ring, its backends, tables, window and
 * pins, changed in the steps in which the module changes them. Everything that
 * decides where a packet goes is the module's own code.
 */

#include "model.h"

const char * const model_mutations[MODEL_MUTATIONS] = {
	[MODEL_NO_MUTATION] = "none",
	[MODEL_SYN_UNPINNED] = "syn_unpinned_while_remembered_is_down",
	[MODEL_OVERWRITE] = "later_change_overwrites_remembered",
	[MODEL_FORGET_RETURNED] = "slot_given_back_remembers_nothing",
	[MODEL_DROP_AGREEING] = "open_window_drops_agreeing_pins",
	[MODEL_CLOSING_BLIND] = "closing_window_ignores_pins",
	[MODEL_UNMARKED] = "closing_window_marks_few_slots",
	[MODEL_IDLE_EARLY] = "pins_idle_out_early",
	[MODEL_REUSE_TARGETS] = "targets_used_again_at_once",
	[MODEL_TICK_RESTARTS] = "tick_restarts_with_each_window",
	[MODEL_DOWN_SERVES] = "remembered_owner_serves_while_down",
	[MODEL_GONE_STAYS] = "deleted_owner_stays_remembered",
	[MODEL_QUOTE_COUNTS] = "quoted_packet_counts_as_sent",
	[MODEL_SYN_TO_PIN] = "syn_goes_to_the_old_pin",
};

static const char * const names[MODEL_BACKENDS] = {
	"a", "b", "c", "d", "e", "f", "g",
};

static struct model *hooked_model;
bool flr_atomic_hooked;

/* Something else happens between two accesses to pins */
void flr_atomic_hook(void)
{
	struct model *m = hooked_model;
	const struct model_event *e = m->armed;
	u8 did = m->did;

	if (--m->countdown)
		return;
	flr_atomic_hooked = false;
	m->armed = NULL;
	m->nested = true;
	m->totals->races++;
	m->did = 0;
	model_step(m, e, 1);
	m->raced_did = m->did;
	m->did |= did;
	m->nested = false;
	m->raced = true;
	m->raced_kind = e->kind;
}

static void hook(struct model *m)
{
	hooked_model = m;
	flr_atomic_hooked = m->armed;
}

static void unhook(void)
{
	flr_atomic_hooked = false;
}

static const struct model_backend *by_target(const struct model *m, u32 target)
{
	u32 i;

	for (i = 0; i < MODEL_BACKENDS; i++) {
		if (m->live.b[i].life && m->live.b[i].target == target)
			return &m->live.b[i];
	}
	return NULL;
}

const struct model_backend *model_alive(const struct model *m, u32 life)
{
	u32 i;

	for (i = 0; life && i < MODEL_BACKENDS; i++) {
		if (m->live.b[i].life == life)
			return &m->live.b[i];
	}
	return NULL;
}

bool model_usable(const struct model *m, u32 life)
{
	const struct model_backend *b = model_alive(m, life);

	return b && b->state != MODEL_DOWN;
}

static bool usable(void *data, u32 target)
{
	const struct model *m = data;
	const struct model_backend *b = by_target(m, target);

	return b && (b->state != MODEL_DOWN ||
		     m->mutation == MODEL_DOWN_SERVES);
}

static bool gone(void *data, u32 target)
{
	const struct model *m = data;

	return !by_target(m, target) && m->mutation != MODEL_GONE_STAYS;
}

static u32 owner_target(const struct model_table *t, u64 hash)
{
	u16 owner = t->slots[flr_ring_slot(hash, t->bits)];

	return owner == FLR_NO_OWNER ? FLR_NO_TARGET : t->targets[owner];
}

u32 model_life_in(const struct model *m, const struct model_table *t, u64 hash)
{
	u32 target = owner_target(t, hash);

	return target == FLR_NO_TARGET ? 0 : m->life_of[target];
}

u32 model_pin_life(const struct model *m, u64 hash)
{
	u32 target = flr_pin_get(model_pins(m), hash, 0, FLR_SEG_QUOTE);

	return target == FLR_NO_TARGET ? 0 : m->life_of[target];
}

static struct flr_window *new_window(struct model *m, u32 bits)
{
	struct flr_window *w;

	w = (struct flr_window *)m->windows[m->nwindows++ % MODEL_BUFFERS];
	memset(w, 0, sizeof(*w) + (4U << bits));
	w->pins = model_pins(m);
	w->bits = bits;
	return w;
}

static struct flr_owners owners(const struct model_table *t)
{
	return (struct flr_owners){
		.slots = t->slots, .targets = t->targets, .bits = t->bits,
	};
}

/* The lowest number that stands for no backend, and is in no pin */
static u32 new_target(struct model *m)
{
	u32 target = 0;

	while (m->taken & 1ULL << target)
		target++;
	m->taken |= 1ULL << target;
	m->life_of[target] = ++m->lives;
	return target;
}

static void free_targets(struct model *m, const struct model_config *c)
{
	u32 i;

	m->taken = 0;
	for (i = 0; i < MODEL_BACKENDS; i++) {
		if (c->b[i].life && c->b[i].target != FLR_NO_TARGET)
			m->taken |= 1ULL << c->b[i].target;
	}
}

static const struct model_table *place(struct model *m)
{
	static struct flr_token tokens[2 * MODEL_BACKENDS * 16];
	static u32 counts[MODEL_BACKENDS], caps[MODEL_BACKENDS];
	struct model_table *t = &m->tables[m->ntables++ % MODEL_BUFFERS];
	struct flr_member member[MODEL_BACKENDS] = {};
	static u32 links[2 * MODEL_SLOTS];
	struct flr_options opt = {
		.key = m->s->key,
		.bits = m->live.bits,
		.vnodes = m->live.vnodes,
		.imbalance = m->live.imbalance,
	};
	struct flr_place p = {
		.slots = t->slots, .counts = counts, .caps = caps,
		.nids = MODEL_BACKENDS, .tokens = tokens, .links = links,
	};
	u32 i, n = 0;

	for (i = 0; i < MODEL_BACKENDS; i++) {
		t->targets[i] = m->live.b[i].target;
		if (!m->live.b[i].life)
			continue;
		member[n].name = names[i];
		member[n].zone = "";
		member[n].weight = m->live.b[i].weight;
		member[n].up = m->live.b[i].state == MODEL_UP;
		member[n++].id = i;
	}
	t->bits = opt.bits;
	flr_ring_place(&p, &opt, member, n);
	return t;
}

/* What slots remember, as some wrong rules would have it */
static void mutate_window(struct model *m, struct flr_window *w,
			  const struct model_table *to)
{
	u32 i, target;

	for (i = 0; i < 1U << w->bits; i++) {
		target = owner_target(to, flr_ring_pos(i, w->bits));
		if (m->mutation == MODEL_FORGET_RETURNED &&
		    w->slots[i] & FLR_SLOT_MOVED &&
		    (w->slots[i] & FLR_SLOT_TARGET) == target)
			w->slots[i] = FLR_SLOT_PINS;
	}
}

static const struct flr_window *mutate_old(struct model *m,
					   const struct flr_window *old)
{
	struct flr_window *w;

	if (!old || m->mutation != MODEL_OVERWRITE)
		return old;
	w = new_window(m, old->bits);
	flr_window_close(w, old);
	return w;
}

static void next_window(struct model *m, const struct model_table *from,
			const struct model_table *to)
{
	struct flr_owners a = owners(m->live.remembers ? from : to);
	const struct flr_window *old = m->window;
	struct flr_owners b = owners(to);
	u32 bits = from->bits > to->bits ? from->bits : to->bits;
	struct flr_window *w;
	bool moves;

	if (old && old->bits > bits)
		bits = old->bits;
	w = new_window(m, bits);
	moves = flr_window_next(w, mutate_old(m, old), &a, &b, gone, m);
	mutate_window(m, w, to);
	if (!w->moved && !old)
		return;
	m->totals->windows += !old;
	m->window = w;
	if (!w->moved)
		return;
	if (moves || m->closing)
		m->quiet = 0;
	m->closing = false;
}

static void commit(struct model *m)
{
	const struct model_table *from = m->table;
	u32 i;

	if (m->mutation == MODEL_REUSE_TARGETS)
		free_targets(m, &m->next);
	else if (!m->window)
		free_targets(m, &m->live);
	for (i = 0; i < MODEL_BACKENDS; i++) {
		struct model_backend *b = &m->next.b[i];

		if (!b->life || b->target != FLR_NO_TARGET)
			continue;
		b->target = new_target(m);
		b->life = m->lives;
	}
	m->live = m->next;
	m->table = place(m);
	if (!from)
		return;
	next_window(m, from, m->table);
	model_moved(m, from, m->table);
}

static void stage_backend(struct model_backend *b, const struct model_event *e)
{
	static const u16 weights[] = { 0, 1, 50, 100, 100, 150, 200 };

	if (e->a == MODEL_ADD && !b->life)
		*b = (struct model_backend){ 1, FLR_NO_TARGET, 100, MODEL_UP };
	if (!b->life)
		return;
	switch (e->a) {
	case MODEL_SET_STATE:
		b->state = e->value % 3;
		break;
	case MODEL_SET_WEIGHT:
		b->weight = weights[e->value % 7];
		break;
	case MODEL_DEL:
		*b = (struct model_backend){ .target = FLR_NO_TARGET };
		break;
	case MODEL_READDRESS:
		b->target = FLR_NO_TARGET;
		break;
	}
}

void model_change(struct model *m, const struct model_event *e)
{
	static const u8 imbalances[] = { 0, 5, 20, 100 };

	switch (e->a) {
	case MODEL_SET_BITS:
		m->next.bits = FLR_BITS_MIN + e->value % 3;
		break;
	case MODEL_SET_VNODES:
		m->next.vnodes = 1 + e->value % 8;
		break;
	case MODEL_SET_IMBALANCE:
		m->next.imbalance = imbalances[e->value % 4];
		break;
	case MODEL_SET_WINDOW:
		m->next.remembers = e->value % 4;
		break;
	default:
		stage_backend(&m->next.b[e->b % MODEL_BACKENDS], e);
	}
	if (e->commit)
		commit(m);
}

void model_begin(struct model *m, const struct model_setup *s)
{
	u32 i;

	m->s = s;
	m->live = s->config;
	m->next = s->config;
	m->table = NULL;
	m->window = NULL;
	m->closing = false;
	m->quiet = 0;
	m->lives = 0;
	m->taken = 0;
	m->now = 0;
	m->ticks = 0;
	m->heard = 0;
	m->armed = NULL;
	m->nested = false;
	m->raced = false;
	m->sweeping = false;
	m->busy = NULL;
	m->ntables = 0;
	m->nwindows = 0;
	m->why[0] = '\0';
	memset(m->flows, 0, sizeof(m->flows));
	for (i = 0; i < MODEL_FLOWS; i++)
		m->flows[i].number = i;
	memset(m->pins, 0, 64 + 8 * s->npins);
	model_pins(m)->mask = s->npins / FLR_PIN_WAYS - 1;
	commit(m);
}

/* Where a wrong rule sends a packet, or false */
static bool mutate_ask(struct model *m, struct model_asked *q)
{
	const struct flr_window *w = m->window;
	u32 slot = w->slots[flr_ring_slot(q->hash, w->bits)];
	u32 target;

	if (q->seg != FLR_SEG_SYN)
		return false;
	if (m->mutation == MODEL_SYN_UNPINNED)
		return slot & FLR_SLOT_MOVED &&
		       !usable(m, slot & FLR_SLOT_TARGET);
	if (m->mutation != MODEL_SYN_TO_PIN || !slot)
		return false;
	target = flr_pin_get(w->pins, q->hash, w->tick, FLR_SEG_QUOTE);
	if (target == FLR_NO_TARGET || !usable(m, target))
		return false;
	q->answer.target = target;
	return true;
}

/* One packet, from the tables that are there when it comes */
void model_ask(struct model *m, struct model_asked *q)
{
	const struct flr_window *w = m->window;
	struct flr_ask ask = {
		.hash = q->hash,
		.seg = q->seg,
		.present = owner_target(m->table, q->hash),
		.move = m->s->move,
		.usable = usable,
		.data = m,
	};

	q->present = ask.present;
	q->answer = (struct flr_answer){ .target = ask.present };
	if (m->mutation == MODEL_QUOTE_COUNTS && ask.seg == FLR_SEG_QUOTE)
		ask.seg = FLR_SEG_DATA;
	if (w && !mutate_ask(m, q)) {
		hook(m);
		q->answer = flr_window_pick(w, &ask);
		unhook();
	}
	m->totals->packets++;
	m->totals->why[q->answer.why]++;
	m->did |= q->answer.did;
	m->heard = m->ticks;
}

/* What a sweep knows: the window, and the one that it marks or NULL */
struct sweep {
	struct model *m;
	struct flr_window *fresh;
	u32 kept;
};

static bool keep(void *data, const struct flr_pin *pin)
{
	struct sweep *s = data;
	struct model *m = s->m;
	struct flr_owners now = owners(m->table);

	if (!by_target(m, pin->target) ||
	    !flr_window_needs(m->window, &now, pin))
		return false;
	if (m->mutation == MODEL_IDLE_EARLY &&
	    ((m->window->tick - pin->stamp) & 31) > 4)
		return false;
	if (m->mutation == MODEL_DROP_AGREEING &&
	    owner_target(m->table, pin->pos) == pin->target)
		return false;
	if (s->fresh && (m->mutation != MODEL_UNMARKED || pin->pos >> 62))
		flr_window_mark(s->fresh, pin);
	s->kept++;
	return true;
}

static bool empty(const struct flr_pins *pins)
{
	u32 i, j;

	for (i = 0; i <= pins->mask; i++) {
		for (j = 0; j < FLR_PIN_WAYS; j++) {
			if (atomic64_read(&pins->buckets[i].pin[j]))
				return false;
		}
	}
	return true;
}

/* Go through the pins; after the first step of closing this is the second */
void model_sweep(struct model *m)
{
	struct flr_window *fresh = NULL;
	struct sweep s = { .m = m };
	bool closing = m->closing;

	if (!m->window)
		return;
	if (closing) {
		fresh = new_window(m, m->window->bits);
		fresh->tick = m->mutation == MODEL_TICK_RESTARTS ?
			      0 : m->window->tick;
		s.fresh = fresh;
	}
	m->sweeping = true;
	hook(m);
	flr_pins_sweep(model_pins(m), keep, &s);
	unhook();
	m->sweeping = false;
	if (closing) {
		m->window = s.kept ? fresh : NULL;
		if (m->mutation == MODEL_CLOSING_BLIND)
			m->window = NULL;
		else if (!s.kept && !empty(model_pins(m)))
			model_fault(m, "pins are left in steady state");
		m->closing = m->window;
	}
	free_targets(m, &m->live);
	model_swept(m, closing);
}

/* The first step of closing */
void model_close(struct model *m)
{
	struct flr_window *w;

	if (!m->window || m->closing)
		return;
	w = new_window(m, m->window->bits);
	flr_window_close(w, m->window);
	m->window = w;
	m->closing = true;
	model_closed(m);
}

void model_tick(struct model *m)
{
	m->ticks++;
	if (!m->window)
		return;
	m->window->tick++;
	model_sweep(m);
	if (m->window && !m->closing &&
	    (++m->quiet >= m->s->window || !m->live.remembers))
		model_close(m);
}
