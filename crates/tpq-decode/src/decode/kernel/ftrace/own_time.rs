//! Events that were written later than they occurred and that state their own time.

use tpq_clock::{BOOTTIME, MONOTONIC_RAW};
use tpq_proto::fields::ftrace::{
    ftrace_event, fwtp_perfetto_counter, fwtp_perfetto_slice, gpu_work_period, param_set_value_cpm,
    thermal_exynos_acpm_bulk,
};
use tpq_proto::wire::{Fields, Value, read_varint};

/// The time at which an event occurred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// When the event was written.
    Written,
    /// At a moment of that clock, in ns.
    Own { clock: u32, ns: i64 },
    /// The event should say, but does not.
    Missing,
}

/// The events: the number of the field each lies in, the field in it that says when, and in which
/// clock.
const DATED: [(u32, u32, u32); 5] = [
    (ftrace_event::GPU_WORK_PERIOD, gpu_work_period::START_TIME_NS, MONOTONIC_RAW),
    (ftrace_event::THERMAL_EXYNOS_ACPM_BULK, thermal_exynos_acpm_bulk::TIMESTAMP, BOOTTIME),
    (ftrace_event::PARAM_SET_VALUE_CPM, param_set_value_cpm::TIMESTAMP, BOOTTIME),
    (ftrace_event::FWTP_PERFETTO_COUNTER, fwtp_perfetto_counter::TIMESTAMP, BOOTTIME),
    (ftrace_event::FWTP_PERFETTO_SLICE, fwtp_perfetto_slice::TIMESTAMP, BOOTTIME),
];

/// Whether events that lie in the field of that number state their own time.
pub(super) fn is_dated(kind: u32) -> bool {
    DATED.iter().any(|&(dated, ..)| dated == kind)
}

/// The time at which an event occurred. Bundles hold thousands of events, few of which are dated
/// otherwise than when they were written: this only looks for what kind the event is.
pub(super) fn when(event: &[u8]) -> When {
    let Some(kind) = kind(event) else { return When::Written };
    let Some(&(_, number, clock)) = DATED.iter().find(|&&(dated, ..)| dated == kind) else {
        return When::Written;
    };
    match Fields::new(message(event, kind)).find(|field| field.number == number) {
        Some(field) => When::Own { clock, ns: field.as_i64() },
        None => When::Missing,
    }
}

/// The number of the field that holds the event's own message, which follows those that all
/// events share.
fn kind(event: &[u8]) -> Option<u32> {
    let mut at = 0;
    loop {
        let tag = read_varint(event, &mut at)?;
        match tag & 7 {
            0 => read_varint(event, &mut at)?,
            2 => return u32::try_from(tag >> 3).ok(),
            _ => return None,
        };
    }
}

fn message(event: &[u8], kind: u32) -> &[u8] {
    let message = Fields::new(event).find(|field| field.number == kind);
    match message.map(|field| field.value) {
        Some(Value::Bytes(bytes)) => bytes,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An event of pid 7 at 5 with a message that has one field, a number.
    fn event(kind: u32, number: u32, value: u8) -> Vec<u8> {
        let mut bytes = vec![1 << 3, 5, 2 << 3, 7];
        let tag = kind << 3 | 2;
        bytes.extend([tag as u8 | 0x80, (tag >> 7) as u8, 2, (number << 3) as u8, value]);
        bytes
    }

    #[test]
    fn few_events_are_dated_otherwise_than_when_they_were_written() {
        let work = When::Own { clock: MONOTONIC_RAW, ns: 9 };
        assert_eq!(when(&event(488, 3, 9)), work);
        assert_eq!(when(&event(596, 1, 9)), When::Own { clock: BOOTTIME, ns: 9 });
        assert_eq!(when(&event(488, 4, 9)), When::Missing);
        assert_eq!(when(&event(313, 3, 9)), When::Written);
        assert_eq!(when(&[]), When::Written);
        assert_eq!(when(&[0xff]), When::Written);
    }
}
