use super::*;

#[tokio::test]
async fn only_queries_are_planned() {
    let catalog = catalog();
    for sql in [
        "CREATE TABLE a (b INT)",
        "CREATE EXTERNAL TABLE a STORED AS CSV LOCATION '/etc/passwd'",
        "COPY (SELECT 1) TO '/tmp/a'",
        "INSERT INTO pg_catalog.pg_class VALUES (1)",
        "DROP TABLE pg_catalog.pg_class",
        "SET a = 1",
        "SELECT 1; SELECT 2",
        "SELECT * FROM '/etc/passwd'",
        "",
    ] {
        assert!(catalog.plan(sql, Vec::new()).await.is_err(), "{sql}");
    }
}

#[tokio::test]
async fn values_are_bound() {
    let values = vec![ScalarValue::Utf8(Some("pg_class".to_owned()))];
    let sql = "SELECT $1 AS name FROM pg_catalog.pg_namespace LIMIT 1";
    let answer = catalog().run(sql, values).await.map_err(|error| error.to_string());
    let batches: Vec<_> = answer.expect("rows").batches.try_collect().await.expect("batches");
    assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 1);
}

/// Catalogs of no trace.
fn catalog() -> Catalog {
    Catalog::new(Arc::new(Relations::of_nothing())).expect("catalogs")
}

/// The reason why a query is refused.
async fn refusal(sql: &str) -> String {
    catalog().run(sql, Vec::new()).await.err().expect("an error").to_string()
}

/// On the stack of a test, which has two megabytes.
#[tokio::test]
async fn queries_that_are_too_long_are_refused() {
    let expression = format!("SELECT pg_backend_pid(){}", "+1".repeat(20_000));
    assert!(refusal(&expression).await.contains("more than 2000 words and signs"));
    let comment = format!("SELECT oid FROM pg_class -- {}", "x".repeat(70_000));
    assert!(refusal(&comment).await.contains("more than 65536 bytes"));
    let unions = format!("SELECT oid FROM pg_class{}", " UNION SELECT 1".repeat(300));
    assert!(refusal(&unions).await.contains("more than 200 set operations"));
    let tables = format!("SELECT 1 FROM pg_class{}", ",(VALUES(1))".repeat(1_000));
    assert!(refusal(&tables).await.contains("more than 300 tables"));
    // Arrays of rows within each other, none of which is closed.
    let arrays = format!("SELECT 1 FROM pg_class WHERE {}", "array(select ".repeat(4_000));
    refusal(&arrays).await;
    // As long as an expression may be.
    let sql = format!("SELECT 1{} FROM pg_catalog.pg_namespace LIMIT 1", "+1".repeat(990));
    assert!(catalog().run(&sql, Vec::new()).await.is_ok());
}
