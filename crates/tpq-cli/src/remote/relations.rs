//! Statements over the relations of a lake.

use tpq::{CancelToken, Lake, SessionOptions};
use tpq_cluster::{ClusterError, distributed_session};
use tpq_output::ResultWriter;

use super::{ClusterAddress, Remote, write_named};
use crate::command::query::QueryArgs;
use crate::open;
use crate::parameter::Parameter;

/// Runs a statement that names relations of a lake, and writes its rows. Returns whether it did:
/// several statements, and plans with steps that cannot be sent, run in this process.
///
/// # Errors
/// When the cluster or the lake cannot be reached, or the statement is wrong.
pub async fn run(
    args: &QueryArgs,
    (cluster, lake): (ClusterAddress<'_>, &Lake),
    sql: &str,
    writer: &mut dyn ResultWriter,
) -> anyhow::Result<bool> {
    let import = open::options(&args.import.flags);
    let remote = Remote::new(cluster, import, args.import.flags.quiet)?;
    let session = distributed_session(Lake::scans_of_no_trace(), &SessionOptions::default())?;
    lake.add_relations(&session, args.each.filter.as_deref()).await?;
    let parameters: &[Parameter] = &args.param;
    parameters.iter().for_each(|parameter| parameter.set(&session));
    let statements = session.statements(sql)?;
    let [statement] = statements.as_slice() else {
        remote.tell("the statements run", "they are several");
        return Ok(false);
    };
    let planned = session.remote_plan(statement, &CancelToken::default()).await?;
    let Some(planned) = planned else { return Ok(false) };
    let query = match remote.cluster.query(planned.plan, &planned.config) {
        Ok(query) => query,
        Err(ClusterError::NotPortable(why)) => {
            remote.tell("the statement runs", &why);
            return Ok(false);
        }
        Err(error) => return Err(error.into()),
    };
    write_named(remote.rows(&query).await?, &planned.names, writer)?;
    Ok(true)
}
