//! `_auto_id`: the number of a row in a table that a statement created. `*` does not give it, so the
//! table has the column only where a SELECT names it.

use std::ops::ControlFlow;

use crate::perfetto_sql::walk::walk_expressions;
use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{
    Expr, Ident, ObjectName, Select, SetExpr, TableAlias, TableFactor,
};
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::catalog::{AUTO_ID, NUMBERED};
use crate::perfetto_sql::planner::Planner;
use crate::perfetto_sql::scope::{Scope, is_same, last, visit_queries, written_out};

/// Gives tables the column where `tokens`, the statement, name it.
pub(in super::super) fn number_tables(
    tree: &mut Tree,
    tokens: &[TokenWithSpan],
    planner: &Planner,
) {
    let names_it = |token: &TokenWithSpan| matches!(&token.token, Token::Word(word) if word.value.eq_ignore_ascii_case(AUTO_ID));
    if !tokens.iter().any(names_it) {
        return;
    }
    match tree {
        Tree::Statement(statement) => {
            visit_queries(statement, &Scope::new(planner), &mut |query, scope| {
                number_body(&mut query.body, scope, planner);
            });
        }
        Tree::Explain(explain) => number_tables(&mut explain.statement, tokens, planner),
        _ => {}
    }
}

fn number_body(body: &mut SetExpr, scope: &Scope, planner: &Planner) {
    match body {
        SetExpr::Select(select) => number_select(select, scope, planner),
        SetExpr::SetOperation { left, right, .. } => {
            number_body(left, scope, planner);
            number_body(right, scope, planner);
        }
        _ => {}
    }
}

fn number_select(select: &mut Select, scope: &Scope, planner: &Planner) {
    let Uses { bare, tables } = Uses::of(select);
    if !bare && tables.is_empty() {
        return;
    }
    let items = written_out(select, scope);
    let factors = select.from.iter_mut().flat_map(|from| {
        let joined = from.joins.iter_mut().map(|join| &mut join.relation);
        std::iter::once(&mut from.relation).chain(joined)
    });
    let mut changed = false;
    for factor in factors {
        let TableFactor::Table { name, alias, args: None, .. } = factor else { continue };
        let Some(table) = last(name).map(|name| name.value.to_lowercase()) else { continue };
        let called = alias.as_ref().map_or(&table, |alias| &alias.name.value);
        let is_named = bare || tables.iter().any(|it| it.eq_ignore_ascii_case(called));
        if !is_named || scope.has_cte(&table) || !planner.has_numbers(&table) {
            continue;
        }
        alias.get_or_insert_with(|| alias_of(&table));
        *name = ObjectName::from(vec![Ident::with_quote('"', format!("{NUMBERED}{table}"))]);
        changed = true;
    }
    if let Some(items) = items.filter(|_| changed) {
        select.projection = items;
    }
}

fn alias_of(table: &str) -> TableAlias {
    TableAlias { explicit: true, name: Ident::with_quote('"', table), columns: vec![], at: None }
}

/// The places where a SELECT names the column.
struct Uses {
    /// Whether one is without a table.
    bare: bool,
    /// The tables of the others.
    tables: Vec<String>,
}

impl Uses {
    fn of(select: &Select) -> Self {
        let mut uses = Self { bare: false, tables: Vec::new() };
        let _: ControlFlow<()> = walk_expressions(select, |expr| {
            match expr {
                Expr::Identifier(name) if is_same(name, AUTO_ID) => uses.bare = true,
                Expr::CompoundIdentifier(names) => {
                    if let [table, name] = &names[..]
                        && is_same(name, AUTO_ID)
                    {
                        uses.tables.push(table.value.clone());
                    }
                }
                _ => {}
            }
            ControlFlow::Continue(())
        });
        uses
    }
}
