//! Metadata of Chrome and of its benchmarks.

use tpq_testkit::{Message, Packet};

use super::{COUNTS, lines, packets};

const METADATA: &str = "SELECT name, int_value AS int, str_value AS text FROM metadata \
    WHERE name LIKE 'cr-%' OR name LIKE 'benchmark%' ORDER BY id";

fn message() -> Message {
    Message::new()
}

#[test]
fn typed_facts() {
    let trial = |name, group| message().uint(1, name).uint(2, group);
    let chrome = message()
        .message(1, message().fixed32(3, 99))
        .uint(2, 12)
        .bytes(3, "cc,gpu")
        .message(4, trial(1, 2))
        .message(4, trial(3, 4))
        .message(4, trial(5, 6))
        .bytes(5, "com.android.chrome")
        .bytes(6, "156.0")
        .uint(7, 3)
        .bytes(8, "Linux");
    let second = Packet::new().timestamp(2).payload(51, message().bytes(8, "Mac"));
    let trace = packets([Packet::new().timestamp(1).payload(51, chrome), second]);
    assert_eq!(
        lines(
            &trace,
            "SELECT name || ' ' || coalesce(str_value, cast(int_value AS VARCHAR)) \
            FROM metadata WHERE name LIKE 'cr-%' ORDER BY name"
        ),
        [
            "cr-a-channel 3",
            "cr-a-enabled_categories cc,gpu",
            "cr-a-field_trial_hashes { name: 1, group: 2 } { name: 3, group: 4 } \n\
             { name: 5, group: 6 } ",
            "cr-a-os-name Linux",
            "cr-a-package-name com.android.chrome",
            "cr-a-playstore_version_code 12",
            "cr-a-product-version 156.0",
            "cr-b-os-name Mac",
            "cr-background_tracing_metadata HWMAAAA=",
            "cr-scenario_name_hash 99",
        ]
    );
}

#[test]
fn facts_with_names_of_their_own() {
    let fact = |name: &str| message().bytes(1, name);
    let bundle = message()
        .message(2, fact("os").bytes(2, "Linux"))
        .message(2, fact("vm").bool(3, true))
        .message(2, fact("cores").int(4, -2))
        .message(2, fact("table").bytes(5, "{\"A\":1}"))
        .message(2, fact("nothing"));
    let second = message().message(2, fact("os").bytes(2, "Mac"));
    let packet = |at, bundle| Packet::new().timestamp(at).payload(5, bundle);
    let trace = packets([packet(10, bundle), packet(20, second)]);
    assert_eq!(
        trace.rows(METADATA),
        "\
name      int   text
cr-os     NULL  Linux
cr-vm     1     NULL
cr-cores  -2    NULL
cr-table  NULL  {\"A\":1}
cr-2-os   NULL  Mac
"
    );
    assert_eq!(lines(&trace, COUNTS), ["empty_chrome_metadata 1"]);
    assert_eq!(
        lines(&trace, "SELECT key || ' ' || value_type FROM args WHERE key = 'table'"),
        ["table json"]
    );
}

#[test]
fn facts_of_a_benchmark() {
    let benchmark = message()
        .int(1, 5000)
        .bytes(3, "load")
        .bytes(6, "news")
        .bytes(7, "hot")
        .bytes(7, "cold")
        .bool(9, true);
    let trace = packets([Packet::new().timestamp(1).payload(48, benchmark)]);
    assert_eq!(
        trace.rows(METADATA),
        "\
name                     int   text
benchmark_name           NULL  load
benchmark_story_name     NULL  news
benchmark_start_time_us  5000  NULL
benchmark_had_failures   1     NULL
benchmark_story_tags     NULL  hot
benchmark_story_tags     NULL  cold
"
    );
}
