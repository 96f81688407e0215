//! The kernel: its events, statistics of the system, CPUs.

pub(crate) mod cpu_info;
pub(crate) mod etw;
pub mod ftrace;
pub(crate) mod ftrace_stats;
pub(crate) mod generic_kernel;
pub(crate) mod interrupt_info;
pub(crate) mod journald;
pub(crate) mod sys_stats;
pub(crate) mod system_info;
