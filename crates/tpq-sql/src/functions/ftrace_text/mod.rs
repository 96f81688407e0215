//! `to_ftrace(id)`: a row of `ftrace_event` as the line that the kernel's tracer prints.
//!
//! ```text
//!           worker-7     (    5) [001] d..2     2.000050: sched_waking: comm=app pid=8 prio=98 …
//! ```

mod details;
mod tasks;

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use tpq_tables::TraceTables;

use super::arg_sets::ArgSets;
use super::of_trace::{Lookup, OfTrace};
use super::stored_rows::{Lazy, StoredRows};
use super::value::Value;
use details::{Args, StateBits};
use tasks::Tasks;

pub(super) fn function(tables: &TraceTables, sets: &Arc<ArgSets>) -> OfTrace {
    let columns = ["ts", "name", "utid", "arg_set_id", "common_flags", "ucpu"];
    let lookup = ToFtrace {
        events: StoredRows::new(tables, "ftrace_event", &columns),
        cpus: StoredRows::new(tables, "cpu", &["cpu"]),
        facts: StoredRows::new(tables, "metadata", &["name", "str_value"]),
        sets: Arc::clone(sets),
        tasks: Tasks::new(tables),
        cpu_numbers: Lazy::default(),
        states: Lazy::default(),
    };
    OfTrace::new("to_ftrace", 1..=1, DataType::Utf8View, lookup)
}

struct ToFtrace {
    events: Option<StoredRows>,
    cpus: Option<StoredRows>,
    facts: Option<StoredRows>,
    sets: Arc<ArgSets>,
    tasks: Tasks,
    /// The number of each CPU on its machine.
    cpu_numbers: Lazy<Vec<i64>>,
    states: Lazy<&'static StateBits>,
}

impl ToFtrace {
    fn cpu(&self, ucpu: i64) -> Result<i64> {
        let numbers = self.cpu_numbers.get(|| {
            let mut numbers = Vec::new();
            let Some(cpus) = &self.cpus else { return Ok(numbers) };
            cpus.each(|_, columns, at| {
                numbers.push(columns[0].value(at).as_integer().unwrap_or(0));
                Ok(())
            })?;
            Ok(numbers)
        })?;
        let number = usize::try_from(ucpu).ok().and_then(|ucpu| numbers.get(ucpu));
        Ok(number.copied().unwrap_or(ucpu))
    }

    /// The letters of task states, by the release of the kernel.
    fn states(&self) -> Result<&'static StateBits> {
        let states = self.states.get(|| {
            let mut states = StateBits::of_release("");
            let Some(facts) = &self.facts else { return Ok(states) };
            facts.each(|_, columns, at| {
                if columns[0].value(at) == Value::text("system_release")
                    && let Value::Text(release) = columns[1].value(at)
                {
                    states = StateBits::of_release(&release);
                }
                Ok(())
            })?;
            Ok(states)
        })?;
        Ok(*states)
    }
}

impl Lookup for ToFtrace {
    fn find(&self, values: &[Value]) -> Result<Value<'static>> {
        let (Some(events), Some(id)) = (&self.events, values[0].as_integer()) else {
            return Ok(Value::Null);
        };
        let Some(event) = events.row(id)? else { return Ok(Value::Null) };
        let [ts, Value::Text(name), utid, set, flags, ucpu] = &event[..] else {
            return Ok(Value::Null);
        };
        let name: &str = name;
        let number = |value: &Value| value.as_integer().unwrap_or(0);
        let mut args = Args::default();
        if let Some(set) = set.as_integer() {
            self.sets.each(set, |arg| args.push(arg))?;
        }
        let task = self.tasks.text(number(utid))?;
        let cpu = self.cpu(number(ucpu))?;
        let flags = flag_letters(number(flags));
        let (seconds, rest) = (number(ts).div_euclid(SECOND), number(ts).rem_euclid(SECOND));
        // The kernel prints text that programs write under the name of the function.
        let shown = if name == "print" { "tracing_mark_write" } else { name };
        let details = args.details(name, self.states()?);
        let micros = rest / 1_000;
        Ok(Value::text(format!(
            "{task} [{cpu:03}] {flags} {seconds:>5}.{micros:06}: {shown}: {details}"
        )))
    }
}

/// One second in ns.
const SECOND: i64 = 1_000_000_000;

/// The letters of the kernel's `trace_flag_type`: interrupts, rescheduling, context, preemption.
/// The depth of preemption is not recorded.
fn flag_letters(flags: i64) -> String {
    let has = |bit: i64| flags & bit != 0;
    let interrupts = match (has(0x01), has(0x02)) {
        (true, _) => 'd',
        (_, true) => 'X',
        _ => '.',
    };
    let rescheduling = match (has(0x04), has(0x20)) {
        (true, true) => 'N',
        (true, false) => 'n',
        (false, true) => 'p',
        (false, false) => '.',
    };
    let context = match (has(0x40), has(0x08), has(0x10)) {
        (true, true, _) => 'Z',
        (true, false, _) => 'z',
        (_, true, true) => 'H',
        (_, true, false) => 'h',
        (_, false, true) => 's',
        _ => '.',
    };
    format!("{interrupts}{rescheduling}{context}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_letters() {
        assert_eq!(flag_letters(0), "....");
        assert_eq!(flag_letters(0x01 | 0x04), "dn..");
        assert_eq!(flag_letters(0x20 | 0x08 | 0x10), ".pH.");
        assert_eq!(flag_letters(0x02 | 0x40), "X.z.");
    }
}
