// SPDX-License-Identifier: GPL-2.0
/* What is made of the kernel's words about an error. */

#include <errno.h>
#include <string.h>

#include <linux/flowring.h>

#include "extack.h"
#include "fake.h"
#include "ktap.h"

static const char add_line[] =
	"backend add web b1 addr 10.0.0.1 port 80 weight 70";

struct canned {
	int error;
	const char *msg;
	/* Attribute of the request that is at fault, or is missing */
	uint16_t at;
	uint16_t miss;
	uint32_t miss_nest;
	/* Types and values of the policy */
	bool policy;
	struct {
		uint16_t type;
		uint64_t val;
	} pol[2];
};

static void canned_handler(struct mock *m, const struct nlmsghdr *req)
{
	const struct canned *c = m->data;
	struct nlmsghdr *nlh;
	struct nlattr *nest;
	size_t i;

	nlh = mock_put_ack(m, -c->error, NLM_F_ACK_TLVS);
	if (c->msg)
		mnl_attr_put_strz(nlh, NLMSGERR_ATTR_MSG, c->msg);
	if (c->at)
		mnl_attr_put_u32(nlh, NLMSGERR_ATTR_OFFS,
				 (const char *)mock_attr(req, c->at) -
				 (const char *)req);
	if (c->miss)
		mnl_attr_put_u32(nlh, NLMSGERR_ATTR_MISS_TYPE, c->miss);
	if (c->miss_nest)
		mnl_attr_put_u32(nlh, NLMSGERR_ATTR_MISS_NEST, c->miss_nest);
	if (c->policy) {
		nest = mnl_attr_nest_start(nlh, NLMSGERR_ATTR_POLICY);
		mnl_attr_put_u32(nlh, NL_POLICY_TYPE_ATTR_TYPE, 2);
		for (i = 0; i < 2 && c->pol[i].type; i++) {
			if (c->pol[i].type == NL_POLICY_TYPE_ATTR_MIN_LENGTH ||
			    c->pol[i].type == NL_POLICY_TYPE_ATTR_MAX_LENGTH)
				mnl_attr_put_u32(nlh, c->pol[i].type,
						 c->pol[i].val);
			else
				mnl_attr_put_u64(nlh, c->pol[i].type,
						 c->pol[i].val);
		}
		mnl_attr_nest_end(nlh, nest);
	}
	mock_end(m, nlh);
	mock_flush(m);
}

static void check(const struct canned *c, const char *line, int status,
		  const char *err)
{
	struct mock m;

	mock_init(&m, canned_handler);
	m.data = (void *)c;
	KT_INT(status, mock_run(&m, line));
	KT_STR(err, m.err);
	KT_STR("", m.out);
	mock_fini(&m);
}

static void range(void)
{
	static const struct canned c = {
		.error = ERANGE, .msg = "integer out of range",
		.at = FLOWRING_A_BACKEND_WEIGHT, .policy = true,
		.pol = { { NL_POLICY_TYPE_ATTR_MIN_VALUE_U, 0 },
			 { NL_POLICY_TYPE_ATTR_MAX_VALUE_U, 10000 } },
	};

	check(&c, add_line, 2,
	      "flowring: backend web b1: attribute weight: integer out of range (0..10000)\n");
}

static void range_min_only(void)
{
	static const struct canned c = {
		.error = ERANGE, .msg = "integer out of range",
		.at = FLOWRING_A_RING_BITS, .policy = true,
		.pol = { { NL_POLICY_TYPE_ATTR_MIN_VALUE_U, 8 } },
	};

	check(&c, "ring add web bits 4", 2,
	      "flowring: ring web: attribute bits: integer out of range (at least 8)\n");
}

static void range_length(void)
{
	static const struct canned c = {
		.error = ERANGE, .msg = "invalid attribute length",
		.at = FLOWRING_A_RING_KEY, .policy = true,
		.pol = { { NL_POLICY_TYPE_ATTR_MIN_LENGTH, 16 },
			 { NL_POLICY_TYPE_ATTR_MAX_LENGTH, 16 } },
	};

	check(&c, "ring add web key 00112233445566778899aabbccddeeff", 2,
	      "flowring: ring web: attribute key: invalid attribute length (must be 16 bytes)\n");
}

static void offset_alone(void)
{
	static const struct canned c = {
		.error = EINVAL, .at = FLOWRING_A_BACKEND_ADDR,
	};

	check(&c, add_line, 2,
	      "flowring: backend web b1: attribute addr: Invalid argument\n");
}

static void words_and_offset(void)
{
	static const struct canned c = {
		.error = EAFNOSUPPORT, .msg = "multicast is no backend",
		.at = FLOWRING_A_BACKEND_ADDR,
	};

	check(&c, add_line, 2,
	      "flowring: backend web b1: multicast is no backend (attribute addr)\n");
}

