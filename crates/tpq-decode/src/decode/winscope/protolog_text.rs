//! The texts of ProtoLog messages: templates with places for parameters.

use std::fmt::Write;

use rustc_hash::FxHashMap;
use tpq_tables::{Stat, Stats, StringId, StringPool};

use super::printf;

/// Tag of messages of a group with several tags.
const SEVERAL_TAGS: &str = "COLLISION_GROUP";
/// Tag of messages of a group without a description.
const NO_TAG: &str = "UNKNOWN_GROUP";
/// Most templates that one id can have. Ids are hashes, so that two are rare.
const MAX_TEMPLATES: usize = 16;
/// Longest text of a message, bytes.
const MAX_TEXT: usize = 16 << 10;

/// A message as a viewer configuration describes it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Template {
    pub(super) level: i32,
    pub(super) group: u32,
    pub(super) text: StringId,
    pub(super) location: StringId,
}

/// The parameters of a message, by type.
#[derive(Clone, Default)]
pub(super) struct Params {
    pub(super) ints: Vec<i64>,
    pub(super) doubles: Vec<f64>,
    pub(super) bools: Vec<bool>,
    pub(super) texts: Vec<StringId>,
}

/// A message as it is read.
pub(super) struct Described {
    pub(super) level: StringId,
    pub(super) tag: StringId,
    pub(super) text: StringId,
    pub(super) location: StringId,
}

/// How long texts can be in sum: a few bytes of a message can refer to long templates and texts.
pub(super) struct TextLimit {
    left: usize,
}

impl Default for TextLimit {
    fn default() -> Self {
        Self { left: 64 << 20 }
    }
}

impl TextLimit {
    /// Allows texts that are some times longer than the message they come from.
    pub(super) fn add_payload(&mut self, len: usize) {
        const FACTOR: usize = 32;
        self.left = self.left.saturating_add(len.saturating_mul(FACTOR));
    }

    /// Cuts a text off at the limit; returns whether it had to.
    fn apply(&mut self, text: &mut String) -> bool {
        let end = text.floor_char_boundary(MAX_TEXT.min(self.left));
        let is_cut = end < text.len();
        text.truncate(end);
        self.left -= text.len();
        is_cut
    }
}

/// The viewer configurations of a source.
#[derive(Default)]
pub(super) struct ViewerConfig {
    tags: FxHashMap<u32, StringId>,
    templates: FxHashMap<u64, Vec<Template>>,
    pub(super) text_limit: TextLimit,
}

impl ViewerConfig {
    pub(super) fn add_group(
        &mut self,
        id: u32,
        tag: StringId,
        strings: &mut StringPool,
        stats: &mut Stats,
    ) {
        let known = self.tags.entry(id).or_insert(tag);
        if *known != tag {
            stats.increment(Stat::WinscopeProtologGroupTagCollision);
            *known = strings.intern(SEVERAL_TAGS);
        }
    }

    pub(super) fn add_message(&mut self, id: u64, template: Template, stats: &mut Stats) {
        let templates = self.templates.entry(id).or_default();
        if templates.contains(&template) {
            return;
        }
        match templates.len() < MAX_TEMPLATES {
            true => templates.push(template),
            false => stats.increment(Stat::WinscopeProtologMessageCollision),
        }
    }

    /// The message of an id with these parameters; `None` if no configuration describes it.
    pub(super) fn describe(
        &mut self,
        id: u64,
        params: &Params,
        strings: &mut StringPool,
        stats: &mut Stats,
    ) -> Option<Described> {
        let templates = self.templates.get(&id)?;
        let fitting: Vec<Template> = match templates.len() {
            1 => templates.clone(),
            _ => {
                let fits = |template: &&Template| fits(strings.get(template.text), params);
                templates.iter().filter(fits).copied().collect()
            }
        };
        let is_one_of_several = templates.len() > 1;
        let &[template] = fitting.as_slice() else {
            stats.increment(Stat::WinscopeProtologMessageCollision);
            return Some(self.describe_collision(id, &fitting, params, strings, stats));
        };
        if is_one_of_several {
            stats.increment(Stat::WinscopeProtologMessageCollisionResolved);
        }
        let tag = self.tags.get(&template.group).copied().unwrap_or_else(|| {
            stats.increment(Stat::WinscopeProtologGroupTagMissing);
            strings.intern(NO_TAG)
        });
        let text = self.text_of(&template, params, strings, stats);
        Some(Described {
            level: strings.intern(level_name(template.level)),
            tag,
            text: self.intern(text, strings, stats),
            location: template.location,
        })
    }

    /// A message that says which ones were possible.
    fn describe_collision(
        &mut self,
        id: u64,
        possible: &[Template],
        params: &Params,
        strings: &mut StringPool,
        stats: &mut Stats,
    ) -> Described {
        let texts: Vec<String> = possible
            .iter()
            .map(|template| format!("'{}'", self.text_of(template, params, strings, stats)))
            .collect();
        let what = match texts.is_empty() {
            true => "NO TYPE MATCH".to_owned(),
            false => format!("MULTIPLE TYPE MATCHES : {}", texts.join(",\n ")),
        };
        let text = format!("<PROTOLOG COLLISION (id={id:#x}) {what}>");
        Described {
            level: strings.intern("WARN"),
            tag: strings.intern(SEVERAL_TAGS),
            text: self.intern(text, strings, stats),
            location: StringId::NULL,
        }
    }

