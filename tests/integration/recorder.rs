//! Traces of another recorder are read as the program recorded them: the crate
//! `perfetto-recorder` records spans with arguments and counters on each thread, and writes the
//! trace afterwards, thread by thread.
//!
//! Its times are those of the system's clock, and ids those of the run. So a test notes what it
//! does as it does it, and every span, argument and counter value is accounted for by that.

use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use perfetto_recorder::{
    CounterUnit, ThreadTraceData, TraceBuilder, scope, start, start_span, time,
};

use crate::imported::Imported;

/// Every slice with where it lies: thread, name, depth, name of its parent.
const SLICES: &str = "SELECT thread.name, s.name, s.depth, p.name, s.ts, s.dur FROM slice s \
    LEFT JOIN slice p ON s.parent_id = p.id JOIN thread_track t ON s.track_id = t.id \
    JOIN thread USING (utid) ORDER BY thread.name, s.ts, s.depth, s.id";

/// Args of slices, by the number that each was given as its arg `id`.
const ARGS: &str = "SELECT id.int_value, a.key, a.value_type, a.display_value \
    FROM slice s JOIN args id ON s.arg_set_id = id.arg_set_id AND id.key = 'debug.id' \
    JOIN args a ON s.arg_set_id = a.arg_set_id \
    WHERE a.key LIKE 'debug.%' AND a.key != 'debug.id' \
    AND a.value_type != 'real' ORDER BY 1, a.id";

/// A span as its thread noted it: name, depth, the span around it, and two times around it.
struct Noted {
    name: &'static str,
    depth: usize,
    parent: Option<&'static str>,
    from: i64,
    until: i64,
    /// No less than this passed within it, in nanoseconds.
    least: i64,
}

fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as i64
}

/// The data of threads, written as a trace and imported.
fn imported(threads: &[ThreadTraceData]) -> Imported {
    let mut trace = TraceBuilder::new().unwrap();
    for thread in threads {
        trace.process_thread_data(thread);
    }
    Imported::file(trace.encode_to_vec())
}

fn assert_nothing_lost(trace: &Imported) {
    let lost = "SELECT name, value FROM stats WHERE value != 0 \
        AND severity IN ('error', 'data_loss')";
    assert_eq!(trace.cells(lost), Vec::<Vec<String>>::new());
    let logs = "SELECT count(*) FROM trace_import_logs";
    assert_eq!(trace.cell(logs), "0");
}

/// Spans within spans, two in sequence in each, down to the deepest; notes those it made in
/// the order they began, and gives the time that passed within, in nanoseconds.
fn nest(depth: usize, parent: Option<&'static str>, noted: &mut Vec<Noted>) -> i64 {
    const NAMES: [&str; 4] = ["frame", "layout", "measure", "draw"];
    let Some(&name) = NAMES.get(depth) else { return 0 };
    let outside = now();
    for _ in 0..2 {
        let place = noted.len();
        let from = now();
        noted.push(Noted { name, depth, parent, from, until: 0, least: 0 });
        let span = match depth {
            0 => start_span!("frame"),
            1 => start_span!("layout"),
            2 => start_span!("measure"),
            _ => start_span!("draw"),
        };
        let least = nest(depth + 1, Some(name), noted);
        drop(span);
        noted[place].until = now();
        noted[place].least = least;
    }
    now() - outside
}

#[test]
fn every_span_of_every_thread_lies_where_it_was() {
    start().unwrap();
    let record = |number: usize| {
        let work = move || {
            let mut noted = Vec::new();
            // Threads record different numbers of spans.
            for _ in 0..=number {
                nest(0, None, &mut noted);
            }
            (ThreadTraceData::take_current_thread(), noted)
        };
        thread::Builder::new().name(format!("worker {number}")).spawn(work).unwrap()
    };
    let threads: Vec<_> = (0..4).map(record).collect();
    let (data, noted): (Vec<_>, Vec<_>) =
        threads.into_iter().map(|thread| thread.join().unwrap()).unzip();
    let trace = imported(&data);

    let mut cells = trace.cells(SLICES).into_iter();
    for (number, noted) in noted.iter().enumerate() {
        assert_eq!(noted.len(), (number + 1) * (2 + 4 + 8 + 16));
        for noted in noted {
            let cells = cells.next().unwrap();
            let expected = [
                format!("worker {number}"),
                noted.name.to_owned(),
                noted.depth.to_string(),
                noted.parent.unwrap_or("NULL").to_owned(),
            ];
            assert_eq!(cells[..4], expected);
            let [ts, dur] = [&cells[4], &cells[5]].map(|cell| cell.parse::<i64>().unwrap());
            assert!(noted.from <= ts && ts + dur <= noted.until, "{cells:?}");
            assert!(dur >= noted.least, "{cells:?} is shorter than what lies within it");
        }
    }
    assert_eq!(cells.next(), None);
    let threads = "SELECT count(*), count(DISTINCT tid), count(DISTINCT upid), min(pid) \
        FROM thread JOIN process USING (upid) WHERE thread.name LIKE 'worker %'";
    let pid = std::process::id().to_string();
    assert_eq!(trace.cells(threads), [["4", "4", "1", pid.as_str()]]);
    assert_nothing_lost(&trace);
}

