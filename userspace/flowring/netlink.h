/* SPDX-License-Identifier: GPL-2.0 */
/* The netlink transport, requests and dumps. */

#ifndef _FLOWRING_NETLINK_H
#define _FLOWRING_NETLINK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <libmnl/libmnl.h>

#include "cli.h"
#include "extack.h"
#include "obj.h"

/* Tries at a dump that changes interrupt */
#define FR_NL_DUMP_TRIES	10

/* The kernel fills dumps of up to 32 KiB when it is given the room; no other
 * message of it is longer than 64 KiB
 */
#define FR_NL_BUF_SIZE		65536

/* Room for a request: 8 KiB of explicit tokens, and all other attributes */
#define FR_MSG_SIZE		10240

struct fr_nl;

/**
 * struct fr_nl_ops - How messages get to the kernel and back.
 * @open: Make the socket.
 * @close: Close it.
 * @send: Send one message.
 * @recv: Receive a datagram; 0 when there will be no more.
 * @join: Join a multicast group.
 * @room: Make the socket hold that many bytes of each direction, or as many
 *   as it may; NULL when it holds any number.
 * @fd: Descriptor to poll for what @recv returns.
 *
 * All but @fd, @room and @close return a negative number with errno set on
 * failure.
 */
struct fr_nl_ops {
	int (*open)(struct fr_nl *nl);
	void (*close)(struct fr_nl *nl);
	ssize_t (*send)(struct fr_nl *nl, const struct nlmsghdr *nlh);
	ssize_t (*recv)(struct fr_nl *nl, void *buf, size_t size);
	int (*join)(struct fr_nl *nl, uint32_t group);
	void (*room)(struct fr_nl *nl, int rcv, int snd);
	int (*fd)(struct fr_nl *nl);
};

/**
 * struct fr_nl - A netlink socket and what was learnt through it.
 * @ops: The transport.
 * @priv: Belongs to the transport.
 * @open: The transport is open.
 * @seq: Sequence number of the last request.
 * @family: Number of the family, 0 when it is not yet known.
 * @group: Number of the multicast group, 0 when there is none.
 * @buf: The last datagram.
 */
struct fr_nl {
	const struct fr_nl_ops *ops;
	void *priv;
	bool open;
	uint32_t seq;
	uint16_t family;
	uint32_t group;
	_Alignas(NLMSG_ALIGNTO) char buf[FR_NL_BUF_SIZE];
};

/**
 * struct fr_msg - A request.
 * @set: Attribute set of the command.
 * @what: The object in words, for errors.
 * @lost: What to say when it was sent and the answer is lost; may be NULL.
 * @big: The message when it does not fit into @buf; else NULL.
 * @buf: The message.
 */
struct fr_msg {
	const struct fr_set *set;
	char what[192];
	const char *lost;
	void *big;
	_Alignas(NLMSG_ALIGNTO) char buf[FR_MSG_SIZE];
};

extern const struct fr_nl_ops fr_nl_mnl_ops;

/**
 * fr_nl_ok() - Tell whether a whole message is left in a datagram.
 * @nlh: Where it begins.
 * @len: Bytes left.
 *
 * mnl_nlmsg_ok() alone takes a length above INT_MAX for one that fits.
 *
 * Return: It is.
 */
static inline bool fr_nl_ok(const struct nlmsghdr *nlh, int len)
{
	return mnl_nlmsg_ok(nlh, len) && nlh->nlmsg_len <= (uint32_t)len;
}

struct nlmsghdr *fr_msg_hdr(struct fr_msg *msg);
void fr_msg_init(struct fr_msg *msg, const struct fr_set *set, uint8_t cmd);
void fr_msg_what(struct fr_msg *msg, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

int fr_nl_ask(struct fr_ctx *ctx, struct fr_msg *msg, struct fr_list *list,
	      struct fr_extack *ext);
int fr_nl_say(struct fr_ctx *ctx, const struct fr_extack *ext,
	      const char *what, const char *text);
int fr_nl_verdict(struct fr_ctx *ctx, struct fr_msg *msg,
		  const struct fr_extack *ext);
int fr_nl_room(struct fr_ctx *ctx, int rcv, int snd);
int fr_nl_request(struct fr_ctx *ctx, struct fr_msg *msg,
		  struct fr_list *list);
int fr_nl_ask_all(struct fr_ctx *ctx, struct fr_msg *msg, struct fr_list *list,
		  struct fr_extack *ext);
int fr_nl_dump(struct fr_ctx *ctx, struct fr_msg *msg, struct fr_list *list);
int fr_nl_join(struct fr_ctx *ctx);
void fr_nl_close(struct fr_nl *nl);

#endif /* _FLOWRING_NETLINK_H */
