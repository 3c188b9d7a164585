// SPDX-License-Identifier: GPL-2.0
/*
 * TCP connections, thousands of them, that live long and exchange a line again
 * and again.
 *
 *	conns serve NAME ADDR PORT
 *
 * answers each line with NAME; between SIGUSR1 and SIGUSR2 with "NAME close",
 * after which it ends the connection. Says "ready" when it listens.
 *
 *	conns hold ADDR PORT COUNT INTERVAL [SOURCE...]
 *
 * holds COUNT connections, from the source addresses in turn, and exchanges a
 * line over each every INTERVAL milliseconds. One that ends as announced is
 * opened again, as is one that is reset; only the latter is a loss. Says
 * "ready" when all have exchanged a line, then reads commands:
 *
 *	round	exchange a line over all, then print the totals
 *	names	print "NAME CONNECTIONS" of each server, in one line
 *
 * and at the end of its input, or on SIGINT, makes a last round. The totals are
 * "connections N exchanges N resets N moved N reconnected N", where moved are
 * connections that another server answered than the one that did at first.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define STALL		10000	/* ms until silence is a loss */
#define NAME_LEN	16
#define EVENTS		256
#define SHOWN		10	/* losses that are told one by one */

union address {
	struct sockaddr any;
	struct sockaddr_in in4;
	struct sockaddr_in6 in6;
};

enum state {
	CLOSED,
	CONNECTING,
	IDLE,
	WAITING,
};

/* A connection; a server's has its descriptor and its announcement only */
struct conn {
	int fd;
	bool told;		/* its end has been announced */
	enum state state;
	unsigned int round;	/* of the last request */
	unsigned int counted;	/* the last round that it has done */
	unsigned int exchanges;
	long since;		/* when it came into its state */
	size_t len;
	char name[NAME_LEN];	/* who answered at first */
	char line[2 * NAME_LEN];
};

static int epfd, sigfd;
static union address target, *sources;
static struct conn *conns;
static unsigned int count, nsources, interval;
static unsigned int round_no = 1, done;
static unsigned long exchanges, resets, moved, reconnected;
static bool in_round = true, last_round;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static union address parse_address(const char *text, int port)
{
	union address a = {};

	if (inet_pton(AF_INET, text, &a.in4.sin_addr) == 1) {
		a.any.sa_family = AF_INET;
		a.in4.sin_port = htons(port);
	} else if (inet_pton(AF_INET6, text, &a.in6.sin6_addr) == 1) {
		a.any.sa_family = AF_INET6;
		a.in6.sin6_port = htons(port);
	} else {
		fprintf(stderr, "conns: no address: %s\n", text);
		exit(1);
	}
	return a;
}

static void watch(int op, int fd, unsigned int events, void *data)
{
	struct epoll_event ev = {
		.events = events,
		.data.ptr = data,
	};

	/* a file cannot be waited for, and is no source of commands */
	if (epoll_ctl(epfd, op, fd, &ev) && errno != EPERM)
		die("epoll_ctl");
}

static void set_up(void)
{
	struct rlimit files = { 65536, 65536 };
	sigset_t set;

	setrlimit(RLIMIT_NOFILE, &files);
	setvbuf(stdout, NULL, _IOLBF, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	epfd = epoll_create1(0);
	sigfd = signalfd(-1, &set, SFD_NONBLOCK);
	if (epfd < 0 || sigfd < 0)
		die("epoll, signalfd");
	watch(EPOLL_CTL_ADD, sigfd, EPOLLIN, &sigfd);
}

static int next_signal(void)
{
	struct signalfd_siginfo info;

	if (read(sigfd, &info, sizeof(info)) != sizeof(info))
		return 0;
	return info.ssi_signo;
}

/* The server */

static int listen_on(const char *addr, const char *port)
{
	union address a = parse_address(addr, atoi(port));
	int fd, on = 1;

	fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK, 0);
	if (fd < 0)
		die("socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, &a.any, sizeof(a)) || listen(fd, 4096))
		die("listen");
	return fd;
}

static void accept_all(int listener)
{
	struct conn *c;
	int fd, on = 1;

	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		c = calloc(1, sizeof(*c));
		if (!c)
			die("calloc");
		c->fd = fd;
		watch(EPOLL_CTL_ADD, fd, EPOLLIN, c);
	}
}

