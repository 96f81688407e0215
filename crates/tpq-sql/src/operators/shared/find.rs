//! Finding the queries that a plan reads several times.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::logical_expr::{LogicalPlan, SubqueryAlias};
use datafusion::optimizer::AnalyzerRule;
use datafusion::optimizer::analyzer::Analyzer;

use super::super::subplans::{each_part, map_parts, subplan_of, with_subplan};
use super::cost::{cost_of, own_cost_of};
use super::independent::{is_independent, read_the_same, reads_any_twice, runs_any_repeatedly};
use super::query::SharedQuery;
use crate::step_rules::replaced;

/// Makes queries that a plan reads several times scans of tables.
#[derive(Debug)]
pub(crate) struct FindSharedPlans;

impl AnalyzerRule for FindSharedPlans {
    fn analyze(&self, plan: LogicalPlan, config: &ConfigOptions) -> Result<LogicalPlan> {
        if !reads_any_twice(&plan)? && !runs_any_repeatedly(&plan)? {
            return Ok(plan);
        }
        let plan = with_analysed_subplans(plan, config)?;
        let mut uses = Uses::default();
        uses.count(&plan, false)?;
        if uses.all.iter().all(|used| used.count < 2) {
            return Ok(plan);
        }
        Sharing::of(&uses).replace_in(plan)
    }

    fn name(&self) -> &str {
        "find_shared_plans"
    }
}

/// The plan with subplans analysed as it is itself: they may be equal to parts of it only then.
fn with_analysed_subplans(plan: LogicalPlan, config: &ConfigOptions) -> Result<LogicalPlan> {
    if !has_subplans(&plan)? {
        return Ok(plan);
    }
    let analysed = plan.transform_up_with_subqueries(|step| {
        let Some(subplan) = subplan_of(&step) else { return Ok(Transformed::no(step)) };
        let columns = Arc::clone(subplan.schema());
        let analysed = Analyzer::new().execute_and_check(subplan.clone(), config, |_, _| {})?;
        let analysed = with_analysed_subplans(analysed, config)?;
        let mut types = columns.fields().iter().zip(analysed.schema().fields());
        // The step around it was planned for the types it had.
        if !types.all(|(old, new)| old.data_type() == new.data_type()) {
            return Ok(Transformed::no(step));
        }
        Ok(replaced(with_subplan(&step, analysed), step))
    });
    analysed.data()
}

fn has_subplans(plan: &LogicalPlan) -> Result<bool> {
    let mut found = subplan_of(plan).is_some();
    each_part(plan, false, &mut |part, _| {
        found = found || has_subplans(part)?;
        Ok(())
    })?;
    Ok(found)
}

/// A query with a step that costs something, and how often it is read.
struct Used {
    plan: Arc<LogicalPlan>,
    name: String,
    count: usize,
}

/// The queries in a plan, equal ones only once.
#[derive(Default)]
struct Uses {
    all: Vec<Used>,
    by_hash: HashMap<u64, Vec<usize>>,
}

impl Uses {
    /// Counts the queries in a plan. What is in a query that was seen before is not counted again,
    /// since it would be computed with that.
    fn count(&mut self, plan: &LogicalPlan, is_repeated: bool) -> Result<()> {
        if let LogicalPlan::SubqueryAlias(alias) = plan {
            if cost_of(&alias.input)?.is_none() {
                return Ok(());
            }
            // Otherwise only what it reads may be worth sharing.
            if own_cost_of(&alias.input)?.is_some() && is_independent(&alias.input)? {
                let weight = if is_repeated { 2 } else { 1 };
                if let Some(used) = self.find_mut(&alias.input)? {
                    used.count += weight;
                    return Ok(());
                }
                self.add(alias, weight);
            }
        }
        each_part(plan, is_repeated, &mut |part, is_repeated| self.count(part, is_repeated))
    }

    fn add(&mut self, alias: &SubqueryAlias, count: usize) {
        self.by_hash.entry(hash_of(&alias.input)).or_default().push(self.all.len());
        let (plan, name) = (Arc::clone(&alias.input), alias.alias.table().to_owned());
        self.all.push(Used { plan, name, count });
    }

    /// The number of the query that is equal to a plan.
    fn find(&self, plan: &Arc<LogicalPlan>) -> Result<Option<usize>> {
        for &index in self.by_hash.get(&hash_of(plan)).into_iter().flatten() {
            let Some(used) = self.all.get(index) else { continue };
            if Arc::ptr_eq(&used.plan, plan)
                || (used.plan == *plan && read_the_same(&used.plan, plan)?)
            {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    fn find_mut(&mut self, plan: &Arc<LogicalPlan>) -> Result<Option<&mut Used>> {
        let index = self.find(plan)?;
        Ok(index.and_then(|index| self.all.get_mut(index)))
    }
}

fn hash_of(plan: &LogicalPlan) -> u64 {
    let mut hasher = DefaultHasher::new();
    plan.hash(&mut hasher);
    hasher.finish()
}

/// Replaces queries that are read several times.
struct Sharing<'a> {
    uses: &'a Uses,
    /// What takes the place of each query, as far as that was made.
    replaced: Vec<Option<LogicalPlan>>,
    /// How many shared queries there are.
    count: usize,
}

impl<'a> Sharing<'a> {
    fn of(uses: &'a Uses) -> Self {
        Self { uses, replaced: vec![None; uses.all.len()], count: 0 }
    }

    fn replace_in(&mut self, plan: LogicalPlan) -> Result<LogicalPlan> {
        let uses = self.uses;
        if let LogicalPlan::SubqueryAlias(alias) = &plan
            && let Some(index) = uses.find(&alias.input)?
            && let Some(used) = uses.all.get(index).filter(|used| used.count >= 2)
        {
            let input = Arc::new(self.replacement(index, used)?);
            let alias = SubqueryAlias::try_new(input, alias.alias.clone())?;
            return Ok(LogicalPlan::SubqueryAlias(alias));
        }
        map_parts(plan, false, &mut |part, _| self.replace_in(part))
    }

    /// The scan of a query, in which others are replaced as well; or the query, where all that
    /// costs in it is in those.
    fn replacement(&mut self, index: usize, used: &Used) -> Result<LogicalPlan> {
        if let Some(Some(made)) = self.replaced.get(index) {
            return Ok(made.clone());
        }
        let plan = self.replace_in(used.plan.as_ref().clone())?;
        let made = match cost_of(&plan)? {
            None => plan,
            Some(cost) => {
                self.count += 1;
                let query = SharedQuery::new(self.count, used.name.clone(), plan, cost)?;
                Arc::new(query).scan()?
            }
        };
        if let Some(replaced) = self.replaced.get_mut(index) {
            *replaced = Some(made.clone());
        }
        Ok(made)
    }
}
