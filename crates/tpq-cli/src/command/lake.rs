//! `tpq lake`: lists, deletes and compacts the traces of a lake.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use tpq::{Lake, LakeOptions};
use tpq_output::FileFormat;

use crate::args::parse_memory_limit;
use crate::each::say;
use crate::lake::{list, warn_of_unfinished};
use crate::layout::{bytes, grouped};

const EXAMPLES: &str = "\
Examples:
  tpq lake list --lake lake/ --where \"day >= '2026-03-01'\"
  tpq lake delete --lake lake/ --where \"trace_path LIKE '%broken%'\"
  tpq lake retain --lake s3://traces/lake --days 90
  tpq lake compact --lake lake/ --memory-limit 1G
  tpq lake vacuum --lake lake/ --older-than 24h";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct LakeArgs {
    #[command(subcommand)]
    pub action: LakeAction,
}

#[derive(Subcommand)]
pub enum LakeAction {
    /// List the traces
    List(ListArgs),
    /// Delete traces
    Delete(DeleteArgs),
    /// Delete traces that are older than a number of days
    Retain(RetainArgs),
    /// Join small files, several traces in one
    Compact(CompactArgs),
    /// Remove files that nothing refers to any more
    Vacuum(VacuumArgs),
}

#[derive(Args)]
pub struct AddressArgs {
    /// Lake: a folder, or an address such as s3://bucket/lake
    #[arg(long, value_name = "LAKE")]
    pub lake: String,

    /// Do not print what was done
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Args)]
pub struct ListArgs {
    #[command(flatten)]
    pub address: AddressArgs,

    /// List traces for which this SQL expression over columns of lake.traces is true
    #[arg(long = "where", value_name = "SQL", id = "where")]
    pub filter: Option<String>,

    /// Output format [default: from the file extension of -o; without -o, table on a terminal and csv
    /// elsewhere]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<FileFormat>,

    /// Write to this file instead of stdout (-)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Args)]
pub struct DeleteArgs {
    #[command(flatten)]
    pub address: AddressArgs,

    /// Delete traces for which this SQL expression over columns of lake.traces is true
    #[arg(long = "where", value_name = "SQL", id = "where")]
    pub filter: String,

    /// Print the traces and delete nothing
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Args)]
pub struct RetainArgs {
    #[command(flatten)]
    pub address: AddressArgs,

    /// Keep traces that were recorded in the last N days; where the time of the recording is not
    /// known, those that were ingested in this time
    #[arg(long, value_name = "N")]
    pub days: u32,

    /// Print the traces and delete nothing
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Args)]
pub struct CompactArgs {
    #[command(flatten)]
    pub address: AddressArgs,

    /// Approximate memory limit, such as 500M or 4G; at least 16M. With less memory, less of a file
    /// is read and sent at a time, and joined files become smaller, with fewer traces in each. A
    /// catalogue that does not fit is an error
    #[arg(long, value_name = "SIZE", value_parser = parse_memory_limit)]
    pub memory_limit: Option<u64>,
}

#[derive(Args)]
pub struct VacuumArgs {
    #[command(flatten)]
    pub address: AddressArgs,

    /// Remove files that were written, and deleted or replaced, at least this long ago, such as 90m,
    /// 24h or 7d. Later ones may be those of a running ingest, or of a query that began before they
    /// were replaced
    #[arg(long, value_name = "AGE", default_value = "24h", value_parser = parse_age)]
    pub older_than: Duration,
}

pub async fn run(args: LakeArgs) -> anyhow::Result<()> {
    match args.action {
        LakeAction::List(args) => list(&args).await,
        LakeAction::Delete(args) => {
            let lake = open(&args.address).await?;
            let traces = lake.traces(Some(&args.filter)).await?;
            delete(&lake, traces, args.dry_run, args.address.quiet).await
        }
        LakeAction::Retain(args) => {
            let lake = open(&args.address).await?;
            let traces = lake.older_than(args.days).await?;
            delete(&lake, traces, args.dry_run, args.address.quiet).await
        }
        LakeAction::Compact(args) => {
            let lake = open(&args.address).await?.with_memory_limit(args.memory_limit);
            let joined = lake.compact().await?;
            if !args.address.quiet {
                let (before, after) = (grouped(joined.before), grouped(joined.after));
                say(&format!(
                    "{before} files became {after}; tpq lake vacuum removes the old ones"
                ));
            }
            Ok(())
        }
        LakeAction::Vacuum(args) => {
            let removed = open(&args.address).await?.vacuum(args.older_than).await?;
            if !args.address.quiet {
                say(&format!("{} files removed, {}", grouped(removed.files), bytes(removed.bytes)));
            }
            Ok(())
        }
    }
}

async fn open(args: &AddressArgs) -> anyhow::Result<Lake> {
    Ok(Lake::open(&args.lake, &LakeOptions::default()).await?)
}

async fn delete(
    lake: &Lake,
    traces: Vec<std::sync::Arc<tpq::LakeTrace>>,
    dry_run: bool,
    quiet: bool,
) -> anyhow::Result<()> {
    let what = if dry_run { "would be deleted" } else { "deleted" };
    let deleted = match dry_run {
        true => traces,
        false => {
            let digests: HashSet<String> =
                traces.iter().map(|trace| trace.facts.digest.clone()).collect();
            lake.delete(&digests).await?
        }
    };
    warn_of_unfinished(lake);
    if !quiet {
        for trace in &deleted {
            say(&format!("{what}: {}", trace.facts.path));
        }
        say(&format!("{} traces {what}", grouped(deleted.len() as u64)));
    }
    Ok(())
}

/// Parses an age: a number with m, h or d.
fn parse_age(text: &str) -> Result<Duration, String> {
    let wrong = || "not an age; write a number with m, h or d, such as 24h".to_owned();
    let unit = match text.chars().last() {
        Some('m') => 60,
        Some('h') => 3600,
        Some('d') => 86_400,
        _ => return Err(wrong()),
    };
    let number: u64 = text[..text.len() - 1].trim().parse().map_err(|_| wrong())?;
    number.checked_mul(unit).map(Duration::from_secs).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_a_unit() {
        assert_eq!(parse_age("90m"), Ok(Duration::from_secs(5400)));
        assert_eq!(parse_age("0h"), Ok(Duration::ZERO));
        assert_eq!(parse_age("7d"), Ok(Duration::from_secs(604_800)));
        for wrong in ["", "7", "d", "-1h", "1w", "99999999999999999999d"] {
            assert!(parse_age(wrong).is_err(), "{wrong}");
        }
    }
}
