//! From syntax tree to logical plan, with table names looked up in tpq's own catalog.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::{DFSchema, Result, TableReference, plan_err};
use datafusion::config::ConfigOptions;
use datafusion::datasource::cte_worktable::CteWorkTable;
use datafusion::datasource::provider_as_source;
use datafusion::execution::SessionState;
use datafusion::logical_expr::planner::{ContextProvider, ExprPlanner, TypePlanner};
use datafusion::logical_expr::{
    AggregateUDF, Expr, ExprSchemable, HigherOrderUDF, LogicalPlan, ScalarUDF, TableSource,
    WindowUDF,
};
use datafusion::sql::parser::{DFParserBuilder, Statement as Tree};
use datafusion::sql::planner::{NullOrdering, ParserOptions, SqlToRel};
use datafusion::sql::sqlparser::ast;
use datafusion::sql::sqlparser::tokenizer::Token;

use super::dialect::{TraceDialect, sqlite_tokens};
use super::rewrite::{display_names, limited_recursion, lower_case_names, rewrite, rewrite_failed};
use super::titles::Titles;
use super::types::without_booleans;
use super::{Statement, TraceTypes};
use crate::catalog::Catalog;
use crate::errors::{Names, SqlError, SqlErrorKind, translate};
use crate::functions::CallArgument;
use crate::lowering::{CallSource, lower};

/// Deep enough for generated SQL; the stack grows as needed.
const NESTING: usize = 400;

/// How many names that are no columns a statement may have.
const REWRITES: usize = 100;

/// A statement ready to run.
pub(crate) struct Planned {
    pub plan: LogicalPlan,
    /// What to show for each column.
    pub names: Vec<String>,
}

/// Plans statements against a catalog.
pub(crate) struct Planner<'a> {
    state: &'a SessionState,
    catalog: &'a Catalog,
}

/// What a table function is called with, as far as it is known before the statement runs.
fn call_argument(expr: &Expr) -> CallArgument {
    match expr {
        Expr::Literal(value, _) => CallArgument {
            data_type: value.data_type(),
            text: value.try_as_str().flatten().map(Arc::from),
        },
        other => CallArgument {
            data_type: other.get_type(&DFSchema::empty()).unwrap_or(DataType::Null),
            text: None,
        },
    }
}

impl<'a> Planner<'a> {
    pub(crate) fn new(state: &'a SessionState, catalog: &'a Catalog) -> Self {
        Self { state, catalog }
    }

    /// Plans one statement.
    pub(crate) fn plan(&self, statement: &Statement) -> Result<Planned, SqlError> {
        let Statement { script, tokens } = statement;
        let failed = |error| translate(error, script, tokens, &self.names());
        let titles = Titles::of(script, tokens);
        let mut tree = parse(statement).map_err(failed)?;
        refuse_unless_query(&tree, statement)?;
        rewrite(&mut tree, &titles);
        let options = ParserOptions::default()
            .with_collect_spans(true)
            .with_default_null_ordering(NullOrdering::NullsMin);
        let planner = SqlToRel::new_with_options(self, options);
        let plan = plan_again(&planner, tree).and_then(lower).and_then(without_booleans);
        let plan = plan.map_err(failed)?;
        let columns: Vec<&str> =
            plan.schema().fields().iter().map(|field| field.name().as_str()).collect();
        let names = display_names(titles.of_result(), &columns);
        Ok(Planned { plan, names })
    }

    pub(crate) fn names(&self) -> Names {
        let mut functions = self.udf_names();
        functions.extend(self.udaf_names());
        functions.extend(self.udwf_names());
        functions.sort();
        Names { tables: self.catalog.names(), functions }
    }
}

/// Plans a statement, rewritten for as long as something is found that only planning can tell.
fn plan_again(planner: &SqlToRel<Planner>, mut tree: Tree) -> Result<LogicalPlan> {
    for _ in 0..REWRITES {
        match planner.statement_to_plan(tree.clone()) {
            Err(error) if rewrite_failed(&mut tree, &error) => {}
            planned => return planned,
        }
    }
    planner.statement_to_plan(tree)
}

