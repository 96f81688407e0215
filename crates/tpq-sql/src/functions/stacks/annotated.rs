//! `experimental_annotated_callstack(id)`: a call site and its callers, the innermost first, each
//! with the part that Android's runtime has in it.
//!
//! Frames of Java code say how it was executed: `interp`, `jit` or `aot`. Frames of the runtime
//! itself below them are `common-frame`, those of its interpreter `common-frame-interp`. A function
//! that Java code calls through the runtime's trampoline has no annotation, even if it is part of
//! the runtime.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, AsArray, RecordBatch, RecordBatchOptions, StringViewArray, UInt32Array,
};
use datafusion::arrow::datatypes::{DataType, Field, Int64Type, Schema, SchemaRef};
use datafusion::common::{Result, exec_err, internal_err};
use tpq_tables::{Table, TraceTables};

use super::super::slices::columns::{StoredColumns, integers};
use super::super::stored_rows::{Lazy, StoredRows};
use super::super::table_function::{CallArgument, CalledRows, TableFunction};
use super::super::value::Value;

const NAME: &str = "experimental_annotated_callstack";
const ANNOTATION: &str = "annotation";
const COMMON: &str = "common-frame";
const COMMON_INTERPRETER: &str = "common-frame-interp";
/// Calls native code from Java.
const TRAMPOLINE: &str = "art_jni_trampoline";

/// Paths of memory with code that was compiled at run time.
const JIT_PATHS: [&str; 2] = ["/memfd:jit-cache", "/memfd:jit-zygote-cache"];
/// Files of Android's runtime.
const RUNTIME_FILES: [&str; 2] = ["/libart.so", "/libartd.so"];
/// How the functions of the runtime's interpreters begin.
const INTERPRETERS: [&str; 5] =
    ["nterp_", "Nterp", "ExecuteNterp", "ExecuteSwitchImpl", "_ZN3art11interpreter"];

pub(super) fn table(tables: &TraceTables) -> Option<Arc<dyn TableFunction>> {
    let callsites = tables.get("stack_profile_callsite")?;
    let columns = StoredColumns::new(callsites);
    let mut fields: Vec<Arc<Field>> = columns.schema().fields().iter().cloned().collect();
    fields.push(Arc::new(Field::new(ANNOTATION, DataType::Utf8View, true)));
    Some(Arc::new(AnnotatedCallstack {
        callsites: Arc::clone(callsites),
        frames: StoredRows::new(tables, "stack_profile_frame", &["name", "mapping"])?,
        mappings: StoredRows::new(tables, "stack_profile_mapping", &["name"])?,
        schema: Arc::new(Schema::new(fields)),
        columns,
        stacks: Lazy::default(),
    }))
}

struct AnnotatedCallstack {
    callsites: Arc<Table>,
    frames: StoredRows,
    mappings: StoredRows,
    columns: StoredColumns,
    schema: SchemaRef,
    stacks: Lazy<Stacks>,
}

/// Call stacks of a trace.
struct Stacks {
    /// The caller of each callsite; -1 for none.
    parents: Vec<i64>,
    /// The frame of each callsite.
    frames: Vec<i64>,
    /// The kind of each frame.
    kinds: Vec<FrameKind>,
}

/// The part of Android's runtime in a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FrameKind {
    Trampoline,
    /// Java code, and how it is executed.
    Java(&'static str),
    Runtime,
    Interpreter,
    Other,
}

/// The kind of code in a mapping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum MappingKind {
    Java(&'static str),
    Runtime,
    Other,
}

impl MappingKind {
    fn of(path: &str) -> Self {
        if JIT_PATHS.iter().any(|jit| path.starts_with(jit)) {
            return Self::Java("jit");
        }
        let file = path.rfind('/').map_or("", |at| &path[at..]);
        if RUNTIME_FILES.iter().any(|runtime| file.starts_with(runtime)) {
            return Self::Runtime;
        }
        let ending = path.rfind('.').map_or("", |at| &path[at..]);
        let ends = |endings: &[&str]| endings.iter().any(|it| ending.starts_with(it));
        if ends(&[".so"]) {
            Self::Other
        } else if ends(&[".dex", ".vdex", ".jar", ".apk"]) {
            Self::Java("interp")
        } else if ends(&[".oat", ".odex"]) {
            Self::Java("aot")
        } else {
            Self::Other
        }
    }
}

