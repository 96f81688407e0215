//! What a recording states of itself, and the state between its records.

use rustc_hash::FxHashMap;
use tpq_decode::RunEvent;
use tpq_tables::table::ProfilerSessionRow;
use tpq_tables::{Stats, StringId, Tables};
use tpq_trackers::track::{Trackers, Upid};

use super::attribute::{Attribute, Events, ids};
use super::features::{decode_feature, feature};
use super::layout::Layout;
use super::memory::Memory;
use super::symbols::{Binary, Symbols};

/// The name of the profiler in its rows.
pub(super) const SOURCE: &str = "linux.perf";

/// State of a recording.
#[derive(Default)]
pub(super) struct Session {
    /// Events, and what they became.
    pub(super) events: Events,
    pub(super) recorded: Vec<RecordedEvent>,
    /// Build ids by process and path; process -1 stands for any.
    pub(super) build_ids: FxHashMap<(i32, Vec<u8>), String>,
    /// Memory of the kernel, and of processes.
    pub(super) kernel: Memory,
    pub(super) processes: FxHashMap<Upid, Memory>,
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
