//! CPU profiles of V8: a tree of calls and samples of it, in chunks.
//!
//! A `Profile` event begins a profile on the thread that is sampled. `ProfileChunk` events of the
//! same process and id, which another thread writes, add nodes to its tree, and samples: each the
//! number of a node and the time since the sample before.

use rustc_hash::FxHashMap;
use sonic_rs::{LazyValue, to_array_iter};
use tpq_tables::table::ProfilerSampleRow;
use tpq_tables::{Stat, StringId};

use super::context::Context;
use super::owner::EventOwner;
use super::reader::ns_of_us;
use super::text::unescaped;
use tpq_trackers::stacks::SourceLine;
use tpq_trackers::track::{SampledTask, Tid, Utid};

/// The value of `source` of samples.
const SOURCE: &str = "legacy_v8";

/// The profiles of a file, by process and id.
#[derive(Default)]
struct Profiles(FxHashMap<(Tid, u64), Profile>);

/// A profile.
struct Profile {
    /// The sampled thread.
    utid: Utid,
    /// Time of the last sample, or of the start, ns in trace time.
    ts: i64,
    /// The callsite of each node, and the number of its callers.
    nodes: FxHashMap<u64, (u32, u32)>,
}

/// A node of a tree of calls.
struct Node<'a> {
    id: u64,
    parent: Option<u64>,
    function: &'a str,
    url: &'a str,
}

impl<'a> Node<'a> {
    fn read(node: &'a str) -> Option<Self> {
        let text = |path: &[&str]| text_of(member(node, path));
        Some(Self {
            id: whole(member(node, &["id"])?)?,
            parent: member(node, &["parent"]).and_then(whole),
            function: text(&["callFrame", "functionName"]),
            url: text(&["callFrame", "url"]),
        })
    }
}

