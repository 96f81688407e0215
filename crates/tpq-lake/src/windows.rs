//! Reads a file in pieces of limited size.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use datafusion::parquet::errors::{ParquetError, Result as ParquetResult};
use datafusion::parquet::file::reader::{ChunkReader, Length};

use crate::LakeError;

/// A file of which one window at a time is in memory; for threads that may block.
#[derive(Clone)]
pub(crate) struct Windows(Arc<Shared>);

struct Shared {
    /// Where the bytes end that are read.
    end: u64,
    /// The size of a window in bytes.
    size: u64,
    fetch: Box<dyn Fn(Range<u64>) -> Result<Bytes, LakeError> + Send + Sync>,
    window: Mutex<Window>,
    /// Why the last bytes could not be fetched.
    failure: Mutex<Option<LakeError>>,
}

/// Bytes of the file.
#[derive(Default)]
struct Window {
    start: u64,
    bytes: Bytes,
}

impl Window {
    /// What it has of a range, which is nothing if it lacks the first byte.
    fn part(&self, range: Range<u64>) -> Bytes {
        let at = |offset: u64| {
            let at = usize::try_from(offset.saturating_sub(self.start)).unwrap_or(usize::MAX);
            at.min(self.bytes.len())
        };
        match range.start >= self.start && range.end > range.start {
            true => self.bytes.slice(at(range.start)..at(range.end)),
            false => Bytes::new(),
        }
    }
}

impl Windows {
    /// A file that `fetch` reads, up to the offset `end`, in windows of `size` bytes.
    pub(crate) fn new(
        end: u64,
        size: u64,
        fetch: impl Fn(Range<u64>) -> Result<Bytes, LakeError> + Send + Sync + 'static,
    ) -> Self {
        let (window, failure) = (Mutex::default(), Mutex::default());
        Self(Arc::new(Shared { end, size: size.max(1), fetch: Box::new(fetch), window, failure }))
    }

    /// Bytes from an offset on, as far as a window has them; none at the end.
    ///
    /// # Errors
    /// When they cannot be fetched.
    pub(crate) fn bytes_from(&self, at: u64) -> ParquetResult<Bytes> {
        let mut window = self.window();
        let found = window.part(at..u64::MAX);
        let end = at.saturating_add(self.0.size).min(self.0.end);
        if !found.is_empty() || at >= end {
            return Ok(found);
        }
        // The old one is not kept beside the new one.
        *window = Window::default();
        let bytes = self.fetch(at..end)?;
        *window = Window { start: at, bytes: bytes.clone() };
        Ok(bytes)
    }

    /// A result of reading the file `name`, with the error of storage where that is the cause.
    ///
    /// # Errors
    /// When the result is one.
    pub(crate) fn checked<T>(&self, result: ParquetResult<T>, name: &str) -> Result<T, LakeError> {
        result.map_err(|error| {
            let failure = self.0.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
            failure.unwrap_or_else(|| LakeError::parquet(name)(error))
        })
    }

    fn window(&self) -> MutexGuard<'_, Window> {
        self.0.window.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fetch(&self, range: Range<u64>) -> ParquetResult<Bytes> {
        (self.0.fetch)(range).map_err(|error| {
            let text = error.to_string();
            *self.0.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            ParquetError::General(text)
        })
    }
}

impl Length for Windows {
    fn len(&self) -> u64 {
        self.0.end
    }
}

impl ChunkReader for Windows {
    type T = WindowReader;

    fn get_read(&self, start: u64) -> ParquetResult<WindowReader> {
        Ok(WindowReader { windows: self.clone(), at: start })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let short = || ParquetError::EOF("the file is too short".to_owned());
        let range = start..start.saturating_add(length as u64);
        if range.end > self.0.end {
            return Err(short());
        }
        let found = self.window().part(range.clone());
        let bytes = if found.len() == length { found } else { self.fetch(range)? };
        if bytes.len() == length { Ok(bytes) } else { Err(short()) }
    }
}

/// Reads a file from an offset on.
pub(crate) struct WindowReader {
    windows: Windows,
    at: u64,
}

impl Read for WindowReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.windows.bytes_from(self.at).map_err(io::Error::other)?;
        let count = bytes.len().min(buffer.len());
        buffer[..count].copy_from_slice(&bytes[..count]);
        self.at += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of 100 bytes that are their own offsets, up to `end`, and the ranges that are fetched.
    fn file(end: u64, size: u64) -> (Windows, Arc<Mutex<Vec<Range<u64>>>>) {
        let fetched = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&fetched);
        let windows = Windows::new(end, size, move |range| {
            seen.lock().unwrap().push(range.clone());
            Ok((range.start as u8..range.end as u8).collect())
        });
        (windows, fetched)
    }

    #[test]
    fn a_file_is_read_in_windows_up_to_the_end() {
        let (windows, fetched) = file(70, 30);
        let mut found = Vec::new();
        windows.get_read(20).unwrap().read_to_end(&mut found).unwrap();
        assert_eq!(found, (20..70).collect::<Vec<u8>>());
        assert_eq!(*fetched.lock().unwrap(), [20..50, 50..70]);
        // What follows in a window is not fetched again, and what is before it is.
        let mut first = [0; 5];
        windows.get_read(60).unwrap().read_exact(&mut first).unwrap();
        assert_eq!(first, [60, 61, 62, 63, 64]);
        assert_eq!(fetched.lock().unwrap().len(), 2);
        windows.get_read(49).unwrap().read_exact(&mut first).unwrap();
        assert_eq!(first, [49, 50, 51, 52, 53]);
        assert_eq!(fetched.lock().unwrap()[2], 49..70);
    }

    #[test]
    fn a_range_is_of_the_window_or_fetched_as_it_is() {
        let (windows, fetched) = file(100, 30);
        assert_eq!(windows.bytes_from(70).unwrap().len(), 30);
        assert_eq!(windows.get_bytes(92, 8).unwrap(), (92..100).collect::<Bytes>());
        assert_eq!(fetched.lock().unwrap().len(), 1);
        assert_eq!(windows.get_bytes(10, 65).unwrap(), (10..75).collect::<Bytes>());
        assert_eq!(*fetched.lock().unwrap(), [70..100, 10..75]);
        assert!(windows.get_bytes(92, 9).is_err());
        assert!(windows.get_bytes(u64::MAX, 9).is_err());
    }

    #[test]
    fn the_error_of_storage_is_that_of_the_read() {
        let windows = Windows::new(100, 30, |_| Err(LakeError::NotFound("x".to_owned())));
        let read = io::copy(&mut windows.get_read(0).unwrap(), &mut io::sink());
        let error = windows.checked(read.map_err(ParquetError::from), "a").unwrap_err();
        assert!(matches!(error, LakeError::NotFound(_)), "{error:?}");
        let other: ParquetResult<()> = Err(ParquetError::General("damage".to_owned()));
        let error = windows.checked(other, "a").unwrap_err();
        assert_eq!(error.to_string(), "a: Parquet error: damage");
    }
}
