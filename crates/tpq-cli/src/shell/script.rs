//! Commands and statements from files: `.read`, and what runs when the shell starts.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::Shell;
use super::dot::Next;
use super::input::entries;
use crate::exit;

/// How many files deep one may name the next: enough for any that ends.
const DEEPEST: usize = 16;

impl Shell {
    /// Runs the commands and statements of a file, up to the first that fails or is stopped.
    pub(super) async fn read(&mut self, path: &Path) -> anyhow::Result<Next> {
        let script = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        anyhow::ensure!(
            self.reading < DEEPEST,
            "{} is read within {DEEPEST} files that name one another",
            path.display()
        );
        self.reading += 1;
        let outcome = self.run_entries(&script).await;
        self.reading -= 1;
        outcome
    }

    async fn run_entries(&mut self, script: &str) -> anyhow::Result<Next> {
        for entry in entries(script) {
            // A file may name others.
            let next = Box::pin(self.run(&entry)).await?;
            if next != Next::Prompt {
                return Ok(next);
            }
        }
        Ok(Next::Prompt)
    }

    /// Runs `~/.tpqrc`, where there is one. An error in it is reported, and ends nothing.
    pub(super) async fn run_startup_file(&mut self) -> Next {
        let Some(path) = startup_file().filter(|path| path.exists()) else { return Next::Prompt };
        match self.read(&path).await {
            Ok(next) => next,
            Err(error) => {
                super::say(&format!("in {}:", path.display()));
                exit::report(&error);
                Next::Prompt
            }
        }
    }
}

fn startup_file() -> Option<PathBuf> {
    dirs::home_dir().map(|home| home.join(".tpqrc"))
}
