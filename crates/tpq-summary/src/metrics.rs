//! The metrics of a specification, in bundles that share their query.

use std::collections::{HashMap, HashSet};

use tpq_proto::message::trace_metric_v2_spec::{DimensionType, UnitOneof};
use tpq_proto::message::trace_metric_v2_template_spec::{self, ValueColumnSpec};
use tpq_proto::message::{TraceMetricV2Spec, TraceMetricV2TemplateSpec, TraceSummarySpec};

use crate::SummaryError;
use crate::error::{QueryError, invalid};

/// Metrics that share their query and dimensions.
#[derive(Debug)]
pub(crate) struct MetricBundle {
    pub(crate) id: String,
    /// The metrics; there is at least one.
    pub(crate) metrics: Vec<TraceMetricV2Spec>,
}

/// A column that identifies a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Dimension<'a> {
    pub(crate) name: &'a str,
    pub(crate) kind: DimensionType,
}

/// The bundles of a specification with the metrics that are `selected`, or with all.
///
/// # Errors
/// When a metric is not valid, two have the same id, the metrics of a bundle differ in more than
/// their value, or no metric has a selected id.
pub(crate) fn bundles(
    spec: &TraceSummarySpec,
    selected: Option<&[String]>,
) -> Result<Vec<MetricBundle>, SummaryError> {
    let mut metrics = spec.metric_spec.clone();
    for template in &spec.metric_template_spec {
        let part = format!("metric template `{}`", template.id_prefix());
        metrics.extend(expanded(template).map_err(|error| error.of(part))?);
    }
    check_ids(&metrics, selected)?;
    let is_selected = |metric: &TraceMetricV2Spec| {
        selected.is_none_or(|ids| ids.iter().any(|id| id == metric.id()))
    };
    let mut bundles: Vec<MetricBundle> = Vec::new();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for metric in metrics.into_iter().filter(is_selected) {
        let part = format!("metric `{}`", metric.id());
        check(&metric).map_err(|error| error.of(&part))?;
        // A metric without a bundle is one of its own, which no other metric can join.
        let key = match metric.bundle_id() {
            "" => format!("metric {}", metric.id()),
            bundle => format!("bundle {bundle}"),
        };
        let number = *numbers.entry(key).or_insert(bundles.len());
        match bundles.get_mut(number) {
            Some(bundle) => {
                check_same(bundle, &metric).map_err(|error| error.of(&part))?;
                bundle.metrics.push(metric);
            }
            None => {
                let id =
                    if metric.bundle_id().is_empty() { metric.id() } else { metric.bundle_id() };
                bundles.push(MetricBundle { id: id.to_owned(), metrics: vec![metric] });
            }
        }
    }
    Ok(bundles)
}

/// Checks that ids are unique, and that there are metrics for all `selected` ids.
fn check_ids(
    metrics: &[TraceMetricV2Spec],
    selected: Option<&[String]>,
) -> Result<(), SummaryError> {
    let mut ids = HashSet::new();
    for metric in metrics {
        if !ids.insert(metric.id()) {
            let why = "several metrics have this id".to_owned();
            return Err(SummaryError::Invalid { part: format!("metric `{}`", metric.id()), why });
        }
    }
    match selected.unwrap_or_default().iter().find(|id| !ids.contains(id.as_str())) {
        Some(unknown) => {
            let known = metrics.iter().map(TraceMetricV2Spec::id).collect::<Vec<_>>().join(", ");
            let why = format!("no specification has it; they have {known}");
            Err(SummaryError::Invalid { part: format!("metric `{unknown}`"), why })
        }
        None => Ok(()),
    }
}

/// Checks that a metric has an id, a value and a query, and that its dimensions differ.
fn check(metric: &TraceMetricV2Spec) -> Result<(), QueryError> {
    if metric.id().is_empty() {
        return invalid("`id` is not set");
    }
    if metric.value().is_empty() {
        return invalid("`value` is not set");
    }
    if metric.query.is_none() {
        return invalid("`query` is not set");
    }
    if !metric.dimensions.is_empty() && !metric.dimensions_specs.is_empty() {
        return invalid("`dimensions` and `dimensions_specs` exclude each other");
    }
    let mut names = HashSet::new();
    for dimension in dimensions(metric) {
        if dimension.name.is_empty() {
            return invalid("a dimension has no name");
        }
        if !names.insert(dimension.name) {
            return invalid(format!("two dimensions have the name `{}`", dimension.name));
        }
    }
    for interned in &metric.interned_dimension_specs {
        let key = interned.key_column_spec.as_ref().map_or("", |key| key.name());
        if !names.contains(key) {
            return invalid(format!("the key `{key}` of interned dimensions is not a dimension"));
        }
    }
    Ok(())
}

