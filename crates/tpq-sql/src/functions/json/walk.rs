//! The values within a JSON text, one after the other in the order of the text.
//!
//! A walk holds positions in the text and not the text itself, so that a table function can stop
//! after each part of its rows.

use std::borrow::Cow;

use datafusion::common::{Result, exec_err};

use super::path::{self, Step};
use super::scan::{Position, Scan, Scanner, document};
use super::strings::unescaped;

/// What leads from an array or object to a value in it.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Key<'a> {
    /// The value is the outermost one.
    None,
    /// The position in an array.
    Index(i64),
    /// The name in an object.
    Name(Cow<'a, str>),
}

/// A value and its place.
pub(super) struct Node<'a> {
    pub key: Key<'a>,
    /// The text of the value. For an array or object, it may go on behind the value.
    pub value: &'a str,
    /// The number of values and keys before it in the text.
    pub id: i64,
    /// The `id` of the array or object that the walk came from.
    pub parent: Option<i64>,
    /// How much of the value's path leads to the array or object that it is in, in bytes.
    pub path: usize,
}

/// How far the values of a text are visited.
#[derive(Debug)]
pub(super) struct Walk {
    /// Whether the walk goes into arrays and objects that it meets.
    deep: bool,
    position: Position,
    /// The path of the value that was visited last.
    fullkey: String,
    /// The arrays and objects that the position is within, the innermost last.
    open: Vec<Level>,
    /// The key of the outermost value, and the length of the path to what that is in. `None` once
    /// it is visited.
    root: Option<(Key<'static>, usize)>,
}

/// An array or object.
#[derive(Debug)]
struct Level {
    id: i64,
    /// The bracket that closes it.
    close: u8,
    /// The position of the next element.
    next: i64,
    /// The length of its path in bytes.
    fullkey: usize,
    /// Whether no element was visited.
    is_first: bool,
}

impl Walk {
    /// Begins at the value that `path` leads to. A deep walk visits that value and all within it,
    /// another one the elements of that value, or the value if it has none. `None` if there is no
    /// such value.
    ///
    /// # Errors
    /// When the text is not JSON, or the path is none.
    pub(super) fn begin(text: &str, path: &str, deep: bool) -> Result<Option<Self>> {
        document(text)?;
        let steps = path::parse(path)?;
        let Some(before) = path::parent(path) else { return exec_err!("bad JSON path: '{path}'") };
        let mut scanner = Scanner::new(text);
        scanner.skip_blanks();
        let Some(key) = descend(&mut scanner, &steps)? else { return Ok(None) };
        let position = scanner.position();
        let fullkey = path.to_owned();
        let mut walk = Self { deep, position, fullkey, open: Vec::new(), root: None };
        if deep {
            walk.root = Some((key, before.len()));
        } else if !walk.enter(&mut scanner) {
            walk.root = Some((Key::None, path.len()));
        }
        walk.position = scanner.position();
        Ok(Some(walk))
    }

    /// The path of the value that was visited last.
    pub(super) fn fullkey(&self) -> &str {
        &self.fullkey
    }

    /// The next value of `text`, which is the text that the walk began with; `None` after the last.
    pub(super) fn next<'a>(&mut self, text: &'a str) -> Scan<Option<Node<'a>>> {
        let mut scanner = Scanner::from_position(text, self.position);
        let node = self.advance(&mut scanner)?;
        self.position = scanner.position();
        Ok(node)
    }

    fn advance<'a>(&mut self, scanner: &mut Scanner<'a>) -> Scan<Option<Node<'a>>> {
        if let Some((key, path)) = self.root.take() {
            return self.visit(scanner, key, None, path).map(Some);
        }
        while let Some(level) = self.open.last_mut() {
            self.fullkey.truncate(level.fullkey);
            scanner.skip_blanks();
            let has_next = std::mem::take(&mut level.is_first) || scanner.take(b',');
            scanner.skip_blanks();
            if !has_next || scanner.take(level.close) {
                // Behind the last element there is the bracket.
                if !has_next {
                    scanner.take(level.close);
                }
                self.open.pop();
                continue;
            }
            let (path, parent) = (level.fullkey, self.deep.then_some(level.id));
            let key = if level.close == b'}' {
                let name = scanner.key()?;
                push_name(&mut self.fullkey, name);
                Key::Name(unescaped(name))
            } else {
                self.fullkey.push_str(&format!("[{}]", level.next));
                level.next += 1;
                Key::Index(level.next - 1)
            };
            return self.visit(scanner, key, parent, path).map(Some);
        }
        Ok(None)
    }

    /// The value at the scanner, which goes on behind the value or into it.
    fn visit<'a>(
        &mut self,
        scanner: &mut Scanner<'a>,
        key: Key<'a>,
        parent: Option<i64>,
        path: usize,
    ) -> Scan<Node<'a>> {
        let (id, rest) = (scanner.nodes(), scanner.rest());
        let value = if self.deep && self.enter(scanner) { rest } else { scanner.value()? };
        Ok(Node { key, value, id, parent, path })
    }

    /// Steps into the array or object at the scanner; `false` at other values.
    fn enter(&mut self, scanner: &mut Scanner) -> bool {
        let id = scanner.nodes();
        let Some(close) = scanner.enter() else { return false };
        self.open.push(Level { id, close, next: 0, fullkey: self.fullkey.len(), is_first: true });
        true
    }
}

