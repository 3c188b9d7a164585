// SPDX-License-Identifier: GPL-2.0
/* Requests and dumps: what happens when the answers are not plain. */

#include <errno.h>
#include <string.h>

#include <linux/flowring.h>

#include "fake.h"
#include "ktap.h"

struct script {
	unsigned int interrupts;
	unsigned int dumps;
	bool in_done;
	int err;
};

static void put_ring(struct mock *m, const char *name, uint16_t flags)
{
	struct nlmsghdr *nlh = mock_put_genl(m, FLOWRING_CMD_RING_GET,
					     NLM_F_MULTI | flags);

	mnl_attr_put_strz(nlh, FLOWRING_A_RING_NAME, name);
	mock_end(m, nlh);
}

static void dump_handler(struct mock *m, const struct nlmsghdr *req)
{
	struct script *s = m->data;
	uint16_t flag = 0;

	KT_INT(NLM_F_REQUEST | NLM_F_DUMP, req->nlmsg_flags);
	s->dumps++;
	if (s->interrupts) {
		s->interrupts--;
		flag = NLM_F_DUMP_INTR;
	}
	put_ring(m, "a", 0);
	put_ring(m, "b", s->in_done ? 0 : flag);
	mock_flush(m);
	put_ring(m, "c", 0);
	mock_done(m, s->err, s->in_done ? flag : 0);
}

static void dump_interrupted(void)
{
	struct script s = { .interrupts = 3 };
	struct mock m;

	mock_init(&m, dump_handler);
	m.data = &s;
	m.ctx.json = true;
	KT_INT(0, mock_run(&m, "ring show"));
	KT_STR("[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"}]\n", m.out);
	KT_STR("", m.err);
	KT_INT(4, s.dumps);

	s = (struct script){ .interrupts = 1, .in_done = true };
	KT_INT(0, mock_run(&m, "ring show"));
	KT_STR("[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"}]\n", m.out);
	KT_INT(2, s.dumps);
	mock_fini(&m);
}

static void dump_interrupted_for_ever(void)
{
	struct script s = { .interrupts = 1000000 };
	struct mock m;

	mock_init(&m, dump_handler);
	m.data = &s;
	KT_INT(FR_EXIT_KERNEL, mock_run(&m, "ring show"));
	KT_STR("", m.out);
	KT_STR("flowring: ring show: changes interrupted the dump 10 times: try again\n",
	       m.err);
	KT_INT(FR_NL_DUMP_TRIES, s.dumps);
	mock_fini(&m);
}

static void dump_refused(void)
{
	struct script s = { .err = -ENOMEM };
	struct mock m;

	mock_init(&m, dump_handler);
	m.data = &s;
	KT_INT(FR_EXIT_KERNEL, mock_run(&m, "ring show"));
	KT_STR("", m.out);
	KT_STR("flowring: ring show: Cannot allocate memory\n", m.err);
	KT_INT(1, s.dumps);
	mock_fini(&m);
}

static void module_absent(void)
{
	static const char words[] =
		"flowring: the flowring kernel module is not loaded and could not be loaded: try modprobe flowring\n";
	struct mock m;

	mock_init(&m, NULL);
	m.absent = true;
	KT_INT(FR_EXIT_KERNEL, mock_run(&m, "ring show"));
	KT_STR(words, m.err);
	KT_INT(FR_EXIT_KERNEL, mock_run(&m, "ring add web"));
	KT_STR(words, m.err);
	KT_INT(FR_EXIT_KERNEL, mock_run(&m, "monitor"));
	KT_STR(words, m.err);
	KT_INT(0, mock_run(&m, "ring help"));
	KT_INT(0, m.requests);
	mock_fini(&m);
}

