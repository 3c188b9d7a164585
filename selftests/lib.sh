# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2317
#
# What the scripts beside it share; source it, do not run it.
#
#	. "$(dirname "$0")/lib.sh"
#	setup_nat 3			# or setup_dr 3, or setup_ns gw
#	run_test "name of the case" function [argument...]
#	finish
#
# A case is a function that runs in a subshell of its own, under errexit: the
# first command that fails ends it, and is shown with what the case printed.
# "skip REASON" ends it as skipped.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
KSRC=${FLOWRING_KSRC:-}
if [ ! -r "$KSRC/tools/testing/selftests/net/lib.sh" ]; then
	echo "1..0 # SKIP FLOWRING_KSRC: no kernel source; use selftests/vm/run.sh"
	exit 4
fi
# shellcheck source=/dev/null
. "$KSRC/tools/testing/selftests/net/lib.sh"
# shellcheck source=/dev/null
. "$KSRC/tools/testing/selftests/kselftest/ktap_helpers.sh"

PEER=$HERE/peer.py
# The system's own, which is where Debian's packages put their modules
PYTHON=/usr/bin/python3
WORK=$(mktemp -d)
SERVERS=()

# The service addresses, the client's, the gateway's beside it. Backend number
# I has backend4 I and backend6 I.
V4=198.51.100.10 V6=2001:db8:f::10
C4=192.0.2.2 C6=2001:db8:c::2
G4=192.0.2.1 G6=2001:db8:c::1

# A fixed hash key: a run repeats the last one
KEY=000102030405060708090a0b0c0d0e0f

cleanup()
{
	trap - EXIT
	[ "${#SERVERS[@]}" -eq 0 ] || kill -9 "${SERVERS[@]}" 2>/dev/null
	cleanup_all_ns
	rm -rf "$WORK"
}
trap cleanup EXIT

# skip_all REASON: leave before any case ran.
skip_all()
{
	ktap_skip_all "$*"
	exit 4
}

# bail MESSAGE: the surroundings of the cases cannot be made.
bail()
{
	echo "Bail out! $*"
	exit 1
}

need_tools()
{
	local tool

	for tool; do
		command -v "$tool" >/dev/null || skip_all "no $tool"
	done
}

need_tools ip jq flowring "$PYTHON"
modprobe flowring || bail "modprobe flowring failed"
ktap_print_header

# Commands in a namespace: the tool and programs of the gateway.
fr()
{
	flowring -n "$gw" "$@"
}

in_ns()
{
	local ns=$1

	shift
	ip netns exec "$ns" "$@"
}

peer()
{
	local ns=$1

	shift
	ip netns exec "$ns" "$PYTHON" "$PEER" "$@"
}

# start NS COMMAND...: in the background, with $! the command's own
start()
{
	ip netns exec "$@" &
}

skip()
{
	echo "SKIP $*"
	exit 4
}

show_failed()
{
	local status=$? frame=0 where=''

	while [ "${FUNCNAME[frame + 1]:-}" ]; do
		case ${FUNCNAME[frame + 1]} in
		one_case)	break ;;
		esac
		where+=" ${FUNCNAME[frame + 1]}:${BASH_LINENO[frame]}"
		frame=$((frame + 1))
	done
	echo "failed, status $status: $BASH_COMMAND (in$where)" >&9
}

end_case()
{
	local status=$?

	trap - ERR
	set +e
	jobs -p | xargs -r kill 2>/dev/null
	exit $status
}

one_case()
{
	trap end_case EXIT
	trap show_failed ERR
	exec 9>&1
	set -eE -o pipefail
	shopt -s inherit_errexit
	"$@"
}