#[test]
fn arguments_of_every_type_keep_type_and_value() {
    start().unwrap();
    let text = "sixteen bytes ok";
    // The recorder keeps texts in parts of 15 bytes; this one has a character across two.
    let parts = "fourteen bytesä and more than two of such parts";
    let shorthand = -5_i8;
    {
        scope!("bools", id = 1, yes = true, no = false);
        scope!(
            "unsigned",
            id = 2,
            a = u8::MAX,
            b = u16::MAX,
            c = u32::MAX,
            d = u64::MAX,
            e = 7_usize
        );
        scope!(
            "signed",
            id = 3,
            a = i8::MIN,
            b = i16::MIN,
            c = i32::MIN,
            d = i64::MIN,
            e = -7_isize
        );
        scope!("floats", id = 4, half = 0.5, third = 1.0 / 3.0, inf = f64::INFINITY);
        scope!("texts", id = 5, empty = "", short = "a", whole = text, parts = parts);
        scope!("owned", id = 6, owned = format!("{text}\n\"quoted\" \u{1F980}"));
        scope!("shorthand", id = 7, shorthand);
    }
    scope!("none");
    let trace = {
        scope!("open until the end", id = 8, left = "open");
        imported(&[ThreadTraceData::take_current_thread()])
    };
    let expected: &[[&str; 4]] = &[
        ["1", "debug.yes", "bool", "true"],
        ["1", "debug.no", "bool", "false"],
        ["2", "debug.a", "uint", "255"],
        ["2", "debug.b", "uint", "65535"],
        ["2", "debug.c", "uint", "4294967295"],
        ["2", "debug.d", "uint", "18446744073709551615"],
        ["2", "debug.e", "uint", "7"],
        ["3", "debug.a", "int", "-128"],
        ["3", "debug.b", "int", "-32768"],
        ["3", "debug.c", "int", "-2147483648"],
        ["3", "debug.d", "int", "-9223372036854775808"],
        ["3", "debug.e", "int", "-7"],
        ["5", "debug.empty", "string", ""],
        ["5", "debug.short", "string", "a"],
        ["5", "debug.whole", "string", text],
        ["5", "debug.parts", "string", parts],
        ["6", "debug.owned", "string", "sixteen bytes ok\n\"quoted\" \u{1F980}"],
        ["7", "debug.shorthand", "int", "-5"],
        ["8", "debug.left", "string", "open"],
    ];
    assert_eq!(trace.cells(ARGS), expected);
    let reals = "SELECT a.key, a.value_type, a.real_value FROM slice s \
        JOIN args a USING (arg_set_id) WHERE s.name = 'floats' AND a.key LIKE 'debug.%' \
        AND a.key != 'debug.id' ORDER BY a.id";
    let cells = trace.cells(reals);
    let read = |cells: &Vec<String>| (cells[0].clone(), cells[1].clone(), cells[2].parse());
    let expected_reals = [("half", 0.5), ("third", 1.0 / 3.0), ("inf", f64::INFINITY)]
        .map(|(key, value)| (format!("debug.{key}"), "real".to_owned(), Ok(value)));
    assert_eq!(cells.iter().map(read).collect::<Vec<_>>(), expected_reals);
    let debug = "SELECT count(*) FROM args WHERE key LIKE 'debug.%'";
    assert_eq!(trace.cell(debug), (expected.len() + 3 + 8).to_string(), "and 8 called `id`");
    let unfinished = "SELECT dur, count(*) FROM slice WHERE name IN ('none', 'open until the end') \
        GROUP BY dur";
    assert_eq!(trace.cells(unfinished), [["-1", "2"]]);
    assert_nothing_lost(&trace);
}

