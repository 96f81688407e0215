//! Settling how each shared query is read, once the optimizer has found out what readers want.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::{Expr, Extension, Filter, LogicalPlan, Projection, TableScan};
use datafusion::optimizer::optimizer::Optimizer;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

use super::super::subplans::{subplan_of, with_subplan};
use super::cost::is_worth_sharing;
use super::query::SharedQuery;
use super::readers::{Reader, filters_of_all, has_scans, read, replace_scans, visit_scans};
use super::{SharedPlan, SharedRead};
use crate::planning_checks;
use crate::step_rules::replaced;

/// Replaces the scans of shared queries, by a step that reads the rows or by the query.
#[derive(Debug)]
pub(crate) struct SettleSharedPlans;

impl OptimizerRule for SettleSharedPlans {
    fn name(&self) -> &str {
        "settle_shared_plans"
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        if !has_scans(&plan)? {
            return Ok(Transformed::no(plan));
        }
        let optimizer = Optimizer::with_rules(planning_checks::optimizer_rules());
        let settling = Settling { config, optimizer, main: plan, shared: Vec::new() };
        settling.settled().map(Transformed::yes)
    }
}

/// A query that is shared.
struct Shared {
    query: Arc<SharedQuery>,
    /// The rows that any reader wants, with the columns that any reader needs, optimised.
    plan: LogicalPlan,
    /// What all of these rows fulfil.
    known: Vec<Expr>,
    readers: usize,
    is_in_line: bool,
    /// Whether the plan has parts that are not optimised with the rest.
    is_changed: bool,
}

/// A plan with shared queries that are being settled, from the queries that no other query
/// reads to the queries that read none. A query that is not shared is part of its readers.
struct Settling<'a> {
    config: &'a dyn OptimizerConfig,
    /// DataFusion's rules.
    optimizer: Optimizer,
    main: LogicalPlan,
    shared: Vec<Shared>,
}

