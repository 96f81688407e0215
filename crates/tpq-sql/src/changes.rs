//! Statements that change the user's own tables: `CREATE TABLE`, `INSERT`, `UPDATE`, `DELETE`,
//! `DROP`.
//!
//! Such a table is in memory as a whole. A change becomes a query for the rows to add, or for all
//! rows that the table has afterwards.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::{Result, ScalarValue};
use datafusion::config::ConfigOptions;
use datafusion::logical_expr::planner::TypePlanner;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{
    self, Assignment, AssignmentTarget, CaseWhen, Expr as AstExpr, FromTable, Ident, ObjectName,
    Query, SelectItem, SetExpr, TableFactor, TableObject, TableWithJoins, Value,
};

use crate::cancel::CancelToken;
use crate::catalog::{Created, MaterializedTable};
use crate::errors::{SqlError, SqlErrorKind, nearest};
use crate::functions::{CAST_TEXT, STORED_INTEGER, STORED_REAL, sqlite_call};
use crate::memory::{bytes_of, reserve_for};
use crate::perfetto_sql::{Planner, Text, TraceTypes, call};
use crate::primary_key::{OnConflict, PrimaryKey};

/// The change that a statement makes.
pub(crate) enum Change {
    /// Creates an empty table. A column without a type gets its type from the first rows.
    Create { name: String, schema: SchemaRef, key: Option<PrimaryKey>, if_not_exists: bool },
    /// Adds rows, which have the table's columns.
    Add { table: String, rows: LogicalPlan, on_conflict: OnConflict },
    /// Replaces all rows of a table.
    Replace { table: String, rows: LogicalPlan },
    /// Drops tables or views.
    Drop { names: Vec<String>, if_exists: bool },
    /// Changes nothing: statements on indexes and transactions.
    Nothing,
}

/// Plans the change that the statement `tree` makes; `None` if it is a query.
pub(crate) fn change_of(
    tree: &Tree,
    text: &Text,
    planner: &Planner,
) -> Result<Option<Change>, SqlError> {
    let Tree::Statement(statement) = tree else { return Ok(None) };
    let changer = Changer { text, planner };
    Ok(Some(match statement.as_ref() {
        ast::Statement::CreateTable(create) => changer.create(create)?,
        ast::Statement::Insert(insert) => changer.insert(insert)?,
        ast::Statement::Query(query) => match query.body.as_ref() {
            SetExpr::Insert(ast::Statement::Insert(insert)) => {
                changer.insert(&with_ctes(insert, query)?)?
            }
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) => {
                return Err(unsupported("WITH before UPDATE and DELETE"));
            }
            _ => return Ok(None),
        },
        ast::Statement::Update(update) => changer.update(update)?,
        ast::Statement::Delete(delete) => changer.delete(delete)?,
        ast::Statement::Drop { object_type, names, if_exists, .. } => match object_type {
            ast::ObjectType::Index => Change::Nothing,
            _ => {
                Change::Drop { names: names.iter().map(last_name).collect(), if_exists: *if_exists }
            }
        },
        ast::Statement::CreateIndex(_)
        | ast::Statement::StartTransaction { .. }
        | ast::Statement::Commit { .. } => Change::Nothing,
        _ => return Ok(None),
    }))
}

/// The last part of `schema.table`, in lower case.
fn last_name(name: &ObjectName) -> String {
    let last = name.0.last().and_then(|part| part.as_ident());
    last.map(|ident| ident.value.to_lowercase()).unwrap_or_default()
}

struct Changer<'a> {
    text: &'a Text,
    planner: &'a Planner<'a>,
}

