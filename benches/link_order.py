#!/usr/bin/env python3
"""Writes the order in which the linker places functions: those that common commands call, first.

    cargo build --release && python3 benches/link_order.py TRACE...

The program has 160 MB of code, of which a query calls some 10 MB. Scattered, these are on nearly every
second 64 KiB, which is what the system maps at a page fault; side by side, they are a sixth of the memory
and of the faults. `build.rs` gives the list to the linker. A name that a later build does not have is
passed over, so the list is made anew once in a while, not with every change.

Runs `target/release/tpq` on the traces with a breakpoint at each of its functions, and notes the functions
in the order of their first calls. Needs Linux on x86-64, and no other tool. Traces in `testdata/` are
always among them; add recordings of the kernel, of Chromium and a JSON trace of a few hundred KB.
"""

import argparse
import ctypes
import os
import signal
import struct
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
ORDER = "crates/tpq-cli/link_order.txt"
TINY = "testdata/sched.pftrace"
TRACES = [TINY, "testdata/track_events.pftrace.gz", "testdata/processes.pftrace"]
QUERIES = [
    "SELECT count(*) FROM sched",
    "SELECT name, sum(dur) AS d FROM sched JOIN thread USING (utid) WHERE cpu = 0 GROUP BY 1"
    " ORDER BY d DESC LIMIT 5",
    "SELECT name, count(*) FROM slice WHERE name LIKE '%a%' GROUP BY 1 ORDER BY 2 DESC LIMIT 5;"
    "SELECT ts, lead(ts) OVER (PARTITION BY track_id ORDER BY ts) FROM slice LIMIT 3;"
    "INCLUDE PERFETTO MODULE slices.with_context; SELECT count(*) FROM thread_slice",
]

# Of <sys/ptrace.h>, <sys/user.h> and <sys/wait.h>.
TRACE_ME, PEEK_USER, POKE_USER, CONTINUE, SET_OPTIONS = 0, 3, 6, 7, 0x4200
TRACE_CLONE, EXIT_KILL = 8, 0x100000
INSTRUCTION_POINTER = 16 * 8
ALL_THREADS = 0x40000000
BREAKPOINT = 0xCC

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


class Program:
    """An executable: its code, and the name of the function at each address."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            data = file.read()
        start, = struct.unpack_from("<Q", data, 40)
        size, count = struct.unpack_from("<HH", data, 58)
        sections = [struct.unpack_from("<IIQQQQIIQQ", data, start + at * size) for at in range(count)]
        executable = [section for section in sections if section[2] & 4]
        _, _, _, self.address, offset, length, *_ = max(executable, key=lambda section: section[5])
        self.code = data[offset:offset + length]
        self.names = {}
        symbols = [section for section in sections if section[1] == 2]
        if not symbols:
            sys.exit(f"{path} has no symbols")
        _, _, _, _, offset, length, names, *_ = symbols[0]
        names = sections[names][4]
        for at in range(offset, offset + length, 24):
            name, info, _, _, address, _ = struct.unpack_from("<IBBHQQ", data, at)
            is_function = info & 15 == 2
            if is_function and self.address <= address < self.address + len(self.code):
                end = data.index(b"\0", names + name)
                name = data[names + name:end].decode()
                self.names[address] = min(name, self.names.get(address, name))

    def called(self, arguments):
        """The addresses of the functions that a run calls, in the order of their first calls."""
        process = self.start(arguments)
        with open(f"/proc/{process}/maps") as maps:
            base = int(maps.readline().split("-")[0], 16)
        memory = os.open(f"/proc/{process}/mem", os.O_RDWR)
        code = bytearray(self.code)
        for address in self.names:
            code[address - self.address] = BREAKPOINT
        written = 0
        while written < len(code):
            part = code[written:written + (1 << 24)]
            written += os.pwrite(memory, part, base + self.address + written)
        called = {}
        request(CONTINUE, process)
        for thread, stop in stops():
            called_at = base_of_call(thread, stop)
            address = None if called_at is None else called_at - base
            if address in self.names:
                # Another thread may have met the breakpoint at the same time.
                if address not in called:
                    called[address] = None
                    place = address - self.address
                    os.pwrite(memory, self.code[place:place + 1], called_at)
                request(POKE_USER, thread, INSTRUCTION_POINTER, called_at)
            request(CONTINUE, thread, 0, passed_on(stop))
        os.close(memory)
        return list(called)

    def start(self, arguments):
        """A process that is stopped before its first instruction."""
        process = os.fork()
        if process == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            libc.ptrace(TRACE_ME, 0, None, None)
            os.execv(self.path, [self.path, *arguments])
        os.waitpid(process, 0)
        request(SET_OPTIONS, process, 0, TRACE_CLONE | EXIT_KILL)
        return process


def request(what, thread, address=0, data=0):
    return libc.ptrace(what, thread, ctypes.c_void_p(address), ctypes.c_void_p(data))


def stops():
    """Each stop of a thread, until all processes have ended."""
    while True:
        try:
            thread, status = os.waitpid(-1, ALL_THREADS)
        except ChildProcessError:
            return
        if os.WIFSTOPPED(status):
            yield thread, status


def base_of_call(thread, stop):
    """The address of the breakpoint, if the thread stopped at one."""
    at_breakpoint = os.WSTOPSIG(stop) == signal.SIGTRAP and stop >> 16 == 0
    return request(PEEK_USER, thread, INSTRUCTION_POINTER) - 1 if at_breakpoint else None


def passed_on(stop):
    """The signal that the thread is to receive: none where the stop is one of the tracing itself."""
    received = os.WSTOPSIG(stop)
    return 0 if stop >> 16 or received in (signal.SIGTRAP, signal.SIGSTOP) else received


def commands(traces, folder):
    query = ["query", "-q", "--no-cache"]
    yield query + [TINY, "-c", "SELECT 1"]
    cached = ["query", "-q", traces[-1], "-c"]
    # Into the cache, and from there.
    yield cached + [QUERIES[0]]
    yield cached + [QUERIES[0]]
    for trace in traces:
        yield query + [trace, "-c", QUERIES[0]]
    for trace in traces:
        yield query + [trace, "--eager", "-c", QUERIES[1]]
    for trace in traces:
        yield query + [trace, "-c", QUERIES[2]]
    yield cached + [QUERIES[1]]
    yield ["export", "-q", traces[-1], "-o", os.path.join(folder, "tables/")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("traces", nargs="*")
    parser.add_argument("--tpq", default="target/release/tpq")
    parser.add_argument("-o", "--output", default=ORDER)
    arguments = parser.parse_args()
    given = [os.path.abspath(trace) for trace in arguments.traces]
    os.chdir(ROOT)
    program = Program(os.path.abspath(arguments.tpq))
    order = {}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TPQ_CACHE_DIR"] = os.path.join(folder, "cache")
        for command in commands(TRACES + given, folder):
            before = len(order)
            order.update(dict.fromkeys(program.called(command)))
            print(f"{len(order) - before:6} functions more: tpq {' '.join(command)[:90]}")
    with open(arguments.output, "w") as file:
        file.writelines(program.names[address] + "\n" for address in order)
    print(f"{arguments.output}: {len(order)} of {len(program.names)} functions")


if __name__ == "__main__":
    main()
