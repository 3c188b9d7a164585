// SPDX-License-Identifier: GPL-2.0
/* The changes that turn one ring into another, and commits of them. */

#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>

#include "diff.h"
#include "offline.h"

static bool same_tokens(const struct fr_doc_backend *a,
			const struct fr_doc_backend *b)
{
	return a->ntokens == b->ntokens &&
	       (!a->ntokens ||
		!memcmp(a->tokens, b->tokens, a->ntokens * sizeof(*a->tokens)));
}

static bool same_addr(const struct fr_doc_backend *a,
		      const struct fr_doc_backend *b)
{
	return a->addr.len == b->addr.len &&
	       !memcmp(a->addr.b, b->addr.b, sizeof(a->addr.b));
}

static bool same_backend(const struct fr_doc_backend *a,
			 const struct fr_doc_backend *b)
{
	return same_addr(a, b) && a->port == b->port && a->mode == b->mode &&
	       a->checksum == b->checksum && a->mark == b->mark &&
	       a->state == b->state && a->weight == b->weight &&
	       !strcmp(a->zone, b->zone) && same_tokens(a, b);
}

/* A key that a file does not give stays as it is */
static bool same_key(const struct fr_doc_ring *before,
		     const struct fr_doc_ring *after)
{
	return !after->has_key || !memcmp(before->key, after->key, FR_DOC_KEY);
}

static bool same_options(const struct fr_doc_ring *a,
			 const struct fr_doc_ring *b)
{
	return a->bits == b->bits && a->vnodes == b->vnodes &&
	       a->imbalance == b->imbalance && a->no_backend == b->no_backend &&
	       a->masquerade == b->masquerade && a->window == b->window &&
	       a->pin_idle == b->pin_idle && a->udp == b->udp &&
	       !strcmp(a->owner, b->owner) && same_key(a, b);
}

static void add_change(struct fr_diff *diff, uint32_t op,
		       const struct fr_doc_backend *before,
		       const struct fr_doc_backend *after)
{
	diff->v[diff->n++] = (struct fr_change){
		.op = op,
		.before = before,
		.after = after,
	};
}

static bool is_deleted(const struct fr_doc_ring *after,
		       const struct fr_doc_backend *b)
{
	const struct fr_doc_backend *now = fr_document_backend(after, b->name);

	return !now || fr_offline_anew(b, now);
}

/* The backend that is there already and stays, or NULL */
static const struct fr_doc_backend *stays(const struct fr_doc_ring *before,
					  const struct fr_doc_backend *b)
{
	const struct fr_doc_backend *was = NULL;

	if (before)
		was = fr_document_backend(before, b->name);
	return was && !fr_offline_anew(was, b) ? was : NULL;
}

static void add_deletes(struct fr_diff *diff)
{
	const struct fr_doc_ring *before = diff->before;
	size_t i;

	for (i = 0; before && i < before->n; i++) {
		if (is_deleted(diff->after, &before->backends[i]))
			add_change(diff, FLOWRING_CHANGE_OP_BACKEND_DEL,
				   &before->backends[i], NULL);
	}
}

static void add_sets(struct fr_diff *diff)
{
	const struct fr_doc_ring *after = diff->after;
	const struct fr_doc_backend *was;
	size_t i;

	for (i = 0; i < after->n; i++) {
		was = stays(diff->before, &after->backends[i]);
		if (was && !same_backend(was, &after->backends[i]))
			add_change(diff, FLOWRING_CHANGE_OP_BACKEND_SET, was,
				   &after->backends[i]);
	}
}

static void add_adds(struct fr_diff *diff)
{
	const struct fr_doc_ring *after = diff->after;
	size_t i;

	for (i = 0; i < after->n; i++) {
		if (!stays(diff->before, &after->backends[i]))
			add_change(diff, FLOWRING_CHANGE_OP_BACKEND_ADD, NULL,
				   &after->backends[i]);
	}
}

static int endpoint_cmp(const void *a, const void *b)
{
	const struct fr_doc_backend *x = *(struct fr_doc_backend *const *)a;
	const struct fr_doc_backend *y = *(struct fr_doc_backend *const *)b;
	int ret = memcmp(x->addr.b, y->addr.b, sizeof(x->addr.b));

	if (!ret)
		ret = (int)x->addr.len - (int)y->addr.len;
	if (!ret)
		ret = (int)x->port - (int)y->port;
	return ret ? ret : (x->mark > y->mark) - (x->mark < y->mark);
}

/* The backend of a change by whose endpoint changes are ordered: one that comes
 * back under its name is where it was
 */
