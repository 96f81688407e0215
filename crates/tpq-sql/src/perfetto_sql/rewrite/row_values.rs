//! Row values: `(a, b) = (1, 2)`, `(a, b) < (SELECT x, y …)`, `(a, b) IN (SELECT x, y …)`.
//!
//! They become comparisons of their parts, so that a NULL makes a comparison unknown unless other
//! parts decide it. DataFusion compares them as structs, to which NULL is a value.

use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CaseWhen, Expr, FunctionArguments, GroupByExpr, Ident, JoinConstraint,
    LimitClause, Query, Select, SelectItem, SetExpr, Statement, TableFactor, UnaryOperator, Value,
};
use datafusion::sql::sqlparser::parser::Parser;

use super::super::dialect::TraceDialect;
use super::orders::has;
use super::retry::is_query;
use super::truth::constraint;
use super::{call, number, take};

/// The columns of the rows that a row value is compared with are called this, with a number.
pub(super) const COLUMN: &str = "__value";

/// Whether there is an aggregate function of a name.
type IsAggregate<'a> = &'a dyn Fn(&str) -> bool;

pub(super) fn rewrite(expr: &mut Expr, is_aggregate: IsAggregate) {
    let replaced = match expr {
        Expr::InSubquery { expr: row, subquery, negated } => match parts(row) {
            Some(row) => in_subquery(&row, subquery, *negated),
            None => None,
        },
        Expr::BinaryOp { left, op, right } => compared(left, op, right, is_aggregate),
        Expr::IsNotDistinctFrom(left, right) => same(left, right, is_aggregate),
        Expr::IsDistinctFrom(left, right) => same(left, right, is_aggregate).map(not),
        Expr::Case { operand, conditions, .. } => {
            compare_cases(operand, conditions);
            None
        }
        _ => None,
    };
    if let Some(replaced) = replaced {
        *expr = replaced;
    }
}

/// The parts of a row value.
fn parts(expr: &Expr) -> Option<Vec<Expr>> {
    match expr {
        Expr::Tuple(parts) => Some(parts.clone()),
        Expr::Nested(inner) => parts(inner),
        _ => None,
    }
}

fn binary(op: BinaryOperator, left: Expr, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op, right: Box::new(right) }
}

fn nested(expr: Expr) -> Expr {
    Expr::Nested(Box::new(expr))
}

fn not(expr: Expr) -> Expr {
    Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(nested(expr)) }
}

/// All pairs combined by AND or OR.
fn combined(
    left: &[Expr],
    right: &[Expr],
    op: &BinaryOperator,
    pair: impl Fn(Expr, Expr) -> Expr,
) -> Option<Expr> {
    let pairs = left.iter().zip(right).map(|(left, right)| pair(left.clone(), right.clone()));
    pairs.reduce(|all, one| binary(op.clone(), all, one)).map(nested)
}

fn equal(left: &[Expr], right: &[Expr]) -> Option<Expr> {
    combined(left, right, &BinaryOperator::And, |a, b| binary(BinaryOperator::Eq, a, b))
}

/// A comparison of two rows of the same length.
fn of_parts(left: &[Expr], op: &BinaryOperator, right: &[Expr]) -> Option<Expr> {
    use BinaryOperator::{And, Eq, Gt, GtEq, Lt, LtEq, NotEq, Or};
    if left.len() != right.len() {
        return None;
    }
    let strict = match op {
        Eq => return equal(left, right),
        NotEq => return combined(left, right, &Or, |a, b| binary(NotEq, a, b)),
        Lt | LtEq => Lt,
        Gt | GtEq => Gt,
        _ => return None,
    };
    // From the last part to the first: the first is less, or equal and the others decide.
    let (last_left, left) = left.split_last()?;
    let (last_right, right) = right.split_last()?;
    let mut result = binary(op.clone(), last_left.clone(), last_right.clone());
    for (left, right) in left.iter().zip(right).rev() {
        let ties = binary(And, binary(Eq, left.clone(), right.clone()), nested(result));
        result = binary(Or, binary(strict.clone(), left.clone(), right.clone()), nested(ties));
    }
    Some(nested(result))
}

fn compared(
    left: &Expr,
    op: &BinaryOperator,
    right: &Expr,
    is_aggregate: IsAggregate,
) -> Option<Expr> {
    let (row, subquery, is_left) = match (parts(left), parts(right)) {
        (Some(left), Some(right)) => return of_parts(&left, op, &right),
        (Some(row), None) => (row, right, true),
        (None, Some(row)) => (row, left, false),
        (None, None) => return None,
    };
    let condition = |row: &[Expr], columns: &[Expr]| match is_left {
        true => of_parts(row, op, columns),
        false => of_parts(columns, op, row),
    };
    with_subquery(&row, subquery, condition, is_aggregate)
}

