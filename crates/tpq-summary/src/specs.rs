//! Reads specifications.

use prost::Message;
use tpq_proto::message::TraceSummarySpec;
use tpq_proto::text;

use crate::SummaryError;

/// Specifications of summaries, which are computed as one.
#[derive(Clone, Debug, Default)]
pub struct SummarySpecs {
    spec: TraceSummarySpec,
}

impl SummarySpecs {
    /// Adds a `TraceSummarySpec` as text or bytes of the wire; `name` is that of its file.
    ///
    /// # Errors
    /// When it is neither. The error has the position.
    pub fn add(&mut self, name: &str, bytes: &[u8]) -> Result<(), SummaryError> {
        let wrong = |why: String| SummaryError::Spec { name: name.to_owned(), why };
        let spec = match as_text(bytes) {
            Some(text) => {
                text::parse::<TraceSummarySpec>(text).map_err(|error| wrong(error.to_string()))?
            }
            None => TraceSummarySpec::decode(bytes).map_err(|error| {
                wrong(format!("neither text nor a TraceSummarySpec in bytes: {error}"))
            })?,
        };
        self.add_message(spec);
        Ok(())
    }

    /// Adds a specification.
    pub fn add_message(&mut self, spec: TraceSummarySpec) {
        self.spec.metric_spec.extend(spec.metric_spec);
        self.spec.query.extend(spec.query);
        self.spec.metric_template_spec.extend(spec.metric_template_spec);
    }

    /// All of them as one message.
    pub(crate) fn spec(&self) -> &TraceSummarySpec {
        &self.spec
    }
}

/// The text of a specification. The bytes of the wire are recognised by control characters: the
/// keys of most fields, and the lengths of short texts, are such.
fn as_text(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_text = |letter: char| !letter.is_control() || matches!(letter, '\t' | '\n' | '\r');
    text.chars().all(is_text).then_some(text)
}

#[cfg(test)]
mod tests {
    use tpq_proto::message::TraceMetricV2Spec;

    use super::*;

    #[test]
    fn text_and_bytes_are_the_same() -> Result<(), SummaryError> {
        let metric = TraceMetricV2Spec {
            id: Some("m".into()),
            value: Some("v".into()),
            ..TraceMetricV2Spec::default()
        };
        let spec = TraceSummarySpec { metric_spec: vec![metric], ..TraceSummarySpec::default() };
        let mut specs = SummarySpecs::default();
        specs.add("a.textproto", b"\xef\xbb\xbfmetric_spec { id: \"m\" value: \"v\" }\r\n")?;
        specs.add("b.pb", &spec.encode_to_vec())?;
        assert_eq!(specs.spec().metric_spec, [spec.metric_spec.clone(), spec.metric_spec].concat());
        Ok(())
    }

    #[test]
    fn errors_name_the_file() {
        let error = |bytes: &[u8]| {
            let added = SummarySpecs::default().add("a.textproto", bytes);
            added.err().map(|error| error.to_string()).unwrap_or_default()
        };
        let expected = "a.textproto: line 1, column 1: `TraceSummarySpec` has no field `metric`";
        assert_eq!(error(b"metric {}"), expected);
        let start = "a.textproto: neither text nor a TraceSummarySpec in bytes: ";
        assert!(error(b"\x0a\xff").starts_with(start));
    }
}
