//! PostgreSQL's protocol, by a client in Rust.

use std::time::{Duration, Instant};

use postgres::error::SqlState;
use postgres::types::Type;
use postgres::{Client, Config, NoTls, SimpleQueryMessage};

use super::WireServer;

/// A statement that has no end.
const ENDLESS: &str =
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";

pub(super) fn config(server: &WireServer) -> Config {
    let mut config = Config::new();
    config.host("127.0.0.1").port(server.postgres()).user("me").dbname("tpq");
    config
}

pub(super) fn connect(server: &WireServer) -> Client {
    config(server).connect(NoTls).unwrap()
}

/// Rows of the simple protocol, with `|` between texts.
pub(super) fn simple(client: &mut Client, sql: &str) -> Result<Vec<String>, postgres::Error> {
    let messages = client.simple_query(sql)?;
    let text = |message: SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => {
            let cells = (0..row.len()).map(|at| row.get(at).unwrap_or("NULL").to_owned());
            Some(cells.collect::<Vec<_>>().join("|"))
        }
        _ => None,
    };
    Ok(messages.into_iter().filter_map(text).collect())
}

fn error_of(client: &mut Client, sql: &str) -> postgres::error::DbError {
    let error = simple(client, sql).unwrap_err();
    error.as_db_error().unwrap_or_else(|| panic!("{sql}: {error}")).clone()
}

#[test]
fn rows_are_text_in_the_simple_protocol() {
    let server = WireServer::start(&[]);
    let mut client = connect(&server);
    // Ends minus begins: 1100 - 100, 500 - 300, and 50.
    assert_eq!(
        simple(&mut client, "SELECT ts, dur, name, depth FROM slice ORDER BY ts").unwrap(),
        ["100|1000|long|0", "300|200|it's|1", "5000000000|50|short|0"]
    );
    assert_eq!(
        simple(&mut client, "SELECT 1; SELECT 0.5, NULL, 'ä', x'00ff'; ").unwrap(),
        ["1", "0.5|NULL|ä|\\x00ff"]
    );
    assert_eq!(simple(&mut client, "").unwrap(), [""; 0]);
    assert_eq!(simple(&mut client, " ; -- nothing").unwrap(), [""; 0]);
    let more = "SELECT x FROM generate_series(1, 100000) AS a(x)";
    let rows = simple(&mut client, more).unwrap();
    assert_eq!((rows.len(), rows[99_999].as_str()), (100_000, "100000"));
}

#[test]
fn statements_are_in_the_dialect_of_tpq() {
    let server = WireServer::start(&[]);
    let mut client = connect(&server);
    // SQLite divides integers, compares LIKE without case, and joins texts of numbers.
    assert_eq!(
        simple(&mut client, "SELECT 7 / 2, 'SLICE' LIKE 'slice', 1 || 'a', iif(1, 'y', 'n')")
            .unwrap(),
        ["3|1|1a|y"]
    );
    assert_eq!(
        simple(&mut client, "INCLUDE PERFETTO MODULE slices.with_context").unwrap(),
        [""; 0]
    );
    let named = "SELECT name, thread_name FROM thread_slice WHERE dur = 50";
    assert_eq!(simple(&mut client, named).unwrap(), ["short|worker"]);
    let tables = simple(&mut client, "SHOW TABLES LIKE 'trace_bounds'").unwrap();
    assert!(tables.len() == 1 && tables[0].starts_with("trace_bounds|"), "{tables:?}");
}