static void answer(struct conn *c, const char *name, bool finish)
{
	char text[2 * NAME_LEN], data[512];
	ssize_t n, i;
	int len;

	n = read(c->fd, data, sizeof(data));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		close(c->fd);
		free(c);
		return;
	}
	len = snprintf(text, sizeof(text), "%s%s\n", name,
		       finish ? " close" : "");
	for (i = 0; i < n && !c->told; i++) {
		if (data[i] != '\n')
			continue;
		if (send(c->fd, text, len, MSG_NOSIGNAL) != len)
			fprintf(stderr, "%s: %m\n", name);
		if (finish)
			shutdown(c->fd, SHUT_WR);
		c->told = finish;
	}
}

static int serve(const char *name, const char *addr, const char *port)
{
	struct epoll_event events[EVENTS];
	bool finish = false;
	int listener, n, i;

	if (strlen(name) >= NAME_LEN)
		return 1;
	listener = listen_on(addr, port);
	watch(EPOLL_CTL_ADD, listener, EPOLLIN, &listener);
	puts("ready");
	for (;;) {
		n = epoll_wait(epfd, events, EVENTS, -1);
		for (i = 0; i < n; i++) {
			if (events[i].data.ptr == &listener) {
				accept_all(listener);
			} else if (events[i].data.ptr == &sigfd) {
				switch (next_signal()) {
				case SIGUSR1:
					finish = true;
					break;
				case SIGUSR2:
					finish = false;
					break;
				case SIGINT:
					return 0;
				}
			} else {
				answer(events[i].data.ptr, name, finish);
			}
		}
	}
}

/* The client */

static void set_state(struct conn *c, enum state state)
{
	c->state = state;
	c->since = now();
}

static void lost(struct conn *c, const char *why)
{
	struct linger reset = { 1, 0 };

	if (resets++ < SHOWN)
		fprintf(stderr, "connection %zu, of %s, %u exchanges: %s\n",
			c - conns, *c->name ? c->name : "nobody", c->exchanges,
			why);
	if (c->fd >= 0) {
		setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
		close(c->fd);
	}
	set_state(c, CLOSED);
}

static void open_conn(struct conn *c)
{
	union address *source = NULL;
	int on = 1;

	*c = (struct conn){ .counted = c->counted };
	set_state(c, CONNECTING);
	c->fd = socket(target.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK, 0);
	if (c->fd < 0)
		die("socket");
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (nsources)
		source = &sources[(c - conns) % nsources];
	if (source) {
		/* so that a port counts as taken for one destination only */
		setsockopt(c->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on,
			   sizeof(on));
		if (bind(c->fd, &source->any, sizeof(*source)))
			die("bind");
	}
	if (connect(c->fd, &target.any, sizeof(target)) &&
	    errno != EINPROGRESS) {
		lost(c, strerror(errno));
		return;
	}
	watch(EPOLL_CTL_ADD, c->fd, EPOLLOUT, c);
}

static void ask(struct conn *c)
{
	c->round = round_no;
	set_state(c, WAITING);
	if (send(c->fd, "x\n", 2, MSG_NOSIGNAL) != 2)
		lost(c, strerror(errno));
}

static void connected(struct conn *c)
{
	socklen_t len = sizeof(int);
	int err = 0;

	getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &err, &len);
	if (err) {
		lost(c, strerror(err));
		return;
	}
	watch(EPOLL_CTL_MOD, c->fd, EPOLLIN, c);
	ask(c);
}

/* A connection's turn comes every so many milliseconds */
static void turn(struct conn *c)
{
	if (c->state == CLOSED)
		open_conn(c);
	else if (c->state == IDLE && !c->told)
		ask(c);
	else if (now() - c->since > STALL)
		lost(c, "no answer");
}

static void answered(struct conn *c)
{
	char *end = strchr(c->line, ' ');

	c->told = end && !strcmp(end, " close");
	if (end)
		*end = '\0';
	if (!*c->name)
		snprintf(c->name, sizeof(c->name), "%.*s", NAME_LEN - 1,
			 c->line);
	else if (strcmp(c->name, c->line))
		moved++;
	exchanges++;
	c->exchanges++;
	if (c->round == round_no && c->counted != round_no) {
		c->counted = round_no;
		done++;
	}
	set_state(c, IDLE);
	c->len = 0;
}

