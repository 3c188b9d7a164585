// SPDX-License-Identifier: GPL-2.0
/* The object service. */

#include <string.h>

#include <linux/flowring.h>

#include "output.h"
#include "parse.h"

static const char help[] =
"Usage: flowring service add WHAT { ring RING | action ACTION } [owner TAG]\n"
"       flowring service set WHAT { ring RING | action ACTION } [owner TAG]\n"
"       flowring service del WHAT\n"
"       flowring service show [WHAT]\n"
"\n"
"WHAT    { tcp | udp } ADDR[/PREFIX] port { N | N-M | all }\n"
"        any ADDR[/PREFIX]\n"
"        mark MARK { ipv4 | ipv6 }\n"
"ADDR    IPv4 or IPv6 address that clients connect to; with PREFIX, a network\n"
"port    what clients connect to, 1 to 65535, or the first and last of a range\n"
"any     any protocol, also those without ports\n"
"mark    firewall mark of the packets, whatever they are\n"
"ring    the ring that serves it\n"
"action  drop | reject | pass, in place of a ring\n"
"owner   whose the service is, for apply; none is nobody\n"
"\n"
"Of several services for a packet, the most specific one counts: the longest\n"
"prefix, then one port, a range, all ports, any protocol; marks come last.\n"
"\n"
"set points a service to another ring: flows that conntrack knows stay where\n"
"they are.\n"
"With -s: counters.\n";

static const struct fr_opt options[] = {
	{ .key = "owner", .attr = FLOWRING_A_SERVICE_OWNER, .none = true },
};

#define FR_STAT(_sub, _line) {			\
	.attr	= FLOWRING_A_SERVICE_STATS,	\
	.sub	= FLOWRING_A_STATS_##_sub,	\
	.line	= _line,			\
	.stats	= true,				\
}

static const struct fr_field fields[] = {
	{ .attr = FLOWRING_A_SERVICE_PROTO, .label = "" },
	{ .attr = FLOWRING_A_SERVICE_ADDR, .label = "" },
	{ .attr = FLOWRING_A_SERVICE_PORT },
	{ .attr = FLOWRING_A_SERVICE_MARK },
	{ .attr = FLOWRING_A_SERVICE_IP_VERSION, .label = "" },
	{ .attr = FLOWRING_A_SERVICE_RING },
	{ .attr = FLOWRING_A_SERVICE_ACTION },
	{ .attr = FLOWRING_A_SERVICE_OWNER },
	FR_STAT(FLOWS, 1),
	FR_STAT(PACKETS, 1),
	FR_STAT(BYTES, 1),
	FR_STAT(NO_BACKEND, 2),
	FR_STAT(NO_MEMORY, 2),
	FR_STAT(INVALID, 2),
	FR_STAT(NO_ROUTE, 3),
	FR_STAT(NOT_ON_LINK, 3),
	FR_STAT(TTL_EXPIRED, 3),
	FR_STAT(TOO_BIG, 3),
	FR_STAT(DENIED, 3),
};

static void say_more(const struct fr_obj *obj, uint16_t attr, char *text,
		     size_t size, void *data)
{
	(void)data;
	/* of a nest, whose attributes have other numbers */
	if (obj->set == &fr_set_service)
		fr_service_more(obj, attr, text, size);
}

static const struct fr_layout layout = {
	.head	= "service",
	.fields	= fields,
	.n	= FR_ARRAY_SIZE(fields),
	.more	= say_more,
};

static int keyword(struct fr_ctx *ctx, struct fr_args *args, const char *key)
{
	const char *word = fr_arg_next(ctx, args, key);

	if (!word)
		return FR_EXIT_LOCAL;
	if (strcmp(word, key))
		return fr_usage(ctx, args, "'%s' instead of %s", word, key);
	return FR_EXIT_OK;
}

/* ADDR[/PREFIX] */
static int take_net(struct fr_ctx *ctx, struct fr_args *args,
		    struct fr_msg *msg, const char **word)
{
	struct fr_addr addr;
	char text[64];
	uint32_t bits;
	char *slash;

