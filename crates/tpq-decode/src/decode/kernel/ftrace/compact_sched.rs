//! Switches and wakeups in their compact form: columns instead of messages, names interned in
//! the bundle, and the task switched out left to be inferred from the switch before.

use std::sync::Arc;

use tpq_ingest::{Loss, Payload, Run, RunKind, Span, SplitSink};
use tpq_proto::fields::ftrace_event_bundle::compact_sched;
use tpq_proto::wire::{Fields, Packed, read_varint};
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::presence::SeenThreads;
use super::raw;
use crate::event::RunEvent;
use tpq_trackers::deferred::{EventArgs, StateEvent};
use tpq_trackers::track::{NextTask, RecentTexts, Tid, Trackers, Utid};

/// Runs of switches: words are next pid, previous state, next priority, index of next comm,
/// [`packed`].
pub(crate) const SWITCHES: RunKind = RunKind(RunKind::FIRST_SPLIT + 1);
/// Runs of wakeups: words are pid, flags, target CPU, priority and index of comm. The name names
/// no thread: the switches to it do, at the moment it runs.
pub(crate) const WAKINGS: RunKind = RunKind(RunKind::FIRST_SPLIT + 2);
const SWITCH_WORDS: usize = 4;
const WAKING_WORDS: usize = 5;

/// Names in a bundle. Recorders begin a new bundle after some 64 of them, and have room for a few
/// thousand. A name takes two bytes in a trace and many more in memory, for as long as any event of
/// the bundle waits to be sorted.
const MOST_STRINGS: usize = 1 << 13;

#[derive(Default)]
struct Columns<'a> {
    strings: Vec<Span>,
    has_more_strings: bool,
    /// By field number, up to 12.
    columns: [&'a [u8]; 13],
}

impl<'a> Columns<'a> {
    fn read(span: Span, bytes: &'a [u8]) -> Self {
        let mut compact = Self::default();
        let mut fields = Fields::new(bytes);
        while let Some(field) = fields.next() {
            let column = field.as_bytes();
            match field.number {
                compact_sched::INTERN_TABLE if compact.strings.len() == MOST_STRINGS => {
                    compact.has_more_strings = true
                }
                compact_sched::INTERN_TABLE => {
                    let string = span.inner(fields.position() - column.len(), column.len());
                    compact.strings.push(string);
                }
                number => {
                    if let Some(slot) = compact.columns.get_mut(number as usize) {
                        *slot = column;
                    }
                }
            }
        }
        compact
    }
}

/// Splits the compact part of a bundle into a run of switches and one of wakeups. With `threads`,
/// the wakeups are only those that are the first of their thread.
pub(super) fn split(
    span: Span,
    bytes: &[u8],
    threads: &mut Option<SeenThreads>,
    sink: &mut SplitSink<'_>,
) -> [(RunKind, Vec<i64>, Payload); 2] {
    let compact = Columns::read(span, bytes);
    if compact.has_more_strings {
        sink.lose(Loss::MalformedCompactSched);
    }
    let strings: Arc<[Span]> = compact.strings.into();
    let columns = |numbers: &[u32]| -> Vec<&[u8]> {
        numbers.iter().map(|&number| compact.columns[number as usize]).collect()
    };
    let [switches, wakings] = [
        &[
            compact_sched::SWITCH_TIMESTAMP,
            compact_sched::SWITCH_NEXT_PID,
            compact_sched::SWITCH_PREV_STATE,
            compact_sched::SWITCH_NEXT_PRIO,
            compact_sched::SWITCH_NEXT_COMM_INDEX,
        ][..],
        &[
            compact_sched::WAKING_TIMESTAMP,
            compact_sched::WAKING_PID,
            compact_sched::WAKING_COMMON_FLAGS,
            compact_sched::WAKING_TARGET_CPU,
            compact_sched::WAKING_PRIO,
            compact_sched::WAKING_COMM_INDEX,
        ][..],
    ]
    .map(columns);
    let switches = zip_columns(&switches);
    let first_switch = switches.0.iter().copied().min();
    let first_wakings =
        threads.as_mut().and_then(|threads| first_wakings(&wakings, first_switch, threads));
    let wakings = first_wakings.unwrap_or_else(|| zip_columns(&wakings));
    let mut finish = |kind, timestamps, (width, words): (usize, Vec<u32>), whole: bool| {
        if !whole {
            sink.lose(Loss::MalformedCompactSched);
        }
        let strings = strings.clone();
        let payload =
            Payload::Words { width, words, strings, ranks: Vec::new(), own_strings: false };
        (kind, timestamps, payload)
    };
    let (times, words, whole) = switches;
    let switches = finish(SWITCHES, times, packed::<SWITCH_WORDS>(words), whole);
    let (times, words, whole) = wakings;
    [switches, finish(WAKINGS, times, packed::<WAKING_WORDS>(words), whole)]
}

