//! Tables and views that statements declare. Each is planned when a statement first names it.

use std::sync::{Arc, OnceLock};

use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::Result;
use datafusion::datasource::{ViewTable, provider_as_source};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, TableSource, cast, col};

use super::materialized::MaterializedTable;
use super::relation::{Relation, RelationColumn};
use crate::errors::{SqlError, SqlErrorKind, nearest};
use crate::operators::{SpanJoin, SpanTable};
use crate::perfetto_sql::{
    Creation, Declared, Planner, RelationDeclaration, SpanJoinCall, SpanJoinSide, Text, named,
};

/// A table or view that a statement declares.
pub(crate) struct Definition {
    creation: Creation,
    columns: Option<Vec<Declared>>,
    rows: Rows,
    /// The text that the spans of the declaration point into.
    text: Text,
    source: OnceLock<Arc<dyn TableSource>>,
    materialized: OnceLock<Arc<MaterializedTable>>,
}

/// The source of the rows.
enum Rows {
    /// The query runs each time the view is used.
    View(Text),
    /// The query runs when the table is first read; its rows stay in memory.
    Table(Text),
    SpanJoin(Box<SpanJoinCall>),
}

impl Definition {
    /// Makes the definition from `CREATE PERFETTO TABLE` or `VIEW`.
    pub(crate) fn from_relation(declaration: RelationDeclaration, text: &Text) -> Self {
        let RelationDeclaration { creation, is_table, columns, query } = declaration;
        let query = Text { sources: text.sources.clone(), tokens: query };
        let rows = if is_table { Rows::Table(query) } else { Rows::View(query) };
        Self::new(creation, columns, rows, text)
    }

    /// Makes the definition from `CREATE VIRTUAL TABLE … USING SPAN_JOIN`.
    pub(crate) fn from_span_join(creation: Creation, call: SpanJoinCall, text: &Text) -> Self {
        Self::new(creation, None, Rows::SpanJoin(Box::new(call)), text)
    }

    fn new(creation: Creation, columns: Option<Vec<Declared>>, rows: Rows, text: &Text) -> Self {
        let (source, materialized) = (OnceLock::new(), OnceLock::new());
        Self { creation, columns, rows, text: text.clone(), source, materialized }
    }

    /// The name as the statement writes it.
    pub(crate) fn name(&self) -> &str {
        &self.creation.name.written
    }

    /// The description for `.schema`. Without declared columns, the column list is empty until the
    /// definition is planned.
    pub(crate) fn relation(&self) -> Relation {
        let columns = match (&self.columns, self.source.get()) {
            (Some(declared), _) => declared.iter().map(RelationColumn::from).collect(),
            (None, Some(source)) => RelationColumn::from_schema(&source.schema()),
            (None, None) => Vec::new(),
        };
        Relation { name: self.creation.name.text.clone(), doc: self.creation.doc.clone(), columns }
    }

    /// Returns the source that plans read from; plans the query on the first call.
    ///
    /// # Errors
    /// When the query cannot be planned, or its columns differ from the declared ones.
    pub(crate) fn source(&self, planner: &Planner) -> Result<Arc<dyn TableSource>, SqlError> {
        if let Some(source) = self.source.get() {
            return Ok(Arc::clone(source));
        }
        let source = planner.within(&self.creation.name.text, || self.plan(planner))?;
        Ok(Arc::clone(self.source.get_or_init(|| source)))
    }

    /// The table with rows in memory; `None` for views and before planning.
    pub(crate) fn materialized(&self) -> Option<Arc<MaterializedTable>> {
        self.materialized.get().cloned()
    }

    fn plan(&self, planner: &Planner) -> Result<Arc<dyn TableSource>, SqlError> {
        let failed = |error| planner.error(error, &self.text);
        let view = |plan| Arc::new(ViewTable::new(plan, None));
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
        })
    }

    fn plan_query(&self, query: &Text, planner: &Planner) -> Result<LogicalPlan, SqlError> {
        let plan = named(planner.plan(query)?).map_err(|error| planner.error(error, &self.text))?;
        match &self.columns {
            Some(declared) => check_columns(plan, declared, &self.text, planner),
            None => Ok(plan),
        }
    }
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
    if fits(field.data_type(), &column.data_type) {
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

/// Adds a cast to each column of the plan that does not have its declared type.
fn with_types(plan: LogicalPlan, declared: &[Declared]) -> Result<LogicalPlan> {
    let wanted = |name: &str| {
        let column = declared.iter().find(|column| column.name.text == name)?;
        (column.data_type != DataType::Null).then_some(&column.data_type)
    };
    let fields = plan.schema().fields();
    let all_match = fields
        .iter()
        .all(|field| wanted(field.name()).is_none_or(|data_type| data_type == field.data_type()));
    if all_match {
        return Ok(plan);
    }
    let exprs: Vec<Expr> = plan
        .schema()
        .iter()
        .map(|(qualifier, field)| {
            let column = Expr::from((qualifier, field));
            match wanted(field.name()) {
                Some(data_type) if data_type != field.data_type() => {
                    cast(column, data_type.clone()).alias(field.name())
                }
                _ => column,
            }
        })
        .collect();
    LogicalPlanBuilder::from(plan).project(exprs)?.build()
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
