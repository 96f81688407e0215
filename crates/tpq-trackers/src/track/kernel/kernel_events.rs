//! Facts about kinds of kernel events.

/// A kind of event that is a slice or a counter, with the numbers of the fields that say which.
#[derive(Clone, Debug, Default)]
pub struct KernelTrackEvent {
    /// The name of the kind, which is that of tracks that have no other.
    pub name: Vec<u8>,
    /// Number of the field with the track's name.
    pub track_name: Option<u32>,
    /// The owner of the track.
    pub context: TrackContext,
    /// Whether a slice begins, ends, or is an instant.
    pub phase: Option<u32>,
    /// Number of the field with the slice's name.
    pub slice_name: Option<u32>,
    /// Number of the field with the counter's value.
    pub value: Option<u32>,
}

/// The owner of the tracks of a kind of event, with the number of the field that names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TrackContext {
    /// The thread that was running.
    #[default]
    Thread,
    /// The process with the pid in the field of this number.
    Process(u32),
    /// The CPU with the number in the field of this number.
    Cpu(u32),
    /// Something that has no tracks.
    Unknown,
}
