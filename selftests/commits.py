#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Random commits to rings of known keys, compared with model.py.

    commits.py NETNS SEED COUNT nat|stateless

Makes a ring of nat backends, or of all others, then COUNT commits to it, each
of several changes. The plan asked
for before a commit changes nothing and says what the commit then says; slots
moved, the least possible, slots and capacity of each backend, fingerprint and
owners are the model's. Prints what differs, and a count at the end.
"""

import json
import random
import subprocess
import sys
from dataclasses import replace

import model

RING, SERVICE, CLIENT = "series", "198.51.100.77", "192.0.2.9"
STATES = ("up", "drain", "down")
MODES = ("nat", "dr", "ipip", "gue", "mark")
NO_BACKEND, SWITCH = ("reject", "drop", "pass"), ("off", "on")
# Flows that a commit is followed by questions about, and owners asked for
FLOWS, OWNERS = 8, 5


class Tool:
    def __init__(self, netns):
        self.netns = netns

    def run(self, *words, lines=()):
        done = subprocess.run(["flowring", "-n", self.netns, "-j", *words],
                              input="".join(f"{line}\n" for line in lines),
                              stdout=subprocess.PIPE, text=True, check=True)
        return json.loads(done.stdout) if done.stdout.strip() else None

    def state(self):
        return [self.run(*words) for words in
                (("save",), ("ring", "show"), ("backend", "show"))]


class Series:
    """A ring as the model has it, and changes of it as the tool takes them."""

    def __init__(self, seed, nat):
        self.nat = nat
        self.rng = random.Random(seed)
        self.options = {"key": self.rng.randbytes(16), "bits": 8,
                        "vnodes": 16, "imbalance": 5, "no_backend": 0,
                        "masquerade": 0}
        self.backends = {}
        self.number = 0

    def ring(self):
        return model.Ring(backends=[replace(b) for b in
                                    self.backends.values()], **self.options)

    def tokens(self):
        """A few positions; colliding ones are likely."""
        rng = self.rng
        return sorted({rng.choice((0, model.M64, rng.getrandbits(64),
                                   rng.randrange(256) << 56))
                       for _ in range(rng.randrange(1, 6))})

    def backend_options(self, b, chance):
        """Give some options new values; return the words that do."""
        rng, words = self.rng, []
        if rng.random() < chance:
            b.weight = rng.choice((0, 1, 50, 100, 100, 133, 300, 10000))
            words += ["weight", b.weight]
        if rng.random() < chance:
            b.state = rng.choice((0, 0, 0, 1, 2))
            words += ["state", STATES[b.state]]
        if rng.random() < chance:
            b.zone = rng.choice(("", "r1", "r2", "r3"))
            words += ["zone", b.zone or "none"]
        if rng.random() < chance and b.mode in (model.NAT, model.GUE):
            b.port = rng.randrange(1, 65536)
            words += ["port", b.port]
        if rng.random() < chance and b.mode == model.GUE:
            b.checksum = rng.randrange(2)
            words += ["checksum", SWITCH[b.checksum]]
        if rng.random() < chance / 2:
            b.explicit = self.tokens() if rng.random() < 0.7 else []
            words += ["tokens", ",".join(f"{pos:x}" for pos in b.explicit)
                      or "derived"]
        return words

    def new_address(self):
        self.number += 1
        return f"10.1.{self.number >> 8}.{self.number & 255}"

    def new_place(self, b):
        """Another address, or mark; return the words that say so."""
        if b.mode == model.MARK:
            self.number += 1
            b.mark = self.number << 7
            return ["mark", self.rng.choice((b.mark, f"{b.mark:#x}"))]
        b.addr = self.new_address()
        return ["addr", b.addr]

    def add(self):
        free = [name for name in "abcdefghijkl" if name not in self.backends]
        name = self.rng.choice(free or ["x" * 31])
        if name in self.backends:
            return self.delete()
        self.number += 1
        mode = model.NAT if self.nat else self.rng.randrange(1, len(MODES))
        b = model.Backend(name, mode=mode, addr="", born=self.number)
        if mode == model.GUE:
            b.port, b.checksum = 6080, 1
        self.backends[name] = b
        return ["backend", "add", name, "mode", MODES[mode],
                *self.new_place(b), *self.backend_options(b, 0.4)]

    def set(self):
        b = self.backends[self.rng.choice(list(self.backends))]
        words = self.backend_options(b, 0.4)
        if not words or self.rng.random() < 0.2:
            words += self.new_place(b)
        return ["backend", "set", b.name, *words]

    def swap_addresses(self):
        """Two changes, each with the address that the other one gives up."""
        a, b = self.rng.sample(list(self.backends.values()), 2)
        if model.MARK in (a.mode, b.mode):
            return [self.set()]
        a.addr, b.addr = b.addr, a.addr
        if self.nat:
            a.port = b.port = 1 + self.number
        return [["backend", "set", one.name, "addr", one.addr,
                 *(["port", one.port] if self.nat else [])] for one in (a, b)]

    def delete(self):
        name = self.rng.choice(list(self.backends))
        del self.backends[name]
        return ["backend", "del", name]

    def set_ring(self):
        rng, options = self.rng, self.options
        match rng.randrange(8):
            case 0:
                options["bits"] = rng.choice((8, 8, 9, 10))
                return ["ring", "set", "bits", options["bits"]]
            case 1:
                options["vnodes"] = rng.choice((1, 7, 16, 40))
                return ["ring", "set", "vnodes", options["vnodes"]]
            case 2:
                options["key"] = rng.randbytes(16)
                return ["ring", "set", "key", options["key"].hex()]
            case 3:
                options["no_backend"] = rng.randrange(3)
                options["masquerade"] = rng.randrange(2) if self.nat else 0
                return ["ring", "set",
                        "no-backend", NO_BACKEND[options["no_backend"]],
                        "masquerade", SWITCH[options["masquerade"]]]
        options["imbalance"] = rng.choice((0, 1, 5, 5, 20, 100))
        return ["ring", "set", "imbalance", options["imbalance"] or "off"]

    def changes(self):
        """Lines of one commit."""
        rng, lines = self.rng, []
        for _ in range(rng.choice((1, 1, 2, 3, 5, 8))):
            kind = rng.randrange(10)
            if kind < 4 or len(self.backends) < 3:
                lines.append(self.add())
            elif kind < 6:
                lines.append(self.set())
            elif kind == 6:
                lines += self.swap_addresses()
            elif kind < 9:
                lines.append(self.delete())
            else:
                lines.append(self.set_ring())
        return [" ".join(map(str, line)) for line in lines]


class Checks:
    def __init__(self):
        self.compared = self.wrong = 0

    def equal(self, what, wanted, got):
        self.compared += 1
        if wanted != got:
            self.wrong += 1
            print(f"{what}: {got} in place of {wanted}")


def share(b):
    """What a plan says of a backend."""
    return b.weight if b.state == model.UP else 0


def check_plan(checks, plan, before, after):
    tables = before.table(), after.table()
    total = max(before.nslots, after.nslots)
    moved, least = model.moved_and_least(before, tables[0], after, tables[1])
    checks.equal("moved", moved, plan["moved"])
    checks.equal("least", least, plan["least"])
    checks.equal("total", total, plan["total"])
    wanted = {}
    for ring, table, end in ((before, tables[0], "-before"),
                             (after, tables[1], "")):
        for b, slots in zip(ring.backends, ring.counts(table)):
            entry = wanted.setdefault(b.name, {"slots-before": 0, "slots": 0})
            entry["slots" + end] = slots * (total // ring.nslots)
            entry["weight" + end] = share(b)
    checks.equal("shares", dict(sorted(wanted.items())), {
        b["name"]: {key: b[key] for key in b if key in
                    ("slots-before", "slots", "weight-before", "weight")}
        for b in plan["backends"]})
    checks.equal("fingerprint before", f"0x{before.fingerprint():016x}",
                 plan["fingerprint-before"])
    checks.equal("fingerprint", f"0x{after.fingerprint():016x}",
                 plan["fingerprint"])


def check_ring(checks, tool, ring):
    """What the kernel shows is what the model has."""
    table = ring.table()
    caps = ring.capacities() if ring.imbalance else None
    shown = tool.run("backend", "show", RING)
    checks.equal("backends", [
        (b.name, slots, None if caps is None else caps.get(i, 0),
         len(ring.tokens.get(i, ())), b.zone,
         [f"0x{pos:016x}" for pos in b.explicit])
        for i, (b, slots) in enumerate(zip(ring.backends,
                                           ring.counts(table)))],
        [(b["name"], b["slots"], b.get("capacity"), b["tokens"],
          b.get("zone", ""), b.get("explicit-tokens", []))
         for b in shown])
    checks.equal("fingerprint shown", f"0x{ring.fingerprint():016x}",
                 tool.run("ring", "show", RING)[0]["fingerprint"])
    for port in range(1000, 1000 + FLOWS):
        pos = model.flow(ring.key, 6, CLIENT, port, SERVICE, 80)
        shown = tool.run("lookup", "tcp", CLIENT, str(port), SERVICE, "80",
                         "owners", str(OWNERS))[0]
        checks.equal(f"hash of port {port}", f"0x{pos:016x}", shown["hash"])
        wanted = [ring.backends[i] for i in ring.owners(table, pos, OWNERS)]
        checks.equal(f"owners of port {port}",
                     [(b.name, b.zone) for b in wanted],
                     [(o["name"], o.get("zone", ""))
                      for o in shown.get("owner", [])])
        checks.equal(f"backend of port {port}",
                     wanted[0].name if wanted else None, shown.get("backend"))


def one_commit(checks, tool, series, epoch):
    before = series.ring()
    lines = series.changes()
    after = series.ring()
    state = tool.state()
    plan = tool.run("plan", RING, lines=lines)[0]
    checks.equal("state after a plan", state, tool.state())
    done = tool.run("ring", "commit", RING, "expect", str(epoch),
                    lines=lines)[0]
    checks.equal("dry-run of both", (True, False),
                 (plan.pop("dry-run"), done.pop("dry-run")))
    checks.equal("what the plan said", plan, done)
    checks.equal("epochs", (epoch, epoch + 1),
                 (done["epoch-before"], done["epoch"]))
    checks.equal("changes", len(lines), done["changes"])
    check_plan(checks, done, before, after)
    check_ring(checks, tool, after)
    return lines


def main(netns, seed, count, kind):
    tool, series = Tool(netns), Series(int(seed), kind == "nat")
    checks = Checks()
    # time passes in a window, and it keeps the key
    tool.run("ring", "add", RING, "bits", "8", "vnodes", "16",
             "window", "off", "key", series.options["key"].hex())
    tool.run("service", "add", "tcp", SERVICE, "port", "80", "ring", RING)
    for epoch in range(1, 1 + int(count)):
        before = checks.wrong
        lines = one_commit(checks, tool, series, epoch)
        if checks.wrong > before:
            print(f"after commit {epoch}, seed {seed}:", *lines, sep="\n  ")
            return 1
    tool.run("service", "del", "tcp", SERVICE, "port", "80")
    tool.run("ring", "del", RING)
    print(f"{count} commits, {checks.compared} comparisons")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[4] not in ("nat", "stateless"):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
