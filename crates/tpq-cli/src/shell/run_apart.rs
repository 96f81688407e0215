//! Work that Ctrl-C stops.
//!
//! ```text
//! this thread: prompt, output ◀── events, end ── a thread and a runtime of the work's own
//!              Ctrl-C ── cancel token, closed channel ──▶
//! ```
//!
//! A query may keep all threads of its runtime busy without a pause, and some of what DataFusion
//! does cannot be stopped before its end. So nothing else runs on that runtime, and it can be left
//! behind: the prompt returns, and the memory is released when the work does stop.

use std::time::Duration;

use anyhow::Context;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;
use tpq::CancelToken;

use crate::runtime;
use crate::signals::Interrupts;

/// How long the prompt waits for work that was cancelled.
const PATIENCE: Duration = Duration::from_millis(700);
/// Events that may wait to be handled.
const EVENTS_AHEAD: usize = 4;
/// Longer than any step takes; far less than what a clock can count.
const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// How work ended.
pub enum Ended<T> {
    /// By itself.
    Done(T),
    /// By Ctrl-C.
    Cancelled {
        /// Whether it still runs, since it did not stop in time.
        runs_on: bool,
    },
}

/// What work sends to the thread that waits for it.
enum Message<E, T> {
    Event(E),
    End(anyhow::Result<T>),
}

/// Where work sends its events.
pub struct Events<E, T>(Sender<Message<E, T>>);

impl<E, T> Events<E, T> {
    /// Hands over an event. Waits where many are not handled yet.
    pub async fn send(&self, event: E) {
        // Without a receiver the work is about to be dropped.
        let _ = self.0.send(Message::Event(event)).await;
    }
}

/// Does some work on threads of its own, handles its events here, and stops it on one of the
/// `interrupts`: `cancel` is cancelled, and the work is dropped at its next await point.
///
/// # Errors
/// The error of the work, or of handling an event, which ends the work as well.
pub async fn run_apart<E, T, W>(
    mut interrupts: Interrupts,
    cancel: CancelToken,
    work: impl FnOnce(Events<E, T>) -> W + Send + 'static,
    mut handle: impl FnMut(E) -> anyhow::Result<()>,
) -> anyhow::Result<Ended<T>>
where
    E: Send + 'static,
    T: Send + 'static,
    W: Future<Output = anyhow::Result<T>>,
{
    let (mut messages, ended) = start(work)?;
    loop {
        tokio::select! {
            biased;
            () = interrupts.next() => {
                cancel.cancel();
                drop(messages);
                let runs_on = !stops(ended, &mut interrupts).await;
                return Ok(Ended::Cancelled { runs_on });
            }
            message = messages.recv() => match message {
                Some(Message::Event(event)) => handle(event).inspect_err(|_| cancel.cancel())?,
                Some(Message::End(outcome)) => return outcome.map(Ended::Done),
                None => anyhow::bail!("the work stopped unexpectedly, which is a bug in tpq"),
            }
        }
    }
}

/// The same for work without events; `None` where Ctrl-C stopped it, which is said.
///
/// # Errors
/// The error of the work.
pub async fn until_interrupted<T, W>(
    interrupts: Interrupts,
    work: impl FnOnce() -> W + Send + 'static,
) -> anyhow::Result<Option<T>>
where
    T: Send + 'static,
    W: Future<Output = anyhow::Result<T>>,
{
    let work = move |_: Events<(), T>| work();
    match run_apart(interrupts, CancelToken::default(), work, |()| Ok(())).await? {
        Ended::Done(done) => Ok(Some(done)),
        Ended::Cancelled { .. } => {
            super::say("cancelled");
            Ok(None)
        }
    }
}

/// The messages of work, and the end of its threads.
type Started<E, T> = (Receiver<Message<E, T>>, oneshot::Receiver<()>);

/// Starts the work. It is dropped at its next await point when the receiver of its messages is. The
/// other receiver hears, by an error, that all its threads have ended.
fn start<E, T, W>(
    work: impl FnOnce(Events<E, T>) -> W + Send + 'static,
) -> anyhow::Result<Started<E, T>>
where
    E: Send + 'static,
    T: Send + 'static,
    W: Future<Output = anyhow::Result<T>>,
{
    let runtime = runtime::build(Some(Handle::current().metrics().num_workers()))
        .context("cannot start the threads of a query")?;
    let (sender, receiver) = channel(EVENTS_AHEAD);
    let (running, ended) = oneshot::channel::<()>();
    let thread = std::thread::Builder::new().name("query".into()).stack_size(runtime::STACK);
    let run = move || {
        runtime.block_on(async {
            let events = Events(sender.clone());
            let outcome = tokio::select! {
                biased;
                () = sender.closed() => return,
                outcome = work(events) => outcome,
            };
            // Without a receiver it was cancelled at the last moment.
            let _ = sender.send(Message::End(outcome)).await;
        });
        // Tasks that do not yield end on their own time, and this thread with them.
        runtime.shutdown_timeout(FOR_EVER);
        drop(running);
    };
    thread.spawn(run).context("cannot start the thread of a query")?;
    Ok((receiver, ended))
}

/// Waits until cancelled work has stopped; false where it does not in time, or where Ctrl-C is
/// pressed again.
async fn stops(ended: oneshot::Receiver<()>, interrupts: &mut Interrupts) -> bool {
    tokio::select! {
        biased;
        // The sender is never used, only dropped.
        _ = ended => true,
        () = interrupts.next() => false,
        () = tokio::time::sleep(PATIENCE) => false,
    }
}
