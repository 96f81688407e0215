"""Formats that are one document of JSON or XML."""

from .samples import FUNCTIONS, LIBRARIES, source, stacks

ITEMS_AT_ONCE = 4096


def write_items(file, size, items):
    """Writes elements of an array until they take as many bytes. Returns their number."""
    count, written = 0, 0
    while written < size:
        block = ",\n".join(next(items) for _ in range(ITEMS_AT_ONCE))
        block = ((",\n" if count else "") + block).encode()
        file.write(block)
        count, written = count + ITEMS_AT_ONCE, written + len(block)
    return count


def quoted(names):
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def json(file, size):
    def events():
        chance, at = source(), 0
        while True:
            # No two overlap, so that they may be of the same thread.
            at += 10
            name = FUNCTIONS[chance.randrange(len(FUNCTIONS))]
            yield (
                f'{{"ph": "X", "cat": "toplevel", "name": "{name}", "pid": 1, "tid": {100 + chance.randrange(8)}, '
                f'"ts": {at}, "dur": {chance.randrange(1, 9)}, "args": {{"frame": {at % 1000}, "src": "{name}.cc"}}}}'
            )

    file.write(b'{"traceEvents": [\n')
    count = write_items(file, size, events())
    file.write(b"\n]}\n")
    return count


def stack_table(made):
    """Stacks as rows of a frame on top of a row before it, and the row of each stack."""
    rows, known, tops = [], {}, []
    for stack in made:
        row = None
        for function in stack:
            key = (row, function)
            if key not in known:
                known[key] = len(rows)
                rows.append(key)
            row = known[key]
        tops.append(row)
    return rows, tops


def gecko(file, size):
    """Eight threads in the form that the web page stores."""
    chance = source()
    made = stacks(chance, 4000)
    rows, tops = stack_table(made)
    numbers = list(range(len(FUNCTIONS)))
    column = lambda values: "[" + ",".join("null" if value is None else str(value) for value in values) + "]"
    tables = (
        f'"stringArray": {quoted(FUNCTIONS + LIBRARIES)},\n'
        f'"resourceTable": {{"length": 8, "name": {column(range(len(FUNCTIONS), len(FUNCTIONS) + 8))}}},\n'
        f'"funcTable": {{"length": {len(numbers)}, "name": {column(numbers)}, "fileName": {column([None] * len(numbers))}, "resource": {column(n % 8 for n in numbers)}}},\n'
        f'"frameTable": {{"length": {len(numbers)}, "func": {column(numbers)}, "line": {column([None] * len(numbers))}}},\n'
        f'"stackTable": {{"length": {len(rows)}, "frame": {column(row[1] for row in rows)}, "prefix": {column(row[0] for row in rows)}}},\n'
    )
    count = 0
    file.write(b'{"meta": {"interval": 1, "startTime": 1700000000000}, "libs": [], "threads": [\n')
    for thread in range(8):
        samples = max(1, int((size / 8 - len(tables)) / 17))
        stack = column(tops[chance.randrange(len(tops))] for _ in range(samples))
        time = column(f"{index * 1.003:.3f}" for index in range(samples))
        file.write(
            f'{"," if thread else ""}{{"name": "Thread {thread}", "tid": {100 + thread}, "pid": 100, "processName": "app",\n'
            f'{tables}"samples": {{"length": {samples}, "stack": {stack}, "time": {time}, "weight": null, "weightType": "samples"}}}}\n'.encode()
        )
        count += samples
    file.write(b"]}\n")
    return count


def cpuprofile(file, size):
    chance = source()
    rows, tops = stack_table(stacks(chance, 20_000))
    children = {}
    for row, (parent, _) in enumerate(rows):
        children.setdefault(parent, []).append(row)
    call = lambda name, url: f'"callFrame": {{"functionName": "{name}", "scriptId": "7", "url": "{url}", "lineNumber": 11, "columnNumber": 4}}'
    file.write(b'{"nodes": [\n')
    below = [row + 2 for row in children.pop(None)]
    file.write(f'{{"id": 1, {call("(root)", "")}, "hitCount": 0, "children": {below}}}'.encode())
    for row, (_, function) in enumerate(rows):
        of = [child + 2 for child in children.get(row, [])]
        file.write(f',\n{{"id": {row + 2}, {call(FUNCTIONS[function], f"file:///app/{function % 40}.js")}, "hitCount": 3, "children": {of}}}'.encode())
    samples = max(1, int((size - file.tell()) / 12))
    file.write(b'],\n"startTime": 1000, "endTime": 900000000,\n"samples": [')
    file.write(",".join(str(tops[chance.randrange(len(tops))] + 2) for _ in range(samples)).encode())
    file.write(b'],\n"timeDeltas": [')
    file.write(",".join(str(chance.randrange(90, 140)) for _ in range(samples)).encode())
    file.write(b"]}\n")
    return samples


