//! The sources of structured queries.

use super::{by, error_of, lines, metric, rows_of, slices, values};

#[test]
fn tables() {
    let query = format!("table {{ table_name: 'slice' }} {}", by("ts"));
    assert_eq!(
        rows_of("name", "dur", &query),
        ["startup: 105000", "main: 66000", "outer: 70000", "inner: 25000"]
    );
    // Of a module, with some columns.
    let query = format!(
        "table {{ table_name: 'thread_slice' column_names: ['ts', 'name', 'tid', 'dur']
            module_name: 'slices.with_context' }} {}",
        by("ts")
    );
    assert_eq!(
        rows_of("name tid", "dur", &query),
        ["main 100: 66000", "outer 101: 70000", "inner 101: 25000"]
    );
    let query = "table { table_name: 'thread_slice' }
        referenced_modules: 'slices.with_context' filters { column_name: 'name' op: EQUAL
        string_rhs: 'main' }";
    assert_eq!(rows_of("", "tid", query), [": 100"]);
}

#[test]
fn statements() {
    // `main` takes 66 µs.
    let query = "sql {
        sql: \"CREATE PERFETTO TABLE long_slice AS SELECT * FROM slice WHERE dur > 66000; \"
            \"SELECT l.name, l.dur FROM long_slice l JOIN $mine m ON m.name = l.name -- end\"
        dependencies { alias: 'mine' query { sql {
            sql: \"SELECT column1 AS name FROM (VALUES ('outer'), ('main'))\" } } } }";
    assert_eq!(rows_of("name", "dur", query), ["outer: 70000"]);
    let query = "sql { preamble: 'CREATE PERFETTO TABLE one AS SELECT 1 AS x, 2 AS y'
        sql: 'SELECT x, y FROM one' column_names: 'y' column_names: 'x' }";
    assert_eq!(rows_of("y", "x", query), ["2: 1"]);
}

/// A statement that creates something is run once for all metrics that need it.
#[test]
fn statements_of_several_metrics() {
    let query = "sql { sql: 'CREATE PERFETTO TABLE one AS SELECT 1 AS x; SELECT x FROM one' }";
    let spec =
        format!("{} {}", metric("", "x", query), metric("", "x", query).replace("'m'", "'n'"));
    assert_eq!(lines(&slices(), &spec), [": 1", ": 1"]);
}

#[test]
fn simple_slices() {
    let of = |globs: &str| {
        let query = format!("simple_slices {{ {globs} }} {}", by("ts"));
        rows_of("slice_name thread_name process_name", "dur", &query)
    };
    assert_eq!(
        of("thread_name_glob: 'work*' process_name_glob: '/bin/*'"),
        ["outer worker /bin/app: 70000", "inner worker /bin/app: 25000"]
    );
    assert_eq!(of("slice_name_glob: 's*'"), ["startup NULL /bin/app: 105000"]);
    assert_eq!(of("").len(), 4);
}

#[test]
fn time_ranges() {
    let range = |fields: &str| {
        let query = format!("experimental_time_range {{ {fields} }}");
        rows_of("id ts", "dur", &query)
    };
    assert_eq!(range("mode: STATIC ts: 5 dur: 10"), ["0 5: 10"]);
    let bounds = slices().cells("SELECT trace_start(), trace_end()");
    let bounds: Vec<i64> = bounds[0].iter().map(|text| text.parse().unwrap()).collect();
    let (start, end) = (bounds[0], bounds[1]);
    assert_eq!(range("mode: DYNAMIC"), [format!("0 {start}: {}", end - start)]);
    assert_eq!(range("mode: DYNAMIC ts: 20000"), [format!("0 20000: {}", end - 20_000)]);
    assert_eq!(range("mode: DYNAMIC dur: 7"), [format!("0 {start}: 7")]);
}

#[test]
fn queries_of_queries() {
    let inner = "inner_query { table { table_name: 'slice' }
            filters { column_name: 'dur' op: GREATER_THAN int64_rhs: 66000 } }
        filters { column_name: 'name' op: NOT_EQUAL string_rhs: 'startup' }";
    assert_eq!(rows_of("name", "dur", inner), ["outer: 70000"]);
    let shared = format!(
        "query {{ id: 'long' table {{ table_name: 'slice' }}
            filters {{ column_name: 'dur' op: GREATER_THAN int64_rhs: 66000 }} }}
         query {{ id: 'two' inner_query_id: 'long' limit: 1 {} }} {}",
        by("ts"),
        metric("name", "dur", "inner_query_id: 'two'")
    );
    assert_eq!(lines(&slices(), &shared), ["startup: 105000"]);
}

