//! `COLLATE NOCASE`: the case of ASCII letters does not count.

use datafusion::sql::sqlparser::ast::{BinaryOperator, Expr, ObjectName};

use super::{call, take};

pub(super) fn rewrite(expr: &mut Expr) {
    match expr {
        // The collation of one side holds for both.
        Expr::BinaryOp { left, op, right } if is_comparison(op) => {
            let sides = [&**left, &**right].map(|side| match side {
                Expr::Collate { collation, .. } => Some(ignores_case(collation)),
                _ => None,
            });
            if let [Some(ignored), _] | [None, Some(ignored)] = sides {
                for side in [left, right] {
                    strip(side);
                    if ignored {
                        **side = call("lower", vec![take(side)]);
                    }
                }
            }
        }
        Expr::Collate { collation, .. } => {
            let ignored = ignores_case(collation);
            strip(expr);
            if ignored {
                *expr = call("lower", vec![take(expr)]);
            }
        }
        _ => {}
    }
}

fn is_comparison(op: &BinaryOperator) -> bool {
    use BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
    matches!(op, Eq | NotEq | Lt | LtEq | Gt | GtEq)
}

fn ignores_case(collation: &ObjectName) -> bool {
    collation.to_string().eq_ignore_ascii_case("nocase")
}

fn strip(expr: &mut Expr) {
    if let Expr::Collate { expr: inner, .. } = expr {
        *expr = take(inner);
    }
}
