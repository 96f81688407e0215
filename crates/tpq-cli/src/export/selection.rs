//! Selects the tables and views to export.

use std::collections::BTreeSet;

use tpq::{Session, Trace};

use crate::exit::Usage;

/// A table or view to export.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selected {
    /// Its name.
    pub name: String,
    /// Whether to write it even if it has no rows.
    pub even_empty: bool,
}

/// Includes modules and returns the names of all of them. `a.b.*` stands for several modules.
///
/// # Errors
/// When there is no such module, or a module fails.
pub async fn include(session: &Session, wanted: &[String]) -> anyhow::Result<Vec<String>> {
    let known = session.module_names();
    let mut included = Vec::new();
    for wanted in wanted {
        let is_meant = |name: &&String| match wanted.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => *name == wanted,
        };
        let before = included.len();
        included.extend(known.iter().filter(is_meant).cloned());
        if included.len() == before {
            let message =
                format!("no module is called `{wanted}`; .modules in tpq shell lists them");
            return Err(Usage(message).into());
        }
        for name in &included[before..] {
            run(session, &format!("INCLUDE PERFETTO MODULE {name}")).await?;
        }
    }
    Ok(included)
}

async fn run(session: &Session, sql: &str) -> anyhow::Result<()> {
    for statement in session.statements(sql)? {
        session.run(&statement).await?;
    }
    Ok(())
}

/// Returns the names in lower case without duplicates, after checking that the tables or views
/// exist.
///
/// # Errors
/// When a table or view does not exist.
pub fn names_of(session: &Session, names: &[String]) -> anyhow::Result<Vec<String>> {
    let known: BTreeSet<String> = session.table_names().into_iter().collect();
    let mut found: Vec<String> = Vec::new();
    for name in names.iter().map(|name| name.trim().to_lowercase()) {
        if !known.contains(&name) {
            let message = match session.module_of(&name) {
                Some(module) => format!("`{name}` is in a module; add --module {module}"),
                None => format!("no table or view is called `{name}`"),
            };
            return Err(Usage(message).into());
        }
        if !found.contains(&name) {
            found.push(name);
        }
    }
    Ok(found)
}

/// The tables to export by default: all tables with rows; the track views, by which slices and
/// counters join threads, processes and CPUs; with `all_views`, all other built-in views; and what
/// the modules create.
pub fn selected(trace: &Trace, all_views: bool, modules: &[String]) -> Vec<Selected> {
    let session = trace.session();
    let tables: Vec<&str> = trace.tables().iter().map(|table| table.decl().name).collect();
    let filled = trace.tables().iter().filter(|table| table.num_rows() > 0);
    let mut names: Vec<String> = filled.map(|table| table.decl().name.to_owned()).collect();
    let views = session.built_in_views().into_iter();
    let views = views.filter(|view| !tables.contains(&view.as_str()));
    let is_public = |view: &String| !view.starts_with("__");
    names.extend(views.filter(|view| all_views && is_public(view) || view.ends_with("_track")));
    let mut selected: Vec<Selected> =
        names.into_iter().map(|name| Selected { name, even_empty: false }).collect();
    for module in modules.iter().filter_map(|module| session.module(module)) {
        let created = module.objects.into_iter().filter(|it| ["table", "view"].contains(&it.kind));
        for name in created.map(|object| object.name.to_lowercase()) {
            match selected.iter_mut().find(|selected| selected.name == name) {
                Some(known) => known.even_empty = true,
                None => selected.push(Selected { name, even_empty: true }),
            }
        }
    }
    selected
}
