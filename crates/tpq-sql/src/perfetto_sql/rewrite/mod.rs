//! From SQLite's habits to what DataFusion plans, one file per habit.

mod affinities;
mod auto_id;
mod calls;
mod carried_collations;
mod chains;
mod collation;
mod computed_columns;
mod computed_keys;
mod distinct;
mod distinct_collations;
mod duplicates;
mod group_keys;
mod grouping;
mod growth;
mod having;
mod having_results;
mod hidden_order;
mod inner_aliases;
mod inner_tables;
mod known_texts;
mod later_tables;
mod limits;
mod literals;
mod nested_ctes;
mod order_keys;
mod orders;
mod outer_using;
mod quoted;
mod ranges;
mod recursions;
mod retry;
mod row_parts;
mod row_values;
mod stars;
mod truth;
mod unused_ctes;
mod using;
mod values;
mod windows;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::ControlFlow;

use crate::perfetto_sql::walk::{walk_mut, walk_relations};
use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{
    Cte, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList, FunctionArguments,
    Ident, ObjectName, Query, Select, SelectItem, SetExpr, Value, VisitorMut,
};
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use super::titles::Titles;
use crate::functions::CAST_INTEGER;
pub(super) use affinities::mark_computed;
pub(super) use auto_id::number_tables;
pub(super) use chains::{flatten_chain, flatten_set_operations, order_set_operations};
pub(super) use computed_keys::name_computed_keys;
pub(super) use distinct_collations::refuse_collations;
pub(super) use growth::check_growth;
pub(super) use having::write_out_aliases;
pub(super) use inner_aliases::write_out_inner_aliases;
pub(super) use limits::limited_recursion;
pub(super) use order_keys::select_order_keys;
pub(super) use outer_using::coalesce_joined;
pub(super) use quoted::QuotedNames;
pub(super) use recursions::{repeated_recursion, widen};
pub(super) use retry::{StatementNames, rewrite_failed};
pub(super) use stars::write_out_stars;
pub(super) use unused_ctes::drop_unused_ctes;

/// Follows the title of a column that another column of the same SELECT already has, since
/// DataFusion wants them unique. It and the text after it are removed again for display.
pub(super) const DUPLICATE_SUFFIX: char = '\u{1}';

/// Names are the same in whatever case they are written, quoted or not: all are made lower case,
/// as all tables and columns are. What is shown keeps its case, see [`display_names`].
pub(super) fn lower_case_names(tokens: &mut [TokenWithSpan]) {
    for token in tokens {
        if let Token::Word(word) = &mut token.token
            && word.quote_style.is_some()
        {
            word.value = word.value.to_lowercase();
        }
    }
}

/// Rewrites a statement in place.
pub(super) fn rewrite(tree: &mut Tree, titles: &Titles, is_aggregate: &dyn Fn(&str) -> bool) {
    match tree {
        Tree::Statement(statement) => {
            nested_ctes::rename(statement);
            let collated_ctes = carried_collations::ctes(statement);
            let mut rewriter = Rewriter { titles, is_aggregate, collated_ctes };
            let _: ControlFlow<()> = walk_mut(statement, &mut rewriter);
        }
        Tree::Explain(explain) => rewrite(&mut explain.statement, titles, is_aggregate),
        _ => {}
    }
}

/// A call of a function on plain arguments.
pub(crate) fn call(name: &str, args: Vec<Expr>) -> Expr {
    let args =
        args.into_iter().map(|arg| FunctionArg::Unnamed(FunctionArgExpr::Expr(arg))).collect();
    Expr::Function(Function {
        name: ObjectName::from(vec![Ident::new(name)]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList {
            duplicate_treatment: None,
            args,
            clauses: vec![],
        }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: vec![],
    })
}

/// The expression itself, leaving NULL in its place.
fn take(expr: &mut Expr) -> Expr {
    std::mem::replace(expr, Expr::Value(Value::Null.into()))
}

/// A literal of a number, as written.
fn number(text: &str) -> Expr {
    Expr::Value(Value::Number(text.into(), false).into())
}

/// A literal of a text.
fn text(text: &str) -> Expr {
    Expr::Value(Value::SingleQuotedString(text.into()).into())
}

struct Rewriter<'a> {
    titles: &'a Titles,
    /// Whether there is an aggregate function of a name.
    is_aggregate: &'a dyn Fn(&str) -> bool,
    /// The CTEs of a statement with collations.
    collated_ctes: Option<Vec<Cte>>,
}

impl VisitorMut for Rewriter<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        if let Some(ctes) = &self.collated_ctes {
            carried_collations::write_out(query, ctes);
        }
        collation::in_order(query);
        values::rewrite(&mut query.body);
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        let titles = self.titles.at(select.select_token.0.span.start);
        name_items(select, titles.unwrap_or_default());
        windows::inline_bases(select);
        row_values::in_conditions(select);
        distinct_collations::group_distinct(select, self.is_aggregate);
        collation::in_select(select);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        limits::rewrite(query);
        orders::name_selected(query);
        orders::name_operands(query);
        group_keys::hide(query, self.is_aggregate);
        orders::rewrite(query);
        // SQLite does not ask for the word RECURSIVE.
        if let Some(with) = &mut query.with {
            for cte in with.cte_tables.iter_mut().filter(|cte| refers_to_itself(cte)) {
                with.recursive = true;
                type_nulls(&mut cte.query.body);
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        truth::select(select);
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        ranges::rewrite(expr);
        collation::rewrite(expr);
        literals::rewrite(expr);
        row_values::rewrite(expr, self.is_aggregate);
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        truth::parts(expr);
        windows::fold_bounds(expr);
        calls::rewrite(expr);
        literals::share(expr);
        ControlFlow::Continue(())
    }
}

