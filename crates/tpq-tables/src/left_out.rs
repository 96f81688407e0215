//! Tables that an import left out, and the ids of arg sets in the other tables: read from tables
//! that are made when one of them is first wanted.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use crate::finished::Table;
use crate::{ReadError, TableGroup, TableGroups, TraceTables};

/// How often a reader that waits for tables asks whether it should stop.
const TICK: Duration = Duration::from_millis(10);
/// The stack of the thread that makes tables, in bytes. Only pages that are touched take memory.
const STACK: usize = 16 << 20;

/// Makes all tables of a trace, for those that were left out.
pub trait TableMaker: Send + Sync {
    /// The work that makes all tables. Those that were not left out get the same rows again. Called
    /// when a table that was left out is first read, and again if that work was cancelled. Must
    /// return at once.
    fn start(&self) -> TableMaking;

    /// Whether the reader on this thread, which waits for the tables, was asked to stop. Called
    /// every few milliseconds.
    fn is_reader_cancelled(&self) -> bool;
}

/// Work that makes all tables of a trace. It runs on a thread of its own.
pub struct TableMaking {
    /// Makes the tables, or returns a reason in words where they cannot be made.
    pub work: Box<dyn FnOnce() -> Result<Arc<TraceTables>, String> + Send>,
    /// Asks the work to stop, because no reader waits for it any more.
    pub cancel: Box<dyn Fn() + Send>,
}

/// The tables that were left out.
pub(crate) struct LeftOut {
    groups: TableGroups,
    maker: Arc<dyn TableMaker>,
    making: Arc<Making>,
}

/// The tables once they are made, and the work until then.
#[derive(Default)]
struct Making {
    made: OnceLock<Result<Arc<TraceTables>, String>>,
    state: Mutex<MakingState>,
    /// Notified when the work ends.
    ended: Condvar,
}

#[derive(Default)]
struct MakingState {
    /// The number of readers that wait.
    readers: usize,
    running: Option<RunningWork>,
}

/// Work that has not ended.
struct RunningWork {
    cancel: Box<dyn Fn() + Send>,
    is_cancelled: bool,
}

/// Why there are no tables.
enum NotMade {
    /// The reader was asked to stop.
    Cancelled,
    /// They cannot be made, for this reason.
    Failed(String),
}

impl LeftOut {
    /// All tables, which are made first if necessary. Readers wait until they are made or until
    /// they are asked to stop. The work is cancelled when no reader waits any more.
    fn all(&self) -> Result<&TraceTables, NotMade> {
        if self.making.made.get().is_none() {
            self.wait()?;
        }
        match self.making.made.get() {
            Some(Ok(tables)) => Ok(&**tables),
            Some(Err(reason)) => Err(NotMade::Failed(reason.clone())),
            None => Err(NotMade::Cancelled),
        }
    }

    /// Waits until tables are made, or cannot be made.
    fn wait(&self) -> Result<(), NotMade> {
        let mut state = self.making.state();
        state.readers += 1;
        let outcome = loop {
            if self.making.made.get().is_some() {
                break Ok(());
            }
            if self.maker.is_reader_cancelled() {
                break Err(NotMade::Cancelled);
            }
            // Work that was cancelled ends first. Then it begins anew.
            if state.running.is_none() {
                match self.begin() {
                    Ok(running) => state.running = Some(running),
                    Err(reason) => break Err(NotMade::Failed(reason)),
                }
            }
            let waited = self.making.ended.wait_timeout(state, TICK);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        };
        state.readers -= 1;
        if state.readers == 0
            && let Some(running) = &mut state.running
        {
            running.is_cancelled = true;
            (running.cancel)();
        }
        outcome
    }

    /// Starts the work on a thread of its own.
    fn begin(&self) -> Result<RunningWork, String> {
        let TableMaking { work, cancel } = self.maker.start();
        let making = Arc::clone(&self.making);
        let thread = std::thread::Builder::new().name("import again".into()).stack_size(STACK);
        let started = thread.spawn(move || making.run(work));
        started.map_err(|error| format!("no thread can be started: {error}"))?;
        Ok(RunningWork { cancel, is_cancelled: false })
    }

    /// The table as it was made, in place of `table`.
    pub(crate) fn table(&self, table: &Table) -> Result<&Table, ReadError> {
        let name = table.decl().name;
        let tables = self.all().map_err(|not_made| match not_made {
            NotMade::Cancelled => ReadError::Cancelled,
            NotMade::Failed(reason) => ReadError::not_loaded(name, &reason),
        })?;
        let made = tables.get(name).map(|made| &**made);
        made.ok_or_else(|| ReadError::not_loaded(name, "there is no such table"))
    }

    fn is_made(&self) -> bool {
        self.making.made.get().is_some()
    }
}

