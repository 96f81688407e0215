//! Tables and views that statements declare. Each is planned when a statement first names it.

use std::sync::{Arc, OnceLock};

use datafusion::arrow::datatypes::{DataType, FieldRef, SchemaRef};
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::datasource::{ViewTable, provider_as_source};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::{
    Expr, Join, JoinConstraint, LogicalPlan, LogicalPlanBuilder, TableSource, cast, col,
};
use datafusion::sql::sqlparser::tokenizer::Token;

use super::index_table::IndexTable;
use super::kept_plan::KeptPlan;
use super::materialized::MaterializedTable;
use super::relation::{Relation, RelationColumn};
use crate::errors::{SqlError, SqlErrorKind, nearest};
use crate::functions::{IndexKind, TableFunction, declared_call};
use crate::operators::{SpanJoin, SpanTable, TimeWindows};
use crate::perfetto_sql::{
    Creation, Declared, Planner, RelationDeclaration, SpanJoinCall, SpanJoinSide, Text,
    VirtualTable, named,
};

/// A table or view that a statement declares.
pub(crate) struct Definition {
    creation: Creation,
    columns: Option<Vec<Declared>>,
    rows: Rows,
    /// Whether this is a view of a file alone, which is not opened again for other statements.
    is_file: bool,
    /// The text that the spans of the declaration point into.
    text: Text,
    source: KeptPlan<Arc<dyn TableSource>>,
    materialized: OnceLock<Arc<MaterializedTable>>,
    numbered: OnceLock<Arc<MaterializedTable>>,
    /// The columns of the query as they are written.
    written: OnceLock<Vec<String>>,
    index: OnceLock<Arc<IndexTable>>,
}

/// The source of the rows.
enum Rows {
    /// The query runs each time the view is used.
    View(Text),
    /// The query runs when the table is first read; its rows stay in memory.
    Table(Text),
    SpanJoin(Box<SpanJoinCall>),
    TimeWindows(TimeWindows),
    /// Calls are answered from an index over the rows of the query.
    Index(&'static dyn IndexKind, Text),
}

impl Definition {
    /// Makes the definition from `CREATE PERFETTO TABLE` or `VIEW`.
    pub(crate) fn from_relation(declaration: RelationDeclaration, text: &Text) -> Self {
        let RelationDeclaration { creation, is_table, columns, query } = declaration;
        let query = Text { sources: text.sources.clone(), tokens: query };
        let rows = if is_table { Rows::Table(query) } else { Rows::View(query) };
        Self::new(creation, columns, rows, text)
    }

    /// Makes the definition from `ATTACH`.
    pub(crate) fn of_file(declaration: RelationDeclaration, text: &Text) -> Self {
        Self { is_file: true, ..Self::from_relation(declaration, text) }
    }

    /// Makes the definition from `CREATE VIRTUAL TABLE`.
    pub(crate) fn from_virtual_table(creation: Creation, table: VirtualTable, text: &Text) -> Self {
        let rows = match table {
            VirtualTable::SpanJoin(call) => Rows::SpanJoin(call),
            VirtualTable::TimeWindows(windows) => Rows::TimeWindows(windows),
            VirtualTable::Index(kind, query) => {
                Rows::Index(kind, Text { sources: text.sources.clone(), tokens: query })
            }
        };
        Self::new(creation, None, rows, text)
    }

    fn new(creation: Creation, columns: Option<Vec<Declared>>, rows: Rows, text: &Text) -> Self {
        let (source, materialized) = (KeptPlan::default(), OnceLock::new());
        let (text, numbered, index) = (text.clone(), OnceLock::new(), OnceLock::new());
        let (written, is_file) = (OnceLock::new(), false);
        Self {
            creation,
            columns,
            rows,
            is_file,
            text,
            source,
            materialized,
            numbered,
            written,
            index,
        }
    }

    /// The name as the statement writes it.
    pub(crate) fn name(&self) -> &str {
        &self.creation.name.written
    }

    /// Whether this is a view, which has no rows of its own.
    pub(super) fn is_view(&self) -> bool {
        matches!(self.rows, Rows::View(_))
    }

    /// The statement, with its macros expanded and without the comment before it.
    pub(crate) fn statement(&self) -> String {
        let tokens = self.text.tokens.iter().map(|token| &token.token);
        let tokens = tokens.skip_while(|token| matches!(token, Token::Whitespace(_)));
        let tokens = tokens.filter(|token| **token != Token::EOF);
        tokens.map(ToString::to_string).collect::<String>().trim_end().to_owned()
    }

