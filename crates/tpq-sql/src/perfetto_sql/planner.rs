//! From syntax tree to logical plan, with table names looked up in tpq's own catalog.

use std::cell::RefCell;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, SchemaRef};
use datafusion::common::{Result, TableReference, plan_err};
use datafusion::config::ConfigOptions;
use datafusion::datasource::cte_worktable::CteWorkTable;
use datafusion::datasource::provider_as_source;
use datafusion::error::DataFusionError;
use datafusion::execution::SessionState;
use datafusion::logical_expr::planner::{ContextProvider, ExprPlanner, TypePlanner};
use datafusion::logical_expr::{
    AggregateUDF, Expr, HigherOrderUDF, LogicalPlan, LogicalPlanBuilder, ScalarUDF, TableSource,
    WindowUDF,
};
use datafusion::optimizer::AnalyzerRule;
use datafusion::optimizer::analyzer::type_coercion::TypeCoercion;
use datafusion::sql::parser::{DFParserBuilder, Statement as Tree};
use datafusion::sql::planner::{NullOrdering, ParserOptions, PlannerContext, SqlToRel};
use datafusion::sql::sqlparser::ast;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use super::affinity::{Affinity, column_affinity};
use super::complexity::{TokenLimits, check_tokens, flatten};
use super::dialect::{TraceDialect, sqlite_tokens};
use super::duckdb::plain_tokens;
use super::exclusions::mark_exclusions;
use super::expansion::{check_expansion, check_plan, parts_of};
use super::file_tables::read_named_files;
use super::lateral::see_tables_before;
use super::rewrite::{
    QuotedNames, StatementNames, check_growth, coalesce_joined, display_names, drop_unused_ctes,
    limited_recursion, lower_case_names, mark_computed, name_computed_keys, number_tables,
    refuse_collations, repeated_recursion, rewrite, rewrite_failed, select_order_keys, widen,
    write_out_aliases, write_out_inner_aliases, write_out_stars,
};
use super::scope::Scope;
use super::titles::Titles;
use super::types::without_booleans;
use super::union_types::with_union_types;
use super::{Declared, Returns, Text, TraceTypes, fields};
use crate::cancel::CancelToken;
use crate::catalog::{Catalog, Created, MaterializedTable, SqlFunction};
use crate::errors::{Names, SqlError, SqlErrorKind, reported_error, translate, unknown_table};
use crate::files::{FileAccess, Reader};
use crate::functions::{CallArgument, EXTRACT_ARG, extracts_texts, is_text};
use crate::lowering::{SqlCall, lower};

/// How deeply brackets may nest, in calls, expressions and queries: deep enough for generated SQL.
pub(crate) const NESTING: usize = 400;

/// How many functions may delegate to one another in a row.
const DELEGATIONS: usize = 16;

/// How names of functions in Perfetto's library begin.
const INTRINSIC: &str = "__intrinsic_";

/// How many names that are no columns a statement may have.
const REWRITES: usize = 100;

/// A statement ready to run.
pub(crate) struct Planned {
    pub plan: LogicalPlan,
    /// The title of each column.
    pub names: Vec<String>,
}

/// Plans statements against a catalog.
pub(crate) struct Planner<'a> {
    pub(super) state: &'a SessionState,
    pub(super) catalog: &'a Catalog,
    /// The objects being planned, the outermost first.
    planning: RefCell<Vec<String>>,
    /// The columns of `$table` in the queries of graph scans being planned, the innermost last.
    pub(super) step_tables: RefCell<Vec<SchemaRef>>,
    /// The error of a function that was named.
    trouble: RefCell<Option<SqlError>>,
}

impl Planner<'_> {
    /// The placeholder in a plan for the value of a function that a statement created.
    fn called_value(&self, function: &SqlFunction) -> Option<Arc<ScalarUDF>> {
        let Returns::Value(value) = function.returns() else { return None };
        match function.body(self) {
            Ok(body) => Some(Arc::new(SqlCall::udf(function, &value.data_type, body))),
            Err(error) => {
                self.trouble.borrow_mut().get_or_insert(error);
                None
            }
        }
    }
}

