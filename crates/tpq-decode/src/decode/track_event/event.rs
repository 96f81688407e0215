//! The fields of a track event.

use tpq_proto::fields::track_event;
use tpq_proto::wire::{Field, Fields, Value, repeated};
use tpq_tables::StringId;

use super::extra_values::{ExtraValues, GivenCount};
use super::legacy::{Legacy, Phase};

/// The kind of an event, by its `type`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Type {
    #[default]
    Unspecified,
    Begin,
    End,
    Instant,
    Counter,
    State,
    Other,
}

impl Type {
    pub(super) fn of(number: u64) -> Self {
        match number {
            0 => Self::Unspecified,
            1 => Self::Begin,
            2 => Self::End,
            3 => Self::Instant,
            4 => Self::Counter,
            5 => Self::State,
            _ => Self::Other,
        }
    }
}

/// The fields of an event, read in one pass; rare fields are read where they are needed. It is large,
/// and so filled in place: moving it takes longer than reading it.
#[derive(Default)]
pub(super) struct TrackEvent<'a> {
    pub(super) data: &'a [u8],
    pub(super) fields: Present,
    pub(super) name_iid: u64,
    pub(super) given_name: Option<&'a [u8]>,
    /// The id its category was interned under, where it has one such category only.
    pub(super) category_iid: Option<u64>,
    pub(super) event_type: Option<Type>,
    pub(super) track: Option<u64>,
    pub(super) name: StringId,
    pub(super) category: StringId,
    pub(super) counter: Option<f64>,
    pub(super) double_counter: Option<f64>,
    pub(super) extra: ExtraValues,
    pub(super) double_extra: ExtraValues,
    pub(super) thread_time: GivenCount,
    pub(super) instructions: GivenCount,
    pub(super) legacy: Option<Legacy<'a>>,
}

impl TrackEvent<'_> {
    /// The phase that the older form gives.
    pub(super) fn phase(&self) -> Option<Phase> {
        self.legacy.as_ref()?.phase
    }

    pub(super) fn is(&self, event_type: Type) -> bool {
        self.event_type == Some(event_type)
    }
}

/// Which fields an event has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Present {
    /// A bit for each number below 64; the lowest is for all others.
    bits: u64,
}

impl Present {
    /// Notes a field. Returns whether there was one of that bit.
    pub(super) fn add(&mut self, number: u32) -> bool {
        let bit = if number < 64 { 1 << number } else { 1 };
        let seen = self.any(bit);
        self.bits |= bit;
        seen
    }

    /// Whether there is one of the fields that have a bit in `numbers`.
    pub(super) fn any(self, numbers: u64) -> bool {
        self.bits & numbers != 0
    }
}

/// The bits of field numbers below 64.
pub(super) const fn bits<const N: usize>(numbers: [u32; N]) -> u64 {
    let (mut bits, mut at) = (0, 0);
    while at < N {
        bits |= 1 << numbers[at];
        at += 1;
    }
    bits
}

impl<'a> TrackEvent<'a> {
    /// Reads an event into what is empty.
    // Inlined, so that the loop over the fields is part of the caller.
    #[inline(always)]
    pub(super) fn read(&mut self, data: &'a [u8]) {
        let event = self;
        event.data = data;
        for field in Fields::new(data) {
            let seen = event.fields.add(field.number);
            match field.number {
                track_event::CATEGORY_IIDS => {
                    let is_single = !seen && matches!(field.value, Value::Varint(_));
                    event.category_iid = is_single.then(|| field.as_u64());
                }
                track_event::NAME_IID => event.name_iid = field.as_u64(),
                track_event::NAME => event.given_name = Some(field.as_bytes()),
                track_event::TYPE => event.event_type = Some(Type::of(field.as_u64())),
                track_event::TRACK_UUID => event.track = Some(field.as_u64()),
                track_event::COUNTER_VALUE => event.counter = Some(field.as_i64() as f64),
                track_event::DOUBLE_COUNTER_VALUE => event.double_counter = Some(field.as_f64()),
                track_event::EXTRA_COUNTER_VALUES => {
                    repeated(&field).for_each(|value| event.extra.add(value as i64 as f64))
                }
                track_event::EXTRA_COUNTER_TRACK_UUIDS => {
                    event.extra.tracks.extend(repeated(&field))
                }
                track_event::EXTRA_DOUBLE_COUNTER_VALUES => {
                    doubles(&field).for_each(|value| event.double_extra.add(value))
                }
                track_event::EXTRA_DOUBLE_COUNTER_TRACK_UUIDS => {
                    event.double_extra.tracks.extend(repeated(&field))
                }
                track_event::THREAD_TIME_DELTA_US => event.thread_time.delta = Some(in_ns(&field)),
                track_event::THREAD_TIME_ABSOLUTE_US => {
                    event.thread_time.absolute = Some(in_ns(&field))
                }
                track_event::THREAD_INSTRUCTION_COUNT_DELTA => {
                    event.instructions.delta = Some(field.as_i64())
                }
                track_event::THREAD_INSTRUCTION_COUNT_ABSOLUTE => {
                    event.instructions.absolute = Some(field.as_i64())
                }
                track_event::LEGACY_EVENT => {
                    event.legacy.insert(Legacy::default()).read(field.as_bytes());
                }
                _ => {}
            }
        }
    }
}

fn in_ns(us: &Field<'_>) -> i64 {
    us.as_i64().saturating_mul(1000)
}

fn doubles<'a>(field: &Field<'a>) -> impl Iterator<Item = f64> + use<'a> {
    let single = field.as_bytes().is_empty().then(|| field.as_f64());
    let packed = field.as_bytes().chunks_exact(8).filter_map(|bytes| bytes.first_chunk());
    single.into_iter().chain(packed.map(|bytes| f64::from_le_bytes(*bytes)))
}