impl FrameKind {
    fn of(name: &str, mapping: MappingKind) -> Self {
        match mapping {
            _ if name == TRAMPOLINE => Self::Trampoline,
            MappingKind::Java(execution) => Self::Java(execution),
            MappingKind::Runtime if INTERPRETERS.iter().any(|it| name.starts_with(it)) => {
                Self::Interpreter
            }
            MappingKind::Runtime => Self::Runtime,
            MappingKind::Other => Self::Other,
        }
    }
}

/// What is known of the callers of a frame.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Callers {
    /// None of them is Java code.
    Native,
    /// Some are Java code.
    Java,
    /// The immediate one is the trampoline.
    Trampoline,
}

/// The annotation of each frame of a stack, the outermost first.
fn annotations(kinds: impl Iterator<Item = FrameKind>) -> Vec<Option<&'static str>> {
    let mut callers = Callers::Native;
    let annotate = |kind: FrameKind| {
        if callers == Callers::Trampoline {
            callers = Callers::Java;
            return None;
        }
        match kind {
            FrameKind::Trampoline => {
                callers = Callers::Trampoline;
                Some(COMMON)
            }
            FrameKind::Java(execution) => {
                callers = Callers::Java;
                Some(execution)
            }
            FrameKind::Interpreter if callers == Callers::Java => Some(COMMON_INTERPRETER),
            FrameKind::Runtime if callers == Callers::Java => Some(COMMON),
            FrameKind::Interpreter | FrameKind::Runtime | FrameKind::Other => None,
        }
    };
    kinds.map(annotate).collect()
}

impl AnnotatedCallstack {
    fn stacks(&self) -> Result<&Stacks> {
        self.stacks.get(|| {
            let mut mappings = Vec::with_capacity(self.mappings.count());
            self.mappings.each(|_, columns, row| {
                mappings.push(MappingKind::of(text(&columns[0].value(row))));
                Ok(())
            })?;
            let mut kinds = Vec::with_capacity(self.frames.count());
            self.frames.each(|_, columns, row| {
                let mapping = columns[1].value(row).as_integer();
                let mapping = mapping.and_then(|id| mappings.get(usize::try_from(id).ok()?));
                let mapping = mapping.copied().unwrap_or(MappingKind::Other);
                kinds.push(FrameKind::of(text(&columns[0].value(row)), mapping));
                Ok(())
            })?;
            let [parents, frames] = integers(&self.callsites, ["parent_id", "frame_id"])?;
            Ok(Stacks { parents, frames, kinds })
        })
    }
}

fn text<'a>(value: &'a Value<'_>) -> &'a str {
    match value {
        Value::Text(text) => text,
        _ => "",
    }
}

impl Stacks {
    /// A callsite and its callers, the innermost first; `None` if there is no such callsite. The id
    /// of a caller is smaller than that of its callee; the walk ends if it is not.
    fn callers(&self, id: i64) -> Option<Vec<u32>> {
        let mut at = usize::try_from(id).ok().filter(|&at| at < self.parents.len())?;
        let mut callers = vec![at as u32];
        while let Some(parent) = self.parents.get(at).and_then(|&it| usize::try_from(it).ok())
            && parent < at
        {
            callers.push(parent as u32);
            at = parent;
        }
        Some(callers)
    }

    fn kind(&self, callsite: u32) -> FrameKind {
        let frame = self.frames.get(callsite as usize).and_then(|&id| usize::try_from(id).ok());
        let kind = frame.and_then(|frame| self.kinds.get(frame));
        kind.copied().unwrap_or(FrameKind::Other)
    }
}