impl Making {
    fn state(&self) -> MutexGuard<'_, MakingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does the work and keeps its outcome, unless it was cancelled.
    fn run(&self, work: impl FnOnce() -> Result<Arc<TraceTables>, String>) {
        // Readers would wait for ever for work that does not end.
        let outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
            Err("the import stopped unexpectedly, which is a bug in tpq".to_owned())
        });
        let mut state = self.state();
        let was_cancelled = state.running.take().is_some_and(|running| running.is_cancelled);
        if outcome.is_ok() || !was_cancelled {
            // Nothing else runs, so nothing was made before.
            let _ = self.made.set(outcome);
        }
        drop(state);
        self.ended.notify_all();
    }
}

impl TraceTables {
    /// Takes the tables of `groups` for left out: `maker` makes them when one is first read.
    #[must_use]
    pub fn leaving_out(mut self, groups: TableGroups, maker: Arc<dyn TableMaker>) -> Self {
        if groups.is_empty() {
            return self;
        }
        let left_out = Arc::new(LeftOut { groups, maker, making: Arc::default() });
        for table in self.tables_mut() {
            match table.decl().group {
                Some(TableGroup::Counts) if groups.contains(TableGroup::Counts) => {
                    table.leave_out_keeping_rows(&left_out);
                }
                Some(group) if groups.contains(group) => table.leave_out(&left_out),
                _ if groups.contains(TableGroup::KernelEvents) => {
                    table.leave_out_arg_sets(&left_out);
                }
                _ => {}
            }
        }
        self.set_left_out(left_out);
        self
    }

    /// The groups that are not made so far.
    pub fn groups_left_out(&self) -> TableGroups {
        let left_out = self.left_out().filter(|left_out| !left_out.is_made());
        left_out.map_or(TableGroups::NONE, |left_out| left_out.groups)
    }

