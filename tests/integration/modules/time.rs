//! `time.*`

use super::{empty, lines};

#[test]
fn units() {
    let of = |call: &str| lines(&empty(), "time.conversion", &format!("SELECT {call}")).remove(0);
    let units: [(&str, i64); 7] = [
        ("ns", 1),
        ("us", 1_000),
        ("ms", 1_000_000),
        ("s", 1_000_000_000),
        ("min", 60_000_000_000),
        ("hours", 3_600_000_000_000),
        ("days", 86_400_000_000_000),
    ];
    for (unit, nanoseconds) in units {
        assert_eq!(of(&format!("time_from_{unit}(3)")), (3 * nanoseconds).to_string());
        assert_eq!(of(&format!("time_to_{unit}({})", 3 * nanoseconds)), "3");
        // Units that have only begun do not count.
        let begun = 3 * nanoseconds + nanoseconds / 2;
        assert_eq!(of(&format!("time_to_{unit}({begun})")), "3");
    }
}
