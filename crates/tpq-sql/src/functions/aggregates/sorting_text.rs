//! `string_agg` over rows in any order: it sorts them itself, and takes the separator of each row.

use std::sync::{Arc, LazyLock};

use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::Result;
use datafusion::functions_aggregate::string_agg::StringAgg;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::{AggregateOrderSensitivity, format_state_name};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, GroupsAccumulator, ReversedUDAF, Signature,
};

use super::grouped_texts::{GroupedTexts, OneGroup, STATE_KEY, STATE_TEXT};

/// The aggregate for texts in an order, and for separators that are no literals.
pub(crate) fn sorting_text() -> Arc<AggregateUDF> {
    static FUNCTION: LazyLock<Arc<AggregateUDF>> =
        LazyLock::new(|| Arc::new(AggregateUDF::new_from_impl(SortingText(StringAgg::new()))));
    Arc::clone(&FUNCTION)
}

/// DataFusion's own aggregate takes the calls with DISTINCT.
#[derive(Debug, PartialEq, Eq, Hash)]
struct SortingText(StringAgg);

impl AggregateUDFImpl for SortingText {
    fn name(&self) -> &str {
        "string_agg"
    }

    fn signature(&self) -> &Signature {
        self.0.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.0.return_type(types)
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        if args.is_distinct {
            return self.0.state_fields(args);
        }
        let list = |name: &str, data_type| -> FieldRef {
            let element = Field::new_list_field(data_type, true);
            Field::new_large_list(format_state_name(args.name, name), element, true).into()
        };
        Ok(vec![list("texts", STATE_TEXT), list("keys", STATE_KEY)])
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        if args.is_distinct {
            return self.0.accumulator(args);
        }
        Ok(Box::new(OneGroup(GroupedTexts::new(&args)?)))
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs) -> bool {
        !args.is_distinct
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(GroupedTexts::new(&args)?))
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        ReversedUDAF::NotSupported
    }

    /// The accumulator sorts, so an order of the input is not necessary.
    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::SoftRequirement
    }

    fn with_beneficial_ordering(
        self: Arc<Self>,
        _: bool,
    ) -> Result<Option<Arc<dyn AggregateUDFImpl>>> {
        Ok(Some(self))
    }
}
