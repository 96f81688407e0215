//! A clock that is the counter of the CPU itself, and costs what reading that counter costs.
//!
//! tpq times its own stages, many times a second and from many threads. A [`TscClock`] therefore
//! gives [`Ticks`], a number straight from the counter, and works out later what they mean:
//!
//! ```text
//! t ── now() ──▶ Ticks ── between(a, b) ────▶ Duration      ticks / rate
//!                   └──── to_system_time(t) ─▶ SystemTime    t / rate + offset
//! ```
//!
//! - **The counter** is the time stamp counter of x86-64, read with `RDTSCP`, where CPUID says that
//!   there is such an instruction and that the counter is invariant: that it runs at the same speed
//!   whatever the CPU does. Anywhere else it is the system's `CLOCK_MONOTONIC`, whose ticks are ns.
//! - **The rate**, in ticks per second, is measured once, against `CLOCK_MONOTONIC`, and does not
//!   change afterwards. See [`Rate`].
//! - **The offset** says where the counter's zero lies in `CLOCK_REALTIME`. If the clocks read
//!   `T_sys` and `T_tsc` at the same moment, then `t_sys = T_sys + (t - T_tsc) / rate`, and all of it
//!   that does not depend on `t` is `T_sys - T_tsc / rate`. This one number takes the place of the
//!   pair, fits one atomic, and so is replaced and read from any thread without a lock. It is
//!   measured anew ("tied") every 100 ms of use, as the system's clock is adjusted and set.
//!
//! The counter goes on from one CPU to the next only where the machine keeps its CPUs in step, as
//! those with an invariant counter do. A virtual machine that is moved to another host, and a
//! machine that slept, may find another number in it: times of day are right again after the next
//! tie, but a duration across such a moment means nothing.

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
