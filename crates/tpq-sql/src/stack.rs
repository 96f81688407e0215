//! Room on the stack for plans and expressions that nest deeply.
//!
//! Plans are walked by recursion, in DataFusion and here, and so are they compared, cloned, run
//! and dropped. What a statement may nest is limited (`perfetto_sql::complexity`), and every walk
//! begins on a stack that has room for that much. A stack is mapped and not touched, so that a
//! statement which nests little uses little of it.

use std::any::Any;
use std::pin::Pin;
use std::task::{Context, Poll};

use datafusion::common::runtime::{JoinSetTracer, set_join_set_tracer};
use futures::future::BoxFuture;
use futures::{Future, FutureExt};

/// The stack that planning the deepest statement takes, with room to spare for builds without
/// optimisation.
const TO_PLAN: Stack = Stack { least: 192 << 20, whole: 256 << 20 };

/// The same for one step of a plan that runs.
const TO_RUN: Stack = Stack { least: 24 << 20, whole: 64 << 20 };

/// Sizes in bytes.
struct Stack {
    /// A stack with this much left is used as it is.
    least: usize,
    /// A new one has this much.
    whole: usize,
}

/// Runs `work` where statements can be parsed, planned and dropped.
pub(crate) fn with_room_to_plan<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(TO_PLAN.least, TO_PLAN.whole, work)
}

/// Runs `work`, a step of a plan that runs, where expressions can be evaluated.
pub(crate) fn with_room_to_run<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(TO_RUN.least, TO_RUN.whole, work)
}

/// A future that plans, polled and dropped where there is room for that.
pub struct Planning<'a, T>(Option<BoxFuture<'a, T>>);

impl<'a, T> Planning<'a, T> {
    /// Takes work that parses, plans or drops plans.
    pub fn new(work: impl Future<Output = T> + Send + 'a) -> Self {
        Self(Some(work.boxed()))
    }
}

impl<T> Future for Planning<'_, T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        with_room_to_plan(|| poll_once(&mut self.0, cx))
    }
}

impl<T> Drop for Planning<'_, T> {
    /// Unfinished work holds plans.
    fn drop(&mut self) {
        if let Some(work) = self.0.take() {
            with_room_to_plan(|| drop(work));
        }
    }
}

/// A future that runs a part of a plan.
struct Running<T>(Option<BoxFuture<'static, T>>);

impl<T> Future for Running<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        with_room_to_run(|| poll_once(&mut self.0, cx))
    }
}

impl<T> Drop for Running<T> {
    fn drop(&mut self) {
        if let Some(work) = self.0.take() {
            with_room_to_run(|| drop(work));
        }
    }
}

/// Polls a future, and drops it once it is finished.
fn poll_once<T>(work: &mut Option<BoxFuture<'_, T>>, cx: &mut Context<'_>) -> Poll<T> {
    let Some(future) = work else { return Poll::Pending };
    let polled = future.poll_unpin(cx);
    if polled.is_ready() {
        *work = None;
    }
    polled
}

/// Sees that the parts of plans which DataFusion runs on threads of their own have the same room.
/// The setting is one of the process: where other code has made it before, the threads of that code
/// need stacks that are large enough.
pub(crate) fn give_tasks_room() {
    static TASKS: Tasks = Tasks;
    let _ = set_join_set_tracer(&TASKS);
}

struct Tasks;

impl JoinSetTracer for Tasks {
    fn trace_future(
        &self,
        task: BoxFuture<'static, Box<dyn Any + Send>>,
    ) -> BoxFuture<'static, Box<dyn Any + Send>> {
        Running(Some(task)).boxed()
    }

    fn trace_block(
        &self,
        work: Box<dyn FnOnce() -> Box<dyn Any + Send> + Send>,
    ) -> Box<dyn FnOnce() -> Box<dyn Any + Send> + Send> {
        Box::new(move || with_room_to_run(work))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As deep as a plan may be, and deeper.
    struct Nested {
        _inner: Option<Box<Nested>>,
    }

    fn nested() -> Nested {
        (0..50_000)
            .fold(Nested { _inner: None }, |inner, _| Nested { _inner: Some(Box::new(inner)) })
    }

    #[test]
    fn unfinished_values_are_dropped_on_a_grown_stack() {
        let unfinished = || async {
            let _held = nested();
            futures::future::pending::<()>().await;
        };
        let on_a_small_stack = move || {
            let mut cx = Context::from_waker(futures::task::noop_waker_ref());
            let mut planning = Planning::new(unfinished());
            assert!(planning.poll_unpin(&mut cx).is_pending());
            drop(planning);
            let mut running = Running(Some(unfinished().boxed()));
            assert!(running.poll_unpin(&mut cx).is_pending());
            drop(running);
        };
        let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(on_a_small_stack);
        thread.unwrap().join().unwrap();
    }
}
