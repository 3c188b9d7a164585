// SPDX-License-Identifier: GPL-2.0
/* Requests, dumps and the multicast group, over a transport that the tests
 * can replace.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <linux/flowring.h>
#include <linux/genetlink.h>

#include "netlink.h"

/* Room for bursts of events, as ip monitor has it */
#define FR_NL_RCVBUF	(1024 * 1024)

/* How an exchange with the kernel ended */
struct fr_nl_result {
	struct fr_extack ext;
	bool interrupted;
};

typedef int (*fr_nl_cb)(const struct nlmsghdr *nlh, void *data);

static int mnl_ops_open(struct fr_nl *nl)
{
	struct mnl_socket *sock;
	int on = 1;
	int err;

	sock = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	if (!sock)
		return -1;

	mnl_socket_setsockopt(sock, NETLINK_EXT_ACK, &on, sizeof(on));
	mnl_socket_setsockopt(sock, NETLINK_CAP_ACK, &on, sizeof(on));
	mnl_socket_setsockopt(sock, NETLINK_GET_STRICT_CHK, &on, sizeof(on));

	if (mnl_socket_bind(sock, 0, MNL_SOCKET_AUTOPID) < 0) {
		err = errno;
		mnl_socket_close(sock);
		errno = err;
		return -1;
	}
	nl->priv = sock;
	return 0;
}

static void mnl_ops_close(struct fr_nl *nl)
{
	mnl_socket_close(nl->priv);
}

static ssize_t mnl_ops_send(struct fr_nl *nl, const struct nlmsghdr *nlh)
{
	return mnl_socket_sendto(nl->priv, nlh, nlh->nlmsg_len);
}

static ssize_t mnl_ops_recv(struct fr_nl *nl, void *buf, size_t size)
{
	ssize_t n;

	do {
		n = mnl_socket_recvfrom(nl->priv, buf, size);
	} while (n < 0 && errno == EINTR);
	return n;
}

static void mnl_ops_room(struct fr_nl *nl, int rcv, int snd)
{
	int fd = mnl_socket_get_fd(nl->priv);

	if (rcv && setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &rcv,
			      sizeof(rcv)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &rcv, sizeof(rcv));
	if (snd && setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &snd,
			      sizeof(snd)))
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &snd, sizeof(snd));
}

static int mnl_ops_join(struct fr_nl *nl, uint32_t group)
{
	int g = group;

	mnl_ops_room(nl, FR_NL_RCVBUF, 0);
	return mnl_socket_setsockopt(nl->priv, NETLINK_ADD_MEMBERSHIP, &g,
				     sizeof(g));
}

static int mnl_ops_fd(struct fr_nl *nl)
{
	return mnl_socket_get_fd(nl->priv);
}

const struct fr_nl_ops fr_nl_mnl_ops = {
	.open	= mnl_ops_open,
	.close	= mnl_ops_close,
	.send	= mnl_ops_send,
	.recv	= mnl_ops_recv,
	.join	= mnl_ops_join,
	.room	= mnl_ops_room,
	.fd	= mnl_ops_fd,
};

/**
 * fr_msg_hdr() - Get the header of a request.
 * @msg: The request.
 *
 * Return: The header.
 */
struct nlmsghdr *fr_msg_hdr(struct fr_msg *msg)
{
	return msg->big ? msg->big : (void *)msg->buf;
}

/**
 * fr_msg_init() - Begin a request.
 * @msg: The request.
 * @set: Attribute set of the command.
 * @cmd: The command.
 */
void fr_msg_init(struct fr_msg *msg, const struct fr_set *set, uint8_t cmd)
{
	struct genlmsghdr *genl;
	struct nlmsghdr *nlh;

	msg->set = set;
	msg->what[0] = '\0';
	msg->lost = NULL;
	msg->big = NULL;
	nlh = mnl_nlmsg_put_header(msg->buf);
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = FLOWRING_FAMILY_VERSION;
}

/**
 * fr_msg_what() - Say what a request is about, for errors.
 * @msg: The request.
 * @fmt: Format of the words, as for printf().
 */
void fr_msg_what(struct fr_msg *msg, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg->what, sizeof(msg->what), fmt, ap);
	va_end(ap);
}

