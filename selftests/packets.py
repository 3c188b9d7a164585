#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Single packets for the selftests, and where they come out.

tcp FROM FPORTS TO TPORT FLAGS...
    One segment for each word of FLAGS, letters of "SAFRP" in any order; with
    P it has data. FPORTS is a port or a range A-B: all flags of a port, then
    the next port. FROM may be anybody's address.
udp FROM FPORTS TO TPORT
    A datagram.
toobig FROM TO TPORT CLIENT CPORT MTU
    The ICMP error of a router FROM that a segment of TO port TPORT to CLIENT
    port CPORT was too big. It quotes 8 bytes of the segment.
size FROM TO SPORT DPORT BYTES df|nodf [TTL]
    One UDP datagram in a packet of that size, DF set or not, and what comes
    back: "toobig MTU", "expired" or "answered", or "nothing" after five
    seconds.
watch NETNS...
    Says "ready", then a line for each packet that comes in on eth0 of one of
    them, for its host: "TIME NETNS tcp SPORT FLAGS", "TIME NETNS udp SPORT",
    or "TIME NETNS toobig CPORT". Lines of different namespaces may be out of
    order, but not their times, of when the packet came in, in nanoseconds.
"""

import ctypes
import os
import select
import socket
import struct
import sys
import time

TCP, UDP, ICMP, ICMP6 = 6, 17, 1, 58
FLAGS = {"F": 1, "S": 2, "R": 4, "P": 8, "A": 16}


def pack(addr):
    family = socket.AF_INET6 if ":" in addr else socket.AF_INET
    return socket.inet_pton(family, addr)


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


def header(source, target, proto, size, ttl=64, df=True):
    """The network header of so many bytes behind it."""
    if len(source) == 16:
        return struct.pack("!IHBB16s16s", 6 << 28, size, proto, ttl, source,
                           target)
    head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + size, 1,
                       0x4000 if df else 0, ttl, proto, 0, source, target)
    return head[:10] + struct.pack("!H", checksum(head)) + head[12:]


def summed(source, target, proto, data, offset):
    """Put the checksum in, at an offset."""
    pseudo = source + target + struct.pack("!II", len(data), proto)
    check = struct.pack("!H", checksum(pseudo + data) or 0xffff)
    return data[:offset] + check + data[offset + 2:]


def segment(source, sport, target, dport, flags):
    bits = sum(FLAGS[flag] for flag in flags)
    body = b"data\n" if "P" in flags else b""
    # each of them the same, as if sent again; a SYN is the one before
    seq = 1000 if "S" in flags else 1001
    data = struct.pack("!HHIIBBHHH", sport, dport, seq,
                       2000 if "A" in flags else 0, 5 << 4, bits, 8192, 0, 0)
    return summed(source, target, TCP, data + body, 16)


def sender(source):
    family = socket.AF_INET6 if len(source) == 16 else socket.AF_INET
    return family, socket.socket(family, socket.SOCK_RAW, socket.IPPROTO_RAW)


def send(packets, source, target, proto):
    family, sock = sender(source)
    for number, data in enumerate(packets, 1):
        sock.sendto(header(source, target, proto, len(data)) + data,
                    (socket.inet_ntop(family, target), 0))
        # receivers of an emulated machine have to keep up
        if number % 64 == 0:
            time.sleep(0.01)


def ports(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def tcp(source, fports, target, tport, *words):
    source, target = pack(source), pack(target)
    send((segment(source, port, target, int(tport), flags)
          for port in ports(fports) for flags in words), source, target, TCP)


def udp(source, fports, target, tport):
    source, target = pack(source), pack(target)
    send((summed(source, target, UDP,
                 struct.pack("!HHHH", port, int(tport), 10, 0) + b"x\n", 6)
          for port in ports(fports)), source, target, UDP)


def toobig(router, target, tport, client, cport, mtu):
    router, target, client = pack(router), pack(target), pack(client)
    six = len(router) == 16
    quote = header(target, client, TCP, 1400)
    quote += struct.pack("!HHI", int(tport), int(cport), 5000)
    if six:
        data = struct.pack("!BBHI", 2, 0, 0, int(mtu)) + quote
        data = summed(router, target, ICMP6, data, 2)
    else:
        data = struct.pack("!BBHHH", 3, 4, 0, 0, int(mtu)) + quote
        data = data[:2] + struct.pack("!H", checksum(data)) + data[4:]
    send([data], router, target, ICMP6 if six else ICMP)


def inside(packet):
    """Its protocol, and what is behind the network header."""
    if packet[0] >> 4 == 4:
        return packet[9], packet[(packet[0] & 15) * 4:]
    if packet[6] == 44:                 # a fragment
        return packet[40], packet[48:]
    return packet[6], packet[40:]


def answer(packet, sport):
    """What a packet says of the datagram that was sent from a port."""
    proto, data = inside(packet)
    if (proto, data[0]) in ((ICMP, 11), (ICMP6, 3)):
        return "expired"
    if proto == ICMP and (data[0], data[1]) == (3, 4):
        return f"toobig {struct.unpack('!H', data[6:8])[0]}"
    if (proto, data[0]) == (ICMP6, 2):
        return f"toobig {struct.unpack('!I', data[4:8])[0]}"
    if proto == UDP and struct.unpack("!H", data[2:4])[0] == sport:
        return "answered"
    return None


def answered(sock, sport):
    """The first answer within five seconds."""
    end = time.monotonic() + 5
    while select.select([sock], [], [], max(0, end - time.monotonic()))[0]:
        packet, (_, proto, kind, _, _) = sock.recvfrom(2048)
        if not kind and proto in (0x0800, 0x86dd):
            text = answer(packet, sport)
            if text:
                return text
    return "nothing"


def size(source, target, sport, dport, length, df, ttl=64):
    source, target, sport = pack(source), pack(target), int(sport)
    body = int(length) - (40 if len(source) == 16 else 20)
    data = struct.pack("!HHHH", sport, int(dport), body, 0)
    data = summed(source, target, UDP, data + b"x" * (body - 9) + b"\n", 6)
    family, sock = sender(source)
    heard = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM,
                          socket.htons(3))              # ETH_P_ALL
    heard.bind(("eth0", 3))
    sock.sendto(header(source, target, UDP, body, int(ttl), df == "df") + data,
                (socket.inet_ntop(family, target), 0))
    print(answered(heard, sport))


def describe(packet):
    """What watch says of a packet, or None."""
    proto, data = inside(packet)
    if proto == TCP:
        flags = "".join(flag for flag, bit in FLAGS.items() if data[13] & bit)
        return f"tcp {struct.unpack('!H', data[:2])[0]} {flags}"
    if proto == UDP:
        return f"udp {struct.unpack('!H', data[:2])[0]}"
    if (proto, data[0]) in ((ICMP, 3), (ICMP6, 2)):
        port = 8 + (40 if proto == ICMP6 else 20) + 2
        return f"toobig {struct.unpack('!H', data[port:port + 2])[0]}"
    return None


def listener(name):
    """A packet socket on eth0 of a network namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    fd = os.open(f"/run/netns/{name}", os.O_RDONLY)
    if libc.setns(fd, 0x40000000):      # CLONE_NEWNET
        raise OSError(ctypes.get_errno(), f"setns {name}")
    os.close(fd)
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM,
                         socket.htons(3))       # ETH_P_ALL
    sock.bind(("eth0", 3))
    sock.setsockopt(socket.SOL_SOCKET, 33, 4 << 20)     # SO_RCVBUFFORCE
    sock.setsockopt(socket.SOL_SOCKET, 35, 1)           # SO_TIMESTAMPNS
    return sock


def when(notes):
    """The time that SO_TIMESTAMPNS has the kernel tell."""
    seconds, nanoseconds = struct.unpack("ll", notes[0][2])
    return seconds * 10**9 + nanoseconds


def watch(*names):
    socks = {listener(name): name for name in names}
    print("ready", flush=True)
    while True:
        for sock in select.select(list(socks), [], [])[0]:
            packet, notes, _, (_, proto, kind, _, _) = sock.recvmsg(2048, 64)
            # 0 is PACKET_HOST; a bridge may send others to all
            if kind or proto not in (0x0800, 0x86dd):
                continue
            text = describe(packet)
            if text:
                print(when(notes), socks[sock], text, flush=True)


COMMANDS = {"tcp": tcp, "udp": udp, "toobig": toobig, "size": size,
            "watch": watch}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    COMMANDS[sys.argv[1]](*sys.argv[2:])
