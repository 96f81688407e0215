//! Goes along both tables of a span join at the same time.

use datafusion::common::Result;

use super::side::{Head, RowLocations, Segment, Side};
use super::{Partitions, SpanJoinKind};

/// Why the sweep stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pause {
    /// There are enough rows to make a batch of.
    Full,
    /// The first table's next batch is needed.
    Left,
    /// The second table's.
    Right,
    /// Nothing is missing yet: the sweep may go on.
    Busy,
    /// All rows were found.
    Done,
}

/// Rows of the result.
#[derive(Default)]
pub(super) struct JoinedRows {
    /// Nanoseconds.
    pub ts: Vec<i64>,
    /// Nanoseconds; -1 where a span has no end.
    pub dur: Vec<i64>,
    pub partition: Vec<i64>,
    pub left: RowLocations,
    pub right: RowLocations,
}

/// The state of a join.
pub(super) struct Sweep {
    kind: SpanJoinKind,
    partitions: Partitions,
    pub(super) left: Side,
    pub(super) right: Side,
    /// The partition that the sides are in.
    partition: Option<i64>,
    /// The last one they were in.
    finished: Option<i64>,
    /// Whether no spans of the table without partitions overlap, once it was looked at as a
    /// whole: then those that end too early can be left out by searching.
    orderly: Option<bool>,
    /// Whether the piece in which the segments meet was given.
    given: bool,
    enough: usize,
    pub(super) rows: JoinedRows,
}

/// Steps after which a sweep pauses, whether they found rows or not: a few milliseconds.
const STEPS: usize = 1 << 16;

impl Sweep {
    /// A sweep that pauses after each `enough` rows.
    pub(super) fn new(kind: SpanJoinKind, partitions: Partitions, enough: usize) -> Self {
        let of_left = matches!(partitions, Partitions::Both | Partitions::OfLeft);
        let of_right = matches!(partitions, Partitions::Both | Partitions::OfRight);
        Self {
            kind,
            partitions,
            left: Side::new(of_left, kind == SpanJoinKind::Outer),
            right: Side::new(of_right, kind != SpanJoinKind::Inner),
            partition: None,
            finished: None,
            orderly: None,
            given: false,
            enough,
            rows: JoinedRows::default(),
        }
    }

    /// Finds rows until something is missing.
    pub(super) fn run(&mut self) -> Result<Pause> {
        for _ in 0..STEPS {
            if self.rows.ts.len() >= self.enough {
                return Ok(Pause::Full);
            }
            let Some(partition) = self.partition else {
                match self.next_partition()? {
                    Some(pause) => return Ok(pause),
                    None => continue,
                }
            };
            if self.left.segment == Segment::Over || self.right.segment == Segment::Over {
                self.partition = None;
                self.finished = Some(partition);
                continue;
            }
            if !self.given {
                self.given = true;
                if self.segments_meet() {
                    self.give(partition);
                    continue;
                }
            }
            if let Some(pause) = self.step(partition)? {
                return Ok(pause);
            }
            self.given = false;
        }
        Ok(Pause::Busy)
    }

    /// Advances the side with the segment that ends first. Where both end, that is the one that
    /// began first: the other may be a moment, which the next span of this side can begin in.
    fn step(&mut self, partition: i64) -> Result<Option<Pause>> {
        let (left, right) = (&self.left.segment, &self.right.segment);
        let orderly = self.orderly == Some(true);
        let key = |segment: &Segment| (segment.end(), segment.start(), segment.is_span());
        if key(left) < key(right) {
            let skips = self.partitions == Partitions::OfRight && !self.right.has_gaps() && orderly;
            let stepped = match skips {
                true => self.left.advance_to(right.start(), partition)?,
                false => self.left.advance(partition)?,
            };
            return Ok((!stepped).then_some(Pause::Left));
        }
        let skips = self.partitions == Partitions::OfLeft && !self.left.has_gaps() && orderly;
        let stepped = match skips {
            true => self.right.advance_to(left.start(), partition)?,
            false => self.right.advance(partition)?,
        };
        Ok((!stepped).then_some(Pause::Right))
    }

