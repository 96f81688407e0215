//! Filters, groups, columns, order and limits of structured queries.

use super::{by, rows_of, values};

/// The names of rows that pass filters.
fn kept(filters: &str) -> String {
    let rows = "(1, 'a', 0.5), (2, 'b', NULL), (3, 'ab', 2.0), (4, NULL, -1.0)";
    let query = format!("{} {filters} {}", values("id name x", rows), by("id"));
    let lines = rows_of("", "id", &query);
    let ids: Vec<&str> = lines.iter().map(|line| line.trim_start_matches(": ")).collect();
    ids.join(" ")
}

#[test]
fn filters() {
    let filter = |filter: &str| kept(&format!("filters {{ {filter} }}"));
    assert_eq!(filter("column_name: 'name' op: EQUAL string_rhs: 'a'"), "1");
    assert_eq!(filter("column_name: 'name' op: EQUAL string_rhs: ['a', 'ab']"), "1 3");
    assert_eq!(filter("column_name: 'name' op: NOT_EQUAL string_rhs: 'a'"), "2 3");
    assert_eq!(filter("column_name: 'name' op: NOT_EQUAL string_rhs: ['a', 'b']"), "3");
    assert_eq!(filter("column_name: 'name' op: GLOB string_rhs: 'a*'"), "1 3");
    assert_eq!(filter("column_name: 'name' op: GLOB string_rhs: ['*b', 'x']"), "2 3");
    assert_eq!(filter("column_name: 'name' op: IS_NULL"), "4");
    assert_eq!(filter("column_name: 'name' op: IS_NOT_NULL"), "1 2 3");
    assert_eq!(filter("column_name: 'x' op: LESS_THAN double_rhs: 0.5"), "4");
    assert_eq!(filter("column_name: 'x' op: LESS_THAN_EQUAL double_rhs: 0.5"), "1 4");
    assert_eq!(filter("column_name: 'x' op: GREATER_THAN int64_rhs: -1"), "1 3");
    assert_eq!(filter("column_name: 'x' op: GREATER_THAN_EQUAL int64_rhs: -1"), "1 3 4");
    assert_eq!(filter("column_name: 'id' op: EQUAL int64_rhs: 2 double_rhs: 3.0"), "2 3");
    assert_eq!(filter("column_name: 'id % 2' op: EQUAL int64_rhs: 0"), "2 4");
    // Several filters hold together.
    let both = "filters { column_name: 'id' op: GREATER_THAN int64_rhs: 1 }
        filters { column_name: 'id' op: LESS_THAN int64_rhs: 4 }";
    assert_eq!(kept(both), "2 3");
}

#[test]
fn filter_groups() {
    let group = |group: &str| kept(&format!("experimental_filter_group {{ {group} }}"));
    let (one, two) = (
        "filters { column_name: 'id' op: EQUAL int64_rhs: 1 }",
        "filters { column_name: 'name' op: EQUAL string_rhs: 'b' }",
    );
    assert_eq!(group(&format!("op: OR {one} {two}")), "1 2");
    assert_eq!(group(&format!("op: AND {one} {two}")), "");
    assert_eq!(group(one), "1");
    assert_eq!(
        group(&format!(
            "op: OR {one} groups {{ op: AND {two}
        sql_expressions: 'id + 0 = 2 -- two' }} sql_expressions: 'name IS NULL'"
        )),
        "1 2 4"
    );
    let with_filter = format!(
        "filters {{ column_name: 'id' op: NOT_EQUAL int64_rhs: 1 }}
         experimental_filter_group {{ op: OR {one} {two} }}"
    );
    assert_eq!(kept(&with_filter), "2");
}

/// The aggregate of each group. A group without a value gives no row.
fn aggregated(aggregate: &str) -> Vec<String> {
    let rows = "('y', NULL, 5), ('x', 3, 30), ('x', 1, 10), ('x', 3, -1)";
    let query = format!(
        "{} group_by {{ column_names: 'k' aggregates {{ {aggregate} result_column_name: 'r' }} }}",
        values("k v dur", rows)
    );
    rows_of("k", "r", &query)
}

