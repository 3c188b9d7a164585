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
"ring add dns bits 8 vnodes 64 no-backend drop\n"
"ring add a-ring-with-a-name-of-31-bytes bits 20 vnodes 65536 no-backend pass\n"
"backend add web b2 addr 10.0.0.2 port 8080 weight 50 state drain\n"
"backend add web b10 addr 10.0.0.10\n"
"backend add web b1 addr 10.0.0.1 port 80\n"
"backend add dns ns addr 2001:db8::53 mode dr\n"
"backend add web gone addr 192.168.100.200 weight 0 state down\n"
"service add udp 2001:db8::1 port 53 ring dns\n"
"service add tcp 2001:db8::1 port 53 ring dns\n"
"service add tcp 198.51.100.10 port 443 ring web\n"
"service add tcp 198.51.100.10 port 80 ring web\n"
"service add tcp 9.9.9.9 port 65535 ring web\n";

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

	obj = fake_find(f, &fr_set_backend, "b1");
	fake_u32(obj, FLOWRING_A_BACKEND_TOKENS, 512);
	fake_u32(obj, FLOWRING_A_BACKEND_SLOTS, 21845);
	obj = fake_find(f, &fr_set_backend, "b10");
	fake_u32(obj, FLOWRING_A_BACKEND_TOKENS, 512);
	fake_u32(obj, FLOWRING_A_BACKEND_SLOTS, 43691);
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

struct flow {
	uint32_t verdict;
	bool flow;
};

static void lookup_handler(struct mock *m, const struct nlmsghdr *req)
{
	static const unsigned char addr[4] = { 10, 0, 0, 1 };
	const struct flow *flow = m->data;
	const struct nlattr *attr;
	struct nlmsghdr *nlh;

	nlh = mock_put_genl(m, FLOWRING_CMD_LOOKUP, 0);
	mnl_attr_put_u32(nlh, FLOWRING_A_LOOKUP_VERDICT, flow->verdict);
	mnl_attr_for_each(attr, req, GENL_HDRLEN)
		mnl_attr_put(nlh, mnl_attr_get_type(attr),
			     mnl_attr_get_payload_len(attr),
			     mnl_attr_get_payload(attr));
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
	mock_end(m, nlh);
	mock_flush(m);
	mock_ack(m, 0, NULL);
}

static void lookup(void)
{
	static const char line[] =
		"lookup tcp 203.0.113.77 40000 198.51.100.10 80";
	static const struct {
		struct flow flow;
		const char *name;
	} c[] = {
		{ { FLOWRING_VERDICT_STEER, false }, "steer" },
		{ { FLOWRING_VERDICT_STEER, true }, "flow" },
		{ { FLOWRING_VERDICT_NO_SERVICE, false }, "no-service" },
		{ { FLOWRING_VERDICT_NO_BACKEND, false }, "no-backend" },
	};
	char file[64];
	struct mock m;
	size_t i;

	mock_init(&m, lookup_handler);
	for (i = 0; i < FR_ARRAY_SIZE(c); i++) {
		m.data = (void *)&c[i].flow;
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

static const struct kt_case cases[] = {
	{ "text", text },
	{ "json", json },
	{ "nothing", nothing },
	{ "keys_hidden", keys_hidden },
	{ "names_not_ours", names_not_ours },
	{ "values_not_known", values_not_known },
	{ "lookup", lookup },
};

KT_MAIN(cases)
