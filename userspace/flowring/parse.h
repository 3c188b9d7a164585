/* SPDX-License-Identifier: GPL-2.0 */
/* Reading the words of a command. */

#ifndef _FLOWRING_PARSE_H
#define _FLOWRING_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli.h"
#include "netlink.h"

/**
 * struct fr_args - The words of a command that are still to be read.
 * @where: The command in words, for errors.
 * @v: All words.
 * @n: Number of words.
 * @i: The next one.
 */
struct fr_args {
	char where[64];
	char **v;
	int n;
	int i;
};

/**
 * struct fr_addr - An address.
 * @len: 4 or 16 bytes.
 * @b: The bytes.
 */
struct fr_addr {
	uint16_t len;
	unsigned char b[16];
};

/**
 * struct fr_opt - An option of a command: a key and its value.
 * @key: The key.
 * @attr: Attribute that takes the value.
 * @min: Least number, for numbers.
 * @max: Greatest number, for numbers.
 * @must: The option has to be there.
 * @none: The word none stands for the empty string.
 *
 * How the value is read follows from the kind of the attribute.
 */
struct fr_opt {
	const char *key;
	uint16_t attr;
	bool must;
	bool none;
	uint32_t min;
	uint32_t max;
};

/* parse.c: reading single words */
int fr_parse_u32(struct fr_ctx *ctx, const char *key, const char *word,
		 uint32_t min, uint32_t max, uint32_t *num);
int fr_parse_u64(struct fr_ctx *ctx, const char *key, const char *word,
		 uint64_t *num);
int fr_parse_mark(struct fr_ctx *ctx, const char *key, const char *word,
		  uint32_t *mark);
int fr_parse_percent(struct fr_ctx *ctx, const char *key, const char *word,
		     uint32_t *share);
int fr_parse_addr(struct fr_ctx *ctx, const char *key, const char *word,
		  struct fr_addr *addr);
int fr_parse_key(struct fr_ctx *ctx, const char *word, unsigned char *key);
int fr_parse_key_file(struct fr_ctx *ctx, const char *path,
		      unsigned char *key);
int fr_parse_tokens(struct fr_ctx *ctx, const char *key, const char *word,
		    uint64_t *tokens, size_t *n);
int fr_parse_name(struct fr_ctx *ctx, const char *key, const char *word);
const char *fr_name_fault(const char *name);

/* args.c: taking words, and putting what they say into a request */
const char *fr_arg_peek(const struct fr_args *args);
const char *fr_arg_next(struct fr_ctx *ctx, struct fr_args *args,
			const char *what);
int fr_arg_end(struct fr_ctx *ctx, struct fr_args *args);
int fr_usage(struct fr_ctx *ctx, const struct fr_args *args,
	     const char *fmt, ...) __attribute__((format(printf, 3, 4)));

int fr_arg_name(struct fr_ctx *ctx, struct fr_args *args, const char *key,
		struct fr_msg *msg, uint16_t attr, const char **name);
int fr_arg_proto(struct fr_ctx *ctx, struct fr_args *args,
		 struct fr_msg *msg, uint16_t attr, const char **name);
int fr_arg_addr(struct fr_ctx *ctx, struct fr_args *args, const char *key,
		struct fr_msg *msg, uint16_t attr, const char **word);
int fr_arg_u32(struct fr_ctx *ctx, struct fr_args *args, const char *key,
	       uint32_t min, uint32_t max, struct fr_msg *msg, uint16_t attr,
	       const char **word);
int fr_arg_opts(struct fr_ctx *ctx, struct fr_args *args,
		const struct fr_opt *opts, size_t n, struct fr_msg *msg);

#endif /* _FLOWRING_PARSE_H */
