//! Files in FROM: `FROM 'builds.parquet'` is a call of the function that reads the file.

use std::ops::ControlFlow;
use std::path::Path;

use crate::perfetto_sql::walk::walk_mut;
use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, Ident, ObjectName, TableAlias, TableFactor, Value,
    VisitorMut,
};

use crate::files::{FileAccess, FileCall, Reader};

/// Rewrites the names of files to calls, and notes all calls that read files.
pub(super) fn read_named_files(tree: &mut Tree, access: &FileAccess) {
    match tree {
        Tree::Statement(statement) => {
            let _: ControlFlow<()> = walk_mut(statement, &mut FileTables { access });
        }
        Tree::Explain(explain) => read_named_files(&mut explain.statement, access),
        _ => {}
    }
}

struct FileTables<'a> {
    access: &'a FileAccess,
}

impl VisitorMut for FileTables<'_> {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        let TableFactor::Table { name, alias, args, .. } = factor else {
            return ControlFlow::Continue(());
        };
        let (reader, args) = match args {
            Some(args) => match reader_of(name) {
                Some(reader) => (reader, std::mem::take(&mut args.args)),
                None => return ControlFlow::Continue(()),
            },
            None => match named_file(name) {
                Some((reader, path)) => {
                    alias.get_or_insert_with(|| alias_of(&path));
                    let path = Expr::Value(Value::SingleQuotedString(path).into());
                    (reader, vec![FunctionArg::Unnamed(FunctionArgExpr::Expr(path))])
                }
                None => return ControlFlow::Continue(()),
            },
        };
        if let Some(paths) = paths_in(&args).filter(|paths| !paths.is_empty()) {
            self.access.want(FileCall { reader, paths });
        }
        let name = ObjectName::from(vec![Ident::new(reader.name())]);
        let alias = alias.take();
        // Not LATERAL, as other functions are: DataFusion has no RIGHT and FULL JOIN with those.
        *factor =
            TableFactor::Function { lateral: false, name, args, with_ordinality: false, alias };
        ControlFlow::Continue(())
    }
}

/// The file that a name in single quotes means, by its extension.
fn named_file(name: &ObjectName) -> Option<(Reader, String)> {
    let [part] = &name.0[..] else { return None };
    let ident = part.as_ident().filter(|ident| ident.quote_style == Some('\''))?;
    Some((Reader::of_file(&ident.value)?, ident.value.clone()))
}

/// The alias of a file: its name without folder and extension.
fn alias_of(path: &str) -> TableAlias {
    let stem = Path::new(path).file_stem().and_then(|stem| stem.to_str()).unwrap_or(path);
    let name = Ident::with_quote('"', stem.to_lowercase());
    TableAlias { explicit: true, name, columns: Vec::new(), at: None }
}

/// The function that reads files with this name.
fn reader_of(name: &ObjectName) -> Option<Reader> {
    let [part] = &name.0[..] else { return None };
    Reader::named(&part.as_ident()?.value.to_lowercase())
}

/// The arguments, if all of them are texts.
fn paths_in(args: &[FunctionArg]) -> Option<Vec<String>> {
    let path = |arg: &FunctionArg| match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value))) => match &value.value {
            Value::SingleQuotedString(path) => Some(path.clone()),
            _ => None,
        },
        _ => None,
    };
    args.iter().map(path).collect()
}
