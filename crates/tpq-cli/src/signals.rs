//! Signals: what Ctrl-C, and a request to end, do.
//!
//! A thread of its own receives them, so that no query and no import can keep it from running. By
//! default each ends the process at once, with 128 and the signal's number as exit status. The
//! shell takes over Ctrl-C with [`handle_interrupts`].

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;

/// How often Ctrl-C was pressed since the shell took it over.
static INTERRUPTS: OnceLock<watch::Sender<u64>> = OnceLock::new();
/// Whether the shell takes Ctrl-C; else it ends the process.
static HANDLED: AtomicBool = AtomicBool::new(false);

fn sender() -> &'static watch::Sender<u64> {
    INTERRUPTS.get_or_init(|| watch::Sender::new(0))
}

/// From now on Ctrl-C does not end the process.
pub fn handle_interrupts() {
    HANDLED.store(true, Ordering::Release);
}

/// Every Ctrl-C from now on.
pub fn interrupts() -> Interrupts {
    Interrupts(sender().subscribe())
}

/// Ctrl-C, counted. A clone waits for the same that the original waits for.
#[derive(Clone)]
pub struct Interrupts(watch::Receiver<u64>);

impl Interrupts {
    /// Returns when Ctrl-C is pressed, or was since the last call. Those from before there were
    /// these `Interrupts` do not count.
    pub async fn next(&mut self) {
        if self.0.changed().await.is_err() {
            // Without a thread that receives signals there are none.
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(unix)]
pub use unix::start;

#[cfg(unix)]
mod unix {
    use std::sync::atomic::Ordering;

    use nix::sys::termios::{LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};
    use tokio::signal::unix::{Signal, SignalKind, signal};

    use super::{HANDLED, io, sender};

    /// Starts the thread that receives signals.
    ///
    /// # Errors
    /// When the system has no thread to give, or does not let signals be received.
    pub fn start() -> io::Result<()> {
        // Before the prompt changes it.
        let terminal = tcgetattr(io::stdin()).ok();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        // Received from now on, not from whenever the thread gets to it.
        let ends = {
            let _entered = runtime.enter();
            let [interrupt, terminate, hang_up] =
                [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
            [received(interrupt)?, received(terminate)?, received(hang_up)?]
        };
        let [interrupt, terminate, hang_up] = ends;
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            let number = runtime.block_on(end(interrupt, terminate, hang_up));
            leave(number, terminal.as_ref());
        })?;
        Ok(())
    }

    /// The signal, unless whoever started this process wants it ignored, as `nohup` does.
    fn received(kind: SignalKind) -> io::Result<Option<Signal>> {
        if is_ignored(kind.as_raw_value()) { Ok(None) } else { signal(kind).map(Some) }
    }

    /// Whether a signal is ignored. Only Linux says so without `unsafe`.
    fn is_ignored(number: i32) -> bool {
        let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return false };
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.is_some_and(|mask| mask & (1 << (number - 1)) != 0)
    }

    /// Waits for the signal that ends the process, and gives its number.
    async fn end(
        mut interrupt: Option<Signal>,
        mut terminate: Option<Signal>,
        mut hang_up: Option<Signal>,
    ) -> i32 {
        loop {
            tokio::select! {
                () = next(&mut interrupt) => {
                    if !HANDLED.load(Ordering::Acquire) {
                        return SignalKind::interrupt().as_raw_value();
                    }
                    sender().send_modify(|count| *count += 1);
                }
                () = next(&mut terminate) => return SignalKind::terminate().as_raw_value(),
                () = next(&mut hang_up) => return SignalKind::hangup().as_raw_value(),
            }
        }
    }

    async fn next(signal: &mut Option<Signal>) {
        let received = match signal {
            Some(signal) => signal.recv().await,
            None => None,
        };
        if received.is_none() {
            std::future::pending::<()>().await;
        }
    }

    /// Ends the process as the signal would have, but for what it would leave behind.
    fn leave(number: i32, terminal: Option<&Termios>) -> ! {
        tpq::remove_partial_files();
        if let Some(before) = terminal {
            restore(before);
        }
        std::process::exit(128 + number);
    }

    /// Undoes what the prompt did to the terminal.
    fn restore(before: &Termios) {
        let Ok(now) = tcgetattr(io::stdin()) else { return };
        if now.local_flags.contains(LocalFlags::ICANON) {
            return;
        }
        // Nothing is left to be done about a terminal that is gone.
        let _ = tcsetattr(io::stdin(), SetArg::TCSADRAIN, before);
        // Pasted text is no longer marked as such; and the next line begins at the left.
        let _ = io::Write::write_all(&mut io::stdout(), b"\x1b[?2004l\r\n");
    }
}

#[cfg(not(unix))]
pub use other::start;

#[cfg(not(unix))]
mod other {
    use std::sync::atomic::Ordering;

    use super::{HANDLED, io, sender};

    /// Starts the thread that receives Ctrl-C.
    ///
    /// # Errors
    /// When the system has no thread to give.
    pub fn start() -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            runtime.block_on(async {
                while tokio::signal::ctrl_c().await.is_ok() {
                    if !HANDLED.load(Ordering::Acquire) {
                        tpq::remove_partial_files();
                        std::process::exit(130);
                    }
                    sender().send_modify(|count| *count += 1);
                }
            });
        })?;
        Ok(())
    }
}
