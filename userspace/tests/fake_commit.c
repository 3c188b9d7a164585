// SPDX-License-Identifier: GPL-2.0
/* Commits keep to the rules of the kernel as far as apply depends on them: the
 * order of changes within one, names, epochs, families, modes, deletion of a ring
 * that is in use. Slots are not made: a plan says that one slot moves.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>

#include "fake_commit.h"

static void note(struct fake_commit *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void note(struct fake_commit *c, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(c->log + c->len, sizeof(c->log) - c->len, fmt, ap);
	va_end(ap);
	if (n > 0 && c->len + n < sizeof(c->log))
		c->len += n;
}

static void set_val(struct fake_obj *obj, const struct nlattr *attr)
{
	struct fake_val *val = &obj->val[mnl_attr_get_type(attr)];

	val->len = mnl_attr_get_payload_len(attr);
	val->set = val->len > 0;
	if (val->set)
		memcpy(val->buf, mnl_attr_get_payload(attr), val->len);
}

static void set_str(struct fake_obj *obj, uint16_t type, const char *str)
{
	obj->val[type].set = true;
	obj->val[type].len = strlen(str) + 1;
	strcpy(obj->val[type].buf, str);
}

static uint64_t num(const struct fake_obj *obj, uint16_t type)
{
	uint64_t wide = 0;
	uint32_t narrow = 0;

	if (obj->val[type].len == sizeof(wide)) {
		memcpy(&wide, obj->val[type].buf, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, obj->val[type].buf, obj->val[type].set ? 4 : 0);
	return narrow;
}

static struct fake_obj *find_backend(struct fake *f, const char *ring,
				     const char *name)
{
	size_t i;

	for (i = 0; i < f->n; i++) {
		if (f->objs[i].set == &fr_set_backend &&
		    !strcmp(f->objs[i].val[FLOWRING_A_BACKEND_RING].buf, ring) &&
		    !strcmp(f->objs[i].val[FLOWRING_A_BACKEND_NAME].buf, name))
			return &f->objs[i];
	}
	return NULL;
}

static struct fake_obj *new_obj(struct fake *f, const struct fr_set *set)
{
	if (f->n == f->cap) {
		f->cap = f->cap ? 2 * f->cap : 8;
		f->objs = realloc(f->objs, f->cap * sizeof(*f->objs));
	}
	f->objs[f->n] = (struct fake_obj){ .set = set };
	return &f->objs[f->n++];
}

static void new_ring(struct fake *f, const char *name)
{
	struct fake_obj *ring = new_obj(f, &fr_set_ring);

	set_str(ring, FLOWRING_A_RING_NAME, name);
	fake_u32(ring, FLOWRING_A_RING_BITS, 16);
	fake_u32(ring, FLOWRING_A_RING_VNODES, 512);
	fake_u32(ring, FLOWRING_A_RING_IMBALANCE, 5);
	fake_u32(ring, FLOWRING_A_RING_NO_BACKEND, 0);
	fake_u32(ring, FLOWRING_A_RING_MASQUERADE, 0);
	fake_u32(ring, FLOWRING_A_RING_WINDOW, 300);
	fake_u32(ring, FLOWRING_A_RING_PIN_IDLE, 900);
	fake_u32(ring, FLOWRING_A_RING_UDP, 0);
	fake_u64(ring, FLOWRING_A_RING_EPOCH, 0);
	ring->val[FLOWRING_A_RING_KEY].set = true;
	ring->val[FLOWRING_A_RING_KEY].len = FLOWRING_KEY_LEN;
	memset(ring->val[FLOWRING_A_RING_KEY].buf, 0x77, FLOWRING_KEY_LEN);
}

/* Attributes without a value that are shown as none */
static void drop_empty(struct fake_obj *obj, uint16_t type)
{
	if (obj->val[type].len == 1)
		obj->val[type].set = false;
}

