// SPDX-License-Identifier: GPL-2.0
/* Writing a document: all options of all objects, in a fixed order, so that
 * equal configurations are equal files.
 */

#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

#include <jansson.h>

#include <linux/flowring.h>

#include "document.h"
#include "names.h"

static json_t *addr_json(const struct fr_doc_addr *addr)
{
	char text[INET6_ADDRSTRLEN];

	inet_ntop(addr->len == 4 ? AF_INET : AF_INET6, addr->b, text,
		  sizeof(text));
	return json_string(text);
}

static json_t *tokens_json(const struct fr_doc_backend *b)
{
	json_t *j = b->ntokens ? json_array() : NULL;
	char text[32];
	uint32_t i;

	for (i = 0; i < b->ntokens; i++) {
		snprintf(text, sizeof(text), "0x%016" PRIx64, b->tokens[i]);
		json_array_append_new(j, json_string(text));
	}
	return j;
}

static json_t *backend_json(const struct fr_doc_backend *b)
{
	bool gue = b->mode == FLOWRING_MODE_GUE;

	return json_pack("{s:s,s:o*,s:o*,s:i,s:s,s:s*,s:o*,s:s,s:s*,s:o*}",
			 "name", b->name,
			 "addr", b->addr.len ? addr_json(&b->addr) : NULL,
			 "port", b->port ? json_integer(b->port) : NULL,
			 "weight", (int)b->weight,
			 "mode", fr_enum_name(&fr_enum_mode, b->mode),
			 "checksum", gue ? fr_enum_name(&fr_enum_switch,
							b->checksum) : NULL,
			 "mark", b->mark ? json_integer(b->mark) : NULL,
			 "state", fr_enum_name(&fr_enum_state, b->state),
			 "zone", b->zone[0] ? b->zone : NULL,
			 "tokens", tokens_json(b));
}

static json_t *key_json(const struct fr_doc_ring *ring)
{
	char text[2 * FR_DOC_KEY + 1];
	int i;

	if (!ring->has_key)
		return NULL;
	for (i = 0; i < FR_DOC_KEY; i++)
		sprintf(text + 2 * i, "%02x", ring->key[i]);
	return json_string(text);
}

/* Owner of an object, when that of the document does not say it */
static const char *own(const struct fr_document *doc, const char *owner)
{
	return strcmp(doc->owner, owner) ? owner : NULL;
}

static json_t *bound_json(uint32_t val)
{
	return val ? json_integer(val) : json_string("off");
}

static json_t *ring_json(const struct fr_document *doc,
			 const struct fr_doc_ring *ring)
{
	json_t *backends = json_array();
	size_t i;

	for (i = 0; i < ring->n; i++) {
		if (json_array_append_new(backends,
					  backend_json(&ring->backends[i]))) {
			json_decref(backends);
			return NULL;
		}
	}
	return json_pack("{s:s,s:s*,s:i,s:i,s:o*,s:o,s:s,s:s,s:o,s:i,s:s,s:o}",
			 "name", ring->name,
			 "owner", own(doc, ring->owner),
			 "bits", (int)ring->bits,
			 "vnodes", (int)ring->vnodes,
			 "key", key_json(ring),
			 "imbalance", bound_json(ring->imbalance),
			 "no-backend",
			 fr_enum_name(&fr_enum_no_backend, ring->no_backend),
			 "masquerade",
			 fr_enum_name(&fr_enum_switch, ring->masquerade),
			 "window", bound_json(ring->window),
			 "pin-idle", (int)ring->pin_idle,
			 "udp", fr_enum_name(&fr_enum_udp, ring->udp),
			 "backends", backends);
}

static json_t *port_json(const struct fr_doc_service *service)
{
	if (service->mark || !service->proto)
		return NULL;
	return service->port ? json_integer(service->port) :
			       json_string("all");
}

/**
 * fr_service_json() - Write a service as JSON.
 * @s: The service.
 * @owner: Its owner, or NULL to leave it out.
 *
 * Return: The object, or NULL.
 */
json_t *fr_service_json(const struct fr_doc_service *s, const char *owner)
{
	bool whole = s->prefix == 8 * s->addr.len, ring = s->ring[0];

	return json_pack("{s:s*,s:o*,s:o*,s:o*,s:o*,s:o*,s:o*,s:s*,s:s*,s:s*}",
			 "proto", s->mark ? NULL : fr_proto_name(s->proto),
			 "addr", s->mark ? NULL : addr_json(&s->addr),
			 "prefix", s->mark || whole ? NULL :
						      json_integer(s->prefix),
			 "port", port_json(s),
			 "port-end",
			 s->port_end ? json_integer(s->port_end) : NULL,
			 "mark", s->mark ? json_integer(s->mark) : NULL,
			 "ip-version",
			 s->mark ? json_integer(s->addr.len == 4 ? 4 : 6) :
				   NULL,
			 "ring", ring ? s->ring : NULL,
			 "action",
			 ring ? NULL : fr_enum_name(&fr_enum_action, s->action),
			 "owner", owner);
}

static json_t *document_json(const struct fr_document *doc)
{
	json_t *rings = json_array();
	json_t *services = json_array();
	bool bad = !rings || !services;
	const struct fr_doc_service *s;
	json_t *j;
	size_t i;

	for (i = 0; i < doc->nrings; i++)
		bad |= json_array_append_new(rings,
					     ring_json(doc, &doc->rings[i]));
	for (i = 0; i < doc->nservices; i++) {
		s = &doc->services[i];
		j = fr_service_json(s, own(doc, s->owner));
		bad |= json_array_append_new(services, j);
	}
	if (bad) {
		json_decref(rings);
		json_decref(services);
		return NULL;
	}
	return json_pack("{s:i,s:s*,s:o,s:o}", "flowring", FR_DOC_VERSION,
			 "owner", doc->owner[0] ? doc->owner : NULL,
			 "rings", rings, "services", services);
}

/**
 * fr_document_write() - Write a document as JSON.
 * @ctx: The run.
 * @doc: The document, in order.
 *
 * Return: Exit status.
 */
int fr_document_write(struct fr_ctx *ctx, const struct fr_document *doc)
{
	json_t *j = document_json(doc);
	int ret = j ? json_dumpf(j, ctx->out, JSON_INDENT(2)) : -1;

	json_decref(j);
	if (ret)
		return fr_error(ctx, "cannot write JSON");
	fputc('\n', ctx->out);
	return FR_EXIT_OK;
}
