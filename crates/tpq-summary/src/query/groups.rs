//! Groups and their aggregates.

use super::parts::GroupBy;
use super::parts::group_by::Aggregate;
use super::parts::group_by::aggregate::Op;
use super::select::named;
use super::text::{column, float, in_parentheses};
use crate::error::{QueryError, invalid};

/// The SELECT of the groups of `from`: the columns that are grouped by, then the aggregates.
pub(super) fn grouped(group_by: &GroupBy, from: &str) -> Result<String, QueryError> {
    let mut items = Vec::new();
    for name in &group_by.column_names {
        if name.is_empty() {
            return invalid("`group_by.column_names` has an empty name");
        }
        items.push(named(&column(name), name));
    }
    for aggregate in &group_by.aggregates {
        items.push(named(&expression(aggregate)?, &result_name(aggregate)?));
    }
    if items.is_empty() {
        return invalid("`group_by` has neither columns nor aggregates");
    }
    let keys: Vec<String> = group_by.column_names.iter().map(|name| column(name)).collect();
    let keys = match keys.is_empty() {
        true => String::new(),
        false => format!("\nGROUP BY {}", keys.join(", ")),
    };
    Ok(format!("SELECT {}\nFROM {from}{keys}", items.join(", ")))
}

/// The function of an aggregate.
fn expression(aggregate: &Aggregate) -> Result<String, QueryError> {
    let op = aggregate.op();
    let argument = match (aggregate.column_name(), op) {
        (_, Op::Unspecified) => return invalid("an aggregate has no `op`"),
        ("", Op::Count) => return Ok("count(*)".to_owned()),
        (_, Op::Custom) => return custom(aggregate),
        ("", _) => {
            return invalid(format!("the aggregate {} has no `column_name`", op.as_str_name()));
        }
        (name, _) => column(name),
    };
    Ok(match op {
        Op::Count => format!("count({argument})"),
        Op::CountDistinct => format!("count(DISTINCT {argument})"),
        Op::Sum => format!("sum({argument})"),
        Op::Min => format!("min({argument})"),
        Op::Max => format!("max({argument})"),
        Op::Mean => format!("avg({argument})"),
        Op::Median => format!("percentile({argument}, 50)"),
        Op::Percentile => format!("percentile({argument}, {})", percentile(aggregate)?),
        // Rows without an end have no duration, and rows without a value no weight.
        Op::DurationWeightedMean => format!(
            "sum(CASE WHEN `dur` > 0 THEN CAST({argument} AS DOUBLE) * `dur` END) / \
             sum(CASE WHEN `dur` > 0 AND {argument} IS NOT NULL THEN `dur` END)"
        ),
        Op::Unspecified | Op::Custom => String::new(),
    })
}

fn custom(aggregate: &Aggregate) -> Result<String, QueryError> {
    match aggregate.custom_sql_expression() {
        "" => invalid("the aggregate CUSTOM has no `custom_sql_expression`"),
        sql => Ok(in_parentheses(sql)),
    }
}

fn percentile(aggregate: &Aggregate) -> Result<String, QueryError> {
    match aggregate.percentile {
        Some(rank) if (0.0..=100.0).contains(&rank) => float(rank),
        Some(rank) => invalid(format!("`percentile` is not from 0 to 100: {rank}")),
        None => invalid("the aggregate PERCENTILE has no `percentile`"),
    }
}

/// The name of the result: that of the specification, or that of the function with the column, such
/// as `sum_dur`.
fn result_name(aggregate: &Aggregate) -> Result<String, QueryError> {
    let function = aggregate.op().as_str_name().to_lowercase();
    match (aggregate.result_column_name(), aggregate.column_name(), aggregate.op()) {
        ("", _, Op::Custom) => invalid("the aggregate CUSTOM has no `result_column_name`"),
        ("", "", _) => Ok(function),
        ("", name, _) => Ok(format!("{function}_{name}")),
        (name, _, _) => Ok(name.to_owned()),
    }
}
