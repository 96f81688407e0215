//! The arguments of calls.

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Int64Array, StringViewArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::common::{Result, exec_err, internal_err};

use super::NAME;

/// The arguments of many calls.
pub(super) struct Arguments {
    profile_type: StringViewArray,
    ts: Int64Array,
    ts_constraint: StringViewArray,
    upid: Int64Array,
    upid_group: StringViewArray,
    focus: StringViewArray,
}

/// The profile that a call asks for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Profile {
    /// A Java heap dump.
    Graph { upid: i64, ts: i64 },
    /// A heap profile.
    Native { upid: i64, ts: i64 },
    /// Samples.
    Perf,
}

impl Profile {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Graph { .. } => "graph",
            Self::Native { .. } => "native",
            Self::Perf => "perf",
        }
    }
}

/// A bound of the times of samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeBound {
    At(i64),
    After(i64),
    From(i64),
    Before(i64),
    UpTo(i64),
}

/// An operator and what it means.
type Operator = (&'static str, fn(i64) -> TimeBound);

impl TimeBound {
    /// Longer operators first.
    const OPERATORS: [Operator; 5] = [
        (">=", Self::From),
        ("<=", Self::UpTo),
        ("=", Self::At),
        (">", Self::After),
        ("<", Self::Before),
    ];

    fn parse(text: &str) -> Result<Self> {
        for (operator, bound) in Self::OPERATORS {
            let Some(ts) = text.strip_prefix(operator) else { continue };
            return match ts.trim().parse() {
                Ok(ts) => Ok(bound(ts)),
                Err(_) => exec_err!("{NAME}(): '{ts}' is not a timestamp"),
            };
        }
        exec_err!("{NAME}(): '{text}' is not a bound of times, such as >=100")
    }

    pub(super) fn includes(self, ts: i64) -> bool {
        match self {
            Self::At(bound) => ts == bound,
            Self::After(bound) => ts > bound,
            Self::From(bound) => ts >= bound,
            Self::Before(bound) => ts < bound,
            Self::UpTo(bound) => ts <= bound,
        }
    }

    /// A time within the bound.
    fn nearest(self) -> i64 {
        match self {
            Self::At(bound) | Self::From(bound) | Self::UpTo(bound) => bound,
            Self::After(bound) => bound.saturating_add(1),
            Self::Before(bound) => bound.saturating_sub(1),
        }
    }
}

/// A call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) profile: Profile,
    pub(super) ts: Option<i64>,
    pub(super) ts_constraint: Option<String>,
    pub(super) bounds: Vec<TimeBound>,
    pub(super) upid: Option<i64>,
    pub(super) upid_group: Option<String>,
    /// Text that names contain, in any case.
    pub(super) focus: Option<String>,
}

impl Call {
    /// The time of frames without one of their own.
    pub(super) fn default_ts(&self) -> i64 {
        self.ts.or(self.bounds.first().map(|bound| bound.nearest())).unwrap_or_default()
    }

    /// The processes of the call; `None` for all.
    pub(super) fn upids(&self) -> Option<Vec<i64>> {
        if let Some(upid) = self.upid {
            return Some(vec![upid]);
        }
        let group = self.upid_group.as_deref().unwrap_or_default();
        let upids: Vec<i64> = group.split(',').filter_map(|it| it.trim().parse().ok()).collect();
        (!upids.is_empty()).then_some(upids)
    }
}

impl Arguments {
    pub(super) fn new(args: &[ArrayRef]) -> Result<Self> {
        let [profile_type, ts, ts_constraint, upid, upid_group, focus] = args else {
            return internal_err!("{NAME}() takes six arguments");
        };
        let text = |array: &ArrayRef| {
            Ok::<_, datafusion::error::DataFusionError>(
                cast(array, &DataType::Utf8View)?.as_string_view().clone(),
            )
        };
        let integer = |array: &ArrayRef| {
            Ok::<_, datafusion::error::DataFusionError>(
                cast(array, &DataType::Int64)?.as_primitive::<Int64Type>().clone(),
            )
        };
        Ok(Self {
            profile_type: text(profile_type)?,
            ts: integer(ts)?,
            ts_constraint: text(ts_constraint)?,
            upid: integer(upid)?,
            upid_group: text(upid_group)?,
            focus: text(focus)?,
        })
    }

    /// The call with this number.
    pub(super) fn call(&self, number: usize) -> Result<Call> {
        let text = |array: &StringViewArray| {
            array.is_valid(number).then(|| array.value(number).to_owned())
        };
        let integer = |array: &Int64Array| array.is_valid(number).then(|| array.value(number));
        let (ts, ts_constraint) = (integer(&self.ts), text(&self.ts_constraint));
        let (upid, upid_group) = (integer(&self.upid), text(&self.upid_group));
        if ts.is_none() && ts_constraint.is_none() {
            return exec_err!("{NAME}() needs ts or ts_constraint");
        }
        if upid.is_none() && upid_group.is_none() {
            return exec_err!("{NAME}() needs upid or upid_group");
        }
        let bounds = ts_constraint.as_deref().map(|text| text.split(',').map(TimeBound::parse));
        let bounds = bounds.into_iter().flatten().collect::<Result<Vec<_>>>()?;
        let profile_type = text(&self.profile_type).unwrap_or_default();
        let profile = match (profile_type.as_str(), upid, ts) {
            ("graph", Some(upid), Some(ts)) => Profile::Graph { upid, ts },
            ("native", Some(upid), Some(ts)) => Profile::Native { upid, ts },
            ("perf", ..) => Profile::Perf,
            ("graph" | "native", ..) => {
                return exec_err!("{NAME}() needs ts and upid for the type '{profile_type}'");
            }
            _ => return exec_err!("{NAME}(): '{profile_type}' is not graph, native or perf"),
        };
        let focus = text(&self.focus);
        Ok(Call { profile, ts, ts_constraint, bounds, upid, upid_group, focus })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_times() {
        for (text, bound, nearest) in [
            ("=5", TimeBound::At(5), 5),
            (">=5", TimeBound::From(5), 5),
            (">5", TimeBound::After(5), 6),
            ("<=5", TimeBound::UpTo(5), 5),
            ("<5", TimeBound::Before(5), 4),
        ] {
            let found = TimeBound::parse(text).expect("it is a bound");
            assert_eq!(found, bound);
            assert_eq!(found.nearest(), nearest);
            assert!(found.includes(nearest));
        }
        assert!(TimeBound::parse("5").is_err());
        assert!(TimeBound::parse(">x").is_err());
    }
}
