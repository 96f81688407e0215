//! Counters of the GPU.

use tpq_testkit::{Message, NEEDS_STATE, Packet, STATE_CLEARED};

use super::{DIMENSIONS, packets};
use crate::imported::STATS;

const VALUES: &str = "SELECT ts, name, value FROM counter c JOIN track t ON track_id = t.id \
    ORDER BY name, ts";
const TRACKS: &str = "SELECT id, name, type, unit, description, ugpu, gpu_id \
    FROM gpu_counter_track ORDER BY id";
const GROUPS: &str = "SELECT group_id, t.name AS counter, g.name, g.description \
    FROM gpu_counter_group g JOIN track t ON track_id = t.id ORDER BY g.id";

fn event(at: u64, event: Message) -> Packet {
    Packet::new().sequence(1).timestamp(at).payload(52, event)
}

fn int(id: u64, value: i64) -> Message {
    Message::new().uint(1, id).int(2, value)
}

fn real(id: u64, value: f64) -> Message {
    Message::new().uint(1, id).double(3, value)
}

fn spec(id: u64, name: &str) -> Message {
    Message::new().uint(1, id).bytes(2, name)
}

#[test]
fn a_value_is_of_the_time_before_it() {
    let described = Message::new()
        .message(1, spec(5, "busy").bytes(3, "How busy it is").uint(7, 37))
        .message(1, spec(6, "clock").uint(11, 2));
    let trace = packets([
        event(10, Message::new().message(1, described).message(2, int(5, 1)).message(2, int(6, 1))),
        event(20, Message::new().message(2, int(5, -2)).message(2, real(6, 2.5))),
        event(30, Message::new().message(2, real(5, 3.5)).message(2, int(99, 1))),
    ]);
    // The value read at 20 holds from 10 on; after 30 nothing is known. `clock` looks forwards.
    assert_eq!(
        trace.rows(VALUES),
        "\
ts  name   value
10  busy   -2.0
20  busy   3.5
30  busy   0.0
10  clock  1.0
20  clock  2.5
"
    );
    assert_eq!(
        trace.rows(TRACKS),
        "\
id  name   type         unit  description     ugpu  gpu_id
0   busy   gpu_counter  %     How busy it is  0     0
1   clock  gpu_counter  NULL  NULL            0     0
"
    );
    assert_eq!(
        trace.rows(DIMENSIONS),
        "\
type         name   key   value_type  int_value  string_value
gpu_counter  busy   ugpu  int         0          NULL
gpu_counter  busy   gpu   int         0          NULL
gpu_counter  busy   name  string      NULL       busy
gpu_counter  clock  ugpu  int         0          NULL
gpu_counter  clock  gpu   int         0          NULL
gpu_counter  clock  name  string      NULL       clock
"
    );
    let source = "SELECT t.name, key, value_type, string_value FROM track t \
        JOIN args ON source_arg_set_id = arg_set_id ORDER BY t.id";
    assert_eq!(
        trace.rows(source),
        "\
name   key          value_type  string_value
busy   description  string      How busy it is
clock  description  string      NULL
"
    );
}

#[test]
fn units_are_fractions_of_products() {
    let units = |id, name: &str, numerator: &[u64], denominator: &[u64]| {
        let spec = numerator.iter().fold(spec(id, name), |spec, &unit| spec.uint(7, unit));
        denominator.iter().fold(spec, |spec, &unit| spec.uint(8, unit))
    };
    let described = Message::new()
        .message(1, units(1, "bytes a second", &[7], &[22]))
        .message(1, units(2, "products", &[31, 25], &[22, 0, 26]))
        .message(1, units(3, "of something", &[0], &[]))
        .message(1, units(4, "of a newer unit", &[1000], &[]));
    let trace = packets([event(10, Message::new().message(1, described))]);
    assert_eq!(
        trace.rows("SELECT name, unit FROM counter_track ORDER BY id"),
        "\
name             unit
bytes a second   B/s
products         J:Vertex/s:Pixel
of something
of a newer unit  Unknown
"
    );
}

#[test]
fn groups_of_counters() {
    let custom = Message::new().uint(1, 50).bytes(2, "mine").bytes(3, "What I watch").uint(4, 1);
    let renamed = Message::new().uint(1, 5).bytes(2, "RAM");
    let described = Message::new()
        .message(1, spec(1, "a").uint(10, 5).uint(10, 6))
        .message(1, spec(2, "b"))
        .message(6, custom.uint(4, 77))
        .message(6, renamed);
    let trace = packets([event(10, Message::new().message(1, described))]);
    assert_eq!(
        trace.rows(GROUPS),
        "\
group_id  counter  name  description
5         a        RAM   NULL
6         a        NULL  NULL
0         b        NULL  NULL
50        a        mine  What I watch
"
    );
}

#[test]
fn descriptions_that_are_interned_count_for_their_sequence() {
    let interned = |sequence, gpu, name: &str| {
        let specs = Message::new().message(1, spec(1, name));
        let entry = Message::new().uint(1, 3).message(2, specs).uint(3, gpu);
        let data = Message::new().message(47, entry);
        Packet::new().sequence(sequence).flags(STATE_CLEARED).payload(12, data)
    };
    let value = |at, sequence, iid, id| {
        let event = Message::new().uint(4, iid).message(2, int(id, 8));
        event_of(at, sequence, event)
    };
    let trace = packets([
        interned(1, 0, "first"),
        interned(2, 4, "second"),
        value(10, 1, 3, 1),
        value(20, 2, 3, 1),
        value(30, 1, 3, 1),
        value(40, 1, 3, 2),
        value(50, 1, 9, 1),
    ]);
    assert_eq!(
        trace.rows(VALUES),
        "\
ts  name    value
10  first   8.0
30  first   0.0
20  second  0.0
"
    );
    assert_eq!(
        trace.rows(TRACKS),
        "\
id  name    type         unit  description  ugpu  gpu_id
0   first   gpu_counter  NULL  NULL         0     0
1   second  gpu_counter  NULL  NULL         1     4
"
    );
    // A counter that is not described, and a description that is not there.
    assert_eq!(
        trace.rows(STATS),
        "\
name                            machine  file  value
gpu_counters_invalid_spec       0        0     2
interned_data_tokenizer_errors  0        0     1
"
    );
}

