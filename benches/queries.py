#!/usr/bin/env python3
"""How long queries take while a trace is open, beside DuckDB on the exported Parquet.

    python3 benches/queries.py --sched TRACE --slices TRACE [--tpq target/release/tpq] [--threads N]

--sched takes a trace of a busy kernel, --slices one of a browser or another program that wrote many
nested slices. Each query runs five times; the median counts. Both engines use as many threads. DuckDB
takes part where Python has its module (`pip install duckdb`); what it gives is compared, so that no
engine is fast because it is wrong. REFERENCE holds the milliseconds that Perfetto's trace processor
was measured to take on one core of another machine; times of slices are scaled by their number.
"""

import argparse
import os
import re
import statistics
import subprocess
import tempfile
import time

TURNS = 5

# Name, milliseconds of the trace processor, SQL; DuckDB gets its own words where they differ.
SCHED = [
    ("count", 94, "SELECT count(*) AS n FROM sched", None),
    ("group by thread", 520,
     "SELECT thread.name, count(*) AS n, sum(dur) AS dur FROM sched JOIN thread USING (utid) "
     "GROUP BY thread.name ORDER BY n DESC, thread.name LIMIT 10", None),
    ("window gap", 4845,
     "SELECT count(gap) AS n, sum(gap) AS gap FROM "
     "(SELECT lead(ts) OVER (PARTITION BY utid ORDER BY ts) - ts - dur AS gap FROM sched)", None),
    ("state sum", 2371,
     "SELECT state, sum(dur) AS dur FROM thread_state GROUP BY state ORDER BY state", None),
    ("top 50", 539, "SELECT ts, dur, utid FROM sched ORDER BY dur DESC, ts, utid LIMIT 50", None),
    ("span join", None,
     "CREATE VIRTUAL TABLE IF NOT EXISTS both_cpus USING SPAN_JOIN(one, other); "
     "SELECT count(*) AS n, sum(dur) AS dur FROM both_cpus",
     "SELECT count(*) AS n, sum(least(a.ts + a.dur, b.ts + b.dur) - greatest(a.ts, b.ts)) AS dur "
     "FROM one a JOIN other b ON a.ts < b.ts + b.dur AND b.ts < a.ts + a.dur"),
]
# What the span join joins: spans that do not overlap, of two processors.
SCHED_VIEWS = {
    "one": "SELECT ts, dur FROM sched WHERE ucpu = 0 AND dur > 1000000",
    "other": "SELECT ts, dur FROM sched WHERE ucpu = 1 AND dur > 1000000",
}
SLICES = [
    ("group by name", 77,
     "SELECT name, count(*) AS n, sum(dur) AS dur FROM slice GROUP BY name ORDER BY n DESC, name LIMIT 10", None),
    ("slice, track, thread", 41,
     "SELECT thread.name, count(*) AS n FROM slice JOIN thread_track ON slice.track_id = thread_track.id "
     "JOIN thread USING (utid) GROUP BY thread.name ORDER BY n DESC, thread.name LIMIT 10", None),
    ("LIKE", 60, "SELECT count(*) AS n FROM slice WHERE name LIKE '%task%'",
     "SELECT count(*) AS n FROM slice WHERE name ILIKE '%task%'"),
    ("parents", 456,
     "SELECT p.name AS parent, c.name, count(*) AS n FROM slice c JOIN slice p ON c.parent_id = p.id "
     "GROUP BY p.name, c.name ORDER BY n DESC, p.name, c.name LIMIT 10", None),
    ("args", 26183,
     "SELECT key, count(DISTINCT slice.name) AS n FROM slice JOIN args USING (arg_set_id) "
     "GROUP BY key ORDER BY n DESC, key LIMIT 10", None),
    ("self time", 793,
     "SELECT name, sum(dur - coalesce((SELECT sum(dur) FROM slice c WHERE c.parent_id = s.id), 0)) AS own "
     "FROM slice s GROUP BY name ORDER BY own DESC, name LIMIT 10", None),
    ("rank", 509,
     "SELECT count(*) AS n, sum(dur) AS dur FROM (SELECT name, dur, "
     "row_number() OVER (PARTITION BY name ORDER BY dur DESC) AS place FROM slice) WHERE place <= 3", None),
]
# Slices of the trace with times that REFERENCE has.
REFERENCE_SLICES = 604_000


