// SPDX-License-Identifier: GPL-2.0
/* Commits: what is sent, and what is made of the answers. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>

#include "fake.h"
#include "ktap.h"

/* How the kernel answers: what matters is set, the rest is left as it is */
struct answer {
	int error;
	const char *msg;
	bool has_cookie;
	uint64_t cookie;
	/* Type path of the attribute at fault, from the change on; 0 ends it */
	uint32_t change;
	uint16_t at[3];
	uint16_t miss;
	bool policy;
	/* The answer: shares in all, in one message, and those that are sent */
	bool is_new;
	unsigned int shares;
	unsigned int per_msg;
	unsigned int sent;
	bool done;
	int fail;
	/* Of the ring, 0 when there is none */
	uint32_t bits;
	/* What the request had; the test frees it */
	struct nlmsghdr *req;
};

static void copy_req(struct answer *a, const struct nlmsghdr *req)
{
	free(a->req);
	a->req = malloc(req->nlmsg_len);
	memcpy(a->req, req, req->nlmsg_len);
}

static const struct nlattr *find_in(const struct nlattr *nest, uint16_t type)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, nest) {
		if (mnl_attr_get_type(attr) == type)
			return attr;
	}
	return NULL;
}

/* The change of that number, from 1 */
static const struct nlattr *change(const struct nlmsghdr *req, uint32_t nr)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, req, GENL_HDRLEN) {
		if (mnl_attr_get_type(attr) == FLOWRING_A_COMMIT_CHANGE &&
		    !--nr)
			return attr;
	}
	return NULL;
}

static void refuse(struct mock *m, const struct answer *a,
		   const struct nlmsghdr *req)
{
	const struct nlattr *at = a->change ? change(req, a->change) : NULL;
	struct nlmsghdr *nlh = mock_put_ack(m, -a->error, NLM_F_ACK_TLVS);
	struct nlattr *nest;
	size_t i;

	for (i = 0; i < 3 && a->at[i]; i++)
		at = find_in(at, a->at[i]);
	if (a->msg)
		mnl_attr_put_strz(nlh, NLMSGERR_ATTR_MSG, a->msg);
	if (a->has_cookie)
		mnl_attr_put_u64(nlh, NLMSGERR_ATTR_COOKIE, a->cookie);
	if (at)
		mnl_attr_put_u32(nlh, a->miss ? NLMSGERR_ATTR_MISS_NEST :
				 NLMSGERR_ATTR_OFFS,
				 (const char *)at - (const char *)req);
	if (a->miss)
		mnl_attr_put_u32(nlh, NLMSGERR_ATTR_MISS_TYPE, a->miss);
	if (a->policy) {
		nest = mnl_attr_nest_start(nlh, NLMSGERR_ATTR_POLICY);
		mnl_attr_put_u64(nlh, NL_POLICY_TYPE_ATTR_MIN_VALUE_U, 0);
		mnl_attr_put_u64(nlh, NL_POLICY_TYPE_ATTR_MAX_VALUE_U, 10000);
		mnl_attr_nest_end(nlh, nest);
	}
	mock_end(m, nlh);
	mock_flush(m);
}

static void put_summary(struct nlmsghdr *nlh, const struct answer *a)
{
	mnl_attr_put_strz(nlh, FLOWRING_A_COMMIT_RING, "web");
	mnl_attr_put_u32(nlh, FLOWRING_A_COMMIT_EPOCH_BEFORE, 17);
	mnl_attr_put_u64(nlh, FLOWRING_A_COMMIT_EPOCH, 18);
	if (!a->is_new)
		mnl_attr_put_u64(nlh, FLOWRING_A_COMMIT_FINGERPRINT_BEFORE,
				 0x0123456789abcdef);
	mnl_attr_put_u64(nlh, FLOWRING_A_COMMIT_FINGERPRINT,
			 0xfedcba9876543210);
	mnl_attr_put_u32(nlh, FLOWRING_A_COMMIT_TOTAL, 65536);
	mnl_attr_put_u32(nlh, FLOWRING_A_COMMIT_MOVED, 13107);
	mnl_attr_put_u32(nlh, FLOWRING_A_COMMIT_LEAST, 13106);
	mnl_attr_put_u32(nlh, FLOWRING_A_COMMIT_CHANGES, 3);
	mnl_attr_put_u32(nlh, FLOWRING_A_COMMIT_SHARES, a->shares);
}

