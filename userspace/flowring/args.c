// SPDX-License-Identifier: GPL-2.0
/* Taking the words of a command one after the other, and putting what they say
 * into a request.
 */

#include <stdarg.h>
#include <string.h>

#include <linux/flowring.h>

#include "parse.h"

/**
 * fr_usage() - Print a usage error.
 * @ctx: The run.
 * @args: The command.
 * @fmt: Format of what is wrong, as for printf().
 *
 * Return: FR_EXIT_LOCAL.
 */
int fr_usage(struct fr_ctx *ctx, const struct fr_args *args,
	     const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!args->where[0])
		return fr_error(ctx, "%s; see flowring help", text);
	return fr_error(ctx, "%s: %s; see flowring %.*s help", args->where,
			text, (int)strcspn(args->where, " "), args->where);
}

/**
 * fr_arg_peek() - Look at the next word.
 * @args: The words.
 *
 * Return: The word, NULL at the end.
 */
const char *fr_arg_peek(const struct fr_args *args)
{
	return args->i < args->n ? args->v[args->i] : NULL;
}

/**
 * fr_arg_next() - Take the next word.
 * @ctx: The run.
 * @args: The words.
 * @what: What it should be, for the error when there is none.
 *
 * Return: The word, or NULL after an error was printed.
 */
const char *fr_arg_next(struct fr_ctx *ctx, struct fr_args *args,
			const char *what)
{
	if (args->i == args->n) {
		fr_usage(ctx, args, "missing %s", what);
		return NULL;
	}
	return args->v[args->i++];
}

