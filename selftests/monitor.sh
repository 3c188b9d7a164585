#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 120
#
# Each change is announced, once, where it was made, as what it was.

# Tests are called by their names:
# shellcheck disable=SC2317
# shellcheck source=selftests/ctl.sh
. "$(dirname "$0")/ctl.sh"
need_tools python3 jq

key=000102030405060708090a0b0c0d0e0f

commands="ring add web bits 8 vnodes 4 key $key
ring set web no-backend drop
ring add two bits 9 masquerade on
backend add web b1 addr 10.1.0.1 port 8080
backend add two b6 addr 2001:db8::6 weight 50
backend set web b1 state drain
backend set web b1 addr 10.1.0.2 state up weight 0
service add tcp 198.51.100.10 port 80 ring web
service add udp 2001:db8:f::1 port 53 ring two
service set tcp 198.51.100.10 port 80 ring web
service del udp 2001:db8:f::1 port 53
service del tcp 198.51.100.10 port 80
backend del web b1
ring del two
ring del web"

text="ring add web bits 8 vnodes 4 no-backend reject masquerade off
ring set web bits 8 vnodes 4 no-backend drop masquerade off
ring add two bits 9 vnodes 512 no-backend reject masquerade on
backend add web b1 addr 10.1.0.1 port 8080 weight 100 mode nat state up
backend add two b6 addr 2001:db8::6 weight 50 mode nat state up
backend set web b1 addr 10.1.0.1 port 8080 weight 100 state drain
backend set web b1 addr 10.1.0.2 port 8080 weight 0 state up
service add tcp 198.51.100.10 port 80 ring web
service add udp 2001:db8:f::1 port 53 ring two
service set tcp 198.51.100.10 port 80 ring web
service del udp 2001:db8:f::1 port 53
service del tcp 198.51.100.10 port 80
backend del web b1
ring del two
ring del web"

json='{"event":"ring-new-ntf","name":"web","bits":8,"vnodes":4,"no-backend":"reject","masquerade":"off","epoch":1,"backends":0,"usable":0,"tokens":0,"services":0}
{"event":"ring-set-ntf","name":"web","bits":8,"vnodes":4,"no-backend":"drop","masquerade":"off","epoch":2,"backends":0,"usable":0,"tokens":0,"services":0}
{"event":"ring-new-ntf","name":"two","bits":9,"vnodes":512,"no-backend":"reject","masquerade":"on","epoch":1,"backends":0,"usable":0,"tokens":0,"services":0}
{"event":"backend-new-ntf","ring":"web","name":"b1","addr":"10.1.0.1","port":8080,"weight":100,"mode":"nat","state":"up","tokens":4,"slots":256}
{"event":"backend-new-ntf","ring":"two","name":"b6","addr":"2001:db8::6","weight":50,"mode":"nat","state":"up","tokens":256,"slots":512}
{"event":"backend-set-ntf","ring":"web","name":"b1","addr":"10.1.0.1","port":8080,"weight":100,"mode":"nat","state":"drain","tokens":0,"slots":0}
{"event":"backend-set-ntf","ring":"web","name":"b1","addr":"10.1.0.2","port":8080,"weight":0,"mode":"nat","state":"up","tokens":0,"slots":0}
{"event":"service-new-ntf","proto":"tcp","addr":"198.51.100.10","port":80,"ring":"web"}
{"event":"service-new-ntf","proto":"udp","addr":"2001:db8:f::1","port":53,"ring":"two"}
{"event":"service-set-ntf","proto":"tcp","addr":"198.51.100.10","port":80,"ring":"web"}
{"event":"service-del-ntf","proto":"udp","addr":"2001:db8:f::1","port":53,"ring":"two"}
{"event":"service-del-ntf","proto":"tcp","addr":"198.51.100.10","port":80,"ring":"web"}
{"event":"backend-del-ntf","ring":"web","name":"b1","addr":"10.1.0.2","port":8080,"weight":0,"mode":"nat","state":"up","tokens":0,"slots":0}
{"event":"ring-del-ntf","name":"two","bits":9,"vnodes":512,"no-backend":"reject","masquerade":"on","epoch":2,"backends":1,"usable":1,"tokens":256,"services":0}
{"event":"ring-del-ntf","name":"web","bits":8,"vnodes":4,"no-backend":"drop","masquerade":"off","epoch":6,"backends":0,"usable":0,"tokens":0,"services":0}'

# listen NS OUT [OPTION]: a monitor that has joined the group.
listen()
{
	local ns=$1 out=$2

	shift 2
	flowring -n "$ns" "$@" monitor >"$out" 2>"$out.err" &
	slowwait 20 joined "$ns" $! >/dev/null || fail "monitor: not started"
}

# /proc/net/netlink: protocol, port (the pid, as bound first) and groups
joined()
{
	# shellcheck disable=SC2016
	ip netns exec "$1" awk -v pid="$2" \
		'$2 == 16 && $3 == pid && $4 != "00000000" { found = 1 }
		END { exit !found }' /proc/net/netlink
}

lines()
{
	[ "$(wc -l <"$1")" -ge "$2" ]
}

setup()
{
	local rc=0

	setup_ns ns other
	listen "$ns" "$tmp/text"
	listen "$ns" "$tmp/json" -j
	listen "$other" "$tmp/other" -j
	fr "$ns" -b - <<<"$commands"
	# refused changes are none
	fr "$ns" ring del web 2>/dev/null
	fr "$ns" -b - 2>/dev/null <<<"ring add web bits 30"
	# the last thing that each hears; it ends the wait
	fr "$ns" ring add end bits 8
	fr "$other" ring add end bits 8
	slowwait 20 lines "$tmp/text" 16 >/dev/null
	slowwait 20 lines "$tmp/json" 16 >/dev/null
	slowwait 20 lines "$tmp/other" 1 >/dev/null
	# shellcheck disable=SC2046
	kill $(jobs -p)
	wait
}

text_of_each_event()
{
	same "text" "$text
ring add end bits 8 vnodes 512 no-backend reject masquerade off" \
		"$(cat "$tmp/text")"
	same "errors" "" "$(cat "$tmp/text.err")"
}

json_of_each_event()
{
	same "JSON" "$json" "$(head -n -1 "$tmp/json")"
	same "the last one" ring-new-ntf \
		"$(tail -n 1 "$tmp/json" | jq -r .event)"
}

other_namespaces_hear_nothing()
{
	same "events elsewhere" "ring-new-ntf end" \
		"$(jq -r '"\(.event) \(.name)"' "$tmp/other")"
}

no_key_is_told()
{
	cat "$tmp/text" "$tmp/json" >"$tmp/all"
	grep -q "$key\|key" "$tmp/all" && fail "a key in an event"
	[ -s "$tmp/all" ] || fail "no events"
}

# With NLM_F_ECHO the one who asks hears it too, without joining.
echo_is_heard()
{
	local out

	out=$(ip netns exec "$ns" python3 - "$here" <<-'END'
	import sys
	sys.path.insert(0, sys.argv[1])
	import netlink
	nl, spec = netlink.Netlink(), netlink.Spec()
	for flags in (netlink.NLM_F_ACK, netlink.NLM_F_ACK | 8):
	    name = b"echo%d\0" % flags
	    answer = nl.command(spec.ops["ring-new"]["number"],
	                        netlink.nla(1, name), flags)
	    print(answer.error, len(answer.objects), len(nl.events))
	END
	)
	same "answers and events, without and with echo" $'0 1 0\n0 1 1' "$out"
}

setup
run_tests text_of_each_event json_of_each_event \
	other_namespaces_hear_nothing no_key_is_told echo_is_heard
