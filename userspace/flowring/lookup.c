// SPDX-License-Identifier: GPL-2.0
/* The object lookup. */

#include <errno.h>
#include <string.h>

#include <linux/flowring.h>

#include "output.h"
#include "parse.h"

static const char help[] =
"Usage: flowring lookup PROTO SADDR SPORT DADDR DPORT [mark MARK] [owners R]\n"
"\n"
"Asks the kernel where a flow goes, and why. The code that steers packets\n"
"answers; nothing is sent and nothing is changed.\n"
"\n"
"PROTO   tcp | udp | NUMBER, the last for one without ports, and ports of 0\n"
"SADDR   address of the client\n"
"SPORT   port of the client, 0 to 65535\n"
"DADDR   address of the service\n"
"DPORT   port of the service, 0 to 65535\n"
"mark    firewall mark of its packets, for services of marks\n"
"owners  also list the R backends that would own the flow one after the other,\n"
"        those of zones that are not in the list yet first, 1 to 64\n";

static const struct fr_opt options[] = {
	{ .key = "mark", .attr = FLOWRING_A_LOOKUP_MARK },
	{ .key = "owners", .attr = FLOWRING_A_LOOKUP_OWNERS,
	  .min = 1, .max = FLOWRING_MAX_OWNERS },
};

static const struct fr_field fields[] = {
	{ .attr = FLOWRING_A_LOOKUP_PROTO, .label = "" },
	{ .attr = FLOWRING_A_LOOKUP_SADDR, .label = "from" },
	{ .attr = FLOWRING_A_LOOKUP_SPORT, .label = "port" },
	{ .attr = FLOWRING_A_LOOKUP_DADDR, .label = "to" },
	{ .attr = FLOWRING_A_LOOKUP_DPORT, .label = "port" },
	{ .attr = FLOWRING_A_LOOKUP_MARK },
	{ .attr = FLOWRING_A_LOOKUP_VERDICT, .line = 1 },
	{ .attr = FLOWRING_A_LOOKUP_ACTION, .line = 1 },
	{ .attr = FLOWRING_A_LOOKUP_RING, .line = 2 },
	{ .attr = FLOWRING_A_LOOKUP_EPOCH, .line = 2 },
	{ .attr = FLOWRING_A_LOOKUP_HASH, .line = 2 },
	{ .attr = FLOWRING_A_LOOKUP_SLOT, .line = 2 },
	{ .attr = FLOWRING_A_LOOKUP_BACKEND, .line = 3 },
	{ .attr = FLOWRING_A_LOOKUP_ADDR, .line = 3 },
	{ .attr = FLOWRING_A_LOOKUP_PORT, .line = 3 },
	{ .attr = FLOWRING_A_LOOKUP_MODE, .line = 3 },
	{ .attr = FLOWRING_A_LOOKUP_FLOW_BACKEND, .line = 4 },
	{ .attr = FLOWRING_A_LOOKUP_FLOW_ADDR, .line = 4 },
	{ .attr = FLOWRING_A_LOOKUP_FLOW_PORT, .line = 4 },
	{ .attr = FLOWRING_A_LOOKUP_FLOW_WHY, .line = 5,
	  .label = "existing flows:" },
};

static void say_verdict(const struct fr_obj *obj, char *text, size_t size)
{
	const char *words = NULL;
	size_t len = strlen(text);

	switch (fr_obj_num(obj, FLOWRING_A_LOOKUP_VERDICT)) {
	case FLOWRING_VERDICT_STEER:
		words = "the slot has an owner";
		break;
	case FLOWRING_VERDICT_NO_SERVICE:
		words = "no service is defined for the destination";
		break;
	case FLOWRING_VERDICT_NO_BACKEND:
		words = "the ring of the service has no usable backend";
		break;
	case FLOWRING_VERDICT_ACTION:
		words = "the service has no ring";
		break;
	}
	if (words)
		snprintf(text + len, size - len, ": %s", words);
}

/* Where packets of a flow of a stateless ring go that is not new */
static void say_why(const struct fr_obj *obj, char *text, size_t size)
{
	char why[32], name[FR_TEXT_SIZE];

	if (!fr_obj_has(obj, FLOWRING_A_LOOKUP_FLOW_BACKEND)) {
		snprintf(text, size, "no usable backend");
		return;
	}
	snprintf(why, sizeof(why), "%s", text);
	fr_obj_text(obj, FLOWRING_A_LOOKUP_FLOW_BACKEND, name, sizeof(name));
	snprintf(text, size, "%s (%s)", name, why);
}

static void say_more(const struct fr_obj *obj, uint16_t attr, char *text,
		     size_t size, void *data)
{
	(void)data;
	switch (attr) {
	case FLOWRING_A_LOOKUP_VERDICT:
		say_verdict(obj, text, size);
		break;
	case FLOWRING_A_LOOKUP_FLOW_WHY:
		say_why(obj, text, size);
		break;
	case FLOWRING_A_LOOKUP_FLOW_BACKEND:
	case FLOWRING_A_LOOKUP_FLOW_ADDR:
	case FLOWRING_A_LOOKUP_FLOW_PORT:
		/* As conntrack has it; the reason says it otherwise */
		if (fr_obj_has(obj, FLOWRING_A_LOOKUP_FLOW_WHY))
			text[0] = '\0';
		break;
	}
}

