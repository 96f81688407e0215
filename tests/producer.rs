//! Traces recorded by Perfetto itself hold what the recorded program did.
//!
//! Needs `--features producer`, which compiles the recorder. Times and ids are those of the run,
//! so only what the program said is compared.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod rows;

use std::io::Write;
use std::thread;

use tempfile::NamedTempFile;
use tpq::{ImportOptions, Trace};
use tpq_testkit::producer::{Flow, Program, record};

/// Records a program and imports what was recorded.
async fn recorded(program: impl FnOnce(&Program)) -> Trace {
    let mut file = NamedTempFile::with_suffix(".pftrace").unwrap();
    file.write_all(&record(program).unwrap()).unwrap();
    Trace::open(&[file.path()], ImportOptions::default()).await.unwrap()
}

/// Checks the rows of a query; cells are text, and NULL is empty.
#[track_caller]
fn assert_rows(rows: &rows::Rows, expected: &[&[&str]]) {
    let cells: Vec<Vec<&str>> = rows
        .cells
        .iter()
        .map(|row| row.iter().map(|cell| cell.as_deref().unwrap_or_default()).collect())
        .collect();
    assert_eq!(cells, expected);
}

/// Checks that neither the recorder nor the import counted a loss or an error. What a full buffer
/// turned away is not counted as `data_loss`, so it is looked for by name.
async fn assert_nothing_lost(trace: &Trace) {
    let sql = "SELECT name, idx, value FROM stats WHERE severity = 'data_loss' AND value != 0";
    assert_rows(&rows::query(trace, sql).await.unwrap(), &[]);
    let sql = "SELECT name, idx, value FROM stats WHERE value != 0
               AND (severity = 'error' OR name = 'traced_buf_chunks_discarded')";
    assert_rows(&rows::query(trace, sql).await.unwrap(), &[]);
}

#[tokio::test]
async fn slices_nest_as_the_program_did() {
    let trace = recorded(|program| {
        program.slice("frame", || {
            program.slice("layout", || program.slice("measure", || {}));
            program.slice("paint", || program.instant("painted"));
        });
        program.slice("idle", || {});
    })
    .await;
    let sql = "SELECT s.name, s.category, s.depth, p.name, s.dur >= 0
               FROM slice s LEFT JOIN slice p ON s.parent_id = p.id ORDER BY s.id";
    assert_rows(
        &rows::query(&trace, sql).await.unwrap(),
        &[
            &["frame", "testkit", "0", "", "true"],
            &["layout", "testkit", "1", "frame", "true"],
            &["measure", "testkit", "2", "layout", "true"],
            &["paint", "testkit", "1", "frame", "true"],
            &["painted", "testkit", "2", "paint", "true"],
            &["idle", "testkit", "0", "", "true"],
        ],
    );
    let sql = "SELECT name FROM slice WHERE dur = 0 AND name = 'painted'";
    assert_rows(&rows::query(&trace, sql).await.unwrap(), &[&["painted"]]);
    let sql = "SELECT c.name FROM slice c JOIN slice p ON c.parent_id = p.id
               WHERE c.ts < p.ts OR c.ts + c.dur > p.ts + p.dur";
    assert_rows(&rows::query(&trace, sql).await.unwrap(), &[]);
    assert_nothing_lost(&trace).await;
}

#[tokio::test]
async fn threads_have_tracks_of_their_own() {
    let trace = recorded(|program| {
        program.slice("outside", || {
            thread::scope(|threads| {
                threads.spawn(|| program.slice("inside", || {}));
            });
        });
    })
    .await;
    let sql = "SELECT s.name, s.depth FROM slice s JOIN thread_track t ON s.track_id = t.id
               JOIN thread USING (utid) JOIN process USING (upid)
               WHERE pid = {pid} ORDER BY s.ts";
    let sql = sql.replace("{pid}", &std::process::id().to_string());
    let expected: &[&[&str]] = &[&["outside", "0"], &["inside", "0"]];
    assert_rows(&rows::query(&trace, &sql).await.unwrap(), expected);
    let sql = "SELECT count(DISTINCT track_id) FROM slice";
    assert_rows(&rows::query(&trace, sql).await.unwrap(), &[&["2"]]);
    assert_nothing_lost(&trace).await;
}

