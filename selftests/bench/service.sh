#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What the number of services costs a packet: pktgen sends UDP to one service,
# to a port of a range, to an address of a network, and to none at all, with few
# services beside it and with 10,000. Runs in a guest.

# shellcheck disable=SC2154
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"
set -eo pipefail

rounds=9
count=200000

pg()
{
	echo "$2" | in_ns "$cl" tee "/proc/net/pktgen/$1" >/dev/null
}

# send ADDRESS PORT: nanoseconds a packet
send()
{
	pg eth0 "dst $1"
	pg eth0 "udp_dst_min $2"
	pg eth0 "udp_dst_max $2"
	pg pgctrl start
	in_ns "$cl" cat /proc/net/pktgen/eth0 |
		sed -n 's/.* \([0-9]*\)pps .*/\1/p' |
		awk '{ print int(1e9 / $1) }'
}

median()
{
	sort -n "$WORK/$1" | sed -n "$(((rounds + 1) / 2))p"
}

# fill add|del: 10,000 services beside those that are measured, of all kinds
fill()
{
	local i

	for ((i = 0; i < 10000; i++)); do
		case $((i % 4)) in
		0)	echo "udp 10.$((i / 256)).$((i % 256)).1 port 53" ;;
		1)	echo "udp 10.$((i / 256)).$((i % 256)).0/24 port all" ;;
		2)	echo "udp $V4 port $((10000 + i * 5))-$((10003 + i * 5))" ;;
		3)	echo "tcp 10.$((i / 256)).$((i % 256)).0/28 port 80" ;;
		esac
	done | awk -v verb="$1" '{ print "service", verb, $0,
		verb == "add" ? "ring web" : "" }' | fr -b -
}

modprobe pktgen
setup_dr 1
ring web dr 4 1
fr service add udp $V4 port 80 ring web
fr service add udp $V4 port 8000-8099 ring web
fr service add udp 198.51.100.0/24 port all ring web
fr service add tcp 192.0.2.0/28 port 80 ring web
in_ns "$b1" nft -f - <<-END
	table netdev t {
		chain c {
			type filter hook ingress device eth0 priority 0
			meta l4proto udp drop
		}
	}
END
# nobody's: what forwarding costs is the same with and without
ip -n "$gw" route add blackhole 203.0.114.0/24
mac=$(ip -n "$gw" -j link show vcl | jq -r '.[0].address')
pg kpktgend_0 rem_device_all
pg kpktgend_0 "add_device eth0"
for word in "count $count" "clone_skb 0" "pkt_size 60" "delay 0" "dst_mac $mac" \
	"src_min 192.0.2.10" "src_max 192.0.2.250" \
	"udp_src_min 1024" "udp_src_max 60000" "flag UDPSRC_RND" "flag IPSRC_RND"; do
	pg eth0 "$word"
done
kinds="port range network none"
measure()
{
	send $V4 80 >>"$WORK/port.$1"
	send $V4 8050 >>"$WORK/range.$1"
	send 198.51.100.77 9 >>"$WORK/network.$1"
	send 203.0.114.1 80 >>"$WORK/none.$1"
}

measure warm
for ((i = 0; i < rounds; i++)); do
	measure few
	fill add
	measure many
	fill del
done
status=0
for kind in $kinds; do
	few=$(median "$kind.few") many=$(median "$kind.many")
	awk -v k="$kind" -v f="$few" -v m="$many" 'BEGIN {
		printf "%-8s %5d ns with 4 services, %5d ns with 10,004: %.3f, at most 1.11: %s\n",
			k, f, m, m / f, (m / f > 1.11 ? "MISS" : "pass")
		exit m / f > 1.11
	}' || status=1
done
exit $status
