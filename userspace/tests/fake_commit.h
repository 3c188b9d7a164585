/* SPDX-License-Identifier: GPL-2.0 */
/* A kernel side that also takes commits. */

#ifndef _FLOWRING_TESTS_FAKE_COMMIT_H
#define _FLOWRING_TESTS_FAKE_COMMIT_H

#include "fake.h"

struct fake_commit {
	struct fake f;
	void (*other)(struct mock *m, const struct nlmsghdr *req);
	/* Requests that change something, and commits with dry-run */
	unsigned int changes;
	unsigned int dry;
	/* Raise the epochs of all rings before that many commits */
	unsigned int busy;
	/* Refuse the n-th change from now with ENOMEM */
	unsigned int fail;
	/* Refuse all commits to that ring with E2BIG */
	const char *refuse;
	/* The changes in words, one a line */
	char log[8192];
	size_t len;
};

void fake_commit_init(struct fake_commit *c);
void fake_commit_fini(struct fake_commit *c);

#endif /* _FLOWRING_TESTS_FAKE_COMMIT_H */
