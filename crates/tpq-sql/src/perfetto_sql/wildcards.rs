//! `*` without some columns, or with other values for some: `* EXCLUDE (a)`, `* EXCEPT (a)` and
//! `* REPLACE (a / 10 AS a)`.
//!
//! DataFusion compares these names with those of columns, which are in lower case, and ignores a
//! REPLACE of a column that does not exist. So each replacing expression names its column.

use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{
    CaseWhen, ExceptSelectItem, ExcludeSelectItem, Expr, Ident, ObjectName, ObjectNamePart,
    ReplaceSelectElement, Select, SelectItem, SelectItemQualifiedWildcardKind, Value,
    WildcardAdditionalOptions,
};

use super::scope::last;

/// Rewrites the options of every `*` in a SELECT.
pub(super) fn rewrite(select: &mut Select) {
    for item in &mut select.projection {
        match item {
            SelectItem::Wildcard(options) => rewrite_options(options, &[]),
            SelectItem::QualifiedWildcard(
                SelectItemQualifiedWildcardKind::ObjectName(table),
                options,
            ) => {
                let table: Vec<Ident> =
                    table.0.iter().filter_map(|part| part.as_ident().cloned()).collect();
                rewrite_options(options, &table);
            }
            _ => {}
        }
    }
}

fn rewrite_options(options: &mut WildcardAdditionalOptions, table: &[Ident]) {
    match &mut options.opt_exclude {
        Some(ExcludeSelectItem::Single(name)) => lower_case_object(name),
        Some(ExcludeSelectItem::Multiple(names)) => names.iter_mut().for_each(lower_case_object),
        None => {}
    }
    if let Some(ExceptSelectItem { first_element, additional_elements }) = &mut options.opt_except {
        lower_case(first_element);
        additional_elements.iter_mut().for_each(lower_case);
    }
    for element in options.opt_replace.iter_mut().flat_map(|replace| &mut replace.items) {
        let ReplaceSelectElement { expr, column_name, .. } = &mut **element;
        lower_case(column_name);
        let column = table.iter().chain([&*column_name]).cloned().collect();
        let value = std::mem::replace(expr, Expr::Value(Value::Null.into()));
        *expr = naming(column, value);
    }
}

/// The columns that EXCLUDE and EXCEPT leave out.
pub(super) fn left_out(options: &WildcardAdditionalOptions) -> Vec<&Ident> {
    let mut names: Vec<&Ident> = match &options.opt_exclude {
        Some(ExcludeSelectItem::Single(name)) => last(name).into_iter().collect(),
        Some(ExcludeSelectItem::Multiple(names)) => names.iter().filter_map(last).collect(),
        None => Vec::new(),
    };
    if let Some(ExceptSelectItem { first_element, additional_elements }) = &options.opt_except {
        names.push(first_element);
        names.extend(additional_elements);
    }
    names
}

/// Leaves more columns out.
pub(super) fn leave_out(options: &mut WildcardAdditionalOptions, columns: &[Ident]) {
    let mut names = match options.opt_exclude.take() {
        Some(ExcludeSelectItem::Single(name)) => vec![name],
        Some(ExcludeSelectItem::Multiple(names)) => names,
        None => Vec::new(),
    };
    names.extend(columns.iter().map(|column| ObjectName::from(vec![column.clone()])));
    options.opt_exclude = Some(ExcludeSelectItem::Multiple(names));
}

fn lower_case_object(name: &mut ObjectName) {
    for part in &mut name.0 {
        if let ObjectNamePart::Identifier(ident) = part {
            lower_case(ident);
        }
    }
}

fn lower_case(ident: &mut Ident) {
    ident.value = ident.value.to_lowercase();
}

/// The value, in an expression that names a column: the condition of the CASE is never true, and
/// the optimizer removes it.
fn naming(mut column: Vec<Ident>, value: Expr) -> Expr {
    let column = match (column.len(), column.pop()) {
        (1, Some(name)) => Expr::Identifier(name),
        (_, Some(name)) => {
            column.push(name);
            Expr::CompoundIdentifier(column)
        }
        (_, None) => return value,
    };
    let is_null = Expr::Nested(Box::new(Expr::IsNull(Box::new(column))));
    let never = CaseWhen {
        condition: Expr::IsNull(Box::new(is_null)),
        result: Expr::Value(Value::Null.into()),
    };
    Expr::Case {
        case_token: AttachedToken::empty(),
        end_token: AttachedToken::empty(),
        operand: None,
        conditions: vec![never],
        else_result: Some(Box::new(value)),
    }
}