/// Checks that a metric has the query and the dimensions of its bundle.
fn check_same(bundle: &MetricBundle, metric: &TraceMetricV2Spec) -> Result<(), QueryError> {
    let Some(first) = bundle.metrics.first() else { return Ok(()) };
    let differs = [
        ("query", first.query != metric.query),
        ("dimensions", dimensions(first) != dimensions(metric)),
        ("dimension_uniqueness", first.dimension_uniqueness != metric.dimension_uniqueness),
        (
            "interned_dimension_specs",
            first.interned_dimension_specs != metric.interned_dimension_specs,
        ),
    ];
    match differs.into_iter().find(|&(_, differs)| differs) {
        Some((field, _)) => invalid(format!(
            "`{field}` is not that of `{}`, which is in the same bundle `{}`",
            first.id(),
            bundle.id
        )),
        None => Ok(()),
    }
}

/// The dimensions of a metric. A dimension without a type has that of its values.
pub(crate) fn dimensions(metric: &TraceMetricV2Spec) -> Vec<Dimension<'_>> {
    let untyped = metric.dimensions.iter().map(|name| (name.as_str(), DimensionType::Unspecified));
    let typed = metric.dimensions_specs.iter().map(|spec| (spec.name(), spec.r#type()));
    untyped.chain(typed).map(|(name, kind)| Dimension { name, kind }).collect()
}

/// The metrics of a template.
fn expanded(template: &TraceMetricV2TemplateSpec) -> Result<Vec<TraceMetricV2Spec>, QueryError> {
    let prefix = template.id_prefix();
    if prefix.is_empty() {
        return invalid("`id_prefix` is not set");
    }
    let unspecified =
        |name: &String| ValueColumnSpec { name: Some(name.clone()), ..ValueColumnSpec::default() };
    let columns: Vec<ValueColumnSpec> =
        match (template.value_columns.as_slice(), template.value_column_specs.as_slice()) {
            ([], []) => return invalid("neither `value_columns` nor `value_column_specs` is set"),
            (names, []) => names.iter().map(unspecified).collect(),
            ([], specs) => specs.to_vec(),
            _ => return invalid("`value_columns` and `value_column_specs` exclude each other"),
        };
    let bundle = (!template.disable_auto_bundling()).then(|| prefix.to_owned());
    let metric = |column: ValueColumnSpec| TraceMetricV2Spec {
        id: Some(format!("{prefix}_{}", column.name())),
        dimensions_specs: template.dimensions_specs.clone(),
        dimensions: template.dimensions.clone(),
        query: template.query.clone(),
        dimension_uniqueness: template.dimension_uniqueness,
        unit_oneof: column.unit_oneof.map(|unit| match unit {
            trace_metric_v2_template_spec::value_column_spec::UnitOneof::Unit(unit) => {
                UnitOneof::Unit(unit)
            }
            trace_metric_v2_template_spec::value_column_spec::UnitOneof::CustomUnit(unit) => {
                UnitOneof::CustomUnit(unit)
            }
        }),
        polarity: column.polarity,
        bundle_id: bundle.clone(),
        interned_dimension_specs: template.interned_dimension_specs.clone(),
        value: column.name,
    };
    Ok(columns.into_iter().map(metric).collect())
}

#[cfg(test)]
mod tests {
    use tpq_proto::text;

    use super::*;

    /// The bundles of a specification, as lines of an id and the ids of its metrics.
    fn bundled(spec: &str, selected: Option<&[&str]>) -> Result<Vec<String>, String> {
        let spec = text::parse::<TraceSummarySpec>(spec).map_err(|error| error.to_string())?;
        let selected: Option<Vec<String>> =
            selected.map(|ids| ids.iter().map(|&id| id.to_owned()).collect());
        let all = bundles(&spec, selected.as_deref()).map_err(|error| error.to_string())?;
        let line = |bundle: &MetricBundle| {
            let ids = bundle.metrics.iter().map(TraceMetricV2Spec::id);
            format!("{}: {}", bundle.id, ids.collect::<Vec<_>>().join(" "))
        };
        Ok(all.iter().map(line).collect())
    }

    fn error(spec: &str) -> String {
        bundled(spec, None).err().unwrap_or_default()
    }

    const QUERY: &str = "query { table { table_name: 'slice' } }";

    #[test]
    fn templates_become_metrics_of_one_bundle() {
        let spec = format!(
            "metric_template_spec {{ id_prefix: 'cpu' value_columns: ['min', 'max'] {QUERY} }}
             metric_template_spec {{ id_prefix: 'mem' value_column_specs: [
                 {{ name: 'rss' unit: BYTES polarity: LOWER_IS_BETTER }}, {{ name: 'swap' }}
             ] disable_auto_bundling: true dimensions: 'process' {QUERY} }}
             metric_spec {{ id: 'a' value: 'v' bundle_id: 'cpu2' {QUERY} }}
             metric_spec {{ id: 'b' value: 'w' bundle_id: 'cpu2' {QUERY} }}"
        );
        let all = ["cpu2: a b", "cpu: cpu_min cpu_max", "mem_rss: mem_rss", "mem_swap: mem_swap"];
        assert_eq!(bundled(&spec, None), Ok(all.map(str::to_owned).to_vec()));
        let some = bundled(&spec, Some(&["mem_swap", "cpu_max", "b"]));
        let expected = ["cpu2: b", "cpu: cpu_max", "mem_swap: mem_swap"];
        assert_eq!(some, Ok(expected.map(str::to_owned).to_vec()));
    }

    #[test]
    fn an_expanded_metric_has_the_fields_of_its_column_and_template() {
        let spec = format!(
            "metric_template_spec {{ id_prefix: 'mem' dimensions: 'process' {QUERY}
             dimension_uniqueness: UNIQUE
             value_column_specs {{ name: 'rss' custom_unit: 'pages' polarity: NOT_APPLICABLE }} }}
             metric_spec {{ id: 'mem_rss' dimensions: 'process' value: 'rss' {QUERY}
             dimension_uniqueness: UNIQUE custom_unit: 'pages' polarity: NOT_APPLICABLE
             bundle_id: 'mem' }}"
        );
        let spec = text::parse::<TraceSummarySpec>(&spec).unwrap_or_default();
        let expanded = expanded(&spec.metric_template_spec[0]).unwrap_or_default();
        assert_eq!(expanded, spec.metric_spec);
    }

    #[test]
    fn contradictions_are_errors() {
        let metric = |fields: &str| format!("metric_spec {{ id: 'a' {fields} }}");
        for (spec, message) in [
            (metric(QUERY), "metric `a`: `value` is not set"),
            (metric("value: 'v'"), "metric `a`: `query` is not set"),
            (
                metric(&format!("value: 'v' dimensions: 'x' dimensions: 'x' {QUERY}")),
                "metric `a`: two dimensions have the name `x`",
            ),
            (
                metric(&format!("value: 'v' dimensions: 'x' dimensions_specs {{}} {QUERY}")),
                "metric `a`: `dimensions` and `dimensions_specs` exclude each other",
            ),
            (
                format!("{0} {0}", metric(&format!("value: 'v' {QUERY}"))),
                "metric `a`: several metrics have this id",
            ),
            (
                format!(
                    "{} metric_spec {{ id: 'b' value: 'w' bundle_id: 'x' dimensions: 'd' {QUERY} }}",
                    metric(&format!("value: 'v' bundle_id: 'x' {QUERY}"))
                ),
                "metric `b`: `dimensions` is not that of `a`, which is in the same bundle `x`",
            ),
            (
                metric(&format!("value: 'v' {QUERY} interned_dimension_specs {{}}")),
                "metric `a`: the key `` of interned dimensions is not a dimension",
            ),
            (
                "metric_template_spec { id_prefix: 't' }".to_owned(),
                "metric template `t`: neither `value_columns` nor `value_column_specs` is set",
            ),
        ] {
            assert_eq!(error(&spec), message);
        }
        let spec = metric(&format!("value: 'v' {QUERY}"));
        let unknown = bundled(&spec, Some(&["z"]));
        assert_eq!(unknown, Err("metric `z`: no specification has it; they have a".to_owned()));
    }
}
