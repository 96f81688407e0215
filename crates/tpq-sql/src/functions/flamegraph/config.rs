//! `__intrinsic_flamegraph_config(key, value…, key, value…)`: what a flamegraph shows.
//!
//! | key | values |
//! |---|---|
//! | `value` | the column with the value of the samples that end in a frame |
//! | `view` | `TOP_DOWN`, `BOTTOM_UP`, `FROM_FRAME` or `PIVOT` |
//! | `view_pattern` | the pattern of the frames that the last two begin with, and its flags |
//! | `filter` | `SHOW_STACK`, `HIDE_STACK` or `HIDE_FRAME`, a pattern, and its flags |
//! | `grouping` | a column: frames with different values stay apart |
//! | `aggregate` | `SUM`, `ONE_OR_SUMMARY` or `CONCAT_WITH_COMMA`, a column, and the name of the result |
//!
//! Patterns are regular expressions that match a part of a name. The only flag is `i`, for names in
//! any case.

use std::fmt::Write;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, StringViewArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, exec_err, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use regex::{Regex, RegexBuilder};

/// The name of the function.
pub(crate) const CONFIG: &str = "__intrinsic_flamegraph_config";

/// The most patterns of `SHOW_STACK`: one bit each.
const MOST_SHOWN: usize = u64::BITS as usize;

/// The scalar function. Its result is the list of its arguments as one text.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(in crate::functions) struct FlamegraphConfig {
    signature: Signature,
}

