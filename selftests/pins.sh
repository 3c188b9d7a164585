#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 900
#
# The table of pins: what fits, what happens when it is full, that its memory
# comes back, and that rings, namespaces and the module can go while it is in
# use.
#
#	+----+ vcl   +----+ seg   +----------+     +----+
#	| cl |-------| gw |-------| sw (br0) |-----| b1 |  b2, b3
#	+----+       +----+       +----------+     +----+

# shellcheck disable=SC2154,SC2317
# shellcheck source=selftests/winlib.sh
. "$(dirname "$0")/winlib.sh"
need_tools conns flood

SIZE=1024
FLOWS=${FLOWS:-1600}		# more than fit
LIVE=${LIVE:-500}
OPENINGS=50

# all_moved FAMILY WINDOW PIN-IDLE [SIZE]: a ring whose slots have all moved
# from b1, which drains, to b2
all_moved()
{
	flush
	fr pins set size "${4:-$SIZE}"
	ring web dr "$1" 1 bits 10 vnodes 64 window "$2" pin-idle "$3"
	service tcp "$1" web
	service udp "$1" web
	count_from web
	printf 'backend add b2 mode dr addr %s\nbackend set b1 state drain\n' \
		"$(backend_addr dr "$1" 2)" | fr ring commit web >/dev/null
	equal 1024 "$(win web slots)" "slots that remember"
}

# used: as it is now, not as it was counted just before
used()
{
	local last now=-1

	while last=$now now=$(pins used) && [ "$now" != "$last" ]; do
		sleep 0.6
	done
	echo "$now"
}

# arrived FAMILY FIRST LAST: "BACKEND PACKETS" of what came from these ports
arrived()
{
	came tcp | awk -v a="$2" -v b="$3" '$3 >= a && $3 <= b { n[$1]++ }
		END { for (name in n) print name, n[name] }' | sort | xargs
}

has_arrived()
{
	[ "$(arrived "$2" "$3" "$4")" = "$1" ]
}

# expect_arrived WANTED FAMILY FIRST LAST
expect_arrived()
{
	slowwait 20 has_arrived "$@" && return
	equal "$1" "$(arrived "$2" "$3" "$4")" arrived
}

# Goal: at most 11 bytes a flow
three_quarters()
{
	local f=$1 n=$((SIZE * 3 / 4)) memory

	all_moved "$f" 300 900
	forget
	tcp "$f" "10000-$((9999 + n))" A A
	expect_arrived "b1 $((2 * n))" "$f" 10000 "$((9999 + n))"
	counted web adopted="$n" pin="$n" full=0 evicted=0
	equal "$n" "$(used)" used
	memory=$(pins memory)
	awk -v m="$memory" -v n="$n" 'BEGIN {
		printf "%d bytes for %d flows: %.2f each\n", m, n, m / n
		exit m / n > 11 }'
}

# Live flows that find no room stay with the remembered owner all the same, for
# as long as that is remembered.
full_of_live()
{
	local f=$1 last=$((9999 + FLOWS)) adopted p

	all_moved "$f" 300 900
	forget
	tcp "$f" "10000-$last" A A
	expect_arrived "b1 $((2 * FLOWS))" "$f" 10000 "$last"
	adopted=$(since web adopted)
	at_least $((SIZE * 9 / 10)) "$adopted" adopted
	at_least "$adopted" "$SIZE" adopted
	equal "$adopted" "$(used)" used
	counted web full=$((2 * (FLOWS - adopted))) evicted=0 \
		pin="$adopted" remembered=$((2 * FLOWS - adopted))
	# what would begin there, unpinned, has to begin with the remembered
	# owner, as it will go there
	p=$(unpinned "$f" 10000)
	tcp_to "b1 b1 b1" "$f" "$p" S A PA
	counted web full=$((2 * (FLOWS - adopted) + 3)) begun=0
}

# unpinned FAMILY FIRST: a port of nobody's whose flow is not pinned
unpinned()
{
	local i

	for ((i = $2; i < $2 + FLOWS; i++)); do
		echo "lookup tcp $(nobody "$1") $i $(vip "$1") 80"
	done | fr -j -b - | jq -s 'map(.[0] |
		select(."flow-why" == "remembered"))[-1].sport'
}

