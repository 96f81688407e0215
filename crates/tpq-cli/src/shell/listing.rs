//! The output of dot commands that list something.

use std::sync::Arc;

use anyhow::Context;
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::{Field, SchemaRef};
use tpq::{Relation, RelationColumn, Session, Trace};

use crate::terminal::{self, Style};

/// Names in as many columns as fit the screen, sorted down the columns.
pub fn names(names: Vec<String>, pattern: &str) -> String {
    let pattern = pattern.to_lowercase().replace('%', "*");
    let names: Vec<String> = names.into_iter().filter(|name| matches(&pattern, name)).collect();
    let wide = names.iter().map(|name| name.chars().count()).max().unwrap_or(0) + 2;
    let columns = (usize::from(terminal::width().unwrap_or(80)) / wide).max(1);
    let rows = names.len().div_ceil(columns);
    let mut out = String::new();
    for row in 0..rows {
        let mut line = String::new();
        for name in names.iter().skip(row).step_by(rows) {
            line.push_str(&format!("{name:<wide$}"));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// The functions that match a pattern, each on a line.
pub fn functions(session: &Session, pattern: &str, style: Style) -> String {
    let pattern = pattern.to_lowercase().replace('%', "*");
    let functions = session.functions();
    let found: Vec<_> =
        functions.iter().filter(|function| matches(&pattern, &function.name)).collect();
    let wide = found.iter().map(|function| function.name.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for function in found {
        let kind = style.cyan(&format!("{:<9}", function.kind));
        let arguments = function.arguments.as_deref();
        let arguments = arguments.map(|arguments| style.dim(&format!("({arguments})")));
        let line = format!("{:<wide$}  {kind}  {}", function.name, arguments.unwrap_or_default());
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Whether a name matches a pattern, in which `*` stands for any text. A pattern without `*`
/// matches names that contain it.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    if first == pattern {
        return name.contains(pattern);
    }
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

/// The modules that match a pattern, or the objects of the module with that exact name.
pub fn modules(session: &Session, argument: &str, style: Style) -> anyhow::Result<String> {
    let Some(module) = session.module(argument) else {
        let all = session.module_names();
        let included = session.included_modules();
        let label = |name: String| match included.contains(&name) {
            true => format!("{name} (included)"),
            false => name,
        };
        return Ok(names(all.into_iter().map(label).collect(), argument));
    };
    let mut out = format!("{}  {}\n", style.bold(&module.name), first_line(&module.doc));
    let wide = module.objects.iter().map(|object| object.name.chars().count()).max().unwrap_or(0);
    for object in &module.objects {
        let kind = style.cyan(&format!("{:<8}", object.kind));
        let doc = style.dim(&first_line(&object.doc));
        out.push_str(&format!("  {:<wide$}  {kind}  {doc}\n", object.name));
    }
    out.push_str(&format!("INCLUDE PERFETTO MODULE {};\n", module.name));
    Ok(out)
}

/// The columns of a table with their types and descriptions.
pub fn schema(session: &Session, name: &str, style: Style) -> anyhow::Result<String> {
    anyhow::ensure!(!name.is_empty(), "which table? .tables lists them");
    let relation = session.describe(name).with_context(|| match session.module_of(name) {
        Some(module) => format!("`{name}` is in a module: INCLUDE PERFETTO MODULE {module};"),
        None => format!("no table or view is called `{name}`"),
    })?;
    Ok(described(&relation, style))
}

/// The columns of a table over all traces of a lake. `own` is the table of each trace, of which it
/// has the rows.
pub fn lake_schema(name: &str, schema: &SchemaRef, own: Option<&Relation>, style: Style) -> String {
    let column = |field: &Arc<Field>| {
        let own = own.and_then(|own| own.columns.iter().find(|it| it.name == *field.name()));
        own.cloned().unwrap_or_else(|| RelationColumn {
            name: field.name().clone(),
            kind: if field.data_type().is_numeric() { "LONG" } else { "STRING" }.to_owned(),
            doc: String::new(),
        })
    };
    let doc = match own {
        Some(own) => format!("{} Of all traces; ids are those of a trace.", first_line(&own.doc)),
        None => String::new(),
    };
    let columns = schema.fields().iter().map(column).collect();
    described(&Relation { name: name.to_owned(), doc, columns }, style)
}

/// A table with its columns, their types and descriptions.
fn described(relation: &Relation, style: Style) -> String {
    let mut out = format!("{}  {}\n", style.bold(&relation.name), first_line(&relation.doc));
    let width = |text: fn(&RelationColumn) -> &str| {
        relation.columns.iter().map(|column| text(column).chars().count()).max().unwrap_or(0)
    };
    let (names, kinds) = (width(|column| &column.name), width(|column| &column.kind));
    for column in &relation.columns {
        let kind = style.cyan(&format!("{:<kinds$}", column.kind));
        let doc = style.dim(&first_line(&column.doc));
        let line = format!("  {:<names$}  {kind}  {doc}", column.name);
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

fn first_line(doc: &str) -> String {
    doc.split('\n').map(str::trim).collect::<Vec<_>>().join(" ")
}

/// The physical plan of a statement.
pub async fn plan(trace: &Trace, sql: &str) -> anyhow::Result<String> {
    let sql = sql.trim().trim_end_matches(';');
    let mut out = String::new();
    for batch in trace.sql(&format!("EXPLAIN {sql}")).await? {
        let (kinds, plans) = (batch.column(0), batch.column(1));
        let plans = plans.as_string::<i32>();
        for (kind, plan) in kinds.as_string::<i32>().iter().zip(plans.iter()) {
            if kind == Some("physical_plan") {
                out.push_str(plan.unwrap_or_default());
                out.push('\n');
            }
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_stand_for_anything() {
        assert!(matches("", "sched"));
        assert!(matches("track", "thread_track"));
        assert!(matches("thread*", "thread_track"));
        assert!(matches("*_track", "thread_track"));
        assert!(matches("t*d*k", "thread_track"));
        assert!(!matches("track*", "thread_track"));
        assert!(!matches("*thread", "thread_track"));
    }
}
