//! Ways to wall time by way of other files: a machine has one clock of each domain, whichever of its
//! files reads it, so that one file may know wall time for another.
//!
//! There may be many files. What is known of each machine and domain is found out once, and of many
//! equal ways the shortest is kept.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use petgraph::Direction;
use rustc_hash::FxHashMap;

use crate::graph::{Reached, Ways};
use crate::placement::End;
use crate::{Clock, ClockGraph, REALTIME};

/// A machine and a domain of its clocks.
type Domain = (u32, u32);

/// What is known of other files once something was to be placed by them.
#[derive(Default)]
pub(crate) struct Relays {
    /// The clocks that lead to the timeline.
    far: OnceLock<Vec<End>>,
    /// The clocks of each domain of a machine, in the order in which they were first read.
    domains: OnceLock<FxHashMap<Domain, Vec<Clock>>>,
    /// Clocks of wall time from which others lead to the timeline: the nearest, and the nearest of
    /// another machine.
    walls: OnceLock<Vec<End>>,
    /// From the clocks of a domain, the shortest ways to wall time in two files.
    to_wall: Mutex<FxHashMap<Domain, ToWall>>,
}

/// Ways to wall time, and the clocks that they begin at.
type ToWall = Arc<Vec<(Clock, Reached)>>;

/// Clocks of a domain that lead to the timeline, with their numbers, by length and number.
type FarEnds<'a> = Nearest<(usize, usize), (usize, &'a End)>;

fn domain_of(clock: Clock) -> Domain {
    (clock.source.machine, clock.id)
}

fn is_wall(clock: Clock) -> bool {
    clock.id == REALTIME && clock.is_domain()
}

impl Ways {
    /// The clocks that lead to the timeline, with nothing assumed.
    pub(crate) fn far(&self) -> &[End] {
        let ends = || self.all().iter().cloned().map(End::plain).collect();
        self.relays().far.get_or_init(ends)
    }

    fn domains(&self, graph: &ClockGraph) -> &FxHashMap<Domain, Vec<Clock>> {
        self.relays().domains.get_or_init(|| {
            let mut domains: FxHashMap<Domain, Vec<Clock>> = FxHashMap::default();
            for &clock in graph.clocks().iter().filter(|clock| clock.is_domain()) {
                domains.entry(domain_of(clock)).or_default().push(clock);
            }
            domains
        })
    }

    /// Clocks of wall time from which something leads to the timeline, by way of other files where
    /// need be. Of equal ways the first counts, by the clock that leads to the timeline and then by
    /// the clock of the other file.
    pub(crate) fn walls(&self, graph: &ClockGraph) -> &[End] {
        self.relays().walls.get_or_init(|| {
            let mut nearest = Nearest::default();
            for end in self.far().iter().filter(|end| is_wall(end.clock())) {
                nearest.add(end.clock().source.machine, (end.len(), 0, 0), || end.clone());
            }
            for (domain, ends) in self.far_by_domain() {
                let ends = ends.into_all();
                let same = self.domains(graph).get(&domain).into_iter().flatten();
                for (number, &other) in same.enumerate() {
                    let of_another_file =
                        |(_, end): &&(usize, &End)| end.clock().source.file != other.source.file;
                    let Some(&(order, end)) = ends.iter().find(of_another_file) else { continue };
                    let ways = graph.search(other, Direction::Incoming);
                    for way in ways.into_iter().filter(|way| is_wall(way.clock)) {
                        let key = (end.len() + way.hops.len(), 1 + order, number);
                        let machine = way.clock.source.machine;
                        let whole = || end.by_way_of(other, way, Direction::Incoming);
                        nearest.add(machine, key, whole);
                    }
                }
            }
            nearest.into_all()
        })
    }

