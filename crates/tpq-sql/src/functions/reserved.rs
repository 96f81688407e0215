//! Memory that indexes and results of table functions reserve.

use datafusion::common::Result;
use datafusion::config::ConfigOptions;
use datafusion::execution::memory_pool::MemoryReservation;

use crate::memory::Memory;

/// Growing results reserve memory in steps of this size, in bytes.
const STEP: usize = 1 << 20;

/// Memory of the session that is reserved for the rows of a table. Empty outside of a session.
#[derive(Debug, Default)]
pub(crate) struct Reserved(Option<MemoryReservation>);

impl Reserved {
    /// A reservation for the table with this name, which errors name. No memory is reserved yet.
    pub(crate) fn new(table: &str, config: &ConfigOptions) -> Self {
        Self(Memory::of(config).map(|memory| memory.consumer(&format!("table {table}"))))
    }

    /// A second reservation for the same table.
    pub(crate) fn another(&self) -> Self {
        Self(self.0.as_ref().map(MemoryReservation::new_empty))
    }

    /// Changes the reservation to `bytes`.
    ///
    /// # Errors
    /// When the session does not have that much memory.
    pub(crate) fn resize(&self, bytes: usize) -> Result<()> {
        self.0.as_ref().map_or(Ok(()), |reserved| reserved.try_resize(bytes))
    }

    /// Grows the reservation if it is less than `bytes`, by more than is missing.
    ///
    /// # Errors
    /// When the session does not have that much memory.
    pub(crate) fn at_least(&self, bytes: usize) -> Result<()> {
        match &self.0 {
            Some(reserved) if reserved.size() < bytes => {
                reserved.try_resize(bytes.saturating_add(STEP))
            }
            _ => Ok(()),
        }
    }
}