impl fmt::Debug for AnnotatedCallstack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAME)
    }
}

impl TableFunction for AnnotatedCallstack {
    fn name(&self) -> &str {
        NAME
    }

    fn arguments(&self) -> &[(&'static str, DataType)] {
        &[("id", DataType::Int64)]
    }

    fn schema(&self, _: &[CallArgument]) -> Result<SchemaRef> {
        Ok(Arc::clone(&self.schema))
    }

    fn call(&self, args: &[ArrayRef], _: usize, columns: &[usize]) -> Result<CalledRows> {
        let Some(ids) = args.first().and_then(|ids| ids.as_primitive_opt::<Int64Type>()) else {
            return internal_err!("{NAME}() without an id");
        };
        let stacks = self.stacks()?;
        let (mut calls, mut rows, mut annotated) = (Vec::new(), Vec::new(), Vec::new());
        for (call, id) in (0_u32..).zip(ids) {
            let Some(id) = id else { continue };
            let Some(callers) = stacks.callers(id) else {
                return exec_err!("{NAME}(): there is no callsite with id {id}");
            };
            let of_stack = annotations(callers.iter().rev().map(|&it| stacks.kind(it)));
            annotated.extend(of_stack.into_iter().rev());
            rows.extend(callers);
            calls.resize(rows.len(), call);
        }
        let rows = UInt32Array::from(rows);
        let annotations: ArrayRef = Arc::new(StringViewArray::from(annotated));
        let taken = columns.iter().map(|&column| match self.schema.field(column).name() {
            name if name == ANNOTATION => Ok(Arc::clone(&annotations)),
            _ => self.columns.take(column, &rows),
        });
        let taken = taken.collect::<Result<Vec<_>>>()?;
        let schema = Arc::new(self.schema.project(columns)?);
        let options = RecordBatchOptions::new().with_row_count(Some(calls.len()));
        let rows = RecordBatch::try_new_with_options(schema, taken, &options)?;
        Ok(CalledRows { calls: calls.into(), rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_mappings() {
        let kinds = [
            ("/system/lib64/libc.so", MappingKind::Other),
            ("/system/framework/framework.jar", MappingKind::Java("interp")),
            ("/memfd:jit-cache (deleted)", MappingKind::Java("jit")),
            ("/data/app/base.apk", MappingKind::Java("interp")),
            ("/data/app/base.apk!libmonochrome_64.so", MappingKind::Other),
            ("/data/app/base.odex", MappingKind::Java("aot")),
            ("/apex/com.android.art/lib64/libart.so", MappingKind::Runtime),
            ("/apex/com.android.art/lib64/libartbase.so", MappingKind::Other),
            ("[vdso]", MappingKind::Other),
            ("", MappingKind::Other),
        ];
        for (path, kind) in kinds {
            assert_eq!(MappingKind::of(path), kind, "{path}");
        }
    }

    #[test]
    fn frames_of_the_runtime_below_java_code() {
        let java = FrameKind::Java("aot");
        let (runtime, interpreter) = (FrameKind::Runtime, FrameKind::Interpreter);
        let cases = [
            (vec![runtime, interpreter, FrameKind::Other], vec![None, None, None]),
            (
                vec![runtime, java, runtime, interpreter, FrameKind::Other],
                vec![None, Some("aot"), Some(COMMON), Some(COMMON_INTERPRETER), None],
            ),
            (
                vec![java, FrameKind::Trampoline, runtime, runtime],
                vec![Some("aot"), Some(COMMON), None, Some(COMMON)],
            ),
        ];
        for (kinds, expected) in cases {
            assert_eq!(annotations(kinds.into_iter()), expected);
        }
        let mapping = MappingKind::Runtime;
        assert_eq!(FrameKind::of("nterp_helper", mapping), FrameKind::Interpreter);
        assert_eq!(FrameKind::of("art_jni_trampoline", mapping), FrameKind::Trampoline);
    }
}