static int change_backend(struct fake *f, const char *ring, uint32_t op,
			  const struct nlattr *body)
{
	const struct nlattr *attr;
	const char *name = "";
	struct fake_obj *obj;

	mnl_attr_for_each_nested(attr, body) {
		if (mnl_attr_get_type(attr) == FLOWRING_A_BACKEND_NAME)
			name = mnl_attr_get_str(attr);
	}
	obj = find_backend(f, ring, name);
	if (obj && op == FLOWRING_CHANGE_OP_BACKEND_ADD)
		return -EEXIST;
	if (!obj && op != FLOWRING_CHANGE_OP_BACKEND_ADD)
		return -ENOENT;
	if (op == FLOWRING_CHANGE_OP_BACKEND_DEL) {
		*obj = f->objs[--f->n];
		return 0;
	}
	if (!obj) {
		obj = new_obj(f, &fr_set_backend);
		set_str(obj, FLOWRING_A_BACKEND_RING, ring);
		fake_u32(obj, FLOWRING_A_BACKEND_WEIGHT, 100);
		fake_u32(obj, FLOWRING_A_BACKEND_MODE, 0);
		fake_u32(obj, FLOWRING_A_BACKEND_STATE, 0);
	}
	mnl_attr_for_each_nested(attr, body) {
		if (op == FLOWRING_CHANGE_OP_BACKEND_SET &&
		    mnl_attr_get_type(attr) == FLOWRING_A_BACKEND_MODE)
			return -EINVAL;
		set_val(obj, attr);
	}
	drop_empty(obj, FLOWRING_A_BACKEND_ZONE);
	return 0;
}

static int change(struct fake_commit *c, const char *ring,
		  const struct nlattr *change)
{
	const struct nlattr *attr, *body = NULL;
	struct fake_obj *obj;
	uint32_t op = 0;

	mnl_attr_for_each_nested(attr, change) {
		if (mnl_attr_get_type(attr) == FLOWRING_A_CHANGE_OP)
			op = mnl_attr_get_u32(attr);
		else
			body = attr;
	}
	if (op != FLOWRING_CHANGE_OP_RING_SET)
		return change_backend(&c->f, ring, op, body);
	obj = fake_find(&c->f, &fr_set_ring, ring);
	mnl_attr_for_each_nested(attr, body)
		set_val(obj, attr);
	drop_empty(obj, FLOWRING_A_RING_OWNER);
	return 0;
}

/* What a mode other than nat cannot have, or cannot do without */
static bool bad_options(const struct fake_obj *b)
{
	uint64_t mode = num(b, FLOWRING_A_BACKEND_MODE);
	bool mark = mode == FLOWRING_MODE_MARK;

	return b->val[FLOWRING_A_BACKEND_ADDR].set == mark ||
	       b->val[FLOWRING_A_BACKEND_MARK].set != mark ||
	       (b->val[FLOWRING_A_BACKEND_PORT].set &&
		mode != FLOWRING_MODE_GUE) ||
	       (b->val[FLOWRING_A_BACKEND_CHECKSUM].set &&
		mode != FLOWRING_MODE_GUE);
}

static bool is_bound(const struct fake_obj *b)
{
	return num(b, FLOWRING_A_BACKEND_MODE) <= FLOWRING_MODE_DR;
}

/* What the backends say of each other, of the options and of the services */
static int check(struct fake *f, const char *ring)
{
	const struct fake_obj *r = fake_find(f, &fr_set_ring, ring);
	const struct fake_obj *a, *b;
	size_t i, k;

	for (i = 0; i < f->n; i++) {
		a = &f->objs[i];
		if (a->set != &fr_set_backend || strcmp(a->val[1].buf, ring))
			continue;
		if (num(a, FLOWRING_A_BACKEND_MODE) &&
		    (num(r, FLOWRING_A_RING_MASQUERADE) || bad_options(a)))
			return -EINVAL;
		for (k = 0; k < f->n; k++) {
			b = &f->objs[k];
			if (b->set == &fr_set_service &&
			    !strcmp(b->val[FLOWRING_A_SERVICE_RING].buf, ring) &&
			    is_bound(a) && b->val[FLOWRING_A_SERVICE_ADDR].len !=
			    a->val[FLOWRING_A_BACKEND_ADDR].len)
				return -EAFNOSUPPORT;
			if (b->set != &fr_set_backend || k == i ||
			    strcmp(b->val[1].buf, ring))
				continue;
			if (!num(a, FLOWRING_A_BACKEND_MODE) !=
			    !num(b, FLOWRING_A_BACKEND_MODE))
				return -EINVAL;
			if (!memcmp(&a->val[FLOWRING_A_BACKEND_ADDR],
				    &b->val[FLOWRING_A_BACKEND_ADDR],
				    sizeof(a->val[0])) &&
			    num(a, FLOWRING_A_BACKEND_PORT) ==
			    num(b, FLOWRING_A_BACKEND_PORT) &&
			    num(a, FLOWRING_A_BACKEND_MARK) ==
			    num(b, FLOWRING_A_BACKEND_MARK))
				return -EEXIST;
		}
	}
	return 0;
}

