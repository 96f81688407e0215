//! Archives of very many files.

use tpq::ImportOptions;
use tpq_testkit::Archive;
use tpq_testkit::clock_id::{BOOTTIME, REALTIME};

use crate::imported::{Imported, clocks, instant, recording};

const FILES: i64 = 3_000;

/// Every third file knows boot time alone, every third wall time as well, and every third no clock.
fn many() -> Archive {
    (0..FILES).fold(Archive::new(), |archive, number| {
        let at = 1_000 + 10 * number;
        let name = format!("{number:05}");
        match number % 3 {
            0 => archive.file(&name, of_packets(at, &[(BOOTTIME, at), (REALTIME, at + 900)])),
            1 => archive.file(&name, of_packets(at, &[(BOOTTIME, at)])),
            _ => {
                let ts = format!("{}.{:03}", at / 1000, at % 1000);
                let event = format!(r#"{{"ph":"i","ts":{ts},"pid":1,"tid":1,"name":"json"}}"#);
                archive.file(&name, format!("[{event}]"))
            }
        }
    })
}

fn of_packets(at: i64, read: &[(u32, i64)]) -> Vec<u8> {
    let read: Vec<(u32, u64)> = read.iter().map(|&(clock, ns)| (clock, ns as u64)).collect();
    recording().packet(clocks(&read)).packet(instant(at as u64, "proto")).build()
}

/// The work for a file must not depend on the number of other files: work for each pair would take
/// minutes here.
#[test]
fn every_event_of_every_file_is_there_once() {
    for threads in [None, Some(1)] {
        let options = ImportOptions { threads, ..ImportOptions::default() };
        let imported = Imported::with(&[("traces.tar", &many().tar())], options);
        assert_eq!(imported.cell("SELECT count(*) FROM trace_file"), (FILES + 1).to_string());
        let all = "SELECT count(*), count(DISTINCT ts), min(ts), max(ts) FROM slice";
        let last = 1_000 + 10 * (FILES - 1);
        assert_eq!(
            imported.cells(all),
            [[FILES.to_string(), FILES.to_string(), "1000".to_owned(), last.to_string()]]
        );
        assert_eq!(imported.summary().placements.len() as i64, FILES);
    }
}

/// State of each file takes memory that no temporary file can replace.
#[test]
fn more_files_than_memory_has_room_for_are_refused() {
    let archive = (0..9_000).fold(Archive::new(), |archive, number| {
        archive.file(&number.to_string(), r#"[{"ph":"i","ts":1,"pid":1,"tid":1,"name":"n"}]"#)
    });
    let options = |limit| ImportOptions { memory_limit: Some(limit), ..ImportOptions::default() };
    let files: &[(&str, &[u8])] = &[("traces.tar", &archive.tar())];
    let error = Imported::refused(files, options(64 << 20));
    let expected = "9000 traces need about 140 MiB of memory whatever is in them; give a larger \
                    --memory-limit, or fewer traces at a time";
    assert_eq!(error, expected);
    let imported = Imported::with(files, options(256 << 20));
    assert_eq!(imported.cell("SELECT count(*) FROM slice"), "9000");
}
