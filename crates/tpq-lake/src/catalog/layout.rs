//! The layout of a lake: how its files are partitioned, and which columns the catalogue has.

use tpq_tables::{TableDecl, Tables};

use super::rows::FIXED_COLUMNS;
use crate::{LakeError, TraceFacts};

/// The directory of rows without a value of a partition column, as Hive calls it.
const NO_VALUE: &str = "__HIVE_DEFAULT_PARTITION__";
/// The most characters of a value in the name of a folder.
const MOST_CHARACTERS: usize = 64;

/// How a lake is laid out. The first ingest decides.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LakeLayout {
    /// The columns of the catalogue by which files are partitioned, in this order.
    pub partition: Vec<String>,
    /// Further columns of the catalogue: names of `metadata`.
    pub columns: Vec<String>,
}

impl LakeLayout {
    /// Checks the names, and makes each partition column a column of the catalogue.
    ///
    /// # Errors
    /// When a name is given twice or cannot be that of a column.
    pub fn new(partition: &[String], columns: &[String]) -> Result<Self, LakeError> {
        let wrong = |what: String| Err(LakeError::Layout(what));
        let mut layout = Self { partition: partition.to_vec(), columns: Vec::new() };
        for (at, name) in partition.iter().enumerate() {
            if partition[..at].contains(name) {
                return wrong(format!("--partition has `{name}` twice"));
            }
            let is_free = ["day", "device"].contains(&name.as_str());
            if FIXED_COLUMNS.iter().any(|(fixed, _)| fixed == name) && !is_free {
                return wrong(format!("files cannot be partitioned by `{name}`"));
            }
        }
        for name in partition.iter().chain(columns) {
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            if name.is_empty() || !name.bytes().all(is_name) {
                return wrong(format!("`{name}` is not the name of a metadata entry"));
            }
            let is_known = FIXED_COLUMNS.iter().any(|(fixed, _)| fixed == name);
            if !is_known && !layout.columns.contains(name) {
                layout.columns.push(name.clone());
            }
        }
        Ok(layout)
    }

    /// The folder of the rows of a trace within the folder of a table; empty without partitions.
    pub(crate) fn folder(&self, table: &str, facts: &TraceFacts) -> String {
        let part = |name: &String| {
            let value = facts.value(name).map(folder_name);
            format!("{}={}/", column_in(table, name), value.as_deref().unwrap_or(NO_VALUE))
        };
        self.partition.iter().map(part).collect()
    }

    /// The values of the partition columns of a table.
    pub(crate) fn values(&self, table: &str, facts: &TraceFacts) -> Vec<(String, Option<String>)> {
        let value = |name: &String| {
            let value = facts.value(name).filter(|value| !value.is_empty());
            (column_in(table, name), value.map(str::to_owned))
        };
        self.partition.iter().map(value).collect()
    }

    /// The partition columns of a table.
    pub(crate) fn columns_in(&self, table: &str) -> Vec<String> {
        self.partition.iter().map(|name| column_in(table, name)).collect()
    }
}

/// The name that a column of the catalogue has in a table. A table with a column of this name keeps
/// its own.
pub(crate) fn column_in(table: &str, name: &str) -> String {
    let has = |decl: &&&TableDecl| decl.name == table && decl.column_index(name).is_some();
    match Tables::DECLS.iter().find(has) {
        Some(_) => format!("trace_{name}"),
        None => name.to_owned(),
    }
}

/// A value as the name of a folder. Other characters than those that every store and URL takes as
/// they are become `_`; the log has the value itself.
fn folder_name(value: &str) -> String {
    let plain = |character: char| match character {
        '.' | '-' | '_' => character,
        _ if character.is_ascii_alphanumeric() => character,
        _ => '_',
    };
    let name: String = value.chars().take(MOST_CHARACTERS).map(plain).collect();
    match name.trim_matches('.') {
        "" => NO_VALUE.to_owned(),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn partition_columns_are_columns_of_the_catalogue() {
        let layout = LakeLayout::new(&names(&["day", "run"]), &names(&["run", "os"])).unwrap();
        assert_eq!(layout.columns, names(&["run", "os"]));
        for wrong in [["day", "day"], ["day", "trace_path"], ["day", "a b"]] {
            assert!(LakeLayout::new(&names(&wrong), &[]).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn folders_have_plain_names() {
        let layout = LakeLayout::new(&names(&["day", "device"]), &[]).unwrap();
        let facts = TraceFacts {
            device: Some("Pixel 7/pro".to_owned()),
            metadata: BTreeMap::new(),
            ..TraceFacts::default()
        };
        let none = "day=__HIVE_DEFAULT_PARTITION__/";
        assert_eq!(layout.folder("slice", &facts), format!("{none}device=Pixel_7_pro/"));
        // The memory of Vulkan has a column `device` of its own.
        let vulkan = "vulkan_memory_allocations";
        assert_eq!(layout.folder(vulkan, &facts), format!("{none}trace_device=Pixel_7_pro/"));
        let values = layout.values("slice", &facts);
        assert_eq!(values[1], ("device".to_owned(), Some("Pixel 7/pro".to_owned())));
        assert_eq!(folder_name(".."), NO_VALUE);
    }
}
