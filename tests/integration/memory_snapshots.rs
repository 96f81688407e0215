//! Memory snapshots of Chrome.

use tpq_testkit::{Message, Packet, TraceBuilder};

use crate::imported::{Imported, STATS};

const MEMORY_TRACKER_SNAPSHOT: u32 = 73;
const FULL: u64 = 0;
const LIGHT: u64 = 1;
const BYTES: u64 = 1;
const COUNT: u64 = 2;

const NODES: &str = "SELECT node.id, pid, parent_node_id AS parent, path, size, \
    effective_size AS effective FROM memory_snapshot_node AS node \
    JOIN process_memory_snapshot AS process ON node.process_snapshot_id = process.id \
    JOIN process AS p USING (upid) WHERE snapshot_id = $snapshot ORDER BY node.id";

fn nodes(snapshot: u32) -> String {
    NODES.replace("$snapshot", &snapshot.to_string())
}

fn node(id: u64, path: &str, size: Option<u64>) -> Message {
    let node = Message::new().uint(1, id).bytes(2, path);
    match size {
        Some(size) => node.uint(4, size),
        None => node,
    }
}

fn edge(source: u64, target: u64, importance: u64) -> Message {
    Message::new().uint(1, source).uint(2, target).uint(3, importance)
}

/// The dump of a process.
fn dump(pid: u64, nodes: impl IntoIterator<Item = Message>, edges: &[Message]) -> Message {
    let dump = Message::new().uint(1, pid);
    let dump = nodes.into_iter().fold(dump, |dump, node| dump.message(2, node));
    edges.iter().fold(dump, |dump, edge| dump.message(3, edge.clone()))
}

fn snapshot(ts: u64, level: u64, dumps: impl IntoIterator<Item = Message>) -> Packet {
    let snapshot = Message::new().uint(1, 77).uint(2, level);
    let snapshot = dumps.into_iter().fold(snapshot, |all, dump| all.message(3, dump));
    Packet::new().sequence(1).timestamp(ts).payload(MEMORY_TRACKER_SNAPSHOT, snapshot)
}

/// Two processes dump their memory at one moment. Both map a segment of shared memory of 50 bytes,
/// so each has half of it. 40 of the 100 bytes of `malloc` are not explained by its child.
#[test]
fn dumps_of_one_moment_are_one_snapshot() {
    let count = Message::new().bytes(1, "object_count").uint(2, COUNT).uint(3, 7);
    let peak = Message::new().bytes(1, "peak").uint(2, BYTES).uint(3, 120);
    let kind = Message::new().bytes(1, "kind").bytes(4, "tcmalloc");
    let malloc = node(1, "malloc", Some(100)).message(5, peak).message(5, kind).message(5, count);
    let first = dump(
        10,
        [
            malloc,
            node(2, "malloc/allocated_objects", Some(60)),
            node(3, "shared_memory/seg", Some(50)),
            node(9, "global/seg", Some(50)),
        ],
        &[edge(3, 9, 1)],
    );
    let second = dump(
        20,
        [node(4, "shared_memory/seg", Some(50)), node(9, "global/seg", Some(50))],
        &[edge(4, 9, 1), edge(4, 9, 5), edge(5, 9, 1)],
    );
    let nameless = Message::new().bytes(1, "lost").uint(2, BYTES);
    let later = dump(10, [node(1, "v8", None).message(5, nameless), node(0, "", Some(1))], &[]);
    let packets = [
        snapshot(100, FULL, [first]),
        snapshot(100, FULL, [second]),
        snapshot(200, LIGHT, [later]),
    ];
    let trace = Imported::trace(TraceBuilder::new().packets(packets));

    let snapshots = "SELECT snapshot.id, timestamp AS ts, detail_level, type, \
        extract_arg(source_arg_set_id, 'source') AS source, track.name \
        FROM memory_snapshot AS snapshot JOIN track ON track.id = track_id ORDER BY snapshot.id";
    insta::assert_snapshot!(trace.rows(snapshots), @r"
    id  ts   detail_level  type                           source  name
    0   100  detailed      legacy_chrome_global_instants  chrome  NULL
    1   200  light         legacy_chrome_global_instants  chrome  NULL
    ");
    insta::assert_snapshot!(trace.rows(&nodes(0)), @r"
    id  pid  parent  path                      size  effective
    0   10   NULL    malloc                    100   100
    1   10   0       malloc/<unspecified>      40    40
    2   10   0       malloc/allocated_objects  60    60
    3   10   NULL    shared_memory             50    25
    4   10   3       shared_memory/seg         50    25
    5   20   NULL    shared_memory             50    25
    6   20   5       shared_memory/seg         50    25
    7   0    NULL    global                    50    0
    8   0    7       global/seg                50    0
    ");
    insta::assert_snapshot!(trace.rows(&nodes(1)), @r"
    id  pid  parent  path  size  effective
    9   10   NULL    v8    NULL  NULL
    ");
    let edges = "SELECT source_node_id, target_node_id, importance FROM memory_snapshot_edge \
        ORDER BY id";
    insta::assert_snapshot!(trace.rows(edges), @r"
    source_node_id  target_node_id  importance
    6               8               1
    4               8               1
    ");
    let args = "SELECT path, key, int_value, string_value FROM memory_snapshot_node \
        JOIN args USING (arg_set_id) ORDER BY args.id";
    insta::assert_snapshot!(trace.rows(args), @r"
    path    key                 int_value  string_value
    malloc  kind.value          NULL       tcmalloc
    malloc  object_count.value  7          NULL
    malloc  object_count.unit   NULL       objects
    malloc  peak.value          120        NULL
    malloc  peak.unit           NULL       bytes
    ");
    // A value without a value, and a node without a name.
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                            machine  file  value
    memory_snapshot_parser_failure  0        0     2
    ");
}

/// A process dumps twice at one moment; the first dump counts. A snapshot of no process has no row.
#[test]
fn the_first_dump_of_a_process_counts() {
    let of = |size| dump(10, [node(1, "malloc", Some(size))], &[]);
    let packets =
        [snapshot(5, FULL, [of(1)]), snapshot(5, 2, [of(2), of(3)]), snapshot(6, FULL, [])];
    let trace = Imported::trace(TraceBuilder::new().packets(packets));
    let snapshots = "SELECT timestamp AS ts, detail_level, size FROM memory_snapshot AS snapshot \
        JOIN process_memory_snapshot AS process ON process.snapshot_id = snapshot.id \
        JOIN memory_snapshot_node AS node ON node.process_snapshot_id = process.id";
    insta::assert_snapshot!(trace.rows(snapshots), @r"
    ts  detail_level  size
    5   background    1
    ");
}

/// Each level of a hostile path would be a node.
#[test]
fn deep_paths_and_circles_are_bounded() {
    let deep = node(1, &"a/".repeat(100_000), Some(1));
    let circle = [node(2, "b", Some(4)), node(3, "c", Some(2))];
    let dump = dump(1, [deep].into_iter().chain(circle), &[edge(2, 3, 0), edge(3, 2, 0)]);
    let trace = Imported::trace(TraceBuilder::new().packets([snapshot(5, FULL, [dump])]));
    let sizes = "SELECT path, size, effective_size FROM memory_snapshot_node";
    insta::assert_snapshot!(trace.rows(sizes), @r"
    path  size  effective_size
    b     4     4
    c     2     2
    ");
    assert_eq!(trace.cell("SELECT count(*) FROM memory_snapshot_edge"), "0");
    let failures = "SELECT value FROM stats WHERE name = 'memory_snapshot_parser_failure'";
    assert_eq!(trace.cell(failures), "3");
}
