// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/flowring.h>

#include "mock.h"

static int mock_open(struct fr_nl *nl)
{
	struct mock *m = nl->priv;

	m->opens++;
	return 0;
}

static void mock_close(struct fr_nl *nl)
{
	(void)nl;
}

static void resolve(struct mock *m)
{
	struct nlattr *groups, *group;
	struct nlmsghdr *nlh;

	m->resolves++;
	if (m->absent) {
		mock_ack(m, -ENOENT, NULL);
		return;
	}

	nlh = mock_put(m, GENL_ID_CTRL, 0);
	mnl_nlmsg_put_extra_header(nlh, GENL_HDRLEN);
	mnl_attr_put_u16(nlh, CTRL_ATTR_FAMILY_ID, MOCK_FAMILY);
	groups = mnl_attr_nest_start(nlh, CTRL_ATTR_MCAST_GROUPS);
	group = mnl_attr_nest_start(nlh, 1);
	mnl_attr_put_u32(nlh, CTRL_ATTR_MCAST_GRP_ID, MOCK_GROUP);
	mnl_attr_put_strz(nlh, CTRL_ATTR_MCAST_GRP_NAME, "config");
	mnl_attr_nest_end(nlh, group);
	mnl_attr_nest_end(nlh, groups);
	mock_end(m, nlh);
	mock_flush(m);
	mock_ack(m, 0, NULL);
}

static ssize_t mock_send(struct fr_nl *nl, const struct nlmsghdr *nlh)
{
	struct mock *m = nl->priv;
	size_t len;

	m->seq = nlh->nlmsg_seq;
	if (nlh->nlmsg_type == GENL_ID_CTRL) {
		resolve(m);
		return nlh->nlmsg_len;
	}
	m->requests++;
	/* One that is too long is cut, but still a message */
	len = nlh->nlmsg_len < sizeof(m->last) ? nlh->nlmsg_len :
						 sizeof(m->last);
	memcpy(m->last, nlh, len);
	((struct nlmsghdr *)m->last)->nlmsg_len = len;
	if (m->handler)
		m->handler(m, nlh);
	return nlh->nlmsg_len;
}

static ssize_t mock_recv(struct fr_nl *nl, void *buf, size_t size)
{
	struct mock *m = nl->priv;
	struct mock_dgram *d = m->head;
	ssize_t ret;

	if (!d)
		return 0;
	m->head = d->next;
	if (!m->head)
		m->tail = &m->head;

	if (d->err) {
		errno = d->err;
		ret = -1;
	} else if (d->len > size) {
		errno = ENOSPC;
		ret = -1;
	} else {
		memcpy(buf, d->buf, d->len);
		ret = d->len;
	}
	free(d);
	return ret;
}

static int mock_join(struct fr_nl *nl, uint32_t group)
{
	struct mock *m = nl->priv;

	m->joined = group;
	if (m->raise)
		raise(m->raise);
	return 0;
}

static void mock_room(struct fr_nl *nl, int rcv, int snd)
{
	struct mock *m = nl->priv;

	m->rcv_room = rcv;
	m->snd_room = snd;
}

/* Always readable: the end of the queue is for recv to tell */
static int mock_fd(struct fr_nl *nl)
{
	static int fd = -1;

	(void)nl;
	if (fd < 0)
		fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	return fd;
}

static const struct fr_nl_ops mock_ops = {
	.open	= mock_open,
	.close	= mock_close,
	.send	= mock_send,
	.recv	= mock_recv,
	.join	= mock_join,
	.room	= mock_room,
	.fd	= mock_fd,
};

/* The context is the first member, so that this is both of them */
static uint64_t mock_now(struct fr_ctx *ctx)
{
	return ((struct mock *)ctx)->now;
}

static void mock_sleep(struct fr_ctx *ctx, uint64_t ms)
{
	struct mock *m = (struct mock *)ctx;

	m->now += ms;
	m->naps++;
}

static const struct fr_clock mock_clock = {
	.now	= mock_now,
	.sleep	= mock_sleep,
};

void mock_init(struct mock *m,
	       void (*handler)(struct mock *m, const struct nlmsghdr *req))
{
	memset(m, 0, sizeof(*m));
	m->handler = handler;
	m->tail = &m->head;
	m->nl.ops = &mock_ops;
	m->nl.priv = m;
	m->ctx.nl = &m->nl;
	m->ctx.clock = &mock_clock;
}

