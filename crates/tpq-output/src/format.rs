//! The output formats.

use std::fmt;
use std::str::FromStr;

/// The format of a result set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// A table with borders, for people.
    Table,
    /// Comma-separated values, RFC 4180.
    Csv,
    /// Tab-separated values.
    Tsv,
    /// An array of objects.
    Json,
    /// An object per line.
    Ndjson,
    /// A table in Markdown.
    Markdown,
    /// An Arrow IPC file.
    Arrow,
    /// A Parquet file.
    Parquet,
}

impl Format {
    /// Every format.
    pub const ALL: &'static [Self] = &[
        Self::Table,
        Self::Csv,
        Self::Tsv,
        Self::Json,
        Self::Ndjson,
        Self::Markdown,
        Self::Arrow,
        Self::Parquet,
    ];

    /// The name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Markdown => "markdown",
            Self::Arrow => "arrow",
            Self::Parquet => "parquet",
        }
    }

    /// Whether the bytes of the format are not text.
    pub fn is_binary(self) -> bool {
        matches!(self, Self::Arrow | Self::Parquet)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.iter().find(|format| format.name().eq_ignore_ascii_case(name));
        known.copied().ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|format| format.name()).collect();
            format!("no format is called `{name}`; there are {}", names.join(", "))
        })
    }
}
