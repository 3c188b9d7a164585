#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 900
#
# A ring without a usable backend: reject, drop and pass, in nat and dr.
#
#	+----+       +-----------+       +----+     +----+
#	| cl |-------| gw        |-------| sw |-----| b1 | 80
#	+----+       | V:80      |       +----+     +----+
#	  |          | own :80   |         |
#	  +----------------------(dr)------+
#
# The gateway has V and a server "gw" of its own there, which only pass lets
# the client reach. The backend has V too, for dr.

# shellcheck disable=SC2154,SC2317
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
need_tools conntrack

# prepare MODE WHAT HOW: rings without a backend that can be used, as they
# have none, or one that is down, draining or of no weight.
prepare()
{
	local mode=$1 what=$2 how=$3 f

	# no datagram can be told from those of a flow that the backend has
	both "$mode" 1 no-backend "$what" window off
	for f in 4 6; do
		case $how in
		empty)	fr backend del "web$f" b1 force ;;
		weight)	fr backend set "web$f" b1 weight 0 ;;
		*)	fr backend set "web$f" b1 state "$how" ;;
		esac
	done
}

# try PROTO FAMILY [TIMEOUT]
try()
{
	peer "$cl" try "$1" "$(vip "$2")" 80 0 "${3:-10}" | tee "$WORK/try"
}

# result WANTED [MILLISECONDS]: of the last try, within that time
result()
{
	[[ $(cat "$WORK/try") == "$1"* ]]
	[ -z "${2:-}" ] || at_least "$(awk '{ print $NF }' "$WORK/try")" "$2"
}

counted()
{
	at_least "$3" "$(service_stat "$1" "$2" no-backend)" no-backend
}

rejects()
{
	local f p

	prepare "$1" reject "$2"
	for f in 4 6; do
		for p in tcp udp; do
			try "$p" "$f"
			# a SYN that was dropped would be sent again after 1 s
			result refused 900
			counted "$p" "$f" 1
		done
	done
}

drops()
{
	local f p

	prepare "$1" drop empty
	for f in 4 6; do
		for p in tcp udp; do
			try "$p" "$f" 2
			result timeout
			counted "$p" "$f" 1
		done
	done
}

passes()
{
	local f p

	prepare "$1" pass down
	for f in 4 6; do
		for p in tcp udp; do
			try "$p" "$f"
			result "served gw "
			counted "$p" "$f" 1
		done
	done
}

# As soon as there is a backend new flows get it, from a sender too that was
# turned away steadily before, from the same port.
returns()
{
	local mode=$1 what=$2 f p seen

	prepare "$mode" "$what" down
	for f in 4 6; do
		for p in tcp udp; do
			try "$p" "$f" 2
			fails grep -q "served b1" "$WORK/try"
		done
		start "$cl" "$PYTHON" "$PEER" steady "$(vip "$f")" 80 41000 \
			>"$WORK/steady"
		slowwait 20 grep -q "^none" "$WORK/steady"
		fr backend set "web$f" b1 state up
		for p in tcp udp; do
			try "$p" "$f"
			result "served b1"
		done
		slowwait 20 grep -q "^b1" "$WORK/steady"
		kill $!
		wait $! || :
		cat "$WORK/steady"
		seen=$(awk '{ print $1 }' "$WORK/steady" | uniq | xargs)
		equal "none b1" "$seen" "servers of the steady sender"
		fr backend set "web$f" b1 state down
		for p in tcp udp; do
			try "$p" "$f" 2
			fails grep -q "served b1" "$WORK/try"
		done
	done
}

# What the gateway itself connects to is turned away as well.
rejects_own()
{
	local f p

	prepare "$1" reject empty
	for f in 4 6; do
		for p in tcp udp; do
			peer "$gw" try "$p" "$(vip "$f")" 80 0 5 >"$WORK/try"
			cat "$WORK/try"
			# a datagram may fail in the very call that sends it
			if [ "$p" = tcp ] || ! grep -q EPERM "$WORK/try"; then
				result refused 900
			fi
			counted "$p" "$f" 1
		done
	done
}

looked_up()
{
	prepare nat reject down
	equal no-backend "$(fr -j lookup tcp "$C4" 1000 "$V4" 80 |
		jq -r '.[0].verdict')" verdict
}

setup_dr 1
addr "$gw" lo "$V4/32" "$V6/128"
serve "$gw" gw 80
serve "$b1" b1 80 8080

# nat backends are on the segment here
backend_addr()
{
	case $2 in
	4)	dr4 "$3" ;;
	6)	dr6 "$3" ;;
	esac
}

# The backend answers nat flows by way of the gateway, dr flows past it: the
# gateway would not forward what comes from an address of its own.
ip -n "$b1" route add "$C4" via 203.0.113.254
ip -n "$b1" -6 route add "$C6" via 2001:db8:b::fe
for mode in nat dr; do
	if [ $mode = dr ]; then
		ip -n "$b1" route del "$C4"
		ip -n "$b1" -6 route del "$C6"
	fi
	for how in empty down drain weight; do
		run_test "$mode: reject, $how" rejects $mode $how
	done
	run_test "$mode: drop" drops $mode
	run_test "$mode: pass" passes $mode
	run_test "$mode: a backend returns after reject" returns $mode reject
	run_test "$mode: a backend returns after drop" returns $mode drop
	run_test "$mode: reject what the gateway itself sends" rejects_own $mode
done
run_test "lookup says that there is none" looked_up
finish
