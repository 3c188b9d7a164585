#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A second implementation of Documentation/hash.rst, written from that page
alone, by brute force. Nothing in it is shared with the module.

    model.py check           test the model itself (KTAP)
    model.py random SEED N   print N random cases, one a line
    model.py answer          read cases, print what is right for each

A case is a ring, the same ring after some changes, and positions whose owners
are asked for, on one line:

    RING BACKEND... | RING BACKEND... | R POSITION...

    RING     KEY BITS VNODES IMBALANCE NO-BACKEND MASQUERADE
    BACKEND  NAME,WEIGHT,STATE,MODE,ADDRESS,PORT,CHECKSUM,MARK,ZONE,TOKENS,BORN

NO-BACKEND, MASQUERADE, STATE and MODE are the numbers that hash.rst has for
them, ADDRESS is empty in mode mark, CHECKSUM is 1 or 0, TOKENS are joined by "+",
positions and KEY are hexadecimal. BORN is 1 for a backend that was deleted and
added again under its name.
"""

import bisect
import ipaddress
import itertools
import math
import random
import sys
from dataclasses import dataclass, field, replace
from fractions import Fraction

M64 = 2**64 - 1
NO_OWNER = 0xFFFF
UP, DRAIN, DOWN = range(3)
NAT, DR, IPIP, GUE, MARK = range(5)

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


def token(key, name, j):
    """Position of the derived token j."""
    name = name.encode()
    return siphash(key, b"T" + bytes([len(name), 0, 0])
                   + j.to_bytes(4, "little") + name)


def flow(key, proto, saddr, sport, daddr, dport):
    """Position of a flow."""
    saddr = ipaddress.ip_address(saddr)
    daddr = ipaddress.ip_address(daddr)
    return siphash(key, b"K" + bytes([saddr.version, proto, 0x1F])
                   + sport.to_bytes(2, "big") + dport.to_bytes(2, "big")
                   + saddr.packed + daddr.packed)


@dataclass
class Backend:
    name: str
    weight: int = 100
    state: int = UP
    mode: int = NAT
    addr: str = "10.0.0.1"
    port: int = 0
    zone: str = ""
    explicit: list = field(default_factory=list)
    born: int = 0
    checksum: int = 0
    mark: int = 0

    def order(self):
        return self.name.encode()


@dataclass
class Ring:
    key: bytes
    bits: int
    vnodes: int
    imbalance: int
    no_backend: int = 0
    masquerade: int = 0
    backends: list = field(default_factory=list)

    def __post_init__(self):
        self.backends = sorted(self.backends, key=Backend.order)
        self.nslots = 2**self.bits
        # {index in the order of names: its tokens, sorted}
        self.tokens = {i: sorted(self.tokens_of(b))
                       for i, b in enumerate(self.backends)
                       if b.state == UP and b.weight > 0}
        self.circle = sorted((pos, i) for i in self.tokens
                             for pos in self.tokens[i])

    def tokens_of(self, b):
        if b.explicit:
            return b.explicit
        count = max(1, (self.vnodes * b.weight + 50) // 100)
        return [token(self.key, b.name, j) for j in range(count)]

    def first(self, slot):
        return slot << (64 - self.bits)

    def distance(self, i, pos):
        """From pos clockwise to the nearest token of backend i."""
        tokens = self.tokens[i]
        at = bisect.bisect_left(tokens, pos)
        return (tokens[at % len(tokens)] - pos) & M64

    def owner_of_position(self, pos):
        """Without a bound."""
        at = bisect.bisect_left(self.circle, (pos, 0))
        return self.circle[at % len(self.circle)][1]

    def capacities(self):
        """{index: capacity} of the backends that have tokens."""
        weights = sum(self.backends[i].weight for i in self.tokens)
        caps, hashes = {}, {}
        for i in self.tokens:
            b = self.backends[i]
            name = b.name.encode()
            hashes[i] = siphash(self.key, b"C" + bytes([len(name)]) + bytes(6)
                                + name)
            exact = Fraction(self.nslots * (100 + self.imbalance) * b.weight,
                             100 * weights)
            rounding = Fraction(hashes[i] >> 40, 2**24)
            caps[i] = min(self.nslots, math.floor(exact + rounding))
        missing = self.nslots - sum(caps.values())
        if caps and missing > 0:
            assert missing < len(caps)
            largest = sorted(caps, key=lambda i: (-hashes[i], i))
            for i in largest[:missing]:
                caps[i] += 1
        return caps

    def pairs(self, caps):
        """All pairs of a slot and a backend that can own it, best first."""
        return sorted((self.distance(i, self.first(slot)), slot, i)
                      for i in caps if caps[i] for slot in range(self.nslots))

    def table(self):
        """The owner of each slot."""
        if not self.tokens:
            return [NO_OWNER] * self.nslots
        if not self.imbalance:
            return [self.owner_of_position(self.first(slot))
                    for slot in range(self.nslots)]
        table = [None] * self.nslots
        room = self.capacities()
        for _, slot, i in self.pairs(room):
            if table[slot] is None and room[i]:
                table[slot] = i
                room[i] -= 1
        return table

    def table_by_proposals(self):
        """The same for a bounded ring, as Gale and Shapley would make it."""
        room = self.capacities()
        wishes = [[] for _ in range(self.nslots)]
        for distance, slot, i in self.pairs(room):
            wishes[slot].append((distance, i))
        for wish in wishes:
            wish.sort(reverse=True)
        holds = {i: [] for i in room}
        asking = list(range(self.nslots))
        while asking:
            slot = asking.pop()
            distance, i = wishes[slot].pop()
            holds[i].append((distance, slot))
            holds[i].sort()
            if len(holds[i]) > room[i]:
                asking.append(holds[i].pop()[1])
        owner = {slot: i for i in holds for _, slot in holds[i]}
        return [owner[slot] for slot in range(self.nslots)]

    def counts(self, table):
        return [table.count(i) for i in range(len(self.backends))]

    def owners(self, table, pos, most):
        """The first owners of a position."""
        slot = pos >> (64 - self.bits)
        if table[slot] == NO_OWNER or not most:
            return []
        found = [table[slot]]
        while len(found) < most:
            left = [i for i in self.tokens if i not in found]
            zones = {self.backends[i].zone for i in found}
            apart = [i for i in left if self.backends[i].zone not in zones]
            if not left:
                break
            found.append(min(
                (self.distance(i, self.first(slot)), i)
                for i in apart or left)[1])
        return found

    def fingerprint(self):
        def le(number, size):
            return number.to_bytes(size, "little")

        f = siphash(self.key, b"F" + bytes([self.bits, self.no_backend,
                                            self.masquerade])
                    + le(self.vnodes, 4) + le(self.imbalance, 4))
        for b in self.backends:
            addr = ipaddress.ip_address(b.addr or "0.0.0.0")
            name = b.name.encode()
            f = siphash(self.key, b"B" + bytes([len(name), addr.version,
                                                b.mode, b.state, b.checksum,
                                                0, 0])
                        + le(b.port, 4) + le(b.weight, 4)
                        + le(len(b.explicit), 4) + le(b.mark, 4) + le(f, 8)
                        + addr.packed.ljust(16, b"\0") + name)
            for pos in sorted(b.explicit):
                f = siphash(self.key, b"L" + bytes(7) + le(f, 8) + le(pos, 8))
        return f


def moved_and_least(before, table_before, after, table_after):
    """Slots moved between two rings, and the least that had to."""
    nslots = max(before.nslots, after.nslots)

    def stretched(ring, table):
        names = [(b.name, b.born) for b in ring.backends]
        return [None if owner == NO_OWNER else names[owner]
                for owner in table for _ in range(nslots // ring.nslots)]
    was = stretched(before, table_before)
    now = stretched(after, table_after)
    owners = {owner for owner in was if owner}
    least = sum(max(0, was.count(b) - now.count(b)) for b in owners)
    if before.key != after.key:
        return sum(1 for owner in was if owner), least
    return sum(1 for a, b in zip(was, now) if a and a != b), least


def digest(key, table):
    return siphash(key, b"".join(o.to_bytes(2, "little") for o in table))


class Cases:
    """Random cases, the same for a seed whatever Python's hash seed is."""
    weights = (0, 1, 50, 100, 100, 100, 133, 300)
    extreme = (0, 1, 1, 100, 10000)
    addresses = ("10.0.0.1", "192.0.2.255", "::1", "2001:db8::ff00:1")
    zones = ("", "", "a", "b", "zone-c")

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.few = []

    def name(self):
        return "".join(self.rng.choices("abcABC019.-_",
                                        k=self.rng.choice((1, 2, 3, 31))))

    def explicit(self):
        """Positions at, before and after the ends of slots, few of them, so
        that several backends have the same."""
        return sorted(set(self.rng.choices(self.few, k=self.rng.randrange(1, 7))))

    def backend(self, name, weights):
        rng = self.rng
        return self.of_mode(Backend(
            name, rng.choice(weights), rng.choice((UP,) * 8 + (DRAIN, DOWN)),
            zone=rng.choice(self.zones),
            explicit=self.explicit() if rng.random() < 0.3 else []))

    def of_mode(self, b):
        """The backend, with another mode or none, and what the mode has."""
        rng = self.rng
        mode = rng.choice((NAT, NAT, NAT, DR, IPIP, GUE, GUE, MARK))
        return replace(
            b, mode=mode,
            addr="" if mode == MARK else rng.choice(self.addresses),
            port={NAT: rng.choice((0, 1, 80, 65535)),
                  GUE: rng.choice((1, 6080, 6080, 65535))}.get(mode, 0),
            checksum=rng.randrange(2) if mode == GUE else 0,
            mark=rng.choice((1, 0x10, 2**31, 2**32 - 1))
            if mode == MARK else 0)

    def ring(self):
        rng = self.rng
        bits = rng.choice((8,) * 12 + (9, 9, 10))
        vnodes = rng.choice((1, 2, 3, 7, 16, 20))
        count = rng.randrange(13)
        weights = self.extreme if rng.random() < 0.2 else self.weights
        kind = rng.randrange(100)
        if kind == 0:       # more backends than slots
            count, vnodes = rng.choice((257, 300, 400)), rng.choice((1, 2))
            weights = rng.choice(((100,), self.extreme))
        elif kind == 1:     # a larger ring
            bits, count, vnodes = rng.choice((11, 12)), 20, 100
        elif kind < 6:      # capacities that may be short of the slots
            bits, count, vnodes = 8, rng.randrange(50, 150), 1
            weights = (100,)
        self.few = [((rng.randrange(2**bits) << (64 - bits))
                     + rng.choice((-1, 0, 1))) & M64
                    for _ in range(rng.randrange(1, 9))] + [0, M64]
        names = sorted({self.name() for _ in range(count)})
        backends = [self.backend(n, weights) for n in names]
        if rng.random() < 0.03:
            backends = [replace(b, state=DOWN) for b in backends]
        return Ring(rng.randbytes(16), bits, vnodes,
                    1 if 1 < kind < 6 else
                    rng.choice((0, 0, 1, 2, 5, 5, 5, 20, 100)),
                    rng.randrange(3), rng.randrange(2), backends)

    def change_backend(self, b):
        rng = self.rng
        match rng.randrange(8):
            case 0:
                return replace(b, state=rng.choice((UP, DRAIN, DOWN)))
            case 1:
                return replace(b, born=1)
            case 2:
                return replace(b, explicit=self.explicit())
            case 3:
                return replace(b, explicit=[])
            case 4:
                return self.of_mode(b)
            case 5:
                return replace(b, zone=rng.choice(self.zones))
            case _:
                return replace(b, weight=rng.choice(self.weights))

    def changed(self, ring):
        """The ring after one change or more, now and then after none."""
        rng = self.rng
        backends = list(ring.backends)
        options = {}
        for _ in range(rng.choice((0, 1, 1, 1, 2, 5))):
            kind = rng.randrange(12)
            if rng.randrange(30) == 0:
                options["key"] = rng.randbytes(16)
            elif kind == 0:
                options["imbalance"] = rng.choice((0, 1, 5, 10, 100))
            elif kind == 1:
                options["bits"] = max(8, ring.bits + rng.choice((-1, 1)))
            elif kind == 2:
                options["vnodes"] = rng.choice((1, 5, 30))
            elif kind == 3:
                options["no_backend"] = (ring.no_backend + 1) % 3
                options["masquerade"] = 1 - ring.masquerade
            elif kind < 6:
                name = self.name()
                if name not in [b.name for b in backends]:
                    backends.append(self.backend(name, self.weights))
            elif backends:
                i = rng.randrange(len(backends))
                b = backends.pop(i)
                if kind > 7:
                    backends.append(self.change_backend(b))
        return replace(ring, backends=backends, **options)

    def line_of(self, ring):
        words = [ring.key.hex(), ring.bits, ring.vnodes, ring.imbalance,
                 ring.no_backend, ring.masquerade]
        for b in self.rng.sample(ring.backends, len(ring.backends)):
            tokens = "+".join(f"{pos:x}" for pos in b.explicit)
            words.append(f"{b.name},{b.weight},{b.state},{b.mode},{b.addr},"
                         f"{b.port},{b.checksum},{b.mark},{b.zone},"
                         f"{tokens},{b.born}")
        return " ".join(map(str, words))

    def case(self):
        ring = self.ring()
        asked = [self.rng.choice((self.rng.getrandbits(64),
                                  self.rng.choice(self.few)))
                 for _ in range(4)]
        return " | ".join([
            self.line_of(ring), self.line_of(self.changed(ring)),
            " ".join([str(self.rng.choice((1, 2, 3, 8, 64)))]
                     + [f"{pos:x}" for pos in asked])])


