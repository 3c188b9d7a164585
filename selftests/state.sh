#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 900
#
# Existing nat flows, and what changes of the configuration do to them.
#
#	+----+     +---------+     +----+
#	| cl |-----| gw      |-----| b1 | 8080
#	+----+     | V:80    |     +----+
#	           |         |-----| b2 | 8080
#	           |         |     +----+
#	           |         |-----| b3 | 8080
#	           +---------+     +----+

# shellcheck disable=SC2154,SC2317
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
need_tools conntrack

LIVE=${LIVE:-100}

# lost: what is held has no answer any more. A reset or silence, not another
# server.
lost()
{
	echo 0 >&"${HOLD[1]}"
	expect_line "failed"
}

# hold_on_b1 PROTO FAMILY: one flow that goes to b1, from port $sport
hold_on_b1()
{
	sport=$(sport_to "$1" "$2" b1)
	hold "$cl" "$1" "$(vip "$2")" 80 1 "$sport"
	equal "ok b1" "$(ask 0.2)" server
}

drained()
{
	local f=$1 p=$2

	both nat 3
	hold_on_b1 "$p" "$f"
	fr backend set "web$f" b1 state drain
	equal "ok b1" "$(ask 1)" server
	peer "$cl" many "$p" "$(vip "$f")" 80 40 30000 >"$WORK/did"
	equal "b2 b3" "$(distinct <"$WORK/did")" "servers of new flows"
	equal "ok b1" "$(ask 0.2)" server
	fr backend set "web$f" b1 state up
	equal "ok b1" "$(ask 0.2)" server
}

# A steady sender of datagrams: the next one goes elsewhere. COMMAND... takes
# b1 away.
udp_moves()
{
	local f=$1 answer

	shift
	both nat 3
	hold_on_b1 udp "$f"
	"$@"
	answer=$(ask 1)
	echo "$answer"
	[[ $answer == "ok b2" || $answer == "ok b3" ]]
	# it was one flow all the time, and no packet got lost: ask would tell
}

tcp_ends()
{
	local f=$1

	shift
	both nat 3
	export PEER_TIMEOUT=4
	hold_on_b1 tcp "$f"
	"$@"
	in_ns "$gw" conntrack -L -f "ipv$f" -p tcp --sport "$sport" \
		>"$WORK/left"
	cat "$WORK/left"
	fails grep -q ESTABLISHED "$WORK/left"
	lost
}

# While it answers, a datagram is on its way every 20 ms.
service_deleted()
{
	local f=$1 p

	both nat 3
	hold "$cl" udp "$(vip "$f")" 80 20 31000
	ask 0.2
	fr service del udp "$(vip "$f")" port 80
	in_ns "$gw" conntrack -L -f "ipv$f" -p udp >"$WORK/left"
	cat "$WORK/left"
	fails grep -q dport=8080 "$WORK/left"
	fails grep -q sport=8080 "$WORK/left"
}

new_address()
{
	local f=$1

	both nat 2
	hold_on_b1 udp "$f"
	fr backend set "web$f" b1 addr "$(backend_addr nat "$f" 3)"
	equal "ok b3" "$(ask 1)" server
	# the name decides about the place, so that lookups stay
	equal "$sport b1" "$(lookups udp "$f" "$sport" 1)" lookup
}

