//! Mapping files of ProGuard and R8: text with names of Java code before obfuscation.
//!
//! ```text
//! com.app.Main -> a:
//!     int count -> b
//!     3:7:void run(int):20:24 -> c
//! ```
//!
//! A class is followed by its fields and methods. A method can have its lines in the obfuscated
//! code before its type, and those in the source code behind its parameters.

use std::borrow::Cow;

use super::name_mapping::{MappedClass, MappedMember};

/// A line of a mapping file.
enum Line<'a> {
    /// A comment or nothing.
    Empty,
    Class {
        name: &'a str,
        obfuscated: &'a str,
    },
    Field(MappedMember<'a>),
    Method(MappedMember<'a>),
}

/// Whether a line is of a mapping file. Others are damage.
pub fn is_mapping_line(line: &[u8]) -> bool {
    std::str::from_utf8(line).is_ok_and(|line| Line::read(line).is_some())
}

impl<'a> Line<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            return Some(Self::Empty);
        }
        let (left, obfuscated) = text.split_once(" -> ")?;
        if !line.starts_with([' ', '\t']) {
            let obfuscated = obfuscated.strip_suffix(':')?;
            let is_name = |name: &str| !name.is_empty() && !name.contains(' ');
            let is_class = is_name(left) && is_name(obfuscated);
            return is_class.then_some(Self::Class { name: left, obfuscated });
        }
        let (kind, name) = left.split_once(' ')?;
        let mut member = MappedMember {
            obfuscated: Cow::Borrowed(obfuscated),
            name: Cow::Borrowed(name),
            lines: (None, None),
            source_line: None,
        };
        let Some((name, rest)) = name.split_once('(') else { return Some(Self::Field(member)) };
        member.name = Cow::Borrowed(name);
        let mut parts = kind.split(':');
        if let (Some(first), Some(last), Some(_)) = (parts.next(), parts.next(), parts.next()) {
            member.lines = (first.parse().ok(), last.parse().ok());
        }
        let (_, source) = rest.split_once(')')?;
        let source = source.strip_prefix(':').and_then(|lines| lines.split(':').next());
        member.source_line = source.and_then(|line| line.parse().ok());
        Some(Self::Method(member))
    }
}

/// Calls `visit` with each class of a mapping file. Damaged lines are left out.
pub(super) fn for_each_class(text: &[u8], mut visit: impl FnMut(MappedClass<'_>)) {
    let mut class: Option<MappedClass<'_>> = None;
    for line in text.split(|&byte| byte == b'\n') {
        let line = std::str::from_utf8(line).ok().and_then(Line::read);
        match (line, &mut class) {
            (Some(Line::Class { name, obfuscated }), _) => {
                let next = MappedClass {
                    obfuscated: Cow::Borrowed(obfuscated),
                    name: Cow::Borrowed(name),
                    ..MappedClass::default()
                };
                class.replace(next).map(&mut visit);
            }
            (Some(Line::Field(member)), Some(class)) => class.fields.push(member),
            (Some(Line::Method(member)), Some(class)) => class.methods.push(member),
            _ => {}
        }
    }
    class.map(visit);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_with_their_members() {
        let text = b"# compiler: R8\n\
            com.app.Main -> a:\n\
            # {\"id\":\"sourceFile\",\"fileName\":\"Main.java\"}\n\
            \x20   int count -> b\n\
            \x20   3:7:void run(int,java.lang.String):20:24 -> c\n\
            \x20   1:1:void com.app.Base.stop():9 -> d\r\n\
            \x20   void <init>() -> <init>\n\
            wrong\n\
            com.app.Other -> com.app.Other:\n";
        let mut found = Vec::new();
        for_each_class(text, |class| {
            let member = |it: &MappedMember<'_>| {
                format!("{}={}{:?}{:?}", it.obfuscated, it.name, it.lines, it.source_line)
            };
            let fields: Vec<String> = class.fields.iter().map(member).collect();
            let methods: Vec<String> = class.methods.iter().map(member).collect();
            found.push((class.obfuscated.into_owned(), class.name.into_owned(), fields, methods));
        });
        assert_eq!(found.len(), 2);
        let (obfuscated, name, fields, methods) = &found[0];
        assert_eq!((obfuscated.as_str(), name.as_str()), ("a", "com.app.Main"));
        assert_eq!(fields, &["b=count(None, None)None"]);
        assert_eq!(
            methods,
            &[
                "c=run(Some(3), Some(7))Some(20)",
                "d=com.app.Base.stop(Some(1), Some(1))Some(9)",
                "<init>=<init>(None, None)None",
            ]
        );
        assert_eq!(found[1].0, "com.app.Other");
    }

    #[test]
    fn lines_that_are_damaged() {
        for line in ["", "# x", "a.B -> c:", "    int x -> y", "    1:2:int f(a,b):3:4 -> g"] {
            assert!(is_mapping_line(line.as_bytes()), "{line}");
        }
        for line in ["a.B -> c", "a.B c:", "    int f( -> g", "    f() -> g", "a b -> c:"] {
            assert!(!is_mapping_line(line.as_bytes()), "{line}");
        }
        assert!(!is_mapping_line(b"a\xff -> b:"));
    }
}
