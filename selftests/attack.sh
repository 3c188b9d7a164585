#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 600
#
# Spoofed floods of SYNs and of ACKs into an open window with a small table of
# pins, and through a full connection tracking table. Connections that were
# there before the window, and those that began in it, keep their backends.
#
#	+----+ vcl   +----+ seg   +----------+     +----+
#	| cl |-------| gw |-------| sw (br0) |-----| b1 |  b2 to b4
#	+----+       +----+       +----------+     +----+
#
# The backends drop what is spoofed when it arrives: the gateway is attacked.

# shellcheck disable=SC2154,SC2317
# shellcheck source=selftests/winlib.sh
. "$(dirname "$0")/winlib.sh"
need_tools conns flood nft

RATE=${RATE:-100000}		# packets a second, if the machine has them
SECONDS_EACH=${SECONDS_EACH:-15}
BEFORE=${BEFORE:-200}		# connections older than the window
WITHIN=${WITHIN:-100}		# connections that begin in it

# spoofed KIND [ADDR]: a flood from 4 million addresses, in the background
spoofed()
{
	start "$cl" nice flood eth0 "$mac" 10.64.0.0 10 "${2:-$V4}" 80 "$1" \
		"$RATE" "$SECONDS_EACH" >"$WORK/flood"
}

flood_is_over()
{
	grep -q sent "$WORK/flood"
}

# flooded: rounds of all connections until the flood is over
flooded()
{
	while ! flood_is_over; do
		totals=$(conns_ask round)
	done
	totals=$(conns_ask round)
	cat "$WORK/losses"
	note "$1: $(cat "$WORK/flood")"
	note "$1: begun $(since web begun) adopted $(since web adopted)" \
		"evicted $(since web evicted) full $(since web full)"
	note "$1: $totals"
	equal 0 "$(total "$totals" resets)" resets
	equal 0 "$(total "$totals" moved)" moved
}

# note TEXT: shown at the end, whether the case passed or not
note()
{
	echo "$*" | tee -a "$WORK/notes"
}

# Half of the connections are of backends that drain; then new ones begin.
open_window()
{
	flush
	fr pins set size 1024
	ring web dr 4 4 bits 12 vnodes 64 window 300
	service tcp 4 web
	service tcp 4 web 81
	count_from web
	conns_hold "$V4" 80 "$BEFORE" 1000
	printf 'backend set b%d state drain\n' 1 2 |
		fr ring commit web >/dev/null
	conns_ask round >/dev/null
	at_least $((BEFORE / 4)) "$(since web adopted)" adopted
}

syn_flood()
{
	open_window
	hold "$cl" tcp "$V4" 81 "$WITHIN" 30000
	names=$(ask 0)
	spoofed syn
	flooded "SYN flood"
	at_least 1000 "$(since web full)" full
	equal "$names" "$(ask 0)" "servers of what began in the window"
	served_still
}

# Older connections, as far as anybody can tell: pins of such ones would be
# made for all of them.
ack_flood()
{
	open_window
	hold "$cl" tcp "$V4" 81 "$WITHIN" 30000
	names=$(ask 0)
	spoofed ack
	flooded "ACK flood"
	# none of those is known to live, so they push out each other
	at_least 1000 $(($(since web full) + $(since web evicted))) \
		"full and evicted"
	equal "$names" "$(ask 0)" "servers of what began in the window"
	served_still
}

# New connections get through as well, to whomever: without room for a pin,
# they begin with the remembered owner.
served_still()
{
	peer "$cl" many tcp "$V4" 81 20 31000 >"$WORK/did"
	equal 20 "$(wc -l <"$WORK/did")" "new connections"
}

# D9, its stateless part: what conntrack has no room for does not concern dr.
full_conntrack()
{
	local max

	max=$(sysctl -n net.netfilter.nf_conntrack_max)
	in_ns "$gw" nft -f - <<-END
	table inet t {
		chain c { type filter hook prerouting priority 0;
			ct state invalid counter
		}
	}
	END
	open_window
	sysctl -qw net.netfilter.nf_conntrack_max=1000
	# to the gateway itself, where nothing is steered
	spoofed syn "$G4"
	slowwait 10 conntrack_is_full
	flooded "conntrack full"
	# and to the service, of which conntrack sees nothing
	in_ns "$gw" conntrack -F 2>/dev/null
	spoofed syn
	flooded "SYN flood past conntrack"
	in_ns "$gw" conntrack -L -d "$V4" >"$WORK/tracked" 2>/dev/null
	sysctl -qw net.netfilter.nf_conntrack_max="$max"
	in_ns "$gw" nft delete table inet t
	equal 0 "$(wc -l <"$WORK/tracked")" "tracked connections of the service"
	served_still
}

conntrack_is_full()
{
	[ "$(in_ns "$gw" conntrack -C)" -ge 990 ]
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
	conns_serve "${!ns}" "b$i"
done
serve_all 4 81
run_test "a SYN flood into a small table" syn_flood
run_test "an ACK flood into a small table" ack_flood
run_test "a full conntrack table does not concern dr" full_conntrack
sed 's/^/# /' "$WORK/notes"
finish
