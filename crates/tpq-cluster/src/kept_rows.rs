//! Rows of a query that are kept until all of them have arrived.

use crate::error::ClusterError;

/// The size in bytes of rows that stay in memory. What is more goes to a temporary file.
pub(crate) const MOST_IN_MEMORY: usize = 64 << 20;

/// All rows of a query, in order.
pub type KeptRows = tpq_sql::KeptRows<ClusterError>;
