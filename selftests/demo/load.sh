# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154
# The namespaces, the servers and the load of the demo; sourced by guest.sh, its
# variables used.

gw()
{
	ip netns exec gw "$@"
}

# typed COMMAND: on the gateway, shown as it is typed.
typed()
{
	settle
	printf '%s$ %s%s\n' "$cyan" "$*" "$reset"
	gw "$@" || fail "$*"
}

# host NAME ADDR4 ADDR6 GATEWAY4 GATEWAY6: a namespace with a cable to gw
host()
{
	ip netns add "$1"
	ip -n "$1" link set lo up
	ip -n gw link add "$1" type veth peer name eth0 netns "$1"
	ip -n gw link set "$1" up
	ip -n gw addr add "$4/24" dev "$1"
	ip -n gw addr add "$5/64" dev "$1" nodad
	ip -n "$1" link set eth0 up
	ip -n "$1" addr add "$2/24" dev eth0
	ip -n "$1" addr add "$3/64" dev eth0 nodad
	ip -n "$1" route add default via "$4"
	ip -n "$1" -6 route add default via "$5"
}

# server N: nginx in the namespace bN
server()
{
	local dir=$work/b$1

	mkdir -p "$dir"
	sed -e "s|@DIR@|$dir|g" -e "s|@NAME@|b$1|g" \
		-e "s|@ADDR4@|10.0.$1.1|g" -e "s|@ADDR6@|2001:db8:b$1::1|g" \
		-e "s|@KEEPALIVE@|$KEEPALIVE|g" \
		"$here/nginx.conf.in" >"$dir/nginx.conf"
	host "b$1" "10.0.$1.1" "2001:db8:b$1::1" \
		"10.0.$1.254" "2001:db8:b$1::fe"
	ip netns exec "b$1" nginx -e "$dir/error.log" \
		-c "$dir/nginx.conf" >"$dir/out" 2>&1 &
	nginx_pids[$1]=$!
}

# Both listening sockets of server N, from the gateway.
server_ready()
{
	local url i

	for url in "http://10.0.$1.1:8080/" "http://[2001:db8:b$1::1]:8080/"; do
		for ((i = 0; i < 100; i++)); do
			[ "$(gw curl -gsm 5 "$url")" != "b$1" ] || continue 2
			kill -0 "${nginx_pids[$1]}" 2>/dev/null ||
				fail "nginx of b$1: $(cat "$work/b$1"/{out,error.log})"
			progress "waiting for nginx of b$1"
			sleep 0.2
		done
		fail "nginx of b$1 does not answer at $url"
	done
}

network()
{
	local n

	mkdir -p "$work"
	modprobe flowring || fail "modprobe flowring"
	sysctl -qw net.netfilter.nf_conntrack_max=262144
	ip netns add gw
	ip -n gw link set lo up
	gw sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 \
		net.netfilter.nf_conntrack_tcp_timeout_time_wait=10
	host client "$CLIENT4" "$CLIENT6" 198.51.100.1 2001:db8:c::1
	ip netns exec client sysctl -qw net.ipv4.ip_local_port_range="1024 65535"
	for n in 1 2 3 4 5; do
		server "$n"
	done
	for n in 1 2 3 4 5; do
		server_ready "$n"
	done
}

# load NAME URL [HEADER]: wrk in the background
load()
{
	local name=$1 url=$2

	shift 2
	ip netns exec client wrk -t 1 -c "$CONNECTIONS" -d 300s --timeout 10s \
		"$@" "$url" >"$work/$name.out" 2>&1 &
	load_pid[$name]=$!
}

load_alive()
{
	local name

	for name in "${loads[@]}"; do
		kill -0 "${load_pid[$name]}" 2>/dev/null ||
			fail "wrk ($name) ended early: $(cat "$work/$name.out")"
	done
}

# Requests served since the start, from the servers' own logs: requests[RING.bN]
# and in $total.
count()
{
	local size file ring

	total=0
	while read -r size file; do
		ring=${file##*.}
		file=${file%/*}
		requests[$ring.${file##*/}]=$((size / 2))
		total=$((total + size / 2))
	done < <(stat -c '%s %n' "$work"/b?/requests.web?)
}

# Counts from here on: shares() reports the requests since then.
mark()
{
	local i

	count
	for i in "${!requests[@]}"; do
		base[$i]=${requests[$i]}
	done
}

# phase SECONDS TEXT: let the load run
phase()
{
	local start=$SECONDS old

	mark
	old=$total
	while [ $((SECONDS - start)) -lt "$1" ]; do
		sleep 1
		load_alive
		count
		progress "$2: $((SECONDS - start)) of $1 s," \
			"$((total - old)) requests"
	done
}

# stop_load: results[NAME], $done_requests, $failed
stop_load()
{
	local name out n

	done_requests=0 failed=0
	for name in "${loads[@]}"; do
		kill -INT "${load_pid[$name]}"
	done
	for name in "${loads[@]}"; do
		wait "${load_pid[$name]}" || fail "wrk ($name): exit status $?"
		out=$(cat "$work/$name.out")
		[[ $out =~ ([0-9]+)\ requests\ in ]] || fail "wrk ($name): $out"
		results[$name]=${BASH_REMATCH[1]}
		done_requests=$((done_requests + results[$name]))
		n=0
		if [[ $out =~ connect\ ([0-9]+),\ read\ ([0-9]+),\ write\ ([0-9]+),\ timeout\ ([0-9]+) ]]; then
			n=$((BASH_REMATCH[1] + BASH_REMATCH[2] +
				BASH_REMATCH[3] + BASH_REMATCH[4]))
		fi
		if [[ $out =~ Non-2xx[^:]*:\ ([0-9]+) ]]; then
			n=$((n + BASH_REMATCH[1]))
		fi
		[ "$n" -eq 0 ] || note "wrk ($name): ${out#*requests in}"
		failed=$((failed + n))
	done
}
