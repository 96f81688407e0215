//! Equality of functions that their names tell apart.

/// Compares functions of a type, and hashes them, by their field `name`.
macro_rules! equal_by_name {
    ($function:ty) => {
        impl PartialEq for $function {
            fn eq(&self, other: &Self) -> bool {
                self.name == other.name
            }
        }

        impl Eq for $function {}

        impl ::std::hash::Hash for $function {
            fn hash<H: ::std::hash::Hasher>(&self, state: &mut H) {
                ::std::hash::Hash::hash(&self.name, state);
            }
        }
    };
}

pub(super) use equal_by_name;
