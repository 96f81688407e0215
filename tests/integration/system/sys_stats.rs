//! Polled data of the system.

use tpq_testkit::{FtraceBundle, FtraceEvent, Message, Packet};

use super::{COUNTERS, DIMENSIONS, packets};
use crate::imported::STATS;

const UNITS: &str = "SELECT name, unit FROM counter_track ORDER BY id";

/// The packet of one poll.
fn poll(at: u64, stats: Message) -> Packet {
    Packet::new().sequence(2).timestamp(at).payload(7, stats)
}

/// A key and a value of it.
fn keyed(key: u64, value: u64) -> Message {
    Message::new().uint(1, key).uint(2, value)
}

fn named(name: &str, value: u64) -> Message {
    Message::new().bytes(1, name).uint(2, value)
}

#[test]
fn memory_is_in_bytes_under_the_names_of_proc() {
    let trace = packets([poll(
        10,
        Message::new()
            .message(1, keyed(1, 4000))
            .message(1, keyed(9, 3))
            .message(1, keyed(28, 1))
            .message(1, keyed(38, 2))
            .message(2, keyed(1, 77))
            .message(2, keyed(130, 5)),
    )]);
    // 4000 KiB are 4,096,000 bytes; /proc/vmstat counts in pages or events.
    assert_eq!(
        trace.rows(COUNTERS),
        "\
ts  type     name              value
10  meminfo  MemTotal          4096000.0
10  meminfo  Active(anon)      3072.0
10  meminfo  Committed_AS      1024.0
10  meminfo  ION_heap_pool     2048.0
10  vmstat   nr_free_pages     77.0
10  vmstat   allocstall_dma32  5.0
"
    );
    assert_eq!(
        trace.rows(DIMENSIONS),
        "\
type     name              key          value_type  int_value  string_value
meminfo  MemTotal          meminfo_key  string      NULL       MemTotal
meminfo  Active(anon)      meminfo_key  string      NULL       Active(anon)
meminfo  Committed_AS      meminfo_key  string      NULL       Committed_AS
meminfo  ION_heap_pool     meminfo_key  string      NULL       ION_heap_pool
vmstat   nr_free_pages     vmstat_key   string      NULL       nr_free_pages
vmstat   allocstall_dma32  vmstat_key   string      NULL       allocstall_dma32
"
    );
}

#[test]
fn unknown_keys_are_counted() {
    let stats = Message::new()
        .message(1, keyed(39, 1))
        .message(2, keyed(10_000, 1))
        .message(2, keyed(10_001, 1))
        .message(3, Message::new().uint(2, 1))
        .message(14, keyed(7, 1));
    let trace = packets([poll(10, stats)]);
    assert_eq!(trace.cell("SELECT count(*) FROM counter"), "0");
    assert_eq!(
        trace.rows(STATS),
        "\
name                  machine  file  value
invalid_cpu_times     0        0     1
meminfo_unknown_keys  0        0     1
psi_unknown_resource  0        0     1
vmstat_unknown_keys   0        0     2
"
    );
}

#[test]
fn times_of_cpus() {
    let times = (2..=9).fold(Message::new().uint(1, 3), |times, n| times.uint(n, 100 * n as u64));
    let trace = packets([poll(10, Message::new().message(3, times))]);
    assert_eq!(
        trace.rows(COUNTERS),
        "\
ts  type     name                      value
10  cpustat  cpu.times.user_ns         200.0
10  cpustat  cpu.times.user_nice_ns    300.0
10  cpustat  cpu.times.system_mode_ns  400.0
10  cpustat  cpu.times.idle_ns         500.0
10  cpustat  cpu.times.io_wait_ns      600.0
10  cpustat  cpu.times.irq_ns          700.0
10  cpustat  cpu.times.softirq_ns      800.0
10  cpustat  cpu.times.steal_ns        900.0
"
    );
    assert_eq!(
        trace.rows(&DIMENSIONS.replace("ORDER", "WHERE name LIKE '%user_ns' ORDER")),
        "\
type     name               key          value_type  int_value  string_value
cpustat  cpu.times.user_ns  cpu          int         3          NULL
cpustat  cpu.times.user_ns  cpustat_key  string      NULL       user_ns
"
    );
}

