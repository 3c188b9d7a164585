/* SPDX-License-Identifier: GPL-2.0 */
/* Reading JSON by tables of keys, knowing the line of everything. */

#ifndef _FLOWRING_READER_H
#define _FLOWRING_READER_H

#include <jansson.h>

#include "document.h"
#include "names.h"

/* Room for any value of a file in an error */
#define FR_READER_TEXT	160

/**
 * struct fr_reader - A document that is being read, and the place in its text.
 * @ctx: The run.
 * @doc: The document.
 * @p: The next byte.
 * @end: The end of the text.
 * @now: The line that @p is in.
 * @line: Line of what is read at present.
 * @where: The object that is read, in words.
 */
struct fr_reader {
	struct fr_ctx *ctx;
	struct fr_document *doc;
	const char *p;
	const char *end;
	unsigned long now;
	unsigned long line;
	char where[2 * FR_READER_TEXT];
};

/**
 * struct fr_key - A key that an object may have, and where its value goes.
 * @name: The key.
 * @read: Reads its value.
 * @off: Where in the struct the value goes.
 * @must: It has to be there.
 * @min: Least number.
 * @max: Greatest number; INT64_MAX for no bound.
 * @vals: The words, for an enum.
 */
struct fr_key {
	const char *name;
	int (*read)(struct fr_reader *r, const struct fr_key *f,
		    const json_t *val, void *to);
	size_t off;
	bool must;
	json_int_t min;
	json_int_t max;
	const struct fr_enum *vals;
};

int fr_wrong(struct fr_reader *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int fr_bad(struct fr_reader *r, const struct fr_key *f, const json_t *val,
	   const char *must);
void fr_reader_space(struct fr_reader *r);
void fr_reader_skip(struct fr_reader *r);
int fr_reader_begin(struct fr_reader *r, const json_t *val, const char *what,
		    const char *name);

int fr_read_name(struct fr_reader *r, const struct fr_key *f,
		 const json_t *val, void *to);
int fr_read_tag(struct fr_reader *r, const struct fr_key *f,
		const json_t *val, void *to);
int fr_read_number(struct fr_reader *r, const struct fr_key *f,
		   const json_t *val, json_int_t *num);
int fr_read_u32(struct fr_reader *r, const struct fr_key *f,
		const json_t *val, void *to);
int fr_read_port(struct fr_reader *r, const struct fr_key *f,
		 const json_t *val, void *to);
int fr_read_enum(struct fr_reader *r, const struct fr_key *f,
		 const json_t *val, void *to);
int fr_read_proto(struct fr_reader *r, const struct fr_key *f,
		  const json_t *val, void *to);
int fr_read_addr(struct fr_reader *r, const struct fr_key *f,
		 const json_t *val, void *to);
bool fr_read_hex(const char *word, uint64_t *num);
int fr_read_object(struct fr_reader *r, const json_t *val,
		   const struct fr_key *keys, size_t n, void *to);
int fr_read_array(struct fr_reader *r, const struct fr_key *f,
		  const json_t *val, void **v, size_t size,
		  int (*read)(struct fr_reader *r, const json_t *val,
			      void *to));

#endif /* _FLOWRING_READER_H */
