#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The circle and the bars that flowring ring draw makes are those of the tables
of selftests/model.py. Prints KTAP.

Environment: FLOWRING, the tool; RINGS, how many; SEED.
"""

import json
import os
import random
import subprocess
import sys
import xml.etree.ElementTree as xml

import cases_ktap
from plan_model import Rings, document, model, same, weights

SVG = "{http://www.w3.org/2000/svg}"
BAR = 310


def draw(ring):
    out = subprocess.run([os.environ["FLOWRING"], "ring", "draw", "r",
                          "--offline", "-"], check=True, capture_output=True,
                         text=True, input=json.dumps(document({"r": ring})))
    return xml.fromstring(out.stdout)


def circle(svg):
    """{colour: its slots} of the dashes of each owner."""
    owners = {}
    for use in svg.iter(SVG + "use"):
        dashes = use.get("stroke-dasharray")
        if not dashes:
            continue
        at = 0
        slots = set()
        for i, length in enumerate(map(int, dashes.split())):
            # The first dash, of no length, makes the gaps the odd ones
            if i % 2 == 0 and i > 0:
                slots |= set(range(at, at + length))
            at += length
        owners[use.get("stroke")] = slots
    return owners


def bars(svg):
    return [(r.get("fill"), float(r.get("width")))
            for r in svg.iter(SVG + "rect") if r.get("width") != "100%"]


def check(ring):
    svg = draw(ring)
    table = ring.table()
    owned = circle(svg)
    rows = bars(svg)
    ok = same("bars", len(ring.backends), len(rows))
    most = max([1.0, *ring.counts(table)])
    if ring.imbalance:
        most = max([most, *ring.capacities().values()])
    w = weights(ring)
    most = max([most, *(w[n] / sum(w.values()) * ring.nslots for n in w)])
    for i, (colour, width) in enumerate(rows):
        slots = {s for s, owner in enumerate(table) if owner == i}
        ok &= same(f"slots of {i}", slots, owned.get(colour, set()))
        if w and abs(width - BAR * len(slots) / most) > 0.01:
            print(f"# bar {i}: {width} for {len(slots)} of {most}")
            ok = False
    return ok


def random_rings(count, seed):
    rings = Rings(seed)
    bad = [i for i in range(count) if not check(rings.ring())]
    if bad:
        print(f"# seed {seed}:", *bad)
    return not bad


def many():
    """Not more than a piece for each of 4096 parts, nor a bar for each."""
    ring = model.Ring(bytes(16), 16, 20, 0, 0, 0, [
        model.Backend(f"b{i:04}", 100, model.UP, 0, f"10.0.{i >> 8}.{i & 255}"
                      if i else "10.9.9.9") for i in range(1000)])
    svg = draw(ring)
    table = ring.table()[::16]
    owned = circle(svg)
    return (same("pieces", set(range(4096)), set().union(*owned.values()))
            & same("owners", len(set(table)), len(owned))
            & same("bars", 334, len(bars(svg))))


def names():
    """Names are text, whatever is in them."""
    name = "a<b>&\"'x]]>"
    ring = model.Ring(bytes(16), 8, 4, 5, 0, 0,
                      [model.Backend(name, 100, model.UP, 0, "10.0.0.1")])
    return same("names", True, any(t.text == name
                                   for t in draw(ring).iter(SVG + "text")))


def main():
    count = int(os.environ.get("RINGS", 60))
    seed = int(os.environ.get("SEED", random.randrange(10**6)))
    cases = {f"{count}_rings": lambda: random_rings(count, seed),
             "many": many, "names": names}
    return cases_ktap.run(cases)


if __name__ == "__main__":
    sys.exit(main())
