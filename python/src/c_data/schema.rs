//! `ArrowSchema`: the name and type of a column, or of all columns as those of a struct.

use std::ffi::{CString, c_char, c_void};
use std::ptr;

use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::arrow::error::ArrowError;

use super::format::format_of;
use super::{Children, drop_private, into_private};

/// The flag of columns that may have NULLs.
const NULLABLE: i64 = 2;

/// The struct `ArrowSchema`.
#[repr(C)]
pub struct CSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut CSchema,
    dictionary: *mut CSchema,
    release: Option<unsafe extern "C" fn(*mut CSchema)>,
    private_data: *mut c_void,
}

/// What the pointers of a struct lead to.
struct Owned {
    format: CString,
    name: CString,
    children: Children<CSchema>,
    dictionary: Children<CSchema>,
}

// SAFETY: the struct owns what it points to, and nothing in that is bound to a thread.
unsafe impl Send for CSchema {}

impl CSchema {
    /// The columns of a result, as those of a struct.
    ///
    /// # Errors
    /// When a type cannot be exported.
    pub fn of(schema: &Schema) -> Result<Self, ArrowError> {
        Self::of_field(&Field::new("", DataType::Struct(schema.fields().clone()), false))
    }

    fn of_field(field: &Field) -> Result<Self, ArrowError> {
        let children = match field.data_type() {
            DataType::Struct(fields) => fields.iter().map(|field| Self::of_field(field)).collect(),
            DataType::List(item) | DataType::LargeList(item) => {
                Self::of_field(item).map(|item| vec![item])
            }
            _ => Ok(Vec::new()),
        };
        let dictionary = match field.data_type() {
            DataType::Dictionary(_, values) => {
                vec![Self::of_field(&Field::new("", values.as_ref().clone(), true))?]
            }
            _ => Vec::new(),
        };
        let owned = Owned {
            format: text(&format_of(field.data_type())?),
            name: text(field.name()),
            children: Children::new(children?),
            dictionary: Children::new(dictionary),
        };
        let flags = if field.is_nullable() { NULLABLE } else { 0 };
        Ok(Self::new(owned, flags))
    }

    fn new(mut owned: Owned, flags: i64) -> Self {
        let (n_children, children) = owned.children.parts();
        let dictionary = owned.dictionary.0.first().copied().unwrap_or(ptr::null_mut());
        // The pointers stay valid: what they lead to is on the heap.
        Self {
            format: owned.format.as_ptr(),
            name: owned.name.as_ptr(),
            metadata: ptr::null(),
            flags,
            n_children,
            children,
            dictionary,
            release: Some(release),
            private_data: into_private(owned),
        }
    }
}

/// A text of C. It cannot hold a NUL, so it ends there.
fn text(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

unsafe extern "C" fn release(schema: *mut CSchema) {
    // SAFETY: the consumer passes the struct that it got, once.
    unsafe {
        (*schema).release = None;
        drop_private::<Owned>((*schema).private_data);
    }
}

impl Drop for CSchema {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: it was not released before.
            unsafe { release(self) };
        }
    }
}
