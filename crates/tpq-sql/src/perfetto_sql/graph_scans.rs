//! Graph scans in FROM: `__intrinsic_graph_scan` and `__intrinsic_graph_aggregating_scan`.
//!
//! ```sql
//! FROM __intrinsic_table_ptr(__intrinsic_graph_scan(
//!   (SELECT __intrinsic_graph_agg(source, dest) FROM edges),
//!   (SELECT __intrinsic_row_dataframe_agg('id', id, 'depth', 0) FROM starts),
//!   '(SELECT id, depth + 1 AS depth FROM $table)',
//!   '(depth)'))
//! ```
//!
//! The query in the third argument is planned on its own: it sees no CTE of the statement. In it,
//! `$table` is a table with the columns of the second argument.

use std::borrow::Cow;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::{Result, plan_err};
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, TableSource, cast, lit};
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Word};

use super::macros::{argument, is_blank};
use super::planner::{Planned, Planner, as_external};
use super::script::{Statement, split_script};
use super::table_pointers::POINTER;
use super::{Script, Text};
use crate::errors::{SqlError, SqlErrorKind};
use crate::functions::CONCAT_TEXT;
use crate::operators::{GraphScan, ScanKind, StepTable};

/// The name of the table in the query of a scan.
const STEP_TABLE: &str = "$table";

/// The column of node ids.
const ID: &str = "id";

/// The rows of a scan.
struct ScannedRows {
    plan: LogicalPlan,
    schema: SchemaRef,
}

impl TableSource for ScannedRows {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn get_logical_plan(&'_ self) -> Option<Cow<'_, LogicalPlan>> {
        Some(Cow::Borrowed(&self.plan))
    }
}

/// The arguments of a scan.
struct ScanCall<'a> {
    kind: ScanKind,
    graph: &'a Expr,
    init: &'a Expr,
    query: &'a str,
    /// The names of all columns; the first is `id`.
    names: Vec<String>,
}

/// The type of each column of a scan.
type Types = Vec<DataType>;

impl Planner<'_> {
    /// The rows of a graph scan, if the function `name` is called with one.
    pub(super) fn graph_scan(
        &self,
        name: &str,
        args: &[Expr],
    ) -> Result<Option<Arc<dyn TableSource>>> {
        let ([table, bound], POINTER) = (args, name) else { return Ok(None) };
        let Some(call) = ScanCall::of(table)? else { return Ok(None) };
        let plan = bind(call.plan(self)?, text_of(bound).unwrap_or_default())?;
        let schema = Arc::clone(plan.schema().inner());
        Ok(Some(Arc::new(ScannedRows { plan, schema })))
    }

    /// The table of that name, if it is the one in the query of a scan.
    pub(super) fn step_table(&self, name: &str) -> Option<Arc<dyn TableSource>> {
        if name != STEP_TABLE {
            return None;
        }
        let schema = self.step_tables.borrow().last().cloned()?;
        Some(provider_as_source(Arc::new(StepTable(schema))))
    }

    /// Plans the query of a scan, in which `$table` has the columns of `schema`.
    fn plan_step(&self, query: &str, schema: SchemaRef) -> Result<Planned, SqlError> {
        let text = step_text(query)?;
        self.step_tables.borrow_mut().push(schema);
        let planned = self.plan(&text);
        self.step_tables.borrow_mut().pop();
        planned
    }

    /// The rows of a table that is a value.
    fn rows_of(&self, table: &Expr, name: &str) -> Result<LogicalPlan> {
        let source = self.called_in_from(POINTER, vec![table.clone(), lit("")])?;
        LogicalPlanBuilder::scan(name, source, None)?.build()
    }
}

impl<'a> ScanCall<'a> {
    /// The scan that an expression is a call of.
    fn of(expr: &'a Expr) -> Result<Option<Self>> {
        let Expr::ScalarFunction(call) = expr else { return Ok(None) };
        let Some(kind) = ScanKind::named(call.name()) else { return Ok(None) };
        if let [graph, init, query, columns] = &call.args[..]
            && let (Some(query), Some(columns)) = (text_of(query), text_of(columns))
        {
            let columns = columns.trim().trim_start_matches('(').trim_end_matches(')');
            let columns = columns.split(',').map(str::trim).filter(|name| !name.is_empty());
            let names = std::iter::once(ID).chain(columns).map(str::to_owned).collect();
            return Ok(Some(Self { kind, graph, init, query, names }));
        }
        plan_err!(
            "{}() takes a graph, rows to start from, the text of a query, and a list of columns",
            kind.name()
        )
    }

    fn plan(&self, planner: &Planner) -> Result<LogicalPlan> {
        let edges = planner.rows_of(self.graph, "__edges")?;
        let fields = edges.schema().fields();
        if fields.len() != 2 || fields.iter().any(|field| field.data_type() != &DataType::Int64) {
            return plan_err!("{}() takes a graph of __intrinsic_graph_agg()", self.kind.name());
        }
        let init = planner.rows_of(self.init, "__init")?;
        let titles: Vec<String> =
            init.schema().fields().iter().map(|field| field.name().clone()).collect();
        let (columns, types) = self.columns(&init, &titles, "the rows to start from")?;
        if types.first() != Some(&DataType::Int64) {
            return plan_err!("{}(): id must be an integer", self.kind.name());
        }
        let (step, types) = self.plan_step(planner, types)?;
        let init = self.project(init, columns, &types)?;
        GraphScan::plan(self.kind, edges, init, step)
    }

