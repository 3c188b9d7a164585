// SPDX-License-Identifier: GPL-2.0
/* Batches, save, restore and monitor. */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/flowring.h>

#include "fake.h"
#include "golden.h"
#include "ktap.h"

#define MANY	20000

/* Put text into a file and run a command with it; %s in fmt is its path */
static int run_file(struct fake *f, const char *fmt, const char *text,
		    size_t len, char *err, size_t size)
{
	char path[] = "/tmp/flowring-batch-XXXXXX";
	int fd = mkstemp(path);
	char line[96];
	char *p;
	int ret;

	if (!KT_TRUE(fd >= 0) || !KT_TRUE(write(fd, text, len) == (ssize_t)len))
		return -1;
	close(fd);

	if (fmt) {
		snprintf(line, sizeof(line), fmt, path);
		ret = mock_run(&f->m, line);
	} else {
		mock_capture(&f->m);
		ret = fr_batch(&f->m.ctx, path);
		mock_captured(&f->m);
	}
	unlink(path);

	/* The path differs from run to run: call it FILE */
	snprintf(err, size, "%s", f->m.err);
	while ((p = strstr(err, path))) {
		memcpy(p, "FILE", 4);
		memmove(p + 4, p + strlen(path), strlen(p + strlen(path)) + 1);
	}
	return ret;
}

static int batch(struct fake *f, const char *text, char *err, size_t size)
{
	return run_file(f, NULL, text, strlen(text), err, size);
}

static int restore(struct fake *f, const char *text, char *err, size_t size)
{
	return run_file(f, "restore %s", text, strlen(text), err, size);
}

static void lines(void)
{
	struct fake f;
	char err[512];

	fake_init(&f);
	KT_INT(0, batch(&f,
			"# a comment\n"
			"\n"
			"  \t \n"
			"ring add web # and one behind\n"
			"\t ring  add\tdns bits 9\r\n"
			"   # another\n"
			"ring add a#b\n"
			"ring add last", err, sizeof(err)));
	KT_STR("", err);
	KT_INT(4, f.n);
	KT_TRUE(fake_find(&f, &fr_set_ring, "a#b"));
	KT_TRUE(fake_find(&f, &fr_set_ring, "last"));
	KT_INT(1, f.m.opens);
	KT_INT(1, f.m.resolves);
	KT_INT(0, batch(&f, "", err, sizeof(err)));
	KT_STR("", err);
	fake_fini(&f);
}

static void stops_at_error(void)
{
	struct fake f;
	char err[512];

	fake_init(&f);
	KT_INT(2, batch(&f, "ring add a\n\nring del b\nring add c\n",
			err, sizeof(err)));
	KT_STR("flowring: ring b: no such ring\nCommand failed FILE:3\n", err);
	KT_INT(1, f.n);
	KT_INT(1, batch(&f, "#\nring add b\nring ad c\nring add d\n",
			err, sizeof(err)));
	KT_STR("flowring: ring: unknown command 'ad'; see flowring ring help\nCommand failed FILE:3\n",
	       err);
	KT_INT(2, f.n);
	fake_fini(&f);
}

static void force(void)
{
	struct fake f;
	char err[512];

	fake_init(&f);
	f.m.ctx.force = true;
	KT_INT(2, batch(&f, "ring add a\nring del b\nring ad c\nring add d\n",
			err, sizeof(err)));
	KT_STR("flowring: ring b: no such ring\nCommand failed FILE:2\n"
	       "flowring: ring: unknown command 'ad'; see flowring ring help\nCommand failed FILE:3\n",
	       err);
	KT_INT(2, f.n);
	fake_fini(&f);
}

