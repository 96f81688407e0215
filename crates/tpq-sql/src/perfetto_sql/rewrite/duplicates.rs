//! A name that stands twice in a SELECT: `SELECT *, dur / 10 AS dur`, `SELECT s.ts AS id, s.*`.
//!
//! DataFusion wants names to be unique. As in SQLite, the first of the two is meant by the name.

use datafusion::sql::sqlparser::ast::{
    Expr, Ident, OrderBy, Query, Select, SelectItem, SetExpr, Statement,
};

use super::{DUPLICATE_SUFFIX, Taken, orders, take, unique};
use crate::perfetto_sql::scope::{Scope, is_same, is_star, visit_queries, written_out};

/// Gives all but the first of the columns called `name` in a SELECT other names; returns whether
/// there was such a SELECT.
pub(super) fn rename_duplicates(tree: &mut Statement, name: &str, scope: &Scope) -> bool {
    let mut found = false;
    visit_queries(tree, scope, &mut |query, scope| {
        let Query { body, order_by, .. } = query;
        found |= in_body(body, order_by.as_mut(), name, scope);
    });
    found
}

/// The names of the column that DataFusion says stands twice in a SELECT, the likeliest first: its
/// own name may have dots as well as the names before it.
pub(super) fn named_twice(message: &str) -> impl Iterator<Item = &str> {
    let expression = message
        .split_once("require unique expression names but the expression \"")
        .and_then(|(_, rest)| rest.split_once("\" at position"))
        .map(|(expression, _)| expression);
    let alias = expression.and_then(|it| it.rsplit_once(" AS ")).map(|(_, alias)| alias);
    let column = expression.filter(|_| alias.is_none());
    let after_dots = column
        .into_iter()
        .flat_map(|it| it.rmatch_indices('.').map(move |(dot, _)| &it[dot + 1..]).chain([it]));
    alias.into_iter().chain(after_dots)
}

fn in_body(body: &mut SetExpr, order: Option<&mut OrderBy>, name: &str, scope: &Scope) -> bool {
    match body {
        SetExpr::Select(select) => rename(select, order, name, scope),
        SetExpr::SetOperation { left, right, .. } => {
            let found = in_body(left, None, name, scope);
            in_body(right, None, name, scope) || found
        }
        // A query of its own is visited for itself.
        _ => false,
    }
}

fn rename(select: &mut Select, order: Option<&mut OrderBy>, name: &str, scope: &Scope) -> bool {
    let has_star = select.projection.iter().any(is_star);
    // The columns of a lone `*` have their tables before them.
    if has_star && select.projection.len() == 1 {
        return false;
    }
    let Some(mut items) = written_out(select, scope) else { return rename_beside(select, name) };
    let is_it = |item: &SelectItem| name_of(item).is_some_and(|it| is_same(it, name));
    let places: Vec<usize> = (0..items.len()).filter(|&index| is_it(&items[index])).collect();
    if are_apart(&items, &places) {
        return false;
    }
    let names = items.iter().filter_map(name_of);
    let mut taken: Taken = names.map(|name| (name.value.to_lowercase(), 0)).collect();
    for &place in places.iter().skip(1) {
        set_name(&mut items[place], unique(name.to_lowercase(), &mut taken));
    }
    select.projection = items;
    // A column of `*` comes before an alias in ORDER BY, a column that is written does not.
    if let Some(order) = order.filter(|_| !has_star) {
        orders::name_aliases(select, order);
    }
    true
}

/// Whether DataFusion can tell the items at these places apart: by the tables before them.
fn are_apart(items: &[SelectItem], places: &[usize]) -> bool {
    let mut columns: Vec<String> = Vec::new();
    for &place in places {
        let SelectItem::UnnamedExpr(column @ Expr::CompoundIdentifier(_)) = &items[place] else {
            return places.len() < 2;
        };
        let column = column.to_string().to_lowercase().replace('"', "");
        if columns.contains(&column) {
            return false;
        }
        columns.push(column);
    }
    true
}

/// Renames the items called `name` beside a `*` of unknown columns; returns whether there was one.
fn rename_beside(select: &mut Select, name: &str) -> bool {
    let Some(star) = select.projection.iter().position(is_star) else { return false };
    let mut found = false;
    for (index, item) in select.projection.iter_mut().enumerate() {
        // Before `*` a column may be renamed in its place, as its value is the same.
        let may_be = index > star || matches!(item, SelectItem::UnnamedExpr(_));
        if may_be && name_of(item).is_some_and(|it| is_same(it, name)) {
            set_name(item, format!("{name}{DUPLICATE_SUFFIX}*"));
            found = true;
        }
    }
    found
}

fn set_name(item: &mut SelectItem, name: String) {
    let alias = Ident::with_quote('"', name);
    match item {
        SelectItem::UnnamedExpr(column) => {
            *item = SelectItem::ExprWithAlias { expr: take(column), alias };
        }
        SelectItem::ExprWithAlias { alias: old, .. } => *old = alias,
        _ => {}
    }
}

/// The name of an item that is a column or has an alias.
fn name_of(item: &SelectItem) -> Option<&Ident> {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias),
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(name),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(names)) => names.last(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::named_twice;

    #[test]
    fn the_name_that_stands_twice_is_read_from_the_error() {
        let message = |expression: &str| {
            format!(
                "Projections require unique expression names but the expression \"{expression}\" \
                 at position 0 and \"t.x\" at position 2 have the same name."
            )
        };
        let names = |message: &str| named_twice(message).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(names(&message("t.x")), ["x", "t.x"]);
        assert_eq!(names(&message("t.a.b")), ["b", "a.b", "t.a.b"]);
        assert_eq!(names(&message("max(t.dur) AS x")), ["x"]);
        assert!(names("another error").is_empty());
    }
}