/* The first backend is deleted and the last one is new */
static void put_share(struct nlmsghdr *nlh, const struct answer *a,
		      unsigned int i)
{
	struct nlattr *nest;
	char name[32];

	snprintf(name, sizeof(name), "b%u", i);
	nest = mnl_attr_nest_start(nlh, FLOWRING_A_COMMIT_SHARE);
	mnl_attr_put_strz(nlh, FLOWRING_A_SHARE_NAME, name);
	if (i != a->shares - 1)
		mnl_attr_put_u32(nlh, FLOWRING_A_SHARE_WEIGHT_BEFORE, 100);
	if (i)
		mnl_attr_put_u32(nlh, FLOWRING_A_SHARE_WEIGHT, 50);
	mnl_attr_put_u32(nlh, FLOWRING_A_SHARE_SLOTS_BEFORE, i);
	mnl_attr_put_u32(nlh, FLOWRING_A_SHARE_SLOTS, 2 * i);
	mnl_attr_nest_end(nlh, nest);
}

static void carry_out(struct mock *m, const struct answer *a)
{
	unsigned int per_msg = a->per_msg ? a->per_msg : a->shares + 1;
	uint16_t flags = per_msg < a->sent ? NLM_F_MULTI : 0;
	struct nlmsghdr *nlh;
	unsigned int i = 0;

	do {
		nlh = mock_put_genl(m, FLOWRING_CMD_RING_COMMIT, flags);
		if (!i)
			put_summary(nlh, a);
		else
			mnl_attr_put_strz(nlh, FLOWRING_A_COMMIT_RING, "web");
		do {
			if (i < a->sent)
				put_share(nlh, a, i++);
		} while (i % per_msg && i < a->sent);
		mock_end(m, nlh);
		mock_flush(m);
	} while (i < a->sent);
	if (a->fail)
		mock_fail(m, a->fail);
	if (a->done)
		mock_done(m, 0, 0);
	mock_ack(m, 0, NULL);
}

static void handler(struct mock *m, const struct nlmsghdr *req)
{
	struct answer *a = m->data;
	struct nlmsghdr *nlh;

	if (mock_cmd(req) == FLOWRING_CMD_RING_GET) {
		if (!a->bits) {
			mock_ack(m, -ENOENT, "no such ring");
			return;
		}
		nlh = mock_put_genl(m, FLOWRING_CMD_RING_GET, 0);
		mnl_attr_put_u32(nlh, FLOWRING_A_RING_BITS, a->bits);
		mock_end(m, nlh);
		mock_flush(m);
		mock_ack(m, 0, NULL);
		return;
	}
	KT_INT(FLOWRING_CMD_RING_COMMIT, mock_cmd(req));
	copy_req(a, req);
	if (a->error)
		refuse(m, a, req);
	else
		carry_out(m, a);
}

static void setup(struct mock *m, struct answer *a)
{
	mock_init(m, handler);
	m->data = a;
}

static void fini(struct mock *m)
{
	struct answer *a = m->data;

	free(a->req);
	mock_fini(m);
}

/* Run a command with text on its standard input */
static int run(struct mock *m, const char *line, const char *text)
{
	int ret;

	m->ctx.in = fmemopen((void *)text, strlen(text), "r");
	ret = mock_run(m, line);
	KT_INT(0, m->ctx.line);
	fclose(m->ctx.in);
	m->ctx.in = NULL;
	return ret;
}