static int open_nl(struct fr_ctx *ctx)
{
	struct fr_nl *nl = ctx->nl;

	if (nl->open)
		return FR_EXIT_OK;
	if (nl->ops->open(nl) < 0)
		return fr_error(ctx, "netlink socket: %s", strerror(errno));
	nl->open = true;
	nl->seq = time(NULL);
	return FR_EXIT_OK;
}

static int lost(struct fr_ctx *ctx, const struct fr_msg *msg, const char *why)
{
	if (msg->lost)
		return fr_error(ctx, "%s: netlink receive: %s: %s", msg->what,
				why, msg->lost);
	return fr_error(ctx, "netlink receive: %s", why);
}

/* Send a request and take the answers up to the acknowledgment or the end of
 * the dump. What a former request left behind is passed over.
 */
static int exchange(struct fr_ctx *ctx, struct fr_msg *msg, fr_nl_cb cb,
		    void *data, struct fr_nl_result *res)
{
	struct nlmsghdr *nlh = fr_msg_hdr(msg);
	struct fr_nl *nl = ctx->nl;
	struct nlmsghdr *h;
	ssize_t n;
	int len;

	*res = (struct fr_nl_result){};
	nlh->nlmsg_seq = ++nl->seq;
	if (nl->ops->send(nl, nlh) < 0)
		return fr_error(ctx, "netlink send: %s", strerror(errno));

	for (;;) {
		n = nl->ops->recv(nl, nl->buf, sizeof(nl->buf));
		if (n < 0)
			return lost(ctx, msg, strerror(errno));
		if (!n)
			return lost(ctx, msg, "no answer");

		len = n;
		for (h = (void *)nl->buf; fr_nl_ok(h, len);
		     h = mnl_nlmsg_next(h, &len)) {
			if (h->nlmsg_seq != nl->seq)
				continue;
			if (h->nlmsg_flags & NLM_F_DUMP_INTR)
				res->interrupted = true;
			if (h->nlmsg_type == NLMSG_ERROR ||
			    h->nlmsg_type == NLMSG_DONE) {
				fr_extack_parse(&res->ext, h);
				return FR_EXIT_OK;
			}
			if (h->nlmsg_type < NLMSG_MIN_TYPE || !cb)
				continue;
			if (mnl_nlmsg_get_payload_len(h) < GENL_HDRLEN ||
			    cb(h, data) < 0)
				return lost(ctx, msg, strerror(errno));
		}
	}
}

static void parse_groups(struct fr_nl *nl, const struct nlattr *groups)
{
	const struct nlattr *group, *attr;
	const char *name;
	uint32_t id;

	mnl_attr_for_each_nested(group, groups) {
		name = NULL;
		id = 0;
		mnl_attr_for_each_nested(attr, group) {
			switch (mnl_attr_get_type(attr)) {
			case CTRL_ATTR_MCAST_GRP_NAME:
				name = mnl_attr_get_str(attr);
				break;
			case CTRL_ATTR_MCAST_GRP_ID:
				id = mnl_attr_get_u32(attr);
				break;
			}
		}
		if (name && !strcmp(name, FLOWRING_MCGRP_CONFIG))
			nl->group = id;
	}
}

static int family_cb(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *attr;
	struct fr_nl *nl = data;

	mnl_attr_for_each(attr, nlh, GENL_HDRLEN) {
		switch (mnl_attr_get_type(attr)) {
		case CTRL_ATTR_FAMILY_ID:
			nl->family = mnl_attr_get_u16(attr);
			break;
		case CTRL_ATTR_MCAST_GROUPS:
			parse_groups(nl, attr);
			break;
		}
	}
	return 0;
}

