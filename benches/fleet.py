#!/usr/bin/env python3
"""One question to the traces of a fleet: `query --each`, a lake, a cluster, and processes beside.

    cargo build --release && cargo build --release -p tpq-testkit --example fleet
    python3 benches/fleet.py [--tpq target/release/tpq] [--only PART,…] [--count 1000] [--folder DIR]

The traces have 1 MB each, and 30 of 1,000 are slow: their frames take three times as long. They are
written to a temporary folder, or to DIR, where a later run finds them. The question is which traces
are slow; every way to ask it must find those, and all ways must give the same rows. The parts:

    each     `query --each` without a cache and with one, a loop of single queries, and a pool of single
             queries with a process for each core: seconds, and the peak memory of all processes
    memory   the peak memory of `query --each` over a tenth, a third and all of the traces
    ingest   `tpq ingest`: traces and megabytes per second, the size of the lake beside the traces, and
             the peak memory over a tenth, a third and all of them
    lake     the question over the lake, once over all traces and on each: seconds; with and without a
             filter on the day: files of the plan, and bytes that were read; the same when compacted
    cluster  the question on 1, 2 and 3 executors of one task each, over files and over the lake

Times are the least of --repeat runs, except those of `each` and `ingest`, which run once. Executors
share the cores of this machine: more of them than cores show the cost of a cluster and not its gain.
"""

import argparse
import concurrent.futures
import contextlib
import csv
import glob
import io
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PARTS = ["each", "memory", "ingest", "lake", "cluster"]
QUESTION = "SELECT CAST(avg(dur) AS INT) AS mean, count(*) AS n FROM slice WHERE name = 'frame'"
SLOW = "SELECT trace_path FROM results WHERE mean > 9000000 ORDER BY trace_path"
OVER_ALL = (
    "SELECT trace_path FROM lake.slice WHERE name = 'frame' GROUP BY trace_path "
    "HAVING avg(dur) > 9000000 ORDER BY trace_path"
)
# The first whole day of the fleet.
ONE_DAY = "day = '2023-11-15'"
UNITS = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30}


class Bench:
    def __init__(self, arguments, folder, scratch):
        self.tpq = os.path.abspath(arguments.tpq)
        self.repeat = arguments.repeat
        self.folder = folder
        self.paths = sorted(glob.glob(os.path.join(folder, "*.pftrace")))[: arguments.count]
        with open(os.path.join(folder, "slow.txt"), encoding="utf-8") as file:
            names = {os.path.basename(path) for path in self.paths}
            self.slow = [name for name in file.read().split() if name in names]
        self.scratch = scratch
        self.cache = os.path.join(scratch, "cache")
        self.lake = os.path.join(scratch, "lake")
        self.bytes = sum(map(os.path.getsize, self.paths))
        # A pattern in place of names, of which there may be more than a command line has room for.
        links = os.path.join(scratch, "traces")
        os.mkdir(links)
        for path in self.paths:
            os.symlink(os.path.abspath(path), os.path.join(links, os.path.basename(path)))
        self.all = os.path.join(links, "*.pftrace")

    def run(self, *command):
        """What tpq prints, its seconds, and its peak memory in MiB."""
        environment = dict(os.environ, TPQ_CACHE_DIR=self.cache)
        began = time.perf_counter()
        child = subprocess.Popen([self.tpq, *command], env=environment, stdout=subprocess.PIPE, text=True)
        printed = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"{' '.join(command)}: exit {child.returncode}")
        return printed, time.perf_counter() - began, usage.ru_maxrss / 1024

    def best(self, *command):
        """The same for the fastest of several runs, which must print the same."""
        runs = [self.run(*command) for _ in range(self.repeat)]
        if any(printed != runs[0][0] for printed, _, _ in runs):
            sys.exit(f"{' '.join(command)}: other rows in another run")
        return min(runs, key=lambda run: run[1])

    def check(self, printed, what):
        """That the rows name the slow traces."""
        found = [os.path.basename(row[0]) for row in list(csv.reader(io.StringIO(printed)))[1:]]
        if found != self.slow:
            sys.exit(f"{what}: found {found}, planted {self.slow}")
        return f"finds the {len(found)} slow traces"

    def ensure_lake(self):
        if not os.path.isdir(self.lake):
            self.run("ingest", "-q", self.all, "--lake", self.lake)


def say(name, seconds, memory=None, more=""):
    memory = "" if memory is None else f"{memory:>8.0f} MiB"
    print(f"  {name:<44}{seconds:>9.3f} s{memory:<12}  {more}".rstrip(), flush=True)


