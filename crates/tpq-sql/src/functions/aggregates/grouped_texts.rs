//! Texts of all groups of an aggregate, with the keys that they are sorted by. All of them are in a
//! few buffers: an accumulator for each group takes far more memory than the texts.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, LargeBinaryBuilder, LargeListBuilder,
    LargeStringBuilder,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::logical_expr::{Accumulator, EmitTo, GroupsAccumulator};
use datafusion::physical_expr::PhysicalSortExpr;

/// The type of the texts in the state: the separator and the text of each row of a group.
pub(super) const STATE_TEXT: DataType = DataType::LargeUtf8;

/// The type of the keys in the state: one for each row of a group. Their bytes have the order of
/// the keys.
pub(super) const STATE_KEY: DataType = DataType::LargeBinary;

/// The rows of all groups, as they arrived. A row without a text is left out.
pub(super) struct GroupedTexts {
    /// What the texts are sorted by; empty if their order is that of the rows.
    order: Vec<SortField>,
    /// `None` without an order.
    keys_of: Option<RowConverter>,
    group_count: usize,
    /// The group of each row.
    groups: Vec<usize>,
    /// The separator and the text of each row.
    texts: String,
    /// Where the separator of each row ends.
    separator_ends: Vec<usize>,
    /// Where the text of each row ends. The separator of the next row begins there.
    text_ends: Vec<usize>,
    keys: Vec<u8>,
    /// Where the key of each row ends. The key of the next row begins there.
    key_ends: Vec<usize>,
}

impl fmt::Debug for GroupedTexts {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("GroupedTexts")
            .field("groups", &self.group_count)
            .field("rows", &self.groups.len())
            .finish_non_exhaustive()
    }
}

/// The rows of some groups, group after group, each in its order.
struct Ordered {
    rows: Vec<usize>,
    /// Where the rows of each group end.
    ends: Vec<usize>,
}

impl Ordered {
    fn groups(&self) -> impl Iterator<Item = &[usize]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(move |(start, end)| &self.rows[start..*end])
    }
}

impl GroupedTexts {
    /// No texts yet, for a call with an order or without one.
    pub(super) fn new(args: &AccumulatorArgs) -> Result<Self> {
        let field = |sort: &PhysicalSortExpr| -> Result<SortField> {
            let data_type = sort.expr.data_type(args.schema)?;
            Ok(SortField::new_with_options(data_type, sort.options))
        };
        Self::in_order(args.order_bys.iter().map(field).collect::<Result<Vec<_>>>()?)
    }

    fn in_order(order: Vec<SortField>) -> Result<Self> {
        let keys_of = match order.is_empty() {
            true => None,
            false => Some(RowConverter::new(order.clone())?),
        };
        Ok(Self {
            order,
            keys_of,
            group_count: 0,
            groups: Vec::new(),
            texts: String::new(),
            separator_ends: Vec::new(),
            text_ends: Vec::new(),
            keys: Vec::new(),
            key_ends: Vec::new(),
        })
    }

    fn push(&mut self, group: usize, separator: &str, text: &str, key: &[u8]) {
        self.groups.push(group);
        self.texts.push_str(separator);
        self.separator_ends.push(self.texts.len());
        self.texts.push_str(text);
        self.text_ends.push(self.texts.len());
        self.keys.extend_from_slice(key);
        self.key_ends.push(self.keys.len());
    }

    fn separator(&self, row: usize) -> &str {
        &self.texts[start_of(row, &self.text_ends)..self.separator_ends[row]]
    }

    fn text(&self, row: usize) -> &str {
        &self.texts[self.separator_ends[row]..self.text_ends[row]]
    }

    fn key(&self, row: usize) -> &[u8] {
        &self.keys[start_of(row, &self.key_ends)..self.key_ends[row]]
    }

