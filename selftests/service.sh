#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 600
#
# Services of port ranges, all ports, networks, any protocol and marks, and
# their actions. Each ring has one backend, so who answers tells which service
# has got the packet.
#
#	+----+ vcl   +----+ seg   +----------+     +----+
#	| cl |-------| gw |-------| sw (br0) |-----| b1 |  b2, b3
#	+----+       +----+       +----------+     +----+
#
# The backends have all of N4, 198.51.100.0/24, and N6, 2001:db8:f::/64, on lo;
# the gateway has one address of each, .200 and ::200.

# shellcheck disable=SC2154,SC2317
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
need_tools conntrack nft

N4=198.51.100.0/24 N6=2001:db8:f::/64
# shellcheck disable=SC2034
O4=198.51.100.20 O6=2001:db8:f::20
G4OWN=198.51.100.200 G6OWN=2001:db8:f::200

net() { local v=N$1; echo "${!v}"; }
other() { local v=O$1; echo "${!v}"; }
own() { local v=G${1}OWN; echo "${!v}"; }

# rings dr|nat FAMILY [PORT]: r1 to r3 with b1 to b3
rings()
{
	local i

	flush
	for i in 1 2 3; do
		echo "ring add r$i window off"
		echo "backend add r$i b$i mode $1 addr $(backend_addr dr "$2" "$i")" \
			"${3:+port $3}"
	done | fr -b -
}

# says WANTED PROTO ADDRESS PORT [MARK]: ring or action of a lookup
says()
{
	local saddr=$C4

	[[ $3 != *:* ]] || saddr=$C6
	echo "lookup $2 $saddr $4 $3 $4 ${5:+mark $5}" >>"$WORK/asked"
	echo "$1 $2 $3 $4 ${5:-}" >>"$WORK/wanted"
}

ask_all()
{
	fr -j -b "$WORK/asked" |
		jq -r '.[0] | .ring // .action // .verdict' >"$WORK/answers"
	cut -d' ' -f1 "$WORK/wanted" | diff - "$WORK/answers" ||
		{ cat -n "$WORK/wanted"; return 1; }
	rm "$WORK/asked" "$WORK/wanted"
}

# tried ADDRESS PORT [PROTO [TIMEOUT]]: who has served it, or what came of it
tried()
{
	peer "$cl" try "${3:-tcp}" "$1" "$2" 0 "${4:-5}" |
		awk '{ print $1 == "served" ? $2 : $1 }'
}

# All kinds at once, in an order that is not that of their rank
kinds()
{
	local f=$1 v n o bits

	rings dr "$f"
	v=$(vip "$f") n=$(net "$f") o=$(other "$f")
	fr -b - <<-END
	service add any $n action drop
	service add mark 0x10 ipv$f ring r3
	service add tcp $n port all ring r2
	service add tcp $v port all ring r3
	service add tcp $n port 8000-8099 ring r1
	service add tcp $n port 80 ring r3
	service add tcp $v port 8050-8099 ring r2
	service add tcp $v port 80 ring r1
	service add tcp $v port 1000-1999 action reject
	service add any $v ring r1
	service add udp $v port 53 action pass
	END
	says r1 tcp "$v" 80
	says reject tcp "$v" 1000
	says reject tcp "$v" 1999
	says r3 tcp "$v" 999
	says r3 tcp "$v" 2000
	says r3 tcp "$v" 8049
	says r2 tcp "$v" 8050
	says r2 tcp "$v" 8099
	says r3 tcp "$v" 65535
	says pass udp "$v" 53
	says r1 udp "$v" 54
	says r1 47 "$v" 0
	says r3 tcp "$o" 80
	says r2 tcp "$o" 81
	says r1 tcp "$o" 8000
	says r2 tcp "$o" 8100
	says drop udp "$o" 53
	says drop 132 "$o" 0
	# marks come last
	says r1 tcp "$v" 80 0x10
	case $f in
	4)	says r3 tcp 192.0.2.99 80 0x10 ;;
	6)	says r3 tcp 2001:db8:c::99 80 0x10 ;;
	esac
	[ "$f" = 4 ] || says no-service tcp 192.0.2.99 80 0x10
	says no-service tcp 203.0.113.99 80 0x11
	ask_all

	# a longer prefix that is in between
	bits=25
	[ "$f" = 4 ] || bits=96
	fr service add tcp "${n%/*}/$bits" port all action reject
	says reject tcp "$o" 80
	says r1 tcp "$v" 80
	ask_all
	# what goes leaves the next one to be found
	fr service del tcp "${n%/*}/$bits" port all
	fr service del tcp "$v" port 8050-8099
	fr service del tcp "$v" port all
	says r3 tcp "$o" 80
	says r1 tcp "$v" 8050
	says reject tcp "$v" 1500
	says r1 tcp "$v" 999
	ask_all
}

