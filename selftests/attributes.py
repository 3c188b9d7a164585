#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Break each attribute of each command of the YNL spec in turn.

Prints KTAP, a test per command.  What must be refused has to be refused with
the attribute at fault named, and to leave every dump as it was, byte by byte.
What netlink's rules allow has to work: of an attribute that is there twice the
last one counts.
"""

import errno
import struct
import sys

import netlink
from netlink import NLM_F_ACK, NLM_F_DUMP, nla

# A good request for each command, to be broken
GOOD = {
    "ring-get": "name=web",
    "ring-new": "name=new bits=9 vnodes=3 key=0x000102030405060708090a0b0c0d0e0f"
                " no-backend=1 masquerade=1",
    "ring-set": "name=spare bits=9 vnodes=3"
                " key=0x000102030405060708090a0b0c0d0e0f no-backend=2"
                " masquerade=1",
    "ring-del": "name=spare",
    "backend-get": "ring=web name=b1",
    "backend-new": "ring=web name=b3 addr=10.0.0.3 port=80 weight=50 mode=0"
                   " state=1",
    "backend-set": "ring=web name=b1 addr=10.0.0.9 port=81 weight=20 state=1",
    "backend-del": "ring=web name=b2",
    "service-get": "proto=6 addr=192.0.2.10 port=80",
    "service-new": "proto=6 addr=192.0.2.11 port=81 ring=web",
    "service-set": "proto=6 addr=192.0.2.10 port=80 ring=spare",
    "service-del": "proto=6 addr=192.0.2.10 port=80",
    "lookup": "proto=6 saddr=10.9.0.1 sport=4000 daddr=192.0.2.10 dport=80",
}

# What a request cannot do without
REQUIRED = {
    "ring": {"name"},
    "backend": {"ring", "name"},
    "service": {"proto", "addr", "port"},
    "lookup": {"proto", "saddr", "sport", "daddr", "dport"},
}
ALSO_REQUIRED = {
    "backend-new": {"addr"},
    "service-new": {"ring"},
    "service-set": {"ring"},
}

BASE = [
    ("ring-new", "name=web bits=8 vnodes=4"),
    ("ring-new", "name=spare bits=8 vnodes=4"),
    ("backend-new", "ring=web name=b1 addr=10.0.0.1"),
    ("backend-new", "ring=web name=b2 addr=10.0.0.2"),
    ("service-new", "proto=6 addr=192.0.2.10 port=80 ring=web"),
]
DUMPS = ("ring-get", "backend-get", "service-get")


class Tester:
    def __init__(self):
        self.spec = netlink.Spec()
        self.nl = netlink.Netlink()
        self.problems = []
        self.cases = 0

    def number(self, command):
        return self.spec.ops[command]["number"]

    def encode(self, command, words):
        """[(name, number, payload)] of "name=value ..."."""
        attrs = self.spec.attrs(command)
        found = []
        for word in words.split():
            name, value = word.split("=", 1)
            number, attr = attrs[name]
            found.append((name, number, netlink.payload(attr, value)))
        return found

    def do(self, command, words):
        body = b"".join(nla(n, p) for _, n, p in self.encode(command, words))
        return self.nl.command(self.number(command), body)

    def reset(self):
        for data in self.dump("service-get"):
            keep = dict(netlink.parse(data))
            body = b"".join(nla(n, keep[n]) for n in (1, 2, 3))
            self.nl.command(self.number("service-del"), body)
        for data in self.dump("ring-get"):
            body = nla(1, dict(netlink.parse(data))[1])
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
        return [self.dump(command) for command in DUMPS]

    def problem(self, what, answer):
        number = answer.error
        code = errno.errorcode.get(number, "0") if number else "no error"
        self.problems.append(f"{what}: {code} '{answer.text}', attribute "
                             f"{answer.attr}, missing {answer.missing}")

    def refused(self, what, command, body, attr=None, missing=None,
                flags=NLM_F_ACK, codes=(errno.EINVAL, errno.ERANGE)):
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


def wrong_payloads(attr, good, spec):
    """[(what, payload)] that the policy of an attribute has to refuse."""
    checks = attr.get("checks", {})
    if attr["type"] == "string":
        longest = checks["max-len"]
        return [("no bytes", b""), ("the end mark alone", b"\0"),
                ("no end mark", good[:-1]),
                ("a byte too long", b"x" * (longest + 1) + b"\0"),
                ("far too long", b"x" * 4000 + b"\0"),
                ("too long without end mark", b"x" * (longest + 1))]
    if attr["type"] == "u32":
        bad = [("no bytes", b""), ("short", good[:3]), ("two bytes", good[:2]),
               ("long", good + b"\0"), ("eight bytes", good + bytes(4))]
        low, high = checks.get("min", 0), checks.get("max")
        if "enum" in attr:
            high = len(spec.consts[attr["enum"]]["entries"]) - 1
        if low:
            bad.append(("below the least", struct.pack("=I", low - 1)))
        bad.append(("above the most", struct.pack("=I", high + 1)))
        bad.append(("all ones", struct.pack("=I", 0xFFFFFFFF)))
        return bad
    sizes = {0, 1, 3, 5, 15, 17, 64, 4000} - {checks.get("exact-len")}
    return [(f"{size} bytes", b"\x0a" * size) for size in sorted(sizes)]


def break_attribute(t, command, attrs, at):
    name, number, good = attrs[at]
    attr = t.spec.attrs(command)[name][1]
    required = (REQUIRED[t.spec.ops[command]["attribute-set"]]
                | ALSO_REQUIRED.get(command, set()))
    before = b"".join(nla(n, p) for _, n, p in attrs[:at])
    after = b"".join(nla(n, p) for _, n, p in attrs[at + 1:])
    what = f"{command} {name}"

    if name in required:
        t.refused(f"{what} omitted", command, before + after, missing=number)
    else:
        t.accepted(f"{what} omitted", command, before + after)
    for how, payload in wrong_payloads(attr, good, t.spec):
        codes = (errno.EINVAL, errno.ERANGE, errno.ENOENT,
                 errno.EPROTONOSUPPORT)
        t.refused(f"{what} with {how}", command,
                  before + nla(number, payload) + after, attr=number,
                  codes=codes)
        # The last one counts, so a good first one is of no help
        t.refused(f"{what} twice, then with {how}", command,
                  before + nla(number, good) + after + nla(number, payload),
                  attr=number, codes=codes)
    t.refused(f"{what} with the nested bit", command,
              before + nla(number, good, netlink.NLA_F_NESTED) + after,
              attr=number)
    t.accepted(f"{what} twice", command,
               before + nla(number, good) + nla(number, good) + after)


def last_counts(t, command, attrs):
    """Each attribute first with a value that would not do, then well."""
    first = []
    for name, number, good in attrs:
        attr = t.spec.attrs(command)[name][1]
        if attr["type"] == "string":
            first.append(nla(number, b"nothing\0"))
        elif attr["type"] == "binary":
            first.append(nla(number, bytes(len(good))))
        else:
            low = attr.get("checks", {}).get("min", 0)
            first.append(nla(number, struct.pack("=I", low)))
    body = b"".join(nla(n, p) for _, n, p in attrs)
    answer = t.accepted(f"{command}", command, body)
    again = t.accepted(f"{command} with all twice", command,
                       b"".join(first) + body)
    if command.startswith(("backend", "service")) or command == "ring-new":
        if answer.objects and strip(answer.objects) != strip(again.objects):
            t.problem(f"{command}: the last of two does not count", again)


def strip(objects):
    """Objects without counters and what a random key decides."""
    return [[(n, p) for n, p in netlink.parse(o) if n < 8] for o in objects]


def break_command(t, command):
    attrs = t.encode(command, GOOD[command])
    body = b"".join(nla(n, p) for _, n, p in attrs)
    last = max(n for _, n, _ in attrs)

    t.reset()
    t.before = t.state()
    if [a[0] for a in attrs] != list(t.spec.request(command)):
        t.problems.append(f"{command}: the spec has other attributes")
    for at in range(len(attrs)):
        break_attribute(t, command, attrs, at)
    last_counts(t, command, attrs)
    for number in (last + 1, last + 7, 0x3FFF):
        t.refused(f"{command} with attribute {number}", command,
                  body + nla(number, bytes(4)), attr=number)
    for name, (number, attr) in t.spec.attrs(command).items():
        if number < last and name not in t.spec.request(command):
            t.refused(f"{command} with {name}", command,
                      body + nla(number, bytes(4)), attr=number)
    for size in (1, 2, 3):
        t.refused(f"{command} and {size} bytes", command,
                  body + b"\xff" * size)
    t.refused(f"{command} and a header of 3 bytes", command,
              body + struct.pack("=HH", 3, 1))
    t.refused(f"{command} and a header that runs out of the message",
              command, body + struct.pack("=HH", 64, 1))
    if "dump" not in t.spec.ops[command]:
        t.refused(f"dump of {command}", command, body, flags=NLM_F_DUMP,
                  codes=(errno.EOPNOTSUPP,))


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
                good = answer.objects == t.before[DUMPS.index(command)]
            if not good:
                t.problem(f"dump {command} with attribute {number}", answer)
    for payload in (b"", b"web", b"x" * 32 + b"\0"):
        t.refused("dump backend-get ring", "backend-get", nla(1, payload),
                  attr=1, flags=NLM_F_DUMP)


def main():
    commands = [c for c, op in netlink.Spec().ops.items()
                if "notify" not in op]
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
