//! A column that `*` gives as well: `SELECT *, dur / 10 AS dur`, `SELECT s.id, s.*`.
//!
//! DataFusion wants names to be unique. As in SQLite, the first of the two is meant by the name.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Expr, Ident, Select, SelectItem, Statement, VisitMut, VisitorMut,
};

use super::{DUPLICATE_SUFFIX, take};

/// Marks the items called `name` next to a `*`; returns whether there was one.
pub(super) fn rename_duplicates(tree: &mut Statement, name: &str) -> bool {
    let mut items = Items { name, found: false };
    let _: ControlFlow<()> = tree.visit(&mut items);
    items.found
}

/// The column that DataFusion says stands twice in a SELECT.
pub(super) fn named_twice(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("require unique expression names but the expression \"")?;
    let (column, _) = rest.split_once('"')?;
    Some(column.rsplit('.').next().unwrap_or(column))
}

struct Items<'a> {
    name: &'a str,
    found: bool,
}

impl VisitorMut for Items<'_> {
    type Break = ();

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        let is_all = |item: &SelectItem| {
            matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..))
        };
        let Some(all) = select.projection.iter().position(is_all) else {
            return ControlFlow::Continue(());
        };
        let mark = Ident::with_quote('"', format!("{}{DUPLICATE_SUFFIX}*", self.name));
        let is_it = |name: &Ident| name.value.eq_ignore_ascii_case(self.name);
        for (index, item) in select.projection.iter_mut().enumerate() {
            match item {
                // Before `*` a column may be marked in its place, as its value is the same.
                SelectItem::UnnamedExpr(column) if last(column).is_some_and(is_it) => {
                    *item = SelectItem::ExprWithAlias { expr: take(column), alias: mark.clone() };
                    self.found = true;
                }
                SelectItem::ExprWithAlias { alias, .. } if index > all && is_it(alias) => {
                    *alias = mark.clone();
                    self.found = true;
                }
                _ => {}
            }
        }
        ControlFlow::Continue(())
    }
}

fn last(column: &Expr) -> Option<&Ident> {
    match column {
        Expr::Identifier(name) => Some(name),
        Expr::CompoundIdentifier(names) => names.last(),
        _ => None,
    }
}
