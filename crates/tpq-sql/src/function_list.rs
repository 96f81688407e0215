//! The functions that statements can call, for `.functions` and SHOW FUNCTIONS.

use std::sync::Arc;

use datafusion::execution::SessionState;
use datafusion::logical_expr::Documentation;

use crate::catalog::{Catalog, SqlFunction};
use crate::files::Reader;
use crate::functions::TableFunction;
use crate::perfetto_sql::Returns;

/// Prefix of names that are not for users.
const INTERNAL_PREFIX: &str = "__";

/// A function that statements can call.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FunctionInfo {
    /// The name, in lower case.
    pub name: String,
    /// `scalar`, `aggregate`, `window` or `table`: functions of a row, of many rows, of the rows
    /// around a row, and functions that stand in FROM. Aggregates can also be used as window
    /// functions.
    pub kind: &'static str,
    /// The arguments as text, with optional ones in brackets; `None` if there is no description of
    /// them.
    pub arguments: Option<String>,
}

/// All functions, in alphabetical order. A name can have functions of several kinds.
pub(crate) fn functions_of(state: &SessionState, catalog: &Catalog) -> Vec<FunctionInfo> {
    let info =
        |name: &str, kind, arguments| FunctionInfo { name: name.to_owned(), kind, arguments };
    let created = catalog.objects().functions();
    let created_info = |function: &Arc<SqlFunction>| created_info(function);
    let mut all: Vec<FunctionInfo> = created.iter().map(created_info).collect();
    // A created function hides a built-in one.
    let is_hidden = |name: &str| created.iter().any(|function| function.name() == name);
    for (name, function) in state.scalar_functions().iter().filter(|(name, _)| !is_hidden(name)) {
        all.push(info(name, "scalar", function.documentation().and_then(arguments_in)));
    }
    for (name, function) in state.aggregate_functions() {
        all.push(info(name, "aggregate", function.documentation().and_then(arguments_in)));
    }
    for (name, function) in state.window_functions() {
        all.push(info(name, "window", function.documentation().and_then(arguments_in)));
    }
    for function in catalog.table_functions().filter(|function| !is_hidden(function.name())) {
        all.push(info(function.name(), "table", Some(arguments_of(&**function))));
    }
    for name in Reader::names().filter(|name| !is_hidden(name)) {
        all.push(info(name, "table", Some("file[, …]".to_owned())));
    }
    all.retain(|function| !function.name.starts_with(INTERNAL_PREFIX));
    all.sort();
    all
}

/// A function that a statement created.
fn created_info(function: &SqlFunction) -> FunctionInfo {
    let kind = match function.returns() {
        Returns::Value(_) => "scalar",
        Returns::Table(_) => "table",
    };
    let arguments = function.args().iter().map(|arg| format!("{} {}", arg.name.text, arg.kind));
    let arguments = Some(arguments.collect::<Vec<_>>().join(", "));
    FunctionInfo { name: function.name().to_owned(), kind, arguments }
}

/// The arguments of a table function, with optional ones in brackets.
fn arguments_of(function: &dyn TableFunction) -> String {
    let least = function.least_arguments();
    let mut text = String::new();
    for (index, (name, _)) in function.arguments().iter().enumerate() {
        match (index, index >= least) {
            (0, false) => text.push_str(name),
            (_, false) => text.push_str(&format!(", {name}")),
            (0, true) => text.push_str(&format!("[{name}]")),
            (_, true) => text.push_str(&format!("[, {name}]")),
        }
    }
    text
}

/// The arguments in the example of a description, such as `str, length` of `left(str, length)`.
fn arguments_in(documentation: &Documentation) -> Option<String> {
    let example = documentation.syntax_example.lines().next()?;
    let (_, rest) = example.split_once('(')?;
    let mut depth = 1_usize;
    let end = rest.find(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    Some(rest[..end].trim().to_owned())
}

#[cfg(test)]
mod tests {
    use datafusion::logical_expr::scalar_doc_sections::DOC_SECTION_MATH;

    use super::*;

    #[test]
    fn arguments_are_between_the_first_parentheses() {
        let arguments = |example: &str| {
            arguments_in(&Documentation::builder(DOC_SECTION_MATH, "", example).build())
        };
        assert_eq!(arguments("abs(numeric_expression)").unwrap(), "numeric_expression");
        assert_eq!(arguments("f(a, g(b)[, c]) FILTER (d)").unwrap(), "a, g(b)[, c]");
        assert_eq!(arguments("now()").unwrap(), "");
        assert_eq!(arguments("expression AT TIME ZONE x"), None);
        assert_eq!(arguments("broken("), None);
    }
}
