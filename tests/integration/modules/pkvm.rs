//! `pkvm.*`

use tpq_testkit::{FtraceBundle, FtraceEvent, Message, Packet, TraceBuilder};

use super::lines;
use crate::imported::Imported;

/// CPU 2 enters the hypervisor at 10, for a call of the host, and leaves it at 30.
#[test]
fn time_in_the_hypervisor() {
    let call = Message::new().int(1, 12).int(2, 1);
    let bundle = FtraceBundle::new(2)
        .event(FtraceEvent::other(10, 100, 476, Message::new()))
        .event(FtraceEvent::other(20, 100, 478, call))
        .event(FtraceEvent::other(30, 100, 477, Message::new()));
    let kernel = Packet::new().sequence(9).ftrace(bundle);
    let trace = Imported::trace(TraceBuilder::new().packet(kernel));
    let sql = "SELECT slice_id, cpu, ts, dur, reason FROM pkvm_hypervisor_events";
    assert_eq!(lines(&trace, "pkvm.hypervisor", sql), ["0 2 10 20 host_hcall"]);
}
