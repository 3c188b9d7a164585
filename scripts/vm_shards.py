#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Share test scripts out among several virtual machines, merge their KTAP.

usage: vm_shards.py MACHINES RUN KTAP SCRIPT...

Each machine runs "RUN --timeout S -- KTAP SCRIPT...". A script's output is
printed in one piece when it has ended; until then standard error says what
is under way.
"""

import re
import signal
import subprocess
import sys
import threading
import time

LONGEST = 2400      # seconds for one machine, whatever its scripts ask for
RESULT = re.compile(r"(ok|not ok) \d+ (.*)")


def weight(script):
    """The time that a script may take stands for the time it takes."""
    with open(script, encoding="utf-8", errors="replace") as file:
        found = re.search(r"^# timeout: (\d+)$", file.read(), re.MULTILINE)
    return int(found.group(1)) if found else 300


def share_out(scripts, machines):
    shares = [[] for _ in range(min(machines, len(scripts)))]
    for script in sorted(scripts, key=weight, reverse=True):
        min(shares, key=lambda share: sum(map(weight, share))).append(script)
    return shares


class Output:
    """The merged stream."""

    def __init__(self, plan):
        self.lock = threading.Lock()
        self.number = self.failures = 0
        self.spoken = time.monotonic()
        print(f"KTAP version 1\n1..{plan}", flush=True)

    def result(self, block, verdict, rest):
        with self.lock:
            self.number += 1
            self.failures += verdict != "ok"
            print("".join(block) + f"{verdict} {self.number} {rest}",
                  flush=True)
            self.spoken = time.monotonic()


class Machine(threading.Thread):
    def __init__(self, run, ktap, scripts, output):
        super().__init__()
        self.output = output
        self.last = "starts"
        self.begun = time.monotonic()
        limit = min(LONGEST, 120 + sum(map(weight, scripts)))
        self.process = subprocess.Popen(
            [run, "--timeout", str(limit), "--", ktap, *scripts],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
            errors="replace")

    def run(self):
        block, failures = [], 0
        for line in self.process.stdout:
            found = RESULT.match(line)
            if found:
                self.output.result(block, *found.groups())
                failures += found.group(1) != "ok"
                block = []
            elif not line.startswith(("KTAP version", "1..")):
                block.append(line)
                self.last = line.strip()[:60]
        status = self.process.wait()
        if status and not failures:
            self.output.result(block, "not ok", f"machine # exit={status}")
        self.last = None


def main():
    machines, run, ktap, *scripts = sys.argv[1:]
    output = Output(len(scripts))
    threads = [Machine(run, ktap, share, output)
               for share in share_out(scripts, int(machines))]

    def stop(*_):
        for thread in threads:
            thread.process.terminate()
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)

    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.5)
        if time.monotonic() - output.spoken < 4.5:
            continue
        output.spoken = time.monotonic()
        for number, thread in enumerate(threads, 1):
            if thread.last:
                print(f"vm {number}: {output.spoken - thread.begun:.0f} s: "
                      f"{thread.last}", file=sys.stderr, flush=True)
    return 1 if output.failures or output.number < len(scripts) else 0


sys.exit(main())
