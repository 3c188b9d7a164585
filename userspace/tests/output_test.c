// SPDX-License-Identifier: GPL-2.0
/* Text and JSON of all objects, against golden files. */

#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>

#include "fake.h"
#include "golden.h"
#include "ktap.h"
#include "output.h"

/* Not in the order that they are to be shown in */
static const char config[] =
"ring add web key 000102030405060708090a0b0c0d0eff masquerade on\n"
"ring add dns bits 8 vnodes 64 no-backend drop imbalance off owner team-a\n"
"ring add a-ring-with-a-name-of-31-bytes bits 20 vnodes 65536 no-backend pass\n"
"backend add web b2 addr 10.0.0.2 port 8080 weight 50 state drain\n"
"backend add web b10 addr 10.0.0.10 zone rack1 tokens 1,0xfedcba9876543210\n"
"backend add web b1 addr 10.0.0.1 port 80\n"
"backend add dns ns addr 2001:db8::53 mode dr\n"
"backend add web gone addr 192.168.100.200 weight 0 state down\n"
"service add udp 2001:db8::1 port 53 ring dns\n"
"service add tcp 2001:db8::1 port 53 ring dns\n"
"service add tcp 198.51.100.10 port 443 ring web owner team-a\n"
"service add tcp 198.51.100.10 port 80 ring web\n"
"service add tcp 9.9.9.9 port 65535 ring web\n"
"ring add any bits 8\n"
"backend add any g1 addr 2001:db8::7 mode gue checksum off\n"
"backend add any g2 addr 10.0.0.7 mode gue port 6081\n"
"backend add any m1 mark 0x10 mode mark\n"
"backend add any i1 addr 10.0.0.8 mode ipip\n"
"service add mark 0x10 ipv4 ring web\n"
"service add any 198.51.100.10 action drop\n"
"service add tcp 198.51.100.0/24 port 1000-1999 action reject\n"
"service add udp 2001:db8::/64 port all ring dns\n";

static void setup(struct fake *f)
{
	struct fake_obj *obj;
	size_t i;

	fake_init(f);
	KT_INT(0, fake_text(f, config));

	obj = fake_find(f, &fr_set_ring, "web");
	fake_u64(obj, FLOWRING_A_RING_EPOCH, 1ULL << 40);
	fake_u32(obj, FLOWRING_A_RING_BACKENDS, 4);
	fake_u32(obj, FLOWRING_A_RING_USABLE, 2);
	fake_u32(obj, FLOWRING_A_RING_TOKENS, 1024);
	fake_u32(obj, FLOWRING_A_RING_SERVICES, 3);
	fake_u64(obj, FLOWRING_A_RING_FINGERPRINT, 0x0123456789abcdef);

	obj = fake_find(f, &fr_set_backend, "b1");
	fake_u32(obj, FLOWRING_A_BACKEND_TOKENS, 512);
	fake_u32(obj, FLOWRING_A_BACKEND_SLOTS, 21845);
	obj = fake_find(f, &fr_set_backend, "b10");
	fake_u32(obj, FLOWRING_A_BACKEND_TOKENS, 512);
	fake_u32(obj, FLOWRING_A_BACKEND_SLOTS, 43691);
	fake_u32(obj, FLOWRING_A_BACKEND_CAPACITY, 45875);
	obj = fake_find(f, &fr_set_backend, "ns");
	fake_u32(obj, FLOWRING_A_BACKEND_TOKENS, 64);
	fake_u32(obj, FLOWRING_A_BACKEND_SLOTS, 256);

	for (i = 0; i < f->n; i++) {
		if (f->objs[i].set == &fr_set_backend)
			fake_stats(&f->objs[i], FLOWRING_A_BACKEND_STATS,
				   10 * i);
		else if (f->objs[i].set == &fr_set_service)
			fake_stats(&f->objs[i], FLOWRING_A_SERVICE_STATS,
				   1000 * i);
	}
}

static void show(struct fake *f, const char *line, const char *file)
{
	KT_INT(0, mock_run(&f->m, line));
	KT_STR("", f->m.err);
	golden(file, f->m.out);
}

