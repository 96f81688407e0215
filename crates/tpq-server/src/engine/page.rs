//! What the page at `/` asks: an overview of the trace, and the rows of statements as JSON.

use std::sync::Arc;

use serde_json::json;

use super::{Engine, EngineError};
use crate::page::{OverviewError, QueryRequest, overview, query_json};

/// The reason why there is no overview.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoOverview {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Overview(#[from] OverviewError),
}

impl Engine {
    /// Describes the trace as JSON.
    ///
    /// # Errors
    /// When there is no trace, its tables cannot be read, or that takes too long.
    pub(crate) async fn overview(self: &Arc<Self>) -> Result<String, NoOverview> {
        let described = self.limited("the overview", |trace, cancel| async move {
            Ok::<_, NoOverview>(overview(trace.session(), trace.name(), &cancel).await?.to_string())
        });
        described.await
    }

    /// Runs statements and returns the answer as JSON, which states errors as well. Dropping the
    /// future stops them.
    pub(crate) async fn page_query(self: &Arc<Self>, request: QueryRequest) -> String {
        let answer = self.limited("the query", |trace, cancel| async move {
            Ok::<_, EngineError>(query_json(trace.session(), &request, &cancel).await)
        });
        answer.await.unwrap_or_else(|error| failed(&error))
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
