//! Deletes traces.

use std::collections::HashSet;
use std::sync::Arc;

use crate::catalog::TRACES;
use crate::lake::Lake;
use crate::write::{iso8601, milliseconds};
use crate::{LakeError, LakeTrace, runtime};

/// How often the catalogue is changed anew while other processes change it.
const ATTEMPTS: u32 = 40;
const SECONDS_OF_DAY: i64 = 86_400;
/// A recording from before has a clock that was not set, as that of a device that has just started
/// without a battery for it. Texts of dates are in the order of the dates.
const EARLIEST: &str = "2000-01-01";

impl Lake {
    /// Deletes traces, by their digests, all at once. Rows in files with rows of other traces are
    /// left out of a new file. Returns the traces that were deleted. [`Lake::vacuum`] removes the
    /// files.
    ///
    /// # Errors
    /// When the catalogue cannot be changed. What follows its commit may fail without an error;
    /// [`Lake::unfinished`] says so.
    pub async fn delete(
        &self,
        digests: &HashSet<String>,
    ) -> Result<Vec<Arc<LakeTrace>>, LakeError> {
        for attempt in 0..ATTEMPTS {
            let catalog = self.catalog().await?;
            let is_deleted = |trace: &Arc<LakeTrace>| digests.contains(&trace.facts.digest);
            let deleted: Vec<_> = catalog.traces().into_iter().filter(is_deleted).collect();
            if deleted.is_empty() {
                return Ok(deleted);
            }
            if self.change_catalog(&catalog, digests, Vec::new()).await? {
                let traces = deleted.iter().map(AsRef::as_ref);
                self.follow_up(async {
                    self.forget(catalog.layout(), traces).await?;
                    self.leave_out(&deleted).await
                })
                .await;
                return Ok(deleted);
            }
            runtime::pause(attempt).await?;
        }
        Err(LakeError::Busy(TRACES.to_owned()))
    }

    /// The traces that are older than a number of days: by the time of the recording or, where that
    /// is not known, of the ingest.
    ///
    /// # Errors
    /// When the catalogue cannot be read.
    pub async fn older_than(&self, days: u32) -> Result<Vec<Arc<LakeTrace>>, LakeError> {
        let limit = iso8601(milliseconds() / 1000 - i64::from(days) * SECONDS_OF_DAY);
        let is_older = |trace: &Arc<LakeTrace>| {
            let recorded = trace.facts.recorded_at.as_deref();
            time_of(recorded, &trace.ingested_at) < limit.as_str()
        };
        Ok(self.catalog().await?.traces().into_iter().filter(is_older).collect())
    }
}

/// The time by which a trace is kept.
fn time_of<'a>(recorded: Option<&'a str>, ingested: &'a str) -> &'a str {
    recorded.filter(|recorded| *recorded >= EARLIEST).unwrap_or(ingested)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_was_not_set_says_nothing_of_the_age_of_a_trace() {
        let ingested = "2026-05-06T00:00:00Z";
        for (recorded, expected) in [
            (Some("2026-03-31T01:02:03Z"), "2026-03-31T01:02:03Z"),
            (Some("1970-01-01T00:00:09Z"), ingested),
            (None, ingested),
        ] {
            assert_eq!(time_of(recorded, ingested), expected);
        }
    }
}
