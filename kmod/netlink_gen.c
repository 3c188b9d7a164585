// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/flowring.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "netlink_gen.h"

#include <uapi/linux/flowring.h>

/* Integer value ranges */
static const struct netlink_range_validation flowring_a_pins_size_range = {
	.min	= FLOWRING_MIN_PINS,
	.max	= FLOWRING_MAX_PINS,
};

static const struct netlink_range_validation flowring_a_ring_vnodes_range = {
	.min	= 1ULL,
	.max	= 65536ULL,
};

static const struct netlink_range_validation flowring_a_ring_window_range = {
	.max	= FLOWRING_MAX_SECONDS,
};

static const struct netlink_range_validation flowring_a_ring_pin_idle_range = {
	.min	= 1ULL,
	.max	= FLOWRING_MAX_SECONDS,
};

static const struct netlink_range_validation flowring_a_backend_port_range = {
	.min	= 1ULL,
	.max	= 65535ULL,
};

static const struct netlink_range_validation flowring_a_service_port_range = {
	.max	= 65535ULL,
};

static const struct netlink_range_validation flowring_a_service_port_end_range = {
	.min	= 1ULL,
	.max	= 65535ULL,
};

static const struct netlink_range_validation flowring_a_lookup_sport_range = {
	.max	= 65535ULL,
};

static const struct netlink_range_validation flowring_a_lookup_dport_range = {
	.max	= 65535ULL,
};

/* Common nested types */
const struct nla_policy flowring_change_nl_policy[FLOWRING_A_CHANGE_RING + 1] = {
	[FLOWRING_A_CHANGE_OP] = NLA_POLICY_MAX(NLA_U32, 3),
	[FLOWRING_A_CHANGE_BACKEND] = NLA_POLICY_NESTED(flowring_change_backend_nl_policy),
	[FLOWRING_A_CHANGE_RING] = NLA_POLICY_NESTED(flowring_change_ring_nl_policy),
};

const struct nla_policy flowring_change_backend_nl_policy[FLOWRING_A_BACKEND_MARK + 1] = {
	[FLOWRING_A_BACKEND_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_BACKEND_ADDR] = { .type = NLA_BINARY, },
	[FLOWRING_A_BACKEND_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &flowring_a_backend_port_range),
	[FLOWRING_A_BACKEND_WEIGHT] = NLA_POLICY_MAX(NLA_U32, 10000),
	[FLOWRING_A_BACKEND_MODE] = NLA_POLICY_MAX(NLA_U32, 4),
	[FLOWRING_A_BACKEND_STATE] = NLA_POLICY_MAX(NLA_U32, 2),
	[FLOWRING_A_BACKEND_ZONE] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_BACKEND_EXPLICIT_TOKENS] = { .type = NLA_BINARY, },
	[FLOWRING_A_BACKEND_CHECKSUM] = NLA_POLICY_MAX(NLA_U32, 1),
	[FLOWRING_A_BACKEND_MARK] = NLA_POLICY_MIN(NLA_U32, 1),
};

const struct nla_policy flowring_change_ring_nl_policy[FLOWRING_A_RING_UDP + 1] = {
	[FLOWRING_A_RING_BITS] = NLA_POLICY_RANGE(NLA_U32, 8, 20),
	[FLOWRING_A_RING_VNODES] = NLA_POLICY_FULL_RANGE(NLA_U32, &flowring_a_ring_vnodes_range),
	[FLOWRING_A_RING_KEY] = NLA_POLICY_EXACT_LEN(16),
	[FLOWRING_A_RING_IMBALANCE] = NLA_POLICY_MAX(NLA_U32, 100),
	[FLOWRING_A_RING_OWNER] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_RING_NO_BACKEND] = NLA_POLICY_MAX(NLA_U32, 2),
	[FLOWRING_A_RING_MASQUERADE] = NLA_POLICY_MAX(NLA_U32, 1),
	[FLOWRING_A_RING_WINDOW] = NLA_POLICY_FULL_RANGE(NLA_U32, &flowring_a_ring_window_range),
	[FLOWRING_A_RING_PIN_IDLE] = NLA_POLICY_FULL_RANGE(NLA_U32, &flowring_a_ring_pin_idle_range),
	[FLOWRING_A_RING_UDP] = NLA_POLICY_MAX(NLA_U32, 1),
};

