//! A clock on the counter of the CPU, which costs no more than reading that counter.
//!
//! tpq times its own stages, many times a second and from many threads. So a [`TscClock`] returns
//! [`Ticks`], a number directly from the counter, and converts it to time later:
//!
//! ```text
//! t ── now() ──▶ Ticks ── between(a, b) ────▶ Duration      ticks / rate
//!                   └──── to_system_time(t) ─▶ SystemTime    t / rate + offset
//! ```
//!
//! - **The counter** is the time stamp counter of x86-64, read with `RDTSCP`, if CPUID reports that
//!   this instruction exists and that the counter is invariant: it runs at the same speed in all
//!   states of the CPU. On other machines it is the system's `CLOCK_MONOTONIC`, which has ticks of
//!   1 ns.
//! - **The rate**, in ticks per second, is measured once, against `CLOCK_MONOTONIC`, and does not
//!   change afterwards. See [`Rate`].
//! - **The offset** is the value of `CLOCK_REALTIME` where the counter is zero. If the clocks read
//!   `T_sys` and `T_tsc` at the same moment, then `t_sys = T_sys + (t - T_tsc) / rate`, and the
//!   part that does not depend on `t` is `T_sys - T_tsc / rate`. This one number replaces the pair
//!   and fits one atomic, so any thread can replace and read it without a lock. It is measured
//!   again every 100 ms of use, because the system clock is adjusted and set.
//!
//! The counter is continuous from one CPU to another only if the machine keeps its CPUs
//! synchronized, as machines with an invariant counter do. After a virtual machine moved to another
//! host, and after a machine slept, the counter may have another value. Times of day are correct
//! again after the next measurement of the offset, but a duration across such a moment is
//! meaningless.

mod bracket;
mod clock;
mod counter;
#[cfg(test)]
mod fake;
mod offset;
mod rate;
mod snapshot;
mod source;
mod system_clock;

pub use clock::{Ticks, TscClock};
pub use rate::Rate;
pub use snapshot::Snapshot;
