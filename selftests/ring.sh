#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 900
#
# Placement as the kernel does it on configuration: it depends on names and
# options alone, a change moves what it has to and nothing else, and the
# limits hold at the edge and one past it. No packets: lookup answers.

# Cases are called by their names:
# shellcheck disable=SC2317
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
setup_ns gw || bail "no namespace"

# Source ports that stand for all flows
KEYS=128

# Of the rings that the cases make
IMBALANCE=off

# place NAME...: a ring with those backends added in that order; prints where
# the flows go.
place()
{
	local name

	flush
	{
		echo "ring add web key $KEY bits 12 vnodes 64" \
			"imbalance $IMBALANCE"
		for name; do
			echo "backend add web $name addr 203.0.113.$(
				printf '%d' "'$name")"
		done
		echo "service add tcp $V4 port 80 ring web"
	} | fr -b -
	flows
}

flows()
{
	lookups tcp 4 20000 "$KEYS"
}

orders()
{
	local a b c d

	for a in A B C D; do for b in A B C D; do for c in A B C D; do
		for d in A B C D; do
			case $a$b$c$d in
			*A*A*|*B*B*|*C*C*|*D*D*) ;;
			*)	echo "$a $b $c $d" ;;
			esac
		done
	done; done; done
}

# A ring for each order, and the same service pointed to one after the other,
# as a flow key has the service's address in it
order_batch()
{
	local n=0 a b c d name i

	while read -r a b c d; do
		n=$((n + 1))
		echo "ring add o$n key $KEY bits 12 vnodes 64" \
			"imbalance $IMBALANCE"
		for name in "$a" "$b" "$c" "$d"; do
			echo "backend add o$n $name addr 203.0.113.$(
				printf '%d' "'$name")"
		done
		[ "$n" -gt 1 ] || echo "service add tcp $V4 port 80 ring o1"
		echo "service set tcp $V4 port 80 ring o$n"
		for ((i = 0; i < KEYS; i++)); do
			echo "lookup tcp $C4 $((20000 + i)) $V4 80"
		done
	done < <(orders)
}

# Case R2: all orders of four names, and of adding after deleting
all_orders()
{
	local a want IMBALANCE=$1

	flush
	equal 24 "$(orders | wc -l)" "orders"
	order_batch | fr -j -b - |
		jq -r '.[] | "\(.ring) \(.sport) \(.backend)"' >"$WORK/orders"
	equal $((24 * KEYS)) "$(wc -l <"$WORK/orders")" "lookups"
	equal "A B C D" "$(distinct < <(cut -d' ' -f2- "$WORK/orders"))" owners
	equal "" "$(awk '$1 == "o1" { want[$2] = $3 }
		want[$2] != $3' "$WORK/orders")" "differences from order 1"

	want=$(place A B C D)
	for a in C A D B; do
		fr backend del web "$a" force
		fr backend add web "$a" addr "203.0.113.$(printf '%d' "'$a")"
	done
	equal "$want" "$(flows)" "after deleting and adding each"
}

# moved BEFORE AFTER: lines "FROM TO" of the flows that moved
moved()
{
	paste -d' ' <(printf '%s\n' "$1") <(printf '%s\n' "$2") |
		awk '$2 != $4 { print $2, $4 }'
}

# Case R3: without a bound, what moves when a backend joins moves to it
join_and_leave()
{
	local before after

	before=$(place A B)
	fr backend add web C addr 203.0.113.67
	after=$(flows)
	moved "$before" "$after" | sort | uniq -c
	equal C "$(moved "$before" "$after" | distinct)" "moved to"
	fr backend del web C force
	equal "$before" "$(flows)" "after C left"
}

# With a bound others may move too, but all is as before after the way back
join_and_leave_bounded()
{
	local before IMBALANCE=5

	before=$(place A B)
	fr backend add web C addr 203.0.113.67
	equal "A B C" "$(flows | distinct)" "owners with C"
	fr backend set web C weight 33
	fr ring set web vnodes 65
	fr backend del web C force
	fr ring set web vnodes 64
	equal "$before" "$(flows)" "after C left"
}

# Case R4: identity is the name, not the place in a list or the address
placement_by_name()
{
	local before after

	before=$(place A B C D E)
	fr backend del web C force
	fr backend add web X addr 203.0.113.67
	after=$(flows)
	# what left C, and what X took
	equal "" "$(moved "$before" "$after" |
		awk '$1 != "C" && $2 != "X"')" "other moves"
	at_least 1 "$(moved "$before" "$after" | awk '$1 == "C"' | wc -l)"
	fr backend del web X force
	fr backend add web C addr 203.0.113.99
	equal "$before" "$(flows)" "with C back at another address"
}

