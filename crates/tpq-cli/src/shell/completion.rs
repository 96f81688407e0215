//! Completion at the cursor.

use tpq::LAKE_SCHEMA;

use super::keywords::{all as keywords, is_keyword};
use super::lex::{TokenKind, tokenize};
use super::vocabulary::Vocabulary;

/// Returns the start of the word at the cursor, and the words it could become.
pub fn complete(names: &Vocabulary, text: &str, cursor: usize) -> (usize, Vec<String>) {
    let before = &text[..cursor];
    let start = before
        .rfind(|c: char| !c.is_alphanumeric() && c != '_' && c != '$')
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let prefix = &before[start..];
    if let Some(command) = before.trim_start().strip_prefix("\\d") {
        let tables = if command.starts_with(' ') { names.table_names() } else { Vec::new() };
        return (start, matching(prefix, tables));
    }
    if let Some(command) = before.trim_start().strip_prefix('.') {
        return (start, complete_dot(names, command, prefix));
    }
    if let Some(path) = module_path(before) {
        let start = cursor - path.len();
        return (start, matching(path, names.session().module_names()));
    }
    // After `s.`, complete the columns of the table `s`, or the tables of the schema `s`.
    if let Some(qualifier) = before[..start].strip_suffix('.') {
        let from = qualifier.rfind(|c: char| !c.is_alphanumeric() && c != '_');
        let name = &qualifier[from.map_or(0, |at| at + 1)..];
        let words = names.tables_in_schema(name);
        let words = words.unwrap_or_else(|| names.columns(&table_of(names, text, name)));
        return (start, matching(prefix, words));
    }
    let used = tables_in(names, text);
    let mut words: Vec<String> = used.iter().flat_map(|(table, _)| names.columns(table)).collect();
    words.sort();
    words.dedup();
    words.extend(names.table_names());
    words.extend(names.session().function_names().into_iter().map(|name| format!("{name}(")));
    let lower = prefix.chars().any(char::is_lowercase);
    words.extend(keywords().map(|word| if lower { word.to_lowercase() } else { word.into() }));
    (start, matching(prefix, words))
}

/// Whether the word at the end of the text is a file name.
pub fn takes_files(text: &str) -> bool {
    let mut words = text.trim_start().splitn(2, char::is_whitespace);
    let command = words.next().unwrap_or_default();
    words.next().is_some() && matches!(command, ".read" | ".output" | ".open" | "\\i" | "\\o")
}

fn complete_dot(names: &Vocabulary, command: &str, prefix: &str) -> Vec<String> {
    match command.split_once(char::is_whitespace) {
        None => matching(prefix, names.commands.iter().map(|command| command.name[1..].to_owned())),
        Some(("schema", argument)) => {
            let schema = argument.rsplit_once('.').map(|(schema, _)| schema.trim());
            let tables = schema.and_then(|schema| names.tables_in_schema(schema));
            matching(prefix, tables.unwrap_or_else(|| names.table_names()))
        }
        Some(("modules", _)) => matching(prefix, names.session().module_names()),
        Some(("mode", _)) => {
            matching(prefix, tpq_output::Format::ALL.iter().map(|format| format.to_string()))
        }
        Some(("limit", _)) => matching(prefix, ["screen".to_owned(), "off".to_owned()]),
        Some(("param", _)) => {
            matching(prefix, ["set", "unset", "list", "clear"].map(str::to_owned))
        }
        Some(("timer" | "pager", _)) => matching(prefix, ["on".to_owned(), "off".to_owned()]),
        Some(_) => Vec::new(),
    }
}

/// The start of a module name, if the cursor is in one.
fn module_path(before: &str) -> Option<&str> {
    let (start, path) = before.rsplit_once(char::is_whitespace)?;
    let mut words = start.split_whitespace().rev();
    let is = |word: Option<&str>, wanted: &str| {
        word.is_some_and(|word| word.eq_ignore_ascii_case(wanted))
    };
    let found = is(words.next(), "MODULE") && is(words.next(), "PERFETTO");
    (found && is(words.next(), "INCLUDE")).then_some(path)
}

fn matching(prefix: &str, words: impl IntoIterator<Item = String>) -> Vec<String> {
    let prefix = prefix.to_lowercase();
    let words = words.into_iter();
    words
        .filter(|word| !word.starts_with("__") && word.to_lowercase().starts_with(&prefix))
        .collect()
}

/// The tables in a statement, each with its alias if it has one.
fn tables_in(names: &Vocabulary, text: &str) -> Vec<(String, Option<String>)> {
    let tables = names.table_names();
    let words: Vec<String> = tokenize(text)
        .into_iter()
        .filter(|token| matches!(token.kind, TokenKind::Word | TokenKind::Symbol))
        .map(|token| text[token.range].to_lowercase())
        .collect();
    let mut found = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let in_lake = words[..index].ends_with(&[LAKE_SCHEMA.to_owned(), ".".to_owned()]);
        let table = match in_lake {
            true if names.has_lake_table(word) => format!("{LAKE_SCHEMA}.{word}"),
            false if tables.binary_search(word).is_ok() => word.clone(),
            _ => continue,
        };
        let mut next = words.get(index + 1);
        if next.is_some_and(|next| next == "as") {
            next = words.get(index + 2);
        }
        let is_name = |next: &&String| {
            next.starts_with(|c: char| c.is_alphabetic() || c == '_') && !is_keyword(next)
        };
        found.push((table, next.filter(is_name).cloned()));
    }
    found
}

/// The table of an alias, or the name itself.
fn table_of(names: &Vocabulary, text: &str, name: &str) -> String {
    let name = name.to_lowercase();
    let found = tables_in(names, text);
    let by_alias = found.into_iter().find(|(_, alias)| alias.as_ref() == Some(&name));
    by_alias.map_or(name, |(table, _)| table)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use datafusion::arrow::datatypes::{DataType, Field, Schema};
    use tpq::{ImportOptions, Trace};

    use super::*;
    use crate::shell::dot::COMMANDS;

    fn words(text: &str) -> Vec<String> {
        let column = |name: &str| Field::new(name, DataType::Int64, true);
        let schema = Arc::new(Schema::new(vec![column("trace_path"), column("dur")]));
        let lake = BTreeMap::from([("slice".to_owned(), schema)]);
        let trace = Arc::new(Trace::without_events(&ImportOptions::default()).unwrap());
        let names = Vocabulary { trace, commands: COMMANDS, lake: Arc::new(lake) };
        let cursor = text.find('|').unwrap();
        complete(&names, &text.replace('|', ""), cursor).1
    }

    #[test]
    fn names_of_a_lake_complete() {
        assert_eq!(words("SELECT * FROM lake.sl|"), ["slice"]);
        assert_eq!(words("SELECT s.| FROM lake.slice s"), ["trace_path", "dur"]);
        assert!(words("SELECT trace_| FROM lake.slice").contains(&"trace_path".to_owned()));
        assert_eq!(words(".schema lake.s|"), ["slice"]);
        // Without `lake.`, the tables of each trace.
        let columns = words("SELECT s.| FROM slice s");
        assert!(columns.contains(&"depth".to_owned()), "{columns:?}");
        assert!(!columns.contains(&"trace_path".to_owned()), "{columns:?}");
    }
}
