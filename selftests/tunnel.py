#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Packets in tunnels, for the selftests.

outer FILE
    For each packet in a capture: its headers from the outside in, as words.
    "bad" is among them when a checksum is wrong or a length does not fit.
"""

import sys

from scapy.all import IP, UDP, IPv6, raw, rdpcap


def whole(layer):
    """Whether the checksum and the length of a header are right."""
    again = layer.copy()
    if isinstance(layer, IP):
        del again.chksum, again.len
        again = IP(raw(again))
        return (again.chksum, again.len) == (layer.chksum, layer.len)
    if isinstance(layer, IPv6):
        del again.plen
        return IPv6(raw(again)).plen == layer.plen
    return True


def transport(layer):
    """The checksum of UDP, right or none."""
    udp = layer[UDP]
    again = layer.copy()
    del again[UDP].chksum, again[UDP].len
    again = layer.__class__(raw(again))
    words = ["udp", udp.sport, udp.dport, "sum" if udp.chksum else "nosum"]
    if udp.chksum and udp.chksum != again[UDP].chksum:
        words.append("bad")
    if udp.len != again[UDP].len:
        words.append("bad")
    return words


def network(layer):
    if isinstance(layer, IP):
        words = ["ip4", layer.src, layer.dst, layer.proto,
                 f"tos={layer.tos:#04x}", f"ttl={layer.ttl}",
                 "df" if "DF" in str(layer.flags) else "nodf"]
    else:
        words = ["ip6", layer.src, layer.dst, layer.nh,
                 f"tos={layer.tc:#04x}", f"ttl={layer.hlim}",
                 "label" if layer.fl else "nolabel"]
    return words + ([] if whole(layer) else ["bad"])


def described(layer):
    words = network(layer)
    proto = layer.proto if isinstance(layer, IP) else layer.nh
    payload = raw(layer.payload)
    if proto == 17 and UDP in layer:
        words += transport(layer)
        inner = raw(layer[UDP].payload)
        # generic UDP encapsulation, variant 0: no options, no flags
        if inner[:1] == b"\0" and inner[2:4] == b"\0\0" and inner[1] in (4, 41):
            words.append("gue")
            proto, payload = inner[1], inner[4:]
    if proto == 4:
        words += described(IP(payload))
    elif proto == 41:
        words += described(IPv6(payload))
    return words


def outer(name):
    for packet in rdpcap(name):
        layer = packet[IPv6] if packet.type == 0x86dd else packet[IP]
        print(*described(layer))
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "outer":
        sys.exit(__doc__)
    sys.exit(outer(sys.argv[2]))
