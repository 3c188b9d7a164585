// SPDX-License-Identifier: GPL-2.0
/* Extended acknowledgments: what the kernel says about an error, with the
 * attribute at fault found in the request and called by its name.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>

#include "cli.h"
#include "extack.h"
#include "obj.h"

#define EPERM_TEXT \
	"not permitted: needs CAP_NET_ADMIN in the initial user namespace"

static bool read_num(const struct nlattr *attr, uint64_t *num)
{
	uint16_t len = mnl_attr_get_payload_len(attr);

	if (len != 4 && len != 8)
		return false;
	*num = fr_attr_num(attr);
	return true;
}

static void parse_policy(struct fr_extack *ext, const struct nlattr *nest)
{
	const struct nlattr *attr;
	uint64_t num;

	ext->policy = true;
	mnl_attr_for_each_nested(attr, nest) {
		if (!read_num(attr, &num))
			continue;
		switch (mnl_attr_get_type(attr)) {
		case NL_POLICY_TYPE_ATTR_MIN_LENGTH:
			ext->is_len = true;
			fallthrough;
		case NL_POLICY_TYPE_ATTR_MIN_VALUE_U:
		case NL_POLICY_TYPE_ATTR_MIN_VALUE_S:
			ext->has_min = true;
			ext->min = num;
			break;
		case NL_POLICY_TYPE_ATTR_MAX_LENGTH:
			ext->is_len = true;
			fallthrough;
		case NL_POLICY_TYPE_ATTR_MAX_VALUE_U:
		case NL_POLICY_TYPE_ATTR_MAX_VALUE_S:
			ext->has_max = true;
			ext->max = num;
			break;
		}
	}
}

static void parse_attrs(struct fr_extack *ext, const char *p, size_t len)
{
	const struct nlattr *attr;
	uint64_t num;

	mnl_attr_for_each_payload((void *)p, len) {
		switch (mnl_attr_get_type(attr)) {
		case NLMSGERR_ATTR_MSG:
			snprintf(ext->msg, sizeof(ext->msg), "%.*s",
				 (int)mnl_attr_get_payload_len(attr),
				 mnl_attr_get_str(attr));
			break;
		case NLMSGERR_ATTR_COOKIE:
			if (mnl_attr_get_payload_len(attr) !=
			    sizeof(ext->cookie))
				break;
			ext->has_cookie = true;
			memcpy(&ext->cookie, mnl_attr_get_payload(attr),
			       sizeof(ext->cookie));
			break;
		case NLMSGERR_ATTR_OFFS:
			if (read_num(attr, &num))
				ext->offs = num;
			break;
		case NLMSGERR_ATTR_MISS_TYPE:
			if (read_num(attr, &num))
				ext->miss = num;
			break;
		case NLMSGERR_ATTR_MISS_NEST:
			if (read_num(attr, &num))
				ext->miss_nest = num;
			break;
		case NLMSGERR_ATTR_POLICY:
			parse_policy(ext, attr);
			break;
		}
	}
}

/**
 * fr_extack_parse() - Take an acknowledgment apart.
 * @ext: The parts.
 * @nlh: A message of type NLMSG_ERROR, or NLMSG_DONE of a dump.
 */
void fr_extack_parse(struct fr_extack *ext, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);
	size_t len = mnl_nlmsg_get_payload_len(nlh);
	size_t off = sizeof(int);
	int code = 0;

	*ext = (struct fr_extack){};
	if (len >= sizeof(code))
		memcpy(&code, err, sizeof(code));

	if (nlh->nlmsg_type == NLMSG_ERROR) {
		if (len < sizeof(*err)) {
			ext->error = EBADMSG;
			return;
		}
		off = sizeof(*err);
		if (!(nlh->nlmsg_flags & NLM_F_CAPPED) &&
		    err->msg.nlmsg_len > sizeof(err->msg))
			off += NLMSG_ALIGN(err->msg.nlmsg_len) -
			       sizeof(err->msg);
	}

	ext->error = code < 0 ? -code : 0;
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS && off < len)
		parse_attrs(ext, (const char *)err + off, len - off);
}

/* Find the attribute at an offset of the request; its name goes to buf, with
 * the names of the nests that it is in. The set of a nest found there is
 * returned through nest.
 */
static bool find_attr(const struct fr_set *set, const struct nlmsghdr *sent,
		      const char *p, size_t len, uint32_t offs,
		      char *buf, size_t size, const struct fr_set **nest)
{
	const struct nlattr *attr;
	const struct fr_attr *a;
	uint32_t at, end;
	int n;

	mnl_attr_for_each_payload((void *)p, len) {
		at = (const char *)attr - (const char *)sent;
		end = at + MNL_ALIGN(attr->nla_len);
		if (offs < at || offs >= end)
			continue;

		a = fr_set_attr(set, mnl_attr_get_type(attr));
		if (a)
			n = snprintf(buf, size, "%s", a->name);
		else
			n = snprintf(buf, size, "%u", mnl_attr_get_type(attr));
		if (offs == at) {
			if (nest && a)
				*nest = a->nested;
			return true;
		}
		if (!a || !a->nested || n < 0 || (size_t)n + 1 >= size)
			return false;
		buf[n++] = '.';
		return find_attr(a->nested, sent, mnl_attr_get_payload(attr),
				 mnl_attr_get_payload_len(attr), offs, buf + n,
				 size - n, nest);
	}
	return false;
}