def parse_ring(text):
    key, *options = text.split()
    backends = []
    for word in options[5:]:
        name, weight, state, mode, addr, port, checksum, mark, zone, tokens, \
            born = word.split(",")
        backends.append(Backend(
            name, int(weight), int(state), int(mode), addr, int(port), zone,
            [int(pos, 16) for pos in tokens.split("+") if pos], int(born),
            int(checksum), int(mark)))
    return Ring(bytes.fromhex(key), *map(int, options[:5]), backends)


def answer(line):
    """What is right for a case, on one line."""
    *rings, asked = line.split("|")
    rings = [parse_ring(text) for text in rings]
    tables = [ring.table() for ring in rings]
    words = []
    for ring, table in zip(rings, tables):
        words += ["slots", *table, "counts", *ring.counts(table)]
        if ring.imbalance:
            caps = ring.capacities()
            words += ["capacities", *(caps.get(i, 0)
                                      for i in range(len(ring.backends)))]
        words += ["fingerprint", f"{ring.fingerprint():016x}"]
    most, *positions = asked.split()
    for pos in positions:
        words += ["owners", *rings[0].owners(tables[0], int(pos, 16),
                                             int(most))]
    moved, least = moved_and_least(rings[0], tables[0], rings[1], tables[1])
    return " ".join(map(str, words + ["moved", moved, "least", least]))


