//! Tables that an import left out, and the ids of arg sets in the other tables: read from tables
//! that are made when one of them is first wanted.

use std::sync::{Arc, OnceLock};

use crate::finished::Table;
use crate::{ReadError, TableGroup, TableGroups, TraceTables};

/// Makes all tables of a trace, for those that were left out.
pub trait TableMaker: Send + Sync {
    /// All tables. Those that were not left out have the same rows again. Called once, on the
    /// thread that first reads a table that was left out; others that read one meanwhile wait.
    ///
    /// # Errors
    /// A reason in words, where the tables cannot be made.
    fn make(&self) -> Result<TraceTables, String>;
}

/// The tables that were left out.
pub(crate) struct LeftOut {
    groups: TableGroups,
    maker: Arc<dyn TableMaker>,
    made: OnceLock<Result<TraceTables, String>>,
}

impl LeftOut {
    /// All tables, which are made first if necessary.
    pub(crate) fn all(&self) -> Result<&TraceTables, &str> {
        self.made.get_or_init(|| self.maker.make()).as_ref().map_err(String::as_str)
    }

    /// The table as it was made, in place of `table`.
    pub(crate) fn table(&self, table: &Table) -> Result<&Table, ReadError> {
        let name = table.decl().name;
        let not_made = |reason: &str| ReadError::not_loaded(name, reason);
        let made = self.all().map_err(not_made)?.get(name);
        made.map(|made| &**made).ok_or_else(|| not_made("there is no such table"))
    }

    fn is_made(&self) -> bool {
        self.made.get().is_some()
    }
}

impl TraceTables {
    /// Takes the tables of `groups` for left out: `maker` makes them when one is first read.
    #[must_use]
    pub fn leaving_out(mut self, groups: TableGroups, maker: Arc<dyn TableMaker>) -> Self {
        if groups.is_empty() {
            return self;
        }
        let left_out = Arc::new(LeftOut { groups, maker, made: OnceLock::new() });
        for table in self.tables_mut() {
            match table.decl().group {
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
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::table::{ArgsRow, FtraceEventRow, SliceRow};
    use crate::{ArgSetNumber, CHUNK_ROWS, Tables};

    /// Makes tables as an import does that leaves nothing out.
    #[derive(Default)]
    struct Complete {
        made: AtomicUsize,
        fails: bool,
        rows: u32,
    }

    impl TableMaker for Complete {
        fn make(&self) -> Result<TraceTables, String> {
            self.made.fetch_add(1, Ordering::Relaxed);
            if self.fails {
                return Err("the trace is gone".to_owned());
            }
            Ok(tables(self.rows, true))
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
        assert!(tables.write(&mut Vec::new(), b"").is_err());
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

    #[test]
    fn tables_are_written_with_what_was_left_out() {
        let (tables, _) = leaving_out(Complete { rows: ROWS, ..Complete::default() });
        let (mut written, mut complete) = (Vec::new(), Vec::new());
        tables.write(&mut written, b"about").unwrap();
        self::tables(ROWS, true).write(&mut complete, b"about").unwrap();
        assert!(written == complete);
    }
}
