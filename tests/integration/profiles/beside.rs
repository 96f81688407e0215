//! Names of code that lie next to a trace: symbols and names before obfuscation in its archive, and
//! files of binaries.

use std::path::{Path, PathBuf};

use tpq::ImportOptions;
use tpq_testkit::{Archive, Message, Packet, TraceBuilder};

use super::symbols::{NAMES, address, class, java, line, method, module, names, sample};
use super::{FRAMES, LOST, SYMBOLS, begin, callstack, frame, interned, mapping, stacks, string};
use crate::command::run;
use crate::imported::{FILES, Imported, merged, recording};

fn trace(packets: impl IntoIterator<Item = Packet>) -> Vec<u8> {
    recording().packets(packets).build()
}

/// A file with nothing but these packets.
fn alone(packets: impl IntoIterator<Item = Packet>) -> Vec<u8> {
    TraceBuilder::new().packets(packets).build()
}

#[test]
fn symbols_in_an_archive_are_of_the_traces_in_it() {
    let libc = |addresses: Vec<Message>| module("/system/lib/libc.so", &[0xab, 0x01], addresses);
    let first = trace([begin(1, stacks(), Message::new()), sample(10, 100, 2)]);
    let second = trace([begin(1, stacks(), Message::new()), sample(20, 200, 1)]);
    let symbols = alone([
        libc(vec![
            address(0x1030, [line("strlen", "string.c", 9)]),
            address(0x9999, [line("unused", "a.c", 1)]),
        ]),
        libc(vec![address(0x1020, [line("malloc", "malloc.c", 345)])]),
        module("/other.so", &[0xcd], [address(0, [line("f", "f.c", 1)])]),
    ]);
    let archive = Archive::new()
        .file("symbols.pb", symbols)
        .file("trace.perfetto", first)
        .file("watch.perfetto", second);
    let trace = merged(&archive);
    assert_eq!(
        trace.rows(FRAMES),
        "\
id  name    mapping  rel_pc  symbols  deobfuscated  type
0   main    0        4112    NULL     NULL          NULL
1           0        4144    0        NULL          NULL
2   main    1        4112    NULL     NULL          NULL
3   malloc  1        4128    1        NULL          native
"
    );
    assert_eq!(
        trace.rows("SELECT symbol_set_id AS symbols, name FROM stack_profile_symbol ORDER BY id"),
        "\
symbols  name
0        strlen
1        malloc
"
    );
    // The address without a frame, and the binary that no trace has.
    assert_eq!(
        trace.rows(LOST),
        "\
name                             idx   value
stackprofile_invalid_frame_id    NULL  1
stackprofile_invalid_mapping_id  NULL  1
"
    );
    assert_eq!(
        trace.rows(FILES),
        "\
id  parent  name            trace_type  processing_order
0   NULL    NULL            tar         0
1   0       trace.perfetto  proto       1
2   0       watch.perfetto  proto       2
3   0       symbols.pb      symbols     3
"
    );
}

#[test]
fn names_in_an_archive_are_of_the_traces_in_it() {
    let app = trace([begin(1, java(), Message::new()), sample(10, 100, 11), sample(20, 100, 21)]);
    let mapping = alone([names("com.a", [class("a", "com.a.Main", [method("b", "run", None)])])]);
    let archive = Archive::new().file("deobfuscation.pb", mapping).file("trace.perfetto", app);
    for archive in [archive.tar(), archive.zip()] {
        let trace = Imported::file(archive);
        assert_eq!(
            trace.rows(NAMES),
            "\
name  mapping                       deobfuscated
a.b   /data/app/com.a-1==/base.apk  com.a.Main.run
"
        );
    }
}

/// A mapping file of R8.
const MAPPING: &str = "# compiler: R8\n\
com.a.Main -> a:\n    int count -> b\n    1:4:void run(int):20:23 -> b\n    void stop() -> c\n";

fn with_mapping(name: &str, text: &str) -> Imported {
    let app = trace([
        begin(1, java(), Message::new()),
        sample(10, 100, 15),
        sample(20, 100, 22),
        sample(30, 100, 42),
        names("com.b", [class("a", "com.b.Other", [method("c", "go", None)])]),
    ]);
    merged(&Archive::new().file(name, text).file("trace.perfetto", app))
}

#[test]
fn a_mapping_file_is_of_its_package_or_of_any() {
    // The frame of com.a has line 4.
    let trace = with_mapping("com.a/mapping.txt", MAPPING);
    let named = "\
name  mapping                       deobfuscated
a.b   /data/app/com.a-1==/base.apk  com.a.Main.run
a.c   /data/app/com.b-1==/base.apk  com.b.Other.go
";
    assert_eq!(trace.rows(NAMES), named);
    assert_eq!(
        trace.cells("SELECT name, line_number, inlined FROM stack_profile_symbol ORDER BY id"),
        [["a.b", "4", "NULL"], ["com.a.Main.run", "20", "0"]]
    );
    assert_eq!(with_mapping("com.a.txt", MAPPING).rows(NAMES), named);
    // What is of com.b by a packet stays. The last frame is of no known package.
    let trace = with_mapping("mapping.txt", MAPPING);
    assert_eq!(
        trace.rows(NAMES),
        "\
name  mapping                       deobfuscated
a.b   /data/app/com.a-1==/base.apk  com.a.Main.run
a.c   /data/app/com.b-1==/base.apk  com.b.Other.go
a.c   /apex/x.jar                   com.a.Main.stop
"
    );
    let format = "SELECT trace_type FROM trace_file WHERE name LIKE '%.txt'";
    assert_eq!(trace.cell(format), "proguard_mapping");
}

