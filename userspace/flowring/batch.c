// SPDX-License-Identifier: GPL-2.0
/* Commands from a file, all through one socket. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "netlink.h"
#include "parse.h"

static const char restore_help[] =
"Usage: flowring restore [FILE]\n"
"\n"
"Runs the commands in FILE, as flowring save printed them; from standard input\n"
"when there is no FILE or it is -. The words of all lines are checked before\n"
"the first one is run. Stops at the first error, and says its line.\n"
"\n"
"  --force   (before restore) go on after an error\n";

/* The lines of a file, kept when they are read twice */
struct batch {
	const char *path;
	FILE *f;
	char *line;
	size_t size;
	unsigned long nr;
	int status;
};

/**
 * fr_split() - Split a line at white space.
 * @ctx: The run.
 * @line: The line, ended by a zero byte that getline() put there.
 * @len: Its length; less than that before the zero byte is an error.
 * @words: Where the words go, FR_BATCH_WORDS at most.
 *
 * A word that begins with # begins a comment.
 *
 * Return: Number of words, or -1 after an error was printed.
 */
int fr_split(struct fr_ctx *ctx, char *line, size_t len, char **words)
{
	char *save = NULL;
	char *word;
	int n = 0;

	if (strlen(line) != len) {
		fr_error(ctx, "zero byte in the line");
		return -1;
	}
	for (word = strtok_r(line, " \t\r\n\v\f", &save); word;
	     word = strtok_r(NULL, " \t\r\n\v\f", &save)) {
		if (*word == '#')
			break;
		if (n == FR_BATCH_WORDS) {
			fr_error(ctx, "more than %d words", FR_BATCH_WORDS);
			return -1;
		}
		words[n++] = word;
	}
	return n;
}

static int run_line(struct fr_ctx *ctx, struct batch *b, ssize_t len)
{
	char *words[FR_BATCH_WORDS];
	int n;

	n = fr_split(ctx, b->line, len, words);
	if (n < 0)
		return FR_EXIT_LOCAL;
	return n ? fr_run(ctx, n, words) : FR_EXIT_OK;
}

static int run_file(struct fr_ctx *ctx, struct batch *b)
{
	ssize_t len;
	int ret;

	b->nr = 0;
	while (errno = 0, (len = getline(&b->line, &b->size, b->f)) >= 0) {
		b->nr++;
		ret = run_line(ctx, b, len);
		if (!ret)
			continue;
		fprintf(ctx->err, "Command failed %s:%lu\n", b->path, b->nr);
		if (ret > b->status)
			b->status = ret;
		if (!ctx->force)
			return b->status;
	}
	if (ferror(b->f) || errno == ENOMEM) {
		fr_error(ctx, "%s: %s", b->path, strerror(errno));
		if (!b->status)
			b->status = FR_EXIT_LOCAL;
	}
	return b->status;
}

static int batch_open(struct fr_ctx *ctx, struct batch *b, const char *path)
{
	*b = (struct batch){ .path = path };
	b->f = strcmp(path, "-") ? fopen(path, "re") : stdin;
	if (!b->f)
		return fr_error(ctx, "%s: %s", path, strerror(errno));
	return FR_EXIT_OK;
}

static void batch_close(struct batch *b)
{
	if (b->f && b->f != stdin)
		fclose(b->f);
	free(b->line);
}

/**
 * fr_batch() - Run the commands in a file.
 * @ctx: The run.
 * @path: The file, - for standard input.
 *
 * Return: Exit status: the worst one of all commands.
 */
int fr_batch(struct fr_ctx *ctx, const char *path)
{
	struct batch b;
	int ret;

	ret = batch_open(ctx, &b, path);
	if (ret)
		return ret;
	ctx->batch = true;
	ret = run_file(ctx, &b);
	ctx->batch = false;
	batch_close(&b);
	return ret;
}

/* Copy what cannot be read twice to memory */
static int batch_slurp(struct fr_ctx *ctx, struct batch *b, char **mem)
{
	char buf[8192];
	size_t n, size;
	bool bad;
	FILE *m;

	m = open_memstream(mem, &size);
	if (!m)
		return fr_error(ctx, "%s: %s", b->path, strerror(errno));
	errno = 0;
	while ((n = fread(buf, 1, sizeof(buf), b->f)))
		fwrite(buf, 1, n, m);
	bad = ferror(b->f) || ferror(m);
	if (fclose(m) || bad)
		return fr_error(ctx, "%s: %s", b->path,
				strerror(errno ? errno : EIO));

	if (b->f != stdin)
		fclose(b->f);
	/* There is no stream over nothing: one line end stands for it */
	b->f = fmemopen(size ? *mem : "\n", size ? size : 1, "r");
	if (!b->f)
		return fr_error(ctx, "%s: %s", b->path, strerror(errno));
	return FR_EXIT_OK;
}

/**
 * fr_restore() - The object restore.
 * @ctx: The run.
 * @args: The words after it.
 *
 * Return: Exit status.
 */
int fr_restore(struct fr_ctx *ctx, struct fr_args *args)
{
	const char *path = fr_arg_peek(args);
	char *mem = NULL;
	struct batch b;
	int ret;

	if (path && !strcmp(path, "help")) {
		fputs(restore_help, ctx->out);
		return FR_EXIT_OK;
	}
	if (path)
		args->i++;
	if (fr_arg_end(ctx, args))
		return FR_EXIT_LOCAL;
	if (ctx->batch)
		return fr_usage(ctx, args, "cannot be used in a batch");

	ret = batch_open(ctx, &b, path ? path : "-");
	if (ret)
		return ret;
	ret = batch_slurp(ctx, &b, &mem);
	if (ret)
		goto out;

	ctx->batch = true;
	ctx->dry = true;
	ret = ctx->force ? FR_EXIT_OK : run_file(ctx, &b);
	ctx->dry = false;
	if (!ret) {
		rewind(b.f);
		ret = run_file(ctx, &b);
	}
	ctx->batch = false;
out:
	batch_close(&b);
	free(mem);
	return ret;
}
