#!/usr/bin/env python3
"""How long objects of tpq's SQL modules take on an open trace, beside DuckDB on the exported Parquet.

    python3 benches/library.py TRACE MODULE:OBJECT… [--tpq target/release/tpq] [--threads N] [--turns N]

DuckDB runs the statements that create the object and the objects that it reads, of the module and
of the modules that it includes, with the lists of declared columns taken out. An object that uses an
operator of PerfettoSQL, such as SPAN_JOIN, has no time of DuckDB. Both engines keep all columns of all rows, and the numbers of rows must agree. The median of
the turns counts. Each turn of tpq is a process, with the open from its cache in its time; each turn
of DuckDB is a connection. DuckDB takes part where Python has its module
(`pip install duckdb`).
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SQL = os.path.join(HERE, "..", "sql")
DECLARATION = re.compile(r"CREATE PERFETTO (TABLE|VIEW) (\w+)\s*(?=\(|AS\b)")
INCLUDE = re.compile(r"INCLUDE PERFETTO MODULE ([\w.]+);")


def module_text(name):
    """The text of a module without comments."""
    path = os.path.join(SQL, *name.split(".")) + ".sql"
    with open(path, encoding="utf-8") as file:
        return re.sub(r"--[^\n]*", "", file.read())


def plain_sql(name, done):
    """The statements of a module, after those of the modules that it includes."""
    if name in done:
        return []
    done.add(name)
    text = module_text(name)
    statements = []
    for included in INCLUDE.findall(text):
        statements += plain_sql(included, done)
    text = INCLUDE.sub("", text)
    for statement in re.split(r";\s*\n", text):
        if statement.strip():
            statements.append(statement.strip().rstrip(";"))
    return statements


def statements_for(module, name):
    """The statements that create an object and all that it reads, for DuckDB."""
    needed, found = {name}, []
    for statement in reversed(plain_sql(module, set())):
        declaration = DECLARATION.match(statement)
        if declaration and declaration[2] in needed:
            needed.update(re.findall(r"\w+", statement))
            found.append(without_columns(statement))
    return reversed(found)


def without_columns(statement):
    """`CREATE TABLE name AS query` of a declaration with columns."""
    found = DECLARATION.match(statement)
    if not found:
        return statement
    at, depth = found.end(), 0
    while at < len(statement) and statement[at] == "(" or depth:
        depth += {"(": 1, ")": -1}.get(statement[at], 0)
        at += 1
    return f"CREATE {found[1]} {found[2]} {statement[at:].strip()}"


def seconds_of_tpq(arguments, module, name):
    """Seconds that one process takes for all rows of an object, and their number."""
    sql = (
        f"INCLUDE PERFETTO MODULE {module}; CREATE PERFETTO TABLE kept AS SELECT * FROM {name}; "
        "SELECT count(*) AS n FROM kept"
    )
    command = [arguments.tpq, "query", arguments.trace, "-q", "--threads", str(arguments.threads)]
    began = time.perf_counter()
    done = subprocess.run(command + ["--format", "csv", "-c", sql], capture_output=True, text=True)
    took = time.perf_counter() - began
    if done.returncode:
        sys.exit(f"{module}: {name}: {done.stderr}")
    return took, int(done.stdout.split()[-1])


def seconds_of_duckdb(arguments, tables, module, name):
    """The same of DuckDB; a reason in place of seconds where it cannot run the text."""
    try:
        import duckdb
    except ImportError:
        return "no duckdb", None
    base = duckdb.connect(config={"threads": arguments.threads})
    for file in os.listdir(tables):
        path = os.path.join(tables, file)
        base.sql(f"CREATE VIEW \"{os.path.splitext(file)[0]}\" AS SELECT * FROM read_parquet('{path}')")
    began = time.perf_counter()
    try:
        for statement in statements_for(module, name):
            base.execute(statement)
        base.execute(f"CREATE TABLE kept AS SELECT * FROM {name}")
    except duckdb.Error as error:
        return str(error).splitlines()[0][:80], None
    took = time.perf_counter() - began
    return took, base.sql("SELECT count(*) FROM kept").fetchall()[0][0]


def export(arguments, tables):
    """Exports the tables and views that modules read."""
    names = "sched,sched_slice,thread_state,thread,process,slice,args,thread_track,process_track,track,counter,cpu"
    command = [arguments.tpq, "export", arguments.trace, "-q", "-o", tables, "--tables", names]
    subprocess.run(command, check=True, capture_output=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace")
    parser.add_argument("objects", nargs="+", metavar="MODULE:OBJECT")
    parser.add_argument("--tpq", default=os.path.join(HERE, "../target/release/tpq"))
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tables = os.path.join(folder, "tables")
        export(arguments, tables)
        for pair in arguments.objects:
            module, name = pair.split(":")
            turns = [seconds_of_tpq(arguments, module, name) for _ in range(arguments.turns)]
            own = statistics.median(seconds for seconds, _ in turns)
            line = f"{name:<45} {turns[0][1]:>10} rows {own:>8.2f} s"
            others = [seconds_of_duckdb(arguments, tables, module, name)]
            if isinstance(others[0][0], str):
                print(f"{line}   {others[0][0]}", flush=True)
                continue
            others += [seconds_of_duckdb(arguments, tables, module, name) for _ in range(arguments.turns - 1)]
            other = statistics.median(seconds for seconds, _ in others)
            line += f"   tpq / DuckDB {own / other:>6.2f}"
            if others[0][1] != turns[0][1]:
                line += f"   OTHER ROWS: {others[0][1]}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
