"""Formats of records without protobuf."""

import struct

from .protobuf import until
from .samples import FUNCTIONS, LIBRARIES, source, stacks


def perf(file, size):
    """Samples with call chains, of eight threads."""
    chance = source()
    chains = [[0xFFFF_FFFF_FFFF_FE00] + [0x10_0000 * (f % 8 + 1) + f * 64 for f in reversed(stack)] for stack in stacks(chance, 4000)]
    # Address, thread, time, CPU, period and call chain; frequencies and these fields in all records; the
    # monotonic clock.
    fields = 1 << 16 | 1 << 0 | 1 << 1 | 1 << 2 | 1 << 7 | 1 << 8 | 1 << 5
    attribute = struct.pack("<IIQQQQQ", 0, 136, 0, 4000, fields, 0, 1 << 10 | 1 << 18 | 1 << 25)
    attribute = (attribute.ljust(92, b"\0") + struct.pack("<I", 1)).ljust(136, b"\0")
    record = lambda kind, misc, part: struct.pack("<IHH", kind, misc, len(part) + 8) + part
    padded = lambda name: name.encode().ljust((len(name) + 8) // 8 * 8, b"\0")
    trailer = struct.pack("<IIQIIQ", 100, 100, 0, 0, 0, 100)
    file.write(b"PERFILE2" + struct.pack("<Q", 104) + bytes(88))
    file.write(struct.pack("<Q", 100) + attribute + struct.pack("<QQ", 104, 8))
    start = file.tell()
    for index, library in enumerate(LIBRARIES):
        file.write(record(1, 2, struct.pack("<IIQQQ", 100, 100, 0x10_0000 * (index + 1), 0x10_0000, 0) + padded(library) + trailer))

    def sample(count):
        chain = chains[chance.randrange(len(chains))]
        head = struct.pack("<QQIIQIIQQ", 100, chain[1], 100, 100 + count % 8, 1_000_000_000 + count * 250_000, count % 8, 0, 1_000_000, len(chain))
        return record(9, 2, head + struct.pack(f"<{len(chain)}Q", *chain))

    count = until(file, size, sample)
    end = file.tell()
    file.seek(16)
    file.write(struct.pack("<QQQQQ", 136 + 16, 112, 136 + 16, start, end - start))
    return count


def art_method(file, size):
    """A stream of calls of eight threads."""
    chance = source()
    header = b"SLOW" + struct.pack("<HHQH", 0xF0 ^ 2, 32, 1_000_000, 10)
    file.write(header.ljust(32, b"\0"))
    for thread in range(8):
        name = f"worker {thread}".encode()
        file.write(struct.pack("<HBHH", 0, 2, 10 + thread, len(name)) + name)
    for number, name in enumerate(FUNCTIONS):
        line = f"0x{number * 4 + 16:x}\tcom/app/{name}\trun\t()V\t{name}.java\t12".encode()
        file.write(struct.pack("<HBH", 0, 1, len(line)) + line)
    stacks_of, opened = [[] for _ in range(8)], 0

    def call(count):
        nonlocal opened
        stack = stacks_of[count % 8]
        if len(stack) < 2 or len(stack) < 20 and chance.random() < 0.5:
            opened += 1
            stack.append(chance.randrange(len(FUNCTIONS)) * 4 + 16)
            method = stack[-1]
        else:
            method = stack.pop() | 1
        return struct.pack("<HII", 10 + count % 8, method, count // 4)

    until(file, size, call)
    file.write(struct.pack("<HB", 0, 3))
    return opened


def fuchsia(file, size):
    chance = source()

    def record(kind, bits, *words):
        return struct.pack(f"<{len(words) + 1}Q", kind | len(words) + 1 << 4 | bits, *words)

    def words_of(value):
        value = value.encode()
        value = value.ljust((len(value) + 7) // 8 * 8, b"\0")
        return struct.unpack(f"<{len(value) // 8}Q", value)

    file.write(bytes([0x10, 0, 4, 0x46, 0x78, 0x54, 0x16, 0]) + record(1, 0, 1_000_000_000))
    for number, name in enumerate(["app", "frame"] + FUNCTIONS):
        file.write(record(2, number + 1 << 16 | len(name) << 32, *words_of(name)))
    for thread in range(8):
        file.write(record(3, thread + 1 << 16, 70, 71 + thread))

    def slice_of(count):
        # A complete event of a category, with an argument.
        name, thread, at = chance.randrange(len(FUNCTIONS)) + 3, count % 8 + 1, count * 1000
        bits = 4 << 16 | 1 << 20 | thread << 24 | 1 << 32 | name << 48
        return record(4, bits, at, 1 | 1 << 4 | 2 << 16 | (count % 1000) << 32, at + 700)

    return until(file, size, slice_of)


def trace_cmd(file, size):
    """Switches of four CPUs, version 6."""
    page_size, cpus = 4096, 4
    sized4 = lambda data: struct.pack("<I", len(data)) + data
    sized8 = lambda data: struct.pack("<Q", len(data)) + data
    field = lambda name, offset, length, signed: f"\tfield:{name};\toffset:{offset};\tsize:{length};\tsigned:{signed};\n"
    header_page = (
        "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
        "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n"
    )
    header_event = (
        "# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n"
        "\tpadding     : type == 29\n\ttime_extend : type == 30\n\ttime_stamp : type == 31\n\tdata max type_len  == 28\n"
    )
    switch = "name: sched_switch\nID: 316\nformat:\n" + "".join(
        [
            field("unsigned short common_type", 0, 2, 0),
            field("unsigned char common_flags", 2, 1, 0),
            field("unsigned char common_preempt_count", 3, 1, 0),
            field("int common_pid", 4, 4, 1),
            "\n",
            field("char prev_comm[16]", 8, 16, 0),
            field("pid_t prev_pid", 24, 4, 1),
            field("int prev_prio", 28, 4, 1),
            field("long prev_state", 32, 8, 1),
            field("char next_comm[16]", 40, 16, 0),
            field("pid_t next_pid", 56, 4, 1),
            field("int next_prio", 60, 4, 1),
        ]
    )
    switch += '\nprint fmt: ""\n'
    pages = max(1, size // page_size // cpus)
    file.write(b"\x17\x08\x44tracing6\0\0\x08" + struct.pack("<I", page_size))
    file.write(b"header_page\0" + sized8(header_page.encode()) + b"header_event\0" + sized8(header_event.encode()))
    file.write(struct.pack("<II", 0, 1) + b"sched\0" + struct.pack("<I", 1) + sized8(switch.encode()))
    file.write(sized4(b"") + sized4(b"") + sized8(b"".join(b"%d worker/%d\n" % (tid, tid) for tid in range(100, 400))))
    file.write(struct.pack("<I", cpus) + b"options  \0" + struct.pack("<H", 4) + sized4(b"[boot]\0") + bytes(2) + b"flyrecord\0")
    start = (file.tell() + cpus * 16 + page_size - 1) // page_size * page_size
    for cpu in range(cpus):
        file.write(struct.pack("<QQ", start + cpu * pages * page_size, pages * page_size))
    file.write(bytes(start - file.tell()))
    chance, count = source(), 0
    name = lambda tid: (b"worker/%d" % tid if tid else b"swapper").ljust(16, b"\0")
    for cpu in range(cpus):
        at, tid = 1_000_000_000, 0
        for _ in range(pages):
            data, first = [], at
            for _ in range(4080 // 68):
                ns, following = chance.randrange(400, 9000), chance.randrange(100, 400)
                at += ns
                event = struct.pack("<HBBi16siiq16sii", 316, 1, 0, tid, name(tid), tid, 120, 1, name(following), following, 120)
                data.append(struct.pack("<I", ns << 5 | len(event) // 4) + event)
                tid, count = following, count + 1
            data = b"".join(data)
            file.write((struct.pack("<QQ", first, len(data)) + data).ljust(page_size, b"\0"))
    return count


def art_hprof(file, size):
    """Objects of two fields that refer to each other, and texts."""
    chance = source()
    record = lambda tag, part: struct.pack(">BII", tag, 0, len(part)) + part
    file.write(b"JAVA PROFILE 1.0.3\0" + struct.pack(">IQ", 4, 1_700_000_000_000))
    names = ["java.lang.Object", "java.lang.Class", "java.lang.String", "byte[]", "com.app.Node", "next", "count", "value"]
    for number, name in enumerate(names):
        file.write(record(1, struct.pack(">I", 0x9000 + number) + name.encode()))
    for number in range(5):
        file.write(record(2, struct.pack(">IIII", 1, 0x10 + number, 0, 0x9000 + number)))

    def dump(id, superclass, length, fields):
        head = struct.pack(">B9IHHH", 0x20, id, 0, superclass, 0, 0, 0, 0, 0, length, 0, 0, len(fields))
        return head + b"".join(struct.pack(">IB", name, kind) for name, kind in fields)

    classes = [
        dump(0x10, 0, 8, []),
        dump(0x11, 0x10, 40, []),
        dump(0x12, 0x10, 16, [(0x9007, 2)]),
        dump(0x13, 0x10, 12, []),
        dump(0x14, 0x10, 24, [(0x9005, 2), (0x9006, 10)]),
    ]
    # A node, a text and its bytes: 25, 21 and 18 bytes and the characters.
    objects = max(1, size // 78)
    first = 0x1_0000

    def part(index):
        id = first + index * 3
        node = struct.pack(">BIIIIIi", 0x21, id, 0, 0x14, 8, first + 3 * chance.randrange(objects), index)
        value = FUNCTIONS[chance.randrange(len(FUNCTIONS))].encode()
        string = struct.pack(">BIIIII", 0x21, id + 1, 0, 0x12, 4, id + 2)
        return node + string + struct.pack(">BIIIB", 0x23, id + 2, 0, len(value), 8) + value

    for begin in range(0, objects, 1 << 16):
        end = min(objects, begin + (1 << 16))
        heap = b"".join(classes) if begin == 0 else b""
        roots = b"".join(struct.pack(">BI", 5, first + 3 * index) + struct.pack(">BI", 5, first + 3 * index + 1) for index in range(begin, end, 16))
        file.write(record(0x1C, heap + roots + b"".join(map(part, range(begin, end)))))
    file.write(record(0x2C, b""))
    # Classes are objects as well.
    return 3 * objects + len(classes)


BINARY = {
    "perf": (perf, "SELECT count(*) FROM perf_sample"),
    "art_method": (art_method, "SELECT count(*) FROM slice"),
    "fuchsia": (fuchsia, "SELECT count(*) FROM slice"),
    "trace_cmd": (trace_cmd, "SELECT count(*) FROM ftrace_event"),
    "art_hprof": (art_hprof, "SELECT count(*) FROM heap_graph_object"),
}