/* FLOWRING_CMD_RING_GET - do */
static const struct nla_policy flowring_ring_get_nl_policy[FLOWRING_A_RING_NAME + 1] = {
	[FLOWRING_A_RING_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
};

/* FLOWRING_CMD_RING_NEW - do */
static const struct nla_policy flowring_ring_new_nl_policy[FLOWRING_A_RING_UDP + 1] = {
	[FLOWRING_A_RING_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_RING_BITS] = NLA_POLICY_RANGE(NLA_U32, 8, 20),
	[FLOWRING_A_RING_VNODES] = NLA_POLICY_FULL_RANGE(NLA_U32, &flowring_a_ring_vnodes_range),
	[FLOWRING_A_RING_KEY] = NLA_POLICY_EXACT_LEN(16),
	[FLOWRING_A_RING_IMBALANCE] = NLA_POLICY_MAX(NLA_U32, 100),
	[FLOWRING_A_RING_OWNER] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_RING_NO_BACKEND] = NLA_POLICY_MAX(NLA_U32, 2),
	[FLOWRING_A_RING_MASQUERADE] = NLA_POLICY_MAX(NLA_U32, 1),
	[FLOWRING_A_RING_WINDOW] = NLA_POLICY_FULL_RANGE(NLA_U32, &flowring_a_ring_window_range),
	[FLOWRING_A_RING_PIN_IDLE] = NLA_POLICY_FULL_RANGE(NLA_U32, &flowring_a_ring_pin_idle_range),
	[FLOWRING_A_RING_UDP] = NLA_POLICY_MAX(NLA_U32, 1),
};

/* FLOWRING_CMD_RING_SET - do */
static const struct nla_policy flowring_ring_set_nl_policy[FLOWRING_A_RING_UDP + 1] = {
	[FLOWRING_A_RING_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_RING_BITS] = NLA_POLICY_RANGE(NLA_U32, 8, 20),
	[FLOWRING_A_RING_VNODES] = NLA_POLICY_FULL_RANGE(NLA_U32, &flowring_a_ring_vnodes_range),
	[FLOWRING_A_RING_KEY] = NLA_POLICY_EXACT_LEN(16),
	[FLOWRING_A_RING_IMBALANCE] = NLA_POLICY_MAX(NLA_U32, 100),
	[FLOWRING_A_RING_OWNER] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_RING_NO_BACKEND] = NLA_POLICY_MAX(NLA_U32, 2),
	[FLOWRING_A_RING_MASQUERADE] = NLA_POLICY_MAX(NLA_U32, 1),
	[FLOWRING_A_RING_WINDOW] = NLA_POLICY_FULL_RANGE(NLA_U32, &flowring_a_ring_window_range),
	[FLOWRING_A_RING_PIN_IDLE] = NLA_POLICY_FULL_RANGE(NLA_U32, &flowring_a_ring_pin_idle_range),
	[FLOWRING_A_RING_UDP] = NLA_POLICY_MAX(NLA_U32, 1),
};

/* FLOWRING_CMD_RING_DEL - do */
static const struct nla_policy flowring_ring_del_nl_policy[FLOWRING_A_RING_NAME + 1] = {
	[FLOWRING_A_RING_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
};

/* FLOWRING_CMD_BACKEND_GET - do */
static const struct nla_policy flowring_backend_get_do_nl_policy[FLOWRING_A_BACKEND_PROGRESS + 1] = {
	[FLOWRING_A_BACKEND_RING] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_BACKEND_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_BACKEND_PROGRESS] = { .type = NLA_FLAG, },
};

/* FLOWRING_CMD_BACKEND_GET - dump */
static const struct nla_policy flowring_backend_get_dump_nl_policy[FLOWRING_A_BACKEND_PROGRESS + 1] = {
	[FLOWRING_A_BACKEND_RING] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_BACKEND_PROGRESS] = { .type = NLA_FLAG, },
};

/* FLOWRING_CMD_BACKEND_NEW - do */
static const struct nla_policy flowring_backend_new_nl_policy[FLOWRING_A_BACKEND_MARK + 1] = {
	[FLOWRING_A_BACKEND_RING] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_BACKEND_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_BACKEND_ADDR] = { .type = NLA_BINARY, },
	[FLOWRING_A_BACKEND_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &flowring_a_backend_port_range),
	[FLOWRING_A_BACKEND_WEIGHT] = NLA_POLICY_MAX(NLA_U32, 10000),
	[FLOWRING_A_BACKEND_MODE] = NLA_POLICY_MAX(NLA_U32, 4),
	[FLOWRING_A_BACKEND_STATE] = NLA_POLICY_MAX(NLA_U32, 2),
	[FLOWRING_A_BACKEND_ZONE] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_BACKEND_EXPLICIT_TOKENS] = { .type = NLA_BINARY, },
	[FLOWRING_A_BACKEND_CHECKSUM] = NLA_POLICY_MAX(NLA_U32, 1),
	[FLOWRING_A_BACKEND_MARK] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* FLOWRING_CMD_BACKEND_SET - do */
