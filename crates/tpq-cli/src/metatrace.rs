//! `--metatrace`: what tpq itself did, as a trace.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use tpq::MetaTrace;

use crate::exit::{self, Usage};

/// A recording of this process, if one was asked for, and the file it goes to.
pub struct Recording(Option<(Arc<MetaTrace>, PathBuf)>);

impl Recording {
    /// Starts a recording to `path`, which must be none of the `others`: files that are read or
    /// written otherwise. A path that cannot be written is told now, not after the work.
    pub fn start(path: Option<&Path>, others: &[PathBuf]) -> anyhow::Result<Self> {
        let Some(path) = path else { return Ok(Self(None)) };
        if let Some(same) = others.iter().find(|other| path == **other || is_same_file(path, other))
        {
            let message = format!("--metatrace would overwrite {}", same.display());
            return Err(Usage(message).into());
        }
        OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .with_context(|| cannot_write(path))?;
        Ok(Self(Some((MetaTrace::start(), path.to_owned()))))
    }

    /// What spans are recorded in.
    pub fn metatrace(&self) -> Option<Arc<MetaTrace>> {
        self.0.as_ref().map(|(metatrace, _)| Arc::clone(metatrace))
    }

    /// Writes the file, whichever way the work ended.
    pub fn finish<T>(self, outcome: anyhow::Result<T>) -> anyhow::Result<T> {
        let Some((metatrace, path)) = self.0 else { return outcome };
        let written = metatrace.write_to(&path).with_context(|| cannot_write(&path));
        match (outcome, written) {
            (Ok(_), Err(error)) => Err(error),
            (outcome, Ok(())) => outcome,
            // Both are worth knowing, and the command can end with one only.
            (Err(first), Err(second)) => {
                exit::report(&second);
                Err(first)
            }
        }
    }
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write the metatrace {}", path.display())
}

/// Whether two paths lead to one file that exists.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| path.canonicalize().ok();
    whole(a).is_some_and(|a| whole(b) == Some(a))
}
