//! The health of a trace as JSON, for pages.

use serde_json::{Value, json};

use crate::numbers::grouped;
use crate::{Finding, Health, HealthState, Severity};

impl Health {
    /// One object: `state`, `headline`, and `findings` with `severity`, `what`, and, if they are
    /// known, `location` and `remedy`. `docs/page.md` has the values.
    pub fn json(&self) -> Value {
        let state = match self.state {
            HealthState::Lost => "lost",
            HealthState::Unknown => "unknown",
            HealthState::Risk => "risk",
            HealthState::Complete => "complete",
        };
        let mut findings: Vec<Value> = self.findings.iter().map(finding).collect();
        if !self.errors.is_empty() {
            let what = |(stat, count): &(String, u64)| format!("{stat} {}", grouped(*count));
            let what: Vec<String> = self.errors.iter().map(what).collect();
            let location = "Not understood, and counted in the table stats.";
            findings.push(json!({ "severity": "error", "what": what, "location": location }));
        }
        json!({ "state": state, "headline": self.headline, "findings": findings })
    }
}

fn finding(finding: &Finding) -> Value {
    let severity = match finding.severity {
        Severity::DataLoss => "data_loss",
        Severity::Notice => "notice",
    };
    let what: Vec<&str> = finding.what.iter().chain(&finding.more).map(String::as_str).collect();
    let mut value = json!({ "severity": severity, "what": what });
    for (key, text) in [("location", &finding.location), ("remedy", &finding.remedy)] {
        if !text.is_empty() {
            value[key] = text.as_str().into();
        }
    }
    value
}
