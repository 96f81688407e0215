//! Filters that compare one column of integers with known values: `utid = 5`, `utid IN (5, 7)`, and
//! `utid = 5 OR utid = 7`, which is what the optimizer makes of a short list.
//!
//! The scan compares packed values, and reads the other columns for rows that pass alone. The
//! values are known when the scan begins, as parameters of a subplan and results of subqueries are.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{BinaryExpr, Column, InListExpr, Literal};
use datafusion::physical_expr::utils::split_conjunction;

use tpq_tables::ChunkRange;

use super::chunked::ChunkedTable;
use crate::operators::apply::{is_known_when_run, with_known_values};

/// A filter on the values of a column, which the scan alone applies.
#[derive(Debug)]
pub(super) struct ValueFilter {
    /// The position of the column in the table.
    column: usize,
    filter: Arc<dyn PhysicalExpr>,
}

/// The values that a column has in all rows of a result; other rows are left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct WantedValues {
    /// The position of the column in the table.
    pub(super) column: usize,
    /// The values, in order.
    pub(super) values: Vec<i64>,
}

impl ValueFilter {
    /// Makes a filter of a scan that reads `columns` of a table. Returns `None` if `filter` is not
    /// a comparison of this kind.
    pub(super) fn try_new(
        filter: &Arc<dyn PhysicalExpr>,
        table: &dyn ChunkedTable,
        columns: &[usize],
    ) -> Option<Self> {
        let Comparison { column, values } = Comparison::of(filter)?;
        let column = *columns.get(column.index())?;
        let is_known =
            |value: &Arc<dyn PhysicalExpr>| literal(value).is_some() || is_known_when_run(value);
        let is_integer = table.schema().field(column).data_type() == &DataType::Int64;
        (is_integer && values.into_iter().all(is_known))
            .then(|| Self { column, filter: Arc::clone(filter) })
    }

    /// The filter as an expression.
    pub(super) fn filter(&self) -> &Arc<dyn PhysicalExpr> {
        &self.filter
    }

    /// The values, once they are known.
    ///
    /// # Errors
    /// When a value is asked for before there is one.
    pub(super) fn wanted(&self) -> Result<WantedValues> {
        let known = with_known_values(Arc::clone(&self.filter))?;
        let values = Comparison::of(&known).and_then(|known| known.literals());
        match values {
            Some(values) => Ok(WantedValues { column: self.column, values }),
            None => internal_err!("the values of {} are not known", self.filter),
        }
    }

    /// The column in the scan and the value, if there is only one and it is known.
    pub(super) fn constant(&self) -> Option<(Column, i64)> {
        let comparison = Comparison::of(&self.filter)?;
        match comparison.literals()?[..] {
            [only] => Some((comparison.column.clone(), only)),
            _ => None,
        }
    }

    /// The position of the column in the table, and the largest number of values.
    pub(super) fn bound(&self) -> (usize, usize) {
        let values = Comparison::of(&self.filter).map_or(0, |comparison| comparison.values.len());
        (self.column, values)
    }
}

/// Which rows of a chunk have wanted values, as far as the range of their values shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Within<'a> {
    All,
    /// Those with one of these values.
    Some(&'a [i64]),
    None,
}

impl WantedValues {
    /// Which rows of a chunk with this range have wanted values.
    pub(super) fn within(&self, range: ChunkRange) -> Within<'_> {
        let Some((low, high)) = range.bounds else { return Within::Some(&self.values) };
        let from = self.values.partition_point(|&value| value < low);
        let until = self.values.partition_point(|&value| value <= high);
        match &self.values[from..until] {
            [] => Within::None,
            // Values are distinct, so these are all of the range.
            all if range.nulls == 0 && high.abs_diff(low) == all.len() as u64 - 1 => Within::All,
            some => Within::Some(some),
        }
    }

    /// What a predicate demands of a scan that reads `columns` of a table: one entry for each
    /// comparison of this kind. Other parts of the predicate are ignored.
    pub(super) fn in_predicate(
        predicate: &Arc<dyn PhysicalExpr>,
        table: &dyn ChunkedTable,
        columns: &[usize],
    ) -> Vec<Self> {
        let wanted = |part: &Arc<dyn PhysicalExpr>| {
            let comparison = Comparison::of(part)?;
            let column = *columns.get(comparison.column.index())?;
            let is_integer = table.schema().field(column).data_type() == &DataType::Int64;
            let values = comparison.literals().filter(|_| is_integer)?;
            Some(Self { column, values })
        };
        split_conjunction(predicate).into_iter().filter_map(wanted).collect()
    }
}

/// A comparison of a column with values that do not depend on the row.
struct Comparison<'a> {
    column: &'a Column,
    values: Vec<&'a Arc<dyn PhysicalExpr>>,
}

