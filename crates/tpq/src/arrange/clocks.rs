//! Relations between the clocks of all files, and the clock of the timeline.

use std::collections::HashMap;

use tpq_clock::{
    BOOTTIME, Clock, ClockGraph, REALTIME, Reading, Source, TRACE_FILE, is_sequence_scoped,
};
use tpq_decode::{MachineInfo, Tie};
use tpq_formats::{DefaultClock, trace_format};
use tpq_ingest::{ClockNames, FileContext, Loss, LossBook, LossEntry, SnapshotPacket, Sources};
use tpq_source::{Inputs, Manifest, ManifestClocks, ManifestError, ManifestFile};

use super::PrescannedFile;

/// Recordings of one boot agree about when that was to within what clocks are set by hand; those
/// that do not are of different boots or devices.
const SAME_BOOT_NS: i64 = 60_000_000_000;

/// Snapshots of more clocks than this are damage: each two of them are an edge.
const MOST_CLOCKS: usize = 64;

/// Whether a file has no clock of its own but a private timeline, and the clock of what names
/// none. JSON never says what clock it is in, and neither does the text of the kernel's tracer, of
/// which it is taken to be the monotonic one; a manifest can.
pub(super) fn own_clock(
    inputs: &Inputs,
    scan: &PrescannedFile<'_>,
) -> Result<(bool, u32), ManifestError> {
    let clocks = inputs.manifest_file(scan.entry).and_then(|file| file.clocks.as_ref());
    let named = clocks.and_then(|clocks| clocks.clock).map(|clock| clock.id());
    let format = trace_format(inputs.entries()[scan.entry].format());
    let default = format.map_or(DefaultClock::Private, |format| format.default_clock);
    if matches!(default, DefaultClock::Private | DefaultClock::None) {
        return Ok((named.is_none(), named.unwrap_or(TRACE_FILE)));
    }
    let pinned = clocks.is_some_and(|clocks| clocks.clock.is_none());
    if pinned && !scan.prescan.snapshots.is_empty() {
        let file = inputs.entries()[scan.entry].shown().to_owned();
        return Err(ManifestError::SingleClock { file });
    }
    let clock = match default {
        DefaultClock::Private | DefaultClock::None => TRACE_FILE,
        DefaultClock::OfFile(id) => named.or(scan.prescan.primary_clock).unwrap_or(id),
        DefaultClock::OfPackets(id) => scan.prescan.primary_clock.unwrap_or(id),
    };
    Ok((pinned, clock))
}

/// Adds the snapshots of all files to the graph. One that cannot be used is counted.
pub(super) fn tie_files(
    contexts: &[FileContext],
    graph: &mut ClockGraph,
    losses: &mut LossBook,
) -> Vec<Tie> {
    let mut ties = Vec::new();
    for context in contexts {
        for snapshot in &context.snapshots {
            let readings = readings(context, snapshot);
            if is_well_formed(snapshot) && graph.add_snapshot(&readings).is_ok() {
                note_readers(context, snapshot, graph);
                ties.push(Tie { origin: snapshot.origin.name(), readings });
            } else {
                losses.enter(invalid(context, snapshot), 1);
            }
        }
    }
    ties
}

/// Notes the machines of a file that read clocks themselves.
fn note_readers(context: &FileContext, snapshot: &SnapshotPacket, graph: &mut ClockGraph) {
    for clock in &snapshot.clocks {
        let (_, names) = context.machines.get(&clock.machine).unwrap_or(&context.base);
        graph.set_reader(names.source, names.default);
    }
}

fn invalid(context: &FileContext, snapshot: &SnapshotPacket) -> LossEntry {
    let machine = snapshot.clocks.first().map_or(0, |clock| clock.machine);
    let (source, _) = context.machines.get(&machine).unwrap_or(&context.base);
    LossEntry::at(Loss::InvalidSnapshot, *source, snapshot.addr, snapshot.position)
}

