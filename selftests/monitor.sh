#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 120
#
# Each change is announced, once, where it was made, as what it was.

# Tests are called by their names:
# shellcheck disable=SC2154,SC2317
# shellcheck source=selftests/ctl.sh
. "$(dirname "$0")/ctl.sh"
need_tools python3 jq

key=000102030405060708090a0b0c0d0e0f

# Fingerprints and shares, as the model has them: the names of the variables
# are those of the rings, with the epoch that they are of.
fingerprints()
{
	PYTHONPATH=$here python3 - "$key" <<-'END'
	import sys
	from dataclasses import replace
	from model import DRAIN, UP, Backend, Ring
	key = bytes.fromhex(sys.argv[1])
	def show(name, ring):
	    print(f"{name}=0x{ring.fingerprint():016x}")
	web = [Ring(key, 8, 4, 5)]
	web.append(replace(web[0], no_backend=1))
	for b in (Backend("b1", addr="10.1.0.1", port=8080),
	          Backend("b1", addr="10.1.0.1", port=8080, state=DRAIN),
	          Backend("b1", 0, UP, addr="10.1.0.2", port=8080)):
	    web.append(replace(web[1], backends=[b]))
	web.append(web[1])
	for epoch, ring in enumerate(web, 1):
	    show(f"web{epoch}", ring)
	two = Ring(key, 9, 512, 5, masquerade=1)
	show("two1", two)
	show("two2", replace(two, backends=[Backend("b6", 50,
	                                            addr="2001:db8::6")]))
	three = Ring(key, 8, 4, 5, backends=[
	    Backend("a", addr="10.3.0.1"),
	    Backend("b", addr="10.3.0.2", zone="z", explicit=[1, 1 << 63])])
	show("three1", three)
	a, b = three.counts(three.table())
	caps = three.capacities()
	print(f"a={a} b={b} capa={caps[0]} capb={caps[1]}")
	show("three2", replace(three, backends=[Backend("a", 50,
	                                                addr="10.3.0.1")]))
	show("end1", Ring(key, 8, 512, 5))
	END
}
eval "$(fingerprints)"

commands="ring add web bits 8 vnodes 4 key $key
ring set web no-backend drop
ring add two bits 9 masquerade on key $key
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

# As one commit each
three="ring set bits 8 vnodes 4 owner team-a key $key
backend add b addr 10.3.0.2 zone z tokens 8000000000000000,1
backend add a addr 10.3.0.1"
less="backend set a weight 50
backend del b"

b_moved=$(awk -v b="$b" 'BEGIN { printf "%d of 256 slots (%.2f%%)",
	b, b * 100 / 256 }')

text="ring commit web epoch 0 -> 1 fingerprint $web1 moved 0 of 256 slots (0.00%) changes 1
ring add web bits 8 vnodes 4 imbalance 5 no-backend reject masquerade off window 300 pin-idle 900 udp stick
ring commit web epoch 1 -> 2 fingerprint $web2 moved 0 of 256 slots (0.00%) changes 1
ring set web bits 8 vnodes 4 imbalance 5 no-backend drop masquerade off window 300 pin-idle 900 udp stick
ring commit two epoch 0 -> 1 fingerprint $two1 moved 0 of 512 slots (0.00%) changes 1
ring add two bits 9 vnodes 512 imbalance 5 no-backend reject masquerade on window 300 pin-idle 900 udp stick
ring commit web epoch 2 -> 3 fingerprint $web3 moved 0 of 256 slots (0.00%) changes 1
backend add web b1 addr 10.1.0.1 port 8080 weight 100 mode nat state up
ring commit two epoch 1 -> 2 fingerprint $two2 moved 0 of 512 slots (0.00%) changes 1
backend add two b6 addr 2001:db8::6 weight 50 mode nat state up
ring commit web epoch 3 -> 4 fingerprint $web4 moved 256 of 256 slots (100.00%) changes 1
backend set web b1 addr 10.1.0.1 port 8080 weight 100 state drain
ring commit web epoch 4 -> 5 fingerprint $web5 moved 0 of 256 slots (0.00%) changes 1
backend set web b1 addr 10.1.0.2 port 8080 weight 0 state up
service add tcp 198.51.100.10 port 80 ring web
service add udp 2001:db8:f::1 port 53 ring two
service set tcp 198.51.100.10 port 80 ring web
service del udp 2001:db8:f::1 port 53
service del tcp 198.51.100.10 port 80
ring commit web epoch 5 -> 6 fingerprint $web6 moved 0 of 256 slots (0.00%) changes 1
backend del web b1
ring del two
ring del web
ring commit three epoch 0 -> 1 fingerprint $three1 moved 0 of 256 slots (0.00%) changes 3
ring add three bits 8 vnodes 4 imbalance 5 owner team-a no-backend reject masquerade off window 300 pin-idle 900 udp stick
backend add three b addr 10.3.0.2 weight 100 mode nat state up zone z tokens 0x0000000000000001,0x8000000000000000
backend add three a addr 10.3.0.1 weight 100 mode nat state up
ring commit three epoch 1 -> 2 fingerprint $three2 moved $b_moved changes 2
backend set three a addr 10.3.0.1 weight 50 state up
backend del three b
ring commit end epoch 0 -> 1 fingerprint $end1 moved 0 of 256 slots (0.00%) changes 1
ring add end bits 8 vnodes 512 imbalance 5 no-backend reject masquerade off window 300 pin-idle 900 udp stick"

