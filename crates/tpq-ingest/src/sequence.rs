//! The incremental state of each writer sequence, in file order.
//!
//! State changes along a sequence while events are decoded later and in another order, so each
//! event carries the [`GenerationId`] that was in force when it was written.

use rustc_hash::FxHashMap;
use tpq_clock::is_sequence_scoped;
use tpq_proto::fields::trace_packet_defaults;
use tpq_proto::wire::Fields;

use crate::event_time::EventTime;
use crate::history::{Gap, History, Stamp, has_reason};
use crate::packet::{PacketHeader, SEQ_NEEDS_INCREMENTAL_STATE};
use crate::snapshot::SnapshotClock;
use crate::{Loss, Losses, SourceId, Span};

/// A state of a sequence, by number.
pub type GenerationId = u32;

/// A state of a sequence: what is interned, and the defaults.
#[derive(Clone, Copy, Debug)]
pub struct Generation {
    /// The source of its packets.
    pub source: SourceId,
    /// The writer sequence.
    pub sequence: u32,
    /// The process that writes, where the recorder says.
    pub pid: Option<i32>,
    /// Generations with the same number share what is interned.
    pub interned: u32,
    /// The defaults of packets.
    pub defaults: Option<Span>,
    /// Whether the first packet of the sequence was seen.
    pub whole: bool,
}

/// Something that takes effect in file order rather than in the order of time.
#[derive(Clone, Copy, Debug)]
pub enum Immediate {
    /// A new generation; ids count up from 0.
    Generation(Generation),
    /// Interned data of a generation.
    Interned(GenerationId, Span),
    /// A packet that its decoder wants as soon as it is read.
    Packet {
        /// The packet's payload.
        message: crate::Message,
        /// Where it was recorded.
        source: SourceId,
        /// The writer sequence.
        sequence: u32,
        /// Timestamp, ns in trace time; `None` if it has none or it could not be converted.
        ts: Option<i64>,
    },
    /// Events that a CPU's buffer lost.
    Gap {
        /// Where it was recorded.
        source: SourceId,
        /// The CPU.
        cpu: u32,
        /// The last event before, in trace time.
        after: Option<i64>,
        /// The first event after, in trace time.
        before: i64,
    },
}

impl Immediate {
    /// The location of its bytes.
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::Interned(_, span) => Some(*span),
            Self::Packet { message, .. } => Some(message.span()),
            Self::Generation(_) | Self::Gap { .. } => None,
        }
    }
}

/// The clock of a sequence with incremental timestamps.
#[derive(Clone, Copy, Debug)]
struct TickClock {
    multiplier: u64,
    incremental: bool,
    last: i64,
}

/// State that the packets of a sequence refer to.
#[derive(Debug, Default)]
struct Sequence {
    generation: Option<GenerationId>,
    /// Whether the state is whole: cleared once, and nothing lost since.
    valid: bool,
    seen: bool,
    default_clock: Option<u32>,
    defaults: Option<Span>,
    interned: u32,
    ticks: FxHashMap<u32, TickClock>,
    /// Packets lost before one that was not the first.
    dropped: u64,
    history: History,
    needing_state: u64,
    skipped: u64,
    /// Whether its first packet was seen.
    whole: bool,
    event_time: EventTime,
}

/// All sequences of a file.
#[derive(Default)]
pub(crate) struct Sequences {
    sequences: Vec<Sequence>,
    /// Where each lies, by the machine and the number that its packets name.
    places: FxHashMap<(u32, u32), usize>,
    /// The sequence of the latest packet, and where it lies: writers' packets come in bursts.
    latest: Option<((u32, u32), usize)>,
    /// The clocks of a source that any of its sequences may use, where they tick in other units.
    ticks: FxHashMap<(SourceId, u32), TickClock>,
    generations: u32,
    scopes: u32,
}

