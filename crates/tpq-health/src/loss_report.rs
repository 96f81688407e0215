//! The rows of `data_loss`, and the stats of data that was not understood.

use tpq_sql::Session;

use crate::rows::rows;
use crate::{Advice, HealthError, SourceNames};

/// A row of `data_loss`.
#[derive(Clone, Debug)]
pub struct Loss {
    /// The kind of loss.
    pub kind: String,
    /// Whether this is only a notice, without a loss.
    pub is_notice: bool,
    /// The lost data.
    pub what: String,
    /// The change of the configuration that avoids the loss; empty if there is none.
    pub remedy: String,
    /// The first and last moment, in ns of trace time.
    pub span: (Option<i64>, Option<i64>),
    /// The amount, if it was counted.
    pub amount: Option<i64>,
    /// The unit of the amount.
    pub unit: String,
    /// The stat that counts the loss.
    pub stat: String,
    /// The central buffer.
    pub buffer: Option<i64>,
    /// The CPU.
    pub cpu: Option<i64>,
    /// The sequence.
    pub sequence: Option<i64>,
    /// The process that wrote the sequence.
    pub pid: Option<i64>,
    /// The row in `machine`.
    pub machine: Option<u32>,
    /// The row in `trace_file`.
    pub file: Option<u32>,
}

/// A stat of severity `error`: how often data was not understood.
#[derive(Clone, Debug)]
pub struct ErrorCount {
    /// The name of the stat.
    pub stat: String,
    /// Its value.
    pub count: i64,
}

/// All losses of a trace.
#[derive(Clone, Debug)]
pub struct LossReport {
    /// The losses, in the order of `data_loss`.
    pub losses: Vec<Loss>,
    /// The errors, by name.
    pub errors: Vec<ErrorCount>,
    /// Advice on the configurations.
    pub advice: Vec<Advice>,
    /// The files: id and name.
    pub files: Vec<(u32, String)>,
    /// The start and the end of the trace, in ns of trace time.
    pub bounds: (i64, i64),
}

impl LossReport {
    /// Reads the losses.
    ///
    /// # Errors
    /// When the tables cannot be read.
    pub async fn of(session: &Session, names: &SourceNames) -> Result<Self, HealthError> {
        let sql = "SELECT kind, severity, what, remedy, ts, ts_end, amount, unit, stat, buffer, \
             cpu, sequence_id, pid, machine_id, trace_id FROM data_loss ORDER BY id";
        let losses = rows(session, sql).await?.into_iter().filter_map(loss).collect();
        // A stream without flushes has a notice, and nothing in it was misunderstood.
        let sql = "SELECT name, sum(value) FROM stats WHERE severity = 'error' AND value != 0 \
             AND name != 'config_write_into_file_no_flush' GROUP BY name ORDER BY name";
        let error = |row: Vec<String>| {
            let [stat, count] = <[String; 2]>::try_from(row).ok()?;
            Some(ErrorCount { stat, count: count.parse().ok()? })
        };
        let errors = rows(session, sql).await?.into_iter().filter_map(error).collect();
        let bounds = rows(session, "SELECT start_ts, end_ts FROM trace_bounds").await?;
        let bound = |column: usize| bounds.first()?.get(column)?.parse().ok();
        let bounds = (bound(0).unwrap_or_default(), bound(1).unwrap_or_default());
        let ids = rows(session, "SELECT id FROM trace_file ORDER BY id").await?;
        let file = |row: &Vec<String>| {
            let id: u32 = row.first()?.parse().ok()?;
            Some((id, names.file(id).to_owned()))
        };
        let files = ids.iter().filter_map(file).collect();
        let advice = Advice::of(session).await?;
        Ok(Self { losses, errors, advice, files, bounds })
    }

    /// Whether the trace may have losses that it does not report.
    pub fn is_unknown(&self) -> bool {
        self.losses.iter().any(|loss| loss.kind == "no_recorder_statistics")
    }

    /// Whether data was lost.
    pub fn is_lost(&self) -> bool {
        self.losses.iter().any(|loss| !loss.is_notice)
    }
}

fn loss(row: Vec<String>) -> Option<Loss> {
    let [
        kind,
        severity,
        what,
        remedy,
        ts,
        ts_end,
        amount,
        unit,
        stat,
        buffer,
        cpu,
        sequence,
        pid,
        machine,
        file,
    ] = <[String; 15]>::try_from(row).ok()?;
    let number = |text: &str| text.parse().ok();
    Some(Loss {
        kind,
        is_notice: severity == "notice",
        what,
        remedy,
        span: (number(&ts), number(&ts_end)),
        amount: number(&amount),
        unit,
        stat,
        buffer: number(&buffer),
        cpu: number(&cpu),
        sequence: number(&sequence),
        pid: number(&pid),
        machine: machine.parse().ok(),
        file: file.parse().ok(),
    })
}
