#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 900
#
# Clients that the backends would answer to directly, past the gateway.
#
#	           +---------+ br0   +----+
#	+----+     | gw      |-------| b1 | .1, 8080
#	| cl |-----| V:80    |       +----+
#	+----+     |         |-------| b2 | .2, 8080
#	           |         |       +----+
#	           |         |-------| lc | .3, a client of the backends' network
#	           +---------+       +----+
#
# br0 of the gateway is 203.0.113.254/24 and 2001:db8:b::fe/64.

# shellcheck disable=SC2154,SC2317
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
need_tools conntrack

setup_bridge()
{
	setup_gateway && ip -n "$gw" link add br0 type bridge &&
		ip -n "$gw" link set br0 up &&
		addr "$gw" br0 203.0.113.254/24 2001:db8:b::fe/64 &&
		in_ns "$gw" sysctl -qw net.ipv4.conf.all.send_redirects=0 \
			net.ipv4.conf.default.send_redirects=0 \
			net.ipv4.conf.br0.send_redirects=0 &&
		port b1 1 && port b2 2 && port lc 3
}

# port NAME NUMBER: a host on the bridge
port()
{
	local ns=$1

	setup_ns "$ns" && ns=${!ns} && prepare_ns "$ns" &&
		link "$gw" "$1" "$ns" eth0 &&
		ip -n "$gw" link set "$1" master br0 &&
		addr "$ns" eth0 "$(dr4 "$2")/24" "$(dr6 "$2")/64" &&
		default_route "$ns" 203.0.113.254 2001:db8:b::fe
}

# nat backends are on one network here
backend_addr()
{
	case $2 in
	4)	dr4 "$3" ;;
	6)	dr6 "$3" ;;
	esac
}

gateway()
{
	[ "$1" = 4 ] && echo 203.0.113.254 || echo 2001:db8:b::fe
}

# seen_as NS FAMILY ADDRESS [FIRST]: flows from there are served by both, which see
# that address, of the gateway.
seen_as()
{
	local p

	for p in tcp udp; do
		peer "$1" many "$p" "$(vip "$2")" 80 30 "${4:-37000}" >"$WORK/did"
		cat "$WORK/did"
		equal 30 "$(wc -l <"$WORK/did")" flows
		equal "b1 b2" "$(distinct <"$WORK/did")" servers
		equal "$3" "$(awk '{ print $3 }' "$WORK/did" | sort -u |
			xargs)" "client's address"
	done
}

same_network()
{
	seen_as "$lc" "$1" "$(gateway "$1")"
	peer "$lc" bulk "$(vip "$1")" 80 1000000
}

own_client()
{
	seen_as "$b1" "$1" "$(gateway "$1")"
	peer "$b1" bulk "$(vip "$1")" 80 1000000
}

# A client from elsewhere gets an address of the gateway, too.
far_client()
{
	seen_as "$cl" "$1" "$(gateway "$1")"
}

# The same port of two clients at once: the gateway has to tell them apart.
same_port()
{
	local f=$1

	hold "$lc" udp "$(vip "$f")" 80 20 38000
	ask 0.1
	peer "$b1" many udp "$(vip "$f")" 80 20 38000
	ask 0.1
}

# Off, and the gateway only routes: a backend answers to the client past the
# gateway, with its own address, and the client does not know it.
off_fails()
{
	local f=$1 p

	for p in tcp udp; do
		peer "$lc" try "$p" "$(vip "$f")" 80 0 3 >"$WORK/try"
		cat "$WORK/try"
		fails grep -q served "$WORK/try"
	done
	# clients from elsewhere are served, and seen as they are
	seen_as "$cl" "$f" "$(client "$f")"
}

# The option changes new flows, existing ones stay as they are.
switched()
{
	local f=$1 names

	hold "$cl" tcp "$(vip "$f")" 80 10 39000
	names=$(ask 0.1)
	fr ring set "web$f" masquerade on
	equal "$names" "$(ask 0.2)" servers
	# other ports than before: what still exists would stay as it is
	seen_as "$cl" "$f" "$(gateway "$f")" 43000
	fr ring set "web$f" masquerade off
	equal "$names" "$(ask 0.2)" servers
	seen_as "$cl" "$f" "$(client "$f")" 44000
}

all_on()
{
	local f

	both nat 2 masquerade on
	for f in 4 6; do
		run_test "$1, IPv$f: client in the backends' network" \
			same_network $f
		run_test "$1, IPv$f: a backend as its own client" own_client $f
		run_test "$1, IPv$f: client from elsewhere" far_client $f
		run_test "$1, IPv$f: one source port of two clients" \
			same_port $f
	done
}

# bridge_nf 0|1: whether what the bridge carries passes netfilter
bridge_nf()
{
	in_ns "$gw" sysctl -w "net.bridge.bridge-nf-call-iptables=$1" \
		"net.bridge.bridge-nf-call-ip6tables=$1"
}

# It translates within the bridge, which does not send a frame back to where it
# came from unless told so.
bridge_nf_on()
{
	modprobe br_netfilter || skip "no br_netfilter"
	bridge_nf 1
	ip -n "$gw" link set b1 type bridge_slave hairpin on
	ip -n "$gw" link set b2 type bridge_slave hairpin on
}

setup_bridge || bail "no network"
serve "$b1" b1 8080
serve "$b2" b2 8080
[ ! -d /proc/sys/net/bridge ] || bridge_nf 0

all_on "masquerade on"
both nat 2
for f in 4 6; do
	run_test "masquerade off, IPv$f: only clients from elsewhere" \
		off_fails $f
	run_test "masquerade, IPv$f: switched for new flows only" switched $f
done
run_test "br_netfilter" bridge_nf_on
[ ! -d /proc/sys/net/bridge ] || all_on "br_netfilter, masquerade on"
finish
