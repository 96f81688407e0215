//! Wakelocks.

use insta::assert_snapshot;
use tpq_testkit::{FtraceEvent, Message};

use super::{DIMENSIONS, SLICES, kernel};

fn activate(at: u64, source: &str) -> FtraceEvent {
    FtraceEvent::other(at, 101, 404, Message::new().bytes(1, source))
}

fn deactivate(at: u64, source: &str) -> FtraceEvent {
    FtraceEvent::other(at, 101, 405, Message::new().bytes(1, source))
}

/// A source that is activated twice is active until it was deactivated twice. An end without a
/// beginning is nothing.
#[test]
fn wakeup_sources() {
    let imported = kernel([
        deactivate(5, "modem"),
        activate(10, "modem"),
        activate(20, "modem"),
        activate(25, "a source with a very long name"),
        deactivate(30, "modem"),
        deactivate(40, "modem"),
    ]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type                 track                            name                             category
    10  30   wakesource_wakelock  Wakelock(modem)                  Wakelock(modem)                  NULL
    25  -1   wakesource_wakelock  Wakelock(a source with a very l  Wakelock(a source with a very l  NULL
    ");
    assert_snapshot!(imported.rows(DIMENSIONS), @r"
    type                 name                             key             value_type  int_value  string_value
    wakesource_wakelock  Wakelock(modem)                  wakelock_event  string      NULL       modem
    wakesource_wakelock  Wakelock(a source with a very l  wakelock_event  string      NULL       a source with a very long name
    ");
}
