//! What hashes, addresses and obfuscated names stand for, where the trace says.

use rustc_hash::FxHashMap;
use tpq_tables::table::StackProfileMappingTable;
use tpq_tables::{StringId, StringPool, Tables};

use crate::args::{Arg, ArgSet, ArgValue};
use crate::track::Trackers;

/// What a hash is of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HashOf {
    /// The name of a histogram.
    Histogram,
    /// An action of a user.
    UserAction,
    /// The site of a performance mark.
    MarkSite,
    /// The name of a performance mark.
    Mark,
    /// The name of a field trial or of the trigger of a recording.
    Study,
}

/// The keys of args that are hashes, and those of the texts they stand for.
const HASHES: [(HashOf, &str, &str); 5] = [
    (HashOf::Histogram, "chrome_histogram_sample.name_hash", "chrome_histogram_sample.name"),
    (HashOf::UserAction, "chrome_user_event.action_hash", "chrome_user_event.action"),
    (
        HashOf::MarkSite,
        "chrome_hashed_performance_mark.site_hash",
        "chrome_hashed_performance_mark.site",
    ),
    (
        HashOf::Mark,
        "chrome_hashed_performance_mark.mark_hash",
        "chrome_hashed_performance_mark.mark",
    ),
    (HashOf::Study, "chrome_trigger.name_hash", "chrome_trigger.name"),
];
/// An address within a binary, which stands for a method of an interface of Mojo.
const MOJO_MAPPING: &str = "chrome_mojo_event_info.mojo_interface_method.native_symbol.mapping_id";
const MOJO_ADDRESS: &str = "chrome_mojo_event_info.mojo_interface_method.native_symbol.rel_pc";
const MOJO_METHOD: &str = "chrome_mojo_event_info.mojo_method_name";
const MOJO_INTERFACE: &str = "chrome_mojo_event_info.mojo_interface_tag";
/// The name of a Java class, without array positions.
const VIEW_CLASS: &str = "android_view_dump.activity.view.class_name";

/// Translations of a file.
#[derive(Debug, Default)]
pub struct Translations {
    hashes: FxHashMap<(HashOf, u64), StringId>,
    /// Functions by the build id of their binary, in hexadecimal digits, and their address.
    functions: FxHashMap<(StringId, u64), StringId>,
    classes: FxHashMap<StringId, StringId>,
    process_tracks: FxHashMap<StringId, StringId>,
    keys: Option<Keys>,
}

/// The keys of args that are translated.
#[derive(Debug)]
struct Keys {
    hashes: FxHashMap<StringId, (HashOf, StringId)>,
    mojo_mapping: StringId,
    mojo_address: StringId,
    mojo_method: StringId,
    mojo_interface: StringId,
    view_class: StringId,
}

impl Keys {
    fn new(strings: &mut StringPool) -> Self {
        let hashes = HASHES
            .into_iter()
            .map(|(of, hash, name)| (strings.intern(hash), (of, strings.intern(name))));
        Self {
            hashes: hashes.collect(),
            mojo_mapping: strings.intern(MOJO_MAPPING),
            mojo_address: strings.intern(MOJO_ADDRESS),
            mojo_method: strings.intern(MOJO_METHOD),
            mojo_interface: strings.intern(MOJO_INTERFACE),
            view_class: strings.intern(VIEW_CLASS),
        }
    }
}

impl Translations {
    /// Adds what a hash stands for. The first translation of a hash counts.
    pub fn add_hash(&mut self, of: HashOf, hash: u64, text: StringId) {
        self.hashes.entry((of, hash)).or_insert(text);
    }

    /// Adds the function at an address of a binary.
    pub fn add_function(&mut self, build_id: StringId, address: u64, function: StringId) {
        self.functions.entry((build_id, address)).or_insert(function);
    }

    /// Adds the name of a Java class.
    pub fn add_class(&mut self, obfuscated: StringId, name: StringId) {
        self.classes.insert(obfuscated, name);
    }

    /// Adds the name of tracks of processes.
    pub fn add_process_track(&mut self, raw: StringId, name: StringId) {
        self.process_tracks.insert(raw, name);
    }

    /// Whether no arg has a translation.
    pub fn has_no_args(&self) -> bool {
        self.hashes.is_empty() && self.functions.is_empty() && self.classes.is_empty()
    }

