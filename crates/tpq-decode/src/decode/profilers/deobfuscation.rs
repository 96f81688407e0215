//! Names of Java code before it was obfuscated.

use rustc_hash::{FxHashMap, FxHashSet};
use tpq_ingest::{Route, SourceId, TraceBytes};
use tpq_proto::fields::trace_packet;
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::name_mapping::{self, for_each_class};
use super::package_paths::{Location, package_of};
use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::stacks::{SourceLine, push_symbols};
use tpq_trackers::track::{NameMapping, Trackers, Upid};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::DEOBFUSCATION_MAPPING, route: Route::Immediate, decode };

/// The package that stands for code in anonymous memory, which every mapping is tried for.
const MEMFD: &str = "memfd";

/// Frames can come after the names, so packets are only noted.
fn decode(packet: &Packet<'_>, trackers: &mut Trackers, _: &mut Tables, _: &mut Stats) {
    trackers.source.symbols.deobfuscation.push(NameMapping::Packet(packet.span));
}

/// The name of a method before obfuscation, for some lines of the obfuscated code.
#[derive(Clone, Copy)]
struct Method {
    name: StringId,
    /// First and last line; NULL is unbounded.
    lines: (Option<u32>, Option<u32>),
    source_line: Option<u32>,
}

impl Method {
    fn has_line(&self, line: u32) -> bool {
        self.lines.0.is_none_or(|first| first <= line)
            && self.lines.1.is_none_or(|last| line <= last)
    }
}

/// The number of pairs of a frame and a method that are compared, as a hostile trace can have many
/// of one name. Traces have a few methods of each name, and a few frames.
const MOST_PAIRS: usize = 1 << 26;
/// The number of methods that are inlined into each other.
const MOST_INLINED: usize = 256;

/// Java frames by name and package; NULL is an unknown package.
type JavaFrames = FxHashMap<(StringId, StringId), Vec<u32>>;

/// Gives the frames of all sources the names that mappings have. The files of `shared` hold
/// mappings for all files.
pub(crate) fn name_frames(
    bytes: &TraceBytes<'_>,
    shared: &[SourceId],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut [Stats],
) {
    let mut mappings = Vec::new();
    for &source in shared {
        trackers.enter(source);
        mappings.extend(trackers.source.symbols.deobfuscation.iter().cloned());
    }
    for (source, stats) in (0..).zip(stats).filter(|(source, _)| !shared.contains(source)) {
        trackers.enter(source);
        name_frames_of_source(bytes, &mappings, trackers, tables, stats);
    }
}

/// Gives frames of a source the names that its mappings, and then the shared ones, have.
fn name_frames_of_source(
    bytes: &TraceBytes<'_>,
    shared: &[NameMapping],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let has_mappings = !shared.is_empty() || !trackers.source.symbols.deobfuscation.is_empty();
    let frames = java_frames(has_mappings, trackers, tables, stats);
    if frames.is_empty() || !has_mappings {
        return;
    }
    let memfd = tables.strings.intern(MEMFD);
    let mut pairs = 0;
    let mappings = trackers.source.symbols.deobfuscation.iter().chain(shared);
    let mappings = mappings.map(|mapping| (name_mapping::package(bytes, mapping), mapping));
    let mut mappings: Vec<_> = mappings.collect();
    // What is known to be of a package counts more than what is of any.
    mappings.sort_by_key(|(package, _)| package.is_some());
    let packages_by_name = packages_by_name(&frames);
    for (package, mapping) in mappings {
        let of_mapping = match package.as_deref() {
            Some("") => continue,
            Some(package) => Some([tables.strings.intern(package), memfd]),
            None => None,
        };
        let methods = methods(bytes, mapping, tables);
        for (name, methods) in methods {
            let packages = match &of_mapping {
                Some(packages) => packages.as_slice(),
                None => packages_by_name.get(&name).map_or(&[][..], Vec::as_slice),
            };
            let of_package = |package| frames.get(&(name, package)).into_iter().flatten();
            let all_names = all_names(&methods, tables);
            for &frame in packages.iter().flat_map(|&package| of_package(package)) {
                pairs += methods.len();
                if pairs > MOST_PAIRS {
                    stats.increment(Stat::StackprofileParserError);
                    return;
                }
                rename(frame, &methods, all_names, tables);
            }
        }
    }
}

/// The packages that have a frame of a name, in a fixed order.
fn packages_by_name(frames: &JavaFrames) -> FxHashMap<StringId, Vec<StringId>> {
    let mut packages: FxHashMap<_, Vec<StringId>> = FxHashMap::default();
    for &(name, package) in frames.keys() {
        packages.entry(name).or_default().push(package);
    }
    packages.values_mut().for_each(|packages| packages.sort_unstable());
    packages
}

/// The methods of a mapping by obfuscated class and method, in the order in which they first come.
fn methods(
    bytes: &TraceBytes<'_>,
    mapping: &NameMapping,
    tables: &mut Tables,
) -> Vec<(StringId, Vec<Method>)> {
    let (mut all, mut positions) = (Vec::<(StringId, Vec<Method>)>::new(), FxHashMap::default());
    for_each_class(bytes, mapping, |class| {
        for method in &class.methods {
            // A name that no frame has needs no entry.
            let obfuscated = format!("{}.{}", class.obfuscated, method.obfuscated);
            let Some(key) = tables.strings.find(&obfuscated) else { continue };
            let name = tables.strings.intern(&class.full_name(method));
            let method = Method { name, lines: method.lines, source_line: method.source_line };
            let position = *positions.entry(key).or_insert_with(|| {
                all.push((key, Vec::new()));
                all.len() - 1
            });
            all[position].1.push(method);
        }
    });
    all
}

