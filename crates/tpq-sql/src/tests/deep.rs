//! Statements that are long, deep or large: they give their rows, or an error that states a limit,
//! on a thread with a small stack.

use std::fmt::Write;
use std::sync::Arc;

use super::{rows, trace};
use crate::{CancelToken, Session, SessionOptions, SqlErrorKind};

/// The text of the only value of a query, or the kind and text of its error.
fn answer(sql: &str) -> Result<String, (SqlErrorKind, String)> {
    let (sql, options) = (sql.to_owned(), SessionOptions::default());
    let run = move || {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.thread_stack_size(1 << 20).worker_threads(2).build().unwrap();
        runtime.block_on(async {
            let session = Session::new(Arc::new(trace()), &options).unwrap();
            let table = rows(&session, &sql).await;
            table.map_err(|error| (error.kind(), error.report()))
        })
    };
    // No more than this is there to parse, plan, run and drop a statement.
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(run).unwrap();
    let table = thread.join().unwrap()?;
    let value = table.lines().nth(3).unwrap_or_default();
    Ok(value.trim_matches(|c| c == '|' || c == ' ').to_owned())
}

fn value(sql: &str) -> String {
    answer(sql).unwrap()
}

fn refused(sql: &str, part: &str) {
    let (kind, report) = answer(sql).unwrap_err();
    assert_eq!(kind, SqlErrorKind::TooLarge, "{report}");
    assert!(report.contains(part), "{report}");
}

fn joined(count: usize, between: &str, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<_>>().join(between)
}

#[test]
fn long_sums_have_the_value_of_their_parts_from_left_to_right() {
    assert_eq!(value(&format!("SELECT {} AS x", joined(10_000, "+", |_| "1".into()))), "10000");
    let signs = |at: usize| if at.is_multiple_of(3) { "-" } else { "+" };
    let mixed = (1..2_000).fold("0".to_owned(), |sql, at| format!("{sql} {} {at}", signs(at)));
    let wanted: i64 = (1..2_000).map(|at: i64| if at % 3 == 0 { -at } else { at }).sum();
    assert_eq!(value(&format!("SELECT {mixed} AS x")), wanted.to_string());
    let reals = joined(1_000, " + ", |at| format!("0.{}", at + 1));
    let wanted =
        (0..1_000).fold(0.0, |sum, at| sum + format!("0.{}", at + 1).parse::<f64>().unwrap());
    assert_eq!(value(&format!("SELECT ({reals}) = {wanted:?} AS x")), "1");
    let columns = joined(300, " + ", |_| "dur".into());
    assert_eq!(value(&format!("SELECT max({columns}) AS x FROM slice")), "15000");
}

#[test]
fn long_conditions_hold_for_the_same_rows() {
    let one_of = joined(20_000, " OR ", |at| format!("dur = {}", at + 40));
    assert_eq!(value(&format!("SELECT count(*) FROM slice WHERE {one_of}")), "1");
    let none_of = joined(3_000, " AND ", |at| format!("dur <> {at}"));
    assert_eq!(value(&format!("SELECT count(*) FROM slice WHERE {none_of}")), "1");
    let unknown = joined(500, " AND ", |at| if at == 400 { "NULL".into() } else { "1".into() });
    assert_eq!(value(&format!("SELECT ({unknown}) IS NULL AS x")), "1");
    assert_eq!(value(&format!("SELECT ({unknown} AND 0) IS NULL AS x")), "0");
}

#[test]
fn long_texts_are_joined() {
    let texts = joined(10_000, " || ", |at| format!("'{}'", at % 10));
    assert_eq!(value(&format!("SELECT length({texts}) AS x")), "10000");
    let columns = joined(300, " || ", |_| "name".into());
    assert_eq!(value(&format!("SELECT max(length({columns})) AS x FROM slice")), "1800");
}

