//! Rewording of DataFusion's messages in terms of SQL.

/// Arrow's types and their names in `.schema`.
const TYPES: &[(&str, &str)] = &[
    ("Dictionary(Int32, Utf8)", "STRING"),
    ("Utf8View", "STRING"),
    ("LargeUtf8", "STRING"),
    ("Utf8", "STRING"),
    ("Int64", "LONG"),
    ("Int32", "LONG"),
    ("UInt64", "LONG"),
    ("Float64", "DOUBLE"),
    ("Boolean", "BOOL"),
];

/// Prefixes of messages that name the part of DataFusion that failed.
const PREFIXES: &[&str] = &[
    "Error during planning: ",
    "Execution error: ",
    "IO error: ",
    "Schema error: ",
    "SQL error: ",
    "This feature is not implemented: ",
    "Internal error: ",
    "Arrow error: ",
    "Arithmetic overflow: ",
    "Cast error: ",
    "Compute error: ",
    "Invalid argument error: ",
    "Optimizer rule 'simplify_expressions' failed",
    "type_coercion",
    "caused by",
];

/// Returns the message without DataFusion's prefixes and with SQL's names of types.
pub(super) fn plain(message: &str) -> String {
    let mut text = message.trim();
    while let Some(rest) = PREFIXES.iter().find_map(|prefix| text.strip_prefix(prefix)) {
        text = rest.trim_start();
    }
    // Later lines are advice on DataFusion's own settings, or a list of signatures.
    let text = text.lines().next().unwrap_or_default();
    reworded(text).unwrap_or_else(|| with_sql_types(text))
}

/// Rewords a message on something that DataFusion does not support.
pub(super) fn unsupported(message: &str) -> String {
    let text = plain(message);
    let what = if text.starts_with("Unsupported LIMIT") || text.starts_with("Unsupported OFFSET") {
        "LIMIT and OFFSET by a value that only the rows of a query around it give"
    } else if text.contains("OuterReferenceColumn") {
        "a column of a query around a subquery, in this place"
    } else {
        without_expressions(&text)
    };
    format!("not supported: {what}")
}

/// A message up to an expression or plan that is printed in it with all fields.
fn without_expressions(text: &str) -> &str {
    let Some((start, _)) = text.split_once(" { ") else { return text };
    let start = start.split('(').next().unwrap_or(start);
    match start.rsplit_once(": ") {
        // The last word is the name of a type.
        Some((start, kind)) if !kind.contains(' ') => start,
        _ => start,
    }
}

/// Rewords the message of a memory pool that refused a request, or of a function with a too long
/// value.
pub(super) fn out_of_memory(message: &str) -> String {
    const START: &str = "the statement needs more memory than it may use";
    let between = |start: &str, end: &str| {
        let (_, rest) = message.split_once(start)?;
        Some(rest.split_once(end)?.0)
    };
    let more = between("Failed to allocate additional ", " for ");
    let consumer = between("Additional allocation failed for ", " with top memory consumers");
    match (consumer, more) {
        (Some(consumer), Some(more)) => {
            format!("{START}: {} asked for {more} more", describe_consumer(consumer))
        }
        _ => match message.lines().next() {
            Some(line) if line.contains("() makes ") => format!("{START}: {line}"),
            _ => START.to_owned(),
        },
    }
}

/// Describes the operator with this memory consumer name.
fn describe_consumer(consumer: &str) -> String {
    let has = |parts: &[&str]| parts.iter().any(|part| consumer.contains(part));
    if let Some(table) = consumer.strip_prefix("table ") {
        return format!("keeping the rows of `{table}`");
    }
    if consumer.ends_with("()") {
        return format!("the result of {consumer}");
    }
    if has(&["Sort", "TopK"]) {
        "sorting"
    } else if has(&["Join", "SMJ"]) {
        "joining"
    } else if has(&["Aggregate", "aggregate"]) {
        "grouping"
    } else if has(&["Recursive"]) {
        "a recursive WITH"
    } else if has(&["WindowAgg"]) {
        "a window function"
    } else if has(&["Apply"]) {
        "a subquery"
    } else {
        return format!("an operator ({consumer})");
    }
    .to_owned()
}

