//! `*` over several tables, written out in statements with a join USING columns.
//!
//! DataFusion leaves a column out of `*` if any join in the plan is USING it, also a join in a
//! subquery or a CTE with tables of the same names.

use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{Select, SelectItem, SetExpr};
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use super::outer_using::name_tables;
use crate::perfetto_sql::planner::Planner;
use crate::perfetto_sql::scope::{Scope, using, visit_queries, written_out};

/// Writes out each such `*` where the columns of all tables are known. `tokens` are the statement.
pub(in super::super) fn write_out_stars(
    tree: &mut Tree,
    tokens: &[TokenWithSpan],
    planner: &Planner,
) {
    let is_using = |token: &TokenWithSpan| matches!(&token.token, Token::Word(word) if word.value.eq_ignore_ascii_case("using"));
    if !tokens.iter().any(is_using) {
        return;
    }
    match tree {
        Tree::Statement(statement) => {
            visit_queries(statement, &Scope::new(planner), &mut |query, scope| {
                in_body(&mut query.body, scope);
            });
        }
        Tree::Explain(explain) => write_out_stars(&mut explain.statement, tokens, planner),
        _ => {}
    }
}

fn in_body(body: &mut SetExpr, scope: &Scope) {
    match body {
        SetExpr::Select(select) if is_over_plain_joins(select) => {
            name_tables(select);
            if let Some(items) = written_out(select, scope) {
                select.projection = items;
            }
        }
        SetExpr::SetOperation { left, right, .. } => {
            in_body(left, scope);
            in_body(right, scope);
        }
        _ => {}
    }
}

/// Whether `*` is of several tables, and not of two that are joined USING columns: DataFusion knows
/// which of these to leave out. Of several joins it takes the columns for those of each.
fn is_over_plain_joins(select: &Select) -> bool {
    let has_star = select.projection.iter().any(|item| matches!(item, SelectItem::Wildcard(_)));
    let joins = select.from.iter().flat_map(|from| &from.joins);
    let (count, is_using) = joins
        .fold((0, false), |(count, is_using), join| (count + 1, is_using || using(join).is_some()));
    let has_several = select.from.len() > 1 || count > 0;
    has_star && has_several && (count > 1 || !is_using)
}
