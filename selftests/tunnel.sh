#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 1500
#
# The tunnel modes, with real connections, and backends that decapsulate with
# the kernel's own devices. And mark, and rings that mix modes.
#
#	192.0.2.0/24     203.0.113.16/28, 2001:db8:b:1::/64
#	+----+ .2    +----+ .30         .17 +----+ V on lo
#	| cl |-------| gw |-----------------| b1 | tunl0 sit0 ip6tnl0
#	+----+    .1 +----+                 +----+ udp 6080
#	                |-------------------| b2 | and so on
#	                                    +----+
#
# V is 198.51.100.10 and 2001:db8:f::10. Answers go by the gateway, too, which
# forwards them as it does any packet.

# shellcheck disable=SC2154,SC2317
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
need_tools tcpdump conntrack ethtool nft
"$PYTHON" -c 'import scapy.all' || skip_all "no scapy"

TUNNEL=$HERE/tunnel.py
FLOWS=${FLOWS:-30}
BYTES=${BYTES:-2000000}

# decapsulate NS ADDR6: whatever comes in a tunnel to it
decapsulate()
{
	local ns=$1

	addr "$ns" lo $V4/32 $V6/128
	ip -n "$ns" link set tunl0 up
	ip -n "$ns" link set sit0 up
	ip -n "$ns" link add tnl6 type ip6tnl mode any local "$2" remote any
	ip -n "$ns" link set tnl6 up
	in_ns "$ns" sysctl -qw net.ipv4.conf.tunl0.rp_filter=0 \
		net.ipv4.conf.sit0.rp_filter=0 net.ipv4.conf.tnl6.rp_filter=0
	in_ns "$ns" ip fou add port 6080 gue
	in_ns "$ns" ip -6 fou add port 6080 gue
}

# tunnels NAME MODE 4|6 N [BACKEND-OPTION...]: a ring with tunnels to b1 to bN
tunnels()
{
	local name=$1 mode=$2 outer=$3 n=$4 i

	shift 4
	fr ring add "$name" key "$KEY"
	for ((i = 1; i <= n; i++)); do
		fr backend add "$name" "b$i" mode "$mode" \
			addr "$(backend_addr nat "$outer" "$i")" "$@"
	done
}

# serve_both RING: TCP and UDP, both families, on one ring
serve_both()
{
	local f p

	for f in 4 6; do
		for p in tcp udp; do
			service "$p" "$f" "$1"
		done
	done
}

# Where lookups say, from outside and from the gateway, for all that is inside
spread()
{
	local mode=$1 outer=$2 f p

	flush
	tunnels web "$mode" "$outer" 3
	serve_both web
	for f in 4 6; do
		for p in tcp udp; do
			echo "IPv$f $p"
			lookups "$p" "$f" 22000 "$FLOWS" >"$WORK/said"
			peer "$cl" many "$p" "$(vip "$f")" 80 "$FLOWS" 22000 \
				>"$WORK/did"
			cut -d' ' -f1,2 "$WORK/did" | diff "$WORK/said" -
			equal "b1 b2 b3" "$(distinct <"$WORK/did")" backends
			equal "$(client "$f") 80" \
				"$(awk '{ print $3, $5 }' "$WORK/did" | sort -u)"
			peer "$gw" many "$p" "$(vip "$f")" 80 "$FLOWS" >"$WORK/did"
			equal "b1 b2 b3" "$(distinct <"$WORK/did")" \
				"backends of the gateway"
		done
	done
	bulk
}

# Large packets in both directions
bulk()
{
	local f

	for f in 4 6; do
		peer "$cl" bulk "$(vip "$f")" 80 "$BYTES"
		peer "$gw" bulk "$(vip "$f")" 80 "$BYTES"
	done
}

# capture FILTER COMMAND...: what it sends to b1
capture()
{
	local filter=$1 pid

	shift
	rm -f "$WORK/dump"
	start "$gw" timeout 60 tcpdump -c 1 -nni v1 -w "$WORK/cap" "$filter" \
		2>"$WORK/dump"
	pid=$!
	slowwait 20 grep -q listening "$WORK/dump"
	"$@" >/dev/null
	wait "$pid"
	"$PYTHON" "$TUNNEL" outer "$WORK/cap"
}

