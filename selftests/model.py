#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A second implementation of Documentation/hash.rst, written from that page
alone, and the golden vectors that it gives.

    model.py golden          print kmod/tests/golden.h
    model.py rst             print the tables of Documentation/hash.rst
    model.py update          write both into the tree
    model.py check           test this model and that both are current (KTAP)
    model.py random SEED N   print N random rings, one a line
    model.py slots           print the slot table of each ring on stdin

A ring is one line: key, bits and vnodes, then the backends, each NAME=WEIGHT
or NAME@POSITION,... (hexadecimal, instead of the derived tokens), all
separated by spaces.
"""

import ipaddress
import random
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
HEADER = TOP / "kmod" / "tests" / "golden.h"
PAGE = TOP / "Documentation" / "hash.rst"
BEGIN = ".. golden vectors begin (selftests/model.py update)\n"
END = ".. golden vectors end\n"

M64 = 2**64 - 1
NO_OWNER = 0xFFFF

# First 8 bytes little-endian of vectors_sip64 in the SipHash authors'
# reference implementation: key 00 .. 0f, message 00 .. n-1
SIPHASH_VECTORS = [
    0x726FDB47DD0E0E31, 0x74F839C593DC67FD, 0x0D6C8009D9A94F5A,
    0x85676696D7FB7E2D, 0xCF2794E0277187B7, 0x18765564CD99A68D,
    0xCBC9466E58FEE3CE, 0xAB0200F58B01D137, 0x93F5F5799A932462,
    0x9E0082DF0BA9E4B0, 0x7A5DBBC594DDB9F3, 0xF4B32F46226BADA7,
    0x751E8FBC860EE5FB, 0x14EA5627C0843D90, 0xF723CA908E7AF2EE,
    0xA129CA6149BE45E5, 0x3F2ACC7F57C29BDB, 0x699AE9F52CBE4794,
    0x4BC1B3F0968DD39C, 0xBB6DC91DA77961BD, 0xBED65CF21AA2EE98,
    0xD0F2CBB02E3B67C7, 0x93536795E3A33E88, 0xA80C038CCD5CCEC8,
    0xB8AD50C6F649AF94, 0xBCE192DE8A85B8EA, 0x17D835B85BBB15F3,
    0x2F2E6163076BCFAD, 0xDE4DAAACA71DC9A5, 0xA6A2506687956571,
    0xAD87A3535C49EF28, 0x32D892FAD841C342, 0x7127512F72F27CCE,
    0xA7F32346F95978E3, 0x12E0B01ABB051238, 0x15E034D40FA197AE,
    0x314DFFBE0815A3B4, 0x027990F029623981, 0xCADCD4E59EF40C4D,
    0x9ABFD8766A33735C, 0x0E3EA96B5304A7D0, 0xAD0C42D6FC585992,
    0x187306C89BC215A9, 0xD4A60ABCF3792B95, 0xF935451DE4F21DF2,
    0xA9538F0419755787, 0xDB9ACDDFF56CA510, 0xD06C98CD5C0975EB,
    0xE612A3CB9ECBA951, 0xC766E62CFCADAF96, 0xEE64435A9752FE72,
    0xA192D576B245165A, 0x0A8787BF8ECB74B2, 0x81B3E73D20B49B6F,
    0x7FA8220BA3B2ECEA, 0x245731C13CA42499, 0xB78DBFAF3A8D83BD,
    0xEA1AD565322A1A0B, 0x60E61C23A3795013, 0x6606D7E446282B93,
    0x6CA4ECB15C5F91E1, 0x9F626DA15C9625F3, 0xE51B38608EF25F57,
    0x958A324CEB064572,
]

KEY0 = "000102030405060708090a0b0c0d0e0f"
KEY1 = "f0debc9a78563412ffeeddccbbaa9988"

TOKENS = [
    (KEY0, "A", 0), (KEY0, "A", 1), (KEY0, "A", 255), (KEY0, "A", 256),
    (KEY0, "A", 65536), (KEY0, "A", 6553599), (KEY0, "B", 0),
    (KEY1, "A", 0), (KEY0, "web-1", 0), (KEY0, "web-10", 0),
    (KEY1, "backend.example.net", 16909060),
    (KEY1, "0123456789abcdef0123456789abcde", 511),
]

FLOWS = [
    (KEY0, 6, "192.0.2.1", 40000, "198.51.100.10", 80),
    (KEY0, 6, "192.0.2.1", 40001, "198.51.100.10", 80),
    (KEY0, 17, "192.0.2.1", 40000, "198.51.100.10", 80),
    (KEY0, 6, "198.51.100.10", 80, "192.0.2.1", 40000),
    (KEY1, 6, "192.0.2.1", 40000, "198.51.100.10", 80),
    (KEY0, 0, "0.0.0.0", 0, "0.0.0.0", 0),
    (KEY0, 255, "255.255.255.255", 65535, "255.255.255.255", 65535),
    (KEY0, 17, "1.2.3.4", 0x0102, "5.6.7.8", 0x0304),
    (KEY0, 6, "2001:db8::1", 40000, "2001:db8:ffff::10", 443),
    (KEY0, 17, "2001:db8::1", 40000, "2001:db8:ffff::10", 443),
    (KEY1, 6, "2001:db8::1", 40000, "2001:db8:ffff::10", 443),
    (KEY0, 6, "2001:db8:1:2:3:4:5:6", 258, "2001:db8:7:8:9:a:b:c", 772),
    (KEY0, 6, "::ffff:192.0.2.1", 40000, "::ffff:198.51.100.10", 80),
]

# key, bits, vnodes, {name: weight}
RINGS = [
    (KEY0, 8, 16, {}),
    (KEY0, 8, 1, {"A": 100}),
    (KEY0, 8, 64, {"A": 100, "B": 100}),
    (KEY0, 8, 3, {"A": 1, "B": 50, "C": 150}),
    (KEY0, 10, 128, {"A": 100, "B": 100, "C": 100}),
    (KEY0, 10, 128, {"A": 100, "C": 100}),
    (KEY0, 12, 128, {"A": 50, "B": 100, "C": 200, "D": 0}),
    (KEY1, 16, 512, {"A": 100, "B": 100, "C": 100, "D": 100, "E": 100}),
    (KEY1, 12, 100, {"web-1": 100, "web-10": 1, "web": 33, "Web": 7}),
    (KEY1, 20, 256, {f"b{i}": 100 for i in range(40)}),
]

# Positions in 256ths of the circle: A and B share one, A has one twice, D has
# one at the very end. key 0, bits 8, owners A = 0 and so on.
COLLIDING = {"A": [100, 20, 20, 150], "B": [60, 100, 200],
             "C": [80, 220, 200], "D": [20, 240, 256]}

NSAMPLES = 8

# Where the second line of an initialiser in the header starts
KEY_INDENT = "\t\t\t "
ADDR_INDENT = "\t\t\t   "
SAMPLE_INDENT = "\t\t\t     "


def siphash(key, data):
    """SipHash-2-4 of the bytes data under the 16 bytes key."""
    def rotl(x, n):
        return (x << n | x >> (64 - n)) & M64

    def rounds(n):
        nonlocal v0, v1, v2, v3
        for _ in range(n):
            v0 = (v0 + v1) & M64
            v1 = rotl(v1, 13) ^ v0
            v0 = rotl(v0, 32)
            v2 = (v2 + v3) & M64
            v3 = rotl(v3, 16) ^ v2
            v0 = (v0 + v3) & M64
            v3 = rotl(v3, 21) ^ v0
            v2 = (v2 + v1) & M64
            v1 = rotl(v1, 17) ^ v2
            v2 = rotl(v2, 32)

    k0 = int.from_bytes(key[:8], "little")
    k1 = int.from_bytes(key[8:], "little")
    v0 = k0 ^ 0x736F6D6570736575
    v1 = k1 ^ 0x646F72616E646F6D
    v2 = k0 ^ 0x6C7967656E657261
    v3 = k1 ^ 0x7465646279746573
    padded = data + bytes(-(len(data) + 1) % 8) + bytes([len(data) % 256])
    for at in range(0, len(padded), 8):
        m = int.from_bytes(padded[at:at + 8], "little")
        v3 ^= m
        rounds(2)
        v0 ^= m
    v2 ^= 0xFF
    rounds(4)
    return v0 ^ v1 ^ v2 ^ v3


def ntokens(vnodes, weight):
    if weight == 0:
        return 0
    return max(1, (vnodes * weight + 50) // 100)


def token(key, name, j):
    name = name.encode()
    return siphash(key, b"T" + bytes([len(name), 0, 0])
                   + j.to_bytes(4, "little") + name)


def flow(key, proto, saddr, sport, daddr, dport):
    saddr = ipaddress.ip_address(saddr)
    daddr = ipaddress.ip_address(daddr)
    return siphash(key, b"K" + bytes([saddr.version, proto, 0x1F])
                   + sport.to_bytes(2, "big") + dport.to_bytes(2, "big")
                   + saddr.packed + daddr.packed)


def slots(bits, backends):
    """Owners of all slots; backends is {name: [position of each token]}."""
    names = sorted(backends, key=str.encode)
    circle = sorted((pos, name.encode(), j, names.index(name))
                    for name in names
                    for j, pos in enumerate(backends[name]))
    table = []
    at = 0
    for slot in range(2**bits):
        first = slot << (64 - bits)
        while at < len(circle) and circle[at][0] < first:
            at += 1
        if not circle:
            table.append(NO_OWNER)
        else:
            table.append(circle[at % len(circle)][3])
    return table


def derived(key, vnodes, weights):
    return {name: [token(key, name, j) for j in range(ntokens(vnodes, weight))]
            for name, weight in weights.items()}


def digest(key, table):
    return siphash(key, b"".join(o.to_bytes(2, "little") for o in table))


def golden_rings():
    for hexkey, bits, vnodes, weights in RINGS:
        key = bytes.fromhex(hexkey)
        table = slots(bits, derived(key, vnodes, weights))
        step = len(table) // NSAMPLES
        samples = [table[i * step + i] for i in range(NSAMPLES)]
        yield hexkey, bits, vnodes, weights, samples, digest(key, table)


def colliding_digest():
    positions = {n: [min(p << 56, M64) for p in ps]
                 for n, ps in COLLIDING.items()}
    return digest(bytes(16), slots(8, positions))


def c_array(values, fmt, per):
    lines = []
    for i in range(0, len(values), per):
        line = ", ".join(fmt.format(v) for v in values[i:i + per])
        lines.append("\t" + line + ",\n")
    return "".join(lines)


def c_bytes(data, indent):
    rows = [", ".join(f"0x{b:02x}" for b in data[i:i + 8])
            for i in range(0, len(data), 8)]
    return "{ " + (",\n" + indent).join(rows) + " }"


def golden_header():
    out = ["""/* SPDX-License-Identifier: GPL-2.0 */