#[test]
fn long_unions_have_all_rows() {
    let union = joined(3_000, " UNION ALL ", |at| format!("SELECT {at} AS x"));
    assert_eq!(value(&format!("SELECT sum(x) FROM ({union})")), "4498500");
    let distinct = joined(300, " UNION ", |at| format!("SELECT {} AS x", at % 7));
    assert_eq!(value(&format!("SELECT count(*) FROM ({distinct})")), "7");
    let recursive = joined(150, " UNION ALL ", |at| format!("SELECT {at} AS x"));
    let sql = format!(
        "WITH RECURSIVE t(x) AS ({recursive} UNION ALL SELECT x + 1000 FROM t WHERE x < 1000)
         SELECT count(*) FROM t"
    );
    assert_eq!(value(&sql), "300");
}

#[test]
fn long_lists_and_cases_are_fine() {
    let list = joined(100_000, ",", |at| at.to_string());
    assert_eq!(value(&format!("SELECT count(*) AS x FROM slice WHERE dur IN ({list})")), "2");
    let branches = joined(3_000, " ", |at| format!("WHEN dur = {at} THEN {}", at * 2));
    assert_eq!(value(&format!("SELECT max(CASE {branches} END) AS x FROM slice")), "100");
}

#[test]
fn nesting_is_planned_up_to_a_depth() {
    let nested = |count: usize| format!("SELECT {}1{} AS x", "(".repeat(count), ")".repeat(count));
    assert_eq!(value(&nested(200)), "1");
    let calls =
        |count: usize| format!("SELECT {}1{} AS x", "abs(".repeat(count), ")".repeat(count));
    assert_eq!(value(&calls(100)), "1");
    for deep in [1_000, 10_000] {
        refused(&nested(deep), "400 levels");
        refused(&calls(deep), "400 levels");
        refused(&format!("SELECT {}1", "- ".repeat(deep)), "400 levels");
        let queries =
            format!("SELECT * FROM {}t{}", "(SELECT * FROM ".repeat(deep), ")".repeat(deep));
        refused(&queries, "400 levels");
    }
    refused(&format!("SELECT 1{}", " / 1".repeat(1_200)), "1000 levels");
    refused(&format!("SELECT 1{}", "::int".repeat(1_200)), "1000 levels");
    refused(&format!("SELECT 1{}", " / 1".repeat(200_000)), "100000 words");
    let tables = joined(300, ", ", |at| format!("slice s{at}"));
    refused(&format!("SELECT 1 FROM {tables}"), "200 at most");
    let in_from =
        format!("SELECT * FROM {}slice{}", "((SELECT * FROM ".repeat(30), ") JOIN cpu)".repeat(30));
    refused(&in_from, "brackets of FROM");
    let (kind, _) = answer(&format!("SELECT 1 {}", "ISNULL ".repeat(10_000))).unwrap_err();
    assert_eq!(kind, SqlErrorKind::Syntax);
}

#[test]
fn five_hundred_views_may_build_on_one_another() {
    let mut sql = "CREATE VIEW v0 AS SELECT id, dur FROM slice;".to_owned();
    for at in 1..=500 {
        write!(sql, "CREATE VIEW v{at} AS SELECT id, dur + 1 AS dur FROM v{};", at - 1).unwrap();
    }
    sql.push_str("SELECT max(dur) FROM v500");
    assert_eq!(value(&sql), "550");
}

#[test]
fn doubling_expansions_are_refused() {
    let with = |step: &str| {
        let ctes = (1..40).map(|at| {
            step.replace("NEW", &format!("a{at}")).replace("OLD", &format!("a{}", at - 1))
        });
        let ctes: Vec<String> = ctes.collect();
        format!("WITH a0 AS (SELECT 1 AS x), {} SELECT count(*) FROM a39", ctes.join(", "))
    };
    refused(&with("NEW AS (SELECT * FROM OLD, OLD AS b)"), "500000");
    refused(&with("NEW AS (SELECT * FROM OLD UNION ALL SELECT * FROM OLD)"), "500000");
    refused(
        &with("NEW AS (SELECT (SELECT max(x) FROM OLD) + (SELECT min(x) FROM OLD) AS x)"),
        "500000",
    );
    let mut views = "CREATE VIEW v0 AS SELECT 1 AS x;".to_owned();
    let mut functions =
        "CREATE PERFETTO FUNCTION f0(x LONG) RETURNS LONG AS SELECT $x + $x;".to_owned();
    for (at, old) in (1..40).zip(0..) {
        write!(views, "CREATE VIEW v{at} AS SELECT a.x + b.x AS x FROM v{old} a, v{old} b;")
            .unwrap();
        write!(
            functions,
            "CREATE PERFETTO FUNCTION f{at}(x LONG) RETURNS LONG AS SELECT f{old}(f{old}($x));"
        )
        .unwrap();
    }
    refused(&format!("{views} SELECT 1"), "500000");
    refused(&format!("{functions} SELECT 1"), "500000");
}

