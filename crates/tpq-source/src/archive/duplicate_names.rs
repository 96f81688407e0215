//! Members of one archive that have the same name. All of them are read, which gets a remark,
//! because unpacking would keep only the last one.

use std::collections::HashMap;

use super::Member;

/// The largest number of names that a remark lists.
const MAX_LISTED: usize = 3;

/// The remark on names that several members have, if any.
pub(super) fn remark(members: &[Member]) -> Option<String> {
    let mut seen: HashMap<&str, usize> = HashMap::with_capacity(members.len());
    let mut repeated = Vec::new();
    for member in members.iter().filter(|member| member.unread.is_none()) {
        let times = seen.entry(&member.name).or_default();
        *times += 1;
        if *times == 2 {
            repeated.push(member.name.as_str());
        }
    }
    let named =
        repeated.iter().take(MAX_LISTED).map(|name| format!("{} files `{name}`", seen[name]));
    let mut named: Vec<String> = named.collect();
    if repeated.len() > MAX_LISTED {
        named.push(format!("{} more names several times", repeated.len() - MAX_LISTED));
    }
    let all = "all of them are read, and their events add up";
    (!named.is_empty()).then(|| format!("it holds {}; {all}", named.join(", ")))
}