/// Rows of `N` words as they wait to be sorted, with their width: two in a word if all are below
/// 65,536. Most of the memory of a sort are these.
fn packed<const N: usize>(words: Vec<u32>) -> (usize, Vec<u32>) {
    if words.iter().fold(0_u32, |all, word| all | word) > u32::from(u16::MAX) {
        return (N, words);
    }
    let width = N.div_ceil(2);
    let (rows, _) = words.as_chunks::<N>();
    let mut packed = Vec::with_capacity(rows.len() * width);
    for row in rows {
        let pairs = row.chunks(2);
        packed.extend(pairs.map(|pair| pair[0] | pair.get(1).map_or(0, |second| second << 16)));
    }
    (width, packed)
}

/// The words of an event of a run, as they were before [`packed`], and the strings of the run.
#[inline]
fn unpacked<const N: usize>(run: &Run, index: usize) -> Option<([u32; N], &[Span])> {
    let Payload::Words { width, words, strings, .. } = &run.payload else { return None };
    let row = words.get(index * width..)?;
    if *width == N {
        return Some((*row.first_chunk()?, &**strings));
    }
    let row = row.get(..N.div_ceil(2))?;
    let words = std::array::from_fn(|at| row[at / 2] >> (at % 2 * 16) & u32::from(u16::MAX));
    Some((words, &**strings))
}

/// Reads columns side by side: the first holds differences of timestamps, the rest words. Also
/// says whether all of them were of one length.
fn zip_columns(columns: &[&[u8]]) -> (Vec<i64>, Vec<u32>, bool) {
    let Some((timestamps, rest)) = columns.split_first() else { return Default::default() };
    // The last byte of each is the only one without its highest bit.
    let count = timestamps.iter().filter(|&&byte| byte < 0x80).count();
    let mut times = Vec::with_capacity(count);
    let mut now = 0_i64;
    times.extend(Packed::new(timestamps).map(|delta| {
        now = now.wrapping_add(delta as i64);
        now
    }));
    let (width, count) = (rest.len(), times.len());
    let mut words = vec![0_u32; width * count];
    let (mut rows, mut whole) = (count, true);
    for (source, column) in rest.iter().enumerate() {
        // A column that is absent altogether holds zeros: older recorders wrote no flags.
        if column.is_empty() {
            continue;
        }
        let mut column = Packed::new(column);
        let mut read = 0;
        for (row, word) in words.chunks_exact_mut(width).zip(&mut column) {
            row[source] = word as u32;
            read += 1;
        }
        whole &= read == count && column.next().is_none();
        rows = rows.min(read);
    }
    if !whole {
        times.truncate(rows);
        times.shrink_to_fit();
        words.truncate(rows * width);
        words.shrink_to_fit();
    }
    (times, words, whole)
}

/// The first wakeup of each thread, as rows that have its pid only; and the first one after a
/// switch, which may be the first event of the CPU that has a known thread and so gives the CPU its
/// row. `None` where columns need to be read to know how many rows there are.
fn first_wakings(
    columns: &[&[u8]],
    mut first_switch: Option<i64>,
    threads: &mut SeenThreads,
) -> Option<(Vec<i64>, Vec<u32>, bool)> {
    // No bundle has so many names, so this is the index of none.
    const NO_NAME: u32 = u16::MAX as u32;
    let [timestamps, pids, others @ ..] = columns else { return None };
    // The first timestamp is not a difference, and longer than those are.
    let mut after_first = 0;
    read_varint(timestamps, &mut after_first)?;
    let count = 1 + varints(&timestamps[after_first..])?;
    let is_whole = |column: &&[u8]| column.is_empty() || varints(column) == Some(count);
    if varints(pids)? != count || !others.iter().all(is_whole) {
        return None;
    }
    let (mut times, mut words) = (Vec::new(), Vec::new());
    let mut now = 0_i64;
    for (delta, pid) in Packed::new(timestamps).zip(Packed::new(pids)) {
        now = now.wrapping_add(delta as i64);
        let shows_cpu = first_switch.is_some_and(|switch| now >= switch);
        if shows_cpu && first_switch != Some(now) {
            first_switch = None;
        }
        if threads.is_first(pid as i32, now) || shows_cpu {
            times.push(now);
            words.extend([pid as u32, 0, 0, 0, NO_NAME]);
        }
    }
    Some((times, words, true))
}

