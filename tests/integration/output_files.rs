//! Files that `-o` names: they appear once they are complete, or nothing changes.

use std::io::Read;
use std::process::{Command, Output};

#[cfg(unix)]
use crate::command::sh;
use crate::command::{Folder, describe, feed, tpq};

const SCHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/sched.pftrace");
#[cfg(unix)]
const BINARY: &str = env!("CARGO_BIN_EXE_tpq");
const BEFORE: &[u8] = b"what was here before";
const COUNT: &str = "SELECT count(*) AS n FROM sched";
/// Fails after it has given rows.
const FAILS: &str = "SELECT id FROM sched; SELECT nothing FROM sched";
/// Gives more rows than a test waits for.
const ENDLESS: &str = "SELECT a.name, b.name, c.name FROM stats a, stats b, stats c";

fn with_result() -> Folder {
    Folder::of(&[("out.csv", BEFORE)])
}

fn assert_unchanged(folder: &Folder) {
    assert_eq!(folder.read("out.csv"), BEFORE);
    assert_eq!(folder.names(), ["out.csv"]);
}

/// Runs a script at the prompt.
fn shell(folder: &Folder, trace: &str, script: &str) -> Output {
    feed(tpq().current_dir(folder.path("")).args([trace, "-q"]), script)
}

fn succeeds(output: &Output) {
    assert!(output.status.success(), "{}", describe(output));
}

#[test]
fn a_query_that_fails_changes_nothing() {
    let folder = with_result();
    for arguments in [
        &["query", SCHED, "-c", FAILS, "-o", "out.csv"][..],
        &["query", "no.pftrace", "-c", COUNT, "-o", "out.csv"],
        &["query", SCHED, "-c", COUNT, "-o", "out.csv", "-f", "no.sql"],
        &["export", SCHED, "--query", FAILS, "-o", "out.csv"],
        &["export", SCHED, "--query", "SELECT nothing", "-o", "out.csv"],
    ] {
        let output = folder.run(arguments);
        assert!(!output.status.success(), "{arguments:?}: {}", describe(&output));
        assert_unchanged(&folder);
    }
}

#[test]
fn a_file_is_replaced_once_the_query_has_succeeded() {
    let folder = with_result();
    succeeds(&folder.run(&["query", SCHED, "-c", COUNT, "-o", "out.csv"]));
    assert_eq!(folder.read("out.csv"), b"n\n8\n");
    assert_eq!(folder.names(), ["out.csv"]);
}

/// SIGKILL leaves no process a chance to clean up.
#[cfg(target_os = "linux")]
#[test]
fn a_process_that_is_killed_leaves_no_torn_file() {
    use std::process::Stdio;

    use crate::running::Running;
    use nix::sys::signal::Signal;

    for arguments in [
        &["query", SCHED, "-c", ENDLESS, "-o", "out.csv"][..],
        &["export", SCHED, "--query", ENDLESS, "-o", "out.csv"],
    ] {
        let folder = with_result();
        let root = folder.path("").canonicalize().unwrap();
        let mut command = tpq();
        command.current_dir(&root).args(arguments).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut tpq = Running::start(&mut command);
        tpq.wait_until("rows are written", |tpq| tpq.unfinished_bytes(&root) > 0);
        tpq.signal(Signal::SIGKILL);
        tpq.end();
        assert_eq!(folder.read("out.csv"), BEFORE);
        // Where the file system has no files without names, one is left to the next output.
        succeeds(&folder.run(&["query", SCHED, "-c", COUNT, "-o", "next.csv"]));
        assert_eq!(folder.names(), ["next.csv", "out.csv"]);
    }
}

