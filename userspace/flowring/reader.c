// SPDX-License-Identifier: GPL-2.0
/* Reading JSON. The library that parses it does not tell where in the file a
 * value stands, so the text is walked along in parallel: objects keep the order
 * of their keys. What is wrong is so said with its line.
 */

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "reader.h"

/**
 * fr_wrong() - Print what is wrong in what is read at present.
 * @r: The reader.
 * @fmt: Format of what is wrong, as for printf().
 *
 * Return: FR_EXIT_LOCAL.
 */
int fr_wrong(struct fr_reader *r, const char *fmt, ...)
{
	char text[2 * FR_READER_TEXT];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return fr_doc_error(r->ctx, r->doc, r->line, "%s%s%s", r->where,
			    r->where[0] ? ": " : "", text);
}

/**
 * fr_reader_space() - Go to the next value, key or closing bracket.
 * @r: The reader; the syntax of the text is known to be right.
 */
void fr_reader_space(struct fr_reader *r)
{
	for (; r->p < r->end && strchr(" \t\r\n,:", *r->p); r->p++)
		r->now += *r->p == '\n';
}

static void skip_string(struct fr_reader *r)
{
	for (r->p++; r->p < r->end && *r->p != '"'; r->p++)
		r->p += *r->p == '\\';
	r->p++;
}

/**
 * fr_reader_skip() - Go behind a value that is neither array nor object.
 * @r: The reader.
 */
void fr_reader_skip(struct fr_reader *r)
{
	fr_reader_space(r);
	if (r->p < r->end && *r->p == '"') {
		skip_string(r);
		return;
	}
	while (r->p < r->end && !strchr(" \t\r\n,]}", *r->p))
		r->p++;
}

static void value_text(const json_t *val, char *text)
{
	switch (json_typeof(val)) {
	case JSON_STRING:
		fr_safe_str(json_string_value(val), text, FR_READER_TEXT);
		return;
	case JSON_INTEGER:
		snprintf(text, FR_READER_TEXT, "%" JSON_INTEGER_FORMAT,
			 json_integer_value(val));
		return;
	case JSON_REAL:
		snprintf(text, FR_READER_TEXT, "%g", json_real_value(val));
		return;
	case JSON_ARRAY:
		snprintf(text, FR_READER_TEXT, "[]");
		return;
	case JSON_OBJECT:
		snprintf(text, FR_READER_TEXT, "{}");
		return;
	case JSON_TRUE:
		snprintf(text, FR_READER_TEXT, "true");
		return;
	case JSON_FALSE:
		snprintf(text, FR_READER_TEXT, "false");
		return;
	case JSON_NULL:
		snprintf(text, FR_READER_TEXT, "null");
		return;
	}
}

/**
 * fr_bad() - Print that a value is not what it has to be.
 * @r: The reader.
 * @f: The key.
 * @val: The value.
 * @must: What it has to be.
 *
 * Return: FR_EXIT_LOCAL.
 */
int fr_bad(struct fr_reader *r, const struct fr_key *f, const json_t *val,
	   const char *must)
{
	char text[FR_READER_TEXT];

	value_text(val, text);
	return fr_wrong(r, "%s %s: must be %s", f->name, text, must);
}

/**
 * fr_read_name() - Read a name.
 * @r: The reader.
 * @f: The key.
 * @val: The value.
 * @to: Room for FR_DOC_NAME bytes.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed. So do the
 * functions below.
 */
int fr_read_name(struct fr_reader *r, const struct fr_key *f, const json_t *val,
		 void *to)
{
	const char *name = json_string_value(val);
	const char *fault;
	char text[FR_READER_TEXT];

	if (!name)
		return fr_bad(r, f, val, "a string");
	fault = fr_name_fault(name);
	if (fault) {
		fr_safe_str(name, text, sizeof(text));
		return fr_wrong(r, "%s '%s': %s", f->name, text, fault);
	}
	snprintf(to, FR_DOC_NAME, "%s", name);
	return FR_EXIT_OK;
}

/**
 * fr_read_tag() - Read a name that may be empty, which is none.
 * @r: The reader.
 * @f: The key.
 * @val: The value.
 * @to: Room for FR_DOC_NAME bytes.
 *
 * Return: Exit status.
 */
int fr_read_tag(struct fr_reader *r, const struct fr_key *f, const json_t *val,
		void *to)
{
	const char *name = json_string_value(val);

	return name && !*name ? FR_EXIT_OK : fr_read_name(r, f, val, to);
}

