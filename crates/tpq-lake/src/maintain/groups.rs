//! Which files are joined: groups of files of one table and partition.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::TableFile;
use crate::catalog::LakeCatalog;

/// The size in bytes up to which files are joined.
const TARGET: u64 = 128 << 20;

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

/// The files of each table and partition that are to be joined: small ones, in groups of at most the
/// target size, and those with rows of several partitions. Files of different versions of tpq may
/// have different columns, so they are not joined.
pub(super) fn groups(catalog: &LakeCatalog) -> Vec<Group> {
    // By path: a file moves with the rows of all of its traces.
    type Files = BTreeMap<String, Vec<Part>>;
    let mixed = mixed(catalog);
    let mut partitions: BTreeMap<(String, String, Values, String), Files> = BTreeMap::new();
    for trace in catalog.sorted() {
        for (table, file) in &trace.files {
            if file.bytes < TARGET / 2 || mixed.contains(&(table.as_str(), file.path.as_str())) {
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
        let begin = || Group { table: table.clone(), folder: folder.clone(), parts: Vec::new() };
        let (mut group, mut size) = (begin(), 0);
        for parts in files.into_values() {
            let own = parts.first().map_or(0, |part| part.file.bytes);
            if size + own > TARGET && !group.parts.is_empty() {
                groups.push(std::mem::replace(&mut group, begin()));
                size = 0;
            }
            size += own;
            group.parts.extend(parts);
        }
        groups.push(group);
    }
    groups.retain(|group| {
        let is_mixed = |part: &Part| mixed.contains(&(&*group.table, &*part.file.path));
        group.files() > 1 || group.parts.iter().any(is_mixed)
    });
    groups.iter_mut().for_each(Group::sort);
    groups
}

/// The folder of a path, with the slash at its end.
fn folder_of(path: &str) -> &str {
    path.rfind('/').map_or("", |slash| path.get(..=slash).unwrap_or_default())
}