impl Changer<'_> {
    fn create(&self, create: &ast::CreateTable) -> Result<Change, SqlError> {
        let key = key_of(create);
        refuse_constraints(create, key.as_ref())?;
        let field = |column: &ast::ColumnDef| {
            let found = TraceTypes.plan_type_field(&column.data_type).ok().flatten();
            let data_type = found.map_or(DataType::Null, |field| field.data_type().clone());
            Field::new(column.name.value.to_lowercase(), data_type, true)
        };
        let fields: Vec<Field> = create.columns.iter().map(field).collect();
        Ok(Change::Create {
            name: last_name(&create.name),
            schema: Arc::new(Schema::new(fields)),
            key,
            if_not_exists: create.if_not_exists,
        })
    }

    /// A user's own table.
    ///
    /// # Errors
    /// When there is no such table, or statements cannot change it.
    fn own_table(&self, table: &str) -> Result<Arc<MaterializedTable>, SqlError> {
        self.planner.own_table(table).map_err(|error| {
            let is_name = |token: &&datafusion::sql::sqlparser::tokenizer::TokenWithSpan| {
                token.token.to_string().to_lowercase() == table
            };
            let token = self.text.tokens.iter().find(is_name);
            error.at(token.and_then(|token| self.text.sources.location(token.span)))
        })
    }

    fn insert(&self, insert: &ast::Insert) -> Result<Change, SqlError> {
        let TableObject::TableName(name) = &insert.table else {
            return Err(unsupported("INSERT into anything but a table"));
        };
        refuse_returning(insert.returning.is_some())?;
        let table = last_name(name);
        let own = self.own_table(&table)?;
        let schema = own.columns();
        let on_conflict = on_conflict(insert, &own)?;
        let Some(source) = &insert.source else {
            // DEFAULT VALUES: a row without values.
            let row = LogicalPlanBuilder::empty(true).build();
            let rows = row.and_then(|row| with_all_columns(row, &[], &schema));
            let rows = rows.map_err(|error| self.planner.error(error, self.text))?;
            return Ok(Change::Add { table, rows, on_conflict });
        };
        let columns: Vec<String> = match insert.columns.is_empty() {
            true => schema.fields().iter().map(|field| field.name().clone()).collect(),
            false => insert.columns.iter().map(last_name).collect(),
        };
        let mut source = source.as_ref().clone();
        values_as_text(&mut source, &columns, &schema);
        let plan = self.plan(source)?;
        let given = plan.schema().fields().len();
        if given != columns.len() {
            let message =
                format!("INSERT fills {} columns, but the rows have {given}", columns.len());
            return Err(SqlError::new(SqlErrorKind::Invalid, message));
        }
        let rows = with_all_columns(plan, &columns, &schema);
        let rows = rows.map_err(|error| self.planner.error(error, self.text))?;
        match columns.iter().find(|column| schema.column_with_name(column).is_none()) {
            Some(column) => Err(no_column(&table, column, &schema)),
            None => Ok(Change::Add { table, rows, on_conflict }),
        }
    }

    fn update(&self, update: &ast::Update) -> Result<Change, SqlError> {
        refuse_returning(update.returning.is_some())?;
        if update.from.is_some() {
            return Err(unsupported("UPDATE … FROM"));
        }
        if !update.order_by.is_empty() || update.limit.is_some() {
            return Err(unsupported("UPDATE … LIMIT"));
        }
        let table = named_table(&update.table)?;
        let own = self.own_table(&table)?;
        if own.primary_key().is_some() {
            refuse_conflicts(update.or.as_ref())?;
        }
        let schema = own.columns();
        let mut assigned = Vec::new();
        for Assignment { target, value } in &update.assignments {
            for (column, value) in single_assignments(target, value)? {
                let Some((_, field)) = schema.column_with_name(&column) else {
                    return Err(no_column(&table, &column, &schema));
                };
                let value = match storing(field.data_type()) {
                    Some(function) => call(function, vec![value]),
                    None => value,
                };
                assigned.push((column, value));
            }
        }
        let item = |name: &String| {
            let old = AstExpr::Identifier(Ident::with_quote('"', name.as_str()));
            let new = assigned.iter().find(|(column, _)| column == name);
            let expr = match (new, &update.selection) {
                (None, _) => old,
                (Some((_, value)), None) => value.clone(),
                (Some((_, value)), Some(condition)) => when(condition.clone(), value.clone(), old),
            };
            SelectItem::ExprWithAlias { expr, alias: Ident::with_quote('"', name.as_str()) }
        };
        let items = schema.fields().iter().map(|field| item(field.name())).collect();
        let rows = self.plan(self.select(items, &table, None)?)?;
        Ok(Change::Replace { table, rows })
    }

    fn delete(&self, delete: &ast::Delete) -> Result<Change, SqlError> {
        refuse_returning(delete.returning.is_some())?;
        if delete.using.is_some() {
            return Err(unsupported("DELETE … USING"));
        }
        if !delete.order_by.is_empty() || delete.limit.is_some() {
            return Err(unsupported("DELETE … LIMIT"));
        }
        let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
        let [from] = &from[..] else { return Err(unsupported("DELETE from several tables")) };
        let table = named_table(from)?;
        let schema = self.own_table(&table)?.columns();
        let number = |value: &str| AstExpr::Value(Value::Number(value.into(), false).into());
        // A row is kept where the condition is NULL.
        let keep = match &delete.selection {
            Some(condition) => when(condition.clone(), number("0"), number("1")),
            None => number("0"),
        };
        let keep = AstExpr::BinaryOp {
            left: Box::new(keep),
            op: ast::BinaryOperator::Eq,
            right: Box::new(number("1")),
        };
        let item = |name: &String| {
            SelectItem::UnnamedExpr(AstExpr::Identifier(Ident::with_quote('"', name.as_str())))
        };
        let items = schema.fields().iter().map(|field| item(field.name())).collect();
        let rows = self.plan(self.select(items, &table, Some(keep))?)?;
        Ok(Change::Replace { table, rows })
    }

    /// Builds `SELECT items FROM table WHERE condition`.
    fn select(
        &self,
        items: Vec<SelectItem>,
        table: &str,
        condition: Option<AstExpr>,
    ) -> Result<Query, SqlError> {
        let template = crate::perfetto_sql::split(&format!("SELECT 1 FROM \"{table}\""))?;
        let template = template.first().map(|statement| statement.text_as_written());
        let tree = template.map(|template| self.planner.parse(&template)).transpose()?;
        if let Some(Tree::Statement(statement)) = tree
            && let ast::Statement::Query(mut query) = *statement
            && let SetExpr::Select(select) = query.body.as_mut()
        {
            select.projection = items;
            select.selection = condition;
            return Ok(*query);
        }
        Err(SqlError::new(SqlErrorKind::Internal, "the template of a query did not parse"))
    }

    fn plan(&self, query: Query) -> Result<LogicalPlan, SqlError> {
        let tree = Tree::Statement(Box::new(ast::Statement::Query(Box::new(query))));
        Ok(self.planner.plan_tree(tree, self.text)?.plan)
    }
}

