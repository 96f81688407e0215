//! Functions that compute each result from the values of one row.

use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::RangeInclusive;

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDFImpl, Signature, TypeSignature, Volatility,
};

use super::budget::Budget;
use super::equal_by_name::equal_by_name;
use super::value::{Builder, Column, Value};
use crate::cancel::{CancelToken, check, under};

/// Computes the result for the values of one row.
pub(super) type Rule = for<'a> fn(&[Value<'a>]) -> Result<Value<'a>>;

/// Computes an upper bound, in bytes, of the result for one row, before the result is made.
pub(super) type Size = for<'a> fn(&[Value<'a>]) -> usize;

/// Replaces a call by a simpler expression when the types of its arguments are known; `None` keeps
/// the call.
pub(super) type Simplify = fn(&[Expr], &[DataType], &SimplifyContext) -> Result<Option<Expr>>;

/// A scalar function that is defined by its rule.
#[derive(Clone)]
pub(super) struct PerRow {
    pub(super) name: &'static str,
    pub(super) aliases: Vec<String>,
    /// The allowed numbers of arguments.
    arguments: RangeInclusive<usize>,
    /// The type of the result, by the types of the arguments.
    returns: fn(&[DataType]) -> DataType,
    rule: Rule,
    size: Option<Size>,
    simplify: Option<Simplify>,
    /// Whether an argument of a type is cast to the type of the result, without the rule; for
    /// functions with one argument.
    cast_from: Option<fn(&DataType) -> bool>,
    signature: Signature,
}

impl PerRow {
    pub(super) fn new(
        name: &'static str,
        arguments: RangeInclusive<usize>,
        returns: fn(&[DataType]) -> DataType,
        rule: Rule,
    ) -> Self {
        // All types are allowed: the rule converts its arguments, as SQLite does.
        let signature = Signature::one_of(
            vec![TypeSignature::VariadicAny, TypeSignature::Nullary],
            Volatility::Immutable,
        );
        Self {
            name,
            aliases: Vec::new(),
            arguments,
            returns,
            rule,
            size: None,
            simplify: None,
            cast_from: None,
            signature,
        }
    }

    pub(super) fn alias(mut self, alias: &str) -> Self {
        self.aliases.push(alias.to_owned());
        self
    }

    /// Sets the upper bound for a function with results that can be longer than its arguments.
    pub(super) fn sized(mut self, size: Size) -> Self {
        self.size = Some(size);
        self
    }

    pub(super) fn simplified(mut self, simplify: Simplify) -> Self {
        self.simplify = Some(simplify);
        self
    }

    pub(super) fn cast_from(mut self, types: fn(&DataType) -> bool) -> Self {
        self.cast_from = Some(types);
        self
    }

    /// Marks the function as volatile: it returns a new value for each row.
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

equal_by_name!(PerRow);

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
        check_count(self.name, &self.arguments, arguments.len())?;
        Ok((self.returns)(arguments))
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        short_name(self.name, args)
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
        if let (Some(is_cast), [arg]) = (self.cast_from, &args.args[..])
            && is_cast(&arg.data_type())
        {
            return arg.cast_to(args.return_field.data_type(), None);
        }
        let constant = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let fixed = constant && self.signature.volatility == Volatility::Immutable;
        let rows = if fixed { 1 } else { args.number_rows };
        let columns = args.args.iter().map(|arg| Argument::new(arg, rows));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let token = CancelToken::of(&args.config_options);
        let mut budget = Budget::new(self.name, &args.config_options).for_rows(rows);
        let data_type = args.return_field.data_type();
        let results = under(token, || self.rows(&columns, rows, data_type, &mut budget));
        let mut array = budget.attach(results?)?;
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

impl PerRow {
    /// Computes the results for all rows.
    fn rows(
        &self,
        columns: &[Argument],
        rows: usize,
        data_type: &DataType,
        budget: &mut Budget,
    ) -> Result<ArrayRef> {
        let mut builder = Builder::new(data_type, rows);
        let mut values = Vec::with_capacity(columns.len());
        for row in 0..rows {
            // The check is in each row, because a single row can have a megabyte of text.
            check()?;
            values.clear();
            values.extend(columns.iter().map(|column| column.value(row)));
            if let Some(size) = self.size {
                budget.reserve_value(size(&values))?;
            }
            let value = (self.rule)(&values)?;
            if self.size.is_none() {
                budget.reserve_value(value.byte_count())?;
            }
            builder.push(&value);
        }
        Ok(builder.finish())
    }
}

/// The values of an argument: one for each row, or one for all rows.
pub(super) struct Argument {
    column: Column,
    constant: bool,
}

impl Argument {
    pub(super) fn new(arg: &ColumnarValue, rows: usize) -> Result<Self> {
        let constant = matches!(arg, ColumnarValue::Scalar(_));
        let column = Column::from_array(&arg.to_array(if constant { 1 } else { rows })?)?;
        Ok(Self { column, constant })
    }

