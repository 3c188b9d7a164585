/* SPDX-License-Identifier: GPL-2.0 */
/* A transport without a kernel: what is sent goes to a function of the test,
 * which queues the answers.
 */

#ifndef _FLOWRING_TESTS_MOCK_H
#define _FLOWRING_TESTS_MOCK_H

#include <linux/genetlink.h>

#include "netlink.h"

#define MOCK_FAMILY	0x23
#define MOCK_GROUP	7

struct mock_dgram {
	struct mock_dgram *next;
	int err;
	size_t len;
	_Alignas(NLMSG_ALIGNTO) char buf[];
};

struct mock {
	struct fr_ctx ctx;
	struct fr_nl nl;
	/* Called for each request of the family */
	void (*handler)(struct mock *m, const struct nlmsghdr *req);
	void *data;
	/* The family is not there */
	bool absent;
	/* Signal to raise when the group is joined */
	int raise;
	/* Milliseconds that passed: those that the tool slept */
	uint64_t now;
	unsigned int naps;
	/* What the tool printed since the last mock_run() */
	char *out;
	char *err;
	size_t out_size;
	size_t err_size;
	/* What was asked */
	unsigned int opens;
	unsigned int resolves;
	unsigned int requests;
	unsigned int joined;
	int rcv_room;
	int snd_room;
	_Alignas(NLMSG_ALIGNTO) char last[FR_MSG_SIZE];
	/* The answer in the making, and those to be received */
	_Alignas(NLMSG_ALIGNTO) char buf[FR_NL_BUF_SIZE];
	size_t len;
	uint32_t seq;
	struct mock_dgram *head;
	struct mock_dgram **tail;
};

void mock_init(struct mock *m,
	       void (*handler)(struct mock *m, const struct nlmsghdr *req));
void mock_fini(struct mock *m);
int mock_run(struct mock *m, const char *line);
void mock_capture(struct mock *m);
void mock_captured(struct mock *m);

/* Answers, put into one datagram until mock_flush() */
struct nlmsghdr *mock_put(struct mock *m, uint16_t type, uint16_t flags);
struct nlmsghdr *mock_put_genl(struct mock *m, uint8_t cmd, uint16_t flags);
void mock_end(struct mock *m, struct nlmsghdr *nlh);
void mock_flush(struct mock *m);
void mock_fail(struct mock *m, int err);

/* Whole acknowledgments, sent at once */
struct nlmsghdr *mock_put_ack(struct mock *m, int error, uint16_t flags);
void mock_ack(struct mock *m, int error, const char *msg);
void mock_done(struct mock *m, int error, uint16_t flags);

uint8_t mock_cmd(const struct nlmsghdr *req);
const struct nlattr *mock_attr(const struct nlmsghdr *req, uint16_t type);

#endif /* _FLOWRING_TESTS_MOCK_H */