#[test]
fn values_and_rows_are_typed_in_the_extended_protocol() {
    let server = WireServer::start(&[]);
    let mut client = connect(&server);
    let sql = "SELECT ts, name, dur / 2.0 AS half, x'00ff' AS blob FROM slice \
               WHERE dur > $1 AND name = $2";
    let statement = client.prepare_typed(sql, &[Type::INT8, Type::TEXT]).unwrap();
    let types: Vec<&str> = statement.columns().iter().map(|column| column.type_().name()).collect();
    assert_eq!(types, ["int8", "text", "float8", "bytea"]);
    let rows = client.query(&statement, &[&100_i64, &"it's"]).unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].get::<_, i64>("ts"), 300);
    assert_eq!(rows[0].get::<_, &str>("name"), "it's");
    assert_eq!(rows[0].get::<_, f64>("half"), 100.0);
    assert_eq!(rows[0].get::<_, &[u8]>("blob"), [0, 0xff]);
    assert!(client.query(&statement, &[&1_000_i64, &"it's"]).unwrap().is_empty());
    // Types that the client does not know are those of text, and NULL is NULL.
    let row = client.query_one("SELECT $1 AS a, $2 IS NULL AS b", &[&"x", &None::<&str>]).unwrap();
    assert_eq!((row.get::<_, &str>(0), row.get::<_, i64>(1)), ("x", 1));
    let typed = client.prepare_typed("SELECT $1 + 1", &[Type::INT4]).unwrap();
    assert_eq!(client.query_one(&typed, &[&i32::MAX]).unwrap().get::<_, i64>(0), 2_147_483_648);
}

#[test]
fn rows_are_fetched_in_parts() {
    let server = WireServer::start(&["--max-queries", "1"]);
    let mut client = connect(&server);
    let mut transaction = client.transaction().unwrap();
    let portal = transaction.bind("SELECT x FROM generate_series(1, 25000) AS a(x)", &[]).unwrap();
    let other = transaction.bind("SELECT name FROM slice", &[]).unwrap();
    let (mut count, mut sum) = (0, 0);
    loop {
        let rows = transaction.query_portal(&portal, 10_000).unwrap();
        if rows.is_empty() {
            break;
        }
        // The queries of one connection share a place, so this does not wait for the other.
        assert_eq!(transaction.query_portal(&other, 1).unwrap().len(), usize::from(count < 21_000));
        count += rows.len();
        sum += rows.iter().map(|row| row.get::<_, i64>(0)).sum::<i64>();
    }
    assert_eq!((count, sum), (25_000, 25_000 * 25_001 / 2));
    transaction.commit().unwrap();
}

#[test]
fn errors_have_codes_and_positions() {
    let server = WireServer::start(&[]);
    let mut client = connect(&server);
    let error = error_of(&mut client, "SELECT nmae\nFROM slice");
    assert_eq!(error.code(), &SqlState::UNDEFINED_COLUMN);
    assert_eq!(error.hint(), Some("did you mean `name`?"));
    assert_eq!(error.position(), Some(&postgres::error::ErrorPosition::Original(8)));
    for (sql, code) in [
        ("SELECT * FROM nothing", SqlState::UNDEFINED_TABLE),
        ("SELECT nothing()", SqlState::UNDEFINED_FUNCTION),
        ("SELECT", SqlState::SYNTAX_ERROR),
        ("SELECT 'open", SqlState::SYNTAX_ERROR),
        ("SELECT $1", SqlState::SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION),
        ("SELECT * FROM pg_catalog.nothing", SqlState::FEATURE_NOT_SUPPORTED),
        ("SET client_encoding TO 'LATIN1'", SqlState::INVALID_PARAMETER_VALUE),
    ] {
        assert_eq!(error_of(&mut client, sql).code(), &code, "{sql}");
    }
    // Statements after the one that fails do not run, and the connection goes on.
    let error = error_of(&mut client, "SELECT 1; SELECT nothing; SELECT 2");
    assert_eq!(error.position(), Some(&postgres::error::ErrorPosition::Original(18)));
    assert_eq!(simple(&mut client, "SELECT 1").unwrap(), ["1"]);
    let error = client.query("SELECT nothing", &[]).unwrap_err();
    assert_eq!(error.code(), Some(&SqlState::UNDEFINED_COLUMN));
    assert_eq!(client.query_one("SELECT 1", &[]).unwrap().get::<_, i64>(0), 1);
}

