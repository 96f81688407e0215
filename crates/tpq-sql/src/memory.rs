//! How much memory statements may use.
//!
//! Operators of DataFusion reserve what they hold from a pool, and spill or fail where it has no
//! more. Kept tables and functions that make long texts reserve from the same pool.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::buffer::Buffer;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::execution::memory_pool::{
    GreedyMemoryPool, MemoryConsumer, MemoryPool, MemoryReservation, TrackConsumersPool,
};

use crate::carried::carried;
use crate::memory_pool::SharedPool;

/// The most bytes of one text or blob, as SQLite has it.
pub(crate) const LONGEST_VALUE: usize = 1_000_000_000;

/// Where the user sets a limit, one value may have this part of it: while it is made, sorted and
/// written there are several copies of a value.
const PART_FOR_A_VALUE: usize = 4;

/// How many of the largest consumers of a plan are listed when memory runs out.
const CONSUMERS_SHOWN: std::num::NonZeroUsize = std::num::NonZeroUsize::MIN.saturating_add(4);

/// The memory that statements of a session may use.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pool: Arc<dyn MemoryPool>,
    longest_value: usize,
}

impl Memory {
    /// At most `limit` bytes; without one, three quarters of the machine's memory, so that a
    /// statement fails before the machine does.
    pub(crate) fn new(limit: Option<u64>) -> Self {
        let size = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        let Some(limit) = limit.map(size) else {
            let most = machine_memory().map_or(usize::MAX, |bytes| size(bytes / 4 * 3));
            let pool = TrackConsumersPool::new(GreedyMemoryPool::new(most), CONSUMERS_SHOWN);
            return Self { pool: Arc::new(pool), longest_value: LONGEST_VALUE };
        };
        let pool = TrackConsumersPool::new(SharedPool::new(limit), CONSUMERS_SHOWN);
        let longest_value = (limit / PART_FOR_A_VALUE).min(LONGEST_VALUE);
        Self { pool: Arc::new(pool), longest_value }
    }

    /// Of the session that a function runs in.
    pub(crate) fn of(config: &ConfigOptions) -> Option<&Self> {
        config.extensions.get::<Self>()
    }

    pub(crate) fn pool(&self) -> &Arc<dyn MemoryPool> {
        &self.pool
    }

    /// The most bytes of one text or blob.
    pub(crate) fn longest_value(&self) -> usize {
        self.longest_value
    }

    /// Memory for something that is called so in errors; none of it yet.
    pub(crate) fn consumer(&self, name: &str) -> MemoryReservation {
        MemoryConsumer::new(name).register(&self.pool)
    }
}

/// The bytes of a batch that is kept, as far as they are its own: texts are often the trace's, of
/// which each column has all.
pub(crate) fn bytes_of(batch: &RecordBatch) -> usize {
    batch.columns().iter().map(column_bytes).sum()
}

/// The same of one column.
pub(crate) fn column_bytes(column: &ArrayRef) -> usize {
    let of_views = |views: &[u128], buffers: &[Buffer]| {
        // A view begins with the length of its text, and holds it up to 12 bytes.
        let lengths = views.iter().map(|view| (*view & u128::from(u32::MAX)) as usize);
        let texts: usize = lengths.filter(|length| *length > 12).sum();
        let buffers: usize = buffers.iter().map(Buffer::len).sum();
        size_of_val(views) + texts.min(buffers)
    };
    match column.data_type() {
        DataType::Utf8View => {
            let texts = column.as_string_view();
            of_views(texts.views(), texts.data_buffers())
        }
        DataType::BinaryView => {
            let blobs = column.as_binary_view();
            of_views(blobs.views(), blobs.data_buffers())
        }
        _ => {
            let all = column.get_array_memory_size();
            column.to_data().get_slice_memory_size().unwrap_or(all)
        }
    }
}

/// Memory for batches that a table of that name keeps.
///
/// # Errors
/// When there is not enough.
pub(crate) fn reserve_for(
    table: &str,
    batches: &[RecordBatch],
    config: &ConfigOptions,
) -> Result<Option<MemoryReservation>> {
    let Some(memory) = Memory::of(config) else { return Ok(None) };
    let reserved = memory.consumer(&format!("table {table}"));
    reserved.try_grow(batches.iter().map(bytes_of).sum())?;
    Ok(Some(reserved))
}

carried!(Memory, "tpq_memory");

/// The memory that this process can have, in bytes: the machine's, or its control group's. `None`
/// where the system does not say, as only Linux does here.
fn machine_memory() -> Option<u64> {
    let read = |path| std::fs::read_to_string(path).ok();
    let of_machine = read("/proc/meminfo").and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.trim().trim_end_matches(" kB").parse::<u64>().ok()?.checked_mul(1024)
    });
    let of_group = read("/sys/fs/cgroup/memory.max").and_then(|text| text.trim().parse().ok());
    of_machine.into_iter().chain(of_group).min()
}
