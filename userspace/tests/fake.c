// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>

#include "fake.h"

struct fake_ops {
	const struct fr_set *set;
	const char *word;
	uint8_t get;
	/* The others follow it */
	unsigned int ids;
};

static const struct fake_ops kinds[] = {
	{ &fr_set_ring, "ring", FLOWRING_CMD_RING_GET, 1 },
	{ &fr_set_backend, "backend", FLOWRING_CMD_BACKEND_GET, 2 },
	{ &fr_set_service, "service", FLOWRING_CMD_SERVICE_GET, 3 },
};

static void put_val(struct fake_obj *obj, uint16_t type, const void *buf,
		    uint16_t len)
{
	struct fake_val *val = &obj->val[type];

	val->set = true;
	val->len = len;
	memcpy(val->buf, buf, len);
}

void fake_u32(struct fake_obj *obj, uint16_t type, uint32_t val)
{
	put_val(obj, type, &val, sizeof(val));
}

void fake_u64(struct fake_obj *obj, uint16_t type, uint64_t val)
{
	put_val(obj, type, &val, sizeof(val));
}

/* Counters that differ: small ones in 4 bytes, the third one in 8 */
void fake_stats(struct fake_obj *obj, uint16_t type, uint64_t first)
{
	_Alignas(NLMSG_ALIGNTO) char buf[FAKE_VAL_MAX + 64];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	uint16_t i;

	for (i = 1; i <= FLOWRING_A_STATS_MAX; i++) {
		if (i == FLOWRING_A_STATS_BYTES)
			mnl_attr_put_u64(nlh, i, first << 32);
		else
			mnl_attr_put_u32(nlh, i, first + i);
	}
	put_val(obj, type, mnl_nlmsg_get_payload(nlh),
		mnl_nlmsg_get_payload_len(nlh));
}

static void put_default(struct fake_obj *obj, uint16_t type, uint32_t val)
{
	if (!obj->val[type].set)
		fake_u32(obj, type, val);
}

static void defaults(struct fake_obj *obj, size_t n)
{
	unsigned char key[FLOWRING_KEY_LEN] = { n };

	if (obj->set == &fr_set_ring) {
		put_default(obj, FLOWRING_A_RING_BITS, 16);
		put_default(obj, FLOWRING_A_RING_VNODES, 512);
		put_default(obj, FLOWRING_A_RING_IMBALANCE, 5);
		put_default(obj, FLOWRING_A_RING_NO_BACKEND, 0);
		put_default(obj, FLOWRING_A_RING_MASQUERADE, 0);
		put_default(obj, FLOWRING_A_RING_WINDOW, 300);
		put_default(obj, FLOWRING_A_RING_PIN_IDLE, 900);
		put_default(obj, FLOWRING_A_RING_UDP, 0);
		put_default(obj, FLOWRING_A_RING_FROZEN, 0);
		put_default(obj, FLOWRING_A_RING_EPOCH, 1);
		put_default(obj, FLOWRING_A_RING_BACKENDS, 0);
		put_default(obj, FLOWRING_A_RING_USABLE, 0);
		put_default(obj, FLOWRING_A_RING_TOKENS, 0);
		put_default(obj, FLOWRING_A_RING_SERVICES, 0);
		if (!obj->val[FLOWRING_A_RING_KEY].set)
			put_val(obj, FLOWRING_A_RING_KEY, key, sizeof(key));
	} else if (obj->set == &fr_set_backend) {
		put_default(obj, FLOWRING_A_BACKEND_WEIGHT, 100);
		put_default(obj, FLOWRING_A_BACKEND_MODE, 0);
		put_default(obj, FLOWRING_A_BACKEND_STATE, 0);
		if (obj->val[FLOWRING_A_BACKEND_MODE].buf[0] ==
		    FLOWRING_MODE_GUE) {
			put_default(obj, FLOWRING_A_BACKEND_PORT,
				    FLOWRING_DEFAULT_GUE_PORT);
			put_default(obj, FLOWRING_A_BACKEND_CHECKSUM,
				    FLOWRING_SWITCH_ON);
		}
		put_default(obj, FLOWRING_A_BACKEND_TOKENS, 0);
		put_default(obj, FLOWRING_A_BACKEND_SLOTS, 0);
	}
}

/* An empty tag, zone or list of tokens is none */
static void drop_empty(struct fake_obj *obj)
{
	uint16_t type;

	for (type = 1; type <= obj->set->max; type++) {
		const struct fr_attr *a = &obj->set->attrs[type];
		struct fake_val *val = &obj->val[type];

		if ((a->kind == FR_KIND_STR && val->len == 1) ||
		    (a->kind == FR_KIND_TOKENS && !val->len))
			val->set = false;
	}
}

static bool same_id(const struct fake_obj *obj, const struct fake_obj *id,
		    unsigned int ids)
{
	unsigned int i;

	for (i = 1; i <= ids; i++) {
		if (obj->val[i].len != id->val[i].len ||
		    memcmp(obj->val[i].buf, id->val[i].buf, id->val[i].len))
			return false;
	}
	return true;
}

