#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A device that dr has cached routes over goes at once, alone or with its
# namespace, and dr works again when it is back.

# Cases are called by their names:
# shellcheck disable=SC2317
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

setup_dr 1
serve_all 1 80

# The first packet caches the route, on whatever CPU
traffic()
{
	peer "$cl" many udp "$(vip "$1")" 80 4 >"$WORK/served"
	equal 4 "$(grep -c b1 "$WORK/served")" "flows served"
}

# del FAMILY: the kernel waits for references for as long as there are any
del()
{
	both dr 1
	traffic "$1"
	at_least 4 "$(service_stat udp "$1" packets)" "packets"
	timeout 10 ip -n "$gw" link del seg
	segment "$gw" seg gw
	addr "$gw" seg 203.0.113.254/24 2001:db8:b::fe/64
	traffic "$1"
}

namespace()
{
	both dr 1
	traffic 4
	traffic 6
	ip netns del "$gw"
	# the namespace is gone when its device has left the other end
	slowwait 20 no_peer
}

no_peer()
{
	fails ip -n "$cl" link show eth0 >/dev/null 2>&1
}

run_test "IPv4: a device with a cached route goes" del 4
run_test "IPv6: a device with a cached route goes" del 6
run_test "a namespace with cached routes goes" namespace
finish
