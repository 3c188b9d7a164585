// SPDX-License-Identifier: GPL-2.0
/* flowring - the tool of the flowring load balancer: options. */

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "netlink.h"

#define FR_NETNS_DIR	"/run/netns"

enum {
	OPT_FORCE = 256,
};

static const struct option options[] = {
	{ "json",	no_argument,		NULL, 'j' },
	{ "pretty",	no_argument,		NULL, 'p' },
	{ "stats",	no_argument,		NULL, 's' },
	{ "netns",	required_argument,	NULL, 'n' },
	{ "batch",	required_argument,	NULL, 'b' },
	{ "force",	no_argument,		NULL, OPT_FORCE },
	{ "version",	no_argument,		NULL, 'V' },
	{ "help",	no_argument,		NULL, 'h' },
	{}
};

static int enter_netns(struct fr_ctx *ctx, const char *name)
{
	char path[sizeof(FR_NETNS_DIR) + 256];
	int err = 0;
	int fd;

	if (!*name || strchr(name, '/') || !strcmp(name, ".") ||
	    !strcmp(name, ".."))
		return fr_error(ctx, "netns '%s': not a name", name);
	if (snprintf(path, sizeof(path), FR_NETNS_DIR "/%s", name) >=
	    (int)sizeof(path))
		return fr_error(ctx, "netns %s: %s", name,
				strerror(ENAMETOOLONG));

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fr_error(ctx, "netns %s: %s", name, strerror(errno));
	if (setns(fd, CLONE_NEWNET))
		err = errno;
	close(fd);
	if (err)
		return fr_error(ctx, "netns %s: %s", name, strerror(err));
	return FR_EXIT_OK;
}

static int bad_option(struct fr_ctx *ctx, int opt, char **argv)
{
	const char *word = argv[optind - 1];

	if (opt == ':')
		return fr_error(ctx, "option '%s' needs a value; see flowring help",
				word);
	if (optopt > 0 && optopt < OPT_FORCE && strncmp(word, "--", 2))
		return fr_error(ctx, "unknown option '-%c'; see flowring help",
				optopt);
	return fr_error(ctx, "unknown option '%s'; see flowring help", word);
}

static int run(struct fr_ctx *ctx, int argc, char **argv)
{
	const char *netns = NULL;
	const char *batch = NULL;
	int opt;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, "+:jpsn:b:Vh", options,
				  NULL)) != -1) {
		switch (opt) {
		case 'j':
			ctx->json = true;
			break;
		case 'p':
			ctx->pretty = true;
			break;
		case 's':
			ctx->stats = true;
			break;
		case 'n':
			netns = optarg;
			break;
		case 'b':
			batch = optarg;
			break;
		case OPT_FORCE:
			ctx->force = true;
			break;
		case 'V':
			fprintf(ctx->out, "flowring %s\n", FLOWRING_VERSION);
			return FR_EXIT_OK;
		case 'h':
			return fr_help(ctx);
		default:
			return bad_option(ctx, opt, argv);
		}
	}

	if (batch && optind < argc)
		return fr_error(ctx, "unknown word '%s' with -b; see flowring help",
				argv[optind]);
	if (netns && enter_netns(ctx, netns))
		return FR_EXIT_LOCAL;
	if (batch)
		return fr_batch(ctx, batch);
	return fr_run(ctx, argc - optind, argv + optind);
}

int main(int argc, char **argv)
{
	static struct fr_nl nl = { .ops = &fr_nl_mnl_ops };
	struct fr_ctx ctx = {
		.in = stdin,
		.out = stdout,
		.err = stderr,
		.nl = &nl,
		.clock = &fr_clock_real,
		.tty = isatty(STDERR_FILENO),
	};
	int ret;

	ret = run(&ctx, argc, argv);
	fr_nl_close(&nl);
	errno = 0;
	if ((fflush(stdout) || ferror(stdout)) && !ret)
		ret = fr_error(&ctx, "write error: %s",
			       strerror(errno ? errno : EIO));
	return ret;
}
