#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 900
#
# Windows of dr rings: where packets go while slots remember their owners, what
# is counted, and how a window ends. With real connections of the client, and
# with single packets of somebody who does not exist, whose way is watched at
# the backends.
#
#	+----+ vcl   +----+ seg   +----------+     +----+
#	| cl |-------| gw |-------| sw (br0) |-----| b1 |  b2, b3
#	+----+       +----+       +----------+     +----+

# shellcheck disable=SC2154,SC2317
# shellcheck source=selftests/winlib.sh
. "$(dirname "$0")/winlib.sh"

# fresh FAMILY WINDOW PIN-IDLE [OPTION...]: a ring web in steady state. Without
# a bound, a backend that leaves moves its own slots only.
fresh()
{
	local f=$1 window=$2 idle=$3

	shift 3
	flush
	ring web dr "$f" 3 bits 10 vnodes 64 imbalance off window "$window" \
		pin-idle "$idle" "$@"
	service tcp "$f" web
	service udp "$f" web
	count_from web
	is_state web steady
}

drain()
{
	fr backend set web "$1" state drain
	is_state web open
}

# owner FAMILY PORT: present owner of a flow of nobody's
owner()
{
	fr -j lookup tcp "$(nobody "$1")" "$2" "$(vip "$1")" 80 |
		jq -r '.[0].backend'
}

# hold_on_b1 PROTO FAMILY: one flow, from port $sport
hold_on_b1()
{
	sport=$(sport_to "$1" "$2" b1)
	hold "$cl" "$1" "$(vip "$2")" 80 1 "$sport"
	equal "ok b1" "$(ask 0.1)" server
}

lost()
{
	echo 0 >&"${HOLD[1]}"
	expect_line "failed"
}

# held NAMES BACKEND: how many of what hold says
held()
{
	tr ' ' '\n' <<<"$1" | grep -cx "$2"
}

used_is()
{
	[ "$(pins used)" -eq "$1" ]
}

# wait_used COUNT [SECONDS]
wait_used()
{
	slowwait "${2:-5}" used_is "$1" && return
	equal "$1" "$(pins used)" "pins in use"
}

states()
{
	jq -r 'select(.event == "window-ntf") | ."window-info".state' "$1" |
		xargs
}

states_are()
{
	[ "$(states "$1")" = "$2" ]
}

opens_and_closes()
{
	local f=$1 names slots

	fresh "$f" 6 12
	start "$gw" flowring -j monitor >"$WORK/events"
	hold "$cl" tcp "$(vip "$f")" 80 40 30000
	names=$(ask 0)
	slots=$(fr -j backend show web b1 | jq '.[0].slots')
	drain b1
	equal "$slots" "$(win web slots)" "slots that remember"
	equal "$names" "$(ask 0)" "in the open window"
	wait_state web closing
	equal "$names" "$(ask 0)" "in the closing window"
	equal 0 "$(win web slots)" "slots that remember"
	counted web forgotten="$slots" adopted="$(held "$names" b1)" begun=0
	wait_used "$(held "$names" b1)"
	equal "$names" "$(ask 0)" "in the closing window"
	kill "$HOLD_PID"
	wait_state web steady
	equal "0 0 0" "$(pins used) $(pins memory) $(pins windows)" pins
	slowwait 10 states_are "$WORK/events" "open closing steady"
}

# Without a change, nothing is kept of flows, however many there are.
steady_state()
{
	local f=$1 names

	fresh "$f" 300 900
	hold "$cl" tcp "$(vip "$f")" 80 100 30000
	names=$(ask 0)
	equal "0 0 0" "$(pins used) $(pins memory) $(pins windows)" pins
	equal null "$(fr -j -s ring show web | jq '.[0]."window-stats"')"
	# a change that moves nothing opens no window
	fr ring set web no-backend drop
	is_state web steady
	equal 0 "$(pins memory)" memory
	equal "$names" "$(ask 0)" servers
}

# Also: a slot that has not moved has nothing counted.
counters()
{
	local f=$1 p q r to

	fresh "$f" 300 900
	p=$(nobody_to "$f" b1)
	q=$(nobody_to "$f" b1 $((p + 1)))
	r=$(nobody_to "$f" b2)
	drain b1
	to=$(owner "$f" "$q")
	fails [ "$to" = b1 ]
	tcp_to "b1 b1 b1" "$f" "$p" A PA A
	counted web remembered=1 adopted=1 pin=2 present=0 begun=0
	tcp_to "$to $to $to" "$f" "$q" S A PA
	counted web remembered=1 adopted=1 pin=4 present=1 begun=1
	tcp_to "b2 b2" "$f" "$r" S PA
	counted web remembered=1 adopted=1 pin=4 present=1 begun=1 \
		restarted=0 evicted=0 full=0 orphan=0 idle=0 forgotten=0
}

