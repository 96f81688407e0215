//! How much there is to plan once every name stands for its query.
//!
//! A view or CTE is planned again wherever it is named, and `*` gives all columns of what it is
//! selected from. So `a` of a row, `b` of `a, a`, `c` of `b, b`… doubles with each name, and a
//! short statement can ask for more than any memory holds.

use std::collections::HashMap;
use std::ops::{AddAssign, ControlFlow};
use std::ptr::from_ref;

use crate::perfetto_sql::walk::walk;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::{Expr as PlanExpr, LogicalPlan};
use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{
    Expr, ObjectName, Query, Select, SelectItem, Statement, Visitor,
};

use super::complexity::{DEPTH, too_deep, too_large};
use super::planner::Planner;
use crate::errors::SqlError;
use crate::operators::GraphScan;

/// The most that may be planned: the steps of the plan, and the columns and expressions of each.
pub(super) const MOST: u64 = 500_000;

/// The size of something that is planned.
#[derive(Clone, Copy, Default)]
struct Size {
    /// Steps of the plan, with the columns and expressions of each.
    parts: u64,
    /// Columns of the result.
    columns: u64,
}

impl AddAssign for Size {
    fn add_assign(&mut self, other: Self) {
        self.parts = self.parts.saturating_add(other.parts);
        self.columns = self.columns.saturating_add(other.columns);
    }
}

/// Checks a statement before it is planned.
///
/// # Errors
/// When it is too large.
pub(super) fn check_expansion(tree: &Tree, planner: &Planner) -> Result<(), SqlError> {
    match tree {
        Tree::Statement(statement) => check(statement, planner),
        Tree::Explain(explain) => check_expansion(&explain.statement, planner),
        _ => Ok(()),
    }
}

fn check(statement: &Statement, planner: &Planner) -> Result<(), SqlError> {
    let frames = vec![Frame::default()];
    let mut expansion = Expansion { planner, frames, known: HashMap::new(), ctes: HashMap::new() };
    match walk(statement, &mut expansion) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// A query or SELECT that is being measured.
#[derive(Default)]
struct Frame {
    /// Its parts so far, and the columns that it selects from or returns.
    size: Size,
    tables: u64,
    ctes: HashMap<String, Size>,
}

struct Expansion<'a> {
    planner: &'a Planner<'a>,
    frames: Vec<Frame>,
    /// The measured sizes of tables and views.
    known: HashMap<String, Size>,
    /// The queries of CTEs, by where they lie, with their names.
    ctes: HashMap<*const Query, String>,
}

impl Expansion<'_> {
    /// The relation that a name in FROM refers to.
    fn size_of(&mut self, name: &str) -> Size {
        let cte = self.frames.iter().rev().find_map(|frame| frame.ctes.get(name));
        if let Some(size) = cte.or_else(|| self.known.get(name)) {
            return *size;
        }
        let size = self.planner.size_of(name).unwrap_or_default();
        let size = Size { parts: size.0, columns: size.1 };
        self.known.insert(name.to_owned(), size);
        size
    }

    fn add(&mut self, size: Size) -> ControlFlow<SqlError> {
        let Some(frame) = self.frames.last_mut() else { return ControlFlow::Continue(()) };
        frame.size += size;
        frame.tables += 1;
        match frame.size.parts > MOST {
            true => ControlFlow::Break(too_much()),
            false => ControlFlow::Continue(()),
        }
    }
}

fn too_much() -> SqlError {
    let message =
        format!("the statement takes a plan of more than {MOST} steps, columns and expressions");
    let hint = "a view or CTE is planned wherever it is named: keep one that is named often, \
                or its columns, with CREATE TABLE";
    too_large(message, hint)
}

impl Visitor for Expansion<'_> {
    type Break = SqlError;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<SqlError> {
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.ctes.insert(from_ref(&*cte.query), cte.alias.name.value.to_lowercase());
        }
        self.frames.push(Frame::default());
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &Query) -> ControlFlow<SqlError> {
        let Some(Frame { mut size, .. }) = self.frames.pop() else {
            return ControlFlow::Continue(());
        };
        size.parts = size.parts.saturating_add(1);
        match (self.ctes.remove(&from_ref(query)), self.frames.last_mut()) {
            (Some(name), Some(frame)) => {
                frame.ctes.insert(name, size);
                ControlFlow::Continue(())
            }
            _ => self.add(size),
        }
    }

    fn pre_visit_select(&mut self, _: &Select) -> ControlFlow<SqlError> {
        self.frames.push(Frame::default());
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, select: &Select) -> ControlFlow<SqlError> {
        let Some(Frame { size, tables, .. }) = self.frames.pop() else {
            return ControlFlow::Continue(());
        };
        let mut columns = 0_u64;
        for item in &select.projection {
            let all = matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..));
            columns = columns.saturating_add(if all { size.columns } else { 1 });
        }
        // Each join has the columns of all tables before it.
        let joins = size.columns.saturating_mul(tables.max(1));
        let parts = size.parts.saturating_add(joins).saturating_add(columns).saturating_add(1);
        let widest = self.frames.last().map_or(0, |frame| frame.size.columns).max(columns);
        let added = self.add(Size { parts, columns: 0 });
        if let Some(frame) = self.frames.last_mut() {
            frame.size.columns = widest;
        }
        added
    }

    fn pre_visit_relation(&mut self, name: &ObjectName) -> ControlFlow<SqlError> {
        let Some(last) = name.0.last().and_then(|part| part.as_ident()) else {
            return ControlFlow::Continue(());
        };
        let size = self.size_of(&last.value.to_lowercase());
        self.add(size)
    }

    fn pre_visit_expr(&mut self, _: &Expr) -> ControlFlow<SqlError> {
        if let Some(frame) = self.frames.last_mut() {
            frame.size.parts = frame.size.parts.saturating_add(1);
        }
        ControlFlow::Continue(())
    }
}

