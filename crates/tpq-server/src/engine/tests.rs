use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::StreamExt;
use prost::Message;
use tpq_proto::message::QueryResult;
use tpq_sql::{CancelToken, Session, SessionOptions};
use tpq_tables::Tables;

use super::*;
use crate::loader::{MetatraceSpan, TraceStream};

/// A trace without rows, with a session that panics on demand.
struct TestTrace {
    session: Session,
    name: String,
    panics: AtomicBool,
}

impl TestTrace {
    fn new(name: &str) -> Arc<Self> {
        let tables = Arc::new(Tables::default().finish());
        let session = Session::new(tables, &SessionOptions::default()).expect("a session");
        Arc::new(Self { session, name: name.to_owned(), panics: AtomicBool::new(false) })
    }
}

impl LoadedTrace for TestTrace {
    fn session(&self) -> &Session {
        assert!(!self.panics.load(Ordering::Acquire), "on demand");
        &self.session
    }

    fn table_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn name(&self) -> &str {
        &self.name
    }
}

/// Takes text as a trace of this name; `bad` at its start is an error.
struct TestLoader;

impl TraceLoader for TestLoader {
    fn empty(&self) -> Result<Arc<dyn LoadedTrace>, LoadError> {
        Ok(TestTrace::new(""))
    }

    fn load(
        &self,
        stream: &mut TraceStream,
        _: ImportChoices,
        _: &CancelToken,
    ) -> Result<Arc<dyn LoadedTrace>, LoadError> {
        let mut start = [0; 3];
        stream.read_exact(&mut start)?;
        if &start == b"bad" {
            return Err("it is bad".into());
        }
        let mut rest = String::new();
        stream.read_to_string(&mut rest)?;
        Ok(TestTrace::new(&format!("{}{rest}", String::from_utf8_lossy(&start))))
    }

    fn start_metatrace(&self) -> Arc<dyn Metatrace> {
        struct Nothing;
        impl Metatrace for Nothing {
            fn span(&self, _: &'static str) -> Box<dyn MetatraceSpan + '_> {
                Box::new(())
            }

            fn to_bytes(&self) -> Vec<u8> {
                Vec::new()
            }
        }
        Arc::new(Nothing)
    }

    fn stop_metatrace(&self) {}
}

struct NoLog;

impl ServerLog for NoLog {}

/// An engine without a trace, on the runtime of the caller.
pub(crate) fn test_engine(limits: Limits) -> Arc<Engine> {
    let engine = Engine::new(Arc::new(TestLoader), Arc::new(NoLog), limits, Handle::current());
    engine.expect("an engine")
}

fn with_engine<T>(limits: Limits, test: impl AsyncFnOnce(Arc<Engine>) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(16 << 20)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async { test(test_engine(limits)).await })
}

async fn result(engine: &Arc<Engine>, sql: &str) -> QueryResult {
    let parts: Vec<Bytes> = engine.query(sql.to_owned()).collect().await;
    QueryResult::decode(parts.concat().as_slice()).expect("a result")
}

fn name(engine: &Engine) -> String {
    engine.status().loaded_trace_name().to_owned()
}

#[test]
fn a_panic_ends_one_query() {
    with_engine(Limits::default(), async |engine| {
        let trace = TestTrace::new("a");
        engine.set_trace(Arc::clone(&trace) as _).await;
        trace.panics.store(true, Ordering::Release);
        let failed = result(&engine, "SELECT 1").await;
        assert!(failed.error().contains("a bug in tpq"), "{}", failed.error());
        trace.panics.store(false, Ordering::Release);
        assert_eq!(result(&engine, "SELECT 1").await.error, None);
    });
}

#[test]
fn bytes_after_a_trace_begin_the_next() {
    with_engine(Limits::default(), async |engine| {
        assert_eq!(name(&engine), "");
        for text in ["first", "second"] {
            let (start, rest) = text.split_at(2);
            assert_eq!(engine.append(start.into()).await, Ok(2));
            assert_eq!(name(&engine), "");
            assert!(result(&engine, "SELECT 1").await.error().contains("2 bytes have arrived"));
            assert_eq!(engine.append(rest.into()).await, Ok(text.len() as u64));
            assert_eq!(engine.finalize().await, Ok(()));
            assert_eq!(engine.finalize().await, Ok(()), "a second time");
            assert_eq!(name(&engine), text);
        }
        engine.reset(ImportChoices::DEFAULT).await;
        assert_eq!(name(&engine), "");
    });
}

