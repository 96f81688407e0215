//! The queries of a tree in an order in which each follows those it reads.

use std::collections::HashMap;

use tpq_sql::SqlError;

use super::Query;
use super::parts::{Source, Sql};
use crate::error::{QueryError, invalid};

/// The largest depth of queries that read queries, nested or by id.
const MAX_DEPTH: usize = 200;

/// The queries of a specification by their ids.
#[derive(Default)]
pub(crate) struct SharedQueries<'a>(HashMap<&'a str, &'a Query>);

impl<'a> SharedQueries<'a> {
    /// # Errors
    /// When a query has no id, or two different ones have the same id.
    pub(crate) fn of(queries: &'a [Query]) -> Result<Self, QueryError> {
        let mut all = HashMap::new();
        for query in queries {
            let id = query.id();
            if id.is_empty() {
                return invalid("a query of the specification has no `id`");
            }
            if all.insert(id, query).is_some_and(|other| other != query) {
                return invalid(format!("several queries have the id `{id}`"));
            }
        }
        Ok(Self(all))
    }

    /// Finds a query.
    ///
    /// # Errors
    /// When no query has the id.
    pub(crate) fn get(&self, id: &str) -> Result<&'a Query, QueryError> {
        match self.0.get(id) {
            Some(query) => Ok(query),
            None => invalid(format!("no query of the specification has the id `{id}`")),
        }
    }
}

/// A query of the tree.
pub(crate) struct Step<'a> {
    pub(crate) query: &'a Query,
    /// The source of the query.
    pub(crate) source: &'a Source,
    /// The steps that the source reads, in the order of its fields.
    pub(crate) inputs: Vec<usize>,
    /// The last statement of a source that is SQL.
    pub(crate) sql: String,
}

/// The queries of a tree, and what is to be run before them.
#[derive(Default)]
pub(crate) struct Steps<'a> {
    /// The queries; the last one is the root.
    pub(crate) steps: Vec<Step<'a>>,
    /// The modules to include.
    pub(crate) modules: Vec<&'a str>,
    /// The statements to run after that.
    pub(crate) preambles: Vec<String>,
}

/// Cuts a script into statements.
pub(crate) type Split<'s> = &'s dyn Fn(&str) -> Result<Vec<String>, SqlError>;

impl<'a> Steps<'a> {
    /// # Errors
    /// When a field is missing, or an id is unknown or refers to itself.
    pub(crate) fn of(
        query: &'a Query,
        shared: &SharedQueries<'a>,
        split: Split<'_>,
    ) -> Result<Self, QueryError> {
        let all = Self::default();
        let mut walk = Walk { all, shared, split, done: HashMap::new(), open: Vec::new() };
        walk.add(query, 0)?;
        Ok(walk.all)
    }

    /// Whether the columns of each step have to be known, because a step that reads it lists them.
    pub(crate) fn needed_columns(&self) -> Vec<bool> {
        let mut needed = vec![false; self.steps.len()];
        for step in self.steps.iter().filter(|step| lists_columns(step.source)) {
            step.inputs.iter().for_each(|&input| needed[input] = true);
        }
        needed
    }
}

/// Whether the SQL of a source lists the columns of its inputs.
fn lists_columns(source: &Source) -> bool {
    matches!(
        source,
        Source::IntervalIntersect(_)
            | Source::ExperimentalJoin(_)
            | Source::ExperimentalUnion(_)
            | Source::ExperimentalAddColumns(_)
            | Source::ExperimentalFilterToIntervals(_)
    )
}

