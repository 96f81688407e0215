//! Functions that statements declare. The body is planned when a statement first calls it, and
//! again after something was replaced or dropped.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::Column;
use datafusion::logical_expr::{Expr, LogicalPlan};

use super::definition::{check_columns, convertible, in_order_of, type_name};
use super::kept_plan::KeptPlan;
use crate::errors::{SqlError, SqlErrorKind};
use crate::functions::{EXTRACT_ARG, is_text};
use crate::lowering::inline_calls;
use crate::perfetto_sql::{
    Declared, FunctionBody, FunctionDeclaration, Name, Planner, Returns, Text, named,
};

/// A function that a statement declares.
#[derive(Debug)]
pub(crate) struct SqlFunction {
    declaration: FunctionDeclaration,
    /// The text that the spans of the declaration point into.
    text: Text,
    body: KeptPlan<Arc<LogicalPlan>>,
}

impl SqlFunction {
    pub(crate) fn new(declaration: FunctionDeclaration, text: Text) -> Self {
        Self { declaration, text, body: KeptPlan::default() }
    }

    /// The name in lower case.
    pub(crate) fn name(&self) -> &str {
        &self.declaration.creation.name.text
    }

    pub(crate) fn args(&self) -> &[Declared] {
        &self.declaration.args
    }

    pub(crate) fn returns(&self) -> &Returns {
        &self.declaration.returns
    }

    /// The function that this one delegates to.
    pub(crate) fn delegates_to(&self) -> Option<&Name> {
        match &self.declaration.body {
            FunctionBody::DelegatesTo(name) => Some(name),
            FunctionBody::Query(_) => None,
        }
    }

    /// Returns the plan of the body, in which `$1`, `$2`… stand for the arguments.
    ///
    /// # Errors
    /// When the body cannot be planned, or its result does not match the declared return type.
    pub(crate) fn body(&self, planner: &Planner) -> Result<Arc<LogicalPlan>, SqlError> {
        let plan = || planner.within(self.name(), || self.plan(planner)).map(Arc::new);
        self.body.get_or_make(planner.changes(), plan)
    }

    fn plan(&self, planner: &Planner) -> Result<LogicalPlan, SqlError> {
        let FunctionBody::Query(tokens) = &self.declaration.body else {
            return Err(SqlError::new(SqlErrorKind::Internal, "a function without a body"));
        };
        let query = Text { sources: self.text.sources.clone(), tokens: tokens.clone() };
        let planned = planner.plan_body(&query, self.args())?;
        let failed = |error| planner.error(error, &query);
        let plan = inline_calls(named(planned).map_err(failed)?).map_err(failed)?;
        match self.returns() {
            Returns::Table(columns) => {
                let plan = check_columns(plan, columns, &self.text, planner)?;
                in_order_of(plan, columns).map_err(failed)
            }
            Returns::Value(value) => self.check_value(plan, value, planner),
        }
    }

    /// Returns `plan` with its only column cast to the declared type.
    fn check_value(
        &self,
        plan: LogicalPlan,
        value: &Declared,
        planner: &Planner,
    ) -> Result<LogicalPlan, SqlError> {
        let location = || self.text.sources.location(self.declaration.creation.name.span);
        let fields = plan.schema().fields();
        let [field] = &fields[..] else {
            let message = format!(
                "`{}` gives one value, but its query has {} columns",
                self.name(),
                fields.len()
            );
            return Err(SqlError::new(SqlErrorKind::Invalid, message).at(location()));
        };
        let column = Expr::Column(Column::new_unqualified(field.name()));
        if !convertible(&column, field.data_type(), &value.data_type) {
            let found = type_name(field.data_type());
            let message =
                format!("`{}` returns {}, but its query gives {found}", self.name(), value.kind);
            return Err(SqlError::new(SqlErrorKind::Invalid, message).at(location()));
        }
        if value.data_type == DataType::Null || is_text_argument(&plan) {
            return Ok(plan);
        }
        let name = Name { text: field.name().clone(), ..value.name.clone() };
        let value = Declared { name, ..value.clone() };
        check_columns(plan, &[value], &self.text, planner)
    }
}

/// Whether the value is an argument that is a text in this trace. It stays one whatever the
/// function declares: the type of an argument can differ between traces.
fn is_text_argument(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Projection(step) => {
            let value = step.expr.first().cloned().map(Expr::unalias);
            let is_argument = matches!(&value, Some(Expr::ScalarFunction(call))
                if call.name() == EXTRACT_ARG);
            is_argument && is_text(step.schema.field(0).data_type())
        }
        LogicalPlan::Limit(step) => is_text_argument(&step.input),
        LogicalPlan::Sort(step) => is_text_argument(&step.input),
        LogicalPlan::SubqueryAlias(step) => is_text_argument(&step.input),
        _ => false,
    }
}
