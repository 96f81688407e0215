//! Heap profiles.

use tpq_testkit::Message;

use super::packets;
use crate::heap_packets::*;
use crate::imported::Imported;

const ALLOCATIONS: &str = "SELECT ts, pid, heap_name, callsite_id AS callsite, count, size \
    FROM heap_profile_allocation JOIN process USING (upid) ORDER BY heap_profile_allocation.id";
const PROFILES: &str = "SELECT ts, ts_end, dur, pid, heap_name FROM heap_profile \
    JOIN process USING (upid) ORDER BY heap_profile.id";
const STACKS: &str = "SELECT c.id, depth, parent_id AS parent, f.name, rel_pc, m.name AS mapping, \
    build_id FROM stack_profile_callsite c JOIN stack_profile_frame f ON f.id = frame_id \
    JOIN stack_profile_mapping m ON m.id = mapping ORDER BY c.id";
const COUNTS: &str = "SELECT name, idx, value FROM stats WHERE value != 0 \
    AND (name LIKE 'heapprofd%' OR name LIKE 'stackprofile%') ORDER BY name, idx";

/// Totals become differences. What was freed is negative.
#[test]
fn totals_become_differences() {
    let first = vec![sample(1, [100, 40], [10, 4]), sample(2, [8, 0], [1, 0])];
    let second = vec![sample(1, [150, 40], [12, 4]), sample(2, [8, 8], [1, 1])];
    let trace = packets([
        clocks(),
        interned(6000, last(0, vec![heap_dump(4500, "libc.malloc", first)])),
        profile_packet(7000, last(1, vec![heap_dump(5500, "libc.malloc", second)])),
    ]);
    assert_eq!(
        trace.rows(ALLOCATIONS),
        "\
ts    pid  heap_name    callsite  count  size
5500  7    libc.malloc  1         10     100
5500  7    libc.malloc  1         -4     -40
5500  7    libc.malloc  0         1      8
6500  7    libc.malloc  1         2      50
6500  7    libc.malloc  0         -1     -8
"
    );
    assert_eq!(
        trace.rows(STACKS),
        "\
id  depth  parent  name  rel_pc  mapping       build_id
0   0      NULL    main  10      /system/a.so  ab01
1   1      0       f     20      /system/a.so  ab01
"
    );
    assert_eq!(
        trace.rows(PROFILES),
        "\
ts    ts_end  dur  pid  heap_name
5500  5500    0    7    libc.malloc
6500  6500    0    7    libc.malloc
"
    );
    assert_eq!(
        trace.rows("SELECT start_ts, end_ts FROM trace_bounds"),
        "start_ts  end_ts\n5500      6500\n"
    );
}

/// Heaps of one process have totals of their own; that of Java has no frees. A dump without a
/// name is of the heap `unknown`.
#[test]
fn heaps_are_separate() {
    let samples = |size| vec![sample(1, [size, 4], [1, 1])];
    let window = heap_dump(4900, "", samples(7)).uint(15, 4600);
    let trace = packets([
        clocks(),
        interned(
            6000,
            last(
                0,
                vec![
                    heap_dump(4500, "libc.malloc", samples(10)),
                    heap_dump(4500, "com.android.art", samples(20)),
                    window,
                ],
            ),
        ),
        profile_packet(
            7000,
            last(
                1,
                vec![
                    heap_dump(5500, "libc.malloc", samples(11)),
                    heap_dump(5500, "com.android.art", samples(22)),
                ],
            ),
        ),
    ]);
    assert_eq!(
        trace.rows(ALLOCATIONS),
        "\
ts    pid  heap_name        callsite  count  size
5500  7    libc.malloc      1         1      10
5500  7    libc.malloc      1         -1     -4
5500  7    com.android.art  1         1      20
5900  7    unknown          1         1      7
5900  7    unknown          1         -1     -4
6500  7    libc.malloc      1         0      1
6500  7    com.android.art  1         0      2
"
    );
    assert_eq!(
        trace.rows(PROFILES),
        "\
ts    ts_end  dur  pid  heap_name
5500  5500    0    7    libc.malloc
5500  5500    0    7    com.android.art
5600  5900    300  7    NULL
6500  6500    0    7    libc.malloc
6500  6500    0    7    com.android.art
"
    );
}

