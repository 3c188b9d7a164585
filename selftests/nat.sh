#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 900
#
# The nat mode, with real connections.
#
#	192.0.2.0/24           203.0.113.16*I/28, 2001:db8:b:I::/64
#	+----+     +---------+     +----+
#	| cl |-----| gw      |-----| b1 | 8080
#	+----+     | V:80    |     +----+
#	           |         |-----| b2 | 8080
#	           |         |     +----+
#	           |         |-----| b3 | 8080
#	           +---------+     +----+
#
# V is 198.51.100.10 and 2001:db8:f::10, which only some cases add to gw.

# shellcheck disable=SC2154,SC2317
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
need_tools tcpdump conntrack

FLOWS=${FLOWS:-60}

# connect PROTO FAMILY COUNT FIRST [NS SOURCE]: real flows, "PORT BACKEND ..."
connect()
{
	peer "${5:-$cl}" many "$1" "$(vip "$2")" 80 "$3" "$4" ${6:+"$6"}
}

spread()
{
	local p=$1 f=$2 lines

	lines=$(connect "$p" "$f" "$FLOWS" 21000)
	echo "$lines"
	equal "$FLOWS" "$(echo "$lines" | wc -l)" flows
	equal "b1 b2 b3" "$(echo "$lines" | distinct)" backends
	# what the backend sees: the client as it is, its own port
	equal "$(client "$f") 8080" \
		"$(echo "$lines" | awk '{ print $3, $5 }' | sort -u)"
}

as_looked_up()
{
	local p=$1 f=$2

	lookups "$p" "$f" 22000 "$FLOWS" >"$WORK/said"
	connect "$p" "$f" "$FLOWS" 22000 >"$WORK/did"
	cut -d' ' -f1,2 "$WORK/did" | diff "$WORK/said" -
	# the same ports again, in new connections
	in_ns "$gw" conntrack -F
	connect "$p" "$f" "$FLOWS" 22000 >"$WORK/again"
	diff "$WORK/did" "$WORK/again"
}

counted()
{
	local p=$1 f=$2 b sum=0 before

	before=$(service_stat "$p" "$f" flows)
	for b in b1 b2 b3; do
		sum=$((sum - $(backend_stat "web$f" "$b" flows)))
	done
	connect "$p" "$f" "$FLOWS" 23000
	for b in b1 b2 b3; do
		sum=$((sum + $(backend_stat "web$f" "$b" flows)))
	done
	equal "$((before + FLOWS))" "$(service_stat "$p" "$f" flows)" service
	equal "$FLOWS" "$sum" backends
}

weights()
{
	local f=$1 got

	fr backend set "web$f" b1 weight 0
	got=$(connect tcp "$f" "$FLOWS" 24000 | distinct)
	equal "b2 b3" "$got"
	fr backend set "web$f" b1 weight 300
	fr -j backend show "web$f" b1 | jq -e '.[0].slots > 38000'
	connect tcp "$f" "$FLOWS" 24000 >"$WORK/did"
	got=$(grep -c ' b1 ' "$WORK/did")
	at_least $((FLOWS * 2 / 5)) "$got" "flows of b1"
	fr backend set "web$f" b1 weight 100
}

port_kept()
{
	local f=$1

	ring "kept$f" nat "$f" 0
	fr backend add "kept$f" b2 addr "$(backend_addr nat "$f" 2)"
	service tcp "$f" "kept$f" 8081
	[[ $(peer "$cl" try tcp "$(vip "$f")" 8081) == \
		"served b2 $(client "$f") "*" 8081 "* ]]
	fr service del tcp "$(vip "$f")" port 8081
	fr ring del "kept$f"
}

# The gateway's own connections; to V, which it has or not.
from_gateway()
{
	local p=$1 f=$2 got g=G$2

	lookups_from_gateway "$p" "$f" >"$WORK/said"
	peer "$gw" many "$p" "$(vip "$f")" 80 20 25000 "${!g}" >"$WORK/did"
	cut -d' ' -f1,2 "$WORK/did" | diff "$WORK/said" -
	got=$(distinct <"$WORK/did")
	equal "b1 b2 b3" "$got"
}

lookups_from_gateway()
{
	local i g=G$2

	for ((i = 25000; i < 25020; i++)); do
		echo "lookup $1 ${!g} $i $(vip "$2") 80"
	done | fr -j -b - | jq -r '.[] | "\(.sport) \(.backend)"'
}

