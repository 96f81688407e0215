//! Routes to wall time that go through other files. A machine has one clock of each domain,
//! whichever file reads it, so one file may know wall time for another file.
//!
//! There may be many files. So the data of each machine and domain is computed once, and of several
//! equal routes only the shortest is kept.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use petgraph::Direction;
use rustc_hash::FxHashMap;

use crate::graph::{ClockPaths, GraphPath};
use crate::placement::Route;
use crate::{Clock, ClockGraph, REALTIME};

/// A machine and a clock domain: row of the machine and id of the clock.
type Domain = (u32, u32);

/// A cache of routes to one target, filled when a clock is first placed through other files.
#[derive(Default)]
pub(crate) struct RouteCache {
    /// The routes to the timeline that need no assumption.
    incoming: OnceLock<Vec<Route>>,
    /// The clocks of each domain of a machine, in the order in which they were first read.
    domains: OnceLock<FxHashMap<Domain, Vec<Clock>>>,
    /// Routes from clocks of wall time to the timeline: the nearest one, and the nearest one of
    /// another machine.
    incoming_realtime: OnceLock<Vec<Route>>,
    /// From the clocks of a domain, the shortest paths to wall time in two files.
    realtime_paths: Mutex<FxHashMap<Domain, RealtimePaths>>,
}

/// Paths to wall time, each with the clock that it begins at.
type RealtimePaths = Arc<Vec<(Clock, GraphPath)>>;

/// The nearest routes from clocks of a domain to the timeline, each with its index, by length and
/// index.
type NearestRoutes<'a> = NearestTwo<(usize, usize), (usize, &'a Route)>;

fn domain_of(clock: Clock) -> Domain {
    (clock.source.machine, clock.id)
}

fn is_realtime(clock: Clock) -> bool {
    clock.id == REALTIME && clock.is_domain()
}

impl ClockPaths {
    /// The routes to the timeline that need no assumption.
    pub(crate) fn incoming(&self) -> &[Route] {
        let routes = || self.all().iter().cloned().map(Route::from_path).collect();
        self.cache().incoming.get_or_init(routes)
    }

    fn domains(&self, graph: &ClockGraph) -> &FxHashMap<Domain, Vec<Clock>> {
        self.cache().domains.get_or_init(|| {
            let mut domains: FxHashMap<Domain, Vec<Clock>> = FxHashMap::default();
            for &clock in graph.clocks().iter().filter(|clock| clock.is_domain()) {
                domains.entry(domain_of(clock)).or_default().push(clock);
            }
            domains
        })
    }

    /// Routes from clocks of wall time to the timeline, through other files where necessary. Of
    /// equal routes the first one is used: ordered by the clock that leads to the timeline and then
    /// by the clock of the other file.
    pub(crate) fn incoming_realtime(&self, graph: &ClockGraph) -> &[Route] {
        self.cache().incoming_realtime.get_or_init(|| {
            let mut nearest = NearestTwo::default();
            for route in self.incoming().iter().filter(|route| is_realtime(route.clock())) {
                nearest.add(route.clock().source.machine, (route.len(), 0, 0), || route.clone());
            }
            for (domain, routes) in self.incoming_by_domain() {
                let routes = routes.into_all();
                let same = self.domains(graph).get(&domain).into_iter().flatten();
                for (number, &other) in same.enumerate() {
                    let of_another_file = |(_, route): &&(usize, &Route)| {
                        route.clock().source.file != other.source.file
                    };
                    let Some(&(order, route)) = routes.iter().find(of_another_file) else {
                        continue;
                    };
                    let paths = graph.search(other, Direction::Incoming);
                    for path in paths.into_iter().filter(|path| is_realtime(path.clock)) {
                        let key = (route.len() + path.hops.len(), 1 + order, number);
                        let machine = path.clock.source.machine;
                        let whole = || route.extend(other, path, Direction::Incoming);
                        nearest.add(machine, key, whole);
                    }
                }
            }
            nearest.into_all()
        })
    }

    /// For each domain, the two nearest routes of different files, each with its index among all
    /// routes. For a clock of any file, one of them is the nearest route of the other files.
    fn incoming_by_domain(&self) -> FxHashMap<Domain, NearestRoutes<'_>> {
        let mut domains: FxHashMap<Domain, NearestRoutes<'_>> = FxHashMap::default();
        for (order, route) in self.incoming().iter().enumerate() {
            let clock = route.clock();
            if clock.is_domain() {
                let nearest = domains.entry(domain_of(clock)).or_default();
                nearest.add(clock.source.file, (route.len(), order), || (order, route));
            }
        }
        domains
    }

    /// Routes to clocks of wall time, from the ends of these routes and through other files.
    pub(crate) fn outgoing_realtime(&self, outgoing: &[Route], graph: &ClockGraph) -> Vec<Route> {
        let own_realtime = outgoing.iter().filter(|route| is_realtime(route.clock())).cloned();
        let mut routes: Vec<Route> = own_realtime.collect();
        for route in outgoing.iter().filter(|route| route.clock().is_domain()) {
            let own = route.clock();
            let paths = self.realtime_paths(domain_of(own), graph);
            let other = paths.iter().find(|(other, _)| other.source.file != own.source.file);
            let extended =
                other.map(|(other, path)| route.extend(*other, path.clone(), Direction::Outgoing));
            routes.extend(extended);
        }
        routes
    }

    fn realtime_paths(&self, domain: Domain, graph: &ClockGraph) -> RealtimePaths {
        let mut known = self.cache().realtime_paths.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.entry(domain).or_insert_with(|| {
            let mut nearest = NearestTwo::default();
            for &other in self.domains(graph).get(&domain).into_iter().flatten() {
                let paths = graph.search(other, Direction::Outgoing);
                for path in paths.into_iter().filter(|path| is_realtime(path.clock)) {
                    nearest.add(other.source.file, path.hops.len(), || (other, path));
                }
            }
            Arc::new(nearest.into_all())
        });
        Arc::clone(found)
    }
}

