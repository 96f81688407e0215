//! Names of classes and fields in Java heap dumps before they were obfuscated.

use rustc_hash::FxHashMap;
use tpq_ingest::TraceBytes;
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::decode::profilers::name_mapping::{self, MappedClass, for_each_class};
use crate::decode::profilers::package_paths::{Location, package_of};
use tpq_trackers::track::{ClassMapping, DumpedClass, HeapNames, NameMapping, Trackers};

/// Names the classes and fields of all dumps by `mappings`.
pub(crate) fn name_classes(
    bytes: &TraceBytes<'_>,
    mappings: &[NameMapping],
    trackers: &Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let apps = packages_by_uid(tables);
    let package =
        |class: &DumpedClass, tables: &mut Tables| package(class, &apps, tables, &mut *stats);
    let mut names = HeapNames::new(&trackers.heap_graphs, tables, package);
    for mapping in mappings {
        let package = name_mapping::package(bytes, mapping);
        for_each_class(bytes, mapping, |class| {
            name_class(&class, package.as_deref(), &mut names, tables);
        });
    }
    names.write_fields(tables);
}

fn name_class(
    class: &MappedClass<'_>,
    package: Option<&str>,
    names: &mut HeapNames,
    tables: &mut Tables,
) {
    let MappedClass { obfuscated, name, fields, .. } = class;
    match package {
        None => names.rename_everywhere(obfuscated, name, tables),
        Some(package) => names.rename_class(ClassMapping { package, obfuscated, name }, tables),
    }
    for field in fields {
        let obfuscated = format!("{obfuscated}.{}", field.obfuscated);
        names.rename_field(&obfuscated, &class.full_name(field), tables);
    }
}

/// The package of a class: that of its file, else that of its process.
fn package(
    class: &DumpedClass,
    apps: &FxHashMap<i64, StringId>,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Option<StringId> {
    match package_of(tables.strings.get(class.location)) {
        Location::Package(package) => {
            let package = package.to_owned();
            return Some(tables.strings.intern(&package));
        }
        Location::Unreadable => stats.increment(Stat::DeobfuscateLocationParseError),
        Location::Anonymous | Location::Unknown => {}
    }
    let app = tables.process.android_appid.get(class.upid)?;
    apps.get(&i64::from(app)).copied()
}

/// The first package of each user id.
fn packages_by_uid(tables: &Tables) -> FxHashMap<i64, StringId> {
    let table = &tables.package_list;
    let mut packages = FxHashMap::default();
    for (uid, name) in table.uid.iter().zip(table.package_name.iter()) {
        packages.entry(uid).or_insert(name);
    }
    packages
}
