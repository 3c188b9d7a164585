// SPDX-License-Identifier: GPL-2.0
/* Making the host match a document: in which steps, and when not. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/flowring.h>

#include "fake_commit.h"
#include "golden.h"
#include "ktap.h"

/* Run a command on a document; its path is FILE in what is said of it */
static int run(struct fake_commit *c, const char *words, const char *text)
{
	char path[] = "/tmp/flowring-apply-XXXXXX";
	int fd = mkstemp(path);
	char line[256], *at;
	FILE *f = fdopen(fd, "w");
	int ret;

	fputs(text, f);
	fclose(f);
	snprintf(line, sizeof(line), "apply %s%s%s", words, *words ? " " : "",
		 path);
	c->changes = 0;
	c->dry = 0;
	c->len = 0;
	c->log[0] = '\0';
	ret = mock_run(&c->f.m, line);
	while ((at = strstr(c->f.m.err, path))) {
		memcpy(at, "FILE", 4);
		memmove(at + 4, at + strlen(path), strlen(at + strlen(path)) + 1);
	}
	unlink(path);
	return ret;
}

/* What is said of an error must have these words in it */
static void said(struct fake_commit *c, const char *words)
{
	if (!KT_TRUE(strstr(c->f.m.err, words)))
		printf("# want: %s\n# got:  %s\n", words, c->f.m.err);
}

/* The host has what a document says: it is what save prints */
static void has(struct fake_commit *c, const char *text)
{
	KT_INT(0, run(c, "", text));
	KT_INT(0, c->changes);
	KT_INT(0, c->dry);
	KT_STR("nothing to do\n", c->f.m.out);
}

#define KEY	"\"key\": \"000102030405060708090a0b0c0d0e0f\""
#define WEB(x)	"{\"name\": \"web\", " KEY ", \"bits\": 8, \"backends\": [" x "]}"
#define DNS(x)	"{\"name\": \"dns\", " KEY ", \"bits\": 9, \"backends\": [" x "]}"
#define B(n, a)	"{\"name\": \"" n "\", \"addr\": \"" a "\"}"
#define DR(n, a) "{\"name\": \"" n "\", \"addr\": \"" a "\", \"mode\": \"dr\"}"
#define S(a, p, r) "{\"proto\": \"tcp\", \"addr\": \"" a "\", \"port\": " p ", \"ring\": \"" r "\"}"
#define DOC(rings, services) \
	"{\"flowring\": 1, \"rings\": [" rings "],\n\"services\": [" services "]}"
#define OWNED(tag, rings, services) \
	"{\"flowring\": 1, \"owner\": \"" tag "\", \"rings\": [" rings "],\n" \
	"\"services\": [" services "]}"

#define TUNNEL	"{\"name\": \"t\", \"addr\": \"2001:db8::1\", \"mode\": \"ipip\"}"
#define MARK	"{\"name\": \"m\", \"mark\": 9, \"mode\": \"mark\"}"
#define B1	B("b1", "10.0.0.1")
#define B2	B("b2", "10.0.0.2")
#define S80	S("198.51.100.10", "80", "web")

static void begins(void)
{
	struct fake_commit c;

	fake_commit_init(&c);
	KT_INT(0, run(&c, "", DOC(WEB(B1 "," B2) "," DNS(""), S80)));
	KT_STR("", c.f.m.err);
	KT_STR("commit dns 1 epoch 1\ncommit web 3 epoch 1\nservice-new 80\n",
	       c.log);
	/* Both rings were looked at before the first was made */
	KT_INT(2, c.dry);
	KT_INT(5, c.f.n);
	has(&c, DOC(DNS("") "," WEB(B2 "," B1), S80));
	fake_commit_fini(&c);
}

