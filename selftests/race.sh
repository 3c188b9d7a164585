#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 600
#
# Two writers, each on a processor of its own where there are two, change the
# same two rings as fast as they can: weights, states, backends that come and
# go, options. Windows open and close all the time meanwhile, and connections
# and floods have pins made, looked up, evicted and swept.
#
# Whether the kernel complains is seen in its log, after the script.

# shellcheck disable=SC2154,SC2317
# shellcheck source=selftests/winlib.sh
. "$(dirname "$0")/winlib.sh"
need_tools conns flood taskset nft

DURATION=${DURATION:-30}
RINGS="web other"

# writer SEED: commands without end. b4 is left alone, so that there is always
# somebody.
writer()
{
	awk -v seed="$1" -v rings="$RINGS" 'BEGIN {
		srand(seed)
		split(rings, ring)
		while (1) {
			r = ring[int(rand() * 2) + 1]
			b = "b" int(rand() * 3) + 1
			n = rand() * 20
			if (n < 6)
				print "backend set", r, b, "weight",
					int(rand() * 200)
			else if (n < 8)
				print "backend set", r, b, "state drain"
			else if (n < 9)
				print "backend set", r, b, "state down"
			else if (n < 12)
				print "backend set", r, b, "state up"
			else if (n < 13)
				print "backend del", r, b, "force"
			else if (n < 15)
				print "backend add", r, b, "mode dr addr",
					"203.0.113." int(rand() * 3) + 1
			else if (n < 16)
				print "window close", r
			else if (n < 17)
				print "ring set", r, "udp",
					(rand() < .5 ? "stick" : "move")
			else if (n < 18)
				print "ring set", r, "bits",
					int(rand() * 3) + 9
			else if (n < 19)
				print "ring set", r, "window",
					(n < 18.2 ? "off" : int(rand() * 2) + 1)
			else
				print "pins set size",
					1024 * 2 ^ int(rand() * 4)
		}
	}'
}

# Whoever reads the configuration does so at the same time.
reader()
{
	while :; do
		echo "ring show"
		echo "pins show"
		echo "backend show"
		echo "window show"
		echo "lookup tcp $N4 $((RANDOM)) $V4 80"
		echo "lookup udp $N4 $((RANDOM)) $V4 80"
	done
}

# run COMMAND...: the tool with what that prints, until it is stopped
run()
{
	local cpu=$1

	shift
	"$@" | in_ns "$gw" taskset -c "$cpu" flowring -s --force -b - \
		>/dev/null 2>"$WORK/errors.$2" || :
}

datagrams()
{
	exec nice ip netns exec "$cl" "$PYTHON" - "$V4" <<-'END'
	import socket
	import sys
	import time
	socks = []
	for _ in range(64):
	    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	    s.connect((sys.argv[1], 80))
	    s.setblocking(False)
	    socks.append(s)
	while True:
	    for s in socks:
	        try:
	            s.send(b"x\n")
	        except OSError:
	            pass
	    time.sleep(0.02)
	END
}

# race SECONDS: all at once; ends as the configuration is by then
race()
{
	local last=$(($(nproc) - 1)) pids

	start "$cl" nice flood eth0 "$mac" 10.64.0.0 10 "$V4" 80 syn 3000 \
		"$1" >/dev/null
	start "$cl" nice flood eth0 "$mac" 10.64.0.0 12 "$V4" 81 ack 3000 \
		"$1" >/dev/null
	datagrams &
	pids=$!
	conns_hold "$V4" 80 200 500
	run 0 writer 1 &
	run "$last" writer 2 &
	run "$last" reader 3 &
	sleep "$1"
	# with the writers, their pipes end
	stop_tools
	kill "$CONNS_PID" "$pids" 2>/dev/null || :
	wait
}

stop_tools()
{
	ip netns pids "$gw" | xargs -r kill
}

configure()
{
	local ring

	flush
	for ring in $RINGS; do
		ring "$ring" dr 4 4 bits 10 vnodes 64 window 1 pin-idle 1
	done
	service tcp 4 web
	service udp 4 web
	service tcp 4 other 81
}

# A table that thousands of changes have made is the same as one that is made
# at once.
same_elsewhere()
{
	local ring static

	static='map({name, addr, weight, mode, state, tokens, slots, capacity})'
	setup_ns elsewhere
	fr save commands >"$WORK/saved"
	flowring -n "$elsewhere" restore "$WORK/saved" 2>"$WORK/warnings"
	for ring in $RINGS; do
		fr -j ring show "$ring" |
			jq -S '.[0] | del(.epoch, ."window-info")' \
			>"$WORK/here"
		flowring -n "$elsewhere" -j ring show "$ring" |
			jq -S '.[0] | del(.epoch, ."window-info")' |
			diff "$WORK/here" -
		fr -j backend show "$ring" | jq -S "$static" \
			>"$WORK/here"
		flowring -n "$elsewhere" -j backend show "$ring" |
			jq -S "$static" | diff "$WORK/here" -
	done
	cleanup_ns "$elsewhere"
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

epochs()
{
	fr -j ring show | jq 'map(.epoch) | add'
}

writers_race()
{
	local before epoch

	configure
	race 3
	settle
	before=$(memory)
	epoch=$(epochs)
	race "$DURATION"
	epoch=$(($(epochs) - epoch))
	echo "$epoch commits, $(wstat web begun) begun," \
		"$(wstat web adopted) adopted, $(wstat web evicted) evicted," \
		"$(wstat web idle) idle"
	at_least 100 "$epoch" commits
	at_least 100 "$(wstat web begun)" begun
	at_least 100 "$(wstat other adopted)" adopted
	same_elsewhere
	settle
	slowwait 60 memory_is $((before + 2048)) || {
		echo "$(memory) kB, $before kB before"
		return 1
	}
	peer "$cl" many tcp "$V4" 81 20 31000 >"$WORK/did"
	equal 20 "$(wc -l <"$WORK/did")" "new connections"
}

# As it was at the beginning. Servers do not know of the connections that were
# lost, which would be counted as memory; nobody answers when they end them.
settle()
{
	local i ns

	quiet
	configure
	for i in 1 2 3 4; do
		ns=b$i
		kill -9 "${CONNS_SERVER[b$i]}"
		conns_serve "${!ns}" "b$i"
	done
}

# All windows end by themselves.
quiet()
{
	local ring

	for ring in $RINGS; do
		fr ring set "$ring" window 1
		wait_state "$ring" steady 60
	done
	equal "0 0" "$(pins memory) $(pins windows)" "memory and windows"
}

setup_dr 4
mac=$(ip -n "$gw" -j link show vcl | jq -r '.[0].address')
for i in 1 2 3 4; do
	ns=b$i
	in_ns "${!ns}" nft -f - <<-END
	table netdev spoofed {
		chain c { type filter hook ingress device eth0 priority 0;
			ip saddr 10.64.0.0/10 drop
		}
	}
	END
	in_ns "${!ns}" sysctl -qw net.ipv4.tcp_orphan_retries=1
	conns_serve "${!ns}" "b$i"
done
serve_all 4 81
run_test "two writers, traffic and windows at once" writers_race
finish
