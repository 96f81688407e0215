//! Kernel events, args and thread states, which an import may leave out. Each damaged input is
//! imported with and without them.

use crate::bases::{Base, file, plain};
use crate::traces;

/// The name of the area.
pub const NAME: &str = "left_out";

pub fn bases() -> Vec<Base> {
    let events = |variant| traces::events(3, variant);
    let with = |name: &str| plain(name, [file(name), events(0), events(1)].concat());
    vec![with("sched.pftrace"), with("track_events.pftrace"), plain("events", events(2))]
}
