//! Other programs read a lake: `deltalake`, pandas and DuckDB, where there is a Python with them.

use std::process::{Command, Stdio};

use super::lake;
use crate::command::describe;

/// Reads the lake at its first argument, and fails where the rows are not those of the traces.
const SCRIPT: &str = r#"
import sys
import duckdb
from deltalake import DeltaTable

lake = sys.argv[1]
traces = DeltaTable(f"{lake}/traces").to_pandas()
assert sorted(traces.trace_path) == ["a.pftrace", "b.pftrace", "c.pftrace"], traces
slices = DeltaTable(f"{lake}/slice").to_pandas()
whole = slices.merge(traces[["trace_digest", "trace_path"]], on="trace_digest")
sums = whole.groupby("trace_path").dur.sum().to_dict()
assert sums == {"a.pftrace": 3, "b.pftrace": 30, "c.pftrace": 15}, sums
raven = DeltaTable(f"{lake}/slice").to_pandas(partitions=[("device", "=", "brand/raven")])
assert len(raven) == 3, raven

files = DeltaTable(f"{lake}/slice").file_uris()
rows = duckdb.sql(
    f"SELECT t.device, sum(s.dur)::INT FROM read_parquet({files}, hive_partitioning = false) s "
    f"JOIN read_parquet({DeltaTable(f'{lake}/traces').file_uris()}) t USING (trace_digest) "
    "GROUP BY 1 ORDER BY 1"
).fetchall()
assert rows == [("brand/oriole", 15), ("brand/raven", 33)], rows
day = duckdb.sql(
    f"SELECT sum(dur)::INT FROM read_parquet('{lake}/slice/**/*.parquet', hive_partitioning = true) "
    "WHERE day = '2026-03-31'"
).fetchall()
assert day == [(45,)], day
"#;

#[test]
fn other_programs_read_a_lake() {
    let python = std::env::var("TPQ_LAKE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has = Command::new(&python)
        .args(["-c", "import deltalake, duckdb, pandas"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !has.is_ok_and(|status| status.success()) {
        eprintln!(
            "skipped: there is no Python with deltalake, duckdb and pandas; TPQ_LAKE_PYTHON names one"
        );
        return;
    }
    let folder = lake();
    for joined in [false, true] {
        if joined {
            let output = folder.run(&["lake", "compact", "--lake", "lake"]);
            assert!(output.status.success(), "{}", describe(&output));
            let vacuum = ["lake", "vacuum", "--lake", "lake", "--older-than", "0h"];
            let output = folder.run(&vacuum);
            assert!(output.status.success(), "{}", describe(&output));
        }
        let output =
            Command::new(&python).args(["-c", SCRIPT]).arg(folder.path("lake")).output().unwrap();
        assert!(output.status.success(), "{}", describe(&output));
    }
}
