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
