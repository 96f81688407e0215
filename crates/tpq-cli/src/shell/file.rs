//! `.output`: one file for the results of the statements that follow.

use std::path::Path;

use tpq_output::{FileFormat, Sink, UnknownEnding};

use super::paths;
use crate::output::{Destination, Mark, Output};

/// A file that takes the results of one statement after the other. It has its name once it is
/// finished, and then holds the results of the statements that succeeded.
pub struct ResultFile(Output);

impl ResultFile {
    /// Opens what `.output` was given: a file, and perhaps a format after it. `None` is the screen.
    ///
    /// # Errors
    /// When neither says a format, the file is one of `others`, which are in use, or it cannot be created.
    pub fn open<'a>(
        argument: &str,
        others: impl IntoIterator<Item = &'a Path>,
    ) -> anyhow::Result<Option<Self>> {
        let (path, format) = path_and_format(argument);
        let path = paths::one(path);
        let path = Some(path.as_path()).filter(|path| !path.as_os_str().is_empty());
        let destination = Destination::of(path)?;
        if matches!(destination, Destination::Stdout) {
            return Ok(None);
        }
        destination.refuse(others)?;
        let format =
            destination.format_or(format, "say it after the name, as .output x.dat csv")?;
        Output::create(&destination, format).map(|output| Some(Self(output)))
    }

    /// What is written.
    pub fn format(&self) -> FileFormat {
        self.0.format()
    }

    /// Begins the result of a statement.
    ///
    /// # Errors
    /// When the format holds one result and has it, or the file cannot be written.
    pub fn begin(&self) -> anyhow::Result<Part<'_>> {
        let format = self.0.format().format;
        anyhow::ensure!(
            !format.is_binary() || self.0.is_empty(),
            "{format} holds one result set; name another file with .output"
        );
        Ok(Part { file: self, undo: self.0.mark()? })
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self) -> anyhow::Result<()> {
        self.0.finish()
    }
}

/// The path and the format in the argument of `.output`. A name may have blanks in it.
fn path_and_format(argument: &str) -> (&str, Option<FileFormat>) {
    let known: Result<FileFormat, UnknownEnding> = FileFormat::of_path(Path::new(argument));
    let named = argument.rsplit_once(char::is_whitespace).filter(|_| known.is_err());
    let named = named.and_then(|(path, format)| Some((path.trim_end(), format.parse().ok()?)));
    match named {
        Some((path, format)) => (path, Some(format)),
        None => (argument, None),
    }
}

/// The result of one statement in a file. Dropped before it is kept, it is taken back.
pub struct Part<'a> {
    file: &'a ResultFile,
    /// Where the file ended before.
    undo: Option<Mark>,
}

impl Part<'_> {
    /// Where to write it.
    pub fn sink(&self) -> Sink {
        self.file.0.sink()
    }

    /// Says that the statement succeeded.
    pub fn keep(mut self) {
        self.undo = None;
    }
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        if let Some(mark) = self.undo {
            // The file takes no more after an error here, and is then not finished.
            let _ = self.file.0.rewind(mark);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_may_follow_the_name() {
        let parsed = |argument| {
            let (path, format) = path_and_format(argument);
            (path.to_owned(), format.map(|format| format.to_string()))
        };
        for (argument, path, format) in [
            ("a.csv", "a.csv", None),
            ("my a.csv", "my a.csv", None),
            ("a.dat csv", "a.dat", Some("csv")),
            ("a.csv  json.gz", "a.csv", Some("json.gz")),
            ("a b", "a b", None),
        ] {
            assert_eq!(
                parsed(argument),
                (path.to_owned(), format.map(str::to_owned)),
                "{argument}"
            );
        }
    }
}
