//! What a recording states of itself, and the state between its records.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use tpq_decode::RunEvent;
use tpq_tables::table::ProfilerSessionRow;
use tpq_tables::{Stats, StringId, Tables};
use tpq_trackers::track::{Trackers, Upid};

use super::attribute::{Attribute, Events, ids};
use super::features::{decode_feature, feature};
use super::layout::Layout;
use super::memory::{Mapped, Memory};
use super::symbols::{Binary, Symbols};
use super::tasks::Tasks;

/// The name of the profiler in its rows.
pub(super) const SOURCE: &str = "linux.perf";
/// At most this many mappings are copied, when processes that share memory change it.
const MOST_COPIED: usize = 1 << 21;

/// State of a recording.
#[derive(Default)]
pub(super) struct Session {
    /// Events, and what they became.
    pub(super) events: Events,
    pub(super) recorded: Vec<RecordedEvent>,
    /// Build ids by process and path; process -1 stands for any.
    pub(super) build_ids: FxHashMap<(i32, Vec<u8>), String>,
    /// Memory of the kernel.
    pub(super) kernel: Memory,
    /// Memory of processes. A new process shares that of its parent until one of them changes it.
    processes: FxHashMap<Upid, Arc<Memory>>,
    copied: usize,
    /// Threads with a recorded start.
    pub(super) tasks: Tasks,
    /// Whether a record states the kind of hardware trace data.
    pub(super) knows_aux_kind: bool,
    /// Binaries with symbols, and the number of each by its path.
    pub(super) binaries: Vec<Binary>,
    pub(super) binary_of_path: FxHashMap<Vec<u8>, usize>,
    /// Functions of the kernel.
    pub(super) kernel_symbols: Symbols,
    /// Whether simpleperf recorded it, which corrects return addresses itself.
    pub(super) is_simpleperf: bool,
    /// The command line of the recorder; NULL until it is known.
    pub(super) cmdline: StringId,
}

/// An event with its rows.
pub(super) struct RecordedEvent {
    /// Row of `__intrinsic_profiler_session`.
    pub(super) session: u32,
    /// Name of the event; the empty string if unknown.
    pub(super) name: String,
    /// Track and value of the counter of each CPU; `None` is the CPU of samples that state none.
    pub(super) counters: FxHashMap<Option<u32>, (u32, f64)>,
}

impl Session {
    /// Adds an event, which is a session of its own.
    pub(super) fn add(
        &mut self,
        event: Attribute,
        ids: impl IntoIterator<Item = u64>,
        tables: &mut Tables,
    ) {
        self.events.add(event, ids);
        let source = tables.strings.intern(SOURCE);
        let row = ProfilerSessionRow { source, cmdline: self.cmdline, ..Default::default() };
        self.recorded.push(RecordedEvent {
            session: tables.profiler_session.push(row),
            name: String::new(),
            counters: FxHashMap::default(),
        });
    }

    /// States the command line of the recorder.
    pub(super) fn set_cmdline(&mut self, cmdline: &str, tables: &mut Tables) {
        self.cmdline = tables.strings.intern(cmdline);
        for event in &self.recorded {
            tables.profiler_session.cmdline.set(event.session, self.cmdline);
        }
    }

    /// Names the events of which `matches` holds.
    pub(super) fn name_events(&mut self, name: &str, matches: impl Fn(&Attribute) -> bool) {
        for (event, recorded) in self.events.attributes.iter().zip(&mut self.recorded) {
            if matches(event) {
                recorded.name = name.to_owned();
            }
        }
    }

    /// Names the event with that id.
    pub(super) fn name_event(&mut self, id: u64, name: &str) {
        if let Some(recorded) = self.events.of_id(id).and_then(|it| self.recorded.get_mut(it)) {
            recorded.name = name.to_owned();
        }
    }

    /// The memory of a process.
    pub(super) fn memory(&self, upid: Upid) -> Option<&Memory> {
        self.processes.get(&upid).map(Arc::as_ref)
    }

    /// Adds a mapping to a process.
    pub(super) fn map(&mut self, upid: Upid, (start, end): (u64, u64), mapped: Mapped) {
        let memory = self.processes.entry(upid).or_default();
        if Arc::strong_count(memory) > 1 {
            self.copied += memory.len();
            if self.copied > MOST_COPIED {
                *memory = Arc::default();
            }
        }
        Arc::make_mut(memory).map(start, end, mapped);
    }

    /// A new process has the memory of its parent.
    pub(super) fn share_memory(&mut self, parent: Upid, child: Upid) {
        if let Some(memory) = self.processes.get(&parent).cloned() {
            self.processes.insert(child, memory);
        }
    }

    /// A process runs another program, which maps its own memory.
    pub(super) fn forget_memory(&mut self, upid: Upid) {
        self.processes.remove(&upid);
    }

    /// The build id of a binary in a process; the empty string if unknown.
    pub(super) fn build_id(&self, pid: i32, path: &[u8]) -> &str {
        let of = |pid| self.build_ids.get(&(pid, path.to_vec()));
        of(pid).or_else(|| of(-1)).map(String::as_str).unwrap_or_default()
    }
}

/// Decodes the header of a file, with the events and features that it refers to.
pub(super) fn decode_session(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    // The run is at the first byte of the file.
    let file = event.bytes.whole(event.run.addr);
    let Ok(layout) = Layout::read(file) else { return };
    let mut session: Session = std::mem::take(trackers.file.states.get());
    for (attribute, of_ids) in layout.events {
        session.add(attribute, ids(file.get(of_ids).unwrap_or_default()), tables);
    }
    if layout.features.iter().any(|(feature, _)| *feature == feature::TRACING_DATA) {
        trackers.processes.idle_is_zero(event.machine, tables);
    }
    for (feature, section) in layout.features {
        let section = file.get(section).unwrap_or_default();
        decode_feature(feature, section, &mut session, trackers, tables, stats);
    }
    *trackers.file.states.get() = session;
}