static const char changes[] =
	"# a comment\n"
	"backend add e addr 10.0.0.5 port 80 zone rack1 tokens 1,0xff\n"
	"\n"
	"backend set d weight 50 # and one behind\n"
	"  backend del c\n"
	"ring set imbalance off vnodes 64 owner none\n";

static void sent(void)
{
	static const uint64_t tokens[] = { 1, 0xff };
	struct answer a = {};
	const struct nlattr *c, *body, *attr;
	struct mock m;

	setup(&m, &a);
	KT_INT(0, run(&m, "ring commit web create expect 17 epoch 18446744073709551615 max-move 9 max-share 12.5% dry-run",
		      changes));
	KT_STR("", m.err);
	KT_INT(NLM_F_REQUEST | NLM_F_ACK, a.req->nlmsg_flags);
	KT_TRUE(mock_attr(a.req, FLOWRING_A_COMMIT_CREATE));
	KT_STR("web", mnl_attr_get_str(mock_attr(a.req,
						 FLOWRING_A_COMMIT_RING)));
	KT_INT(17, mnl_attr_get_u64(mock_attr(a.req,
					      FLOWRING_A_COMMIT_EXPECT)));
	KT_TRUE(mnl_attr_get_u64(mock_attr(a.req, FLOWRING_A_COMMIT_EPOCH)) ==
		UINT64_MAX);
	KT_INT(9, mnl_attr_get_u32(mock_attr(a.req,
					     FLOWRING_A_COMMIT_MAX_MOVE)));
	KT_INT(1250, mnl_attr_get_u32(mock_attr(a.req,
						FLOWRING_A_COMMIT_MAX_SHARE)));
	KT_TRUE(mock_attr(a.req, FLOWRING_A_COMMIT_DRY_RUN));

	c = change(a.req, 1);
	KT_TRUE(c->nla_type & NLA_F_NESTED);
	KT_INT(FLOWRING_CHANGE_OP_BACKEND_ADD,
	       mnl_attr_get_u32(find_in(c, FLOWRING_A_CHANGE_OP)));
	body = find_in(c, FLOWRING_A_CHANGE_BACKEND);
	KT_TRUE(body->nla_type & NLA_F_NESTED);
	KT_STR("e", mnl_attr_get_str(find_in(body, FLOWRING_A_BACKEND_NAME)));
	KT_STR("rack1", mnl_attr_get_str(find_in(body,
						 FLOWRING_A_BACKEND_ZONE)));
	attr = find_in(body, FLOWRING_A_BACKEND_EXPLICIT_TOKENS);
	KT_INT(sizeof(tokens), mnl_attr_get_payload_len(attr));
	KT_TRUE(!memcmp(mnl_attr_get_payload(attr), tokens, sizeof(tokens)));
	KT_TRUE(!find_in(body, FLOWRING_A_BACKEND_RING));

	c = change(a.req, 2);
	KT_INT(FLOWRING_CHANGE_OP_BACKEND_SET,
	       mnl_attr_get_u32(find_in(c, FLOWRING_A_CHANGE_OP)));
	c = change(a.req, 3);
	KT_INT(FLOWRING_CHANGE_OP_BACKEND_DEL,
	       mnl_attr_get_u32(find_in(c, FLOWRING_A_CHANGE_OP)));
	c = change(a.req, 4);
	KT_INT(FLOWRING_CHANGE_OP_RING_SET,
	       mnl_attr_get_u32(find_in(c, FLOWRING_A_CHANGE_OP)));
	body = find_in(c, FLOWRING_A_CHANGE_RING);
	KT_INT(0, mnl_attr_get_u32(find_in(body, FLOWRING_A_RING_IMBALANCE)));
	KT_STR("", mnl_attr_get_str(find_in(body, FLOWRING_A_RING_OWNER)));
	KT_INT(64, mnl_attr_get_u32(find_in(body, FLOWRING_A_RING_VNODES)));
	KT_TRUE(!change(a.req, 5));
	fini(&m);
}

