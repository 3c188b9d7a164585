#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 600
#
# Gateways agree: tables, figures of commits, owners and fingerprints are those
# of the independent model, and depend on nothing but what hash.rst says. Bounds
# of weights, imbalance, tokens and names hold at the edge and one past it.

# shellcheck disable=SC2154,SC2317
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
setup_ns gw peer || bail "no namespaces"

SEED=${SEED:-$RANDOM}
COMMITS=${COMMITS:-25}

# raw COMMAND [ATTR=VALUE]...: past the tool, which knows some bounds itself
raw()
{
	in_ns "$gw" "$HERE/netlink.py" raw "$@"
}

# wrong TEXT COMMAND...: the tool refuses it, and asks nothing of the kernel
wrong()
{
	local text=$1 out rc=0

	shift
	out=$("$@" 2>&1) || rc=$?
	equal "1 flowring: $text" "$rc $out" "status and message"
}

state()
{
	fr -j -b - <<<$'save\nring show\nbackend show'
}

# random_commits nat|stateless
random_commits()
{
	echo "seed $SEED"
	flush
	# a backend without a route is a warning, and these have none
	"$PYTHON" "$HERE/commits.py" "$gw" "$SEED" "$COMMITS" "$1" \
		>"$WORK/said" 2>"$WORK/err" || {
		grep -v warning: "$WORK/err" || :
		cat "$WORK/said"
		return 1
	}
	cat "$WORK/said"
	grep -q "^$COMMITS commits, " "$WORK/said"
}

fingerprint()
{
	flowring -n "${1:-$gw}" -j ring show web | jq -r '.[0].fingerprint'
}

# where flows go, as address and port, so that nothing else has to be equal
flows()
{
	local i

	for ((i = 0; i < 300; i++)); do
		echo "lookup tcp $C4 $((20000 + i)) $V4 80 owners 3"
	done | flowring -n "$1" -j -b - | jq -c '.[] | [.sport, .hash, .slot,
		.backend, .addr, .port, [.owner[].name]]'
}

# Single commands in one order, one commit in another, with detours
two_gateways()
{
	flush
	fr -b - <<-END
	ring add web key $KEY bits 11 vnodes 70 imbalance 9 owner one
	service add tcp $V4 port 80 ring web
	backend add web delta addr 203.0.113.4
	backend add web alpha addr 203.0.113.1 port 81 weight 50 zone z1
	backend add web bravo addr 203.0.113.2 state drain
	backend add web charlie addr 203.0.113.3 tokens 10,ffffffffffffffff
	END
	flowring -n "$peer" ring commit web create epoch 500 <<-END
	backend add charlie addr 203.0.113.9 tokens ffffffffffffffff,10
	backend add alpha addr 203.0.113.7 weight 51 zone z2 port 81
	backend add zulu addr 203.0.113.26
	ring set key $KEY bits 9
	END
	flowring -n "$peer" -b - <<-END
	service add tcp $V4 port 80 ring web
	backend add web bravo addr 203.0.113.2
	ring set web imbalance 9 owner two vnodes 70
	END
	fails equal "$(fingerprint)" "$(fingerprint "$peer")" fingerprints
	flowring -n "$peer" ring commit web <<-END
	ring set bits 11
	backend set bravo state drain
	backend set charlie addr 203.0.113.3
	backend del zulu
	backend add delta addr 203.0.113.4
	backend set alpha addr 203.0.113.1 weight 50
	END
	equal "$(fingerprint)" "$(fingerprint "$peer")" fingerprints
	equal "5 503" "$(fr -j ring show web | jq '.[0].epoch') $(
		flowring -n "$peer" -j ring show web | jq '.[0].epoch')" epochs
	flows "$gw" >"$WORK/one"
	flows "$peer" >"$WORK/two"
	diff "$WORK/one" "$WORK/two"
	equal 300 "$(wc -l <"$WORK/one")" flows
	# and it is no constant
	at_least 3 "$(jq -r '.[3]' "$WORK/one" | sort -u | wc -l)" backends
	flowring -n "$peer" service del tcp "$V4" port 80
	flowring -n "$peer" ring del web
}

