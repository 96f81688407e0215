//! The machine of each file, and of each machine id in it.

use std::collections::{BTreeMap, HashMap};

use tpq_clock::Source;
use tpq_decode::MachineInfo;
use tpq_ingest::{MachineUse, SourceId, Sources};
use tpq_source::{Inputs, ManifestError, ManifestFile};

use super::PrescannedFile;

/// Where the numbers of named machines begin, outside of what packets can name.
const FIRST_NAMED: i64 = 1 << 32;
/// The id of the host, which packets leave out.
const HOST: u32 = 0;

/// The machines of the import, and the sources of each file.
pub(super) struct Attribution {
    pub(super) machines: Vec<MachineInfo>,
    pub(super) sources: Sources,
    /// By file: the source of each machine id that its packets use.
    pub(super) files: Vec<BTreeMap<u32, SourceId>>,
}

/// Attributes files to machines. Rows are made in the order files are imported, within a file by
/// the ids that packets use.
pub(super) fn attribute(
    inputs: &Inputs,
    scans: &[PrescannedFile<'_>],
) -> Result<Attribution, ManifestError> {
    let mut machines = Machines::new(inputs);
    let mut out =
        Attribution { machines: Vec::new(), sources: Sources::default(), files: Vec::new() };
    for scan in scans {
        let rows = machines.of_file(inputs, scan)?;
        out.files.push(add_sources(scan.entry, &rows, &mut out.sources));
    }
    // A manifest alone is of the host.
    if machines.rows.is_empty() {
        machines.by_raw_id(HOST);
    }
    out.machines = machines.rows;
    Ok(out)
}

/// Gives each machine of a file a source; ids of one machine share it.
fn add_sources(
    entry: usize,
    rows: &BTreeMap<u32, u32>,
    sources: &mut Sources,
) -> BTreeMap<u32, SourceId> {
    let mut of_machine: HashMap<u32, SourceId> = HashMap::new();
    let mut source = |machine| {
        let new = || sources.add(Source { file: entry as u32, machine });
        *of_machine.entry(machine).or_insert_with(new)
    };
    rows.iter().map(|(&raw, &machine)| (raw, source(machine))).collect()
}

/// The rows of `machine` as they are made.
struct Machines {
    rows: Vec<MachineInfo>,
    raw: HashMap<u32, u32>,
    named: HashMap<String, u32>,
    /// The number of each name: the order in which a manifest mentions them.
    names: HashMap<String, usize>,
}

impl Machines {
    fn new(inputs: &Inputs) -> Self {
        let mut names: HashMap<String, usize> = HashMap::new();
        for file in inputs.manifest().iter().flat_map(|manifest| &manifest.files) {
            for name in file.machine.iter().chain(file.machines.iter().map(|(_, name)| name)) {
                let next = names.len();
                names.entry(name.clone()).or_insert(next);
            }
        }
        Self { rows: Vec::new(), raw: HashMap::new(), named: HashMap::new(), names }
    }

    fn by_raw_id(&mut self, id: u32) -> u32 {
        let rows = &mut self.rows;
        *self.raw.entry(id).or_insert_with(|| {
            rows.push(MachineInfo { raw_id: i64::from(id), name: None });
            rows.len() as u32 - 1
        })
    }

    fn by_name(&mut self, name: &str) -> u32 {
        if let Some(&row) = self.named.get(name) {
            return row;
        }
        let index = self.names.get(name).copied().unwrap_or(self.names.len());
        let raw_id = FIRST_NAMED + index as i64;
        self.rows.push(MachineInfo { raw_id, name: Some(name.to_owned()) });
        let row = self.rows.len() as u32 - 1;
        self.named.insert(name.to_owned(), row);
        row
    }

    /// The machine of packets that name none.
    fn base(&mut self, file: Option<&ManifestFile>) -> u32 {
        let named = |file: &ManifestFile| {
            file.machine.clone().or_else(|| name_of(file, HOST).map(str::to_owned))
        };
        match file.and_then(named) {
            Some(name) => self.by_name(&name),
            None => self.by_raw_id(HOST),
        }
    }

    /// The row of each machine id that a file's packets use, the host's always among them.
    fn of_file(
        &mut self,
        inputs: &Inputs,
        scan: &PrescannedFile<'_>,
    ) -> Result<BTreeMap<u32, u32>, ManifestError> {
        let used = &scan.prescan.machines;
        let declared = inputs.manifest_file(scan.entry);
        if let Some(file) = declared.filter(|_| holds_several(used)) {
            refuse_overrides(inputs.entries()[scan.entry].shown(), file)?;
        }
        let whole = declared.is_some_and(|file| file.machine.is_some());
        let renamed = declared.filter(|file| !file.machines.is_empty());
        if let (Some(only), false) = (adopted(used), whole)
            && let Some(row) = self.of_only(only, renamed)
        {
            return Ok(BTreeMap::from([(HOST, row), (only, row)]));
        }
        let mut rows = BTreeMap::from([(HOST, self.base(declared))]);
        for &id in used.keys().filter(|&&id| id != HOST) {
            let row = match (whole, renamed) {
                (true, _) => rows[&HOST],
                (false, None) => self.by_raw_id(id),
                (false, Some(file)) => {
                    let name =
                        name_of(file, id).ok_or_else(|| ManifestError::UndeclaredMachine {
                            file: inputs.entries()[scan.entry].shown().to_owned(),
                            id,
                        })?;
                    self.by_name(name)
                }
            };
            rows.insert(id, row);
        }
        Ok(rows)
    }

    /// The row of the only machine of a file: that of its id, or of the name a manifest gives the
    /// id. None where the manifest names the host of the file, which then is another machine.
    fn of_only(&mut self, only: u32, renamed: Option<&ManifestFile>) -> Option<u32> {
        let Some(file) = renamed else { return Some(self.by_raw_id(only)) };
        match (name_of(file, HOST), name_of(file, only)) {
            (None, Some(name)) => Some(self.by_name(name)),
            _ => None,
        }
    }
}

/// Whether a file has packets of several machines.
fn holds_several(used: &BTreeMap<u32, MachineUse>) -> bool {
    used.values().filter(|usage| usage.data_packets > 0).count() > 1
}

/// What a manifest says of a file as a whole cannot hold for each of several machines.
fn refuse_overrides(shown: &str, file: &ManifestFile) -> Result<(), ManifestError> {
    if file.machine.is_some() {
        return Err(ManifestError::MachineOfSeveral { file: shown.to_owned() });
    }
    match file.clocks.is_some() && file.machines.is_empty() {
        true => Err(ManifestError::ClocksOfSeveral { file: shown.to_owned() }),
        false => Ok(()),
    }
}

/// The name that a manifest gives a machine id of a file.
fn name_of(file: &ManifestFile, id: u32) -> Option<&str> {
    file.machines.iter().find(|(listed, _)| *listed == id).map(|(_, name)| name.as_str())
}

/// The one machine that a file is of: of the host there are only the recorder's notes on itself and
/// its clocks, so an empty host next to it would mislead. A host that only says what it is stays a
/// machine, as does one with clocks that the other machine compared with its own.
fn adopted(used: &BTreeMap<u32, MachineUse>) -> Option<u32> {
    let mut remote = used.iter().filter(|&(&id, _)| id != HOST);
    let (&only, usage) = remote.next()?;
    let host_is_empty = used.get(&HOST).is_none_or(|host| host.data_packets == 0);
    (remote.next().is_none() && host_is_empty && usage.remote_syncs == 0).then_some(only)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(machines: &[(u32, u64, u64)]) -> BTreeMap<u32, MachineUse> {
        let usage = |data_packets, remote_syncs| MachineUse {
            packets: data_packets + 1,
            data_packets,
            remote_syncs,
        };
        machines.iter().map(|&(id, data, syncs)| (id, usage(data, syncs))).collect()
    }

    #[test]
    fn a_single_remote_machine_takes_the_hosts_row() {
        assert_eq!(adopted(&used(&[(7, 5, 0)])), Some(7));
        assert_eq!(adopted(&used(&[(0, 0, 0), (7, 5, 0)])), Some(7));
    }

    #[test]
    fn a_host_with_packets_or_other_clocks_stays_a_machine() {
        assert_eq!(adopted(&used(&[(0, 1, 0), (7, 5, 0)])), None);
        assert_eq!(adopted(&used(&[(0, 0, 0), (7, 5, 1)])), None);
        assert_eq!(adopted(&used(&[(0, 0, 0), (7, 5, 0), (8, 5, 0)])), None);
        assert_eq!(adopted(&used(&[(0, 5, 0)])), None);
    }
}
