//! Failures that recorders report of themselves, and packets that lack what they are for.

use tpq_testkit::{Message, Packet};

use super::android_packets::lines;
use super::{COUNTERS, packets};

/// Counts that are not 0, of a kind.
fn counts(of: &str) -> String {
    format!("SELECT name, value FROM stats WHERE value != 0 AND name GLOB '{of}*' ORDER BY name")
}

fn at(ts: u64, field: u32, payload: Message) -> Packet {
    Packet::new().sequence(1).timestamp(ts).payload(field, payload)
}

/// Reason 0 is unknown, and so is 8.
#[test]
fn videos_that_end_early() {
    let failed = |reason| at(10 + reason, 1001, Message::new().uint(1, 4).uint(2, reason));
    let trace = packets((0..=8).map(failed));
    assert_eq!(
        lines(&trace, &counts("android_video")),
        [
            "android_video_codec_error 1",
            "android_video_display_gone 1",
            "android_video_display_not_found 1",
            "android_video_encoder_setup_failed 1",
            "android_video_no_encoder 1",
            "android_video_size_cap_hit 1",
            "android_video_virtual_display_failed 1",
        ]
    );
}

#[test]
fn lists_that_could_not_be_read() {
    let trace = packets([at(10, 83, Message::new().bool(2, true).bool(3, true))]);
    assert_eq!(
        lines(&trace, &counts("game_intervention")),
        ["game_intervention_has_parse_errors 1", "game_intervention_has_read_errors 1"]
    );
    let trace = packets([at(10, 132, Message::new().uint(20, 5).uint(21, 2))]);
    assert_eq!(
        lines(&trace, &counts("systemd")),
        ["systemd_journal_num_failed 2", "systemd_journal_num_total 5"]
    );
}

/// Two kernel events that the recorder does not know, one that it could not enable, and atrace.
#[test]
fn kernel_events_that_could_not_be_set_up() {
    let errors = Message::new()
        .uint(1, 1)
        .bytes(5, "atrace: no such category")
        .bytes(6, "sched/none")
        .bytes(6, "power/none")
        .bytes(7, "irq/refused");
    let trace = packets([at(10, 34, errors)]);
    assert_eq!(lines(&trace, &counts("ftrace_setup")), ["ftrace_setup_errors 4"]);
}

/// Residencies of states that nothing describes hide no others of their packet.
#[test]
fn power_states_that_are_not_described() {
    let state = Message::new().int(1, 0).int(2, 0).bytes(3, "Modem").bytes(4, "Sleep");
    let residency = |entity, ms| Message::new().int(1, entity).int(2, 0).uint(3, ms);
    let readings = [(7, 1), (0, 30), (8, 2)];
    let readings = readings.map(|(entity, ms)| residency(entity, ms));
    let readings =
        readings.into_iter().fold(Message::new(), |all, residency| all.message(2, residency));
    let trace = packets([
        at(10, 91, Message::new().message(1, state)),
        at(20, 91, readings),
        at(30, 91, Message::new()),
    ]);
    assert_eq!(lines(&trace, COUNTERS), ["20 entity_state Entity residency: Modem is Sleep 30.0"]);
    assert_eq!(
        lines(&trace, &counts("entity_state")),
        ["entity_state_residency_invalid 1", "entity_state_residency_lookup_failed 2"]
    );
}
