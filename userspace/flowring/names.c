// SPDX-License-Identifier: GPL-2.0
/* Names of attributes, values and events, as in the netlink specification. */

#include <netinet/in.h>
#include <string.h>

#include <linux/flowring.h>

#include "cli.h"
#include "names.h"

static const char *const mode_names[] = {
	[FLOWRING_MODE_NAT]	= "nat",
	[FLOWRING_MODE_DR]	= "dr",
	[FLOWRING_MODE_IPIP]	= "ipip",
	[FLOWRING_MODE_GUE]	= "gue",
	[FLOWRING_MODE_MARK]	= "mark",
};

static const char *const state_names[] = {
	[FLOWRING_STATE_UP]	= "up",
	[FLOWRING_STATE_DRAIN]	= "drain",
	[FLOWRING_STATE_DOWN]	= "down",
};

static const char *const no_backend_names[] = {
	[FLOWRING_NO_BACKEND_REJECT]	= "reject",
	[FLOWRING_NO_BACKEND_DROP]	= "drop",
	[FLOWRING_NO_BACKEND_PASS]	= "pass",
};

static const char *const action_names[] = {
	[FLOWRING_ACTION_DROP]		= "drop",
	[FLOWRING_ACTION_REJECT]	= "reject",
	[FLOWRING_ACTION_PASS]		= "pass",
};

static const char *const switch_names[] = {
	[FLOWRING_SWITCH_OFF]	= "off",
	[FLOWRING_SWITCH_ON]	= "on",
};

static const char *const udp_names[] = {
	[FLOWRING_UDP_STICK]	= "stick",
	[FLOWRING_UDP_MOVE]	= "move",
};

static const char *const window_state_names[] = {
	[FLOWRING_WINDOW_STATE_STEADY]	= "steady",
	[FLOWRING_WINDOW_STATE_OPEN]	= "open",
	[FLOWRING_WINDOW_STATE_CLOSING]	= "closing",
};

static const char *const why_names[] = {
	[FLOWRING_WHY_STEADY]		= "steady",
	[FLOWRING_WHY_PRESENT]		= "present",
	[FLOWRING_WHY_PIN]		= "pin",
	[FLOWRING_WHY_REMEMBERED]	= "remembered",
};

static const char *const verdict_names[] = {
	[FLOWRING_VERDICT_STEER]	= "steer",
	[FLOWRING_VERDICT_NO_SERVICE]	= "no-service",
	[FLOWRING_VERDICT_NO_BACKEND]	= "no-backend",
	[FLOWRING_VERDICT_ACTION]	= "action",
};

static const char *const change_op_names[] = {
	[FLOWRING_CHANGE_OP_BACKEND_ADD]	= "backend-add",
	[FLOWRING_CHANGE_OP_BACKEND_SET]	= "backend-set",
	[FLOWRING_CHANGE_OP_BACKEND_DEL]	= "backend-del",
	[FLOWRING_CHANGE_OP_RING_SET]		= "ring-set",
};

#define FR_ENUM(x)	{ .names = x, .n = FR_ARRAY_SIZE(x) }

const struct fr_enum fr_enum_mode = FR_ENUM(mode_names);
const struct fr_enum fr_enum_state = FR_ENUM(state_names);
const struct fr_enum fr_enum_no_backend = FR_ENUM(no_backend_names);
const struct fr_enum fr_enum_switch = FR_ENUM(switch_names);
const struct fr_enum fr_enum_udp = FR_ENUM(udp_names);
const struct fr_enum fr_enum_window_state = FR_ENUM(window_state_names);
const struct fr_enum fr_enum_why = FR_ENUM(why_names);
const struct fr_enum fr_enum_verdict = FR_ENUM(verdict_names);
const struct fr_enum fr_enum_action = FR_ENUM(action_names);
const struct fr_enum fr_enum_change_op = FR_ENUM(change_op_names);

