//! PerfettoSQL's own statements: what they create, and their errors.

use insta::assert_snapshot;

use super::{rows, said, session, value};
use crate::{Session, SessionOptions, SqlModule};

#[tokio::test]
async fn functions_are_put_in_place_of_their_calls() {
    let session = session();
    let twice = "CREATE PERFETTO FUNCTION twice(x LONG) RETURNS LONG AS SELECT $x * 2;";
    assert_eq!(value(&session, &format!("{twice} SELECT twice(21)")).await, "42");
    // 1000 + 1010 + 1020.
    assert_eq!(value(&session, "SELECT sum(twice(ts)) FROM slice").await, "6060");
    let four = "CREATE PERFETTO FUNCTION four(x LONG) RETURNS LONG AS SELECT twice(twice($x));";
    assert_eq!(value(&session, &format!("{four} SELECT four(2)")).await, "8");
    // As numbers: an integer where a double is declared.
    let half = "CREATE PERFETTO FUNCTION half(x DOUBLE) RETURNS DOUBLE AS SELECT $x / 2;";
    assert_eq!(value(&session, &format!("{half} SELECT half(3)")).await, "1.5");
    let plan = rows(&session, "EXPLAIN SELECT twice(ts) AS t FROM slice").await.unwrap();
    assert!(!plan.contains("twice"), "{plan}");
}

#[tokio::test]
async fn functions_that_read_tables_look_up_each_row() {
    let session = session();
    let name = "CREATE PERFETTO FUNCTION name_of(utid LONG) RETURNS STRING AS \
                SELECT name FROM thread WHERE utid = $utid;";
    assert_eq!(value(&session, &format!("{name} SELECT name_of(1)")).await, "worker");
    // The argument is a column of the same name as the one it is compared with.
    let by_row = "SELECT group_concat(name_of(utid), ',') FROM (SELECT utid FROM thread)";
    assert_eq!(value(&session, by_row).await, "app,worker");
    assert_eq!(value(&session, "SELECT name_of(7) IS NULL").await, "1");
    // One table called twice in one body, by functions in functions.
    let both = "CREATE PERFETTO FUNCTION both(utid LONG) RETURNS STRING AS \
                SELECT name_of($utid) || '+' || name FROM thread WHERE utid = $utid;";
    assert_eq!(value(&session, &format!("{both} SELECT both(0)")).await, "app+app");
}

