//! A name in double quotes that is no column's: SQLite takes it for text.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use crate::perfetto_sql::walk::walk_mut;
use datafusion::sql::sqlparser::ast::{
    Expr, Ident, Select, SelectItem, SetExpr, Statement, TableFactor, TableWithJoins, VisitorMut,
};
use datafusion::sql::sqlparser::tokenizer::{Location, Token, TokenWithSpan};

use super::{DUPLICATE_SUFFIX, text};
use crate::perfetto_sql::scope::{Scope, visit_queries};

/// The names in quotes as they are written, by where they begin: the syntax tree has all names in
/// lower case.
pub(in super::super) struct QuotedNames(HashMap<(u64, u64), String>);

impl QuotedNames {
    pub(in super::super) fn of(tokens: &[TokenWithSpan]) -> Self {
        let quoted = tokens.iter().filter_map(|token| match &token.token {
            Token::Word(word) if word.quote_style.is_some() => {
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

/// Puts text in place of the name, and of the others that no column can have; returns whether the
/// name was found.
pub(super) fn as_text(
    tree: &mut Statement,
    name: &str,
    names: &QuotedNames,
    scope: &Scope,
) -> bool {
    let found = put_text(tree, names, &|other| other == name);
    // A statement may have more texts than times that it is planned.
    if found && let Some(columns) = column_names(tree, scope) {
        put_text(tree, names, &|other| {
            !columns.contains(&other.to_lowercase()) && !other.contains(DUPLICATE_SUFFIX)
        });
    }
    found
}

fn put_text(tree: &mut Statement, names: &QuotedNames, is_text: &dyn Fn(&str) -> bool) -> bool {
    let mut quoted = Quoted { is_text, names, found: false };
    let _: ControlFlow<()> = walk_mut(tree, &mut quoted);
    quoted.found
}

/// All names of columns, and aliases of columns, in a statement, in lower case; `None` where the
/// columns of a table are not known, as those that depend on the arguments of a call.
fn column_names(tree: &mut Statement, scope: &Scope) -> Option<HashSet<String>> {
    let mut all = Some(HashSet::new());
    visit_queries(tree, scope, &mut |query, scope| {
        all = match (all.take(), names_in(&query.body, scope)) {
            (Some(mut all), Some(names)) => {
                all.extend(names);
                Some(all)
            }
            _ => None,
        };
    });
    all
}

fn names_in(body: &SetExpr, scope: &Scope) -> Option<Vec<String>> {
    let mut names = Vec::new();
    match body {
        SetExpr::Select(select) => {
            if calls_functions(select) {
                return None;
            }
            for source in scope.sources(select) {
                names.extend(source.columns?.iter().map(|column| column.to_lowercase()));
            }
            names.extend(select.projection.iter().filter_map(|item| match item {
                SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.to_lowercase()),
                _ => None,
            }));
        }
        SetExpr::SetOperation { left, right, .. } => {
            names.extend(names_in(left, scope)?);
            names.extend(names_in(right, scope)?);
        }
        SetExpr::Query(_) | SetExpr::Values(_) => {}
        _ => return None,
    }
    Some(names)
}

/// Whether a table in FROM is a call, or may be one.
fn calls_functions(select: &Select) -> bool {
    let joined = |from: &TableWithJoins| from.joins.iter().any(|join| is_call(&join.relation));
    select.from.iter().any(|from| is_call(&from.relation) || joined(from))
}

fn is_call(factor: &TableFactor) -> bool {
    !matches!(factor, TableFactor::Table { args: None, .. } | TableFactor::Derived { .. })
}

struct Quoted<'a> {
    /// Whether a name is text.
    is_text: &'a dyn Fn(&str) -> bool,
    names: &'a QuotedNames,
    found: bool,
}

impl Quoted<'_> {
    fn is_it(&self, expr: &Expr) -> Option<String> {
        match expr {
            Expr::Identifier(name)
                if name.quote_style == Some('"') && (self.is_text)(&name.value) =>
            {
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
