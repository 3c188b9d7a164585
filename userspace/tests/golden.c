// SPDX-License-Identifier: GPL-2.0

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "ktap.h"

void golden(const char *file, const char *got)
{
	const char *dir = getenv("TESTDIR");
	char path[512];
	char *want;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/golden/%s", dir ? dir : "tests",
		 file);
	if (getenv("UPDATE_GOLDEN")) {
		f = fopen(path, "we");
		if (KT_TRUE(f)) {
			fputs(got, f);
			fclose(f);
		}
		return;
	}

	f = fopen(path, "re");
	if (!KT_TRUE(f))
		return;
	want = calloc(1, strlen(got) + 65536);
	n = fread(want, 1, strlen(got) + 65535, f);
	want[n] = '\0';
	fclose(f);
	KT_STR(want, got);
	free(want);
}
