//! Flight SQL, by a client in Rust.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_flight::FlightInfo;
use arrow_flight::sql::client::FlightSqlServiceClient;
use arrow_flight::sql::{CommandGetDbSchemas, CommandGetPrimaryKeys, CommandGetTables, SqlInfo};
use datafusion::arrow::array::{Float64Array, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::util::pretty::pretty_format_batches;
use futures::TryStreamExt;
use tonic::transport::{Channel, Endpoint};

use super::WireServer;

type Client = FlightSqlServiceClient<Channel>;

/// Runs a test with a client.
fn with_client<T>(server: &WireServer, test: impl AsyncFnOnce(Client) -> T) -> T {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let url = format!("http://127.0.0.1:{}", server.flight_sql());
    runtime.block_on(async {
        let channel = Endpoint::from_shared(url).unwrap().connect().await.unwrap();
        test(FlightSqlServiceClient::new(channel)).await
    })
}

/// The rows that a ticket stands for.
async fn fetch(client: &mut Client, info: FlightInfo) -> Result<Vec<RecordBatch>, String> {
    let mut batches = Vec::new();
    for endpoint in info.endpoint {
        let rows = client.do_get(endpoint.ticket.unwrap()).await.map_err(|it| it.to_string())?;
        batches.extend(rows.try_collect::<Vec<_>>().await.map_err(|it| it.to_string())?);
    }
    Ok(batches)
}

async fn query(client: &mut Client, sql: &str) -> Result<Vec<RecordBatch>, String> {
    let info = client.execute(sql.to_owned(), None).await.map_err(|error| error.to_string())?;
    fetch(client, info).await
}

/// Rows as a table, without its first and last line.
fn shown(batches: &[RecordBatch]) -> Vec<String> {
    let table = pretty_format_batches(batches).unwrap().to_string();
    let lines: Vec<&str> = table.lines().filter(|line| !line.starts_with('+')).collect();
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    lines.into_iter().map(|line| cells(line).join("|")).collect()
}

#[test]
fn rows_are_record_batches() {
    with_client(&WireServer::start(&[]), async |mut client| {
        let sql = "SELECT ts, dur / 2.0 AS half, name, x'00ff' AS blob FROM slice ORDER BY ts";
        let info = client.execute(sql.to_owned(), None).await.unwrap();
        let schema = info.clone().try_decode_schema().unwrap();
        let types: Vec<String> =
            schema.fields().iter().map(|field| field.data_type().to_string()).collect();
        assert_eq!(types, ["Int64", "Float64", "Utf8", "Binary"]);
        let batches = fetch(&mut client, info).await.unwrap();
        assert_eq!(
            shown(&batches),
            [
                "ts|half|name|blob",
                "100|500.0|long|00ff",
                "300|100.0|it's|00ff",
                "5000000000|25.0|short|00ff"
            ]
        );
        let many = "SELECT x FROM generate_series(1, 100000) AS a(x)";
        let batches = query(&mut client, many).await.unwrap();
        assert!(batches.len() > 1);
        assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 100_000);
        let none = query(&mut client, "SELECT ts FROM slice WHERE ts < 0").await.unwrap();
        assert_eq!(none.iter().map(RecordBatch::num_rows).sum::<usize>(), 0);
    });
}

#[test]
fn a_prepared_statement_has_parameters() {
    with_client(&WireServer::start(&[]), async |mut client| {
        let sql = "SELECT name, dur FROM slice WHERE dur > $1 AND name <> $2 ORDER BY ts";
        let mut prepared = client.prepare(sql.to_owned(), None).await.unwrap();
        let columns = prepared.dataset_schema().unwrap();
        let names: Vec<&str> = columns.fields().iter().map(|field| field.name().as_str()).collect();
        assert_eq!(names, ["name", "dur"]);
        for (least, name, expected) in [
            (60, "none", &["name|dur", "long|1000", "it's|200"][..]),
            (0, "it's", &["name|dur", "long|1000", "short|50"]),
        ] {
            let values = RecordBatch::try_from_iter([
                ("1", Arc::new(Int64Array::from(vec![least])) as _),
                ("2", Arc::new(StringArray::from(vec![name])) as _),
            ]);
            prepared.set_parameters(values.unwrap()).unwrap();
            let info = prepared.execute().await.unwrap();
            assert_eq!(shown(&fetch(&mut client, info).await.unwrap()), expected);
        }
        let values = [("1", Arc::new(Float64Array::from(vec![0.5, 1.5])) as _)];
        prepared.set_parameters(RecordBatch::try_from_iter(values).unwrap()).unwrap();
        let error = prepared.execute().await.unwrap_err().to_string();
        assert!(error.contains("values of one row"), "{error}");
        prepared.close().await.unwrap();
    });
}

