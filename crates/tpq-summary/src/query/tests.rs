//! The SQL of queries. What it gives is tested with traces, in the tests of the workspace.

use tpq_proto::message::TraceSummarySpec;
use tpq_proto::text;

use super::{Query, Relation, SharedQueries, Steps, select};
use crate::error::QueryError;

/// Cuts at semicolons.
fn split(sql: &str) -> Result<Vec<String>, tpq_sql::SqlError> {
    let statements = sql.split(';').map(str::trim).filter(|statement| !statement.is_empty());
    Ok(statements.map(str::to_owned).collect())
}

fn queries(spec: &str) -> Vec<Query> {
    match text::parse::<TraceSummarySpec>(spec) {
        Ok(spec) => spec.query,
        Err(error) => panic!("{error}"),
    }
}

/// The statements that the last query of a specification needs: what is included and run first,
/// then the SELECT of each step, where every step has the columns `id`, `ts`, `dur`, `name`.
fn statements(spec: &str) -> Result<Vec<String>, QueryError> {
    let queries = queries(spec);
    let Some((root, _)) = queries.split_last() else { return Ok(Vec::new()) };
    let shared = SharedQueries::of(&queries)?;
    let steps = Steps::of(root, &shared, &split)?;
    let modules = steps.modules.iter().map(|module| format!("include {module}"));
    let mut all: Vec<String> = modules.chain(steps.preambles.iter().cloned()).collect();
    let columns = ["id", "ts", "dur", "name"].map(str::to_owned).to_vec();
    let relation = |number| Relation { name: format!("q{number}"), columns: columns.clone() };
    let relations: Vec<Relation> = (0..steps.steps.len()).map(relation).collect();
    for step in &steps.steps {
        let inputs: Vec<&Relation> = step.inputs.iter().map(|&input| &relations[input]).collect();
        all.push(select(step, &inputs, None)?);
    }
    Ok(all)
}

/// The statements of a query with an id.
fn of(query: &str) -> Vec<String> {
    match statements(&format!("query {{ id: 'root' {query} }}")) {
        Ok(statements) => statements,
        Err(error) => panic!("{}", error.of("query")),
    }
}

fn error(spec: &str) -> String {
    match statements(spec) {
        Ok(statements) => panic!("{statements:?}"),
        Err(error) => error.of("query").to_string(),
    }
}

#[test]
fn operations_are_in_order() {
    let query = "table { table_name: 'slice' }
        filters { column_name: 'dur' op: GREATER_THAN int64_rhs: 5 }
        group_by { column_names: 'name' aggregates { column_name: 'dur' op: SUM } }
        select_columns { column_name_or_expression: 'sum_dur' alias: 'total' }
        select_columns { column_name: 'name' }
        order_by { ordering_specs { column_name: 'total' direction: DESC } }
        limit: 3 offset: 1";
    let expected = "SELECT `sum_dur` AS `total`, `name` AS `name`\n\
        FROM (\n\
        SELECT `name` AS `name`, sum(`dur`) AS `sum_dur`\n\
        FROM slice\n\
        WHERE `dur` > 5\n\
        GROUP BY `name`\n\
        )\n\
        ORDER BY `total` DESC\n\
        LIMIT 3 OFFSET 1";
    assert_eq!(of(query), [expected]);
}

#[test]
fn each_query_follows_those_it_reads() {
    let spec = "
        query { id: 'a' table { table_name: 'slice' } referenced_modules: 'm.a' }
        query { id: 'b' inner_query_id: 'a' limit: 1 }
        query { id: 'c' experimental_filter_in {
            base { inner_query_id: 'b' } match_values { inner_query_id: 'a' }
            base_column: 'id' match_column: 'id' } }";
    let expected = [
        "include m.a",
        "SELECT *\nFROM slice",
        "SELECT *\nFROM q0\nLIMIT 1",
        "SELECT *\nFROM q1",
        "SELECT *\nFROM q0",
        "SELECT *\nFROM (\nSELECT *\nFROM q2\n\
         WHERE `id` IN (SELECT `id` AS `matched` FROM q3 WHERE `id` IS NOT NULL)\n)",
    ];
    assert_eq!(statements(spec).unwrap_or_default(), expected);
}

#[test]
fn statements_before_the_last_one_are_run_first() {
    let query = "sql {
        sql: 'CREATE PERFETTO TABLE t AS SELECT 1 AS x; SELECT x FROM t JOIN $Other USING (x)'
        preamble: 'INCLUDE PERFETTO MODULE m'
        column_names: 'x'
        dependencies { alias: 'other' query { table { table_name: 'u' column_names: 'x' } } } }";
    let expected = [
        "INCLUDE PERFETTO MODULE m",
        "CREATE PERFETTO TABLE t AS SELECT 1 AS x",
        "SELECT *\nFROM (\nSELECT `x` AS `x`\nFROM u\n)",
        "SELECT *\nFROM (\nSELECT `x` AS `x`\nFROM (\nSELECT x FROM t JOIN q0 USING (x)\n)\n)",
    ];
    assert_eq!(of(query), expected);
}

#[test]
fn columns_of_joins_have_unique_names() {
    let query = "experimental_join {
        left_query { table { table_name: 'a' } } right_query { table { table_name: 'b' } }
        type: LEFT equality_columns { left_column: 'id' right_column: 'parent' } }";
    let expected = "SELECT *\nFROM (\n\
        SELECT l.`id` AS `id`, l.`ts` AS `ts`, l.`dur` AS `dur`, l.`name` AS `name`, \
        r.`id` AS `id_1`, r.`ts` AS `ts_1`, r.`dur` AS `dur_1`, r.`name` AS `name_1`\n\
        FROM q0 AS l\n\
        LEFT JOIN q1 AS r ON l.`id` = r.`parent`\n)";
    assert_eq!(of(query).last().map(String::as_str), Some(expected));
}

