// SPDX-License-Identifier: GPL-2.0
/* Windows, pins and freezes: what is sent, and how they are shown. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>

#include "fake.h"
#include "ktap.h"

#define KEY	"key 000102030405060708090a0b0c0d0e0f"

static const char config[] =
"ring add web " KEY " window 60 pin-idle 120 udp move\n"
"ring add dns " KEY " bits 8 window off\n"
"ring add old " KEY "\n"
"ring add nat " KEY "\n";

struct world {
	struct fake f;
	void (*other)(struct mock *m, const struct nlmsghdr *req);
	/* What is refused, and in which words */
	int error;
	const char *msg;
};

/* The messages that the fake kernel does not know of */
static void handler(struct mock *m, const struct nlmsghdr *req)
{
	struct world *w = m->data;
	struct nlmsghdr *nlh;

	if (w->error) {
		mock_ack(m, -w->error, w->msg);
		return;
	}
	switch (mock_cmd(req)) {
	case FLOWRING_CMD_PINS_GET:
		nlh = mock_put_genl(m, FLOWRING_CMD_PINS_GET, 0);
		mnl_attr_put_u32(nlh, FLOWRING_A_PINS_SIZE, 131072);
		mnl_attr_put_u32(nlh, FLOWRING_A_PINS_PRESENT_SIZE, 65536);
		mnl_attr_put_u32(nlh, FLOWRING_A_PINS_USED, 8192);
		mnl_attr_put_u64(nlh, FLOWRING_A_PINS_MEMORY, 589824);
		mnl_attr_put_u32(nlh, FLOWRING_A_PINS_WINDOWS, 2);
		mock_end(m, nlh);
		mock_flush(m);
		mock_ack(m, 0, NULL);
		return;
	case FLOWRING_CMD_PINS_SET:
	case FLOWRING_CMD_RING_FREEZE:
	case FLOWRING_CMD_WINDOW_CLOSE:
		mock_ack(m, 0, NULL);
		return;
	}
	w->other(m, req);
}

/* Numbers of 4 bytes, that of the type @wide of 8; one of UINT32_MAX is left out
 */
static void put_nest(struct fake_obj *obj, uint16_t type, const uint32_t *nums,
		     uint16_t n, uint16_t wide)
{
	_Alignas(NLMSG_ALIGNTO) char buf[FAKE_VAL_MAX + 64];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct fake_val *val = &obj->val[type];
	uint16_t i;

	for (i = 0; i < n; i++) {
		if (nums[i] == UINT32_MAX)
			continue;
		if (i + 1 == wide)
			mnl_attr_put_u64(nlh, i + 1, nums[i]);
		else
			mnl_attr_put_u32(nlh, i + 1, nums[i]);
	}
	val->set = true;
	val->len = mnl_nlmsg_get_payload_len(nlh);
	memcpy(val->buf, mnl_nlmsg_get_payload(nlh), val->len);
}

static void set_window(struct world *w, const char *ring, uint32_t state,
		       uint32_t closes_in, uint32_t slots, uint32_t total,
		       uint32_t pins)
{
	struct fake_obj *obj = fake_find(&w->f, &fr_set_ring, ring);
	const uint32_t nums[] = {
		state, closes_in, slots, total, pins, slots ? 4 * total : 0,
	};

	put_nest(obj, FLOWRING_A_RING_WINDOW_INFO, nums,
		 state == FLOWRING_WINDOW_STATE_STEADY ? 1 :
		 FR_ARRAY_SIZE(nums), FLOWRING_A_WINDOW_CLOSES_IN);
}

static void setup(struct world *w)
{
	static const uint32_t stats[] = {
		101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111,
	};

	memset(w, 0, sizeof(*w));
	fake_init(&w->f);
	w->other = w->f.m.handler;
	w->f.m.handler = handler;
	KT_INT(0, fake_text(&w->f, config));
	set_window(w, "web", FLOWRING_WINDOW_STATE_OPEN, 287123, 6580, 65536,
		   123);
	set_window(w, "dns", FLOWRING_WINDOW_STATE_CLOSING, UINT32_MAX, 0, 256,
		   7);
	set_window(w, "old", FLOWRING_WINDOW_STATE_STEADY, UINT32_MAX, 0, 65536,
		   0);
	put_nest(fake_find(&w->f, &fr_set_ring, "web"),
		 FLOWRING_A_RING_WINDOW_STATS, stats, FR_ARRAY_SIZE(stats),
		 FLOWRING_A_WINDOW_STATS_PRESENT);
}