#[test]
fn interrupts_and_forks() {
    let stats = Message::new()
        .uint(4, 40)
        .uint(5, 50)
        .message(6, keyed(24, 6))
        .uint(7, 70)
        .message(8, keyed(3, 8));
    let trace = packets([poll(10, stats)]);
    assert_eq!(
        trace.rows(COUNTERS),
        "\
ts  type               name                 value
10  num_irq            num_irq (id: 24)     6.0
10  num_softirq        num_softirq (id: 3)  8.0
10  num_forks          num_forks            40.0
10  num_irq_total      num_irq_total        50.0
10  num_softirq_total  num_softirq_total    70.0
"
    );
    assert_eq!(
        trace.rows(DIMENSIONS),
        "\
type         name                 key  value_type  int_value  string_value
num_irq      num_irq (id: 24)     irq  int         24         NULL
num_softirq  num_softirq (id: 3)  irq  int         3          NULL
"
    );
}

#[test]
fn frequencies_of_devices_cpus_and_the_gpu() {
    let stats = Message::new()
        .message(10, named("mif", 1_800))
        .uint(11, 500_000)
        .uint(11, 600_000)
        .packed(17, [300]);
    let kernel = FtraceBundle::new(0).event(FtraceEvent::cpu_frequency(20, 0, 1, 700_000));
    let trace = packets([poll(10, stats), Packet::new().sequence(1).ftrace(kernel)]);
    // The kernel event of CPU 1 is on the track of its polled values.
    assert_eq!(
        trace.rows(
            "SELECT c.ts, track_id, t.type, t.name, value, unit FROM counter c \
            JOIN counter_track t ON track_id = t.id ORDER BY c.ts, track_id"
        ),
        "\
ts  track_id  type             name           value     unit
10  0         clock_frequency  mif Frequency  1800.0    NULL
10  1         cpu_frequency    cpufreq        500000.0  kHz
10  2         cpu_frequency    cpufreq        600000.0  kHz
10  3         gpu_frequency    gpufreq        300.0     MHz
20  2         cpu_frequency    cpufreq        700000.0  kHz
"
    );
    assert_eq!(
        trace.rows(DIMENSIONS),
        "\
type             name           key           value_type  int_value  string_value
clock_frequency  mif Frequency  linux_device  string      NULL       mif
cpu_frequency    cpufreq        cpu           int         0          NULL
cpu_frequency    cpufreq        cpu           int         1          NULL
gpu_frequency    gpufreq        ugpu          int         0          NULL
gpu_frequency    gpufreq        gpu           int         0          NULL
"
    );
}

#[test]
fn free_blocks_by_size_and_caches_of_the_kernel() {
    let buddies = Message::new().bytes(1, "0").bytes(2, "DMA").packed(3, [9, 4]);
    let slab = Message::new().bytes(1, "dentry").uint(2, 2).uint(3, 10);
    let stats = Message::new().message(12, buddies).message(18, slab);
    let info = Packet::new().payload(45, Message::new().uint(6, 16_384));
    let trace = packets([info, poll(10, stats)]);
    // Blocks are of 1 page, then of 2; the cache has 10 slabs of 2 pages each.
    assert_eq!(
        trace.rows(COUNTERS),
        "\
ts  type       name                          value
10  buddyinfo  mem.buddyinfo[0][DMA][16 kB]  9.0
10  buddyinfo  mem.buddyinfo[0][DMA][32 kB]  4.0
10  slabinfo   mem.slab.dentry               327680.0
"
    );
    assert_eq!(
        trace.rows(&DIMENSIONS.replace("ORDER", "WHERE name NOT LIKE '%32%' ORDER")),
        "\
type       name                          key                      value_type  int_value  string_value
buddyinfo  mem.buddyinfo[0][DMA][16 kB]  buddyinfo_node           string      NULL       0
buddyinfo  mem.buddyinfo[0][DMA][16 kB]  buddyinfo_zone           string      NULL       DMA
buddyinfo  mem.buddyinfo[0][DMA][16 kB]  buddyinfo_chunk_size_kb  int         16         NULL
slabinfo   mem.slab.dentry               slab_name                string      NULL       dentry
"
    );
    assert_eq!(
        trace.rows("SELECT key, value_type, int_value FROM counter JOIN args USING (arg_set_id)"),
        "\
key             value_type  int_value
pages_per_slab  uint        2
num_slabs       uint        10
"
    );
}

#[test]
fn pages_are_of_4_kib_by_default_and_sizes_have_an_end() {
    let orders = Message::new().bytes(1, "0").bytes(2, "N").packed(3, vec![1; 60]);
    let trace = packets([poll(10, Message::new().message(12, orders))]);
    assert_eq!(
        trace.cell("SELECT min(int_value) FROM args WHERE key = 'buddyinfo_chunk_size_kb'"),
        "4"
    );
    // From 4096 bytes, 52 sizes fit into 64 bits.
    assert_eq!(trace.cell("SELECT count(*) FROM counter"), "52");
    assert_eq!(trace.cell("SELECT value FROM stats WHERE name = 'malformed_packets'"), "1");
}