#[test]
fn damage_of_a_mapping_file_has_a_line() {
    let trace = with_mapping("com.a/mapping.txt", &format!("{MAPPING}    void -> x\nwhat\n"));
    let places = "SELECT max(CASE WHEN flat_key = 'line' THEN int_value END) AS line, \
        max(CASE WHEN flat_key = 'what' THEN string_value END) AS what \
        FROM trace_import_logs l JOIN args USING (arg_set_id) \
        WHERE l.name = 'format_parse_errors' GROUP BY l.id ORDER BY l.id";
    let what = "this is neither a class nor a member of one";
    assert_eq!(trace.cells(places), [["6", what], ["7", what]]);
    assert_eq!(trace.cells(NAMES).len(), 2);
}

/// Files of binaries in the repository.
fn binaries() -> PathBuf {
    Path::new(crate::ROOT).join("testdata/binaries")
}

const BUILD_ID: [u8; 20] = [
    0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
    0x01, 0x23, 0x45, 0x67,
];

/// A trace of a thread in `run`, which calls `work`, with addresses as profilers of three kinds
/// give them: without the load bias, with it, and with a mapping of which nothing is known.
fn binary_trace() -> Vec<u8> {
    let code = |iid: u64| mapping(iid, (0x7000, 0x8000), [1]).uint(2, 1).uint(8, 0x1000);
    let mut data = Message::new()
        .message(interned::MAPPING_PATHS, string(1, "lib.so"))
        .message(interned::MAPPING_PATHS, string(2, "other.so"))
        .message(interned::BUILD_IDS, string(1, BUILD_ID))
        .message(interned::BUILD_IDS, string(2, [0xff]))
        .message(interned::MAPPINGS, code(1))
        .message(interned::MAPPINGS, code(2).uint(6, 0x40000))
        .message(interned::MAPPINGS, mapping(3, (0, 0), [1]).uint(2, 1))
        .message(interned::MAPPINGS, mapping(4, (0x9000, 0xa000), [2]).uint(2, 2))
        .message(interned::FUNCTION_NAMES, string(1, ""));
    for (mapping, bias) in [(1, 0), (2, 0x40000), (3, 0x40000), (4, 0)] {
        let (outer, inner) = (10 * mapping, 10 * mapping + 1);
        data = data
            .message(interned::FRAMES, frame(outer, 1, mapping, 0x101f + bias))
            .message(interned::FRAMES, frame(inner, 1, mapping, 0x1009 + bias))
            .message(interned::CALLSTACKS, callstack(mapping, [outer, inner]));
    }
    let samples = (1..=4).map(|stack| sample(stack * 10, 100, stack));
    trace([begin(1, data, Message::new())].into_iter().chain(samples))
}

/// Frames with the names of their functions, the innermost first.
const FUNCTIONS: &str = "SELECT f.id, rel_pc, s.name, source_file AS file, line_number AS line \
    FROM stack_profile_frame f JOIN stack_profile_symbol s USING (symbol_set_id) \
    ORDER BY f.id, s.id";

fn symbolized(paths: Vec<PathBuf>) -> Imported {
    let options = ImportOptions { symbols: paths, ..ImportOptions::default() };
    Imported::with(&[("trace", &binary_trace())], options)
}

#[test]
fn functions_and_lines_of_binaries_that_are_found_by_their_build_ids() {
    let trace = symbolized(vec![binaries()]);
    // `add` is inlined into `work`. Frames of the fourth mapping have another build id.
    assert_eq!(
        trace.rows(FUNCTIONS),
        "\
id  rel_pc  name  file            line
0   4127    run   /src/inlined.c  13
1   4105    add   /src/inlined.c  4
1   4105    work  /src/inlined.c  8
2   266271  run   /src/inlined.c  13
3   266249  add   /src/inlined.c  4
3   266249  work  /src/inlined.c  8
4   266271  run   /src/inlined.c  13
5   266249  add   /src/inlined.c  4
5   266249  work  /src/inlined.c  8
"
    );
    assert_eq!(
        trace.rows("SELECT id, symbol_set_id AS symbols FROM stack_profile_frame WHERE id > 5"),
        "id  symbols\n6   NULL\n7   NULL\n"
    );
}

#[test]
fn functions_of_a_binary_without_debug_information() {
    let trace = symbolized(vec![binaries().join("inlined.elf")]);
    assert_eq!(
        trace.cells(FUNCTIONS)[..2],
        [["0", "4127", "run", "NULL", "NULL"], ["1", "4105", "work", "NULL", "NULL"]]
    );
    assert_eq!(trace.cells(FUNCTIONS).len(), 6);
}