static const struct nla_policy flowring_backend_set_nl_policy[FLOWRING_A_BACKEND_MARK + 1] = {
	[FLOWRING_A_BACKEND_RING] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_BACKEND_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_BACKEND_ADDR] = { .type = NLA_BINARY, },
	[FLOWRING_A_BACKEND_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &flowring_a_backend_port_range),
	[FLOWRING_A_BACKEND_WEIGHT] = NLA_POLICY_MAX(NLA_U32, 10000),
	[FLOWRING_A_BACKEND_STATE] = NLA_POLICY_MAX(NLA_U32, 2),
	[FLOWRING_A_BACKEND_ZONE] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_BACKEND_EXPLICIT_TOKENS] = { .type = NLA_BINARY, },
	[FLOWRING_A_BACKEND_CHECKSUM] = NLA_POLICY_MAX(NLA_U32, 1),
	[FLOWRING_A_BACKEND_MARK] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* FLOWRING_CMD_BACKEND_DEL - do */
static const struct nla_policy flowring_backend_del_nl_policy[FLOWRING_A_BACKEND_FORCE + 1] = {
	[FLOWRING_A_BACKEND_RING] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_BACKEND_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_BACKEND_FORCE] = { .type = NLA_FLAG, },
};

/* FLOWRING_CMD_SERVICE_GET - do */
static const struct nla_policy flowring_service_get_nl_policy[FLOWRING_A_SERVICE_IP_VERSION + 1] = {
	[FLOWRING_A_SERVICE_PROTO] = NLA_POLICY_MAX(NLA_U32, 255),
	[FLOWRING_A_SERVICE_ADDR] = { .type = NLA_BINARY, },
	[FLOWRING_A_SERVICE_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &flowring_a_service_port_range),
	[FLOWRING_A_SERVICE_PREFIX] = NLA_POLICY_MAX(NLA_U32, 128),
	[FLOWRING_A_SERVICE_PORT_END] = NLA_POLICY_FULL_RANGE(NLA_U32, &flowring_a_service_port_end_range),
	[FLOWRING_A_SERVICE_MARK] = NLA_POLICY_MIN(NLA_U32, 1),
	[FLOWRING_A_SERVICE_IP_VERSION] = NLA_POLICY_RANGE(NLA_U32, 4, 6),
};

/* FLOWRING_CMD_SERVICE_NEW - do */
static const struct nla_policy flowring_service_new_nl_policy[FLOWRING_A_SERVICE_ACTION + 1] = {
	[FLOWRING_A_SERVICE_PROTO] = NLA_POLICY_MAX(NLA_U32, 255),
	[FLOWRING_A_SERVICE_ADDR] = { .type = NLA_BINARY, },
	[FLOWRING_A_SERVICE_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &flowring_a_service_port_range),
	[FLOWRING_A_SERVICE_PREFIX] = NLA_POLICY_MAX(NLA_U32, 128),
	[FLOWRING_A_SERVICE_PORT_END] = NLA_POLICY_FULL_RANGE(NLA_U32, &flowring_a_service_port_end_range),
	[FLOWRING_A_SERVICE_MARK] = NLA_POLICY_MIN(NLA_U32, 1),
	[FLOWRING_A_SERVICE_IP_VERSION] = NLA_POLICY_RANGE(NLA_U32, 4, 6),
	[FLOWRING_A_SERVICE_RING] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_SERVICE_OWNER] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_SERVICE_ACTION] = NLA_POLICY_MAX(NLA_U32, 2),
};

/* FLOWRING_CMD_SERVICE_SET - do */
static const struct nla_policy flowring_service_set_nl_policy[FLOWRING_A_SERVICE_ACTION + 1] = {
	[FLOWRING_A_SERVICE_PROTO] = NLA_POLICY_MAX(NLA_U32, 255),
	[FLOWRING_A_SERVICE_ADDR] = { .type = NLA_BINARY, },
	[FLOWRING_A_SERVICE_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &flowring_a_service_port_range),
	[FLOWRING_A_SERVICE_PREFIX] = NLA_POLICY_MAX(NLA_U32, 128),
	[FLOWRING_A_SERVICE_PORT_END] = NLA_POLICY_FULL_RANGE(NLA_U32, &flowring_a_service_port_end_range),
	[FLOWRING_A_SERVICE_MARK] = NLA_POLICY_MIN(NLA_U32, 1),
	[FLOWRING_A_SERVICE_IP_VERSION] = NLA_POLICY_RANGE(NLA_U32, 4, 6),
	[FLOWRING_A_SERVICE_RING] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_SERVICE_OWNER] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_SERVICE_ACTION] = NLA_POLICY_MAX(NLA_U32, 2),
};