# run_test NAME FUNCTION [ARG...]; CASES, a pattern, selects some by name.
run_test()
{
	local name=$1 rc

	[[ $name =~ ${CASES:-} ]] || return 0
	shift
	(one_case "$@") >"$WORK/case" 2>&1
	rc=$?
	case $rc in
	0)	ktap_test_pass "$name" ;;
	4)	ktap_test_skip "$name"
		sed 's/^/# /' "$WORK/case" ;;
	*)	ktap_test_fail "$name"
		tail -n 40 "$WORK/case" | sed 's/^/# /' ;;
	esac
	[ "$rc" -ne 0 ] || [ -z "${VERBOSE:-}" ] ||
		sed 's/^/# /' "$WORK/case"
}

# The plan comes last: nobody has to count the cases.
finish()
{
	echo "1..$((KTAP_TESTNO - 1))"
	ktap_print_totals
	[ "$KTAP_CNT_FAIL" -eq 0 ] || exit 1
	[ "$KTAP_CNT_PASS" -gt 0 ] || exit 4
	exit 0
}

# refused TEXT COMMAND...: the command has to fail with status 2, and TEXT has
# to be in its message.
refused()
{
	local text=$1 out rc=0

	shift
	out=$("$@" 2>&1) || rc=$?
	echo "$out"
	if [ "$rc" -ne 2 ]; then
		echo "status $rc in place of 2: $*"
		return 1
	fi
	if [[ $out != *"$text"* ]]; then
		echo "no '$text' in that message"
		return 1
	fi
}

# equal WANTED GOT [WHAT]
equal()
{
	[ "$1" = "$2" ] && return
	echo "${3:-value}: '$2' in place of '$1'"
	return 1
}

# at_least WANTED GOT [WHAT]
at_least()
{
	[ "$2" -ge "$1" ] && return
	echo "${3:-value}: $2, which is below $1"
	return 1
}

# fails COMMAND...: for use under errexit, where "! command" says nothing.
fails()
{
	if "$@"; then
		echo "did not fail: $*"
		return 1
	fi
}

backend4() { echo "203.0.113.$(($1 * 16 + 1))"; }
backend6() { echo "2001:db8:b:$1::1"; }
dr4() { echo "203.0.113.$1"; }
dr6() { echo "2001:db8:b::$1"; }

# vip 4|6, client 4|6, backend_addr nat|dr 4|6 NUMBER
vip() { local v=V$1; echo "${!v}"; }
client() { local v=C$1; echo "${!v}"; }
backend_addr()
{
	case $1$2 in
	nat4)	backend4 "$3" ;;
	nat6)	backend6 "$3" ;;
	dr4)	dr4 "$3" ;;
	dr6)	dr6 "$3" ;;
	esac
}

prepare_ns()
{
	local ns

	for ns; do
		in_ns "$ns" sysctl -qw net.ipv6.conf.all.accept_dad=0 \
			net.ipv6.conf.default.accept_dad=0 \
			net.ipv4.conf.all.rp_filter=0 \
			net.ipv4.conf.default.rp_filter=0 || return
	done
}

# link NS1 DEV1 NS2 DEV2: a pair of devices, both up.
link()
{
	ip -n "$1" link add "$2" type veth peer name "$4" netns "$3" &&
		ip -n "$1" link set "$2" up &&
		ip -n "$3" link set "$4" up
}

# addr NS DEV ADDRESS...
addr()
{
	local ns=$1 dev=$2 a

	shift 2
	for a; do
		case $a in
		*:*)	ip -n "$ns" addr add "$a" dev "$dev" nodad ;;
		*)	ip -n "$ns" addr add "$a" dev "$dev" ;;
		esac || return
	done
}

# default_route NS GATEWAY4 GATEWAY6
default_route()
{
	ip -n "$1" route add default via "$2" &&
		ip -n "$1" -6 route add default via "$3"
}

