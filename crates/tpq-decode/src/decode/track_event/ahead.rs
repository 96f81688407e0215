//! Fields of track events and of descriptors of tracks, read before these are decoded: another thread
//! can do that, and waits for the bytes in place of the decoder.

use tpq_ingest::{Events, Message, Payload, Run, Span, TraceBytes};
use tpq_proto::fields::{trace_packet, track_event};
use tpq_proto::wire::{Field, Fields, Value};

use super::event::{Present, TrackEvent, Type, bits};
use super::track_descriptor::uuid_of_plain;

const CATEGORY: u64 = bits([track_event::CATEGORY_IIDS]);
const TYPE: u64 = bits([track_event::TYPE]);
const TRACK: u64 = bits([track_event::TRACK_UUID]);
const COUNTER: u64 = bits([track_event::COUNTER_VALUE]);
const DOUBLE_COUNTER: u64 = bits([track_event::DOUBLE_COUNTER_VALUE]);
const EXTRA: u64 = bits([track_event::EXTRA_COUNTER_VALUES]);

/// What was read of a packet before it is decoded in the order of time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ahead {
    /// A track event.
    Event(EventAhead),
    /// The uuid of a described track, where nothing else is decoded in the order of time.
    Track(u64),
}

// Two fit into a line of the processor's cache.
const _: () = assert!(size_of::<Option<Ahead>>() <= 32);

impl Ahead {
    /// Reads a packet that may be read ahead; `None` for one that must be read again.
    #[inline]
    fn read(kind: u32, data: &[u8]) -> Option<Self> {
        match kind {
            trace_packet::TRACK_EVENT => EventAhead::read(data).map(Self::Event),
            _ => uuid_of_plain(data).map(Self::Track),
        }
    }
}

/// What decoding has to know of an event with none but common fields. Many of them wait, so each
/// has one place for the value of whatever counter it has one of.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EventAhead {
    fields: Present,
    track: u64,
    value: f64,
    name_iid: u32,
    category_iid: u16,
    event_type: Type,
}

impl EventAhead {
    /// Reads the fields of an event; `None` for one that has others, which must be read again.
    #[inline]
    fn read(data: &[u8]) -> Option<Self> {
        let mut event = Self::default();
        let mut values = 0;
        for field in Fields::new(data) {
            let seen = event.fields.add(field.number);
            match field.number {
                track_event::CATEGORY_IIDS => {
                    event.category_iid = single(&field, seen)?.try_into().ok()?;
                }
                track_event::NAME_IID => event.name_iid = field.as_u64().try_into().ok()?,
                track_event::TYPE => event.event_type = Type::of(field.as_u64()),
                track_event::TRACK_UUID => event.track = field.as_u64(),
                track_event::COUNTER_VALUE => {
                    event.value = field.as_i64() as f64;
                    values += 1;
                }
                track_event::DOUBLE_COUNTER_VALUE => {
                    event.value = field.as_f64();
                    values += 1;
                }
                track_event::EXTRA_COUNTER_VALUES => {
                    event.value = single(&field, seen)? as i64 as f64;
                    values += 1;
                }
                track_event::NAME
                | track_event::EXTRA_COUNTER_TRACK_UUIDS
                | track_event::EXTRA_DOUBLE_COUNTER_VALUES
                | track_event::EXTRA_DOUBLE_COUNTER_TRACK_UUIDS
                | track_event::THREAD_TIME_DELTA_US
                | track_event::THREAD_TIME_ABSOLUTE_US
                | track_event::THREAD_INSTRUCTION_COUNT_DELTA
                | track_event::THREAD_INSTRUCTION_COUNT_ABSOLUTE
                | track_event::LEGACY_EVENT => return None,
                // Fields that are read where they are needed, as of any other event.
                _ => {}
            }
        }
        (values <= 1).then_some(event)
    }

    /// Fills in an empty event of these bytes, as [`TrackEvent::read`] does.
    #[inline(always)]
    pub(super) fn fill<'a>(&self, event: &mut TrackEvent<'a>, data: &'a [u8]) {
        let has = |numbers: u64| self.fields.any(numbers);
        event.data = data;
        event.fields = self.fields;
        event.name_iid = u64::from(self.name_iid);
        event.category_iid = has(CATEGORY).then_some(u64::from(self.category_iid));
        event.event_type = has(TYPE).then_some(self.event_type);
        event.track = has(TRACK).then_some(self.track);
        event.counter = has(COUNTER).then_some(self.value);
        event.double_counter = has(DOUBLE_COUNTER).then_some(self.value);
        if has(EXTRA) {
            event.extra.add(self.value);
        }
    }
}