# What begins in a slot whose owner is down has to stay where it began, also
# when that one is back; what the owner had before goes back to it.
owner_down_and_back()
{
	local f=$1 p q to

	fresh "$f" 300 900
	p=$(nobody_to "$f" b1)
	q=$(nobody_to "$f" b1 $((p + 1)))
	fr backend set web b1 state down
	to=$(owner "$f" "$p")
	tcp_to "$to" "$f" "$p" S
	tcp_to "$(owner "$f" "$q")" "$f" "$q" A
	counted web begun=1 orphan=1 adopted=0
	fr backend set web b1 state up
	equal b1 "$(owner "$f" "$p")" "owner again"
	tcp_to "$to $to" "$f" "$p" A PA
	tcp_to "b1 b1" "$f" "$q" A PA
	counted web begun=1 orphan=1 adopted=1
}

pinned_down()
{
	local f=$1 p to

	fresh "$f" 300 900
	p=$(nobody_to "$f" b1)
	drain b1
	to=$(owner "$f" "$p")
	tcp_to "$to $to" "$f" "$p" S A
	fr backend set web "$to" state down
	# the remembered owner drains, so it can serve
	tcp_to b1 "$f" "$p" PA
	fr backend set web b1 state down
	tcp_to "$(owner "$f" "$p")" "$f" "$p" PA
	at_least 1 "$(since web orphan)" orphan
}

draining_owner()
{
	local f=$1

	fresh "$f" 300 900
	hold_on_b1 tcp "$f"
	drain b1
	equal "ok b1" "$(ask 0)" server
	peer "$cl" many tcp "$(vip "$f")" 80 40 31000 >"$WORK/did"
	equal "b2 b3" "$(distinct <"$WORK/did")" "servers of new connections"
	equal "ok b1" "$(ask 0)" server
	at_least 1 "$(since web begun)" begun
	counted web adopted=1 orphan=0
}

port_used_again()
{
	local f=$1 p to

	fresh "$f" 300 900
	p=$(nobody_to "$f" b1)
	drain b1
	to=$(owner "$f" "$p")
	tcp_to "b1 b1 b1" "$f" "$p" PA FA A
	tcp_to "$to $to $to" "$f" "$p" S A PA
	counted web adopted=1 begun=1 restarted=1
}

# M3: the first try has to reach a server that is not leaving.
ports_again()
{
	local f=$1

	export PEER_ORDERLY=1
	fresh "$f" 300 900
	peer "$cl" many tcp "$(vip "$f")" 80 100 34000 >"$WORK/did"
	equal "b1 b2 b3" "$(distinct <"$WORK/did")" servers
	fr backend set web b1 weight 0
	peer "$cl" many tcp "$(vip "$f")" 80 100 34000 >"$WORK/did"
	equal "100 b2 b3" "$(wc -l <"$WORK/did") $(distinct <"$WORK/did")"
	counted web restarted=0
	fr backend set web b1 weight 100
	fr backend set web b2 weight 0
	peer "$cl" many tcp "$(vip "$f")" 80 100 34000 >"$WORK/did"
	equal "100 b1 b3" "$(wc -l <"$WORK/did") $(distinct <"$WORK/did")"
	at_least 1 "$(since web restarted)" restarted
	counted web orphan=0
}

# The client asks again, as no answer came; meanwhile the slot has moved. Each
# time the present owner gets it, and what follows goes to the last.
syn_again()
{
	local f=$1 p second third

	fresh "$f" 300 900
	p=$(nobody_to "$f" b1)
	tcp_to b1 "$f" "$p" S
	drain b1
	second=$(owner "$f" "$p")
	tcp_to "$second $second" "$f" "$p" S S
	counted web begun=1 restarted=0
	drain "$second"
	third=$(owner "$f" "$p")
	fails [ "$second" = "$third" ]
	tcp_to "$third $third $third" "$f" "$p" S A PA
	counted web restarted=1
}

# A client that lost its connection without a FIN, and begins anew
half_open()
{
	local f=$1 p to

	fresh "$f" 300 900
	p=$(nobody_to "$f" b1)
	drain b1
	to=$(owner "$f" "$p")
	tcp_to "b1 b1" "$f" "$p" PA A
	tcp_to "$to" "$f" "$p" S
	counted web restarted=1
	# the reset that it sends to what an old server may answer
	tcp_to "$to $to" "$f" "$p" R S
}

