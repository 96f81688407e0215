//! The end of an import in tests of single trackers and decoders.

use tpq_ingest::{Sources, TraceBytes};
use tpq_tables::Tables;

use crate::deferred::{DeferredStage, DeferredWriter};
use crate::track::Trackers;

impl Trackers {
    /// Writes into `tables` what the deferred writer has received so far, as the end of an import
    /// does.
    pub fn write_deferred(&mut self, tables: &mut Tables) {
        let bytes = TraceBytes::new([]);
        let writer = DeferredWriter::new(&bytes, &Sources::default(), 1, &self.deferred);
        let mut stage = DeferredStage::Inline(Box::new(writer));
        stage.flush(&mut self.deferred, tables);
        if let Some(written) = stage.end().map(|writer| writer.finish()) {
            written.bounds().into_iter().for_each(|ts| self.bounds.include(ts));
            written.join(tables);
        }
    }
}