static const struct fr_layout layout = {
	.head	= "flow",
	.fields	= fields,
	.n	= FR_ARRAY_SIZE(fields),
	.more	= say_more,
};

static int print_owners(struct fr_ctx *ctx, const struct fr_obj *obj)
{
	struct fr_list list = {};
	char text[160];
	int width = 0;
	size_t i;

	if (fr_obj_nests(obj, FLOWRING_A_LOOKUP_OWNER, &list)) {
		fr_list_clear(&list);
		return fr_error(ctx, "lookup: %s", strerror(errno));
	}
	for (i = 0; i < list.n; i++) {
		fr_obj_text(list.v[i], FLOWRING_A_OWNER_NAME, text,
			    sizeof(text));
		if ((int)strlen(text) > width)
			width = strlen(text);
	}
	for (i = 0; i < list.n; i++) {
		fr_obj_text(list.v[i], FLOWRING_A_OWNER_NAME, text,
			    sizeof(text));
		fprintf(ctx->out, "    owner %*zu ", list.n > 9 ? -2 : 1,
			i + 1);
		if (!fr_obj_str(list.v[i], FLOWRING_A_OWNER_ZONE)[0]) {
			fprintf(ctx->out, "%s\n", text);
			continue;
		}
		fprintf(ctx->out, "%-*s zone ", width, text);
		fr_obj_text(list.v[i], FLOWRING_A_OWNER_ZONE, text,
			    sizeof(text));
		fprintf(ctx->out, "%s\n", text);
	}
	fr_list_clear(&list);
	return FR_EXIT_OK;
}

static int take_proto(struct fr_ctx *ctx, struct fr_args *args,
		      struct fr_msg *msg, const char **word)
{
	uint32_t proto;

	*word = fr_arg_peek(args);
	if (*word && (!strcmp(*word, "tcp") || !strcmp(*word, "udp")))
		return fr_arg_proto(ctx, args, msg, FLOWRING_A_LOOKUP_PROTO,
				    word);
	*word = fr_arg_next(ctx, args, "protocol");
	if (!*word)
		return FR_EXIT_LOCAL;
	if (fr_parse_u32(ctx, "protocol", *word, 1, UINT8_MAX, &proto))
		return FR_EXIT_LOCAL;
	mnl_attr_put_u32(fr_msg_hdr(msg), FLOWRING_A_LOOKUP_PROTO, proto);
	return FR_EXIT_OK;
}

/**
 * fr_lookup() - The object lookup.
 * @ctx: The run.
 * @args: The words after it.
 *
 * Return: Exit status.
 */
int fr_lookup(struct fr_ctx *ctx, struct fr_args *args)
{
	const char *proto, *saddr, *sport, *daddr, *dport;
	const char *word = fr_arg_peek(args);
	struct fr_list list = {};
	struct fr_msg msg;
	size_t i;
	int ret;

	if (word && !strcmp(word, "help")) {
		fputs(help, ctx->out);
		return FR_EXIT_OK;
	}

	fr_msg_init(&msg, &fr_set_lookup, FLOWRING_CMD_LOOKUP);
	if (take_proto(ctx, args, &msg, &proto) ||
	    fr_arg_addr(ctx, args, "source address", &msg,
			FLOWRING_A_LOOKUP_SADDR, &saddr) ||
	    fr_arg_u32(ctx, args, "source port", 0, UINT16_MAX, &msg,
		       FLOWRING_A_LOOKUP_SPORT, &sport) ||
	    fr_arg_addr(ctx, args, "destination address", &msg,
			FLOWRING_A_LOOKUP_DADDR, &daddr) ||
	    fr_arg_u32(ctx, args, "destination port", 0, UINT16_MAX, &msg,
		       FLOWRING_A_LOOKUP_DPORT, &dport) ||
	    fr_arg_opts(ctx, args, options, FR_ARRAY_SIZE(options), &msg))
		return FR_EXIT_LOCAL;
	if (!strchr(saddr, ':') != !strchr(daddr, ':'))
		return fr_error(ctx, "lookup: %s and %s are not of one family",
				saddr, daddr);
	fr_msg_what(&msg, "lookup %s %s port %s to %s port %s", proto, saddr,
		    sport, daddr, dport);

	ret = fr_nl_request(ctx, &msg, &list);
	if (!ret && !ctx->dry)
		ret = fr_print(ctx, &list, &layout);
	for (i = 0; !ret && !ctx->json && i < list.n; i++)
		ret = print_owners(ctx, list.v[i]);
	fr_list_clear(&list);
	return ret;
}
