//! Names of Java classes: `java.lang.Class<a.B[]>` is the class object of arrays of `a.B`.

/// The prefix of the name of a class object.
const CLASS_OBJECT: &str = "java.lang.Class<";

/// A name of a class, taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ClassName<'a> {
    /// The name of the class itself.
    pub(super) base: &'a str,
    /// Whether it is the class object.
    pub(super) is_class_object: bool,
    /// The dimensions of the array.
    pub(super) arrays: usize,
}

impl<'a> ClassName<'a> {
    pub(super) fn of(name: &'a str) -> Self {
        let inner = name.strip_prefix(CLASS_OBJECT).and_then(|rest| rest.strip_suffix('>'));
        let (mut base, mut arrays) = (inner.unwrap_or(name), 0);
        while let Some(element) = base.strip_suffix("[]") {
            (base, arrays) = (element, arrays + 1);
        }
        Self { base, is_class_object: inner.is_some(), arrays }
    }

    /// Whether it is a class that was written, rather than an array or a class object.
    pub(super) fn is_plain(&self) -> bool {
        !self.is_class_object && self.arrays == 0
    }

    /// The same around another class.
    pub(super) fn around(&self, base: &str) -> String {
        let array = base.to_owned() + &"[]".repeat(self.arrays);
        match self.is_class_object {
            true => format!("{CLASS_OBJECT}{array}>"),
            false => array,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_and_put_together() {
        for (name, base, is_class_object, arrays) in [
            ("a.B", "a.B", false, 0),
            ("a.B[]", "a.B", false, 1),
            ("a.B[][]", "a.B", false, 2),
            ("java.lang.Class<a.B>", "a.B", true, 0),
            ("java.lang.Class<int[]>", "int", true, 1),
            ("java.lang.Class<a.B", "java.lang.Class<a.B", false, 0),
            ("java.lang.Class", "java.lang.Class", false, 0),
            ("[]", "", false, 1),
            ("", "", false, 0),
        ] {
            let found = ClassName::of(name);
            assert_eq!(found, ClassName { base, is_class_object, arrays }, "{name}");
            assert_eq!(found.around(base), name);
        }
    }
}
