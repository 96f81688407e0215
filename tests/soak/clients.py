#!/usr/bin/env python3
"""Many clients of one server for minutes: every answer is right, and its memory does not grow.

    python3 tests/soak/clients.py TRACE [--tpq target/release/tpq] [--clients 50] [--minutes 5]

Half of the clients use HTTP, half WebSockets, each with a connection of its own that it opens anew
now and then. Some leave in the middle of a result. The memory of the server after the first minute
is the baseline: at the end it may exceed it by a tenth and 32 MiB. The exit status is 1 if an answer
is wrong or memory grew.

Needs Python alone, and /proc for the memory.
"""

import argparse
import base64
import http.client
import os
import random
import re
import socket
import struct
import subprocess
import sys
import threading
import time

# Statements with one answer each.
STATEMENTS = [
    "SELECT 1",
    "SELECT count(*), sum(dur), min(ts), max(ts) FROM sched",
    "SELECT name, count(*) FROM thread GROUP BY name ORDER BY name",
    "SELECT utid, count(*), sum(dur) FROM thread_state GROUP BY utid ORDER BY utid",
    "SELECT name, count(*), sum(dur) FROM slice GROUP BY name ORDER BY name LIMIT 100",
    "SELECT x, x * 0.5, 'text ' || x, NULL FROM generate_series(1, 30000) AS a(x) ORDER BY x",
    "SELECT s.id, s.ts, s.dur, t.name FROM sched s JOIN thread t USING (utid) ORDER BY s.id LIMIT 5000",
    "SELECT nothing FROM nowhere",
]
# A result that clients leave before its end.
LONG = "SELECT x, x || ' is a text of some length' FROM generate_series(1, 10000000) AS a(x)"

# Fields of QueryResult, TraceProcessorRpc and QueryArgs.
ERROR, BATCH, ELAPSED = 2, 3, 7
SQL_QUERY = 1
SEQ, REQUEST, RESPONSE, FATAL, QUERY_ARGS, QUERY_RESULT = 1, 2, 3, 5, 103, 203
QUERY_STREAMING = 3


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """The fields of a message: number and value."""
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = read_varint(data, at)
        elif kind == 1:
            value, at = data[at : at + 8], at + 8
        elif kind == 2:
            length, at = read_varint(data, at)
            value, at = data[at : at + length], at + length
        else:
            raise ValueError(f"wire type {kind}")
        yield tag >> 3, value


def answer_of(parts):
    """What must be the same each time: all cells, and the error; not where batches are split."""
    cells, errors = {}, []
    for part in parts:
        for number, value in fields(part):
            if number == BATCH:
                for kind, values in fields(value):
                    if isinstance(values, bytes):
                        cells.setdefault(kind, []).append(values)
            elif number == ERROR:
                errors.append(value)
            elif number != ELAPSED:
                cells.setdefault(-number, []).append(value if isinstance(value, bytes) else b"%d" % value)
    return tuple(sorted((kind, b"".join(values)) for kind, values in cells.items())), tuple(errors)


def is_last(part):
    return any(n == BATCH and any(k == 6 and v == 1 for k, v in fields(b)) for n, b in fields(part))


class Http:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def query(self, sql):
        self.connection.request("POST", "/query", field(SQL_QUERY, sql.encode()))
        response = self.connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise ValueError(f"status {response.status}")
        return answer_of([body])

    def leave(self):
        self.connection.request("POST", "/query", field(SQL_QUERY, LONG.encode()))
        self.connection.getresponse().read(1 << 16)
        self.close()

    def close(self):
        self.connection.close()