static void text(void)
{
	struct fake f;

	setup(&f);
	show(&f, "ring show", "ring.txt");
	show(&f, "ring", "ring.txt");
	show(&f, "ring show web", "ring-web.txt");
	show(&f, "backend show", "backend.txt");
	show(&f, "backend show dns", "backend-dns.txt");
	show(&f, "backend show web b1", "backend-web-b1.txt");
	show(&f, "backend show any m1", "backend-any-m1.txt");
	show(&f, "service show", "service.txt");
	show(&f, "", "service.txt");
	show(&f, "service show udp 2001:0db8:0::1 port 53",
	     "service-udp.txt");
	f.m.ctx.stats = true;
	show(&f, "ring show", "ring.txt");
	show(&f, "backend show", "backend-stats.txt");
	show(&f, "service show", "service-stats.txt");
	fake_fini(&f);
}

static void json(void)
{
	struct fake f;

	setup(&f);
	f.m.ctx.json = true;
	show(&f, "ring show", "ring.json");
	show(&f, "backend show", "backend.json");
	show(&f, "service show", "service.json");
	f.m.ctx.pretty = true;
	show(&f, "ring show web", "ring-web-pretty.json");
	f.m.ctx.stats = true;
	show(&f, "backend show web b1", "backend-stats-pretty.json");
	show(&f, "service show tcp 9.9.9.9 port 65535",
	     "service-stats-pretty.json");
	fake_fini(&f);
}

static void nothing(void)
{
	static const char *const lines[] = {
		"ring show", "backend show", "service show",
	};
	struct fake f;
	size_t i;

	fake_init(&f);
	for (i = 0; i < FR_ARRAY_SIZE(lines); i++) {
		f.m.ctx.json = false;
		KT_INT(0, mock_run(&f.m, lines[i]));
		KT_STR("", f.m.out);
		f.m.ctx.json = true;
		KT_INT(0, mock_run(&f.m, lines[i]));
		KT_STR("[]\n", f.m.out);
		f.m.ctx.pretty = true;
		KT_INT(0, mock_run(&f.m, lines[i]));
		KT_STR("[]\n", f.m.out);
		f.m.ctx.pretty = false;
	}
	fake_fini(&f);
}

static void keys_hidden(void)
{
	struct fake f;

	setup(&f);
	f.hide_keys = true;
	show(&f, "ring show web", "ring-no-key.txt");
	f.m.ctx.json = true;
	show(&f, "ring show web", "ring-no-key.json");
	fake_fini(&f);
}

static void names_not_ours(void)
{
	struct fake_obj *obj;
	struct fake f;

	setup(&f);
	obj = fake_find(&f, &fr_set_ring, "web");
	strcpy(obj->val[FLOWRING_A_RING_NAME].buf, "w\033\xff b");
	obj->val[FLOWRING_A_RING_NAME].len = 6;
	KT_INT(0, mock_run(&f.m, "ring show"));
	KT_TRUE(strstr(f.m.out, "ring w\\x1b\\xff\\x20b\n"));
	f.m.ctx.json = true;
	KT_INT(0, mock_run(&f.m, "ring show"));
	KT_TRUE(strstr(f.m.out, "\"w\\\\x1b\\\\xff\\\\x20b\""));
	fake_fini(&f);
}

static void values_not_known(void)
{
	struct fake_obj *obj;
	struct fake f;

	setup(&f);
	obj = fake_find(&f, &fr_set_backend, "ns");
	fake_u32(obj, FLOWRING_A_BACKEND_MODE, 77);
	KT_INT(0, mock_run(&f.m, "backend show dns"));
	KT_TRUE(strstr(f.m.out, "mode 77 "));
	f.m.ctx.json = true;
	KT_INT(0, mock_run(&f.m, "backend show dns"));
	KT_TRUE(strstr(f.m.out, "\"mode\":77,"));
	fake_fini(&f);
}

/* The longest list of tokens, whole in text, JSON and commands */
static void tokens_handler(struct mock *m, const struct nlmsghdr *req)
{
	uint64_t tokens[FLOWRING_MAX_EXPLICIT_TOKENS];
	struct nlmsghdr *nlh;
	size_t i;

	if (mock_cmd(req) == FLOWRING_CMD_RING_GET) {
		mock_done(m, 0, 0);
		return;
	}
	for (i = 0; i < FLOWRING_MAX_EXPLICIT_TOKENS; i++)
		tokens[i] = UINT64_MAX - i;
	nlh = mock_put_genl(m, FLOWRING_CMD_BACKEND_GET, 0);
	mnl_attr_put_strz(nlh, FLOWRING_A_BACKEND_RING, "web");
	mnl_attr_put_strz(nlh, FLOWRING_A_BACKEND_NAME, "b1");
	mnl_attr_put(nlh, FLOWRING_A_BACKEND_EXPLICIT_TOKENS, sizeof(tokens),
		     tokens);
	mock_end(m, nlh);
	mock_flush(m);
	mock_ack(m, 0, NULL);
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	while ((text = strstr(text, what))) {
		text++;
		n++;
	}
	return n;
}

