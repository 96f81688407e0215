//! The columns that a syntax tree can name: those of tables and views by the catalog, those of
//! CTEs and subqueries by their items. No query is planned for this, except views on first use.

use std::ops::ControlFlow;

use crate::perfetto_sql::walk::walk_mut;
use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{
    Cte, Expr, Ident, Join, JoinConstraint, JoinOperator, ObjectName, Query, Select, SelectItem,
    SelectItemQualifiedWildcardKind, SetExpr, Statement, TableAlias, TableFactor, VisitorMut,
    WildcardAdditionalOptions,
};

use super::planner::Planner;
use super::rewrite::{DUPLICATE_SUFFIX, QuotedNames};
use super::scope_stack::ScopeStack;
use super::wildcards::left_out;

/// How deeply queries within FROM are looked into.
const MAX_DEPTH: usize = 64;

/// Names of columns as they are written; `None` where they are unknown, as those of a table function.
pub(super) type Columns = Option<Vec<String>>;

/// A table in FROM.
pub(super) struct Source {
    /// The name or alias of the table.
    pub name: Option<Ident>,
    pub columns: Columns,
    /// The columns that the join with the table is USING, in lower case.
    pub using: Vec<String>,
}

impl Source {
    pub(super) fn has(&self, column: &str) -> bool {
        self.columns.iter().flatten().any(|name| name.eq_ignore_ascii_case(column))
    }
}

/// The tables and CTEs that names in FROM refer to.
#[derive(Clone)]
pub(super) struct Scope<'a> {
    planner: &'a Planner<'a>,
    /// The names in double quotes as they are written, where that is of interest.
    quoted: Option<&'a QuotedNames>,
    /// The CTEs, the innermost last.
    ctes: Vec<(String, Columns)>,
    depth: usize,
}

impl<'a> Scope<'a> {
    pub(super) fn new(planner: &'a Planner<'a>) -> Self {
        Self { planner, quoted: None, ctes: Vec::new(), depth: 0 }
    }

    /// The columns of a statement's result as they are written, before anything is rewritten; a
    /// column without a name has an empty one.
    pub(super) fn written_names(
        tree: &Tree,
        planner: &'a Planner<'a>,
        quoted: &'a QuotedNames,
    ) -> Columns {
        let Tree::Statement(statement) = tree else { return None };
        let Statement::Query(query) = &**statement else { return None };
        Self { quoted: Some(quoted), ..Self::new(planner) }.of_query(query)
    }

    /// A name as it is written.
    fn shown(&self, name: &Ident) -> String {
        match self.quoted {
            Some(quoted) => quoted.written(name),
            None => name.value.split(DUPLICATE_SUFFIX).next().unwrap_or_default().to_owned(),
        }
    }