/* Generated by selftests/model.py, do not edit: model.py update */
#ifndef _FLOWRING_GOLDEN_H
#define _FLOWRING_GOLDEN_H

#include <linux/compiler.h>
#include <linux/types.h>

/* No file uses them all: hence __maybe_unused */

"""]
    nbackends = max(len(r[3]) for r in RINGS)
    out.append(f"#define GOLDEN_BACKENDS\t{nbackends}\n")
    out.append(f"#define GOLDEN_SAMPLES\t{NSAMPLES}\n")
    out.append("""
/* SipHash-2-4, key 00 .. 0f, message 00 .. n-1 */
static const u64 __maybe_unused golden_siphash[] = {
""")
    out.append(c_array(SIPHASH_VECTORS, "0x{:016x}ULL", 3))
    out.append("""};

struct golden_token {
	u8 key[16];
	const char *name;
	u32 j;
	u64 pos;
};

static const struct golden_token __maybe_unused golden_tokens[] = {
""")
    for hexkey, name, j in TOKENS:
        key = bytes.fromhex(hexkey)
        out.append(f"""\t{{
\t\t.key = {c_bytes(key, KEY_INDENT)},
\t\t.name = "{name}",
\t\t.j = {j},
\t\t.pos = 0x{token(key, name, j):016x}ULL,
\t}},
""")
    out.append("""};

