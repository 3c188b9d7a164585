# SPDX-License-Identifier: GPL-2.0
"""What the Python tests of the tool share: run cases and print KTAP."""


def run(cases):
    """Run cases, a dict of names and functions; return the exit status."""
    print("KTAP version 1")
    print(f"1..{len(cases)}")
    failed = False
    for number, (name, case) in enumerate(cases.items(), 1):
        ok = case()
        failed |= not ok
        print(f"{'ok' if ok else 'not ok'} {number} {name}")
    return int(failed)