class WebSocket:
    def __init__(self, port):
        self.seq = 0
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /websocket HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode()
        )
        self.file = self.socket.makefile("rb")
        status = self.file.readline()
        if b" 101 " not in status:
            raise ValueError(status)
        while self.file.readline() != b"\r\n":
            pass

    def send(self, sql):
        message = field(SEQ, self.seq) + field(REQUEST, QUERY_STREAMING)
        message = field(1, message + field(QUERY_ARGS, field(SQL_QUERY, sql.encode())))
        self.seq += 1
        length = len(message)
        head = struct.pack("!BB", 0x82, 0x80 | length) if length < 126 else struct.pack("!BBH", 0x82, 0xFE, length)
        self.socket.sendall(head + bytes(4) + message)

    def frame(self):
        first, length = self.file.read(2)
        if first & 0x0F != 2:
            raise ValueError(f"frame {first}")
        if length == 126:
            (length,) = struct.unpack("!H", self.file.read(2))
        elif length == 127:
            (length,) = struct.unpack("!Q", self.file.read(8))
        return self.file.read(length)

    def parts(self):
        """The results in the messages that arrive."""
        data = b""
        while True:
            data += self.frame()
            while data:
                try:
                    length, start = read_varint(data, 1)
                except IndexError:
                    break
                if len(data) < start + length:
                    break
                message, data = data[start : start + length], data[start + length :]
                for number, value in fields(message):
                    if number == FATAL:
                        raise ValueError(value)
                    if number == QUERY_RESULT:
                        yield value

    def query(self, sql):
        self.send(sql)
        parts = []
        for part in self.parts():
            parts.append(part)
            if is_last(part):
                return answer_of(parts)

    def leave(self):
        self.send(LONG)
        self.frame()
        self.close()

    def close(self):
        self.file.close()
        self.socket.close()


class Run:
    def __init__(self, port, seconds):
        self.port, self.end = port, time.monotonic() + seconds
        self.expected = {sql: Http(port).query(sql) for sql in STATEMENTS}
        self.answered, self.left, self.wrong = 0, 0, []
        self.lock = threading.Lock()

    def client(self, number):
        kind = (Http, WebSocket)[number % 2]
        choose = random.Random(number)
        client = kind(self.port)
        while time.monotonic() < self.end:
            try:
                if choose.random() < 0.02:
                    client.leave()
                    client = kind(self.port)
                    with self.lock:
                        self.left += 1
                    continue
                if choose.random() < 0.05:
                    client.close()
                    client = kind(self.port)
                sql = choose.choice(STATEMENTS)
                is_right = client.query(sql) == self.expected[sql]
                with self.lock:
                    self.answered += 1
                    if not is_right:
                        self.wrong.append(f"client {number}: {sql}")
            except Exception as error:  # Anything that a client does not expect is wrong.
                with self.lock:
                    self.wrong.append(f"client {number}: {error!r}")
                client = kind(self.port)


def resident(process):
    with open(f"/proc/{process.pid}/status") as file:
        return int(re.search(r"VmRSS:\s+(\d+) kB", file.read())[1]) / 1024


def start(tpq, trace):
    process = subprocess.Popen([tpq, "serve", "--port", "0", trace], stderr=subprocess.PIPE, text=True)
    for line in process.stderr:
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if found:
            threading.Thread(target=lambda: list(process.stderr), daemon=True).start()
            return process, int(found[1])
    sys.exit("the server did not start")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace")
    parser.add_argument("--tpq", default="target/release/tpq")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=5)
    options = parser.parse_args()
    process, port = start(options.tpq, options.trace)
    try:
        run = Run(port, options.minutes * 60)
        clients = [threading.Thread(target=run.client, args=(n,)) for n in range(options.clients)]
        for client in clients:
            client.start()
        sizes = []
        step = min(10, options.minutes * 6)
        while any(client.is_alive() for client in clients):
            time.sleep(step)
            sizes.append(resident(process))
            print(f"{len(sizes) * step:5.0f} s: {run.answered} answers, {sizes[-1]:.0f} MiB", flush=True)
        for client in clients:
            client.join()
        after_a_minute = max(sizes[: max(1, round(60 / step))])
        grown = sizes[-1] > after_a_minute * 1.1 + 32
        print(f"{run.answered} answers, {run.left} results left, {len(run.wrong)} wrong")
        print(f"memory: {after_a_minute:.0f} MiB at most in the first minute, {sizes[-1]:.0f} MiB at the end")
        for line in run.wrong[:10]:
            print(line)
        sys.exit(bool(run.wrong) or grown)
    finally:
        process.terminate()
        process.wait()


main()
