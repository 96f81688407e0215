//! Arguments: what an event carried beyond the columns of its table.

use crate::StringId;

declare_table! {
    /// One key and its value in an arg set.
    table "args" of KernelEvents => ArgsTable, ArgsRow {
        /// Arg set of the value; other tables refer to it by this id.
        arg_set_id: u32 => ArgSetId,
        /// Key without array positions, such as `debug.list`.
        flat_key: StringId => String,
        /// Key with array positions, such as `debug.list[2]`.
        key: StringId => String,
        /// Value of type `int`, `uint`, `pointer` or `bool`; NULL for other types.
        int_value: Option<i64> => Long,
        /// Value of type `string` or `json`; NULL for other types.
        string_value: StringId => String,
        /// Value of type `real`; NULL for other types.
        real_value: Option<f64> => Double,
        /// Type of the value: `int`, `uint`, `pointer`, `bool`, `string`, `json`, `real` or `null`.
        value_type: StringId => String,
    }
}