#[tokio::test]
async fn functions_give_tables() {
    let session = session();
    let make = "CREATE PERFETTO FUNCTION first(n LONG) RETURNS TABLE(dur LONG, ts LONG) AS \
                SELECT ts, dur FROM slice ORDER BY ts LIMIT $n;";
    // In the order of the declaration.
    assert_snapshot!(rows(&session, &format!("{make} SELECT * FROM first(2)")).await.unwrap(), @r"
    +-----+------+
    | dur | ts   |
    +-----+------+
    | 50  | 1000 |
    | 0   | 1010 |
    +-----+------+
    ");
    let at = "CREATE PERFETTO FUNCTION at(t LONG) RETURNS TABLE(name STRING) AS \
              SELECT name FROM slice WHERE ts = $t;";
    let each = "SELECT s.id, a.name FROM slice s JOIN at(s.ts) a ORDER BY s.id";
    assert_snapshot!(rows(&session, &format!("{at} {each}")).await.unwrap(), @r"
    +----+--------+
    | id | name   |
    +----+--------+
    | 0  | app    |
    | 1  | worker |
    | 2  | app    |
    +----+--------+
    ");
}

#[tokio::test]
async fn functions_that_are_wrong_say_where() {
    let session = session();
    let unknown = "CREATE PERFETTO FUNCTION f(x LONG)\nRETURNS LONG AS\nSELECT durr FROM slice";
    assert_snapshot!(said(&session, unknown).await, @r"
    no column is called `durr`
    line 3, column 8:
      SELECT durr FROM slice
             ^^^^
    did you mean `dur`?
    ");
    let returns = "CREATE PERFETTO FUNCTION f() RETURNS LONG AS SELECT x'00' FROM slice";
    assert_snapshot!(said(&session, returns).await, @r"
    `f` returns LONG, but its query gives BYTES
    line 1, column 26:
      CREATE PERFETTO FUNCTION f() RETURNS LONG AS SELECT x'00' FROM slice
                               ^
    ");
    let missing =
        "CREATE PERFETTO FUNCTION f() RETURNS TABLE(ts LONG, tss LONG) AS SELECT ts FROM slice";
    assert_snapshot!(said(&session, missing).await, @r"
    `tss` is declared, but the query gives no such column
    line 1, column 53:
      CREATE PERFETTO FUNCTION f() RETURNS TABLE(ts LONG, tss LONG) AS SELECT ts FROM slice
                                                          ^^^
    it gives a column `ts`
    ");
    let kind = "CREATE PERFETTO FUNCTION f(x LONGER) RETURNS LONG AS SELECT 1";
    assert_snapshot!(said(&session, kind).await, @r"
    no type is called `LONGER`
    line 1, column 30:
      CREATE PERFETTO FUNCTION f(x LONGER) RETURNS LONG AS SELECT 1
                                   ^^^^^^
    did you mean `LONG`?
    ");
    let given = "CREATE PERFETTO FUNCTION g(x LONG) RETURNS LONG AS SELECT $x; SELECT 1, g(1, 2)";
    assert_snapshot!(said(&session, given).await, @r"
    g() takes 1 arguments, 2 were given: it is g(x LONG)
    line 1, column 73:
      CREATE PERFETTO FUNCTION g(x LONG) RETURNS LONG AS SELECT $x; SELECT 1, g(1, 2)
                                                                              ^
    ");
    assert_snapshot!(said(&session, "SELECT g('text')").await, @r"
    g() takes LONG for `x`, not STRING
    line 1, column 8:
      SELECT g('text')
             ^
    ");
    let again = "CREATE PERFETTO FUNCTION g(x LONG) RETURNS LONG AS SELECT $x";
    assert_snapshot!(said(&session, again).await, @r"
    `g` exists already
    line 1, column 26:
      CREATE PERFETTO FUNCTION g(x LONG) RETURNS LONG AS SELECT $x
                               ^
    write CREATE OR REPLACE to put this in its place
    ");
    let itself = "CREATE PERFETTO FUNCTION h(x LONG) RETURNS LONG AS SELECT h($x)";
    assert_snapshot!(said(&session, itself).await, @"`h` is defined by itself");
    // What could not be created is not there.
    assert_snapshot!(said(&session, "SELECT h(1)").await, @r"
    no function is called `h`
    line 1, column 8:
      SELECT h(1)
             ^
    did you mean `g`?
    ");
}

#[tokio::test]
async fn tables_keep_their_rows() {
    let session = session();
    let make = "CREATE PERFETTO TABLE t(ts TIMESTAMP, name STRING) AS SELECT ts, name FROM slice;";
    assert_eq!(value(&session, &format!("{make} SELECT count(*) FROM t")).await, "3");
    let ordered = rows(&session, "EXPLAIN SELECT ts FROM t ORDER BY ts").await.unwrap();
    assert!(!ordered.contains("SortExec"), "{ordered}");
    let index =
        "CREATE PERFETTO INDEX i ON t(ts); DROP PERFETTO INDEX i ON t; SELECT max(ts) FROM t";
    assert_eq!(value(&session, index).await, "1020");
    let replace = "CREATE OR REPLACE PERFETTO TABLE t AS SELECT 1 AS one; SELECT * FROM t";
    assert_eq!(value(&session, replace).await, "1");
    assert_snapshot!(said(&session, "CREATE PERFETTO TABLE t AS SELECT 2 AS two").await, @r"
    `t` exists already
    line 1, column 23:
      CREATE PERFETTO TABLE t AS SELECT 2 AS two
                            ^
    write CREATE OR REPLACE to put this in its place
    ");
    assert_snapshot!(said(&session, "CREATE PERFETTO INDEX i ON t(onee)").await, @r"
    `t` has no column `onee`
    line 1, column 30:
      CREATE PERFETTO INDEX i ON t(onee)
                                   ^^^^
    did you mean `one`?
    ");
    let undeclared = "CREATE PERFETTO VIEW v(ts LONG) AS SELECT ts, dur FROM slice";
    assert_snapshot!(said(&session, undeclared).await, @r"
    the query gives a column `dur` that is not declared
    line 1, column 24:
      CREATE PERFETTO VIEW v(ts LONG) AS SELECT ts, dur FROM slice
                             ^^
    declare it, as in `dur LONG`, or leave it out
    ");
    let itself = "CREATE PERFETTO VIEW v AS SELECT * FROM v";
    assert_snapshot!(said(&session, itself).await, @r"
    no table or view is called `v`
    line 1, column 41:
      CREATE PERFETTO VIEW v AS SELECT * FROM v
                                              ^
    did you mean `t`?
    ");
}

/// A CASE of literals and columns of text is planned as one kind of text and gives another.
#[tokio::test]
async fn tables_keep_text_of_either_kind() {
    let script = "CREATE PERFETTO TABLE t AS \
        SELECT CASE WHEN name IS NULL THEN 'none' ELSE name END AS called FROM slice; \
        SELECT count(called) FROM t";
    assert_eq!(value(&session(), script).await, "3");
}

#[tokio::test]
async fn macros_stand_for_tokens() {
    let session = session();
    let total = "CREATE PERFETTO MACRO total(t TableOrSubquery, c ColumnName) \
                 RETURNS TableOrSubquery AS (SELECT sum($c) AS total FROM $t);";
    // 1000 + 1010 + 1020.
    assert_eq!(value(&session, &format!("{total} SELECT * FROM total!(slice, ts)")).await, "3030");
    let query = "SELECT * FROM total!((SELECT dur AS d FROM slice WHERE dur > 0), d)";
    assert_eq!(value(&session, query).await, "50");
    let nested = "CREATE PERFETTO MACRO twice(x Expr) RETURNS Expr AS ($x + $x);";
    assert_eq!(value(&session, &format!("{nested} SELECT twice!(twice !(3))")).await, "12");
    let token = "SELECT __intrinsic_stringify!(a + b)";
    assert_eq!(value(&session, token).await, "a + b");
    let apply = "SELECT max(__intrinsic_token_apply!(twice, (1, 5))) \
                 WHERE 1 __intrinsic_token_apply_and_prefix!(twice, (1, 2))";
    assert_eq!(value(&session, apply).await, "10");
    assert_eq!(value(&session, "SELECT cast_int!('12 ms')").await, "12");
}

#[tokio::test]
async fn errors_in_macros_say_through_which_calls() {
    let session = session();
    let make = "CREATE PERFETTO MACRO inner_one(t TableOrSubquery) RETURNS TableOrSubquery AS \
                (SELECT nme FROM $t);\n\
                CREATE PERFETTO MACRO outer_one(t TableOrSubquery) RETURNS TableOrSubquery AS \
                (SELECT * FROM inner_one!($t));\n\
                SELECT *\nFROM outer_one!(slice)";
    assert_snapshot!(said(&session, make).await, @r"
    no column is called `nme`
    line 1, column 87:
      CREATE PERFETTO MACRO inner_one(t TableOrSubquery) RETURNS TableOrSubquery AS (SELECT nme FROM $t);
                                                                                            ^^^
    in `inner_one!`, called at line 2, column 94
    in `outer_one!`, called at line 4, column 6
    did you mean `name`?
    ");
    assert_snapshot!(said(&session, "SELECT * FROM outer_one!(slicer)").await, @r"
    no table or view is called `slicer`
    line 1, column 26:
      SELECT * FROM outer_one!(slicer)
                               ^^^^^^
    did you mean `slice`?
    ");
    assert_snapshot!(said(&session, "SELECT * FROM outer_one!(slice, 1)").await, @r"
    `outer_one!` takes 1 arguments, 2 were given
    line 1, column 15:
      SELECT * FROM outer_one!(slice, 1)
                    ^^^^^^^^^
    it is called as outer_one!(t TableOrSubquery)
    ");
    assert_snapshot!(said(&session, "SELECT * FROM outr_one!(slice)").await, @r"
    no macro is called `outr_one`
    line 1, column 15:
      SELECT * FROM outr_one!(slice)
                    ^^^^^^^^
    did you mean `outer_one!`?
    ");
    let itself = "CREATE PERFETTO MACRO again() RETURNS Expr AS again!(); SELECT again!()";
    assert_snapshot!(said(&session, itself).await, @r"
    `again!` calls itself, or macros are nested too deeply
    line 1, column 47:
      CREATE PERFETTO MACRO again() RETURNS Expr AS again!(); SELECT again!()
                                                    ^^^^^
    in `again!`, called at line 1, column 47
    in `again!`, called at line 1, column 47
    in `again!`, called at line 1, column 47
    in `again!`, called at line 1, column 47
    … 56 more calls …
    in `again!`, called at line 1, column 47
    in `again!`, called at line 1, column 47
    in `again!`, called at line 1, column 47
    in `again!`, called at line 1, column 64
    ");
    assert_snapshot!(said(&session, "CREATE PERFETTO FUNKTION f()").await, @r"
    syntax error: expected TABLE or VIEW or FUNCTION or MACRO or INDEX, found FUNKTION
    line 1, column 17:
      CREATE PERFETTO FUNKTION f()
                      ^^^^^^^^
    did you mean `FUNCTION`?
    ");
}

#[tokio::test]
async fn span_joins_are_created() {
    let session = session();
    // Slices [1000, 1050) and [1010, 1010); sched of thread 1: [1010, 1011), [1030, 1033) …
    let make = "CREATE PERFETTO VIEW a AS SELECT ts, dur, name FROM slice WHERE id = 0; \
                CREATE PERFETTO VIEW b AS SELECT ts, dur, utid FROM sched WHERE utid = 1 LIMIT 4; \
                CREATE VIRTUAL TABLE both USING SPAN_JOIN(a, b PARTITIONED utid);";
    let joined = rows(&session, &format!("{make} SELECT ts, dur, utid, name FROM both")).await;
    assert_snapshot!(joined.unwrap(), @r"
    +------+-----+------+------+
    | ts   | dur | utid | name |
    +------+-----+------+------+
    | 1010 | 1   | 1    | app  |
    | 1030 | 3   | 1    | app  |
    +------+-----+------+------+
    ");
    let wrong = "CREATE VIRTUAL TABLE c USING SPAN_JION(a, b)";
    assert_snapshot!(said(&session, wrong).await, @r"
    syntax error: expected SPAN_JOIN or SPAN_LEFT_JOIN or SPAN_OUTER_JOIN, found SPAN_JION
    line 1, column 30:
      CREATE VIRTUAL TABLE c USING SPAN_JION(a, b)
                                   ^^^^^^^^^
    did you mean `SPAN_JOIN`?
    ");
}

/// A view and the body of a function are texts, as in SQLite, and the rows of a table stay.
#[tokio::test]
async fn views_and_functions_read_what_was_put_in_place() {
    let session = session();
    let create = "CREATE PERFETTO TABLE t AS SELECT 1 AS a;
        CREATE PERFETTO TABLE kept AS SELECT a FROM t;
        CREATE PERFETTO VIEW v AS SELECT a FROM t;
        CREATE PERFETTO VIEW w AS SELECT a * 10 AS b FROM v;
        CREATE PERFETTO FUNCTION f() RETURNS LONG AS SELECT a FROM v;
        CREATE PERFETTO FUNCTION g() RETURNS LONG AS SELECT f() + 100;
        CREATE PERFETTO VIEW u AS SELECT g() AS c";
    let f = "CREATE OR REPLACE PERFETTO FUNCTION f() RETURNS LONG AS SELECT 7";
    for (change, expected) in [
        (create, ["1", "1", "10", "1", "101", "101"]),
        (
            "CREATE OR REPLACE PERFETTO TABLE t AS SELECT 2 AS a",
            ["1", "2", "20", "2", "102", "102"],
        ),
        ("CREATE OR REPLACE PERFETTO VIEW v AS SELECT 5 AS a", ["1", "5", "50", "5", "105", "105"]),
        (f, ["1", "5", "50", "7", "107", "107"]),
        (
            "DROP PERFETTO VIEW v; CREATE PERFETTO VIEW v AS SELECT 4 AS a",
            ["1", "4", "40", "7", "107", "107"],
        ),
    ] {
        assert_eq!(value(&session, &format!("{change}; SELECT 'done'")).await, "done");
        let read = ["a FROM kept", "a FROM v", "b FROM w", "f()", "g()", "c FROM u"];
        for (read, expected) in read.into_iter().zip(expected) {
            let sql = format!("SELECT {read}");
            assert_eq!(value(&session, &sql).await, expected, "{change}: {sql}");
        }
    }
    let change = "CREATE OR REPLACE PERFETTO VIEW v AS SELECT 4 AS a, 'x' AS text";
    let columns = "SELECT group_concat(name) FROM pragma_table_info('all_of_v')";
    let all = "CREATE PERFETTO VIEW all_of_v AS SELECT * FROM v";
    assert_eq!(value(&session, &format!("{all}; {columns}")).await, "a");
    assert_eq!(value(&session, &format!("{change}; {columns}")).await, "a,text");
    // A table can be made anew of what is made of it.
    let again = "CREATE PERFETTO VIEW of_t AS SELECT a + 1 AS a FROM t; \
                 CREATE OR REPLACE PERFETTO TABLE t AS SELECT a FROM of_t; SELECT a FROM t";
    assert_eq!(value(&session, again).await, "3");
    assert_eq!(value(&session, "SELECT a FROM of_t").await, "4");
    // A view of itself has no rows.
    let itself = "CREATE OR REPLACE PERFETTO VIEW v AS SELECT b AS a FROM w; SELECT a FROM v";
    let itself = said(&session, itself).await;
    assert!(itself.contains("is defined by itself"), "{itself}");
    let dropped = said(&session, "DROP PERFETTO TABLE t; SELECT a FROM of_t").await;
    assert!(dropped.contains("no table or view is called `t`"), "{dropped}");
}

#[tokio::test]
async fn views_read_tables_that_were_empty_or_other_ones() {
    let session = session();
    // A column without a type gets one from the first rows.
    let create = "CREATE TABLE own(x); CREATE VIEW of_own AS SELECT x FROM own;";
    let count = "SELECT count(*) FROM of_own";
    assert_eq!(value(&session, &format!("{create} {count}")).await, "0");
    assert_eq!(value(&session, "INSERT INTO own VALUES (3); SELECT x FROM of_own").await, "3");
    assert_eq!(value(&session, "INSERT INTO own VALUES (4); SELECT sum(x) FROM of_own").await, "7");
    let other = "DROP TABLE own; CREATE TABLE own(x INT); INSERT INTO own VALUES (9);";
    assert_eq!(value(&session, &format!("{other} SELECT sum(x) FROM of_own")).await, "9");
    assert_eq!(value(&session, &format!("DELETE FROM own; {count}")).await, "0");
    // So do those that read the numbers of rows.
    let create = "CREATE VIEW numbers AS SELECT _auto_id AS id, x FROM own;";
    let count = "SELECT count(*) FROM numbers";
    assert_eq!(value(&session, &format!("{create} {count}")).await, "0");
    let last = "SELECT max(id) FROM numbers";
    assert_eq!(value(&session, &format!("INSERT INTO own VALUES (8), (9); {last}")).await, "1");
    assert_eq!(value(&session, &format!("INSERT INTO own VALUES (5); {last}")).await, "2");
    assert_eq!(value(&session, &format!("DELETE FROM own WHERE x > 5; {count}")).await, "1");
}

#[tokio::test]
async fn a_view_keeps_its_order() {
    let session = session();
    let script = "CREATE VIEW by_name AS SELECT id, name FROM slice ORDER BY name DESC, id DESC;
        CREATE VIEW by_hidden AS SELECT id FROM slice ORDER BY ts DESC;
        CREATE VIEW totals AS SELECT count(*) AS n, 'a' AS kind FROM slice;
        SELECT 1 FROM slice LIMIT 0";
    rows(&session, script).await.unwrap();
    let ids = async |sql: &str| {
        let sql = format!("SELECT group_concat(id) FROM ({sql})");
        value(&session, &sql).await
    };
    assert_eq!(ids("SELECT * FROM by_hidden").await, "2,1,0");
    assert_eq!(ids("SELECT id FROM (SELECT * FROM by_hidden WHERE id <> 1)").await, "2,0");
    let all = ids("SELECT id, name FROM slice ORDER BY name DESC, id DESC").await;
    assert_eq!(ids("SELECT * FROM by_name").await, all);
    let first = ids("SELECT id, name FROM slice ORDER BY name DESC, id DESC LIMIT 2").await;
    assert_eq!(ids("SELECT id FROM by_name LIMIT 2").await, first);
    assert_eq!(
        value(&session, "SELECT count(*) FROM (SELECT * FROM totals WHERE kind = 'z')").await,
        "0"
    );
}

/// A session with modules of the user's own.
fn with_modules(modules: &[(&str, &str)]) -> Session {
    let module = |&(name, text): &(&str, &str)| SqlModule { name: name.into(), text: text.into() };
    let modules = modules.iter().map(module).collect();
    let options = SessionOptions { modules, ..SessionOptions::default() };
    Session::new(std::sync::Arc::new(super::trace()), &options).unwrap()
}

#[tokio::test]
async fn modules_are_included_once_and_read_when_named() {
    let session = with_modules(&[
        ("mine.base", "CREATE PERFETTO TABLE base AS SELECT ts FROM slice;"),
        (
            "mine.top",
            "INCLUDE PERFETTO MODULE mine.base;\nCREATE PERFETTO VIEW top AS SELECT * FROM base;",
        ),
        // Wrong, without effect until it is named.
        ("mine.wrong", "CREATE PERFETTO VIEW wrong AS\nSELECT tss FROM slice;"),
    ]);
    let script = "INCLUDE PERFETTO MODULE mine.top; INCLUDE PERFETTO MODULE mine.*; \
                  SELECT count(*) FROM top";
    assert_eq!(value(&session, script).await, "3");
    assert_snapshot!(said(&session, "SELECT 1,\n  x FROM wrong").await, @r"
    no column is called `tss`
    line 2, column 8 of module mine.wrong:
      SELECT tss FROM slice;
             ^^^
    in `wrong`, used at line 2, column 10
    did you mean `ts`?
    ");
    assert_snapshot!(said(&session, "INCLUDE PERFETTO MODULE mine.tpo").await, @r"
    no module is called `mine.tpo`
    line 1, column 25:
      INCLUDE PERFETTO MODULE mine.tpo
                              ^^^^^^^^
    did you mean `mine.top`?
    ");
    let fresh = with_modules(&[("mine.base", "CREATE PERFETTO TABLE base AS SELECT 1 AS one;")]);
    assert_snapshot!(said(&fresh, "SELECT * FROM base").await, @r"
    no table or view is called `base`
    line 1, column 15:
      SELECT * FROM base
                    ^^^^
    it is in a module: INCLUDE PERFETTO MODULE mine.base;
    ");
}