#[test]
fn disks_count_from_poll_to_poll() {
    let disk = |name: &str, totals: [u64; 8]| {
        let message = Message::new().bytes(1, name);
        (2..).zip(totals).fold(message, |message, (field, total)| message.uint(field, total))
    };
    let first = Message::new().message(13, disk("vda", [100, 10, 0, 0, 0, 0, 7, 3]));
    let second = Message::new()
        .message(13, disk("vda", [2148, 510, 4096, 0, 0, 0, 9, 8]))
        .message(13, disk("sda", [1, 1, 1, 1, 1, 1, 1, 1]));
    let trace = packets([poll(10, first), poll(20, second)]);
    // 2048 sectors of 512 bytes are 1 MB, read in 0.5 s; what took no time has no throughput.
    // Of `sda` there is nothing to compare with.
    assert_eq!(
        trace.rows(COUNTERS),
        "\
ts  type      name                               value
20  diskstat  diskstat.[vda].read_amount         1.0
20  diskstat  diskstat.[vda].read_throughput     2.0
20  diskstat  diskstat.[vda].write_amount        2.0
20  diskstat  diskstat.[vda].write_throughput    0.0
20  diskstat  diskstat.[vda].discard_amount      0.0
20  diskstat  diskstat.[vda].discard_throughput  0.0
20  diskstat  diskstat.[vda].flush_amount        2.0
20  diskstat  diskstat.[vda].flush_time          5.0
"
    );
    assert_eq!(
        trace.rows(UNITS),
        "\
name                               unit
diskstat.[vda].read_amount         MB
diskstat.[vda].read_throughput     MB/s
diskstat.[vda].write_amount        MB
diskstat.[vda].write_throughput    MB/s
diskstat.[vda].discard_amount      MB
diskstat.[vda].discard_throughput  MB/s
diskstat.[vda].flush_amount        count
diskstat.[vda].flush_time          ms
"
    );
    assert_eq!(
        trace.rows(&DIMENSIONS.replace("ORDER", "WHERE name LIKE '%read_amount' ORDER")),
        "\
type      name                        key           value_type  int_value  string_value
diskstat  diskstat.[vda].read_amount  device_name   string      NULL       vda
diskstat  diskstat.[vda].read_amount  counter_name  string      NULL       read_amount
"
    );
}

#[test]
fn pressure_temperatures_and_idle_states() {
    let state = Message::new().uint(1, 2).message(2, named("C1", 12)).message(2, named("C6", 34));
    let stats = Message::new()
        .message(14, keyed(1, 5))
        .message(14, keyed(6, 6))
        .message(15, Message::new().bytes(1, "thermal_zone0").uint(2, 41).bytes(3, "soc"))
        .message(16, state);
    let trace = packets([poll(10, stats)]);
    assert_eq!(
        trace.rows(COUNTERS),
        "\
ts  type                     name          value
10  psi                      psi.cpu.some  5.0
10  psi                      psi.mem.full  6.0
10  thermal_temperature_sys  soc           41.0
10  cpu_idle_state           cpuidle2.C1   12.0
10  cpu_idle_state           cpuidle2.C6   34.0
"
    );
    assert_eq!(
        trace.rows(UNITS),
        "\
name          unit
psi.cpu.some  NULL
psi.mem.full  NULL
soc           C
cpuidle2.C1   us
cpuidle2.C6   us
"
    );
    assert_eq!(
        trace.rows(DIMENSIONS),
        "\
type                     name          key           value_type  int_value  string_value
psi                      psi.cpu.some  psi_resource  string      NULL       cpu.some
psi                      psi.mem.full  psi_resource  string      NULL       mem.full
thermal_temperature_sys  soc           thermal_zone  string      NULL       soc
cpu_idle_state           cpuidle2.C1   cpu           int         2          NULL
cpu_idle_state           cpuidle2.C1   state         string      NULL       C1
cpu_idle_state           cpuidle2.C6   cpu           int         2          NULL
cpu_idle_state           cpuidle2.C6   state         string      NULL       C6
"
    );
}

#[test]
fn disks_of_two_machines_are_not_compared() {
    let disk =
        |sectors| Message::new().message(13, Message::new().bytes(1, "vda").uint(2, sectors));
    let trace = packets([poll(10, disk(1)), poll(20, disk(2)).machine(9)]);
    assert_eq!(trace.cell("SELECT count(*) FROM counter"), "0");
}
