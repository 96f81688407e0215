//! Runs: columns of timestamps that never decrease, each with its payload.

use std::sync::Arc;

use crate::{GenerationId, SourceId, Span};

/// The kind of a run's payloads. Kinds of events that bundles are split into are numbered by the
/// decoders, from [`RunKind::FIRST_SPLIT`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct RunKind(pub u32);

impl RunKind {
    /// Whole packets, each with the kind in its [`Message`].
    pub const PACKETS: Self = Self(0);
    /// The first number free for decoders.
    pub const FIRST_SPLIT: u32 = 1;
}

/// A run's position in the order of creation.
pub type RunId = u64;

/// A message and what is needed to understand it. Holds no [`Span`], which is padded: a quarter
/// of it would be unused, and many messages wait to be sorted.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    addr: u64,
    len: u32,
    /// The state of its sequence.
    pub generation: GenerationId,
    /// The number of the packet it came in.
    pub position: u32,
    /// The number of its field.
    pub kind: u32,
}

impl Message {
    /// A message at a location of the trace.
    #[inline]
    pub fn new(span: Span, generation: GenerationId, position: u32, kind: u32) -> Self {
        Self { addr: span.addr, len: span.len, generation, position, kind }
    }

    /// The location of the message in the trace.
    #[inline]
    pub fn span(&self) -> Span {
        Span { addr: self.addr, len: self.len }
    }
}

/// The payloads of a run, as many as there are timestamps.
#[derive(Clone, Debug)]
pub enum Payload {
    /// A message each.
    Messages(Vec<Message>),
    /// A message each, all in one bundle: its address, and offset and length of each.
    Bundle {
        /// The address of the bundle.
        addr: u64,
        /// Offset and length of each message.
        ranges: Vec<(u32, u32)>,
    },
    /// `width` numbers each, and strings they may refer to.
    Words {
        /// How many numbers there are for each event.
        width: usize,
        /// The numbers.
        words: Vec<u32>,
        /// The strings, shared by the runs of a bundle.
        strings: Arc<[Span]>,
        /// The order of events of one moment, the least first; empty where they are as they came.
        ranks: Vec<u64>,
        /// Whether each event has strings of its own and states in its numbers which, as
        /// [`crate::own_strings`] reads them. Otherwise any event can refer to any string.
        own_strings: bool,
    },
}

impl Payload {
    /// The location of an event; `None` where events are numbers.
    #[inline]
    pub fn message_of(&self, index: usize) -> Option<Span> {
        match self {
            Self::Messages(messages) => messages.get(index).map(Message::span),
            Self::Bundle { addr, ranges } => {
                let &(offset, len) = ranges.get(index)?;
                Some(Span { addr: addr + u64::from(offset), len })
            }
            Self::Words { .. } => None,
        }
    }
}

/// Events of one source in the order of time.
#[derive(Clone, Debug)]
pub struct Run {
    /// The kind of the payloads.
    pub kind: RunKind,
    /// The CPU that recorded the events; `None` for packets and other events of no CPU. The runs of
    /// a CPU are a lane of the sort: they hardly overlap.
    pub cpu: Option<u32>,
    /// The source of the events.
    pub source: SourceId,
    /// The state of the sequence it came from.
    pub generation: GenerationId,
    /// The number of the packet it came in.
    pub position: u32,
    /// The address of that packet's payload.
    pub addr: u64,
    /// Timestamps of the events, ns in trace time; they never decrease.
    pub timestamps: Vec<i64>,
    /// Payloads of the events, one for each timestamp.
    pub payload: Payload,
}

impl Run {
    /// Whether its payloads are whole packets.
    #[inline]
    pub fn holds_packets(&self) -> bool {
        self.kind == RunKind::PACKETS
    }

    /// The strings that it may share with other runs, if there are any.
    #[inline]
    pub(crate) fn shared_strings(&self) -> Option<&Arc<[Span]>> {
        match &self.payload {
            Payload::Words { strings, own_strings: false, .. } if !strings.is_empty() => {
                Some(strings)
            }
            _ => None,
        }
    }

    /// Its size in bytes, without strings that runs share.
    pub(crate) fn bytes(&self) -> u64 {
        let strings = match &self.payload {
            Payload::Words { strings, own_strings: true, .. } => size_of_val(&**strings),
            _ => 0,
        };
        (size_of::<Self>() + self.timestamps.len() * self.column_bytes() + strings) as u64
    }

