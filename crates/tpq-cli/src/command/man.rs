//! `tpq man`: prints manual pages.

use std::io::Write;

use clap::Args;

use crate::args;
use crate::exit::Usage;

const EXAMPLES: &str = "\
Examples:
  tpq man > ~/.local/share/man/man1/tpq.1
  tpq man query > ~/.local/share/man/man1/tpq-query.1
  tpq man check | man -l -";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ManArgs {
    /// Command to describe [default: tpq itself]
    pub command: Option<String>,
}

pub fn run(args: &ManArgs) -> anyhow::Result<()> {
    let mut tpq = args::command();
    tpq.build();
    let page = match &args.command {
        None => tpq,
        Some(name) => {
            let found = tpq.find_subcommand(name).cloned();
            found.ok_or_else(|| Usage(format!("no command is called `{name}`")))?
        }
    };
    let mut roff = Vec::new();
    clap_mangen::Man::new(page).render(&mut roff)?;
    std::io::stdout().write_all(&roff)?;
    Ok(())
}
