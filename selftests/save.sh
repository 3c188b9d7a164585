#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 300
#
# save, restore elsewhere, save: the same bytes, as commands and as a document
# that is applied.  What is wrong in a file is said with its line.

# Tests are called by their names:
# shellcheck disable=SC2317
# shellcheck source=selftests/ctl.sh
. "$(dirname "$0")/ctl.sh"
need_tools python3

seed=${SEED:-$RANDOM}

# Random commands, in an order that works but is not save's.
random_config()
{
	python3 - "$seed" <<-'END'
	import random
	import string
	import sys
	rng = random.Random(int(sys.argv[1]))
	letters = "".join(c for c in string.printable if c.isprintable()
	                  and c not in " #/")
	names = set()
	def name():
	    while True:
	        n = "n" + "".join(rng.choices(letters, k=rng.choice((1, 5, 30))))
	        if n not in names:
	            names.add(n)
	            return n
	numbers = iter(rng.sample(range(1, 65536), 1000))
	def addr(six):
	    n = next(numbers)
	    if not six:
	        return f"10.{n >> 8}.{n & 255}.7"
	    return ":".join(f"{rng.choice((0, 0, rng.randrange(1, 65536))):x}"
	                    for _ in range(6)).join(("2001:", f":{n:x}"))
	rings = []
	for i in range(40):
	    ring, six, dr = name(), rng.random() < .5, rng.random() < .2
	    rings.append((ring, six))
	    words = ["ring", "add", ring, "bits", str(rng.randrange(8, 13))]
	    if rng.random() < .7:
	        words += ["vnodes", str(rng.randrange(1, 200))]
	    if rng.random() < .5:
	        words += ["key", rng.randbytes(16).hex()]
	    words += ["no-backend", rng.choice(("reject", "drop", "pass"))]
	    if rng.random() < .3 and not dr:
	        words += ["masquerade", "on"]
	    if rng.random() < .5:
	        words += ["imbalance", rng.choice(("off", "1", "20", "100"))]
	    if rng.random() < .3:
	        words += ["owner", name()]
	    print(*words)
	    for _ in range(rng.randrange(8)):
	        words = ["backend", "add", ring, name(), "addr", addr(six)]
	        if dr:
	            words += ["mode", "dr"]
	        elif rng.random() < .5:
	            words += ["port", str(rng.randrange(1, 65536))]
	        if rng.random() < .6:
	            words += ["weight", str(rng.randrange(0, 500))]
	        if rng.random() < .6:
	            words += ["state", rng.choice(("up", "drain", "down"))]
	        if rng.random() < .3:
	            words += ["zone", name()]
	        if rng.random() < .2:
	            words += ["tokens", ",".join(
	                f"{rng.getrandbits(64):x}"
	                for _ in range(rng.choice((1, 3, 100, 1024))))]
	        print(*words)
	for i in range(60):
	    ring, six = rng.choice(rings)
	    words = ["service add", rng.choice(("tcp", "udp")), addr(six),
	             "port", rng.randrange(1, 65536), "ring", ring]
	    if rng.random() < .3:
	        words += ["owner", name()]
	    print(*words)
	END
}

restored_is_saved()
{
	echo "# seed $seed"
	random_config >"$tmp/config"
	setup_ns ns other
	# a dr backend without a route is a warning, hence the filter
	fr "$ns" -b "$tmp/config" 2>&1 | grep -v warning: >"$tmp/err"
	same "loading" "" "$(cat "$tmp/err")"
	fr "$ns" save commands >"$tmp/first" || fail "save: exit $?"
	[ "$(wc -l <"$tmp/first")" -eq "$(wc -l <"$tmp/config")" ] ||
		fail "not as many lines as commands"
	fr "$other" restore "$tmp/first" 2>/dev/null || fail "restore: exit $?"
	fr "$other" save commands >"$tmp/second" || fail "save: exit $?"
	cmp "$tmp/first" "$tmp/second" || fail "the second save differs"
	[ -s "$tmp/first" ] || fail "nothing was saved"
}

tables_are_the_same()
{
	same "slots" "$(fr "$ns" -j backend show)" "$(fr "$other" -j backend show)"
	same "fingerprints" "$(fingerprints "$ns")" "$(fingerprints "$other")"
}

fingerprints()
{
	fr "$1" -j ring show | jq -c '.[] | [.name, .fingerprint]'
}

# apply NS STDOUT-LINE FILE: that line, and no complaint but of missing routes.
apply()
{
	local rc=0

	fr "$1" apply "$3" >"$tmp/out" 2>"$tmp/err" || rc=$?
	same "exit of apply" 0 "$rc"
	same "errors of apply" "" "$(grep -v warning: "$tmp/err")"
	[ -z "$2" ] || same "what apply says" "$2" "$(cat "$tmp/out")"
}

applied_is_saved()
{
	local before

	setup_ns other
	fr "$ns" save >"$tmp/first.json" || fail "save: exit $?"
	same "rings in the document" "$(grep -c '^ring' "$tmp/first")" \
		"$(jq '.rings | length' "$tmp/first.json")"
	apply "$other" "" "$tmp/first.json"
	fr "$other" save >"$tmp/second.json" || fail "save: exit $?"
	cmp "$tmp/first.json" "$tmp/second.json" ||
		fail "the second document differs"
	fr "$other" save commands >"$tmp/second"
	cmp "$tmp/first" "$tmp/second" || fail "the second save differs"
	tables_are_the_same
	before=$(state "$other")
	apply "$other" "nothing to do" "$tmp/first.json"
	same "after nothing to do" "$before" "$(state "$other")"
	apply "$ns" "nothing to do" "$tmp/second.json"
}

