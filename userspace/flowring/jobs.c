// SPDX-License-Identifier: GPL-2.0
/* What has to be done to make the host match a document, and whether it can be
 * done: all that can be known before is refused here, with its line.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>

#include "jobs.h"

/* Families of backends or services */
#define FR_IPV4 1
#define FR_IPV6 2

static int family(const struct fr_doc_addr *addr)
{
	return addr->len == 4 ? FR_IPV4 : FR_IPV6;
}

/* Families that the backends of a ring bind it to */
static int families(const struct fr_doc_ring *ring)
{
	int sum = 0;
	size_t i;

	for (i = 0; i < ring->n; i++) {
		if (fr_backend_is_bound(&ring->backends[i]))
			sum |= family(&ring->backends[i].addr);
	}
	return sum;
}

/* Whether an object that is not in the document is the document's to delete */
static bool ours(const struct fr_jobs *jobs, const char *owner)
{
	return jobs->all || !strcmp(jobs->want->owner, owner);
}

static int foreign(const struct fr_jobs *jobs, unsigned long line,
		   const char *what, const char *owner)
{
	if (!*owner)
		return fr_doc_error(jobs->ctx, jobs->want, line,
				    "%s: is there and has no owner; --all takes it over",
				    what);
	return fr_doc_error(jobs->ctx, jobs->want, line,
			    "%s: belongs to owner %s; --all takes it over",
			    what, owner);
}

static struct fr_ring_job *find_job(const struct fr_jobs *jobs,
				    const char *name)
{
	const struct fr_doc_ring *ring = fr_document_ring(jobs->want, name);

	return ring ? &jobs->rings[ring - jobs->want->rings] : NULL;
}

static int check_epoch(const struct fr_jobs *jobs,
		       const struct fr_ring_job *job)
{
	const struct fr_doc_ring *want = job->want, *have = job->have;

	if (!want->has_epoch || !have || !job->diff.n ||
	    want->epoch >= have->epoch + job->commits)
		return FR_EXIT_OK;
	return fr_doc_error(jobs->ctx, jobs->want, want->line,
			    "ring %s: epoch %" PRIu64
			    " is not above the ring's own, which is %" PRIu64,
			    want->name, want->epoch, have->epoch);
}

static int make_ring(struct fr_jobs *jobs, const struct fr_doc_ring *want)
{
	struct fr_ring_job *job = &jobs->rings[jobs->nrings++];
	const struct fr_doc_ring *have;
	char text[FR_DOC_NAME + 8];
	int ret;

	have = fr_document_ring(jobs->have, want->name);
	job->want = want;
	job->have = have;
	snprintf(text, sizeof(text), "ring %s", want->name);
	if (have && !jobs->all && strcmp(have->owner, want->owner))
		return foreign(jobs, want->line, text, have->owner);
	ret = fr_diff_make(jobs->ctx, have, want, &job->diff);
	if (ret)
		return ret;
	if (have && !job->diff.n && want->has_epoch &&
	    want->epoch > have->epoch)
		fr_diff_touch(&job->diff);
	job->commits =
		(job->diff.n + FLOWRING_MAX_CHANGES - 1) / FLOWRING_MAX_CHANGES;
	job->done = !job->diff.n;
	return check_epoch(jobs, job);
}

/* A service of the document and the ring that it points to */
static int check_ring(struct fr_jobs *jobs, const struct fr_doc_service *want)
{
	const struct fr_doc_ring *ring;
	const char *other;
	char text[96];

	/* The document was checked by itself, and an action has no ring */
	if (!want->ring[0] || fr_document_ring(jobs->want, want->ring))
		return FR_EXIT_OK;
	fr_service_text(want, text, sizeof(text));
	ring = fr_document_ring(jobs->have, want->ring);
	if (!ring)
		return fr_doc_error(jobs->ctx, jobs->want, want->line,
				    "%s: no ring %s, neither here nor on the host",
				    text, want->ring);
	if (ours(jobs, ring->owner))
		return fr_doc_error(jobs->ctx, jobs->want, want->line,
				    "%s: ring %s is on the host but not here, so it is to be deleted",
				    text, want->ring);
	other = fr_document_mismatch(ring, want);
	if (other)
		return fr_doc_error(jobs->ctx, jobs->want, want->line,
				    "%s: backend %s of ring %s is of the other family",
				    text, other, ring->name);
	return FR_EXIT_OK;
}

