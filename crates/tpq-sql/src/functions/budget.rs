//! The memory that a function's texts and blobs may take: checked before they are made, and
//! reserved for as long as they are there.

use std::sync::Arc;

use bytes::Bytes;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, BinaryViewArray, StringViewArray};
use datafusion::arrow::buffer::Buffer;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, exec_err, resources_datafusion_err};
use datafusion::config::ConfigOptions;
use datafusion::execution::memory_pool::MemoryReservation;

use super::text::JOINED_TEXT;
use crate::memory::{LONGEST_VALUE, Memory};

/// What is reserved at a time; a call that makes less reserves nothing.
const STEP: usize = 1 << 20;

/// The memory of one call of a function, for the rows of a batch.
pub(super) struct Budget<'a> {
    function: &'a str,
    reserved: Option<MemoryReservation>,
    longest: usize,
    /// What was made so far, in bytes.
    made: usize,
}

impl<'a> Budget<'a> {
    pub(super) fn new(function: &'a str, config: &ConfigOptions) -> Self {
        let function = match function {
            JOINED_TEXT => "concat",
            other => other.trim_start_matches("__"),
        };
        let memory = Memory::of(config);
        let longest = memory.map_or(LONGEST_VALUE, Memory::longest_value);
        let reserved = memory.map(|memory| memory.consumer(&format!("{function}()")));
        Self { function, reserved, longest, made: 0 }
    }

    /// Asks for room for a value of up to so many bytes, before it is made.
    ///
    /// # Errors
    /// When the value is too long, or all values of the batch are.
    pub(super) fn value(&mut self, bytes: usize) -> Result<()> {
        let function = self.function;
        if bytes > LONGEST_VALUE {
            return exec_err!("{function}() makes a value of more than {LONGEST_VALUE} bytes");
        }
        if bytes > self.longest {
            return Err(resources_datafusion_err!(
                "{function}() makes a value of {bytes} bytes, of {} at most under this limit",
                self.longest
            ));
        }
        self.batch(bytes)
    }

    /// Asks for room for several values.
    ///
    /// # Errors
    /// When all values of the batch are too long.
    pub(super) fn batch(&mut self, bytes: usize) -> Result<()> {
        let function = self.function;
        self.made = self.made.saturating_add(bytes);
        if self.made > LONGEST_VALUE {
            return exec_err!(
                "{function}() makes more than {LONGEST_VALUE} bytes for one batch of rows"
            );
        }
        let Some(reserved) = &mut self.reserved else { return Ok(()) };
        if self.made > reserved.size() + STEP {
            reserved.try_resize(self.made)?;
        }
        Ok(())
    }

    /// The values, which give their memory back when nobody has them any more.
    pub(super) fn hold(self, array: ArrayRef) -> Result<ArrayRef> {
        let Some(reserved) = self.reserved.filter(|reserved| reserved.size() > 0) else {
            return Ok(array);
        };
        let reserved = Arc::new(reserved);
        let held = |buffer: Buffer| {
            let memory = Arc::clone(&reserved);
            Buffer::from(Bytes::from_owner(Held { buffer, _memory: memory }))
        };
        Ok(match array.data_type() {
            DataType::Utf8View => {
                let (views, buffers, nulls) = array.as_string_view().clone().into_parts();
                let buffers: Vec<Buffer> = buffers.iter().cloned().map(held).collect();
                Arc::new(StringViewArray::try_new(views, buffers, nulls)?)
            }
            DataType::BinaryView => {
                let (views, buffers, nulls) = array.as_binary_view().clone().into_parts();
                let buffers: Vec<Buffer> = buffers.iter().cloned().map(held).collect();
                Arc::new(BinaryViewArray::try_new(views, buffers, nulls)?)
            }
            _ => array,
        })
    }
}

/// Bytes with the memory that is reserved for them.
struct Held {
    buffer: Buffer,
    _memory: Arc<MemoryReservation>,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.buffer
    }
}