    /// The scope inside a query: its CTEs are visible.
    pub(super) fn within(&self, query: &Query) -> Self {
        let mut scope = self.clone();
        scope.depth += 1;
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            let columns = scope.of_cte(cte);
            scope.ctes.push((cte.alias.name.value.to_lowercase(), columns));
        }
        scope
    }

    /// Whether a CTE has that name.
    pub(super) fn has_cte(&self, name: &str) -> bool {
        self.ctes.iter().any(|(cte, _)| cte == name)
    }

    fn of_cte(&self, cte: &Cte) -> Columns {
        aliased(&cte.alias, self.of_query(&cte.query))
    }

    /// The columns of a query.
    fn of_query(&self, query: &Query) -> Columns {
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.within(query).of_body(&query.body)
    }

    fn of_body(&self, body: &SetExpr) -> Columns {
        match body {
            SetExpr::Select(select) => self.of_select(select),
            SetExpr::Query(query) => self.of_query(query),
            SetExpr::SetOperation { left, .. } => self.of_body(left),
            SetExpr::Values(values) => {
                let width = values.rows.first()?.len();
                Some((1..=width).map(|index| format!("column{index}")).collect())
            }
            _ => None,
        }
    }

    fn of_select(&self, select: &Select) -> Columns {
        let mut sources = None;
        let mut columns = Vec::new();
        for item in &select.projection {
            match item {
                SelectItem::UnnamedExpr(expr) => {
                    let sources = sources.get_or_insert_with(|| self.sources(select));
                    columns.push(self.name_of(expr, sources));
                }
                SelectItem::ExprWithAlias { alias, .. } => columns.push(self.shown(alias)),
                item => {
                    let (table, options) = star(item)?;
                    let sources = sources.get_or_insert_with(|| self.sources(select));
                    let all = star_columns(select, sources, table, options)?;
                    columns.extend(all.into_iter().map(|(_, column)| column.to_owned()));
                }
            }
        }
        Some(columns)
    }

    /// The tables in FROM, in order.
    pub(super) fn sources(&self, select: &Select) -> Vec<Source> {
        let mut sources = Vec::new();
        for from in &select.from {
            let mut tables = self.of_factor(&from.relation);
            for join in &from.joins {
                let joined = self.of_join(join, &tables);
                tables.extend(joined);
            }
            sources.extend(tables);
        }
        sources
    }

    /// The table of a join, after those in `before`.
    fn of_join(&self, join: &Join, before: &[Source]) -> Vec<Source> {
        let mut sources = self.of_factor(&join.relation);
        let names = join_columns(join, before, &sources).unwrap_or_default();
        for source in &mut sources {
            source.using.extend(names.iter().cloned());
        }
        sources
    }

    /// The table of a factor; several in a nested join.
    pub(super) fn of_factor(&self, factor: &TableFactor) -> Vec<Source> {
        let named = |alias: &Option<TableAlias>, name: Option<&ObjectName>, columns: Columns| {
            let columns = match alias {
                Some(alias) => aliased(alias, columns),
                None => columns,
            };
            let name = match alias {
                Some(alias) => Some(alias.name.clone()),
                None => name.and_then(last).cloned(),
            };
            vec![Source { name, columns, using: Vec::new() }]
        };
        match factor {
            TableFactor::Table { name, alias, args: None, .. } => {
                let columns = last(name).and_then(|name| self.of_name(&name.value));
                named(alias, Some(name), columns)
            }
            TableFactor::Derived { subquery, alias, .. } => {
                named(alias, None, self.of_query(subquery))
            }
            TableFactor::NestedJoin { table_with_joins, alias: None } => {
                let mut sources = self.of_factor(&table_with_joins.relation);
                for join in &table_with_joins.joins {
                    let joined = self.of_join(join, &sources);
                    sources.extend(joined);
                }
                sources
            }
            TableFactor::Function { name, alias, .. } | TableFactor::Table { name, alias, .. } => {
                let columns = last(name);
                let columns = columns.and_then(|name| self.planner.columns_of_call(&name.value));
                named(alias, Some(name), columns)
            }
            _ => vec![Source { name: None, columns: None, using: Vec::new() }],
        }
    }

    /// The name of an item without an alias: that of a column as its table has it.
    fn name_of(&self, expr: &Expr, sources: &[Source]) -> String {
        let (table, name) = match expr {
            Expr::Nested(inner) => return self.name_of(inner, sources),
            Expr::Identifier(name) => (None, name),
            Expr::CompoundIdentifier(names) => match &names[..] {
                [.., table, name] => (Some(table), name),
                _ => return String::new(),
            },
            _ => return String::new(),
        };
        let is_named = |source: &&Source| match (table, &source.name) {
            (None, _) => true,
            (Some(table), Some(name)) => is_same(name, &table.value),
            (Some(_), None) => false,
        };
        let mut columns =
            sources.iter().filter(is_named).flat_map(|source| source.columns.iter().flatten());
        let column = columns.find(|column| is_same(name, column));
        column.cloned().unwrap_or_else(|| self.shown(name))
    }

    /// Whether a column of a table has texts; `None` if that is not known, or if a CTE hides the
    /// table.
    pub(super) fn has_texts(&self, table: &str, column: &str) -> Option<bool> {
        let (table, column) = (table.to_lowercase(), column.to_lowercase());
        if self.has_cte(&table) {
            return None;
        }
        self.planner.has_texts(&table, &column)
    }

    /// Whether all values of `extract_arg` for a key are texts.
    pub(super) fn extracts_texts(&self, key: &str) -> bool {
        self.planner.extracts_texts(key)
    }

    fn of_name(&self, name: &str) -> Columns {
        let name = name.to_lowercase();
        match self.ctes.iter().rev().find(|(cte, _)| *cte == name) {
            Some((_, columns)) => columns.clone(),
            None => self.planner.columns_of(&name),
        }
    }
}

