// SPDX-License-Identifier: GPL-2.0
/* Commits: any number of changes to a ring in one message, and what the kernel
 * answers to it.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>
#include <linux/genetlink.h>

#include "commit.h"

/* Room for the longest answer: the shares of 65534 backends, twice over for
 * what the kernel adds to each message
 */
#define FR_COMMIT_RCVBUF	(32 * 1024 * 1024)

/* A request of more than that needs a larger send buffer than the usual one */
#define FR_COMMIT_SNDBUF	(64 * 1024)

static int grow(struct fr_commit *c, size_t need)
{
	size_t cap = c->cap ? c->cap : 4096;
	char *buf;

	if (!c->lines) {
		c->lines = calloc(FLOWRING_MAX_CHANGES, sizeof(*c->lines));
		if (!c->lines)
			return -1;
	}
	while (cap < c->len + need)
		cap *= 2;
	if (cap == c->cap)
		return 0;
	buf = realloc(c->buf, cap);
	if (!buf)
		return -1;
	c->buf = buf;
	c->cap = cap;
	return 0;
}

static char *put_head(char *p, uint16_t type, size_t len)
{
	struct nlattr head = { .nla_type = type,
			       .nla_len = MNL_ATTR_HDRLEN + len };

	memcpy(p, &head, sizeof(head));
	return p + MNL_ATTR_HDRLEN;
}

/**
 * fr_commit_add() - Add a change.
 * @ctx: The run.
 * @c: The commit.
 * @op: enum flowring_change_op.
 * @msg: Holds the attributes of the backend or of the ring, without the name of
 *   the ring.
 * @line: Where the change comes from, 0 for nowhere.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_commit_add(struct fr_ctx *ctx, struct fr_commit *c, uint32_t op,
		  const struct fr_msg *msg, unsigned long line)
{
	const struct nlmsghdr *nlh = (const void *)msg->buf;
	size_t len = mnl_nlmsg_get_payload_len(nlh) - GENL_HDRLEN;
	size_t need = 3 * MNL_ATTR_HDRLEN + sizeof(op) + len;
	char *p;

	if (c->changes == FLOWRING_MAX_CHANGES)
		return fr_error(ctx, "ring %s: more than %d changes in one commit",
				c->ring, FLOWRING_MAX_CHANGES);
	if (grow(c, need))
		return fr_error(ctx, "out of memory");

	p = put_head(c->buf + c->len, FLOWRING_A_COMMIT_CHANGE | NLA_F_NESTED,
		     need - MNL_ATTR_HDRLEN);
	p = put_head(p, FLOWRING_A_CHANGE_OP, sizeof(op));
	memcpy(p, &op, sizeof(op));
	p = put_head(p + sizeof(op), NLA_F_NESTED |
		     (op == FLOWRING_CHANGE_OP_RING_SET ?
		      FLOWRING_A_CHANGE_RING : FLOWRING_A_CHANGE_BACKEND), len);
	memcpy(p, mnl_nlmsg_get_payload_offset(nlh, GENL_HDRLEN), len);
	c->len += need;
	c->lines[c->changes++] = line;
	return FR_EXIT_OK;
}

/* The whole message; @msg keeps its beginning, and big is to be freed */
static int build(struct fr_ctx *ctx, const struct fr_commit *c,
		 struct fr_msg *msg)
{
	struct nlmsghdr *nlh;
	char *big;

	fr_msg_init(msg, &fr_set_commit, FLOWRING_CMD_RING_COMMIT);
	fr_msg_what(msg, "ring %s", c->ring);
	if (!c->dry)
		msg->lost = "the commit may have been made";

	nlh = fr_msg_hdr(msg);
	mnl_attr_put_strz(nlh, FLOWRING_A_COMMIT_RING, c->ring);
	if (c->has_expect)
		mnl_attr_put_u64(nlh, FLOWRING_A_COMMIT_EXPECT, c->expect);
	if (c->has_epoch)
		mnl_attr_put_u64(nlh, FLOWRING_A_COMMIT_EPOCH, c->epoch);
	if (c->has_max_move)
		mnl_attr_put_u32(nlh, FLOWRING_A_COMMIT_MAX_MOVE, c->max_move);
	if (c->has_max_share)
		mnl_attr_put_u32(nlh, FLOWRING_A_COMMIT_MAX_SHARE,
				 c->max_share);
	if (c->dry)
		mnl_attr_put(nlh, FLOWRING_A_COMMIT_DRY_RUN, 0, NULL);
	if (c->create)
		mnl_attr_put(nlh, FLOWRING_A_COMMIT_CREATE, 0, NULL);