static void many_tokens(void)
{
	struct mock m;

	mock_init(&m, tokens_handler);
	m.ctx.json = true;
	KT_INT(0, mock_run(&m, "backend show web b1"));
	KT_INT(1024, count(m.out, "\"0xfffffffffffff"));
	KT_TRUE(strstr(m.out, "\"0xfffffffffffffc00\"]"));
	m.ctx.json = false;
	KT_INT(0, mock_run(&m, "backend show web b1"));
	KT_INT(1024, count(m.out, "0xfffffffffffff"));
	KT_TRUE(strstr(m.out, ",0xfffffffffffffc00\n"));
	mock_fini(&m);
}

struct flow {
	uint32_t verdict;
	bool flow;
	bool owners;
	/* Reason of a stateless ring, plus 1 */
	uint32_t why;
};

static void put_owner(struct nlmsghdr *nlh, const char *name, const char *zone)
{
	struct nlattr *nest;

	nest = mnl_attr_nest_start(nlh, FLOWRING_A_LOOKUP_OWNER);
	mnl_attr_put_strz(nlh, FLOWRING_A_OWNER_NAME, name);
	if (zone)
		mnl_attr_put_strz(nlh, FLOWRING_A_OWNER_ZONE, zone);
	mnl_attr_nest_end(nlh, nest);
}

static void lookup_handler(struct mock *m, const struct nlmsghdr *req)
{
	static const unsigned char addr[4] = { 10, 0, 0, 1 };
	const struct flow *flow = m->data;
	const struct nlattr *attr;
	struct nlmsghdr *nlh;

	nlh = mock_put_genl(m, FLOWRING_CMD_LOOKUP, 0);
	mnl_attr_put_u32(nlh, FLOWRING_A_LOOKUP_VERDICT, flow->verdict);
	mnl_attr_for_each(attr, req, GENL_HDRLEN) {
		if (mnl_attr_get_type(attr) == FLOWRING_A_LOOKUP_OWNERS)
			continue;
		mnl_attr_put(nlh, mnl_attr_get_type(attr),
			     mnl_attr_get_payload_len(attr),
			     mnl_attr_get_payload(attr));
	}
	if (flow->owners) {
		attr = mock_attr(req, FLOWRING_A_LOOKUP_OWNERS);
		KT_INT(3, mnl_attr_get_u32(attr));
		put_owner(nlh, "b1", "rack1");
		put_owner(nlh, "b10", "rack2");
		put_owner(nlh, "b2", NULL);
	}
	if (flow->verdict != FLOWRING_VERDICT_NO_SERVICE) {
		mnl_attr_put_strz(nlh, FLOWRING_A_LOOKUP_RING, "web");
		mnl_attr_put_u32(nlh, FLOWRING_A_LOOKUP_EPOCH, 12);
		mnl_attr_put_u64(nlh, FLOWRING_A_LOOKUP_HASH,
				 0xfedcba9876543210);
		mnl_attr_put_u32(nlh, FLOWRING_A_LOOKUP_SLOT, 0xfedc);
	}
	if (flow->verdict == FLOWRING_VERDICT_STEER) {
		mnl_attr_put_strz(nlh, FLOWRING_A_LOOKUP_BACKEND, "b1");
		mnl_attr_put_u32(nlh, FLOWRING_A_LOOKUP_MODE, 0);
		mnl_attr_put(nlh, FLOWRING_A_LOOKUP_ADDR, 4, addr);
		mnl_attr_put_u32(nlh, FLOWRING_A_LOOKUP_PORT, 8080);
	}
	if (flow->flow) {
		mnl_attr_put_strz(nlh, FLOWRING_A_LOOKUP_FLOW_BACKEND, "b2");
		mnl_attr_put(nlh, FLOWRING_A_LOOKUP_FLOW_ADDR, 4, addr);
		mnl_attr_put_u32(nlh, FLOWRING_A_LOOKUP_FLOW_PORT, 80);
	}
	if (flow->why)
		mnl_attr_put_u32(nlh, FLOWRING_A_LOOKUP_FLOW_WHY,
				 flow->why - 1);
	mock_end(m, nlh);
	mock_flush(m);
	mock_ack(m, 0, NULL);
}

