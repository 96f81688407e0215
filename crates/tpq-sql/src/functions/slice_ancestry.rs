//! `slice_is_ancestor(ancestor_id, descendant_id)`: whether a slice is nested in another.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use datafusion::arrow::array::{AsArray, BooleanArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use tpq_tables::{Table, TraceTables};

use super::value::{Column, Value};

#[derive(Clone)]
pub(super) struct SliceIsAncestor {
    slices: Option<Arc<Table>>,
    /// The parent of each slice, by id; read on first use.
    parents: Arc<OnceLock<Vec<Option<i64>>>>,
    signature: Signature,
}

impl SliceIsAncestor {
    pub(super) fn new(tables: &TraceTables) -> Self {
        let signature = Signature::any(2, Volatility::Immutable);
        Self { slices: tables.get("slice").cloned(), parents: Arc::default(), signature }
    }

    fn parents(&self) -> &[Option<i64>] {
        self.parents.get_or_init(|| self.read().unwrap_or_default())
    }

    fn read(&self) -> Option<Vec<Option<i64>>> {
        let table = self.slices.as_ref()?;
        let column = [table.decl().column_index("parent_id")?];
        let mut parents = Vec::with_capacity(table.num_rows());
        for chunk in 0..table.num_chunks() {
            let batch = table.read(chunk, 0..table.chunk_rows(chunk), &column).ok()?;
            let column = Column::from_array(batch.column(0)).ok()?;
            parents.extend((0..batch.num_rows()).map(|row| match column.value(row) {
                Value::Integer(parent) => Some(parent),
                _ => None,
            }));
        }
        Some(parents)
    }

    /// Follows the parents of a slice. The id of a parent is smaller than that of its child; the
    /// walk stops if it is not, so it always ends.
    fn is_ancestor(&self, ancestor: i64, mut slice: i64) -> bool {
        let parents = self.parents();
        while let Some(parent) =
            usize::try_from(slice).ok().and_then(|slice| *parents.get(slice)?)
            && parent < slice
        {
            if parent == ancestor {
                return true;
            }
            slice = parent;
        }
        false
    }
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
        let pairs =
            ancestors.as_primitive::<Int64Type>().iter().zip(slices.as_primitive::<Int64Type>());
        let found: BooleanArray =
            pairs.map(|(ancestor, slice)| Some(self.is_ancestor(ancestor?, slice?))).collect();
        Ok(ColumnarValue::Array(Arc::new(found)))
    }
}