/// The insertion with the CTEs that are before it.
fn with_ctes(insert: &ast::Insert, query: &Query) -> Result<ast::Insert, SqlError> {
    let mut insert = insert.clone();
    match &mut insert.source {
        Some(source) if source.with.is_none() => source.with = query.with.clone(),
        _ => return Err(unsupported("WITH both before INSERT and after it")),
    }
    Ok(insert)
}

/// The columns of an assignment, each with its value: `(a, b) = (1, 2)` has two.
fn single_assignments(
    target: &AssignmentTarget,
    value: &AstExpr,
) -> Result<Vec<(String, AstExpr)>, SqlError> {
    match (target, value) {
        (AssignmentTarget::ColumnName(column), value) => {
            Ok(vec![(last_name(column), value.clone())])
        }
        (AssignmentTarget::Tuple(columns), AstExpr::Tuple(values))
            if columns.len() == values.len() =>
        {
            Ok(columns.iter().map(last_name).zip(values.iter().cloned()).collect())
        }
        _ => Err(unsupported("UPDATE of several columns by a subquery")),
    }
}

fn named_table(table: &TableWithJoins) -> Result<String, SqlError> {
    match &table.relation {
        TableFactor::Table { name, .. } if table.joins.is_empty() => Ok(last_name(name)),
        _ => Err(unsupported("changing anything but one table")),
    }
}

