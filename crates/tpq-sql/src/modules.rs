//! The modules for `INCLUDE PERFETTO MODULE`: the built-in ones in `sql/`, and the user's packages.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::errors::SqlError;
use crate::module_objects::{contents, head_comment};

include!(concat!(env!("OUT_DIR"), "/modules.rs"));

/// A module of the user.
#[derive(Clone, Debug)]
pub struct SqlModule {
    /// The name, as in `INCLUDE PERFETTO MODULE package.folder.file`.
    pub name: String,
    /// The statements.
    pub text: Arc<str>,
}

/// All modules, by name.
pub(crate) struct Modules {
    own: BTreeMap<String, Arc<str>>,
}

impl Modules {
    /// Makes the list of tpq's modules and the user's. A module of the user replaces a built-in one
    /// of the same name.
    pub(crate) fn new(own: &[SqlModule]) -> Self {
        let own = own.iter().map(|module| (module.name.clone(), Arc::clone(&module.text)));
        Self { own: own.collect() }
    }

    /// The same list with further modules, which replace those of the same name.
    pub(crate) fn with(&self, more: &[SqlModule]) -> Self {
        let mut all = Self { own: self.own.clone() };
        all.own.extend(Self::new(more).own);
        all
    }

    /// The names of all modules, in alphabetical order.
    pub(crate) fn names(&self) -> Vec<&str> {
        let built_in = BUILT_IN.iter().map(|&(name, _)| name);
        let mut names: Vec<&str> = built_in.chain(self.own.keys().map(String::as_str)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The names and texts of tpq's own modules, in alphabetical order.
    pub(crate) fn built_in() -> impl Iterator<Item = (&'static str, &'static str)> {
        BUILT_IN.iter().copied()
    }

    /// Whether a module is one of the user's.
    pub(crate) fn is_of_user(&self, name: &str) -> bool {
        self.own.contains_key(name)
    }

    /// The text of a module.
    pub(crate) fn text(&self, name: &str) -> Option<Arc<str>> {
        if let Some(text) = self.own.get(name) {
            return Some(Arc::clone(text));
        }
        let at = BUILT_IN.binary_search_by_key(&name, |&(name, _)| name).ok()?;
        BUILT_IN.get(at).map(|&(_, text)| text.into())
    }

    /// The modules that a path selects: one by its name, or all below `a.b` for `a.b.*`.
    pub(crate) fn matching(&self, path: &str) -> Vec<String> {
        let below = match path {
            "*" => Some(""),
            path => path.strip_suffix('*'),
        };
        let wanted = |name: &&str| below.map_or(*name == path, |below| name.starts_with(below));
        self.names().into_iter().filter(wanted).map(str::to_owned).collect()
    }

    /// The module that creates an object with this name.
    pub(crate) fn module_of(&self, object: &str) -> Option<String> {
        let creates = |name: &&str| {
            self.text(name).is_some_and(|text| created_in(&text).any(|name| name == object))
        };
        self.names().into_iter().find(creates).map(str::to_owned)
    }
}

/// A module and its objects, as `.modules` shows them.
#[derive(Clone, Debug)]
pub struct Module {
    /// Name of the module.
    pub name: String,
    /// The comment at the start of the file, if a blank line separates it from the first statement.
    pub doc: String,
    /// The objects that the module creates, in order. Names with a leading `_` are private and not
    /// in the list.
    pub objects: Vec<ModuleObject>,
}

/// An object that a module creates.
#[derive(Clone, Debug)]
pub struct ModuleObject {
    /// The name, as the module writes it.
    pub name: String,
    /// `table`, `view`, `function` or `macro`.
    pub kind: &'static str,
    /// The comment before the statement.
    pub doc: String,
}

impl Module {
    /// Parses a module.
    pub(crate) fn read(name: &str, text: &Arc<str>) -> Result<Self, SqlError> {
        let objects = contents(name, text)?.into_iter().filter(|object| !object.is_private());
        let objects = objects.map(|object| ModuleObject {
            kind: object.object_type.word(),
            name: object.name,
            doc: object.doc,
        });
        Ok(Self { name: name.to_owned(), doc: head_comment(text), objects: objects.collect() })
    }
}

/// The names of the objects that a module creates, in lower case and in order. Looks only at the
/// starts of lines, which is enough to suggest a module.
pub(crate) fn created_in(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter_map(|line| {
        let mut words = line.split_whitespace().map(str::to_ascii_uppercase);
        if words.next()? != "CREATE" {
            return None;
        }
        let mut words = line.split_whitespace().skip(1).skip_while(|word| {
            ["OR", "REPLACE", "VIRTUAL"].contains(&word.to_ascii_uppercase().as_str())
        });
        let mut kind = words.next()?.to_ascii_uppercase();
        if kind == "PERFETTO" {
            kind = words.next()?.to_ascii_uppercase();
        }
        if !["TABLE", "VIEW", "FUNCTION", "MACRO"].contains(&kind.as_str()) {
            return None;
        }
        let name = words.next()?.split('(').next()?;
        Some(name.trim_end_matches(';').to_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn created_names_are_read_from_the_starts_of_lines() {
        let text = "-- x\nCREATE PERFETTO TABLE a AS\nSELECT 1;\nCREATE OR REPLACE PERFETTO \
                    FUNCTION B(x LONG)\nCREATE VIRTUAL TABLE c\nCREATE PERFETTO INDEX i ON a(b);";
        assert_eq!(created_in(text).collect::<Vec<_>>(), ["a", "b", "c"]);
    }

    #[test]
    fn the_users_module_wins_and_stars_match_below() {
        let module = |name: &str| SqlModule { name: name.into(), text: "SELECT 1".into() };
        let modules = Modules::new(&[module("own.a"), module("own.b.c")]);
        assert_eq!(modules.matching("own.*"), ["own.a", "own.b.c"]);
        assert_eq!(modules.matching("own.a"), ["own.a"]);
        assert!(modules.matching("own").is_empty());
    }
}
