//! The callbacks of the line editor.

use std::borrow::Cow;

use rustyline::completion::{Completer, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};

use super::completion::{complete, takes_files};
use super::highlight::highlight;
use super::paths;
use super::vocabulary::Vocabulary;
use crate::terminal::Style;

pub struct SqlHelper {
    pub vocabulary: Vocabulary,
    pub style: Style,
    /// The earlier lines of the statement that is being typed.
    pub pending: String,
}

impl Helper for SqlHelper {}

impl Hinter for SqlHelper {
    type Hint = String;
}

impl Completer for SqlHelper {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        if self.pending.is_empty() && takes_files(&line[..position]) {
            return paths::complete(line, position);
        }
        let text = format!("{}{line}", self.pending);
        let before = self.pending.len();
        let (start, words) = complete(&self.vocabulary, &text, before + position);
        let pair = |word: String| Pair { display: word.clone(), replacement: word };
        Ok((start.saturating_sub(before), words.into_iter().map(pair).collect()))
    }
}

impl Highlighter for SqlHelper {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        if !self.style.is_on() || self.pending.is_empty() && line.starts_with(['.', '\\']) {
            return Cow::Borrowed(line);
        }
        let text = format!("{}{line}", self.pending);
        Cow::Owned(highlight(&text, self.pending.len(), self.style))
    }

    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        // Every key can change the colour of the text after it; moving the cursor cannot.
        self.style.is_on() && kind != CmdKind::MoveCursor
    }
}

/// Enter ends the line: the shell collects the lines of a statement, with a prompt for each.
impl Validator for SqlHelper {}