#[test]
fn aggregates() {
    assert_eq!(aggregated("op: COUNT"), ["x: 3", "y: 1"]);
    assert_eq!(aggregated("op: COUNT column_name: 'v'"), ["x: 3", "y: 0"]);
    assert_eq!(aggregated("op: COUNT_DISTINCT column_name: 'v'"), ["x: 2", "y: 0"]);
    assert_eq!(aggregated("op: SUM column_name: 'v'"), ["x: 7"]);
    assert_eq!(aggregated("op: MIN column_name: 'v'"), ["x: 1"]);
    assert_eq!(aggregated("op: MAX column_name: 'dur'"), ["x: 30", "y: 5"]);
    assert_eq!(aggregated("op: MEAN column_name: 'v'"), ["x: 2.3333333333333335"]);
    assert_eq!(aggregated("op: MEDIAN column_name: 'v'"), ["x: 3"]);
    // Between 1 and 3.
    assert_eq!(aggregated("op: PERCENTILE percentile: 25 column_name: 'v'"), ["x: 2"]);
    // 3 for 30 ns and 1 for 10; the row without an end has no weight.
    assert_eq!(aggregated("op: DURATION_WEIGHTED_MEAN column_name: 'v'"), ["x: 2.5"]);
    assert_eq!(aggregated("op: CUSTOM custom_sql_expression: 'max(v) - min(v)'"), ["x: 2"]);
}

#[test]
fn groups() {
    let rows = values("k l v", "('b', 1, 5), ('a', 2, 6), ('b', 1, 7), ('a', 1, 8)");
    // In the order of their columns.
    let query = format!(
        "{rows} group_by {{ column_names: ['k', 'l'] aggregates {{ column_name: 'v' op: SUM }} }}"
    );
    assert_eq!(rows_of("k l", "sum_v", &query), ["a 1: 8", "a 2: 6", "b 1: 12"]);
    // All rows are one group.
    let query = format!("{rows} group_by {{ aggregates {{ op: COUNT }} }}");
    assert_eq!(rows_of("", "count", &query), [": 4"]);
    // Distinct values.
    let query = format!("{rows} group_by {{ column_names: 'l' }}");
    assert_eq!(rows_of("", "l", &query), [": 1", ": 2"]);
    // Filters are applied before, columns and the order after.
    let query = format!(
        "{rows} filters {{ column_name: 'v' op: NOT_EQUAL int64_rhs: 8 }}
         group_by {{ column_names: 'k' aggregates {{ column_name: 'v' op: MAX }} }}
         select_columns {{ column_name: 'max_v' alias: 'most' }}
         select_columns {{ column_name_or_expression: 'upper(k)' alias: 'Key' }}
         order_by {{ ordering_specs {{ column_name: 'most' direction: DESC }} }}"
    );
    assert_eq!(rows_of("key", "most", &query), ["B: 7", "A: 6"]);
}

#[test]
fn columns_order_and_limit() {
    let rows = values("id name", "(1, 'a'), (2, 'b'), (3, 'c'), (4, 'a')");
    let query = |rest: &str| format!("{rows} {rest}");
    let order = "order_by { ordering_specs { column_name: 'name' direction: DESC }
        ordering_specs { column_name: 'id' direction: ASC } }";
    assert_eq!(rows_of("name", "id", &query(order)), ["c: 3", "b: 2", "a: 1", "a: 4"]);
    assert_eq!(rows_of("", "id", &query(&format!("{order} limit: 2"))), [": 3", ": 2"]);
    assert_eq!(rows_of("", "id", &query(&format!("{order} limit: 2 offset: 1"))), [": 2", ": 1"]);
    assert_eq!(rows_of("", "id", &query(&format!("{order} offset: 3"))), [": 4"]);
    // An order by a column that is not selected.
    let query = query(
        "select_columns { column_name_or_expression: 'id * 10' alias: 'ten' }
         order_by { ordering_specs { column_name: 'id' direction: DESC } } limit: 1",
    );
    assert_eq!(rows_of("", "ten", &query), [": 40"]);
}