static void changes(void)
{
	struct fake_commit c;

	fake_commit_init(&c);
	KT_INT(0, run(&c, "", DOC(WEB(B1 "," B2), S80)));
	/* One commit alone needs no look before it */
	KT_INT(0, run(&c, "", DOC(WEB(B1 "," B("b3", "10.0.0.2")), S80)));
	KT_STR("commit web 2 epoch 2\n", c.log);
	KT_INT(0, c.dry);
	/* Two trade their addresses */
	KT_INT(0, run(&c, "", DOC(WEB(B("b1", "10.0.0.2") "," B("b3", "10.0.0.1")),
				  S80)));
	KT_STR("commit web 2 epoch 3\n", c.log);
	/* Another mode needs new backends, another address does not */
	KT_INT(0, run(&c, "", DOC(WEB(DR("b1", "10.0.0.2") ","
				      DR("b3", "10.0.0.1")), S80)));
	KT_STR("commit web 4 epoch 4\n", c.log);
	/* What is not said is the default, but for the key */
	KT_INT(0, run(&c, "", DOC("{\"name\": \"web\", \"backends\": [" B1 "]}",
				  S80)));
	KT_STR("commit web 4 epoch 5\n", c.log);
	has(&c, DOC("{\"name\": \"web\", \"bits\": 16, \"vnodes\": 512, \"imbalance\": 5, " KEY
		    ", \"backends\": [" B1 "]}", S80));
	fake_commit_fini(&c);
}

/* Each option of a backend and of a ring is seen, set, and taken back */
static void options(void)
{
	static const char *const ring[] = {
		"\"vnodes\": 7", "\"imbalance\": \"off\"", "\"imbalance\": 9",
		"\"no-backend\": \"pass\"", "\"masquerade\": \"on\"",
		"\"key\": \"ff0102030405060708090a0b0c0d0e0f\"",
		"\"window\": \"off\"", "\"window\": 60", "\"pin-idle\": 60",
		"\"udp\": \"move\"",
	};
	static const char *const backend[] = {
		"\"weight\": 0", "\"state\": \"drain\"", "\"state\": \"down\"",
		"\"zone\": \"r1\"", "\"port\": 8080", "\"tokens\": [\"0x1\"]",
		"\"tokens\": [\"0x1\", \"0xffffffffffffffff\"]",
	};
	struct fake_commit c;
	char text[512];
	size_t i;

	fake_commit_init(&c);
	KT_INT(0, run(&c, "", DOC(WEB(B1), "")));
	for (i = 0; i < FR_ARRAY_SIZE(ring); i++) {
		snprintf(text, sizeof(text), DOC("{\"name\": \"web\", \"bits\": 8, %s, \"backends\": [" B1 "]}", ""),
			 ring[i]);
		KT_INT(0, run(&c, "", text));
		KT_INT(1, c.changes);
		has(&c, text);
		KT_INT(0, run(&c, "", DOC(WEB(B1), "")));
		KT_INT(1, c.changes);
	}
	for (i = 0; i < FR_ARRAY_SIZE(backend); i++) {
		snprintf(text, sizeof(text), DOC(WEB("{\"name\": \"b1\", \"addr\": \"10.0.0.1\", %s}"), ""),
			 backend[i]);
		KT_INT(0, run(&c, "", text));
		KT_INT(1, c.changes);
		has(&c, text);
		KT_INT(0, run(&c, "", DOC(WEB(B1), "")));
		KT_INT(1, c.changes);
		has(&c, DOC(WEB(B1), ""));
	}
	fake_commit_fini(&c);
}

