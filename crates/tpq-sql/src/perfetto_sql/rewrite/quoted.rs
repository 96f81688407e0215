//! A name in double quotes that is no column's: SQLite takes it for text.

use std::collections::HashMap;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Expr, Ident, Select, SelectItem, Statement, VisitMut, VisitorMut,
};
use datafusion::sql::sqlparser::tokenizer::{Location, Token, TokenWithSpan};

use super::text;

/// The names in double quotes as they are written, by where they begin: the syntax tree has all
/// names in lower case.
pub(in super::super) struct QuotedNames(HashMap<(u64, u64), String>);

impl QuotedNames {
    pub(in super::super) fn of(tokens: &[TokenWithSpan]) -> Self {
        let quoted = tokens.iter().filter_map(|token| match &token.token {
            Token::Word(word) if word.quote_style == Some('"') => {
                Some((key(token.span.start), word.value.clone()))
            }
            _ => None,
        });
        Self(quoted.collect())
    }

    /// A name as it is written.
    pub(in super::super) fn written(&self, name: &Ident) -> String {
        self.0.get(&key(name.span.start)).unwrap_or(&name.value).clone()
    }
}

fn key(location: Location) -> (u64, u64) {
    (location.line, location.column)
}

/// Puts text in place of the name; returns whether it was found.
pub(super) fn as_text(tree: &mut Statement, name: &str, names: &QuotedNames) -> bool {
    let mut quoted = Quoted { name, names, found: false };
    let _: ControlFlow<()> = tree.visit(&mut quoted);
    quoted.found
}

struct Quoted<'a> {
    name: &'a str,
    names: &'a QuotedNames,
    found: bool,
}

impl Quoted<'_> {
    fn is_it(&self, expr: &Expr) -> Option<String> {
        match expr {
            Expr::Identifier(name) if name.quote_style == Some('"') && name.value == self.name => {
                Some(self.names.written(name))
            }
            _ => None,
        }
    }
}

impl VisitorMut for Quoted<'_> {
    type Break = ();

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        // The title of the column is the name with its quotes.
        for item in &mut select.projection {
            if let SelectItem::UnnamedExpr(expr) = item
                && let Some(written) = self.is_it(expr)
            {
                let alias = Ident::with_quote('"', format!("\"{written}\""));
                *item = SelectItem::ExprWithAlias { expr: text(&written), alias };
                self.found = true;
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Some(written) = self.is_it(expr) {
            *expr = text(&written);
            self.found = true;
        }
        ControlFlow::Continue(())
    }
}
