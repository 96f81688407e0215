//! Archives of several traces, and the manifest that may be next to them.

use std::io::{Cursor, Write};

use serde_json::{Value, json};
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

/// Named files that are packed into one archive.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Archive {
    files: Vec<(String, Vec<u8>)>,
}

impl Archive {
    /// An archive without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a file.
    pub fn file(mut self, name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.files.push((name.to_owned(), bytes.into()));
        self
    }

    /// Appends a manifest of version 1 with these additional fields.
    pub fn manifest(self, fields: Value) -> Self {
        self.file("manifest.json", Self::manifest_text(fields))
    }

    /// Returns the text of a manifest of version 1 with these additional fields.
    #[must_use]
    pub fn manifest_text(mut fields: Value) -> String {
        fields["version"] = json!(1);
        json!({ "perfetto_manifest": fields }).to_string()
    }

    /// Packs the files into a TAR archive.
    #[must_use]
    pub fn tar(&self) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, bytes) in &self.files {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            // The crate `tar` does not write names that lead out of the archive.
            match header.as_old_mut().name.get_mut(..name.len()) {
                Some(field) => {
                    field.copy_from_slice(name.as_bytes());
                    header.set_cksum();
                    packed(builder.append(&header, bytes.as_slice()));
                }
                None => packed(builder.append_data(&mut header, name, bytes.as_slice())),
            }
        }
        packed(builder.into_inner())
    }

    /// Packs the files into a compressed ZIP archive.
    #[must_use]
    pub fn zip(&self) -> Vec<u8> {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::DEFLATE);
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in &self.files {
            packed(writer.start_file(name.as_str(), options));
            packed(writer.write_all(bytes));
        }
        packed(writer.finish()).into_inner()
    }
}

#[expect(clippy::expect_used, reason = "packing in memory cannot fail")]
fn packed<T, E: std::fmt::Debug>(result: Result<T, E>) -> T {
    result.expect("packing in memory")
}
