#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 1200
#
# Paths with a smaller MTU than their ends: on the way to the client, where a
# router tells the service about it (case D1); and on the way of a tunnel, where
# a router tells the gateway.
#
#	+----+      +----+ 1300 +----+ .30   .17 +----+ V on lo
#	| cl |------| r1 |------| gw |-----------| b1 | nat, dr
#	+----+ 1300 +----+      +----+           +----+
#	                           | .46
#	                        +----+ 1400  .114.1 +----+ V on lo
#	                        | r2 |--------------| b2 | tunnels
#	                        +----+              +----+
#
# The ends of all links believe in 1500.

# shellcheck disable=SC2154,SC2317
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
need_tools conntrack

BYTES=${BYTES:-1000000}
FAR4=203.0.114.1 FAR6=2001:db8:d::1

# narrow MTU: of the way to the client. That of a device would also drop what
# comes from it.
narrow()
{
	ip -n "$r1" route replace $C4 dev rcl mtu "$1" &&
		ip -n "$r1" -6 route replace $C6 dev rcl mtu "$1"
}

# The client behind r1, which has a small MTU towards it
setup_client()
{
	setup_ns cl r1 gw && prepare_ns "$cl" "$r1" "$gw" &&
		in_ns "$r1" sysctl -qw net.ipv4.ip_forward=1 \
			net.ipv6.conf.all.forwarding=1 &&
		in_ns "$gw" sysctl -qw net.ipv4.ip_forward=1 \
			net.ipv6.conf.all.forwarding=1 \
			net.ipv4.icmp_ratelimit=0 net.ipv6.icmp.ratelimit=0 &&
		link "$r1" rcl "$cl" eth0 && link "$gw" vcl "$r1" rgw &&
		addr "$cl" eth0 $C4/24 $C6/64 &&
		addr "$r1" rcl $G4/24 $G6/64 &&
		addr "$r1" rgw 198.18.0.2/24 2001:db8:e::2/64 &&
		addr "$gw" vcl 198.18.0.1/24 2001:db8:e::1/64 &&
		narrow 1300 &&
		default_route "$cl" $G4 $G6 &&
		default_route "$r1" 198.18.0.1 2001:db8:e::1 &&
		default_route "$gw" 198.18.0.2 2001:db8:e::2
}

# decapsulate NS ADDR6
decapsulate()
{
	ip -n "$1" link set tunl0 up &&
		ip -n "$1" link set sit0 up &&
		ip -n "$1" link add tnl6 type ip6tnl mode any local "$2" \
			remote any &&
		ip -n "$1" link set tnl6 up &&
		in_ns "$1" sysctl -qw net.ipv4.conf.tunl0.rp_filter=0 \
			net.ipv4.conf.sit0.rp_filter=0 \
			net.ipv4.conf.tnl6.rp_filter=0 &&
		in_ns "$1" ip fou add port 6080 gue &&
		in_ns "$1" ip -6 fou add port 6080 gue
}

# b2 behind r2, which has a small MTU towards it
setup_far()
{
	setup_ns r2 b2 && prepare_ns "$r2" "$b2" &&
		in_ns "$r2" sysctl -qw net.ipv4.ip_forward=1 \
			net.ipv6.conf.all.forwarding=1 &&
		link "$gw" v2 "$r2" rgw && link "$r2" rb "$b2" eth0 &&
		addr "$gw" v2 203.0.113.46/28 2001:db8:b:2::fe/64 &&
		addr "$r2" rgw 203.0.113.33/28 2001:db8:b:2::1/64 &&
		addr "$r2" rb 203.0.114.254/24 2001:db8:d::fe/64 &&
		addr "$b2" eth0 $FAR4/24 $FAR6/64 &&
		addr "$b2" lo $V4/32 $V6/128 &&
		ip -n "$r2" route add $FAR4 dev rb mtu 1400 &&
		ip -n "$r2" -6 route add $FAR6 dev rb mtu 1400 &&
		default_route "$r2" 203.0.113.46 2001:db8:b:2::fe &&
		default_route "$b2" 203.0.114.254 2001:db8:d::fe &&
		ip -n "$gw" route add 203.0.114.0/24 via 203.0.113.33 &&
		ip -n "$gw" -6 route add 2001:db8:d::/64 via 2001:db8:b:2::1
}

# forget: all that hosts have learned of MTUs
forget()
{
	local ns

	for ns in "$cl" "$gw" "$b1" "$b2"; do
		ip -n "$ns" route flush cache
		ip -n "$ns" -6 route flush cache
	done
}

# ring_of MODE FAMILY ADDR: one backend
ring_of()
{
	flush
	forget
	fr ring add web key "$KEY"
	fr backend add web b1 mode "$1" addr "$3"
	service tcp "$2" web
}

learned()
{
	ip -n "$1" -"$2" route get "$3" | grep -o "mtu [0-9]*"
}

# The client's own MTU comes from its service: the server has to hear of it
to_client()
{
	local mode=$1 f=$2 ns=${3:-$b1} addr=${4:-$(backend_addr nat "$2" 1)}

	ring_of "$mode" "$f" "$addr"
	peer "$cl" bulk "$(vip "$f")" 80 "$BYTES"
	# the server did, and so it has sent what fits
	equal "mtu 1300" "$(learned "$ns" "$f" "$(client "$f")")" "what it knows"
}

# What r2 says is about the outer packet: 1400 less the tunnel
to_backend()
{
	local mode=$1 outer=$2 f=$3 mtu=$4 far=FAR$2

	narrow 1500
	ring_of "$mode" "$f" "${!far}"
	peer "$cl" bulk "$(vip "$f")" 80 "$BYTES"
	equal "mtu 1400" "$(learned "$gw" "$outer" "${!far}")" "of the gateway"
	equal "mtu $mtu" "$(learned "$cl" "$f" "$(vip "$f")")" "of the client"
	narrow 1300
}

modprobe -a ipip sit ip6_tunnel fou fou6 || :
setup_client || bail "no client"
setup_nat_backend 1 || bail "no b1"
addr "$b1" lo $V4/32 $V6/128 || bail "no addresses in b1"
setup_far || bail "no b2"
decapsulate "$b2" $FAR6 || bail "no tunnels in b2"
serve "$b1" b1 80
serve "$b2" b2 80
for f in 4 6; do
	far=FAR$f
	run_test "nat, IPv$f: to a client with a small MTU (D1)" \
		to_client nat $f
	run_test "dr, IPv$f: to a client with a small MTU (D1)" to_client dr $f
	for m in ipip gue; do
		run_test "$m, IPv$f: to a client with a small MTU (D1)" \
			to_client $m $f "$b2" "${!far}"
	done
done
run_test "IPv4 in ipip over IPv4: a small MTU" to_backend ipip 4 4 1380
run_test "IPv6 in ipip over IPv4: a small MTU" to_backend ipip 4 6 1380
run_test "IPv4 in ipip over IPv6: a small MTU" to_backend ipip 6 4 1360
run_test "IPv6 in ipip over IPv6: a small MTU" to_backend ipip 6 6 1360
run_test "IPv4 in gue over IPv4: a small MTU" to_backend gue 4 4 1368
run_test "IPv6 in gue over IPv6: a small MTU" to_backend gue 6 6 1348
finish
