#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 900
#
# Taking backends out: drain and how far it is, in dr and in nat; what deleting
# one breaks; and freezing a ring.
#
#	+----+ vcl   +----+ seg   +----------+     +----+
#	| cl |-------| gw |-------| sw (br0) |-----| b1 |  b2, b3
#	+----+       +----+       +----------+     +----+
#
# and the same without sw, each backend in a network of its own, for nat.

# shellcheck disable=SC2154,SC2317
# shellcheck source=selftests/winlib.sh
. "$(dirname "$0")/winlib.sh"
need_tools conntrack

# fresh MODE FAMILY WINDOW PIN-IDLE: a ring web with b1 to b3
fresh()
{
	flush
	ring web "$1" "$2" 3 bits 10 vnodes 64 imbalance off window "$3" \
		pin-idle "$4"
	service tcp "$2" web
	service udp "$2" web
}

# hold_some MODE FAMILY COUNT [FIRST]: TCP connections; $on_b1 of them on b1
hold_some()
{
	hold "$cl" tcp "$(vip "$2")" 80 "$3" "${4:-30000}"
	names=$(ask 0)
	on_b1=$(tr ' ' '\n' <<<"$names" | grep -cx b1)
	at_least 2 "$on_b1" "connections of b1"
}

left_is()
{
	[ "$(left "$1")" = "$2" ]
}

# left FIELD: what b1 still has, as a look at its progress tells
left()
{
	fr -j backend drain web b1 wait timeout 0 2>/dev/null |
		jq ".\"$1\"" || :
}

#
# Progress. While there are flows, drain waits; when the last has gone, it ends.
#

waits_for_flows()
{
	local mode=$1 f=$2 pid

	fresh "$mode" "$f" 3 4
	hold_some "$mode" "$f" 30
	start "$gw" flowring backend drain web b1 wait timeout 100 \
		>"$WORK/out" 2>"$WORK/err"
	pid=$!
	slowwait 10 grep -q 'web b1: ' "$WORK/err"
	# more than the time of the window, with all of them active
	equal "$names" "$(ask 5)" servers
	kill -0 "$pid"
	equal "" "$(cat "$WORK/out")" "said before the end"
	case $mode in
	dr)	equal "$on_b1" "$(left pins)" pins ;;
	nat)	equal "$on_b1" "$(left flows)" flows ;;
	esac
	kill "$HOLD_PID"
	[ "$mode" = dr ] || drop_tracked
	wait "$pid"
	equal "backend web b1: drained" "$(cat "$WORK/out")"
	cat "$WORK/err"
	grep -Eq 'web b1: .*[0-9]+ (pin|flow|slot)' "$WORK/err"
	fr backend del web b1
}

# The connections that were held are over, but conntrack keeps them for a while.
drop_tracked()
{
	slowwait 10 none_established
	in_ns "$gw" conntrack -F 2>/dev/null
}

none_established()
{
	! in_ns "$gw" conntrack -L -p tcp 2>/dev/null | grep -q ESTABLISHED
}

# As connections of a draining backend end, there are fewer.
nat_counts_down()
{
	local f=$1 first

	fresh nat "$f" 300 900
	# the one that is cut off keeps its port for a while
	hold_some nat "$f" 30 35000
	fr backend set web b1 state drain
	equal "$on_b1" "$(left flows)" flows
	# the first of them: word 2 of what hold says is flow 0
	first=$(tr ' ' '\n' <<<"$names" | grep -nx b1 | head -n 1)
	first=$((35000 + ${first%%:*} - 2))
	in_ns "$gw" conntrack -D -f "ipv$f" -p tcp --sport "$first" >/dev/null
	slowwait 5 left_is flows $((on_b1 - 1))
}

gives_up()
{
	local mode=$1 f=$2 rc=0 start=$SECONDS

	fresh "$mode" "$f" 300 900
	hold_some "$mode" "$f" 30
	fr backend drain web b1 wait timeout 2 >"$WORK/out" 2>"$WORK/err" ||
		rc=$?
	cat "$WORK/out" "$WORK/err"
	equal 1 "$rc" status
	at_least 2 $((SECONDS - start)) seconds
	grep -q "not drained after 2 s" "$WORK/err"
	# it has begun, and nobody lost anything
	equal drain "$(fr -j backend show web b1 | jq -r '.[0].state')" state
	equal "$names" "$(ask 0)" servers
}

# When it will be done: at most the rest of the window and the time in which
# its pins idle out.
done_in()
{
	local f=$1 ms

	fresh dr "$f" 20 30
	hold_some dr "$f" 30
	fr backend drain web b1
	equal "$names" "$(ask 0)" servers
	fr backend drain web b1 wait timeout 1 2>"$WORK/err" || :
	cat "$WORK/err"
	ms=$(sed -n 's/.*done in at most \([0-9]*\)s.*/\1/p' "$WORK/err" |
		head -n 1)
	at_least 30 "$ms" seconds
	at_least "$ms" 50 seconds
}

state_set_meanwhile()
{
	local f=$1 pid rc=0

	fresh dr "$f" 300 900
	hold_some dr "$f" 20
	start "$gw" flowring backend drain web b1 wait 2>"$WORK/err"
	pid=$!
	slowwait 10 grep -q 'web b1: ' "$WORK/err"
	fr backend set web b1 state up
	wait "$pid" || rc=$?
	equal 1 "$rc" status
	grep -q "set its state to up" "$WORK/err"
	equal "$names" "$(ask 0)" servers
}

#
# Deleting
#

