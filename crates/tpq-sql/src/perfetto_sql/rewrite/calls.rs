//! Calls of functions, and the syntax that is a call in other words.

use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CaseWhen, CeilFloorKind, DataType, DuplicateTreatment, Expr, Function,
    FunctionArg, FunctionArgExpr, FunctionArgumentClause, FunctionArguments, Ident, ObjectName,
    TrimWhereField, UnaryOperator, Value,
};

use super::super::types::{SqliteType, sqlite_type};
use super::truth::as_condition;
use super::{call, number, take, text};
use crate::functions::{CAST_BLOB, CAST_INTEGER, CAST_REAL, CAST_TEXT, GREATEST, LEAST, NUMBER};

pub(super) fn rewrite(expr: &mut Expr) {
    let call = match expr {
        Expr::Like { negated, expr: text, pattern, escape_char, .. } => {
            let mut args = vec![take(pattern), take(text)];
            args.extend(escape_char.take().map(Expr::Value));
            let like = call("like", args);
            if *negated { not(like) } else { like }
        }
        Expr::BinaryOp { left, op: BinaryOperator::Regexp, right } => {
            call("regexp", vec![take(right), take(left)])
        }
        Expr::UnaryOp { op: UnaryOperator::BitwiseNot, expr: inner } => complement(take(inner)),
        Expr::Cast { expr: inner, data_type, .. } => match cast_function(data_type) {
            Some(name) => call(name, vec![take(inner)]),
            None => return,
        },
        Expr::Trim { .. } | Expr::Substring { .. } => match of_text(expr) {
            Some(call) => call,
            None => return,
        },
        Expr::Ceil { expr: inner, field: CeilFloorKind::DateTimeField(_) } => {
            call("ceil", vec![take(inner)])
        }
        Expr::Floor { expr: inner, field: CeilFloorKind::DateTimeField(_) } => {
            call("floor", vec![take(inner)])
        }
        Expr::Function(_) => return function(expr),
        _ => return,
    };
    *expr = call;
}

/// All bits the other way round.
fn complement(expr: Expr) -> Expr {
    Expr::Nested(Box::new(Expr::BinaryOp {
        left: Box::new(call(CAST_INTEGER, vec![expr])),
        op: BinaryOperator::BitwiseXor,
        right: Box::new(number("-1")),
    }))
}

/// `trim` and `substring`, which have a syntax of their own.
fn of_text(expr: &mut Expr) -> Option<Expr> {
    match expr {
        Expr::Trim { expr: inner, trim_where, trim_what, trim_characters } => {
            let name = match trim_where {
                Some(TrimWhereField::Leading) => "ltrim",
                Some(TrimWhereField::Trailing) => "rtrim",
                _ => "trim",
            };
            let mut args = vec![take(inner)];
            args.extend(trim_what.as_mut().map(|what| take(what)));
            args.extend(trim_characters.iter_mut().flatten().map(take));
            Some(call(name, args))
        }
        Expr::Substring { expr: inner, substring_from, substring_for, .. } => {
            let mut args = vec![take(inner)];
            args.push(substring_from.as_mut().map_or_else(|| number("1"), |from| take(from)));
            args.extend(substring_for.as_mut().map(|count| take(count)));
            Some(call("substr", args))
        }
        _ => None,
    }
}

fn cast_function(data_type: &DataType) -> Option<&'static str> {
    Some(match sqlite_type(data_type)? {
        SqliteType::Integer => CAST_INTEGER,
        SqliteType::Real => CAST_REAL,
        SqliteType::Text => CAST_TEXT,
        SqliteType::Blob => CAST_BLOB,
    })
}

fn not(expr: Expr) -> Expr {
    Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(expr) }
}

/// The plain arguments of a call.
pub(super) fn plain_args(function: &mut Function) -> Vec<&mut Expr> {
    let FunctionArguments::List(list) = &mut function.args else { return Vec::new() };
    let plain = |arg| match arg {
        &mut FunctionArg::Unnamed(FunctionArgExpr::Expr(ref mut expr)) => Some(expr),
        _ => None,
    };
    list.args.iter_mut().filter_map(plain).collect()
}

fn rename(function: &mut Function, name: &str) {
    let mut ident = Ident::new(name);
    if let Some(part) = function.name.0.first().and_then(|part| part.as_ident()) {
        ident.span = part.span;
    }
    function.name = ObjectName::from(vec![ident]);
}

fn push(function: &mut Function, arg: FunctionArgExpr) {
    if let FunctionArguments::List(list) = &mut function.args {
        list.args.push(FunctionArg::Unnamed(arg));
    }
}