static int make_service(struct fr_jobs *jobs, const struct fr_doc_service *want)
{
	struct fr_service_job *job = &jobs->services[jobs->nservices];
	const struct fr_doc_service *have;
	char text[96];

	if (check_ring(jobs, want))
		return FR_EXIT_LOCAL;
	have = fr_document_service(jobs->have, want);
	fr_service_text(want, text, sizeof(text));
	if (have && !jobs->all && strcmp(have->owner, want->owner))
		return foreign(jobs, want->line, text, have->owner);
	if (have && !strcmp(have->ring, want->ring) &&
	    (want->ring[0] || have->action == want->action) &&
	    !strcmp(have->owner, want->owner))
		return FR_EXIT_OK;
	job->op = have ? FR_SERVICE_SET : FR_SERVICE_ADD;
	job->service = want;
	job->to = find_job(jobs, want->ring);
	jobs->nservices++;
	return FR_EXIT_OK;
}

/* A service on the host that is not in the document */
static int drop_service(struct fr_jobs *jobs, const struct fr_doc_service *have)
{
	struct fr_service_job *job;
	const struct fr_doc_ring *ring;
	char text[96];

	if (fr_document_service(jobs->want, have))
		return FR_EXIT_OK;
	if (ours(jobs, have->owner)) {
		job = &jobs->services[jobs->nservices++];
		job->op = FR_SERVICE_DEL;
		job->service = have;
		return FR_EXIT_OK;
	}
	ring = fr_document_ring(jobs->have, have->ring);
	if (!ring || fr_document_ring(jobs->want, have->ring) ||
	    !ours(jobs, ring->owner))
		return FR_EXIT_OK;
	fr_service_text(have, text, sizeof(text));
	return fr_doc_error(jobs->ctx, jobs->want, 0,
			    "ring %s is not here, so it is to be deleted, but %s of %s%s points to it",
			    ring->name, text, have->owner[0] ? "owner " : "no owner",
			    have->owner);
}

/* The service job of a service on the host; jobs are found by comparing what
 * identifies them, as those of a document and of the host are in one order
 */
