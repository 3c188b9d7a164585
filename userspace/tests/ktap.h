/* SPDX-License-Identifier: GPL-2.0 */
/* Just enough to write tests that print KTAP. */

#ifndef _FLOWRING_TESTS_KTAP_H
#define _FLOWRING_TESTS_KTAP_H

#include <stdbool.h>
#include <stddef.h>

struct kt_case {
	const char *name;
	void (*fn)(void);
};

/* Each prints a diagnostic and marks the running case when it does not hold */
#define KT_TRUE(cond) \
	kt_true((cond), #cond, __FILE__, __LINE__)
#define KT_INT(want, got) \
	kt_int((want), (got), #got, __FILE__, __LINE__)
#define KT_STR(want, got) \
	kt_str((want), (got), #got, __FILE__, __LINE__)

bool kt_true(bool cond, const char *what, const char *file, int line);
bool kt_int(long long want, long long got, const char *what,
	    const char *file, int line);
bool kt_str(const char *want, const char *got, const char *what,
	    const char *file, int line);

int kt_main(const struct kt_case *cases, size_t n);

#define KT_MAIN(cases)						\
	int main(void)						\
	{							\
		return kt_main(cases, sizeof(cases) /		\
			       sizeof((cases)[0]));		\
	}

#endif /* _FLOWRING_TESTS_KTAP_H */