    /// The description for `.schema`. Without declared columns, the column list is empty until the
    /// definition is planned.
    pub(crate) fn relation(&self) -> Relation {
        let columns = match (&self.columns, self.source.last()) {
            (Some(declared), _) => declared.iter().map(RelationColumn::from).collect(),
            (None, Some(source)) => RelationColumn::from_schema(&source.schema()),
            (None, None) => Vec::new(),
        };
        Relation { name: self.creation.name.text.clone(), doc: self.creation.doc.clone(), columns }
    }

    /// The same with all columns; plans the query if that is necessary.
    ///
    /// # Errors
    /// When the query cannot be planned.
    pub(super) fn planned_relation(&self, planner: &Planner) -> Result<Relation, SqlError> {
        let mut relation = self.relation();
        if self.columns.is_none() {
            let schema = match self.index_table(planner)? {
                Some(table) => table.columns().map_err(|error| planner.error(error, &self.text))?,
                None => self.source(planner)?.schema(),
            };
            relation.columns = RelationColumn::from_schema(&schema);
        }
        Ok(relation)
    }

    /// Returns the source that plans read from; plans the query on the first call, and that of a
    /// view again after something was replaced or dropped.
    ///
    /// # Errors
    /// When the query cannot be planned, its columns differ from the declared ones, or this is a
    /// table function.
    pub(crate) fn source(&self, planner: &Planner) -> Result<Arc<dyn TableSource>, SqlError> {
        match self.is_view() && !self.is_file {
            true => self.source_after(planner.changes(), planner),
            // The rows of a table stay, and a file is read by no name.
            false => self.source_once(planner),
        }
    }

    /// The same for a view of the prelude, which is planned only once.
    ///
    /// # Errors
    /// As [`Definition::source`].
    pub(super) fn source_once(&self, planner: &Planner) -> Result<Arc<dyn TableSource>, SqlError> {
        self.source_after(0, planner)
    }

    fn source_after(
        &self,
        changes: u64,
        planner: &Planner,
    ) -> Result<Arc<dyn TableSource>, SqlError> {
        let plan = || planner.within(&self.creation.name.text, || self.plan(planner));
        match self.rows {
            // The tables of a span join are looked up each time, as a statement may drop one and
            // create it again: Perfetto's page does so with a table of windows.
            Rows::SpanJoin(_) => plan(),
            _ => self.source.get_or_make(changes, plan),
        }
    }

    /// Returns the table function; plans the query on the first call. `None` if this is a table or
    /// view.
    ///
    /// # Errors
    /// When the query cannot be planned, or does not have the columns that the index reads.
    pub(crate) fn function(
        &self,
        planner: &Planner,
    ) -> Result<Option<Arc<dyn TableFunction>>, SqlError> {
        Ok(self.index_table(planner)?.map(|table| Arc::clone(table) as Arc<dyn TableFunction>))
    }

    fn index_table(&self, planner: &Planner) -> Result<Option<&Arc<IndexTable>>, SqlError> {
        let Rows::Index(kind, query) = &self.rows else { return Ok(None) };
        if let Some(table) = self.index.get() {
            return Ok(Some(table));
        }
        let name = &self.creation.name.text;
        let plan = planner.within(name, || self.plan_query(query, planner))?;
        let table = IndexTable::try_new(name, *kind, plan);
        let table = table.map_err(|error| planner.error(error, &self.text))?;
        Ok(Some(self.index.get_or_init(|| Arc::new(table))))
    }

    /// The table with rows in memory; `None` for views and before planning.
    pub(crate) fn materialized(&self) -> Option<Arc<MaterializedTable>> {
        self.materialized.get().cloned()
    }

    /// The columns as they are written; `None` before planning.
    pub(super) fn written_columns(&self) -> Option<Vec<String>> {
        self.written.get().cloned()
    }

    /// Whether the rows are kept in memory.
    pub(crate) fn is_table(&self) -> bool {
        matches!(self.rows, Rows::Table(_))
    }

    /// The table with the column `_auto_id`; `None` for views.
    ///
    /// # Errors
    /// As [`Definition::source`].
    pub(super) fn numbered(
        &self,
        planner: &Planner,
    ) -> Result<Option<Arc<MaterializedTable>>, SqlError> {
        self.source(planner)?;
        let Some(table) = self.materialized() else { return Ok(None) };
        let numbered = || Arc::new(MaterializedTable::numbered(table));
        Ok(Some(Arc::clone(self.numbered.get_or_init(numbered))))
    }

