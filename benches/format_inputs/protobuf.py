"""Formats of protobuf messages."""

import struct

from .samples import FUNCTIONS, LIBRARIES, source, stacks


def varint(value):
    out = bytearray()
    value &= 0xFFFF_FFFF_FFFF_FFFF
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, *parts):
    inside = b"".join(parts)
    return varint(field << 3 | 2) + varint(len(inside)) + inside


def text(field, value):
    return message(field, value.encode())


def fixed64(field, value):
    return varint(field << 3 | 1) + struct.pack("<Q", value)


def packed(field, values):
    return message(field, *map(varint, values))


def until(file, size, make):
    """Writes what `make` returns until that takes as many bytes. Returns the number of calls."""
    count, written = 0, 0
    while written < size:
        part = make(count)
        file.write(part)
        count, written = count + 1, written + len(part)
    return count


def proto(file, size):
    """Slices of eight threads in a trace of Perfetto, with interned names."""
    chance = source()
    for thread in range(8):
        descriptor = message(60, number(1, thread + 1), message(4, number(1, 100), number(2, 100 + thread), text(5, f"worker {thread}")))
        file.write(message(1, number(10, 1), descriptor))
    names = b"".join(message(2, number(1, index + 1), text(2, name)) for index, name in enumerate(FUNCTIONS))
    file.write(message(1, number(10, 1), number(13, 1), message(12, names)))

    def slice_of(count):
        thread, at = count % 8 + 1, 1_000_000_000 + count * 1000
        argument = message(4, number(1, 0), text(10, "frame"), number(4, count % 1000))
        begin = message(11, number(9, 1), number(11, thread), number(10, chance.randrange(1, len(FUNCTIONS))), argument)
        end = message(11, number(9, 2), number(11, thread))
        return message(1, number(8, at), number(10, 1), number(13, 2), begin) + message(1, number(8, at + 700), number(10, 1), number(13, 2), end)

    return until(file, size, slice_of)


def pprof(file, size):
    chance, made = source(), stacks(source(), 100_000)
    strings = ["", "cpu", "nanoseconds", "samples", "count"] + FUNCTIONS + LIBRARIES
    file.write(message(1, number(1, 3), number(2, 4)) + message(1, number(1, 1), number(2, 2)))

    def sample(count):
        # Stacks that follow each other share their outer part. They differ in the line of the innermost
        # function, which is a location of its own.
        stack = made[count // 8 % len(made)]
        locations = [function * 8 + 1 for function in reversed(stack)]
        locations[0] += chance.randrange(8)
        return message(2, packed(1, locations), packed(2, [1, 10_000_000]))

    count = until(file, size, sample)
    for index in range(8):
        file.write(message(3, number(1, index + 1), number(2, index << 32), number(3, index + 1 << 32), number(5, 5 + len(FUNCTIONS) + index)))
    for function in range(len(FUNCTIONS)):
        for line in range(8):
            address = (function % 8 << 32) + function * 4096 + line * 16
            file.write(message(4, number(1, function * 8 + line + 1), number(2, function % 8 + 1), number(3, address), message(4, number(1, function + 1), number(2, line + 20))))
        file.write(message(5, number(1, function + 1), number(2, 5 + function), number(4, 5 + function)))
    file.write(b"".join(text(6, string) for string in strings))
    return 2 * count


def simpleperf_proto(file, size):
    chance, made = source(), stacks(source(), 4000)
    record = lambda part: struct.pack("<I", len(part)) + part
    file.write(b"SIMPLEPERF\x01\x00")

    def sample(count):
        entries = (
            message(3, number(1, function * 4096 + 16), number(2, function % 8), number(3, function // 8))
            for function in reversed(made[chance.randrange(len(made))])
        )
        return record(message(1, number(1, 1_000_000_000 + count * 250_000), number(2, 100 + count % 8), *entries))

    count = until(file, size, sample)
    for index, library in enumerate(LIBRARIES):
        symbols = b"".join(text(3, name) for name in FUNCTIONS[index::8])
        file.write(record(message(3, number(1, index), text(2, library), symbols)))
    for thread in range(8):
        file.write(record(message(4, number(1, 100 + thread), number(2, 100), text(3, f"worker {thread}"))))
    file.write(bytes(4))
    return count


def otlp_proto(file, size):
    attribute = lambda key, value: message(9, text(1, key), message(2, value))
    service = message(1, text(1, "service.name"), message(2, text(1, "shop")))

    def batch(index):
        spans = []
        for count in range(index * 512, index * 512 + 512):
            at = 1_700_000_000_000_000_000 + count * 4000
            attributes = [
                attribute("http.method", text(1, "GET")),
                attribute("http.url", text(1, f"https://shop.example/items/{count % 5000}")),
                attribute("http.status_code", number(3, 200)),
                attribute("thread.id", number(3, count % 16 + 1)),
            ]
            ids = message(1, struct.pack(">QQ", 1, count // 8)) + message(2, struct.pack(">Q", count)) + message(4, struct.pack(">Q", count - count % 8))
            spans.append(message(2, ids, text(5, FUNCTIONS[count % len(FUNCTIONS)]), number(6, 2), fixed64(7, at), fixed64(8, at + 800), *attributes))
        part = message(1, message(1, service), message(2, *spans))
        return struct.pack(">I", len(part)) + part

    return 512 * until(file, size, batch)


def primes(file, size):
    time = lambda ns: message(2, number(1, ns // 1_000_000_000), number(2, ns % 1_000_000_000))
    file.write(fixed64(1, 5) + text(2, "app") + message(4, number(1, 1_700_000_000)))

    def slice_of(count):
        id, at = count + 1, count * 1000
        details = message(1, text(1, FUNCTIONS[count % len(FUNCTIONS)]))
        begin = message(3, details, text(6, f"executor {count % 8}"), number(8, count % 8 + 1))
        return message(7, number(1, id), time(at), begin) + message(7, number(1, id), time(at + 700), message(4))

    return until(file, size, slice_of)


PROTOBUF = {
    "proto": (proto, "SELECT count(*) FROM slice"),
    "pprof": (pprof, "SELECT count(*) FROM __intrinsic_aggregate_sample"),
    "simpleperf_proto": (simpleperf_proto, "SELECT count(*) FROM cpu_profile_stack_sample"),
    "otlp_proto": (otlp_proto, "SELECT count(*) FROM slice"),
    "primes": (primes, "SELECT count(*) FROM slice"),
}
