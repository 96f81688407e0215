//! Calls of functions that statements created: the body takes the call's place.
//!
//! The body was planned once, with placeholders for the arguments. Where it is a plain expression
//! it is put into the calling one, so that it runs over whole columns as if written there. Where
//! it reads tables it becomes a subquery, in which the arguments are columns of the query around
//! it. As plans name columns by the tables they are of, and never by text, an argument cannot be
//! taken for a column of the body that has the same name.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{DFSchema, ExprSchema, Result, Spans, TableReference, exec_err, plan_err};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::expr::{Exists, InSubquery, ScalarFunction};
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ExprSchemable, LogicalPlan, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, Subquery, SubqueryAlias, TableScan, TableSource, TypeSignature, Volatility,
};

use super::{CallSource, is_subquery};
use crate::catalog::{SqlFunction, converted, convertible, type_name};
use crate::errors::SqlError;
use crate::functions::is_text;
use crate::named_expressions::{has_part, rewrite_expressions};
use crate::perfetto_sql::{Declared, check_call};

/// An argument as the function declares it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Parameter {
    name: String,
    /// As it is written.
    kind: String,
    data_type: DataType,
}

impl From<&Declared> for Parameter {
    fn from(declared: &Declared) -> Self {
        let Declared { name, kind, data_type, .. } = declared;
        Self { name: name.text.clone(), kind: kind.clone(), data_type: data_type.clone() }
    }
}

/// Stands in a plan for a call of a function that gives one value, until it is lowered.
#[derive(Debug)]
pub(crate) struct SqlCall {
    name: String,
    parameters: Vec<Parameter>,
    returns: DataType,
    body: Arc<LogicalPlan>,
    signature: Signature,
}

impl SqlCall {
    /// A function with that body.
    pub(crate) fn udf(
        function: &SqlFunction,
        returns: &DataType,
        body: Arc<LogicalPlan>,
    ) -> ScalarUDF {
        let found = body.schema().fields().first().map(|field| field.data_type().clone());
        // A real stays one where a number is declared, and so does the text of an argument.
        let stays = |found: &DataType| *found == DataType::Float64 || is_text(found);
        let is_kept = *returns == DataType::Int64 && found.as_ref().is_some_and(stays);
        let is_body = is_kept || *returns == DataType::Null;
        let returns = if is_body { found } else { Some(returns.clone()) };
        ScalarUDF::new_from_impl(Self {
            name: function.name().to_owned(),
            parameters: function.args().iter().map(Parameter::from).collect(),
            returns: returns.unwrap_or(DataType::Null),
            body,
            // Any number of arguments does not take in none.
            signature: Signature::one_of(
                vec![TypeSignature::VariadicAny, TypeSignature::Nullary],
                Volatility::Stable,
            ),
        })
    }
}

impl PartialEq for SqlCall {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.body, &other.body)
    }
}

impl Eq for SqlCall {}

impl Hash for SqlCall {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl ScalarUDFImpl for SqlCall {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(self.returns.clone())
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> Result<ColumnarValue> {
        exec_err!("{} was not put in place before the statement ran", self.name)
    }
}

/// Stands in a plan for a call of a function that gives a table, until it is lowered.
#[derive(Debug)]
pub(crate) struct SqlCallSource {
    body: Arc<LogicalPlan>,
    args: Vec<Expr>,
    parameters: Vec<Parameter>,
    name: String,
    schema: SchemaRef,
}

impl SqlCallSource {
    /// A call with `args`, which use columns of the tables before it.
    ///
    /// # Errors
    /// When it takes another number of arguments.
    pub(crate) fn try_new(
        name: &str,
        parameters: &[Declared],
        args: Vec<Expr>,
        body: Arc<LogicalPlan>,
    ) -> Result<Self> {
        let parameters: Vec<Parameter> = parameters.iter().map(Parameter::from).collect();
        check_count(name, &parameters, args.len())?;
        let schema = Arc::clone(body.schema().inner());
        Ok(Self { body, args, parameters, name: name.to_owned(), schema })
    }
}

impl TableSource for SqlCallSource {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

impl SqlCallSource {
    /// Whether all columns it is called with are among these.
    fn fits(&self, schema: &DFSchema) -> bool {
        has_columns_of(schema, &self.args)
    }

