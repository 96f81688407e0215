//! Work on a single value that may take long, done in steps between which its statement can stop.

use datafusion::common::Result;

use crate::cancel::check;

/// How many steps go by without a look at the token: well below a millisecond.
const UNCHECKED: usize = 1 << 16;

/// The steps that were done since the last look.
#[derive(Default)]
pub(super) struct Steps(usize);

impl Steps {
    /// Counts steps that are about to be done.
    ///
    /// # Errors
    /// Once the statement was asked to stop.
    pub(super) fn take(&mut self, count: usize) -> Result<()> {
        self.0 = self.0.saturating_add(count);
        if self.0 < UNCHECKED {
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
            assert!(steps.take(UNCHECKED - 1).is_ok());
            assert!(steps.take(1).is_err());
            assert!(steps.take(1).is_ok());
        });
    }
}
