//! Functions that look up rows of a trace: args, kernel events, metadata, packages.

use std::sync::Arc;

use tpq_tables::table::*;
use tpq_tables::{StringId, Tables};

use super::rows;
use crate::{Session, SessionOptions};

/// set, key, type, then the value as integer, text or real.
type Arg = (u32, &'static str, &'static str, Option<i64>, Option<&'static str>, Option<f64>);
const ARGS: &[Arg] = &[
    (1, "id", "uint", Some(-1), None, None),
    (1, "debug.list[0]", "int", Some(10), None, None),
    (1, "debug.list[1].name", "string", None, Some("x"), None),
    (1, "debug.ratio", "real", None, None, Some(0.5)),
    (2, "prev_comm", "string", None, Some("app"), None),
    (2, "prev_pid", "int", Some(7), None, None),
    (2, "prev_prio", "int", Some(120), None, None),
    (2, "prev_state", "int", Some(0x100), None, None),
    (2, "next_comm", "string", None, Some("swapper/1"), None),
    (2, "next_pid", "int", Some(0), None, None),
    (2, "next_prio", "int", Some(120), None, None),
    (3, "ip", "pointer", Some(4096), None, None),
    (3, "buf", "string", None, Some("B|5|work\n"), None),
    (4, "size", "uint", Some(2048), None, None),
];

/// name, machine, trace, integer, text.
type Fact = (&'static str, Option<u32>, Option<u32>, Option<i64>, Option<&'static str>);
const FACTS: &[Fact] = &[
    ("system_release", Some(0), Some(0), None, Some("6.1.0")),
    ("trace_size_bytes", None, Some(1), Some(20), None),
    ("trace_size_bytes", None, Some(0), Some(10), None),
    ("system_name", Some(0), Some(0), None, Some("Linux")),
    ("system_name", Some(1), Some(0), None, Some("Android")),
];

fn session() -> Session {
    let mut tables = Tables::default();
    let strings = &mut tables.strings;
    for &(arg_set_id, key, kind, int_value, text, real_value) in ARGS {
        let [key, value_type] = [key, kind].map(|text| strings.intern(text));
        let string_value = text.map_or(StringId::NULL, |text| strings.intern(text));
        let flat_key = key;
        let row =
            ArgsRow { arg_set_id, flat_key, key, int_value, string_value, real_value, value_type };
        tables.args.push(row);
    }
    for &(name, machine_id, trace_id, int_value, text) in FACTS {
        let name = strings.intern(name);
        let str_value = text.map_or(StringId::NULL, |text| strings.intern(text));
        let key_type = StringId::NULL;
        let row = MetadataRow { name, key_type, int_value, str_value, machine_id, trace_id };
        tables.metadata.push(row);
    }
    for (package, uid) in [("com.android.settings", 1000), ("android", 1000), ("com.app", 10_123)] {
        let package_name = strings.intern(package);
        tables.package_list.push(PackageListRow { package_name, uid, ..PackageListRow::default() });
    }
    let [app, switch, print, idle] =
        ["app", "sched_switch", "print", "cpu_idle"].map(|text| strings.intern(text));
    tables.process.push(ProcessRow { pid: 5, name: app, ..ProcessRow::default() });
    tables.thread.push(ThreadRow { tid: 7, name: app, upid: Some(0), ..ThreadRow::default() });
    tables.thread.push(ThreadRow { tid: 0, ..ThreadRow::default() });
    for cpu in 0..2 {
        tables.cpu.push(CpuRow { cpu: Some(cpu), ..CpuRow::default() });
    }
    for (ts, name, utid, arg_set_id, common_flags) in [
        (2_000_020_999, print, 0, Some(3), 0),
        (2_000_050_000, switch, 0, Some(2), 0x01),
        (12_000_000_000, idle, 1, None, 0x05),
    ] {
        let row = FtraceEventRow { ts, name, utid, arg_set_id, common_flags, ucpu: 1 };
        tables.ftrace_event.push(row);
    }
    tables.trace_bounds.push(TraceBoundsRow { start_ts: 0, end_ts: 12_000_000_000 });
    let options = SessionOptions { threads: Some(1), ..SessionOptions::default() };
    Session::new(Arc::new(tables.finish()), &options).unwrap()
}

/// The rows of a statement, a line each, columns separated by `|`.
async fn lines(sql: &str) -> Vec<String> {
    let table = rows(&session(), sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    let lines = table.lines().skip(3).filter(|line| line.starts_with('|'));
    let text = |line: &str| {
        let cells = line.trim_start_matches("| ").trim_end_matches(" |").split(" | ");
        cells.map(str::trim).collect::<Vec<_>>().join("|")
    };
    lines.map(text).collect()
}

#[tokio::test]
async fn unsigned_arguments_have_no_sign_when_shown() {
    let sql = "SELECT key, int_value, display_value FROM args WHERE value_type = 'uint'";
    assert_eq!(lines(sql).await, ["id|-1|18446744073709551615", "size|2048|2048"]);
    let sql = "SELECT extract_arg(1, 'id'), display_value FROM args WHERE key = 'prev_pid'";
    assert_eq!(lines(sql).await, ["-1|7"]);
}

#[tokio::test]
async fn arg_sets_become_json() {
    let sql = "SELECT __intrinsic_arg_set_to_json(1)";
    let json = r#"{"id":18446744073709551615,"debug":{"list":[10,{"name":"x"}],"ratio":0.5}}"#;
    assert_eq!(lines(sql).await, [json]);
    let sql = "SELECT __intrinsic_arg_set_to_json(9), __intrinsic_arg_set_to_json(NULL) IS NULL";
    assert_eq!(lines(sql).await, ["{}|1"]);
    let sql =
        "SELECT __intrinsic_arg_set_to_json(arg_set_id) FROM ftrace_event ORDER BY id LIMIT 1";
    assert_eq!(lines(sql).await, [r#"{"ip":"0x1000","buf":"B|5|work\n"}"#]);
}

#[tokio::test]
async fn kernel_events_are_lines_of_the_tracer() {
    let text = async |id: i64| {
        let sql = format!("SELECT '[' || to_ftrace({id}) || ']' AS line");
        let table = rows(&session(), &sql).await.unwrap();
        let (_, line) = table.split_once('[').unwrap();
        line.rsplit_once(']').unwrap().0.to_owned()
    };
    assert_eq!(
        text(0).await,
        "             app-7     (    5) [001] ....     2.000020: tracing_mark_write: B|5|work"
    );
    assert_eq!(
        text(1).await,
        "             app-7     (    5) [001] d...     2.000050: sched_switch: prev_comm=app \
         prev_pid=7 prev_prio=120 prev_state=R+ ==> next_comm=swapper/1 next_pid=0 next_prio=120"
    );
    assert_eq!(text(2).await, "          <idle>-0     (-----) [001] dn..    12.000000: cpu_idle: ");
    assert_eq!(lines("SELECT to_ftrace(3) IS NULL, to_ftrace(NULL) IS NULL").await, ["1|1"]);
}

#[tokio::test]
async fn metadata_is_that_of_a_scope() {
    let sql = "SELECT extract_metadata('trace_size_bytes') + 1, extract_metadata('system_name'), \
               extract_metadata('nothing') IS NULL";
    assert_eq!(lines(sql).await, ["11|Linux|1"]);
    let sql = "SELECT extract_metadata_for_machine(1, 'system_name'), \
               extract_metadata_for_machine(2, 'system_name') IS NULL, \
               extract_metadata_for_trace(1, 'trace_size_bytes')";
    assert_eq!(lines(sql).await, ["Android|1|20"]);
    let sql = "SELECT DISTINCT trace_id, extract_metadata_for_trace(trace_id, 'trace_size_bytes') \
               FROM metadata ORDER BY trace_id";
    assert_eq!(lines(sql).await, ["0|10", "1|20"]);
}

#[tokio::test]
async fn packages_are_found_by_user_id() {
    let sql = "SELECT android_package_lookup(1000), android_package_lookup(10123), \
               android_package_lookup(1010123), android_package_lookup(1) IS NULL";
    assert_eq!(lines(sql).await, ["android|com.app|com.app|1"]);
}

#[tokio::test]
async fn there_is_no_symbolizer() {
    let sql = "SELECT c0 AS function_name, c4 AS address FROM __intrinsic_table_ptr(\
               __intrinsic_symbolize((SELECT __intrinsic_symbolize_agg('file', 1, 2, 3)))) \
               WHERE __intrinsic_table_ptr_bind(c0, 'function_name') \
               AND __intrinsic_table_ptr_bind(c4, 'address')";
    assert!(lines(sql).await.is_empty());
}

/// The text of an argument stays one, whatever the function that returns it declares.
#[tokio::test]
async fn a_function_may_return_the_text_of_an_argument() {
    let create = "CREATE PERFETTO FUNCTION comm(arg_set LONG) RETURNS LONG AS \
                  SELECT extract_arg($arg_set, 'prev_comm')";
    let sql =
        format!("{create}; SELECT coalesce(comm(2), 'none') AS a, coalesce(comm(3), 'none') AS b");
    let table = rows(&session(), &sql).await.unwrap();
    assert!(table.contains("| app | none |"), "{table}");
}
