//! What is known of the files of an import before their events are decoded.

use tpq_ingest::{SourceId, Span};
use tpq_tables::table::TraceFileRow;
use tpq_tables::{Stat, StringId};
use tpq_trackers::track::MetadataValue;

use super::{Decoder, State};
use crate::decode::recorder::trace_uuid::uuid_of;
use crate::decode::recorder::translation;
use crate::health::FileRemark;
use crate::losses::log_file;
use crate::symbolizer::Symbolizer;

/// A file as the `trace_file` table shows it.
#[derive(Clone, Copy, Debug)]
pub struct FileInfo<'a> {
    /// The row of the file it lies in.
    pub parent: Option<u32>,
    /// Its name in there.
    pub name: Option<&'a str>,
    /// Its size in bytes.
    pub size: u64,
    /// Its format.
    pub format: &'a str,
    /// Its position in the order of import.
    pub processing_order: u32,
}

/// A value of a fact.
#[derive(Clone, Copy, Debug)]
pub enum Fact<'a> {
    /// A number.
    Int(i64),
    /// A text.
    Text(&'a str),
}

impl Decoder<'_> {
    /// Notes a file that was named or lay in an archive; files are numbered as they are added.
    pub fn add_file(&mut self, file: FileInfo<'_>) {
        let tables = &mut self.state.tables;
        let name = file.name.map_or(StringId::NULL, |name| tables.strings.intern(name));
        let trace_type = tables.strings.intern(file.format);
        tables.trace_file.push(TraceFileRow {
            parent_id: file.parent,
            name,
            size: file.size as i64,
            trace_type,
            processing_order: Some(i64::from(file.processing_order)),
        });
    }

    /// Notes the size and format of the file that the events of `source` come from.
    pub fn describe_file(&mut self, source: SourceId, bytes: u64, format: &str) {
        let State { trackers, tables, .. } = &mut self.state;
        trackers.enter(source);
        trackers.metadata.set("trace_size_bytes", MetadataValue::Int(bytes as i64), tables);
        trackers.metadata.set_text("trace_type", format, tables);
    }

    /// Reads a packet that says what other packets of the file of `source` mean.
    pub fn translate(&mut self, source: SourceId, kind: u32, payload: Span) {
        let State { bytes, trackers, tables, .. } = &mut self.state;
        trackers.enter(source);
        translation::read(kind, bytes.get(payload), trackers, tables);
    }

    /// Takes the names of code in the file of `source` for those of the code of all files. Names
    /// of Java code that state no package are of `package`.
    pub fn share_symbols(&mut self, source: SourceId, package: Option<&str>) {
        let State { trackers, symbol_files, .. } = &mut self.state;
        symbol_files.push(source);
        trackers.enter(source);
        trackers.source.symbols.package = package.map(str::to_owned);
    }

    /// Has frames without symbols symbolized at the end of the import.
    pub fn symbolize_by(&mut self, symbolizer: Box<dyn Symbolizer>) {
        self.state.symbolizer = Some(symbolizer);
    }

    /// Notes the payload fields of the packets in the file of `source`.
    pub fn note_packet_kinds(&mut self, source: SourceId, kinds: impl IntoIterator<Item = u32>) {
        let State { trackers, .. } = &mut self.state;
        trackers.enter(source);
        trackers.file.recording.packet_kinds.extend(kinds);
    }

    /// Gives the file that the events of `source` come from an id by its contents, until it is
    /// found to have one.
    pub fn identify_file(&mut self, source: SourceId, contents: &[u8]) {
        let State { trackers, tables, .. } = &mut self.state;
        trackers.enter(source);
        trackers.metadata.set_text("trace_uuid", &uuid_of(contents), tables);
    }

    /// Notes a fact about the import as a whole.
    pub fn add_fact(&mut self, name: &str, value: Fact<'_>) {
        let State { trackers, tables, .. } = &mut self.state;
        let value = match value {
            Fact::Int(value) => MetadataValue::Int(value),
            Fact::Text(text) => MetadataValue::Text(tables.strings.intern(text)),
        };
        trackers.metadata.set(name, value, tables);
    }

    /// Counts something of a file as a whole, and enters what it is.
    pub fn count_file(&mut self, file: u32, stat: Stat, what: &str) {
        let State { first_sources, stats, import_stats, trackers, tables, .. } = &mut self.state;
        // A file without a machine, such as an archive, counts for the import as a whole.
        match first_sources.get(&file) {
            Some(&source) => stats[source as usize].increment(stat),
            None => import_stats.increment(stat),
        }
        log_file(file, stat, what, &mut trackers.deferred, tables);
    }

    /// Counts and enters what was found of a file when it was opened.
    pub fn remark_on_file(&mut self, file: u32, remark: FileRemark) {
        self.count_file(file, remark.stat(), remark.what());
        self.state.remarks.push((file, remark));
    }
}