/// Builds `CASE WHEN condition THEN then ELSE otherwise END`.
fn when(condition: AstExpr, then: AstExpr, otherwise: AstExpr) -> AstExpr {
    AstExpr::Case {
        case_token: ast::helpers::attached_token::AttachedToken::empty(),
        end_token: ast::helpers::attached_token::AttachedToken::empty(),
        operand: None,
        conditions: vec![CaseWhen { condition, result: then }],
        else_result: Some(Box::new(otherwise)),
    }
}

/// The column that a CREATE TABLE makes the number of its rows: the `INTEGER PRIMARY KEY`.
fn key_of(create: &ast::CreateTable) -> Option<PrimaryKey> {
    let is_declared = |column: &&ast::ColumnDef| {
        let mut options = column.options.iter().map(|option| &option.option);
        options.any(|option| matches!(option, ast::ColumnOption::PrimaryKey(_)))
    };
    let of_table = create.constraints.iter().find_map(|constraint| match constraint {
        ast::TableConstraint::PrimaryKey(key) => Some(&key.columns),
        _ => None,
    });
    let is_named = |column: &&ast::ColumnDef| match of_table.map(Vec::as_slice) {
        Some([only]) => matches!(
            &only.column.expr,
            AstExpr::Identifier(name) if name.value.eq_ignore_ascii_case(&column.name.value)
        ),
        _ => false,
    };
    let is_key = |column: &ast::ColumnDef| {
        is_integer(&column.data_type) && (is_declared(&column) || is_named(&column))
    };
    let column = create.columns.iter().position(is_key)?;
    Some(PrimaryKey { column, numbers_rows: !create.without_rowid })
}

/// Refuses a CREATE TABLE with rules for values that nothing here would follow. References to other
/// tables are accepted: SQLite does not check them either, unless told to.
fn refuse_constraints(create: &ast::CreateTable, key: Option<&PrimaryKey>) -> Result<(), SqlError> {
    use ast::ColumnOption::{
        Check, Collation, Default, ForeignKey, Generated, NotNull, Null, PrimaryKey, Unique,
    };
    let columns = create.columns.iter().enumerate();
    let options =
        columns.flat_map(|(index, column)| column.options.iter().map(move |it| (index, it)));
    for (column, option) in options {
        let is_key = key.is_some_and(|key| key.column == column);
        let what = match &option.option {
            Null | ForeignKey(_) => continue,
            PrimaryKey(_) | NotNull if is_key => continue,
            Collation(name) if last_name(name) == "binary" => continue,
            Collation(_) => "COLLATE of a column",
            NotNull => "NOT NULL",
            Default(_) => "DEFAULT",
            PrimaryKey(_) => "PRIMARY KEY",
            Unique(_) => "UNIQUE",
            Check(_) => "CHECK",
            Generated { .. } => "a generated column",
            _ => "this part of a column",
        };
        return Err(unsupported_here(what));
    }
    for constraint in &create.constraints {
        let what = match constraint {
            ast::TableConstraint::ForeignKey(_) => continue,
            ast::TableConstraint::PrimaryKey(_) if key.is_some() => continue,
            ast::TableConstraint::PrimaryKey(_) => "PRIMARY KEY",
            ast::TableConstraint::Unique(_) => "UNIQUE",
            ast::TableConstraint::Check(_) => "CHECK",
            _ => "this constraint",
        };
        return Err(unsupported_here(what));
    }
    Ok(())
}

/// Whether a type is `INTEGER` and not another name of it, as SQLite distinguishes them.
fn is_integer(data_type: &ast::DataType) -> bool {
    matches!(data_type, ast::DataType::Integer(None))
}