/// Old recorders list stacks in the packets of a dump, in any of them.
#[test]
fn stacks_in_the_packets_themselves() {
    let mapping = Message::new().uint(1, 1).uint(2, 4).uint(6, 0).uint(7, 1).uint(7, 2);
    let first = Message::new()
        .uint(7, 0)
        .bool(6, true)
        .message(5, heap_dump(4500, "libc.malloc", vec![sample(9, [100, 0], [1, 0])]));
    let second = Message::new()
        .uint(7, 1)
        .message(1, interned_string(1, "bin"))
        .message(1, interned_string(2, "a"))
        .message(1, interned_string(3, "main"))
        .message(1, interned_string(4, [0xff]))
        .message(4, mapping)
        .message(2, stack_frame(1, 3, 1, 10))
        .message(2, stack_frame(2, 0, 1, 20))
        .message(3, callstack(9, &[1, 2]))
        .message(5, heap_dump(4500, "libc.malloc", vec![sample(9, [0, 0], [0, 0])]));
    let trace = packets([clocks(), profile_packet(6000, first), profile_packet(6001, second)]);
    assert_eq!(
        trace.rows(STACKS),
        "\
id  depth  parent  name  rel_pc  mapping  build_id
0   0      NULL    main  10      /bin/a   ff
1   1      0             20      /bin/a   ff
"
    );
    // The second totals are less than the first.
    assert_eq!(
        trace.rows(ALLOCATIONS),
        "\
ts    pid  heap_name    callsite  count  size
5500  7    libc.malloc  1         1      100
"
    );
    assert_eq!(
        trace.cell("SELECT value FROM stats WHERE name = 'heapprofd_malformed_packet'"),
        "1"
    );
    assert_eq!(trace.cell("SELECT count(*) FROM heap_profile"), "1");
}

/// A maximum has a number of allocations only from recorders that count it correctly.
#[test]
fn maxima() {
    let max = |size, count| Message::new().uint(1, 1).uint(8, size).uint(9, count);
    let adjusted = heap_dump(4600, "b", vec![max(64, 4)]).uint(12, 8192).uint(13, 4096);
    let trace = packets([
        clocks(),
        interned(6000, last(0, vec![heap_dump(4500, "a", vec![max(50, 3)]), adjusted])),
    ]);
    assert_eq!(
        trace.rows(ALLOCATIONS),
        "\
ts    pid  heap_name  callsite  count  size
5500  7    a          1         0      50
5600  7    b          1         4      64
"
    );
    let adjusted = "SELECT idx, value FROM stats \
        WHERE name = 'heapprofd_sampling_interval_adjusted'";
    assert_eq!(trace.rows(adjusted), "idx  value\n7    4096\n");
}

#[test]
fn the_profiler_says_what_went_wrong() {
    let work = Message::new().uint(2, 20).uint(5, 300).uint(6, 40);
    let flags = |pid, fields: &[u32]| {
        let dump = Message::new().uint(1, pid).uint(9, 4500);
        fields.iter().fold(dump, |all, &field| all.bool(field, true))
    };
    let trace = packets([
        clocks(),
        profile_packet(
            6000,
            last(
                3,
                vec![
                    flags(7, &[4, 6, 7, 8, 10]).message(5, work),
                    flags(8, &[]).uint(14, 1),
                    flags(9, &[3]).uint(14, 2),
                ],
            ),
        ),
    ]);
    // A client that ran into a timeout lost data because the buffer was full.
    let counted = trace.cells(COUNTS);
    let counted: Vec<String> = counted.iter().map(|row| row.join(" ")).collect();
    assert_eq!(
        counted,
        [
            "heapprofd_buffer_corrupted 7 1",
            "heapprofd_buffer_overran 7 1",
            "heapprofd_buffer_overran 8 1",
            "heapprofd_client_disconnected 7 1",
            "heapprofd_client_error 8 1",
            "heapprofd_client_error 9 2",
            "heapprofd_client_spinlock_blocked 7 40",
            "heapprofd_hit_guardrail 7 1",
            "heapprofd_last_profile_timestamp 7 6000",
            "heapprofd_last_profile_timestamp 8 6000",
            "heapprofd_last_profile_timestamp 9 6000",
            "heapprofd_missing_packet NULL 1",
            "heapprofd_rejected_concurrent 7 1",
            "heapprofd_unwind_samples 7 20",
            "heapprofd_unwind_time_us 7 300",
        ]
    );
}