#define FR_ATTR(_name, _kind)				\
	{ .name = _name, .kind = FR_KIND_##_kind }
#define FR_ATTR_ENUM(_name, _vals)			\
	{ .name = _name, .kind = FR_KIND_ENUM, .vals = _vals }
#define FR_ATTR_NEST(_name, _nested)			\
	{ .name = _name, .kind = FR_KIND_NEST, .nested = _nested }
#define FR_ATTR_NESTS(_name, _nested)			\
	{ .name = _name, .kind = FR_KIND_NESTS, .nested = _nested }

static const struct fr_attr stats_attrs[FLOWRING_A_STATS_MAX + 1] = {
	[FLOWRING_A_STATS_FLOWS]	= FR_ATTR("flows", UINT),
	[FLOWRING_A_STATS_PACKETS]	= FR_ATTR("packets", UINT),
	[FLOWRING_A_STATS_BYTES]	= FR_ATTR("bytes", UINT),
	[FLOWRING_A_STATS_NO_BACKEND]	= FR_ATTR("no-backend", UINT),
	[FLOWRING_A_STATS_NO_ROUTE]	= FR_ATTR("no-route", UINT),
	[FLOWRING_A_STATS_NOT_ON_LINK]	= FR_ATTR("not-on-link", UINT),
	[FLOWRING_A_STATS_TTL_EXPIRED]	= FR_ATTR("ttl-expired", UINT),
	[FLOWRING_A_STATS_NO_MEMORY]	= FR_ATTR("no-memory", UINT),
	[FLOWRING_A_STATS_INVALID]	= FR_ATTR("invalid", UINT),
	[FLOWRING_A_STATS_TOO_BIG]	= FR_ATTR("too-big", UINT),
	[FLOWRING_A_STATS_DENIED]	= FR_ATTR("denied", UINT),
};

static const struct fr_attr window_attrs[FLOWRING_A_WINDOW_MAX + 1] = {
	[FLOWRING_A_WINDOW_STATE] =
		FR_ATTR_ENUM("state", &fr_enum_window_state),
	[FLOWRING_A_WINDOW_CLOSES_IN]	= FR_ATTR("closes-in", MSEC),
	[FLOWRING_A_WINDOW_SLOTS]	= FR_ATTR("slots", U32),
	[FLOWRING_A_WINDOW_TOTAL]	= FR_ATTR("total", U32),
	[FLOWRING_A_WINDOW_PINS]	= FR_ATTR("pins", U32),
	[FLOWRING_A_WINDOW_MEMORY]	= FR_ATTR("memory", UINT),
};

static const struct fr_attr
window_stats_attrs[FLOWRING_A_WINDOW_STATS_MAX + 1] = {
	[FLOWRING_A_WINDOW_STATS_PRESENT]	= FR_ATTR("present", UINT),
	[FLOWRING_A_WINDOW_STATS_PIN]		= FR_ATTR("pin", UINT),
	[FLOWRING_A_WINDOW_STATS_REMEMBERED]	= FR_ATTR("remembered", UINT),
	[FLOWRING_A_WINDOW_STATS_BEGUN]		= FR_ATTR("begun", UINT),
	[FLOWRING_A_WINDOW_STATS_ADOPTED]	= FR_ATTR("adopted", UINT),
	[FLOWRING_A_WINDOW_STATS_RESTARTED]	= FR_ATTR("restarted", UINT),
	[FLOWRING_A_WINDOW_STATS_EVICTED]	= FR_ATTR("evicted", UINT),
	[FLOWRING_A_WINDOW_STATS_FULL]		= FR_ATTR("full", UINT),
	[FLOWRING_A_WINDOW_STATS_ORPHAN]	= FR_ATTR("orphan", UINT),
	[FLOWRING_A_WINDOW_STATS_IDLE]		= FR_ATTR("idle", UINT),
	[FLOWRING_A_WINDOW_STATS_FORGOTTEN]	= FR_ATTR("forgotten", UINT),
};

static const struct fr_attr pins_attrs[FLOWRING_A_PINS_MAX + 1] = {
	[FLOWRING_A_PINS_SIZE]		= FR_ATTR("size", U32),
	[FLOWRING_A_PINS_PRESENT_SIZE]	= FR_ATTR("present-size", U32),
	[FLOWRING_A_PINS_USED]		= FR_ATTR("used", U32),
	[FLOWRING_A_PINS_MEMORY]	= FR_ATTR("memory", UINT),
	[FLOWRING_A_PINS_WINDOWS]	= FR_ATTR("windows", U32),
};

static const struct fr_attr ring_attrs[FLOWRING_A_RING_MAX + 1] = {
	[FLOWRING_A_RING_NAME]		= FR_ATTR("name", STR),
	[FLOWRING_A_RING_BITS]		= FR_ATTR("bits", U32),
	[FLOWRING_A_RING_VNODES]	= FR_ATTR("vnodes", U32),
	[FLOWRING_A_RING_KEY]		= FR_ATTR("key", KEY),
	[FLOWRING_A_RING_IMBALANCE]	= FR_ATTR("imbalance", BOUND),
	[FLOWRING_A_RING_OWNER]		= FR_ATTR("owner", STR),
	[FLOWRING_A_RING_NO_BACKEND] =
		FR_ATTR_ENUM("no-backend", &fr_enum_no_backend),
	[FLOWRING_A_RING_MASQUERADE] =
		FR_ATTR_ENUM("masquerade", &fr_enum_switch),
	[FLOWRING_A_RING_EPOCH]		= FR_ATTR("epoch", UINT),
	[FLOWRING_A_RING_BACKENDS]	= FR_ATTR("backends", U32),
	[FLOWRING_A_RING_USABLE]	= FR_ATTR("usable", U32),
	[FLOWRING_A_RING_TOKENS]	= FR_ATTR("tokens", U32),
	[FLOWRING_A_RING_SERVICES]	= FR_ATTR("services", U32),
	[FLOWRING_A_RING_FINGERPRINT]	= FR_ATTR("fingerprint", HASH),
	[FLOWRING_A_RING_WINDOW]	= FR_ATTR("window", BOUND),
	[FLOWRING_A_RING_PIN_IDLE]	= FR_ATTR("pin-idle", U32),
	[FLOWRING_A_RING_UDP]		= FR_ATTR_ENUM("udp", &fr_enum_udp),
	[FLOWRING_A_RING_FROZEN] =
		FR_ATTR_ENUM("frozen", &fr_enum_switch),
	[FLOWRING_A_RING_WINDOW_INFO] =
		FR_ATTR_NEST("window-info", &fr_set_window),
	[FLOWRING_A_RING_WINDOW_STATS] =
		FR_ATTR_NEST("window-stats", &fr_set_window_stats),
};

static const struct fr_attr backend_attrs[FLOWRING_A_BACKEND_MAX + 1] = {
	[FLOWRING_A_BACKEND_RING]	= FR_ATTR("ring", STR),
	[FLOWRING_A_BACKEND_NAME]	= FR_ATTR("name", STR),
	[FLOWRING_A_BACKEND_ADDR]	= FR_ATTR("addr", ADDR),
	[FLOWRING_A_BACKEND_PORT]	= FR_ATTR("port", U32),
	[FLOWRING_A_BACKEND_WEIGHT]	= FR_ATTR("weight", U32),
	[FLOWRING_A_BACKEND_MODE]	= FR_ATTR_ENUM("mode", &fr_enum_mode),
	[FLOWRING_A_BACKEND_STATE] =
		FR_ATTR_ENUM("state", &fr_enum_state),
	[FLOWRING_A_BACKEND_TOKENS]	= FR_ATTR("tokens", U32),
	[FLOWRING_A_BACKEND_SLOTS]	= FR_ATTR("slots", U32),
	[FLOWRING_A_BACKEND_CAPACITY]	= FR_ATTR("capacity", U32),
	[FLOWRING_A_BACKEND_ZONE]	= FR_ATTR("zone", STR),
	[FLOWRING_A_BACKEND_EXPLICIT_TOKENS] =
		FR_ATTR("explicit-tokens", TOKENS),
	[FLOWRING_A_BACKEND_STATS] =
		FR_ATTR_NEST("stats", &fr_set_stats),
	[FLOWRING_A_BACKEND_PROGRESS]	= FR_ATTR("progress", FLAG),
	[FLOWRING_A_BACKEND_REMEMBERED]	= FR_ATTR("remembered", U32),
	[FLOWRING_A_BACKEND_PINS]	= FR_ATTR("pins", U32),
	[FLOWRING_A_BACKEND_FLOWS]	= FR_ATTR("flows", U32),
	[FLOWRING_A_BACKEND_DONE_IN]	= FR_ATTR("done-in", MSEC),
	[FLOWRING_A_BACKEND_FORCE]	= FR_ATTR("force", FLAG),
	[FLOWRING_A_BACKEND_CHECKSUM] =
		FR_ATTR_ENUM("checksum", &fr_enum_switch),
	[FLOWRING_A_BACKEND_MARK]	= FR_ATTR("mark", MARK),
};

static const struct fr_attr service_attrs[FLOWRING_A_SERVICE_MAX + 1] = {
	[FLOWRING_A_SERVICE_PROTO]	= FR_ATTR("proto", PROTO),
	[FLOWRING_A_SERVICE_ADDR]	= FR_ATTR("addr", ADDR),
	[FLOWRING_A_SERVICE_PORT]	= FR_ATTR("port", PORT),
	[FLOWRING_A_SERVICE_RING]	= FR_ATTR("ring", STR),
	[FLOWRING_A_SERVICE_OWNER]	= FR_ATTR("owner", STR),
	[FLOWRING_A_SERVICE_STATS] =
		FR_ATTR_NEST("stats", &fr_set_stats),
	[FLOWRING_A_SERVICE_PREFIX]	= FR_ATTR("prefix", U32),
	[FLOWRING_A_SERVICE_PORT_END]	= FR_ATTR("port-end", U32),
	[FLOWRING_A_SERVICE_MARK]	= FR_ATTR("mark", MARK),
	[FLOWRING_A_SERVICE_IP_VERSION]	= FR_ATTR("ip-version", U32),
	[FLOWRING_A_SERVICE_ACTION] =
		FR_ATTR_ENUM("action", &fr_enum_action),
};

static const struct fr_attr owner_attrs[FLOWRING_A_OWNER_MAX + 1] = {
	[FLOWRING_A_OWNER_NAME]		= FR_ATTR("name", STR),
	[FLOWRING_A_OWNER_ZONE]		= FR_ATTR("zone", STR),
};

static const struct fr_attr lookup_attrs[FLOWRING_A_LOOKUP_MAX + 1] = {
	[FLOWRING_A_LOOKUP_PROTO]	= FR_ATTR("proto", PROTO),
	[FLOWRING_A_LOOKUP_SADDR]	= FR_ATTR("saddr", ADDR),
	[FLOWRING_A_LOOKUP_SPORT]	= FR_ATTR("sport", U32),
	[FLOWRING_A_LOOKUP_DADDR]	= FR_ATTR("daddr", ADDR),
	[FLOWRING_A_LOOKUP_DPORT]	= FR_ATTR("dport", U32),
	[FLOWRING_A_LOOKUP_VERDICT] =
		FR_ATTR_ENUM("verdict", &fr_enum_verdict),
	[FLOWRING_A_LOOKUP_RING]	= FR_ATTR("ring", STR),
	[FLOWRING_A_LOOKUP_EPOCH]	= FR_ATTR("epoch", UINT),
	[FLOWRING_A_LOOKUP_HASH]	= FR_ATTR("hash", HASH),
	[FLOWRING_A_LOOKUP_SLOT]	= FR_ATTR("slot", U32),
	[FLOWRING_A_LOOKUP_BACKEND]	= FR_ATTR("backend", STR),
	[FLOWRING_A_LOOKUP_MODE]	= FR_ATTR_ENUM("mode", &fr_enum_mode),
	[FLOWRING_A_LOOKUP_ADDR]	= FR_ATTR("addr", ADDR),
	[FLOWRING_A_LOOKUP_PORT]	= FR_ATTR("port", U32),
	[FLOWRING_A_LOOKUP_FLOW_BACKEND] = FR_ATTR("flow-backend", STR),
	[FLOWRING_A_LOOKUP_FLOW_ADDR]	= FR_ATTR("flow-addr", ADDR),
	[FLOWRING_A_LOOKUP_FLOW_PORT]	= FR_ATTR("flow-port", U32),
	[FLOWRING_A_LOOKUP_FLOW_WHY] =
		FR_ATTR_ENUM("flow-why", &fr_enum_why),
	[FLOWRING_A_LOOKUP_OWNERS]	= FR_ATTR("owners", U32),
	[FLOWRING_A_LOOKUP_OWNER] =
		FR_ATTR_NESTS("owner", &fr_set_owner),
	[FLOWRING_A_LOOKUP_MARK]	= FR_ATTR("mark", MARK),
	[FLOWRING_A_LOOKUP_ACTION] =
		FR_ATTR_ENUM("action", &fr_enum_action),
};

/* Backends and rings of a change are subsets, so their attributes are the same
 */
static const struct fr_attr change_attrs[FLOWRING_A_CHANGE_MAX + 1] = {
	[FLOWRING_A_CHANGE_OP] =
		FR_ATTR_ENUM("op", &fr_enum_change_op),
	[FLOWRING_A_CHANGE_BACKEND] =
		FR_ATTR_NEST("backend", &fr_set_backend),
	[FLOWRING_A_CHANGE_RING]	= FR_ATTR_NEST("ring", &fr_set_ring),
};

static const struct fr_attr share_attrs[FLOWRING_A_SHARE_MAX + 1] = {
	[FLOWRING_A_SHARE_NAME]		= FR_ATTR("name", STR),
	[FLOWRING_A_SHARE_WEIGHT_BEFORE] = FR_ATTR("weight-before", U32),
	[FLOWRING_A_SHARE_WEIGHT]	= FR_ATTR("weight", U32),
	[FLOWRING_A_SHARE_SLOTS_BEFORE]	= FR_ATTR("slots-before", U32),
	[FLOWRING_A_SHARE_SLOTS]	= FR_ATTR("slots", U32),
};

static const struct fr_attr commit_attrs[FLOWRING_A_COMMIT_MAX + 1] = {
	[FLOWRING_A_COMMIT_RING]	= FR_ATTR("ring", STR),
	[FLOWRING_A_COMMIT_EXPECT]	= FR_ATTR("expect", UINT),
	[FLOWRING_A_COMMIT_EPOCH]	= FR_ATTR("epoch", UINT),
	[FLOWRING_A_COMMIT_MAX_MOVE]	= FR_ATTR("max-move", U32),
	[FLOWRING_A_COMMIT_MAX_SHARE]	= FR_ATTR("max-share", U32),
	[FLOWRING_A_COMMIT_DRY_RUN]	= FR_ATTR("dry-run", FLAG),
	[FLOWRING_A_COMMIT_CREATE]	= FR_ATTR("create", FLAG),
	[FLOWRING_A_COMMIT_CHANGE] =
		FR_ATTR_NESTS("change", &fr_set_change),
	[FLOWRING_A_COMMIT_EPOCH_BEFORE] = FR_ATTR("epoch-before", UINT),
	[FLOWRING_A_COMMIT_FINGERPRINT_BEFORE] =
		FR_ATTR("fingerprint-before", HASH),
	[FLOWRING_A_COMMIT_FINGERPRINT]	= FR_ATTR("fingerprint", HASH),
	[FLOWRING_A_COMMIT_TOTAL]	= FR_ATTR("total", U32),
	[FLOWRING_A_COMMIT_MOVED]	= FR_ATTR("moved", U32),
	[FLOWRING_A_COMMIT_LEAST]	= FR_ATTR("least", U32),
	[FLOWRING_A_COMMIT_CHANGES]	= FR_ATTR("changes", U32),
	[FLOWRING_A_COMMIT_SHARES]	= FR_ATTR("shares", U32),
	[FLOWRING_A_COMMIT_SHARE] =
		FR_ATTR_NESTS("share", &fr_set_share),
};

#define FR_SET(_name, _attrs) {				\
	.name	= _name,				\
	.attrs	= _attrs,				\
	.max	= FR_ARRAY_SIZE(_attrs) - 1,		\
}

