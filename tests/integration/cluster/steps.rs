//! Every step of a plan that is tpq's own either reaches other processes or is known not to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::{Int64Array, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::Result;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{ExecutionPlan, collect, displayable};
use datafusion::prelude::SessionContext;
use datafusion_proto::physical_plan::AsExecutionPlan;
use datafusion_proto::protobuf::PhysicalPlanNode;
use tpq::{CancelToken, ParameterValue, Session};
use tpq_cluster::{
    ClusterCodec, Task, TraceWork, TraceWorkExec, TraceWorkTable, TraceWorker, distributed_session,
    plain_settings, portable_schema,
};
use tpq_sql::{OWN_STEPS, Travel, function_state};

/// Gives spans that depend on the name: from the number in it on, 10 long.
#[derive(Debug)]
struct Spans;

fn columns() -> SchemaRef {
    let names = ["ts", "dur", "part"];
    Arc::new(Schema::new(names.map(|name| Field::new(name, DataType::Int64, true)).to_vec()))
}

#[async_trait::async_trait]
impl TraceWorker for Spans {
    async fn columns(&self, _: &TraceWork, _: &str) -> Result<SchemaRef> {
        Ok(columns())
    }

    async fn run(
        &self,
        _: &TraceWork,
        names: &[String],
        _: &CancelToken,
    ) -> Result<SendableRecordBatchStream> {
        let ts: i64 = names[0].parse().unwrap();
        let columns_ = [ts, 10, ts % 2].map(|value| Arc::new(Int64Array::from(vec![value])) as _);
        let batch = RecordBatch::try_new(columns(), columns_.to_vec())?;
        let rows = futures::stream::iter([Ok(batch)]);
        Ok(Box::pin(RecordBatchStreamAdapter::new(columns(), rows)))
    }
}

fn work() -> TraceWork {
    let parameters = vec![
        ("a".to_owned(), ParameterValue::Null),
        ("b".to_owned(), ParameterValue::Integer(-5)),
        ("c".to_owned(), ParameterValue::Real(0.5)),
        ("d".to_owned(), ParameterValue::Text("x".to_owned())),
    ];
    let metadata = vec!["android_build_fingerprint".to_owned()];
    let task = Task::Statement { sql: "SELECT 1".to_owned(), parameters, metadata };
    TraceWork { lake: Some("file:///lake".to_owned()), version: 3, task, keeps_failures: false }
}

fn spans(names: &[&str]) -> TraceWorkExec {
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let schema = portable_schema(&columns(), false);
    TraceWorkExec::on(&names, work(), schema, Arc::new(Spans)).unwrap()
}

/// A plan written and read again.
fn restored(plan: &Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    let codec = ClusterCodec::new(Arc::new(Spans));
    let message = PhysicalPlanNode::try_from_physical_plan(Arc::clone(plan), &codec).unwrap();
    let mut bytes = Vec::new();
    message.try_encode(&mut bytes).unwrap();
    let state = function_state(plain_settings()).unwrap();
    let context = SessionContext::new_with_state(state).task_ctx();
    let message = PhysicalPlanNode::try_decode(&bytes).unwrap();
    message.try_into_physical_plan(&context, &codec).unwrap()
}

fn shown(plan: &Arc<dyn ExecutionPlan>) -> String {
    displayable(plan.as_ref()).indent(true).to_string()
}

fn session() -> Session {
    let session = distributed_session(Default::default(), &Default::default()).unwrap();
    session.add_table("one", Arc::new(TraceWorkTable::new(spans(&["0", "3", "100"]))));
    session.add_table("other", Arc::new(TraceWorkTable::new(spans(&["5", "105"]))));
    session
}

/// The plan of the last of some statements.
async fn planned(session: &Session, sql: &str) -> Arc<dyn ExecutionPlan> {
    let mut statements = session.statements(sql).unwrap();
    let last = statements.pop().unwrap();
    for statement in &statements {
        session.run(statement).await.unwrap();
    }
    let planned = session.remote_plan(&last, &CancelToken::default()).await.unwrap();
    planned.unwrap().plan
}

async fn rows(plan: Arc<dyn ExecutionPlan>) -> Vec<String> {
    let state = function_state(plain_settings()).unwrap();
    let context = SessionContext::new_with_state(state).task_ctx();
    let mut rows = Vec::new();
    for batch in collect(plan, context).await.unwrap() {
        for row in 0..batch.num_rows() {
            rows.push(cells(&batch, row));
        }
    }
    rows
}

