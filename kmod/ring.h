/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring: tokens of backends on a circle of 64 bits, and the slot table that
 * is made from them. Pure functions over the caller's memory, shared by the
 * module, the tool and the tests. Documentation/hash.rst is the normative text.
 */
#ifndef _FLOWRING_RING_H
#define _FLOWRING_RING_H

#include <linux/types.h>
#include <linux/siphash.h>

#define FLR_BITS_MIN	8
#define FLR_BITS_MAX	20
#define FLR_NO_OWNER	0xffff	/* a slot without an owner */

/**
 * struct flr_options - options of a ring
 * @key: the ring's key
 * @bits: there are 2^bits slots
 * @vnodes: tokens of a backend of weight 100
 * @imbalance: percent that a backend may own beyond its weighted share of the
 *	slots, 0 for no bound
 * @window: seconds that moved slots remember their owners, 0 for not at all
 * @pin_idle: seconds after which the pin of a quiet flow goes
 * @no_backend: enum flowring_no_backend
 * @masquerade: enum flowring_switch
 * @udp: enum flowring_udp
 */
struct flr_options {
	siphash_key_t key;
	u32 bits;
	u32 vnodes;
	u32 imbalance;
	u32 window;
	u32 pin_idle;
	u8 no_backend;
	u8 masquerade;
	u8 udp;
};

/**
 * struct flr_member - a backend as the ring sees it
 * @name: identity
 * @zone: where it stands, "" for nowhere
 * @tokens: explicit tokens, ascending, or NULL for derived ones
 * @ntokens: how many explicit tokens
 * @weight: 0 to 10000
 * @id: what its slots hold
 * @up: it may own slots
 * @mode: enum flowring_mode
 * @state: enum flowring_state
 * @ipv6: family of @addr
 * @checksum: a gue tunnel has UDP checksums
 * @mark: firewall mark, 0 for none
 * @port: port that nat translates to or that of a gue tunnel, in host byte
 *	order, 0 for none
 * @addr: address, 4 or 16 bytes, the others zero
 */
struct flr_member {
	const char *name;
	const char *zone;
	const u64 *tokens;
	u32 ntokens;
	u32 weight;
	u16 id;
	bool up;
	u8 mode;
	u8 state;
	bool ipv6;
	bool checksum;
	u32 mark;
	u16 port;
	u8 addr[16];
};

/**
 * struct flr_token - a position on the ring that belongs to a backend
 * @pos: the position
 * @next: used while slots are placed
 * @owner: the backend's id, what its slots hold
 * @queued: used while slots are placed
 */
struct flr_token {
	u64 pos;
	u32 next;
	u16 owner;
	u16 queued;
};

/**
 * struct flr_place - the memory in which a table is made
 * @slots: gets the owners, room for 2^bits
 * @counts: gets the slots that each backend owns, by id
 * @caps: gets the slots that each backend may own at most, by id
 * @nids: ids are below this, and as many are in @counts and @caps
 * @tokens: room for two times flr_ring_total()
 * @links: room for two times 2^bits, not needed without a bound
 */
struct flr_place {
	u16 *slots;
	u32 *counts;
	u32 *caps;
	u32 nids;
	struct flr_token *tokens;
	u32 *links;
};

/**
 * struct flr_view - a table that is compared with another
 * @key: the ring's key
 * @slots: the owners
 * @counts: the slots that each backend owns, by id
 * @bits: there are 2^bits slots
 * @nids: as many are in @counts
 */
struct flr_view {
	siphash_key_t key;
	const u16 *slots;
	const u32 *counts;
	u32 bits;
	u32 nids;
};

/**
 * struct flr_reach - what choosing owners needs to know of a member
 * @dist: from the position onwards to its nearest token
 * @taken: it is in the list, or cannot be
 * @near: one of its zone is in the list
 */
struct flr_reach {
	u64 dist;
	bool taken;
	bool near;
};

u32 flr_ring_ntokens(u32 vnodes, u32 weight);
u32 flr_member_ntokens(const struct flr_options *opt,
		       const struct flr_member *m);
u32 flr_ring_total(const struct flr_options *opt, const struct flr_member *m,
		   u32 n);
u64 flr_ring_token(const siphash_key_t *key, const char *name, size_t len,
		   u32 j);
void flr_ring_add(struct flr_token *tokens, u32 n, const siphash_key_t *key,
		  const char *name, size_t len, u16 owner);
void flr_ring_sort(struct flr_token *tokens, struct flr_token *scratch, u32 n);
u16 flr_ring_owner(const struct flr_token *tokens, u32 n, u64 pos);
void flr_ring_fill(u16 *slots, u32 bits, const struct flr_token *tokens, u32 n);
void flr_ring_capacities(u32 *caps, u32 nids, const struct flr_options *opt,
			 const struct flr_member *m, u32 n);
void flr_ring_bound(const struct flr_place *p, u32 bits, u32 n);
void flr_ring_place(const struct flr_place *p, const struct flr_options *opt,
		    const struct flr_member *m, u32 n);
u32 flr_ring_moved(const struct flr_view *from, const struct flr_view *to);
u32 flr_ring_least(const struct flr_view *from, const struct flr_view *to);
u64 flr_ring_fingerprint(const struct flr_options *opt,
			 const struct flr_member *m, u32 n);
u32 flr_ring_owners(u32 *list, u32 max, const struct flr_options *opt,
		    const struct flr_member *m, u32 n, u64 pos, u16 first,
		    struct flr_reach *reach);

/**
 * flr_ring_slot() - slot of a position
 * @pos: position on the ring
 * @bits: the table has 2^bits slots
 *
 * Return: the slot's number, the top @bits bits of @pos.
 */
static inline u32 flr_ring_slot(u64 pos, u32 bits)
{
	return pos >> (64 - bits);
}

/**
 * flr_ring_pos() - position that a slot stands for
 * @slot: number of the slot
 * @bits: the table has 2^bits slots
 *
 * Return: its first position.
 */
static inline u64 flr_ring_pos(u32 slot, u32 bits)
{
	return (u64)slot << (64 - bits);
}

#endif /* _FLOWRING_RING_H */
