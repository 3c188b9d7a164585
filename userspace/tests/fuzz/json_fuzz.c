// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzing of what reads the files of flowring apply. A document that is taken
 * is written again, and what is written has to be read as the same.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "document.h"
#include "fuzz.h"

/* Standard output of a run, and its errors, in memory */
struct run {
	struct fr_ctx ctx;
	char *out;
	char *err;
	size_t out_len;
	size_t err_len;
};

static void run_begin(struct run *r)
{
	memset(r, 0, sizeof(*r));
	r->ctx.out = open_memstream(&r->out, &r->out_len);
	r->ctx.err = open_memstream(&r->err, &r->err_len);
}

static void run_end(struct run *r)
{
	fclose(r->ctx.out);
	fclose(r->ctx.err);
}

static void run_free(struct run *r)
{
	free(r->out);
	free(r->err);
}

/* Read a document and write what was read, or a line of error */
static bool pass(struct run *r, const char *text, size_t len)
{
	struct fr_document *doc;
	bool good;

	run_begin(r);
	doc = fr_document_read(&r->ctx, "file", text, len);
	good = doc && !fr_document_check(&r->ctx, doc);
	if (good)
		fr_document_write(&r->ctx, doc);
	if (doc)
		fr_document_free(doc);
	run_end(r);
	if (good == !r->out_len || good == !!r->err_len) {
		fprintf(stderr, "neither output nor an error, or both\n");
		abort();
	}
	return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* As long as the file, without an end mark */
	char *text = malloc(size ? size : 1);
	struct run first, second;

	memcpy(text, data, size);
	if (pass(&first, text, size)) {
		if (!pass(&second, first.out, first.out_len) ||
		    strcmp(first.out, second.out)) {
			fprintf(stderr, "written:\n%s\nread, written:\n%s\n%s\n",
				first.out, second.out, second.err);
			abort();
		}
		run_free(&second);
	}
	run_free(&first);
	free(text);
	return 0;
}
