//! `LIMIT -1` and `OFFSET -1` are none, and `LIMIT '3'` is 3.

use std::ops::ControlFlow;

use crate::perfetto_sql::walk::walk;
use datafusion::sql::sqlparser::ast::{
    Expr, LimitClause, Offset, OffsetRows, Query, Statement, Value, Visitor,
};

use super::literals::constant;
use super::number;

pub(super) fn rewrite(query: &mut Query) {
    let Some(clause) = &mut query.limit_clause else { return };
    if let LimitClause::OffsetCommaLimit { offset, limit } = clause {
        let offset = Offset { value: offset.clone(), rows: OffsetRows::None };
        *clause = LimitClause::LimitOffset {
            limit: Some(limit.clone()),
            offset: Some(offset),
            limit_by: vec![],
        };
    }
    if let LimitClause::LimitOffset { limit, offset, .. } = clause {
        limit.iter_mut().for_each(as_number);
        offset.iter_mut().for_each(|offset| as_number(&mut offset.value));
        limit.take_if(|limit| is_negative(limit));
        offset.take_if(|offset| is_negative(&offset.value));
    }
}

fn is_negative(expr: &Expr) -> bool {
    constant(expr).is_some_and(|value| value < 0)
}

/// A text that is an integer is one.
fn as_number(expr: &mut Expr) {
    if let Expr::Value(value) = expr
        && let Value::SingleQuotedString(text) = &value.value
        && text.trim().parse::<i64>().is_ok()
    {
        *expr = number(text.trim());
    }
}

/// The name of a CTE that refers to itself and has a LIMIT, which would have to end the recursion.
pub(in super::super) fn limited_recursion(tree: &Statement) -> Option<String> {
    struct Search(Option<String>);
    impl Visitor for Search {
        type Break = ();

        fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
            let ctes = query.with.iter().flat_map(|with| &with.cte_tables);
            let mut limited =
                ctes.filter(|cte| cte.query.limit_clause.is_some() && super::refers_to_itself(cte));
            self.0 = self.0.take().or_else(|| Some(limited.next()?.alias.name.value.clone()));
            ControlFlow::Continue(())
        }
    }
    let mut search = Search(None);
    let _: ControlFlow<()> = walk(tree, &mut search);
    search.0
}
