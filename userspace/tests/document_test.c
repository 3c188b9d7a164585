// SPDX-License-Identifier: GPL-2.0
/* Reading documents: what is good, and what is wrong in which line. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>

#include "document.h"
#include "ktap.h"
#include "mock.h"

static struct fr_document *read_text(struct mock *m, const char *text)
{
	struct fr_document *doc;

	mock_capture(m);
	doc = fr_document_read(&m->ctx, "F", text, strlen(text));
	mock_captured(m);
	return doc;
}

/* The lines of a document are numbered from 1; the fault is in @err */
struct refusal {
	const char *text;
	const char *err;
};

static void refuse(const struct refusal *v, size_t n)
{
	struct fr_document *doc;
	char err[512];
	struct mock m;
	size_t i;

	for (i = 0; i < n; i++) {
		mock_init(&m, NULL);
		doc = read_text(&m, v[i].text);
		snprintf(err, sizeof(err), "flowring: F:%s\n", v[i].err);
		KT_TRUE(!doc);
		if (!KT_STR(err, m.err))
			printf("# %s\n", v[i].text);
		KT_STR("", m.out);
		fr_document_free(doc);
		mock_fini(&m);
	}
}

static const char full[] =
"{\n"
"  \"services\": [\n"
"    {\"proto\": \"udp\", \"addr\": \"2001:DB8:0:0::53\", \"port\": 53, \"ring\": \"dns\"},\n"
"    {\"proto\": \"tcp\", \"addr\": \"198.51.100.10\", \"port\": 443,\n"
"     \"ring\": \"web\", \"owner\": \"\"}\n"
"  ],\n"
"  \"rings\": [\n"
"    {\"name\": \"web\", \"bits\": 10, \"vnodes\": 65536, \"imbalance\": \"off\",\n"
"     \"key\": \"000102030405060708090a0B0c0D0e0f\", \"epoch\": 7,\n"
"     \"no-backend\": \"drop\", \"masquerade\": \"on\", \"window\": \"off\", \"pin-idle\": 60, \"udp\": \"move\", \"backends\": [\n"
"      {\"name\": \"b2\", \"addr\": \"10.0.0.2\", \"port\": 8080, \"weight\": 0,\n"
"       \"state\": \"drain\", \"zone\": \"r1\"},\n"
"      {\"name\": \"b1\", \"addr\": \"10.0.0.1\", \"tokens\": [\n"
"        \"0xffffffffffffffff\", \"0x0\", \"0xAb\"\n"
"      ]}\n"
"    ]},\n"
"    {\"name\": \"dns\", \"owner\": \"else\", \"imbalance\": 100, \"backends\":\n"
"     [{\"mode\": \"dr\", \"addr\": \"2001:db8::1\", \"name\": \"ns\"}]}\n"
"  ],\n"
"  \"owner\": \"me\", \"flowring\": 1\n"
"}\n";

static void good_ring(const struct fr_doc_ring *ring)
{
	static const unsigned char key[] = "\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17";

	KT_STR("web", ring->name);
	KT_STR("me", ring->owner);
	KT_INT(8, ring->line);
	KT_INT(10, ring->bits);
	KT_INT(65536, ring->vnodes);
	KT_INT(0, ring->imbalance);
	KT_INT(1, ring->has_key);
	KT_INT(0, memcmp(key, ring->key, sizeof(ring->key)));
	KT_INT(1, ring->has_epoch);
	KT_INT(7, ring->epoch);
	KT_INT(FLOWRING_NO_BACKEND_DROP, ring->no_backend);
	KT_INT(FLOWRING_SWITCH_ON, ring->masquerade);
	KT_INT(0, ring->window);
	KT_INT(60, ring->pin_idle);
	KT_INT(FLOWRING_UDP_MOVE, ring->udp);
	if (!KT_INT(2, ring->n))
		return;
	KT_STR("b1", ring->backends[0].name);
	KT_INT(13, ring->backends[0].line);
	KT_INT(100, ring->backends[0].weight);
	KT_INT(0, ring->backends[0].port);
	KT_INT(FLOWRING_STATE_UP, ring->backends[0].state);
	KT_INT(3, ring->backends[0].ntokens);
	KT_TRUE(ring->backends[0].tokens[0] == 0);
	KT_TRUE(ring->backends[0].tokens[1] == 0xab);
	KT_TRUE(ring->backends[0].tokens[2] == UINT64_MAX);
	KT_STR("b2", ring->backends[1].name);
	KT_INT(11, ring->backends[1].line);
	KT_INT(0, ring->backends[1].weight);
	KT_INT(8080, ring->backends[1].port);
	KT_INT(FLOWRING_STATE_DRAIN, ring->backends[1].state);
	KT_STR("r1", ring->backends[1].zone);
	KT_INT(0, ring->backends[1].checksum);
	KT_INT(0, ring->backends[1].mark);
	KT_INT(4, ring->backends[1].addr.len);
	KT_INT(0, memcmp("\12\0\0\2", ring->backends[1].addr.b, 4));
}

