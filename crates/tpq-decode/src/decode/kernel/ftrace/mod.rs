//! Events of the Linux kernel.
//!
//! [`bundle`] splits the buffer of a CPU into runs, [`event`] reads the fields that all events
//! share, [`dispatch`] selects the function for an event, and each other file decodes the events of
//! one area: to add one, write a function and list it in the area's `EVENTS`.

mod adreno;
mod binder;
mod block;
mod buffers;
mod bundle;
mod clock;
mod compact_sched;
mod cpu;
mod described;
mod dispatch;
mod display;
mod drm;
mod effects;
mod event;
mod f2fs;
mod file_read;
mod firmware;
mod function;
mod gpu;
mod hypervisor;
mod i2c;
mod interrupt;
mod mali;
mod marker;
mod memory;
mod network;
mod own_time;
mod power;
mod presence;
mod print;
mod raw;
mod reclaim;
mod sched;
mod secure;
mod signal;
mod socket;
pub(crate) mod syscall;
mod syscall_names;
mod systrace;
mod task;
pub mod text;
mod thermal;
mod timer;
mod ufs;
mod video;
mod virtio;
mod wakeup_source;
mod workqueue;

pub(crate) use bundle::{KernelBundles, PACKET, split};
pub(crate) use dispatch::{decode_run_event, numbers};
pub use event::FtraceEvent;