# One datagram with DSCP EF and ECT(1), and what the kernel itself sets
tagged()
{
	in_ns "$cl" "$PYTHON" - "$1" <<-'END'
	import socket, sys
	six = ":" in sys.argv[1]
	s = socket.socket(socket.AF_INET6 if six else socket.AF_INET,
	                  socket.SOCK_DGRAM)
	if six:
	    s.setsockopt(socket.IPPROTO_IPV6, 67, 0xb9)
	else:
	    s.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 0xb9)
	s.bind(("", 5555))
	s.sendto(b"x\n", (sys.argv[1], 80))
	END
}

# inner 4|6: how the packet inside is described
inner()
{
	case $1 in
	4)	echo "ip4 $C4 $V4 17 tos=0xb9 ttl=63 df udp 5555 80 sum" ;;
	6)	echo "ip6 $C6 $V6 17 tos=0xb9 ttl=63 label udp 5555 80 sum" ;;
	esac
}

# offload on|off: a capture on the way out has whole checksums without
offload()
{
	in_ns "$cl" ethtool -K eth0 tx "$1" >/dev/null
	in_ns "$gw" ethtool -K v1 tx "$1" >/dev/null
}

# The headers, field by field: RFC 2003, 2473, 4213, and gue. ECT(1) stays.
headers()
{
	local mode=$1 outer=$2 sum=$3 f from to proto said want port='' ip

	offload off
	for f in 4 6; do
		flush
		tunnels web "$mode" "$outer" 1 ${sum:+checksum "$sum"}
		serve_both web
		to=$(backend_addr nat "$outer" 1)
		case $outer in
		4)	from="ip4 203.0.113.30" want="tos=0xb9 ttl=64 df" ;;
		6)	from="ip6 2001:db8:b:1::fe" want="tos=0xb9 ttl=64 label" ;;
		esac
		proto=4
		[ "$f" = 4 ] || proto=41
		if [ "$mode" = gue ]; then
			port=" udp SPORT 6080 sum gue"
			[ "$sum" = on ] || port=" udp SPORT 6080 nosum gue"
			proto=17
		fi
		ip=ip
		[ "$outer" = 4 ] || ip=ip6
		# a packet of IPv6 has no DF, and the tunnel sets it
		said=$(capture "dst host $to and $ip proto $proto" \
			tagged "$(vip "$f")")
		echo "$said"
		# the source port is the flow's, one of the dynamic ones
		if [ "$mode" = gue ]; then
			[[ $said =~ udp\ ([0-9]+)\ 6080 ]]
			at_least 49152 "${BASH_REMATCH[1]}" "source port"
			said=${said/udp ${BASH_REMATCH[1]} 6080/udp SPORT 6080}
		fi
		equal "$from $to $proto $want$port $(inner "$f")" "$said" headers
	done
	offload on
}

# Case D3: what is said of the MTU counts the tunnel; without DF it gets through
too_big()
{
	local mode=$1 outer=$2 mtu=$3 before

	flush
	tunnels web "$mode" "$outer" 1
	serve_both web
	before=$(service_stat udp 4 too-big)
	equal "toobig $mtu" "$(sized 4 1500 df)" "IPv4, DF"
	equal "$((before + 1))" "$(service_stat udp 4 too-big)" counter
	equal answered "$(sized 4 "$mtu" df)" "IPv4, DF, what was said"
	equal answered "$(sized 4 1500 nodf)" "IPv4, no DF"
	equal "toobig $mtu" "$(sized 6 1500 df)" IPv6
	equal answered "$(sized 6 "$mtu" df)" "IPv6, what was said"
}

# sized 4|6 BYTES df|nodf [TTL]
sized()
{
	# what the client has learned before would keep it from trying
	ip -n "$cl" route flush cache
	ip -n "$cl" -6 route flush cache
	in_ns "$cl" "$PYTHON" "$HERE/packets.py" size "$(client "$1")" "$(vip "$1")" \
		6666 80 "${@:2}"
}

# In either family over either: the error is of the packet's
expires()
{
	local outer=$1 f

	flush
	tunnels web ipip "$outer" 1
	serve_both web
	for f in 4 6; do
		equal expired "$(sized "$f" 200 df 1)" "IPv$f, TTL of 1"
		equal 1 "$(service_stat udp "$f" ttl-expired)" counter
		equal answered "$(sized "$f" 200 df 2)" "IPv$f, TTL of 2"
	done
}