struct golden_flow {
	u8 key[16];
	u8 version;
	u8 proto;
	u8 saddr[16];
	u8 daddr[16];
	u16 sport;
	u16 dport;
	u64 pos;
};

static const struct golden_flow __maybe_unused golden_flows[] = {
""")
    for hexkey, proto, saddr, sport, daddr, dport in FLOWS:
        key = bytes.fromhex(hexkey)
        src = ipaddress.ip_address(saddr)
        dst = ipaddress.ip_address(daddr)
        pos = flow(key, proto, saddr, sport, daddr, dport)
        out.append(f"""\t{{
\t\t.key = {c_bytes(key, KEY_INDENT)},
\t\t.version = {src.version},
\t\t.proto = {proto},
\t\t.saddr = {c_bytes(src.packed, ADDR_INDENT)},
\t\t.daddr = {c_bytes(dst.packed, ADDR_INDENT)},
\t\t.sport = {sport},
\t\t.dport = {dport},
\t\t.pos = 0x{pos:016x}ULL,
\t}},
""")
    out.append("""};

struct golden_backend {
	const char *name;
	u32 weight;
};

/*
 * Owners count from 0 in the order of the names, which is not always the order
 * here. Sample i is slot i * 2^bits / GOLDEN_SAMPLES + i.
 */
