//! Executors and schedulers that are killed or hang, and queries that are cancelled.

use std::io::Read;
use std::net::TcpListener;
use std::process::{Output, Stdio};
use std::time::Duration;

use nix::sys::signal::Signal;

use super::{Nodes, each, started, text, traces};
use crate::command::{Folder, describe, run, tpq};
use crate::running::Running;

/// A statement that takes long, with a result that can be worked out: as many steps, one after
/// the other.
fn counted(to: u32) -> String {
    format!(
        "WITH RECURSIVE numbers(n) AS \
         (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {to}) \
         SELECT max(n) AS n, (SELECT count(*) FROM slice) AS slices FROM numbers"
    )
}

/// Starts a query of a folder on a cluster, with its rows in a file.
fn start(nodes: &Nodes, folder: &Folder, sql: &str, rows: &str) -> Running {
    let all = folder.path("*.pftrace");
    let mut command = tpq();
    command
        .args(["query", "-q", "--each", all.to_str().unwrap(), "-c", sql])
        .args(["--cluster", &nodes.address, "-o"])
        .arg(folder.path(rows))
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    Running::start(&mut command)
}

/// Time on processors of an executor that is at work: starting one takes a part of it.
const AT_WORK: Duration = Duration::from_millis(800);

#[test]
fn an_executor_that_is_killed_changes_no_answer() {
    let (folder, mut nodes) = (traces(12), Nodes::start(3));
    let sql = counted(40_000);
    let expected = each(&folder, &["-c", &sql, "-o", "here.csv"]);
    assert!(expected.status.success(), "{}", describe(&expected));
    let mut query = start(&nodes, &folder, &sql, "there.csv");
    let mut killed = nodes.executors.pop().unwrap();
    killed.wait_until("it is at work", |it| it.cpu_time() >= AT_WORK);
    killed.signal(Signal::SIGKILL);
    assert!(query.end().success());
    assert_eq!(folder.read("there.csv"), folder.read("here.csv"));
    // Those that are left answer the next one.
    nodes.agree(&folder, &["-c", "SELECT count(*) AS n FROM slice"]);
}

#[test]
fn an_executor_that_hangs_changes_no_answer() {
    let (folder, mut nodes) = (traces(12), Nodes::start(3));
    let sql = counted(40_000);
    let expected = each(&folder, &["-c", &sql, "-o", "here.csv"]);
    assert!(expected.status.success(), "{}", describe(&expected));
    let mut query = start(&nodes, &folder, &sql, "there.csv");
    let hanging = nodes.executors.last_mut().unwrap();
    hanging.wait_until("it is at work", |it| it.cpu_time() >= AT_WORK);
    hanging.signal(Signal::SIGSTOP);
    assert!(query.end().success());
    assert_eq!(folder.read("there.csv"), folder.read("here.csv"));
}

/// Waits until an executor has nothing to do.
fn wait_for_rest(executor: &mut Running) {
    let mut before = executor.process().cpu_time();
    executor.wait_until("it rests", |it| {
        std::thread::sleep(Duration::from_secs(1));
        let now = it.cpu_time();
        let is_at_rest = now - before < Duration::from_millis(200);
        before = now;
        is_at_rest
    });
}

#[test]
fn rows_of_an_executor_that_hangs_are_computed_again() {
    let (folder, mut nodes) = (traces(12), Nodes::start(2));
    let sql = counted(20_000);
    let expected = each(&folder, &["-c", &sql, "-o", "here.csv"]);
    assert!(expected.status.success(), "{}", describe(&expected));
    let mut query = start(&nodes, &folder, &sql, "there.csv");
    for executor in &mut nodes.executors {
        executor.wait_until("it is at work", |it| it.cpu_time() >= AT_WORK);
    }
    // While the client sleeps, the query ends. Both executors have some of its rows.
    query.signal(Signal::SIGSTOP);
    nodes.executors.iter_mut().for_each(wait_for_rest);
    nodes.executors[1].signal(Signal::SIGSTOP);
    query.signal(Signal::SIGCONT);
    assert!(query.end().success());
    assert_eq!(folder.read("there.csv"), folder.read("here.csv"));
}

/// Ends a query with a scheduler that fails, and returns its error.
fn error_of(mut query: Running) -> String {
    let mut stderr = query.child().stderr.take().unwrap();
    assert_eq!(query.end().code(), Some(1));
    let mut text = String::new();
    stderr.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn a_scheduler_that_is_lost_ends_its_queries() {
    for signal in [Signal::SIGKILL, Signal::SIGSTOP] {
        let (folder, mut nodes) = (traces(12), Nodes::start(1));
        let query = start(&nodes, &folder, &counted(400_000), "rows.csv");
        nodes.executors[0].wait_until("it is at work", |it| it.cpu_time() >= AT_WORK);
        nodes.scheduler.signal(signal);
        let error = error_of(query);
        let address = &nodes.address;
        assert!(error.contains(&format!("the scheduler at {address} failed: ")), "{error}");
        assert!(error.contains("run the command again"), "{error}");
        assert!(!folder.path("rows.csv").exists());
        if signal == Signal::SIGKILL {
            // The executor ends as well, in the middle of its tasks.
            assert_eq!(nodes.executors[0].end().code(), Some(1));
        }
    }
}

#[test]
fn an_executor_ends_when_it_is_asked_to_before_it_finds_its_scheduler() {
    // Nothing listens there: the port was free a moment ago.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let scheduler = format!("127.0.0.1:{port}");
    let (mut executor, _) =
        started(&["cluster", "executor", "--scheduler", &scheduler], "executor on ");
    executor.signal(Signal::SIGTERM);
    assert!(executor.end().success());
}

#[test]
fn an_executor_says_which_of_its_ports_is_taken() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let port = address.port().to_string();
    for option in ["--port", "--task-port"] {
        let output = run(&["cluster", "executor", "--scheduler", "127.0.0.1:1", option, &port]);
        assert_eq!(output.status.code(), Some(1), "{option}: {}", describe(&output));
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains(&format!("cannot listen on {address}")), "{option}: {told}");
    }
}

