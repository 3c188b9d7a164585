#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 900
#
# The dr mode, with real connections.
#
#	192.0.2.0/24          203.0.113.0/24, 2001:db8:b::/64
#	+----+ .2    +----+ .254   +-------+     +----+ V on lo, .1
#	| cl |-------| gw |--------| sw    |-----| b1 |
#	+----+       +----+        | (br)  |     +----+
#	  | .253                   |       |-----| b2 | V on lo, .2
#	  +------------------------|       |     +----+
#	   answers come this way   +-------+-----| b3 | V on lo, .3
#	                                         +----+
#
# V is 198.51.100.10 and 2001:db8:f::10. Some cases add a router rt between gw
# and a network 203.0.114.0/24 that is not on-link.

# shellcheck disable=SC2154,SC2317
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
need_tools conntrack tcpdump nft

FLOWS=${FLOWS:-60}

as_looked_up()
{
	local p=$1 f=$2 before

	before=$(service_stat "$p" "$f" packets)
	lookups "$p" "$f" 22000 "$FLOWS" >"$WORK/said"
	peer "$cl" many "$p" "$(vip "$f")" 80 "$FLOWS" 22000 >"$WORK/did"
	cut -d' ' -f1,2 "$WORK/did" | diff "$WORK/said" -
	equal "b1 b2 b3" "$(distinct <"$WORK/did")" backends
	# what the backend sees: the client as it is, the service's port
	equal "$(client "$f") 80" \
		"$(awk '{ print $3, $5 }' "$WORK/did" | sort -u)"
	at_least $((before + FLOWS)) "$(service_stat "$p" "$f" packets)"
}

# Connection tracking is on in the gateway, for a flow of the gateway's own
# that shows in the table; none that is steered does.
untracked()
{
	local f=$1 p

	in_ns "$gw" nft -f - <<-END
	table inet t {
		chain c { type filter hook prerouting priority 0;
			ct state invalid counter
		}
		chain o { type filter hook output priority 0;
			ct state invalid counter
		}
	}
	END
	in_ns "$gw" conntrack -F
	in_ns "$gw" ping -c 1 -W 10 "$(client "$f")"
	for p in tcp udp; do
		peer "$cl" many "$p" "$(vip "$f")" 80 10 23000
		peer "$gw" many "$p" "$(vip "$f")" 80 10 23000
	done
	in_ns "$gw" conntrack -L -f ipv4 >"$WORK/tracked"
	in_ns "$gw" conntrack -L -f ipv6 >>"$WORK/tracked"
	cat "$WORK/tracked"
	in_ns "$gw" nft delete table inet t
	grep -q icmp "$WORK/tracked"
	# answers to the gateway itself may show, from V
	fails grep -E "^[^=]*src=[^ ]+ dst=$(vip "$f") " "$WORK/tracked"
}

# The server says with what TTL the packet came.
decremented()
{
	local f=$1 via_gateway

	peer "$cl" many udp "$(vip "$f")" 80 1 24000 >"$WORK/did"
	via_gateway=$(awk '{ print $6 }' "$WORK/did")
	equal 63 "$via_gateway" TTL
	# the gateway's own packets are not forwarded
	peer "$gw" many udp "$(vip "$f")" 80 1 24000 >"$WORK/did"
	equal 64 "$(awk '{ print $6 }' "$WORK/did")" "TTL from the gateway"
}

expired()
{
	local f=$1 before filter

	before=$(service_stat udp "$f" ttl-expired)
	filter="icmp[0] == 11 and icmp[24:4] == 0xc633640a"
	[ "$f" = 4 ] || filter="ip6[6] == 58 and ip6[40] == 3"
	start "$cl" timeout 60 tcpdump -c 1 -nni eth0 "$filter" \
		>"$WORK/cap" 2>"$WORK/dump"
	slowwait 20 grep -q listening "$WORK/dump"
	if [ "$f" = 4 ]; then
		in_ns "$cl" sysctl -qw net.ipv4.ip_default_ttl=1
	else
		in_ns "$cl" sysctl -qw net.ipv6.conf.eth0.hop_limit=1
	fi
	peer "$cl" try udp "$(vip "$f")" 80 0 2 >"$WORK/did"
	in_ns "$cl" sysctl -qw net.ipv4.ip_default_ttl=64 \
		net.ipv6.conf.eth0.hop_limit=64
	cat "$WORK/did"
	slowwait 10 grep -q . "$WORK/cap"
	equal $((before + 1)) "$(service_stat udp "$f" ttl-expired)" counter
	fails grep served "$WORK/did"
}

