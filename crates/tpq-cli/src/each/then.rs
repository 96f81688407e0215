//! Statements over the rows of all traces.

use std::path::Path;

use anyhow::Context;
use datafusion::arrow::array::RecordBatch;
use tpq::{ImportOptions, Lake, PartialFile, Readers, Trace};
use tpq_output::{Format, OutputOptions, ResultWriter, writer};

use super::failures::Failures;
use crate::lake::{names_lake, session_of_all};
use crate::parameter::Parameter;
use crate::results;

/// Names of the temporary files.
const PREFIX: &str = ".tpq-results-";
const SUFFIX: &str = ".parquet";

/// The rows of all traces in a temporary file, so that memory does not grow with their number.
pub struct Results {
    file: PartialFile,
}

impl Results {
    pub fn create() -> anyhow::Result<Self> {
        Ok(Self { file: temporary_file()? })
    }

    /// A writer for the rows.
    pub fn writer(&self) -> anyhow::Result<Box<dyn ResultWriter>> {
        parquet_writer(&self.file)
    }

    /// Runs statements with the tables `results` and `failures`, and writes their results.
    pub async fn query(
        self,
        then: &Then<'_>,
        has_rows: bool,
        failures: &Failures,
        writer: &mut dyn ResultWriter,
    ) -> anyhow::Result<()> {
        anyhow::ensure!(has_rows, "no trace has rows, so there is no table `results`");
        let failed = temporary_file()?;
        write_all(&failed, &failures.table()?)?;
        // The session reads the two files whatever files statements may read.
        let options = ImportOptions { allow_files: true, ..then.import.clone() };
        let trace = Trace::without_events(&options)?;
        let statements = trace.session().statements(then.sql)?;
        let of_lake = match then.lake.filter(|_| names_lake(&statements)) {
            Some((lake, filter)) => Some(session_of_all(lake, filter, &options).await?),
            None => None,
        };
        let session = of_lake.as_ref().unwrap_or(trace.session());
        then.parameters.iter().for_each(|parameter| parameter.set(session));
        for (name, file) in [("results", &self.file), ("failures", &failed)] {
            let path = quoted(file.path());
            let sql = format!("CREATE VIEW {name} AS SELECT * FROM read_parquet({path})");
            for statement in session.statements(&sql)? {
                session.run(&statement).await?;
            }
        }
        for statement in &statements {
            if let Some(result) = session.run(statement).await? {
                results::write(result, writer).await?;
            }
        }
        Ok(())
    }
}

/// Statements over the rows of all traces.
pub struct Then<'a> {
    pub sql: &'a str,
    /// Options of their session.
    pub import: &'a ImportOptions,
    /// The lake of the traces, with the filter over them. Statements may name its tables as well.
    pub lake: Option<(&'a Lake, Option<&'a str>)>,
    pub parameters: &'a [Parameter],
}

/// A file that is deleted with the process, or by the next process after a kill.
fn temporary_file() -> anyhow::Result<PartialFile> {
    let folder = std::env::temp_dir();
    // A file that stays is no error of this run.
    let _ = tpq::remove_abandoned(&folder, PREFIX, SUFFIX);
    PartialFile::create(&folder, PREFIX, SUFFIX, Readers::Owner)
        .with_context(|| format!("cannot make a temporary file in {}", folder.display()))
}

fn parquet_writer(file: &PartialFile) -> anyhow::Result<Box<dyn ResultWriter>> {
    let file = file.file().try_clone().context("cannot open a temporary file twice")?;
    Ok(writer(Format::Parquet, Box::new(file), OutputOptions::default()))
}

fn write_all(file: &PartialFile, batch: &RecordBatch) -> anyhow::Result<()> {
    let mut writer = parquet_writer(file)?;
    writer.begin(&batch.schema())?;
    writer.write(batch)?;
    Ok(writer.end()?)
}

/// A path as a text of SQL.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', "''"))
}