static const struct fr_doc_backend *change_at(const struct fr_diff *diff,
					      const struct fr_change *change)
{
	const struct fr_doc_backend *was = NULL;

	if (change->before || !change->after)
		return change->before;
	if (diff->before)
		was = fr_document_backend(diff->before, change->after->name);
	return was ? was : change->after;
}

static int rank_cmp(const void *a, const void *b, void *data)
{
	const struct fr_change *x = a, *y = b;
	const struct fr_doc_backend *p, *q;
	int ret = x->rank - y->rank;

	if (ret)
		return ret;
	p = change_at(data, x);
	q = change_at(data, y);
	if (p && q)
		ret = endpoint_cmp(&p, &q);
	/* What is deleted makes room for what is added */
	return ret ? ret : (x->op == FLOWRING_CHANGE_OP_BACKEND_ADD) -
			   (y->op == FLOWRING_CHANGE_OP_BACKEND_ADD);
}

/* Changes that take several commits: what only adds or tunes comes first, so
 * that the ring does not run empty between them. What needs the name or the
 * endpoint of another follows its deletion, and what moves to another endpoint
 * is the last.
 */
static void spread(struct fr_diff *diff, const struct fr_doc_backend **taken)
{
	const struct fr_doc_ring *before = diff->before;
	struct fr_change *c = diff->v;
	size_t i;

	for (i = 0; i < before->n; i++)
		taken[i] = &before->backends[i];
	qsort(taken, before->n, sizeof(*taken), endpoint_cmp);
	for (i = 0; i < diff->n; i++, c++) {
		if (c->op == FLOWRING_CHANGE_OP_RING_SET)
			c->rank = 0;
		else if (c->op == FLOWRING_CHANGE_OP_BACKEND_SET)
			c->rank = endpoint_cmp(&c->before, &c->after) ? 4 : 1;
		else if (c->op == FLOWRING_CHANGE_OP_BACKEND_DEL ||
			 fr_document_backend(before, c->after->name) ||
			 bsearch(&c->after, taken, before->n, sizeof(*taken),
				 endpoint_cmp))
			c->rank = 3;
		else
			c->rank = 2;
	}
	qsort_r(diff->v, diff->n, sizeof(*diff->v), rank_cmp, diff);
}

/* By any backend of a ring that has some */
static bool is_nat(const struct fr_doc_ring *ring)
{
	return ring->backends->mode == FLOWRING_MODE_NAT;
}

/**
 * fr_diff_make() - Find the changes that turn one ring into another.
 * @ctx: The run.
 * @before: The ring before, in order; NULL when there is none.
 * @after: The ring after, in order.
 * @diff: Gets the changes, to be cleared with fr_diff_clear().
 *
 * What goes makes room for what comes, so deletions are the first; but not when
 * there are more changes than one commit can have.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_diff_make(struct fr_ctx *ctx, const struct fr_doc_ring *before,
		 const struct fr_doc_ring *after, struct fr_diff *diff)
{
	size_t most = (before ? before->n : 0) + after->n + 1;
	const struct fr_doc_backend **taken;

	*diff = (struct fr_diff){ .before = before, .after = after };
	diff->v = calloc(most, sizeof(*diff->v));
	if (!diff->v)
		return fr_error(ctx, "ring %s: out of memory", after->name);
	add_deletes(diff);
	if (!before || !same_options(before, after))
		add_change(diff, FLOWRING_CHANGE_OP_RING_SET, NULL, NULL);
	add_sets(diff);
	add_adds(diff);
	/* No ring has nat and other backends, so it is emptied between them */
	if (diff->n <= FLOWRING_MAX_CHANGES || !before || !before->n ||
	    (after->n && is_nat(after) != is_nat(before)))
		return FR_EXIT_OK;
	taken = calloc(before->n, sizeof(*taken));
	if (!taken)
		return fr_error(ctx, "ring %s: out of memory", after->name);
	spread(diff, taken);
	free(taken);
	return FR_EXIT_OK;
}

/**
 * fr_diff_touch() - Make a change that changes nothing, to raise the epoch.
 * @diff: A diff without changes.
 */
void fr_diff_touch(struct fr_diff *diff)
{
	add_change(diff, FLOWRING_CHANGE_OP_RING_SET, NULL, NULL);
}

/**
 * fr_diff_clear() - Free what is in a diff.
 * @diff: The diff.
 */
void fr_diff_clear(struct fr_diff *diff)
{
	free(diff->v);
	*diff = (struct fr_diff){};
}

static void put_u32(struct nlmsghdr *nlh, uint16_t type, bool differs,
		    uint32_t val)
{
	if (differs)
		mnl_attr_put_u32(nlh, type, val);
}