impl Default for FlamegraphConfig {
    fn default() -> Self {
        Self { signature: Signature::variadic_any(Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for FlamegraphConfig {
    fn name(&self) -> &str {
        CONFIG
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8View)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let columns = args.args.iter().map(|arg| -> Result<ArrayRef> {
            let column = arg.to_array(args.number_rows)?;
            Ok(cast(&column, &DataType::Utf8View)?)
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let mut configs = Vec::with_capacity(args.number_rows);
        for row in 0..args.number_rows {
            let mut texts = Vec::with_capacity(columns.len());
            for column in &columns {
                if column.is_null(row) {
                    return exec_err!("{CONFIG}() takes texts, not NULL");
                }
                texts.push(column.as_string_view().value(row));
            }
            configs.push(encoded(&texts));
        }
        Ok(ColumnarValue::Array(Arc::new(StringViewArray::from_iter_values(configs))))
    }
}

/// The result of the function for arguments that are literals; `None` for others.
pub(crate) fn literal_config(args: &[Expr]) -> Option<Arc<str>> {
    let texts = args.iter().map(|arg| match arg {
        Expr::Literal(value, _) => value.try_as_str().flatten(),
        _ => None,
    });
    Some(encoded(&texts.collect::<Option<Vec<_>>>()?).into())
}

/// A list of texts as one: each after its length.
fn encoded(texts: &[&str]) -> String {
    let mut list = String::new();
    for text in texts {
        // Writing to a string cannot fail.
        let _ = write!(list, "{}:{text}", text.len());
    }
    list
}

/// The list that [`encoded`] made into a text; `None` for other texts.
fn decoded(mut list: &str) -> Option<Vec<&str>> {
    let mut texts = Vec::new();
    while !list.is_empty() {
        let (length, rest) = list.split_once(':')?;
        let (text, rest) = rest.split_at_checked(length.parse().ok()?)?;
        texts.push(text);
        list = rest;
    }
    Some(texts)
}

/// The shape of a flamegraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    /// From the outermost callers to what they call.
    TopDown,
    /// From the frames that samples end in to their callers.
    BottomUp,
    /// From the outermost frames that match to what they call.
    FromFrame,
    /// As `FromFrame`, and from these frames to their callers.
    Pivot,
}

/// What a filter does to the frames with matching names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilterKind {
    /// Keeps the samples with such a frame.
    ShowStack,
    /// Drops the samples with such a frame.
    HideStack,
    /// Takes these frames out of their stacks. Their samples become those of their callers.
    HideFrame,
}

/// A filter of frames.
#[derive(Debug)]
pub(super) struct Filter {
    pub kind: FilterKind,
    pub pattern: Regex,
}

/// How the values of a column become one for frames that are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AggregateKind {
    /// The sum.
    Sum,
    /// The value if all frames have the same, else one of the values and how many others there
    /// are.
    OneOrSummary,
    /// All different values, separated by commas.
    Concatenation,
}

/// A column of merged values.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Aggregate {
    pub kind: AggregateKind,
    /// The column of the query.
    pub column: String,
    /// The column of the flamegraph.
    pub name: String,
}

/// A parsed configuration.
#[derive(Debug)]
pub(super) struct Config {
    pub value: String,
    pub view: View,
    /// The pattern of the frames that the view begins with.
    pub view_pattern: Option<Regex>,
    pub filters: Vec<Filter>,
    pub groupings: Vec<String>,
    pub aggregates: Vec<Aggregate>,
    /// Whether only the sum of all roots is wanted, as one row.
    pub super_root: bool,
}

impl Config {
    /// Parses the result of the function.
    ///
    /// # Errors
    /// When it is not a result of the function, or the arguments of the function are wrong.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let Some(texts) = decoded(text) else {
            return plan_err!("a flamegraph takes the result of {CONFIG}()");
        };
        let mut config = Self {
            value: String::new(),
            view: View::TopDown,
            view_pattern: None,
            filters: Vec::new(),
            groupings: Vec::new(),
            aggregates: Vec::new(),
            super_root: false,
        };
        let mut texts = texts.into_iter();
        while let Some(key) = texts.next() {
            config.read(key, &mut texts)?;
        }
        config.check()?;
        Ok(config)
    }

    /// Reads the values of a key.
    fn read<'a>(&mut self, key: &str, texts: &mut impl Iterator<Item = &'a str>) -> Result<()> {
        let mut next = |what: &str| match texts.next() {
            Some(text) => Ok(text),
            None => plan_err!("{CONFIG}(): '{key}' needs {what}"),
        };
        match key {
            "value" => self.value = next("a column")?.to_lowercase(),
            "view" => self.view = view(next("a view")?)?,
            "view_pattern" => {
                self.view_pattern = Some(compiled(next("a pattern")?, next("flags")?)?);
            }
            "filter" => {
                let kind = filter_kind(next("a kind")?)?;
                let pattern = compiled(next("a pattern")?, next("flags")?)?;
                self.filters.push(Filter { kind, pattern });
            }
            "grouping" => self.groupings.push(next("a column")?.to_lowercase()),
            "aggregate" => {
                let kind = aggregate_kind(next("a kind")?)?;
                let column = next("a column")?.to_lowercase();
                let name = next("the name of the result")?.to_lowercase();
                self.aggregates.push(Aggregate { kind, column, name });
            }
            "find" => match next("a row")? {
                "SUPER_ROOT" => self.super_root = true,
                other => {
                    return plan_err!(
                        "__intrinsic_flamegraph_find() finds 'SUPER_ROOT', not '{other}'"
                    );
                }
            },
            other => {
                return plan_err!(
                    "{CONFIG}() has no key '{other}': the keys are value, view, view_pattern, \
                     filter, grouping and aggregate"
                );
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<()> {
        if self.value.is_empty() {
            return plan_err!("{CONFIG}() needs 'value' and a column");
        }
        let begins_with_pattern = matches!(self.view, View::FromFrame | View::Pivot);
        if begins_with_pattern != self.view_pattern.is_some() {
            return plan_err!(
                "{CONFIG}(): the views FROM_FRAME and PIVOT need a view_pattern, and others have \
                 none"
            );
        }
        let shown = self.filters.iter().filter(|filter| filter.kind == FilterKind::ShowStack);
        if shown.count() > MOST_SHOWN {
            return plan_err!("{CONFIG}() takes {MOST_SHOWN} filters of SHOW_STACK at most");
        }
        Ok(())
    }
}

fn view(name: &str) -> Result<View> {
    Ok(match name {
        "TOP_DOWN" => View::TopDown,
        "BOTTOM_UP" => View::BottomUp,
        "FROM_FRAME" => View::FromFrame,
        "PIVOT" => View::Pivot,
        other => {
            return plan_err!(
                "{CONFIG}() has no view '{other}': the views are TOP_DOWN, BOTTOM_UP, FROM_FRAME \
                 and PIVOT"
            );
        }
    })
}

fn filter_kind(name: &str) -> Result<FilterKind> {
    Ok(match name {
        "SHOW_STACK" => FilterKind::ShowStack,
        "HIDE_STACK" => FilterKind::HideStack,
        "HIDE_FRAME" => FilterKind::HideFrame,
        other => {
            return plan_err!(
                "{CONFIG}() has no filter '{other}': the filters are SHOW_STACK, HIDE_STACK and \
                 HIDE_FRAME"
            );
        }
    })
}

fn aggregate_kind(name: &str) -> Result<AggregateKind> {
    Ok(match name {
        "SUM" => AggregateKind::Sum,
        "ONE_OR_SUMMARY" => AggregateKind::OneOrSummary,
        "CONCAT_WITH_COMMA" => AggregateKind::Concatenation,
        other => {
            return plan_err!(
                "{CONFIG}() has no aggregate '{other}': the aggregates are SUM, ONE_OR_SUMMARY \
                 and CONCAT_WITH_COMMA"
            );
        }
    })
}

fn compiled(pattern: &str, flags: &str) -> Result<Regex> {
    if !matches!(flags, "" | "i") {
        return plan_err!("{CONFIG}() has no flags '{flags}': the only flag is i");
    }
    match RegexBuilder::new(pattern).case_insensitive(flags == "i").build() {
        Ok(regex) => Ok(regex),
        Err(error) => {
            let why = error.to_string();
            let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
            plan_err!("{CONFIG}(): '{pattern}' is not a valid regular expression: {why}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(texts: &[&str]) -> Result<Config> {
        Config::parse(&encoded(texts))
    }

    fn error(texts: &[&str]) -> String {
        parsed(texts).map(|_| ()).expect_err("the configuration is wrong").to_string()
    }

    #[test]
    fn lists_of_texts_are_read_back() {
        let texts = ["value", "", "a:b", "größe", "3:"];
        assert_eq!(decoded(&encoded(&texts)), Some(texts.to_vec()));
        for wrong in ["value", "5:valu", "x:a", "1:ö"] {
            assert_eq!(decoded(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn keys_have_values() {
        let config = parsed(&[
            "value",
            "Dur",
            "view",
            "PIVOT",
            "view_pattern",
            "^A$",
            "i",
            "filter",
            "HIDE_FRAME",
            "b",
            "",
            "grouping",
            "Mapping",
            "aggregate",
            "SUM",
            "n",
            "N_SUM",
        ]);
        let config = config.expect("every key has its values");
        assert_eq!((config.value.as_str(), config.view), ("dur", View::Pivot));
        assert!(config.view_pattern.is_some_and(|pattern| pattern.is_match("a")));
        assert_eq!(config.filters[0].kind, FilterKind::HideFrame);
        assert!(!config.filters[0].pattern.is_match("B"));
        assert_eq!(config.groupings, ["mapping"]);
        let (column, name) = ("n".to_owned(), "n_sum".to_owned());
        assert_eq!(config.aggregates, [Aggregate { kind: AggregateKind::Sum, column, name }]);
        assert!(!config.super_root);
    }

    #[test]
    fn wrong_configurations_are_errors() {
        assert!(error(&["view", "TOP_DOWN"]).contains("needs 'value' and a column"));
        assert!(error(&["value"]).contains("'value' needs a column"));
        assert!(error(&["value", "x", "view", "SIDEWAYS"]).contains("no view 'SIDEWAYS'"));
        assert!(error(&["value", "x", "view", "PIVOT"]).contains("need a view_pattern"));
        let filter = |kind, flags| error(&["value", "x", "filter", kind, "(", flags]);
        assert!(filter("HIDE_ALL", "").contains("no filter 'HIDE_ALL'"));
        assert!(filter("HIDE_STACK", "g").contains("no flags 'g'"));
        assert!(filter("HIDE_STACK", "").contains("'(' is not a valid regular expression"));
        assert!(error(&["value", "x", "aggregate", "AVG", "x", "y"]).contains("no aggregate"));
        assert!(error(&["value", "x", "find", "ROOT"]).contains("finds 'SUPER_ROOT'"));
    }
}