static void good(void)
{
	struct fr_document *doc;
	struct mock m;

	mock_init(&m, NULL);
	doc = read_text(&m, full);
	KT_STR("", m.err);
	if (KT_TRUE(doc) && KT_INT(2, doc->nrings) &&
	    KT_INT(2, doc->nservices)) {
		KT_STR("dns", doc->rings[0].name);
		KT_STR("else", doc->rings[0].owner);
		KT_INT(17, doc->rings[0].line);
		KT_INT(16, doc->rings[0].bits);
		KT_INT(512, doc->rings[0].vnodes);
		KT_INT(100, doc->rings[0].imbalance);
		KT_INT(300, doc->rings[0].window);
		KT_INT(900, doc->rings[0].pin_idle);
		KT_INT(FLOWRING_UDP_STICK, doc->rings[0].udp);
		KT_INT(0, doc->rings[0].has_key);
		KT_INT(FLOWRING_MODE_DR, doc->rings[0].backends[0].mode);
		KT_INT(18, doc->rings[0].backends[0].line);
		good_ring(&doc->rings[1]);
		KT_STR("web", doc->services[0].ring);
		KT_STR("", doc->services[0].owner);
		KT_INT(4, doc->services[0].line);
		KT_INT(6, doc->services[0].proto);
		KT_STR("me", doc->services[1].owner);
		KT_INT(3, doc->services[1].line);
		KT_INT(16, doc->services[1].addr.len);
	}
	fr_document_free(doc);
	mock_fini(&m);
}

/* What is written is read as the same, and has one form */
static void written(void)
{
	struct fr_document *doc, *again;
	char *first;
	struct mock m;

	mock_init(&m, NULL);
	doc = read_text(&m, full);
	if (!KT_TRUE(doc))
		return;
	mock_capture(&m);
	KT_INT(0, fr_document_write(&m.ctx, doc));
	mock_captured(&m);
	first = strdup(m.out);
	KT_TRUE(strstr(first, "\"owner\": \"else\""));
	KT_TRUE(strstr(first, "\"0x00000000000000ab\""));
	again = read_text(&m, first);
	KT_STR("", m.err);
	if (KT_TRUE(again)) {
		KT_STR("", again->services[0].owner);
		mock_capture(&m);
		KT_INT(0, fr_document_write(&m.ctx, again));
		mock_captured(&m);
		KT_STR(first, m.out);
	}
	fr_document_free(again);
	fr_document_free(doc);
	free(first);
	mock_fini(&m);
}

static void syntax(void)
{
	static const struct refusal v[] = {
		{ "", "1: not JSON: '[' or '{' expected near end of file" },
		{ "{\n\"flowring\" 1}", "2: not JSON: ':' expected near '1'" },
		{ "{\"flowring\": 1,\n\"rings\": [],\n\"rings\": []}",
		  "3: not JSON: duplicate object key near '\"rings\"'" },
		{ "{\"flowring\": 1}\n}",
		  "2: not JSON: end of file expected near '}'" },
		{ "{\"flowring\": \"\xff\"}",
		  "1: not JSON: unable to decode byte 0xff near '\"'" },
		{ "[]", "1: a document must be an object" },
		{ "\n\n{}", "3: missing flowring" },
		{ "{\n\"flowring\": 2}",
		  "2: flowring 2: must be 1, the version of the format" },
		{ "{\"flowring\":\n 1,\n\n\"ring\": []}",
		  "4: unknown key 'ring'" },
		{ "{\"a\\\"b,:]\n[\": 1}", "1: not JSON: unexpected newline near '\"a\\\"b,:]'" },
		{ "{\"flowring\": 1, \"a\\\"{[\": \"\\\\\",\n\"b\": 1}",
		  "1: unknown key 'a\"{['" },
	};

	refuse(v, FR_ARRAY_SIZE(v));
}