# With the ways to it: by routing, by both tunnels, and by a mark
mixed()
{
	local f

	flush
	for f in 4 6; do
		fr ring add "web$f" key "$KEY"
		fr backend add "web$f" b1 mode dr addr "$(backend_addr nat "$f" 1)"
		fr backend add "web$f" b2 mode ipip addr "$(backend4 2)"
		fr backend add "web$f" b3 mode gue addr "$(backend6 3)"
		fr backend add "web$f" b4 mode mark mark 0x44
		service tcp "$f" "web$f"
		service udp "$f" "web$f"
	done
	ip -n "$gw" rule add fwmark 0x44 table 44
	ip -n "$gw" -6 rule add fwmark 0x44 table 44
	ip -n "$gw" route add default via "$(backend4 4)" table 44
	ip -n "$gw" -6 route add default via "$(backend6 4)" table 44
	for f in 4 6; do
		lookups tcp "$f" 22000 "$FLOWS" >"$WORK/said"
		peer "$cl" many tcp "$(vip "$f")" 80 "$FLOWS" 22000 >"$WORK/did"
		cut -d' ' -f1,2 "$WORK/did" | diff "$WORK/said" -
		equal "b1 b2 b3 b4" "$(distinct <"$WORK/did")" backends
		peer "$gw" many udp "$(vip "$f")" 80 "$FLOWS" >"$WORK/did"
		equal "b1 b2 b3 b4" "$(distinct <"$WORK/did")" \
			"backends of the gateway"
	done
	at_least 1 "$(fr -j -s backend show web4 b4 | jq '.[0].stats.packets')" \
		"marked packets"
	bulk
}

unmix()
{
	ip -n "$gw" rule del fwmark 0x44
	ip -n "$gw" -6 rule del fwmark 0x44
	ip -n "$gw" route flush table 44
	ip -n "$gw" -6 route flush table 44
}

# Connection tracking sees neither what is inside nor the tunnel
untracked()
{
	flush
	tunnels web ipip 4 1
	service tcp 4 web
	in_ns "$gw" nft add table inet t
	in_ns "$gw" nft add chain inet t c \
		'{ type filter hook prerouting priority 0; ct state invalid counter; }'
	in_ns "$gw" nft add chain inet t o \
		'{ type filter hook output priority 0; ct state invalid counter; }'
	in_ns "$gw" conntrack -F
	in_ns "$gw" ping -c 1 -W 10 "$C4"
	peer "$cl" many tcp "$V4" 80 5 23000
	in_ns "$gw" conntrack -L >"$WORK/tracked"
	in_ns "$gw" nft delete table inet t
	cat "$WORK/tracked"
	grep -q icmp "$WORK/tracked"
	fails grep -E "^[^=]*src=[^ ]+ dst=($V4|$(backend4 1)) " \
		"$WORK/tracked"
}

modprobe -a ipip sit ip6_tunnel fou fou6 || :
setup_nat 4
for i in 1 2 3 4; do
	ns=b$i
	decapsulate "${!ns}" "$(backend6 "$i")" || bail "backend $i cannot decapsulate"
done
# the gateway's own packets would not get to the hooks without one
ip -n "$gw" route add $V4 dev v1
ip -n "$gw" -6 route add $V6 dev v1
serve_all 4 80
for o in 4 6; do
	for m in ipip gue; do
		run_test "$m over IPv$o: spreads both families" spread $m $o
	done
	run_test "ipip over IPv$o: headers" headers ipip $o ''
	run_test "gue over IPv$o: headers" headers gue $o on
	run_test "gue over IPv$o, no checksums: headers" headers gue $o off
done
run_test "ipip over IPv4: too big (D3)" too_big ipip 4 1480
run_test "ipip over IPv6: too big (D3)" too_big ipip 6 1460
run_test "gue over IPv4: too big" too_big gue 4 1468
run_test "gue over IPv6: too big" too_big gue 6 1448
for o in 4 6; do
	run_test "ipip over IPv$o: TTL expires" expires $o
done
run_test "one ring mixes dr, ipip, gue and mark" mixed
unmix 2>/dev/null
run_test "conntrack sees no tunnel" untracked
finish
