#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Raw generic netlink to flowring, as the YNL spec has it.

  netlink.py raw COMMAND [ATTR=VALUE]...     one request; says what came back
  netlink.py dump COMMAND TRIES              is each dump whole, or does it
                                             say that it is not?

VALUE is text for strings, a number for integers, an address or hexadecimal
digits behind 0x for binaries, nothing for flags, and for nests more of these
words in square brackets.  raw prints one line, "ERRNO TEXT (ATTR)" or "OK", and
ends with 2 when the kernel refused; an ATTR in a nest has the nest's name and a
slash before it.
"""

import collections
import errno
import ipaddress
import os
import pathlib
import socket
import struct
import sys

import yaml

SPEC = (pathlib.Path(__file__).resolve().parent.parent
        / "Documentation/netlink/specs/flowring.yaml")

GENL_ID_CTRL = 16
CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME = 3, 1, 2
NLM_F_REQUEST, NLM_F_ACK, NLM_F_DUMP_INTR, NLM_F_DUMP = 1, 4, 0x10, 0x300
NLM_F_CAPPED, NLM_F_ACK_TLVS = 0x100, 0x200
NLMSG_ERROR, NLMSG_DONE = 2, 3
ERR_MSG, ERR_OFFS, ERR_MISS_TYPE, ERR_MISS_NEST = 1, 2, 5, 6
NLA_F_NESTED = 0x8000
SOL_NETLINK, NETLINK_CAP_ACK, NETLINK_EXT_ACK = 270, 10, 11
NETLINK_GET_STRICT_CHK = 12

# Attributes are tuples of numbers, from the outermost nest inwards
Answer = collections.namedtuple("Answer", "error text attr missing objects "
                                "interrupted")


class Spec:
    """The spec, with the numbers that YNL gives its names."""
    def __init__(self):
        with SPEC.open(encoding="utf-8") as f:
            doc = yaml.safe_load(f)
        self.consts = {d["name"]: d for d in doc["definitions"]}
        self.sets = {}
        for s in doc["attribute-sets"]:
            attrs = {a["name"]: (n, a)
                     for n, a in enumerate(s["attributes"], 1)}
            if "subset-of" in s:
                attrs = {name: self.sets[s["subset-of"]][name]
                         for name in attrs}
            self.sets[s["name"]] = attrs
        self.ops = {}
        for number, op in enumerate(doc["operations"]["list"], 1):
            self.ops[op["name"]] = dict(op, number=number)

    def attrs(self, command):
        """All attributes of a command's set: {name: (number, attribute)}."""
        return self.sets[self.ops[command]["attribute-set"]]

    def request(self, command, kind="do"):
        return self.ops[command].get(kind, {}).get("request", {}).get(
            "attributes", [])

    def encode(self, attrs, words):
        """[(name, number, payload)] of words "name=value"."""
        found = []
        for word in words:
            name, value = word.split("=", 1)
            number, attr = attrs[name]
            if attr["type"] == "nest":
                inner = self.encode(self.sets[attr["nested-attributes"]],
                                    split(value[1:-1]))
                found.append((name, number | NLA_F_NESTED, join(inner)))
            else:
                found.append((name, number, payload(attr, value)))
        return found

    def names(self, command, path):
        """The names of the attributes of a path, with slashes."""
        found, attrs = [], self.attrs(command)
        for number in path:
            name, attr = next(((name, attr) for name, (n, attr)
                               in attrs.items() if n == number),
                              (str(number), {}))
            found.append(name)
            attrs = self.sets.get(attr.get("nested-attributes"), {})
        return "/".join(found)


def split(text):
    """The words of a text; what is in square brackets is one."""
    found, depth = [""], 0
    for c in text:
        depth += (c == "[") - (c == "]")
        if c == " " and not depth:
            found.append("")
        else:
            found[-1] += c
    return [word for word in found if word]


def join(attrs):
    """The bytes of what Spec.encode() gives."""
    return b"".join(nla(number, payload) for _, number, payload in attrs)


def nla(number, payload, flags=0):
    """An attribute; flags are bits to turn over in what a good one has."""
    return (struct.pack("=HH", 4 + len(payload), number ^ flags) + payload
            + bytes(-len(payload) % 4))


def parse(data):
    """[(number, payload)] of a stretch of attributes."""
    found = []
    while len(data) >= 4:
        size, number = struct.unpack_from("=HH", data)
        if size < 4:
            raise ValueError("attribute shorter than its header")
        found.append((number & 0x3FFF, data[4:size]))
        data = data[(size + 3) & ~3:]
    return found


def find_path(message, at):
    """The path to the attribute at an offset of a message."""
    path, start, end = (), 20, len(message)
    while start + 4 <= end:
        size, number = struct.unpack_from("=HH", message, start)
        number, nested = number & 0x3FFF, number & NLA_F_NESTED
        if start == at:
            return path + (number,)
        if size < 4:
            break
        if nested and at < start + size:
            path, end, start = path + (number,), start + size, start + 4
        else:
            start += (size + 3) & ~3
    raise ValueError(f"no attribute at offset {at}")


def payload(attr, value):
    if attr["type"] == "string":
        return value.encode() + b"\0"
    if attr["type"] == "flag":
        return b""
    if attr["type"] == "u32":
        return struct.pack("=I", int(value))
    if attr["type"] == "uint":
        return struct.pack("=Q", int(value))
    if value.startswith("0x"):
        return bytes.fromhex(value[2:])
    return ipaddress.ip_address(value).packed


