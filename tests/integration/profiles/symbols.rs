//! Names of the code in stacks: symbols of binaries, and names before obfuscation.

use tpq_testkit::{Message, Packet};

use super::{
    FRAMES, LOST, PERF_SAMPLE, SYMBOLS, begin, callstack, frame, interned, later, mapping,
    perf_sample, stacks, string, trace,
};

const MODULE_SYMBOLS: u32 = 61;
const DEOBFUSCATION_MAPPING: u32 = 64;
const PACKAGES_LIST: u32 = 47;
const PROCESS_TREE: u32 = 2;

pub(super) fn line(function: &str, file: &str, number: u64) -> Message {
    Message::new().bytes(1, function).bytes(2, file).uint(3, number)
}

pub(super) fn module(
    path: &str,
    build_id: &[u8],
    addresses: impl IntoIterator<Item = Message>,
) -> Packet {
    let module = Message::new().bytes(1, path).bytes(2, build_id);
    let module = addresses.into_iter().fold(module, |module, it| module.message(3, it));
    Packet::new().payload(MODULE_SYMBOLS, module)
}

pub(super) fn address(address: u64, lines: impl IntoIterator<Item = Message>) -> Message {
    lines.into_iter().fold(Message::new().uint(1, address), |all, line| all.message(2, line))
}

pub(super) fn sample(at: u64, pid: u64, stack: u64) -> Packet {
    later(at, 1).payload(PERF_SAMPLE, perf_sample(0, (pid, pid), stack))
}

#[test]
fn symbols_of_a_binary_are_those_of_all_its_frames() {
    let inlined = [line("memcpy", "string.h", 12), line("malloc", "malloc.c", 345)];
    let trace = trace([
        // The symbols come before the frames.
        module(
            "/system/lib/libc.so",
            &[0xab, 0x01],
            [
                address(0x1020, inlined),
                address(0x1030, [line("strlen", "", 9)]),
                address(0x9999, [line("unused", "a.c", 1)]),
                address(0x1010, []),
            ],
        ),
        begin(1, stacks(), Message::new()),
        sample(10, 100, 1),
        sample(20, 200, 2),
        sample(30, 200, 1),
    ]);
    assert_eq!(
        trace.rows(FRAMES),
        "\
id  name    mapping  rel_pc  symbols  deobfuscated  type
0   main    0        4112    NULL     NULL          NULL
1   malloc  0        4128    0        NULL          native
2   main    1        4112    NULL     NULL          NULL
3           1        4144    2        NULL          NULL
4   malloc  1        4128    0        NULL          native
"
    );
    // A line means nothing without its file.
    assert_eq!(
        trace.rows(SYMBOLS),
        "\
id  symbols  name    file      line  inlined
0   0        memcpy  string.h  12    NULL
1   0        malloc  malloc.c  345   NULL
2   2        strlen  NULL      NULL  NULL
"
    );
    assert_eq!(
        trace.rows(LOST),
        "\
name                           idx   value
stackprofile_invalid_frame_id  NULL  1
"
    );
    let sql = "INCLUDE PERFETTO MODULE linux.perf.samples; \
        SELECT id, parent_id AS parent, name, source_file AS file, self_count AS self, \
        cumulative_count AS total FROM linux_perf_samples_summary_tree ORDER BY id";
    // The inlined function is the callee of the one that contains it.
    assert_eq!(
        trace.rows(sql),
        "\
id  parent  name    file      self  total
0   NULL    main    NULL      0     1
1   2       memcpy  string.h  1     1
2   0       malloc  malloc.c  0     1
3   NULL    main    NULL      0     2
4   3       strlen  NULL      1     1
5   6       memcpy  string.h  1     1
6   3       malloc  malloc.c  0     1
"
    );
}

