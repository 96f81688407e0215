//! Memory that packed chunks lie in, which is asked for in large stretches: chunks stay until the
//! tables go, and each page of 4 KiB that is new to a process takes it longer than packing a chunk
//! of that size.

use std::mem::MaybeUninit;
use std::sync::{Mutex, PoisonError};

use bytes::{Buf, BufMut, BytesMut};

/// Bytes of a slab. What of it was never written takes no memory.
const SLAB: usize = 16 << 20;
/// What has memory of its own before there are slabs: in small tables, those would take more memory
/// than they save time.
const SMALL: usize = 64 << 20;
/// Where chunks begin, which is a line of the processor's cache.
const ALIGN: usize = 64;

/// Gives out memory that is not taken back before all of a slab is given back.
pub(crate) struct Slabs {
    /// The slab under way; nothing where each chunk has memory of its own.
    slab: Option<Mutex<Slab>>,
}

/// What is left of a slab.
#[derive(Default)]
struct Slab {
    rest: BytesMut,
    /// Bytes that were given out before there were slabs.
    before: usize,
}

impl Default for Slabs {
    fn default() -> Self {
        Self { slab: Some(Mutex::default()) }
    }
}

impl Slabs {
    /// Gives each chunk memory of its own, which is taken back with it.
    pub(crate) const fn none() -> Self {
        Self { slab: None }
    }

    /// Memory of so many bytes, which `write` appends.
    pub(crate) fn fill(&self, len: usize, write: impl FnOnce(&mut BytesMut)) -> BytesMut {
        let slab = self.slab.as_ref().filter(|_| len != 0);
        let slab = slab.map(|slab| slab.lock().unwrap_or_else(PoisonError::into_inner));
        match slab {
            Some(mut slab) if slab.before >= SMALL => slab.fill(len, write),
            slab => {
                slab.into_iter().for_each(|mut slab| slab.before += len);
                let mut own = BytesMut::with_capacity(len);
                write(&mut own);
                own
            }
        }
    }
}

impl Slab {
    fn fill(&mut self, len: usize, write: impl FnOnce(&mut BytesMut)) -> BytesMut {
        let rest = &mut self.rest;
        if rest.capacity() < len + ALIGN {
            *rest = BytesMut::with_capacity(SLAB.max(len + ALIGN));
            prefer_huge_pages(rest.spare_capacity_mut());
        }
        let address = rest.as_ptr().addr();
        let skipped = address.next_multiple_of(ALIGN) - address;
        rest.put_bytes(0, skipped);
        rest.advance(skipped);
        write(rest);
        rest.split()
    }
}

/// Has the system use pages of 2 MiB for memory that nothing was written to yet, where it has such.
#[cfg(target_os = "linux")]
fn prefer_huge_pages(memory: &mut [MaybeUninit<u8>]) {
    const PAGE: usize = 4096;
    let begin = memory.as_mut_ptr();
    let skipped = begin.addr().next_multiple_of(PAGE) - begin.addr();
    let Some(len) = memory.len().checked_sub(skipped) else { return };
    // SAFETY: whole pages of memory that is ours, of which the advice changes nothing but how the
    // system finds them. Without it, page faults take a sixth of the import of many switches.
    let advised = unsafe {
        let begin = begin.add(skipped).cast();
        libc::madvise(begin, len / PAGE * PAGE, libc::MADV_HUGEPAGE)
    };
    // Small pages are only slower.
    let _ = advised;
}

#[cfg(not(target_os = "linux"))]
fn prefer_huge_pages(_: &mut [MaybeUninit<u8>]) {}

#[cfg(test)]
impl Slabs {
    /// Slabs from the first byte on.
    pub(crate) fn at_once() -> Self {
        Self { slab: Some(Mutex::new(Slab { before: SMALL, ..Slab::default() })) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_a_slab_are_apart_and_aligned() {
        let slabs = Slabs::at_once();
        let lens = [1, 63, 64, 100_000, 0, SLAB, 7];
        let fill = |(byte, &len): (u8, &usize)| {
            let piece = slabs.fill(len, |out| out.put_bytes(byte, len));
            assert_eq!(piece.as_ptr().addr() % ALIGN * piece.len(), 0, "{len}");
            piece
        };
        let pieces: Vec<BytesMut> = (1..).zip(&lens).map(fill).collect();
        for ((byte, &len), mut piece) in (1..).zip(&lens).zip(pieces) {
            assert!(piece.len() == len && piece.iter().all(|&other| other == byte));
            // What is changed in one is not changed in the next.
            piece.fill(0);
        }
    }
}
