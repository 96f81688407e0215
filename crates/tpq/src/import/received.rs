//! A trace that arrives as a stream.
//!
//! Everything that needs no later byte is done while bytes arrive: they are stored, unpacked if
//! they are compressed, and prescanned, and their digest is computed. Events are decoded when the
//! last byte has arrived, because a snapshot of clocks may come after the events that need it.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tpq_ingest::PrescanStart;
use tpq_source::{Format, Inputs, ReadInputs, UNPACK_LIMIT};
use tpq_tables::TableGroups;

use super::{ImportError, Imported, import_inputs};
use crate::options::{ImportOptions, Stages};

/// A trace that has arrived completely. It can be imported more than once.
pub(crate) struct Received {
    name: PathBuf,
    inputs: Inputs,
    digest: Option<u128>,
    bytes: u64,
    /// The findings of the prescan while it arrived, for the first import.
    prescan: Mutex<Option<PrescanStart>>,
}

impl Received {
    /// Reads `input` to its end. `name` is that of its file.
    ///
    /// # Errors
    /// When `input` fails, or is no trace.
    pub(crate) fn read(
        name: &Path,
        input: impl Read,
        options: &ImportOptions,
    ) -> Result<Self, ImportError> {
        options.check()?;
        let mut stages = Stages::new(options);
        stages.begin("reading");
        let mut prescan = ArrivalPrescan::default();
        let progress = |read| options.advance(read, 0);
        let mut on_prefix = |bytes: &[u8]| prescan.advance(bytes, options);
        let read = Inputs::read(name, input, UNPACK_LIMIT, progress, &mut on_prefix);
        let ReadInputs { inputs, digest, bytes } = read?;
        let start = prescan.0.filter(|_| is_one_file(&inputs));
        Ok(Self { name: name.to_owned(), inputs, digest, bytes, prescan: Mutex::new(start) })
    }

    /// The digest of its bytes; `None` if a part of them was not read.
    pub(crate) fn digest(&self) -> Option<u128> {
        self.digest
    }

    /// The number of its bytes, as they arrived.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Imports it, without the tables of the groups `unwanted` if that takes less time.
    ///
    /// # Errors
    /// See [`import`](super::import()).
    pub(crate) fn import_without(
        &self,
        unwanted: TableGroups,
        options: &ImportOptions,
    ) -> Result<Imported, ImportError> {
        options.check()?;
        let start = self.prescan.lock().unwrap_or_else(PoisonError::into_inner).take();
        let paths = std::slice::from_ref(&self.name);
        import_inputs(paths, &self.inputs, start, unwanted, &mut Stages::new(options), options)
    }
}

/// The prescan of a trace of packets while it arrives; `None` for other formats.
struct ArrivalPrescan(Option<PrescanStart>);

impl Default for ArrivalPrescan {
    fn default() -> Self {
        Self(Some(PrescanStart::default()))
    }
}

impl ArrivalPrescan {
    fn advance(&mut self, arrived: &[u8], options: &ImportOptions) {
        let Some(start) = &mut self.0 else { return };
        let is_first = start.at() == 0;
        if is_first && !matches!(Format::of(arrived), Format::Perfetto | Format::Symbols) {
            self.0 = None;
            return;
        }
        options.timed("prescan", || start.advance(arrived));
    }
}

/// Whether the only trace is the input itself, or what it was unpacked to.
fn is_one_file(inputs: &Inputs) -> bool {
    let entries = inputs.entries();
    let is_around = |format| matches!(format, Format::Gzip | Format::Zstd);
    let (around, traces): (Vec<_>, Vec<_>) =
        entries.iter().partition(|entry| is_around(entry.format()));
    around.len() < 2 && matches!(traces[..], [trace] if trace.format() == Format::Perfetto)
}
