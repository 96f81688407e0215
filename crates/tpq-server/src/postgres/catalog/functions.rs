//! Functions of PostgreSQL that queries of catalogs call, in addition to those of
//! `datafusion-pg-catalog`.

use std::sync::Arc;

use datafusion::arrow::array::{AsArray, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, TypeSignature,
    Volatility,
};

use super::super::settings::{self, VERSION_TEXT};
use crate::relations::{DATABASE, SCHEMA};

/// Functions of descriptions and definitions, which no table of a trace has in PostgreSQL's terms.
const NO_TEXT: [&str; 18] = [
    "obj_description",
    "col_description",
    "shobj_description",
    "pg_get_viewdef",
    "pg_get_indexdef",
    "pg_get_function_sqlbody",
    "pg_get_functiondef",
    "pg_get_function_result",
    "pg_get_function_arguments",
    "pg_get_function_identity_arguments",
    "pg_get_triggerdef",
    "pg_get_ruledef",
    "pg_get_serial_sequence",
    "pg_get_statisticsobjdef",
    "inet_server_addr",
    "inet_client_addr",
    "pg_tablespace_location",
    // Sizes are not known before a trace is read.
    "pg_size_pretty",
];

/// Functions of what the user sees and may read.
const ALWAYS: [&str; 7] = [
    "pg_function_is_visible",
    "pg_type_is_visible",
    "pg_opclass_is_visible",
    "pg_operator_is_visible",
    "has_column_privilege",
    "has_function_privilege",
    "pg_has_role",
];

/// All functions.
pub(super) fn all() -> Vec<ScalarUDF> {
    let text = |text: &str| ScalarValue::Utf8(Some(text.to_owned()));
    let mut all = vec![
        constant("version", text(VERSION_TEXT)),
        constant("current_schema", text(SCHEMA)),
        constant("current_catalog", text(DATABASE)),
        constant("pg_is_in_recovery", ScalarValue::Boolean(Some(false))),
        constant("pg_is_wal_replay_paused", ScalarValue::Boolean(Some(false))),
        constant("txid_current", ScalarValue::Int64(Some(1))),
        constant("pg_database_size", ScalarValue::Int64(Some(0))),
        constant("pg_table_size", ScalarValue::Int64(Some(0))),
        constant("pg_indexes_size", ScalarValue::Int64(Some(0))),
        ScalarUDF::new_from_impl(CurrentSetting::new("current_setting", 0)),
        // Settings of a session are not those of a query of catalogs: the value is not kept.
        ScalarUDF::new_from_impl(CurrentSetting::new("set_config", 1)),
    ];
    all.extend(NO_TEXT.map(|name| constant(name, ScalarValue::Utf8(None))));
    all.extend(ALWAYS.map(|name| constant(name, ScalarValue::Boolean(Some(true)))));
    all
}

fn constant(name: &'static str, value: ScalarValue) -> ScalarUDF {
    let signature = Signature::one_of(
        vec![TypeSignature::Nullary, TypeSignature::VariadicAny],
        Volatility::Stable,
    );
    ScalarUDF::new_from_impl(Constant { name, value, signature })
}

/// A function with the same result for all arguments.
#[derive(PartialEq, Eq, Hash, Debug)]
struct Constant {
    name: &'static str,
    value: ScalarValue,
    signature: Signature,
}

impl ScalarUDFImpl for Constant {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(self.value.data_type())
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> Result<ColumnarValue> {
        Ok(ColumnarValue::Scalar(self.value.clone()))
    }
}

/// `current_setting('name')`: the default of a setting; or with a value as an argument, that value.
#[derive(PartialEq, Eq, Hash, Debug)]
struct CurrentSetting {
    name: &'static str,
    /// The argument that the result comes from: 0 names a setting, 1 is a value.
    argument: usize,
    signature: Signature,
}

impl CurrentSetting {
    fn new(name: &'static str, argument: usize) -> Self {
        let signature = Signature::variadic_any(Volatility::Stable);
        Self { name, argument, signature }
    }
}

impl ScalarUDFImpl for CurrentSetting {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let Some(texts) = arrays.get(self.argument) else {
            return exec_err!("{}() has too few arguments", self.name);
        };
        let texts = cast(texts, &DataType::Utf8)?;
        let texts = texts.as_string::<i32>();
        let value = |text: Option<&str>| match self.argument {
            0 => text.and_then(settings::default_of).map(str::to_owned),
            _ => text.map(str::to_owned),
        };
        let values: StringArray = texts.iter().map(value).collect();
        Ok(ColumnarValue::Array(Arc::new(values)))
    }
}
