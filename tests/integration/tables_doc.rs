//! `docs/tables.md` says what the declarations say. `UPDATE=1` writes it anew.

use std::fmt::Write;
use std::path::Path;

use tpq_sql::Relation;

use crate::schemas::empty_session;

const HEAD: &str = "\
# Tables

Everything a query can select from, in any trace, empty where the trace has nothing of the kind. \
Times are nanoseconds of trace time, durations nanoseconds; a duration of -1 has no end in the \
trace. A column of type `JOINID(table.id)` joins with the `id` of that table. Columns are only ever \
appended.

A test writes this page from the declarations in `crates/tpq-tables/src/table/` and `sql/prelude/`; \
change it there and run `UPDATE=1 cargo test --test integration tables_doc`.
";

/// A documentation comment as one line of a Markdown table.
fn one_line(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

fn section(relation: &Relation) -> String {
    let mut text = format!("\n## {}\n\n{}\n\n", relation.name, one_line(&relation.doc));
    text.push_str("| column | type | meaning |\n|---|---|---|\n");
    for column in &relation.columns {
        let doc = one_line(&column.doc);
        writeln!(text, "| `{}` | {} | {doc} |", column.name, column.kind).unwrap();
    }
    text
}

/// Every relation, by name.
fn relations() -> Vec<Relation> {
    let session = empty_session();
    session.table_names().iter().map(|name| session.describe(name).unwrap()).collect()
}

#[test]
fn tables_md_is_up_to_date() {
    let mut wanted = HEAD.to_owned();
    wanted.extend(relations().iter().map(section));
    let path = Path::new(crate::ROOT).join("docs/tables.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == wanted,
        "docs/tables.md is stale: UPDATE=1 cargo test --test integration tables_doc"
    );
}

#[test]
fn everything_is_documented() {
    for relation in relations() {
        assert!(!relation.doc.trim().is_empty(), "{}", relation.name);
        for column in relation.columns {
            assert!(!column.doc.trim().is_empty(), "{}.{}", relation.name, column.name);
        }
    }
}
