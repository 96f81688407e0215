//! Finished tables as one stretch of bytes, and back without copying: what a cache keeps in files
//! and maps into memory.
//!
//! ```text
//! magic, fingerprint │ blob │ blob │ … │ directory │ where it is, how long, its checksum, magic
//! ```
//!
//! A blob is the packed values of a chunk, its bits for rows that are not NULL, or text; each is
//! aligned so that Arrow can use it where it lies. The directory is a list of 64-bit words, little
//! end first, which [`write`] and [`read`] go through in the same order. Columns are not named in
//! it: the fingerprint says that they are those of this build's declarations.

mod read;
mod write;

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::Tables;

/// Begins and ends the bytes; changes with what lies between.
const MAGIC: u64 = u64::from_le_bytes(*b"tpqtab01");
/// Where blobs begin is a multiple of this.
const ALIGNMENT: usize = 64;
/// Bytes before the first blob.
const HEADER: usize = 16;
/// Bytes after the directory.
const TRAILER: usize = 32;

/// Bytes that are not finished tables of this build of tpq.
#[derive(Debug, thiserror::Error)]
#[error("not tables of this version of tpq, or damaged: {0}")]
pub struct NotTables(pub(crate) &'static str);

/// Tells apart what declarations of tables say of the columns.
fn fingerprint() -> u64 {
    let mut hasher = FxHasher::default();
    for table in Tables::DECLS {
        hasher.write(table.name.as_bytes());
        for column in table.columns {
            hasher.write(column.name.as_bytes());
            hasher.write(column.kind.label().as_bytes());
            hasher.write_u8(column.nullable.into());
        }
    }
    hasher.finish()
}

fn checksum(directory: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(directory);
    hasher.write_usize(directory.len());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use crate::table::{ArgsRow, SliceRow};
    use crate::{CHUNK_ROWS, Tables, TraceTables};

    /// Columns of every width, with and without NULLs, and strings inside and outside of views.
    fn tables() -> TraceTables {
        let mut tables = Tables::default();
        let long = tables.strings.intern("a name that does not fit into a view");
        let short = tables.strings.intern("short");
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
        let (back, about) = TraceTables::from_bytes(written(&tables).into()).expect("was written");
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
                let read = |table: &crate::Table| table.read(chunk, rows.clone(), &columns);
                assert_eq!(read(one).expect("fits"), read(other).expect("fits"));
            }
        }
    }

    #[test]
    fn what_is_cut_or_damaged_is_refused() {
        let bytes = Bytes::from(written(&tables()));
        let refused = |bytes: Bytes| TraceTables::from_bytes(bytes).is_err();
        for end in [0, 8, 40, bytes.len() / 2, bytes.len() - 1] {
            assert!(refused(bytes.slice(..end)), "{end}");
        }
        let directory = bytes.len() - super::TRAILER - 64;
        for place in [0, 9, directory, bytes.len() - 20, bytes.len() - 1] {
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
        assert!(TraceTables::from_bytes(bytes.into()).is_err());
    }
}
