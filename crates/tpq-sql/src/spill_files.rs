//! Temporary files of queries that need more memory than they may use.
//!
//! They have no name, so that the system deletes them with the process, however it ends. DataFusion
//! would make named files in a folder that stays behind when the process is killed.

use std::fs::File;
use std::io::{self, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use datafusion::common::Result;
use datafusion::error::DataFusionError;
use datafusion::execution::{SpillFile, SpillWriter, TempFileFactory};
use futures::Stream;
use tpq_tables::positioned::{read_at, write_at};

/// The most bytes that the queries of a session may have in temporary files at a time.
const MOST: u64 = 100 << 30;
/// Bytes of one read. Sorted runs are merged from many files at once, each with such a buffer.
const READ: u64 = 128 << 10;

/// Makes the temporary files of a session, in the system's temporary folder.
#[derive(Default)]
pub(crate) struct SpillFiles {
    /// Bytes in all files that there are.
    used: Arc<AtomicU64>,
}

impl TempFileFactory for SpillFiles {
    fn create_temp_file(&self, _: &str) -> Result<Arc<dyn SpillFile>> {
        let file = tempfile::tempfile().map_err(|error| failed("create", &error))?;
        let used = Arc::clone(&self.used);
        Ok(Arc::new(Unnamed(Arc::new(Contents { file, len: AtomicU64::new(0), used }))))
    }
}

/// The error, the folder, and the advice.
fn failed(what: &str, error: &io::Error) -> DataFusionError {
    let folder = std::env::temp_dir();
    DataFusionError::Execution(format!(
        "cannot {what} a temporary file in {}: {error}; TMPDIR may name a folder with more room",
        folder.display()
    ))
}

struct Unnamed(Arc<Contents>);

struct Contents {
    file: File,
    len: AtomicU64,
    used: Arc<AtomicU64>,
}

impl Drop for Contents {
    fn drop(&mut self) {
        self.used.fetch_sub(self.len.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

impl Contents {
    /// The bytes from `offset` on, as many as one read takes; none at the end.
    fn read(&self, offset: u64) -> io::Result<Bytes> {
        let left = self.len.load(Ordering::Acquire).saturating_sub(offset);
        let mut bytes = vec![0; left.min(READ) as usize];
        read_at(&self.file, &mut bytes, offset)?;
        Ok(bytes.into())
    }
}

impl SpillFile for Unnamed {
    fn size(&self) -> Option<u64> {
        Some(self.0.len.load(Ordering::Relaxed))
    }

    fn read_stream(&self) -> Result<Pin<Box<dyn Stream<Item = Result<Bytes>> + Send>>> {
        let contents = Arc::clone(&self.0);
        Ok(Box::pin(futures::stream::try_unfold(0, move |offset| {
            let contents = Arc::clone(&contents);
            async move {
                // Here and not on a thread for such work: what was just written is in the system's
                // memory, and each thread would keep memory for its reads.
                let bytes = contents.read(offset).map_err(|error| failed("read", &error))?;
                let next = offset + bytes.len() as u64;
                Ok((!bytes.is_empty()).then_some((bytes, next)))
            }
        })))
    }

    fn open_writer(&self) -> Result<Box<dyn SpillWriter>> {
        Ok(Box::new(Writer(Arc::clone(&self.0))))
    }
}

/// Appends to a file.
struct Writer(Arc<Contents>);

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Contents { file, len, used } = &*self.0;
        let added = bytes.len() as u64;
        if used.fetch_add(added, Ordering::Relaxed) + added > MOST {
            used.fetch_sub(added, Ordering::Relaxed);
            let what = format!("queries may have {} GiB in temporary files", MOST >> 30);
            return Err(io::Error::other(what));
        }
        // One writer at a time, and readers see only what is counted.
        if let Err(error) = write_at(file, bytes, len.load(Ordering::Relaxed)) {
            used.fetch_sub(added, Ordering::Relaxed);
            return Err(io::Error::new(error.kind(), failed("write", &error).to_string()));
        }
        len.fetch_add(added, Ordering::Release);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl SpillWriter for Writer {
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use futures::TryStreamExt;

    use super::*;

    #[tokio::test]
    async fn a_file_gives_back_what_was_appended_and_has_no_name() {
        let files = SpillFiles::default();
        let file = files.create_temp_file("a test").expect("can be created");
        let whole: Vec<u8> = (0..300_000).map(|at| (at / 7) as u8).collect();
        let mut writer = file.open_writer().expect("can be written");
        for part in whole.chunks(77_777) {
            writer.write_all(part).expect("there is room");
        }
        writer.finish().expect("is whole");
        assert_eq!(file.path(), None);
        assert_eq!(file.size(), Some(300_000));
        assert_eq!(files.used.load(Ordering::Relaxed), 300_000);
        // Twice, as each reader begins at the start.
        for _ in 0..2 {
            let parts: Vec<Bytes> =
                file.read_stream().expect("can be read").try_collect().await.expect("is there");
            assert!(parts.concat() == whole);
        }
        drop((file, writer));
        assert_eq!(files.used.load(Ordering::Relaxed), 0);
    }
}
