// SPDX-License-Identifier: GPL-2.0
/* Per-CPU counters of services and backends. */

#include <linux/bottom_half.h>
#include <net/netlink.h>
#include <uapi/linux/flowring.h>

#include "stats.h"

static_assert(FLOWRING_A_STATS_DENIED - FLOWRING_A_STATS_NO_BACKEND ==
	      FLR_DROP_DENIED);

/**
 * flr_stats_alloc() - make a set of counters, all zero
 *
 * Context: process context, may sleep.
 * Return: the counters, to be freed with free_percpu(), or NULL.
 */
struct flr_stats __percpu *flr_stats_alloc(void)
{
	struct flr_stats __percpu *stats;
	int cpu;

	stats = alloc_percpu_gfp(struct flr_stats, GFP_KERNEL_ACCOUNT);
	if (!stats)
		return NULL;
	for_each_possible_cpu(cpu)
		u64_stats_init(&per_cpu_ptr(stats, cpu)->syncp);
	return stats;
}

/**
 * flr_stats_count() - count a packet that is steered
 * @stats: counters
 * @len: bytes of the packet, network header included
 * @flow: it begins a flow
 *
 * Context: any but hard interrupts.
 */
void flr_stats_count(struct flr_stats __percpu *stats, unsigned int len,
		     bool flow)
{
	struct flr_stats *s;

	local_bh_disable();
	s = this_cpu_ptr(stats);
	u64_stats_update_begin(&s->syncp);
	if (flow)
		u64_stats_inc(&s->flows);
	u64_stats_inc(&s->packets);
	u64_stats_add(&s->bytes, len);
	u64_stats_update_end(&s->syncp);
	local_bh_enable();
}

/**
 * flr_stats_drop() - count a packet that is not steered
 * @stats: counters
 * @reason: why
 *
 * Context: any but hard interrupts.
 */
void flr_stats_drop(struct flr_stats __percpu *stats, enum flr_drop reason)
{
	struct flr_stats *s;

	local_bh_disable();
	s = this_cpu_ptr(stats);
	u64_stats_update_begin(&s->syncp);
	u64_stats_inc(&s->drops[reason]);
	u64_stats_update_end(&s->syncp);
	local_bh_enable();
}

/* Values of a set of counters, FLOWRING_A_STATS_FLOWS first */
#define FLR_STATS_VALUES (FLOWRING_A_STATS_DENIED - FLOWRING_A_STATS_FLOWS + 1)

static void flr_stats_sum(const struct flr_stats __percpu *stats, u64 *sum)
{
	int cpu;

	memset(sum, 0, FLR_STATS_VALUES * sizeof(*sum));
	for_each_possible_cpu(cpu) {
		const struct flr_stats *s = per_cpu_ptr(stats, cpu);
		u64 v[FLR_STATS_VALUES];
		unsigned int start;
		int i;

		do {
			start = u64_stats_fetch_begin(&s->syncp);
			v[0] = u64_stats_read(&s->flows);
			v[1] = u64_stats_read(&s->packets);
			v[2] = u64_stats_read(&s->bytes);
			for (i = 0; i < FLR_DROPS; i++)
				v[3 + i] = u64_stats_read(&s->drops[i]);
		} while (u64_stats_fetch_retry(&s->syncp, start));

		for (i = 0; i < FLR_STATS_VALUES; i++)
			sum[i] += v[i];
	}
}

/**
 * flr_stats_fill() - put counters into a message
 * @skb: message
 * @attr: attribute of the nest
 * @stats: counters
 *
 * Return: 0, or -EMSGSIZE when the message is full.
 */
int flr_stats_fill(struct sk_buff *skb, int attr,
		   const struct flr_stats __percpu *stats)
{
	u64 sum[FLR_STATS_VALUES];
	struct nlattr *nest;
	int i;

	flr_stats_sum(stats, sum);
	nest = nla_nest_start(skb, attr);
	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < FLR_STATS_VALUES; i++) {
		if (nla_put_uint(skb, FLOWRING_A_STATS_FLOWS + i, sum[i])) {
			nla_nest_cancel(skb, nest);
			return -EMSGSIZE;
		}
	}
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * flr_window_stats_alloc() - make the counters of windows, all zero
 *
 * Context: process context, may sleep.
 * Return: the counters, to be freed with free_percpu(), or NULL.
 */
