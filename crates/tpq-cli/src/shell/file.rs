//! `.output`: a file for the results of the following statements.

use std::path::Path;

use tpq_output::{FileFormat, Sink, UnknownEnding};

use super::paths;
use crate::output::{Checkpoint, Destination, Output};

/// A file for the results of consecutive statements. It gets its name when it is finished, and
/// contains the results of the statements that succeeded.
pub struct ResultFile {
    output: Output,
    destination: Destination,
}

impl ResultFile {
    /// Opens the argument of `.output`: a file, optionally followed by a format. `None` is the
    /// screen.
    ///
    /// # Errors
    /// When neither gives a format, the file is one of `others`, which are in use, or it cannot be
    /// created.
    pub fn open<'a>(
        argument: &str,
        others: impl IntoIterator<Item = &'a Path>,
    ) -> anyhow::Result<Option<Self>> {
        let (path, format) = path_and_format(argument);
        let path = paths::parse_one(path);
        let path = Some(path.as_path()).filter(|path| !path.as_os_str().is_empty());
        let destination = Destination::of(path)?;
        if matches!(destination, Destination::Stdout) {
            return Ok(None);
        }
        destination.ensure_not_any_of(others)?;
        let format =
            destination.format_or(format, "write it after the name, such as .output x.dat csv")?;
        let output = Output::create(&destination, format)?;
        Ok(Some(Self { output, destination }))
    }

    /// The format of the file.
    pub fn format(&self) -> FileFormat {
        self.output.format()
    }

    /// Checks that none of the traces to open is this file, which is incomplete until it is
    /// finished.
    ///
    /// # Errors
    /// When one of them is, under any name.
    pub fn ensure_not_any_of<'a>(
        &self,
        traces: impl IntoIterator<Item = &'a Path>,
    ) -> anyhow::Result<()> {
        if let Some(trace) = self.destination.find_same(traces) {
            let trace = trace.display();
            anyhow::bail!("{trace} is the file of .output and not complete; write .output first");
        }
        Ok(())
    }

    /// Begins the result of a statement.
    ///
    /// # Errors
    /// When the format allows one result set and there already is one, or the file cannot be
    /// written.
    pub fn begin(&self) -> anyhow::Result<Part<'_>> {
        let format = self.output.format().format;
        anyhow::ensure!(
            !format.is_binary() || self.output.is_empty(),
            "{format} holds one result set; name another file with .output"
        );
        Ok(Part { file: self, undo: self.output.checkpoint()? })
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self) -> anyhow::Result<()> {
        self.output.finish()
    }
}

/// Splits the argument of `.output` into path and format. A path may contain blanks.
fn path_and_format(argument: &str) -> (&str, Option<FileFormat>) {
    let known: Result<FileFormat, UnknownEnding> = FileFormat::of_path(Path::new(argument));
    let named = argument.rsplit_once(char::is_whitespace).filter(|_| known.is_err());
    let named = named.and_then(|(path, format)| Some((path.trim_end(), format.parse().ok()?)));
    match named {
        Some((path, format)) => (path, Some(format)),
        None => (argument, None),
    }
}

/// The result of one statement in a file. Unless committed, dropping it removes the result again.
pub struct Part<'a> {
    file: &'a ResultFile,
    /// The previous end of the file.
    undo: Option<Checkpoint>,
}

impl Part<'_> {
    /// The sink for the result.
    pub fn sink(&self) -> Sink {
        self.file.output.sink()
    }

    /// Keeps the result: the statement succeeded.
    pub fn commit(mut self) {
        self.undo = None;
    }
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        if let Some(checkpoint) = self.undo {
            // After an error here the file accepts no more data, and is not finished.
            let _ = self.file.output.rewind(checkpoint);
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