static void said(void)
{
	struct answer a = { .shares = 3, .sent = 3 };
	struct mock m;

	setup(&m, &a);
	KT_INT(0, run(&m, "ring commit web", changes));
	KT_STR("ring web: epoch 17 -> 18, moved 13107 of 65536 slots (20.00%), at least 13106\n",
	       m.out);
	KT_STR("", m.err);
	KT_INT(NLM_F_REQUEST | NLM_F_ACK, a.req->nlmsg_flags);
	KT_TRUE(!mock_attr(a.req, FLOWRING_A_COMMIT_DRY_RUN));
	KT_TRUE(!mock_attr(a.req, FLOWRING_A_COMMIT_EXPECT));
	KT_TRUE(m.rcv_room >= 8 * 1024 * 1024);

	KT_INT(0, run(&m, "ring commit web dry-run backend del c", ""));
	KT_STR("ring web: epoch 17 -> 18, would move 13107 of 65536 slots (20.00%), at least 13106\n",
	       m.out);
	KT_TRUE(change(a.req, 1) && !change(a.req, 2));

	m.ctx.stats = true;
	KT_INT(0, run(&m, "ring commit web", changes));
	KT_TRUE(strstr(m.out, "0xfedcba9876543210"));
	KT_TRUE(strstr(m.out, "b2"));
	m.ctx.json = true;
	KT_INT(0, run(&m, "ring commit web", changes));
	KT_TRUE(strstr(m.out, "\"fingerprint\":\"0xfedcba9876543210\""));
	KT_TRUE(strstr(m.out, "\"name\":\"b2\""));
	fini(&m);
}

static void stale(void)
{
	struct answer a = { .error = ESTALE, .msg = "ring is at epoch 18",
			    .has_cookie = true, .cookie = 18 };
	struct mock m;

	setup(&m, &a);
	KT_INT(2, run(&m, "ring commit web expect 17", changes));
	KT_STR("flowring: ring web: epoch is 18, not 17: someone else has changed it\n",
	       m.err);
	KT_STR("", m.out);
	a.cookie = UINT64_MAX;
	KT_INT(2, run(&m, "ring commit web expect 0", changes));
	KT_STR("flowring: ring web: epoch is 18446744073709551615, not 0: someone else has changed it\n",
	       m.err);
	fini(&m);
}

static void refusal(const struct answer *from, const char *err)
{
	struct answer a = *from;
	struct mock m;

	setup(&m, &a);
	KT_INT(2, run(&m, "ring commit web", changes));
	KT_STR(err, m.err);
	KT_STR("", m.out);
	fini(&m);
}

static void refused(void)
{
	static const struct answer addr = {
		.error = EINVAL, .msg = "address is multicast", .change = 1,
		.at = { FLOWRING_A_CHANGE_BACKEND, FLOWRING_A_BACKEND_ADDR },
	};
	static const struct answer range = {
		.error = ERANGE, .msg = "integer out of range", .change = 2,
		.at = { FLOWRING_A_CHANGE_BACKEND, FLOWRING_A_BACKEND_WEIGHT },
		.policy = true,
	};
	static const struct answer absent = {
		.error = ENOENT, .msg = "no such backend", .change = 3,
		.at = { FLOWRING_A_CHANGE_BACKEND, FLOWRING_A_BACKEND_NAME },
	};
	static const struct answer exists = {
		.error = EEXIST, .msg = "backend e exists", .change = 1,
	};
	static const struct answer vnodes = {
		.error = ENOSPC, .msg = "too many tokens", .change = 4,
		.at = { FLOWRING_A_CHANGE_RING, FLOWRING_A_RING_VNODES },
	};
	static const struct answer miss = {
		.error = EINVAL, .change = 1, .miss = FLOWRING_A_BACKEND_ADDR,
		.at = { FLOWRING_A_CHANGE_BACKEND },
	};
	static const struct answer quota = {
		.error = EDQUOT, .msg = "would move 13107 slots, 5 are allowed",
	};

	refusal(&addr, "flowring: line 2: backend e: address is multicast (attribute addr)\n");
	refusal(&range, "flowring: line 4: backend d: attribute weight: integer out of range (0..10000)\n");
	refusal(&absent, "flowring: line 5: backend c: no such backend\n");
	refusal(&exists, "flowring: line 2: backend e exists\n");
	refusal(&vnodes, "flowring: line 6: ring web: too many tokens (attribute vnodes)\n");
	refusal(&miss, "flowring: line 2: backend e: missing attribute addr\n");
	refusal(&quota, "flowring: ring web: would move 13107 slots, 5 are allowed\n");
}

