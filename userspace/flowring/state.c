// SPDX-License-Identifier: GPL-2.0
/* Reading of all that the kernel has. */

#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>

#include "netlink.h"
#include "parse.h"
#include "state.h"

/* Tries at a configuration that changes while it is read */
#define FR_STATE_TRIES	10

static int dump(struct fr_ctx *ctx, const char *what, const struct fr_set *set,
		uint8_t cmd, struct fr_list *list)
{
	struct fr_msg msg;
	int ret;

	fr_msg_init(&msg, set, cmd);
	fr_msg_what(&msg, "%s", what);
	ret = fr_nl_dump(ctx, &msg, list);
	fr_list_sort(list);
	return ret;
}

/* Nests are what its window does, which a ring was not told to */
static bool same_ring(const struct fr_obj *a, const struct fr_obj *b)
{
	const struct nlattr *x, *y;
	uint16_t type;

	for (type = 1; type <= a->set->max; type++) {
		if (a->set->attrs[type].kind == FR_KIND_NEST)
			continue;
		x = fr_obj_attr(a, type);
		y = fr_obj_attr(b, type);
		if (!x != !y || (x && (x->nla_len != y->nla_len ||
				       memcmp(x, y, x->nla_len))))
			return false;
	}
	return true;
}

static bool same_rings(const struct fr_list *a, const struct fr_list *b)
{
	size_t i;

	for (i = 0; i < a->n && i < b->n; i++) {
		if (!same_ring(a->v[i], b->v[i]))
			return false;
	}
	return a->n == b->n;
}

/**
 * fr_state_clear() - Free what is in a state.
 * @state: The state.
 */
void fr_state_clear(struct fr_state *state)
{
	fr_list_clear(&state->rings);
	fr_list_clear(&state->backends);
	fr_list_clear(&state->services);
}

/**
 * fr_state_read() - Read all that the kernel has.
 * @ctx: The run.
 * @what: The command in words, for errors.
 * @state: Gets what is read, to be cleared.
 *
 * Each dump is of one moment, but three dumps are not. Any change of a ring or
 * of its backends raises the ring's epoch. So when the rings are the same after
 * the other two dumps as they were before, they and their backends did not
 * change, and it was all so in the moment of the dump of the services.
 *
 * Return: Exit status.
 */
int fr_state_read(struct fr_ctx *ctx, const char *what,
		  struct fr_state *state)
{
	struct fr_list again = {};
	int ret = FR_EXIT_OK;
	bool same = false;
	int i;

	*state = (struct fr_state){};
	for (i = 0; !ret && !same && i < FR_STATE_TRIES; i++) {
		fr_state_clear(state);
		ret = dump(ctx, what, &fr_set_ring, FLOWRING_CMD_RING_GET,
			   &state->rings);
		if (!ret)
			ret = dump(ctx, what, &fr_set_backend,
				   FLOWRING_CMD_BACKEND_GET, &state->backends);
		if (!ret)
			ret = dump(ctx, what, &fr_set_service,
				   FLOWRING_CMD_SERVICE_GET, &state->services);
		if (!ret)
			ret = dump(ctx, what, &fr_set_ring,
				   FLOWRING_CMD_RING_GET, &again);
		same = !ret && same_rings(&state->rings, &again);
		fr_list_clear(&again);
	}
	if (same)
		return FR_EXIT_OK;
	fr_state_clear(state);
	if (!ret) {
		fr_error(ctx, "%s: changes interrupted it %d times: try again",
			 what, FR_STATE_TRIES);
		ret = FR_EXIT_KERNEL;
	}
	return ret;
}

/* A document in the making from what the kernel has */
struct maker {
	struct fr_ctx *ctx;
	const char *what;
	const struct fr_obj *obj;
	bool bad;
};

/* The first fault of all ends it */
static void fault(struct maker *m, const char *text)
{
	char name[160];

	if (m->bad)
		return;
	m->bad = true;
	fr_obj_text(m->obj, m->obj->set == &fr_set_backend ?
		    FLOWRING_A_BACKEND_NAME : FLOWRING_A_RING_NAME, name,
		    sizeof(name));
	fr_error(m->ctx, "%s: %s %s: %s", m->what, m->obj->set->name, name,
		 text);
}

static void get_name(struct maker *m, uint16_t type, bool must, char *name)
{
	const char *str = fr_obj_str(m->obj, type);
	const char *bad = *str || must ? fr_name_fault(str) : NULL;

	if (bad)
		fault(m, bad);
	else
		snprintf(name, FR_DOC_NAME, "%s", str);
}

