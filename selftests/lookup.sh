#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 300
#
# What a lookup says: each verdict in text and JSON, and the same hash, slot
# and owners as model.py, which knows nothing of the module's code.  What rings
# and backends say of themselves is the model's, too.

# Tests are called by their names:
# shellcheck disable=SC2317
# shellcheck source=selftests/ctl.sh
. "$(dirname "$0")/ctl.sh"
need_tools python3 jq

key=000102030405060708090a0b0c0d0e0f
count=300
[ "${FLOWRING_VM:-}" = uml ] && count=3000

setup()
{
	setup_ns ns
	fr "$ns" -b - <<-END
	ring add web bits 8 vnodes 16 key $key
	ring add empty bits 8 key $key
	backend add web b1 addr 10.1.0.1 port 8080
	service add tcp 198.51.100.10 port 80 ring web
	service add tcp 198.51.100.10 port 81 ring empty
	service add udp 198.51.100.10 port 53 ring empty
	END
}

# ask WORD...: the lookup's one object.
ask()
{
	fr "$ns" -j lookup "$@" | jq -c '.[0]'
}

flow='"proto":"tcp","saddr":"192.0.2.1","sport":40000,"daddr":"198.51.100.10"'

# The positions of these are golden: Documentation/hash.rst
steer()
{
	same "JSON" "{$flow,\"dport\":80,\"verdict\":\"steer\",\"ring\":\"web\",\"epoch\":2,\"hash\":\"$hash\",\"slot\":$slot,\"backend\":\"b1\",\"mode\":\"nat\",\"addr\":\"10.1.0.1\",\"port\":8080}" \
		"$(ask tcp 192.0.2.1 40000 198.51.100.10 80)"
	same "text" "flow tcp from 192.0.2.1 port 40000 to 198.51.100.10 port 80
    verdict steer: the slot has an owner
    ring web epoch 2 hash $hash slot $slot
    backend b1 addr 10.1.0.1 port 8080 mode nat" \
		"$(fr "$ns" lookup tcp 192.0.2.1 40000 198.51.100.10 80)"
}

no_service()
{
	local where

	for where in "198.51.100.10 82" "198.51.100.11 80"; do
		# shellcheck disable=SC2086
		same "keys" "daddr dport proto saddr sport verdict" \
			"$(ask tcp 192.0.2.1 1 $where | jq -r 'keys | join(" ")')"
	done
	same "verdict" no-service \
		"$(ask udp 192.0.2.1 1 198.51.100.10 80 | jq -r .verdict)"
	same "verdict" no-service \
		"$(ask tcp 2001:db8::1 1 2001:db8::2 80 | jq -r .verdict)"
	same "text" "flow tcp from 192.0.2.1 port 1 to 198.51.100.10 port 82
    verdict no-service: no service is defined for the destination" \
		"$(fr "$ns" lookup tcp 192.0.2.1 1 198.51.100.10 82)"
}

no_backend()
{
	local state

	same "verdict" no-backend \
		"$(ask udp 192.0.2.1 1 198.51.100.10 53 | jq -r .verdict)"
	same "keys" "daddr dport epoch hash proto ring saddr slot sport verdict" \
		"$(ask tcp 192.0.2.1 1 198.51.100.10 81 |
			jq -r 'keys | join(" ")')"
	for state in "state drain" "state down" "weight 0"; do
		# shellcheck disable=SC2086
		fr "$ns" backend set web b1 $state
		same "verdict with $state" no-backend \
			"$(ask tcp 192.0.2.1 1 198.51.100.10 80 |
				jq -r .verdict)"
		fr "$ns" backend set web b1 state up weight 100
		same "verdict after $state" steer \
			"$(ask tcp 192.0.2.1 1 198.51.100.10 80 |
				jq -r .verdict)"
	done
}

nothing_is_counted()
{
	local before

	before=$(fr "$ns" -j -s service show; state "$ns")
	ask tcp 192.0.2.1 1 198.51.100.10 80 >/dev/null
	ask tcp 192.0.2.1 1 198.51.100.10 81 >/dev/null
	same "counters" "$before" "$(fr "$ns" -j -s service show; state "$ns")"
}