static struct fake_obj *find(struct fake *f, const struct fake_obj *id,
			     unsigned int ids)
{
	size_t i;

	for (i = 0; i < f->n; i++) {
		if (f->objs[i].set == id->set && same_id(&f->objs[i], id, ids))
			return &f->objs[i];
	}
	return NULL;
}

/* Find a ring or a backend by its own name */
struct fake_obj *fake_find(struct fake *f, const struct fr_set *set,
			   const char *name)
{
	uint16_t type = set == &fr_set_ring ? FLOWRING_A_RING_NAME :
					      FLOWRING_A_BACKEND_NAME;
	size_t i;

	for (i = 0; i < f->n; i++) {
		if (f->objs[i].set == set &&
		    !strcmp(f->objs[i].val[type].buf, name))
			return &f->objs[i];
	}
	return NULL;
}

static void show(struct fake *f, const struct fake_obj *obj, uint8_t cmd,
		 uint16_t flags)
{
	struct nlmsghdr *nlh = mock_put_genl(&f->m, cmd, flags);
	uint16_t i;

	for (i = 1; i <= obj->set->max; i++) {
		if (!obj->val[i].set)
			continue;
		if (f->hide_keys && obj->set == &fr_set_ring &&
		    i == FLOWRING_A_RING_KEY)
			continue;
		mnl_attr_put(nlh, i, obj->val[i].len, obj->val[i].buf);
	}
	mock_end(&f->m, nlh);
}

static void dump(struct fake *f, const struct fake_obj *id, uint8_t cmd)
{
	const struct fake_val *ring = &id->val[FLOWRING_A_BACKEND_RING];
	size_t i;

	for (i = 0; i < f->n; i++) {
		if (f->objs[i].set != id->set)
			continue;
		if (ring->set && strcmp(f->objs[i].val[1].buf, ring->buf))
			continue;
		show(f, &f->objs[i], cmd, NLM_F_MULTI);
		if (i % 3 == 2)
			mock_flush(&f->m);
	}
	mock_flush(&f->m);
	mock_done(&f->m, 0, 0);
	if (f->restless && f->n)
		fake_u32(&f->objs[0], FLOWRING_A_RING_VNODES, ++f->m.requests);
}

static void add(struct fake *f, const struct fake_obj *req)
{
	if (f->n == f->cap) {
		f->cap = f->cap ? 2 * f->cap : 8;
		f->objs = realloc(f->objs, f->cap * sizeof(*f->objs));
	}
	f->objs[f->n++] = *req;
	defaults(&f->objs[f->n - 1], f->n);
	drop_empty(&f->objs[f->n - 1]);
}

static void handler(struct mock *m, const struct nlmsghdr *req)
{
	const struct fake_ops *k = kinds;
	struct fake *f = m->data;
	struct fake_obj *obj, in = {};
	const struct nlattr *attr;
	uint8_t cmd = mock_cmd(req);
	char text[64];
	uint16_t i;

	while (cmd < k->get || cmd > k->get + 3)
		k++;
	in.set = k->set;
	mnl_attr_for_each(attr, req, GENL_HDRLEN)
		put_val(&in, mnl_attr_get_type(attr),
			mnl_attr_get_payload(attr),
			mnl_attr_get_payload_len(attr));
	if (req->nlmsg_flags & NLM_F_DUMP) {
		dump(f, &in, cmd);
		return;
	}

	obj = find(f, &in, k->ids);
	if (cmd == k->get + 1) {
		if (obj) {
			snprintf(text, sizeof(text), "%s exists", k->word);
			mock_ack(m, -EEXIST, text);
			return;
		}
		add(f, &in);
		show(f, &f->objs[f->n - 1], cmd, 0);
		mock_flush(m);
		mock_ack(m, 0, NULL);
		return;
	}

	if (!obj) {
		snprintf(text, sizeof(text), "no such %s", k->word);
		mock_ack(m, -ENOENT, text);
		return;
	}
	if (cmd == k->get + 3) {
		*obj = f->objs[--f->n];
		mock_ack(m, 0, NULL);
		return;
	}
	for (i = k->ids + 1; cmd == k->get + 2 && i <= k->set->max; i++) {
		if (in.val[i].set)
			obj->val[i] = in.val[i];
	}
	drop_empty(obj);
	show(f, obj, cmd, 0);
	mock_flush(m);
	mock_ack(m, 0, NULL);
}

void fake_init(struct fake *f)
{
	memset(f, 0, sizeof(*f));
	mock_init(&f->m, handler);
	f->m.data = f;
}

void fake_fini(struct fake *f)
{
	mock_fini(&f->m);
	free(f->objs);
}

/* Run lines of commands, up to the first one that fails */
int fake_text(struct fake *f, const char *lines)
{
	char *copy = strdup(lines);
	char *p = copy;
	char *line;
	int ret = 0;

	while (!ret && (line = strsep(&p, "\n"))) {
		if (*line)
			ret = mock_run(&f->m, line);
	}
	free(copy);
	return ret;
}