static void stale_handler(struct mock *m, const struct nlmsghdr *req)
{
	struct nlmsghdr *nlh;

	(void)req;
	nlh = mock_put_genl(m, FLOWRING_CMD_RING_GET, 0);
	nlh->nlmsg_seq--;
	mnl_attr_put_strz(nlh, FLOWRING_A_RING_NAME, "stale");
	mock_end(m, nlh);
	nlh = mock_put_ack(m, -EBUSY, 0);
	nlh->nlmsg_seq--;
	mock_end(m, nlh);
	put_ring(m, "web", 0);
	mock_flush(m);
	mock_ack(m, 0, NULL);
}

static void stale_answers(void)
{
	struct mock m;

	mock_init(&m, stale_handler);
	m.ctx.json = true;
	KT_INT(0, mock_run(&m, "ring show web"));
	KT_STR("[{\"name\":\"web\"}]\n", m.out);
	mock_fini(&m);
}

struct raw {
	uint16_t type;
	uint16_t len;
	char buf[24];
};

static void raw_handler(struct mock *m, const struct nlmsghdr *req)
{
	const struct raw *raw = m->data;
	struct nlmsghdr *nlh;

	(void)req;
	nlh = mock_put_genl(m, FLOWRING_CMD_RING_GET, 0);
	mnl_attr_put(nlh, raw->type, raw->len, raw->buf);
	mock_end(m, nlh);
	mock_flush(m);
	mock_ack(m, 0, NULL);
}

static void malformed(void)
{
	static const struct raw bad[] = {
		{ FLOWRING_A_RING_NAME, 3, "web" },
		{ FLOWRING_A_RING_NAME, 0, "" },
		{ FLOWRING_A_RING_BITS, 2, "" },
		{ FLOWRING_A_RING_BITS, 8, "" },
		{ FLOWRING_A_RING_EPOCH, 2, "" },
		{ FLOWRING_A_RING_KEY, 15, "" },
		{ FLOWRING_A_RING_KEY, 17, "" },
		{ FLOWRING_A_RING_NO_BACKEND, 1, "" },
		{ FLOWRING_A_RING_IMBALANCE, 8, "" },
		{ FLOWRING_A_RING_OWNER, 4, "team" },
		{ FLOWRING_A_RING_FINGERPRINT, 5, "" },
	};
	struct mock m;
	size_t i;

	mock_init(&m, raw_handler);
	for (i = 0; i < FR_ARRAY_SIZE(bad); i++) {
		m.data = (void *)&bad[i];
		KT_INT(FR_EXIT_LOCAL, mock_run(&m, "ring show web"));
		KT_STR("flowring: netlink receive: Bad message\n", m.err);
		KT_STR("", m.out);
	}
	mock_fini(&m);
}

struct blob {
	uint16_t len;
	bool good;
};

static void blob_handler(struct mock *m, const struct nlmsghdr *req)
{
	static const char zeros[9000];
	const struct blob *blob = m->data;
	struct nlmsghdr *nlh;

	(void)req;
	nlh = mock_put_genl(m, FLOWRING_CMD_BACKEND_GET, 0);
	mnl_attr_put(nlh, FLOWRING_A_BACKEND_EXPLICIT_TOKENS, blob->len, zeros);
	mock_end(m, nlh);
	mock_flush(m);
	mock_ack(m, 0, NULL);
}

static void malformed_tokens(void)
{
	static const struct blob blobs[] = {
		{ 0, true }, { 8, true }, { 16, true }, { 8192, true },
		{ 7, false }, { 9, false }, { 4, false }, { 8200, false },
	};
	struct mock m;
	size_t i;

	mock_init(&m, blob_handler);
	m.ctx.json = true;
	for (i = 0; i < FR_ARRAY_SIZE(blobs); i++) {
		m.data = (void *)&blobs[i];
		KT_INT(blobs[i].good ? 0 : FR_EXIT_LOCAL,
		       mock_run(&m, "backend show web b1"));
		KT_STR(blobs[i].good ? "" :
		       "flowring: netlink receive: Bad message\n", m.err);
	}
	mock_fini(&m);
}