/* What the modes without state have; only a new mode needs a new backend */
static void modes(void)
{
	static const char *const v[] = {
		"\"mode\": \"gue\", \"addr\": \"10.0.0.1\"",
		"\"mode\": \"gue\", \"addr\": \"10.0.0.1\", \"checksum\": \"off\"",
		"\"mode\": \"gue\", \"addr\": \"2001:db8::1\", \"port\": 7",
		"\"mode\": \"mark\", \"mark\": 1",
		"\"mode\": \"mark\", \"mark\": 4294967295",
		"\"mode\": \"ipip\", \"addr\": \"2001:db8::1\"",
		"\"mode\": \"dr\", \"addr\": \"10.0.0.1\"",
	};
	static const int changes[] = { 0, 1, 1, 2, 1, 2, 2 };
	char text[512], log[64];
	struct fake_commit c;
	size_t i;

	fake_commit_init(&c);
	for (i = 0; i < FR_ARRAY_SIZE(v); i++) {
		snprintf(text, sizeof(text), DOC(WEB("{\"name\": \"b1\", %s}"), S80),
			 v[i]);
		KT_INT(0, run(&c, "", text));
		KT_STR("", c.f.m.err);
		snprintf(log, sizeof(log), "commit web %d epoch %zu\n",
			 changes[i], i + 1);
		if (i)
			KT_STR(log, c.log);
		has(&c, text);
	}
	fake_commit_fini(&c);
}

/* A ring of tunnels and marks serves both families; nat and dr bind it */
static void both_families(void)
{
	static const char any[] = DOC(WEB(TUNNEL "," MARK),
				      S80 "," S("2001:db8::80", "80", "web"));
	struct fake_commit c;

	fake_commit_init(&c);
	KT_INT(0, run(&c, "", DOC(WEB(B1), S80)));
	KT_INT(0, run(&c, "", any));
	KT_STR("commit web 3 epoch 2\nservice-new 80\n", c.log);
	has(&c, any);
	/* Another's service, which is not of the family of the tunnel either */
	KT_INT(0, run(&c, "", OWNED("two", "", S("198.51.100.11", "81", "web"))));
	KT_INT(0, run(&c, "--owner two", OWNED("two", "", "")));
	/* The service of the other family goes first */
	KT_INT(0, run(&c, "", DOC(WEB(DR("b1", "10.0.0.1")), S80)));
	KT_STR("service-del 80\ncommit web 3 epoch 3\n", c.log);
	fake_commit_fini(&c);
}

static void services(void)
{
	struct fake_commit c;

	fake_commit_init(&c);
	KT_INT(0, run(&c, "", DOC(WEB(B1) "," DNS(B1), S80)));
	KT_INT(0, run(&c, "", DOC(WEB(B1) "," DNS(B1),
				  S("198.51.100.10", "80", "dns") ","
				  S("198.51.100.10", "81", "web"))));
	KT_STR("service-set 80\nservice-new 81\n", c.log);
	/* A ring goes with its services, and after them */
	KT_INT(0, run(&c, "", DOC(WEB(B1), S("198.51.100.10", "81", "web"))));
	KT_STR("service-del 80\nring-del dns\n", c.log);
	KT_INT(0, run(&c, "", "{\"flowring\": 1}"));
	KT_STR("service-del 81\nring-del web\n", c.log);
	KT_INT(0, c.f.n);
	has(&c, "{\"flowring\": 1}");
	fake_commit_fini(&c);
}

/* Services hold backends of another family up, until they are gone */
static void families(void)
{
	struct fake_commit c;

	fake_commit_init(&c);
	KT_INT(0, run(&c, "", DOC(WEB(B1), S80)));
	KT_INT(0, run(&c, "", DOC(WEB(B("b1", "2001:db8::1")),
				  S("2001:db8::80", "80", "web"))));
	KT_STR("service-del 80\ncommit web 1 epoch 2\nservice-new 80\n", c.log);
	/* To a ring that has to be made first */
	KT_INT(0, run(&c, "", DOC(WEB(B1) "," DNS(B("ns", "2001:db8::2")),
				  S("2001:db8::80", "80", "dns") ","
				  S("198.51.100.10", "81", "web"))));
	KT_STR("commit dns 2 epoch 1\nservice-set 80\ncommit web 1 epoch 3\nservice-new 81\n",
	       c.log);
	/* In a circle it cannot be done */
	KT_INT(1, run(&c, "", DOC(WEB(B("b1", "2001:db8::1")) "," DNS(B1),
				  S("2001:db8::80", "80", "web") ","
				  S("198.51.100.10", "81", "dns"))));
	KT_INT(0, c.changes + c.dry);
	said(&c, "FILE:1: ring dns: its backends change their family while services trade places");
	fake_commit_fini(&c);
}

