//! Opens a shell on a lake.

use std::sync::Arc;

use tpq::{EachOptions, ImportOptions, Lake, LakeOptions};

use super::{no_traces, session_of_all};
use crate::args::ImportArgs;
use crate::open;
use crate::shell::{LakeRelations, LakeShell, run_on_lake};

/// Reads and runs statements on the traces of a lake until the user leaves.
///
/// # Errors
/// When the lake cannot be read; for a script, when a statement fails.
pub async fn shell(args: &ImportArgs, address: &str, filter: Option<&str>) -> anyhow::Result<()> {
    let lake = Lake::open(address, &LakeOptions::default()).await?;
    let import =
        ImportOptions { sql_packages: args.add_sql_package.clone(), ..open::options(&args.flags) };
    let all = Arc::new(session_of_all(&lake, filter, &import).await?);
    let traces = lake.traces(filter).await?;
    anyhow::ensure!(!traces.is_empty(), "{}", no_traces(filter));
    let flags = &args.flags;
    let jobs = EachOptions::jobs_for(traces.len(), flags.threads(), flags.memory_limit);
    let (metadata, parameters) = (Vec::new(), Vec::new());
    let options = EachOptions { import, jobs, metadata, parameters };
    let relations = lake.relations(&lake.catalog().await?, &traces).await?.into_iter();
    let relations: LakeRelations = relations.map(|(name, table)| (name, table.schema())).collect();
    let (config, quiet) = (args.config.clone(), args.flags.quiet);
    let relations = Arc::new(relations);
    run_on_lake(LakeShell { lake, traces, all, relations, options, config, quiet }).await
}
