//! Signal handling: Ctrl-C and requests to end the process.
//!
//! A separate thread receives the signals, so that no query and no import can block it. By default
//! each signal ends the process at once, with 128 plus the signal's number as the exit status. The
//! shell handles Ctrl-C itself after [`handle_interrupts`].

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;

/// The number of Ctrl-C presses since the shell handles them.
static INTERRUPTS: OnceLock<watch::Sender<u64>> = OnceLock::new();
/// Whether the shell handles Ctrl-C; otherwise it ends the process.
static HANDLED: AtomicBool = AtomicBool::new(false);

/// Whether the next signal, of whatever kind, counts as a Ctrl-C press that is handled.
static ONE_END_HANDLED: AtomicBool = AtomicBool::new(false);

fn sender() -> &'static watch::Sender<u64> {
    INTERRUPTS.get_or_init(|| watch::Sender::new(0))
}

/// From now on, Ctrl-C does not end the process.
pub fn handle_interrupts() {
    HANDLED.store(true, Ordering::Release);
}

/// From now on, the first signal that asks the process to end counts as a Ctrl-C press, so that a
/// server can end properly. The second one ends the process.
pub fn handle_one_end() {
    ONE_END_HANDLED.store(true, Ordering::Release);
}

/// Whether a signal is handled. If so, those that handle it know of it.
fn is_handled(is_interrupt: bool) -> bool {
    let one_end = ONE_END_HANDLED.swap(false, Ordering::AcqRel);
    let handled = one_end || (is_interrupt && HANDLED.load(Ordering::Acquire));
    if handled {
        sender().send_modify(|count| *count += 1);
    }
    handled
}

/// All Ctrl-C presses from now on.
pub fn interrupts() -> Interrupts {
    Interrupts(sender().subscribe())
}

/// A receiver of Ctrl-C presses. A clone has seen the same presses as the original.
#[derive(Clone)]
pub struct Interrupts(watch::Receiver<u64>);

impl Interrupts {
    /// Returns when Ctrl-C is pressed, or at once if it was pressed since the last call. Presses
    /// before the creation of this receiver do not count.
    pub async fn next(&mut self) {
        if self.0.changed().await.is_err() {
            // Without the thread that receives signals, there are no presses.
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(unix)]
pub use unix::start;

#[cfg(unix)]
mod unix {
    use nix::sys::termios::{LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};
    use tokio::signal::unix::{Signal, SignalKind, signal};

    use super::{io, is_handled};

    /// Starts the thread that receives signals.
    ///
    /// # Errors
    /// When the system cannot start a thread, or does not allow signals to be received.
    pub fn start() -> io::Result<()> {
        // Saved before the prompt changes it.
        let terminal = tcgetattr(io::stdin()).ok();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        // Receive signals from now on, not only once the thread runs.
        let ends = {
            let _entered = runtime.enter();
            let [interrupt, terminate, hang_up] =
                [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
            let ignored = ignored();
            let received = |kind| received(kind, ignored);
            [received(interrupt)?, received(terminate)?, received(hang_up)?]
        };
        let [interrupt, terminate, hang_up] = ends;
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            let number = runtime.block_on(end(interrupt, terminate, hang_up));
            leave(number, terminal.as_ref());
        })?;
        Ok(())
    }

    /// A receiver of a signal. `None` if the parent process made this one ignore it, as `nohup`
    /// does.
    fn received(kind: SignalKind, ignored: u64) -> io::Result<Option<Signal>> {
        let is_ignored = ignored & (1 << (kind.as_raw_value() - 1)) != 0;
        if is_ignored { Ok(None) } else { signal(kind).map(Some) }
    }

    /// The ignored signals, a bit for each from signal 1 on. Without `unsafe`, only Linux provides
    /// this; elsewhere none counts as ignored.
    fn ignored() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
    }

    /// Waits for a signal that ends the process, and returns its number.
    async fn end(
        mut interrupt: Option<Signal>,
        mut terminate: Option<Signal>,
        mut hang_up: Option<Signal>,
    ) -> i32 {
        loop {
            let kind = tokio::select! {
                () = next(&mut interrupt) => SignalKind::interrupt(),
                () = next(&mut terminate) => SignalKind::terminate(),
                () = next(&mut hang_up) => SignalKind::hangup(),
            };
            if !is_handled(kind == SignalKind::interrupt()) {
                return kind.as_raw_value();
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

    /// Ends the process as the signal would have done, but cleans up first.
    fn leave(number: i32, terminal: Option<&Termios>) -> ! {
        tpq::remove_partial_files();
        if let Some(before) = terminal {
            restore(before);
        }
        std::process::exit(128 + number);
    }

    /// Restores the terminal settings that the prompt changed.
    fn restore(before: &Termios) {
        let Ok(now) = tcgetattr(io::stdin()) else { return };
        if now.local_flags.contains(LocalFlags::ICANON) {
            return;
        }
        // Nothing can be done if the terminal is gone.
        let _ = tcsetattr(io::stdin(), SetArg::TCSADRAIN, before);
        // Turn off bracketed paste, and begin the next line at the left.
        let _ = io::Write::write_all(&mut io::stdout(), b"\x1b[?2004l\r\n");
    }
}

#[cfg(not(unix))]
pub use other::start;

#[cfg(not(unix))]
mod other {
    use super::{io, is_handled};

    /// Starts the thread that receives Ctrl-C.
    ///
    /// # Errors
    /// When the system cannot start a thread.
    pub fn start() -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            runtime.block_on(async {
                while tokio::signal::ctrl_c().await.is_ok() {
                    if !is_handled(true) {
                        tpq::remove_partial_files();
                        std::process::exit(130);
                    }
                }
            });
        })?;
        Ok(())
    }
}
