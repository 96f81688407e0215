//! A shell on a lake.

use tpq::{ImportOptions, Lake, LakeOptions};

use super::session_of_all;
use crate::args::ImportArgs;
use crate::open;
use crate::shell::run_lake;

/// Reads and runs statements on the traces of a lake until the user leaves.
///
/// # Errors
/// When the lake cannot be read; for a script, when a statement fails.
pub async fn shell(args: &ImportArgs, address: &str, filter: Option<&str>) -> anyhow::Result<()> {
    let lake = Lake::open(address, &LakeOptions::default()).await?;
    let options =
        ImportOptions { sql_packages: args.add_sql_package.clone(), ..open::options(&args.flags) };
    let session = session_of_all(&lake, filter, &options).await?;
    let _ = (session, options);
    run_lake().await
}
