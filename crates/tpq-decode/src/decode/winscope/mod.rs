//! Windows, layers, views and input of Android systems, as recorded for Winscope.

mod context;
mod geometry;
mod input_event;
mod inputmethod;
mod layers;
mod printf;
pub(crate) mod protolog;
mod protolog_text;
mod rect_rows;
pub(crate) mod shell_transition;
mod transaction_flags;
pub(crate) mod transactions;
mod viewcapture;
mod window_container;
mod windowmanager;
pub(crate) mod winscope_extensions;

pub(crate) use layers::PACKET as LAYERS;

use tpq_tables::{Stats, Tables};
use tpq_trackers::track::Trackers;

/// Writes what is complete only at the end of the import, of the entered source.
pub(crate) fn finish_source(trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    protolog::decode_waiting(trackers, tables, stats);
    shell_transition::write_rows(trackers, tables);
}