def each(bench):
    printed, took, peak = bench.run("query", "-q", "--each", bench.all, "--no-cache", "-c", QUESTION, "--format", "csv")
    rows = [row[2:] for row in list(csv.reader(io.StringIO(printed)))[1:]]
    say("--each", took, peak)
    slow = bench.run("query", "-q", "--each", bench.all, "--no-cache", "-c", QUESTION, "--then", SLOW, "--format", "csv")
    say("--each --then", slow[1], slow[2], bench.check(slow[0], "--then"))

    def single(path):
        command = ["query", "-q", "--no-cache", "--threads", "1", path, "-c", QUESTION, "--format", "csv"]
        printed, _, peak = bench.run(*command)
        return printed.splitlines()[1].split(","), peak

    for name, jobs in (("loop of single queries", 1), (f"pool of {os.cpu_count()} processes", os.cpu_count())):
        began = time.perf_counter()
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            found = list(pool.map(single, bench.paths))
        seconds = time.perf_counter() - began
        if [row for row, _ in found] != rows:
            sys.exit(f"{name}: other rows")
        memory = jobs * max(peak for _, peak in found)
        say(name, seconds, memory, f"{seconds / took:.2f} x --each")
    cached = ["query", "-q", "--each", bench.all, "-c", QUESTION, "--format", "csv"]
    bench.run(*cached)
    again, warm, peak = bench.best(*cached)
    if again != printed:
        sys.exit("the cache gives other rows")
    say("--each, traces in the cache", warm, peak, f"{warm / took:.2f} x --each")


