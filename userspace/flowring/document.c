// SPDX-License-Identifier: GPL-2.0
/* Reading a document: its keys, and what each may be. */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>

#include "reader.h"

/**
 * fr_doc_error() - Print what is wrong in a document.
 * @ctx: The run.
 * @doc: The document.
 * @line: The line in it, 0 when there is none.
 * @fmt: Format of what is wrong, as for printf().
 *
 * Return: FR_EXIT_LOCAL.
 */
int fr_doc_error(struct fr_ctx *ctx, const struct fr_document *doc,
		 unsigned long line, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!line)
		return fr_error(ctx, "%s: %s", doc->name, text);
	return fr_error(ctx, "%s:%lu: %s", doc->name, line, text);
}

/* A number, or "off" for 0 */
static int read_bound(struct fr_reader *r, const struct fr_key *f,
		      const json_t *val, void *to)
{
	const char *word = json_string_value(val);
	char must[64];

	if (word && !strcmp(word, "off")) {
		*(uint32_t *)to = 0;
		return FR_EXIT_OK;
	}
	if (json_is_integer(val) && json_integer_value(val) >= f->min &&
	    json_integer_value(val) <= f->max)
		return fr_read_u32(r, f, val, to);
	snprintf(must, sizeof(must), "%" PRId64 " to %" PRId64 " or \"off\"",
		 (int64_t)f->min, (int64_t)f->max);
	return fr_bad(r, f, val, must);
}

static int read_ring_owner(struct fr_reader *r, const struct fr_key *f,
			   const json_t *val, void *to)
{
	struct fr_doc_ring *ring = to;

	ring->has_owner = true;
	return fr_read_tag(r, f, val, ring->owner);
}

static int read_service_owner(struct fr_reader *r, const struct fr_key *f,
			      const json_t *val, void *to)
{
	struct fr_doc_service *service = to;

	service->has_owner = true;
	return fr_read_tag(r, f, val, service->owner);
}

/* An error does not show the key */
static int read_key(struct fr_reader *r, const struct fr_key *f,
		    const json_t *val, void *to)
{
	const char *word = json_string_value(val);
	struct fr_doc_ring *ring = to;
	uint64_t byte;
	char two[3] = "";
	int i;

	if (!word || strlen(word) != 2 * FR_DOC_KEY)
		return fr_wrong(r, "%s: must be 32 hexadecimal digits",
				f->name);
	for (i = 0; i < FR_DOC_KEY; i++) {
		memcpy(two, word + 2 * i, 2);
		if (!fr_read_hex(two, &byte))
			return fr_wrong(r, "%s: must be 32 hexadecimal digits",
					f->name);
		ring->key[i] = byte;
	}
	ring->has_key = true;
	return FR_EXIT_OK;
}

static int read_epoch(struct fr_reader *r, const struct fr_key *f,
		      const json_t *val, void *to)
{
	struct fr_doc_ring *ring = to;
	json_int_t num;

	if (fr_read_number(r, f, val, &num))
		return FR_EXIT_LOCAL;
	ring->has_epoch = true;
	ring->epoch = num;
	return FR_EXIT_OK;
}

static int read_version(struct fr_reader *r, const struct fr_key *f,
			const json_t *val, void *to)
{
	(void)to;
	if (!json_is_integer(val) || json_integer_value(val) != FR_DOC_VERSION)
		return fr_bad(r, f, val, "1, the version of the format");
	return FR_EXIT_OK;
}

static int read_token(struct fr_reader *r, const json_t *val, void *to)
{
	const char *word = json_string_value(val);

	if (!word || strncmp(word, "0x", 2) || !fr_read_hex(word + 2, to))
		return fr_wrong(r,
				"tokens: a token must be a string of 0x and 1 to 16 hexadecimal digits");
	fr_reader_skip(r);
	return FR_EXIT_OK;
}

