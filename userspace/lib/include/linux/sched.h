/* SPDX-License-Identifier: GPL-2.0 */
/* Giving way to others is the scheduler's own affair in userspace */
#ifndef _FLOWRING_LIB_SCHED_H
#define _FLOWRING_LIB_SCHED_H

static inline void cond_resched(void)
{
}

#endif /* _FLOWRING_LIB_SCHED_H */
