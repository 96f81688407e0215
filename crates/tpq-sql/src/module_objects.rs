//! The objects that the statements of a module create, with their arguments and columns.

use std::sync::Arc;

use crate::errors::SqlError;
use crate::perfetto_sql::{
    Command, Creation, Declared, MacroArgument, Returns, Script, split_script,
};

/// The kind of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ObjectType {
    Module,
    Table,
    View,
    Function,
    TableFunction,
    Macro,
}

impl ObjectType {
    /// The kind as `.modules` shows it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Module => "module",
            Self::Table => "table",
            Self::View => "view",
            Self::Function | Self::TableFunction => "function",
            Self::Macro => "macro",
        }
    }
}

/// A column, argument or result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    pub name: String,
    /// The type, or the kind of tokens that a macro takes.
    pub kind: String,
    pub doc: String,
}

impl From<&Declared> for Part {
    fn from(declared: &Declared) -> Self {
        let Declared { name, kind, doc, .. } = declared;
        Self { name: name.written.clone(), kind: kind.clone(), doc: doc.clone() }
    }
}

/// An object that a module creates.
#[derive(Clone, Debug)]
pub(crate) struct ModuleContent {
    /// As the module writes it.
    pub name: String,
    pub object_type: ObjectType,
    /// The comment before the statement.
    pub doc: String,
    pub args: Vec<Part>,
    /// The columns of a table, a view, or the result of a table function.
    pub columns: Vec<Part>,
    /// The result of a function of one value, or of a macro.
    pub returns: Option<Part>,
}

impl ModuleContent {
    /// Whether the object is only for the module itself.
    pub(crate) fn is_private(&self) -> bool {
        self.name.starts_with('_')
    }

    fn new(creation: Creation, object_type: ObjectType) -> Self {
        let Creation { name, doc, .. } = creation;
        Self::without_parts(&name.written, object_type, doc)
    }

    /// An object without arguments and columns.
    pub(crate) fn without_parts(name: &str, object_type: ObjectType, doc: String) -> Self {
        let (args, columns) = (Vec::new(), Vec::new());
        Self { name: name.to_owned(), object_type, doc, args, columns, returns: None }
    }
}

/// Reads the statements of a module, in order.
///
/// # Errors
/// When a statement cannot be parsed.
pub(crate) fn contents(module: &str, text: &Arc<str>) -> Result<Vec<ModuleContent>, SqlError> {
    let script = Arc::new(Script { module: Some(module.into()), text: Arc::clone(text) });
    let mut contents = Vec::new();
    for statement in split_script(&script)? {
        contents.extend(content(Command::parse(&statement.text_as_written())?));
    }
    Ok(contents)
}

/// The object that a statement creates.
fn content(command: Command) -> Option<ModuleContent> {
    let parts = |declared: &[Declared]| -> Vec<Part> { declared.iter().map(Part::from).collect() };
    Some(match command {
        Command::CreateRelation(made) => {
            let kind = if made.is_table { ObjectType::Table } else { ObjectType::View };
            let columns = parts(made.columns.as_deref().unwrap_or_default());
            ModuleContent { columns, ..ModuleContent::new(made.creation, kind) }
        }
        Command::CreateVirtualTable(creation, _) => ModuleContent::new(creation, ObjectType::Table),
        Command::CreateFunction(made) => {
            let args = parts(&made.args);
            match &made.returns {
                Returns::Table(columns) => {
                    let columns = parts(columns);
                    let object = ModuleContent::new(made.creation, ObjectType::TableFunction);
                    ModuleContent { args, columns, ..object }
                }
                Returns::Value(value) => {
                    let returns = Some(Part::from(value));
                    let object = ModuleContent::new(made.creation, ObjectType::Function);
                    ModuleContent { args, returns, ..object }
                }
            }
        }
        Command::CreateMacro(made) => {
            let part = |arg: &MacroArgument| Part {
                name: arg.name.written.clone(),
                kind: arg.kind.written.clone(),
                doc: arg.doc.clone(),
            };
            let args = made.args.iter().map(part).collect();
            let kind = made.returns.written;
            let name = made.creation.name.written.clone();
            let returns = Part { name, kind, doc: made.returns_doc };
            let object = ModuleContent::new(made.creation, ObjectType::Macro);
            ModuleContent { args, returns: Some(returns), ..object }
        }
        _ => return None,
    })
}

/// The comment at the start of a module, if a blank line separates it from the first statement.
pub(crate) fn head_comment(text: &str) -> String {
    let head = text.lines().take_while(|line| line.starts_with("--"));
    let head: Vec<&str> = head.map(|line| line.trim_start_matches('-').trim()).collect();
    let is_separate = text.lines().nth(head.len()).is_some_and(|line| line.trim().is_empty());
    if is_separate { head.join("\n") } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_and_columns_have_their_comments() {
        let text = "-- Rows.\nCREATE PERFETTO FUNCTION f(\n  -- An id.\n  Id LONG)\nRETURNS TABLE(\n  \
                    -- Length.\n  dur DURATION) AS SELECT 1 AS dur;\n-- Sum.\nCREATE PERFETTO \
                    MACRO _m(\n  -- Rows.\n  t TableOrSubquery)\n-- A sum.\nRETURNS Expr AS (1);";
        let found = contents("a.b", &text.into()).unwrap();
        let part = |name: &str, kind: &str, doc: &str| Part {
            name: name.into(),
            kind: kind.into(),
            doc: doc.into(),
        };
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].object_type, ObjectType::TableFunction);
        assert_eq!((found[0].name.as_str(), found[0].doc.as_str()), ("f", "Rows."));
        assert_eq!(found[0].args, [part("Id", "LONG", "An id.")]);
        assert_eq!(found[0].columns, [part("dur", "DURATION", "Length.")]);
        assert!(found[1].is_private() && !found[0].is_private());
        assert_eq!(found[1].args, [part("t", "TableOrSubquery", "Rows.")]);
        assert_eq!(found[1].returns, Some(part("_m", "Expr", "A sum.")));
    }
}
