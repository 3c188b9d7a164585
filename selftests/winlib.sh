# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154,SC2317
#
# What the tests of windows and pins share; source it, do not run it.

# shellcheck source=selftests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

PACKETS=$HERE/packets.py

# A client that does not exist, so that nobody answers for it
N4=192.0.2.77 N6=2001:db8:c::77

nobody() { local v=N$1; echo "${!v}"; }

# win RING FIELD: of the window, 0 for what is absent; wstat RING COUNTER
win()
{
	fr -j ring show "$1" | jq -r ".[0].\"window-info\".\"$2\" // 0"
}

wstat()
{
	fr -j -s ring show "$1" | jq ".[0].\"window-stats\".\"$2\" // 0"
}

# pins FIELD: of the table
pins()
{
	fr -j pins show | jq -e ".[0].\"$1\""
}

# progress RING BACKEND FIELD: what it still has
progress()
{
	fr -j -s backend show "$1" "$2" | jq -e ".[0].\"$3\""
}

is_state()
{
	[ "$(win "$1" state)" = "$2" ]
}

# wait_state RING STATE [SECONDS]
wait_state()
{
	slowwait "${3:-30}" is_state "$1" "$2" && return
	echo "ring $1 is not $2:"
	fr -s ring show "$1"
	return 1
}

# close_all RING...: have their windows closed and all pins gone
close_all()
{
	local ring

	for ring; do
		is_state "$ring" open && fr window close "$ring"
		wait_state "$ring" steady
	done
}

# count_from RING: note its counters; counted RING NAME=DIFFERENCE...: since then
count_from()
{
	fr -j -s ring show "$1" >"$WORK/counters.$1"
}

since()
{
	local now

	now=$(fr -j -s ring show "$1")
	jq --argjson now "$now" --arg c "$2" \
		'($now[0]."window-stats"[$c] // 0) -
			(.[0]."window-stats"[$c] // 0)' "$WORK/counters.$1"
}

counted()
{
	local ring=$1 word

	shift
	for word; do
		equal "${word#*=}" "$(since "$ring" "${word%=*}")" \
			"${word%=*} of $ring"
	done
}

# packet NS ARG...: packets.py there
packet()
{
	local ns=$1

	shift
	ip netns exec "$ns" "$PYTHON" "$PACKETS" "$@"
}

# tcp FAMILY PORTS FLAGS...: segments of nobody's to the service
tcp()
{
	local f=$1 sports=$2

	shift 2
	packet "$cl" tcp "$(nobody "$f")" "$sports" "$(vip "$f")" 80 "$@"
}

udp()
{
	packet "$cl" udp "$(nobody "$1")" "$2" "$(vip "$1")" 80
}

# nobody_to FAMILY BACKEND [FIRST [PROTO]]: a port of nobody's that goes there
nobody_to()
{
	local i

	for ((i = ${3:-40000}; i < ${3:-40000} + 64; i++)); do
		echo "lookup ${4:-tcp} $(nobody "$1") $i $(vip "$1") 80"
	done | fr -j -b - | jq -rs --arg b "$2" \
		'map(.[0] | select(.backend == $b)) | .[0].sport'
}

# watch N: see what comes to b1 to bN, from now to the end of the script
watch()
{
	local i ns list=()

	for ((i = 1; i <= $1; i++)); do
		ns=b$i
		list+=("${!ns}")
	done
	"$PYTHON" "$PACKETS" watch "${list[@]}" >"$WORK/watch" 2>&1 &
	SERVERS+=($!)
	disown
	slowwait 30 grep -q ready "$WORK/watch" ||
		bail "no watch: $(cat "$WORK/watch")"
}

# came TEXT: lines "BACKEND TEXT..." of what came since the last forget, in the
# order of its coming
came()
{
	local i=1 ns

	for ((i = 1; i < 20; i++)); do
		ns=b$i
		[ -z "${!ns:-}" ] || echo "s/^[0-9]* ${!ns} /b$i /p"
	done >"$WORK/names.sed"
	tail -n "+$(($(cat "$WORK/seen" 2>/dev/null || echo 1) + 1))" \
		"$WORK/watch" | sort -n | sed -nf "$WORK/names.sed" |
		grep -w -- "$1" || :
}

forget()
{
	wc -l <"$WORK/watch" >"$WORK/seen"
}

has_come()
{
	[ "$(came "$1" | wc -l)" -ge "$2" ]
}

# comes_to BACKENDS TEXT: wait for as many packets as there are words, then see
# that it were those, in that order, and no others
comes_to()
{
	local wanted=$1

	slowwait 10 has_come "$2" "$(wc -w <<<"$wanted")" || {
		echo "not come: $2"
		came "" | tail
		return 1
	}
	equal "$wanted" "$(came "$2" | awk '{ print $1 }' | xargs)" \
		"backends of $2"
}

# tcp_to BACKENDS FAMILY PORT FLAGS...: send, and see where all came out
tcp_to()
{
	local wanted=$1

	shift
	forget
	tcp "$@"
	comes_to "$wanted" "tcp $2"
}

# conns_serve NS NAME: a server for thousands, see conns.c; CONNS_SERVER has it
declare -A CONNS_SERVER
conns_serve()
{
	ip netns exec "$1" conns serve "$2" :: 80 >"$WORK/conns.$2" 2>&1 &
	CONNS_SERVER[$2]=$!
	SERVERS+=($!)
	disown
	slowwait 30 grep -q ready "$WORK/conns.$2" ||
		bail "no server $2: $(cat "$WORK/conns.$2")"
}

# conns_hold ARG...: "conns hold" of the client, with what it tells of losses in
# $WORK/losses. conns_ask COMMAND has it do something, and prints the answer.
conns_hold()
{
	coproc CONNS {
		exec ip netns exec "$cl" conns hold "$@" 2>"$WORK/losses"
	}
	conns_line ready >/dev/null
}

conns_line()
{
	local line

	read -r -t 120 -u "${CONNS[0]}" line || return
	echo "$line"
	[[ $line == "$1"* ]]
}

conns_ask()
{
	echo "$1" >&"${CONNS[1]}"
	conns_line ''
}

# total LINE NAME: a number of the totals
total()
{
	awk -v name="$2" '{ for (i = 1; i < NF; i += 2)
		if ($i == name) print $(i + 1) }' <<<"$1"
}