#define HEAD	"{\"flowring\": 1, \"rings\": [\n"
#define RING	HEAD "{\"name\": \"web\",\n"
#define BACKEND	RING "\"backends\": [\n{\"name\": \"b\",\n"
#define ADDR	BACKEND "\"addr\": \"10.0.0.1\",\n"

static void rings(void)
{
	static const struct refusal v[] = {
		{ "{\"flowring\": 1,\n\"rings\": {}}",
		  "2: rings {}: must be an array" },
		{ HEAD "1]}", "2: ring: must be an object" },
		{ HEAD "{\"bits\": 8}]}", "2: ring: missing name" },
		{ HEAD "{\"bits\": 8,\n\"name\": \"a b\"}]}",
		  "3: ring a\\x20b: name 'a\\x20b': a name cannot contain spaces" },
		{ HEAD "{\"name\": 3}]}", "2: ring: name 3: must be a string" },
		{ RING "\"bit\": 8}]}", "3: ring web: unknown key 'bit'" },
		{ RING "\"bits\": 7}]}", "3: ring web: bits 7: must be 8 to 20" },
		{ RING "\"bits\": 21}]}", "3: ring web: bits 21: must be 8 to 20" },
		{ RING "\"bits\": 8.0}]}", "3: ring web: bits 8: must be 8 to 20" },
		{ RING "\"bits\": true}]}", "3: ring web: bits true: must be 8 to 20" },
		{ RING "\"bits\": null}]}", "3: ring web: bits null: must be 8 to 20" },
		{ RING "\"vnodes\": 0}]}",
		  "3: ring web: vnodes 0: must be 1 to 65536" },
		{ RING "\"vnodes\": 65537}]}",
		  "3: ring web: vnodes 65537: must be 1 to 65536" },
		{ RING "\"key\": \"00\"}]}",
		  "3: ring web: key: must be 32 hexadecimal digits" },
		{ RING "\"key\": \"000102030405060708090a0b0c0d0e0g\"}]}",
		  "3: ring web: key: must be 32 hexadecimal digits" },
		{ RING "\"imbalance\": 0}]}",
		  "3: ring web: imbalance 0: must be 1 to 100 or \"off\"" },
		{ RING "\"imbalance\": 101}]}",
		  "3: ring web: imbalance 101: must be 1 to 100 or \"off\"" },
		{ RING "\"imbalance\": \"on\"}]}",
		  "3: ring web: imbalance on: must be 1 to 100 or \"off\"" },
		{ RING "\"no-backend\": \"no\"}]}",
		  "3: ring web: no-backend no: must be reject, drop or pass" },
		{ RING "\"window\": 0}]}",
		  "3: ring web: window 0: must be 1 to 86400 or \"off\"" },
		{ RING "\"window\": 86401}]}",
		  "3: ring web: window 86401: must be 1 to 86400 or \"off\"" },
		{ RING "\"pin-idle\": \"off\"}]}",
		  "3: ring web: pin-idle off: must be 1 to 86400" },
		{ RING "\"pin-idle\": 0}]}",
		  "3: ring web: pin-idle 0: must be 1 to 86400" },
		{ RING "\"udp\": \"drop\"}]}",
		  "3: ring web: udp drop: must be stick or move" },
		{ RING "\"frozen\": \"on\"}]}",
		  "3: ring web: unknown key 'frozen'" },
		{ RING "\"masquerade\": true}]}",
		  "3: ring web: masquerade true: must be off or on" },
		{ RING "\"epoch\": 0}]}",
		  "3: ring web: epoch 0: must be a number of 1 or more" },
		{ RING "\"owner\": \"a/b\"}]}",
		  "3: ring web: owner 'a/b': a name cannot contain /" },
		{ HEAD "{\"name\": \"a\"},\n{\"name\": \"b\"},\n{\"name\": \"a\"}]}",
		  "4: ring a is there twice, also in line 2" },
		{ RING "\"vnodes\": 65536, \"backends\": [{\"name\": \"b\", \"addr\": \"10.0.0.1\", \"weight\": 1601}]}]}",
		  "2: ring web: its backends would have over 1048576 tokens: lower vnodes or weights" },
	};

	refuse(v, FR_ARRAY_SIZE(v));
}