    /// The groups that [`write`](Self::write) leaves out, whether or not they were made since.
    pub fn groups_not_written(&self) -> TableGroups {
        self.left_out().map_or(TableGroups::NONE, |left_out| left_out.groups)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::*;
    use crate::table::{ArgsRow, FtraceEventRow, SliceRow, StatsRow};
    use crate::{ArgSetNumber, CHUNK_ROWS, Tables};

    /// Makes tables as an import does that leaves nothing out.
    #[derive(Default)]
    struct Complete {
        made: AtomicUsize,
        fails: bool,
        rows: u32,
    }

    impl TableMaker for Complete {
        fn start(&self) -> TableMaking {
            self.made.fetch_add(1, Ordering::Relaxed);
            let (fails, rows) = (self.fails, self.rows);
            let work = move || match fails {
                true => Err("the trace is gone".to_owned()),
                false => Ok(Arc::new(tables(rows, true))),
            };
            TableMaking { work: Box::new(work), cancel: Box::new(|| ()) }
        }

        fn is_reader_cancelled(&self) -> bool {
            false
        }
    }

    /// Makes tables only once the first work was cancelled.
    #[derive(Default)]
    struct Slow {
        started: AtomicUsize,
        /// Whether the reader is asked to stop while it waits.
        cancels: AtomicBool,
    }

    impl TableMaker for Slow {
        fn start(&self) -> TableMaking {
            let is_first = self.started.fetch_add(1, Ordering::Relaxed) == 0;
            let cancelled = Arc::<AtomicBool>::default();
            let seen = Arc::clone(&cancelled);
            let work = move || {
                if !is_first {
                    return Ok(Arc::new(tables(3, true)));
                }
                while !seen.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err("the work was cancelled".to_owned())
            };
            let cancel = move || cancelled.store(true, Ordering::Relaxed);
            TableMaking { work: Box::new(work), cancel: Box::new(cancel) }
        }

        fn is_reader_cancelled(&self) -> bool {
            self.cancels.load(Ordering::Relaxed) && self.started.load(Ordering::Relaxed) > 0
        }
    }

    /// Fails by a bug.
    struct Panicking;

    impl TableMaker for Panicking {
        fn start(&self) -> TableMaking {
            let work = || -> Result<Arc<TraceTables>, String> { panic!("a bug") };
            TableMaking { work: Box::new(work), cancel: Box::new(|| ()) }
        }

        fn is_reader_cancelled(&self) -> bool {
            false
        }
    }

    /// Slices with arg sets 7, 8…; complete or without what is made of kernel events.
    fn tables(rows: u32, complete: bool) -> TraceTables {
        let mut tables = Tables::default();
        // Strings have other numbers in an import of everything.
        let key = if complete { tables.strings.intern("key") } else { Default::default() };
        let name = tables.strings.intern("name");
        for row in 0..rows {
            let arg_set_id = complete.then_some(ArgSetNumber(7 + row)).or(Some(ArgSetNumber(1)));
            tables.slice.push(SliceRow { ts: row.into(), name, arg_set_id, ..SliceRow::default() });
        }
        if complete {
            tables.args.push(ArgsRow { arg_set_id: 7, key, ..ArgsRow::default() });
            tables.ftrace_event.push(FtraceEventRow { ts: 5, name, ..FtraceEventRow::default() });
            tables.ftrace_event.push(FtraceEventRow { ts: 6, name, ..FtraceEventRow::default() });
        }
        tables.finish()
    }

    const ROWS: u32 = CHUNK_ROWS as u32 + 10;

    fn leaving_out(complete: Complete) -> (TraceTables, Arc<Complete>) {
        let maker = Arc::new(complete);
        let dynamic: Arc<dyn TableMaker> = Arc::<Complete>::clone(&maker);
        let groups = TableGroups::NONE.with(TableGroup::KernelEvents);
        (tables(ROWS, false).leaving_out(groups, dynamic), maker)
    }

    fn column(tables: &TraceTables, table: &str, column: &str) -> Vec<String> {
        let table = tables.get(table).unwrap();
        let column = table.decl().column_index(column).unwrap();
        let read = |chunk| table.read(chunk, 0..table.chunk_rows(chunk), &[column]).unwrap();
        let text = |batch: arrow_array::RecordBatch| {
            let array = Arc::clone(batch.column(0));
            match arrow_array::cast::AsArray::as_string_view_opt(&array) {
                Some(texts) => texts.iter().map(|it| it.unwrap_or("NULL").to_owned()).collect(),
                None => {
                    let values = arrow_array::cast::AsArray::as_primitive::<
                        arrow_array::types::Int64Type,
                    >(&array);
                    let text =
                        |value: Option<i64>| value.map_or("NULL".into(), |it| it.to_string());
                    values.iter().map(text).collect::<Vec<String>>()
                }
            }
        };
        (0..table.num_chunks()).map(read).flat_map(text).collect()
    }

    #[test]
    fn what_was_left_out_is_made_when_it_is_read() {
        let (tables, maker) = leaving_out(Complete { rows: ROWS, ..Complete::default() });
        let slice = tables.get("slice").unwrap();
        assert_eq!(slice.num_rows(), ROWS as usize);
        assert_eq!(column(&tables, "slice", "name")[..2], ["name", "name"]);
        assert_eq!(slice.chunk_range(1, slice.decl().column_index("ts").unwrap()).nulls, 0);
        assert_eq!(slice.known_rows(), Some(ROWS as usize));
        assert_eq!(tables.get("ftrace_event").unwrap().known_rows(), None);
        assert_eq!(maker.made.load(Ordering::Relaxed), 0);
        assert!(tables.groups_left_out().contains(TableGroup::KernelEvents));
        assert_eq!(column(&tables, "ftrace_event", "ts"), ["5", "6"]);
        assert_eq!(column(&tables, "ftrace_event", "name"), ["name", "name"]);
        assert_eq!(column(&tables, "args", "key"), ["key"]);
        assert!(tables.groups_left_out().is_empty());
        assert_eq!(maker.made.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn ids_of_arg_sets_are_those_of_all_tables() {
        let (tables, maker) = leaving_out(Complete { rows: ROWS, ..Complete::default() });
        let slice = tables.get("slice").unwrap();
        let ids = slice.decl().column_index("arg_set_id").unwrap();
        let range = slice.chunk_range(0, ids);
        assert_eq!(range.bounds, Some((7, 6 + CHUNK_ROWS as i64)));
        assert!(slice.is_sorted_by(ids));
        let read = column(&tables, "slice", "arg_set_id");
        assert_eq!([&*read[0], &*read[ROWS as usize - 1]], ["7", &*(6 + ROWS).to_string()]);
        assert_eq!(slice.matches(0, 0..3, ids, &[8]).unwrap().count_set_bits(), 1);
        assert_eq!(maker.made.load(Ordering::Relaxed), 1);
    }

    /// One count of this value.
    fn counted(value: i64) -> TraceTables {
        let mut tables = Tables::default();
        tables.stats.push(StatsRow { value, ..StatsRow::default() });
        tables.finish()
    }

    /// Makes a count of 7.
    struct Counting;

    impl TableMaker for Counting {
        fn start(&self) -> TableMaking {
            let work = || Ok(Arc::new(counted(7)));
            TableMaking { work: Box::new(work), cancel: Box::new(|| ()) }
        }

        fn is_reader_cancelled(&self) -> bool {
            false
        }
    }

    #[test]
    fn counts_so_far_are_read_without_making_all() {
        let groups = TableGroups::NONE.with(TableGroup::Counts);
        let tables = counted(3).leaving_out(groups, Arc::new(Counting));
        let stats = tables.get("stats").unwrap();
        let value = stats.decl().column_index("value").unwrap();
        let has =
            |table: &Table, wanted| table.matches(0, 0..1, value, &[wanted]).unwrap().value(0);
        assert!(has(stats.rows_so_far(), 3));
        tables.write(&mut Vec::new(), b"about").unwrap();
        assert!(!tables.groups_left_out().is_empty());
        assert!(has(stats, 7));
        assert!(tables.groups_left_out().is_empty());
        assert!(has(stats.rows_so_far(), 3));
    }

    #[test]
    fn two_readers_at_once_have_it_made_once() {
        let (tables, maker) = leaving_out(Complete { rows: ROWS, ..Complete::default() });
        let barrier = Barrier::new(2);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    barrier.wait();
                    assert_eq!(tables.get("ftrace_event").unwrap().num_rows(), 2);
                });
            }
        });
        assert_eq!(maker.made.load(Ordering::Relaxed), 1);
    }

    /// A number of rows that is not known is an error.
    #[test]
    fn what_cannot_be_made_is_an_error() {
        let (tables, _) = leaving_out(Complete { fails: true, ..Complete::default() });
        let events = tables.get("ftrace_event").unwrap();
        let expected = "table ftrace_event: cannot load its rows: the trace is gone";
        assert_eq!(events.ensure_made().unwrap_err().to_string(), expected);
        assert_eq!(events.read(0, 0..1, &[1]).unwrap_err().to_string(), expected);
        let slice = tables.get("slice").unwrap();
        slice.ensure_made().unwrap();
        let ids = slice.decl().column_index("arg_set_id").unwrap();
        assert!(slice.read(0, 0..1, &[ids]).is_err());
        assert_eq!(column(&tables, "slice", "name").len(), ROWS as usize);
    }

    /// The trace was changed meanwhile, which its other rows show.
    #[test]
    fn other_rows_than_before_are_an_error() {
        let (tables, _) = leaving_out(Complete { rows: ROWS - 1, ..Complete::default() });
        let slice = tables.get("slice").unwrap();
        let ids = slice.decl().column_index("arg_set_id").unwrap();
        let error = slice.read(0, 0..1, &[ids]).unwrap_err().to_string();
        assert_eq!(error, "table slice: cannot load its rows: the trace now has other rows");
    }

    /// Work that no reader waits for is cancelled as well. The next reader starts it anew.
    #[test]
    fn a_reader_that_is_asked_to_stop_waits_no_longer() {
        let maker = Arc::<Slow>::default();
        maker.cancels.store(true, Ordering::Relaxed);
        let dynamic: Arc<dyn TableMaker> = Arc::<Slow>::clone(&maker);
        let tables = tables(3, false).leaving_out(TableGroups::all(), dynamic);
        let events = tables.get("ftrace_event").unwrap();
        assert!(matches!(events.ensure_made(), Err(ReadError::Cancelled)));
        assert!(tables.groups_left_out().contains(TableGroup::KernelEvents));
        maker.cancels.store(false, Ordering::Relaxed);
        events.ensure_made().unwrap();
        assert_eq!(events.num_rows(), 2);
        assert_eq!(maker.started.load(Ordering::Relaxed), 2);
        assert!(tables.groups_left_out().is_empty());
    }

    #[test]
    fn work_that_panics_ends_the_wait() {
        let tables = tables(3, false).leaving_out(TableGroups::all(), Arc::new(Panicking));
        let error = tables.get("args").unwrap().ensure_made().unwrap_err().to_string();
        let reason = "the import stopped unexpectedly, which is a bug in tpq";
        assert_eq!(error, format!("table args: cannot load its rows: {reason}"));
    }

    /// Before and after they were made.
    #[test]
    fn tables_are_written_without_what_was_left_out() {
        let (tables, maker) = leaving_out(Complete { rows: ROWS, ..Complete::default() });
        let (mut written, mut again) = (Vec::new(), Vec::new());
        let bytes = tables.packed_bytes();
        tables.write(&mut written, b"about").unwrap();
        assert_eq!(maker.made.load(Ordering::Relaxed), 0);
        assert_eq!(tables.get("ftrace_event").unwrap().num_rows(), 2);
        tables.write(&mut again, b"about").unwrap();
        assert!(written == again);
        assert_eq!(tables.packed_bytes(), bytes);
        assert_eq!(tables.groups_not_written(), TableGroups::NONE.with(TableGroup::KernelEvents));
        let mut complete = Vec::new();
        self::tables(ROWS, true).write(&mut complete, b"about").unwrap();
        assert!(written.len() < complete.len());
    }
}