del_is_refused()
{
	local mode=$1 f=$2 slots

	fresh "$mode" "$f" 300 900
	hold_some "$mode" "$f" 30
	slots=$(fr -j backend show web b1 | jq '.[0].slots')
	refused "b1 owns $slots of 1024 slots" fr backend del web b1
	fr backend set web b1 state drain
	equal "$names" "$(ask 0)" servers
	refused "b1: $on_b1 flows" fr backend del web b1
	# refused means that nothing happened
	equal "$names" "$(ask 0)" servers
	fr backend del web b1 force
	echo 0 >&"${HOLD[1]}"
	expect_line failed
}

del_is_allowed()
{
	local mode=$1 f=$2

	fresh "$mode" "$f" 300 900
	# down has taken all away already
	fr backend set web b3 state down
	fr backend del web b3
	# no service, no flows
	fr service del tcp "$(vip "$f")" port 80
	fr service del udp "$(vip "$f")" port 80
	fr backend del web b1
}

#
# Cases of the public record, in dr
#

# M1: out of service and back, by weight
weight_and_back()
{
	local f=$1 before

	fresh dr "$f" 300 900
	before=$(fr -j ring show web | jq -r '.[0].fingerprint')
	hold_some dr "$f" 100
	fr backend set web b1 weight 0
	equal "$names" "$(ask 0.5)" servers
	peer "$cl" many tcp "$(vip "$f")" 80 30 33000 >"$WORK/did"
	equal "b2 b3" "$(distinct <"$WORK/did")" "servers of new connections"
	fr backend set web b1 weight 100
	equal "$names" "$(ask 0.2)" servers
	equal "$before" "$(fr -j ring show web | jq -r '.[0].fingerprint')"
}

changed()
{
	[ "$(wc -l <"$1")" -ge 2 ]
}

# M2: a steady sender of datagrams moves at once when its backend is deleted,
# and at the end of the window when it drains, though it never pauses.
steady_sender()
{
	local f=$1 how=$2 port took

	fresh dr "$f" 4 4
	port=$(sport_to udp "$f" b1)
	start "$cl" "$PYTHON" "$PEER" steady "$(vip "$f")" 80 "$port" \
		>"$WORK/steady"
	slowwait 10 grep -q '^b1 ' "$WORK/steady"
	if [ "$how" = del ]; then
		fr backend del web b1 force
	else
		fr backend set web b1 state drain
	fi
	took=$SECONDS
	slowwait 30 changed "$WORK/steady"
	took=$((SECONDS - took))
	cat "$WORK/steady"
	fails grep -q none "$WORK/steady"
	equal 2 "$(wc -l <"$WORK/steady")" servers
	[ "$how" = del ] || at_least 3 "$took" "seconds until it moved"
	[ "$how" = drain ] || at_least "$took" 3 "seconds until it moved"
}

#
# Freezing
#

frozen()
{
	local f=$1 before

	fresh dr "$f" 300 900
	hold_some dr "$f" 20
	fr backend set web b1 state drain
	fr ring freeze web
	before=$(fr -j ring show web | jq -c '.[0] | [.epoch, .fingerprint]')
	refused "web is frozen" fr ring set web imbalance 5
	refused "web is frozen" fr ring set web window 5
	refused "web is frozen" fr backend set web b2 weight 50
	refused "web is frozen" fr backend set web b1 state up
	refused "web is frozen" fr backend drain web b2
	refused "web is frozen" fr backend add web b9 mode dr \
		addr "$(backend_addr dr "$f" 9)"
	refused "web is frozen" fr backend del web b3 force
	refused "web is frozen" fr ring commit web backend set b2 weight 50
	refused "web is frozen" fr ring del web
	equal "$before" \
		"$(fr -j ring show web | jq -c '.[0] | [.epoch, .fingerprint]')"
	equal on "$(fr -j ring show web | jq -r '.[0].frozen')" frozen
	# packets and plans are none of its business
	equal "$names" "$(ask 0)" servers
	fr plan web backend set b2 weight 50 >/dev/null
	ring other dr "$f" 1
	fr backend set other b1 weight 50
	fr ring unfreeze web
	fr backend set web b1 state up
	fr ring set web window 5
	fr backend set web b2 weight 50
	equal "$names" "$(ask 0)" servers
}

setup_dr 3
serve_all 3 80
for f in 4 6; do
	run_test "IPv$f dr: drain waits for the last flow" \
		waits_for_flows dr $f
	run_test "IPv$f dr: drain gives up" gives_up dr $f
	run_test "IPv$f dr: drain says when it is done" done_in $f
	run_test "IPv$f: the state is set during a drain" \
		state_set_meanwhile $f
	run_test "IPv$f dr: del is refused, with what it would break" \
		del_is_refused dr $f
	run_test "IPv$f dr: del of what has nothing" del_is_allowed dr $f
	run_test "IPv$f dr: weight 100, 0, 100 with 100 flows" \
		weight_and_back $f
	run_test "IPv$f dr: a steady UDP sender, del" steady_sender $f del
	run_test "IPv$f dr: a steady UDP sender, drain" steady_sender $f drain
	run_test "IPv$f: a frozen ring" frozen $f
done
cleanup_all_ns
setup_nat 3
serve_all 3 8080
for f in 4 6; do
	run_test "IPv$f nat: drain waits for the last flow" \
		waits_for_flows nat $f
	run_test "IPv$f nat: drain counts down" nat_counts_down $f
	run_test "IPv$f nat: drain gives up" gives_up nat $f
	run_test "IPv$f nat: del is refused, with what it would break" \
		del_is_refused nat $f
	run_test "IPv$f nat: del of what has nothing" del_is_allowed nat $f
done
finish
