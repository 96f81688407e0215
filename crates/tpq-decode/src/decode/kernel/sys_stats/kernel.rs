//! Counts of the kernel since boot: interrupts and forked processes.

use tpq_proto::wire::Field;
use tpq_tables::{Stats, Tables};

use super::{Packet, numbers};
use tpq_trackers::track::{Dimensions, TrackKind, Trackers};

const FORKS: TrackKind = TrackKind::counter("num_forks", None);
const INTERRUPTS: TrackKind = TrackKind::counter("num_irq", None);
const ALL_INTERRUPTS: TrackKind = TrackKind::counter("num_irq_total", None);
const SOFT_INTERRUPTS: TrackKind = TrackKind::counter("num_softirq", None);
const ALL_SOFT_INTERRUPTS: TrackKind = TrackKind::counter("num_softirq_total", None);

pub(super) fn forks(
    packet: &Packet<'_>,
    fields: &[Field<'_>],
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    total(packet, fields, FORKS, trackers, tables);
}

pub(super) fn all_interrupts(
    packet: &Packet<'_>,
    fields: &[Field<'_>],
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    total(packet, fields, ALL_INTERRUPTS, trackers, tables);
}

pub(super) fn all_soft_interrupts(
    packet: &Packet<'_>,
    fields: &[Field<'_>],
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    total(packet, fields, ALL_SOFT_INTERRUPTS, trackers, tables);
}

pub(super) fn interrupts(
    packet: &Packet<'_>,
    fields: &[Field<'_>],
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    by_number(packet, fields, INTERRUPTS, trackers, tables);
}

pub(super) fn soft_interrupts(
    packet: &Packet<'_>,
    fields: &[Field<'_>],
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    by_number(packet, fields, SOFT_INTERRUPTS, trackers, tables);
}

/// A count of the machine as a whole, on a track named as its kind.
fn total(
    packet: &Packet<'_>,
    fields: &[Field<'_>],
    kind: TrackKind,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let Some(count) = fields.last() else { return };
    let name = tables.strings.intern(kind.name);
    let dimensions = Dimensions::machine(packet.machine);
    trackers.count((packet.ts(), count.as_u64() as f64), kind, dimensions, name, tables);
}

/// Counts of interrupts, each with the interrupt's number.
fn by_number(
    packet: &Packet<'_>,
    fields: &[Field<'_>],
    kind: TrackKind,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    for field in fields {
        let [irq, count] = numbers(field.as_bytes());
        let irq = irq as u32;
        let name = tables.strings.intern(&format!("{} (id: {irq})", kind.name));
        let dimensions = Dimensions::machine(packet.machine).number("irq", irq.into());
        trackers.count((packet.ts(), count as f64), kind, dimensions, name, tables);
    }
}
