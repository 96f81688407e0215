//! Which files are joined: groups of files of one table and partition.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::TableFile;
use crate::catalog::LakeCatalog;

/// The size in bytes up to which files are joined.
const TARGET: u64 = 128 << 20;
/// The number of traces up to which files are joined. A file describes the row groups of each, and a
/// reader of one trace, like a writer, holds the description of all.
const MOST_TRACES: usize = 256;

/// The rows of a trace in a file.
#[derive(Clone)]
pub(super) struct Part {
    pub digest: String,
    pub file: TableFile,
}

/// Files that become one.
pub(super) struct Group {
    pub table: String,
    pub folder: String,
    /// In the order of the digests.
    pub parts: Vec<Part>,
}

impl Group {
    fn sort(&mut self) {
        self.parts.sort_by(|a, b| a.digest.cmp(&b.digest));
    }

    /// The number of files.
    pub(super) fn files(&self) -> usize {
        self.parts.iter().map(|part| &part.file.path).collect::<HashSet<_>>().len()
    }
}

/// The values of the partition columns of a table.
type Values = Vec<(String, Option<String>)>;

/// The traces in each of some files, by table and path. Rows of different partitions, which earlier
/// versions have joined, become different files.
pub(super) fn groups_of(catalog: &LakeCatalog, files: &HashSet<(&str, &str)>) -> Vec<Group> {
    let mut groups: BTreeMap<(String, String, Values), Group> = BTreeMap::new();
    for trace in catalog.sorted() {
        for (table, file) in &trace.files {
            if files.contains(&(table.as_str(), file.path.as_str())) {
                let folder = folder_of(&file.path).to_owned();
                let begin = || Group { table: table.clone(), folder, parts: Vec::new() };
                let part = Part { digest: trace.facts.digest.clone(), file: file.clone() };
                let values = catalog.layout().values(table, &trace.facts);
                let group = groups.entry((table.clone(), file.path.clone(), values));
                group.or_insert_with(begin).parts.push(part);
            }
        }
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    groups.iter_mut().for_each(Group::sort);
    groups
}

/// Files with rows of several partitions, by table and path. Folders of different values can have
/// one name, and earlier versions joined the files of a folder.
fn mixed(catalog: &LakeCatalog) -> HashSet<(&str, &str)> {
    let mut first: HashMap<(&str, &str), Values> = HashMap::new();
    let mut mixed = HashSet::new();
    for trace in catalog.sorted() {
        for (table, file) in &trace.files {
            if file.row_groups.is_some() {
                let key = (table.as_str(), file.path.as_str());
                let values = catalog.layout().values(table, &trace.facts);
                if *first.entry(key).or_insert_with(|| values.clone()) != values {
                    mixed.insert(key);
                }
            }
        }
    }
    mixed
}

/// The number of traces in each file, by table and path.
fn traces_in(catalog: &LakeCatalog) -> HashMap<(&str, &str), usize> {
    let mut counts: HashMap<_, usize> = HashMap::new();
    for trace in catalog.sorted() {
        for (table, file) in &trace.files {
            *counts.entry((table.as_str(), file.path.as_str())).or_default() += 1;
        }
    }
    counts
}

/// The files of each table and partition that are to be joined: small ones with few traces, in groups
/// of limited size, and those with rows of several partitions. Files of different versions of tpq may
/// have different columns, so they are not joined.
pub(super) fn groups(catalog: &LakeCatalog) -> Vec<Group> {
    // By path: a file moves with the rows of all of its traces.
    type Files = BTreeMap<String, Vec<Part>>;
    let (mixed, traces_in) = (mixed(catalog), traces_in(catalog));
    let mut partitions: BTreeMap<(String, String, Values, String), Files> = BTreeMap::new();
    for trace in catalog.sorted() {
        for (table, file) in &trace.files {
            let key = (table.as_str(), file.path.as_str());
            let has_few = traces_in.get(&key).is_none_or(|traces| *traces < MOST_TRACES / 2);
            if file.bytes < TARGET / 2 && has_few || mixed.contains(&key) {
                let folder = folder_of(&file.path).to_owned();
                let values = catalog.layout().values(table, &trace.facts);
                let key = (table.clone(), folder, values, trace.version.clone());
                let files = partitions.entry(key).or_default();
                let part = Part { digest: trace.facts.digest.clone(), file: file.clone() };
                files.entry(file.path.clone()).or_default().push(part);
            }
        }
    }
    let mut groups = Vec::new();
    for ((table, folder, ..), files) in partitions {
        let group = |parts| Group { table: table.clone(), folder: folder.clone(), parts };
        groups.extend(divided(files.into_values()).into_iter().map(group));
    }
    groups.retain(|group| {
        let is_mixed = |part: &Part| mixed.contains(&(&*group.table, &*part.file.path));
        group.files() > 1 || group.parts.iter().any(is_mixed)
    });
    groups.iter_mut().for_each(Group::sort);
    groups
}

/// Divides files, each with its parts, into groups of at most the target size and number of traces.
fn divided(files: impl Iterator<Item = Vec<Part>>) -> Vec<Vec<Part>> {
    let mut groups: Vec<Vec<Part>> = Vec::new();
    let mut size = 0_u64;
    for parts in files {
        let own = parts.first().map_or(0, |part| part.file.bytes);
        let whole = size.saturating_add(own);
        match groups.last_mut() {
            Some(group) if whole <= TARGET && group.len() + parts.len() <= MOST_TRACES => {
                size = whole;
                group.extend(parts);
            }
            _ => {
                size = own;
                groups.push(parts);
            }
        }
    }
    groups
}

/// The folder of a path, with the slash at its end.
fn folder_of(path: &str) -> &str {
    path.rfind('/').map_or("", |slash| path.get(..=slash).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with rows of as many traces.
    fn file(bytes: u64, traces: usize) -> Vec<Part> {
        let part = |_| Part {
            digest: String::new(),
            file: TableFile {
                path: String::new(),
                rows: 1,
                bytes,
                in_time: true,
                row_groups: None,
            },
        };
        (0..traces).map(part).collect()
    }

    #[test]
    fn groups_have_a_limited_size_and_number_of_traces() {
        let traces_of = |files: Vec<Vec<Part>>| -> Vec<usize> {
            divided(files.into_iter()).iter().map(Vec::len).collect()
        };
        // A third and a half of the target fit, and another half does not.
        let files = [TARGET / 3, TARGET / 2, TARGET / 2, 1].map(|bytes| file(bytes, 1));
        assert_eq!(traces_of(files.into()), [2, 2]);
        // A file that is too large is alone, and one of several traces stays whole.
        let files = [TARGET + 1, 1, 1].map(|bytes| file(bytes, 3));
        assert_eq!(traces_of(files.into()), [3, 6]);
        let small = (0..600).map(|_| file(1000, 1)).collect();
        assert_eq!(traces_of(small), [256, 256, 88]);
        let joined = [100, 100, 100, 1].map(|traces| file(1000, traces));
        assert_eq!(traces_of(joined.into()), [200, 101]);
        assert_eq!(traces_of(Vec::new()), [0; 0]);
    }
}
