//! The format of a file by its name, and by the name of the format.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::{Compression, Format};

/// The endings of file names; the first of a format is the one that tpq gives to files.
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

/// How a file is written: a format, and for text the compression around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileFormat {
    /// The format of the rows.
    pub format: Format,
    /// What the text is compressed with.
    pub compression: Option<Compression>,
}

/// The name of a file does not say a format.
#[derive(Debug, thiserror::Error)]
#[error("the ending of {name} names no format; known endings are {}", known_endings())]
pub struct UnknownEnding {
    /// The name of the file, with its folders.
    pub name: String,
}

impl FileFormat {
    /// The format that a file name says by its ending, in either case: `x.parquet`, `x.csv.gz`.
    ///
    /// # Errors
    /// When the name has no ending, or one that stands for no format.
    pub fn of_path(path: &Path) -> Result<Self, UnknownEnding> {
        let unknown = || UnknownEnding { name: path.display().to_string() };
        let name = path.file_name().ok_or_else(unknown)?.to_string_lossy();
        let (name, compression) = Compression::split(&name);
        let (_, ending) = name.rsplit_once('.').ok_or_else(unknown)?;
        Self::of(ending, compression).ok_or_else(unknown)
    }

    /// The format as it was asked for by name, for a file of this name: where the format is text
    /// and names no compression, an ending `.gz` or `.zst` does.
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

    /// The ending of file names, without the first dot: `parquet`, `csv.gz`.
    pub fn ending(self) -> String {
        let known = ENDINGS.iter().find(|(_, format)| *format == self.format);
        let ending = known.map_or(self.format.name(), |(ending, _)| ending);
        match self.compression {
            Some(compression) => format!("{ending}.{}", compression.ending()),
            None => ending.to_owned(),
        }
    }

    /// Whether it is made of bytes that are not text.
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

    /// The name of a format or an ending, either with `.gz` or `.zst`.
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

/// Every ending, as text for an error.
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
    fn names_say_formats() {
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
    fn the_error_lists_the_endings() {
        let error = FileFormat::of_path(Path::new("x/y.dat")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the ending of x/y.dat names no format; known endings are .parquet .pq .arrow .feather, \
             and .csv .tsv .json .ndjson .jsonl .md .markdown .txt, which may be followed by .gz or \
             .zst"
        );
    }

    #[test]
    fn a_format_is_named_by_its_name_or_its_ending() {
        let named = |name: &str| name.parse::<FileFormat>().map(|format| format.ending());
        assert_eq!(named("Markdown").as_deref(), Ok("md"));
        assert_eq!(named("jsonl.gz").as_deref(), Ok("ndjson.gz"));
        assert_eq!(named("csv").as_deref(), Ok("csv"));
        let binary = "parquet is compressed inside; it takes no .gz or .zst";
        assert_eq!(named("parquet.gz"), Err(binary.to_owned()));
        assert!(named("papyrus").unwrap_err().contains("no format is called `papyrus`"));
    }

    /// A format that was asked for is not changed by the name of the file, but for compression.
    #[test]
    fn the_name_of_the_file_says_the_compression_of_a_named_format() {
        let with = |format: &str, path: &str| {
            format.parse::<FileFormat>().unwrap().for_path(Path::new(path)).to_string()
        };
        assert_eq!(with("json", "a.csv"), "json");
        assert_eq!(with("json", "a.csv.gz"), "json.gz");
        assert_eq!(with("csv.zst", "a.gz"), "csv.zst");
        assert_eq!(with("parquet", "a.csv.gz"), "parquet");
    }
}
