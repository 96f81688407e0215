//! What the line editor asks about the text being typed.

use std::borrow::Cow;
use std::sync::Arc;

use rustyline::completion::Completer;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper};
use tpq::Trace;

use super::completion::complete;
use super::highlight::highlight;
use super::lex::is_finished;
use crate::terminal::Style;

pub struct SqlHelper {
    pub trace: Arc<Trace>,
    pub style: Style,
}

impl Helper for SqlHelper {}

impl Hinter for SqlHelper {
    type Hint = String;
}

impl Completer for SqlHelper {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(complete(self.trace.session(), line, position))
    }
}

impl Highlighter for SqlHelper {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        if !self.style.is_on() || line.starts_with('.') {
            return Cow::Borrowed(line);
        }
        Cow::Owned(highlight(line, self.style))
    }

    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        // Every key can change the colour of what follows it; moving the cursor cannot.
        self.style.is_on() && kind != CmdKind::MoveCursor
    }
}

impl Validator for SqlHelper {
    /// Enter ends the input where it ends a statement, and else begins a new line.
    fn validate(&self, context: &mut ValidationContext) -> rustyline::Result<ValidationResult> {
        let input = context.input();
        if input.trim_start().starts_with('.') || is_finished(input) {
            return Ok(ValidationResult::Valid(None));
        }
        Ok(ValidationResult::Incomplete)
    }
}