static void owners(void)
{
	struct fake_commit c;

	fake_commit_init(&c);
	KT_INT(0, run(&c, "", OWNED("one", WEB(B1), S80)));
	/* Another's full set, and none at all, leave it alone */
	KT_INT(0, run(&c, "", OWNED("two", DNS(B1),
				    S("198.51.100.10", "53", "dns"))));
	KT_STR("commit dns 2 epoch 1\nservice-new 53\n", c.log);
	KT_INT(0, run(&c, "", OWNED("two", "", "")));
	KT_STR("service-del 53\nring-del dns\n", c.log);
	KT_INT(0, run(&c, "", "{\"flowring\": 1}"));
	KT_STR("nothing to do\n", c.f.m.out);
	/* So it is refused, unless all is taken over */
	KT_INT(1, run(&c, "", OWNED("two", WEB(B1), "")));
	said(&c, "FILE:1: ring web: belongs to owner one; --all takes it over");
	KT_INT(1, run(&c, "", DOC(WEB(B1), "")));
	said(&c, "FILE:1: ring web: belongs to owner one; --all takes it over");
	KT_INT(1, run(&c, "", OWNED("two", "", S("198.51.100.10", "80", "web"))));
	said(&c, "FILE:2: service tcp 198.51.100.10 port 80: belongs to owner one");
	KT_INT(0, run(&c, "--owner one", DOC(WEB(B1), S80)));
	KT_STR("nothing to do\n", c.f.m.out);
	KT_INT(0, run(&c, "--all --owner two", DOC(WEB(B1), S80)));
	KT_STR("commit web 1 epoch 2\nservice-set 80\n", c.log);
	KT_INT(0, run(&c, "--owner two", DOC(WEB(B1), S80)));
	KT_STR("nothing to do\n", c.f.m.out);
	/* Another may point to it, and then it stays */
	KT_INT(0, run(&c, "", OWNED("three", "", S("198.51.100.10", "81", "web"))));
	KT_INT(1, run(&c, "", OWNED("two", "", "")));
	KT_INT(0, c.changes);
	said(&c, "ring web is not here, so it is to be deleted, but service tcp 198.51.100.10 port 81 of owner three points to it");
	KT_INT(1, run(&c, "", OWNED("two", WEB(B("b1", "2001:db8::1")), "")));
	said(&c, "FILE:1: ring web: backends of the other family, but service tcp 198.51.100.10 port 81 of owner three points to it");
	KT_INT(0, run(&c, "--all", "{\"flowring\": 1}"));
	KT_INT(0, c.f.n);
	fake_commit_fini(&c);
}

static void references(void)
{
	struct fake_commit c;

	fake_commit_init(&c);
	KT_INT(1, run(&c, "", DOC("", S80)));
	said(&c, "FILE:2: service tcp 198.51.100.10 port 80: no ring web, neither here nor on the host");
	KT_INT(0, run(&c, "", DOC(WEB(B1), "")));
	KT_INT(1, run(&c, "", DOC("", S80)));
	said(&c, "FILE:2: service tcp 198.51.100.10 port 80: ring web is on the host but not here, so it is to be deleted");
	KT_INT(1, run(&c, "", OWNED("two", "", S("2001:db8::1", "80", "web"))));
	said(&c, "FILE:2: service tcp 2001:db8::1 port 80: backend b1 of ring web is of the other family");
	KT_INT(0, c.changes);
	fake_commit_fini(&c);
}