struct flr_window_stats __percpu *flr_window_stats_alloc(void)
{
	struct flr_window_stats __percpu *stats;
	int cpu;

	stats = alloc_percpu_gfp(struct flr_window_stats, GFP_KERNEL_ACCOUNT);
	if (!stats)
		return NULL;
	for_each_possible_cpu(cpu)
		u64_stats_init(&per_cpu_ptr(stats, cpu)->syncp);
	return stats;
}

/**
 * flr_window_stats_count() - count a packet in a slot of a window
 * @stats: counters
 * @answer: where it goes and why, which is not FLR_WHY_STEADY
 *
 * Context: any but hard interrupts.
 */
void flr_window_stats_count(struct flr_window_stats __percpu *stats,
			    const struct flr_answer *answer)
{
	struct flr_window_stats *s;
	int i;

	local_bh_disable();
	s = this_cpu_ptr(stats);
	u64_stats_update_begin(&s->syncp);
	u64_stats_inc(&s->why[answer->why - FLR_WHY_PRESENT]);
	for (i = 0; answer->did >> i; i++) {
		if (answer->did & BIT(i))
			u64_stats_inc(&s->did[i]);
	}
	u64_stats_update_end(&s->syncp);
	local_bh_enable();
}

#define FLR_WINDOW_VALUES (FLR_WHY_REMEMBERED + FLR_DID_BITS)

static void flr_window_stats_sum(const struct flr_window_stats __percpu *stats,
				 u64 *sum)
{
	int cpu, i;

	memset(sum, 0, FLR_WINDOW_VALUES * sizeof(*sum));
	for_each_possible_cpu(cpu) {
		const struct flr_window_stats *s = per_cpu_ptr(stats, cpu);
		u64 v[FLR_WINDOW_VALUES];
		unsigned int start;

		do {
			start = u64_stats_fetch_begin(&s->syncp);
			for (i = 0; i < FLR_WHY_REMEMBERED; i++)
				v[i] = u64_stats_read(&s->why[i]);
			for (i = 0; i < FLR_DID_BITS; i++)
				v[FLR_WHY_REMEMBERED + i] =
					u64_stats_read(&s->did[i]);
		} while (u64_stats_fetch_retry(&s->syncp, start));

		for (i = 0; i < FLR_WINDOW_VALUES; i++)
			sum[i] += v[i];
	}
}

/**
 * flr_window_stats_fill() - put counters of windows into a message
 * @skb: message
 * @attr: attribute of the nest
 * @stats: counters
 * @idle: pins of flows that went quiet
 * @forgotten: slots that forgot an owner
 *
 * Return: 0, or -EMSGSIZE when the message is full.
 */
int flr_window_stats_fill(struct sk_buff *skb, int attr,
			  const struct flr_window_stats __percpu *stats,
			  u64 idle, u64 forgotten)
{
	u64 sum[FLR_WINDOW_VALUES];
	struct nlattr *nest;
	int i, err = 0;

	/* in the order of enum flr_why, and then of FLR_DID_* */
	BUILD_BUG_ON(FLOWRING_A_WINDOW_STATS_BEGUN !=
		     FLOWRING_A_WINDOW_STATS_PRESENT + FLR_WHY_REMEMBERED);
	BUILD_BUG_ON(FLOWRING_A_WINDOW_STATS_IDLE !=
		     FLOWRING_A_WINDOW_STATS_BEGUN + FLR_DID_BITS);
	flr_window_stats_sum(stats, sum);
	nest = nla_nest_start(skb, attr);
	if (!nest)
		return -EMSGSIZE;
	for (i = 0; !err && i < FLR_WINDOW_VALUES; i++)
		err = nla_put_uint(skb, FLOWRING_A_WINDOW_STATS_PRESENT + i,
				   sum[i]);
	err = err ?: nla_put_uint(skb, FLOWRING_A_WINDOW_STATS_IDLE, idle) ?:
	      nla_put_uint(skb, FLOWRING_A_WINDOW_STATS_FORGOTTEN, forgotten);
	if (err) {
		nla_nest_cancel(skb, nest);
		return err;
	}
	nla_nest_end(skb, nest);
	return 0;
}
