//! Whole inputs, to be damaged: every format that tpq reads and some that it refuses.

use std::path::Path;

use serde_json::json;
use tpq_testkit::{Archive, TraceBuilder, gzip, testdata, zstd};

/// An input, and what it is packed into once it is damaged, so that damage gets past checksums.
pub struct Base {
    pub name: String,
    pub bytes: Vec<u8>,
    pub packing: Packing,
}

/// The container of a damaged input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// Nothing.
    Plain,
    /// Nothing, but headers of TAR members get checksums that hold.
    TarHeaders,
    Gzip,
    Zstd,
    Tar,
    Zip,
    /// A packet of packets.
    CompressedPacket,
}

impl Packing {
    pub fn pack(self, bytes: Vec<u8>) -> Vec<u8> {
        let archive = || {
            let other = file("relay.pftrace");
            Archive::new().file("damaged.pftrace", bytes.clone()).file("other.pftrace", other)
        };
        match self {
            Self::Plain => bytes,
            Self::TarHeaders => with_checksums(bytes),
            Self::Gzip => gzip(&bytes),
            Self::Zstd => zstd(&bytes),
            Self::Tar => archive().tar(),
            Self::Zip => archive().zip(),
            Self::CompressedPacket => {
                let packets = TraceBuilder::new().raw(&bytes).into_compressed_packet();
                TraceBuilder::new().packet(packets).build()
            }
        }
    }
}

/// Bases that are written here.
pub fn own() -> Vec<Base> {
    let plain =
        testdata::files().into_iter().map(|(name, bytes)| base(name, Packing::Plain, bytes));
    let mut bases: Vec<Base> = plain.collect();
    let (sched, events) = (file("sched.pftrace"), file("track_events.pftrace"));
    bases.extend([
        base("sched in gzip", Packing::Gzip, sched.clone()),
        base("track_events in zstd", Packing::Zstd, events.clone()),
        base("processes in tar", Packing::Tar, file("processes.pftrace")),
        base("losses in zip", Packing::Zip, file("losses.pftrace")),
        base("sched in a packet", Packing::CompressedPacket, sched),
        base("tar", Packing::Plain, devices().tar()),
        base("tar with checksums", Packing::TarHeaders, devices().tar()),
        base("tar of many names", Packing::TarHeaders, names()),
        base("zip", Packing::Plain, devices().zip()),
        base("tar in gzip", Packing::Gzip, devices().tar()),
        base("manifest", Packing::Plain, manifest().into_bytes()),
        base("manifest and trace", Packing::Plain, [manifest().as_bytes(), &events].concat()),
        base("json", Packing::Plain, json_trace()),
        base("json in gzip", Packing::Gzip, json_trace()),
        base("json array", Packing::Plain, json_array()),
        base("systrace", Packing::Plain, SYSTRACE.into()),
        base("perf.data", Packing::Plain, perf_data()),
    ]);
    bases
}

/// The real traces of which bases are made where they are there.
const REAL: &[&str] = &[
    "android_shell_transitions.pftrace",
    "android_native_heap_before.pftrace",
    "linux_merge_b.pftrace",
    "cat_android_systrace.txt",
    "hta_simple_add_trace.json.gz",
    "ss_firefox63.json",
    "sp_perf_with_two_event_types.data",
    "sp_perf.data",
    "lpd_sleep.compressed.data",
    "merge_named_machines.zip",
    "merge_same_boot.tar",
];

/// Bases of real traces, from the folder `shared` next to the repository.
pub fn real() -> Vec<Base> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces");
    let read = |name: &&str| {
        let bytes = std::fs::read(folder.join(name)).ok()?;
        let packing = if name.ends_with(".tar") { Packing::TarHeaders } else { Packing::Plain };
        Some(base(name, packing, bytes))
    };
    REAL.iter().filter_map(read).collect()
}

/// A base without a container.
pub fn plain(name: &str, bytes: Vec<u8>) -> Base {
    base(name, Packing::Plain, bytes)
}

fn base(name: &str, packing: Packing, bytes: Vec<u8>) -> Base {
    Base { name: name.to_owned(), bytes, packing }
}

/// A trace of `testdata/`.
pub fn file(name: &str) -> Vec<u8> {
    testdata::files().into_iter().find(|(found, _)| *found == name).unwrap().1
}

fn devices() -> Archive {
    Archive::new()
        .file("phone.pftrace", file("sched.pftrace"))
        .file("watch.pftrace.gz", gzip(&file("track_events.pftrace")))
        .file("page.json", json_trace())
        .file("manifest.json", manifest())
}

fn manifest() -> String {
    Archive::manifest_text(json!({
        "files": [
            { "path": "phone.pftrace", "machine": { "name": "phone" } },
            { "path": "watch.pftrace.gz", "machine": { "name": "watch" },
              "clocks": { "sync_to": { "file": "phone.pftrace", "clock": "BOOTTIME" },
                          "offset_ns": 50 } },
            { "path": "page.json", "clocks": { "sync_to": { "file": "phone.pftrace",
                "clock": "MONOTONIC" }, "offset_ns": -12_345_678 } },
        ],
        "trace_time": { "clock": "BOOTTIME" },
        "attributes": { "run": 42 },
    }))
}