fn unsupported_here(what: &str) -> SqlError {
    let hint = "a table has columns, types and an INTEGER PRIMARY KEY alone; leave this part out";
    SqlError::new(SqlErrorKind::Unsupported, format!("{what} in CREATE TABLE is not supported"))
        .hint(Some(hint.into()))
}

/// What an INSERT does with rows that have the key of another.
fn on_conflict(insert: &ast::Insert, table: &MaterializedTable) -> Result<OnConflict, SqlError> {
    use ast::SqliteOnConflict::{Abort, Fail, Ignore, Replace, Rollback};
    let Some(on) = &insert.on else {
        return Ok(match insert.or {
            // An error changes nothing.
            None | Some(Abort | Fail | Rollback) => OnConflict::Fail,
            Some(Ignore) => OnConflict::Ignore,
            Some(Replace) => OnConflict::Replace,
        });
    };
    let ast::OnInsert::OnConflict(on) = on else { return Err(unsupported("ON DUPLICATE KEY")) };
    if on.action != ast::OnConflictAction::DoNothing {
        return Err(unsupported("ON CONFLICT DO UPDATE"));
    }
    let is_key = |name: &Ident| {
        let key = table.primary_key();
        let columns = table.columns();
        key.is_some_and(|key| columns.field(key.column).name().eq_ignore_ascii_case(&name.value))
    };
    match &on.conflict_target {
        None => Ok(OnConflict::Ignore),
        Some(ast::ConflictTarget::Columns(names)) if matches!(&names[..], [name] if is_key(name)) => {
            Ok(OnConflict::Ignore)
        }
        Some(_) => Err(unsupported("ON CONFLICT of anything but the INTEGER PRIMARY KEY")),
    }
}

fn refuse_conflicts(or: Option<&ast::SqliteOnConflict>) -> Result<(), SqlError> {
    use ast::SqliteOnConflict::{Abort, Fail, Ignore, Replace, Rollback};
    match or {
        // An error changes nothing.
        None | Some(Abort | Fail | Rollback) => Ok(()),
        Some(Ignore) => Err(unsupported("UPDATE OR IGNORE of a table with a primary key")),
        Some(Replace) => Err(unsupported("UPDATE OR REPLACE of a table with a primary key")),
    }
}

fn refuse_returning(is_there: bool) -> Result<(), SqlError> {
    if is_there { Err(unsupported("RETURNING")) } else { Ok(()) }
}

/// The function that makes values of a column's type, or fails.
fn storing(data_type: &DataType) -> Option<&'static str> {
    match data_type {
        DataType::Int64 => Some(STORED_INTEGER),
        DataType::Float64 => Some(STORED_REAL),
        DataType::Utf8View => Some(CAST_TEXT),
        _ => None,
    }
}

/// Makes texts of the values for columns of text, each by itself: a column of VALUES would have one
/// type, in which 1 among reals is 1.0.
fn values_as_text(source: &mut Query, columns: &[String], schema: &SchemaRef) {
    let SetExpr::Values(values) = source.body.as_mut() else { return };
    for row in &mut values.rows {
        for (value, column) in row.iter_mut().zip(columns) {
            let field = schema.column_with_name(column).map(|(_, field)| field);
            if field.is_some_and(|field| *field.data_type() == DataType::Utf8View) {
                let given = std::mem::replace(value, AstExpr::Value(Value::Null.into()));
                *value = call(CAST_TEXT, vec![given]);
            }
        }
    }
}

fn unsupported(what: &str) -> SqlError {
    SqlError::new(SqlErrorKind::Unsupported, format!("{what} is not supported"))
}

fn no_column(table: &str, column: &str, schema: &SchemaRef) -> SqlError {
    let names = schema.fields().iter().map(|field| field.name().as_str());
    let hint = nearest(column, names).map(|near| format!("did you mean `{near}`?"));
    let message = format!("`{table}` has no column `{column}`");
    SqlError::new(SqlErrorKind::UnknownColumn, message).hint(hint)
}