static void run(struct world *w, const char *line, const char *out)
{
	KT_INT(0, mock_run(&w->f.m, line));
	KT_STR("", w->f.m.err);
	KT_STR(out, w->f.m.out);
}

static void fails(struct world *w, int status, const char *line,
		  const char *err)
{
	KT_INT(status, mock_run(&w->f.m, line));
	KT_STR("", w->f.m.out);
	KT_STR(err, w->f.m.err);
}

static uint32_t sent_u32(struct world *w, uint16_t type)
{
	const struct nlattr *attr = mock_attr((void *)w->f.m.last, type);

	return KT_TRUE(attr) ? mnl_attr_get_u32(attr) : UINT32_MAX;
}

static const char *sent_str(struct world *w, uint16_t type)
{
	const struct nlattr *attr = mock_attr((void *)w->f.m.last, type);

	return KT_TRUE(attr) ? mnl_attr_get_str(attr) : "";
}

static void options_sent(void)
{
	struct world w;

	setup(&w);
	run(&w, "ring set old window off", "");
	KT_INT(FLOWRING_CMD_RING_SET, mock_cmd((void *)w.f.m.last));
	KT_INT(0, sent_u32(&w, FLOWRING_A_RING_WINDOW));
	KT_TRUE(!mock_attr((void *)w.f.m.last, FLOWRING_A_RING_PIN_IDLE));
	KT_TRUE(!mock_attr((void *)w.f.m.last, FLOWRING_A_RING_UDP));
	run(&w, "ring set old window 86400 pin-idle 1 udp move", "");
	KT_INT(86400, sent_u32(&w, FLOWRING_A_RING_WINDOW));
	KT_INT(1, sent_u32(&w, FLOWRING_A_RING_PIN_IDLE));
	KT_INT(FLOWRING_UDP_MOVE, sent_u32(&w, FLOWRING_A_RING_UDP));
	run(&w, "ring add new udp stick pin-idle 86400 window 1", "");
	KT_INT(1, sent_u32(&w, FLOWRING_A_RING_WINDOW));
	KT_INT(86400, sent_u32(&w, FLOWRING_A_RING_PIN_IDLE));
	KT_INT(FLOWRING_UDP_STICK, sent_u32(&w, FLOWRING_A_RING_UDP));
	fake_fini(&w.f);
}

static void options_wrong(void)
{
	struct world w;

	setup(&w);
	fails(&w, 1, "ring set web window 0",
	      "flowring: window 0: must be 1 to 86400\n");
	fails(&w, 1, "ring set web window 86401",
	      "flowring: window 86401: must be 1 to 86400\n");
	fails(&w, 1, "ring set web pin-idle off",
	      "flowring: pin-idle off: not a number\n");
	fails(&w, 1, "ring set web pin-idle 0",
	      "flowring: pin-idle 0: must be 1 to 86400\n");
	fails(&w, 1, "ring set web udp drop",
	      "flowring: udp drop: must be stick or move\n");
	fails(&w, 1, "ring set web frozen on",
	      "flowring: ring set: unknown word 'frozen'; see flowring ring help\n");
	fake_fini(&w.f);
}