/// Whether both are the same, NULLs included.
fn same(left: &Expr, right: &Expr, is_aggregate: IsAggregate) -> Option<Expr> {
    let pairs = |left: &[Expr], right: &[Expr]| {
        combined(left, right, &BinaryOperator::And, |a, b| {
            Expr::IsNotDistinctFrom(Box::new(a), Box::new(b))
        })
    };
    let (row, subquery) = match (parts(left), parts(right)) {
        (Some(left), Some(right)) if left.len() == right.len() => return pairs(&left, &right),
        (Some(row), None) => (row, right),
        (None, Some(row)) => (row, left),
        _ => return None,
    };
    let of_row = with_subquery(&row, subquery, pairs, is_aggregate)?;
    if !matches!(of_row, Expr::Subquery(_)) {
        return Some(of_row);
    }
    // Without a row, the columns of the subquery are NULL.
    let is_null = |part: &Expr| Expr::IsNull(Box::new(part.clone()));
    let are_null = row.iter().map(is_null).reduce(|all, one| binary(BinaryOperator::And, all, one));
    Some(call("coalesce", vec![of_row, nested(are_null?)]))
}

/// A condition on a row and the row of a scalar subquery.
fn with_subquery(
    row: &[Expr],
    subquery: &Expr,
    condition: impl Fn(&[Expr], &[Expr]) -> Option<Expr>,
    is_aggregate: IsAggregate,
) -> Option<Expr> {
    let Expr::Subquery(query) = subquery else { return None };
    let query = &first_row(query);
    let columns = column_names(row.len());
    let is_over_rows = |part: &Expr| is_over_rows(part, is_aggregate);
    let is_call = |part: &Expr| matches!(part, Expr::Function(_));
    // An aggregate, or a window function, would be one of the rows of the subquery there. Of
    // several rows, each column could be that of another one.
    let is_by_column = row.iter().any(|part| has(part, is_over_rows))
        || gives_one_row(query, is_aggregate) && row.iter().any(|part| has(part, is_call));
    if is_by_column {
        let column = |name: &Ident| {
            let value = Expr::Identifier(name.clone());
            renamed_rows(query, &columns, value, None).map(|rows| Expr::Subquery(Box::new(rows)))
        };
        let values: Vec<Expr> = columns.iter().map(column).collect::<Option<_>>()?;
        return condition(row, &values);
    }
    let value = condition(row, &identifiers(&columns))?;
    renamed_rows(query, &columns, value, None).map(|query| Expr::Subquery(Box::new(query)))
}

/// A query that gives the first row of an order: without a limit, the query around it would lose
/// the order.
fn first_row(query: &Query) -> Query {
    let mut query = query.clone();
    if query.order_by.is_some() && query.limit_clause.is_none() && query.fetch.is_none() {
        let limit = Some(number("1"));
        query.limit_clause =
            Some(LimitClause::LimitOffset { limit, offset: None, limit_by: vec![] });
    }
    query
}

/// Whether an expression is an aggregate or a window function.
fn is_over_rows(expr: &Expr, is_aggregate: IsAggregate) -> bool {
    match expr {
        Expr::Function(function) => {
            function.over.is_some() || is_aggregate(&function.name.to_string().to_lowercase())
        }
        _ => false,
    }
}

/// Whether a query has one row at most, as far as its text shows: it aggregates all rows, or reads
/// no table.
fn gives_one_row(query: &Query, is_aggregate: IsAggregate) -> bool {
    let SetExpr::Select(select) = &*query.body else { return false };
    let is_grouped = !matches!(&select.group_by, GroupByExpr::Expressions(by, _) if by.is_empty());
    let aggregates = |item: &SelectItem| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
            // One in a query within aggregates the rows of that.
            !has(expr, is_query) && has(expr, |part| is_aggregate_call(part, is_aggregate))
        }
        _ => false,
    };
    !is_grouped && (select.from.is_empty() || select.projection.iter().any(aggregates))
}

/// Whether an expression is an aggregate; `min` and `max` of several values are none.
fn is_aggregate_call(expr: &Expr, is_aggregate: IsAggregate) -> bool {
    let Expr::Function(function) = expr else { return false };
    let FunctionArguments::List(list) = &function.args else { return false };
    let name = function.name.to_string().to_lowercase();
    let chooses = matches!(name.as_str(), "min" | "max") && list.args.len() > 1;
    function.over.is_none() && !chooses && is_aggregate(&name)
}

/// Rewrites `IN` where it decides which rows a condition selects: a NULL selects none.
pub(super) fn in_conditions(select: &mut Select) {
    let joins = select.from.iter_mut().flat_map(|from| &mut from.joins);
    let on = joins.filter_map(|join| match constraint(&mut join.join_operator) {
        Some(JoinConstraint::On(condition)) => Some(condition),
        _ => None,
    });
    let conditions = [&mut select.selection, &mut select.having].into_iter().flatten();
    let mut pending: Vec<&mut Expr> = conditions.chain(on).collect();
    while let Some(part) = pending.pop() {
        if let Expr::InSubquery { expr: row, subquery, negated } = part {
            if let Some(found) = parts(row).and_then(|row| selects(&row, subquery, *negated)) {
                *part = found;
            }
            continue;
        }
        match part {
            Expr::Nested(inner) => pending.push(inner),
            Expr::BinaryOp { left, op: BinaryOperator::And | BinaryOperator::Or, right } => {
                pending.extend([&mut **left, &mut **right]);
            }
            _ => {}
        }
    }
}