	big = malloc(nlh->nlmsg_len + c->len);
	if (!big)
		return fr_error(ctx, "out of memory");
	memcpy(big, nlh, nlh->nlmsg_len);
	if (c->len)
		memcpy(big + nlh->nlmsg_len, c->buf, c->len);
	msg->big = big;
	fr_msg_hdr(msg)->nlmsg_len += c->len;
	return FR_EXIT_OK;
}

/* Find the change that holds an offset of the message, and its number from 0 */
static const struct nlattr *find_change(const struct nlmsghdr *nlh,
					uint32_t offs, uint32_t *nr)
{
	const struct nlattr *attr;
	uint32_t at;

	*nr = 0;
	mnl_attr_for_each(attr, nlh, GENL_HDRLEN) {
		if (mnl_attr_get_type(attr) != FLOWRING_A_COMMIT_CHANGE)
			continue;
		at = (const char *)attr - (const char *)nlh;
		if (offs >= at && offs < at + attr->nla_len)
			return attr;
		++*nr;
	}
	return NULL;
}

/* The object that a change is about, in words */
static void change_what(const struct fr_commit *c, const struct nlattr *body,
			char *what, size_t size)
{
	const struct nlattr *attr;

	if (mnl_attr_get_type(body) == FLOWRING_A_CHANGE_RING) {
		snprintf(what, size, "ring %s", c->ring);
		return;
	}
	snprintf(what, size, "backend");
	mnl_attr_for_each_nested(attr, body) {
		if (mnl_attr_get_type(attr) == FLOWRING_A_BACKEND_NAME)
			snprintf(what, size, "backend %s",
				 mnl_attr_get_str(attr));
	}
}

/* Print what the kernel said, by the line and in the words of the change that
 * it is about. Return: exit status.
 */
static int verdict(struct fr_ctx *ctx, const struct fr_commit *c,
		   struct fr_msg *msg, const struct fr_extack *ext)
{
	const struct nlmsghdr *nlh = fr_msg_hdr(msg);
	const struct nlattr *change, *attr, *body = NULL;
	const struct fr_set *set;
	char what[96], text[512];
	uint32_t nr;
	int ret;

	if (ext->error == ESTALE && c->stale) {
		*c->stale = true;
		return FR_EXIT_KERNEL;
	}
	if (ext->error == ESTALE && ext->has_cookie && c->has_expect) {
		fr_error(ctx, "ring %s: epoch is %" PRIu64 ", not %" PRIu64
			 ": someone else has changed it", c->ring, ext->cookie,
			 c->expect);
		return FR_EXIT_KERNEL;
	}

	change = find_change(nlh, ext->offs ? ext->offs : ext->miss_nest, &nr);
	if (!change)
		return fr_nl_verdict(ctx, msg, ext);
	mnl_attr_for_each_nested(attr, change) {
		if (mnl_attr_get_type(attr) != FLOWRING_A_CHANGE_OP)
			body = attr;
	}
	set = mnl_attr_get_type(body) == FLOWRING_A_CHANGE_RING ?
	      &fr_set_ring : &fr_set_backend;
	change_what(c, body, what, sizeof(what));
	fr_extack_text_in(ext, set, nlh, body, what, text, sizeof(text));

	ctx->file = c->file;
	ctx->line = c->lines[nr];
	ret = fr_nl_say(ctx, ext, what, text);
	ctx->line = 0;
	return ret;
}

static void fill_share(const struct fr_obj *obj, struct fr_share *share)
{
	snprintf(share->name, sizeof(share->name), "%s",
		 fr_obj_str(obj, FLOWRING_A_SHARE_NAME));
	share->there_before = fr_obj_has(obj, FLOWRING_A_SHARE_WEIGHT_BEFORE);
	share->there = fr_obj_has(obj, FLOWRING_A_SHARE_WEIGHT);
	share->weight_before = fr_obj_num(obj, FLOWRING_A_SHARE_WEIGHT_BEFORE);
	share->weight = fr_obj_num(obj, FLOWRING_A_SHARE_WEIGHT);
	share->slots_before = fr_obj_num(obj, FLOWRING_A_SHARE_SLOTS_BEFORE);
	share->slots = fr_obj_num(obj, FLOWRING_A_SHARE_SLOTS);
}

