//! Taking the equalities with the row around a subquery out of the subquery.

use std::sync::Arc;

use datafusion::common::{Column, DFSchema, Dependency, Result};
use datafusion::logical_expr::utils::{conjunction, split_conjunction};
use datafusion::logical_expr::{
    Aggregate, BinaryExpr, Distinct, Expr, Filter, Join, JoinType, LogicalPlan, LogicalPlanBuilder,
    Operator, Projection, Sort, SubqueryAlias,
};

use super::bind::outward;
use super::is_correlated;

/// A subquery without the equalities; its rows are joined by them instead.
pub(super) struct Pulled {
    /// The plan, with a column more for each key.
    pub plan: LogicalPlan,
    keys: Vec<Key>,
    /// How many key columns were named.
    named: usize,
}

/// `inner = outer`
struct Key {
    inner: Column,
    outer: Expr,
    /// `IS NOT DISTINCT FROM` or `=`.
    operator: Operator,
}

/// The plan without the equalities; `None` where it depends on the row in other ways.
pub(super) fn pull_up(plan: &LogicalPlan) -> Result<Option<Pulled>> {
    let mut pulled = Pulled { plan: LogicalPlan::default(), keys: Vec::new(), named: 0 };
    let Some(plan) = pulled.go(plan)? else { return Ok(None) };
    pulled.plan = plan;
    Ok(Some(pulled))
}

impl Pulled {
    /// The join conditions between a row with these columns and a row of the plan; `None` if they
    /// refer to a row of an outer query further out.
    pub(super) fn conditions(&self, row: &DFSchema) -> Result<Option<Vec<Expr>>> {
        let conditions = self.keys.iter().map(|key| {
            let outer = outward(key.outer.clone(), row)?;
            let inner = Expr::Column(key.inner.clone());
            Ok(datafusion::logical_expr::binary_expr(inner, key.operator, outer))
        });
        let conditions = conditions.collect::<Result<Vec<_>>>()?;
        Ok((!conditions.iter().any(Expr::contains_outer)).then_some(conditions))
    }