static void many_messages(void)
{
	struct answer a = { .shares = 300, .sent = 300, .per_msg = 100 };
	struct mock m;

	setup(&m, &a);
	m.ctx.stats = true;
	KT_INT(0, run(&m, "ring commit web", changes));
	KT_STR("", m.err);
	KT_TRUE(strstr(m.out, "b299"));
	a.done = true;
	KT_INT(0, run(&m, "ring commit web", changes));
	KT_TRUE(strstr(m.out, "b299"));
	/* The acknowledgment behind the end is not taken for the next answer */
	a.shares = 1;
	a.sent = 1;
	KT_INT(0, run(&m, "ring commit web", changes));
	KT_TRUE(!strstr(m.out, "b299"));
	fini(&m);
}

static void cut(void)
{
	struct answer a = { .shares = 300, .sent = 299, .per_msg = 100 };
	struct mock m;

	setup(&m, &a);
	KT_INT(1, run(&m, "ring commit web", changes));
	KT_STR("flowring: ring web: the commit was made, but the answer is cut: 299 of 300 backends\n",
	       m.err);
	KT_STR("", m.out);
	KT_INT(1, run(&m, "ring commit web dry-run", changes));
	KT_STR("flowring: ring web: the plan was made, but the answer is cut: 299 of 300 backends\n",
	       m.err);
	a.fail = ENOBUFS;
	KT_INT(1, run(&m, "ring commit web", changes));
	KT_STR("flowring: ring web: netlink receive: No buffer space available: the commit may have been made\n",
	       m.err);
	fini(&m);
}

/* Lines of that many changes, each of a backend with explicit tokens */
static char *lines(unsigned int n, unsigned int ntokens)
{
	unsigned int i, k;
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (i = 0; i < n; i++) {
		fprintf(f, "backend add b%u addr 10.0.0.1%s", i,
			ntokens ? " tokens " : "");
		for (k = 0; k < ntokens; k++)
			fprintf(f, "%s%x", k ? "," : "", k);
		fputc('\n', f);
	}
	fclose(f);
	return text;
}

static void most(void)
{
	struct answer a = {};
	struct mock m;
	char *text;

	setup(&m, &a);
	text = lines(FLOWRING_MAX_CHANGES, 0);
	KT_INT(0, run(&m, "ring commit web", text));
	KT_TRUE(change(a.req, 1000) && !change(a.req, 1001));
	free(text);

	text = lines(FLOWRING_MAX_CHANGES + 1, 0);
	KT_INT(1, run(&m, "ring commit web", text));
	KT_STR("flowring: line 1001: ring web: more than 1000 changes in one commit\n",
	       m.err);
	KT_INT(1, m.requests);
	free(text);

	text = lines(20, FLOWRING_MAX_EXPLICIT_TOKENS);
	KT_INT(0, run(&m, "ring commit web", text));
	KT_TRUE(a.req->nlmsg_len > 20 * 8192);
	KT_TRUE(m.snd_room >= (int)a.req->nlmsg_len);
	KT_INT(4 + 8 * FLOWRING_MAX_EXPLICIT_TOKENS,
	       find_in(find_in(change(a.req, 20), FLOWRING_A_CHANGE_BACKEND),
		       FLOWRING_A_BACKEND_EXPLICIT_TOKENS)->nla_len);
	free(text);

	text = lines(1, FLOWRING_MAX_EXPLICIT_TOKENS + 1);
	KT_INT(1, run(&m, "ring commit web", text));
	KT_STR("flowring: line 1: tokens: more than 1024\n", m.err);
	free(text);
	fini(&m);
}

