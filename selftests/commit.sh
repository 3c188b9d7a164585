#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 600
#
# Commits: any number of changes take effect at once or not at all, guarded by
# the epoch and by limits, and a dry run says what the commit will do.
#
#	+----+     +---------+     +----+
#	| cl |-----| gw      |-----| b1 | 8080
#	+----+     | V:80    |     +----+
#	           |         |-----| b2 | 8080
#	           |         |     +----+
#	           |         |-----| b3 | 8080
#	           +---------+     +----+

# shellcheck disable=SC2154,SC2317
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
need_tools conntrack

# commit [WORD...]: the changes are on standard input
commit()
{
	fr ring commit web4 "$@"
}

# commit_lines LINE... [-- WORD...]: the changes are the words up to --
commit_lines()
{
	local lines=()

	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		lines+=("$1")
		shift
	done
	printf '%s\n' "${lines[@]}" | commit "${@:2}"
}

# all that is configured, with epochs and fingerprints
state()
{
	fr -j -b - <<<$'save\nring show\nbackend show'
}

epoch()
{
	fr -j ring show web4 | jq '.[0].epoch'
}

fingerprint()
{
	fr -j ring show web4 | jq -r '.[0].fingerprint'
}

backends()
{
	fr -j backend show web4 | jq -r 'map(.name) | join(" ")'
}

# /proc/net/netlink: protocol, port (the pid, as bound first) and groups
joined()
{
	# shellcheck disable=SC2016
	in_ns "$gw" awk -v pid="$1" \
		'$2 == 16 && $3 == pid && $4 != "00000000" { found = 1 }
		END { exit !found }' /proc/net/netlink
}

# listen: a monitor that has joined its group
listen()
{
	flowring -n "$gw" -j monitor >"$WORK/events" &
	MONITOR=$!
	slowwait 20 joined "$MONITOR" >/dev/null
}

# events: names of what was announced since listen, and wait for its end
events()
{
	fr ring add last bits 8
	slowwait 20 grep -q '"name":"last"' "$WORK/events" >/dev/null
	fr ring del last
	kill "$MONITOR"
	jq -r 'select(.name != "last" and .ring != "last") | .event' \
		"$WORK/events" | xargs
}

one_step()
{
	both nat 3
	listen
	commit_lines "backend add b4 addr $(backend4 1) port 8081" \
		"backend set b2 weight 50 zone east" "ring set no-backend drop" \
		"backend del b3" "ring set bits 12 imbalance 10" >"$WORK/said"
	cat "$WORK/said"
	grep -q "^ring web4: epoch 4 -> 5, moved [0-9]* of 65536 slots" \
		"$WORK/said"
	equal 5 "$(epoch)" epoch
	equal "b1 b2 b4" "$(backends)" backends
	equal "12 10 drop" "$(fr -j ring show web4 | jq -r \
		'.[0] | "\(.bits) \(.imbalance) \(."no-backend")"')" options
	equal "50 east" "$(fr -j backend show web4 b2 |
		jq -r '.[0] | "\(.weight) \(.zone)"')" "options of b2"
	# one ring-commit-ntf is one table
	equal "backend-del-ntf backend-new-ntf backend-set-ntf ring-commit-ntf ring-set-ntf" \
		"$(events | tr ' ' '\n' | sort | xargs)" events
	equal "4 5 5" "$(jq -r 'select(.event == "ring-commit-ntf" and
		.ring == "web4") | "\(."epoch-before") \(.epoch) \(.changes)"' \
		"$WORK/events")" "what the event says"
	equal "$(fingerprint)" "$(jq -r 'select(.event == "ring-commit-ntf" and
		.ring == "web4").fingerprint' "$WORK/events")" fingerprint
}

# Two backends take turns; were the changes made one by one, there would be no
# usable one between them, and flows would be refused.
never_half_made()
{
	local i

	both nat 2
	fr backend set web4 b2 state drain
	start "$cl" "$PYTHON" "$PEER" many udp "$V4" 80 3000 20000 \
		>"$WORK/did" 2>"$WORK/failed"
	for ((i = 0; i < 40; i++)); do
		commit_lines "backend set b$((1 + i % 2)) state drain" \
			"backend set b$((2 - i % 2)) state up"
	done >"$WORK/commits"
	equal 40 "$(wc -l <"$WORK/commits")" commits
	wait $! || { cat "$WORK/failed"; false; }
	equal 3000 "$(wc -l <"$WORK/did")" flows
	equal "b1 b2" "$(distinct <"$WORK/did")" servers
}