/* Options that differ; all of them for a new ring */
static void put_ring(struct fr_msg *msg, const struct fr_diff *diff)
{
	const struct fr_doc_ring *is = diff->after, *was = diff->before;
	struct nlmsghdr *nlh = fr_msg_hdr(msg);

	put_u32(nlh, FLOWRING_A_RING_BITS, !was || was->bits != is->bits,
		is->bits);
	put_u32(nlh, FLOWRING_A_RING_VNODES, !was || was->vnodes != is->vnodes,
		is->vnodes);
	if (is->has_key && (!was || !same_key(was, is)))
		mnl_attr_put(nlh, FLOWRING_A_RING_KEY, FR_DOC_KEY, is->key);
	/* Always there, so that none of these changes is empty */
	mnl_attr_put_u32(nlh, FLOWRING_A_RING_IMBALANCE, is->imbalance);
	if (strcmp(was ? was->owner : "", is->owner))
		mnl_attr_put_strz(nlh, FLOWRING_A_RING_OWNER, is->owner);
	put_u32(nlh, FLOWRING_A_RING_NO_BACKEND,
		!was || was->no_backend != is->no_backend, is->no_backend);
	put_u32(nlh, FLOWRING_A_RING_MASQUERADE,
		!was || was->masquerade != is->masquerade, is->masquerade);
	put_u32(nlh, FLOWRING_A_RING_WINDOW, !was || was->window != is->window,
		is->window);
	put_u32(nlh, FLOWRING_A_RING_PIN_IDLE,
		!was || was->pin_idle != is->pin_idle, is->pin_idle);
	put_u32(nlh, FLOWRING_A_RING_UDP, !was || was->udp != is->udp, is->udp);
}

/* What differs; all of it for a new backend */
static void put_backend(struct fr_msg *msg, const struct fr_change *change)
{
	const struct fr_doc_backend *is = change->after;
	const struct fr_doc_backend *was = change->before;
	struct nlmsghdr *nlh = fr_msg_hdr(msg);

	mnl_attr_put_strz(nlh, FLOWRING_A_BACKEND_NAME,
			  is ? is->name : was->name);
	if (!is)
		return;
	if (is->addr.len && (!was || !same_addr(was, is)))
		mnl_attr_put(nlh, FLOWRING_A_BACKEND_ADDR, is->addr.len,
			     is->addr.b);
	put_u32(nlh, FLOWRING_A_BACKEND_PORT,
		is->port && (!was || was->port != is->port), is->port);
	put_u32(nlh, FLOWRING_A_BACKEND_WEIGHT,
		!was || was->weight != is->weight, is->weight);
	put_u32(nlh, FLOWRING_A_BACKEND_MODE, !was, is->mode);
	put_u32(nlh, FLOWRING_A_BACKEND_CHECKSUM,
		was ? was->checksum != is->checksum :
		      is->mode == FLOWRING_MODE_GUE, is->checksum);
	put_u32(nlh, FLOWRING_A_BACKEND_MARK,
		is->mark && (!was || was->mark != is->mark), is->mark);
	put_u32(nlh, FLOWRING_A_BACKEND_STATE, !was || was->state != is->state,
		is->state);
	if (strcmp(was ? was->zone : "", is->zone))
		mnl_attr_put_strz(nlh, FLOWRING_A_BACKEND_ZONE, is->zone);
	if (was ? !same_tokens(was, is) : is->ntokens > 0)
		mnl_attr_put(nlh, FLOWRING_A_BACKEND_EXPLICIT_TOKENS,
			     is->ntokens * sizeof(*is->tokens), is->tokens);
}

/**
 * fr_diff_commit() - Put changes into a commit.
 * @ctx: The run.
 * @diff: The changes.
 * @first: The first one to put.
 * @n: How many.
 * @c: The commit.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_diff_commit(struct fr_ctx *ctx, const struct fr_diff *diff, size_t first,
		   size_t n, struct fr_commit *c)
{
	const struct fr_change *change = &diff->v[first];
	struct fr_msg msg;
	unsigned long line;
	int ret = FR_EXIT_OK;

	for (; !ret && n; n--, change++) {
		line = change->after ? change->after->line : diff->after->line;
		if (change->op == FLOWRING_CHANGE_OP_RING_SET) {
			fr_msg_init(&msg, &fr_set_ring,
				    FLOWRING_CMD_RING_COMMIT);
			put_ring(&msg, diff);
		} else {
			fr_msg_init(&msg, &fr_set_backend,
				    FLOWRING_CMD_RING_COMMIT);
			put_backend(&msg, change);
		}
		ret = fr_commit_add(ctx, c, change->op, &msg, line);
	}
	return ret;
}