static void epochs(void)
{
	static const char at[] = "{\"flowring\": 1, \"rings\": [{\"name\": \"web\",\n\"epoch\": %u, \"backends\": [%s]}]}";
	struct fake_commit c;
	char text[512];

	fake_commit_init(&c);
	snprintf(text, sizeof(text), at, 7, B1);
	KT_INT(0, run(&c, "", text));
	KT_STR("commit web 2 epoch 7\n", c.log);
	has(&c, text);
	/* A controller that begins again at 0 cannot win */
	snprintf(text, sizeof(text), at, 7, B2);
	KT_INT(1, run(&c, "", text));
	said(&c, "FILE:1: ring web: epoch 7 is not above the ring's own, which is 7");
	KT_INT(0, c.changes + c.dry);
	snprintf(text, sizeof(text), at, 9, B2);
	KT_INT(0, run(&c, "", text));
	KT_STR("commit web 2 epoch 9\n", c.log);
	/* Nothing but the epoch */
	snprintf(text, sizeof(text), at, 12, B2);
	KT_INT(0, run(&c, "", text));
	KT_STR("commit web 1 epoch 12\n", c.log);
	has(&c, text);
	snprintf(text, sizeof(text), at, 3, B2);
	has(&c, text);
	fake_commit_fini(&c);
}

static void stale(void)
{
	struct fake_commit c;

	fake_commit_init(&c);
	KT_INT(0, run(&c, "", DOC(WEB(B1) "," DNS(B1), S80)));
	c.busy = 3;
	KT_INT(0, run(&c, "", DOC(WEB(B2) "," DNS(B2), S80)));
	KT_STR("", c.f.m.err);
	KT_INT(2, c.changes);
	has(&c, DOC(WEB(B2) "," DNS(B2), S80));
	c.busy = 1000;
	KT_INT(2, run(&c, "", DOC(WEB(B1) "," DNS(B1), S80)));
	KT_STR("flowring: apply: changes interrupted it 5 times: try again\n",
	       c.f.m.err);
	KT_INT(0, c.changes);
	fake_commit_fini(&c);
}

/* What fails in the middle says what was done; the next run does the rest */
static void partial(void)
{
	struct fake_commit c;

	fake_commit_init(&c);
	c.fail = 2;
	KT_INT(2, run(&c, "", DOC(WEB(B1) "," DNS(B1), S80)));
	KT_STR("commit dns 2 epoch 1\n", c.log);
	said(&c, "flowring: ring web: ");
	said(&c, "flowring: apply: 1 of 3 steps were done before that; another run does the rest\n");
	KT_INT(0, run(&c, "", DOC(WEB(B1) "," DNS(B1), S80)));
	KT_STR("commit web 2 epoch 1\nservice-new 80\n", c.log);
	has(&c, DOC(WEB(B1) "," DNS(B1), S80));
	fake_commit_fini(&c);
}

/* What the kernel refuses in one ring keeps all others as they are */
static void all_or_nothing(void)
{
	struct fake_commit c;

	fake_commit_init(&c);
	KT_INT(0, run(&c, "", DOC(WEB(B1), "")));
	c.refuse = "web";
	KT_INT(2, run(&c, "", DOC(DNS(B1) "," WEB(B2),
				  S("198.51.100.10", "53", "dns"))));
	said(&c, "flowring: ring web: ");
	KT_INT(2, c.dry);
	KT_INT(0, c.changes);
	KT_INT(2, c.f.n);
	fake_commit_fini(&c);
}

static char *many_of(const char *name, unsigned int from, unsigned int to,
		     const char *mode)
{
	char *text = malloc(200 + 80 * (to - from));
	unsigned int i;
	int n;

	n = sprintf(text, "{\"flowring\": 1, \"rings\": [{\"name\": \"web\", " KEY ", \"vnodes\": 1, \"backends\": [");
	for (i = from; i < to; i++)
		n += sprintf(text + n, "%s{\"name\": \"%s%u\", \"addr\": \"10.0.%u.%u\"%s}",
			     i == from ? "" : ",\n", name, i, i >> 8, i & 255,
			     mode);
	strcpy(text + n, "]}]}");
	return text;
}

