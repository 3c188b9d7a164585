#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The demo, inside the virtual machine: the namespace gw is the gateway,
# client makes the load, b1 to b5 are web servers. Steps, in order: see main.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=selftests/demo/lib.sh
. "$here/lib.sh"

# The chance share of one backend of N has a relative standard deviation of
# about 1/sqrt(vnodes), here 0.5%: what a random key gives stays within the
# 3% of this demo (six deviations), at the price of 4 bytes a slot and a
# rebuild of some 0.3 s on an emulated CPU.
OPTIONS=(bits 18 vnodes 32768)
LIMIT=3			# percent that the moved share may be off, relative
KEEPALIVE=60		# requests that nginx serves on a connection
KEEP=24 SHORT=4		# connections at a time, of each load generator
PHASE=8			# seconds
SAMPLE=1000		# flows of a family that are looked up one by one
DRAIN_LIMIT=90		# seconds

VIP4=192.0.2.10 VIP6=2001:db8:1::10
CLIENT4=198.51.100.7 CLIENT6=2001:db8:c::7
rings=(web4 web6)
loads=(web4-keep web4-short web6-keep web6-short)
declare -A load_name=([web4-keep]="IPv4, keep-alive" [web6-keep]="IPv6, keep-alive"
	[web4-short]="IPv4, short" [web6-short]="IPv6, short")
work=/run/demo
declare -A slots_of all requests base load_pid moved_of results
nginx_pids=()

while [ $# -gt 0 ]; do
	case $1 in
	--tty)	tty=1 ; shift ;;
	*)	fail "usage: guest.sh [--tty]" ;;
	esac
done
colours

# shellcheck source=selftests/demo/load.sh
. "$here/load.sh"

# slots PREFIX: sets slots_of[PREFIX.RING.bN] and all[RING]
slots()
{
	local ring name n

	all=()
	flowring -j backend show >"$work/slots" || fail "flowring backend show"
	while read -r ring name n; do
		slots_of["$1.$ring.$name"]=$n
		all["$ring"]=$((${all[$ring]:-0} + n))
	done < <(jq -r '.[] | "\(.ring) \(.name) \(.slots)"' "$work/slots")
	for ring in "${rings[@]}"; do
		[ "${all[$ring]:-0}" -gt 0 ] || fail "no slots in ring $ring"
	done
}

# shares NAME...: a bar for each backend, slots and requests since mark()
shares()
{
	local ring name n sum a b p

	count
	slots now
	settle
	for ring in "${rings[@]}"; do
		sum=0
		for name; do
			n=$((${requests[$ring.$name]} - ${base[$ring.$name]}))
			sum=$((sum + n))
		done
		printf '   %-4s  %-34s  %s\n' "$ring" "share of ${all[$ring]} slots" \
			"share of $sum requests"
		for name; do
			n=${slots_of[now.$ring.$name]:-0}
			bar "$n" "${all[$ring]}" ; a=$bar
			percent "$n" "${all[$ring]}" ; p=$percent
			n=$((${requests[$ring.$name]} - ${base[$ring.$name]}))
			bar "$n" "$sum" ; b=$bar
			percent "$n" "$sum"
			printf '   %-4s %7s %s%s%s   %7s %s%s%s\n' "$name" \
				"$p" "$green" "$a" "$reset" \
				"$percent" "$cyan" "${b%% *}" "$reset"
			[ "$n" -gt 0 ] || [ "${slots_of[now.$ring.$name]:-0}" -eq 0 ] ||
				fail "$ring: $name has slots but got no request"
		done
	done
}

# sample FILE: what the kernel says of the sampled flows: "ring backend hash"
sample()
{
	local i

	progress "asking the kernel where $((2 * SAMPLE)) sampled flows go"
	if [ ! -e "$work/flows" ]; then
		for ((i = 0; i < SAMPLE; i++)); do
			echo "lookup tcp $CLIENT4 $((20000 + i * 7)) $VIP4 80"
			echo "lookup tcp $CLIENT6 $((20000 + i * 7)) $VIP6 80"
		done >"$work/flows"
	fi
	flowring -j -b "$work/flows" |
		jq -r '.[] | "\(.ring) \(.backend) \(.hash)"' >"$1"
	[ "$(wc -l <"$1")" -eq $((2 * SAMPLE)) ] || fail "lookup of the sample"
}

