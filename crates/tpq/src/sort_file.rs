//! The temporary file of events that exceed the memory limit.

use std::fs::File;
use std::io;
use std::sync::OnceLock;

use tpq_ingest::{RunStore, SortMemory};
use tpq_tables::positioned::{read_at, write_at};

use crate::ImportOptions;

/// Memory in bytes for events that wait to be sorted, if there is no limit.
const DEFAULT_MEMORY: u64 = 1 << 30;

/// The room for events that wait to be sorted: half of the memory limit, and a temporary file for
/// the rest.
pub(crate) fn sort_memory(options: &ImportOptions) -> SortMemory {
    let memory = options.memory_limit.map_or(DEFAULT_MEMORY, |limit| limit / 2);
    SortMemory::new(memory, SortFile::default())
}

/// A file without a name, so that it disappears with the process. It is created on the first write.
#[derive(Default)]
struct SortFile(OnceLock<File>);

impl RunStore for SortFile {
    fn write(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        let file = match self.0.get() {
            Some(file) => file,
            None => {
                let file = tempfile::tempfile()?;
                self.0.get_or_init(|| file)
            }
        };
        write_at(file, bytes, at)
    }

    fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        match self.0.get() {
            Some(file) => read_at(file, bytes, at),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_written_bytes_can_be_read() {
        let file = SortFile::default();
        assert!(file.read(&mut [0], 0).is_err());
        file.write(b"twelve bytes", 100).expect("there is room");
        file.write(b"TWELVE", 100).expect("there is room");
        let mut read = [0; 12];
        file.read(&mut read, 100).expect("was written");
        assert_eq!(&read, b"TWELVE bytes");
        assert!(file.read(&mut read, 101).is_err());
    }
}
