//! Chrome JSON: the whole import beside what the JSON library alone takes for the same bytes.
//!
//! Run: `cargo bench --bench json`, or with the path of a JSON trace in `TPQ_BENCH_JSON` to take
//! that instead of a made one. The library is asked twice: for a tree of the whole text, and to
//! walk each event's fields without keeping anything, which is what no reader can do without. Each
//! figure is the best of three in one run; ratios are of the import's time to the other's.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench prints, and fails by panicking"
)]

use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use sonic_rs::{LazyValue, to_array_iter, to_object_iter};
use tpq::{ImportOptions, import};

/// Events of the trace that is made.
const EVENTS: u64 = 400_000;
const ROUNDS: usize = 3;

/// Slices, counters and flows of a few threads, as a profiler of GPU work writes them.
fn made() -> String {
    let mut text = String::from("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
    for n in 0..EVENTS {
        let (tid, ts) = (100 + n % 8, 1_000_000.0 + n as f64 * 3.217);
        let event = match n % 16 {
            0 => format!(
                r#"{{"ph":"C","pid":9,"tid":9,"ts":{ts:.3},"name":"mem","args":{{"used":{n}}}}}"#
            ),
            1 => format!(
                r#"{{"ph":"s","pid":9,"tid":{tid},"ts":{ts:.3},"id":{n},"cat":"ac2g","name":"ac2g"}}"#
            ),
            2 => format!(
                r#"{{"ph":"f","bp":"e","pid":9,"tid":{tid},"ts":{ts:.3},"id":{},"cat":"ac2g","name":"ac2g"}}"#,
                n - 1
            ),
            _ => format!(
                r#"{{"ph":"X","cat":"kernel","name":"void at::native::vectorized_elementwise_kernel<{}>","pid":9,"tid":{tid},"ts":{ts:.3},"dur":2.5,"args":{{"External id":{n},"stream":7,"grid":[{},1,1],"Input Dims":[[64,256],[]]}}}}"#,
                n % 40,
                n % 97,
            ),
        };
        let comma = if n == 0 { "" } else { ",\n" };
        write!(text, "{comma}{event}").unwrap();
    }
    text.push_str("\n]}\n");
    text
}

/// The best time of a few rounds.
fn best(mut work: impl FnMut()) -> Duration {
    let round = || {
        let begin = Instant::now();
        work();
        begin.elapsed()
    };
    std::iter::repeat_with(round).take(ROUNDS).min().unwrap()
}

/// Walks every field of every event; gives how many there are.
fn walk(text: &str) -> usize {
    let events = |value: LazyValue<'_>| -> usize {
        let fields = |event: LazyValue<'_>| event.into_object_iter().map_or(0, Iterator::count);
        value.into_array_iter().map_or(0, |events| events.flatten().map(fields).sum())
    };
    if text.trim_start().starts_with('[') {
        return to_array_iter(text)
            .flatten()
            .map(|event| event.into_object_iter().map_or(0, Iterator::count))
            .sum();
    }
    let all = to_object_iter(text).flatten();
    all.filter(|(key, _)| key == "traceEvents").map(|(_, value)| events(value)).sum()
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let path = match std::env::var_os("TPQ_BENCH_JSON") {
        Some(path) => PathBuf::from(path),
        None => {
            let path = folder.path().join("made.json");
            std::fs::write(&path, made()).unwrap();
            path
        }
    };
    let text = std::fs::read_to_string(&path).unwrap();
    let paths = [path];
    let mut events = 0;
    let whole = best(|| events = import(&paths, &ImportOptions::default()).unwrap().1.packets);
    let megabytes = text.len() as f64 / 1e6;
    println!("{megabytes:.1} MB, {events} events");
    let tree = best(|| drop(sonic_rs::from_str::<sonic_rs::Value>(&text).unwrap()));
    let mut fields = 0;
    let walked = best(|| fields = walk(&text));
    let cases = [("import", whole), ("library, a tree", tree), ("library, walking fields", walked)];
    for (name, time) in cases {
        println!(
            "{name:<24} {:>7.1} MB/s {:>6.2}x",
            megabytes / time.as_secs_f64(),
            whole.as_secs_f64() / time.as_secs_f64(),
        );
    }
    println!("{fields} fields");
}