/// A better wording of a common message; `None` for other messages.
fn reworded(text: &str) -> Option<String> {
    if let Some(rest) = text.strip_prefix("Cannot coerce arithmetic expression ") {
        let operation = rest.strip_suffix(" to valid types")?;
        let mut words = operation.splitn(3, ' ');
        let (left, operator, right) = (words.next()?, words.next()?, words.next()?);
        let (left, right) = (with_sql_types(left), with_sql_types(right));
        return Some(format!("`{operator}` cannot be applied to {left} and {right}"));
    }
    if let Some((_, rest)) = text.split_once("the given name and argument types '") {
        let (name, types) = rest.split('\'').next()?.split_once('(')?;
        let types = with_sql_types(types.trim_end_matches(')'));
        return Some(format!("{name}() does not take ({types})"));
    }
    if let Some(rest) =
        text.strip_prefix("Cannot infer common argument type for comparison operation ")
    {
        return Some(format!("these cannot be compared: {}", with_sql_types(rest)));
    }
    if let Some(rest) = text.strip_prefix("Cannot cast string ") {
        let (value, target) = rest.split_once(" to value of ")?;
        let target = with_sql_types(target.trim_end_matches(" type"));
        return Some(format!("cannot read {value} as {target}"));
    }
    if let Some(operation) = text.strip_prefix("Overflow happened on: ") {
        return Some(format!(
            "integer overflow in {operation}: use CAST(x AS REAL) to calculate with reals"
        ));
    }
    if text.contains("must appear in the GROUP BY clause") || text.contains("must be in GROUP BY") {
        let column = text.split("column \"").nth(1)?.split('"').next()?;
        return Some(format!("`{column}` must be in GROUP BY or inside an aggregate function"));
    }
    if text.starts_with("No installed planner was able to plan TableScan") {
        let (_, rest) = text.split_once("table: \"")?;
        let function = rest.split('"').next()?;
        return Some(format!("{function}() is called with a column that no table before it has"));
    }
    if text.starts_with("Projections require unique expression names") {
        return Some("two result columns have the same name; name one with AS".into());
    }
    None
}

fn with_sql_types(text: &str) -> String {
    TYPES.iter().fold(text.to_owned(), |text, (arrow, sql)| text.replace(arrow, sql))
}

/// The name of the function that a message is about, if there is one.
pub(super) fn function_in(message: &str) -> Option<&str> {
    if let Some((name, rest)) = message.split_once("() ")
        && (rest.starts_with("takes") || rest.starts_with("gives"))
    {
        return Some(name);
    }
    let (_, rest) = message
        .split_once("call to '")
        .or_else(|| message.split_once("Function '"))
        .or_else(|| message.split_once("function '"))?;
    rest.split('\'').next()
}

#[cfg(test)]
mod tests {
    use super::{out_of_memory, plain, unsupported};

    #[test]
    fn out_of_memory_errors_name_the_operator() {
        let message = "Additional allocation failed for ExternalSorter[0] with top memory \
                       consumers (across reservations) as:\n  x.\nError: Failed to allocate \
                       additional 8.0 MB for ExternalSorter[0] with 0.0 B already allocated for \
                       this reservation";
        let start = "the statement needs more memory than it may use";
        assert_eq!(out_of_memory(message), format!("{start}: sorting asked for 8.0 MB more"));
        let message = message.replace("ExternalSorter[0]", "table big");
        assert_eq!(
            out_of_memory(&message),
            format!("{start}: keeping the rows of `big` asked for 8.0 MB more")
        );
        assert_eq!(out_of_memory("something else"), start);
    }

    #[test]
    fn messages_lose_their_prefix_and_name_sql_types() {
        let message = "Error during planning: Cannot coerce arithmetic expression Utf8View + Int64 \
                       to valid types";
        assert_eq!(plain(message), "`+` cannot be applied to STRING and LONG");
        let message = "Arrow error: Cast error: Cannot cast string 'abc' to value of Int64 type";
        assert_eq!(plain(message), "cannot read 'abc' as LONG");
        assert_eq!(plain("Execution error: Divide by zero\nnote"), "Divide by zero");
        let message = "No installed planner was able to plan TableScan for custom TableSource: \
                       Bare { table: \"f\" }";
        assert_eq!(plain(message), "f() is called with a column that no table before it has");
    }

    #[test]
    fn messages_on_what_is_not_supported_print_no_expressions() {
        let message = "Unsupported LIMIT expression: Some(ScalarFunction(ScalarFunction { func: f";
        assert_eq!(
            unsupported(message),
            "not supported: LIMIT and OFFSET by a value that only the rows of a query around it give"
        );
        let message = "Physical plan does not support logical expression \
                       OuterReferenceColumn(Field { name: \"x\" }, Column { name: \"x\" })";
        assert_eq!(
            unsupported(message),
            "not supported: a column of a query around a subquery, in this place"
        );
        let message = "Unsupported ast node in sqltorel: Interval(Interval { value: 1 })";
        assert_eq!(unsupported(message), "not supported: Unsupported ast node in sqltorel");
        assert_eq!(unsupported("LIMIT BY clause"), "not supported: LIMIT BY clause");
    }
}