# Routes to 203.0.114.1 and 2001:db8:d::1: none, through a router, on-link.
route_far()
{
	ip -n "$gw" route del 203.0.114.1 2>/dev/null || :
	ip -n "$gw" -6 route del 2001:db8:d::1 2>/dev/null || :
	case $1 in
	router)
		ip -n "$gw" route add 203.0.114.1 via 203.0.113.2
		ip -n "$gw" -6 route add 2001:db8:d::1 via 2001:db8:b::2 ;;
	link)
		ip -n "$gw" route add 203.0.114.1 dev seg
		ip -n "$gw" -6 route add 2001:db8:d::1 dev seg ;;
	esac
}

far()
{
	[ "$1" = 4 ] && echo 203.0.114.1 || echo 2001:db8:d::1
}

routed_backend()
{
	local f=$1

	flush
	route_far router
	fr ring add "web$f"
	refused "not on-link" fr backend add "web$f" b1 addr "$(far "$f")" \
		mode dr
	equal 0 "$(fr -j ring show "web$f" | jq '.[0].backends')" backends
	fr backend add "web$f" b1 addr "$(backend_addr dr "$f" 1)" mode dr
	refused "not on-link" fr backend set "web$f" b1 addr "$(far "$f")"
	equal "$(backend_addr dr "$f" 1)" \
		"$(fr -j backend show "web$f" b1 | jq -r '.[0].addr')" address
}

# b1 has the far address too, so that it serves whenever gw finds it.
route_changes()
{
	local f=$1

	flush
	route_far none
	fr ring add "web$f"
	fr backend add "web$f" b1 addr "$(far "$f")" mode dr 2>"$WORK/warning"
	cat "$WORK/warning"
	grep -q "no route" "$WORK/warning"
	service udp "$f" "web$f"
	fails served "$f" 1
	equal 1 "$(backend_stat "web$f" b1 no-route)" no-route
	route_far link
	served "$f"
	route_far router
	fails served "$f" 1
	equal 1 "$(backend_stat "web$f" b1 not-on-link)" not-on-link
	route_far link
	served "$f"
	equal 1 "$(backend_stat "web$f" b1 not-on-link)" not-on-link
	route_far none
	fails served "$f" 1
	equal 2 "$(backend_stat "web$f" b1 no-route)" no-route
}

# served FAMILY [TIMEOUT]
served()
{
	peer "$cl" try udp "$(vip "$1")" 80 0 "${2:-10}" | tee "$WORK/served"
	grep -q "^served b1" "$WORK/served"
}

from_gateway()
{
	local f=$1 p

	for p in tcp udp; do
		peer "$gw" many "$p" "$(vip "$f")" 80 30 25000 >"$WORK/did"
		equal "b1 b2 b3" "$(distinct <"$WORK/did")" backends
	done
}

# More than the link takes, in fragments, which come out of order on occasion
# of a run of many: all of a datagram reach one server.
large_datagram()
{
	local f=$1 size

	for size in 3000 20000 60000; do
		peer "$cl" datagram "$(vip "$f")" 80 "$size"
	done
}

# The segment behind the gateway takes less than the client's link.
path_mtu()
{
	local f=$1

	ip -n "$gw" link set seg mtu 1300
	peer "$cl" bulk "$(vip "$f")" 80 500000 >"$WORK/did"
	ip -n "$cl" route get "$(vip "$f")" >"$WORK/route"
	ip -n "$gw" link set seg mtu 1500
	ip -n "$cl" route flush cache
	ip -n "$cl" -6 route flush cache
	cat "$WORK/did" "$WORK/route"
	grep -q 'mtu 1300' "$WORK/route"
}

setup_dr 3
serve_all 3 80
both dr 3
for f in 4 6; do
	for p in tcp udp; do
		run_test "IPv$f $p: lookup says who really serves" \
			as_looked_up $p $f
	done
	run_test "IPv$f: connection tracking never sees a flow" untracked $f
	run_test "IPv$f: the TTL is decremented" decremented $f
	run_test "IPv$f: the TTL expires" expired $f
	run_test "IPv$f: the gateway as a client" from_gateway $f
	run_test "IPv$f: bulk transfer" \
		peer "$cl" bulk "$(vip $f)" 80 "${BULK:-8000000}"
	run_test "IPv$f: large datagrams arrive whole" large_datagram $f
	run_test "IPv$f: path MTU discovery" path_mtu $f
done
ns=$b1
addr "$ns" eth0 203.0.114.1/32 2001:db8:d::1/128
in_ns "$b2" sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
for f in 4 6; do
	run_test "IPv$f: a backend behind a router is refused" \
		routed_backend $f
	run_test "IPv$f: the route changes under way" route_changes $f
done
finish
