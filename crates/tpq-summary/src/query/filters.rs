//! Filters become conditions.

use super::Query;
use super::parts::filter::Operator;
use super::parts::{ExperimentalFilterGroup, Filter, experimental_filter_group};
use super::text::{column, float, in_parentheses, integer, string};
use crate::error::{QueryError, invalid};

/// The condition of a query: all filters, and the filter group.
pub(super) fn condition(query: &Query) -> Result<Option<String>, QueryError> {
    let filters = query.filters.iter().map(filter);
    let group =
        query.experimental_filter_group.as_ref().map(group_condition).transpose()?.flatten();
    let mut conditions = filters.collect::<Result<Vec<_>, _>>()?;
    conditions.extend(group);
    Ok(joined(conditions, " AND "))
}

/// The conditions of a group in parentheses.
fn group_condition(group: &ExperimentalFilterGroup) -> Result<Option<String>, QueryError> {
    let mut conditions = Vec::new();
    for part in &group.filters {
        conditions.push(filter(part)?);
    }
    for part in &group.groups {
        conditions.extend(group_condition(part)?);
    }
    conditions.extend(group.sql_expressions.iter().map(|sql| in_parentheses(sql)));
    let operator = match group.op() {
        experimental_filter_group::Operator::And => " AND ",
        experimental_filter_group::Operator::Or => " OR ",
        experimental_filter_group::Operator::Unspecified if conditions.len() < 2 => "",
        experimental_filter_group::Operator::Unspecified => {
            return invalid("`experimental_filter_group.op` is not set");
        }
    };
    Ok(joined(conditions, operator).map(|all| format!("({all})")))
}

fn joined(conditions: Vec<String>, operator: &str) -> Option<String> {
    (!conditions.is_empty()).then(|| conditions.join(operator))
}

/// A comparison. It holds if it holds for any of several values; `NOT_EQUAL`, if it holds for all.
fn filter(filter: &Filter) -> Result<String, QueryError> {
    let name = filter.column_name();
    if name.is_empty() {
        return invalid("`filters.column_name` is not set");
    }
    let column = column(name);
    let operator = match filter.op() {
        Operator::Unknown => return invalid(format!("the filter of `{name}` has no `op`")),
        Operator::IsNull => return Ok(format!("{column} IS NULL")),
        Operator::IsNotNull => return Ok(format!("{column} IS NOT NULL")),
        Operator::Equal => "=",
        Operator::NotEqual => "!=",
        Operator::LessThan => "<",
        Operator::LessThanEqual => "<=",
        Operator::GreaterThan => ">",
        Operator::GreaterThanEqual => ">=",
        Operator::Glob => "GLOB",
    };
    if operator == "GLOB" && !(filter.double_rhs.is_empty() && filter.int64_rhs.is_empty()) {
        return invalid(format!("the filter of `{name}` compares with a pattern, not a number"));
    }
    let values = values(filter)?;
    match (operator, values.as_slice()) {
        (_, []) => invalid(format!("the filter of `{name}` has no value, such as `string_rhs`")),
        (_, [value]) => Ok(format!("{column} {operator} {value}")),
        ("=", values) => Ok(format!("{column} IN ({})", values.join(", "))),
        ("!=", values) => Ok(format!("{column} NOT IN ({})", values.join(", "))),
        (_, values) => {
            let comparisons = values.iter().map(|value| format!("{column} {operator} {value}"));
            Ok(format!("({})", comparisons.collect::<Vec<_>>().join(" OR ")))
        }
    }
}

/// The values of a filter as literals.
fn values(filter: &Filter) -> Result<Vec<String>, QueryError> {
    let mut values: Vec<String> = filter.string_rhs.iter().map(|text| string(text)).collect();
    for &value in &filter.double_rhs {
        values.push(float(value)?);
    }
    values.extend(filter.int64_rhs.iter().map(|&value| integer(value)));
    Ok(values)
}
