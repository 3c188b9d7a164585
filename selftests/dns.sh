#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 300
#
# Two datagrams from one socket at once, as resolvers ask for A and AAAA: both
# go to one backend, none is lost.
#
#	+----+     +---------+     +----+
#	| cl |-----| gw      |-----| b1 | 8080
#	+----+     | V:53    |     +----+
#	           |         |-----| b2 | 8080
#	           +---------+     +----+
#
# The case is made of 100,000 pairs; a run takes as many as fit in SECONDS_EACH
# seconds for each of the cases, PAIRS at most, and says how many there were.

# shellcheck disable=SC2154,SC2317
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

PAIRS=${PAIRS:-100000}
SECONDS_EACH=${SECONDS_EACH:-12}

# pairs NS FAMILY
pairs()
{
	local before after

	before=$(service_stat udp "$2" flows 53)
	peer "$1" pairs "$(vip "$2")" 53 "$PAIRS" "$SECONDS_EACH" \
		>"$WORK/pairs"
	cat "$WORK/pairs" >>"$WORK/summary"
	at_least 100 "$(awk '{ print $1 }' "$WORK/pairs")" pairs
	after=$(service_stat udp "$2" flows 53)
	# the loser of a race is counted, though it joins the winner's flow
	at_least "$(awk '{ print $1 }' "$WORK/pairs")" $((after - before))
	in_ns "$gw" conntrack -S
}

setup_nat 2
serve_all 2 8080
# room for flows that only end by their timeout
sysctl -qw net.netfilter.nf_conntrack_max=1000000 2>/dev/null
for f in 4 6; do
	ring "dns$f" nat "$f" 2
	service udp "$f" "dns$f" 53
	run_test "IPv$f: pairs from a client" pairs "$cl" $f
done
ip -n "$gw" route add "$V4" dev v1
run_test "IPv4: pairs from the gateway itself" pairs "$gw" 4
sed 's/^/# /' "$WORK/summary"
finish
