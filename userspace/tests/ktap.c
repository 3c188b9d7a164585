// SPDX-License-Identifier: GPL-2.0

#include <stdio.h>
#include <string.h>

#include "ktap.h"

static bool failed;

static void fault(const char *file, int line)
{
	const char *base = strrchr(file, '/');

	failed = true;
	printf("# %s:%d: ", base ? base + 1 : file, line);
}

static void print_lines(const char *head, const char *text)
{
	size_t len;

	do {
		len = strcspn(text, "\n");
		printf("# %s%.*s\n", head, (int)len, text);
		text += len;
	} while (*text && *++text);
}

bool kt_true(bool cond, const char *what, const char *file, int line)
{
	if (cond)
		return true;
	fault(file, line);
	printf("not true: %s\n", what);
	return false;
}

bool kt_int(long long want, long long got, const char *what,
	    const char *file, int line)
{
	if (want == got)
		return true;
	fault(file, line);
	printf("%s is %lld, not %lld\n", what, got, want);
	return false;
}

bool kt_str(const char *want, const char *got, const char *what,
	    const char *file, int line)
{
	if (want && got && !strcmp(want, got))
		return true;
	fault(file, line);
	printf("%s is not as it should be\n", what);
	print_lines("want: ", want ? want : "(null)");
	print_lines("got:  ", got ? got : "(null)");
	return false;
}

int kt_main(const struct kt_case *cases, size_t n)
{
	bool bad = false;
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("KTAP version 1\n1..%zu\n", n);
	for (i = 0; i < n; i++) {
		failed = false;
		cases[i].fn();
		printf("%sok %zu %s\n", failed ? "not " : "", i + 1,
		       cases[i].name);
		bad |= failed;
	}
	return bad;
}
