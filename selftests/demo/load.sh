# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154
# The namespaces, the servers and the load of the demo; sourced by guest.sh, its
# variables used.

# typed COMMAND: on the gateway, shown as it is typed.
typed()
{
	settle
	printf '%s$ %s%s\n' "$cyan" "$*" "$reset"
	"$@" || fail "$*"
}

# host NAME ADDR4 ADDR6 GATEWAY4 GATEWAY6: a namespace with a cable to here
host()
{
	ip netns add "$1"
	ip -batch - <<-END
		link add $1 type veth peer name eth0 netns $1
		link set $1 up
		addr add $4/24 dev $1
		addr add $5/64 dev $1 nodad
	END
	ip -n "$1" -batch - <<-END
		link set lo up
		link set eth0 up
		addr add $2/24 dev eth0
		addr add $3/64 dev eth0 nodad
		route add default via $4
		route add default via $5
	END
}

# within NAME COMMAND: the load is nice, so that the commands typed beside it
# do not wait where CPUs are few
within()
{
	exec nsenter --net="/run/netns/$1" nice -n 10 "${@:2}"
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
	within "b$1" nginx -e "$dir/error.log" -c "$dir/nginx.conf" \
		>"$dir/out" 2>&1 &
	nginx_pids[$1]=$!
}

# Both listening sockets of each server answer with the right name.
servers_ready()
{
	local n i urls=() want='' answer=''

	for n in 1 2 3 4 5; do
		urls+=("http://10.0.$n.1:8080/" "http://[2001:db8:b$n::1]:8080/")
		want+="b$n b$n "
	done
	for ((i = 0; i < 60; i++)); do
		answer=$(curl -gsm 10 "${urls[@]}" | tr '\n' ' ') || true
		[ "$answer" != "$want" ] || return 0
		for n in 1 2 3 4 5; do
			kill -0 "${nginx_pids[$n]}" 2>/dev/null ||
				fail "nginx of b$n: $(cat "$work/b$n"/{out,error.log})"
		done
		progress "waiting for the servers; there are: $answer"
		sleep 0.3
	done
	fail "not all servers answer: $answer"
}

network()
{
	local n

	mkdir -p "$work"
	ip link set lo up
	sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 \
		net.netfilter.nf_conntrack_tcp_timeout_time_wait=10
	host client "$CLIENT4" "$CLIENT6" 198.51.100.1 2001:db8:c::1
	nsenter --net=/run/netns/client \
		sysctl -qw net.ipv4.ip_local_port_range="1024 65535"
	for n in 1 2 3 4 5; do
		progress "starting nginx: $n of 5"
		server "$n"
	done
	servers_ready
}

# load NAME URL CONNECTIONS [HEADER]: wrk in the background
load()
{
	within client wrk -t 1 -c "$3" -d 600s --timeout 10s "${@:4}" "$2" \
		>"$work/$1.out" 2>&1 &
	load_pid["$1"]=$!
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
		base["$i"]=${requests[$i]}
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
		progress "$2: $((SECONDS - start)) s, $((total - old)) requests"
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
		results["$name"]=${BASH_REMATCH[1]}
		done_requests=$((done_requests + BASH_REMATCH[1]))
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