/// Only a sequence's own clock can be written as differences: with several writers there is no
/// timestamp before.
fn is_well_formed(snapshot: &SnapshotPacket) -> bool {
    snapshot.clocks.len() <= MOST_CLOCKS
        && snapshot.clocks.iter().all(|clock| !clock.incremental || is_sequence_scoped(clock.id))
}

fn readings(context: &FileContext, snapshot: &SnapshotPacket) -> Vec<Reading> {
    let reading = |clock: &tpq_ingest::SnapshotClock| {
        let (_, names) = context.machines.get(&clock.machine).unwrap_or(&context.base);
        Reading {
            clock: names.clock(snapshot.sequence, clock.id),
            value: clock.value,
            ticks: clock.ticks,
        }
    };
    snapshot.clocks.iter().map(reading).collect()
}

/// The machines that a manifest can name in each file.
pub(super) struct Bases<'a> {
    /// By entry: the source of packets that name no machine.
    base: HashMap<usize, Source>,
    /// By entry and name.
    named: HashMap<(usize, &'a str), Source>,
    /// Entries with events, in the order they are imported.
    scans: Vec<usize>,
    /// By entry: the clock of packets that name none, where the file has clocks.
    timelines: HashMap<u32, u32>,
    /// By path in the manifest: the first entry with events that is meant.
    listed: HashMap<&'a str, usize>,
    manifest: Option<&'a Manifest>,
}

