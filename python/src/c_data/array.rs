//! `ArrowArray`: the buffers of a column, or of all columns as those of a struct.

use std::ffi::c_void;
use std::ptr;

use datafusion::arrow::array::{Array, ArrayData, AsArray, RecordBatch, StructArray, make_array};
use datafusion::arrow::buffer::{BooleanBuffer, Buffer};
use datafusion::arrow::datatypes::DataType;

use super::{Children, drop_private, into_private};

/// The struct `ArrowArray`.
#[repr(C)]
pub struct CArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut CArray,
    dictionary: *mut CArray,
    release: Option<unsafe extern "C" fn(*mut CArray)>,
    private_data: *mut c_void,
}

/// What the pointers of a struct lead to. Buffers are shared with the engine by their count of
/// references.
struct Owned {
    /// The addresses of `_shared`; NULL for the validity of a column without NULLs.
    buffers: Box<[*const c_void]>,
    _shared: Vec<Option<Buffer>>,
    children: Children<CArray>,
    dictionary: Children<CArray>,
}

// SAFETY: the struct owns what it points to, and Arrow's buffers are shared between threads.
unsafe impl Send for CArray {}

impl CArray {
    /// The columns of a batch, as those of a struct.
    pub fn of(batch: &RecordBatch) -> Self {
        Self::of_array(&StructArray::from(batch.clone()))
    }

    /// A struct of no array, which a stream gives at its end.
    pub fn released() -> Self {
        Self {
            length: 0,
            null_count: 0,
            offset: 0,
            n_buffers: 0,
            n_children: 0,
            buffers: ptr::null_mut(),
            children: ptr::null_mut(),
            dictionary: ptr::null_mut(),
            release: None,
            private_data: ptr::null_mut(),
        }
    }

    fn of_array(array: &dyn Array) -> Self {
        let data = array.to_data();
        let data_type = data.data_type();
        // Values of one bit are the only ones that may not begin at the start of their buffer.
        let bits = array.as_boolean_opt().map(|bits| bits.values().sliced());
        let (offset, values) = match bits {
            Some(bits) => (0, vec![bits]),
            None => (data.offset(), data.buffers().to_vec()),
        };
        let is_null = data_type == &DataType::Null;
        let mut shared = Vec::new();
        if !is_null {
            shared.push(validity(&data, offset));
        }
        shared.extend(values.into_iter().map(Some));
        if matches!(data_type, DataType::Utf8View | DataType::BinaryView) {
            shared.push(Some(view_sizes(&data)));
        }
        let children = data.child_data().iter().map(|child| make_array(child.clone()));
        let children = children.map(|child| Self::of_array(&child)).collect();
        let (children, dictionary) = match data_type {
            DataType::Dictionary(_, _) => (Vec::new(), children),
            _ => (children, Vec::new()),
        };
        let null_count = if is_null { data.len() } else { data.null_count() };
        Self::new(data.len(), null_count, offset, Owned::new(shared, children, dictionary))
    }

    fn new(length: usize, null_count: usize, offset: usize, mut owned: Owned) -> Self {
        let (n_children, children) = owned.children.parts();
        Self {
            length: number(length),
            null_count: number(null_count),
            offset: number(offset),
            n_buffers: number(owned.buffers.len()),
            n_children,
            // The pointers stay valid: what they lead to is on the heap.
            buffers: owned.buffers.as_mut_ptr(),
            children,
            dictionary: owned.dictionary.0.first().copied().unwrap_or(ptr::null_mut()),
            release: Some(release),
            private_data: into_private(owned),
        }
    }
}

impl Owned {
    fn new(shared: Vec<Option<Buffer>>, children: Vec<CArray>, dictionary: Vec<CArray>) -> Self {
        let address = |buffer: &Option<Buffer>| match buffer {
            Some(buffer) => buffer.as_ptr().cast::<c_void>(),
            None => ptr::null(),
        };
        Self {
            buffers: shared.iter().map(address).collect(),
            _shared: shared,
            children: Children::new(children),
            dictionary: Children::new(dictionary),
        }
    }
}

/// The validity of each value, as a bit that comes `offset` bits after the start; `None` without
/// NULLs.
fn validity(data: &ArrayData, offset: usize) -> Option<Buffer> {
    let nulls = data.nulls()?;
    if offset == 0 {
        // Shared if the bits begin at a byte.
        return Some(nulls.inner().sliced());
    }
    let valid = std::iter::repeat_n(true, offset).chain(nulls.iter());
    Some(valid.collect::<BooleanBuffer>().into_inner())
}

/// The sizes of the buffers that views point to, as the interface wants them after the others.
fn view_sizes(data: &ArrayData) -> Buffer {
    let texts = data.buffers().iter().skip(1);
    Buffer::from_iter(texts.map(|text| number(text.len())))
}

/// A number of values or bytes, which memory bounds.
fn number(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

unsafe extern "C" fn release(array: *mut CArray) {
    // SAFETY: the consumer passes the struct that it got, once.
    unsafe {
        (*array).release = None;
        drop_private::<Owned>((*array).private_data);
    }
}

impl Drop for CArray {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: it was not released before.
            unsafe { release(self) };
        }
    }
}