struct golden_ring {
	u8 key[16];
	u32 bits;
	u32 vnodes;
	u32 nbackends;
	struct golden_backend backends[GOLDEN_BACKENDS];
	u16 samples[GOLDEN_SAMPLES];
	u64 digest;
};

static const struct golden_ring __maybe_unused golden_rings[] = {
""")
    for hexkey, bits, vnodes, weights, samples, dig in golden_rings():
        key = bytes.fromhex(hexkey)
        out.append(f"""\t{{
\t\t.key = {c_bytes(key, KEY_INDENT)},
\t\t.bits = {bits},
\t\t.vnodes = {vnodes},
\t\t.nbackends = {len(weights)},
""")
        if weights:
            out.append("\t\t.backends = {\n")
            for name, weight in weights.items():
                out.append(f'\t\t\t{{ "{name}", {weight} }},\n')
            out.append("\t\t},\n")
        half = NSAMPLES // 2
        out.append("\t\t.samples = { "
                   + ", ".join(map(str, samples[:half])) + ",\n"
                   + SAMPLE_INDENT
                   + ", ".join(map(str, samples[half:])) + " },\n")
        out.append(f"\t\t.digest = 0x{dig:016x}ULL,\n\t}},\n")
    out.append(f"""}};

/* Digest of the ring with equal positions that ring_kunit.c builds */
#define GOLDEN_COLLIDING\t0x{colliding_digest():016x}ULL

#endif /* _FLOWRING_GOLDEN_H */
""")
    return "".join(out)


def rst_table(head, rows):
    rows = [[str(c) for c in row] for row in rows]
    width = [max(len(r[i]) for r in [head] + rows) for i in range(len(head))]
    rule = "  ".join("=" * w for w in width) + "\n"

    def line(row):
        return "  ".join(c.ljust(w) for c, w in zip(row, width)).rstrip() + "\n"
    return rule + line(head) + rule + "".join(map(line, rows)) + rule


def golden_page():
    out = ["\nThe keys of the rings are:\n\n",
           rst_table(["key", "bytes"],
                     [["K0", f"``{KEY0}``"], ["K1", f"``{KEY1}``"]]),
           "\nTokens:\n\n"]
    label = {KEY0: "K0", KEY1: "K1"}
    out.append(rst_table(
        ["key", "name", "j", "position"],
        [[label[k], n, j, f"0x{token(bytes.fromhex(k), n, j):016x}"]
         for k, n, j in TOKENS]))
    out.append("\nFlows:\n\n")
    out.append(rst_table(
        ["key", "protocol", "source", "port", "destination", "port",
         "position"],
        [[label[f[0]], *f[1:], f"0x{flow(bytes.fromhex(f[0]), *f[1:]):016x}"]
         for f in FLOWS]))
    out.append(f"""
Rings. The samples are the owners of the slots i * 2^bits / {NSAMPLES} + i, for i
from 0 to {NSAMPLES - 1}:

""")
    for i, (k, bits, vnodes, weights, samples, dig) in enumerate(golden_rings()):
        names = ", ".join(f"{n} {w}" for n, w in weights.items()) or "none"
        if len(weights) > 9:
            some = list(weights.items())
            names = (f"{some[0][0]} {some[0][1]} and so on to "
                     f"{some[-1][0]} {some[-1][1]}")
        number = f"{i + 1}. "
        indent = " " * len(number)
        out.append(f"""{number}key {label[k]}, bits {bits}, vnodes {vnodes};
{indent}backends and weights: {names};
{indent}samples {", ".join(str(s) for s in samples)};
{indent}digest 0x{dig:016x}
""")
    out.append("\n")
    return "".join(out)


def page_with(tables):
    page = PAGE.read_text(encoding="utf-8")
    head, rest = page.split(BEGIN)
    tail = rest.split(END)[1]
    return head + BEGIN + tables + END + tail


def check():
    """Print KTAP; return whether all holds."""
    key = bytes(range(16))
    ab = {"A": [100], "B": [200]}

    def owner(pos):
        # Slots stand for their first position: a table fine enough to have
        # pos in it is too large, so move the tokens instead of the slot
        moved = {n: [(t - pos) & M64 for t in ts] for n, ts in ab.items()}
        circle = sorted((t, n) for n, ts in moved.items() for t in ts)
        return circle[0][1]
    tests = [
        ("the official SipHash-2-4 vectors hold",
         all(siphash(key, bytes(range(n))) == v
             for n, v in enumerate(SIPHASH_VECTORS))),
        ("the numbers of the page's example hold",
         [owner(p) for p in (0, 100, 101, 200, 201, M64)]
         == ["A", "A", "B", "B", "A", "A"]
         and slots(8, ab)[:2] == [0, 0]),
        ("kmod/tests/golden.h is current",
         HEADER.exists()
         and HEADER.read_text(encoding="utf-8") == golden_header()),
        ("Documentation/hash.rst is current",
         page_with(golden_page()) == PAGE.read_text(encoding="utf-8")),
    ]
    print(f"KTAP version 1\n1..{len(tests)}")
    for i, (name, good) in enumerate(tests, 1):
        print(f"{'ok' if good else 'not ok'} {i} {name}")
    return all(good for _, good in tests)


def random_rings(seed, count):
    rng = random.Random(seed)
    alphabet = "abcABC019.-_"
    for _ in range(count):
        key = rng.randbytes(16).hex()
        bits = rng.choice((8, 8, 9, 10, 11, 12))
        vnodes = rng.choice((1, 2, 3, 7, 16, 33, 64, 100))
        names = {"".join(rng.choices(alphabet, k=rng.choice((1, 2, 3, 31))))
                 for _ in range(rng.randrange(12))}
        # Positions at, just before and just after the ends of slots, few
        # enough of them to be equal often
        few = [(rng.randrange(2**bits) * 2**(64 - bits)
                + rng.choice((-1, 0, 1))) & M64
               for _ in range(rng.randrange(1, 9))] + [0, M64]
        line = [key, str(bits), str(vnodes)]
        # In no order, but the same whatever Python's hash seed
        for name in rng.sample(sorted(names), len(names)):
            if rng.random() < 0.5:
                weight = rng.choice((0, 1, 50, 100, 133, 300, 1000))
                line.append(f"{name}={weight}")
            else:
                positions = rng.choices(few, k=rng.randrange(1, 6))
                line.append(f"{name}@" + ",".join(f"{p:x}" for p in positions))
        print(" ".join(line))


def print_slots():
    for line in sys.stdin:
        hexkey, bits, vnodes, *members = line.split()
        key = bytes.fromhex(hexkey)
        backends = {}
        for member in members:
            if "=" in member:
                name, weight = member.split("=")
                backends.update(derived(key, int(vnodes), {name: int(weight)}))
            else:
                name, positions = member.split("@")
                backends[name] = [int(p, 16) for p in positions.split(",")]
        print(" ".join(map(str, slots(int(bits), backends))))


def main(argv):
    match argv:
        case ["golden"]:
            sys.stdout.write(golden_header())
        case ["rst"]:
            sys.stdout.write(golden_page())
        case ["update"]:
            HEADER.write_text(golden_header(), encoding="utf-8")
            PAGE.write_text(page_with(golden_page()), encoding="utf-8")
        case ["check"]:
            return 0 if check() else 1
        case ["random", seed, count]:
            random_rings(int(seed), int(count))
        case ["slots"]:
            print_slots()
        case _:
            sys.stderr.write(__doc__)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
