//! Buses that devices are connected by.

use insta::assert_snapshot;
use tpq_testkit::{FtraceEvent, Message};

use super::{SLICES, kernel};

fn message(at: u64, field: u32, bus: i64, number: u64) -> FtraceEvent {
    FtraceEvent::other(at, 101, field, Message::new().int(1, bus).uint(2, number))
}

const READ: u32 = 27;
const WRITE: u32 = 28;
const RESULT: u32 = 29;

/// A transfer of two messages ends with the result of both, not with that of another bus or of
/// one. There is no bus 256.
#[test]
fn transfers_on_i2c() {
    let imported = kernel([
        message(10, WRITE, 3, 0),
        message(12, READ, 3, 1),
        message(14, RESULT, 4, 2),
        message(16, RESULT, 3, 1),
        message(20, RESULT, 3, 2),
        message(30, READ, 256, 0),
    ]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type              track  name   category
    10  10   thread_execution  NULL   i2c-3  NULL
    ");
}
