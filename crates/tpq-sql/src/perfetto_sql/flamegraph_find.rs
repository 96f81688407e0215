//! `WHERE __intrinsic_flamegraph_find(_tree_id, 'SUPER_ROOT')`: asks a flamegraph for one row.
//!
//! The condition decides which rows the flamegraph makes: rows that are found this way are in no
//! other result. So it moves from WHERE into the configuration of the flamegraph.

use std::ops::ControlFlow;

use crate::perfetto_sql::walk::walk_mut;
use datafusion::sql::sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList, FunctionArguments, Select,
    TableFactor, Value, VisitorMut,
};

use crate::functions::FLAMEGRAPH_CONFIG;

const FIND: &str = "__intrinsic_flamegraph_find";

/// The column of a flamegraph that the condition is on.
const ID: &str = "_tree_id";

/// Moves what WHERE finds into the configurations in FROM.
pub(super) fn find_rows(select: &mut Select) {
    let Some(condition) = &mut select.selection else { return };
    for from in &mut select.from {
        let joined = from.joins.iter_mut().map(|join| &mut join.relation);
        for relation in std::iter::once(&mut from.relation).chain(joined) {
            let TableFactor::Table { name, alias, args: Some(args), .. } = relation else {
                continue;
            };
            let Some(config) = args.args.first_mut().and_then(config) else { continue };
            let called = match alias {
                Some(alias) => alias.name.value.clone(),
                None => name.to_string(),
            };
            let mut finder = Finder { called, found: Vec::new() };
            let _: ControlFlow<()> = walk_mut(condition, &mut finder);
            config
                .args
                .extend(finder.found.into_iter().flat_map(|row| ["find".into(), row]).map(text));
        }
    }
}

/// The arguments of `__intrinsic_flamegraph_config`, if that is called.
fn config(arg: &mut FunctionArg) -> Option<&mut FunctionArgumentList> {
    let FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Function(function))) = arg else {
        return None;
    };
    match &mut function.args {
        FunctionArguments::List(list)
            if function.name.to_string().eq_ignore_ascii_case(FLAMEGRAPH_CONFIG) =>
        {
            Some(list)
        }
        _ => None,
    }
}

fn text(value: String) -> FunctionArg {
    let value = Value::SingleQuotedString(value);
    FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value.into())))
}

/// Collects the rows that are found in a flamegraph.
struct Finder {
    /// The name of the flamegraph in this query.
    called: String,
    found: Vec<String>,
}

impl VisitorMut for Finder {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::Function(function) = expr
            && let Some(row) = found(function, &self.called)
        {
            self.found.push(row);
            *expr = Expr::Value(Value::Boolean(true).into());
        }
        ControlFlow::Continue(())
    }
}

/// The row that a condition on this flamegraph finds.
fn found(function: &Function, called: &str) -> Option<String> {
    if !function.name.to_string().eq_ignore_ascii_case(FIND) {
        return None;
    }
    let FunctionArguments::List(list) = &function.args else { return None };
    let [FunctionArg::Unnamed(column), FunctionArg::Unnamed(row)] = &list.args[..] else {
        return None;
    };
    let FunctionArgExpr::Expr(Expr::Value(row)) = row else { return None };
    let Value::SingleQuotedString(row) = &row.value else { return None };
    let is_id = match column {
        FunctionArgExpr::Expr(Expr::Identifier(column)) => column.value.eq_ignore_ascii_case(ID),
        FunctionArgExpr::Expr(Expr::CompoundIdentifier(parts)) => match &parts[..] {
            [table, column] => {
                table.value.eq_ignore_ascii_case(called) && column.value.eq_ignore_ascii_case(ID)
            }
            _ => false,
        },
        _ => false,
    };
    is_id.then(|| row.clone())
}
