//! Metrics: dimensions, values, bundles, templates, and the metadata.

use tpq::SummaryOptions;
use tpq_proto::message::trace_metric_v2_bundle::InternedDimensionBundle;

use super::{dimension_text, error_of, lines, rows, rows_of, slices, summary, values};

fn error(spec: &str) -> String {
    match summary(&slices(), spec, &SummaryOptions::default()) {
        Ok(summary) => panic!("{summary:?}"),
        Err(error) => error,
    }
}

#[test]
fn dimensions_have_the_type_of_their_values() {
    let query = values("t i d n v", "('a', -7, 0.5, NULL, 1)");
    assert_eq!(rows_of("t i d n", "v", &query), ["a -7 0.5 NULL: 1"]);
    assert_eq!(error_of("t", "t", &query), "metric `m`: the value column `t` has text: 'a'");
    assert_eq!(
        error_of("x", "v", &format!("{query} select_columns {{ column_name: 'v' }}")),
        "metric `m`: the query has no column `x`; it has v"
    );
}

#[test]
fn dimensions_have_the_type_of_their_specification() {
    let spec = |kind: &str, value: &str| {
        format!(
            "metric_spec {{ id: 'm' dimensions_specs {{ name: 'd' type: {kind} }} value: 'v'
             query {{ {} }} }}",
            values("d v", &format!("({value}, 1)"))
        )
    };
    let of = |kind, value| lines(&slices(), &spec(kind, value));
    assert_eq!(of("STRING", "'a'"), ["a: 1"]);
    assert_eq!(of("INT64", "5"), ["5: 1"]);
    assert_eq!(of("DOUBLE", "5"), ["5.0: 1"]);
    assert_eq!(of("BOOLEAN", "1"), ["true: 1"]);
    assert_eq!(
        error(&spec("INT64", "'a'")),
        "metric `m`: the dimension `d` is INT64 and has the text 'a'"
    );
}

#[test]
fn dimensions_can_be_unique() {
    let spec = |rows: &str| {
        format!(
            "metric_spec {{ id: 'm' dimensions: ['a', 'b'] value: 'v'
             dimension_uniqueness: UNIQUE query {{ {} }} }}",
            values("a b v", rows)
        )
    };
    let fine = spec("('x', 1, 5), ('x', 2, 6), ('x', NULL, 7)");
    assert_eq!(lines(&slices(), &fine), ["x 1: 5", "x 2: 6", "x NULL: 7"]);
    assert_eq!(
        error(&spec("('x', 1, 5), ('y', 1, 6), ('x', 1, 7)")),
        "metric `m`: several rows have the dimensions ('x', 1), which are UNIQUE"
    );
}

/// Rows without any value are left out.
#[test]
fn templates_give_a_row_for_all_their_metrics() {
    let query = values("k low high", "('x', 1, NULL), ('y', NULL, NULL), ('z', 2, 3.5)");
    let template = |rest: &str| {
        format!(
            "metric_template_spec {{ id_prefix: 'mem' dimensions: 'k' query {{ {query} }}
             value_columns: ['low', 'high'] {rest} }}"
        )
    };
    let bundled = summary(&slices(), &template(""), &SummaryOptions::default()).unwrap();
    let [bundle] = &bundled.metric_bundles[..] else { panic!("{bundled:?}") };
    assert_eq!(bundle.bundle_id(), "mem");
    assert_eq!(rows(bundle), ["x: 1 NULL", "z: 2 3.5"]);
    let ids: Vec<&str> = bundle.specs.iter().map(|spec| spec.id()).collect();
    assert_eq!(ids, ["mem_low", "mem_high"]);
    let alone = template("disable_auto_bundling: true");
    assert_eq!(lines(&slices(), &alone), ["x: 1", "z: 2", "z: 3.5"]);
    let one = SummaryOptions { metrics: Some(vec!["mem_high".into()]), ..Default::default() };
    let one = summary(&slices(), &template(""), &one).unwrap();
    assert_eq!(rows(&one.metric_bundles[0]), ["z: 3.5"]);
}

#[test]
fn interned_dimensions_are_a_table_of_keys() {
    let spec = |names: &str| {
        format!(
            "metric_spec {{ id: 'm' dimensions: 'pid' value: 'v' query {{ {} }}
             interned_dimension_specs {{
                 key_column_spec {{ name: 'pid' type: INT64 }}
                 data_column_specs {{ name: 'name' type: STRING }}
                 data_column_specs {{ name: 'uid' }}
                 query {{ {} }} }} }}",
            values("pid v", "(7, 1), (8, 2)"),
            values("uid pid name", names)
        )
    };
    let spec_of_two = spec("(1000, 7, 'app'), (NULL, 8, 'other')");
    let computed = summary(&slices(), &spec_of_two, &SummaryOptions::default()).unwrap();
    let bundle = &computed.metric_bundles[0];
    assert_eq!(rows(bundle), ["7: 1", "8: 2"]);
    let table = |bundle: &InternedDimensionBundle| -> Vec<String> {
        let line = bundle.interned_dimension_rows.iter().map(|row| {
            let values = row.key_dimension_value.iter().chain(&row.interned_dimension_values);
            values.map(dimension_text).collect::<Vec<_>>().join(" ")
        });
        line.collect()
    };
    let tables: Vec<_> = bundle.interned_dimension_bundles.iter().map(table).collect();
    assert_eq!(tables, [["7 app 1000", "8 other NULL"]]);
    assert_eq!(
        error(&spec("(1, 7, 'app'), (2, 7, 'app')")),
        "interned dimensions of metric `m`: two rows have the same key `pid`"
    );
}

#[test]
fn metadata_is_a_query_of_keys_and_values() {
    let spec = format!(
        "query {{ id: 'about' {} }}",
        values("value key", "('5', 'count'), (NULL, 'none')")
    );
    let of = |id: &str| {
        let options =
            SummaryOptions { metadata_query: Some(id.to_owned()), ..SummaryOptions::default() };
        summary(&slices(), &spec, &options)
    };
    let metadata = of("about").unwrap().metadata;
    let pairs: Vec<_> =
        metadata.iter().map(|it| (it.key.as_deref(), it.value.as_deref())).collect();
    assert_eq!(pairs, [(Some("count"), Some("5")), (Some("none"), None)]);
    assert_eq!(
        of("x").unwrap_err(),
        "metadata query `x`: no query of the specification has the id `x`"
    );
}

#[test]
fn errors_of_sql_name_the_metric_and_show_the_statement() {
    let message = error_of("name", "dur", "table { table_name: 'slicee' }");
    let start = "metric `m`: no table or view is called `slicee`\nline 2, column 6:\n";
    assert!(message.starts_with(start), "{message}");
    assert!(message.contains("\ndid you mean `slice"), "{message}");
}

#[test]
fn memory_is_limited() {
    let spec = super::metric("name", "dur", "table { table_name: 'slice' }");
    let options = SummaryOptions { memory_limit: Some(100), ..SummaryOptions::default() };
    let message = summary(&slices(), &spec, &options).unwrap_err();
    assert!(message.starts_with("the summary needs more than 100 bytes"), "{message}");
}
