#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The published schema and the tool agree on documents: on good ones, and on
those that random changes make of them. Prints KTAP.

Environment: FLOWRING, the tool; SEED; CHANGES, how many documents.
"""

import copy
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import cases_ktap
import jsonschema

HERE = Path(__file__).resolve().parent
SCHEMA = HERE.parent / "schema" / "flowring.schema.json"

# What only the tool can know: relations, and addresses that no host can have
TOOL_ONLY = re.compile(
    "is there twice|cannot mix|masquerade, which|has that|is not$|"
    "the address is|would have over|has no key|behind (the prefix|port)$|"
    "the address has|cannot have nat")

GOOD = {
    "flowring": 1, "owner": "me",
    "rings": [
        {"name": "web", "bits": 8, "vnodes": 1, "imbalance": "off",
         "key": "000102030405060708090a0b0c0d0e0F", "no-backend": "drop",
         "masquerade": "on", "epoch": 7, "owner": "",
         "window": 86400, "pin-idle": 1, "udp": "move",
         "backends": [
             {"name": "b1", "addr": "10.0.0.1", "port": 80, "weight": 0,
              "mode": "nat", "state": "down", "zone": "r1",
              "tokens": ["0x1", "0xFFFFFFFFFFFFFFFF"]},
             {"name": "b2", "addr": "10.0.0.2"}]},
        {"name": "~!\"$", "imbalance": 100, "window": "off", "backends": [
            {"name": "c", "addr": "2001:db8::1", "mode": "dr", "zone": ""},
            {"name": "g", "addr": "2001:db8::2", "mode": "gue", "port": 1,
             "checksum": "off"},
            {"name": "h", "addr": "2001:db8::3", "mode": "gue"},
            {"name": "i", "addr": "10.0.0.1", "mode": "ipip"},
            {"name": "m", "mode": "mark", "mark": 2**32 - 1}],
         "key": "000102030405060708090a0b0c0d0e0f"}],
    "services": [
        {"proto": "tcp", "addr": "198.51.100.10", "port": 1, "ring": "web"},
        {"proto": "udp", "addr": "2001:db8::9", "port": 65535,
         "ring": "~!\"$", "owner": "else"},
        {"proto": "tcp", "addr": "198.51.100.0", "prefix": 24, "port": 1000,
         "port-end": 1999, "action": "drop"},
        {"proto": "udp", "addr": "198.51.100.0", "prefix": 24, "port": "all",
         "ring": "web"},
        {"proto": "any", "addr": "198.51.100.1", "ring": "web"},
        {"mark": 7, "ip-version": 6, "ring": "~!\"$"}]}

VALUES = [0, 1, -1, 5, 7, 8, 20, 21, 100, 101, 10000, 10001, 65535, 65536,
          65537, 86400, 86401, 2**31, 2**32 - 1, 2**32,
          2**63 - 1, 2**63, 1.5, True, None, [], {}, "", "off", "on",
          "up", "tcp", "any", "all", "drop", "nat", "ipip", "gue", "mark", "stick",
          "a b", "a/b", "#a", "a#", "x" * 31, "x" * 32,
          "é", "10.0.0.1", "10.0.0.256", "10.0.0", "2001:db8::5", "1::2::3",
          "0x1", "0x", "0x1" + "0" * 16, "0xg", "00" * 16, "0" * 33, ["0x1"],
          ["0x1", "0x1"], [1], ["0x1"] * 1025]


def places(value):
    """All containers in a document, with the keys in them."""
    if isinstance(value, dict):
        yield from ((value, key) for key in value)
        for inner in value.values():
            yield from places(inner)
    elif isinstance(value, list):
        yield from ((value, i) for i in range(len(value)))
        for inner in value:
            yield from places(inner)


def changed(rng):
    doc = copy.deepcopy(GOOD)
    for _ in range(rng.choice((1, 1, 1, 2))):
        where, key = rng.choice(list(places(doc)))
        kind = rng.randrange(6)
        if kind == 0:
            del where[key]
        elif kind == 1 and isinstance(where, dict):
            where[rng.choice(("name", "key", "port", "x", "epoch", "addr",
                              "mark", "mode", "checksum"))] = \
                rng.choice(VALUES)
        else:
            where[key] = rng.choice(VALUES)
    return doc


def tool_says(doc):
    """What is wrong for the tool, empty for nothing."""
    out = subprocess.run([os.environ["FLOWRING"], "plan", "--offline", "-",
                          "-"], input=json.dumps(doc),
                         capture_output=True, text=True, check=False)
    if out.returncode not in (0, 1):
        raise RuntimeError(out.stderr)
    return out.stderr.strip()


def agree(validator, doc):
    said = tool_says(doc)
    fits = validator.is_valid(doc)
    if fits == (not said) or (fits and TOOL_ONLY.search(said)):
        return True
    errors = [e.message for e in validator.iter_errors(doc)][:2]
    print("#", json.dumps(doc)[:2000])
    print("# the tool:", said or "is good")
    print("# the schema:", *errors or ["is good"])
    return False


def is_schema():
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return True


def good_is_good(validator):
    return validator.is_valid(GOOD) and tool_says(GOOD) == ""


def saved_is_good(validator):
    """What save prints in the tests fits."""
    doc = json.loads((HERE / "golden" / "save.json").read_text())
    return bool(doc["rings"]) and validator.is_valid(doc)


def random_changes(validator, count, seed):
    rng = random.Random(seed)
    bad = 0
    for _ in range(count):
        bad += not agree(validator, changed(rng))
        if bad == 3:
            break
    if bad:
        print("# seed", seed)
    return not bad


def main():
    schema = json.loads(SCHEMA.read_text())
    validator = jsonschema.Draft202012Validator(
        schema, format_checker=jsonschema.FormatChecker(("ipv4", "ipv6")))
    count = int(os.environ.get("CHANGES", 400))
    seed = int(os.environ.get("SEED", random.randrange(10**6)))
    cases = {
        "is_a_schema": is_schema,
        "good_is_good": lambda: good_is_good(validator),
        "saved_is_good": lambda: saved_is_good(validator),
        f"{count}_changes": lambda: random_changes(validator, count, seed),
    }
    return cases_ktap.run(cases)


if __name__ == "__main__":
    sys.exit(main())