/**
 * fr_read_number() - Read a number within the bounds of the key.
 * @r: The reader.
 * @f: The key.
 * @val: The value.
 * @num: The number.
 *
 * Return: Exit status.
 */
int fr_read_number(struct fr_reader *r, const struct fr_key *f,
		   const json_t *val, json_int_t *num)
{
	char must[64];

	if (f->max == INT64_MAX)
		snprintf(must, sizeof(must), "a number of 1 or more");
	else
		snprintf(must, sizeof(must),
			 "%" JSON_INTEGER_FORMAT " to %" JSON_INTEGER_FORMAT,
			 f->min, f->max);
	*num = json_integer_value(val);
	if (!json_is_integer(val) || *num < f->min || *num > f->max)
		return fr_bad(r, f, val, must);
	return FR_EXIT_OK;
}

/**
 * fr_read_u32() - Read a number into 32 bits.
 * @r: The reader.
 * @f: The key.
 * @val: The value.
 * @to: An uint32_t.
 *
 * Return: Exit status.
 */
int fr_read_u32(struct fr_reader *r, const struct fr_key *f, const json_t *val,
		void *to)
{
	json_int_t num;

	if (fr_read_number(r, f, val, &num))
		return FR_EXIT_LOCAL;
	*(uint32_t *)to = num;
	return FR_EXIT_OK;
}

/**
 * fr_read_port() - Read a port.
 * @r: The reader.
 * @f: The key.
 * @val: The value.
 * @to: An uint16_t.
 *
 * Return: Exit status.
 */
int fr_read_port(struct fr_reader *r, const struct fr_key *f, const json_t *val,
		 void *to)
{
	json_int_t num;

	if (fr_read_number(r, f, val, &num))
		return FR_EXIT_LOCAL;
	*(uint16_t *)to = num;
	return FR_EXIT_OK;
}

/**
 * fr_read_enum() - Read one of the words of the key.
 * @r: The reader.
 * @f: The key.
 * @val: The value.
 * @to: An uint8_t.
 *
 * Return: Exit status.
 */
int fr_read_enum(struct fr_reader *r, const struct fr_key *f, const json_t *val,
		 void *to)
{
	const char *word = json_string_value(val);
	int num = word ? fr_enum_value(f->vals, word) : -1;
	char must[96];
	size_t i;
	int n = 0;

	if (num >= 0) {
		*(uint8_t *)to = num;
		return FR_EXIT_OK;
	}
	for (i = 0; i < f->vals->n; i++)
		n += snprintf(must + n, sizeof(must) - n, "%s%s",
			      !i		  ? "" :
			      i == f->vals->n - 1 ? " or " :
						    ", ",
			      f->vals->names[i]);
	return fr_bad(r, f, val, must);
}

/**
 * fr_read_proto() - Read the name of an IP protocol.
 * @r: The reader.
 * @f: The key.
 * @val: The value.
 * @to: An uint8_t.
 *
 * Return: Exit status.
 */
int fr_read_proto(struct fr_reader *r, const struct fr_key *f,
		  const json_t *val, void *to)
{
	const char *word = json_string_value(val);
	int proto = word ? fr_proto_value(word) : -1;

	if (proto < 0)
		return fr_bad(r, f, val, "tcp, udp or any");
	*(uint8_t *)to = proto;
	return FR_EXIT_OK;
}

/* What the kernel refuses as an address; NULL for a good one */
static const char *addr_fault(const struct fr_doc_addr *addr)
{
	static const unsigned char zero[15];
	const unsigned char *b = addr->b;

	if (addr->len == 4) {
		if (!b[0])
			return "the address is zero";
		if (b[0] >> 4 == 14)
			return "the address is multicast";
		return memcmp(b, "\xff\xff\xff\xff", 4) ?
			       NULL :
			       "the address is broadcast";
	}
	if (!memcmp(b, zero, 15) && !b[15])
		return "the address is zero";
	if (b[0] == 0xff)
		return "the address is multicast";
	if (!memcmp(b, zero, 10) && b[10] == 0xff && b[11] == 0xff)
		return "the address is IPv4-mapped";
	if (b[0] == 0xfe && b[1] >> 6 == 2)
		return "the address is link-local";
	return NULL;
}

/**
 * fr_read_addr() - Read an address that a host can have.
 * @r: The reader.
 * @f: The key.
 * @val: The value.
 * @to: A struct fr_doc_addr.
 *
 * Return: Exit status.
 */