/// The file has an id of 16 bytes of the build id, or all of it. Frames of a mapping without a load
/// bias have no names, since nothing says at which address an offset is.
#[test]
fn functions_of_breakpad() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lib.so.sym");
    let records = "FILE 0 /src/a.c\nINLINE_ORIGIN 0 add\nFUNC 41000 10 0 work\n\
        INLINE 0 8 0 0 41008 4\n41000 8 7 0\n41008 4 4 0\n4100c 4 9 0\nPUBLIC 41010 0 run\n";
    let heads = [
        "MODULE Linux x86_64 67452301AB89EFCD0123456789ABCDEF0 lib.so\n",
        "MODULE Linux x86_64 000000000000000000000000000000000 lib.so\n\
         INFO CODE_ID 0123456789ABCDEF0123456789ABCDEF01234567\n",
    ];
    for head in heads {
        std::fs::write(&path, [head, records].concat()).unwrap();
        let trace = symbolized(vec![folder.path().to_owned()]);
        assert_eq!(
            trace.rows(FUNCTIONS),
            "\
id  rel_pc  name  file      line
2   266271  run   NULL      NULL
3   266249  add   /src/a.c  4
3   266249  work  /src/a.c  8
4   266271  run   NULL      NULL
5   266249  add   /src/a.c  4
5   266249  work  /src/a.c  8
",
            "{head}"
        );
    }
}

/// Symbols of the trace itself come first.
#[test]
fn symbols_in_a_trace_are_kept() {
    let packets = [
        begin(
            1,
            Message::new()
                .message(interned::MAPPING_PATHS, string(1, "lib.so"))
                .message(interned::BUILD_IDS, string(1, BUILD_ID))
                .message(interned::MAPPINGS, mapping(1, (0, 0), [1]).uint(2, 1))
                .message(interned::FRAMES, frame(1, 0, 1, 0x41011))
                .message(interned::CALLSTACKS, callstack(1, [1])),
            Message::new(),
        ),
        sample(10, 100, 1),
        module("/lib.so", &BUILD_ID, [address(0x41011, [line("told", "a.c", 1)])]),
    ];
    let options = ImportOptions { symbols: vec![binaries()], ..ImportOptions::default() };
    let trace = Imported::with(&[("trace", &trace(packets))], options);
    assert_eq!(trace.cells(SYMBOLS), [["0", "0", "told", "a.c", "1", "NULL"]]);
}

#[test]
fn damaged_binaries_give_no_symbols() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged");
    let read = |name: &str| std::fs::read(binaries().join(name)).unwrap();
    let breakpad = "MODULE Linux x86_64 67452301AB89EFCD0123456789ABCDEF0 lib.so\nFILE 0 a\n\
        INLINE_ORIGIN 0 add\nFUNC 41000 20 0 run\nINLINE 0 8 0 0 41008 4\n41000 20 7 0\n";
    let files = [
        ("inlined.elf", read("inlined.elf")),
        ("inlined.debug", read("inlined.debug")),
        ("Breakpad", breakpad.as_bytes().to_vec()),
    ];
    for (name, binary) in files {
        let step = binary.len() / 40;
        for at in (0..binary.len()).step_by(step) {
            // Cut off there, and with a part overwritten.
            std::fs::write(&path, &binary[..at]).unwrap();
            assert!(symbolized(vec![path.clone()]).cells(FUNCTIONS).len() <= 9, "{name}: {at}");
            let mut damaged = binary.clone();
            let end = (at + step).min(binary.len());
            damaged[at..end].fill(0xff);
            std::fs::write(&path, damaged).unwrap();
            assert!(symbolized(vec![path.clone()]).cells(FUNCTIONS).len() <= 9, "{name}: {at}");
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_command_names_what_it_does_not_find() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace");
    std::fs::write(&path, binary_trace()).unwrap();
    let path = path.to_str().unwrap();
    let sql = "SELECT DISTINCT name FROM stack_profile_symbol ORDER BY name";
    let found = run(&["query", path, "--symbols", "testdata/binaries", "-c", sql]);
    assert_eq!(text(&found.stdout), "name\nadd\nrun\nwork\n");
    assert_eq!(
        text(&found.stderr),
        "warning: 2 frames have no symbols: no file has the build id of /other.so (ff)\n"
    );
    let none = run(&["query", path, "--symbols", "docs", "-c", sql]);
    let warnings = text(&none.stderr);
    assert!(
        warnings.starts_with("warning: no file of --symbols is a binary with a build id\n"),
        "{warnings}"
    );
    assert!(warnings.contains("8 frames of 2 binaries have no symbols"), "{warnings}");
    let missing = run(&["query", path, "--symbols", "no/such/folder", "-c", sql]);
    assert!(!missing.status.success());
    assert!(text(&missing.stderr).contains("cannot open no/such/folder: "));
}
