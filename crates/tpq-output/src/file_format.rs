//! The format of a file, from its file name or a format name.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::{Compression, Format};

/// The known file extensions. The first extension of a format is used for new files.
const ENDINGS: &[(&str, Format)] = &[
    ("parquet", Format::Parquet),
    ("pq", Format::Parquet),
    ("arrow", Format::Arrow),
    ("feather", Format::Arrow),
    ("csv", Format::Csv),
    ("tsv", Format::Tsv),
    ("json", Format::Json),
    ("ndjson", Format::Ndjson),
    ("jsonl", Format::Ndjson),
    ("md", Format::Markdown),
    ("markdown", Format::Markdown),
    ("txt", Format::Table),
];

/// The format of a file, and the compression of a text format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileFormat {
    /// The format of the rows.
    pub format: Format,
    /// The compression of the text.
    pub compression: Option<Compression>,
}

/// The file extension is not that of a known format.
#[derive(Debug, thiserror::Error)]
#[error("the extension of {name} names no format; known extensions are {}", known_endings())]
pub struct UnknownEnding {
    /// The name of the file, with its folders.
    pub name: String,
}

impl FileFormat {
    /// The format of a file from its extension, in upper or lower case: `x.parquet`, `x.csv.gz`.
    ///
    /// # Errors
    /// When the name has no extension, or an unknown one.
    pub fn of_path(path: &Path) -> Result<Self, UnknownEnding> {
        let unknown = || UnknownEnding { name: path.display().to_string() };
        let name = path.file_name().ok_or_else(unknown)?.to_string_lossy();
        let (name, compression) = Compression::split(&name);
        let (_, ending) = name.rsplit_once('.').ok_or_else(unknown)?;
        Self::of(ending, compression).ok_or_else(unknown)
    }

    /// This format, chosen by name, for a file with this path: a text format without a compression
    /// takes that of the extension `.gz` or `.zst`.
    pub fn for_path(self, path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let compression = self.compression.or_else(|| Compression::split(&name).1);
        Self { compression: compression.filter(|_| !self.format.is_binary()), ..self }
    }

    fn of(ending: &str, compression: Option<Compression>) -> Option<Self> {
        let known = ENDINGS.iter().find(|(known, _)| known.eq_ignore_ascii_case(ending));
        let &(_, format) = known?;
        let fits = compression.is_none() || !format.is_binary();
        fits.then_some(Self { format, compression })
    }

    /// The file extension, without the first dot: `parquet`, `csv.gz`.
    pub fn ending(self) -> String {
        let known = ENDINGS.iter().find(|(_, format)| *format == self.format);
        let ending = known.map_or(self.format.name(), |(ending, _)| ending);
        match self.compression {
            Some(compression) => format!("{ending}.{}", compression.ending()),
            None => ending.to_owned(),
        }
    }

    /// Whether the bytes of the file are not text.
    pub fn is_binary(self) -> bool {
        self.format.is_binary() || self.compression.is_some()
    }
}

impl From<Format> for FileFormat {
    fn from(format: Format) -> Self {
        Self { format, compression: None }
    }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.compression {
            Some(compression) => write!(f, "{}.{}", self.format, compression.ending()),
            None => self.format.fmt(f),
        }
    }
}

impl FromStr for FileFormat {
    type Err = String;

    /// Parses the name of a format or a file extension, with an optional `.gz` or `.zst`.
    fn from_str(name: &str) -> Result<Self, String> {
        let (stem, compression) = Compression::split(name);
        let by_ending = || Self::of(stem, None).map(|known| known.format).ok_or(());
        let format = stem.parse::<Format>().or_else(|error| by_ending().map_err(|()| error))?;
        if compression.is_some() && format.is_binary() {
            return Err(format!("{format} is compressed inside; it takes no .gz or .zst"));
        }
        Ok(Self { format, compression })
    }
}

/// Every file extension, for an error message.
fn known_endings() -> String {
    let of = |binary: bool| {
        let endings = ENDINGS.iter().filter(move |(_, format)| format.is_binary() == binary);
        endings.map(|(ending, _)| format!(".{ending}")).collect::<Vec<_>>().join(" ")
    };
    format!("{}, and {}, which may be followed by .gz or .zst", of(true), of(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_name(name: &str) -> Option<String> {
        FileFormat::of_path(Path::new(name)).ok().map(|format| format.to_string())
    }

    #[test]
    fn extensions_determine_formats() {
        for (name, format) in [
            ("a.parquet", "parquet"),
            ("a.PQ", "parquet"),
            ("a.feather", "arrow"),
            ("b/a.b.csv", "csv"),
            ("a.csv.gz", "csv.gz"),
            ("a.tsv.ZST", "tsv.zst"),
            ("a.json.gz", "json.gz"),
            ("a.jsonl", "ndjson"),
            ("a.ndjson.zst", "ndjson.zst"),
            ("a.md", "markdown"),
            ("a.txt", "table"),
        ] {
            assert_eq!(by_name(name).as_deref(), Some(format), "{name}");
        }
        for name in
            ["a", "a.", "csv", "a.dat", "a.gz", "a.parquet.gz", "a.csv.gz.gz", "..", "a.csv/b"]
        {
            assert_eq!(by_name(name), None, "{name}");
        }
    }

    #[test]
    fn the_error_lists_the_extensions() {
        let error = FileFormat::of_path(Path::new("x/y.dat")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the extension of x/y.dat names no format; known extensions are .parquet .pq .arrow \
             .feather, and .csv .tsv .json .ndjson .jsonl .md .markdown .txt, which may be followed \
             by .gz or .zst"
        );
    }

    #[test]
    fn a_format_is_parsed_from_its_name_or_extension() {
        let named = |name: &str| name.parse::<FileFormat>().map(|format| format.ending());
        assert_eq!(named("Markdown").as_deref(), Ok("md"));
        assert_eq!(named("jsonl.gz").as_deref(), Ok("ndjson.gz"));
        assert_eq!(named("csv").as_deref(), Ok("csv"));
        let binary = "parquet is compressed inside; it takes no .gz or .zst";
        assert_eq!(named("parquet.gz"), Err(binary.to_owned()));
        assert!(named("papyrus").unwrap_err().contains("no format is called `papyrus`"));
    }

    /// The file name does not change an explicit format, except for its compression.
    #[test]
    fn the_file_name_gives_the_compression_of_an_explicit_format() {
        let with = |format: &str, path: &str| {
            format.parse::<FileFormat>().unwrap().for_path(Path::new(path)).to_string()
        };
        assert_eq!(with("json", "a.csv"), "json");
        assert_eq!(with("json", "a.csv.gz"), "json.gz");
        assert_eq!(with("csv.zst", "a.gz"), "csv.zst");
        assert_eq!(with("parquet", "a.csv.gz"), "parquet");
    }
}