def run_tpq(tpq, trace, threads, views, queries):
    """Milliseconds of each query, and the rows of its last turn."""
    with tempfile.TemporaryDirectory() as folder:
        script = [".timer off", ".mode csv"]
        script += [f"CREATE PERFETTO VIEW {name} AS {sql};" for name, sql in views.items()]
        files = []
        for number, (_, _, sql, _) in enumerate(queries):
            *before, sql = sql.split("; ")
            script += [".timer off"] + [f"{statement};" for statement in before] + [".timer on"]
            files.append(os.path.join(folder, f"{number}.csv"))
            script += [f".output {files[-1]}"] + [f"{sql};"] * TURNS + [".output"]
        shell = [tpq, "shell", trace, "--no-cache", "-q", "--threads", str(threads)]
        done = subprocess.run(shell, input="\n".join(script) + "\n", capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        told = re.findall(r"rows? in ([0-9.]+) (m?s)\b", done.stdout + done.stderr)
        # Tenths of a millisecond, or milliseconds from a tenth of a second on.
        times = [max(float(time) * (1 if unit == "ms" else 1e3), 0.05) for time, unit in told]
        assert len(times) == TURNS * len(queries), (len(times), done.stdout, done.stderr)
        rows = []
        for file in files:
            text = open(file, encoding="utf-8").read().splitlines()
            rows.append(text[len(text) - len(text) // TURNS + 1:])
        medians = [statistics.median(times[i:i + TURNS]) for i in range(0, len(times), TURNS)]
        return medians, rows


def run_duckdb(tables, threads, views, queries):
    """The same of DuckDB on Parquet files; nothing where it is not installed."""
    try:
        import duckdb
    except ImportError:
        return None
    base = duckdb.connect(config={"threads": threads})
    for file in os.listdir(tables):
        name, _ = os.path.splitext(file)
        base.sql(f"CREATE VIEW \"{name}\" AS SELECT * FROM read_parquet('{os.path.join(tables, file)}')")
    base.sql("CREATE VIEW sched AS SELECT * FROM sched_slice")
    for name, sql in views.items():
        base.sql(f"CREATE VIEW \"{name}\" AS {sql}")
    medians, rows = [], []
    for _, _, sql, own in queries:
        times = []
        for _ in range(TURNS):
            began = time.perf_counter()
            found = base.sql(own or sql).fetchall()
            times.append((time.perf_counter() - began) * 1e3)
        medians.append(statistics.median(times))
        rows.append([",".join("" if cell is None else str(cell) for cell in row) for row in found])
    return medians, rows


def compare(arguments, trace, views, queries, scale):
    with tempfile.TemporaryDirectory() as folder:
        tables = os.path.join(folder, "tables")
        names = "sched_slice,thread_state,thread,process,slice,args,thread_track"
        export = [arguments.tpq, "export", trace, "--no-cache", "-q", "-o", tables, "--tables", names]
        subprocess.run(export, check=True, capture_output=True)
        own, rows = run_tpq(arguments.tpq, trace, arguments.threads, views, queries)
        other = run_duckdb(tables, arguments.threads, views, queries)
    ratios = []
    for number, (name, reference, _, _) in enumerate(queries):
        line = f"{name:<22} {own[number]:>9.1f} ms"
        if reference:
            ratios.append(reference * scale(trace, arguments.tpq) / own[number])
            line += f"   trace processor / tpq {ratios[-1]:>8.1f}"
        else:
            line += " " * 33
        if other:
            line += f"   tpq / DuckDB {own[number] / other[0][number]:>6.2f}"
            quoted = [re.sub('"', "", row) for row in rows[number]]
            if quoted != [re.sub('"', "", row) for row in other[1][number]]:
                line += f"   OTHER ROWS: {rows[number][:3]} {other[1][number][:3]}"
        print(line)
    return ratios


def slices_of(trace, tpq):
    count = [tpq, "query", trace, "--no-cache", "-q", "-c", "SELECT count(*) FROM slice"]
    return int(subprocess.run(count, check=True, capture_output=True, text=True).stdout.split()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sched")
    parser.add_argument("--slices")
    parser.add_argument("--tpq", default=os.path.join(os.path.dirname(__file__), "../target/release/tpq"))
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    ratios = []
    if arguments.sched:
        ratios += compare(arguments, arguments.sched, SCHED_VIEWS, SCHED, lambda *_: 1)
    if arguments.slices:
        scale = slices_of(arguments.slices, arguments.tpq) / REFERENCE_SLICES
        ratios += compare(arguments, arguments.slices, {}, SLICES, lambda *_: scale)
    if ratios:
        print(f"{'geometric mean':<22} {'':>12}   trace processor / tpq {statistics.geometric_mean(ratios):>8.1f}")


if __name__ == "__main__":
    main()
