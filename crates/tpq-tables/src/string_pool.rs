//! One pool of interned strings per import.
//!
//! Every string of every table is a [`StringId`] into it, so a name that occurs a million times
//! is stored once. For SQL the pool becomes Arrow string views: a row costs sixteen bytes and no
//! copy of the text.

use std::hash::BuildHasher;
use std::sync::Arc;

use arrow_array::StringViewArray;
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// Text is kept in blocks of at least this many bytes; a block becomes one Arrow buffer, and a
/// batch refers only to the blocks its rows use.
const BLOCK_BYTES: usize = 256 * 1024;
/// Strings up to this long live inside the view itself (the Arrow format's own limit).
const INLINE_BYTES: usize = 12;

/// An interned string. The default, [`StringId::NULL`], is SQL NULL.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug, PartialOrd, Ord)]
pub struct StringId(pub u32);

impl StringId {
    /// SQL NULL: no string, as opposed to an empty one.
    pub const NULL: Self = Self(0);

    /// Set in ids of a pool that is to become part of another; the rest of the id is the pool's
    /// own.
    pub const FOREIGN: u32 = 1 << 31;

    /// Whether this is SQL NULL.
    pub fn is_null(self) -> bool {
        self == Self::NULL
    }

    /// `other` where this is NULL.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if self.is_null() { other } else { self }
    }
}

#[derive(Clone, Copy)]
struct StringLocation {
    block: u32,
    offset: u32,
    len: u32,
}

/// Interns strings; ids are dense and start at 1.
pub struct StringPool {
    locations: Vec<StringLocation>,
    blocks: Vec<Vec<u8>>,
    index: HashTable<u32>,
}

impl Default for StringPool {
    fn default() -> Self {
        let null = StringLocation { block: 0, offset: 0, len: 0 };
        Self {
            locations: vec![null],
            blocks: vec![Vec::with_capacity(BLOCK_BYTES)],
            index: HashTable::new(),
        }
    }
}

impl StringPool {
    /// The id of `text`, interning it when new.
    pub fn intern(&mut self, text: &str) -> StringId {
        let hash = FxBuildHasher.hash_one(text);
        let Self { locations, blocks, index } = self;
        let text_of = |id: u32| bytes_of(locations, blocks, id);
        if let Some(&id) = index.find(hash, |&id| text_of(id) == text.as_bytes()) {
            return StringId(id);
        }
        let id = locations.len() as u32;
        let location = append(blocks, text.as_bytes());
        locations.push(location);
        index.insert_unique(hash, id, |&id| {
            FxBuildHasher.hash_one(as_str(bytes_of(locations, blocks, id)))
        });
        StringId(id)
    }

    /// The id of bytes that should be UTF-8; what is not becomes U+FFFD, as traces carry kernel
    /// names cut in the middle of a character.
    pub fn intern_bytes(&mut self, bytes: &[u8]) -> StringId {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.intern(text),
            Err(_) => self.intern(&String::from_utf8_lossy(bytes)),
        }
    }

    /// The id of `text` if it was ever interned.
    pub fn find(&self, text: &str) -> Option<StringId> {
        let hash = FxBuildHasher.hash_one(text);
        self.index
            .find(hash, |&id| bytes_of(&self.locations, &self.blocks, id) == text.as_bytes())
            .map(|&id| StringId(id))
    }

    /// The text of an id; empty for NULL.
    pub fn get(&self, id: StringId) -> &str {
        as_str(bytes_of(&self.locations, &self.blocks, id.0))
    }

    /// The texts of all strings from an id on, in the order of their ids.
    pub fn since(&self, first: u32) -> impl Iterator<Item = &str> {
        (first..self.locations.len() as u32).map(|id| self.get(StringId(id)))
    }

    /// How many strings there are, NULL not counted.
    pub fn len(&self) -> usize {
        self.locations.len() - 1
    }

    /// Whether nothing was interned.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Freezes the pool into what Arrow arrays are cut from.
    pub fn finish(self) -> StringViews {
        let views: Vec<u128> =
            self.locations.iter().map(|location| view_of(&self.blocks, *location)).collect();
        let blocks = self.blocks.into_iter().map(|mut block| {
            block.shrink_to_fit();
            Buffer::from_vec(block)
        });
        StringViews { views: views.into(), blocks: blocks.collect() }
    }
}

