use proptest::prelude::*;

use super::*;

const S: i64 = 1_000_000_000;

fn edge(pairs: &[(i64, i64)]) -> Edge {
    let mut edge = Edge::default();
    for &(from, to) in pairs {
        assert!(edge.push(from, to));
    }
    edge
}

/// The same snapshots in the opposite direction.
fn back(pairs: &[(i64, i64)]) -> Edge {
    edge(&pairs.iter().map(|&(from, to)| (to, from)).collect::<Vec<_>>())
}

fn one(edge: &Edge, t: i64, how: Interpolation) -> i64 {
    let mut column = [t];
    edge.convert(&mut column, how);
    column[0]
}

fn nearest(edge: &Edge, t: i64) -> i64 {
    one(edge, t, Interpolation::Nearest)
}

fn linear(edge: &Edge, t: i64) -> i64 {
    one(edge, t, Interpolation::Linear)
}

#[test]
fn an_edge_holds_ascending_pairs() {
    let mut edge = edge(&[(10, 100), (20, 110)]);
    assert!(!edge.push(19, 120), "went backwards");
    assert!(edge.push(20, 115), "the later of two replaces");
    assert_eq!(edge.pairs().collect::<Vec<_>>(), [(10, 100), (20, 115)]);
    assert_eq!((edge.len(), edge.is_empty()), (2, false));
}

#[test]
fn readings_keep_their_order_unless_the_other_clock_was_set_back() {
    let converter = |edges: &[&Edge]| {
        let hops = edges.iter().map(|&edge| Arc::new(edge.clone())).collect();
        Converter::new(hops, Interpolation::Nearest)
    };
    let plain = edge(&[(0, 500)]);
    let set_back = edge(&[(0, 1000), (100, 1100), (200, 1150), (300, 1250)]);
    let direct = converter(&[&set_back]);
    assert!(direct.keeps_order(0, 199));
    assert!(!direct.keeps_order(199, 200) && !direct.keeps_order(0, 300));
    assert!(direct.keeps_order(200, 400) && direct.keeps_order(200, 200));
    assert!(!direct.keeps_order(20, 10), "not in order before");
    // The second hop is asked for readings of the clock between.
    let indirect = converter(&[&back(&[(0, 500)]), &set_back]);
    assert!(indirect.keeps_order(500, 699) && !indirect.keeps_order(600, 701));
    assert!(converter(&[&plain]).keeps_order(i64::MIN, 0));
    assert!(Converter::identity().keeps_order(1, 2));
    let linear = Converter::new(vec![Arc::new(set_back)], Interpolation::Linear);
    assert!(linear.keeps_order(100, 400), "a clock that is slow for a while");
    let falling = edge(&[(0, 1000), (100, 900), (200, 1000)]);
    let falling = Converter::new(vec![Arc::new(falling)], Interpolation::Linear);
    assert!(!falling.keeps_order(10, 90) && falling.keeps_order(120, 180));
    let many: Vec<(i64, i64)> = (0..200).map(|at| (at * 10, at * 10 + 7)).collect();
    let many = converter(&[&edge(&many)]);
    assert!(many.keeps_order(0, 640) && !many.keeps_order(0, 650), "too many to look at");
}

#[test]
fn between_snapshots_a_straight_line() {
    // Suspended for 500 between 1900 and 2000.
    let pairs =
        [(1000, 2000), (1100, 2100), (1200, 2200), (1900, 2900), (2000, 3500), (2100, 3600)];
    let edge = edge(&pairs);
    for (t, expected) in [(1104, 2104), (1900, 2900), (1950, 3200), (1999, 3494), (2050, 3550)] {
        assert_eq!(linear(&edge, t), expected);
    }
    assert_eq!(nearest(&edge, 1950), 2950);
}

#[test]
fn outside_of_snapshots_the_rate_goes_on() {
    // 50 ppm. One second of sleep does not change the median.
    let edge = edge(&[(0, 5), (S, S + 50_005), (2 * S, 3 * S + 100_005), (4 * S, 5 * S + 200_005)]);
    assert_eq!(linear(&edge, 6 * S), 7 * S + 300_005);
    assert_eq!(linear(&edge, -2 * S), -2 * S - 99_995);
    assert_eq!(nearest(&edge, 6 * S), 7 * S + 200_005);
    assert_eq!(nearest(&edge, -2 * S), -2 * S + 5);
}