/**
 * fr_arg_end() - Check that no word is left.
 * @ctx: The run.
 * @args: The words.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_arg_end(struct fr_ctx *ctx, struct fr_args *args)
{
	if (args->i < args->n)
		return fr_usage(ctx, args, "unknown word '%s'",
				args->v[args->i]);
	return FR_EXIT_OK;
}

/**
 * fr_arg_name() - Take a name and put it into a request.
 * @ctx: The run.
 * @args: The words.
 * @key: What it names, for errors.
 * @msg: The request.
 * @attr: The attribute.
 * @name: The name.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_arg_name(struct fr_ctx *ctx, struct fr_args *args, const char *key,
		struct fr_msg *msg, uint16_t attr, const char **name)
{
	*name = fr_arg_next(ctx, args, key);
	if (!*name || fr_parse_name(ctx, key, *name))
		return FR_EXIT_LOCAL;
	mnl_attr_put_strz(fr_msg_hdr(msg), attr, *name);
	return FR_EXIT_OK;
}

/**
 * fr_arg_proto() - Take a protocol and put it into a request.
 * @ctx: The run.
 * @args: The words.
 * @msg: The request.
 * @attr: The attribute.
 * @name: The word.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_arg_proto(struct fr_ctx *ctx, struct fr_args *args,
		 struct fr_msg *msg, uint16_t attr, const char **name)
{
	int proto;

	*name = fr_arg_next(ctx, args, "protocol");
	if (!*name)
		return FR_EXIT_LOCAL;
	proto = fr_proto_value(*name);
	if (proto < 0)
		return fr_error(ctx, "protocol %s: must be tcp, udp or any",
				*name);
	mnl_attr_put_u32(fr_msg_hdr(msg), attr, proto);
	return FR_EXIT_OK;
}

/**
 * fr_arg_addr() - Take an address and put it into a request.
 * @ctx: The run.
 * @args: The words.
 * @key: What it is, for errors.
 * @msg: The request.
 * @attr: The attribute.
 * @word: The word.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_arg_addr(struct fr_ctx *ctx, struct fr_args *args, const char *key,
		struct fr_msg *msg, uint16_t attr, const char **word)
{
	struct fr_addr addr;

	*word = fr_arg_next(ctx, args, key);
	if (!*word || fr_parse_addr(ctx, key, *word, &addr))
		return FR_EXIT_LOCAL;
	mnl_attr_put(fr_msg_hdr(msg), attr, addr.len, addr.b);
	return FR_EXIT_OK;
}

/**
 * fr_arg_u32() - Take a number and put it into a request.
 * @ctx: The run.
 * @args: The words.
 * @key: What it is, for errors.
 * @min: Least value.
 * @max: Greatest value.
 * @msg: The request.
 * @attr: The attribute.
 * @word: The word.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_arg_u32(struct fr_ctx *ctx, struct fr_args *args, const char *key,
	       uint32_t min, uint32_t max, struct fr_msg *msg, uint16_t attr,
	       const char **word)
{
	uint32_t num;

	*word = fr_arg_next(ctx, args, key);
	if (!*word || fr_parse_u32(ctx, key, *word, min, max, &num))
		return FR_EXIT_LOCAL;
	mnl_attr_put_u32(fr_msg_hdr(msg), attr, num);
	return FR_EXIT_OK;
}

static int arg_enum(struct fr_ctx *ctx, const char *key, const char *word,
		    const struct fr_enum *e, struct fr_msg *msg, uint16_t attr)
{
	int val = fr_enum_value(e, word);
	char list[96];
	size_t i;
	int n = 0;

	if (val >= 0) {
		mnl_attr_put_u32(fr_msg_hdr(msg), attr, val);
		return FR_EXIT_OK;
	}

	for (i = 0; i < e->n; i++)
		n += snprintf(list + n, sizeof(list) - n, "%s%s",
			      !i ? "" : i == e->n - 1 ? " or " : ", ",
			      e->names[i]);
	return fr_error(ctx, "%s %s: must be %s", key, word, list);
}

static int arg_key(struct fr_ctx *ctx, struct fr_args *args, const char *word,
		   struct fr_msg *msg, uint16_t attr)
{
	unsigned char key[FLOWRING_KEY_LEN];
	int ret;

	if (!strcmp(word, "file")) {
		word = fr_arg_next(ctx, args, "the path of key file");
		ret = word ? fr_parse_key_file(ctx, word, key) : FR_EXIT_LOCAL;
	} else {
		ret = fr_parse_key(ctx, word, key);
	}
	if (!ret)
		mnl_attr_put(fr_msg_hdr(msg), attr, sizeof(key), key);
	return ret;
}

static int arg_bound(struct fr_ctx *ctx, const struct fr_opt *opt,
		     const char *word, struct fr_msg *msg)
{
	uint32_t num = 0;

	if (strcmp(word, "off") &&
	    fr_parse_u32(ctx, opt->key, word, opt->min, opt->max, &num))
		return FR_EXIT_LOCAL;
	mnl_attr_put_u32(fr_msg_hdr(msg), opt->attr, num);
	return FR_EXIT_OK;
}

static int arg_mark(struct fr_ctx *ctx, const struct fr_opt *opt,
		    const char *word, struct fr_msg *msg)
{
	uint32_t mark;

	if (fr_parse_mark(ctx, opt->key, word, &mark))
		return FR_EXIT_LOCAL;
	mnl_attr_put_u32(fr_msg_hdr(msg), opt->attr, mark);
	return FR_EXIT_OK;
}

static int arg_tokens(struct fr_ctx *ctx, const struct fr_opt *opt,
		      const char *word, struct fr_msg *msg)
{
	uint64_t tokens[FLOWRING_MAX_EXPLICIT_TOKENS];
	size_t n;

	if (fr_parse_tokens(ctx, opt->key, word, tokens, &n))
		return FR_EXIT_LOCAL;
	mnl_attr_put(fr_msg_hdr(msg), opt->attr, n * sizeof(*tokens), tokens);
	return FR_EXIT_OK;
}

static int arg_opt(struct fr_ctx *ctx, struct fr_args *args,
		   const struct fr_opt *opt, struct fr_msg *msg)
{
	const struct fr_attr *a = fr_set_attr(msg->set, opt->attr);
	const char *word;
	char what[64];

	switch (a->kind) {
	case FR_KIND_STR:
		word = fr_arg_peek(args);
		if (opt->none && !strcmp(word, "none")) {
			args->i++;
			mnl_attr_put_strz(fr_msg_hdr(msg), opt->attr, "");
			return FR_EXIT_OK;
		}
		return fr_arg_name(ctx, args, opt->key, msg, opt->attr, &word);
	case FR_KIND_ADDR:
		return fr_arg_addr(ctx, args, opt->key, msg, opt->attr, &word);
	case FR_KIND_U32:
		return fr_arg_u32(ctx, args, opt->key, opt->min, opt->max, msg,
				  opt->attr, &word);
	default:
		break;
	}

	snprintf(what, sizeof(what), "the value of %s", opt->key);
	word = fr_arg_next(ctx, args, what);
	if (!word)
		return FR_EXIT_LOCAL;
	if (a->kind == FR_KIND_BOUND)
		return arg_bound(ctx, opt, word, msg);
	if (a->kind == FR_KIND_MARK)
		return arg_mark(ctx, opt, word, msg);
	if (a->kind == FR_KIND_TOKENS)
		return arg_tokens(ctx, opt, word, msg);
	if (a->kind == FR_KIND_KEY)
		return arg_key(ctx, args, word, msg, opt->attr);
	return arg_enum(ctx, opt->key, word, a->vals, msg, opt->attr);
}

/**
 * fr_arg_opts() - Take options up to the end and put them into a request.
 * @ctx: The run.
 * @args: The words.
 * @opts: The options of the command, 32 at most.
 * @n: Number of options.
 * @msg: The request.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_arg_opts(struct fr_ctx *ctx, struct fr_args *args,
		const struct fr_opt *opts, size_t n, struct fr_msg *msg)
{
	uint32_t seen = 0;
	const char *key;
	size_t i;
	int ret;

	while (args->i < args->n) {
		key = args->v[args->i++];
		for (i = 0; i < n && strcmp(opts[i].key, key); i++)
			;
		if (i == n)
			return fr_usage(ctx, args, "unknown word '%s'", key);
		if (seen & 1U << i)
			return fr_usage(ctx, args, "%s given twice", key);
		seen |= 1U << i;
		if (args->i == args->n)
			return fr_usage(ctx, args, "missing the value of %s",
					key);
		ret = arg_opt(ctx, args, &opts[i], msg);
		if (ret)
			return ret;
	}

	for (i = 0; i < n; i++) {
		if (opts[i].must && !(seen & 1U << i))
			return fr_usage(ctx, args, "missing %s", opts[i].key);
	}
	return FR_EXIT_OK;
}