# Each of these changes gives a fingerprint that was not there yet
all_that_matters()
{
	local change print

	flush
	fr -b - <<-END
	ring add web key $KEY bits 8 vnodes 20
	backend add web a addr 203.0.113.1 port 80
	backend add web b addr 203.0.113.2
	END
	fingerprint >"$WORK/prints"
	while read -r change; do
		# shellcheck disable=SC2086
		fr ring commit web $change >/dev/null
		print=$(fingerprint)
		echo "$print $change"
		fails grep -q "$print" "$WORK/prints"
		echo "$print" >>"$WORK/prints"
	done <<-END
	ring set bits 9
	ring set vnodes 21
	ring set imbalance 6
	ring set imbalance off
	ring set no-backend drop
	ring set no-backend pass
	ring set masquerade on
	ring set key 100102030405060708090a0b0c0d0e0f
	backend set a weight 101
	backend set a weight 0
	backend set a state drain
	backend set a state down
	backend set a port 81
	backend set a addr 203.0.113.9
	backend set a addr 2001:db8::1
	backend set a tokens 5
	backend set a tokens 6
	backend set a tokens 5,6
	backend add c addr 203.0.113.3
	backend del b
	backend del c
	backend add C addr 203.0.113.3
	backend del a
	backend del C
	ring set masquerade off
	backend add C addr 203.0.113.3 mode dr
	backend add D addr 203.0.113.4 mode ipip
	backend add E addr 203.0.113.4 mode gue
	backend set E checksum off
	backend set E port 81
	backend add F mark 1 mode mark
	backend set F mark 0x80000000
	END
	equal 33 "$(sort -u "$WORK/prints" | wc -l)" "different ones"
	equal 33 "$(grep -cE '^0x[0-9a-f]{16}$' "$WORK/prints")"
}

# One fingerprint is enough to say: nothing that steers packets has changed
all_that_does_not()
{
	local change before

	flush
	fr -b - <<-END
	ring add web key $KEY bits 8
	backend add web a addr 203.0.113.1
	backend add web b addr 203.0.113.2 weight 30
	END
	before=$(fingerprint)
	while read -r change; do
		# shellcheck disable=SC2086
		fr $change >/dev/null
		equal "$before" "$(fingerprint)" "fingerprint after $change"
	done <<-END
	ring set web owner someone
	ring set web owner none
	backend set web a zone east
	backend set web a zone none
	ring commit web epoch 1000000 ring set bits 8
	service add tcp $V4 port 80 ring web owner me
	service del tcp $V4 port 80
	backend set web b weight 30
	backend set web a tokens derived
	END
	# there and back, and again under another ring's name
	fr ring set web bits 12
	fails equal "$before" "$(fingerprint)"
	fr ring set web bits 8
	equal "$before" "$(fingerprint)" "there and back"
	fr backend del web a
	fr backend add web a addr 203.0.113.1
	equal "$before" "$(fingerprint)" "deleted and added"
	fr ring commit other create <<-END
	backend add b addr 203.0.113.2 weight 30
	backend add a addr 203.0.113.1
	ring set key $KEY bits 8
	END
	equal "$before" "$(fr -j ring show other | jq -r '.[0].fingerprint')"
}

# Case R6: what is out of range is an error that changes nothing
bounds()
{
	local before n

	flush
	fr ring add web key "$KEY" bits 8 vnodes 20
	fr backend add web a addr 203.0.113.1
	before=$(state)
	for n in 10001 65535 65536 4294967295; do
		wrong "weight $n: must be 0 to 10000" \
			fr backend set web a weight "$n"
		equal "ERANGE integer out of range (weight)" \
			"$(raw backend-set ring=web name=a "weight=$n" || :)"
	done
	wrong "weight 4294967296: must be 0 to 10000" \
		fr backend set web a weight 4294967296
	wrong "weight -1: not a number" fr backend set web a weight -1
	wrong "imbalance 101: must be 1 to 100" fr ring set web imbalance 101
	for n in 101 4294967295; do
		equal "ERANGE integer out of range (imbalance)" \
			"$(raw ring-set name=web "imbalance=$n" || :)"
	done
	for n in 0 7 21 64 4294967295; do
		refused "attribute bits: integer out of range (8..20)" \
			fr ring set web bits "$n"
		refused "attribute bits: integer out of range (8..20)" \
			fr ring add new bits "$n"
	done
	for n in 0 65537; do
		fails fr ring set web vnodes "$n"
		equal "ERANGE integer out of range (vnodes)" \
			"$(raw ring-set name=web "vnodes=$n" || :)"
	done
	equal "$before" "$(state)" state
	for n in 0 1 10000; do
		fr backend set web a weight "$n"
		equal "$n" "$(fr -j backend show web a | jq '.[0].weight')"
	done
	for n in 1 100; do
		fr ring set web imbalance "$n"
		equal "$n" "$(fr -j ring show web | jq '.[0].imbalance')"
		equal 256 "$(fr -j backend show web a | jq '.[0].capacity')"
	done
	raw ring-set name=web imbalance=0
	fr ring show web | grep "imbalance off"
	equal null "$(fr -j backend show web a | jq '.[0].capacity')"
	fr ring set web imbalance 7
	fr ring set web imbalance off
	fr ring show web | grep "imbalance off"
}

