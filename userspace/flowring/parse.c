// SPDX-License-Identifier: GPL-2.0
/* Reading the words of a command. Each mistake has its own message, with the
 * word that is wrong; what the kernel alone can know is left to it.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
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
 * fr_parse_u32() - Read a number in decimal digits.
 * @ctx: The run.
 * @key: What it is, for errors.
 * @word: The word.
 * @min: Least value.
 * @max: Greatest value.
 * @num: The number.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_parse_u32(struct fr_ctx *ctx, const char *key, const char *word,
		 uint32_t min, uint32_t max, uint32_t *num)
{
	uint64_t val = 0;
	const char *p;

	for (p = word; *p >= '0' && *p <= '9' && val <= UINT32_MAX; p++)
		val = 10 * val + (*p - '0');

	if (!*word || (*p && (*p < '0' || *p > '9')))
		return fr_error(ctx, "%s %s: not a number", key, word);
	if (val < min || val > max)
		return fr_error(ctx, "%s %s: must be %" PRIu32 " to %" PRIu32,
				key, word, min, max);
	*num = val;
	return FR_EXIT_OK;
}

/**
 * fr_parse_addr() - Read an IPv4 or IPv6 address.
 * @ctx: The run.
 * @key: What it is, for errors.
 * @word: The word.
 * @addr: The address.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_parse_addr(struct fr_ctx *ctx, const char *key, const char *word,
		  struct fr_addr *addr)
{
	if (strchr(word, '%'))
		return fr_error(ctx, "%s %s: an address cannot have a zone",
				key, word);
	if (strchr(word, '/'))
		return fr_error(ctx, "%s %s: an address cannot have a prefix length",
				key, word);

	addr->len = strchr(word, ':') ? 16 : 4;
	if (inet_pton(addr->len == 4 ? AF_INET : AF_INET6, word, addr->b) != 1)
		return fr_error(ctx, "%s %s: not an IPv4 or IPv6 address",
				key, word);
	return FR_EXIT_OK;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static bool read_key(const char *word, unsigned char *key)
{
	int i, hi, lo;

	if (strlen(word) != 2 * FLOWRING_KEY_LEN)
		return false;
	for (i = 0; i < FLOWRING_KEY_LEN; i++) {
		hi = hex_digit(word[2 * i]);
		lo = hex_digit(word[2 * i + 1]);
		if (hi < 0 || lo < 0)
			return false;
		key[i] = hi << 4 | lo;
	}
	return true;
}

/**
 * fr_parse_key() - Read a hash key.
 * @ctx: The run.
 * @word: The word.
 * @key: The FLOWRING_KEY_LEN bytes.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_parse_key(struct fr_ctx *ctx, const char *word, unsigned char *key)
{
	if (read_key(word, key))
		return FR_EXIT_OK;
	return fr_error(ctx, "key: must be %d hexadecimal digits",
			2 * FLOWRING_KEY_LEN);
}

/**
 * fr_parse_key_file() - Read a hash key from a file.
 * @ctx: The run.
 * @path: The file: hexadecimal digits, and white space after them.
 * @key: The FLOWRING_KEY_LEN bytes.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed, which does
 * not show what is in the file.
 */
int fr_parse_key_file(struct fr_ctx *ctx, const char *path,
		      unsigned char *key)
{
	char buf[128];
	size_t n;
	FILE *f;
	int err;

	f = fopen(path, "re");
	if (!f)
		return fr_error(ctx, "key file %s: %s", path, strerror(errno));
	errno = 0;
	n = fread(buf, 1, sizeof(buf) - 1, f);
	err = ferror(f) ? errno : 0;
	fclose(f);
	if (err)
		return fr_error(ctx, "key file %s: %s", path, strerror(err));

	while (n && buf[n - 1] && strchr(" \t\r\n", buf[n - 1]))
		n--;
	buf[n] = '\0';
	if (strlen(buf) != n || !read_key(buf, key))
		return fr_error(ctx, "key file %s: must hold %d hexadecimal digits",
				path, 2 * FLOWRING_KEY_LEN);
	return FR_EXIT_OK;
}

/**
 * fr_name_fault() - Say what is wrong with a name.
 * @name: The name of a ring or a backend.
 *
 * Return: The fault, or NULL when the name is good.
 */
const char *fr_name_fault(const char *name)
{
	const unsigned char *p;

	if (!*name)
		return "a name cannot be empty";
	if (strlen(name) > FLOWRING_NAME_MAX_LEN)
		return "a name cannot be longer than 31 bytes";
	if (*name == '#')
		return "a name cannot begin with #";
	for (p = (const void *)name; *p; p++) {
		if (*p == ' ')
			return "a name cannot contain spaces";
		if (*p < 0x20 || *p > 0x7e)
			return "a name can only contain visible ASCII";
		if (*p == '/')
			return "a name cannot contain /";
	}
	return NULL;
}

/**
 * fr_parse_name() - Check a name.
 * @ctx: The run.
 * @key: What it names, for errors.
 * @word: The name.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_parse_name(struct fr_ctx *ctx, const char *key, const char *word)
{
	const char *fault = fr_name_fault(word);
	char safe[160];

	if (!fault)
		return FR_EXIT_OK;
	if (!*word)
		return fr_error(ctx, "%s: %s", key, fault);
	fr_safe_str(word, safe, sizeof(safe));
	return fr_error(ctx, "%s %s: %s", key, safe, fault);
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
		return fr_error(ctx, "protocol %s: must be tcp or udp", *name);
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

static int arg_opt(struct fr_ctx *ctx, struct fr_args *args,
		   const struct fr_opt *opt, struct fr_msg *msg)
{
	const struct fr_attr *a = fr_set_attr(msg->set, opt->attr);
	const char *word;
	char what[64];

	switch (a->kind) {
	case FR_KIND_STR:
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