const struct fr_set fr_set_stats = FR_SET("stats", stats_attrs);
const struct fr_set fr_set_window = FR_SET("window", window_attrs);
const struct fr_set fr_set_window_stats =
	FR_SET("window-stats", window_stats_attrs);
const struct fr_set fr_set_pins = FR_SET("pins", pins_attrs);
const struct fr_set fr_set_ring = FR_SET("ring", ring_attrs);
const struct fr_set fr_set_backend = FR_SET("backend", backend_attrs);
const struct fr_set fr_set_service = FR_SET("service", service_attrs);
const struct fr_set fr_set_lookup = FR_SET("lookup", lookup_attrs);
const struct fr_set fr_set_owner = FR_SET("owner", owner_attrs);
const struct fr_set fr_set_change = FR_SET("change", change_attrs);
const struct fr_set fr_set_share = FR_SET("share", share_attrs);
const struct fr_set fr_set_commit = FR_SET("commit", commit_attrs);

_Static_assert(FLOWRING_A_RING_MAX <= FR_ATTR_MAX, "FR_ATTR_MAX: ring");
_Static_assert(FLOWRING_A_BACKEND_MAX <= FR_ATTR_MAX, "FR_ATTR_MAX: backend");
_Static_assert(FLOWRING_A_SERVICE_MAX <= FR_ATTR_MAX, "FR_ATTR_MAX: service");
_Static_assert(FLOWRING_A_LOOKUP_MAX <= FR_ATTR_MAX, "FR_ATTR_MAX: lookup");
_Static_assert(FLOWRING_A_COMMIT_MAX <= FR_ATTR_MAX, "FR_ATTR_MAX: commit");
_Static_assert(FLOWRING_A_STATS_MAX <= FR_ATTR_MAX, "FR_ATTR_MAX: stats");
_Static_assert(FLOWRING_A_WINDOW_STATS_MAX <= FR_ATTR_MAX,
	       "FR_ATTR_MAX: window-stats");

