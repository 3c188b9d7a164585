// SPDX-License-Identifier: GPL-2.0
/* Reading single words. Each mistake has its own message, with the word that is
 * wrong; what the kernel alone can know is left to it.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>

#include "parse.h"

/**
 * fr_parse_u32() - Read a number in decimal digits.
 * @ctx: The run.
 * @key: What it is, for errors.
 * @word: The word.
 * @min: Least value.
 * @max: Greatest value.
 * @num: The number.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_parse_u32(struct fr_ctx *ctx, const char *key, const char *word,
		 uint32_t min, uint32_t max, uint32_t *num)
{
	uint64_t val = 0;
	const char *p;

	for (p = word; *p >= '0' && *p <= '9' && val <= UINT32_MAX; p++)
		val = 10 * val + (*p - '0');

	if (!*word || (*p && (*p < '0' || *p > '9')))
		return fr_error(ctx, "%s %s: not a number", key, word);
	if (val < min || val > max)
		return fr_error(ctx, "%s %s: must be %" PRIu32 " to %" PRIu32,
				key, word, min, max);
	*num = val;
	return FR_EXIT_OK;
}

/**
 * fr_parse_u64() - Read a large number in decimal digits.
 * @ctx: The run.
 * @key: What it is, for errors.
 * @word: The word.
 * @num: The number.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_parse_u64(struct fr_ctx *ctx, const char *key, const char *word,
		 uint64_t *num)
{
	char *end;

	errno = 0;
	*num = strtoull(word, &end, 10);
	if (*word < '0' || *word > '9' || *end)
		return fr_error(ctx, "%s %s: not a number", key, word);
	if (errno)
		return fr_error(ctx, "%s %s: must be 0 to %" PRIu64, key, word,
				UINT64_MAX);
	return FR_EXIT_OK;
}

/**
 * fr_parse_mark() - Read a firewall mark.
 * @ctx: The run.
 * @key: What it is, for errors.
 * @word: The word: decimal digits, or hexadecimal ones after 0x.
 * @mark: The mark, not 0.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_parse_mark(struct fr_ctx *ctx, const char *key, const char *word,
		  uint32_t *mark)
{
	bool hex = !strncmp(word, "0x", 2);
	const char *digits = hex ? word + 2 : word;
	size_t len = strspn(digits, hex ? "0123456789abcdefABCDEF" :
					  "0123456789");
	unsigned long long val;

	if (!len || digits[len])
		return fr_error(ctx, "%s %s: not a number", key, word);
	errno = 0;
	val = strtoull(digits, NULL, hex ? 16 : 10);
	if (errno || !val || val > UINT32_MAX)
		return fr_error(ctx, "%s %s: must be 0x1 to 0x%" PRIx32, key,
				word, UINT32_MAX);
	*mark = val;
	return FR_EXIT_OK;
}

/**
 * fr_parse_percent() - Read a percentage with up to two decimals.
 * @ctx: The run.
 * @key: What it is, for errors.
 * @word: The word, "12.5%".
 * @share: The number, of FLOWRING_SHARE_UNIT.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_parse_percent(struct fr_ctx *ctx, const char *key, const char *word,
		     uint32_t *share)
{
	uint32_t unit = FLOWRING_SHARE_UNIT / 100;
	const char *p = word;
	uint32_t num = 0;

	while (*p >= '0' && *p <= '9' && num <= 100)
		num = 10 * num + (*p++ - '0');
	num *= unit;
	if (p > word && *p == '.') {
		for (p++; *p >= '0' && *p <= '9' && unit > 1; p++) {
			unit /= 10;
			num += unit * (*p - '0');
		}
	}
	if (p == word || p[-1] == '.' || strcmp(p, "%") ||
	    num > FLOWRING_SHARE_UNIT)
		return fr_error(ctx, "%s %s: must be 0%% to 100%%, with two decimals at most",
				key, word);
	*share = num;
	return FR_EXIT_OK;
}

/**
 * fr_parse_addr() - Read an IPv4 or IPv6 address.
 * @ctx: The run.
 * @key: What it is, for errors.
 * @word: The word.
 * @addr: The address.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_parse_addr(struct fr_ctx *ctx, const char *key, const char *word,
		  struct fr_addr *addr)
{
	if (strchr(word, '%'))
		return fr_error(ctx, "%s %s: an address cannot have a zone",
				key, word);
	if (strchr(word, '/'))
		return fr_error(ctx, "%s %s: an address cannot have a prefix length",
				key, word);

	addr->len = strchr(word, ':') ? 16 : 4;
	if (inet_pton(addr->len == 4 ? AF_INET : AF_INET6, word, addr->b) != 1)
		return fr_error(ctx, "%s %s: not an IPv4 or IPv6 address",
				key, word);
	return FR_EXIT_OK;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static bool read_key(const char *word, unsigned char *key)
{
	int i, hi, lo;

	if (strlen(word) != 2 * FLOWRING_KEY_LEN)
		return false;
	for (i = 0; i < FLOWRING_KEY_LEN; i++) {
		hi = hex_digit(word[2 * i]);
		lo = hex_digit(word[2 * i + 1]);
		if (hi < 0 || lo < 0)
			return false;
		key[i] = hi << 4 | lo;
	}
	return true;
}

/**
 * fr_parse_key() - Read a hash key.
 * @ctx: The run.
 * @word: The word.
 * @key: The FLOWRING_KEY_LEN bytes.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_parse_key(struct fr_ctx *ctx, const char *word, unsigned char *key)
{
	if (read_key(word, key))
		return FR_EXIT_OK;
	return fr_error(ctx, "key: must be %d hexadecimal digits",
			2 * FLOWRING_KEY_LEN);
}

/**
 * fr_parse_key_file() - Read a hash key from a file.
 * @ctx: The run.
 * @path: The file: hexadecimal digits, and white space after them.
 * @key: The FLOWRING_KEY_LEN bytes.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed, which does
 * not show what is in the file.
 */