impl<'a> Comparison<'a> {
    fn of(filter: &'a Arc<dyn PhysicalExpr>) -> Option<Self> {
        if let Some(list) = filter.downcast_ref::<InListExpr>() {
            let column = list.expr().downcast_ref::<Column>().filter(|_| !list.negated())?;
            return Some(Self { column, values: list.list().iter().collect() });
        }
        let binary = filter.downcast_ref::<BinaryExpr>()?;
        let (left, right) = (binary.left(), binary.right());
        if binary.op() == &Operator::Or {
            return Self::either(Self::of(left)?, Self::of(right)?);
        }
        if binary.op() != &Operator::Eq {
            return None;
        }
        match (left.downcast_ref::<Column>(), right.downcast_ref::<Column>()) {
            (Some(column), None) => Some(Self { column, values: vec![right] }),
            (None, Some(column)) => Some(Self { column, values: vec![left] }),
            _ => None,
        }
    }

    /// The comparison that holds where one of two does, if both are of the same column.
    fn either(mut one: Self, other: Self) -> Option<Self> {
        if one.column != other.column {
            return None;
        }
        one.values.extend(other.values);
        Some(one)
    }

    /// The values in order, if all are known. NULL is equal to nothing.
    fn literals(&self) -> Option<Vec<i64>> {
        let values: Option<Vec<Option<i64>>> =
            self.values.iter().map(|value| literal(value)).collect();
        let mut values: Vec<i64> = values?.into_iter().flatten().collect();
        values.sort_unstable();
        values.dedup();
        Some(values)
    }
}

/// A known integer, or NULL.
fn literal(value: &Arc<dyn PhysicalExpr>) -> Option<Option<i64>> {
    match value.downcast_ref::<Literal>()?.value() {
        ScalarValue::Int64(value) => Some(*value),
        ScalarValue::Null => Some(None),
        _ => None,
    }
}

impl fmt::Display for ValueFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.filter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_of_one_column_are_one_comparison() {
        let column = |name, index| Arc::new(Column::new(name, index)) as Arc<dyn PhysicalExpr>;
        let value = |value| Arc::new(Literal::new(value)) as Arc<dyn PhysicalExpr>;
        let binary = |left: &Arc<dyn PhysicalExpr>, op, right: &Arc<dyn PhysicalExpr>| {
            Arc::new(BinaryExpr::new(Arc::clone(left), op, Arc::clone(right)))
                as Arc<dyn PhysicalExpr>
        };
        let is = |of: &Arc<dyn PhysicalExpr>, number| {
            binary(of, Operator::Eq, &value(ScalarValue::Int64(number)))
        };
        let (a, b) = (column("a", 0), column("b", 1));
        let found = |filter: &Arc<dyn PhysicalExpr>| {
            let comparison = Comparison::of(filter)?;
            Some((comparison.column.index(), comparison.literals()?))
        };
        let two = binary(&is(&a, Some(7)), Operator::Or, &is(&a, Some(5)));
        assert_eq!(found(&two), Some((0, vec![5, 7])));
        let more =
            binary(&two, Operator::Or, &binary(&is(&a, Some(5)), Operator::Or, &is(&a, None)));
        assert_eq!(found(&more), Some((0, vec![5, 7])));
        // Of two columns, or with another comparison, it is none.
        assert_eq!(found(&binary(&two, Operator::Or, &is(&b, Some(5)))), None);
        let above = binary(&a, Operator::Gt, &value(ScalarValue::Int64(Some(1))));
        assert_eq!(found(&binary(&two, Operator::Or, &above)), None);
        assert_eq!(found(&binary(&two, Operator::And, &is(&a, Some(5)))), None);
    }

    #[test]
    fn a_range_can_decide_for_a_chunk() {
        let wanted = WantedValues { column: 0, values: vec![3, 4, 5, 9] };
        let within = |bounds, nulls| wanted.within(ChunkRange { bounds, nulls });
        assert_eq!(within(Some((3, 5)), 0), Within::All);
        assert_eq!(within(Some((9, 9)), 0), Within::All);
        assert_eq!(within(Some((3, 5)), 1), Within::Some(&[3, 4, 5]));
        assert_eq!(within(Some((5, 9)), 0), Within::Some(&[5, 9]));
        assert_eq!(within(Some((6, 8)), 0), Within::None);
        assert_eq!(within(Some((i64::MIN, i64::MAX)), 0), Within::Some(&wanted.values));
        assert_eq!(within(None, 7), Within::Some(&wanted.values));
        let nothing = WantedValues { column: 0, values: vec![] };
        assert_eq!(nothing.within(ChunkRange { bounds: Some((0, 1)), nulls: 0 }), Within::None);
    }
}