static void lookup(void)
{
	static const char words[] =
		"lookup tcp 203.0.113.77 40000 198.51.100.10 80";
	static const struct {
		struct flow flow;
		const char *name;
	} c[] = {
		{ { FLOWRING_VERDICT_STEER, false, false, 0 }, "steer" },
		{ { FLOWRING_VERDICT_STEER, true, false, 0 }, "flow" },
		{ { FLOWRING_VERDICT_STEER, true, true, 0 }, "owners" },
		{ { FLOWRING_VERDICT_NO_SERVICE, false, false, 0 }, "no-service" },
		{ { FLOWRING_VERDICT_NO_BACKEND, false, false, 0 }, "no-backend" },
	};
	char line[96];
	char file[64];
	struct mock m;
	size_t i;

	mock_init(&m, lookup_handler);
	for (i = 0; i < FR_ARRAY_SIZE(c); i++) {
		m.data = (void *)&c[i].flow;
		snprintf(line, sizeof(line), "%s%s", words,
			 c[i].flow.owners ? " owners 3" : "");
		m.ctx.json = false;
		KT_INT(0, mock_run(&m, line));
		snprintf(file, sizeof(file), "lookup-%s.txt", c[i].name);
		golden(file, m.out);
		m.ctx.json = true;
		KT_INT(0, mock_run(&m, line));
		snprintf(file, sizeof(file), "lookup-%s.json", c[i].name);
		golden(file, m.out);
	}
	mock_fini(&m);
}

/* What existing flows of a stateless ring do, whatever else is said of them */
static void lookup_why(void)
{
	static const struct {
		struct flow flow;
		const char *text;
		const char *json;
	} c[] = {
		{ { FLOWRING_VERDICT_STEER, true, false,
		    FLOWRING_WHY_REMEMBERED + 1 },
		  "    existing flows: b2 (remembered)\n",
		  "\"flow-backend\":\"b2\",\"flow-addr\":\"10.0.0.1\",\"flow-port\":80,\"flow-why\":\"remembered\"}]\n" },
		{ { FLOWRING_VERDICT_STEER, true, false, FLOWRING_WHY_PIN + 1 },
		  "    existing flows: b2 (pin)\n",
		  "\"flow-why\":\"pin\"}]\n" },
		{ { FLOWRING_VERDICT_STEER, true, false,
		    FLOWRING_WHY_STEADY + 1 },
		  "    existing flows: b2 (steady)\n",
		  "\"flow-why\":\"steady\"}]\n" },
		{ { FLOWRING_VERDICT_NO_BACKEND, false, false,
		    FLOWRING_WHY_PRESENT + 1 },
		  "    existing flows: no usable backend\n",
		  "\"flow-why\":\"present\"}]\n" },
	};
	const char *at;
	struct mock m;
	size_t i;

	mock_init(&m, lookup_handler);
	for (i = 0; i < FR_ARRAY_SIZE(c); i++) {
		m.data = (void *)&c[i].flow;
		m.ctx.json = false;
		KT_INT(0, mock_run(&m, "lookup tcp 192.0.2.1 1 192.0.2.2 80"));
		at = strstr(m.out, "    existing flows");
		KT_STR(c[i].text, at ? at : "");
		KT_TRUE(!strstr(m.out, "flow-"));
		m.ctx.json = true;
		KT_INT(0, mock_run(&m, "lookup tcp 192.0.2.1 1 192.0.2.2 80"));
		KT_TRUE(strstr(m.out, c[i].json));
	}
	mock_fini(&m);
}

static const struct kt_case cases[] = {
	{ "text", text },
	{ "json", json },
	{ "nothing", nothing },
	{ "keys_hidden", keys_hidden },
	{ "names_not_ours", names_not_ours },
	{ "values_not_known", values_not_known },
	{ "many_tokens", many_tokens },
	{ "lookup", lookup },
	{ "lookup_why", lookup_why },
};

KT_MAIN(cases)