/* The name of the attribute would say again what was said */
static void words_with_value(void)
{
	static const struct canned ring = {
		.error = ENOENT, .msg = "no ring web",
		.at = FLOWRING_A_BACKEND_RING,
	};
	static const struct canned addr = {
		.error = EINVAL, .msg = "address is multicast",
		.at = FLOWRING_A_SERVICE_ADDR,
	};
	static const struct canned weight = {
		.error = EINVAL, .msg = "too light",
		.at = FLOWRING_A_BACKEND_WEIGHT,
	};

	check(&ring, add_line, 2, "flowring: backend web b1: no ring web\n");
	/* The name b1 does not say the value 1 */
	check(&weight, "backend set web b1 weight 1", 2,
	      "flowring: backend web b1: too light (attribute weight)\n");
	check(&addr, "service add tcp 224.0.0.1 port 80 ring web", 2,
	      "flowring: service tcp 224.0.0.1 port 80: address is multicast\n");
}

static void words_alone(void)
{
	static const struct canned c = {
		.error = ENOENT, .msg = "no such ring",
	};

	check(&c, "ring set web bits 9", 2,
	      "flowring: ring web: no such ring\n");
	check(&c, "service del tcp 192.0.2.1 port 80", 2,
	      "flowring: service tcp 192.0.2.1 port 80: no such ring\n");
}

static void words_begin_with_object(void)
{
	static const struct canned c = {
		.error = EEXIST, .msg = "ring web exists",
	};

	check(&c, "ring add web", 2, "flowring: ring web exists\n");
	check(&c, "ring add we", 2, "flowring: ring we: ring web exists\n");
}

static void no_words(void)
{
	static const struct canned exists = { .error = EEXIST };
	static const struct canned perm = { .error = EPERM };

	check(&exists, "ring add web", 2, "flowring: ring web: File exists\n");
	check(&perm, "ring add web", 2,
	      "flowring: ring web: not permitted: needs CAP_NET_ADMIN in the initial user namespace\n");
}

static void missing(void)
{
	static const struct canned c = {
		.error = EINVAL, .miss = FLOWRING_A_BACKEND_ADDR,
	};
	static const struct canned words = {
		.error = EINVAL, .miss = FLOWRING_A_BACKEND_ADDR,
		.msg = "incomplete",
	};
	static const struct canned unknown = {
		.error = EINVAL, .miss = 99,
	};

	check(&c, add_line, 2,
	      "flowring: backend web b1: missing attribute addr\n");
	check(&words, add_line, 2,
	      "flowring: backend web b1: incomplete (missing attribute addr)\n");
	check(&unknown, add_line, 2,
	      "flowring: backend web b1: missing attribute 99\n");
}

static void warning(void)
{
	static const struct canned c = {
		.msg = "backend b1 has no route at present",
	};

	check(&c, add_line, 0,
	      "flowring: warning: backend web b1: backend b1 has no route at present\n");
}

/* Attributes at fault inside a nest, which no request of the tool has yet */
static void nested(void)
{
	struct fr_extack ext = { .error = EINVAL, .policy = true,
				 .msg = "bad" };
	struct nlattr *nest;
	struct fr_msg msg;
	struct nlmsghdr *nlh;
	char text[256];

	fr_msg_init(&msg, &fr_set_backend, FLOWRING_CMD_BACKEND_NEW);
	nlh = fr_msg_hdr(&msg);
	mnl_attr_put_strz(nlh, FLOWRING_A_BACKEND_RING, "web");
	nest = mnl_attr_nest_start(nlh, FLOWRING_A_BACKEND_STATS);
	ext.offs = (char *)mnl_nlmsg_get_payload_tail(nlh) - (char *)nlh;
	mnl_attr_put_u32(nlh, FLOWRING_A_STATS_BYTES, 1);
	mnl_attr_nest_end(nlh, nest);

	fr_extack_text(&ext, msg.set, nlh, "ring x", text,
		       sizeof(text));
	KT_STR("attribute stats.bytes: bad", text);

	ext = (struct fr_extack){ .error = EINVAL,
				  .miss = FLOWRING_A_STATS_FLOWS };
	ext.miss_nest = (char *)nest - (char *)nlh;
	fr_extack_text(&ext, msg.set, nlh, "ring x", text,
		       sizeof(text));
	KT_STR("missing attribute stats.flows", text);
}

/* Inside of a nest, attributes are called as if it were the request */
static void within(void)
{
	struct fr_extack ext = { .error = EINVAL, .msg = "bad" };
	struct nlattr *outer, *nest, *attr;
	struct nlmsghdr *nlh;
	struct fr_msg msg;
	char text[256];

	fr_msg_init(&msg, &fr_set_commit, FLOWRING_CMD_RING_COMMIT);
	nlh = fr_msg_hdr(&msg);
	outer = mnl_attr_nest_start(nlh, FLOWRING_A_COMMIT_CHANGE);
	nest = mnl_attr_nest_start(nlh, FLOWRING_A_CHANGE_RING);
	attr = mnl_nlmsg_get_payload_tail(nlh);
	mnl_attr_put_u32(nlh, FLOWRING_A_RING_BITS, 9);
	mnl_attr_nest_end(nlh, nest);
	mnl_attr_nest_end(nlh, outer);

	ext.offs = (char *)attr - (char *)nlh;
	fr_extack_text(&ext, msg.set, nlh, "ring x", text, sizeof(text));
	KT_STR("bad (attribute change.ring.bits)", text);
	fr_extack_text_in(&ext, &fr_set_ring, nlh, nest, "ring x", text,
			  sizeof(text));
	KT_STR("bad (attribute bits)", text);

	/* What is at fault may be the nest itself, or lie outside of it */
	ext.offs = (char *)nest - (char *)nlh;
	fr_extack_text_in(&ext, &fr_set_ring, nlh, nest, "ring x", text,
			  sizeof(text));
	KT_STR("bad", text);
	ext = (struct fr_extack){ .error = EINVAL,
				  .miss = FLOWRING_A_RING_VNODES };
	ext.miss_nest = (char *)nest - (char *)nlh;
	fr_extack_text_in(&ext, &fr_set_ring, nlh, nest, "ring x", text,
			  sizeof(text));
	KT_STR("missing attribute vnodes", text);
}

