/* SPDX-License-Identifier: GPL-2.0 */
/* Words of 64 bits that are read and replaced as a whole */
#ifndef _FLOWRING_LIB_ATOMIC_H
#define _FLOWRING_LIB_ATOMIC_H

#include <linux/types.h>

typedef struct {
	s64 counter;
} atomic64_t;

/* A test can have something else happen before each of these */
#ifdef FLR_ATOMIC_HOOK
extern bool flr_atomic_hooked;
void flr_atomic_hook(void);

#define FLR_ATOMIC_POINT() \
	do { if (unlikely(flr_atomic_hooked)) flr_atomic_hook(); } while (0)
#else
#define FLR_ATOMIC_POINT()	do { } while (0)
#endif

static inline s64 atomic64_read(const atomic64_t *v)
{
	FLR_ATOMIC_POINT();
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);
}

static inline void atomic64_set(atomic64_t *v, s64 i)
{
	__atomic_store_n(&v->counter, i, __ATOMIC_RELAXED);
}

static inline bool atomic64_try_cmpxchg(atomic64_t *v, s64 *old, s64 new)
{
	FLR_ATOMIC_POINT();
	return __atomic_compare_exchange_n(&v->counter, old, new, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

#endif /* _FLOWRING_LIB_ATOMIC_H */
