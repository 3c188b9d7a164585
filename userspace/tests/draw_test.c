// SPDX-License-Identifier: GPL-2.0
/* Drawing a ring that the kernel has: only when its table is known to be that. */

#include <string.h>

#include <linux/flowring.h>

#include "fake.h"
#include "ktap.h"

/* From selftests/model.py */
#define FINGERPRINT		0x81e940e5499a8f75ULL
#define FINGERPRINT_TEXT	"81e940e5499a8f75"

static const char config[] =
"ring add web bits 8 vnodes 3 key 000102030405060708090a0b0c0d0e0f imbalance off\n"
"backend add web A addr 10.0.0.1 weight 1\n"
"ring add dns\n";

static void same_table(void)
{
	struct fake_obj *ring;
	struct fake f;

	fake_init(&f);
	KT_INT(0, fake_text(&f, config));
	ring = fake_find(&f, &fr_set_ring, "web");
	fake_u64(ring, FLOWRING_A_RING_FINGERPRINT, FINGERPRINT);
	fake_u64(ring, FLOWRING_A_RING_EPOCH, 7);
	KT_INT(0, mock_run(&f.m, "ring draw web"));
	KT_STR("", f.m.err);
	KT_TRUE(!strncmp(f.m.out, "<svg ", 5));
	KT_TRUE(strstr(f.m.out, ">epoch 7, fingerprint 0x" FINGERPRINT_TEXT ","));
	KT_TRUE(strstr(f.m.out, "100.00%"));

	fake_u64(ring, FLOWRING_A_RING_FINGERPRINT, 1);
	KT_INT(1, mock_run(&f.m, "ring draw web"));
	KT_STR("", f.m.out);
	KT_STR("flowring: ring web: the kernel has fingerprint 0x0000000000000001, this tool makes 0x" FINGERPRINT_TEXT " of it: they are of different versions\n",
	       f.m.err);
	fake_fini(&f);
}

static void refused(void)
{
	struct fake f;

	fake_init(&f);
	KT_INT(0, fake_text(&f, config));
	KT_INT(1, mock_run(&f.m, "ring draw"));
	KT_STR("flowring: ring draw: missing ring; see flowring ring help\n",
	       f.m.err);
	KT_INT(1, mock_run(&f.m, "ring draw web big"));
	KT_STR("flowring: ring draw: unknown word 'big'; see flowring ring help\n",
	       f.m.err);
	KT_INT(1, mock_run(&f.m, "ring draw web --offline"));
	KT_STR("flowring: ring draw: missing the document; see flowring ring help\n",
	       f.m.err);
	KT_INT(2, mock_run(&f.m, "ring draw other"));
	KT_STR("flowring: ring other: no such ring\n", f.m.err);
	KT_INT(1, mock_run(&f.m, "ring draw web --offline /dev/null"));
	KT_STR("flowring: /dev/null:1: not JSON: '[' or '{' expected near end of file\n",
	       f.m.err);
	f.hide_keys = true;
	KT_INT(2, mock_run(&f.m, "ring draw web"));
	KT_STR("", f.m.out);
	KT_STR("flowring: ring web: the kernel does not show its key: needs CAP_NET_ADMIN in the initial user namespace\n",
	       f.m.err);
	fake_fini(&f);
}

static const struct kt_case cases[] = {
	{ "same_table", same_table },
	{ "refused", refused },
};

KT_MAIN(cases)
