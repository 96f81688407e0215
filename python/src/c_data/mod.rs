//! Arrow's C data interface: structs by which libraries in one process share columns.
//!
//! <https://arrow.apache.org/docs/format/CDataInterface.html> defines the structs. Arrow's own are
//! behind its feature `ffi`, which every crate that uses Arrow would have to be compiled with. Here
//! columns are only exported, never imported.
//!
//! Each struct owns what it points to. Its consumer moves it, or calls `release`; dropping a struct
//! that no consumer took releases it as well.

mod array;
mod format;
mod schema;
mod stream;

pub use array::CArray;
pub use schema::CSchema;
pub use stream::CStream;

use std::ffi::c_void;

/// Gives a value to a struct, which keeps it alive by a pointer to it.
fn into_private<T>(value: T) -> *mut c_void {
    Box::into_raw(Box::new(value)).cast()
}

/// Drops a value of [`into_private`].
///
/// # Safety
/// `pointer` is of [`into_private`] with the same type, and is not used afterwards.
unsafe fn drop_private<T>(pointer: *mut c_void) {
    // SAFETY: the caller promises it.
    drop(unsafe { Box::from_raw(pointer.cast::<T>()) });
}

/// Structs that a struct points to, and owns.
struct Children<T>(Box<[*mut T]>);

impl<T> Children<T> {
    fn new(children: Vec<T>) -> Self {
        Self(children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect())
    }

    /// The number of them, and the array of pointers to them.
    fn parts(&mut self) -> (i64, *mut *mut T) {
        // No struct has that many columns.
        (i64::try_from(self.0.len()).unwrap_or(i64::MAX), self.0.as_mut_ptr())
    }
}

impl<T> Drop for Children<T> {
    fn drop(&mut self) {
        for &child in &self.0 {
            // SAFETY: each pointer is of `Box::into_raw`, and dropped only here.
            drop(unsafe { Box::from_raw(child) });
        }
    }
}