fn function(expr: &mut Expr) {
    let Expr::Function(function) = expr else { return };
    let name = function.name.to_string().to_ascii_lowercase();
    let args = plain_args(function).len();
    match name.as_str() {
        "current_timestamp" | "current_date" | "current_time" if args == 0 => {
            let function = match name.as_str() {
                "current_timestamp" => "datetime",
                "current_date" => "date",
                _ => "time",
            };
            *expr = call(function, vec![text("now")]);
        }
        "count" if matches!(&function.args, FunctionArguments::List(list) if list.args.is_empty()) =>
        {
            push(function, FunctionArgExpr::Wildcard);
        }
        "min" if args > 1 => rename(function, LEAST),
        "max" if args > 1 => rename(function, GREATEST),
        "sum" => convert_first(function, NUMBER),
        "avg" => convert_first(function, CAST_REAL),
        "total" => {
            rename(function, "sum");
            convert_first(function, CAST_REAL);
            let sum = take(expr);
            *expr = call("coalesce", vec![sum, number("0.0")]);
        }
        "group_concat" | "string_agg" if is_distinct_in_order(function) => {
            *expr = distinct_texts(function);
        }
        "group_concat" | "string_agg" => {
            rename(function, "string_agg");
            convert_first(function, CAST_TEXT);
            let separator = plain_args(function).into_iter().nth(1);
            match separator {
                Some(separator) => convert_separator(separator),
                None => push(function, FunctionArgExpr::Expr(text(","))),
            }
        }
        "iif" | "if" if (2..=3).contains(&args) => *expr = if_else(function),
        "percentile" if args == 2 => percentile(function),
        "__intrinsic_row_dataframe_agg" | "__intrinsic_tree_from_table" if args > 1 => {
            pass_row(function);
        }
        _ => {}
    }
}

/// Whether a call takes each value once, in the order of the values.
fn is_distinct_in_order(function: &Function) -> bool {
    let FunctionArguments::List(list) = &function.args else { return false };
    let [FunctionArgumentClause::OrderBy(keys)] = &list.clauses[..] else { return false };
    let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(value))) = list.args.first() else {
        return false;
    };
    let is_distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
    is_distinct && function.filter.is_none() && matches!(&keys[..], [key] if key.expr == *value)
}

/// The text of a list of values: as texts they would have another order.
fn distinct_texts(function: &mut Function) -> Expr {
    let mut args = plain_args(function);
    let value = args[0].clone();
    let separator = args.get_mut(1).map_or_else(|| text(","), |separator| take(separator));
    if let FunctionArguments::List(list) = &mut function.args {
        list.args.truncate(1);
    }
    rename(function, "array_agg");
    function.filter = Some(Box::new(Expr::IsNotNull(Box::new(value))));
    call("array_to_string", vec![Expr::Function(function.clone()), separator])
}

fn convert_first(function: &mut Function, name: &str) {
    if let Some(first) = plain_args(function).into_iter().next() {
        *first = call(name, vec![take(first)]);
    }
}

/// Converts to text what is not one. A window function takes literals only.
fn convert_separator(separator: &mut Expr) {
    if !matches!(separator, Expr::Value(_)) {
        *separator = call(CAST_TEXT, vec![take(separator)]);
    }
}

/// Makes one row of pairs of name and value, so that the type of the argument has the names.
fn pass_row(function: &mut Function) {
    let pairs = plain_args(function).into_iter().map(take).collect();
    if let FunctionArguments::List(list) = &mut function.args {
        let row = FunctionArgExpr::Expr(call("named_struct", pairs));
        list.args = vec![FunctionArg::Unnamed(row)];
    }
}

/// From hundredths to the fraction that DataFusion takes.
fn percentile(function: &mut Function) {
    rename(function, "percentile_cont");
    convert_first(function, CAST_REAL);
    if let Some(rank) = plain_args(function).into_iter().nth(1) {
        let fraction = match &*rank {
            Expr::Value(value) => match &value.value {
                Value::Number(digits, _) => digits.parse::<f64>().ok().map(|rank| rank / 100.0),
                _ => None,
            },
            _ => None,
        };
        *rank = match fraction {
            Some(fraction) => number(&format!("{fraction:?}")),
            None => Expr::BinaryOp {
                left: Box::new(take(rank)),
                op: BinaryOperator::Divide,
                right: Box::new(number("100.0")),
            },
        };
    }
}

fn if_else(function: &mut Function) -> Expr {
    let mut args = plain_args(function).into_iter().map(take);
    let mut condition = args.next().unwrap_or_else(|| number("0"));
    as_condition(&mut condition);
    let result = args.next().unwrap_or(Expr::Value(Value::Null.into()));
    Expr::Case {
        case_token: AttachedToken::empty(),
        end_token: AttachedToken::empty(),
        operand: None,
        conditions: vec![CaseWhen { condition, result }],
        else_result: args.next().map(Box::new),
    }
}