    pub(super) fn value(&self, row: usize) -> Value<'_> {
        self.column.value(if self.constant { 0 } else { row })
    }

    /// The value of all rows, if there is one.
    pub(super) fn constant(&self) -> Option<Value<'_>> {
        self.constant.then(|| self.column.value(0))
    }

    /// Whether no value is a text or a blob.
    pub(super) fn is_number(&self) -> bool {
        matches!(self.column, Column::Null | Column::Integer(_) | Column::Real(_))
    }
}

/// Checks the number of arguments of a call.
///
/// # Errors
/// When the function cannot be called with `given` arguments.
pub(super) fn check_count(
    name: &str,
    arguments: &RangeInclusive<usize>,
    given: usize,
) -> Result<()> {
    if arguments.contains(&given) {
        return Ok(());
    }
    let (few, many) = (*arguments.start(), *arguments.end());
    let name = name.trim_start_matches("__");
    match (few == many, many == usize::MAX) {
        (true, _) => plan_err!("{name}() takes {few} arguments, {given} were given"),
        (_, true) => plan_err!("{name}() takes at least {few} arguments"),
        _ => plan_err!("{name}() takes {few} to {many} arguments, {given} were given"),
    }
}

/// The name of a call in a plan. Nested calls are named at each level, so a long name is cut, and a
/// hash of the arguments keeps it unique.
pub(super) fn short_name(name: &str, args: &[Expr]) -> Result<String> {
    const MAX_LENGTH: usize = 512;
    let mut text = format!("{name}(");
    let mut hasher = DefaultHasher::new();
    for (index, arg) in args.iter().enumerate() {
        // The name of a call is already short. Hashing all nested arguments at each level would
        // take quadratic time in the depth.
        let nested = matches!(arg, Expr::ScalarFunction(_)).then(|| arg.schema_name().to_string());
        match &nested {
            Some(nested) => nested.hash(&mut hasher),
            None => arg.hash(&mut hasher),
        }
        if text.len() > MAX_LENGTH {
            continue;
        }
        text.push_str(if index > 0 { "," } else { "" });
        match nested {
            Some(nested) => text.push_str(&nested),
            None => write!(text, "{}", arg.schema_name())?,
        }
    }
    if text.len() > MAX_LENGTH {
        let end = (0..=MAX_LENGTH).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        return Ok(format!("{text}… {:016x})", hasher.finish()));
    }
    text.push(')');
    Ok(text)
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

/// A view type, as for texts: a value that is the same in all rows is stored once.
pub(super) fn blob(_: &[DataType]) -> DataType {
    DataType::BinaryView
}

pub(crate) fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

/// The common type of these types: numbers stay numbers, and if one type is text, the result is
/// text.
pub(super) fn common(types: &[DataType]) -> DataType {
    let mut result = DataType::Null;
    for data_type in types {
        result = match (data_type, &result) {
            (DataType::Null, _) => continue,
            (text, _) if is_text(text) => return DataType::Utf8View,
            (DataType::Binary | DataType::BinaryView, _) => DataType::BinaryView,
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
