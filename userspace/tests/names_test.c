// SPDX-License-Identifier: GPL-2.0
/* The tables of names against the uAPI header, from which the names of the
 * specification follow.
 */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/flowring.h>

#include "cli.h"
#include "ktap.h"
#include "names.h"

static const struct fr_set *const sets[] = {
	&fr_set_stats, &fr_set_ring, &fr_set_backend, &fr_set_service,
	&fr_set_lookup, &fr_set_owner, &fr_set_change, &fr_set_share,
	&fr_set_commit, &fr_set_window, &fr_set_window_stats, &fr_set_pins,
};

static void all_attributes(void)
{
	static const uint16_t max[] = {
		FLOWRING_A_STATS_MAX, FLOWRING_A_RING_MAX,
		FLOWRING_A_BACKEND_MAX, FLOWRING_A_SERVICE_MAX,
		FLOWRING_A_LOOKUP_MAX, FLOWRING_A_OWNER_MAX,
		FLOWRING_A_CHANGE_MAX, FLOWRING_A_SHARE_MAX,
		FLOWRING_A_COMMIT_MAX, FLOWRING_A_WINDOW_MAX,
		FLOWRING_A_WINDOW_STATS_MAX, FLOWRING_A_PINS_MAX,
	};
	const struct fr_attr *a;
	uint16_t type;
	size_t i;

	for (i = 0; i < FR_ARRAY_SIZE(sets); i++) {
		KT_INT(max[i], sets[i]->max);
		for (type = 1; type <= max[i]; type++) {
			a = fr_set_attr(sets[i], type);
			if (!KT_TRUE(a))
				continue;
			KT_TRUE((a->kind == FR_KIND_ENUM) == !!a->vals);
			KT_TRUE((a->kind == FR_KIND_NEST ||
				 a->kind == FR_KIND_NESTS) == !!a->nested);
		}
		KT_TRUE(!fr_set_attr(sets[i], 0));
		KT_TRUE(!fr_set_attr(sets[i], max[i] + 1));
		KT_TRUE(!fr_set_attr(sets[i], UINT16_MAX));
	}
}

static FILE *open_header(void)
{
	const char *dir = getenv("TESTDIR");
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/../../uapi/linux/flowring.h",
		 dir ? dir : "tests");
	f = fopen(path, "re");
	KT_TRUE(f);
	return f;
}

/* "\tFLOWRING_A_RING_NO_BACKEND," is "no-backend" behind "FLOWRING_A_RING_" */
static bool enumerator(const char *line, const char *prefix, char *name)
{
	size_t i;

	if (line[0] != '\t' || strncmp(line + 1, prefix, strlen(prefix)))
		return false;
	line += 1 + strlen(prefix);
	for (i = 0; isupper(line[i]) || isdigit(line[i]) || line[i] == '_';
	     i++)
		name[i] = line[i] == '_' ? '-' : tolower(line[i]);
	name[i] = '\0';
	return strcmp(name, "max");
}

static void names_follow_header(void)
{
	char line[256], prefix[64], name[256];
	FILE *f = open_header();
	uint16_t type;
	size_t i, k;

	for (i = 0; f && i < FR_ARRAY_SIZE(sets); i++) {
		k = snprintf(prefix, sizeof(prefix), "FLOWRING_A_%s_",
			     sets[i]->name);
		while (k--)
			prefix[k] = prefix[k] == '-' ? '_' : toupper(prefix[k]);

		type = 0;
		rewind(f);
		while (fgets(line, sizeof(line), f)) {
			/* window-stats, behind window, has its prefix too */
			if (type && line[0] == '}')
				break;
			if (!enumerator(line, prefix, name))
				continue;
			type++;
			if (KT_TRUE(fr_set_attr(sets[i], type)))
				KT_STR(name, sets[i]->attrs[type].name);
		}
		KT_INT(sets[i]->max, type);
	}
	if (f)
		fclose(f);
}

static void values_follow_header(void)
{
	static const struct {
		const char *prefix;
		const struct fr_enum *e;
	} enums[] = {
		{ "FLOWRING_MODE_", &fr_enum_mode },
		{ "FLOWRING_STATE_", &fr_enum_state },
		{ "FLOWRING_NO_BACKEND_", &fr_enum_no_backend },
		{ "FLOWRING_SWITCH_", &fr_enum_switch },
		{ "FLOWRING_UDP_", &fr_enum_udp },
		{ "FLOWRING_WINDOW_STATE_", &fr_enum_window_state },
		{ "FLOWRING_WHY_", &fr_enum_why },
		{ "FLOWRING_VERDICT_", &fr_enum_verdict },
		{ "FLOWRING_CHANGE_OP_", &fr_enum_change_op },
	};
	FILE *f = open_header();
	char line[256], name[256];
	uint32_t val;
	size_t i;

	for (i = 0; f && i < FR_ARRAY_SIZE(enums); i++) {
		val = 0;
		rewind(f);
		while (fgets(line, sizeof(line), f)) {
			if (!enumerator(line, enums[i].prefix, name))
				continue;
			KT_STR(name, fr_enum_name(enums[i].e, val));
			KT_INT(val, fr_enum_value(enums[i].e, name));
			val++;
		}
		KT_INT(enums[i].e->n, val);
		KT_TRUE(!fr_enum_name(enums[i].e, val));
		KT_INT(-1, fr_enum_value(enums[i].e, ""));
		KT_INT(-1, fr_enum_value(enums[i].e, "u"));
	}
	if (f)
		fclose(f);
}

static void events_follow_header(void)
{
	const struct fr_event *event;
	FILE *f = open_header();
	char line[256], name[256];
	uint8_t cmd = 0;
	size_t n = 0;
	size_t len;

	while (f && fgets(line, sizeof(line), f)) {
		if (!enumerator(line, "FLOWRING_CMD_", name))
			continue;
		cmd++;
		event = fr_event_find(cmd);
		len = strlen(name);
		if (len < 4 || strcmp(name + len - 4, "-ntf")) {
			KT_TRUE(!event);
			continue;
		}
		n++;
		if (!KT_TRUE(event))
			continue;
		KT_STR(name, event->name);
		/* ring-commit-ntf is of the set commit, window-ntf of ring, the
		 * others of ring, backend and service
		 */
		KT_TRUE(strstr(name, event->set->name) ||
			(!strcmp(name, "window-ntf") &&
			 event->set == &fr_set_ring));
	}
	KT_INT(FLOWRING_CMD_MAX, cmd);
	KT_INT(11, n);
	KT_TRUE(!fr_event_find(0));
	KT_TRUE(!fr_event_find(255));
	if (f)
		fclose(f);
}

static void protocols(void)
{
	KT_STR("tcp", fr_proto_name(6));
	KT_STR("udp", fr_proto_name(17));
	KT_STR("any", fr_proto_name(0));
	KT_INT(0, fr_proto_value("any"));
	KT_TRUE(!fr_proto_name(132));
	KT_INT(6, fr_proto_value("tcp"));
	KT_INT(17, fr_proto_value("udp"));
	KT_INT(-1, fr_proto_value("TCP"));
	KT_INT(-1, fr_proto_value("6"));
}

static const struct kt_case cases[] = {
	{ "all_attributes", all_attributes },
	{ "names_follow_header", names_follow_header },
	{ "values_follow_header", values_follow_header },
	{ "events_follow_header", events_follow_header },
	{ "protocols", protocols },
};

KT_MAIN(cases)