# Case R6: all weights 0 is no backend, counted, and no crash
all_zero()
{
	local before n option answer

	flush
	fr -b - <<-END
	ring add web key $KEY bits 8 vnodes 20
	backend add web a addr 203.0.113.1
	backend add web b addr 203.0.113.2
	service add udp $V4 port 80 ring web
	END
	ip -n "$gw" link add d0 type dummy
	ip -n "$gw" link set d0 up
	addr "$gw" d0 "$G4"/24
	ip -n "$gw" route add "$V4" dev d0
	for option in 5 off; do
		before=$(service_stat udp 4 no-backend)
		fr ring set web imbalance "$option"
		fr ring commit web <<-END
		backend set a weight 0
		backend set b weight 0
		END
		equal "0 0 0" "$(fr -j ring show web |
			jq -r '.[0] | "\(.usable) \(.tokens)"') $(
			fr -j backend show web | jq '[.[].slots] | add')"
		equal no-backend "$(fr -j lookup udp "$G4" 5 "$V4" 80 owners 4 |
			jq -r '.[0].verdict')" verdict
		answer=$(peer "$gw" try udp "$V4" 80 0 3)
		echo "$answer"
		# what a sender of the gateway's own hears of a rejected packet
		[[ $answer == EPERM* ]]
		n=$(service_stat udp 4 no-backend)
		equal $((before + 1)) "$n" "counted as no-backend"
		fr backend set web b weight 1
		equal 256 "$(fr -j backend show web b | jq '.[0].slots')" slots
	done
}

# hex FROM TO: tokens, joined by commas
hex()
{
	awk -v from="$1" -v to="$2" 'BEGIN { for (i = from; i <= to; i++)
		printf "%s%x", (i > from ? "," : ""), i * 65537 }'
}

explicit_tokens()
{
	local before

	flush
	fr -b - <<-END
	ring add web key $KEY bits 8 vnodes 20
	service add tcp $V4 port 80 ring web
	backend add web a addr 203.0.113.1 tokens ffffffffffffffff,0,80
	backend add web b addr 203.0.113.2
	END
	equal '3 ["0x0000000000000000","0x0000000000000080","0xffffffffffffffff"]' \
		"$(fr -j backend show web a |
			jq -r '.[0] | "\(.tokens) \(."explicit-tokens")"')"
	fr backend show web a | grep \
		"explicit-tokens 0x0000000000000000,0x0000000000000080,0xffffffffffffffff"
	before=$(state)
	refused "token 0x0000000000000001 is given twice" \
		fr backend set web b tokens 1,2,1
	wrong "tokens: more than 1024" \
		fr backend set web b tokens "$(hex 1 1025)"
	raw backend-set ring=web name=b \
		"explicit-tokens=0x$(printf '%016x' {1..1025})" >"$WORK/said" ||
		:
	cat "$WORK/said"
	grep -E "^(EINVAL|ERANGE) .*\(explicit-tokens\)$" "$WORK/said"
	wrong "tokens 10000000000000000: not 1 to 16 hexadecimal digits" \
		fr backend set web b tokens 10000000000000000
	wrong "tokens : not 1 to 16 hexadecimal digits" \
		fr backend set web b tokens ""
	wrong "tokens x: not 1 to 16 hexadecimal digits" \
		fr backend set web b tokens x
	equal "$before" "$(state)" state
	fr backend set web b tokens "$(hex 1 1024)"
	fr backend set web a tokens "$(hex 2000 3023)"
	# each of them alone, and both in one dump
	equal "1024 1024" "$(fr -j backend show web b |
		jq -r '.[0] | "\(.tokens) \(."explicit-tokens" | length)"')"
	equal "1024 1024" "$(fr -j backend show web |
		jq -r 'map(.tokens) | join(" ")')"
	equal "$(printf '0x%016x' 65537)" "$(fr -j backend show web b |
		jq -r '.[0]."explicit-tokens"[0]')"
	fr backend set web b tokens 7
	equal "1 1" "$(fr -j backend show web b |
		jq -r '.[0] | "\(.tokens) \(."explicit-tokens" | length)"')"
	# none is the same as derived, which is what they were
	raw backend-set ring=web name=b explicit-tokens=0x
	equal "20 null" "$(fr -j backend show web b |
		jq -r '.[0] | "\(.tokens) \(."explicit-tokens")"')"
	fr backend set web a tokens derived
	equal "20 null" "$(fr -j backend show web a |
		jq -r '.[0] | "\(.tokens) \(."explicit-tokens")"')"
	# down or without weight it has none, and gets them back
	fr backend set web b tokens 7,8 state down
	equal 0 "$(fr -j backend show web b | jq '.[0].tokens')"
	fr backend set web b state up weight 0
	equal 0 "$(fr -j backend show web b | jq '.[0].tokens')"
	fr backend set web b weight 5
	equal 2 "$(fr -j backend show web b | jq '.[0].tokens')"
}

