//! Functions that are a rule from the values of a row to a value.

use std::hash::{Hash, Hasher};
use std::ops::RangeInclusive;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDFImpl, Signature, TypeSignature, Volatility,
};

use super::value::{Builder, Column, Value};

/// What a function gives for the values of one row.
pub(super) type Rule = for<'a> fn(&[Value<'a>]) -> Result<Value<'a>>;

/// What is put in place of a call when the types of its arguments are known.
pub(super) type Simplify = fn(&[Expr], &[DataType], &SimplifyContext) -> Result<Option<Expr>>;

/// A function by its rule.
#[derive(Clone)]
pub(super) struct PerRow {
    pub(super) name: &'static str,
    pub(super) aliases: Vec<String>,
    arguments: RangeInclusive<usize>,
    returns: fn(&[DataType]) -> DataType,
    rule: Rule,
    simplify: Option<Simplify>,
    signature: Signature,
}

impl PerRow {
    pub(super) fn new(
        name: &'static str,
        arguments: RangeInclusive<usize>,
        returns: fn(&[DataType]) -> DataType,
        rule: Rule,
    ) -> Self {
        // Any types: the rule converts what it is given, as SQLite does.
        let signature = Signature::one_of(
            vec![TypeSignature::VariadicAny, TypeSignature::Nullary],
            Volatility::Immutable,
        );
        Self { name, aliases: Vec::new(), arguments, returns, rule, simplify: None, signature }
    }

    pub(super) fn alias(mut self, alias: &str) -> Self {
        self.aliases.push(alias.to_owned());
        self
    }

    pub(super) fn simplified(mut self, simplify: Simplify) -> Self {
        self.simplify = Some(simplify);
        self
    }

    /// Another value for each row.
    pub(super) fn volatile(mut self) -> Self {
        self.signature.volatility = Volatility::Volatile;
        self
    }
}

impl std::fmt::Debug for PerRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for PerRow {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for PerRow {}

impl Hash for PerRow {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl ScalarUDFImpl for PerRow {
    fn name(&self) -> &str {
        self.name
    }

    fn aliases(&self) -> &[String] {
        &self.aliases
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        if !self.arguments.contains(&arguments.len()) {
            let (few, many) = self.arguments.clone().into_inner();
            let name = self.name.trim_start_matches("__");
            return match (few == many, many == usize::MAX) {
                (true, _) => {
                    plan_err!("{name}() takes {few} arguments, {} were given", arguments.len())
                }
                (_, true) => plan_err!("{name}() takes at least {few} arguments"),
                _ => plan_err!(
                    "{name}() takes {few} to {many} arguments, {} were given",
                    arguments.len()
                ),
            };
        }
        Ok((self.returns)(arguments))
    }

    fn simplify(&self, args: Vec<Expr>, info: &SimplifyContext) -> Result<ExprSimplifyResult> {
        let Some(simplify) = self.simplify else { return Ok(ExprSimplifyResult::Original(args)) };
        let types: Result<Vec<DataType>> = args.iter().map(|arg| info.get_data_type(arg)).collect();
        Ok(match simplify(&args, &types?, info)? {
            Some(expr) => ExprSimplifyResult::Simplified(expr),
            None => ExprSimplifyResult::Original(args),
        })
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let constant = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let fixed = constant && self.signature.volatility == Volatility::Immutable;
        let rows = if fixed { 1 } else { args.number_rows };
        let columns: Result<Vec<Column>> =
            args.args.iter().map(|arg| Column::of(&arg.to_array(rows)?)).collect();
        let columns = columns?;
        let mut builder = Builder::new(args.return_field.data_type(), rows);
        let mut values = Vec::with_capacity(columns.len());
        for row in 0..rows {
            values.clear();
            values.extend(columns.iter().map(|column| column.value(row)));
            builder.push(&(self.rule)(&values)?);
        }
        let mut array = builder.finish();
        if array.data_type() != args.return_field.data_type() {
            array = datafusion::arrow::compute::cast(&array, args.return_field.data_type())?;
        }
        if fixed {
            let scalar = datafusion::common::ScalarValue::try_from_array(&array, 0)?;
            return Ok(ColumnarValue::Scalar(scalar));
        }
        Ok(ColumnarValue::Array(array))
    }
}

pub(super) fn integer(_: &[DataType]) -> DataType {
    DataType::Int64
}

pub(super) fn real(_: &[DataType]) -> DataType {
    DataType::Float64
}

pub(super) fn text(_: &[DataType]) -> DataType {
    DataType::Utf8View
}

pub(super) fn blob(_: &[DataType]) -> DataType {
    DataType::Binary
}

pub(crate) fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

/// The one type that holds values of all these: numbers stay numbers, and where there is text
/// all become text.
pub(super) fn common(types: &[DataType]) -> DataType {
    let mut result = DataType::Null;
    for data_type in types {
        result = match (data_type, &result) {
            (DataType::Null, _) => continue,
            (text, _) if is_text(text) => return DataType::Utf8View,
            (DataType::Binary | DataType::BinaryView, _) => DataType::Binary,
            (float, DataType::Int64 | DataType::Null | DataType::Float64)
                if float.is_floating() =>
            {
                DataType::Float64
            }
            (DataType::Boolean, DataType::Null) => DataType::Int64,
            (number, DataType::Null) if number.is_integer() => DataType::Int64,
            (other, DataType::Null) => other.clone(),
            _ => result,
        };
    }
    result
}
