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
    /// The threads that queue commands of an Adreno context.
    pub adreno_threads: FxHashMap<u32, i32>,
    /// When a command without a fence was queued on a virtual GPU, by queue and number.
    pub virtgpu_commands: FxHashMap<(&'static str, u32), i64>,
    /// The slices in which buffers were given to video devices.
    pub video_buffers: FxHashMap<VideoBuffer, u32>,
    /// The threads that read a file, by inode and offset.
    pub file_reads: FxHashMap<(u64, i64), i32>,
    /// The pages an allocation of contiguous memory migrated, reclaimed and mapped.
    pub contiguous: FxHashMap<Utid, [u64; 3]>,
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
