#!/usr/bin/env python3
"""One question to many traces: `query --each` beside a process for each trace.

    cargo run --release -p tpq-testkit --example fleet -- DIR 1000
    python3 benches/each.py DIR [--tpq target/release/tpq] [--counts 10,100,1000]

For each count: the time of one `query --each`, of a loop of single queries, and of a pool of single
queries with a process for each core, all without a cache; then `--each` with the traces in the cache.
The rows must agree, and the traces with long frames must be those of `slow.txt`. Peak memory is the
resident set of the largest process.
"""

import argparse
import concurrent.futures
import glob
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

SQL = "SELECT CAST(avg(dur) AS INT) AS mean, count(*) AS n FROM slice WHERE name = 'frame'"
SLOW = "SELECT trace_path FROM results WHERE mean > 9000000 ORDER BY trace_path"


def run(command, cache):
    """What a command prints, its seconds, and its peak memory in MiB."""
    environment = dict(os.environ, TPQ_CACHE_DIR=cache)
    began = time.perf_counter()
    child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    printed = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{command}: exit {child.returncode}")
    return printed, time.perf_counter() - began, usage.ru_maxrss / 1024


def single(arguments, path, cache):
    command = [arguments.tpq, "query", "-q", "--no-cache", "--threads", "1", path, "-c", SQL, "--format", "csv"]
    printed, _, peak = run(command, cache)
    return printed.splitlines()[1], peak


def of_single_queries(arguments, paths, cache, jobs):
    began = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(lambda path: single(arguments, path, cache), paths))
    took = time.perf_counter() - began
    return [rows for rows, _ in found], took, jobs * max(peak for _, peak in found)


def each(arguments, paths, cache, *options):
    command = [arguments.tpq, "query", "-q", "--each", *options, *paths, "-c", SQL, "--format", "csv"]
    printed, took, peak = run(command, cache)
    rows = [line.split(",", 2)[2] for line in printed.splitlines()[1:]]
    return rows, took, peak


def measure(arguments, paths, cache):
    rows, took, peak = each(arguments, paths, cache, "--no-cache")
    print(f"{len(paths):>6} traces   --each {took:>8.2f} s {peak:>6.0f} MiB", end="", flush=True)
    for name, jobs in (("loop", 1), ("pool", os.cpu_count())):
        others, seconds, memory = of_single_queries(arguments, paths, cache, jobs)
        if others != rows:
            sys.exit(f"{name}: other rows")
        print(f"   {name} / --each {seconds / took:>5.2f} {memory:>6.0f} MiB", end="", flush=True)
    each(arguments, paths, cache)
    again, warm, peak = each(arguments, paths, cache)
    if again != rows:
        sys.exit("the cache gives other rows")
    print(f"   cached / --each {warm / took:>5.2f} {peak:>6.0f} MiB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--tpq", default="target/release/tpq")
    parser.add_argument("--counts", default="10,100,1000")
    arguments = parser.parse_args()
    paths = sorted(glob.glob(os.path.join(arguments.folder, "*.pftrace")))
    for count in map(int, arguments.counts.split(",")):
        cache = tempfile.mkdtemp()
        measure(arguments, paths[:count], cache)
        shutil.rmtree(cache)
    command = [arguments.tpq, "query", "-q", "--no-cache", "--each", *paths, "-c", SQL, "--then", SLOW, "--format", "csv"]
    printed, _, _ = run(command, tempfile.gettempdir())
    found = [os.path.basename(line) for line in printed.splitlines()[1:]]
    with open(os.path.join(arguments.folder, "slow.txt"), encoding="utf-8") as file:
        planted = file.read().split()
    print("the slow traces are found" if found == planted else f"found {found}, planted {planted}")


if __name__ == "__main__":
    main()