# Who answers the client
connections()
{
	local f=$1 v o

	rings dr "$f"
	v=$(vip "$f") o=$(other "$f")
	fr service add tcp "$v" port 80 ring r1
	fr service add tcp "$v" port 8000-8099 ring r2
	fr service add tcp "$(net "$f")" port all ring r3
	fr service add any "$(net "$f")" ring r2
	equal b1 "$(tried "$v" 80)" "one port"
	equal b2 "$(tried "$v" 8000)" "first of a range"
	equal b2 "$(tried "$v" 8099)" "last of a range"
	equal b3 "$(tried "$v" 8100)" "behind the range"
	equal b3 "$(tried "$o" 80)" "a network"
	equal b2 "$(tried "$v" 80 udp)" "any protocol"
	in_ns "$cl" ping -c 1 -W 5 "$o"
	equal 2 "$(fr -j -s service show any "$(net "$f")" |
		jq '.[0].stats.packets')" "datagram and echo"
	# an error about the datagram of any protocol
	peer "$cl" try udp "$v" 9 0 5 | tee "$WORK/try"
	grep -q refused "$WORK/try"
}

actions()
{
	local f=$1 o own

	rings dr "$f"
	own=$(own "$f") o=$(other "$f")
	fr service add any "$(net "$f")" ring r1
	fr service add tcp "$o" port 80 action drop
	fr service add tcp "$o" port 8000-8099 action reject
	fr service add udp "$o" port all action reject
	fr service add any "$own" action pass
	equal timeout "$(tried "$o" 80 tcp 2)" drop
	equal refused "$(tried "$o" 8000)" "reject, TCP"
	equal refused "$(tried "$o" 80 udp)" "reject, UDP"
	equal b1 "$(tried "$o" 8100)" "beside them"
	equal gw "$(tried "$own" 80)" pass
	at_least 1 "$(fr -j -s service show tcp "$o" port 80 |
		jq '.[0].stats.denied')" denied
	at_least 1 "$(fr -j -s service show udp "$o" port all |
		jq '.[0].stats.denied')" denied
	at_least 1 "$(fr -j -s service show any "$own" |
		jq '.[0].stats.packets')" passed
	# from an action to a ring, and back
	fr service set tcp "$o" port 80 ring r2
	equal b2 "$(tried "$o" 80)" "a ring now"
	fr service set tcp "$o" port 80 action reject
	equal refused "$(tried "$o" 80)" "an action again"
	equal 1 "$(fr -j ring show r1 | jq '.[0].services')" "services of r1"
	equal 0 "$(fr -j ring show r2 | jq '.[0].services')" "services of r2"
}

marks()
{
	local f=$1

	rings dr "$f"
	fr service add mark 0x21 "ipv$f" ring r1
	fr service add mark 0x22 "ipv$f" ring r2
	in_ns "$gw" nft -f - <<-END
	table inet t {
		chain c {
			type filter hook prerouting priority raw;
			iifname vcl tcp dport 80 meta mark set 0x21
			iifname vcl udp dport 80 meta mark set 0x22
		}
	}
	END
	equal "b1 b2" "$(tried "$(other "$f")" 80) $(tried "$(vip "$f")" 80 udp)"
	in_ns "$gw" nft delete table inet t
	ring n nat "$f" 1
	refused "cannot have nat" fr service add mark 0x23 "ipv$f" ring n
	refused "cannot have nat" fr service set mark 0x22 "ipv$f" ring n
	fr ring add empty
	fr service add mark 0x23 "ipv$f" ring empty
	refused "cannot have nat" fr backend add empty b1 mode nat \
		addr "$(backend_addr dr "$f" 1)"
}

# The port stays where the backend has none of its own; echos, too. The flows
# of a service end with it, and those of one inside it do not.
translated()
{
	local f=$1 v o in out line

	rings nat "$f"
	v=$(vip "$f") o=$(other "$f")
	fr service add tcp "$v" port 8000-8099 ring r1
	fr service add any "$(net "$f")" ring r2
	equal b1 "$(tried "$v" 8050)" "a range"
	peer "$cl" try tcp "$v" 8050 0 5 | grep -q " 8050 "
	equal b2 "$(tried "$v" 8100)" "any protocol"
	in_ns "$cl" ping -c 1 -W 5 "$o"
	hold "$cl" tcp "$v" 8050 1 35000
	exec {in}<&"${HOLD[0]}" {out}>&"${HOLD[1]}"
	hold "$cl" tcp "$o" 8050 1 35001
	fr service add tcp "$o" port all ring r3
	equal "ok b2" "$(ask 0)" "of the wider service still"
	fr service del any "$(net "$f")"
	equal 1 "$(in_ns "$gw" conntrack -L -d "$v" -p tcp --dport 8050 \
		--state ESTABLISHED 2>/dev/null | grep -c sport=35000)"
	echo 0 >&"$out"
	read -r -t 20 -u "$in" line
	equal "ok b1" "$line" "of the range"
}