static void wrong_words(void)
{
	static const struct {
		const char *line;
		const char *text;
		const char *err;
	} c[] = {
		{ "ring commit web", "#\nbackend ad e\n",
		  "flowring: line 2: 'backend ad' is no change: must be backend add, backend set, backend del or ring set\n" },
		{ "ring commit web", "ring\n",
		  "flowring: line 1: 'ring' is no change: must be backend add, backend set, backend del or ring set\n" },
		{ "ring commit web", "ring del\n",
		  "flowring: line 1: 'ring del' is no change: must be backend add, backend set, backend del or ring set\n" },
		{ "ring commit web", "backend del a\nbackend add e\n",
		  "flowring: line 2: backend add: missing addr; see flowring backend help\n" },
		{ "ring commit web", "backend add e addr 10.0.0\n",
		  "flowring: line 1: addr 10.0.0: not an IPv4 or IPv6 address\n" },
		{ "ring commit web", "backend del a b\n",
		  "flowring: line 1: backend del: unknown word 'b'; see flowring backend help\n" },
		{ "ring commit web", "ring set\n",
		  "flowring: line 1: ring set: missing what to set; see flowring ring help\n" },
		{ "ring commit web", " # nothing\n",
		  "flowring: ring web: there is no change on standard input\n" },
		{ "ring commit", "",
		  "flowring: ring commit: missing ring; see flowring ring help\n" },
		{ "ring commit web now", "",
		  "flowring: ring commit: unknown word 'now'; see flowring ring help\n" },
		{ "ring commit web expect", "",
		  "flowring: ring commit: missing the value of expect; see flowring ring help\n" },
		{ "ring commit web expect -1", "",
		  "flowring: expect -1: not a number\n" },
		{ "ring commit web epoch 18446744073709551616", "",
		  "flowring: epoch 18446744073709551616: must be 0 to 18446744073709551615\n" },
		{ "ring commit web create create", "",
		  "flowring: ring commit: create given twice; see flowring ring help\n" },
		{ "ring commit web max-share 101%", "",
		  "flowring: max-share 101%: must be 0% to 100%, with two decimals at most\n" },
		{ "ring commit web max-share 5", "",
		  "flowring: max-share 5: must be 0% to 100%, with two decimals at most\n" },
		{ "ring commit web max-move x", "",
		  "flowring: max-move x: not a number\n" },
	};
	struct answer a = {};
	struct mock m;
	size_t i;

	setup(&m, &a);
	for (i = 0; i < FR_ARRAY_SIZE(c); i++) {
		KT_INT(1, run(&m, c[i].line, c[i].text));
		KT_STR(c[i].err, m.err);
		KT_STR("", m.out);
	}
	KT_INT(0, m.requests);
	fini(&m);
}

static uint32_t max_move(const struct answer *a)
{
	return mnl_attr_get_u32(mock_attr(a->req,
					  FLOWRING_A_COMMIT_MAX_MOVE));
}