class Netlink:
    def __init__(self):
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16)
        for option in (NETLINK_EXT_ACK, NETLINK_CAP_ACK,
                       NETLINK_GET_STRICT_CHK):
            self.sock.setsockopt(SOL_NETLINK, option, 1)
        self.sock.bind((0, 0))
        self.seq = 0
        self.events = []
        body = struct.pack("=BBH", CTRL_CMD_GETFAMILY, 1, 0)
        body += nla(CTRL_ATTR_FAMILY_NAME, b"flowring\0")
        answer = self.send(GENL_ID_CTRL, body)
        if answer.error:
            raise OSError(answer.error, "flowring: no netlink family")
        number = dict(parse(answer.objects[0]))[CTRL_ATTR_FAMILY_ID]
        self.family = struct.unpack("=H", number)[0]

    def command(self, number, body, flags=NLM_F_ACK):
        return self.send(self.family, struct.pack("=BBH", number, 1, 0) + body,
                         flags)

    def send(self, kind, body, flags=NLM_F_ACK):
        """Send a message; take all that comes up to its end."""
        self.seq += 1
        message = struct.pack("=IHHII", 16 + len(body), kind,
                              NLM_F_REQUEST | flags, self.seq, 0) + body
        self.sock.send(message)
        objects, interrupted = [], False
        while True:
            data = self.sock.recv(1 << 18)
            while len(data) >= 16:
                size, what, flags, seq, _ = struct.unpack_from("=IHHII", data)
                head, data = data[16:size], data[(size + 3) & ~3:]
                if seq == 0:
                    self.events.append(head)
                if seq != self.seq:
                    continue
                interrupted |= bool(flags & NLM_F_DUMP_INTR)
                if what in (NLMSG_ERROR, NLMSG_DONE):
                    return self.end(what, flags, head, message, objects,
                                    interrupted)
                objects.append(head[4:])

    @staticmethod
    def end(what, flags, head, message, objects, interrupted):
        error = -struct.unpack_from("=i", head)[0]
        rest = head[4:]
        if what == NLMSG_ERROR:
            rest = head[4 + 16:]
            if not flags & NLM_F_CAPPED:
                rest = head[4 + len(message):]
        ext = dict(parse(rest)) if flags & NLM_F_ACK_TLVS else {}
        text = ext.get(ERR_MSG, b"").rstrip(b"\0").decode()
        attr = missing = None
        if ERR_OFFS in ext:
            at = struct.unpack("=I", ext[ERR_OFFS])[0]
            attr = find_path(message, at)
        if ERR_MISS_TYPE in ext:
            missing = struct.unpack("=I", ext[ERR_MISS_TYPE])
            if ERR_MISS_NEST in ext:
                at = struct.unpack("=I", ext[ERR_MISS_NEST])[0]
                missing = find_path(message, at) + missing
        return Answer(error, text, attr, missing, objects, interrupted)


def raw(spec, words):
    command, *words = words
    body = join(spec.encode(spec.attrs(command), words))
    answer = Netlink().command(spec.ops[command]["number"], body)
    if not answer.error:
        print(f"OK {answer.text}".rstrip())
        return 0
    line = f"{errno.errorcode[answer.error]} {answer.text}".rstrip()
    if answer.attr:
        line += f" ({spec.names(command, answer.attr)})"
    if answer.missing:
        line += f" (missing {spec.names(command, answer.missing)})"
    print(line)
    return 2


# What makes an object one of its kind, to count each once
IDENTITY = {
    "ring-get": ("name",),
    "backend-get": ("ring", "name"),
    "service-get": ("proto", "addr", "port"),
}


def dump(spec, words):
    """Dump again and again while others write.

    Objects whose name begins with "toggle" come and go, and only those. Ends
    with 1 if a dump without the interrupted flag is not exactly the rest, with
    or without the toggled, or lists anything twice.
    """
    command, tries = words[0], int(words[1])
    attrs = spec.attrs(command)
    identity = [attrs[name][0] for name in IDENTITY[command]]
    toggled = attrs["name"][0] if "name" in attrs else None
    netlink = Netlink()
    steady = None
    whole = torn = bad = 0
    for _ in range(tries):
        answer = netlink.command(spec.ops[command]["number"], b"", NLM_F_DUMP)
        if answer.error:
            print(f"# dump: {os.strerror(answer.error)} {answer.text}")
            return 1
        count = collections.Counter()
        others = 0
        for data in answer.objects:
            found = dict(parse(data))
            if found.get(toggled, b"").startswith(b"toggle"):
                others += 1
                continue
            count[tuple(found[i] for i in identity)] += 1
        twice = sum(n > 1 for n in count.values())
        if answer.interrupted:
            torn += 1
        else:
            whole += 1
            steady = steady or set(count)
            if set(count) != steady or others > 1:
                print(f"# a dump that says nothing has {len(count)} of "
                      f"{len(steady)} objects and {others} toggled ones")
                bad += 1
        # Even an interrupted one has what did not change, once
        if twice or steady and set(count) != steady:
            print(f"# {twice} objects listed twice, {len(count)} in all")
            bad += 1
    print(f"objects {len(steady or ())} whole {whole} interrupted {torn} "
          f"bad {bad}")
    return 1 if bad else 0


def main(argv):
    spec = Spec()
    match argv:
        case ["raw", command, *_] if command in spec.ops:
            return raw(spec, argv[1:])
        case ["dump", command, tries] if command in IDENTITY:
            return dump(spec, [command, tries])
        case _:
            sys.stderr.write(__doc__)
            return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