	*word = fr_arg_next(ctx, args, "address");
	if (!*word)
		return FR_EXIT_LOCAL;
	snprintf(text, sizeof(text), "%s", *word);
	slash = strchr(text, '/');
	if (slash)
		*slash++ = '\0';
	if (fr_parse_addr(ctx, "address", text, &addr) ||
	    (slash && fr_parse_u32(ctx, "prefix", slash, 1, addr.len * 8,
				   &bits)))
		return FR_EXIT_LOCAL;
	mnl_attr_put(fr_msg_hdr(msg), FLOWRING_A_SERVICE_ADDR, addr.len,
		     addr.b);
	if (slash && bits < addr.len * 8U)
		mnl_attr_put_u32(fr_msg_hdr(msg), FLOWRING_A_SERVICE_PREFIX,
				 bits);
	return FR_EXIT_OK;
}

/* port { N | N-M | all } */
static int take_ports(struct fr_ctx *ctx, struct fr_args *args,
		      struct fr_msg *msg, const char **word)
{
	uint32_t first = 0, last = 0;
	char text[16];
	char *dash;

	if (keyword(ctx, args, "port"))
		return FR_EXIT_LOCAL;
	*word = fr_arg_next(ctx, args, "port");
	if (!*word)
		return FR_EXIT_LOCAL;
	snprintf(text, sizeof(text), "%s", *word);
	dash = strchr(text, '-');
	if (dash && dash > text)
		*dash++ = '\0';
	else
		dash = NULL;
	if (strcmp(*word, "all") &&
	    (fr_parse_u32(ctx, "port", dash ? text : *word, 1, UINT16_MAX,
			  &first) ||
	     (dash && fr_parse_u32(ctx, "last port", dash, 1, UINT16_MAX,
				   &last))))
		return FR_EXIT_LOCAL;
	if (dash && last <= first)
		return fr_error(ctx, "port %s: the last one is not behind the first",
				*word);
	mnl_attr_put_u32(fr_msg_hdr(msg), FLOWRING_A_SERVICE_PORT, first);
	if (dash)
		mnl_attr_put_u32(fr_msg_hdr(msg), FLOWRING_A_SERVICE_PORT_END,
				 last);
	return FR_EXIT_OK;
}

/* mark MARK { ipv4 | ipv6 } */
static int take_mark(struct fr_ctx *ctx, struct fr_args *args,
		     struct fr_msg *msg)
{
	const char *mark, *version;
	uint32_t num;

	fr_arg_next(ctx, args, "mark");
	mark = fr_arg_next(ctx, args, "mark");
	if (!mark || fr_parse_mark(ctx, "mark", mark, &num))
		return FR_EXIT_LOCAL;
	version = fr_arg_next(ctx, args, "ipv4 or ipv6");
	if (!version)
		return FR_EXIT_LOCAL;
	if (strcmp(version, "ipv4") && strcmp(version, "ipv6"))
		return fr_usage(ctx, args, "'%s' instead of ipv4 or ipv6",
				version);
	mnl_attr_put_u32(fr_msg_hdr(msg), FLOWRING_A_SERVICE_MARK, num);
	mnl_attr_put_u32(fr_msg_hdr(msg), FLOWRING_A_SERVICE_IP_VERSION,
			 version[3] - '0');
	fr_msg_what(msg, "service mark %s %s", mark, version);
	return FR_EXIT_OK;
}

/* WHAT */
static int begin(struct fr_ctx *ctx, struct fr_args *args, struct fr_msg *msg,
		 uint8_t cmd)
{
	const char *proto, *addr, *port, *word = fr_arg_peek(args);

	fr_msg_init(msg, &fr_set_service, cmd);
	if (word && !strcmp(word, "mark"))
		return take_mark(ctx, args, msg);
	if (fr_arg_proto(ctx, args, msg, FLOWRING_A_SERVICE_PROTO, &proto) ||
	    take_net(ctx, args, msg, &addr))
		return FR_EXIT_LOCAL;
	if (!fr_proto_value(proto)) {
		fr_msg_what(msg, "service %s %s", proto, addr);
		return FR_EXIT_OK;
	}
	if (take_ports(ctx, args, msg, &port))
		return FR_EXIT_LOCAL;
	fr_msg_what(msg, "service %s %s port %s", proto, addr, port);
	return FR_EXIT_OK;
}

