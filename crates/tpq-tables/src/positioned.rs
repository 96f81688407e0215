//! Reads and writes at an offset of a file, without moving its cursor, so that several threads can
//! share one file.

use std::fs::File;
use std::io;

/// Fills `bytes` from a file, from `offset` on.
///
/// # Errors
/// When the file ends before, or cannot be read.
#[cfg(unix)]
pub fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

/// Writes all of `bytes` to a file, from `offset` on.
///
/// # Errors
/// When there is no room for them.
#[cfg(unix)]
pub fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

/// Fills `bytes` from a file, from `offset` on.
///
/// # Errors
/// When the file ends before, or cannot be read.
#[cfg(windows)]
pub fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                offset += read as u64;
            }
        }
    }
    Ok(())
}

/// Writes all of `bytes` to a file, from `offset` on.
///
/// # Errors
/// When there is no room for them.
#[cfg(windows)]
pub fn write_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, offset)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => {
                bytes = &bytes[written..];
                offset += written as u64;
            }
        }
    }
    Ok(())
}