#[test]
fn two_snapshots_of_one_moment_give_no_rate() {
    // The second clock was read 0.2 ms late. Extrapolated to 10 s this would be 5 s.
    let edge = edge(&[(0, 0), (400_000, 600_000)]);
    assert_eq!(linear(&edge, 200_000), 300_000);
    assert_eq!(linear(&edge, 10 * S), 10 * S + 200_000);
}

#[test]
fn ticks_convert_by_their_rate_alone() {
    let mut ticks = edge(&[(2_000, 100)]);
    ticks.set_ticks();
    assert!(!ticks.can_convert());
    assert!(ticks.push(4_000, 1_100));
    assert!(ticks.can_convert());
    for how in [Interpolation::Nearest, Interpolation::Linear] {
        let converted = [1_000, 3_000, 5_000, 5_001].map(|t| one(&ticks, t, how));
        assert_eq!(converted, [-400, 600, 1_600, 1_600]);
    }
}

#[test]
fn later_snapshots_are_used() {
    let mut edge = edge(&[(0, 0)]);
    assert_eq!(linear(&edge, 2 * S), 2 * S);
    edge.push(S, S + 100);
    assert_eq!(linear(&edge, 2 * S), 2 * S + 200);
}

#[test]
fn converters_join() {
    let first = Converter::new(vec![Arc::new(edge(&[(0, 10)]))], Interpolation::Linear);
    let second = Converter::new(vec![Arc::new(edge(&[(0, 100)]))], Interpolation::Linear);
    let both = first.clone().then(&second);
    assert_eq!((both.hops(), both.convert_one(1)), (2, 111));
    assert_eq!(Converter::identity().then(&first).convert_one(1), 11);
    assert_eq!(first.then(&Converter::identity()).convert_one(1), 11);
    assert_eq!(Converter::identity().convert_one(7), 7);
}

#[test]
fn nothing_panics_at_the_ends_of_the_range() {
    let ends = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX];
    for (from, to) in ends.iter().flat_map(|&from| ends.map(|to| (from, to))) {
        for others in [&[][..], &[(0, 0)], &[(0, i64::MIN)], &[(0, i64::MAX), (1, i64::MIN)]] {
            let mut pairs = [others, &[(from, to)]].concat();
            pairs.sort_unstable();
            let mut edge = edge(&pairs);
            let latest = (pairs[pairs.len() - 1], edge.len());
            for how in [Interpolation::Nearest, Interpolation::Linear] {
                let mut column = ends;
                edge.convert(&mut column, how);
                assert_eq!(one(&edge, latest.0.0, how), latest.0.1);
            }
            edge.set_ticks();
            edge.convert(&mut ends.clone(), Interpolation::Nearest);
        }
    }
}

/// The rule of the nearest snapshot, in its simplest form.
fn by_the_rule(pairs: &[(i64, i64)], t: i64) -> i64 {
    let (from, to) = pairs.iter().rev().find(|(from, _)| *from <= t).unwrap_or(&pairs[0]);
    t - from + to
}

/// Snapshots of two clocks that both go forward, by the given steps.
fn snapshots(steps: &[(i64, i64)]) -> Vec<(i64, i64)> {
    let mut at = (0, 7);
    let step = |&(from, to): &(i64, i64)| {
        at = (at.0 + from, at.1 + to);
        at
    };
    steps.iter().map(step).collect()
}

/// Steps of all sizes: a few ns, seconds with a drift, and arbitrary ticks.
fn steps() -> impl Strategy<Value = Vec<(i64, i64)>> {
    let drifting =
        (S..10 * S, -500i64..500).prop_map(|(from, ppm)| (from, from + from / 1_000_000 * ppm));
    let any = prop_oneof![(1i64..1000, 0i64..1000), drifting, (1..S, 0..3 * S)];
    prop::collection::vec(any, 1..50)
}

/// An unsorted column over the time of `pairs` and as much time again before and after.
fn column(pairs: &[(i64, i64)], parts: &[f64]) -> Vec<i64> {
    let end = pairs[pairs.len() - 1].0 as f64;
    parts.iter().map(|part| (part * end) as i64).collect()
}

fn parts() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1.0..2.0, 0..3000)
}