/// Calls `change` for every query of a statement with the names that the query sees, the queries
/// within it before it.
pub(super) fn visit_queries<'a>(
    statement: &mut Statement,
    scope: &Scope<'a>,
    change: &mut dyn FnMut(&mut Query, &Scope<'a>),
) {
    let mut queries = Queries { scopes: ScopeStack::new(Some(scope.clone())), change };
    let _: ControlFlow<()> = walk_mut(statement, &mut queries);
}

struct Queries<'a, 'c> {
    scopes: ScopeStack<'a>,
    change: &'c mut dyn FnMut(&mut Query, &Scope<'a>),
}

impl VisitorMut for Queries<'_, '_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        self.scopes.enter(query);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        if let Some(scope) = self.scopes.leave() {
            (self.change)(query, &scope);
        }
        ControlFlow::Continue(())
    }
}

/// A column that `*` stands for, with its table.
type StarColumn<'s> = (Option<&'s Ident>, &'s str);

/// The columns that `*`, or `table.*`, stands for in a SELECT with these tables in FROM, without
/// those that USING, EXCLUDE and EXCEPT leave out; `None` where they are not known.
fn star_columns<'s>(
    select: &Select,
    sources: &'s [Source],
    table: Option<&Ident>,
    options: &WildcardAdditionalOptions,
) -> Option<Vec<StarColumn<'s>>> {
    if options.opt_rename.is_some() || options.opt_ilike.is_some() {
        return None;
    }
    if has_natural_join(select) && sources.iter().any(|source| source.columns.is_none()) {
        return None;
    }
    let is_named = |source: &&Source| match (table, &source.name) {
        (None, _) => true,
        (Some(table), Some(name)) => is_same(name, &table.value),
        (Some(_), None) => false,
    };
    let sources: Vec<&Source> = sources.iter().filter(is_named).collect();
    let left_out = left_out(options);
    // An unknown name is an error, which the engine reports.
    let is_known = |name: &&Ident| sources.iter().any(|source| source.has(&name.value));
    if sources.is_empty() || !left_out.iter().all(is_known) {
        return None;
    }
    // `a.*` and `b.*` both have the column that a join is USING, `*` has it once.
    let mut columns: Vec<StarColumn> = Vec::new();
    for source in sources {
        for column in source.columns.as_ref()? {
            let is_joined = table.is_none()
                && source.using.contains(&column.to_lowercase())
                && columns.iter().any(|(_, known)| known.eq_ignore_ascii_case(column));
            if !is_joined && !left_out.iter().any(|name| is_same(name, column)) {
                columns.push((source.name.as_ref(), column.as_str()));
            }
        }
    }
    Some(columns)
}

/// The items of a SELECT with `*` and `table.*` written out, without the columns that USING,
/// EXCLUDE and EXCEPT leave out; `None` where that is impossible.
pub(super) fn written_out(select: &Select, scope: &Scope) -> Option<Vec<SelectItem>> {
    let mut sources = None;
    let mut items = Vec::new();
    for item in &select.projection {
        let Some((table, options)) = star(item) else {
            items.push(item.clone());
            continue;
        };
        let sources = sources.get_or_insert_with(|| scope.sources(select));
        for (table, column) in star_columns(select, sources, table, options)? {
            items.push(column_item(table?, column, options));
        }
    }
    Some(items)
}

