//! Ids of threads and processes, which every layer uses.

/// Row of `thread`: unique where tids are reused.
pub type Utid = u32;
/// Row of `process`: unique where pids are reused.
pub type Upid = u32;

/// The idle task of the first machine.
pub const IDLE: Utid = 0;

/// A thread id as the kernel of a machine assigns it. A process id is the thread id of its main
/// thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Tid {
    /// Row of `machine`.
    pub machine: u32,
    /// The id on that machine.
    pub id: i64,
}