def memory(bench):
    for count in sorted({max(1, len(bench.paths) // share) for share in (10, 3, 1)}):
        command = ["query", "-q", "--each", *bench.paths[:count], "--no-cache", "-c", QUESTION, "--format", "csv"]
        _, took, peak = bench.run(*command)
        say(f"--each, {count} traces", took, peak)


def size_of(folder):
    """The bytes and the number of the files in a folder."""
    sizes = [os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names]
    return sum(sizes), len(sizes)


def ingest(bench):
    part = os.path.join(bench.scratch, "part")
    for count in sorted({max(1, len(bench.paths) // share) for share in (10, 3)}):
        _, took, peak = bench.run("ingest", "-q", *bench.paths[:count], "--lake", part)
        say(f"ingest, {count} traces", took, peak)
        shutil.rmtree(part)
    shutil.rmtree(bench.lake, ignore_errors=True)
    _, took, peak = bench.run("ingest", "-q", bench.all, "--lake", bench.lake)
    count = len(bench.paths)
    say("ingest", took, peak, f"{count / took:.1f} traces/s, {bench.bytes / 1e6 / took:.1f} MB/s")
    size, files = size_of(bench.lake)
    print(
        f"  lake {size / 1e6:.1f} MB in {files} files, traces {bench.bytes / 1e6:.1f} MB: "
        f"{size / bench.bytes:.2f} of their size"
    )
    _, took, _ = bench.run("ingest", "-q", bench.all, "--lake", bench.lake)
    say("ingest again, all in the lake", took)


def number(text):
    """The value of a metric as DataFusion prints it: 69.12 K, 1234, 1.5 MB."""
    value, _, unit = text.strip().partition(" ")
    return float(value.replace(",", "")) * UNITS[unit.strip()]


def reads(bench, condition):
    """What a sum over the scheduled slices reads: in the plan, and in fact."""
    sql = f"SELECT sum(dur) FROM lake.sched_slice WHERE {condition}"
    plan, _, _ = bench.run("query", "-q", "--lake", bench.lake, "-c", f"EXPLAIN {sql}")
    extents = re.search(r"read=(\{[^}]*\}), pruned=(\{[^}]*\})", plan)
    ran, _, _ = bench.run("query", "-q", "--lake", bench.lake, "-c", f"EXPLAIN ANALYZE {sql}")
    scanned = re.search(r"bytes_scanned=([\d.,]+(?: [KMG])?)", ran)
    _, took, _ = bench.best("query", "-q", "--lake", bench.lake, "-c", sql)
    return extents and extents.groups(), number(scanned.group(1)) if scanned else 0, took


def ask_lake(bench):
    command = ["query", "-q", "--lake", bench.lake, "--format", "csv"]
    printed, took, peak = bench.best(*command, "-c", OVER_ALL)
    say("once over all traces", took, peak, bench.check(printed, "lake"))
    printed, took, peak = bench.best(*command, "-c", QUESTION, "--then", SLOW)
    say("on each trace, --then", took, peak, bench.check(printed, "lake, each"))
    whole = reads(bench, "true")
    pruned = reads(bench, ONE_DAY)
    for name, (extents, scanned, took) in (("sum over all traces", whole), (f"sum where {ONE_DAY}", pruned)):
        more = "read {}, pruned {}".format(*extents) if extents else ""
        say(name, took, None, f"{scanned / 1e6:.3f} MB read; {more}")
    if pruned[1]:
        print(f"  without the filter {whole[1] / pruned[1]:.1f} times the bytes are read")


def lake(bench):
    bench.ensure_lake()
    ask_lake(bench)
    _, took, peak = bench.run("lake", "compact", "-q", "--lake", bench.lake)
    bench.run("lake", "vacuum", "-q", "--lake", bench.lake, "--older-than", "0h")
    size, files = size_of(bench.lake)
    say("compact", took, peak, f"{size / 1e6:.1f} MB in {files} files")
    ask_lake(bench)
    # The other parts measure a lake as the ingest leaves it.
    shutil.rmtree(bench.lake)


@contextlib.contextmanager
def nodes(bench, executors):
    """A scheduler and executors; gives the address, and the processes by their names."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    executor = ["cluster", "executor", "--scheduler", address, "--tasks", "1", "--no-cache"]
    commands = [("scheduler", ["cluster", "scheduler", "--bind", address])]
    commands += [(f"executor {number + 1}", executor) for number in range(executors)]
    running = {}
    try:
        for name, command in commands:
            child = subprocess.Popen([bench.tpq, *command], stderr=subprocess.PIPE, text=True)
            running[name] = child
            line = child.stderr.readline()
            if not line.startswith(name.split()[0] + " on "):
                sys.exit(f"{name}: {line}{child.stderr.read()}")
        yield address, running
    finally:
        for child in running.values():
            child.send_signal(signal.SIGTERM)
        for child in running.values():
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


def peak_of(child):
    """The peak memory of a running process in MiB; 0 where /proc does not have it."""
    try:
        with open(f"/proc/{child.pid}/status", encoding="utf-8") as file:
            found = re.search(r"VmHWM:\s+(\d+)", file.read())
        return int(found.group(1)) / 1024 if found else 0
    except OSError:
        return 0


def cluster(bench):
    bench.ensure_lake()
    files = ["query", "-q", "--each", bench.all, "--no-cache", "-c", QUESTION, "--then", SLOW, "--format", "csv"]
    on_each = ["query", "-q", "--lake", bench.lake, "-c", QUESTION, "--then", SLOW, "--format", "csv"]
    over_all = ["query", "-q", "--lake", bench.lake, "-c", OVER_ALL, "--format", "csv"]
    ways = [("files, on each", files), ("lake, on each", on_each), ("lake, once over all", over_all)]
    alone = {}
    for name, command in ways:
        jobs = [] if command is over_all else ["--jobs", "1"]
        printed, alone[name], peak = bench.best(*command, "--threads", "1", *jobs)
        say(f"{name}: one process, one thread", alone[name], peak, bench.check(printed, name))
    for executors in (1, 2, 3):
        with nodes(bench, executors) as (address, running):
            for name, command in ways:
                printed, took, _ = bench.best(*command, "--cluster", address)
                found = bench.check(printed, f"{name} on {executors} executors")
                label = f"{name}: {executors} executor{'s' if executors > 1 else ''}"
                say(label, took, None, f"{alone[name] / took:.2f} x as fast; {found}")
            memory = ", ".join(f"{name} {peak_of(child):.0f} MiB" for name, child in running.items())
            print(f"    peak memory: {memory}", flush=True)


def fleet(arguments, scratch):
    """The folder of the traces, which are written unless it has enough of them."""
    folder = arguments.folder or os.path.join(scratch, "fleet")
    if len(glob.glob(os.path.join(folder, "*.pftrace"))) >= arguments.count:
        return folder
    generator = arguments.generator
    if generator is None:
        built = [f"target/{profile}/examples/fleet" for profile in ("release", "debug")]
        generator = next(filter(os.path.exists, built), None)
    if generator is None:
        sys.exit("there is no generator: cargo build --release -p tpq-testkit --example fleet")
    subprocess.run([generator, folder, str(arguments.count)], check=True)
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tpq", default="target/release/tpq")
    parser.add_argument("--only", default=",".join(PARTS), help="parts to run, separated by commas")
    parser.add_argument("--count", type=int, default=1000, help="number of traces")
    parser.add_argument("--folder", help="folder of the traces")
    parser.add_argument("--generator", help="the program that writes the traces")
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    only = arguments.only.split(",")
    if not set(only) <= set(PARTS):
        parser.error(f"the parts are {', '.join(PARTS)}")
    with tempfile.TemporaryDirectory(prefix="tpq-fleet-") as scratch:
        bench = Bench(arguments, fleet(arguments, scratch), scratch)
        mean = bench.bytes / max(1, len(bench.paths)) / 1e6
        print(f"{len(bench.paths)} traces of {mean:.2f} MB, {len(bench.slow)} of them slow; {os.cpu_count()} cores")
        for part in only:
            print(part, flush=True)
            {"each": each, "memory": memory, "ingest": ingest, "lake": lake, "cluster": cluster}[part](bench)


if __name__ == "__main__":
    main()