/// The table before `*`, if there is one, and the options after it; `None` for other items.
fn star(item: &SelectItem) -> Option<(Option<&Ident>, &WildcardAdditionalOptions)> {
    match item {
        SelectItem::Wildcard(options) => Some((None, options)),
        SelectItem::QualifiedWildcard(
            SelectItemQualifiedWildcardKind::ObjectName(name),
            options,
        ) => Some((Some(last(name)?), options)),
        _ => None,
    }
}

/// Whether an item is `*` or `table.*`.
pub(super) fn is_star(item: &SelectItem) -> bool {
    matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..))
}

/// A column of `*` as an item of its own; the value that REPLACE gives it, if it does.
fn column_item(table: &Ident, column: &str, options: &WildcardAdditionalOptions) -> SelectItem {
    let name = Ident::with_quote('"', column.to_lowercase());
    let mut replaced = options.opt_replace.iter().flat_map(|replace| &replace.items);
    match replaced.find(|element| is_same(&element.column_name, column)) {
        Some(element) => SelectItem::ExprWithAlias { expr: element.expr.clone(), alias: name },
        None => SelectItem::UnnamedExpr(Expr::CompoundIdentifier(vec![table.clone(), name])),
    }
}

fn has_natural_join(select: &Select) -> bool {
    select.from.iter().flat_map(|from| &from.joins).any(is_natural)
}

fn is_natural(join: &Join) -> bool {
    use JoinOperator::{FullOuter, Inner, Join as Plain, Left, LeftOuter, Right, RightOuter};
    matches!(
        &join.join_operator,
        Plain(JoinConstraint::Natural)
            | Inner(JoinConstraint::Natural)
            | Left(JoinConstraint::Natural)
            | LeftOuter(JoinConstraint::Natural)
            | Right(JoinConstraint::Natural)
            | RightOuter(JoinConstraint::Natural)
            | FullOuter(JoinConstraint::Natural)
    )
}

/// The columns that a join is USING, in lower case; those of both sides for a NATURAL join. `None`
/// where the columns of a table are not known.
pub(super) fn join_columns(
    join: &Join,
    before: &[Source],
    joined: &[Source],
) -> Option<Vec<String>> {
    if !is_natural(join) {
        let names = using(join).into_iter().flatten().filter_map(last);
        return Some(names.map(|name| name.value.to_lowercase()).collect());
    }
    if before.iter().any(|source| source.columns.is_none()) {
        return None;
    }
    let mut names = Vec::new();
    for source in joined {
        let columns = source.columns.as_ref()?.iter();
        let shared = columns.filter(|column| before.iter().any(|source| source.has(column)));
        names.extend(shared.map(|column| column.to_lowercase()));
    }
    Some(names)
}

/// The columns of `USING (…)`.
pub(super) fn using(join: &Join) -> Option<&Vec<ObjectName>> {
    use JoinOperator::{FullOuter, Inner, Join as Plain, Left, LeftOuter, Right, RightOuter};
    match &join.join_operator {
        Plain(JoinConstraint::Using(names))
        | Inner(JoinConstraint::Using(names))
        | Left(JoinConstraint::Using(names))
        | LeftOuter(JoinConstraint::Using(names))
        | Right(JoinConstraint::Using(names))
        | RightOuter(JoinConstraint::Using(names))
        | FullOuter(JoinConstraint::Using(names)) => Some(names),
        _ => None,
    }
}

fn aliased(alias: &TableAlias, columns: Columns) -> Columns {
    if alias.columns.is_empty() {
        return columns;
    }
    Some(alias.columns.iter().map(|column| column.name.value.clone()).collect())
}

/// The last part of a name.
pub(super) fn last(name: &ObjectName) -> Option<&Ident> {
    name.0.last()?.as_ident()
}

pub(super) fn is_same(ident: &Ident, name: &str) -> bool {
    ident.value.eq_ignore_ascii_case(name)
}