/// Checks that a command says that a cluster has no executor, and how to start one.
fn expect_no_executor(output: &Output, nodes: &Nodes) {
    assert_eq!(output.status.code(), Some(1), "{}", describe(output));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let address = &nodes.address;
    let error = format!("no executor was registered with the scheduler at {address} for 1 s");
    assert!(told.contains(&error), "{told}");
    let advice = format!("start one with `tpq cluster executor --scheduler {address}`");
    assert!(told.contains(&advice), "{told}");
}

const COUNT: &str = "SELECT count(*) AS n FROM slice";

#[test]
fn a_cluster_without_executors_answers_with_an_error() {
    let (folder, nodes) = (traces(1), Nodes::start(0));
    let output = nodes.query(&folder, &["-c", COUNT, "--executor-wait", "1"]);
    expect_no_executor(&output, &nodes);
    assert_eq!(text(&output), "");
    let ingest = ["ingest", "0.pftrace", "--lake", "lake", "--executor-wait", "1"];
    let output = folder.run(&[&ingest[..], &["--cluster", &nodes.address]].concat());
    expect_no_executor(&output, &nodes);
}

#[test]
fn a_cluster_that_its_last_executor_left_answers_with_an_error() {
    let (folder, mut nodes) = (traces(1), Nodes::start(1));
    nodes.agree(&folder, &["-c", COUNT]);
    // An executor that is asked to end does so, and says that it has gone.
    nodes.executors[0].signal(Signal::SIGTERM);
    assert!(nodes.executors[0].end().success());
    let output = nodes.query(&folder, &["-c", COUNT, "--executor-wait", "1"]);
    expect_no_executor(&output, &nodes);
}

#[test]
fn a_query_waits_for_the_first_executor() {
    let (folder, nodes) = (traces(2), Nodes::start(0));
    let expected = each(&folder, &["-c", COUNT, "-o", "here.csv"]);
    assert!(expected.status.success(), "{}", describe(&expected));
    let mut query = start(&nodes, &folder, COUNT, "there.csv");
    let (_executor, _) =
        started(&["cluster", "executor", "--scheduler", &nodes.address], "executor on ");
    assert!(query.end().success());
    assert_eq!(folder.read("there.csv"), folder.read("here.csv"));
}

#[test]
fn a_cancelled_query_stops_on_the_executors() {
    let (folder, mut nodes) = (traces(4), Nodes::start(2));
    // Rows enough that they would take years.
    let sql = "SELECT sum(a.ts) AS s FROM sched a, sched b, sched c, sched d, sched e, sched f, \
               sched g, sched h, sched i, sched j, sched k, sched l, sched m, sched n, sched o \
               WHERE a.ts <> o.ts";
    let mut query = start(&nodes, &folder, sql, "rows.csv");
    for executor in &mut nodes.executors {
        executor.wait_until("it is at work", |it| it.cpu_time() >= AT_WORK);
    }
    query.signal(Signal::SIGINT);
    assert_eq!(query.end().code(), Some(130));
    nodes.executors.iter_mut().for_each(wait_for_rest);
    assert!(!folder.path("rows.csv").exists());
    // They are free for the next one.
    let rows = nodes.query(&folder, &["-c", "SELECT count(*) AS n FROM slice"]);
    assert!(rows.status.success(), "{}", describe(&rows));
    assert_eq!(text(&rows).lines().count(), 5);
}

#[test]
fn a_query_that_the_scheduler_does_not_know_any_more_fails() {
    let (folder, mut nodes) = (traces(2), Nodes::start(1));
    let query = start(&nodes, &folder, &counted(3_000_000_000), "rows.csv");
    let executor = &mut nodes.executors[0];
    executor.wait_until("it is at work", |it| it.cpu_time() >= AT_WORK);
    // While the client sleeps, another scheduler takes the place of the first.
    query.signal(Signal::SIGSTOP);
    nodes.scheduler.signal(Signal::SIGKILL);
    nodes.scheduler.end();
    let again = ["cluster", "scheduler", "--bind", &nodes.address];
    let (_scheduler, address) = started(&again, "scheduler on ");
    assert_eq!(address, nodes.address);
    query.signal(Signal::SIGCONT);
    let error = error_of(query);
    assert!(error.contains(&format!("the scheduler at {address} failed: ")), "{error}");
    assert!(!folder.path("rows.csv").exists());
}
