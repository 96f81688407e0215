//! `slice_is_ancestor(ancestor_id, descendant_id)`: whether a slice is nested in another.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{AsArray, BooleanArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use tpq_tables::TraceTables;

use super::stored_rows::{Lazy, StoredRows};

/// The parent of each slice, read on first use.
struct Parents {
    rows: Option<StoredRows>,
    by_id: Lazy<Vec<Option<i64>>>,
}

impl Parents {
    /// # Errors
    /// When the table cannot be read.
    fn by_id(&self) -> Result<&[Option<i64>]> {
        let by_id = self.by_id.get(|| {
            let mut parents = Vec::new();
            let Some(rows) = &self.rows else { return Ok(parents) };
            parents.reserve_exact(rows.count());
            rows.each(|_, columns, at| {
                parents.push(columns[0].value(at).as_integer());
                Ok(())
            })?;
            Ok(parents)
        })?;
        Ok(by_id)
    }
}

#[derive(Clone)]
pub(super) struct SliceIsAncestor {
    parents: Arc<Parents>,
    signature: Signature,
}

impl SliceIsAncestor {
    pub(super) fn new(tables: &TraceTables) -> Self {
        let signature = Signature::any(2, Volatility::Immutable);
        let rows = StoredRows::new(tables, "slice", &["parent_id"]);
        Self { parents: Arc::new(Parents { rows, by_id: Lazy::default() }), signature }
    }
}

/// Follows the parents of a slice. The id of a parent is smaller than that of its child; the walk
/// stops if it is not, so it always ends.
fn is_ancestor(parents: &[Option<i64>], ancestor: i64, mut slice: i64) -> bool {
    while let Some(parent) = usize::try_from(slice).ok().and_then(|slice| *parents.get(slice)?)
        && parent < slice
    {
        if parent == ancestor {
            return true;
        }
        slice = parent;
    }
    false
}

impl std::fmt::Debug for SliceIsAncestor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("slice_is_ancestor")
    }
}

impl PartialEq for SliceIsAncestor {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.parents, &other.parents)
    }
}

impl Eq for SliceIsAncestor {}

impl Hash for SliceIsAncestor {
    fn hash<H: Hasher>(&self, state: &mut H) {
        "slice_is_ancestor".hash(state);
    }
}

impl ScalarUDFImpl for SliceIsAncestor {
    fn name(&self) -> &str {
        "slice_is_ancestor"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let ids = |at: usize| -> Result<_> {
            Ok(cast(&args.args[at].to_array(args.number_rows)?, &DataType::Int64)?)
        };
        let (ancestors, slices) = (ids(0)?, ids(1)?);
        let parents = self.parents.by_id()?;
        let pairs =
            ancestors.as_primitive::<Int64Type>().iter().zip(slices.as_primitive::<Int64Type>());
        let found: BooleanArray =
            pairs.map(|(ancestor, slice)| Some(is_ancestor(parents, ancestor?, slice?))).collect();
        Ok(ColumnarValue::Array(Arc::new(found)))
    }
}
