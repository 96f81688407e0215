//! Decoders of formats that have no packets.

use tpq_ingest::{Run, RunKind, Span};

use crate::decode::DecodeEvent;

/// Kinds of runs from here on belong to formats without packets.
const FIRST_OF_FORMATS: u32 = 1 << 30;

/// The kind of the runs that a format numbers `number`; numbers are unique across formats.
pub const fn format_run_kind(number: u32) -> RunKind {
    RunKind(FIRST_OF_FORMATS + number)
}

/// The decoders of a format.
pub struct FormatDecoder {
    /// The function for the events of each kind of run.
    pub runs: &'static [(RunKind, DecodeEvent)],
    /// The location of an event's text in the trace, where its run does not say it.
    pub text_of: fn(&Run, usize) -> Option<Span>,
}

/// The decoders of all formats, by kind of run.
#[derive(Default)]
pub(crate) struct FormatDecoders {
    decoders: Vec<Option<(DecodeEvent, &'static FormatDecoder)>>,
}

impl FormatDecoders {
    pub(crate) fn new(formats: &[&'static FormatDecoder]) -> Self {
        let mut all = Self::default();
        for &format in formats {
            for &(kind, decode) in format.runs {
                let Some(number) = kind.0.checked_sub(FIRST_OF_FORMATS) else { continue };
                let number = number as usize;
                if number >= all.decoders.len() {
                    all.decoders.resize(number + 1, None);
                }
                debug_assert!(all.decoders[number].is_none(), "two decoders of {kind:?}");
                all.decoders[number] = Some((decode, format));
            }
        }
        all
    }

    fn get(&self, kind: RunKind) -> Option<(DecodeEvent, &'static FormatDecoder)> {
        let number = kind.0.checked_sub(FIRST_OF_FORMATS)?;
        self.decoders.get(number as usize).copied().flatten()
    }

    /// The decoder of events of a run; `None` for events of packets.
    #[inline]
    pub(crate) fn decoder(&self, kind: RunKind) -> Option<DecodeEvent> {
        self.get(kind).map(|(decode, _)| decode)
    }

    /// The location of an event's text in the trace.
    pub(crate) fn text_of(&self, run: &Run, index: usize) -> Option<Span> {
        self.get(run.kind).and_then(|(_, format)| (format.text_of)(run, index))
    }
}