static char *many(const char *name, unsigned int from, unsigned int to)
{
	return many_of(name, from, to, "");
}

/* More changes than one commit can have; the ring never runs empty */
static void split(void)
{
	struct fake_commit c;
	char *text;

	fake_commit_init(&c);
	text = many("b", 1, 2500);
	KT_INT(0, run(&c, "", text));
	KT_STR("commit web 1000 epoch 1\ncommit web 1000 epoch 2\ncommit web 500 epoch 3\n",
	       c.log);
	KT_TRUE(!strncmp(c.f.m.out, "ring web: 2500 changes in 3 commits\n", 36));
	has(&c, text);
	free(text);

	/* Other names for the same endpoints: one goes as one comes */
	text = many("c", 1, 2500);
	c.fail = 2;
	KT_INT(2, run(&c, "", text));
	KT_INT(2500, c.f.n);
	KT_INT(0, run(&c, "", text));
	has(&c, text);
	free(text);

	/* Others altogether: they come before those go */
	text = many("d", 2500, 4000);
	c.fail = 2;
	KT_INT(2, run(&c, "", text));
	KT_INT(3500, c.f.n);
	KT_INT(0, run(&c, "", text));
	has(&c, text);
	free(text);
	fake_commit_fini(&c);
}

/* A new mode for all: one goes as one comes, where the two can be mixed; else
 * the ring is emptied
 */
static void split_modes(void)
{
	static const char *const modes[] = {
		", \"mode\": \"dr\"", ", \"mode\": \"gue\"", "",
		", \"mode\": \"ipip\"",
	};
	static const int left[] = { 0, 1500, 500, 500 };
	struct fake_commit c;
	char *text;
	size_t i;

	fake_commit_init(&c);
	for (i = 0; i < FR_ARRAY_SIZE(modes); i++) {
		text = many_of("b", 1, 1501, modes[i]);
		c.fail = i ? 2 : 0;
		KT_INT(i ? 2 : 0, run(&c, "", text));
		if (i)
			KT_INT(1 + left[i], c.f.n);
		KT_INT(0, run(&c, "", text));
		has(&c, text);
		free(text);
	}
	fake_commit_fini(&c);
}

/* A freeze of one ring holds all up, for nothing is to be done by halves */
static void frozen(void)
{
	struct fake_commit c;

	fake_commit_init(&c);
	KT_INT(0, run(&c, "", DOC(WEB(B1) "," DNS(B1), S80)));
	fake_u32(fake_find(&c.f, &fr_set_ring, "web"), FLOWRING_A_RING_FROZEN,
		 1);
	has(&c, DOC(WEB(B1) "," DNS(B1), S80));
	KT_INT(2, run(&c, "", DOC(WEB(B2) "," DNS(B2), S80)));
	KT_STR("flowring: ring web is frozen\n", c.f.m.err);
	KT_STR("", c.f.m.out);
	KT_INT(0, c.changes);
	KT_INT(2, run(&c, "", DOC(DNS(B2), "")));
	KT_STR("flowring: ring web is frozen\n", c.f.m.err);
	KT_INT(0, c.changes);
	KT_INT(0, run(&c, "-n", DOC(WEB(B2) "," DNS(B2), S80)));
	/* The others can be changed */
	KT_INT(0, run(&c, "", DOC(WEB(B1) "," DNS(B2), S80)));
	KT_STR("commit dns 2 epoch 2\n", c.log);
	fake_commit_fini(&c);
}

