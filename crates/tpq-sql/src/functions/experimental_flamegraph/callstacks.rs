//! Frames of call stacks: of heap profiles and of samples.

use std::sync::Arc;

use datafusion::common::{Result, exec_err};
use rustc_hash::FxHashMap;
use tpq_tables::TraceTables;

use super::NAME;
use super::arguments::Call;
use super::cells::{integer, text};
use super::frames::{Frame, Values};
use crate::functions::encoding::demangled;
use crate::functions::stored_rows::{Lazy, StoredRows};

/// The tables of call stacks, and of what was measured in them.
pub(super) struct Callstacks {
    callsites: StoredRows,
    frames: StoredRows,
    symbols: StoredRows,
    mappings: StoredRows,
    allocations: StoredRows,
    samples: StoredRows,
    tasks: StoredRows,
    threads: StoredRows,
    stacks: Lazy<Stacks>,
}

/// Call stacks of a trace, read once.
struct Stacks {
    /// The caller and the frame of each callsite.
    callsites: Vec<(Option<usize>, usize)>,
    frames: Vec<Functions>,
}

/// The functions of a frame.
struct Functions {
    map_name: Arc<str>,
    /// The innermost first.
    functions: Arc<[Function]>,
}

/// Most frames of a result. Sets of symbols that many frames share could make any number.
const MOST_FRAMES: usize = 1 << 24;

/// A function of a frame.
struct Function {
    name: Arc<str>,
    source_file: Option<Arc<str>>,
    line_number: Option<i64>,
}

/// What was measured at a callsite.
#[derive(Clone, Copy, Default)]
struct Measured {
    values: Values,
    ts: Option<i64>,
}

fn position(id: Option<i64>) -> Option<usize> {
    id.and_then(|id| usize::try_from(id).ok())
}

impl Callstacks {
    pub(super) fn new(tables: &TraceTables) -> Option<Self> {
        let rows = |table: &str, columns: &[&str]| StoredRows::new(tables, table, columns);
        Some(Self {
            callsites: rows("stack_profile_callsite", &["parent_id", "frame_id"])?,
            frames: rows(
                "stack_profile_frame",
                &["name", "deobfuscated_name", "mapping", "symbol_set_id"],
            )?,
            symbols: rows(
                "stack_profile_symbol",
                &["symbol_set_id", "name", "source_file", "line_number"],
            )?,
            mappings: rows("stack_profile_mapping", &["name"])?,
            allocations: rows(
                "heap_profile_allocation",
                &["upid", "ts", "callsite_id", "count", "size"],
            )?,
            samples: rows("profiler_sample", &["ts", "task_context_id", "callsite_id"])?,
            tasks: rows("profiler_task_context", &["utid"])?,
            threads: rows("thread", &["upid"])?,
            stacks: Lazy::default(),
        })
    }

    /// The frames of the allocations of a process up to a time.
    pub(super) fn of_allocations(&self, upid: i64, until: i64) -> Result<Vec<Frame>> {
        let mut measured: FxHashMap<usize, Measured> = FxHashMap::default();
        self.allocations.each(|_, columns, row| {
            let of = |column: usize| integer(columns, column, row);
            if of(0) != Some(upid) || of(1).is_none_or(|ts| ts > until) {
                return Ok(());
            }
            let Some(callsite) = position(of(2)) else { return Ok(()) };
            let (count, size) = (of(3).unwrap_or_default(), of(4).unwrap_or_default());
            let values = [count, size, count.max(0), size.max(0)];
            add(&mut measured.entry(callsite).or_default().values, values);
            Ok(())
        })?;
        self.frames_of(&measured)
    }

    /// The frames of samples of processes, within times.
    pub(super) fn of_samples(&self, call: &Call) -> Result<Vec<Frame>> {
        let upids = call.upids();
        let upid_of_thread = self.first_column(&self.threads)?;
        let utid_of_task = self.first_column(&self.tasks)?;
        let upid_of = |task: usize| {
            let utid = position(utid_of_task.get(task).copied().flatten())?;
            upid_of_thread.get(utid).copied().flatten()
        };
        let mut measured: FxHashMap<usize, Measured> = FxHashMap::default();
        self.samples.each(|_, columns, row| {
            let of = |column: usize| integer(columns, column, row);
            let (Some(ts), Some(task), Some(callsite)) = (of(0), position(of(1)), position(of(2)))
            else {
                return Ok(());
            };
            let upid = upid_of(task);
            let of_process = match &upids {
                Some(upids) => upid.is_some_and(|upid| upids.contains(&upid)),
                None => utid_of_task.get(task).copied().flatten().is_some(),
            };
            if of_process && call.bounds.iter().all(|bound| bound.includes(ts)) {
                let at = measured.entry(callsite).or_default();
                add(&mut at.values, [1, 1, 0, 0]);
                at.ts = at.ts.max(Some(ts));
            }
            Ok(())
        })?;
        self.frames_of(&measured)
    }