# One side writes the commands and what they ought to answer, with the model.
agree()
{
	local seed=$1

	python3 - "$here" "$seed" "$count" "$tmp" <<-'END'
	import random
	import sys
	here, seed, count, tmp = sys.argv[1:]
	sys.path.insert(0, here)
	import model
	rng = random.Random(int(seed))
	load, ask, expect, shown = (open(f"{tmp}/{n}", "w")
	                            for n in ("load", "ask", "expect", "shown"))
	rings = []
	for i in range(8):
	    six = bool(i % 2)
	    key, bits = rng.randbytes(16), rng.randrange(8, 12)
	    vnodes = rng.choice((1, 3, 16, 100, 512))
	    # bounded as by default, bounded, and without a bound
	    imbalance = (5, 5, rng.choice((1, 2, 20, 100)), 0)[i // 2]
	    print(f"ring add r{i} bits {bits} vnodes {vnodes} key {key.hex()}",
	          "" if i < 2 else f"imbalance {imbalance or 'off'}", file=load)
	    backends = []
	    for j in range(rng.randrange(1, 12)):
	        name = f"{rng.randrange(1 << 30):x}-{j}"
	        weight = rng.choice((0, 1, 50, 100, 133, 300))
	        state = rng.choice(("up", "up", "up", "drain", "down"))
	        a = f"2001:db8:1::{j + 1:x}" if six else f"10.1.0.{j + 1}"
	        zone = rng.choice(("", "", "a", "b", "c"))
	        tokens = [rng.getrandbits(64) for _ in range(rng.randrange(9))]
	        if rng.random() < .7:
	            tokens = []
	        print(f"backend add r{i} {name} addr {a} weight {weight}"
	              f" state {state}", f"zone {zone}" if zone else "",
	              "tokens " + ",".join(f"{t:x}" for t in tokens)
	              if tokens else "", file=load)
	        backends.append(model.Backend(
	            name, weight, ("up", "drain", "down").index(state), 0, a, 0,
	            zone, sorted(tokens)))
	    v = f"2001:db8:f::{i + 1}" if six else f"198.51.100.{i + 1}"
	    print(f"service add tcp {v} port 80 ring r{i}", file=load)
	    print(f"service add udp {v} port 53 ring r{i}", file=load)
	    ring = model.Ring(key, bits, vnodes, imbalance, backends=backends)
	    table = ring.table()
	    rings.append((six, ring, table, v))
	    print(f"r{i} {ring.fingerprint():016x}", file=shown)
	    caps = ring.capacities() if imbalance else None
	    for n, (b, slots) in enumerate(zip(ring.backends,
	                                       ring.counts(table))):
	        print(f"r{i} {b.name} {slots}",
	              "null" if caps is None else caps.get(n, 0), file=shown)
	for _ in range(int(count)):
	    six, ring, table, v = rng.choice(rings)
	    proto, number, port = rng.choice((("tcp", 6, 80), ("udp", 17, 53)))
	    n, sport = rng.randrange(1, 1 << 16), rng.randrange(1 << 16)
	    s = f"2001:db8:c::{n:x}" if six else f"192.0.{n >> 8}.{n & 255}"
	    most = rng.choice((1, 2, 3, 64))
	    print(f"lookup {proto} {s} {sport} {v} {port} owners {most}",
	          file=ask)
	    hashed = model.flow(ring.key, number, s, sport, v, port)
	    slot = hashed >> (64 - ring.bits)
	    owner = table[slot]
	    name = None
	    if owner != model.NO_OWNER:
	        name = ring.backends[owner].name
	    print(f"0x{hashed:016x} {slot} {name}",
	          *(f"{ring.backends[n].name}/{ring.backends[n].zone}"
	            for n in ring.owners(table, hashed, most)), file=expect)
	END
	setup_ns other
	run "$other" 0 "" -b "$tmp/load"
	fr "$other" -j -b "$tmp/ask" | jq -r \
		'.[0] | [.hash, .slot, .backend // "None",
			(.owner // [] | .[] | "\(.name)/\(.zone // "")")] |
			join(" ")' >"$tmp/got"
	same "lookups" "$count" "$(wc -l <"$tmp/got")"
	same "answers of seed $seed" "$(cat "$tmp/expect")" "$(cat "$tmp/got")"
	{
		fr "$other" -j ring show | jq -r \
			'.[] | "\(.name) \(.fingerprint | ltrimstr("0x"))"'
		fr "$other" -j backend show | jq -r \
			'.[] | "\(.ring) \(.name) \(.slots) \(.capacity)"'
	} | LC_ALL=C sort >"$tmp/got"
	same "rings and backends of seed $seed" \
		"$(LC_ALL=C sort "$tmp/shown")" "$(cat "$tmp/got")"
}

agrees_with_the_model()
{
	agree 1
	agree "${SEED:-$RANDOM}"
}

setup
hash=0x$(PYTHONPATH=$here python3 -c "import model
print(f'{model.flow(bytes.fromhex(\"$key\"), 6, \"192.0.2.1\", 40000, \"198.51.100.10\", 80):016x}')")
slot=$((16#${hash:2:2}))
run_tests steer no_service no_backend nothing_is_counted agrees_with_the_model