fn bytes_of<'a>(locations: &[StringLocation], blocks: &'a [Vec<u8>], id: u32) -> &'a [u8] {
    let location = locations[id as usize];
    &blocks[location.block as usize][location.offset as usize..][..location.len as usize]
}

/// Only text enters the pool, so this never sees anything else.
fn as_str(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

fn append(blocks: &mut Vec<Vec<u8>>, text: &[u8]) -> StringLocation {
    let full = blocks.last().is_none_or(|block| block.len() + text.len() > block.capacity());
    if full {
        blocks.push(Vec::with_capacity(text.len().max(BLOCK_BYTES)));
    }
    let block = blocks.len() - 1;
    let offset = blocks[block].len() as u32;
    blocks[block].extend_from_slice(text);
    StringLocation { block: block as u32, offset, len: text.len() as u32 }
}

/// The Arrow view of one string: length, then either the text itself or prefix, buffer, offset.
fn view_of(blocks: &[Vec<u8>], location: StringLocation) -> u128 {
    let text =
        &blocks[location.block as usize][location.offset as usize..][..location.len as usize];
    let mut view = [0u8; 16];
    view[..4].copy_from_slice(&location.len.to_le_bytes());
    if text.len() <= INLINE_BYTES {
        view[4..4 + text.len()].copy_from_slice(text);
    } else {
        view[4..8].copy_from_slice(&text[..4]);
        view[8..12].copy_from_slice(&location.block.to_le_bytes());
        view[12..].copy_from_slice(&location.offset.to_le_bytes());
    }
    u128::from_le_bytes(view)
}

/// Whether a view is of one of these texts, or has its text inside.
fn is_view_of(view: u128, texts: &[&str]) -> bool {
    let bytes = view.to_le_bytes();
    let len = view as u32 as usize;
    if len <= INLINE_BYTES {
        return std::str::from_utf8(&bytes[4..4 + len]).is_ok();
    }
    let (block, offset) = ((view >> 64) as u32 as usize, (view >> 96) as u32 as usize);
    let text = texts.get(block).and_then(|text| text.get(offset..offset.checked_add(len)?));
    text.is_some_and(|text| text.as_bytes()[..4] == bytes[4..8])
}

/// The finished pool: one Arrow view per id.
pub struct StringViews {
    views: ScalarBuffer<u128>,
    blocks: Vec<Buffer>,
}

impl StringViews {
    /// The same from its parts; `None` where a view is not of text in these blocks.
    pub(crate) fn checked(views: Buffer, blocks: Vec<Buffer>) -> Option<Self> {
        let aligned = views.as_ptr().addr().is_multiple_of(align_of::<u128>());
        if !aligned || views.is_empty() || !views.len().is_multiple_of(size_of::<u128>()) {
            return None;
        }
        let count = views.len() / size_of::<u128>();
        let views = ScalarBuffer::<u128>::new(views, 0, count);
        let texts = blocks.iter().map(|block| std::str::from_utf8(block).ok());
        let texts: Vec<&str> = texts.collect::<Option<_>>()?;
        views.iter().all(|view| is_view_of(*view, &texts)).then_some(())?;
        Some(Self { views, blocks })
    }

    pub(crate) fn bytes(&self) -> u64 {
        let blocks: usize = self.blocks.iter().map(|block| block.len()).sum();
        (self.views.inner().len() + blocks) as u64
    }

    /// The text of each id, that of NULL being empty.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &[u8]> {
        let (views, _) = self.views.inner().as_chunks::<{ size_of::<u128>() }>();
        views.iter().map(|bytes| {
            let view = u128::from_le_bytes(*bytes);
            let len = view as u32 as usize;
            if len <= INLINE_BYTES {
                return &bytes[4..4 + len];
            }
            let (block, offset) = ((view >> 64) as u32 as usize, (view >> 96) as u32 as usize);
            &self.blocks[block][offset..offset + len]
        })
    }

    /// A view for each id.
    pub(crate) fn views(&self) -> &ScalarBuffer<u128> {
        &self.views
    }

    /// The text that is too long for a view.
    pub(crate) fn blocks(&self) -> &[Buffer] {
        &self.blocks
    }

    /// An Arrow array of the strings `ids` names, id 0 being NULL. Only the blocks in use are
    /// attached, so that the memory of the array is not counted as that of the whole pool.
    pub fn array(&self, ids: impl ExactSizeIterator<Item = u32> + Clone) -> Arc<StringViewArray> {
        const UNUSED: u32 = u32::MAX;
        let mut local = vec![UNUSED; self.blocks.len()];
        let mut buffers = Vec::new();
        let mut views = Vec::with_capacity(ids.len());
        let mut any_null = false;
        for id in ids.clone() {
            any_null |= id == 0;
            // No id lies beyond the views, but those of a damaged file: such a one has no text.
            let view = self.views.get(id as usize).copied().unwrap_or_default();
            if (view as u32) as usize <= INLINE_BYTES {
                views.push(view);
                continue;
            }
            let block = (view >> 64) as u32;
            let slot = &mut local[block as usize];
            if *slot == UNUSED {
                *slot = buffers.len() as u32;
                buffers.push(self.blocks[block as usize].clone());
            }
            views.push((view & !(0xffff_ffff << 64)) | (u128::from(*slot) << 64));
        }
        let nulls = any_null.then(|| NullBuffer::from_iter(ids.map(|id| id != 0)));
        let views = ScalarBuffer::from(views);
        // SAFETY: each view is of text that is UTF-8 and lies at that offset of that block: it was
        // written so by `view_of`, or found to be so by `checked`. Its buffer index now points at
        // that block in `buffers`.
        // Checking them again took four times as long as building the array.
        Arc::new(unsafe { StringViewArray::new_unchecked(views, buffers, nulls) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Array;

    #[test]
    fn interning_twice_gives_one_id_and_views_read_back() {
        let mut pool = StringPool::default();
        let long = "a name that is longer than twelve bytes";
        let ids = [pool.intern("short"), pool.intern(long), pool.intern("short"), pool.intern("")];
        assert_eq!(ids[0], ids[2]);
        assert_eq!(pool.len(), 3);
        assert_eq!(pool.get(ids[1]), long);
        let array = pool.finish().array([ids[0].0, 0, ids[1].0, ids[3].0].into_iter());
        assert_eq!(array.iter().collect::<Vec<_>>(), [Some("short"), None, Some(long), Some("")]);
        assert!(array.to_data().validate_full().is_ok());
    }

    #[test]
    fn text_that_is_not_utf8_is_replaced_not_dropped() {
        let mut pool = StringPool::default();
        let id = pool.intern_bytes(b"ab\xff");
        assert_eq!(pool.get(id), "ab\u{fffd}");
    }

    #[test]
    fn a_batch_refers_only_to_the_blocks_it_uses() {
        let mut pool = StringPool::default();
        let texts: Vec<String> =
            (0..40_000).map(|i| format!("a longish string number {i}")).collect();
        let ids: Vec<u32> = texts.iter().map(|text| pool.intern(text).0).collect();
        let views = pool.finish();
        assert!(views.blocks.len() > 3);
        let array = views.array(ids[..10].iter().copied());
        assert_eq!(array.data_buffers().len(), 1);
        assert_eq!(array.value(9), texts[9]);
        let last = views.array(ids[39_990..].iter().copied());
        assert_eq!(last.value(9), texts[39_999]);
        assert!(last.to_data().validate_full().is_ok());
    }
}
