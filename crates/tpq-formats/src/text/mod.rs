//! Files of text with events that are lines, or groups of lines.
//!
//! [`TextReader`] walks the text once and hands on events in batches, so a file may be of any size.
//! A format states by [`TextEvents`] where each event ends and when it happened.

mod scan;
mod text_reader;

pub(crate) use scan::{lines, number, seconds, split_once, split_word, text_of, trim_line};
pub(crate) use text_reader::{Item, TextEvents, TextReader};
