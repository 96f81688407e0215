//! The SELECT of a step.

use super::parts::order_by::Direction;
use super::steps::Step;
use super::text::{column, in_parentheses, is_name, quoted};
use super::{Query, filters, groups, sources};
use crate::error::{QueryError, invalid};

/// A step as other steps see it.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    /// The name in SQL.
    pub(crate) name: String,
    /// The columns; empty if no step needs them.
    pub(crate) columns: Vec<String>,
}

/// The SELECT of a step that reads `inputs`. If the query selects no columns, it has all columns of
/// the source, or those of `wanted`.
///
/// # Errors
/// When the query is not valid.
pub(crate) fn select(
    step: &Step<'_>,
    inputs: &[&Relation],
    wanted: Option<&[String]>,
) -> Result<String, QueryError> {
    let query = step.query;
    let mut from = sources::source(step, inputs)?;
    if let Some(condition) = filters::condition(query)? {
        from.push_str("\nWHERE ");
        from.push_str(&condition);
    }
    if let Some(group_by) = &query.group_by {
        from = in_parentheses(&groups::grouped(group_by, &from)?);
    }
    let columns = columns(query, wanted)?;
    Ok(format!("SELECT {columns}\nFROM {from}{}{}", order(query)?, limit(query)?))
}

/// The columns of the result.
fn columns(query: &Query, wanted: Option<&[String]>) -> Result<String, QueryError> {
    if query.select_columns.is_empty() {
        let Some(wanted) = wanted else { return Ok("*".to_owned()) };
        return Ok(wanted
            .iter()
            .map(|name| named(&quoted(name), name))
            .collect::<Vec<_>>()
            .join(", "));
    }
    let mut columns = Vec::new();
    for selected in &query.select_columns {
        let text = match selected.column_name_or_expression() {
            "" => selected.column_name(),
            text => text,
        };
        match text {
            "" => return invalid("`select_columns.column_name_or_expression` is not set"),
            "*" => columns.push("*".to_owned()),
            _ => {
                let alias = match selected.alias() {
                    "" => text,
                    alias => alias,
                };
                columns.push(named(&result_column(query, text), alias));
            }
        }
    }
    Ok(columns.join(", "))
}

/// An expression with its name as a column.
pub(super) fn named(expression: &str, name: &str) -> String {
    format!("{expression} AS {}", quoted(name))
}

/// A column after grouping. An expression that is grouped by is a column then.
fn result_column(query: &Query, text: &str) -> String {
    let mut groups = query.group_by.iter().flat_map(|group_by| &group_by.column_names);
    match is_name(text) || groups.any(|name| name == text) {
        true => quoted(text),
        false => column(text),
    }
}

/// ORDER BY. Without an order, groups are in the order of their columns.
fn order(query: &Query) -> Result<String, QueryError> {
    let mut keys = Vec::new();
    for spec in query.order_by.iter().flat_map(|order_by| &order_by.ordering_specs) {
        if spec.column_name().is_empty() {
            return invalid("`order_by.ordering_specs.column_name` is not set");
        }
        let direction = match spec.direction() {
            Direction::Desc => " DESC",
            Direction::Asc | Direction::Unspecified => "",
        };
        keys.push(format!("{}{direction}", result_column(query, spec.column_name())));
    }
    if keys.is_empty() {
        let groups = query.group_by.iter().flat_map(|group_by| &group_by.column_names);
        keys.extend(groups.map(|name| quoted(name)));
    }
    Ok(if keys.is_empty() { String::new() } else { format!("\nORDER BY {}", keys.join(", ")) })
}

/// LIMIT and OFFSET.
fn limit(query: &Query) -> Result<String, QueryError> {
    match (query.limit, query.offset) {
        (Some(limit), _) if limit < 0 => invalid(format!("`limit` is negative: {limit}")),
        (_, Some(offset)) if offset < 0 => invalid(format!("`offset` is negative: {offset}")),
        (None, None) => Ok(String::new()),
        (limit, offset) => {
            // A negative limit is none.
            let limit = limit.unwrap_or(-1);
            let offset = offset.map(|offset| format!(" OFFSET {offset}")).unwrap_or_default();
            Ok(format!("\nLIMIT {limit}{offset}"))
        }
    }
}