refusals()
{
	local v=$V4

	rings dr 4
	fr service add tcp "$v" port 8000-8099 ring r1
	refused "ports overlap" fr service add tcp "$v" port 8099-8100 ring r1
	refused "ports overlap" fr service add tcp "$v" port 7000-9000 ring r1
	refused "exists" fr service add tcp "$v" port 8000-8099 ring r2
	fr service add tcp "$v" port 8100-8101 ring r1
	fr service add udp "$v" port 8099-8100 ring r1
	fr service add tcp "$N4" port 8099-8100 ring r1
	fr service add tcp "$v" port 8050 ring r2
	refused "bits behind the prefix" fr service add tcp "$v"/24 port 80 ring r1
	refused "no such service" fr service del tcp "$v" port 8000-8098
	refused "no such service" fr service del tcp "$v" port all
	refused "no such service" fr service del mark 7 ipv4
	equal 5 "$(fr -j service show | jq length)" services
}

# What is saved makes the same again, in both forms
saved()
{
	rings dr 4
	fr -b - <<-END
	service add any $N4 action drop
	service add any $V4 ring r1
	service add mark 0x10 ipv4 ring r3
	service add mark 0x10 ipv6 action pass
	service add tcp $V4 port 80 ring r1
	service add tcp $V4 port 1000-1999 action reject owner me
	service add tcp $V4 port all ring r3
	service add udp $N4 port 8000-8099 ring r1
	END
	fr save >"$WORK/doc"
	fr save commands >"$WORK/commands"
	flush
	fr -b "$WORK/commands"
	fr save | diff "$WORK/doc" -
	flush
	fr apply "$WORK/doc"
	fr save commands | diff "$WORK/commands" -
	fr apply "$WORK/doc" >"$WORK/again"
	equal 0 "$(grep -c add "$WORK/again")" "changes when applied again"
	jq '(.services[] | select(.port == "all")) |= (del(.ring) +
		{ action: "drop" })' "$WORK/doc" >"$WORK/doc2"
	fr apply "$WORK/doc2"
	equal drop "$(fr -j service show tcp "$V4" port all | jq -r '.[0].action')"
}

# However many there are, and whatever was deleted in between
ranges()
{
	local i

	rings dr 4
	for ((i = 0; i < 400; i++)); do
		echo "service add tcp $V4 port $((1000 + i * 10))-$((1000 + i * 10 + 5))" \
			"ring r$((i % 3 + 1))"
	done | shuf --random-source=<(yes) | fr -b -
	for ((i = 0; i < 400; i += 7)); do
		echo "service del tcp $V4 port $((1000 + i * 10))-$((1000 + i * 10 + 5))"
	done | fr -b -
	for ((i = 0; i < 400; i++)); do
		if ((i % 7)); then
			says "r$((i % 3 + 1))" tcp "$V4" $((1000 + i * 10))
			says "r$((i % 3 + 1))" tcp "$V4" $((1000 + i * 10 + 5))
		else
			says no-service tcp "$V4" $((1000 + i * 10))
		fi
		says no-service tcp "$V4" $((1000 + i * 10 + 6))
	done
	ask_all
	# there is room where one was
	fr service add tcp "$V4" port 1000-1005 ring r2
	says r2 tcp "$V4" 1003
	ask_all
}

setup_dr 3
for i in 1 2 3; do
	ns=b$i
	ip -n "${!ns}" route add local "$N4" dev lo
	ip -n "${!ns}" -6 route add local $N6 dev lo
	# answers of nat go back by the gateway
	ip -n "${!ns}" rule add from 203.0.113.0/24 table 9
	ip -n "${!ns}" -6 rule add from 2001:db8:b::/64 table 9
	ip -n "${!ns}" route add "$C4" via 203.0.113.254 table 9
	ip -n "${!ns}" -6 route add "$C6" via 2001:db8:b::fe table 9
done
addr "$gw" lo $G4OWN/32 $G6OWN/128
serve_all 3 80 8000 8050 8099 8100
serve "$gw" gw 80
for f in 4 6; do
	run_test "IPv$f: the most specific one counts" kinds $f
	run_test "IPv$f: connections find it" connections $f
	run_test "IPv$f: drop, reject, pass" actions $f
	run_test "IPv$f: marks" marks $f
	run_test "IPv$f: nat" translated $f
done
run_test "what cannot be" refusals
run_test "saved and applied" saved
run_test "many ranges of one address" ranges
finish
