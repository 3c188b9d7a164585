#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 120
#
# Who may change and who may see: nobody without CAP_NET_ADMIN in the initial
# user namespace changes anything or sees a key; nobody sees another namespace.

# Tests are called by their names:
# shellcheck disable=SC2317
# shellcheck source=selftests/ctl.sh
. "$(dirname "$0")/ctl.sh"
need_tools python3 jq setpriv unshare conntrack

denied="not permitted: needs CAP_NET_ADMIN in the initial user namespace"
key=000102030405060708090a0b0c0d0e0f

# Runs a command as nobody, in $ns.
nobody()
{
	ip netns exec "$ns" setpriv --reuid 65534 --regid 65534 \
		--clear-groups --bounding-set=-all --inh-caps=-all "$@"
}

# As root of a user namespace, with a network namespace of its own.
container()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups \
		unshare -Urn "$@"
}

setup()
{
	setup_ns ns
	ip -n "$ns" link add eth0 type veth peer name eth1
	ip -n "$ns" link set eth0 up
	ip -n "$ns" addr add 10.1.0.254/24 dev eth0
	fr "$ns" -b - <<-END
	ring add web bits 8 key $key
	ring add spare bits 8
	backend add web b1 addr 10.1.0.1
	service add tcp 198.51.100.10 port 80 ring web
	END
}

# deny WHO OBJECT WORD...: exit 2 and the message.
deny()
{
	local who=$1 object=$2 rc=0

	shift 2
	"$who" flowring "$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
	same "exit of flowring $*" 2 "$rc"
	same "$who: flowring $*" "flowring: $object: $denied" \
		"$(cat "$tmp/err")"
}

# Each command that changes something; all but the lookup and the gets.
deny_all()
{
	local who=$1 service="tcp 198.51.100.10 port 80"

	deny "$who" "ring new" ring add new
	deny "$who" "ring web" ring set web bits 9
	deny "$who" "ring spare" ring del spare
	deny "$who" "ring web" ring commit web backend set b1 weight 1
	deny "$who" "ring new" ring commit new create ring set bits 8
	deny "$who" "ring web" ring commit web dry-run backend del b1
	deny "$who" "backend web b2" backend add web b2 addr 10.1.0.2
	deny "$who" "backend web b1" backend set web b1 weight 1
	deny "$who" "backend web b1" backend del web b1
	# shellcheck disable=SC2086
	{
		deny "$who" "service udp 198.51.100.10 port 80" \
			service add udp 198.51.100.10 port 80 ring web
		deny "$who" "service $service" service set $service ring spare
		deny "$who" "service $service" service del $service
	}
}

nobody_changes_anything()
{
	local before

	before=$(state "$ns")
	deny_all nobody
	same "state" "$before" "$(state "$ns")"
}

root_of_a_user_namespace_changes_nothing()
{
	container true 2>/dev/null || {
		skip "no user namespaces"
		return
	}
	deny_all container
}

nobody_reads_all_but_keys()
{
	same "key for root" "$key" \
		"$(fr "$ns" -j ring show web | jq -r '.[0].key')"
	same "rings" "$(fr "$ns" -j ring show | jq -c 'map(del(.key))')" \
		"$(nobody flowring -j ring show | jq -c .)"
	same "one ring" "$(fr "$ns" -j ring show web | jq -c 'map(del(.key))')" \
		"$(nobody flowring -j ring show web | jq -c .)"
	# what a backend still has is for root alone
	same "backends" "$(fr "$ns" -j -s backend show |
			jq -c 'map(del(.flows, .remembered, .pins, ."done-in"))')" \
		"$(nobody flowring -j -s backend show | jq -c .)"
	same "flows for root" 0 \
		"$(fr "$ns" -j backend show web b1 | jq '.[0].flows')"
	same "services" "$(fr "$ns" -j -s service show)" \
		"$(nobody flowring -j -s service show)"
	fr "$ns" ring show | grep -q "$key" || fail "root does not see the key"
	nobody flowring ring show | grep -q key && fail "nobody sees a key"
}

nobody_saves_nothing()
{
	local rc=0

	nobody flowring save >"$tmp/out" 2>"$tmp/err" || rc=$?
	same "exit" 2 "$rc"
	same "save" "" "$(cat "$tmp/out")"
	grep -q "does not show its key" "$tmp/err" || fail "$(cat "$tmp/err")"
}

# The flow is made up: what matters is what is shown of it.
nobody_sees_flows()
{
	local lookup="lookup tcp 10.1.0.9 4000 198.51.100.10 80" keys

	ip netns exec "$ns" conntrack -I -p tcp -s 10.1.0.9 -d 198.51.100.10 \
		--sport 4000 --dport 80 --state ESTABLISHED -t 300 \
		-g 10.1.0.1 >"$tmp/out" 2>&1 || {
		fail "conntrack: $(cat "$tmp/out")"
		return
	}
	# shellcheck disable=SC2086
	{
		keys=$(fr "$ns" -j $lookup | jq -r '.[0] | keys[]')
		grep -q flow-addr <<<"$keys" || fail "root does not see the flow"
		keys=$(nobody flowring -j $lookup | jq -r '.[0] | keys[]')
		grep -q backend <<<"$keys" || fail "nobody gets no answer"
		grep -q flow- <<<"$keys" && fail "nobody sees the flow"
	}
	same "counting as nobody" \
		"EPERM counting flows needs CAP_NET_ADMIN (progress)" \
		"$(nobody "$here/netlink.py" raw backend-get ring=web name=b1 \
			progress=)"
}

namespaces_are_apart()
{
	setup_ns other
	same "rings elsewhere" "[]" "$(fr "$other" -j ring show)"
	same "backends elsewhere" "[]" "$(fr "$other" -j backend show)"
	same "services elsewhere" "[]" "$(fr "$other" -j service show)"
	run "$other" 2 "flowring: ring web: no ring web" ring show web
	fr "$other" ring add web bits 9 || fail "a name is taken elsewhere"
	same "bits here" 8 "$(fr "$ns" -j ring show web | jq '.[0].bits')"
	if container true 2>/dev/null; then
		same "rings in a container" "[]" \
			"$(container flowring -j ring show)"
	fi
}

setup
run_tests nobody_changes_anything root_of_a_user_namespace_changes_nothing \
	nobody_reads_all_but_keys nobody_saves_nothing nobody_sees_flows \
	namespaces_are_apart