static void backends(void)
{
	static const struct refusal v[] = {
		{ RING "\"backends\": 1}]}",
		  "3: ring web: backends 1: must be an array" },
		{ RING "\"backends\": [\n[]]}]}",
		  "4: ring web: backend: must be an object" },
		{ BACKEND "\"port\": 1}]}]}", "4: ring web: backend b: missing addr" },
		{ BACKEND "\"addr\": \"10.0.0\"}]}]}",
		  "5: ring web: backend b: addr 10.0.0: must be an IPv4 or IPv6 address" },
		{ BACKEND "\"addr\": \"0.1.2.3\"}]}]}",
		  "5: ring web: backend b: addr 0.1.2.3: the address is zero" },
		{ BACKEND "\"addr\": \"239.1.2.3\"}]}]}",
		  "5: ring web: backend b: addr 239.1.2.3: the address is multicast" },
		{ BACKEND "\"addr\": \"255.255.255.255\"}]}]}",
		  "5: ring web: backend b: addr 255.255.255.255: the address is broadcast" },
		{ BACKEND "\"addr\": \"::\"}]}]}",
		  "5: ring web: backend b: addr ::: the address is zero" },
		{ BACKEND "\"addr\": \"ff02::1\"}]}]}",
		  "5: ring web: backend b: addr ff02::1: the address is multicast" },
		{ BACKEND "\"addr\": \"fe80::1\"}]}]}",
		  "5: ring web: backend b: addr fe80::1: the address is link-local" },
		{ BACKEND "\"addr\": \"::ffff:10.0.0.1\"}]}]}",
		  "5: ring web: backend b: addr ::ffff:10.0.0.1: the address is IPv4-mapped" },
		{ ADDR "\"port\": 0}]}]}",
		  "6: ring web: backend b: port 0: must be 1 to 65535" },
		{ ADDR "\"port\": 65536}]}]}",
		  "6: ring web: backend b: port 65536: must be 1 to 65535" },
		{ ADDR "\"weight\": 10001}]}]}",
		  "6: ring web: backend b: weight 10001: must be 0 to 10000" },
		{ ADDR "\"weight\": -1}]}]}",
		  "6: ring web: backend b: weight -1: must be 0 to 10000" },
		{ ADDR "\"mode\": \"x\"}]}]}",
		  "6: ring web: backend b: mode x: must be nat, dr, ipip, gue or mark" },
		{ ADDR "\"state\": \"x\"}]}]}",
		  "6: ring web: backend b: state x: must be up, drain or down" },
		{ ADDR "\"zone\": \"#\"}]}]}",
		  "6: ring web: backend b: zone '#': a name cannot begin with #" },
		{ ADDR "\"slots\": 1}]}]}",
		  "6: ring web: backend b: unknown key 'slots'" },
		{ ADDR "\"tokens\": []}]}]}",
		  "6: ring web: backend b: tokens: must be an array of 1 to 1024 tokens" },
		{ ADDR "\"tokens\": [\n\"0x1\",\n1]}]}]}",
		  "8: ring web: backend b: tokens: a token must be a string of 0x and 1 to 16 hexadecimal digits" },
		{ ADDR "\"tokens\": [\"0x00000000000000001\"]}]}]}",
		  "6: ring web: backend b: tokens: a token must be a string of 0x and 1 to 16 hexadecimal digits" },
		{ ADDR "\"tokens\": [\"0xa\", \"0xb\", \"0xA\"]}]}]}",
		  "6: ring web: backend b: tokens: 0x000000000000000a is there twice" },
		{ ADDR "\"checksum\": \"x\"}]}]}",
		  "6: ring web: backend b: checksum x: must be off or on" },
		{ BACKEND "\"mode\": \"mark\", \"mark\": 0}]}]}",
		  "5: ring web: backend b: mark 0: must be 1 to 4294967295" },
		{ BACKEND "\"mode\": \"mark\", \"mark\": 4294967296}]}]}",
		  "5: ring web: backend b: mark 4294967296: must be 1 to 4294967295" },
		{ BACKEND "\"mode\": \"mark\", \"mark\": \"0x1\"}]}]}",
		  "5: ring web: backend b: mark 0x1: must be 1 to 4294967295" },
		{ BACKEND "\"mode\": \"mark\"}]}]}",
		  "4: ring web: backend b: missing mark" },
		{ ADDR "\"mode\": \"mark\", \"mark\": 1}]}]}",
		  "4: ring web: backend b: a mark backend has no address" },
		{ BACKEND "\"mode\": \"gue\"}]}]}",
		  "4: ring web: backend b: missing addr" },
		{ ADDR "\"mark\": 1}]}]}",
		  "4: ring web: backend b: only a mark backend has a mark" },
		{ ADDR "\"mode\": \"gue\", \"mark\": 1}]}]}",
		  "4: ring web: backend b: only a mark backend has a mark" },
		{ ADDR "\"mode\": \"ipip\", \"checksum\": \"off\"}]}]}",
		  "4: ring web: backend b: only gue has checksums" },
		{ ADDR "\"checksum\": \"on\"}]}]}",
		  "4: ring web: backend b: only gue has checksums" },
		{ ADDR "\"mode\": \"ipip\", \"port\": 1}]}]}",
		  "4: ring web: backend b: ipip cannot change the port" },
		{ BACKEND "\"mode\": \"mark\", \"mark\": 1, \"port\": 1}]}]}",
		  "4: ring web: backend b: mark cannot change the port" },
		{ RING "\"masquerade\": \"on\", \"backends\": [\n{\"name\": \"b\", \"mark\": 1, \"mode\": \"mark\"}]}]}",
		  "4: ring web: backend b: mark cannot be used with masquerade, which needs nat" },
		{ ADDR "\"mode\": \"nat\"},\n{\"name\": \"c\", \"addr\": \"10.0.0.2\", \"mode\": \"gue\"}]}]}",
		  "7: ring web: cannot mix nat with other modes: b is nat, c is gue" },
		{ ADDR "\"mode\": \"gue\"},\n{\"name\": \"c\", \"addr\": \"10.0.0.1\", \"mode\": \"gue\", \"port\": 6080}]}]}",
		  "7: ring web: backend c: backend b has that address and port" },
		{ ADDR "\"mode\": \"dr\"},\n{\"name\": \"c\", \"addr\": \"10.0.0.1\", \"mode\": \"ipip\"}]}]}",
		  "7: ring web: backend c: backend b has that address and port" },
		{ BACKEND "\"mark\": 7, \"mode\": \"mark\"},\n{\"name\": \"c\", \"mark\": 7, \"mode\": \"mark\"}]}]}",
		  "6: ring web: backend c: backend b has that mark" },
		{ ADDR "\"mode\": \"dr\", \"port\": 1}]}]}",
		  "4: ring web: backend b: dr cannot change the port" },
		{ RING "\"masquerade\": \"on\", \"backends\": [\n{\"name\": \"b\", \"addr\": \"10.0.0.1\", \"mode\": \"dr\"}]}]}",
		  "4: ring web: backend b: dr cannot be used with masquerade, which needs nat" },
		{ ADDR "\"mode\": \"dr\"},\n{\"name\": \"c\", \"addr\": \"10.0.0.2\"}]}]}",
		  "7: ring web: cannot mix nat with other modes: b is dr, c is nat" },
		{ ADDR "\"port\": 80},\n{\"addr\": \"10.0.0.1\", \"name\": \"a\",\n\"port\": 80}]}]}",
		  "7: ring web: backend a: backend b has that address and port" },
		{ ADDR "\"port\": 80},\n{\"addr\": \"10.0.0.2\", \"name\": \"b\"}]}]}",
		  "7: ring web: backend b is there twice, also in line 4" },
	};

	refuse(v, FR_ARRAY_SIZE(v));
}