    /// Adds to args what their hashes stand for, and puts names in place of addresses and of
    /// obfuscated names. What has no translation stays.
    pub fn apply(
        &mut self,
        args: &mut ArgSet,
        mappings: &StackProfileMappingTable,
        strings: &mut StringPool,
    ) {
        if self.has_no_args() {
            return;
        }
        let Self { hashes, functions, classes, keys, .. } = self;
        let keys = keys.get_or_insert_with(|| Keys::new(strings));
        let mut names = Vec::new();
        let (mut mapping, mut address) = (None, None);
        for Arg { flat_key, key, value } in args.values_mut() {
            match *value {
                ArgValue::Uint(hash) => {
                    if let Some(&(of, name)) = keys.hashes.get(&*key)
                        && let Some(&text) = hashes.get(&(of, hash))
                    {
                        names.push((name, text));
                    }
                    if *key == keys.mojo_mapping {
                        mapping = u32::try_from(hash).ok();
                    } else if *key == keys.mojo_address {
                        address = Some(hash);
                    }
                }
                ArgValue::String(class) if *flat_key == keys.view_class => {
                    if let Some(&name) = classes.get(&class) {
                        *value = ArgValue::String(name);
                    }
                }
                _ => {}
            }
        }
        for (key, text) in names {
            args.add_new(key, ArgValue::String(text));
        }
        let mapping = mapping.filter(|&mapping| mapping < mappings.len());
        let build_id = mapping.map(|mapping| mappings.build_id.get(mapping));
        let function = build_id.zip(address).and_then(|place| functions.get(&place));
        if let Some(&function) = function {
            let symbol = strings.get(function).to_owned();
            args.remove(&[keys.mojo_mapping, keys.mojo_address]);
            args.add(keys.mojo_method, ArgValue::String(strings.intern(mojo_method(&symbol))));
            let interface = strings.intern(&mojo_interface(&symbol));
            args.add_new(keys.mojo_interface, ArgValue::String(interface));
        }
    }
}

/// `a::Interface::Method` of the symbol `a::Interface::Method_Sym::IPCStableHash`, which some
/// platforms write with brackets.
fn mojo_method(symbol: &str) -> &str {
    let symbol = symbol.strip_suffix("()").unwrap_or(symbol);
    symbol.strip_suffix("_Sym::IPCStableHash").unwrap_or(symbol)
}

/// `a.Interface` of the same. A symbol of fewer parts stays as it is.
fn mojo_interface(symbol: &str) -> String {
    let parts: Vec<&str> = symbol.split("::").filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        [interface @ .., _, _] if !interface.is_empty() => interface.join("."),
        _ => symbol.to_owned(),
    }
}

impl Trackers {
    /// Adds what the args of an event of the current file stand for.
    pub fn translate_args(&mut self, args: &mut ArgSet, tables: &mut Tables) {
        let translations = &mut self.file.translations;
        translations.apply(args, &tables.stack_profile_mapping, &mut tables.strings);
    }

    /// Gives tracks of processes the names that files state for them. A track is of no file, so a
    /// name holds for the machines of its file.
    pub fn rename_process_tracks(&self, tables: &mut Tables) {
        let mut names = FxHashMap::default();
        let files: Vec<_> = self.all_files().map(|file| &file.translations).collect();
        for source in self.sources.iter() {
            let of_file = files.get(source.file as usize);
            for (&raw, &name) in of_file.iter().flat_map(|of_file| &of_file.process_tracks) {
                names.insert((source.machine, raw), name);
            }
        }
        if names.is_empty() {
            return;
        }
        for track in 0..tables.track.len() {
            let of_process = tables.track.upid.get(track).is_some();
            let key = (tables.track.machine_id.get(track), tables.track.name.get(track));
            if let Some(&name) = names.get(&key).filter(|_| of_process) {
                tables.track.name.set(track, name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_of_mojo_names_a_method_and_its_interface() {
        let symbol = "blink::mojom::WidgetHost::SetCursor_Sym::IPCStableHash";
        for symbol in [symbol.to_owned(), format!("{symbol}()")] {
            assert_eq!(mojo_method(&symbol), "blink::mojom::WidgetHost::SetCursor");
            assert_eq!(mojo_interface(&symbol), "blink.mojom.WidgetHost");
        }
        assert_eq!(mojo_method("main"), "main");
        assert_eq!(mojo_interface("a::main"), "a::main");
    }

    #[test]
    fn hashes_keep_their_args_and_get_names() {
        let mut strings = StringPool::default();
        let mut translations = Translations::default();
        let action = strings.intern("Back");
        translations.add_hash(HashOf::UserAction, 7, action);
        let values = |hash| {
            [
                ("chrome_user_event.action_hash", ArgValue::Uint(hash)),
                ("chrome_histogram_sample.name_hash", ArgValue::Uint(7)),
            ]
        };
        let mut applied = |hash| {
            let mut set = ArgSet::of(values(hash), &mut strings);
            translations.apply(&mut set, &StackProfileMappingTable::default(), &mut strings);
            set.lines(&strings)
        };
        let own = |hash| {
            [
                format!("chrome_user_event.action_hash = Uint({hash})"),
                "chrome_histogram_sample.name_hash = Uint(7)".to_owned(),
            ]
        };
        assert_eq!(applied(8), own(8));
        assert_eq!(applied(7)[..2], own(7));
        assert_eq!(applied(7)[2..], ["chrome_user_event.action = \"Back\""]);
    }
}
