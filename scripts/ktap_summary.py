#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Count the results in KTAP streams.

usage: ktap_summary.py [FILE]...

Prints "PASSED FAILED SKIPPED". Only leaves count: the line that sums up
nested results counts when it failed and none below it did. A result that a
plan promised and nobody gave is a failure.
"""

import re
import sys

LINE = re.compile(r"( *)(not ok|ok|1\.\.(\d+)|Bail out!)(?=\s|$)(.*)")
TOTALS = re.compile(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?")


class Counter:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.levels = []    # of nested results still without their sum

    def close(self, indent):
        """End the levels below indent; tell how many results, failures."""
        results = failures = 0
        while self.levels and self.levels[-1]["indent"] > indent:
            level = self.levels.pop()
            missing = max(0, level["plan"] - level["results"])
            self.failed += missing
            results += level["results"]
            failures += level["failures"] + missing
        return results, failures

    def level(self, indent):
        if not self.levels or self.levels[-1]["indent"] < indent:
            self.levels.append({"indent": indent, "plan": 0, "results": 0,
                                "failures": 0})
        return self.levels[-1]

    def result(self, indent, good, rest):
        results, failures = self.close(indent)
        level = self.level(indent)
        level["results"] += 1
        skipped = re.search(r"#\s*skip\b", rest, re.IGNORECASE)
        if not good and not skipped:
            level["failures"] += 1
            if not failures:
                self.failed += 1
        elif results:
            pass
        elif skipped:
            self.skipped += 1
        else:
            self.passed += 1

    def read(self, stream):
        totals = None
        for line in stream:
            line = line.rstrip()
            found = LINE.match(line)
            if not found:
                totals = TOTALS.search(line) or totals
                continue
            indent, kind = len(found.group(1)), found.group(2)
            if kind.startswith("1.."):
                self.close(indent)
                self.level(indent)["plan"] += int(found.group(3))
            elif kind == "Bail out!":
                self.failed += 1
            else:
                self.result(indent, kind == "ok", found.group(4))
        self.close(-1)
        if totals and not self.passed + self.failed + self.skipped:
            self.passed, self.failed, self.skipped = (
                int(text or 0) for text in totals.groups())


def main():
    passed = failed = skipped = 0
    for name in sys.argv[1:] or ["/dev/stdin"]:
        counter = Counter()
        with open(name, encoding="utf-8", errors="replace") as stream:
            counter.read(stream)
        passed += counter.passed
        failed += counter.failed
        skipped += counter.skipped
    print(passed, failed, skipped)


main()
