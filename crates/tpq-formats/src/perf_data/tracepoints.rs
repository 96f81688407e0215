//! Samples of tracepoints, which hold an event of the kernel's tracer, as packets of kernel events.

use tpq_ingest::{Loss, Prescan, PrescanMemory};

use super::attribute::{Attribute, Events, ids};
use super::features::feature;
use super::layout::{Layout, Numbers, RECORD_HEADER, Record, kind};
use super::sample::tracepoint;
use crate::trace_cmd::{EmbeddedFormats, KernelEvent};

/// The tracepoints of a file.
pub(super) struct Tracepoints<'a> {
    file: &'a [u8],
    events: Events,
    formats: Option<&'a [u8]>,
    samples: Vec<SampleEvent>,
    /// Events of compressed records.
    unpacked: Vec<u8>,
}

/// The event in a sample.
struct SampleEvent {
    cpu: u32,
    ts: u64,
    at: usize,
    len: u32,
    is_unpacked: bool,
}

impl<'a> Tracepoints<'a> {
    pub(super) fn new(file: &'a [u8], layout: &Layout) -> Self {
        let mut events = Events::default();
        for (event, of_ids) in &layout.events {
            events.add(*event, ids(file.get(of_ids.clone()).unwrap_or_default()));
        }
        let formats = layout.features.iter().find(|(feature, _)| *feature == feature::TRACING_DATA);
        let formats = formats.and_then(|(_, range)| file.get(range.clone()));
        Self { file, events, formats, samples: Vec::new(), unpacked: Vec::new() }
    }

    /// Looks at a record of the file, which is at an offset.
    pub(super) fn see(&mut self, record: &Record<'a>, at: usize) {
        match record.kind {
            kind::SAMPLE => {
                if let Some((cpu, ts, event)) = tracepoint(record, &self.events) {
                    let start = (event.as_ptr() as usize).wrapping_sub(self.file.as_ptr() as usize);
                    self.push((cpu, ts), start, event.len(), false);
                }
            }
            kind::ATTRIBUTE => {
                if let Some(event) = Attribute::read(record.payload) {
                    let size = record.payload.get(4..).and_then(|rest| Numbers(rest).u32());
                    let of_ids = size.and_then(|size| record.payload.get(size as usize..));
                    self.events.add(event, ids(of_ids.unwrap_or_default()));
                }
            }
            kind::TRACING_DATA => {
                // The data lies behind the record.
                let start = at + RECORD_HEADER + record.payload.len();
                self.formats = self.file.get(start..at + record.len);
            }
            _ => {}
        }
    }

    /// Looks at a record that was unpacked.
    pub(super) fn see_unpacked(&mut self, record: &Record<'_>) {
        if record.kind == kind::SAMPLE
            && let Some((cpu, ts, event)) = tracepoint(record, &self.events)
        {
            self.push((cpu, ts), self.unpacked.len(), event.len(), true);
            self.unpacked.extend_from_slice(event);
        }
    }

    fn push(&mut self, (cpu, ts): (u32, u64), at: usize, len: usize, is_unpacked: bool) {
        if self.formats.is_some() {
            self.samples.push(SampleEvent { cpu, ts, at, len: len as u32, is_unpacked });
        }
    }

    /// Writes the events as packets, and returns the number of parts of the file that have them.
    pub(super) fn write(mut self, prescan: &mut Prescan<'a>, room: PrescanMemory<'_, 'a>) -> u64 {
        let Some(formats) = self.formats.filter(|_| !self.samples.is_empty()) else { return 0 };
        let Some(formats) = EmbeddedFormats::read(formats) else {
            prescan.losses.count(Loss::MalformedRecord);
            return 0;
        };
        self.samples.sort_by_key(|sample| (sample.cpu, sample.ts));
        let event = |sample: &SampleEvent| {
            let bytes = if sample.is_unpacked { self.unpacked.as_slice() } else { self.file };
            let bytes = bytes.get(sample.at..sample.at + sample.len as usize).unwrap_or_default();
            KernelEvent { ts: sample.ts, cpu: sample.cpu, bytes }
        };
        let events: Vec<KernelEvent<'_>> = self.samples.iter().map(event).collect();
        formats.write(&events, prescan, room)
    }
}