#[test]
fn an_import_that_fails_is_told_and_replaced() {
    with_engine(Limits::default(), async |engine| {
        let _ = engine.append("bad".into()).await;
        let failed = Err(EngineError::Import("it is bad".into()));
        assert_eq!(engine.finalize().await, failed);
        assert_eq!(result(&engine, "SELECT 1").await.error(), "it is bad");
        assert_eq!(engine.append("good".into()).await, Ok(4));
        assert_eq!(engine.finalize().await, Ok(()));
        assert_eq!(name(&engine), "good");
    });
}

/// The bytes of the next client are a trace of their own.
#[test]
fn a_trace_with_a_client_that_goes_away_is_abandoned() {
    with_engine(Limits::default(), async |engine| {
        let gone = Err(EngineError::Abandoned);
        let mut client = UploadClient::new(Arc::clone(&engine));
        assert_eq!(client.append("half of ".into()).await, Ok(8));
        drop(client);
        assert_eq!(engine.append("whole".into()).await, Ok(5));
        assert_eq!(engine.finalize().await, Ok(()));
        assert_eq!(name(&engine), "whole");
        let mut client = UploadClient::new(Arc::clone(&engine));
        assert_eq!(client.append("half".into()).await, Ok(4));
        drop(client);
        assert!(result(&engine, "SELECT 1").await.error().contains("went away before its end"));
        assert_eq!(engine.finalize().await, gone);
        // One that leaves the rest to another, or has sent all, does not.
        for text in ["one", "two"] {
            let mut client = UploadClient::new(Arc::clone(&engine));
            assert_eq!(client.append(text.into()).await, Ok(if text == "one" { 3 } else { 6 }));
            client.release();
        }
        let mut client = UploadClient::new(Arc::clone(&engine));
        assert_eq!(client.append("!".into()).await, Ok(7));
        assert_eq!(engine.finalize().await, Ok(()));
        drop(client);
        assert_eq!(name(&engine), "onetwo!");
        assert_eq!(result(&engine, "SELECT 1").await.error, None);
    });
}

#[test]
fn a_trace_of_which_no_more_arrives_is_abandoned() {
    let read_timeout = Duration::from_millis(50);
    with_engine(Limits { read_timeout, ..Limits::default() }, async |engine| {
        assert_eq!(engine.append("half".into()).await, Ok(4));
        tokio::time::sleep(2 * read_timeout).await;
        assert!(result(&engine, "SELECT 1").await.error().contains("went away before its end"));
        assert_eq!(engine.append("whole".into()).await, Ok(5));
        assert_eq!(engine.finalize().await, Ok(()));
        tokio::time::sleep(2 * read_timeout).await;
        assert_eq!(name(&engine), "whole");
        assert_eq!(result(&engine, "SELECT 1").await.error, None);
    });
}

#[test]
fn a_client_that_does_not_wait_for_the_import_is_no_obstacle() {
    with_engine(Limits::default(), async |engine| {
        let _ = engine.append("trace".into()).await;
        // Polled once, and dropped.
        let _ = engine.finalize().now_or_never();
        assert_eq!(result(&engine, "SELECT 1").await.error, None);
        assert_eq!(name(&engine), "trace");
    });
}

#[test]
fn queries_wait_for_a_free_place() {
    with_engine(Limits { queries: 1, ..Limits::default() }, async |engine| {
        let long = "SELECT x FROM generate_series(1, 10000000) AS a(x)";
        let mut first = engine.query(long.to_owned());
        assert!(first.next().await.is_some());
        let second = engine.query("SELECT 1".to_owned());
        drop(first);
        let parts: Vec<Bytes> = second.collect().await;
        assert!(!parts.is_empty());
    });
}