# A request that nothing follows
never_open()
{
	local f=$1 p

	fresh "$f" 40 40
	p=$(nobody_to "$f" b1)
	drain b1
	tcp_to "$(owner "$f" "$p")" "$f" "$p" S
	wait_used 1
	wait_used 0 20
	is_state web open
	counted web begun=1 idle=1
}

# Both sides have sent a FIN and acknowledge the other's.
both_close()
{
	local f=$1 p q to

	fresh "$f" 300 900
	p=$(nobody_to "$f" b1)
	q=$(nobody_to "$f" b1 $((p + 1)))
	drain b1
	tcp_to "b1 b1 b1 b1 b1" "$f" "$p" PA FA A FA A
	to=$(owner "$f" "$q")
	tcp_to "$to $to $to $to" "$f" "$q" S A FA A
	counted web adopted=1 begun=1 orphan=0 restarted=0
}

acked()
{
	[ "$(in_ns "$b1" ss -Htn state established "sport = :$1" |
		awk '{ n += $2 } END { print n + 0 }')" -eq 0 ]
}

# Documented: who sends nothing in all of the window is forgotten with it.
idle_flow()
{
	local f=$1

	fresh "$f" 2 2
	export PEER_TIMEOUT=4
	hold_on_b1 tcp "$f"
	# the acknowledgement of the answer would be a packet in the window
	slowwait 5 acked 80
	drain b1
	wait_state web steady
	at_least 1 "$(since web forgotten)" forgotten
	counted web adopted=0
	lost
}

# Documented: nothing can keep the connections of a backend that is deleted.
backend_gone()
{
	local f=$1

	fresh "$f" 300 900
	export PEER_TIMEOUT=4
	hold_on_b1 tcp "$f"
	fr backend del web b1 force
	is_state web open
	lost
	at_least 1 "$(since web orphan)" orphan
	# and one of the same name is another one
	fr backend add web b1 mode dr addr "$(backend_addr dr "$f" 1)"
	equal 0 "$(since web adopted)" adopted
}

udp_sticks()
{
	local f=$1 answer

	fresh "$f" 4 4 udp stick
	hold_on_b1 udp "$f"
	drain b1
	equal "ok b1" "$(ask 0.1)" "server in the window"
	at_least 1 "$(since web remembered)" remembered
	wait_state web steady
	answer=$(ask 0)
	echo "$answer"
	[[ $answer == "ok b2" || $answer == "ok b3" ]]
	counted web begun=0 adopted=0 pin=0
}

udp_moves()
{
	local f=$1 answer

	fresh "$f" 300 900 udp move
	hold_on_b1 udp "$f"
	drain b1
	answer=$(ask 0)
	echo "$answer"
	[[ $answer == "ok b2" || $answer == "ok b3" ]]
	at_least 1 "$(since web present)" present
	counted web remembered=0 begun=0 adopted=0 pin=0
}

# toobig_to BACKEND FAMILY PORT: an error about what went to that port
toobig_to()
{
	forget
	packet "$cl" toobig "$(nobody "$2")" "$(vip "$2")" 80 \
		"$(nobody "$2")" "$3" 1300
	comes_to "$1" "toobig $3"
}

errors_follow()
{
	local f=$1 p q r s to

	fresh "$f" 300 900
	p=$(nobody_to "$f" b1)
	q=$(nobody_to "$f" b1 $((p + 1)))
	r=$(nobody_to "$f" b1 $((q + 1)))
	s=$(nobody_to "$f" b2)
	toobig_to b1 "$f" "$p"
	toobig_to b2 "$f" "$s"
	drain b1
	to=$(owner "$f" "$q")
	tcp_to "b1 b1" "$f" "$p" PA A
	tcp_to "$to $to" "$f" "$q" S A
	toobig_to b1 "$f" "$p"
	toobig_to "$to" "$f" "$q"
	toobig_to b1 "$f" "$r"
	toobig_to b2 "$f" "$s"
	# they tell nothing of whether the flow lives
	counted web adopted=1 begun=1
	wait_used 2
}

close_by_hand()
{
	local f=$1 names

	fresh "$f" 16 16
	hold "$cl" tcp "$(vip "$f")" 80 40 30000
	names=$(ask 0)
	refused "" fr window close web
	drain b1
	equal "$names" "$(ask 0)" "in the open window"
	fr window close web
	is_state web closing
	equal "$names" "$(ask 0)" "in the closing window"
	refused "" fr window close web
	kill "$HOLD_PID"
	wait_state web steady
}

# flow FAMILY PORT: what lookup says of an existing flow
flow()
{
	fr -j lookup tcp "$(nobody "$1")" "$2" "$(vip "$1")" 80 |
		jq -r '.[0] | "\(.backend) \(."flow-backend") \(."flow-why")"'
}

