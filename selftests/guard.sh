#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 600
#
# What conntrack finds invalid must not pass untranslated: a client that saw a
# backend's own address would reset the connection.
#
#	+----+     +---------+     +----+
#	| cl |-----| gw      |-----| b1 | 8080
#	+----+     | V:80    |     +----+
#	           +---------+

# shellcheck disable=SC2154,SC2317
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
need_tools tcpdump conntrack

# Spread over the whole space: two at least are ahead of the window, which
# conntrack calls invalid. What is behind it may be translated.
SEQS=(1 1000000000 2000000000 3000000000 4000000000)

# invalid FAMILY, invalid_service FAMILY: the counters
invalid()
{
	fr -j -s backend show "web$1" b1 | jq '.[0].stats.invalid'
}

invalid_service()
{
	service_stat tcp "$1" invalid
}

# watch FAMILY: what reaches the client with the backend's address
watch()
{
	start "$cl" timeout 120 tcpdump -l -nni eth0 \
		"host $(backend_addr nat "$1" 1)" >"$WORK/cap" 2>"$WORK/dump"
	slowwait 30 grep -q listening "$WORK/dump"
	watcher=$!
}

watched_nothing()
{
	kill "$watcher"
	wait "$watcher" || :
	cat "$WORK/cap"
	fails grep . "$WORK/cap"
}

# From a backend
from_backend()
{
	local f=$1 before

	both nat 1
	hold "$cl" tcp "$(vip "$f")" 80 1 45000
	ask 0.1
	watch "$f"
	before=$(invalid "$f")
	peer "$b1" inject "$(backend_addr nat "$f" 1)" 8080 \
		"$(client "$f")" 45000 "${SEQS[@]}"
	ask 0.5
	at_least $((before + 2)) "$(invalid "$f")" invalid
	watched_nothing
	ask 0.1
}

# From a client: the gateway must not reset what it cannot place, nor let the
# backend see the service's address.
from_client()
{
	local f=$1 before

	both nat 1
	hold "$cl" tcp "$(vip "$f")" 80 1 46000
	ask 0.1
	before=$(invalid_service "$f")
	start "$cl" timeout 120 tcpdump -l -nni eth0 "tcp port 46000 and $(
		[ "$f" = 4 ] && echo 'tcp[13] & 4 != 0' ||
			echo 'ip6[53] & 4 != 0')" >"$WORK/cap" 2>"$WORK/dump"
	watcher=$!
	slowwait 30 grep -q listening "$WORK/dump"
	peer "$cl" inject "$(client "$f")" 46000 "$(vip "$f")" 80 "${SEQS[@]}"
	ask 0.5
	at_least $((before + 2)) "$(invalid_service "$f")" invalid
	watched_nothing
}

# Segments of a connection that conntrack does not know any more, as after a
# restart: dropped, and the client may go on trying.
unknown()
{
	local f=$1 before

	both nat 1
	hold "$cl" tcp "$(vip "$f")" 80 1 47000
	ask 0.1
	watch "$f"
	in_ns "$gw" conntrack -D -p tcp -f "ipv$f" --sport 47000
	before=$(invalid "$f")
	peer "$b1" inject "$(backend_addr nat "$f" 1)" 8080 "$(client "$f")" \
		47000 1
	at_least $((before + 1)) "$(invalid "$f")" invalid
	watched_nothing
}

# The guard must not stand in the way of a backend's own connections.
own_connections()
{
	local f=$1

	both nat 1
	peer "$b1" try tcp "$(client "$f")" 8080 | tee "$WORK/try"
	grep -q "^served cl $(backend_addr nat "$f" 1)" "$WORK/try"
	peer "$cl" try tcp "$(backend_addr nat "$f" 1)" 8080 | tee "$WORK/try"
	grep -q "^served b1" "$WORK/try"
}

setup_nat 1
serve "$b1" b1 8080
serve "$cl" cl 8080
for f in 4 6; do
	run_test "IPv$f: out of the window from a backend" from_backend $f
	run_test "IPv$f: out of the window from a client" from_client $f
	run_test "IPv$f: a connection that conntrack does not know" unknown $f
	run_test "IPv$f: a backend's other connections" own_connections $f
done
finish