# Who owns what is plain here: a owns up to 0x40.., b to 0x80.. and so on
owners()
{
	local i names=(a b c d) zones=(z1 z1 z2 none)

	flush
	fr ring add web key "$KEY" bits 8 imbalance off
	for i in 0 1 2 3; do
		fr backend add web "${names[i]}" addr "203.0.113.$((i + 1))" \
			zone "${zones[i]}" tokens "$(printf '%x' $((4 * i + 3)))$(
			printf 'f%.0s' {1..15})"
	done
	fr service add tcp "$V4" port 80 ring web
	for ((i = 0; i < 40; i++)); do
		fr -j lookup tcp "$C4" "$i" "$V4" 80 owners 4
	done | jq -r '.[0] | "\(.hash[2:3]) \([.owner[].name] | join(""))"' \
		>"$WORK/owners"
	cat "$WORK/owners"
	# z1 has a and b; d is alone in no zone
	awk '{ at = int((index("0123456789abcdef", $1) - 1) / 4)
		want = substr("acdbbcdacdabdacb", 4 * at + 1, 4)
		if ($2 != want) { print "owners " $2 ", not " want; bad = 1 } }
		END { exit bad || NR != 40 }' "$WORK/owners"
	equal "acdb acdb bcda cdab dacb" "acdb $(cut -d' ' -f2 \
		"$WORK/owners" | sort -u | xargs)" "all of them were met"
	fr lookup tcp "$C4" 1 "$V4" 80 owners 2 >"$WORK/text"
	equal 2 "$(grep -c '  owner [12] ' "$WORK/text")" "owners in text"
	equal 4 "$(fr -j lookup tcp "$C4" 1 "$V4" 80 owners 64 |
		jq '.[0].owner | length')" "of 64"
	wrong "owners 65: must be 1 to 64" fr lookup tcp "$C4" 1 "$V4" 80 owners 65
	wrong "owners 0: must be 1 to 64" fr lookup tcp "$C4" 1 "$V4" 80 owners 0
	fr backend show web a | grep "zone z1"
	fr backend set web a zone none
	fails grep zone <(fr backend show web a)
}

names()
{
	local n31 n32 before

	flush
	n31=$(printf 'n%.0s' {1..31}) n32=$(printf 'n%.0s' {1..32})
	fr ring add web key "$KEY" bits 8
	fr backend add web a addr 203.0.113.1
	fr service add tcp "$V4" port 80 ring web
	before=$(state)
	fails fr backend set web a zone "$n32"
	fails fr ring set web owner "$n32"
	fails fr service add udp "$V4" port 80 ring web owner "$n32"
	fails fr ring add "$n32"
	fails fr backend add web "$n32" addr 203.0.113.2
	raw backend-set ring=web name=a "zone=$n32" >"$WORK/said" || :
	raw ring-set name=web "owner=$n32" >>"$WORK/said" || :
	raw service-set proto=6 addr="$V4" port=80 ring=web "owner=$n32" \
		>>"$WORK/said" || :
	raw ring-new "name=$n32" >>"$WORK/said" || :
	raw backend-new ring=web "name=$n32" addr=203.0.113.2 \
		>>"$WORK/said" || :
	cat "$WORK/said"
	equal "zone owner owner name name" "$(sed -n \
		's/^E[A-Z]* .*(\([a-z]*\))$/\1/p' "$WORK/said" | xargs)"
	equal "$before" "$(state)" state
	fr backend set web a zone "$n31"
	fr ring set web owner "$n31"
	fr service add udp "$V4" port 80 ring web owner "$n31"
	fr ring add "$n31"
	fr backend add "$n31" "$n31" addr 203.0.113.2
	equal "$n31 $n31 $n31" "$(fr -j backend show web a |
		jq -r '.[0].zone') $(fr -j ring show web | jq -r '.[0].owner') $(
		fr -j service show udp "$V4" port 80 | jq -r '.[0].owner')"
	equal "$n31" "$(fr -j backend show "$n31" | jq -r '.[0].name')"
}

run_test "$COMMITS random commits are the model's" random_commits nat
run_test "and $COMMITS of the other modes" random_commits stateless
run_test "two gateways, two ways, one fingerprint" two_gateways
run_test "the fingerprint has all that matters" all_that_matters
run_test "the fingerprint has nothing else" all_that_does_not
run_test "weights, imbalance and sizes out of range (R6)" bounds
run_test "all weights 0 (R6)" all_zero
run_test "explicit tokens: 1, 1024 and 1025 (R6)" explicit_tokens
run_test "owners of distinct zones first" owners
run_test "names of 31 and 32 bytes (R6)" names
finish
