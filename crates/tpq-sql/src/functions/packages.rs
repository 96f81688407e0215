//! `android_package_lookup(uid)`: the package that the processes of a user id belong to.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use rustc_hash::FxHashMap;
use tpq_tables::TraceTables;

use super::of_trace::{Lookup, OfTrace};
use super::stored_rows::{Lazy, StoredRows};
use super::value::Value;

/// The user ids of one Android user; the app id is the rest of a user id.
const IDS_OF_A_USER: i64 = 100_000;

pub(super) fn function(tables: &TraceTables) -> OfTrace {
    let rows = StoredRows::new(tables, "package_list", &["package_name", "uid"]);
    let lookup = Packages { rows, by_uid: Lazy::default() };
    // The library calls the function by the second name.
    OfTrace::new("android_package_lookup", 1..=1, DataType::Utf8View, lookup)
        .alias("_intrinsic_package_lookup")
}

/// The packages of a trace by user id, read on first use. Of several packages with one id, it is
/// the one with the shortest name, then the first in the alphabet: `android` for the system's id.
struct Packages {
    rows: Option<StoredRows>,
    by_uid: Lazy<FxHashMap<i64, Arc<str>>>,
}

impl Packages {
    fn by_uid(&self) -> Result<&FxHashMap<i64, Arc<str>>> {
        self.by_uid.get(|| {
            let mut by_uid: FxHashMap<i64, Arc<str>> = FxHashMap::default();
            let Some(rows) = &self.rows else { return Ok(by_uid) };
            rows.each(|_, columns, at| {
                let (name, uid) = (columns[0].value(at), columns[1].value(at));
                let (Value::Text(name), Value::Integer(uid)) = (name, uid) else { return Ok(()) };
                let is_better = |known: &Arc<str>| (name.len(), &*name) < (known.len(), &**known);
                if by_uid.get(&uid).is_none_or(is_better) {
                    by_uid.insert(uid, Arc::from(&*name));
                }
                Ok(())
            })?;
            Ok(by_uid)
        })
    }
}

impl Lookup for Packages {
    fn find(&self, values: &[Value]) -> Result<Value<'static>> {
        let Some(uid) = values[0].as_integer() else { return Ok(Value::Null) };
        let by_uid = self.by_uid()?;
        // A package is listed with its app id, which is the user id of the first Android user.
        let name = by_uid.get(&uid).or_else(|| by_uid.get(&(uid % IDS_OF_A_USER)));
        Ok(name.map_or(Value::Null, |name| Value::text(name.to_string())))
    }
}