fn either() -> impl Strategy<Value = Interpolation> {
    prop_oneof![Just(Interpolation::Nearest), Just(Interpolation::Linear)]
}

proptest! {
    #[test]
    fn nearest_is_the_rule(steps in steps(), parts in parts()) {
        let pairs = snapshots(&steps);
        let column = column(&pairs, &parts);
        let mut converted = column.clone();
        edge(&pairs).convert(&mut converted, Interpolation::Nearest);
        let expected: Vec<i64> = column.iter().map(|&t| by_the_rule(&pairs, t)).collect();
        prop_assert_eq!(converted, expected);
    }

    #[test]
    fn a_column_converts_as_its_values_one_by_one(
        steps in steps(),
        parts in parts(),
        far in prop::collection::vec(any::<i64>(), 0..3),
        sorted in any::<bool>(),
        how in either(),
    ) {
        let pairs = snapshots(&steps);
        let mut column = [column(&pairs, &parts), far].concat();
        if sorted {
            column.sort_unstable();
        }
        let edge = edge(&pairs);
        let mut converted = column.clone();
        edge.convert(&mut converted, how);
        let expected: Vec<i64> = column.iter().map(|&t| one(&edge, t, how)).collect();
        prop_assert_eq!(converted, expected);
    }

    #[test]
    fn linear_keeps_order_where_both_clocks_go_forward(
        steps in steps(),
        parts in parts(),
        ticks in any::<bool>(),
    ) {
        let pairs = snapshots(&steps);
        let mut edge = edge(&pairs);
        if ticks {
            edge.set_ticks();
        }
        let near_snapshots = pairs.iter().flat_map(|&(from, _)| from - 2..from + 2);
        let mut column: Vec<i64> = column(&pairs, &parts).into_iter().chain(near_snapshots).collect();
        column.sort_unstable();
        edge.convert(&mut column, Interpolation::Linear);
        prop_assert!(column.is_sorted());
    }

    /// Between two snapshots the offset is constant, so the order is kept unless the other clock
    /// fell back relative to this one.
    #[test]
    fn nearest_keeps_order_where_the_other_clock_gains(steps in steps(), parts in parts()) {
        let gaining: Vec<(i64, i64)> = steps.iter().map(|&(from, gain)| (from, from + gain)).collect();
        let pairs = snapshots(&gaining);
        let mut column = column(&pairs, &parts);
        column.sort_unstable();
        edge(&pairs).convert(&mut column, Interpolation::Nearest);
        prop_assert!(column.is_sorted());
    }

    #[test]
    fn every_snapshot_is_hit(steps in steps(), how in either()) {
        let edge = edge(&snapshots(&steps));
        for (from, to) in edge.pairs() {
            prop_assert_eq!(one(&edge, from, how), to);
        }
    }

    /// The way there may use one snapshot and the way back the one before or after. The error is
    /// the change of the offset between the two.
    #[test]
    fn nearest_there_and_back_errs_by_the_change_of_an_offset(
        steps in prop::collection::vec((1000i64..2000, -500i64..500), 1..50),
        parts in parts(),
    ) {
        let changing: Vec<(i64, i64)> = steps.iter().map(|&(from, change)| (from, from + change)).collect();
        let pairs = snapshots(&changing);
        let most = steps.iter().map(|(_, change)| change.abs()).max().unwrap_or(0);
        let (there, back) = (edge(&pairs), back(&pairs));
        for t in column(&pairs, &parts) {
            prop_assert!((nearest(&back, nearest(&there, t)) - t).abs() <= most);
        }
    }

    /// Half a ns in each direction, where the clocks run at nearly the same rate.
    #[test]
    fn linear_there_and_back_errs_by_rounding(
        steps in prop::collection::vec((1i64..10 * S, -500i64..500), 2..50),
        parts in parts(),
    ) {
        let drifting: Vec<(i64, i64)> =
            steps.iter().map(|&(from, ppm)| (from, from + from / 1_000_000 * ppm)).collect();
        let pairs = snapshots(&drifting);
        let (there, back) = (edge(&pairs), back(&pairs));
        let inside = pairs[0].0..pairs[pairs.len() - 1].0;
        for t in column(&pairs, &parts).into_iter().filter(|t| inside.contains(t)) {
            prop_assert!((linear(&back, linear(&there, t)) - t).abs() <= 1);
        }
    }
}
