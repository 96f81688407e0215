//! Ctrl-C and other signals: what they stop, how soon, and what they leave behind. Also what else
//! only a terminal shows.

mod import;
#[cfg(target_os = "linux")]
mod screen;
#[cfg(target_os = "linux")]
mod shell;
#[cfg(target_os = "linux")]
mod spill;
#[cfg(target_os = "linux")]
mod terminal;
#[cfg(target_os = "linux")]
mod whole_process;

/// Rows enough that they would take years, however they are counted.
#[cfg(target_os = "linux")]
const ENDLESS_JOIN: &str = "FROM slice a, slice b, slice c, slice d";

/// A trace of 20,000 slices, written once for all tests of this process.
#[cfg(target_os = "linux")]
fn trace() -> &'static str {
    use std::fmt::Write;
    use std::sync::Once;

    const PATH: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/interrupts.json");
    static WRITTEN: Once = Once::new();
    WRITTEN.call_once(|| {
        let mut json = String::from("[");
        for slice in 0..20_000 {
            let comma = if slice > 0 { "," } else { "" };
            let (ts, dur) = (slice * 10, slice % 7 + 1);
            write!(
                json,
                r#"{comma}{{"name":"work","ph":"X","ts":{ts},"dur":{dur},"pid":1,"tid":1}}"#
            )
            .unwrap();
        }
        json.push(']');
        // Another process that runs these tests finds all of it, at any time.
        let file = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        std::fs::write(file.path(), json).unwrap();
        file.persist(PATH).unwrap();
    });
    PATH
}
