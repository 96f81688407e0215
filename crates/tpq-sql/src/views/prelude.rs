//! The views that every session has: `sql/prelude/`, one file for each family.
//!
//! The names are known from the start; a file is parsed when a statement first names one of its
//! views. To add a view, write it to the file of its family and add its name to the list here.

use std::sync::{Arc, OnceLock};

use crate::catalog::Definition;
use crate::errors::{SqlError, SqlErrorKind};
use crate::perfetto_sql::{Command, Macro, Script, Statement, split_script};

struct File {
    name: &'static str,
    text: &'static str,
    names: &'static [&'static str],
}

macro_rules! file {
    ($name:literal, $($view:literal),+) => {
        File { name: $name, text: include_str!(concat!("../../../../sql/prelude/", $name)), names: &[$($view),+] }
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
    file!("gpu.sql", "gpu", "gpu_counter_track", "gpu_track", "gpu_slice"),
    file!(
        "memory.sql",
        "process_memory_mappings",
        "__intrinsic_heap_graph_java_oome_details",
        "memory_snapshot",
        "process_memory_snapshot",
        "memory_snapshot_node",
        "memory_snapshot_edge"
    ),
    file!("winscope.sql", "__intrinsic_winscope_surfaceflinger_hierarchy_path"),
    file!("perf.sql", "perf_counter_track", "perf_session", "perf_sample"),
    file!(
        "stack_sample.sql",
        "stack_sample_session",
        "stack_sample_async_context",
        "stack_sample_task_context",
        "stack_sample_execution_context",
        "stack_sample",
        "stack_sample_counter_track",
        "stack_sample_counter",
        "cpu_profile_stack_sample",
        "instruments_sample"
    ),
    file!("args.sql", "args"),
    file!(
        "trace.sql",
        "trace_bounds",
        "trace_diagnostics",
        "__intrinsic_trace_file",
        "_trace_import_logs"
    ),
    file!("log.sql", "android_logs"),
    file!("network.sql", "__intrinsic_android_network_packets"),
    file!(
        "frame.sql",
        "expected_frame_timeline_slice",
        "actual_frame_timeline_slice",
        "frame_slice"
    ),
];

/// The macros that every session has.
const MACROS: &str = include_str!("../../../../sql/prelude/macros.sql");

/// The views and macros of the prelude. The views of a file are parsed when one is first named.
#[derive(Default)]
pub(crate) struct Prelude {
    files: [OnceLock<Vec<Definition>>; FILES.len()],
    macros: OnceLock<Vec<Arc<Macro>>>,
}

impl Prelude {
    /// The names of all views.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        FILES.iter().flat_map(|file| file.names).copied()
    }

    /// The files as modules: names and texts.
    pub(crate) fn modules() -> impl Iterator<Item = (String, &'static str)> {
        let files = FILES.iter().map(|file| (file.name, file.text));
        let files = files.chain([("macros.sql", MACROS)]);
        files.map(|(name, text)| (format!("prelude.{}", name.trim_end_matches(".sql")), text))
    }

    /// All macros of the prelude.
    pub(crate) fn macros(&self) -> &[Arc<Macro>] {
        // A test checks that the prelude's macros parse, so an error cannot occur here.
        self.macros.get_or_init(|| macros().unwrap_or_default())
    }

    /// The view with this name, in lower case.
    pub(crate) fn view(&self, name: &str) -> Result<Option<&Definition>, SqlError> {
        let Some(index) = FILES.iter().position(|file| file.names.contains(&name)) else {
            return Ok(None);
        };
        let views = match self.files[index].get() {
            Some(views) => views,
            None => {
                let views = definitions(&FILES[index])?;
                self.files[index].get_or_init(|| views)
            }
        };
        Ok(views.iter().find(|view| view.name() == name))
    }
}

fn script(name: &str, text: &'static str) -> Arc<Script> {
    let module = Some(format!("prelude.{}", name.trim_end_matches(".sql")).into());
    Arc::new(Script { module, text: text.into() })
}

fn macros() -> Result<Vec<Arc<Macro>>, SqlError> {
    let script = script("macros.sql", MACROS);
    let declared = |statement: Statement| match Command::parse(&statement.text_as_written())? {
        Command::CreateMacro(declaration) => {
            Ok(Arc::new(Macro { declaration, script: Arc::clone(&script) }))
        }
        _ => Err(SqlError::new(SqlErrorKind::Internal, "this file may contain only macros")),
    };
    split_script(&script)?.into_iter().map(declared).collect()
}

/// Parses all views of a file.
fn definitions(file: &File) -> Result<Vec<Definition>, SqlError> {
    let script = script(file.name, file.text);
    let definition = |statement: Statement| {
        let text = statement.text_as_written();
        match Command::parse(&text)? {
            Command::CreateRelation(declaration) => {
                Ok(Definition::from_relation(declaration, &text))
            }
            _ => Err(SqlError::new(SqlErrorKind::Internal, "the prelude may contain only views")),
        }
    };
    split_script(&script)?.into_iter().map(definition).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_macros_of_the_prelude_are_read() -> Result<(), SqlError> {
        let macros = macros()?;
        let names: Vec<&str> =
            macros.iter().map(|found| found.declaration.creation.name.text.as_str()).collect();
        assert_eq!(names, ["cast_int", "cast_double", "cast_string"]);
        Ok(())
    }

    #[test]
    fn the_list_and_the_files_name_the_same_views() -> Result<(), SqlError> {
        for file in FILES {
            let views = definitions(file)?;
            let names: Vec<&str> = views.iter().map(Definition::name).collect();
            assert_eq!(names, file.names);
            for view in views.iter().map(Definition::relation) {
                assert!(!view.doc.is_empty(), "{} has no comment", view.name);
                for column in &view.columns {
                    assert!(!column.doc.is_empty(), "{}.{} has no comment", view.name, column.name);
                }
            }
        }
        Ok(())
    }
}
