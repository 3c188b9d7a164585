#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Break each attribute of each command of the YNL spec in turn.

Prints KTAP, a test per command.  What must be refused has to be refused with
the attribute at fault named, in the nest that it is in, and to leave every dump
as it was, byte by byte.  What netlink's rules allow has to work: of an
attribute that is there twice the last one counts, unless it may be there many
times.
"""

import errno
import struct
import sys

import netlink
from netlink import NLA_F_NESTED, NLM_F_ACK, NLM_F_DUMP, join, nla, split

KEY = "0x000102030405060708090a0b0c0d0e0f"
TOKENS = "0x01010101010101010202020202020202"
RING = (f"bits=9 vnodes=3 key={KEY} imbalance=7 owner=me no-backend=2"
        " masquerade=1 window=60 pin-idle=30 udp=1")
MORE = f"state=1 zone=east explicit-tokens={TOKENS}"

# A good request for each command, to be broken
GOOD = {
    "ring-get": "name=web",
    "ring-new": f"name=new {RING}",
    "ring-set": f"name=spare {RING}",
    "ring-del": "name=spare",
    "ring-freeze": "name=web frozen=1",
    "window-close": "name=any",
    "pins-get": "",
    "pins-set": "size=2048",
    "backend-get": "ring=web name=b1 progress=",
    "backend-new": "ring=any name=g3 addr=10.0.0.3 port=80 weight=50 mode=3"
                   f" {MORE} checksum=0",
    "backend-set": "ring=any name=g1 addr=10.0.0.9 port=81 weight=20"
                   f" {MORE} checksum=0",
    "backend-del": "ring=web name=b2 force=",
    "service-get": "proto=6 addr=192.0.2.10 port=80",
    "service-new": "proto=6 addr=192.0.2.11 port=81 ring=web owner=me",
    "service-set": "proto=6 addr=192.0.2.10 port=80 ring=spare owner=me",
    "service-del": "proto=6 addr=192.0.2.10 port=80",
    "lookup": "proto=6 saddr=10.9.0.1 sport=4000 daddr=192.0.2.10 dport=80"
              " owners=2 mark=1",
    "ring-commit": "ring=web expect=3 epoch=9 max-move=256 max-share=10000"
                   " dry-run= create="
                   " change=[op=1 backend=[name=b1 weight=20]]",
}

# What says which service it is, in other ways than above
NET = "proto=6 addr=192.0.3.0 prefix=24 port=81 port-end=90"
MARK = "mark=7 ip-version=4"

# Others, with what none has beside the attributes above
ALSO_GOOD = {
    "backend-new": [
        f"ring=web name=b3 addr=10.0.0.3 port=80 weight=50 mode=0 {MORE}",
        f"ring=any name=m3 weight=50 mode=4 {MORE} mark=7"],
    "backend-set": [
        f"ring=web name=b1 addr=10.0.0.9 port=81 weight=20 {MORE}",
        f"ring=any name=m1 weight=20 {MORE} mark=7"],
    "service-get": [NET, MARK],
    "service-new": [
        "proto=6 addr=192.0.4.0 prefix=24 port=81 port-end=90 action=1"
        " owner=me",
        "mark=8 ip-version=4 ring=any owner=me"],
    "service-set": [f"{NET} action=1 owner=me", f"{MARK} ring=any owner=me"],
    "service-del": [NET, MARK],
}

# More of them, with each kind of change, to be broken inside
COMMITS = [f"ring=web change=[{change}]"
           " change=[op=1 backend=[name=b2 weight=7]]" for change in (
    f"op=0 backend=[name=b3 addr=10.0.0.3 port=80 weight=50 mode=0 {MORE}]",
    f"op=1 backend=[name=b1 addr=10.0.0.9 port=81 weight=20 mode=0 {MORE}]",
    "op=2 backend=[name=b1]",
    f"op=3 ring=[{RING}]",
)] + [f"ring=any change=[{change}]"
      " change=[op=1 backend=[name=m1 weight=7]]" for change in (
    f"op=0 backend=[name=g3 addr=10.0.0.3 port=80 weight=50 mode=3 {MORE}"
    " checksum=0]",
    f"op=0 backend=[name=m3 weight=50 mode=4 {MORE} mark=7]",
    f"op=1 backend=[name=g1 addr=10.0.0.9 port=81 weight=20 {MORE}"
    " checksum=0]",
    f"op=1 backend=[name=m2 weight=20 {MORE} mark=7]",
)]

# What a request cannot do without
REQUIRED = {
    "ring": {"name"},
    "backend": {"ring", "name"},
    "service": set(),
    "lookup": {"proto", "saddr", "sport", "daddr", "dport"},
    "commit": {"ring"},
    "pins": set(),
}
ALSO_REQUIRED = {
    "ring-freeze": {"frozen"},
    "pins-set": {"size"},
}

BASE = [
    ("ring-new", "name=web bits=8 vnodes=4"),
    ("ring-new", "name=spare bits=8 vnodes=4"),
    ("backend-new", "ring=web name=b1 addr=10.0.0.1"),
    ("backend-new", "ring=web name=b2 addr=10.0.0.2"),
    ("service-new", "proto=6 addr=192.0.2.10 port=80 ring=web"),
    ("ring-new", "name=any bits=8 vnodes=4"),
    ("backend-new", "ring=any name=g1 mode=3 addr=10.0.0.1"),
    ("service-new", "proto=17 addr=192.0.2.10 port=80 ring=any"),
    ("service-new", f"{NET} action=0"),
    ("service-new", f"{MARK} ring=any"),
    # opens a window
    ("backend-new", "ring=any name=m1 mode=4 mark=1"),
    ("backend-new", "ring=any name=m2 mode=4 mark=2"),
]
DUMPS = ("ring-get", "backend-get", "service-get")


class Tester:
    def __init__(self):
        self.spec = netlink.Spec()
        self.nl = netlink.Netlink()
        self.problems = []
        self.cases = 0
        rings = self.spec.attrs("ring-freeze")
        self.unfreeze = nla(rings["frozen"][0], struct.pack("=I", 0))
        self.window = rings["window-info"][0]
        services = self.spec.attrs("service-del")
        self.identity = {services[name][0]
                         for name in self.spec.request("service-del")}

    def number(self, command):
        return self.spec.ops[command]["number"]

    def encode(self, command, words):
        """[(name, number, payload)] of "name=value ..."."""
        return self.spec.encode(self.spec.attrs(command), split(words))

    def do(self, command, words):
        return self.nl.command(self.number(command),
                               join(self.encode(command, words)))

    def reset(self):
        for data in self.dump("service-get"):
            body = b"".join(nla(n, p) for n, p in netlink.parse(data)
                            if n in self.identity)
            self.nl.command(self.number("service-del"), body)
        for data in self.dump("ring-get"):
            body = nla(1, dict(netlink.parse(data))[1])
            self.nl.command(self.number("ring-freeze"),
                            body + self.unfreeze)
            self.nl.command(self.number("ring-del"), body)
        for command, words in BASE:
            answer = self.do(command, words)
            if answer.error:
                sys.exit(f"Bail out! {command} {words}: {answer}")

    def dump(self, command):
        answer = self.nl.command(self.number(command), b"", NLM_F_DUMP)
        if answer.error:
            sys.exit(f"Bail out! dump {command}: {answer}")
        return answer.objects

    def state(self):
        return [self.lasting(command, self.dump(command))
                for command in DUMPS]

    def lasting(self, command, objects):
        """What a dump has, but for what passes by itself in a window."""
        if command != "ring-get":
            return objects
        return [[a for a in netlink.parse(ring) if a[0] != self.window]
                for ring in objects]

    def problem(self, what, answer):
        number = answer.error
        code = errno.errorcode.get(number, "0") if number else "no error"
        self.problems.append(f"{what}: {code} '{answer.text}', attribute "
                             f"{answer.attr}, missing {answer.missing}")

    def refused(self, what, command, body, attr=None, missing=None,
                flags=NLM_F_ACK, codes=(errno.EINVAL, errno.ERANGE)):
        """attr and missing are numbers, or paths of them in nests."""
        if isinstance(attr, int):
            attr = (attr & ~NLA_F_NESTED,)
        if isinstance(missing, int):
            missing = (missing & ~NLA_F_NESTED,)
        self.cases += 1
        answer = self.nl.command(self.number(command), body, flags)
        if (answer.error not in codes or answer.attr != attr
                or answer.missing != missing):
            self.problem(what, answer)
        after = self.state()
        if after != self.before:
            self.problem(f"{what}: something changed", answer)
            self.reset()
            after = self.state()
        self.before = after

    def accepted(self, what, command, body, reply=None):
        self.cases += 1
        answer = self.nl.command(self.number(command), body)
        if answer.error:
            self.problem(what, answer)
        elif reply is not None and answer.objects != reply:
            self.problem(f"{what}: another answer", answer)
        self.reset()
        self.before = self.state()
        return answer


def wrong_numbers(attr, spec):
    """The same of numbers that are out of range."""
    checks = attr.get("checks", {})
    low, high = (spec.consts[n]["value"] if isinstance(n, str) else n
                 for n in (checks.get("min", 0), checks.get("max")))
    if "enum" in attr:
        high = len(spec.consts[attr["enum"]]["entries"]) - 1
    bad = []
    if low:
        bad.append(("below the least", struct.pack("=I", low - 1)))
    if high is not None:
        bad.append(("above the most", struct.pack("=I", high + 1)))
        bad.append(("all ones", struct.pack("=I", 0xFFFFFFFF)))
    return bad


def wrong_payloads(attr, good, spec):
    """[(what, payload)] that the policy of an attribute has to refuse."""
    checks = attr.get("checks", {})
    if attr["type"] == "string":
        longest = checks["max-len"]
        bad = [("no bytes", b""), ("no end mark", good[:-1]),
               ("a byte too long", b"x" * (longest + 1) + b"\0"),
               ("far too long", b"x" * 4000 + b"\0"),
               ("too long without end mark", b"x" * (longest + 1)),
               ("a space", b"a b\0"), ("a control character", b"a\x1b\0")]
        if "min-len" in checks:
            bad.append(("the end mark alone", b"\0"))
        return bad
    if attr["type"] == "u32":
        return [("no bytes", b""), ("short", good[:3]), ("two bytes", good[:2]),
                ("long", good + b"\0"), ("eight bytes", good + bytes(4)),
                *wrong_numbers(attr, spec)]
    if attr["type"] in ("uint", "flag"):
        sizes = {1, 2, 3, 5, 7, 9, 16} | ({0} - {len(good)})
        return [(f"{size} bytes", bytes(size)) for size in sorted(sizes)]
    if attr["name"] == "explicit-tokens":
        many = b"".join(struct.pack("=Q", n) for n in range(1025))
        return [("a byte", b"x"), ("short", good[:-1]), ("long", good + b"x"),
                ("two that are alike", good[:8] * 2), ("too many", many),
                ("many that are alike", bytes(8192))]
    sizes = {0, 1, 3, 5, 15, 17, 64, 4000} - {checks.get("exact-len")}
    return [(f"{size} bytes", b"\x0a" * size) for size in sorted(sizes)]


CODES = (errno.EINVAL, errno.ERANGE, errno.ENOENT, errno.EPROTONOSUPPORT)


class Nest:
    """Where attributes are: the command itself, or a nest of it."""
    def __init__(self, command, name, attrs, required, path=(), wrap=bytes,
                 needs=None):
        self.command = command
        self.what = f"{command} {name}".rstrip()
        self.attrs = attrs          # {name: (number, attribute)}
        self.required = required
        self.needs = needs or {}    # {name: how others are refused then}
        self.path = path            # of the nest
        self.wrap = wrap            # from what is in it to the whole request

    def to(self, number):
        return self.path + (number & ~NLA_F_NESTED,)


def break_attribute(t, nest, attrs, at):
    name, number, good = attrs[at]
    attr = nest.attrs[name][1]
    command, wrap = nest.command, nest.wrap
    before, after = join(attrs[:at]), join(attrs[at + 1:])
    what = f"{nest.what} {name}"

    if name in nest.required:
        t.refused(f"{what} omitted", command, wrap(before + after),
                  missing=nest.to(number))
    elif name in nest.needs:
        t.refused(f"{what} omitted", command, wrap(before + after),
                  **{how: nest.to(nest.attrs[value][0]) if how != "codes"
                     else value for how, value in nest.needs[name].items()})
    else:
        t.accepted(f"{what} omitted", command, wrap(before + after))
    t.refused(f"{what} with the nested bit turned over", command,
              wrap(before + nla(number, good, NLA_F_NESTED) + after),
              attr=nest.to(number))
    t.accepted(f"{what} twice", command,
               wrap(before + nla(number, good) + nla(number, good) + after))
    if attr["type"] == "nest":
        return
    for how, payload in wrong_payloads(attr, good, t.spec):
        t.refused(f"{what} with {how}", command,
                  wrap(before + nla(number, payload) + after),
                  attr=nest.to(number), codes=CODES)
        # The last one counts, so a good first one is of no help
        t.refused(f"{what} twice, then with {how}", command,
                  wrap(before + nla(number, good) + after
                       + nla(number, payload)),
                  attr=nest.to(number), codes=CODES)


def break_bytes(t, nest, attrs):
    """Attributes that nobody knows, and what is none."""
    command, wrap, body = nest.command, nest.wrap, join(attrs)
    names = nest.attrs if nest.path else t.spec.request(command)
    allowed = {nest.attrs[name][0] for name in names}
    last = max(allowed)
    wrong = {*range(1, last), last + 1, last + 7, 0x3FFF} - allowed
    for number in sorted(wrong):
        t.refused(f"{nest.what} with attribute {number}", command,
                  wrap(body + nla(number, bytes(4))), attr=nest.to(number))
    for size in (1, 2, 3):
        t.refused(f"{nest.what} and {size} bytes", command,
                  wrap(body + b"\xff" * size))
    t.refused(f"{nest.what} and a header of 3 bytes", command,
              wrap(body + struct.pack("=HH", 3, 1)))
    t.refused(f"{nest.what} and a header that runs out of it", command,
              wrap(body + struct.pack("=HH", 64, 1)))


def inside(word):
    """The words in a nest "name=[word ...]"."""
    return split(word.split("=", 1)[1][1:-1])


def of_new_backend(attrs):
    """What it cannot do without, and what it cannot have without its mode."""
    given = {name: good for name, _, good in attrs}
    if given["mode"] == struct.pack("=I", 4):
        return {"mark"}, {"mode": {"missing": "addr"}}
    if "checksum" in given:
        return {"addr"}, {"mode": {"attr": "checksum"}}
    return {"addr"}, {}


def of_service(command, attrs):
    """The same of services: a mark or an address, a ring or an action."""
    given = {name for name, _, _ in attrs}
    there = command != "service-new"
    needs = {}
    if "mark" in given:
        required = {"ip-version"}
        needs["mark"] = {"attr": "ip-version"}
    else:
        required = {"proto", "addr", "port"}
    for name in {"prefix", "port-end"} & given if there else ():
        needs[name] = {"attr": "addr", "codes": (errno.ENOENT,)}
    if "action" in given:
        needs["action"] = {"missing": "ring"}
    else:
        required |= {"ring"} & given
    return required, needs


def break_change(t, words):
    """Both levels of the first change of a commit. Return the kind of change,
    and the names of the attributes in it."""
    command = "ring-commit"
    ring, change, *others = t.encode(command, words)
    outer_words = inside(split(words)[1])
    sets = t.spec.sets

    def in_change(attrs):
        return join([ring]) + nla(change[1], attrs) + join(others)

    outer = t.spec.encode(sets["change"], outer_words)
    (_, _, op), (name, number, _) = outer
    path = (change[1] & ~NLA_F_NESTED,)
    nest = Nest(command, f"change {outer_words[0]}", sets["change"],
                {"op", name}, path, in_change)
    break_nest(t, nest, outer)

    required = {"name"} if name == "backend" else set()
    needs = {}
    attrs = sets[sets["change"][name][1]["nested-attributes"]]
    inner = t.spec.encode(attrs, inside(outer_words[1]))
    if op == struct.pack("=I", 0):
        also, needs = of_new_backend(inner)
        required |= also
    nest = Nest(command, f"change {outer_words[0]} {name}", attrs, required,
                nest.to(number),
                lambda body: in_change(join(outer[:1]) + nla(number, body)),
                needs)
    break_nest(t, nest, inner)
    return name, {a[0] for a in inner}


def break_nest(t, nest, attrs):
    for at in range(len(attrs)):
        break_attribute(t, nest, attrs, at)
    break_bytes(t, nest, attrs)


def last_counts(t, command, attrs):
    """Each attribute first with a value that would not do, then well."""
    first = []
    for name, number, good in attrs:
        attr = t.spec.attrs(command)[name][1]
        if attr["type"] == "string":
            first.append(nla(number, b"nothing\0"))
        elif attr["type"] in ("binary", "uint"):
            first.append(nla(number, bytes(len(good))))
        elif attr["type"] == "u32":
            low = attr.get("checks", {}).get("min", 0)
            if isinstance(low, str):
                low = t.spec.consts[low]["value"]
            first.append(nla(number, struct.pack("=I", low)))
    body = join(attrs)
    answer = t.accepted(f"{command}", command, body)
    again = t.accepted(f"{command} with all twice", command,
                       b"".join(first) + body)
    if t.spec.ops[command]["attribute-set"] != "ring" or \
            command == "ring-new":
        if (strip(t.spec, command, answer.objects)
                != strip(t.spec, command, again.objects)):
            t.problem(f"{command}: the last of two does not count", again)


# What counts, or what a random key decides
VAGUE = {
    "backend": {"slots", "capacity", "stats"},
    "service": {"stats"},
    "lookup": {"hash", "slot", "backend", "addr", "owner"},
    "commit": {"fingerprint", "fingerprint-before", "moved", "least", "share"},
}


def strip(spec, command, objects):
    """Objects without what is vague."""
    attrs = spec.attrs(command)
    vague = VAGUE.get(spec.ops[command]["attribute-set"], ())
    numbers = {attrs[name][0] for name in vague}
    return [[(n, p) for n, p in netlink.parse(o) if n not in numbers]
            for o in objects]


def all_met(t, what, met, wanted):
    """See that the requests have all attributes between them."""
    if met != set(wanted):
        t.problems.append(f"{what}: the spec has other attributes")


def break_request(t, command, words):
    attrs = t.encode(command, words)
    required = set(REQUIRED[t.spec.ops[command]["attribute-set"]])
    required |= ALSO_REQUIRED.get(command, set())
    needs = {}
    if command == "backend-new":
        also, needs = of_new_backend(attrs)
        required |= also
    if command.startswith("service-"):
        also, needs = of_service(command, attrs)
        required |= also
    if command == "backend-del":
        needs = {"force": {"codes": (errno.EBUSY,)}}
    nest = Nest(command, "", t.spec.attrs(command), required, needs=needs)
    # one without attributes has no policy: genetlink does not look at them
    if attrs:
        break_nest(t, nest, attrs)
    last_counts(t, command, attrs)
    return {a[0] for a in attrs}


def break_commits(t):
    met = {"backend": set(), "ring": set()}
    for words in COMMITS:
        t.accepted(f"ring-commit {words}", "ring-commit",
                   join(t.encode("ring-commit", words)))
        kind, names = break_change(t, words)
        met[kind] |= names
    for kind, names in met.items():
        all_met(t, f"change of a {kind}", names, t.spec.sets[f"change-{kind}"])


def break_command(t, command):
    attrs = t.encode(command, GOOD[command])
    met = set()

    t.reset()
    t.before = t.state()
    for words in [GOOD[command], *ALSO_GOOD.get(command, [])]:
        met |= break_request(t, command, words)
    all_met(t, command, met, t.spec.request(command))
    if command == "ring-commit":
        break_commits(t)
    if "dump" not in t.spec.ops[command]:
        t.refused(f"dump of {command}", command, join(attrs),
                  flags=NLM_F_DUMP, codes=(errno.EOPNOTSUPP,))


def break_dumps(t):
    t.reset()
    t.before = t.state()
    for command in DUMPS:
        for number in (1, 2, 9, 60):
            if command == "backend-get" and number == 1:
                continue
            t.cases += 1
            answer = t.nl.command(t.number(command),
                                  nla(number, b"web\0"), NLM_F_DUMP)
            if command == "backend-get":
                good = answer.error == errno.EINVAL and not answer.objects
            else:
                # has no policy: genetlink does not look at attributes then
                good = (t.lasting(command, answer.objects)
                        == t.before[DUMPS.index(command)])
            if not good:
                t.problem(f"dump {command} with attribute {number}", answer)
    for payload in (b"", b"web", b"x" * 32 + b"\0"):
        t.refused("dump backend-get ring", "backend-get", nla(1, payload),
                  attr=1, flags=NLM_F_DUMP)


def main():
    commands = [c for c, op in netlink.Spec().ops.items()
                if "notify" not in op and "event" not in op]
    failures = 0
    print(f"KTAP version 1\n1..{len(commands) + 1}", flush=True)
    for number, command in enumerate(commands + [None], 1):
        t = Tester()
        name = "dumps" if command is None else command
        if command is None:
            break_dumps(t)
        elif command in GOOD:
            break_command(t, command)
        else:
            t.problems.append(f"{command}: no request here to break")
        for problem in t.problems[:20]:
            print(f"# {problem}")
        if t.problems:
            failures += 1
        print(f"{'not ok' if t.problems else 'ok'} {number} {name}, "
              f"{t.cases} cases", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