    /// Of the clocks of each domain that lead to the timeline, the nearest two of different files,
    /// each with its number among all: whatever file another clock is of, one of them is the
    /// nearest of the other files.
    fn far_by_domain(&self) -> FxHashMap<Domain, FarEnds<'_>> {
        let mut domains: FxHashMap<Domain, FarEnds<'_>> = FxHashMap::default();
        for (order, end) in self.far().iter().enumerate() {
            let clock = end.clock();
            if clock.is_domain() {
                let nearest = domains.entry(domain_of(clock)).or_default();
                nearest.add(clock.source.file, (end.len(), order), || (order, end));
            }
        }
        domains
    }

    /// Clocks of wall time that these clocks lead to by way of other files.
    pub(crate) fn near_walls(&self, near: &[End], graph: &ClockGraph) -> Vec<End> {
        let own_walls = near.iter().filter(|end| is_wall(end.clock())).cloned();
        let mut walls: Vec<End> = own_walls.collect();
        for end in near.iter().filter(|end| end.clock().is_domain()) {
            let own = end.clock();
            let ways = self.to_wall(domain_of(own), graph);
            let other = ways.iter().find(|(other, _)| other.source.file != own.source.file);
            let by_other =
                other.map(|(other, way)| end.by_way_of(*other, way.clone(), Direction::Outgoing));
            walls.extend(by_other);
        }
        walls
    }

    fn to_wall(&self, domain: Domain, graph: &ClockGraph) -> ToWall {
        let mut known = self.relays().to_wall.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.entry(domain).or_insert_with(|| {
            let mut nearest = Nearest::default();
            for &other in self.domains(graph).get(&domain).into_iter().flatten() {
                let ways = graph.search(other, Direction::Outgoing);
                for way in ways.into_iter().filter(|way| is_wall(way.clock)) {
                    nearest.add(other.source.file, way.hops.len(), || (other, way));
                }
            }
            Arc::new(nearest.into_all())
        });
        Arc::clone(found)
    }
}

/// Of many, the first with the least key, and the first with the least key of another kind than
/// that.
struct Nearest<K, T> {
    best: Option<(u32, K, T)>,
    other: Option<(u32, K, T)>,
}

impl<K, T> Default for Nearest<K, T> {
    fn default() -> Self {
        Self { best: None, other: None }
    }
}

impl<K: Ord, T> Nearest<K, T> {
    fn add(&mut self, kind: u32, key: K, value: impl FnOnce() -> T) {
        let is_less =
            |than: &Option<(u32, K, T)>| than.as_ref().is_none_or(|(_, known, _)| key < *known);
        if is_less(&self.best) {
            let before = self.best.replace((kind, key, value()));
            if before.as_ref().is_some_and(|(before, ..)| *before != kind) {
                self.other = before;
            } else if self.other.as_ref().is_some_and(|(other, ..)| *other == kind) {
                self.other = None;
            }
        } else if self.best.as_ref().is_some_and(|(best, ..)| *best != kind) && is_less(&self.other)
        {
            self.other = Some((kind, key, value()));
        }
    }

