//! Files beside the trace as tables.

use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, BooleanArray, Int32Array, RecordBatch, StringArray};
use datafusion::parquet::arrow::ArrowWriter;

use super::{cells, rows, trace};
use crate::{Session, SessionOptions, SqlErrorKind};

fn session() -> Session {
    let options =
        SessionOptions { threads: Some(2), allow_files: true, ..SessionOptions::default() };
    Session::new(Arc::new(trace()), &options).unwrap()
}

/// A folder with a file of each format.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("devices.csv", "Name,Cores\nphone,8\n\"watch, old\",2\n");
    write("more.csv", "Name,Cores\ntv,4\n");
    write("tabs.tsv", "a\tb\n1\t0.5\n2\t\n");
    write("lines.ndjson", "{\"a\": 1, \"b\": \"x\"}\n{\"a\": 2}\n");
    write("array.json", "\n[{\"a\": 1}, {\"a\": 2}, {\"a\": 3}]\n");
    write("empty.csv", "");
    write("odd.parquet", "not a parquet file");
    let columns: [(&str, ArrayRef); 3] = [
        ("Id", Arc::new(Int32Array::from(vec![Some(7), None]))),
        ("id", Arc::new(BooleanArray::from(vec![true, false]))),
        ("Label", Arc::new(StringArray::from(vec!["app", "worker"]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = std::fs::File::create(folder.path().join("labels.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    folder
}

/// The rows of the last of several statements, a line each. `DIR` is the folder.
async fn lines(session: &Session, folder: &Path, sql: &str) -> Vec<String> {
    let sql = sql.replace("DIR", folder.to_str().unwrap());
    let table = rows(session, &sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    cells(&table)
}

async fn error(session: &Session, folder: &Path, sql: &str) -> (SqlErrorKind, String) {
    let sql = sql.replace("DIR", folder.to_str().unwrap());
    let error = rows(session, &sql).await.unwrap_err();
    (error.kind(), error.report())
}

#[tokio::test]
async fn files_of_each_format_are_tables() {
    let (folder, session) = (folder(), session());
    for (sql, expected) in [
        (
            "SELECT name, cores + 1 FROM read_csv('DIR/devices.csv') ORDER BY cores",
            &["watch, old 3", "phone 9"][..],
        ),
        ("SELECT * FROM 'DIR/tabs.tsv'", &["1 0.5", "2"]),
        ("SELECT a, b FROM read_json('DIR/lines.ndjson')", &["1 x", "2"]),
        ("SELECT sum(a) FROM 'DIR/array.json'", &["6"]),
        ("SELECT * FROM read_parquet('DIR/labels.parquet')", &["7 1 app", "0 worker"]),
        // Columns of one name are numbered.
        ("SELECT id, id_1 FROM 'DIR/labels.parquet' WHERE label = 'app'", &["7 1"]),
        ("SELECT d.cores FROM 'DIR/devices.csv' d WHERE d.name LIKE 'PHONE'", &["8"]),
        ("SELECT devices.cores FROM 'DIR/devices.csv' ORDER BY 1 LIMIT 1", &["2"]),
        ("FROM 'DIR/more.csv'", &["tv 4"]),
        ("SELECT count(*) FROM read_csv('DIR/[dm]*.csv') WHERE cores > 3", &["2"]),
        (
            "SELECT name FROM read_csv(['DIR/more.csv', 'DIR/devices.csv']) WHERE cores > 3 \
             ORDER BY name",
            &["phone", "tv"],
        ),
        (
            "SELECT t.tid, l.id FROM thread t JOIN 'DIR/labels.parquet' l ON l.label = t.name \
             ORDER BY t.tid",
            &["100 7", "101"],
        ),
        (
            "SELECT s.name, l.label FROM slice s RIGHT JOIN 'DIR/labels.parquet' l \
             ON s.name = l.label AND s.dur > 0 ORDER BY l.label",
            &["app app", "worker"],
        ),
        (
            "SELECT name FROM slice WHERE name IN (SELECT label FROM 'DIR/labels.parquet' \
             WHERE id = 7) AND dur > 0",
            &["app"],
        ),
        ("DESCRIBE 'DIR/labels.parquet'", &["id LONG", "id_1 LONG", "label STRING"]),
        ("SELECT count(*) FROM 'DIR/more.csv' a, 'DIR/devices.csv' b", &["2"]),
    ] {
        assert_eq!(lines(&session, folder.path(), sql).await, expected, "{sql}");
    }
}

#[tokio::test]
async fn views_tables_and_functions_read_files() {
    let (folder, session) = (folder(), session());
    let sql = "CREATE PERFETTO VIEW v AS SELECT * FROM 'DIR/devices.csv'; \
               CREATE PERFETTO TABLE t AS SELECT name FROM v WHERE cores > 4; \
               CREATE PERFETTO FUNCTION cores_of(name STRING) RETURNS LONG AS \
               SELECT cores FROM read_csv('DIR/devices.csv') WHERE name = $name; \
               CREATE TABLE own AS SELECT * FROM 'DIR/more.csv'; \
               INSERT INTO own SELECT * FROM 'DIR/devices.csv'; \
               SELECT count(*) FROM own";
    assert_eq!(lines(&session, folder.path(), sql).await, ["3"]);
    assert_eq!(lines(&session, folder.path(), "SELECT cores_of('phone')").await, ["8"]);
    assert_eq!(lines(&session, folder.path(), "SELECT name FROM t").await, ["phone"]);
    assert_eq!(lines(&session, folder.path(), "SHOW COLUMNS FROM v").await.len(), 2);
    let sql = "SELECT * FROM 'DIR/devices.csv'".replace("DIR", folder.path().to_str().unwrap());
    let statement = session.statements(&sql).unwrap().remove(0);
    assert_eq!(session.count_rows(&statement, &Default::default()).await.unwrap(), Some(2));
    // Each statement reads the file as it is then.
    std::fs::write(folder.path().join("devices.csv"), "name,cores\nphone,9\n").unwrap();
    assert_eq!(lines(&session, folder.path(), "SELECT cores FROM v").await, ["9"]);
}

#[tokio::test]
async fn attached_files_have_names() {
    let (folder, session) = (folder(), session());
    let sql = "ATTACH 'DIR/labels.parquet' AS l; ATTACH 'DIR/devices.csv'; \
               SELECT l.label FROM l JOIN devices d ON d.cores = l.id + 1";
    assert_eq!(lines(&session, folder.path(), sql).await, ["app"]);
    let (_, again) = error(&session, folder.path(), "ATTACH 'DIR/more.csv' AS l; SELECT 1").await;
    assert!(again.contains("there is a table or view `l` already"), "{again}");
    let sql = "ATTACH IF NOT EXISTS 'DIR/more.csv' AS l; SELECT count(*) FROM l";
    assert_eq!(lines(&session, folder.path(), sql).await, ["2"]);
    let sql = "ATTACH 'DIR/more.csv' AS slice; SELECT 1";
    assert!(error(&session, folder.path(), sql).await.1.contains("`slice` already"));
    let sql = "DETACH l; DETACH IF EXISTS l; SELECT * FROM l";
    assert_eq!(error(&session, folder.path(), sql).await.0, SqlErrorKind::UnknownTable);
    // Only files are detached.
    let sql = "CREATE TABLE own(a INT); DETACH own; SELECT 1";
    assert!(error(&session, folder.path(), sql).await.1.contains("no file is attached as `own`"));
    let (_, unknown) = error(&session, folder.path(), "ATTACH 'DIR/a.xml' AS x; SELECT 1").await;
    assert!(unknown.contains("has no known format"), "{unknown}");
}

#[tokio::test]
async fn files_that_cannot_be_read_are_errors() {
    let (folder, session) = (folder(), session());
    for (sql, said) in [
        ("SELECT * FROM 'DIR/nothing.csv'", "there is no file `"),
        ("SELECT * FROM read_csv('DIR/no*.csv')", "no file matches `"),
        ("SELECT * FROM read_csv('DIR')", "` is a folder"),
        ("SELECT * FROM 'DIR/odd.parquet'", "cannot read `"),
        ("SELECT * FROM 'DIR/empty.csv'", "the file has no columns"),
        ("SELECT * FROM read_csv()", "read_csv() takes names of files, each in single quotes"),
        ("SELECT * FROM read_csv(1)", "read_csv() takes names of files, each in single quotes"),
        ("SELECT nmae FROM 'DIR/devices.csv'", "did you mean `name`?"),
        ("SELECT * FROM 'slcie'", "did you mean `slice`?"),
    ] {
        let (_, report) = error(&session, folder.path(), sql).await;
        assert!(report.contains(said), "{sql}: {report}");
    }
}

#[tokio::test]
async fn a_session_reads_no_files_unless_it_may() {
    let (folder, session) = (folder(), super::session());
    for sql in [
        "SELECT * FROM 'DIR/devices.csv'",
        "SELECT * FROM read_parquet('DIR/labels.parquet')",
        "ATTACH 'DIR/devices.csv' AS d; SELECT 1",
        "CREATE PERFETTO VIEW v AS SELECT * FROM read_csv('DIR/*.csv'); SELECT 1",
        "SUMMARIZE 'DIR/devices.csv'",
        "DESCRIBE 'DIR/devices.csv'",
    ] {
        let (kind, report) = error(&session, folder.path(), sql).await;
        assert_eq!(kind, SqlErrorKind::Unsupported, "{sql}: {report}");
        assert!(report.contains("this session may not read files"), "{sql}: {report}");
    }
}