    /// The columns to group by.
    pub(super) fn key_columns(&self) -> Vec<Expr> {
        let mut columns: Vec<Expr> = Vec::new();
        for key in &self.keys {
            let column = Expr::Column(key.inner.clone());
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
        columns
    }

    /// Whether no two rows have the same keys.
    pub(super) fn keys_are_unique(&self) -> bool {
        let schema = self.plan.schema();
        let keys: Option<Vec<usize>> =
            self.keys.iter().map(|key| schema.maybe_index_of_column(&key.inner)).collect();
        let Some(keys) = keys else { return false };
        schema.functional_dependencies().iter().any(|dependency| {
            dependency.mode == Dependency::Single
                && !dependency.nullable
                && dependency.source_indices.iter().all(|source| keys.contains(source))
        })
    }

    /// The keys and `values` of another plan, which has the key columns of this, as a table.
    pub(super) fn select_as(
        self,
        table: &str,
        plan: LogicalPlan,
        values: Vec<Expr>,
        names: impl Fn(usize) -> String,
    ) -> Result<Self> {
        let key_name = |index| format!("k{index}");
        let keys = self.keys.iter().enumerate();
        let keys = keys.map(|(index, key)| Expr::Column(key.inner.clone()).alias(key_name(index)));
        let values = values.into_iter().enumerate();
        let values = values.map(|(index, value)| value.alias(names(index)));
        let plan =
            LogicalPlanBuilder::from(plan).project(keys.chain(values))?.alias(table)?.build()?;
        let keys = self
            .keys
            .into_iter()
            .enumerate()
            .map(|(index, key)| Key { inner: Column::new(Some(table), key_name(index)), ..key });
        Ok(Self { plan, keys: keys.collect(), named: self.named })
    }

    fn go(&mut self, plan: &LogicalPlan) -> Result<Option<LogicalPlan>> {
        if !is_correlated(plan)? {
            return Ok(Some(plan.clone()));
        }
        match plan {
            LogicalPlan::Filter(step) => self.filter(step),
            LogicalPlan::Projection(step) => self.projection(step),
            LogicalPlan::Aggregate(step) => self.aggregate(step),
            LogicalPlan::SubqueryAlias(step) => self.alias(step),
            LogicalPlan::Join(step) => self.join(step),
            LogicalPlan::Sort(step) if step.fetch.is_none() => {
                if step.expr.iter().any(|by| by.expr.contains_outer()) {
                    return Ok(None);
                }
                let Some(input) = self.go(&step.input)? else { return Ok(None) };
                let sort = Sort { input: Arc::new(input), expr: step.expr.clone(), fetch: None };
                Ok(Some(LogicalPlan::Sort(sort)))
            }
            LogicalPlan::Distinct(Distinct::All(input)) => {
                let Some(input) = self.go(input)? else { return Ok(None) };
                Ok(Some(LogicalPlan::Distinct(Distinct::All(Arc::new(input)))))
            }
            _ => Ok(None),
        }
    }

    fn filter(&mut self, step: &Filter) -> Result<Option<LogicalPlan>> {
        let Some(mut input) = self.go(&step.input)? else { return Ok(None) };
        let mut kept = Vec::new();
        for conjunct in split_conjunction(&step.predicate) {
            if !conjunct.contains_outer() {
                kept.push(conjunct.clone());
                continue;
            }
            let Some((inner, operator, outer)) = equality(conjunct) else { return Ok(None) };
            let inner = match inner {
                Expr::Column(column) => column.clone(),
                computed => {
                    let column = self.name();
                    let mut exprs: Vec<Expr> =
                        input.schema().columns().into_iter().map(Expr::Column).collect();
                    exprs.push(computed.clone().alias(column.name.clone()));
                    let step = Projection::try_new(exprs, Arc::new(input))?;
                    input = LogicalPlan::Projection(step);
                    column
                }
            };
            self.keys.push(Key { inner, operator, outer: outer.clone() });
        }
        Ok(Some(match conjunction(kept) {
            Some(predicate) => LogicalPlan::Filter(Filter::try_new(predicate, Arc::new(input))?),
            None => input,
        }))
    }

    fn projection(&mut self, step: &Projection) -> Result<Option<LogicalPlan>> {
        if step.expr.iter().any(Expr::contains_outer) {
            return Ok(None);
        }
        let known = self.keys.len();
        let Some(input) = self.go(&step.input)? else { return Ok(None) };
        let mut exprs = step.expr.clone();
        // A name of its own, since the projection may give the old one to something else.
        for index in known..self.keys.len() {
            let name = self.name();
            let Some(key) = self.keys.get_mut(index) else { continue };
            let inner = std::mem::replace(&mut key.inner, name.clone());
            exprs.push(Expr::Column(inner).alias(name.name));
        }
        Ok(Some(LogicalPlan::Projection(Projection::try_new(exprs, Arc::new(input))?)))
    }

    fn aggregate(&mut self, step: &Aggregate) -> Result<Option<LogicalPlan>> {
        let exprs = step.group_expr.iter().chain(&step.aggr_expr);
        let is_plain =
            |expr: &Expr| !expr.contains_outer() && !matches!(expr, Expr::GroupingSet(_));
        // Without groups there is a row even where nothing fits, which a join does not give.
        if step.group_expr.is_empty() || !exprs.into_iter().all(is_plain) {
            return Ok(None);
        }
        let known = self.keys.len();
        let Some(input) = self.go(&step.input)? else { return Ok(None) };
        let mut groups = step.group_expr.clone();
        for key in self.keys.iter().skip(known) {
            let key = Expr::Column(key.inner.clone());
            if !groups.contains(&key) {
                groups.push(key);
            }
        }
        let aggregate = Aggregate::try_new(Arc::new(input), groups, step.aggr_expr.clone())?;
        Ok(Some(LogicalPlan::Aggregate(aggregate)))
    }

    fn alias(&mut self, step: &SubqueryAlias) -> Result<Option<LogicalPlan>> {
        let known = self.keys.len();
        let Some(input) = self.go(&step.input)? else { return Ok(None) };
        let columns = input.schema().columns();
        let plan = SubqueryAlias::try_new(Arc::new(input), step.alias.clone())?;
        let renamed = plan.schema.columns();
        for key in self.keys.iter_mut().skip(known) {
            let at = columns.iter().position(|column| *column == key.inner);
            let Some(column) = at.and_then(|at| renamed.get(at)) else { return Ok(None) };
            key.inner = column.clone();
        }
        Ok(Some(LogicalPlan::SubqueryAlias(plan)))
    }

    fn join(&mut self, step: &Join) -> Result<Option<LogicalPlan>> {
        let conditions = step.on.iter().flat_map(|(left, right)| [left, right]);
        if conditions.chain(&step.filter).any(Expr::contains_outer) {
            return Ok(None);
        }
        match step.join_type {
            JoinType::Inner => {}
            // The join separates rows of the right side that fit from those that do not.
            JoinType::Left | JoinType::LeftSemi | JoinType::LeftAnti
                if !is_correlated(&step.right)? => {}
            _ => return Ok(None),
        }
        let Some(left) = self.go(&step.left)? else { return Ok(None) };
        let Some(right) = self.go(&step.right)? else { return Ok(None) };
        let join = Join::try_new(
            Arc::new(left),
            Arc::new(right),
            step.on.clone(),
            step.filter.clone(),
            step.join_type,
            step.join_constraint,
            step.null_equality,
            step.null_aware,
        )?;
        Ok(Some(LogicalPlan::Join(join)))
    }

    fn name(&mut self) -> Column {
        self.named += 1;
        Column::new_unqualified(format!("__key_{}", self.named))
    }
}

/// The two sides of an equality of the row inside, first, and the row around it.
fn equality(expr: &Expr) -> Option<(&Expr, Operator, &Expr)> {
    let Expr::BinaryExpr(BinaryExpr { left, op, right }) = expr else { return None };
    if !matches!(op, Operator::Eq | Operator::IsNotDistinctFrom) {
        return None;
    }
    let (inner, outer) = if left.contains_outer() { (right, left) } else { (left, right) };
    let fits = !inner.contains_outer()
        && !inner.column_refs().is_empty()
        && outer.column_refs().is_empty();
    fits.then_some((inner.as_ref(), *op, outer.as_ref()))
}
