#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Servers and clients for the selftests.

serve NAME PORT...
    Answer on TCP and UDP, IPv4 and IPv6. A TCP connection gets the line
    "NAME PEER PEERPORT PORT", then its own data back. So does each datagram,
    with its TTL before the data.
many PROTO ADDR PORT COUNT [FIRST [SOURCE]]
    COUNT flows one after the other, from source ports FIRST on; prints
    "SPORT NAME PEER PEERPORT PORT..." of each. TCP ends with a reset, or with
    PEER_ORDERLY in the environment as the server closes: either way the
    source port can be used again.
hold PROTO ADDR PORT COUNT [FIRST]
    COUNT flows at once, which stay. Says "ready NAME...", then for each line
    "SECONDS" on stdin exchanges data on all of them for that long, once at
    least, and says "ok NAME..." (who answered, in the order of the flows;
    "A>B" where that changed) or "failed ...".
try PROTO ADDR PORT [SPORT [TIMEOUT]]
    One flow; prints "served NAME ...", "refused", "timeout" or the error,
    and then the milliseconds that it took.
steady ADDR PORT SPORT
    Datagrams from one socket, 20 a second; prints "NAME SECONDS" whenever
    another server answers, "none" when nobody does for a second.
pairs ADDR PORT COUNT SECONDS
    Pairs of datagrams, each from a new socket and port, and from two threads at once,
    one on each CPU where there are two. Both have to be answered, by the same
    server. Prints how many in how long.
bulk ADDR PORT BYTES
    Sends so much to a server and has it echoed; both ways have to be intact.
inject FROM FPORT TO TPORT SEQ...
    TCP segments with data, of no connection that this host knows.
datagram ADDR PORT BYTES [SPORT]
    The same with a datagram.
latency ADDR PORT FILE
    Datagrams, one every 2 ms at most, until the file is there; prints how
    many were answered, the 99th percentile of the time that took, and the
    longest, in microseconds.