static void dry_run(void)
{
	struct fake_commit c;

	fake_commit_init(&c);
	KT_INT(0, run(&c, "", DOC(WEB(B1), S80)));
	KT_INT(0, run(&c, "-n", DOC(DNS(B1), S("198.51.100.10", "53", "dns"))));
	KT_INT(0, c.changes);
	KT_INT(1, c.dry);
	KT_TRUE(strstr(c.f.m.out, "ring dns is made (a plan, nothing is changed)\n"));
	KT_TRUE(strstr(c.f.m.out, "ring web is deleted (a plan, nothing is changed)\n"));
	KT_TRUE(strstr(c.f.m.out, "service tcp 198.51.100.10 port 53: add ring dns\n"));
	KT_TRUE(strstr(c.f.m.out, "service tcp 198.51.100.10 port 80: del\n"));
	KT_INT(0, run(&c, "--dry-run", DOC(WEB(B1), S80)));
	KT_STR("nothing to do\n", c.f.m.out);
	c.f.m.ctx.json = true;
	KT_INT(0, run(&c, "-n", DOC(WEB(B1), S80)));
	KT_STR("{\"dry-run\":true,\"rings\":[],\"services\":[]}\n", c.f.m.out);
	KT_INT(0, run(&c, "", DOC(WEB(B1), "")));
	KT_STR("{\"dry-run\":false,\"rings\":[],\"services\":[{\"op\":\"del\",\"proto\":\"tcp\",\"addr\":\"198.51.100.10\",\"port\":80,\"ring\":\"web\"}]}\n",
	       c.f.m.out);
	fake_commit_fini(&c);
}

static void limits(void)
{
	struct fake_commit c;
	const struct nlmsghdr *req = (const void *)c.f.m.last;

	fake_commit_init(&c);
	KT_INT(0, run(&c, "", DOC(WEB(B1), "")));
	KT_TRUE(!mock_attr(req, FLOWRING_A_COMMIT_MAX_MOVE));
	KT_INT(0, run(&c, "-n --max-move 12.5% --max-share 60%",
		      DOC(WEB(B2), "")));
	KT_INT(32, mnl_attr_get_u32(mock_attr(req,
					      FLOWRING_A_COMMIT_MAX_MOVE)));
	KT_INT(6000, mnl_attr_get_u32(mock_attr(req,
						FLOWRING_A_COMMIT_MAX_SHARE)));
	KT_INT(0, run(&c, "-n --max-move 7", DOC(WEB(B2), "")));
	KT_INT(7, mnl_attr_get_u32(mock_attr(req,
					     FLOWRING_A_COMMIT_MAX_MOVE)));
	fake_commit_fini(&c);
}

static const char saved[] =
"ring add web vnodes 100 key 000102030405060708090a0b0c0d0eff masquerade on\n"
"ring add dns bits 8 no-backend drop owner else window 86400 pin-idle 1 udp move\n"
"ring add Web no-backend pass imbalance off window off\n"
"backend add web b2 addr 10.0.0.2 port 8080 weight 0 state drain\n"
"backend add dns ns addr 2001:0DB8::0053 mode dr weight 10000\n"
"backend add Web g1 addr 2001:db8::7 mode gue\n"
"backend add Web g2 addr 2001:db8::7 mode gue port 6081 checksum off\n"
"backend add Web i1 addr 10.0.0.7 mode ipip\n"
"backend add Web m1 mark 4294967295 mode mark\n"
"backend add web b10 addr 10.0.0.10 state down zone r1 tokens ff,0x0\n"
"backend add web b1 addr 10.0.0.1 port 80\n"
"service add udp 2001:db8::1 port 53 ring dns owner else\n"
"service add tcp 198.51.100.10 port 443 ring web\n"
"service add tcp 198.51.100.10 port 80 ring web\n"
"service add tcp 198.51.100.10 port 81 ring Web\n"
"service add tcp 2001:db8::1 port 81 ring Web\n";

