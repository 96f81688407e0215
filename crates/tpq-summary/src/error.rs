//! Errors of specifications and of their queries.

use tpq_sql::SqlError;

/// A summary that could not be computed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SummaryError {
    /// A file or a message is not a specification.
    #[error("{name}: {why}")]
    Spec {
        /// The name of the file.
        name: String,
        /// The reason.
        why: String,
    },
    /// A specification contradicts itself, or asks for something that does not exist.
    #[error("{part}: {why}")]
    Invalid {
        /// The metric or query.
        part: String,
        /// The reason.
        why: String,
    },
    /// A query failed.
    #[error("{part}: {}", .error.report())]
    Sql {
        /// The metric or query.
        part: String,
        /// The error of the generated statement.
        #[source]
        error: SqlError,
    },
    /// The summary is larger than the memory limit.
    #[error("the summary needs more than {limit} bytes; select fewer metrics, or aggregate more")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
}

/// The error of a part of a specification that does not know its name.
#[derive(Debug)]
pub(crate) enum QueryError {
    /// The part is not valid.
    Invalid(String),
    /// Its SQL failed.
    Sql(SqlError),
}

impl QueryError {
    /// Adds the name of the metric or query.
    pub(crate) fn of(self, part: impl Into<String>) -> SummaryError {
        let part = part.into();
        match self {
            Self::Invalid(why) => SummaryError::Invalid { part, why },
            Self::Sql(error) => SummaryError::Sql { part, error },
        }
    }
}

impl From<SqlError> for QueryError {
    fn from(error: SqlError) -> Self {
        Self::Sql(error)
    }
}

/// An error of a specification.
pub(crate) fn invalid<T>(why: impl Into<String>) -> Result<T, QueryError> {
    Err(QueryError::Invalid(why.into()))
}