# A flood of requests takes no pin of a flow that lives; one that is known to
# live takes that of a request.
full_of_requests()
{
	local f=$1 last=$((9999 + FLOWS)) begun adopted

	all_moved "$f" 300 900
	forget
	tcp "$f" 9000-9099 A A
	expect_arrived "b1 200" "$f" 9000 9099
	counted web adopted=100
	tcp "$f" "10000-$last" S
	begun=$(since web begun)
	at_least $((SIZE * 8 / 10 - 100)) "$begun" begun
	counted web evicted=0 full=$((FLOWS - begun))
	forget
	tcp "$f" 9000-9099 PA
	expect_arrived "b1 100" "$f" 9000 9099
	counted web pin=200
	# older flows that are heard of now
	forget
	tcp "$f" 20000-20099 A PA
	expect_arrived "b1 200" "$f" 20000 20099
	adopted=$(($(since web adopted) - 100))
	echo "adopted $adopted evicted $(since web evicted)"
	at_least 90 "$adopted" adopted
	at_least 50 "$(since web evicted)" evicted
	counted web pin=$((200 + adopted))
}

sizes()
{
	all_moved 4 300 900 2048
	equal "2048 2048" "$(pins size) $(pins present-size)" sizes
	fr pins set size 4096
	equal "4096 2048" "$(pins size) $(pins present-size)" sizes
	fails fr pins set size 512
	fails fr pins set size 3000
	fails fr pins set size 33554432
	fr window close web
	wait_state web steady
	equal "4096 0" "$(pins size) $(pins present-size)" sizes
	all_moved 4 300 900 4096
	equal "4096 4096" "$(pins size) $(pins present-size)" sizes
}

# One table for all rings: one that ends leaves the pins of others alone.
shared()
{
	all_moved 4 300 900
	fr ring add other bits 10 vnodes 64 key "$KEY"
	fr backend add other c1 mode dr addr "$(backend_addr dr 4 1)"
	fr service add tcp "$V4" port 81 ring other
	printf 'backend add c2 mode dr addr %s\nbackend set c1 state drain\n' \
		"$(backend_addr dr 4 3)" | fr ring commit other >/dev/null
	equal 2 "$(pins windows)" windows
	tcp_to "b1 b1" 4 10000 A A
	forget
	packet "$cl" tcp "$N4" 10000 "$V4" 81 S A
	comes_to "b3 b3" "tcp 10000"
	equal 2 "$(used)" used
	fr service del tcp "$V4" port 81
	fr ring del other
	equal "1 1" "$(used) $(pins windows)" "used and windows"
	tcp_to b1 4 10000 PA
}

# Kernel memory in kB, in slabs, per CPU, and mapped
memory()
{
	awk '/^(SUnreclaim|Percpu|VmallocUsed):/ { sum += $2 }
		END { print sum }' /proc/meminfo
}

memory_is()
{
	[ "$(memory)" -le "$1" ]
}

open_and_close()
{
	local i

	for ((i = 0; i < $1; i++)); do
		fr backend set web b1 state drain
		tcp 4 10000-10063 A
		fr backend set web b1 state up
		fr window close web
		wait_state web steady 10
	done
}

# Tables of 2^16 slots: one that stays is a quarter of a megabyte, 50 are more
# than 12 megabytes.
memory_returns()
{
	local before

	flush
	fr pins set size 65536
	ring web dr 4 3 bits 16 vnodes 16
	service tcp 4 web
	open_and_close 3
	before=$(memory)
	open_and_close "$OPENINGS"
	equal "0 0" "$(pins memory) $(pins windows)" "memory and windows"
	slowwait 30 memory_is $((before + 2048)) || {
		echo "$(memory) kB, $before kB before"
		return 1
	}
	echo "$(($(memory) - before)) kB more"
}

ring_goes()
{
	local f=$1

	all_moved "$f" 300 900
	tcp_to "b1 b2 b2" "$f" 10000 A S A
	fr service del tcp "$(vip "$f")" port 80
	fr service del udp "$(vip "$f")" port 80
	fr ring del web
	equal "0 0 0" "$(pins used) $(pins memory) $(pins windows)" pins
}