/// The number of varints in a column; `None` if one of them is cut off or has five bytes or more,
/// so that it may be none.
fn varints(column: &[u8]) -> Option<usize> {
    const CONTINUES: u8 = 0x80;
    let starts = column.len().saturating_sub(4);
    let [first, second, third, fourth, fifth] =
        [0, 1, 2, 3, 4].map(|offset| column.get(offset..offset + starts).unwrap_or_default());
    let rest = second.iter().zip(third).zip(fourth.iter().zip(fifth));
    let long =
        first.iter().zip(rest).fold(0, |any, (first, ((second, third), (fourth, fifth)))| {
            any | first & second & third & fourth & fifth & CONTINUES
        });
    let is_cut = column.last().is_some_and(|&last| last >= CONTINUES);
    let count = column.iter().filter(|&&byte| byte < CONTINUES).count();
    (long == 0 && !is_cut).then_some(count)
}

fn comm(
    event: &RunEvent<'_>,
    strings: &[Span],
    index: u32,
    comms: &mut RecentTexts,
    tables: &mut Tables,
) -> StringId {
    match strings.get(index as usize) {
        Some(&span) => comms.intern(span, event.bytes, &mut tables.strings),
        None => StringId::NULL,
    }
}

/// Decodes a switch.
pub(super) fn decode_switch(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Some((state, next)) = read_switch(event, trackers, tables) else { return };
    trackers.source.sched.switch(
        event.ts,
        (event.machine, event.cpu),
        None,
        state,
        next,
        &mut trackers.processes,
        &mut trackers.cpus,
        &mut trackers.deferred,
        tables,
        stats,
    );
}

/// Follows a switch without writing it, so that the next one knows what it switches from.
pub(super) fn follow_switch(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Some((_, next)) = read_switch(event, trackers, tables) else { return };
    let cpu = (event.machine, event.cpu);
    trackers.source.sched.follow(cpu, next, &mut trackers.processes, tables, stats);
}

