#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 600
#
# Dumps of many objects while something changes: each is of one moment or says
# that it is not, and what did not change is in each exactly once.
#
# RINGS and MEMBERS say how many; 5000 and 20 is the case in full.

# Tests are called by their names:
# shellcheck disable=SC2317
# shellcheck source=selftests/ctl.sh
. "$(dirname "$0")/ctl.sh"
need_tools python3 jq

if [ "${FLOWRING_VM:-}" = uml ]; then
	rings=${RINGS:-2000} services=${SERVICES:-20000} tries=40
else
	rings=${RINGS:-1000} services=${SERVICES:-20000} tries=15
fi
members=${MEMBERS:-5}
writer=

load()
{
	setup_ns ns
	awk -v rings="$rings" -v members="$members" 'BEGIN {
		for (i = 1; i <= rings; i++) {
			printf "ring add r%d bits 8 vnodes 1\n", i
			for (j = 1; j <= members; j++)
				printf "backend add r%d b%d addr 10.%d.%d.%d\n",
					i, j, i / 250, i % 250, j
		}
		print "ring add web bits 8 vnodes 1"
	}' >"$tmp/load"
	run "$ns" 0 "" -b "$tmp/load"
}

# start_writer ADD DEL [PAUSE]: makes and unmakes one thing until it is stopped.
start_writer()
{
	while :; do
		echo "$1"
		echo "$2"
		[ -z "${3:-}" ] || read -rt "$3" <>"$tmp/never"
	done 2>/dev/null | flowring -n "$ns" --force -b - 2>/dev/null &
	writer=$!
}

stop_writer()
{
	# the tool ends, and its pipe with it
	kill "$writer"
	wait "$writer" 2>/dev/null
	writer=
}

# dumps COMMAND COUNT: none is bad; sets how many were whole and interrupted.
dumps()
{
	local out

	out=$(ip netns exec "$ns" "$here/netlink.py" dump "$1" "$tries") ||
		fail "$out"
	echo "# $1: $out"
	# shellcheck disable=SC2086
	set -- "$2" $out
	[ "$3" -eq "$1" ] || [ "$5" -eq 0 ] || fail "$3 objects, expected $1"
	whole=$5 interrupted=$7
}

# pause_of COMMAND: four times as long as a dump takes, in seconds.
pause_of()
{
	local start

	start=$(date +%s%N)
	ip netns exec "$ns" "$here/netlink.py" dump "$1" 1 >"$tmp/out" ||
		fail "$(cat "$tmp/out")"
	awk "BEGIN { print 4 * ($(date +%s%N) - $start) / 1e9 }"
}

# interrupt COMMAND COUNT ADD DEL: dump while something changes all the time,
# and while it changes so seldom that most dumps fit in between.
interrupt()
{
	local whole interrupted pause

	pause=$(pause_of "$1")
	start_writer "$3" "$4"
	dumps "$1" "$2"
	stop_writer
	[ "$interrupted" -gt 0 ] || fail "no dump was interrupted"
	start_writer "$3" "$4" "$pause"
	dumps "$1" "$2"
	stop_writer
	[ "$whole" -gt 0 ] || fail "no dump was whole"
}

many_objects_are_all_listed()
{
	same rings $((rings + 1)) "$(fr "$ns" -j ring show | jq length)"
	same backends $((rings * members)) \
		"$(fr "$ns" -j backend show | jq 'unique_by(.ring, .name) | length')"
	same "backends of one ring" "$members" \
		"$(fr "$ns" -j backend show r7 | jq length)"
}

quiet_dumps_are_whole()
{
	local out

	out=$(ip netns exec "$ns" "$here/netlink.py" dump backend-get 2) ||
		fail "$out"
	same "quiet dumps" \
		"objects $((rings * members)) whole 2 interrupted 0 bad 0" \
		"$out"
}

a_change_interrupts_a_dump()
{
	interrupt backend-get $((rings * members)) \
		"backend add web toggle addr 10.200.0.1" \
		"backend del web toggle"
	interrupt ring-get $((rings + 1)) \
		"ring add toggle bits 8" "ring del toggle"
}

the_tool_tries_again()
{
	local list

	# something changes now and then: the tool gets through
	start_writer "backend add web toggle addr 10.200.0.1" \
		"backend del web toggle" 1
	list=$(fr "$ns" -j backend show) || fail "the tool gave up"
	stop_writer
	same "backends" $((rings * members)) \
		"$(jq '[.[] | select(.name != "toggle")] | length' <<<"$list")"
}

many_services_are_all_listed()
{
	seq -f 'service add tcp 10.9.0.1 port %.0f ring web' "$services" \
		>"$tmp/load"
	run "$ns" 0 "" -b "$tmp/load"
	same services "$services" \
		"$(fr "$ns" -j service show | jq 'unique_by(.port) | length')"
	fr "$ns" service show | tail -n 1 >"$tmp/out"
	same "the last service" \
		"service tcp 10.9.0.1 port $services ring web" \
		"$(tr -s ' ' <"$tmp/out")"
}

mkfifo "$tmp/never"
load
run_tests many_objects_are_all_listed quiet_dumps_are_whole \
	a_change_interrupts_a_dump the_tool_tries_again \
	many_services_are_all_listed
