//! `tpq completions`: prints a completion script for a shell.

use std::io::Write;

use clap::Args;
use clap_complete::Shell;

use crate::args;

const EXAMPLES: &str = "\
Examples:
  tpq completions bash > ~/.local/share/bash-completion/completions/tpq
  tpq completions zsh > ~/.zfunc/_tpq";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct CompletionsArgs {
    /// Shell to print the script for
    pub shell: Shell,
}

pub fn run(args: &CompletionsArgs) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "tpq", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(())
}
