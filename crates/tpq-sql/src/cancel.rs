//! Stopping a statement, or an import, before its end.
//!
//! Dropping a [`ResultSet`](crate::ResultSet) stops a statement at its next await point. A
//! function that works on a batch for seconds, and the optimizer, have none: they look at a
//! [`CancelToken`]. It travels in the configuration that DataFusion hands to every function and
//! operator, so that it needs no thread or runtime of its own.

use std::cell::RefCell;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::error::DataFusionError;
use datafusion::prelude::SessionConfig;
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::carried::carried;

/// A request to stop, shared by those that can request it and the work that checks it.
///
/// Once cancelled, a token stays so: what is run with it later fails at once.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<Request>);

#[derive(Debug, Default)]
struct Request {
    cancelled: AtomicBool,
    /// A token with a request that counts as well.
    parent: Option<CancelToken>,
}

/// The error of work that was asked to stop.
#[derive(Debug, thiserror::Error)]
#[error("the statement was cancelled")]
pub(crate) struct Cancelled;

impl CancelToken {
    /// Asks the work to stop. Returns at once; the work stops when it next looks.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// A token that is cancelled with this one, and can be cancelled alone: for a part of the work.
    pub fn child(&self) -> Self {
        Self(Arc::new(Request { parent: Some(self.clone()), ..Request::default() }))
    }

    /// Whether the work was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed)
            || self.0.parent.as_ref().is_some_and(Self::is_cancelled)
    }

    /// An error once the work was asked to stop.
    pub(crate) fn check(&self) -> Result<()> {
        match self.is_cancelled() {
            true => Err(DataFusionError::External(Box::new(Cancelled))),
            false => Ok(()),
        }
    }

    /// A configuration that carries this token to functions and operators.
    pub fn carried_by(&self, mut config: SessionConfig) -> SessionConfig {
        config.options_mut().extensions.insert(self.clone());
        config
    }

    /// The token of the statement that runs with this configuration. Outside of a statement, as
    /// for names to complete, it is one that is never cancelled.
    pub fn of(options: &ConfigOptions) -> Self {
        options.extensions.get::<Self>().cloned().unwrap_or_default()
    }
}

// A copy of a configuration belongs to the same statement.
carried!(CancelToken, "tpq_cancel");

/// Cancels a token when it is dropped: what is left of a statement has no receiver.
#[derive(Debug)]
pub struct CancelOnDrop(pub CancelToken);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

thread_local! {
    /// The token of the function that runs on this thread.
    static CURRENT: RefCell<Option<CancelToken>> = const { RefCell::new(None) };
}

/// Runs a function with loops that call [`check`] under the token of its statement.
pub(crate) fn under<T>(token: CancelToken, work: impl FnOnce() -> T) -> T {
    /// Puts the outer token back, also when the work panics.
    struct Restore(Option<CancelToken>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.with(|current| *current.borrow_mut() = self.0.take());
        }
    }
    let outer = CURRENT.with(|current| current.borrow_mut().replace(token));
    let _restore = Restore(outer);
    work()
}

/// The token of the function that runs on this thread, for threads that it starts.
pub(crate) fn current() -> Option<CancelToken> {
    CURRENT.with(|current| current.borrow().clone())
}

/// An error once the statement of the function that runs on this thread was asked to stop.
pub(crate) fn check() -> Result<()> {
    CURRENT.with(|current| current.borrow().as_ref().map_or(Ok(()), CancelToken::check))
}

/// Whether the statement that this thread works on was asked to stop. Work that waits asks this.
pub fn is_cancelled_here() -> bool {
    check().is_err()
}

/// A future that is polled under the token of its statement.
pub(crate) struct WithCancelToken<'a, T> {
    token: CancelToken,
    work: BoxFuture<'a, T>,
}

impl<'a, T> WithCancelToken<'a, T> {
    pub(crate) fn new(token: &CancelToken, work: impl Future<Output = T> + Send + 'a) -> Self {
        Self { token: token.clone(), work: work.boxed() }
    }
}

impl<T> Future for WithCancelToken<'_, T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let token = self.token.clone();
        under(token, || self.work.poll_unpin(context))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copied_configuration_has_the_same_token() {
        let token = CancelToken::default();
        let mut options = ConfigOptions::new();
        options.extensions.insert(token.clone());
        let copied = CancelToken::of(&options.clone());
        assert!(copied.check().is_ok());
        token.cancel();
        assert!(copied.check().is_err());
    }

    #[test]
    fn a_child_is_cancelled_with_its_parent_and_alone() {
        let parent = CancelToken::default();
        let (one, other) = (parent.child(), parent.child());
        one.cancel();
        assert!(one.is_cancelled() && !other.is_cancelled() && !parent.is_cancelled());
        parent.cancel();
        assert!(other.is_cancelled());
    }

    #[test]
    fn a_function_sees_the_token_of_its_own_statement() {
        let (outer, inner) = (CancelToken::default(), CancelToken::default());
        inner.cancel();
        under(outer, || {
            assert!(under(inner, check).is_err());
            assert!(check().is_ok());
        });
        assert!(check().is_ok());
    }
}
