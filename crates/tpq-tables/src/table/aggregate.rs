//! Profiles without times: values by call stack.

use crate::StringId;

declare_table! {
    /// A kind of value of a profile without times, such as CPU time or allocated bytes.
    table "__intrinsic_aggregate_profile" => AggregateProfileTable, AggregateProfileRow {
        /// Where the profile comes from: the name of its file, or the kind of file.
        scope: StringId => String,
        /// Name of the profile.
        name: StringId => String,
        /// Kind of the values, such as `cpu` or `alloc_space`.
        sample_type_type: StringId => String,
        /// Unit of the values, such as `nanoseconds` or `bytes`.
        sample_type_unit: StringId => String,
    }
}

declare_table! {
    /// A value of a profile without times at a call stack.
    table "__intrinsic_aggregate_sample" => AggregateSampleTable, AggregateSampleRow {
        /// Profile; join with `__intrinsic_aggregate_profile` on `id`.
        aggregate_profile_id: u32 => JoinId("__intrinsic_aggregate_profile"),
        /// Call stack; join with `stack_profile_callsite` on `id`.
        callsite_id: u32 => JoinId("stack_profile_callsite"),
        /// Value, in the unit of the profile. Callers do not include the values of callees.
        value: f64 => Double,
    }
}
