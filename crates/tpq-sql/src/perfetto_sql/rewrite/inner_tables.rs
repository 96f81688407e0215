//! Tables with names that mean something else in a subquery.
//!
//! What an alias stands for, `s.depth`, is put into subqueries that use the alias. In
//! `(SELECT … FROM s …)` it would be a column of the inner table, so this one gets another name.
//!
//! Where a subquery has a column `s`, DataFusion takes `s.depth` for a field of it. So the table `s`
//! of the query around gets another name.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::perfetto_sql::walk::{walk_expressions, walk_mut};
use datafusion::sql::sqlparser::ast::{
    Expr, Ident, ObjectName, Query, Select, SelectItem, SelectItemQualifiedWildcardKind, SetExpr,
    Statement, TableAlias, TableFactor, TableWithJoins, VisitMut, VisitorMut,
};

use super::distinct_collations::selects;
use crate::perfetto_sql::scope::{Scope, is_same, last, visit_queries};

/// Renames the tables in the subqueries of a part that have the name of a table in `value`.
pub(super) fn rename_inner(part: &mut impl VisitMut, value: &Expr) {
    for table in tables(value) {
        let new_name = format!("__inner_{table}");
        let mut renaming = Renaming { table, new_name, renamed: Vec::new() };
        let _: ControlFlow<()> = walk_mut(part, &mut renaming);
    }
}

/// Renames the tables of a statement that have the name of a column; whether there are any.
pub(super) fn rename_like_columns(statement: &mut Statement, scope: &Scope) -> bool {
    let (mut tables, mut columns) = (BTreeSet::new(), BTreeSet::new());
    visit_queries(statement, scope, &mut |query, scope| {
        let mut operands = Vec::new();
        selects(&query.body, &mut operands);
        for source in operands.iter().flat_map(|select| scope.sources(select)) {
            tables.extend(source.name.map(|name| name.value.to_lowercase()));
            columns.extend(source.columns.iter().flatten().map(|column| column.to_lowercase()));
        }
    });
    let mut is_any = false;
    for table in tables.intersection(&columns) {
        let new_name = format!("__table_{table}");
        let mut renaming = Renaming { table: table.clone(), new_name, renamed: Vec::new() };
        let _: ControlFlow<()> = walk_mut(statement, &mut renaming);
        is_any = true;
    }
    is_any
}

/// The tables that an expression names, in lower case.
fn tables(value: &Expr) -> Vec<String> {
    let mut tables = Vec::new();
    let _: ControlFlow<()> = walk_expressions(value, |part| {
        if let Expr::CompoundIdentifier(names) = part
            && let [table, _] = &names[..]
        {
            tables.push(table.value.to_lowercase());
        }
        ControlFlow::Continue(())
    });
    tables.sort();
    tables.dedup();
    tables
}

struct Renaming {
    table: String,
    new_name: String,
    /// For each query and SELECT around, whether a table of it was renamed.
    renamed: Vec<bool>,
}

impl Renaming {
    fn new_name(&self) -> Ident {
        Ident::with_quote('"', self.new_name.clone())
    }

    fn in_select(&self, select: &mut Select) -> bool {
        let mut found = false;
        for from in &mut select.from {
            found |= self.in_from(from);
        }
        for item in select.projection.iter_mut().filter(|_| found) {
            if let SelectItem::QualifiedWildcard(
                SelectItemQualifiedWildcardKind::ObjectName(name),
                _,
            ) = item
                && last(name).is_some_and(|name| is_same(name, &self.table))
            {
                *name = ObjectName::from(vec![self.new_name()]);
            }
        }
        found
    }

    fn in_from(&self, from: &mut TableWithJoins) -> bool {
        let mut found = self.in_factor(&mut from.relation);
        for join in &mut from.joins {
            found |= self.in_factor(&mut join.relation);
        }
        found
    }

    fn in_factor(&self, factor: &mut TableFactor) -> bool {
        match factor {
            TableFactor::Table { alias: Some(alias), .. }
            | TableFactor::Function { alias: Some(alias), .. }
            | TableFactor::Derived { alias: Some(alias), .. } => {
                let found = is_same(&alias.name, &self.table);
                if found {
                    alias.name = self.new_name();
                }
                found
            }
            TableFactor::Table { name, alias, .. } | TableFactor::Function { name, alias, .. } => {
                let found = last(name).is_some_and(|name| is_same(name, &self.table));
                if found {
                    let name = self.new_name();
                    *alias = Some(TableAlias { explicit: true, name, columns: vec![], at: None });
                }
                found
            }
            TableFactor::NestedJoin { table_with_joins, alias: None } => {
                self.in_from(table_with_joins)
            }
            _ => false,
        }
    }
}

impl VisitorMut for Renaming {
    type Break = ();

    /// The order of a query comes after its SELECT, and names the same tables.
    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        let renamed = match query.body.as_mut() {
            SetExpr::Select(select) => self.in_select(select),
            _ => false,
        };
        self.renamed.push(renamed);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.renamed.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        let renamed = self.in_select(select);
        self.renamed.push(renamed);
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, _: &mut Select) -> ControlFlow<()> {
        self.renamed.pop();
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if self.renamed.contains(&true)
            && let Expr::CompoundIdentifier(names) = expr
            && let [table, _] = &mut names[..]
            && is_same(table, &self.table)
        {
            *table = self.new_name();
        }
        ControlFlow::Continue(())
    }
}
