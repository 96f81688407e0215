//! Work that a commit left undone.

use tpq::Lake;

use crate::each::say;

/// Says that logs of tables are behind the catalogue, if they are. Printed also if the run is quiet:
/// other programs read rows that the lake no longer has.
pub fn warn_of_unfinished(lake: &Lake) {
    if let Some(why) = lake.unfinished() {
        say(&format!(
            "warning: the lake is changed, but logs of its tables still have files of earlier rows, \
             which other programs read: {why}; tpq lake vacuum completes the change"
        ));
    }
}