def same_in_any_order(seed):
    """All orders of some backends with colliding tokens give one table."""
    cases = Cases(seed)
    cases.few = [0, 5 << 56, 9 << 56]
    backends = [Backend(n, explicit=cases.explicit()) for n in "ABCD"]
    tables = {tuple(Ring(bytes(16), 8, 1, 5, backends=order).table())
              for order in itertools.permutations(backends)}
    return len(tables) == 1


def check_cases(count):
    """Random rings: (the properties of tables, those of distances) hold."""
    cases = Cases(1)
    tables = distances = True
    for ring in itertools.islice(iter(cases.ring, None), count):
        table = ring.table()
        if ring.imbalance and ring.tokens:
            caps = ring.capacities()
            tables &= (table == ring.table_by_proposals()
                       and sum(caps.values()) >= ring.nslots
                       and all(table.count(i) <= caps[i] for i in caps))
        for i, tokens in ring.tokens.items():
            pos = cases.rng.getrandbits(64)
            distances &= ring.distance(i, pos) == min((t - pos) & M64
                                                      for t in tokens)
    return tables, distances


def check():
    """Print KTAP; return whether all holds."""
    ab = Ring(bytes(16), 8, 1, 0, backends=[Backend("A", explicit=[100]),
                                            Backend("B", explicit=[200])])
    bounded = Ring(bytes(16), 8, 1, 1, backends=[
        Backend("A", 1, explicit=[0]), Backend("B", 3, explicit=[1 << 63])])
    cap = bounded.capacities()[0]
    tables, distances = check_cases(150)
    tests = [
        ("the official SipHash-2-4 vectors hold",
         all(siphash(bytes(range(16)), bytes(range(n))) == v
             for n, v in enumerate(SIPHASH_VECTORS))),
        ("the numbers of the page's example hold",
         [ab.owner_of_position(p) for p in (0, 100, 101, 200, 201, M64)]
         == [0, 0, 1, 1, 0, 0] and ab.table()[:2] == [0, 0]),
        ("those of the example of a bounded ring hold",
         cap in (64, 65) and bounded.capacities()[1] in (193, 194)
         and bounded.table() == [int(0 < s <= 256 - cap)
                                 for s in range(256)]),
        ("distances are the smallest of all tokens", distances),
        ("sorted pairs and proposals give one table within capacities",
         tables),
        ("the order of backends has no part in it", same_in_any_order(1)),
    ]
    print(f"KTAP version 1\n1..{len(tests)}")
    for i, (name, good) in enumerate(tests, 1):
        print(f"{'ok' if good else 'not ok'} {i} {name}")
    return all(good for _, good in tests)


def main(argv):
    match argv:
        case ["random", seed, count]:
            cases = Cases(int(seed))
            for _ in range(int(count)):
                print(cases.case())
        case ["answer"]:
            for line in sys.stdin:
                print(answer(line))
        case ["check"]:
            return 0 if check() else 1
        case _:
            sys.stderr.write(__doc__)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
