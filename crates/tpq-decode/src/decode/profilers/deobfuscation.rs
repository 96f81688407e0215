//! Names of Java code before it was obfuscated.

use rustc_hash::{FxHashMap, FxHashSet};
use tpq_ingest::{Route, TraceBytes};
use tpq_proto::fields::{deobfuscation_mapping, obfuscated_class, obfuscated_member, trace_packet};
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::package_paths::{Location, package_of};
use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::stacks::{SourceLine, push_symbols};
use tpq_trackers::track::{Trackers, Upid};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::DEOBFUSCATION_MAPPING, route: Route::Immediate, decode };

/// The package that stands for code in anonymous memory, which every mapping is tried for.
const MEMFD: &str = "memfd";

/// Frames can come after the names, so packets are only noted.
fn decode(packet: &Packet<'_>, trackers: &mut Trackers, _: &mut Tables, _: &mut Stats) {
    trackers.source.symbols.deobfuscation.push(packet.span);
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

/// Java frames by name and package.
type JavaFrames = FxHashMap<(StringId, StringId), Vec<u32>>;

/// Gives frames of a source the names that its mappings have.
pub(super) fn name_frames(
    bytes: &TraceBytes<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let frames = java_frames(trackers, tables, stats);
    if frames.is_empty() {
        return;
    }
    let memfd = tables.strings.intern(MEMFD);
    let mut pairs = 0;
    for &span in &trackers.source.symbols.deobfuscation {
        let packet = bytes.get(span);
        let mapping = LastFields::<3>::new(packet);
        let package = mapping.bytes(deobfuscation_mapping::PACKAGE_NAME);
        if package.is_empty() {
            continue;
        }
        let package = tables.strings.intern_bytes(package);
        let methods = methods(packet, tables);
        for (name, methods) in methods {
            let of_package = |package| frames.get(&(name, package)).into_iter().flatten();
            let all_names = all_names(&methods, tables);
            for &frame in of_package(package).chain(of_package(memfd)) {
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

/// The methods of a mapping by obfuscated class and method, in the order in which they first come.
fn methods(packet: &[u8], tables: &mut Tables) -> Vec<(StringId, Vec<Method>)> {
    let (mut all, mut positions) = (Vec::<(StringId, Vec<Method>)>::new(), FxHashMap::default());
    let of =
        |message, number: u32| Fields::new(message).filter(move |field| field.number == number);
    for field in of(packet, deobfuscation_mapping::OBFUSCATED_CLASSES) {
        let class = LastFields::<3>::new(field.as_bytes());
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        let obfuscated_class = text(class.bytes(obfuscated_class::OBFUSCATED_NAME));
        let class_name = text(class.bytes(obfuscated_class::DEOBFUSCATED_NAME));
        for field in of(field.as_bytes(), obfuscated_class::OBFUSCATED_METHODS) {
            let member = LastFields::<7>::new(field.as_bytes());
            let obfuscated = text(member.bytes(obfuscated_member::OBFUSCATED_NAME));
            // A name that no frame has needs no entry.
            let Some(key) = tables.strings.find(&format!("{obfuscated_class}.{obfuscated}")) else {
                continue;
            };
            let name = text(member.bytes(obfuscated_member::DEOBFUSCATED_NAME));
            let name = match name.contains('.') {
                true => tables.strings.intern(&name),
                false => tables.strings.intern(&format!("{class_name}.{name}")),
            };
            let line = |number: u32| member.get(number).map(|line| line.as_u32());
            let method = Method {
                name,
                lines: (
                    line(obfuscated_member::OBFUSCATED_LINE_START),
                    line(obfuscated_member::OBFUSCATED_LINE_END),
                ),
                source_line: line(obfuscated_member::SOURCE_LINE_START),
            };
            let position = *positions.entry(key).or_insert_with(|| {
                all.push((key, Vec::new()));
                all.len() - 1
            });
            all[position].1.push(method);
        }
    }
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
fn java_frames(trackers: &Trackers, tables: &mut Tables, stats: &mut Stats) -> JavaFrames {
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
    if !unknown.is_empty() && !trackers.source.symbols.deobfuscation.is_empty() {
        add_by_process(unknown, &mut found, trackers, tables);
    }
    found
}

/// Adds frames with the packages of the processes that were sampled in them.
fn add_by_process(
    mut unknown: FxHashSet<u32>,
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
