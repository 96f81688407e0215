use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use arrow_array::RecordBatch;
use bytes::Bytes;

use super::{NotTables, Store, StoredTables};
use crate::table::{ArgsRow, SliceRow};
use crate::{
    CHUNK_ROWS, ReadError, Table, TableGroup, TableGroups, TableMaker, TableMaking, Tables,
    TraceTables,
};

/// A file of a trace that can be imported again, unless `gone`.
#[derive(Default)]
struct RestorableTrace {
    shortened: AtomicBool,
    gone: AtomicBool,
    restored: AtomicUsize,
}

impl Store for RestorableTrace {
    fn is_intact(&self) -> bool {
        !self.shortened.load(Ordering::Relaxed)
    }

    fn restore(&self, _: &str) -> Result<TraceTables, String> {
        self.restored.fetch_add(1, Ordering::Relaxed);
        match self.gone.load(Ordering::Relaxed) {
            true => Err("the trace is gone".to_owned()),
            false => Ok(tables_of(["another order", SHORT, LONG])),
        }
    }
}

const LONG: &str = "a name that does not fit into a view";
const SHORT: &str = "short";

fn open(
    bytes: impl Into<Bytes>,
    trace: &Arc<RestorableTrace>,
) -> Result<(TraceTables, Bytes), NotTables> {
    let store: Arc<dyn Store> = Arc::<RestorableTrace>::clone(trace);
    let StoredTables { tables, about, left_out } = TraceTables::from_bytes(bytes.into(), store)?;
    assert!(left_out.is_empty());
    Ok((tables, about))
}

fn tables() -> TraceTables {
    tables_of([LONG, SHORT, "another order"])
}

/// Columns of every width, with and without NULLs, and strings inside and outside of views. The
/// rows do not depend on the order in which strings are interned.
fn tables_of(interned: [&str; 3]) -> TraceTables {
    let mut tables = Tables::default();
    for text in interned {
        tables.strings.intern(text);
    }
    let long = tables.strings.intern(LONG);
    let short = tables.strings.intern(SHORT);
    for row in 0..CHUNK_ROWS as u32 + 100 {
        tables.slice.push(SliceRow {
            ts: i64::from(row) * 1_000_000_007,
            dur: i64::from(row % 3) - 1,
            name: if row % 2 == 0 { long } else { short },
            parent_id: (row % 5 == 0).then_some(row),
            ..SliceRow::default()
        });
    }
    tables.args.push(ArgsRow { real_value: Some(0.5), key: short, ..ArgsRow::default() });
    tables.finish()
}

fn written(tables: &TraceTables) -> Vec<u8> {
    let mut bytes = Vec::new();
    tables.write(&mut bytes, b"about").expect("memory takes everything");
    bytes
}

#[test]
fn tables_come_back_as_they_were() {
    let tables = tables();
    let (back, about) = open(written(&tables), &Arc::default()).expect("was written");
    assert_eq!(&*about, b"about");
    for (one, other) in tables.iter().zip(back.iter()) {
        assert_eq!(one.decl().name, other.decl().name);
        assert_eq!(one.num_rows(), other.num_rows());
        let columns: Vec<usize> = (0..one.decl().columns.len()).collect();
        for column in &columns {
            assert_eq!(one.is_sorted_by(*column), other.is_sorted_by(*column));
        }
        for chunk in 0..one.num_chunks() {
            for &column in &columns {
                assert_eq!(one.chunk_range(chunk, column), other.chunk_range(chunk, column));
            }
            let rows = 0..one.chunk_rows(chunk);
            let read = |table: &Table| table.read(chunk, rows.clone(), &columns);
            assert_eq!(read(one).expect("fits"), read(other).expect("fits"));
        }
    }
}

#[test]
fn cut_or_damaged_files_are_refused() {
    let bytes = Bytes::from(written(&tables()));
    let refused = |bytes: Bytes| open(bytes, &Arc::default()).is_err();
    for end in [0, 8, 40, bytes.len() / 2, bytes.len() - 1] {
        assert!(refused(bytes.slice(..end)), "{end}");
    }
    let directory = bytes.len() - super::TRAILER - 64;
    for place in [0, 9, 16, directory, bytes.len() - 20, bytes.len() - 1] {
        let mut damaged = bytes.to_vec();
        damaged[place] ^= 0x40;
        assert!(refused(damaged.into()), "{place}");
    }
}

/// Whatever the bytes are: no panic, and nothing outside of them is read.
#[test]
fn text_that_is_no_text_is_refused() {
    let mut bytes = written(&tables());
    let text = b"a name that does not fit";
    let place = bytes.windows(text.len()).position(|window| window == text).expect("is there");
    bytes[place + 3] = 0xff;
    assert!(open(bytes, &Arc::default()).is_err());
}

/// Everything that is in tables, chunk by chunk.
fn contents(tables: &TraceTables) -> Result<Vec<RecordBatch>, ReadError> {
    let chunks = |table: &Arc<Table>| {
        let columns: Vec<usize> = (0..table.decl().columns.len()).collect();
        let read = |chunk: usize| table.read(chunk, 0..table.chunk_rows(chunk), &columns);
        (0..table.num_chunks()).map(read).collect::<Vec<_>>()
    };
    tables.iter().flat_map(chunks).collect()
}