    fn plan(&self, planner: &Planner) -> Result<Arc<dyn TableSource>, SqlError> {
        let failed = |error| planner.error(error, &self.text);
        let view = |plan| Arc::new(ViewTable::new(without_using(plan), None));
        Ok(match &self.rows {
            Rows::View(query) => provider_as_source(view(self.plan_query(query, planner)?)),
            Rows::Table(query) => {
                let plan = self.plan_query(query, planner)?;
                let table = self
                    .materialized
                    .get_or_init(|| Arc::new(MaterializedTable::from_query(self.name(), plan)));
                provider_as_source(Arc::clone(table) as _)
            }
            Rows::SpanJoin(call) => {
                let plan = span_join(call, planner).map_err(failed)?;
                provider_as_source(view(plan))
            }
            Rows::TimeWindows(windows) => provider_as_source(Arc::new(*windows)),
            Rows::Index(kind, _) => return Err(without_arguments(self.name(), *kind)),
        })
    }

    fn plan_query(&self, query: &Text, planner: &Planner) -> Result<LogicalPlan, SqlError> {
        let planned = planner.plan(query)?;
        self.written.get_or_init(|| planned.names.clone());
        let plan = named(planned).and_then(|plan| planner.with_final_types(plan));
        let plan = plan.map_err(|error| planner.error(error, &self.text))?;
        match &self.columns {
            Some(declared) => check_columns(plan, declared, &self.text, planner),
            None => Ok(plan),
        }
    }
}

/// The plan with all joins as joins ON a condition. A `*` above would leave out what they are USING.
fn without_using(plan: LogicalPlan) -> LogicalPlan {
    let changed = plan.clone().transform_down_with_subqueries(|node| match node {
        LogicalPlan::Join(join) if join.join_constraint == JoinConstraint::Using => {
            let join_constraint = JoinConstraint::On;
            Ok(Transformed::yes(LogicalPlan::Join(Join { join_constraint, ..join })))
        }
        other => Ok(Transformed::no(other)),
    });
    changed.map_or(plan, |changed| changed.data)
}

/// The error for a table function that is used like a table.
fn without_arguments(name: &str, kind: &dyn IndexKind) -> SqlError {
    let arguments: Vec<&str> = kind.arguments().iter().map(|(name, _)| *name).collect();
    let message = format!("`{name}` is a table function, and is used without arguments");
    SqlError::new(SqlErrorKind::Invalid, message)
        .hint(Some(format!("write {name}({})", arguments.join(", "))))
}

/// Plans a span join of two tables, both of which must exist.
fn span_join(call: &SpanJoinCall, planner: &Planner) -> Result<LogicalPlan> {
    let table = |side: &SpanJoinSide| {
        Ok::<_, DataFusionError>(SpanTable {
            name: side.table.text.clone(),
            plan: planner.scan(&side.table.text)?,
            partition: side.partition.as_ref().map(|column| column.text.clone()),
        })
    };
    SpanJoin::try_new(table(&call.left)?, table(&call.right)?, call.kind)
}

/// Returns `plan` with its columns cast to their declared types.
///
/// # Errors
/// When `plan` and the declaration do not name the same columns, or a type cannot be converted.
pub(crate) fn check_columns(
    plan: LogicalPlan,
    declared: &[Declared],
    text: &Text,
    planner: &Planner,
) -> Result<LogicalPlan, SqlError> {
    let schema = Arc::clone(plan.schema().inner());
    for column in declared {
        check_column(column, &schema, text)?;
    }
    let undeclared = |name: &&str| !declared.iter().any(|column| column.name.text == **name);
    let names = schema.fields().iter().map(|field| field.name().as_str());
    if let Some(extra) = names.into_iter().find(|name| undeclared(name)) {
        let last = declared.last().map(|column| column.name.span);
        let message = format!("the query gives a column `{extra}` that is not declared");
        return Err(SqlError::new(SqlErrorKind::Invalid, message)
            .at(last.and_then(|span| text.sources.location(span)))
            .hint(Some(format!("declare it, as in `{extra} LONG`, or leave it out"))));
    }
    with_types(plan, declared).map_err(|error| planner.error(error, text))
}

fn check_column(column: &Declared, schema: &SchemaRef, text: &Text) -> Result<(), SqlError> {
    let name = &column.name.text;
    let location = || text.sources.location(column.name.span);
    let Some((_, field)) = schema.column_with_name(name) else {
        let names = schema.fields().iter().map(|field| field.name().as_str());
        let hint = nearest(name, names).map(|near| format!("it gives a column `{near}`"));
        let message = format!("`{name}` is declared, but the query gives no such column");
        return Err(SqlError::new(SqlErrorKind::Invalid, message).at(location()).hint(hint));
    };
    if convertible(&col(name.as_str()), field.data_type(), &column.data_type) {
        return Ok(());
    }
    let found = type_name(field.data_type());
    let message = format!("`{name}` is declared {}, but the query gives {found}", column.kind);
    Err(SqlError::new(SqlErrorKind::Invalid, message).at(location()))
}

/// Whether values of type `found` can be declared as type `declared` without changing a value.
pub(crate) fn fits(found: &DataType, declared: &DataType) -> bool {
    use DataType::{Boolean, Float64, Int64, LargeUtf8, Null, Utf8, Utf8View};
    match (found, declared) {
        (_, Null) | (Null, _) => true,
        (Utf8 | LargeUtf8 | Utf8View, Utf8View) => true,
        (Boolean, Int64 | Float64) => true,
        (found, Int64) => found.is_integer(),
        (found, Float64) => found.is_numeric(),
        (found, declared) => found.is_binary() && declared.is_binary(),
    }
}

/// Whether `value`, of type `found`, can be of type `declared`.
pub(crate) fn convertible(value: &Expr, found: &DataType, declared: &DataType) -> bool {
    fits(found, declared) || declared_call(value.clone(), found, declared, "").is_some()
}

/// Converts a value of type `found` to the type that it is declared with.
pub(crate) fn converted(
    value: Expr,
    found: &DataType,
    declared: &DataType,
    name: &str,
    kind: &str,
) -> Expr {
    if fits(found, declared) {
        return cast(value, declared.clone());
    }
    match declared_call(value.clone(), found, declared, &declaration(name, kind)) {
        Some(converted) => converted,
        None => cast(value, declared.clone()),
    }
}

/// The PerfettoSQL name of a type.
pub(crate) fn type_name(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "STRING",
        DataType::Boolean => "BOOL",
        DataType::Null => "NULL",
        data_type if data_type.is_integer() => "LONG",
        data_type if data_type.is_numeric() => "DOUBLE",
        data_type if data_type.is_binary() => "BYTES",
        _ => "another type",
    }
}

