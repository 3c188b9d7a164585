#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The golden vectors that selftests/model.py gives: as tables for
Documentation/hash.rst and as kmod/tests/golden.h for the tests in C.

    golden.py header         print the header
    golden.py page           print the tables of the page
    golden.py update         write both into the tree
    golden.py check          see that both are current (KTAP)
"""

import ipaddress
import sys
from pathlib import Path

from model import (DOWN, DRAIN, GUE, IPIP, M64, MARK, SIPHASH_VECTORS, Backend, Ring, digest,
                   flow, moved_and_least, token)

TOP = Path(__file__).resolve().parent.parent
HEADER = TOP / "kmod" / "tests" / "golden.h"
PAGE = TOP / "Documentation" / "hash.rst"
BEGIN = ".. golden vectors begin (selftests/golden.py update)\n"
END = ".. golden vectors end\n"

NSAMPLES = 8
NOWNERS = 4

KEYS = {"K0": "000102030405060708090a0b0c0d0e0f",
        "K1": "f0debc9a78563412ffeeddccbbaa9988"}

TOKENS = [
    ("K0", "A", 0), ("K0", "A", 1), ("K0", "A", 255), ("K0", "A", 256),
    ("K0", "A", 65536), ("K0", "A", 6553599), ("K0", "B", 0),
    ("K1", "A", 0), ("K0", "web-1", 0), ("K0", "web-10", 0),
    ("K1", "backend.example.net", 16909060),
    ("K1", "0123456789abcdef0123456789abcde", 511),
]

FLOWS = [
    ("K0", 6, "192.0.2.1", 40000, "198.51.100.10", 80),
    ("K0", 6, "192.0.2.1", 40001, "198.51.100.10", 80),
    ("K0", 17, "192.0.2.1", 40000, "198.51.100.10", 80),
    ("K0", 6, "198.51.100.10", 80, "192.0.2.1", 40000),
    ("K1", 6, "192.0.2.1", 40000, "198.51.100.10", 80),
    ("K0", 0, "0.0.0.0", 0, "0.0.0.0", 0),
    ("K0", 255, "255.255.255.255", 65535, "255.255.255.255", 65535),
    ("K0", 17, "1.2.3.4", 0x0102, "5.6.7.8", 0x0304),
    ("K0", 6, "2001:db8::1", 40000, "2001:db8:ffff::10", 443),
    ("K0", 17, "2001:db8::1", 40000, "2001:db8:ffff::10", 443),
    ("K1", 6, "2001:db8::1", 40000, "2001:db8:ffff::10", 443),
    ("K0", 6, "2001:db8:1:2:3:4:5:6", 258, "2001:db8:7:8:9:a:b:c", 772),
    ("K0", 6, "::ffff:192.0.2.1", 40000, "::ffff:198.51.100.10", 80),
]


def key_of(label):
    return bytes.fromhex(KEYS[label])


def ring(label, bits, vnodes, imbalance, weights, *more, **options):
    """A ring of {name: weight} and of backends given as a whole."""
    backends = [Backend(n, w) for n, w in weights.items()] + list(more)
    return Ring(key_of(label), bits, vnodes, imbalance, backends=backends,
                **options)


def slot_ends(*slots):
    return [s << 56 for s in slots]


# A and B share a position, C and B as well, D has one at the very end
COLLIDING = [
    Backend("A", explicit=slot_ends(20, 100, 150)),
    Backend("B", explicit=slot_ends(60, 100, 200)),
    Backend("C", explicit=slot_ends(80, 200, 220)),
    Backend("D", explicit=[*slot_ends(20, 240), M64]),
]

# All that a fingerprint covers
FULL = [
    Backend("a1", 100, addr="10.1.0.1", port=8080, zone="east"),
    Backend("a2", 50, addr="10.1.0.2", port=8080, zone="east"),
    Backend("b1", 100, addr="2001:db8:2::1", port=65535, zone="west"),
    Backend("b2", 100, DRAIN, addr="2001:db8:2::2", zone="west"),
    Backend("c1", 150, mode=1, addr="10.3.0.1", zone="north",
            explicit=[7, 1 << 40, 1 << 63, M64]),
    Backend("c2", 0, mode=1, addr="10.3.0.2", explicit=[1 << 40]),
    Backend("c3", 100, DOWN, mode=1, addr="10.3.0.3"),
    Backend("d1", 100, addr="10.4.0.1"),
    Backend("d2", 100, addr="10.4.0.2"),
]


# What the modes without state have
MODES = [
    Backend("d", mode=1, addr="10.1.0.1"),
    Backend("g4", mode=GUE, addr="10.1.0.1", port=6080, checksum=1),
    Backend("g6", 50, mode=GUE, addr="2001:db8:2::1", port=6081),
    Backend("i4", mode=IPIP, addr="10.1.0.2"),
    Backend("i6", mode=IPIP, addr="2001:db8:2::2", zone="east"),
    Backend("m1", mode=MARK, addr="", mark=0x10),
    Backend("m2", mode=MARK, addr="", mark=0xfedcba98, explicit=[1 << 63]),
]


def many(prefix, count):
    return {f"{prefix}{i}": 100 for i in range(count)}


def rings():
    abc = {"A": 100, "B": 100, "C": 100}
    halves = {"A": 50, "B": 100, "C": 200, "D": 0}
    webs = {"web-1": 100, "web-10": 1, "web": 33, "Web": 7}
    yield ring("K0", 8, 16, 0, {})
    yield ring("K0", 8, 1, 0, {"A": 100})
    yield ring("K0", 8, 64, 0, {"A": 100, "B": 100})
    yield ring("K0", 8, 3, 0, {"A": 1, "B": 50, "C": 150})
    yield ring("K0", 10, 128, 0, abc)
    yield ring("K0", 10, 128, 0, {"A": 100, "C": 100})
    yield ring("K0", 12, 128, 0, halves)
    yield ring("K1", 16, 512, 0, many("b", 5))
    yield ring("K1", 12, 100, 0, webs)
    yield ring("K1", 20, 256, 0, many("b", 40))
    yield ring("K0", 8, 1, 0, {}, *COLLIDING)
    yield ring("K0", 8, 16, 5, {})
    yield ring("K0", 8, 1, 1, {"A": 100})
    yield ring("K0", 8, 1, 1, {}, Backend("A", 1, explicit=[0]),
               Backend("B", 3, explicit=[1 << 63]))
    yield ring("K0", 8, 1, 5, {}, *COLLIDING)
    yield ring("K0", 10, 128, 5, abc)
    yield ring("K0", 10, 128, 5, {"A": 100, "C": 100})
    yield ring("K0", 11, 128, 5, abc)
    yield ring("K0", 12, 128, 2, halves)
    yield ring("K1", 12, 100, 100, webs)
    # Some with capacity 0
    yield ring("K1", 8, 4, 100, {"A": 1, "B": 1, "C": 10000, "D": 10000})
    # Capacities that add up to less than the slots
    yield ring("K0", 8, 2, 1, many("i", 40))
    yield ring("K1", 10, 32, 5, {}, *FULL, no_backend=2, masquerade=1)
    yield ring("K1", 16, 512, 5, many("b", 5))
    yield ring("K1", 14, 256, 5, many("b", 40))
    yield ring("K0", 9, 32, 5, {}, *MODES)


RINGS = list(rings())
TABLES = [r.table() for r in RINGS]
MAX_BACKENDS = max(len(r.backends) for r in RINGS)
MAX_TOKENS = max(len(b.explicit) for r in RINGS for b in r.backends)

COLLIDING_RING = next(i for i, r in enumerate(RINGS)
                      if r.backends == COLLIDING)

# Numbers of rings, from 0: before and after
CHANGES = [(0, 1), (4, 5), (5, 4), (4, 15), (15, 16), (16, 15), (15, 17),
           (17, 16), (14, 14), (11, 12), (12, 11), (7, 23), (9, 24)]


def samples(i):
    step = len(TABLES[i]) // NSAMPLES
    return [TABLES[i][k * step + k] for k in range(NSAMPLES)]


def capacities(r):
    caps = r.capacities() if r.imbalance else {}
    return [caps.get(i, 0) for i in range(len(r.backends))]


def asked(i):
    """The position whose owners are in the vectors: in another slot for
    each ring."""
    return (0x9E3779B97F4A7C15 * (i + 1)) & M64


def changes():
    for a, b in CHANGES:
        yield (a, b, *moved_and_least(RINGS[a], TABLES[a],
                                      RINGS[b], TABLES[b]))


def label_of(key):
    return next(k for k in KEYS if key_of(k) == key)


def c_list(values, fmt="{}", per=8, indent="\t\t"):
    rows = [", ".join(fmt.format(v) for v in values[i:i + per])
            for i in range(0, len(values), per)]
    return f",\n{indent}".join(rows)


def c_bytes(data, indent):
    if len(data) == 4:
        return "{ " + c_list(data) + " }"
    return "{ " + c_list(data, "0x{:02x}", 8, indent + "  ") + " }"


def c_backend(b):
    addr = ipaddress.ip_address(b.addr or "0.0.0.0")
    text = (f'\t\t\t{{ "{b.name}", "{b.zone}", {b.weight}, {b.state},'
            f" {b.mode}, {b.checksum}, 0x{b.mark:x}, {addr.version}, {b.port},"
            + (" " if addr.version == 4 else "\n\t\t\t  ")
            + c_bytes(addr.packed, "\t\t\t  "))
    if not b.explicit:
        return text + ", 0, { 0 } },\n"
    return (text + f", {len(b.explicit)},\n\t\t\t  {{ "
            + c_list(b.explicit, "0x{:x}ULL", 3, "\t\t\t    ") + " } },\n")


def c_ring(i):
    r = RINGS[i]
    owners = r.owners(TABLES[i], asked(i), NOWNERS)
    out = [f"""\t{{
\t\t.key = GOLDEN_{label_of(r.key)},
\t\t.bits = {r.bits},
\t\t.vnodes = {r.vnodes},
\t\t.imbalance = {r.imbalance},
\t\t.no_backend = {r.no_backend},
\t\t.masquerade = {r.masquerade},
\t\t.nbackends = {len(r.backends)},
"""]
    if r.backends:
        out += ["\t\t.backends = {\n", *map(c_backend, r.backends), "\t\t},\n"]
        out.append("\t\t.capacities = { "
                   + c_list(capacities(r), indent="\t\t\t\t") + " },\n")
        out.append("\t\t.counts = { "
                   + c_list(r.counts(TABLES[i]), indent="\t\t\t    ")
                   + " },\n")
    out.append(f"""\t\t.samples = {{ {c_list(samples(i))} }},
\t\t.digest = 0x{digest(r.key, TABLES[i]):016x}ULL,
\t\t.fingerprint = 0x{r.fingerprint():016x}ULL,
\t\t.pos = 0x{asked(i):016x}ULL,
\t\t.nowners = {len(owners)},
""")
    if owners:
        out.append(f"\t\t.owners = {{ {c_list(owners)} }},\n")
    out.append("\t},\n")
    return "".join(out)


def c_token(label, name, j):
    return (f'\t{{ GOLDEN_{label}, "{name}", {j},\n'
            f"\t  0x{token(key_of(label), name, j):016x}ULL }},\n")


def c_flow(label, proto, saddr, sport, daddr, dport):
    src, dst = map(ipaddress.ip_address, (saddr, daddr))
    pos = flow(key_of(label), proto, saddr, sport, daddr, dport)
    return (f"\t{{ GOLDEN_{label}, {src.version}, {proto},\n"
            f"\t  {c_bytes(src.packed, chr(9) + '  ')},"
            f"{chr(10) + chr(9) + ' ' if src.version == 6 else ''}"
            f" {c_bytes(dst.packed, chr(9) + '  ')},\n"
            f"\t  {sport}, {dport}, 0x{pos:016x}ULL }},\n")


def header():
    keys = "".join(f"#define GOLDEN_{k}\t{{ "
                   + c_list(key_of(k), "0x{:02x}").replace(
                       ",\n\t\t", ", \\\n\t\t\t  ") + " }\n" for k in KEYS)
    return f"""/* SPDX-License-Identifier: GPL-2.0 */
/* Generated by selftests/golden.py, do not edit: golden.py update */
#ifndef _FLOWRING_GOLDEN_H
#define _FLOWRING_GOLDEN_H

#include <linux/compiler.h>
#include <linux/types.h>

/* No file uses them all: hence __maybe_unused */

#define GOLDEN_BACKENDS\t{MAX_BACKENDS}
#define GOLDEN_TOKENS\t{MAX_TOKENS}
#define GOLDEN_SAMPLES\t{NSAMPLES}
#define GOLDEN_OWNERS\t{NOWNERS}
#define GOLDEN_COLLIDING\t{COLLIDING_RING}\t/* number of a ring below */

{keys}
/* SipHash-2-4, key 00 .. 0f, message 00 .. n-1 */
static const u64 __maybe_unused golden_siphash[] = {{
\t{c_list(SIPHASH_VECTORS, "0x{:016x}ULL", 3, chr(9))},
}};

struct golden_token {{
\tu8 key[16];
\tconst char *name;
\tu32 j;
\tu64 pos;
}};

static const struct golden_token __maybe_unused golden_tokens[] = {{
{"".join(c_token(*t) for t in TOKENS)}}};

struct golden_flow {{
\tu8 key[16];
\tu8 version;
\tu8 proto;
\tu8 saddr[16];
\tu8 daddr[16];
\tu16 sport;
\tu16 dport;
\tu64 pos;
}};

static const struct golden_flow __maybe_unused golden_flows[] = {{
{"".join(c_flow(*f) for f in FLOWS)}}};

struct golden_backend {{
\tconst char *name;
\tconst char *zone;
\tu32 weight;
\tu8 state;
\tu8 mode;
\tu8 checksum;
\tu32 mark;
\tu8 version;
\tu16 port;
\tu8 addr[16];
\tu32 ntokens;
\tu64 tokens[GOLDEN_TOKENS];
}};

/*
 * Backends are in the order of their names, from 0, and so are those that own
 * something. Sample i is slot i * 2^bits / GOLDEN_SAMPLES + i.
 */
struct golden_ring {{
\tu8 key[16];
\tu32 bits;
\tu32 vnodes;
\tu32 imbalance;
\tu8 no_backend;
\tu8 masquerade;
\tu32 nbackends;
\tstruct golden_backend backends[GOLDEN_BACKENDS];
\tu32 capacities[GOLDEN_BACKENDS];
\tu32 counts[GOLDEN_BACKENDS];
\tu16 samples[GOLDEN_SAMPLES];
\tu64 digest;
\tu64 fingerprint;
\tu64 pos;
\tu32 nowners;
\tu32 owners[GOLDEN_OWNERS];
}};

static const struct golden_ring __maybe_unused golden_rings[] = {{
{"".join(map(c_ring, range(len(RINGS))))}}};

struct golden_change {{
\tu32 from;
\tu32 to;
\tu32 moved;
\tu32 least;
}};

static const struct golden_change __maybe_unused golden_changes[] = {{
{"".join(f"	{{ {a}, {b}, {m}, {l} }}," + chr(10) for a, b, m, l in changes())}}};

#endif /* _FLOWRING_GOLDEN_H */
"""


def rst_table(head, rows):
    rows = [[str(c) for c in row] for row in rows]
    width = [max(len(r[i]) for r in [head] + rows) for i in range(len(head))]
    rule = "  ".join("=" * w for w in width) + "\n"

    def line(row):
        return "  ".join(c.ljust(w) for c, w in zip(row, width)).rstrip() + "\n"
    return rule + line(head) + rule + "".join(map(line, rows)) + rule


def rst_fold(indent, words, end):
    """Words after commas, in lines of 80."""
    lines, line = [], indent
    for i, word in enumerate(words):
        word = str(word) + ("," if i + 1 < len(words) else end)
        if len(line) + len(word) + 1 > 80 and line.strip():
            lines.append(line.rstrip())
            line = indent
        line += word + " "
    return "\n".join(lines + [line.rstrip()]) + "\n"


def rst_backend(b):
    words = [b.name, str(b.weight)]
    words += [[], ["drain"], ["down"]][b.state]
    words += [[], ["dr"], ["ipip"], ["gue"], ["mark"]][b.mode]
    if b.mode == GUE:
        words.append("checksum " + ("on" if b.checksum else "off"))
    if b.mode == MARK:
        words.append(f"0x{b.mark:x}")
    elif b.addr != Backend.addr or b.port:
        words.append(b.addr + (f" port {b.port}" if b.port else ""))
    if b.zone:
        words.append(f"zone {b.zone}")
    if b.explicit:
        words.append("tokens " + " ".join(f"0x{t:x}" for t in b.explicit))
    return " ".join(words)


def rst_ring(i):
    r = RINGS[i]
    number = f"{i}. "
    indent = " " * len(number)
    options = [f"key {label_of(r.key)}", f"bits {r.bits}",
               f"vnodes {r.vnodes}", f"imbalance {r.imbalance or 'off'}"]
    options += [[], ["no-backend drop"], ["no-backend pass"]][r.no_backend]
    options += [[], ["masquerade on"]][r.masquerade]
    backends = [rst_backend(b) for b in r.backends] or ["none"]
    if len(backends) > 9:
        first = r.backends[0].name.rstrip("0")
        backends = [f"{first}0 100 and so on to {first}{len(backends) - 1} 100"]
    owners = r.owners(TABLES[i], asked(i), NOWNERS) or ["none"]
    out = number + rst_fold(indent, options, ";")[len(indent):]
    backends[0] = "backends " + backends[0]
    out += rst_fold(indent, backends, ";")
    out += rst_fold(indent, ["samples " + str(samples(i)[0]),
                             *samples(i)[1:]], ";")
    if r.backends:
        counts = r.counts(TABLES[i])
        out += rst_fold(indent, [f"slots {counts[0]}", *counts[1:]], ";")
    if r.backends and r.imbalance:
        caps = capacities(r)
        out += rst_fold(indent, [f"capacities {caps[0]}", *caps[1:]], ";")
    out += rst_fold(indent, [f"owners of 0x{asked(i):016x}: {owners[0]}",
                             *owners[1:]], ";")
    return out + (f"{indent}digest 0x{digest(r.key, TABLES[i]):016x}\n"
                  f"{indent}fingerprint 0x{r.fingerprint():016x}\n")


def tables():
    out = ["\nThe keys of the rings are:\n\n",
           rst_table(["key", "bytes"], [[k, f"``{v}``"]
                                        for k, v in KEYS.items()]),
           "\nTokens:\n\n",
           rst_table(["key", "name", "j", "position"],
                     [[*t, f"0x{token(key_of(t[0]), *t[1:]):016x}"]
                      for t in TOKENS]),
           "\nFlows:\n\n",
           rst_table(["key", "protocol", "source", "port", "destination",
                      "port", "position"],
                     [[*f, f"0x{flow(key_of(f[0]), *f[1:]):016x}"]
                      for f in FLOWS]),
           f"""
Rings. A backend has its name and weight here; it is up, of mode nat, at
{Backend.addr} without a port, in no zone and with derived tokens where nothing
else is said. The samples are the owners of the slots i * 2^bits / {NSAMPLES} + i, for
i from 0 to {NSAMPLES - 1}. Then come the numbers of slots that each backend owns, the
capacities, and the first {NOWNERS} owners of a position:

""", *map(rst_ring, range(len(RINGS))), """
Changes of one of these rings to another:

""", rst_table(["from", "to", "moved", "least"], changes()), "\n"]
    return "".join(out)


def page():
    text = PAGE.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    return head + BEGIN + tables() + END + rest.split(END)[1]


def check():
    """Print KTAP; return whether all holds."""
    tests = [
        ("kmod/tests/golden.h is current",
         HEADER.exists()
         and HEADER.read_text(encoding="utf-8") == header()),
        ("Documentation/hash.rst is current",
         PAGE.read_text(encoding="utf-8") == page()),
        ("one ring has capacities that are short of its slots",
         any(len(r.backends) > 1 and sum(capacities(r)) == r.nslots
             for r in RINGS)),
    ]
    print(f"KTAP version 1\n1..{len(tests)}")
    for i, (name, good) in enumerate(tests, 1):
        print(f"{'ok' if good else 'not ok'} {i} {name}")
    return all(good for _, good in tests)


def main(argv):
    match argv:
        case ["header"]:
            sys.stdout.write(header())
        case ["page"]:
            sys.stdout.write(tables())
        case ["update"]:
            HEADER.write_text(header(), encoding="utf-8")
            PAGE.write_text(page(), encoding="utf-8")
        case ["check"]:
            return 0 if check() else 1
        case _:
            sys.stderr.write(__doc__)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
