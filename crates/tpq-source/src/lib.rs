//! Where bytes come from: the only importer crate that does I/O.
//!
//! [`Input::open`] gives the bytes of one trace, mapped or decompressed, and says what format
//! they are in. It knows nothing of what the bytes mean beyond their first few.

mod decompress;
mod format;
mod input;

pub use format::{Compression, Format};
pub use input::{Input, SourceError};