/// A limit on the size of files is met as a full disk is: in the middle of writing.
#[cfg(unix)]
#[test]
fn a_full_disk_changes_nothing() {
    let folder = with_result();
    let run = |arguments: &str| {
        let script = format!("ulimit -f 64; exec {BINARY} {arguments}");
        sh(&script).current_dir(folder.path("")).output().unwrap()
    };
    for arguments in [
        format!("query {SCHED} -c '{ENDLESS}' -o out.csv"),
        format!("export {SCHED} --query '{ENDLESS}' -o out.csv"),
    ] {
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(1), "{}", describe(&output));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains("cannot write the result: out.csv: "), "{error}");
        assert_unchanged(&folder);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error() {
    for arguments in [
        &["query", SCHED, "-c", COUNT, "-o", "/dev/full"][..],
        &["export", SCHED, "--query", COUNT, "-o", "/dev/full"],
        &["query", SCHED, "-c", COUNT, "--format", "csv.gz", "-o", "/dev/full"],
    ] {
        let output = Folder::of(&[]).run(arguments);
        assert_eq!(output.status.code(), Some(1), "{}", describe(&output));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains("/dev/full"), "{error}");
    }
}

#[test]
fn an_input_is_never_the_output() {
    let trace = std::fs::read(SCHED).unwrap();
    let sql = COUNT.as_bytes();
    let folder = Folder::of(&[("t.csv", &trace), ("q.sql", sql), ("d/other", b"")]);
    std::fs::hard_link(folder.path("t.csv"), folder.path("hard.csv")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("t.csv", folder.path("soft.csv")).unwrap();
    #[cfg(not(unix))]
    std::fs::copy(folder.path("t.csv"), folder.path("soft.csv")).unwrap();
    let names = folder.names();
    for output in ["t.csv", "./d/../t.csv", "hard.csv", "soft.csv"] {
        for arguments in [
            &["query", "t.csv", "-c", COUNT][..],
            &["export", "t.csv", "--query", COUNT],
            &["export", "t.csv", "--tables", "sched"],
        ] {
            let run = folder.run(&[arguments, &["-o", output]].concat());
            assert_eq!(run.status.code(), Some(2), "{output}: {}", describe(&run));
            let error = String::from_utf8_lossy(&run.stderr).into_owned();
            assert!(error.contains("-o would overwrite t.csv"), "{error}");
        }
    }
    let of_script = ["query", "t.csv", "-f", "q.sql", "-o", "q.sql", "--format", "csv"];
    assert_eq!(folder.run(&of_script).status.code(), Some(2));
    let of_metatrace = ["query", "t.csv", "-c", COUNT, "-o", "m.csv", "--metatrace", "m.csv"];
    std::fs::write(folder.path("m.csv"), BEFORE).unwrap();
    assert_eq!(folder.run(&of_metatrace).status.code(), Some(2));
    std::fs::remove_file(folder.path("m.csv")).unwrap();
    let at_prompt = shell(&folder, "t.csv", ".output t.csv\nSELECT 1;\n");
    let error = String::from_utf8_lossy(&at_prompt.stderr).into_owned();
    assert!(error.contains("-o would overwrite t.csv"), "{error}");
    assert_eq!((folder.read("t.csv"), folder.read("q.sql")), (trace, sql.to_vec()));
    assert_eq!(folder.names(), names);
}

/// `--metatrace` writes no file that is read or written otherwise, also one that is not there yet.
#[test]
fn a_metatrace_is_no_other_file() {
    let sql = COUNT.as_bytes();
    let folder = Folder::of(&[("q.sql", sql)]);
    for arguments in [
        &["-f", "q.sql", "--metatrace", "q.sql"][..],
        &["-f", "q.sql", "--metatrace", "./q.sql"],
        &["-c", COUNT, "-o", "m.csv", "--metatrace", "m.csv"],
        &["-c", COUNT, "-o", "m.csv", "--metatrace", "./m.csv"],
    ] {
        let output = folder.run(&[&["query", SCHED], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", describe(&output));
        assert_eq!(folder.read("q.sql"), sql);
        assert_eq!(folder.names(), ["q.sql"], "{arguments:?}");
    }
}

/// A name that is an input's is refused before the trace is read.
#[test]
fn bad_outputs_are_reported_before_the_import() {
    let folder = Folder::of(&[("no.trace", b"neither a trace")]);
    for (output, code) in [("x.dat", 2), ("x", 2), ("folder/", 2), ("no/x.csv", 1), ("-", 1)] {
        let run = folder.run(&["query", "no.trace", "-c", COUNT, "-o", output]);
        assert_eq!(run.status.code(), Some(code), "{output}: {}", describe(&run));
        let error = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(error.contains("no.trace"), output == "-", "{output}: {error}");
    }
}

#[test]
fn a_dash_is_stdout() {
    let folder = Folder::of(&[]);
    for arguments in [
        &["query", SCHED, "-c", COUNT, "-o", "-"][..],
        &["export", SCHED, "--query", COUNT, "-o", "-"],
        #[cfg(target_os = "linux")]
        &["query", SCHED, "-c", COUNT, "-o", "/dev/stdout"],
    ] {
        let output = folder.run(arguments);
        succeeds(&output);
        assert_eq!(output.stdout, b"n\n8\n", "{arguments:?}");
        assert!(output.stderr.is_empty(), "{}", describe(&output));
    }
    let table = folder.run(&["export", SCHED, "--tables", "sched", "-o", "-", "--format", "tsv"]);
    assert!(table.stdout.starts_with(b"id\tts\tdur\t"), "{}", describe(&table));
    assert!(folder.names().is_empty());
    let at_prompt = shell(&folder, SCHED, ".mode csv\n.output -\nSELECT 42 AS n;\n");
    assert_eq!(String::from_utf8_lossy(&at_prompt.stdout), "n\n42\n");
}

#[cfg(unix)]
#[test]
fn special_files_are_written_in_place() {
    let folder = Folder::of(&[]);
    succeeds(&folder.run(&["query", SCHED, "-c", COUNT, "-o", "/dev/null"]));
    let made = Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap();
    assert!(made.success());
    let pipe = folder.path("pipe");
    let reader = std::thread::spawn(move || std::fs::read(pipe).unwrap());
    succeeds(&folder.run(&["query", SCHED, "-c", COUNT, "-o", "pipe"]));
    assert_eq!(reader.join().unwrap(), b"n\n8\n");
    assert_eq!(folder.names(), ["pipe"]);
}

/// A file that a shell opened is written to, not replaced: its other contents stay.
#[cfg(target_os = "linux")]
#[test]
fn a_redirected_stdout_is_written_to_by_its_name_too() {
    let folder = Folder::of(&[]);
    let script = format!(
        "{{ echo before; {BINARY} query {SCHED} -c '{COUNT}' -o /dev/stdout; echo after; }} > out; \
         {BINARY} query {SCHED} -c '{COUNT}' -o /dev/fd/3 3>> out"
    );
    succeeds(&sh(&script).current_dir(folder.path("")).output().unwrap());
    assert_eq!(String::from_utf8_lossy(&folder.read("out")), "before\nn\n8\nafter\nn\n8\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_redirected_stderr_is_written_to_by_its_name_too() {
    let folder = Folder::of(&[]);
    let script = format!(
        "{{ echo before >&2; {BINARY} query {SCHED} -c '{COUNT}' -o /dev/stderr; \
         echo after >&2; }} 2> log"
    );
    succeeds(&sh(&script).current_dir(folder.path("")).output().unwrap());
    assert_eq!(String::from_utf8_lossy(&folder.read("log")), "before\nn\n8\nafter\n");
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = Folder::of(&[("d/real.csv", BEFORE), ("plain", b"")]);
    let mode = |name: &str| folder.path(name).metadata().unwrap().permissions().mode() & 0o777;
    let private = std::fs::Permissions::from_mode(0o640);
    std::fs::set_permissions(folder.path("d/real.csv"), private).unwrap();
    symlink("d/real.csv", folder.path("link.csv")).unwrap();
    symlink("d/new.csv", folder.path("dangling.csv")).unwrap();
    for output in ["link.csv", "dangling.csv"] {
        succeeds(&folder.run(&["query", SCHED, "-c", COUNT, "-o", output]));
        assert!(folder.path(output).is_symlink(), "{output}");
        assert_eq!(folder.read(output), b"n\n8\n", "{output}");
    }
    assert_eq!(mode("d/real.csv"), 0o640);
    assert_eq!(mode("d/new.csv"), mode("plain"));
    assert_eq!(folder.names(), ["d", "dangling.csv", "link.csv", "plain"]);
}

/// The first bytes of a file of each format, uncompressed.
const FORMATS: [(&str, &[u8]); 12] = [
    ("parquet", b"PAR1"),
    ("pq", b"PAR1"),
    ("arrow", b"ARROW1"),
    ("feather", b"ARROW1"),
    ("csv", b"n\n8\n"),
    ("tsv", b"n\n8\n"),
    ("json", b"[\n{\"n\":8}"),
    ("jsonl", b"{\"n\":8}\n"),
    ("ndjson", b"{\"n\":8}\n"),
    ("md", b"| n |\n| ---: |"),
    ("markdown", b"| n |\n| ---: |"),
    ("txt", "┌───┐".as_bytes()),
];

fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(bytes).read_to_end(&mut text).unwrap();
    text
}

#[test]
fn the_ending_says_the_format_everywhere() {
    let folder = Folder::of(&[]);
    let mut script = String::new();
    for (ending, _) in FORMATS {
        succeeds(&folder.run(&["query", SCHED, "-c", COUNT, "-o", &format!("query.{ending}")]));
        let export = format!("export.{ending}");
        succeeds(&folder.run(&["export", SCHED, "--query", COUNT, "-o", &export]));
        script.push_str(&format!(".output shell.{ending}\n{COUNT};\n"));
    }
    succeeds(&shell(&folder, SCHED, &script));
    for command in ["query", "export", "shell"] {
        for (ending, begins) in FORMATS {
            let bytes = folder.read(&format!("{command}.{ending}"));
            let start = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
            assert!(bytes.starts_with(begins), "{command}.{ending}: {start}");
        }
    }
}

#[test]
fn endings_say_compression() {
    let folder = Folder::of(&[]);
    succeeds(&folder.run(&["query", SCHED, "-c", COUNT, "-o", "q.csv.gz"]));
    succeeds(&folder.run(&["export", SCHED, "--query", COUNT, "-o", "e.jsonl.gz"]));
    succeeds(&folder.run(&["export", SCHED, "--tables", "sched", "-o", "t.csv.gz"]));
    succeeds(
        &folder.run(&["export", SCHED, "--tables", "sched", "-o", "f/", "--format", "tsv.gz"]),
    );
    succeeds(&shell(&folder, SCHED, &format!(".output s.csv.gz\n{COUNT};\n{COUNT};\n")));
    assert_eq!(gunzip(&folder.read("q.csv.gz")), b"n\n8\n");
    assert_eq!(gunzip(&folder.read("e.jsonl.gz")), b"{\"n\":8}\n");
    assert_eq!(gunzip(&folder.read("t.csv.gz")).split(|&byte| byte == b'\n').count(), 10);
    assert!(gunzip(&folder.read("f/sched.tsv.gz")).starts_with(b"id\tts\tdur\t"));
    let mut twice = Vec::new();
    let file = folder.read("s.csv.gz");
    flate2::read::MultiGzDecoder::new(&file[..]).read_to_end(&mut twice).unwrap();
    assert_eq!(twice, b"n\n8\nn\n8\n");
    succeeds(&folder.run(&["query", SCHED, "-c", COUNT, "-o", "q.csv.zst"]));
    assert!(folder.read("q.csv.zst").starts_with(&[0x28, 0xb5, 0x2f, 0xfd]));
    // An array of objects is a trace as well, which tpq reads from zstd.
    let slice = "SELECT 'X' AS ph, 'work' AS name, 1 AS ts, 2 AS dur, 1 AS pid, 1 AS tid";
    succeeds(&folder.run(&["query", SCHED, "-c", slice, "-o", "trace.json.zst"]));
    let names = folder.run(&["query", "trace.json.zst", "-c", "SELECT name FROM slice"]);
    assert_eq!(names.stdout, b"name\nwork\n", "{}", describe(&names));
}

#[test]
fn a_named_format_wins_over_the_ending() {
    let folder = Folder::of(&[]);
    let json = ["--format", "json", "-o", "x.csv"];
    succeeds(&folder.run(&[&["query", SCHED, "-c", COUNT][..], &json].concat()));
    assert!(folder.read("x.csv").starts_with(b"[\n{"));
    succeeds(&folder.run(&[&["export", SCHED, "--query", COUNT][..], &json].concat()));
    assert!(folder.read("x.csv").starts_with(b"[\n{"));
    succeeds(&shell(&folder, SCHED, &format!(".output x.dat ndjson\n{COUNT};\n")));
    assert_eq!(folder.read("x.dat"), b"{\"n\":8}\n");
}

#[test]
fn an_unknown_ending_is_an_error_that_lists_the_known_ones() {
    let folder = Folder::of(&[]);
    let known = "the extension of z.dat names no format; known extensions are .parquet .pq .arrow \
                 .feather, and .csv .tsv .json .ndjson .jsonl .md .markdown .txt, which may be \
                 followed by .gz or .zst; or ";
    for arguments in [
        &["query", SCHED, "-c", COUNT, "-o", "z.dat"][..],
        &["export", SCHED, "--query", COUNT, "-o", "z.dat"],
    ] {
        let output = folder.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{}", describe(&output));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(error, format!("error: {known}pass --format\n"));
    }
    let output = shell(&folder, SCHED, &format!(".output z.dat\n{COUNT};\n"));
    assert_eq!(output.status.code(), Some(1), "{}", describe(&output));
    assert!(String::from_utf8_lossy(&output.stderr).contains(known), "{}", describe(&output));
    assert!(folder.names().is_empty());
}

/// A file of the prompt holds the results of statements that succeeded, all of them.
#[test]
fn a_file_of_the_prompt_holds_what_succeeded() {
    let folder = Folder::of(&[("out.csv", BEFORE)]);
    let script = ".output out.csv\nSELECT 1 AS n;\nSELECT json_extract('{', '$') FROM sched;\n\
                  SELECT nothing;\nSELECT 2 AS n;\n.output\n.mode csv\nSELECT 3 AS n;\n";
    let output = shell(&folder, SCHED, script);
    assert_eq!(String::from_utf8_lossy(&folder.read("out.csv")), "n\n1\nn\n2\n");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "n\n3\n");
    assert_eq!(folder.names(), ["out.csv"]);
}

/// Output of a failing statement is removed, also from a compressed file.
#[test]
fn rows_before_an_error_are_taken_back() {
    let fails_late = "SELECT id, json_extract(CASE WHEN id < 7 THEN '1' ELSE '{' END, '$') \
                      FROM sched ORDER BY id";
    for name in ["out.csv", "out.csv.gz"] {
        let folder = Folder::of(&[]);
        let script = format!(".output {name}\nSELECT 1 AS n;\n{fails_late};\nSELECT 2 AS n;\n");
        let output = shell(&folder, SCHED, &script);
        assert_eq!(output.status.code(), Some(1), "{}", describe(&output));
        let bytes = folder.read(name);
        let mut text = Vec::new();
        match name.ends_with("gz") {
            true => {
                flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut text).unwrap();
            }
            false => text = bytes,
        }
        assert_eq!(String::from_utf8_lossy(&text), "n\n1\nn\n2\n", "{name}");
    }
}

#[test]
fn a_file_of_one_result_takes_no_second() {
    let folder = Folder::of(&[]);
    let output = shell(&folder, SCHED, ".output x.parquet\nSELECT 1 AS n;\nSELECT 2 AS n;\n");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("parquet holds one result set"), "{error}");
    let bytes = folder.read("x.parquet");
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    // Without any result there would be no file of the format at all.
    let nothing = "CREATE PERFETTO TABLE t AS SELECT 1 AS n";
    let output = folder.run(&["query", SCHED, "-c", nothing, "-o", "y.parquet"]);
    assert_eq!(output.status.code(), Some(1), "{}", describe(&output));
    assert_eq!(folder.names(), ["x.parquet"]);
}