static void answer(struct fake *f, const char *ring, uint64_t before,
		   uint32_t changes)
{
	struct fake_obj *obj = fake_find(f, &fr_set_ring, ring);
	struct nlmsghdr *nlh;

	nlh = mock_put_genl(&f->m, FLOWRING_CMD_RING_COMMIT, 0);
	mnl_attr_put_strz(nlh, FLOWRING_A_COMMIT_RING, ring);
	if (before) {
		mnl_attr_put_u64(nlh, FLOWRING_A_COMMIT_EPOCH_BEFORE, before);
		mnl_attr_put_u64(nlh, FLOWRING_A_COMMIT_FINGERPRINT_BEFORE, 1);
	}
	mnl_attr_put_u64(nlh, FLOWRING_A_COMMIT_EPOCH,
			 num(obj, FLOWRING_A_RING_EPOCH));
	mnl_attr_put_u64(nlh, FLOWRING_A_COMMIT_FINGERPRINT, 2);
	mnl_attr_put_u32(nlh, FLOWRING_A_COMMIT_TOTAL,
			 1U << num(obj, FLOWRING_A_RING_BITS));
	mnl_attr_put_u32(nlh, FLOWRING_A_COMMIT_MOVED, 1);
	mnl_attr_put_u32(nlh, FLOWRING_A_COMMIT_LEAST, 1);
	mnl_attr_put_u32(nlh, FLOWRING_A_COMMIT_CHANGES, changes);
	mnl_attr_put_u32(nlh, FLOWRING_A_COMMIT_SHARES, 0);
	mock_end(&f->m, nlh);
	mock_flush(&f->m);
	mock_ack(&f->m, 0, NULL);
}

static void raise_epochs(struct fake *f)
{
	size_t i;

	for (i = 0; i < f->n; i++) {
		if (f->objs[i].set == &fr_set_ring)
			fake_u64(&f->objs[i], FLOWRING_A_RING_EPOCH,
				 num(&f->objs[i], FLOWRING_A_RING_EPOCH) + 1);
	}
}

/* Make the ring if need be, check the epoch. Return: 0 or an error. */
static int begin(struct fake_commit *c, const struct nlmsghdr *req,
		 const char *ring, uint64_t *before)
{
	const struct nlattr *expect = mock_attr(req, FLOWRING_A_COMMIT_EXPECT);
	const struct nlattr *next = mock_attr(req, FLOWRING_A_COMMIT_EPOCH);
	struct fake_obj *obj = fake_find(&c->f, &fr_set_ring, ring);

	if (!obj && !mock_attr(req, FLOWRING_A_COMMIT_CREATE))
		return -ENOENT;
	if (!obj) {
		new_ring(&c->f, ring);
		obj = fake_find(&c->f, &fr_set_ring, ring);
	}
	*before = num(obj, FLOWRING_A_RING_EPOCH);
	if (expect && fr_attr_num(expect) != *before)
		return -ESTALE;
	if (next && fr_attr_num(next) <= *before)
		return -EINVAL;
	fake_u64(obj, FLOWRING_A_RING_EPOCH,
		 next ? fr_attr_num(next) : *before + 1);
	return 0;
}

