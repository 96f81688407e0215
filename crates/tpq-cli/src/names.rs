//! Display names of the files, machines and clocks of an import.

use std::collections::HashSet;

use tpq::{Clock, ClockScope, Source, Trace};
use tpq_health::SourceNames;

use crate::layout::rows;

/// Raw ids of machines that a manifest declares start here.
const FIRST_DECLARED_RAW_ID: u64 = 1 << 32;

/// The names within one import: as short as possible while all are distinct.
pub struct Names {
    sources: SourceNames,
    /// Machines that a manifest names.
    declared_machines: HashSet<u32>,
    /// Files with data of several machines.
    multi_machine_files: HashSet<u32>,
}

impl Names {
    pub async fn of(trace: &Trace) -> anyhow::Result<Self> {
        let sources = SourceNames::of(trace.session()).await?;
        let declared = format!("SELECT id FROM machine WHERE raw_id >= {FIRST_DECLARED_RAW_ID}");
        let declared = rows(trace, &declared).await?.into_iter().flatten();
        let mixed = "SELECT trace_id FROM stats WHERE trace_id IS NOT NULL GROUP BY trace_id \
             HAVING count(DISTINCT machine_id) > 1";
        let mixed = rows(trace, mixed).await?.into_iter().flatten();
        let multi_machine_files = mixed.filter_map(|file| file.parse().ok()).collect();
        let declared_machines = declared.filter_map(|machine| machine.parse().ok()).collect();
        Ok(Self { sources, declared_machines, multi_machine_files })
    }

    /// Whether more than one file was imported.
    pub fn several_files(&self) -> bool {
        self.sources.several_files()
    }

    /// The name of a file, by its row in `trace_file`.
    pub fn file(&self, file: u32) -> &str {
        self.sources.file(file)
    }

    /// Whether more than one machine has clocks or events.
    pub fn several_machines(&self) -> bool {
        self.sources.several_machines()
    }

    /// The name of a machine, by its row in `machine`.
    pub fn machine(&self, machine: u32) -> &str {
        self.sources.machine(machine)
    }

    /// The name of a machine in the manifest, by its row in `machine`; `None` if no manifest names
    /// it.
    pub fn declared_machine(&self, machine: u32) -> Option<&str> {
        self.declared_machines.contains(&machine).then(|| self.machine(machine))
    }

    /// Whether a file has data of several machines.
    pub fn has_several_machines(&self, file: u32) -> bool {
        self.multi_machine_files.contains(&file)
    }

    /// A machine in a file, as far as needed to distinguish it from others: empty for a trace of
    /// one machine.
    pub fn source(&self, source: Source) -> String {
        let (file, machine) = (self.file(source.file), self.machine(source.machine));
        match (self.several_files(), self.has_several_machines(source.file)) {
            (true, true) => format!("{file} ({machine})"),
            (true, false) => file.to_owned(),
            (false, true) => machine.to_owned(),
            (false, false) => String::new(),
        }
    }

    /// Like [`Self::source`], for a heading: with the machine wherever there are several.
    pub fn title(&self, source: Source) -> String {
        match self.several_files() && self.several_machines() {
            true => format!("{}, {}", self.file(source.file), self.machine(source.machine)),
            false => self.source(source),
        }
    }

    /// The name of a clock, with its source unless that is `here`.
    pub fn clock(&self, clock: Clock, here: Source) -> String {
        let name = clock_name(clock);
        let source = self.source(clock.source);
        match clock.source == here || source.is_empty() {
            true => name,
            false => format!("{name} of {source}"),
        }
    }

    /// The name of a clock with its source.
    pub fn clock_with_source(&self, clock: Clock) -> String {
        match self.source(clock.source) {
            source if source.is_empty() => clock_name(clock),
            source => format!("{} of {source}", clock_name(clock)),
        }
    }
}

/// The name of a clock without its source.
pub fn clock_name(clock: Clock) -> String {
    match clock.scope {
        ClockScope::Source => domain_name(clock.id),
        ClockScope::Sequence(sequence) => {
            format!("{} of sequence {sequence}", domain_name(clock.id))
        }
    }
}

/// The name of a clock id.
pub fn domain_name(id: u32) -> String {
    let name = match id {
        9 => Some("TSC"),
        10 => Some("PERF"),
        11 => Some("private timeline"),
        _ => tpq::builtin_name(id),
    };
    name.map_or_else(|| format!("clock {id}"), str::to_owned)
}
