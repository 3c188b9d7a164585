#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 1500
#
# A rolling replacement of all backends under live connections: each of ten is
# drained, told to finish, deleted, and added under the same name with another
# address. Then weights change at random. With flowring in dr, with its windows
# off, and with IPVS (mh, direct routing).
#
#	+----+ vcl   +----+ seg   +----------+     +-----+
#	| cl |-------| gw |-------| sw (br0) |-----| b1  |
#	+----+       +----+       +----------+     +-----+
#	  |                         |  |  |             ...
#	  +-------------------------+  |  +------------| b11 |
#	                               |               +-----+
#	                    one more than there are backends in the ring: it takes
#	                    the place of the one that is replaced, which is then free

# shellcheck disable=SC2154,SC2317
# shellcheck source=selftests/winlib.sh
. "$(dirname "$0")/winlib.sh"
need_tools conns ipvsadm

N=10
COUNT=${COUNT:-2000}		# live connections
SOME=${SOME:-200}		# of them over IPv6
CHANGES=20			# of weights
INTERVAL=${INTERVAL:-2000}	# ms between two exchanges of a connection
WINDOW=3 IDLE=5			# seconds
SHARE=12			# per cent of the live flows that may be pinned

# How it is told, by contender and family: sets up, and begins with b1 to bN
begin()
{
	case $1 in
	ipvs)	begin_ipvs "$2" ;;
	*)	flush
		ring web dr "$2" "$N" window "$3" pin-idle "$IDLE"
		service tcp "$2" web ;;
	esac
}

begin_ipvs()
{
	local i

	flush
	addr "$gw" lo "$(vip "$1")/$([ "$1" = 4 ] && echo 32 || echo 128)"
	ipvs -A -t "$(vs "$1")" -s mh -b mh-fallback,mh-port
	for ((i = 1; i <= N; i++)); do
		ipvs -a -t "$(vs "$1")" -r "$(rs "$1" "$i")" -g -w 100
	done
}

end_ipvs()
{
	ipvs -C
	ip -n "$gw" addr del \
		"$(vip "$1")/$([ "$1" = 4 ] && echo 32 || echo 128)" dev lo
}

ipvs()
{
	in_ns "$gw" ipvsadm "$@"
}

bracket() { [[ $1 == *:* ]] && echo "[$1]" || echo "$1"; }
vs() { echo "$(bracket "$(vip "$1")"):80"; }
rs() { echo "$(bracket "$(backend_addr dr "$1" "$2")"):80"; }

# active FAMILY NUMBER: connections of a server that IPVS takes for live
active()
{
	ipvs -Ln -t "$(vs "$1")" | awk -v r="$(rs "$1" "$2")" \
		'$1 == "->" && $2 == r { print $5 }'
}

is_idle()
{
	[ "$(active "$1" "$2")" -eq 0 ]
}

# The state kept for flows at this moment; the most of it counts
sample()
{
	local n

	if [ "$how" = ipvs ]; then
		# below two lines of a heading
		n=$(in_ns "$gw" awk 'NR > 2' /proc/net/ip_vs_conn | wc -l)
	else
		n=$(pins used)
	fi
	[ "$n" -le "$most" ] || most=$n
}

# round: all connections exchange a line
round()
{
	totals=$(conns_ask round)
	sample
}

# made: how many pins there have been so far
made()
{
	echo $(($(wstat web begun) + $(wstat web adopted)))
}

# drain BACKEND NUMBER: no new connections; its server is number NUMBER
drain()
{
	if [ "$how" = ipvs ]; then
		ipvs -e -t "$(vs "$f")" -r "$(rs "$f" "$2")" -g -w 0
		return
	fi
	fr backend set web "$1" state drain
}

# leave BACKEND NUMBER: wait until it has no connections, and delete it
leave()
{
	if [ "$how" = ipvs ]; then
		slowwait 60 is_idle "$f" "$2"
		ipvs -d -t "$(vs "$f")" -r "$(rs "$f" "$2")"
		return
	fi
	fr backend drain web "$1" --wait --timeout 60 >/dev/null
	fr backend del web "$1"
}

# enter BACKEND NUMBER
enter()
{
	if [ "$how" = ipvs ]; then
		ipvs -a -t "$(vs "$f")" -r "$(rs "$f" "$2")" -g -w 100
		return
	fi
	fr backend add web "$1" mode dr addr "$(backend_addr dr "$f" "$2")"
}

# weigh BACKEND NUMBER WEIGHT
weigh()
{
	if [ "$how" = ipvs ]; then
		ipvs -e -t "$(vs "$f")" -r "$(rs "$f" "$2")" -g -w "$3"
		return
	fi
	fr backend set web "$1" weight "$3"
}