/// NULL has no type of its own: where a recursion begins with it, it is an integer.
fn type_nulls(body: &mut SetExpr) {
    match body {
        SetExpr::SetOperation { left, .. } => type_nulls(left),
        SetExpr::Select(select) => {
            for item in &mut select.projection {
                if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } = item
                    && matches!(expr, Expr::Value(value) if value.value == Value::Null)
                {
                    *expr = call(CAST_INTEGER, vec![take(expr)]);
                }
            }
        }
        _ => {}
    }
}

fn refers_to_itself(cte: &Cte) -> bool {
    let name = &cte.alias.name.value;
    let found = walk_relations(&cte.query, |relation: &ObjectName| {
        if relation.to_string().eq_ignore_ascii_case(name) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    found.is_break()
}

/// Gives every item that is more than a column its own text for a name.
fn name_items(select: &mut Select, titles: &[String]) {
    let fits = titles.len() == select.projection.len();
    let mut taken = Taken::new();
    for (index, item) in select.projection.iter_mut().enumerate() {
        if let SelectItem::UnnamedExpr(expr) = item {
            without_brackets(expr);
        }
        match item {
            SelectItem::UnnamedExpr(
                column @ (Expr::Identifier(_) | Expr::CompoundIdentifier(_)),
            ) => {
                if let Entry::Vacant(free) = taken.entry(column.to_string().to_lowercase()) {
                    free.insert(0);
                    continue;
                }
                // The same column a second time.
                let name = match &*column {
                    Expr::CompoundIdentifier(names) => names.last(),
                    Expr::Identifier(name) => Some(name),
                    _ => None,
                };
                let name = name.map(|name| name.value.to_lowercase()).unwrap_or_default();
                taken.entry(name.clone()).or_default();
                let alias = Ident::with_quote('"', unique(name, &mut taken));
                *item = SelectItem::ExprWithAlias { expr: take(column), alias };
            }
            SelectItem::UnnamedExpr(expr) => {
                let title = if fits { titles[index].clone() } else { expr.to_string() };
                let alias = Ident::with_quote('"', unique(title, &mut taken));
                *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
            }
            SelectItem::ExprWithAlias { alias, .. } => {
                alias.value = unique(alias.value.to_lowercase(), &mut taken);
            }
            _ => {}
        }
    }
}

/// Takes a column out of its brackets: they do not change its name.
fn without_brackets(expr: &mut Expr) {
    let mut inner = &*expr;
    while let Expr::Nested(within) = inner {
        inner = within;
    }
    if matches!(inner, Expr::Identifier(_) | Expr::CompoundIdentifier(_)) {
        *expr = inner.clone();
    }
}

/// The names that the columns of a SELECT have, in lower case, with how many more of the same
/// title there are.
type Taken = HashMap<String, usize>;

fn unique(title: String, taken: &mut Taken) -> String {
    let key = title.to_lowercase();
    let Some(mut count) = taken.get(&key).copied() else {
        taken.insert(key, 0);
        return title;
    };
    loop {
        count += 1;
        let name = format!("{title}{DUPLICATE_SUFFIX}{count}");
        if let Entry::Vacant(free) = taken.entry(name.to_lowercase()) {
            free.insert(0);
            taken.insert(key, count);
            return name;
        }
    }
}

/// The displayed names of a result's columns: `AS Name` is displayed as written. `columns` are the
/// internal names.
pub(super) fn display_names(titles: Option<&[String]>, columns: &[&str]) -> Vec<String> {
    let titles = titles.unwrap_or_default();
    let shown = |(index, column): (usize, &&str)| {
        let name = column.split(DUPLICATE_SUFFIX).next().unwrap_or_default();
        // An alias ends its item. With `*` in the list the positions do not match, then any
        // item that ends in the name will do.
        let at = titles.get(index).filter(|_| titles.len() == columns.len());
        let mut candidates: Box<dyn Iterator<Item = &String>> = match at {
            Some(title) => Box::new(std::iter::once(title)),
            None => Box::new(titles.iter()),
        };
        let written = candidates.find_map(|title| {
            let bare = title.trim_end_matches(['"', '`', ']', '\'']);
            let start = bare.len().checked_sub(name.len())?;
            let end = bare.get(start..)?;
            let alone = bare[..start]
                .chars()
                .next_back()
                .is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '.');
            (alone && start > 0 && end.to_lowercase() == name.to_lowercase())
                .then(|| end.to_owned())
        });
        written.unwrap_or_else(|| name.to_owned())
    };
    columns.iter().enumerate().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::display_names;

    #[test]
    fn aliases_are_shown_as_written() {
        let titles = ["dur / 1e6 AS Ms".to_owned(), "count(*)".to_owned(), "s.Name".to_owned()];
        let shown = display_names(Some(&titles), &["ms", "count(*)", "name"]);
        assert_eq!(shown, ["Ms", "count(*)", "name"]);
    }

    #[test]
    fn marks_of_duplicates_are_not_shown() {
        assert_eq!(display_names(None, &["1", "1\u{1}1"]), ["1", "1"]);
    }
}
