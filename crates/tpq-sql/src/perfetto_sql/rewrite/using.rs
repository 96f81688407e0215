//! A name that several joins are USING: the column of the first of their tables.
//!
//! `a JOIN b USING (x) JOIN c USING (x)` has one `x` for SQLite. DataFusion takes it for the one of
//! a single join only, and calls it ambiguous otherwise.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Expr, Ident, Join, JoinConstraint, JoinOperator, ObjectName, Query, Select, SelectItem,
    SetExpr, Statement, TableFactor, VisitMut, VisitorMut,
};

/// Qualifies the column `name` where several joins are USING it; returns whether there was such a
/// place.
pub(super) fn qualify(tree: &mut Statement, name: &str) -> bool {
    let mut queries = Queries { name, found: false };
    let _: ControlFlow<()> = tree.visit(&mut queries);
    queries.found
}

struct Queries<'a> {
    name: &'a str,
    found: bool,
}

impl VisitorMut for Queries<'_> {
    type Break = ();

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        if let SetExpr::Select(select) = query.body.as_mut()
            && let Some(table) = holder(select, self.name)
        {
            let mut names = Names { name: self.name, table, depth: 0, found: false };
            let _ = select.visit(&mut names);
            let is_alias = select.projection.iter().any(|item| {
                matches!(item, SelectItem::ExprWithAlias { alias, .. }
                    if alias.value.eq_ignore_ascii_case(self.name))
            });
            if let Some(order) = query.order_by.as_mut().filter(|_| !is_alias) {
                let _ = order.visit(&mut names);
            }
            self.found |= names.found;
        }
        ControlFlow::Continue(())
    }
}

/// The table of the column `name`, in a SELECT with several joins USING it.
fn holder(select: &Select, name: &str) -> Option<Ident> {
    select.from.iter().find_map(|from| {
        let uses: Vec<usize> = from
            .joins
            .iter()
            .enumerate()
            .filter(|(_, join)| is_using(join, name))
            .map(|(index, _)| index)
            .collect();
        let (&first, _) = uses.split_first().filter(|(_, more)| !more.is_empty())?;
        // Which of several tables before a join has the column is not known here; but the table
        // that is joined has it, and of an inner join the value is the same.
        if first == 0 {
            return called(&from.relation);
        }
        let join = &from.joins[first];
        let is_inner = matches!(join.join_operator, JoinOperator::Join(_) | JoinOperator::Inner(_));
        is_inner.then(|| called(&join.relation)).flatten()
    })
}

fn is_using(join: &Join, name: &str) -> bool {
    use JoinOperator::{Inner, Join, Left, LeftOuter};
    let (Join(constraint) | Inner(constraint) | Left(constraint) | LeftOuter(constraint)) =
        &join.join_operator
    else {
        return false;
    };
    let is_it = |column: &ObjectName| column.to_string().eq_ignore_ascii_case(name);
    matches!(constraint, JoinConstraint::Using(columns) if columns.iter().any(is_it))
}

/// The name or alias of a table in its query.
fn called(table: &TableFactor) -> Option<Ident> {
    match table {
        TableFactor::Table { alias: Some(alias), .. }
        | TableFactor::Derived { alias: Some(alias), .. }
        | TableFactor::Function { alias: Some(alias), .. } => Some(alias.name.clone()),
        TableFactor::Table { name, .. } | TableFactor::Function { name, .. } => {
            name.0.last()?.as_ident().cloned()
        }
        _ => None,
    }
}

/// Puts the table before a name, but not in subqueries, which have names of their own.
struct Names<'a> {
    name: &'a str,
    table: Ident,
    depth: usize,
    found: bool,
}

impl VisitorMut for Names<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if self.depth == 0
            && let Expr::Identifier(name) = expr
            && name.value.eq_ignore_ascii_case(self.name)
        {
            *expr = Expr::CompoundIdentifier(vec![self.table.clone(), name.clone()]);
            self.found = true;
        }
        ControlFlow::Continue(())
    }
}
