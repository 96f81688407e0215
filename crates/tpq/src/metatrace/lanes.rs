//! Spans of one thread, laid on tracks on which they nest.
//!
//! On a track, the end of a slice ends the one that began last. Work that waits and is continued
//! by another thread does not nest with what its first thread does meanwhile, so what does not fit
//! on the thread's own track goes to a lane beside it.

use std::cmp::Reverse;

use tpq_clock::tsc::Ticks;

use super::recorder::Record;

/// The beginning or the end of a span.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge<'a> {
    pub(super) at: Ticks,
    /// 0 is the thread's own track.
    pub(super) lane: u64,
    /// The span that begins; none when one ends.
    pub(super) begins: Option<&'a Record>,
}

/// The edges of a thread's spans, those of each lane in the order in which they nest. Sorting them
/// by time, stably, keeps that order.
pub(super) fn edges<'a>(mut spans: Vec<&'a Record>) -> Vec<Edge<'a>> {
    // Of two that begin together the longer is the outer one; of two that are the same, the one
    // that was recorded, that is ended, last.
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

/// A track and what has begun on it.
struct Lane {
    number: u64,
    /// The ends of the spans that are open, the innermost last.
    open: Vec<Ticks>,
}

impl Lane {
    /// Whether `span`, which begins after all those here, lies within what it finds open.
    fn fits(&self, span: &Record) -> bool {
        let within = self.open.iter().rev().find(|&&end| end > span.begin);
        within.is_none_or(|&end| span.end <= end)
    }

    fn push<'a>(&mut self, span: &'a Record, edges: &mut Vec<Edge<'a>>) {
        self.close(span.begin, edges);
        edges.push(Edge { at: span.begin, lane: self.number, begins: Some(span) });
        self.open.push(span.end);
    }

    /// Ends what ends until `until`.
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

    /// The edges of spans given as name, begin and end in the order in which they ended: `+a` where
    /// one begins and `-` where one ends, at its time, with its lane.
    fn laid(spans: &[(&'static str, u64, u64)]) -> Vec<String> {
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
        assert_eq!(laid(&spans), expected);
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
        assert_eq!(laid(&spans), expected);
    }

    #[test]
    fn what_does_not_nest_has_a_lane_of_its_own() {
        let spans = [("a", 0, 20), ("b", 10, 30), ("c", 15, 25), ("d", 40, 50)];
        let expected =
            ["0 +a 0", "10 +b 1", "15 +c 1", "20 - 0", "25 - 1", "30 - 1", "40 +d 0", "50 - 0"];
        assert_eq!(laid(&spans), expected);
    }
}