#[test]
fn symbols_are_of_the_build_that_was_mapped() {
    let unnamed = mapping(3, (0x100, 0x200), [1, 3]);
    let data = stacks()
        .message(interned::MAPPINGS, unnamed)
        .message(interned::FRAMES, frame(7, 0, 3, 0x10))
        .message(interned::CALLSTACKS, callstack(7, [7]));
    let symbols = |name: &str| [address(0x10, [line(name, "a.c", 1)])];
    let trace = trace([
        begin(1, data, Message::new()),
        sample(10, 100, 7),
        module("/system/libc.so", b"another build", symbols("wrong")),
        module("/system/other.so", b"", symbols("wrong")),
        module("/system/libc.so", b"", symbols("first")),
        module("/system/libc.so", b"", symbols("second")),
    ]);
    // Of several symbols of an address the last one counts.
    let sql = "SELECT s.name FROM stack_profile_frame JOIN stack_profile_symbol s \
        USING (symbol_set_id)";
    assert_eq!(trace.rows(sql), "name\nsecond\n");
    assert_eq!(
        trace.rows(LOST),
        "\
name                             idx   value
stackprofile_invalid_mapping_id  NULL  2
"
    );
}

/// A method with its name in the obfuscated code, its name before, and lines in both.
pub(super) fn method(obfuscated: &str, name: &str, lines: Option<(u64, u64, u64)>) -> Message {
    let method = Message::new().bytes(1, obfuscated).bytes(2, name);
    match lines {
        None => method,
        Some((first, last, source)) => method.uint(3, first).uint(4, last).uint(5, source),
    }
}

pub(super) fn class(
    obfuscated: &str,
    name: &str,
    methods: impl IntoIterator<Item = Message>,
) -> Message {
    let class = Message::new().bytes(1, obfuscated).bytes(2, name);
    methods.into_iter().fold(class, |class, method| class.message(4, method))
}

pub(super) fn names(package: &str, classes: impl IntoIterator<Item = Message>) -> Packet {
    let names = Message::new().bytes(1, package);
    let names = classes.into_iter().fold(names, |names, class| names.message(3, class));
    Packet::new().payload(DEOBFUSCATION_MAPPING, names)
}

/// Java frames: of two installed apps, of anonymous memory, and of a place that names no package.
pub(super) fn java() -> Message {
    let paths = ["data", "app", "com.a-1==", "base.apk", "com.b-1==", "memfd:jit", "apex", "x.jar"];
    let mut data = Message::new();
    for (iid, path) in (1..).zip(paths) {
        data = data.message(interned::MAPPING_PATHS, string(iid, path));
    }
    for (iid, path) in [(1, vec![1, 2, 3, 4]), (2, vec![1, 2, 5, 4]), (3, vec![6]), (4, vec![7, 8])]
    {
        data = data.message(interned::MAPPINGS, mapping(iid, (0, 0), path));
    }
    for (iid, name) in [(1, "a.b"), (2, "a.c"), (3, "native")] {
        data = data.message(interned::FUNCTION_NAMES, string(iid, name));
    }
    // Frame MN is function N of mapping M, and 15 is function 1 with a line.
    for mapping in 1..=4 {
        for name in 1..=3 {
            let iid = mapping * 10 + name;
            data = data
                .message(interned::FRAMES, frame(iid, name, mapping, iid))
                .message(interned::CALLSTACKS, callstack(iid, [iid]));
        }
    }
    let with_line = |line: u64| frame(15, 1, 1, 15 + line).uint(6, line);
    data.message(interned::FRAMES, with_line(4)).message(interned::CALLSTACKS, callstack(15, [15]))
}

pub(super) const NAMES: &str = "SELECT f.name, m.name AS mapping, deobfuscated_name AS deobfuscated \
    FROM stack_profile_frame f JOIN stack_profile_mapping m ON m.id = mapping \
    WHERE deobfuscated_name IS NOT NULL ORDER BY f.id";

