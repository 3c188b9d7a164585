/* SPDX-License-Identifier: GPL-2.0 */
/* Per-CPU counters of services and backends. */
#ifndef _FLOWRING_STATS_H
#define _FLOWRING_STATS_H

#include <linux/percpu.h>
#include <linux/u64_stats_sync.h>

#include "window.h"

struct sk_buff;

/* Why a packet was not steered, in the order of FLOWRING_A_STATS_* */
enum flr_drop {
	FLR_DROP_NO_BACKEND,
	FLR_DROP_NO_ROUTE,
	FLR_DROP_NOT_ON_LINK,
	FLR_DROP_TTL_EXPIRED,
	FLR_DROP_NO_MEMORY,
	FLR_DROP_INVALID,
	FLR_DROP_TOO_BIG,
	FLR_DROP_DENIED,
	FLR_DROPS
};

/**
 * struct flr_stats - counters of one CPU
 * @flows: new flows
 * @packets: packets steered
 * @bytes: their bytes, network header included
 * @drops: packets not steered, by reason
 * @syncp: makes them consistent on 32-bit hosts
 */
struct flr_stats {
	u64_stats_t flows;
	u64_stats_t packets;
	u64_stats_t bytes;
	u64_stats_t drops[FLR_DROPS];
	struct u64_stats_sync syncp;
};

/**
 * struct flr_window_stats - counters of one CPU, of the windows of a ring
 * @why: packets, by enum flr_why without FLR_WHY_STEADY
 * @did: what else happened, by the bits of FLR_DID_*
 * @syncp: makes them consistent on 32-bit hosts
 */
struct flr_window_stats {
	u64_stats_t why[FLR_WHY_REMEMBERED];
	u64_stats_t did[FLR_DID_BITS];
	struct u64_stats_sync syncp;
};

struct flr_stats __percpu *flr_stats_alloc(void);
void flr_stats_count(struct flr_stats __percpu *stats, unsigned int len,
		     bool flow);
void flr_stats_drop(struct flr_stats __percpu *stats, enum flr_drop reason);
int flr_stats_fill(struct sk_buff *skb, int attr,
		   const struct flr_stats __percpu *stats);

struct flr_window_stats __percpu *flr_window_stats_alloc(void);
void flr_window_stats_count(struct flr_window_stats __percpu *stats,
			    const struct flr_answer *answer);
int flr_window_stats_fill(struct sk_buff *skb, int attr,
			  const struct flr_window_stats __percpu *stats,
			  u64 idle, u64 forgotten);

#endif /* _FLOWRING_STATS_H */