static void ring_shown(void)
{
	struct world w;

	setup(&w);
	run(&w, "ring show web",
	    "ring web\n"
	    "    bits 16 vnodes 512 imbalance 5 no-backend reject masquerade off\n"
	    "    window 60 pin-idle 120 udp move\n"
	    "    epoch 1 backends 0 usable 0 tokens 0 services 0\n"
	    "    window open closes-in 287.123s slots 6580/65536 pins 123\n"
	    "    " KEY "\n");
	run(&w, "ring show old",
	    "ring old\n"
	    "    bits 16 vnodes 512 imbalance 5 no-backend reject masquerade off\n"
	    "    window 300 pin-idle 900 udp stick\n"
	    "    epoch 1 backends 0 usable 0 tokens 0 services 0\n"
	    "    " KEY "\n");
	fake_u32(fake_find(&w.f, &fr_set_ring, "dns"), FLOWRING_A_RING_FROZEN,
		 1);
	w.f.m.ctx.stats = true;
	run(&w, "ring show dns",
	    "ring dns frozen\n"
	    "    bits 8 vnodes 512 imbalance 5 no-backend reject masquerade off\n"
	    "    window off pin-idle 900 udp stick\n"
	    "    epoch 1 backends 0 usable 0 tokens 0 services 0\n"
	    "    window closing slots 0/256 pins 7\n"
	    "    " KEY "\n");
	KT_INT(0, mock_run(&w.f.m, "ring show web"));
	KT_TRUE(strstr(w.f.m.out, "    " KEY "\n"
		       "    present 101 pin 102 remembered 103\n"
		       "    begun 104 adopted 105 restarted 106 evicted 107\n"
		       "    full 108 orphan 109 idle 110 forgotten 111\n"));
	fake_fini(&w.f);
}

static void ring_json(void)
{
	static const char info[] =
		"\"window\":60,\"pin-idle\":120,\"udp\":\"move\",\"frozen\":\"off\",\"window-info\":{\"state\":\"open\",\"closes-in\":287123,\"slots\":6580,\"total\":65536,\"pins\":123,\"memory\":262144}";
	static const char stats[] =
		",\"window-stats\":{\"present\":101,\"pin\":102,\"remembered\":103,\"begun\":104,\"adopted\":105,\"restarted\":106,\"evicted\":107,\"full\":108,\"orphan\":109,\"idle\":110,\"forgotten\":111}}]\n";
	struct world w;
	const char *at;

	setup(&w);
	w.f.m.ctx.json = true;
	KT_INT(0, mock_run(&w.f.m, "ring show web"));
	at = strstr(w.f.m.out, info);
	KT_STR("}]\n", KT_TRUE(at) ? at + strlen(info) : "");
	w.f.m.ctx.stats = true;
	KT_INT(0, mock_run(&w.f.m, "ring show web"));
	at = strstr(w.f.m.out, info);
	KT_STR(stats, KT_TRUE(at) ? at + strlen(info) : "");
	fake_fini(&w.f);
}

static void freeze(void)
{
	struct world w;

	setup(&w);
	run(&w, "ring freeze web", "");
	KT_INT(FLOWRING_CMD_RING_FREEZE, mock_cmd((void *)w.f.m.last));
	KT_STR("web", sent_str(&w, FLOWRING_A_RING_NAME));
	KT_INT(FLOWRING_SWITCH_ON, sent_u32(&w, FLOWRING_A_RING_FROZEN));
	run(&w, "ring unfreeze web", "");
	KT_INT(FLOWRING_CMD_RING_FREEZE, mock_cmd((void *)w.f.m.last));
	KT_INT(FLOWRING_SWITCH_OFF, sent_u32(&w, FLOWRING_A_RING_FROZEN));
	fails(&w, 1, "ring freeze",
	      "flowring: ring freeze: missing ring; see flowring ring help\n");
	fails(&w, 1, "ring freeze web on",
	      "flowring: ring freeze: unknown word 'on'; see flowring ring help\n");
	w.error = EBUSY;
	w.msg = "ring web is frozen";
	fails(&w, 2, "ring set web bits 9", "flowring: ring web is frozen\n");
	fails(&w, 2, "ring commit web backend del b1",
	      "flowring: ring web is frozen\n");
	fails(&w, 2, "backend set web b1 weight 1",
	      "flowring: backend web b1: ring web is frozen\n");
	fake_fini(&w.f);
}

