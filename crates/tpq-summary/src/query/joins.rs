//! Sources that combine the columns or the rows of queries.

use std::collections::HashSet;

use super::parts::experimental_join::{EqualityColumns, FreeformCondition, Type};
use super::parts::{
    ExperimentalAddColumns, ExperimentalJoin, ExperimentalUnion, experimental_add_columns,
    experimental_join,
};
use super::select::{Relation, named};
use super::text::{column, in_parentheses, is_name, name, quoted};
use crate::error::{QueryError, invalid};

/// The columns of a SELECT; their names are unique.
#[derive(Default)]
pub(super) struct Columns {
    names: HashSet<String>,
    items: Vec<String>,
}

impl Columns {
    /// Adds a column, unless there is one of that name.
    pub(super) fn add(&mut self, expression: &str, name: &str) -> bool {
        let is_new = self.names.insert(name.to_lowercase());
        if is_new {
            self.items.push(named(expression, name));
        }
        is_new
    }

    /// The text of the list.
    pub(super) fn list(&self) -> String {
        self.items.join(", ")
    }
}

/// A column of a table with an alias.
pub(super) fn of(alias: &str, column: &str) -> String {
    format!("{alias}.{}", quoted(column))
}

/// The condition of a join, and the aliases of both sides.
struct Condition<'a> {
    left: &'a str,
    right: &'a str,
    sql: String,
}

fn equality<'a>(
    columns: &EqualityColumns,
    left: &'a str,
    right: &'a str,
) -> Result<Condition<'a>, QueryError> {
    let (one, other) = match (columns.left_column(), columns.right_column()) {
        ("", "") => return invalid("`equality_columns` needs `left_column` and `right_column`"),
        (one, "") | ("", one) => (one, one),
        (one, other) => (one, other),
    };
    let sql = format!("{} = {}", of(left, one), of(right, other));
    Ok(Condition { left, right, sql })
}

fn freeform(condition: &FreeformCondition) -> Result<Condition<'_>, QueryError> {
    let left = name(condition.left_query_alias(), "left_query_alias")?;
    let right = name(condition.right_query_alias(), "right_query_alias")?;
    if condition.sql_expression().is_empty() {
        return invalid("`freeform_condition.sql_expression` is not set");
    }
    Ok(Condition { left, right, sql: in_parentheses(condition.sql_expression()) })
}

/// The rows of two queries that match. Columns of the right side that the left side has as well
/// get a number.
pub(super) fn join(
    join: &ExperimentalJoin,
    left: &Relation,
    right: &Relation,
) -> Result<String, QueryError> {
    let condition = match &join.condition {
        Some(experimental_join::Condition::EqualityColumns(it)) => equality(it, "l", "r")?,
        Some(experimental_join::Condition::FreeformCondition(it)) => freeform(it)?,
        None => return invalid("`experimental_join` has no condition"),
    };
    let mut columns = Columns::default();
    for name in &left.columns {
        columns.add(&of(condition.left, name), name);
    }
    for name in &right.columns {
        let expression = of(condition.right, name);
        let numbered = (1..).map(|number| format!("{name}_{number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        while names.next().is_some_and(|name| !columns.add(&expression, &name)) {}
    }
    let kind = match join.r#type() {
        Type::Inner => "JOIN",
        Type::Left => "LEFT JOIN",
    };
    let (left, right) = (
        format!("{} AS {}", left.name, condition.left),
        format!("{} AS {}", right.name, condition.right),
    );
    Ok(format!("SELECT {}\nFROM {left}\n{kind} {right} ON {}", columns.list(), condition.sql))
}

/// A query with columns of another, which are NULL where no row of it matches.
pub(super) fn add_columns(
    source: &ExperimentalAddColumns,
    core: &Relation,
    input: &Relation,
) -> Result<String, QueryError> {
    let condition = match &source.condition {
        Some(experimental_add_columns::Condition::EqualityColumns(it)) => {
            equality(it, "core", "input")?
        }
        Some(experimental_add_columns::Condition::FreeformCondition(it)) => freeform(it)?,
        None => return invalid("`experimental_add_columns` has no condition"),
    };
    let mut columns = Columns::default();
    for name in &core.columns {
        columns.add(&of(condition.left, name), name);
    }
    for added in &source.input_columns {
        let text = match added.column_name_or_expression() {
            "" => added.column_name(),
            text => text,
        };
        if text.is_empty() {
            return invalid("`input_columns.column_name_or_expression` is not set");
        }
        let expression = match is_name(text) {
            true => of(condition.right, text),
            false => column(text),
        };
        let name = if added.alias().is_empty() { text } else { added.alias() };
        if !columns.add(&expression, name) {
            let what = "`experimental_add_columns` has two columns";
            return invalid(format!("{what} `{name}`; give the added one an `alias`"));
        }
    }
    Ok(format!(
        "SELECT {}\nFROM {} AS {}\nLEFT JOIN {} AS {} ON {}",
        columns.list(),
        core.name,
        condition.left,
        input.name,
        condition.right,
        condition.sql
    ))
}

/// The rows of queries with the same columns, in the order of the first one's columns.
pub(super) fn union(union: &ExperimentalUnion, inputs: &[&Relation]) -> Result<String, QueryError> {
    let [first, others @ ..] = inputs else {
        return invalid("`experimental_union.queries` is empty");
    };
    let lower = |relation: &Relation| -> HashSet<String> {
        relation.columns.iter().map(|name| name.to_lowercase()).collect()
    };
    let expected = lower(first);
    for (number, other) in (2..).zip(others) {
        let found = lower(other);
        let mut different: Vec<&str> =
            expected.symmetric_difference(&found).map(String::as_str).collect();
        if !different.is_empty() {
            different.sort_unstable();
            return invalid(format!(
                "query {number} of `experimental_union` does not have the columns of the first \
                 one; only one of them has {}",
                different.join(", ")
            ));
        }
    }
    let mut columns = Columns::default();
    for name in &first.columns {
        columns.add(&quoted(name), name);
    }
    let all = inputs.iter().map(|it| format!("SELECT {}\nFROM {}", columns.list(), it.name));
    let operator = if union.use_union_all() { "\nUNION ALL\n" } else { "\nUNION\n" };
    Ok(all.collect::<Vec<_>>().join(operator))
}
