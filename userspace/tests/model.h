/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model check of windows and pins: a world that does with kmod/window.c,
 * pin.c and ring.c what the module does, and an oracle that knows which
 * backend has which connection.
 */
#ifndef _FLOWRING_TESTS_MODEL_H
#define _FLOWRING_TESTS_MODEL_H

#include <stdio.h>
#include <string.h>

#include "../../kmod/pin.h"
#include "../../kmod/ring.h"
#include "../../kmod/window.h"

#define MODEL_BACKENDS	7
#define MODEL_FLOWS	40
#define MODEL_EVENTS	240
#define MODEL_BITS_MAX	10
#define MODEL_SLOTS	1024	/* 2^MODEL_BITS_MAX */
#define MODEL_PINS_MAX	1024
#define MODEL_TARGETS	64
#define MODEL_BUFFERS	8

enum model_state { MODEL_UP, MODEL_DRAIN, MODEL_DOWN };

/* One backend; @life numbers all that ever were, 0 for one that is not there */
struct model_backend {
	u32 life;
	u32 target;
	u32 weight;
	u8 state;
};

struct model_config {
	struct model_backend b[MODEL_BACKENDS];
	u32 bits;
	u32 vnodes;
	u32 imbalance;
	bool remembers;		/* option window is not 0 */
};

struct model_table {
	u16 slots[MODEL_SLOTS];
	u32 targets[MODEL_BACKENDS];
	u32 bits;
};

/* What is decided once for a sequence */
struct model_setup {
	siphash_key_t key;
	u32 npins;
	u32 nflows;
	u32 window;		/* ticks without a change until it closes */
	bool move;		/* option udp */
	struct model_config config;
	u64 hash[MODEL_FLOWS];
	bool tcp[MODEL_FLOWS];
};

enum model_kind {
	MODEL_PACKET,		/* flow, segment */
	MODEL_FLOOD,		/* packets, segment; seed */
	MODEL_CHANGE,		/* enum model_op, backend; value, commit too */
	MODEL_TICK,		/* how many */
	MODEL_CLOSE,		/* first step, by hand */
	MODEL_GRACE,		/* second step */
};

enum model_op {
	MODEL_SET_STATE,
	MODEL_SET_WEIGHT,
	MODEL_ADD,
	MODEL_DEL,
	MODEL_READDRESS,
	MODEL_SET_BITS,
	MODEL_SET_VNODES,
	MODEL_SET_IMBALANCE,
	MODEL_SET_WINDOW,
	MODEL_OPS,
};

/* @race: it happens within the event before, at that access to a pin */
struct model_event {
	u8 kind;
	u8 a;
	u8 b;
	u8 race;
	u16 value;
	bool commit;
};

struct model_sequence {
	u64 seed;
	u32 n;
	struct model_event events[MODEL_EVENTS];
};

/* Faults that the world can be told to have, to see each found */
enum model_mutation {
	MODEL_NO_MUTATION,
	MODEL_SYN_UNPINNED,
	MODEL_OVERWRITE,
	MODEL_FORGET_RETURNED,
	MODEL_DROP_AGREEING,
	MODEL_CLOSING_BLIND,
	MODEL_UNMARKED,
	MODEL_IDLE_EARLY,
	MODEL_REUSE_TARGETS,
	MODEL_TICK_RESTARTS,
	MODEL_DOWN_SERVES,
	MODEL_GONE_STAYS,
	MODEL_QUOTE_COUNTS,
	MODEL_SYN_TO_PIN,
	MODEL_MUTATIONS,
};

extern const char * const model_mutations[MODEL_MUTATIONS];

/* Why a flow may be lost; and what the oracle knows of one */
enum model_excuse {
	MODEL_NO_EXCUSE,
	MODEL_IDLE,
	MODEL_EVICTED,
	MODEL_FULL,
	MODEL_WINDOW_OFF,
	MODEL_EXCUSES,
};

/* What the oracle takes a pin for; the order is that of enum flr_pin_class */
struct model_flow {
	u32 life;		/* backend that has its connection, or 0 */
	u32 remembered;		/* life of that owner, if @moved */
	u64 last;		/* event of its last packet */
	u64 moved_at;		/* event that moved its slot */
	u64 last_tick;
	u32 number;
	u32 pinned;		/* to that life, or 0 */
	u32 syns;		/* to tell whether another SYN came meanwhile */
	u8 excuse;
	u8 cause;		/* why it has no pin, if it had or wanted one */
	u8 class;
	bool moved;
	bool half;		/* nothing since its SYN */
	bool brief;		/* it begins or ends */
	bool ended;
	bool late_end;
	bool down;		/* of a copy: its backend could not serve */
};

struct model_totals {
	u64 sequences;
	u64 packets;
	u64 events;
	u64 lost;
	u64 listed[MODEL_EXCUSES];
	u64 restarted;
	u64 operator;
	u64 why[4];
	u64 races;
	u64 windows;
};

struct model {
	const struct model_setup *s;
	struct model_totals *totals;
	enum model_mutation mutation;
	struct model_config live;
	struct model_config next;
	const struct model_table *table;
	struct flr_window *window;
	bool closing;
	u32 quiet;		/* ticks since the last change of an owner */
	u32 lives;
	u32 life_of[MODEL_TARGETS];
	u64 now;		/* number of the event */
	u64 ticks;
	u64 heard;		/* tick of the last packet */
	struct model_flow flows[MODEL_FLOWS];
	u64 taken;		/* targets of backends, or in pins */
	const struct model_event *armed;
	u32 countdown;
	bool nested;		/* in an event that races with another */
	bool raced;		/* another has raced with this one */
	bool sweeping;
	u8 did;
	u8 raced_did;
	enum model_kind raced_kind;
	enum flr_segment busy_seg;
	enum flr_pin_class evictor;
	struct model_flow *busy;
	char why[160];
	u32 ntables;
	u32 nwindows;
	struct model_table tables[MODEL_BUFFERS];
	u64 windows[MODEL_BUFFERS][(sizeof(struct flr_window) +
				    4 * MODEL_SLOTS) / 8];
	u8 pins[64 + 8 * MODEL_PINS_MAX] __aligned(64);
};

/* A packet while it is on its way */
struct model_asked {
	u64 hash;
	enum flr_segment seg;
	u32 present;		/* target of its slot's owner then */
	struct flr_answer answer;
};

static inline u64 model_random(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static inline struct flr_pins *model_pins(const struct model *m)
{
	return (struct flr_pins *)m->pins;
}

/* The world */
void model_begin(struct model *m, const struct model_setup *s);
void model_ask(struct model *m, struct model_asked *q);
void model_change(struct model *m, const struct model_event *e);
void model_tick(struct model *m);
void model_close(struct model *m);
void model_sweep(struct model *m);
u32 model_life_in(const struct model *m, const struct model_table *t, u64 hash);
u32 model_pin_life(const struct model *m, u64 hash);
const struct model_backend *model_alive(const struct model *m, u32 life);
bool model_usable(const struct model *m, u32 life);

/* The oracle */
void model_packet(struct model *m, u32 flow, enum flr_segment seg);
void model_flood(struct model *m, u32 n, enum flr_segment seg, u64 seed);
void model_moved(struct model *m, const struct model_table *from,
		 const struct model_table *to);
void model_closed(struct model *m);
void model_swept(struct model *m, bool closing);
void model_fault(struct model *m, const char *fmt, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/* An event, and those that race with it */
u32 model_step(struct model *m, const struct model_event *e, u32 n);

#endif /* _FLOWRING_TESTS_MODEL_H */
