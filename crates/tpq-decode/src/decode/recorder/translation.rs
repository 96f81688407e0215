//! Packets that say what other packets mean: tables of hashes and names, symbols of binaries, names
//! of obfuscated classes. They may come after what they translate, so they are read first of all.

use tpq_proto::fields::{
    address_symbols, chrome_performance_mark_translation_table as marks, deobfuscation_mapping,
    line, module_symbols, obfuscated_class, trace_packet, translation_table as table,
};
use tpq_proto::wire::{Field, Fields, LastFields};
use tpq_tables::{StringId, StringPool, Tables};
use tpq_trackers::stacks::build_id_text;
use tpq_trackers::track::{HashOf, Trackers};

/// The entries of all tables are in field 1, and have their key and value in fields 1 and 2.
const ENTRIES: u32 = marks::SITE_HASH_TO_NAME;
const KEY: u32 = marks::site_hash_to_name_entry::KEY;
const VALUE: u32 = marks::site_hash_to_name_entry::VALUE;

/// Reads a packet of the current file.
pub(crate) fn read(kind: u32, packet: &[u8], trackers: &mut Trackers, tables: &mut Tables) {
    match kind {
        trace_packet::TRANSLATION_TABLE => {
            Fields::new(packet).for_each(|field| translate(&field, trackers, tables));
        }
        trace_packet::MODULE_SYMBOLS => symbols(packet, trackers, tables),
        trace_packet::DEOBFUSCATION_MAPPING => classes(packet, trackers, tables),
        _ => {}
    }
}

fn translate(field: &Field<'_>, trackers: &mut Trackers, tables: &mut Tables) {
    let message = field.as_bytes();
    let mut hashes = |of, list| {
        for entry in entries(message, list) {
            let name = text(&entry, VALUE, &mut tables.strings);
            trackers.file.translations.add_hash(of, entry.uint(KEY), name);
        }
    };
    match field.number {
        table::CHROME_HISTOGRAM => hashes(HashOf::Histogram, ENTRIES),
        table::CHROME_USER_EVENT => hashes(HashOf::UserAction, ENTRIES),
        table::CHROME_PERFORMANCE_MARK => {
            hashes(HashOf::MarkSite, marks::SITE_HASH_TO_NAME);
            hashes(HashOf::Mark, marks::MARK_HASH_TO_NAME);
        }
        table::CHROME_STUDY => hashes(HashOf::Study, ENTRIES),
        table::SLICE_NAME => {
            for (raw, name) in names(message, &mut tables.strings) {
                trackers.source.slices.rename(raw, name);
            }
        }
        table::PROCESS_TRACK_NAME => {
            for (raw, name) in names(message, &mut tables.strings) {
                trackers.file.translations.add_process_track(raw, name);
            }
        }
        _ => {}
    }
}

/// The entries of a table.
fn entries<'a>(table: &'a [u8], list: u32) -> impl Iterator<Item = LastFields<'a, 3>> + use<'a> {
    let fields = Fields::new(table).filter(move |field| field.number == list);
    fields.map(|field| LastFields::new(field.as_bytes()))
}

/// The entries of a table of names.
fn names(table: &[u8], strings: &mut StringPool) -> Vec<(StringId, StringId)> {
    let entries = entries(table, ENTRIES);
    entries.map(|entry| (text(&entry, KEY, strings), text(&entry, VALUE, strings))).collect()
}

fn text<const N: usize>(
    message: &LastFields<'_, N>,
    number: u32,
    strings: &mut StringPool,
) -> StringId {
    strings.intern_bytes(message.bytes(number))
}

/// The functions at addresses of a binary. Of functions that were inlined the outermost counts,
/// which is the last.
fn symbols(packet: &[u8], trackers: &mut Trackers, tables: &mut Tables) {
    let build_id = LastFields::<4>::new(packet).bytes(module_symbols::BUILD_ID);
    let build_id = tables.strings.intern(&build_id_text(build_id));
    let addresses = Fields::new(packet);
    for address in addresses.filter(|field| field.number == module_symbols::ADDRESS_SYMBOLS) {
        let address = address.as_bytes();
        let lines = Fields::new(address).filter(|field| field.number == address_symbols::LINES);
        let Some(outermost) = lines.last() else { continue };
        let outermost = LastFields::<4>::new(outermost.as_bytes());
        let function = text(&outermost, line::FUNCTION_NAME, &mut tables.strings);
        let at = LastFields::<3>::new(address).uint(address_symbols::ADDRESS);
        trackers.file.translations.add_function(build_id, at, function);
    }
}

fn classes(packet: &[u8], trackers: &mut Trackers, tables: &mut Tables) {
    let fields = Fields::new(packet);
    for class in fields.filter(|it| it.number == deobfuscation_mapping::OBFUSCATED_CLASSES) {
        let class = LastFields::<5>::new(class.as_bytes());
        let [obfuscated, name] =
            [obfuscated_class::OBFUSCATED_NAME, obfuscated_class::DEOBFUSCATED_NAME]
                .map(|number| text(&class, number, &mut tables.strings));
        trackers.file.translations.add_class(obfuscated, name);
    }
}