/// The names of methods as one text: which of them is meant depends on the line.
fn all_names(methods: &[Method], tables: &mut Tables) -> StringId {
    let names: FxHashSet<StringId> = methods.iter().map(|method| method.name).collect();
    let mut names: Vec<&str> = names.iter().map(|&name| tables.strings.get(name)).collect();
    names.sort_unstable();
    let names = names.join(" | ");
    tables.strings.intern(&names)
}

/// Gives a frame the name of the methods that have its line: that of the outermost one; the others
/// are inlined into it. Without a line it gets all names that it can have.
fn rename(frame: u32, methods: &[Method], all_names: StringId, tables: &mut Tables) {
    let mut chain = Vec::new();
    if let Some(line) = line_of(frame, tables) {
        let of_line = methods.iter().filter(|method| method.has_line(line));
        chain.extend(of_line.take(MOST_INLINED).copied());
    }
    let name = match chain.last() {
        Some(outermost) => {
            let last = chain.len() - 1;
            let symbols = chain.iter().enumerate().map(|(at, method)| {
                let source = SourceLine { file: StringId::NULL, line: method.source_line };
                (method.name, source, Some(at < last))
            });
            let set = push_symbols(symbols, tables);
            tables.stack_profile_frame.symbol_set_id.set(frame, Some(set));
            outermost.name
        }
        None => all_names,
    };
    tables.stack_profile_frame.deobfuscated_name.set(frame, name);
}

/// The line of a frame in the obfuscated code, if a symbol has it.
fn line_of(frame: u32, tables: &Tables) -> Option<u32> {
    let set = tables.stack_profile_frame.symbol_set_id.get(frame)?;
    let symbols = &tables.stack_profile_symbol;
    let rows = set..symbols.len();
    let rows = rows.take_while(|&row| symbols.symbol_set_id.get(row) == set);
    rows.into_iter().find_map(|row| symbols.line_number.get(row))
}

/// The Java frames of a source. Their packages come from the paths of their binaries, or from the
/// processes that ran them.
fn java_frames(
    has_mappings: bool,
    trackers: &Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> JavaFrames {
    let mut frames: Vec<u32> = trackers.source.stacks.frames.all().collect();
    frames.sort_unstable();
    let (mut found, mut unknown) = (JavaFrames::default(), FxHashSet::default());
    let memfd = tables.strings.intern(MEMFD);
    for frame in frames {
        let name = tables.stack_profile_frame.name.get(frame);
        // Names of Java methods have the class before a dot.
        if !tables.strings.get(name).contains('.') {
            continue;
        }
        let mapping = tables.stack_profile_frame.mapping.get(frame);
        let path = tables.stack_profile_mapping.name.get(mapping);
        let package = match package_of(tables.strings.get(path)) {
            Location::Package(package) => {
                let package = package.to_owned();
                Some(tables.strings.intern(&package))
            }
            Location::Anonymous => Some(memfd),
            Location::Unreadable => {
                stats.increment(Stat::DeobfuscateLocationParseError);
                None
            }
            Location::Unknown => None,
        };
        match package {
            Some(package) => found.entry((name, package)).or_default().push(frame),
            None => {
                unknown.insert(frame);
            }
        }
    }
    if !unknown.is_empty() && has_mappings {
        add_by_process(&mut unknown, &mut found, trackers, tables);
    }
    // Only a mapping of any package names these.
    let mut unknown: Vec<u32> = unknown.into_iter().collect();
    unknown.sort_unstable();
    for frame in unknown {
        let name = tables.stack_profile_frame.name.get(frame);
        found.entry((name, StringId::NULL)).or_default().push(frame);
    }
    found
}

/// Adds frames with the packages of the processes that were sampled in them.
fn add_by_process(
    unknown: &mut FxHashSet<u32>,
    found: &mut JavaFrames,
    trackers: &Trackers,
    tables: &Tables,
) {
    let mut visited = FxHashSet::default();
    for (upid, callsite) in stacks_of_processes(tables) {
        let app = upid.and_then(|upid| tables.process.android_appid.get(upid));
        let Some(package) = app.and_then(|app| trackers.source.packages.of_app(app)) else {
            continue;
        };
        let mut next = callsite;
        while let Some(callsite) = next
            && visited.insert(callsite)
        {
            let frame = tables.stack_profile_callsite.frame_id.get(callsite);
            if unknown.remove(&frame) {
                let name = tables.stack_profile_frame.name.get(frame);
                found.entry((name, package)).or_default().push(frame);
            }
            next = tables.stack_profile_callsite.parent_id.get(callsite);
        }
    }
}

/// The call stacks of processes: those of heap profiles first, then samples and dumps.
fn stacks_of_processes(tables: &Tables) -> impl Iterator<Item = (Option<Upid>, Option<u32>)> {
    let Tables { heap_profile_allocation: allocations, profiler_sample: samples, .. } = tables;
    let of_allocations = allocations.upid.iter().zip(allocations.callsite_id.iter());
    let of_allocations = of_allocations.map(|(upid, callsite)| (Some(upid), Some(callsite)));
    let of_samples = samples.task_context_id.iter().zip(samples.callsite_id.iter());
    let of_samples = of_samples.map(move |(task, callsite)| {
        (task.and_then(|task| tables.profiler_task_context.upid.get(task)), callsite)
    });
    let dumps = &tables.heap_graph_thread_callsite;
    let of_dumps = dumps.heap_graph_id.iter().zip(dumps.callsite_id.iter());
    let of_dumps =
        of_dumps.map(move |(dump, callsite)| (Some(tables.heap_graph.upid.get(dump)), callsite));
    of_allocations.chain(of_samples).chain(of_dumps)
}
