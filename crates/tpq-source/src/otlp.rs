//! Detects spans of OpenTelemetry in protobuf, which begin like packets of a trace.

use crate::varint::varint;

/// The tags of the fields that lead to a span: of a resource, of a scope, and the span itself.
const RESOURCE_SPANS: u64 = 1 << 3 | 2;
const SCOPE_SPANS: u64 = 2 << 3 | 2;
const SPANS: u64 = 2 << 3 | 2;
/// The field number of the last field of resources and scopes. Field 3 is an address.
const LAST_FIELD: u64 = 3;
/// The wire type of messages.
const LENGTH_DELIMITED: u64 = 2;
/// The size of the id of a trace, and the tag of the start of a span.
const TRACE_ID_LEN: usize = 16;
const TRACE_ID: u64 = 1 << 3 | 2;
const START: u64 = 7 << 3 | 1;

/// Whether these bytes are a message of spans, or several with their sizes before them.
pub(crate) fn is_otlp(bytes: &[u8]) -> bool {
    match bytes {
        // A size is less than 16 MiB.
        [0, size @ ..] => size.get(3..).is_some_and(is_message),
        _ => is_message(bytes),
    }
}

fn is_message(bytes: &[u8]) -> bool {
    let Some((RESOURCE_SPANS, resource)) = fields(bytes).next() else { return false };
    let is_known = |(tag, _): (u64, &[u8])| {
        tag & 7 == LENGTH_DELIMITED && (1..=LAST_FIELD).contains(&(tag >> 3))
    };
    // The scopes of a large file may be cut, so that the first span is looked at.
    let scope = fields(resource).find(|(tag, _)| *tag == SCOPE_SPANS);
    let Some((_, scope)) = scope.filter(|_| fields(resource).take(16).all(is_known)) else {
        return false;
    };
    let Some((_, span)) = fields(scope).find(|(tag, _)| *tag == SPANS) else { return false };
    let has_id = fields(span).any(|(tag, value)| tag == TRACE_ID && value.len() == TRACE_ID_LEN);
    has_id && fields(span).any(|(tag, _)| tag == START)
}

/// The fields of a message with their tags. Numbers have no bytes. The walk ends at damage.
fn fields(mut bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    std::iter::from_fn(move || {
        let tag = varint(&mut bytes)?;
        let value = match tag & 7 {
            0 => varint(&mut bytes).map(|_| &[][..])?,
            1 => bytes.split_off(..8)?,
            2 => {
                let len = usize::try_from(varint(&mut bytes)?).ok()?.min(bytes.len());
                bytes.split_off(..len)?
            }
            5 => bytes.split_off(..4)?,
            _ => return None,
        };
        (tag >> 3 != 0).then_some((tag, value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(number: u8, inside: &[u8]) -> Vec<u8> {
        [&[number << 3 | 2, inside.len() as u8], inside].concat()
    }

    #[test]
    fn messages_by_their_first_span() {
        let span = [message(1, &[1; 16]), vec![7 << 3 | 1], vec![0; 8]].concat();
        let spans = |span: &[u8]| message(1, &message(2, &message(2, span)));
        let file = spans(&span);
        assert!(is_otlp(&file));
        assert!(is_otlp(&[&[0, 0, 0, file.len() as u8], &file[..]].concat()));
        assert!(!is_otlp(&spans(&span[..17])), "no start");
        assert!(!is_otlp(&spans(&span[18..])), "no id of a trace");
        // A packet of kernel events, and one of a process tree.
        assert!(!is_otlp(&message(1, &message(1, &[0x08, 1, 0x12, 0]))));
        assert!(!is_otlp(&message(1, &message(2, &message(2, &[0x08, 1])))));
        assert!(!is_otlp(&[0, 0, 0]));
        assert!(!is_otlp(b""));
    }
}
