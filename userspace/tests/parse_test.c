// SPDX-License-Identifier: GPL-2.0
/* Reading of words. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/flowring.h>

#include "fake.h"
#include "ktap.h"
#include "parse.h"

struct parse_case {
	const char *line;
	const char *err;
};

static void run_cases(const struct parse_case *c, size_t n)
{
	struct fake f;
	size_t i;

	fake_init(&f);
	for (i = 0; i < n; i++) {
		KT_INT(FR_EXIT_LOCAL, mock_run(&f.m, c[i].line));
		KT_STR(c[i].err, f.m.err);
		KT_STR("", f.m.out);
	}
	KT_INT(0, f.m.requests);
	KT_INT(0, f.m.opens);
	fake_fini(&f);
}

static void numbers(void)
{
	struct mock m;
	uint32_t num = 77;

	mock_init(&m, NULL);
	mock_capture(&m);
	KT_INT(0, fr_parse_u32(&m.ctx, "n", "0", 0, UINT32_MAX, &num));
	KT_INT(0, num);
	KT_INT(0, fr_parse_u32(&m.ctx, "n", "4294967295", 0, UINT32_MAX,
			       &num));
	KT_INT(UINT32_MAX, num);
	KT_INT(0, fr_parse_u32(&m.ctx, "n", "080", 0, 80, &num));
	KT_INT(80, num);
	KT_INT(1, fr_parse_u32(&m.ctx, "n", "4294967296", 0, UINT32_MAX,
			       &num));
	KT_INT(1, fr_parse_u32(&m.ctx, "n", "18446744073709551617", 0,
			       UINT32_MAX, &num));
	KT_INT(1, fr_parse_u32(&m.ctx, "n", "", 0, 9, &num));
	KT_INT(1, fr_parse_u32(&m.ctx, "n", "-1", 0, 9, &num));
	KT_INT(1, fr_parse_u32(&m.ctx, "n", "+1", 0, 9, &num));
	KT_INT(1, fr_parse_u32(&m.ctx, "n", "0x1", 0, 9, &num));
	KT_INT(1, fr_parse_u32(&m.ctx, "n", "1 ", 0, 9, &num));
	KT_INT(80, num);
	mock_captured(&m);
	mock_fini(&m);
}

static void number_errors(void)
{
	static const struct parse_case cases[] = {
		{ "service add tcp 192.0.2.1 port 0 ring web",
		  "flowring: port 0: must be 1 to 65535\n" },
		{ "service add tcp 192.0.2.1 port 65536 ring web",
		  "flowring: port 65536: must be 1 to 65535\n" },
		{ "service add tcp 192.0.2.1 port http ring web",
		  "flowring: port http: not a number\n" },
		{ "backend add web b1 addr 10.0.0.1 port 0",
		  "flowring: port 0: must be 1 to 65535\n" },
		{ "backend add web b1 addr 10.0.0.1 weight 10001",
		  "flowring: weight 10001: must be 0 to 10000\n" },
		{ "backend set web b1 weight -5",
		  "flowring: weight -5: not a number\n" },
		{ "ring add web bits 99999999999",
		  "flowring: bits 99999999999: must be 0 to 4294967295\n" },
		{ "ring add web imbalance 0",
		  "flowring: imbalance 0: must be 1 to 100\n" },
		{ "ring set web imbalance 101",
		  "flowring: imbalance 101: must be 1 to 100\n" },
		{ "ring set web imbalance on",
		  "flowring: imbalance on: not a number\n" },
		{ "lookup udp 192.0.2.1 1 192.0.2.2 53 owners 0",
		  "flowring: owners 0: must be 1 to 64\n" },
		{ "lookup udp 192.0.2.1 1 192.0.2.2 53 owners 65",
		  "flowring: owners 65: must be 1 to 64\n" },
		{ "lookup udp 192.0.2.1 65536 192.0.2.2 53",
		  "flowring: source port 65536: must be 0 to 65535\n" },
	};

	run_cases(cases, FR_ARRAY_SIZE(cases));
}

static void addresses(void)
{
	static const struct {
		const char *word;
		int len;
	} c[] = {
		{ "192.0.2.1", 4 }, { "0.0.0.0", 4 }, { "::", 16 },
		{ "2001:DB8::1", 16 }, { "::ffff:192.0.2.1", 16 },
		{ "192.0.2", 0 }, { "192.0.2.256", 0 }, { "192.0.2.01", 0 },
		{ "192.0.2.1.", 0 }, { "3221225985", 0 }, { "", 0 },
		{ "fe80::1%eth0", 0 }, { "192.0.2.1%lo", 0 },
		{ "192.0.2.1/32", 0 }, { "2001:db8:::1", 0 },
		{ "[2001:db8::1]", 0 }, { "localhost", 0 },
	};
	struct fr_addr addr;
	struct mock m;
	size_t i;

	mock_init(&m, NULL);
	mock_capture(&m);
	for (i = 0; i < FR_ARRAY_SIZE(c); i++) {
		KT_INT(!c[i].len, fr_parse_addr(&m.ctx, "addr", c[i].word,
						&addr));
		if (c[i].len)
			KT_INT(c[i].len, addr.len);
	}
	mock_captured(&m);
	mock_fini(&m);
}

static void address_errors(void)
{
	static const struct parse_case cases[] = {
		{ "backend add web b1 addr 10.0.0",
		  "flowring: addr 10.0.0: not an IPv4 or IPv6 address\n" },
		{ "backend add web b1 addr fe80::1%eth0",
		  "flowring: addr fe80::1%eth0: an address cannot have a zone\n" },
		{ "backend add web b1 addr 10.0.0.1%2",
		  "flowring: addr 10.0.0.1%2: an address cannot have a zone\n" },
		{ "lookup tcp 10.0.0.0/8 1 10.0.0.1 80",
		  "flowring: source address 10.0.0.0/8: an address cannot have a prefix length\n" },
		{ "lookup tcp 192.0.2.1 1 2001:db8::1 80",
		  "flowring: lookup: 192.0.2.1 and 2001:db8::1 are not of one family\n" },
	};

	run_cases(cases, FR_ARRAY_SIZE(cases));
}

static void names(void)
{
	static const char long_name[] = "a123456789b123456789c123456789de";
	char name[32];

	snprintf(name, sizeof(name), "%.31s", long_name);
	KT_TRUE(!fr_name_fault("a"));
	KT_TRUE(!fr_name_fault("web-1.example_x:80@dc"));
	KT_TRUE(!fr_name_fault("help"));
	KT_TRUE(!fr_name_fault(name));
	KT_STR("a name cannot be longer than 31 bytes",
	       fr_name_fault(long_name));
	KT_STR("a name cannot be empty", fr_name_fault(""));
	KT_STR("a name cannot contain spaces", fr_name_fault("a b"));
	KT_STR("a name cannot contain /", fr_name_fault("a/b"));
	KT_STR("a name cannot begin with #", fr_name_fault("#a"));
	KT_TRUE(!fr_name_fault("a#b"));
	KT_STR("a name can only contain visible ASCII", fr_name_fault("a\tb"));
	KT_STR("a name can only contain visible ASCII", fr_name_fault("a\n"));
	KT_STR("a name can only contain visible ASCII",
	       fr_name_fault("\x7f"));
	KT_STR("a name can only contain visible ASCII",
	       fr_name_fault("caf\xc3\xa9"));
}

static void name_errors(void)
{
	static const struct parse_case cases[] = {
		{ "ring add a/b", "flowring: ring a/b: a name cannot contain /\n" },
		{ "ring add ", "flowring: ring: a name cannot be empty\n" },
		{ "ring set web owner a/b",
		  "flowring: owner a/b: a name cannot contain /\n" },
		{ "backend set web b1 zone ",
		  "flowring: zone: a name cannot be empty\n" },
		{ "ring del \033[2J",
		  "flowring: ring \\x1b[2J: a name can only contain visible ASCII\n" },
		{ "backend del web ", "flowring: backend: a name cannot be empty\n" },
		{ "service add tcp 192.0.2.1 port 80 ring a/",
		  "flowring: ring a/: a name cannot contain /\n" },
		{ "ring show a123456789b123456789c123456789de",
		  "flowring: ring a123456789b123456789c123456789de: a name cannot be longer than 31 bytes\n" },
	};

	run_cases(cases, FR_ARRAY_SIZE(cases));
}

static void keys(void)
{
	static const unsigned char want[FLOWRING_KEY_LEN] = {
		0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
		0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0xee, 0xff,
	};
	unsigned char key[FLOWRING_KEY_LEN] = {};
	struct mock m;

	mock_init(&m, NULL);
	mock_capture(&m);
	KT_INT(0, fr_parse_key(&m.ctx, "000102030405060708090a0b0C0dEeff",
			       key));
	KT_TRUE(!memcmp(key, want, sizeof(key)));
	KT_INT(1, fr_parse_key(&m.ctx, "000102030405060708090a0b0c0deef",
			       key));
	KT_INT(1, fr_parse_key(&m.ctx, "000102030405060708090a0b0c0deeff0",
			       key));
	KT_INT(1, fr_parse_key(&m.ctx, "000102030405060708090a0b0c0deefg",
			       key));
	KT_INT(1, fr_parse_key(&m.ctx, "0x0102030405060708090a0b0c0deeff",
			       key));
	mock_captured(&m);
	mock_fini(&m);
}

static int key_file(struct fake *f, const char *text, size_t len)
{
	char path[] = "/tmp/flowring-key-XXXXXX";
	char line[96];
	int fd = mkstemp(path);
	int ret;

	if (!KT_TRUE(fd >= 0) || !KT_TRUE(write(fd, text, len) == (ssize_t)len))
		return -1;
	close(fd);
	snprintf(line, sizeof(line), "ring add r key file %s bits 9", path);
	ret = mock_run(&f->m, line);
	unlink(path);
	return ret;
}

static void key_files(void)
{
	static const char good[] = "00112233445566778899aabbccddeeff\r\n \n";
	static const char odd[] = "00112233445566778899aabbccddeeff\n1";
	struct fake f;

	fake_init(&f);
	KT_INT(0, key_file(&f, good, sizeof(good) - 1));
	KT_INT(0, mock_run(&f.m, "save commands"));
	KT_STR("ring add r bits 9 vnodes 512 key 00112233445566778899aabbccddeeff imbalance 5 no-backend reject masquerade off window 300 pin-idle 900 udp stick\n",
	       f.m.out);
	KT_INT(1, key_file(&f, odd, sizeof(odd) - 1));
	KT_TRUE(strstr(f.m.err, "must hold 32 hexadecimal digits"));
	KT_TRUE(!strstr(f.m.err, "0011"));
	KT_INT(1, key_file(&f, good, sizeof(good)));
	KT_INT(1, key_file(&f, "", 0));
	KT_INT(1, mock_run(&f.m, "ring add x key file /nonexistent/key"));
	KT_STR("flowring: key file /nonexistent/key: No such file or directory\n",
	       f.m.err);
	KT_INT(1, mock_run(&f.m, "ring add x key file"));
	KT_INT(1, mock_run(&f.m, "ring add x key file /tmp"));
	KT_STR("flowring: key file /tmp: Is a directory\n", f.m.err);
	fake_fini(&f);
}

static void usage_errors(void)
{
	static const struct parse_case cases[] = {
		{ "rings show",
		  "flowring: unknown object 'rings'; see flowring help\n" },
		{ "ring sh",
		  "flowring: ring: unknown command 'sh'; see flowring ring help\n" },
		{ "ring add",
		  "flowring: ring add: missing ring; see flowring ring help\n" },
		{ "ring add web bit 9",
		  "flowring: ring add: unknown word 'bit'; see flowring ring help\n" },
		{ "ring add web bits",
		  "flowring: ring add: missing the value of bits; see flowring ring help\n" },
		{ "ring add web bits 9 bits 9",
		  "flowring: ring add: bits given twice; see flowring ring help\n" },
		{ "ring add web no-backend maybe",
		  "flowring: no-backend maybe: must be reject, drop or pass\n" },
		{ "ring set web masquerade 1",
		  "flowring: masquerade 1: must be off or on\n" },
		{ "ring set web",
		  "flowring: ring set: missing what to set; see flowring ring help\n" },
		{ "ring set web key 00ff",
		  "flowring: key: must be 32 hexadecimal digits\n" },
		{ "ring del web now",
		  "flowring: ring del: unknown word 'now'; see flowring ring help\n" },
		{ "ring show web now",
		  "flowring: ring show: unknown word 'now'; see flowring ring help\n" },
		{ "backend add web b1",
		  "flowring: backend add: missing addr; see flowring backend help\n" },
		{ "backend add web",
		  "flowring: backend add: missing backend; see flowring backend help\n" },
		{ "backend set web b1 mode dr",
		  "flowring: backend set: unknown word 'mode'; see flowring backend help\n" },
		{ "backend add web b1 addr 10.0.0.1 mode tun",
		  "flowring: mode tun: must be nat, dr, ipip, gue or mark\n" },
		{ "backend add web b1 addr 10.0.0.1 mode mark",
		  "flowring: backend add: missing mark; see flowring backend help\n" },
		{ "backend add web b1 mark 1 mode gue",
		  "flowring: backend add: missing addr; see flowring backend help\n" },
		{ "backend add web b1 addr 10.0.0.1 mode gue checksum 1",
		  "flowring: checksum 1: must be off or on\n" },
		{ "backend set web b1 mark 0",
		  "flowring: mark 0: must be 0x1 to 0xffffffff\n" },
		{ "backend set web b1 state gone",
		  "flowring: state gone: must be up, drain or down\n" },
		{ "backend show web b1 x",
		  "flowring: backend show: unknown word 'x'; see flowring backend help\n" },
		{ "service add sctp 192.0.2.1 port 80 ring web",
		  "flowring: protocol sctp: must be tcp, udp or any\n" },
		{ "service add tcp 192.0.2.1 80 ring web",
		  "flowring: service add: '80' instead of port; see flowring service help\n" },
		{ "service add tcp 192.0.2.1 port 80",
		  "flowring: service add: missing ring or action; see flowring service help\n" },
		{ "service add tcp 192.0.2.1 port 80 action accept",
		  "flowring: action accept: must be drop, reject or pass\n" },
		{ "service add tcp 192.0.2.1 port 80 backend b1",
		  "flowring: service add: 'backend' instead of ring or action; see flowring service help\n" },
		{ "service add tcp 192.0.2.1 port 90-80 ring web",
		  "flowring: port 90-80: the last one is not behind the first\n" },
		{ "service add tcp 192.0.2.1 port 90- ring web",
		  "flowring: last port : not a number\n" },
		{ "service add tcp 192.0.2.1 port -90 ring web",
		  "flowring: port -90: not a number\n" },
		{ "service add tcp 192.0.2.0/33 port 80 ring web",
		  "flowring: prefix 33: must be 1 to 32\n" },
		{ "service add any 192.0.2.1 port 80 ring web",
		  "flowring: service add: 'port' instead of ring or action; see flowring service help\n" },
		{ "service add mark 0 ipv4 ring web",
		  "flowring: mark 0: must be 0x1 to 0xffffffff\n" },
		{ "service add mark 1 ring web",
		  "flowring: service add: 'ring' instead of ipv4 or ipv6; see flowring service help\n" },
		{ "service set tcp 192.0.2.1 port 80 ring web zone x",
		  "flowring: service set: unknown word 'zone'; see flowring service help\n" },
		{ "service add tcp 192.0.2.1 port 80 ring web owner",
		  "flowring: service add: missing the value of owner; see flowring service help\n" },
		{ "service show tcp",
		  "flowring: service show: missing address; see flowring service help\n" },
		{ "lookup tcp 192.0.2.1 1 192.0.2.2 80 owners",
		  "flowring: lookup: missing the value of owners; see flowring lookup help\n" },
		{ "lookup tcp 192.0.2.1",
		  "flowring: lookup: missing source port; see flowring lookup help\n" },
		{ "monitor all",
		  "flowring: monitor: unknown word 'all'; see flowring monitor help\n" },
		{ "save file",
		  "flowring: save: unknown word 'file'; see flowring save help\n" },
		{ "restore - x",
		  "flowring: restore: unknown word 'x'; see flowring restore help\n" },
	};

	run_cases(cases, FR_ARRAY_SIZE(cases));
}

static void tokens(void)
{
	static const char *const bad[] = {
		"", ",", "1,", ",1", "1,,2", "0x", "x", "0x10000000000000000",
		"-1", "+1", "0x0x1", "1 ", "derived,1", "Derived",
	};
	uint64_t v[FLOWRING_MAX_EXPLICIT_TOKENS];
	struct mock m;
	size_t i, n;

	mock_init(&m, NULL);
	mock_capture(&m);
	KT_INT(0, fr_parse_tokens(&m.ctx, "tokens", "derived", v, &n));
	KT_INT(0, n);
	KT_INT(0, fr_parse_tokens(&m.ctx, "tokens",
				  "0xffffffffffffffff,0,0123456789AbCdEf", v,
				  &n));
	KT_INT(3, n);
	KT_TRUE(v[0] == UINT64_MAX);
	KT_TRUE(v[1] == 0);
	KT_TRUE(v[2] == 0x0123456789abcdef);
	for (i = 0; i < FR_ARRAY_SIZE(bad); i++)
		KT_INT(1, fr_parse_tokens(&m.ctx, "tokens", bad[i], v, &n));
	mock_captured(&m);
	mock_fini(&m);
}

static void percents(void)
{
	static const char *const bad[] = {
		"", "%", "5", "100.01%", "101%", "1.%", ".5%", "1.234%", "-1%",
		"+1%", "1e1%", "5%%", "5% ", "1.5.5%", "99999999999%",
	};
	uint32_t share = 77;
	struct mock m;
	size_t i;

	mock_init(&m, NULL);
	mock_capture(&m);
	KT_INT(0, fr_parse_percent(&m.ctx, "x", "0%", &share));
	KT_INT(0, share);
	KT_INT(0, fr_parse_percent(&m.ctx, "x", "100.00%", &share));
	KT_INT(10000, share);
	KT_INT(0, fr_parse_percent(&m.ctx, "x", "0.01%", &share));
	KT_INT(1, share);
	KT_INT(0, fr_parse_percent(&m.ctx, "x", "12.5%", &share));
	KT_INT(1250, share);
	for (i = 0; i < FR_ARRAY_SIZE(bad); i++)
		KT_INT(1, fr_parse_percent(&m.ctx, "x", bad[i], &share));
	KT_INT(1250, share);
	mock_captured(&m);
	mock_fini(&m);
}

static void marks(void)
{
	static const struct {
		const char *word;
		uint32_t mark;
	} good[] = {
		{ "1", 1 }, { "0x1", 1 }, { "16", 16 }, { "0x10", 16 },
		{ "010", 10 }, { "0x0000000aB", 0xab },
		{ "4294967295", UINT32_MAX }, { "0xffffffff", UINT32_MAX },
	};
	static const char *const bad[] = {
		"", "0", "0x", "0x0", "x1", "0X1", "a", "0xg", "1 ", "-1", "+1",
		"0x-1", "1.0", "4294967296", "0x100000000",
		"99999999999999999999", "0x10000000000000001",
	};
	struct mock m;
	uint32_t mark;
	size_t i;

	mock_init(&m, NULL);
	mock_capture(&m);
	for (i = 0; i < FR_ARRAY_SIZE(good); i++) {
		mark = 0;
		KT_INT(0, fr_parse_mark(&m.ctx, "mark", good[i].word, &mark));
		KT_INT(good[i].mark, mark);
	}
	for (i = 0; i < FR_ARRAY_SIZE(bad); i++)
		KT_INT(1, fr_parse_mark(&m.ctx, "mark", bad[i], &mark));
	KT_INT(UINT32_MAX, mark);
	mock_captured(&m);
	mock_fini(&m);
}

/* What the modes beside nat and dr have */
static void sent_modes(void)
{
	const struct nlmsghdr *req;
	const struct nlattr *attr;
	struct fake f;

	fake_init(&f);
	req = (void *)f.m.last;
	KT_INT(0, mock_run(&f.m, "backend add web m1 mark 0x10 mode mark"));
	KT_TRUE(!mock_attr(req, FLOWRING_A_BACKEND_ADDR));
	attr = mock_attr(req, FLOWRING_A_BACKEND_MARK);
	KT_INT(4, mnl_attr_get_payload_len(attr));
	KT_INT(16, mnl_attr_get_u32(attr));
	KT_INT(4, mnl_attr_get_u32(mock_attr(req, FLOWRING_A_BACKEND_MODE)));

	KT_INT(0, mock_run(&f.m, "backend add web g1 mode gue addr 10.0.0.1 checksum off port 6081"));
	KT_INT(3, mnl_attr_get_u32(mock_attr(req, FLOWRING_A_BACKEND_MODE)));
	KT_INT(6081, mnl_attr_get_u32(mock_attr(req,
						FLOWRING_A_BACKEND_PORT)));
	attr = mock_attr(req, FLOWRING_A_BACKEND_CHECKSUM);
	KT_INT(4, mnl_attr_get_payload_len(attr));
	KT_INT(0, mnl_attr_get_u32(attr));
	KT_INT(0, mock_run(&f.m, "backend set web g1 checksum on"));
	KT_INT(1, mnl_attr_get_u32(mock_attr(req,
					     FLOWRING_A_BACKEND_CHECKSUM)));

	KT_INT(0, mock_run(&f.m, "backend add web t1 addr 2001:db8::1 mode ipip"));
	KT_INT(2, mnl_attr_get_u32(mock_attr(req, FLOWRING_A_BACKEND_MODE)));
	KT_TRUE(!mock_attr(req, FLOWRING_A_BACKEND_CHECKSUM));
	/* Whether a mode may have an option is for the kernel to say */
	KT_INT(0, mock_run(&f.m, "backend set web t1 mark 7"));
	KT_INT(7, mnl_attr_get_u32(mock_attr(req, FLOWRING_A_BACKEND_MARK)));
	fake_fini(&f);
}