    fn text_of(
        &self,
        template: &Template,
        params: &Params,
        strings: &StringPool,
        stats: &mut Stats,
    ) -> String {
        let (text, mismatches) = fill_in(strings.get(template.text), params, strings);
        if mismatches > 0 {
            stats.add(Stat::WinscopeProtologParamMismatch, mismatches);
        }
        text
    }

    fn intern(
        &mut self,
        mut text: String,
        strings: &mut StringPool,
        stats: &mut Stats,
    ) -> StringId {
        if self.text_limit.apply(&mut text) {
            stats.increment(Stat::WinscopeProtologMessageDecodingFailed);
        }
        strings.intern(&text)
    }
}

fn level_name(level: i32) -> &'static str {
    match level {
        1 => "DEBUG",
        2 => "VERBOSE",
        3 => "INFO",
        4 => "WARN",
        5 => "ERROR",
        6 => "WTF",
        _ => "UNKNOWN",
    }
}

/// A part of a template.
enum Part<'a> {
    Text(&'a str),
    /// A place for a parameter, by the letter of its conversion.
    Place(char),
}

/// The parts of a template. `%%` is a percent sign; a conversion that is not known is text.
fn parts(template: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = template;
    std::iter::from_fn(move || {
        let end = rest.find('%').unwrap_or(rest.len());
        if end > 0 {
            let (text, after) = rest.split_at(end);
            rest = after;
            return Some(Part::Text(text));
        }
        let mut letters = rest.char_indices();
        letters.next()?;
        let next = letters.next().map(|(_, letter)| letter);
        let (whole, after) = rest.split_at(letters.offset());
        rest = after;
        Some(match next {
            Some('%') => Part::Text("%"),
            Some(letter @ ('d' | 'o' | 'x' | 'f' | 'e' | 'g' | 's' | 'b')) => Part::Place(letter),
            _ => Part::Text(whole),
        })
    })
}

/// Whether a template has a place for each parameter, and no others.
fn fits(template: &str, params: &Params) -> bool {
    let (mut ints, mut doubles, mut bools, mut texts) = (0, 0, 0, 0);
    for part in parts(template) {
        match part {
            Part::Text(_) => {}
            Part::Place('f' | 'e' | 'g') => doubles += 1,
            Part::Place('b') => bools += 1,
            Part::Place('s') => texts += 1,
            Part::Place(_) => ints += 1,
        }
    }
    let Params { ints: i, doubles: d, bools: b, texts: t } = params;
    (ints, doubles, bools, texts) == (i.len(), d.len(), b.len(), t.len())
}

/// The text of a template with parameters at their places. Also returns how many parameters are
/// missing, and one more if there are others without a place.
fn fill_in(template: &str, params: &Params, strings: &StringPool) -> (String, i64) {
    let mut ints = params.ints.iter();
    let mut doubles = params.doubles.iter();
    let mut bools = params.bools.iter();
    let mut texts = params.texts.iter();
    let mut filled = String::new();
    let mut mismatches = 0;
    for part in parts(template) {
        let written = match part {
            Part::Text(text) => {
                filled.push_str(text);
                Some(())
            }
            Part::Place('d') => ints.next().map(|value| push(&mut filled, value)),
            Part::Place('o') => ints.next().map(|value| push(&mut filled, format!("{value:o}"))),
            Part::Place('x') => ints.next().map(|value| push(&mut filled, format!("{value:x}"))),
            Part::Place('f') => doubles.next().map(|it| filled.push_str(&printf::fixed(*it))),
            Part::Place('e') => doubles.next().map(|it| filled.push_str(&printf::scientific(*it))),
            Part::Place('g') => doubles.next().map(|it| filled.push_str(&printf::general(*it))),
            Part::Place('b') => bools.next().map(|value| push(&mut filled, value)),
            Part::Place(_) => texts.next().map(|text| filled.push_str(strings.get(*text))),
        };
        if written.is_none() {
            mismatches += 1;
            filled.push_str("[MISSING_PARAM]");
        }
        if filled.len() > MAX_TEXT {
            // It is cut off there.
            return (filled, mismatches);
        }
    }
    let are_left = ints.len() + doubles.len() + bools.len() + texts.len() > 0;
    (filled, mismatches + i64::from(are_left))
}

fn push(filled: &mut String, value: impl std::fmt::Display) {
    // Writing to a string cannot fail.
    let _ = write!(filled, "{value}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(template: &str, params: &Params, strings: &StringPool) -> (String, i64) {
        fill_in(template, params, strings)
    }

    #[test]
    fn parameters_are_written_by_their_conversions() {
        let mut strings = StringPool::default();
        let texts = vec![strings.intern("wörd")];
        let params =
            Params { ints: vec![-1, 8, 255], doubles: vec![0.5], bools: vec![true], texts };
        let template = "%d %o %x %f %b %s 100%% %q %";
        let expected = "-1 10 ff 0.500000 true wörd 100% %q %";
        assert_eq!(filled(template, &params, &strings), (expected.to_owned(), 0));
        assert!(fits(template, &params));
        assert_eq!(filled("%s %s", &params, &strings), ("wörd [MISSING_PARAM]".to_owned(), 2));
        assert!(!fits("%s %s", &params));
    }

    #[test]
    fn texts_are_cut_off_at_the_limit() {
        let mut limit = TextLimit { left: 5 };
        let mut text = "abcä".repeat(2);
        assert!(limit.apply(&mut text), "five bytes are three letters and a half");
        assert_eq!(text, "abcä");
        assert!(limit.apply(&mut "a".to_owned()));
        limit.add_payload(1);
        assert!(!limit.apply(&mut "a".to_owned()));
    }
}
