/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pins: flows whose backend is remembered, 8 bytes each. Pure functions over
 * the caller's memory, shared by the module and the tests.
 *
 * Documentation/windows.rst says when pins are made and looked at.
 */
#ifndef _FLOWRING_PIN_H
#define _FLOWRING_PIN_H

#include <linux/atomic.h>
#include <linux/types.h>

#define FLR_PIN_WAYS		8	/* pins in a bucket of 64 bytes */
#define FLR_PIN_TICKS		16	/* ticks until a pin idles out */
#define FLR_PIN_TICKS_SHORT	2	/* of a flow that begins or ends */

/* A target stands for a backend: a number below this */
#define FLR_TARGETS		0xfffff
#define FLR_NO_TARGET		0xfffff

/**
 * enum flr_pin_class - what is known of the flow of a pin
 * @FLR_PIN_ENDING: a FIN or RST was the last that it sent besides bare ACKs
 * @FLR_PIN_SYN: a connection request, and nothing since
 * @FLR_PIN_SEEN: one packet from the middle of a connection
 * @FLR_PIN_CONFIRMED: a packet since the pin was made; it is never evicted
 */
enum flr_pin_class {
	FLR_PIN_ENDING,
	FLR_PIN_SYN,
	FLR_PIN_SEEN,
	FLR_PIN_CONFIRMED,
};

/**
 * enum flr_segment - what a packet says of its connection
 * @FLR_SEG_NONE: it is of no connection that has a beginning
 * @FLR_SEG_SYN: it begins a connection
 * @FLR_SEG_ACK: neither data nor a flag
 * @FLR_SEG_DATA: data
 * @FLR_SEG_END: FIN or RST
 * @FLR_SEG_QUOTE: it was sent the other way, and an ICMP error quotes it
 */
enum flr_segment {
	FLR_SEG_NONE,
	FLR_SEG_SYN,
	FLR_SEG_ACK,
	FLR_SEG_DATA,
	FLR_SEG_END,
	FLR_SEG_QUOTE,
};

/**
 * enum flr_pin_result - what became of a pin that was to be set
 * @FLR_PIN_MADE: there was none, now there is
 * @FLR_PIN_SAME: it has had that target, or any that is not to be changed
 * @FLR_PIN_MOVED: it has had another target
 * @FLR_PIN_EVICTED: it was made in the place of another flow's
 * @FLR_PIN_FULL: there is no room for it
 */
enum flr_pin_result {
	FLR_PIN_MADE,
	FLR_PIN_SAME,
	FLR_PIN_MOVED,
	FLR_PIN_EVICTED,
	FLR_PIN_FULL,
};

/**
 * struct flr_pin - a pin, unpacked
 * @pos: position of the flow, its lowest 27 bits zero
 * @target: where it goes
 * @class: enum flr_pin_class
 * @stamp: tick of its last packet, modulo 32
 */
struct flr_pin {
	u64 pos;
	u32 target;
	u8 class;
	u8 stamp;
};

/**
 * struct flr_pin_bucket - one cache line of pins
 * @pin: the pins, packed, 0 for none
 */
struct flr_pin_bucket {
	atomic64_t pin[FLR_PIN_WAYS];
} __aligned(64);

/**
 * struct flr_pins - a table of pins
 * @mask: number of buckets less one
 * @buckets: the pins
 */
struct flr_pins {
	u32 mask;
	struct flr_pin_bucket buckets[];
};

u32 flr_pin_get(struct flr_pins *pins, u64 hash, u8 tick, enum flr_segment seg);
enum flr_pin_result flr_pin_set(struct flr_pins *pins, u64 hash, u32 target,
				enum flr_pin_class class, u8 tick);
void flr_pin_del(struct flr_pins *pins, u64 hash);
bool flr_pin_is_idle(const struct flr_pin *pin, u8 tick);
void flr_pins_sweep(struct flr_pins *pins,
		    bool (*keep)(void *data, const struct flr_pin *pin),
		    void *data);

#endif /* _FLOWRING_PIN_H */