/// Whether a subquery has a row that is equal, and whether it has one that a NULL leaves open.
fn found(row: &[Expr], subquery: &Query, negated: bool) -> Option<[Expr; 2]> {
    let columns = column_names(row.len());
    let equal = equal(&identifiers(&columns), row)?;
    let exists = |condition| {
        let query = renamed_rows(subquery, &columns, number("1"), Some(condition))?;
        Some(Expr::Exists { subquery: Box::new(query), negated })
    };
    Some([exists(equal.clone())?, exists(Expr::IsNull(Box::new(equal)))?])
}

/// `IN` as a condition that is false where it is not known. A row that may be equal is not known to
/// be absent.
fn selects(row: &[Expr], subquery: &Query, negated: bool) -> Option<Expr> {
    let [found, may_be_found] = found(row, subquery, negated)?;
    Some(match negated {
        true => nested(binary(BinaryOperator::And, found, may_be_found)),
        false => found,
    })
}

/// `IN` as a value: 1, 0, or NULL where it is not known.
fn in_subquery(row: &[Expr], subquery: &Query, negated: bool) -> Option<Expr> {
    let [found, may_be_found] = found(row, subquery, false)?;
    let [if_found, if_absent] = if negated { ["0", "1"] } else { ["1", "0"] };
    let branch = |condition, result| CaseWhen { condition, result };
    Some(Expr::Case {
        case_token: AttachedToken::empty(),
        end_token: AttachedToken::empty(),
        operand: None,
        conditions: vec![
            branch(found, number(if_found)),
            branch(may_be_found, Expr::Value(Value::Null.into())),
        ],
        else_result: Some(Box::new(number(if_absent))),
    })
}

fn compare_cases(operand: &mut Option<Box<Expr>>, conditions: &mut [CaseWhen]) {
    if operand.as_deref().and_then(parts).is_none() {
        return;
    }
    let Some(value) = operand.take() else { return };
    for case in conditions {
        case.condition = binary(BinaryOperator::Eq, (*value).clone(), take(&mut case.condition));
    }
}

fn column_names(count: usize) -> Vec<Ident> {
    (0..count).map(|at| Ident::new(format!("{COLUMN}{at}"))).collect()
}

fn identifiers(columns: &[Ident]) -> Vec<Expr> {
    columns.iter().cloned().map(Expr::Identifier).collect()
}

/// `SELECT value FROM (query) AS __rows(columns) WHERE condition`.
pub(super) fn renamed_rows(
    query: &Query,
    columns: &[Ident],
    value: Expr,
    condition: Option<Expr>,
) -> Option<Query> {
    let names: Vec<String> = columns.iter().map(ToString::to_string).collect();
    let text = format!("SELECT NULL FROM (SELECT 1) AS __rows({})", names.join(", "));
    let dialect = TraceDialect::default();
    let parsed = Parser::new(&dialect).try_with_sql(&text).ok()?.parse_statement().ok()?;
    let Statement::Query(mut outer) = parsed else { return None };
    let SetExpr::Select(select) = &mut *outer.body else { return None };
    // Its place in this text is that of a SELECT in the statement, and it would get the titles there.
    select.select_token = AttachedToken::empty();
    if let TableFactor::Derived { subquery, .. } = &mut select.from.first_mut()?.relation {
        **subquery = query.clone();
    }
    debug_assert!(matches!(&select.projection[..], [SelectItem::UnnamedExpr(Expr::Value(value))]
        if value.value == Value::Null));
    select.projection = vec![SelectItem::UnnamedExpr(value)];
    select.selection = condition;
    Some(*outer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count_of_subqueries(sql: &str) -> usize {
        let dialect = TraceDialect::default();
        let parser = Parser::new(&dialect).try_with_sql(sql);
        let mut expr = parser.unwrap().parse_expr().unwrap();
        rewrite(&mut expr, &|name| name == "max");
        expr.to_string().matches("__rows").count()
    }

    #[test]
    fn the_parts_of_a_row_are_of_one_row() {
        assert_eq!(count_of_subqueries("(a, abs(b)) = (SELECT x, y FROM t)"), 1);
        assert_eq!(count_of_subqueries("(SELECT x, y FROM t) < (abs(a), b)"), 1);
        assert_eq!(count_of_subqueries("(a, abs(b)) IS (SELECT max(x), y FROM t GROUP BY y)"), 1);
        // Where there is one row, it need not be compared for each row of the query around.
        assert_eq!(count_of_subqueries("(a, abs(b)) = (SELECT max(x), y FROM t)"), 2);
        assert_eq!(count_of_subqueries("(a, abs(b)) = (SELECT 1, 2)"), 2);
        // An aggregate is one of the query around.
        assert_eq!(count_of_subqueries("(a, max(b)) = (SELECT x, y FROM t)"), 2);
    }
}
