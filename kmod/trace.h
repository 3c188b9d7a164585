/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints: a packet steered, a packet not steered. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM flowring

#if !defined(_FLOWRING_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _FLOWRING_TRACE_H

#include <linux/skbuff.h>
#include <linux/tracepoint.h>

#include "flowring.h"

TRACE_DEFINE_ENUM(FLR_DROP_NO_BACKEND);
TRACE_DEFINE_ENUM(FLR_DROP_NO_ROUTE);
TRACE_DEFINE_ENUM(FLR_DROP_NOT_ON_LINK);
TRACE_DEFINE_ENUM(FLR_DROP_TTL_EXPIRED);
TRACE_DEFINE_ENUM(FLR_DROP_NO_MEMORY);
TRACE_DEFINE_ENUM(FLR_DROP_INVALID);
TRACE_DEFINE_ENUM(FLR_DROP_TOO_BIG);
TRACE_DEFINE_ENUM(FLR_DROP_DENIED);

TRACE_DEFINE_ENUM(FLR_WHY_STEADY);
TRACE_DEFINE_ENUM(FLR_WHY_PRESENT);
TRACE_DEFINE_ENUM(FLR_WHY_PIN);
TRACE_DEFINE_ENUM(FLR_WHY_REMEMBERED);

#define flr_show_why(why)					\
	__print_symbolic(why,					\
			 { FLR_WHY_STEADY, "steady" },		\
			 { FLR_WHY_PRESENT, "present" },	\
			 { FLR_WHY_PIN, "pin" },		\
			 { FLR_WHY_REMEMBERED, "remembered" })

#define flr_show_drop(reason)					\
	__print_symbolic(reason,				\
			 { FLR_DROP_NO_BACKEND, "no-backend" },	\
			 { FLR_DROP_NO_ROUTE, "no-route" },	\
			 { FLR_DROP_NOT_ON_LINK, "not-on-link" },	\
			 { FLR_DROP_TTL_EXPIRED, "ttl-expired" },	\
			 { FLR_DROP_NO_MEMORY, "no-memory" },	\
			 { FLR_DROP_INVALID, "invalid" },	\
			 { FLR_DROP_TOO_BIG, "too-big" },	\
			 { FLR_DROP_DENIED, "denied" })

TRACE_EVENT(flowring_steer,
	TP_PROTO(const struct flr_choice *c, const struct sk_buff *skb,
		 unsigned int len, bool flow),
	TP_ARGS(c, skb, len, flow),
	TP_STRUCT__entry(
		__field(const void *, skbaddr)
		__field(unsigned int, len)
		__field(u64, hash)
		__field(u32, slot)
		__field(u8, proto)
		__field(u16, port)
		__field(bool, flow)
		__field(u8, why)
		__string(ring, c->ring->name)
		__string(backend, c->backend->name)
	),
	TP_fast_assign(
		__entry->skbaddr = skb;
		__entry->len = len;
		__entry->hash = c->hash;
		__entry->slot = c->slot;
		__entry->proto = c->svc->key.proto;
		__entry->port = ntohs(c->svc->key.port);
		__entry->flow = flow;
		__entry->why = c->why;
		__assign_str(ring);
		__assign_str(backend);
	),
	TP_printk("skbaddr=%p len=%u proto=%u port=%u ring=%s hash=%016llx slot=%u backend=%s flow=%d why=%s",
		  __entry->skbaddr, __entry->len, __entry->proto,
		  __entry->port, __get_str(ring), __entry->hash,
		  __entry->slot, __get_str(backend), __entry->flow,
		  flr_show_why(__entry->why))
);

TRACE_EVENT(flowring_drop,
	TP_PROTO(const struct flr_choice *c, const struct sk_buff *skb,
		 enum flr_drop reason),
	TP_ARGS(c, skb, reason),
	TP_STRUCT__entry(
		__field(const void *, skbaddr)
		__field(unsigned int, len)
		__field(int, reason)
		__string(ring, c->ring ? c->ring->name : "")
		__string(backend, c->backend ? c->backend->name : "")
	),
	TP_fast_assign(
		__entry->skbaddr = skb;
		__entry->len = skb->len;
		__entry->reason = reason;
		__assign_str(ring);
		__assign_str(backend);
	),
	TP_printk("skbaddr=%p len=%u ring=%s backend=%s reason=%s",
		  __entry->skbaddr, __entry->len, __get_str(ring),
		  __get_str(backend), flr_show_drop(__entry->reason))
);

#endif /* _FLOWRING_TRACE_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