static void commit(struct fake_commit *c, const struct nlmsghdr *req)
{
	bool dry = mock_attr(req, FLOWRING_A_COMMIT_DRY_RUN);
	const char *ring = mnl_attr_get_str(mock_attr(req,
						FLOWRING_A_COMMIT_RING));
	struct fake *f = &c->f;
	const struct nlattr *attr;
	struct fake_obj *saved;
	uint64_t before = 0;
	uint32_t n = 0;
	size_t count = f->n;
	int err;

	if (c->busy) {
		c->busy--;
		raise_epochs(f);
	}
	saved = malloc((count + 1) * sizeof(*saved));
	if (count)
		memcpy(saved, f->objs, count * sizeof(*saved));
	err = begin(c, req, ring, &before);
	mnl_attr_for_each(attr, req, GENL_HDRLEN) {
		if (mnl_attr_get_type(attr) != FLOWRING_A_COMMIT_CHANGE)
			continue;
		n++;
		if (!err)
			err = change(c, ring, attr);
	}
	if (!err)
		err = check(f, ring);
	if (!err && (n > FLOWRING_MAX_CHANGES ||
		     (c->refuse && !strcmp(c->refuse, ring))))
		err = -E2BIG;
	if (!err && !dry && c->fail && !--c->fail)
		err = -ENOMEM;
	if (!err && !dry)
		note(c, "commit %s %" PRIu32 " epoch %" PRIu64 "\n", ring, n,
		     num(fake_find(f, &fr_set_ring, ring),
			 FLOWRING_A_RING_EPOCH));
	c->dry += dry;
	c->changes += !err && !dry;
	if (err)
		mock_ack(&f->m, err, NULL);
	else
		answer(f, ring, before, n);
	if (err || dry) {
		if (count)
			memcpy(f->objs, saved, count * sizeof(*saved));
		f->n = count;
	}
	free(saved);
}

static int service_error(struct fake *f, const struct nlmsghdr *req)
{
	const struct nlattr *ring = mock_attr(req, FLOWRING_A_SERVICE_RING);
	const struct nlattr *addr = mock_attr(req, FLOWRING_A_SERVICE_ADDR);
	size_t i;

	if (!ring)
		return 0;
	if (!fake_find(f, &fr_set_ring, mnl_attr_get_str(ring)))
		return -ENOENT;
	for (i = 0; i < f->n; i++) {
		const struct fake_obj *b = &f->objs[i];

		if (b->set == &fr_set_backend && is_bound(b) &&
		    !strcmp(b->val[1].buf, mnl_attr_get_str(ring)) &&
		    b->val[FLOWRING_A_BACKEND_ADDR].len !=
		    mnl_attr_get_payload_len(addr))
			return -EAFNOSUPPORT;
	}
	return 0;
}

static void del_ring(struct fake_commit *c, const struct nlmsghdr *req)
{
	struct fake *f = &c->f;
	char name[64];
	size_t i;

	strcpy(name, mnl_attr_get_str(mock_attr(req, FLOWRING_A_RING_NAME)));
	for (i = 0; i < f->n; i++) {
		if (f->objs[i].set == &fr_set_service &&
		    !strcmp(f->objs[i].val[FLOWRING_A_SERVICE_RING].buf,
			    name)) {
			mock_ack(&f->m, -EBUSY, NULL);
			return;
		}
	}
	note(c, "ring-del %s\n", name);
	for (i = f->n; i-- > 0;) {
		if (f->objs[i].set == &fr_set_backend &&
		    !strcmp(f->objs[i].val[1].buf, name))
			f->objs[i] = f->objs[--f->n];
	}
	c->other(&f->m, req);
}

static void handler(struct mock *m, const struct nlmsghdr *req)
{
	struct fake_commit *c = m->data;
	uint8_t cmd = mock_cmd(req);
	int err;

	if (cmd == FLOWRING_CMD_RING_COMMIT) {
		commit(c, req);
		return;
	}
	if (cmd == FLOWRING_CMD_RING_DEL) {
		c->changes++;
		del_ring(c, req);
		return;
	}
	if (cmd == FLOWRING_CMD_SERVICE_NEW ||
	    cmd == FLOWRING_CMD_SERVICE_SET ||
	    cmd == FLOWRING_CMD_SERVICE_DEL) {
		err = service_error(&c->f, req);
		if (!err && c->fail && !--c->fail)
			err = -ENOMEM;
		if (err) {
			mock_ack(m, err, NULL);
			return;
		}
		c->changes++;
		note(c, "service-%s %u\n", cmd == FLOWRING_CMD_SERVICE_NEW ?
		     "new" : cmd == FLOWRING_CMD_SERVICE_SET ? "set" : "del",
		     mnl_attr_get_u32(mock_attr(req, FLOWRING_A_SERVICE_PORT)));
	}
	c->other(m, req);
}

void fake_commit_init(struct fake_commit *c)
{
	memset(c, 0, sizeof(*c));
	fake_init(&c->f);
	c->other = c->f.m.handler;
	c->f.m.handler = handler;
	/* The fake is the first member, so that this is both of them */
	c->f.m.data = c;
}

void fake_commit_fini(struct fake_commit *c)
{
	fake_fini(&c->f);
}
