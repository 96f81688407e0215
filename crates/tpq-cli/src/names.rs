//! What the files, machines and clocks of an import are called.

use std::collections::{HashMap, HashSet};

use tpq::{Clock, ClockScope, Source, Trace};

use crate::layout::rows;

/// From here on, a manifest gave machines their numbers.
const FIRST_DECLARED: u64 = 1 << 32;

/// The names within one import: as short as they can be while no two are the same.
pub struct Names {
    files: Vec<String>,
    machines: Vec<String>,
    /// Machines that a manifest names.
    declared_machines: HashSet<u32>,
    /// Files that speak of several machines.
    mixed_files: HashSet<u32>,
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
        let declared = format!("SELECT id FROM machine WHERE raw_id >= {FIRST_DECLARED}");
        let declared = rows(trace, &declared).await?.into_iter().flatten();
        let traces = "SELECT id FROM trace_file WHERE trace_type IN ('proto', 'json')";
        let traces = rows(trace, traces).await?.len();
        let several = Several { files: traces > 1, machines: machines.len() > 1 };
        let mixed = "SELECT trace_id FROM stats WHERE trace_id IS NOT NULL GROUP BY trace_id \
             HAVING count(DISTINCT machine_id) > 1";
        let mixed = rows(trace, mixed).await?.into_iter().flatten();
        let mixed_files = mixed.filter_map(|file| file.parse().ok()).collect();
        let declared_machines = declared.filter_map(|machine| machine.parse().ok()).collect();
        let files = file_names(&parents);
        Ok(Self { files, machines, declared_machines, mixed_files, several })
    }

    /// Whether more than one file was imported.
    pub fn several_files(&self) -> bool {
        self.several.files
    }

    /// A file, by its row in `trace_file`.
    pub fn file(&self, file: u32) -> &str {
        self.files.get(file as usize).map_or("", String::as_str)
    }

    /// Whether more than one machine has clocks or events.
    pub fn several_machines(&self) -> bool {
        self.several.machines
    }

    /// A machine, by its row.
    pub fn machine(&self, machine: u32) -> &str {
        self.machines.get(machine as usize).map_or("", String::as_str)
    }

    /// A machine, by its row in `machine`, as a manifest calls it.
    pub fn declared_machine(&self, machine: u32) -> Option<&str> {
        self.declared_machines.contains(&machine).then(|| self.machine(machine))
    }

    /// Whether a file speaks of several machines.
    pub fn is_mixed(&self, file: u32) -> bool {
        self.mixed_files.contains(&file)
    }

    /// A machine in a file, as far as that is needed to tell it from others: nothing in a trace of
    /// one machine.
    pub fn source(&self, source: Source) -> String {
        let (file, machine) = (self.file(source.file), self.machine(source.machine));
        match (self.several.files, self.is_mixed(source.file)) {
            (true, true) => format!("{file} ({machine})"),
            (true, false) => file.to_owned(),
            (false, true) => machine.to_owned(),
            (false, false) => String::new(),
        }
    }

    /// The same for a heading, with the machine wherever there are several.
    pub fn title(&self, source: Source) -> String {
        match self.several.files && self.several.machines {
            true => format!("{}, {}", self.file(source.file), self.machine(source.machine)),
            false => self.source(source),
        }
    }

    /// A clock, with its place unless it is `here`.
    pub fn clock(&self, clock: Clock, here: Source) -> String {
        let name = clock_name(clock);
        let source = self.source(clock.source);
        match clock.source == here || source.is_empty() {
            true => name,
            false => format!("{name} of {source}"),
        }
    }

    /// A clock with its place.
    pub fn clock_and_place(&self, clock: Clock) -> String {
        match self.source(clock.source) {
            source if source.is_empty() => clock_name(clock),
            source => format!("{} of {source}", clock_name(clock)),
        }
    }
}

/// A clock, without where it was read.
pub fn clock_name(clock: Clock) -> String {
    match clock.scope {
        ClockScope::Source => domain_name(clock.id),
        ClockScope::Sequence(sequence) => {
            format!("{} of sequence {sequence}", domain_name(clock.id))
        }
    }
}

/// A clock id.
pub fn domain_name(id: u32) -> String {
    let name = match id {
        9 => Some("TSC"),
        10 => Some("PERF"),
        11 => Some("private timeline"),
        _ => tpq::builtin_name(id),
    };
    name.map_or_else(|| format!("clock {id}"), str::to_owned)
}

/// The name of each file: what it is called in its archive, or its path as typed. Folders and
/// archives are left out where what remains is of one file only.
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

/// The names that lead to a file; what a compressed file holds has none of its own.
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
