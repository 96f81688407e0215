//! Names of the counters of the perf profiler, as in the perf tool.

use tpq_proto::message::perf_events::timebase;
use tpq_proto::message::perf_events::{Counter, EventModifier, RawEvent};
use tpq_proto::message::{FollowerEvent, PerfSampleDefaults, follower_event};

/// The event of a counter without a name of its own.
enum Event<'a> {
    Counter(i32),
    Tracepoint(&'a str),
    Raw(&'a RawEvent),
    Unknown,
}

/// The name of the counter that says when a sample is taken. Profilers that do not say which it
/// is take one at intervals of time.
pub(in crate::decode) fn timebase(defaults: Option<&PerfSampleDefaults>) -> String {
    let Some(defaults) = defaults else { return name("", Event::Counter(1), &[]) };
    let Some(timebase) = &defaults.timebase else { return name("", Event::Unknown, &[]) };
    let event = match &timebase.event {
        Some(timebase::Event::Counter(counter)) => Event::Counter(*counter),
        Some(timebase::Event::Tracepoint(point)) => Event::Tracepoint(point.name()),
        Some(timebase::Event::RawEvent(raw)) => Event::Raw(raw),
        None => Event::Unknown,
    };
    name(timebase.name(), event, &timebase.modifiers)
}

/// The unit of that counter; `None` if it is not known what it counts.
pub(in crate::decode) fn timebase_unit(
    defaults: Option<&PerfSampleDefaults>,
) -> Option<&'static str> {
    let Some(defaults) = defaults else { return Some("ns") };
    let counter = match defaults.timebase.as_ref()?.event.as_ref()? {
        timebase::Event::Counter(counter) => Counter::try_from(*counter).ok()?,
        timebase::Event::Tracepoint(_) => return Some("count"),
        timebase::Event::RawEvent(_) => return None,
    };
    Some(match counter {
        Counter::UnknownCounter => return None,
        Counter::SwCpuClock | Counter::SwTaskClock => "ns",
        Counter::HwCpuCycles | Counter::HwRefCpuCycles => "cycles",
        Counter::HwInstructions => "instructions",
        Counter::SwPageFaults | Counter::SwPageFaultsMin | Counter::SwPageFaultsMaj => {
            "page-faults"
        }
        Counter::HwCacheReferences => "cache-references",
        Counter::HwCacheMisses => "cache-misses",
        Counter::HwBranchMisses => "branch-misses",
        _ => "count",
    })
}

/// The name of a counter that is read with it.
pub(in crate::decode) fn follower(follower: &FollowerEvent) -> String {
    let event = match &follower.event {
        Some(follower_event::Event::Counter(counter)) => Event::Counter(*counter),
        Some(follower_event::Event::Tracepoint(point)) => Event::Tracepoint(point.name()),
        Some(follower_event::Event::RawEvent(raw)) => Event::Raw(raw),
        None => Event::Unknown,
    };
    name(follower.name(), event, &follower.modifiers)
}

fn name(given: &str, event: Event<'_>, modifiers: &[i32]) -> String {
    let mut name = match event {
        _ if !given.is_empty() => given.to_owned(),
        Event::Counter(counter) => counter_name(counter),
        Event::Tracepoint(name) => name.to_owned(),
        Event::Raw(raw) => {
            let (kind, config) = (raw.r#type(), raw.config());
            format!("raw.{kind:#x}.{config:#x}.{:#x}.{:#x}", raw.config1(), raw.config2())
        }
        Event::Unknown => "unknown".to_owned(),
    };
    let mut separator = Some(':');
    for &modifier in modifiers {
        let letter = match EventModifier::try_from(modifier) {
            Ok(EventModifier::CountUserspace) => 'u',
            Ok(EventModifier::CountKernel) => 'k',
            Ok(EventModifier::CountHypervisor) => 'h',
            _ => continue,
        };
        name.extend(separator.take());
        name.push(letter);
    }
    name
}

/// The name of a counter: that of the enum, except a few that perf names differently.
fn counter_name(counter: i32) -> String {
    match Counter::try_from(counter) {
        Ok(Counter::SwPageFaultsMin) => "minor-faults".to_owned(),
        Ok(Counter::SwPageFaultsMaj) => "major-faults".to_owned(),
        Ok(Counter::HwRefCpuCycles) => "ref-cycles".to_owned(),
        Ok(Counter::UnknownCounter) | Err(_) => "unknown".to_owned(),
        Ok(counter) => {
            let name = counter.as_str_name();
            let name = name.split_once('_').map_or(name, |(_, name)| name);
            name.to_ascii_lowercase().replace('_', "-")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_go_by_the_names_of_the_perf_tool() {
        let names = [1, 5, 6, 7, 10, 17, 19, 20, 0, 99].map(counter_name);
        let expected = [
            "cpu-clock",
            "cpu-migrations",
            "minor-faults",
            "major-faults",
            "cpu-cycles",
            "stalled-cycles-frontend",
            "ref-cycles",
            "dummy",
            "unknown",
            "unknown",
        ];
        assert_eq!(names, expected);
    }
}