    /// Whether the segments have time in common, or are spans that begin together.
    fn segments_meet(&self) -> bool {
        let (left, right) = (&self.left.segment, &self.right.segment);
        match (left.is_span(), right.is_span()) {
            (false, false) => return false,
            (true, true) if left.start() == right.start() => return true,
            _ => {}
        }
        let (later, earlier) =
            if left.start() >= right.start() { (left, right) } else { (right, left) };
        later.start() < earlier.end() || left.start() == right.start() && right.start() < left.end()
    }

    fn give(&mut self, partition: i64) {
        let (left, right) = (&self.left.segment, &self.right.segment);
        let ts = left.start().max(right.start());
        let end = left.counted_end().min(right.counted_end());
        self.rows.ts.push(ts);
        self.rows.dur.push(end.saturating_sub(ts));
        self.rows.partition.push(partition);
        self.rows.left.push(left.location());
        self.rows.right.push(right.location());
    }

    /// Starts the next partition that has rows to give; otherwise says what is missing.
    fn next_partition(&mut self) -> Result<Option<Pause>> {
        let next = match self.partitions {
            Partitions::None => self.only_partition(),
            Partitions::Both => self.next_of_both(),
            Partitions::OfLeft => self.next_of_one(true)?,
            Partitions::OfRight => self.next_of_one(false)?,
        };
        match next {
            Ok(partition) => {
                self.left.begin(partition)?;
                self.right.begin(partition)?;
                self.partition = Some(partition);
                self.given = false;
                Ok(None)
            }
            Err(pause) => Ok(Some(pause)),
        }
    }

    fn only_partition(&mut self) -> std::result::Result<i64, Pause> {
        if self.left.head() == Head::Unknown {
            return Err(Pause::Left);
        }
        if self.right.head() == Head::Unknown {
            return Err(Pause::Right);
        }
        if self.finished.is_some() { Err(Pause::Done) } else { Ok(0) }
    }

    fn next_of_both(&mut self) -> std::result::Result<i64, Pause> {
        loop {
            if let Some(finished) = self.finished {
                if !self.left.skip_through(finished) {
                    return Err(Pause::Left);
                }
                if !self.right.skip_through(finished) {
                    return Err(Pause::Right);
                }
            }
            let of = |head| match head {
                Head::Row { partition, .. } => Ok(partition),
                Head::None => Ok(None),
                Head::Unknown => Err(()),
            };
            let left = of(self.left.head()).map_err(|()| Pause::Left)?;
            let right = of(self.right.head()).map_err(|()| Pause::Right)?;
            match (left, right, self.kind) {
                (Some(left), Some(right), _) if left == right => return Ok(left),
                (Some(left), None, SpanJoinKind::Left | SpanJoinKind::Outer) => return Ok(left),
                (None, Some(right), SpanJoinKind::Outer) => return Ok(right),
                (None, _, _) | (_, None, _) => return Err(Pause::Done),
                (Some(left), Some(right), SpanJoinKind::Outer) => return Ok(left.min(right)),
                (Some(left), Some(right), SpanJoinKind::Left) if left < right => return Ok(left),
                // Only in one of them, and not asked for.
                (Some(left), Some(right), _) => self.finished = Some(left.min(right)),
            }
        }
    }

    /// The next partition of the table that has them, the other being at its start again.
    fn next_of_one(&mut self, of_left: bool) -> Result<std::result::Result<i64, Pause>> {
        let (with, without) = if of_left {
            (&mut self.left, &mut self.right)
        } else {
            (&mut self.right, &mut self.left)
        };
        let (load_with, load_without) =
            if of_left { (Pause::Left, Pause::Right) } else { (Pause::Right, Pause::Left) };
        if !without.is_complete() {
            return Ok(Err(load_without));
        }
        let orderly = *self.orderly.get_or_insert_with(|| without.is_orderly());
        if let Some(finished) = self.finished
            && !with.skip_through(finished)
        {
            return Ok(Err(load_with));
        }
        let (partition, ts) = match with.head() {
            Head::Row { partition: Some(partition), ts } => (partition, ts),
            Head::Unknown => return Ok(Err(load_with)),
            _ => return Ok(Err(Pause::Done)),
        };
        without.rewind();
        if orderly && !with.has_gaps() {
            without.seek(ts);
        }
        Ok(Ok(partition))
    }
}
