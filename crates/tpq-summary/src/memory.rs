//! The memory that a summary takes.

use crate::SummaryError;

/// The limit without a limit of the user: a protobuf message has at most 2 GiB.
const DEFAULT_LIMIT: u64 = 2 << 30;

/// Counts the memory of a summary up to a limit.
#[derive(Debug)]
pub(crate) struct SummaryMemory {
    used: u64,
    limit: u64,
}

impl SummaryMemory {
    pub(crate) fn new(limit: Option<u64>) -> Self {
        Self { used: 0, limit: limit.unwrap_or(DEFAULT_LIMIT).min(DEFAULT_LIMIT) }
    }

    /// Adds a number of bytes.
    ///
    /// # Errors
    /// When the sum is above the limit.
    pub(crate) fn add(&mut self, bytes: usize) -> Result<(), SummaryError> {
        self.used = self.used.saturating_add(bytes as u64);
        match self.used > self.limit {
            true => Err(SummaryError::TooLarge { limit: self.limit }),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_the_last_allowed_byte() {
        let mut memory = SummaryMemory::new(Some(10));
        assert!(memory.add(4).is_ok() && memory.add(6).is_ok());
        assert!(matches!(memory.add(1), Err(SummaryError::TooLarge { limit: 10 })));
    }
}
