#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Run test scripts one after the other and print one KTAP stream.

usage: ktap.py SCRIPT...

A script's own KTAP is nested below its line. It passes when it exits with 0
and reported at least one result and none that failed; 4 means skipped. A
comment "# timeout: SECONDS" in the script replaces the default of 300.
"""

import os
import re
import signal
import subprocess
import sys
import threading
import time

TIMEOUT = 300
RESULT = re.compile(r"\s*(not )?ok\b(.*)")
EXPECTED = re.compile(r"#\s*(skip|todo|xfail)\b", re.IGNORECASE)


def timeout_of(script):
    with open(script, encoding="utf-8", errors="replace") as file:
        found = re.search(r"^# timeout: (\d+)$", file.read(), re.MULTILINE)
    return int(found.group(1)) if found else TIMEOUT


def log(text):
    """Leave a mark in the kernel's log, to match its lines with tests."""
    try:
        with open("/dev/kmsg", "w", encoding="utf-8") as file:
            file.write(text)
    except OSError:
        pass


class Reader(threading.Thread):
    """Pass a script's output on, indented, and count its results."""

    def __init__(self, stream):
        super().__init__(daemon=True)
        self.stream = stream
        self.results = self.failures = 0

    def run(self):
        for raw in self.stream:
            line = raw.decode(errors="replace").rstrip("\r\n")
            found = RESULT.match(line)
            if found:
                self.results += 1
                if found.group(1) and not EXPECTED.search(line):
                    self.failures += 1
            print("  " + line, flush=True)


def clean_up(pid):
    """Remove what a script left, so that it cannot disturb the next."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    names = subprocess.run(["ip", "netns", "list"], text=True, check=False,
                           stdout=subprocess.PIPE).stdout.split("\n")
    names = [name.split()[0] for name in names if name]
    for name in names:
        pids = subprocess.run(["ip", "netns", "pids", name], text=True,
                              check=False, stdout=subprocess.PIPE).stdout
        for left in pids.split():
            try:
                os.kill(int(left), signal.SIGKILL)
            except ProcessLookupError:
                pass
        subprocess.run(["ip", "netns", "del", name], check=False)
    if names:
        print("  # left behind: namespaces " + " ".join(names))


def run(script):
    """Return None when the script passed, else a reason."""
    limit = timeout_of(script)
    with subprocess.Popen([script], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          start_new_session=True) as process:
        reader = Reader(process.stdout)
        reader.start()
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
        clean_up(process.pid)
        reader.join(5)
    if status is None:
        return f"TIMEOUT {limit} seconds"
    if status == 4:
        return "SKIP"
    if status != 0:
        return f"exit={status}"
    if reader.failures:
        return f"{reader.failures} failed"
    if not reader.results:
        return "no results"
    return None


def main():
    scripts = sys.argv[1:]
    failed = 0
    print(f"KTAP version 1\n1..{len(scripts)}", flush=True)
    for number, script in enumerate(scripts, 1):
        name = os.path.basename(script).removesuffix(".sh")
        log(f"selftest: {name} starts")
        start = time.monotonic()
        try:
            reason = run(os.path.abspath(script))
        except OSError as error:
            reason = error.strerror
        failed += reason not in (None, "SKIP")
        verdict = "not ok" if reason not in (None, "SKIP") else "ok"
        print(f"# {name}: {time.monotonic() - start:.1f} s")
        print(f"{verdict} {number} {name}" + (f" # {reason}" if reason else ""),
              flush=True)
    return 1 if failed or not scripts else 0


sys.exit(main())