#[tokio::test]
async fn counters_keep_every_value() {
    let trace = recorded(|program| {
        for value in [3, 0, -7, 1 << 40] {
            program.counter("queue length", value);
        }
        program.counter("open files", 12);
    })
    .await;
    let sql = "SELECT t.name, CAST(c.value AS BIGINT)
               FROM counter c JOIN counter_track t ON c.track_id = t.id ORDER BY c.ts, c.id";
    assert_rows(
        &rows::query(&trace, sql).await.unwrap(),
        &[
            &["queue length", "3"],
            &["queue length", "0"],
            &["queue length", "-7"],
            &["queue length", "1099511627776"],
            &["open files", "12"],
        ],
    );
    assert_nothing_lost(&trace).await;
}

#[tokio::test]
async fn flows_connect_slices() {
    let trace = recorded(|program| {
        program.slice_with_flow("send", Flow::Through(1), || {});
        thread::scope(|threads| {
            threads.spawn(|| program.slice_with_flow("forward", Flow::Through(1), || {}));
        });
        program.slice_with_flow("receive", Flow::Ends(1), || {});
        program.slice("unrelated", || {});
    })
    .await;
    let sql = "SELECT o.name, i.name FROM flow f JOIN slice o ON f.slice_out = o.id
               JOIN slice i ON f.slice_in = i.id ORDER BY o.ts";
    assert_rows(
        &rows::query(&trace, sql).await.unwrap(),
        &[&["send", "forward"], &["forward", "receive"]],
    );
    assert_nothing_lost(&trace).await;
}

/// More events than one chunk of the recorder's buffer holds, and a packet that needs several.
#[tokio::test]
async fn recordings_of_many_chunks_are_whole() {
    const SLICES: usize = 2000;
    let long = "long ".repeat(2000);
    let trace = recorded(|program| {
        program.slice(&long, || {
            for _ in 0..SLICES {
                program.slice("step", || {});
            }
        });
    })
    .await;
    let sql = "SELECT name, count(*), min(depth), max(depth), min(dur) >= 0
               FROM slice GROUP BY name ORDER BY count(*)";
    assert_rows(
        &rows::query(&trace, sql).await.unwrap(),
        &[
            &[long.as_str(), "1", "0", "0", "true"],
            &["step", &SLICES.to_string(), "1", "1", "true"],
        ],
    );
    assert_nothing_lost(&trace).await;
}

/// The program says 10 MB and the recorder's buffer holds 4 MB. What is missing was turned away by
/// the full buffer, or dropped on the way to it when the service was slower than the program.
#[tokio::test]
async fn what_a_full_buffer_dropped_is_counted() {
    let trace = recorded(|program| {
        let long = "long ".repeat(1000);
        for number in 0..2000 {
            program.instant(&format!("{number} {long}"));
        }
    })
    .await;
    let sql = "SELECT sum(value) > 0 FROM stats WHERE name IN
               ('traced_buf_chunks_discarded', 'traced_buf_trace_writer_packet_loss')";
    assert_rows(&rows::query(&trace, sql).await.unwrap(), &[&["true"]]);
    let sql = "SELECT count(*) BETWEEN 1 AND 1999 FROM slice";
    assert_rows(&rows::query(&trace, sql).await.unwrap(), &[&["true"]]);
}

/// Names and tracks are described anew: a second recording does not refer to the first.
#[tokio::test]
async fn recordings_stand_alone() {
    for value in ["7", "8"] {
        let trace = recorded(|program| {
            program.slice("same", || program.counter("same", value.parse().unwrap()));
        })
        .await;
        let sql = "SELECT s.name, t.name, CAST(c.value AS BIGINT)
                   FROM slice s, counter c JOIN counter_track t ON c.track_id = t.id";
        assert_rows(&rows::query(&trace, sql).await.unwrap(), &[&["same", "same", value]]);
        assert_nothing_lost(&trace).await;
    }
}