#[test]
fn filters_of_all_kinds() {
    let condition = |filters: &str| {
        let query = of(&format!("table {{ table_name: 't' }} {filters}"));
        let (_, condition) = query[0].split_once("WHERE ").unwrap_or_default();
        condition.to_owned()
    };
    for (filter, expected) in [
        ("op: EQUAL string_rhs: \"it's\"", "`x` = 'it''s'"),
        ("op: EQUAL int64_rhs: [1, 2]", "`x` IN (1, 2)"),
        ("op: NOT_EQUAL string_rhs: ['a', 'b']", "`x` NOT IN ('a', 'b')"),
        ("op: LESS_THAN double_rhs: 2.5", "`x` < 2.5"),
        ("op: LESS_THAN_EQUAL int64_rhs: -1", "`x` <= -1"),
        ("op: GREATER_THAN int64_rhs: [1, 2]", "(`x` > 1 OR `x` > 2)"),
        ("op: GREATER_THAN_EQUAL int64_rhs: 1", "`x` >= 1"),
        ("op: GLOB string_rhs: ['a*', '*b']", "(`x` GLOB 'a*' OR `x` GLOB '*b')"),
        ("op: IS_NULL", "`x` IS NULL"),
        ("op: IS_NOT_NULL", "`x` IS NOT NULL"),
    ] {
        assert_eq!(condition(&format!("filters {{ column_name: 'x' {filter} }}")), expected);
    }
    let group = "filters { column_name: 'x' op: EQUAL int64_rhs: 1 }
        experimental_filter_group { op: OR
            filters { column_name: 'y' op: IS_NULL }
            groups { op: AND filters { column_name: 'y' op: EQUAL int64_rhs: 2 }
                sql_expressions: 'z > 3 -- large' } }";
    let expected = "`x` = 1 AND (`y` IS NULL OR (`y` = 2 AND (\nz > 3 -- large\n)))";
    assert_eq!(condition(group), expected);
}

#[test]
fn aggregates_of_all_kinds() {
    let aggregate = |fields: &str| {
        let group = format!("group_by {{ aggregates {{ {fields} }} }}");
        let query = of(&format!("table {{ table_name: 't' }} {group}"));
        query[0].lines().nth(2).unwrap_or_default().to_owned()
    };
    for (fields, expected) in [
        ("op: COUNT", "SELECT count(*) AS `count`"),
        ("op: COUNT column_name: 'x'", "SELECT count(`x`) AS `count_x`"),
        ("op: COUNT_DISTINCT column_name: 'x'", "SELECT count(DISTINCT `x`) AS `count_distinct_x`"),
        ("op: MIN column_name: 'x' result_column_name: 'low'", "SELECT min(`x`) AS `low`"),
        ("op: MAX column_name: 'x'", "SELECT max(`x`) AS `max_x`"),
        ("op: MEAN column_name: 'x'", "SELECT avg(`x`) AS `mean_x`"),
        ("op: MEDIAN column_name: 'x'", "SELECT percentile(`x`, 50) AS `median_x`"),
        (
            "op: PERCENTILE column_name: 'x' percentile: 99.9",
            "SELECT percentile(`x`, 99.9) AS `percentile_x`",
        ),
    ] {
        assert_eq!(aggregate(fields), expected);
    }
}

#[test]
fn mistakes_are_errors() {
    let query = |fields: &str| format!("query {{ id: 'root' {fields} }}");
    let table = |fields: &str| query(&format!("table {{ table_name: 't' }} {fields}"));
    for (spec, message) in [
        (query(""), "a query has no source, such as `table` or `sql`"),
        (query("inner_query_id: 'root'"), "the query `root` reads itself"),
        (query("inner_query_id: 'x'"), "no query of the specification has the id `x`"),
        (query("sql { sql: ' ; ' }"), "`sql` has no statement"),
        (query("table {}"), "`table.table_name` is not set"),
        (query("experimental_join {}"), "`left_query` is not set"),
        (
            query("experimental_time_range { ts: 5 }"),
            "`experimental_time_range` is STATIC and needs `ts` and `dur`",
        ),
        (table("limit: -1"), "`limit` is negative: -1"),
        (table("group_by {}"), "`group_by` has neither columns nor aggregates"),
        (table("group_by { aggregates { op: SUM } }"), "the aggregate SUM has no `column_name`"),
        (
            table("group_by { aggregates { op: PERCENTILE column_name: 'x' percentile: 101 } }"),
            "`percentile` is not from 0 to 100: 101",
        ),
        (table("filters { column_name: 'x' }"), "the filter of `x` has no `op`"),
        (
            table("filters { column_name: 'x' op: EQUAL }"),
            "the filter of `x` has no value, such as `string_rhs`",
        ),
        (
            table("filters { column_name: 'x' op: GLOB int64_rhs: 1 }"),
            "the filter of `x` compares with a pattern, not a number",
        ),
        (
            query(
                "interval_intersect { base { table { table_name: 't' } } partition_columns: 'cpu' }",
            ),
            "query 0 of `interval_intersect` has no column `cpu`; it has id, ts, dur, name",
        ),
    ] {
        assert_eq!(error(&spec), format!("query: {message}"));
    }
}

#[test]
fn queries_that_read_one_another_are_limited() {
    let mut spec = "query { id: 'q0' table { table_name: 't' } }".to_owned();
    for number in 1..=300 {
        spec.push_str(&format!("query {{ id: 'q{number}' inner_query_id: 'q{}' }}", number - 1));
    }
    assert_eq!(error(&spec), "query: more than 200 queries read one another");
}
