//! Losses in words: grouped by kind, the most severe first.

use std::collections::HashMap;

use tpq_sql::Session;

use crate::numbers::{grouped, moment};
use crate::{Advice, HealthError, Loss, LossReport, SourceNames};

/// The number of losses of one kind that are listed.
const MAX_LOSSES: usize = 3;
/// The number of files that are listed.
const MAX_FILES: usize = 20;

/// The state of a trace as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HealthState {
    /// Data was lost.
    Lost,
    /// No loss was reported, but not every loss would be reported.
    Unknown,
    /// No data was lost, but there was a risk.
    Risk,
    /// No data was lost.
    Complete,
}

/// The severity of a finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// Data was lost.
    DataLoss,
    /// There was a risk of loss.
    Notice,
}

/// Losses of one kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Whether data was lost.
    pub severity: Severity,
    /// The largest losses, one text each.
    pub what: Vec<String>,
    /// A text about the losses that are not listed.
    pub more: Option<String>,
    /// When and where; empty if unknown.
    pub location: String,
    /// The change for the next recording; empty if there is none.
    pub remedy: String,
}

/// The losses of a trace in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Health {
    /// The state as a whole.
    pub state: HealthState,
    /// The state as a sentence.
    pub headline: &'static str,
    /// The findings; losses before notices.
    pub findings: Vec<Finding>,
    /// Stats of data that was not understood, and their counts.
    pub errors: Vec<(String, u64)>,
    /// Advice on the configurations; with several files, each names its file.
    pub advice: Vec<Advice>,
}

impl Health {
    /// Reads the losses of a trace.
    ///
    /// # Errors
    /// When the tables cannot be read.
    pub async fn of(session: &Session) -> Result<Self, HealthError> {
        let names = SourceNames::of(session).await?;
        Ok(Self::new(&LossReport::of(session, &names).await?, &names))
    }

    /// Describes losses.
    pub fn new(report: &LossReport, names: &SourceNames) -> Self {
        let (state, headline) = headline(report);
        let mut groups = groups(&report.losses);
        groups.sort_by_key(|group| group.iter().all(|loss| loss.is_notice));
        let findings = groups.iter().filter_map(|group| finding(group, report, names)).collect();
        let errors = report.errors.iter();
        let errors = errors.map(|error| (error.stat.clone(), error.count.unsigned_abs())).collect();
        let advice = report.advice.iter().map(|advice| located(advice, names)).collect();
        Self { state, headline, findings, errors, advice }
    }
}

fn headline(report: &LossReport) -> (HealthState, &'static str) {
    match (report.is_lost(), report.losses.is_empty()) {
        (true, _) => (HealthState::Lost, "Data was lost."),
        (false, false) if report.losses.iter().all(text_names_file) => {
            (HealthState::Complete, "No data was lost from the files that were read.")
        }
        (false, false) if report.is_unknown() => {
            (HealthState::Unknown, "No loss was reported, but not every loss would be reported.")
        }
        (false, false) => (HealthState::Risk, "No data was lost, but there was a risk of loss."),
        (false, true) => (HealthState::Complete, "No data was lost."),
    }
}

/// Advice that names its file where there are several.
fn located(advice: &Advice, names: &SourceNames) -> Advice {
    let file = advice.file.filter(|_| names.several_files());
    let of_file = file.map(|file| format!("In {}: ", names.file(file)));
    Advice { what: of_file.unwrap_or_default() + &advice.what, ..advice.clone() }
}

/// Groups losses by file and kind, in the order of the first loss of each group. Losses that name
/// their file form one group over all files.
fn groups(losses: &[Loss]) -> Vec<Vec<&Loss>> {
    let mut groups: Vec<Vec<&Loss>> = Vec::new();
    let mut indices = HashMap::new();
    for loss in losses {
        let file = loss.file.filter(|_| !text_names_file(loss));
        let index = *indices.entry((&loss.kind, loss.is_notice, file)).or_insert(groups.len());
        match groups.get_mut(index) {
            Some(group) => group.push(loss),
            None => groups.push(vec![loss]),
        }
    }
    for group in &mut groups {
        group.sort_by_key(|loss| std::cmp::Reverse(loss.amount));
    }
    groups
}

/// Whether the text of the loss names the file.
fn text_names_file(loss: &Loss) -> bool {
    matches!(loss.kind.as_str(), "file_not_read" | "file_cut_short" | "archive_irregular")
}

