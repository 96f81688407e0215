//! `__intrinsic_create_intervals(starts, ends)`: an interval from each start to the next end.

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::Fields;
use datafusion::common::Result;

use super::checked_time;
use crate::functions::pointers::operator::{Operand, OperandType, TableOperator, wrong_operands};
use crate::functions::pointers::table::{integer, integers, to_column};

/// The operator, under one of its names in the versions of Perfetto.
#[derive(Debug)]
pub(super) struct CreateIntervals(pub &'static str);

impl TableOperator for CreateIntervals {
    fn name(&self) -> &'static str {
        self.0
    }

    fn columns(&self, operands: &[OperandType]) -> Result<Fields> {
        match operands {
            [starts, ends] if starts.is_table() && ends.is_table() => {
                Ok(Fields::from(vec![integer("ts"), integer("dur")]))
            }
            _ => wrong_operands(self.0, "a set of starts and one of ends"),
        }
    }

    fn run(&self, operands: &[Operand]) -> Result<Option<Vec<ArrayRef>>> {
        let [starts, ends] = operands else { return Ok(None) };
        let (Some(starts), Some(ends)) = (starts.table(), ends.table()) else { return Ok(None) };
        let (ts, dur) = pair(integers(starts, 0)?, integers(ends, 0)?)?;
        Ok(Some(vec![to_column(ts), to_column(dur)]))
    }
}

/// The starts that have a later end, and the durations to the next end.
///
/// # Errors
/// When a duration is no integer of 64 bits.
fn pair(mut starts: Vec<i64>, mut ends: Vec<i64>) -> Result<(Vec<i64>, Vec<i64>)> {
    starts.sort_unstable();
    ends.sort_unstable();
    let mut ends = ends.into_iter().peekable();
    let pairs = starts.into_iter().map_while(|start| {
        while ends.next_if(|&end| end <= start).is_some() {}
        let end = ends.peek()?;
        Some(checked_time(end.checked_sub(start)).map(|dur| (start, dur)))
    });
    let pairs = pairs.collect::<Result<Vec<_>>>()?;
    Ok(pairs.into_iter().unzip())
}

#[cfg(test)]
mod tests {
    use super::pair;

    #[test]
    fn starts_may_share_an_end() {
        let (ts, dur) = pair(vec![5, 1, 2, 9], vec![5, 2, 8]).unwrap();
        // 2 does not end at 2, nor 5 at 5; nothing comes after 9.
        assert_eq!((ts, dur), (vec![1, 2, 5], vec![1, 3, 3]));
    }
}