static void percent(void)
{
	struct answer a = { .bits = 16 };
	struct mock m;

	setup(&m, &a);
	KT_INT(0, run(&m, "ring commit web max-move 5%", changes));
	KT_INT(3276, max_move(&a));
	KT_INT(0, run(&m, "ring commit web max-move 0.01%", changes));
	KT_INT(6, max_move(&a));
	KT_INT(0, run(&m, "ring commit web max-move 100%", changes));
	KT_INT(65536, max_move(&a));
	/* The table grows: what moves is counted in slots of the larger one */
	KT_INT(0, run(&m, "ring commit web max-move 50%",
		      "ring set bits 19\nring set bits 20\n"));
	KT_INT(524288, max_move(&a));
	KT_INT(0, run(&m, "ring commit web max-move 50%", "ring set bits 8\n"));
	KT_INT(32768, max_move(&a));

	/* A ring that is made cannot move anything; one that someone else makes
	 * meanwhile could
	 */
	a.bits = 0;
	KT_INT(0, run(&m, "ring commit web create max-move 5%", changes));
	KT_TRUE(!mock_attr(a.req, FLOWRING_A_COMMIT_MAX_MOVE));
	KT_TRUE(mock_attr(a.req, FLOWRING_A_COMMIT_CREATE));
	KT_INT(0, mnl_attr_get_u64(mock_attr(a.req, FLOWRING_A_COMMIT_EXPECT)));
	KT_INT(2, run(&m, "ring commit web max-move 5%", changes));
	KT_STR("flowring: ring web: no such ring\n", m.err);
	fini(&m);
}

static void empty(void)
{
	struct answer a = { .is_new = true };
	struct mock m;

	setup(&m, &a);
	KT_INT(0, run(&m, "ring commit web create", ""));
	KT_TRUE(!change(a.req, 1));
	KT_INT(0, run(&m, "ring commit web epoch 99", ""));
	KT_TRUE(!change(a.req, 1));
	fini(&m);
}

/* Standard input belongs to the batch; a change in words can stand in one */
static void in_batch(void)
{
	struct answer a = {};
	struct mock m;

	setup(&m, &a);
	m.ctx.batch = true;
	KT_INT(1, run(&m, "ring commit web", changes));
	KT_STR("flowring: ring commit: changes cannot be read from standard input in a batch; see flowring ring help\n",
	       m.err);
	KT_INT(0, m.requests);
	m.ctx.dry = true;
	KT_INT(0, run(&m, "ring commit web expect 17 backend del e", ""));
	KT_INT(0, m.requests);
	KT_INT(1, run(&m, "ring commit web backend delete e", ""));
	m.ctx.dry = false;
	KT_INT(0, run(&m, "ring commit web expect 17 backend del e", ""));
	KT_INT(1, m.requests);
	fini(&m);
}

static void monitored(void)
{
	struct answer a = {};
	struct nlmsghdr *nlh;
	struct mock m;
	int i;

	setup(&m, &a);
	KT_INT(0, run(&m, "ring commit web", changes));
	for (i = 0; i < 2; i++) {
		m.seq = 0;
		nlh = mock_put_genl(&m, FLOWRING_CMD_RING_COMMIT_NTF, 0);
		put_summary(nlh, &a);
		mock_end(&m, nlh);
		mock_flush(&m);
		m.ctx.json = i;
		KT_INT(0, mock_run(&m, "monitor"));
		KT_STR("", m.err);
		if (i)
			KT_STR("{\"event\":\"ring-commit-ntf\",\"ring\":\"web\",\"epoch\":18,\"epoch-before\":17,\"fingerprint-before\":\"0x0123456789abcdef\",\"fingerprint\":\"0xfedcba9876543210\",\"total\":65536,\"moved\":13107,\"least\":13106,\"changes\":3,\"shares\":0}\n",
			       m.out);
		else
			KT_STR("ring commit web epoch 17 -> 18 fingerprint 0xfedcba9876543210 moved 13107 of 65536 slots (20.00%) changes 3\n",
			       m.out);
	}
	fini(&m);
}

static const struct kt_case cases[] = {
	{ "sent", sent },
	{ "said", said },
	{ "stale", stale },
	{ "refused", refused },
	{ "many_messages", many_messages },
	{ "cut", cut },
	{ "most", most },
	{ "wrong_words", wrong_words },
	{ "percent", percent },
	{ "empty", empty },
	{ "in_batch", in_batch },
	{ "monitored", monitored },
};

KT_MAIN(cases)