/// A query that a source reads.
enum Input<'a> {
    Query(&'a Query),
    Id(&'a str),
}

struct Walk<'a, 's> {
    all: Steps<'a>,
    shared: &'s SharedQueries<'a>,
    split: Split<'s>,
    /// The steps of shared queries.
    done: HashMap<&'a str, usize>,
    /// The shared queries that are being added.
    open: Vec<&'a str>,
}

impl<'a> Walk<'a, '_> {
    /// Adds a query after those it reads. Returns its step.
    fn add(&mut self, query: &'a Query, depth: usize) -> Result<usize, QueryError> {
        if depth > MAX_DEPTH {
            return invalid(format!("more than {MAX_DEPTH} queries read one another"));
        }
        let Some(source) = &query.source else {
            return invalid("a query has no source, such as `table` or `sql`");
        };
        let mut inputs = Vec::new();
        for input in inputs_of(source)? {
            inputs.push(match input {
                Input::Query(query) => self.add(query, depth + 1)?,
                Input::Id(id) => self.add_shared(id, depth + 1)?,
            });
        }
        let modules = query.referenced_modules.iter().map(String::as_str);
        self.all.modules.extend(modules.chain(modules_of(source)));
        let sql = match source {
            Source::Sql(sql) => self.statement(sql)?,
            _ => String::new(),
        };
        self.all.steps.push(Step { query, source, inputs, sql });
        Ok(self.all.steps.len() - 1)
    }

    /// The step of a shared query, which is added once.
    fn add_shared(&mut self, id: &'a str, depth: usize) -> Result<usize, QueryError> {
        if let Some(&step) = self.done.get(id) {
            return Ok(step);
        }
        if self.open.contains(&id) {
            return invalid(format!("the query `{id}` reads itself"));
        }
        let query = self.shared.get(id)?;
        self.open.push(id);
        let step = self.add(query, depth)?;
        self.open.pop();
        self.done.insert(id, step);
        Ok(step)
    }

    /// The last statement of a source that is SQL; those before it are run first.
    fn statement(&mut self, source: &Sql) -> Result<String, QueryError> {
        let mut statements = (self.split)(source.sql())?;
        let Some(last) = statements.pop() else { return invalid("`sql` has no statement") };
        self.all.preambles.extend((self.split)(source.preamble())?);
        self.all.preambles.extend(statements);
        Ok(last)
    }
}

/// The queries that a source reads.
fn inputs_of(source: &Source) -> Result<Vec<Input<'_>>, QueryError> {
    let all: Vec<(&str, Option<&Query>)> = match source {
        Source::Table(_) | Source::SimpleSlices(_) | Source::ExperimentalTimeRange(_) => vec![],
        Source::Sql(it) => {
            it.dependencies.iter().map(|it| ("dependencies.query", it.query.as_ref())).collect()
        }
        Source::InnerQuery(it) => vec![("inner_query", Some(it.as_ref()))],
        Source::InnerQueryId(id) => return Ok(vec![Input::Id(id)]),
        Source::IntervalIntersect(it) => {
            let others = it.interval_intersect.iter();
            let others = others.map(|query| ("interval_intersect", Some(query)));
            std::iter::once(("base", it.base.as_deref())).chain(others).collect()
        }
        Source::ExperimentalJoin(it) => vec![
            ("left_query", it.left_query.as_deref()),
            ("right_query", it.right_query.as_deref()),
        ],
        Source::ExperimentalUnion(it) => {
            it.queries.iter().map(|query| ("queries", Some(query))).collect()
        }
        Source::ExperimentalAddColumns(it) => vec![
            ("core_query", it.core_query.as_deref()),
            ("input_query", it.input_query.as_deref()),
        ],
        Source::ExperimentalCreateSlices(it) => vec![
            ("starts_query", it.starts_query.as_deref()),
            ("ends_query", it.ends_query.as_deref()),
        ],
        Source::ExperimentalFilterToIntervals(it) => {
            vec![("base", it.base.as_deref()), ("intervals", it.intervals.as_deref())]
        }
        Source::ExperimentalCounterIntervals(it) => {
            vec![("input_query", it.input_query.as_deref())]
        }
        Source::ExperimentalFilterIn(it) => {
            vec![("base", it.base.as_deref()), ("match_values", it.match_values.as_deref())]
        }
    };
    let input = |(field, query): (&str, Option<_>)| match query {
        Some(query) => Ok(Input::Query(query)),
        None => invalid(format!("`{field}` is not set")),
    };
    all.into_iter().map(input).collect()
}

/// The modules that the SQL of a source needs.
fn modules_of(source: &Source) -> Option<&str> {
    Some(match source {
        Source::Table(table) => table.module_name.as_deref()?,
        Source::SimpleSlices(_) => "slices.slices",
        Source::IntervalIntersect(_) | Source::ExperimentalFilterToIntervals(_) => {
            "intervals.intersect"
        }
        Source::ExperimentalCreateSlices(_) => "intervals.create_intervals",
        Source::ExperimentalCounterIntervals(_) => "counters.intervals",
        _ => return None,
    })
}