    /// Plans the query. A column that it makes real is real in its table as well.
    fn plan_step(&self, planner: &Planner, mut types: Types) -> Result<(LogicalPlan, Types)> {
        loop {
            let planned = planner.plan_step(self.query, self.schema(&types));
            let Planned { plan, names } = planned.map_err(as_external)?;
            let (columns, found) = self.columns(&plan, &names, "its query")?;
            let joined = self.joined(&types, &found)?;
            if joined == types {
                return Ok((self.project(plan, columns, &types)?, types));
            }
            types = joined;
        }
    }

    /// The expressions and types of the scan's columns in a plan with these titles.
    fn columns(
        &self,
        plan: &LogicalPlan,
        titles: &[String],
        place: &str,
    ) -> Result<(Vec<Expr>, Types)> {
        let mut columns = Vec::with_capacity(self.names.len());
        let mut types = Vec::with_capacity(self.names.len());
        for name in &self.names {
            let mut titled = plan.schema().iter().zip(titles);
            let found = titled.find(|(_, title)| title.eq_ignore_ascii_case(name));
            let Some(((qualifier, field), _)) = found else {
                return plan_err!("{}(): no column {name} in {place}", self.kind.name());
            };
            columns.push(Expr::from((qualifier, field)));
            types.push(field.data_type().clone());
        }
        Ok((columns, types))
    }

    /// The types of columns that hold values of both types.
    fn joined(&self, types: &[DataType], found: &[DataType]) -> Result<Types> {
        let mut joined = Vec::with_capacity(types.len());
        for (name, (one, other)) in self.names.iter().zip(types.iter().zip(found)) {
            let both = common_type(one, other);
            let both = both.filter(|both| name != ID || both == &DataType::Int64);
            let Some(both) = both else {
                return plan_err!(
                    "{}(): {name} is {one} in the rows to start from and {other} in its query",
                    self.kind.name()
                );
            };
            joined.push(both);
        }
        Ok(joined)
    }

    fn schema(&self, types: &[DataType]) -> SchemaRef {
        let named = self.names.iter().zip(types);
        let fields = named.map(|(name, kind)| Field::new(name.to_lowercase(), kind.clone(), true));
        Arc::new(Schema::new(fields.collect::<Vec<_>>()))
    }

    /// The columns of a plan under the names of the scan.
    fn project(
        &self,
        plan: LogicalPlan,
        columns: Vec<Expr>,
        types: &[DataType],
    ) -> Result<LogicalPlan> {
        let named = columns.into_iter().zip(&self.names).zip(types);
        let columns = named
            .map(|((column, name), kind)| cast(column, kind.clone()).alias(name.to_lowercase()));
        LogicalPlanBuilder::from(plan).project(columns.collect::<Vec<_>>())?.build()
    }
}

/// The type of a column that holds values of type `one`, which is a column type of tables, and of
/// type `other`; `None` if there is none.
fn common_type(one: &DataType, other: &DataType) -> Option<DataType> {
    let is_integer = other.is_integer() || other == &DataType::Boolean;
    let is_blob = matches!(other, DataType::Binary | DataType::LargeBinary | DataType::BinaryView);
    match one {
        _ if one == other || other == &DataType::Null => Some(one.clone()),
        DataType::Int64 if is_integer => Some(DataType::Int64),
        DataType::Int64 | DataType::Float64 if is_integer || other.is_numeric() => {
            Some(DataType::Float64)
        }
        DataType::Utf8View if other.is_string() => Some(one.clone()),
        DataType::BinaryView if is_blob => Some(one.clone()),
        _ => None,
    }
}

/// The columns that a list such as `c0=id,c1=depth` names, or all without a list.
fn bind(plan: LogicalPlan, list: &str) -> Result<LogicalPlan> {
    if list.is_empty() {
        return Ok(plan);
    }
    let mut columns = Vec::new();
    for (alias, name) in list.split(',').filter_map(|binding| binding.split_once('=')) {
        let mut all = plan.schema().iter();
        let Some(column) = all.find(|(_, field)| field.name().eq_ignore_ascii_case(name)) else {
            return plan_err!("the table of {POINTER}() has no column called {name}");
        };
        columns.push(Expr::from(column).alias(alias));
    }
    LogicalPlanBuilder::from(plan).project(columns)?.build()
}

/// The text that an expression is a literal of.
fn text_of(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Literal(value, _) => value.try_as_str().flatten(),
        // A long text.
        Expr::ScalarFunction(call) if call.name() == CONCAT_TEXT => match &call.args[..] {
            [only] => text_of(only),
            _ => None,
        },
        _ => None,
    }
}

/// The query of a scan as a statement. It may also be the name of a table, or in parentheses.
fn step_text(query: &str) -> Result<Text, SqlError> {
    let mut statement = only_statement(query)?;
    if !statement.tokens.iter().find(|token| !is_blank(token)).is_some_and(begins_query) {
        statement = only_statement(&format!("SELECT * FROM {query}"))?;
    }
    let mut text = statement.text_as_written();
    for token in &mut text.tokens {
        if argument(token).as_deref() == STEP_TABLE.strip_prefix('$') {
            let (value, quote_style) = (STEP_TABLE.to_owned(), Some('"'));
            token.token = Token::Word(Word { value, quote_style, keyword: Keyword::NoKeyword });
        }
    }
    Ok(text)
}

fn begins_query(token: &TokenWithSpan) -> bool {
    let Token::Word(word) = &token.token else { return false };
    matches!(word.keyword, Keyword::SELECT | Keyword::WITH | Keyword::VALUES)
}

fn only_statement(sql: &str) -> Result<Statement, SqlError> {
    let mut statements = split_script(&Arc::new(Script { module: None, text: sql.into() }))?;
    match (statements.pop(), statements.is_empty()) {
        (Some(only), true) => Ok(only),
        _ => Err(SqlError::new(SqlErrorKind::Invalid, "a graph scan takes one query")),
    }
}
