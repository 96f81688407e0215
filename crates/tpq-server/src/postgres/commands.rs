//! Statements on the connection itself: transactions, settings, prepared statements and cursors.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray};
use futures::StreamExt;
use pgwire::messages::response::TransactionStatus;

use super::connection::{Connection, RequestError};
use super::cursors::Cursor;
use super::errors::{Failure, code};
use super::execution::Outcome;
use super::settings::Settings;
use super::startup::status;
use super::statements::Kind;
use crate::engine::Answer;

/// The most cursors of a connection.
const MAX_CURSORS: usize = 1_000;

impl Connection {
    /// Whether a cursor may be declared.
    pub(super) fn check_cursor(&self, cursor: &str, is_held: bool) -> Result<(), Failure> {
        if self.transaction == TransactionStatus::Idle && !is_held {
            let message = "a cursor without HOLD ends with its transaction, and none has begun";
            return Err(Failure::new(code::NOT_IN_TRANSACTION, message));
        }
        if self.cursors.contains_key(cursor) || self.portals.contains_key(cursor) {
            let message = format!("there is a cursor `{cursor}` already");
            return Err(Failure::new(code::DUPLICATE_PORTAL, message));
        }
        if self.cursors.len() >= MAX_CURSORS {
            return Err(Failure::new(code::LIMIT_EXCEEDED, "too many cursors"));
        }
        Ok(())
    }

    pub(super) fn cursor(&self, name: &str) -> Result<&Cursor, Failure> {
        self.cursors.get(name).ok_or_else(|| {
            Failure::new(code::UNKNOWN_PORTAL, format!("there is no cursor `{name}`"))
        })
    }

    /// What statements on the connection itself do.
    pub(super) fn own_outcome(&mut self, kind: &Kind) -> Result<Outcome, RequestError> {
        Ok(Outcome::Done(match kind {
            Kind::Begin(_) | Kind::Commit | Kind::Rollback | Kind::Nothing(_) => {
                self.change_transaction(kind)
            }
            Kind::Set { .. } | Kind::Reset(_) => self.change_setting(kind)?,
            Kind::Discard => {
                self.settings.reset_all();
                self.prepared.clear();
                self.cursors.clear();
                "DISCARD ALL"
            }
            Kind::Deallocate(Some(name)) => {
                self.prepared.remove(name);
                "DEALLOCATE"
            }
            Kind::Deallocate(None) => {
                self.prepared.clear();
                "DEALLOCATE ALL"
            }
            Kind::Show(name) => return Ok(Outcome::Rows(shown(&self.settings, name.as_deref())?)),
            Kind::Fetch { cursor, count } => {
                return Ok(Outcome::Rows(self.cursor(cursor)?.fetch(*count)));
            }
            Kind::CloseCursor(Some(name)) => {
                self.cursor(name)?;
                self.cursors.remove(name);
                "CLOSE CURSOR"
            }
            Kind::CloseCursor(None) => {
                self.cursors.clear();
                "CLOSE CURSOR ALL"
            }
            Kind::Trace(_) | Kind::Catalog(_) | Kind::Declare { .. } => {
                return Err(Failure::unsupported("a cursor of a cursor").into());
            }
        }))
    }

    /// Begins or ends a transaction, which has no effect but on later statements.
    fn change_transaction(&mut self, kind: &Kind) -> &'static str {
        let is_failed = self.transaction == TransactionStatus::Error;
        match kind {
            Kind::Begin(tag) => {
                self.transaction = TransactionStatus::Transaction;
                tag
            }
            Kind::Nothing(tag) => {
                if is_failed && *tag == "ROLLBACK" {
                    self.transaction = TransactionStatus::Transaction;
                }
                tag
            }
            _ => {
                self.transaction = TransactionStatus::Idle;
                if is_failed || matches!(kind, Kind::Rollback) { "ROLLBACK" } else { "COMMIT" }
            }
        }
    }

    /// Gives a setting, or all of them, another value.
    fn change_setting(&mut self, kind: &Kind) -> Result<&'static str, RequestError> {
        match kind {
            Kind::Set { name, value } => {
                let set = self.settings.set(name, value);
                set.map_err(|error| Failure::new(code::INVALID_SETTING, error.to_string()))?;
                self.report_setting(name)?;
                return Ok("SET");
            }
            Kind::Reset(Some(name)) => {
                self.settings.reset(name);
                self.report_setting(name)?;
            }
            _ => self.settings.reset_all(),
        }
        Ok("RESET")
    }

    /// Sends the value of a setting, if it is one that clients follow.
    fn report_setting(&mut self, name: &str) -> Result<(), RequestError> {
        if let Some(name) = Settings::reports(name) {
            let value = self.settings.get(name).unwrap_or_default();
            self.output.add(&status(name, value))?;
        }
        Ok(())
    }
}

/// The rows of `SHOW`.
pub(super) fn shown(settings: &Settings, name: Option<&str>) -> Result<Answer, Failure> {
    let texts = |texts: Vec<String>| -> ArrayRef { Arc::new(StringArray::from(texts)) };
    let rows = match name {
        Some(name) => {
            let value = settings.get(name).ok_or_else(|| {
                Failure::new(code::UNKNOWN_SETTING, format!("there is no setting `{name}`"))
            })?;
            RecordBatch::try_from_iter([(name, texts(vec![value.to_owned()]))])
        }
        None => {
            let (names, values): (Vec<_>, Vec<_>) = settings.all().into_iter().unzip();
            let empty = vec![String::new(); names.len()];
            RecordBatch::try_from_iter([
                ("name", texts(names)),
                ("setting", texts(values)),
                ("description", texts(empty)),
            ])
        }
    };
    let rows = rows.map_err(|error| Failure::new("XX000", error.to_string()))?;
    let schema = rows.schema();
    Ok(Answer { schema, batches: futures::stream::iter([Ok(rows)]).boxed() })
}
