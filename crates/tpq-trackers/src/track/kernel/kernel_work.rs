//! Kernel work that a later event completes.

use rustc_hash::FxHashMap;

use crate::track::{Drm, Utid};

/// A moment at which a buffer was given to a video device, by what names the buffer: the device,
/// the sequence number, the type and the index.
pub type VideoBuffer = (i64, i64, i64, i64);

/// Remembers it for one machine in one file.
#[derive(Debug, Default)]
pub struct KernelWork {
    /// How far a suspend of the machine has come.
    pub suspend: Suspend,
    /// Jobs and fences of graphics drivers.
    pub drm: Drm,
    /// Batches of commands of Adreno GPUs.
    pub adreno: Adreno,
    /// When a command without a fence was queued on a virtual GPU, by queue and number.
    pub virtgpu_commands: FxHashMap<(&'static str, u32), i64>,
    /// The slices in which buffers were given to video devices.
    pub video_buffers: FxHashMap<VideoBuffer, u32>,
    /// The threads that read a file, by inode and offset.
    pub file_reads: FxHashMap<(u64, i64), i32>,
    /// The pages an allocation of contiguous memory migrated, reclaimed and mapped.
    pub contiguous: FxHashMap<Utid, [u64; 3]>,
}

/// Remembers batches of commands of Adreno GPUs, until the GPU is done with them.
#[derive(Debug, Default)]
pub struct Adreno {
    /// The threads that queue batches, by context.
    pub threads: FxHashMap<u32, i32>,
    /// Moments with the ticks of the GPU's clock, by context and batch.
    pub anchors: FxHashMap<(u32, u32), TickAnchor>,
}

/// A moment in trace time and in ticks of another clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TickAnchor {
    /// The moment, ns of trace time.
    pub ts: i64,
    /// The same moment in ticks.
    pub ticks: u64,
}

/// How far a suspend has come. Where it fails while processes are being frozen, some kernels
/// never say that entering it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Suspend {
    /// There is none.
    #[default]
    Awake,
    /// It is being entered, by the action with this number.
    Entering(u64),
    /// It is being entered, and processes are being frozen.
    Freezing(u64),
}
