//! How long `tpq query -c 'SELECT 1'` takes on a tiny trace, as a whole process, with the prelude
//! and all modules at hand; beside a Python that does nothing, started in turns with it.
//!
//! ```text
//! cargo bench --bench startup
//! ```

#![expect(clippy::print_stdout, reason = "a bench prints")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How often each is started; the median counts.
const TURNS: usize = 21;

fn main() {
    let trace = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/sched.pftrace");
    let query = |sql: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tpq"));
        command.arg("query").arg(&trace).args(["-q", "-c", sql]);
        command
    };
    let mut python = Command::new("python3");
    python.args(["-c", "pass"]);
    let module = "INCLUDE PERFETTO MODULE slices.with_context; SELECT count(*) FROM thread_slice";
    let mut commands = [
        ("python3 -c pass", python),
        ("SELECT 1", query("SELECT 1")),
        ("a view of a module", query(module)),
    ];
    let mut times = vec![Vec::new(); commands.len()];
    for _ in 0..TURNS {
        for ((name, command), times) in commands.iter_mut().zip(&mut times) {
            times.push(timed(name, command));
        }
    }
    println!("{:<20} {:>10} {:>7}", "", "ms", "ratio");
    let medians: Vec<f64> = times.into_iter().map(median).collect();
    for ((name, _), median) in commands.iter().zip(&medians) {
        println!("{name:<20} {median:>10.1} {:>7.2}", median / medians[0]);
    }
}

fn timed(name: &str, command: &mut Command) -> Duration {
    let started = Instant::now();
    let status = command.stdout(Stdio::null()).status();
    assert!(status.is_ok_and(|status| status.success()), "{name} failed");
    started.elapsed()
}

/// In milliseconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e3
}