vip_on_gateway()
{
	addr "$gw" lo "$V4/32" "$V6/128"
	spread tcp 4
	spread udp 6
	from_gateway tcp 4
	from_gateway udp 4
	from_gateway tcp 6
	ip -n "$gw" addr del "$V4/32" dev lo
	ip -n "$gw" addr del "$V6/128" dev lo
}

no_vip_on_gateway()
{
	# without a route the socket would not get as far as the hook
	ip -n "$gw" route replace "$V4/32" dev v1
	ip -n "$gw" -6 route replace "$V6/128" dev v1
	from_gateway tcp 4
	from_gateway udp 4
	from_gateway tcp 6
	from_gateway udp 6
	ip -n "$gw" route del "$V4/32" dev v1
	ip -n "$gw" -6 route del "$V6/128" dev v1
}

# A backend without a server on the port: its ICMP error has to come as one
# that quotes a packet to V, or the socket would not take it.
port_unreachable()
{
	local f=$1 got

	ring "none$f" nat "$f" 0
	fr backend add "none$f" b1 addr "$(backend_addr nat "$f" 1)" port 9
	service udp "$f" "none$f" 53
	got=$(peer "$cl" try udp "$(vip "$f")" 53 0 8)
	echo "$got"
	fr service del udp "$(vip "$f")" port 53
	fr ring del "none$f"
	[[ $got == refused* ]]
}

# backend_mtu MTU [OPTION...]: of the links, and how the backends know about it.
backend_mtu()
{
	local i ns mtu=$1

	shift
	for i in 1 2 3; do
		ns=b$i
		ip -n "$gw" link set "v$i" mtu "$mtu"
		ip -n "${!ns}" route change default \
			via "203.0.113.$((i * 16 + 14))" "$@"
		ip -n "${!ns}" -6 route change default \
			via "2001:db8:b:$i::fe" "$@"
	done
}

# The links to the backends take less than the client's: what the gateway says
# about it has to quote a packet to V.
frag_needed()
{
	local f=$1 filter quotes="icmp[6:2] == 1300 and icmp[24:4] == 0xc633640a"

	filter="icmp[0] == 3 and icmp[1] == 4"
	if [ "$f" = 6 ]; then
		filter="ip6[6] == 58 and ip6[40] == 2"
		quotes="ip6[44:4] == 1300 and ip6[72:4] == 0x20010db8"
		quotes+=" and ip6[76:4] == 0xf0000"
	fi
	# the backends still ask for large segments
	backend_mtu 1300 mtu 1300 advmss 1440
	start "$cl" timeout 60 tcpdump -c 1 -ni eth0 -w "$WORK/cap" "$filter" \
		2>"$WORK/dump"
	slowwait 20 grep -q listening "$WORK/dump"
	peer "$cl" bulk "$(vip "$f")" 80 500000
	wait $!
	ip -n "$cl" route get "$(vip "$f")" >"$WORK/route"
	backend_mtu 1500
	ip -n "$cl" route flush cache
	ip -n "$cl" -6 route flush cache
	tcpdump -nnvr "$WORK/cap"
	tcpdump -nnr "$WORK/cap" "$quotes" >"$WORK/text"
	equal 1 "$(wc -l <"$WORK/text")" "errors that quote V"
	cat "$WORK/route"
	grep -q 'mtu 1300' "$WORK/route"
}

big_transfer()
{
	local f=$1

	[[ $(in_ns "$cl" ethtool -k eth0) == \
		*"generic-segmentation-offload: on"* ]]
	peer "$cl" bulk "$(vip "$f")" 80 "${BULK:-8000000}"
}

setup_nat 3
serve_all 3 8080 8081
both nat 3
for f in 4 6; do
	for p in tcp udp; do
		run_test "IPv$f $p: real flows spread, replies are V's" \
			spread $p $f
		run_test "IPv$f $p: lookup says who really serves" \
			as_looked_up $p $f
		run_test "IPv$f $p: flows are counted" counted $p $f
	done
	run_test "IPv$f: weights" weights $f
	run_test "IPv$f: a backend without a port keeps the service's" \
		port_kept $f
	run_test "IPv$f: port unreachable reaches the client" \
		port_unreachable $f
	run_test "IPv$f: packet too big is about V" frag_needed $f
	run_test "IPv$f: bulk transfer" big_transfer $f
done
run_test "the gateway as a client, V not its own" no_vip_on_gateway
run_test "V is an address of the gateway" vip_on_gateway
finish
