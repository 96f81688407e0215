//! Polled data of processes.

use tpq_testkit::{Message, Packet};

use super::{COUNTERS, packets};
use crate::imported::STATS;

/// The packet of one poll of a process.
fn poll(at: u64, process: Message) -> Packet {
    let stats = Message::new().message(1, process);
    Packet::new().sequence(2).timestamp(at).payload(9, stats)
}

fn process(pid: u64) -> Message {
    Message::new().uint(1, pid)
}

const KEYS: &str = "SELECT t.name, key, string_value FROM track t \
    JOIN args ON dimension_arg_set_id = arg_set_id WHERE key != 'upid' ORDER BY t.id";

#[test]
fn memory_and_run_time() {
    let stats = process(7)
        .uint(3, 1)
        .uint(24, 2)
        .int(10, -900)
        .uint(16, 3)
        .uint(17, 4)
        .uint(18, 5)
        .uint(19, 6)
        .uint(20, 7)
        .uint(23, 8)
        .uint(21, 9)
        .uint(22, 10);
    let trace = packets([poll(10, stats)]);
    // Values in KiB are shown in bytes; times are nanoseconds.
    assert_eq!(
        trace.rows(COUNTERS),
        "\
ts  type               name                value
10  process_memory     mem.rss             1024.0
10  process_memory     mem.dmabuf_rss      2048.0
10  oom_score_adj      oom_score_adj       -900.0
10  smaps              mem.smaps.rss       3072.0
10  smaps              mem.smaps.pss       4096.0
10  smaps              mem.smaps.pss.anon  5120.0
10  smaps              mem.smaps.pss.file  6144.0
10  smaps              mem.smaps.pss.smem  7168.0
10  smaps              mem.smaps.swap.pss  8192.0
10  proc_stat_runtime  runtime.user_ns     9.0
10  proc_stat_runtime  runtime.kernel_ns   10.0
"
    );
    assert_eq!(
        trace.rows(KEYS),
        "\
name                key                    string_value
mem.rss             process_memory_key     rss
mem.dmabuf_rss      process_memory_key     dmabuf_rss
mem.smaps.rss       smaps_key              rss
mem.smaps.pss       smaps_key              pss
mem.smaps.pss.anon  smaps_key              pss.anon
mem.smaps.pss.file  smaps_key              pss.file
mem.smaps.pss.smem  smaps_key              pss.smem
mem.smaps.swap.pss  smaps_key              swap.pss
runtime.user_ns     proc_stat_runtime_key  user_ns
runtime.kernel_ns   proc_stat_runtime_key  kernel_ns
"
    );
}

#[test]
fn process_stats_of_chromium() {
    let trace = packets([poll(10, process(7).bool(12, true).uint(13, 3).uint(14, 4))]);
    assert_eq!(
        trace.rows(COUNTERS),
        "\
ts  type                  name                         value
10  chrome_process_stats  chrome.private_footprint_kb  3072.0
10  chrome_process_stats  chrome.peak_resident_set_kb  4096.0
"
    );
    assert_eq!(
        trace.rows(KEYS),
        "\
name                         key  string_value
chrome.private_footprint_kb  key  private_footprint_kb
chrome.peak_resident_set_kb  key  peak_resident_set_kb
"
    );
    // The process is there with its main thread and the known facts.
    assert_eq!(
        trace.rows(
            "SELECT pid, tid, key, value_type, int_value FROM process \
            JOIN thread USING (upid) JOIN args ON process.arg_set_id = args.arg_set_id"
        ),
        "\
pid  tid  key                     value_type  int_value
7    7    is_peak_rss_resettable  bool        1
"
    );
}

#[test]
fn open_files() {
    let file = |fd, path: &str| Message::new().uint(1, fd).bytes(2, path);
    let trace =
        packets([poll(10, process(7).message(15, file(3, "/a")).message(15, file(4, "/b")))]);
    assert_eq!(
        trace.rows(
            "SELECT f.id, ufd, fd, ts, pid, path FROM filedescriptor f \
            JOIN process USING (upid) ORDER BY f.id"
        ),
        "\
id  ufd  fd  ts  pid  path
0   0    3   10  7    /a
1   0    4   10  7    /b
"
    );
}

#[test]
fn unknown_fields_are_counted() {
    let trace = packets([poll(10, process(7).uint(99, 1))]);
    assert_eq!(
        trace.rows(STATS),
        "\
name                        machine  file  value
proc_stat_unknown_counters  0        0     1
"
    );
    assert_eq!(trace.cell("SELECT count(*) FROM process WHERE pid = 7"), "1");
}

/// The mappings of process 7.
fn smaps(smaps: Message) -> Packet {
    Packet::new().sequence(2).timestamp(10).payload(68, smaps.uint(1, 7))
}