fn parse(statement: &Statement) -> Result<Tree> {
    let dialect = TraceDialect::default();
    let mut tokens = statement.tokens.clone();
    lower_case_names(&mut tokens);
    let tokens = sqlite_tokens(tokens);
    let mut parser = DFParserBuilder::new(tokens)
        .with_dialect(&dialect)
        .with_recursion_limit(NESTING)
        .build()?;
    let tree = parser.parse_statement()?;
    if parser.parser.peek_token_ref().token != Token::EOF {
        parser.parser.expected("the end of the statement", parser.parser.peek_token())?;
    }
    Ok(tree)
}

/// The trace is read, never changed.
fn refuse_unless_query(tree: &Tree, statement: &Statement) -> Result<(), SqlError> {
    match tree {
        Tree::Statement(inner) if matches!(**inner, ast::Statement::Query(_)) => {
            match limited_recursion(inner) {
                None => Ok(()),
                Some(name) => Err(SqlError::new(
                    SqlErrorKind::Unsupported,
                    format!("LIMIT inside the recursive `{name}` is not supported"),
                )
                .hint(Some("end the recursion in WHERE, as in `WHERE n < 10`".into()))),
            }
        }
        Tree::Explain(explain) => refuse_unless_query(&explain.statement, statement),
        _ => {
            let verb = statement.text().split_whitespace().next().unwrap_or_default();
            Err(SqlError::new(
                SqlErrorKind::Unsupported,
                format!("{} is not supported: only queries are", verb.to_uppercase()),
            ))
        }
    }
}

impl ContextProvider for Planner<'_> {
    fn get_table_source(&self, name: TableReference) -> Result<Arc<dyn TableSource>> {
        self.catalog.source(name.table(), self)
    }

    fn get_table_function_source(
        &self,
        name: &str,
        args: Vec<Expr>,
    ) -> Result<Arc<dyn TableSource>> {
        let name = name.to_lowercase();
        let Some(function) = self.catalog.table_function(&name) else {
            return plan_err!("Invalid function '{name}'");
        };
        let known: Vec<CallArgument> = args.iter().map(call_argument).collect();
        let (given, wanted) = (args.len(), function.arguments().len());
        if given != wanted {
            return plan_err!("{name}() takes {wanted} arguments, {given} were given");
        }
        let schema = function.schema(&known)?;
        Ok(Arc::new(CallSource { function: Arc::clone(function), args, schema }))
    }

    fn create_cte_work_table(&self, name: &str, schema: SchemaRef) -> Result<Arc<dyn TableSource>> {
        Ok(provider_as_source(Arc::new(CteWorkTable::new(name, schema))))
    }

    fn get_expr_planners(&self) -> &[Arc<dyn ExprPlanner>] {
        self.state.expr_planners()
    }

    fn get_type_planner(&self) -> Option<Arc<dyn TypePlanner>> {
        Some(Arc::new(TraceTypes))
    }

    fn get_function_meta(&self, name: &str) -> Option<Arc<ScalarUDF>> {
        self.state.scalar_functions().get(name).cloned()
    }

    fn get_higher_order_meta(&self, _: &str) -> Option<Arc<HigherOrderUDF>> {
        None
    }

    fn get_aggregate_meta(&self, name: &str) -> Option<Arc<AggregateUDF>> {
        self.state.aggregate_functions().get(name).cloned()
    }

    fn get_window_meta(&self, name: &str) -> Option<Arc<WindowUDF>> {
        self.state.window_functions().get(name).cloned()
    }

    fn get_variable_type(&self, _: &[String]) -> Option<DataType> {
        None
    }

    fn options(&self) -> &ConfigOptions {
        self.state.config_options()
    }

    fn udf_names(&self) -> Vec<String> {
        self.state.scalar_functions().keys().cloned().collect()
    }

    fn higher_order_function_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn udaf_names(&self) -> Vec<String> {
        self.state.aggregate_functions().keys().cloned().collect()
    }

    fn udwf_names(&self) -> Vec<String> {
        self.state.window_functions().keys().cloned().collect()
    }
}
