//! Records of a report.

use std::ops::Range;

use tpq_proto::fields::simpleperf_record::{self, sample};
use tpq_proto::wire::{Fields, LastFields};

use super::SAMPLES;
use crate::document::{Document, Events, Place};

/// The bytes that a report begins with, and the version behind them.
const MAGIC: &[u8] = b"SIMPLEPERF";
const VERSION: [u8; 2] = [1, 0];

/// The records of a report, each with its place. The last has a size of 0.
pub(super) fn records(report: &[u8]) -> impl Iterator<Item = (Range<usize>, &[u8])> {
    let mut at = MAGIC.len() + VERSION.len();
    std::iter::from_fn(move || {
        let range = next_record(report, at)?;
        at = range.end;
        let record = report.get(range.clone())?;
        (!record.is_empty()).then_some((range, record))
    })
}

fn next_record(report: &[u8], at: usize) -> Option<Range<usize>> {
    let size = u32::from_le_bytes(report.get(at..at + 4)?.try_into().ok()?);
    let start = at + 4;
    let end = start.checked_add(usize::try_from(size).ok()?)?;
    (end <= report.len()).then_some(start..end)
}

/// Reads the times of samples.
pub(super) fn read(report: &[u8]) -> Document {
    let version = report.get(MAGIC.len()..MAGIC.len() + VERSION.len());
    if version != Some(&VERSION[..]) {
        return Document::damaged(MAGIC.len(), "the version of this report is not 1");
    }
    let (mut times, mut parts, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    let mut end = MAGIC.len() + VERSION.len();
    for (range, record) in records(report) {
        end = range.end;
        let Some(field) = Fields::new(record).last() else {
            problems.push((range.start, "this record is damaged"));
            continue;
        };
        if field.number == simpleperf_record::SAMPLE {
            times.push(LastFields::<2>::new(field.as_bytes()).int(sample::TIME));
            parts.push(range);
        }
    }
    // A report ends with the size 0.
    if report.get(end..end + 4) != Some(&[0; 4][..]) {
        problems.push((end, "the report ends within a record"));
    }
    let events = vec![Events { kind: SAMPLES, times, place: Place::Parts(parts) }];
    Document { events, problems, is_readable: true }
}
