//! A CTE with the name of a CTE of a query around it. DataFusion wants each name once, so the inner
//! one gets another; its tables keep the written name as their alias.

use std::ops::ControlFlow;

use crate::perfetto_sql::walk::walk_mut;
use datafusion::sql::sqlparser::ast::{
    Ident, ObjectName, Query, Statement, TableAlias, TableFactor, VisitorMut,
};

use super::DUPLICATE_SUFFIX;
use crate::perfetto_sql::scope::{is_same, last};

pub(super) fn rename(statement: &mut Statement) {
    let _: ControlFlow<()> = walk_mut(statement, &mut Nested::default());
}

#[derive(Default)]
struct Nested {
    /// The names of the CTEs of the queries around, in lower case, the innermost last.
    visible: Vec<Vec<String>>,
    renamed: usize,
}

impl VisitorMut for Nested {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        self.visible.push(names(query));
        ControlFlow::Continue(())
    }

    /// The queries within come first, so that the names left in them mean this query's CTEs.
    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        let own = self.visible.pop().unwrap_or_default();
        for name in own {
            if self.visible.iter().flatten().any(|outer| *outer == name) {
                self.renamed += 1;
                let new = format!("{name}{DUPLICATE_SUFFIX}{}", self.renamed);
                rename_in(query, &name, &Ident::with_quote('"', new));
            }
        }
        ControlFlow::Continue(())
    }
}

fn names(query: &Query) -> Vec<String> {
    let ctes = query.with.iter().flat_map(|with| &with.cte_tables);
    ctes.map(|cte| cte.alias.name.value.to_lowercase()).collect()
}

fn rename_in(query: &mut Query, name: &str, new: &Ident) {
    for cte in query.with.iter_mut().flat_map(|with| &mut with.cte_tables) {
        if is_same(&cte.alias.name, name) {
            cte.alias.name = new.clone();
        }
    }
    let _: ControlFlow<()> = walk_mut(query, &mut Tables { name, new });
}

struct Tables<'a> {
    name: &'a str,
    new: &'a Ident,
}

impl VisitorMut for Tables<'_> {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        if let TableFactor::Table { name, alias, args: None, .. } = factor
            && name.0.len() == 1
            && let Some(written) = last(name).filter(|it| is_same(it, self.name)).cloned()
        {
            *name = ObjectName::from(vec![self.new.clone()]);
            alias.get_or_insert_with(|| TableAlias {
                explicit: true,
                name: written,
                columns: vec![],
                at: None,
            });
        }
        ControlFlow::Continue(())
    }
}