static int resolve(struct fr_ctx *ctx)
{
	struct fr_nl *nl = ctx->nl;
	struct fr_nl_result res;
	struct genlmsghdr *genl;
	struct nlmsghdr *nlh;
	struct fr_msg msg;
	int ret;

	ret = open_nl(ctx);
	if (ret || nl->family)
		return ret;

	fr_msg_init(&msg, NULL, CTRL_CMD_GETFAMILY);
	nlh = fr_msg_hdr(&msg);
	genl = mnl_nlmsg_get_payload(nlh);
	genl->version = 1;
	nlh->nlmsg_type = GENL_ID_CTRL;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, FLOWRING_FAMILY_NAME);

	ret = exchange(ctx, &msg, family_cb, nl, &res);
	if (ret)
		return ret;
	if (res.ext.error == ENOENT || (!res.ext.error && !nl->family)) {
		fr_error(ctx, "the flowring kernel module is not loaded and could not be loaded: try modprobe flowring");
		return FR_EXIT_KERNEL;
	}
	if (res.ext.error) {
		fr_error(ctx, "netlink family: %s", strerror(res.ext.error));
		return FR_EXIT_KERNEL;
	}
	return FR_EXIT_OK;
}

struct obj_cb_data {
	const struct fr_set *set;
	struct fr_list *list;
};

static int obj_cb(const struct nlmsghdr *nlh, void *data)
{
	size_t len = mnl_nlmsg_get_payload_len(nlh) - GENL_HDRLEN;
	struct obj_cb_data *d = data;
	struct fr_obj *obj;

	if (!d->list)
		return 0;

	obj = fr_obj_new(d->set, mnl_nlmsg_get_payload_offset(nlh, GENL_HDRLEN),
			 len);
	if (!obj)
		return -1;
	if (fr_list_add(d->list, obj)) {
		free(obj);
		return -1;
	}
	return 0;
}

/**
 * fr_nl_say() - Print what the kernel said.
 * @ctx: The run.
 * @ext: The acknowledgment.
 * @what: The object in words.
 * @text: The kernel's words; @what is not said again when they begin with it.
 *
 * Return: Exit status.
 */
int fr_nl_say(struct fr_ctx *ctx, const struct fr_extack *ext,
	      const char *what, const char *text)
{
	const char *warning = ext->error ? "" : "warning: ";
	size_t len = strlen(what);

	if (!strncmp(text, what, len) && strchr(" :", text[len]))
		fr_error(ctx, "%s%s", warning, text);
	else
		fr_error(ctx, "%s%s: %s", warning, what, text);
	return ext->error ? FR_EXIT_KERNEL : FR_EXIT_OK;
}

/**
 * fr_nl_verdict() - Print what an acknowledgment means.
 * @ctx: The run.
 * @msg: The request.
 * @ext: The acknowledgment.
 *
 * Return: Exit status.
 */
int fr_nl_verdict(struct fr_ctx *ctx, struct fr_msg *msg,
		  const struct fr_extack *ext)
{
	char text[512];

	if (!ext->error && !ext->msg[0])
		return FR_EXIT_OK;
	fr_extack_text(ext, msg->set, fr_msg_hdr(msg), msg->what, text,
		       sizeof(text));
	return fr_nl_say(ctx, ext, msg->what, text);
}

/**
 * fr_nl_ask() - Send a request and let the caller judge its acknowledgment.
 * @ctx: The run.
 * @msg: The request.
 * @list: Where the objects of the answer go, NULL to drop them.
 * @ext: The acknowledgment, when FR_EXIT_OK is returned.
 *
 * Flags that are in its header already are sent too.
 *
 * Return: FR_EXIT_OK when there was one, whatever it says; else the exit
 * status, after an error was printed.
 */
int fr_nl_ask(struct fr_ctx *ctx, struct fr_msg *msg, struct fr_list *list,
	      struct fr_extack *ext)
{
	struct obj_cb_data data = { .set = msg->set, .list = list };
	struct nlmsghdr *nlh = fr_msg_hdr(msg);
	struct fr_nl_result res;
	int ret;

	ret = resolve(ctx);
	if (ret)
		return ret;

	nlh->nlmsg_type = ctx->nl->family;
	nlh->nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
	ret = exchange(ctx, msg, obj_cb, &data, &res);
	*ext = res.ext;
	return ret;
}

/**
 * fr_nl_room() - Make the socket hold large messages.
 * @ctx: The run.
 * @rcv: Bytes that may wait to be received.
 * @snd: Bytes of the largest request.
 *
 * Return: Exit status.
 */
