//! Writes the numbers of fields as constants: a module for each message.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;

use prost_types::{DescriptorProto, FileDescriptorSet};

/// Modules within a module, and the constants of its message.
#[derive(Default)]
struct Module {
    constants: BTreeMap<String, i32>,
    modules: BTreeMap<String, Module>,
}

/// The constants of all messages of the sets; of two messages of one name the first counts. Kernel
/// events lie in a module `ftrace`, without the suffix that all of their names have.
pub(super) fn modules(
    sets: &[&FileDescriptorSet],
    ftrace: &FileDescriptorSet,
) -> Result<String, Box<dyn Error>> {
    let mut root = Module::default();
    for message in sets.iter().flat_map(|set| &set.file).flat_map(|file| &file.message_type) {
        root.add(message, "");
    }
    let events = root.modules.entry("ftrace".into()).or_default();
    for message in ftrace.file.iter().flat_map(|file| &file.message_type) {
        events.add(message, "_ftrace_event");
    }
    let mut text = String::new();
    root.write(&mut text)?;
    Ok(text)
}

impl Module {
    fn add(&mut self, message: &DescriptorProto, suffix: &str) {
        let name = snake_case(message.name());
        let name = name.strip_suffix(suffix).unwrap_or(&name);
        let module = self.modules.entry(escaped(name)).or_default();
        for nested in &message.nested_type {
            module.add(nested, "");
        }
        if module.constants.is_empty() {
            let fields = message.field.iter().chain(&message.extension);
            module.constants = fields
                .map(|field| (snake_case(field.name()).to_uppercase(), field.number()))
                .collect();
        }
    }

    fn write(&self, text: &mut String) -> Result<(), Box<dyn Error>> {
        for (name, number) in &self.constants {
            writeln!(text, "pub const {name}: u32 = {number};")?;
        }
        for (name, module) in &self.modules {
            writeln!(text, "pub mod {name} {{")?;
            module.write(text)?;
            writeln!(text, "}}")?;
        }
        Ok(())
    }
}

/// A module's name: words of Rust get an underscore.
fn escaped(name: &str) -> String {
    match name {
        "mod" | "type" | "match" | "loop" | "move" | "static" | "fn" | "use" | "async" => {
            format!("{name}_")
        }
        _ => name.to_owned(),
    }
}

/// `SchedSwitch` as `sched_switch`.
fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut text = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let after_lower =
            at > 0 && (letters[at - 1].is_lowercase() || letters[at - 1].is_numeric());
        let before_lower = at > 0
            && letters[at - 1].is_uppercase()
            && letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        if letter.is_uppercase() && (after_lower || before_lower) {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}
