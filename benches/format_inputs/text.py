"""Formats of lines."""

from .samples import FUNCTIONS, LIBRARIES, source, stacks

LINES_AT_ONCE = 4096


def write_lines(file, size, lines):
    """Writes lines until the file is as large. Returns their number."""
    count, written = 0, 0
    while written < size:
        block = "".join(next(lines) for _ in range(LINES_AT_ONCE)).encode()
        file.write(block)
        count, written = count + LINES_AT_ONCE, written + len(block)
    return count


def systrace(file, size):
    file.write(b"# tracer: nop\n#\n")

    def lines():
        chance, at, running = source(), 1_000_000_000, [0] * 8
        while True:
            at += chance.randrange(200, 4000)
            cpu, next_tid = chance.randrange(8), chance.randrange(100, 400)
            tid, running[cpu] = running[cpu], next_tid
            seconds = f"{at // 1_000_000}.{at % 1_000_000:06}"
            name, following = f"worker-{tid}" if tid else "<idle>-0", f"worker/{next_tid}"
            yield (
                f"{name:>20} [{cpu:03}] d..3 {seconds}: sched_switch: prev_comm=worker/{tid} prev_pid={tid} prev_prio=120 "
                f"prev_state=S ==> next_comm={following} next_pid={next_tid} next_prio=120\n"
            )

    return write_lines(file, size, lines())


def ninja(file, size):
    file.write(b"# ninja log v5\n")

    def lines():
        chance, at, number = source(), 0, 0
        while True:
            at, number = at + chance.randrange(3), number + 1
            yield f"{at}\t{at + chance.randrange(20, 90)}\t{1_700_000_000_000 + at}\tobj/area{number % 97}/part{number}.o\t{number * 2654435761 & 0xffffffffffff:x}\n"

    return write_lines(file, size, lines())


def logcat(file, size):
    def lines():
        chance, at = source(), 0
        while True:
            at = (at + chance.randrange(3)) % 86_400_000
            time = f"{at // 3_600_000:02}:{at // 60_000 % 60:02}:{at // 1000 % 60:02}.{at % 1000:03}"
            pid, text = chance.randrange(100, 160), FUNCTIONS[chance.randrange(len(FUNCTIONS))]
            yield f"06-24 {time} {pid:5} {pid + chance.randrange(9):5} I Tag{pid % 40}: {text} took {chance.randrange(5000)} us of {text}\n"

    return write_lines(file, size, lines())


def perf_text(file, size):
    chance = source()
    bodies = []
    for stack in stacks(chance):
        frames = (f"\t{0x7F0000000000 + number * 64:16x} {FUNCTIONS[number]}+0x{number % 60:x} ({LIBRARIES[number % 8]})\n" for number in reversed(stack))
        bodies.append("".join(frames) + "\n")

    def lines():
        at = 1_000_000_000
        while True:
            at += chance.randrange(50, 300)
            tid = chance.randrange(100, 140)
            yield f"worker {100}/{tid} [{tid % 8:03}] {at // 1_000_000}.{at % 1_000_000:06}:    1001001 cycles:u: \n" + bodies[chance.randrange(len(bodies))]

    return write_lines(file, size, lines())


def collapsed_stack(file, size):
    def lines():
        chance = source()
        while True:
            for stack in stacks(chance, 4000):
                yield ";".join(FUNCTIONS[number] for number in stack) + f" {chance.randrange(1, 900)}\n"

    return write_lines(file, size, lines())


def strace(file, size):
    calls = [
        ("openat", 'AT_FDCWD, "/usr/share/data/file.{}", O_RDONLY|O_CLOEXEC', "3"),
        ("read", '{}, "\\177ELF\\2\\1\\1\\3\\0\\0\\0\\0\\0\\0\\0\\0"..., 832', "832"),
        ("mmap", "NULL, {}, PROT_READ, MAP_PRIVATE|MAP_DENYWRITE, 3, 0", "0x7f12a5c00000"),
        ("futex", "0x7f12a5c{}, FUTEX_WAIT_PRIVATE, 2, NULL", "-1 EAGAIN (Resource temporarily unavailable)"),
        ("close", "{}", "0"),
    ]

    def lines():
        chance, at, thread = source(), 0, 0
        while True:
            # A call ends before its thread makes the next one.
            at += chance.randrange(3, 60)
            name, arguments, result = calls[chance.randrange(len(calls))]
            arguments = arguments.format(chance.randrange(100, 999))
            thread = (thread + 1) % 16
            yield f"{100 + thread} {1_700_000_000 + at // 1_000_000}.{at % 1_000_000:06} {name}({arguments}) = {result} <0.{chance.randrange(4, 40):06}>\n"

    return write_lines(file, size, lines())


def dmesg(file, size):
    def lines():
        chance, at = source(), 0
        while True:
            at += chance.randrange(1, 5000)
            yield f"<6>[{at // 1_000_000:5}.{at % 1_000_000:06}] usb {chance.randrange(4)}-{chance.randrange(9)}: device descriptor read/64, error -{chance.randrange(120)}\n"

    return write_lines(file, size, lines())


def android_dumpstate(file, size):
    mark = "=" * 56
    file.write(f"{mark}\n== dumpstate: 2022-06-24 16:24:37\n{mark}\n\n------ DUMPSYS (/system/bin/dumpsys) ------\n".encode())

    def lines():
        chance, number = source(), 0
        while True:
            if number % 2000 == 0:
                yield f"{'-' * 79}\nDUMP OF SERVICE service{number // 2000}:\n"
            number += 1
            yield f"  Record #{number}: u0 {FUNCTIONS[chance.randrange(len(FUNCTIONS))]} state={chance.randrange(9)} time=+{chance.randrange(90000)}ms\n"

    return write_lines(file, size, lines())


def proguard_mapping(file, size):
    def lines():
        chance, number = source(), 0
        while True:
            number += 1
            noun = FUNCTIONS[number % len(FUNCTIONS)].split("_")[1]
            yield f"com.example.area{number % 50}.{noun.title()}{number} -> a.b{number}:\n"
            for member in range(chance.randrange(4, 12)):
                yield f"    {member}:{member + 3}:void {noun}Of{member}(int,java.lang.String):{20 + member}:{23 + member} -> {chr(97 + member)}\n"

    return write_lines(file, size, lines())


TEXT = {
    "systrace": (systrace, "SELECT count(*) FROM sched"),
    "ninja_log": (ninja, "SELECT count(*) FROM slice"),
    "android_logcat": (logcat, "SELECT count(*) FROM android_logs"),
    "perf_text": (perf_text, "SELECT count(*) FROM cpu_profile_stack_sample"),
    "collapsed_stack": (collapsed_stack, "SELECT count(*) FROM __intrinsic_aggregate_sample"),
    "strace": (strace, "SELECT count(*) FROM slice"),
    "dmesg": (dmesg, "SELECT count(*) FROM logs"),
    "android_dumpstate": (android_dumpstate, None),
    "proguard_mapping": (proguard_mapping, None),
}