    fn into_all(self) -> Vec<T> {
        [self.best, self.other].into_iter().flatten().map(|(.., value)| value).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::graph::SEARCHES;
    use crate::{BOOTTIME, MONOTONIC, Reading, Rule, Source};

    #[test]
    fn the_nearest_of_two_kinds() {
        let of = |added: &[(u32, usize)]| {
            let mut nearest = Nearest::default();
            added.iter().for_each(|&(kind, len)| nearest.add(kind, len, || (kind, len)));
            nearest.into_all()
        };
        assert_eq!(of(&[]), []);
        assert_eq!(of(&[(1, 5), (1, 4), (1, 4)]), [(1, 4)]);
        assert_eq!(of(&[(1, 5), (2, 7), (3, 6), (1, 9)]), [(1, 5), (3, 6)]);
        assert_eq!(of(&[(1, 5), (2, 4), (2, 3)]), [(2, 3), (1, 5)]);
        assert_eq!(of(&[(1, 5), (2, 6), (2, 4)]), [(2, 4), (1, 5)]);
    }

    /// Of the files of one machine a single one knows wall time. Each of the others is placed by it,
    /// and the searches for that are as many as there are files, not as many for each.
    #[test]
    fn one_file_knows_wall_time_for_many() {
        const FILES: u32 = 20_000;
        let clock = |machine, file, id| Clock::of_source(Source { machine, file }, id);
        let mut graph = ClockGraph::default();
        let mut add = |readings: &[(Clock, i64)]| {
            let readings: Vec<Reading> =
                readings.iter().map(|&(clock, ns)| Reading::ns(clock, ns)).collect();
            graph.add_snapshot(&readings).expect("no clock twice");
        };
        add(&[(clock(0, 0, REALTIME), 1_000_100), (clock(0, 0, BOOTTIME), 100)]);
        for file in 1..FILES {
            let boot = clock(1, file, BOOTTIME);
            add(&[(boot, 50), (clock(1, file, MONOTONIC), 40)]);
        }
        add(&[(clock(1, FILES, REALTIME), 1_000_400), (clock(1, FILES, BOOTTIME), 50)]);
        let ways = graph.ways_to(clock(0, 0, BOOTTIME));
        for file in 1..FILES {
            let placement = graph.place_by(clock(1, file, MONOTONIC), &ways).expect("has a placement");
            assert_eq!(placement.rule, Rule::Realtime);
            assert_eq!(placement.converter.convert_one(50), 410);
        }
        // Files without any clock are looked for nowhere.
        for file in FILES + 1..2 * FILES {
            let private = clock(1, file, crate::TRACE_FILE);
            let placement = graph.place_by(private, &ways).expect("has a placement");
            assert_eq!(placement.rule, Rule::PrivateTimeline);
        }
    }

    /// Every pair of a clock that leads to the timeline and a clock of its domain in another file.
    fn walls_of_all_pairs(ways: &Ways, graph: &ClockGraph) -> Vec<End> {
        let mut nearest = Nearest::default();
        for end in ways.far().iter().filter(|end| is_wall(end.clock())) {
            nearest.add(end.clock().source.machine, end.len(), || end.clone());
        }
        for end in ways.far().iter().filter(|end| end.clock().is_domain()) {
            let own = end.clock();
            let same = ways.domains(graph).get(&domain_of(own)).into_iter().flatten();
            for &other in same.filter(|other| other.source.file != own.source.file) {
                let found = graph.search(other, Direction::Incoming);
                for way in found.into_iter().filter(|way| is_wall(way.clock)) {
                    let len = end.len() + way.hops.len();
                    let machine = way.clock.source.machine;
                    nearest.add(machine, len, || end.by_way_of(other, way, Direction::Incoming));
                }
            }
        }
        nearest.into_all()
    }

    fn snapshot() -> impl Strategy<Value = Vec<(u32, u32, u32)>> {
        let id = prop_oneof![Just(REALTIME), Just(BOOTTIME), Just(MONOTONIC), Just(128_u32)];
        vec((0..2_u32, 0..5_u32, id), 2..4)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn the_nearest_walls_are_those_of_all_pairs(snapshots in vec(snapshot(), 1..12)) {
            let clock = |(machine, file, id)| Clock::of_source(Source { machine, file }, id);
            let mut graph = ClockGraph::default();
            for (snapshot, at) in snapshots.iter().zip(1_i64..) {
                let readings: Vec<Reading> =
                    snapshot.iter().map(|&of| Reading::ns(clock(of), at * 1_000)).collect();
                // What reads a clock twice is no snapshot.
                let _ = graph.add_snapshot(&readings);
            }
            for &timeline in graph.clocks() {
                let ways = graph.ways_to(timeline);
                let clocks =
                    |ends: &[End]| ends.iter().map(|end| end.clocks().to_vec()).collect::<Vec<_>>();
                let expected = walls_of_all_pairs(&ways, &graph);
                prop_assert_eq!(clocks(ways.walls(&graph)), clocks(&expected));
            }
        }
    }

    /// All files lead to the timeline, and none knows wall time.
    #[test]
    fn many_files_that_lead_to_the_timeline_are_searched_once_each() {
        const FILES: u32 = 600;
        let clock = |file, id| Clock::of_source(Source { machine: 0, file }, id);
        let mut graph = ClockGraph::default();
        for file in 1..FILES {
            let readings =
                [clock(0, BOOTTIME), clock(file, BOOTTIME)].map(|clock| Reading::ns(clock, 1_000));
            graph.add_snapshot(&readings).expect("no clock twice");
        }
        let ways = graph.ways_to(clock(0, BOOTTIME));
        let before = SEARCHES.get();
        assert!(ways.walls(&graph).is_empty());
        assert_eq!(SEARCHES.get() - before, FILES as usize);
    }
}