static void fill_summary(const struct fr_obj *obj, struct fr_plan *plan)
{
	plan->is_new = !fr_obj_has(obj, FLOWRING_A_COMMIT_FINGERPRINT_BEFORE);
	plan->epoch_before = fr_obj_num(obj, FLOWRING_A_COMMIT_EPOCH_BEFORE);
	plan->epoch = fr_obj_num(obj, FLOWRING_A_COMMIT_EPOCH);
	plan->fingerprint_before =
		fr_obj_num(obj, FLOWRING_A_COMMIT_FINGERPRINT_BEFORE);
	plan->fingerprint = fr_obj_num(obj, FLOWRING_A_COMMIT_FINGERPRINT);
	plan->total = fr_obj_num(obj, FLOWRING_A_COMMIT_TOTAL);
	plan->moved = fr_obj_num(obj, FLOWRING_A_COMMIT_MOVED);
	plan->least = fr_obj_num(obj, FLOWRING_A_COMMIT_LEAST);
	plan->changes = fr_obj_num(obj, FLOWRING_A_COMMIT_CHANGES);
}

/* Take the answer: the first message has the summary, all have shares */
static int fill(struct fr_ctx *ctx, const struct fr_commit *c,
		const struct fr_list *list, struct fr_plan *plan)
{
	const char *done = c->dry ? "the plan was made" : "the commit was made";
	struct fr_list shares = {};
	int ret = FR_EXIT_OK;
	uint32_t want;
	size_t i;

	if (!list->n)
		return fr_error(ctx, "ring %s: %s, but the kernel does not tell what it did",
				c->ring, done);
	fill_summary(list->v[0], plan);
	want = fr_obj_num(list->v[0], FLOWRING_A_COMMIT_SHARES);
	for (i = 0; !ret && i < list->n; i++) {
		if (fr_obj_nests(list->v[i], FLOWRING_A_COMMIT_SHARE, &shares))
			ret = fr_error(ctx, "ring %s: %s, but the answer cannot be read: %s",
				       c->ring, done, strerror(errno));
	}
	if (!ret && shares.n != want)
		ret = fr_error(ctx, "ring %s: %s, but the answer is cut: %zu of %u backends",
			       c->ring, done, shares.n, want);
	if (!ret) {
		plan->shares = calloc(shares.n + 1, sizeof(*plan->shares));
		if (!plan->shares)
			ret = fr_error(ctx, "ring %s: %s, but there is no memory to tell more",
				       c->ring, done);
	}
	for (i = 0; !ret && i < shares.n; i++)
		fill_share(shares.v[i], &plan->shares[plan->n++]);
	fr_list_clear(&shares);
	return ret;
}

/**
 * fr_commit_send() - Send a commit and take the answer.
 * @ctx: The run.
 * @c: The commit.
 * @plan: What it did or would do, to be cleared by fr_plan_clear().
 *
 * Return: Exit status. Errors are printed.
 */
int fr_commit_send(struct fr_ctx *ctx, const struct fr_commit *c,
		   struct fr_plan *plan)
{
	struct fr_list list = {};
	struct fr_extack ext;
	struct fr_msg msg;
	uint32_t len;
	int ret;

	*plan = (struct fr_plan){ .dry = c->dry };
	snprintf(plan->ring, sizeof(plan->ring), "%s", c->ring);
	if (build(ctx, c, &msg))
		return FR_EXIT_LOCAL;

	len = fr_msg_hdr(&msg)->nlmsg_len;
	ret = fr_nl_room(ctx, FR_COMMIT_RCVBUF,
			 len > FR_COMMIT_SNDBUF ? len : 0);
	if (!ret)
		ret = fr_nl_ask(ctx, &msg, &list, &ext);
	if (!ret)
		ret = verdict(ctx, c, &msg, &ext);
	if (!ret)
		ret = fill(ctx, c, &list, plan);
	fr_list_clear(&list);
	free(msg.big);
	return ret;
}

/**
 * fr_commit_clear() - Free what is in a commit.
 * @c: The commit.
 */
void fr_commit_clear(struct fr_commit *c)
{
	free(c->buf);
	free(c->lines);
	*c = (struct fr_commit){};
}