static const struct fr_event events[] = {
	{ FLOWRING_CMD_RING_NEW_NTF, "ring-new-ntf",
	  &fr_set_ring, "add" },
	{ FLOWRING_CMD_RING_SET_NTF, "ring-set-ntf",
	  &fr_set_ring, "set" },
	{ FLOWRING_CMD_RING_DEL_NTF, "ring-del-ntf",
	  &fr_set_ring, "del" },
	{ FLOWRING_CMD_BACKEND_NEW_NTF, "backend-new-ntf",
	  &fr_set_backend, "add" },
	{ FLOWRING_CMD_BACKEND_SET_NTF, "backend-set-ntf",
	  &fr_set_backend, "set" },
	{ FLOWRING_CMD_BACKEND_DEL_NTF, "backend-del-ntf",
	  &fr_set_backend, "del" },
	{ FLOWRING_CMD_SERVICE_NEW_NTF, "service-new-ntf",
	  &fr_set_service, "add" },
	{ FLOWRING_CMD_SERVICE_SET_NTF, "service-set-ntf",
	  &fr_set_service, "set" },
	{ FLOWRING_CMD_SERVICE_DEL_NTF, "service-del-ntf",
	  &fr_set_service, "del" },
	{ FLOWRING_CMD_RING_COMMIT_NTF, "ring-commit-ntf",
	  &fr_set_commit, "commit" },
	{ FLOWRING_CMD_WINDOW_NTF, "window-ntf",
	  &fr_set_ring, "window" },
};