static void receive(struct conn *c)
{
	char *end;
	ssize_t n;

	n = read(c->fd, c->line + c->len, sizeof(c->line) - 1 - c->len);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		lost(c, strerror(errno));
		return;
	}
	if (!n) {
		if (!c->told) {
			lost(c, "ended without notice");
			return;
		}
		close(c->fd);
		reconnected++;
		open_conn(c);
		return;
	}
	c->len += n;
	c->line[c->len] = '\0';
	end = strchr(c->line, '\n');
	if (!end && c->len < sizeof(c->line) - 1)
		return;
	if (!end || end[1]) {
		lost(c, "not an answer to one request");
		return;
	}
	*end = '\0';
	answered(c);
}

static void print_totals(void)
{
	printf("connections %u exchanges %lu resets %lu moved %lu reconnected %lu\n",
	       count, exchanges, resets, moved, reconnected);
}

static void print_names(void)
{
	unsigned int i, j, n;

	for (i = 0; i < count; i++) {
		for (j = 0; j < i; j++) {
			if (!strcmp(conns[i].name, conns[j].name))
				break;
		}
		if (j < i)
			continue;
		for (n = 0; j < count; j++)
			n += !strcmp(conns[i].name, conns[j].name);
		printf("%s%s %u", i ? " " : "",
		       *conns[i].name ? conns[i].name : "-", n);
	}
	puts("");
}

static void start_round(bool last)
{
	round_no++;
	done = 0;
	in_round = true;
	last_round |= last;
}

/* Return: false when there are no more to come */
static bool commands(void)
{
	static char text[256];
	static size_t len;
	char *end;
	ssize_t n;

	n = read(STDIN_FILENO, text + len, sizeof(text) - 1 - len);
	if (n <= 0)
		return false;
	len += n;
	text[len] = '\0';
	while ((end = strchr(text, '\n'))) {
		*end++ = '\0';
		if (!strcmp(text, "round"))
			start_round(false);
		else if (!strcmp(text, "names"))
			print_names();
		else
			fprintf(stderr, "conns: what is %s?\n", text);
		len -= end - text;
		memmove(text, end, len + 1);
	}
	return true;
}

static void handle(struct epoll_event *ev)
{
	struct conn *c = ev->data.ptr;

	if (ev->data.ptr == &sigfd) {
		if (next_signal() == SIGINT)
			start_round(true);
	} else if (!c) {
		if (commands())
			return;
		epoll_ctl(epfd, EPOLL_CTL_DEL, STDIN_FILENO, NULL);
		start_round(true);
	} else if (c->state == CONNECTING) {
		connected(c);
	} else if (c->state != CLOSED) {
		receive(c);
	}
}

static void end_round(void)
{
	in_round = false;
	if (round_no == 1) {
		puts("ready");
		return;
	}
	print_totals();
	if (last_round)
		exit(0);
}

static void hold(void)
{
	struct epoll_event events[EVENTS];
	unsigned long turns = 0, due;
	long start = now();
	int n, i;

	conns = calloc(count, sizeof(*conns));
	if (!conns)
		die("calloc");
	watch(EPOLL_CTL_ADD, STDIN_FILENO, EPOLLIN, NULL);
	for (;;) {
		n = epoll_wait(epfd, events, EVENTS, 2);
		for (i = 0; i < n; i++)
			handle(&events[i]);
		/* spread over the interval, and never more than one each */
		due = (now() - start) * count / interval + 1;
		if (due - turns > count)
			turns = due - count;
		while (turns < due)
			turn(&conns[turns++ % count]);
		if (in_round && done == count)
			end_round();
	}
}

int main(int argc, char **argv)
{
	int i;

	set_up();
	if (argc == 5 && !strcmp(argv[1], "serve"))
		return serve(argv[2], argv[3], argv[4]);
	if (argc < 6 || strcmp(argv[1], "hold")) {
		fprintf(stderr, "usage: conns serve NAME ADDR PORT\n"
			"       conns hold ADDR PORT COUNT INTERVAL [SOURCE...]\n");
		return 1;
	}
	target = parse_address(argv[2], atoi(argv[3]));
	count = atoi(argv[4]);
	interval = atoi(argv[5]);
	nsources = argc - 6;
	sources = calloc(nsources + 1, sizeof(*sources));
	if (!sources || !count || !interval)
		return 1;
	for (i = 0; i < (int)nsources; i++)
		sources[i] = parse_address(argv[6 + i], 0);
	hold();
	return 0;
}
