//! Cancellation checks in long work on a single value.

use datafusion::common::Result;

use crate::cancel::check;

/// The number of steps between two checks of the token; they take well below a millisecond.
const CHECK_INTERVAL: usize = 1 << 16;

/// Counts steps since the last check.
#[derive(Default)]
pub(super) struct Steps(usize);

impl Steps {
    /// Counts `count` steps, and checks for cancellation if enough steps have passed.
    ///
    /// # Errors
    /// When the statement is cancelled.
    pub(super) fn take(&mut self, count: usize) -> Result<()> {
        self.0 = self.0.saturating_add(count);
        if self.0 < CHECK_INTERVAL {
            return Ok(());
        }
        self.0 = 0;
        check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cancel::{CancelToken, under};

    #[test]
    fn a_cancelled_statement_stops_within_a_value() {
        let token = CancelToken::default();
        token.cancel();
        under(token, || {
            let mut steps = Steps::default();
            assert!(steps.take(CHECK_INTERVAL - 1).is_ok());
            assert!(steps.take(1).is_err());
            assert!(steps.take(1).is_ok());
        });
    }
}