int fr_parse_key_file(struct fr_ctx *ctx, const char *path,
		      unsigned char *key)
{
	char buf[128];
	size_t n;
	FILE *f;
	int err;

	f = fopen(path, "re");
	if (!f)
		return fr_error(ctx, "key file %s: %s", path, strerror(errno));
	errno = 0;
	n = fread(buf, 1, sizeof(buf) - 1, f);
	err = ferror(f) ? errno : 0;
	fclose(f);
	if (err)
		return fr_error(ctx, "key file %s: %s", path, strerror(err));

	while (n && buf[n - 1] && strchr(" \t\r\n", buf[n - 1]))
		n--;
	buf[n] = '\0';
	if (strlen(buf) != n || !read_key(buf, key))
		return fr_error(ctx, "key file %s: must hold %d hexadecimal digits",
				path, 2 * FLOWRING_KEY_LEN);
	return FR_EXIT_OK;
}

/**
 * fr_parse_tokens() - Read explicit tokens.
 * @ctx: The run.
 * @key: What they are, for errors.
 * @word: Hexadecimal numbers with commas between them, or "derived".
 * @tokens: The tokens, FLOWRING_MAX_EXPLICIT_TOKENS at most.
 * @n: Their number, 0 for derived ones.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_parse_tokens(struct fr_ctx *ctx, const char *key, const char *word,
		    uint64_t *tokens, size_t *n)
{
	const char *p = word;
	size_t digits;
	int len;

	*n = 0;
	if (!strcmp(word, "derived"))
		return FR_EXIT_OK;

	for (;;) {
		if (*n == FLOWRING_MAX_EXPLICIT_TOKENS)
			return fr_error(ctx, "%s: more than %d", key,
					FLOWRING_MAX_EXPLICIT_TOKENS);
		len = strcspn(p, ",");
		if (!strncmp(p, "0x", 2)) {
			p += 2;
			len -= 2;
		}
		tokens[*n] = 0;
		for (digits = 0; hex_digit(p[digits]) >= 0 && digits < 16;
		     digits++)
			tokens[*n] = tokens[*n] << 4 | hex_digit(p[digits]);
		if (!digits || digits != (size_t)len)
			return fr_error(ctx, "%s %.*s: not 1 to 16 hexadecimal digits",
					key, len < 40 ? len : 40, p);
		(*n)++;
		p += len;
		if (!*p++)
			return FR_EXIT_OK;
	}
}

/**
 * fr_name_fault() - Say what is wrong with a name.
 * @name: The name of a ring or a backend.
 *
 * Return: The fault, or NULL when the name is good.
 */
const char *fr_name_fault(const char *name)
{
	const unsigned char *p;

	if (!*name)
		return "a name cannot be empty";
	if (strlen(name) > FLOWRING_NAME_MAX_LEN)
		return "a name cannot be longer than 31 bytes";
	if (*name == '#')
		return "a name cannot begin with #";
	for (p = (const void *)name; *p; p++) {
		if (*p == ' ')
			return "a name cannot contain spaces";
		if (*p < 0x20 || *p > 0x7e)
			return "a name can only contain visible ASCII";
		if (*p == '/')
			return "a name cannot contain /";
	}
	return NULL;
}

/**
 * fr_parse_name() - Check a name.
 * @ctx: The run.
 * @key: What it names, for errors.
 * @word: The name.
 *
 * Return: FR_EXIT_OK, or FR_EXIT_LOCAL after an error was printed.
 */
int fr_parse_name(struct fr_ctx *ctx, const char *key, const char *word)
{
	const char *fault = fr_name_fault(word);
	char safe[160];

	if (!fault)
		return FR_EXIT_OK;
	if (!*word)
		return fr_error(ctx, "%s: %s", key, fault);
	fr_safe_str(word, safe, sizeof(safe));
	return fr_error(ctx, "%s %s: %s", key, safe, fault);
}