#define SERVICE	"{\"flowring\": 1, \"services\": [\n{\"ring\": \"web\",\n"
#define PORT	"{\"proto\": \"tcp\", \"addr\": \"10.0.0.1\", \"port\": 1, \"ring\": \"web\"}"

static void services(void)
{
	static const struct refusal v[] = {
		{ SERVICE "\"proto\": \"sctp\"}]}",
		  "3: service: proto sctp: must be tcp, udp or any" },
		{ SERVICE "\"addr\": \"10.0.0.1\",\n\"port\": \"80\"}]}",
		  "4: service 10.0.0.1: port 80: must be 1 to 65535 or all" },
		{ SERVICE "\"addr\": \"10.0.0.1\"}]}",
		  "2: service 10.0.0.1: missing proto" },
		{ SERVICE "\"addr\": \"224.0.0.1\"}]}",
		  "3: service 224.0.0.1: addr 224.0.0.1: the address is multicast" },
		{ SERVICE "\"name\": 1}]}", "3: service: unknown key 'name'" },
		{ SERVICE "\"action\": \"drop\"}]}",
		  "2: service: ring and action do not go together" },
		{ SERVICE "\"addr\": \"10.0.0.1\", \"proto\": \"tcp\"}]}",
		  "2: service 10.0.0.1: missing port" },
		{ SERVICE "\"addr\": \"10.0.0.1\", \"proto\": \"any\", \"port\": 1}]}",
		  "2: service 10.0.0.1: port does not go with any" },
		{ SERVICE "\"addr\": \"10.0.0.1\", \"mark\": 1}]}",
		  "2: service 10.0.0.1: addr does not go with a mark" },
		{ SERVICE "\"mark\": 1}]}", "2: service: missing ip-version" },
		{ SERVICE "\"mark\": 1, \"ip-version\": 5}]}",
		  "3: service: ip-version 5: must be 4 or 6" },
		{ SERVICE "\"addr\": \"10.0.0.1\", \"ip-version\": 4}]}",
		  "2: service 10.0.0.1: ip-version does not go with an address" },
		{ SERVICE "\"proto\": \"any\", \"addr\": \"10.0.0.1\", \"prefix\": 33}]}",
		  "2: service 10.0.0.1: the address has 32 bits" },
		{ SERVICE "\"proto\": \"any\", \"addr\": \"10.0.0.1\", \"prefix\": 31}]}",
		  "2: service 10.0.0.1: addr has bits behind the prefix" },
		{ SERVICE "\"proto\": \"tcp\", \"addr\": \"10.0.0.1\", \"port\": 9, \"port-end\": 9}]}",
		  "2: service 10.0.0.1: port-end is not behind port" },
		{ SERVICE "\"proto\": \"tcp\", \"addr\": \"10.0.0.1\", \"port\": \"all\", \"port-end\": 9}]}",
		  "2: service 10.0.0.1: port-end does not go with all" },
		{ "{\"flowring\": 1, \"services\": [\n" PORT ",\n"
		  "{\"mark\": 7, \"ip-version\": 4, \"ring\": \"web\"}],\n"
		  "\"rings\": [{\"name\": \"web\", \"backends\": [\n"
		  "{\"name\": \"b\", \"addr\": \"10.0.0.1\"}]}]}",
		  "3: service mark 0x7 ipv4 cannot have nat, as ring web does" },
		{ "{\"flowring\": 1, \"services\": [\n" PORT ",\n" PORT "]}",
		  "3: service tcp 10.0.0.1 port 1 is there twice, also in line 2" },
		{ "{\"flowring\": 1, \"services\": [\n" PORT "],\n"
		  "\"rings\": [{\"name\": \"web\", \"backends\": [\n"
		  "{\"name\": \"b\", \"addr\": \"2001:db8::1\"}]}]}",
		  "2: service tcp 10.0.0.1 port 1 is IPv4, backend b of ring web is not" },
	};

	refuse(v, FR_ARRAY_SIZE(v));
}

