#!/usr/bin/env python3
"""What tpq promises of a whole process, measured: time, memory, the cache, the start and export.

    python3 benches/headline.py TRACE... [--tpq target/release/tpq] [--turns 5]

For each trace, which may be in gzip: the import of everything beside `gzip -dc` of the same trace and on
one thread, the first answer, for which tables are left out,
its peak memory beside the trace's size and the finished tables, within --memory-limit, the second open,
and the export to Parquet. Then how time and memory per event change as a made-up trace grows, and a tiny
query. Runs that are compared take turns; the median ratio counts. DuckDB writes the same tables where
Python has its module (`pip install duckdb`). `benches/queries.py` measures queries.
"""

import argparse
import gzip
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

LIMIT_MIB = 512
TINY = os.path.join(os.path.dirname(__file__), "../testdata/sched.pftrace")
GROWTH = [1, 4, 16, 64]


# A process of its own: one counts the memory of the process it was started by as its own.
RUNNER = """
import os, resource, subprocess, sys, time
began = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
seconds = time.perf_counter() - began
print(done.returncode, seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""


def run(command, **environment):
    """Seconds, and peak resident bytes."""
    runner = [sys.executable, "-S", "-c", RUNNER] + command
    done = subprocess.run(runner, capture_output=True, text=True, env={**os.environ, **environment})
    status, seconds, peak = done.stdout.split()
    if status != "0":
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return float(seconds), int(peak)


def turns(count, *commands):
    """For each command the (seconds, bytes) of each of its turns."""
    results = [[] for _ in commands]
    for _ in range(count):
        for command, result in zip(commands, results):
            result.append(run(command))
    return results


def ratio(ones, others):
    return statistics.median(one[0] / other[0] for one, other in zip(ones, others))


def least(results):
    return min(seconds for seconds, _ in results)


def row(what, value, note=""):
    print(f"  {what:<44} {value:>12}   {note}")


def measure(tpq, trace, count):
    with tempfile.TemporaryDirectory() as folder:
        plain, packed = os.path.join(folder, "trace"), os.path.join(folder, "trace.gz")
        opened = gzip.open if trace.endswith(".gz") else open
        with opened(trace, "rb") as source, open(plain, "wb") as copy:
            shutil.copyfileobj(source, copy)
        with open(plain, "rb") as source, gzip.open(packed, "wb", 6) as copy:
            shutil.copyfileobj(source, copy)
        size = os.path.getsize(plain)
        print(f"{os.path.basename(trace)}, {size / 1e6:.0f} MB")
        query = [tpq, "query", plain, "-q", "-c", "SELECT count(*) FROM slice"]
        first = query + ["--no-cache"]
        anew = first + ["--eager"]
        unpacked, usual, single, lean = turns(count, ["gzip", "-dc", packed], anew, anew + ["--threads", "1"], first)
        row("import, gzip -dc = 1", f"{ratio(usual, unpacked):.2f}", f"{size / least(usual) / 1e6:.0f} MB/s")
        row("first answer, import = 1", f"{ratio(lean, usual):.2f}", f"peak memory {statistics.median(one[1] / other[1] for one, other in zip(lean, usual)):.2f}")
        row("one thread / all", f"{ratio(single, usual):.2f}")
        peak = statistics.median(memory for _, memory in usual)
        row("peak memory, trace = 1", f"{peak / size:.2f}")

        cache = os.path.join(folder, "cache")
        environment = {"TPQ_CACHE_DIR": cache, "TPQ_CACHE_SIZE": "100G"}
        run(query + ["--eager"], **environment)
        kept = [os.path.join(cache, name) for name in os.listdir(cache)]
        if kept:
            tables = os.path.getsize(kept[0])
            base = run([tpq, "query", TINY, "-q", "-c", "SELECT 1"])[1]
            row("peak memory, finished tables = 1", f"{peak / tables:.2f}", f"{(peak - base) / tables:.2f} without the process itself")
            rows = [tpq, "query", plain, "-q", "-c", "SELECT * FROM slice LIMIT 10"]
            second = [run(rows, **environment) for _ in range(count)]
            row("first import / second open", f"{ratio(usual, second):.1f}", f"{least(second) * 1e3:.0f} ms to first rows")
        limited = run(anew + ["--memory-limit", f"{LIMIT_MIB}M"])
        row(f"peak memory within {LIMIT_MIB} MiB", f"{limited[1] / 2**20:.0f} MiB")
        export(tpq, plain, folder, environment, count)


def export(tpq, plain, folder, environment, count):
    """Parquet: bytes of the Arrow data per second and core, and the size beside DuckDB's."""
    out, arrow = os.path.join(folder, "parquet"), os.path.join(folder, "arrow")
    run([tpq, "export", plain, "-q", "-o", arrow, "--format", "arrow"], **environment)
    data = sum(os.path.getsize(os.path.join(arrow, name)) for name in os.listdir(arrow))
    shutil.rmtree(arrow)
    command = [tpq, "export", plain, "-q", "-o", out, "--threads", "1"]
    times = []
    for _ in range(count):
        shutil.rmtree(out, ignore_errors=True)
        times.append(run(command, **environment))
    row("export to Parquet on one core", f"{data / least(times) / 1e6:.0f} MB/s", f"{data / 1e6:.0f} MB of Arrow data")
    try:
        import duckdb
    except ImportError:
        return
    own, other = 0, 0
    for name in os.listdir(out):
        file, copy = os.path.join(out, name), os.path.join(folder, "copy.parquet")
        if os.path.getsize(file) < 100_000:
            continue
        duckdb.sql(f"COPY (SELECT * FROM read_parquet('{file}')) TO '{copy}' (FORMAT parquet, COMPRESSION zstd)")
        own, other = own + os.path.getsize(file), other + os.path.getsize(copy)
    if other:
        row("size of Parquet, DuckDB's zstd = 1", f"{own / other:.2f}", f"{own / 1e6:.1f} MB, tables from 100 kB")


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def packet(*fields, sequence=1):
    return message(1, b"".join(fields) + number(10, sequence))