/// Extends rows with values for `columns` to rows with all columns of the table; the others are
/// NULL.
fn with_all_columns(
    plan: LogicalPlan,
    columns: &[String],
    schema: &SchemaRef,
) -> Result<LogicalPlan> {
    let given: Vec<Expr> = plan.schema().iter().map(Expr::from).collect();
    let expr = |field: &Arc<Field>| {
        let at = columns.iter().position(|column| column == field.name());
        let value = at.and_then(|at| given.get(at).cloned());
        let value = value.map(|value| match storing(field.data_type()) {
            Some(function) => sqlite_call(function, value),
            None => value,
        });
        value.unwrap_or_else(|| lit(ScalarValue::Null)).alias(field.name())
    };
    let exprs: Vec<Expr> = schema.fields().iter().map(expr).collect();
    LogicalPlanBuilder::from(plan).project(exprs)?.build()
}

/// Sets the rows of a table to `old` followed by `rows`, or to the order of its key. `adds` says
/// what is done with an added row of a key that another row has; `None` where `rows` are all rows.
/// Returns the same table, or a new one if a column without a type got its type from `rows`.
pub(crate) fn changed(
    name: &str,
    table: &Arc<MaterializedTable>,
    old: &[RecordBatch],
    rows: &[RecordBatch],
    adds: Option<OnConflict>,
    config: &ConfigOptions,
) -> Result<Created> {
    let found = rows.first().map(RecordBatch::schema);
    let data_type = |field: &Field| match (&found, field.data_type()) {
        (Some(found), DataType::Null) => {
            found.field_with_name(field.name()).map_or(DataType::Null, |field| {
                match field.data_type() {
                    DataType::Boolean => DataType::Int64,
                    DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
                    other => other.clone(),
                }
            })
        }
        (_, data_type) => data_type.clone(),
    };
    let columns = table.columns();
    let fields =
        columns.fields().iter().map(|field| Field::new(field.name(), data_type(field), true));
    let schema: SchemaRef = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let typed = |batches: &[RecordBatch]| -> Result<Vec<RecordBatch>> {
        batches.iter().map(|batch| with_types(batch, &schema)).collect()
    };
    let (kept, rows) = (typed(old)?, typed(rows)?);
    let kept_bytes: usize = kept.iter().map(bytes_of).sum();
    let batches = match table.primary_key() {
        Some(key) => {
            // A row that is there has a number and gets no other.
            let numbers_rows = key.numbers_rows && adds.is_some();
            let key = PrimaryKey { numbers_rows, ..key.clone() };
            key.merged(name, kept, rows, adds.unwrap_or(OnConflict::Fail))?
        }
        None => kept.into_iter().chain(rows).collect(),
    };
    // Last check for cancellation: the code below changes the table.
    CancelToken::of(config).check()?;
    if schema != columns {
        let memory = reserve_for(name, &batches, config)?.map(Arc::new);
        let table = MaterializedTable::empty(name, schema, table.primary_key().cloned())?;
        table.replace(batches, memory)?;
        return Ok(Created::Own(Arc::new(table)));
    }
    let memory = match table.memory().filter(|_| !old.is_empty()) {
        // Memory for the old rows is already reserved.
        Some(memory) => {
            let bytes: usize = batches.iter().map(bytes_of).sum();
            memory.try_grow(bytes.saturating_sub(kept_bytes))?;
            Some(memory)
        }
        None => reserve_for(name, &batches, config)?.map(Arc::new),
    };
    table.replace(batches, memory)?;
    Ok(Created::Own(Arc::clone(table)))
}

fn with_types(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let column = |(column, field): (&ArrayRef, &Arc<Field>)| cast(column, field.data_type());
    let columns = batch.columns().iter().zip(schema.fields()).map(column);
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    Ok(RecordBatch::try_new(Arc::clone(schema), columns)?)
}