setup_gateway()
{
	setup_ns cl gw && prepare_ns "$cl" "$gw" &&
		in_ns "$gw" sysctl -qw net.ipv4.ip_forward=1 \
			net.ipv6.conf.all.forwarding=1 \
			net.ipv4.icmp_ratelimit=0 net.ipv6.icmp.ratelimit=0 &&
		link "$gw" vcl "$cl" eth0 &&
		addr "$gw" vcl $G4/24 $G6/64 &&
		addr "$cl" eth0 $C4/24 $C6/64 &&
		default_route "$cl" $G4 $G6
}

#	+----+ vcl   +----+ v1    eth0 +----+ backend4 1/28, backend6 1/64
#	| cl |-------| gw |------------| b1 |
#	+----+ .1    +----+ v2    eth0 +----+
#	C4, C6         |---------------| b2 |  and so on
#
# setup_nat N: every backend is in a network of its own, with the gateway, .14
# and ::fe there, as its router.
setup_nat()
{
	local i

	setup_gateway || bail "no gateway"
	for ((i = 1; i <= $1; i++)); do
		setup_nat_backend "$i" || bail "no backend $i"
	done
}

setup_nat_backend()
{
	local i=$1 ns=b$1

	setup_ns "$ns" && ns=${!ns} && prepare_ns "$ns" &&
		link "$gw" "v$i" "$ns" eth0 &&
		addr "$gw" "v$i" "203.0.113.$((i * 16 + 14))/28" \
			"2001:db8:b:$i::fe/64" &&
		addr "$ns" eth0 "$(backend4 "$i")/28" "$(backend6 "$i")/64" &&
		default_route "$ns" "203.0.113.$((i * 16 + 14))" \
			"2001:db8:b:$i::fe"
}

#	C4, C6
#	+----+ vcl   +----+ seg   +----------+  eth0 +----+ V4, V6 on lo
#	| cl |-------| gw |-------| sw (br0) |-------| b1 | dr4 1, dr6 1
#	+----+ .1    +----+ .254  |          |       +----+
#	  | seg                   |          |-------| b2 |  and so on
#	  +-----------------------+          |
#	   .253                   +----------+
#
# The gateway has a route to V, as its own packets would not get to the hooks
# without one. Nobody answers to ARP for V, so that it leads nowhere.
#
# setup_dr N: the backends share a segment with the gateway. They answer to
# the client directly, past the gateway.
setup_dr()
{
	local i

	setup_segment || bail "no segment"
	for ((i = 1; i <= $1; i++)); do
		setup_dr_backend "$i" || bail "no backend $i"
	done
}

setup_segment()
{
	setup_gateway && setup_ns sw && prepare_ns "$sw" &&
		ip -n "$sw" link add br0 type bridge &&
		ip -n "$sw" link set br0 up &&
		segment "$gw" seg gw && segment "$cl" seg cl &&
		addr "$gw" seg 203.0.113.254/24 2001:db8:b::fe/64 &&
		addr "$cl" seg 203.0.113.253/24 2001:db8:b::fd/64 &&
		ip -n "$gw" route add $V4 dev seg &&
		ip -n "$gw" -6 route add $V6 dev seg
}

setup_dr_backend()
{
	local i=$1 ns=b$1

	setup_ns "$ns" && ns=${!ns} && prepare_ns "$ns" &&
		segment "$ns" eth0 "b$i" &&
		in_ns "$ns" sysctl -qw net.ipv4.conf.all.arp_ignore=1 \
			net.ipv4.conf.all.arp_announce=2 &&
		addr "$ns" eth0 "$(dr4 "$i")/24" "$(dr6 "$i")/64" &&
		addr "$ns" lo $V4/32 $V6/128 &&
		default_route "$ns" 203.0.113.253 2001:db8:b::fd
}

# segment NS DEV PORT: connect a namespace to the bridge of sw.
segment()
{
	link "$sw" "$3" "$1" "$2" && ip -n "$sw" link set "$3" master br0
}

