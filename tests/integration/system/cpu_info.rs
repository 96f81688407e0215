//! The CPUs of a machine.

use tpq_testkit::{Message, Packet};

use super::packets;
use crate::imported::STATS;

const CPUS: &str = "SELECT id, cpu, cluster_id, processor, capacity FROM cpu ORDER BY id";
const ARGS: &str = "SELECT cpu, key, value_type, int_value FROM cpu JOIN args USING (arg_set_id) \
    ORDER BY cpu, args.id";

fn cpu_info(cpus: impl IntoIterator<Item = Message>) -> Packet {
    Packet::new()
        .payload(67, cpus.into_iter().fold(Message::new(), |info, cpu| info.message(1, cpu)))
}

#[test]
fn cpus_of_one_capacity_are_a_cluster() {
    let cpu = |capacity, khz| Message::new().bytes(1, "AArch64").uint(2, khz).uint(3, capacity);
    let trace = packets([cpu_info([cpu(1024, 9), cpu(250, 8), cpu(512, 7), cpu(250, 6)])]);
    assert_eq!(
        trace.rows(CPUS),
        "\
id  cpu  cluster_id  processor  capacity
0   0    2           AArch64    1024
1   1    0           AArch64    250
2   2    1           AArch64    512
3   3    0           AArch64    250
"
    );
    // Frequencies come as the CPUs do, the weakest first.
    assert_eq!(
        trace.rows("SELECT id, cpu, freq, ucpu FROM cpu_available_frequencies ORDER BY id"),
        "\
id  cpu  freq  ucpu
0   1    8     1
1   3    6     3
2   2    7     2
3   0    9     0
"
    );
}

#[test]
fn frequencies_define_clusters_where_a_capacity_is_missing() {
    let cpu = |khz: [i64; 2]| Message::new().packed(2, khz);
    let trace = packets([cpu_info([cpu([900, 100]), cpu([100, 500]).uint(3, 1), cpu([500, 400])])]);
    assert_eq!(
        trace.rows(CPUS),
        "\
id  cpu  cluster_id  processor  capacity
0   0    1           NULL       NULL
1   1    0           NULL       1
2   2    0           NULL       NULL
"
    );
    let count = trace.cell("SELECT count(*) FROM cpu_freq WHERE ucpu = 0");
    assert_eq!(count, "2");
}

#[test]
fn cpus_of_which_nothing_is_known_are_one_cluster() {
    let trace = packets([cpu_info([Message::new().uint(3, 7), Message::new()]), cpu_info([])]);
    assert_eq!(
        trace.rows(CPUS),
        "\
id  cpu  cluster_id  processor  capacity
0   0    0           NULL       7
1   1    0           NULL       NULL
"
    );
}

#[test]
fn vendor_and_features_of_a_cpu() {
    let identifier = (1..=5).fold(Message::new(), |id, field| id.uint(field, 10 * field as u64));
    let arm = Message::new().message(4, identifier).uint(5, 0b10);
    let newer = Message::new().uint(5, 0b101);
    let trace = packets([cpu_info([arm, newer, Message::new()])]);
    assert_eq!(
        trace.rows(ARGS),
        "\
cpu  key                      value_type  int_value
0    arm_cpu_implementer      uint        10
0    arm_cpu_architecture     uint        20
0    arm_cpu_variant          uint        30
0    arm_cpu_part             uint        40
0    arm_cpu_revision         uint        50
0    cpu_features.mte3        bool        1
0    cpu_features.raw_bitmap  uint        2
1    cpu_features.mte         bool        1
1    cpu_features.raw_bitmap  uint        5
"
    );
    assert_eq!(
        trace.rows(STATS),
        "\
name                           machine  file  value
cpu_info_unknown_cpu_features  0        0     1
"
    );
}

#[test]
fn more_cpus_than_any_machine_has_are_not_believed() {
    let trace = packets([cpu_info((0..5000).map(|_| Message::new()))]);
    assert_eq!(trace.cell("SELECT count(*) FROM cpu"), "4096");
}

/// What describes no CPU is counted, and hides none that others describe.
#[test]
fn a_description_without_cpus() {
    let trace = packets([cpu_info([]), cpu_info([Message::new().bytes(1, "AArch64")])]);
    assert_eq!(
        trace.rows(CPUS),
        "\
id  cpu  cluster_id  processor  capacity
0   0    0           AArch64    NULL
"
    );
    assert_eq!(
        trace.rows(STATS),
        "name            machine  file  value\ncpu_info_empty  0        0     1\n"
    );
}