/// Members with names of every kind: in folders, long, alike, outside of the archive, none.
fn names() -> Vec<u8> {
    let trace = file("relay.pftrace");
    let mut builder = tar::Builder::new(Vec::new());
    let long = format!("{}/trace", "folder".repeat(40));
    for name in ["a/b/trace.pftrace", "a", "a", "./c", &long, "ü.pftrace", "name with blanks"] {
        let mut header = tar::Header::new_gnu();
        header.set_size(trace.len() as u64);
        builder.append_data(&mut header, name, trace.as_slice()).unwrap();
    }
    for name in [&b"../../outside"[..], b"/absolute", b"..", b"\xff\xfe"] {
        let mut header = tar::Header::new_ustar();
        header.as_old_mut().name[..name.len()].copy_from_slice(name);
        header.set_size(trace.len() as u64);
        header.set_cksum();
        builder.append(&header, trace.as_slice()).unwrap();
    }
    builder.into_inner().unwrap()
}

const BLOCK: usize = 512;
const CHECKSUM: std::ops::Range<usize> = 148..156;

/// Puts a checksum that holds into every block that says it is a header.
fn with_checksums(mut bytes: Vec<u8>) -> Vec<u8> {
    for header in bytes.chunks_exact_mut(BLOCK).filter(|block| &block[257..262] == b"ustar") {
        header[CHECKSUM].fill(b' ');
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[CHECKSUM].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    }
    bytes
}

fn json_events() -> Vec<serde_json::Value> {
    let mut events = vec![
        json!({ "ph": "M", "pid": 1, "tid": 1, "name": "process_name", "args": { "name": "page" } }),
        json!({ "ph": "M", "pid": 1, "tid": 2, "name": "thread_name", "args": { "name": "io" } }),
        json!({ "ph": "b", "cat": "net", "id": "0x7", "pid": 1, "tid": 1, "ts": 30, "name": "get" }),
        json!({ "ph": "e", "cat": "net", "id": "0x7", "pid": 1, "tid": 1, "ts": 90, "name": "get" }),
        json!({ "ph": "s", "cat": "f", "id": 3, "pid": 1, "tid": 1, "ts": 12, "name": "flow" }),
        json!({ "ph": "f", "cat": "f", "id": 3, "pid": 1, "tid": 2, "ts": 52, "name": "flow",
                "bp": "e" }),
        json!({ "ph": "C", "pid": 1, "ts": 33.5, "name": "heap", "args": { "used": 1e6 } }),
    ];
    for at in 0..8 {
        let (ts, tid) = (10.25 + 40.0 * f64::from(at), 1 + at % 2);
        events.push(json!({ "ph": "B", "pid": 1, "tid": tid, "ts": ts, "name": "run" }));
        events.push(json!({ "ph": "X", "pid": 1, "tid": tid, "ts": ts + 1.0, "dur": 5.125,
            "name": "step \"\u{e9}\"", "args": { "list": [1, null, { "deep": -0.5 }] } }));
        events.push(json!({ "ph": "E", "pid": 1, "tid": tid, "ts": ts + 20.0 }));
    }
    events
}

fn json_trace() -> Vec<u8> {
    json!({
        "traceEvents": json_events(),
        "displayTimeUnit": "ns",
        "systemTraceEvents": SYSTRACE,
        "otherData": { "version": "1" },
    })
    .to_string()
    .into_bytes()
}

fn json_array() -> Vec<u8> {
    serde_json::to_vec_pretty(&json_events()).unwrap()
}

const SYSTRACE: &str = "\
# tracer: nop
#
#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION
#              | |        |      |   ||||       |         |
          <idle>-0     (-----) [001] d..3     2.000010: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=worker next_pid=7 next_prio=98
          worker-7     (    5) [001] ...1     2.000020: tracing_mark_write: B|5|work
          worker-7     (    5) [000] ...1     2.000025: cpu_frequency: state=1800000 cpu_id=0
          worker-7     (    5) [001] ...1     2.000027: sched_waking: comm=app pid=8 prio=120 target_cpu=000
          worker-7     (    5) [001] ...1     2.000030: tracing_mark_write: C|5|queue|12
          worker-7     (    5) [001] ...1     2.000040: tracing_mark_write: E|5
          worker-7     (    5) [001] d..3     2.000050: sched_switch: prev_comm=worker prev_pid=7 prev_prio=98 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
";

/// The header of a `perf.data` file with one attribute and one section of two records.
fn perf_data() -> Vec<u8> {
    const HEADER: u64 = 104;
    const ATTRIBUTE: u64 = 144;
    let mut bytes = b"PERFILE2".to_vec();
    let records: Vec<u8> = [
        [3_u32.to_le_bytes().as_slice(), &[0, 0, 40, 0], &[7; 32]].concat(),
        [9_u32.to_le_bytes().as_slice(), &[1, 0, 24, 0], &[5; 16]].concat(),
    ]
    .concat();
    let sections = [HEADER, ATTRIBUTE, HEADER, ATTRIBUTE, HEADER + ATTRIBUTE, records.len() as u64];
    for number in sections {
        if bytes.len() == 8 {
            bytes.extend(HEADER.to_le_bytes());
        }
        bytes.extend(number.to_le_bytes());
    }
    bytes.resize(HEADER as usize, 0);
    bytes.extend([1_u8; ATTRIBUTE as usize]);
    bytes.extend(records);
    bytes
}