# moved RING: from the slots, all of them; sets $verdict if it is too far off
moved()
{
	local ring=$1 name gain loss=0 off n

	gain=${slots_of[after.$ring.b5]}
	for name in b1 b2 b3 b4; do
		n=$((${slots_of[before.$ring.$name]} - ${slots_of[after.$ring.$name]}))
		[ "$n" -ge 0 ] || fail "$ring: $name gained $((-n)) slots"
		loss=$((loss + n))
	done
	[ "$loss" -eq "$gain" ] ||
		fail "$ring: the others lost $loss slots, b5 got $gain"
	# 5 gain / all - 1, in hundredths of a percent
	off=$(((5 * gain * 10000 + all[$ring] / 2) / all[$ring] - 10000))
	[ "$off" -ge 0 ] || off=$((-off))
	percent "$gain" "${all[$ring]}"
	printf -v n '%d.%02d' $((off / 100)) $((off % 100))
	moved_of[$ring]="$percent (ideal 20.00%, off by $n% of it, limit $LIMIT%)"
	[ "$off" -le $((LIMIT * 100)) ] ||
		verdict="$ring: the moved share is off by $n%"
}

# flows: the sample before and after, and the same flows by hash modulo
flows()
{
	local ring old hash new rest n=0 to=0 astray=0

	modulo=0
	while read -r ring old hash ring new rest; do
		n=$((n + 1))
		if [ "$new" != "$old" ]; then
			if [ "$new" = b5 ]; then
				to=$((to + 1))
			else
				astray=$((astray + 1))
			fi
		fi
		hash=$((16#${hash:2:12}))
		[ $((hash % 4)) -eq $((hash % 5)) ] || modulo=$((modulo + 1))
	done < <(paste -d ' ' "$work/before" "$work/after")
	percent "$to" "$n" ; sampled=$percent
	percent "$modulo" "$n" ; by_modulo=$percent
	[ "$astray" -eq 0 ] ||
		fail "$astray sampled flows moved between old backends"
	flows_text="$n sampled flows: $sampled moved, all to b5, 0 between others"
}

# compare: what moved, as bars
compare()
{
	local label part whole

	while read -r part whole label; do
		bar "$part" "$whole" 100 40
		percent "$part" "$whole"
		printf '   %-24s %7s %s%s%s\n' "$label" "$percent" \
			"$green" "${bar%% *}" "$reset"
	done <<-END
		${slots_of[after.web4.b5]} ${all[web4]} moved, slots of web4
		${slots_of[after.web6.b5]} ${all[web6]} moved, slots of web6
		1 5 ideal
		$modulo $((2 * SAMPLE)) hash modulo 4, then 5
	END
	note "The last line is of the sampled flows, by the kernel's own hashes."
}

# live N: connections that conntrack has for backend N and that are not over,
# in $live_flows
live()
{
	conntrack -L -f ipv4 -p tcp --reply-src "10.0.$1.1" \
		>"$work/flows4" 2>"$work/conntrack" ||
		fail "conntrack: $(cat "$work/conntrack")"
	conntrack -L -f ipv6 -p tcp --reply-src "2001:db8:b$1::1" \
		>"$work/flows6" 2>"$work/conntrack" ||
		fail "conntrack: $(cat "$work/conntrack")"
	live_flows=$(cat "$work"/flows[46] | grep -cvE ' (TIME_WAIT|CLOSE) ') ||
		true
}

# New flows that b2 has got so far, in both rings, in $new_flows
flows_of_b2()
{
	flowring -j -s backend show >"$work/stats" ||
		fail "flowring -s backend show"
	new_flows=$(jq '[.[] | select(.name == "b2") | .. | .flows? // empty] |
		add' "$work/stats")
}

drain()
{
	local start first old zero=0

	live 2
	first=$live_flows
	start=$SECONDS
	typed flowring backend set web4 b2 state drain
	typed flowring backend set web6 b2 state drain
	flows_of_b2
	old=$new_flows
	live 2
	while [ "$zero" -lt 2 ]; do
		[ $((SECONDS - start)) -lt "$DRAIN_LIMIT" ] ||
			fail "b2 still has $live_flows live connections after $DRAIN_LIMIT s"
		progress "b2 drains: $live_flows live connections," \
			"$((SECONDS - start)) s"
		sleep 0.5
		load_alive
		live 2
		zero=$((live_flows ? 0 : zero + 1))
	done
	flows_of_b2
	[ "$new_flows" -eq "$old" ] ||
		fail "b2 got $((new_flows - old)) new flows while it drained"
	note "b2 had $first live connections before. It got no new ones, and all came" \
		"to their own end within $((SECONDS - start)) s: none is left to cut."
	typed flowring backend del web4 b2
	typed flowring backend del web6 b2
}

summary()
{
	local name ring

	title "Summary"
	count
	printf '   %-18s %8d requests\n' "nginx, all" "$total"
	printf '   %-18s %8d requests\n' "wrk, all" "$done_requests"
	[ "$total" -ge "$done_requests" ] ||
		verdict="wrk counts more requests than the servers"
	for name in "${loads[@]}"; do
		printf '   %-18s %8d requests\n' "${load_name[$name]}" \
			"${results[$name]}"
	done
	for ring in "${rings[@]}"; do
		printf 'moved share %s: %s\n' "$ring" "${moved_of[$ring]}"
	done
	printf 'hash modulo would have moved: %s of the flows\n' "$by_modulo"
	[ "$failed" -eq 0 ] || verdict="$failed requests failed"
	printf '%sfailed requests: %d%s\n' "$bold" "$failed" "$reset"
	[ -z "$verdict" ] || fail "$verdict"
}

main()
{
	local n ring

	title "A gateway, a client and five web servers, each in a namespace"
	network
	note "nginx answers as b1 to b5, 10.0.N.1 and 2001:db8:bN::1, port 8080;" \
		"a connection is closed by nginx after $KEEPALIVE requests."

	title "The gateway is set up"
	for ring in "${rings[@]}"; do
		typed flowring ring add "$ring" "${OPTIONS[@]}"
	done
	for n in 1 2 3 4; do
		typed flowring backend add web4 "b$n" addr "10.0.$n.1" port 8080
		typed flowring backend add web6 "b$n" \
			addr "2001:db8:b$n::1" port 8080
	done
	typed flowring service add tcp "$VIP4" port 80 ring web4
	typed flowring service add tcp "$VIP6" port 80 ring web6
	note "The keys of the rings are random. With $vnodes tokens each, the share" \
		"of a backend strays by 0.5% (one standard deviation) of itself."

	title "Load: four wrk at once, over IPv4 and IPv6"
	note "each with $KEEP keep-alive connections, or $SHORT with a request each"
	load web4-keep "http://$VIP4/" "$KEEP"
	load web4-short "http://$VIP4/" "$SHORT" -H "Connection: close"
	load web6-keep "http://[$VIP6]/" "$KEEP"
	load web6-short "http://[$VIP6]/" "$SHORT" -H "Connection: close"
	phase 2 "warming up"
	phase "$PHASE" "four backends"
	shares b1 b2 b3 b4
	typed flowring -s backend show web4

	title "A fifth backend is added, under load"
	sample "$work/before"
	slots before
	typed flowring plan web4 backend add b5 addr 10.0.5.1 port 8080
	typed flowring backend add web4 b5 addr 10.0.5.1 port 8080
	typed flowring backend add web6 b5 addr 2001:db8:b5::1 port 8080
	slots after
	sample "$work/after"
	for ring in "${rings[@]}"; do
		moved "$ring"
		note "$ring: moved ${moved_of[$ring]}"
	done
	flows
	note "$flows_text"
	compare
	phase "$PHASE" "five backends"
	shares b1 b2 b3 b4 b5

	title "Backend b2 is drained and deleted, under load"
	drain
	phase "$PHASE" "without b2"
	unset 'slots_of[now.web4.b2]' 'slots_of[now.web6.b2]'
	shares b1 b2 b3 b4 b5
	n=$((${requests[web4.b2]} - ${base[web4.b2]} +
		${requests[web6.b2]} - ${base[web6.b2]}))
	[ "$n" -eq 0 ] || fail "b2 got $n requests after it was deleted"

	stop_load
	summary
}

# All that follows is done on the gateway: in its network namespace.
if [ ! -e /run/netns/gw ]; then
	modprobe flowring || fail "modprobe flowring"
	sysctl -qw net.netfilter.nf_conntrack_max=262144
	ip netns add gw
	args=()
	[ "$tty" -eq 0 ] || args=(--tty)
	exec nsenter --net=/run/netns/gw "$here/guest.sh" "${args[@]}"
fi
vnodes=${OPTIONS[3]}
verdict=''
main
kill "${nginx_pids[@]}" 2>/dev/null || true
