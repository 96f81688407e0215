//! Members of one archive that have the same name: all of them are read, which is worth a remark,
//! as unpacking would have kept only the last.

use std::collections::HashMap;

use super::Member;

/// How many names a remark lists.
const LISTED: usize = 3;

/// Which names several members have, if any.
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
    let named = repeated.iter().take(LISTED).map(|name| format!("{} files `{name}`", seen[name]));
    let mut named: Vec<String> = named.collect();
    if repeated.len() > LISTED {
        named.push(format!("{} more names several times", repeated.len() - LISTED));
    }
    let all = "all of them are read, and their events add up";
    (!named.is_empty()).then(|| format!("it holds {}; {all}", named.join(", ")))
}