/// Appends a step to a path. The name is as it stands in the text.
fn push_name(fullkey: &mut String, name: &str) {
    let is_plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let quote = if is_plain { "" } else { "\"" };
    for part in [".", quote, name, quote] {
        fullkey.push_str(part);
    }
}

/// Goes on to the value at the end of a path; returns its key, or `None` if there is no such
/// value.
fn descend(scanner: &mut Scanner, steps: &[Step]) -> Scan<Option<Key<'static>>> {
    let mut key = Key::None;
    for step in steps {
        let index = match step {
            Step::Key(name) => {
                if !find_name(scanner, name)? {
                    return Ok(None);
                }
                key = Key::Name(Cow::Owned(name.as_ref().to_owned()));
                continue;
            }
            Step::Index(index) => Some(*index),
            Step::FromEnd(back) => path::element_count(scanner.rest())?.checked_sub(*back),
        };
        match index {
            Some(index) if find_index(scanner, index)? => {
                key = Key::Index(i64::try_from(index).unwrap_or(i64::MAX));
            }
            _ => return Ok(None),
        }
    }
    Ok(Some(key))
}

/// Goes on to the member of an object with a name; returns whether there is one.
fn find_name(scanner: &mut Scanner, name: &str) -> Scan<bool> {
    find_in(scanner, b'}', |scanner, _| Ok(unescaped(scanner.key()?) == name))
}

/// Goes on to the element of an array at a position; returns whether there is one.
fn find_index(scanner: &mut Scanner, index: u64) -> Scan<bool> {
    find_in(scanner, b']', |_, at| Ok(at == index))
}

/// Goes on to the first element that `is_it` holds for, of an array or object that ends with
/// `close`; returns whether there is one.
fn find_in<'a>(
    scanner: &mut Scanner<'a>,
    close: u8,
    is_it: impl Fn(&mut Scanner<'a>, u64) -> Scan<bool>,
) -> Scan<bool> {
    if scanner.enter() != Some(close) || scanner.take(close) {
        return Ok(false);
    }
    for at in 0.. {
        if is_it(scanner, at)? {
            return Ok(true);
        }
        scanner.value()?;
        scanner.skip_blanks();
        if !scanner.take(b',') {
            break;
        }
        scanner.skip_blanks();
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The `id`, `parent`, `fullkey` and `path` of each value.
    fn places(text: &str, path: &str, deep: bool) -> Vec<String> {
        let mut places = Vec::new();
        let Some(mut walk) = Walk::begin(text, path, deep).unwrap() else { return places };
        while let Some(node) = walk.next(text).unwrap() {
            let parent = node.parent.map_or("-".to_owned(), |parent| parent.to_string());
            let (fullkey, path) = (walk.fullkey(), &walk.fullkey()[..node.path]);
            places.push(format!("{} {parent} {fullkey} {path}", node.id));
        }
        places
    }

    const TEXT: &str = " {\"a\":1, \"b\" : [2,{\"c d\":null,\"e\":\"x\"}],\"f\":{ }, \"\":true } ";

    /// The numbers are those of SQLite 3.40.
    #[test]
    fn all_values_are_visited_in_their_order() {
        let all = [
            "0 - $ $",
            "2 0 $.a $",
            "4 0 $.b $",
            "5 4 $.b[0] $.b",
            "6 4 $.b[1] $.b",
            "8 6 $.b[1].\"c d\" $.b[1]",
            "10 6 $.b[1].e $.b[1]",
            "12 0 $.f $",
            "14 0 $.\"\" $",
        ];
        assert_eq!(places(TEXT, "$", true), all);
        assert_eq!(
            places(TEXT, "$", false),
            ["2 - $.a $", "4 - $.b $", "12 - $.f $", "14 - $.\"\" $"]
        );
        assert_eq!(places(TEXT, "$.b", false), ["5 - $.b[0] $.b", "6 - $.b[1] $.b"]);
        assert_eq!(places(TEXT, "$.b[#-1].e", true), ["10 - $.b[#-1].e $.b[#-1]"]);
        assert_eq!(places(TEXT, "$.a", false), ["2 - $.a $.a"]);
        assert_eq!(places("[ ]", "$", true), ["0 - $ $"]);
        for (text, path) in
            [("[]", "$"), ("{}", "$"), (TEXT, "$.x"), (TEXT, "$.b[2]"), (TEXT, "$.a[0]")]
        {
            assert!(places(text, path, false).is_empty(), "{text} {path}");
        }
    }

    #[test]
    fn texts_and_paths_are_checked_before() {
        assert!(Walk::begin("[1", "$", false).is_err());
        assert!(Walk::begin("[1]", "a", false).is_err());
    }

    /// Each array is within the one before, up to the depth that JSON may have.
    #[test]
    fn deep_texts_take_no_stack() {
        let text = "[".repeat(1_000) + &"]".repeat(1_000);
        assert_eq!(places(&text, "$", true).len(), 1_000);
    }
}
