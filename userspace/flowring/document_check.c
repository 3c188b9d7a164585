// SPDX-License-Identifier: GPL-2.0
/* Documents in order, and what their parts say of each other: the rules are
 * those of the kernel, so that a file is refused before anything is sent.
 */

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>

#include "document.h"
#include "names.h"

static int addr_cmp(const struct fr_doc_addr *a, const struct fr_doc_addr *b)
{
	if (a->len != b->len)
		return (int)a->len - (int)b->len;
	return memcmp(a->b, b->b, sizeof(a->b));
}

static int line_cmp(unsigned long a, unsigned long b)
{
	return (a > b) - (a < b);
}

/* Those of equal names stay in the order of their lines */
static int backend_cmp(const void *a, const void *b)
{
	const struct fr_doc_backend *x = a, *y = b;
	int ret = strcmp(x->name, y->name);

	return ret ? ret : line_cmp(x->line, y->line);
}

static int ring_cmp(const void *a, const void *b)
{
	const struct fr_doc_ring *x = a, *y = b;
	int ret = strcmp(x->name, y->name);

	return ret ? ret : line_cmp(x->line, y->line);
}

/* By what identifies a service */
static int service_id_cmp(const void *a, const void *b)
{
	const struct fr_doc_service *x = a, *y = b;
	int ret = addr_cmp(&x->addr, &y->addr);

	if (!ret)
		ret = (int)x->prefix - (int)y->prefix;
	if (!ret)
		ret = (int)x->port - (int)y->port;
	if (!ret)
		ret = (int)x->port_end - (int)y->port_end;
	if (!ret)
		ret = (int)x->proto - (int)y->proto;
	return ret ? ret : (x->mark > y->mark) - (x->mark < y->mark);
}

static int service_cmp(const void *a, const void *b)
{
	const struct fr_doc_service *x = a, *y = b;
	int ret = service_id_cmp(a, b);

	return ret ? ret : line_cmp(x->line, y->line);
}

/**
 * fr_document_sort() - Put a document into its order.
 * @doc: The document.
 */
void fr_document_sort(struct fr_document *doc)
{
	size_t i;

	for (i = 0; i < doc->nrings; i++) {
		if (doc->rings[i].n)
			qsort(doc->rings[i].backends, doc->rings[i].n,
			      sizeof(*doc->rings[i].backends), backend_cmp);
	}
	if (doc->nrings)
		qsort(doc->rings, doc->nrings, sizeof(*doc->rings), ring_cmp);
	if (doc->nservices)
		qsort(doc->services, doc->nservices, sizeof(*doc->services),
		      service_cmp);
}

static int ring_by_name(const void *name, const void *ring)
{
	return strcmp(name, ((const struct fr_doc_ring *)ring)->name);
}

/**
 * fr_document_ring() - Find a ring.
 * @doc: The document, in order.
 * @name: Name of the ring.
 *
 * Return: The ring, or NULL.
 */
struct fr_doc_ring *fr_document_ring(const struct fr_document *doc,
				     const char *name)
{
	if (!doc->nrings)
		return NULL;
	return bsearch(name, doc->rings, doc->nrings, sizeof(*doc->rings),
		       ring_by_name);
}

static int backend_by_name(const void *name, const void *b)
{
	return strcmp(name, ((const struct fr_doc_backend *)b)->name);
}

/**
 * fr_document_backend() - Find a backend.
 * @ring: Its ring, in order.
 * @name: Name of the backend.
 *
 * Return: The backend, or NULL.
 */
struct fr_doc_backend *fr_document_backend(const struct fr_doc_ring *ring,
					   const char *name)
{
	if (!ring->n)
		return NULL;
	return bsearch(name, ring->backends, ring->n, sizeof(*ring->backends),
		       backend_by_name);
}

/**
 * fr_document_service() - Find a service.
 * @doc: The document, in order.
 * @like: One with the same protocol, address and port.
 *
 * Return: The service, or NULL.
 */
struct fr_doc_service *fr_document_service(const struct fr_document *doc,
					   const struct fr_doc_service *like)
{
	if (!doc->nservices)
		return NULL;
	return bsearch(like, doc->services, doc->nservices,
		       sizeof(*doc->services), service_id_cmp);
}

/**
 * fr_service_text() - Write what identifies a service as text.
 * @service: The service.
 * @text: Where the text goes.
 * @size: Room in @text; 96 bytes are always enough.
 */
