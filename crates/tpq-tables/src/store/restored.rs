//! Tables in place of those of a damaged file.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::Store;
use crate::finished::{StoredChunk, Table};
use crate::{StringViews, TraceTables};

/// The file that tables lie in, and what takes its place once it is damaged.
pub(crate) struct Backing {
    store: Arc<dyn Store>,
    /// The strings that the tables of the file have.
    strings: Arc<StringViews>,
    restored: OnceLock<Result<Restored, String>>,
}

/// Tables that were made anew. Their strings may have other numbers than those of the file.
pub(crate) struct Restored {
    tables: TraceTables,
    /// For each string its number in the file.
    string_ids: Vec<u32>,
}

impl Backing {
    pub(crate) fn new(store: Arc<dyn Store>, strings: &Arc<StringViews>) -> Self {
        Self { store, strings: Arc::clone(strings), restored: OnceLock::new() }
    }

    /// Whether the file was not shortened.
    pub(crate) fn is_intact(&self) -> bool {
        self.store.is_intact()
    }

    /// The tables to read instead, made when the first damage is found.
    pub(crate) fn restored(&self, damage: impl FnOnce() -> String) -> Result<&Restored, String> {
        let restore = || {
            let tables = self.store.restore(&damage())?;
            Restored::new(tables, &self.strings)
        };
        self.restored.get_or_init(restore).as_ref().map_err(Clone::clone)
    }
}

impl Restored {
    fn new(tables: TraceTables, strings: &StringViews) -> Result<Self, String> {
        let known: HashMap<&[u8], u32> = strings.texts().zip(0..).skip(1).collect();
        let id_of = |text: &[u8]| known.get(text).copied();
        let texts = tables.strings().texts().skip(1).map(id_of);
        let string_ids: Option<Vec<u32>> = std::iter::once(Some(0)).chain(texts).collect();
        let string_ids = string_ids.ok_or("the trace now has other strings")?;
        Ok(Self { tables, string_ids })
    }

    /// The same chunk of the same column.
    pub(crate) fn chunk(&self, of: &Table, column: usize, chunk: usize) -> Option<&StoredChunk> {
        let table = self.tables.get(of.decl().name)?;
        let same_rows = table.num_rows() == of.num_rows();
        let column = table.columns().get(column).filter(|_| same_rows)?;
        column.chunks().get(chunk)
    }

    /// The strings of these tables, by their own numbers.
    pub(crate) fn strings(&self) -> &StringViews {
        self.tables.strings()
    }

    /// The number in the file of a string of these tables.
    pub(crate) fn string_id(&self, id: u32) -> u32 {
        self.string_ids.get(id as usize).copied().unwrap_or_default()
    }
}