    /// Adds the rows of a batch that pass a filter. `values` are the texts, the separators and the
    /// keys.
    fn add(
        &mut self,
        values: &[ArrayRef],
        group_of: impl Fn(usize) -> usize,
        filter: Option<&BooleanArray>,
    ) -> Result<()> {
        let [texts, separators, keys @ ..] = values else {
            return internal_err!("string_agg() without a text and a separator");
        };
        let (texts, separators) = (as_texts(texts)?, as_texts(separators)?);
        let (texts, separators) = (texts.as_string_view(), separators.as_string_view());
        let keys = match &self.keys_of {
            Some(keys_of) => Some(keys_of.convert_columns(keys)?),
            None => None,
        };
        let passes = |row: usize| filter.is_none_or(|it| it.is_valid(row) && it.value(row));
        for (row, (text, separator)) in texts.iter().zip(separators).enumerate() {
            let Some(text) = text.filter(|_| passes(row)) else { continue };
            let separator = separator.unwrap_or_default();
            match &keys {
                Some(keys) => self.push(group_of(row), separator, text, keys.row(row).as_ref()),
                None => self.push(group_of(row), separator, text, &[]),
            }
        }
        Ok(())
    }

    /// Adds the rows of states.
    fn merge(&mut self, states: &[ArrayRef], group_of: impl Fn(usize) -> usize) -> Result<()> {
        let [texts, keys] = states else {
            return internal_err!("the state of string_agg() has two columns");
        };
        let (Some(texts), Some(keys)) = (texts.as_list_opt::<i64>(), keys.as_list_opt::<i64>())
        else {
            return internal_err!("the state of string_agg() consists of lists");
        };
        for state in 0..texts.len() {
            if texts.is_null(state) || keys.is_null(state) {
                continue;
            }
            let (texts, keys) = (texts.value(state), keys.value(state));
            let (Some(texts), Some(keys)) =
                (texts.as_string_opt::<i64>(), keys.as_binary_opt::<i64>())
            else {
                return internal_err!("the state of string_agg() has texts and keys");
            };
            if texts.len() != 2 * keys.len() {
                return internal_err!("the state of string_agg() has a separator for each text");
            }
            for row in 0..keys.len() {
                let (separator, text) = (texts.value(2 * row), texts.value(2 * row + 1));
                self.push(group_of(state), separator, text, keys.value(row));
            }
        }
        Ok(())
    }

    /// The rows of the first groups. Rows with equal keys are in the order in which they arrived.
    fn ordered(&self, groups: usize) -> Ordered {
        let mut ends = vec![0; groups];
        for group in &self.groups {
            if let Some(count) = ends.get_mut(*group) {
                *count += 1;
            }
        }
        // From here on an end is where the next row of a group goes.
        let mut total = 0;
        for end in &mut ends {
            total += std::mem::replace(end, total);
        }
        let mut rows = vec![0; total];
        for (row, group) in self.groups.iter().enumerate() {
            if let Some(next) = ends.get_mut(*group) {
                rows[*next] = row;
                *next += 1;
            }
        }
        if self.keys_of.is_some() {
            let mut start = 0;
            for end in &ends {
                rows[start..*end].sort_by(|a, b| self.key(*a).cmp(self.key(*b)));
                start = *end;
            }
        }
        Ordered { rows, ends }
    }

    /// The text of each of the first groups; NULL for a group without texts.
    fn joined(&self, groups: usize) -> ArrayRef {
        let mut result = LargeStringBuilder::new();
        let mut joined = String::new();
        for rows in self.ordered(groups).groups() {
            let Some((first, others)) = rows.split_first() else {
                result.append_null();
                continue;
            };
            joined.clear();
            joined.push_str(self.text(*first));
            for row in others {
                joined.push_str(self.separator(*row));
                joined.push_str(self.text(*row));
            }
            result.append_value(&joined);
        }
        Arc::new(result.finish())
    }

    /// The state of each of the first groups.
    fn states(&self, groups: usize) -> Vec<ArrayRef> {
        let mut texts = LargeListBuilder::new(LargeStringBuilder::new());
        let mut keys = LargeListBuilder::new(LargeBinaryBuilder::new());
        for rows in self.ordered(groups).groups() {
            for row in rows {
                texts.values().append_value(self.separator(*row));
                texts.values().append_value(self.text(*row));
                keys.values().append_value(self.key(*row));
            }
            texts.append(true);
            keys.append(true);
        }
        vec![Arc::new(texts.finish()), Arc::new(keys.finish())]
    }

