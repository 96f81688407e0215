//! Which text a place is in: the statement's own script, or that of a macro it uses.
//!
//! Spans of tokens go through sqlparser and DataFusion and come back in errors, with room for a
//! line and a column only. So the upper half of a line number says which text it is a line of.

use std::sync::Arc;

use datafusion::sql::sqlparser::tokenizer::{Location, Span, TokenWithSpan};

use crate::errors::ErrorLocation;

/// How far a text's number is shifted in the lines of its spans.
const SHIFT: u32 = 32;

/// A text that statements are read from.
#[derive(Debug)]
pub(crate) struct Script {
    /// The module it is of; `None` for what the user gave.
    pub module: Option<Arc<str>>,
    /// The whole text.
    pub text: Arc<str>,
}

/// A statement as it is parsed: its macros expanded.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// The unit of the spans of tokens.
    pub sources: Sources,
    /// Blanks and comments among them.
    pub tokens: Vec<TokenWithSpan>,
}

/// The texts that the tokens of one statement come from.
#[derive(Clone, Debug)]
pub(crate) struct Sources(Vec<Source>);

#[derive(Clone, Debug)]
struct Source {
    script: Arc<Script>,
    /// The call that put these tokens where they are.
    call: Option<MacroCall>,
}

#[derive(Clone, Debug)]
struct MacroCall {
    name: Arc<str>,
    span: Span,
}

impl Text {
    /// For errors that are of no text.
    pub(crate) fn none() -> Self {
        Self { sources: Sources(Vec::new()), tokens: Vec::new() }
    }
}

impl Sources {
    /// Of a statement with no macros expanded yet.
    pub(crate) fn new(script: &Arc<Script>) -> Self {
        Self(vec![Source { script: Arc::clone(script), call: None }])
    }

    /// One more text: that of a macro, for one call of it. Gives its number.
    pub(crate) fn add_expansion(&mut self, script: &Arc<Script>, name: &str, span: Span) -> u64 {
        let call = Some(MacroCall { name: name.into(), span });
        self.0.push(Source { script: Arc::clone(script), call });
        self.0.len() as u64 - 1
    }

    /// The statement's own script.
    pub(crate) fn script(&self) -> Option<&Arc<Script>> {
        self.0.first().map(|source| &source.script)
    }

    /// The location of a span for an error message, with the calls of macros that led to it.
    pub(crate) fn location(&self, span: Span) -> Option<ErrorLocation> {
        let source = self.of(span.start)?;
        let location = ErrorLocation::from_span(&source.script.text, local(span))?;
        let mut trail = Vec::new();
        let mut call = source.call.as_ref();
        while let Some(MacroCall { name, span }) = call {
            let caller = self.of(span.start)?;
            let at = ErrorLocation::from_span(&caller.script.text, local(*span))?;
            trail.push(format!("in `{name}!`, called{}", at.label(caller.module())));
            call = caller.call.as_ref();
        }
        Some(location.within(source.module(), trail))
    }

    /// The text from one place to another, where both are of the same text.
    pub(crate) fn between(&self, start: Location, end: Location) -> Option<&str> {
        if start.line >> SHIFT != end.line >> SHIFT {
            return None;
        }
        let text = &self.of(start)?.script.text;
        Some(super::script::text_between(text, unshifted(start), unshifted(end)))
    }

    fn of(&self, location: Location) -> Option<&Source> {
        self.0.get(usize::try_from(location.line >> SHIFT).ok()?)
    }
}

impl Source {
    fn module(&self) -> Option<&str> {
        self.script.module.as_deref()
    }
}

/// The span in the text of that number.
pub(crate) fn numbered(span: Span, number: u64) -> Span {
    let shift = |location: Location| Location { line: location.line | number << SHIFT, ..location };
    Span::new(shift(span.start), shift(span.end))
}

fn local(span: Span) -> Span {
    Span::new(unshifted(span.start), unshifted(span.end))
}

fn unshifted(location: Location) -> Location {
    Location { line: location.line & ((1 << SHIFT) - 1), ..location }
}