/* All modes without state in one ring, which serves both families with those
 * that tell them not apart
 */
static const char mixed[] =
"{\"flowring\": 1, \"rings\": [{\"name\": \"web\", \"backends\": [\n"
"{\"name\": \"a\", \"addr\": \"2001:db8::1\", \"mode\": \"ipip\"},\n"
"{\"name\": \"b\", \"addr\": \"10.0.0.1\", \"mode\": \"gue\"},\n"
"{\"name\": \"c\", \"addr\": \"10.0.0.1\", \"mode\": \"gue\", \"port\": 6081, \"checksum\": \"off\"},\n"
"{\"name\": \"d\", \"mode\": \"mark\", \"mark\": 16},\n"
"{\"name\": \"e\", \"mode\": \"mark\", \"mark\": 17}%s]}],\n"
"\"services\": [\n"
"{\"proto\": \"tcp\", \"addr\": \"10.9.0.1\", \"port\": 1, \"ring\": \"web\"},\n"
"{\"proto\": \"tcp\", \"addr\": \"2001:db8::9\", \"port\": 1, \"ring\": \"web\"}]}";

static struct fr_document *read_mixed(struct mock *m, const char *more)
{
	char text[1024];

	snprintf(text, sizeof(text), mixed, more);
	return read_text(m, text);
}