# Flows that stay are those of other backends, too.
others_stay()
{
	local f=$1 p=$2 names

	both nat 3
	hold "$cl" "$p" "$(vip "$f")" 80 30 32000
	names=$(ask 0.1)
	fr backend add "web$f" b4 addr "$(backend_addr nat "$f" 3)" port 8081
	equal "$names" "$(ask 0.2)" servers
	fr backend set "web$f" b4 weight 300
	equal "$names" "$(ask 0.2)" servers
	fr backend del "web$f" b4 force
	equal "$names" "$(ask 0.2)" servers
	equal 30 "$(wc -w <<<"${names#ok}")" flows
}

# M1: out of service and back, by weight
weight_and_back()
{
	local f=$1 p=$2 names

	both nat 3
	lookups "$p" "$f" 1024 2000 >"$WORK/before"
	equal "b1 b2 b3" "$(distinct <"$WORK/before")" backends
	hold "$cl" "$p" "$(vip "$f")" 80 "$LIVE" 33000
	names=$(ask 0.2)
	fr backend set "web$f" b1 weight 0
	equal "$names" "$(ask 0.5)" servers
	lookups "$p" "$f" 1024 2000 >"$WORK/between"
	equal "b2 b3" "$(distinct <"$WORK/between")" backends
	fr backend set "web$f" b1 weight 100
	equal "$names" "$(ask 0.2)" servers
	lookups "$p" "$f" 1024 2000 | diff "$WORK/before" -
}

# M3: source ports come round again while the gateway has the old connections
# in TIME_WAIT, or CLOSE with a reset.
ports_again()
{
	local f=$1 last first

	[ "$2" = reset ] || export PEER_ORDERLY=1
	both nat 3
	peer "$cl" many tcp "$(vip "$f")" 80 100 34000 >"$WORK/did"
	in_ns "$gw" conntrack -L -f "ipv$f" -p tcp >"$WORK/left"
	[ "$2" = reset ] ||
		at_least 90 "$(grep -c TIME_WAIT "$WORK/left")" TIME_WAIT
	equal "b1 b2 b3" "$(distinct <"$WORK/did")" servers
	fr backend set "web$f" b1 weight 0
	first=$(backend_stat "web$f" b1 flows)
	peer "$cl" many tcp "$(vip "$f")" 80 100 34000 >"$WORK/did"
	equal 100 "$(wc -l <"$WORK/did")" flows
	equal "b2 b3" "$(distinct <"$WORK/did")" servers
	last=$(backend_stat "web$f" b1 flows)
	equal "$first" "$last" "flows of b1"
}

both_down()
{
	local f=$1

	both nat 3
	fr backend set "web$f" b1 state down
	fr backend set "web$f" b2 state down
	peer "$cl" many tcp "$(vip "$f")" 80 40 35000 >"$WORK/did"
	equal b3 "$(distinct <"$WORK/did")" servers
}

other_ring()
{
	local f=$1

	both nat 2
	ring other nat "$f" 0
	fr backend add other b3 addr "$(backend_addr nat "$f" 3)" port 8080
	hold_on_b1 tcp "$f"
	fr service set tcp "$(vip "$f")" port 80 ring other
	equal "ok b1" "$(ask 0.2)" server
	peer "$cl" many tcp "$(vip "$f")" 80 10 36000 >"$WORK/did"
	equal b3 "$(distinct <"$WORK/did")" servers
}

setup_nat 3
serve_all 3 8080 8081
for f in 4 6; do
	for p in tcp udp; do
		run_test "IPv$f $p: drain keeps a flow, gives no new" \
			drained $f $p
		run_test "IPv$f $p: adding and removing others keeps flows" \
			others_stay $f $p
		run_test "IPv$f $p: weight 100, 0, 100 with $LIVE flows" \
			weight_and_back $f $p
	done
	run_test "IPv$f: down moves a steady UDP sender" \
		udp_moves $f fr backend set "web$f" b1 state down
	run_test "IPv$f: del moves a steady UDP sender" \
		udp_moves $f fr backend del "web$f" b1 force
	run_test "IPv$f: down ends a TCP connection" \
		tcp_ends $f fr backend set "web$f" b1 state down
	run_test "IPv$f: del ends a TCP connection" \
		tcp_ends $f fr backend del "web$f" b1 force
	run_test "IPv$f: deleting the service ends its connections" \
		tcp_ends $f fr service del tcp "$(vip $f)" port 80
	run_test "IPv$f: deleting the service ends its UDP flows" \
		service_deleted $f
	run_test "IPv$f: a new address ends flows to the old one" \
		new_address $f
	run_test "IPv$f: source ports come round again after a reset" \
		ports_again $f reset
	run_test "IPv$f: source ports come round again after a close" \
		ports_again $f close
	run_test "IPv$f: two of three go down" both_down $f
	run_test "IPv$f: another ring takes new flows only" other_ring $f
done
finish
