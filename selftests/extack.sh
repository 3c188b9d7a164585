#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 600
#
# Each reason that the kernel can refuse a change for: the exit status, the
# one line that the tool prints, and that nothing has changed.  The last test
# fails if the source has a message that none of the others has met.

# Tests are called by their names:
# shellcheck disable=SC2317
# shellcheck source=selftests/ctl.sh
. "$(dirname "$0")/ctl.sh"
need_tools python3

name31=0123456789abcdef0123456789abcde
name32=${name31}f
before=

# refuse TEXT WORD...: exit 2, the text, no change.
refuse()
{
	local text=$1

	shift
	echo "$text" >>"$tmp/seen"
	run "$ns" 2 "flowring: $text" "$@"
	unchanged "flowring $*"
}

# local_error TEXT WORD...: refused before the kernel is asked.
local_error()
{
	local text=$1

	shift
	run "$ns" 1 "flowring: $text" "$@"
	unchanged "flowring $*"
}

# refuse_raw TEXT COMMAND [ATTR=VALUE]...: the same, past the tool.
refuse_raw()
{
	local text=$1 out rc=0

	shift
	out=$(raw "$ns" "$@") || rc=$?
	echo "$out" >>"$tmp/seen"
	[ "$rc" -eq 2 ] || fail "raw $*: exit $rc, expected 2"
	same "raw $*" "$text" "$out"
	unchanged "raw $*"
}

unchanged()
{
	local after

	after=$(state "$ns")
	same "state after $*" "$before" "$after"
	before=$after
}

# accept WORD...: done without a word.
accept()
{
	run "$ns" 0 "" "$@"
	before=$(state "$ns")
}

setup()
{
	setup_ns ns peer
	ip -n "$ns" link add eth0 type veth peer name eth0 netns "$peer"
	ip -n "$ns" link set eth0 up
	ip -n "$peer" link set eth0 up
	ip -n "$ns" addr add 10.1.0.254/24 dev eth0
	ip -n "$ns" addr add 2001:db8:1::fe/64 dev eth0 nodad
	ip -n "$ns" route add 10.2.0.0/16 via 10.1.0.1
	ip -n "$ns" route add 2001:db8:2::/48 via 2001:db8:1::1
	accept ring add web bits 8 vnodes 4
	accept ring add empty bits 8
	accept ring add masq bits 8 masquerade on
	accept ring add six bits 8
	accept backend add web b1 addr 10.1.0.1
	accept backend add web b2 addr 10.1.0.2 port 8080
	accept service add tcp 198.51.100.10 port 80 ring web
	accept service add udp 2001:db8:9::1 port 53 ring six
}

unknown_names()
{
	refuse "ring no: no ring no" ring show no
	refuse "ring no: no ring no" ring set no bits 9
	refuse "ring no: no ring no" ring del no
	refuse "ring no: no ring no" backend show no
	refuse "backend no b1: no ring no" \
		backend show no b1
	refuse "backend no b: no ring no" \
		backend add no b addr 10.1.0.3
	refuse "backend web no: no backend no in ring web" \
		backend show web no
	refuse "backend web no: no backend no in ring web" \
		backend set web no weight 1
	refuse "backend web no: no backend no in ring web" \
		backend del web no
	refuse "service tcp 198.51.100.10 port 81: no such service" \
		service show tcp 198.51.100.10 port 81
	refuse "service udp 198.51.100.10 port 80: no such service" \
		service set udp 198.51.100.10 port 80 ring empty
	refuse "service tcp 2001:db8::1 port 80: no such service" \
		service del tcp 2001:db8::1 port 80
	refuse "service tcp 198.51.100.10 port 80: no ring no" \
		service set tcp 198.51.100.10 port 80 ring no
	refuse "service tcp 198.51.100.9 port 80: no ring no" \
		service add tcp 198.51.100.9 port 80 ring no
}

duplicates()
{
	refuse "ring web exists" ring add web bits 9
	refuse "backend web b1: backend b1 exists" \
		backend add web b1 addr 10.1.0.9
	refuse "backend web b3: backend b1 has that address and port" \
		backend add web b3 addr 10.1.0.1
	refuse "backend web b1: backend b2 has that address and port" \
		backend set web b1 addr 10.1.0.2 port 8080
	refuse "service tcp 198.51.100.10 port 80: service exists" \
		service add tcp 198.51.100.10 port 80 ring empty
	same "code of a ring that exists" "EEXIST ring web exists" \
		"$(raw "$ns" ring-new name=web)"
}