#[test]
fn intersections_of_intervals() {
    let query = |base: &str, other: &str, partition: &str| {
        format!(
            "interval_intersect {{ base {{ {base} }} interval_intersect {{ {other} }} {partition} }}
             order_by {{ ordering_specs {{ column_name: 'ts' }} }}"
        )
    };
    let base = values("id ts dur name", "(1, 0, 10, 'a'), (2, 20, 10, 'b')");
    let other = values("id ts dur cpu", "(1, 5, 20, 7), (2, 30, 5, 8)");
    assert_eq!(
        rows_of("ts name id id_1 ts_0 ts_1 cpu cpu_1", "dur", &query(&base, &other, "")),
        ["5 a 1 1 0 5 7 7: 5", "20 b 2 1 20 5 7 7: 5"]
    );
    let base = values("id ts dur k", "(1, 0, 10, 'x'), (2, 0, 10, 'y')");
    let other = values("id ts dur k", "(1, 5, 10, 'y')");
    assert_eq!(rows_of("k ts", "dur", &query(&base, &other, "partition_columns: 'k'")), ["y 5: 5"]);
    // Without an end, an interval lasts until the end of the trace, at 110,000.
    let base = values("id ts dur", "(1, 0, -1)");
    let other = values("id ts dur", "(1, 5, 3), (2, 109998, 9)");
    assert_eq!(rows_of("ts dur_0", "dur", &query(&base, &other, "")), ["5 -1: 3", "109998 -1: 2"]);
}

#[test]
fn joins() {
    let query = |kind: &str, condition: &str| {
        let left = values("id name", "(1, 'a'), (2, 'b')");
        let right = values("parent name", "(1, 'x')");
        format!(
            "experimental_join {{ type: {kind} left_query {{ {left} }} right_query {{ {right} }}
             {condition} }} {}",
            by("id")
        )
    };
    let equal = "equality_columns { left_column: 'id' right_column: 'parent' }";
    assert_eq!(rows_of("name name_1", "id", &query("INNER", equal)), ["a x: 1"]);
    assert_eq!(rows_of("name name_1", "id", &query("LEFT", equal)), ["a x: 1", "b NULL: 2"]);
    let less = "freeform_condition { left_query_alias: 'p' right_query_alias: 'c'
        sql_expression: 'c.parent < p.id' }";
    assert_eq!(rows_of("name name_1", "id", &query("INNER", less)), ["b x: 2"]);
}

#[test]
fn unions() {
    // The second query has the columns in another order.
    let query = |all: bool| {
        let first = values("a v", "('x', 1), ('y', 2)");
        let second = values("v a", "(2, 'y'), (3, 'z')");
        format!(
            "experimental_union {{ queries {{ {first} }} queries {{ {second} }}
             use_union_all: {all} }} {}",
            by("v")
        )
    };
    assert_eq!(rows_of("a", "v", &query(false)), ["x: 1", "y: 2", "z: 3"]);
    assert_eq!(rows_of("a", "v", &query(true)), ["x: 1", "y: 2", "y: 2", "z: 3"]);
    let first = values("a v", "('x', 1)");
    let second = values("v b", "(2, 'y')");
    let different =
        format!("experimental_union {{ queries {{ {first} }} queries {{ {second} }} }}");
    assert_eq!(
        error_of("a", "v", &different),
        "metric `m`: query 2 of `experimental_union` does not have the columns of the first one; \
         only one of them has a, b"
    );
}

