//! Threads by the time that they ran.

use serde_json::Value;
use tpq::Trace;

use super::section::{NO_SCHEDULING, section};

/// More threads than are drawn, so that two traces share most of them.
const SQL: &str = "SELECT coalesce(thread.name, 'tid ' || tid) AS name, \
    coalesce(process.name, '') AS process, sum(dur) AS cpu_time \
    FROM sched JOIN thread USING (utid) LEFT JOIN process USING (upid) \
    WHERE thread.is_idle = 0 AND dur > 0 \
    GROUP BY thread.utid, thread.name, tid, process.name \
    ORDER BY 3 DESC, 1 LIMIT 200";

/// The thread, its process and its CPU time in ns, the longest first.
pub async fn by_cpu_time(trace: &Trace) -> anyhow::Result<Value> {
    section(trace, SQL, NO_SCHEDULING).await
}