/**
 * fr_set_attr() - Find an attribute of a set.
 * @set: The set.
 * @type: Attribute type.
 *
 * Return: The attribute, or NULL when the tool does not know it.
 */
const struct fr_attr *fr_set_attr(const struct fr_set *set, uint16_t type)
{
	if (!type || type > set->max || !set->attrs[type].name)
		return NULL;
	return &set->attrs[type];
}

/**
 * fr_enum_name() - Name of a value.
 * @e: Its enum.
 * @val: The value.
 *
 * Return: The name, or NULL when the tool does not know the value.
 */
const char *fr_enum_name(const struct fr_enum *e, uint32_t val)
{
	return val < e->n ? e->names[val] : NULL;
}

/**
 * fr_enum_value() - Value of a name.
 * @e: Its enum.
 * @word: The name.
 *
 * Return: The value, or -1 when there is none of that name.
 */
int fr_enum_value(const struct fr_enum *e, const char *word)
{
	size_t i;

	for (i = 0; i < e->n; i++) {
		if (!strcmp(e->names[i], word))
			return i;
	}
	return -1;
}

/**
 * fr_proto_name() - Name of an IP protocol.
 * @proto: Its number.
 *
 * Return: The name, "any" for 0, or NULL for one without a name.
 */
const char *fr_proto_name(uint32_t proto)
{
	switch (proto) {
	case 0:
		return "any";
	case IPPROTO_TCP:
		return "tcp";
	case IPPROTO_UDP:
		return "udp";
	}
	return NULL;
}

/**
 * fr_proto_value() - Number of an IP protocol.
 * @word: Its name.
 *
 * Return: The number, 0 for "any", or -1 when @word is none of the names.
 */
int fr_proto_value(const char *word)
{
	if (!strcmp(word, "any"))
		return 0;
	if (!strcmp(word, "tcp"))
		return IPPROTO_TCP;
	if (!strcmp(word, "udp"))
		return IPPROTO_UDP;
	return -1;
}

/**
 * fr_event_find() - Find what a notification is.
 * @cmd: Command of its message.
 *
 * Return: The event, or NULL when the tool does not know it.
 */
const struct fr_event *fr_event_find(uint8_t cmd)
{
	size_t i;

	for (i = 0; i < FR_ARRAY_SIZE(events); i++) {
		if (events[i].cmd == cmd)
			return &events[i];
	}
	return NULL;
}
