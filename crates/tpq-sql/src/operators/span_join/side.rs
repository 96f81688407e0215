//! One table of a span join, as spans and the gaps between them.

use datafusion::arrow::array::{Array, AsArray, Int64Array, RecordBatch};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::common::{Result, internal_datafusion_err};

use crate::memory::bytes_of;

/// `dur` of a span without a seen end: it meets others only in the moment it begins.
const OPEN: i64 = -1;

/// Where a row is: the number of its batch among those kept, and its number in that.
pub(super) type RowLocation = (usize, usize);

/// The span of one table that covers a segment of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Segment {
    /// Nothing; `last` where no span of the partition follows.
    Gap { from: i64, to: i64, last: bool },
    /// A row.
    Span { ts: i64, dur: i64, location: RowLocation },
    /// There is no more of the partition.
    Over,
}

impl Segment {
    pub(super) fn start(&self) -> i64 {
        match *self {
            Self::Gap { from, .. } => from,
            Self::Span { ts, .. } => ts,
            Self::Over => i64::MAX,
        }
    }

    /// Where the next segment begins.
    pub(super) fn end(&self) -> i64 {
        match *self {
            Self::Gap { to, .. } => to,
            Self::Span { ts, dur: OPEN, .. } => ts,
            Self::Span { ts, dur, .. } => ts.saturating_add(dur),
            Self::Over => i64::MAX,
        }
    }

    /// The end that a piece's length is counted to: such that an open span's piece is open.
    pub(super) fn counted_end(&self) -> i64 {
        match *self {
            Self::Span { ts, dur, .. } => ts.saturating_add(dur),
            _ => self.end(),
        }
    }

    pub(super) fn is_span(&self) -> bool {
        matches!(self, Self::Span { .. })
    }

    pub(super) fn location(&self) -> Option<RowLocation> {
        match *self {
            Self::Span { location, .. } => Some(location),
            _ => None,
        }
    }
}

/// The row that was not looked at yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Head {
    Row {
        partition: Option<i64>,
        ts: i64,
    },
    /// It is in a batch that has to be loaded first.
    Unknown,
    /// There is none.
    None,
}

/// A batch, and the columns that the join itself reads.
struct Loaded {
    batch: RecordBatch,
    ts: Int64Array,
    dur: Int64Array,
    partition: Option<Int64Array>,
    /// Size of the batch.
    bytes: usize,
}

/// Goes through the rows of a table, which are in the order of partition and time.
pub(super) struct Side {
    partitioned: bool,
    /// Whether gaps are segments, or skipped.
    gaps: bool,
    loaded: Vec<Loaded>,
    bytes: usize,
    /// Where the head is.
    at: RowLocation,
    complete: bool,
    pub(super) segment: Segment,
}

impl Side {
    pub(super) fn new(partitioned: bool, gaps: bool) -> Self {
        let loaded = Vec::new();
        let segment = Segment::Over;
        Self { partitioned, gaps, loaded, bytes: 0, at: (0, 0), complete: false, segment }
    }

    pub(super) fn has_gaps(&self) -> bool {
        self.gaps
    }

    pub(super) fn is_complete(&self) -> bool {
        self.complete
    }

    /// Size of the loaded batches.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes the next batch, or `None` when there is no more.
    pub(super) fn load(&mut self, batch: Option<RecordBatch>) -> Result<()> {
        let Some(batch) = batch else {
            self.complete = true;
            return Ok(());
        };
        let integers = |column: usize| {
            let column =
                batch.columns().get(column).and_then(|c| c.as_primitive_opt::<Int64Type>());
            column.cloned().ok_or_else(|| internal_datafusion_err!("a span without ts or dur"))
        };
        let (ts, dur) = (integers(0)?, integers(1)?);
        let partition = self.partitioned.then(|| integers(2)).transpose()?;
        let bytes = bytes_of(&batch);
        self.bytes += bytes;
        self.loaded.push(Loaded { batch, ts, dur, partition, bytes });
        Ok(())
    }

    /// The batches that locations are in.
    pub(super) fn batches(&self) -> impl Iterator<Item = &RecordBatch> {
        self.loaded.iter().map(|loaded| &loaded.batch)
    }

    /// Forgets the batches that were gone through.
    pub(super) fn forget(&mut self) {
        let done = self.segment.location().map_or(self.at.0, |location| location.0.min(self.at.0));
        let forgotten = self.loaded.drain(..done.min(self.loaded.len()));
        self.bytes -= forgotten.map(|loaded| loaded.bytes).sum::<usize>();
        self.at.0 -= done;
        if let Segment::Span { location, .. } = &mut self.segment {
            location.0 -= done;
        }
    }

    pub(super) fn head(&mut self) -> Head {
        loop {
            let Some(loaded) = self.loaded.get(self.at.0) else {
                return if self.complete { Head::None } else { Head::Unknown };
            };
            let row = self.at.1;
            if row >= loaded.ts.len() {
                self.at = (self.at.0 + 1, 0);
                continue;
            }
            let partition = match &loaded.partition {
                // Rows without partition are in none.
                Some(partition) if partition.is_null(row) => {
                    self.at.1 += 1;
                    continue;
                }
                Some(partition) => Some(partition.value(row)),
                None => None,
            };
            return Head::Row { partition, ts: or_zero(&loaded.ts, row) };
        }
    }

