//! Gives a table that is a value the names of its columns.
//!
//! In `SELECT c0 FROM __intrinsic_table_ptr(t) WHERE __intrinsic_table_ptr_bind(c0, 'ts')` the
//! condition is none: it says that `c0` stands for the column `ts`. It is taken out, and what it
//! says becomes an argument of the call, where planning finds it: `c0=ts`.

use std::ops::ControlFlow;

use crate::perfetto_sql::walk::walk_mut;
use datafusion::sql::sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, Select, TableFactor,
    Value, VisitorMut,
};

pub(super) const POINTER: &str = "__intrinsic_table_ptr";
const BIND: &str = "__intrinsic_table_ptr_bind";

/// Moves the names of columns from WHERE into the calls in FROM.
pub(super) fn bind_pointers(select: &mut Select) {
    for from in &mut select.from {
        let joined = from.joins.iter_mut().map(|join| &mut join.relation);
        for relation in std::iter::once(&mut from.relation).chain(joined) {
            if let TableFactor::Table { name, alias, args: Some(args), .. } = relation
                && name.to_string().eq_ignore_ascii_case(POINTER)
            {
                let called = alias.as_ref().map_or(POINTER, |alias| &alias.name.value);
                let mut binder = Binder { called, names: Vec::new() };
                if let Some(condition) = &mut select.selection {
                    let _: ControlFlow<()> = walk_mut(condition, &mut binder);
                }
                args.args.iter_mut().for_each(quoted_is_text);
                let names = Value::SingleQuotedString(binder.names.join(","));
                let names = FunctionArgExpr::Expr(Expr::Value(names.into()));
                args.args.push(FunctionArg::Unnamed(names));
            }
        }
    }
}

/// Makes `"x"` in the arguments of calls a text: there is no column that it could be.
fn quoted_is_text(arg: &mut FunctionArg) {
    let FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) = arg else { return };
    match expr {
        Expr::Identifier(Ident { value, quote_style: Some('"'), .. }) => {
            *expr = Expr::Value(Value::SingleQuotedString(std::mem::take(value)).into());
        }
        Expr::Function(Function { args: FunctionArguments::List(list), .. }) => {
            list.args.iter_mut().for_each(quoted_is_text);
        }
        _ => {}
    }
}

/// Collects what the columns of a call stand for.
struct Binder<'a> {
    /// The alias of the call in this query.
    called: &'a str,
    names: Vec<String>,
}

impl VisitorMut for Binder<'_> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::Function(function) = expr
            && let Some((table, column, name)) = bound(function)
            && table.is_none_or(|table| table.value.eq_ignore_ascii_case(self.called))
        {
            self.names.push(format!("{}={name}", column.value.to_lowercase()));
            *expr = Expr::Value(Value::Boolean(true).into());
        }
        ControlFlow::Continue(())
    }
}

/// The table, if given, column and name of a binding.
fn bound(function: &Function) -> Option<(Option<&Ident>, &Ident, &str)> {
    if !function.name.to_string().eq_ignore_ascii_case(BIND) {
        return None;
    }
    let FunctionArguments::List(list) = &function.args else { return None };
    let [FunctionArg::Unnamed(column), FunctionArg::Unnamed(name)] = &list.args[..] else {
        return None;
    };
    let FunctionArgExpr::Expr(Expr::Value(name)) = name else { return None };
    let Value::SingleQuotedString(name) = &name.value else { return None };
    match column {
        FunctionArgExpr::Expr(Expr::Identifier(column)) => Some((None, column, name)),
        FunctionArgExpr::Expr(Expr::CompoundIdentifier(parts)) => match &parts[..] {
            [table, column] => Some((Some(table), column, name)),
            _ => None,
        },
        _ => None,
    }
}
