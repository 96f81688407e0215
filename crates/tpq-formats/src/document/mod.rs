//! Files that are one document: a profile with tables that its samples refer to.
//!
//! [`DocumentReader`] reads the times of a document. Its first event is the document as a whole,
//! from which the decoder takes the tables; the others are numbers, or parts of the document.

mod document_reader;
mod json;
mod json_scan;

pub(crate) use document_reader::{Document, DocumentFormat, DocumentReader, Events, Place};
pub(crate) use json::{Json, JsonError};