fn finding(group: &[&Loss], report: &LossReport, names: &SourceNames) -> Option<Finding> {
    let worst = group.first()?;
    let listed = if text_names_file(worst) { MAX_FILES } else { MAX_LOSSES };
    let (shown, rest) = group.split_at(listed.min(group.len()));
    Some(Finding {
        severity: if worst.is_notice { Severity::Notice } else { Severity::DataLoss },
        what: shown.iter().map(|loss| loss.what.clone()).collect(),
        more: more(rest, &worst.unit),
        location: location(group, report, names),
        remedy: worst.remedy.clone(),
    })
}

/// A text about losses that are not listed.
fn more(rest: &[&Loss], unit: &str) -> Option<String> {
    if rest.is_empty() {
        return None;
    }
    let amounts = rest.iter().filter_map(|loss| loss.amount);
    let of_these = match amounts.fold(0, i64::saturating_add) {
        0 => String::new(),
        amount => format!(", {} {unit} in all", grouped(amount.unsigned_abs())),
    };
    Some(format!("… and {} more like these{of_these}.", rest.len()))
}

/// The time span relative to the start of the recording, the file and the machine of a group.
fn location(group: &[&Loss], report: &LossReport, names: &SourceNames) -> String {
    let (start, end) = report.bounds;
    // Lost data may precede all data that was kept.
    let lost = report.losses.iter().filter_map(|loss| loss.span.0);
    let start = lost.min().map_or(start, |lost| lost.min(start));
    let at = |ts: i64| moment(ts.saturating_sub(start), end.saturating_sub(start));
    let known = |of: fn(&Loss) -> Option<i64>| group.iter().filter_map(move |loss| of(loss));
    let from = known(|loss| loss.span.0).min().filter(|&from| from > start);
    let to = known(|loss| loss.span.1).max().filter(|&to| to < end);
    let any = group.iter().any(|loss| loss.span != (None, None));
    let mut parts = Vec::new();
    if any {
        parts.push(match (from, to) {
            (Some(from), Some(to)) => format!("from {} to {}", at(from), at(to)),
            (Some(from), None) => format!("from {} to the end", at(from)),
            (None, Some(to)) => format!("from the start to {}", at(to)),
            (None, None) => "over the whole trace".to_owned(),
        });
    }
    let Some(loss) = group.first() else { return String::new() };
    if let Some(file) = loss.file.filter(|_| names.several_files() && !text_names_file(loss)) {
        parts.push(format!("in {}", names.file(file)));
    }
    if let Some(machine) = loss.machine.filter(|_| names.several_machines()) {
        parts.push(format!("on {}", names.machine(machine)));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loss(kind: &str, amount: i64, is_notice: bool) -> Loss {
        Loss {
            kind: kind.to_owned(),
            is_notice,
            what: format!("{amount} packets of {kind}"),
            remedy: String::new(),
            span: (Some(500_000_000), None),
            amount: Some(amount),
            unit: "packets".to_owned(),
            stat: String::new(),
            buffer: None,
            cpu: None,
            sequence: None,
            pid: None,
            machine: None,
            file: None,
        }
    }

    fn report(losses: Vec<Loss>) -> LossReport {
        let (errors, advice, files) = (Vec::new(), Vec::new(), Vec::new());
        LossReport { losses, errors, advice, files, bounds: (0, 2_000_000_000) }
    }

    #[test]
    fn losses_of_one_kind_are_one_finding_the_largest_first() {
        let losses = vec![
            loss("risk", 9, true),
            loss("gap", 1, false),
            loss("gap", 4, false),
            loss("gap", 2, false),
            loss("gap", 3, false),
        ];
        let health = Health::new(&report(losses), &SourceNames::default());
        assert_eq!(health.state, HealthState::Lost);
        let [gap, risk] = &health.findings[..] else { panic!("two kinds: {health:?}") };
        assert_eq!(gap.what, ["4 packets of gap", "3 packets of gap", "2 packets of gap"]);
        assert_eq!(gap.more.as_deref(), Some("… and 1 more like these, 1 packets in all."));
        assert_eq!(gap.location, "from 0.500 s to the end");
        assert_eq!(risk.severity, Severity::Notice);
    }

    #[test]
    fn the_headline_states_what_is_known() {
        let state = |losses| Health::new(&report(losses), &SourceNames::default()).state;
        assert_eq!(state(Vec::new()), HealthState::Complete);
        assert_eq!(state(vec![loss("risk", 1, true)]), HealthState::Risk);
        assert_eq!(state(vec![loss("no_recorder_statistics", 1, true)]), HealthState::Unknown);
        assert_eq!(state(vec![loss("file_not_read", 1, true)]), HealthState::Complete);
    }
}
