//! A trace of a lake: what the catalogue says of it.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// What an allocation takes in addition to its bytes, about.
const ALLOCATION: usize = 16;

/// What an import finds out about a trace.
#[derive(Clone, Debug, Default)]
pub struct TraceFacts {
    /// The digest of its bytes, in hexadecimal digits: the key of the catalogue.
    pub digest: String,
    /// Its UUID; `None` if it has none.
    pub uuid: Option<String>,
    /// Its path, as the caller named it.
    pub path: String,
    /// The size of the file in bytes.
    pub size: u64,
    /// When the recording began, as ISO 8601 in UTC; `None` if no clock of the trace says.
    pub recorded_at: Option<String>,
    /// The duration of the trace in ns.
    pub duration: i64,
    /// The model of the device or the kind of machine; `None` if the trace does not say.
    pub device: Option<String>,
    /// The number of kinds of data that the trace lost.
    pub losses: u64,
    /// Values of `metadata`, by name.
    pub metadata: BTreeMap<String, String>,
    /// The kinds of packets in the trace, by the names of their payload fields.
    pub packets: Vec<String>,
}

impl TraceFacts {
    /// The day of the recording in UTC, such as `2026-03-31`.
    pub fn day(&self) -> Option<&str> {
        self.recorded_at.as_deref().and_then(|at| at.get(..10))
    }

    /// The value of a column of the catalogue that an ingest chose: `day`, `device`, or a name of
    /// `metadata`.
    pub fn value(&self, name: &str) -> Option<&str> {
        match name {
            "day" => self.day(),
            "device" => self.device.as_deref(),
            name => self.metadata.get(name).map(String::as_str),
        }
    }
}

/// A trace in a lake.
#[derive(Clone, Debug)]
pub struct LakeTrace {
    /// What its import found out.
    pub facts: TraceFacts,
    /// The values of the columns that ingests chose, by name.
    pub values: BTreeMap<String, Option<String>>,
    /// The file with the rows of each table that has rows, by the names of tables.
    pub files: BTreeMap<String, TableFile>,
    /// The version of tpq that imported it.
    pub version: String,
    /// When it was imported, as ISO 8601 in UTC.
    pub ingested_at: String,
    /// The last vacuum of young files before its files were written: a later one may have removed
    /// them. Says nothing of a trace that was committed.
    pub(crate) vacuum: Option<i64>,
}

impl LakeTrace {
    /// The number of rows of a table.
    pub fn rows(&self, table: &str) -> u64 {
        self.files.get(table).map_or(0, |file| file.rows)
    }

    /// The value of a column of the catalogue that an ingest chose.
    pub fn value(&self, name: &str) -> Option<&str> {
        match self.values.get(name) {
            Some(value) => value.as_deref(),
            None => self.facts.value(name),
        }
    }

    /// The memory that it takes in bytes, about.
    pub(crate) fn memory_size(&self) -> u64 {
        let text = |text: &String| size_of::<String>() + text.len() + ALLOCATION;
        let maybe = |text: Option<&String>| text.map_or(0, |text| text.len() + ALLOCATION);
        let facts = &self.facts;
        let own = [&facts.digest, &facts.path, &self.version, &self.ingested_at];
        let maybe_own = [&facts.uuid, &facts.recorded_at, &facts.device];
        let files = self.files.iter().map(|(table, file)| {
            text(table) + size_of::<TableFile>() + file.path.len() + ALLOCATION
        });
        let values = self
            .values
            .iter()
            .map(|(name, value)| text(name) + size_of::<Option<String>>() + maybe(value.as_ref()));
        let metadata = facts.metadata.iter().map(|(name, value)| text(name) + text(value));
        let all = size_of::<Self>()
            + own.into_iter().map(text).sum::<usize>()
            + maybe_own.into_iter().map(|it| maybe(it.as_ref())).sum::<usize>()
            + facts.packets.iter().map(text).sum::<usize>()
            // The nodes of these maps are about two thirds full.
            + files.chain(values).chain(metadata).sum::<usize>() * 3 / 2;
        all as u64
    }

    /// The number of rows of each table as a JSON object.
    pub(crate) fn row_counts(&self) -> String {
        let counts = self.files.iter().map(|(table, file)| (table.clone(), file.rows.into()));
        Value::Object(counts.collect()).to_string()
    }

    /// The files as a JSON object.
    pub(crate) fn files_as_json(&self) -> String {
        let files = self.files.iter().map(|(table, file)| (table.clone(), file.to_json()));
        Value::Object(files.collect()).to_string()
    }
}

