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
pub(super) fn walk<B>(part: &impl Visit, visitor: &mut dyn Visitor<Break = B>) -> ControlFlow<B> {
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