# Case M6: X and Y have read epoch 7; X removes b1, Y adds b4
stale()
{
	local before

	both nat 3
	commit epoch 7 backend set b1 zone a
	equal 7 "$(epoch)" epoch
	commit expect 7 backend del b1
	equal 8 "$(epoch)" epoch
	before=$(state)
	refused "ring web4: epoch is 8, not 7" commit expect 7 \
		backend add b4 addr 203.0.113.99
	# a controller that has begun anew
	refused "epoch is 8, not 0" commit expect 0 \
		backend add b4 addr 203.0.113.99
	refused "epoch is 8, not 0" commit expect 0 epoch 100 \
		backend add b4 addr 203.0.113.99
	refused "epoch is 8, not 9" commit expect 9 backend del b2
	equal "$before" "$(state)" state
	commit expect 8 backend add b4 addr 203.0.113.99
	equal "b2 b3 b4" "$(backends)" "both edits"
	equal 9 "$(epoch)" epoch
}

larger_epoch()
{
	local before

	both nat 2
	commit epoch 1000 backend set b1 weight 50
	equal 1000 "$(epoch)" epoch
	before=$(state)
	refused "at epoch 1000 already" commit epoch 1000 backend del b1
	refused "at epoch 1000 already" commit epoch 999 backend del b1
	refused "at epoch 1000 already" commit epoch 1 backend del b1
	refused "at epoch 1000 already" commit epoch 0 backend del b1
	equal "$before" "$(state)" state
	commit epoch 1001 backend set b1 weight 60
	commit backend set b1 weight 70
	equal 1002 "$(epoch)" "the next one"
	fr backend set web4 b1 weight 80
	equal 1003 "$(epoch)" "the next one of a single change"
	# the largest, behind which there is none
	commit epoch 18446744073709551615 backend set b1 weight 90
	equal 18446744073709551615 \
		"$(fr ring show web4 | awk '$1 == "epoch" { print $2 }')"
	before=$(fr save)
	refused "at epoch 18446744073709551615 already" \
		commit backend set b1 weight 100
	equal "$before" "$(fr save)" state
}

# Case M7, and the same for each kind of fault, in the middle of good changes
failing_change()
{
	local before lookup good=("backend add D addr 203.0.113.98" "backend del b1")

	both nat 3
	lookup=$(lookups tcp 4 20000 64)
	before=$(state)
	refused "line 2: backend E is IPv6, a service of the ring is not" \
		commit_lines "${good[0]}" "backend add E addr 2001:db8::5" \
		"${good[1]}"
	refused "line 2: backend E: address is multicast (attribute addr)" \
		commit_lines "${good[0]}" "backend add E addr 224.0.0.1" \
		"${good[1]}"
	refused "line 3: backend b9: no backend b9 in ring web4" \
		commit_lines "${good[@]}" "backend set b9 weight 1"
	refused "line 3: backend b1: no backend b1 in ring web4" \
		commit_lines "${good[@]}" "backend set b1 weight 1"
	refused "line 1: backend b2 exists" commit_lines \
		"backend add b2 addr 203.0.113.97" "${good[@]}"
	refused "line 2: backend E: backend b2 has that address and port" commit_lines \
		"${good[0]}" "backend add E addr $(backend4 2) port 8080" \
		"${good[1]}"
	refused "line 2: backend E: backend D has that address and port" commit_lines \
		"${good[0]}" "backend add E addr 203.0.113.98" "${good[1]}"
	refused "line 3: backend E: ring web4 cannot mix nat with other modes" commit_lines \
		"${good[@]}" "backend add E addr 203.0.113.96 mode dr"
	refused "line 2: backend b2: token 0x0000000000000007 is given twice" \
		commit_lines "${good[0]}" "backend set b2 tokens 7,8,7" \
		"${good[1]}"
	refused "line 3: ring web4: attribute bits: integer out of range" \
		commit_lines "${good[@]}" "ring set bits 0"
	equal "$before" "$(state)" state
	equal "$lookup" "$(lookups tcp 4 20000 64)" lookups
	commit_lines "${good[@]}"
	equal "D b2 b3" "$(backends)" backends
	equal 5 "$(epoch)" epoch
}

