//! Damaged JSON: thousands of texts, each with some of its bytes changed, cut out, doubled or put
//! elsewhere. An import may refuse them or count what is wrong; it must not panic or hang.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use tpq::{ImportOptions, Trace};
use tpq_testkit::mutate::mutate;
use tpq_testkit::random::Random;

use crate::same_tables::assert_same;

const MUTATIONS: u64 = 10_000;
/// Those that are imported without args as well.
const WITHOUT_ARGS: u64 = 300;
const WORKERS: u64 = 2;

/// Texts that use every part of the format.
const SEEDS: &[&str] = &[
    r#"[{"ph":"B","pid":1,"tid":2,"ts":1.5,"name":"a\"\u00e9","cat":"c","args":{"a":[1,{"b":null}]}},
{"ph":"E","pid":1,"tid":2,"ts":"3","tts":4},{"ph":"X","pid":"p","tid":"t","ts":2e3,"dur":7,"tdur":1,
"bind_id":"0x1","flow_out":true},{"ph":"C","pid":1,"ts":5,"name":"n","id":"i","args":{"x":1,"y":"2"}},
{"ph":"M","pid":1,"name":"process_name","args":{"name":"app"}},{"ph":"T","pid":1,"tid":2,"ts":6,
"dur":2,"name":"Running","args":{"cpu":1,"io_wait":true,"blocked_function":"f"}}]"#,
    r#"{"displayTimeUnit":"ms","traceEvents":[{"ph":"b","pid":1,"id":1,"ts":1,"name":"l"},
{"ph":"n","pid":1,"id2":{"local":"0x2"},"ts":2,"name":"l"},{"ph":"e","pid":1,"id":1,"ts":3},
{"ph":"s","pid":1,"tid":1,"ts":4,"id":"0xff","name":"f","cat":"c"},{"ph":"t","id":255,"ts":5},
{"ph":"f","bp":"e","id":"255","ts":6},{"ph":"i","s":"g","ts":7},{"ph":"I","s":"p","pid":1,"ts":8},
{"ph":"O","ts":9,"id":"x"},{"ph":"M","name":"thread_sort_index","args":{"sort_index":-1.5}}],
"metadata":{"a":{"b":[true,false]}}}"#,
    r##"{"systemTraceEvents":"# tracer: nop\n app-10 (10) [000] d..3 1.000000: sched_switch: prev_comm=app prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n app-10 (10) [001] ...1 1.000600: tracing_mark_write: C|10|c|5\n","traceEvents":[]}"##,
    r#"{"samples":[{"cpu":0,"tid":"3","ts":4,"sf":2,"weight":1},{"tid":9,"ts":"5","stack":["m"]}],
"traceEvents":[{"ph":"P","pid":1,"tid":2,"ts":1,"sf":"2"},{"ph":"P","ts":2,"stack":["a","b\u0041"]},
{"ph":"B","ts":1,"name":"s","sf":1},{"ph":"E","ts":4,"esf":2},{"ph":"X","ts":5,"dur":1,"estack":["x"]}],
"stackFrames":{"1":{"name":"main","category":"app"},"2":{"name":"f","parent":"1","sourceLine":3},
"3":{"parent":4},"4":{"parent":3}}}"#,
];

/// Imports every `WORKERS`th mutation; gives the numbers of those that panicked.
fn work(worker: u64, folder: &Path) -> Vec<u64> {
    let seeds: Vec<&[u8]> = SEEDS.iter().map(|seed| seed.as_bytes()).collect();
    let path = folder.join(format!("mutation-{worker}.json"));
    let options = ImportOptions { threads: Some(1), ..ImportOptions::default() };
    let panics = |&number: &u64| {
        std::fs::write(&path, mutate(&mut Random::new(number), &seeds)).unwrap();
        let import = || tpq::import(std::slice::from_ref(&path), &options).map(drop);
        catch_unwind(AssertUnwindSafe(import)).is_err()
    };
    (worker..MUTATIONS).step_by(WORKERS as usize).filter(panics).collect()
}

#[test]
fn damaged_json_breaks_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let panicked: Vec<u64> = std::thread::scope(|scope| {
        let folder = folder.path();
        let workers: Vec<_> =
            (0..WORKERS).map(|worker| scope.spawn(move || work(worker, folder))).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert_eq!(panicked, [0; 0], "numbers of mutations that broke the import");
}

/// What is damaged is counted whether or not args are written.
#[test]
fn damaged_json_has_the_same_tables_without_args() {
    let seeds: Vec<&[u8]> = SEEDS.iter().map(|seed| seed.as_bytes()).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mutation.json");
    let mut left_out = 0;
    for number in 0..WITHOUT_ARGS {
        let bytes = mutate(&mut Random::new(number), &seeds);
        std::fs::write(&path, &bytes).unwrap();
        let options = ImportOptions { threads: Some(1), ..ImportOptions::default() };
        let usual = tpq::import(std::slice::from_ref(&path), &options);
        let options =
            ImportOptions { statements: Some(Arc::from("SELECT name FROM stats")), ..options };
        let lean = Trace::read(&path, bytes.as_slice(), &options);
        let (Ok((usual, _)), Ok(lean)) = (&usual, &lean) else {
            assert_eq!(usual.is_ok(), lean.is_ok(), "mutation {number}");
            continue;
        };
        left_out += u64::from(!lean.tables().groups_left_out().is_empty());
        assert_same(usual, lean.tables(), &format!("mutation {number}"));
    }
    assert!(left_out > WITHOUT_ARGS / 4, "only {left_out} of {WITHOUT_ARGS} leave out args");
}
