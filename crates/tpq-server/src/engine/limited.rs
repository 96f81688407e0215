//! Work within the limits of a query that has one answer and no rows to send meanwhile: summaries,
//! and what the page asks.

use std::sync::Arc;

use tokio::runtime::Handle;
use tpq_sql::{CancelOnDrop, CancelToken};

use super::deadline::Deadline;
use super::{Engine, EngineError};
use crate::loader::LoadedTrace;

impl Engine {
    /// Runs work on the current trace as one of the queries that run at once, for as long as a query
    /// may run. Dropping the future stops it. A panic ends this work only.
    ///
    /// # Errors
    /// When there is no trace, when the time is over, and when the work fails.
    pub(crate) async fn limited<T, E, W, F>(
        self: &Arc<Self>,
        what: &'static str,
        work: W,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<EngineError> + Send + 'static,
        W: FnOnce(Arc<dyn LoadedTrace>, CancelToken) -> F + Send + 'static,
        F: Future<Output = Result<T, E>> + Send + 'static,
    {
        let stop = CancelOnDrop(CancelToken::default());
        let (engine, token, timers) = (Arc::clone(self), stop.0.clone(), Handle::current());
        let answer = self.detached(what, async move {
            let trace = engine.trace().await?;
            let _slot = engine.slot(timers.clone()).await;
            let deadline = Deadline::start(engine.limits.query_time, &token, &timers);
            let outcome = tokio::select! {
                biased;
                outcome = work(trace, token) => outcome,
                () = deadline.wait() => Err(EngineError::Panicked(what).into()),
            };
            // Work that was stopped does not say why.
            match deadline.passed() {
                Some(limit) => Err(EngineError::TooLong { limit }.into()),
                None => outcome,
            }
        });
        answer.await?
    }
}
