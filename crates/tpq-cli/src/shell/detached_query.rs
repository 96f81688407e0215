//! Runs work that Ctrl-C can stop.
//!
//! ```text
//! this thread: prompt, output ◀── events, end ── thread and runtime of the work
//!              Ctrl-C ── cancel token, closed channel ──▶
//! ```
//!
//! A query may keep all threads of its runtime busy, and some steps of DataFusion cannot be
//! interrupted. So the work has a runtime of its own, which can be abandoned: the prompt returns,
//! and the memory is released when the work stops. Work that ends by itself leaves its runtime for
//! the next (`detached_runtime`).

use std::time::Duration;

use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;
use tpq::CancelToken;

use super::detached_runtime::{DetachedRuntime, KEPT};
use crate::signals::Interrupts;

/// How long the prompt waits for cancelled work to stop.
const CANCEL_TIMEOUT: Duration = Duration::from_millis(700);
/// The number of events that may wait to be handled.
const MAX_PENDING_EVENTS: usize = 4;

/// How work ended.
pub enum WorkResult<T> {
    /// By itself.
    Done(T),
    /// By Ctrl-C.
    Cancelled {
        /// Whether the work still runs because it did not stop in time.
        still_running: bool,
    },
}

/// A message from the work to the thread that waits for it.
enum Message<E, T> {
    Event(E),
    End(anyhow::Result<T>),
}

/// The sender of the work's events.
pub struct Events<E, T>(Sender<Message<E, T>>);

impl<E, T> Events<E, T> {
    /// Sends an event. Waits if many events are not handled yet.
    pub async fn send(&self, event: E) {
        // Without a receiver, the work is about to be dropped.
        let _ = self.0.send(Message::Event(event)).await;
    }
}

/// Runs work on its own threads and handles its events on this one. The first of `interrupts`
/// cancels `cancel`, and the work is dropped at its next await point.
///
/// # Errors
/// When the work fails, or handling an event fails, which also ends the work.
pub async fn run_detached<E, T, W>(
    mut interrupts: Interrupts,
    cancel: CancelToken,
    work: impl FnOnce(Events<E, T>) -> W + Send + 'static,
    mut handle: impl FnMut(E) -> anyhow::Result<()>,
) -> anyhow::Result<WorkResult<T>>
where
    E: Send + 'static,
    T: Send + 'static,
    W: Future<Output = anyhow::Result<T>>,
{
    let runtime = KEPT.take()?;
    let mut messages = start(&runtime, work);
    loop {
        tokio::select! {
            biased;
            () = interrupts.next() => {
                cancel.cancel();
                drop(messages);
                let still_running = !has_stopped(runtime.end(), &mut interrupts).await;
                return Ok(WorkResult::Cancelled { still_running });
            }
            message = messages.recv() => match message {
                Some(Message::Event(event)) => handle(event).inspect_err(|_| cancel.cancel())?,
                Some(Message::End(outcome)) => {
                    let done = outcome?;
                    KEPT.put(runtime);
                    return Ok(WorkResult::Done(done));
                }
                None => anyhow::bail!("the work stopped unexpectedly, which is a bug in tpq"),
            }
        }
    }
}

/// Like [`run_detached`], without events. Returns `None` if Ctrl-C stopped the work, after printing
/// a message.
///
/// # Errors
/// When the work fails.
pub async fn until_interrupted<T, W>(
    interrupts: Interrupts,
    work: impl FnOnce() -> W + Send + 'static,
) -> anyhow::Result<Option<T>>
where
    T: Send + 'static,
    W: Future<Output = anyhow::Result<T>>,
{
    let work = move |_: Events<(), T>| work();
    match run_detached(interrupts, CancelToken::default(), work, |()| Ok(())).await? {
        WorkResult::Done(done) => Ok(Some(done)),
        WorkResult::Cancelled { .. } => {
            super::print_note("cancelled");
            Ok(None)
        }
    }
}

/// Starts the work, which is dropped at its next await point once the receiver of its messages is
/// dropped.
fn start<E, T, W>(
    runtime: &DetachedRuntime,
    work: impl FnOnce(Events<E, T>) -> W + Send + 'static,
) -> Receiver<Message<E, T>>
where
    E: Send + 'static,
    T: Send + 'static,
    W: Future<Output = anyhow::Result<T>>,
{
    let (sender, receiver) = channel(MAX_PENDING_EVENTS);
    runtime.run(move |runtime| {
        runtime.block_on(async {
            let events = Events(sender.clone());
            let outcome = tokio::select! {
                biased;
                () = sender.closed() => return,
                outcome = work(events) => outcome,
            };
            // Without a receiver, the work was cancelled at the last moment.
            let _ = sender.send(Message::End(outcome)).await;
        });
    });
    receiver
}

/// Waits until cancelled work has stopped. Returns false if it does not stop in time, or if Ctrl-C
/// is pressed again.
async fn has_stopped(ended: oneshot::Receiver<()>, interrupts: &mut Interrupts) -> bool {
    tokio::select! {
        biased;
        // The sender is never used, only dropped.
        _ = ended => true,
        () = interrupts.next() => false,
        () = tokio::time::sleep(CANCEL_TIMEOUT) => false,
    }
}
