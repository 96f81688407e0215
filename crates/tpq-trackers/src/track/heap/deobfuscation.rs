//! Names of Java classes and fields in their source code.

use rustc_hash::FxHashMap;
use tpq_tables::{StringId, Tables};

use super::class_names::ClassName;
use super::graphs::{DumpedClass, HeapGraphs};

/// The name of a class of a package: in the running code, and in the source code.
#[derive(Clone, Copy, Debug)]
pub struct ClassMapping<'a> {
    /// The package; empty for any.
    pub package: &'a str,
    /// Name of the class in the running code.
    pub obfuscated: &'a str,
    /// Name of the class in the source code.
    pub name: &'a str,
}

/// Renames classes and fields of all dumps, at the end of the import.
#[derive(Debug)]
pub struct HeapNames {
    /// Classes by package, NULL if unknown, and name without what is around it.
    classes: FxHashMap<(StringId, StringId), Vec<DumpedClass>>,
    /// The packages that have a class of a name.
    packages: FxHashMap<StringId, Vec<StringId>>,
    /// New names of fields.
    fields: FxHashMap<StringId, StringId>,
}

impl HeapNames {
    /// Names of the classes of `graphs`. `package` gives the package of a class, if it is known.
    pub fn new(
        graphs: &HeapGraphs,
        tables: &mut Tables,
        mut package: impl FnMut(&DumpedClass, &mut Tables) -> Option<StringId>,
    ) -> Self {
        let mut classes: FxHashMap<_, Vec<DumpedClass>> = FxHashMap::default();
        let mut packages: FxHashMap<_, Vec<StringId>> = FxHashMap::default();
        for class in graphs.classes() {
            let package = package(class, tables).unwrap_or(StringId::NULL);
            let base = ClassName::of(tables.strings.get(class.name)).base.to_owned();
            let base = tables.strings.intern(&base);
            let classes: &mut Vec<_> = classes.entry((package, base)).or_default();
            if classes.is_empty() {
                packages.entry(base).or_default().push(package);
            }
            classes.push(*class);
        }
        Self { classes, packages, fields: FxHashMap::default() }
    }

    /// Renames the classes of a mapping. It counts for classes of its package, and for those of
    /// unknown packages.
    pub fn rename_class(&mut self, mapping: ClassMapping<'_>, tables: &mut Tables) {
        let Some(base) = tables.strings.find(mapping.obfuscated) else { return };
        let package = match mapping.package {
            "" => None,
            package => tables.strings.find(package),
        };
        for package in [Some(StringId::NULL), package].into_iter().flatten() {
            self.rename((package, base), mapping.name, tables);
        }
    }

    /// Renames classes of all packages.
    pub fn rename_everywhere(&mut self, obfuscated: &str, name: &str, tables: &mut Tables) {
        let Some(base) = tables.strings.find(obfuscated) else { return };
        for &package in self.packages.get(&base).into_iter().flatten() {
            self.rename((package, base), name, tables);
        }
    }

    /// Renames the classes of a package and a name.
    fn rename(&self, key: (StringId, StringId), name: &str, tables: &mut Tables) {
        for class in self.classes.get(&key).into_iter().flatten() {
            let name = ClassName::of(tables.strings.get(class.name)).around(name);
            let name = tables.strings.intern(&name);
            tables.heap_graph_class.deobfuscated_name.set(class.row, name);
        }
    }

    /// Renames a field. Both names include the class.
    pub fn rename_field(&mut self, obfuscated: &str, name: &str, tables: &mut Tables) {
        if let Some(obfuscated) = tables.strings.find(obfuscated) {
            self.fields.insert(obfuscated, tables.strings.intern(name));
        }
    }

    /// Writes the new names of fields.
    pub fn write_fields(self, tables: &mut Tables) {
        if self.fields.is_empty() {
            return;
        }
        let table = &mut tables.heap_graph_reference;
        for row in 0..table.len() {
            if let Some(&name) = self.fields.get(&table.field_name.get(row)) {
                table.deobfuscated_field_name.set(row, name);
            }
        }
    }
}