# Flows of clients go where the addresses are now; those of the old end
swapped_addresses()
{
	local sport answer

	both nat 2
	sport=$(sport_to udp 4 b1)
	hold "$cl" udp "$V4" 80 1 "$sport"
	equal "ok b1" "$(ask 0.1)" server
	commit_lines "backend set b1 addr $(backend4 2)" \
		"backend set b2 addr $(backend4 1)"
	equal 4 "$(epoch)" epoch
	equal "$(backend4 2) $(backend4 1)" "$(fr -j backend show web4 |
		jq -r 'map(.addr) | join(" ")')" addresses
	# the name has kept its slots, the server that answers is the other one
	equal "$sport b1" "$(lookups udp 4 "$sport" 1)" lookup
	answer=$(ask 1)
	equal "ok b2" "$answer" server
	# three in a circle, and one of them deleted
	commit_lines "backend add b3 addr $(backend4 3) port 8080"
	commit_lines "backend del b1" "backend set b2 addr $(backend4 3)" \
		"backend set b3 addr $(backend4 1)" \
		"backend add b1 addr $(backend4 2) port 8080"
	equal "b1 $(backend4 2) b2 $(backend4 3) b3 $(backend4 1)" \
		"$(fr -j backend show web4 |
			jq -r 'map("\(.name) \(.addr)") | join(" ")')"
}

# One with the name of a deleted one is new: it inherits no connection
deleted_and_added()
{
	local sport

	both nat 3
	sport=$(sport_to tcp 4 b1)
	hold "$cl" tcp "$V4" 80 1 "$sport"
	commit_lines "backend set b1 port 8080 weight 90"
	equal "ok b1" "$(ask 0.1)" "server after a change"
	in_ns "$gw" conntrack -L -p tcp --sport "$sport" | grep ESTABLISHED
	peer "$cl" many tcp "$V4" 80 20 21000
	at_least 1 "$(backend_stat web4 b1 flows)" "flows of b1"
	commit_lines "backend del b1" \
		"backend add b1 addr $(backend4 1) port 8080 weight 90" \
		>"$WORK/said"
	cat "$WORK/said"
	equal 0 "$(backend_stat web4 b1 flows)" "flows of b1"
	in_ns "$gw" conntrack -L -p tcp --sport "$sport" >"$WORK/left"
	fails grep ESTABLISHED "$WORK/left"
	# its slots count as moved, though they are the same ones
	equal "b1 b2 b3" "$(backends)" backends
	equal "$(fr -j backend show web4 b1 | jq '.[0].slots')" \
		"$(sed -n 's/.*moved \([0-9]*\) of.*/\1/p' "$WORK/said")" moved
	peer "$cl" many tcp "$V4" 80 20 22000 >"$WORK/did"
	equal "b1 b2 b3" "$(distinct <"$WORK/did")" servers
}

several_of_one()
{
	local before

	both nat 2
	commit_lines "backend set b1 weight 10" "backend set b1 weight 20 zone a"
	equal "20 a" "$(fr -j backend show web4 b1 |
		jq -r '.[0] | "\(.weight) \(.zone)"')" "set twice"
	before=$(fingerprint)
	# a name and an address that come and go within one commit
	commit_lines "backend add b9 addr 203.0.113.97" "backend del b9"
	equal "b1 b2" "$(backends)" backends
	equal "$before" "$(fingerprint)" fingerprint
	commit_lines "backend add b9 addr 203.0.113.97" \
		"backend set b9 weight 30" "backend set b9 port 9" \
		"backend del b9" "backend add b9 addr 203.0.113.97 weight 7"
	equal '{"weight":7,"port":null}' \
		"$(fr -j backend show web4 b9 | jq -c '.[0] | {weight, port}')"
	commit_lines "backend del b9" "backend add b9 addr 203.0.113.97" \
		"backend del b9"
	equal "b1 b2" "$(backends)" backends
	equal "$before" "$(fingerprint)" fingerprint
	equal 7 "$(epoch)" epoch
}

# lines FROM TO: changes, no two of one backend
lines()
{
	awk -v from="$1" -v to="$2" 'BEGIN { for (i = from; i <= to; i++)
		printf "backend add x%d addr 10.0.%d.%d\n", i, i / 256, i % 256 }'
}

