//! The columns that a syntax tree can name: those of tables and views by the catalog, those of
//! CTEs and subqueries by their items. No query is planned for this, except views on first use.

use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{
    Cte, Expr, Ident, Join, JoinConstraint, JoinOperator, ObjectName, Query, Select, SelectItem,
    SelectItemQualifiedWildcardKind, SetExpr, Statement, TableAlias, TableFactor,
};

use super::planner::Planner;
use super::rewrite::{DUPLICATE_SUFFIX, QuotedNames};

/// How deeply queries within FROM are looked into.
const MAX_DEPTH: usize = 64;

/// Names of columns as they are written; `None` where they are unknown, as those of a table function.
pub(super) type Columns = Option<Vec<String>>;

/// A table in FROM.
pub(super) struct Source {
    /// The name or alias of the table.
    pub name: Option<Ident>,
    pub columns: Columns,
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
                SelectItem::UnnamedExpr(expr) => columns.push(self.name_of(expr)),
                SelectItem::ExprWithAlias { alias, .. } => columns.push(self.shown(alias)),
                SelectItem::Wildcard(_) => {
                    let sources = sources.get_or_insert_with(|| self.sources(select));
                    columns.extend(all_columns(select, sources)?);
                }
                SelectItem::QualifiedWildcard(
                    SelectItemQualifiedWildcardKind::ObjectName(name),
                    _,
                ) => {
                    let sources = sources.get_or_insert_with(|| self.sources(select));
                    let table = last(name)?;
                    let is_it = |source: &&Source| {
                        source.name.as_ref().is_some_and(|it| is_same(it, &table.value))
                    };
                    columns.extend(sources.iter().find(is_it)?.columns.clone()?);
                }
                _ => return None,
            }
        }
        Some(columns)
    }

    /// The tables in FROM, in order.
    pub(super) fn sources(&self, select: &Select) -> Vec<Source> {
        let mut sources = Vec::new();
        for from in &select.from {
            sources.extend(self.of_factor(&from.relation));
            for join in &from.joins {
                sources.extend(self.of_factor(&join.relation));
            }
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
            vec![Source { name, columns }]
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
                    sources.extend(self.of_factor(&join.relation));
                }
                sources
            }
            TableFactor::Function { name, alias, .. } | TableFactor::Table { name, alias, .. } => {
                let columns = last(name);
                let columns = columns.and_then(|name| self.planner.columns_of_call(&name.value));
                named(alias, Some(name), columns)
            }
            _ => vec![Source { name: None, columns: None }],
        }
    }

    /// The name of an item without an alias.
    fn name_of(&self, expr: &Expr) -> String {
        match expr {
            Expr::Identifier(name) => self.shown(name),
            Expr::CompoundIdentifier(names) => {
                names.last().map(|name| self.shown(name)).unwrap_or_default()
            }
            _ => String::new(),
        }
    }

    fn of_name(&self, name: &str) -> Columns {
        let name = name.to_lowercase();
        match self.ctes.iter().rev().find(|(cte, _)| *cte == name) {
            Some((_, columns)) => columns.clone(),
            None => self.planner.columns_of(&name),
        }
    }
}

/// The columns that `*` gives: one for each name that joins are USING.
fn all_columns(select: &Select, sources: &[Source]) -> Columns {
    let using = using_names(select);
    let mut columns: Vec<String> = Vec::new();
    for source in sources {
        for column in source.columns.as_ref()? {
            let is_known = |known: &String| known.eq_ignore_ascii_case(column);
            if !(using.contains(&column.to_lowercase()) && columns.iter().any(is_known)) {
                columns.push(column.clone());
            }
        }
    }
    Some(columns)
}

/// The items of a SELECT with `*` written out, without the columns that USING leaves out; `None`
/// where that is impossible.
pub(super) fn written_out(select: &Select, scope: &Scope) -> Option<Vec<SelectItem>> {
    let names = using_names(select);
    let mut items = Vec::new();
    for item in &select.projection {
        let SelectItem::Wildcard(options) = item else {
            items.push(item.clone());
            continue;
        };
        if options.opt_exclude.is_some()
            || options.opt_except.is_some()
            || options.opt_replace.is_some()
        {
            return None;
        }
        let mut seen: Vec<String> = Vec::new();
        for source in scope.sources(select) {
            let (table, columns) = (source.name?, source.columns?);
            for column in columns {
                let column = column.to_lowercase();
                if names.contains(&column) {
                    if seen.contains(&column) {
                        continue;
                    }
                    seen.push(column.clone());
                }
                let column = Ident::with_quote('"', column);
                let column = Expr::CompoundIdentifier(vec![table.clone(), column]);
                items.push(SelectItem::UnnamedExpr(column));
            }
        }
    }
    Some(items)
}

fn using_names(select: &Select) -> Vec<String> {
    let joins = select.from.iter().flat_map(|from| &from.joins);
    joins
        .filter_map(using)
        .flatten()
        .filter_map(last)
        .map(|name| name.value.to_lowercase())
        .collect()
}

/// The columns of `USING (…)`.
pub(super) fn using(join: &Join) -> Option<&Vec<ObjectName>> {
    use JoinOperator::{Inner, Join as Plain, Left, LeftOuter};
    match &join.join_operator {
        Plain(JoinConstraint::Using(names))
        | Inner(JoinConstraint::Using(names))
        | Left(JoinConstraint::Using(names))
        | LeftOuter(JoinConstraint::Using(names)) => Some(names),
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
