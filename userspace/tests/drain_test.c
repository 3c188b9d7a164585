// SPDX-License-Identifier: GPL-2.0
/* Draining of backends, what they still have, and their deletion. The clock is
 * that of the mock: nothing here takes time.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>

#include "ktap.h"
#include "mock.h"

/* Progress on a terminal, and the room that is made behind it */
#define ON_TTY(_text)	"\r" _text "\033[K"
#define OFF_TTY		"\r\033[K"

/* What one look at the backend finds; the last one stays */
struct look {
	uint32_t slots;
	uint32_t remembered;
	uint32_t pins;
	uint32_t flows;
	uint32_t done_in;
};

struct world {
	struct mock m;
	uint32_t state;
	const struct look *looks;
	unsigned int n;
	/* Looks that were taken, and requests to set the state */
	unsigned int looked;
	unsigned int sets;
	/* The progress is for nobody, and was asked for so often */
	bool denied;
	unsigned int denials;
	/* From that look on, it is gone, or up again */
	unsigned int gone;
	unsigned int up;
	/* Refusal of any change */
	const char *busy;
	/* When the looks were, in milliseconds */
	uint64_t at[64];
};

static void put_nonzero(struct nlmsghdr *nlh, uint16_t type, uint32_t val)
{
	if (val)
		mnl_attr_put_u32(nlh, type, val);
}

static void put_backend(struct world *w, bool progress, uint16_t flags)
{
	unsigned int i = w->looked < w->n ? w->looked : w->n - 1;
	static const unsigned char addr[4] = { 10, 0, 0, 1 };
	const struct look *look = &w->looks[i];
	struct nlmsghdr *nlh;

	nlh = mock_put_genl(&w->m, FLOWRING_CMD_BACKEND_GET, flags);
	mnl_attr_put_strz(nlh, FLOWRING_A_BACKEND_RING, "web");
	mnl_attr_put_strz(nlh, FLOWRING_A_BACKEND_NAME, "b1");
	mnl_attr_put(nlh, FLOWRING_A_BACKEND_ADDR, 4, addr);
	mnl_attr_put_u32(nlh, FLOWRING_A_BACKEND_WEIGHT, 100);
	mnl_attr_put_u32(nlh, FLOWRING_A_BACKEND_MODE, FLOWRING_MODE_DR);
	mnl_attr_put_u32(nlh, FLOWRING_A_BACKEND_STATE, w->state);
	mnl_attr_put_u32(nlh, FLOWRING_A_BACKEND_TOKENS, 0);
	mnl_attr_put_u32(nlh, FLOWRING_A_BACKEND_SLOTS, look->slots);
	if (progress) {
		put_nonzero(nlh, FLOWRING_A_BACKEND_REMEMBERED,
			    look->remembered);
		put_nonzero(nlh, FLOWRING_A_BACKEND_PINS, look->pins);
		put_nonzero(nlh, FLOWRING_A_BACKEND_FLOWS, look->flows);
		put_nonzero(nlh, FLOWRING_A_BACKEND_DONE_IN, look->done_in);
	}
	mock_end(&w->m, nlh);
	mock_flush(&w->m);
}

static void answer_get(struct world *w, const struct nlmsghdr *req)
{
	bool progress = mock_attr(req, FLOWRING_A_BACKEND_PROGRESS);
	bool dump = req->nlmsg_flags & NLM_F_DUMP;

	if (progress && w->denied) {
		w->denials++;
		mock_ack(&w->m, -EPERM, NULL);
		return;
	}
	if (w->gone && progress && w->looked >= w->gone) {
		mock_ack(&w->m, -ENOENT, "no such backend");
		return;
	}
	if (w->up && progress && w->looked >= w->up)
		w->state = FLOWRING_STATE_UP;
	put_backend(w, progress, dump ? NLM_F_MULTI : 0);
	if (progress && w->looked < FR_ARRAY_SIZE(w->at))
		w->at[w->looked] = w->m.now;
	w->looked += progress;
	if (dump)
		mock_done(&w->m, 0, 0);
	else
		mock_ack(&w->m, 0, NULL);
}

