//! The formats of files, and the functions that read them.

/// A function that reads files of one format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Reader {
    Parquet,
    /// Values separated by commas, or by tabs in files that end in `.tsv`; the first line has the
    /// names.
    Csv,
    /// Objects in lines, or in one array.
    Json,
}

/// Each function, with the file extensions by which a file alone selects it.
static READERS: [(Reader, &str, &[&str]); 3] = [
    (Reader::Parquet, "read_parquet", &["parquet"]),
    (Reader::Csv, "read_csv", &["csv", "tsv"]),
    (Reader::Json, "read_json", &["json", "jsonl", "ndjson"]),
];

impl Reader {
    /// The names of all functions.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        READERS.iter().map(|&(_, name, _)| name)
    }

    /// The file extensions of all formats, as text.
    pub(crate) fn extensions() -> String {
        let all = READERS.iter().flat_map(|&(_, _, extensions)| extensions.iter());
        all.map(|extension| format!(".{extension}")).collect::<Vec<_>>().join(", ")
    }

    /// The function with this name, in lower case.
    pub(crate) fn named(function: &str) -> Option<Self> {
        READERS.iter().find(|(_, name, _)| *name == function).map(|&(reader, ..)| reader)
    }

    /// The function for a file, by its extension.
    pub(crate) fn of_file(path: &str) -> Option<Self> {
        let extension = extension(path)?;
        let found = READERS
            .iter()
            .find(|(_, _, extensions)| extensions.iter().any(|known| *known == extension));
        found.map(|&(reader, ..)| reader)
    }

    /// The name of the function.
    pub(crate) fn name(self) -> &'static str {
        READERS.iter().find(|(reader, ..)| *reader == self).map_or("", |&(_, name, _)| name)
    }
}

/// The extension of a file, in lower case.
pub(super) fn extension(path: &str) -> Option<String> {
    let name = path.rsplit(['/', '\\']).next()?;
    let (stem, extension) = name.rsplit_once('.')?;
    (!stem.is_empty()).then(|| extension.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_selects_the_format() {
        assert_eq!(Reader::of_file("a/b.PARQUET"), Some(Reader::Parquet));
        assert_eq!(Reader::of_file("runs/*.tsv"), Some(Reader::Csv));
        assert_eq!(Reader::of_file("x.y.ndjson"), Some(Reader::Json));
        assert_eq!(Reader::of_file("dir.csv/file"), None);
        assert_eq!(Reader::of_file(".csv"), None);
        assert_eq!(Reader::of_file("slice"), None);
        assert_eq!(Reader::extensions(), ".parquet, .csv, .tsv, .json, .jsonl, .ndjson");
    }

    #[test]
    fn each_function_has_its_name() {
        for name in Reader::names() {
            assert_eq!(Reader::named(name).map(Reader::name), Some(name));
        }
        assert_eq!(Reader::named("read_xml"), None);
    }
}
