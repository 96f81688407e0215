//! `(a, b) IN (SELECT x, y …)`: there is a row with both.

use datafusion::sql::sqlparser::ast::{BinaryOperator, Expr, Ident, Query, Statement, Value};
use datafusion::sql::sqlparser::parser::Parser;

use super::super::dialect::TraceDialect;
use super::take;

pub(super) fn rewrite(expr: &mut Expr) {
    let Expr::InSubquery { expr: row, subquery, negated } = expr else { return };
    let Expr::Tuple(values) = &mut **row else { return };
    let columns: Vec<Ident> =
        (0..values.len()).map(|at| Ident::new(format!("__value{at}"))).collect();
    let equal = values.iter_mut().zip(&columns).map(|(value, column)| Expr::BinaryOp {
        left: Box::new(Expr::Identifier(column.clone())),
        op: BinaryOperator::Eq,
        right: Box::new(take(value)),
    });
    let Some(condition) = equal.reduce(|all, one| Expr::BinaryOp {
        left: Box::new(all),
        op: BinaryOperator::And,
        right: Box::new(one),
    }) else {
        return;
    };
    if let Some(query) = rows_with(subquery, &columns, condition) {
        *expr = Expr::Exists { subquery: Box::new(query), negated: *negated };
    }
}

/// The rows of a query, under other names, for which a condition holds.
fn rows_with(query: &Query, columns: &[Ident], condition: Expr) -> Option<Query> {
    use datafusion::sql::sqlparser::ast::{SetExpr, TableFactor};
    let names: Vec<String> = columns.iter().map(ToString::to_string).collect();
    let text = format!("SELECT 1 FROM (SELECT 1) AS __rows({}) WHERE NULL", names.join(", "));
    let dialect = TraceDialect::default();
    let parsed = Parser::new(&dialect).try_with_sql(&text).ok()?.parse_statement().ok()?;
    let Statement::Query(mut outer) = parsed else { return None };
    let SetExpr::Select(select) = &mut *outer.body else { return None };
    if let TableFactor::Derived { subquery, .. } = &mut select.from.first_mut()?.relation {
        **subquery = query.clone();
    }
    debug_assert!(
        matches!(&select.selection, Some(Expr::Value(value)) if value.value == Value::Null)
    );
    select.selection = Some(condition);
    Some(*outer)
}