impl<'a> Bases<'a> {
    pub(super) fn new(
        inputs: &'a Inputs,
        scans: &[PrescannedFile<'_>],
        contexts: &[FileContext],
        machines: &'a [MachineInfo],
        sources: &Sources,
    ) -> Self {
        let mut bases = Self {
            base: HashMap::new(),
            named: HashMap::new(),
            scans: scans.iter().map(|scan| scan.entry).collect(),
            timelines: HashMap::new(),
            listed: HashMap::new(),
            manifest: inputs.manifest(),
        };
        for (scan, context) in scans.iter().zip(contexts) {
            let names = context.base.1;
            bases.base.insert(scan.entry, names.source);
            if !names.private {
                bases.timelines.insert(names.source.file, names.default);
            }
        }
        // The archive of a file, and a manifest before it, go by its name as well.
        for scan in scans {
            if let Some(file) = inputs.manifest_file(scan.entry) {
                bases.listed.entry(&file.path).or_insert(scan.entry);
            }
        }
        for source in sources.iter() {
            let machine = machines.get(source.machine as usize);
            if let Some(name) = machine.and_then(|machine| machine.name.as_deref()) {
                bases.named.insert((source.file as usize, name), source);
            }
        }
        bases
    }

    /// The source of a machine in a file that a manifest lists; without a name, of the file itself.
    fn find(&self, path: &str, machine: Option<&str>) -> Option<Source> {
        let wanted = self.manifest?.file(path)?;
        let entry = *self.listed.get(wanted.path.as_str())?;
        match machine {
            Some(name) => self.named.get(&(entry, name)).or(self.base.get(&entry)).copied(),
            None => self.base.get(&entry).copied(),
        }
    }
}

/// Adds what a manifest says of clocks, which counts more than what was recorded of the same two.
/// Files that are listed but missing tie nothing.
pub(super) fn tie_manifest(inputs: &Inputs, bases: &Bases<'_>, graph: &mut ClockGraph) -> Vec<Tie> {
    let mut ties = Vec::new();
    for file in inputs.manifest().iter().flat_map(|manifest| &manifest.files) {
        let Some(clocks) = &file.clocks else { continue };
        if let Some((own, reference)) = related(file, clocks, bases) {
            graph.set_offset(own, reference, clocks.offset_ns);
            if clocks.clock.is_none() {
                graph.set_pinned(own);
            }
            let readings = vec![Reading::ns(own, 0), Reading::ns(reference, clocks.offset_ns)];
            ties.push(Tie { origin: "manifest", readings });
        }
    }
    ties
}

/// The clock of a file and its reference.
fn related(
    file: &ManifestFile,
    clocks: &ManifestClocks,
    bases: &Bases<'_>,
) -> Option<(Clock, Clock)> {
    let own = bases.find(&file.path, clocks.machine.as_deref())?;
    let reference = bases.find(&clocks.to_file, clocks.to_machine.as_deref())?;
    let own = Clock::of_source(own, clocks.clock.map_or(TRACE_FILE, |clock| clock.id()));
    // The timeline of a file that has clocks is the one its packets are in unless they say
    // otherwise.
    let timeline = bases.timelines.get(&reference.file).copied().unwrap_or(TRACE_FILE);
    let id = clocks.to_clock.map_or(timeline, |clock| clock.id());
    Some((own, Clock::of_source(reference, id)))
}

/// The clock that is the timeline: the one a manifest names, else that of the first file that
/// reads its own clock, else that of the first file.
pub(super) fn trace_clock(
    inputs: &Inputs,
    machines: &[MachineInfo],
    contexts: &[FileContext],
    bases: &Bases<'_>,
    graph: &ClockGraph,
) -> Clock {
    let unnamed = ClockNames { source: Source::default(), default: BOOTTIME, private: false };
    let claimed: Vec<ClockNames> = contexts.iter().map(|context| context.base.1).collect();
    let has_clock = |names: &&ClockNames| !names.private;
    let reads_it = |names: &&ClockNames| {
        has_clock(names) && graph.contains(Clock::of_source(names.source, names.default))
    };
    let first = claimed.iter().find(reads_it).or(claimed.iter().find(has_clock));
    let first = *first.or(claimed.first()).unwrap_or(&unnamed);
    let Some(wanted) = inputs.manifest().and_then(|manifest| manifest.trace_time.as_ref()) else {
        return match first.private {
            true => Clock::of_source(first.source, TRACE_FILE),
            false => Clock::of_source(first.source, first.default),
        };
    };
    let id = wanted.clock.id();
    let pinned = wanted.file.as_deref();
    let pinned = pinned.and_then(|file| bases.find(file, wanted.machine.as_deref()));
    if let Some(source) = pinned {
        return Clock::of_source(source, id);
    }
    // The host's clock, by the id in a file of the host that reads it.
    let is_host = |source: &Source| {
        machines.get(source.machine as usize).is_some_and(|machine| machine.raw_id == 0)
    };
    let sources: Vec<Source> =
        bases.scans.iter().filter_map(|entry| bases.base.get(entry)).copied().collect();
    let of_host: Vec<Source> = sources.iter().copied().filter(is_host).collect();
    let candidates = if of_host.is_empty() { sources } else { of_host };
    let knows = |source: &&Source| graph.contains(Clock::of_source(**source, id));
    let source = candidates.iter().find(knows).or(candidates.first());
    Clock::of_source(source.copied().unwrap_or(first.source), id)
}

/// Files of the timeline's machine that are placed as of the same boot, while what wall time was at
/// boot differs: they are of different boots, or of different devices that no manifest
/// distinguishes.
pub(super) fn doubtful(
    contexts: &[FileContext],
    trace_clock: Clock,
    graph: &ClockGraph,
) -> Vec<u32> {
    let booted = |source: Source| {
        let [wall, boot] = [REALTIME, BOOTTIME].map(|id| Clock::of_source(source, id));
        let (boot, wall) = graph.between(boot, wall)?.pairs().next()?;
        wall.checked_sub(boot)
    };
    let Some(reference) = booted(trace_clock.source) else { return Vec::new() };
    let is_doubtful = |context: &&FileContext| {
        let source = context.base.1.source;
        source.machine == trace_clock.source.machine
            && source != trace_clock.source
            && booted(source).is_some_and(|at| at.abs_diff(reference) > SAME_BOOT_NS as u64)
    };
    contexts.iter().filter(is_doubtful).map(|context| context.base.1.source.file).collect()
}