static int token_cmp(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int read_tokens(struct fr_reader *r, const struct fr_key *f,
		       const json_t *val, void *to)
{
	struct fr_doc_backend *b = to;
	unsigned long line = r->line;
	size_t n = json_array_size(val);
	void *v = NULL;
	size_t i;
	int ret;

	if (!json_is_array(val) || !n || n > FLOWRING_MAX_EXPLICIT_TOKENS)
		return fr_wrong(r, "%s: must be an array of 1 to %d tokens",
				f->name, FLOWRING_MAX_EXPLICIT_TOKENS);
	ret = fr_read_array(r, f, val, &v, sizeof(*b->tokens), read_token);
	b->tokens = v;
	if (ret)
		return ret;
	b->ntokens = n;
	qsort(b->tokens, n, sizeof(*b->tokens), token_cmp);
	for (i = 1; i < n; i++) {
		if (b->tokens[i - 1] != b->tokens[i])
			continue;
		r->line = line;
		return fr_wrong(r, "%s: 0x%016" PRIx64 " is there twice",
				f->name, b->tokens[i]);
	}
	return FR_EXIT_OK;
}

static int read_checksum(struct fr_reader *r, const struct fr_key *f,
			 const json_t *val, void *to)
{
	struct fr_doc_backend *b = to;

	b->has_checksum = true;
	return fr_read_enum(r, f, val, &b->checksum);
}

#define BACKEND(_field) .off = offsetof(struct fr_doc_backend, _field)

static const struct fr_key backend_fields[] = {
	{ "name", fr_read_name, BACKEND(name), .must = true },
	{ "addr", fr_read_addr, BACKEND(addr) },
	{ "port", fr_read_port, BACKEND(port), .min = 1, .max = 65535 },
	{ "weight", fr_read_u32, BACKEND(weight), .max = 10000 },
	{ "mode", fr_read_enum, BACKEND(mode), .vals = &fr_enum_mode },
	{ "checksum", read_checksum, .vals = &fr_enum_switch },
	{ "mark", fr_read_u32, BACKEND(mark), .min = 1, .max = UINT32_MAX },
	{ "state", fr_read_enum, BACKEND(state), .vals = &fr_enum_state },
	{ "zone", fr_read_tag, BACKEND(zone) },
	{ "tokens", read_tokens, .off = 0 },
};

/* What depends on the mode: what has to be there, and what must not */
static int check_mode(struct fr_reader *r, struct fr_doc_backend *b)
{
	bool mark = b->mode == FLOWRING_MODE_MARK;

	if (mark && b->addr.len)
		return fr_wrong(r, "a mark backend has no address");
	if (mark && !b->mark)
		return fr_wrong(r, "missing mark");
	if (!mark && !b->addr.len)
		return fr_wrong(r, "missing addr");
	if (!mark && b->mark)
		return fr_wrong(r, "only a mark backend has a mark");
	if (b->mode == FLOWRING_MODE_GUE) {
		if (!b->has_checksum)
			b->checksum = FLOWRING_SWITCH_ON;
		if (!b->port)
			b->port = FLOWRING_DEFAULT_GUE_PORT;
		return FR_EXIT_OK;
	}
	if (b->has_checksum)
		return fr_wrong(r, "only gue has checksums");
	if (b->port && b->mode != FLOWRING_MODE_NAT)
		return fr_wrong(r, "%s cannot change the port",
				fr_enum_name(&fr_enum_mode, b->mode));
	return FR_EXIT_OK;
}

static int read_backend(struct fr_reader *r, const json_t *val, void *to)
{
	struct fr_doc_backend *b = to;

	b->line = r->line;
	b->weight = FR_DOC_WEIGHT;
	if (fr_reader_begin(r, val, "backend", "name"))
		return FR_EXIT_LOCAL;
	if (fr_read_object(r, val, backend_fields,
			   FR_ARRAY_SIZE(backend_fields), b))
		return FR_EXIT_LOCAL;
	return check_mode(r, b);
}

static int read_backends(struct fr_reader *r, const struct fr_key *f,
			 const json_t *val, void *to)
{
	struct fr_doc_ring *ring = to;
	void *v = NULL;
	int ret;

	if (json_array_size(val) > FLOWRING_MAX_BACKENDS)
		return fr_wrong(r, "no more than %d backends in a ring",
				FLOWRING_MAX_BACKENDS);
	ret = fr_read_array(r, f, val, &v, sizeof(*ring->backends),
			    read_backend);
	ring->backends = v;
	ring->n = v ? json_array_size(val) : 0;
	return ret;
}

#define RING(_field) .off = offsetof(struct fr_doc_ring, _field)

static const struct fr_key ring_fields[] = {
	{ "name", fr_read_name, RING(name), .must = true },
	{ "owner", read_ring_owner, .off = 0 },
	{ "bits", fr_read_u32, RING(bits), .min = 8, .max = 20 },
	{ "vnodes", fr_read_u32, RING(vnodes), .min = 1, .max = 65536 },
	{ "key", read_key, .off = 0 },
	{ "imbalance", read_bound, RING(imbalance), .min = 1,
	  .max = FLOWRING_MAX_IMBALANCE },
	{ "no-backend", fr_read_enum, RING(no_backend),
	  .vals = &fr_enum_no_backend },
	{ "masquerade", fr_read_enum, RING(masquerade),
	  .vals = &fr_enum_switch },
	{ "window", read_bound, RING(window), .min = 1,
	  .max = FLOWRING_MAX_SECONDS },
	{ "pin-idle", fr_read_u32, RING(pin_idle), .min = 1,
	  .max = FLOWRING_MAX_SECONDS },
	{ "udp", fr_read_enum, RING(udp), .vals = &fr_enum_udp },
	{ "epoch", read_epoch, .min = 1, .max = INT64_MAX },
	{ "backends", read_backends, .off = 0 },
};

static int read_ring(struct fr_reader *r, const json_t *val, void *to)
{
	struct fr_doc_ring *ring = to;

	ring->line = r->line;
	ring->bits = FR_DOC_BITS;
	ring->vnodes = FR_DOC_VNODES;
	ring->imbalance = FR_DOC_IMBALANCE;
	ring->window = FR_DOC_WINDOW;
	ring->pin_idle = FR_DOC_PIN_IDLE;
	if (fr_reader_begin(r, val, "ring", "name"))
		return FR_EXIT_LOCAL;
	return fr_read_object(r, val, ring_fields, FR_ARRAY_SIZE(ring_fields),
			      ring);
}

static int read_rings(struct fr_reader *r, const struct fr_key *f,
		      const json_t *val, void *to)
{
	struct fr_document *doc = to;
	void *v = NULL;
	int ret;

	if (json_array_size(val) > FLOWRING_MAX_RINGS)
		return fr_wrong(r, "no more than %d rings", FLOWRING_MAX_RINGS);
	ret = fr_read_array(r, f, val, &v, sizeof(*doc->rings), read_ring);
	doc->rings = v;
	doc->nrings = v ? json_array_size(val) : 0;
	return ret;
}

#define SERVICE(_field) .off = offsetof(struct fr_doc_service, _field)

static int read_service_port(struct fr_reader *r, const struct fr_key *f,
			     const json_t *val, void *to)
{
	const char *word = json_string_value(val);

	if (!word)
		return fr_read_port(r, f, val, to);
	if (strcmp(word, "all"))
		return fr_bad(r, f, val, "1 to 65535 or all");
	*(uint16_t *)to = 0;
	return FR_EXIT_OK;
}

static int read_prefix(struct fr_reader *r, const struct fr_key *f,
		       const json_t *val, void *to)
{
	json_int_t num;

	if (fr_read_number(r, f, val, &num))
		return FR_EXIT_LOCAL;
	*(uint8_t *)to = num;
	return FR_EXIT_OK;
}

/* The family of a service of a mark is that of an address of zero */
static int read_ip_version(struct fr_reader *r, const struct fr_key *f,
			   const json_t *val, void *to)
{
	struct fr_doc_service *service = to;
	json_int_t num;

	if (fr_read_number(r, f, val, &num))
		return FR_EXIT_LOCAL;
	if (num == 5)
		return fr_bad(r, f, val, "4 or 6");
	service->addr.len = num == 4 ? 4 : 16;
	return FR_EXIT_OK;
}

static const struct fr_key service_fields[] = {
	{ "proto", fr_read_proto, SERVICE(proto) },
	{ "addr", fr_read_addr, SERVICE(addr) },
	{ "prefix", read_prefix, SERVICE(prefix), .min = 1, .max = 128 },
	{ "port", read_service_port, SERVICE(port), .min = 1, .max = 65535 },
	{ "port-end", fr_read_port, SERVICE(port_end), .min = 2,
	  .max = 65535 },
	{ "mark", fr_read_u32, SERVICE(mark), .min = 1, .max = UINT32_MAX },
	{ "ip-version", read_ip_version, .off = 0, .min = 4, .max = 6 },
	{ "ring", fr_read_name, SERVICE(ring) },
	{ "action", fr_read_enum, SERVICE(action), .vals = &fr_enum_action },
	{ "owner", read_service_owner, .off = 0 },
};

/* Which keys go together, and what they say of each other */
static int check_service(struct fr_reader *r, const json_t *val,
			 struct fr_doc_service *s)
{
	static const char *const of_addr[] = { "proto", "addr", "prefix",
					       "port", "port-end" };
	bool mark = json_object_get(val, "mark");
	bool port = json_object_get(val, "port");
	size_t i;

	if (!json_object_get(val, "ring") == !json_object_get(val, "action"))
		return fr_wrong(r, json_object_get(val, "ring") ?
				"ring and action do not go together" :
				"missing ring or action");
	for (i = 0; mark && i < FR_ARRAY_SIZE(of_addr); i++) {
		if (json_object_get(val, of_addr[i]))
			return fr_wrong(r, "%s does not go with a mark",
					of_addr[i]);
	}
	if (!json_object_get(val, "ip-version") == mark)
		return fr_wrong(r, mark ? "missing ip-version" :
				"ip-version does not go with an address");
	if (mark)
		return FR_EXIT_OK;
	for (i = 0; i < 2; i++) {
		if (!json_object_get(val, of_addr[i]))
			return fr_wrong(r, "missing %s", of_addr[i]);
	}
	if (port == !s->proto)
		return fr_wrong(r, port ? "port does not go with any" :
				"missing port");
	if (s->port_end && s->port_end <= s->port)
		return fr_wrong(r, "port-end is not behind port");
	if (s->port_end && !s->port)
		return fr_wrong(r, "port-end does not go with all");
	return FR_EXIT_OK;
}

/* Bits behind the prefix have to be zero */
static int check_prefix(struct fr_reader *r, const json_t *val,
			struct fr_doc_service *s)
{
	int bits = 8 * s->addr.len, i;

	if (!json_object_get(val, "prefix"))
		s->prefix = bits;
	if (s->prefix > bits)
		return fr_wrong(r, "the address has %d bits", bits);
	for (i = s->prefix; i < bits; i++) {
		if (s->addr.b[i / 8] & 0x80 >> i % 8)
			return fr_wrong(r, "addr has bits behind the prefix");
	}
	return FR_EXIT_OK;
}

static int read_service(struct fr_reader *r, const json_t *val, void *to)
{
	struct fr_doc_service *service = to;

	service->line = r->line;
	if (fr_reader_begin(r, val, "service", "addr"))
		return FR_EXIT_LOCAL;
	if (fr_read_object(r, val, service_fields,
			   FR_ARRAY_SIZE(service_fields), service))
		return FR_EXIT_LOCAL;
	return check_service(r, val, service) ?:
	       check_prefix(r, val, service);
}

static int read_services(struct fr_reader *r, const struct fr_key *f,
			 const json_t *val, void *to)
{
	struct fr_document *doc = to;
	void *v = NULL;
	int ret;

	if (json_array_size(val) > FLOWRING_MAX_SERVICES)
		return fr_wrong(r, "no more than %d services",
				FLOWRING_MAX_SERVICES);
	ret = fr_read_array(r, f, val, &v, sizeof(*doc->services),
			    read_service);
	doc->services = v;
	doc->nservices = v ? json_array_size(val) : 0;
	return ret;
}

static const struct fr_key document_fields[] = {
	{ "flowring", read_version, .must = true },
	{ "owner", fr_read_tag, .off = offsetof(struct fr_document, owner) },
	{ "rings", read_rings, .off = 0 },
	{ "services", read_services, .off = 0 },
};

/* What the library says, which may quote any bytes of the file */
static int bad_json(struct fr_ctx *ctx, const struct fr_document *doc,
		    json_error_t *err)
{
	char *p;

	for (p = err->text; *p; p++) {
		if (*p < 0x20 || *p > 0x7e)
			*p = '?';
	}
	return fr_doc_error(ctx, doc, err->line > 0 ? err->line : 0,
			    "not JSON: %s", err->text);
}

/**
 * fr_document_read() - Read a document from memory.
 * @ctx: The run.
 * @name: What to call it in errors; must stay while the document is used.
 * @text: The text.
 * @len: Bytes of it.
 *
 * What can be wrong in it without knowledge of the host is an error.
 *
 * Return: The document, to be freed with fr_document_free(); or NULL after an
 * error was printed.
 */
struct fr_document *fr_document_read(struct fr_ctx *ctx, const char *name,
				     const char *text, size_t len)
{
	struct fr_reader r = {
		.ctx = ctx, .p = text, .end = text + len, .now = 1, .line = 1
	};
	json_error_t err;
	json_t *json;
	int ret;

	r.doc = calloc(1, sizeof(*r.doc));
	if (!r.doc) {
		fr_error(ctx, "%s: out of memory", name);
		return NULL;
	}
	r.doc->name = name;
	json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &err);
	if (!json) {
		ret = bad_json(ctx, r.doc, &err);
	} else if (!json_is_object(json)) {
		ret = fr_wrong(&r, "a document must be an object");
	} else {
		fr_reader_space(&r);
		ret = fr_read_object(&r, json, document_fields,
				     FR_ARRAY_SIZE(document_fields), r.doc);
	}
	json_decref(json);
	if (!ret) {
		fr_document_own(r.doc, r.doc->owner);
		fr_document_sort(r.doc);
		ret = fr_document_check(ctx, r.doc);
	}
	if (!ret)
		return r.doc;
	fr_document_free(r.doc);
	return NULL;
}

/**
 * fr_document_load() - Read a document from a file.
 * @ctx: The run.
 * @path: The file, - for standard input.
 *
 * Return: As fr_document_read().
 */
struct fr_document *fr_document_load(struct fr_ctx *ctx, const char *path)
{
	struct fr_document *doc = NULL;
	char *text = NULL;
	size_t size = 0;
	ssize_t len;
	FILE *f;

	f = strcmp(path, "-") ? fopen(path, "re") : stdin;
	if (!f) {
		fr_error(ctx, "%s: %s", path, strerror(errno));
		return NULL;
	}
	errno = 0;
	/* JSON has no zero bytes, so this is all of the file or an error */
	len = getdelim(&text, &size, '\0', f);
	if (ferror(f) || (len < 0 && errno))
		fr_error(ctx, "%s: %s", path, strerror(errno ? errno : EIO));
	else
		doc = fr_document_read(ctx, path, text, len < 0 ? 0 : len);
	if (f != stdin)
		fclose(f);
	free(text);
	return doc;
}