"""

import errno
import hashlib
import os
import select
import socket
import struct
import sys
import threading
import time

TIMEOUT = float(os.environ.get("PEER_TIMEOUT", "10"))
ORDERLY = "PEER_ORDERLY" in os.environ
RESET = struct.pack("ii", 1, 0)


def family_of(addr):
    return socket.AF_INET6 if ":" in addr else socket.AF_INET


def opened(proto, addr, port, sport=0, timeout=TIMEOUT, source=None):
    family = family_of(addr)
    kind = socket.SOCK_STREAM if proto == "tcp" else socket.SOCK_DGRAM
    sock = socket.socket(family, kind)
    sock.settimeout(timeout)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    wild = "::" if family == socket.AF_INET6 else "0.0.0.0"
    if sport or source:
        sock.bind((source or wild, sport))
    # A UDP socket that is connected hears answers from that address only
    sock.connect((addr, port))
    return sock


class Line:
    """Read single lines of a stream."""

    def __init__(self, sock):
        self.sock = sock
        self.data = b""

    def read(self):
        while b"\n" not in self.data:
            part = self.sock.recv(65536)
            if not part:
                raise EOFError("connection closed")
            self.data += part
        line, self.data = self.data.split(b"\n", 1)
        return line.decode()


def plain(addr):
    return addr.removeprefix("::ffff:").split("%")[0]


def serve_stream(name, sock, peer, port):
    try:
        sock.sendall(f"{name} {plain(peer[0])} {peer[1]} {port}\n".encode())
        while (data := sock.recv(65536)) not in (b"", b"close\n"):
            sock.sendall(data)
    except OSError:
        pass
    finally:
        sock.close()


def accept(name, listener, port):
    while True:
        sock, peer = listener.accept()
        threading.Thread(target=serve_stream, daemon=True,
                         args=(name, sock, peer, port)).start()


def answer(name, sock, port):
    """Answer datagrams from the very address that they came to."""
    while True:
        try:
            data, anc, _, peer = sock.recvmsg(65536, 512)
        except OSError:
            continue
        ttl, send = 0, []
        for level, kind, value in anc:
            if (level, kind) == (socket.IPPROTO_IP, 8):
                _, _, local = struct.unpack("i4s4s", value)
                send = [(level, kind, struct.pack("i4s4s", 0, local, local))]
            elif (level, kind) == (socket.IPPROTO_IPV6, socket.IPV6_PKTINFO):
                send = [(level, kind, value[:16] + struct.pack("i", 0))]
            elif (level, kind) in ((socket.IPPROTO_IP, socket.IP_TTL),
                                   (socket.IPPROTO_IPV6,
                                    socket.IPV6_HOPLIMIT)):
                ttl = struct.unpack("i", value[:4])[0]
        text = f"{name} {plain(peer[0])} {peer[1]} {port} {ttl} ".encode()
        try:
            sock.sendmsg([text, data[:60000]], send, 0, peer)
        except OSError as error:
            print(f"answer to {peer}: {error}", flush=True)


def serve(name, *ports):
    for port in map(int, ports):
        listener = socket.create_server(("::", port), backlog=512,
                                        family=socket.AF_INET6,
                                        dualstack_ipv6=True)
        threading.Thread(target=accept, daemon=True,
                         args=(name, listener, port)).start()
        four = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        four.setsockopt(socket.IPPROTO_IP, 8, 1)    # IP_PKTINFO
        four.setsockopt(socket.IPPROTO_IP, 12, 1)   # IP_RECVTTL
        four.bind(("", port))
        six = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        six.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        six.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVPKTINFO, 1)
        six.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVHOPLIMIT, 1)
        six.bind(("::", port))
        for sock in (four, six):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
            threading.Thread(target=answer, daemon=True,
                             args=(name, sock, port)).start()
    print("ready", flush=True)
    while True:
        time.sleep(1000)


def once(sock, proto):
    if proto == "udp":
        sock.send(b"x\n")
    return Line(sock).read()


def many(proto, addr, port, count, first=0, source=None):
    for i in range(int(count)):
        sport = int(first) and int(first) + i
        try:
            with opened(proto, addr, int(port), sport, source=source) as sock:
                sport = sock.getsockname()[1]
                print(sport, once(sock, proto))
                if ORDERLY and proto == "tcp":
                    sock.send(b"close\n")
                    sock.recv(1)
                elif proto == "tcp":
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        except (OSError, EOFError) as error:
            print(f"{sport} failed: {error}", file=sys.stderr)
            return 1
    return 0


class Held:
    """A flow that stays open."""

    def __init__(self, proto, addr, port, sport):
        self.proto = proto
        self.sock = opened(proto, addr, port, sport)
        self.line = Line(self.sock)
        self.sent = 0
        if proto == "tcp":
            self.name = self.line.read().split()[0]
        else:
            self.name = self.exchange()

    def exchange(self):
        self.sent += 1
        text = f"{self.sent}"
        self.sock.send(text.encode() + b"\n")
        words = self.line.read().split()
        if words[-1] != text:
            raise ValueError(f"{words} in answer to {text}")
        return self.name if self.proto == "tcp" else words[0]


def hold(proto, addr, port, count, first=0):
    first = int(first)
    flows = [Held(proto, addr, int(port), first and first + i)
             for i in range(int(count))]
    print("ready", *(flow.name for flow in flows), flush=True)
    for command in sys.stdin:
        end = time.monotonic() + float(command)
        seen = [[] for flow in flows]
        try:
            while True:
                for number, flow in enumerate(flows):
                    name = flow.exchange()
                    if not seen[number] or seen[number][-1] != name:
                        seen[number].append(name)
                if time.monotonic() >= end:
                    break
                time.sleep(0.02)
            print("ok", *(">".join(names) for names in seen), flush=True)
        except (OSError, EOFError, ValueError) as error:
            print(f"failed, flow {number}: {error!r}", flush=True)
    return 0


def attempt(proto, addr, port, sport=0, timeout=TIMEOUT):
    start = time.monotonic()
    try:
        sock = opened(proto, addr, int(port), int(sport), float(timeout))
        text = "served " + once(sock, proto)
    except TimeoutError:
        text = "timeout"
    except EOFError as error:
        text = str(error)
    except OSError as error:
        text = ("refused" if error.errno == errno.ECONNREFUSED
                else errno.errorcode.get(error.errno, str(error)))
    print(text, int((time.monotonic() - start) * 1000))
    return 0


def steady(addr, port, sport):
    sock = opened("udp", addr, int(port), int(sport), 0.05)
    start = heard = time.monotonic()
    last = None
    while True:
        begin = time.monotonic()
        name = last
        try:
            name = once(sock, "udp").split()[0]
            heard = time.monotonic()
        except OSError:
            if time.monotonic() - heard > 1:
                name = "none"
        if name != last:
            print(name, round(time.monotonic() - start, 3), flush=True)
        last = name
        time.sleep(max(0, begin + 0.05 - time.monotonic()))


class Twin(threading.Thread):
    """Sends on the socket that it is given, at the same time as another."""

    def __init__(self, barrier, number):
        super().__init__(daemon=True)
        self.barrier, self.number, self.sock = barrier, number, None

    def run(self):
        cpus = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cpus[self.number % len(cpus)]})
        while True:
            self.barrier.wait()
            self.sock.send(b"%d\n" % self.number)
            self.barrier.wait()


def pair(addr, port, sport, twins, barrier):
    with opened("udp", addr, port, sport) as sock:
        for twin in twins:
            twin.sock = sock
        barrier.wait()
        barrier.wait()
        answers = [Line(sock).read().split() for _ in twins]
        if {words[-1] for words in answers} != {"0", "1"}:
            raise ValueError(f"not both answered: {answers}")
        if answers[0][:4] != answers[1][:4]:
            raise ValueError(f"two servers: {answers}")


def pairs(addr, port, count, seconds):
    barrier = threading.Barrier(3)
    twins = [Twin(barrier, number) for number in (0, 1)]
    for twin in twins:
        twin.start()
    start, done = time.monotonic(), 0
    while done < int(count) and time.monotonic() - start < float(seconds):
        try:
            pair(addr, int(port), 10000 + done % 50000, twins, barrier)
        except (OSError, ValueError) as error:
            print(f"after {done} pairs: {error}", file=sys.stderr)
            return 1
        done += 1
    print(f"{done} pairs in {time.monotonic() - start:.1f} s")
    return 0


def bulk(addr, port, size):
    size = int(size)
    data = os.urandom(1 << 20) * (size // (1 << 20) + 1)
    data = data[:size]
    sock = opened("tcp", addr, int(port), timeout=60)
    line = Line(sock)
    name = line.read()
    got = bytearray(line.data)
    sock.setblocking(False)
    sent = 0
    while len(got) < size:
        write = [sock] if sent < size else []
        readable, writable, _ = select.select([sock], write, [], 30)
        if not readable and not writable:
            print(f"stuck: sent {sent} got {len(got)} of {size}")
            return 1
        if writable:
            sent += sock.send(data[sent:sent + 262144])
        if readable:
            part = sock.recv(1 << 20)
            if not part:
                break
            got += part
    wanted = hashlib.sha256(data).hexdigest()
    found = hashlib.sha256(got).hexdigest()
    print(name.split()[0], size, found)
    if found != wanted:
        print(f"differs: {wanted} was sent, {len(got)} bytes came back")
        return 1
    return 0


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return struct.pack("!H", total ^ 0xffff)


def segment(source, target, sport, dport, seq):
    data = b"stale"
    head = struct.pack("!HHIIBBHHH", sport, dport, seq, 1, 5 << 4,
                       0x18, 500, 0, 0)
    pseudo = source + target + struct.pack("!II", len(head + data),
                                           socket.IPPROTO_TCP)
    check = checksum(pseudo + head + data)
    return head[:16] + check + head[18:] + data


def inject(source, sport, target, dport, *seqs):
    family = family_of(source)
    source, target = (socket.inet_pton(family, a) for a in (source, target))
    sock = socket.socket(family, socket.SOCK_RAW, socket.IPPROTO_RAW)
    for seq in map(int, seqs):
        tcp = segment(source, target, int(sport), int(dport), seq)
        if family == socket.AF_INET6:
            head = struct.pack("!IHBB16s16s", 6 << 28, len(tcp),
                               socket.IPPROTO_TCP, 64, source, target)
        else:
            # the kernel fills in the checksum and the length
            head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 0, 0, 0, 64,
                               socket.IPPROTO_TCP, 0, source, target)
        sock.sendto(head + tcp, (socket.inet_ntop(family, target), 0))
    return 0


def datagram(addr, port, size, sport=0):
    data = os.urandom(int(size))
    with opened("udp", addr, int(port), int(sport)) as sock:
        sock.send(data)
        got = sock.recv(65536)
    head, body = got[:-len(data)], got[-len(data):]
    print(head.decode(errors="replace"), len(body))
    return 0 if body == data else 1


def latency(addr, port, stop):
    times = []
    with opened("udp", addr, int(port)) as sock:
        while not os.path.exists(stop):
            begin = time.monotonic()
            once(sock, "udp")
            times.append(time.monotonic() - begin)
            time.sleep(0.002)
    times.sort()
    micro = [round(t * 1e6) for t in (times[len(times) * 99 // 100], times[-1])]
    print(len(times), *micro)
    return 0


COMMANDS = {"serve": serve, "many": many, "hold": hold, "try": attempt,
            "steady": steady, "pairs": pairs,
            "bulk": bulk, "datagram": datagram,
            "inject": inject, "latency": latency}


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    sys.exit(COMMANDS[sys.argv[1]](*sys.argv[2:]))