impl<'a> Planner<'a> {
    pub(crate) fn new(state: &'a SessionState, catalog: &'a Catalog) -> Self {
        Self {
            state,
            catalog,
            planning: RefCell::default(),
            step_tables: RefCell::default(),
            trouble: RefCell::default(),
        }
    }

    /// Plans a query.
    pub(crate) fn plan(&self, text: &Text) -> Result<Planned, SqlError> {
        self.plan_tree(self.parse(text)?, text)
    }

    /// The syntax tree of a statement.
    pub(crate) fn parse(&self, text: &Text) -> Result<Tree, SqlError> {
        check_tokens(text.tokens.iter().map(|token| &token.token), TokenLimits::STATEMENT)?;
        let mut tree = parse(text).map_err(|error| self.error(error, text))?;
        flatten(&mut tree)?;
        Ok(tree)
    }

    /// How many parts there are to plan where a table or view is named, and how many columns it
    /// has; `None` where there is none of that name.
    pub(super) fn size_of(&self, name: &str) -> Option<(u64, u64)> {
        let source = self.relation(name).ok()?;
        let columns = source.schema().fields().len() as u64;
        let view = source.get_logical_plan();
        Some((view.map_or(columns, |plan| parts_of(&plan)) + 1, columns))
    }

    /// The table or view of that name, or the `$table` of the query that is being planned.
    pub(super) fn relation(&self, name: &str) -> Result<Arc<dyn TableSource>> {
        match self.step_table(name) {
            Some(table) => Ok(table),
            None => self.catalog.source(name, self),
        }
    }

    /// The columns of a table or view, as they are written; `None` where there is none of that
    /// name.
    pub(super) fn columns_of(&self, name: &str) -> Option<Vec<String>> {
        let schema = self.relation(name).ok()?.schema();
        let columns: Vec<String> =
            schema.fields().iter().map(|field| field.name().clone()).collect();
        let written = self.catalog.objects().relation(name).and_then(|it| it.written_columns());
        Some(written.filter(|written| same_names(written, &columns)).unwrap_or(columns))
    }

    /// The columns of a table function, as far as its arguments do not decide them.
    pub(super) fn columns_of_call(&self, name: &str) -> Option<Vec<String>> {
        let name = name.to_lowercase();
        if let Some(function) = self.sql_function(&name) {
            let Returns::Table(columns) = function.returns() else { return None };
            return Some(columns.iter().map(|column| column.name.text.clone()).collect());
        }
        let function = self.table_function(&self.delegate(&name)?).ok().flatten()?;
        let unknown = CallArgument { data_type: DataType::Null, text: None };
        let schema = function.schema(&vec![unknown; function.arguments().len()]).ok()?;
        Some(schema.fields().iter().map(|field| field.name().clone()).collect())
    }

    /// Whether a statement created a table of that name; its rows have numbers.
    pub(super) fn has_numbers(&self, name: &str) -> bool {
        self.catalog.objects().relation(name).is_some_and(|created| created.has_numbers())
    }

    /// Whether a column of a table or view has texts alone, by names in lower case. `None` for
    /// texts of what a statement created, of which some may stand for numbers.
    pub(super) fn has_texts(&self, table: &str, column: &str) -> Option<bool> {
        let source = self.relation(table).ok()?;
        let schema = source.schema();
        let index = schema.index_of(column).ok()?;
        if !is_text(schema.field(index).data_type()) {
            return Some(false);
        }
        let created = self.catalog.objects().relation(table);
        let is_of_trace = match created {
            Some(created) => matches!(created, Created::Given(_)),
            None => self.catalog.is_built_in(table),
        };
        let is_plain = |plan: &LogicalPlan| column_affinity(plan, index) != Affinity::Mixed;
        is_of_trace.then(|| source.get_logical_plan().is_none_or(|view| is_plain(&view)))
    }

    /// Whether all values of `extract_arg` for a key are texts.
    pub(super) fn extracts_texts(&self, key: &str) -> bool {
        let function = self.get_function_meta(EXTRACT_ARG);
        function.is_some_and(|function| extracts_texts(&function, key))
    }