int fr_nl_room(struct fr_ctx *ctx, int rcv, int snd)
{
	int ret = resolve(ctx);

	if (!ret && ctx->nl->ops->room)
		ctx->nl->ops->room(ctx->nl, rcv, snd);
	return ret;
}

/**
 * fr_nl_request() - Send a request and wait for its acknowledgment.
 * @ctx: The run.
 * @msg: The request.
 * @list: Where the objects of the answer go, NULL to drop them.
 *
 * Errors are printed, and so are warnings of the kernel.
 *
 * Return: Exit status.
 */
int fr_nl_request(struct fr_ctx *ctx, struct fr_msg *msg,
		  struct fr_list *list)
{
	struct fr_extack ext;
	int ret;

	if (ctx->dry)
		return FR_EXIT_OK;
	ret = fr_nl_ask(ctx, msg, list, &ext);
	if (ret)
		return ret;
	return fr_nl_verdict(ctx, msg, &ext);
}

/**
 * fr_nl_ask_all() - Dump objects and let the caller judge how that ended.
 * @ctx: The run.
 * @msg: The request.
 * @list: Where the objects go.
 * @ext: The end of the dump, when FR_EXIT_OK is returned.
 *
 * A dump that changes interrupted is begun again, a bounded number of times.
 *
 * Return: FR_EXIT_OK when there was an end, whatever it says; else the exit
 * status, after an error was printed. The list is empty then.
 */
int fr_nl_ask_all(struct fr_ctx *ctx, struct fr_msg *msg, struct fr_list *list,
		  struct fr_extack *ext)
{
	struct obj_cb_data data = { .set = msg->set, .list = list };
	struct nlmsghdr *nlh = fr_msg_hdr(msg);
	struct fr_nl_result res;
	int ret, i;

	ret = resolve(ctx);
	if (ret)
		return ret;

	nlh->nlmsg_type = ctx->nl->family;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	for (i = 0; i < FR_NL_DUMP_TRIES; i++) {
		ret = exchange(ctx, msg, obj_cb, &data, &res);
		*ext = res.ext;
		if (!ret && (res.ext.error || !res.interrupted))
			return FR_EXIT_OK;
		fr_list_clear(list);
		if (ret)
			return ret;
	}
	fr_error(ctx, "%s: changes interrupted the dump %d times: try again",
		 msg->what, FR_NL_DUMP_TRIES);
	return FR_EXIT_KERNEL;
}

/**
 * fr_nl_dump() - Dump objects.
 * @ctx: The run.
 * @msg: The request.
 * @list: Where the objects go.
 *
 * The same, but errors are printed, and so are warnings of the kernel.
 *
 * Return: Exit status. The list is empty unless it is FR_EXIT_OK.
 */
int fr_nl_dump(struct fr_ctx *ctx, struct fr_msg *msg, struct fr_list *list)
{
	struct fr_extack ext;
	int ret;

	if (ctx->dry)
		return FR_EXIT_OK;
	ret = fr_nl_ask_all(ctx, msg, list, &ext);
	if (!ret)
		ret = fr_nl_verdict(ctx, msg, &ext);
	if (ret)
		fr_list_clear(list);
	return ret;
}

/**
 * fr_nl_join() - Join the group of configuration events.
 * @ctx: The run.
 *
 * Return: Exit status.
 */
int fr_nl_join(struct fr_ctx *ctx)
{
	int ret;

	ret = resolve(ctx);
	if (ret)
		return ret;
	if (!ctx->nl->group) {
		fr_error(ctx, "monitor: the kernel has no group %s",
			 FLOWRING_MCGRP_CONFIG);
		return FR_EXIT_KERNEL;
	}
	if (ctx->nl->ops->join(ctx->nl, ctx->nl->group) < 0) {
		fr_error(ctx, "monitor: %s", strerror(errno));
		return FR_EXIT_KERNEL;
	}
	return FR_EXIT_OK;
}

/**
 * fr_nl_close() - Close the socket, if it is open.
 * @nl: The socket.
 */
void fr_nl_close(struct fr_nl *nl)
{
	if (nl->open)
		nl->ops->close(nl);
	nl->open = false;
	nl->family = 0;
	nl->group = 0;
}
