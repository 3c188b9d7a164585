// SPDX-License-Identifier: GPL-2.0
/* From the first words of a command to the function that does it. */

#include <stdarg.h>
#include <string.h>

#include "parse.h"

static const char help[] =
"Usage: flowring [OPTIONS] OBJECT [COMMAND [WORD]...]\n"
"       flowring [OPTIONS] -b FILE\n"
"\n"
"OBJECT  ring       backends that share a slot table, and its options\n"
"        backend    members of a ring\n"
"        service    addresses that clients connect to\n"
"        window     what slots remember for a while after a change\n"
"        pins       flows whose backend is remembered\n"
"        lookup     ask where a flow goes, and why\n"
"        monitor    print changes as they happen\n"
"        plan       say what a change of a ring would move\n"
"        apply      make the configuration match a file\n"
"        save       print the present configuration\n"
"        restore    run the commands that save commands printed\n"
"        help       this text; flowring OBJECT help tells more\n"
"\n"
"Without an object: service show. Without a command: show.\n"
"\n"
"OPTIONS -j, --json         print JSON\n"
"        -p, --pretty       indent the JSON\n"
"        -s, --stats        show counters\n"
"        -n, --netns NAME   work in that network namespace\n"
"        -b, --batch FILE   run the commands in FILE; - is standard input\n"
"            --force        do not stop a batch at an error\n"
"        -V, --version      print the version\n"
"        -h, --help         this text\n";

static int do_help(struct fr_ctx *ctx, struct fr_args *args)
{
	(void)args;
	return fr_help(ctx);
}

static const struct fr_cmd objects[] = {
	{ "ring",	fr_ring },
	{ "backend",	fr_backend },
	{ "service",	fr_service },
	{ "window",	fr_window },
	{ "pins",	fr_pins },
	{ "lookup",	fr_lookup },
	{ "monitor",	fr_monitor },
	{ "plan",	fr_plan },
	{ "apply",	fr_apply },
	{ "save",	fr_save },
	{ "restore",	fr_restore },
	{ "help",	do_help },
};

/**
 * fr_error() - Print an error on one line.
 * @ctx: The run.
 * @fmt: Format of the error, as for printf().
 *
 * Return: FR_EXIT_LOCAL.
 */
int fr_error(struct fr_ctx *ctx, const char *fmt, ...)
{
	va_list ap;

	/* Data printed so far comes before what is said about the rest */
	fflush(ctx->out);
	va_start(ap, fmt);
	fputs("flowring: ", ctx->err);
	if (ctx->line && ctx->file)
		fprintf(ctx->err, "%s:%lu: ", ctx->file, ctx->line);
	else if (ctx->line)
		fprintf(ctx->err, "line %lu: ", ctx->line);
	vfprintf(ctx->err, fmt, ap);
	fputc('\n', ctx->err);
	va_end(ap);
	return FR_EXIT_LOCAL;
}

/**
 * fr_help() - Print the help of the tool as a whole.
 * @ctx: The run.
 *
 * Return: FR_EXIT_OK.
 */
int fr_help(struct fr_ctx *ctx)
{
	fputs(help, ctx->out);
	return FR_EXIT_OK;
}

/**
 * fr_dispatch() - Run a command of an object.
 * @ctx: The run.
 * @args: The words, from that of the command.
 * @cmds: The commands of the object; the first one is the default.
 * @n: Number of commands.
 * @text: Help of the object.
 *
 * Return: Exit status.
 */
int fr_dispatch(struct fr_ctx *ctx, struct fr_args *args,
		const struct fr_cmd *cmds, size_t n, const char *text)
{
	const char *word = fr_arg_peek(args);
	size_t len = strlen(args->where);
	size_t i;

	if (!word)
		word = cmds[0].name;
	else
		args->i++;

	if (!strcmp(word, "help")) {
		fputs(text, ctx->out);
		return FR_EXIT_OK;
	}

	for (i = 0; i < n; i++) {
		if (strcmp(word, cmds[i].name))
			continue;
		snprintf(args->where + len, sizeof(args->where) - len, " %s",
			 word);
		return cmds[i].fn(ctx, args);
	}
	return fr_usage(ctx, args, "unknown command '%s'", word);
}

/**
 * fr_run() - Run one command.
 * @ctx: The run.
 * @argc: Number of words.
 * @argv: The words, from that of the object.
 *
 * Return: Exit status.
 */
int fr_run(struct fr_ctx *ctx, int argc, char **argv)
{
	struct fr_args args = { .v = argv, .n = argc };
	const char *word;
	size_t i;

	word = argc ? argv[args.i++] : "service";
	for (i = 0; i < FR_ARRAY_SIZE(objects); i++) {
		if (strcmp(word, objects[i].name))
			continue;
		snprintf(args.where, sizeof(args.where), "%s", word);
		return objects[i].fn(ctx, &args);
	}
	return fr_usage(ctx, &args, "unknown object '%s'", word);
}