impl Settling<'_> {
    fn settled(mut self) -> Result<LogicalPlan> {
        let main = std::mem::take(&mut self.main);
        self.main = self.with_optimised_subplans(main)?;
        while let Some((query, readers)) = self.highest()? {
            match is_worth_sharing(&query, &readers) {
                true => self.share(query, &readers)?,
                false => self.put_in_place(&query)?,
            }
        }
        self.finished()
    }

    fn optimised(&self, plan: LogicalPlan) -> Result<LogicalPlan> {
        let plan = self.with_optimised_subplans(plan)?;
        self.optimizer.optimize(plan, self.config, |_, _| {})
    }

    /// The plan with those subplans optimised that read shared queries. DataFusion does not see
    /// subplans; they are optimised when they are planned.
    fn with_optimised_subplans(&self, plan: LogicalPlan) -> Result<LogicalPlan> {
        plan.transform_up_with_subqueries(|step| {
            let Some(subplan) = subplan_of(&step) else { return Ok(Transformed::no(step)) };
            if !has_scans(subplan)? {
                return Ok(Transformed::no(step));
            }
            let subplan = self.optimised(subplan.clone())?;
            Ok(replaced(with_subplan(&step, subplan), step))
        })
        .data()
    }

    /// A query that no other unsettled query reads, and its readers; `None` when all are settled.
    fn highest(&self) -> Result<Option<(Arc<SharedQuery>, Vec<Reader>)>> {
        let is_shared: HashSet<usize> =
            self.shared.iter().map(|shared| shared.query.number).collect();
        let mut found: BTreeMap<(usize, usize), (Arc<SharedQuery>, Vec<Reader>)> = BTreeMap::new();
        let mut add = |scan: &TableScan, query: &Arc<SharedQuery>, is_repeated: bool| {
            if is_shared.contains(&query.number) {
                return;
            }
            let readers = found.entry((query.height, query.number));
            let (_, readers) = readers.or_insert_with(|| (Arc::clone(query), Vec::new()));
            readers.push(Reader::new(scan, query, is_repeated));
        };
        visit_scans(&self.main, false, &mut add)?;
        for shared in &self.shared {
            visit_scans(&shared.plan, false, &mut add)?;
        }
        Ok(found.pop_last().map(|(_, found)| found))
    }

    /// Makes a plan of what the readers want.
    fn share(&mut self, query: Arc<SharedQuery>, readers: &[Reader]) -> Result<()> {
        let (known, wanted) = filters_of_all(readers);
        let mut columns: BTreeSet<usize> =
            readers.iter().flat_map(|reader| reader.columns.iter().copied()).collect();
        if columns.is_empty() {
            // The rows are only counted, and have to have something to be counted by.
            columns.insert(0);
        }
        let mut plan = query.aliased()?;
        let schema = Arc::clone(plan.schema());
        if let Some(wanted) = wanted {
            plan = LogicalPlan::Filter(Filter::try_new(wanted, Arc::new(plan))?);
        }
        let columns = columns.into_iter().map(|at| Expr::from(schema.qualified_field(at)));
        let projection = Projection::try_new(columns.collect(), Arc::new(plan))?;
        let plan = self.optimised(LogicalPlan::Projection(projection))?;
        let is_in_line = readers.iter().all(|reader| reader.is_repeated);
        let readers = readers.len();
        self.shared.push(Shared { query, plan, known, readers, is_in_line, is_changed: false });
        Ok(())
    }

    /// Puts the query where it is read.
    fn put_in_place(&mut self, query: &SharedQuery) -> Result<()> {
        let main = std::mem::take(&mut self.main);
        (self.main, _) = self.with_query(main, query)?;
        for index in 0..self.shared.len() {
            let Some(shared) = self.shared.get_mut(index) else { continue };
            let plan = std::mem::take(&mut shared.plan);
            let (plan, is_changed) = self.with_query(plan, query)?;
            if let Some(shared) = self.shared.get_mut(index) {
                shared.plan = plan;
                shared.is_changed |= is_changed;
            }
        }
        Ok(())
    }

    /// A plan with the query where the plan reads it, and whether it does.
    fn with_query(&self, plan: LogicalPlan, query: &SharedQuery) -> Result<(LogicalPlan, bool)> {
        let mut is_changed = false;
        let plan = replace_scans(plan, false, &mut |scan, read_query, _| {
            if read_query.number != query.number {
                return Ok(None);
            }
            is_changed = true;
            let part = read(scan, query.aliased()?, &[])?;
            // The rest is optimised with the plan; what other queries have to give is known after
            // this only.
            let part = if has_scans(&part)? { self.optimised(part)? } else { part };
            Ok(Some(part))
        })?;
        Ok((plan, is_changed))
    }

    /// The plan with steps that read shared plans; these read each other, the lowest none.
    fn finished(mut self) -> Result<LogicalPlan> {
        let mut shared = std::mem::take(&mut self.shared);
        shared.sort_by_key(|shared| shared.query.height);
        let mut reads = Reads::default();
        for Shared { query, plan, known, readers, is_in_line, is_changed } in shared {
            let plan = reads.put_into(plan)?;
            let plan = if is_changed { self.optimised(plan)? } else { plan };
            let number = reads.plans.len() + 1;
            let name = query.name.clone();
            let shared = SharedPlan { number, name, plan, readers, is_in_line };
            reads.plans.insert(query.number, (Arc::new(shared), known));
        }
        reads.put_into(self.main)
    }
}

/// Puts the steps that read shared plans in place of scans.
#[derive(Default)]
struct Reads {
    /// The plans by the numbers of their queries, and what their rows fulfil.
    plans: HashMap<usize, (Arc<SharedPlan>, Vec<Expr>)>,
    /// The queries with a plan that EXPLAIN shows in one of the steps.
    shown: HashSet<usize>,
}

impl Reads {
    fn put_into(&mut self, plan: LogicalPlan) -> Result<LogicalPlan> {
        replace_scans(plan, false, &mut |scan, query, is_repeated| {
            let Some((shared, known)) = self.plans.get(&query.number) else {
                return internal_err!("a shared query that is not settled");
            };
            let is_first = is_repeated == shared.is_in_line && self.shown.insert(query.number);
            let node = Arc::new(SharedRead { shared: Arc::clone(shared), is_first });
            let rows = LogicalPlan::Extension(Extension { node });
            read(scan, rows, known).map(Some)
        })
    }
}
