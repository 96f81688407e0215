//! The texts that expressions may give, where their text shows it: `CASE WHEN name = 'a' COLLATE
//! NOCASE THEN 'yes' ELSE 'no' END` gives two.
//!
//! By SQLite's rules such a CASE has the collation that is stated within it. That changes nothing
//! where no two of the texts are equal by a collation, and nothing at all where the values are
//! numbers.

use std::collections::HashSet;

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, UnaryOperator,
    Value,
};

/// Functions that give numbers alone.
const OF_NUMBERS: &[&str] =
    &["length", "instr", "unicode", "abs", "sign", "count", "sum", "total", "avg", "round"];

/// Functions that give one of their arguments.
const OF_ARGUMENTS: &[&str] = &["coalesce", "ifnull"];

/// Whether a collation may find some of the values of several expressions equal that differ.
pub(super) fn may_be_equal(exprs: &[&Expr]) -> bool {
    let mut texts = HashSet::new();
    if !exprs.iter().all(|expr| add_texts(expr, &mut texts)) {
        return true;
    }
    let folded: HashSet<String> = texts.iter().map(|text| text.to_ascii_lowercase()).collect();
    let trimmed: HashSet<&str> = texts.iter().map(|text| text.trim_end_matches(' ')).collect();
    folded.len() < texts.len() || trimmed.len() < texts.len()
}

/// Whether an expression gives no text.
pub(super) fn gives_no_text(expr: &Expr) -> bool {
    let mut texts = HashSet::new();
    add_texts(expr, &mut texts) && texts.is_empty()
}

/// Adds the texts that an expression may give; whether all are known.
fn add_texts<'e>(expr: &'e Expr, texts: &mut HashSet<&'e str>) -> bool {
    match expr {
        Expr::Nested(inner)
        | Expr::Collate { expr: inner, .. }
        | Expr::UnaryOp { op: UnaryOperator::Plus, expr: inner } => add_texts(inner, texts),
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) => {
                texts.insert(text);
                true
            }
            Value::Number(..) | Value::Boolean(_) | Value::Null => true,
            _ => false,
        },
        Expr::Case { conditions, else_result, .. } => {
            let results = conditions.iter().map(|case| &case.result);
            results.chain(else_result.as_deref()).all(|result| add_texts(result, texts))
        }
        Expr::Function(function) => add_texts_of_call(function, texts),
        Expr::BinaryOp { op, .. } => gives_number(op),
        Expr::UnaryOp { op, .. } => matches!(op, UnaryOperator::Minus | UnaryOperator::Not),
        Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::IsDistinctFrom(..)
        | Expr::IsNotDistinctFrom(..)
        | Expr::Between { .. }
        | Expr::InList { .. }
        | Expr::InSubquery { .. }
        | Expr::Exists { .. }
        | Expr::Like { .. } => true,
        _ => false,
    }
}

/// The same for a call.
fn add_texts_of_call<'e>(function: &'e Function, texts: &mut HashSet<&'e str>) -> bool {
    let name = function.name.to_string().to_ascii_lowercase();
    let FunctionArguments::List(list) = &function.args else { return false };
    if OF_NUMBERS.contains(&name.as_str()) {
        return true;
    }
    let skipped = match name.as_str() {
        "iif" | "if" => 1,
        name if OF_ARGUMENTS.contains(&name) => 0,
        _ => return false,
    };
    list.args.iter().skip(skipped).all(|arg| match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => add_texts(expr, texts),
        _ => false,
    })
}

/// Whether the result of an operator is a number.
fn gives_number(op: &BinaryOperator) -> bool {
    use BinaryOperator::{
        And, Divide, Eq, Gt, GtEq, Lt, LtEq, Minus, Modulo, Multiply, NotEq, Or, Plus,
    };
    matches!(
        op,
        And | Divide | Eq | Gt | GtEq | Lt | LtEq | Minus | Modulo | Multiply | NotEq | Or | Plus
    )
}