static void modes(void)
{
	const struct fr_doc_backend *b;
	struct fr_document *doc;
	struct mock m;

	mock_init(&m, NULL);
	doc = read_mixed(&m, "");
	KT_STR("", m.err);
	if (KT_TRUE(doc)) {
		b = doc->rings[0].backends;
		KT_INT(16, b[0].addr.len);
		KT_INT(0, b[0].port);
		KT_INT(FLOWRING_SWITCH_OFF, b[0].checksum);
		KT_INT(6080, b[1].port);
		KT_INT(FLOWRING_SWITCH_ON, b[1].checksum);
		KT_INT(6081, b[2].port);
		KT_INT(FLOWRING_SWITCH_OFF, b[2].checksum);
		KT_INT(FLOWRING_MODE_MARK, b[3].mode);
		KT_INT(0, b[3].addr.len);
		KT_INT(16, b[3].mark);
	}
	fr_document_free(doc);
	KT_TRUE(!read_mixed(&m, ", {\"name\": \"f\", \"mode\": \"dr\", \"addr\": \"10.0.0.7\"}"));
	KT_STR("flowring: F:9: service tcp 2001:db8::9 port 1 is IPv6, backend f of ring web is not\n",
	       m.err);
	mock_fini(&m);
}

/* Numbers at the edge, that are good */
static void edges(void)
{
	static const char *const v[] = {
		"{\"flowring\": 1}",
		"{\"flowring\": 1, \"rings\": [], \"services\": [], \"owner\": \"\"}",
		RING "\"bits\": 8, \"vnodes\": 1, \"imbalance\": 1}]}",
		RING "\"window\": 1, \"pin-idle\": 86400, \"udp\": \"stick\"}]}",
		RING "\"window\": 86400, \"pin-idle\": 1}]}",
		RING "\"bits\": 20, \"epoch\": 9223372036854775807}]}",
		RING "\"vnodes\": 65536, \"backends\": [{\"name\": \"b\", \"addr\": \"10.0.0.1\", \"weight\": 1600}]}]}",
		ADDR "\"port\": 1, \"weight\": 10000}]}]}",
		ADDR "\"port\": 65535, \"weight\": 0, \"zone\": \"\"}]}]}",
		RING "\"owner\": \"0123456789012345678901234567890\"}]}",
		BACKEND "\"mode\": \"mark\", \"mark\": 1}]}]}",
		BACKEND "\"mode\": \"mark\", \"mark\": 4294967295}]}]}",
		"{\"flowring\": 1, \"services\": [" PORT "]}",
	};
	struct fr_document *doc;
	struct mock m;
	size_t i;

	for (i = 0; i < FR_ARRAY_SIZE(v); i++) {
		mock_init(&m, NULL);
		doc = read_text(&m, v[i]);
		KT_TRUE(doc);
		KT_STR("", m.err);
		fr_document_free(doc);
		mock_fini(&m);
	}
}

/* No beginning of a document makes the reader read beyond its end */
static void cut(void)
{
	struct fr_document *doc;
	struct mock m;
	char *text;
	size_t i;

	mock_init(&m, NULL);
	for (i = 0; i < sizeof(full) - 2; i++) {
		text = malloc(i ? i : 1);
		memcpy(text, full, i);
		mock_capture(&m);
		doc = fr_document_read(&m.ctx, "F", text, i);
		mock_captured(&m);
		KT_TRUE(!doc);
		KT_TRUE(!strncmp(m.err, "flowring: F:", 12));
		fr_document_free(doc);
		free(text);
	}
	mock_fini(&m);
}

static const struct kt_case cases[] = {
	{ "good", good },
	{ "written", written },
	{ "syntax", syntax },
	{ "rings", rings },
	{ "backends", backends },
	{ "services", services },
	{ "modes", modes },
	{ "edges", edges },
	{ "cut", cut },
};

KT_MAIN(cases)