fn cells(batch: &RecordBatch, row: usize) -> String {
    use datafusion::arrow::util::display::array_value_to_string;
    let cells = batch.columns().iter().map(|column| array_value_to_string(column, row).unwrap());
    cells.collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn steps_that_travel_are_restored() {
    let work: Arc<dyn ExecutionPlan> = Arc::new(spans(&["1", "2"]));
    assert_eq!(shown(&restored(&work)), shown(&work));
    assert_eq!(rows(restored(&work)).await, ["1 10 1", "2 10 0"]);
    // Joins of every kind, with and without partitions.
    for (kind, by) in [
        ("SPAN_JOIN", ["", ""]),
        ("SPAN_LEFT_JOIN", [" PARTITIONED part", ""]),
        ("SPAN_OUTER_JOIN", [" PARTITIONED part", " PARTITIONED part"]),
        ("SPAN_JOIN", ["", " PARTITIONED part"]),
    ] {
        let session = session();
        let [left, right] = by;
        let sql = format!(
            "CREATE VIEW a AS SELECT ts, dur, part FROM one WHERE ts <> 3; \
             CREATE VIEW b AS SELECT ts, dur{} FROM other; \
             CREATE VIRTUAL TABLE both USING {kind}(a{left}, b{right}); SELECT * FROM both",
            if right.is_empty() { "" } else { ", part" },
        );
        // A column that is in both tables and partitions one of them has two meanings.
        if left.is_empty() != right.is_empty() && !right.is_empty() {
            continue;
        }
        let plan = planned(&session, &sql).await;
        assert!(shown(&plan).contains("SpanJoinExec"), "{}", shown(&plan));
        let again = restored(&plan);
        assert_eq!(shown(&again), shown(&plan));
        assert_eq!(rows(again).await, rows(plan).await, "{kind} {by:?}");
    }
    // [0, 10) meets [5, 15), and [100, 110) meets [105, 115).
    let sql = "CREATE VIEW a AS SELECT ts, dur FROM one WHERE ts <> 3; \
               CREATE VIEW b AS SELECT ts, dur FROM other; \
               CREATE VIRTUAL TABLE both USING SPAN_JOIN(a, b); SELECT ts, dur FROM both";
    let plan = planned(&session(), sql).await;
    assert_eq!(rows(restored(&plan)).await, ["5 5", "105 5"]);
}

#[test]
fn plans_of_another_version_are_refused() {
    let work: Arc<dyn ExecutionPlan> = Arc::new(spans(&["1"]));
    let codec = ClusterCodec::new(Arc::new(Spans));
    let message = PhysicalPlanNode::try_from_physical_plan(work, &codec).unwrap();
    let mut bytes = Vec::new();
    message.try_encode(&mut bytes).unwrap();
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    let mut places = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(version));
    let at = places.next().unwrap();
    assert!(places.next().is_none(), "the version is there once");
    bytes[at] = b'9';
    let context = SessionContext::new().task_ctx();
    let message = PhysicalPlanNode::try_decode(&bytes).unwrap();
    let refused = message.try_into_physical_plan(&context, &codec).unwrap_err();
    let text = refused.strip_backtrace();
    assert!(text.contains("a plan of tpq 9") && text.contains("the same version"), "{text}");
}

#[tokio::test]
async fn steps_of_one_process_are_left_out() {
    // What makes such steps in other sessions: sorts, first rows, first rows of partitions, a part
    // that is read twice, joins.
    for sql in [
        "SELECT * FROM one ORDER BY ts",
        "SELECT * FROM one LIMIT 1",
        "SELECT * FROM (SELECT ts, row_number() OVER (PARTITION BY part ORDER BY ts) AS n FROM one) \
         WHERE n <= 1",
        "WITH s AS (SELECT part, count(*) AS n FROM one GROUP BY part) \
         SELECT * FROM s a JOIN s b ON a.n = b.n",
        "SELECT one.ts FROM one, other WHERE one.ts < other.ts",
    ] {
        let plan = planned(&session(), sql).await;
        let text = shown(&plan);
        for (step, travel) in OWN_STEPS {
            assert!(*travel != Travel::LeftOut || !text.contains(step), "{sql}: {text}");
        }
        assert_eq!(shown(&restored(&plan)), text);
    }
}

#[tokio::test]
async fn steps_that_keep_parts_of_a_session_are_refused() {
    let session = session();
    let sql = "SELECT one.ts, (SELECT count(*) FROM other WHERE other.ts < one.ts LIMIT 1) AS n \
               FROM one, ancestor_slice(one.ts)";
    let plan = planned(&session, sql).await;
    let codec = ClusterCodec::new(Arc::new(Spans));
    let refused = PhysicalPlanNode::try_from_physical_plan(plan, &codec).unwrap_err();
    let text = refused.strip_backtrace();
    assert!(text.contains("runs only where it was planned"), "{text}");
}

/// The types that are steps of plans, in the sources of a folder.
fn steps_in(folder: &Path, found: &mut BTreeSet<String>) {
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let steps =
                text.lines().filter_map(|line| line.strip_prefix("impl ExecutionPlan for "));
            found.extend(steps.map(|step| step.trim_end_matches([' ', '{']).to_owned()));
        }
    }
}

#[test]
fn every_step_of_a_session_is_in_the_list() {
    let mut found = BTreeSet::new();
    steps_in(&Path::new(crate::ROOT).join("crates/tpq-sql/src"), &mut found);
    let listed: BTreeSet<String> = OWN_STEPS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(found, listed, "crates/tpq-sql/src/operators/portable.rs lists each step");
}