    /// Whether there is an aggregate function of that name.
    pub(super) fn is_aggregate(&self, name: &str) -> bool {
        self.state.aggregate_functions().contains_key(name)
    }

    /// Plans a query with a syntax tree that was parsed from `text`.
    pub(crate) fn plan_tree(&self, mut tree: Tree, text: &Text) -> Result<Planned, SqlError> {
        refuse_unless_query(&tree, text)?;
        check_growth(&tree)?;
        refuse_collations(&tree, &|name| self.is_aggregate(name))?;
        drop_unused_ctes(&mut tree, &text.tokens);
        check_expansion(&tree, self)?;
        let quoted = QuotedNames::of(&text.tokens);
        let written = Scope::written_names(&tree, self, &quoted);
        let titles = Titles::of(text);
        self.rewrite(&mut tree, &titles, &text.tokens);
        let planner = self.planner();
        let plan = self.plan_again(tree, text, |tree| planner.statement_to_plan(tree));
        let plan = plan.and_then(small_enough).and_then(with_union_types);
        let plan = plan.and_then(lower).and_then(small_enough);
        let plan = plan.and_then(without_booleans);
        let Planned { plan, mut names } = self.planned(plan, &titles, text)?;
        if let Some(written) = written.filter(|written| written.len() == names.len()) {
            for (name, written) in names.iter_mut().zip(written) {
                if name.eq_ignore_ascii_case(&written) {
                    *name = written;
                }
            }
        }
        Ok(Planned { plan, names })
    }

    /// Rewrites a statement to what DataFusion plans as SQLite would.
    fn rewrite(&self, tree: &mut Tree, titles: &Titles, tokens: &[TokenWithSpan]) {
        rewrite(tree, titles, &|name| self.is_aggregate(name));
        read_named_files(tree, &FileAccess::of(self.state.config_options()));
        see_tables_before(tree);
        number_tables(tree, tokens, self);
        coalesce_joined(tree, self);
        write_out_inner_aliases(tree, self);
        write_out_aliases(tree, self);
        name_computed_keys(tree, self);
        write_out_stars(tree, tokens, self);
        select_order_keys(tree, self);
        mark_computed(tree, self);
    }

    /// Plans the body of a function: `$1`, `$2`… in the plan are the arguments. Not lowered, as
    /// only the call decides what the arguments are.
    pub(crate) fn plan_body(&self, text: &Text, args: &[Declared]) -> Result<Planned, SqlError> {
        let mut tree = self.parse(text)?;
        refuse_unless_query(&tree, text)?;
        check_growth(&tree)?;
        refuse_collations(&tree, &|name| self.is_aggregate(name))?;
        check_expansion(&tree, self)?;
        let titles = Titles::of(text);
        self.rewrite(&mut tree, &titles, &text.tokens);
        let field = |arg: &Declared| {
            Some(Arc::new(Field::new(&arg.name.text, arg.data_type.clone(), true)))
        };
        let fields: Vec<_> = args.iter().map(field).collect();
        let planner = self.planner();
        let plan = self.plan_again(tree, text, |tree| {
            let Tree::Statement(query) = tree else { return plan_err!("EXPLAIN is no body") };
            let mut context = PlannerContext::new().with_prepare_param_data_types(fields.clone());
            planner.sql_statement_to_plan_with_context(*query, &mut context)
        });
        self.planned(plan.and_then(with_union_types), &titles, text)
    }

    /// Plans a statement, rewritten for as long as planning finds something to rewrite.
    fn plan_again(
        &self,
        mut tree: Tree,
        text: &Text,
        plan: impl Fn(Tree) -> Result<LogicalPlan>,
    ) -> Result<LogicalPlan> {
        let names = StatementNames { planner: self, quoted: QuotedNames::of(&text.tokens) };
        let may_be_mistaken = fields::may_be_mistaken(&tree);
        let plan = |tree: Tree| -> Result<LogicalPlan> {
            let planned = plan(tree)?;
            if may_be_mistaken {
                fields::check(&planned)?;
            }
            Ok(planned)
        };
        for _ in 0..REWRITES {
            match plan(tree.clone()) {
                // Errors of a view that it uses cannot be corrected here.
                Err(error)
                    if reported_error(&error).is_none()
                        && rewrite_failed(&mut tree, &error, &names) =>
                {
                    check_expansion(&tree, self).map_err(as_external)?;
                }
                Ok(planned) if widen(&mut tree, &planned)? => {}
                planned => return planned,
            }
        }
        plan(tree)
    }