static void window_shown(void)
{
	struct world w;

	setup(&w);
	run(&w, "window show",
	    "window dns closing                    slots 0/256      pins 7   memory 0\n"
	    "window old steady\n"
	    "window web open    closes-in 287.123s slots 6580/65536 pins 123 memory 262144\n");
	run(&w, "window",
	    "window dns closing                    slots 0/256      pins 7   memory 0\n"
	    "window old steady\n"
	    "window web open    closes-in 287.123s slots 6580/65536 pins 123 memory 262144\n");
	w.f.m.ctx.stats = true;
	run(&w, "window show web",
	    "window web open closes-in 287.123s slots 6580/65536 pins 123 memory 262144\n"
	    "    present 101 pin 102 remembered 103\n"
	    "    begun 104 adopted 105 restarted 106 evicted 107\n"
	    "    full 108 orphan 109 idle 110 forgotten 111\n");
	fails(&w, 1, "window show nat",
	      "flowring: ring nat: has no window: its backends are not of a stateless mode\n");
	fails(&w, 2, "window show none", "flowring: ring none: no such ring\n");
	w.f.m.ctx.stats = false;
	w.f.m.ctx.json = true;
	run(&w, "window show dns",
	    "[{\"name\":\"dns\",\"epoch\":1,\"window-info\":{\"state\":\"closing\",\"slots\":0,\"total\":256,\"pins\":7,\"memory\":0}}]\n");
	run(&w, "ring del web", "");
	run(&w, "ring del dns", "");
	run(&w, "ring del old", "");
	run(&w, "window show", "[]\n");
	fake_fini(&w.f);
}

static void window_close(void)
{
	struct world w;

	setup(&w);
	run(&w, "window close web", "");
	KT_INT(FLOWRING_CMD_WINDOW_CLOSE, mock_cmd((void *)w.f.m.last));
	KT_STR("web", sent_str(&w, FLOWRING_A_RING_NAME));
	fails(&w, 1, "window close",
	      "flowring: window close: missing ring; see flowring window help\n");
	fails(&w, 1, "window shut web",
	      "flowring: window: unknown command 'shut'; see flowring window help\n");
	w.error = ENOENT;
	w.msg = "no such ring";
	fails(&w, 2, "window close none", "flowring: ring none: no such ring\n");
	fake_fini(&w.f);
}

static void pins(void)
{
	struct world w;

	setup(&w);
	run(&w, "pins show",
	    "pins size 131072 present-size 65536 used 8192 (12.50%) memory 589824 windows 2\n");
	w.f.m.ctx.json = true;
	run(&w, "pins",
	    "[{\"size\":131072,\"present-size\":65536,\"used\":8192,\"memory\":589824,\"windows\":2}]\n");
	w.f.m.ctx.json = false;
	run(&w, "pins set size 1024", "");
	KT_INT(FLOWRING_CMD_PINS_SET, mock_cmd((void *)w.f.m.last));
	KT_INT(1024, sent_u32(&w, FLOWRING_A_PINS_SIZE));
	run(&w, "pins set size 16777216", "");
	KT_INT(16777216, sent_u32(&w, FLOWRING_A_PINS_SIZE));
	fails(&w, 1, "pins set size 1023",
	      "flowring: size 1023: must be 1024 to 16777216\n");
	fails(&w, 1, "pins set size 16777217",
	      "flowring: size 16777217: must be 1024 to 16777216\n");
	fails(&w, 1, "pins set",
	      "flowring: pins set: missing size; see flowring pins help\n");
	fails(&w, 1, "pins show web",
	      "flowring: pins show: unknown word 'web'; see flowring pins help\n");
	w.error = EPERM;
	fails(&w, 2, "pins set size 2048",
	      "flowring: pins: not permitted: needs CAP_NET_ADMIN in the initial user namespace\n");
	fake_fini(&w.f);
}

/* What an open window does is no change of the configuration */
static void busy_handler(struct mock *m, const struct nlmsghdr *req)
{
	struct world *w = m->data;
	static uint32_t left = 1000000;

	set_window(w, "web", FLOWRING_WINDOW_STATE_OPEN, left, left & 1, 65536,
		   left);
	left--;
	handler(m, req);
}