lookup_says()
{
	local f=$1 p q s to

	fresh "$f" 300 900
	p=$(nobody_to "$f" b1)
	q=$(nobody_to "$f" b1 $((p + 1)))
	s=$(nobody_to "$f" b2)
	drain b1
	to=$(owner "$f" "$p")
	equal "$to b1 remembered" "$(flow "$f" "$p")" "an older flow"
	tcp_to b1 "$f" "$p" PA
	equal "$to b1 pin" "$(flow "$f" "$p")" "an older flow that is pinned"
	to=$(owner "$f" "$q")
	tcp_to "$to" "$f" "$q" S
	equal "$to $to pin" "$(flow "$f" "$q")" "a flow that has begun"
	[[ $(flow "$f" "$s") == b2* ]]
	# looking up pins nothing
	counted web adopted=1 begun=1 remembered=1 pin=0
}

TRACE=/sys/kernel/tracing

# hash_of FAMILY PORT: as a trace shows it
hash_of()
{
	fr -j lookup tcp "$(nobody "$1")" "$2" "$(vip "$1")" 80 |
		jq -r '.[0].hash | ltrimstr("0x")'
}

traced()
{
	local f=$1 p r to

	[ -e "$TRACE/trace" ] || mount -t tracefs none "$TRACE" 2>/dev/null ||
		skip "no tracefs"
	[ -d "$TRACE/events/flowring" ] || skip "no trace events"
	fresh "$f" 300 900
	p=$(nobody_to "$f" b1)
	r=$(nobody_to "$f" b2)
	drain b1
	to=$(owner "$f" "$p")
	echo >"$TRACE/trace"
	echo 1 >"$TRACE/events/flowring/flowring_steer/enable"
	tcp_to "b1 b1 $to" "$f" "$p" PA A S
	tcp_to b2 "$f" "$r" PA
	echo 0 >"$TRACE/events/flowring/flowring_steer/enable"
	cat "$TRACE/trace"
	# connections of other cases may still be ending
	grep -e "hash=$(hash_of "$f" "$p")" -e "hash=$(hash_of "$f" "$r")" \
		"$TRACE/trace" |
		sed -n 's/.* backend=\([^ ]*\) .*why=\([a-z]*\).*/\1 \2/p' \
			>"$WORK/traced"
	equal "b1 remembered b1 pin $to present b2 steady" \
		"$(xargs <"$WORK/traced")"
}

# Any number of changes inside a window, with what was there before them and
# with what began in between.
many_changes()
{
	local f=$1 i before between

	fresh "$f" 300 900
	hold "$cl" tcp "$(vip "$f")" 80 60 30000
	before=$(ask 0)
	RANDOM=2
	for ((i = 0; i < 12; i++)); do
		fr backend set web "b$((RANDOM % 3 + 1))" weight $((RANDOM % 150 + 1))
		[ "$i" -ne 5 ] || between=$(ask 0)
	done
	equal "$before" "$between" "servers half way"
	equal "$before" "$(ask 0)" servers
	fr window close web
	equal "$before" "$(ask 0)" "servers after the window"
}

setup_dr 3
serve_all 3 80
watch 3
for f in 4 6; do
	run_test "IPv$f: a window opens, closes, and ends" opens_and_closes $f
	run_test "IPv$f: no state for flows without a window" steady_state $f
	run_test "IPv$f: each packet of a window is counted" counters $f
	run_test "IPv$f: an owner is down and back" owner_down_and_back $f
	run_test "IPv$f: who has a pinned flow goes down" pinned_down $f
	run_test "IPv$f: a draining owner gets nothing new" draining_owner $f
	run_test "IPv$f: a port is used again" port_used_again $f
	run_test "IPv$f: source ports come round again" ports_again $f
	run_test "IPv$f: a SYN is sent again across changes" syn_again $f
	run_test "IPv$f: a half-open connection begins anew" half_open $f
	run_test "IPv$f: a SYN that nothing follows" never_open $f
	run_test "IPv$f: both sides close" both_close $f
	run_test "IPv$f: a flow idle for all of the window" idle_flow $f
	run_test "IPv$f: the backend of a flow is deleted" backend_gone $f
	run_test "IPv$f: UDP sticks until the window closes" udp_sticks $f
	run_test "IPv$f: UDP moves at once" udp_moves $f
	run_test "IPv$f: ICMP errors follow the flow they quote" errors_follow $f
	run_test "IPv$f: a window is closed by hand" close_by_hand $f
	run_test "IPv$f: lookup says where a flow goes, and why" lookup_says $f
	run_test "IPv$f: traces say why" traced $f
	run_test "IPv$f: many changes in one window" many_changes $f
done
finish