/// Keeps the entry with the least key, and the entry with the least key among all other kinds. Of
/// equal keys the first one is kept.
struct NearestTwo<K, T> {
    best: Option<(u32, K, T)>,
    other: Option<(u32, K, T)>,
}

impl<K, T> Default for NearestTwo<K, T> {
    fn default() -> Self {
        Self { best: None, other: None }
    }
}

impl<K: Ord, T> NearestTwo<K, T> {
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
            let mut nearest = NearestTwo::default();
            added.iter().for_each(|&(kind, len)| nearest.add(kind, len, || (kind, len)));
            nearest.into_all()
        };
        assert_eq!(of(&[]), []);
        assert_eq!(of(&[(1, 5), (1, 4), (1, 4)]), [(1, 4)]);
        assert_eq!(of(&[(1, 5), (2, 7), (3, 6), (1, 9)]), [(1, 5), (3, 6)]);
        assert_eq!(of(&[(1, 5), (2, 4), (2, 3)]), [(2, 3), (1, 5)]);
        assert_eq!(of(&[(1, 5), (2, 6), (2, 4)]), [(2, 4), (1, 5)]);
    }

    /// Of the files of one machine only one knows wall time, and each of the others is placed by
    /// it. The number of searches is the number of files in total, not that number for each file.
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
        let paths = graph.paths_to(clock(0, 0, BOOTTIME));
        for file in 1..FILES {
            let placement =
                graph.place_by(clock(1, file, MONOTONIC), &paths).expect("has a placement");
            assert_eq!(placement.rule, Rule::Realtime);
            assert_eq!(placement.converter.convert_one(50), 410);
        }
        // Files without any clock need no search.
        for file in FILES + 1..2 * FILES {
            let private = clock(1, file, crate::TRACE_FILE);
            let placement = graph.place_by(private, &paths).expect("has a placement");
            assert_eq!(placement.rule, Rule::PrivateTimeline);
        }
    }

    /// Tries every pair of a clock that leads to the timeline and a clock of its domain in another
    /// file.
    fn realtime_routes_of_all_pairs(paths: &ClockPaths, graph: &ClockGraph) -> Vec<Route> {
        let mut nearest = NearestTwo::default();
        for route in paths.incoming().iter().filter(|route| is_realtime(route.clock())) {
            nearest.add(route.clock().source.machine, route.len(), || route.clone());
        }
        for route in paths.incoming().iter().filter(|route| route.clock().is_domain()) {
            let own = route.clock();
            let same = paths.domains(graph).get(&domain_of(own)).into_iter().flatten();
            for &other in same.filter(|other| other.source.file != own.source.file) {
                let found = graph.search(other, Direction::Incoming);
                for path in found.into_iter().filter(|path| is_realtime(path.clock)) {
                    let len = route.len() + path.hops.len();
                    let machine = path.clock.source.machine;
                    nearest.add(machine, len, || route.extend(other, path, Direction::Incoming));
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
        fn the_nearest_realtime_routes_are_those_of_all_pairs(snapshots in vec(snapshot(), 1..12)) {
            let clock = |(machine, file, id)| Clock::of_source(Source { machine, file }, id);
            let mut graph = ClockGraph::default();
            for (snapshot, at) in snapshots.iter().zip(1_i64..) {
                let readings: Vec<Reading> =
                    snapshot.iter().map(|&of| Reading::ns(clock(of), at * 1_000)).collect();
                // A snapshot that reads a clock twice is refused.
                let _ = graph.add_snapshot(&readings);
            }
            for &timeline in graph.clocks() {
                let paths = graph.paths_to(timeline);
                let clocks = |routes: &[Route]| -> Vec<Vec<Clock>> {
                    routes.iter().map(|route| route.clocks().to_vec()).collect()
                };
                let expected = realtime_routes_of_all_pairs(&paths, &graph);
                prop_assert_eq!(clocks(paths.incoming_realtime(&graph)), clocks(&expected));
            }
        }
    }

    /// All files lead to the timeline, and no file knows wall time.
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
        let paths = graph.paths_to(clock(0, BOOTTIME));
        let before = SEARCHES.get();
        assert!(paths.incoming_realtime(&graph).is_empty());
        assert_eq!(SEARCHES.get() - before, FILES as usize);
    }
}