# raw_changes N: past the tool, which has the same limit
raw_changes()
{
	in_ns "$gw" "$PYTHON" - "$HERE" "$1" <<-'END'
	import struct
	import sys
	sys.path.insert(0, sys.argv[1])
	import netlink
	spec, nl = netlink.Spec(), netlink.Netlink()
	attrs, nest = spec.attrs("ring-commit"), netlink.NLA_F_NESTED
	bits = netlink.nla(2, struct.pack("=I", 9))
	change = netlink.nla(1, struct.pack("=I", 3)) + netlink.nla(3, bits, nest)
	body = netlink.nla(attrs["ring"][0], b"web4\0")
	body += netlink.nla(attrs["change"][0], change, nest) * int(sys.argv[2])
	answer = nl.command(spec.ops["ring-commit"]["number"], body)
	print(answer.error, answer.text)
	END
}

limit_of_changes()
{
	local before

	both nat 1 vnodes 4 bits 12
	before=$(state)
	if lines 1 1001 | commit 2>"$WORK/said"; then
		echo "1001 changes were made"
		return 1
	fi
	cat "$WORK/said"
	grep -q "more than 1000 changes in one commit" "$WORK/said"
	equal "7 no more than 1000 changes in a commit" "$(raw_changes 1001)"
	equal "$before" "$(state)" state
	lines 1 1000 | commit
	equal 1001 "$(fr -j ring show web4 | jq '.[0].backends')" backends
	equal 3 "$(epoch)" epoch
	equal "0" "$(raw_changes 1000 | xargs)"
	equal 9 "$(fr -j ring show web4 | jq '.[0].bits')" bits
}

# percent UNITS: of 1/10000
percent()
{
	printf '%d.%02d%%\n' $(($1 / 100)) $(($1 % 100))
}

max_move()
{
	local before moved change=(backend del b3)

	both nat 3
	before=$(state)
	moved=$(fr -j plan web4 "${change[@]}" | jq '.[0].moved')
	at_least $((65536 / 4)) "$moved" "slots of b3"
	refused "would move $moved of 65536 slots, more than $((moved - 1))" \
		commit max-move $((moved - 1)) "${change[@]}"
	refused "would move $moved of 65536 slots, more than 0" \
		commit max-move 0 "${change[@]}"
	refused "would move $moved of 65536 slots, more than" \
		commit max-move "$(percent $((moved * 10000 / 65536)))" \
		"${change[@]}"
	refused "would move" fr plan web4 max-move $((moved - 1)) "${change[@]}"
	equal "$before" "$(state)" state
	commit max-move "$moved" "${change[@]}"
	equal "b1 b2" "$(backends)" backends
	# of the larger table, whichever that is
	moved=$(fr -j plan web4 ring set bits 17 key "${KEY//0/f}" |
		jq '.[0] | .moved, .total' | xargs)
	equal "131072 131072" "$moved" "moved by a new key"
	commit max-move 100% ring set bits 17 key "${KEY//0/f}"
	refused "would move 131072 of 131072 slots, more than 131058" \
		commit max-move 99.99% ring set bits 16 key "$KEY"
	# what moves nothing passes
	commit max-move 0 backend set b1 zone a
	commit max-move 0% backend add b3 addr "$(backend4 3)" weight 0
}

max_share()
{
	local before slots units change

	both nat 3
	change=(backend add b4 addr 203.0.113.97 weight 300)
	before=$(state)
	slots=$(fr -j plan web4 "${change[@]}" |
		jq '.[0].backends[] | select(.name == "b4").slots')
	at_least 30000 "$slots" "slots of b4"
	units=$(((slots * 10000 + 65535) / 65536))
	refused "b4 would get $slots of 65536 slots" \
		commit max-share "$(percent $((units - 1)))" "${change[@]}"
	refused "b4 would get" commit max-share 0% "${change[@]}"
	equal "$before" "$(state)" state
	commit max-share "$(percent "$units")" "${change[@]}"
	# it is above already, but not raised
	commit max-share 20% backend add b5 addr 203.0.113.96 weight 10
	fr -j backend show web4 b4 | jq -e '.[0].slots > 20000'
	refused "would get" commit max-share 20% backend del b5
	commit max-share 100% backend del b5
}

