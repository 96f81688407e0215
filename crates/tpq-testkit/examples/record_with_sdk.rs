//! Records a small trace with Perfetto itself and writes it to a file:
//! `cargo run -p tpq-testkit --features producer --example record_with_sdk -- out.pftrace`.

use std::error::Error;
use std::{env, fs, thread};

use tpq_testkit::producer::{Flow, record};

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args_os().nth(1).ok_or("usage: record_with_sdk <FILE>")?;
    let trace = record(|program| {
        program.slice("frame", || {
            program.counter("queue length", 2);
            program.slice_with_flow("send", Flow::Through(1), || program.instant("sent"));
            program.counter("queue length", -1);
        });
        thread::scope(|threads| {
            threads.spawn(|| program.slice_with_flow("receive", Flow::Ends(1), || {}));
        });
    })?;
    fs::write(path, trace)?;
    Ok(())
}
