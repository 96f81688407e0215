//! `random()` and `randomblob(n)`.

use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};

use datafusion::common::{Result, exec_err};

use super::per_row::{PerRow, blob, integer};
use super::value::Value;

pub(super) fn functions() -> Vec<PerRow> {
    vec![
        PerRow::new("random", 0..=0, integer, |_| Ok(Value::Integer(next().cast_signed())))
            .volatile(),
        PerRow::new("randomblob", 1..=1, blob, random_bytes).volatile(),
    ]
}

/// The next number of a SplitMix64 generator. Each thread has its own generator and seed.
fn next() -> u64 {
    thread_local! {
        static STATE: Cell<u64> = Cell::new(RandomState::new().hash_one(0_u8));
    }
    let state = STATE.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
    STATE.set(state);
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn random_bytes<'a>(values: &[Value<'a>]) -> Result<Value<'a>> {
    const MAX_BYTES: i64 = 1 << 30;
    let count = values[0].as_integer().unwrap_or(1).max(1);
    if count > MAX_BYTES {
        return exec_err!("randomblob() makes at most {MAX_BYTES} bytes");
    }
    Ok(Value::Blob((0..count).map(|_| next().to_le_bytes()[0]).collect::<Vec<u8>>().into()))
}
