//! The tables a trace is turned into: declarations, builders and finished columns.
//!
//! This crate owns what a table *is*. Each one is declared once, in [`table`], with the
//! [`declare_table!`] macro; the typed builder that decoders fill, the Arrow schema that SQL
//! sees, `.schema` in the shell, `docs/tables.md` and completion all derive from that one place.
//!
//! ```text
//! decoders ──push──▶ builders (Tables) ──finish──▶ TraceTables ──read──▶ Arrow record batches
//! ```
//!
//! It knows nothing of protobuf, of how a trace is read, or of the query engine.
//!
//! Integers of every width appear in SQL as `Int64`, so that joins between ids never mismatch and
//! arithmetic on them does not wrap at 32 bits; inside, a column is kept as narrow as its values.

mod arg_set_number;
mod string_pool;
#[macro_use]
mod declare;
mod column;
mod finished;
mod groups;
mod later;
mod left_out;
mod packed;
mod packer;
pub mod positioned;
mod spill;
mod stats;
mod store;
pub mod table;
mod tables;
mod two_threads;

pub use arg_set_number::ArgSetNumber;
pub use column::{Cell, ColumnBuilder};
pub use declare::{ColumnDecl, ColumnKind, TableDecl};
pub use finished::{CHUNK_ROWS, ChunkRange, PickedRows, ReadError, Table, TraceTables};
pub use groups::{TableGroup, TableGroups};
pub use later::{LoadError, TableLoader};
pub use left_out::{TableMaker, TableMaking};
pub use packed::{Native, Packing};
pub use packer::Packer;
pub use spill::Spill;
pub use stats::{Severity, Stat, StatKind, StatScope, StatSource, Stats};
pub use store::{NotTables, Store, StoredTables};
pub use string_pool::{StringId, StringPool, StringViews};
pub use tables::Tables;