def heapprofile(file, size):
    chance = source()
    rows, _ = stack_table(stacks(chance, max(1, size // 1300)))
    children = {}
    for row, (parent, _) in enumerate(rows):
        children.setdefault(parent, []).append(row)

    def node(name, url, number, own_size, below):
        file.write(
            f'{{"callFrame":{{"functionName":"{name}","scriptId":"7","url":"{url}","lineNumber":11,"columnNumber":4}},'
            f'"selfSize":{own_size},"id":{number},"children":['.encode()
        )
        for index, row in enumerate(below):
            function = rows[row][1]
            file.write(b"," if index else b"")
            node(FUNCTIONS[function], f"file:///app/{function % 40}.js", row + 2, chance.randrange(1, 900) * 8, children.get(row, []))
        file.write(b"]}")

    file.write(b'{"head":')
    node("(root)", "", 1, 0, children[None])
    file.write(b',"samples":[]}\n')
    return len(rows)


def speedscope(file, size):
    """A profile of calls, and one of samples."""
    chance = source()
    frames = ", ".join(f'{{"name": "{name}", "file": "{name}.cc", "line": 7}}' for name in FUNCTIONS)
    file.write(f'{{"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {{"frames": [{frames}]}},\n"profiles": [\n'.encode())
    file.write(b'{"type": "evented", "name": "calls", "unit": "microseconds", "startValue": 0, "endValue": 900000000, "events": [\n')
    opened = 0

    def events():
        nonlocal opened
        at, stack = 0, []
        while True:
            at += chance.randrange(1, 9)
            if len(stack) < 2 or len(stack) < 20 and chance.random() < 0.5:
                opened += 1
                stack.append(chance.randrange(len(FUNCTIONS)))
                yield f'{{"type": "O", "frame": {stack[-1]}, "at": {at}}}'
            else:
                yield f'{{"type": "C", "frame": {stack.pop()}, "at": {at}}}'

    write_items(file, size // 2, events())
    file.write(b']},\n{"type": "sampled", "name": "samples", "unit": "microseconds", "startValue": 0, "endValue": 900000000, "samples": [\n')
    made = [str(stack) for stack in stacks(chance, 4000)]
    samples = write_items(file, size // 2 - size // 40, iter(lambda: made[chance.randrange(len(made))], None))
    file.write(b'],\n"weights": [' + b",".join([b"100"] * samples) + b"]}]}\n")
    return opened


def otlp(file, size):
    number = 0

    def spans():
        nonlocal number
        chance, at = source(), 1_700_000_000_000_000_000
        while True:
            at, number = at + chance.randrange(1000, 90_000), number + 1
            attribute = lambda key, kind, value: f'{{"key": "{key}", "value": {{"{kind}": {value}}}}}'
            attributes = ", ".join(
                [
                    attribute("http.method", "stringValue", '"GET"'),
                    attribute("http.url", "stringValue", f'"https://shop.example/items/{number % 5000}"'),
                    attribute("http.status_code", "intValue", '"200"'),
                    attribute("thread.id", "intValue", f'"{number % 16 + 1}"'),
                ]
            )
            yield (
                f'{{"traceId": "{number // 8:032x}", "spanId": "{number:016x}", "parentSpanId": "{number - number % 8:016x}", '
                f'"name": "{FUNCTIONS[number % len(FUNCTIONS)]}", "kind": 2, "startTimeUnixNano": "{at}", '
                f'"endTimeUnixNano": "{at + 800}", "attributes": [{attributes}], "status": {{}}}}'
            )

    service = '{"key": "service.name", "value": {"stringValue": "shop"}}'
    file.write(f'{{"resourceSpans": [{{"resource": {{"attributes": [{service}]}}, "scopeSpans": [{{"scope": {{}}, "spans": [\n'.encode())
    count = write_items(file, size, spans())
    file.write(b"]}]}]}\n")
    return count


def v8_heap_snapshot(file, size):
    chance = source()
    kinds = ["hidden", "array", "string", "object", "code", "closure", "synthetic"]
    edge_kinds = ["context", "element", "property", "internal", "hidden", "shortcut", "weak"]
    nodes = max(2, size // 66)
    edges = nodes * 3
    strings = ["(root)"] + FUNCTIONS + [f"text of {number}" for number in range(nodes // 10)]
    file.write(
        f'{{"snapshot":{{"meta":{{"node_fields":["type","name","id","self_size","edge_count","detachedness"],\n'
        f'"node_types":[{quoted(kinds)},"string","number","number","number","number"],\n'
        f'"edge_fields":["type","name_or_index","to_node"],\n'
        f'"edge_types":[{quoted(edge_kinds)},"string_or_number","node"]}},\n"node_count":{nodes},"edge_count":{edges}}},\n"nodes":['.encode()
    )
    file.write("\n,".join(f"{chance.randrange(1, 6)},{chance.randrange(len(strings))},{2 * number + 1},{chance.randrange(2, 30) * 8},3,0" for number in range(nodes)).encode())
    file.write(b'],\n"edges":[')
    # Each node leads to three others, so that nearly all are reachable.
    reached = lambda number: 6 * (number % nodes)
    file.write("\n,".join(f"2,{chance.randrange(1, len(FUNCTIONS))},{reached(number + 1)}" for number in range(edges)).encode())
    file.write(f'],\n"strings":{quoted(strings)}}}\n'.encode())
    return nodes


def instruments_xml(file, size):
    chance, number, count, written = source(), 100, 0, 0
    file.write(b'<?xml version="1.0"?>\n<trace-query-result>\n<node xpath=\'//trace-toc[1]/run[1]/data[1]/table[4]\'><schema name="time-profile"></schema>\n')
    file.write(
        b'<row><sample-time id="1" fmt="00:00.001">1000</sample-time><thread id="2" fmt="Main"><tid id="3" fmt="0xb">11</tid>'
        b'<process id="4" fmt="app (10)"><pid id="5" fmt="10">10</pid></process></thread><core id="6" fmt="CPU 3">3</core>'
        b'<tagged-backtrace id="7" fmt="f"><backtrace id="8"><frame id="9" name="f" addr="0x10000120"><binary id="10" name="app" '
        b'UUID="01234567-89AB-CDEF-0123-456789ABCDEF" arch="arm64" load-addr="0x10000000" path="/Applications/app"/></frame></backtrace></tagged-backtrace></row>\n'
    )
    frames, made = {}, stacks(chance, 400)
    while written < size:
        rows = []
        for _ in range(ITEMS_AT_ONCE):
            number, count = number + 8, count + 1
            at = count * 1_000_000
            parts = []
            for function in reversed(made[chance.randrange(len(made))]):
                if function in frames:
                    parts.append(f'<frame ref="{frames[function]}"/>')
                    continue
                number += 1
                frames[function] = number
                parts.append(f'<frame id="{number}" name="{FUNCTIONS[function]}" addr="0x{0x10000200 + function * 16:x}"><binary ref="10"/></frame>')
            number += 1
            rows.append(
                f'<row><sample-time id="{number}" fmt="00:{count // 1000:02}.{count % 1000:03}">{at}</sample-time><thread ref="2"/><core ref="6"/>'
                f'<tagged-backtrace id="{number + 1}" fmt="f"><backtrace id="{number + 2}">{"".join(parts)}</backtrace></tagged-backtrace></row>\n'
            )
        block = "".join(rows).encode()
        file.write(block)
        written += len(block)
    file.write(b"</node></trace-query-result>\n")
    return count + 1


DOCUMENTS = {
    "json": (json, "SELECT count(*) FROM slice"),
    "gecko": (gecko, "SELECT count(*) FROM cpu_profile_stack_sample"),
    "cpuprofile": (cpuprofile, "SELECT count(*) FROM cpu_profile_stack_sample"),
    "heapprofile": (heapprofile, "SELECT count(*) FROM __intrinsic_aggregate_sample"),
    "speedscope": (speedscope, "SELECT count(*) FROM slice"),
    "otlp": (otlp, "SELECT count(*) FROM slice"),
    "v8_heap_snapshot": (v8_heap_snapshot, "SELECT count(*) FROM heap_graph_object"),
    "instruments_xml": (instruments_xml, "SELECT count(*) FROM instruments_sample"),
}