static void cookies(void)
{
	_Alignas(NLMSG_ALIGNTO) char buf[256];
	static const char bytes[16];
	struct nlmsghdr *nlh;
	struct nlmsgerr *err;
	struct fr_extack ext;
	uint16_t len;

	for (len = 0; len <= sizeof(bytes); len++) {
		nlh = mnl_nlmsg_put_header(buf);
		nlh->nlmsg_type = NLMSG_ERROR;
		nlh->nlmsg_flags = NLM_F_ACK_TLVS | NLM_F_CAPPED;
		err = mnl_nlmsg_put_extra_header(nlh, sizeof(*err));
		err->error = -ESTALE;
		mnl_attr_put(nlh, NLMSGERR_ATTR_COOKIE, len, bytes);
		fr_extack_parse(&ext, nlh);
		KT_INT(len == 8, ext.has_cookie);
		KT_INT(0, ext.cookie);
	}
}

static void offset_astray(void)
{
	struct fr_extack ext = { .error = EINVAL, .msg = "bad" };
	struct fr_msg msg;
	struct nlmsghdr *nlh;
	char text[256];
	uint32_t offs;

	fr_msg_init(&msg, &fr_set_ring, FLOWRING_CMD_RING_NEW);
	nlh = fr_msg_hdr(&msg);
	mnl_attr_put_strz(nlh, FLOWRING_A_RING_NAME, "web");
	mnl_attr_put_u32(nlh, 1000, 1);
	for (offs = 1; offs < 200; offs++) {
		ext.offs = offs;
		fr_extack_text(&ext, msg.set, nlh, "ring x", text,
			       sizeof(text));
		if (offs == 20)
			KT_STR("bad (attribute name)", text);
		else if (offs == 28)
			KT_STR("bad (attribute 1000)", text);
		else
			KT_STR("bad", text);
	}
	ext.offs = UINT32_MAX;
	fr_extack_text(&ext, msg.set, nlh, "ring x", text,
		       sizeof(text));
	KT_STR("bad", text);
}

/* Acknowledgments that carry the request back, and cut ones */
static void forms(void)
{
	_Alignas(NLMSG_ALIGNTO) char buf[512];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct fr_extack ext;
	struct nlmsgerr *err;
	uint32_t len;

	nlh->nlmsg_type = NLMSG_ERROR;
	nlh->nlmsg_flags = NLM_F_ACK_TLVS;
	err = mnl_nlmsg_put_extra_header(nlh, sizeof(*err) + 8);
	err->error = -EBUSY;
	err->msg.nlmsg_len = sizeof(err->msg) + 8;
	mnl_attr_put_strz(nlh, NLMSGERR_ATTR_MSG, "words");
	fr_extack_parse(&ext, nlh);
	KT_INT(EBUSY, ext.error);
	KT_STR("words", ext.msg);

	/* A length inside that is a lie must not lead outside */
	err->msg.nlmsg_len = 0x7ffffff0;
	fr_extack_parse(&ext, nlh);
	KT_INT(EBUSY, ext.error);
	KT_STR("", ext.msg);
	err->msg.nlmsg_len = UINT32_MAX;
	fr_extack_parse(&ext, nlh);
	KT_STR("", ext.msg);
	err->msg.nlmsg_len = sizeof(err->msg) + 8;

	for (len = nlh->nlmsg_len; len >= sizeof(*nlh); len--) {
		nlh->nlmsg_len = len;
		fr_extack_parse(&ext, nlh);
		KT_INT(len < sizeof(*nlh) + sizeof(*err) ? EBADMSG : EBUSY,
		       ext.error);
	}
}

static const struct kt_case cases[] = {
	{ "range", range },
	{ "range_min_only", range_min_only },
	{ "range_length", range_length },
	{ "offset_alone", offset_alone },
	{ "words_and_offset", words_and_offset },
	{ "words_with_value", words_with_value },
	{ "words_alone", words_alone },
	{ "words_begin_with_object", words_begin_with_object },
	{ "no_words", no_words },
	{ "missing", missing },
	{ "warning", warning },
	{ "nested", nested },
	{ "within", within },
	{ "cookies", cookies },
	{ "offset_astray", offset_astray },
	{ "forms", forms },
};

KT_MAIN(cases)