/// The value of a repeated field that has one, which is not packed.
#[inline]
fn single(field: &Field<'_>, seen: bool) -> Option<u64> {
    match field.value {
        Value::Varint(value) if !seen => Some(value),
        _ => None,
    }
}

/// An event of a run, if it is a packet that may be read ahead.
#[inline]
fn packet_of(run: &Run, index: usize) -> Option<&Message> {
    const KINDS: [u32; 2] = [trace_packet::TRACK_EVENT, trace_packet::TRACK_DESCRIPTOR];
    match &run.payload {
        Payload::Messages(messages) if run.holds_packets() => {
            messages.get(index).filter(|message| KINDS.contains(&message.kind))
        }
        _ => None,
    }
}

/// What was read of the track events and descriptors of a step, in their order.
#[derive(Debug, Default)]
pub struct EventsAhead(Vec<Option<Ahead>>);

impl EventsAhead {
    /// Reads those among `events`; `reads` receives the location of each, just before. They take
    /// the memory of `spare`, which loses its contents.
    pub fn read(
        events: &Events,
        bytes: &TraceBytes<'_>,
        spare: Self,
        mut reads: impl FnMut(Span),
    ) -> Self {
        let mut ahead = spare.0;
        ahead.clear();
        for (at, (_, run, index)) in events.iter().enumerate() {
            let Some(message) = packet_of(run, index) else { continue };
            if ahead.is_empty() {
                ahead.reserve_exact(events.iter().size_hint().0);
            }
            events.fetch_ahead(at, bytes);
            reads(message.span());
            ahead.push(Ahead::read(message.kind, bytes.get(message.span())));
        }
        Self(ahead)
    }

    /// Goes through the events of the step.
    pub(crate) fn iter(&self) -> EventsAheadIter<'_> {
        EventsAheadIter(self.0.iter())
    }
}

/// Finds what was read of the events of a step, one after another.
pub(crate) struct EventsAheadIter<'a>(std::slice::Iter<'a, Option<Ahead>>);

impl<'a> EventsAheadIter<'a> {
    /// What was read of the next event of the step.
    #[inline]
    pub(crate) fn of_next(&mut self, run: &Run, index: usize) -> Option<&'a Ahead> {
        if self.0.as_slice().is_empty() {
            return None;
        }
        packet_of(run, index)?;
        self.0.next()?.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use tpq_ingest::RunKind;
    use tpq_testkit::random::Random;
    use tpq_testkit::{Annotation, TrackDescriptor, TrackEvent as Written, field};

    use super::*;

    /// What an event is, in text.
    fn shown(event: &TrackEvent<'_>) -> String {
        let TrackEvent { data, fields, name_iid, category_iid, event_type, track, .. } = event;
        let values = (event.counter, event.double_counter, &event.extra);
        let others = (event.given_name, &event.double_extra, event.thread_time, event.instructions);
        let legacy = &event.legacy;
        format!(
            "{data:?} {fields:?} {name_iid} {category_iid:?} {event_type:?} {track:?} {values:?} \
             {others:?} {legacy:?}"
        )
    }

    /// Whether the fields of an event are read ahead; they are then as when it is decoded.
    fn is_read(event: Written) -> bool {
        are_read(tpq_testkit::Message::from(event).as_bytes())
    }

    fn are_read(data: &[u8]) -> bool {
        let Some(ahead) = EventAhead::read(data) else { return false };
        let (mut filled, mut read) = (TrackEvent::default(), TrackEvent::default());
        ahead.fill(&mut filled, data);
        read.read(data);
        assert_eq!(shown(&filled), shown(&read));
        true
    }

