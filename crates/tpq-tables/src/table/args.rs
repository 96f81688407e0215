//! Arguments: what an event carried beyond the columns of its table.

use crate::StringId;

declare_table! {
    /// One key and value of an arg set.
    table "args" => ArgsTable, ArgsRow {
        /// The set it belongs to; other tables refer to it.
        arg_set_id: u32 => ArgSetId,
        /// The key without array positions: `debug.list`.
        flat_key: StringId => String,
        /// The key: `debug.list[2]`.
        key: StringId => String,
        /// The value, when it is an integer, a pointer or a boolean.
        int_value: Option<i64> => Long,
        /// The value, when it is text.
        string_value: StringId => String,
        /// The value, when it is a float.
        real_value: Option<f64> => Double,
        /// `int`, `uint`, `pointer`, `bool`, `string`, `json`, `real` or `null`.
        value_type: StringId => String,
    }
}