/* FLOWRING_CMD_SERVICE_DEL - do */
static const struct nla_policy flowring_service_del_nl_policy[FLOWRING_A_SERVICE_IP_VERSION + 1] = {
	[FLOWRING_A_SERVICE_PROTO] = NLA_POLICY_MAX(NLA_U32, 255),
	[FLOWRING_A_SERVICE_ADDR] = { .type = NLA_BINARY, },
	[FLOWRING_A_SERVICE_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &flowring_a_service_port_range),
	[FLOWRING_A_SERVICE_PREFIX] = NLA_POLICY_MAX(NLA_U32, 128),
	[FLOWRING_A_SERVICE_PORT_END] = NLA_POLICY_FULL_RANGE(NLA_U32, &flowring_a_service_port_end_range),
	[FLOWRING_A_SERVICE_MARK] = NLA_POLICY_MIN(NLA_U32, 1),
	[FLOWRING_A_SERVICE_IP_VERSION] = NLA_POLICY_RANGE(NLA_U32, 4, 6),
};

/* FLOWRING_CMD_LOOKUP - do */
static const struct nla_policy flowring_lookup_nl_policy[FLOWRING_A_LOOKUP_MARK + 1] = {
	[FLOWRING_A_LOOKUP_PROTO] = NLA_POLICY_MAX(NLA_U32, 255),
	[FLOWRING_A_LOOKUP_SADDR] = { .type = NLA_BINARY, },
	[FLOWRING_A_LOOKUP_SPORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &flowring_a_lookup_sport_range),
	[FLOWRING_A_LOOKUP_DADDR] = { .type = NLA_BINARY, },
	[FLOWRING_A_LOOKUP_DPORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &flowring_a_lookup_dport_range),
	[FLOWRING_A_LOOKUP_OWNERS] = NLA_POLICY_RANGE(NLA_U32, 1, 64),
	[FLOWRING_A_LOOKUP_MARK] = { .type = NLA_U32, },
};

/* FLOWRING_CMD_RING_COMMIT - do */
static const struct nla_policy flowring_ring_commit_nl_policy[FLOWRING_A_COMMIT_CHANGE + 1] = {
	[FLOWRING_A_COMMIT_RING] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_COMMIT_EXPECT] = { .type = NLA_UINT, },
	[FLOWRING_A_COMMIT_EPOCH] = { .type = NLA_UINT, },
	[FLOWRING_A_COMMIT_MAX_MOVE] = { .type = NLA_U32, },
	[FLOWRING_A_COMMIT_MAX_SHARE] = NLA_POLICY_MAX(NLA_U32, 10000),
	[FLOWRING_A_COMMIT_DRY_RUN] = { .type = NLA_FLAG, },
	[FLOWRING_A_COMMIT_CREATE] = { .type = NLA_FLAG, },
	[FLOWRING_A_COMMIT_CHANGE] = NLA_POLICY_NESTED(flowring_change_nl_policy),
};