/// Where the blobs of chunks lie: behind the text, and before the directory.
fn chunks_of(bytes: &[u8]) -> Range<usize> {
    let word = |at: usize| {
        let word = bytes[at..].first_chunk().expect("eight bytes");
        u64::from_le_bytes(*word) as usize
    };
    let directory = word(bytes.len() - super::TRAILER);
    // What the caller wrote, then the views, then a count of one block.
    let block = directory + 7 * size_of::<u64>();
    word(block) + word(block + size_of::<u64>())..directory
}

/// Every chunk's bytes, each byte in turn: the answer stays the same, or the byte belongs to none.
#[test]
fn any_changed_byte_is_found_and_the_rows_restored() {
    let whole = written(&tables());
    let expected = contents(&tables()).expect("is in memory");
    let chunks = chunks_of(&whole);
    let mut found = 0;
    for place in chunks.clone().step_by(997) {
        let mut bytes = whole.clone();
        bytes[place] ^= 1 << (place % 8);
        let trace = Arc::<RestorableTrace>::default();
        let (tables, _) = open(bytes, &trace).expect("its directory is whole");
        assert_eq!(contents(&tables).expect("is restored"), expected, "{place}");
        found += trace.restored.load(Ordering::Relaxed);
    }
    // All but those between blobs.
    let tried = chunks.step_by(997).count();
    assert!(found > tried * 9 / 10, "{found} of {tried}");
}

#[test]
fn damage_that_cannot_be_restored_is_an_error() {
    let mut bytes = written(&tables());
    let place = chunks_of(&bytes).start + 100;
    bytes[place] ^= 1;
    let trace = Arc::<RestorableTrace>::default();
    trace.gone.store(true, Ordering::Relaxed);
    let (tables, _) = open(bytes, &trace).expect("its directory is whole");
    let error = contents(&tables).expect_err("is damaged").to_string();
    assert!(error.ends_with("is damaged, and the trace is gone"), "{error}");
    assert_eq!(trace.restored.load(Ordering::Relaxed), 1);
}

/// Chunks that were checked before are not trusted either.
#[test]
fn a_file_that_was_shortened_while_in_use_is_not_read() {
    let trace = Arc::<RestorableTrace>::default();
    let (tables, _) = open(written(&tables()), &trace).expect("is whole");
    let before = contents(&tables).expect("is whole");
    assert_eq!(trace.restored.load(Ordering::Relaxed), 0);
    trace.shortened.store(true, Ordering::Relaxed);
    assert_eq!(contents(&tables).expect("is restored"), before);
    let slice = tables.get("slice").expect("is there");
    let name = slice.decl().column_index("name").expect("is there");
    let ids = slice.string_ids(0, 0..2, name).expect("is restored");
    let names = slice.read(0, 0..2, &[name]).expect("is restored");
    assert_eq!(slice.strings(&ids).as_ref(), names.column(0).as_ref());
    assert_eq!(trace.restored.load(Ordering::Relaxed), 1);
}

/// Makes the tables of [`tables`].
struct Complete;

impl TableMaker for Complete {
    fn start(&self) -> TableMaking {
        let work = || -> Result<Arc<TraceTables>, String> {
            Ok(Arc::new(tables_of(["another order", SHORT, LONG])))
        };
        TableMaking { work: Box::new(work), cancel: Box::new(|| ()) }
    }

    fn is_reader_cancelled(&self) -> bool {
        false
    }
}

/// A table of a group that was left out has no rows in the file, also once the file is damaged.
#[test]
fn tables_that_were_left_out_are_read_from_those_that_are_made() {
    let groups = TableGroups::NONE.with(TableGroup::KernelEvents);
    let partial = tables().leaving_out(groups, Arc::new(Complete));
    let bytes = written(&partial);
    assert_eq!(TableGroups::left_out_of(bytes.as_slice()), Some(groups));
    assert_eq!(TableGroups::left_out_of(&bytes[..20]), None);
    assert!(bytes.len() < written(&tables()).len());
    for shortened in [false, true] {
        let trace = Arc::<RestorableTrace>::default();
        let store: Arc<dyn Store> = Arc::<RestorableTrace>::clone(&trace);
        let stored = TraceTables::from_bytes(bytes.clone().into(), store).expect("was written");
        assert_eq!(stored.left_out, groups);
        assert_eq!(stored.tables.get("args").map(|args| args.num_rows()), Some(0));
        let back = stored.tables.leaving_out(groups, Arc::new(Complete));
        trace.shortened.store(shortened, Ordering::Relaxed);
        assert_eq!(contents(&back).expect("can be read"), contents(&tables()).expect("is whole"));
        let args = back.get("args").expect("is there");
        let key = args.decl().column_index("key").expect("is there");
        let ids = args.string_ids(0, 0..1, key).expect("is made");
        let keys = args.read(0, 0..1, &[key]).expect("is made");
        assert_eq!(args.strings(&ids).as_ref(), keys.column(0).as_ref());
        assert_eq!(trace.restored.load(Ordering::Relaxed), usize::from(shortened));
    }
}
