//! `ArrowArrayStream`: batches that are computed as a consumer asks for them.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

use datafusion::arrow::error::ArrowError;
use datafusion::arrow::record_batch::RecordBatchReader;

use super::{CArray, CSchema, drop_private, into_private};

/// The code of an error of any kind, `EINVAL`, from which pyarrow makes an `ArrowException`.
const EINVAL: c_int = 22;

/// The struct `ArrowArrayStream`.
#[repr(C)]
pub struct CStream {
    get_schema: Option<unsafe extern "C" fn(*mut CStream, *mut CSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut CStream, *mut CArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut CStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut CStream)>,
    private_data: *mut c_void,
}

/// The batches, and the text of the last error.
struct Owned {
    reader: Box<dyn RecordBatchReader + Send>,
    error: CString,
}

// SAFETY: the struct owns its reader, which can be sent.
unsafe impl Send for CStream {}

impl CStream {
    /// The batches of a reader.
    pub fn new(reader: Box<dyn RecordBatchReader + Send>) -> Self {
        Self {
            get_schema: Some(get_schema),
            get_next: Some(get_next),
            get_last_error: Some(get_last_error),
            release: Some(release),
            private_data: into_private(Owned { reader, error: CString::default() }),
        }
    }

    /// The reader of the stream.
    ///
    /// # Safety
    /// `stream` is a stream of [`CStream::new`] that is not released, and no other call uses it.
    unsafe fn owned<'a>(stream: *mut Self) -> &'a mut Owned {
        // SAFETY: the caller promises it.
        unsafe { &mut *(*stream).private_data.cast::<Owned>() }
    }
}

impl Owned {
    /// Writes a value where the consumer wants it, or notes the error.
    ///
    /// # Safety
    /// `out` can be written.
    unsafe fn give<T>(&mut self, value: Result<T, ArrowError>, out: *mut T) -> c_int {
        match value {
            Ok(value) => {
                // SAFETY: the caller promises it. What is there has no value yet.
                unsafe { ptr::write(out, value) };
                0
            }
            Err(error) => {
                let text = error.to_string().replace('\0', " ");
                self.error = CString::new(text).unwrap_or_default();
                EINVAL
            }
        }
    }
}

unsafe extern "C" fn get_schema(stream: *mut CStream, out: *mut CSchema) -> c_int {
    // SAFETY: the consumer passes the stream that it got, and a place for the schema.
    unsafe {
        let owned = CStream::owned(stream);
        let schema = CSchema::of(&owned.reader.schema());
        owned.give(schema, out)
    }
}

unsafe extern "C" fn get_next(stream: *mut CStream, out: *mut CArray) -> c_int {
    // SAFETY: the consumer passes the stream that it got, and a place for the array.
    unsafe {
        let owned = CStream::owned(stream);
        let next = owned.reader.next().transpose();
        let next =
            next.map(|batch| batch.map_or_else(CArray::released, |batch| CArray::of(&batch)));
        owned.give(next, out)
    }
}

unsafe extern "C" fn get_last_error(stream: *mut CStream) -> *const c_char {
    // SAFETY: the consumer passes the stream that it got.
    unsafe { CStream::owned(stream) }.error.as_ptr()
}

unsafe extern "C" fn release(stream: *mut CStream) {
    // SAFETY: the consumer passes the stream that it got, once.
    unsafe {
        (*stream).release = None;
        drop_private::<Owned>((*stream).private_data);
    }
}

impl Drop for CStream {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: it was not released before.
            unsafe { release(self) };
        }
    }
}