/// Losses of a writer sequence.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SequenceLoss {
    /// The sequence.
    pub sequence: u32,
    /// The machine it wrote on, as packets name it.
    pub machine: u32,
    /// Places where packets were lost, the first packet of the sequence not counted.
    pub dropped: u64,
    /// Packets that needed incremental state.
    pub needing_state: u64,
    /// Those of them that had to be skipped.
    pub skipped: u64,
    /// Its packets, and their bytes.
    pub written: (u64, u64),
    /// The process it belongs to, where the recorder says.
    pub pid: Option<i32>,
    /// The first and last moment, in trace time, that a packet of it gives.
    pub span: Option<(i64, i64)>,
    /// The last moment before each loss and the first after it, in trace time, where packets give
    /// any; of many losses the first, the last of which reaches over those that came after.
    pub gaps: Vec<TimeRange>,
    /// Gaps of packets that were skipped because their state was missing.
    pub skips: Vec<TimeRange>,
    /// How often each reason was given for a loss, by the number of its bit in
    /// `previous_packet_dropped`.
    pub reasons: [u64; 16],
    /// The most bytes it wrote within 10 ms.
    pub burst: u64,
}

/// Two moments in trace time, as far as they are known.
pub type TimeRange = (Option<i64>, Option<i64>);

/// A packet's header, resolved by the state of its sequence.
pub(crate) struct ResolvedHeader {
    pub(crate) generation: GenerationId,
    /// Whether the packet can be understood.
    pub(crate) usable: bool,
    /// The clock of its timestamp, when not the trace's.
    pub(crate) clock: Option<u32>,
    /// Its timestamp in ns of that clock.
    pub(crate) ns: Option<i64>,
}

impl Sequences {
    /// Applies a packet's header to its sequence.
    pub(crate) fn resolve(
        &mut self,
        header: &PacketHeader,
        source: SourceId,
        span: Span,
        packet: &[u8],
        out: &mut Vec<Immediate>,
        losses: &mut Losses,
    ) -> ResolvedHeader {
        let place = self.place(header);
        let Self { sequences, ticks, generations, scopes, .. } = self;
        let sequence = &mut sequences[place];
        let dropped = sequence.lost_before(header);
        let mut changed = sequence.note_state(header, scopes, losses);
        changed |= sequence.note_defaults(header, span, packet, losses);
        if changed || sequence.generation.is_none() {
            out.push(Immediate::Generation(sequence.describe(header, source)));
            sequence.generation = Some(*generations);
            *generations += 1;
        }
        let generation = sequence.generation.unwrap_or_default();
        if let Some(interned) = sequence.interned_data(header, span, losses) {
            out.push(Immediate::Interned(generation, interned));
        }
        let usable = sequence.usable(header);
        sequence.history.note(header, packet.len(), usable, dropped);
        let clock = header.clock.or(sequence.default_clock);
        let ns = match usable {
            true => header.timestamp.map(|written| {
                let of_all = clock.and_then(|id| ticks.get(&(source, id)));
                sequence.advance_clock(clock, written, of_all.copied())
            }),
            false => None,
        };
        ResolvedHeader { generation, usable, clock, ns }
    }

    /// Where the sequence of a packet lies, which there is from then on.
    fn place(&mut self, header: &PacketHeader) -> usize {
        let key = (header.machine, header.sequence);
        match self.latest {
            Some((latest, place)) if latest == key => place,
            _ => {
                let next = self.sequences.len();
                let place = *self.places.entry(key).or_insert(next);
                if place == next {
                    self.sequences.push(Sequence::default());
                }
                self.latest = Some((key, place));
                place
            }
        }
    }

    /// The sequence of a packet, if there is one.
    fn known(&mut self, header: &PacketHeader) -> Option<&mut Sequence> {
        let key = (header.machine, header.sequence);
        let place = match self.latest {
            Some((latest, place)) if latest == key => place,
            _ => *self.places.get(&key)?,
        };
        self.sequences.get_mut(place)
    }