#[test]
fn mappings_one_after_the_other() {
    let entry = (2..=15)
        .filter(|field| ![5, 8, 9].contains(field))
        .fold(Message::new().bytes(1, "/lib/libc.so (deleted)"), |entry, field| {
            entry.uint(field, field.into())
        });
    let entry = entry.bytes(5, "libc.so").bytes(8, "ID").bytes(9, "/debug");
    let trace = packets([smaps(Message::new().message(2, entry))]);
    assert_eq!(
        trace.rows("SELECT ts, path, path_trimmed, aggregate_count AS n, is_deleted AS del, \
            size_kb AS s, private_dirty_kb AS pd, swap_kb AS sw, file_name, start_address AS a, \
            module_timestamp AS mt, module_debugid AS di, module_debug_path AS dp, \
            protection_flags AS fl, private_clean_resident_kb AS pc, \
            shared_dirty_resident_kb AS sd, shared_clean_resident_kb AS sc, locked_kb AS l, \
            proportional_resident_kb AS pss, rss_kb AS rss FROM profiler_smaps"),
        "\
ts  path                    path_trimmed  n  del  s  pd  sw  file_name  a  mt  di  dp      fl  pc  sd  sc  l   pss  rss
10  /lib/libc.so (deleted)  /lib/libc.so  1  1    2  3   4   libc.so    6  7   ID  /debug  10  11  12  13  14  15   0
"
    );
}

/// Packed mappings: the names, and the columns by their fields.
fn packed(names: &[&str], columns: &[(u32, &[i64])]) -> Packet {
    let names = names.iter().fold(Message::new(), |message, name| message.bytes(1, name));
    let packed = columns
        .iter()
        .fold(names, |message, &(field, values)| message.packed(field, values.iter().copied()));
    smaps(Message::new().message(3, packed))
}

const MAPPINGS: &str = "SELECT pid, path, aggregate_count AS n, is_deleted AS del, size_kb AS s, \
    rss_kb AS rss, anonymous_kb AS an, swap_kb AS sw, shared_clean_kb AS sc, \
    shared_dirty_kb AS sd, private_clean_kb AS pc, private_dirty_kb AS pd, locked_kb AS l, \
    pss_kb AS pss, pss_dirty_kb AS psd, swap_pss_kb AS sp \
    FROM process_memory_mappings AS m JOIN process USING (upid) ORDER BY m.id";

#[test]
fn packed_mappings_taken_together_by_name() {
    let columns: Vec<(u32, [i64; 2])> =
        (4..=15).map(|field| (field, [i64::from(field), i64::from(field) * 10])).collect();
    let mut columns: Vec<(u32, &[i64])> =
        columns.iter().map(|(field, values)| (*field, values.as_slice())).collect();
    columns.insert(0, (3, &[5, 6]));
    let trace = packets([packed(&["/a (deleted)", "[heap]"], &columns)]);
    assert_eq!(
        trace.rows(MAPPINGS),
        "\
pid  path    n  del  s   rss  an  sw  sc  sd  pc   pd   l    pss  psd  sp
7    /a      5  1    4   5    6   7   8   9   10   11   12   13   14   15
7    [heap]  6  0    40  50   60  70  80  90  100  110  120  130  140  150
"
    );
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
}

#[test]
fn packed_mappings_that_say_their_names() {
    let trace = packets([packed(&["/a", "/b"], &[(2, &[1, 0, 1]), (5, &[7, 8, 9])])]);
    assert_eq!(
        trace.rows("SELECT path, aggregate_count AS n, size_kb, rss_kb FROM profiler_smaps"),
        "\
path  n  size_kb  rss_kb
/b    1  0        7
/a    1  0        8
/b    1  0        9
"
    );
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
}

#[test]
fn packed_mappings_with_columns_of_different_length_are_counted() {
    let broken = |packet, rows: &str| {
        let trace = packets([packet]);
        assert_eq!(trace.cell("SELECT count(*) FROM profiler_smaps"), rows);
        let errors = "SELECT value FROM stats WHERE name = 'smaps_parser_errors'";
        assert_eq!(trace.cell(errors), "1", "{rows}");
    };
    // One column is short; a name is not there; names of mappings taken together; two names but
    // one count; values without names.
    broken(packed(&["/a", "/b"], &[(2, &[0, 1]), (4, &[1, 2]), (5, &[3])]), "1");
    broken(packed(&["/a"], &[(2, &[0, 1]), (4, &[1, 2])]), "1");
    broken(packed(&["/a"], &[(2, &[0]), (3, &[2])]), "1");
    broken(packed(&["/a", "/b"], &[(3, &[2])]), "1");
    broken(packed(&["/a"], &[(4, &[2])]), "0");
    broken(Packet::new().sequence(2).timestamp(10).payload(68, Message::new().uint(3, 1)), "0");
}