void fr_service_text(const struct fr_doc_service *service, char *text,
		     size_t size)
{
	char addr[INET6_ADDRSTRLEN], prefix[8] = "", ports[24] = "";

	if (service->mark) {
		snprintf(text, size, "service mark 0x%x %s", service->mark,
			 service->addr.len == 4 ? "ipv4" : "ipv6");
		return;
	}
	inet_ntop(service->addr.len == 4 ? AF_INET : AF_INET6, service->addr.b,
		  addr, sizeof(addr));
	if (service->prefix < 8 * service->addr.len)
		snprintf(prefix, sizeof(prefix), "/%u", service->prefix);
	if (service->port_end)
		snprintf(ports, sizeof(ports), " port %u-%u", service->port,
			 service->port_end);
	else if (service->port)
		snprintf(ports, sizeof(ports), " port %u", service->port);
	else if (service->proto)
		snprintf(ports, sizeof(ports), " port all");
	snprintf(text, size, "service %s %s%s%s",
		 fr_proto_name(service->proto), addr, prefix, ports);
}

/**
 * fr_backend_is_bound() - See whether a backend serves its own family only.
 * @b: The backend.
 *
 * Return: True when it cannot get packets of the other one.
 */
bool fr_backend_is_bound(const struct fr_doc_backend *b)
{
	return b->mode == FLOWRING_MODE_NAT || b->mode == FLOWRING_MODE_DR;
}

/**
 * fr_document_mismatch() - Look for a backend that a service cannot have.
 * @ring: The ring.
 * @service: The service.
 *
 * Return: Name of a backend of the other family, or NULL.
 */
const char *fr_document_mismatch(const struct fr_doc_ring *ring,
				 const struct fr_doc_service *service)
{
	size_t i;

	for (i = 0; i < ring->n; i++) {
		if (fr_backend_is_bound(&ring->backends[i]) &&
		    ring->backends[i].addr.len != service->addr.len)
			return ring->backends[i].name;
	}
	return NULL;
}

static const char *mode_name(const struct fr_doc_backend *b)
{
	return fr_enum_name(&fr_enum_mode, b->mode);
}

static bool is_nat(const struct fr_doc_backend *b)
{
	return b->mode == FLOWRING_MODE_NAT;
}

static int check_modes(struct fr_ctx *ctx, const struct fr_document *doc,
		       const struct fr_doc_ring *ring)
{
	const struct fr_doc_backend *b = ring->backends;
	size_t i;

	for (i = 0; i < ring->n; i++, b++) {
		if (is_nat(b) != is_nat(ring->backends))
			return fr_doc_error(ctx, doc, b->line,
					    "ring %s: cannot mix nat with other modes: %s is %s, %s is %s",
					    ring->name, ring->backends->name,
					    mode_name(ring->backends),
					    b->name, mode_name(b));
		if (!is_nat(b) && ring->masquerade)
			return fr_doc_error(ctx, doc, b->line,
					    "ring %s: backend %s: %s cannot be used with masquerade, which needs nat",
					    ring->name, b->name, mode_name(b));
	}
	return FR_EXIT_OK;
}

/* Tokens that a backend has when it is up, as flr_member_ntokens() says */
static uint64_t backend_tokens(const struct fr_doc_ring *ring,
			       const struct fr_doc_backend *b)
{
	uint64_t n;

	if (!b->weight)
		return 0;
	if (b->ntokens)
		return b->ntokens;
	n = ((uint64_t)ring->vnodes * b->weight + 50) / 100;
	return n ? n : 1;
}

static int check_tokens(struct fr_ctx *ctx, const struct fr_document *doc,
			const struct fr_doc_ring *ring)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < ring->n; i++)
		sum += backend_tokens(ring, &ring->backends[i]);
	if (sum > FLOWRING_MAX_TOKENS)
		return fr_doc_error(ctx, doc, ring->line,
				    "ring %s: its backends would have over %d tokens: lower vnodes or weights",
				    ring->name, FLOWRING_MAX_TOKENS);
	return FR_EXIT_OK;
}

static int place_cmp(const struct fr_doc_backend *x,
		     const struct fr_doc_backend *y)
{
	int ret = addr_cmp(&x->addr, &y->addr);

	if (!ret)
		ret = (int)x->port - (int)y->port;
	return ret ? ret : (x->mark > y->mark) - (x->mark < y->mark);
}

static int endpoint_cmp(const void *a, const void *b)
{
	const struct fr_doc_backend *x =
		*(const struct fr_doc_backend *const *)a;
	const struct fr_doc_backend *y =
		*(const struct fr_doc_backend *const *)b;
	int ret = place_cmp(x, y);

	return ret ? ret : line_cmp(x->line, y->line);
}