# In the namespace of the test before, which has what the document says.
apply_puts_back_what_others_changed()
{
	local full proto addr port ring owner b c

	full=$(jq -r 'first(.rings[] | select(.backends | length > 1)) |
		"\(.name) \(.backends[0].name) \(.backends[1].name)"' \
		"$tmp/first.json")
	read -r ring b c <<<"$full"
	fr "$other" backend set "$ring" "$b" weight 321 zone elsewhere
	fr "$other" backend del "$ring" "$c"
	fr "$other" ring set "$ring" bits 13 imbalance 77
	owner=$(jq -r '.services[0].owner // "none"' "$tmp/first.json")
	read -r proto addr port < <(jq -r '.services[0] |
		"\(.proto) \(.addr) \(.port)"' "$tmp/first.json")
	fr "$other" service del "$proto" "$addr" port "$port"
	fr "$other" ring add stray bits 8
	fr "$other" service add "$proto" "$addr" port "$port" ring stray \
		owner "$owner"
	fr "$other" save >"$tmp/second.json"
	cmp -s "$tmp/first.json" "$tmp/second.json" &&
		fail "nothing was changed to be put back"
	apply "$other" "" "$tmp/first.json"
	fr "$other" save >"$tmp/second.json"
	cmp "$tmp/first.json" "$tmp/second.json" || fail "not as before"
}

any_order_of_backends_is_saved_alike()
{
	setup_ns other
	grep '^ring' "$tmp/first" | sort -R --random-source="$tmp/first" \
		>"$tmp/mixed"
	grep '^backend' "$tmp/first" | sort -R --random-source="$tmp/first" \
		>>"$tmp/mixed"
	grep '^service' "$tmp/first" | tac >>"$tmp/mixed"
	fr "$other" restore "$tmp/mixed" 2>/dev/null || fail "restore: exit $?"
	fr "$other" save commands >"$tmp/second"
	cmp "$tmp/first" "$tmp/second" || fail "the order of making shows"
}

a_wrong_order_names_the_line()
{
	setup_ns other
	printf '%s\n' "ring add web" "" "# comment" \
		"backend add late b1 addr 10.0.0.1" "ring add late" \
		>"$tmp/wrong"
	run "$other" 2 "flowring: backend late b1: no ring late
Command failed $tmp/wrong:4" restore "$tmp/wrong"
	same "rings" 1 "$(fr "$other" -j ring show | jq length)"
	run "$other" 2 "flowring: ring web exists
Command failed $tmp/wrong:1" -b "$tmp/wrong"
}

wrong_words_run_nothing()
{
	setup_ns other
	printf '%s\n' "ring add web" \
		"backend add web b1 addr 10.0.0.1 weight 10001" >"$tmp/wrong"
	run "$other" 1 "flowring: weight 10001: must be 0 to 10000
Command failed $tmp/wrong:2" restore "$tmp/wrong"
	same "rings" "[]" "$(fr "$other" -j ring show)"
}

twice_fails_at_the_first()
{
	local ring

	ring=$(sed -n '1s/^ring add \([^ ]*\) .*/\1/p' "$tmp/first")
	run "$ns" 2 "flowring: ring $ring exists
Command failed $tmp/first:1" restore "$tmp/first"
	fr "$ns" save commands >"$tmp/second"
	cmp "$tmp/first" "$tmp/second" || fail "a refused restore changed it"
}

force_goes_on()
{
	setup_ns other
	printf '%s\n' "ring add web bits 8" "ring add web bits 9" \
		"ring add two bits 8" "service del tcp 10.0.0.1 port 1" \
		"ring add three bits 8" >"$tmp/some"
	run "$other" 2 "flowring: ring web exists
Command failed $tmp/some:2
flowring: service tcp 10.0.0.1 port 1: no such service
Command failed $tmp/some:4" --force -b "$tmp/some"
	same "rings" "three 8 two 8 web 8" \
		"$(fr "$other" -j ring show |
			jq -r 'map("\(.name) \(.bits)") | join(" ")')"
}

addresses_have_one_spelling()
{
	setup_ns other
	fr "$other" -b - <<-END || fail "exit $?"
	ring add six bits 8
	backend add six a addr 2001:0DB8:0000:0000:0000:0000:0000:0001
	backend add six b addr 2001:db8::0:0:2
	service add tcp 2001:DB8:0:0:1:0:0:1 port 80 ring six
	END
	run "$other" 2 "flowring: backend six c: backend a has that address and port" \
		backend add six c addr 2001:db8::1
	run "$other" 2 "flowring: service tcp 2001:0db8::1:0:0:1 port 80: service exists" \
		service add tcp 2001:0db8::1:0:0:1 port 80 ring six
	same "what is saved" "backend add six a addr 2001:db8::1
backend add six b addr 2001:db8::2
service add tcp 2001:db8::1:0:0:1 port 80" \
		"$(fr "$other" save commands | sed '/^ring/d; s/ weight.*//; s/ ring six$//')"
}

run_tests restored_is_saved tables_are_the_same applied_is_saved \
	apply_puts_back_what_others_changed \
	any_order_of_backends_is_saved_alike a_wrong_order_names_the_line \
	wrong_words_run_nothing twice_fails_at_the_first force_goes_on \
	addresses_have_one_spelling