#[test]
fn statements_that_change_something_are_refused() {
    let server = WireServer::start(&["--allow-sql-file-access"]);
    let mut client = connect(&server);
    for sql in [
        "CREATE TABLE a AS SELECT 1",
        "CREATE PERFETTO TABLE a AS SELECT 1",
        "CREATE PERFETTO FUNCTION f() RETURNS INT AS SELECT 1",
        "CREATE VIEW a AS SELECT 1",
        "INSERT INTO slice VALUES (1)",
        "UPDATE slice SET ts = 1",
        "DELETE FROM slice",
        "DROP TABLE slice",
        "ATTACH 'a.csv' AS a",
    ] {
        let error = error_of(&mut client, sql);
        assert_eq!(error.code(), &SqlState::READ_ONLY_SQL_TRANSACTION, "{sql}: {error}");
    }
    for sql in [
        "COPY slice TO '/tmp/a'",
        "COPY (SELECT 1) TO STDOUT",
        "SELECT * FROM read_csv('tests/integration/server/rows.csv')",
        "SELECT * FROM 'tests/integration/server/rows.csv'",
        "SELECT pg_catalog.pg_read_file('/etc/passwd')",
        "SELECT * FROM pg_catalog.pg_class, 'tests/integration/server/rows.csv'",
    ] {
        assert!(simple(&mut client, sql).is_err(), "{sql}");
    }
    // What others create is read.
    server.server.query("CREATE PERFETTO TABLE a AS SELECT 7 AS b");
    assert_eq!(simple(&mut client, "SELECT b FROM a").unwrap(), ["7"]);
}

#[test]
fn transactions_have_a_beginning_and_an_end() {
    let server = WireServer::start(&[]);
    let mut client = connect(&server);
    assert_eq!(simple(&mut client, "BEGIN; SELECT 1; COMMIT").unwrap(), ["1"]);
    let mut transaction = client.transaction().unwrap();
    assert!(transaction.query("SELECT nothing", &[]).is_err());
    let refused = transaction.query("SELECT 1", &[]).unwrap_err();
    assert_eq!(refused.code(), Some(&SqlState::IN_FAILED_SQL_TRANSACTION));
    transaction.rollback().unwrap();
    assert_eq!(simple(&mut client, "SELECT 1").unwrap(), ["1"]);
}

#[test]
fn cursors_are_fetched_from() {
    let server = WireServer::start(&["--max-queries", "1"]);
    let mut client = connect(&server);
    let declare = "DECLARE c CURSOR FOR SELECT x FROM generate_series(1, 10000) AS a(x)";
    assert_eq!(error_of(&mut client, declare).code(), &SqlState::NO_ACTIVE_SQL_TRANSACTION);
    simple(&mut client, &format!("BEGIN; {declare}")).unwrap();
    assert_eq!(simple(&mut client, "FETCH 2 FROM c").unwrap(), ["1", "2"]);
    assert_eq!(simple(&mut client, "FETCH c; SELECT 'between'").unwrap(), ["3", "between"]);
    assert_eq!(simple(&mut client, "FETCH FORWARD 9000 FROM c").unwrap().len(), 9_000);
    assert_eq!(simple(&mut client, "FETCH ALL FROM c").unwrap().len(), 997);
    assert_eq!(simple(&mut client, "FETCH c; CLOSE c").unwrap(), [""; 0]);
    assert_eq!(error_of(&mut client, "FETCH c").code(), &SqlState::INVALID_CURSOR_NAME);
    simple(&mut client, "ROLLBACK").unwrap();
    let held = "DECLARE \"C 2\" CURSOR WITH HOLD FOR SELECT relname FROM pg_catalog.pg_class";
    simple(&mut client, held).unwrap();
    assert_eq!(simple(&mut client, "FETCH 3 IN \"C 2\"").unwrap().len(), 3);
    simple(&mut client, "BEGIN; DECLARE d CURSOR\nFOR\nSELECT 'x' AS a, ' for ' AS b").unwrap();
    assert_eq!(simple(&mut client, "FETCH d").unwrap(), ["x| for "]);
    // HOLD is a name here, so the cursor ends with the transaction.
    let with = "DECLARE e CURSOR FOR WITH hold AS (SELECT 1 AS x) SELECT x FROM hold";
    simple(&mut client, &format!("{with}; COMMIT")).unwrap();
    assert_eq!(error_of(&mut client, "FETCH e").code(), &SqlState::INVALID_CURSOR_NAME);
}

