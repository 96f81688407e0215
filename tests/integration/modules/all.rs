//! Every module that comes with tpq: each can be included and read, and says what it has.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use tokio::runtime::Runtime;
use tpq::{ImportOptions, Session, Trace};

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap()
}

async fn trace() -> Trace {
    let path = Path::new(crate::ROOT).join("testdata/sched.pftrace");
    Trace::open(&[path], ImportOptions::default()).await.unwrap()
}

/// Runs a script; what went wrong otherwise.
async fn failure(session: &Session, script: &str) -> Option<String> {
    for statement in session.statements(script).ok()? {
        match session.run(&statement).await {
            Ok(None) => {}
            Ok(Some(rows)) => {
                if let Err(error) = rows.collect().await {
                    return Some(error.to_string());
                }
            }
            Err(error) => return Some(error.to_string()),
        }
    }
    None
}

/// Each alone in a session of its own, so that none leans on what another included.
#[test]
fn every_table_and_view_can_be_read() {
    let broken = runtime().block_on(async {
        let mut broken = Vec::new();
        for name in trace().await.session().module_names() {
            let trace = trace().await;
            let session = trace.session();
            let include = format!("INCLUDE PERFETTO MODULE {name};");
            if let Some(error) = failure(session, &include).await {
                broken.push(format!("{name}: {error}"));
                continue;
            }
            let objects = session.module(&name).unwrap().objects;
            for object in objects.iter().filter(|object| ["table", "view"].contains(&object.kind)) {
                let sql = format!("SELECT * FROM {} LIMIT 1;", object.name);
                if let Some(error) = failure(session, &sql).await {
                    broken.push(format!("{name}.{}: {error}", object.name));
                }
            }
        }
        broken
    });
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn everything_says_what_it_is() {
    let silent = runtime().block_on(async {
        let mut silent = Vec::new();
        for name in trace().await.session().module_names() {
            let trace = trace().await;
            let session = trace.session();
            failure(session, &format!("INCLUDE PERFETTO MODULE {name};")).await;
            let module = session.module(&name).unwrap();
            if module.doc.is_empty() {
                silent.push(name.clone());
            }
            for object in module.objects {
                if object.doc.is_empty() {
                    silent.push(format!("{name}: {}", object.name));
                }
                let relation = session.describe(&object.name);
                let columns = relation.into_iter().flat_map(|relation| relation.columns);
                let columns = columns.filter(|column| column.doc.is_empty());
                silent.extend(columns.map(|c| format!("{name}: {}.{}", object.name, c.name)));
            }
        }
        silent
    });
    assert!(silent.is_empty(), "without a comment: {}", silent.join(", "));
}

/// The name that a line of a module creates, if it is the first line of a `CREATE` statement.
fn created(line: &str) -> Option<&str> {
    let line = line.strip_prefix("CREATE ")?;
    let line = line.strip_prefix("PERFETTO ").or(line.strip_prefix("VIRTUAL ")).unwrap_or(line);
    let kinds = ["TABLE ", "VIEW ", "FUNCTION ", "MACRO "];
    let name = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
    name.split([' ', '(']).next()
}

/// The modules of a session share their names, private ones included: of two tables with one name
/// the later would replace the other.
#[test]
fn names_are_of_one_module() {
    let mut folders = vec![Path::new(crate::ROOT).join("sql")];
    let mut creators: HashMap<String, PathBuf> = HashMap::new();
    let mut clashes = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            for name in text.lines().filter_map(created) {
                if let Some(other) = creators.insert(name.to_lowercase(), path.clone()) {
                    clashes.push(format!("{name}: {} and {}", other.display(), path.display()));
                }
            }
        }
    }
    assert!(creators.len() > 500, "{} names", creators.len());
    assert!(clashes.is_empty(), "{}", clashes.join("\n"));
}