# replace NUMBER: the backend of that number gets the free server. The first
# one goes from steady state, all of its connections still there, so it tells
# what share of them a change pins.
replace()
{
	local old=${server[$1]} before

	drain "b$1" "$old"
	if [ "$1" -eq 1 ] && [ "$how" = flowring ]; then
		round
		echo "drained $(made)" >>"$WORK/made"
	fi
	kill -USR1 "${CONNS_SERVER[s$old]}"
	leave "b$1" "$old"
	kill -USR2 "${CONNS_SERVER[s$old]}"
	[ "$1" -ne 1 ] || [ "$how" != flowring ] || before=$(made)
	enter "b$1" "$free"
	server[$1]=$free
	free=$old
	round
	[ -z "${before:-}" ] || {
		echo "added $(($(made) - before))"
		echo "all $(made)"
		echo "peak $most"
	} >>"$WORK/made"
}

# reweigh COUNT: a fixed sequence
reweigh()
{
	local i b

	RANDOM=4
	for ((i = 0; i < $1; i++)); do
		b=$((RANDOM % N + 1))
		weigh "b$b" "${server[b]}" $((RANDOM % 200))
		[ $((i % 5)) -ne 4 ] || round
	done
}

# rolling HOW FAMILY CONNECTIONS REPLACED CHANGES [WINDOW]
rolling()
{
	local how=$1 f=$2 i free=$((N + 1)) most=0 totals server=()
	local start=$SECONDS

	for ((i = 1; i <= N; i++)); do
		server[i]=$i
	done
	begin "$how" "$f" "${6:-$WINDOW}"
	conns_hold "$(vip "$f")" 80 "$3" "$INTERVAL"
	for ((i = 1; i <= $4; i++)); do
		replace "$i"
	done
	reweigh "$5"
	[ "$how" != flowring ] || wait_state web closing
	round
	cat "$WORK/losses"
	row "$totals"
	[ "$how" != ipvs ] || end_ipvs "$f"
	[ "$how" != flowring ] || expect_none "$totals"
	[ "$how" != off ] || at_least 1 "$(total "$totals" resets)" resets
	# each replaced server had connections, which came back elsewhere; with
	# windows off, they were lost before
	[ "$how" = off ] || at_least $(($3 * $4 / N / 2)) \
		"$(total "$totals" reconnected)" reconnected
}

expect_none()
{
	equal 0 "$(total "$1" resets)" resets
	equal 0 "$(total "$1" moved)" moved
}

size()
{
	case $how in
	ipvs)	cat /sys/kernel/slab/ip_vs_conn/slab_size 2>/dev/null ||
			echo '?' ;;
	*)	echo 8 ;;
	esac
}

row()
{
	local bytes

	bytes=$(size)
	[ "$bytes" = '?' ] || bytes=$((bytes * most))
	echo "$how|IPv$f|$(total "$1" connections)|$(total "$1" exchanges)|$(
		total "$1" reconnected)|$(total "$1" resets)|$(
		total "$1" moved)|$most|$bytes|$((SECONDS - start)) s" \
		>>"$WORK/table"
}

# Goal: of the live flows, at most that share is pinned when one backend of ten
# leaves, when one comes, and at any time between. In all it is some more: who is
# told to leave comes back elsewhere, and some of these are pinned again.
few_are_pinned()
{
	[ -s "$WORK/made" ] || skip "nothing was replaced"
	head -n 4 "$WORK/made" | awk -v live="$COUNT" -v goal="$SHARE" '
		{ share[$1] = 100 * $2 / live }
		END { printf "replacing 1 of 10: pinned %.1f%% of the live flows as it drains, %.1f%% as the new one comes, %.1f%% at most at a time, %.1f%% in all\n",
			share["drained"], share["added"], share["peak"],
			share["all"]
		delete share["all"]
		for (i in share)
			bad += share[i] > goal
		exit NR < 4 || bad > 0 }' | tee "$WORK/share"
}

table()
{
	[ -s "$WORK/table" ] || return
	{
		echo "contender|family|connections|exchanges|reconnected|resets|moved|peak entries|bytes|time"
		sed "s/^off|/windows off|/; s/^ipvs|/IPVS mh dr|/" "$WORK/table"
	} | column -t -s '|' | sed 's/^/# /'
	[ ! -s "$WORK/share" ] || sed "s/^/# /" "$WORK/share"
}

setup_dr $((N + 1))
for ((i = 1; i <= N + 1; i++)); do
	ns=b$i
	conns_serve "${!ns}" "s$i"
done
run_test "$COUNT connections, $N replaced, $CHANGES weights: none lost" \
	rolling flowring 4 "$COUNT" "$N" "$CHANGES"
run_test "few of them are pinned when one leaves" few_are_pinned
run_test "IPv6: $SOME connections, 3 replaced, 5 weights: none lost" \
	rolling flowring 6 "$SOME" 3 5
run_test "windows off: some are lost" rolling off 4 "$COUNT" "$N" "$CHANGES" off
if modprobe -q ip_vs_mh 2>/dev/null || [ -e /proc/net/ip_vs ]; then
	run_test "IPVS mh, direct routing" rolling ipvs 4 "$COUNT" "$N" "$CHANGES"
else
	ktap_test_skip "IPVS mh, direct routing: this kernel has none"
fi
table
finish