    /// Notes how the clocks tick that all sequences of a machine may use, from all snapshots of the
    /// file: a sequence may use such a clock before the snapshot another wrote of it. They count
    /// from no last timestamp.
    pub(crate) fn set_shared_clocks<'a>(
        &mut self,
        clocks: impl Iterator<Item = (SourceId, &'a SnapshotClock)>,
    ) {
        let shared = clocks.filter(|(_, it)| it.multiplier != 1 && !is_sequence_scoped(it.id));
        for (source, clock) in shared {
            let SnapshotClock { id, multiplier, value, .. } = *clock;
            let tick = TickClock { multiplier, incremental: false, last: value };
            self.ticks.insert((source, id), tick);
        }
    }

    /// Notes how a sequence's own clocks tick from here on, from a snapshot that it wrote.
    pub(crate) fn set_own_clocks(&mut self, header: &PacketHeader, clocks: &[SnapshotClock]) {
        for clock in clocks.iter().filter(|clock| is_sequence_scoped(clock.id)) {
            let SnapshotClock { id, multiplier, incremental, value, .. } = *clock;
            let place = self.place(header);
            let ticks = &mut self.sequences[place].ticks;
            // A later snapshot may define the clock anew.
            match incremental || multiplier != 1 {
                true => ticks.insert(id, TickClock { multiplier, incremental, last: value }),
                false => ticks.remove(&id),
            };
        }
    }

    /// Takes note of what the times of events may count from, and whether the sequence has a valid
    /// state for them to belong to.
    pub(crate) fn note_event_time(&mut self, header: &PacketHeader, payload: &[u8]) -> bool {
        let Some(sequence) = self.known(header) else { return false };
        if sequence.valid {
            sequence.event_time.note(header.kind, payload);
        }
        sequence.valid
    }

    /// Time of a track event in a packet without a timestamp, ns of [`crate::event_time::CLOCK`].
    pub(crate) fn event_time(
        &mut self,
        header: &PacketHeader,
        event: &[u8],
    ) -> Result<Option<i64>, Loss> {
        let place = self.place(header);
        self.sequences[place].event_time.of(event)
    }

    /// Time that the samples of a streamed profile count from, ns of [`crate::event_time::CLOCK`].
    pub(crate) fn profile_time(
        &mut self,
        header: &PacketHeader,
        profile: &[u8],
    ) -> Result<i64, Loss> {
        let place = self.place(header);
        self.sequences[place].event_time.of_profile(profile)
    }

    /// Takes note of when a packet, or an event in it, was recorded.
    pub(crate) fn date(&mut self, header: &PacketHeader, stamp: Stamp, len: usize) {
        if let Some(sequence) = self.known(header) {
            sequence.history.date(stamp, len);
        }
    }

    /// Losses of each sequence; `convert` gives trace time.
    pub(crate) fn losses(
        &self,
        mut convert: impl FnMut(Stamp) -> Option<i64>,
    ) -> Vec<SequenceLoss> {
        let mut losses = Vec::with_capacity(self.sequences.len());
        for (&(machine, sequence), &place) in &self.places {
            let state = &self.sequences[place];
            let history = &state.history;
            let mut between = |gaps: &[Gap]| {
                let gap = |gap: &Gap| {
                    (gap.after.and_then(&mut convert), gap.before.and_then(&mut convert))
                };
                gaps.iter().map(gap).collect()
            };
            let (gaps, skips) = (between(&history.gaps), between(&history.skips));
            let first = history.first.and_then(&mut convert);
            losses.push(SequenceLoss {
                sequence,
                machine,
                dropped: state.dropped,
                needing_state: state.needing_state,
                skipped: state.skipped,
                written: (history.packets, history.bytes),
                pid: history.pid,
                span: first.zip(history.last.and_then(&mut convert)),
                gaps,
                skips,
                reasons: history.reasons,
                burst: history.burst,
            });
        }
        losses.sort_unstable_by_key(|loss| (loss.machine, loss.sequence));
        losses
    }

    pub(crate) fn len(&self) -> usize {
        self.sequences.len()
    }
}

