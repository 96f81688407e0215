//! The memory budget of a function's texts and blobs: checked before the values are made, and
//! reserved as long as they exist.

use std::sync::Arc;

use bytes::Bytes;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, BinaryViewArray, StringViewArray};
use datafusion::arrow::buffer::Buffer;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, exec_err, resources_datafusion_err};
use datafusion::config::ConfigOptions;
use datafusion::execution::memory_pool::MemoryReservation;

use super::text::CONCAT_TEXT;
use crate::constant_folding::check_literal;
use crate::memory::{LONGEST_VALUE, Memory};

/// Reservations grow in steps of at least this size, in bytes. A call that makes less reserves
/// nothing.
const STEP: usize = 1 << 20;

/// The usual number of rows of a batch.
const BATCH_ROWS: usize = 8192;

/// The memory budget of one call of a function, for the rows of a batch.
pub(super) struct Budget<'a> {
    function: &'a str,
    reserved: Option<MemoryReservation>,
    /// The maximum size of a value under the session's memory limit, in bytes.
    max_value: usize,
    /// The maximum size of all values, in bytes.
    max_total: usize,
    /// The size of all values so far, in bytes.
    total: usize,
}

impl<'a> Budget<'a> {
    pub(super) fn new(function: &'a str, config: &ConfigOptions) -> Self {
        let function = match function {
            CONCAT_TEXT => "concat",
            other => other.trim_start_matches("__"),
        };
        let memory = Memory::of(config);
        let max_value = memory.map_or(LONGEST_VALUE, Memory::longest_value);
        let reserved = memory.map(|memory| memory.consumer(&format!("{function}()")));
        Self { function, reserved, max_value, max_total: LONGEST_VALUE, total: 0 }
    }

    /// The budget of a call for a number of rows. A window over a whole table gives all of its rows
    /// as one batch, which may have as many values as its rows would have in usual batches.
    pub(super) fn for_rows(mut self, rows: usize) -> Self {
        self.max_total = LONGEST_VALUE.saturating_mul(rows.div_ceil(BATCH_ROWS).max(1));
        self
    }

    /// Reserves memory for a value of up to `bytes` bytes, before the value is made.
    ///
    /// # Errors
    /// When the value is too long, or all values of the batch together are.
    pub(super) fn reserve_value(&mut self, bytes: usize) -> Result<()> {
        let function = self.function;
        if bytes > LONGEST_VALUE {
            return exec_err!("{function}() makes a value of more than {LONGEST_VALUE} bytes");
        }
        if bytes > self.max_value {
            return Err(resources_datafusion_err!(
                "{function}() makes a value of {bytes} bytes, but the memory limit allows only {}",
                self.max_value
            ));
        }
        self.reserve_batch(bytes)
    }

    /// Reserves memory for `count` values of up to `bytes` bytes each, before they are made.
    ///
    /// # Errors
    /// As [`reserve_value`](Self::reserve_value).
    pub(super) fn reserve_values(&mut self, bytes: usize, count: usize) -> Result<()> {
        let Some(others) = count.checked_sub(1) else { return Ok(()) };
        self.reserve_value(bytes)?;
        self.reserve_batch(bytes.saturating_mul(others))
    }

    /// Reserves memory for several values.
    ///
    /// # Errors
    /// When all values of the batch together are too long.
    pub(super) fn reserve_batch(&mut self, bytes: usize) -> Result<()> {
        let function = self.function;
        self.total = self.total.saturating_add(bytes);
        check_literal(self.total)?;
        let max_total = self.max_total;
        if self.total > max_total {
            return exec_err!(
                "{function}() makes more than {max_total} bytes for one batch of rows"
            );
        }
        let Some(reserved) = &mut self.reserved else { return Ok(()) };
        if self.total > reserved.size() + STEP {
            reserved.try_resize(self.total)?;
        }
        Ok(())
    }

    /// Attaches the reservation to the buffers of `array`, so that the memory is released when the
    /// buffers are dropped.
    pub(super) fn attach(self, array: ArrayRef) -> Result<ArrayRef> {
        let Some(reserved) = self.reserved.filter(|reserved| reserved.size() > 0) else {
            return Ok(array);
        };
        let reserved = Arc::new(reserved);
        let attached = |buffer: Buffer| {
            let memory = Arc::clone(&reserved);
            Buffer::from(Bytes::from_owner(ReservedBuffer { buffer, _memory: memory }))
        };
        Ok(match array.data_type() {
            DataType::Utf8View => {
                let (views, buffers, nulls) = array.as_string_view().clone().into_parts();
                let buffers: Vec<Buffer> = buffers.iter().cloned().map(attached).collect();
                Arc::new(StringViewArray::try_new(views, buffers, nulls)?)
            }
            DataType::BinaryView => {
                let (views, buffers, nulls) = array.as_binary_view().clone().into_parts();
                let buffers: Vec<Buffer> = buffers.iter().cloned().map(attached).collect();
                Arc::new(BinaryViewArray::try_new(views, buffers, nulls)?)
            }
            _ => array,
        })
    }
}

/// A buffer with the reservation for its memory.
struct ReservedBuffer {
    buffer: Buffer,
    _memory: Arc<MemoryReservation>,
}

impl AsRef<[u8]> for ReservedBuffer {
    fn as_ref(&self) -> &[u8] {
        &self.buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A window over a whole table gives its rows as one batch.
    #[test]
    fn a_batch_of_many_rows_may_have_as_much_as_several() {
        let config = ConfigOptions::new();
        let reserve = |rows, bytes| Budget::new("f", &config).for_rows(rows).reserve_batch(bytes);
        assert!(reserve(8192, 1_000_000_000).is_ok());
        assert!(reserve(8192, 1_000_000_001).is_err());
        assert!(reserve(3 * 8192 - 1, 3_000_000_000).is_ok());
        let error = reserve(3 * 8192, 3_000_000_001).unwrap_err().to_string();
        assert!(error.contains("f() makes more than 3000000000 bytes"), "{error}");
    }
}