    /// How many groups are given out.
    fn emitted(&self, emit: EmitTo) -> usize {
        match emit {
            EmitTo::All => self.group_count,
            EmitTo::First(count) => count,
        }
    }

    /// Removes the first groups. The others are counted from 0 again.
    fn remove(&mut self, groups: usize) -> Result<()> {
        let mut rest = Self::in_order(std::mem::take(&mut self.order))?;
        rest.group_count = self.group_count.saturating_sub(groups);
        if rest.group_count > 0 {
            for (row, group) in self.groups.iter().enumerate() {
                if let Some(group) = group.checked_sub(groups) {
                    rest.push(group, self.separator(row), self.text(row), self.key(row));
                }
            }
        }
        *self = rest;
        Ok(())
    }

    fn bytes(&self) -> usize {
        let ends = [&self.groups, &self.separator_ends, &self.text_ends, &self.key_ends];
        let ends: usize = ends.iter().map(|ends| ends.capacity()).sum();
        ends * size_of::<usize>() + self.texts.capacity() + self.keys.capacity()
    }
}

/// Where a part begins, by the ends of all parts.
fn start_of(part: usize, ends: &[usize]) -> usize {
    part.checked_sub(1).map_or(0, |before| ends[before])
}

/// A column of texts in one layout.
fn as_texts(column: &ArrayRef) -> Result<ArrayRef> {
    match column.data_type() {
        DataType::Utf8View => Ok(Arc::clone(column)),
        _ => Ok(cast(column, &DataType::Utf8View)?),
    }
}

impl GroupsAccumulator for GroupedTexts {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        count: usize,
    ) -> Result<()> {
        self.group_count = count;
        self.add(values, |row| groups[row], filter)
    }

    fn evaluate(&mut self, emit: EmitTo) -> Result<ArrayRef> {
        let groups = self.emitted(emit);
        let joined = self.joined(groups);
        self.remove(groups)?;
        Ok(joined)
    }

    fn state(&mut self, emit: EmitTo) -> Result<Vec<ArrayRef>> {
        let groups = self.emitted(emit);
        let states = self.states(groups);
        self.remove(groups)?;
        Ok(states)
    }

    fn merge_batch(&mut self, states: &[ArrayRef], groups: &[usize], count: usize) -> Result<()> {
        self.group_count = count;
        self.merge(states, |state| groups[state])
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        let count = values.first().map_or(0, |texts| texts.len());
        let mut rows = Self::in_order(self.order.clone())?;
        rows.add(values, |row| row, filter)?;
        Ok(rows.states(count))
    }

    fn size(&self) -> usize {
        self.bytes()
    }
}

/// The texts of one group.
#[derive(Debug)]
pub(super) struct OneGroup(pub(super) GroupedTexts);

impl Accumulator for OneGroup {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.0.add(values, |_| 0, None)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        ScalarValue::try_from_array(&self.0.joined(1), 0)
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.0.bytes()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let states = self.0.states(1);
        states.iter().map(|state| ScalarValue::try_from_array(state, 0)).collect()
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.0.merge(states, |_| 0)
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{Int64Array, StringArray, StringViewArray};
    use datafusion::arrow::compute::SortOptions;

    use super::*;

    fn by_number(descending: bool) -> GroupedTexts {
        let options = SortOptions { descending, nulls_first: !descending };
        let field = SortField::new_with_options(DataType::Int64, options);
        GroupedTexts::in_order(vec![field]).unwrap()
    }

    /// Columns of texts, separators and keys.
    fn columns(rows: &[(Option<&str>, &str, Option<i64>)]) -> Vec<ArrayRef> {
        vec![
            Arc::new(StringViewArray::from_iter(rows.iter().map(|(text, ..)| *text))),
            Arc::new(StringArray::from_iter_values(rows.iter().map(|(_, separator, _)| separator))),
            Arc::new(Int64Array::from_iter(rows.iter().map(|(.., key)| *key))),
        ]
    }