static struct fr_service_job *service_job(struct fr_jobs *jobs,
					  const struct fr_doc_service *have)
{
	const struct fr_doc_service *want;
	size_t lo = 0, hi = jobs->nservices, mid;

	want = fr_document_service(jobs->want, have);
	if (!want)
		want = have;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (jobs->services[mid].service == want)
			return &jobs->services[mid];
		if ((uintptr_t)jobs->services[mid].service < (uintptr_t)want)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* Services that point to a ring whose new backends are not of their family
 * have to go first
 */
static int hold(struct fr_jobs *jobs, const int *fams,
		const struct fr_doc_service *have)
{
	struct fr_ring_job *job = find_job(jobs, have->ring);
	struct fr_service_job *service;
	char text[96];

	if (!job || !(fams[job - jobs->rings] & ~family(&have->addr)))
		return FR_EXIT_OK;
	service = service_job(jobs, have);
	if (service) {
		service->from = job;
		job->held++;
		return FR_EXIT_OK;
	}
	fr_service_text(have, text, sizeof(text));
	return fr_doc_error(jobs->ctx, jobs->want, job->want->line,
			    "ring %s: backends of the other family, but %s of %s%s points to it",
			    job->want->name, text, have->owner[0] ? "owner " : "no owner",
			    have->owner);
}

static int hold_all(struct fr_jobs *jobs)
{
	int *fams = calloc(jobs->nrings + 1, sizeof(*fams));
	int ret = FR_EXIT_OK;
	size_t i;

	if (!fams)
		return fr_error(jobs->ctx, "out of memory");
	for (i = 0; i < jobs->nrings; i++)
		fams[i] = families(jobs->rings[i].want);
	for (i = 0; !ret && i < jobs->have->nservices; i++)
		ret = hold(jobs, fams, &jobs->have->services[i]);
	free(fams);
	return ret;
}

static int by_service(const void *a, const void *b)
{
	const struct fr_service_job *x = a, *y = b;

	return ((uintptr_t)x->service > (uintptr_t)y->service) -
	       ((uintptr_t)x->service < (uintptr_t)y->service);
}

static int make_services(struct fr_jobs *jobs)
{
	size_t i;

	for (i = 0; i < jobs->want->nservices; i++) {
		if (make_service(jobs, &jobs->want->services[i]))
			return FR_EXIT_LOCAL;
	}
	for (i = 0; i < jobs->have->nservices; i++) {
		if (drop_service(jobs, &jobs->have->services[i]))
			return FR_EXIT_LOCAL;
	}
	/* In the order of their memory, for service_job() */
	if (jobs->nservices)
		qsort(jobs->services, jobs->nservices, sizeof(*jobs->services),
		      by_service);
	return hold_all(jobs);
}

/* Steps for all jobs that can be done after the steps that there are */
static bool add_steps(struct fr_jobs *jobs)
{
	size_t i, n = jobs->nsteps;

	for (i = 0; i < jobs->nrings; i++) {
		struct fr_ring_job *job = &jobs->rings[i];

		if (job->done || job->held)
			continue;
		jobs->steps[jobs->nsteps++].ring = job;
		job->done = true;
	}
	for (i = 0; i < jobs->nservices; i++) {
		struct fr_service_job *job = &jobs->services[i];

		if (job->done || (job->to && !job->to->done))
			continue;
		jobs->steps[jobs->nsteps++].service = job;
		job->done = true;
		if (job->from)
			job->from->held--;
	}
	return jobs->nsteps > n;
}

/* Rings, then the services that need them; but services first that keep a ring
 * from getting backends of another family
 */
static int order(struct fr_jobs *jobs)
{
	size_t i;

	jobs->steps = calloc(jobs->nrings + jobs->nservices + 1,
			     sizeof(*jobs->steps));
	if (!jobs->steps)
		return fr_error(jobs->ctx, "out of memory");
	for (i = 0; i < jobs->nrings; i++)
		jobs->rings[i].early = !jobs->rings[i].held;
	while (add_steps(jobs))
		;
	for (i = 0; i < jobs->nrings; i++) {
		if (!jobs->rings[i].done)
			return fr_doc_error(jobs->ctx, jobs->want,
					    jobs->rings[i].want->line,
					    "ring %s: its backends change their family while services trade places with those of another ring: apply it in two parts",
					    jobs->rings[i].want->name);
	}
	return FR_EXIT_OK;
}

/**
 * fr_jobs_make() - Find what has to be done.
 * @jobs: The context, document, host and @all; gets the rest, which is to be
 *	cleared with fr_jobs_clear() in any case.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_jobs_make(struct fr_jobs *jobs)
{
	const struct fr_document *want = jobs->want, *have = jobs->have;
	size_t i;

	jobs->rings = calloc(want->nrings + 1, sizeof(*jobs->rings));
	jobs->services = calloc(want->nservices + have->nservices + 1,
				sizeof(*jobs->services));
	jobs->dels = calloc(have->nrings + 1, sizeof(*jobs->dels));
	if (!jobs->rings || !jobs->services || !jobs->dels)
		return fr_error(jobs->ctx, "out of memory");
	for (i = 0; i < want->nrings; i++) {
		if (make_ring(jobs, &want->rings[i]))
			return FR_EXIT_LOCAL;
	}
	for (i = 0; i < have->nrings; i++) {
		if (!fr_document_ring(want, have->rings[i].name) &&
		    ours(jobs, have->rings[i].owner))
			jobs->dels[jobs->ndels++] = &have->rings[i];
	}
	if (make_services(jobs))
		return FR_EXIT_LOCAL;
	return order(jobs);
}

/**
 * fr_jobs_clear() - Free what is in jobs.
 * @jobs: The jobs.
 */
void fr_jobs_clear(struct fr_jobs *jobs)
{
	size_t i;

	for (i = 0; i < jobs->nrings; i++)
		fr_diff_clear(&jobs->rings[i].diff);
	free(jobs->rings);
	free(jobs->services);
	free(jobs->steps);
	free(jobs->dels);
	*jobs = (struct fr_jobs){};
}
