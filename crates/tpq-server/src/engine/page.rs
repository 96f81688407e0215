//! What the page at `/` asks: an overview of the trace, and the rows of statements as JSON.

use std::sync::Arc;

use serde_json::json;
use tokio::runtime::Handle;
use tpq_sql::CancelToken;

use super::query::Deadline;
use super::{Engine, EngineError};
use crate::page::{QueryRequest, overview, query_json};

/// Cancels statements when the client no longer waits for them.
struct CancelOnDrop(CancelToken);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Engine {
    /// Describes the trace as JSON.
    ///
    /// # Errors
    /// The text of the error, when there is no trace or its tables cannot be read.
    pub(crate) async fn overview(self: &Arc<Self>) -> Result<String, String> {
        let trace = self.trace().await.map_err(|error| error.to_string())?;
        let _slot = self.query_slots.acquire().await;
        let described = self.detached("the overview", async move {
            overview(trace.session(), trace.name()).await.map(|value| value.to_string())
        });
        match described.await {
            Ok(outcome) => outcome.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Runs statements and returns the answer as JSON, which states errors as well. Dropping the
    /// future stops them.
    pub(crate) async fn page_query(self: &Arc<Self>, request: QueryRequest) -> String {
        match self.run_for_page(request).await {
            Ok(answer) => answer,
            Err(error) => failed(&error),
        }
    }

    async fn run_for_page(self: &Arc<Self>, request: QueryRequest) -> Result<String, EngineError> {
        let trace = self.trace().await?;
        // The semaphore is never closed.
        let _slot = self.query_slots.acquire().await;
        let cancel = CancelOnDrop(CancelToken::default());
        let deadline = Deadline::start(self.limits.query_time, &cancel.0, &Handle::current());
        let token = cancel.0.clone();
        let run = async move { query_json(trace.session(), &request, &token).await };
        let answer = self.detached("the query", run).await?;
        match deadline.passed() {
            Some(limit) => Err(EngineError::TooLong { limit }),
            None => Ok(answer),
        }
    }
}

/// The answer to a query that did not run or did not end.
fn failed(error: &EngineError) -> String {
    let message = error.to_string();
    json!({
        "columns": [],
        "rows": [],
        "row_count": 0,
        "truncated": false,
        "elapsed_ms": 0,
        "error": { "message": message },
    })
    .to_string()
}