    fn planner(&self) -> SqlToRel<'_, Self> {
        let options = ParserOptions::default()
            .with_collect_spans(true)
            .with_default_null_ordering(NullOrdering::NullsMin);
        SqlToRel::new_with_options(self, options)
    }

    fn planned(
        &self,
        plan: Result<LogicalPlan>,
        titles: &Titles,
        text: &Text,
    ) -> Result<Planned, SqlError> {
        // Errors of a function cannot be returned where DataFusion asks for it.
        if let Some(error) = self.trouble.take() {
            return Err(error);
        }
        let plan = plan.map_err(|error| self.error(error, text))?;
        let columns: Vec<&str> =
            plan.schema().fields().iter().map(|field| field.name().as_str()).collect();
        let names = display_names(titles.of_result(), &columns);
        Ok(Planned { plan, names })
    }

    /// The plan with the types that its columns have when it runs: those of CASE and UNION are
    /// decided by all of their parts, after planning.
    pub(crate) fn with_final_types(&self, plan: LogicalPlan) -> Result<LogicalPlan> {
        TypeCoercion::new().analyze(plan, self.state.config_options())
    }

    /// How often a name got another meaning in this session, as what it named was replaced or
    /// dropped.
    pub(crate) fn changes(&self) -> u64 {
        self.catalog.objects().changes()
    }

    /// The plan that reads a table or view.
    pub(crate) fn scan(&self, name: &str) -> Result<LogicalPlan> {
        let source = self.catalog.source(name, self)?;
        LogicalPlanBuilder::scan(TableReference::bare(name), source, None)?.build()
    }

    /// A table of the user's own, in lower case.
    pub(crate) fn own_table(&self, name: &str) -> Result<Arc<MaterializedTable>, SqlError> {
        match self.catalog.objects().relation(name) {
            Some(Created::Own(table)) => return Ok(table),
            Some(Created::Declared(_) | Created::Given(_)) => {}
            None if self.catalog.is_built_in(name) => {}
            None => return Err(unknown_table(name, &self.names())),
        }
        let message = format!("`{name}` cannot be changed");
        let hint = format!(
            "only tables made by CREATE TABLE can: CREATE TABLE my_{name} AS SELECT * FROM {name}"
        );
        Err(SqlError::new(SqlErrorKind::Invalid, message).hint(Some(hint)))
    }

    /// Plans something that `name` stands for, unless that is what is being planned already.
    pub(crate) fn within<T>(
        &self,
        name: &str,
        plan: impl FnOnce() -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        if self.planning.borrow().iter().any(|other| other == name) {
            let message = format!("`{name}` is defined by itself");
            return Err(SqlError::new(SqlErrorKind::Invalid, message));
        }
        self.planning.borrow_mut().push(name.to_owned());
        let planned = plan();
        self.planning.borrow_mut().pop();
        planned
    }

    /// An error of the statement that is `text`.
    pub(crate) fn error(&self, error: DataFusionError, text: &Text) -> SqlError {
        translate(error, text, &self.names())
    }

    /// The function that a statement created under that name, or the one it delegates to.
    pub(super) fn sql_function(&self, name: &str) -> Option<Arc<SqlFunction>> {
        let mut function = self.catalog.objects().function(name)?;
        // Long enough for any chain that ends.
        for _ in 0..DELEGATIONS {
            let Some(next) = function.delegates_to() else { return Some(function) };
            let next = self.catalog.objects().function(&next.text)?;
            function = next;
        }
        None
    }

    /// The name of the built-in function that a function created by a statement delegates to.
    pub(super) fn delegate(&self, name: &str) -> Option<String> {
        let mut name = name.to_owned();
        for _ in 0..DELEGATIONS {
            let Some(function) = self.catalog.objects().function(&name) else { return Some(name) };
            name = function.delegates_to()?.text.clone();
        }
        None
    }

    pub(crate) fn names(&self) -> Names {
        let mut functions = self.udf_names();
        functions.extend(self.catalog.function_names());
        functions.extend(self.udaf_names());
        functions.extend(self.udwf_names());
        functions.extend(Reader::names().map(str::to_owned));
        functions.sort();
        functions.dedup();
        Names { tables: self.catalog.names(), functions, modules: Some(self.catalog.modules()) }
    }
}