/// Converts each column of the plan that does not have its declared type.
fn with_types(plan: LogicalPlan, declared: &[Declared]) -> Result<LogicalPlan> {
    let wanted = |name: &str| {
        let column = declared.iter().find(|column| column.name.text == name)?;
        (column.data_type != DataType::Null).then_some(column)
    };
    let unsure = columns_of_unsure_type(&plan);
    let is_unsure = |index: usize| unsure.get(index) == Some(&true);
    let convert = |(index, (qualifier, field)): (usize, (Option<&_>, &FieldRef))| {
        let column = Expr::from((qualifier, field));
        let Some(Declared { name, kind, data_type, .. }) = wanted(field.name()) else {
            return column;
        };
        let found = field.data_type();
        let stays_real = *found == DataType::Float64 && is_number(kind);
        let data_type = if stays_real { found } else { data_type };
        if is_unsure(index)
            && let declaration = declaration(&name.text, kind)
            && let Some(call) = declared_call(column.clone(), found, data_type, &declaration)
        {
            return call.alias(field.name());
        }
        match data_type == found {
            true => column,
            false => converted(column, found, data_type, &name.text, kind).alias(field.name()),
        }
    };
    let exprs: Vec<Expr> = plan.schema().iter().enumerate().map(convert).collect();
    if exprs.iter().all(|expr| matches!(expr, Expr::Column(_))) {
        return Ok(plan);
    }
    LogicalPlanBuilder::from(plan).project(exprs)?.build()
}

/// Whether a declared type is that of any number, so that reals stay reals: the library declares
/// LONG for rates. Times and ids are integers.
fn is_number(kind: &str) -> bool {
    ["LONG", "INT", "UINT"].iter().any(|number| number.eq_ignore_ascii_case(kind))
}

/// The columns that may get another type than the plan has now: the type of a CASE is that of its
/// first branch until the types of all branches are looked at.
fn columns_of_unsure_type(plan: &LogicalPlan) -> Vec<bool> {
    let LogicalPlan::Projection(projection) = plan else { return Vec::new() };
    let has_case = |expr: &Expr| {
        expr.exists(|part| Ok(matches!(part, Expr::Case(_)))).is_ok_and(|found| found)
    };
    projection.expr.iter().map(has_case).collect()
}

/// A declared name with its type, for messages.
fn declaration(name: &str, kind: &str) -> String {
    format!("`{name}` {kind}")
}

/// Projects the columns of a plan in the order of the declaration.
pub(crate) fn in_order_of(plan: LogicalPlan, declared: &[Declared]) -> Result<LogicalPlan> {
    let same = declared.len() == plan.schema().fields().len()
        && plan.schema().fields().iter().zip(declared).all(|(a, b)| *a.name() == b.name.text);
    if same {
        return Ok(plan);
    }
    let columns = declared.iter().map(|column| col(column.name.text.as_str()));
    LogicalPlanBuilder::from(plan).project(columns)?.build()
}