    /// The rows of the call, for columns of `around`.
    fn rows(&self, table: &TableReference, around: &DFSchema) -> Result<LogicalPlan> {
        let args = typed(&self.name, &self.parameters, &self.args, around)?;
        let args =
            args.into_iter().map(|arg| arg.transform_up(|part| inlined(part, around)).data());
        let args = args.collect::<Result<Vec<_>>>()?;
        check_call(&self.body, &args).map_err(as_external)?;
        let rows = bind_plan(self.body.as_ref().clone(), &as_outer(&args, around)?)?.data;
        Ok(LogicalPlan::SubqueryAlias(SubqueryAlias::try_new(Arc::new(rows), table.clone())?))
    }
}

fn check_count(name: &str, parameters: &[Parameter], given: usize) -> Result<()> {
    let list: Vec<String> =
        parameters.iter().map(|Parameter { name, kind, .. }| format!("{name} {kind}")).collect();
    match given == parameters.len() {
        true => Ok(()),
        false => plan_err!(
            "{name}() takes {} arguments, {given} were given: it is {name}({})",
            parameters.len(),
            list.join(", ")
        ),
    }
}

/// Puts the bodies of functions in the places of their calls.
pub(crate) fn inline_calls(plan: LogicalPlan) -> Result<LogicalPlan> {
    let no_columns = DFSchema::empty();
    let plan = plan.transform_up_with_subqueries(|node| match node {
        LogicalPlan::TableScan(scan) => match called(&scan.source) {
            Some(call) if !call.args.iter().any(Expr::any_column_refs) => {
                Ok(Transformed::yes(call.rows(&scan.table_name, &no_columns)?))
            }
            // Subqueries that a table function is called with are no part of the plan yet.
            _ => with_arguments(scan, &|expr| {
                let expr = inlined(expr, &no_columns)?;
                expr.transform_data(|expr| {
                    in_subquery(expr, &|plan| Ok(Transformed::yes(inline_calls(plan)?)))
                })
            }),
        },
        LogicalPlan::Join(mut join) => {
            let right = lateral(join.right.as_ref().clone(), join.left.schema())?;
            join.right = Arc::new(right.data);
            let join = inline_in(LogicalPlan::Join(join))?;
            Ok(Transformed::new_transformed(join.data, join.transformed || right.transformed))
        }
        node => inline_in(node),
    });
    plan.data()
}

fn called(source: &Arc<dyn TableSource>) -> Option<&SqlCallSource> {
    source.downcast_ref::<SqlCallSource>()
}

/// The right side of a join with a left side that has the columns of the call.
fn lateral(right: LogicalPlan, left: &DFSchema) -> Result<Transformed<LogicalPlan>> {
    match right {
        LogicalPlan::SubqueryAlias(alias) => {
            let input = lateral(alias.input.as_ref().clone(), left)?;
            if !input.transformed {
                return Ok(Transformed::no(LogicalPlan::SubqueryAlias(alias)));
            }
            let alias = SubqueryAlias::try_new(Arc::new(input.data), alias.alias)?;
            Ok(Transformed::yes(LogicalPlan::SubqueryAlias(alias)))
        }
        LogicalPlan::TableScan(scan) => {
            let Some(call) = called(&scan.source).filter(|call| call.fits(left)) else {
                return with_arguments(scan, &|expr| inlined(expr, left));
            };
            let rows = call.rows(&scan.table_name, left)?;
            let outer_ref_columns = rows.all_out_ref_exprs();
            let (subquery, spans) = (Arc::new(rows), Spans::new());
            let subquery = Subquery { subquery, outer_ref_columns, spans };
            let alias =
                SubqueryAlias::try_new(Arc::new(LogicalPlan::Subquery(subquery)), scan.table_name)?;
            Ok(Transformed::yes(LogicalPlan::SubqueryAlias(alias)))
        }
        right => Ok(Transformed::no(right)),
    }
}

/// Whether a schema has all columns of some expressions.
fn has_columns_of(schema: &DFSchema, exprs: &[Expr]) -> bool {
    exprs.iter().all(|expr| expr.column_refs().iter().all(|column| schema.has_column(column)))
}

/// What an expression stands for, if it is a call with columns of `schema`.
fn inlined(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    match call_of(&expr) {
        Some((call, args)) if has_columns_of(schema, args) => {
            Ok(Transformed::yes(value(call, args, schema)?))
        }
        _ => Ok(Transformed::no(expr)),
    }
}

fn call_of(expr: &Expr) -> Option<(&SqlCall, &[Expr])> {
    let Expr::ScalarFunction(ScalarFunction { func, args }) = expr else { return None };
    Some((func.inner().downcast_ref::<SqlCall>()?, args))
}

/// The calls in the expressions of a node, and in subqueries those with columns of this node.
fn inline_in(node: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    if !has_part(&node, |part| is_subquery(part) || call_of(part).is_some())? {
        return Ok(Transformed::no(node));
    }
    let schema = merge_schema(&node.inputs());
    let inlined = rewrite_expressions(node, |expr| match call_of(&expr) {
        Some((call, args)) => Ok(Transformed::yes(value(call, args, &schema)?)),
        None => in_subquery(expr, &|plan| tables_called_with(plan, &schema)),
    })?;
    match inlined.transformed {
        true => inlined.map_data(LogicalPlan::recompute_schema),
        false => Ok(inlined),
    }
}

/// The calls in a subquery with arguments that are columns of the outer query.
fn tables_called_with(plan: LogicalPlan, outer: &DFSchema) -> Result<Transformed<LogicalPlan>> {
    plan.transform_up(|node| match node {
        LogicalPlan::TableScan(scan) => match called(&scan.source) {
            Some(call) if call.fits(outer) => {
                Ok(Transformed::yes(call.rows(&scan.table_name, outer)?))
            }
            _ => with_arguments(scan, &|expr| inlined(expr, outer)),
        },
        node => Ok(Transformed::no(node)),
    })
}

/// `expr` with `change` made to its plan, if it is a subquery.
fn in_subquery(
    expr: Expr,
    change: &dyn Fn(LogicalPlan) -> Result<Transformed<LogicalPlan>>,
) -> Result<Transformed<Expr>> {
    let changed = |subquery: Subquery| -> Result<Transformed<Subquery>> {
        let plan = change(subquery.subquery.as_ref().clone())?;
        if !plan.transformed {
            return Ok(Transformed::no(subquery));
        }
        let outer_ref_columns = plan.data.all_out_ref_exprs();
        let spans = subquery.spans;
        let subquery = Subquery { subquery: Arc::new(plan.data), outer_ref_columns, spans };
        Ok(Transformed::yes(subquery))
    };
    match expr {
        Expr::ScalarSubquery(subquery) => {
            changed(subquery)?.map_data(|subquery| Ok(Expr::ScalarSubquery(subquery)))
        }
        Expr::Exists(Exists { subquery, negated }) => {
            changed(subquery)?.map_data(|subquery| Ok(Expr::Exists(Exists { subquery, negated })))
        }
        Expr::InSubquery(InSubquery { expr, subquery, negated }) => changed(subquery)?
            .map_data(|subquery| Ok(Expr::InSubquery(InSubquery { expr, subquery, negated }))),
        expr => Ok(Transformed::no(expr)),
    }
}

/// The expression that a call stands for.
fn value(call: &SqlCall, args: &[Expr], schema: &DFSchema) -> Result<Expr> {
    check_count(&call.name, &call.parameters, args.len())?;
    let args = typed(&call.name, &call.parameters, args, schema)?;
    check_call(&call.body, &args).map_err(as_external)?;
    if let LogicalPlan::Projection(projection) = call.body.as_ref()
        && let LogicalPlan::EmptyRelation(empty) = projection.input.as_ref()
        && empty.produce_one_row
        && let [expr] = &projection.expr[..]
    {
        return bind_expr(expr.clone().unalias(), &args, schema);
    }
    let subquery = bind_plan(call.body.as_ref().clone(), &as_outer(&args, schema)?)?.data;
    let outer_ref_columns = subquery.all_out_ref_exprs();
    let subquery = Arc::new(subquery);
    Ok(Expr::ScalarSubquery(Subquery { subquery, outer_ref_columns, spans: Spans::new() }))
}

/// The arguments as the types that are declared for them.
fn typed(
    name: &str,
    parameters: &[Parameter],
    args: &[Expr],
    schema: &DFSchema,
) -> Result<Vec<Expr>> {
    let typed = |(parameter, arg): (&Parameter, &Expr)| {
        let wanted = &parameter.data_type;
        // The type of a column of the query around is found when that is planned.
        let Ok(found) = arg.get_type(schema) else { return Ok(arg.clone()) };
        if *wanted == DataType::Null || found == *wanted {
            return Ok(arg.clone());
        }
        let Parameter { name: argument, kind, .. } = parameter;
        if !convertible(arg, &found, wanted) {
            let found = type_name(&found);
            return plan_err!("{name}() takes {kind} for `{argument}`, not {found}");
        }
        Ok(converted(arg.clone(), &found, wanted, argument, kind))
    };
    parameters.iter().zip(args).map(typed).collect()
}

/// `expr` with arguments in place of placeholders.
fn bind_expr(expr: Expr, args: &[Expr], schema: &DFSchema) -> Result<Expr> {
    let outer = as_outer(args, schema)?;
    let bound = expr.transform_up(|expr| match expr {
        Expr::Placeholder(placeholder) => Ok(Transformed::yes(argument(&placeholder.id, args)?)),
        expr => in_subquery(expr, &|plan| bind_plan(plan, &outer)),
    });
    bound.data()
}

/// `plan`, a subquery, with arguments in place of placeholders.
fn bind_plan(plan: LogicalPlan, args: &[Expr]) -> Result<Transformed<LogicalPlan>> {
    plan.transform_up_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node {
            return bind_call(scan, args);
        }
        let bound = rewrite_expressions(node, |expr| match expr {
            Expr::Placeholder(placeholder) => {
                Ok(Transformed::yes(argument(&placeholder.id, args)?))
            }
            // Those of subqueries in this one are bound by now, and name more of what is around
            // them.
            expr => in_subquery(expr, &|plan| Ok(Transformed::yes(plan))),
        })?;
        match bound.transformed {
            true => bound.map_data(LogicalPlan::recompute_schema),
            false => Ok(bound),
        }
    })
}