impl Sequence {
    /// Whether packets were lost before this one. The first packet of a sequence is marked as if,
    /// since the recorder does not know; unless it gives a reason, nothing was lost.
    fn lost_before(&self, header: &PacketHeader) -> bool {
        let first = !self.seen || header.first_on_sequence;
        header.previous_dropped != 0 && (!first || has_reason(header.previous_dropped))
    }

    /// Begins or loses the state; gives whether it is another now.
    fn note_state(&mut self, header: &PacketHeader, scopes: &mut u32, losses: &mut Losses) -> bool {
        self.dropped += u64::from(self.lost_before(header));
        self.seen = true;
        let begins = header.first_on_sequence && !self.whole;
        self.whole |= begins;
        if header.state_cleared || header.previous_dropped != 0 {
            self.event_time.forget();
        }
        if header.state_cleared {
            self.defaults = None;
            self.default_clock = None;
            self.valid = true;
            if header.sequence == 0 {
                losses.count(Loss::ClearedWithoutSequence);
            }
        } else if header.previous_dropped != 0 {
            self.valid = false;
            if header.sequence == 0 {
                losses.count(Loss::DroppedWithoutSequence);
            }
        }
        if header.state_cleared || self.generation.is_none() {
            *scopes += 1;
            self.interned = *scopes;
        }
        header.state_cleared || begins
    }

    /// Takes over the defaults a packet sets; gives whether it sets any.
    fn note_defaults(
        &mut self,
        header: &PacketHeader,
        span: Span,
        packet: &[u8],
        losses: &mut Losses,
    ) -> bool {
        let Some((offset, len)) = header.defaults else { return false };
        if header.sequence == 0 {
            losses.count(Loss::DefaultsWithoutSequence);
            return false;
        }
        self.defaults = Some(span.inner(offset as usize, len as usize));
        self.default_clock = Fields::new(&packet[offset as usize..][..len as usize])
            .filter(|field| field.number == trace_packet_defaults::TIMESTAMP_CLOCK_ID)
            .last()
            .map(|field| field.as_u32());
        true
    }

    /// The interned data of a packet, if its sequence has a state for it to belong to.
    fn interned_data(
        &self,
        header: &PacketHeader,
        span: Span,
        losses: &mut Losses,
    ) -> Option<Span> {
        let (offset, len) = header.interned?;
        match (header.sequence, self.valid) {
            (0, _) => losses.count(Loss::InternedWithoutSequence),
            (_, false) => losses.count(Loss::InternedWithoutState),
            _ => return Some(span.inner(offset as usize, len as usize)),
        }
        None
    }

    fn describe(&self, header: &PacketHeader, source: SourceId) -> Generation {
        Generation {
            source,
            sequence: header.sequence,
            pid: header.pid.or(self.history.pid),
            interned: self.interned,
            defaults: self.defaults,
            whole: self.whole,
        }
    }

    /// Whether the packet can be understood with the state there is.
    fn usable(&mut self, header: &PacketHeader) -> bool {
        if header.flags & SEQ_NEEDS_INCREMENTAL_STATE == 0 {
            return true;
        }
        self.needing_state += 1;
        if !self.valid || header.sequence == 0 {
            self.skipped += 1;
            return false;
        }
        true
    }

    /// A timestamp in ns of its clock. `of_all` is how the clock ticks if it is not the
    /// sequence's own.
    fn advance_clock(
        &mut self,
        clock: Option<u32>,
        written: u64,
        of_all: Option<TickClock>,
    ) -> i64 {
        let ticks = written as i64;
        let in_ns =
            |multiplier| ticks.saturating_mul(i64::try_from(multiplier).unwrap_or(i64::MAX));
        match clock.and_then(|clock| self.ticks.get_mut(&clock)) {
            Some(own) if own.incremental => {
                own.last = own.last.saturating_add(in_ns(own.multiplier));
                own.last
            }
            Some(own) => in_ns(own.multiplier),
            None => of_all.map_or(ticks, |clock| in_ns(clock.multiplier)),
        }
    }
}
