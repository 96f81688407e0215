//! The kernel: scheduling, system calls, devices.

pub(in crate::track) mod binder;
pub(in crate::track) mod cpu;
pub(in crate::track) mod disk;
pub(in crate::track) mod drm;
pub(in crate::track) mod ftrace_start;
pub(in crate::track) mod kernel_events;
pub(in crate::track) mod kernel_work;
pub(in crate::track) mod mm;
pub(in crate::track) mod network;
pub(in crate::track) mod page_size;
pub(in crate::track) mod sched;
pub(in crate::track) mod seen_events;
pub(in crate::track) mod syscall;
pub(in crate::track) mod task_state;
