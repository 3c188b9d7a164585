// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzing of what reads the kernel's answers: bytes are made into datagrams that
 * the transport of the tests hands to a command of the tool. They are put
 * together as messages and attributes, some of them with lengths that are not
 * true, so that the inner readers are reached too.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>
#include <linux/genetlink.h>

#include "fuzz.h"
#include "mock.h"

#define PAYLOAD		64	/* bytes of an attribute at most */
#define DEPTH		4	/* of nests */
#define ROOM		2048	/* bytes of a message at most */

struct input {
	const uint8_t *p;
	size_t left;
};

/* What a byte of the input puts into the answer */
enum part {
	PART_MESSAGE,
	PART_ATTR,
	PART_STRING,
	PART_NUMBER,
	PART_NEST,
	PART_NEST_END,
	PART_SEND,
	PART_ACK,
	PART_ERROR,
	PART_DONE,
	PART_LENGTH,
	PART_BYTES,
	PART_FAIL,
	PARTS
};

static const char *const commands[] = {
	"ring show",
	"ring show web",
	"backend show web",
	"backend show web b1",
	"service show",
	"ring add web bits 8",
	"backend add web b1 addr 10.0.0.1 weight 7",
	"service add tcp 192.0.2.1 port 80 ring web",
	"lookup tcp 198.51.100.7 40000 192.0.2.10 80",
	"lookup tcp 198.51.100.7 40000 192.0.2.10 80 owners 3",
	"ring commit web expect 17 backend add c addr 10.0.0.3",
	"ring commit web dry-run backend del c",
	"plan web backend set b1 weight 0",
	"ring draw web",
	"save",
	"window show",
	"window show web",
	"pins show",
	"backend drain web b1 wait timeout 3",
	"monitor",
	"backend add web m1 mark 0x10 mode mark",
};

/* The message in the making */
static struct nlmsghdr *message;
static struct nlattr *nests[DEPTH];
static unsigned int depth;

static uint8_t take(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->p++;
}

static void end_nest(void)
{
	if (depth && --depth < DEPTH)
		mnl_attr_nest_end(message, nests[depth]);
}

static void end_message(struct mock *m)
{
	while (depth)
		end_nest();
	if (message)
		mock_end(m, message);
	message = NULL;
}

static void begin_message(struct mock *m, struct input *in)
{
	uint8_t kind = take(in);

	end_message(m);
	message = mock_put_genl(m, take(in) % (FLOWRING_CMD_MAX + 2),
				kind & 3 ? NLM_F_MULTI : NLM_F_DUMP_INTR);
	/* Not all that arrives is an answer */
	if (kind == 0xff)
		message->nlmsg_seq++;
	if (kind == 0xfe)
		message->nlmsg_type = take(in);
}

static void put_payload(struct input *in, enum part part)
{
	uint16_t type = take(in) % 32;
	uint8_t buf[PAYLOAD] = {};
	unsigned int i, len;

	switch (part) {
	case PART_NUMBER:
		len = take(in) & 1 ? 8 : 4;
		buf[0] = take(in);
		break;
	default:
		len = take(in) % PAYLOAD;
		for (i = 0; i < len; i++)
			buf[i] = take(in);
		len += part == PART_STRING;
		break;
	}
	mnl_attr_put(message, type, len, buf);
}

/* A length that is not what it should be: of the message, or of its last bytes
 * taken as an attribute
 */
static void put_length(struct input *in)
{
	uint16_t len = take(in) | take(in) << 8;
	struct nlattr *attr;

	if (len & 1) {
		message->nlmsg_len += len % 8;
		return;
	}
	attr = mnl_nlmsg_get_payload_tail(message);
	memset(attr, 0, sizeof(*attr));
	attr->nla_type = take(in);
	attr->nla_len = len;
	message->nlmsg_len += sizeof(*attr);
}

static void put_ack(struct mock *m, struct input *in)
{
	static const int errors[] = { 0, ENOENT, EINVAL, EPERM, ESTALE, ERANGE };
	uint8_t kind = take(in);

	end_message(m);
	message = mock_put_ack(m, -errors[kind % 6], NLM_F_ACK_TLVS);
	/* The whole request comes back, or so its length says */
	if (kind & 0x80) {
		struct nlmsgerr *err = mnl_nlmsg_get_payload(message);

		message->nlmsg_flags &= ~NLM_F_CAPPED;
		memset(&err->msg.nlmsg_len, take(in), 2);
		if (kind & 0x40)
			memset(&err->msg.nlmsg_len, 0xff, 4);
	}
}

static void put_bytes(struct mock *m, struct input *in)
{
	unsigned int i, len = take(in);

	end_message(m);
	for (i = 0; i < len; i++)
		m->buf[m->len++] = take(in);
	mock_flush(m);
}

static void put_end(struct mock *m, struct input *in, enum part part)
{
	static const int errors[] = { 0, ENOBUFS, ENOMEM, EBUSY };

	end_message(m);
	switch (part) {
	case PART_ACK:
		mock_ack(m, 0, NULL);
		break;
	case PART_DONE:
		mock_done(m, -errors[take(in) % 4], 0);
		break;
	case PART_FAIL:
		mock_fail(m, ENOBUFS);
		break;
	default:
		mock_flush(m);
		break;
	}
}

static void put_part(struct mock *m, struct input *in)
{
	enum part part = take(in) % PARTS;
	bool room = message && message->nlmsg_len < ROOM;

	switch (part) {
	case PART_MESSAGE:
		begin_message(m, in);
		break;
	case PART_ATTR:
	case PART_STRING:
	case PART_NUMBER:
		if (room)
			put_payload(in, part);
		break;
	case PART_NEST:
		if (room && depth < DEPTH)
			nests[depth++] = mnl_attr_nest_start(message,
							     take(in) % 32);
		break;
	case PART_NEST_END:
		end_nest();
		break;
	case PART_ERROR:
		put_ack(m, in);
		break;
	case PART_LENGTH:
		if (room)
			put_length(in);
		break;
	case PART_BYTES:
		put_bytes(m, in);
		break;
	default:
		put_end(m, in, part);
		break;
	}
}

/* The answer to a request ends with the byte 0xff or with the input */
static void answer(struct mock *m, const struct nlmsghdr *req)
{
	struct input *in = m->data;

	(void)req;
	while (in->left && *in->p != 0xff)
		put_part(m, in);
	take(in);
	end_message(m);
	mock_flush(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	uint8_t command = take(&in);
	static struct mock m;

	message = NULL;
	depth = 0;
	mock_init(&m, answer);
	m.data = &in;
	m.ctx.json = take(&in) & 1;
	/* Events come without a request */
	if (!strcmp(commands[command % FR_ARRAY_SIZE(commands)], "monitor"))
		answer(&m, NULL);
	mock_run(&m, commands[command % FR_ARRAY_SIZE(commands)]);
	mock_fini(&m);
	return 0;
}
