//! The reader of a file's events, in any format.

use crate::{Batch, LossBook, SequenceLoss, SourceId, Timeline};

/// Walks a file and hands on its events in batches.
///
/// To add a format, implement this and name it where the import opens files.
pub trait EventReader: Send {
    /// The next batch; `None` after the last.
    fn next_batch(&mut self) -> Option<Batch>;

    /// The number of packets or events read so far.
    fn event_count(&self) -> u64;

    /// Losses so far.
    fn losses(&self) -> &LossBook;

    /// How the clocks of the file were placed.
    fn timeline(&self) -> &Timeline;

    /// The source of a machine, by the id that the file gives it; 0 is the one it was recorded on.
    fn source(&self, machine: u32) -> SourceId;

    /// Losses of each writer sequence so far, in formats with sequences.
    fn sequence_losses(&self) -> Vec<SequenceLoss> {
        Vec::new()
    }

    /// The number of writer sequences seen.
    fn sequence_count(&self) -> u64 {
        0
    }
}
