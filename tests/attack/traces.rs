//! Traces that are large enough for the cache, and for a process to be met at work on them.

use tpq_testkit::{
    Annotation, FtraceBundle, FtraceEvent, Packet, Task, TraceBuilder, TrackDescriptor, TrackEvent,
    gzip, prev_state, testdata,
};

const KERNEL: u32 = 50;
const PROGRAM: u32 = 51;
const TRACK: u64 = 0x5051;
/// Events between which the others lie, in ns.
const STEP: u64 = 1_000;
/// Unread bytes, for the cache, which keeps traces of 1 MiB and more.
const FOR_CACHE: usize = 1 << 20;
/// Kernel events of a packet.
const BUNDLE: u64 = 50;
/// The last of them that is a switch.
const LAST_SWITCH: u64 = 47;

/// The packets of the traces of `testdata/`, so that most tables have rows, and then [`events`].
pub fn rich(bundles: u64, variant: u64) -> Vec<u8> {
    let plain = testdata::files().into_iter().filter(|(name, _)| name.ends_with(".pftrace"));
    let known: Vec<u8> = plain.flat_map(|(_, bytes)| bytes).collect();
    let padding = Packet::new().padding(&vec![7; FOR_CACHE]);
    let head = TraceBuilder::new().raw(&known).packet(padding).build();
    [head, events(bundles, variant)].concat()
}

/// A number of bundles of kernel events with as many slices, without loss. Another
/// `variant` has other events.
pub fn events(bundles: u64, variant: u64) -> Vec<u8> {
    let track = TrackDescriptor::new(TRACK).thread(700, 701, "program");
    let head = Packet::new().sequence(PROGRAM).track_descriptor(track);
    let mut bytes = TraceBuilder::new().packet(head).build();
    for bundle in 0..bundles {
        let start = 100_000 + variant * 7 + bundle * BUNDLE * STEP;
        bytes.extend(TraceBuilder::new().packets(packets(start, bundle + variant)).build());
    }
    bytes
}

/// A trace that unpacks to a number of MiB more than the traces of `testdata/`, nearly all of which
/// is never read.
pub fn padded(mib: usize) -> Vec<u8> {
    let padding = TraceBuilder::new().packet(Packet::new().padding(&vec![7; mib << 20])).build();
    gzip(&[rich(300, 0), padding].concat())
}

fn packets(start: u64, number: u64) -> Vec<Packet> {
    let names =
        ["render", "compositor thread", "kworker/0:1", "a name longer than any inline view"];
    let task = |at: u64| {
        // Each bundle begins and ends with the same thread, so that no switch is missed.
        let tid = if at == 0 { 999 } else { 1_000 + (at * 7 + number * 3) % 40 };
        Task::new(names[(at % 4) as usize], tid as i32)
    };
    let states = [prev_state::RUNNABLE, prev_state::SLEEPING, prev_state::UNINTERRUPTIBLE];
    let mut bundle = FtraceBundle::new((number % 4) as u32);
    let mut running = 0;
    for at in 0..BUNDLE {
        let (time, state) = (start + at * STEP, states[(at % 3) as usize]);
        bundle = bundle.event(match at % 10 {
            9 => FtraceEvent::cpu_frequency(time, 0, (at % 4) as u32, 1_000_000 + at as u32),
            8 => FtraceEvent::sched_waking(time, 1, task(at), (at % 4) as i32),
            _ => {
                let next = if at == LAST_SWITCH { 0 } else { at + 1 };
                let before = std::mem::replace(&mut running, next);
                FtraceEvent::sched_switch(time, task(before), state, task(next))
            }
        });
    }
    let begin = TrackEvent::begin(TRACK)
        .name(&format!("slice {}", number % 100))
        .category("attack")
        .annotation(Annotation::named("number").int(number as i64));
    let event = |at, event| Packet::new().sequence(PROGRAM).timestamp(at).track_event(event);
    vec![
        Packet::new().sequence(KERNEL).ftrace(bundle),
        event(start, begin),
        event(start + 3 * STEP, TrackEvent::end(TRACK)),
    ]
}

/// Statements that read every column of every row of a trace, and some that look at few rows, or
/// at those that bounds of chunks do not exclude.
pub fn statements(trace: &[u8]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace");
    std::fs::write(&path, trace).unwrap();
    let (tables, _) = tpq::import(&[path], &tpq::ImportOptions::default()).unwrap();
    let filled = tables.iter().filter(|table| table.num_rows() > 0);
    let mut statements: Vec<String> =
        filled.map(|table| format!("SELECT * FROM {}", table.decl().name)).collect();
    // Rows about the import itself, as how long it took, differ each time.
    statements.retain(|sql| !sql.ends_with(" stats") && !sql.ends_with(" metadata"));
    statements.extend(
        [
            "SELECT name, idx, value FROM stats WHERE name NOT LIKE '%duration%'",
            "SELECT name, str_value, int_value FROM metadata",
            "SELECT count(*) AS n, sum(dur) AS dur, min(ts) AS ts FROM sched WHERE ts > 2000000",
            "SELECT count(*) AS n, sum(ts) AS ts FROM ftrace_event WHERE ts BETWEEN 300000 AND 900000",
            "SELECT utid, count(*) AS n, sum(dur) AS dur FROM thread_state GROUP BY utid ORDER BY utid",
            "SELECT name, count(*) AS n FROM slice GROUP BY name ORDER BY name",
        ]
        .map(str::to_owned),
    );
    statements
}
