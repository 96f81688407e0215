//! Lakes: `tpq ingest`, `tpq lake`, and queries of a lake.

mod damage;
mod ingest;
mod kills;
mod maintenance;
mod object_store;
mod queries;
mod readers;
mod same_rows;

use std::path::{Path, PathBuf};
use std::process::Output;

use tpq_testkit::{
    ClockSnapshot, Packet, SystemInfo, TraceBuilder, TrackDescriptor, TrackEvent, clock_id,
};

use crate::command::Folder;

/// 2026-03-30 at midnight, in ns since 1970.
const DAY: u64 = 1_774_828_800_000_000_000;
const NS_OF_DAY: u64 = 86_400_000_000_000;
const TRACK: u64 = 1;

/// A trace with a slice of each duration in ns, recorded on a day after 2026-03-30 by a device.
fn trace(day: u64, device: &str, durations: &[u64]) -> Vec<u8> {
    let start = 1_000_000;
    let clocks = ClockSnapshot::new()
        .clock(clock_id::BOOTTIME, start)
        .clock(clock_id::REALTIME, DAY + day * NS_OF_DAY);
    let fingerprint = format!("brand/{device}/x:1");
    let packet = |at: u64| Packet::new().timestamp(at).sequence(1);
    let thread = TrackDescriptor::new(TRACK).thread(10, 11, "worker");
    let mut trace = TraceBuilder::new()
        .packet(packet(start).first_on_sequence().clock_snapshot(clocks))
        .packet(packet(start).system_info(SystemInfo::android(&fingerprint)))
        .packet(packet(start).track_descriptor(thread));
    let mut at = start;
    for dur in durations {
        trace = trace
            .packet(packet(at).track_event(TrackEvent::begin(TRACK).name("work")))
            .packet(packet(at + dur).track_event(TrackEvent::end(TRACK)));
        at += dur + 10;
    }
    trace.build()
}

/// Three traces of two devices, on two days.
fn traces() -> Folder {
    Folder::of(&[
        ("a.pftrace", &trace(0, "raven", &[1, 2])),
        ("b.pftrace", &trace(1, "raven", &[30])),
        ("c.pftrace", &trace(1, "oriole", &[4, 5, 6])),
    ])
}

/// The same, in a lake.
fn lake() -> Folder {
    let folder = traces();
    let output = folder.run(&["ingest", "a.pftrace", "b.pftrace", "c.pftrace", "--lake", "lake"]);
    assert!(output.status.success(), "{}", crate::command::describe(&output));
    folder
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The CSV of a query on the lake of a folder.
fn query(folder: &Folder, sql: &str) -> String {
    let output = folder.run(&["query", "-q", "--lake", "lake", "-c", sql]);
    assert!(output.status.success(), "{sql}: {}", crate::command::describe(&output));
    out(&output)
}

/// The Parquet files in a folder and the folders in it.
fn parquet_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(parquet_files(&path)),
            false if path.extension().is_some_and(|it| it == "parquet") => files.push(path),
            false => {}
        }
    }
    files.retain(|path| !path.components().any(|part| part.as_os_str() == "_delta_log"));
    files
}
