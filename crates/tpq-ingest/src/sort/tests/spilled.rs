//! Whatever room there is, the same events come out in the same order, and the same are dropped.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::*;
use crate::interleave::Interleaver;
use crate::own_strings::{own_strings, set_first_string};
use crate::{Message, Payload, RunKind, Span};

/// A store in memory.
#[derive(Default)]
pub(crate) struct Store(RefCell<Vec<u8>>);

impl RunStore for Store {
    fn write(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        let (mut stored, at) = (self.0.borrow_mut(), at as usize);
        let end = stored.len().max(at + bytes.len());
        stored.resize(end, 0);
        stored[at..at + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        let (stored, at) = (self.0.borrow(), at as usize);
        bytes
            .copy_from_slice(stored.get(at..at + bytes.len()).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// All that is known of an event.
#[derive(Clone, PartialEq, Debug)]
struct Seen {
    ts: i64,
    head: [u32; 5],
    addr: u64,
    message: Option<(Span, u32)>,
    words: Vec<u32>,
    strings: Vec<Span>,
}

#[derive(Default)]
struct Out(Vec<Seen>);

impl Emit for Out {
    fn emit(&mut self, ts: i64, run: &Arc<Run>, index: usize) -> ControlFlow<()> {
        assert_eq!(run.timestamps[index], ts);
        let (mut words, mut strings) = (Vec::new(), Vec::new());
        if let Payload::Words { width, words: all, strings: shared, own_strings: has_own, .. } =
            &run.payload
        {
            words = all[index * width..(index + 1) * width].to_vec();
            strings = shared.to_vec();
            if *has_own {
                strings = shared[own_strings(&words)].to_vec();
                set_first_string(&mut words, 0);
            }
        }
        let message = run.payload.message_of(index).map(|span| (span, run.kind_of(index)));
        let message = message.map(|(span, kind)| (span, kind.unwrap_or_default()));
        let position = run.position_of(index);
        let head =
            [run.kind.0, run.cpu.map_or(0, |cpu| cpu + 1), run.source, run.generation, position];
        self.0.push(Seen { ts, head, addr: run.addr_of(index), message, words, strings });
        ControlFlow::Continue(())
    }
}

#[derive(Clone, Debug)]
enum Input {
    Run(Run),
    RecorderEvent(RecorderEvent),
}

/// The payload of a number of events. The numbers in it make all events distinct.
fn payload(form: u8, position: u32, events: usize) -> Payload {
    let span = |at: usize| Span { addr: u64::from(position) * 1_000 + at as u64, len: 7 };
    match form {
        0 => {
            let kind = position % 3;
            let message = |at| Message::new(span(at), 5, position, kind);
            Payload::Messages((0..events).map(message).collect())
        }
        1 => Payload::Bundle {
            addr: 1 << 40,
            ranges: (0..events as u32).map(|at| (position * 100 + at, at)).collect(),
        },
        2 | 3 => Payload::Words {
            width: 3,
            words: (0..events as u32 * 3).map(|word| position * 1_000 + word).collect(),
            strings: (0..position as usize % 4).map(span).collect(),
            // Those of one moment need not be in the order of their ranks.
            ranks: if form == 2 { Vec::new() } else { (0..events as u64).rev().collect() },
            own_strings: false,
        },
        _ => {
            let own = |at: usize| (at + position as usize) % 3;
            let first = |at: usize| (0..at).map(own).sum::<usize>() as u32;
            let words = (0..events).flat_map(|at| {
                [((1_u32 << own(at)) - 1) << 8 | position & 0xff, first(at), position, at as u32]
            });
            Payload::Words {
                width: 4,
                words: words.collect(),
                strings: (0..first(events) as usize).map(span).collect(),
                ranks: (0..events as u64).map(|at| at * 7 % 5).collect(),
                own_strings: true,
            }
        }
    }
}

/// A run or mark of a file with positions of its own.
fn input() -> impl Strategy<Value = Input> {
    let run = (0..5_u8, 0..3_u32, 0..2_u32, 0..400_i64, vec(0..3_i64, 1..30));
    let run = run.prop_map(|(form, lane, source, from, steps)| {
        let times = steps.iter().scan(from, |ts, step| {
            *ts += step;
            Some(*ts)
        });
        let timestamps: Vec<i64> = times.collect();
        let kind = RunKind(RunKind::FIRST_SPLIT + u32::from(form));
        let payload = payload(form, 0, timestamps.len());
        Input::Run(Run {
            kind,
            cpu: lane.checked_sub(1),
            source,
            generation: 9,
            position: 0,
            addr: 3,
            timestamps,
            payload,
        })
    });
    prop_oneof![
        8 => run,
        1 => Just(Input::RecorderEvent(RecorderEvent::Flushed)),
        1 => Just(Input::RecorderEvent(RecorderEvent::ReadBuffers)),
    ]
}

/// Numbers the runs of files, as the positions of their packets do.
fn numbered(mut files: Vec<Vec<Input>>) -> Vec<Vec<Input>> {
    for (file, inputs) in (0_u32..).zip(&mut files) {
        let runs = inputs.iter_mut().filter_map(|input| match input {
            Input::Run(run) => Some(run),
            Input::RecorderEvent(_) => None,
        });
        for (position, run) in (1..).zip(runs) {
            let form = (run.kind.0 - RunKind::FIRST_SPLIT) as u8;
            run.payload = payload(form, position, run.timestamps.len());
            (run.position, run.source) = (position, run.source + file * 2);
        }
    }
    files
}

struct Interleaved {
    events: Vec<Seen>,
    late: Vec<u64>,
    written: u64,
    peak: u64,
}

fn interleave(
    files: &[Vec<Input>],
    windowed: &[bool],
    memory: SortMemory,
) -> Result<Interleaved, Stopped> {
    let mut interleaver = Interleaver::new(windowed, memory);
    let mut out = Out::default();
    let mut left: Vec<_> = files.iter().map(|inputs| inputs.iter()).collect();
    while let Some(file) = interleaver.flush(&mut out)? {
        match left[file].next() {
            Some(Input::Run(run)) => interleaver.push(file, run.clone())?,
            Some(Input::RecorderEvent(event)) => {
                interleaver.handle_event(file, *event, &mut out)?
            }
            None => interleaver.end(file, &mut out)?,
        }
    }
    let late = interleaver.sorters().map(|it| it.losses().get(Loss::OutOfOrder)).collect();
    let (written, peak) = (interleaver.memory().written(), interleaver.peak());
    Ok(Interleaved { events: out.0, late, written, peak })
}

fn assert_same(files: &[Vec<Input>], windowed: &[bool], most: u64, block: u64) -> Interleaved {
    let full = interleave(files, windowed, SortMemory::in_memory()).expect("nothing is stored");
    let memory = SortMemory::with_blocks(most, block, Store::default());
    let little = interleave(files, windowed, memory).expect("the store takes everything");
    assert_eq!(little.late, full.late);
    assert_eq!(little.events.len(), full.events.len());
    for (at, (one, other)) in little.events.iter().zip(&full.events).enumerate() {
        assert_eq!(one, other, "event {at}");
    }
    little
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_room_changes_nothing(
        files in vec((vec(input(), 0..60), any::<bool>()), 1..4),
        most in prop_oneof![Just(0), 0..20_000_u64],
        block in prop_oneof![Just(0), 0..4_000_u64],
    ) {
        let (files, windowed): (Vec<_>, Vec<_>) = files.into_iter().unzip();
        assert_same(&numbered(files), &windowed, most, block);
    }
}

/// Runs that all overlap, and of which some have events at the same time.
fn overlapping(runs: i64, form: u8) -> Vec<Input> {
    let run = |at: i64| {
        let timestamps: Vec<i64> = (0..200).map(|step| at + step * 1_000 / 3 * 3).collect();
        let payload = payload(form, 0, timestamps.len());
        let kind = RunKind(RunKind::FIRST_SPLIT + u32::from(form));
        let (lane, source) = ((at % 2) as u32, 0);
        Input::Run(Run {
            kind,
            cpu: lane.checked_sub(1),
            source,
            generation: 9,
            position: 0,
            addr: 3,
            timestamps,
            payload,
        })
    };
    (0..runs).map(run).collect()
}

/// Enough segments that they are merged with each other, and those again.
#[test]
fn many_stretches_give_the_same_events_within_the_room() {
    for form in 0..5 {
        for files in [1, 2] {
            let files = numbered(vec![overlapping(600, form); files]);
            let most = 20_000;
            let little = assert_same(&files, &vec![true; files.len()], most, 500);
            let (peak, written) = (little.peak, little.written);
            assert!(peak < 6 * most, "form {form}: {peak} bytes of {most} were held");
            assert!(written > 20 * most, "form {form}: {written} bytes were written");
        }
    }
}

/// A store that notes the most bytes that are read at a time.
struct RecordingStore(Store, Arc<AtomicUsize>);

impl RunStore for RecordingStore {
    fn write(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.0.write(bytes, at)
    }

    fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        self.1.fetch_max(bytes.len(), Ordering::Relaxed);
        self.0.read(bytes, at)
    }
}

/// Runs of a few events, far apart, with strings that take much more than these.
fn with_many_strings(runs: i64, strings: usize) -> Vec<Input> {
    let run = |at: i64| {
        let spans: Vec<Span> = (0..strings as u64).map(|addr| Span { addr, len: 0 }).collect();
        let payload = Payload::Words {
            width: 1,
            words: vec![0; 4],
            strings: spans.into(),
            ranks: Vec::new(),
            own_strings: false,
        };
        Input::Run(Run {
            kind: RunKind(RunKind::FIRST_SPLIT),
            cpu: Some(0),
            source: 0,
            generation: 9,
            position: at as u32,
            addr: 3,
            timestamps: (0..4).map(|step| step * 10_000 + at).collect(),
            payload,
        })
    };
    (0..runs).map(run).collect()
}

/// What strings take counts for a block that is read back, and they are written only once, however
/// often the events with them are merged.
#[test]
fn strings_that_runs_share_take_little_room() {
    const RUNS: i64 = 300;
    const STRINGS: usize = 1_000;
    let most_read = Arc::new(AtomicUsize::new(0));
    let store = RecordingStore(Store::default(), Arc::clone(&most_read));
    let memory = SortMemory::with_blocks(100_000, 1_000, store);
    let files = [with_many_strings(RUNS, STRINGS)];
    let outcome = interleave(&files, &[false], memory).expect("the store takes everything");
    assert_eq!(outcome.events.len(), 4 * RUNS as usize);
    assert!(outcome.events.iter().all(|event| event.strings.len() == STRINGS));
    let of_run = STRINGS * size_of::<Span>();
    let (most_read, written) = (most_read.load(Ordering::Relaxed), outcome.written as usize);
    assert!(most_read < 2 * of_run, "a block of {most_read} bytes");
    assert!(written < RUNS as usize * of_run * 11 / 10, "{written} bytes were written");
    assert!(outcome.peak < 120_000, "{} bytes were held", outcome.peak);
}

/// Whether anything is written depends on the room alone.
#[test]
fn runs_that_fit_are_not_written() {
    let files = numbered(vec![overlapping(20, 1)]);
    let memory = SortMemory::new(1 << 20, Store::default());
    let events = interleave(&files, &[false], memory).expect("nothing is stored");
    assert_eq!((events.written, events.events.len()), (0, 20 * 200));
}

/// A store that takes and returns a number of blocks, and then fails.
struct Failing {
    store: Store,
    left: Cell<u32>,
}

impl Failing {
    fn step(&self) -> io::Result<()> {
        let left = self.left.get().checked_sub(1).ok_or(io::ErrorKind::StorageFull)?;
        self.left.set(left);
        Ok(())
    }
}

impl RunStore for Failing {
    fn write(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.step()?;
        self.store.write(bytes, at)
    }

    fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        self.step()?;
        self.store.read(bytes, at)
    }
}

#[test]
fn a_store_that_fails_is_an_error() {
    let files = numbered(vec![overlapping(40, 2), overlapping(40, 1)]);
    let outcome = |left: u32| {
        let store = Failing { store: Store::default(), left: Cell::new(left) };
        let memory = SortMemory::with_blocks(20_000, 500, store);
        match interleave(&files, &[false; 2], memory) {
            Err(Stopped::Store(error)) => Err(error.kind()),
            outcome => outcome.map(|_| ()).map_err(|_| io::ErrorKind::Other),
        }
    };
    for left in [0, 1, 10, 100, 400] {
        assert_eq!(outcome(left), Err(io::ErrorKind::StorageFull), "{left}");
    }
    assert_eq!(outcome(u32::MAX), Ok(()));
}

/// A store that gives back other bytes than it took.
struct Damaging(Store, u64);

impl RunStore for Damaging {
    fn write(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.0.write(bytes, at)
    }

    fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        self.0.read(bytes, at)?;
        let offset = (self.1 % bytes.len() as u64) as usize;
        bytes[offset] = 0xff;
        Ok(())
    }
}

/// What cannot be read is an error, wherever it is damaged, and never a panic.
#[test]
fn blocks_that_are_damaged_do_not_end_the_process() {
    let files = numbered(vec![overlapping(4, 2), overlapping(4, 4), overlapping(4, 0)]);
    let mut errors = 0;
    for place in 0..400 {
        let memory = SortMemory::with_blocks(2_000, 500, Damaging(Store::default(), place));
        let mut sorter = Sorter::new(false);
        for input in files.iter().flatten() {
            let Input::Run(run) = input else { continue };
            sorter.push(run.clone());
        }
        sorter.spill(&memory).expect("the store takes everything");
        errors += u32::from(sorter.finish(&memory, &mut DiscardSink).is_err());
    }
    assert!(errors > 50, "{errors}");
}

/// Takes events whatever they are.
struct DiscardSink;

impl Emit for DiscardSink {
    fn emit(&mut self, _: i64, _: &Arc<Run>, _: usize) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