    /// The first column of a table.
    fn first_column(&self, table: &StoredRows) -> Result<Vec<Option<i64>>> {
        let mut values = Vec::with_capacity(table.count());
        table.each(|_, columns, row| {
            values.push(integer(columns, 0, row));
            Ok(())
        })?;
        Ok(values)
    }

    /// The frames of callsites and of their callers. What was measured belongs to the innermost
    /// function.
    fn frames_of(&self, measured: &FxHashMap<usize, Measured>) -> Result<Vec<Frame>> {
        let stacks = self.stacks.get(|| self.read_stacks())?;
        let mut wanted = vec![false; stacks.callsites.len()];
        for &callsite in measured.keys() {
            let mut next = Some(callsite);
            while let Some(at) = next
                && let Some(wanted) = wanted.get_mut(at).filter(|wanted| !**wanted)
            {
                *wanted = true;
                next = stacks.callsites[at].0.filter(|&caller| caller < at);
            }
        }
        // The innermost function of each callsite.
        let mut innermost: Vec<Option<usize>> = vec![None; wanted.len()];
        let mut frames = Vec::new();
        for (callsite, &(caller, frame)) in stacks.callsites.iter().enumerate() {
            if !wanted[callsite] {
                continue;
            }
            let mut parent =
                caller.filter(|&caller| caller < callsite).and_then(|caller| innermost[caller]);
            let Some(frame) = stacks.frames.get(frame) else { continue };
            if frames.len() + frame.functions.len() > MOST_FRAMES {
                return exec_err!("{NAME}(): the profile has more than {MOST_FRAMES} frames");
            }
            for function in frame.functions.iter().rev() {
                let frame = Frame {
                    parent,
                    name: Arc::clone(&function.name),
                    map_name: Arc::clone(&frame.map_name),
                    source_file: function.source_file.clone(),
                    line_number: function.line_number,
                    ..Frame::default()
                };
                parent = Some(frames.len());
                frames.push(frame);
            }
            innermost[callsite] = parent;
            let of_callsite = measured.get(&callsite).copied().unwrap_or_default();
            if let Some(frame) = parent.and_then(|parent| frames.get_mut(parent)) {
                add(&mut frame.values, of_callsite.values);
                frame.ts = of_callsite.ts;
            }
        }
        Ok(frames)
    }

    fn read_stacks(&self) -> Result<Stacks> {
        let mut mappings: Vec<Arc<str>> = Vec::with_capacity(self.mappings.count());
        self.mappings.each(|_, columns, row| {
            mappings.push(text(columns, 0, row).unwrap_or_default());
            Ok(())
        })?;
        let mut symbols: FxHashMap<i64, Vec<Function>> = FxHashMap::default();
        self.symbols.each(|_, columns, row| {
            let Some(set) = integer(columns, 0, row) else { return Ok(()) };
            symbols.entry(set).or_default().push(Function {
                name: shown(text(columns, 1, row))?,
                source_file: text(columns, 2, row),
                line_number: integer(columns, 3, row),
            });
            Ok(())
        })?;
        let symbols: FxHashMap<i64, Arc<[Function]>> =
            symbols.into_iter().map(|(set, functions)| (set, functions.into())).collect();
        let mut frames = Vec::with_capacity(self.frames.count());
        self.frames.each(|_, columns, row| {
            let map_name = position(integer(columns, 2, row));
            let map_name = map_name.and_then(|at| mappings.get(at).cloned()).unwrap_or_default();
            let set = integer(columns, 3, row).and_then(|set| symbols.get(&set));
            let functions = match set {
                Some(set) => Arc::clone(set),
                None => {
                    let name = text(columns, 1, row).or(text(columns, 0, row));
                    let (source_file, line_number) = (None, None);
                    [Function { name: shown(name)?, source_file, line_number }].into()
                }
            };
            frames.push(Functions { map_name, functions });
            Ok(())
        })?;
        let mut callsites = Vec::with_capacity(self.callsites.count());
        self.callsites.each(|_, columns, row| {
            let frame = position(integer(columns, 1, row)).unwrap_or(usize::MAX);
            callsites.push((position(integer(columns, 0, row)), frame));
            Ok(())
        })?;
        Ok(Stacks { callsites, frames })
    }
}

/// The name of a function as it is shown.
fn shown(name: Option<Arc<str>>) -> Result<Arc<str>> {
    let Some(name) = name else { return Ok("[Unknown]".into()) };
    Ok(demangled(&name)?.map_or(name, Arc::from))
}

fn add(sums: &mut Values, values: Values) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum = sum.saturating_add(value);
    }
}