static void handler(struct mock *m, const struct nlmsghdr *req)
{
	struct world *w = (struct world *)m;

	switch (mock_cmd(req)) {
	case FLOWRING_CMD_BACKEND_GET:
		answer_get(w, req);
		return;
	case FLOWRING_CMD_RING_GET:
		mock_done(m, 0, 0);
		return;
	case FLOWRING_CMD_BACKEND_SET:
		w->sets++;
		KT_INT(FLOWRING_STATE_DRAIN,
		       mnl_attr_get_u32(mock_attr(req,
						  FLOWRING_A_BACKEND_STATE)));
		KT_TRUE(!mock_attr(req, FLOWRING_A_BACKEND_WEIGHT));
		fallthrough;
	case FLOWRING_CMD_BACKEND_DEL:
		if (w->busy) {
			mock_ack(m, -EBUSY, w->busy);
			return;
		}
		w->state = FLOWRING_STATE_DRAIN;
		mock_ack(m, 0, NULL);
		return;
	}
	KT_TRUE(!"a request of another kind");
	mock_ack(m, -EINVAL, NULL);
}

static void setup(struct world *w, const struct look *looks, unsigned int n)
{
	memset(w, 0, sizeof(*w));
	mock_init(&w->m, handler);
	w->looks = looks;
	w->n = n;
}

#define SETUP(_w, _looks)	setup(_w, _looks, FR_ARRAY_SIZE(_looks))

static void run(struct world *w, int status, const char *line, const char *out,
		const char *err)
{
	w->looked = 0;
	KT_INT(status, mock_run(&w->m, line));
	KT_STR(out, w->m.out);
	KT_STR(err, w->m.err);
}

static const struct look shrinking[] = {
	{ 0, 1234, 321, 0, 270000 },
	{ 0, 1234, 320, 0, 269500 },
	{ 0, 1234, 1, 0, 3599001 },
	{ 0, 1, 1, 0, 3661000 },
	{ 0, 0, 0, 2, 400 },
	{ 0, 0, 0, 0, 0 },
};

static void without_wait(void)
{
	struct world w;

	SETUP(&w, shrinking);
	run(&w, 0, "backend drain web b1", "", "");
	KT_INT(1, w.sets);
	KT_INT(0, w.looked);
	/* It is drained already, so that nothing is changed */
	run(&w, 0, "backend drain web b1", "", "");
	KT_INT(1, w.sets);
	w.state = FLOWRING_STATE_DOWN;
	run(&w, 0, "backend drain web b1", "", "");
	KT_INT(2, w.sets);
	KT_INT(0, w.m.naps);
	mock_fini(&w.m);
}

/* The second look is too soon after the first for a line of its own */
static void waits(void)
{
	struct world w;

	SETUP(&w, shrinking);
	run(&w, 0, "backend drain web b1 wait", "backend web b1: drained\n",
	    "web b1: 1234 slots remembered, 321 pins, done in at most 4m30s\n"
	    "web b1: 1234 slots remembered, 1 pin, done in at most 1h00m00s\n"
	    "web b1: 1 slot remembered, 1 pin, done in at most 1h01m01s\n"
	    "web b1: 2 flows, done in at most 1s\n");
	KT_INT(1, w.sets);
	KT_INT(6, w.looked);
	/* Half a second, then longer and longer, but never above two */
	KT_INT(0, w.at[0]);
	KT_INT(500, w.at[1]);
	KT_INT(1250, w.at[2]);
	KT_INT(2375, w.at[3]);
	KT_INT(4062, w.at[4]);
	KT_INT(6062, w.at[5]);
	mock_fini(&w.m);
}

static void waits_no_more(void)
{
	static const struct look nothing[] = { {} };
	struct world w;

	SETUP(&w, nothing);
	w.state = FLOWRING_STATE_DRAIN;
	run(&w, 0, "backend drain web b1 --wait --timeout 0",
	    "backend web b1: drained\n", "");
	KT_INT(0, w.sets);
	KT_INT(0, w.m.naps);
	mock_fini(&w.m);
}

/* Slots alone keep it from being done */
static void owns_slots(void)
{
	static const struct look slots[] = { { 12, 0, 0, 0, 0 }, {} };
	struct world w;

	SETUP(&w, slots);
	run(&w, 0, "backend drain web b1 wait", "backend web b1: drained\n",
	    "web b1: 12 slots\n");
	mock_fini(&w.m);
}

static void terminal(void)
{
	struct world w;

	SETUP(&w, shrinking);
	w.m.ctx.tty = true;
	run(&w, 0, "backend drain web b1 wait", "backend web b1: drained\n",
	    ON_TTY("web b1: 1234 slots remembered, 321 pins, done in at most 4m30s")
	    ON_TTY("web b1: 1234 slots remembered, 320 pins, done in at most 4m30s")
	    ON_TTY("web b1: 1234 slots remembered, 1 pin, done in at most 1h00m00s")
	    ON_TTY("web b1: 1 slot remembered, 1 pin, done in at most 1h01m01s")
	    ON_TTY("web b1: 2 flows, done in at most 1s")
	    OFF_TTY);
	mock_fini(&w.m);
}