static void save_in_window(void)
{
	struct world w;

	setup(&w);
	w.f.m.handler = busy_handler;
	KT_INT(0, mock_run(&w.f.m, "save"));
	KT_STR("", w.f.m.err);
	KT_TRUE(strstr(w.f.m.out, "\"window\": 60,\n      \"pin-idle\": 120,\n      \"udp\": \"move\",\n"));
	KT_TRUE(strstr(w.f.m.out, "\"window\": \"off\",\n"));
	KT_TRUE(!strstr(w.f.m.out, "window-"));
	KT_TRUE(!strstr(w.f.m.out, "frozen"));
	KT_INT(0, mock_run(&w.f.m, "save commands"));
	KT_TRUE(strstr(w.f.m.out, "masquerade off window 60 pin-idle 120 udp move\n"));
	KT_TRUE(strstr(w.f.m.out, "masquerade off window off pin-idle 900 udp stick\n"));
	KT_TRUE(!strstr(w.f.m.out, "frozen"));
	fake_fini(&w.f);
}

static void put_event(struct world *w, const char *ring, uint8_t cmd)
{
	const struct fake_obj *obj = fake_find(&w->f, &fr_set_ring, ring);
	struct mock *m = &w->f.m;
	struct nlmsghdr *nlh;
	uint16_t i;

	m->seq = 0;
	nlh = mock_put_genl(m, cmd, 0);
	for (i = 1; i <= FLOWRING_A_RING_MAX; i++) {
		if (cmd == FLOWRING_CMD_WINDOW_NTF &&
		    i != FLOWRING_A_RING_NAME && i != FLOWRING_A_RING_EPOCH &&
		    i != FLOWRING_A_RING_WINDOW_INFO)
			continue;
		if (obj->val[i].set && i != FLOWRING_A_RING_KEY)
			mnl_attr_put(nlh, i, obj->val[i].len, obj->val[i].buf);
	}
	mock_end(m, nlh);
	mock_flush(m);
}

static void events(void)
{
	struct world w;

	setup(&w);
	put_event(&w, "web", FLOWRING_CMD_WINDOW_NTF);
	put_event(&w, "dns", FLOWRING_CMD_WINDOW_NTF);
	put_event(&w, "old", FLOWRING_CMD_WINDOW_NTF);
	fake_u32(fake_find(&w.f, &fr_set_ring, "dns"), FLOWRING_A_RING_FROZEN,
		 1);
	put_event(&w, "dns", FLOWRING_CMD_RING_SET_NTF);
	fake_u32(fake_find(&w.f, &fr_set_ring, "dns"), FLOWRING_A_RING_FROZEN,
		 0);
	put_event(&w, "dns", FLOWRING_CMD_RING_SET_NTF);
	run(&w, "monitor",
	    "window web open closes-in 287.123s slots 6580/65536 pins 123 memory 262144 epoch 1\n"
	    "window dns closing slots 0/256 pins 7 memory 0 epoch 1\n"
	    "window old steady epoch 1\n"
	    "ring set dns bits 8 vnodes 512 imbalance 5 no-backend reject masquerade off window off pin-idle 900 udp stick frozen\n"
	    "ring set dns bits 8 vnodes 512 imbalance 5 no-backend reject masquerade off window off pin-idle 900 udp stick\n");
	w.f.m.ctx.json = true;
	w.f.m.ctx.pretty = true;
	put_event(&w, "dns", FLOWRING_CMD_WINDOW_NTF);
	run(&w, "monitor",
	    "{\"event\":\"window-ntf\",\"name\":\"dns\",\"epoch\":1,\"window-info\":{\"state\":\"closing\",\"slots\":0,\"total\":256,\"pins\":7,\"memory\":0}}\n");
	fake_fini(&w.f);
}

static const struct kt_case cases[] = {
	{ "options_sent", options_sent },
	{ "options_wrong", options_wrong },
	{ "ring_shown", ring_shown },
	{ "ring_json", ring_json },
	{ "freeze", freeze },
	{ "window_shown", window_shown },
	{ "window_close", window_close },
	{ "pins", pins },
	{ "save_in_window", save_in_window },
	{ "events", events },
};

KT_MAIN(cases)