/* The part of a request that is looked into: all of it, or a nest */
struct scope {
	const struct fr_set *set;
	const struct nlmsghdr *sent;
	const char *p;
	size_t len;
};

static void missing_text(const struct fr_extack *ext, const struct scope *s,
			 char *buf, size_t size)
{
	const struct fr_set *set = s->set, *nest = NULL;
	const struct fr_attr *a;
	char where[96] = "";

	if (ext->miss_nest &&
	    find_attr(set, s->sent, s->p, s->len, ext->miss_nest, where,
		      sizeof(where) - 1, &nest)) {
		strcat(where, ".");
		set = nest;
	}

	a = set ? fr_set_attr(set, ext->miss) : NULL;
	if (a)
		snprintf(buf, size, "missing attribute %s%s", where, a->name);
	else
		snprintf(buf, size, "missing attribute %s%u", where, ext->miss);
}

static void range_text(const struct fr_extack *ext, char *buf, size_t size)
{
	const char *unit = ext->is_len ? " bytes" : "";

	buf[0] = '\0';
	if (ext->has_min && ext->has_max && (uint64_t)ext->min == ext->max)
		snprintf(buf, size, " (must be %" PRIu64 "%s)", ext->max, unit);
	else if (ext->has_max)
		snprintf(buf, size, " (%" PRId64 "..%" PRIu64 "%s)",
			 ext->has_min ? ext->min : 0, ext->max, unit);
	else if (ext->has_min)
		snprintf(buf, size, " (at least %" PRId64 "%s)", ext->min,
			 unit);
}

static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);
	const char *p;

	for (p = text; (p = strstr(p, word)); p++) {
		if ((p == text || p[-1] == ' ') &&
		    (!p[len] || strchr(" :,", p[len])))
			return true;
	}
	return false;
}

/* Tell whether the value of the attribute at fault stands in the words that are
 * printed anyway: its name would only repeat what they say.
 */
static bool value_said(const struct fr_extack *ext, const struct scope *s,
		       const char *what)
{
	struct fr_obj *obj = s->set ? fr_obj_new(s->set, s->p, s->len) : NULL;
	uint32_t base = s->p - (const char *)s->sent;
	bool said = false;
	char text[192];
	uint16_t type;

	for (type = 1; obj && type <= s->set->max; type++) {
		if (!obj->off[type] || base + obj->off[type] - 1 != ext->offs)
			continue;
		fr_obj_text(obj, type, text, sizeof(text));
		said = text[0] && (has_word(ext->msg, text) ||
				   has_word(what, text));
	}
	free(obj);
	return said;
}

static void text_of(const struct fr_extack *ext, const struct scope *s,
		    const char *what, char *buf, size_t size)
{
	const char *msg = ext->msg;
	char miss[160] = "";
	char range[80];
	char attr[96];
	bool found;

	found = ext->offs && find_attr(s->set, s->sent, s->p, s->len, ext->offs,
				       attr, sizeof(attr), NULL);
	if (ext->miss)
		missing_text(ext, s, miss, sizeof(miss));

	if (miss[0]) {
		if (msg[0])
			snprintf(buf, size, "%s (%s)", msg, miss);
		else
			snprintf(buf, size, "%s", miss);
		return;
	}

	if (!msg[0] && ext->error == EPERM)
		msg = EPERM_TEXT;
	else if (!msg[0])
		msg = strerror(ext->error);

	range_text(ext, range, sizeof(range));
	if (!found)
		snprintf(buf, size, "%s%s", msg, range);
	else if (ext->policy || !ext->msg[0])
		snprintf(buf, size, "attribute %s: %s%s", attr, msg, range);
	else if (value_said(ext, s, what))
		snprintf(buf, size, "%s", msg);
	else
		snprintf(buf, size, "%s (attribute %s)", msg, attr);
}

/**
 * fr_extack_text() - Say what an acknowledgment means.
 * @ext: The acknowledgment.
 * @set: Attribute set of the request.
 * @sent: The request.
 * @what: The object in words, as printed before the text.
 * @buf: Where the text goes.
 * @size: Room in @buf.
 *
 * A broken policy reads "attribute weight: integer out of range (0..10000)".
 * Other words of the kernel stand for themselves, with the attribute they are
 * about behind them unless its value was said.
 */
void fr_extack_text(const struct fr_extack *ext, const struct fr_set *set,
		    const struct nlmsghdr *sent, const char *what,
		    char *buf, size_t size)
{
	const struct scope s = {
		.set = set,
		.sent = sent,
		.p = (const char *)sent + MNL_NLMSG_HDRLEN + GENL_HDRLEN,
		.len = mnl_nlmsg_get_payload_len(sent) - GENL_HDRLEN,
	};

	text_of(ext, &s, what, buf, size);
}

/**
 * fr_extack_text_in() - The same about what is inside a nest of the request.
 * @ext: The acknowledgment.
 * @set: Attribute set of the nest.
 * @sent: The request.
 * @nest: The nest; its own name is not said.
 * @what: The object in words, as printed before the text.
 * @buf: Where the text goes.
 * @size: Room in @buf.
 */
void fr_extack_text_in(const struct fr_extack *ext, const struct fr_set *set,
		       const struct nlmsghdr *sent, const struct nlattr *nest,
		       const char *what, char *buf, size_t size)
{
	const struct scope s = {
		.set = set,
		.sent = sent,
		.p = mnl_attr_get_payload(nest),
		.len = mnl_attr_get_payload_len(nest),
	};

	text_of(ext, &s, what, buf, size);
}