/// The call of a table function with arguments in place of placeholders, also in the subqueries
/// that it is called with.
fn bind_call(scan: TableScan, args: &[Expr]) -> Result<Transformed<LogicalPlan>> {
    with_arguments(scan, &|expr| match expr {
        Expr::Placeholder(placeholder) => Ok(Transformed::yes(argument(&placeholder.id, args)?)),
        expr => in_subquery(expr, &|plan| bind_plan(plan, args)),
    })
}

/// The call of a table function with `change` made to its arguments.
fn with_arguments(
    mut scan: TableScan,
    change: &dyn Fn(Expr) -> Result<Transformed<Expr>>,
) -> Result<Transformed<LogicalPlan>> {
    let Some(call) = scan.source.downcast_ref::<CallSource>() else {
        return Ok(Transformed::no(LogicalPlan::TableScan(scan)));
    };
    let args = call.args.iter().map(|arg| arg.clone().transform_up(change));
    let args = args.collect::<Result<Vec<_>>>()?;
    if !args.iter().any(|arg| arg.transformed) {
        return Ok(Transformed::no(LogicalPlan::TableScan(scan)));
    }
    let args = args.into_iter().map(|arg| arg.data).collect();
    let (function, schema) = (Arc::clone(&call.function), Arc::clone(&call.schema));
    scan.source = Arc::new(CallSource { function, args, schema });
    Ok(Transformed::yes(LogicalPlan::TableScan(scan)))
}

fn as_external(error: SqlError) -> DataFusionError {
    DataFusionError::External(error.into())
}

fn argument(id: &str, args: &[Expr]) -> Result<Expr> {
    let number = id.trim_start_matches('$').parse::<usize>().ok();
    match number.and_then(|number| args.get(number.checked_sub(1)?)) {
        Some(arg) => Ok(arg.clone()),
        None => plan_err!("`{id}` is no argument"),
    }
}

/// The arguments as a subquery sees them: their columns are those of the query around it.
fn as_outer(args: &[Expr], schema: &DFSchema) -> Result<Vec<Expr>> {
    let outer = |arg: &Expr| {
        let outer = arg.clone().transform_up(|expr| match expr {
            Expr::Column(column) => {
                let field = Arc::clone(schema.field_from_column(&column)?);
                Ok(Transformed::yes(Expr::OuterReferenceColumn(field, column)))
            }
            expr => Ok(Transformed::no(expr)),
        });
        outer.data()
    };
    args.iter().map(outer).collect()
}