#[test]
fn values_without_a_time_are_dropped_and_their_descriptions_are_not() {
    let describe = |id, name: &str| Message::new().message(1, spec(id, name));
    let undated = |event| Packet::new().sequence(1).payload(52, event);
    let trace = packets([
        event(20, Message::new().message(2, int(1, 5)).message(2, int(2, 6))),
        undated(Message::new().message(1, describe(1, "first")).message(2, int(1, 7))),
        undated(Message::new().message(1, describe(2, "second"))),
        event(30, Message::new().message(2, int(1, 8)).message(2, int(3, 9))),
    ]);
    // The descriptions hold for the values before them, too.
    assert_eq!(
        trace.rows(VALUES),
        "\
ts  name    value
20  first   8.0
30  first   0.0
20  second  0.0
"
    );
    // One packet, and the value of the counter 3.
    assert_eq!(
        trace.rows(STATS),
        "\
name                            machine  file  value
gpu_counters_missing_spec       0        0     1
gpu_counters_missing_timestamp  0        0     1
"
    );
}

fn event_of(at: u64, sequence: u32, event: Message) -> Packet {
    let packet = Packet::new().sequence(sequence).flags(NEEDS_STATE);
    packet.timestamp(at).payload(52, event)
}

#[test]
fn descriptions_without_a_number_or_name_are_counted() {
    let described = Message::new()
        .message(1, Message::new().uint(1, 1))
        .message(1, Message::new().bytes(2, "nobody"))
        .message(1, spec(2, "twice"))
        .message(1, spec(2, "again"));
    let trace = packets([
        event(10, Message::new().message(1, described)),
        event(20, Message::new().uint(3, 1).bytes(1, [0xff])),
    ]);
    assert_eq!(trace.cell("SELECT name FROM gpu_counter_track"), "twice");
    let log = "SELECT l.id, l.name, key, coalesce(string_value, CAST(int_value AS VARCHAR)) AS value \
        FROM trace_import_logs l LEFT JOIN args USING (arg_set_id) ORDER BY l.id, args.id";
    assert_eq!(
        trace.rows(log),
        "\
id  name                       key           value
0   gpu_counters_invalid_spec  NULL          NULL
1   gpu_counters_invalid_spec  NULL          NULL
2   gpu_counters_invalid_spec  counter_id    2
2   gpu_counters_invalid_spec  counter_name  again
"
    );
    assert_eq!(
        trace.rows(STATS),
        "\
name                       machine  file  value
gpu_counters_invalid_spec  0        0     4
"
    );
}

#[test]
fn gpus_of_a_machine() {
    let extra = |key: &str, value: &str| Message::new().bytes(1, key).bytes(2, value);
    let gpu = Message::new()
        .bytes(1, "Name")
        .bytes(2, "Vendor")
        .bytes(3, "Model")
        .bytes(4, "Family")
        .bytes(5, [0x01, 0xab])
        .bytes(7, "0000:01:00.0")
        .message(6, extra("cores", "8"))
        .message(6, Message::new().bytes(1, "no value"));
    let info = Message::new().message(1, gpu).message(1, Message::new());
    let trace = packets([Packet::new().payload(128, info)]);
    assert_eq!(
        trace.rows(
            "SELECT id, ugpu, gpu, name, vendor, model, architecture, uuid, pci_bdf, \
            machine_id FROM gpu ORDER BY id"
        ),
        "\
id  ugpu  gpu  name  vendor  model  architecture  uuid  pci_bdf       machine_id
0   0     0    Name  Vendor  Model  Family        01ab  0000:01:00.0  0
1   1     1    NULL  NULL    NULL   NULL          NULL  NULL          0
"
    );
    assert_eq!(
        trace.rows("SELECT gpu, key, string_value FROM gpu JOIN args USING (arg_set_id)"),
        "\
gpu  key    string_value
0    cores  8
"
    );
}

#[test]
fn memory_of_the_gpu_in_use() {
    let memory = |at, pid, bytes| {
        let event = Message::new().uint(1, 2).uint(2, pid).uint(3, bytes);
        Packet::new().sequence(1).timestamp(at).payload(71, event)
    };
    let trace = packets([memory(10, 0, 5000), memory(20, 7, 300), memory(30, 7, 200)]);
    assert_eq!(
        trace.rows(
            "SELECT ts, t.type, t.name, unit, value FROM counter c JOIN counter_track t \
            ON track_id = t.id ORDER BY ts"
        ),
        "\
ts  type                name        unit   value
10  gpu_memory          GPU Memory  bytes  5000.0
20  process_gpu_memory  GPU Memory  bytes  300.0
30  process_gpu_memory  GPU Memory  bytes  200.0
"
    );
    assert_eq!(
        trace.rows(
            "SELECT ts, pid, tid FROM counter c JOIN process_counter_track t ON track_id = t.id \
            JOIN process USING (upid) JOIN thread USING (upid) ORDER BY ts"
        ),
        "\
ts  pid  tid
20  7    7
30  7    7
"
    );
    assert_eq!(trace.cell("SELECT count(*) FROM gpu_counter_track WHERE gpu_id = 2"), "2");
}