/// Stacks, frames and mappings that refer to what was not sent are counted, and so are stacks
/// without frames and samples without a stack.
#[test]
fn stacks_that_are_not_whole() {
    let profile = last(0, vec![heap_dump(4500, "a", vec![sample(5, [1, 0], [1, 0])])])
        .message(4, Message::new().uint(1, 1).uint(2, 77))
        .message(4, Message::new().uint(1, 2).uint(7, 78))
        .message(2, stack_frame(1, 0, 99, 0))
        .message(2, stack_frame(2, 79, 2, 0))
        .message(3, callstack(1, &[98]))
        .message(3, callstack(2, &[]));
    let trace = packets([clocks(), profile_packet(6000, profile)]);
    let sql = "SELECT name, value FROM stats WHERE value != 0 AND name LIKE 'stackprofile%' \
        ORDER BY name";
    let counted = trace.cells(sql);
    let counted: Vec<String> = counted.iter().map(|row| row.join(" ")).collect();
    assert_eq!(
        counted,
        [
            "stackprofile_empty_callstack 1",
            "stackprofile_invalid_callstack_id 1",
            "stackprofile_invalid_frame_id 1",
            "stackprofile_invalid_mapping_id 1",
            "stackprofile_invalid_string_id 3",
        ]
    );
    assert_eq!(trace.cell("SELECT count(*) FROM heap_profile_allocation"), "0");
}

/// A dump without its last packet is dropped.
#[test]
fn an_unfinished_dump_is_counted() {
    let profile =
        last(0, vec![heap_dump(4500, "a", vec![sample(1, [1, 0], [1, 0])])]).bool(6, true);
    let trace = packets([clocks(), interned(6000, profile)]);
    assert_eq!(trace.cell("SELECT count(*) FROM heap_profile_allocation"), "0");
    let counted = "SELECT value FROM stats WHERE name = 'heapprofd_non_finalized_profile'";
    assert_eq!(trace.cell(counted), "1");
}

/// The sums of all differences are the last totals.
fn sums(trace: &Imported) -> Vec<Vec<String>> {
    trace.cells(
        "SELECT callsite_id, sum(CASE WHEN size > 0 THEN size ELSE 0 END), sum(count) \
        FROM heap_profile_allocation GROUP BY callsite_id ORDER BY callsite_id",
    )
}

/// The profiler numbers a stack anew after its memory was freed: its totals start from 0.
#[test]
fn a_stack_with_a_new_number_starts_from_zero() {
    let again = |at, profile: Message| {
        let data = Message::new().message(7, callstack(3, &[1, 2]));
        profile_packet(at, profile).payload(INTERNED_DATA, data)
    };
    let trace = packets([
        clocks(),
        interned(6000, last(0, vec![heap_dump(4500, "a", vec![sample(1, [100, 100], [2, 2])])])),
        again(7000, last(1, vec![heap_dump(5500, "a", vec![sample(3, [30, 0], [1, 0])])])),
        profile_packet(8000, last(2, vec![heap_dump(6500, "a", vec![sample(3, [40, 0], [2, 0])])])),
    ]);
    assert_eq!(sums(&trace), [["1", "140", "2"]]);
    assert!(!trace.rows(COUNTS).contains("malformed"));
}