    fn texts(column: &ArrayRef) -> Vec<Option<&str>> {
        column.as_string::<i64>().iter().collect()
    }

    #[test]
    fn each_group_has_its_own_order() {
        let rows = columns(&[
            (Some("c"), "-", Some(3)),
            (Some("x"), "-", Some(1)),
            (Some("a"), "+", Some(1)),
            (None, "-", Some(0)),
            (Some("null"), "-", None),
            (Some("b"), "/", Some(1)),
        ]);
        let mut grouped = by_number(false);
        // Group 1 has one text, group 2 none.
        grouped.update_batch(&rows, &[0, 1, 0, 2, 0, 0], None, 3).unwrap();
        let joined = grouped.evaluate(EmitTo::All).unwrap();
        // NULL is the least key. The separator of a row is written before it.
        assert_eq!(texts(&joined), [Some("null+a/b-c"), Some("x"), None]);

        let mut grouped = by_number(true);
        grouped.update_batch(&rows, &[0, 1, 0, 2, 0, 0], None, 3).unwrap();
        let joined = grouped.evaluate(EmitTo::All).unwrap();
        assert_eq!(texts(&joined), [Some("c+a/b-null"), Some("x"), None]);
    }

    #[test]
    fn groups_are_given_out_from_the_first_one() {
        let mut grouped = by_number(false);
        let rows = columns(&[(Some("b"), ",", Some(2)), (Some("d"), ",", Some(4))]);
        grouped.update_batch(&rows, &[0, 1], None, 2).unwrap();
        assert_eq!(texts(&grouped.evaluate(EmitTo::First(1)).unwrap()), [Some("b")]);
        // What was group 1 is group 0.
        let rows = columns(&[(Some("c"), ",", Some(3)), (Some("e"), ",", Some(5))]);
        grouped.update_batch(&rows, &[0, 1], None, 2).unwrap();
        assert_eq!(texts(&grouped.evaluate(EmitTo::All).unwrap()), [Some("c,d"), Some("e")]);
        assert!(grouped.evaluate(EmitTo::All).unwrap().is_empty());
    }

    #[test]
    fn states_of_parts_are_merged_in_the_order_of_the_keys() {
        let mut first = by_number(true);
        let rows = columns(&[(Some("a"), ",", Some(1)), (Some("c"), ",", Some(3))]);
        first.update_batch(&rows, &[0, 0], None, 1).unwrap();
        let first = first.state(EmitTo::All).unwrap();
        // A filter leaves a row out. Each row is a group of its own.
        let rows = columns(&[(Some("b"), ";", Some(2)), (Some("z"), ";", Some(9))]);
        let filter = BooleanArray::from(vec![Some(true), None]);
        let second = by_number(true).convert_to_state(&rows, Some(&filter)).unwrap();

        let mut all = by_number(true);
        all.merge_batch(&first, &[0], 1).unwrap();
        all.merge_batch(&second, &[0, 0], 1).unwrap();
        assert_eq!(texts(&all.evaluate(EmitTo::All).unwrap()), [Some("c;b,a")]);
    }

    #[test]
    fn one_group_without_an_order_keeps_that_of_its_rows() {
        let mut one = OneGroup(GroupedTexts::in_order(Vec::new()).unwrap());
        assert_eq!(one.evaluate().unwrap(), ScalarValue::LargeUtf8(None));
        let rows = columns(&[(Some("b"), ",", None), (Some("a"), "|", None)]);
        one.update_batch(&rows[..2]).unwrap();
        let state = one.state().unwrap();
        let state: Vec<ArrayRef> = state.iter().map(|state| state.to_array().unwrap()).collect();
        one.merge_batch(&state).unwrap();
        assert_eq!(one.evaluate().unwrap(), ScalarValue::LargeUtf8(Some("b|a,b|a".to_owned())));
    }
}