static void odd_lines(void)
{
	static const char zero[] = "ring add a\nring add b\0c\nring add d\n";
	char text[512] = "ring add";
	struct fake f;
	char err[512];
	int i;

	fake_init(&f);
	KT_INT(1, run_file(&f, NULL, zero, sizeof(zero) - 1, err,
			   sizeof(err)));
	KT_STR("flowring: zero byte in the line\nCommand failed FILE:2\n",
	       err);
	KT_INT(1, f.n);

	for (i = 0; i < 63; i++)
		strcat(text, " x");
	KT_INT(1, batch(&f, text, err, sizeof(err)));
	KT_STR("flowring: more than 64 words\nCommand failed FILE:1\n", err);

	KT_INT(1, batch(&f, "monitor\n", err, sizeof(err)));
	KT_STR("flowring: monitor: cannot be used in a batch; see flowring monitor help\nCommand failed FILE:1\n",
	       err);
	KT_INT(1, batch(&f, "restore x\n", err, sizeof(err)));
	KT_STR("flowring: restore: cannot be used in a batch; see flowring restore help\nCommand failed FILE:1\n",
	       err);
	KT_INT(1, mock_run(&f.m, "restore /nonexistent/file"));
	KT_STR("flowring: /nonexistent/file: No such file or directory\n",
	       f.m.err);
	KT_INT(1, mock_run(&f.m, "restore /"));
	KT_STR("flowring: /: Is a directory\n", f.m.err);
	mock_capture(&f.m);
	KT_INT(1, fr_batch(&f.m.ctx, "/"));
	mock_captured(&f.m);
	KT_STR("flowring: /: Is a directory\n", f.m.err);
	fake_fini(&f);
}

/* The fake kernel looks through all its objects: one object is enough */
static void many_handler(struct mock *m, const struct nlmsghdr *req)
{
	(void)req;
	mock_ack(m, 0, NULL);
}

static void many_lines(void)
{
	char *text = NULL;
	struct fake f;
	char err[512];
	size_t size;
	FILE *out;
	int i;

	fake_init(&f);
	f.m.handler = many_handler;
	out = open_memstream(&text, &size);
	for (i = 0; i < MANY; i++)
		fprintf(out, "service add tcp 192.0.2.1 port %d ring web\n",
			i + 1);
	fclose(out);
	KT_INT(0, batch(&f, text, err, sizeof(err)));
	KT_STR("", err);
	KT_INT(MANY, f.m.requests);
	KT_INT(1, f.m.opens);
	KT_INT(1, f.m.resolves);
	KT_INT(0, restore(&f, text, err, sizeof(err)));
	KT_INT(2 * MANY, f.m.requests);
	KT_INT(1, f.m.resolves);
	free(text);
	fake_fini(&f);
}

static void restore_checks_first(void)
{
	struct fake f;
	char err[512];

	fake_init(&f);
	KT_INT(1, restore(&f, "ring add a\nring show\nring add b bits\n",
			  err, sizeof(err)));
	KT_STR("flowring: ring add: missing the value of bits; see flowring ring help\nCommand failed FILE:3\n",
	       err);
	KT_INT(0, f.n);
	KT_INT(0, f.m.requests);
	KT_STR("", f.m.out);

	KT_INT(2, restore(&f, "ring add a\nring add a\nring add b\n",
			  err, sizeof(err)));
	KT_STR("flowring: ring a: ring exists\nCommand failed FILE:2\n", err);
	KT_INT(1, f.n);

	KT_INT(0, restore(&f, "", err, sizeof(err)));
	KT_STR("", err);
	f.m.ctx.force = true;
	KT_INT(1, restore(&f, "ring add c\nring add d bits\nring add e\n",
			  err, sizeof(err)));
	KT_INT(3, f.n);
	fake_fini(&f);
}

static const char config[] =
"ring add web vnodes 100 key 000102030405060708090a0b0c0d0eff masquerade on\n"
"ring add dns bits 8 no-backend drop window 86400 pin-idle 1 udp move\n"
"ring add Web no-backend pass imbalance off owner team-a window off\n"
"backend add web b2 addr 10.0.0.2 port 8080 weight 0 state drain\n"
"backend add dns ns addr 2001:0DB8::0053 mode dr weight 10000\n"
"backend add web b10 addr 10.0.0.10 state down zone rack1 tokens ff,0x0\n"
"backend add web b1 addr 10.0.0.1 port 80\n"
"service add udp 2001:db8::1 port 53 ring dns\n"
"service add tcp 2001:db8::1 port 53 ring dns\n"
"service add tcp 198.51.100.10 port 443 ring web owner team-a\n"
"service add tcp 198.51.100.10 port 80 ring web\n"
"ring add any bits 8\n"
"backend add any g1 addr 2001:db8::7 mode gue checksum off\n"
"backend add any i1 addr 10.0.0.8 mode ipip\n"
"backend add any m1 mark 16 mode mark\n";