/// The time of a script grows with its length and not with its square.
#[test]
fn scripts_of_many_statements_are_run() {
    let server = WireServer::start(&[]);
    let mut client = connect(&server);
    let start = Instant::now();
    let script = format!("{}SELECT 7", "BEGIN;".repeat(60_000));
    assert_eq!(simple(&mut client, &script).unwrap(), ["7"]);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn settings_belong_to_a_connection() {
    let server = WireServer::start(&[]);
    let mut client = connect(&server);
    assert_eq!(simple(&mut client, "SHOW search_path").unwrap(), ["\"$user\", public"]);
    let sql = "SET application_name = 'test'; SHOW application_name";
    assert_eq!(simple(&mut client, sql).unwrap(), ["test"]);
    assert_eq!(simple(&mut connect(&server), "SHOW application_name").unwrap(), [""]);
    let all = simple(&mut client, "SHOW ALL").unwrap();
    assert!(all.iter().any(|row| row == "TimeZone|UTC|"), "{all:?}");
    let version = simple(&mut client, "SELECT version()").unwrap();
    assert!(version[0].starts_with("PostgreSQL 16.6, tpq "), "{version:?}");
    let names =
        "SELECT current_database(), current_schema(), current_setting('server_version_num')";
    assert_eq!(simple(&mut client, names).unwrap(), ["tpq|public|160006"]);
}

#[test]
fn a_password_is_the_token() {
    let server = WireServer::start_with(&[], Some("s3cret-s3cret"));
    let refused = |config: &Config| config.connect(NoTls).err().unwrap();
    let mut config = config(&server);
    // The client was asked for one and has none.
    let error = refused(&config);
    assert!(format!("{error:?}").contains("password missing"), "{error:?}");
    let error = refused(config.password("s3cret-s3creT"));
    assert_eq!(error.code(), Some(&SqlState::INVALID_PASSWORD));
    let mut client = config.password("s3cret-s3cret").connect(NoTls).unwrap();
    assert_eq!(simple(&mut client, "SELECT 1").unwrap(), ["1"]);
}

#[test]
fn a_query_is_cancelled_from_another_connection() {
    let server = WireServer::start(&[]);
    let mut client = connect(&server);
    let token = client.cancel_token();
    let asking = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(500));
        token.cancel_query(NoTls).unwrap();
    });
    let start = Instant::now();
    assert_eq!(error_of(&mut client, ENDLESS).code(), &SqlState::QUERY_CANCELED);
    assert!(start.elapsed() < Duration::from_secs(60));
    asking.join().unwrap();
    assert_eq!(simple(&mut client, "SELECT 1").unwrap(), ["1"]);
}

#[test]
fn a_query_is_stopped_by_the_time_limit() {
    let server = WireServer::start(&["--query-timeout", "300ms"]);
    let mut client = connect(&server);
    let error = error_of(&mut client, ENDLESS);
    assert_eq!(error.code(), &SqlState::QUERY_CANCELED);
    assert!(error.message().contains("0.3 s, the limit"), "{error}");
    // One of catalogs as well.
    let many = "SELECT count(*) FROM generate_series(1, 100000000000) AS a, pg_namespace";
    assert_eq!(error_of(&mut client, many).code(), &SqlState::QUERY_CANCELED);
    assert_eq!(simple(&mut client, "SELECT 1").unwrap(), ["1"]);
}

#[test]
fn a_client_that_goes_away_frees_its_place() {
    let server = WireServer::start(&["--max-queries", "1"]);
    let mut gone = std::net::TcpStream::connect(("127.0.0.1", server.postgres())).unwrap();
    super::hostile::begin(&mut gone);
    super::hostile::send_query(&mut gone, ENDLESS);
    std::thread::sleep(Duration::from_millis(500));
    drop(gone);
    let mut client = connect(&server);
    assert_eq!(simple(&mut client, "SELECT 1").unwrap(), ["1"]);
}

#[test]
fn connections_have_a_limit() {
    let server = WireServer::start(&["--max-connections", "2"]);
    let (mut first, second) = (connect(&server), connect(&server));
    let refused = config(&server).connect(NoTls).err().unwrap();
    assert_eq!(refused.code(), Some(&SqlState::TOO_MANY_CONNECTIONS));
    drop(second);
    let start = Instant::now();
    while config(&server).connect(NoTls).is_err() {
        assert!(start.elapsed() < Duration::from_secs(30), "the second has gone");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(simple(&mut first, "SELECT 1").unwrap(), ["1"]);
}