wrong_families()
{
	refuse "backend web b6: backend b6 is IPv6, a service of the ring is not" \
		backend add web b6 addr 2001:db8::6
	refuse "backend web b1: backend b1 is IPv6, a service of the ring is not" \
		backend set web b1 addr 2001:db8::6
	refuse "backend six b4: backend b4 is IPv4, a service of the ring is not" \
		backend add six b4 addr 10.1.0.4
	refuse "service tcp 2001:db8::1 port 80: service is IPv6, a backend of ring web is not" \
		service add tcp 2001:db8::1 port 80 ring web
	accept backend add six b6 addr 2001:db8:1::6
	refuse "service tcp 198.51.100.11 port 80: service is IPv4, a backend of ring six is not" \
		service add tcp 198.51.100.11 port 80 ring six
	refuse "service tcp 198.51.100.10 port 80: service is IPv4, a backend of ring six is not" \
		service set tcp 198.51.100.10 port 80 ring six
}

# The address goes where a backend's does, and a service's.
bad_address()
{
	local addr=$1 text="$2 (attribute addr)"

	refuse "backend empty x: $text" backend add empty x addr "$addr"
	refuse "backend web b1: $text" backend set web b1 addr "$addr"
	refuse "service tcp $addr port 80: $2" \
		service add tcp "$addr" port 80 ring empty
}

bad_addresses()
{
	local size

	bad_address 0.0.0.0 "address is zero"
	bad_address :: "address is zero"
	bad_address 224.0.0.1 "address is multicast"
	bad_address 239.255.255.255 "address is multicast"
	bad_address ff02::1 "address is multicast"
	bad_address 255.255.255.255 "address is broadcast"
	bad_address ::ffff:10.1.0.9 "address is IPv4-mapped"
	bad_address fe80::1 "address is link-local"
	for size in 00 0a0100 0a01000900 20010db8000000000000000000000001ff; do
		refuse_raw "EINVAL address has neither 4 nor 16 bytes (addr)" \
			backend-new ring=empty name=x "addr=0x$size"
	done
	refuse "lookup tcp 10.1.0.9 port 1 to 224.0.0.1 port 80: address is multicast" \
		lookup tcp 10.1.0.9 1 224.0.0.1 80
	refuse_raw "EINVAL source and destination differ in family" \
		lookup proto=6 saddr=10.1.0.9 sport=1 daddr=2001:db8::1 dport=80
}

numbers_out_of_range()
{
	local_error "port 0: must be 1 to 65535" \
		backend add empty x addr 10.1.0.9 port 0
	local_error "weight 10001: must be 0 to 10000" \
		backend add empty x addr 10.1.0.9 weight 10001
	refuse_raw "ERANGE integer out of range (port)" \
		backend-new ring=empty name=x addr=10.1.0.9 port=0
	refuse_raw "ERANGE integer out of range (port)" \
		backend-set ring=web name=b1 port=65536
	refuse_raw "ERANGE integer out of range (weight)" \
		backend-set ring=web name=b1 weight=10001
	refuse_raw "ERANGE integer out of range (port)" \
		service-new proto=6 addr=10.1.0.9 port=0 ring=empty
	refuse_raw "EPROTONOSUPPORT protocol is neither TCP nor UDP (proto)" \
		service-new proto=132 addr=10.1.0.9 port=9 ring=empty
	refuse_raw "ERANGE integer out of range (bits)" ring-set name=web bits=7
	refuse_raw "ERANGE integer out of range (bits)" ring-set name=web bits=21
	refuse_raw "ERANGE integer out of range (vnodes)" \
		ring-set name=web vnodes=65537
}

bad_names()
{
	local text="name is not plain ASCII without spaces (name)" name

	local_error "ring $name32: a name cannot be longer than 31 bytes" \
		ring add "$name32"
	refuse_raw "EINVAL Attribute failed policy validation (name)" \
		ring-new "name=$name32"
	refuse_raw "EINVAL Attribute failed policy validation (name)" \
		backend-new ring=empty "name=$name32" addr=10.1.0.9
	for name in "a b" $'a\tb' $'\x1b[31m' $'caf\u00e9' $'\x7f'; do
		refuse_raw "EINVAL $text" ring-new "name=$name"
		refuse_raw "EINVAL $text" \
			backend-new ring=empty "name=$name" addr=10.1.0.9
	done
	refuse_raw "EINVAL name is empty (name)" ring-new name=
	accept ring add "$name31" bits 8
	accept backend add "$name31" "$name31" addr 10.1.0.9
	accept ring del "$name31"
}

