//! `stdlib_objects`: the modules, and the objects that they and the prelude create.
//!
//! Arguments and columns are texts of JSON: arrays of objects with `name`, `type` and
//! `description`.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use datafusion::arrow::array::{ArrayRef, RecordBatch, StringViewBuilder};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::Result;

use super::super::{Catalog, tidy};
use super::rows::{self, integers};
use crate::module_objects::{ModuleContent, ObjectType, Part, contents, head_comment};
use crate::modules::Modules;
use crate::threads::on_threads;
use crate::views::Prelude;

/// The module of stored tables that no view of the prelude replaces.
const STORED_TABLES: &str = "prelude.tables";

pub(super) fn schema() -> SchemaRef {
    let mut columns = COLUMNS.map(|name| (name, DataType::Utf8View));
    columns[EXPOSED].1 = DataType::Int64;
    rows::schema(&columns)
}

const COLUMNS: [&str; 10] = [
    "package",
    "module",
    "name",
    "object_type",
    "description",
    "exposed",
    "return_type",
    "return_description",
    "args",
    "cols",
];

/// The position of the only column of integers.
const EXPOSED: usize = 5;

/// The rows; the texts of modules are read on up to `threads` threads.
pub(super) fn rows(catalog: &Catalog, threads: usize) -> Result<RecordBatch> {
    let mut library = Library::default();
    let prelude = Prelude::modules().map(|(name, text)| (name, Arc::<str>::from(text)));
    for module in on_threads(threads, prelude.collect(), ReadModule::of) {
        library.add_module(&module);
    }
    library.add_stored_tables(catalog);
    let modules = catalog.modules();
    let (names, built_in) = (modules.names(), built_in_modules(threads));
    let of_user = names.iter().filter(|name| modules.is_of_user(name));
    let texts = of_user.filter_map(|&name| Some((name.to_owned(), modules.text(name)?)));
    let of_user = by_name(on_threads(threads, texts.collect(), ReadModule::of));
    for module in names.iter().filter_map(|&name| of_user.get(name).or_else(|| built_in.get(name)))
    {
        library.add_module(module);
    }
    library.finish()
}

/// Reads tpq's own modules for the list of their objects, unless the process has read them before,
/// on up to `threads` threads. The list takes a fraction of the time then.
pub fn read_built_in_modules(threads: usize) {
    built_in_modules(threads);
}

/// tpq's own modules by name. They are part of the program, so they are read only once.
fn built_in_modules(threads: usize) -> &'static BTreeMap<String, ReadModule> {
    static READ: OnceLock<BTreeMap<String, ReadModule>> = OnceLock::new();
    READ.get_or_init(|| {
        let texts = Modules::built_in().map(|(name, text)| (name.to_owned(), Arc::from(text)));
        by_name(on_threads(threads, texts.collect(), ReadModule::of))
    })
}

fn by_name(modules: Vec<ReadModule>) -> BTreeMap<String, ReadModule> {
    modules.into_iter().map(|module| (module.name.clone(), module)).collect()
}

/// What the text of a module says.
struct ReadModule {
    name: String,
    doc: String,
    objects: Vec<ModuleContent>,
}

impl ReadModule {
    /// Reads a module by its name and text. Of one that cannot be parsed, there are no objects.
    fn of((name, text): (String, Arc<str>)) -> Self {
        let objects = contents(&name, &text).unwrap_or_default();
        Self { name, doc: head_comment(&text), objects }
    }
}

/// The rows, column by column.
#[derive(Default)]
struct Library {
    /// The texts, without a builder for `exposed`.
    texts: [StringViewBuilder; COLUMNS.len() - 1],
    exposed: Vec<i64>,
}

impl Library {
    /// Adds a module and its objects.
    fn add_module(&mut self, module: &ReadModule) {
        let ReadModule { name, doc, objects } = module;
        self.add(name, &ModuleContent::without_parts(name, ObjectType::Module, doc.clone()));
        for object in objects {
            self.add(name, object);
        }
    }

    fn add_stored_tables(&mut self, catalog: &Catalog) {
        let module = ModuleContent::without_parts(STORED_TABLES, ObjectType::Module, String::new());
        self.add(STORED_TABLES, &module);
        for table in catalog.tables.iter() {
            let decl = table.decl();
            if Prelude::names().any(|view| view == decl.name) {
                continue;
            }
            let part = |column: &tpq_tables::ColumnDecl| Part {
                name: column.name.to_owned(),
                kind: column.kind.label(),
                doc: tidy(column.doc),
            };
            let columns = decl.columns.iter().map(part).collect();
            let doc = tidy(decl.doc);
            let object = ModuleContent::without_parts(decl.name, ObjectType::Table, doc);
            self.add(STORED_TABLES, &ModuleContent { columns, ..object });
        }
    }

    fn add(&mut self, module: &str, object: &ModuleContent) {
        let object_type = match object.object_type {
            ObjectType::Module => "MODULE",
            ObjectType::Table => "TABLE",
            ObjectType::View => "VIEW",
            ObjectType::Function => "FUNCTION",
            ObjectType::TableFunction => "TABLE_FUNCTION",
            ObjectType::Macro => "MACRO",
        };
        let returns = object.returns.as_ref();
        let (args, columns) = (json(&object.args), json(&object.columns));
        let row = [
            module.split('.').next().unwrap_or_default(),
            module,
            object.name.as_str(),
            object_type,
            object.doc.as_str(),
            returns.map_or("", |returns| returns.kind.as_str()),
            returns.map_or("", |returns| returns.doc.as_str()),
            args.as_str(),
            columns.as_str(),
        ];
        for (column, value) in self.texts.iter_mut().zip(row) {
            column.append_value(value);
        }
        self.exposed.push(i64::from(!object.is_private()));
    }

    fn finish(mut self) -> Result<RecordBatch> {
        let texts = self.texts.iter_mut().map(|texts| Arc::new(texts.finish()) as ArrayRef);
        let mut columns: Vec<ArrayRef> = texts.collect();
        columns.insert(EXPOSED, integers(self.exposed));
        Ok(RecordBatch::try_new(schema(), columns)?)
    }
}

/// An array of objects.
fn json(parts: &[Part]) -> String {
    let mut json = String::from("[");
    for (index, Part { name, kind, doc }) in parts.iter().enumerate() {
        if index > 0 {
            json.push(',');
        }
        json.push('{');
        let members = [("name", name), ("type", kind), ("description", doc)];
        for (index, (key, value)) in members.into_iter().enumerate() {
            if index > 0 {
                json.push(',');
            }
            push_string(&mut json, key);
            json.push(':');
            push_string(&mut json, value);
        }
        json.push('}');
    }
    json.push(']');
    json
}

fn push_string(json: &mut String, text: &str) {
    json.push('"');
    for character in text.chars() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            other if other < ' ' => json.push_str(&format!("\\u{:04x}", u32::from(other))),
            other => json.push(other),
        }
    }
    json.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        let part = Part { name: "a".into(), kind: "LONG".into(), doc: "say \"x\"\n\t\\".into() };
        let expected = r#"[{"name":"a","type":"LONG","description":"say \"x\"\n\u0009\\"}]"#;
        assert_eq!(json(&[part]), expected);
        assert_eq!(json(&[]), "[]");
    }
}