#[test]
fn doubling_comparisons_are_refused() {
    let (mut searched, mut chosen) = ("id".to_owned(), "id".to_owned());
    for _ in 0..40 {
        let results = "CASE WHEN id > 1 THEN 1 END, CASE WHEN id > 2 THEN 0 END";
        searched = format!("({searched} IN ({results}))");
        chosen = format!("CASE {chosen} WHEN 'a' THEN 1 WHEN 'b' THEN 2 END");
    }
    refused(&format!("SELECT {searched} AS x FROM slice"), "too large");
    refused(&format!("SELECT {chosen} AS x FROM slice"), "too large");
    let many = joined(4_200, ", ", |at| format!("CASE WHEN depth = 0 THEN {at} END"));
    assert_eq!(value(&format!("SELECT count(*) FROM slice WHERE id IN ({many})")), "3");
}

#[test]
fn doubling_values_are_refused() {
    let mut between = "id".to_owned();
    let mut chosen = "name COLLATE NOCASE".to_owned();
    let (mut greatest, mut equal) = (chosen.clone(), chosen.clone());
    for at in 0..40 {
        between = format!("({between} BETWEEN 0 AND {at})");
        chosen = format!("CASE {chosen} WHEN 'a' THEN 'b' WHEN 'b' THEN 'a' END");
        greatest = format!("max({greatest}, 'b{at}')");
        equal = format!("nullif({equal}, 'b{at}')");
    }
    let (mut row, mut rows) = ("1".to_owned(), "1".to_owned());
    for _ in 0..40 {
        row = format!("(id, abs(id)) = (SELECT id, {row} FROM slice)");
        rows = format!("(id, 1) IN (SELECT id, {rows} FROM slice)");
    }
    for value in [between, chosen, greatest, equal, row, rows] {
        refused(&format!("SELECT {value} AS x FROM slice"), "copies of expressions");
    }
}

#[test]
fn values_that_are_chosen_within_each_other_are_planned_up_to_a_depth() {
    let calls =
        (0..60).fold("nullif(id, 1)".to_owned(), |value, _| format!("coalesce({value}, 5)"));
    assert_eq!(value(&format!("SELECT sum({calls}) AS x FROM slice")), "7");
    let others = (0..40).fold("7".to_owned(), |value, at| {
        format!("CASE WHEN id = {at} THEN {at} ELSE abs({value}) END")
    });
    assert_eq!(value(&format!("SELECT sum({others}) AS x FROM slice")), "3");
    let steps = [
        "coalesce(CASE WHEN id >= LEVEL THEN VALUE END, LEVEL)",
        "abs(CASE WHEN id >= LEVEL THEN VALUE ELSE LEVEL END)",
        "abs(CASE id >= LEVEL WHEN true THEN VALUE ELSE LEVEL END)",
        "CASE WHEN id >= LEVEL THEN VALUE END + 0",
        "abs(iif(id >= LEVEL, VALUE, LEVEL))",
    ];
    for step in steps {
        let nested = |levels: usize| {
            (0..levels).fold("id".to_owned(), |value, at| {
                step.replace("VALUE", &value).replace("LEVEL", &at.to_string())
            })
        };
        assert!(answer(&format!("SELECT max({}) AS x FROM slice", nested(6))).is_ok(), "{step}");
        refused(&format!("SELECT max({}) AS x FROM slice", nested(40)), "more than 16 levels");
    }
}

