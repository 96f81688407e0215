//! `tpq summarize`.

use insta::assert_snapshot;
use tpq_proto::message::TraceSummary;

use super::{bytes, rows};
use crate::command::Folder;

const SPEC: &str = "\
# Time in slices of more than 30 µs.
metric_spec {
  id: \"slice_time\"
  dimensions: \"name\"
  value: \"total\"
  unit: TIME_NANOS
  query: {
    table: { table_name: \"slice\" }
    filters: { column_name: \"dur\", op: GREATER_THAN, int64_rhs: 30000 }
    group_by: {
      column_names: \"name\"
      aggregates: { column_name: \"dur\", op: SUM, result_column_name: \"total\" }
    }
  }
}
query {
  id: \"about\"
  sql { sql: \"SELECT 'slices' AS key, count(*) AS value FROM slice\" }
}
";

fn folder() -> Folder {
    Folder::of(&[("trace.pftrace", &bytes()), ("spec.textproto", SPEC.as_bytes())])
}

const SUMMARIZE: [&str; 5] = ["summarize", "trace.pftrace", "-q", "--spec", "spec.textproto"];

/// Arguments after those that every run has.
fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    SUMMARIZE.iter().chain(more).copied().collect()
}

#[test]
fn text_in_and_text_out() {
    assert_snapshot!(folder().tell(&with(&["--metadata-query", "about"])), @r#"
    exit code: 0
    ----- stdout
    metadata {
      key: "slices"
      value: "4"
    }
    metric_bundles {
      bundle_id: "slice_time"
      row {
        values {
          double_value: 66000.000000
        }
        dimension {
          string_value: "main"
        }
      }
      row {
        values {
          double_value: 70000.000000
        }
        dimension {
          string_value: "outer"
        }
      }
      row {
        values {
          double_value: 105000.000000
        }
        dimension {
          string_value: "startup"
        }
      }
      specs {
        id: "slice_time"
        dimensions: "name"
        value: "total"
        query {
          table {
            table_name: "slice"
          }
          filters {
            column_name: "dur"
            op: GREATER_THAN
            int64_rhs: 30000
          }
          group_by {
            column_names: "name"
            aggregates {
              column_name: "dur"
              op: SUM
              result_column_name: "total"
            }
          }
        }
        unit: TIME_NANOS
      }
    }
    "#);
}

#[test]
fn json_has_the_names_of_the_fields() {
    let folder = folder();
    let output = folder.run(&with(&["--format", "json"]));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let at = |path: &str| json.pointer(&format!("/metric_bundles/0/{path}")).unwrap().clone();
    assert_eq!(at("bundle_id"), "slice_time");
    assert_eq!(at("row/2/values/0/double_value"), 105_000.0);
    assert_eq!(at("row/2/dimension/0/string_value"), "startup");
    assert_eq!(at("specs/0/unit"), "TIME_NANOS");
    assert_eq!(at("specs/0/query/filters/0/int64_rhs/0"), 30_000);
}

#[test]
fn bytes_go_to_a_file() {
    let folder = folder();
    assert_eq!(folder.tell(&with(&["-o", "summary.pb"])), "exit code: 0\n");
    let summary = tpq_proto::decode::<TraceSummary>(&folder.read("summary.pb")).unwrap();
    let rows: Vec<_> = summary.metric_bundles.iter().flat_map(rows).collect();
    assert_eq!(rows, ["main: 66000", "outer: 70000", "startup: 105000"]);
}

/// Before the trace is imported.
#[test]
fn mistakes_are_reported() {
    let folder = folder();
    let said = |arguments: &[&str]| String::from_utf8(folder.run(arguments).stderr).unwrap();
    assert_eq!(
        said(&with(&["--metrics-v2", "slice_time,slice_tme"])),
        "error: metric `slice_tme`: no specification has it; they have slice_time\n"
    );
    assert_eq!(
        said(&["summarize", "no.pftrace", "--spec", "trace.pftrace"]).lines().count(),
        1,
        "an error of one line"
    );
    std::fs::write(folder.path("bad.textproto"), "metric_spec {\n  ident: 'x' }").unwrap();
    assert_eq!(
        said(&["summarize", "no.pftrace", "--spec", "bad.textproto"]),
        "error: bad.textproto: line 2, column 3: `TraceMetricV2Spec` has no field `ident`\n"
    );
    let output = folder.run(&["summarize", "trace.pftrace"]);
    assert_eq!(output.status.code(), Some(2));
}
