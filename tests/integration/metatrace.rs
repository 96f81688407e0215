//! Traces that `--metatrace` records, read with tpq.

use crate::command::{Folder, describe};
use crate::imported::Imported;

const SCHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/sched.pftrace");
const EVENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/track_events.pftrace");

fn rows(folder: &Folder, sql: &str) -> Vec<String> {
    let output = folder.run(&["query", "meta", "-c", sql, "--format", "csv", "--no-header"]);
    assert!(output.status.success(), "{}", describe(&output));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn the_stages_of_an_import_and_a_query_are_slices() {
    let folder = Folder::of(&[]);
    let sql = "SELECT count(*) FROM sched; SELECT name FROM slice";
    let output = folder.run(&["query", SCHED, EVENTS, "-c", sql, "--metatrace", "meta"]);
    assert!(output.status.success(), "{}", describe(&output));
    let lasting = rows(
        &folder,
        "SELECT name FROM slice WHERE depth = 0 AND dur >= 0 \
         AND name NOT IN ('read batch', 'sort', 'wait') ORDER BY ts",
    );
    let stages = ["reading", "prescanning", "importing", "finishing"];
    assert_eq!(lasting, [&stages[..], &["plan", "execute", "plan", "execute"]].concat());
    // Whether the thread that sorts reads a batch itself while it waits is a matter of chance.
    let within = "SELECT DISTINCT parent.name || ': ' || slice.name FROM slice \
         JOIN slice parent ON slice.parent_id = parent.id \
         WHERE slice.name != 'read batch' ORDER BY 1";
    let expected = ["importing: decode", "prescanning: arrange", "prescanning: prescan"];
    assert_eq!(rows(&folder, within), expected);
    let prescans = "SELECT int_value FROM slice JOIN args USING (arg_set_id) \
         WHERE slice.name = 'prescan' AND key = 'debug.trace_id' ORDER BY 1";
    assert_eq!(rows(&folder, prescans), ["0", "1"]);
    let beside = "SELECT DISTINCT thread.name || ': ' || slice.name FROM slice \
         JOIN thread_track ON thread_track.id = track_id JOIN thread USING (utid) \
         WHERE slice.name IN ('read batch', 'sort', 'wait') ORDER BY 1";
    let found = rows(&folder, beside);
    // Which of these threads reads which batch is a matter of chance.
    let may_read = ["reader 0: read batch", "reader 1: read batch", "sorter: read batch"];
    let (read, other): (Vec<String>, Vec<String>) =
        found.into_iter().partition(|it| may_read.contains(&it.as_str()));
    assert!(!read.is_empty());
    assert_eq!(other, ["sorter: sort", "sorter: wait"]);
    let lost = "SELECT name FROM stats WHERE value != 0 AND severity IN ('error', 'data_loss')";
    assert!(rows(&folder, lost).is_empty());
}

#[test]
fn it_is_written_when_something_fails() {
    let folder = Folder::of(&[]);
    let output = folder.run(&["query", SCHED, "-c", "SELECT nothing", "--metatrace", "meta"]);
    assert_eq!(output.status.code(), Some(1), "{}", describe(&output));
    let last = "SELECT name FROM slice ORDER BY ts DESC LIMIT 1";
    assert_eq!(rows(&folder, last), ["plan"]);
    let output = folder.run(&["info", "no.pftrace", "--metatrace", "meta"]);
    assert_eq!(output.status.code(), Some(1), "{}", describe(&output));
    assert_eq!(rows(&folder, last), ["reading"]);
}

#[test]
fn an_unwritable_file_is_reported_before_the_work() {
    let folder = Folder::of(&[]);
    let text = folder.tell(&["info", SCHED, "--metatrace", "no/meta"]);
    let expected = "exit code: 1\n----- stderr\nerror: cannot write the metatrace no/meta: ";
    assert!(text.starts_with(expected), "{text}");
    let output = folder.run(&["info", SCHED, "--metatrace", SCHED]);
    assert_eq!(output.status.code(), Some(2), "{}", describe(&output));
}

#[test]
fn every_command_that_opens_a_trace_records() {
    let folder = Folder::of(&[]);
    for command in [
        &["info", SCHED][..],
        &["clocks", SCHED],
        &["export", SCHED, "-o", "tables"],
        &["shell", SCHED],
        &["merge", "-o", "out.tar", SCHED],
    ] {
        let output = folder.run(&[command, &["--metatrace", "meta"]].concat());
        assert!(output.status.success(), "{command:?}: {}", describe(&output));
        let stages = "SELECT count(*) FROM slice WHERE name IN ('reading', 'importing')";
        assert_eq!(rows(&folder, stages), ["2"], "{command:?}");
        std::fs::remove_file(folder.path("meta")).unwrap();
    }
}

/// Nanoseconds of wall time.
fn wall_time() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_nanos()).unwrap()
}

/// A manifest makes wall time the timeline, so that what tpq says of its own spans can be compared
/// with what the system recorded around each of them.
#[test]
fn spans_land_where_wall_time_says() {
    /// Largest error of a span, ns: clocks are read together every 100 ms, one after the other,
    /// and on a busy machine some time passes between two of them; meanwhile wall time may also be
    /// made to go faster or slower.
    const NEAR: i64 = 20_000;
    let metatrace = tpq::MetaTrace::start();
    let around: Vec<(i64, i64)> = (0..30)
        .map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(7));
            let before = wall_time();
            let span = metatrace.span("tick");
            let after = wall_time();
            drop(span);
            (before, after)
        })
        .collect();
    let manifest = r#"{"perfetto_manifest": {"version": 1, "trace_time": {"clock": "REALTIME"}}}"#;
    let imported = Imported::files(&[("meta", &metatrace.to_bytes()), ("m", manifest.as_bytes())]);
    let rows = imported.rows("SELECT ts FROM slice WHERE name = 'tick' ORDER BY ts");
    let ticks: Vec<i64> =
        rows.to_string().lines().skip(1).map(|line| line.trim().parse().unwrap()).collect();
    assert_eq!(ticks.len(), around.len());
    for (ts, (before, after)) in ticks.into_iter().zip(around) {
        assert!((before - NEAR..=after + NEAR).contains(&ts), "{before} {ts} {after}");
    }
}
