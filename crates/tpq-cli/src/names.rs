//! Display names of the files, machines and clocks of an import.

use std::collections::{HashMap, HashSet};

use tpq::{Clock, ClockScope, Source, Trace};

use crate::layout::rows;

/// Raw ids of machines that a manifest declares start here.
const FIRST_DECLARED_RAW_ID: u64 = 1 << 32;

/// The names within one import: as short as possible while all are distinct.
pub struct Names {
    files: Vec<String>,
    machines: Vec<String>,
    /// Machines that a manifest names.
    declared_machines: HashSet<u32>,
    /// Files with data of several machines.
    multi_machine_files: HashSet<u32>,
    /// Whether more than one file, or machine, has clocks or events.
    several: Several,
}

#[derive(Clone, Copy)]
struct Several {
    files: bool,
    machines: bool,
}

impl Names {
    pub async fn of(trace: &Trace) -> anyhow::Result<Self> {
        let files = rows(trace, "SELECT parent_id, name FROM trace_file ORDER BY id").await?;
        let parents: Vec<(Option<usize>, String)> =
            files.into_iter().map(|row| (row[0].parse().ok(), row[1].clone())).collect();
        let machines = "SELECT coalesce(name, 'machine ' || id) FROM machine ORDER BY id";
        let machines: Vec<String> = rows(trace, machines).await?.into_iter().flatten().collect();
        let declared = format!("SELECT id FROM machine WHERE raw_id >= {FIRST_DECLARED_RAW_ID}");
        let declared = rows(trace, &declared).await?.into_iter().flatten();
        let traces = "SELECT id FROM trace_file WHERE trace_type IN ('proto', 'json')";
        let traces = rows(trace, traces).await?.len();
        let several = Several { files: traces > 1, machines: machines.len() > 1 };
        let mixed = "SELECT trace_id FROM stats WHERE trace_id IS NOT NULL GROUP BY trace_id \
             HAVING count(DISTINCT machine_id) > 1";
        let mixed = rows(trace, mixed).await?.into_iter().flatten();
        let multi_machine_files = mixed.filter_map(|file| file.parse().ok()).collect();
        let declared_machines = declared.filter_map(|machine| machine.parse().ok()).collect();
        let files = file_names(&parents);
        Ok(Self { files, machines, declared_machines, multi_machine_files, several })
    }

    /// Whether more than one file was imported.
    pub fn several_files(&self) -> bool {
        self.several.files
    }

    /// The name of a file, by its row in `trace_file`.
    pub fn file(&self, file: u32) -> &str {
        self.files.get(file as usize).map_or("", String::as_str)
    }

    /// Whether more than one machine has clocks or events.
    pub fn several_machines(&self) -> bool {
        self.several.machines
    }

    /// The name of a machine, by its row in `machine`.
    pub fn machine(&self, machine: u32) -> &str {
        self.machines.get(machine as usize).map_or("", String::as_str)
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
        match (self.several.files, self.has_several_machines(source.file)) {
            (true, true) => format!("{file} ({machine})"),
            (true, false) => file.to_owned(),
            (false, true) => machine.to_owned(),
            (false, false) => String::new(),
        }
    }

    /// Like [`Self::source`], for a heading: with the machine wherever there are several.
    pub fn title(&self, source: Source) -> String {
        match self.several.files && self.several.machines {
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

/// The display name of each file: its name in its archive, or the path as typed. Folders and
/// archives are left out if the rest is unique.
fn file_names(files: &[(Option<usize>, String)]) -> Vec<String> {
    let full: Vec<String> = (0..files.len()).map(|file| parts(files, file).join("/")).collect();
    let last = |name: &'_ str| name.rsplit('/').next().unwrap_or_default().to_owned();
    let mut meant: HashMap<String, HashSet<&str>> = HashMap::new();
    for name in &full {
        meant.entry(last(name)).or_default().insert(name);
    }
    let short = |name: &String| Some(last(name)).filter(|last| meant[last].len() == 1);
    full.iter().map(|name| short(name).unwrap_or_else(|| name.clone())).collect()
}

/// The names on the path to a file. The content of a compressed file has no name of its own.
fn parts(files: &[(Option<usize>, String)], file: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut at = Some(file);
    while let Some((parent, name)) = at.and_then(|at| files.get(at)) {
        if !name.is_empty() {
            parts.push(name.trim_start_matches("./"));
        }
        at = *parent;
    }
    parts.reverse();
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_where_they_can_be() {
        let files = [
            (None, "all.tar"),
            (Some(0), "./phone/trace.pftrace"),
            (Some(0), "watch/trace.pftrace"),
            (Some(0), "watch/app.pftrace.gz"),
            (Some(3), ""),
        ];
        let files = files.map(|(parent, name)| (parent, name.to_owned()));
        let expected = [
            "all.tar",
            "all.tar/phone/trace.pftrace",
            "all.tar/watch/trace.pftrace",
            "app.pftrace.gz",
            "app.pftrace.gz",
        ];
        assert_eq!(file_names(&files), expected);
    }
}
