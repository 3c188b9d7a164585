#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 600
#
# The module is taken out and put back under traffic, in nat and in dr: a
# stream of TCP connections and a flood of UDP. In dr, connections that were
# there before go on, as no state is needed for them.
#
# CYCLES says how often.

# shellcheck disable=SC2154,SC2317
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

cycles=${CYCLES:-5}
[ "${FLOWRING_VM:-}" = uml ] && cycles=${CYCLES:-10}

# flood: datagrams to both services from ever new ports, until it is killed.
flood()
{
	exec nice ip netns exec "$cl" "$PYTHON" - "$V4" "$V6" <<-'END'
	import itertools
	import socket
	import sys
	import time
	v4, v6 = sys.argv[1:]
	for i in itertools.count():
	    # leave some of a single processor to the others
	    if i % 100 == 0:
	        time.sleep(0.02)
	    for family, address in ((socket.AF_INET, v4), (socket.AF_INET6, v6)):
	        with socket.socket(family, socket.SOCK_DGRAM) as s:
	            s.setblocking(False)
	            try:
	                s.sendto(b"x" * (i % 1400), (address, 80))
	                s.sendto(b"y", (address, 80))
	            except OSError:
	                pass
	END
}

# connects: one TCP connection after the other, whatever becomes of them.
connects()
{
	while :; do
		peer "$cl" try tcp "$V4" 80 0 1
		peer "$cl" try tcp "$V6" 80 0 1
	done >/dev/null 2>&1
}

served()
{
	peer "$cl" try "$@" | grep -q '^served b'
}

# all_served: new connections of each kind come through.
all_served()
{
	local p v

	for p in tcp udp; do
		for v in "$V4" "$V6"; do
			served "$p" "$v" 80 || {
				echo "$p $v is not served"
				return 1
			}
		done
	done
}

configure()
{
	local mode=$1 port=$2 i

	{
		echo "ring add four bits 10 vnodes 64 key $KEY"
		echo "ring add six bits 10 vnodes 64 key $KEY"
		for i in 1 2; do
			echo "backend add four b$i addr" \
				"$(backend_addr "$mode" 4 "$i") $port mode $mode"
			echo "backend add six b$i addr" \
				"$(backend_addr "$mode" 6 "$i") $port mode $mode"
		done
		for i in tcp udp; do
			echo "service add $i $V4 port 80 ring four"
			echo "service add $i $V6 port 80 ring six"
		done
	} >"$WORK/config"
	fr restore "$WORK/config"
	fr save commands >"$WORK/saved"
}

# How many flows the services have had.
flows()
{
	fr -j -s service show | jq 'map(.stats.flows + .stats.packets) | add'
}

busy()
{
	[ "$(flows)" -gt 50 ]
}

reload()
{
	local i

	configure "$1" "$2"
	all_served
	[ "$1" = nat ] || hold "$cl" tcp "$V4" 80 10 31000
	flood &
	connects &
	for ((i = 0; i < cycles; i++)); do
		slowwait 20 busy || fail_traffic
		rmmod flowring
		fails test -d /sys/module/flowring
		modprobe flowring
		equal "[]" "$(fr -j ring show)" "rings after a reload"
		fr restore "$WORK/saved"
		fr save commands | cmp - "$WORK/saved"
		served tcp "$V4" 80
		[ "$1" = nat ] || ask 0
	done
	# with the flood still running
	all_served
}

fail_traffic()
{
	echo "no traffic comes to the services"
	return 1
}

setup_nat 2
serve_all 2 8080
run_test "nat: $cycles reloads under traffic" reload nat "port 8080"
cleanup_all_ns
setup_dr 2
serve_all 2 80
run_test "dr: $cycles reloads under traffic" reload dr ""
finish
