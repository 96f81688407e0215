//! Advice on the configuration: what it sets wrong, and what it asked for and did not get.

use tpq_sql::Session;

use crate::HealthError;
use crate::rows::rows;

/// Settings that do harm with less certainty than this are not mentioned.
const CERTAIN_ENOUGH: &str = "0.3";
/// The number of names that are listed.
const MAX_NAMES: usize = 20;

/// A setting of the configuration that could be better, or a request without data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Advice {
    /// Kind of advice: a `key` of `trace_diagnostics`, or `data_sources_not_recorded` or
    /// `kernel_events_not_seen`.
    pub kind: String,
    /// The setting and its effect.
    pub what: String,
    /// The change for the next recording.
    pub remedy: String,
    /// The row in `trace_file`.
    pub file: Option<u32>,
}

impl Advice {
    /// Reads the advice on all configurations of a trace.
    ///
    /// # Errors
    /// When the tables cannot be read.
    pub async fn of(session: &Session) -> Result<Vec<Self>, HealthError> {
        let sql = format!(
            "SELECT key, description, remediation, trace_id FROM __intrinsic_trace_diagnostics \
             WHERE confidence >= {CERTAIN_ENOUGH} ORDER BY trace_id, id"
        );
        let diagnostic = |row: Vec<String>| {
            let [kind, what, remedy, file] = <[String; 4]>::try_from(row).ok()?;
            Some(Self { kind, what, remedy, file: file.parse().ok() })
        };
        let mut advice: Vec<Self> =
            rows(session, &sql).await?.into_iter().filter_map(diagnostic).collect();
        let sql = "SELECT trace_id, kind, name FROM trace_request WHERE is_recorded = 0 \
             ORDER BY trace_id, kind, id";
        let mut missing = rows(session, sql).await?;
        while let Some([file, kind, _]) = missing.first().and_then(|row| row.first_chunk()).cloned()
        {
            let others = missing.iter().position(|row| row[..2] != [file.clone(), kind.clone()]);
            let rest = missing.split_off(others.unwrap_or(missing.len()));
            let names: Vec<String> =
                missing.into_iter().filter_map(|row| row.into_iter().nth(2)).collect();
            advice.push(Self::on_missing(&kind, &names, file.parse().ok()));
            missing = rest;
        }
        advice.sort_by_key(|advice| advice.file);
        Ok(advice)
    }

    /// Advice on requests of one kind and file without any data.
    fn on_missing(kind: &str, names: &[String], file: Option<u32>) -> Self {
        let mut listed = names.iter().take(MAX_NAMES).cloned().collect::<Vec<_>>().join(", ");
        if names.len() > MAX_NAMES {
            listed += &format!(" and {} more", names.len() - MAX_NAMES);
        }
        let (kind, what, remedy) = match kind {
            "data_source" => (
                "data_sources_not_recorded",
                "Data sources that the configuration asks for are without any data",
                "See that their producers run and that their names are right, or leave them out.",
            ),
            _ => (
                "kernel_events_not_seen",
                "Kernel events that the configuration asks for never occurred",
                "See that the kernel has them, or leave out those that are not needed.",
            ),
        };
        let (kind, remedy) = (kind.to_owned(), remedy.to_owned());
        Self { kind, what: format!("{what}: {listed}."), remedy, file }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beyond_a_number_are_counted() {
        let names: Vec<String> = (0..22).map(|number| format!("group/event_{number}")).collect();
        let advice = Advice::on_missing("kernel_event", &names, None);
        assert!(advice.what.ends_with("group/event_18, group/event_19 and 2 more."), "{advice:?}");
        let advice = Advice::on_missing("data_source", &names[..1], Some(0));
        assert!(advice.what.ends_with("without any data: group/event_0."), "{advice:?}");
    }
}