/* ring RING | action ACTION */
static int take_goal(struct fr_ctx *ctx, struct fr_args *args,
		     struct fr_msg *msg)
{
	const char *word = fr_arg_next(ctx, args, "ring or action"), *name;
	int action;

	if (!word)
		return FR_EXIT_LOCAL;
	if (!strcmp(word, "ring"))
		return fr_arg_name(ctx, args, "ring", msg,
				   FLOWRING_A_SERVICE_RING, &name);
	if (strcmp(word, "action"))
		return fr_usage(ctx, args, "'%s' instead of ring or action",
				word);
	name = fr_arg_next(ctx, args, "action");
	if (!name)
		return FR_EXIT_LOCAL;
	action = fr_enum_value(&fr_enum_action, name);
	if (action < 0)
		return fr_error(ctx, "action %s: must be drop, reject or pass",
				name);
	mnl_attr_put_u32(fr_msg_hdr(msg), FLOWRING_A_SERVICE_ACTION, action);
	return FR_EXIT_OK;
}

static int add_or_set(struct fr_ctx *ctx, struct fr_args *args, uint8_t cmd)
{
	struct fr_msg msg;

	if (begin(ctx, args, &msg, cmd) || take_goal(ctx, args, &msg) ||
	    fr_arg_opts(ctx, args, options, FR_ARRAY_SIZE(options), &msg) ||
	    fr_arg_end(ctx, args))
		return FR_EXIT_LOCAL;
	return fr_nl_request(ctx, &msg, NULL);
}

static int add(struct fr_ctx *ctx, struct fr_args *args)
{
	return add_or_set(ctx, args, FLOWRING_CMD_SERVICE_NEW);
}

static int set(struct fr_ctx *ctx, struct fr_args *args)
{
	return add_or_set(ctx, args, FLOWRING_CMD_SERVICE_SET);
}

static int del(struct fr_ctx *ctx, struct fr_args *args)
{
	struct fr_msg msg;

	if (begin(ctx, args, &msg, FLOWRING_CMD_SERVICE_DEL) ||
	    fr_arg_end(ctx, args))
		return FR_EXIT_LOCAL;
	return fr_nl_request(ctx, &msg, NULL);
}

static int show(struct fr_ctx *ctx, struct fr_args *args)
{
	struct fr_list list = {};
	struct fr_msg msg;
	int ret;

	if (fr_arg_peek(args)) {
		if (begin(ctx, args, &msg, FLOWRING_CMD_SERVICE_GET) ||
		    fr_arg_end(ctx, args))
			return FR_EXIT_LOCAL;
		ret = fr_nl_request(ctx, &msg, &list);
	} else {
		fr_msg_init(&msg, &fr_set_service, FLOWRING_CMD_SERVICE_GET);
		fr_msg_what(&msg, "service show");
		ret = fr_nl_dump(ctx, &msg, &list);
	}

	if (!ret && !ctx->dry) {
		fr_list_sort(&list);
		ret = fr_print(ctx, &list, &layout);
	}
	fr_list_clear(&list);
	return ret;
}

static const struct fr_cmd commands[] = {
	{ "show",	show },
	{ "add",	add },
	{ "set",	set },
	{ "del",	del },
};

/**
 * fr_service() - The object service.
 * @ctx: The run.
 * @args: The words after it.
 *
 * Return: Exit status.
 */
int fr_service(struct fr_ctx *ctx, struct fr_args *args)
{
	return fr_dispatch(ctx, args, commands, FR_ARRAY_SIZE(commands), help);
}
