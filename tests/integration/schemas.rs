//! The schemas of everything that can be selected from. SQL is the stable interface: columns are
//! appended, never renamed, reordered or removed, so a change of this snapshot is a change of a
//! promise.

use std::fmt::Write;
use std::sync::Arc;

use tpq_sql::{Session, SessionOptions};
use tpq_tables::Tables;

/// A session on a trace without a row in any table.
pub fn empty_session() -> Session {
    let tables = Arc::new(Tables::default().finish());
    Session::new(tables, &SessionOptions::default()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn schemas_of_all_relations() {
    let session = empty_session();
    let mut text = String::new();
    for name in session.table_names() {
        let relation = session.describe(&name).unwrap();
        let rows = session.query(&format!("SELECT * FROM {name}")).await.unwrap();
        let fields = rows.schema().fields();
        assert_eq!(fields.len(), relation.columns.len(), "{name}: declared and real columns");
        writeln!(text, "{name}").unwrap();
        for (column, field) in relation.columns.iter().zip(fields) {
            assert_eq!(&column.name, field.name(), "{name}: declared and real names");
            writeln!(text, "  {} {} {}", column.name, column.kind, field.data_type()).unwrap();
        }
    }
    insta::assert_snapshot!(text);
}
