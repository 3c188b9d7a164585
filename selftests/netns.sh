#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 900
#
# Network namespaces that go with services, flows and an open dump in them.
#
# COUNT says how many come and go; 500 is the case in full.

# Tests are called by their names:
# shellcheck disable=SC2317
# shellcheck source=selftests/ctl.sh
. "$(dirname "$0")/ctl.sh"
need_tools python3 conntrack

if [ "${FLOWRING_VM:-}" = uml ]; then
	count=${COUNT:-500}
else
	count=${COUNT:-40}
fi
services=100

# In each: services of both modes, flows to them, a dump that is not read to
# its end. Its name goes first, then its last socket, and with it all the rest.
churn()
{
	python3 - "$here" "$1" "$tmp/load" <<-'END'
	import ctypes
	import os
	import socket
	import struct
	import subprocess
	import sys
	here, count, load = sys.argv[1:]
	sys.path.insert(0, here)
	import netlink
	libc = ctypes.CDLL(None, use_errno=True)
	spec = netlink.Spec()
	home = os.open("/proc/self/ns/net", os.O_RDONLY)

	def enter(fd):
	    if libc.setns(fd, 0x40000000):
	        raise OSError(ctypes.get_errno(), "setns")

	def run(*words):
	    subprocess.run(words, check=True)

	def flows(name):
	    shown = subprocess.run(
	        ("sh", "-c", f"flowring -n {name} -j -s service show | "
	         "jq 'map(.stats.flows + .stats.packets) | add'"),
	        check=True, capture_output=True)
	    return int(shown.stdout)

	for i in range(int(count)):
	    name = f"churn{i}"
	    run("ip", "netns", "add", name)
	    run("ip", "-n", name, "link", "set", "lo", "up")
	    run("ip", "-n", name, "addr", "add", "198.51.100.10", "dev", "lo")
	    run("ip", "-n", name, "link", "add", "eth0", "type", "veth",
	        "peer", "name", "eth1")
	    run("ip", "-n", name, "link", "set", "eth0", "up")
	    run("ip", "-n", name, "addr", "add", "10.1.0.254/24", "dev", "eth0")
	    run("flowring", "-n", name, "-b", load)
	    fd = os.open(f"/run/netns/{name}", os.O_RDONLY)
	    enter(fd)
	    os.close(fd)
	    nl = netlink.Netlink()
	    sockets = []
	    for port in range(1, 21):
	        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	        s.sendto(b"x", ("198.51.100.10", port))
	        sockets.append(s)
	    t = socket.socket()
	    t.setblocking(False)
	    t.connect_ex(("198.51.100.10", 60))
	    body = struct.pack("=BBH", spec.ops["service-get"]["number"], 1, 0)
	    nl.sock.send(struct.pack("=IHHII", 16 + len(body), nl.family,
	                             1 | netlink.NLM_F_DUMP, 9, 0) + body)
	    nl.sock.recv(1 << 16)
	    enter(home)
	    if i == 0 and flows(name) == 0:
	        sys.exit("no flow came to a service")
	    run("ip", "netns", "del", name)
	    nl.sock.close()
	    t.close()
	    for s in sockets:
	        s.close()
	END
}

# Kernel memory in kB, once what waits for a grace period is gone.
memory()
{
	awk '/^(SUnreclaim|Percpu):/ { sum += $2 } END { print sum }' \
		/proc/meminfo
}

back_to()
{
	[ "$(memory)" -le "$1" ]
}

they_come_and_go()
{
	local before limit

	awk -v n="$services" 'BEGIN {
		print "ring add web bits 8 vnodes 4"
		print "ring add dr bits 8 vnodes 4"
		print "ring add none bits 8"
		print "backend add web b1 addr 10.1.0.1"
		print "backend add web b2 addr 10.1.0.2 port 8080"
		print "backend add dr b1 addr 10.1.0.1 mode dr"
		for (i = 1; i <= n / 2; i++)
			print "service add udp 198.51.100.10 port", i, "ring",
				i % 2 ? "web" : "dr"
		for (i = n / 2 + 1; i <= n; i++)
			print "service add tcp 198.51.100.10 port", i, "ring web"
	}' >"$tmp/load"
	# the first ones fill caches
	churn 10 || fail "no churn"
	before=$(memory)
	churn "$count" || fail "no churn"
	# what one service leaves behind would be more than this
	limit=$((before + count * services / 4 + 2048))
	slowwait 30 back_to "$limit" ||
		fail "$(($(memory) - before)) kB more than before"
	echo "# $count namespaces of $services services," \
		"$(($(memory) - before)) kB more than before"
}

the_module_comes_out()
{
	rmmod flowring || fail "still in use"
	modprobe flowring || fail "does not come back"
}

run_tests they_come_and_go the_module_comes_out