/// How many parts a plan has, with every subquery; what is shared counts wherever it is used.
pub(super) fn parts_of(plan: &LogicalPlan) -> u64 {
    Measure::default().plan(plan).parts
}

/// Checks a plan that is about to be rewritten or optimised.
///
/// # Errors
/// When it is too large or too deep.
pub(super) fn check_plan(plan: &LogicalPlan) -> Result<(), SqlError> {
    Measure::default().plan(plan).check()
}

/// Checks the call of a function before its arguments are put into its body.
///
/// # Errors
/// When the body would be too large or too deep with them.
pub(crate) fn check_call(body: &LogicalPlan, args: &[PlanExpr]) -> Result<(), SqlError> {
    let mut measure = Measure::default();
    let Measured { parts, depth, placeholders } = measure.plan(body);
    let mut widest = Measured::default();
    for arg in args {
        let mut measured = Measured::default();
        measure.add(arg, &mut measured);
        widest.parts = widest.parts.max(measured.parts);
        widest.depth = widest.depth.max(measured.depth);
    }
    let parts = parts.saturating_add(placeholders.saturating_mul(widest.parts));
    Measured { parts, depth: depth + widest.depth, placeholders }.check()
}

/// How deep a plan may be: each level of a statement is a few steps of it.
const PLAN_DEPTH: usize = 4 * DEPTH;

#[derive(Clone, Copy, Default)]
struct Measured {
    parts: u64,
    depth: usize,
    /// The places of arguments, in the body of a function.
    placeholders: u64,
}

impl Measured {
    fn check(self) -> Result<(), SqlError> {
        if self.parts > MOST {
            return Err(too_much());
        }
        if self.depth > PLAN_DEPTH {
            return Err(too_deep());
        }
        Ok(())
    }

    /// With a part of it.
    fn with(&mut self, part: Self) {
        self.parts = self.parts.saturating_add(part.parts);
        self.depth = self.depth.max(part.depth);
        self.placeholders = self.placeholders.saturating_add(part.placeholders);
    }
}

/// Measures plans, what is shared only once.
#[derive(Default)]
struct Measure {
    known: HashMap<*const LogicalPlan, Measured>,
}

impl Measure {
    fn plan(&mut self, plan: &LogicalPlan) -> Measured {
        if let Some(measured) = self.known.get(&from_ref(plan)) {
            return *measured;
        }
        let mut all = Measured { parts: 1, ..Measured::default() };
        all.parts += plan.schema().fields().len() as u64;
        for input in plan.inputs() {
            all.with(self.plan(input));
        }
        if let LogicalPlan::Extension(extension) = plan
            && let Some(scan) = extension.node.as_any().downcast_ref::<GraphScan>()
        {
            all.with(self.plan(scan.step()));
        }
        // Nothing in it gives an error.
        let _ = plan.apply_expressions(|expr| {
            self.add(expr, &mut all);
            Ok(TreeNodeRecursion::Continue)
        });
        all.depth += 1;
        self.known.insert(from_ref(plan), all);
        all
    }

    /// Adds the parts of an expression, and of the subqueries in it.
    fn add(&mut self, expr: &PlanExpr, all: &mut Measured) {
        self.add_at(1, expr, all);
    }

    /// The same of an expression that is so deep in another.
    fn add_at(&mut self, depth: usize, expr: &PlanExpr, all: &mut Measured) {
        all.parts = all.parts.saturating_add(1);
        all.depth = all.depth.max(depth);
        all.placeholders += u64::from(matches!(expr, PlanExpr::Placeholder(_)));
        let subquery = match expr {
            PlanExpr::ScalarSubquery(subquery) => Some(subquery),
            PlanExpr::Exists(exists) => Some(&exists.subquery),
            PlanExpr::InSubquery(within) => Some(&within.subquery),
            _ => None,
        };
        if let Some(subquery) = subquery {
            let mut measured = self.plan(&subquery.subquery);
            measured.depth += depth;
            all.with(measured);
        }
        let _ = expr.apply_children(|child| {
            self.add_at(depth + 1, child, all);
            Ok(TreeNodeRecursion::Continue)
        });
    }
}
