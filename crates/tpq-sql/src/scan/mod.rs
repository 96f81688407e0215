//! Scans: how DataFusion reads a finished table.
//!
//! ```text
//! StoredTable (logical: schema, key, statistics)
//!     └─scan─▶ ChunkSource (physical: which chunks, columns, filters, direction)
//!                  └─open─▶ chunks that pruning kept ──compare──▶ rows that filters on values
//!                                               and text passed ──read──▶ Arrow batches
//! ```
//!
//! DataFusion's own `MemTable` would be enough for small tables, but it has no statistics for
//! pruning, accepts no filters, and loses its sort order when the plan is split over threads.

mod ascii_contains;
mod chunked;
mod distinct_values;
mod group_keys;
mod provider;
mod pruning;
mod source;
mod stored_column;
mod text_filter;
mod value_filter;

pub(crate) use chunked::{Chunks, Snapshot};
pub(crate) use distinct_values::DistinctScans;
pub(crate) use group_keys::{StringIds, integer_bounds, table_rows, with_string_ids};
pub(crate) use provider::{StoredProvider, StoredTable};
