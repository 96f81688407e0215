//! Names of classes and fields in Java heap dumps before they were obfuscated.

use rustc_hash::FxHashMap;
use tpq_ingest::{Span, TraceBytes};
use tpq_proto::fields::{deobfuscation_mapping, obfuscated_class, obfuscated_member};
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::decode::profilers::package_paths::{Location, package_of};
use tpq_trackers::track::{ClassMapping, DumpedClass, HeapNames, Trackers};

/// Names the classes and fields of all dumps by the mappings in `packets`.
pub(crate) fn name_classes(
    bytes: &TraceBytes<'_>,
    packets: &[Span],
    trackers: &Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let apps = packages_by_uid(tables);
    let package =
        |class: &DumpedClass, tables: &mut Tables| package(class, &apps, tables, &mut *stats);
    let mut names = HeapNames::new(&trackers.heap_graphs, tables, package);
    for &span in packets {
        let mapping = bytes.get(span);
        let package = LastFields::<3>::new(mapping).bytes(deobfuscation_mapping::PACKAGE_NAME);
        let package = String::from_utf8_lossy(package);
        let classes = Fields::new(mapping);
        for class in classes.filter(|it| it.number == deobfuscation_mapping::OBFUSCATED_CLASSES) {
            name_class(class.as_bytes(), &package, &mut names, tables);
        }
    }
    names.write_fields(tables);
}

fn name_class(message: &[u8], package: &str, names: &mut HeapNames, tables: &mut Tables) {
    let class = LastFields::<3>::new(message);
    let obfuscated = String::from_utf8_lossy(class.bytes(obfuscated_class::OBFUSCATED_NAME));
    let name = String::from_utf8_lossy(class.bytes(obfuscated_class::DEOBFUSCATED_NAME));
    names.rename_class(ClassMapping { package, obfuscated: &obfuscated, name: &name }, tables);
    let members = Fields::new(message);
    for member in members.filter(|it| it.number == obfuscated_class::OBFUSCATED_MEMBERS) {
        let member = LastFields::<3>::new(member.as_bytes());
        let text = |number: u32| String::from_utf8_lossy(member.bytes(number));
        let field = text(obfuscated_member::DEOBFUSCATED_NAME);
        // Fields of other classes have the class before a dot.
        let field = match field.contains('.') {
            true => field.into_owned(),
            false => format!("{name}.{field}"),
        };
        let obfuscated = format!("{obfuscated}.{}", text(obfuscated_member::OBFUSCATED_NAME));
        names.rename_field(&obfuscated, &field, tables);
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
