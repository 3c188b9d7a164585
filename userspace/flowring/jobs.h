/* SPDX-License-Identifier: GPL-2.0 */
/* What has to be done to make the host match a document. */

#ifndef _FLOWRING_JOBS_H
#define _FLOWRING_JOBS_H

#include "diff.h"
#include "document.h"

/**
 * struct fr_ring_job - A ring that is in the document.
 * @want: The ring in the document.
 * @have: The ring on the host, NULL when there is none.
 * @diff: The changes.
 * @commits: Number of commits that they need.
 * @held: Services that point to it now, that its new backends do not suit, and
 *	for which there is no step yet.
 * @early: There were none of these at first, so that the kernel can plan it.
 * @done: It is as it has to be, or there is a step for it.
 */
struct fr_ring_job {
	const struct fr_doc_ring *want;
	const struct fr_doc_ring *have;
	struct fr_diff diff;
	size_t commits;
	size_t held;
	bool early;
	bool done;
};

/**
 * enum fr_service_op - What is done to a service.
 * @FR_SERVICE_ADD: It is made.
 * @FR_SERVICE_SET: It is pointed to another ring, or gets another owner.
 * @FR_SERVICE_DEL: It is deleted.
 */
enum fr_service_op {
	FR_SERVICE_ADD,
	FR_SERVICE_SET,
	FR_SERVICE_DEL,
};

/**
 * struct fr_service_job - A service that is changed.
 * @op: What is done.
 * @service: The service, as it shall be or, for one that is deleted, as it is.
 * @from: The job that it holds up until it is done, or NULL.
 * @to: The job that has to be done before it, or NULL.
 * @done: There is a step for it.
 */
struct fr_service_job {
	enum fr_service_op op;
	const struct fr_doc_service *service;
	struct fr_ring_job *from;
	struct fr_ring_job *to;
	bool done;
};

/**
 * struct fr_step - The next thing to do.
 * @ring: A ring to change, or NULL.
 * @service: A service to change, or NULL.
 */
struct fr_step {
	struct fr_ring_job *ring;
	struct fr_service_job *service;
};

/**
 * struct fr_jobs - All that has to be done.
 * @ctx: The run.
 * @want: The document.
 * @have: What the host has.
 * @all: Objects of all owners are the document's to change and to delete.
 * @rings: A job for each ring of the document, also when nothing is to be done.
 * @nrings: Number of @rings.
 * @services: What is done to services.
 * @nservices: Number of @services.
 * @steps: The jobs that change something, in an order that works.
 * @nsteps: Number of @steps.
 * @dels: The rings that are deleted, after all steps.
 * @ndels: Number of @dels.
 */
struct fr_jobs {
	struct fr_ctx *ctx;
	const struct fr_document *want;
	const struct fr_document *have;
	bool all;
	struct fr_ring_job *rings;
	size_t nrings;
	struct fr_service_job *services;
	size_t nservices;
	struct fr_step *steps;
	size_t nsteps;
	const struct fr_doc_ring **dels;
	size_t ndels;
};

int fr_jobs_make(struct fr_jobs *jobs);
void fr_jobs_clear(struct fr_jobs *jobs);

#endif /* _FLOWRING_JOBS_H */
