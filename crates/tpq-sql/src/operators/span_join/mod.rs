//! SPAN_JOIN: the pieces of time that spans of two tables have in common.
//!
//! A span is a row with `ts` and `dur`, the time `[ts, ts + dur)`. Spans of one table, or of one
//! partition of it, do not overlap each other, so both tables can be gone through once, in the
//! order of time, as in the merging of two sorted lists; what is asked for and not covered by
//! the other table's spans lies in the gaps between them.
//!
//! Where spans of one table do overlap after all, as those of the idle thread that runs on every
//! CPU, each counts from when the sweep is through with the one before it; this is what people's
//! queries were written against.

mod exec;
mod planner;
mod side;
mod sweep;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{DFSchema, DFSchemaRef, Result, TableReference, internal_err, plan_err};
use datafusion::logical_expr::{
    Expr, ExprSchemable, Extension, LogicalPlan, Projection, UserDefinedLogicalNodeCore, lit,
};

pub(super) use exec::SpanJoinExec;
pub(super) use planner::SpanJoinPlanner;

/// Which pieces a join gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub(crate) enum SpanJoinKind {
    /// Those that both tables cover: SPAN_JOIN.
    Inner,
    /// Those that the first covers: SPAN_LEFT_JOIN.
    Left,
    /// Those that either covers: SPAN_OUTER_JOIN.
    Outer,
}

impl SpanJoinKind {
    fn name(self) -> &'static str {
        match self {
            Self::Inner => "SPAN_JOIN",
            Self::Left => "SPAN_LEFT_JOIN",
            Self::Outer => "SPAN_OUTER_JOIN",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Self::Inner, Self::Left, Self::Outer].into_iter().find(|kind| kind.name() == name)
    }
}

/// A table to be joined.
#[derive(Clone, Debug)]
pub(crate) struct SpanTable {
    /// Its name, for messages.
    pub name: String,
    /// Its rows.
    pub plan: LogicalPlan,
    /// The column that partitions it. A table without joins with every
    /// partition of the other.
    pub partition: Option<String>,
}

/// How the tables' partitions meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub(super) enum Partitions {
    /// Neither table has any.
    None,
    /// Each partition of the one joins with that of the same value of the other.
    Both,
    /// Only the first has any.
    OfLeft,
    /// Only the second has any.
    OfRight,
}

impl Partitions {
    fn any(self) -> bool {
        self != Self::None
    }

    fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Both => "both",
            Self::OfLeft => "left",
            Self::OfRight => "right",
        }
    }

    fn named(name: &str) -> Option<Self> {
        let all = [Self::None, Self::Both, Self::OfLeft, Self::OfRight];
        all.into_iter().find(|partitions| partitions.name() == name)
    }
}

/// The columns of a result are `ts`, `dur`, the partition's, and all others of both tables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SpanJoin {
    /// Its columns are `ts`, `dur`, the partition's if it has any, and the others.
    left: LogicalPlan,
    /// The same.
    right: LogicalPlan,
    kind: SpanJoinKind,
    partitions: Partitions,
    names: [String; 2],
    schema: DFSchemaRef,
}

impl SpanJoin {
    /// The plan of a join.
    ///
    /// # Errors When a table has no `ts` or partition, none has `dur`, the tables have partitions
    /// of different names, or any other column has the same name in both.
    pub(crate) fn try_new(
        left: SpanTable,
        right: SpanTable,
        kind: SpanJoinKind,
    ) -> Result<LogicalPlan> {
        let partitions = match (&left.partition, &right.partition) {
            (None, None) => Partitions::None,
            (Some(_), None) => Partitions::OfLeft,
            (None, Some(_)) => Partitions::OfRight,
            (Some(a), Some(b)) if a == b => Partitions::Both,
            (Some(a), Some(b)) => {
                return plan_err!(
                    "{}: {} is partitioned by {a}, {} by {b}; use one name for both",
                    kind.name(),
                    left.name,
                    right.name
                );
            }
        };
        let has_dur =
            |table: &SpanTable| table.plan.schema().has_column_with_unqualified_name("dur");
        if !has_dur(&left) && !has_dur(&right) {
            let (kind, left, right) = (kind.name(), left.name, right.name);
            return plan_err!("{kind}: neither {left} nor {right} has a column called dur");
        }
        let inputs = [ordered_columns(&left, kind)?, ordered_columns(&right, kind)?];
        let [left_plan, right_plan] = inputs;
        let names = [left.name, right.name];
        let join = Self::over(left_plan, right_plan, kind, partitions, names)?;
        Ok(LogicalPlan::Extension(Extension { node: Arc::new(join) }))
    }

    fn over(
        left: LogicalPlan,
        right: LogicalPlan,
        kind: SpanJoinKind,
        partitions: Partitions,
        names: [String; 2],
    ) -> Result<Self> {
        let schema = schema_of([&left, &right], kind, partitions, &names)?;
        Ok(Self { left, right, kind, partitions, names, schema: Arc::new(schema) })
    }

    /// How many of an input's first columns the join itself reads.
    fn own_columns(&self) -> [usize; 2] {
        own_columns(self.partitions)
    }
}

fn own_columns(partitions: Partitions) -> [usize; 2] {
    match partitions {
        Partitions::None => [2, 2],
        Partitions::Both => [3, 3],
        Partitions::OfLeft => [3, 2],
        Partitions::OfRight => [2, 3],
    }
}

