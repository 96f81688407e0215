//! Calls of functions in FROM: functions that statements created, files, and built-in functions.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DFSchema, Result, plan_err, unqualified_field_not_found};
use datafusion::logical_expr::{Expr, ExprSchemable, TableSource};

use super::Returns;
use super::planner::{Planner, as_external};
use crate::catalog::SqlFunction;
use crate::files::{FileAccess, Reader};
use crate::functions::{CallArgument, FLAMEGRAPH_CONFIG, TableFunction, literal_config};
use crate::lowering::{CallSource, SqlCallSource};

impl Planner<'_> {
    /// The rows of a call of the function `name`, which is in lower case.
    pub(super) fn called_in_from(
        &self,
        name: &str,
        args: Vec<Expr>,
    ) -> Result<Arc<dyn TableSource>> {
        if let Some(function) = self.sql_function(name) {
            check_names(&args)?;
            return self.called_table(name, &function, args);
        }
        let name = self.delegate(name).unwrap_or_else(|| name.to_owned());
        if let Some(scan) = self.graph_scan(&name, &args)? {
            return Ok(scan);
        }
        if let Some(reader) = Reader::named(&name) {
            return FileAccess::of(self.state.config_options()).read(reader, &args);
        }
        let Some(function) = self.table_function(&name)? else {
            // A table may be called without arguments.
            return match self.relation(&name) {
                Ok(table) if args.is_empty() => Ok(table),
                _ => plan_err!("Invalid function '{name}'"),
            };
        };
        check_names(&args)?;
        check_count(&*function, args.len())?;
        let known: Vec<CallArgument> = args.iter().map(call_argument).collect();
        let function = function.for_call(&known).unwrap_or(function);
        let schema = function.schema(&known)?;
        Ok(Arc::new(CallSource { function, args, schema }))
    }

    /// The table function with this name: a virtual table, or a built-in function.
    pub(super) fn table_function(&self, name: &str) -> Result<Option<Arc<dyn TableFunction>>> {
        match self.catalog.virtual_function(name, self)? {
            Some(function) => Ok(Some(function)),
            None => Ok(self.catalog.table_function(name).cloned()),
        }
    }

    /// The placeholder in a plan for the table of a function that a statement created.
    fn called_table(
        &self,
        name: &str,
        function: &SqlFunction,
        args: Vec<Expr>,
    ) -> Result<Arc<dyn TableSource>> {
        if let Returns::Value(_) = function.returns() {
            return plan_err!("{name}() gives one value, not a table");
        }
        let body = function.body(self).map_err(as_external)?;
        Ok(Arc::new(SqlCallSource::try_new(name, function.args(), args, body)?))
    }
}

/// Refuses names that no table before the call has as columns: DataFusion leaves them as they are.
/// Where such a name is in double quotes the statement is planned again, with a text for it.
fn check_names(args: &[Expr]) -> Result<()> {
    let columns = args.iter().flat_map(Expr::column_refs);
    match columns.filter(|column| column.relation.is_none()).min() {
        Some(column) => Err(unqualified_field_not_found(&column.name, &DFSchema::empty())),
        None => Ok(()),
    }
}

/// Checks the number of arguments.
fn check_count(function: &dyn TableFunction, given: usize) -> Result<()> {
    let (least, most) = (function.least_arguments(), function.arguments().len());
    if (least..=most).contains(&given) {
        return Ok(());
    }
    let name = function.name();
    if least == most {
        return plan_err!("{name}() takes {most} arguments, {given} were given");
    }
    plan_err!("{name}() takes {least} to {most} arguments, {given} were given")
}

/// The arguments of a table function, as far as they are known before the statement runs.
fn call_argument(expr: &Expr) -> CallArgument {
    match expr {
        Expr::Literal(value, _) => CallArgument {
            data_type: value.data_type(),
            text: value.try_as_str().flatten().map(Arc::from),
        },
        // A flamegraph has columns that its configuration names.
        Expr::ScalarFunction(call) if call.name() == FLAMEGRAPH_CONFIG => {
            CallArgument { data_type: DataType::Utf8View, text: literal_config(&call.args) }
        }
        other => CallArgument {
            data_type: other.get_type(&DFSchema::empty()).unwrap_or(DataType::Null),
            text: None,
        },
    }
}