int fr_read_addr(struct fr_reader *r, const struct fr_key *f, const json_t *val,
		 void *to)
{
	const char *word = json_string_value(val);
	struct fr_doc_addr *addr = to;
	const char *fault;

	if (!word)
		return fr_bad(r, f, val, "an IPv4 or IPv6 address");
	addr->len = strchr(word, ':') ? 16 : 4;
	if (inet_pton(addr->len == 4 ? AF_INET : AF_INET6, word, addr->b) != 1)
		return fr_bad(r, f, val, "an IPv4 or IPv6 address");
	fault = addr_fault(addr);
	return fault ? fr_wrong(r, "%s %s: %s", f->name, word, fault) :
		       FR_EXIT_OK;
}

/**
 * fr_read_hex() - Read a hexadecimal number.
 * @word: The digits, 16 at most, and nothing else.
 * @num: The number.
 *
 * Return: False when it is something else.
 */
bool fr_read_hex(const char *word, uint64_t *num)
{
	size_t len = strlen(word);

	if (!len || len > 16 || strspn(word, "0123456789abcdefABCDEF") != len)
		return false;
	*num = strtoull(word, NULL, 16);
	return true;
}

/**
 * fr_read_object() - Read the values of an object one after the other.
 * @r: The reader, at the opening bracket.
 * @val: The object.
 * @keys: The keys that it may have, 32 at most.
 * @n: Number of keys.
 * @to: The struct that gets the values.
 *
 * Return: Exit status.
 */
int fr_read_object(struct fr_reader *r, const json_t *val,
		   const struct fr_key *keys, size_t n, void *to)
{
	unsigned long line = r->now;
	uint32_t seen = 0;
	char text[FR_READER_TEXT];
	const char *key;
	json_t *member;
	size_t i;

	r->p++;
	json_object_foreach((json_t *)val, key, member)
	{
		fr_reader_space(r);
		r->line = r->now;
		skip_string(r);
		for (i = 0; i < n && strcmp(keys[i].name, key); i++)
			;
		if (i == n) {
			fr_safe_str(key, text, sizeof(text));
			return fr_wrong(r, "unknown key '%s'", text);
		}
		seen |= 1U << i;
		fr_reader_space(r);
		if (keys[i].read(r, &keys[i], member, (char *)to + keys[i].off))
			return FR_EXIT_LOCAL;
		if (!json_is_array(member))
			fr_reader_skip(r);
	}
	fr_reader_space(r);
	r->p++;

	r->line = line;
	for (i = 0; i < n; i++) {
		if (keys[i].must && !(seen & 1U << i))
			return fr_wrong(r, "missing %s", keys[i].name);
	}
	return FR_EXIT_OK;
}

/**
 * fr_read_array() - Read the elements of an array.
 * @r: The reader, at the opening bracket.
 * @f: The key.
 * @val: The value.
 * @v: Gets the memory for all elements, also when this fails; zeroed.
 * @size: Bytes of one element.
 * @read: Reads one element.
 *
 * Return: Exit status.
 */
int fr_read_array(struct fr_reader *r, const struct fr_key *f,
		  const json_t *val, void **v, size_t size,
		  int (*read)(struct fr_reader *r, const json_t *val, void *to))
{
	size_t len = strlen(r->where);
	size_t i, n = json_array_size(val);

	if (!json_is_array(val))
		return fr_bad(r, f, val, "an array");
	*v = calloc(n ? n : 1, size);
	if (!*v)
		return fr_wrong(r, "%s: out of memory", f->name);
	r->p++;
	for (i = 0; i < n; i++) {
		fr_reader_space(r);
		r->line = r->now;
		if (read(r, json_array_get(val, i), (char *)*v + i * size))
			return FR_EXIT_LOCAL;
		r->where[len] = '\0';
	}
	fr_reader_space(r);
	r->p++;
	return FR_EXIT_OK;
}

/**
 * fr_reader_begin() - Begin an object of an array.
 * @r: The reader.
 * @val: The object.
 * @what: The word for it.
 * @name: Key of its name, for errors.
 *
 * Return: Exit status.
 */
int fr_reader_begin(struct fr_reader *r, const json_t *val, const char *what,
		    const char *name)
{
	const json_t *member = json_object_get(val, name);
	size_t len = strlen(r->where);
	char text[FR_DOC_NAME + 3];

	if (!json_is_object(val))
		return fr_wrong(r, "%s: must be an object", what);
	text[0] = '\0';
	if (json_is_string(member))
		fr_safe_str(json_string_value(member), text, sizeof(text));
	snprintf(r->where + len, sizeof(r->where) - len, "%s%s%s%s",
		 len ? ": " : "", what, text[0] ? " " : "", text);
	return FR_EXIT_OK;
}
