#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compare flowring plan --offline with selftests/model.py, and its figures of
other tables with those of tables that are really made here. Prints KTAP.

Environment: FLOWRING, the tool; RINGS, how many; SEED.
"""

import json
import math
import os
import random
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "selftests"))

import cases_ktap  # noqa: E402
import model  # noqa: E402

MAGLEV = 65537
STATES = ["up", "drain", "down"]
MODES = ["nat", "dr", "ipip", "gue", "mark"]
GUE_PORT = 6080
NO_BACKEND = ["reject", "drop", "pass"]


class Rings:
    """Random rings that the tool takes, and changes of them."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.used = 0

    def backend(self, name, nat):
        rng = self.rng
        explicit = []
        if rng.random() < .2:
            explicit = sorted(rng.getrandbits(64)
                              for _ in range(rng.randrange(1, 9)))
        return self.of_mode(nat, model.Backend(
            name, rng.choice((0, 1, 50, 100, 100, 100, 133, 300)),
            rng.choice((model.UP,) * 8 + (model.DRAIN, model.DOWN)),
            zone=rng.choice(("", "a")), explicit=explicit))

    def of_mode(self, nat, b):
        """The backend, at another place and maybe of another mode."""
        rng = self.rng
        mode = model.NAT if nat else rng.randrange(1, 5)
        self.used += 1
        addr = f"10.{self.used >> 8 & 255}.{self.used & 255}.{rng.randrange(256)}"
        if rng.random() < .2:
            addr = f"2001:db8::{self.used:x}"
        port = {model.NAT: (0, 80), model.GUE: (GUE_PORT, 7)}.get(mode, (0,))
        return replace(
            b, mode=mode, addr="" if mode == model.MARK else addr,
            port=rng.choice(port),
            checksum=rng.randrange(2) if mode == model.GUE else 0,
            mark=self.used << 12 if mode == model.MARK else 0)

    def ring(self):
        rng = self.rng
        nat = rng.random() < .6
        return model.Ring(
            rng.randbytes(16), rng.choice((8, 8, 9, 10)),
            rng.choice((1, 5, 20)), rng.choice((0, 1, 5, 5, 20)),
            rng.randrange(3), rng.randrange(2) if nat else 0,
            [self.backend(f"b{i}", nat) for i in range(rng.randrange(9))])

    def change(self, b):
        match self.rng.randrange(6):
            case 0:
                return replace(b, state=self.rng.randrange(3))
            case 1:
                return replace(b, explicit=[])
            case 2 if b.mode == model.NAT:
                # only to be had by deleting it and adding it again
                return replace(b, port=0, born=int(b.born or b.port > 0))
            case 2:
                new = self.of_mode(False, b)
                return replace(new, born=int(b.born or new.mode != b.mode))
            case 3:
                return replace(b, zone="z")
            case _:
                return replace(b, weight=self.rng.choice((0, 99, 100, 200)))

    def changed(self, ring):
        rng = self.rng
        backends = list(ring.backends)
        nat = not backends or backends[0].mode == model.NAT
        options = {}
        for _ in range(rng.randrange(3)):
            kind = rng.randrange(8)
            if kind == 0:
                options["imbalance"] = rng.choice((0, 1, 5, 100))
            elif kind == 1:
                options["bits"] = rng.choice((8, 9, 10))
            elif kind == 2 and rng.random() < .3:
                options["key"] = rng.randbytes(16)
            elif kind < 5:
                backends.append(self.backend(f"c{self.used}", nat))
            elif backends:
                b = backends.pop(rng.randrange(len(backends)))
                if kind == 7:
                    backends.append(self.change(b))
        return replace(ring, backends=backends, **options)


def ring_json(name, ring):
    backends = []
    for b in ring.backends:
        j = {"name": b.name, "weight": b.weight, "mode": MODES[b.mode],
             "state": STATES[b.state], "zone": b.zone}
        if b.addr:
            j["addr"] = b.addr
        if b.port and b.port != GUE_PORT:
            j["port"] = b.port
        if b.mode == model.GUE and not b.checksum:
            j["checksum"] = "off"
        if b.mark:
            j["mark"] = b.mark
        if b.explicit:
            j["tokens"] = [f"0x{t:x}" for t in b.explicit]
        backends.append(j)
    return {"name": name, "key": ring.key.hex(), "bits": ring.bits,
            "vnodes": ring.vnodes, "imbalance": ring.imbalance or "off",
            "no-backend": NO_BACKEND[ring.no_backend],
            "masquerade": ["off", "on"][ring.masquerade],
            "backends": backends}


def document(rings):
    return {"flowring": 1,
            "rings": [ring_json(n, r) for n, r in rings.items()]}


def plan(old, new):
    with tempfile.TemporaryDirectory() as tmp:
        paths = []
        for name, rings in (("old", old), ("new", new)):
            paths.append(Path(tmp) / name)
            paths[-1].write_text(json.dumps(document(rings)))
        out = subprocess.run([os.environ["FLOWRING"], "-j", "plan",
                              "--offline", *paths],
                             check=True, capture_output=True, text=True)
    return {p["ring"]: p for p in json.loads(out.stdout)}


def weights(ring):
    """Those of the backends that get flows, in the order of names."""
    return {b.name: b.weight for b in sorted(
        ring.backends, key=lambda b: b.name.encode())
        if b.state == model.UP and b.weight}


def part(ring, name):
    w = weights(ring)
    return w.get(name, 0) / sum(w.values()) if w else 0