static void get_addr(struct maker *m, uint16_t type, struct fr_doc_addr *addr)
{
	const struct nlattr *attr = fr_obj_attr(m->obj, type);

	if (!attr) {
		fault(m, "the kernel does not show its address");
		return;
	}
	addr->len = mnl_attr_get_payload_len(attr);
	memcpy(addr->b, mnl_attr_get_payload(attr), addr->len);
}

static uint8_t get_enum(struct maker *m, uint16_t type)
{
	uint64_t val = fr_obj_num(m->obj, type);

	if (!fr_enum_name(m->obj->set->attrs[type].vals, val))
		fault(m, "has a value that this version does not know");
	return val;
}

static int token_cmp(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void get_tokens(struct maker *m, struct fr_doc_backend *b)
{
	const struct nlattr *attr =
		fr_obj_attr(m->obj, FLOWRING_A_BACKEND_EXPLICIT_TOKENS);
	size_t len = attr ? mnl_attr_get_payload_len(attr) : 0;

	if (!len)
		return;
	if (len % sizeof(*b->tokens)) {
		fault(m, "has malformed tokens");
		return;
	}
	b->tokens = malloc(len);
	if (!b->tokens) {
		fault(m, "out of memory");
		return;
	}
	memcpy(b->tokens, mnl_attr_get_payload(attr), len);
	b->ntokens = len / sizeof(*b->tokens);
	qsort(b->tokens, b->ntokens, sizeof(*b->tokens), token_cmp);
}

static void make_backend(struct maker *m, struct fr_doc_backend *b)
{
	get_name(m, FLOWRING_A_BACKEND_NAME, true, b->name);
	get_name(m, FLOWRING_A_BACKEND_ZONE, false, b->zone);
	b->port = fr_obj_num(m->obj, FLOWRING_A_BACKEND_PORT);
	b->weight = fr_obj_num(m->obj, FLOWRING_A_BACKEND_WEIGHT);
	b->mode = get_enum(m, FLOWRING_A_BACKEND_MODE);
	if (b->mode != FLOWRING_MODE_MARK)
		get_addr(m, FLOWRING_A_BACKEND_ADDR, &b->addr);
	b->checksum = get_enum(m, FLOWRING_A_BACKEND_CHECKSUM);
	b->mark = fr_obj_num(m->obj, FLOWRING_A_BACKEND_MARK);
	b->state = get_enum(m, FLOWRING_A_BACKEND_STATE);
	get_tokens(m, b);
}

static void make_ring(struct maker *m, struct fr_doc_ring *ring)
{
	const struct nlattr *key = fr_obj_attr(m->obj, FLOWRING_A_RING_KEY);

	get_name(m, FLOWRING_A_RING_NAME, true, ring->name);
	get_name(m, FLOWRING_A_RING_OWNER, false, ring->owner);
	ring->bits = fr_obj_num(m->obj, FLOWRING_A_RING_BITS);
	ring->vnodes = fr_obj_num(m->obj, FLOWRING_A_RING_VNODES);
	ring->imbalance = fr_obj_num(m->obj, FLOWRING_A_RING_IMBALANCE);
	ring->no_backend = get_enum(m, FLOWRING_A_RING_NO_BACKEND);
	ring->masquerade = get_enum(m, FLOWRING_A_RING_MASQUERADE);
	ring->window = fr_obj_num(m->obj, FLOWRING_A_RING_WINDOW);
	ring->pin_idle = fr_obj_num(m->obj, FLOWRING_A_RING_PIN_IDLE);
	ring->udp = get_enum(m, FLOWRING_A_RING_UDP);
	ring->has_epoch = fr_obj_has(m->obj, FLOWRING_A_RING_EPOCH);
	ring->epoch = fr_obj_num(m->obj, FLOWRING_A_RING_EPOCH);
	ring->has_fingerprint =
		fr_obj_has(m->obj, FLOWRING_A_RING_FINGERPRINT);
	ring->fingerprint = fr_obj_num(m->obj, FLOWRING_A_RING_FINGERPRINT);
	ring->frozen = fr_obj_num(m->obj, FLOWRING_A_RING_FROZEN);
	ring->has_key = key;
	if (key)
		memcpy(ring->key, mnl_attr_get_payload(key), FR_DOC_KEY);
	if (ring->bits < 1 || ring->bits > 31)
		fault(m, "has a size that this version does not know");
}

static void make_service(struct maker *m, struct fr_doc_service *service)
{
	uint64_t version = fr_obj_num(m->obj, FLOWRING_A_SERVICE_IP_VERSION);

	service->proto = fr_obj_num(m->obj, FLOWRING_A_SERVICE_PROTO);
	service->port = fr_obj_num(m->obj, FLOWRING_A_SERVICE_PORT);
	service->port_end = fr_obj_num(m->obj, FLOWRING_A_SERVICE_PORT_END);
	service->mark = fr_obj_num(m->obj, FLOWRING_A_SERVICE_MARK);
	service->action = fr_obj_num(m->obj, FLOWRING_A_SERVICE_ACTION);
	get_name(m, FLOWRING_A_SERVICE_RING,
		 !fr_obj_has(m->obj, FLOWRING_A_SERVICE_ACTION), service->ring);
	get_name(m, FLOWRING_A_SERVICE_OWNER, false, service->owner);
	if (service->mark)
		service->addr.len = version == 4 ? 4 : 16;
	else
		get_addr(m, FLOWRING_A_SERVICE_ADDR, &service->addr);
	service->prefix = fr_obj_has(m->obj, FLOWRING_A_SERVICE_PREFIX) ?
		fr_obj_num(m->obj, FLOWRING_A_SERVICE_PREFIX) :
		8 * service->addr.len;
	if (!fr_proto_name(service->proto))
		fault(m, "has a protocol that this version does not know");
}

/* The backends follow each other ring by ring, as the rings do */
static void make_backends(struct maker *m, const struct fr_list *list,
			  size_t *at, struct fr_doc_ring *ring)
{
	size_t n = *at;

	while (n < list->n && !strcmp(fr_obj_str(list->v[n],
						 FLOWRING_A_BACKEND_RING),
				      ring->name))
		n++;
	n -= *at;
	ring->backends = calloc(n + 1, sizeof(*ring->backends));
	if (!ring->backends) {
		fault(m, "out of memory");
		return;
	}
	for (ring->n = 0; ring->n < n && !m->bad; ring->n++) {
		m->obj = list->v[(*at)++];
		make_backend(m, &ring->backends[ring->n]);
	}
}

static void make_all(struct maker *m, const struct fr_state *state,
		     struct fr_document *doc)
{
	size_t i, at = 0;

	for (i = 0; !m->bad && i < state->rings.n; i++) {
		m->obj = state->rings.v[i];
		make_ring(m, &doc->rings[i]);
		doc->nrings++;
		make_backends(m, &state->backends, &at, &doc->rings[i]);
	}
	if (!m->bad && at < state->backends.n) {
		m->obj = state->backends.v[at];
		fault(m, "belongs to no ring");
	}
	for (i = 0; !m->bad && i < state->services.n; i++) {
		m->obj = state->services.v[i];
		make_service(m, &doc->services[doc->nservices++]);
	}
	/* what has no address is elsewhere among the objects */
	fr_document_sort(doc);
}

/* The document has an owner when all its objects have that one */
static void make_owner(struct fr_document *doc)
{
	const char *owner = doc->nrings ? doc->rings[0].owner :
			    doc->nservices ? doc->services[0].owner : "";
	size_t i;

	for (i = 0; i < doc->nrings; i++) {
		if (strcmp(doc->rings[i].owner, owner))
			return;
	}
	for (i = 0; i < doc->nservices; i++) {
		if (strcmp(doc->services[i].owner, owner))
			return;
	}
	strcpy(doc->owner, owner);
}

/**
 * fr_state_document() - Make a document of what the kernel has.
 * @ctx: The run.
 * @what: The command in words, for errors.
 * @state: What the kernel has.
 *
 * Return: The document, to be freed with fr_document_free(); or NULL after an
 * error was printed.
 */
struct fr_document *fr_state_document(struct fr_ctx *ctx, const char *what,
				      const struct fr_state *state)
{
	struct fr_document *doc = calloc(1, sizeof(*doc));
	struct maker m = { .ctx = ctx, .what = what };

	if (doc) {
		doc->name = what;
		doc->rings = calloc(state->rings.n + 1, sizeof(*doc->rings));
		doc->services = calloc(state->services.n + 1,
				       sizeof(*doc->services));
	}
	if (!doc || !doc->rings || !doc->services) {
		fr_error(ctx, "%s: out of memory", what);
		fr_document_free(doc);
		return NULL;
	}
	make_all(&m, state, doc);
	if (!m.bad) {
		make_owner(doc);
		return doc;
	}
	fr_document_free(doc);
	return NULL;
}
