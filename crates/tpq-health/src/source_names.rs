//! Display names of the files and machines of an import.

use std::collections::{HashMap, HashSet};

use tpq_sql::Session;

use crate::HealthError;
use crate::rows::rows;

/// The names of files and machines: as short as possible while all are distinct.
#[derive(Clone, Debug, Default)]
pub struct SourceNames {
    files: Vec<String>,
    machines: Vec<String>,
    /// Whether more than one file has a trace.
    several_files: bool,
}

impl SourceNames {
    /// Reads the names.
    ///
    /// # Errors
    /// When the tables cannot be read.
    pub async fn of(session: &Session) -> Result<Self, HealthError> {
        let files = rows(session, "SELECT parent_id, name FROM trace_file ORDER BY id").await?;
        let parent_and_name = |row: Vec<String>| {
            let [parent, name] = <[String; 2]>::try_from(row).ok()?;
            Some((parent.parse().ok(), name))
        };
        let files: Vec<(Option<usize>, String)> =
            files.into_iter().filter_map(parent_and_name).collect();
        let machines = "SELECT coalesce(name, 'machine ' || id) FROM machine ORDER BY id";
        let machines = rows(session, machines).await?.into_iter().flatten().collect();
        let traces = "SELECT id FROM trace_file WHERE trace_type IN ('proto', 'json')";
        let several_files = rows(session, traces).await?.len() > 1;
        Ok(Self { files: file_names(&files), machines, several_files })
    }

    /// Whether more than one file was imported.
    pub fn several_files(&self) -> bool {
        self.several_files
    }

    /// The name of a file, by its row in `trace_file`.
    pub fn file(&self, file: u32) -> &str {
        self.files.get(file as usize).map_or("", String::as_str)
    }

    /// Whether more than one machine has clocks or events.
    pub fn several_machines(&self) -> bool {
        self.machines.len() > 1
    }

    /// The name of a machine, by its row in `machine`.
    pub fn machine(&self, machine: u32) -> &str {
        self.machines.get(machine as usize).map_or("", String::as_str)
    }
}

/// The display name of each file: its name in its archive, or the path as typed. Folders and
/// archives are left out if the rest is unique.
fn file_names(files: &[(Option<usize>, String)]) -> Vec<String> {
    let full: Vec<String> = (0..files.len()).map(|file| parts(files, file).join("/")).collect();
    let last = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
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
