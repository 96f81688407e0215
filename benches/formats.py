#!/usr/bin/env python3
"""How fast files of each format are imported, beside `gzip -dc` of the same file.

    python3 benches/formats.py [--tpq target/release/tpq] [--only FORMAT,…] [--megabytes 64] [--turns 3]

Made-up files of each format (`benches/format_inputs/`) are written to a temporary folder, one at a time.
For each: the size of the file, megabytes of it per second that `gzip -dc`, `wc -l` and an import read, of
each the fastest of several turns, the import / `gzip -dc`, and peak memory / file. The rows of the import
are counted, so that no speed is that of an input that was not read. `--keep DIR` writes the files there
and leaves them.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time

from format_inputs import INPUTS

# Counts of what was not read, which must be 0.
LOSSES = (
    "SELECT coalesce(sum(value), 0) FROM stats WHERE severity IN ('error', 'data_loss') "
    "OR name IN ('format_parse_errors', 'format_records_not_read')"
)


def timed(command):
    """Seconds, peak resident bytes and what is printed."""
    began = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    printed = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{' '.join(command)}: exit {child.returncode}")
    return time.perf_counter() - began, usage.ru_maxrss * 1024, printed


def silent(command):
    """Seconds of a command that prints much."""
    began = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def measure(tpq, name, path, turns):
    make, counted = INPUTS[name]
    with open(path, "wb") as file:
        expected = make(file, arguments.megabytes * 1_000_000)
    size = os.path.getsize(path)
    packed = f"{path}.gz"
    with open(packed, "wb") as file:
        subprocess.run(["gzip", "-1", "-c", path], stdout=file, check=True)
    query = [tpq, "query", path, "-q", "--no-cache", "--format", "csv", "-c"]
    check(query, name, counted, expected)
    unpacked, lines, imports = [], [], []
    for _ in range(turns):
        unpacked.append(silent(["gzip", "-dc", packed]))
        lines.append(silent(["wc", "-l", path]))
        imports.append(timed(query + ["SELECT 1"])[:2])
    os.remove(packed)
    seconds, peak = min(seconds for seconds, _ in imports), max(peak for _, peak in imports)
    speeds = [size / 1e6 / it for it in (min(unpacked), min(lines), seconds)]
    print(
        f"{name:<20} {size / 1e6:>5.0f} {speeds[0]:>11.0f} {speeds[1]:>8.0f} {speeds[2]:>8.0f} {speeds[2] / speeds[0]:>9.2f} {peak / size:>8.1f}",
        flush=True,
    )


def check(query, name, counted, expected):
    """Ends the run if rows are missing or something was lost."""
    of = lambda sql: int(timed(query + [sql])[2].splitlines()[1])
    if counted and (found := of(counted)) != expected:
        sys.exit(f"{name}: {found} rows in place of {expected}")
    if lost := of(LOSSES):
        sys.exit(f"{name}: {lost} errors and losses")


def main():
    chosen = arguments.only.split(",") if arguments.only else list(INPUTS)
    if unknown := [name for name in chosen if name not in INPUTS]:
        sys.exit(f"{unknown[0]}: no such format; there are {', '.join(INPUTS)}")
    print(f"{'format':<20} {'MB':>5} {'gzip -dc':>11} {'wc -l':>8} {'import':>8} {'/ gzip':>9} {'memory':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name in chosen:
            path = os.path.join(arguments.keep or folder, name)
            measure(arguments.tpq, name, path, arguments.turns)
            if not arguments.keep:
                os.remove(path)


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--tpq", default="target/release/tpq")
parser.add_argument("--only", default="", help="formats, as trace_file names them")
parser.add_argument("--megabytes", type=int, default=64)
parser.add_argument("--turns", type=int, default=3)
parser.add_argument("--keep", help="folder for the files")
arguments = parser.parse_args()
main()