/// The rows of a table of one trace: a file, or some row groups of a file with rows of several
/// traces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableFile {
    /// The path within the folder of the table.
    pub path: String,
    /// The number of rows of the trace.
    pub rows: u64,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// Whether the rows are in the order of the column `ts`.
    pub in_time: bool,
    /// The row groups of the trace; `None` if the file has rows of this trace only.
    pub row_groups: Option<RowGroups>,
}

/// Neighbouring row groups of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowGroups {
    /// The first one.
    pub first: usize,
    /// Their number.
    pub count: usize,
    /// The number of all row groups of the file.
    pub all: usize,
}

impl TableFile {
    /// The bytes of the trace in the file, about: the share of its row groups.
    pub(crate) fn own_bytes(&self) -> u64 {
        match self.row_groups {
            Some(RowGroups { count, all, .. }) if all > 0 => {
                (u128::from(self.bytes) * count as u128 / all as u128) as u64
            }
            _ => self.bytes,
        }
    }

    fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("path".to_owned(), json!(self.path));
        object.insert("rows".to_owned(), json!(self.rows));
        object.insert("bytes".to_owned(), json!(self.bytes));
        object.insert("in_time".to_owned(), json!(self.in_time));
        if let Some(RowGroups { first, count, all }) = self.row_groups {
            object.insert("row_groups".to_owned(), json!([first, count, all]));
        }
        Value::Object(object)
    }

    fn from_json(value: &Value) -> Option<Self> {
        let row_groups = match value.get("row_groups") {
            None => None,
            Some(groups) => {
                let number = |at: usize| groups.get(at)?.as_u64()?.try_into().ok();
                Some(RowGroups { first: number(0)?, count: number(1)?, all: number(2)? })
            }
        };
        let is_within = |groups: &RowGroups| {
            groups.first.checked_add(groups.count).is_some_and(|end| end <= groups.all)
        };
        if row_groups.is_some_and(|groups| groups.all > 1 << 20 || !is_within(&groups)) {
            return None;
        }
        Some(Self {
            path: value.get("path")?.as_str()?.to_owned(),
            rows: value.get("rows")?.as_u64()?,
            bytes: value.get("bytes")?.as_u64()?,
            in_time: value.get("in_time")?.as_bool()?,
            row_groups,
        })
    }
}

/// Reads the files of a trace from their JSON object.
pub(crate) fn files_from_json(text: &str) -> Option<BTreeMap<String, TableFile>> {
    let Value::Object(files) = serde_json::from_str(text).ok()? else { return None };
    let file = |(table, file): (String, Value)| Some((table, TableFile::from_json(&file)?));
    files.into_iter().map(file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_survive_the_catalogue() {
        let whole = TableFile {
            path: "day=2026-01-02/a-1.parquet".to_owned(),
            rows: 3,
            bytes: 900,
            in_time: true,
            row_groups: None,
        };
        let part = TableFile {
            row_groups: Some(RowGroups { first: 2, count: 1, all: 4 }),
            ..whole.clone()
        };
        let trace = LakeTrace {
            facts: TraceFacts::default(),
            values: BTreeMap::new(),
            files: BTreeMap::from([("slice".to_owned(), whole), ("track".to_owned(), part)]),
            version: String::new(),
            ingested_at: String::new(),
            vacuum: None,
        };
        assert_eq!(files_from_json(&trace.files_as_json()), Some(trace.files.clone()));
        assert_eq!(trace.row_counts(), r#"{"slice":3,"track":3}"#);
        assert_eq!((trace.rows("track"), trace.rows("thread")), (3, 0));
        // One of four row groups.
        assert_eq!(trace.files["slice"].own_bytes(), 900);
        assert_eq!(trace.files["track"].own_bytes(), 225);
        // Row groups that a file cannot have are damage.
        let damaged = trace.files_as_json().replace("[2,1,4]", "[2,3,4]");
        assert_eq!(files_from_json(&damaged), None);
        let damaged = trace.files_as_json().replace("[2,1,4]", "[18446744073709551615,2,4]");
        assert_eq!(files_from_json(&damaged), None);
    }

    #[test]
    fn a_day_is_that_of_the_recording() {
        let at = |at: Option<&str>| TraceFacts {
            recorded_at: at.map(str::to_owned),
            ..TraceFacts::default()
        };
        assert_eq!(at(Some("2026-03-31T23:59:59.5Z")).value("day"), Some("2026-03-31"));
        assert_eq!(at(None).value("day"), None);
    }
}
