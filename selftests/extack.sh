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
	[ "$rc" -eq 2 ] || fail "raw ${*:1:5}: exit $rc, expected 2"
	same "raw ${*:1:5}" "$text" "$out"
	unchanged "raw ${*:1:5}"
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
		service-new proto=6 addr=10.1.0.9 port=65536 ring=empty
	refuse_raw "EPROTONOSUPPORT protocol is neither TCP nor UDP (proto)" \
		service-new proto=132 addr=10.1.0.9 port=9 ring=empty
	refuse_raw "ERANGE integer out of range (bits)" ring-set name=web bits=7
	refuse_raw "ERANGE integer out of range (bits)" ring-set name=web bits=21
	refuse_raw "ERANGE integer out of range (vnodes)" \
		ring-set name=web vnodes=65537
}

bad_services()
{
	local what=(proto=6 addr=10.3.0.0 prefix=16 port=80)

	refuse_raw "EINVAL does not go with mark (addr)" \
		service-new mark=1 ip-version=4 addr=10.1.0.9 ring=empty
	refuse_raw "EINVAL does not go with addr (ip-version)" \
		service-new "${what[@]}" ip-version=4 ring=empty
	refuse_raw "EINVAL does not go with any (port)" \
		service-new proto=0 addr=10.1.0.9 port=80 ring=empty
	refuse_raw "EINVAL does not go with action (ring)" \
		service-new "${what[@]}" ring=empty action=0
	refuse_raw "EINVAL version is 4 or 6 (ip-version)" \
		service-new mark=1 ip-version=5 ring=empty
	refuse_raw "EINVAL the address has 32 bits (prefix)" \
		service-new proto=6 addr=10.1.0.9 prefix=33 port=80 ring=empty
	refuse_raw "EINVAL address has bits behind the prefix (addr)" \
		service-new proto=6 addr=10.1.0.9 prefix=31 port=80 ring=empty
	refuse_raw "EINVAL a range ends behind its first port (port-end)" \
		service-new "${what[@]}" port-end=80 ring=empty
	refuse_raw "EINVAL a range ends behind its first port (port-end)" \
		service-new proto=6 addr=10.1.0.9 port=0 port-end=80 ring=empty
	refuse_raw "EINVAL the protocol has no ports (proto)" \
		lookup proto=47 saddr=10.9.0.1 sport=1 daddr=10.9.0.2 dport=0
	accept service add tcp 10.3.0.0/16 port 80-89 ring empty
	refuse "service tcp 10.3.0.0/16 port 89-99: ports overlap with those of the service of 80-89" \
		service add tcp 10.3.0.0/16 port 89-99 ring empty
	refuse "service mark 1 ipv4: a service of a mark cannot have nat, as ring web has" \
		service add mark 1 ipv4 ring web
	accept service add mark 1 ipv4 ring empty
	refuse "backend empty b1: ring empty has a service of a mark: it cannot have nat" \
		backend add empty b1 addr 10.1.0.9
	accept service del mark 1 ipv4
	accept service del tcp 10.3.0.0/16 port 80-89
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
	local text="cannot mix nat with other modes"

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

# What only some modes have, and where their packets can go.
modes_have()
{
	refuse "backend dr m1: a mark backend has no address (attribute addr)" \
		backend add dr m1 mode mark mark 1 addr 10.1.0.13
	refuse_raw "EINVAL (missing mark)" backend-new ring=dr name=m1 mode=4
	refuse_raw "EINVAL (missing addr)" backend-new ring=dr name=g1 mode=3
	refuse_raw "ERANGE integer out of range (mark)" \
		backend-new ring=dr name=m1 mode=4 mark=0
	refuse "backend dr i1: only a mark backend has a mark (attribute mark)" \
		backend add dr i1 addr 10.2.0.1 mode ipip mark 1
	refuse "backend dr i1: only gue has checksums (attribute checksum)" \
		backend add dr i1 addr 10.2.0.1 mode ipip checksum on
	refuse_raw "EINVAL only gue has checksums (checksum)" \
		backend-set ring=dr name=d1 checksum=0
	refuse_raw "ERANGE integer out of range (checksum)" \
		backend-new ring=dr name=g1 mode=3 addr=10.2.0.1 checksum=2
	refuse "backend dr i1: backend i1: ipip cannot change the port" \
		backend add dr i1 addr 10.2.0.1 mode ipip port 80
	refuse "backend dr m1: backend m1: mark cannot change the port" \
		backend add dr m1 mode mark mark 1 port 80
	refuse "backend dr i1: backend i1: a tunnel cannot lead there" \
		backend add dr i1 addr 10.1.0.254 mode ipip
	refuse "backend dr g1: backend g1: a tunnel cannot lead there" \
		backend add dr g1 addr 2001:db8:1::fe mode gue
	refuse "backend masq m1: ring masq has masquerade: that needs nat" \
		backend add masq m1 mode mark mark 1
	accept backend add dr m1 mode mark mark 1
	accept backend add dr g1 addr 10.2.0.1 mode gue
	refuse "backend dr m2: backend m1 has that address and port" \
		backend add dr m2 mode mark mark 0x1
	refuse "backend dr g2: backend g1 has that address and port" \
		backend add dr g2 addr 10.2.0.1 mode gue port 6080
	refuse "backend dr m1: a mark backend has no address (attribute addr)" \
		backend set dr m1 addr 10.1.0.13
	accept backend set dr g1 checksum off
	accept backend del dr m1
	accept backend del dr g1
	commit_lines "line 2: backend m1: a mark backend has no address (attribute addr)" \
		$'ring set bits 9\nbackend add m1 mode mark mark 1 addr 10.1.0.13' dr
	refuse_raw "EINVAL (missing change/backend/mark)" \
		ring-commit ring=dr "change=[op=0 backend=[name=m1 mode=4]]"
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

# commit_lines TEXT LINES WORD...: a commit of these lines is refused.
commit_lines()
{
	local text=$1 lines=$2

	shift 2
	refuse "$text" ring commit "$@" <<<"$lines"
}

slots()
{
	fr "$ns" -j backend show web "$1" | jq '.[0].slots'
}

# Each epoch and limit of a commit.
commit_conditions()
{
	refuse_raw "ESTALE ring web is at epoch 3 (expect)" \
		ring-commit ring=web expect=0 create=
	refuse "ring web: epoch is 3, not 2: someone else has changed it" \
		ring commit web expect 2 backend del b1
	refuse_raw "ESTALE ring web is at epoch 3 (expect)" \
		ring-commit ring=web expect=4
	refuse_raw "ESTALE ring web is at epoch 3 (expect)" ring-commit \
		ring=web expect=$((3 + (1 << 32))) "change=[op=2 backend=[name=b1]]"
	refuse_raw "ERANGE ring web is at epoch 3 already (epoch)" \
		ring-commit ring=web epoch=3
	refuse_raw "ERANGE ring web is at epoch 3 already (epoch)" \
		ring-commit ring=web epoch=0
	refuse "ring web: would move $(slots b1) of 256 slots, more than 0" \
		ring commit web max-move 0 backend del b1
	refuse "ring web: b2 would get 256 of 256 slots" \
		ring commit web max-share 99.99% backend del b1
	refuse_raw "ENOENT no ring no (ring)" ring-commit ring=no
	# The last epoch there is
	accept ring add last bits 8
	same "the last epoch" OK \
		"$(raw "$ns" ring-commit ring=last epoch=18446744073709551615)"
	before=$(state "$ns")
	refuse "ring last is at epoch 18446744073709551615 already" \
		ring set last bits 9
	accept ring del last
}

# What is wrong with a change of a commit points into it, and those before it
# are not made.
commit_changes()
{
	local many

	commit_lines "line 2: backend no: no backend no in ring web" \
		$'backend del b1\nbackend set no weight 1' web
	refuse_raw "ENOENT no backend b1 in ring web (change/backend/name)" \
		ring-commit ring=web "change=[op=2 backend=[name=b1]]" \
		"change=[op=1 backend=[name=b1]]"
	commit_lines "line 2: backend b3 exists" \
		$'backend add b3 addr 10.1.0.3\nbackend add b3 addr 10.1.0.4' web
	commit_lines "line 2: backend b3: address is multicast (attribute addr)" \
		$'backend del b1\nbackend add b3 addr 224.0.0.1' web
	commit_lines "line 2: backend b4: backend b3 has that address and port" \
		$'backend add b3 addr 10.1.0.3\nbackend add b4 addr 10.1.0.3' web
	commit_lines "line 2: backend b3: ring web cannot mix nat with other modes" \
		$'ring set bits 9\nbackend add b3 addr 10.1.0.3 mode dr' web
	refuse_raw "EINVAL the mode of a backend cannot be changed (change/backend/mode)" \
		ring-commit ring=web "change=[op=1 backend=[name=b1 mode=1]]"
	refuse_raw "EINVAL name is not plain ASCII without spaces (change/ring/owner)" \
		ring-commit ring=web $'change=[op=3 ring=[owner=a\tb]]'
	refuse_raw "ERANGE integer out of range (change/ring/bits)" \
		ring-commit ring=web "change=[op=3 ring=[bits=21]]"
	refuse_raw "EINVAL (missing change/op)" \
		ring-commit ring=web "change=[backend=[name=b1]]"
	refuse_raw "EINVAL (missing change/backend/addr)" \
		ring-commit ring=web "change=[op=0 backend=[name=b3]]"
	mapfile -t many < <(yes "change=[op=1 backend=[name=b1 weight=1]]" |
		head -n 1001)
	refuse_raw "E2BIG no more than 1000 changes in a commit (change)" \
		ring-commit ring=web "${many[@]}"
}

# The one thing to read that not everybody may.
owners_of_a_lookup()
{
	local flow=(lookup tcp 10.1.0.9 1 198.51.100.10 80) rc=0

	ip netns exec "$ns" setpriv --reuid 65534 --regid 65534 \
		--clear-groups --bounding-set=-all --inh-caps=-all \
		flowring "${flow[@]}" owners 2 >"$tmp/out" 2>"$tmp/err" || rc=$?
	cat "$tmp/err" >>"$tmp/seen"
	same "exit of nobody's lookup" 2 "$rc"
	same "nobody's lookup" "flowring: lookup tcp 10.1.0.9 port 1 to 198.51.100.10 port 80: listing owners needs CAP_NET_ADMIN (attribute owners)" \
		"$(cat "$tmp/err")"
	same "owners for root" 2 \
		"$(fr "$ns" -j "${flow[@]}" owners 2 | jq '.[0].owner | length')"
}

# Counting is for the administrator, too.
flows_of_a_backend()
{
	local out

	out=$(ip netns exec "$ns" setpriv --reuid 65534 --regid 65534 \
		--clear-groups --bounding-set=-all --inh-caps=-all \
		"$here/netlink.py" raw backend-get ring=web name=b1 progress=)
	echo "$out" >>"$tmp/seen"
	same "nobody's progress" \
		"EPERM counting flows needs CAP_NET_ADMIN (progress)" "$out"
}

# Positions are in the byte order of the host.
explicit_tokens()
{
	local long

	for long in 01 01020304050607 "$(printf '%018d' 0)" \
		    "$(seq -f '%016.0f' 1025 | tr -d '\n')"; do
		refuse_raw "EINVAL tokens are not up to 1024 of 8 bytes (explicit-tokens)" \
			backend-set ring=web name=b1 "explicit-tokens=0x$long"
	done
	refuse_raw "EINVAL token 0x0a0a0a0a0a0a0a0a is given twice (explicit-tokens)" \
		backend-new ring=web name=b3 addr=10.1.0.3 \
		explicit-tokens=0x0a0a0a0a0a0a0a0a0a0a0a0b0a0a0a0a0a0a0a0a0a0a0a0a
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

windows_and_drains()
{
	local slots

	accept ring add win bits 8
	accept backend add win w1 addr 10.1.0.31 mode dr
	accept backend add win w2 addr 10.1.0.32 mode dr
	accept service add tcp 10.9.0.7 port 80 ring win
	slots=$(fr "$ns" -j backend show win w1 | jq '.[0].slots')
	refuse "ring win has no open window" window close win
	refuse "backend win w1: w1 owns $slots of 256 slots: drain, or force" \
		backend del win w1
	refuse "ring win: a new key ends all connections of win: set window off" \
		ring set win key 00112233445566778899aabbccddeeff
	accept backend set win w1 state drain
	refuse "backend win w1: w1: 0 flows, $slots slots left: wait, or force" \
		backend del win w1
	accept ring freeze win
	refuse "ring win is frozen" ring set win bits 9
	refuse "ring win is frozen" ring del win
	refuse "backend win w2: ring win is frozen" \
		backend set win w2 weight 50
	refuse "backend win w3: ring win is frozen" \
		backend add win w3 addr 10.1.0.33 mode dr
	refuse "backend win w2: ring win is frozen" backend del win w2 force
	accept ring unfreeze win
	accept ring set win window off key 00112233445566778899aabbccddeeff
	refuse_raw "EINVAL size is not a power of two (size)" \
		pins-set size=1025
	accept service del tcp 10.9.0.7 port 80
	accept ring del win
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
untested+='|no more than .* backends in (a|all) rings?'

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
		pattern=$(sed -E 's/[].*^()$[]/\\&/g; s/%s/[^ ]*/g
			s/%0?[0-9]*l*x/[0-9a-f]*/g; s/%l*u/[0-9]*/g' \
			<<<"$message")
		grep -qE "$pattern( \(|\$)" "$tmp/seen" && continue
		grep -qE "$untested" <<<"$message" && continue
		fail "no case meets: $message"
	done < <(messages)
	[ "$count" -ge 30 ] || fail "only $count messages found in the source"
}

setup
run_tests unknown_names duplicates wrong_families bad_addresses \
	numbers_out_of_range bad_services bad_names modes modes_have no_route_is_a_warning \
	commit_conditions commit_changes explicit_tokens \
	owners_of_a_lookup flows_of_a_backend ring_in_use token_limit \
	windows_and_drains object_limits \
	each_message_was_met