/* Nests are only looked into when they are shown: then a bad one is an error */
static void bad_nest_handler(struct mock *m, const struct nlmsghdr *req)
{
	struct nlattr *nest;
	struct nlmsghdr *nlh;
	int i;

	(void)req;
	nlh = mock_put_genl(m, FLOWRING_CMD_LOOKUP, 0);
	for (i = 0; i < 2; i++) {
		nest = mnl_attr_nest_start(nlh, FLOWRING_A_LOOKUP_OWNER);
		mnl_attr_put(nlh, FLOWRING_A_OWNER_NAME, i ? 2 : 3, "b1");
		mnl_attr_nest_end(nlh, nest);
	}
	mock_end(m, nlh);
	mock_flush(m);
	mock_ack(m, 0, NULL);
}

static void malformed_nests(void)
{
	static const char line[] = "lookup tcp 192.0.2.1 1 192.0.2.2 2 owners 2";
	struct mock m;

	mock_init(&m, bad_nest_handler);
	KT_INT(FR_EXIT_LOCAL, mock_run(&m, line));
	KT_STR("flowring: lookup: Bad message\n", m.err);
	m.ctx.json = true;
	KT_INT(FR_EXIT_LOCAL, mock_run(&m, line));
	KT_STR("flowring: cannot write JSON\n", m.err);
	KT_STR("", m.out);
	mock_fini(&m);
}

static void both_sizes(void)
{
	static const struct raw four = { FLOWRING_A_RING_EPOCH, 4,
					 "\xff\xff\xff\xff" };
	static const struct raw eight = { FLOWRING_A_RING_EPOCH, 8,
					  "\xff\xff\xff\xff\xff\xff\xff\x7f" };
	static const struct raw unknown = { 4000, 8, "whatever" };
	struct mock m;

	mock_init(&m, raw_handler);
	m.ctx.json = true;
	m.data = (void *)&four;
	KT_INT(0, mock_run(&m, "ring show web"));
	KT_STR("[{\"epoch\":4294967295}]\n", m.out);
	m.data = (void *)&eight;
	KT_INT(0, mock_run(&m, "ring show web"));
	if (*(const char *)&(int){ 1 })
		KT_STR("[{\"epoch\":9223372036854775807}]\n", m.out);
	m.data = (void *)&unknown;
	KT_INT(0, mock_run(&m, "ring show web"));
	KT_STR("[{}]\n", m.out);
	mock_fini(&m);
}

static void fail_handler(struct mock *m, const struct nlmsghdr *req)
{
	(void)req;
	mock_fail(m, *(int *)m->data);
}

static void silent_handler(struct mock *m, const struct nlmsghdr *req)
{
	(void)m;
	(void)req;
}

static void transport_fails(void)
{
	int err = ENOBUFS;
	struct mock m;

	mock_init(&m, fail_handler);
	m.data = &err;
	KT_INT(FR_EXIT_LOCAL, mock_run(&m, "ring show web"));
	KT_STR("flowring: netlink receive: No buffer space available\n",
	       m.err);
	m.handler = silent_handler;
	KT_INT(FR_EXIT_LOCAL, mock_run(&m, "ring show web"));
	KT_STR("flowring: netlink receive: no answer\n", m.err);
	mock_fini(&m);
}

static const struct kt_case cases[] = {
	{ "dump_interrupted", dump_interrupted },
	{ "dump_interrupted_for_ever", dump_interrupted_for_ever },
	{ "dump_refused", dump_refused },
	{ "module_absent", module_absent },
	{ "stale_answers", stale_answers },
	{ "malformed", malformed },
	{ "malformed_tokens", malformed_tokens },
	{ "malformed_nests", malformed_nests },
	{ "both_sizes", both_sizes },
	{ "transport_fails", transport_fails },
};

KT_MAIN(cases)