weights()
{
	local w before after

	before=$(place A B C D)
	for w in 0 1 50 99 101 200 10000; do
		fr backend set web B weight "$w"
		after=$(flows)
		if [ "$w" -lt 100 ]; then
			equal "" "$(moved "$before" "$after" |
				awk '$1 != "B"')" "moves at weight $w"
		else
			equal "" "$(moved "$before" "$after" |
				awk '$2 != "B"')" "moves at weight $w"
		fi
	done
	fr backend set web B weight 100
	equal "$before" "$(flows)" "at weight 100 again"
}

weights_bounded()
{
	local w before IMBALANCE=5

	before=$(place A B C D)
	for w in 0 1 50 99 101 200 10000; do
		fr backend set web B weight "$w"
	done
	fails equal "$before" "$(flows)" "at weight 10000"
	fr backend set web B weight 100
	equal "$before" "$(flows)" "at weight 100 again"
}

slots_sum()
{
	local sum IMBALANCE=$1

	place A B C D E >/dev/null
	for change in "backend set web A weight 7" \
		      "backend set web B state drain" \
		      "backend set web C state down" \
		      "ring set web bits 20" "ring set web vnodes 1" \
		      "ring set web bits 8" "backend del web D force"; do
		# shellcheck disable=SC2086
		fr $change
		sum=$(fr -j backend show web | jq '[.[].slots] | add')
		equal "$((1 << $(fr -j ring show web | jq '.[0].bits')))" \
			"$sum" "slots after $change"
		equal "" "$(fr -j backend show web | jq -r '.[] |
			select(.capacity and .slots > .capacity) | .name')" \
			"over their capacity after $change"
	done
	if [ "$IMBALANCE" = off ]; then
		equal 0 "$(fr -j backend show web |
			jq 'map(select(has("capacity"))) | length')" capacities
	else
		at_least 256 "$(fr -j backend show web |
			jq 'map(.capacity) | add')" "sum of capacities"
	fi
}

# 2^20 tokens are allowed, one more is not
token_limit()
{
	flush
	fr ring add big bits 8 vnodes 65536
	fr backend add big a addr 203.0.113.1 weight 1599
	fr backend add big b addr 203.0.113.2 weight 1
	# round(65536 * 1599 / 100) + round(65536 * 1 / 100)
	equal 1048576 "$(fr -j ring show big | jq '.[0].tokens')" tokens
	refused "over 1048576 tokens" fr backend set big b weight 2
	refused "over 1048576 tokens" \
		fr backend add big c addr 203.0.113.3 weight 1
	fr backend del big b
	fr backend set big a weight 1600
	equal 1048576 "$(fr -j ring show big | jq '.[0].tokens')" tokens
	# those that are not up count too: bringing one up never fails
	fr backend set big a state down
	refused "over 1048576 tokens" \
		fr backend add big c addr 203.0.113.3 weight 1
	fr backend set big a state up
}

# As commits, since each change alone takes time for all backends
backend_limit()
{
	local part

	flush
	fr ring add big bits 8 vnodes 1
	awk 'BEGIN { for (i = 1; i < 65535; i++)
		printf "backend add b%d addr 10.%d.%d.%d weight 0\n",
		i, i / 65536, i / 256 % 256, i % 256 }' |
		split -l 1000 - "$WORK/backends."
	for part in "$WORK"/backends.*; do
		fr ring commit big <"$part" >/dev/null
	done
	equal 65534 "$(fr -j ring show big | jq '.[0].backends')" backends
	refused "no more than 65534 backends" \
		fr backend add big x addr 10.9.9.9
	# the last one can own slots
	fr backend set big b65534 weight 100
	equal 256 "$(fr -j backend show big b65534 | jq '.[0].slots')" slots
	fr backend del big b1
	fr backend add big x addr 10.9.9.9
}

for i in off 5; do
	run_test "placement does not depend on order, imbalance $i (R2)" \
		all_orders "$i"
	run_test "the slots add up after every kind of change, imbalance $i" \
		slots_sum "$i"
done
run_test "a join moves flows to it only, and back (R3)" join_and_leave
run_test "a bounded ring is as before after a join and back (R3)" \
	join_and_leave_bounded
run_test "placement depends on the name (R4)" placement_by_name
run_test "a weight moves flows to or from its backend only" weights
run_test "a bounded ring is as before after weights and back" weights_bounded
run_test "limit of tokens" token_limit
run_test "limit of backends" backend_limit
finish