#[test]
fn added_columns() {
    let query = |columns: &str| {
        let core = values("id name", "(1, 'a'), (2, 'b')");
        let input = values("key label", "(1, 'one')");
        format!(
            "experimental_add_columns {{ core_query {{ {core} }} input_query {{ {input} }}
             equality_columns {{ left_column: 'id' right_column: 'key' }} {columns} }} {}",
            by("id")
        )
    };
    let columns = "input_columns { column_name_or_expression: 'label' alias: 'word' }
        input_columns { column_name_or_expression: 'input.key * 10' alias: 'ten' }";
    assert_eq!(rows_of("name word ten", "id", &query(columns)), ["a one 10: 1", "b NULL NULL: 2"]);
    let again = "input_columns { column_name: 'label' alias: 'Name' }";
    assert_eq!(
        error_of("name", "id", &query(again)),
        "metric `m`: `experimental_add_columns` has two columns `Name`; give the added one an \
         `alias`"
    );
}

/// The end at 2 is of no start, and the start at 20 has no end.
#[test]
fn created_slices() {
    let (starts, ends) = (values("ts", "(5), (20), (3)"), values("at", "(2), (4), (9)"));
    let query = format!(
        "experimental_create_slices {{ starts_query {{ {starts} }} ends_query {{ {ends} }}
         ends_ts_column: 'at' }}"
    );
    assert_eq!(rows_of("id ts", "dur", &format!("{query} {}", by("ts"))), ["0 3: 1", "1 5: 4"]);
}

/// The last value lasts until the end of the trace, at 110,000.
#[test]
fn intervals_of_counters() {
    let input = values("id ts track_id value", "(1, 100, 7, 5.0), (2, 110, 7, 6.0)");
    let query =
        format!("experimental_counter_intervals {{ input_query {{ {input} }} }} {}", by("ts"));
    assert_eq!(
        rows_of("id value next_value", "dur", &query),
        ["1 5.0 6.0: 10", "2 6.0 NULL: 109890"]
    );
}

#[test]
fn values_of_another_query() {
    let base = values("id name", "(1, 'a'), (2, 'b'), (3, NULL)");
    let query = format!(
        "experimental_filter_in {{ base {{ {base} }} match_values {{ {} }}
         base_column: 'name' match_column: 'word' }}",
        values("word", "('b'), (NULL), ('b'), ('c')")
    );
    assert_eq!(rows_of("name", "id", &query), ["b: 2"]);
}

#[test]
fn parts_within_intervals() {
    let query = |fields: &str| {
        let base = values("id ts dur name", "(1, 0, 10, 'a'), (2, 20, 10, 'b'), (3, 50, 5, 'c')");
        // The first two overlap and are one.
        let intervals = values("ts dur", "(5, 3), (7, 3), (22, 2), (26, 2)");
        format!(
            "experimental_filter_to_intervals {{ base {{ {base} }} intervals {{ {intervals} }}
             {fields} }} {}",
            by("ts")
        )
    };
    assert_eq!(
        rows_of("name ts original_ts original_dur", "dur", &query("")),
        ["a 5 0 10: 5", "b 22 20 10: 2", "b 26 20 10: 2"]
    );
    assert_eq!(
        rows_of("name ts", "dur", &query("clip_to_intervals: false")),
        ["a 0: 10", "b 20: 10"]
    );
    let only = query("select_columns: 'name'");
    assert!(error_of("id", "dur", &only).starts_with("metric `m`: "));
    assert_eq!(rows_of("name ts", "dur", &only).len(), 3);
    let base = values("id ts dur k", "(1, 0, 10, 'x'), (2, 0, 10, 'y')");
    let intervals = values("ts dur k", "(2, 3, 'x'), (4, 2, 'x'), (0, 100, 'z')");
    let parts = format!(
        "experimental_filter_to_intervals {{ base {{ {base} }} intervals {{ {intervals} }}
         partition_columns: 'k' }}"
    );
    assert_eq!(rows_of("k ts", "dur", &parts), ["x 2: 4"]);
}