# shellcheck disable=SC2016
json='{"event":"ring-commit-ntf","ring":"web","epoch":1,"epoch-before":0,"fingerprint":"$web1","total":256,"moved":0,"least":0,"changes":1}
{"event":"ring-new-ntf","name":"web","bits":8,"vnodes":4,"imbalance":5,"no-backend":"reject","masquerade":"off","epoch":1,"backends":0,"usable":0,"tokens":0,"services":0,"fingerprint":"$web1","window":300,"pin-idle":900,"udp":"stick","frozen":"off"}
{"event":"ring-commit-ntf","ring":"web","epoch":2,"epoch-before":1,"fingerprint-before":"$web1","fingerprint":"$web2","total":256,"moved":0,"least":0,"changes":1}
{"event":"ring-set-ntf","name":"web","bits":8,"vnodes":4,"imbalance":5,"no-backend":"drop","masquerade":"off","epoch":2,"backends":0,"usable":0,"tokens":0,"services":0,"fingerprint":"$web2","window":300,"pin-idle":900,"udp":"stick","frozen":"off"}
{"event":"ring-commit-ntf","ring":"two","epoch":1,"epoch-before":0,"fingerprint":"$two1","total":512,"moved":0,"least":0,"changes":1}
{"event":"ring-new-ntf","name":"two","bits":9,"vnodes":512,"imbalance":5,"no-backend":"reject","masquerade":"on","epoch":1,"backends":0,"usable":0,"tokens":0,"services":0,"fingerprint":"$two1","window":300,"pin-idle":900,"udp":"stick","frozen":"off"}
{"event":"ring-commit-ntf","ring":"web","epoch":3,"epoch-before":2,"fingerprint-before":"$web2","fingerprint":"$web3","total":256,"moved":0,"least":0,"changes":1}
{"event":"backend-new-ntf","ring":"web","name":"b1","addr":"10.1.0.1","port":8080,"weight":100,"mode":"nat","state":"up","tokens":4,"slots":256,"capacity":256}
{"event":"ring-commit-ntf","ring":"two","epoch":2,"epoch-before":1,"fingerprint-before":"$two1","fingerprint":"$two2","total":512,"moved":0,"least":0,"changes":1}
{"event":"backend-new-ntf","ring":"two","name":"b6","addr":"2001:db8::6","weight":50,"mode":"nat","state":"up","tokens":256,"slots":512,"capacity":512}
{"event":"ring-commit-ntf","ring":"web","epoch":4,"epoch-before":3,"fingerprint-before":"$web3","fingerprint":"$web4","total":256,"moved":256,"least":256,"changes":1}
{"event":"backend-set-ntf","ring":"web","name":"b1","addr":"10.1.0.1","port":8080,"weight":100,"mode":"nat","state":"drain","tokens":0,"slots":0,"capacity":0}
{"event":"ring-commit-ntf","ring":"web","epoch":5,"epoch-before":4,"fingerprint-before":"$web4","fingerprint":"$web5","total":256,"moved":0,"least":0,"changes":1}
{"event":"backend-set-ntf","ring":"web","name":"b1","addr":"10.1.0.2","port":8080,"weight":0,"mode":"nat","state":"up","tokens":0,"slots":0,"capacity":0}
{"event":"service-new-ntf","proto":"tcp","addr":"198.51.100.10","port":80,"ring":"web"}
{"event":"service-new-ntf","proto":"udp","addr":"2001:db8:f::1","port":53,"ring":"two"}
{"event":"service-set-ntf","proto":"tcp","addr":"198.51.100.10","port":80,"ring":"web"}
{"event":"service-del-ntf","proto":"udp","addr":"2001:db8:f::1","port":53,"ring":"two"}
{"event":"service-del-ntf","proto":"tcp","addr":"198.51.100.10","port":80,"ring":"web"}
{"event":"ring-commit-ntf","ring":"web","epoch":6,"epoch-before":5,"fingerprint-before":"$web5","fingerprint":"$web6","total":256,"moved":0,"least":0,"changes":1}
{"event":"backend-del-ntf","ring":"web","name":"b1","addr":"10.1.0.2","port":8080,"weight":0,"mode":"nat","state":"up","tokens":0,"slots":0,"capacity":0}
{"event":"ring-del-ntf","name":"two","bits":9,"vnodes":512,"imbalance":5,"no-backend":"reject","masquerade":"on","epoch":2,"backends":1,"usable":1,"tokens":256,"services":0,"fingerprint":"$two2","window":300,"pin-idle":900,"udp":"stick","frozen":"off"}
{"event":"ring-del-ntf","name":"web","bits":8,"vnodes":4,"imbalance":5,"no-backend":"drop","masquerade":"off","epoch":6,"backends":0,"usable":0,"tokens":0,"services":0,"fingerprint":"$web6","window":300,"pin-idle":900,"udp":"stick","frozen":"off"}
{"event":"ring-commit-ntf","ring":"three","epoch":1,"epoch-before":0,"fingerprint":"$three1","total":256,"moved":0,"least":0,"changes":3}
{"event":"ring-new-ntf","name":"three","bits":8,"vnodes":4,"imbalance":5,"owner":"team-a","no-backend":"reject","masquerade":"off","epoch":1,"backends":2,"usable":2,"tokens":6,"services":0,"fingerprint":"$three1","window":300,"pin-idle":900,"udp":"stick","frozen":"off"}
{"event":"backend-new-ntf","ring":"three","name":"b","addr":"10.3.0.2","weight":100,"mode":"nat","state":"up","tokens":2,"slots":$b,"capacity":$capb,"zone":"z","explicit-tokens":["0x0000000000000001","0x8000000000000000"]}
{"event":"backend-new-ntf","ring":"three","name":"a","addr":"10.3.0.1","weight":100,"mode":"nat","state":"up","tokens":4,"slots":$a,"capacity":$capa}
{"event":"ring-commit-ntf","ring":"three","epoch":2,"epoch-before":1,"fingerprint-before":"$three1","fingerprint":"$three2","total":256,"moved":$b,"least":$b,"changes":2}
{"event":"backend-set-ntf","ring":"three","name":"a","addr":"10.3.0.1","weight":50,"mode":"nat","state":"up","tokens":2,"slots":256,"capacity":256}
{"event":"backend-del-ntf","ring":"three","name":"b","addr":"10.3.0.2","weight":100,"mode":"nat","state":"up","tokens":2,"slots":0,"capacity":0,"zone":"z","explicit-tokens":["0x0000000000000001","0x8000000000000000"]}
{"event":"ring-commit-ntf","ring":"end","epoch":1,"epoch-before":0,"fingerprint":"$end1","total":256,"moved":0,"least":0,"changes":1}
{"event":"ring-new-ntf","name":"end","bits":8,"vnodes":512,"imbalance":5,"no-backend":"reject","masquerade":"off","epoch":1,"backends":0,"usable":0,"tokens":0,"services":0,"fingerprint":"$end1","window":300,"pin-idle":900,"udp":"stick","frozen":"off"}'
# The names above, with "$" before them, by their values
while [[ $json =~ \$([a-z]+[0-9]?) ]]; do
	name=${BASH_REMATCH[1]}
	json=${json//"\$$name"/${!name}}
done

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
	fr "$ns" ring commit three create <<<"$three" >/dev/null
	fr "$ns" ring commit three <<<"$less" >/dev/null
	# refused changes are none
	fr "$ns" ring del web 2>/dev/null
	fr "$ns" -b - 2>/dev/null <<<"ring add web bits 30"
	fr "$ns" ring commit three dry-run <<<"backend del a" >/dev/null
	fr "$ns" ring commit three max-move 9 <<<"backend del a" 2>/dev/null
	# the last thing that each hears; it ends the wait
	fr "$ns" ring add end bits 8 key $key
	fr "$other" ring add end bits 8
	slowwait 20 lines "$tmp/text" "$(wc -l <<<"$text")" >/dev/null
	slowwait 20 lines "$tmp/json" "$(wc -l <<<"$json")" >/dev/null
	slowwait 20 lines "$tmp/other" 2 >/dev/null
	# shellcheck disable=SC2046
	kill $(jobs -p)
	wait
}

text_of_each_event()
{
	same "text" "$text" "$(cat "$tmp/text")"
	same "errors" "" "$(cat "$tmp/text.err")"
}

json_of_each_event()
{
	same "JSON" "$json" "$(cat "$tmp/json")"
}

other_namespaces_hear_nothing()
{
	same "events elsewhere" $'ring-commit-ntf end\nring-new-ntf end' \
		"$(jq -r '"\(.event) \(.name // .ring)"' "$tmp/other")"
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
	same "answers and events, without and with echo" $'0 1 0\n0 1 2' "$out"
}

setup
run_tests text_of_each_event json_of_each_event \
	other_namespaces_hear_nothing no_key_is_told echo_is_heard
