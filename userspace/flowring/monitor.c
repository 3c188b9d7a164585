// SPDX-License-Identifier: GPL-2.0
/* The object monitor. */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <linux/flowring.h>
#include <linux/genetlink.h>

#include "output.h"
#include "parse.h"

static const char help[] =
"Usage: flowring monitor\n"
"\n"
"Prints each change of rings, backends and services on a line, in the words of\n"
"the command that makes it, for each commit of a ring its epochs, its\n"
"fingerprint and how many slots moved, and each new state of its window. Ends\n"
"with SIGINT or SIGTERM.\n"
"With -j: one JSON object per line; event is the name of the notification.\n";

static int print_event(struct fr_ctx *ctx, const struct nlmsghdr *nlh)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	const struct fr_event *event;
	struct fr_obj *obj;
	int ret;

	if (nlh->nlmsg_type != ctx->nl->family ||
	    mnl_nlmsg_get_payload_len(nlh) < GENL_HDRLEN)
		return FR_EXIT_OK;
	event = fr_event_find(genl->cmd);
	if (!event)
		return FR_EXIT_OK;

	obj = fr_obj_new(event->set,
			 mnl_nlmsg_get_payload_offset(nlh, GENL_HDRLEN),
			 mnl_nlmsg_get_payload_len(nlh) - GENL_HDRLEN);
	if (!obj)
		return fr_error(ctx, "monitor: %s", strerror(errno));
	ret = fr_print_event(ctx, event, obj);
	free(obj);
	if (fflush(ctx->out))
		return fr_error(ctx, "monitor: %s", strerror(errno));
	return ret;
}

/* Print what one datagram holds. Return: exit status, -1 at the end */
static int receive(struct fr_ctx *ctx)
{
	struct fr_nl *nl = ctx->nl;
	struct nlmsghdr *nlh;
	ssize_t n;
	int len;
	int ret;

	n = nl->ops->recv(nl, nl->buf, sizeof(nl->buf));
	if (!n)
		return -1;
	if (n < 0 && errno == ENOBUFS) {
		fr_error(ctx, "monitor: events were lost: they came faster than they were read");
		return FR_EXIT_OK;
	}
	if (n < 0)
		return fr_error(ctx, "monitor: %s", strerror(errno));

	len = n;
	for (nlh = (void *)nl->buf; fr_nl_ok(nlh, len);
	     nlh = mnl_nlmsg_next(nlh, &len)) {
		ret = print_event(ctx, nlh);
		if (ret)
			return ret;
	}
	return FR_EXIT_OK;
}

static int run(struct fr_ctx *ctx, int sigfd)
{
	struct pollfd fds[] = {
		{ .fd = sigfd, .events = POLLIN },
		{ .fd = ctx->nl->ops->fd(ctx->nl), .events = POLLIN },
	};
	struct signalfd_siginfo info;
	int ret;

	for (;;) {
		if (poll(fds, FR_ARRAY_SIZE(fds), -1) < 0 && errno != EINTR)
			return fr_error(ctx, "monitor: %s", strerror(errno));
		if (fds[0].revents) {
			/* Take it, or it ends us once it is unblocked */
			if (read(sigfd, &info, sizeof(info)) < 0)
				return fr_error(ctx, "monitor: %s",
						strerror(errno));
			return FR_EXIT_OK;
		}
		if (!fds[1].revents)
			continue;
		ret = receive(ctx);
		if (ret)
			return ret < 0 ? FR_EXIT_OK : ret;
	}
}

/**
 * fr_monitor() - The object monitor.
 * @ctx: The run.
 * @args: The words after it.
 *
 * Return: Exit status.
 */
int fr_monitor(struct fr_ctx *ctx, struct fr_args *args)
{
	const char *word = fr_arg_peek(args);
	sigset_t mask, old;
	int sigfd;
	int ret;

	if (word && !strcmp(word, "help")) {
		fputs(help, ctx->out);
		return FR_EXIT_OK;
	}
	if (fr_arg_end(ctx, args))
		return FR_EXIT_LOCAL;
	if (ctx->batch)
		return fr_usage(ctx, args, "cannot be used in a batch");

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigprocmask(SIG_BLOCK, &mask, &old);
	sigfd = signalfd(-1, &mask, SFD_CLOEXEC);
	if (sigfd < 0) {
		ret = fr_error(ctx, "monitor: %s", strerror(errno));
		goto out;
	}

	ret = fr_nl_join(ctx);
	if (!ret)
		ret = run(ctx, sigfd);
	close(sigfd);
out:
	sigprocmask(SIG_SETMASK, &old, NULL);
	return ret;
}
