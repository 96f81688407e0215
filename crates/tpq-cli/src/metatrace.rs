//! `--metatrace`: records what tpq itself did, as a trace.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use tpq::MetaTrace;
use tpq_output::Sink;

use crate::exit::{self, Usage};
use crate::output::{Destination, Unfinished, is_same_file};

/// A recording of this process and its file, if requested.
pub struct Recording(Option<OpenRecording>);

struct OpenRecording {
    metatrace: Arc<MetaTrace>,
    path: PathBuf,
    sink: Sink,
    unfinished: Option<Unfinished>,
}

impl Recording {
    /// Starts a recording to `path`, which must not be one of `others`: files that are read or
    /// written otherwise. A path that cannot be written is reported now, not after the work.
    pub fn start(path: Option<&Path>, others: &[PathBuf]) -> anyhow::Result<Self> {
        let Some(path) = path else { return Ok(Self(None)) };
        ensure_not_any_of(Some(path), others.iter().map(PathBuf::as_path))?;
        let destination = Destination::of(Some(path))?;
        if matches!(destination, Destination::Stdout) {
            let message = "--metatrace needs a file: results go to stdout".to_owned();
            return Err(Usage(message).into());
        }
        let opened = destination.open();
        let (sink, unfinished) = opened.with_context(|| cannot_write(path))?;
        let (metatrace, path) = (MetaTrace::start(), path.to_owned());
        Ok(Self(Some(OpenRecording { metatrace, path, sink, unfinished })))
    }

    /// The recording for spans.
    pub fn metatrace(&self) -> Option<Arc<MetaTrace>> {
        self.0.as_ref().map(|open| Arc::clone(&open.metatrace))
    }

    /// Writes the file, whether or not the work succeeded.
    pub fn finish<T>(self, outcome: anyhow::Result<T>) -> anyhow::Result<T> {
        let Some(open) = self.0 else { return outcome };
        let written = open.write();
        match (outcome, written) {
            (Ok(_), Err(error)) => Err(error),
            (outcome, Ok(())) => outcome,
            // Both errors matter, but the command can end with only one.
            (Err(first), Err(second)) => {
                exit::report(&second);
                Err(first)
            }
        }
    }
}

/// Checks that a recording does not go to one of `others`.
///
/// # Errors
/// When it does, under any name.
pub fn ensure_not_any_of<'a>(
    path: Option<&Path>,
    others: impl IntoIterator<Item = &'a Path>,
) -> anyhow::Result<()> {
    let Some(path) = path else { return Ok(()) };
    match others.into_iter().find(|other| path == *other || is_same_file(path, other)) {
        Some(same) => Err(Usage(format!("--metatrace would overwrite {}", same.display())).into()),
        None => Ok(()),
    }
}

impl OpenRecording {
    /// Writes the recording, and gives the file its name.
    fn write(mut self) -> anyhow::Result<()> {
        let mut write = || {
            self.sink.write_all(&self.metatrace.to_bytes())?;
            self.sink.flush()?;
            self.unfinished.take().map_or(Ok(()), Unfinished::publish)
        };
        write().with_context(|| cannot_write(&self.path))
    }
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write the metatrace {}", path.display())
}
