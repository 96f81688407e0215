//! Writes summaries.

use prost::Message;
use tpq_proto::message::TraceSummary;
use tpq_proto::{json, text};

/// The format of a summary.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SummaryFormat {
    /// The text format of protobuf.
    #[default]
    Text,
    /// The bytes of a `TraceSummary`.
    Proto,
    /// A JSON object with the fields of a `TraceSummary` under their names.
    Json,
}

impl SummaryFormat {
    /// Writes a summary.
    pub fn write(self, summary: &TraceSummary) -> Vec<u8> {
        let bytes = summary.encode_to_vec();
        match self {
            Self::Proto => bytes,
            Self::Text => line(text::print_exact::<TraceSummary>(&bytes)),
            Self::Json => line(json::write::<TraceSummary>(&bytes)),
        }
    }
}

/// A text with a newline at its end, if it is not empty.
fn line(mut text: String) -> Vec<u8> {
    if !text.is_empty() {
        text.push('\n');
    }
    text.into_bytes()
}