/// Whether names differ in nothing but their case.
fn same_names(written: &[String], columns: &[String]) -> bool {
    written.len() == columns.len()
        && written.iter().zip(columns).all(|(a, b)| a.eq_ignore_ascii_case(b))
}

fn small_enough(plan: LogicalPlan) -> Result<LogicalPlan> {
    match check_plan(&plan) {
        Ok(()) => Ok(plan),
        Err(error) => Err(as_external(error)),
    }
}

pub(super) fn as_external(error: SqlError) -> DataFusionError {
    DataFusionError::External(error.into())
}

fn parse(text: &Text) -> Result<Tree> {
    let dialect = TraceDialect::for_tokens(text.tokens.len());
    let mut tokens = plain_tokens(text.tokens.clone());
    lower_case_names(&mut tokens);
    let tokens = mark_exclusions(sqlite_tokens(tokens));
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

/// Only queries are planned here.
fn refuse_unless_query(tree: &Tree, text: &Text) -> Result<(), SqlError> {
    match tree {
        Tree::Statement(inner) if matches!(**inner, ast::Statement::Query(_)) => {
            if let Some(name) = repeated_recursion(inner) {
                let message = format!("`{name}` reads itself in several terms: not supported");
                let hint = "read it once, joined with VALUES that tell the terms apart";
                return Err(
                    SqlError::new(SqlErrorKind::Unsupported, message).hint(Some(hint.to_owned()))
                );
            }
            match limited_recursion(inner) {
                None => Ok(()),
                Some(name) => Err(SqlError::new(
                    SqlErrorKind::Unsupported,
                    format!("LIMIT inside the recursive `{name}` is not supported"),
                )
                .hint(Some("end the recursion in WHERE, as in `WHERE n < 10`".into()))),
            }
        }
        Tree::Explain(explain) => refuse_unless_query(&explain.statement, text),
        _ => Err(not_a_query(&first_word(text), text)),
    }
}

fn not_a_query(verb: &str, text: &Text) -> SqlError {
    let span = text.tokens.iter().find(|token| matches!(token.token, Token::Word(_)));
    let message = format!("{verb} is not supported here: a query is expected");
    SqlError::new(SqlErrorKind::Unsupported, message)
        .at(span.and_then(|token| text.sources.location(token.span)))
}

/// The word a statement begins with, in upper case.
fn first_word(text: &Text) -> String {
    let words = text.tokens.iter().filter(|token| matches!(token.token, Token::Word(_)));
    words.map(|token| token.token.to_string().to_uppercase()).next().unwrap_or_default()
}

impl ContextProvider for Planner<'_> {
    fn get_table_source(&self, name: TableReference) -> Result<Arc<dyn TableSource>> {
        CancelToken::of(self.state.config_options()).check()?;
        match name.schema() {
            Some(schema) => self.catalog.source_in(schema, name.table(), self),
            None => self.relation(name.table()),
        }
    }

    fn get_table_function_source(
        &self,
        name: &str,
        args: Vec<Expr>,
    ) -> Result<Arc<dyn TableSource>> {
        self.called_in_from(&name.to_lowercase(), args)
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
        let name = name.to_lowercase();
        if let Some(function) = self.sql_function(&name) {
            return self.called_value(&function);
        }
        let name = self.delegate(&name)?;
        let functions = self.state.scalar_functions();
        let public = || functions.get(name.strip_prefix(INTRINSIC)?);
        functions.get(&name).or_else(public).cloned()
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
