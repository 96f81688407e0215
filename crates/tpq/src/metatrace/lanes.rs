//! Assigns the spans of one thread to tracks on which they nest.
//!
//! On a track, the end of a slice ends the slice that began last. Work that waits and is continued
//! by another thread does not nest with what its first thread does in the meantime. A span that
//! does not fit on the thread's own track goes to an additional lane.

use std::cmp::Reverse;

use tpq_clock::tsc::Ticks;

use super::recorder::Record;

/// The start or the end of a span.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge<'a> {
    pub(super) at: Ticks,
    /// 0 is the thread's own track.
    pub(super) lane: u64,
    /// The span that begins; `None` for an end.
    pub(super) begins: Option<&'a Record>,
}

/// The edges of a thread's spans. The edges of each lane are in the order of nesting; a stable sort
/// by time keeps that order.
pub(super) fn edges<'a>(mut spans: Vec<&'a Record>) -> Vec<Edge<'a>> {
    // Of two spans that begin together, the longer is the outer one. Of two equal spans, the outer
    // one is the one that was recorded, that is ended, last.
    spans.reverse();
    spans.sort_by_key(|span| (span.begin, Reverse(span.end)));
    let mut edges = Vec::with_capacity(spans.len() * 2);
    let mut lanes: Vec<Lane> = Vec::new();
    for span in spans {
        let free = (0..lanes.len()).find(|&index| lanes[index].fits(span));
        let index = free.unwrap_or_else(|| {
            let number = lanes.len() as u64;
            lanes.push(Lane { number, open: Vec::new() });
            lanes.len() - 1
        });
        lanes[index].push(span, &mut edges);
    }
    for mut lane in lanes {
        lane.close(Ticks(u64::MAX), &mut edges);
    }
    edges
}

/// A track and its open spans.
struct Lane {
    number: u64,
    /// The end times of the open spans, the innermost last.
    open: Vec<Ticks>,
}

impl Lane {
    /// Whether `span`, which begins after all spans of this lane, nests in the open spans.
    fn fits(&self, span: &Record) -> bool {
        let within = self.open.iter().rev().find(|&&end| end > span.begin);
        within.is_none_or(|&end| span.end <= end)
    }

    fn push<'a>(&mut self, span: &'a Record, edges: &mut Vec<Edge<'a>>) {
        self.close(span.begin, edges);
        edges.push(Edge { at: span.begin, lane: self.number, begins: Some(span) });
        self.open.push(span.end);
    }

    /// Ends the spans that end at `until` or earlier.
    fn close(&mut self, until: Ticks, edges: &mut Vec<Edge<'_>>) {
        while let Some(at) = self.open.pop_if(|end| *end <= until) {
            edges.push(Edge { at, lane: self.number, begins: None });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::recorder::ThreadIdentity;
    use super::*;

    /// The edges of spans given as (name, begin, end) in the order in which they ended: the time,
    /// `+a` for a begin and `-` for an end, and the lane.
    fn edge_texts(spans: &[(&'static str, u64, u64)]) -> Vec<String> {
        let thread = Arc::new(ThreadIdentity { tid: 1, name: None });
        let record = |&(name, begin, end)| Record {
            name,
            thread: Arc::clone(&thread),
            begin: Ticks(begin),
            end: Ticks(end),
            args: Vec::new(),
        };
        let records: Vec<Record> = spans.iter().map(record).collect();
        let mut edges = edges(records.iter().collect());
        edges.sort_by_key(|edge| edge.at);
        let text = |edge: &Edge<'_>| {
            let what = edge.begins.map_or("-".to_owned(), |span| format!("+{}", span.name));
            format!("{} {what} {}", edge.at.0, edge.lane)
        };
        edges.iter().map(text).collect()
    }

    #[test]
    fn nested_spans_are_one_lane() {
        let spans = [("b", 10, 20), ("c", 20, 30), ("a", 0, 30), ("d", 30, 40)];
        let expected =
            ["0 +a 0", "10 +b 0", "20 - 0", "20 +c 0", "30 - 0", "30 - 0", "30 +d 0", "40 - 0"];
        assert_eq!(edge_texts(&spans), expected);
    }

    #[test]
    fn of_spans_that_begin_together_the_longer_is_the_outer() {
        let spans = [("inner", 5, 8), ("outer", 5, 9), ("none", 9, 9), ("same", 9, 9)];
        let expected = [
            "5 +outer 0",
            "5 +inner 0",
            "8 - 0",
            "9 - 0",
            "9 +same 0",
            "9 - 0",
            "9 +none 0",
            "9 - 0",
        ];
        assert_eq!(edge_texts(&spans), expected);
    }

    #[test]
    fn overlapping_spans_get_their_own_lane() {
        let spans = [("a", 0, 20), ("b", 10, 30), ("c", 15, 25), ("d", 40, 50)];
        let expected =
            ["0 +a 0", "10 +b 1", "15 +c 1", "20 - 0", "25 - 1", "30 - 1", "40 +d 0", "50 - 0"];
        assert_eq!(edge_texts(&spans), expected);
    }
}
