//! Statements that are asked to stop.

use std::sync::Arc;
use std::time::Duration;

use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::prelude::DataFrame;
use futures::StreamExt;

use super::{rows, session};
use crate::changes::changed;
use crate::errors::{Names, translate};
use crate::perfetto_sql::{Planned, Planner};
use crate::primary_key::OnConflict;
use crate::{CancelToken, SqlErrorKind, Statement};

fn statement(sql: &str) -> Statement {
    session().statements(sql).unwrap().remove(0)
}

/// Runs a statement until its own stream ends, cancelled while it runs.
fn ending_of(sql: &str) -> SqlErrorKind {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let (session, cancel) = (session(), CancelToken::default());
        let planned = session.plan_of_rows(&statement(sql), &cancel).await.unwrap();
        let (state, Planned { plan, .. }, text) = planned.unwrap();
        let frame = DataFrame::new(state, plan);
        let mut rows = frame.execute_stream().await.unwrap();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            cancel.cancel();
        });
        loop {
            match rows.next().await {
                Some(Ok(_)) => {}
                Some(Err(error)) => return translate(error, &text, &Names::none()).kind(),
                None => panic!("{sql}: all rows were given"),
            }
        }
    })
}

/// What gives no row for minutes stops by itself, whatever its plan.
#[test]
fn a_statement_that_is_cancelled_while_it_runs_ends() {
    let statements = [
        "SELECT count(*) FROM sched a, sched b WHERE (a.ts + b.ts) % 7 = 3",
        "SELECT sum(a.ts) FROM sched a, sched b WHERE a.ts <> b.ts",
        "SELECT a.ts FROM sched a, sched b ORDER BY a.dur + b.dur, b.ts LIMIT 10",
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n",
        "SELECT sum((SELECT count(*) FROM sched b WHERE b.ts < a.ts)) FROM sched a",
        "SELECT sum(length(replace(hex(a.ts + b.ts), '0', '11'))) FROM sched a, sched b",
        "SELECT count(*) FROM generate_series(1, 9000000000000000000)",
        // A batch of one side has a thousand million pairs, and none of them fits.
        "SELECT count(*) FROM generate_series(1, 1000000) AS a(x), sched b WHERE x + b.ts = -7",
        // All keys are equal, and no pair passes the filter.
        "SELECT count(*) FROM generate_series(1, 1000000) AS a(x)
         JOIN generate_series(1, 1000000) AS b(y) ON x % 1 = y % 1 AND x + y = -7",
    ];
    for sql in statements {
        let (done, ending) = std::sync::mpsc::channel();
        std::thread::spawn(move || done.send(ending_of(sql)));
        // A statement that does not look at its token would never give control back.
        let ending = ending.recv_timeout(Duration::from_secs(30));
        assert_eq!(ending, Ok(SqlErrorKind::Cancelled), "{sql}");
    }
}

#[tokio::test]
async fn planning_stops_when_its_statement_is_cancelled() {
    let (session, cancel) = (session(), CancelToken::default());
    let sql = statement("SELECT ts FROM sched WHERE dur > 5");
    let planned = session.plan_of_rows(&sql, &cancel).await.unwrap();
    let (state, Planned { plan, .. }, _) = planned.unwrap();
    let optimized = state.optimize(&plan).unwrap();
    let physical = state.query_planner().create_physical_plan(&optimized, &state).await.unwrap();
    let rules = state.physical_optimizers();
    let config = state.config_options();
    let stopped = |rule: &&Arc<dyn PhysicalOptimizerRule + Send + Sync>| {
        rule.name() == "check_cancelled" && rule.optimize(Arc::clone(&physical), config).is_err()
    };
    assert_eq!(rules.iter().filter(stopped).count(), 0);
    cancel.cancel();
    assert!(rules.iter().filter(stopped).count() > 10);
    let error = state.optimize(&plan).unwrap_err();
    assert!(error.find_root().to_string().contains("cancelled"), "{error}");
    let error = session.plan_of_rows(&sql, &cancel).await.map(|_| ()).unwrap_err();
    assert_eq!(error.kind(), SqlErrorKind::Cancelled);
}

#[tokio::test]
async fn a_change_that_is_cancelled_is_not_made() {
    let session = session();
    rows(&session, "CREATE TABLE t AS SELECT 1 AS x; SELECT 1").await.unwrap();
    let state = session.state();
    let planner = Planner::new(&state, session.catalog());
    let table = planner.own_table("t").unwrap();
    let old = table.rows(&state).await.unwrap().batches().unwrap();
    let cancel = CancelToken::default();
    cancel.cancel();
    let mut config = state.config_options().as_ref().clone();
    config.extensions.insert(cancel);
    assert!(changed("t", &table, &old, &old, Some(OnConflict::Fail), &config).is_err());
    let shown = rows(&session, "SELECT count(*) AS n FROM t").await.unwrap();
    assert!(shown.contains("| 1 "), "{shown}");
}

#[tokio::test]
async fn a_table_of_a_cancelled_statement_does_not_exist() {
    let session = session();
    let cancel = CancelToken::default();
    cancel.cancel();
    for sql in ["CREATE TABLE t AS SELECT 1 AS x", "CREATE PERFETTO TABLE t AS SELECT 1 AS x"] {
        let error =
            session.run_cancellable(&statement(sql), &cancel).await.map(|_| ()).unwrap_err();
        assert_eq!(error.kind(), SqlErrorKind::Cancelled, "{sql}: {error}");
        let error = rows(&session, "SELECT * FROM t").await.unwrap_err();
        assert_eq!(error.kind(), SqlErrorKind::UnknownTable, "{sql}: {error}");
    }
}

/// The token of a caller serves for one statement after the other.
#[tokio::test]
async fn a_dropped_result_leaves_the_token_of_the_caller_alone() {
    let session = session();
    let cancel = CancelToken::default();
    for _ in 0..2 {
        let sql = statement("SELECT ts FROM sched");
        let mut result = session.run_cancellable(&sql, &cancel).await.unwrap().unwrap();
        assert!(result.next().await.unwrap().is_ok());
        drop(result);
        assert!(!cancel.is_cancelled());
    }
}