# serve NS NAME PORT...: a server for TCP and UDP, IPv4 and IPv6, that answers
# with its name; returns when it listens.
serve()
{
	local ns=$1 name=$2

	shift 2
	: >"$WORK/serve.$name"
	ip netns exec "$ns" "$PYTHON" "$PEER" serve "$name" "$@" \
		>"$WORK/serve.$name" 2>&1 &
	SERVERS+=($!)
	disown
	slowwait 30 grep -q ready "$WORK/serve.$name" ||
		bail "no server $name: $(cat "$WORK/serve.$name")"
}

# serve_all N PORT...: one on each backend, named as it is.
serve_all()
{
	local i ns

	for ((i = 1; i <= $1; i++)); do
		ns=b$i
		serve "${!ns}" "b$i" "${@:2}"
	done
}

# flush: no services, no rings, no connections.
flush()
{
	fr save commands | awk '$1 == "service" {
			sub("service add", "service del")
			sub(" (ring|action) .*", "")
			print
		}
		$1 == "ring" { ring[++n] = "ring del " $3 }
		END { while (n) print ring[n--] }' | fr -b -
	in_ns "$gw" conntrack -F 2>/dev/null || :
}

# ring NAME nat|dr 4|6 N [RING-OPTION...]: a ring with the backends b1 to bN,
# which nat sends to port 8080.
ring()
{
	local name=$1 mode=$2 family=$3 n=$4 i port=''

	shift 4
	[ "$mode" = dr ] || port='port 8080'
	{
		echo "ring add $name key $KEY $*"
		for ((i = 1; i <= n; i++)); do
			echo "backend add $name b$i mode $mode addr" \
				"$(backend_addr "$mode" "$family" "$i") $port"
		done
	} | fr -b -
}

# service PROTO 4|6 RING [PORT]
service()
{
	fr service add "$1" "$(vip "$2")" port "${4:-80}" ring "$3"
}

# both nat|dr N [RING-OPTION...]: rings web4 and web6, TCP and UDP port 80.
both()
{
	local f p

	flush
	for f in 4 6; do
		ring "web$f" "$1" "$f" "${@:2}"
		for p in tcp udp; do
			service $p $f web$f
		done
	done
}

# service_stat PROTO 4|6 COUNTER [PORT], backend_stat RING NAME COUNTER
service_stat()
{
	fr -j -s service show "$1" "$(vip "$2")" port "${4:-80}" |
		jq -e ".[0].stats.\"$3\""
}

backend_stat()
{
	fr -j -s backend show "$1" "$2" | jq -e ".[0].stats.\"$3\""
}

# lookups PROTO 4|6 FIRST COUNT: lines "PORT BACKEND" for source ports of the
# client, from FIRST on.
lookups()
{
	local i c v

	c=$(client "$2") v=$(vip "$2")
	for ((i = $3; i < $3 + $4; i++)); do
		echo "lookup $1 $c $i $v 80"
	done | fr -j -b - | jq -r '.[] | "\(.sport) \(.backend // "-")"'
}

# sport_to PROTO 4|6 BACKEND [FIRST]: a source port that goes to a backend.
sport_to()
{
	lookups "$1" "$2" "${4:-20000}" 64 |
		awk -v b="$3" '$2 == b && !found { print $1; found = 1 }
			END { exit !found }'
}

# distinct: the words of the second column, in order, each once.
distinct()
{
	awk '{ print $2 }' | sort -u | xargs
}

# hold NS ARG...: "peer.py hold" in the background. ask COMMAND... has it do
# something and prints the answer.
hold()
{
	local ns=$1

	shift
	coproc HOLD {
		exec ip netns exec "$ns" "$PYTHON" "$PEER" hold "$@" 2>&1
	}
	expect_line ready >/dev/null
}

expect_line()
{
	local line

	read -r -t 60 -u "${HOLD[0]}" line || return
	echo "$line"
	[[ $line == "$1"* ]]
}

# ask SECONDS: exchange data for that long over all that is held.
ask()
{
	echo "$*" >&"${HOLD[1]}"
	expect_line ok
}
