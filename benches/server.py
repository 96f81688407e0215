#!/usr/bin/env python3
"""How fast results are sent: a million rows of five columns over HTTP, beside the query alone.

    python3 benches/server.py [--tpq target/release/tpq] [--rows 1000000]

The rows are in a table that a statement makes, so no trace is needed. Over HTTP they are read to the
end and not decoded. The query alone is the same statement in one process that writes Arrow to nowhere,
less the time of a process that makes the table. Of five turns each the fastest counts.
"""

import argparse
import http.client
import re
import subprocess
import threading
import time

TURNS = 5
CREATE = (
    "CREATE PERFETTO TABLE wide AS SELECT x AS id, x * 1000 AS ts, x * 0.5 AS value, x % 100 AS utid, 'thread ' || (x % 100) AS name "
    "FROM generate_series(1, {rows}) AS a(x)"
)
SQL = "SELECT * FROM wide"


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def fastest(work):
    def timed():
        begin = time.perf_counter()
        work()
        return time.perf_counter() - begin

    return min(timed() for _ in range(TURNS))


def query_alone(tpq, create):
    def run(statement):
        command = [tpq, "query", "testdata/sched.pftrace", "-q", "-c", statement, "--format", "arrow"]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)

    return fastest(lambda: run(f"{create}; {SQL}")) - fastest(lambda: run(f"{create}; SELECT 1"))


def over_http(port, create, chunk=1 << 20):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    sizes = []

    def run(sql=SQL):
        text = sql.encode()
        body = b"\x0a" + varint(len(text)) + text
        connection.request("POST", "/query", body)
        response = connection.getresponse()
        size = 0
        while part := response.read(chunk):
            size += len(part)
        sizes.append(size)

    run(create)
    return fastest(run), max(sizes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tpq", default="target/release/tpq")
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    create = CREATE.format(rows=options.rows)
    alone = query_alone(options.tpq, create)
    command = [options.tpq, "serve", "--port", "0", "testdata/sched.pftrace"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        port = next(int(found[1]) for line in server.stderr if (found := re.search(r"127\.0\.0\.1:(\d+)", line)))
        threading.Thread(target=lambda: list(server.stderr), daemon=True).start()
        sent, size = over_http(port, create)
    finally:
        server.terminate()
        server.wait()
    print(f"query alone: {alone * 1e3:.0f} ms, {options.rows / alone / 1e6:.2f} M rows/s")
    print(f"over HTTP:   {sent * 1e3:.0f} ms, {options.rows / sent / 1e6:.2f} M rows/s, {size / sent / 1e6:.0f} MB/s")
    print(f"HTTP / query alone: {sent / alone:.2f}")


main()