#[test]
fn errors_say_what_is_wrong_and_where() {
    with_client(&WireServer::start(&["--query-timeout", "300ms"]), async |mut client| {
        for (sql, expected) in [
            ("SELECT nmae FROM slice", "did you mean `name`?"),
            ("SELECT * FROM nothing", "no table or view is called `nothing`"),
            ("SELECT 1; SELECT 2", "expected one statement, found 2"),
            ("", "expected one statement, found 0"),
            ("SELECT $1", "the parameter `$1` has no value"),
            ("DROP TABLE slice", "DROP is refused: this connection only reads"),
            ("SELECT * FROM read_csv('a.csv')", "may not read files"),
            (
                "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) \
                 SELECT count(*) FROM n",
                "0.3 s, the limit",
            ),
        ] {
            let error = query(&mut client, sql).await.unwrap_err();
            assert!(error.contains(expected), "{sql}: {error}");
        }
        let update = client.execute_update("CREATE TABLE a AS SELECT 1".to_owned(), None).await;
        assert!(update.unwrap_err().to_string().contains("only reads"));
        let module = "INCLUDE PERFETTO MODULE slices.with_context".to_owned();
        assert_eq!(client.execute_update(module, None).await.unwrap(), 0);
        let rows = query(&mut client, "SELECT thread_name FROM thread_slice LIMIT 1").await;
        assert_eq!(shown(&rows.unwrap()), ["thread_name", "worker"]);
    });
}

#[test]
fn tables_are_described() {
    with_client(&WireServer::start(&[]), async |mut client| {
        let info = client.get_catalogs().await.unwrap();
        assert_eq!(shown(&fetch(&mut client, info).await.unwrap()), ["catalog_name", "tpq"]);
        let command = CommandGetDbSchemas { catalog: None, db_schema_filter_pattern: None };
        let info = client.get_db_schemas(command).await.unwrap();
        let schemas = fetch(&mut client, info).await.unwrap();
        assert_eq!(shown(&schemas), ["catalog_name|db_schema_name", "tpq|public"]);
        let command = CommandGetTables {
            catalog: None,
            db_schema_filter_pattern: None,
            table_name_filter_pattern: Some("trace_bound%".to_owned()),
            table_types: Vec::new(),
            include_schema: true,
        };
        let info = client.get_tables(command).await.unwrap();
        let tables = fetch(&mut client, info).await.unwrap();
        let first = shown(&tables)[1].clone();
        assert!(first.starts_with("tpq|public|trace_bounds|"), "{first}");
        let types = client.get_table_types().await.unwrap();
        let types = fetch(&mut client, types).await.unwrap();
        assert_eq!(shown(&types), ["table_type", "TABLE", "VIEW"]);
        let keys =
            CommandGetPrimaryKeys { catalog: None, db_schema: None, table: "slice".to_owned() };
        let info = client.get_primary_keys(keys).await.unwrap();
        let keys = fetch(&mut client, info).await.unwrap();
        assert_eq!(keys.iter().map(RecordBatch::num_rows).sum::<usize>(), 0);
        let wanted = vec![SqlInfo::FlightSqlServerName, SqlInfo::FlightSqlServerReadOnly];
        let info = client.get_sql_info(wanted).await.unwrap();
        let facts = fetch(&mut client, info).await.unwrap();
        assert_eq!(facts.iter().map(RecordBatch::num_rows).sum::<usize>(), 2);
        let transaction = client.begin_transaction().await.unwrap();
        assert!(!transaction.is_empty());
    });
}

#[test]
fn requests_need_the_token() {
    let server = WireServer::start_with(&[], Some("s3cret-s3cret"));
    with_client(&server, async |mut client| {
        let refused = query(&mut client, "SELECT 1").await.unwrap_err();
        assert!(refused.contains("needs the token"), "{refused}");
        client.set_token("s3cret-s3creT".to_owned());
        assert!(query(&mut client, "SELECT 1").await.is_err());
        client.set_token("s3cret-s3cret".to_owned());
        assert_eq!(shown(&query(&mut client, "SELECT 1 AS a").await.unwrap()), ["a", "1"]);
        client.clear_token();
        assert!(client.handshake("me", "wrong-wrong").await.is_err());
        client.handshake("me", "s3cret-s3cret").await.unwrap();
        assert_eq!(shown(&query(&mut client, "SELECT 2 AS a").await.unwrap()), ["a", "2"]);
    });
}

#[test]
fn a_stream_that_is_dropped_frees_its_place() {
    let server = WireServer::start(&["--max-queries", "1"]);
    with_client(&server, async |mut client| {
        let long = "SELECT x FROM generate_series(1, 100000000) AS a(x)".to_owned();
        let info = client.execute(long, None).await.unwrap();
        let ticket = info.endpoint[0].ticket.clone().unwrap();
        let mut rows = client.do_get(ticket).await.unwrap();
        assert!(rows.try_next().await.unwrap().is_some());
        drop(rows);
        let start = Instant::now();
        assert_eq!(shown(&query(&mut client, "SELECT 1 AS a").await.unwrap()), ["a", "1"]);
        assert!(start.elapsed() < Duration::from_secs(60));
    });
}
