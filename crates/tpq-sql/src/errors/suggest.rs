//! Suggestions for misspelled names.

/// The name nearest to `wanted`; `None` if no name is similar enough.
pub(crate) fn nearest<'a>(
    wanted: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let wanted: Vec<char> = wanted.to_lowercase().chars().collect();
    // At most a third of the letters may differ: one in a short name, up to four in a long one.
    let allowed = (wanted.len() / 3).clamp(1, 4);
    names
        .into_iter()
        .filter_map(|name| {
            let letters: Vec<char> = name.to_lowercase().chars().collect();
            let distance = distance(&wanted, &letters);
            (distance <= allowed).then_some((distance, name))
        })
        // Of equally near names the first, in the given order, so that the result is stable.
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// The edit distance: the number of letters to insert, delete, replace, or swap with a
/// neighbour.
fn distance(a: &[char], b: &[char]) -> usize {
    let width = b.len() + 1;
    let mut costs: Vec<Vec<usize>> = vec![vec![0; width]; a.len() + 1];
    for (row, line) in costs.iter_mut().enumerate() {
        line[0] = row;
    }
    costs[0] = (0..width).collect();
    for row in 1..=a.len() {
        for column in 1..width {
            let change = usize::from(a[row - 1] != b[column - 1]);
            let mut cost = (costs[row - 1][column - 1] + change)
                .min(costs[row - 1][column] + 1)
                .min(costs[row][column - 1] + 1);
            let swapped =
                row > 1 && column > 1 && a[row - 1] == b[column - 2] && a[row - 2] == b[column - 1];
            if swapped {
                cost = cost.min(costs[row - 2][column - 2] + 1);
            }
            costs[row][column] = cost;
        }
    }
    costs[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelled_names_are_recognized() {
        let names = ["thread", "thread_track", "track", "slice", "sched"];
        assert_eq!(nearest("therad", names), Some("thread"));
        assert_eq!(nearest("SLICE_", names), Some("slice"));
        assert_eq!(nearest("schd", names), Some("sched"));
        assert_eq!(nearest("threadtrack", names), Some("thread_track"));
    }

    #[test]
    fn different_names_are_not_suggested() {
        assert_eq!(nearest("binder", ["thread", "slice"]), None);
        assert_eq!(nearest("x", ["ts", "id", "dur"]), None);
        assert_eq!(nearest("abc", []), None);
    }
}