    /// About what an event of it takes, in bytes, without strings that events share.
    pub(crate) fn event_bytes(&self) -> u64 {
        let strings = match &self.payload {
            Payload::Words { strings, own_strings: true, .. } => {
                strings.len() * size_of::<Span>() / self.timestamps.len().max(1)
            }
            _ => 0,
        };
        (self.column_bytes() + strings) as u64
    }

    /// Bytes of an event in columns.
    fn column_bytes(&self) -> usize {
        let payload = match &self.payload {
            Payload::Messages(_) => size_of::<Message>(),
            Payload::Bundle { .. } => size_of::<(u32, u32)>(),
            Payload::Words { width, ranks, .. } => {
                width * size_of::<u32>() + usize::from(!ranks.is_empty()) * size_of::<u64>()
            }
        };
        size_of::<i64>() + payload
    }

    /// The number of the packet an event came in.
    pub fn position_of(&self, index: usize) -> u32 {
        match &self.payload {
            Payload::Messages(messages) => messages[index].position,
            _ => self.position,
        }
    }

    /// The rank of an event among events with the same timestamp.
    pub(crate) fn rank_of(&self, index: usize) -> u64 {
        let rank = match &self.payload {
            Payload::Words { ranks, .. } => ranks.get(index).copied(),
            _ => None,
        };
        rank.unwrap_or_else(|| u64::from(self.position_of(index)))
    }

    /// The number of the payload's field, for a packet that is one event.
    pub(crate) fn kind_of(&self, index: usize) -> Option<u32> {
        match &self.payload {
            Payload::Messages(messages) => messages.get(index).map(|message| message.kind),
            _ => None,
        }
    }

    /// The address of the packet an event came in, or of its payload.
    pub fn addr_of(&self, index: usize) -> u64 {
        match &self.payload {
            Payload::Messages(messages) => messages[index].addr,
            _ => self.addr,
        }
    }

    /// Splits wherever time goes back, so that each part is sorted.
    pub(crate) fn into_sorted(mut self, out: &mut Vec<Self>) {
        let pairs = self.timestamps.windows(2).enumerate();
        let falls: Vec<usize> =
            pairs.filter(|(_, pair)| pair[1] < pair[0]).map(|(at, _)| at + 1).collect();
        let first = out.len();
        // From the end, so that each event is copied once, however often time goes back.
        out.extend(falls.iter().rev().map(|&at| self.split_off(at)));
        if !self.timestamps.is_empty() {
            self.shrink();
            out.push(self);
        }
        out[first..].reverse();
    }

    /// Gives back memory that it has more of than it needs, as it may wait for long.
    fn shrink(&mut self) {
        fn shrink<T>(values: &mut Vec<T>) {
            if values.capacity() > values.len() + values.len() / 8 {
                values.shrink_to_fit();
            }
        }
        shrink(&mut self.timestamps);
        match &mut self.payload {
            Payload::Messages(messages) => shrink(messages),
            Payload::Bundle { ranges, .. } => shrink(ranges),
            Payload::Words { words, ranks, .. } => {
                shrink(words);
                shrink(ranks);
            }
        }
    }

    fn split_off(&mut self, at: usize) -> Self {
        let timestamps = self.timestamps.split_off(at);
        let payload = match &mut self.payload {
            Payload::Messages(messages) => Payload::Messages(messages.split_off(at)),
            Payload::Bundle { addr, ranges } => {
                Payload::Bundle { addr: *addr, ranges: ranges.split_off(at) }
            }
            Payload::Words { width, words, strings, ranks, own_strings } => Payload::Words {
                width: *width,
                words: words.split_off(at * *width),
                strings: strings.clone(),
                ranks: ranks.split_off(at.min(ranks.len())),
                own_strings: *own_strings,
            },
        };
        Self { timestamps, payload, ..*self }
    }

    /// Drops the events before trace time began.
    pub(crate) fn drop_negative(&mut self) {
        let keep: Vec<bool> = self.timestamps.iter().map(|&ts| ts >= 0).collect();
        retain(&mut self.timestamps, &keep, 1);
        match &mut self.payload {
            Payload::Messages(messages) => retain(messages, &keep, 1),
            Payload::Bundle { ranges, .. } => retain(ranges, &keep, 1),
            Payload::Words { width, words, ranks, .. } => {
                retain(words, &keep, *width);
                retain(ranks, &keep, 1);
            }
        }
    }
}

fn retain<T>(values: &mut Vec<T>, keep: &[bool], width: usize) {
    let mut index = 0;
    values.retain(|_| {
        index += 1;
        keep[(index - 1) / width]
    });
}
