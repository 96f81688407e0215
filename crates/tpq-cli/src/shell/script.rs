//! Runs commands and statements from files: `.read`, and the startup file.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::Shell;
use super::dot::Flow;
use super::input::entries;
use crate::exit;

/// The maximum nesting depth of `.read`, which stops files that read each other endlessly.
const MAX_NESTING: usize = 16;

impl Shell {
    /// Runs the commands and statements of a file, up to the first that fails or is stopped.
    pub(super) async fn read(&mut self, path: &Path) -> anyhow::Result<Flow> {
        let script = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        anyhow::ensure!(
            self.reading < MAX_NESTING,
            "cannot read {}: .read is nested {MAX_NESTING} files deep",
            path.display()
        );
        self.reading += 1;
        let outcome = self.run_entries(&script).await;
        self.reading -= 1;
        outcome
    }

    async fn run_entries(&mut self, script: &str) -> anyhow::Result<Flow> {
        for entry in entries(script) {
            // A file may read others.
            let next = Box::pin(self.run_entry(&entry)).await?;
            if next != Flow::Continue {
                return Ok(next);
            }
        }
        Ok(Flow::Continue)
    }

    /// Runs `~/.tpqrc` if it exists. An error in it is reported, but does not end the shell.
    pub(super) async fn run_startup_file(&mut self) -> Flow {
        let Some(path) = startup_file().filter(|path| path.exists()) else { return Flow::Continue };
        match self.read(&path).await {
            Ok(next) => next,
            Err(error) => {
                super::print_note(&format!("in {}:", path.display()));
                exit::report(&error);
                Flow::Continue
            }
        }
    }
}

fn startup_file() -> Option<PathBuf> {
    dirs::home_dir().map(|home| home.join(".tpqrc"))
}
