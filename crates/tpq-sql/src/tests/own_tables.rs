//! Tables that `CREATE TABLE` makes: their rows change, as in SQLite.

use insta::assert_snapshot;

use super::{rows, said, session, value};

#[tokio::test]
async fn tables_of_the_users_own_can_be_changed() {
    let session = session();
    let script = "CREATE TABLE t(a INT, b TEXT, c);
        INSERT INTO t VALUES (1, 'x', 2.5), (2, 'y', 4);
        INSERT INTO t(b, a) SELECT 'z', 9;
        UPDATE t SET a = a + 1, b = b || '!' WHERE b <> 'x';
        DELETE FROM t WHERE a = 3;
        SELECT * FROM t";
    assert_snapshot!(rows(&session, script).await.unwrap(), @r"
    +----+----+-----+
    | a  | b  | c   |
    +----+----+-----+
    | 1  | x  | 2.5 |
    | 10 | z! |     |
    +----+----+-----+
    ");
    // A condition that is NULL deletes nothing.
    let script = "DELETE FROM t WHERE c > 100; SELECT count(*) FROM t";
    assert_eq!(value(&session, script).await, "2");
    let script = "CREATE TABLE IF NOT EXISTS t(z); DROP TABLE t; DROP TABLE IF EXISTS t; \
                  CREATE TEMP TABLE t AS SELECT 5 AS five; SELECT * FROM t";
    assert_eq!(value(&session, script).await, "5");
    assert_snapshot!(said(&session, "INSERT INTO slice VALUES (1)").await, @r"
    `slice` cannot be changed
    line 1, column 13:
      INSERT INTO slice VALUES (1)
                  ^^^^^
    only tables made by CREATE TABLE can: CREATE TABLE my_slice AS SELECT * FROM slice
    ");
    assert_snapshot!(said(&session, "UPDATE t SET fife = 1").await, @r"
    `t` has no column `fife`
    did you mean `five`?
    ");
    assert_snapshot!(said(&session, "DROP TABLE slice").await, @"`slice` is of the trace, which is read and never changed");
    assert_snapshot!(said(&session, "INSERT INTO t VALUES (1, 2)").await, @"INSERT fills 1 columns, but the rows have 2");
}

#[tokio::test]
async fn stored_values_change_only_where_they_stay_the_same() {
    let session = session();
    let script = "CREATE TABLE t(a INT, b INT, c REAL, d TEXT);
        INSERT INTO t VALUES (1, 2.0, 3, 4), ('2', '3.0', '0.5', 2.0), (NULL, 1, NULL, 1e20);
        UPDATE t SET a = 5.0, d = 7 WHERE b = 3;
        UPDATE t SET (b, c) = (c + 0.5, b) WHERE b = 3;
        WITH n AS (SELECT 9 AS nine) INSERT INTO t SELECT nine, nine, nine, nine FROM n;
        SELECT a, b, c, d, typeof(b), typeof(d) FROM t";
    assert_snapshot!(rows(&session, script).await.unwrap(), @r"
    +---+---+-----+---------+-----------+-----------+
    | a | b | c   | d       | typeof(b) | typeof(d) |
    +---+---+-----+---------+-----------+-----------+
    | 1 | 2 | 3.0 | 4       | integer   | text      |
    | 5 | 1 | 3.0 | 7       | integer   | text      |
    |   | 1 |     | 1.0e+20 | integer   | text      |
    | 9 | 9 | 9.0 | 9       | integer   | text      |
    +---+---+-----+---------+-----------+-----------+
    ");
    for (statement, message) in [
        ("INSERT INTO t(a) VALUES (2.5)", "2.5 does not fit in a column of type LONG"),
        ("INSERT INTO t(a) VALUES ('abc')", "'abc' does not fit in a column of type LONG"),
        ("INSERT INTO t(a) VALUES (1), ('3x')", "'3x' does not fit in a column of type LONG"),
        ("INSERT INTO t(c) SELECT name FROM slice", "does not fit in a column of type DOUBLE"),
        ("INSERT INTO t(b) VALUES (1e30)", "1.0e+30 does not fit in a column of type LONG"),
        ("UPDATE t SET a = 2.75", "2.75 does not fit in a column of type LONG"),
        ("UPDATE t SET c = x'41'", "a blob does not fit in a column of type DOUBLE"),
    ] {
        let said = said(&session, statement).await;
        assert!(said.contains(message), "{statement}: {said}");
    }
    assert_eq!(value(&session, "SELECT count(*) FROM t").await, "4");
    // An integer that no real is, beside a row that is set to a real.
    let script =
        "CREATE TABLE big(id INT, ns INT); INSERT INTO big VALUES (1, 1700000000000000001), (2, 0);
        UPDATE big SET ns = 4.0 WHERE id = 2; SELECT min(ns) || ' ' || max(ns) FROM big";
    assert_eq!(value(&session, script).await, "4 1700000000000000001");
}

#[tokio::test]
async fn rules_that_no_table_follows_are_refused() {
    let session = session();
    for (statement, what) in [
        ("CREATE TABLE t(a INT PRIMARY KEY)", "PRIMARY KEY in CREATE TABLE"),
        ("CREATE TABLE t(a INT UNIQUE)", "UNIQUE in CREATE TABLE"),
        ("CREATE TABLE t(a INT NOT NULL)", "NOT NULL in CREATE TABLE"),
        ("CREATE TABLE t(a INT DEFAULT 5)", "DEFAULT in CREATE TABLE"),
        ("CREATE TABLE t(a INT CHECK (a > 0))", "CHECK in CREATE TABLE"),
        ("CREATE TABLE t(a INT, b INT GENERATED ALWAYS AS (a * 2))", "a generated column"),
        ("CREATE TABLE t(a TEXT COLLATE NOCASE)", "COLLATE of a column"),
        ("CREATE TABLE t(a INT, b INT, PRIMARY KEY (a, b))", "PRIMARY KEY in CREATE TABLE"),
        ("CREATE TABLE t(a INT, UNIQUE (a))", "UNIQUE in CREATE TABLE"),
    ] {
        let said = said(&session, statement).await;
        assert!(said.starts_with(what) && said.contains("is not supported"), "{statement}: {said}");
    }
    let script = "CREATE TABLE t(a INT NULL REFERENCES u(b), b TEXT COLLATE BINARY);
        INSERT OR ABORT INTO t VALUES (1, 'x'); SELECT count(*) FROM t";
    assert_eq!(value(&session, script).await, "1");
    for (statement, what) in [
        ("INSERT INTO t VALUES (1, 'x') ON CONFLICT(a) DO NOTHING", "ON CONFLICT of anything but"),
        ("INSERT INTO t VALUES (1, 'x') ON CONFLICT DO UPDATE SET a = 2", "ON CONFLICT DO UPDATE"),
        ("INSERT INTO t VALUES (1, 'x') RETURNING a", "RETURNING"),
        ("UPDATE t SET a = 2 RETURNING a", "RETURNING"),
        ("UPDATE t SET a = s.id FROM slice s WHERE s.id = t.a", "UPDATE … FROM"),
        ("DELETE FROM t RETURNING *", "RETURNING"),
    ] {
        let said = said(&session, statement).await;
        assert!(said.starts_with(what) && said.contains("is not supported"), "{statement}: {said}");
    }
    assert_eq!(value(&session, "SELECT count(*) FROM t WHERE a = 1").await, "1");
}

#[tokio::test]
async fn a_primary_key_numbers_rows() {
    let session = session();
    let script = "CREATE TABLE t(id INTEGER PRIMARY KEY NOT NULL, a TEXT);
        INSERT INTO t(a) VALUES ('one'), ('two');
        INSERT INTO t VALUES (9, 'nine'), (NULL, 'ten'), ('5', 'five');
        INSERT INTO t DEFAULT VALUES;
        SELECT * FROM t";
    assert_snapshot!(rows(&session, script).await.unwrap(), @r"
    +----+------+
    | id | a    |
    +----+------+
    | 1  | one  |
    | 2  | two  |
    | 5  | five |
    | 9  | nine |
    | 10 | ten  |
    | 11 |      |
    +----+------+
    ");
    for (statement, message) in [
        ("INSERT INTO t VALUES (3, 'three'), (5, 'again')", "`t` has a row with id 5 already"),
        ("INSERT INTO t(id) VALUES (7), (7)", "`t` has a row with id 7 already"),
        ("UPDATE t SET id = 1 WHERE id = 2", "`t` has a row with id 1 already"),
        (
            "UPDATE t SET id = NULL WHERE id = 2",
            "`id` is the primary key of `t` and cannot be NULL",
        ),
        ("UPDATE OR IGNORE t SET id = 1", "UPDATE OR IGNORE of a table with a primary key"),
        ("INSERT INTO t VALUES ('x', 'x')", "'x' does not fit in a column of type LONG"),
    ] {
        let said = said(&session, statement).await;
        assert!(said.contains(message), "{statement}: {said}");
    }
    // None of these changed a row.
    assert_eq!(value(&session, "SELECT group_concat(id) FROM t").await, "1,2,5,9,10,11");
    // All rows are checked after the change.
    let script =
        "DELETE FROM t WHERE id > 5; UPDATE t SET id = id + 1; INSERT INTO t(a) VALUES ('c');
        SELECT group_concat(id || a) FROM t";
    assert_eq!(value(&session, script).await, "2one,3two,6five,7c");
}

#[tokio::test]
async fn rows_of_one_key_are_kept_or_replaced() {
    let session = session();
    let script = "CREATE TABLE t(a TEXT, id INTEGER, PRIMARY KEY (id));
        INSERT INTO t VALUES ('one', 1), ('two', 2);
        INSERT OR IGNORE INTO t VALUES ('2', 2), ('3', 3);
        INSERT INTO t VALUES ('1', 1), ('4', 4) ON CONFLICT DO NOTHING;
        INSERT INTO t VALUES ('1', 1), ('5', NULL) ON CONFLICT(id) DO NOTHING;
        SELECT group_concat(a) FROM t";
    assert_eq!(value(&session, script).await, "one,two,3,4,5");
    let script = "INSERT OR REPLACE INTO t VALUES ('2', 2), ('6', 6);
        REPLACE INTO t VALUES ('first', 1), ('7', 7), ('seven', 7);
        SELECT group_concat(a) FROM t";
    assert_eq!(value(&session, script).await, "first,2,3,4,5,6,seven");
    // Without a key there are no conflicts.
    let script =
        "CREATE TABLE u(a INT); INSERT INTO u VALUES (1); INSERT OR IGNORE INTO u VALUES (1);
        INSERT OR REPLACE INTO u VALUES (1); SELECT count(*) FROM u";
    assert_eq!(value(&session, script).await, "3");
    let keys = "SELECT group_concat(pk) FROM pragma_table_info('t')";
    assert_eq!(value(&session, keys).await, "0,1");
    let script = "CREATE TABLE w(id INTEGER PRIMARY KEY, a INT) WITHOUT ROWID; \
                  INSERT INTO w(a) VALUES (1)";
    let said = said(&session, script).await;
    assert!(said.contains("`id` is the primary key of `w` and cannot be NULL"), "{said}");
}

/// A column of texts may hold numbers as texts, which are compared as numbers also where they are
/// chosen from.
#[tokio::test]
async fn values_that_are_chosen_from_mixed_columns_may_be_numbers() {
    let session = session();
    let create = "CREATE TABLE parts AS SELECT 7 AS i, NULL AS s UNION ALL SELECT NULL, 'seven';
        CREATE PERFETTO TABLE kept AS SELECT coalesce(i, s) AS v FROM parts;
        CREATE PERFETTO VIEW seen AS SELECT coalesce(i, s) AS v FROM parts";
    assert_eq!(value(&session, &format!("{create}; SELECT count(*) FROM kept")).await, "2");
    for table in ["kept", "seen"] {
        for chosen in ["coalesce(v, 'x')", "CASE WHEN v IS NOT NULL THEN v END"] {
            let read = format!("SELECT sum(x = 7) FROM (SELECT {chosen} AS x FROM {table})");
            assert_eq!(value(&session, &read).await, "1", "{read}");
        }
    }
    // Texts that a table was declared with are texts.
    let read = "CREATE TABLE words(s TEXT); INSERT INTO words VALUES ('7'), ('x');
        SELECT sum(nullif(x, 'x') = 7) FROM (SELECT coalesce(s, 'y') AS x FROM words)";
    assert_eq!(value(&session, read).await, "0");
}