    /// Leaves out the rows of partitions up to and with `partition`; whether the head is known.
    pub(super) fn skip_through(&mut self, last: i64) -> bool {
        loop {
            match self.head() {
                Head::Row { partition: Some(partition), .. } if partition <= last => {
                    self.at.1 += 1;
                }
                Head::Unknown => return false,
                _ => return true,
            }
        }
    }

    /// Goes back to the first row; all batches must still be there.
    pub(super) fn rewind(&mut self) {
        self.at = (0, 0);
    }

    /// Starts a partition at its beginning. The head must be known.
    pub(super) fn begin(&mut self, partition: i64) -> Result<()> {
        self.segment = self.gap_from(i64::MIN, partition);
        if !self.gaps {
            self.advance(partition)?;
        }
        Ok(())
    }

    /// Steps to the next segment; whether it could, since it may have to see the next row.
    pub(super) fn advance(&mut self, partition: i64) -> Result<bool> {
        if let Segment::Span { .. } = self.segment {
            if self.head() == Head::Unknown {
                return Ok(false);
            }
            let end = self.segment.end();
            self.segment = self.gap_from(end, partition);
            // A span that begins before the last one ends leaves no gap.
            let empty = matches!(self.segment, Segment::Gap { from, to, .. } if from >= to);
            if self.gaps && !empty {
                return Ok(true);
            }
        }
        self.segment = match self.segment {
            Segment::Gap { last: false, .. } => self.take_head(),
            _ => Segment::Over,
        };
        Ok(true)
    }

    /// The time until the next span of the partition. The head must be known.
    fn gap_from(&mut self, from: i64, partition: i64) -> Segment {
        let head = self.head();
        match self.within(head, partition) {
            Some(to) => Segment::Gap { from, to, last: false },
            None => Segment::Gap { from, to: i64::MAX, last: true },
        }
    }

    /// When a row begins, if it is of the partition.
    fn within(&self, head: Head, partition: i64) -> Option<i64> {
        match head {
            Head::Row { partition: of, ts } if of.is_none_or(|of| of == partition) => Some(ts),
            _ => None,
        }
    }

    fn take_head(&mut self) -> Segment {
        let Some(loaded) = self.loaded.get(self.at.0) else { return Segment::Over };
        let location = self.at;
        self.at.1 += 1;
        let (ts, dur) = (or_zero(&loaded.ts, location.1), or_zero(&loaded.dur, location.1));
        Segment::Span { ts, dur, location }
    }

    /// Steps on, leaving out the rows that end before `ts`. Their time counts as a gap, of which
    /// only what comes after `ts` is ever looked at.
    pub(super) fn advance_to(&mut self, ts: i64, partition: i64) -> Result<bool> {
        let before = self.at;
        self.seek(ts);
        if self.at != before && self.gaps {
            self.segment = self.gap_from(self.segment.end(), partition);
            if self.segment.start() < self.segment.end() {
                return Ok(true);
            }
        }
        self.advance(partition)
    }

    /// Leaves out the rows that end before `ts`, all being loaded and unpartitioned. Their number
    /// does not matter.
    pub(super) fn seek(&mut self, ts: i64) {
        while let Some(loaded) = self.loaded.get(self.at.0) {
            let rows = loaded.ts.len();
            if self.at.1 >= rows || row_end(loaded, rows - 1) < ts {
                self.at = (self.at.0 + 1, 0);
                continue;
            }
            self.at.1 = first_ending(loaded, self.at.1, ts);
            return;
        }
    }

    /// Whether no two rows overlap, of a table that is wholly loaded and has no partitions: only
    /// then do they end in the order they begin in.
    pub(super) fn is_orderly(&self) -> bool {
        let mut before = i64::MIN;
        self.loaded.iter().all(|loaded| {
            (0..loaded.ts.len()).all(|row| {
                let orderly = or_zero(&loaded.ts, row) >= before;
                before = row_end(loaded, row);
                orderly
            })
        })
    }
}

/// The first row from `from` that ends at `ts` or later: near ones are found in few steps.
fn first_ending(loaded: &Loaded, from: usize, ts: i64) -> usize {
    let rows = loaded.ts.len();
    let (mut low, mut step) = (from, 1);
    while low + step < rows && row_end(loaded, low + step) < ts {
        low += step;
        step *= 2;
    }
    let mut high = (low + step).min(rows);
    while low < high {
        let middle = low + (high - low) / 2;
        if row_end(loaded, middle) < ts {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

fn row_end(loaded: &Loaded, row: usize) -> i64 {
    let location = (0, row);
    let (ts, dur) = (or_zero(&loaded.ts, row), or_zero(&loaded.dur, row));
    Segment::Span { ts, dur, location }.end()
}

/// NULL counts as 0, as it does in SQLite's C interface: a span without `dur` is a moment.
fn or_zero(values: &Int64Array, row: usize) -> i64 {
    if values.is_null(row) { 0 } else { values.value(row) }
}

/// A row of the result that is NULL in the columns of one side has no location there.
pub(super) type RowLocations = Vec<Option<RowLocation>>;