# Packets of a namespace itself are steered, too.
namespaces_go()
{
	local i ns

	for ((i = 0; i < 10; i++)); do
		setup_ns gone
		ns=$gone
		ip -n "$ns" link add eth0 type dummy
		ip -n "$ns" link set eth0 up
		addr "$ns" eth0 203.0.113.254/24
		ip -n "$ns" route add "$V4" dev eth0
		flowring -n "$ns" -b - <<-END
		ring add web bits 12 vnodes 16
		backend add web b1 mode dr addr 203.0.113.1
		backend add web b2 mode dr addr 203.0.113.2
		service add tcp $V4 port 80 ring web
		backend set web b1 state drain
		END
		for port in 1 2 3 4 5 6 7 8; do
			peer "$ns" try tcp "$V4" 80 $((20000 + port)) 0.02
		done >/dev/null
		# begun: at least one of them hashes to what b1 had
		at_least 1 "$(flowring -n "$ns" -j -s ring show web |
			jq '.[0]."window-stats".begun')" begun
		cleanup_ns "$ns"
	done
}

configure()
{
	flush
	fr pins set size 65536
	ring web dr 4 3 bits 12 vnodes 64 window 300
	service tcp 4 web
	fr save commands >"$WORK/saved"
}

# D10: without a window, the same configuration is all that there is to know.
reload_in_steady_state()
{
	local totals before

	configure
	conns_hold "$V4" 80 "$LIVE" 2000
	before=$(conns_ask names)
	rmmod flowring
	modprobe flowring
	fr restore "$WORK/saved"
	totals=$(conns_ask round)
	cat "$WORK/losses"
	equal "$before" "$(conns_ask names)" servers
	echo "$totals"
	equal "0 0" "$(total "$totals" resets) $(total "$totals" moved)"
}

# The window goes with the module, and with it the flows that it kept. Nothing
# else may happen.
reload_in_window()
{
	local i mac

	mac=$(ip -n "$gw" -j link show vcl | jq -r '.[0].address')
	start "$cl" flood eth0 "$mac" 10.64.0.0 10 "$V4" 80 syn 2000 600 \
		>"$WORK/flood"
	start "$cl" flood eth0 "$mac" 10.64.0.0 10 "$V4" 80 ack 2000 600 \
		>"$WORK/flood"
	for ((i = 0; i < 5; i++)); do
		configure
		fr backend set web b1 state drain
		slowwait 10 pinned
		fr backend set web b2 weight $((50 + i))
		rmmod flowring
		fails test -d /sys/module/flowring
		modprobe flowring
	done
	configure
	peer "$cl" try tcp "$V4" 80 | grep -q "^served b"
}

pinned()
{
	[ "$(pins used)" -gt 100 ]
}

drop_spoofed()
{
	in_ns "$1" nft -f - <<-END
	table netdev spoofed {
		chain c { type filter hook ingress device eth0 priority 0;
			ip saddr 10.64.0.0/10 drop
		}
	}
	END
}

setup_dr 3
serve_all 3 80
watch 3
for f in 4 6; do
	run_test "IPv$f: three quarters full" three_quarters $f
	run_test "IPv$f: full of live flows" full_of_live $f
	run_test "IPv$f: full of requests" full_of_requests $f
	run_test "IPv$f: a ring goes with its window open" ring_goes $f
done
run_test "the size counts for the next table" sizes
run_test "rings share the table" shared
run_test "memory returns after $OPENINGS windows" memory_returns
run_test "namespaces go with windows open" namespaces_go

# Servers for more connections, in place of the others
flush
kill -9 "${SERVERS[@]}"
SERVERS=()
for i in 1 2 3; do
	ns=b$i
	drop_spoofed "${!ns}"
	conns_serve "${!ns}" "b$i"
done
run_test "$LIVE flows, the module reloaded in steady state" \
	reload_in_steady_state
kill -9 "${SERVERS[@]}"
SERVERS=()
serve_all 3 80
run_test "the module reloaded in open windows under a flood" reload_in_window
finish