/// A table with `ts`, `dur` and its partition first, which are integers.
fn ordered_columns(table: &SpanTable, kind: SpanJoinKind) -> Result<LogicalPlan> {
    let schema = table.plan.schema();
    let mut first = vec!["ts", "dur"];
    first.extend(table.partition.as_deref());
    if matches!(table.partition.as_deref(), Some("ts" | "dur")) {
        return plan_err!("{}: {} cannot be partitioned by ts or dur", kind.name(), table.name);
    }
    let mut exprs = Vec::with_capacity(schema.fields().len());
    for name in &first {
        let found = schema.columns().into_iter().find(|column| column.name == *name);
        if found.is_none() && *name == "dur" {
            // Nothing in it lasts.
            exprs.push(lit(0i64).alias(*name));
            continue;
        }
        let Some(column) = found else {
            return plan_err!("{}: {} has no column called {name}", kind.name(), table.name);
        };
        let column = Expr::Column(column);
        let number = column.get_type(schema)?;
        if !(number.is_integer() || matches!(number, DataType::Null | DataType::Boolean)) {
            return plan_err!("{}: {name} of {} must be an integer", kind.name(), table.name);
        }
        exprs.push(column.cast_to(&DataType::Int64, schema)?.alias(*name));
    }
    let others = schema.columns().into_iter();
    let others = others.filter(|column| !first.contains(&column.name.as_str()));
    exprs.extend(others.map(|column| {
        let name = column.name.clone();
        Expr::Column(column).alias(name)
    }));
    Ok(LogicalPlan::Projection(Projection::try_new(exprs, Arc::new(table.plan.clone()))?))
}

fn schema_of(
    inputs: [&LogicalPlan; 2],
    kind: SpanJoinKind,
    partitions: Partitions,
    names: &[String; 2],
) -> Result<DFSchema> {
    let own = own_columns(partitions);
    let time = |name| Arc::new(Field::new(name, DataType::Int64, false));
    let mut fields: Vec<FieldRef> = vec![time("ts"), time("dur")];
    let partitioned = if own[0] == 3 { inputs[0] } else { inputs[1] };
    if partitions.any()
        && let Some(field) = partitioned.schema().fields().get(2)
    {
        fields.push(time(field.name()));
    }
    let missing = [kind == SpanJoinKind::Outer, kind != SpanJoinKind::Inner];
    for ((input, own), missing) in inputs.iter().zip(own).zip(missing) {
        for field in input.schema().fields().iter().skip(own) {
            let nullable = field.is_nullable() || missing;
            fields.push(Arc::new(field.as_ref().clone().with_nullable(nullable)));
        }
    }
    let mut seen = HashSet::new();
    if let Some(field) = fields.iter().find(|field| !seen.insert(field.name())) {
        return plan_err!(
            "{}: {} and {} both have a column called {}; leave it out of one, or rename it",
            kind.name(),
            names[0],
            names[1],
            field.name()
        );
    }
    let unqualified = fields.into_iter().map(|field| (None::<TableReference>, field));
    DFSchema::new_with_metadata(unqualified.collect(), Default::default())
}

impl UserDefinedLogicalNodeCore for SpanJoin {
    fn name(&self) -> &str {
        "SpanJoin"
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        vec![&self.left, &self.right]
    }

    fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }

    fn expressions(&self) -> Vec<Expr> {
        Vec::new()
    }

    /// Only what is asked of the partition is the same below, and only where both have it.
    fn prevent_predicate_push_down_columns(&self) -> HashSet<String> {
        let names = self.schema.fields().iter().map(|field| field.name().clone());
        match self.partitions {
            Partitions::Both => {
                names.enumerate().filter(|&(at, _)| at != 2).map(|(_, name)| name).collect()
            }
            _ => names.collect(),
        }
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [left, right] = &self.names;
        write!(f, "{}: {left}, {right}", self.kind.name())?;
        match self.schema.fields().get(2) {
            Some(field) if self.partitions.any() => write!(f, " by {}", field.name()),
            _ => Ok(()),
        }
    }

    fn with_exprs_and_inputs(&self, _: Vec<Expr>, inputs: Vec<LogicalPlan>) -> Result<Self> {
        let Ok([left, right]) = <[LogicalPlan; 2]>::try_from(inputs) else {
            return internal_err!("a span join of other than two tables");
        };
        Self::over(left, right, self.kind, self.partitions, self.names.clone())
    }

    fn necessary_children_exprs(&self, output_columns: &[usize]) -> Option<Vec<Vec<usize>>> {
        let [own_left, own_right] = self.own_columns();
        let before = if self.partitions.any() { 3 } else { 2 };
        let of_left = self.left.schema().fields().len() - own_left;
        let others = output_columns.iter().filter_map(|column| column.checked_sub(before));
        let (left, right): (Vec<usize>, Vec<usize>) = others.partition(|&other| other < of_left);
        let left = (0..own_left).chain(left.into_iter().map(|other| other + own_left));
        let right = right.into_iter().map(|other| other - of_left + own_right);
        Some(vec![left.collect(), (0..own_right).chain(right).collect()])
    }
}

impl PartialOrd for SpanJoin {
    fn partial_cmp(&self, _: &Self) -> Option<std::cmp::Ordering> {
        None
    }
}