static void timeouts(void)
{
	static const struct look pins[] = { { 0, 0, 321, 0, 0 } };
	static const struct look all[] = { { 4, 3, 2, 1, 0 } };
	struct world w;

	SETUP(&w, pins);
	run(&w, 1, "backend drain web b1 --wait --timeout 30", "",
	    "web b1: 321 pins\n"
	    "flowring: backend web b1: not drained after 30 s: 321 pins left\n");
	KT_INT(30000, w.m.now);
	/* The last look is at the very end */
	KT_INT(30000, w.at[w.looked - 1]);
	w.m.now = 0;
	w.looks = all;
	w.m.ctx.tty = true;
	run(&w, 1, "backend drain web b1 timeout 1 wait", "",
	    ON_TTY("web b1: 4 slots, 3 slots remembered, 2 pins, 1 flow")
	    ON_TTY("web b1: 4 slots, 3 slots remembered, 2 pins, 1 flow")
	    OFF_TTY
	    "flowring: backend web b1: not drained after 1 s: 4 slots, 3 slots remembered, 2 pins, 1 flow left\n");
	KT_INT(1000, w.m.now);
	mock_fini(&w.m);
}

static void json(void)
{
	static const struct look pins[] = { { 0, 5, 321, 0, 0 } };
	struct world w;

	SETUP(&w, shrinking);
	w.m.ctx.json = true;
	KT_INT(0, mock_run(&w.m, "backend drain web b1 wait"));
	KT_STR("{\"ring\":\"web\",\"name\":\"b1\",\"drained\":true,\"slots\":0,\"remembered\":0,\"pins\":0,\"flows\":0}\n",
	       w.m.out);
	w.looks = pins;
	w.n = 1;
	run(&w, 1, "backend drain web b1 wait timeout 0",
	    "{\"ring\":\"web\",\"name\":\"b1\",\"drained\":false,\"slots\":0,\"remembered\":5,\"pins\":321,\"flows\":0}\n",
	    "flowring: backend web b1: not drained after 0 s: 5 slots remembered, 321 pins left\n");
	mock_fini(&w.m);
}

static void refused(void)
{
	struct world w;

	SETUP(&w, shrinking);
	w.busy = "ring web is frozen";
	run(&w, 2, "backend drain web b1 wait", "",
	    "flowring: backend web b1: ring web is frozen\n");
	KT_INT(0, w.looked);
	w.busy = NULL;
	w.denied = true;
	run(&w, 2, "backend drain web b1 wait", "",
	    "flowring: backend web b1: not permitted: needs CAP_NET_ADMIN in the initial user namespace\n");
	w.denied = false;
	w.gone = 1;
	run(&w, 2, "backend drain web b1 wait", "",
	    "web b1: 1234 slots remembered, 321 pins, done in at most 4m30s\n"
	    "flowring: backend web b1: no such backend\n");
	w.m.ctx.tty = true;
	run(&w, 2, "backend drain web b1 wait", "",
	    ON_TTY("web b1: 1234 slots remembered, 321 pins, done in at most 4m30s")
	    OFF_TTY
	    "flowring: backend web b1: no such backend\n");
	w.m.ctx.tty = false;
	w.gone = 0;
	w.up = 1;
	run(&w, 1, "backend drain web b1 wait", "",
	    "web b1: 1234 slots remembered, 321 pins, done in at most 4m30s\n"
	    "flowring: backend web b1: not drained: somebody has set its state to up\n");
	mock_fini(&w.m);
}