/* Two names for one endpoint would be one backend with a double weight */
static int check_endpoints(struct fr_ctx *ctx, const struct fr_document *doc,
			   const struct fr_doc_ring *ring)
{
	const struct fr_doc_backend **v;
	size_t i;
	int ret = FR_EXIT_OK;

	if (!ring->n)
		return FR_EXIT_OK;
	v = calloc(ring->n, sizeof(*v));
	if (!v)
		return fr_error(ctx, "%s: out of memory", doc->name);
	for (i = 0; i < ring->n; i++)
		v[i] = &ring->backends[i];
	qsort(v, ring->n, sizeof(*v), endpoint_cmp);
	for (i = 1; !ret && i < ring->n; i++) {
		if (!place_cmp(v[i - 1], v[i]))
			ret = fr_doc_error(ctx, doc, v[i]->line,
					   "ring %s: backend %s: backend %s has that %s",
					   ring->name, v[i]->name,
					   v[i - 1]->name, v[i]->mark ?
					   "mark" : "address and port");
	}
	free(v);
	return ret;
}

static int check_ring(struct fr_ctx *ctx, const struct fr_document *doc,
		      const struct fr_doc_ring *ring)
{
	size_t i;

	for (i = 1; i < ring->n; i++) {
		if (!strcmp(ring->backends[i - 1].name, ring->backends[i].name))
			return fr_doc_error(ctx, doc, ring->backends[i].line,
					    "ring %s: backend %s is there twice, also in line %lu",
					    ring->name, ring->backends[i].name,
					    ring->backends[i - 1].line);
	}
	if (check_modes(ctx, doc, ring) || check_tokens(ctx, doc, ring))
		return FR_EXIT_LOCAL;
	return check_endpoints(ctx, doc, ring);
}

/* A ring that is not in the document may be on the host: not checked here */
static int check_service(struct fr_ctx *ctx, const struct fr_document *doc,
			 const struct fr_doc_service *service)
{
	const struct fr_doc_ring *ring = fr_document_ring(doc, service->ring);
	const char *other;
	char text[96];

	fr_service_text(service, text, sizeof(text));
	if (service > doc->services && !service_id_cmp(service - 1, service))
		return fr_doc_error(ctx, doc, service->line,
				    "%s is there twice, also in line %lu", text,
				    service[-1].line);
	if (service->mark && ring && ring->n &&
	    ring->backends[0].mode == FLOWRING_MODE_NAT)
		return fr_doc_error(ctx, doc, service->line,
				    "%s cannot have nat, as ring %s does",
				    text, ring->name);
	other = ring ? fr_document_mismatch(ring, service) : NULL;
	if (other)
		return fr_doc_error(ctx, doc, service->line,
				    "%s is %s, backend %s of ring %s is not",
				    text, service->addr.len == 4 ? "IPv4" :
				    "IPv6", other, ring->name);
	return FR_EXIT_OK;
}

/**
 * fr_document_check() - Check what the parts of a document say of each other.
 * @ctx: The run.
 * @doc: The document, in order.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_document_check(struct fr_ctx *ctx, const struct fr_document *doc)
{
	size_t i;

	for (i = 0; i < doc->nrings; i++) {
		if (i && !strcmp(doc->rings[i - 1].name, doc->rings[i].name))
			return fr_doc_error(ctx, doc, doc->rings[i].line,
					    "ring %s is there twice, also in line %lu",
					    doc->rings[i].name,
					    doc->rings[i - 1].line);
		if (check_ring(ctx, doc, &doc->rings[i]))
			return FR_EXIT_LOCAL;
	}
	for (i = 0; i < doc->nservices; i++) {
		if (check_service(ctx, doc, &doc->services[i]))
			return FR_EXIT_LOCAL;
	}
	return FR_EXIT_OK;
}

/**
 * fr_document_own() - Give the objects of a document an owner.
 * @doc: The document.
 * @owner: Tag of the document, and of its objects that have none of their own.
 */
void fr_document_own(struct fr_document *doc, const char *owner)
{
	size_t i;

	memmove(doc->owner, owner, strlen(owner) + 1);
	for (i = 0; i < doc->nrings; i++) {
		if (!doc->rings[i].has_owner)
			strcpy(doc->rings[i].owner, doc->owner);
	}
	for (i = 0; i < doc->nservices; i++) {
		if (!doc->services[i].has_owner)
			strcpy(doc->services[i].owner, doc->owner);
	}
}

/**
 * fr_document_free() - Free a document.
 * @doc: The document, may be NULL.
 */
void fr_document_free(struct fr_document *doc)
{
	size_t i, k;

	if (!doc)
		return;
	for (i = 0; i < doc->nrings; i++) {
		for (k = 0; k < doc->rings[i].n; k++)
			free(doc->rings[i].backends[k].tokens);
		free(doc->rings[i].backends);
	}
	free(doc->rings);
	free(doc->services);
	free(doc);
}