/// This version of the recorder writes what it says of a counter under numbers of other fields:
/// whether values are differences under that of the multiplier, for one. So values that are whole
/// are right only where they are declared to be differences, and the unit is not compared.
#[test]
fn counters_keep_every_value() {
    start().unwrap();
    let mut trace = TraceBuilder::new().unwrap();
    let mut counter = |name: &str, multiplier_is_one: bool| {
        trace.create_counter_track(name, CounterUnit::Unspecified, 1, multiplier_is_one)
    };
    let (mut load, mut queue, mut other) =
        (counter("load", false), counter("queue", true), counter("other", false));
    let from = now();
    for step in 0..1000 {
        load.record_f64(time(), f64::from(step) / 8.0);
        queue.record_i64(time(), i64::from(step) - 500);
    }
    let own = ThreadTraceData::take_current_thread();
    // Any thread may give a counter's value.
    let of_other = thread::spawn(move || {
        other.record_f64(time(), -0.25);
        ThreadTraceData::take_current_thread()
    });
    trace.process_thread_data(&of_other.join().unwrap()).process_thread_data(&own);
    let until = now();
    let trace = Imported::file(trace.encode_to_vec());

    let values = |name: &str| -> Vec<f64> {
        let sql = format!(
            "SELECT c.value FROM counter c JOIN counter_track t ON c.track_id = t.id \
             WHERE t.name = '{name}' ORDER BY c.ts, c.id"
        );
        trace.cells(&sql).iter().map(|cells| cells[0].parse().unwrap()).collect()
    };
    let steps = |value: fn(i32) -> f64| (0..1000).map(value).collect::<Vec<_>>();
    assert_eq!(values("load"), steps(|step| f64::from(step) / 8.0));
    assert_eq!(values("queue"), steps(|step| f64::from(step - 500)));
    assert_eq!(values("other"), [-0.25]);
    assert_eq!(trace.cell("SELECT count(*) FROM counter"), "2001");
    let outside = format!("SELECT count(*) FROM counter WHERE ts NOT BETWEEN {from} AND {until}");
    assert_eq!(trace.cell(&outside), "0");
    assert_nothing_lost(&trace);
}

/// Many more spans than one packet, chunk or batch holds, and all of them with arguments.
#[test]
fn a_hundred_thousand_spans_are_whole() {
    const SPANS: u64 = 100_000;
    start().unwrap();
    for number in 0..SPANS {
        scope!("step", number = number, square = number * number);
    }
    let trace = imported(&[ThreadTraceData::take_current_thread()]);
    let slices = "SELECT count(*), count(DISTINCT track_id), max(depth), min(dur) >= 0, \
        count(DISTINCT arg_set_id) FROM slice WHERE name = 'step'";
    assert_eq!(trace.cells(slices), [["100000", "1", "0", "1", "100000"]]);
    let args = "SELECT count(*), sum(s.int_value - n.int_value * n.int_value), \
        sum(n.int_value) FROM args n JOIN args s USING (arg_set_id) \
        WHERE n.key = 'debug.number' AND s.key = 'debug.square'";
    assert_eq!(trace.cells(args), [["100000", "0", "4999950000"]]);
    let order = "SELECT count(*) FROM slice s JOIN args a USING (arg_set_id) \
        WHERE a.key = 'debug.number' AND a.int_value != s.id";
    assert_eq!(trace.cell(order), "0", "spans are in the order they were in");
    assert_nothing_lost(&trace);
}

/// Traces are protobuf: one after the other they are a trace, of several writers.
#[test]
fn traces_one_after_the_other_are_one() {
    start().unwrap();
    let mut bytes = Vec::new();
    for _ in 0..3 {
        {
            scope!("part", id = 1);
        }
        let mut trace = TraceBuilder::new().unwrap();
        trace.process_thread_data(&ThreadTraceData::take_current_thread());
        bytes.extend(trace.encode_to_vec());
    }
    let trace = Imported::file(bytes);
    let slices = "SELECT s.name, s.depth, count(*), count(DISTINCT tid), min(s.dur) >= 0 \
        FROM slice s JOIN thread_track t ON s.track_id = t.id JOIN thread USING (utid) \
        GROUP BY s.name, s.depth";
    assert_eq!(trace.cells(slices), [["part", "0", "3", "1", "1"]]);
    assert_nothing_lost(&trace);
}