    /// Fields of an event in any number, order and encoding, of which some are cut off.
    fn any_fields(random: &mut Random) -> Vec<u8> {
        const NUMBERS: [u32; 20] = [
            track_event::CATEGORY_IIDS,
            track_event::NAME_IID,
            track_event::TYPE,
            track_event::TRACK_UUID,
            track_event::COUNTER_VALUE,
            track_event::DOUBLE_COUNTER_VALUE,
            track_event::EXTRA_COUNTER_VALUES,
            track_event::FLOW_IDS,
            track_event::CATEGORIES,
            track_event::DEBUG_ANNOTATIONS,
            1_000,
            track_event::NAME,
            track_event::EXTRA_COUNTER_TRACK_UUIDS,
            track_event::EXTRA_DOUBLE_COUNTER_VALUES,
            track_event::EXTRA_DOUBLE_COUNTER_TRACK_UUIDS,
            track_event::THREAD_TIME_DELTA_US,
            track_event::THREAD_TIME_ABSOLUTE_US,
            track_event::THREAD_INSTRUCTION_COUNT_DELTA,
            track_event::THREAD_INSTRUCTION_COUNT_ABSOLUTE,
            track_event::LEGACY_EVENT,
        ];
        const VALUES: [u64; 8] = [0, 1, 5, 300, 0xffff, 1 << 16, 1 << 32, u64::MAX];
        let mut fields = tpq_testkit::Message::new();
        for _ in 0..random.below(6) {
            let number = NUMBERS[random.below(NUMBERS.len())];
            let value = VALUES[random.below(VALUES.len())];
            fields = match random.below(8) {
                0 => fields.fixed64(number, value),
                1 => fields.fixed32(number, value as u32),
                2 => fields.bytes(number, value.to_le_bytes()),
                3 => fields.bytes(number, b""),
                _ => fields.uint(number, value),
            };
        }
        let mut bytes = fields.into_bytes();
        if random.below(8) == 0 {
            let rest = random.below(bytes.len());
            bytes.truncate(rest);
        }
        bytes
    }

    #[test]
    fn whatever_an_event_holds_is_read_as_when_it_is_decoded() {
        let mut random = Random::new(1);
        let read = (0..20_000).filter(|_| are_read(&any_fields(&mut random))).count();
        assert!((4_000..12_000).contains(&read), "{read}");
    }

    fn extra(event: Written, value: i64) -> Written {
        let event = tpq_testkit::Message::from(event);
        event.int(field::TrackEvent::extra_counter_values, value).into()
    }

    #[test]
    fn common_fields_are_read_as_when_the_event_is_decoded() {
        let plain = || Written::begin(1 << 63).name_iid(70_000).category_iid(7);
        assert!(is_read(plain()));
        assert!(is_read(extra(plain(), -5)));
        assert!(is_read(Written::end_here()));
        assert!(is_read(Written::counter(3, i64::MIN)));
        assert!(is_read(Written::double_counter(3, 0.5)));
        assert!(is_read(plain().annotation(Annotation::named("key").int(1)).flow(4)));
        assert!(is_read(plain().category("named")));
    }

    #[test]
    fn an_event_with_other_fields_is_read_when_it_is_decoded() {
        let plain = || Written::begin(1).name_iid(1);
        assert!(!is_read(plain().name("given")));
        assert!(!is_read(plain().category_iid(1).category_iid(2)));
        assert!(!is_read(plain().category_iid(1 << 16)));
        assert!(!is_read(plain().name_iid(1 << 32)));
        assert!(!is_read(extra(extra(plain(), 1), 2)));
        assert!(!is_read(extra(Written::counter(1, 2), 3)));
        assert!(!is_read(plain().extra_counter(1, 2)));
    }

    #[test]
    fn events_of_other_kinds_are_passed_over() {
        let run = |kinds: &[u32]| Run {
            kind: RunKind::PACKETS,
            cpu: None,
            source: 0,
            generation: 0,
            position: 0,
            addr: 0,
            timestamps: vec![0; kinds.len()],
            payload: Payload::Messages(
                kinds.iter().map(|&kind| Message::new(Span::default(), 0, 0, kind)).collect(),
            ),
        };
        let (event, track) = (trace_packet::TRACK_EVENT, trace_packet::TRACK_DESCRIPTOR);
        let other = trace_packet::PROCESS_TREE;
        let run = run(&[other, event, other, track, event, other]);
        let named = EventAhead { name_iid: 5, ..EventAhead::default() };
        let ahead = EventsAhead(vec![None, Some(Ahead::Track(7)), Some(Ahead::Event(named))]);
        let mut events = ahead.iter();
        let read = (0..6).map(|index| match events.of_next(&run, index) {
            Some(Ahead::Event(event)) => u64::from(event.name_iid),
            Some(&Ahead::Track(uuid)) => uuid,
            None => 0,
        });
        assert_eq!(read.collect::<Vec<_>>(), [0, 0, 0, 7, 5, 0]);
    }

    #[test]
    fn of_a_plain_descriptor_the_uuid_is_read() {
        let read = |track: TrackDescriptor| {
            let message = tpq_testkit::Message::from(track);
            match Ahead::read(trace_packet::TRACK_DESCRIPTOR, message.as_bytes()) {
                Some(Ahead::Track(uuid)) => Some(uuid),
                _ => None,
            }
        };
        assert_eq!(read(TrackDescriptor::new(1 << 63).parent(2).name("plain")), Some(1 << 63));
        assert_eq!(read(TrackDescriptor::new(1).thread(2, 3, "thread")), None);
    }
}
