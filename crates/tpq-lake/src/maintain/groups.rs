//! Which files are joined: groups of files of one table and partition.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::limits::JoinLimits;
use crate::catalog::LakeCatalog;
use crate::{LakeTrace, TableFile};

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

/// The files of a table of all traces.
fn files_of<'a>(
    catalog: &'a LakeCatalog,
    table: &'a str,
) -> impl Iterator<Item = (&'a Arc<LakeTrace>, &'a TableFile)> {
    catalog.sorted().iter().filter_map(move |trace| Some((trace, trace.files.get(table)?)))
}

/// Files of a table with rows of several partitions, by path. Folders of different values can have
/// one name, and earlier versions joined the files of a folder.
fn mixed<'a>(catalog: &'a LakeCatalog, table: &'a str) -> HashSet<&'a str> {
    let mut first: HashMap<&str, Values> = HashMap::new();
    let mut mixed = HashSet::new();
    for (trace, file) in files_of(catalog, table).filter(|(_, file)| file.row_groups.is_some()) {
        let values = catalog.layout().values(table, &trace.facts);
        if *first.entry(&file.path).or_insert_with(|| values.clone()) != values {
            mixed.insert(file.path.as_str());
        }
    }
    mixed
}

/// Files of a table with row groups of no trace, by path: those of traces that were deleted or
/// replaced by a process that died before it wrote the rest anew.
pub(super) fn with_unused_rows<'a>(catalog: &'a LakeCatalog, table: &'a str) -> HashSet<&'a str> {
    let mut used: HashMap<&str, (usize, usize)> = HashMap::new();
    for (_, file) in files_of(catalog, table) {
        if let Some(own) = file.row_groups {
            let (used, all) = used.entry(&file.path).or_default();
            *used = used.saturating_add(own.count);
            *all = own.all;
        }
    }
    used.into_iter().filter(|(_, (used, all))| used < all).map(|(path, _)| path).collect()
}

/// The files of a table, by partition, that are to be joined: small ones with few traces, in groups
/// of limited size, and those with rows of several partitions or of no trace. Files of different
/// versions of tpq may have different columns, so they are not joined.
pub(super) fn groups(catalog: &LakeCatalog, table: &str, limits: &JoinLimits) -> Vec<Group> {
    // By path: a file moves with the rows of all of its traces.
    type Files = BTreeMap<String, Vec<Part>>;
    let mut anew = mixed(catalog, table);
    anew.extend(with_unused_rows(catalog, table));
    let mut traces_in: HashMap<&str, usize> = HashMap::new();
    for (_, file) in files_of(catalog, table) {
        *traces_in.entry(&file.path).or_default() += 1;
    }
    let mut partitions: BTreeMap<(String, Values, String), Files> = BTreeMap::new();
    for (trace, file) in files_of(catalog, table) {
        let traces = traces_in.get(file.path.as_str()).copied().unwrap_or_default();
        let is_small = file.bytes < limits.target / 2 && traces < limits.most_traces / 2;
        if is_small || anew.contains(file.path.as_str()) {
            let folder = folder_of(&file.path).to_owned();
            let values = catalog.layout().values(table, &trace.facts);
            let files = partitions.entry((folder, values, trace.version.clone())).or_default();
            let part = Part { digest: trace.facts.digest.clone(), file: file.clone() };
            files.entry(file.path.clone()).or_default().push(part);
        }
    }
    let mut groups = Vec::new();
    for ((folder, ..), files) in partitions {
        let group = |parts| Group { table: table.to_owned(), folder: folder.clone(), parts };
        groups.extend(divided(files.into_values(), limits).into_iter().map(group));
    }
    groups.retain(|group| {
        let is_anew = |part: &Part| anew.contains(part.file.path.as_str());
        group.files() > 1 || group.parts.iter().any(is_anew)
    });
    groups.iter_mut().for_each(Group::sort);
    groups
}

/// Divides files, each with its parts, into groups of at most the target size and number of traces.
fn divided(files: impl Iterator<Item = Vec<Part>>, limits: &JoinLimits) -> Vec<Vec<Part>> {
    let mut groups: Vec<Vec<Part>> = Vec::new();
    let mut size = 0_u64;
    for parts in files {
        let own = parts.first().map_or(0, |part| part.file.bytes);
        let whole = size.saturating_add(own);
        match groups.last_mut() {
            Some(group)
                if whole <= limits.target && group.len() + parts.len() <= limits.most_traces =>
            {
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
    use super::super::limits::TARGET;
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
        let within = |files: Vec<Vec<Part>>, memory: Option<u64>| -> Vec<usize> {
            let limits = JoinLimits::within(memory);
            divided(files.into_iter(), &limits).iter().map(Vec::len).collect()
        };
        let traces_of = |files: Vec<Vec<Part>>| within(files, None);
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
        // With little memory, of less size and with fewer traces.
        let small = (0..40).map(|_| file(1000, 1)).collect();
        assert_eq!(within(small, Some(16 << 20)), [16, 16, 8]);
        let large = (0..4).map(|_| file(15 << 20, 1)).collect();
        assert_eq!(within(large, Some(16 << 20)), [2, 2]);
    }
}