static void sent_attributes(void)
{
	const struct nlmsghdr *req;
	const struct nlattr *attr;
	struct fake f;

	fake_init(&f);
	req = (void *)f.m.last;
	KT_INT(0, mock_run(&f.m, "backend add web b1 addr 2001:db8::7 port 8080 weight 0 mode dr state drain"));
	KT_INT(FLOWRING_CMD_BACKEND_NEW, mock_cmd(req));
	KT_INT(MOCK_FAMILY, req->nlmsg_type);
	KT_INT(NLM_F_REQUEST | NLM_F_ACK, req->nlmsg_flags);

	attr = mock_attr(req, FLOWRING_A_BACKEND_RING);
	KT_INT(4, mnl_attr_get_payload_len(attr));
	KT_STR("web", mnl_attr_get_str(attr));
	attr = mock_attr(req, FLOWRING_A_BACKEND_ADDR);
	KT_INT(16, mnl_attr_get_payload_len(attr));
	KT_INT(7, ((unsigned char *)mnl_attr_get_payload(attr))[15]);
	attr = mock_attr(req, FLOWRING_A_BACKEND_PORT);
	KT_INT(4, mnl_attr_get_payload_len(attr));
	KT_INT(8080, mnl_attr_get_u32(attr));
	attr = mock_attr(req, FLOWRING_A_BACKEND_WEIGHT);
	KT_INT(0, mnl_attr_get_u32(attr));
	attr = mock_attr(req, FLOWRING_A_BACKEND_MODE);
	KT_INT(FLOWRING_MODE_DR, mnl_attr_get_u32(attr));
	attr = mock_attr(req, FLOWRING_A_BACKEND_STATE);
	KT_INT(FLOWRING_STATE_DRAIN, mnl_attr_get_u32(attr));

	KT_INT(0, mock_run(&f.m, "backend set web b1 weight 7"));
	KT_INT(FLOWRING_CMD_BACKEND_SET, mock_cmd(req));
	KT_TRUE(!mock_attr(req, FLOWRING_A_BACKEND_ADDR));
	KT_TRUE(!mock_attr(req, FLOWRING_A_BACKEND_STATE));

	/* What takes a tag, a zone or tokens away */
	KT_INT(0, mock_run(&f.m, "backend set web b1 zone none tokens derived"));
	attr = mock_attr(req, FLOWRING_A_BACKEND_ZONE);
	KT_INT(1, mnl_attr_get_payload_len(attr));
	attr = mock_attr(req, FLOWRING_A_BACKEND_EXPLICIT_TOKENS);
	KT_INT(0, mnl_attr_get_payload_len(attr));
	KT_INT(2, mock_run(&f.m, "ring set web owner none imbalance off"));
	attr = mock_attr(req, FLOWRING_A_RING_OWNER);
	KT_INT(1, mnl_attr_get_payload_len(attr));
	attr = mock_attr(req, FLOWRING_A_RING_IMBALANCE);
	KT_INT(0, mnl_attr_get_u32(attr));
	KT_INT(2, mock_run(&f.m, "ring set web owner team-a imbalance 100"));
	KT_STR("team-a", mnl_attr_get_str(mock_attr(req,
						    FLOWRING_A_RING_OWNER)));
	KT_INT(100, mnl_attr_get_u32(mock_attr(req,
					       FLOWRING_A_RING_IMBALANCE)));

	KT_INT(0, mock_run(&f.m, "service add udp 192.0.2.9 port 53 ring web"));
	KT_INT(17, mnl_attr_get_u32(mock_attr(req, FLOWRING_A_SERVICE_PROTO)));
	attr = mock_attr(req, FLOWRING_A_SERVICE_ADDR);
	KT_INT(4, mnl_attr_get_payload_len(attr));
	KT_TRUE(!memcmp("\xc0\x00\x02\x09", mnl_attr_get_payload(attr), 4));
	fake_fini(&f);
}

static const struct kt_case cases[] = {
	{ "numbers", numbers },
	{ "number_errors", number_errors },
	{ "addresses", addresses },
	{ "address_errors", address_errors },
	{ "names", names },
	{ "name_errors", name_errors },
	{ "keys", keys },
	{ "key_files", key_files },
	{ "tokens", tokens },
	{ "percents", percents },
	{ "marks", marks },
	{ "usage_errors", usage_errors },
	{ "sent_attributes", sent_attributes },
	{ "sent_modes", sent_modes },
};

KT_MAIN(cases)