dry_run()
{
	local before plan made

	both nat 3
	before=$(state)
	printf '%s\n' "backend set b1 state down" "ring set vnodes 100" \
		"backend add b4 addr $(backend4 1) port 8081 weight 40" \
		"backend del b2" >"$WORK/changes"
	listen
	plan=$(fr -j plan web4 <"$WORK/changes")
	fr -j ring commit web4 dry-run <"$WORK/changes" >"$WORK/again"
	equal "$plan" "$(cat "$WORK/again")" "plan and dry-run"
	equal "$before" "$(state)" state
	# "create" makes none either, nor an address that is taken for a while
	fr -j ring commit none create dry-run \
		backend add b1 addr 203.0.113.97 >"$WORK/again"
	equal "" "$(events)" events
	equal "web4 web6" "$(fr -j ring show |
		jq -r 'map(.name) | join(" ")')" rings
	made=$(fr -j ring commit web4 <"$WORK/changes")
	equal true "$(jq '.[0]."dry-run"' <<<"$plan")"
	equal false "$(jq '.[0]."dry-run"' <<<"$made")"
	equal "$(jq -S '.[0] | del(."dry-run")' <<<"$plan")" \
		"$(jq -S '.[0] | del(."dry-run")' <<<"$made")" figures
	equal "$(jq -r '.[0].fingerprint' <<<"$plan")" "$(fingerprint)"
	equal "$(jq '[.[0].backends[] | select(.weight).slots]' <<<"$plan")" \
		"$(fr -j backend show web4 | jq '[.[].slots]')" slots
	equal 5 "$(epoch)" epoch
}

# Case M4: neighbours on the ring fail together. b1's flows would be b2's.
both_down()
{
	local p=$1 first=$2 option=$3 flows1 flows2

	both nat 0 imbalance "$option"
	commit_lines "backend add b1 addr $(backend4 1) port 8080 tokens 4$(
		printf '0%.0s' {1..15})" \
		"backend add b2 addr $(backend4 2) port 8080 tokens 8$(
		printf '0%.0s' {1..15})" \
		"backend add b3 addr $(backend4 3) port 8080 tokens c$(
		printf '0%.0s' {1..15})"
	peer "$cl" many "$p" "$V4" 80 60 "$first" >"$WORK/did"
	equal "b1 b2 b3" "$(distinct <"$WORK/did")" servers
	if [ "$option" = off ]; then
		# the neighbour is who it should be
		fr -j plan web4 backend set b1 state down >"$WORK/plan"
		equal "b2" "$(jq -r '.[0].backends[] | select(.gain > 0).name' \
			"$WORK/plan")" "who would get b1's"
	fi
	commit_lines "backend set b1 state down" "backend set b2 state down"
	flows1=$(backend_stat web4 b1 flows)
	flows2=$(backend_stat web4 b2 flows)
	at_least 1 "$flows1" "flows of b1"
	at_least 1 "$flows2" "flows of b2"
	peer "$cl" many "$p" "$V4" 80 200 "$((first + 100))" >"$WORK/did"
	peer "$cl" many "$p" "$V4" 80 60 "$first" >>"$WORK/did"
	equal 260 "$(wc -l <"$WORK/did")" flows
	equal b3 "$(distinct <"$WORK/did")" servers
	equal "$flows1 $flows2" "$(backend_stat web4 b1 flows) $(
		backend_stat web4 b2 flows)" "flows of b1 and b2"
}

# The same for senders that do not stop
both_down_steady()
{
	local answer

	both nat 3
	hold "$cl" udp "$V4" 80 60 34000
	answer=$(ask 0.1)
	equal "b1 b2 b3 ok" "$(tr ' ' '\n' <<<"$answer" | sort -u | xargs)"
	commit_lines "backend set b1 state down" "backend set b2 state down"
	answer=$(ask 0.5)
	equal "b3 ok" "$(tr ' ' '\n' <<<"$answer" | sort -u | xargs)" servers
}

setup_nat 3
serve_all 3 8080
run_test "changes of all kinds are one step and one table" one_step
run_test "no packet meets half a commit" never_half_made
run_test "another epoch than expected is refused (M6)" stale
run_test "an epoch of the controller's own has to be larger" larger_epoch
run_test "one change that fails, and none is made (M7)" failing_change
run_test "addresses change hands" swapped_addresses
run_test "deleted and added is new" deleted_and_added
run_test "several changes of one backend" several_of_one
run_test "1000 changes, not 1001" limit_of_changes
run_test "max-move at the limit and past it" max_move
run_test "max-share at the limit and past it" max_share
run_test "a dry run changes nothing and is right" dry_run
run_test "tcp: neighbours go down together, no bound (M4)" \
	both_down tcp 30000 off
run_test "tcp: neighbours go down together (M4)" both_down tcp 31000 5
run_test "udp: neighbours go down together (M4)" both_down udp 32000 5
run_test "udp: senders that do not stop meet neither (M4)" both_down_steady
finish
