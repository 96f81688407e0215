//! Events of the Linux kernel.
//!
//! [`bundle`] splits what a CPU's buffer held into runs, [`event`] reads what all events have in
//! common, and each other file decodes the events of one area: to add one, write a function and
//! list it in the area's `EVENTS`.

mod android_fs;
mod binder;
mod block;
mod bundle;
mod compact_sched;
mod cpu;
mod event;
mod f2fs;
mod function;
mod i2c;
mod interrupt;
mod memory;
mod network;
mod print;
mod sched;
mod signal;
mod socket;
mod syscall;
mod syscall_names;
mod systrace;
mod task;
mod timer;
mod ufs;
mod v4l2;
mod virtio_video;
mod wakeup_source;
mod workqueue;

pub(crate) use bundle::{PACKET, split};
pub(crate) use event::decode_run_event;
