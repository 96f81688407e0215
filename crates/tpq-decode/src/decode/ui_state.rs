//! What whoever shared a trace wants shown of it.

use tpq_ingest::Route;
use tpq_tables::{Stats, Tables};

use super::{Packet, PacketDecoder};
use crate::track::Trackers;

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: 78, route: Route::Immediate, decode };

/// Kept as it is, for programs that show traces.
fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    trackers.metadata.set_text("ui_state", &base64(packet.data), tables);
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |index| u32::from(group.get(index).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4_usize {
            let digit = DIGITS[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_pads_what_is_no_multiple_of_three() {
        assert_eq!(base64(b""), "");
        assert_eq!(base64(b"f"), "Zg==");
        assert_eq!(base64(b"fo"), "Zm8=");
        assert_eq!(base64(b"foob"), "Zm9vYg==");
        assert_eq!(base64(b"\xff\xfe\xfd"), "//79");
    }
}