static void save_and_restore(void)
{
	struct fake f, g;
	char *first;
	char err[512];

	fake_init(&f);
	KT_INT(0, batch(&f, config, err, sizeof(err)));
	KT_INT(0, mock_run(&f.m, "save commands"));
	KT_STR("", f.m.err);
	golden("save.txt", f.m.out);
	first = strdup(f.m.out);
	fake_fini(&f);

	fake_init(&g);
	KT_INT(0, restore(&g, first, err, sizeof(err)));
	KT_STR("", err);
	KT_INT(0, mock_run(&g.m, "save commands"));
	KT_STR(first, g.m.out);
	fake_fini(&g);
	free(first);
}

static void save_nothing(void)
{
	struct fake f;

	fake_init(&f);
	KT_INT(0, mock_run(&f.m, "save commands"));
	KT_STR("", f.m.out);
	KT_STR("", f.m.err);
	fake_fini(&f);
}

static void save_without_keys(void)
{
	struct fake f;
	char err[512];

	fake_init(&f);
	KT_INT(0, batch(&f, config, err, sizeof(err)));
	f.hide_keys = true;
	KT_INT(2, mock_run(&f.m, "save commands"));
	KT_STR("", f.m.out);
	KT_STR("flowring: save: ring Web: the kernel does not show its key: needs CAP_NET_ADMIN in the initial user namespace\n",
	       f.m.err);
	fake_fini(&f);
}

static void save_odd_names(void)
{
	struct fake_obj *obj;
	struct fake f;
	char err[512];

	fake_init(&f);
	KT_INT(0, batch(&f, config, err, sizeof(err)));
	obj = fake_find(&f, &fr_set_backend, "b1");
	strcpy(obj->val[FLOWRING_A_BACKEND_NAME].buf, "b\n1");
	obj->val[FLOWRING_A_BACKEND_NAME].len = 4;
	KT_INT(1, mock_run(&f.m, "save commands"));
	KT_STR("", f.m.out);
	KT_STR("flowring: save: backend b\\x0a1: a name can only contain visible ASCII\n",
	       f.m.err);
	fake_fini(&f);
}

static void save_during_changes(void)
{
	struct fake f;
	char err[512];

	fake_init(&f);
	KT_INT(0, batch(&f, config, err, sizeof(err)));
	f.restless = true;
	KT_INT(2, mock_run(&f.m, "save commands"));
	KT_STR("", f.m.out);
	KT_STR("flowring: save: changes interrupted it 10 times: try again\n",
	       f.m.err);
	fake_fini(&f);
}

/* One event with what the fake kernel has under that name */
static void put_event(struct fake *f, const struct fake_obj *obj, uint8_t cmd)
{
	struct nlmsghdr *nlh;
	uint16_t i;

	f->m.seq = 0;
	nlh = mock_put_genl(&f->m, cmd, 0);
	for (i = 1; i <= obj->set->max; i++) {
		if (obj->val[i].set &&
		    (obj->set != &fr_set_ring || i != FLOWRING_A_RING_KEY))
			mnl_attr_put(nlh, i, obj->val[i].len, obj->val[i].buf);
	}
	mock_end(&f->m, nlh);
	mock_flush(&f->m);
}

