//! The views every session has: `sql/prelude/`, one file per family.
//!
//! Their names are known from the start; a file is read when one of its views is first named.
//! To add a view: write it into the file of its family and its name into the list here.

use std::sync::OnceLock;

use super::View;
use super::declaration::parse_views;
use crate::errors::SqlError;

struct File {
    text: &'static str,
    names: &'static [&'static str],
}

macro_rules! file {
    ($name:literal, $($view:literal),+) => {
        File { text: include_str!(concat!("../../../../sql/prelude/", $name)), names: &[$($view),+] }
    };
}

const FILES: &[File] = &[
    file!("sched.sql", "sched_slice", "sched", "thread_state"),
    file!("process.sql", "thread", "process"),
    file!("ftrace.sql", "ftrace_event", "raw"),
    file!("cpu.sql", "cpu", "cpu_available_frequencies"),
    file!("slice.sql", "slice", "slices", "instant"),
    file!(
        "track.sql",
        "track",
        "thread_track",
        "process_track",
        "cpu_track",
        "state_track",
        "process_state_track",
        "thread_state_track"
    ),
    file!(
        "counter.sql",
        "counter_track",
        "thread_counter_track",
        "process_counter_track",
        "cpu_counter_track",
        "counters"
    ),
    file!("gpu.sql", "gpu", "gpu_counter_track"),
    file!("memory.sql", "process_memory_mappings"),
    file!("perf.sql", "perf_counter_track"),
    file!("args.sql", "args"),
    file!("trace.sql", "trace_bounds"),
    file!("log.sql", "android_logs"),
    file!("network.sql", "__intrinsic_android_network_packets"),
    file!(
        "frame.sql",
        "expected_frame_timeline_slice",
        "actual_frame_timeline_slice",
        "frame_slice"
    ),
];

/// The views of the prelude, those of a file once one was named.
#[derive(Default)]
pub(crate) struct Prelude {
    files: [OnceLock<Vec<View>>; FILES.len()],
}

impl Prelude {
    /// The names of all views.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        FILES.iter().flat_map(|file| file.names).copied()
    }

    /// The view of that name, in lower case.
    pub(crate) fn view(&self, name: &str) -> Result<Option<&View>, SqlError> {
        let Some(index) = FILES.iter().position(|file| file.names.contains(&name)) else {
            return Ok(None);
        };
        let views = match self.files[index].get() {
            Some(views) => views,
            None => {
                let views = parse_views(FILES[index].text)?;
                self.files[index].get_or_init(|| views)
            }
        };
        Ok(views.iter().find(|view| view.name == name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_and_the_files_name_the_same_views() -> Result<(), SqlError> {
        for file in FILES {
            let views = parse_views(file.text)?;
            let names: Vec<&str> = views.iter().map(|view| view.name.as_str()).collect();
            assert_eq!(names, file.names);
            for view in &views {
                assert!(!view.doc.is_empty(), "{} has no comment", view.name);
                for column in &view.columns {
                    assert!(!column.doc.is_empty(), "{}.{} has no comment", view.name, column.name);
                }
            }
        }
        Ok(())
    }
}
