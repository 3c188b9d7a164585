/* SPDX-License-Identifier: GPL-2.0 */
/* A configuration in memory: what a file of flowring apply says, and what the
 * kernel has.
 */

#ifndef _FLOWRING_DOCUMENT_H
#define _FLOWRING_DOCUMENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli.h"

#define FR_DOC_VERSION	1
#define FR_DOC_NAME	32	/* with the end mark */
#define FR_DOC_KEY	16

/* What an option is when a file does not say, as in the kernel */
#define FR_DOC_BITS		16
#define FR_DOC_VNODES		512
#define FR_DOC_IMBALANCE	5
#define FR_DOC_WEIGHT		100
#define FR_DOC_WINDOW		300
#define FR_DOC_PIN_IDLE		900

/**
 * struct fr_doc_addr - An address.
 * @len: 4 or 16 bytes.
 * @b: The bytes, the unused ones zero.
 */
struct fr_doc_addr {
	uint16_t len;
	unsigned char b[16];
};

/**
 * struct fr_doc_backend - A backend.
 * @line: Where it begins in the file.
 * @name: Its name.
 * @zone: Its zone, empty for none.
 * @addr: Its address, of no bytes in mode mark.
 * @port: Its port, 0 for that of the service; in mode gue, that of the tunnel.
 * @mode: enum flowring_mode.
 * @has_checksum: A file says @checksum.
 * @checksum: enum flowring_switch, off in other modes than gue.
 * @mark: Its firewall mark, 0 for none.
 * @state: enum flowring_state.
 * @weight: Its weight.
 * @ntokens: Number of @tokens, 0 for derived ones.
 * @tokens: Explicit tokens, ascending.
 */
struct fr_doc_backend {
	unsigned long line;
	char name[FR_DOC_NAME];
	char zone[FR_DOC_NAME];
	struct fr_doc_addr addr;
	uint16_t port;
	uint8_t mode;
	bool has_checksum;
	uint8_t checksum;
	uint32_t mark;
	uint8_t state;
	uint32_t weight;
	uint32_t ntokens;
	uint64_t *tokens;
};

/**
 * struct fr_doc_ring - A ring.
 * @line: Where it begins in the file.
 * @name: Its name.
 * @owner: Its owner tag, empty for none.
 * @has_owner: The tag is its own, not that of the document.
 * @bits: It has 2^bits slots.
 * @vnodes: Tokens of a backend of weight 100.
 * @imbalance: Percent above the weighted share, 0 for no bound.
 * @no_backend: enum flowring_no_backend.
 * @masquerade: enum flowring_switch.
 * @window: Seconds that slots remember their owners, 0 for not at all.
 * @pin_idle: Seconds after which the pin of a quiet flow goes.
 * @udp: enum flowring_udp.
 * @has_key: There is a @key.
 * @key: The hash key.
 * @has_epoch: There is an @epoch.
 * @epoch: In a file, the epoch to get; else the present one.
 * @has_fingerprint: There is a @fingerprint.
 * @fingerprint: As the kernel computed it.
 * @frozen: On the host, it refuses changes.
 * @backends: Its backends, in the order of their names.
 * @n: Number of @backends.
 */
struct fr_doc_ring {
	unsigned long line;
	char name[FR_DOC_NAME];
	char owner[FR_DOC_NAME];
	bool has_owner;
	uint32_t bits;
	uint32_t vnodes;
	uint32_t imbalance;
	uint8_t no_backend;
	uint8_t masquerade;
	uint32_t window;
	uint32_t pin_idle;
	uint8_t udp;
	bool has_key;
	unsigned char key[FR_DOC_KEY];
	bool has_epoch;
	uint64_t epoch;
	bool has_fingerprint;
	uint64_t fingerprint;
	bool frozen;
	struct fr_doc_backend *backends;
	size_t n;
};

/**
 * struct fr_doc_service - A service.
 * @line: Where it begins in the file.
 * @proto: IP protocol, 0 for any.
 * @prefix: Bits of its address that count.
 * @action: What is done with its packets, when @ring is empty.
 * @port: Its port, the first one of a range, or 0 for all.
 * @port_end: The last port of a range, or 0.
 * @mark: Firewall mark, or 0; then @addr is zero and has its family.
 * @addr: Its address.
 * @ring: Name of the ring that serves it, or empty.
 * @owner: Its owner tag, empty for none.
 * @has_owner: The tag is its own, not that of the document.
 */
struct fr_doc_service {
	unsigned long line;
	uint8_t proto;
	uint8_t prefix;
	uint8_t action;
	uint16_t port;
	uint16_t port_end;
	uint32_t mark;
	struct fr_doc_addr addr;
	char ring[FR_DOC_NAME];
	char owner[FR_DOC_NAME];
	bool has_owner;
};

/**
 * struct fr_document - A configuration.
 * @name: Where it comes from, for errors.
 * @owner: Tag of its objects, empty for none.
 * @rings: The rings, in the order of their names.
 * @nrings: Number of @rings.
 * @services: The services, by family, address, port and protocol.
 * @nservices: Number of @services.
 */
struct fr_document {
	const char *name;
	char owner[FR_DOC_NAME];
	struct fr_doc_ring *rings;
	size_t nrings;
	struct fr_doc_service *services;
	size_t nservices;
};

/* document.c: reading */
struct fr_document *fr_document_read(struct fr_ctx *ctx, const char *name,
				     const char *text, size_t len);
struct fr_document *fr_document_load(struct fr_ctx *ctx, const char *path);
int fr_doc_error(struct fr_ctx *ctx, const struct fr_document *doc,
		 unsigned long line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* document_check.c: order, and what parts of a document say of each other */
void fr_document_sort(struct fr_document *doc);
int fr_document_check(struct fr_ctx *ctx, const struct fr_document *doc);
struct fr_doc_ring *fr_document_ring(const struct fr_document *doc,
				     const char *name);
struct fr_doc_backend *fr_document_backend(const struct fr_doc_ring *ring,
					   const char *name);
struct fr_doc_service *fr_document_service(const struct fr_document *doc,
					   const struct fr_doc_service *like);
void fr_service_text(const struct fr_doc_service *service, char *text,
		     size_t size);
bool fr_backend_is_bound(const struct fr_doc_backend *b);
const char *fr_document_mismatch(const struct fr_doc_ring *ring,
				 const struct fr_doc_service *service);
void fr_document_free(struct fr_document *doc);

void fr_document_own(struct fr_document *doc, const char *owner);

/* document_write.c: writing */
json_t *fr_service_json(const struct fr_doc_service *service,
			const char *owner);
int fr_document_write(struct fr_ctx *ctx, const struct fr_document *doc);

#endif /* _FLOWRING_DOCUMENT_H */