static void wrong_words(void)
{
	static const struct {
		const char *line;
		const char *err;
	} c[] = {
		{ "backend drain web",
		  "flowring: backend drain: missing backend; see flowring backend help\n" },
		{ "backend drain web b1 --timeout 5",
		  "flowring: backend drain: timeout without wait; see flowring backend help\n" },
		{ "backend drain web b1 wait timeout",
		  "flowring: backend drain: missing the value of timeout; see flowring backend help\n" },
		{ "backend drain web b1 wait timeout 5s",
		  "flowring: timeout 5s: not a number\n" },
		{ "backend drain web b1 wait --wait",
		  "flowring: backend drain: unknown word '--wait'; see flowring backend help\n" },
		{ "backend drain web b1 --now",
		  "flowring: backend drain: unknown word '--now'; see flowring backend help\n" },
		{ "backend drain web b/1",
		  "flowring: backend b/1: a name cannot contain /\n" },
		{ "backend del web b1 --force",
		  "flowring: backend del: unknown word '--force'; see flowring backend help\n" },
		{ "backend del web b1 force force",
		  "flowring: backend del: unknown word 'force'; see flowring backend help\n" },
	};
	struct world w;
	size_t i;

	SETUP(&w, shrinking);
	for (i = 0; i < FR_ARRAY_SIZE(c); i++)
		run(&w, 1, c[i].line, "", c[i].err);
	KT_INT(0, w.m.requests);
	mock_fini(&w.m);
}

#define HEAD "backend web b1\n" \
	     "    addr 10.0.0.1 weight 100 mode dr state drain\n" \
	     "    tokens 0 slots 0\n"

static void shown(void)
{
	static const struct look look[] = { { 0, 1234, 321, 7, 270000 } };
	static const char left[] =
		"    remembered 1234 pins 321 existing-flows 7 done-in 270.000s\n";
	struct world w;

	SETUP(&w, look);
	w.state = FLOWRING_STATE_DRAIN;
	KT_INT(0, mock_run(&w.m, "backend show web b1"));
	KT_TRUE(!strncmp(w.m.out, HEAD, strlen(HEAD)));
	KT_STR(left, w.m.out + strlen(HEAD));
	/* Not without a reason: it is counted for the question */
	run(&w, 0, "backend show web", HEAD, "");
	run(&w, 0, "backend show", HEAD, "");
	KT_INT(0, w.looked);
	w.m.ctx.stats = true;
	KT_INT(0, mock_run(&w.m, "backend show"));
	KT_STR(left, w.m.out + strlen(HEAD));

	w.state = FLOWRING_STATE_UP;
	KT_INT(0, mock_run(&w.m, "backend show web b1"));
	KT_TRUE(strstr(w.m.out, left));
	w.m.ctx.stats = false;
	KT_INT(0, mock_run(&w.m, "backend show web b1"));
	KT_TRUE(!strstr(w.m.out, "remembered"));
	w.m.ctx.json = true;
	KT_INT(0, mock_run(&w.m, "backend show web b1"));
	KT_TRUE(strstr(w.m.out, "\"slots\":0,\"remembered\":1234,\"pins\":321,\"flows\":7,\"done-in\":270000}]\n"));
	mock_fini(&w.m);
}

/* Those who may not see the progress see the rest */
static void shown_to_all(void)
{
	static const struct look look[] = { { 0, 1234, 321, 7, 270000 } };
	struct world w;

	SETUP(&w, look);
	w.state = FLOWRING_STATE_DRAIN;
	w.denied = true;
	run(&w, 0, "backend show web b1", HEAD, "");
	KT_INT(1, w.denials);
	w.m.ctx.stats = true;
	run(&w, 0, "backend show web", HEAD, "");
	KT_INT(2, w.denials);
	run(&w, 0, "backend show", HEAD, "");
	KT_INT(3, w.denials);
	mock_fini(&w.m);
}

static void deleted(void)
{
	struct world w;

	SETUP(&w, shrinking);
	run(&w, 0, "backend del web b1", "", "");
	KT_TRUE(!mock_attr((void *)w.m.last, FLOWRING_A_BACKEND_FORCE));
	run(&w, 0, "backend del web b1 force", "", "");
	KT_INT(FLOWRING_CMD_BACKEND_DEL, mock_cmd((void *)w.m.last));
	KT_TRUE(mock_attr((void *)w.m.last, FLOWRING_A_BACKEND_FORCE));
	w.busy = "b1 owns 6554 of 65536 slots: drain, or force";
	run(&w, 2, "backend del web b1", "",
	    "flowring: backend web b1: b1 owns 6554 of 65536 slots: drain, or force\n");
	mock_fini(&w.m);
}

static const struct kt_case cases[] = {
	{ "without_wait", without_wait },
	{ "waits", waits },
	{ "waits_no_more", waits_no_more },
	{ "owns_slots", owns_slots },
	{ "terminal", terminal },
	{ "timeouts", timeouts },
	{ "json", json },
	{ "refused", refused },
	{ "wrong_words", wrong_words },
	{ "shown", shown },
	{ "shown_to_all", shown_to_all },
	{ "deleted", deleted },
};

KT_MAIN(cases)