def modulo(before, after):
    """Go through all hashes, up to where the two tables begin again."""
    tables = []
    for ring in (before, after):
        w = weights(ring)
        unit = math.gcd(*w.values())
        tables.append([n for n in w for _ in range(w[n] // unit)])
    a, b = tables
    if not a or not b:
        return float(bool(a))
    length = math.lcm(len(a), len(b))
    return sum(a[h % len(a)] != b[h % len(b)] for h in range(length)) / length


def maglev(ring):
    """The table of the paper; a backend has a turn when its weights, added up
    in each round, reach the largest one."""
    w = weights(ring)
    table = [None] * MAGLEV
    keys = [n.to_bytes(8, "little") + bytes(8) for n in (1, 2)]
    at = {n: model.siphash(keys[0], n.encode()) % MAGLEV for n in w}
    skip = {n: model.siphash(keys[1], n.encode()) % (MAGLEV - 1) + 1
            for n in w}
    saved = dict.fromkeys(w, 0)
    left = MAGLEV
    while w:
        for name in w:
            saved[name] += w[name]
            if saved[name] < max(w.values()):
                continue
            saved[name] -= max(w.values())
            while table[at[name]] is not None:
                at[name] = (at[name] + skip[name]) % MAGLEV
            table[at[name]] = name
            left -= 1
            if not left:
                return table
    return table


def maglev_moved(before, after):
    a, b = maglev(before), maglev(after)
    return sum(1 for x, y in zip(a, b) if x and x != y) / MAGLEV


def same(what, want, got):
    if want == got:
        return True
    print(f"# {what}: {got} is not {want}")
    return False


def check_ring(before, after, got):
    """The slots, what moves and the fingerprints are the model's."""
    tables = before.table(), after.table()
    total = max(before.nslots, after.nslots)
    moved, least = model.moved_and_least(before, tables[0], after, tables[1])
    ok = same("total", total, got["total"])
    ok &= same("moved", moved, got["moved"])
    ok &= same("least", least, got["least"])
    for ring, key in ((before, "fingerprint-before"), (after, "fingerprint")):
        ok &= same(key, f"0x{ring.fingerprint():016x}", got[key])
    for ring, table, end in ((before, tables[0], "-before"),
                             (after, tables[1], "")):
        counts = ring.counts(table)
        for i, b in enumerate(ring.backends):
            share = next(s for s in got["backends"] if s["name"] == b.name)
            ok &= same(f"slots{end} of {b.name}",
                       counts[i] * total // ring.nslots, share["slots" + end])
            ok &= same(f"weight{end} of {b.name}",
                       b.weight if b.state == model.UP else 0,
                       share["weight" + end])
    names = {b.name.encode() for r in (before, after) for b in r.backends}
    return ok & same("names", sorted(names),
                     [s["name"].encode() for s in got["backends"]])


def check_others(before, after, got):
    """Figures of other tables, in slots."""
    names = {b.name for r in (before, after) for b in r.backends}
    ideal = sum(max(0, part(before, n) - part(after, n)) for n in names)
    wanted = {"ideal": ideal, "modulo": modulo(before, after),
              "maglev": maglev_moved(before, after)}
    bad = [key for key, want in wanted.items()
           if abs(want * got["total"] - got[key]) > .5 + 1e-6]
    for key in bad:
        print(f"# {key}: {got[key]} is not {wanted[key] * got['total']}")
    return not bad


def warning():
    """The one neighbour of all tokens of a backend takes all its slots."""
    def backend(name, addr, *tokens):
        return model.Backend(name, 100, model.UP, 0, addr, 0, "",
                             [t << 56 for t in tokens], 0)
    a = backend("a", "10.0.0.1", 0x20, 0x80)
    b = backend("b", "10.0.0.2", 0x40, 0xa0)
    c = backend("c", "10.0.0.3", 0x60, 0xc0, 0xff)
    ring = model.Ring(bytes(16), 8, 8, 0, 0, 0, [a, b, c])
    less = replace(ring, backends=[b, c])
    got = plan({"r": ring}, {"r": less})["r"]
    back = plan({"r": less}, {"r": ring})["r"]
    return (same("warnings", ["b takes 100% of what moves; its part would"
                              " be 50%"], got["warnings"])
            & same("warnings of the way back", [], back["warnings"]))


def made_and_deleted():
    """A ring that is in one document only."""
    ring = Rings(1).ring()
    made = plan({}, {"r": ring})["r"]
    gone = plan({"r": ring}, {})["r"]
    owned = sum(ring.counts(ring.table()))
    return (same("new", True, made["new"]) & same("moved", 0, made["moved"])
            & same("deleted", True, gone["deleted"])
            & same("moved", owned, gone["moved"])
            & same("fingerprint", None, gone.get("fingerprint"))
            & same("fingerprint-before", made["fingerprint"],
                   gone["fingerprint-before"]))


def random_rings(count, seed, check):
    rings = Rings(seed)
    old = {f"r{i}": rings.ring() for i in range(count)}
    new = {name: rings.changed(ring) for name, ring in old.items()}
    got = plan(old, new)
    bad = [n for n in old if not check(old[n], new[n], got[n])]
    if bad:
        print(f"# seed {seed}:", *bad)
    return not bad


def main():
    count = int(os.environ.get("RINGS", 300))
    seed = int(os.environ.get("SEED", random.randrange(10**6)))
    cases = {
        f"{count}_rings": lambda: random_rings(count, seed, check_ring),
        "other_tables": lambda: random_rings(8, seed, check_others),
        "warning": warning,
        "made_and_deleted": made_and_deleted,
    }
    return cases_ktap.run(cases)


if __name__ == "__main__":
    sys.exit(main())
