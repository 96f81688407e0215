//! The field `metadata` of the outermost object.

use super::STATS;
use crate::imported::Imported;

const FACTS: &str = "SELECT name, key_type, int_value, str_value FROM metadata \
    WHERE name LIKE 'json_metadata%' ORDER BY name";

/// Each member is a fact; those of objects within it have the names of both.
#[test]
fn members_are_facts() {
    let trace = Imported::file(
        r#"{"metadata":{"os-name":"Linux","num-cpus":8,"bits":64.5,"is64":true,"none":null,
             "trace-config":"{\"record_mode\":\"full\"}","revision":{"id":"abc","of":{"year":2026}},
             "field-trials":["a","b"]},
            "traceEvents":[{"ph":"i","pid":1,"tid":1,"ts":1,"name":"x"}]}"#,
    );
    insta::assert_snapshot!(trace.rows(FACTS), @r#"
    name                            key_type  int_value  str_value
    json_metadata.bits              single    NULL       64.5
    json_metadata.field-trials      single    NULL       ["a","b"]
    json_metadata.is64              single    1          NULL
    json_metadata.num-cpus          single    8          NULL
    json_metadata.os-name           single    NULL       Linux
    json_metadata.revision.id       single    NULL       abc
    json_metadata.revision.of.year  single    2026       NULL
    json_metadata.trace-config      single    NULL       {"record_mode":"full"}
    "#);
    insta::assert_snapshot!(trace.rows(STATS), @"name  value");
}

/// What is no object is another program's field; damage in one is counted, and what is before it
/// kept.
#[test]
fn other_values() {
    let trace = Imported::file(
        r#"{"traceEvents":[{"ph":"i","pid":1,"tid":1,"ts":1,"name":"x"}],"metadata":[1,2]}"#,
    );
    insta::assert_snapshot!(trace.rows(FACTS), @"name  key_type  int_value  str_value");
    let trace = Imported::file(
        r#"{"traceEvents":[{"ph":"i","pid":1,"tid":1,"ts":1,"name":"x"}],
            "metadata":{"a":"1","b":01}}"#,
    );
    insta::assert_snapshot!(trace.rows(FACTS), @r"
    name             key_type  int_value  str_value
    json_metadata.a  single    NULL       1
    ");
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                 value
    json_parser_failure  1
    ");
}