void mock_fini(struct mock *m)
{
	struct mock_dgram *d;

	while ((d = m->head)) {
		m->head = d->next;
		free(d);
	}
	free(m->out);
	free(m->err);
	fr_nl_close(&m->nl);
}

/* What the tool prints goes to m->out and m->err from here */
void mock_capture(struct mock *m)
{
	free(m->out);
	free(m->err);
	m->ctx.out = open_memstream(&m->out, &m->out_size);
	m->ctx.err = open_memstream(&m->err, &m->err_size);
}

void mock_captured(struct mock *m)
{
	fclose(m->ctx.out);
	fclose(m->ctx.err);
}

/* Run one command, its words separated by single spaces */
int mock_run(struct mock *m, const char *line)
{
	char *copy = strdup(line);
	char *words[64];
	char *p = copy;
	int n = 0;
	int ret;

	while (*line && p)
		words[n++] = strsep(&p, " ");
	mock_capture(m);
	ret = fr_run(&m->ctx, n, words);
	mock_captured(m);
	free(copy);
	return ret;
}

struct nlmsghdr *mock_put(struct mock *m, uint16_t type, uint16_t flags)
{
	struct nlmsghdr *nlh;

	if (m->len > sizeof(m->buf) - 16384)
		mock_flush(m);
	nlh = mnl_nlmsg_put_header(m->buf + m->len);
	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = flags;
	nlh->nlmsg_seq = m->seq;
	return nlh;
}

struct nlmsghdr *mock_put_genl(struct mock *m, uint8_t cmd, uint16_t flags)
{
	struct nlmsghdr *nlh = mock_put(m, MOCK_FAMILY, flags);
	struct genlmsghdr *genl;

	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = 1;
	return nlh;
}

void mock_end(struct mock *m, struct nlmsghdr *nlh)
{
	m->len += MNL_ALIGN(nlh->nlmsg_len);
}

static void queue(struct mock *m, const void *buf, size_t len, int err)
{
	struct mock_dgram *d = calloc(1, sizeof(*d) + len);

	d->err = err;
	d->len = len;
	if (len)
		memcpy(d->buf, buf, len);
	*m->tail = d;
	m->tail = &d->next;
}

void mock_flush(struct mock *m)
{
	if (m->len)
		queue(m, m->buf, m->len, 0);
	m->len = 0;
}

/* The next receive fails */
void mock_fail(struct mock *m, int err)
{
	mock_flush(m);
	queue(m, NULL, 0, err);
}

/* An acknowledgment as with NETLINK_CAP_ACK, to which attributes can be put */
struct nlmsghdr *mock_put_ack(struct mock *m, int error, uint16_t flags)
{
	struct nlmsghdr *nlh = mock_put(m, NLMSG_ERROR, flags | NLM_F_CAPPED);
	struct nlmsgerr *err;

	err = mnl_nlmsg_put_extra_header(nlh, sizeof(*err));
	err->error = error;
	memcpy(&err->msg, m->last, sizeof(err->msg));
	return nlh;
}

void mock_ack(struct mock *m, int error, const char *msg)
{
	struct nlmsghdr *nlh;

	nlh = mock_put_ack(m, error, msg ? NLM_F_ACK_TLVS : 0);
	if (msg)
		mnl_attr_put_strz(nlh, NLMSGERR_ATTR_MSG, msg);
	mock_end(m, nlh);
	mock_flush(m);
}

void mock_done(struct mock *m, int error, uint16_t flags)
{
	struct nlmsghdr *nlh = mock_put(m, NLMSG_DONE, flags | NLM_F_MULTI);
	int *code = mnl_nlmsg_put_extra_header(nlh, sizeof(*code));

	*code = error;
	mock_end(m, nlh);
	mock_flush(m);
}

uint8_t mock_cmd(const struct nlmsghdr *req)
{
	return ((struct genlmsghdr *)mnl_nlmsg_get_payload(req))->cmd;
}

const struct nlattr *mock_attr(const struct nlmsghdr *req, uint16_t type)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, req, GENL_HDRLEN) {
		if (mnl_attr_get_type(attr) == type)
			return attr;
	}
	return NULL;
}