def made_up(times):
    """Slices with arguments on eight tracks, and flushes. Time goes by differences, so that the same
    bytes are later events each time they are repeated."""
    clocks = message(1, number(1, 6) + number(2, 10**9))
    clocks += message(1, number(1, 64) + number(2, 10**9) + number(3, 1) + number(4, 1))
    names = b"".join(message(2, number(1, iid) + message(2, b"name %d" % iid)) for iid in range(1, 101))
    names += message(3, number(1, 1) + message(2, b"argument"))
    head = packet(number(8, 10**9), message(6, clocks), message(59, number(58, 64)), message(12, names), number(13, 1))
    head += b"".join(packet(message(60, number(1, track) + message(2, b"track"))) for track in range(1, 9))
    block = bytearray()
    for event in range(10_000):
        track = 1 + event // 2 % 8
        if event % 2 == 0:
            argument = message(4, number(1, 1) + number(4, event))
            body = number(9, 1) + number(10, 1 + event // 2 % 100) + argument
        else:
            body = number(9, 2)
        block += packet(number(8, 100), number(13, 2), message(11, body + number(11, track)))
    # The recorder's own packets name no time: they only close windows of the sort.
    block += packet(message(69, number(3, 1)), sequence=2) + packet(message(69, number(4, 1)), sequence=2)
    return head + bytes(block) * (5 * times)


def growth(tpq, count):
    """Time and memory per event, beyond those of a process with next to no trace."""
    print("a made-up trace as it grows, per event, the smallest = 1")
    with tempfile.TemporaryDirectory() as folder:
        measured = []
        for times in GROWTH:
            path = os.path.join(folder, f"{times}")
            with open(path, "wb") as file:
                file.write(made_up(times))
            command = [tpq, "query", path, "--no-cache", "-q", "-c", "SELECT count(*) FROM slice"]
            runs = [run(command) for _ in range(count)]
            measured.append((times, least(runs), min(memory for _, memory in runs)))
            os.remove(path)
        seconds, memory = empty(tpq, count)
        each = [((one - seconds) / times, (other - memory) / times) for times, one, other in measured]
        for (times, _, _), (one, other) in zip(measured, each):
            row(f"{times} x", f"{one / each[0][0]:.2f}", f"memory {other / each[0][1]:.2f}")


def empty(tpq, count):
    """What the process takes without a trace worth the name."""
    runs = [run([tpq, "query", TINY, "--no-cache", "-q", "-c", "SELECT count(*) FROM slice"]) for _ in range(count)]
    return least(runs), min(memory for _, memory in runs)


def start(tpq, count):
    runs = [run([tpq, "query", TINY, "-q", "-c", "SELECT 1"]) for _ in range(4 * count)]
    python = [run(["python3", "-c", "pass"]) for _ in range(4 * count)]
    print("start, tiny trace, SELECT 1")
    row("milliseconds", f"{statistics.median(seconds for seconds, _ in runs) * 1e3:.0f}",
        f"{ratio(runs, python):.2f} of a Python that does nothing")
    row("peak memory", f"{max(memory for _, memory in runs) / 2**20:.0f} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", nargs="*")
    parser.add_argument("--tpq", default=os.path.join(os.path.dirname(__file__), "../target/release/tpq"))
    parser.add_argument("--turns", type=int, default=5)
    arguments = parser.parse_args()
    for trace in arguments.traces:
        measure(arguments.tpq, trace, arguments.turns)
    growth(arguments.tpq, arguments.turns)
    start(arguments.tpq, arguments.turns)


if __name__ == "__main__":
    main()