/// Reads a switch and adds its row of `ftrace_event`. Returns the state of the previous task, and
/// the next task.
fn read_switch(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> Option<(i64, NextTask)> {
    let ([pid, state, prio, comm_index], strings) =
        unpacked::<SWITCH_WORDS>(event.run, event.index)?;
    let comm = comm(event, strings, comm_index, &mut trackers.comms, tables);
    let next = NextTask { pid: pid as i32, prio: prio as i32, comm };
    let state = state as i32;
    // The thread before the first switch is unknown.
    let task = trackers.source.sched.task(event.cpu, tables);
    if let Some((previous_utid, previous)) = task {
        let args = EventArgs::Switch { previous, state, next };
        raw::record_compact(event, (previous_utid, 0), args, trackers, tables);
    }
    Some((i64::from(state), next))
}

/// Decodes a wakeup. The waker is the thread that runs on the CPU.
pub(super) fn decode_waking(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Some((waker, woken, flags)) = read_waking(event, trackers, tables) else {
        stats.increment(Stat::CompactSchedWakingSkipped);
        return;
    };
    let (ts, utid, common_flags) = (event.ts, woken, Some(flags));
    trackers.deferred.push_state(StateEvent::Wake { ts, utid, waker, common_flags });
}

/// Writes a wakeup as a kernel event only.
pub(super) fn record_waking(event: &RunEvent<'_>, trackers: &mut Trackers, tables: &mut Tables) {
    read_waking(event, trackers, tables);
}

/// Reads a wakeup and writes its fields: the waker, the woken thread and the flags. None
/// where it is not known what the CPU runs.
fn read_waking(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> Option<(Utid, Utid, u32)> {
    let ([pid, flags, target_cpu, prio, comm_index], strings) =
        unpacked::<WAKING_WORDS>(event.run, event.index)?;
    let tid = Tid { machine: event.machine, id: i64::from(pid as i32) };
    let utid = trackers.processes.thread(tid, tables);
    let waker = trackers.source.sched.running(event.cpu)?;
    let comm = comm(event, strings, comm_index, &mut trackers.comms, tables);
    let woken = NextTask { pid: pid as i32, prio: prio as i32, comm };
    let args = EventArgs::Waking { woken, target_cpu: target_cpu as i32 };
    raw::record_compact(event, (waker, flags), args, trackers, tables);
    Some((waker, utid, flags))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_read_side_by_side() {
        let (times, words, whole) = zip_columns(&[&[10, 5], &[1, 2], &[7, 8]]);
        assert_eq!((times, words, whole), (vec![10, 15], vec![1, 7, 2, 8], true));
    }

    #[test]
    fn a_short_column_ends_the_rows_and_is_counted() {
        let (times, words, whole) = zip_columns(&[&[10, 5], &[1, 2], &[7]]);
        assert_eq!((times, words, whole), (vec![10], vec![1, 7], false));
        assert!(zip_columns(&[&[10, 5], &[1, 2], &[]]).2);
    }

    #[test]
    fn first_wakings_are_those_of_each_thread() {
        let mut threads = SeenThreads::default();
        let columns: [&[u8]; 6] = [&[10, 5, 1, 1], &[7, 7, 8, 7], &[0; 4], &[], &[1; 4], &[2; 4]];
        let name = u32::from(u16::MAX);
        let rows = vec![7, 0, 0, 0, name, 8, 0, 0, 0, name];
        assert_eq!(first_wakings(&columns, None, &mut threads), Some((vec![10, 16], rows, true)));
        assert_eq!(threads.take().0, [10, 17]);
        let short: [&[u8]; 3] = [&[10, 5], &[7, 7], &[0]];
        assert_eq!(first_wakings(&short, None, &mut threads), None);
    }

    #[test]
    fn the_first_waking_after_a_switch_is_kept() {
        let columns: [&[u8]; 6] = [&[10, 5, 0, 1, 1], &[7; 5], &[], &[], &[], &[]];
        for (switch, kept) in [
            (None, vec![10]),
            (Some(1), vec![10]),
            (Some(12), vec![10, 15]),
            (Some(15), vec![10, 15, 15, 16]),
            (Some(17), vec![10, 17]),
            (Some(18), vec![10]),
        ] {
            let mut threads = SeenThreads::default();
            let (times, words, whole) = first_wakings(&columns, switch, &mut threads).unwrap();
            assert_eq!((times.len() * WAKING_WORDS, times, whole), (words.len(), kept, true));
        }
    }

    #[test]
    fn varints_are_counted_where_none_is_long() {
        assert_eq!(varints(&[]), Some(0));
        assert_eq!(varints(&[1, 0x80, 1, 0xff, 0xff, 0xff, 0xff, 1]), Some(3));
        assert_eq!(varints(&[0xff, 0xff, 0xff, 0xff, 0xff, 1]), None);
        assert_eq!(varints(&[1, 0x80]), None);
    }

    #[test]
    fn small_words_wait_two_in_one() {
        let run = |(width, words): (usize, Vec<u32>)| Run {
            kind: WAKINGS,
            cpu: Some(0),
            source: 0,
            generation: 0,
            position: 0,
            addr: 0,
            timestamps: vec![1, 2],
            payload: Payload::Words {
                width,
                words,
                strings: Arc::default(),
                ranks: Vec::new(),
                own_strings: false,
            },
        };
        let words = |run: &Run| {
            [0, 1, 2].map(|index| unpacked::<WAKING_WORDS>(run, index).map(|(words, _)| words))
        };
        let rows = [[1, 0, 0xffff, 120, 7], [2, 3, 4, 5, 6]];
        let small = packed::<WAKING_WORDS>(rows.as_flattened().to_vec());
        assert_eq!(small, (3, vec![1, 120 << 16 | 0xffff, 7, 3 << 16 | 2, 5 << 16 | 4, 6]));
        assert_eq!(words(&run(small)), [Some(rows[0]), Some(rows[1]), None]);
        // A task of the deadline scheduler has a negative priority.
        let rows = [[1, 0, 0xffff, -1_i32 as u32, 7], [2, 3, 4, 5, 0x10000]];
        let large = packed::<WAKING_WORDS>(rows.as_flattened().to_vec());
        assert_eq!(large, (5, rows.as_flattened().to_vec()));
        assert_eq!(words(&run(large)), [Some(rows[0]), Some(rows[1]), None]);
    }

    #[test]
    fn names_beyond_what_a_recorder_writes_are_left_out() {
        let read = |names: usize| {
            let bytes = [5 << 3 | 2, 0].repeat(names);
            let span = Span { addr: 0, len: bytes.len() as u32 };
            let columns = Columns::read(span, &bytes);
            (columns.strings.len(), columns.has_more_strings)
        };
        assert_eq!(read(MOST_STRINGS), (MOST_STRINGS, false));
        assert_eq!(read(MOST_STRINGS + 5), (MOST_STRINGS, true));
    }
}