modes()
{
	local text="cannot mix nat and dr backends"

	accept ring add dr bits 8
	accept backend add dr d1 addr 10.1.0.11 mode dr
	refuse "backend web d2: ring web $text" \
		backend add web d2 addr 10.1.0.12 mode dr
	refuse "backend dr b2: ring dr $text" \
		backend add dr b2 addr 10.1.0.12 mode nat
	refuse "backend masq d1: ring masq has masquerade: that needs nat" \
		backend add masq d1 addr 10.1.0.11 mode dr
	refuse "ring dr has dr backends: masquerade needs nat" \
		ring set dr masquerade on
	refuse "backend dr d2: backend d2: dr cannot change the port" \
		backend add dr d2 addr 10.1.0.12 mode dr port 80
	refuse "backend dr d1: backend d1: dr cannot change the port" \
		backend set dr d1 port 80
	refuse "backend dr d2: backend d2 is not on-link: dr cannot reach it" \
		backend add dr d2 addr 10.2.0.1 mode dr
	refuse "backend dr d1: backend d1 is not on-link: dr cannot reach it" \
		backend set dr d1 addr 2001:db8:2::1
}

# Done, with a warning: an address that is down now may be up when it counts.
no_route_is_a_warning()
{
	local text="has no route at present" addr

	for addr in 203.0.113.1 2001:db8:f::1; do
		echo "backend far $text" >>"$tmp/seen"
		run "$ns" 0 "flowring: warning: backend dr far: backend far $text" \
			backend add dr far addr "$addr" mode dr
		run "$ns" 0 "" backend del dr far
	done
	before=$(state "$ns")
}

ring_in_use()
{
	refuse "ring web is used by 1 service(s)" ring del web
	accept service del tcp 198.51.100.10 port 80
	accept ring del web
}

tokens()
{
	fr "$ns" -j backend show lim "$1" | jq '.[0].tokens'
}

token_limit()
{
	local text="ring lim would have over 1048576 tokens"

	# 61681 * 17 is one too many, 65536 * 16 as many as may be
	accept ring add lim bits 8 vnodes 61681
	refuse "backend lim a: $text" backend add lim a addr 10.1.0.1 weight 1700
	accept ring set lim vnodes 65536
	accept backend add lim a addr 10.1.0.1 weight 1600
	same "tokens of a full ring" 1048576 "$(tokens a)"
	refuse "backend lim a: $text" backend set lim a weight 1601
	refuse "backend lim b: $text" backend add lim b addr 10.1.0.2 weight 1
	# it has none, but shall be able to come back
	accept backend set lim a state drain
	refuse "backend lim b: $text" backend add lim b addr 10.1.0.2 weight 1
	accept backend add lim b addr 10.1.0.2 weight 0
	refuse "backend lim b: $text" backend set lim b weight 1
	accept ring set lim vnodes 61680
	accept backend set lim a weight 1700
	refuse "$text" ring set lim vnodes 61681
	accept ring del lim
}

# Filling up a namespace takes minutes.
object_limits()
{
	local max=65536 rings services

	if [ -z "${FLOWRING_FULL:-}" ]; then
		skip "slow, for FLOWRING_FULL=1"
		printf '%s\n' "no more than 65536 rings" \
			"no more than 65536 services" >>"$tmp/seen"
		return
	fi
	rings=$((max - $(fr "$ns" -j ring show | jq length)))
	services=$((max - $(fr "$ns" -j service show | jq length)))
	{
		seq -f 'ring add r%.0f bits 8' "$rings"
		seq -f 'service add tcp 10.9.0.1 port %.0f ring r1' \
			$((services - 1))
		echo "service add tcp 10.9.0.2 port 1 ring r1"
	} >"$tmp/fill"
	run "$ns" 0 "" -b "$tmp/fill"
	before=$(state "$ns")
	refuse "ring one: no more than $max rings" ring add one bits 8
	refuse "service tcp 10.9.0.3 port 1: no more than $max services" \
		service add tcp 10.9.0.3 port 1 ring r1
	accept ring del r2
	accept ring add one bits 8
}

# Messages of the source as patterns.  What is left out needs memory to run
# out, or a kernel that cannot register hooks; so many backends take an hour.
untested='no memory|cannot register the steering hooks|cannot start conntrack'
untested+='|no more than .* backends in a ring'

messages()
{
	cat "$FLOWRING_TOP"/kmod/*.c | tr -d '\n\t' |
		grep -oE '(NL_SET_ERR_MSG[A-Z_]*\([^;]*|bad = "[^;]*);' |
		grep -oE '"([^"\\]|\\.)*"' | tr -d '"' | grep -vx '%s' | sort -u
}

each_message_was_met()
{
	local message pattern count=0

	while read -r message; do
		count=$((count + 1))
		pattern=$(sed 's/[].*^$[]/\\&/g; s/%s/[^ ]*/g; s/%u/[0-9]*/g' \
			<<<"$message")
		grep -q "$pattern" "$tmp/seen" && continue
		grep -qE "$untested" <<<"$message" && continue
		fail "no case meets: $message"
	done < <(messages)
	[ "$count" -ge 30 ] || fail "only $count messages found in the source"
}

setup
run_tests unknown_names duplicates wrong_families bad_addresses \
	numbers_out_of_range bad_names modes no_route_is_a_warning \
	ring_in_use token_limit object_limits each_message_was_met
