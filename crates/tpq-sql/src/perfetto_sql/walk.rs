//! Walks over syntax trees.
//!
//! sqlparser compiles its whole walk, several hundred functions, again for each type of visitor.
//! Here a visitor is behind a pointer, so that all visitors with the same result share one walk.
//! With a walk for each, they were a seventh of the program.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Expr, ObjectName, Query, Select, Statement, TableFactor, ValueWithSpan, Visit, VisitMut,
    Visitor, VisitorMut,
};

/// Walks over a part of a statement, in the order of the text, until the visitor breaks off.
pub fn walk<B>(part: &impl Visit, visitor: &mut dyn Visitor<Break = B>) -> ControlFlow<B> {
    part.visit(&mut Shared(visitor))
}

/// As [`walk`], for a visitor that changes what it visits.
pub(super) fn walk_mut<B>(
    part: &mut impl VisitMut,
    visitor: &mut dyn VisitorMut<Break = B>,
) -> ControlFlow<B> {
    part.visit(&mut SharedMut(visitor))
}

/// Calls a function with each expression, an outer one before those in it.
pub(super) fn walk_expressions<B>(
    part: &impl Visit,
    function: impl FnMut(&Expr) -> ControlFlow<B>,
) -> ControlFlow<B> {
    walk(part, &mut Expressions(function))
}

/// Calls a function with each expression, those in an outer one before it.
pub(super) fn walk_expressions_mut<B>(
    part: &mut impl VisitMut,
    function: impl FnMut(&mut Expr) -> ControlFlow<B>,
) -> ControlFlow<B> {
    walk_mut(part, &mut Expressions(function))
}

/// Calls a function with each expression that is in no query within the part, those in an outer
/// expression before it.
pub(super) fn walk_own_expressions_mut(part: &mut impl VisitMut, function: impl FnMut(&mut Expr)) {
    let _ = walk_mut(part, &mut OwnExpressions { function, queries: 0 });
}

/// As [`walk_expressions`]; the function also gets the number of queries within the part that are
/// around the expression.
pub(super) fn walk_nested_expressions<B>(
    part: &impl Visit,
    function: impl FnMut(&Expr, usize) -> ControlFlow<B>,
) -> ControlFlow<B> {
    walk(part, &mut NestedExpressions { function, queries: 0 })
}

/// As [`walk_nested_expressions`], for a function that changes expressions: an outer one before
/// those in it.
pub(super) fn walk_nested_expressions_mut(
    part: &mut impl VisitMut,
    function: impl FnMut(&mut Expr, usize),
) {
    let _ = walk_mut(part, &mut NestedExpressions { function, queries: 0 });
}

/// Calls a function with each name of a table.
pub(super) fn walk_relations<B>(
    part: &impl Visit,
    function: impl FnMut(&ObjectName) -> ControlFlow<B>,
) -> ControlFlow<B> {
    walk(part, &mut Relations(function))
}

struct Expressions<F>(F);

impl<B, F: FnMut(&Expr) -> ControlFlow<B>> Visitor for Expressions<F> {
    type Break = B;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<B> {
        (self.0)(expr)
    }
}

impl<B, F: FnMut(&mut Expr) -> ControlFlow<B>> VisitorMut for Expressions<F> {
    type Break = B;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<B> {
        (self.0)(expr)
    }
}

struct OwnExpressions<F> {
    function: F,
    /// The number of queries around.
    queries: usize,
}

struct NestedExpressions<F> {
    function: F,
    /// The number of queries around.
    queries: usize,
}

/// Counts the queries around, in `queries`.
macro_rules! count_queries {
    ($query:ty) => {
        fn pre_visit_query(&mut self, _: $query) -> ControlFlow<Self::Break> {
            self.queries += 1;
            ControlFlow::Continue(())
        }

        fn post_visit_query(&mut self, _: $query) -> ControlFlow<Self::Break> {
            self.queries -= 1;
            ControlFlow::Continue(())
        }
    };
}

impl<F: FnMut(&mut Expr)> VisitorMut for OwnExpressions<F> {
    type Break = ();

    count_queries!(&mut Query);

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if self.queries == 0 {
            (self.function)(expr);
        }
        ControlFlow::Continue(())
    }
}

impl<B, F: FnMut(&Expr, usize) -> ControlFlow<B>> Visitor for NestedExpressions<F> {
    type Break = B;

    count_queries!(&Query);

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<B> {
        (self.function)(expr, self.queries)
    }
}

impl<F: FnMut(&mut Expr, usize)> VisitorMut for NestedExpressions<F> {
    type Break = ();

    count_queries!(&mut Query);

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        (self.function)(expr, self.queries);
        ControlFlow::Continue(())
    }
}

struct Relations<F>(F);

impl<B, F: FnMut(&ObjectName) -> ControlFlow<B>> Visitor for Relations<F> {
    type Break = B;

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<B> {
        (self.0)(relation)
    }
}

/// A visitor behind a pointer.
struct Shared<'a, B>(&'a mut dyn Visitor<Break = B>);

/// A visitor behind a pointer that changes what it visits.
struct SharedMut<'a, B>(&'a mut dyn VisitorMut<Break = B>);

/// Hands the calls of a walk on to the visitor behind the pointer.
macro_rules! hand_on {
    ($($call:ident: $part:ty),* $(,)?) => {
        impl<B> Visitor for Shared<'_, B> {
            type Break = B;

            $(fn $call(&mut self, part: &$part) -> ControlFlow<B> {
                self.0.$call(part)
            })*
        }

        impl<B> VisitorMut for SharedMut<'_, B> {
            type Break = B;

            $(fn $call(&mut self, part: &mut $part) -> ControlFlow<B> {
                self.0.$call(part)
            })*
        }
    };
}

hand_on! {
    pre_visit_query: Query,
    post_visit_query: Query,
    pre_visit_select: Select,
    post_visit_select: Select,
    pre_visit_relation: ObjectName,
    post_visit_relation: ObjectName,
    pre_visit_table_factor: TableFactor,
    post_visit_table_factor: TableFactor,
    pre_visit_expr: Expr,
    post_visit_expr: Expr,
    pre_visit_statement: Statement,
    post_visit_statement: Statement,
    pre_visit_value: ValueWithSpan,
    post_visit_value: ValueWithSpan,
}