impl Context<'_> {
    /// A sample, or an event of a profile; its name says which.
    pub(super) fn cpu_profile(&mut self, owner: EventOwner) {
        let id = self.number(self.event.id);
        match (self.tables.strings.get(self.name), id) {
            ("Profile", Some(id)) => self.begin_profile(owner, id),
            ("ProfileChunk", Some(id)) => self.add_chunk(owner, id),
            ("Profile" | "ProfileChunk", None) => self.fail(Stat::JsonParserFailure),
            _ if self.event.stack.len > 0 => self.sample(owner),
            _ => self.stats.increment(Stat::JsonEventsNotRead),
        }
    }

    fn begin_profile(&mut self, owner: EventOwner, id: u64) {
        let bytes = self.bytes;
        let args = String::from_utf8_lossy(bytes.get(self.event.args));
        let start = member(&args, &["data", "startTime"]);
        let start = start.and_then(|start| ns_of_us(start.as_bytes()));
        let ts = start.and_then(|start| Some(self.default_clock?.convert_one(start)));
        let profile =
            Profile { utid: owner.utid, ts: ts.unwrap_or(self.ts), nodes: FxHashMap::default() };
        self.trackers.file.states.get::<Profiles>().0.insert((owner.pid, id), profile);
    }

    fn add_chunk(&mut self, owner: EventOwner, id: u64) {
        let bytes = self.bytes;
        let args = String::from_utf8_lossy(bytes.get(self.event.args));
        let profiles = &mut self.trackers.file.states.get::<Profiles>().0;
        // Taken out while its rows are written.
        let mut profile = profiles.remove(&(owner.pid, id));
        for node in elements(member(&args, &["data", "cpuProfile", "nodes"])) {
            let added = profile
                .as_mut()
                .zip(Node::read(node.as_raw_str()))
                .and_then(|(profile, node)| self.add_node(profile, &node));
            if added.is_none() {
                self.fail(Stat::LegacyV8CpuProfileInvalidCallsite);
            }
        }
        let deltas = member(&args, &["data", "timeDeltas"])
            .or_else(|| member(&args, &["data", "cpuProfile", "timeDeltas"]));
        let mut deltas = elements(deltas);
        for sample in elements(member(&args, &["data", "cpuProfile", "samples"])) {
            let delta = deltas.next().and_then(|delta| ns_of_us(delta.as_raw_str().as_bytes()));
            let sample = whole(sample.as_raw_str());
            let added = profile
                .as_mut()
                .zip(delta)
                .and_then(|(profile, delta)| self.add_sample(profile, sample, delta));
            if added.is_none() {
                self.fail(Stat::LegacyV8CpuProfileInvalidSample);
            }
        }
        if let Some(profile) = profile {
            let profiles = &mut self.trackers.file.states.get::<Profiles>().0;
            profiles.insert((owner.pid, id), profile);
        }
    }

    /// Adds a node below its parent, which comes before it. `None` if that is missing, or the node
    /// is there.
    fn add_node(&mut self, profile: &mut Profile, node: &Node<'_>) -> Option<()> {
        let parent = match node.parent {
            Some(parent) => Some(*profile.nodes.get(&parent)?),
            None => None,
        };
        if profile.nodes.contains_key(&node.id) {
            return None;
        }
        let tables = &mut *self.tables;
        let name = tables.strings.intern(&unescaped(node.function.as_bytes()));
        let file = match node.url {
            "" => StringId::NULL,
            url => tables.strings.intern(&unescaped(url.as_bytes())),
        };
        let stacks = &mut self.trackers.source.stacks;
        let no_binary = tables.strings.intern("");
        let mapping = stacks.mappings.placeholder(no_binary, tables);
        let frame = stacks.frames.named(mapping, name, SourceLine { file, line: None }, tables);
        let depth = parent.map_or(0, |(_, depth)| depth + 1);
        let caller = parent.map(|(callsite, _)| callsite);
        let callsite = stacks.callsites.get(caller, frame, depth, tables);
        profile.nodes.insert(node.id, (callsite, depth));
        Some(())
    }

    /// Adds a sample of a node, `delta` ns after the one before. Its time counts even where the node
    /// is unknown.
    fn add_sample(&mut self, profile: &mut Profile, node: Option<u64>, delta: i64) -> Option<()> {
        profile.ts = profile.ts.saturating_add(delta);
        let &(callsite, _) = profile.nodes.get(&node?)?;
        let tables = &mut *self.tables;
        self.trackers.bounds.include(profile.ts);
        let upid = tables.thread.upid.get(profile.utid);
        let task = SampledTask { upid, utid: Some(profile.utid), async_context: None };
        let task = self.trackers.samples.task(task, tables);
        let row = ProfilerSampleRow {
            ts: profile.ts,
            source: tables.strings.intern(SOURCE),
            task_context_id: Some(task),
            callsite_id: Some(callsite),
            ..ProfilerSampleRow::default()
        };
        tables.profiler_sample.push(row);
        Some(())
    }
}

/// The value at a path in an object, as JSON.
fn member<'a>(json: &'a str, path: &[&str]) -> Option<&'a str> {
    let value = sonic_rs::get(json, path).ok()?;
    let raw = value.as_raw_str();
    // The raw text is a part of `json`, which outlives the value.
    let at = (raw.as_ptr() as usize).checked_sub(json.as_ptr() as usize)?;
    json.get(at..at + raw.len())
}

/// The text of a string, with its escapes; empty for any other value.
fn text_of(json: Option<&str>) -> &str {
    json.and_then(|raw| raw.strip_prefix('"')?.strip_suffix('"')).unwrap_or_default()
}

fn whole(json: &str) -> Option<u64> {
    json.parse().ok()
}

/// The elements of an array; those of any other value are none.
fn elements(json: Option<&str>) -> impl Iterator<Item = LazyValue<'_>> {
    to_array_iter(json.unwrap_or("[]")).map_while(Result::ok)
}