#[test]
fn names_before_obfuscation() {
    let trace = trace([
        names(
            "com.a",
            [class(
                "a",
                "com.a.Main",
                [method("b", "run", None), method("c", "com.a.Base.stop", None)],
            )],
        ),
        begin(1, java(), Message::new()),
        sample(10, 100, 11),
        sample(20, 100, 12),
        sample(30, 100, 13),
        sample(40, 100, 21),
        sample(50, 100, 31),
        sample(60, 100, 42),
        names("com.b", [class("a", "com.b.Other", [method("b", "go", None)])]),
    ]);
    // The same names mean something else in another package. Anonymous memory is of any, where the
    // last one counts, and the last frame of none that is known.
    assert_eq!(
        trace.rows(NAMES),
        "\
name  mapping                       deobfuscated
a.b   /data/app/com.a-1==/base.apk  com.a.Main.run
a.c   /data/app/com.a-1==/base.apk  com.a.Base.stop
a.b   /data/app/com.b-1==/base.apk  com.b.Other.go
a.b   /memfd:jit                    com.b.Other.go
"
    );
    let sql = "INCLUDE PERFETTO MODULE callstacks.stack_profile; \
        SELECT name FROM _callstack_spc_forest ORDER BY id";
    assert_eq!(
        trace.rows(sql),
        "\
name
com.a.Main.run
com.a.Base.stop
native
com.b.Other.go
com.b.Other.go
a.c
"
    );
}

#[test]
fn a_process_tells_the_package_of_its_frames() {
    let process = Message::new().uint(1, 100).uint(2, 1).bytes(3, "com.c").uint(5, 10_055);
    let package = Message::new().bytes(1, "com.c").uint(2, 10_055);
    let trace = trace([
        Packet::new().payload(PACKAGES_LIST, Message::new().message(1, package)),
        Packet::new().timestamp(1).payload(PROCESS_TREE, Message::new().message(1, process)),
        begin(1, java(), Message::new()),
        sample(10, 100, 41),
        names("com.c", [class("a", "com.c.Main", [method("b", "run", None)])]),
    ]);
    assert_eq!(
        trace.rows(NAMES),
        "\
name  mapping      deobfuscated
a.b   /apex/x.jar  com.c.Main.run
"
    );
}

#[test]
fn names_that_depend_on_lines() {
    let methods = [
        method("b", "inner", Some((1, 5, 100))),
        method("b", "outer", Some((3, 5, 200))),
        method("b", "other", Some((6, 9, 300))),
    ];
    let trace = trace([
        begin(1, java(), Message::new()),
        sample(10, 100, 15),
        sample(20, 100, 11),
        names("com.a", [class("a", "Main", methods)]),
    ]);
    // The first frame has line 4. Nothing is known of the second.
    assert_eq!(
        trace.rows(NAMES),
        "\
name  mapping                       deobfuscated
a.b   /data/app/com.a-1==/base.apk  Main.outer
a.b   /data/app/com.a-1==/base.apk  Main.inner | Main.other | Main.outer
"
    );
    assert_eq!(
        trace.rows(SYMBOLS),
        "\
id  symbols  name        file  line  inlined
0   0        a.b         NULL  4     NULL
1   1        Main.inner  NULL  100   1
2   1        Main.outer  NULL  200   0
"
    );
    let sql = "SELECT id, symbol_set_id AS symbols FROM stack_profile_frame ORDER BY id";
    assert_eq!(trace.rows(sql), "id  symbols\n0   1\n1   NULL\n");
}

#[test]
fn a_path_of_an_app_that_names_no_package() {
    let data = Message::new()
        .message(interned::MAPPING_PATHS, string(1, "data/app/base.apk"))
        .message(interned::MAPPINGS, mapping(1, (0, 0), [1]))
        .message(interned::FUNCTION_NAMES, string(1, "a.b"))
        .message(interned::FRAMES, frame(1, 1, 1, 0))
        .message(interned::CALLSTACKS, callstack(1, [1]));
    let trace = trace([begin(1, data, Message::new()), sample(10, 100, 1)]);
    assert_eq!(
        trace.rows(LOST),
        "\
name                              idx   value
deobfuscate_location_parse_error  NULL  1
"
    );
}