static void put_events(struct fake *f)
{
	struct fake_obj *obj;
	size_t i;

	for (i = 0; i < f->n; i++) {
		obj = &f->objs[i];
		if (obj->set == &fr_set_ring) {
			put_event(f, obj, FLOWRING_CMD_RING_NEW_NTF);
			put_event(f, obj, FLOWRING_CMD_RING_SET_NTF);
			put_event(f, obj, FLOWRING_CMD_RING_DEL_NTF);
		} else if (obj->set == &fr_set_service) {
			put_event(f, obj, FLOWRING_CMD_SERVICE_NEW_NTF);
			put_event(f, obj, FLOWRING_CMD_SERVICE_SET_NTF);
			put_event(f, obj, FLOWRING_CMD_SERVICE_DEL_NTF);
		}
	}
	obj = fake_find(f, &fr_set_backend, "ns");
	put_event(f, obj, FLOWRING_CMD_BACKEND_NEW_NTF);
	put_event(f, obj, FLOWRING_CMD_BACKEND_SET_NTF);
	put_event(f, obj, FLOWRING_CMD_BACKEND_DEL_NTF);
	obj = fake_find(f, &fr_set_backend, "g1");
	put_event(f, obj, FLOWRING_CMD_BACKEND_NEW_NTF);
	put_event(f, obj, FLOWRING_CMD_BACKEND_SET_NTF);
	obj = fake_find(f, &fr_set_backend, "m1");
	put_event(f, obj, FLOWRING_CMD_BACKEND_NEW_NTF);
	put_event(f, obj, FLOWRING_CMD_BACKEND_SET_NTF);
	put_event(f, obj, FLOWRING_CMD_BACKEND_DEL_NTF);
	/* Not an event, or not one of this version */
	put_event(f, obj, FLOWRING_CMD_BACKEND_GET);
	put_event(f, obj, 200);
}

/* The group is joined only after the family was resolved, which a command
 * before does, so that the events are behind its answer in the queue.
 */
static void monitor_events(void)
{
	struct fake f;
	char err[512];

	fake_init(&f);
	KT_INT(0, batch(&f, config, err, sizeof(err)));
	put_events(&f);
	KT_INT(0, mock_run(&f.m, "monitor"));
	KT_INT(MOCK_GROUP, f.m.joined);
	KT_STR("", f.m.err);
	golden("monitor.txt", f.m.out);

	put_events(&f);
	f.m.ctx.json = true;
	f.m.ctx.pretty = true;
	KT_INT(0, mock_run(&f.m, "monitor"));
	golden("monitor.json", f.m.out);
	fake_fini(&f);
}

static void monitor_lost_events(void)
{
	struct fake f;
	char err[512];

	fake_init(&f);
	KT_INT(0, batch(&f, "ring add web\n", err, sizeof(err)));
	put_event(&f, &f.objs[0], FLOWRING_CMD_RING_SET_NTF);
	mock_fail(&f.m, ENOBUFS);
	put_event(&f, &f.objs[0], FLOWRING_CMD_RING_DEL_NTF);
	KT_INT(0, mock_run(&f.m, "monitor"));
	KT_STR("ring set web bits 16 vnodes 512 imbalance 5 no-backend reject masquerade off window 300 pin-idle 900 udp stick\n"
	       "ring del web\n", f.m.out);
	KT_STR("flowring: monitor: events were lost: they came faster than they were read\n",
	       f.m.err);
	mock_fail(&f.m, EIO);
	KT_INT(1, mock_run(&f.m, "monitor"));
	fake_fini(&f);
}

/* It ends with status 0, and the signal does not come back when it is over */
static void monitor_signals(void)
{
	struct fake f;
	char err[512];

	fake_init(&f);
	KT_INT(0, batch(&f, "ring add web\n", err, sizeof(err)));
	put_event(&f, &f.objs[0], FLOWRING_CMD_RING_SET_NTF);
	f.m.raise = SIGTERM;
	KT_INT(0, mock_run(&f.m, "monitor"));
	KT_STR("", f.m.err);
	f.m.raise = SIGINT;
	KT_INT(0, mock_run(&f.m, "monitor"));
	KT_STR("", f.m.err);
	fake_fini(&f);
}

static const struct kt_case cases[] = {
	{ "lines", lines },
	{ "stops_at_error", stops_at_error },
	{ "force", force },
	{ "odd_lines", odd_lines },
	{ "many_lines", many_lines },
	{ "restore_checks_first", restore_checks_first },
	{ "save_and_restore", save_and_restore },
	{ "save_nothing", save_nothing },
	{ "save_without_keys", save_without_keys },
	{ "save_odd_names", save_odd_names },
	{ "save_during_changes", save_during_changes },
	{ "monitor_events", monitor_events },
	{ "monitor_lost_events", monitor_lost_events },
	{ "monitor_signals", monitor_signals },
};

KT_MAIN(cases)
