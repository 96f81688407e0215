//! Superclasses that list fields.

/// The nearest superclass with fields of each class. Classes are numbered from 0 to `count`.
pub fn ancestors_with_fields(
    count: usize,
    superclass: impl Fn(u32) -> Option<u32>,
    has_fields: impl Fn(u32) -> bool,
) -> Vec<Option<u32>> {
    let mut found: Vec<Option<Option<u32>>> = vec![None; count];
    let mut on_path = vec![false; count];
    let mut path = Vec::new();
    for number in 0..count as u32 {
        let mut at = number;
        let ancestor = loop {
            if let Some(known) = found[at as usize] {
                break known;
            }
            // Damaged dumps can have classes that inherit from themselves.
            if std::mem::replace(&mut on_path[at as usize], true) {
                break None;
            }
            path.push(at);
            match superclass(at) {
                None => break None,
                Some(next) if has_fields(next) => break Some(next),
                Some(next) => at = next,
            }
        };
        for at in path.drain(..) {
            found[at as usize] = Some(ancestor);
        }
    }
    found.into_iter().map(Option::flatten).collect()
}
