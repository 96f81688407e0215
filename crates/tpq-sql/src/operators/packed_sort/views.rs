//! Strings of many batches as one array.

use datafusion::arrow::array::{Array, StringViewArray};
use datafusion::arrow::buffer::{Buffer, NullBuffer, ScalarBuffer};
use rustc_hash::FxHashMap;

/// Strings up to this long live inside the view itself (the Arrow format's own limit).
const INLINE_BYTES: u32 = 12;

/// The same strings in one array. Batches of one table share the buffers that hold their text; each
/// is named once, so that rows taken from here do not carry thousands of them.
pub(super) fn concat(parts: &[&StringViewArray]) -> StringViewArray {
    let len = parts.iter().map(|part| part.len()).sum();
    let mut views = Vec::with_capacity(len);
    let mut buffers: Vec<Buffer> = Vec::new();
    let mut known: FxHashMap<(usize, usize), u32> = FxHashMap::default();
    for part in parts {
        let number = |buffer: &Buffer| {
            *known.entry((buffer.as_ptr().addr(), buffer.len())).or_insert_with(|| {
                buffers.push(buffer.clone());
                buffers.len() as u32 - 1
            })
        };
        let numbers: Vec<u32> = part.data_buffers().iter().map(number).collect();
        views.extend(part.views().iter().enumerate().map(|(row, &view)| match view as u32 {
            // A NULL's view may be anything, even of a buffer that is not there.
            _ if part.is_null(row) => 0,
            0..=INLINE_BYTES => view,
            _ => {
                let number = numbers[(view >> 64) as u32 as usize];
                view & !(0xffff_ffff << 64) | u128::from(number) << 64
            }
        }));
    }
    let any_null = parts.iter().any(|part| part.null_count() > 0);
    let nulls = any_null.then(|| {
        let valid = parts.iter().flat_map(|part| (0..part.len()).map(|row| part.is_valid(row)));
        valid.collect::<NullBuffer>()
    });
    // SAFETY: each view is one of an array of strings, and its number is that of the same buffer as
    // there. Checking all text again took half of the time of sorting by it.
    unsafe { StringViewArray::new_unchecked(ScalarBuffer::from(views), buffers, nulls) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_that_are_shared_are_named_once() {
        let text = |row: usize| match row % 4 {
            0 => None,
            1 => Some("short".to_owned()),
            _ => Some(format!("a text that is too long for a view: {row}")),
        };
        let whole: StringViewArray = (0..1000).map(text).collect();
        let other: StringViewArray = (1000..1100).map(text).collect();
        let parts = [whole.slice(0, 600), other, whole.slice(600, 400)];
        let joined = concat(&parts.iter().collect::<Vec<_>>());
        let expected = parts.iter().flat_map(|part| part.iter());
        assert!(joined.iter().eq(expected));
        let buffers = whole.data_buffers().len() + parts[1].data_buffers().len();
        assert_eq!(joined.data_buffers().len(), buffers);
        assert!(joined.to_data().validate_full().is_ok());
        assert_eq!(concat(&[]).len(), 0);
    }
}