/* FLOWRING_CMD_RING_FREEZE - do */
static const struct nla_policy flowring_ring_freeze_nl_policy[FLOWRING_A_RING_FROZEN + 1] = {
	[FLOWRING_A_RING_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
	[FLOWRING_A_RING_FROZEN] = NLA_POLICY_MAX(NLA_U32, 1),
};

/* FLOWRING_CMD_WINDOW_CLOSE - do */
static const struct nla_policy flowring_window_close_nl_policy[FLOWRING_A_RING_NAME + 1] = {
	[FLOWRING_A_RING_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
};

/* FLOWRING_CMD_PINS_SET - do */
static const struct nla_policy flowring_pins_set_nl_policy[FLOWRING_A_PINS_SIZE + 1] = {
	[FLOWRING_A_PINS_SIZE] = NLA_POLICY_FULL_RANGE(NLA_U32, &flowring_a_pins_size_range),
};

/* Ops table for flowring */
static const struct genl_split_ops flowring_nl_ops[] = {
	{
		.cmd		= FLOWRING_CMD_RING_GET,
		.doit		= flowring_nl_ring_get_doit,
		.policy		= flowring_ring_get_nl_policy,
		.maxattr	= FLOWRING_A_RING_NAME,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= FLOWRING_CMD_RING_GET,
		.dumpit	= flowring_nl_ring_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= FLOWRING_CMD_RING_NEW,
		.doit		= flowring_nl_ring_new_doit,
		.policy		= flowring_ring_new_nl_policy,
		.maxattr	= FLOWRING_A_RING_UDP,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= FLOWRING_CMD_RING_SET,
		.doit		= flowring_nl_ring_set_doit,
		.policy		= flowring_ring_set_nl_policy,
		.maxattr	= FLOWRING_A_RING_UDP,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= FLOWRING_CMD_RING_DEL,
		.doit		= flowring_nl_ring_del_doit,
		.policy		= flowring_ring_del_nl_policy,
		.maxattr	= FLOWRING_A_RING_NAME,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= FLOWRING_CMD_BACKEND_GET,
		.doit		= flowring_nl_backend_get_doit,
		.policy		= flowring_backend_get_do_nl_policy,
		.maxattr	= FLOWRING_A_BACKEND_PROGRESS,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= FLOWRING_CMD_BACKEND_GET,
		.start		= flr_nl_dump_start,
		.dumpit		= flowring_nl_backend_get_dumpit,
		.policy		= flowring_backend_get_dump_nl_policy,
		.maxattr	= FLOWRING_A_BACKEND_PROGRESS,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= FLOWRING_CMD_BACKEND_NEW,
		.doit		= flowring_nl_backend_new_doit,
		.policy		= flowring_backend_new_nl_policy,
		.maxattr	= FLOWRING_A_BACKEND_MARK,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= FLOWRING_CMD_BACKEND_SET,
		.doit		= flowring_nl_backend_set_doit,
		.policy		= flowring_backend_set_nl_policy,
		.maxattr	= FLOWRING_A_BACKEND_MARK,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= FLOWRING_CMD_BACKEND_DEL,
		.doit		= flowring_nl_backend_del_doit,
		.policy		= flowring_backend_del_nl_policy,
		.maxattr	= FLOWRING_A_BACKEND_FORCE,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= FLOWRING_CMD_SERVICE_GET,
		.doit		= flowring_nl_service_get_doit,
		.policy		= flowring_service_get_nl_policy,
		.maxattr	= FLOWRING_A_SERVICE_IP_VERSION,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= FLOWRING_CMD_SERVICE_GET,
		.dumpit	= flowring_nl_service_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= FLOWRING_CMD_SERVICE_NEW,
		.doit		= flowring_nl_service_new_doit,
		.policy		= flowring_service_new_nl_policy,
		.maxattr	= FLOWRING_A_SERVICE_ACTION,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= FLOWRING_CMD_SERVICE_SET,
		.doit		= flowring_nl_service_set_doit,
		.policy		= flowring_service_set_nl_policy,
		.maxattr	= FLOWRING_A_SERVICE_ACTION,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= FLOWRING_CMD_SERVICE_DEL,
		.doit		= flowring_nl_service_del_doit,
		.policy		= flowring_service_del_nl_policy,
		.maxattr	= FLOWRING_A_SERVICE_IP_VERSION,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= FLOWRING_CMD_LOOKUP,
		.doit		= flowring_nl_lookup_doit,
		.policy		= flowring_lookup_nl_policy,
		.maxattr	= FLOWRING_A_LOOKUP_MARK,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= FLOWRING_CMD_RING_COMMIT,
		.doit		= flowring_nl_ring_commit_doit,
		.policy		= flowring_ring_commit_nl_policy,
		.maxattr	= FLOWRING_A_COMMIT_CHANGE,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= FLOWRING_CMD_RING_FREEZE,
		.doit		= flowring_nl_ring_freeze_doit,
		.policy		= flowring_ring_freeze_nl_policy,
		.maxattr	= FLOWRING_A_RING_FROZEN,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= FLOWRING_CMD_WINDOW_CLOSE,
		.doit		= flowring_nl_window_close_doit,
		.policy		= flowring_window_close_nl_policy,
		.maxattr	= FLOWRING_A_RING_NAME,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= FLOWRING_CMD_PINS_GET,
		.doit	= flowring_nl_pins_get_doit,
		.flags	= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= FLOWRING_CMD_PINS_SET,
		.doit		= flowring_nl_pins_set_doit,
		.policy		= flowring_pins_set_nl_policy,
		.maxattr	= FLOWRING_A_PINS_SIZE,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
};

static const struct genl_multicast_group flowring_nl_mcgrps[] = {
	[FLOWRING_NLGRP_CONFIG] = { "config", },
};

struct genl_family flowring_nl_family __ro_after_init = {
	.name		= FLOWRING_FAMILY_NAME,
	.version	= FLOWRING_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.split_ops	= flowring_nl_ops,
	.n_split_ops	= ARRAY_SIZE(flowring_nl_ops),
	.mcgrps		= flowring_nl_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(flowring_nl_mcgrps),
};
