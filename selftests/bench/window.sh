#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a window costs a packet, on its whole way through a gateway: pktgen sends
# UDP of many sources to two services in turn. The ring of one is steady; that of
# the other is the same with an open window, in which every slot has moved.
# "alone" is the generator, with packets dropped as they arrive. Runs in a guest.

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

# send PORT: nanoseconds a packet
send()
{
	pg eth0 "udp_dst_min $1"
	pg eth0 "udp_dst_max $1"
	pg pgctrl start
	in_ns "$cl" cat /proc/net/pktgen/eth0 |
		sed -n 's/.* \([0-9]*\)pps .*/\1/p' |
		awk '{ print int(1e9 / $1) }'
}

median()
{
	sort -n "$WORK/$1" | sed -n "$(((rounds + 1) / 2))p"
}

modprobe pktgen
setup_dr 4
for name in steady open; do
	ring $name dr 4 2
	fr ring set $name window 86400 pin-idle 86400
done
fr service add udp $V4 port 80 ring steady
fr service add udp $V4 port 81 ring open
# all slots move, and remember
fr ring commit open >/dev/null <<-END
	backend set b1 state drain
	backend set b2 state drain
	backend add b3 addr $(dr4 3) mode dr
	backend add b4 addr $(dr4 4) mode dr
END
for i in 1 2 3 4; do
	ns=b$i
	in_ns "${!ns}" nft -f - <<-END
		table netdev t {
			chain c {
				type filter hook ingress device eth0 priority 0
				udp dport 80-82 drop
			}
		}
	END
done
in_ns "$gw" nft -f - <<-END
	table netdev t {
		chain c {
			type filter hook ingress device vcl priority 0
			udp dport 82 drop
		}
	}
END
mac=$(ip -n "$gw" -j link show vcl | jq -r '.[0].address')
pg kpktgend_0 rem_device_all
pg kpktgend_0 "add_device eth0"
for word in "count $count" "clone_skb 0" "pkt_size 60" "delay 0" "dst_mac $mac" \
	"dst $V4" "src_min 192.0.2.10" "src_max 192.0.2.250" \
	"udp_src_min 1024" "udp_src_max 60000" "flag UDPSRC_RND" "flag IPSRC_RND"; do
	pg eth0 "$word"
done
# neighbours are found before
for port in 80 81; do
	send $port >/dev/null
done
for ((i = 0; i < rounds; i++)); do
	send 82 >>"$WORK/alone"
	send 80 >>"$WORK/steady"
	send 81 >>"$WORK/open"
done

alone=$(median alone) steady=$(median steady) open=$(median open)
remembered=$(fr -s -j ring show open | jq '.[0]."window-stats".remembered')
[ "$remembered" -ge $((rounds * count)) ] ||
	bail "only $remembered packets were sent to remembered owners"
echo "ns a packet, medians of $rounds: generator alone $alone, steady $steady, open window $open"
awk -v a="$alone" -v s="$steady" -v o="$open" 'BEGIN {
	r = (o - a) / (s - a)
	printf "open / steady, without the generator: %.3f, at most 1.15: %s\n",
		r, (r > 1.15 ? "MISS" : "pass")
	exit r > 1.15
}'