#[test]
fn doubling_full_joins_are_refused() {
    let mut sql = "SELECT count(*) FROM slice s0".to_owned();
    for (at, left) in (1..40).zip(0..) {
        let within = format!("SELECT max(c.id) FROM slice c WHERE c.id < s{at}.id + s{left}.id");
        write!(sql, " FULL JOIN slice s{at} ON s{left}.id = ({within})").unwrap();
    }
    refused(&sql, "too large");
    let mut nested = "SELECT id FROM slice".to_owned();
    for at in 0..40 {
        nested = format!(
            "SELECT a{at}.id FROM slice a{at} FULL JOIN slice b{at} ON a{at}.id = \
             (SELECT max(x.id) FROM ({nested}) x WHERE x.id < a{at}.id + b{at}.id)"
        );
    }
    refused(&nested, "too large");
}

#[test]
fn subqueries_in_subqueries_are_planned_once() {
    let levels = 25;
    let mut sql = "SELECT count(*) FROM slice s0 WHERE ".to_owned();
    for (at, outer) in (1..=levels).zip(0..) {
        write!(sql, "EXISTS (SELECT 1 FROM slice s{at} WHERE s{at}.id = s{outer}.parent_id AND ")
            .unwrap();
    }
    sql.push('1');
    sql.push_str(&")".repeat(levels));
    assert_eq!(value(&sql), "0");
}

#[test]
fn long_conditions_and_lists_of_columns_are_planned_in_seconds() {
    let sum = joined(10_000, "+", |_| "1".into());
    assert_eq!(value(&format!("SELECT count(*) FROM slice WHERE {sum} > id")), "3");
    let texts = joined(10_000, "||", |_| "'a'".into());
    assert_eq!(value(&format!("SELECT count(*) FROM slice WHERE {texts} > 'a'")), "3");
    let columns = joined(5_000, ",", |_| "1".into());
    assert_eq!(value(&format!("SELECT count(*) FROM (SELECT {columns})")), "1");
}

#[test]
fn long_chains_have_the_type_of_short_ones() {
    let ones = joined(150, "+", |_| "1".into());
    for (first, wanted) in [("'1'", "integer 151"), ("'1.5'", "real 151.5"), ("'x'", "integer 150")]
    {
        let sum = format!("{first}+{ones}");
        assert_eq!(value(&format!("SELECT typeof({sum}) || ' ' || ({sum}) AS x")), wanted);
    }
}

#[test]
fn growing_expansions_are_refused() {
    let sum = joined(900, "/", |_| "1".into());
    let uses = joined(5_000, " OR ", |at| format!("a = {at}"));
    refused(&format!("SELECT {sum} AS a FROM slice WHERE {uses}"), "500000");
    let mut functions =
        "CREATE PERFETTO FUNCTION f0(x LONG) RETURNS LONG AS SELECT $x + 1;".to_owned();
    let halves = "/2".repeat(900);
    for (at, old) in (1..20).zip(0..) {
        write!(
            functions,
            "CREATE PERFETTO FUNCTION f{at}(x LONG) RETURNS LONG AS SELECT f{old}($x){halves};"
        )
        .unwrap();
    }
    refused(&format!("{functions} SELECT f19(1)"), "levels deep");
    let body = joined(20_000, "+", |_| "$x".into());
    let argument = joined(20_000, "+", |_| "1".into());
    let sql = format!(
        "CREATE PERFETTO MACRO many(x Expr) RETURNS Expr AS {body}; SELECT many!({argument})"
    );
    let (_, report) = answer(&sql).unwrap_err();
    assert!(report.contains("too much text"), "{report}");
}

#[test]
fn rows_of_deep_statements_are_counted_on_a_small_stack() {
    let count = || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let session = Session::new(Arc::new(trace()), &SessionOptions::default()).unwrap();
            let sql = format!("SELECT dur{} AS x FROM slice", "/1".repeat(900));
            let statement = session.statements(&sql).unwrap().remove(0);
            session.count_rows(&statement, &CancelToken::default()).await.unwrap()
        })
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(count).unwrap();
    assert_eq!(thread.join().unwrap(), Some(3));
}