/* What is saved is what the host has, here and on another host */
static void save_and_apply(void)
{
	struct fake_commit c;
	char *first;

	fake_commit_init(&c);
	KT_INT(0, fake_text(&c.f, saved));
	KT_INT(0, mock_run(&c.f.m, "save"));
	KT_STR("", c.f.m.err);
	golden("save.json", c.f.m.out);
	first = strdup(c.f.m.out);
	has(&c, first);
	fake_commit_fini(&c);

	fake_commit_init(&c);
	KT_INT(0, run(&c, "", first));
	KT_STR("", c.f.m.err);
	KT_INT(0, mock_run(&c.f.m, "save"));
	KT_STR(first, c.f.m.out);
	fake_commit_fini(&c);
	free(first);
}

/* The owner of all is that of the document */
static void save_owner(void)
{
	struct fake_commit c;

	fake_commit_init(&c);
	KT_INT(0, mock_run(&c.f.m, "save"));
	KT_STR("{\n  \"flowring\": 1,\n  \"rings\": [],\n  \"services\": []\n}\n",
	       c.f.m.out);
	KT_INT(0, run(&c, "", OWNED("one", WEB(B1), S80)));
	KT_INT(0, mock_run(&c.f.m, "save"));
	KT_TRUE(!strncmp(c.f.m.out, "{\n  \"flowring\": 1,\n  \"owner\": \"one\",\n",
			 35));
	KT_TRUE(!strstr(c.f.m.out + 35, "owner"));
	c.f.hide_keys = true;
	KT_INT(2, mock_run(&c.f.m, "save"));
	KT_STR("", c.f.m.out);
	said(&c, "flowring: save: ring web: the kernel does not show its key: needs CAP_NET_ADMIN");
	c.f.hide_keys = false;
	c.f.restless = true;
	KT_INT(2, mock_run(&c.f.m, "save"));
	KT_STR("", c.f.m.out);
	KT_STR("flowring: save: changes interrupted it 10 times: try again\n",
	       c.f.m.err);
	fake_commit_fini(&c);
}

static void wrong_words(void)
{
	struct fake_commit c;

	fake_commit_init(&c);
	KT_INT(1, mock_run(&c.f.m, "apply"));
	KT_STR("flowring: apply: missing FILE; see flowring apply help\n",
	       c.f.m.err);
	KT_INT(1, mock_run(&c.f.m, "apply --some FILE"));
	KT_STR("flowring: apply: unknown option '--some'; see flowring apply help\n",
	       c.f.m.err);
	KT_INT(1, mock_run(&c.f.m, "apply /nowhere more"));
	KT_STR("flowring: apply: unknown word 'more'; see flowring apply help\n",
	       c.f.m.err);
	KT_INT(1, mock_run(&c.f.m, "apply /nowhere"));
	KT_STR("flowring: /nowhere: No such file or directory\n", c.f.m.err);
	KT_INT(1, mock_run(&c.f.m, "apply --owner"));
	KT_INT(1, mock_run(&c.f.m, "apply --owner a/b F"));
	KT_INT(1, mock_run(&c.f.m, "apply --max-share 101% F"));
	KT_INT(0, c.f.m.requests);
	c.f.hide_keys = true;
	KT_INT(0, run(&c, "", DOC(WEB(B1), "")));
	KT_INT(2, run(&c, "", DOC(WEB(B1), "")));
	said(&c, "flowring: apply: ring web: the kernel does not show its key: needs CAP_NET_ADMIN");
	fake_commit_fini(&c);
}

static const struct kt_case cases[] = {
	{ "begins", begins },
	{ "changes", changes },
	{ "options", options },
	{ "modes", modes },
	{ "both_families", both_families },
	{ "services", services },
	{ "families", families },
	{ "owners", owners },
	{ "references", references },
	{ "epochs", epochs },
	{ "stale", stale },
	{ "partial", partial },
	{ "all_or_nothing", all_or_nothing },
	{ "split", split },
	{ "split_modes", split_modes },
	{ "frozen", frozen },
	{ "dry_run", dry_run },
	{ "limits", limits },
	{ "save_and_apply", save_and_apply },
	{ "save_owner", save_owner },
	{ "wrong_words", wrong_words },
};

KT_MAIN(cases)
